"""Quotients of polynomials in one variable, as elements of a field.

    field = RationalFunctions(Work(1000))
    real_zeros(field.read(parse("(x^2 - 2)/x").root, "x"), Work(1000))      # -sqrt(2), sqrt(2)
    field.of_half_angle(SIN, 1)                                             # 2*t/(1 + t^2) for t = tan(x/2)

What is no such quotient, or takes more than the work, raises `OutOfReachError`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from exprgrad.algebra.polynomials import (
    Factors,
    coefficients,
    generators,
    in_one,
    quotient,
)
from exprgrad.algebra.quotients import Element, Field
from exprgrad.algebra.roots import MOST_DEGREE, Root, real_roots
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import Any
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, is_variable
from exprgrad.operations import table
from exprgrad.operations.operation import Operation

HALF_ANGLE = {
    table.SIN: ("sine", "circle"),
    table.COS: ("cosine", "circle"),
    table.TAN: ("sine", "cosine"),
    table.COT: ("cosine", "sine"),
    table.SEC: ("circle", "cosine"),
    table.CSC: ("circle", "sine"),
}
"""Functions that are quotients of polynomials in the tangent of half an angle."""


class RationalFunctions(Field):
    """Quotients of polynomials in one variable, which is an atom."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.variable = self.atom("variable", "x")

    def read(
        self, root: Value, name: str, known: Mapping[Value, Element] | None = None
    ) -> Element:
        """A formula of one variable, some of its parts being known."""
        elements: dict[Value, Element] = dict(known or {})
        for item in topological(root, seen=set(elements)):
            if item.operation is None:
                elements[item] = self._leaf(item, name)
            elif item.operation in (
                table.NEG,
                table.ADD,
                table.SUB,
                table.MUL,
                table.DIV,
                table.POW,
            ):
                kernel: Any = (
                    pow if item.operation is table.POW else item.operation.kernel
                )
                elements[item] = kernel(*(elements[o] for o in item.operands))
            else:
                raise OutOfReachError
        return elements[root]

    def _leaf(self, item: Value, name: str) -> Element:
        if is_variable(item) and item.name == name:
            return self.of(self.variable)
        if isinstance(item, Constant) and item.ratio is not None:
            return self.element(Fraction(*item.ratio))
        raise OutOfReachError

    def of_half_angle(self, operation: Operation, multiple: int) -> Element:
        """sin, cos, tan, cot, sec or csc of so many times an angle, in the tangent t of half of that angle.

        cos(m*u) + i*sin(m*u) = (1 + i*t)^2m / (1 + t^2)^m.
        """
        size = abs(multiple)
        if 2 * size > MOST_DEGREE or operation not in HALF_ANGLE:
            raise OutOfReachError
        sign = 1 if multiple > 0 else -1
        row = [math.comb(2 * size, k) * (-1) ** (k // 2) for k in range(2 * size + 1)]
        known = {
            "cosine": [c if k % 2 == 0 else 0 for k, c in enumerate(row)],
            "sine": [sign * c if k % 2 else 0 for k, c in enumerate(row)],
            "circle": [
                math.comb(size, k // 2) if k % 2 == 0 else 0
                for k in range(2 * size + 1)
            ],
        }
        above, below = (
            self.polynomial(in_one(self.variable, known[part]))
            for part in HALF_ANGLE[operation]
        )
        return above / below


def vanishes_far_away(u: Element) -> bool:
    """Whether the limit of a quotient of polynomials at infinity is 0."""
    u.field.factor(u)
    sums = u.field.sums
    degrees = {a: len(coefficients(sums[a])) - 1 for a in u.factors if a in sums}
    return sum(e * degrees.get(a, 1) for a, e in u.factors.items()) < 0


def real_zeros(u: Element, work: Work) -> list[Root]:
    """The real numbers where a quotient of polynomials other than 0 is 0, and has no pole as it is written."""
    field = u.field
    field.factor(u)
    above: Factors = {a: 1 for a, e in u.factors.items() if e > 0}
    below: Factors = {a: 1 for a, e in u.factors.items() if e < 0}
    p, q = (field.expanded(field.monomial(1, own), {}) for own in (above, below))
    [x] = generators(p) or {-1}
    found = real_roots(coefficients(p), work)
    return [r for r in found if quotient(q, in_one(x, r.factor), work) is None]
