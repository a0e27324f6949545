"""Tangents, Taylor polynomials, critical points and slopes of curves, worked out step by step.

    tangent(asked("x^2", at={"x": 3})).result           # "y = 6*x - 9"
    taylor(asked("exp(x)", order=3)).result             # "1 + x + 1/2*x^2 + 1/6*x^3"

These are the answers that `kinds` checks claims against, with the lines that lead to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import equations
from exprgrad.checking.kinds import kinds
from exprgrad.checking.kinds.critical import INFINITE, CriticalPoints, critical_points
from exprgrad.checking.kinds.inflection import inflection_points, variable
from exprgrad.checking.kinds.request import Request, leibniz, place_text
from exprgrad.errors import UsageError
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.derivatives import nowhere
from exprgrad.expressions.implicit import along_curve, slope
from exprgrad.expressions.stated import stated
from exprgrad.expressions.taylor import at_place, number, polynomial
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value
from exprgrad.notation.text import to_text
from exprgrad.proof.elementary import vanishes
from exprgrad.sweeps.ranges import DEFINED, everything, values
from exprgrad.symbolic.derivative import is_nowhere


class Worked(NamedTuple):
    """An answer, the steps that lead to it, and notes; `remarks` are about the answer, and follow it.

    `listed` says that the result is a list of sentences, which may be wrapped; `sides` are those of a formula that it is.
    """

    title: str
    steps: tuple[str, ...]
    result: str
    notes: tuple[str, ...] = ()
    more: Mapping[str, Any] = {}
    remarks: tuple[str, ...] = ()
    listed: bool = False
    sides: tuple[Value, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line; `title` is an older name of `expression`."""
        return {
            "title": self.title,
            "expression": self.title,
            "result": self.result,
            "steps": list(self.steps),
            "notes": [*self.notes, *self.remarks],
            **self.more,
        }


def asked(given: Any, **options: Any) -> Request:
    """A question without a claim."""
    own = {"own_order" if name == "order" else name: x for name, x in options.items()}
    return Request(given, "0", "", **own)


def tangent(request: Request) -> Worked:
    """The tangent to a graph, to the curve of an equation, or to one with a parameter."""
    f = request.graphed
    if f is None:
        return _along(kinds.tangent_line(request))
    names = request.names(f)
    place = request.place(names)
    # cbrt(x) at 0: `exists` would refuse it for want of a slope
    if len(names) == 1 and kinds.is_vertical(f, names[0], place):
        return _along(kinds.tangent_line(request))
    kinds.exists(f, place)
    # a tangent line, or the tangent plane where there are several variables
    at = ", ".join(to_text(place[name]) for name in names)
    inside = ", ".join(names)
    steps = [f"f({at}) = {to_text(number(at_place(f.root, place)))}"]
    for name in names:
        slope = derivative(f.root, name)
        sign = "f'" if len(names) == 1 else f"f_{name}"
        steps.append(f"{sign}({inside}) = {to_text(slope)}")
        steps.append(f"{sign}({at}) = {to_text(kinds.slope_at(f, name, place))}")
    y = _upward(names)
    found = kinds.linear(f, {name: place[name] for name in names})
    return _line(f"tangent to {f.title}", steps, y, found, f.notes)


def _upward(names: Sequence[str]) -> str:
    """The axis of the values of a function of these variables."""
    return next(name for name in ("y", "z", "w", "v", "u") if name not in names)


def normal(request: Request) -> Worked:
    """The line at right angles to the tangent, through the same point."""
    return _along(kinds.tangent_line(request).across)


def _along(line: kinds.Line) -> Worked:
    """A tangent, or a normal, to a curve."""
    x, y = line.names[0], line.names[1] or _upward(line.names)
    given = line.given if isinstance(line.given, tuple) else (line.given,)
    notes = tuple(note for expression in given for note in expression.notes)
    if line.slope is None:
        steps = (*line.steps, f"the {line.title.split()[0]} is vertical")
        return Worked(line.title, steps, f"{x} = {to_text(line.here[0])}", notes)
    m = f"d{y}/d{x}" if line.title.startswith("tangent") else "slope of the normal"
    steps = (*line.steps, f"{m} = {to_text(line.slope)} there")
    return _line(line.title, steps, y, line.formula, notes)


