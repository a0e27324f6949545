"""The object that users hold: an expression with its variables, its value and its gradient at a point.

f = parse("(a*b+c)^2")
f.variables                            # ("a", "b", "c")
f(a=2, b=3, c=1)                       # 49.0
f.evaluate({"a": 2, "b": 3, "c": 1})   # value 49.0, gradient {"a": 42.0, "b": 28.0, "c": 14.0}
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple, SupportsFloat
from exprgrad.budget import Budget, budgeted, spend
from exprgrad.errors import (
    BindingError,
    DomainError,
    ExprgradError,
    NotDifferentiableError,
    RangeError,
    Span,
    UndecidedError,
    UsageError,
    about,
    needing,
)
from exprgrad.graph.displayed import above, displayed
from exprgrad.graph.order import topological
from exprgrad.graph.sweep import forward_around
from exprgrad.graph.value import Constant, Value, is_array, is_variable, node
from exprgrad.language import builder, inputs, points
from exprgrad.language.notes import Slope, shorten
from exprgrad.language.parser import Reading, read
from exprgrad.language.shapes import LATEX, NOTATIONS, assumed, is_latex
from exprgrad.language.undefined import keeping
from exprgrad.lazy import computed_once
from exprgrad.operations.number_types import CAREFUL, Fault, Step
from exprgrad.operations.table import ITEM, LN, MUL, POW
from exprgrad.sweeps.answer import answer
from exprgrad.sweeps.bounds import (
    BOUNDED,
    CORNER,
    DIGITS,
    EXACT,
    NEAREST,
    UNDECIDED,
    UNDEFINED,
    ZERO,
    Answer,
    Bounds,
    Known,
)
from exprgrad.sweeps.coordinates import (
    Coordinate,
    Coordinates,
    Meant,
    Point,
    on_arrays,
    substituted,
)
from exprgrad.sweeps.corners import OPEN, no_number
from exprgrad.sweeps.rounding import Checked
from exprgrad.sweeps.tape import Primals, Tape, Within, primals

if TYPE_CHECKING:
    from exprgrad.compiled.compiled import Compiled
    from exprgrad.expressions.elements import Answered, Asked, Part
    from exprgrad.expressions.stated import Step as Confirmed
    from exprgrad.expressions.within import Found, Inner
    from exprgrad.language.latex.tex import Macros
    from exprgrad.sweeps.careful import Gradient
    from exprgrad.sweeps.corners import Corner


@displayed
class Evaluation(NamedTuple):
    """An expression's value at a point and its partial derivatives there.

    `gradient` has one entry per differentiated variable: None where the partial does not exist, and
    then `corners` says why. `primals` and `adjoints` belong to the nodes of `expression.tape`; they are those of
    sweeps in double precision. `given` is the point as the numbers that are meant, `asked` the digits that were asked
    for. Numbers with bounds come from an `answer`, or a sweep that was `checked`.
    `one_sided` has the derivatives in the text that were taken from one side, the other being undefined;
    their `variable` is how they are written.
    """

    expression: Expression
    at: dict[str, float]
    value: float
    gradient: Gradient
    corners: tuple[Corner, ...]
    primals: Primals
    adjoints: Sequence[float]
    subgradient: bool = False
    tangents: Mapping[str, list[float]] = {}
    given: Mapping[str, Coordinate] = {}
    asked: int = DIGITS
    answer: Answer | None = None
    checked: Checked | None = None
    one_sided: tuple[Corner, ...] = ()

    def as_dict(self, digits: int = DIGITS) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        from exprgrad.expressions import fields

        inputs.count(digits, "the number of digits", 1, MOST_DIGITS)
        return fields.evaluation_fields(self, digits)

    @property
    def numbers(self) -> dict[str, Known]:
        """Return what is known of the value, by "", and of the partials, by name; empty where no answer was needed."""
        found = self.answer
        return {} if found is None else {"": found.value} | found.partials

    @property
    def cornered(self) -> tuple[str, ...]:
        """The variables with respect to which no rule holds."""
        return () if self.answer is None else self.answer.cornered

    @property
    def level(self) -> int:
        """The bits that it took; 0 where double precision was enough."""
        return 0 if self.answer is None else self.answer.level

    @property
    def texts(self) -> dict[str, str]:
        """The numbers of more digits than a double has, or beyond the range of doubles, as decimals."""
        return {
            name: str(number.decimal(self.asked))
            for name, number in self.numbers.items()
            if number.middle is not None
            and (number.value is None or self.asked > NEAREST)
        }

    @property
    def cancelled(self) -> dict[str, float]:
        """Return what double precision gives where it is not as good as what is known."""
        before: dict[str, float] = {}
        if not self.level or not self.adjoints:
            return before
        tape, cornered = self.expression.tape, {c.variable for c in self.corners}
        for name, number in self.numbers.items():
            if name in cornered or number.value is None:
                continue
            double = (
                self.adjoints[tape.variables[name]] if name else self.primals[tape.root]
            )
            off = abs((double or 0.0) - number.value)
            # Every sweep rounds: to lose three digits of sixteen is no cancellation.
            if math.isfinite(off) and off > 1e-13 * abs(number.value):
                before[name] = (double or 0.0) + 0.0
        return before

    @property
    def exact(self) -> Mapping[str, Any]:
        """The point as the numbers that are meant, to evaluate something else there."""
        return self.given or self.at

    def values(self) -> Primals:
        """The value of every node. Raises `RangeError` where double precision does not come through."""
        if self.primals:
            return self.primals
        expression, tape = self.expression, self.expression.tape
        if expression.given(self.given):
            raise expression.unfollowed()
        # Once more with faults for values, to see which step was the first to have one.
        found: Any = primals(tape, self.at, faults=True)
        faulty = (s for s in tape.steps if isinstance(found[s.node], Exception))
        first: Any = next(faulty, None)
        why = "a number on the way is beyond the range of double precision"
        if first is not None:
            fault = expression.fault(first, found[first.node].arguments)
            if not isinstance(fault, RangeError):
                why = f"in double precision, {first.operation.title} has no value on the way"
        raise expression.error(RangeError, f"there is no trace: {why}", first)

    def known(self, name: str = "") -> Known:
        """Return what is known of the value, or of a partial by its name."""
        if self.answer is not None:
            found = self.answer.partials.get(name) if name else self.answer.value
            if found is not None:
                return found
        value = self.gradient[name] if name else self.value
        error = self.errors.get(name, math.inf) if name else self.error
        if value is None:
            return no_number
        return Known(value, error, BOUNDED if error else EXACT)

    @property
    def error(self) -> float:
        """A bound on the error of the value; infinite where none is known."""
        if self.answer is not None:
            return self.answer.value.error
        return math.inf if self.checked is None else self.checked.error

    @property
    def errors(self) -> Mapping[str, float]:
        """A bound on the error of each partial, by name, where one is known."""
        if self.answer is not None:
            partials = self.answer.partials.items()
            return {name: own.error for name, own in partials if own.value is not None}
        return {} if self.checked is None else self.checked.errors

    @property
    def digits(self) -> int:
        """Return how many significant digits of all these numbers are known; none of a 0 that may be far from it."""
        known = map(self.known, ("", *self.gradient))
        # A 0 with a bound below 1e-300 is 0 for all that can be told, and has no digits to count.
        told = [
            k.sure for k in known if k.is_number and (k.value != 0 or k.error >= 1e-300)
        ]
        return min([NEAREST, *told])


class ArrayEvaluation(NamedTuple):
    """An expression's value and, if that is one number, its partial derivatives.

    A number is a float; an array has the type of NumPy. `gradient` has an entry for every
    differentiated variable, in the variable's shape; it is None where the value is an array. Where a partial
    does not exist it is None, in an array nan, and `corners` says why, of `x[0]` for an element. `error` and
    `errors` bound the errors, in the same shapes. Without `refine` a corner has the slope of the table's rule.
    `sweeps` counts those of forward mode, one for each element of the variables. `one_sided` is that of
    `Evaluation`.
    """

    expression: Expression
    at: dict[str, Any]
    value: Any
    gradient: dict[str, Any] | None
    corners: tuple[Corner, ...] = ()
    bounds: Answered | None = None
    sweeps: int = 0
    one_sided: tuple[Corner, ...] = ()

    def as_dict(self, digits: int = DIGITS) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        from exprgrad.expressions import fields

        inputs.count(digits, "the number of digits", 1, MOST_DIGITS)
        return fields.array_fields(self, digits)

    @property
    def subgradient(self) -> bool:
        """Return whether corners have the slope of the table's rule by request; of arrays, that is not kept."""
        return False

    @property
    def error(self) -> Any:
        """A bound on the error of the value, or of each of its elements; infinite where none is known."""
        return math.inf if self.bounds is None else self.bounds.error

    @property
    def errors(self) -> Mapping[str, Any]:
        """Bounds on the errors of the partials, by name, where they were asked for."""
        return {} if self.bounds is None else self.bounds.errors

    @property
    def bounded(self) -> bool:
        """Return whether bounds were asked for."""
        return self.bounds is not None


