"""Quotients of polynomials in one variable, over FLINT.

    rational_function(parse("(x^2 - 2)/x").root, "x").zeros(Work(1000))     # -sqrt(2), sqrt(2)
    of_half_angle(SIN, 1)                                                   # 2*t/(1 + t^2) for t = tan(x/2)

What is no such quotient, or too large for `MOST_DEGREE` and `MOST_BITS`, raises `OutOfReachError`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from exprgrad.algebra.roots import MOST_BITS, MOST_DEGREE, Root, real_roots
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import Any
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, is_variable
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import (
    ADD,
    COS,
    COT,
    CSC,
    DIV,
    MUL,
    NEG,
    POW,
    SEC,
    SIN,
    SUB,
    TAN,
)


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
        common = self.below.gcd(other.below)
        own, others = self.below // common, other.below // common
        return RationalFunction(
            self.above * others + other.above * own, self.below * others
        )

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
    def vanishes_far_away(self) -> bool:
        """Whether the limit at infinity is 0."""
        return bool(self.above.degree() < self.below.degree())

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


def of_half_angle(operation: Operation, multiple: int) -> RationalFunction:
    """sin, cos, tan, cot, sec or csc of so many times an angle, in the tangent t of half of that angle.

    cos(m*u) + i*sin(m*u) = (1 + i*t)^2m / (1 + t^2)^m.
    """
    size = abs(multiple)
    if 2 * size > MOST_DEGREE:
        raise OutOfReachError
    signs = (1, 1, -1, -1)
    row = [math.comb(2 * size, k) * signs[k % 4] for k in range(2 * size + 1)]
    cosine = [c if k % 2 == 0 else 0 for k, c in enumerate(row)]
    sine = [0 if k % 2 == 0 else c if multiple > 0 else -c for k, c in enumerate(row)]
    circle = [math.comb(size, k // 2) if k % 2 == 0 else 0 for k in range(2 * size + 1)]
    known = {"sin": sine, "cos": cosine, "one": circle}
    if operation not in HALF_ANGLE:
        raise OutOfReachError
    above, below = (
        RationalFunction.polynomial(known[part]) for part in HALF_ANGLE[operation]
    )
    return above / below


HALF_ANGLE = {
    SIN: ("sin", "one"),
    COS: ("cos", "one"),
    TAN: ("sin", "cos"),
    COT: ("cos", "sin"),
    SEC: ("one", "cos"),
    CSC: ("one", "sin"),
}
"""Functions that are quotients of polynomials in the tangent of half an angle, as quotients of what has the same divisor."""


def rational_function(
    root: Value, name: str, atoms: Mapping[Value, RationalFunction] | None = None
) -> RationalFunction:
    """A formula of one variable as a quotient of polynomials, some of its parts being known as such."""
    known: dict[Value, RationalFunction] = dict(atoms or {})
    for item in topological(root, seen=set(known)):
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
