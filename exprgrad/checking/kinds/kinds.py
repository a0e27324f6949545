"""Answers of other kinds than one derivative: an antiderivative, a slope of a curve, a tangent, several partials, ...

    tangent(Request("x^2", "y = 6x - 9", "tangent", at={"x": 3})).parts         # the line compared with 6x - 9

Each question is one comparison or several, which `judging.decided` decides about; `rows` says how it is asked.

Functions and curves at a place: their values and slopes there, their tangents, and whether it is on a curve.

tangent_line(request).formula           6*x - 9, of x^2 at x = 3
tangent_line(request).slope             None where it is vertical
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from operator import truediv

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import agreement, domain, equations, names
from exprgrad.checking.derivatives import with_rates
from exprgrad.checking.judging import (
    CORRECT,
    INCORRECT,
    PARTLY,
    UNDECIDED,
    Comparison,
    Explanation,
    Posed,
    Verdict,
    judged,
    point_text,
)
from exprgrad.checking.kinds.critical import critical_points
from exprgrad.checking.kinds.curves import Curve
from exprgrad.checking.kinds.real_roots import Search, fraction
from exprgrad.checking.kinds.request import (
    Request,
    difference,
    is_list,
    leibniz,
    place_text,
    uneven,
)
from exprgrad.checking.mistakes import whole_answer
from exprgrad.checking.mistakes.diagnosis import diagnose, telling_points
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.checking.mistakes.whole_answer import SIGN, Rewriting, quantity
from exprgrad.checking.points import Places, Point, Trail
from exprgrad.checking.question import Question
from exprgrad.checking.right_pieces import where_right
from exprgrad.errors import (
    DomainError,
    ExprgradError,
    NotDifferentiableError,
    RangeError,
    UndecidedError,
    UsageError,
)
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.fields import operator
from exprgrad.expressions.higher_orders import directional as slope_along
from exprgrad.expressions.higher_orders import orders
from exprgrad.expressions.implicit import along_curve, by_parameter
from exprgrad.expressions.implicit import slope as slope_of_curve
from exprgrad.expressions.missing import missing
from exprgrad.expressions.taylor import (
    Place,
    added,
    at_place,
    distance,
    has_variables,
    number,
    polynomial,
)
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Constant, Value, as_value, is_variable, node
from exprgrad.language.brackets import parted
from exprgrad.language.parser import Reading
from exprgrad.language.products import letters
from exprgrad.notation.text import to_text
from exprgrad.operations.table import DIV, MUL, NEG, POW, SQRT, SUB
from exprgrad.proof.elementary import vanishes
from exprgrad.sweeps.corners import OPEN
from exprgrad.sweeps.precise import Probe
from exprgrad.sweeps.ranges import everything, values
from exprgrad.symbolic.derivative import MOST_OPERATIONS, is_nowhere
from exprgrad.symbolic.derivative import tangent as slope_formula


def expansion(request: Request) -> tuple[Expression, str, Value, int]:
    """The function that is expanded, its variable, the place and the order."""
    f = request.function()
    x = request.variable(f)
    place = request.place((x,), default=0)
    exists(f, place)
    return f, x, place[x], 2 if request.own_order is None else request.order


def exists(expression: Expression, place: Mapping[str, Value]) -> None:
    """Raise an error where the expression has no value at a place, or a slope is missing there."""
    own = _numbers(expression, place)
    if own is None:
        return
    found = expression.evaluate(own, tuple(own))
    for corner in found.corners:
        if not found.known(corner.variable).is_number:
            slope = f"derivative with respect to {corner.variable} at {point_text(found.at)}"  # fmt: skip
            raise missing(f"there is a {slope}", f"there is no {slope}", expression.source, corner=corner)  # fmt: skip


def _numbers(f: Expression, place: Mapping[str, Value]) -> dict[str, Value] | None:
    """The numbers that a place gives the variables of a function; None where one has none, or a letter."""
    own = {name: place[name] for name in f.variables if name in place}
    is_whole = len(own) == len(f.variables)
    return own if is_whole and not any(map(has_variables, own.values())) else None


def slope_at(
    f: Expression,
    name: str,
    place: Mapping[str, Value],
    order: int = 1,
    root: Value | None = None,
) -> Value:
    """A derivative at a place: the value of its formula, or what both sides say where that does not hold.

    The formula of order 1 need not be given as `root`. Raises `NotDifferentiableError` where there is none,
    `UndecidedError` where it is not known exactly.
    """
    root = derivative(f.root, name) if root is None else root
    formula = number(at_place(root, place))
    own = _numbers(f, place)
    if own is None or name not in own:
        return formula
    is_lost = any(map(is_nowhere, topological(formula)))
    if not is_lost and not f.evaluate(own, (name,)).cornered:
        return formula
    found = orders(f, own, name, order)
    known = found.numbers[order]
    if found.problem is not None and known.value is None:
        raise found.problem
    if known.value is not None:
        # a formula that is right at a corner all the same is preferred: it is exact, the bound is not
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
    several = [dict.fromkeys(place, 1), {n: (-1) ** i for i, n in enumerate(place)}]
    if (way := _off_slopes(f, place, several if len(place) > 1 else ())) is not None:
        told = f"{f.title} is not differentiable at {place_text(place)}: its slope along {way} is not what the partial derivatives give"
        raise NotDifferentiableError(told, source=f.source)
    slopes = [(slope_at(f, n, place), distance(n, at)) for n, at in place.items()]
    return added([(number(at_place(f.root, place)), None), *slopes])


def _off_slopes(
    f: Expression, place: Place, ways: Sequence[Mapping[str, Any]]
) -> str | None:
    """The first direction in which a function has another slope than its partial derivatives tell, or none."""
    at = _numbers(f, place)
    if at and any(map(_is_bent, topological(f.root))):
        partials = f.evaluate(at, tuple(at)).gradient or {}
        for way in ways:
            slope = slope_along(f, at, way).slope
            if slope.status == OPEN.status:
                told = "whether the function is differentiable there was not decided"
                raise UndecidedError(told, source=f.source)
            parts = {n: float(t) if isinstance(t, int) else Expression.of(t)() for n, t in way.items()}  # fmt: skip
            due = sum((partials[n] or 0.0) * t for n, t in parts.items())
            off = 0.0 if slope.is_number else math.inf
            # beyond the range of doubles there is nothing to compare
            off = off if slope.value is None else abs(slope.value - due)
            if off > 1e-9 * (1 + abs(due)):
                return f"({', '.join(f'{t:.10g}' for t in parts.values())})"
    return None


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
    # a point that cannot be proved to be on the curve is taken for one if 60 digits do not tell, less 15 for rounding
    if abs(look.value) > 10.0**-45:
        hint = f"there the two sides differ by {float(look.value):.6g}"
        raise UsageError(f"the point {place_text(place)} is not on {title}", hint=hint)


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

    @property
    def across(self) -> Line:
        """Return the normal to the curve at the same point."""
        told = "the tangent is vertical"
        slope: Value | None = Constant(0.0)
        if self.slope is not None:
            turned = node(DIV, (Constant(-1.0), self.slope))
            slope = None if vanishes(self.slope) else number(turned)
            told = f"the tangent has the slope {to_text(self.slope)}"
        return self._replace(title=self.title.replace("tangent", "normal", 1), slope=slope, steps=(*self.steps, told))  # fmt: skip


def tangent_line(request: Request) -> Line:
    """The tangent that is asked for."""
    if request.parameter or request.is_pair:
        return line_by_parameter(request)
    f, y = request.graph()
    if f is None:
        return line_on_curve(request, y)
    if len(request.names(f)) > 1:
        hint = "give an equation or a function of one variable"
        raise UsageError("only a curve has a normal line", hint=hint)
    x = request.variable(f, without=[request.of or ""])
    place = {x: request.place((x,))[x]}
    vertical = is_vertical(f, x, place)
    if not vertical:
        exists(f, place)
    y = request.of or ("y" if "y" not in f.variables else "")
    here = place[x], number(at_place(f.root, place))
    slope = None if vertical else slope_at(f, x, place)
    steps = (f"f({to_text(here[0])}) = {to_text(here[1])}",)
    return Line(f, f"tangent to {f.title}", place, (x, y), here, slope, steps)


def is_vertical(f: Expression, x: str, place: Place) -> bool:
    """Return whether the tangent of a graph is vertical at a place: the sides on which it is defined have the same infinite slope."""
    if has_variables(place[x]) or set(f.variables) != {x}:
        return False
    corner = next(iter(f.evaluate({x: place[x]}, (x,)).corners), None)
    return corner is not None and corner.kind == "vertical" and len({corner.left, corner.right} - {None}) == 1  # fmt: skip


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
        raise UsageError("the slopes tell no direction at this point: both are 0")
    return None


Wrong = Sequence[tuple[Mistake, Value]]
"""Results of mistakes."""


# How questions are posed


def posed(
    request: Request, expression: Expression | tuple[Expression, ...], asked: str,
    wrt: str | tuple[str, ...], comparisons: Sequence[Comparison | Verdict], missing: tuple[str, ...] = (),
) -> Posed:  # fmt: skip
    """A question, which is called `asked`, with the answers to it."""
    return Posed(expression, asked, wrt, comparisons, missing, request.kind, request.order)  # fmt: skip


def formula(
    name: str, truth: Value, claim: Expression, what: str = "", along: str | None = None,
    place: Place | None = None, domain: Sequence[Probe] = (), wrong: Wrong = (), more: Iterable[Value] = (),
    explain: Explanation | None = None,
) -> Comparison:  # fmt: skip
    """A claim compared with a formula, or at a place with its value; elsewhere only where those of `domain` have slopes.

    Points are found in `more` graphs, too.
    """
    if place is not None:
        truth = number(at_place(truth, place)) if has_variables(truth) else truth
        if {*claim.variables} & {*place}:
            claim = instead_of(claim, at_place(claim.root, place))
        along, domain = None, ()
        wrong = [(told, at_place(root, place)) for told, root in wrong]
    right = Expression.of(truth)
    graphs = (right.root, claim.root, *more)
    own = Probe(right.tape), Probe(claim.tape)
    sides = agreement.of_probes(*own, along, graphs, domain)
    suspects = tuple((told, quantity(root)) for told, root in wrong)
    return Comparison(name, sides, claim, truth, what or name, suspects, explain=explain, function=right.root)  # fmt: skip


def none_there(request: Request, pose: Callable[[Request], Posed | Verdict]) -> Verdict:
    """The verdict on an answer that says that there is no tangent, gradient or the like at a point.

    It is right where what is asked for has no value, for want of a slope or of a value of the function.
    """
    f, doubt = request.graphed, ""
    own = request.names(f) if f is not None else ()
    place = request.place(own) if own else None
    of = f" of {'the curve' if f is None else f.title}{_at(place)}"
    asked = request.kind.replace("directional", "directional derivative") + of
    found = Verdict(INCORRECT, "there is one", expression=f, wrt=own, kind=request.kind, asked=asked, **agreement.REFUTATION)  # fmt: skip
    try:
        question: Any = pose(request._replace(claim=("0",) * len(own) if request.kind == "gradient" else "0"))  # fmt: skip
        right = tuple((p.name, p.truth) for p in question.parts if isinstance(p, Comparison) and p.truth is not None)  # fmt: skip
        found = found._replace(expression=question.expression, asked=question.asked, wrt=question.wrt, right=right)  # fmt: skip
        for _, truth in right:
            if not has_variables(truth):
                Expression.of(truth)()
        at = None if f is None or place is None else _numbers(f, place)
        if f and at and any(corner.kind == "edge" for corner in f.evaluate(at, own).corners):  # fmt: skip
            doubt = "there is a slope from one side only"
        elif f and own[1:] and any(map(_is_bent, topological(f.root))):
            doubt = "partial derivatives alone do not show that there is one"
    except RangeError:
        raise
    except DomainError as error:
        found = found._replace(status=CORRECT, evidence=error.message, certainty=agreement.PROVED, right=())  # fmt: skip
        # a slope in one direction needs none in others, and some books call the tangent to a cusp vertical
        if isinstance(error, NotDifferentiableError) and (request.kind == "directional" or "infinite" in error.message):  # fmt: skip
            doubt = error.message
    try:
        if f is None:
            tangent_line(request)
    except UsageError as error:  # there may be several directions, or a corner
        doubt = error.message
    if doubt:
        found = found._replace(status=UNDECIDED, evidence=doubt, certainty=None, right=())  # fmt: skip
    return found._replace(claim=names.none(request.claim))


def _is_bent(item: Value) -> bool:
    """Return whether a function may have partial derivatives where an operation is used, and yet not be differentiable."""
    operation = item.operation
    if operation is None or operation.rule != POW.rule:
        return operation is not None and (operation.corner or operation.choose) is not None  # fmt: skip
    exponent = rational(item.operands[1])
    return exponent is None or exponent.denominator != 1


def instead_of(claim: Expression, root: Value) -> Expression:
    """Another graph for the same text: decimals stay where they were typed."""
    leaves = tuple(item for item in topological(root) if is_variable(item))
    return Expression(Reading(claim.source, root, leaves, claim.notes, claim.implicit))


def _at(place: Place | None) -> str:
    """Return where a question is asked, in words."""
    return "" if place is None else f" at {place_text(place)}"


def _place(request: Request, *expressions: Expression) -> Place | None:
    """The point, if one is given, at which expressions have values and slopes."""
    if request.at is None:
        return None
    names = dict.fromkeys(name for e in expressions for name in e.variables)
    place = request.place(tuple(names))
    for expression in expressions:
        exists(expression, place)
    return place


def equation(request: Request) -> Posed:
    """Pose an equation with derivatives in it: the sides agree wherever the left one is defined."""
    left, asked = request.given, request.asked
    compared = formula(asked, left.root, request.claim)
    return Posed(left, asked, left.variables, [compared], kind="equation")


# Several derivatives, or one mixed one


def derivative_of(request: Request) -> Posed:
    """Pose a derivative, or several as a list."""
    if is_list(request.answered):
        return gradient(request)
    f, chain = request.function(), request.wrt * request.order
    name = operator(tuple(chain), True)
    return _partials(request, f, [(name, chain, request.answer())], request.wrt, name)


def gradient(request: Request) -> Posed:
    """Pose all first partial derivatives."""
    f = request.function()
    names = request.names(f)
    answers = request.answers(names)
    for name in answers:
        if name not in f.variables and name not in names:
            raise f.no_variable(name)
    sign = "∂/∂" if len(f.variables) > 1 else "d/d"
    claims = [(f"{sign}{name}", [name], claim) for name, claim in answers.items()]
    missing = tuple(f"∂/∂{name}" for name in names if name not in answers)
    return _partials(request, f, claims, names, "gradient", missing)


def hessian(request: Request) -> Posed:
    """Pose all second partial derivatives."""
    f = request.function()
    names = request.names(f)
    claim, answers = request.answered, dict[tuple[str, ...], Expression]()
    if isinstance(claim, str):
        texts = tuple(claim[a:b] for a, b in parted(claim, ";"))  # 2y, 2x; 2x, 0
        whole = texts if len(texts) > 1 else equations.entries(claim)
        claim = [equations.entries(row) for row in whole]
    if not isinstance(claim, Mapping) or not claim:
        rows = claim if isinstance(claim, tuple | list) else ()
        lengths = [len(row) if isinstance(row, tuple | list) else 0 for row in rows]
        if lengths != [len(names)] * len(names):
            raise UsageError(f"the matrix must have {len(names)} rows of {len(names)}")
        claim = dict(zip(itertools.product(names, repeat=2), itertools.chain(*rows), strict=True))  # fmt: skip
    for key, text in claim.items():
        pair = tuple(key.replace(" ", "").split(",") if isinstance(key, str) else key)
        if len(pair) != 2 or any(name not in names for name in pair):
            hint = f'such as "{names[0]},{names[-1]}"'
            raise UsageError(f"{key!r} does not name a second derivative", hint=hint)
        answers[pair] = request.expression(text)
    known = {frozenset(pair) for pair in answers}
    wanted = itertools.combinations_with_replacement(names, 2)
    missing = tuple(",".join(pair) for pair in wanted if frozenset(pair) not in known)
    claims = [(",".join(pair), pair, claim) for pair, claim in answers.items()]
    return _partials(request, f, claims, names, "Hessian", missing)


def _partials(
    request: Request, f: Expression, claims: Sequence[tuple[str, Sequence[str], Expression]],
    wrt: tuple[str, ...], asked: str, missing: tuple[str, ...] = (),
) -> Posed:  # fmt: skip
    """Claimed derivatives, each with its name and the variables that it is taken along one by one.

    One claim for both orders of two variables is compared once: where the second derivatives are continuous they agree.
    """
    place = _place(request, f)
    comparisons, known = list[Comparison](), dict[tuple[str, ...], Comparison]()
    for name, (*before, last), claim in claims:
        key = (*sorted((*before, last)), str(claim))
        if place is None and key in known:
            comparisons.append(known[key]._replace(name=name))
            continue
        inner = f.derivative(*before) if before else f
        is_kept = len(topological(inner.root)) <= MOST_OPERATIONS
        truth = f.derivative(*before, last).root if is_kept else derivative(inner.root, last)  # fmt: skip
        what = operator((*before, last), True) if before else name
        if place is None:
            whole = [Probe(f.tape, x) for x in dict.fromkeys(before)]
            probes = Probe(inner.tape, last), Probe(claim.tape)
            sides = agreement.of_probes(*probes, last, (f.root, claim.root), whole)
            explain = None if before or request.order > 1 else _misapplied(f, last)
            known[key] = Comparison(name, sides, claim, truth, what, explain=explain, function=f.root)  # fmt: skip
            comparisons.append(known[key])
            continue
        if before:
            exists(inner, place)
        twice = before == [last]
        slope = slope_at(f, last, place, 2, truth) if twice else slope_at(inner, last, place)  # fmt: skip
        comparisons.append(formula(name, slope, claim, what, place=place))
    asked = f"{asked} of {f.title}{_at(place)}"
    return posed(request, f, asked, wrt, comparisons, missing)


def _misapplied(f: Expression, name: str) -> Explanation:
    """Return an explanation of a partial derivative: the rule that was misapplied."""
    return lambda compared, at: diagnose(Question(f, compared.claim, name), compared.sides, at)  # fmt: skip


# Curves: equations and parameters


def implicit(request: Request) -> Posed:
    """Pose the slope of the curve of an equation; also of x^2 + y^2 = 25 where dy/dt = -x/y dx/dt."""
    t = request.wrt[0] if request.wrt and isinstance(request.claim, str) else ""
    names = letters(f"{request.given}", None) - {request.of}
    text, rates = with_rates(request.claim, [*names], t) if t.isidentifier() and t not in names else ("", [])  # fmt: skip
    if len(rates) == 1:
        request = request._replace(claim=text, wrt=(*rates,))
    equation, x, y = request.curve()
    claim, order = request.answer(), max(1, request.order)
    name, title = leibniz(y, t if rates else x, order), request.title
    truth, partials = slope_of_curve(equation.root, x, y, order)
    if rates:
        truth = node(MUL, (truth, Value(None, f"{x}_{t}")))
    by_x, by_y = (partial for *_, partial in partials[:2])
    held = by_x if order == 1 else derivative(along_curve(equation.root, x, y), x)
    wrong = [(SIGN, _negative(truth)), (HELD, held)]
    # -F_x/F_y may be turned over with its sign or without
    for below in (_negative(by_x), by_x) if order == 1 else ():
        wrong.insert(-1, (UPSIDE_DOWN, node(DIV, (by_y, below))))
    place = None
    if request.at is not None:
        place = _completed(request, equation, x, y).place((x, y))
        on_curve(equation, place, title)
        compared = formula(name, truth, claim, place=place, wrong=wrong)
    else:
        curve = Curve(equation, x, y, claim.variables)
        probes = Probe(Expression.of(truth).tape), Probe(claim.tape)
        right, own = (curve.on(agreement.value_side(probe)) for probe in probes)
        every = dict.fromkeys((x, y, *equation.variables, *claim.variables))
        work = sum(p.cost for p in probes), sum(p.weight for p in probes)
        trail, quadrants = Trail(curve.points()), Places((truth, claim.root))
        sides = agreement.Sides(right, own, tuple(every), None, *work, trail, survey=quadrants)  # fmt: skip
        suspects = tuple((told, curve.on(quantity(root))) for told, root in wrong)
        known = {x: by_x, y: by_y}
        none = "" if next(iter(trail), None) else _nowhere(curve, title, known)
        compared = Comparison(name, sides, claim, truth, name, suspects, nowhere=none, curve=curve)  # fmt: skip
    return posed(request, equation, f"{name} on {title}{_at(place)}", x, [compared])


def _completed(request: Request, equation: Expression, x: str, y: str) -> Request:
    """The question with y at its point, where a single one belongs to the x that is given."""
    at = request.at
    if not isinstance(at, Mapping) or {*at} != {*equation.variables} - {y}:
        return request
    given = {name: request.number(value) for name, value in at.items()}
    zeros = Search(y).zeros(at_place(equation.root, given))
    if not zeros.complete or len(zeros.found) != 1 or zeros.found[0].exact is None:
        return request
    return request._replace(at={**given, y: zeros.found[0].exact})


def _nowhere(curve: Curve, title: str, partials: Mapping[str, Value]) -> str:
    """Return why there is no slope to compare with; the first `partials` along its coordinates are known."""
    equation, names = curve.equation, curve.equation.variables
    none = f"{title} has no real points: there is no curve, and no slope on it"
    tape = Expression.of(simplify(equation.root)).tape
    found = values(tape, dict.fromkeys(tape.variables, everything()))
    if found is not None and 0 not in found:
        return none
    slopes = (partials[a] if a in partials else derivative(equation.root, a) for a in names)  # fmt: skip
    second = (derivative(slope, b) for slope in slopes for b in names)
    # a quadratic form, whose extreme tells whether it reaches 0
    if all(rational(simplify(entry)) is not None for entry in second):
        extremes = critical_points(equation, names)
        if extremes.complete and extremes.points:
            # of a definite quadratic form: is its extreme on the other side of 0?
            [only] = extremes.points
            sign = {"minimum": 1.0, "maximum": -1.0}.get(only.kind)
            if sign and only.value is not None and sign * only.value > 1e-9:
                return none
            if sign and only.value == 0:
                return f"{title} has a single real point: there is no curve, and no slope on it"
    return f"no real point of {title} was found: is there a curve?"


def _negative(root: Value) -> Value:
    return node(NEG, (root,))


UPSIDE_DOWN = Mistake("upside down", "quotients", "the quotient is upside down", "which is divided by which?")  # fmt: skip
HELD = Mistake(
    "y held constant", "the chain rule",
    "y was held constant, though it changes along the curve", "y depends on x, too",
)  # fmt: skip


def parametric(request: Request) -> Posed:
    """Pose the slope of a curve with a parameter."""
    x, y = request.pair()
    # in (r*cos(t), r*sin(t)), t is the parameter by custom and r a letter
    usual = (n for n in ("t", "θ", "theta") if not request.wrt and n in x.variables and n in y.variables)  # fmt: skip
    t = request.parameter or next(usual, None) or request.variable(x, y)
    claim, order = request.answer(), max(1, request.order)
    pair, name = (x.root, y.root), leibniz("y", "x", order)
    # in an answer, x and y may stand for the coordinates: -x/y on a circle
    free = {*x.variables, *y.variables}
    coordinates = zip(request.coordinates, pair, strict=True)
    named = {n: root for n, root in coordinates if n not in free}
    if {*claim.variables} & {*named}:
        claim = instead_of(claim, Expression.of(at_place(claim.root, named)).root)
    place = None
    if request.at is not None:
        place = request.place((t,))
        exists(x, place)
        exists(y, place)
    truth = by_parameter(pair, t, order)
    wrong = [(SIGN, _negative(truth))]
    if order == 1:
        wrong.append((UPSIDE_DOWN, by_parameter((pair[1], pair[0]), t)))
        wrong.append((NOT_DIVIDED, derivative(pair[1], t)))
    else:
        wrong.append((NOT_DIVIDED, derivative(by_parameter(pair, t, order - 1), t)))
        twice = (derivative(part, t, order) for part in (pair[1], pair[0]))
        wrong.append((EACH_TWICE, node(DIV, tuple(twice))))
    moving = [Probe(x.tape, t), Probe(y.tape, t)]
    compared = formula(name, truth, claim, name, t, place, moving, wrong, pair)
    asked = f"{name} of ({x.title}, {y.title}){_at(place)}"
    return posed(request, (x, y), asked, t, [compared])


NOT_DIVIDED = Mistake(
    "not divided by dx/dt", "the chain rule", "the last division by dx/dt is missing",
    "by what must the derivative in t be divided?",
)  # fmt: skip
EACH_TWICE = Mistake(
    "quotient of higher derivatives", "the chain rule",
    "both were differentiated twice; d/dt of dy/dx, over dx/dt, is meant",
    "what is differentiated again?",
)  # fmt: skip


# Lines, planes and polynomials


def tangent(request: Request) -> Posed:
    """Pose the tangent line at a point; of a function of several variables, the plane."""
    f, kind = request.graphed, request.kind
    if f is not None and len(request.names(f)) > 1 and kind == "tangent":
        return plane(request, f)
    line = tangent_line(request)
    across, told_of_other = line.across, NORMAL
    if kind == "normal":
        line, across, told_of_other = across, line, TANGENT
    x, y = line.names
    at, asked = line.here[0], f"{line.title} at {place_text(line.place)}"
    answered = request.answered
    texts = equations.sides(answered) if isinstance(answered, str) else ()
    sides = [request.expression(text) for text in texts] if len(texts) == 2 else []
    whole = difference(*sides) if sides else Expression.of(as_value(0))
    run = derivative(whole.root, x)
    upright = None  # where a claimed vertical line meets the axis
    given = line.given if isinstance(line.given, tuple) else (line.given,)
    own = {x} | {n for e in given for n in e.variables} - {y}
    if x in whole.variables and own >= {*whole.variables} and not has_variables(run):
        upright = _where_zero(whole, x, run)
    if line.slope is None:
        claim = upright or Expression.of(at)
        compared = formula(x, at, claim, f"the vertical {kind}")
        found = posed(request, line.given, asked, x, [compared])
        told = "" if upright else f"the {kind} is vertical: {x} = {to_text(at)}"
        return _refuted(found, told)
    told = ""
    if upright is not None:
        claim = request.expression("0")
        told = f"this line is vertical, and the {kind} is not"
    elif not sides or not y:
        claim = request.expression(texts[-1]) if texts else request.answer()
    else:
        left, claim = sides
        is_name = left.root.operation is None and bool(left.variables)
        is_solved = is_name and left.variables == (y,) and y not in claim.variables
        # s = 6t - 9 for a function of t: whatever name stands alone on the left is the height
        if y not in (*left.variables, *claim.variables):
            is_solved = is_name and left.variables[0] != x
            claim = claim if is_solved else whole
            told = "" if is_solved else BENT
        elif not is_solved:
            ways = [whole]
            # (y - 9)/(x - 3) = 6 is y - 9 = 6*(x - 3)
            for one, other in ((left, claim), (claim, left)):
                if one.root.operation is DIV:
                    above, below = one.root.operands
                    ways.append(Expression.of(node(SUB, (above, node(MUL, (below, other.root))))))  # fmt: skip
            read = [_solved(way, x, y) for way in ways]
            claim, told = next((own for own in read if not own[1]), read[0])
    truth = line.formula
    explain = _off(truth, {x: at}, OFF_LINE)
    wrong: Wrong = ()
    if across.slope is not None and not vanishes(line.slope):
        wrong = [(_mistake(SLOPE_ALONE, kind), line.slope), (told_of_other, across.formula)]  # fmt: skip
    compared = formula(kind, truth, claim, f"the {kind}", x, wrong=wrong, explain=explain)  # fmt: skip
    return _refuted(posed(request, line.given, asked, x, [compared]), told)


BENT = "this is not the equation of a line"


def _refuted(question: Posed, told: str) -> Posed:
    """A question whose answer is wrong for another reason, if there is one."""
    return question._replace(finish=lambda found: found.refuted(told)) if told else question  # fmt: skip


def _where_zero(line: Expression, name: str, slope: Value) -> Expression:
    """Return what a variable is where a formula that is linear in it is 0."""
    rest = at_place(line.root, {name: Constant(0.0)})
    return Expression.of(simplify(_negative(node(DIV, (rest, slope)))))


def _solved(line: Expression, x: str, y: str) -> tuple[Expression, str]:
    """Return y where a formula is 0, and what is wrong with it as a line."""
    rise = derivative(line.root, y)
    turning = {n for e in (rise, derivative(line.root, x)) for n in Expression.of(e).variables}  # fmt: skip
    return _where_zero(line, y, rise), "" if turning.isdisjoint({x, y}) else BENT


def _off(
    truth: Value, place: Place, told: tuple[Mistake, Mistake, Mistake]
) -> Explanation:
    """Return an explanation of a claimed line or plane: it is bent, misses the point, or has a wrong slope."""
    bent, missed, sloped = told

    def explain(compared: Comparison, _: Point) -> Mistake | None:
        off, wrong = node(SUB, (compared.claim.root, truth)), []
        for name in place:
            turn = derivative(off, name)
            if has_variables(turn):
                return _mistake(bent, name)
            if not vanishes(turn):
                wrong.append(name)
        if not wrong:
            return _mistake(missed)
        # a line that is wrong in every slope and misses the point has nothing right to start from
        is_told = len(wrong) < len(place) or vanishes(at_place(off, place))
        return _mistake(sloped, ", ".join(wrong)) if is_told else None

    return explain


def _mistake(told: Mistake, *parts: str) -> Mistake:
    return told._replace(message=told.message.format(*parts))


OFF_LINE = (
    Mistake("not a line", "tangents", "this is not a line: slope and point are numbers",
         "not a line: put the point into the slope"),
    Mistake("point missed", "tangents", "the slope is right, but the line misses the point",
         "the slope is right: look at the point"),
    Mistake("wrong slope", "tangents", "the line goes through the point, but its slope is wrong",
         "the point is right: look at the slope"),
)  # fmt: skip
SLOPE_ALONE = Mistake("slope alone", "tangents", "this is the slope of the {}, not its equation", "a slope: write the line")  # fmt: skip
NORMAL = Mistake("normal instead", "tangents", "this is the normal, at right angles to the tangent", "which line touches?")  # fmt: skip
TANGENT = Mistake("tangent instead", "tangents", "this is the tangent, and not the line at right angles to it", "which line is at right angles?")  # fmt: skip
OFF_PLANE = (
    Mistake("not linear", "linearization", "this is not linear in {}", "is it linear?"),
    Mistake("value missed", "linearization", "the slopes are right, but not the value at the point",
         "the slopes are right: look at the value"),
    Mistake("wrong slope", "linearization", "the slope in {} is wrong", "look at the slopes"),
)  # fmt: skip


def linearization(request: Request) -> Posed:
    """Pose the linear polynomial that touches a function at a point."""
    return plane(request, request.function())


def plane(request: Request, f: Expression) -> Posed:
    """Pose the linearization of a function, or its tangent plane."""
    names = request.names(f)
    place = request.place(names)
    exists(f, place)
    truth = linear(f, {name: place[name] for name in names})
    is_tangent = request.kind == "tangent"
    name, of = ("tangent plane", "to") if is_tangent else ("linearization", "of")
    answered = request.answered
    texts = equations.sides(answered) if isinstance(answered, str) else ()
    if len(texts) == 2:  # z = 2x + 4y - 5, or 2x + 4y - z = 5
        whole = difference(*map(request.expression, texts))
        up = [n for n in whole.variables if n not in (*names, *f.variables)] or ["z"]
        rise = derivative(whole.root, up[0])
        claim = _where_zero(whole, up[0], rise)
    else:
        claim, rise = request.answer(), Constant(1.0)
    told = BENT.replace("line", "plane") if has_variables(rise) else ""
    explain = _off(truth, place, OFF_PLANE)
    compared = formula(name, truth, claim, f"the {name}", names[0], explain=explain)
    found = posed(request, f, f"{name} {of} {f.title}{_at(place)}", names, [compared])
    return _refuted(found, told)


MOST_TERMS = 12
"""Terms of a claimed series whose order is not given."""


def taylor(request: Request) -> Posed:
    """Pose a Taylor polynomial."""
    f, x, at, order = expansion(request)
    claim = request.answer()
    rest, degree = claim.root, 0
    # the series of sin x: x - x^3/6 names no order, so the claim does
    while request.own_order is None and degree < MOST_TERMS and not vanishes(rest):
        rest, degree = derivative(rest, x, most=MOST), degree + 1
    if degree and vanishes(rest):
        order = max(order, degree - 1)
    found = taylor_coefficients(here for _, here in derivatives_at(f, x, at, order))
    bare = [number(node(MUL, (c, Constant(math.factorial(k))))) for k, c in enumerate(found)]  # fmt: skip
    centred = _mistake(CENTRE, x, to_text(distance(x, at)))
    wrong = [(FACTORIALS, polynomial(bare, x, at)), (centred, polynomial(found, x, Constant(0.0)))]  # fmt: skip

    def explain(compared: Comparison, _: Point) -> Mistake | None:
        """Find the first coefficient that is wrong, or a term too many."""
        root, rule = compared.claim.root, "Taylor's formula"
        hint = "compare term by term"
        power = f"({to_text(distance(x, at))})" if distance(x, at).operation else x
        for k, coefficient in enumerate(found):
            here = node(DIV, (at_place(root, {x: at}), Constant(math.factorial(k))))
            if not vanishes(node(SUB, (here, coefficient))):
                term = f"the coefficient of {power}" + (f"^{k}" if k > 1 else "")
                told = f"{term if k else 'the constant term'} is wrong"
                return Mistake("wrong coefficient", rule, told, hint)
            root = derivative(root, x, most=MOST)
        if vanishes(root):
            return None
        told = f"there are terms beyond order {len(found) - 1}"
        return Mistake("order", rule, told, "look at the order")

    compared = formula(
        "polynomial", polynomial(found, x, at), claim, "the polynomial", x, wrong=wrong,
        explain=explain,
    )  # fmt: skip
    asked = f"Taylor polynomial of order {order} of {f.title}{_at({x: at})}"
    return posed(request, f, asked, x, [compared])._replace(order=order)


CENTRE = Mistake("centre left out", "Taylor's formula", "the powers are of {}, not of {}", "powers of what?")  # fmt: skip
FACTORIALS = Mistake(
    "factorials left out", "Taylor's formula", "the derivatives were not divided by k!",
    "by what is the derivative of order k divided?",
)  # fmt: skip


# Directions


def directional(request: Request) -> Posed:
    """Pose the slope in a direction, or the direction of steepest ascent."""
    f = request.function()
    names = request.names(f, placed=False)
    direction = request.direction
    if direction is None:
        hint = 'such as (3, 4), or "steepest"'
        raise UsageError("a directional derivative needs a direction", hint=hint)
    place = _place(request, f)
    slopes = [
        derivative(f.root, name) if place is None else slope_at(f, name, place)
        for name in names
    ]
    # compared only where all partial derivatives exist: of abs(x) + y along (0, 1), not at x = 0
    whole = [Probe(f.tape, name) for name in names]
    wrong: Wrong = []
    if direction != "steepest":
        vector = _vector(request, direction, names)
        if place is not None and _off_slopes(f, place, [dict(zip(names, vector, strict=True))]):  # fmt: skip
            told = f"{f.title} is not differentiable there: the slope in this direction does not follow from the partial derivatives"
            raise UndecidedError(told, source=f.source)
        along = added(zip(vector, slopes, strict=True))
        truth = node(DIV, (along, _length(vector)))
        asked = f"derivative of {f.title} along ({', '.join(map(to_text, vector))})"
        wrong = [(NOT_NORMALISED, along)]
    elif is_list(request.answered):
        asked = f"direction of steepest ascent of {f.title}{_at(place)}"
        answers = request.answers(names)
        if lacking := [name for name in names if name not in answers]:
            raise UsageError(f"the direction has no part for {', '.join(lacking)}")
        if place is not None and all(map(vanishes, slopes)):
            raise UsageError(f"all slopes are 0{_at(place)}: no direction is steepest")
        # any positive multiple of the gradient
        length, own = _length(slopes), _length([answers[n].root for n in names])
        parts = []
        for name, slope in zip(names, slopes, strict=True):
            truth = simplify(node(DIV, (slope, length)))
            claim = Expression.of(node(DIV, (answers[name].root, own)))
            what = f"the direction in {name}"
            parts.append(formula(name, truth, claim, what, name, place, whole))
        return posed(request, f, asked, names, parts)
    else:
        truth, asked = _length(slopes), f"steepest slope of {f.title}"
    truth = simplify(truth) if place is None else number(truth)
    wrong = [*wrong, (SIGN, _negative(truth))]
    claim, what = request.answer(), "the slope"
    compared = formula("slope", truth, claim, what, names[0], place, whole, wrong)
    return posed(request, f, f"{asked}{_at(place)}", names, [compared])


NOT_NORMALISED = Mistake(
    "not normalised", "directional derivatives",
    "the direction was not divided by its length", "how long is the direction?",
)  # fmt: skip


def _vector(request: Request, direction: Any, names: Sequence[str]) -> list[Value]:
    if isinstance(direction, str):
        direction = equations.components(direction)
    if isinstance(direction, Mapping):
        direction = [direction.get(name, 0) for name in names]
    if not isinstance(direction, tuple | list):
        told = "a direction has a part for each variable"
        raise UsageError(told, hint="such as (3, 4)")
    if len(direction) != len(names):
        raise uneven("the direction has ", len(direction), "part", names)
    found = [request.number(part) for part in direction]
    if all(map(vanishes, found)):
        raise UsageError("the direction is 0", hint="give one that is not")
    return found


def _length(vector: Sequence[Value]) -> Value:
    squares = (node(POW, (part, Constant(2.0))) for part in vector)
    return node(SQRT, (added((square, None) for square in squares),))


# Antiderivatives


def antiderivative(request: Request) -> Posed:
    """Pose an antiderivative: its derivative is compared."""
    request = request.integrand()
    f, claim = request.function(), request.answer()
    others = [n for n in claim.variables if n not in ("c", "C", "k", "K")]
    x = others[0] if len(others) == 1 else "x"  # where the integrand is a number
    x = request.variable(f) if request.wrt or f.variables else x
    graphs = f.root, claim.root
    sides = agreement.of_probes(Probe(f.tape), Probe(claim.tape, x), x, graphs)
    # what is compared is the derivative of the claim, whose formula may be defined in more places
    derived = instead_of(claim, slope_formula(claim.root, x))
    compared = Comparison(
        "antiderivative", sides, derived, f.root, "the integrand",
        yours="the derivative of your answer", explain=_not_integrated(f, claim, x),
    )  # fmt: skip
    part = judged(compared)._replace(claim=claim)
    example = part.counterexample
    if part.status in (INCORRECT, PARTLY) and example and example.claimed is None:
        part = _where_defined(part, compared)
    asked = f"antiderivative of {f.title}"
    asked += f" in {x}" if set(f.variables) - {x} else ""

    def finish(found: Verdict) -> Verdict:
        notes = [n for n in found.notes if "is not in the problem" not in n]
        if part.status in (CORRECT, PARTLY):
            jumps = list(_jumps(f, claim, x))
            notes = [n for n in notes if not (jumps and "single point" in n)] + jumps
            if told := _about_constant(f, claim, x, request.constant):
                found = found.refuted(told, _mistake(CONSTANT, told))
        return found._replace(notes=tuple(notes), right=())

    return posed(request, f, asked, x, [part])._replace(finish=finish)


def _where_defined(part: Verdict, compared: Comparison) -> Verdict:
    """The verdict on a claim that has no value on a piece where the integrand has one."""
    again = judged(compared._replace(sides=compared.sides._replace(lenient=True)))
    if again.status != CORRECT:
        return again._replace(claim=part.claim) if again.status == INCORRECT else part
    assert part.counterexample is not None
    where = point_text(part.counterexample.at)
    pieces = where_right(compared.sides)[0].partition(",")[0]
    pieces = pieces.replace("correct for", "right for") or "right where it is defined"
    told = f"{pieces}; it covers only a part: at {where} your answer has no value or slope, the integrand has"
    return part._replace(status=PARTLY, evidence=told, mistake=None)


def _not_integrated(f: Expression, claim: Expression, x: str) -> Explanation:
    """Return an explanation: what else than the integral was worked out, or by what factor the claim's slope is off."""

    def explain(compared: Comparison, at: Point) -> Mistake | None:
        sides = compared.sides
        # x^3/2 and 2x are the same at -2 and 2
        telling = [*{abs(p.get(x, 0.0)): p for p in telling_points(sides, at)}.values()]
        # with + C, what was done is seen where C is 0
        free = {*claim.variables}.difference(f.variables, compared.claim.variables, x)
        bare = at_place(claim.root, dict.fromkeys(free, Constant(0.0)))
        instead = (
            Rewriting(DIFFERENTIATED, f.root, bare, x),
            Rewriting(NOT_INTEGRATED, f.root, bare),
            Rewriting(SIGN, _negative(f.root)),
        )
        if told := whole_answer.first(instead, sides, telling):
            return told
        ratio = whole_answer.shared(sides, telling, truediv)
        short = Fraction(float(ratio or 0)).limit_denominator(1000)
        is_short = ratio and math.isclose(short, ratio, rel_tol=4e-15)
        return _mistake(FACTOR, str(short)) if is_short else None

    return explain


