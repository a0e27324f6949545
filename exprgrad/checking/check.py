"""Checking a claimed derivative: right or wrong, with what shows it.

    check("x^2*sin(x)", "2x sin x + x^2 cos x").status         # "correct"
    check("sin(3x)", "cos(3x)").counterexample                 # at x = 0: claimed 1, derivative 3
    equivalent("sin(2x)", "2 sin x cos x").status              # "equal"

The question is asked where the function is defined and differentiable over the reals, and only there:
1/x is right for ln(x). Agreement is proved where that can be done, and else found at points in every
piece of the domain with many digits; too few of them are no verdict.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple, SupportsFloat
from exprgrad.checking import agreement
from exprgrad.checking.agreement import (
    PROVED,
    REFUTATION,
    REFUTED,
    Basis,
    Findings,
    Outcome,
    Sides,
    screened,
)
from exprgrad.checking.places import written as place_text
from exprgrad.checking.points import Point
from exprgrad.checking.question import Question, conditions
from exprgrad.errors import BindingError, ExprgradError, Hint, RangeError, UsageError
from exprgrad.expressions.displayed import displayed
from exprgrad.expressions.expression import HIGHEST_ORDER, Expression, parse
from exprgrad.expressions.taylor import at_place
from exprgrad.graph.numbering import GraphNumbering
from exprgrad.graph.order import topological
from exprgrad.graph.rational import large_rational, rational
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.language import inputs
from exprgrad.language.points import coordinate
from exprgrad.language.products import letters, splits, written
from exprgrad.language.shapes import is_latex
from exprgrad.numbers.real import kept
from exprgrad.operations.operation import function_names, show
from exprgrad.operations.table import ADD, SUB
from exprgrad.operations.vocabulary import CONSTANTS
from exprgrad.proof.definedness import defined_with
from exprgrad.proof.identity import vanishes
from exprgrad.sweeps.bounds import Known
from exprgrad.sweeps.coordinates import Coordinate, ExactPlace, as_graph, substituted
from exprgrad.sweeps.precise import Look, Probe
from exprgrad.symbolic.derivative import tangent

if TYPE_CHECKING:
    from exprgrad.checking.mistakes.mistake import Mistake


CORRECT, INCORRECT, UNDECIDED = "correct", "incorrect", "undecided"
PARTLY, UNREADABLE = "partly", "unreadable"

MOST_EXPLAINED = 20_000
"""Work of a look up to which it is asked what went wrong."""

MOST_JOINED = 3
"""Parts of a name that may have been meant as a product or a call."""

MOST_PROVED = 3000
"""Operations of expressions whose equality is tried to be proved."""

PROVED_ZERO = "proved: the difference of the two simplifies to 0"
MOST_SEEN = 40
"""Points at which a value is looked for of what is equal to itself."""

MOST_REDUCED = 3
"""Points at which two expressions are compared as numbers, where no digits tell them apart."""

SAME = "the two are the same expression"

REFUTING = ("differs", "undefined", "isolated")
"""What an outcome is called that speaks against a claim."""

SMALLEST = 2.0**-1022
"""The smallest double with all of its digits."""

LONGEST_COORDINATE = 14
"""Characters of a coordinate that is written out."""


SHORTEST_ROUNDED = 10
"""Characters of a rounded coordinate below which it would be taken for another number: 3, of 3.0000000000004."""


class Counterexample(NamedTuple):
    """A point at which a claim fails. `claimed` is None where the claim is not defined."""

    at: dict[str, float]
    claimed: float | None
    derivative: float


@displayed
class Verdict(NamedTuple):
    """What is to be said of a claimed derivative.

    `status` is correct, incorrect, partly (right on a piece of the domain, which `evidence` names),
    undecided or unreadable (the answer depends on a name that the problem lacks); `evidence` is a sentence
    that tells what it rests on; `mistake` is what probably went wrong; `notes` tell how the texts were read,
    and more. `if_read_as` is another reading of both texts with which the claim is right. `at` is the point,
    where the question is about one. `certainty`, `points` and `digits` are for programs: see `agreement.Basis`.
    """

    status: str
    evidence: str
    counterexample: Counterexample | None
    mistake: Mistake | None
    notes: tuple[str, ...]
    expression: Expression
    claim: Expression
    wrt: str
    order: int
    if_read_as: str | None = None
    at: Mapping[str, float] | None = None
    certainty: str | None = None
    points: int | None = None
    digits: int | None = None

    @property
    def derivative(self) -> str:
        """The derivative as a formula; in words where it would be very long."""
        return self.expression.derivative(self.wrt, order=self.order).source


class Equivalence(NamedTuple):
    """Whether two expressions are equal, different or undecided, wherever both are defined.

    `certainty`, `points` and `digits` say what that rests on, for programs: see `agreement.Basis`.
    """

    status: str
    evidence: str
    counterexample: Counterexample | None
    notes: tuple[str, ...]
    certainty: str | None = None
    points: int | None = None
    digits: int | None = None


def check(
    f: str | Expression,
    claim: str | float | Expression,
    wrt: str | None = None,
    *,
    order: int = 1,
    at: Mapping[str, SupportsFloat] | None = None,
    where: str | Sequence[str] = (),
    condone_domain: bool = False,
) -> Verdict:
    """Whether `claim` is the derivative of `f` with respect to `wrt`, that many times.

    `wrt` may be left out where there is one variable. With `at`, only at that point; with `where`, only
    where these conditions hold: "x > 0, a > 0". With `condone_domain` a claim need not be defined wherever
    the derivative is: ln(x) passes for ln|x|. Raises `ExpressionSyntaxError` for a text that cannot be read,
    `UsageError` where the variable is unclear.
    """
    expression, claimed, name = read(f, claim, wrt)
    inputs.count(order, "an order", 1, HIGHEST_ORDER)
    question = Question(expression, claimed, name, order)
    if not isinstance(where, str) or where:
        names = list(dict.fromkeys((*expression.variables, name)))
        question = question._replace(where=conditions(where, names))
    question = question._replace(condone=condone_domain)
    verdict = _checked(question, at, wrt)
    for side in claimed.sides[:-1]:  # of a chain of LaTeX the last one is the claim
        if verdict.status == CORRECT:
            verdict = _checked(question._replace(claim=side), at, wrt)
    return verdict


def _checked(
    question: Question, at: Mapping[str, SupportsFloat] | None, wrt: str | None
) -> Verdict:
    """The verdict on a question at a point or everywhere, with other readings if it is not correct."""
    verdict = _judged(question) if at is None else _at_point(question, at)
    if verdict.status not in (INCORRECT, PARTLY, UNREADABLE):
        return verdict
    slipped = None if at is not None else _slipped(question, verdict)
    return slipped or _if_read_otherwise(question, verdict, at, wrt) or verdict


def _slipped(question: Question, verdict: Verdict) -> Verdict | None:
    """The verdict on a claim that is right but for what was typed beside it: + C, dx."""
    from exprgrad.checking.mistakes.slips import slips

    own = (*question.expression.variables, question.wrt)
    names = [name for name in question.claim.variables if name not in own]
    if not names:
        return None
    for mistake, text in slips(question.claim.source, question.wrt, names):
        try:
            meant = parse(text, own, lenient=True)
            found = _judged(question._replace(claim=meant))
        except ExprgradError:
            continue
        if found.status == CORRECT:
            evidence = (
                verdict.evidence if verdict.status != UNREADABLE else mistake.message
            )
            return verdict._replace(
                status=INCORRECT, evidence=evidence, mistake=mistake, **REFUTATION
            )
    return None


def _judged(question: Question) -> Verdict:
    """The verdict on a question as it was read."""
    try:
        sides = _prepared(question)
    except UsageError as error:
        return _verdict(question, UNDECIDED, error.message, Findings())
    found = _examined(question, sides)
    if found.against is None:
        return _not_refuted(question, sides, found)
    from exprgrad.checking.rounding import explained_by_rounding

    small = sides.weight <= MOST_EXPLAINED
    rounded = explained_by_rounding(question, sides, found) if small else None
    if rounded is not None:
        status = CORRECT if rounded.whole else UNDECIDED
        return _verdict(question, status, rounded.evidence, found)
    return _refuted(question, sides, found)


def _if_read_otherwise(
    question: Question,
    verdict: Verdict,
    at: Mapping[str, SupportsFloat] | None,
    wrt: str | None,
) -> Verdict | None:
    """The verdict on a claim that is right if shorthands are read otherwise."""
    from exprgrad.checking.readings import consistent

    f, claim = question.expression.source, question.claim.source
    for reading in consistent(f, claim):
        try:
            other = read(reading.problem, reading.claim, wrt or question.wrt)
            changed = question._replace(expression=other[0], claim=other[1])
            right = (
                _is_right(changed)
                if at is None
                else _at_point(changed, at).status == CORRECT
            )
        except ExprgradError:
            continue
        if right:
            return verdict._replace(
                status=UNDECIDED,
                evidence=f"correct if you mean {reading.meant}",
                if_read_as=reading.meant,
                counterexample=None,
                mistake=None,
                **Basis()._asdict(),
            )
    return None


def _is_right(question: Question) -> bool:
    """Whether a claim is right as it was read; what is wrong with it is not asked."""
    sides = _prepared(question)
    found = _examined(question, sides)
    return found.against is None and found.enough


def _examined(question: Question, sides: Sides) -> Findings:
    """What is found of a claim at points, and at those that are settled by the difference as a whole."""
    found = agreement.examine(
        sides,
        lambda: is_zero(difference(question)),
        lambda: defined_with(question.claim.root, question.expression.root),
    )
    rest = difference(question) if found.unsettled is not None else None
    if found.against is None and rest is not None:
        return _at_unsettled(rest.operands[1], rest.operands[0], found)
    return found


def _prepared(question: Question) -> Sides:
    """What is compared. Raises `UsageError` where the formula for a higher order would be too large."""
    if question.order > 1 and len(question.expression.tape.steps) > MOST_PROVED:
        raise UsageError("the function is too large for derivatives of higher order")
    return question.sides()


def equivalent(
    a: str | Expression, b: str | Expression, wrt: str | None = None
) -> Equivalence:
    """Whether two expressions are equal wherever both are defined over the reals."""
    a, b = (e if isinstance(e, Expression) else inputs.text(e) for e in (a, b))
    wrt = None if wrt is None else inputs.normal(inputs.text(wrt, "the variable"))
    first = parse(a, [wrt] if wrt else []) if isinstance(a, str) else a
    second = parse(b, first.variables) if isinstance(b, str) else b
    if isinstance(a, str) and len(second.variables) > len(first.variables):
        first = parse(a, second.variables)
    for expression in (first, second):
        expression.refuse_arrays({})
        if len(expression.sides) > 1:
            raise UsageError(
                "an equation is no expression that could be equal to another",
                hint="compare one of its sides",
            )
    left, right = Probe(first.tape), Probe(second.tape)
    names = tuple(dict.fromkeys((*first.variables, *second.variables)))
    sides = agreement.compared(
        agreement.value_side(left),
        agreement.value_side(right),
        (first.root, second.root),
        names,
        wrt or next(iter(names), None),
        (left.cost + right.cost, left.weight + right.weight),
        lenient=True,
    )
    notes = (*first.notes, *second.notes)
    if are_same(first.root, second.root):
        seen = {screened(sides, at) for at in itertools.islice(sides.trail, MOST_SEEN)}
        if seen != {"unusable"}:
            return Equivalence("equal", SAME, None, notes, PROVED)
        if names:
            notes = (*notes, "no point was found at which it has a value")
            return Equivalence("equal", SAME, None, notes, PROVED)
    difference = node(SUB, (first.root, second.root))
    found = agreement.examine(sides, lambda: is_zero(difference), lambda: True)
    if found.against is None and not (names or found.proved):
        found = _of_constants(first.root, second.root, found)
    elif found.against is None:
        found = _at_unsettled(first.root, second.root, found)
    if found.against is not None:
        if None in (found.against.truth, found.against.claim):
            evidence = f"they differ by {_distance(found.against)}"
            return Equivalence("different", evidence, None, notes, REFUTED, 1)
        example = example_of(found.against)
        values = _told(found.against.truth), _told(found.against.claim)
        evidence = f"{_place(example)}they are {' and '.join(values)}"
        if values[0] == values[1]:
            evidence += f" (they differ by {_distance(found.against)})"
        return Equivalence(
            "different", evidence, in_doubles(example), notes, *basis(INCORRECT, found)
        )
    if not found.enough:
        where = "the one point" if found.tried == 1 else f"any of {found.tried} points"
        nowhere = f"could not compare them at {where} that {'was' if found.tried == 1 else 'were'} tried"
        return Equivalence(UNDECIDED, unfinished_text(found) or nowhere, None, notes)
    return Equivalence("equal", agreement_text(found), None, notes, *found.basis)


def _at_unsettled(one: Value, other: Value, found: Findings) -> Findings:
    """What is found of two expressions at points where no digits that can be afforded have told them apart."""
    if found.unsettled is None or found.exhausted or found.contradiction is not None:
        return found
    for at in (found.unsettled, *(own.at for own in found.settled[:MOST_REDUCED])):
        place = {name: Coordinate.of(x) for name, x in at.items()}
        here = _of_constants(substituted(one, place), substituted(other, place), found)
        if here.against is not None:
            return here._replace(against=here.against._replace(at=at))
    return found


def _of_constants(one: Value, other: Value, found: Findings) -> Findings:
    """What is found of two numbers by fractions of any size, or by bounds: of 2004!/2003!, 2^(10^7) and e^(10^6)."""
    exact = large_rational(one), large_rational(other)
    if None not in exact:
        if exact[0] == exact[1]:
            return Findings([{}], proved=True, wanted=1, tried=1)
        return found._replace(against=Outcome("differs", {}, *exact))
    from exprgrad.checking import constants

    difference = node(SUB, (one, other))
    apart: Known | None = constants.bounded(difference)
    if apart is not None and not (apart.value or apart.middle):
        apart = constants.apart(difference)
    if apart is None:
        return found
    if apart.value == 0:
        return Findings([{}], proved=True, wanted=1, tried=1)
    left, right, size = (
        kept(x.value if x.middle is None else x.middle) if x.is_number else None
        for x in (constants.bounded(one), constants.bounded(other), apart)
    )
    return found._replace(against=Outcome("differs", {}, left, right, apart=size))


def is_simplified(claim: Expression) -> bool:
    """Whether no shorter way to write an expression is known.

    Shorter is what has fewer operations (a fraction counts as a number), or mentions variables less often.
    """
    from exprgrad.expressions.confirm import simplify

    short, own = _size(simplify(claim.root)), _size(claim.root)
    return short[0] >= own[0] and (short[1] >= own[1] or short[0] > own[0])


def _size(root: Value) -> tuple[int, int]:
    """The operations of a graph without those within a rational number, and the uses of variables."""
    items = [item for item in topological(root) if rational(item) is None]
    uses = sum(is_variable(o) for item in items for o in item.operands)
    return sum(item.operation is not None for item in items), uses


def read(
    f: str | Expression, claim: str | float | Expression, wrt: str | None
) -> tuple[Expression, Expression, str]:
    """Both expressions, read with each other's letters declared, and the variable."""
    from exprgrad.checking.readings import unlabelled

    given: Any = claim
    if not isinstance(claim, str | Expression):
        given = inputs.number_text(claim, "a claim")
    given = unlabelled(given) if isinstance(given, str) else given
    f = f if isinstance(f, Expression) else inputs.text(f, "a function")
    wrt = None if wrt is None else inputs.normal(inputs.text(wrt, "the variable"))
    texts = " ; ".join(text for text in (f, given) if isinstance(text, str))
    declared = {*letters(texts, wrt), *([wrt] if wrt else [])}
    expression = parse(f, declared, lenient=True) if isinstance(f, str) else f
    if isinstance(f, str) and wrt is not None and wrt not in expression.variables:
        own = _joined(expression.variables, wrt, texts)
        declared |= own
        expression = parse(f, declared, lenient=True) if own else expression
    if isinstance(given, str):
        given = _chain(given, {*expression.variables, *declared})
        if any(side.asks_for_derivative for side in given.sides):
            raise UsageError(
                "an answer cannot ask for a derivative", hint="work it out"
            )
    expression.refuse_arrays({})
    given.refuse_arrays({})
    _refuse_two_functions(expression)
    names = expression.variables or given.variables
    if wrt is None and len(names) > 1:
        raise UsageError(
            f"there are several variables: {', '.join(names)}",
            hint=Hint("choose_variable", name=names[0]),
        )
    if wrt is None and not {*given.variables} <= {*names}:
        _refuse_joined(names, expression)
    return expression, given, wrt or (names[0] if names else "x")


