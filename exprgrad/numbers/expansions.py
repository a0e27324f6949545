"""The common part of number types: the operators that follow from a few, and expansions around a point.

    x - y                                    # x + (-y), whatever x and y are
    x ** y, abs(x), x < y                    # of expansions: by the rows of the table
    kind.push(SIN, [x])                      # once for each x

A series, a number with tangents and a germ are expansions: each is a number at a point, and what it is beside it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from exprgrad.annotations import Any
from exprgrad.operations.number_types import Numbers, fault_of
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import ABS, MOD, POW


def _reflected(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the operator for another number on the left, which is made one of the type first."""
    return lambda self, other: operate(self._of(other), self)


class Operators:
    """Python's operators, as far as they follow from sums, negatives, products, quotients, powers and `<`, `<=`."""

    __slots__ = ()
    __lt__: Any
    __le__: Any

    def _of(self, thing: Any) -> Any:
        """Return a number as one of this type."""
        raise NotImplementedError

    def __sub__(self, other: Any) -> Any:
        return self + -self._of(other)

    __radd__, __rsub__ = _reflected(operator.add), _reflected(operator.sub)
    __rmul__, __rtruediv__ = _reflected(operator.mul), _reflected(operator.truediv)
    __rpow__, __rmod__ = _reflected(operator.pow), _reflected(operator.mod)
    __gt__, __ge__ = _reflected(operator.lt), _reflected(operator.le)


class Expansion(Operators):
    """A number of the type `kind`, which keeps the results of its calls in `_calls`."""

    __slots__ = ()

    kind: Any
    _calls: dict[object, tuple[Any, Sequence[Any]]]

    @property
    def start(self) -> Any:
        """The number at the point itself."""
        raise NotImplementedError

    @property
    def fault(self) -> Exception | None:
        """Why there is no number at the point."""
        return fault_of(self.start)

    def _of(self, thing: Any) -> Any:
        return self.kind.number(thing)

    def __pow__(self, other: Any) -> Any:
        return self.kind.push(POW, [self, self._of(other)])

    def __mod__(self, other: Any) -> Any:
        return self.kind.push(MOD, [self, self._of(other)])

    def __abs__(self) -> Any:
        return self.kind.push(ABS, [self])

    def __lt__(self, other: Any) -> Any:
        return self._of(self.start < self._of(other).start)

    def __le__(self, other: Any) -> Any:
        return self._of(self.start <= self._of(other).start)


class Expansions(Numbers):
    """Expansions as a number type for rules; subclasses say what `number`, `identity` and `pushed` are."""

    def __init__(self, constants: dict[str, Any]) -> None:
        super().__init__(
            lambda operation: lambda *a: self.push(operation, [*map(self.number, a)]),
            constants,
        )

    def identity(self, argument: Any) -> object:
        """Return what two arguments have in common that are the same number, or the same object."""
        raise NotImplementedError

    def repeated(self, base: Any, count: int) -> Any:
        """Return the product of so many equal factors, by squares."""
        result = self.number(1)
        while count:
            result = result * base if count & 1 else result
            count >>= 1
            # the last square would be the dearest product of all, and nobody needs it
            base = base * base if count else base
        return result

    def push(
        self, operation: Operation, arguments: Sequence[Any], inside: bool = False
    ) -> Any:
        """Return an operation on expansions, perhaps known to be `inside` of its domain.

        The same call on the same arguments is one object. A rule that calls its own function on -x, like that of
        sigmoid, would else evaluate both at every order, 2^n times.
        """
        if operation.native:
            return operation.kernel(*arguments)
        if operation.fold == "left" and len(arguments) > operation.arity:
            first = self.push(operation, arguments[:-1])
            return self.push(operation, [first, arguments[-1]])
        # kept at the first argument, the results go when it goes
        calls = arguments[0]._calls
        key = (operation, *map(self.identity, arguments[1:]))
        if key not in calls:
            # arguments are kept as well, so that no other gets the identity of one of them
            calls[key] = self.pushed(operation, arguments, inside), arguments[1:]
        return calls[key][0]

    def pushed(
        self, operation: Operation, arguments: Sequence[Any], inside: bool
    ) -> Any:
        """Return the same, computed."""
        raise NotImplementedError
