"""Quotients of polynomials in one variable, over FLINT.

    rational_function(parse("(x^2 - 2)/x").root, "x").zeros(Work(1000))     # -sqrt(2), sqrt(2)

What is no such quotient, or too large for `MOST_DEGREE` and `MOST_BITS`, raises `OutOfReachError`.
"""

from __future__ import annotations

from collections.abc import Sequence

from exprgrad.algebra.polynomials import OutOfReachError, Work
from exprgrad.algebra.roots import MOST_BITS, MOST_DEGREE, Root, real_roots
from exprgrad.annotations import Any
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, is_variable
from exprgrad.operations.table import ADD, DIV, MUL, NEG, POW, SUB


class RationalFunction:
    """above/below, two polynomials of FLINT with rational coefficients; they may have common factors."""

    __slots__ = ("above", "below")

    def __init__(self, above: Any, below: Any) -> None:
        if not below or any(map(_is_large, (above, below))):
            raise OutOfReachError
        self.above, self.below = above, below

    @classmethod
    def polynomial(cls, coefficients: Sequence[Any]) -> RationalFunction:
        """A polynomial with these coefficients, the lowest power first."""
        from flint import fmpq_poly

        return cls(fmpq_poly(coefficients), fmpq_poly([1]))

    def __add__(self, other: RationalFunction) -> RationalFunction:
        if self.below == other.below:
            return RationalFunction(self.above + other.above, self.below)
        above = self.above * other.below + other.above * self.below
        return RationalFunction(above, self.below * other.below)

    def __neg__(self) -> RationalFunction:
        return RationalFunction(-self.above, self.below)

    def __sub__(self, other: RationalFunction) -> RationalFunction:
        return self + -other

    def __mul__(self, other: RationalFunction) -> RationalFunction:
        return RationalFunction(self.above * other.above, self.below * other.below)

    def __truediv__(self, other: RationalFunction) -> RationalFunction:
        return RationalFunction(self.above * other.below, self.below * other.above)

    def __pow__(self, other: RationalFunction) -> RationalFunction:
        number = other.constant
        if number is None or number.q != 1:
            raise OutOfReachError
        exponent = abs(int(number))
        for p in (self.above, self.below):
            if p.degree() * exponent > MOST_DEGREE or _bits(p) * exponent > MOST_BITS:
                raise OutOfReachError
        parts = self.above**exponent, self.below**exponent
        return RationalFunction(*(parts if number >= 0 else parts[::-1]))

    @property
    def constant(self) -> Any:
        """The number of FLINT that this is; None where it depends on the variable."""
        if max(self.above.degree(), self.below.degree()) > 0:
            return None
        return self.above[0] / self.below[0]

    @property
    def parts(self) -> tuple[RationalFunction, RationalFunction]:
        """The numerator and the denominator."""
        one = RationalFunction.polynomial([1]).above
        return RationalFunction(self.above, one), RationalFunction(self.below, one)

    def zeros(self, work: Work) -> list[Root]:
        """The real numbers with the value 0; there is none at common roots of both polynomials."""
        from flint import fmpz_poly

        found = real_roots([int(c) for c in self.above.numer()], work)
        return [root for root in found if self.below % fmpz_poly(list(root.factor))]


def _bits(p: Any) -> int:
    """Bits of the longest coefficient, over a common denominator, and of that."""
    return int(p.numer().height_bits()) + int(p.denom()).bit_length()


def _is_large(p: Any) -> bool:
    return p.degree() > MOST_DEGREE or _bits(p) > MOST_BITS


def rational_function(root: Value, name: str) -> RationalFunction:
    """A formula of one variable as a quotient of polynomials."""
    known: dict[Value, RationalFunction] = {}
    for item in topological(root):
        operands = [known[operand] for operand in item.operands]
        if item.operation is None:
            known[item] = _leaf(item, name)
        elif item.operation is POW:
            known[item] = operands[0] ** operands[1]
        elif item.operation in (NEG, ADD, SUB, MUL, DIV):
            kernel: Any = item.operation.kernel
            known[item] = kernel(*operands)
        else:
            raise OutOfReachError
    return known[root]


def _leaf(item: Value, name: str) -> RationalFunction:
    from flint import fmpq

    if is_variable(item) and item.name == name:
        return RationalFunction.polynomial([0, 1])
    if isinstance(item, Constant) and item.ratio is not None:
        return RationalFunction.polynomial([fmpq(*item.ratio)])
    raise OutOfReachError
