"""Points: values for variables, checked against the variables of an expression."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import SupportsFloat

from exprgrad.errors import BindingError, Hint, Span
from exprgrad.language.products import splits, written
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import did_you_mean

MOST_NAMES = 8
"""The most names that a message lists."""


def point(
    variables: Mapping[str, Span | None],
    declared: Collection[str],
    at: Mapping[str, SupportsFloat],
) -> dict[str, float]:
    """The values as floats, in the order of the variables, given with their places in the source.

    Raises `BindingError` for a name that is neither a variable nor declared, for a variable without a
    value, and for a value that is not a finite number.
    """
    check_names(variables, declared, at)
    try:
        values = {name: float(at[name]) for name in variables}
    except (OverflowError, TypeError, ValueError) as error:
        for name in variables:
            if hasattr(at[name], "__len__") and not isinstance(at[name], str):
                raise BindingError(
                    f"the value of {name} is an array, where a number is needed"
                ) from None
        raise BindingError(f"a value is not a number: {error}") from None
    for name, value in values.items():
        if not math.isfinite(value):
            raise BindingError(
                f"the value of {name} is {value}", None, "give a finite number"
            )
    return values


def check_names(
    variables: Mapping[str, Span | None], declared: Collection[str], at: Collection[str]
) -> None:
    """Raise `BindingError` for a name that does not occur, or a variable without a value."""
    for name in at:
        if name not in variables and name not in declared:
            raise no_variable(name, tuple(variables))
    missing = [name for name in variables if name not in at]
    if missing:
        raise _missing(missing, at, variables[missing[0]])


def no_variable(name: str, variables: Sequence[str]) -> BindingError:
    """The error for a name that does not occur."""
    own = f"its variables are: {listed(variables)}"
    hint = did_you_mean(name, variables, own if variables else "it has no variables")
    return BindingError(f"the expression has no variable {name}", None, hint)


def _missing(
    missing: list[str], given: Collection[str], span: Span | None
) -> BindingError:
    name = missing[0]
    count = "is no value" if len(missing) == 1 else "are no values"
    message = f"there {count} for {listed(missing)}"
    letters = {c for c in name if c.isalpha()}
    ways = splits(name, set(given) | letters) if len(name) > 1 else []
    if named(name):
        signature = next(iter(named(name).values())).signature
        return BindingError(message, span, f"{name} is a function: write {signature}")
    product = written(ways[0]) if ways else None
    names = tuple(missing[:MOST_NAMES])
    return BindingError(message, span, Hint("give_value", names=names, product=product))


def listed(names: Sequence[str]) -> str:
    """Names for a message; of many, the first few."""
    return ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")


def no_column(
    name: str,
    columns: Sequence[str],
    kind: str = "",
    span: Span | None = None,
    source: str | None = None,
) -> BindingError:
    """The error for a column that data lacks; `kind` is that of a hint at what else can be done."""
    names = listed(columns)
    hint = Hint(kind, columns=names, name=name) if kind else f"its columns are: {names}"
    return BindingError(f"the data has no column {name!r}", span, hint, source=source)
