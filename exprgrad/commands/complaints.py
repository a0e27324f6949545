"""Complaints about the arguments of the program, with a hint at what was meant."""

from __future__ import annotations

from itertools import takewhile

from exprgrad.commands import declared
from exprgrad.commands.declared import COMMANDS, Command, Misused, Row, options_of
from exprgrad.commands.hints import ON_COMMAND_LINE
from exprgrad.errors import UsageError, worded
from exprgrad.language.notes import shorten


def no_option(command: type[Command] | None, typed: str) -> Misused:
    """The error for an option that a command, or the program itself, does not have."""
    name = command.__name__.lower() if command else ""
    known = [*options_of(command)] if command else ["--version", "--input"]
    options = [option for option in (*known, "--help") if option.startswith("--")]
    option, _, value = typed.partition("=")
    hint = _nearest(option, options, _help(name))
    if command and command.by_name and not value and option[2:].isidentifier():
        hint = f"write {option}=-2:2 for the range of a variable {option[2:]}"
    # --x=2, or --x 2, for --at x=2
    elif command and len(option) == 3 and "--at" in known:
        hint = f"a value of {option[2:]} is given with --at {option[2:]}={value or 2}"
    return Misused(f"there is no option {option}", hint=hint)


def misused(command: type[Command], message: str) -> Misused:
    """The error for arguments of a command that do not fit, with a hint at its help."""
    return Misused(message, hint=_help(command.__name__.lower()))


def wrong_value(command: type[Command], what: str, row: Row, typed: str) -> Misused:
    """The error for a value that does not fit."""
    expected = "a whole number" if row.kind is int else "a number"
    if row.words:
        expected = f"one of {', '.join(row.words)}"
    elif row.least is not None and row.most is not None:
        expected += f" from {row.least:g} to {row.most:g}"
    elif row.least is not None:
        expected += f" from {row.least:g} on"
    if row.kind is bool:
        expected = "without a value"
    return misused(command, f"{what} is {expected}, not {shorten(typed, 60)}")


def _help(name: str) -> str:
    return f"see: exprgrad {name} --help" if name else "see: exprgrad --help"


def extra(command: type[Command], argv: list[str]) -> Misused:
    """The error for an expression that the shell has taken apart, or an option with one dash."""
    name, options = command.__name__.lower(), options_of(command)
    pieces = [argument.strip() for argument in argv]
    own = declared.rows(command)
    # of --steps brie, `normalise` makes --steps brief brie: the word that is left over is the one to complain about
    for option, value, piece in zip(pieces, pieces[1:], pieces[2:], strict=False):
        row = own.get(options.get(option, ""))
        if row and row.alone == value and piece.isalpha():
            return wrong_value(command, option, row, piece)
    for piece in pieces:
        # -plot for --plot: with one dash an argument is taken for an expression
        if f"-{piece}" in options:
            hint = f"did you mean -{piece}?"
            return Misused(f"there is no option {piece}", hint=hint)
    given, values = _parted(pieces)
    places = [row.metavar or n for n, row in own.items() if not row.is_option]
    count = "is 1 argument" if len(given) == 1 else f"are {len(given)} arguments"
    takes = "one expression" if places == ["EXPR"] else " and ".join(places) or "none"
    message = f"there {count} where {name} takes {takes}"
    if not {"EXPR", "MODEL", "A"} & {*places}:
        return misused(command, message)
    value = "--start" if name in ("fit", "minimize") else "--at"
    bare = name == "eval" and not values  # `eval` would ask for values
    called = "exprgrad" if bare else f"exprgrad {name}"
    # values behind the first piece, where `_quoted` looks for them
    hint = _quoted(called, [*given[:1], *values, *given[1:]], value)
    if name == "diff" and len(given) == 2 and given[1].isidentifier():
        hint = f'the variable goes into an option: exprgrad diff "{given[0]}" --wrt {given[1]}'
    if len(places) == 2 and given[1:] and not values:
        hint = f'quote each: exprgrad {name} "{given[0]}" "{" ".join(given[1:])}"'
    # diff of sin x: the words with the command are a question in words
    if {*given} & {"of", "to", "for"} and not values[1:]:
        hint = f'quote the question: exprgrad "{" ".join([name, *pieces])}"'
    return Misused(message, hint=hint)


