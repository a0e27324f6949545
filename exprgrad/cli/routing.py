"""Which command is meant where none is named: `exprgrad "x^2 sin x"`, `exprgrad help eval`."""

from __future__ import annotations

from exprgrad.commands import typed
from exprgrad.commands.arguments import source_of
from exprgrad.commands.reading import ALONE, FLAGS, first
from exprgrad.commands.table import COMMANDS
from exprgrad.errors import UsageError
from exprgrad.language import inputs
from exprgrad.language.shapes import NOTATIONS

COUNTED = ("minimize", "fit")
"""Commands whose `--steps` is a number."""

PICTURED = ("graph", "plot")
"""Commands that write pictures, with `-o FILE`."""


def normalise(argv: list[str]) -> list[str]:
    """Let an expression begin with a minus sign, and `--trace` and `--steps` stand alone.

    An argument such as `-x^2` would be taken for options; behind a blank, which the language ignores, it
    is taken for an expression.
    """
    out: list[str] = []
    alone = dict(ALONE)
    if argv[:1] and argv[0] in COUNTED:
        del alone["--steps"]
    for i, argument in enumerate(argv):
        if argument == "--":
            return [*out, *argv[i:]]
        before = argv[i - 1] if i else ""
        is_value = before.startswith("--") and "=" not in before and before not in FLAGS
        short = ("-", "-h", "-q", *(["-o"] if argv[0] in PICTURED else []))
        dashed = argument.startswith("-") and argument[1:2] != "-"
        negative = dashed and argument not in short
        if before == "--wrt" or argument.startswith("--wrt="):
            argument = inputs.normal(argument)
        out.append(f" {argument}" if negative and not is_value else argument)
        following = argv[i + 1] if i + 1 < len(argv) else ""
        if argument in alone and following not in alone[argument]:
            pairs = zip(argv, [*argv[1:], ""], strict=True)
            asked = [after for option, after in pairs if option == "--format"]
            asked += [a.partition("=")[2] for a in argv if a.startswith("--format=")]
            whole = argument == "--steps" and asked[-1:] not in ([], ["text"])
            out.append(alone[argument][-1 if whole else 0])
    return out


def without_notation(argv: list[str]) -> tuple[list[str], str | None]:
    """The arguments without `--input latex`, which every command has, and the notation. Raises `UsageError`."""
    for i, argument in enumerate(argv):
        if argument == "--":
            break
        option, equals, value = argument.partition("=")
        if option == "--input":
            value = value if equals else "".join(argv[i + 1 : i + 2])
            if value not in NOTATIONS:
                raise UsageError(f"--input is {' or '.join(NOTATIONS)}, not {value!r}")
            return [*argv[:i], *argv[i + (1 if equals else 2) :]], value
    return argv, None


_EACH = ("eval", "diff", "simplify")
"""Commands that answer every statement of a text."""


def for_each_statement(argv: list[str]) -> list[list[str]]:
    """The arguments of a command for each of the statements that standard input or a file holds.

    None where there are no several ones: that standard input has been read then, its text takes its place.
    """
    place = next((i for i in range(1, len(argv)) if argv[i] in ("-", "--file")), 0)
    if argv[:1] and argv[0] in _EACH and place:
        if argv[place] == "-":
            text, rest = source_of("-", None), argv[place + 1 :]
        elif place + 1 < len(argv):
            text, rest = source_of(None, argv[place + 1]), argv[place + 2 :]
        else:
            return []
        texts = [text]
        if "\n" in text.strip():
            from exprgrad.commands.typed import lines_of

            texts = lines_of(text)
        if len(texts) > 1 or argv[place] == "-":
            # behind a blank, no reader of arguments takes a text for an option
            texts = [f" {text}" if text.startswith("-") else text for text in texts]
            return [[*argv[:place], text, *rest] for text in texts]
    return []


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
    if place == 0 and (text.lstrip()[:1] == "-" or rest):
        from exprgrad.commands.complaints import refuse_pieces

        refuse_pieces(argv)
    name = typed.command_for(text.removeprefix(" "), rest)
    if name in ("check", "same", *typed.CONSTRUCTED.values()):
        from exprgrad.cli.words import asks, in_words

        if name not in ("check", "same"):  # with the order and the point that it names
            meant = in_words(argv)
        else:
            meant = in_words(argv) if asks(text) else None
            if meant is not None and name == "check" and "--implicit" not in meant:
                meant = None
        if meant is not None:
            return meant, False
    return [name, text, *rest], True