MODES = ("reverse", "forward")
MOST_DIGITS = 1000

HIGHEST_ORDER = 10_000
"""The highest order of a formula."""

WHOLE = 2**53
"""Integers up to this one are floats."""

MOST_SECOND = 100
"""Second partial derivatives that are looked at from both sides, where a rule does not give them."""

MOST_STEPS_PROVED = 200
"""Operations of an expression whose partials may be proved to be 0."""

LONGEST_SOURCE = 100_000
"""Characters of the text of a derivative; a longer one is not written out."""


def _differentiated(root: Value, name: str, most: int | None, span: Span) -> Value:
    """The derivative for a text in which it is taken."""
    from exprgrad.expressions.confirm import derivative

    return derivative(root, name, most=most, span=span)


builder.differentiate = _differentiated


def _is_zero(root: Value) -> bool:
    from exprgrad.proof.elementary import vanishes

    return vanishes(root)


def _written_out(base: str, exponent: float) -> str | None:
    """Return how to ask for the real root that a variable cannot: next to 1/3 there is no such power."""
    from fractions import Fraction

    # The double of 1/3 has a power of two as its denominator; 1/3 is within its rounding.
    near = Fraction(exponent).limit_denominator(99)
    if near.denominator % 2 == 0 or abs(near - Fraction(exponent)) > 2**-52:
        return None
    base = base if base.isidentifier() else f"({base})"
    return f"an exponent that is written out takes the real root: {base}^({near})"