def _line(
    title: str, steps: Sequence[str], y: str, found: Value, notes: tuple[str, ...]
) -> Worked:
    """A line through its point, and as short as it gets."""
    line = simplify(found)
    whole, short = f"{y} = {to_text(found)}", f"{y} = {to_text(line)}"
    more = (whole,) if whole != short else ()
    return Worked(title, (*steps, *more), short, notes, sides=(Value(None, y), line))


def taylor(request: Request, terms: int | None = None) -> Worked:
    """The Taylor polynomial, with the derivatives that its coefficients are made of; with so many `terms` that are not 0."""
    f, x, place, order = kinds.expansion(request)
    at, before, values, steps, assumes = to_text(place), f.root, [], [], []
    for k, (root, here) in enumerate(kinds.derivatives_at(f, x, place, order)):
        name = "f" + "'" * k if k < 4 else f"f^({k})"
        if k:
            steps.append(f"{name}({x}) = {to_text(root)}")
            assumes.append((name, stated(before, root, (x,), [(before, x, root)])))
        before = root
        values.append(here)
        steps.append(f"{name}({at}) = {to_text(here)}")
        # sin(x) with 3 terms goes on to order 5; x^3 ends where its derivatives are 0
        count = sum(to_text(value) != "0" for value in values)
        if terms is not None and (count >= terms or (k and to_text(root) == "0")):
            break
    found = polynomial(kinds.taylor_coefficients(values), x, place)
    return Worked(
        f"Taylor polynomial of order {len(values) - 1} of {f.title}", tuple(steps), to_text(found), f.notes,
        {"assumes": [list(conditions) for _, conditions in assumes]},
        _holding((f"{name}({x})", conditions) for name, conditions in assumes), sides=(found,),
    )  # fmt: skip


def _holding(assumes: Iterable[tuple[str, Sequence[str]]]) -> tuple[str, ...]:
    """The remarks that say under which conditions formulas hold."""
    own = ((name, ", ".join(given)) for name, given in assumes if given)
    return tuple(f"the formula of {name} holds for {where}" for name, where in own)


def implicit(request: Request) -> Worked:
    """The slope of the curve of an equation."""
    equation, x, y = request.curve()
    order = max(1, request.order)
    steps = [f"F = {to_text(equation.root)}, which is 0 on the curve"]
    for name in (x, y):
        steps.append(f"∂F/∂{name} = {to_text(derivative(equation.root, name))}")
    for k in range(1, order):
        rule = f"-(∂F/∂{x})/(∂F/∂{y})" if k == 1 else f"d/d{x} of the last"
        along = to_text(along_curve(equation.root, x, y, k))
        steps.append(f"{leibniz(y, x, k)} = {rule} = {along}")
    if order == 1:
        steps.append(f"{leibniz(y, x, 1)} = -(∂F/∂{x})/(∂F/∂{y})")
    else:
        steps.append(f"d{y}/d{x} is put in for the slope of {y} each time")
    curve = slope(equation.root, x, y, order)
    name, found, assumes = leibniz(y, x, order), curve.formula, curve.assumptions()
    more: dict[str, Any] = {"assumes": list(assumes)}
    result = f"{name} = {to_text(found)}"
    if request.at is not None:
        place = request.place((x, y))
        kinds.on_curve(equation, place, request.title)
        value = number(at_place(found, place))
        # a vertical tangent has no slope, of which the formula makes 1/0
        is_lost = any(map(is_nowhere, topological(value)))
        more["value"] = None if is_lost else to_text(value)
        told = "has no value" if is_lost else f"= {to_text(value)}"
        result += f"\n  {told} at {place_text(place)}"
    remarks = _holding([(name, assumes)])
    return Worked(name, tuple(steps), result, equation.notes, more, remarks)


