"""Derivatives along a curve: y' where an equation or a parameter makes y a function of x.

    along_curve(F, "x", "y")              dy/dx on the curve F(x, y) = 0:  -F_x / F_y
    by_parameter((x, y), "t")             dy/dx of the curve (x(t), y(t)):  y'(t) / x'(t)

Higher orders differentiate along the curve again: with D = d/dx + y' * d/dy for an equation, and
(d/dt) / x'(t) for a parameter. The formulas hold where they have a value: F_y and x'(t) are not 0.
"""

from __future__ import annotations

from exprgrad.annotations import NamedTuple
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.stated import Step, stated
from exprgrad.graph.value import Value, node
from exprgrad.operations.table import ADD, DIV, MUL, NEG


class Slope(NamedTuple):
    """A derivative along a curve, and the partial derivatives that it is made of."""

    formula: Value
    partials: tuple[Step, ...]

    def assumptions(self) -> tuple[str, ...]:
        """Return the conditions under which the formulas of the partial derivatives are these."""
        found: dict[str, None] = {}
        for before, name, after in self.partials:
            own = stated(before, after, (name or "",), [(before, name, after)])
            found |= dict.fromkeys(own)
        return tuple(found)


def along_curve(equation: Value, x: str, y: str, order: int = 1) -> Value:
    """The derivative of y with respect to x, in x and y, on the curve where `equation` is 0."""
    return slope(equation, x, y, order).formula


def slope(equation: Value, x: str, y: str, order: int = 1) -> Slope:
    """Return the same with the partial derivatives that it is made of."""
    by_x, by_y = derivative(equation, x), derivative(equation, y)
    partials = [(equation, x, by_x), (equation, y, by_y)]
    # By the implicit function theorem: along the curve F is constant, so that F_x + F_y y' = 0.
    first = simplify(node(NEG, (node(DIV, (by_x, by_y)),)))
    found = first
    for _ in range(order - 1):
        by_x, by_y = (derivative(found, name, most=MOST) for name in (x, y))
        partials += [(found, x, by_x), (found, y, by_y)]
        # By the chain rule, g(x, y(x)) has the derivative g_x + g_y y'.
        found = simplify(node(ADD, (by_x, node(MUL, (by_y, first)))))
    return Slope(found, tuple(partials))


def by_parameter(pair: tuple[Value, Value], parameter: str, order: int = 1) -> Value:
    """The derivative of the second of a pair with respect to the first, in the parameter."""
    x, found = pair
    speed = derivative(x, parameter)
    for _ in range(order):
        turned = derivative(found, parameter, most=MOST)
        found = simplify(node(DIV, (turned, speed)))
    return found


MOST = 2000
"""Operations of a formula that is differentiated along a curve once more."""
