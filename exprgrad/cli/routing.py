"""Which command is meant where none is named: `exprgrad "x^2 sin x"`, `exprgrad help eval`."""

from __future__ import annotations

from importlib import import_module
from itertools import takewhile

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.cli import typed
from exprgrad.cli.arguments import FLAGS
from exprgrad.cli.hints import ON_COMMAND_LINE, in_shell
from exprgrad.errors import BindingError, ExprgradError, Hint, UsageError, worded

if TYPE_CHECKING:
    from exprgrad.cli.declared import Command

GROUPS = {
    "Derivatives": {
        "eval": "eval", "diff": "diff", "simplify": "simplify", "compare": "compare", "tangent": "constructions",
        "taylor": "constructions", "critical": "constructions",
    },
    "Pictures": {"graph": "graph", "plot": "plot"},
    "Answers": {"check": "check", "same": "check", "audit": "audit", "practice": "practice"},
    "Data": {"batch": "batch", "fit": "fit", "uncertainty": "uncertainty", "minimize": "minimize"},
    "Sessions": {"repl": "repl", "run": "run"},
    "Reference": {"help": "manual", "ops": "ops"},
}  # fmt: skip
"""The commands by what they are about, each with its module; their names win over expressions."""

COMMANDS = {name: module for own in GROUPS.values() for name, module in own.items()}


def command_of(name: str) -> type[Command]:
    """The class of a command, which has its name."""
    module = import_module(f"exprgrad.cli.commands.{COMMANDS[name]}")
    found: type[Command] = getattr(module, name.capitalize())
    return found


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
