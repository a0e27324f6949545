"""Many points from a text such as `x=0:2:9, y=1`: x at 9 equally spaced numbers from 0 to 2.

    grid = Grid(["x=0:2:9", "y=1"])
    for row in rows(parse("x^2*y"), grid): row.at, row.value, row.gradient

Several such variables give a point for every combination, the last variable changing fastest.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import LIMITS, at_most
from exprgrad.data.bindings import Bindings
from exprgrad.errors import BindingError, ExprgradError, Hint, Span, UsageError
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.graph.value import Value, is_array, node
from exprgrad.language import inputs
from exprgrad.language.brackets import parted
from exprgrad.operations.table import ADD, MUL, SUB
from exprgrad.sweeps.bounds import DIGITS
from exprgrad.sweeps.coordinates import Coordinate, exactly


class GridPoint(NamedTuple):
    """A point, and the evaluation there or why there is none; `given` has the coordinates that no double is equal to."""

    at: dict[str, float]
    evaluation: Evaluation | None
    error: ExprgradError | None
    given: Mapping[str, Coordinate] = {}


class Grid:
    """The points that some texts describe: `ranges` has the doubles of every variable that takes several.

    Raises `BindingError`, with the place in the text.
    """

    def __init__(self, texts: Iterable[str], origin: str | None = None) -> None:
        self._origin = origin
        self.ranges: dict[str, list[float]] = {}
        self._exact: dict[str, list[Any]] = {}
        parts: dict[str, str] = {}  # with the text that each is a part of
        for text in texts:
            pieces = list(parted(text))
            if not any(":" in text[start:end] for start, end in pieces):
                parts[text] = text
                continue
            for start, end in pieces:
                if ":" in text[start:end]:
                    parts[self._add(text, start, end)] = text
                elif text[start:end].strip():
                    parts[_only(text, (start, end))] = text
        self._firsts = self._read(parts)
        at_most("points", self.count, error=BindingError, hint=Hint("fewer_points"))

    def _read(self, parts: dict[str, str]) -> Bindings:
        """Bindings from parts of texts, where errors show the whole text."""
        try:
            return Bindings(parts, self._origin)
        except ExprgradError as error:
            # A part has blanks for the rest of its text, so that a place in one is the same place in the other.
            error.source = parts.get(error.source or "", error.source)
            raise

    @property
    def count(self) -> int:
        """Return how many points there are."""
        return math.prod(map(len, self.ranges.values()))

    @property
    def names(self) -> Iterable[str]:
        """The variables that have values."""
        return self._firsts.values.keys()

    def check(self, expression: Expression) -> None:
        """Raise `BindingError` for a name that does not occur in the expression."""
        self._firsts.check(expression)

    def points(self) -> Iterator[dict[str, float]]:
        """The points, in order."""
        for numbers in itertools.product(*self.ranges.values()):
            yield self._firsts.values | dict(zip(self.ranges, numbers, strict=True))

    def exact(self) -> Iterator[dict[str, Any]]:
        """The same as the numbers that are meant: `x=0:1:11` has 3/10 among them, not a double."""
        firsts = {name: _plain(root) for name, root in self._firsts.exact.items()}
        for numbers in itertools.product(*self._exact.values()):
            yield firsts | dict(zip(self._exact, numbers, strict=True))

    def _add(self, text: str, start: int, end: int) -> str:
        """Read `name=from:to:count`, where it stands in the text; `name=from` alone."""
        equals = text.find("=", start, end)
        colons = [i for i in range(start, end) if text[i] == ":"]
        bounds = [equals, *colons, end]
        if equals < 0 or len(bounds) != 4:
            hint = "write x=0:2:9, or x=3 for one value"
            raise self._error(text, (start, end), "a range is from:to:count", hint)
        name = inputs.normal(text[start:equals].strip())
        alone = []
        for left, right in itertools.pairwise(bounds):
            if not text[left + 1 : right].strip():
                what, hint = "a number is missing here", "write x=0:2:9"
                raise self._error(text, (left, right), what, hint)
            alone.append(_only(text, (start, equals + 1), (left + 1, right)))
        read = [self._read({part: text}) for part in alone]
        values = [bindings.values[name] for bindings in read]
        if any(map(is_array, values)):
            what, hint = "a range is of numbers, not of arrays", "write x=0:2:9"
            raise self._error(text, (equals + 1, end), what, hint)
        first, last, count = values
        most = LIMITS["points"].most
        if not 2 <= count <= most or count != int(count):
            what = f"a range has a whole number of points from 2 to {most:,}"
            hint = "write from:to:count"
            raise self._error(text, (bounds[2] + 1, end), what, hint)
        if name in self.ranges:
            hint = "give each variable one value"
            raise self._error(text, (start, equals), f"{name} is given twice", hint)
        self.ranges[name] = spread(first, last, int(count))
        low, high = (bindings.exact[name] for bindings in read[:2])
        self._exact[name] = _spread_exactly(low, high, int(count))
        return alone[0]

    def _error(self, text: str, span: Span, what: str, hint: str) -> BindingError:
        return BindingError(what, span, hint, source=text, origin=self._origin)


def spread(first: float, last: float, count: int) -> list[float]:
    """Equally spaced numbers, both ends included."""
    # from -1e308 to 1.7e308 it is farther than the largest double
    unit = 1.0 if math.isfinite(last - first) else 2.0
    start, way = first / unit, last / unit - first / unit
    inner = [(start + way * (k / (count - 1))) * unit for k in range(1, count - 1)]
    # Not computed: 0.7 + (0.1 - 0.7) is not 0.1.
    return [first, *inner, last]


def _spread_exactly(first: Value, last: Value, count: int) -> list[Any]:
    """The same of two numbers as they were typed: fractions, or doubles that are equal to them; else graphs."""
    ends = [Coordinate.of(root).ratio for root in (first, last)]
    shares = [Fraction(k, count - 1) for k in range(count)]
    if None in ends:
        way = node(SUB, (last, first))
        inner = [
            node(ADD, (first, node(MUL, (way, exactly(share)))))
            for share in shares[1:-1]
        ]
        return [first, *inner, last]
    low, high = (Fraction(*ratio) for ratio in ends if ratio is not None)
    return [_plain(low + (high - low) * share) for share in shares]


def _plain(number: Any) -> Any:
    """The double that is equal to a number, which is less work to sweep, if there is one."""
    if is_array(number):
        return number
    near = Coordinate.of(number)
    return number if near.error or near.ratio is None else near.double


def rows(
    expression: Expression,
    grid: Grid,
    wrt: Iterable[str] | None = None,
    *,
    subgradient: bool = False,
    digits: int = DIGITS,
    fixed: Mapping[str, Any] | None = None,
) -> list[GridPoint]:
    """The evaluation at every point, good for so many digits; `fixed` are values that all points have.

    What is wrong in the same way at all of them is raised.
    """
    names, held = None if wrt is None else list(wrt), fixed or {}
    found = []
    for at, exact in zip(grid.points(), grid.exact(), strict=True):
        if expression.takes_arrays({**at, **held}):
            what = "a range varies a number, and there are arrays here"
            hint = "give each variable one value, such as x=[1,2,3]"
            raise UsageError(what, hint=hint)
        meant = {name: x for name, x in exact.items() if not isinstance(x, float)}
        given = {name: Coordinate.of(x) for name, x in meant.items()}
        try:
            result = expression.evaluate(
                {**exact, **held}, names, subgradient=subgradient, digits=digits
            )
            found.append(GridPoint(at, result, None, given))
        # Where there is no value at a point, the others go on; a name that is missing, say, is missing at all of
        # them.
        except ArithmeticError as error:
            if not isinstance(error, ExprgradError):
                raise
            found.append(GridPoint(at, None, error, given))
    return found


def _only(text: str, *spans: tuple[int, int]) -> str:
    """The text with everything else blanked out, so that places in it stay where they are."""
    kept = {i for start, end in spans for i in range(start, end)}
    return "".join(c if i in kept else " " for i, c in enumerate(text))