def refuse_pieces(argv: list[str]) -> None:
    """Raise `UsageError` for an expression in several arguments: the shell has taken it apart."""
    leading = takewhile(lambda argument: not argument.startswith("-"), argv)
    pieces = [argument.strip() for argument in leading]
    for piece in pieces:
        if piece[:1] == "-" and piece[1:].isalpha() and len(piece) > 2:
            hint = f"options begin with two dashes: -{piece}"
            raise UsageError(f"there is no option {piece}", hint=hint)
    if len(pieces) > 1:
        what = f"the expression is in {len(pieces)} arguments"
        raise UsageError(what, hint=_quoted("exprgrad", pieces))


def _parted(pieces: list[str]) -> tuple[list[str], list[str]]:
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
    "critical": "max maximum extrema extremum stationary maximize maximise inflection inflections",
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


def no_command(argv: list[str]) -> Misused:
    """The error for a word that is neither a command nor an expression."""
    import exprgrad.operations.table  # noqa: F401 # fills the table
    from exprgrad.language.elsewhere import instead
    from exprgrad.operations.operation import named, own_name
    from exprgrad.operations.vocabulary import similar

    word = argv[0]
    pieces = [piece.strip() for piece in argv]
    # an example can be typed as it stands: of their expression, if there is one
    rest = pieces[1] if len(pieces) > 1 and pieces[1][:2] != "--" else "x^2"
    meant = next((c for c, words in _MEANT.items() if word in words.split()), None)
    close = similar(word, COMMANDS)
    own = own_name(word)
    if len(pieces) > 2 and pieces[1] == "of":
        hint = _quoted("exprgrad", pieces)
    elif close is not None and meant in (None, close):
        hint = f"did you mean {close}?"
    elif own is not None:
        function = next(iter(named(own).values()))
        hint = f'an expression stands in quotes: exprgrad "{function.signature}"'
        if len(pieces) > 1 and pieces[1][:1] != "-":
            hint = f'an expression stands in quotes: exprgrad "{word}({pieces[1]})"'
    elif word in ("version",):
        hint = "exprgrad --version"
    elif instead(word) and meant is None:
        hint = str(worded(instead(word), ON_COMMAND_LINE))
    elif meant is not None:
        hint = f'did you mean: exprgrad {meant} "{rest}"'
    else:
        hint = "an expression stands in quotes; the commands: exprgrad --help"
    return Misused(f"there is no command {word}", hint=hint)


def _nearest(typed: str, options: list[str], otherwise: str) -> str:
    """A hint at the option that is spelt most alike."""
    import difflib

    meant = [o for o, words in _ASKED.items() if typed in words.split() and o in options]  # fmt: skip
    if meant:
        return f"did you mean {meant[0]}?"
    # difflib finds --seed for --su, since it counts letters that are shared and not the first of them
    found = [option for option in options if option.startswith(typed)]
    found += difflib.get_close_matches(typed, options, 1, 0.5)
    found += [option for option in options if option.startswith(typed[:4])]
    return f"did you mean {found[0]}?" if found else otherwise


def _quoted(command: str, pieces: list[str], option: str = "--at") -> str:
    """Return how to write an expression that came in several arguments; values among them go into an option."""
    values = [p for p in pieces[1:] if _is_value(p)]
    if values and pieces[-len(values) - 1] in ("at", "where", "when", "for", "with"):
        # x^2 at x=3: --at says the word already
        pieces = [*pieces[: -len(values) - 1], *values]
    rest = " ".join(p for p in pieces if p not in values)
    at = f" {option} {','.join(values)}" if values else ""
    return f'quote the expression: {command} "{rest}"{at}'


def _is_value(text: str) -> bool:
    name, equals, value = text.partition("=")
    return bool(equals and value) and name.isidentifier() and value[:1] != "="
