"""The values of names, each computed once from those of the names that it uses.

    number(scope, "b")                  # of a = 2; b = a^2 + 1: a coordinate whose double is 5

So a chain of definitions takes time in proportion to its length. A value stands for the real number of its formula: its
double comes with a bound, and where more digits are asked for, the whole formula is swept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, is_variable
from exprgrad.session.functions import Call, Linker
from exprgrad.session.scope import Known, Scope
from exprgrad.sweeps.coordinates import Coordinate, Coordinates, on_arrays, substituted
from exprgrad.sweeps.rounding import UNIT
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from exprgrad.numbers.arb import Ball


CLOSE = 1e-12
"""The distance, of themselves, of two doubles that are found for one number."""


def double(number: Coordinate | Coordinates | None) -> Any:
    """The double of a number, or those of an array; None as it is."""
    if isinstance(number, Coordinates):
        return number.data
    return None if number is None else number.double


def meant(root: Value) -> Coordinate | Coordinates:
    """The number, or the array, that is the value of a graph without variables."""
    from exprgrad.language.parser import Reading

    if not on_arrays(root):
        return Coordinate.of(root)
    from exprgrad.expressions.elements import coordinates

    def evaluate(root: Value) -> Any:
        return Expression(Reading("", root, (), (), False)).evaluate({}, ())

    found = coordinates(root, evaluate)
    return found if found.data.ndim else Coordinate.of(found.element(()))


def number(scope: Scope, name: str) -> Coordinate | Coordinates | None:
    """The value of a name: a number or an array.

    None if it has none, or its formula has variables without a value.
    """
    waiting = [name]
    while waiting:
        first = waiting[-1]
        needed = [n for n in _needed(scope, first) if n not in scope.numbers]
        if first in scope.numbers:
            waiting.pop()
        elif needed:
            waiting += needed
        else:
            scope.numbers[first] = _computed(scope, first)
    found: Coordinate | Coordinates | None = scope.numbers[name]
    return found


def _needed(scope: Scope, name: str) -> list[str]:
    """The names that a name's value depends on by its own text."""
    if name not in scope.definitions:
        return []
    known, defined = scope.known(name), scope.definitions
    names = {*known.mentioned, *known.statement.leaves} - {name}
    return [n for n in names if n in defined and not defined[n].parameters]


def _computed(scope: Scope, name: str) -> Coordinate | Coordinates | None:
    if name not in scope.definitions:
        return None
    known = scope.known(name)
    if known.function.parameters:
        return None
    if known.value is not None:
        root = known.statement.root
        exact = not known.statement.slopes and _is_closed(root)
        return meant(root) if exact else _found(known, {}, known.value)
    at: dict[str, Any] = {}
    for leaf in known.statement.leaves:
        found = number(scope, leaf)
        if found is None:
            return None
        at[leaf] = found
    reading = scope.shared_reading(name) if _may_be_array(scope, known) else None
    if reading is not None and not reading.slopes:
        root = substituted(reading.root, at)
        if on_arrays(root):
            return meant(root)
    short = _short(scope, known)
    if short is not None:
        own = {n: number(scope, n) for n in short.variables}
        try:
            here = short.evaluate(own, ())
        except ExprgradError:
            pass  # the whole is evaluated below, for the place of the error
        else:
            if isinstance(here, Evaluation):
                if here.value:
                    error = here.error / (UNIT * abs(here.value))
                    return _Formula(scope, known, here.value, error, at)
                if not here.error:
                    return Coordinate.of(0.0)
    return _found(known, at, _whole(scope, known, at))


def _may_be_array(scope: Scope, known: Known) -> bool:
    """Whether an array may come in: by the text, or by a name in it. The whole formula of a chain is long."""
    names = [n for n in known.mentioned if n in scope.definitions]
    if any(scope.definitions[n].parameters for n in names):
        return True
    names += known.statement.leaves
    return on_arrays(known.statement.root) or any(
        on_arrays(scope.numbers.get(n)) for n in names
    )


def _is_closed(root: Value) -> bool:
    """Whether nothing stands in a graph but numbers: no variable, and no call that is still to be linked."""
    return not any(isinstance(i, Call) or is_variable(i) for i in topological(root))


def _found(known: Known, at: Mapping[str, Any], value: Any) -> Coordinate | Coordinates:
    if not isinstance(value, float):
        return meant(Constant(value))
    return as_meant(known.statement.reading.root, at, value) or Coordinate.of(value)


def as_meant(root: Value, at: Mapping[str, Any], value: float) -> Coordinate | None:
    """The number that a formula is at a point; None where another value was found for it.

    A derivative may exist where its formula has no value, or that of a convention.
    """
    found = meant(substituted(root, at))
    if not isinstance(found, Coordinate) or found.double is None:
        return None
    return found if math.isclose(found.double, value, rel_tol=CLOSE) else None


def _short(scope: Scope, known: Known) -> Expression | None:
    """A formula with variables in place of the names that it uses; None where more than their values counts.

    Whether an exponent is a fraction does, and so does what is differentiated.
    """
    from exprgrad.graph.rewriting import rebuilt
    from exprgrad.language.parser import Reading

    function = known.function
    if function.slopes:
        return None
    for item in topological(function.root):
        if item.operation is None and not isinstance(item, Call):
            continue
        if isinstance(item, Call) and item.function.slopes:
            return None
        power = item.operation is not None and item.operation.rule == "power"
        parts = topological(item.operands[1]) if power else ()
        if any(isinstance(part, Call) for part in parts):
            return None
    leaves: dict[str, Value] = {}

    def put(item: Value, operands: tuple[Value, ...]) -> Value | None:
        if isinstance(item, Call):
            inner = item.function
            if not inner.parameters and inner.name in scope.definitions:
                return leaves.setdefault(inner.name, Value(None, inner.name))
            return Call(inner, operands, item.span or (0, 0))
        if is_variable(item):
            return leaves.setdefault(item.name or "", item)
        return None

    linker = Linker(leaves)
    root = linker.linked(rebuilt(function.root, put))
    if linker.slopes:
        return None
    used = tuple(item for item in topological(root) if is_variable(item))
    return Expression(Reading(function.name, root, used, (), False))


def _whole(scope: Scope, known: Known, at: dict[str, Any]) -> Any:
    """The value by the whole formula, down to the names that are numbers."""
    reading = scope.shared_reading(known.function.name)
    try:
        if reading is not None:
            return Expression(reading)(**at)
    except ExprgradError:
        pass  # evaluated again below, for the place of the error
    return Expression(known.statement.reading)(**at)


class _Formula(Coordinate):
    """The value of a formula; the formula is put together when more of its digits are asked for."""

    __slots__ = ("at", "known", "linker")

    def __init__(
        self,
        scope: Scope,
        known: Known,
        double: float,
        error: float,
        at: dict[str, Any],
    ) -> None:
        self.double, self.error, self.ratio, self.tape = double, error, None, None
        self.linker, self.known, self.at = scope.names.linker, known, at

    def ball(self, numbers: Any) -> Ball:
        """The number as a ball."""
        if self.tape is None:
            root = self.linker.linked(Call(self.known.function, (), (0, 0)))
            self.tape = Tape(substituted(root, self.at), ())
        return super().ball(numbers)