def _refuse_two_functions(f: Expression) -> None:
    """Refuse an equation whose sides are not equal, x^3 = x^2, which is no function."""
    *others, last = (Expression.of(side.root) for side in f.sides)
    if any(equivalent(side, last).status == "different" for side in others):
        raise UsageError(
            "the two sides of this equation are not equal", hint="give one function"
        )


def _chain(claim: str, declared: set[str]) -> Expression:
    """An answer, of 2x = 2*x the last side; its `sides` are all of them."""
    if "=" not in claim or is_latex(claim):
        return parse(claim, declared, lenient=True)
    from exprgrad.language.questions import between_equals

    texts = [claim[slice(*span)] for span in between_equals(claim)]
    members = tuple(parse(text, declared, lenient=True) for text in texts)
    if len(members) > 1:
        for member in members:
            member.sides = members
    return members[-1]


def _joined(names: tuple[str, ...], wrt: str, texts: str) -> set[str]:
    """The letters of a name such as xyz, where it is differentiated with respect to one of them.

    It is a product if the answer's names are made of letters of it, too: `price` is not.
    """
    words = set(re.findall(r"[^\W\d_]+", texts)) - set(function_names()) - {*CONSTANTS}
    for name in names:
        apart = set(name)
        made = name.isalpha() and wrt in apart and len(apart) == len(name)
        if made and all(set(word) <= apart for word in words):
            return apart
    return set()


