"""Tangents, Taylor polynomials, critical points and slopes of curves, worked out step by step.

    tangent(asked("x^2", at={"x": 3})).result           # "y = 6*x - 9"
    taylor(asked("exp(x)", order=3)).result             # "1 + x + 1/2*x^2 + 1/6*x^3"

These are the answers that `kinds` checks claims against, with the lines that lead to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import equations
from exprgrad.checking.kinds.critical import (
    CriticalPoints,
    critical_points,
    interval_text,
)
from exprgrad.checking.kinds.kinds import (
    dependent,
    difference,
    leibniz,
    on_both,
    on_curve,
    point_on_curve,
)
from exprgrad.checking.kinds.request import (
    MOST,
    Options,
    Request,
    exists,
    linear,
    slope_at,
    taylor_coefficients,
)
from exprgrad.errors import UsageError
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.implicit import along_curve, slope
from exprgrad.expressions.stated import stated
from exprgrad.expressions.taylor import (
    at_place,
    number,
    polynomial,
)
from exprgrad.graph.value import Value, node
from exprgrad.notation.text import to_text
from exprgrad.operations.table import DIV, NEG
from exprgrad.proof.identity import vanishes


class Worked(NamedTuple):
    """An answer, the steps that lead to it, and notes; `remarks` are about the answer, and follow it.

    `listed` says that the result is a list of sentences, which may be wrapped.
    """

    title: str
    steps: tuple[str, ...]
    result: str
    notes: tuple[str, ...] = ()
    more: Mapping[str, Any] = {}
    remarks: tuple[str, ...] = ()
    listed: bool = False


def asked(given: Any, **options: Any) -> Request:
    """A question without a claim."""
    return Request(given, "0", Options("", **options))


def tangent(request: Request) -> Worked:
    """The tangent to a graph, to the curve of an equation, or to one with a parameter."""
    if request.options.parameter or _is_pair(request.given):
        return _tangent_by_parameter(request)
    f, y = request.graph()
    if f is None:
        return _tangent_on_curve(request, difference(*request.sides()), y)
    names = request.names(f)
    place = request.place(names)
    exists(f, place)
    return _plane(f, names, place)


def _is_pair(given: Any) -> bool:
    if isinstance(given, Expression):
        return False
    return not isinstance(given, str) or len(equations.entries(given)) == 2


def _plane(f: Expression, names: Sequence[str], place: Mapping[str, Value]) -> Worked:
    """A tangent line, or the tangent plane where there are several variables."""
    at = ", ".join(to_text(place[name]) for name in names)
    inside = ", ".join(names)
    steps = [f"f({at}) = {to_text(number(at_place(f.root, place)))}"]
    for name in names:
        slope = derivative(f.root, name)
        sign = "f'" if len(names) == 1 else f"f_{name}"
        steps.append(f"{sign}({inside}) = {to_text(slope)}")
        steps.append(f"{sign}({at}) = {to_text(slope_at(f, name, place))}")
    y = next(name for name in ("y", "z", "w", "v", "u") if name not in names)
    found = linear(f, {name: place[name] for name in names})
    return _line(f"tangent to {f.title}", steps, y, found, f.notes)


def _line(
    title: str, steps: Sequence[str], y: str, found: Value, notes: tuple[str, ...]
) -> Worked:
    """A line through its point, and as short as it gets."""
    whole, short = f"{y} = {to_text(found)}", f"{y} = {to_text(simplify(found))}"
    more = (whole,) if whole != short else ()
    return Worked(title, (*steps, *more), short, notes)


def _tangent_on_curve(request: Request, equation: Expression, y: str) -> Worked:
    x, place, title = point_on_curve(request, equation, y)
    steps, along = [], []
    for name in (x, y):
        slope = derivative(equation.root, name)
        along.append(number(at_place(slope, place)))
        steps.append(f"∂F/∂{name} = {to_text(slope)} = {to_text(along[-1])} there")
    steps.insert(0, f"F = {to_text(equation.root)}")
    title = f"tangent to {title}"
    return _through(title, steps, (x, y), (place[x], place[y]), (along[1], node(NEG, (along[0],))), equation.notes)  # fmt: skip


def _tangent_by_parameter(request: Request) -> Worked:
    pair = request.pair()
    t = request.options.parameter or request.variable(*pair)
    place = request.place((t,))
    here, along, steps = [], [], []
    for name, part in zip(("x", "y"), pair, strict=True):
        exists(part, place)
        slope = derivative(part.root, t)
        here.append(number(at_place(part.root, place)))
        along.append(slope_at(part, t, place))
        at = to_text(place[t])
        steps.append(f"{name}({at}) = {to_text(here[-1])}")
        steps.append(f"d{name}/d{t} = {to_text(slope)} = {to_text(along[-1])} there")
    title = f"tangent to ({pair[0].title}, {pair[1].title})"
    notes = (*pair[0].notes, *pair[1].notes)
    return _through(title, steps, ("x", "y"), (here[0], here[1]), (along[0], along[1]), notes)  # fmt: skip


def _through(
    title: str,
    steps: Sequence[str],
    names: tuple[str, str],
    here: tuple[Value, Value],
    along: tuple[Value, Value],
    notes: tuple[str, ...],
) -> Worked:
    """A line through a point in a direction."""
    (x, y), (dx, dy) = names, along
    if vanishes(dx):
        if vanishes(dy):
            raise UsageError(
                "the curve has no direction at this point: both slopes are 0"
            )
        return Worked(
            title,
            (*steps, "the tangent is vertical"),
            f"{x} = {to_text(here[0])}",
            notes,
        )
    slope = number(node(DIV, (dy, dx)))
    more = f"d{y}/d{x} = {to_text(slope)} there"
    return _line(
        title, (*steps, more), y, polynomial((here[1], slope), x, here[0]), notes
    )


def taylor(request: Request) -> Worked:
    """The Taylor polynomial, with the derivatives that its coefficients are made of."""
    f = request.function()
    x = request.variable(f)
    place = request.place((x,), default=0)
    exists(f, place)
    order = 2 if request.options.order is None else request.order
    at, root, steps, assumes = to_text(place[x]), f.root, [], []
    for k in range(order + 1):
        name = "f" + "'" * k if k < 4 else f"f^({k})"
        if k:
            before, root = root, derivative(root, x, most=MOST)
            steps.append(f"{name}({x}) = {to_text(root)}")
            assumes.append((name, stated(before, root, (x,), [(before, x, root)])))
        here = slope_at(f, x, place, k, root) if k else number(at_place(root, place))
        steps.append(f"{name}({at}) = {to_text(here)}")
    found = polynomial(taylor_coefficients(f, x, place[x], order), x, place[x])
    return Worked(
        f"Taylor polynomial of order {order} of {f.title}", tuple(steps), to_text(found), f.notes,
        {"assumes": [list(conditions) for _, conditions in assumes]},
        _holding((f"{name}({x})", conditions) for name, conditions in assumes),
    )  # fmt: skip


def _holding(assumes: Iterable[tuple[str, Sequence[str]]]) -> tuple[str, ...]:
    """The remarks that say under which conditions formulas hold."""
    return tuple(
        f"the formula of {name} holds for {', '.join(own)}"
        for name, own in assumes
        if own
    )


def implicit(request: Request) -> Worked:
    """The slope of the curve of an equation."""
    left, right = request.sides()
    equation = difference(left, right)
    y = request.options.of or dependent(request, equation)
    x = request.variable(equation, without=[y])
    on_both(equation, x, y)
    order = max(1, request.order)
    steps = [f"F = {to_text(equation.root)}, which is 0 on the curve"]
    for name in (x, y):
        steps.append(f"∂F/∂{name} = {to_text(derivative(equation.root, name))}")
    for k in range(1, order):
        rule = f"-(∂F/∂{x})/(∂F/∂{y})" if k == 1 else f"d/d{x} of the last"
        steps.append(
            f"{leibniz(y, x, k)} = {rule} = {to_text(along_curve(equation.root, x, y, k))}"
        )
    if order == 1:
        steps.append(f"{leibniz(y, x, 1)} = -(∂F/∂{x})/(∂F/∂{y})")
    else:
        steps.append(f"d{y}/d{x} is put in for the slope of {y} each time")
    curve = slope(equation.root, x, y, order)
    name, found, assumes = leibniz(y, x, order), curve.formula, curve.assumptions()
    more: dict[str, Any] = {"assumes": list(assumes)}
    result = f"{name} = {to_text(found)}"
    if request.options.at is not None:
        place = request.place((x, y))
        title = " ".join(request.given.split())
        on_curve(equation, place, title)
        value = number(at_place(found, place))
        where = ", ".join(f"{n} = {to_text(v)}" for n, v in place.items())
        result += f"\n  = {to_text(value)} at {where}"
        more["value"] = to_text(value)
    remarks = _holding([(name, assumes)])
    return Worked(name, tuple(steps), result, equation.notes, more, remarks)


def jacobian(request: Request) -> Worked:
    """The partial derivatives of several expressions, a row for each."""
    rows = [request.expression(text) for text in equations.entries(request.given)]
    names = request.wrt or tuple(
        dict.fromkeys(n for row in rows for n in row.variables)
    )
    if not names:
        raise UsageError("the expressions have no variable")
    formulas = [[row.derivative(name) for name in names] for row in rows]
    matrix = [list(map(str, own)) for own in formulas]
    assumes = [[list(f.assumptions) for f in own] for own in formulas]
    lines = tuple(f"[{', '.join(own)}]" for own in matrix)
    remarks = _holding(
        (f"∂({row.title})/∂{name}", conditions)
        for row, own in zip(rows, assumes, strict=True)
        for name, conditions in zip(names, own, strict=True)
    )
    notes = tuple(note for row in rows for note in row.notes)
    title = f"∂({', '.join(row.title for row in rows)})/∂({', '.join(names)})"
    more = {"jacobian": matrix, "wrt": list(names), "assumes": assumes}
    return Worked(title, (), "\n".join(lines), notes, more, remarks)


def critical(request: Request) -> tuple[Worked, CriticalPoints]:
    """The critical points with their kinds, and whether these are all."""
    f = request.function()
    found = critical_points(f, request.wrt)
    several = len(found.names) > 1
    steps = [
        f"{'∂f/∂' if several else 'd/d'}{name} = {to_text(derivative(f.root, name))}"
        for name in found.names
    ]
    lines = [f"{point.text}: {KINDS[point.kind]}{'' if point.smooth else ', without a slope'}, f = {point.value_text}" for point in found.points]  # fmt: skip
    if not found.points:
        lines = ["no critical point" + ("" if found.complete else " was found")]
    notes: list[str] = []
    level = [interval_text(found.names[0], ends) for ends in found.intervals]
    if level:
        notes.append(
            f"the slope is 0 at {', '.join(level)}, too: each of these is a critical point"
        )
    constant = all(vanishes(derivative(f.root, name)) for name in found.names)
    if constant and not found.points:
        notes.clear()
        lines = ["every point: the slope is 0 everywhere"]
    elif found.period is not None and found.points:
        those = "all" if found.complete else "those found"
        repeated = f"these are {those} in one period; they repeat every {to_text(found.period)}"
        notes.append(f"{repeated}: {', '.join(found.families)} for every whole number")
    elif not found.complete:
        notes.append(
            "could not find all, or could not show that these are all"
            if found.points
            else "could not show that there is none"
        )
    points = [
        {
            "at": {n: z.near if z.is_told else None for n, z in p.at.items()},
            "text": p.text,
            "kind": p.kind,
            "value": p.value,
            "value_text": p.value_text,
        }
        for p in found.points
    ]
    more = {"points": points, "complete": found.complete}
    if found.period is not None:
        more["period"] = to_text(found.period)
        more["families"] = list(found.families)
    return Worked(f"critical points of {f.title}", tuple(steps), "\n".join(lines), f.notes, more, tuple(notes), True), found  # fmt: skip


KINDS = {
    "minimum": "local minimum",
    "maximum": "local maximum",
    "saddle": "saddle",
    "flat": "neither minimum nor maximum",
    "undecided": "kind undecided",
}
"""What the kinds of critical points are called."""
