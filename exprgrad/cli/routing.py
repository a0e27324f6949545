"""Which command is meant where none is named: `exprgrad "x^2 sin x"`, `exprgrad help eval`."""

from __future__ import annotations

from itertools import takewhile

from exprgrad.commands import typed
from exprgrad.commands.arguments import source_of
from exprgrad.commands.hints import ON_COMMAND_LINE, in_shell
from exprgrad.commands.table import COMMANDS, GROUPS
from exprgrad.errors import BindingError, ExprgradError, Hint, UsageError, worded
from exprgrad.language import inputs
from exprgrad.language.shapes import NOTATIONS

ALONE = {"--trace": ("both", "forward", "reverse"), "--steps": ("brief", "full")}
"""Options that may stand alone, with their values; alone, they mean the first.

Programs and papers, which ask for another format than text, get all steps.
"""

COUNTED = ("minimize", "fit")
"""Commands whose `--steps` is a number."""

PICTURED = ("graph", "plot")
"""Commands that write pictures, with `-o FILE`."""

FLAGS = (
    "--strict", "--subgradient", "--hessian", "--keep-going", "--version", "--help",
    "--hint", "--solution", "--quiet", "--plot", "--forget", *ALONE,
)  # fmt: skip
"""Options that may be without a value."""


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
    place = _first(argv)
    if place is None or argv[place] in COMMANDS or not typed.is_expression(argv[place]):
        return argv, False
    text, rest = argv[place], [*argv[:place], *argv[place + 1 :]]
    if place == 0:
        _refuse_pieces(argv)
    name = typed.command_for(text.removeprefix(" "), rest)
    if name in ("check", "same") and _asks(text):
        meant = in_words(argv)
        if meant is not None and (name == "same" or "--implicit" in meant):
            return meant, False
    if name in typed.CONSTRUCTED.values() and (meant := in_words(argv)) is not None:
        return meant, False  # with the order and the point that it names
    return [name, text, *rest], True


def _asks(text: str) -> bool:
    """Whether a text with an equals sign begins or ends as one that asks and claims nothing."""
    import re

    beginning = r"\s*(?:differentiate\b|solve\b|at\s+\w+\s*=|.+\bdy/dx\s*$)"
    return re.match(beginning, text, re.IGNORECASE) is not None


def in_words(argv: list[str], error: ExprgradError | None = None) -> list[str] | None:
    """The arguments of the command that a text without one asks for in words; None where there is none.

    An `error` says what is wrong with the text as it was read: if a value is missing, words change nothing.
    """
    place = _first(argv)
    if place is None or not (argv[place] in COMMANDS or typed.is_expression(argv[place])):  # fmt: skip
        return None
    if error is not None and (error.exit_code != UsageError.exit_code or _is_offer(error)):  # fmt: skip
        return None
    if isinstance(error, BindingError) and argv[place] not in COMMANDS and _SAYING.isdisjoint(argv[place].split()):  # fmt: skip
        return None
    if argv[place] in COMMANDS:
        return _with_signs(argv, place) if argv[place] in _WITH_FORMULA else None
    from exprgrad.language.words.formulas import composed
    from exprgrad.language.words.tasks import command

    found = command(argv[place])
    if found is None:
        written = _with_names(argv, place)
        written[place] = composed(written[place])
        return None if written == argv else written
    name, text, *options = found.arguments
    if name == "diff" and not options and set(typed.EVALUATING) & set(argv):
        name = "eval"
    written = [name, text, *options, *argv[:place], *argv[place + 1 :]]
    return _with_names(written, 1)


def offer(argv: list[str], error: ExprgradError) -> None:
    """Let an error about a text without a command offer one that was probably meant."""
    from exprgrad.language.words import corrections, tasks

    place = _first(argv)
    is_usage = error.exit_code == UsageError.exit_code
    if place is None or argv[place] in COMMANDS or not is_usage or _is_offer(error):
        return
    text = corrections.corrected(argv[place]) or corrections.respelt(argv[place], error)
    if text is not None:
        error.hint = Hint("instead", text=text)
        return
    try:
        found = tasks.nearest(argv[place])
    except ExprgradError:
        return
    if found is not None:
        name, formula, *options = found.arguments
        words = [name, in_shell(formula), *options]
        error.hint = Hint("instead", text="", command=" ".join(words))


def _is_offer(error: ExprgradError) -> bool:
    return isinstance(error.hint, Hint) and error.hint.kind == "instead"


_WITH_FORMULA = (*GROUPS["Derivatives"], *GROUPS["Pictures"], "check", "same", "minimize")  # fmt: skip


def _with_signs(argv: list[str], place: int) -> list[str] | None:
    """A command whose formula is in words, or whose point lacks names, in signs and with names."""
    from exprgrad.language.words.formulas import in_signs

    texts = {i for i in range(place + 1, len(argv)) if argv[i - 1][:1] != "-"}
    written = [in_signs(a) or a if i in texts else a for i, a in enumerate(argv)]
    written = _with_names(written, place + 1)
    return written if written != argv else None


def _with_names(argv: list[str], place: int) -> list[str]:
    """The arguments with the names of the variables in a point: for 3, x=3."""
    from exprgrad.language.words.tasks import point

    written = list(argv)
    for i, argument in enumerate(argv):
        if i and argv[i - 1] in ("--at", "--start"):
            written[i] = point(argument, argv[place]) or argument
    return written


_SAYING = frozenset(("is", "equals", "of", "into", "for", "if", "where", "given"))
"""Words with which a point may be said otherwise than x=2."""


