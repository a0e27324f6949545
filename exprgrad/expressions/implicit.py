"""Derivatives along a curve: y' where an equation or a parameter makes y a function of x.

    along_curve(F, "x", "y")              dy/dx on the curve F(x, y) = 0:  -F_x / F_y
    by_parameter((x, y), "t")             dy/dx of the curve (x(t), y(t)):  y'(t) / x'(t)

Higher orders differentiate along the curve again: with D = d/dx + y' * d/dy for an equation, and
(d/dt) / x'(t) for a parameter. The formulas hold where they have a value: F_y and x'(t) are not 0.
"""

from __future__ import annotations

from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.graph.value import Value, node
from exprgrad.operations.table import ADD, DIV, MUL, NEG


def along_curve(equation: Value, x: str, y: str, order: int = 1) -> Value:
    """The derivative of y with respect to x, in x and y, on the curve where `equation` is 0."""
    by_x, by_y = derivative(equation, x), derivative(equation, y)
    slope = simplify(node(NEG, (node(DIV, (by_x, by_y)),)))
    found = slope
    for _ in range(order - 1):
        turned = node(MUL, (derivative(found, y, most=MOST), slope))
        found = simplify(node(ADD, (derivative(found, x, most=MOST), turned)))
    return found


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