DIFFERENTIATED = Mistake(
    "differentiated instead", "the question", "this is the derivative of the integrand, not its integral",
    "differentiated: read the question again",
)  # fmt: skip
NOT_INTEGRATED = Mistake("not integrated", "the question", "this is the integrand itself", "not integrated: read the question again")  # fmt: skip
FACTOR = Mistake(
    "constant factor", "constant multiples", "the derivative of your answer is {} times the integrand",
    "a constant factor: differentiate your answer",
)  # fmt: skip
CONSTANT = Mistake("constant of integration", "antiderivatives", "{}", "look at the constant of integration")  # fmt: skip


def _about_constant(
    f: Expression, claim: Expression, x: str, policy: str | None
) -> str:
    """Return what is wrong with the constant of integration of a right answer; nothing where none is asked for."""
    extra = [n for n in claim.variables if n not in f.variables and n != x]
    slopes = {name: Expression.of(derivative(claim.root, name)) for name in extra}
    free = [n for n, slope in slopes.items() if not vanishes(slope.root)]
    # x^2 + C takes every constant, but C^2 only those that are not negative
    linear = [n for n in free if not slopes[n].variables]
    if policy == "forbidden" and free:
        return f"right but for {free[0]}: no constant of integration is asked for"
    if policy != "required" or linear:
        return ""
    if free:
        return f"the constant of integration must be able to take every value, and {free[0]} does not stand alone"
    return "the constant of integration is missing: add + C"


