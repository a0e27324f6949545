"""Terms: a factor and a result of a program, the number type of its reverse sweep.

A rule of the table that runs on terms writes instructions. Signs and constant factors stay in the term
and cost nothing until two contributions meet; a quotient is taken together with what it is multiplied by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from exprgrad.annotations import Any, NamedTuple, Protocol
from exprgrad.operations.number_types import Numbers
from exprgrad.operations.operation import Kernel, Operation
from exprgrad.operations.table import ADD, DIV, GT, MUL, NEG, POW, SUB

Arg = int | float
"""The number of a result, or (a float) a number."""


def results(args: Iterable[Arg]) -> list[int]:
    """The operands that are results: the others are numbers."""
    return [arg for arg in args if isinstance(arg, int)]


Instruction = tuple[Operation | Kernel, tuple[Arg, ...]]


class Test(NamedTuple):
    """A corner as a condition on results: two of them compared, or tests joined by `and`, `or`, `not`."""

    operator: str
    operands: tuple[Test | Arg, ...]

    @property
    def results(self) -> list[Arg]:
        """The results and numbers that it looks at."""
        own = (o.results if isinstance(o, Test) else [o] for o in self.operands)
        return [result for results in own for result in results]

    @property
    def zero(self) -> Arg | None:
        """A result that has to be 0 for the test to hold, if there is one."""
        match self:
            case Test("==", (left, right)) if isinstance(right, float) and not right:
                return left  # type: ignore[return-value] # comparisons have results
            case Test("and", operands):
                zeros = [o.zero for o in operands if isinstance(o, Test)]
                return next((zero for zero in zeros if zero is not None), None)
        return None


class Writes(Protocol):
    """What terms write into: a program."""

    def emit(self, operation: Operation | Kernel, *args: Arg) -> Arg:
        """The result of an operation."""

    def known(self, operation: Operation, *args: Arg) -> bool:
        """Whether this instruction has been written."""

    def instruction(self, result: Arg | None) -> Instruction | None:
        """The instruction of a result."""

    def power(self, base: Arg, exponent: Arg) -> Arg:
        """The result of a power."""


class Term:
    """A number times a result, or (result None) a number: what the rules of a reverse sweep run on."""

    __slots__ = ("factor", "program", "result")

    def __init__(self, program: Writes, factor: float, result: int | None) -> None:
        self.program, self.factor, self.result = program, factor, result

    def _of(self, factor: float, result: Arg) -> Term:
        if isinstance(result, float):
            return Term(self.program, factor * result, None)
        return Term(self.program, factor, result)

    def _term(self, other: Term | float) -> Term:
        return (
            other if isinstance(other, Term) else Term(self.program, float(other), None)
        )

    def written(self) -> Arg:
        """The term as one result, multiplied out."""
        if self.result is None:
            return self.factor
        if self.factor == 1:
            return self.result
        if self.factor == -1:
            return self.program.emit(NEG, self.result)
        return self.program.emit(MUL, self.result, self.factor)

    def __mul__(self, other: Term | float) -> Term:
        other = self._term(other)
        factor = self.factor * other.factor
        if self.result is None or other.result is None:
            known = self.result if self.result is not None else other.result
            return Term(self.program, factor, known if factor else None)
        return self._of(factor, self._times(self.result, other.result))

    def _times(self, left: int, right: int) -> Arg:
        """The product; with a quotient, as a quotient of the product where that saves work."""
        program = self.program
        for one, two in ((left, right), (right, left)):
            written = program.instruction(two)
            if written is not None and written[0] is DIV:
                over, under = written[1]
                if over == 1.0 and isinstance(over, float):
                    return program.emit(DIV, one, under)
                if program.known(DIV, one, under):
                    return program.emit(MUL, program.emit(DIV, one, under), over)
        return program.emit(MUL, left, right)

    def __truediv__(self, other: Term | float) -> Term:
        other = self._term(other)
        factor = self.factor / other.factor
        if other.result is None:
            return Term(self.program, factor, self.result)
        over = 1.0 if self.result is None else self.result
        return self._of(factor, self.program.emit(DIV, over, other.result))

    def __add__(self, other: Term | float) -> Term:
        other = self._term(other)
        if self.result == other.result:
            return Term(self.program, self.factor + other.factor, self.result)
        emit = self.program.emit
        if self.result is not None and other.result is not None:
            if self.factor == other.factor:
                return self._of(self.factor, emit(ADD, self.result, other.result))
            if self.factor == -other.factor:
                return self._of(self.factor, emit(SUB, self.result, other.result))
        for one, two in ((self, other), (other, self)):
            if one.result is not None and one.factor == -1:
                return self._of(1.0, emit(SUB, two.written(), one.result))
        return self._of(1.0, emit(ADD, self.written(), other.written()))

    def __neg__(self) -> Term:
        return Term(self.program, -self.factor, self.result)

    def __sub__(self, other: Term | float) -> Term:
        return self + -self._term(other)

    def __radd__(self, other: float) -> Term:
        return self._term(other) + self

    def __rsub__(self, other: float) -> Term:
        return self._term(other) - self

    def __rmul__(self, other: float) -> Term:
        return self._term(other) * self

    def __rtruediv__(self, other: float) -> Term:
        return self._term(other) / self

    def __pow__(self, other: Term | float) -> Term:
        exponent = self._term(other).written()
        if self.factor == -1 and isinstance(exponent, float) and exponent % 2 == 0:
            return (-self) ** exponent
        return self._of(1.0, self.program.power(self.written(), exponent))

    def __rpow__(self, other: float) -> Term:
        return self._term(other) ** self

    def __gt__(self, other: Term | float) -> Term:
        args = (self.written(), self._term(other).written())
        return self._of(1.0, self.program.emit(GT, *args))


def _meaning(operation: Operation) -> Callable[..., Any]:
    """What an operation is within a rule that runs on terms."""

    def apply(*args: Any) -> Any:
        first = next((arg for arg in args if isinstance(arg, Term)), None)
        if first is None:
            return operation.kernel(*map(float, args))
        if operation.native:
            return operation.kernel(*args)
        if operation is POW:
            return args[0] ** args[1]
        own = [first._term(arg).written() for arg in args]
        return first._of(1.0, first.program.emit(operation, *own))

    return apply


TERMS = Numbers(_meaning)
"""Terms as a number type: a rule that runs on them writes instructions."""
