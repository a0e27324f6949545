"""The curve of an expression along one variable: points that a line may join, and where it must not.

    sketch = Sketch(Along(f, "x", {}), -2.0, 2.0)
    sketch.curve(sketch.scale(), "f")

Values are those of `Expression.evaluate`, so no rounding error is drawn. Where an operation stops being regular is
known from the domain (`checking.domain`), from signs of its parts on a grid, and from the pieces of operations such as
floor; at each such place the limits from both sides say what it is. Between them the curve is sampled more
densely as long as a point lies beside the chord; what is still apart at two neighbouring numbers is a jump.

No double is 1/5, or the root of 3, where a curve may jump. What may be meant by a double beside it is a guess: whoever
takes one looks on both sides of it, nearer than any double.
"""

from __future__ import annotations

import heapq
import itertools
import math
import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import STAGES, share
from exprgrad.checking.domain import Guards, Line, guards, tape_of
from exprgrad.checking.zeros import zeros
from exprgrad.errors import DomainError, ExprgradError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.value import Value, node
from exprgrad.notation.numbers import number
from exprgrad.operations.number_types import Fault, float_partials
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation
from exprgrad.operations.table import ADD, SUB
from exprgrad.sweeps.coordinates import Coordinate, exactly
from exprgrad.sweeps.tape import primals

LARGEST_DENOMINATOR = 1000
"""Of a fraction that is taken for what is meant."""

SIMPLE = 100
"""The same for a square, a part of pi, and what a function makes of the place."""

LARGEST_SEEN = 1e6
"""The largest value of a function at a place that is taken for simple."""

NEAR_PLACE = 1e-11
"""The distance of a place from where a search finds it, as a part of its size and of the picture's width."""

BESIDE = Fraction(1, 10**24)
"""The distance from a place at which its sides are looked at, as a part of its size."""

SHORT = 14
"""Characters of a decimal that is what it says."""


def meant(x: float, width: float) -> Iterator[Value]:
    """Yield what may be meant by a double: a fraction, a root, a part of pi, or where a function has a simple value."""
    # how near one has to be, as a part of the size of the place
    share = NEAR_PLACE * min(1.0, width / abs(x)) if x else NEAR_PLACE
    own = _fraction(x, LARGEST_DENOMINATOR, share)
    if own is None and len(repr(x)) <= SHORT:
        own = Fraction(repr(x))  # the decimal that it was written as
    if own is not None:
        yield exactly(own)
    found = [("sqrt({})" if x > 0 else "-sqrt({})", x * x), ("{}*pi", x / math.pi)]
    for row in TABLE.values():
        if row.inverse:
            other = TABLE[row.inverse]
            found += _seen_by(row, x, other) + _seen_by(other, x, row)
    for text, seen in dict.fromkeys(found):
        near = _fraction(seen, SIMPLE, share) if abs(seen) <= LARGEST_SEEN else None
        if near:
            place = parse(text.format(f"({near})")).root
            double = Coordinate.of(place).double
            if double is not None and abs(double - x) <= share * abs(x):
                yield place


def _seen_by(row: Operation, x: float, inverse: Operation) -> list[tuple[str, float]]:
    """Return what an operation makes of a double, and how one comes back from there."""
    try:
        return [(f"{inverse.called}({{}})", float(row.kernel(x)))]
    except (Fault, *ARITHMETIC):
        return []


def beside(place: Value, size: float) -> tuple[Value, Value]:
    """The numbers on both sides of a place, nearer than any double is."""
    step = BESIDE * Fraction(size)
    return tuple(node(ADD, (place, exactly(s * step))) for s in (-1, 1))  # type: ignore[return-value] # two of them


def _fraction(x: float, largest: int, share: float) -> Fraction | None:
    near = Fraction(x).limit_denominator(largest)
    return near if abs(float(near) - x) <= share * abs(x) else None


POLE, JUMP, HOLE, POINT, CORNER, VERTICAL, EDGE = "pole", "jump", "hole", "point", "corner", "vertical", "edge"  # fmt: skip
"""The kinds of marks: the curve leaves the picture, jumps, has no value at one place or another one there,
has two slopes, an infinite one, or ends."""

Place = tuple[float, float]


