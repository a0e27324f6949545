"""The picture of a plot.

A curve is a path for each of its pieces and nothing where it has a gap; a pole has a dashed line, a corner an open
circle with both slopes, a hole an open circle, and at a jump the end that belongs to the curve is filled.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from exprgrad.notation.numbers import number
from exprgrad.pictures.layers import text_width as text_width
from exprgrad.pictures.plot_data import (
    CORNER,
    POLE,
    VERTICAL,
    Curve,
    Mark,
    Place,
    PlotData,
    Window,
)
from exprgrad.pictures.svg import SANS, document, element, figure, text
from exprgrad.pictures.windows import counts_from, offset, tick_text, ticks

WIDTH, HEIGHT = 600.0, 380.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 16.0, 40.0, 34.0

COLOURS = ("value", "other", "third", "soft")
"""Of the first curve, the second, and so on."""

MOST_LABELS = 8
"""Slopes that are written beside corners."""

STYLE = f"""
.exprgrad .paper{{fill:$paper}}
.exprgrad text{{font:12px {SANS};fill:$soft;font-variant-numeric:tabular-nums}}
.exprgrad .title{{font-size:14px;fill:$ink}}
.exprgrad .grid{{stroke:$hair}} .exprgrad .axis{{stroke:$line}}
.exprgrad .tick-y{{text-anchor:end}} .exprgrad .tick-x,.exprgrad .slope{{text-anchor:middle}}
.exprgrad .slope{{paint-order:stroke;stroke:$paper;stroke-width:4px}}
.exprgrad .curve{{fill:none;stroke-width:2;stroke-linejoin:round}}
.exprgrad .pole{{stroke:$soft;stroke-dasharray:4 4}}
.exprgrad .tangent{{stroke:$adjoint;stroke-width:1.6}} .exprgrad .rust{{fill:$adjoint}}
.exprgrad .open{{fill:$paper;stroke-width:1.8}} .exprgrad .data{{fill:$ink;fill-opacity:.55}}
.exprgrad .contour{{fill:none;stroke:$value}} .exprgrad .arrow{{stroke:$adjoint}}
""" + "".join(
    f".exprgrad .c{i}{{stroke:${c}}} .exprgrad .f{i}{{fill:${c}}}\n"
    for i, c in enumerate(COLOURS)
)  # fmt: skip


class Paper:
    """Where the points of a window stand in the picture."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.per_x = WIDTH / (window.right - window.left)
        self.per_y = HEIGHT / (window.top - window.bottom)

    def x(self, x: float) -> float:
        """From the left."""
        return LEFT + (x - self.window.left) * self.per_x

    def y(self, y: float) -> float:
        """From the top."""
        return TOP + (self.window.top - y) * self.per_y

    def holds(self, x: float, y: float) -> bool:
        """Whether a point is shown."""
        w = self.window
        return w.left <= x <= w.right and w.bottom <= y <= w.top

    def clipped(self, points: Sequence[Place]) -> Iterator[list[Place]]:
        """What is seen of a line through the points, in pixels."""
        w, own = self.window, list[Place]()
        for (a, u), (b, v) in pairwise(points):
            part = _inside(a, u, b, v, w.bottom, w.top)
            if part is None or max(a, b) < w.left or min(a, b) > w.right:
                if len(own) > 1:
                    yield own
                own = []
                continue
            (c, p), (d, q) = part
            start, end = (self.x(c), self.y(p)), (self.x(d), self.y(q))
            if not own or math.dist(own[-1], start) > 0.01:
                if len(own) > 1:
                    yield own
                own = [start]
            own.append(end)
        if len(own) > 1:
            yield own


def _inside(
    a: float, u: float, b: float, v: float, low: float, high: float
) -> tuple[Place, Place] | None:
    """The part of a segment between two heights."""
    if max(u, v) < low or min(u, v) > high:
        return None
    ends = []
    for x, y, other_x, other_y in ((a, u, b, v), (b, v, a, u)):
        edge = low if y < low else high if y > high else None
        if edge is None:
            ends.append((x, y))
        else:
            share = (edge - y) / (other_y - y)
            ends.append((x + share * (other_x - x), edge))
    return ends[0], ends[1]