def _refuse_joined(names: tuple[str, ...], expression: Expression) -> None:
    """Refuse to differentiate by sinx where the answer has cosx: sin(x) will have been meant."""
    for name in names:
        ways = splits(name, set(name)) if len(name) > 1 else []
        if ways and len(ways[0]) <= MOST_JOINED:
            span = expression.tape.nodes[expression.tape.variables[name]].span
            raise UsageError(
                f"{name} is read as one name here",
                span,
                Hint("product_then_variable", product=written(ways[0])),
                source=expression.source,
            )


def _not_refuted(question: Question, sides: Sides, found: Findings) -> Verdict:
    if not found.enough:
        return _verdict(question, UNDECIDED, _why_open(question, found), found)
    verdict = _verdict(question, CORRECT, agreement_text(found), found)
    if sides.lenient and sides.weight <= MOST_EXPLAINED:
        from exprgrad.checking.right_pieces import where_right

        pieces = where_right(sides._replace(lenient=False))
        if pieces:
            note = f"your answer is not defined everywhere: {pieces}"
            return verdict._replace(notes=(*verdict.notes, note))
    return verdict


def unfinished_text(found: Findings) -> str:
    """What was left undone because the work for it had run out; nothing if it had not."""
    if found.contradiction is not None:
        where = point_text(found.contradiction)
        return f"the two can be rewritten into each other, but the numbers at {where} differ"
    if found.exhausted:
        return "these expressions are too large to be compared in reasonable time"
    if found.is_cut and len(found.settled) >= found.wanted:
        return (
            f"{agreement_text(found)}, but the search for pieces of the domain was cut short:"
            " these expressions are too large for it"
        )
    if found.unsettled is not None and len(found.settled) >= found.wanted:
        where = f"not around {point_text(found.unsettled)}: the numbers there"
        if not found.unsettled:
            where = "not for sure: numbers on the way"
        return f"{agreement_text(found)}, but {where} are too large, or too close, to be compared"
    return ""


