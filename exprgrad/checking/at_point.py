"""The verdict on a claimed derivative at a point, where it is a number or a formula.

    at_point(question, {"x": 3.0}).status           "correct"

At an edge of the domain the derivative is the slope from inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction

from exprgrad.annotations import Any
from exprgrad.checking import agreement, judging
from exprgrad.checking.agreement import Findings, Outcome
from exprgrad.checking.points import Point
from exprgrad.checking.question import Question
from exprgrad.checking.rounding import explained_by_rounding
from exprgrad.errors import (
    BindingError,
    DomainError,
    ExprgradError,
    RangeError,
    UndecidedError,
)
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.higher_orders import orders
from exprgrad.expressions.taylor import at_place
from exprgrad.graph.rational import large_rational, rational
from exprgrad.graph.value import Constant, Value, node
from exprgrad.language.points import coordinate
from exprgrad.numbers.real import kept
from exprgrad.operations.table import ADD, SUB
from exprgrad.sweeps.bounds import EXACT, UNDECIDED, Known
from exprgrad.sweeps.coordinates import ExactPlace, as_graph
from exprgrad.sweeps.precise import Look, Probe

REFUTING = ("differs", "undefined", "isolated")
"""What an outcome is called that speaks against a claim."""


def at_point(question: Question, at: Mapping[str, Any]) -> judging.Posed:
    """The claim at one point, as a number or as a formula. Raises `DomainError` where the function has no value there."""
    names = (*question.expression.variables, question.wrt)
    for name in at:
        if name not in (*names, *question.claim.variables):
            message = f"neither the problem nor the answer has a variable {name}"
            raise BindingError(message)
    f = question.expression
    point = f.point({name: x for name, x in at.items() if name in f.variables})
    for name in question.names:
        if name not in at:
            whose = "your answer" if name in question.claim.variables else "a condition"
            raise BindingError(f"{whose} uses {name}, which has no value")
        point.setdefault(name, coordinate(name, at[name]).double or 0.0)
    with suppress(RangeError):  # what follows compares numbers of any size
        f.evaluate({n: at[n] for n in f.variables}, ())
    sides = _moved(question, at, point).sides()
    outcome = agreement.settle_alone(sides, point)
    told = dict(point)
    for name, double in point.items():
        # such a double has lost digits, or is 0, and would not name the place
        if abs(double) < judging.SMALLEST:
            root = as_graph(coordinate(name, at[name]))
            exact = large_rational(root)
            if exact != Fraction(double):
                told[name] = ExactPlace(root if exact is None else exact, double)
    outcome = outcome._replace(at=told)
    notes: tuple[str, ...] = ()
    verdict: judging.Verdict | None = None
    if outcome.kind not in ("agrees", *REFUTING):
        found = _from_one_side(question, at, told)
        if found is not None:
            outcome, notes = found[0], found[1:]
            slope = Look(outcome.truth, None)
            sides = sides._replace(truth=lambda _, __: slope, along=None)
        # no number is right where there is no derivative, and why there is none says why
        elif (none := _none_at(question, at)).status == judging.CORRECT:
            verdict = none._replace(status=judging.INCORRECT)
    verdict = verdict or _judged(judging.compared_with(question, sides), point, outcome)  # fmt: skip
    return _posed(question, verdict, told, notes)


def none_at(question: Question, at: Mapping[str, Any]) -> judging.Posed:
    """The claim that there is no derivative at a point."""
    f = question.expression
    told = f.point({name: x for name, x in at.items() if name in f.variables})
    return _posed(question, _none_at(question, at), told)


def _posed(
    question: Question, verdict: judging.Verdict, at: Point, notes: tuple[str, ...] = ()
) -> judging.Posed:
    """The question with its verdict, which is about a point."""
    return judging.posed(question, verdict)._replace(
        finish=lambda found: found._replace(at=at, notes=(*found.notes, *notes))
    )


def _none_at(question: Question, at: Mapping[str, Any]) -> judging.Verdict:
    """The verdict on the claim that there is no derivative at a point."""
    f, wrt, order = question.expression, question.wrt, question.order
    point = {name: x for name, x in at.items() if name in f.variables}
    told = f.point(point)
    try:
        found = orders(f, point, wrt, order) if wrt in f.variables else None
    except (RangeError, UndecidedError) as error:
        return judging.stated(question, judging.UNDECIDED, error.message)
    except DomainError as error:
        return judging.stated(question, judging.CORRECT, error.message, agreement.PROVED)  # fmt: skip
    known = Known(0.0, 0.0, EXACT) if found is None else found.numbers[order]
    where = judging.at_text(told)
    if known.is_number:
        slope = known.decimal()
        edges = () if found is None else found.evaluation.corners
        # books differ on whether a slope from one side is a derivative, so neither answer is wrong
        if any(corner.kind == "edge" for corner in edges):
            evidence = f"{where}there is a slope from one side only, {slope}"
            return judging.stated(question, judging.UNDECIDED, evidence)
        evidence = f"{where}there is a derivative: it is {slope}"
        verdict = judging.stated(question, judging.INCORRECT, evidence, agreement.REFUTED)  # fmt: skip
        if known.value is None:
            return verdict
        example = judging.Counterexample(dict(told), None, known.value)
        return verdict._replace(counterexample=example)
    assert found is not None
    missing = found.missing(order).message
    if known.status == UNDECIDED:
        return judging.stated(question, judging.UNDECIDED, missing)
    return judging.stated(question, judging.CORRECT, missing, agreement.PROVED)


def _moved(
    question: Question, at: Mapping[str, Any], point: Mapping[str, float]
) -> Question:
    """The question with x + (a - d) for every x whose double d is not the number a that is meant."""
    place: dict[str, Value] = {}
    for name, double in point.items():
        root = as_graph(coordinate(name, at[name]))
        if root.operation is None and rational(root) == Fraction(double):
            continue
        # a sweep takes doubles; what the double lacks is in the graph, where any precision finds it
        off = node(SUB, (root, Constant(Fraction(double))))
        place[name] = node(ADD, (Value(None, name), off))
    if not place:
        return question
    both = (question.expression, question.claim)
    f, claim = (Expression.of(at_place(e.root, place), e.variables) for e in both)
    return question._replace(expression=f, claim=claim)


def _judged(
    comparison: judging.Comparison, point: Point, outcome: Outcome
) -> judging.Verdict:
    """The verdict at a point where there is a gradient, from what was found there."""
    agrees, refutes = outcome.kind == "agrees", outcome.kind in REFUTING
    against_it = outcome if refutes else None
    found = Findings([point], [outcome] * agrees, [], against_it, tried=1)
    where = f" at {judging.point_text(outcome.at)}" if outcome.at else ""
    if agrees:
        evidence = f"agrees{where} to {found.basis.digits} digits"
        return judging.concluded(comparison, judging.CORRECT, evidence, found)
    assert comparison.question is not None
    if not refutes:
        conditions = comparison.question.where
        fails = [c.source for c in conditions if not Probe(c.tape).floats(point).value]
        evidence = f"could not decide whether the two numbers are equal{where}"
        if fails:
            evidence = f"{fails[0]} does not hold{where}"
        return judging.concluded(comparison, judging.UNDECIDED, evidence, found)
    rounded = explained_by_rounding(comparison.question, comparison.sides, found, everywhere=False)  # fmt: skip
    if rounded is not None and rounded.whole:
        return judging.concluded(comparison, judging.CORRECT, rounded.evidence, found)
    example = judging.example_of(outcome)
    told = judging.against(outcome)
    return judging.concluded(comparison, judging.INCORRECT, told, found, example)


def _from_one_side(
    question: Question, at: Mapping[str, Any], point: dict[str, float]
) -> tuple[Outcome, str] | None:
    """Return what is found at an edge of the domain, where the derivative is the slope from inside, and which that is."""
    f, claim, wrt, order = question[:4]
    digits = agreement.LADDER[0] - agreement.SPARE
    try:
        found = orders(f, {n: at[n] for n in f.variables}, wrt, order, digits)
        own = {n: at[n] for n in claim.variables}
        sides = found.numbers[order], claim.evaluate(own, (), digits=digits).known()
    except ExprgradError:
        return None
    edge = next((c for c in found.evaluation.corners if c.kind == "edge"), None)
    if edge is None or any(side.value is None for side in sides):
        return None
    truth, claimed = (kept(s.value if s.middle is None else s.middle) for s in sides)
    near = agreement.tenth(digits) * max(abs(truth), abs(claimed))
    kind = "open"
    if abs(truth - claimed) > sum(side.error for side in sides):
        kind = "differs"
    # the agreement is told to so many digits, so both have to be known to as many
    elif abs(truth - claimed) <= near and min(s.sure for s in sides) >= digits:
        kind = "agrees"
    side = "left" if edge.right is None else "right"
    note = f"the derivative at {judging.point_text(point)} is the slope from the {side}; the other side is not defined"
    return Outcome(kind, point, truth, claimed, digits=digits), note
