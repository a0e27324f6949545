"""The start of the program: which command is meant where none is named, and what happens to errors, interrupts and closed pipes."""

from __future__ import annotations

import os
import sys

from exprgrad.commands import typed
from exprgrad.commands.declared import COMMANDS, GROUPS, Misused, command_of, is_picture
from exprgrad.commands.hints import begin, finish, report, shown
from exprgrad.commands.reading import ALONE, FLAGS, first, read
from exprgrad.errors import INTERRUPTED, ExprgradError, InternalError, UsageError
from exprgrad.language.shapes import NOTATIONS, assuming
from exprgrad.views.output import PipeClosed, columns, emit, emit_error

COUNTED = ("minimize", "fit")
"""Commands whose `--steps` is a number."""

PICTURED = ("graph", "plot", "minimize", "compare", "fit")
"""Commands whose results are pictures, with `-o FILE` for every kind of file."""


def normalise(argv: list[str]) -> list[str]:
    """Let an expression begin with a minus sign, and `--trace` and `--steps` stand alone.

    An argument such as `-x^2` would be taken for options; behind a blank, which the language ignores, it
    is taken for an expression. So is everything behind `--`.
    """
    out: list[str] = []
    alone = dict(ALONE)
    if argv[:1] and argv[0] in COUNTED:
        del alone["--steps"]
    for i, argument in enumerate(argv):
        if argument == "--":
            rest = argv[i + 1 :]
            return [*out, *(f" {a}" if a[:1] == "-" != a else a for a in rest)]
        before = argv[i - 1] if i else ""
        # of --x -2:2 and --seed -1 the minus belongs to the value
        is_value = before.startswith("--") and "=" not in before and before not in FLAGS
        following = argv[i + 1] if i + 1 < len(argv) else ""
        # `check "-o" 1` is about an expression, `-o x.png` about a file
        is_file = argv[0] in PICTURED or os.path.splitext(following)[1][1:].isalpha()
        short = ("-", "-h", "-q", *(["-o"] if is_file else []))
        dashed = argument.startswith("-") and argument[1:2] != "-"
        negative = dashed and argument not in short
        if before == "--wrt" or argument.startswith("--wrt="):
            from exprgrad.language.inputs import normal

            argument = normal(argument)
        out.append(f" {argument}" if negative and not is_value else argument)
        # --plot curve.svg: a flag has no value, but there is no doubt what is meant
        if argument == "--plot" and is_picture(following):
            out.append("--output")
        if argument in alone and following not in alone[argument]:
            pairs = zip(argv, [*argv[1:], ""], strict=True)
            asked = [after for option, after in pairs if option == "--format"]
            asked += [a.partition("=")[2] for a in argv if a.startswith("--format=")]
            # programs and papers get all steps; of several --format the last counts
            whole = argument == "--steps" and asked[-1:] not in ([], ["text"])
            out.append(alone[argument][-1 if whole else 0])
    return out


def without_notation(argv: list[str]) -> tuple[list[str], str | None]:
    """The arguments without `--input latex`, which every command has, and the notation. Raises `UsageError`."""
    for i, argument in enumerate(argv):
        option, equals, value = argument.partition("=")
        if option == "--input":
            value = value if equals else "".join(argv[i + 1 : i + 2])
            if value not in NOTATIONS:
                raise UsageError(f"--input is {' or '.join(NOTATIONS)}, not {value!r}")
            return [*argv[:i], *argv[i + (1 if equals else 2) :]], value
    return argv, None


def routed(argv: list[str]) -> tuple[list[str], bool]:
    """The arguments with a command before them, and whether that was put there."""
    if argv[:1] == ["help"] and argv[1:2] and argv[1] in COMMANDS:
        return [argv[1], "--help"], False
    if argv in (["?"], [" -?"]):
        return ["--help"], False
    if argv in ([" -v"], [" -V"]):
        return ["--version"], False
    place = first(argv)
    if place is None or argv[place] in COMMANDS or not typed.is_expression(argv[place]):
        return argv, False
    text, rest = argv[place], [*argv[:place], *argv[place + 1 :]]
    # exprgrad x^2 y: without quotes, the pieces would be taken for an expression and an argument too many
    if place == 0 and (text.lstrip()[:1] == "-" or rest):
        from exprgrad.commands.complaints import refuse_pieces

        refuse_pieces(argv)
    name = typed.command_for(text.removeprefix(" "), rest)
    if name in ("check", "same", *typed.CONSTRUCTED):
        from exprgrad.cli.words import in_words
        from exprgrad.session.entries import asks

        # with the order and the point that a construction names
        meant = in_words(argv) if name in typed.CONSTRUCTED or asks(text) else None
        if meant is not None and (name != "check" or "--implicit" in meant):
            return meant, False
    return [name, text, *rest], True


