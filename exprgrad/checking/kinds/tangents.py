"""Tangents of curves: of a graph, of an equation, or of a pair with a parameter.

tangent_line(request).formula           6*x - 9, of x^2 at x = 3
tangent_line(request).slope             None where it is vertical
"""

from __future__ import annotations

from exprgrad.annotations import NamedTuple
from exprgrad.checking.kinds.request import Request
from exprgrad.checking.kinds.there import exists, on_curve, slope_at
from exprgrad.errors import UsageError
from exprgrad.expressions.confirm import derivative
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.taylor import at_place, number, polynomial
from exprgrad.graph.value import Value, node
from exprgrad.notation.text import to_text
from exprgrad.operations.table import DIV, NEG
from exprgrad.proof.identity import vanishes


class Line(NamedTuple):
    """The tangent at a place of what was given, through the point `here`; `names` are those of its coordinates.

    `steps` lead to the slope, which is None of a vertical line.
    """

    given: Expression | tuple[Expression, ...]
    title: str
    place: dict[str, Value]
    names: tuple[str, str]
    here: tuple[Value, Value]
    slope: Value | None
    steps: tuple[str, ...] = ()

    @property
    def formula(self) -> Value:
        """The line as y over x."""
        assert self.slope is not None
        return polynomial((self.here[1], self.slope), self.names[0], self.here[0])


def tangent_line(request: Request) -> Line:
    """The tangent that is asked for."""
    if request.parameter or request.is_pair:
        return line_by_parameter(request)
    f, y = request.graph()
    if f is None:
        return line_on_curve(request, y)
    x = request.variable(f, without=[request.of or ""])
    place = {x: request.place((x,))[x]}
    exists(f, place)
    y = request.of or ("y" if "y" not in f.variables else "")
    here = place[x], number(at_place(f.root, place))
    slope = slope_at(f, x, place)
    return Line(f, f"tangent to {f.title}", place, (x, y), here, slope)


def line_on_curve(request: Request, y: str) -> Line:
    """The tangent to the curve of an equation."""
    equation, x, _ = request.curve(y)
    place = request.place((x, y))
    on_curve(equation, place, request.title)
    exists(equation, place)
    steps, slopes = [f"F = {to_text(equation.root)}"], []
    for name in (x, y):
        slope = derivative(equation.root, name)
        slopes.append(number(at_place(slope, place)))
        steps.append(f"∂F/∂{name} = {to_text(slope)} = {to_text(slopes[-1])} there")
    along = slopes[1], node(NEG, (slopes[0],))
    here = place[x], place[y]
    title = f"tangent to {request.title}"
    return Line(equation, title, place, (x, y), here, _slope(*along), tuple(steps))


def line_by_parameter(request: Request) -> Line:
    """The tangent to the curve of a pair."""
    pair = request.pair()
    t = request.parameter or request.variable(*pair)
    place = request.place((t,))
    for part in pair:
        exists(part, place)
    given = request.wrt[0] if request.wrt and request.wrt[0] != t else "x"
    names = given, request.of or "y"
    steps, here, along = [], [], []
    for name, part in zip(names, pair, strict=True):
        slope = derivative(part.root, t)
        here.append(number(at_place(part.root, place)))
        along.append(slope_at(part, t, place))
        steps.append(f"{name}({to_text(place[t])}) = {to_text(here[-1])}")
        steps.append(f"d{name}/d{t} = {to_text(slope)} = {to_text(along[-1])} there")
    title = f"tangent to ({pair[0].title}, {pair[1].title})"
    point = here[0], here[1]
    return Line(pair, title, place, names, point, _slope(*along), tuple(steps))


def _slope(dx: Value, dy: Value) -> Value | None:
    """The slope of a direction; None of a vertical one."""
    if not vanishes(dx):
        return number(node(DIV, (dy, dx)))
    if vanishes(dy):
        raise UsageError("the curve has no direction at this point: both slopes are 0")
    return None