def _why_open(question: Question, found: Findings) -> str:
    if unfinished := unfinished_text(found):
        return unfinished
    if found.overflows > found.tried // 3:
        return "the numbers are too large for double precision at nearly every point"
    if not found.usable and not found.isolated:
        return (
            "there is no derivative over the real numbers"
            f" at any of {found.tried} points: is the function defined anywhere?"
        )
    return f"only {len(found.settled)} of {found.tried} points can be used"


def agreement_text(found: Findings) -> str:
    """What an agreement rests on."""
    if found.proved:
        return PROVED_ZERO
    _, count, digits = found.basis
    points = f"{count} points" if count != 1 else "one point"
    return f"agrees at {points} to {digits} digits"


def basis(status: str, found: Findings) -> Basis:
    """What a verdict rests on."""
    if status in (INCORRECT, PARTLY):
        return Basis(REFUTED, None if found.against is None else 1)
    return found.basis if status == CORRECT else Basis()


def difference(question: Question) -> Value | None:
    """The claim less the derivative as its rules give it; None where that would be too large."""
    root = question.expression.root
    for _ in range(question.order):
        if len(topological(root)) > MOST_PROVED:
            return None
        root = tangent(root, question.wrt)
    return node(SUB, (question.claim.root, root))


def is_zero(difference: Value | None) -> bool:
    """Whether a difference is proved to be 0: of the same twice, or one of moderate size."""
    if difference is None:
        return False
    if len(topological(difference)) <= MOST_PROVED and vanishes(difference):
        return True
    return difference.operation is SUB and are_same(*difference.operands)


