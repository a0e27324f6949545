"""What would help, in the terms of a session: statements and commands."""

from __future__ import annotations

from exprgrad.errors import ExprgradError, Hint, Words


def _example(name: str) -> str:
    """What to type for what is not asked for within an expression."""
    from exprgrad.commands.lines import in_session
    from exprgrad.commands.table import COMMANDS, command_of

    if name not in COMMANDS:
        return "x^2 + y^2 = 1; dy/dx = -x/y"
    return in_session(command_of(name))


IN_SESSION: Words = {
    "choose_variable": lambda name: f"end with `wrt {name}`",
    "compare_or_give": lambda: (
        "write == to compare; a definition is name = ... or f(x) = ..."
    ),
    "give_value": lambda names, product=None: (
        f"set it first: {names[0]} = 2, or end with `at {names[0]}=2`"
        + (f"; or did you mean {product}?" if product else "")
    ),
    "instead": lambda text, command=None: text and f"did you mean: {text}",
    "own_command": lambda name: f"there is a command for it, such as: {_example(name)}",
    "subgradient": lambda: "evaluate at a point nearby",
    "uncertain": lambda: ":uncertainty takes uncertain quantities",
    "value_beside": lambda: "end with `at x=3`",
}
"""Kinds of hints that help here; the others name what a session does not have."""


def own(error: ExprgradError) -> str | None:
    """The hint of an error; one at a command is about what was typed, where that can be told."""
    hint = error.hint
    if isinstance(hint, Hint) and hint.kind == "own_command":
        from exprgrad.commands.elsewhere import meant_by

        words = meant_by(hint.details["name"], error.source)
        if words is not None:
            return Hint("instead", text=f":{' '.join(words).replace(' --', ' ')}")
    return hint
