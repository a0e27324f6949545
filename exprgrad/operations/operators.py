"""Python's operators for number types: what a row's name is on numbers of that type says what its operator is."""

from __future__ import annotations

from collections.abc import Callable

from exprgrad.annotations import Any

_METHODS = {"div": "truediv"}
"""Methods that have another name than the row."""

_REFLECTED = ("add", "sub", "mul", "div", "mod", "pow")


def give_operators(kind: Any, names: str, apply: Callable[..., Any]) -> None:
    """Let the operators of these rows on numbers of a kind be `apply(name, one, other)`."""
    for name in names.split():
        method = _METHODS.get(name, name)
        setattr(kind, f"__{method}__", lambda self, *others, n=name: apply(n, self, *others))  # fmt: skip
        if name in _REFLECTED:
            setattr(kind, f"__r{method}__", lambda self, other, n=name: apply(n, other, self))  # fmt: skip