def are_same(one: Value, other: Value) -> bool:
    """Whether two graphs are equal, node by node."""
    numbering = GraphNumbering()
    return numbering.number(one) == numbering.number(other)


def _refuted(question: Question, sides: Sides, found: Findings) -> Verdict:
    from exprgrad.checking.mistakes.diagnosis import diagnose
    from exprgrad.checking.names import asked, strange
    from exprgrad.checking.right_pieces import some_points, where_right

    assert found.against is not None
    example = example_of(found.against)
    evidence = against(found.against)
    if sides.weight > MOST_EXPLAINED:
        return _verdict(question, INCORRECT, evidence, found, example)
    seen = some_points(sides)
    pieces = where_right(sides, seen)
    status = PARTLY if pieces else INCORRECT
    if pieces:
        if not all(example.at.values()):  # where pieces end, not in the wrong one
            outcome = _inside(sides, seen) or found.against
            example, evidence = example_of(outcome), against(outcome)
        evidence = f"{pieces}: {evidence}"
    mistake = diagnose(question, sides, example.at, bool(pieces), seen)
    names = strange(question)
    if names:
        return _verdict(question, UNREADABLE, asked(question, names), found)
    return _verdict(question, status, evidence, found, example, mistake)


def _inside(sides: Sides, seen: Sequence[tuple[Point, str]]) -> Outcome | None:
    """What refutes a claim at a point inside a piece; None if the first that may is none."""
    suspected = (at for at, kind in seen if kind == "suspected" and all(at.values()))
    at = next(suspected, None)
    outcome = None if at is None else agreement.settle(sides, at, thorough=False)
    refutes = outcome is not None and outcome.kind in ("differs", "undefined")
    return outcome if refutes else None