@displayed
class Expression:
    """An expression in its variables. Immutable: evaluating it does not change it.

    `variables` are those that occur, in that order; `declared` may hold others, whose values are
    accepted and do not matter.
    """

    def __init__(self, reading: Reading, declared: Collection[str] = ()) -> None:
        self.source = reading.source
        self.root = reading.root
        self.notes = reading.notes
        self.implicit = reading.implicit
        self.declared = frozenset(declared)
        self.leaves = reading.variables
        self.variables: tuple[str, ...] = tuple(v.name or "" for v in reading.variables)
        self.slopes = reading.slopes
        self._assumptions: Callable[[], tuple[str, ...]] | tuple[str, ...] = ()
        # for a derivative that a text asks for: the question, up to its answer
        self.asked: str | None = None
        # what it is called where that is not all of its source
        self.titled: str | None = None
        self.sides: tuple[Expression, ...] = (self,)
        self._text: str | None = None
        self._compiled: dict[tuple[tuple[str, ...], bool, bool], Compiled] = {}
        # the last step of a derivative, by the variables one after the other
        self._derived: dict[tuple[str, ...], Confirmed] = {}

    def __str__(self) -> str:
        if self._text is None:
            from exprgrad.notation.text import to_text

            self._text = to_text(self.root)
        return self._text

    def __repr__(self) -> str:
        from exprgrad.notation.text import parsed_from

        return parsed_from(self.root)

    @property
    def title(self) -> str:
        """The source on one line, without comments; or what it is called."""
        if self.titled is not None:
            return self.titled
        # On one line, a comment would take all behind it along.
        lines = (line.partition("#")[0] for line in self.source.splitlines())
        return " ".join(" ".join(lines).split())

    @property
    def reading(self) -> str:
        """The expression as it was read, fully bracketed."""
        from exprgrad.notation.text import bracketed

        return bracketed(self.root)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Of a derivative and of what was simplified: the conditions under which it is that, `("x != 1",)`.

        Where one does not hold, the formula has a value that the original has not, or the other way round.
        """
        if callable(self._assumptions):
            self._assumptions = self._assumptions()
        return self._assumptions

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read: how it was read, its formula, and where that holds."""
        fields = above("expressions.derivatives").simplified_fields
        own: dict[str, Any] = fields(self, self, "") | {"variables": [*self.variables]}
        del own["form"]  # which is that it was asked for
        return own

    @property
    def taken(self) -> list[str]:
        """Return the variables by which the whole is a derivative as it was typed, one for each order: d/dx x^2."""
        root, slopes, found = self.root, [*self.slopes], list[str]()
        # h_x(y, x) has other variables than h_x
        while own := [s for s in slopes if s.derived is root and all(x.name == n for n, x in s.arguments)]:  # fmt: skip
            found += [slope.variable for slope in own]
            root, slopes = own[0].root, [s for s in slopes if s not in own]
        return found

    @property
    def asks_for_derivative(self) -> bool:
        """Return whether a derivative is taken in the text itself, as in `d/dx x^2 + 1`."""
        return bool(self.slopes)

    @computed_once
    def tape(self) -> Tape:
        """The graph in topological order, which every sweep runs over."""
        return Tape(self.root, self.leaves)

    def __call__(self, /, **at: SupportsFloat) -> float:
        """The value at a point given by name: a float, or an array where it is computed from some."""
        found = self.evaluate(at, ())
        if found.value is not None:
            return found.value
        with about(self.source):
            return found.known().to_float("the value", DIGITS)

    @budgeted
    def evaluate(
        self,
        at: Point,
        wrt: Iterable[str] | None = None,
        *,
        mode: str = "reverse",
        subgradient: bool = False,
        refine: bool = True,
        digits: int = DIGITS,
        budget: Budget | int | None = None,
    ) -> Evaluation:
        """The value and all partial derivatives at a point, good for so many digits.

        The point is what it says: a float is the number that it stores; `Fraction`, `Decimal` and a graph without
        variables are what they are. `wrt` chooses the variables to differentiate with respect to (all of them). With
        `digits=17` the numbers are the nearest doubles. The mode `"forward"` keeps the tangents of forward sweeps, one
        a variable, to look at. With `subgradient`, a corner takes the convention of the table's rule, which is
        PyTorch's. Without `refine` there is one sweep in double precision and no bound: the form for loops. Arrays give
        an `ArrayEvaluation`. A `budget` limits the work: see `exprgrad.budget`. Raises `BindingError` for a missing or
        superfluous value, `DomainError` where the expression is not defined, `UndecidedError` where no precision
        decides a branch.
        """
        names, result = self._names(wrt), None
        spend(len(self.tape.steps), "sweeps")
        inputs.point(at)
        inputs.count(digits, "the number of digits", 1, MOST_DIGITS)
        if not isinstance(mode, str) or mode not in MODES:
            raise UsageError(f"a mode is {' or '.join(MODES)}, not {mode!r}")
        plain = subgradient or not refine
        # One sweep is off by some units in the last place, and does not have to give the nearest doubles.
        if not plain and digits < NEAREST:
            result = self._at_floats(at, names, digits)
        if result is None:
            if self.takes_arrays(at):
                fast = subgradient or (plain and not self.slopes)
                return self._on_arrays(at, wrt, None if fast else digits, mode)  # type: ignore[return-value] # the same with arrays for numbers
            if plain:
                result = self._in_doubles(self.point(at), names, subgradient)
            else:
                result = self._with_bounds(self.coordinates(at), names, digits)
        if mode == "reverse" or not result.primals:
            return result
        from exprgrad.sweeps.careful import meets_corner, with_tangents

        settled = {*result.errors, *result.texts}
        settled |= {corner.variable for corner in result.corners}
        if plain and meets_corner(self.tape, result.primals, self.tape.active(names)):
            settled |= {*names}  # tangents follow rules, which do not hold here
        along = with_tangents(self.tape, result.primals, result.gradient, settled)
        return result._replace(gradient=along[0], tangents=along[1])

    def _at_floats(self, at: Point, names: list[str], digits: int) -> Evaluation | None:
        """The answer at a point of floats, where the cheap test of one sweep is enough: the usual case."""
        tape, point = self.tape, self._floats(at)
        if point is None or self.slopes or tape.on_arrays:
            return None
        exact = [0.0] * len(point)
        checked = self.bounds.checked(point, exact, names, 0.5 * 10.0**-digits)
        if checked is None:
            return None
        values, adjoints = checked.values, checked.adjoints
        number = tape.variables
        # -0.0 + 0.0 is 0.0.
        gradient: Gradient = {name: adjoints[number[name]] + 0.0 for name in names}
        value = values[-1] + 0.0
        return Evaluation(
            self, point, value, gradient, (), values, adjoints, checked=checked
        )

    def _with_bounds(self, at: Meant, names: list[str], digits: int) -> Evaluation:
        """The answer at the point: see `sweeps.answer`."""
        point = {name: self._double(name, number) for name, number in at.items()}
        with about(self.source):
            found = answer(self.bounds, at, names, digits, _is_zero)
        inner = self._within(found.primals, at)
        if inner is not None:
            found = self._answer_given(at, names, digits, inner)
        if found.value.status in (UNDECIDED, UNDEFINED):
            raise self._no_value(found, at)
        small = [n for n, k in found.partials.items() if k.status == ZERO]
        level = [name for name in small if self._is_level(name, at)]
        found.partials.update(dict.fromkeys(level, Known(0.0, 0.0, EXACT)))
        value: Any = found.value.value  # None beyond the range of doubles
        gradient = {name: partial.value for name, partial in found.partials.items()}
        swept = found.corners, found.primals, found.adjoints
        one_sided = () if inner is None else inner.one_sided
        result = Evaluation(self, point, value, gradient, *swept, given=at)
        return result._replace(asked=digits, answer=found, one_sided=one_sided)

    def _answer(self, at: Meant, names: Sequence[str]) -> Answer:
        """Return what is known at a point without derivatives in the text: see `sweeps.answer`."""
        found = answer(self.bounds, at, names, DIGITS, _is_zero)
        if found.value.status in (UNDECIDED, UNDEFINED):
            raise self._no_value(found, at)
        return found

    def _is_level(self, name: str, at: Meant) -> bool:
        """Return whether a partial that is smaller than any number told from 0 is proved to be 0."""
        if len(self.tape.steps) > MOST_STEPS_PROVED:
            return False
        from exprgrad.expressions.confirm import derivative

        try:
            slope = derivative(self.root, name)
        except ExprgradError:
            return False  # a row has no formula for it
        return _is_zero(slope) or _is_zero(substituted(slope, at))

    def _answer_given(
        self, at: Meant, names: list[str], digits: int, inner: Found
    ) -> Answer:
        """The answer where derivatives in the text are known otherwise than by their formulas."""
        from exprgrad.graph.rewriting import replaced
        from exprgrad.sweeps.germs.sides import Neighbourhood

        tape, root = self.tape, replaced(self.root, inner.numbers)
        found = answer(Bounds(Tape(root, self.leaves)), at, names, digits, _is_zero)
        given = inner.at_nodes(tape)
        near = Neighbourhood(tape, at, given)
        partials, corners = dict(found.partials), list(found.corners)
        for name in names:
            if any(name in derivative.variables for derivative in given.values()):
                partials[name], corner = near.along(
                    {name: 1}, None, found.primals, digits
                )
                corners = [c for c in corners if c.variable != name]
                corners += [] if corner is None else [corner]
        return found._replace(
            partials=partials, corners=tuple(corners), primals=(), adjoints=()
        )

    @computed_once
    def bounds(self) -> Bounds:
        """The tape, prepared for sweeps with bounds."""
        return Bounds(self.tape)

    def _double(self, name: str, number: Coordinate) -> float:
        if number.double is None:
            if number.tape:  # says why sqrt(-1) is no number
                Expression.of(number.tape.nodes[number.tape.root]).evaluate({})
            what = f"the value of {name} is beyond the range of double precision"
            raise BindingError(what, hint="give a smaller number")
        return number.double

    def _no_value(self, found: Answer, at: Meant) -> ExprgradError:
        """Why there is no value, with its place."""
        undecided = found.value.status == UNDECIDED
        try:
            self._primals({name: self._double(name, x) for name, x in at.items()})
        except RangeError as error:
            return error
        except DomainError as error:
            # what doubles say of a step may be off: at pi, tan(x) is not -1.2e-16
            if not undecided and (self.slopes or found.culprit is None):
                return error
        step = found.culprit
        if step is None or undecided:
            branches = any(step.operation.choose for step in self.tape.steps)
            what = "which branch is taken" if branches else "the value"
            there = "there is a value" if branches else "there is one"
            what = f"could not decide {what}, or whether {there}, with 1,000 digits"
            return self.error(UndecidedError, what, step)
        arguments = tuple(self._operand(j, at) for j in step.operands)
        conditions = step.operation.domain
        if not conditions or step.operation.failing(arguments):
            return self.fault(step, arguments)
        needs = " and ".join(condition.needs for condition in conditions)
        barely = "here that fails by less than double precision shows"
        what = f"{step.operation.title} needs {needs}; {barely}"
        return self.error(DomainError, what, step)

    def error(
        self,
        kind: type[ExprgradError],
        message: str,
        step: Step | None = None,
        hint: str | None = None,
    ) -> ExprgradError:
        """An error about the expression, with the place of a step in its source."""
        span = None if step is None else self.tape.nodes[step.node].span
        return kind(message, span, hint, source=self.source)

    def unfollowed(self) -> ExprgradError:
        """The error for sweeps in double precision where a formula does not hold."""
        why = "a derivative in the expression was not found by its formula here"
        return self.error(RangeError, f"there is no trace: {why}")

    def _operand(self, j: int, at: Meant) -> float:
        """The double nearest to the value of a node, as far as one is known."""
        found = Bounds(Tape(self.tape.nodes[j], self.leaves)).answer(at, (), NEAREST)
        return found.value.value or 0.0

    def _in_doubles(
        self, point: dict[str, float], names: list[str], subgradient: bool
    ) -> Evaluation:
        """One sweep in double precision, and what is decided at corners."""
        from exprgrad.sweeps.careful import below, fast_adjoints, pull_back_carefully

        tape, (values, inner) = self.tape, self._primals(point)
        if inner is not None and not (subgradient and values):
            return self._with_bounds(self.coordinates(point), names, DIGITS)
        if inner is not None:
            values = self._primals_around(point, inner.numbers)
        value, active = values[tape.root] or 0.0, tape.active(names)
        swept = None if subgradient else fast_adjoints(tape, values, active)
        culprits: Mapping[str, Step] = {}
        if swept is None:
            swept, _, blocked = pull_back_carefully(tape, values, active, subgradient)
            culprits = below(tape, values, blocked)
        gradient: Gradient = {n: swept[tape.variables[n]] + 0.0 for n in names}
        corners: tuple[Corner, ...] = ()
        open_ = [name for name in names if name in culprits]
        if open_:  # no rule holds there
            found = self._with_bounds(self.coordinates(point), open_, DIGITS)
            corners = found.corners
            for name in open_:
                own = found.known(name)
                gradient[name] = own.to_float() if own.is_number else None
        if not all(map(math.isfinite, swept)):
            beyond = [n for n in names if not math.isfinite(gradient[n] or 0.0)]
            what = " with respect to ".join(["the derivative", *beyond[:1]])
            raise self.error(RangeError, f"{what} is too large for double precision")
        found = Evaluation(self, point, value, gradient, corners, values, swept)
        one_sided = () if inner is None else inner.one_sided
        return found._replace(subgradient=subgradient, one_sided=one_sided)

    def _on_arrays(
        self, at: Point, wrt: Iterable[str] | None, digits: int | None, mode: str
    ) -> ArrayEvaluation:
        """The answer at a point of arrays: good for so many digits, or of one sweep in doubles."""
        with needing("arrays need NumPy and SciPy", "arrays"):
            from exprgrad.sweeps.arrays import bounds as arrays
        from exprgrad.expressions.elements import answered, forward_gradient

        given, names = self.array_coordinates(at), self._names(wrt)
        own, plain = self._spread(given), arrays.plain
        point = {name: plain(x.data) for name, x in given.items()}
        bounds, enough, sweeps = None, 0.0, 0
        corners: tuple[Corner, ...] = ()
        one_sided = corners
        with about(self.source):
            if digits is not None:
                asked = own._asked(given, names, digits)
                bounds, enough = answered(asked), asked.enough
                value, gradient = bounds.value, bounds.gradient
                corners, one_sided = bounds.corners, bounds.one_sided
            else:
                value, gradient = arrays.evaluate(own.tape, point, names, own.written)
                if self.slopes:  # whose formulas may not hold everywhere
                    careful = own._on_arrays(at, (), DIGITS, "reverse")
                    value, one_sided = careful.value, careful.one_sided
            if mode == "forward" and gradient is not None:
                gradient, sweeps = forward_gradient(
                    own.tape, given, gradient, own.written, bounds, enough
                )
        if gradient is not None:
            given_up = {n: plain(x) for n, x in gradient.items()}
            missing = {
                n for n, x in given_up.items() if isinstance(x, float) and x != x
            }
            gradient = given_up | dict.fromkeys(missing)
        value = plain(value)
        return ArrayEvaluation(
            self, point, value, gradient, corners, bounds, sweeps, one_sided
        )

    def _asked(
        self, given: Mapping[str, Coordinates], names: list[str], digits: int
    ) -> Asked:
        """Return what is asked at a point of arrays, good for so many digits."""
        from exprgrad.expressions.elements import Asked, balls, formulas_hold

        def ask(
            part: Part | None, numbers: Mapping[str, Any], wanted: Sequence[str]
        ) -> Evaluation:
            own = self if part is None else self.part(*part)
            return own.evaluate(numbers, wanted, digits=digits)

        open_ = () if formulas_hold(self.slopes, balls(given)) else self.slopes
        # With nan every element is looked at singly, as a formula in the text may not hold in it.
        enough = math.nan if open_ else 0.5 * 10.0**-digits
        return Asked(self.tape, open_, given, names, enough, ask, self.written)

    def _spread(self, given: Mapping[str, Coordinates]) -> Expression:
        """The same, with derivatives in the text in the shapes of arrays."""
        if not self.slopes:
            return self
        from exprgrad.expressions.elements import spread

        arrays = [name for name, own in given.items() if own.data.ndim]
        found = spread(self.root, self.slopes, arrays)
        if found is None:
            return self
        return self.part(found[0], self.leaves, found[1])

    def takes_arrays(self, at: Mapping[str, object]) -> bool:
        """Return whether `sweeps.arrays.bounds` evaluates this: for an operation on arrays, or a value that is one."""
        inputs.point(at)
        return self.tape.on_arrays or any(map(on_arrays, at.values()))

    def refuse_arrays(self, at: Mapping[str, object]) -> None:
        """Raise `UsageError` if arrays are involved: for what works on numbers only."""
        if not self.takes_arrays(at):
            return
        step = next((s for s in self.tape.steps if s.operation.whole), None)
        hint = "eval takes arrays"
        if step is not None and step.operation is ITEM:
            hint = f"write * for a product; {hint}"
        raise self.error(UsageError, "this needs numbers, not arrays", step, hint)

    def gradient(self, at: Point, *, refine: bool = True) -> dict[str, float]:
        """The partial derivatives alone.

        Raises `NotDifferentiableError` where one does not exist, `UndecidedError` where that could not be
        decided, `RangeError` where one is beyond the range of doubles, `UsageError` where the value is an array.
        """
        result = self.evaluate(at, refine=refine)
        if result.gradient is None:
            what = "only a single number has a gradient"
            raise self.error(UsageError, what, None, "such as sum(...) or an element")
        gradient = {name: p for name, p in result.gradient.items() if p is not None}
        for name in result.gradient:
            if name not in gradient:
                raise self._no_partial(name, result)
        return gradient

    def _no_partial(self, name: str, result: Evaluation) -> ExprgradError:
        """Why a gradient in doubles lacks a partial."""
        corner = next((c for c in result.corners if c.variable == name), None)
        what = f"the partial derivative with respect to {name}"
        if corner is None or corner.kind == "edge":
            beyond = f"{what} is beyond the range of double precision"
            return self.error(RangeError, beyond)
        from exprgrad.expressions.missing import missing

        whether, denied = f"{what} exists here", f"{what} does not exist here"
        return missing(whether, denied, self.source, corner=corner, place="")

    @budgeted
    def simplify(
        self, form: str = "short", *, budget: Budget | int | None = None
    ) -> Expression:
        """The same in fewer symbols: the shortest writing, or `factored`, or `expanded`.

        It has the same value wherever its `assumptions` hold, `("x != 1",)` of x + 1 for (x^2 - 1)/(x - 1).
        """
        from exprgrad.expressions.confirm import simplify
        from exprgrad.expressions.taylor import with_numbers

        root = simplify(with_numbers(self.root), _form(form))
        return self._formula([(self.root, None, root)])

    def _formula(self, steps: Sequence[Confirmed]) -> Expression:
        """The last formula of some that were confirmed."""
        from exprgrad.expressions.confirm import text_of

        root = steps[-1][-1] if steps else self.root
        found = Expression.of(root, self.declared.union(self.variables), text_of(root))

        def assumptions() -> tuple[str, ...]:
            from exprgrad.expressions.stated import stated

            wrt = [name for _, name, _ in steps if name is not None]
            return stated(self.root, root, wrt, steps)

        found._assumptions = assumptions
        return found

    @budgeted
    def derivative(
        self,
        *wrt: str,
        order: int = 1,
        form: str = "short",
        budget: Budget | int | None = None,
    ) -> Expression:
        """The derivative with respect to one variable after the other, as an expression, simplified.

        `form` is `short`, `factored` or `expanded`.

        Without names, with respect to the only variable; with respect to a name that does not occur it is 0.
        Its text parses back. It is the derivative wherever that exists and its `assumptions` hold, and may have a
        value in more places: that of ln(x) is 1/x.
        """
        from exprgrad.expressions.confirm import derivative, simplify
        from exprgrad.symbolic.derivative import MOST_OPERATIONS

        form = _form(form)
        names: Sequence[str] = [*map(inputs.normal, inputs.names(wrt))]
        names = names or self.variables[:2]
        inputs.count(order, "an order", 1, HIGHEST_ORDER)
        if len(names) != 1 and not wrt:
            what = "choose the variable to differentiate with respect to"
            hint = f"one of: {', '.join(self.variables)}" if self.variables else None
            raise UsageError(what, hint=hint)
        root = self.root
        if any(is_array(c.data) for c in topological(root) if isinstance(c, Constant)):
            self.refuse_arrays({})
        steps: list[Confirmed] = []
        every = tuple(name for name in names for _ in range(order))
        try:
            for i, name in enumerate(every):
                if steps and root.data == 0:
                    break  # all further ones are 0 as well
                # f'' starts from f', which is not looked for and confirmed a second time.
                if every[: i + 1] not in self._derived:
                    # What was typed is differentiated whatever its size; formulas of formulas grow too fast.
                    most = MOST_OPERATIONS if steps else None
                    found = derivative(root, name, most=most)
                    self._derived[every[: i + 1]] = root, name, found
                steps.append(self._derived[every[: i + 1]])
                root = steps[-1][-1]
        except UsageError as error:
            error.source = self.source
            raise
        if form != "short":
            steps.append((root, None, simplify(root, form)))
        return self._formula(steps)

    @classmethod
    def of(
        cls, root: Value, declared: Collection[str] = (), text: str | None = None
    ) -> Expression:
        """A graph as an expression, its text as the source; unless that is known already, it is written.

        The graph is copied, sharing and all: its nodes may have spans in another text.
        """
        from exprgrad.graph.rewriting import rebuilt
        from exprgrad.notation.text import text_up_to

        names: dict[str, Value] = {}

        def copied(item: Value, operands: tuple[Value, ...]) -> Value:
            if item.operation is not None:
                return node(item.operation, operands)
            name = item.name or ""
            return (
                names.setdefault(name, Value(None, name)) if is_variable(item) else item
            )

        text = text or text_up_to(root, LONGEST_SOURCE)
        source = text or f"a formula of {len(topological(root))} parts"
        copy = rebuilt(root, copied)
        found = cls(Reading(source, copy, tuple(names.values()), (), False), declared)
        found._text = text
        return found

    def part(
        self,
        root: Value,
        leaves: tuple[Value, ...] = (),
        slopes: tuple[Slope, ...] = (),
    ) -> Expression:
        """A part of the graph, or what stands for it, in leaves of its own; its places are in the same source."""
        return Expression(Reading(self.source, root, leaves, (), False, slopes))

    @budgeted
    def hessian(
        self, at: Point, *, budget: Budget | int | None = None
    ) -> dict[str, dict[str, float]]:
        """The second partial derivatives at a point, a symmetric matrix by names.

        Raises `NotDifferentiableError` where the rules do not give them, `UsageError` where that is too much work.
        """
        rows = self.second_partials(at)
        self.require(at, (entry for row in rows.values() for entry in row.values()))
        return {
            a: {b: entry.to_float() for b, entry in row.items()}
            for a, row in rows.items()
        }

    def second_partials(
        self, at: Point, digits: int = DIGITS
    ) -> dict[str, dict[str, Known]]:
        """The same with bounds; an entry has no value where the rules do not give it."""
        from exprgrad.sweeps.balls.series import TooMuch

        self.evaluate(at, (), digits=digits)  # refuses a point without a value
        numbers = self.coordinates(at)
        if self.given(numbers):
            return {n: dict.fromkeys(self.variables, OPEN) for n in self.variables}
        try:
            rows = self.bounds.hessian(numbers, self.variables, digits)
        except TooMuch:
            count = len(self.variables)
            what = f"a Hessian in {count} variables takes too much work here"
            raise self.error(UsageError, what) from None
        names = self.variables
        # One half: the matrix is symmetric.
        pairs = ((a, b) for i, a in enumerate(names) for b in names[: i + 1])
        missing = (CORNER, UNDECIDED)
        open_ones = [(a, b) for a, b in pairs if rows[a][b].status in missing]
        if not open_ones:
            return rows
        found = self.evaluate(at, sorted({name for pair in open_ones for name in pair}))
        for a, b in open_ones[:MOST_SECOND]:
            if None not in (found.gradient[a], found.gradient[b]):
                rows[a][b] = rows[b][a] = self._second(numbers, a, b)
            elif UNDECIDED in (found.known(a).status, found.known(b).status):
                rows[a][b] = rows[b][a] = OPEN
        return rows

    def _second(self, at: Meant, one: str, other: str) -> Known:
        """A second partial derivative where a rule does not hold, but both first ones exist."""
        from exprgrad.sweeps.germs.sides import mixed

        if one == other:
            return self.continued(at, one, 2)
        try:
            partials = [self.derivative(name).tape for name in (one, other)]
        except UsageError:
            return OPEN
        return mixed(self.tape, partials, at, (one, other))

    def continued(self, at: Meant, name: str, order: int) -> Known:
        """A derivative of order 2 or more where a rule does not hold, but the one before exists.

        It is the slope of that one as a formula, decided from both sides.
        """
        from exprgrad.sweeps.germs.sides import continued

        try:
            before = self.derivative(name, order=order - 1)
        except UsageError:
            return OPEN
        if name not in before.variables:
            return Known(0.0, 0.0, EXACT)
        own = {n: at[n] for n in before.variables}
        return continued(before.tape, own, name)

    def require(self, at: Point, entries: Iterable[Known]) -> None:
        """Raise the error of the first second partial derivative that is not known."""
        for entry in entries:
            if not entry.is_number:
                raise self.no_second_partial(at, entry)

    def no_second_partial(self, at: Point, entry: Known) -> ExprgradError:
        """The error for a second partial derivative that is not known."""
        culprits = self.bounds.answer(self.coordinates(at), self.variables).culprits
        step = next(iter(culprits.values()), None)
        if entry.status == UNDECIDED:
            what = "could not decide whether the second derivatives exist here"
            return self.error(UndecidedError, what, step)
        why = "" if step is None else f": {step.operation.title} is not smooth"
        what = f"the rules give no second derivative here{why}"
        hint = "evaluate at a point nearby"
        return self.error(NotDifferentiableError, what, step, hint)

    def hessian_product(
        self, at: Point, vector: Point, digits: int = DIGITS
    ) -> dict[str, float]:
        """The Hessian at a point times a vector, by one forward and one reverse sweep."""
        numbers = self.direction(vector, "a vector")
        inputs.count(digits, "the number of digits", 1, MOST_DIGITS)
        self.evaluate(at, ())  # refuses a point without a value
        # Hv is the gradient of the slope along v, and takes no matrix (Pearlmutter, Neural Computation 6, 1994).
        found = self.bounds.hessian_product(
            self.coordinates(at), numbers, self.variables, digits
        )
        self.require(at, found.values())
        return {name: entry.to_float() for name, entry in found.items()}

    def direction(self, given: Point, what: str) -> dict[str, Coordinate]:
        """The components of a vector, by the names of variables."""
        components = inputs.values(given, what)
        self.refuse_unknown(*components)
        found = {name: points.coordinate(name, x) for name, x in components.items()}
        # raises where there is no double
        return {n: x for n, x in found.items() if self._double(n, x) is not None}

    def primals(self, point: dict[str, float]) -> Primals:
        """The forward sweep in double precision. Raises `DomainError`, with its place."""
        values, _ = self._primals(point)
        if not values:
            raise self.unfollowed()
        return values

    def _primals(self, point: dict[str, float]) -> tuple[Primals, Found | None]:
        """The forward sweep, and the derivatives in the text that are known otherwise than by it."""
        try:
            values = primals(self.tape, point)
        except Fault as fault:
            inner = self._within((), point)
            if inner is not None:
                return (), inner
            raise self.fault(fault.step, fault.arguments) from None
        return values, self._within(values, point) if self.slopes else None

    def _primals_around(
        self, point: dict[str, float], known: Mapping[Value, Constant]
    ) -> Primals:
        """The forward sweep in double precision, but for nodes whose values are given."""
        tape, values = self.tape, self.tape.inputs(point)
        numbers = {i: known[n].data for i, n in enumerate(tape.nodes) if n in known}
        forward_around(tape.steps, CAREFUL, values, numbers)
        root: Any = values[tape.root]
        if isinstance(root, Fault):
            raise self.fault(root.step, root.arguments)
        return [None if isinstance(value, Fault) else value for value in values]

    def fault(self, step: Step, arguments: Sequence[float]) -> DomainError:
        """Why a step has no value, with its place."""
        span = self.tape.nodes[step.node].span
        operands = [self.written(self.tape.nodes[j], span) for j in step.operands]
        error = step.operation.fault(tuple(arguments), operands)
        error.span = span
        error.source = self.source
        if step.operation is POW and arguments[0] < 0 and operands[1].upper().isupper():
            error.hint = _written_out(operands[0], arguments[1])
        return error

    def given(self, at: Meant) -> dict[int, Within]:
        """Derivatives in the text that are known otherwise than by their formulas, by node."""
        inner = self._within((), at)
        return {} if inner is None else inner.at_nodes(self.tape)

    def _within(self, values: Primals, at: Point) -> Found | None:
        """The derivatives in the text whose formulas do not hold here; None if there is none: see `within`."""
        if not self.slopes:
            return None
        from exprgrad.expressions.within import within

        found = within(self.tape, self.slopes, values, at, self._inner, self.source)
        return found if found.given or found.one_sided else None

    def _inner(self, root: Value) -> Inner:
        """A part of the graph, to be asked for its derivatives."""
        from exprgrad.expressions.within import Inner

        leaves = tuple(n for n in topological(root) if is_variable(n))
        inner = self.part(root, leaves)
        return Inner(inner.tape, inner._answer)

    def at(self, point: Mapping[str, float]) -> float:
        """The value at a point that may have more names than there are variables."""
        inputs.point(point)
        return self(**{name: point[name] for name in self.variables if name in point})

    def written(self, item: Value, within: Span | None = None) -> str:
        """Return how a node stands in the source, shortened; as a formula where it has no place `within` one."""
        from exprgrad.notation.text import text_up_to

        if item.name is not None or item.span is None or item.span == within:
            return text_up_to(item, 80) or "a part of it"
        return shorten(self.source[slice(*item.span)])

    def graph(
        self,
        at: Point | None = None,
        stage: int | str = "all",
        depth: int | None = None,
    ) -> Any:
        """The computation graph as data, with values and adjoints if a point is given; its `svg()` is a picture.

        The `stage` is "values", before the reverse sweep, or "all", or a number of steps of the walk. What lies
        deeper than `depth` operations below the result is folded; by itself, only a large graph is, and
        with 0 none.
        """
        return above("pictures.graph").graph_of(self, at, stage, depth)

    @budgeted
    def plot(
        self,
        at: Point | None = None,
        across: tuple[float, float] | None = None,
        *,
        tangents: Sequence[float] = (),
        ax: Any = None,
        budget: Budget | int | None = None,
    ) -> Any:
        """The curve as data, from left to right of `across`, or where something is to be seen; its `svg()` is a picture.

        All variables but one have values in `at`; with two left there are contours. With `ax`, axes of Matplotlib, it
        is drawn there and the axes are given back.
        """
        inputs.point(at or {})
        plot = above("pictures.plot").plotted([self], at or {}, across, None, tangents)
        return plot if ax is None else above("pictures.plot").draw(plot, ax)

    def compile(
        self,
        wrt: Iterable[str] | None = None,
        *,
        subgradient: bool = False,
        native: bool = False,
    ) -> Compiled:
        """The expression as generated code, for many points: see `exprgrad.compiled.compiled`.

        To generate it takes as long as about a hundred calls of `evaluate`, which stays the way to one point.
        `wrt` chooses the variables to differentiate by (all of them), `subgradient` is that of
        `evaluate`. With `native`, `arrays` runs machine code, which Numba takes a second or more to make (extra
        `native`). Kept for the next time.
        """
        names = tuple(self._names(wrt))
        key = names, subgradient, native
        if key not in self._compiled:
            from exprgrad.compiled.compiled import Compiled

            self.refuse_arrays({})
            again = partial(self.compile, names, subgradient=subgradient, native=native)
            interpret = partial(
                self.evaluate, wrt=names, subgradient=subgradient, refine=False
            )
            tape, slopes = self._guarded()
            self._compiled[key] = Compiled(
                tape, names, interpret, again, slopes, subgradient, native
            )
        return self._compiled[key]

    def _guarded(self) -> tuple[Tape, list[tuple[Value, str]]]:
        """Return what is compiled, and the graphs that need a derivative for that to hold."""
        if not self.slopes:
            return self.tape, []
        from exprgrad.expressions.within import guards

        found = guards(self.slopes, self._inner)
        if found is not None:
            return self.tape, found
        # it has no value anywhere, so that every point is left to the interpreter
        nowhere = node(MUL, (node(LN, (Constant(-1.0),)), self.root))
        return Tape(nowhere, self.leaves), []

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied as what was read: see `graph.copying` for how deep graphs are."""
        text, notes = (self.source, self.root, self.leaves), (self.notes, self.implicit)
        return Expression, (Reading(*text, *notes, self.slopes), self.declared)

    def _names(self, wrt: Iterable[str] | None) -> list[str]:
        if wrt is None:
            return list(self.variables)
        names = list(dict.fromkeys(map(inputs.normal, inputs.names(wrt))))
        self.refuse_unknown(*names)
        return names

    def refuse_unknown(self, *names: str) -> None:
        """Raise `BindingError` for a name that does not occur."""
        for name in names:
            if name not in self.tape.variables:
                raise self.no_variable(name)

    def no_variable(self, name: str) -> BindingError:
        """The error for a name that does not occur."""
        return points.no_variable(name, self.variables)

    def _floats(self, at: Point) -> dict[str, float] | None:
        """The values in the order of the variables, if they are nothing but finite floats, or integers that are."""
        names = self.tape.variables
        if len(at) != len(names):
            return None
        point = {}
        for name in names:
            number = at.get(name)
            if type(number) is int and -WHOLE <= number <= WHOLE:
                number = float(number)
            # inf - inf and nan - nan are nan: a test without a call, for points that are asked for in loops.
            elif type(number) is not float or number - number != 0:
                return None
            point[name] = number
        return point

    def point(self, at: Point) -> dict[str, float]:
        """The values as floats, in the order of the variables. Raises `BindingError`."""
        floats = self._floats(at)
        if floats is not None:
            return floats
        numbers = self.coordinates(at)
        return {name: self._double(name, number) for name, number in numbers.items()}

    def coordinates(self, at: Point) -> dict[str, Coordinate]:
        """The values as the numbers that are meant, in that order. Raises `BindingError`."""
        with about(self.source):
            return points.coordinates(
                self._places(), self.declared, inputs.by_name(inputs.point(at))
            )

    def array_point(self, at: Point) -> dict[str, Any]:
        """The values by name: floats, and arrays of floats. Raises `BindingError`."""
        from exprgrad.sweeps.arrays.bounds import plain

        given = self.array_coordinates(at)
        return {name: plain(own.data) for name, own in given.items()}

    def array_coordinates(self, at: Point) -> dict[str, Coordinates]:
        """The values by name as the numbers that are meant, also in arrays. Raises `BindingError`."""
        at = inputs.by_name(inputs.point(at))
        with about(self.source):
            points.check_names(self._places(), self.declared, at)
        return {name: self.numbers_of(name, at[name]) for name in self.variables}

    def numbers_of(self, name: str, thing: Any) -> Coordinates:
        """Return what is given to a variable, a number or an array, as the numbers that are meant. Raises `BindingError`."""
        import numpy as np

        from exprgrad.expressions.elements import coordinates

        def evaluated(root: Value) -> Any:
            return self.part(root).evaluate({}, ())

        if on_arrays(thing) or (hasattr(thing, "__len__") and type(thing) is not str):
            try:
                return coordinates(thing, evaluated)
            except ExprgradError as error:
                message = f"the value of {name}: {error.message}"
                raise BindingError(message) from None
        number = points.coordinate(name, thing)
        double = np.asarray(self._double(name, number))
        return Coordinates(double, number.error, lambda _: number)

    def _places(self) -> dict[str, Span | None]:
        return {leaf.name or "": leaf.span for leaf in self.leaves}


def as_expression(thing: Any, names: Any = ()) -> Expression:
    """An expression that is passed to a function: one that was read, or its text, with names that it may have."""
    if isinstance(thing, Expression):
        return thing
    known = [name for name in names if isinstance(name, str)]
    return parse(inputs.text(thing), known)


def parse(
    text: str,
    variables: Collection[str] = (),
    *,
    strict: bool = False,
    lenient: bool = False,
    notation: str | None = None,
) -> Expression:
    """Read an expression.

    `variables` declares names, so that `xy` is read as x*y where that is the only way to split it
    into them; `strict` refuses that. `lenient` reads as the command line does, where nothing has to be
    declared: `sinx` is sin(x). LaTeX is known by a backslash and a letter, dollar signs, `^{` or `_{`, unless
    the `notation` says "latex" or "text". Raises `ExpressionSyntaxError`, with the place and a fix.
    """
    names = inputs.declared(variables)
    known = isinstance(notation, str) and notation in NOTATIONS
    if notation is not None and not known:
        raise UsageError(f"a notation is {' or '.join(NOTATIONS)}, not {notation!r}")
    if notation == LATEX or (notation is None and is_latex(inputs.text(text))):
        from exprgrad.language.latex.stream import TextPerhaps

        try:
            return parse_latex(text, names)
        # x^{2} may be text as well as LaTeX.
        except TextPerhaps:
            if notation == LATEX or assumed():
                raise
    with nullcontext() if lenient else keeping(letters=True):
        return Expression(read(text, names, strict=strict, lenient=lenient), names)


def parse_latex(
    tex: str, variables: Collection[str] = (), *, macros: Macros | None = None
) -> Expression:
    """Read a formula of LaTeX. Of a chain of equal ones, that is the last side; `sides` has all.

    `variables` declares names: they are spelt that way, and none of them is a function. `macros` are
    definitions from elsewhere, as `language.latex.tex.macros` finds them. Raises `ExpressionSyntaxError`, with the place
    and a fix, for what could mean several things.
    """
    names = inputs.declared(variables)
    # the tables of its grammar are read for it only
    from exprgrad.language.latex import reader
    from exprgrad.language.latex.tex import are_macros

    if macros is not None and not are_macros(macros):
        raise UsageError("macros are a dict, as `language.latex.tex.macros` gives it")
    chain = reader.read(inputs.text(tex, "a formula"), names, macros)
    sides = tuple(Expression(side, names) for side in chain.sides)
    for side in sides:
        side.sides = sides
    return sides[-1]


@budgeted
def simplify(
    expression: str | Expression,
    form: str = "short",
    *,
    budget: Budget | int | None = None,
) -> Expression:
    """An expression, or its text, in the shortest form, or `factored`, or `expanded`.

    The result has the same value wherever the original has one; its `assumptions` are the conditions of the original
    that it no longer asks for. Raises `ExpressionSyntaxError` for text that is not an expression, `UsageError` for
    another form.
    """
    return as_expression(expression).simplify(form)


def _form(form: object) -> str:
    """A way to write formulas. Raises `UsageError` for any other word."""
    from exprgrad.symbolic.simplify import FORMS

    if not isinstance(form, str) or form not in FORMS:
        raise UsageError(f"a form is {', '.join(FORMS[:-1])} or {FORMS[-1]}, not {form!r}")  # fmt: skip
    return form
