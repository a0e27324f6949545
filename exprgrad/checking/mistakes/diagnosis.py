"""The probable mistake: which misapplied rule gives exactly what was claimed.

The function is differentiated again with one rule of the catalogue misapplied, at one place or at every
place; the claim must come out, first in doubles at a few points, then to many digits. Then come mistakes
with the whole: a sign, a factor, a constant, the antiderivative, another variable, another reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest

from exprgrad.annotations import NamedTuple
from exprgrad.checking.agreement import Sides, looked
from exprgrad.checking.mistakes import catalogue, whole_answer
from exprgrad.checking.mistakes.misapplied import Candidate, Search
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.checking.mistakes.parts import located
from exprgrad.checking.mistakes.places import Place
from exprgrad.checking.points import Point, is_exact
from exprgrad.checking.question import Question
from exprgrad.errors import UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.numbering import GraphNumbering
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value, node
from exprgrad.notation.text import text_length, to_text
from exprgrad.symbolic.derivative import tangent

SCREENED = 3
"""Points at which candidates are tried in doubles."""

LARGEST = 1500
"""Cost of a look at both sides, see `Sides`, up to which a mistake is looked for."""

MOST_POINTS = 100

MOST_AGREEING = 8
"""Points at which a claim holds that fails at one: beyond them, it fails at a single place, as by no mistake."""

MOST_TIES = 8
"""Mistakes that give the same, of which the names are kept."""

MOST_TOLD = 3

LOCATED = ("constant added", "constant factor", "sign misread", "part left out")
"""Mistakes with the whole that a single term of the answer shows."""

HANDED_BACK = (catalogue.PRODUCT, catalogue.QUOTIENT, catalogue.SUM, catalogue.CONSTANT)
"""Rules whose misuse may leave the whole as it was: then it was not differentiated at all."""


def diagnose(
    question: Question,
    sides: Sides,
    counterexample: Point,
    partly: bool = False,
    seen: Sequence[tuple[Point, str]] | None = None,
) -> Mistake | None:
    """The mistake that gives the claim; None where none of the catalogue does.

    Of a claim that is right on one side, `partly`, the whole is not accused. `seen` are points that have been
    looked at.
    """
    small = sides.cost <= LARGEST
    telling = telling_points(sides, counterexample, seen) if small else []
    if not telling:
        return None
    if question.order > 1:
        return _in_the_last_step(question, sides, telling, partly)
    case = _case(question, sides, telling)
    found = None
    if case:
        ways = (case.search.candidates(several, partly) for several in (False, True))
        found = case.misapplied(chain.from_iterable(ways))
    other = whole_answer.other_task(question, sides, telling)
    if other is whole_answer.UNTOUCHED:
        instead = not found or found.span is None or found.rule in HANDED_BACK
    else:
        instead = not partly
    if other is not None and instead:
        # a mistake with the whole, and a rule that gives the same if it is misapplied
        if found is None:
            return other
        both = other._replace(others=(found.name, *found.others))
        if other is whole_answer.UNTOUCHED or "integrat" in found.name + found.message:
            return both  # the same in other words
        return both._replace(message=_either([other.message, found.message]))
    if found or partly:
        return found and located(found, question, sides, telling)
    told = whole_answer.explain(question, sides, telling)
    if told is not None and told.name not in LOCATED:
        return told
    alone, two = located(told, question, sides, telling), None
    if case and (alone is None or alone.name in ("constant factor", "wrong term")):
        two = case.twice()
    return alone if two is None else located(two, question, sides, telling)


def _in_the_last_step(
    question: Question, sides: Sides, telling: list[Point], partly: bool
) -> Mistake | None:
    """The mistake in a derivative of higher order: another task, or a rule misapplied to the derivative before."""
    told = whole_answer.other_task(question, sides, telling)
    if told is None and not partly:
        told = whole_answer.explain(question, sides, telling)
    if told is not None and told.name != "constant factor":
        return told
    try:
        before = question.expression.derivative(question.wrt, order=question.order - 1)
    except UsageError:  # its formula is too long
        return told
    if question.wrt not in before.variables:
        return told
    if every := _in_every_step(question, sides, telling):
        return every
    case = _case(question._replace(expression=before, order=1), sides, telling)
    found = case and case.misapplied(case.search.candidates())
    if not found:
        return told
    own = short_text(before.root, "the derivative before")
    message = f"differentiating {own} once more, {found.message}"
    return found._replace(message=message, span=None)


def _in_every_step(
    question: Question, sides: Sides, telling: list[Point]
) -> Mistake | None:
    """The inner derivative, if it was left out each time."""
    from exprgrad.expressions.confirm import simplify

    own = question.expression
    for _ in range(question.order):
        search = Search(own, question.wrt, telling[:SCREENED])
        every = (*search.candidates(), *search.candidates(several=True))
        left_out = [one for one in every if one.row.name == catalogue.INNER_LEFT_OUT]
        if not left_out:
            return None
        own = Expression.of(simplify(search.formula(left_out[-1])))
    told = "the inner derivative was left out every time: (f(g))' = f'(g)*g'"
    found = Mistake.of(
        catalogue.INNER_LEFT_OUT, catalogue.CHAIN, told, "look at the chain rule"
    )
    others = sides._replace(truth=whole_answer.quantity(own.root))
    return found if whole_answer.same(others, telling) else None


def short_text(root: Value, otherwise: str) -> str:
    """A formula as text, or what it is called where that is long."""
    return to_text(root) if text_length(root, 60) <= 60 else otherwise


def _case(question: Question, sides: Sides, telling: list[Point]) -> _Case | None:
    search = Search(question.expression, question.wrt, telling[:SCREENED])
    return _Case(question, sides, telling, search) if search.sheets else None


class _Case(NamedTuple):
    """A wrong claim: what is asked and compared, points that tell, and the derivative with its rules."""

    question: Question
    sides: Sides
    telling: list[Point]
    search: Search

    def misapplied(self, candidates: Iterable[Candidate]) -> Mistake | None:
        """The rule that was misapplied, of these."""
        fitting = filter(self._confirmed, self._fitting(candidates))
        ties = list(islice(fitting, MOST_TIES))
        return described(self.question, self.search, ties) if ties else None

    def twice(self) -> Mistake | None:
        """Two mistakes that give the claim together; a number may come out of any two."""
        search = self.search
        targets = [self.sides.claim(at, 0).value for at, _ in search.sheets]
        if len({*targets}) == 1:
            return None
        for pair in filter(self._confirmed, self._fitting(search.pairs(targets[0]))):
            one, other = pair._replace(second=None), pair.second
            if other is None or search.harmless(one) or search.harmless(other):
                continue
            first, second = (described(self.question, search, [c]) for c in (one, other))  # fmt: skip
            rules = dict.fromkeys((first.rule, second.rule))
            names = dict.fromkeys((second.name, *first.others, *second.others))
            return first._replace(
                rule=" and ".join(rules),
                message=f"there are two mistakes: {first.message}; and {second.message}",
                hint=f"two mistakes: {first.hint}; and {second.hint}",
                others=tuple(names),
            )
        return None

    def _fitting(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        """Those that give the claim as far as doubles tell."""
        targets = [self.sides.claim(at, 0).value for at, _ in self.search.sheets]
        return (one for one in candidates if self.search.gives(one, targets))

    def _confirmed(self, candidate: Candidate) -> bool:
        """Return whether the formula with the mistakes gives the claim to many digits."""
        formula, numbering = self.search.formula(candidate), GraphNumbering()
        if numbering.number(formula) == numbering.number(self.question.claim.root):
            return True  # as most are: FLINT, whose import takes 20 ms, is not needed
        instead = self.sides._replace(truth=whole_answer.quantity(formula))
        return whole_answer.same(instead, self.telling)


def telling_points(
    sides: Sides, counterexample: Point, seen: Sequence[tuple[Point, str]] | None = None
) -> list[Point]:
    """Points at which the claim is defined and fails, generic ones first, and one at which it holds.

    None where it fails at a single place only.
    """
    seen = looked(sides, MOST_POINTS) if seen is None else seen[:MOST_POINTS]
    found = [
        at
        for at, kind in seen
        if kind == "suspected" and sides.claim(at, 0).value is not None
    ]
    general = sum(not is_exact(at) for at in found)
    if general <= 1 and sum(kind == "agrees" for _, kind in seen) >= MOST_AGREEING:
        return []
    if not found and sides.claim(counterexample, 0).value is not None:
        found = [counterexample]
    # at 0 and ±1 powers and products coincide, and many a wrong rule gives the claim
    found.sort(key=_is_special)
    # the held variables take turns with their values
    groups: dict[tuple[float, ...], list[Point]] = {}
    for at in found:
        held = tuple(x for name, x in at.items() if name != sides.along)
        groups.setdefault(held, []).append(at)
    turns = zip_longest(*groups.values())
    found = [at for turn in turns for at in turn if at is not None]
    holding = (at for at, kind in seen if kind == "agrees" and not _is_special(at))
    # a mistake has to give the claim where that holds, too
    one = next((at for at in holding if found and sides.truth(at, 0).value), None)
    return found if one is None else [found[0], one, *found[1:]]


def _is_special(at: Point) -> bool:
    return any(x in (0, 1, -1) for x in at.values())


def described(question: Question, search: Search, ties: list[Candidate]) -> Mistake:
    """The mistake that rows of the catalogue which give the same have in common, in words."""
    told = _worth_telling(search, ties)
    first, row = told[0], told[0].row
    messages = dict.fromkeys(_message(question, search, tie) for tie in told)
    kinds = dict.fromkeys(f"{tie.row.name}: look at {tie.row.rule}" for tie in told)
    names = dict.fromkeys(tie.row.name for tie in (*told, *ties))
    span = search.places[first.steps[0]].item.span if len(first.steps) == 1 else None
    said = row.name, row.rule, _either(messages), _either(kinds)
    return Mistake(*said, span, tuple(names)[1:])


def _either(alternatives: Iterable[str]) -> str:
    """These in a sentence; a rule that they share is said once."""
    told = list(alternatives)
    laws = {text.partition(": ")[2] for text in told}
    law = laws.pop() if len(told) > 1 and len(laws) == 1 else ""
    if law:
        told = [text.partition(": ")[0] for text in told]
    start = "either " if len(told) > 1 else ""
    return start + "; or ".join(told) + (f": {law}" if law else "")


def _worth_telling(search: Search, ties: list[Candidate]) -> list[Candidate]:
    """The likeliest mistakes of those that give the same: the common ones, and the first of a kind.

    None that lies within the place of the first, none of the chain rule beside another one there, which says the same,
    and of a kind several, only where it is a sign of the table: sines and cosines there are often mixed up.
    """
    likely = [tie for tie in ties if not tie.row.rare] or ties
    first = search.places[likely[0].steps[0]].item
    within = set(topological(first)) - {first}
    found: dict[tuple[str, Value], Candidate] = {}
    for tie in likely:
        item, kind = search.places[tie.steps[0]].item, tie.row.name
        known = item in within or kind in {own for own, _ in found}
        known |= tie.row.rule == catalogue.CHAIN and item in {at for _, at in found}
        if kind == catalogue.WRONG_SIGN or not known:
            found.setdefault((kind, item), tie)
    told = list(found.values())
    # a minus that the table has is lost more often than one is put in
    signs = [
        search.places[t.steps[0]]
        for t in told
        if told[0].row.name == catalogue.WRONG_SIGN
    ]
    lost = [t for t, place in zip(told, signs, strict=False) if "= -" in _entry(place)]
    return (lost or told)[:MOST_TOLD]


def _message(question: Question, search: Search, candidate: Candidate) -> str:
    place = search.places[candidate.steps[0]]
    operands, written = place.item.operands, question.expression.written
    constants = [
        o for o, varies in zip(operands, place.varies, strict=True) if not varies
    ]
    told = candidate.row.tell.format(
        part=written(place.item),
        own=_Late(lambda: derivative(place.item, question.wrt)),
        u=written(operands[0]),
        v=written(operands[-1]),
        inner=to_text(place.inner)
        if place.inner.span == place.item.span
        else written(place.inner),
        slope=_Late(lambda: derivative(place.inner, question.wrt)),
        constant=written((*constants, place.item)[0]),
        entry=_Late(lambda: _entry(place)),
        du="" if place.bare == place.varies else "*u'",
    )
    several = len(candidate.steps) > 1
    return f"{told} (and likewise at every such place)" if several else told


def derivative(root: Value, name: str) -> Value:
    """The derivative as it is told: a number by the rules alone, a formula in its short form."""
    own = tangent(root, name)
    if own.operation is None:
        return own

    from exprgrad.expressions import confirm

    return confirm.derivative(root, name)


class _Late:
    """A formula in words, or a text, worked out only when it is put into a sentence."""

    def __init__(self, make: Callable[[], Value | str]) -> None:
        self.make = make

    def __format__(self, spec: str) -> str:
        own = self.make()
        return own if isinstance(own, str) else short_text(own, "its own derivative")


def _entry(place: Place) -> str:
    """The right entry of the table for a function of one argument."""
    operation, u = place.item.operation, Value(None, "u")
    assert operation is not None
    whole = node(operation, (u, *place.item.operands[1:]))
    inner = "" if place.bare == place.varies else "*u'"
    return f"{to_text(whole)}' = {to_text(derivative(whole, 'u'))}{inner}"
