"""What a plot shows, as data."""

from __future__ import annotations

import math
from collections.abc import Iterator

from exprgrad.annotations import TYPE_CHECKING, NamedTuple
from exprgrad.notation.numbers import number

if TYPE_CHECKING:
    from fractions import Fraction

POLE, JUMP, HOLE, POINT, CORNER, VERTICAL, EDGE = "pole", "jump", "hole", "point", "corner", "vertical", "edge"  # fmt: skip
"""What there may be to mark: the curve leaves the picture, jumps, has no value at one place or another one there,
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
            left = self.x if side > 0 else window.left
            right = self.x if side < 0 else window.right
            own = [(x, self.y + slope * (x - self.x)) for x in (left, right)]
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
    """What part of the plane is shown."""

    left: float
    right: float
    bottom: float
    top: float


class Field(NamedTuple):
    """A function of two variables: lines of equal height, each with its height, and gradients at points."""

    lines: tuple[tuple[Place, ...], ...]
    heights: tuple[float, ...]
    arrows: tuple[tuple[float, float, float, float], ...]


class PlotData(NamedTuple):
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