def _jumps(f: Expression, claim: Expression, x: str) -> Iterator[str]:
    """Yield where a claim that is right on each piece takes another constant, in words."""
    others = [n for n in dict.fromkeys((*f.variables, *claim.variables)) if n != x]
    held = domain.held(others, 0)
    here, own = Probe(f.tape), Probe(claim.tape)
    found = domain.breaks((claim.root,), x, held)
    for place in sorted(found, key=lambda place: (abs(place), -place))[:MOST_JUMPS]:
        width = 2.0**-30 * max(1.0, abs(place))
        sides = [own.precise({**held, x: place + s * width}, 30).value for s in (-1, 1)]
        level = [here.floats({**held, x: place + s * width}).value for s in (-1, 0, 1)]
        if None in sides or None in level:
            continue
        step, slope = abs(sides[1] - sides[0]), max(abs(v or 0.0) for v in level)
        # a steep formula rises in the gap as well: a jump is far more than its slope there explains
        if step > 1e-3 and step > 1000 * slope * 2 * width:
            # the jump of floor(x - a) moves with a, so that its place is told with a value of a
            fixed = place in domain.breaks((claim.root,), x, domain.held(others, 1))
            at = {n: v for n, v in held.items() if n in f.variables and not fixed}
            where = ", ".join(filter(None, [f"{x} = {place:.6g}", point_text(at)]))
            yield f"your answer jumps at {where}: it is an antiderivative on each side, with another constant"
            return


MOST_JUMPS = 8