def against(
    outcome: Outcome, what: str = "the derivative", yours: str = "your answer"
) -> str:
    """What a point says against a claim: what `yours` gives there, and what is right."""
    example = example_of(outcome)
    where = _place(example)
    claimed, derivative = _told(outcome.claim), _told(outcome.truth)
    if example.claimed is None:
        return f"{where}{yours} is not defined, {what} is {derivative}"
    told = f"{where}{yours} gives {claimed}, {what} is {derivative}"
    if claimed == derivative:
        told += f" (they differ by {_distance(outcome)})"
    return told


def _place(example: Counterexample) -> str:
    """The point of an example, if there are variables, at the beginning of a sentence."""
    return f"at {point_text(example.at)} " if example.at else ""


def _distance(outcome: Outcome) -> str:
    """How far two numbers are apart that look the same."""
    from exprgrad.numbers.real import decimal

    size = outcome.apart
    size = outcome.truth - outcome.claim if size is None else size
    return decimal(_precise(abs(size)), 3)


def _at_point(question: Question, at: Mapping[str, SupportsFloat]) -> Verdict:
    """The claim at one point, as a number or as a formula."""
    names = (*question.expression.variables, question.wrt)
    for name in at:
        if name not in (*names, *question.claim.variables):
            raise BindingError(
                f"neither the problem nor the answer has a variable {name}"
            )
    given = {name: value for name, value in at.items() if name in names}
    point = question.expression.point(
        {n: v for n, v in given.items() if n in question.expression.variables}
    )
    for name in question.claim.variables:
        if name not in at:
            raise BindingError(f"there is no value for {name} of the answer")
        point.setdefault(name, coordinate(name, at[name]).double or 0.0)
    with contextlib.suppress(RangeError):  # what follows compares numbers of any size
        own = {n: at[n] for n in question.expression.variables}
        question.expression.gradient(own)
    sides = _moved(question, at, point).sides()
    outcome = agreement.settle_alone(sides, point)
    told = _told_point(point, at)
    outcome = outcome._replace(at=told)
    notes: tuple[str, ...] = ()
    if outcome.kind not in ("agrees", *REFUTING):
        found = _from_one_side(question, at, told)
        if found is not None:
            outcome, notes = found[0], found[1:]
            slope = Look(outcome.truth, None)
            sides = sides._replace(truth=lambda _, __: slope, along=None)
    verdict = _judged_at(question, point, sides, outcome)
    return verdict._replace(at=told, notes=(*verdict.notes, *notes))


