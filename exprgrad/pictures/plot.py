"""Plots: curves of expressions with what is special about them, tangents, contours; and of what commands find.

    plot = plot_of([parse("x^2*sin(x)")], across=(-2, 2), tangents=[1])
    plot.svg()

The range is chosen when none is given: zeros, extrema, corners and gaps are in it. In the picture a curve is a path for
each of its pieces and nothing where it has a gap; a pole has a dashed line, a corner an open circle with both slopes,
a hole an open circle, and at a jump the end that belongs to the curve is filled. Contours are found by marching squares.
Matplotlib is wanted for PNG, and for axes of it, only; it is not imported before.
"""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.budget import share
from exprgrad.checking import domain
from exprgrad.checking.kinds.real_roots import period
from exprgrad.errors import ExprgradError, Hint, RangeError, UsageError
from exprgrad.expressions.comparison import growth
from exprgrad.expressions.expression import Expression
from exprgrad.graph.unknown import unknown_in
from exprgrad.language import inputs
from exprgrad.notation.numbers import number
from exprgrad.pictures.curves import (
    CORNER,
    EDGE,
    LARGEST,
    POLE,
    VERTICAL,
    Along,
    Curve,
    Dot,
    Field,
    Mark,
    Place,
    Scale,
    Sketch,
    Tangent,
    Window,
    described,
    exact_text,
)
from exprgrad.pictures.layers import text_width
from exprgrad.pictures.svg import (
    document,
    element,
    figure,
    offset,
    rendered,
    source,
    text,
    tick_text,
    ticks,
)

if TYPE_CHECKING:
    from exprgrad.checking.check import Verdict
    from exprgrad.fitting.model import Fit
    from exprgrad.optimize.descent import DescentStep


