"""Functions and curves at a place: their values and slopes there, their tangents, and whether it is on a curve.

tangent_line(request).formula           6*x - 9, of x^2 at x = 3
tangent_line(request).slope             None where it is vertical
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction

from exprgrad.annotations import NamedTuple
from exprgrad.checking.judging import point_text
from exprgrad.checking.kinds.real_roots import fraction
from exprgrad.checking.kinds.request import Request, place_text
from exprgrad.errors import (
    ExprgradError,
    NotDifferentiableError,
    UndecidedError,
    UsageError,
)
from exprgrad.expressions.confirm import derivative
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.higher_orders import orders
from exprgrad.expressions.taylor import (
    at_place,
    has_variables,
    linearization,
    number,
    polynomial,
)
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, node
from exprgrad.notation.text import to_text
from exprgrad.operations.table import DIV, NEG
from exprgrad.proof.identity import vanishes
from exprgrad.sweeps.precise import Probe
from exprgrad.symbolic.derivative import is_nowhere


def expansion(request: Request) -> tuple[Expression, str, Value, int]:
    """The function that is expanded, its variable, the place and the order."""
    f = request.function()
    x = request.variable(f)
    place = request.place((x,), default=0)
    exists(f, place)
    return f, x, place[x], 2 if request.own_order is None else request.order


def exists(
    expression: Expression, place: Mapping[str, Value], slopes: bool = True
) -> None:
    """Raise an error where the expression has no value at a place, or a slope is missing there."""
    own = {name: place[name] for name in expression.variables if name in place}
    if len(own) < len(expression.variables) or any(map(has_variables, own.values())):
        return
    found = expression.evaluate(own, tuple(own) if slopes else ())
    for corner in found.corners:
        known = found.known(corner.variable)
        slope = (
            f"a derivative with respect to {corner.variable} at {point_text(found.at)}"
        )
        message = f"there is no {slope[2:]}"
        kind: type[ExprgradError] = NotDifferentiableError
        if corner.kind == "undetermined":
            message, kind = f"could not decide whether there is {slope}", UndecidedError
        elif known.value is not None or known.middle is not None:
            continue
        raise kind(message, corner.span, source=expression.source)


def slope_at(
    f: Expression,
    name: str,
    place: Mapping[str, Value],
    order: int = 1,
    root: Value | None = None,
) -> Value:
    """A derivative at a place: the value of its formula, or what both sides say where that does not hold.

    The formula of order 1 need not be given as `root`. Raises `NotDifferentiableError` where there is none, `UndecidedError` where it is not known exactly.
    """
    root = derivative(f.root, name) if root is None else root
    formula = number(at_place(root, place))
    own = {n: place[n] for n in f.variables if n in place}
    if len(own) < len(f.variables) or any(map(has_variables, own.values())):
        return formula
    if name not in own:
        return formula
    is_lost = any(map(is_nowhere, topological(formula)))
    if not is_lost and not f.evaluate(own, (name,)).cornered:
        return formula
    found = orders(f, own, name, order)
    known = found.numbers[order]
    if found.problem is not None and known.value is None:
        raise found.problem
    if known.value is not None:
        with suppress(ExprgradError):
            by_rule = Expression.of(formula).evaluate({}, ()).known()
            room = known.error + by_rule.error + 1e-14 * abs(known.value)
            if by_rule.value is not None and abs(by_rule.value - known.value) <= room:
                return formula
        simple = Fraction(known.value).limit_denominator(SIMPLE)
        if abs(simple - Fraction(known.value)) <= Fraction(known.error):
            return fraction(simple)
    raise UndecidedError(
        f"could not find the derivative of order {order} with respect to {name} exactly"
        f" at {point_text(found.evaluation.at)}, where its formula does not hold",
        source=f.source,
    )


SIMPLE = 1000
"""The largest denominator of a derivative that is known by its bound."""

MOST = 2000
"""Operations of a formula that is differentiated once more."""


def linear(f: Expression, place: Mapping[str, Value]) -> Value:
    """The value and the slopes at a place, as a polynomial of order 1."""
    return linearization(
        f.root, {n: (at, slope_at(f, n, place)) for n, at in place.items()}
    )


def derivatives_at(
    f: Expression, name: str, at: Value, order: int
) -> Iterator[tuple[Value, Value]]:
    """The derivatives up to an order, the function first: each as a formula, and its value at a place."""
    root = f.root
    yield root, number(at_place(root, {name: at}))
    for k in range(1, order + 1):
        root = derivative(root, name, most=MOST)
        yield root, slope_at(f, name, {name: at}, k, root)


def taylor_coefficients(values: Iterable[Value]) -> list[Value]:
    """f^(k)(a)/k! for the values of the derivatives at a."""
    return [
        number(node(DIV, (here, Constant(math.factorial(k))))) if k > 1 else here
        for k, here in enumerate(values)
    ]


def on_curve(equation: Expression, place: Mapping[str, Value], title: str) -> None:
    """Raise `UsageError` for a point that is not on the curve."""
    there = at_place(equation.root, place)
    if has_variables(there) or vanishes(there):
        return
    look = Probe(Expression.of(there).tape).precise({}, 60)
    if look.value is None:
        raise UsageError(f"the equation has no value at {place_text(place)}")
    if abs(look.value) > 10.0**-45:
        raise UsageError(
            f"the point {place_text(place)} is not on {title}",
            hint=f"there the two sides differ by {float(look.value):.6g}",
        )


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