def _told_point(point: Point, at: Mapping[str, Any]) -> Point:
    """The point as it is told, with what is meant in place of doubles that have lost all or some digits."""
    told = dict(point)
    for name, double in point.items():
        if abs(double) < SMALLEST:
            root = _as_graph(name, at[name])
            exact = large_rational(root)
            if exact != Fraction(double):
                told[name] = ExactPlace(root if exact is None else exact, double)
    return told


def _moved(
    question: Question, at: Mapping[str, Any], point: Mapping[str, float]
) -> Question:
    """The question with x + (a - d) for every x whose double d is not the number a that is meant."""
    place: dict[str, Value] = {}
    for name, double in point.items():
        root = _as_graph(name, at[name])
        if root.operation is None and rational(root) == Fraction(double):
            continue
        off = node(SUB, (root, Constant(Fraction(double))))
        place[name] = node(ADD, (Value(None, name), off))
    if not place:
        return question
    both = (question.expression, question.claim)
    f, claim = (Expression.of(at_place(e.root, place), e.variables) for e in both)
    return question._replace(expression=f, claim=claim)


def _as_graph(name: str, number: Any) -> Value:
    """A coordinate as a graph: a decimal that was typed is that decimal, a float what it stores."""
    if isinstance(number, Value):
        ratio = number.ratio if isinstance(number, Constant) else None
        return number if ratio is None else Constant(Fraction(*ratio))
    known = coordinate(name, number)
    return as_graph(known) if known.ratio is None else Constant(Fraction(*known.ratio))