def show(argv: list[str]) -> None:
    """Print the command that is run, where people read the answer."""
    if any(a == "-q" or a.startswith(("--format", "--quiet")) for a in argv):
        return
    import shlex

    from exprgrad.views.output import emit

    emit(f"exprgrad {shlex.join(argv)}")


def _first(argv: list[str]) -> int | None:
    """The first argument that is neither an option nor the value of one."""
    for i, argument in enumerate(argv):
        before = argv[i - 1] if i else ""
        is_value = before.startswith("-") and before not in FLAGS and "=" not in before
        if not argument.startswith("-") and not is_value:
            return i
    return None


def _refuse_pieces(argv: list[str]) -> None:
    """Raise `UsageError` for an expression in several arguments: the shell has taken it apart."""
    leading = takewhile(lambda argument: not argument.startswith("-"), argv)
    pieces = [argument.strip() for argument in leading]
    for piece in pieces:
        if piece[:1] == "-" and piece[1:].isalpha() and len(piece) > 2:
            hint = f"options begin with two dashes: -{piece}"
            raise UsageError(f"there is no option {piece}", hint=hint)
    if len(pieces) > 1:
        what = f"the expression is in {len(pieces)} arguments"
        raise UsageError(what, hint=quoted("exprgrad", pieces))


def parted(pieces: list[str]) -> tuple[list[str], list[str]]:
    """Arguments that are no options, and values of `--at` among the others."""
    given: list[str] = []
    values: list[str] = []
    before = ""
    for piece in pieces:
        if before in ("--at", "--start"):
            values.append(piece)
        elif not piece.startswith("--") and not before.startswith("--"):
            given.append(piece)
        elif not piece.startswith("--") and _is_value(piece):
            values.append(piece)
        before = piece
    return given, values


_MEANT = {
    "diff": "derive derivative differentiate deriv d grad gradient derivatives jacobian symbolic",
    "eval": "evaluate calc calculate compute value values at",
    "check": "verify grade test verdict answer proof",
    "same": "equal equals equivalent identical identity",
    "minimize": "min minimise optimize optimise minimum argmin",
    "critical": "max maximum extrema extremum stationary maximize",
    "taylor": "series maclaurin expand",
    "tangent": "line linearize slope normal",
    "graph": "dag tree network diagram",
    "plot": "draw curve chart figure",
    "repl": "shell session interactive start console",
    "ops": "functions operations list rules",
    "fit": "regress regression",
}  # fmt: skip
"""Commands, and the words that people type for them."""

_ASKED = {
    "--wrt": "--var --variable --variables --by --respect --dx --x --y",
    "--at": "--point --values --value --val --where --when --set --with --for",
    "--format": "--json --csv --latex --output-format --out",
    "--order": "--nth --n --degree --times",
    "--steps": "--step --show-steps --explain --work --verbose",
}  # fmt: skip
"""Options, and what people type for them."""


def no_command(argv: list[str]) -> UsageError:
    """The error for a word that is neither a command nor an expression."""
    from exprgrad.language.elsewhere import instead
    from exprgrad.operations.operation import named, own_name
    from exprgrad.operations.vocabulary import similar

    word = argv[0]
    pieces = [piece.strip() for piece in argv]
    rest = pieces[1] if len(pieces) > 1 and pieces[1][:2] != "--" else "x^2"
    meant = next((c for c, words in _MEANT.items() if word in words.split()), None)
    close = similar(word, COMMANDS)
    own = own_name(word)
    if len(pieces) > 2 and pieces[1] == "of":
        hint = quoted("exprgrad", pieces)
    elif close is not None:
        hint = f"did you mean {close}?"
    elif own is not None:
        function = next(iter(named(own).values()))
        hint = f'an expression stands in quotes: exprgrad "{function.signature}"'
    elif word in ("version",):
        hint = "exprgrad --version"
    elif instead(word) and meant is None:
        hint = str(worded(instead(word), ON_COMMAND_LINE))
    elif meant is not None:
        hint = f'did you mean {meant}? exprgrad {meant} "{rest}"'
    else:
        hint = "exprgrad --help lists the commands; an expression stands in quotes"
    return UsageError(f"there is no command {word}", hint=hint)


def nearest(typed: str, options: list[str], otherwise: str) -> str:
    """A hint at the option that is spelt most alike."""
    import difflib

    name = typed.partition("=")[0]
    meant = [o for o, words in _ASKED.items() if name in words.split() and o in options]
    if meant:
        return f"did you mean {meant[0]}?"
    close = difflib.get_close_matches(typed, options, 1, 0.5)
    begins = [option for option in options if option.startswith(typed[:4])]
    found = close or begins
    return f"did you mean {found[0]}?" if found else otherwise


def quoted(command: str, pieces: list[str], option: str = "--at") -> str:
    """How to write an expression that came in several arguments; values among them go into an option."""
    values = [p for p in pieces[1:] if _is_value(p)]
    if values and pieces[-len(values) - 1] in ("at", "where", "when", "for", "with"):
        pieces = [*pieces[: -len(values) - 1], *values]
    rest = " ".join(p for p in pieces if p not in values)
    at = f" {option} {','.join(values)}" if values else ""
    return f'quote the expression: {command} "{rest}"{at}'


def _is_value(text: str) -> bool:
    name, equals, value = text.partition("=")
    return bool(equals and value) and name.isidentifier() and value[:1] != "="


def version() -> int:
    """Print the version."""
    from exprgrad import __version__
    from exprgrad.views.output import emit

    emit(f"exprgrad {__version__}")
    return 0
