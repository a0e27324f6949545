"""Verdicts: what is compared, how it is judged, and the sentences that say what a verdict rests on.

    decided(Posed(f, "gradient of f", names, comparisons)).status   "correct", if every comparison is
    equivalence(Request("sin(2x)", "2 sin x cos x")).status         "equal"

A question of any kind is one comparison or several. Agreement is proved where that can be done, and else found at
points in every piece of the domain with many digits; too few of them are no verdict.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.checking import agreement
from exprgrad.checking.agreement import Basis, Findings, Outcome, Sides
from exprgrad.checking.fields import judged as judged_as
from exprgrad.checking.fields import verdict_fields
from exprgrad.checking.kinds.request import Request
from exprgrad.checking.places import written as place_text
from exprgrad.checking.points import Point, Quantity, Trail
from exprgrad.checking.question import MOST_PROVED, Question
from exprgrad.errors import ExprgradError, Span, UsageError
from exprgrad.expressions.expression import Expression, as_expression
from exprgrad.graph.displayed import above, displayed
from exprgrad.graph.numbering import GraphNumbering
from exprgrad.graph.order import topological
from exprgrad.graph.rational import large_rational, rational
from exprgrad.graph.value import Value, node
from exprgrad.numbers.real import decimal, kept
from exprgrad.operations.operation import show
from exprgrad.operations.table import POW, SUB
from exprgrad.sweeps.bounds import Known
from exprgrad.sweeps.coordinates import Coordinate, ExactPlace, substituted
from exprgrad.sweeps.precise import Probe

if TYPE_CHECKING:
    from exprgrad.checking.kinds.curves import Curve
    from exprgrad.checking.mistakes.mistake import Mistake
    from exprgrad.checking.rounding import Rounded


CORRECT, INCORRECT, UNDECIDED = "correct", "incorrect", "undecided"
PARTLY, UNREADABLE = "partly", "unreadable"

FOLLOWS, WRONG, CONSEQUENT = "follows", "wrong", "consequent"
LINES = (FOLLOWS, WRONG, CONSEQUENT, UNREADABLE)
"""What may be said of a line of a worked solution."""

ANSWER_RIGHT = "the answer is right"
"""How the evidence of a solution begins whose answer is right, though a line above may not be."""

EQUAL, DIFFERENT = "equal", "different"
"""What may be said of two expressions."""

MOST_EXPLAINED = 20_000
"""Work of a look up to which it is asked what went wrong."""

PROVED_ZERO = "proved: the difference of the two simplifies to 0"
WHERE_DEFINED = "correct where your answer is defined"

MOST_SEEN = 40
"""Points at which a value is looked for of what is equal to itself."""

MOST_REDUCED = 3
"""Points at which two expressions are compared as numbers, where no digits tell them apart."""

SAME = "the two are the same expression"

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


class Credit(NamedTuple):
    """Partial credit as data: how many lines are of each status, and whether the answer is right.

    `share` is the part of the lines that follow from what stands above them, right or wrong.
    """

    lines: int
    follows: int
    wrong: int
    consequent: int
    unreadable: int
    answer: bool

    @property
    def share(self) -> float:
        """Lines that follow, from a right line or a wrong one, of all lines."""
        return (self.follows + self.consequent) / self.lines if self.lines else 0.0


@displayed
class Verdict(NamedTuple):
    """The verdict on a claim: on a derivative, an answer of another kind, two expressions, a solution or one of its lines.

    `status` is correct, incorrect, partly (right on a piece of the domain, which `evidence` names),
    undecided or unreadable (the answer depends on a name that the problem lacks); `evidence` is a sentence
    that tells what it rests on; `mistake` is what probably went wrong; `notes` tell how the texts were read,
    and more. `if_read_as` is another reading of both texts with which the claim is right. `at` is the point,
    where a derivative is asked for at one. `certainty`, `points` and `digits` are for programs: see `agreement.Basis`.

    `asked` is the question in words, empty where it is one derivative. Of another, `expression` and `claim` are tuples
    where there are several, and `parts` are the verdicts on the single things that were claimed, each with its `name`:
    one for each partial derivative. `right` are the right answers by name, `told` the same in words where they are a
    list of points, and `typed` is the claim's text where it is one.

    Two expressions are equal, different or undecided, wherever both are defined. The `parts` of a worked solution are
    its lines, each with its `number`, from 1 in what was given, its `text`, the `place` of the side in question and the
    line that it follows from, `after`; they follow, are wrong, consequent or unreadable, and the whole may be
    unfinished. `judged` says all of these in the words of claims. Of a row of a class set the expressions are not
    kept, and `error` says why it could not be read.
    """

    status: str
    evidence: str = ""
    counterexample: Counterexample | None = None
    mistake: Mistake | None = None
    notes: tuple[str, ...] = ()
    expression: Any = None
    claim: Any = None
    wrt: Any = ""
    order: int = 1
    if_read_as: str | None = None
    at: Mapping[str, float] | None = None
    certainty: str | None = None
    points: int | None = None
    digits: int | None = None
    kind: str = "derivative"
    asked: str = ""
    name: str = ""
    parts: tuple[Any, ...] = ()
    right: tuple[tuple[str, Value], ...] = ()
    typed: str = ""
    told: str | None = None
    number: int = 0
    text: str = ""
    place: Span | None = None
    given: Mapping[str, Any] = {}
    after: int | None = None
    error: ExprgradError | None = None

    def __repr__(self) -> str:
        """The status and the evidence on one line."""
        told = ": ".join(filter(None, (self.status, self.evidence)))
        return f"<Verdict {' '.join(told.split())}>"

    def __str__(self) -> str:
        """The sentence of the command line, and what there is to say."""
        return str(above("views.notebook").text(self))

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        return verdict_fields(self)

    def certificate(self) -> dict[str, Any]:
        """Return what `exprgrad/witness.py` needs to verify it by itself. Raises `UsageError` where nothing was decided."""
        from exprgrad.checking.certificates import certified

        return certified(self)

    @property
    def judged(self) -> str:
        """The status in the one vocabulary: correct, partly, incorrect, undecided, unreadable or not_checked."""
        return judged_as(self.status)

    @property
    def answer(self) -> str:
        """The right answer as a formula, or as one for each part; a derivative in words where it would be very long."""
        if self.told is not None:
            return self.told
        found = [(name, formula.source) for name, formula in self.formulas()]
        if len(found) == 1:
            return found[0][1]
        return ", ".join(f"{name}: {text}" for name, text in found)

    @property
    def derivative(self) -> str:
        """The same, by its name for derivatives."""
        return self.answer

    @property
    def assumes(self) -> tuple[str, ...]:
        """The conditions under which the simplified answers have the values of the right ones."""
        if self.told is not None:
            return ()
        every = (c for _, formula in self.formulas() for c in formula.assumptions)
        return tuple(dict.fromkeys(every))

    def formulas(self) -> list[tuple[str, Expression]]:
        """The right answers by name, simplified but for Taylor polynomials."""
        if self.expression is None:
            return []
        if not self.asked:
            return [("", self.expression.derivative(self.wrt, order=self.order))]
        found = [(name, Expression.of(root)) for name, root in self.right]
        # a Taylor polynomial is left in powers of x - a
        return found if self.kind == "taylor" else [(n, e.simplify()) for n, e in found]

    def refuted(self, evidence: str, mistake: Mistake | None = None) -> Verdict:
        """The same claim, which something else than a point shows to be wrong."""
        return self._replace(
            status=INCORRECT, evidence=evidence, mistake=mistake, **agreement.REFUTATION
        )

    # of a worked solution

    @property
    def function(self) -> Any:
        """Return what is differentiated in a worked solution."""
        return self.expression

    @property
    def lines(self) -> tuple[Verdict, ...]:
        """The lines of a worked solution."""
        return self.parts

    @property
    def verdict(self) -> str:
        """The status of a worked solution: that of claims, or unfinished."""
        return self.status

    @property
    def conclusion(self) -> str:
        """Return what is to be said of a worked solution as a whole."""
        return self.evidence

    @property
    def first_wrong(self) -> int | None:
        """The number of the first wrong line of a solution, counted from 1 in what was given."""
        return next((p.number for p in self.parts if p.status == WRONG), None)

    @property
    def credit(self) -> Credit:
        """Return how many lines of a solution are right, as data."""
        every = [line.status for line in self.parts]
        answer = self.status == CORRECT or self.evidence.startswith(ANSWER_RIGHT)
        follows, wrong, consequent, unreadable = map(every.count, LINES)
        return Credit(len(every), follows, wrong, consequent, unreadable, answer)


class Comparison(NamedTuple):
    """A claim and what is right; `truth` is the formula of that, `name` what it answers.

    `question` is the derivative that is asked for, if it is one: the rules that were misapplied are looked for. Of
    another claim the mistake is that of the `suspects` which gives the claim, or what `explain` says of it. `curve` is
    where the two are compared, if not everywhere. `what` and `yours` are what they are called in a sentence; `nowhere`
    says why there is no point to compare them at. What is right has a value only where `function` has one, if that is
    given.
    """

    name: str
    sides: Sides
    claim: Expression
    truth: Value | None
    what: str
    suspects: tuple[tuple[Mistake, Quantity], ...] = ()
    yours: str = "your answer"
    nowhere: str = ""
    curve: Curve | None = None
    question: Question | None = None
    explain: Explanation | None = None
    function: Value | None = None

    def difference(self) -> Value | None:
        """The claim less what is right; None where that would be too large."""
        if self.question is not None:
            return self.question.difference()
        assert self.truth is not None
        return node(SUB, (self.claim.root, self.truth))


Explanation = Callable[["Comparison", Point], "Mistake | None"]
"""Finds the mistake in a claim, from a point that refutes it."""


class Posed(NamedTuple):
    """A question that was made: what is compared, or known of a claim already, and what it is called.

    `asked` is empty where one derivative is asked for; `missing` are the names of what was left unanswered. What there is
    to say beside the claims themselves is put into the verdict by `finish`.
    """

    expression: Expression | tuple[Expression, ...]
    asked: str
    wrt: str | tuple[str, ...]
    parts: Sequence[Comparison | Verdict]
    missing: tuple[str, ...] = ()
    kind: str = "derivative"
    order: int = 1
    finish: Callable[[Verdict], Verdict] | None = None


def posed(question: Question, part: Comparison | Verdict) -> Posed:
    """The question about a derivative."""
    return Posed(question.expression, "", question.wrt, (part,), order=question.order)


def compared_with(question: Question, sides: Sides) -> Comparison:
    """The comparison of a derivative with its claim."""
    held = " and ".join(condition.source for condition in question.where)
    where = f" where {held}" if held else ""
    nowhere = f"there is no derivative over the real numbers{where}"
    compared = Comparison("", sides, question.claim, None, "the derivative")
    function = question.expression.root
    return compared._replace(nowhere=nowhere, question=question, function=function)


def stated(
    question: Question, status: str, evidence: str, certainty: str | None = None
) -> Verdict:
    """The verdict on a derivative that is found without comparing."""
    return Verdict(status, evidence, None, None, (), *question[:4], certainty=certainty)


# Judging


def decided(question: Posed | Verdict, is_explained: bool = True) -> Verdict:
    """The verdict on the answer to a question of any kind, from those on all that is claimed.

    What is wrong need not be explained, which takes as long as the verdict itself.
    """
    if isinstance(question, Verdict):
        return question
    own, known = list[Verdict](), dict[int, Verdict]()
    for part in question.parts:
        if isinstance(part, Verdict):
            own.append(part)
            continue
        # the mixed partials of a Hessian share their sides: x then y is y then x
        verdict = known.get(id(part.sides)) or judged(part, is_explained)
        known[id(part.sides)] = verdict
        right = tuple((part.name, truth) for _, truth in verdict.right)
        own.append(verdict._replace(asked=part.name, name=part.name, right=right))
    found = combined(question, tuple(own))
    return found if question.finish is None else question.finish(found)


def combined(posed: Posed, parts: tuple[Verdict, ...]) -> Verdict:
    """The verdict on all that was claimed, from those on its parts."""
    worst = min(parts, key=lambda part: _RANK[part.status])
    status, evidence = worst.status, worst.evidence
    right = [part.name for part in parts if part.status == CORRECT]
    if len(parts) > 1 and status == CORRECT:
        evidence = f"all {len(parts)} are right; {parts[0].name}: {parts[0].evidence}"
    elif len(parts) > 1:
        evidence = f"{worst.name}: {evidence}"
        if right and status == INCORRECT:
            status = PARTLY
            wrong = [part.name for part in parts if part.status not in (CORRECT, UNDECIDED)]  # fmt: skip
            is_open = [part.name for part in parts if part.status == UNDECIDED]
            every = {"right": right, "wrong": wrong, "undecided": is_open}
            listed = [f"{word}: {', '.join(names)}" for word, names in every.items() if names]  # fmt: skip
            evidence = "; ".join([*listed, evidence])
    if posed.missing and status in (CORRECT, PARTLY):
        rest = "the others are right" if status == CORRECT else evidence
        evidence = f"missing: {', '.join(posed.missing)}; {rest}"
        status = PARTLY
    claims = tuple(part.claim for part in parts)
    fields = ("expression", "wrt", "order", "kind")
    question = {name: getattr(posed, name) for name in fields}
    claim = claims[0] if len(claims) == 1 else claims
    notes = _notes(posed, parts)
    found = worst._replace(status=status, evidence=evidence, notes=notes, claim=claim, **question)  # fmt: skip
    if not posed.asked:
        return found
    return found._replace(
        asked=posed.asked,
        name="",
        parts=tuple(part._replace(**question) for part in parts),
        right=tuple(pair for part in parts for pair in part.right),
        **together(status, parts)._asdict(),
    )


def if_meant(verdict: Verdict, meant: str) -> Verdict:
    """The verdict, and that on each part that is not right, where it is only if this was meant."""
    parts = tuple(
        p if p.status == CORRECT else if_meant(p, meant) for p in verdict.parts
    )
    return verdict._replace(
        status=UNDECIDED, evidence=f"correct if you mean {meant}", if_read_as=meant,
        counterexample=None, mistake=None, parts=parts, **Basis()._asdict(),
    )  # fmt: skip


_RANK = {UNREADABLE: 0, INCORRECT: 0, PARTLY: 1, UNDECIDED: 2, CORRECT: 3}


def _notes(posed: Posed, parts: Sequence[Verdict]) -> tuple[str, ...]:
    """Return how the texts were read, and what there is to know about the answer."""
    given, wrt = posed.expression, posed.wrt
    read = given if isinstance(given, tuple) else (given,)
    every = [note for e in (*read, *(p.claim for p in parts)) for note in e.notes]
    own = {name for e in read for name in e.variables}
    own |= set(wrt if isinstance(wrt, tuple) else (wrt,))
    compared = [part for part in posed.parts if isinstance(part, Comparison)]
    for comparison in compared if posed.asked else ():
        own |= set(comparison.sides.names) - set(comparison.claim.variables)
    on_curves = [c.truth for c in compared if c.curve is not None and c.truth is not None]  # fmt: skip
    own |= {n for root in on_curves for n in Expression.of(root).variables}
    # an answer whose mistake is the strange name itself, as in 2x + C, has been told so
    named = [p for p in parts if p.mistake is None or p.evidence != p.mistake.message]
    claimed = [p.claim for p in named if p.status != UNREADABLE]
    strange = dict.fromkeys(n for e in claimed for n in e.variables if n not in own)
    if strange:
        every.append(f"{', '.join(strange)} of your answer is not in the problem")
    every += [note for part in parts for note in part.notes]
    return tuple(dict.fromkeys(every))


def together(status: str, parts: Sequence[Verdict]) -> Basis:
    """Return what a verdict on several parts rests on: if all are right, what the weakest of them does."""
    if status in (INCORRECT, PARTLY):
        return Basis(agreement.REFUTED)
    if status != CORRECT:
        return Basis()
    own = [Basis(part.certainty, part.points, part.digits) for part in parts]
    return min(
        own, key=lambda basis: (_CERTAIN.index(basis.certainty), basis.points or 0)
    )


_CERTAIN = (None, agreement.DIGITS_GIVEN, agreement.AGREES, agreement.PROVED)


def judged(comparison: Comparison, is_explained: bool = True) -> Verdict:
    """The verdict on one claim, and where it is wrong, on which pieces and by which mistake."""
    sides, found = comparison.sides, examined(comparison)
    is_small = sides.weight <= MOST_EXPLAINED
    if found.against is None:
        if not found.enough:
            return concluded(comparison, UNDECIDED, _why_open(comparison, found), found)
        right = concluded(comparison, CORRECT, agreement_text(found), found)
        if not (sides.lenient and is_small):
            return right
        from exprgrad.checking.right_pieces import where_right

        pieces, _ = where_right(sides._replace(lenient=False))
        note = f"your answer is not defined everywhere: {pieces}"
        return right._replace(notes=(*right.notes, note)) if pieces else right
    if is_small and (rounded := _rounded(comparison, found)) is not None:
        status = CORRECT if rounded.whole else UNDECIDED
        return concluded(comparison, status, rounded.evidence, found)
    if not is_explained:
        told = against(found.against, comparison.what, comparison.yours)
        return concluded(comparison, INCORRECT, told, found)
    return _refuted(comparison, found, found.against)


def examined(comparison: Comparison) -> Findings:
    """Return what is found of a claim at points, and at those that are settled by the difference as a whole."""
    sides = comparison.sides
    found = agreement.examine(
        sides,
        lambda: is_zero(comparison.difference()),
        lambda: sides.lenient or _is_defined_with(comparison),
    )
    # two numbers are equal only where that is proved
    are_numbers = sides.lenient and not (sides.names or found.proved)
    is_open = found.against is None and (found.unsettled is not None or are_numbers)
    rest = comparison.difference() if is_open and comparison.curve is None else None
    if rest is None:
        return found
    claim_root, truth = rest.operands
    return (_of_constants if are_numbers else _at_unsettled)(truth, claim_root, found)


def _is_defined_with(comparison: Comparison) -> bool:
    """Return whether a claim is shown to have a value wherever the function has one."""
    root, function = comparison.claim.root, comparison.function
    if function is None:
        return False
    if not any(map(_may_fail, topological(root))):
        return True

    from exprgrad.symbolic.conditions import defined_with

    return defined_with(root, function)


def _may_fail(item: Value) -> bool:
    """Return whether an operation may have no value."""
    operation = item.operation
    if operation is None:
        return item.data is not None and not math.isfinite(item.data)
    if operation.rule != POW.rule:
        return bool(operation.domain)
    exponent = rational(item.operands[1])
    return exponent is None or exponent.denominator != 1 or exponent < 1


def _rounded(comparison: Comparison, found: Findings) -> Rounded | None:
    """Return what the claim is right by, if its decimals are rounded numbers."""
    sides, question = comparison.sides, comparison.question
    if question is None:
        assert comparison.truth is not None
        sides = sides._replace(along=None)
        question = Question(Expression.of(comparison.truth), comparison.claim, "")
    if "." not in question.expression.source + question.claim.source:
        return None  # there is no decimal

    from exprgrad.checking.rounding import explained_by_rounding

    everywhere = found.tried > 1 or bool(sides.names)
    return explained_by_rounding(question, sides, found, everywhere, comparison.curve)


def _refuted(comparison: Comparison, found: Findings, outcome: Outcome) -> Verdict:
    """The verdict on a claim that a point speaks against."""
    from exprgrad.checking.right_pieces import fails_whole, some_points, where_right

    sides, question, what = comparison.sides, comparison.question, comparison.what
    is_whole, seen, pieces, inside = False, list[tuple[Point, str]](), "", None
    if question is not None and outcome.kind == "differs":
        roots = question.expression.root, question.claim.root
        # then it is wrong on every piece, and no piece is looked for on which it is right
        is_whole = fails_whole(roots, sides.names)
    if sides.weight <= MOST_EXPLAINED:
        seen = some_points(_telling(comparison), is_whole)
    if not is_whole:
        pieces, inside = where_right(_telling(comparison), seen, [outcome.at])
    # wrong only in having no value there: where it has one, it may be right
    if not pieces and outcome.kind == "undefined" and seen:
        rest = examined(comparison._replace(sides=sides._replace(lenient=True)))
        pieces = "" if rest.against or not rest.enough else WHERE_DEFINED
    if inside is not None and inside is not outcome.at:
        # where one piece ends, a claim may be right by what it is in the next
        there = agreement.settle(sides, inside, thorough=False)
        outcome = there if there.kind in ("differs", "undefined") else outcome
    evidence, example = against(outcome, what, comparison.yours), example_of(outcome)
    if pieces:
        evidence = f"{pieces}: {evidence}"
    mistake = None
    if question is None:
        mistake = None if pieces else _suspected(comparison, example.at)
    elif sides.weight <= MOST_EXPLAINED:
        from exprgrad.checking.mistakes.diagnosis import diagnose, telling_points
        from exprgrad.checking.mistakes.whole_answer import slipped
        from exprgrad.checking.names import asked, strange

        if names := strange(question):
            telling = telling_points(sides, example.at, seen)
            slip = slipped(question, names, sides, telling)
            if slip is None:
                return concluded(comparison, UNREADABLE, asked(question, names), found)
            return concluded(comparison, INCORRECT, slip.message, found, None, slip)
        mistake = diagnose(question, sides, example.at, bool(pieces), seen)
    status = PARTLY if pieces else INCORRECT
    return concluded(comparison, status, evidence, found, example, mistake)


def _telling(comparison: Comparison) -> Sides:
    """The sides at points that tell where a claim holds: not where a truth is 0, which has no sign to be wrong about."""
    sides = comparison.sides
    if comparison.question is not None:
        return sides
    # a truth that is 0 everywhere has no such point on any trail, however long
    looked = itertools.islice(sides.trail, agreement.MOST_LOOKS)
    points = (at for at in looked if sides.truth(at, 0).value != 0)
    return sides._replace(trail=Trail(points))


def _suspected(comparison: Comparison, at: Point) -> Mistake | None:
    """The first suspect that gives the claim, or what else is wrong with it."""
    from exprgrad.checking.mistakes.diagnosis import telling_points
    from exprgrad.checking.mistakes.whole_answer import same

    sides, suspects, explain = comparison.sides, comparison.suspects, comparison.explain
    telling = telling_points(sides, at) if suspects else []
    for told, truth in suspects if telling else ():
        if same(sides._replace(truth=truth), telling):
            return told
    return None if explain is None else explain(comparison, at)


def concluded(
    comparison: Comparison, status: str, evidence: str, found: Findings,
    example: Counterexample | None = None, mistake: Mistake | None = None,
) -> Verdict:  # fmt: skip
    """The verdict on one claim, in these words."""
    name, claim, truth = comparison.name, comparison.claim, comparison.truth
    notes: tuple[str, ...] = ()
    # the formula of a slope goes on to the ends of a domain, where there is a slope on one side
    holes = (o.at for o in found.isolated if Probe(claim.tape).floats(o.at).is_undefined)  # fmt: skip
    if status == CORRECT and (at := next(holes, None)) is not None:
        truth_there = f"a single point where {comparison.what} has one"
        notes = (f"{comparison.yours} has no value at {point_text(at)}, {truth_there}",)
    own = Verdict(status, evidence, in_doubles(example), mistake, notes, claim, claim)
    right = () if truth is None else ((name, truth),)
    return own._replace(asked=name, name=name, right=right, **basis(status, found)._asdict())  # fmt: skip


def _why_open(comparison: Comparison, found: Findings) -> str:
    """The reason why a claim could not be decided."""
    if unfinished := unfinished_text(found):
        return unfinished
    if found.overflows > found.tried // 3:
        where = f"{found.overflows} of {found.tried} points"
        return f"the numbers are too large for double precision at {where}"
    if not found.usable and not found.isolated:
        told = comparison.nowhere or f"{comparison.what} has no real value"
        told += f" at any of {found.tried} points" if found.tried else ""
        if comparison.question is None:
            return told
        there = "there" if comparison.question.where else "anywhere"
        return f"{told}: is the function defined {there}?"
    return f"only {len(found.settled)} of {found.tried} points can be used"


# Two expressions


def equivalence(request: Request) -> Verdict:
    """The verdict on two expressions: whether they are equal wherever both are defined over the reals."""
    wrt = next(iter(request.wrt), "")
    first = as_expression(request.given, request.wrt)
    second = as_expression(request.claim, first.variables)
    # xy is one name until the other expression, y*x, says that it is a product
    if len(second.variables) > len(first.variables):
        first = as_expression(request.given, second.variables)
    for expression in (first, second):
        expression.refuse_arrays({})
        if len(expression.sides) > 1:
            told = "an equation is no expression that could be equal to another"
            raise UsageError(told, hint="compare one of its sides")
    names = tuple(dict.fromkeys((*first.variables, *second.variables)))
    probes = Probe(first.tape), Probe(second.tape)
    along = wrt or next(iter(names), None)
    roots = first.root, second.root
    sides = agreement.of_probes(*probes, along, roots, lenient=True)
    compared = Comparison("", sides, second, first.root, "the other")
    blank = Verdict(
        UNDECIDED, "", None, None, (*first.notes, *second.notes), first, second,
        wrt, kind="equivalence",
    )  # fmt: skip
    if are_same(*roots):
        same = blank._replace(status=EQUAL, evidence=SAME, certainty=agreement.PROVED)
        # 1/0 is the same as 1/0, but equal to nothing
        seen = {
            agreement.screened(sides, at)
            for at in itertools.islice(sides.trail, MOST_SEEN)
        }
        if seen != {"unusable"}:
            return same
        if names:
            nowhere = "no point was found at which it has a value"
            return same._replace(notes=(*same.notes, nowhere))
    found = examined(compared)
    outcome = found.against
    if outcome is not None:
        blank = blank._replace(status=DIFFERENT, **basis(INCORRECT, found)._asdict())
        # neither 9^9^9^9 + 1 nor 9^9^9^9 is known as a number, but that they differ by 1 is
        if None in (outcome.truth, outcome.claim):
            return blank._replace(evidence=f"they differ by {_distance(outcome)}")
        example = example_of(outcome)
        values = number_text(outcome.truth), number_text(outcome.claim)
        evidence = f"{at_text(example.at)}they are {' and '.join(values)}"
        if values[0] == values[1]:
            evidence += f" (they differ by {_distance(outcome)})"
        return blank._replace(evidence=evidence, counterexample=in_doubles(example))
    if not found.enough:
        where = "the one point" if found.tried == 1 else f"any of {found.tried} points"
        nowhere = f"could not compare them at {where} that {'was' if found.tried == 1 else 'were'} tried"
        return blank._replace(evidence=unfinished_text(found) or nowhere)
    evidence = agreement_text(found)
    return blank._replace(status=EQUAL, evidence=evidence, **found.basis._asdict())


def _at_unsettled(one: Value, other: Value, found: Findings) -> Findings:
    """Return what is found of two expressions at points where no digits that can be afforded have told them apart."""
    if found.unsettled is None or found.exhausted or found.contradiction is not None:
        return found
    # one point that tells two apart is enough; that all agree here proves nothing of the rest
    for at in (found.unsettled, *(own.at for own in found.settled[:MOST_REDUCED])):
        place = {name: Coordinate.of(x) for name, x in at.items()}
        here = _of_constants(substituted(one, place), substituted(other, place), found)
        if here.against is not None:
            return here._replace(against=here.against._replace(at=at))
    return found


def _of_constants(one: Value, other: Value, found: Findings) -> Findings:
    """Return what is found of two numbers by fractions of any size, or by bounds: of 2004!/2003!, 2^(10^7) and e^(10^6)."""
    exact = large_rational(one), large_rational(other)
    # fractions of any size are compared at once: 2004!/2003! and 2004
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


def unfinished_text(found: Findings) -> str:
    """Return what was left undone because the work for it had run out; nothing if it had not."""
    if found.contradiction is not None:
        where = point_text(found.contradiction)
        return f"the two can be rewritten into each other, but the numbers at {where} differ"
    if found.exhausted:
        return "these expressions are too large to be compared in reasonable time"
    if found.is_cut and (found.proved or len(found.settled) >= found.wanted):
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


def agreement_text(found: Findings) -> str:
    """Return what an agreement rests on."""
    if found.proved:
        return PROVED_ZERO
    _, count, digits = found.basis
    points = f"{count} points" if count != 1 else "one point"
    return f"agrees at {points} to {digits} digits"


def basis(status: str, found: Findings) -> Basis:
    """Return what a verdict rests on."""
    if status in (INCORRECT, PARTLY):
        return Basis(agreement.REFUTED, None if found.against is None else 1)
    return found.basis if status == CORRECT else Basis()


def is_zero(difference: Value | None) -> bool:
    """Return whether a difference is proved to be 0: of the same twice, or one of moderate size."""
    from exprgrad.proof.elementary import vanishes

    if difference is None:
        return False
    if len(topological(difference)) <= MOST_PROVED and vanishes(difference):
        return True
    return difference.operation is SUB and are_same(*difference.operands)


def are_same(one: Value, other: Value) -> bool:
    """Return whether two graphs are equal, node by node."""
    numbering = GraphNumbering()
    return numbering.number(one) == numbering.number(other)


def against(
    outcome: Outcome, what: str = "the derivative", yours: str = "your answer"
) -> str:
    """Return what a point says against a claim: what `yours` gives there, and what is right."""
    example = example_of(outcome)
    where = at_text(example.at)
    claimed, derivative = number_text(outcome.claim), number_text(outcome.truth)
    if example.claimed is None:
        return f"{where}{yours} is not defined, {what} is {derivative}"
    told = f"{where}{yours} gives {claimed}, {what} is {derivative}"
    if claimed == derivative:
        told += f" (they differ by {_distance(outcome)})"
    return told


def at_text(at: Mapping[str, float]) -> str:
    """A point, if there are variables, at the beginning of a sentence."""
    return f"at {point_text(at)} " if at else ""


def _distance(outcome: Outcome) -> str:
    """Return how far two numbers are apart that look the same."""
    size = outcome.apart
    size = outcome.truth - outcome.claim if size is None else size
    return decimal(_precise(abs(size)), 3)


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


def number_text(number: Any) -> str:
    """A number in a sentence: 10 significant digits, also beyond the range of doubles."""
    if number is None:
        return "not defined"
    number = _precise(number)
    double = float(number)
    # below, doubles have fewer digits than the ten that are told
    if number and not SMALLEST <= abs(double) < math.inf:
        return decimal(+number, 10)  # rounded, for it may have very many digits
    whole = double.is_integer() and abs(double) < 1e15
    return show(double) if whole else f"{double:.10g}"