PIPE_CLOSED = 141
"""128 + SIGPIPE, as a shell reports it."""

OVERVIEW = os.path.join(os.path.dirname(__file__), "overview.txt")
"""What `exprgrad --help` prints: what `help.overview` gives, as a test verifies."""


def run(argv: list[str]) -> int:
    """Run the program; the exit code."""
    try:
        code = _guarded(normalise(argv))
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except (PipeClosed, BrokenPipeError):
        _silence()
        return PIPE_CLOSED
    except OSError as error:
        from exprgrad.data.files import unwritable

        _silence()
        emit_error(f"error: {unwritable('the output', error)}")
        return UsageError.exit_code
    return code


def _silence() -> None:
    """Let Python's own flush at exit go nowhere, since nobody reads the output any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _guarded(argv: list[str]) -> int:
    begin(argv)
    try:
        if any("\0" in argument for argument in argv):
            raise UsageError("an argument cannot contain a null character")
        argv, notation = without_notation(argv)
        with assuming(notation):
            return _dispatched(argv)
    except ExprgradError as error:
        report(error)
        return error.exit_code
    # no defects of the program: `run` and Python have answers of their own
    except (OSError, MemoryError, PipeClosed):
        raise
    except Exception as error:
        if os.environ.get("EXPRGRAD_DEBUG"):
            raise
        report(InternalError(error))
        return InternalError.exit_code
    finally:
        finish()


def _dispatched(argv: list[str]) -> int:
    """Run the command that is meant; where a text cannot be read, the one that it asks for in words."""
    try:
        return _commanded(argv)
    except Misused:
        raise
    except ExprgradError as error:
        from exprgrad.cli import words

        meant = words.in_words(argv, error)
        if meant is None:
            words.offer(argv, error)
            raise
    words.show(meant)
    return _commanded(normalise(meant))


def _commanded(argv: list[str]) -> int:
    """Run the command that is meant; Typer completes for shells."""
    if "_EXPRGRAD_COMPLETE" in os.environ or {*argv[:1]} & {"--install-completion", "--show-completion"}:  # fmt: skip
        from exprgrad.cli.app import command

        return command(argv)
    return _ran(*routed(argv))


def _ran(argv: list[str], was_put: bool) -> int:
    """Run a command, which `was_put` before an expression if none is named."""
    name, *arguments = argv or ["repl"]
    if name in ("-h", "--help"):
        return _overview()
    if name == "--version":
        from exprgrad import __version__

        emit(f"exprgrad {__version__}")
        return 0
    if name not in COMMANDS:
        from exprgrad.commands.complaints import no_command, no_option

        raise no_option(None, name) if name.startswith("-") else no_command(argv)
    row = command_of(name)
    command = read(row, arguments)
    if command is None:
        from exprgrad.commands.help import help_of

        emit(help_of(name, row))
        return 0
    command.was_put = was_put
    # a definition and an equation about it have two equals signs, a definition and its slope one and a sign of a slope:
    # the rest need no session
    is_claim = name in ("check", "same") and any(a.count("=") > 1 for a in arguments)
    if is_claim or (name in ("diff", "eval") and any("=" in a and ({*a} & {*"'’′_∂"} or "/d" in a) for a in arguments)):  # fmt: skip
        from exprgrad.cli.words import by_session

        if (found := by_session(command)) is not None:
            if getattr(command, "quiet", False):
                found.views = []
            return shown(found, command.format)
    return command.main()


def _overview() -> int:
    """Print the help of the program; from a file that has it for 80 columns, where there is room."""
    # to ask every command for its first line would import them all
    if columns() < 80 or "Added" in GROUPS:
        from exprgrad.commands.help import overview

        emit(overview())
    else:
        with open(OVERVIEW, encoding="utf-8") as file:
            emit(file.read().rstrip("\n"))
    return 0