class Plot(NamedTuple):
    """Curves over the variable `across`, with tangents and points, or a `field` over two, in a window.

    Heights count from `base`, mostly 0: where doubles are too coarse for them, a number near all of them.
    """

    title: str
    across: str
    up: str
    window: Window
    curves: tuple[Curve, ...] = ()
    tangents: tuple[Tangent, ...] = ()
    dots: tuple[Dot, ...] = ()
    field: Field | None = None
    notes: tuple[str, ...] = ()
    base: Fraction | int = 0

    @property
    def is_equal(self) -> bool:
        """Return whether both axes have the same scale, so that gradients stand at right angles on contours."""
        w = self.window
        ratio = (w.right - w.left) / (w.top - w.bottom)
        return self.field is not None and 1 / 4 <= ratio <= 4

    @property
    def heading(self) -> str:
        """The title where it says more than the names of the curves do."""
        return self.title.removeprefix(", ".join(curve.name for curve in self.curves))

    def told(self) -> str:
        """The plot in words, for those who do not see it."""
        w = self.window
        parts = [f"{self.across} from {w.left:.6g} to {w.right:.6g}"]
        if self.base:
            parts.append(f"heights count from {exact_text(self.base)}")
        for curve in self.curves:
            for mark in curve.marks[:40]:
                parts.append(f"{curve.name}: {described(mark, self.across)}")
        return ". ".join(parts) + "."

    @property
    def counts_from(self) -> str:
        """The number that the heights at an edge count from; nothing where that is 0."""
        total = self.base + Fraction(repr(offset(self.window.bottom, self.window.top)))
        return exact_text(total) if total else ""

    def heights(self, most: int) -> list[tuple[float, str]]:
        """Return at most so many heights for the numbers at an edge, and these, which count from `counts_from`."""
        base = offset(self.window.bottom, self.window.top)
        low, high = self.window.bottom - base, self.window.top - base
        return [(y + base, tick_text(y, low, high)) for y in ticks(low, high, most)]

    def svg(self) -> str:
        """The picture as a document of its own."""
        paper = Paper(self)
        labels = _Labels(paper)
        inside = [*_frame(paper, self), *_contours(paper, self, labels)]
        for i, curve in enumerate(self.curves):
            inside += _curve(paper, curve, min(i, LAST_COLOUR))
        for tangent in self.tangents:
            for part in (own for ends in tangent.ends(paper.window) for own in paper.clipped(ends)):  # fmt: skip
                inside.append(element("path", class_="tangent", d=path(part)))
            if paper.holds(tangent.x, tangent.y):
                x, y = paper.x(tangent.x), paper.y(tangent.y)
                inside.append(element("circle", class_="rust", cx=x, cy=y, r=4.0))
        for i, curve in enumerate(self.curves):
            for mark in curve.marks:
                inside += _mark(paper, mark, min(i, LAST_COLOUR), labels)
        inside += _dots(paper, self, labels)
        inside += _legend(paper, self)
        wide, high = paper.right + RIGHT, paper.bottom + BOTTOM
        return document(wide, high, self.title, self.told(), STYLE, inside)

    def png(self) -> bytes:
        """The same as a PNG, drawn without a screen and without a change of Matplotlib's settings.

        Raises `UsageError` without the extra for it.
        """
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError:
            return rendered(self.svg(), "png")
        figure = Figure(figsize=(6.8, 4.5), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        ax = draw(self, figure.add_subplot())
        ax.grid(alpha=0.3)
        if len(self.curves) > 1:
            ax.legend()
        else:
            ax.set_title(self.title)
        out = io.BytesIO()
        # without the version of Matplotlib, which would make the same plot another file
        figure.savefig(out, format="png", metadata={"Software": None})
        return out.getvalue()

    def as_dict(self) -> dict[str, Any]:
        """Return what a program may want to know, for JSON.

        Heights are values; of a plot that has a `base`, the pieces `from_base` tell apart what doubles of them cannot.
        """
        return {
            **({"base": exact_text(self.base)} if self.base else {}),
            "title": self.title,
            "variable": self.across,
            "window": self._values(self.window, "bottom", "top"),
            "curves": [
                {
                    "name": curve.name,
                    "pieces": [[(x, self._value(y)) for x, y in piece] for piece in curve.pieces],
                    **({"from_base": curve.pieces} if self.base else {}),
                    "marks": [self._values(mark, "left", "right", "value") for mark in curve.marks],
                }
                for curve in self.curves
            ],
            "tangents": [self._values(tangent, "y") for tangent in self.tangents],
        }  # fmt: skip

    def fields(self) -> dict[str, Any]:
        """`as_dict` by its older name."""
        return self.as_dict()

    def _values(self, record: Any, *heights: str) -> dict[str, Any]:
        """The fields of a record for JSON, with values for its heights."""
        found: dict[str, Any] = record._asdict()
        found |= {name: self._value(found[name]) for name in heights}
        return {name: _limit(own) for name, own in found.items()}

    def _value(self, height: float | None) -> float | None:
        """The value at a height."""
        if not self.base or height is None or math.isinf(height):
            return height
        return float(Fraction(height) + self.base)

    def _repr_svg_(self) -> str:
        return self.svg()


USUAL = (-5.0, 5.0)
"""The range of a curve on which nothing happens anywhere."""

SMALLEST, FARTHEST = 1e-30, 1000.0
MOST_SHOWN = 7


MOST_STEPS = 1000
"""Operations of an expression whose zeros and extrema are looked for: that takes some thousand values."""


def is_searched(along: Along) -> bool:
    """Return whether a range is chosen by what is to be seen there; of a large expression it is the usual one."""
    return len(along.expression.tape.steps) <= share(MOST_STEPS)


def range_of(along: Along, also: Sequence[float] = ()) -> tuple[float, float]:
    """A range with the zeros, extrema, corners and gaps nearest to 0, and the places that must be in it."""
    if not is_searched(along):
        return _defined(along, min(USUAL[0], *also, 0.0), max(USUAL[1], *also, 0.0))
    places = [x for x in _places(along) if abs(x) <= FARTHEST]
    repeats = period(along.expression.root, along.name)
    if repeats is not None and len(places) > 2:
        # one period to either side of 0 shows all that there is
        length = Expression.of(repeats)() + 1e-9
        places = [x for x in places if abs(x) <= length]
    places = [0.0 if abs(x) < SMALLEST else x for x in places]
    places = sorted(sorted(set(places), key=abs)[:MOST_SHOWN])
    places = _close(places) + [0.0 if abs(x) < SMALLEST else float(x) for x in also]
    low, high = (min(places), max(places)) if places else USUAL
    if not places:
        return _defined(along, low, high)
    # one or two places stand in the middle, with as much curve on both sides
    share = 0.25 if len(places) > 2 else 0.9
    room = share * (high - low) if high > low else max(2.0, abs(low))
    low, high = low - room, high + room
    unit = 10.0 ** math.floor(math.log10(high - low)) / 5  # outward to short numbers
    return _defined(along, math.floor(low / unit) * unit, math.ceil(high / unit) * unit)


def _close(places: list[float]) -> list[float]:
    """Without those that lie far beyond all others."""
    while len(places) > 2:
        span = places[-2] - places[0], places[-1] - places[1]
        whole = places[-1] - places[0]
        if whole > 12 * span[0] > 0 and abs(places[-1]) > abs(places[0]):
            places = places[:-1]
        elif whole > 12 * span[1] > 0:
            places = places[1:]
        else:
            break
    return places


def _places(along: Along) -> list[float]:
    """Zeros, corners and gaps, and where the slope is 0 or turns."""
    name, root, others = along.name, along.expression.root, along.doubles()
    if name not in along.expression.variables:
        return []
    step = {x: 1e-3 * max(1.0, abs(x)) for x in domain.breaks([root], name, others)}
    found = {x for x, h in step.items() if along(x - h) is not None or along(x + h) is not None}  # fmt: skip
    found |= {x for x in domain.zeros(root, name, others) if _passes(along, x)}
    try:
        slope: Expression = along.expression.derivative(name)
        if name in slope.variables and len(slope.tape.steps) < 200:
            flat = Along(slope, name, along.others)
            found |= {x for x in domain.zeros(slope.root, name, others) if _passes(flat, x)}  # fmt: skip
    except ExprgradError:
        pass
    return [x for x in found if math.isfinite(x)]


def _passes(along: Along, x: float) -> bool:
    """Return whether the function is 0 there and not all around, or changes its sign: none of what is too small for a double."""
    here = along(x)
    step = 1e-6 * max(1.0, abs(x))
    left, right = along(x - step), along(x + step)
    if left is None or right is None:
        return here == 0
    return (here == 0 and not left == right == 0) or (left < 0) != (right < 0)


def _defined(along: Along, low: float, high: float) -> tuple[float, float]:
    """Without the ends where there are no values, but for a little."""
    count = 64
    xs = [low + (high - low) * i / count for i in range(count + 1)]
    known = [x for x in xs if along(x) is not None]
    if not known or len(known) == len(xs):
        return low, high
    # few values here: most may lie farther out
    if len(known) < len(xs) / 3 and high - low < FARTHEST:
        return _defined(along, low - (high - low) / 2, high + (high - low) / 2)
    room = (known[-1] - known[0]) / 8 or (high - low) / 8
    return max(low, known[0] - room), min(high, known[-1] + room)


CELLS = 56
"""Squares along each side."""

LINES = 11
ARROWS = 9
"""Arrows along each side."""


def field(expression: Expression, given: Mapping[str, Any], across: str, up: str, w: Window) -> Field:  # fmt: skip
    """The contours and gradients in a window: pieces in squares, whose ends are where values between two corners reach a height."""
    others = {n: x for n, x in given.items() if n in expression.variables}

    def places(count: int, shift: float) -> list[list[Place]]:
        own = [i + shift for i in range(count + (not shift))]
        xs = [w.left + (w.right - w.left) * i / count for i in own]
        ys = [w.bottom + (w.top - w.bottom) * i / count for i in own]
        return [[(x, y) for x in xs] for y in ys]

    @cache  # of the middle of a square each contour that crosses it asks
    def value(x: float, y: float) -> float | None:
        try:
            return expression.evaluate({**others, across: x, up: y}, (), digits=5).value
        except ExprgradError:
            return None

    grid = [[(*place, value(*place)) for place in row] for row in places(CELLS, 0)]
    heights = levels([z for row in grid for *_, z in row if z is not None])
    lines: list[tuple[Place, ...]] = []
    of: list[float] = []
    for height in heights:
        segments: list[tuple[Place, Place]] = []
        for j, i in itertools.product(range(CELLS), repeat=2):
            corners = grid[j][i], grid[j][i + 1], grid[j + 1][i + 1], grid[j + 1][i]
            known = [z for *_, z in corners if z is not None]
            # a corner at the height itself counts as above it in all its squares: a contour through it stays whole
            if len(known) < 4 or not min(known) < height <= max(known):
                continue
            ends: list[Place] = []
            for k in range(4):
                (a, b, u), (c, d, v) = corners[k], corners[(k + 1) % 4]
                if u is not None and v is not None and (u < height) != (v < height):
                    t = (height - u) / (v - u)
                    ends.append((a + t * (c - a), b + t * (d - b)))
            middle = sum(known) / 4
            # a jump or a pole between the corners is no contour: the middle would lie far from the mean
            (x, y, _), (right, top, _) = corners[0], corners[2]
            real = value((x + right) / 2, (y + top) / 2)
            if real is None or abs(real - middle) > 0.75 * (max(known) - min(known)):
                continue
            # a saddle: the value in the middle says which of the four ends belong together
            if len(ends) == 4 and (middle < height) != (known[0] < height):
                ends = [ends[3], *ends[:3]]
            segments += zip(ends[::2], ends[1::2], strict=False)
        lines += map(tuple, _joined(segments))
        of += [height] * (len(lines) - len(of))
    arrows = []
    for x, y in (place for row in zip(*places(ARROWS, 0.5), strict=True) for place in row):  # fmt: skip
        try:
            found = expression.evaluate({**others, across: x, up: y}, (across, up))
        except ExprgradError:
            continue
        dx, dy = found.gradient[across], found.gradient[up]
        if dx is not None and dy is not None and math.hypot(dx, dy) > 0:
            arrows.append((x, y, dx, dy))
    return Field(tuple(lines), tuple(heights), tuple(arrows), tuple(of))


def levels(values: list[float]) -> list[float]:
    """Heights: as many values lie between two as between any others, so that valleys are seen as well."""
    ranked = sorted(values)
    if not ranked or ranked[0] == ranked[-1]:
        return []
    shares = [(i + 0.5) / LINES for i in range(LINES)]
    found = [ranked[int(t * (len(ranked) - 1))] for t in shares]
    # heights that lie about evenly may as well be round numbers
    if found[-1] - found[0] < 8 * (found[len(found) // 2 + 1] - found[len(found) // 2 - 1]):  # fmt: skip
        return ticks(ranked[0], ranked[int(0.97 * (len(ranked) - 1))], LINES)
    return list(dict.fromkeys(found))


def _joined(segments: list[tuple[Place, Place]]) -> Iterator[list[Place]]:
    """Pieces that meet, as lines."""
    at: dict[Place, list[int]] = {}
    for i, ends in enumerate(segments):
        for end in ends:
            at.setdefault(_key(end), []).append(i)
    used: set[int] = set()
    for i, (a, b) in enumerate(segments):
        if i in used:
            continue
        used.add(i)
        line = [a, b]
        # as far as it goes from one end, then from the other
        for _ in range(2):
            while True:
                ahead = [k for k in at[_key(line[-1])] if k not in used]
                if not ahead:
                    break
                used.add(ahead[0])
                c, d = segments[ahead[0]]
                line.append(d if _key(c) == _key(line[-1]) else c)
            line.reverse()
        yield line


def _key(place: Place) -> Place:
    # the two squares at an edge compute the crossing on it from opposite corners, with different roundings
    return float(f"{place[0]:.9g}"), float(f"{place[1]:.9g}")


WIDTH, HEIGHT, HIGHEST = 600.0, 380.0, 480.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 16.0, 40.0, 34.0

LAST_COLOUR = 3
"""`plot.css` has colours c0 to c3 for the first curve, the second, and so on; all others have the last."""

MOST_LABELS = 8
"""Slopes that are written beside corners."""

STYLE = source(__file__, "plot.css")


class Paper:
    """The positions of the points of a window in the picture, and its edges there."""

    def __init__(self, plot: Plot) -> None:
        self.window = window = plot.window
        across, up = window.right - window.left, window.top - window.bottom
        self.per_x, self.per_y = WIDTH / across, HEIGHT / up
        if plot.is_equal:
            self.per_x = self.per_y = min(WIDTH / across, HIGHEST / up)
        self.right, self.bottom = LEFT + across * self.per_x, TOP + up * self.per_y

    def x(self, x: float) -> float:
        """From the left."""
        return LEFT + (x - self.window.left) * self.per_x

    def y(self, y: float) -> float:
        """From the top."""
        return TOP + (self.window.top - y) * self.per_y

    def holds(self, x: float, y: float) -> bool:
        """Return whether a point is shown."""
        w = self.window
        return w.left <= x <= w.right and w.bottom <= y <= w.top

    def clipped(self, points: Sequence[Place]) -> list[list[Place]]:
        """Return what is seen of a line through the points, in pixels."""
        w, seen = self.window, [list[Place]()]
        for (a, u), (b, v) in pairwise(points):
            beyond = max(u, v) < w.bottom or min(u, v) > w.top
            if beyond or max(a, b) < w.left or min(a, b) > w.right:
                seen.append([])
                continue
            ends = []
            for x, y, other_x, other_y in ((a, u, b, v), (b, v, a, u)):
                edge = min(max(y, w.bottom), w.top)
                if edge != y:  # where it leaves the picture
                    x += (edge - y) / (other_y - y) * (other_x - x)
                ends.append((self.x(x), self.y(edge)))
            start, end = ends
            if not seen[-1] or math.dist(seen[-1][-1], start) > 0.01:
                seen.append([start])
            seen[-1].append(end)
        return [own for own in seen if len(own) > 1]


def path(points: Iterable[Place]) -> str:
    """The d of a line, without points that add nothing to it."""
    kept: list[Place] = []
    for p in points:
        while len(kept) > 1 and _between(kept[-2], kept[-1], p):
            kept.pop()
        kept.append(p)
    return "M" + "L".join(f"{figure(x, 2)} {figure(y, 2)}" for x, y in kept)


def _between(a: Place, b: Place, c: Place) -> bool:
    """Return whether b lies on the way from a to c, as far as anyone sees."""
    across = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    long = math.dist(a, c)
    ahead = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1])
    # without a longest piece, leaving out point after point would flatten a wide arc
    return abs(across) < 0.05 * long and ahead >= 0 and long < 40


def _frame(paper: Paper, plot: Plot) -> Iterator[str]:
    """The grid with its numbers, and the axes."""
    w = paper.window
    bottom, right = paper.bottom, paper.right
    for x in ticks(w.left, w.right):
        at = paper.x(x)
        yield element("line", class_="axis" if x == 0 else "grid", x1=at, x2=at, y1=TOP, y2=bottom)  # fmt: skip
        told = tick_text(x, w.left, w.right)
        half = text_width(told, 12) / 2 + 2
        at = min(max(at, half), right + RIGHT - half)  # in the picture
        yield text(at, bottom + 18, told, "tick-x")
    if counted := plot.counts_from:
        yield text(4.0, 11.0, f"from {counted}", "base")
    for y, told in plot.heights(6):
        at = paper.y(y)
        yield element("line", class_="axis" if told == "0" else "grid", x1=LEFT, x2=right, y1=at, y2=at)  # fmt: skip
        yield text(LEFT - 8, at + 4, told, "tick-y")


def _curve(paper: Paper, curve: Curve, colour: int) -> Iterator[str]:
    for x, low, high in curve.band:
        ends = [(x, max(low, paper.window.bottom)), (x, min(high, paper.window.top))]
        if ends[0][1] <= ends[1][1]:
            d = path((paper.x(a), paper.y(b)) for a, b in ends)
            yield element("path", class_=f"curve c{colour}", d=d, stroke_opacity="0.4")
    for piece in curve.pieces:
        for part in paper.clipped(piece):
            yield element("path", class_=f"curve c{colour}", d=path(part))


class _Labels:
    """The places of words beside marks, so that none covers another."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.taken: list[tuple[float, float, float, float]] = []

    def place(self, x: float, y: float, words: str, kind: str = "rust") -> Iterator[str]:  # fmt: skip
        """The words, centred near a place, where there is room."""
        half = text_width(words, 12) / 2
        for dy in (0, -16, 16, -32, 32):
            area = (x - half, y + dy - 10, x + half, y + dy + 3)
            if area[0] < LEFT or area[2] > self.paper.right or area[1] < TOP or area[3] > self.paper.bottom:  # fmt: skip
                continue
            if all(area[2] < t[0] or area[0] > t[2] or area[3] < t[1] or area[1] > t[3] for t in self.taken):  # fmt: skip
                self.taken.append(area)
                left, top, right, bottom = area
                under = element("rect", class_="under", x=left - 2, y=top, width=right - left + 4, height=bottom - top)  # fmt: skip
                yield under + text(x, y + dy, words, f"slope {kind}")
                return


def _mark(paper: Paper, mark: Mark, colour: int, labels: _Labels) -> Iterator[str]:
    if mark.kind == POLE:
        at = paper.x(mark.x)
        yield element("line", class_="pole", x1=at, x2=at, y1=TOP, y2=paper.bottom)
    if mark.kind in (CORNER, VERTICAL):
        yield from _sides(paper, mark, labels)
    for y, filled in mark.circles:
        if paper.holds(mark.x, y):
            kind = f"f{colour}" if filled else f"open c{colour}"
            yield element("circle", class_=kind, cx=paper.x(mark.x), cy=paper.y(y), r=3.5)  # fmt: skip


def _sides(paper: Paper, mark: Mark, labels: _Labels) -> Iterator[str]:
    """A short line in the direction of each slope of a corner, and the slopes in numbers."""
    y = mark.value or 0.0
    if not paper.holds(mark.x, y):
        return
    x, at = paper.x(mark.x), paper.y(y)
    for slope, side in zip(mark.slopes, (-1, 1), strict=True):
        if slope is None:
            continue
        # the angle on paper, where units of both axes have their own lengths
        angle = math.pi / 2 if math.isinf(slope) else math.atan(abs(slope) * paper.per_y / paper.per_x)  # fmt: skip
        # upward on paper is toward smaller y
        down = -1 if slope > 0 else 1
        dx, dy = side * math.cos(angle), side * down * math.sin(angle)
        yield element("line", class_="tangent", x1=x, y1=at, x2=x + 34 * dx, y2=at + 34 * dy)  # fmt: skip
        if len(labels.taken) < MOST_LABELS:
            told = "∞" if math.isinf(slope) else number(abs(slope), 4)
            told = f"slope {'−' if slope < 0 else ''}{told}"
            beside = side * (text_width(told, 12) / 2 + 6)
            below = 14 if dy < 0 else -6
            yield from labels.place(x + 34 * dx + beside, at + 34 * dy + below, told)


def _dots(paper: Paper, plot: Plot, labels: _Labels) -> Iterator[str]:
    if plot.field is not None:  # the way of a descent
        for part in paper.clipped([(dot.x, dot.y) for dot in plot.dots]):
            yield element("path", class_="tangent", d=path(part))
    for dot in plot.dots:
        if paper.holds(dot.x, dot.y):
            x, y = paper.x(dot.x), paper.y(dot.y)
            kind = "data" if dot.kind == "data" else "rust"
            yield element("circle", class_=kind, cx=x, cy=y, r=2.6 if kind == "data" else 4.5)  # fmt: skip
            if dot.word:
                half = text_width(dot.word, 12) / 2 + 8
                side = -half if x + 2 * half > paper.right else half
                yield from labels.place(x + side, y - 6, dot.word)


def _contours(paper: Paper, plot: Plot, labels: _Labels) -> Iterator[str]:
    """The contours, the longest of each height with that, and the gradients, in their directions."""
    field = plot.field
    if field is None:
        return
    for line in field.lines:
        points = [(paper.x(x), paper.y(y)) for x, y in line]
        yield element("path", class_="contour", d=path(points))
    for x, y, dx, dy in field.arrows:
        size = max(abs(dx), abs(dy))
        across, up = dx / size * paper.per_x, dy / size * paper.per_y
        long = math.hypot(across, up)
        if not long:
            continue
        a, b = paper.x(x), paper.y(y)
        across, up = 13 * across / long, 13 * up / long
        c, d_ = a + across, b - up
        yield element("line", class_="arrow", x1=a, y1=b, x2=c, y2=d_)
        tips = [(c + across / 2.2, d_ - up / 2.2), (c - up / 4, d_ - across / 4), (c + up / 4, d_ + across / 4)]  # fmt: skip
        ends = " ".join(f"{figure(p)},{figure(q)}" for p, q in tips)
        yield element("polygon", class_="rust", points=ends)
    for (x, y), height in field.labelled():
        yield from labels.place(paper.x(x), paper.y(y) + 4, number(height, 4), "height")


def _legend(paper: Paper, plot: Plot) -> Iterator[str]:
    """The names of the curves and what the tangents are, above the picture."""
    at = LEFT
    names = [(curve.name, f"c{min(i, LAST_COLOUR)}") for i, curve in enumerate(plot.curves)]  # fmt: skip
    if plot.field is not None:
        names = [(plot.title, "contour")]
    elif plot.heading:
        yield text(LEFT, 13.0, plot.heading, "title")
    for tangent in plot.tangents:
        names.append((f"{tangent.told} at {number(tangent.x, 6)}", "tangent"))
    for name, kind in names:
        shown = name if len(name) <= 48 else f"{name[:46]}…"
        if at + text_width(shown, 13) > paper.right and at > LEFT:
            break
        yield element("line", class_=f"curve {kind}", x1=at, x2=at + 18, y1=TOP - 19, y2=TOP - 19)  # fmt: skip
        yield text(at + 24, TOP - 15, shown, "title")
        at += 24 + text_width(shown, 14) + 22


def draw(plot: Plot, ax: Any) -> Any:
    """Draw the curves, with gaps where they have any, and give the axes back.

    Colours, line widths and fonts are those of Matplotlib; limits of axes with something in them only grow.
    """
    if not hasattr(ax, "has_data"):
        raise UsageError(f"axes of Matplotlib are needed, not {type(ax).__name__}")
    w = plot.window
    fresh = not ax.has_data()
    for curve in plot.curves:
        _draw_curve(curve, ax)
    for tangent in plot.tangents:
        for slope in tangent.slopes:
            ax.axline((tangent.x, tangent.y), slope=slope, color="C1", linewidth=1)
        ax.plot([tangent.x], [tangent.y], "o", color="C1")
    for dot in plot.dots:
        ax.plot([dot.x], [dot.y], "o", color="0.3" if dot.kind == "data" else "C1")
    if plot.field is not None:
        for contour in plot.field.lines:
            ax.plot(*zip(*contour, strict=True), color="C0", linewidth=1)
        if plot.field.arrows:
            ax.quiver(*zip(*plot.field.arrows, strict=True), color="C1", angles="xy")
        for (x, y), height in plot.field.labelled():
            ax.text(x, y, number(height, 4), color="C0", ha="center", va="center", fontsize="small")  # fmt: skip
        if fresh and plot.is_equal:
            ax.set_aspect("equal")
    left, right = (w.left, w.right) if fresh else (min(w.left, ax.get_xlim()[0]), max(w.right, ax.get_xlim()[1]))  # fmt: skip
    bottom, top = (w.bottom, w.top) if fresh else (min(w.bottom, ax.get_ylim()[0]), max(w.top, ax.get_ylim()[1]))  # fmt: skip
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.set_xlabel(plot.across)
    if plot.up:
        ax.set_ylabel(plot.up)
    elif plot.base:
        ax.set_ylabel(f"from {exact_text(plot.base)}")
    return ax


def _draw_curve(curve: Curve, ax: Any) -> None:
    """Draw a curve with its gaps, and what is marked on it."""
    xs: list[float] = []
    ys: list[float] = []
    for piece in curve.pieces:
        xs += [x for x, _ in piece] + [math.nan]
        ys += [y if abs(y) < 1e300 else math.nan for _, y in piece] + [math.nan]
    (line,) = ax.plot(xs, ys, label=curve.name)
    colour = line.get_color()
    for x, low, high in curve.band:
        ax.plot([x, x], [low, high], color=colour, alpha=0.4)
    for mark in curve.marks:
        if mark.kind == POLE:
            ax.axvline(mark.x, linestyle="--", linewidth=0.8, color="0.5")
        elif mark.kind != EDGE:
            for y, filled in mark.circles:
                face = colour if filled else "white"
                ax.plot([mark.x], [y], "o", color=colour, markerfacecolor=face)


def plotted(
    expressions: Sequence[Expression],
    given: Mapping[str, Any],
    across: tuple[float, float] | None = None,
    up: tuple[float, float] | None = None,
    tangents: Sequence[float] = (),
    derivatives: str | None = None,
) -> Plot:
    """Return what a user asks for: curves, those of derivatives as `f,f',f''`, or contours where two variables are left."""
    across = _ends(across)
    if not isinstance(tangents, Iterable):
        raise UsageError("tangents are a list of their places")
    tangents = [*tangents]
    for x in tangents:
        inputs.number(x, "the place of a tangent")
    for expression in expressions:
        expression.refuse_arrays(given)
    free = free_of(expressions, given)
    if len(free) == 2 and len(expressions) == 1 and derivatives is None:
        return contours_of(expressions[0], given, free[0], free[1], across, up)
    names: Sequence[str] = ()
    before: Sequence[Sequence[Expression]] = ()
    if derivatives is not None:
        if len(expressions) != 1 or not free:
            raise UsageError("derivatives are drawn of one expression in one variable")
        names = [name.strip().replace("’", "'").replace("′", "'") for name in derivatives.split(",")]  # fmt: skip
        for name in names:
            if not name[:1].isalpha() or name[1:].strip("'") or len(name) > 5:
                raise UsageError(f"expected f, f' or f'', not {name or 'nothing'}")
        # as many as there are primes behind the letter
        orders = [len(name) - 1 for name in names]
        one, by = expressions[0], free[0]
        derived = [one] + [one.derivative(by, order=n) for n in range(1, max(orders) + 1)]  # fmt: skip
        before = [derived[:n] for n in orders]
        expressions = [derived[n] for n in orders]
    return plot_of(expressions, given, across, None, tangents, names, (), up, before)


def _refuse_range(low: float, high: float, what: str, most: float = LARGEST) -> None:
    """Raise an error for a range that is none, or whose scale doubles cannot write."""
    if not low < high:
        raise UsageError(f"{what} goes from a number to a greater one")
    if not (-most <= low and high <= most and high - low >= LOWEST):
        raise RangeError(f"{what} lies within ±{most:g} and is at least {LOWEST:g} wide")  # fmt: skip


def _derivative_along(
    functions: Sequence[Expression], name: str, given: Mapping[str, Any]
) -> Along:
    """The last of these functions, each the derivative of the one before it, as one of the variable.

    Raises `UsageError` where another variable of it has no value.
    """
    along = Along(functions[0], name, given)
    for function in functions[1:]:
        along = Along(function, name, given, before=along)
    missing = [n for n in along.expression.variables if n not in (name, *given)]
    if missing:
        hint = Hint("give_value", names=missing)
        raise UsageError(f"there is no value for {', '.join(missing)}", hint=hint)
    return along


def _ends(across: Any) -> tuple[float, float] | None:
    """The ends of a range that was given, as numbers."""
    if across is None:
        return None
    try:
        left, right = across
    except (TypeError, ValueError):
        raise UsageError("a range is two numbers, from left to right") from None
    return tuple(inputs.number(end, "an end of a range") for end in (left, right))  # type: ignore[return-value] # two


def plot_of(
    expressions: Sequence[Expression],
    at: Mapping[str, Any] | None = None,
    across: tuple[float, float] | None = None,
    name: str | None = None,
    tangents: Sequence[float] = (),
    names: Sequence[str] = (),
    dots: Sequence[Dot] = (),
    height: tuple[float, float] | None = None,
    before: Sequence[Sequence[Expression]] = (),
) -> Plot:
    """The curves of expressions in one variable; the others have values in `at`.

    An expression may be the derivative of those `before` it, from the function on. `names` are what the curves are
    called. Raises `UsageError` where not one variable is left, or the range is none.
    """
    given = dict(at or {})
    free = [name] if name else free_of(expressions, given)
    if len(free) > 1:
        what = f"a curve has one variable, and there are values for all but {', '.join(free)}"  # fmt: skip
        raise UsageError(what, hint=Hint("give_value", names=free[1:]))
    variable = next(iter(free), "x")
    chains = itertools.zip_longest(expressions, before)
    own = [_derivative_along((*(chain or ()), f), variable, given) for f, chain in chains]  # fmt: skip
    notes: list[str] = []
    if any(abs(x) > WIDEST for x in tangents):
        raise RangeError(f"the place of a tangent lies within ±{WIDEST:g}")
    if across is None:
        if not all(map(is_searched, own)):
            notes.append(UNSEARCHED)
        ranges = [range_of(f, tangents) for f in own]
        across = min(low for low, _ in ranges), max(high for _, high in ranges)
    left, right = across
    _refuse_range(left, right, f"a range of {variable}", WIDEST)
    called = list(names) or [f.title for f in expressions]
    base, sketches = _less_a_base([Sketch(f, left, right) for f in own], height)
    own = [sketch.f for sketch in sketches]
    if base:
        height = height and tuple(float(Fraction(y) - base) for y in height)  # type: ignore[assignment] # two
        dots = [dot._replace(y=float(Fraction(dot.y) - base)) for dot in dots]
    if height is not None:
        _refuse_range(*height, "a range of values")
    scale = Scale(*height) if height is not None else _common(sketches)
    # values that seem to be equal may differ in digits that were not asked for: 1 + 1e-9*sin(x)
    sketches = [sketch.precise(scale) for sketch in sketches]
    if height is None:
        scale = _common(sketches)
    if scale.high - scale.low < LOWEST:
        raise RangeError(
            "the values are too small to be drawn: below the range of double precision",
            hint=f"multiply by a power of 10: 10^400*({called[0]})",
        )
    pairs = zip(sketches, called, strict=True)
    curves = [sketch.curve(scale, name) for sketch, name in pairs]
    touching = [t for i, f in enumerate(own[:1]) for x in tangents for t in _tangent(f, i, x)]  # fmt: skip
    window = Window(left, right, scale.low, scale.high)
    title = ", ".join(called)
    notes += [SWINGS] if any(curve.band for curve in curves) else []
    return Plot(title, variable, "", window, tuple(curves), tuple(touching), tuple(dots), None, tuple(notes), base)  # fmt: skip


LOWEST = 1e-290
"""The least height, or width, of a picture whose scale doubles can write."""

WIDEST = 1e305
"""The farthest end of a curve: hundreds of steps on the way there must not overflow."""

COARSE = 2000
"""Units in the last place that a picture is high at least where its values are drawn as doubles."""


def _less_a_base(
    sketches: list[Sketch], height: tuple[float, float] | None
) -> tuple[Fraction | int, list[Sketch]]:
    """A number to count heights from, and the curves less that; 0 where doubles are fine enough for the picture.

    Differences from a number near all values are computed with as many digits as they need.
    """
    base: Fraction | int = 0
    # of 10^20 + 12345 + 1e-12*x the first step leaves 12345, beside which doubles are too coarse again
    for _ in range(3):
        ends = [sketch.spread() for sketch in sketches]
        low, high = min(a for a, _ in ends), max(b for _, b in ends)
        if height is not None and not base:
            low, high = height
        if not low <= high or high - low > COARSE * math.ulp(max(abs(low), abs(high))):
            break
        step = _round(low + (high - low) / 2, high - low)
        less = [Sketch(s.f.less(step), s.left, s.right) for s in sketches]
        if all(a == b for a, b in (sketch.spread() for sketch in less)):
            break  # it is a constant
        base, sketches = base + step, less
    return base, sketches


def _round(x: float, room: float) -> Fraction:
    """A number with few digits about as near as the room says, or as doubles tell numbers apart."""
    unit = Fraction(10) ** math.ceil(math.log10(max(4 * math.ulp(x), room)))
    return round(Fraction(x) / unit) * unit


def _limit(value: Any) -> Any:
    """A number for JSON: an infinite one is a word."""
    if isinstance(value, tuple):
        return tuple(map(_limit, value))
    if isinstance(value, float) and math.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    return value


def contours_of(
    expression: Expression,
    given: Mapping[str, Any],
    across: str,
    up: str,
    horizontal: tuple[float, float] | None = None,
    vertical: tuple[float, float] | None = None,
    dots: Sequence[Dot] = (),
) -> Plot:
    """Lines of equal value over two variables, with gradients."""
    left, right = horizontal or (-3.0, 3.0)
    bottom, top = vertical or (-3.0, 3.0)
    for low, high in ((left, right), (bottom, top)):
        _refuse_range(low, high, "a range")
    window = Window(left, right, bottom, top)
    found = field(expression, given, across, up, window)
    title = f"{expression.title}, across {across}, up {up}"
    return Plot(title, across, up, window, (), (), tuple(dots), found)


def free_of(expressions: Sequence[Expression], given: Mapping[str, Any]) -> list[str]:
    """The variables without values."""
    return [*dict.fromkeys(n for f in expressions for n in f.variables if n not in given)]  # fmt: skip


def _common(sketches: Sequence[Sketch]) -> Scale:
    """One scale for all curves."""
    scales = [sketch.scale() for sketch in sketches]
    return Scale(min(s.low for s in scales), max(s.high for s in scales))


def _tangent(f: Along, index: int, x: float) -> list[Tangent]:
    """The tangent at a place, or two at a corner. Raises what evaluating there raises."""
    evaluation = f.expression.evaluate(f._at(x), (), digits=10)
    left, right, kind = f.slopes(x)
    slopes = [left] if not kind and left is not None else [s for s in (left, right) if s is not None]  # fmt: skip
    if not slopes or evaluation.value is None:
        return []
    one = ("left" if right is None else "right") if kind and len(slopes) == 1 else ""
    return [Tangent(index, x, evaluation.value, tuple(slopes), one)]


UNSEARCHED = "the expression is large: its zeros and extrema were not looked for to choose the range"


SWINGS = "it swings faster than can be drawn: the band shows between which values"


MOST_POINTS = 2000
"""Points of data that are drawn."""


def of_descent(
    expression: Expression, steps: Sequence[DescentStep], fixed: Mapping[str, Any]
) -> Plot:
    """The way of a descent: on a curve, over contours, or, of more variables, the value after each step."""
    names = list(steps[0].variables)
    numbers = all(isinstance(x, float) for s in steps for x in s.variables.values())
    if numbers and len(names) <= 2:
        places = ([*(s.variables[name] for name in names), s.value] for s in steps)
        dots = [Dot(x, y, kind="data") for x, y, *_ in places]
        dots[0] = dots[0]._replace(word="start", kind="end")
        last = f"step {steps[-1].step}"
        dots[-1] = dots[-1]._replace(word=last, kind="end")
        across = _around([dot.x for dot in dots])
        if len(names) == 1:
            return plot_of([expression], fixed, across, names[0], dots=dots)
        up = _around([dot.y for dot in dots])
        return contours_of(expression, fixed, names[0], names[1], across, up, dots)
    points = tuple((float(s.step), s.value) for s in steps if math.isfinite(s.value))
    bottom, top = _around([y for _, y in points])
    window = Window(0.0, max(points[-1][0], 1.0), bottom, top)
    return Plot("the value after each step", "step", "", window, (Curve("value", (points,)),))  # fmt: skip


def _around(xs: Sequence[float]) -> tuple[float, float]:
    """A range with room on both sides."""
    low, high = min(xs), max(xs)
    room = 0.3 * (high - low) or max(1.0, abs(low) / 2)
    return low - room, high + room


def of_growth(expression: Expression) -> Plot:
    """Plot how the derivative by the first variable swells with depth, beside the expression, the cost of a sweep."""
    name = expression.variables[0]
    rows = growth(expression, name)
    own, formula = (tuple((float(row[0]), float(row[i])) for row in rows) for i in (1, 2))  # fmt: skip
    curves = Curve(f"∂/∂{name}", (formula,)), Curve("the expression", (own,))
    top = 1.1 * max(y for _, y in (*own, *formula, (0, 1.0)))
    window = Window(0.0, max(own[-1][0], 1.0), 0.0, top)
    return Plot("operations by depth", "depth", "", window, curves)


def of_fit(fit: Fit) -> Plot:
    """The data and the fitted curve; of several columns, what was observed against what is predicted."""
    model = fit.model
    known = {n: p.value for n, p in fit.parameters.items()} | dict(model.constants)
    columns = [n for n in model.prediction.variables if n not in known]
    observed = [p + r for p, r in zip(fit.predictions, fit.residuals, strict=True)]
    stride = -(-len(observed) // MOST_POINTS)
    if len(columns) != 1:
        dots = [Dot(x, y) for x, y in zip(fit.predictions, observed, strict=True)][::stride]  # fmt: skip
        low, high = _around([*fit.predictions, *observed])
        line = Curve("observed = predicted", (((low, low), (high, high)),))
        return Plot("observed against predicted", "predicted", "observed", Window(low, high, low, high), (line,), (), tuple(dots))  # fmt: skip
    (name,) = columns
    xs = [float(x) for x in model.columns[name]]
    dots = [Dot(x, y) for x, y in zip(xs, observed, strict=True)][::stride]
    across, height = _around(xs), _around([*observed, *fit.predictions])
    values = {n: x for n, x in known.items() if n in model.prediction.variables}
    # a twentieth of their width beyond the data, where _around would leave three tenths
    across = min(xs) - (min(xs) - across[0]) / 6, max(xs) + (across[1] - max(xs)) / 6
    return plot_of([model.prediction], values, across, name, (), [model.text], dots, height)  # fmt: skip


def of_verdict(verdict: Verdict) -> Plot | None:
    """A claim beside the derivative, and the point at which it fails; None for several variables without one."""
    if unknown_in(verdict.expression.root) or unknown_in(verdict.claim.root):
        return None
    found = verdict.counterexample
    names = dict.fromkeys((*verdict.expression.variables, *verdict.claim.variables))
    others = [n for n in names if n != verdict.wrt]
    at = {} if found is None else {n: x for n, x in found.at.items() if n in others}
    if any(n not in at for n in others):
        return None
    derivative = verdict.expression.derivative(verdict.wrt, order=verdict.order)
    dots = []
    if found is not None and verdict.wrt in found.at:
        x = found.at[verdict.wrt]
        dots.append(Dot(x, found.derivative, f"derivative {number(found.derivative, 6)}", "end"))  # fmt: skip
        if found.claimed is not None:
            dots.append(Dot(x, found.claimed, f"claimed {number(found.claimed, 6)}", "end"))  # fmt: skip
    reach = [dot.x for dot in dots]
    across = (reach[0] - 3.0, reach[0] + 3.0) if reach else None
    return plot_of([derivative, verdict.claim], at, across, verdict.wrt, (), ["derivative", "claim"], dots, before=[[verdict.expression]])  # fmt: skip