def path(points: Iterable[Place]) -> str:
    """The d of a line, without points that add nothing to it."""
    kept: list[Place] = []
    for p in points:
        while len(kept) > 1 and _between(kept[-2], kept[-1], p):
            kept.pop()
        kept.append(p)
    return "M" + "L".join(f"{figure2(x)} {figure2(y)}" for x, y in kept)


def _between(a: Place, b: Place, c: Place) -> bool:
    """Whether b lies on the way from a to c, as far as anyone sees."""
    across = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    long = math.dist(a, c)
    ahead = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1])
    return abs(across) < 0.05 * long and ahead >= 0 and long < 40


def figure2(number: float) -> str:
    """A coordinate of a curve, to a hundredth of a pixel."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def plot_svg(plot: PlotData) -> str:
    """The picture as a document of its own."""
    paper = Paper(plot.window)
    inside = [*_frame(paper, plot), *_contours(paper, plot)]
    for i, curve in enumerate(plot.curves):
        inside += _curve(paper, curve, min(i, len(COLOURS) - 1))
    inside += _tangents(paper, plot)
    labels = _Labels()
    for i, curve in enumerate(plot.curves):
        for mark in curve.marks:
            inside += _mark(paper, mark, min(i, len(COLOURS) - 1), labels)
    inside += _dots(paper, plot)
    inside += _legend(plot)
    wide, high = LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM
    return document(wide, high, plot.title, plot.told(), STYLE, inside)


def _frame(paper: Paper, plot: PlotData) -> Iterator[str]:
    """The grid with its numbers, and the axes."""
    w = paper.window
    bottom, right = TOP + HEIGHT, LEFT + WIDTH
    for x in ticks(w.left, w.right):
        at = paper.x(x)
        yield element("line", class_="axis" if x == 0 else "grid", x1=at, x2=at, y1=TOP, y2=bottom)  # fmt: skip
        told = tick_text(x, w.left, w.right)
        half = text_width(told, 12) / 2 + 2
        at = min(max(at, half), right + RIGHT - half)  # in the picture
        yield text(at, bottom + 18, told, "tick-x")
    base = offset(w.bottom, w.top)
    counted = counts_from(plot)
    if counted:
        yield text(4.0, 11.0, f"from {counted}", "base")
    for y in ticks(w.bottom - base, w.top - base, 6):
        at = paper.y(y + base)
        yield element("line", class_="axis" if y == 0 else "grid", x1=LEFT, x2=right, y1=at, y2=at)  # fmt: skip
        yield text(
            LEFT - 8, at + 4, tick_text(y, w.bottom - base, w.top - base), "tick-y"
        )


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

    def __init__(self) -> None:
        self.taken: list[tuple[float, float, float, float]] = []

    def place(self, x: float, y: float, words: str) -> str | None:
        """The words, centred near a place; None where there is no room."""
        half = text_width(words, 12) / 2
        for dy in (0, -16, 16, -32, 32):
            area = (x - half, y + dy - 10, x + half, y + dy + 3)
            if area[0] < LEFT or area[2] > LEFT + WIDTH or area[1] < TOP or area[3] > TOP + HEIGHT:  # fmt: skip
                continue
            if all(area[2] < t[0] or area[0] > t[2] or area[3] < t[1] or area[1] > t[3] for t in self.taken):  # fmt: skip
                self.taken.append(area)
                return text(x, y + dy, words, "slope rust")
        return None


def _circle(paper: Paper, x: float, y: float, colour: int, filled: bool) -> Iterator[str]:  # fmt: skip
    if paper.holds(x, y):
        kind = f"f{colour}" if filled else f"open c{colour}"
        yield element("circle", class_=kind, cx=paper.x(x), cy=paper.y(y), r=3.5)


def _mark(paper: Paper, mark: Mark, colour: int, labels: _Labels) -> Iterator[str]:
    if mark.kind == POLE:
        at = paper.x(mark.x)
        yield element("line", class_="pole", x1=at, x2=at, y1=TOP, y2=TOP + HEIGHT)
    if mark.kind in (CORNER, VERTICAL):
        yield from _sides(paper, mark, labels)
    for y, filled in mark.circles:
        yield from _circle(paper, mark.x, y, colour, filled)


def _sides(paper: Paper, mark: Mark, labels: _Labels) -> Iterator[str]:
    """A short line in the direction of each slope of a corner, and the slopes in numbers."""
    y = mark.value or 0.0
    if not paper.holds(mark.x, y):
        return
    x, at = paper.x(mark.x), paper.y(y)
    for slope, side in zip(mark.slopes, (-1, 1), strict=True):
        if slope is None:
            continue
        angle = math.pi / 2 if math.isinf(slope) else math.atan(abs(slope) * paper.per_y / paper.per_x)  # fmt: skip
        down = -1 if slope > 0 else 1
        dx, dy = side * math.cos(angle), side * down * math.sin(angle)
        yield element("line", class_="tangent", x1=x, y1=at, x2=x + 34 * dx, y2=at + 34 * dy)  # fmt: skip
        if len(labels.taken) < MOST_LABELS:
            told = "∞" if math.isinf(slope) else number(abs(slope), 4)
            told = f"slope {'−' if slope < 0 else ''}{told}"
            beside = side * (text_width(told, 12) / 2 + 6)
            below = 14 if dy < 0 else -6
            label = labels.place(x + 34 * dx + beside, at + 34 * dy + below, told)
            if label is not None:
                yield label


def _tangents(paper: Paper, plot: PlotData) -> Iterator[str]:
    for tangent in plot.tangents:
        for ends in tangent.ends(paper.window):
            for part in paper.clipped(ends):
                yield element("path", class_="tangent", d=path(part))
        if paper.holds(tangent.x, tangent.y):
            x, y = paper.x(tangent.x), paper.y(tangent.y)
            yield element("circle", class_="rust", cx=x, cy=y, r=4.0)


def _dots(paper: Paper, plot: PlotData) -> Iterator[str]:
    for dot in plot.dots:
        if paper.holds(dot.x, dot.y):
            x, y = paper.x(dot.x), paper.y(dot.y)
            kind = "data" if dot.kind == "data" else "rust"
            yield element("circle", class_=kind, cx=x, cy=y, r=2.6 if kind == "data" else 4.5)  # fmt: skip
            if dot.word:
                right = x + 8 + text_width(dot.word, 12) > LEFT + WIDTH
                at = x - 8 - text_width(dot.word, 12) if right else x + 8
                yield text(at, max(y - 6, TOP + 10), dot.word, "rust")


def _contours(paper: Paper, plot: PlotData) -> Iterator[str]:
    field = plot.field
    if field is None:
        return
    for line in field.lines:
        d = path((paper.x(x), paper.y(y)) for x, y in line)
        yield element("path", class_="contour", d=d)
    for x, y, dx, dy in field.arrows:
        # at right angles to the contours as they are drawn
        across, up = dx / paper.per_x, dy / paper.per_y
        long = math.hypot(across, up)
        if not long:
            continue
        a, b = paper.x(x), paper.y(y)
        across, up = 13 * across / long, 13 * up / long
        c, d_ = a + across, b - up
        yield element("line", class_="arrow", x1=a, y1=b, x2=c, y2=d_)
        tips = [(c + across / 2.2, d_ - up / 2.2), (c - up / 4, d_ - across / 4), (c + up / 4, d_ + across / 4)]  # fmt: skip
        points = " ".join(f"{figure(p)},{figure(q)}" for p, q in tips)
        yield element("polygon", class_="rust", points=points)


def _legend(plot: PlotData) -> Iterator[str]:
    """The names of the curves and what the tangents are, above the picture."""
    at = LEFT
    names = [(curve.name, f"c{min(i, len(COLOURS) - 1)}") for i, curve in enumerate(plot.curves)]  # fmt: skip
    if plot.field is not None:
        names = [(plot.title, "contour")]
    for tangent in plot.tangents:
        names.append((f"{tangent.told} at {number(tangent.x, 6)}", "tangent"))
    for name, kind in names:
        shown = name if len(name) <= 48 else f"{name[:46]}…"
        if at + text_width(shown, 13) > LEFT + WIDTH and at > LEFT:
            break
        yield element("line", class_=f"curve {kind}", x1=at, x2=at + 18, y1=TOP - 19, y2=TOP - 19)  # fmt: skip
        yield text(at + 24, TOP - 15, shown, "title")
        at += 24 + text_width(shown, 14) + 22
