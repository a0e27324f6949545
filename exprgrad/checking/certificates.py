"""Certificates: verdicts as data that another program can verify by itself, as `exprgrad/witness.py` does.

    check("x^2", "2x").certificate()["certainty"]       # "proved"

Of what is proved a certificate says where its parts have values, and by which relations between them the two sides are
the same; of what a point decides it holds the point, and both sides there as balls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import islice

from exprgrad.annotations import Any
from exprgrad.checking.agreement import AGREES, PROVED, REFUTED, Sides, of_probes
from exprgrad.checking.places import graph_of
from exprgrad.checking.question import NOWHERE, Question, conditions
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Value, node
from exprgrad.language.points import coordinate
from exprgrad.notation.text import to_text
from exprgrad.numbers.real import decimal
from exprgrad.operations.table import DIV, SUB
from exprgrad.proof.relations import relations
from exprgrad.sweeps.coordinates import as_graph
from exprgrad.sweeps.precise import Probe
from exprgrad.symbolic.conditions import EITHER, EQUAL, NO_POINT, Conditions
from exprgrad.symbolic.forms import Algebra, TooLargeError
from exprgrad.symbolic.writing import Writer

DIGITS = 30
"""Digits of a value at a point."""

MOST_POINTS, MOST_SEEN = 5, 100
"""Points that are told, and those among which they are looked for."""

MOST_NODES = 300
"""Of an expression whose domain is told."""


def certified(found: Any) -> dict[str, Any]:
    """The certificate of a verdict on one derivative, or on two expressions. Raises `UsageError` where there is none."""
    is_one = found.kind in ("derivative", "equivalence") and not found.asked
    if is_one and found.certainty == PROVED:
        # that there is no derivative is proved otherwise than by rewriting
        is_one = found.status != "incorrect" and found.claim.root is not NOWHERE
    if not is_one or found.certainty not in (PROVED, REFUTED, AGREES):
        what = "one derivative, or two expressions, have one where a proof or a point decides"  # fmt: skip
        raise UsageError("there is no certificate for this verdict", hint=what)
    f, claim, given = found.expression, found.claim, found.given
    order = found.order if found.kind == "derivative" else 0
    roots = claim.root, f.root
    difference: Value | None = node(SUB, roots)
    sides = of_probes(Probe(f.tape), Probe(claim.tape), None, roots, lenient=True)
    where = conditions(given.get("where", ()), (*f.variables, found.wrt))
    if order:
        question = Question(f, claim, found.wrt, order, where)
        difference, sides = question.difference(), question.sides()
    # the last derivative is a sweep, whose error is bounded without a formula
    truth = f.derivative(found.wrt, order=order - 1) if order > 1 else f
    wrt = found.wrt if order else ""
    told = list(islice(_told(_points(found, sides, where), truth, wrt, found), MOST_POINTS))  # fmt: skip
    if not told and found.certainty != PROVED:
        raise UsageError("there is no certificate where no point can be computed")
    certificate = {
        "expression": to_text(f.root),
        "claim": to_text(claim.root),
        "wrt": found.wrt,
        "order": order,
        "where": [condition.source for condition in where],
        "condone": bool(given.get("condone")),
        "status": found.status,
        "certainty": found.certainty,
        "points": told,
    }
    if found.certainty == PROVED:
        certificate["relations"] = [
            {
                "expression": to_text(relation.left),
                "claim": to_text(relation.right),
                "where": [f"{to_text(g)} {sign} 0" for g, sign in relation.where],
            }
            for relation in (relations(difference) if difference is not None else [])
        ]
        certificate["domains"] = _domains(f, claim)
    return certificate


def _points(
    found: Any, sides: Sides, where: Sequence[Expression]
) -> list[dict[str, Value]]:
    """The point that was asked about, or refutes the claim, or those that were looked at and meet the conditions."""
    if "at" in found.given:
        at = found.given["at"].items()
        return [{name: as_graph(coordinate(name, x)) for name, x in at}]
    if found.certainty == REFUTED:
        return [_exact(found.counterexample.at)] if found.counterexample else []
    holds = [Probe(condition.tape).floats for condition in where]
    seen = islice(sides.trail, MOST_SEEN)
    return [_exact(at) for at in seen if all(look(at).value for look in holds)]


def _told(
    points: Sequence[Mapping[str, Value]], truth: Expression, wrt: str, found: Any
) -> Iterator[dict[str, Any]]:
    """Yield the points where the slope of the truth in `wrt`, or its value, can be computed, with that of the claim."""
    for at in points:
        try:
            right, own = _ball(truth, at, wrt), _ball(found.claim, at, "")
        except ArithmeticError:
            continue  # exponents of seven digits are too large for the witness, too
        # of a proof a hole at a single point means nothing
        if right and (own or found.certainty != PROVED):
            texts = {n: to_text(x) if (q := rational(x)) is None else str(q) for n, x in at.items()}  # fmt: skip
            yield {"at": texts, "derivative": right, "claimed": own}


def _exact(at: Mapping[str, float]) -> dict[str, Value]:
    """A point as graphs without variables."""
    return {name: graph_of(x) for name, x in at.items()}


def _ball(f: Expression, at: Mapping[str, Value], wrt: str) -> list[str] | None:
    """A value or a partial as the middle and the radius of a ball."""
    if wrt and wrt not in f.variables:
        return ["0", "0"]
    found = None
    with suppress(ExprgradError):
        own = {name: at[name] for name in f.variables if name in at}
        found = f.evaluate(own, (wrt,) if wrt else (), digits=DIGITS).known(wrt)
    if found is None or not found.is_number:
        return None
    if found.middle is None:
        return [str(Decimal(found.value or 0)), str(Decimal(found.error))]
    middle = decimal(found.middle, 2 * DIGITS)
    # a hundred times what the digits claim: the middle was rounded to be written, too
    radius = abs(Decimal(middle)) * Decimal(10) ** (2 - min(found.right, 2 * DIGITS))
    return [middle, f"{radius or Decimal(found.error):.3e}"]


def _domains(*sides: Expression) -> list[dict[str, Any]]:
    """Return where the functions in expressions, and these themselves, have values, as far as signs tell."""
    found: dict[str, list[str]] = {}
    for root in (side.root for side in sides):
        algebra = Algebra()
        writer, nodes = Writer(algebra, decimal=False), topological(root, MOST_NODES)
        for part in nodes:
            row = part.operation
            if row is None or not (part is root or (row.domain and row is not DIV)):
                continue
            with suppress(TooLargeError):
                asked = [c for _, own in Conditions(algebra).of(part) for c in own]
                if asked and not any(c.sign in (EITHER, EQUAL, NO_POINT) for c in asked):  # fmt: skip
                    where = (f"{to_text(writer.graph(c.form))} {c.sign} {c.level}" for c in asked)  # fmt: skip
                    found[to_text(part)] = [*dict.fromkeys(where)]
    return [{"part": part, "where": where} for part, where in found.items()]