def jacobian(request: Request) -> Worked:
    """The partial derivatives of several expressions, a row for each."""
    rows = [request.expression(text) for text in equations.entries(request.given)]
    every = (n for row in rows for n in row.variables)
    names = request.wrt or tuple(dict.fromkeys(every))
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


def critical(request: Request) -> Worked:
    """The critical points with their kinds, and whether these are all."""
    f = request.function()
    found = critical_points(f, request.wrt)
    slopes = {name: derivative(f.root, name) for name in found.names}
    d = "∂f/∂" if len(slopes) > 1 else "d/d"
    steps = [f"{d}{name} = {to_text(slope)}" for name, slope in slopes.items()]
    constant = not found.points and all(map(vanishes, slopes.values()))
    return _points("critical point", found, steps, constant)


def inflections(request: Request) -> Worked:
    """The points of inflection, and whether these are all."""
    f = request.function()
    found = inflection_points(f, x := variable(request, f))
    slope = derivative(f.root, x)
    steps = [f"f'({x}) = {to_text(slope)}", f"f''({x}) = {to_text(derivative(slope, x))}"]  # fmt: skip
    return _points("inflection point", found, steps)


def _points(
    what: str, found: CriticalPoints, steps: Sequence[str], constant: bool = False
) -> Worked:
    """An answer that lists points; of a `constant` every point is critical."""
    lines = [", ".join(filter(None, (f"{p.text}: {KINDS[p.kind]}", p.side, "" if p.smooth else "without a slope", f"f = {p.value_text}"))) for p in found.points]  # fmt: skip
    if not found.points:
        # (x - y)^2 has critical points all along a line, so that "no critical point" would be false
        alone = "isolated " if found.left_out == INFINITE else ""
        lines = [f"no {alone}{what}{'' if found.complete else ' was found'}"]
    f = found.expression
    undefined = nowhere(f, {})
    notes: list[str] = [] if undefined is None else [undefined]
    if found.intervals:
        notes.append(f"the slope is 0 at {found.level}, too: each of these is a critical point")  # fmt: skip
    is_repeated = bool(found.periods and found.points)
    if constant:
        anywhere = dict.fromkeys(f.variables, everything())
        # 0*ln(x) is level, but only where ln has a value
        is_total = values(f.tape, anywhere, DEFINED) is not None
        lines = ["every point: the slope is 0 everywhere" if is_total else "every point where it has a value: the slope is 0 everywhere there"]  # fmt: skip
    elif is_repeated:
        those = "all" if found.complete else "those found"
        every = " and ".join(found.every)
        repeated = f"these are {those} in one period; they repeat every {every}"
        of_families = "; " if len(found.names) > 1 else ", "
        letters = " and ".join(found.letters.values())
        notes.append(f"{repeated}: {of_families.join(found.families)} for every whole number {letters}")  # fmt: skip
    if found.left_out:
        notes.append(found.left_out)
    elif not (found.complete or constant or is_repeated):
        notes.append(
            "could not find all, or could not show that these are all"
            if found.points
            else "could not show that there is none"
        )
    points = [
        # a coordinate of 1e-400 would be 0 in JSON
        {"at": {n: z.near if z.is_told else None for n, z in p.at.items()}}
        | {name: getattr(p, name) for name in ("text", "kind", "value", "value_text")}
        for p in found.points
    ]
    more = {"points": points, "complete": found.complete}
    if found.period is not None:
        more["period"] = to_text(found.period)
    if found.periods:
        more["families"] = list(found.families)
    steps = tuple(steps) if undefined is None else ()
    return Worked(f"{what}s of {f.title}", steps, "\n".join(lines), f.notes, more, tuple(notes), True)  # fmt: skip


KINDS = {
    "minimum": "local minimum",
    "maximum": "local maximum",
    "saddle": "saddle",
    "flat": "neither minimum nor maximum",
    "inflection": "inflection point",
    "undecided": "kind undecided",
}
"""The names of the kinds of points."""
