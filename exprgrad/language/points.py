"""Points: values for variables, checked against the variables of an expression."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from exprgrad.annotations import Any
from exprgrad.errors import BindingError, ExprgradError, Hint, Span
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value, is_variable
from exprgrad.language import inputs
from exprgrad.language.parser import read
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import CONSTANTS, GREEK, did_you_mean
from exprgrad.sweeps.coordinates import Coordinate, on_arrays

MOST_NAMES = 8
"""The most names that a message lists."""


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """The names in the order in which (1, 2) gives their values: x, y, z or x1, x2 whatever a formula begins with, others as they occur."""
    found = tuple(names)
    letters = {name.rstrip("_0123456789") for name in found}
    if len(letters) > 1 and not {*found} <= {"x", "y", "z"}:
        return found
    return tuple(sorted(found, key=lambda name: (len(name), name)))


def lies_on(f: Value, x: Value, y: Value) -> bool:
    """Return whether a point is proved to lie on the graph of a function of one variable."""
    from exprgrad.graph.rewriting import rebuilt
    from exprgrad.proof.elementary import vanishes

    return vanishes(rebuilt(f, lambda item, _: x if is_variable(item) else None) - y)


def coordinates(
    variables: Mapping[str, Span | None],
    declared: Collection[str],
    at: Mapping[str, Any],
) -> dict[str, Coordinate]:
    """The values as the numbers that are meant, in the order of the variables, given with their places.

    A float is the number that it stores; a `Fraction`, a `Decimal` and a graph without variables are what
    they are. Raises `BindingError` for a name that is neither a variable nor declared, for a variable
    without a value, and for a value that is not a finite number.
    """
    check_names(variables, declared, at)
    return {name: coordinate(name, at[name]) for name in variables}


def coordinate(name: str, number: Any) -> Coordinate:
    """The number that is meant by the value of a variable. Raises `BindingError`."""
    # inf - inf and nan - nan are nan: only a finite number less itself is 0
    if type(number) is float and number - number == 0:
        return Coordinate.of(number)
    if isinstance(number, bytes):
        raise BindingError(f"the value of {name} is not a number: {number!r}")
    if isinstance(number, str):
        number = _typed(number, name)
    if hasattr(number, "__len__") or on_arrays(number):
        raise BindingError(f"the value of {name} is an array; here it must be a number")
    if isinstance(number, Value):
        own = [i.name or "it" for i in topological(number) if is_variable(i)]
        if own:
            hint = f"give a number in place of {listed(own)}"
            raise BindingError(f"the value of {name} must be a number", None, hint)
    try:
        inputs.refuse_long(number, f"the value of {name}", BindingError)
        return Coordinate.of(number)
    except (OverflowError, TypeError, ValueError):
        told, hint = f"is not a number: {number!r:.60}", ""
        with suppress(TypeError, ValueError):
            if not math.isfinite(number):
                told, hint = f"is {float(number)}", "give a finite number"
        raise BindingError(f"the value of {name} {told}", None, hint or None) from None


def _typed(text: str, name: str) -> Any:
    """Return the decimal that a text is, or the graph of a formula such as pi/4."""
    from decimal import Decimal, InvalidOperation

    with suppress(InvalidOperation):
        return Decimal(text)
    try:
        return read(text).root
    except ExprgradError as error:
        what = f"the value of {name} is not a number: {error.message}"
        raise BindingError(what, None, error.hint) from None


def check_names(
    variables: Mapping[str, Span | None], declared: Collection[str], at: Collection[str]
) -> None:
    """Raise `BindingError` for a name that does not occur, or a variable without a value."""
    for name in at:
        if name not in variables and (name in CONSTANTS or name not in declared):
            raise no_variable(name, tuple(variables))
    missing = [name for name in variables if name not in at]
    if missing:
        raise _missing(missing, at, variables[missing[0]])


def no_variable(name: str, variables: Sequence[str]) -> BindingError:
    """The error for a name that does not occur."""
    if not isinstance(name, str):
        told = f"the name of a variable is a text, not {type(name).__name__}"
        return BindingError(f"{told}: {name!r:.60}")
    own = f"its variables are: {listed(variables)}"
    alike = [v for v in variables if GREEK.get(v, v) == GREEK.get(name, name)]
    hint = did_you_mean(name, variables, own if variables else "it has no variables")
    if alike:
        hint = f"did you mean {alike[0]}?"
    if name in CONSTANTS:
        hint = f"{name} is a constant and has its value: choose another name"
    return BindingError(f"the expression has no variable {name}", None, hint)


def _missing(
    missing: list[str], given: Collection[str], span: Span | None
) -> BindingError:
    name = missing[0]
    count = "is no value" if len(missing) == 1 else "are no values"
    message = f"there {count} for {listed(missing)}"
    from exprgrad.language.products import splits, written

    # each letter counts as a name, though none has a value: kx may be k*x
    letters = {c for c in name if c.isalpha()}
    ways = splits(name, set(given) | letters) if len(name) > 1 else []
    if named(name):
        signature = next(iter(named(name).values())).signature
        return BindingError(message, span, f"{name} is a function: write {signature}")
    product = written(ways[0]) if ways else None
    return BindingError(message, span, Hint("give_value", names=tuple(missing[:MOST_NAMES]), product=product))  # fmt: skip


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
