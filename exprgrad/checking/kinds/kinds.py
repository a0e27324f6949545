"""Checking an answer of any kind: a derivative, an antiderivative, a slope of a curve, a tangent, ...

    check("2x", "x^2 + C", kind="antiderivative").status                     # "correct"
    check("x^2 + y^2 = 25", "-x/y", kind="implicit", of="y").status          # "correct"
    check("x^2", "y = 6x - 9", kind="tangent", at={"x": 3}).status           # "correct"
    check("x^2*y", ("2x*y", "x^2"), kind="gradient").status                  # "correct"

`KINDS` has a row for each: how the question is made, and which options it takes. A question is one
comparison or several; `comparisons.judged` decides about each.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import agreement, domain, equations
from exprgrad.checking import check as derivatives
from exprgrad.checking.agreement import REFUTATION, Sides
from exprgrad.checking.check import (
    CORRECT,
    INCORRECT,
    PARTLY,
    UNDECIDED,
    Counterexample,
    Verdict,
    point_text,
)
from exprgrad.checking.comparisons import (
    Comparison,
    Part,
    Suspect,
    formula,
    judged,
    of_formulas,
    on_points,
    together,
)
from exprgrad.checking.kinds.critical import critical_answer, critical_points
from exprgrad.checking.kinds.curves import Curve
from exprgrad.checking.kinds.request import (
    MOST,
    Options,
    Request,
    exists,
    linear,
    place_text,
    slope_at,
    taylor_coefficients,
)
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.checking.points import Trail
from exprgrad.errors import UsageError
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.implicit import along_curve, by_parameter
from exprgrad.expressions.taylor import (
    at_place,
    distance,
    has_variables,
    number,
    polynomial,
)
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.language import inputs
from exprgrad.language.brackets import parted
from exprgrad.language.leibniz import MOST_ORDERS
from exprgrad.language.parser import Reading
from exprgrad.notation.text import to_text
from exprgrad.operations.table import ADD, DIV, MUL, NEG, POW, SQRT, SUB
from exprgrad.proof.identity import vanishes
from exprgrad.sweeps.precise import Probe
from exprgrad.symbolic.derivative import tangent


class Judgement(NamedTuple):
    """What is to be said of a claim of some kind; the fields of `Verdict`, and more.

    `expression` and `claim` are tuples where there are several. `asked` is the question in words. `parts`
    are the verdicts on the single things that were claimed, by name: one for each partial derivative.
    `right` are the right answers by name, and `typed` is the claim's text where it is one.
    """

    kind: str
    status: str
    evidence: str
    counterexample: Counterexample | None
    mistake: Mistake | None
    notes: tuple[str, ...]
    expression: Expression | tuple[Expression, ...]
    claim: Expression | tuple[Expression, ...]
    wrt: str | tuple[str, ...]
    order: int
    asked: str
    parts: tuple[Part, ...] = ()
    right: tuple[tuple[str, Value], ...] = ()
    typed: str = ""
    if_read_as: str | None = None
    certainty: str | None = None
    points: int | None = None
    digits: int | None = None

    @property
    def answer(self) -> str:
        """The right answer as a formula, or as one for each part."""
        if self.kind == "critical":
            return "; ".join(name for name, _ in self.right)
        found = [(name, to_text(simplify(root))) for name, root in self.right]
        if len(found) == 1:
            return found[0][1]
        return ", ".join(f"{name}: {text}" for name, text in found)

    @property
    def assumes(self) -> tuple[str, ...]:
        """The conditions under which the simplified answers have the values of the right ones."""
        if self.kind == "critical":
            return ()
        simplified = (Expression.of(root).simplify() for _, root in self.right)
        return tuple(dict.fromkeys(c for one in simplified for c in one.assumptions))

    @property
    def derivative(self) -> str:
        """The same, by its name for derivatives."""
        return self.answer


class Posed(NamedTuple):
    """A question that was made: what is compared, and what the question is called."""

    expression: Expression | tuple[Expression, ...]
    asked: str
    wrt: str | tuple[str, ...]
    comparisons: Sequence[Comparison]
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class Kind(NamedTuple):
    """How a kind of question is made, and which options it takes beside `wrt`."""

    make: Callable[[Request], Judgement]
    options: tuple[str, ...]


def check(
    given: Any,
    claim: Any,
    wrt: str | Sequence[str] | None = None,
    *,
    kind: str = "derivative",
    order: int | None = None,
    at: Any = None,
    of: str | None = None,
    parameter: str | None = None,
    direction: Any = None,
    constant: str | None = None,
    where: str | Sequence[str] = (),
    condone_domain: bool = False,
) -> Verdict | Judgement:
    """Whether `claim` answers a question about `given`: with `kind="derivative"`, is its derivative.

    `wrt` is a variable or several, `order` the order of a derivative or a polynomial, and `at` a point.
    The kinds and their options are those of `KINDS`: `of` is y of an equation in x and y, `parameter`
    that of a curve (x(t), y(t)), `direction` a vector or "steepest", and `constant` says whether an
    antiderivative needs one: "required", "optional" or "forbidden". Numbers may be texts such as "pi/4".
    `where` and `condone_domain` restrict the question about a derivative: "x > 0, a > 0"; see `check.check`.
    Raises `ExpressionSyntaxError` for a text that cannot be read, `UsageError` where a question is unclear.
    """
    if kind not in KINDS:
        raise UsageError(
            f"there is no kind {kind!r}", hint=f"one of: {', '.join(KINDS)}"
        )
    names = () if wrt is None else tuple(map(inputs.normal, inputs.names(wrt)))
    if not all(name.strip() for name in names):
        raise UsageError("the name of a variable is empty")
    options = Options(kind, names, order, at, of, parameter, direction, constant)
    _refuse_options(options)
    if kind == "derivative" and len(names) < 2 and _is_single(claim):
        return derivatives.check(
            given,
            claim,
            names[0] if names else None,
            order=1 if order is None else order,
            at=None if at is None else _exact(inputs.point(at)),
            where=where,
            condone_domain=condone_domain,
        )
    if where or condone_domain:
        raise UsageError("only the question about one derivative takes conditions")
    found = KINDS[kind].make(Request(given, claim, options))
    return found._replace(typed=claim.strip()) if isinstance(claim, str) else found


def _is_single(claim: Any) -> bool:
    return not isinstance(claim, Mapping | tuple | list)


def _exact(at: Mapping[str, Any]) -> dict[str, Any]:
    """A point with graphs in place of texts: pi/4 is that number, and no double."""
    own = Request("0", "0", Options("derivative"))
    return {n: own.number(x) if isinstance(x, str) else x for n, x in at.items()}


def _refuse_options(options: Options) -> None:
    taken = ("kind", "wrt", *KINDS[options.kind].options)
    for name, value in options._asdict().items():
        left_out = value is None or (isinstance(value, tuple) and not value)
        if name not in taken and not left_out:
            raise UsageError(f"kind {options.kind!r} takes no {name}")
    if options.constant not in (None, *CONSTANTS):
        raise UsageError(
            f"constant cannot be {options.constant!r}",
            hint=f"one of: {', '.join(CONSTANTS)}",
        )
    if options.order is not None:
        least = 0 if options.kind == "taylor" else 1
        inputs.count(options.order, "the order", least, MOST_ORDERS)


CONSTANTS = ("required", "optional", "forbidden")


# Verdicts from parts


def _judgement(request: Request, posed: Posed) -> Judgement:
    return _from_parts(request, posed, tuple(map(judged, posed.comparisons)))


def _from_parts(request: Request, posed: Posed, parts: tuple[Part, ...]) -> Judgement:
    worst = _worst(parts)
    status, evidence = worst.status, worst.evidence
    right = [part.name for part in parts if part.status == CORRECT]
    if len(parts) > 1 and status != CORRECT:
        evidence = f"{worst.name}: {evidence}"
        if right and status == INCORRECT:
            status = PARTLY
            evidence = f"right: {', '.join(right)}; wrong: {_wrong(parts)}; {evidence}"
    if len(parts) > 1 and status == CORRECT:
        evidence = f"all {len(parts)} are right; {parts[0].name}: {parts[0].evidence}"
    if posed.missing and status in (CORRECT, PARTLY):
        rest = "the others are right" if status == CORRECT else evidence
        evidence = f"missing: {', '.join(posed.missing)}; {rest}"
        status = PARTLY
    claims = tuple(part.claim for part in parts)
    return Judgement(
        request.kind,
        status,
        evidence,
        worst.counterexample,
        worst.mistake,
        _notes(posed, parts),
        posed.expression,
        claims[0] if len(claims) == 1 else claims,
        posed.wrt,
        request.order,
        posed.asked,
        parts,
        tuple((part.name, part.answer) for part in parts),
        **together(status, parts)._asdict(),
    )


_RANK = {INCORRECT: 0, PARTLY: 1, UNDECIDED: 2, CORRECT: 3}


def _worst(parts: Sequence[Part]) -> Part:
    return min(parts, key=lambda part: _RANK[part.status])


def _wrong(parts: Sequence[Part]) -> str:
    return ", ".join(part.name for part in parts if part.status != CORRECT)


def _notes(posed: Posed, parts: Sequence[Part]) -> tuple[str, ...]:
    given = posed.expression
    read = given if isinstance(given, tuple) else (given,)
    every = [note for e in (*read, *(p.claim for p in parts)) for note in e.notes]
    own = {name for e in read for name in e.variables} | _named(posed)
    strange = [n for p in parts for n in p.claim.variables if n not in own]
    if strange:
        names = ", ".join(dict.fromkeys(strange))
        every.append(f"{names} of your answer is not in the problem")
    every += [note for part in parts for note in part.notes]
    return tuple(dict.fromkeys((*every, *posed.notes)))


def _named(posed: Posed) -> set[str]:
    wrt = posed.wrt if isinstance(posed.wrt, tuple) else (posed.wrt,)
    found = set(wrt)
    for comparison in posed.comparisons:
        found |= set(comparison.sides.names) - set(comparison.claim.variables)
    return found


# The derivative itself, several at once


def _derivative(request: Request) -> Judgement:
    """Several partial derivatives, or one mixed one."""
    if _is_single(request.claim) and not _is_list(request.claim):
        return _mixed(request)
    return _gradient(request)


def _mixed(request: Request) -> Judgement:
    f, claim = request.function(), request.answer()
    *first, last = request.wrt * request.order
    inner = f.derivative(*first) if first else f
    sides = _slope_sides(f, inner, claim, first, last)
    truth = derivative(inner.root, last)
    name = _operator(request.wrt * request.order)
    compared = Comparison(name, sides, claim, truth, name)
    return _judgement(
        request, Posed(f, f"{name} of {f.title}", request.wrt, [compared])
    )


def _slope_sides(
    f: Expression,
    inner: Expression,
    claim: Expression,
    before: Sequence[str],
    last: str,
) -> Sides:
    """The slope of a derivative of f along a variable, where f has the slopes before it too."""
    probe, right = Probe(inner.tape, last), Probe(claim.tape)
    whole = [Probe(f.tape, name) for name in dict.fromkeys(before)]
    names = tuple(dict.fromkeys((last, *f.variables, *claim.variables)))
    names = tuple(n for n in names if n in {*f.variables, *claim.variables})
    from exprgrad.checking.comparisons import within

    return agreement.compared(
        within(agreement.slope_side(probe), whole),
        agreement.value_side(right),
        (f.root, claim.root),
        names,
        last if last in names else None,
        (2 * probe.cost + right.cost, 2 * probe.weight + right.weight),
    )


def _operator(names: Sequence[str]) -> str:
    total = f"^{len(names)}" if len(names) > 1 else ""
    return f"∂{total}/{''.join(f'∂{name}' for name in names)}"


def _gradient(request: Request) -> Judgement:
    f = request.function()
    names = request.names(f)
    answers = request.answers(names)
    place, asked = _asked(request, f, "gradient")
    comparisons = []
    for name, claim in answers.items():
        _known(name, f, names)
        title = f"∂/∂{name}" if len(f.variables) > 1 else f"d/d{name}"
        slope = derivative(f.root, name)
        if place is None:
            sides = _slope_sides(f, f, claim, (), name)
        else:
            slope = slope_at(f, name, place)
            claim = _placed(claim, place)
            sides = of_formulas(slope, claim, None)
        comparisons.append(Comparison(title, sides, claim, slope, title))
    missing = tuple(f"∂/∂{name}" for name in names if name not in answers)
    posed = Posed(f, asked, names, comparisons, (), missing)
    if place is not None or request.order > 1:
        return _judgement(request, posed)
    return _from_parts(request, posed, tuple(_explained(f, c) for c in comparisons))


def _asked(
    request: Request, f: Expression, what: str
) -> tuple[dict[str, Value] | None, str]:
    """The point, if one is given, and in words what is asked for."""
    if request.options.at is None:
        return None, f"{what} of {f.title}"
    place = request.place(f.variables)
    exists(f, place)
    return place, f"{what} of {f.title} at {place_text(place)}"


def _explained(f: Expression, comparison: Comparison) -> Part:
    """The verdict on one partial derivative, with the rule that was misapplied."""
    part = judged(comparison)
    if part.status != INCORRECT:
        return part
    name = comparison.name.rpartition("∂")[2].removeprefix("d/d")
    return part._replace(mistake=derivatives.check(f, comparison.claim, name).mistake)


def _known(name: str, f: Expression, names: Sequence[str]) -> None:
    if name not in f.variables and name not in names:
        raise f.no_variable(name)


def _hessian(request: Request) -> Judgement:
    f = request.function()
    names = request.names(f)
    answers = _entries_of_matrix(request, names)
    place, asked = _asked(request, f, "second derivatives")
    comparisons = []
    for pair, claim in answers.items():
        first, last = pair
        inner = f.derivative(first)
        truth = derivative(inner.root, last)
        if place is None:
            sides = _slope_sides(f, inner, claim, (first,), last)
        else:
            exists(inner, place)
            truth = (
                slope_at(f, first, place, 2, truth)
                if first == last
                else slope_at(inner, last, place)
            )
            claim = _placed(claim, place)
            sides = of_formulas(truth, claim, None)
        comparisons.append(
            Comparison(",".join(pair), sides, claim, truth, _operator(pair))
        )
    known = {frozenset(pair) for pair in answers}
    wanted = itertools.combinations_with_replacement(names, 2)
    missing = tuple(",".join(pair) for pair in wanted if frozenset(pair) not in known)
    return _judgement(request, Posed(f, asked, names, comparisons, (), missing))


def _entries_of_matrix(
    request: Request, names: Sequence[str]
) -> dict[tuple[str, str], Expression]:
    """The claimed second derivatives by their two variables."""
    claim = request.claim
    if isinstance(claim, str):
        texts = tuple(claim[a:b] for a, b in parted(claim, ";"))  # 2y, 2x; 2x, 0
        whole = texts if len(texts) > 1 else equations.entries(claim)
        claim = [equations.entries(row) for row in whole]
    if isinstance(claim, Mapping) and claim:
        found = {}
        for key, text in claim.items():
            pair = (
                tuple(key.replace(" ", "").split(",")) if isinstance(key, str) else key
            )
            if len(pair) != 2 or any(name not in names for name in pair):
                raise UsageError(
                    f"{key!r} does not name a second derivative",
                    hint=f'such as "{names[0]},{names[-1]}"',
                )
            found[pair[0], pair[1]] = request.expression(text)
        return found
    rows = claim if isinstance(claim, tuple | list) else ()
    if len(rows) != len(names) or any(
        not isinstance(row, tuple | list) or len(row) != len(names) for row in rows
    ):
        raise UsageError(f"the matrix must have {len(names)} rows of {len(names)}")
    return {
        (a, b): request.expression(claim[i][j])
        for i, a in enumerate(names)
        for j, b in enumerate(names)
    }


def equation(left: Expression, right: Expression) -> Judgement:
    """The verdict on an equation with derivatives in it: the sides agree wherever the left one is defined."""
    request = Request(left, right, Options("equation"))
    sides = of_formulas(left.root, right, None)
    title = left.title
    compared = Comparison(title, sides, right, left.root, title)
    return _judgement(request, Posed(left, title, left.variables, [compared]))


# Curves: equations and parameters


def _implicit(request: Request) -> Judgement:
    left, right = request.sides()
    equation = difference(left, right)
    y = request.options.of or dependent(request, equation)
    x = request.variable(equation, without=[y])
    claim = request.answer()
    on_both(equation, x, y)
    order = max(1, request.order)
    truth = along_curve(equation.root, x, y, order)
    name = leibniz(y, x, order)
    title = " ".join(request.given.split())
    if request.options.at is not None:
        place = request.place((x, y))
        on_curve(equation, place, title)
        slope = number(at_place(truth, place))
        claim = _placed(claim, place)
        sides = of_formulas(slope, claim, None)
        asked = f"{name} on {title} at {place_text(place)}"
        compared = Comparison(
            name, sides, claim, slope, name, _at(place, _turned(equation, x, y, order))
        )
        return _judgement(request, Posed(equation, asked, x, [compared]))
    extra = [n for n in claim.variables if n not in equation.variables]
    curve = Curve(equation, x, y, extra)
    probes = [Probe(Expression.of(truth).tape), Probe(claim.tape)]
    sides = on_points(
        curve.on(agreement.value_side(probes[0])),
        curve.on(agreement.value_side(probes[1])),
        tuple(dict.fromkeys((x, y, *equation.variables, *extra))),
        Trail(curve.points()),
        probes,
    )
    suspects = tuple(
        Suspect(told, formula(root, curve.on))
        for told, root in _turned(equation, x, y, order)
    )
    nowhere = "" if next(curve.points(), None) else _nowhere(curve, title)
    compared = Comparison(
        name, sides, claim, truth, name, suspects, nowhere=nowhere, curve=curve
    )
    return _judgement(request, Posed(equation, f"{name} on {title}", x, [compared]))


def _nowhere(curve: Curve, title: str) -> str:
    """Why there is no slope to compare with."""
    least = _least(curve.equation)
    if curve.is_empty() or least > 0:
        return f"{title} has no real points: there is no curve, and no slope on it"
    if least == 0:
        return f"{title} has a single real point: there is no curve, and no slope on it"
    return f"no real point of {title} was found: is there a curve?"


def _least(equation: Expression) -> float:
    """The least size of a quadratic form that is definite; -1 where it is not known."""
    names = equation.variables
    second = (derivative(derivative(equation.root, a), b) for a in names for b in names)
    if any(rational(simplify(entry)) is None for entry in second):
        return -1.0
    found = critical_points(equation, names)
    if not found.complete or not found.points:
        return -1.0
    [only] = found.points
    sign = {"minimum": 1.0, "maximum": -1.0}.get(only.kind)
    least = sign * only.value if sign and only.value is not None else -1.0
    return least if least == 0 or abs(least) > 1e-9 else -1.0


def difference(left: Expression, right: Expression) -> Expression:
    """The expression that is 0 where an equation holds."""
    if right.root.operation is None and right.root.data == 0:
        return left
    found = Expression.of(node(SUB, (left.root, right.root)))
    found.notes = (*left.notes, *right.notes)
    return found


def dependent(request: Request, equation: Expression) -> str:
    """The variable that is a function of the other: y, or the one that is left."""
    rest = [n for n in equation.variables if n not in request.wrt]
    if "y" in rest:
        return "y"
    if request.wrt and len(rest) == 1:
        return rest[0]
    raise UsageError(
        "it is not clear which variable is a function of the other",
        hint=f"name it: of={rest[-1]!r}"
        if rest
        else "the equation needs two variables",
    )


def point_on_curve(
    request: Request, equation: Expression, y: str
) -> tuple[str, dict[str, Value], str]:
    """The other variable of a curve, the point that is given on it, and the curve as it was typed."""
    x = request.variable(equation, without=[y])
    on_both(equation, x, y)
    place = request.place((x, y))
    title = " ".join(request.given.split())
    on_curve(equation, place, title)
    exists(equation, place)
    return x, place, title


def on_both(equation: Expression, x: str, y: str) -> None:
    """Raise `UsageError` for an equation without one of its variables."""
    for name in (x, y):
        if name not in equation.variables:
            raise UsageError(
                f"{name} does not occur in the equation",
                hint=f"its variables are: {', '.join(equation.variables)}",
            )


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


def _turned(
    equation: Expression, x: str, y: str, order: int
) -> list[tuple[Mistake, Value]]:
    """What one gets on a curve by the usual mistakes."""
    truth = along_curve(equation.root, x, y, order)
    by_x, by_y = derivative(equation.root, x), derivative(equation.root, y)
    found = [(SIGN, node(NEG, (truth,)))]
    if order == 1:
        found.append((UPSIDE_DOWN, node(DIV, (by_y, node(NEG, (by_x,))))))
        found.append((UPSIDE_DOWN, node(DIV, (by_y, by_x))))
        found.append((HELD, by_x))
    else:
        slope = along_curve(equation.root, x, y)
        found.append((HELD, derivative(slope, x)))
    return found


SIGN = Mistake("wrong sign", "signs", "the sign of the whole is wrong", "wrong sign")
UPSIDE_DOWN = Mistake(
    "upside down",
    "quotients",
    "the quotient is upside down",
    "which is divided by which?",
)
HELD = Mistake(
    "y held constant",
    "the chain rule",
    "y was held constant, though it changes along the curve",
    "y depends on x, too",
)


def _at(
    place: Mapping[str, Value], told: Sequence[tuple[Mistake, Value]]
) -> tuple[Suspect, ...]:
    return tuple(Suspect(t, formula(at_place(root, place))) for t, root in told)


def leibniz(y: str, x: str, order: int) -> str:
    """The name of a derivative: dy/dx, d^2y/dx^2."""
    return f"d{y}/d{x}" if order == 1 else f"d^{order}{y}/d{x}^{order}"


def _parametric(request: Request) -> Judgement:
    x, y = request.pair()
    t = request.options.parameter or request.variable(x, y)
    claim, order = request.answer(), max(1, request.order)
    pair = x.root, y.root
    truth = by_parameter(pair, t, order)
    name = leibniz("y", "x", order)
    asked = f"{name} of ({x.title}, {y.title})"
    told = _turned_pair(pair, t, order)
    if request.options.at is not None:
        place = request.place((t,))
        exists(x, place)
        exists(y, place)
        slope = number(at_place(truth, place))
        claim = _placed(claim, place)
        sides = of_formulas(slope, claim, None)
        asked += f" at {place_text(place)}"
        compared = Comparison(name, sides, claim, slope, name, _at(place, told))
        return _judgement(request, Posed((x, y), asked, t, [compared]))
    probes = [Probe(x.tape, t), Probe(y.tape, t)]
    sides = of_formulas(truth, claim, t, probes, pair)
    suspects = tuple(Suspect(one, formula(root)) for one, root in told)
    compared = Comparison(name, sides, claim, truth, name, suspects)
    return _judgement(request, Posed((x, y), asked, t, [compared]))


def _turned_pair(
    pair: tuple[Value, Value], t: str, order: int
) -> list[tuple[Mistake, Value]]:
    truth = by_parameter(pair, t, order)
    found = [(SIGN, node(NEG, (truth,)))]
    if order == 1:
        found.append((UPSIDE_DOWN, by_parameter((pair[1], pair[0]), t)))
        found.append((NOT_DIVIDED, derivative(pair[1], t)))
    else:
        found.append((NOT_DIVIDED, derivative(by_parameter(pair, t, order - 1), t)))
        twice = [derivative(part, t, order) for part in pair]
        found.append((EACH_TWICE, node(DIV, (twice[1], twice[0]))))
    return found


NOT_DIVIDED = Mistake(
    "not divided by dx/dt",
    "the chain rule",
    "the last division by dx/dt is missing",
    "by what must the derivative in t be divided?",
)
EACH_TWICE = Mistake(
    "quotient of higher derivatives",
    "the chain rule",
    "both were differentiated twice; d/dt of dy/dx, over dx/dt, is meant",
    "what is differentiated again?",
)


# Lines, planes and polynomials


def _tangent(request: Request) -> Judgement:
    if request.options.parameter or not isinstance(request.given, str | Expression):
        return _tangent_by_parameter(request)
    f, y = request.graph()
    if f is None:
        return _tangent_on_curve(request, difference(*request.sides()), y)
    x = request.variable(f, without=[request.options.of or ""])
    place = {x: request.place((x,))[x]}
    exists(f, place)
    line = linear(f, place)
    asked = f"tangent to {f.title} at {place_text(place)}"
    y = request.options.of or ("y" if "y" not in f.variables else "")
    return _line(request, f, line, (x, y), place[x], asked)


def _tangent_on_curve(request: Request, equation: Expression, y: str) -> Judgement:
    x, place, title = point_on_curve(request, equation, y)
    by_x, by_y = (number(at_place(derivative(equation.root, n), place)) for n in (x, y))
    asked = f"tangent to {title} at {place_text(place)}"
    return _through(
        request,
        equation,
        (x, y),
        (place[x], place[y]),
        (by_y, node(NEG, (by_x,))),
        asked,
    )


def _tangent_by_parameter(request: Request) -> Judgement:
    pair = request.pair()
    t = request.options.parameter or request.variable(*pair)
    place = request.place((t,))
    for part in pair:
        exists(part, place)
    here = tuple(number(at_place(part.root, place)) for part in pair)
    speed = tuple(slope_at(part, t, place) for part in pair)
    names = (
        request.wrt[0] if request.wrt and request.wrt[0] != t else "x",
        request.options.of or "y",
    )
    asked = f"tangent to ({pair[0].title}, {pair[1].title}) at {place_text(place)}"
    return _through(request, pair, names, here, speed, asked)  # type: ignore[arg-type] # two of each


def _through(
    request: Request,
    given: Expression | tuple[Expression, ...],
    names: tuple[str, str],
    here: tuple[Value, Value],
    along: tuple[Value, Value],
    asked: str,
) -> Judgement:
    """A line through a point, in a direction."""
    dx, dy = along
    if vanishes(dx):
        if vanishes(dy):
            raise UsageError(
                "the curve has no direction at this point: both slopes are 0"
            )
        return _vertical(request, given, names, here[0], asked)
    slope = number(node(DIV, (dy, dx)))
    line = polynomial((here[1], slope), names[0], here[0])
    return _line(request, given, line, names, here[0], asked)


def _vertical(
    request: Request,
    given: Expression | tuple[Expression, ...],
    names: tuple[str, str],
    at: Value,
    asked: str,
) -> Judgement:
    claim = _upright(request, *names)
    told = f"the tangent is vertical: {names[0]} = {to_text(at)}"
    sides = of_formulas(at, claim or Expression.of(at), None)
    compared = Comparison(
        f"{names[0]}", sides, claim or Expression.of(at), at, "the vertical tangent"
    )
    found = _judgement(request, Posed(given, asked, names[0], [compared]))
    if claim:
        return found
    return found._replace(status=INCORRECT, evidence=told, **REFUTATION)


def _upright(request: Request, x: str, y: str) -> Expression | None:
    """Where a claimed vertical line meets the axis; None for a line that is not vertical."""
    texts = equations.sides(request.claim) if isinstance(request.claim, str) else ()
    if len(texts) != 2:
        return None
    whole = difference(*(request.expression(text) for text in texts))
    run = derivative(whole.root, x)
    if y in whole.variables or x not in whole.variables or has_variables(run):
        return None
    rest = at_place(whole.root, {x: Constant(0.0)})
    return Expression.of(simplify(node(NEG, (node(DIV, (rest, run)),))))


def _line(
    request: Request,
    given: Expression | tuple[Expression, ...],
    line: Value,
    names: tuple[str, str],
    at: Value,
    asked: str,
) -> Judgement:
    """The verdict on a line y = ..., however its equation is written."""
    x, y = names
    if _upright(request, x, y or "y") is not None:
        told = "this line is vertical, and the tangent is not"
        found = _line(_instead(request, "0"), given, line, names, at, asked)
        return found._replace(
            status=INCORRECT, evidence=told, mistake=None, **REFUTATION
        )
    claim, crooked = _solved(request, x, y)
    sides = of_formulas(line, claim, x)
    compared = Comparison("tangent", sides, claim, line, "the tangent")
    found = _judgement(request, Posed(given, asked, x, [compared]))
    if crooked:
        return found._replace(
            status=INCORRECT,
            evidence="this is not the equation of a line",
            mistake=None,
            **REFUTATION,
        )
    if found.status == INCORRECT:
        return found._replace(mistake=_off_line(claim, line, x, at))
    return found


def _instead(request: Request, claim: str) -> Request:
    """The same question with another claim."""
    return Request(request.given, claim, request.options)


def _solved(request: Request, x: str, y: str) -> tuple[Expression, bool]:
    """The claimed line as an expression in x, and whether it is no line at all."""
    texts = equations.sides(request.claim) if isinstance(request.claim, str) else ()
    if len(texts) != 2 or not y:
        return _plain(request, texts), False
    left, right = (request.expression(text) for text in texts)
    if (
        left.root.operation is None
        and left.variables == (y,)
        and y not in right.variables
    ):
        return right, False
    if y not in (*left.variables, *right.variables):
        named = (
            left.root.operation is None and left.variables and left.variables[0] != x
        )
        return (right, False) if named else (difference(left, right), True)
    whole = difference(left, right)
    rise = derivative(whole.root, y)
    run = derivative(whole.root, x)
    straight = not {x, y} & {
        *Expression.of(rise).variables,
        *Expression.of(run).variables,
    }
    rest = at_place(whole.root, {y: Constant(0.0)})
    solved = Expression.of(simplify(node(NEG, (node(DIV, (rest, rise)),))))
    return solved, not straight


def _plain(request: Request, texts: tuple[str, ...]) -> Expression:
    return request.expression(texts[-1]) if texts else request.answer()


def _off_line(claim: Expression, line: Value, x: str, at: Value) -> Mistake | None:
    """Which half of a tangent is right, of a line that is none."""
    off = node(SUB, (claim.root, line))
    turn = derivative(off, x)
    if has_variables(turn):
        return Mistake(
            "not a line", "tangents", "this is not a line: slope and point are numbers",
            "not a line: put the point into the slope", None,
        )  # fmt: skip
    meets = vanishes(at_place(off, {x: at}))
    if vanishes(turn):
        return Mistake(
            "point missed", "tangents", "the slope is right, but the line misses the point",
            "the slope is right: look at the point", None,
        )  # fmt: skip
    if meets:
        return Mistake(
            "wrong slope", "tangents", "the line goes through the point, but its slope is wrong",
            "the point is right: look at the slope", None,
        )  # fmt: skip
    return None


def _linearization(request: Request) -> Judgement:
    f, claim = request.function(), request.answer()
    names = request.names(f)
    place = request.place(names)
    exists(f, place)
    truth = linear(f, {name: place[name] for name in names})
    sides = of_formulas(truth, claim, names[0])
    asked = f"linearization of {f.title} at {place_text(place)}"
    compared = Comparison("linearization", sides, claim, truth, "the linearization")
    found = _judgement(request, Posed(f, asked, names, [compared]))
    if found.status != INCORRECT:
        return found
    return found._replace(mistake=_off_plane(claim, f, place))


def _off_plane(
    claim: Expression, f: Expression, place: Mapping[str, Value]
) -> Mistake | None:
    """Which slope of a plane, or whether its value at the point, is wrong."""
    right: list[str] = []
    wrong: list[str] = []
    for name in place:
        slope = node(
            SUB,
            (derivative(claim.root, name), slope_at(f, name, place)),
        )
        if has_variables(slope):
            return Mistake(
                "not linear", "linearization", f"this is not linear in {name}",
                "is it linear?", None,
            )  # fmt: skip
        (right if vanishes(slope) else wrong).append(name)
    value = node(SUB, (at_place(claim.root, place), at_place(f.root, place)))
    if not wrong:
        return Mistake(
            "value missed", "linearization", "the slopes are right, but not the value at the point",
            "the slopes are right: look at the value", None,
        )  # fmt: skip
    if right or vanishes(value):
        told = f"the slope in {', '.join(wrong)} is wrong"
        return Mistake("wrong slope", "linearization", told, "look at the slopes", None)
    return None


def _taylor(request: Request) -> Judgement:
    f, claim = request.function(), request.answer()
    x = request.variable(f)
    place = request.place((x,), default=0)
    exists(f, place)
    order = request.order if request.options.order is not None else 2
    found = taylor_coefficients(f, x, place[x], order)
    truth = polynomial(found, x, place[x])
    sides = of_formulas(truth, claim, x)
    asked = f"Taylor polynomial of order {order} of {f.title} at {place_text(place)}"
    bare = [
        number(node(MUL, (c, Constant(math.factorial(k))))) for k, c in enumerate(found)
    ]
    suspects = (Suspect(FACTORIALS, formula(polynomial(bare, x, place[x]))),)
    compared = Comparison("polynomial", sides, claim, truth, "the polynomial", suspects)
    judgement = _judgement(request, Posed(f, asked, x, [compared]))
    judgement = judgement._replace(order=order)
    if judgement.status != INCORRECT or judgement.mistake is not None:
        return judgement
    return judgement._replace(mistake=_off_polynomial(claim, found, x, place[x], order))


FACTORIALS = Mistake(
    "factorials left out",
    "Taylor's formula",
    "the derivatives were not divided by k!",
    "by what is the derivative of order k divided?",
)


def _off_polynomial(
    claim: Expression, found: Sequence[Value], x: str, at: Value, order: int
) -> Mistake | None:
    """The first coefficient that is wrong, or a term too many."""
    root = claim.root
    power = f"({to_text(distance(x, at))})" if distance(x, at).operation else x
    for k in range(order + 1):
        here = node(DIV, (at_place(root, {x: at}), Constant(math.factorial(k))))
        if not vanishes(node(SUB, (here, found[k]))):
            term = f"{power}^{k}" if k > 1 else power if k else "the constant term"
            told = f"the coefficient of {term} is wrong" if k else f"{term} is wrong"
            return Mistake(
                "wrong coefficient",
                "Taylor's formula",
                told,
                "compare term by term",
                None,
            )
        root = derivative(root, x, most=MOST)
    if not vanishes(root):
        told = f"there are terms beyond order {order}"
        return Mistake("order", "Taylor's formula", told, "look at the order", None)
    return None


def _directional(request: Request) -> Judgement:
    f = request.function()
    names = request.names(f, placed=False)
    direction = request.options.direction
    if direction is None:
        raise UsageError(
            "a directional derivative needs a direction",
            hint='such as (3, 4), or "steepest"',
        )
    slopes = [derivative(f.root, name) for name in names]
    place = None if request.options.at is None else request.place(f.variables)
    if place is not None:
        exists(f, place)
        slopes = [slope_at(f, name, place) for name in names]
    where = "" if place is None else f" at {place_text(place)}"
    if direction == "steepest":
        if not _is_single(request.claim) or _is_list(request.claim):
            return _steepest_direction(request, f, slopes, names, where)
        truth = _length(slopes)
        asked, suspects = f"steepest slope of {f.title}{where}", []
    else:
        vector = _vector(request, direction, names)
        along = _sum(node(MUL, pair) for pair in zip(slopes, vector, strict=True))
        truth = node(DIV, (along, _length(vector)))
        shown = ", ".join(map(to_text, vector))
        asked = f"derivative of {f.title} along ({shown}){where}"
        suspects = [(NOT_NORMALISED, along)]
    claim = _placed(request.answer(), place or {})
    truth = number(truth) if place is not None else simplify(truth)
    whole = [] if place is not None else [Probe(f.tape, name) for name in names]
    sides = of_formulas(truth, claim, None if place is not None else names[0], whole)
    every = tuple(
        Suspect(t, formula(root))
        for t, root in [*suspects, (SIGN, node(NEG, (truth,)))]
    )
    compared = Comparison("slope", sides, claim, truth, "the slope", every)
    return _judgement(request, Posed(f, asked, names, [compared]))


NOT_NORMALISED = Mistake(
    "not normalised",
    "directional derivatives",
    "the direction was not divided by its length",
    "how long is the direction?",
)


def _is_list(claim: Any) -> bool:
    return isinstance(claim, str) and len(equations.entries(claim)) > 1


def _steepest_direction(
    request: Request,
    f: Expression,
    slopes: Sequence[Value],
    names: Sequence[str],
    where: str,
) -> Judgement:
    """The direction of steepest ascent: any positive multiple of the gradient."""
    answers = request.answers(names)
    if missing := [name for name in names if name not in answers]:
        raise UsageError(f"the direction has no part for {', '.join(missing)}")
    length, own = _length(slopes), _length([answers[name].root for name in names])
    comparisons = []
    for name, slope in zip(names, slopes, strict=True):
        truth = simplify(node(DIV, (slope, length)))
        claim = Expression.of(node(DIV, (answers[name].root, own)))
        whole = [] if where else [Probe(f.tape, n) for n in names]
        sides = of_formulas(truth, claim, None if where else name, whole)
        comparisons.append(
            Comparison(name, sides, claim, truth, f"the direction in {name}")
        )
    asked = f"direction of steepest ascent of {f.title}{where}"
    return _judgement(request, Posed(f, asked, tuple(names), comparisons))


def _vector(request: Request, direction: Any, names: Sequence[str]) -> list[Value]:
    if isinstance(direction, str):
        direction = equations.entries(direction)
    if isinstance(direction, Mapping):
        direction = [direction.get(name, 0) for name in names]
    if not isinstance(direction, tuple | list):
        raise UsageError(
            "a direction has a part for each variable", hint="such as (3, 4)"
        )
    if len(direction) != len(names):
        raise UsageError(
            f"the direction has {len(direction)} parts for {len(names)} variables: {', '.join(names)}"
        )
    found = [request.number(part) for part in direction]
    if all(map(vanishes, found)):
        raise UsageError("the direction is 0", hint="give one that is not")
    return found


def _length(vector: Sequence[Value]) -> Value:
    squares = (node(POW, (part, Constant(2.0))) for part in vector)
    return node(SQRT, (_sum(squares),))


def _sum(terms: Iterator[Value]) -> Value:
    total = next(terms)
    for term in terms:
        total = node(ADD, (total, term))
    return total


# Antiderivatives


def _antiderivative(request: Request) -> Judgement:
    f, claim = request.function(), request.answer()
    x = request.variable(f) if request.wrt or f.variables else _moving(claim)
    truth, slope = Probe(f.tape), Probe(claim.tape, x)
    names = tuple(
        sorted(dict.fromkeys((x, *f.variables, *claim.variables)), key=lambda n: n != x)
    )
    right, own = agreement.value_side(truth), agreement.slope_side(slope)
    sides = agreement.compared(
        right,
        own,
        (f.root, claim.root),
        names,
        x,
        (truth.cost + 2 * slope.cost, truth.weight + 2 * slope.weight),
    )
    # what is compared is the derivative of the claim, whose formula may be defined in more places
    derived = _derived(claim, x)
    compared = Comparison(
        "antiderivative",
        sides,
        derived,
        f.root,
        "the integrand",
        (),
        "the derivative of your answer",
    )
    part = judged(compared)._replace(claim=claim)
    if (
        part.status in (INCORRECT, PARTLY)
        and part.counterexample
        and part.counterexample.claimed is None
    ):
        part = _where_defined(part, compared)
    if part.status == INCORRECT:
        part = part._replace(mistake=_not_integrated(f, claim, x, sides, part))
    posed = Posed(f, _asked_integral(f, x), x, [compared])
    found = _from_parts(request, posed, (part,))
    notes = [n for n in found.notes if "is not in the problem" not in n]
    if part.status in (CORRECT, PARTLY):
        jumps = list(_jumps(f, claim, x))
        notes = [n for n in notes if not (jumps and "single point" in n)] + jumps
        found = _with_constant(
            found, f, claim, x, request.options.constant or "optional"
        )
    return found._replace(notes=tuple(notes), right=())


def _asked_integral(f: Expression, x: str) -> str:
    several = f" in {x}" if set(f.variables) - {x} else ""
    return f"antiderivative of {f.title}{several}"


def _derived(claim: Expression, x: str) -> Expression:
    """The derivative of a claim."""
    return _instead_of(claim, tangent(claim.root, x))


def _placed(claim: Expression, place: Mapping[str, Value]) -> Expression:
    """A claim at a point, where it may be a formula too."""
    if not {*claim.variables} & {*place}:
        return claim
    return _instead_of(claim, at_place(claim.root, place))


def _instead_of(claim: Expression, root: Value) -> Expression:
    """Another graph for the same text: decimals stay where they were typed."""
    leaves = tuple(item for item in topological(root) if is_variable(item))
    return Expression(Reading(claim.source, root, leaves, claim.notes, claim.implicit))


def _moving(claim: Expression) -> str:
    """The variable of integration where the integrand is a number."""
    others = [name for name in claim.variables if name not in ("c", "C", "k", "K")]
    return others[0] if len(others) == 1 else "x"


def _where_defined(part: Part, compared: Comparison) -> Part:
    """The verdict on a claim that has no value on a piece where the integrand has one."""
    lenient = compared.sides._replace(lenient=True)
    again = judged(compared._replace(sides=lenient))
    if again.status != CORRECT:
        return again._replace(claim=part.claim) if again.status == INCORRECT else part
    assert part.counterexample is not None
    where = point_text(part.counterexample.at)
    from exprgrad.checking.right_pieces import where_right

    pieces = (
        where_right(compared.sides)
        .partition(",")[0]
        .replace("correct for", "right for")
    )
    told = f"{pieces or 'right where it is defined'}; it covers only a part: at {where} your answer has no value or slope, the integrand has"
    return part._replace(status=PARTLY, evidence=told, mistake=None)


def _not_integrated(
    f: Expression, claim: Expression, x: str, sides: Sides, part: Part
) -> Mistake | None:
    """What else than the integral was worked out."""
    from exprgrad.checking.mistakes.diagnosis import telling_points
    from exprgrad.checking.mistakes.whole_answer import same

    if part.counterexample is None:
        return None
    telling = telling_points(sides, part.counterexample.at)
    own = agreement.value_side(Probe(claim.tape))
    slope = agreement.slope_side(Probe(f.tape, x))
    if same(sides._replace(truth=slope, claim=own), telling):
        return Mistake(
            "differentiated instead", "the question", "this is the derivative of the integrand, not its integral",
            "differentiated: read the question again", None,
        )  # fmt: skip
    if same(
        sides._replace(truth=agreement.value_side(Probe(f.tape)), claim=own), telling
    ):
        return Mistake(
            "not integrated", "the question", "this is the integrand itself",
            "not integrated: read the question again", None,
        )  # fmt: skip
    negative = formula(node(NEG, (f.root,)))
    if same(sides._replace(truth=negative), telling):
        return Mistake(
            "wrong sign", "signs", "the sign of the whole is wrong", "wrong sign", None
        )
    factor = _factor(sides, telling)
    if factor:
        return Mistake(
            "constant factor", "constant multiples", f"the derivative of your answer is {factor} times the integrand",
            "a constant factor: differentiate your answer", None,
        )  # fmt: skip
    return None


def _factor(sides: Sides, telling: Sequence[dict[str, float]]) -> str:
    """The constant by which the claim's slope is too large; empty where it is none."""
    from fractions import Fraction

    ratios = set()
    for at in telling[:6]:
        looks = sides.claim(at, 50), sides.truth(at, 50)
        if not looks[0].value or not looks[1].value:
            continue
        ratios.add(f"{float(looks[0].value / looks[1].value):.14g}")
    if len(ratios) != 1 or len(telling) < 3:
        return ""
    ratio = Fraction(float(ratios.pop())).limit_denominator(1000)
    near = float(looks[0].value / looks[1].value) if looks[1].value else 0.0
    return str(ratio) if near and abs(float(ratio) - near) < 1e-13 * abs(near) else ""