class Mark(NamedTuple):
    """Something special at `x`: the limits from the `left` and from the `right`, the `value`, and the `slopes`.

    What does not exist is None; an infinite limit or slope is infinite.
    """

    kind: str
    x: float
    left: float | None = None
    right: float | None = None
    value: float | None = None
    slopes: tuple[float | None, float | None] = (None, None)

    @property
    def circles(self) -> list[tuple[float, bool]]:
        """The heights of the circles that are drawn, and whether each is filled: that of a value is, limits beside it are not."""
        value = [] if self.value is None else [self.value]
        if self.kind in (CORNER, VERTICAL):
            return [(y, False) for y in value]
        if self.kind == EDGE and self.slopes == (None, None):
            return []
        limits = [y for y in (self.left, self.right) if y is not None and math.isfinite(y)]  # fmt: skip
        beside = dict.fromkeys(y for y in limits if y != self.value)
        return [*((y, False) for y in beside), *((y, True) for y in value)]


class Curve(NamedTuple):
    """A curve in pieces, each a list of points that a line may join, and what is marked on it.

    `band` has low and high values where the curve swings faster than can be drawn.
    """

    name: str
    pieces: tuple[tuple[Place, ...], ...]
    marks: tuple[Mark, ...] = ()
    band: tuple[tuple[float, float, float], ...] = ()

    def told(self, name: str) -> list[str]:
        """Return what is special about it in words, but for where it ends."""
        if not (self.pieces or self.band or self.marks):
            return ["no value was found in this window"]
        return [described(mark, name) for mark in self.marks if mark.kind != EDGE]


class Tangent(NamedTuple):
    """A tangent at a point of a curve, or of a corner the two of its sides.

    `side` is "left" or "right" where the curve has a slope on that side only.
    """

    curve: int
    x: float
    y: float
    slopes: tuple[float, ...]
    side: str = ""

    def ends(self, window: Window) -> Iterator[tuple[Place, Place]]:
        """The lines in a window; where a slope is infinite, a vertical one."""
        several = len(self.slopes) > 1
        sides = (-1, 1) if several else ({"left": -1, "right": 1}.get(self.side, 0),)
        for slope, side in zip(self.slopes, sides, strict=True):
            if math.isinf(slope):
                yield (self.x, window.bottom), (self.x, window.top)
                continue
            left = 0.0 if side > 0 else window.left - self.x
            right = 0.0 if side < 0 else window.right - self.x
            # a steep one ends where it has left the window: farther off it would leave the range of doubles
            far = 2 * (window.top - window.bottom) + abs(self.y - window.bottom)
            steps = [(d, min(max(slope * d, -far), far)) for d in (left, right)]
            own = [(self.x + (rise / slope if abs(rise) == far else d), self.y + rise) for d, rise in steps]  # fmt: skip
            yield own[0], own[1]

    @property
    def told(self) -> str:
        """The slopes in words: slope 2, slopes -1 and 1, vertical."""
        texts = ["infinite" if math.isinf(s) else number(s, 6) for s in self.slopes]
        if set(texts) == {"infinite"}:
            return "vertical"
        if len(texts) > 1:
            return f"slopes {' and '.join(texts)}"
        return f"slope {texts[0]}" + (f" from the {self.side}" if self.side else "")


class Dot(NamedTuple):
    """A point with a word: of data, a start, a counterexample."""

    x: float
    y: float
    word: str = ""
    kind: str = "data"


class Window(NamedTuple):
    """The part of the plane that is shown."""

    left: float
    right: float
    bottom: float
    top: float