def _judged_at(
    question: Question, point: dict[str, float], sides: Sides, outcome: Outcome
) -> Verdict:
    """The verdict at a point where there is a gradient, from what was found there."""
    from exprgrad.checking.rounding import explained_by_rounding

    agrees, refutes = outcome.kind == "agrees", outcome.kind in REFUTING
    found = Findings(
        [point], [outcome] * agrees, [], outcome if refutes else None, tried=1
    )
    if found.against is None:
        if not found.settled:
            evidence = f"could not decide whether the two numbers are equal at {point_text(outcome.at)}"
            return _verdict(question, UNDECIDED, evidence, found)
        evidence = f"agrees at {point_text(outcome.at)} to {found.basis.digits} digits"
        return _verdict(question, CORRECT, evidence, found)
    rounded = explained_by_rounding(question, sides, found, everywhere=False)
    if rounded is not None and rounded.whole:
        return _verdict(question, CORRECT, rounded.evidence, found)
    example = example_of(found.against)
    return _verdict(question, INCORRECT, against(found.against), found, example)


def _from_one_side(
    question: Question, at: Mapping[str, Any], point: dict[str, float]
) -> tuple[Outcome, str] | None:
    """What is found at an edge of the domain, where the derivative is the slope from inside, and which that is."""
    from exprgrad.expressions.higher_orders import orders

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
    elif abs(truth - claimed) <= near and min(s.sure for s in sides) >= digits:
        kind = "agrees"
    side = "left" if edge.right is None else "right"
    note = f"the derivative at {point_text(point)} is the slope from the {side}; the other side is not defined"
    return Outcome(kind, point, truth, claimed, digits=digits), note


def _verdict(
    question: Question,
    status: str,
    evidence: str,
    found: Findings,
    example: Counterexample | None = None,
    mistake: Mistake | None = None,
) -> Verdict:
    notes = [*question.expression.notes, *question.claim.notes]
    own = (*question.expression.variables, question.wrt)
    others = [name for name in question.claim.variables if name not in own]
    if others and status != UNREADABLE:
        notes.append(f"{', '.join(others)} of your answer is not in the problem")
    if status == CORRECT and found.isolated:
        where = point_text(found.isolated[0].at)
        notes.append(
            f"your answer has no value at {where}, a single point where the derivative has one"
        )
    return Verdict(
        status,
        evidence,
        in_doubles(example),
        mistake,
        tuple(dict.fromkeys(notes)),
        question.expression,
        question.claim,
        question.wrt,
        question.order,
        None,
        None,
        *basis(status, found),
    )


def example_of(found: Outcome) -> Counterexample:
    """A point that refutes, in doubles."""
    claimed = None if found.claim is None else float(_precise(found.claim))
    return Counterexample(dict(found.at), claimed, float(_precise(found.truth)))


def _precise(number: Any) -> Any:
    """A number, which may be a fraction, in high precision."""
    is_fraction = isinstance(number, Fraction)
    return kept(number.numerator) / number.denominator if is_fraction else number


def in_doubles(example: Counterexample | None) -> Counterexample | None:
    """A point that refutes, unless one of its numbers is beyond the range of doubles: then words tell it."""
    if example is None:
        return None
    at = example.at.values()
    numbers = (*at, example.claimed or 0.0, example.derivative)
    is_lost = any(type(x) is ExactPlace and not float(x) for x in at)
    return example if all(map(math.isfinite, numbers)) and not is_lost else None


def point_text(at: Mapping[str, float]) -> str:
    """A point in a sentence."""
    return ", ".join(f"{name} = {_short(x)}" for name, x in at.items())


def _short(x: float) -> str:
    """A coordinate: all of it where 10 digits are enough or would be those of a shorter number; of a place 40."""
    if isinstance(x, ExactPlace):
        return place_text(x)
    whole, rounded = show(x), f"{x:.10g}"
    is_short = len(whole) <= LONGEST_COORDINATE or len(rounded) < SHORTEST_ROUNDED
    return whole if is_short else rounded


def _told(number: Any) -> str:
    """A number in a sentence: 10 significant digits, also beyond the range of doubles."""
    if number is None:
        return "not defined"
    number = _precise(number)
    double = float(number)
    if number and not SMALLEST <= abs(double) < math.inf:
        from exprgrad.numbers.real import decimal

        return decimal(+number, 10)  # rounded, for it may have very many digits
    whole = double.is_integer() and abs(double) < 1e15
    return show(double) if whole else f"{double:.10g}"
