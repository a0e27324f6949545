"""Which command is meant where none is named: `exprgrad "x^2 sin x"`, `exprgrad help eval`."""

from __future__ import annotations

from exprgrad.cli import typed
from exprgrad.cli.arguments import FLAGS
from exprgrad.errors import UsageError

COMMANDS = (
    "eval", "diff", "check", "same", "compare", "tangent", "taylor", "critical", "batch", "fit", "minimize", "ops", "repl", "run",
)  # fmt: skip
"""The commands; their names win over expressions."""


def routed(argv: list[str]) -> tuple[list[str], bool]:
    """The arguments with a command before them, and whether that was put there."""
    if argv[:1] == ["help"]:
        return [*argv[1:2], "--help"], False
    place = _first(argv)
    if place is None or argv[place] in COMMANDS or not typed.is_expression(argv[place]):
        return argv, False
    text, rest = argv[place], [*argv[:place], *argv[place + 1 :]]
    if place == 0:
        _refuse_pieces(argv)
    return [typed.command_for(text.removeprefix(" "), rest), text, *rest], True


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
    pieces = []
    for argument in argv:
        if argument.startswith("-"):
            break
        pieces.append(argument.strip())
    misspelt = next(
        (p for p in pieces if p[:1] == "-" and p[1:].isalpha() and len(p) > 2), None
    )
    if misspelt is not None:
        raise UsageError(
            f"there is no option {misspelt}",
            hint=f"options begin with two dashes: -{misspelt}",
        )
    if len(pieces) > 1:
        raise UsageError(
            f"the expression is in {len(pieces)} arguments",
            hint=quoted("exprgrad", pieces),
        )


def nearest(typed: str, options: list[str], otherwise: str) -> str:
    """A hint at the option that is spelt most alike."""
    import difflib

    close = difflib.get_close_matches(typed, options, 1, 0.5)
    begins = [option for option in options if option.startswith(typed[:4])]
    found = close or begins
    return f"did you mean {found[0]}?" if found else otherwise


def quoted(command: str, pieces: list[str], option: str = "--at") -> str:
    """How to write an expression that came in several arguments; values among them go into an option."""
    values = [p for p in pieces[1:] if _is_value(p)]
    rest = " ".join(p for p in pieces if p not in values)
    at = f" {option} {','.join(values)}" if values else ""
    return f'quote the expression: {command} "{rest}"{at}'


def _is_value(text: str) -> bool:
    name, equals, value = text.partition("=")
    return bool(equals and value) and name.isidentifier() and value[:1] != "="