def _with_constant(
    found: Judgement, f: Expression, claim: Expression, x: str, policy: str
) -> Judgement:
    """The verdict with what the question says about the constant of integration."""
    extra = [n for n in claim.variables if n not in f.variables and n != x]
    slopes = {name: Expression.of(derivative(claim.root, name)) for name in extra}
    free = [n for n, slope in slopes.items() if not vanishes(slope.root)]
    linear = [n for n in free if not slopes[n].variables]
    if policy == "forbidden" and free:
        told = f"right but for {free[0]}: no constant of integration is asked for"
    elif policy == "required" and not linear:
        told = "the constant of integration is missing: add + C"
        if free:
            told = f"the constant of integration must be able to take every value, and {free[0]} does not stand alone"
    else:
        return found
    return found._replace(
        status=INCORRECT, evidence=told, mistake=_constant(told), **REFUTATION
    )


def _constant(told: str) -> Mistake:
    return Mistake(
        "constant of integration",
        "antiderivatives",
        told,
        "look at the constant of integration",
        None,
    )


def _jumps(f: Expression, claim: Expression, x: str) -> Iterator[str]:
    """Where a claim that is right on each piece takes another constant, in words."""
    others = [n for n in dict.fromkeys((*f.variables, *claim.variables)) if n != x]
    held = domain.held(others, 0)
    here, own = Probe(f.tape), Probe(claim.tape)
    places = sorted(
        domain.breaks((claim.root,), x, held), key=lambda place: (abs(place), -place)
    )
    for place in places[:MOST_JUMPS]:
        width = 2.0**-30 * max(1.0, abs(place))
        sides = [own.precise({**held, x: place + s * width}, 30).value for s in (-1, 1)]
        level = [here.floats({**held, x: place + s * width}).value for s in (-1, 0, 1)]
        if None in sides or None in level:
            continue
        step, slope = abs(sides[1] - sides[0]), max(abs(v or 0.0) for v in level)
        if step > 1e-3 and step > 1000 * slope * 2 * width:
            yield (
                f"your answer jumps at {x} = {place:.6g}: it is an antiderivative on"
                " each side, with another constant"
            )
            return


MOST_JUMPS = 8


# Critical points


def _critical(request: Request) -> Judgement:
    f = request.function()
    names = request.names(f, placed=False)
    found = critical_answer(request, f, names)
    return Judgement(
        "critical",
        found.status,
        found.evidence,
        None,
        None,
        (*f.notes, *found.notes),
        f,
        found.claims,
        names if len(names) > 1 else names[0],
        1,
        f"critical points of {f.title}",
        found.parts,
        found.right,
        **found.basis._asdict(),
    )


KINDS: dict[str, Kind] = {
    "derivative": Kind(_derivative, ("order", "at")),
    "antiderivative": Kind(_antiderivative, ("constant",)),
    "implicit": Kind(_implicit, ("of", "order", "at")),
    "parametric": Kind(_parametric, ("parameter", "order", "at")),
    "tangent": Kind(_tangent, ("at", "of", "parameter", "order")),
    "linearization": Kind(_linearization, ("at", "order")),
    "taylor": Kind(_taylor, ("at", "order")),
    "directional": Kind(_directional, ("at", "direction")),
    "gradient": Kind(_gradient, ("at",)),
    "hessian": Kind(_hessian, ("at",)),
    "critical": Kind(_critical, ()),
}
