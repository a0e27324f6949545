"""Practice: problems made from the table of rules, with the right answer and wrong ones that people give.

    own = exercise("chain", level=2, seed=7)
    own.problem, own.answer, own.interval       # "sin(3x^2 - 1)", "6*x*cos(3*x^2 - 1)", (0.5, 1.5)
    distractors(own)                            # wrong answers, each with the mistake that gives it

A problem is put together from functions of the table and small numbers, and taken if it has a value and a slope
all over an interval. Distractors are derivatives with one rule of the catalogue misapplied: `check` refuses each
and names that mistake.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.check import INCORRECT, check
from exprgrad.checking.mistakes import catalogue
from exprgrad.checking.mistakes import places as at
from exprgrad.checking.mistakes.misapplied import Search
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.operations import table as o
from exprgrad.operations.vocabulary import did_you_mean
from exprgrad.sweeps.bounds import Bounds
from exprgrad.sweeps.coordinates import Interval
from exprgrad.sweeps.precise import Probe

LEVELS = (1, 2, 3)
VARIABLE = "x"

LONGEST = 90
"""Characters of an answer that can be asked for."""

MOST_TRIES = 60
"""Problems that are made until one is defined on an interval and has a short answer."""

MOST_DISTRACTORS = 3

INTERVALS = (
    (0.5, 1.5), (1.5, 3.0), (0.1, 0.4), (-0.8, -0.2), (3.0, 6.0), (-1.5, -0.5), (0.05, 0.1), (-0.1, -0.05), (0.5, 0.55),
    (1.2, 1.25), (0.35, 0.38), (0.01, 0.02), (-0.02, -0.01),
)  # fmt: skip
"""Intervals on which a problem may be defined; the first that it is counts."""

PIECES = 12
"""The pieces of an interval on which it is looked at as a whole."""

LARGEST = 1e6
"""The greatest value on an interval."""

EVERYDAY = (o.SIN, o.COS, o.EXP, o.LN, o.SQRT)
CIRCULAR = (o.SIN, o.COS, o.TAN, o.SEC, o.CSC, o.COT)
INVERSE = (o.ASIN, o.ACOS, o.ATAN)
HYPERBOLIC = (o.SINH, o.COSH, o.TANH)


class Exercise(NamedTuple):
    """A function to differentiate, the right answer, and an interval on which both have values."""

    topic: str
    level: int
    problem: str
    answer: str
    interval: tuple[float, float]

    @property
    def function(self) -> Expression:
        """The function, read."""
        return parse(self.problem, (VARIABLE,))


class Distractor(NamedTuple):
    """A wrong answer, the mistake of the catalogue that gives it, and what that is in a sentence."""

    answer: str
    mistake: str
    message: str


class _Maker:
    """Pieces of problems, chosen at random: numbers, polynomials, functions of them."""

    def __init__(self, level: int, chance: random.Random) -> None:
        self.level, self.chance = level, chance

    def number(self, least: int = 2, most: int = 9) -> int:
        return self.chance.randint(least, most)

    def of(self, rows: tuple[Any, ...], inner: str) -> str:
        return f"{self.chance.choice(rows).called}({inner})"

    def term(self, power: int | None = None) -> str:
        """A multiple of a power of x."""
        n = self.number(2, 5) if power is None else power
        a = self.number(1, 9)
        base = "x" if n == 1 else f"x^{n}"
        return base if a == 1 else f"{a}{base}"

    def sign(self) -> str:
        return self.chance.choice((" + ", " - "))

    def linear(self) -> str:
        """A x + b."""
        return f"{self.term(1)}{self.sign()}{self.number(1)}"

    def polynomial(self) -> str:
        """Two terms, or three."""
        first, second = self.term(), self.chance.choice((self.term(1), str(self.number(1))))  # fmt: skip
        return f"{first}{self.sign()}{second}"

    def inner(self) -> str:
        """Return what stands inside a function, by the level."""
        if self.level == 1:
            return f"{self.number()}x"
        kinds: list[Callable[[], str]] = [self.linear, self.polynomial]
        if self.level == 3:
            kinds = [self.polynomial, lambda: self.of(EVERYDAY, self.linear())]
        return self.chance.choice(kinds)()

    def factor(self) -> str:
        """A factor in brackets, or a power."""
        return self.term() if self.level == 1 else f"({self.polynomial()})"

    def scaled(self, text: str) -> str:
        """A multiple of something, or itself."""
        a = self.number(1, 9)
        return text if a == 1 else f"{a}*{text}"

    # A method for each topic

    def power(self) -> str:
        n = self.number(2, 9)
        if self.level == 1:
            return f"{self.term(n)}{self.sign()}{self.number(1)}"
        if self.level == 2:
            return f"{self.term(n)}{self.sign()}{self.term(self.number(2, 5))}{self.sign()}{self.number(1)}x"  # fmt: skip
        below = self.chance.choice((2, 3))
        return f"{self.number(2)}/x^{n}{self.sign()}{self.number(2)}*x^({self.number(1, 7)}/{below})"  # fmt: skip

    def sum(self) -> str:
        inner = VARIABLE if self.level < 3 else self.linear()
        own = self.scaled(self.of(EVERYDAY, inner))
        return f"{self.term(self.number(1, 6))}{self.sign()}{own}"

    def product(self) -> str:
        inner = self.linear() if self.level == 3 else self.term(1)
        return f"{self.factor()}*{self.of(EVERYDAY, inner)}"

    def quotient(self) -> str:
        above = self.factor()
        below = self.of(EVERYDAY, VARIABLE) if self.level > 1 and self.chance.random() < 0.5 else f"({self.polynomial()})"  # fmt: skip
        return f"{above}/{below}"

    def chain(self) -> str:
        if self.chance.random() < 0.4:
            inner = self.linear() if self.level == 1 else self.inner()
            return f"({inner})^{self.number(2, 7)}"
        return self.scaled(self.of(EVERYDAY, self.inner()))

    def exponential(self) -> str:
        base = str(self.number()) if self.chance.random() < 0.6 else "e"
        own = self.scaled(f"{base}^({self.inner()})")
        return f"{own}{self.sign()}{self.term(1 if self.level == 1 else None)}"

    def logarithm(self) -> str:
        inner = self.inner()
        own = f"ln({inner})" if self.chance.random() < 0.6 else f"log({inner}, {self.number()})"  # fmt: skip
        return f"{self.scaled(own)}{self.sign()}{self.term()}"

    def root(self) -> str:
        return f"{self.scaled(f'sqrt({self.inner()})')}{self.sign()}{self.term()}"

    def made(self, topic: str) -> str:
        """A problem of a topic."""
        rows = FUNCTIONS.get(topic)
        if rows is None:
            return str(getattr(self, topic)())
        own = self.scaled(self.of(rows, self.inner()))
        return own if self.level == 1 and self.chance.random() < 0.4 else f"{own}{self.sign()}{self.term()}"  # fmt: skip


FUNCTIONS = {"trigonometry": CIRCULAR, "inverse": INVERSE, "hyperbolic": HYPERBOLIC}
TOPICS = ("power", "sum", "product", "quotient", "chain", "exponential", "logarithm", "root", *FUNCTIONS)  # fmt: skip
"""The topics that can be practised."""


def topics_named(names: Iterator[str] | list[str]) -> list[str]:
    """Topics by their names. Raises `UsageError` for one that there is not."""
    found = list(names)
    for name in found:
        if name not in TOPICS:
            hint = did_you_mean(name, TOPICS, f"one of: {', '.join(TOPICS)}")
            raise UsageError(f"there is no topic {name}", hint=hint)
    return found or list(TOPICS)


def exercise(topic: str, level: int = 2, seed: int | str = 0) -> Exercise:
    """A problem; the same seed gives the same one. Raises `UsageError` for what there is not."""
    (name,) = topics_named([topic])
    if level not in LEVELS:
        raise UsageError(f"a level is 1, 2 or 3, not {level}")
    # a text is hashed with SHA-512, and gives the same problems in every process and on every machine
    make = _Maker(level, random.Random(f"{name}/{level}/{seed}"))
    for _ in range(MOST_TRIES):
        problem = make.made(name)
        function = parse(problem, (VARIABLE,))
        answer = str(function.derivative(VARIABLE))
        if len(answer) > LONGEST or VARIABLE not in function.variables:
            continue
        both = [f for f in (function, parse(answer, (VARIABLE,))) if f.variables]
        for interval in INTERVALS:
            if all(_defined(own, interval) for own in both):
                return Exercise(name, level, problem, answer, interval)
    raise UsageError(f"no problem was found on {name}, level {level}, seed {seed}")


def _defined(function: Expression, interval: tuple[float, float]) -> bool:
    """Return whether there is a value all over an interval: with bounds on pieces of it that leave no place out."""
    low, high = interval
    half = (high - low) / (2 * PIECES)
    bounds = Bounds(function.tape)
    for i in range(PIECES):
        # a little wider, as rounding would leave gaps between the pieces
        piece = Interval(low + (2 * i + 1) * half, half * (1 + 1e-6))
        value = bounds.over({VARIABLE: piece}, ()).value
        if isinstance(value, Exception) or not abs(value.arb.mid()) < LARGEST:
            return False
    return True


def hints(own: Exercise) -> Iterator[str]:
    """The rule for a problem, and then the place at which it is used."""
    function = own.function
    for place in reversed(Search(function, VARIABLE, ()).places):
        rule = next((rule for rule, applies in _RULES if applies(place)), None)
        if rule is not None:
            yield f"use {rule}"
            inside = f": the inside is {function.written(place.inner)}"
            yield f"look at {function.written(place.item)}{inside if at.chain(place) else ''}"
            return


_RULES: tuple[tuple[str, Callable[[at.Place], bool]], ...] = (
    (catalogue.PRODUCT, at.both(o.MUL)),
    (catalogue.QUOTIENT, at.both(o.DIV)),
    (catalogue.QUOTIENT, at.reciprocal),
    (catalogue.CHAIN, at.chain),
    (catalogue.POWER, at.is_power),
    (catalogue.EXPONENTIAL, at.other_base),
    (catalogue.TABLE, at.alone),
)
"""Rules, and where each is used; the outermost place of a problem counts."""


def distractors(own: Exercise, most: int = MOST_DISTRACTORS) -> list[Distractor]:
    """Wrong answers, no two of which are the same: likely ones first, and of different mistakes before others."""
    found: list[Distractor] = []
    later: list[Distractor] = []
    for other in _wrong_answers(own):
        fresh = other.mistake not in (one.mistake for one in found)
        (found if fresh else later).append(other)
        if len(found) == most or len(found) + len(later) == 3 * most:
            break
    return [*found, *later][:most]


def _wrong_answers(own: Exercise) -> Iterator[Distractor]:
    """Answers that one misapplied rule gives, where `check` names that rule."""
    from exprgrad.expressions.confirm import simplify

    low, high = own.interval
    points = [{VARIABLE: low + (high - low) * share} for share in (0.37, 0.71)]
    search = Search(own.function, VARIABLE, points)
    seen = [_values(parse(own.answer, (VARIABLE,)), own.interval)]
    candidates = list(search.candidates()) if search.sheets else []
    for candidate in sorted(candidates, key=lambda one: one.row.rare):
        try:
            formula = Expression.of(search.formula(candidate), (VARIABLE,))
            formula = Expression.of(simplify(formula.root), (VARIABLE,))
        except (ExprgradError, ArithmeticError, ValueError):
            continue
        values = _values(formula, own.interval)
        if values is None or any(_alike(values, other) for other in seen):
            continue
        seen.append(values)
        text = str(formula)
        if len(text) > 2 * LONGEST:
            continue
        # a distractor teaches only if `check` explains it by the rule that it was made with
        verdict = check(own.problem, text, wrt=VARIABLE)
        told, name = verdict.mistake, candidate.row.name
        if verdict.status == INCORRECT and told and name in (told.name, *told.others):
            yield Distractor(text, told.name, told.message)


def _values(formula: Expression, interval: tuple[float, float]) -> list[float] | None:
    """Values at some places of an interval; None where there is none."""
    low, high = interval
    probe = Probe(formula.tape)
    at = (low + (high - low) * share for share in (0.13, 0.37, 0.59, 0.83))
    found = [probe.floats({VARIABLE: x}).value for x in at]
    return None if None in found else found


def _alike(one: list[float], other: list[float] | None) -> bool:
    pairs = zip(one, other or (), strict=other is not None)
    return other is not None and all(abs(a - b) <= 1e-9 * max(1.0, abs(a)) for a, b in pairs)  # fmt: skip