class Field(NamedTuple):
    """A function of two variables: lines of equal height, all heights, gradients at points, and the height `of` each line."""

    lines: tuple[tuple[Place, ...], ...]
    heights: tuple[float, ...]
    arrows: tuple[tuple[float, float, float, float], ...]
    of: tuple[float, ...] = ()

    def labelled(self) -> list[tuple[Place, float]]:
        """Return where the heights are written: at the middle of the line of each that has most points."""
        lines = zip(self.lines, self.of, strict=True)
        ordered = sorted(lines, key=lambda own: len(own[0]))
        longest = {height: line for line, height in ordered}
        return [(line[len(line) // 2], height) for height, line in longest.items()]


def exact_text(number: Fraction | int) -> str:
    """A number with a decimal that ends, in full, but for the zeros at its end."""
    from decimal import Context, Decimal

    exact = Context(prec=1000, capitals=0)
    top, bottom = (Decimal(n) for n in (number.numerator, number.denominator))
    short = exact.normalize(exact.divide(top, bottom))
    whole = f"{short:f}"
    scientific = exact.to_sci_string(short).replace("e+", "e")
    return whole if len(whole) <= 12 else scientific


def described(mark: Mark, name: str) -> str:
    """A mark in words."""
    at = f"{name} = {mark.x:.6g}"
    left, right = (f"{s:.6g}" if s is not None else "none" for s in mark.slopes)
    ends = [f"{y:.6g}" if y is not None else "nothing" for y in (mark.left, mark.right)]
    return {
        POLE: f"pole at {at}",
        JUMP: f"jump from {ends[0]} to {ends[1]} at {at}",
        HOLE: f"hole at {at}, where the limit is {ends[0]}",
        POINT: f"a value of its own at {at}",
        CORNER: f"corner at {at}, slopes {left} and {right}",
        VERTICAL: f"vertical tangent at {at}",
        EDGE: f"the domain ends at {at}",
    }[mark.kind]


GRID = 240
"""Parts into which a curve is divided at first."""

MOST_VALUES = STAGES["the points of a curve"]
"""Values that are computed for one curve."""

MOST_PLACES = 200
"""Places at which a curve is looked at closely."""

PLACED = 1e-11
"""The distance of a place from where it is given, in widths of the picture: nearer values may be from beyond it."""

LARGEST = 5e307
"""Values from which on nothing is shown."""

NEAREST = 1e-11
"""The distance from a place at which its sides are looked at, as a part of the picture's width."""


class Scale(NamedTuple):
    """The size of a unit in the picture: the width and the height of what is shown, and its middle."""

    low: float
    high: float
    pixels_x: float = 600.0
    pixels_y: float = 400.0


class Along:
    """An expression as a function of one variable, the others held; perhaps the derivative of the one `before`."""

    def __init__(
        self,
        expression: Expression,
        name: str,
        others: Mapping[str, Any],
        digits: int = 5,
        before: Along | None = None,
    ) -> None:
        self.expression, self.name, self.digits = expression, name, digits
        self.before = before
        self.others = {n: x for n, x in others.items() if n in expression.variables}
        self.count = 0  # values that were computed, by the work that they were
        self._work = 1 + len(expression.tape.steps) // 100
        self._known: dict[Any, float | None] = {}

    def __call__(self, x: Any) -> float | None:
        """The value at a number, which may be exact; None where there is none, infinite beyond the range of doubles."""
        if x not in self._known:
            # the formula of a derivative goes on where there is no function: 1/x, of ln(x)
            lost = self.before is not None and self.before(x) is None
            self._known[x] = None if lost else self._value(x)
        return self._known[x]

    def at_place(self, x: Any) -> float | None:
        """The value where something may happen: that of a derivative is what the function before has as its slope."""
        if self.before is not None and (
            self.before.at_place(x) is None or self.before.slopes(x)[2]
        ):
            return None
        return self(x)

    def less(self, number: Fraction) -> Along:
        """The same less a number, which its doubles may be too coarse to show."""
        root = node(SUB, (self.expression.root, exactly(number)))
        return Along(Expression.of(root), self.name, self.others, self.digits, self.before)  # fmt: skip

    def is_undefined(self, x: Any) -> bool:
        """Return whether it is known that there is no value; of a derivative also where the function before has two slopes."""
        if self.before is not None and self.before.slopes(x)[2] in ("corner", "jump", "vertical"):  # fmt: skip
            return True
        try:
            self.expression.evaluate(self._at(x), (), digits=self.digits)
        except DomainError:
            return True
        except ExprgradError:
            return False
        return self.before is not None and self.before.is_undefined(x)

    def doubles(self) -> dict[str, float]:
        """The numbers at which the other variables are held."""
        numbers = {n: Coordinate.of(x).double for n, x in self.others.items()}
        return {n: 0.0 if x is None else x for n, x in numbers.items()}

    def _at(self, x: Any) -> dict[str, Any]:
        named = {self.name: x} if self.name in self.expression.variables else {}
        return {**self.others, **named}

    def _value(self, x: Any) -> float | None:
        try:
            found = self.expression.evaluate(self._at(x), (), digits=self.digits)
        except ExprgradError:
            self.count += 4 * self._work
            return None
        self.count += 12 * self._work if found.level else self._work
        if found.value is not None or found.known().middle is None:
            return found.value
        text = found.texts.get("", "")
        # beyond doubles there is only a text, such as 1e-400 or -2.5e+801: all that a curve needs of it is which way
        size = 5e-324 if "e-" in text else math.inf
        return -size if text.startswith("-") else size

    def slopes(self, x: Any) -> tuple[float | None, float | None, str]:
        """The slopes from the left and from the right, and the kind of corner that there is, or ""."""
        if self.name not in self.expression.variables:
            return 0.0, 0.0, ""
        try:
            found = self.expression.evaluate(self._at(x), (self.name,), digits=self.digits)  # fmt: skip
        except ExprgradError:
            return None, None, "undefined"
        slope = found.gradient[self.name]
        if slope is not None:
            return slope, slope, ""
        for corner in found.corners:
            return corner.left, corner.right, corner.kind
        return None, None, "undecided"


class Sketch:
    """A curve from left to right: first roughly, then in full."""

    def __init__(self, along: Along, left: float, right: float) -> None:
        self.f, self.left, self.right = along, left, right
        self.width = right - left
        self.places = places(along, left, right)
        self.first = list(self._roughly())
        self.jumps: list[float] = []
        self.dense: set[int] = set()

    def _roughly(self) -> Iterator[list[tuple[float, float | None]]]:
        """Values in what lies between two places, without these.

        The points are not quite equally far apart: a swing has no common measure with them. Towards an end they stand
        closer and closer.
        """
        dice, ends = random.Random(7), [self.left, *self.places, self.right]
        for i, (a, b) in enumerate(itertools.pairwise(ends)):
            near = min(NEAREST * self.width, (b - a) / 1000)
            low = a if i == 0 and a not in self.places else max(a + near, math.nextafter(a, b))  # fmt: skip
            last = i == len(ends) - 2 and b not in self.places
            high = b if last else min(b - near, math.nextafter(b, a))
            if not low < high:
                continue
            count = max(8, round(GRID * (high - low) / self.width))
            # at equal distances, sin(240*pi*x) would be 0 at every point of a window that is 1 wide
            steps = [(i + 0.6 * (dice.random() - 0.5)) / count for i in range(1, count)]
            close = [10.0**-k / count for k in (1, 2, 4)]
            parts = sorted({0.0, *close, *steps, *(1 - t for t in close), 1.0})
            xs = dict.fromkeys(low + (high - low) * t for t in parts)
            yield [(x, self.f(x)) for x in xs if low <= x <= high]

    def spread(self) -> tuple[float, float]:
        """The least and the greatest value found; infinite the wrong way round without any."""
        found = [y for y, _ in self._weighed()]
        return min(found, default=math.inf), max(found, default=-math.inf)

    def scale(self) -> Scale:
        """From low to high values, without the ends of what grows beyond all others."""
        ends = [own[i][1] for own in self.first for i in (0, -1)]
        finite = sorted(self._weighed())
        if not finite:
            return Scale(-1.0, 1.0)
        low, high = finite[0][0], finite[-1][0]
        # what lies beyond the middle five sevenths by far is cut off: the exponential end, or the slopes of a pole
        seventh = sum(weight for _, weight in finite) / 7
        a, b = _reached(finite, seventh), _reached(finite[::-1], seventh)
        span = b - a
        known = [y for y in ends if y is not None and abs(y) < LARGEST]
        largest = max(abs(low), abs(high), 1e-300)
        grows = any(abs(y) > 1e4 * largest for y in known) or len(known) < len(ends)
        if high - low > 6 * span > 0 or (grows and high - low > 3 * span > 0):
            return roomy(max(low, a - 1.2 * span), min(high, b + 1.2 * span))
        near = [y for y in known if low - (high - low) <= y <= high + (high - low)]
        return roomy(min(low, *near, high), max(high, *near, low))

    def _weighed(self) -> Iterator[tuple[float, float]]:
        """Values, each with the width that it stands for, without those next to an end."""
        for own in self.first:
            last = len(own) - 1
            for i in range(4, last - 3) if last > 7 else range(last + 1):
                y = own[i][1]
                if y is not None and abs(y) < LARGEST:
                    yield y, own[min(i + 1, last)][0] - own[max(i - 1, 0)][0]

    def precise(self, scale: Scale) -> Sketch:
        """The same with as many digits as tell the values in the picture apart."""
        largest = max(abs(scale.low), abs(scale.high))
        digits = 5 + math.ceil(math.log10(largest / (scale.high - scale.low)))
        if digits <= max(self.f.digits, 6):
            return self
        old = self.f
        f = Along(old.expression, old.name, old.others, min(digits, 17), old.before)
        return Sketch(f, self.left, self.right)

    def curve(self, scale: Scale, name: str) -> Curve:
        """The pieces and the marks."""
        self.shown, self.height = scale, scale.high - scale.low
        self.per_x, self.per_y = scale.pixels_x / self.width, scale.pixels_y / self.height  # fmt: skip
        pieces: list[list[Place]] = []
        for i, points in enumerate(self.first):
            left = (share(MOST_VALUES) - self.f.count) // (len(self.first) - i)
            pieces += self._piece(points, self.f.count + max(left, 200))
        found = [*self.places, *self.jumps]
        marks = [m for x in sorted(found) for m in self._mark(x)] if len(found) <= MOST_PLACES else []  # fmt: skip
        limits = {m.x: m for m in marks if m.kind != POLE}
        plain = [x for x in self.places if x not in {m.x for m in marks}]
        # with their limits at either end, those that meet as one
        joined: list[list[Place]] = []
        near = 20 * NEAREST * self.width
        for own in map(list, pieces):
            start, end = (_nearest(limits, own[i][0], near) for i in (0, -1))
            if start is not None and start.right is not None and math.isfinite(start.right):  # fmt: skip
                own.insert(0, (start.x, start.right))
            if end is not None and end.left is not None and math.isfinite(end.left):
                own.append((end.x, end.left))
            if joined and start is not None and start.kind in (CORNER, VERTICAL) and joined[-1][-1][0] == start.x:  # fmt: skip
                joined[-1] += own[1:]
            elif joined and start is None and _meets(joined[-1][-1], own[0], near, plain):  # fmt: skip
                joined[-1] += own
            else:
                joined.append(own)
        return Curve(name, tuple(map(tuple, joined)), tuple(marks), tuple(self._band()))

    def _pixel(self, y: float) -> float:
        """The height of a value in pixels, as far as one picture above and below."""
        low, high = self.shown.low - self.height, self.shown.high + self.height
        return min(max(y, low), high) * self.per_y

    def _piece(self, points: list[tuple[float, float | None]], most: int) -> Iterator[list[Place]]:  # fmt: skip
        """The points between two places, as many as are needed, parted where there is no value or a jump."""
        xs = [x for x, _ in points]
        ys = dict(points)
        scale, pixel, per_x = self.shown, self._pixel, self.per_x
        bottom, top = scale.low - self.height, scale.high + self.height
        # the widest gap comes first: should the work run out, every part is known about equally well
        todo = [(a - b, a, b) for a, b in itertools.pairwise(xs)]
        heapq.heapify(todo)
        left: list[float] = []  # where nobody has looked any more
        apart: set[float] = set()  # left ends of pieces that no line crosses
        while todo:
            _, a, b = heapq.heappop(todo)
            u, v = ys[a], ys[b]
            if u is None and v is None:
                continue
            if self.f.count > most:
                if u is None or v is None or abs(pixel(u) - pixel(v)) > 8:
                    left.append(a)
                    if u is None or v is None or min(u, v) < scale.low < scale.high < max(u, v):  # fmt: skip
                        apart.add(a)  # it may be a pole
                continue
            middle = a + (b - a) * 0.5
            if not a < middle < b or (b - a) < 1e-13 * max(abs(a), abs(b)):
                if u is None or v is None or abs(pixel(u) - pixel(v)) > 0.5:
                    if (b - a) * per_x > 0.25 and self._leads(a, b):
                        continue  # doubles are too coarse for the picture
                    apart.add(a)
                    self.jumps.append(b if v is not None else a)
                continue
            if u is not None and v is not None and (b - a) * per_x < 60:
                # far above or below the picture, 4 pixels are fine enough
                both = max(u, v) < bottom or min(u, v) > top
                if both and (b - a) * per_x < 4:
                    continue
            y = ys[middle] = self.f(middle)
            if u is not None and v is not None and y is not None:
                chord = (pixel(u) + pixel(v)) / 2
                close = abs(pixel(y) - chord) < 0.3
                # sign(x) is 0 halfway through its jump, on the chord: a steep chord proves nothing
                steep = abs(pixel(u) - pixel(v)) > 30
                if close and not (steep and (b - a) * per_x > 1e-3):
                    continue
            heapq.heappush(todo, ((a - b) / 2, a, middle))
            heapq.heappush(todo, ((a - b) / 2, middle, b))
        if left:
            ys, ends = self._without_swings(ys, left)
            apart |= ends
        yield from _parted(sorted(ys.items()), apart)

    def _without_swings(
        self, ys: dict[float, float | None], left: list[float]
    ) -> tuple[dict[float, float | None], set[float]]:
        """The points outside the columns of pixels that a curve fills, and the ends of its pieces there.

        It fills a column in which it turns so often that it has not been followed; a pole or a jump is no such place.
        """

        def column(x: float) -> int:
            return int((x - self.left) * self.per_x)

        turns: Counter[int] = Counter()
        last = rise = 0.0
        for x, y in sorted(ys.items()):
            now = last if y is None else self._pixel(y)
            if abs(now - last) > 8:
                if rise * (now - last) < 0:
                    turns[column(x)] += 1
                rise, last = now - last, now
        columns = set(map(column, left))
        filled = {i for i in columns if turns[i - 1] + turns[i] + turns[i + 1] > 2}
        self.dense |= filled
        kept = {x: y for x, y in ys.items() if column(x) not in filled}
        pairs = itertools.pairwise(sorted(kept))
        return kept, {
            a for a, b in pairs if column(a) < column(b) and column(a) + 1 in filled
        }

    def _leads(self, a: float, b: float) -> bool:
        """Return whether a line leads from one double to the next, by the value halfway."""
        u, y, v = self.f(a), self.f((Fraction(a) + Fraction(b)) / 2), self.f(b)
        if u is None or y is None or v is None:
            return False
        return abs(y - (u + v) / 2) < 0.3 * abs(u - v)

    def _band(self) -> Iterator[tuple[float, float, float]]:
        """The lowest and the highest of a few values in every column of pixels."""
        dice = random.Random(3)
        step = 1 / self.per_x
        for i in sorted(self.dense):
            x = self.left + i * step
            ys = [self.f(x + step * dice.random()) for _ in range(16)]
            known = [y for y in ys if y is not None and math.isfinite(y)]
            if known:
                yield x + step / 2, min(known), max(known)

    def _mark(self, x: float) -> Iterator[Mark]:
        """Yield what there is to say of a place."""
        if not self.left <= x <= self.right:
            return
        near = 1e-4 * self.height
        here = self._value_meant(x, near)
        others = *self.places, *self.jumps, self.left, self.right
        room = [d for y in others if (d := abs(x - y)) > 1e3 * PLACED * self.width]
        wide = min([self.width / 20, *room]) / 4
        left = None if x == self.left else self._limit(x, -wide, here)
        right = None if x == self.right else self._limit(x, wide, here)
        known = [y for y in (left, right) if y is not None]
        if any(map(math.isnan, known)):
            return  # it swings without a limit
        if any(map(math.isinf, known)):
            yield Mark(POLE, x, left, right, here)
        elif len(known) < 2:
            if known and x not in (self.left, self.right):
                slopes = (None, None, "") if here is None else self.f.slopes(x)
                steep = slopes[2] in ("vertical", "edge")
                yield Mark(EDGE, x, left, right, here, slopes[:2] if steep else (None, None))  # fmt: skip
            elif not known and here is not None:
                yield Mark(POINT, x, None, None, here)
        elif abs(known[0] - known[1]) > near:
            value = self._at_jump(x, left, right, near)
            ends = [value if y is not None and value is not None and abs(y - value) <= near else y for y in (left, right)]  # fmt: skip
            yield Mark(JUMP, x, ends[0], ends[1], value)
        elif here is None:
            yield Mark(HOLE, x, left, right)
        elif abs(here - known[0]) > near:
            yield Mark(POINT, x, left, right, here)
        else:
            yield from self._corner(x, here, wide)

    def _value_meant(self, x: float, near: float) -> float | None:
        """The value at the number that is meant by a double: the first that is none, or stands apart from the others."""
        here = self.f.at_place(x)
        for place in meant(x, self.width):
            y = self.f.at_place(place)
            if y is None and not self.f.is_undefined(place):
                continue  # it cannot be decided
            if y is None or here is None or abs(y - here) > near:
                return y
        return here

    def _at_jump(
        self, x: float, left: float | None, right: float | None, near: float
    ) -> float | None:
        """The value where it jumps, between the limits on both sides; None where that place is not known exactly."""
        for place in meant(x, self.width):
            sides = [self.f(side) for side in beside(place, max(abs(x), self.width))]
            if all(y is not None and z is not None and abs(y - z) <= near for y, z in zip(sides, (left, right), strict=True)):  # fmt: skip
                return self.f.at_place(place)
        return None

    def _corner(self, x: float, here: float, wide: float) -> Iterator[Mark]:
        """A mark for two slopes, or an infinite one."""
        left, right, kind = self.f.slopes(x)
        if not kind:  # a double beside the place, perhaps: the slopes on both sides
            looks = [[self.f.slopes(x + s * wide * t)[0] for t in (1e-3, 1e-5)] for s in (-1, 1)]  # fmt: skip
            (_, left), (_, right) = looks
            if None in looks[0] + looks[1]:
                return
            apart = [abs((looks[0][i] or 0.0) - (looks[1][i] or 0.0)) for i in (0, 1)]
            steep = [max(abs(looks[0][i] or 0.0), abs(looks[1][i] or 0.0)) for i in (0, 1)]  # fmt: skip
            # a hundred times nearer, the slope of a root has grown; at a corner both sides still differ by as much
            if steep[1] > 5 * steep[0] > 0 and steep[1] * wide > 100 * abs(here):
                kind = "vertical"
            elif apart[1] > 0.5 * apart[0] and apart[1] > 1e-4 * steep[1] > 0:
                kind = "corner"
        if kind == "vertical":
            yield Mark(VERTICAL, x, here, here, here, (left, right))
        elif kind == "corner":
            yield Mark(CORNER, x, here, here, here, (left, right))

    def _limit(self, x: float, away: float, here: float | None) -> float | None:
        """Return where the values tend to on one side: a number, an infinite one, or None without values."""
        height = self.height
        near = [away * 10.0**-k for k in range(2, 9)]
        sure = [step for step in near if abs(step) > PLACED * self.width]
        found = [self.f(x + step) for step in sure]
        if found[-1] is None:
            return None
        ys: list[float] = []
        for y in found:
            ys = [] if y is None else [*ys, y]
        last = ys[-1]
        if len(ys) < 4:
            return last
        steps = [abs(b - a) for a, b in itertools.pairwise(ys)]
        # each time ten times nearer, ln(x) falls by as much again, and sqrt(x) by a third of that:
        # steps that do not shrink lead to infinity
        grows = abs(last) > abs(ys[-2]) > abs(ys[-3])
        if math.isinf(last) or (grows and steps[-1] >= 0.98 * steps[-2] > 0 and (here is None or steps[-1] > height)):  # fmt: skip
            return math.copysign(math.inf, last)
        turns = [b > 1.05 * a for a, b in itertools.pairwise(steps[-4:])]
        if any(turns) and max(steps[-3:]) > 1e-3 * height and here is None:
            return math.nan
        if here is not None and abs(here - last) <= 1.5 * steps[-1] + 1e-6 * height:
            return here
        return round(last, 6 - math.floor(math.log10(height))) + 0.0


def _parted(
    points: Iterable[tuple[float, float | None]], apart: set[float]
) -> list[list[Place]]:
    """Runs of values, ended where there is none, or where no line leads on."""
    runs: list[list[Place]] = [[]]
    for x, y in points:
        if y is not None and math.isfinite(y):
            runs[-1].append((x, y))
        elif y is not None and runs[-1]:
            runs[-1].append((x, math.copysign(1e308, y)))
        if y is None or x in apart:
            runs.append([])
    return [run for run in runs if run]


def _nearest(limits: Mapping[float, Mark], x: float, near: float) -> Mark | None:
    found = min(limits, key=lambda place: abs(place - x), default=None)
    return limits[found] if found is not None and abs(found - x) <= near else None


def _meets(a: Place, b: Place, near: float, plain: Sequence[float]) -> bool:
    """Return whether two pieces meet at a place that is like any other."""
    if b[0] - a[0] > 4 * near:
        return False
    close = bisect_left(plain, a[0])
    between = close < len(plain) and plain[close] <= b[0]
    return between and abs(b[1] - a[1]) <= 1e-6 * max(abs(a[1]), abs(b[1]), 1e-9)  # fmt: skip


def _reached(weighed: Sequence[tuple[float, float]], weight: float) -> float:
    """The value, of those in order, up to which they have this weight together."""
    total = 0.0
    for y, own in weighed:
        total += own
        if total > weight:
            return y
    return weighed[-1][0]


def roomy(low: float, high: float) -> Scale:
    """A scale with some room below and above."""
    if not high > low:
        reach = abs(low) / 2 or 1.0
        return Scale(low - reach, high + reach)
    room = 0.08 * (high - low)
    return Scale(low - room, high + room)


def places(along: Along, left: float, right: float) -> list[float]:
    """Return where something may happen between two numbers, in order."""
    root, width = along.expression.root, right - left
    ways: list[Iterable[float]] = []
    if along.name in along.expression.variables:
        others = along.doubles()
        xs = [left + width * i / GRID for i in range(GRID + 1)]
        ways = [Guards([root]).breaks(along.name, others), _pieces(along, others, xs)]
        ways += [_crossings(*guard, along.name, others, xs) for guard in guards(root, along.name)[:24]]  # fmt: skip
    if along.before is not None:
        ways.append(places(along.before, left, right))
    kept: list[float] = []
    for x in itertools.chain(*ways):  # the most exact ones come first
        if left <= x <= right and all(abs(x - y) > 1e-7 * width for y in kept):
            kept.append(_short(x, width))
    return sorted(kept)


def _short(x: float, width: float) -> float:
    """The number with few digits, or the simple fraction, that a search was after, if there is one as near."""
    near = float(Fraction(x).limit_denominator(LARGEST_DENOMINATOR))
    if abs(near - x) <= NEAR_PLACE * width / 2:
        return near
    digits = 11 - math.floor(math.log10(width))
    rounded = round(x, digits) if abs(digits) < 300 else x
    return (rounded if abs(rounded - x) <= 1e-12 * max(width, abs(x)) else x) + 0.0


def _crossings(
    part: Any, level: float, name: str, others: dict[str, float], xs: Sequence[float]
) -> Iterator[float]:
    """Yield where a part passes a level, touches it, or ceases to have values, by its values on a grid."""
    line = Line(tape_of(part), name, others)
    if not line.tape.steps:
        return

    def apart(x: float) -> float | None:
        value = line.value(x)
        return None if value is None else value - level

    values = [(x, apart(x)) for x in xs]
    yield from zeros(values, apart)
    for (a, u), (b, v) in itertools.pairwise(values):
        if (u is None) != (v is None):
            yield _switch(lambda x: apart(x) is None, a, b)


def _switch(state: Callable[[float], object], a: float, b: float) -> float:
    """The first number behind a at which something is no longer as it is at a."""
    first = state(a)
    while a < (middle := a + (b - a) / 2) < b:
        if state(middle) == first:
            a = middle
        else:
            b = middle
    return b


def _pieces(
    along: Along, others: dict[str, float], xs: Sequence[float]
) -> Iterator[float]:
    """Yield where an operation made of straight pieces, such as floor and mod, goes from one to the next."""
    tape = along.expression.tape
    active = tape.active([along.name])
    steps = [s for s in tape.corners if s.operation.exact and active[s.node]]
    if not steps:
        return
    at = {n: others.get(n, 0.0) for n in tape.variables}

    def state(x: float) -> list[tuple[float, ...] | None]:
        try:
            values: Sequence[Any] = primals(tape, {**at, along.name: x})
        except Fault:
            return [None] * len(steps)
        return [_state(step, values) for step in steps]

    def one(i: int, x: float) -> tuple[float, ...] | None:
        return state(x)[i]

    states = [(x, state(x)) for x in xs]
    count = 0
    for (a, before), (b, after) in itertools.pairwise(states):
        for i, (own, other) in enumerate(zip(before, after, strict=True)):
            start, now = a, own
            while now != other and None not in (now, other) and count < MOST_PLACES:
                count += 1
                start = _switch(partial(one, i), start, b)
                yield start
                if start >= b:
                    break
                # there may be several steps of floor(1000*x) between two points of the grid
                start = math.nextafter(start, b)
                now = one(i, start)


def _state(step: Any, values: Sequence[Any]) -> tuple[float, ...] | None:
    """Return which straight piece of an operation a value lies on."""
    own = [values[j] for j in step.operands]
    if None in own:
        return None
    result = values[step.node]
    try:
        slopes = tuple(float(p(result, *own)) if callable(p) else float(p) for p in float_partials(step.operation))  # fmt: skip
    except (Fault, *ARITHMETIC):
        return None
    return (*slopes, result) if step.operation.steps else slopes
