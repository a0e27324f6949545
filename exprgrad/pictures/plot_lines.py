"""A plot drawn with characters: each of braille has two by four dots.

Where there is only ASCII, a character is one dot wide and two high: `'`, `.` and `:`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from exprgrad.annotations import NamedTuple
from exprgrad.pictures.graph_lines import Piece, pieces
from exprgrad.pictures.plot_data import EDGE, POLE, Mark, PlotData
from exprgrad.pictures.windows import offset, tick_text, ticks


class Dots(NamedTuple):
    """How many dots a character has, and the character for a set of them."""

    across: int
    down: int
    character: Callable[[frozenset[tuple[int, int]]], str]
    pole: str
    open: str
    full: str
    axis: tuple[str, str, str]


_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))

BRAILLE = Dots(
    2, 4, lambda own: chr(0x2800 + sum(_BITS[y][x] for x, y in own)), "┊", "○", "●", ("│", "─", "┼"),
)  # fmt: skip

ASCII = Dots(
    1, 2, lambda own: {1: "'", 2: ".", 3: ":"}[sum(1 << y for _, y in own)], ":", "o", "*", ("|", "-", "+"),
)  # fmt: skip


def drawn(plot: PlotData, columns: int, rows: int, plain: bool = False) -> list[list[Piece]]:  # fmt: skip
    """The lines of the drawing, so many columns wide."""
    return _Canvas(plot, columns, rows, ASCII if plain else BRAILLE).lines()


class _Canvas:
    def __init__(self, plot: PlotData, columns: int, rows: int, dots: Dots) -> None:
        self.plot, self.dots, w = plot, dots, plot.window
        self.base = offset(w.bottom, w.top)
        self.labels = [(y, tick_text(y, w.bottom - self.base, w.top - self.base)) for y in ticks(w.bottom - self.base, w.top - self.base, max(2, rows // 3))]  # fmt: skip
        self.margin = max((len(text) for _, text in self.labels), default=0)
        self.columns, self.rows = max(columns - self.margin - 2, 8), rows
        self.per_x = (self.columns * dots.across - 1) / (w.right - w.left)
        self.per_y = (rows * dots.down - 1) / (w.top - w.bottom)
        self.on: dict[tuple[int, int], set[tuple[int, int]]] = {}
        self.kind: dict[tuple[int, int], str] = {}
        self.signs: dict[tuple[int, int], Piece] = {}

    def place(self, x: float, y: float) -> tuple[float, float]:
        """In dots, from the left and from the top."""
        w = self.plot.window
        return (x - w.left) * self.per_x, (w.top - y) * self.per_y

    def lines(self) -> list[list[Piece]]:
        """Everything drawn."""
        w = self.plot.window
        for i, curve in enumerate(self.plot.curves):
            for x, low, high in curve.band:
                self.line((x, low), (x, high), f"curve {i}")
            for piece in curve.pieces:
                for a, b in pairwise(piece):
                    self.line(a, b, f"curve {i}")
        if self.plot.field is not None:
            for contour in self.plot.field.lines:
                for a, b in pairwise(contour):
                    self.line(a, b, "curve 0")
        for tangent in self.plot.tangents:
            for a, b in tangent.ends(w):
                self.line(a, b, "tangent")
            self.sign(tangent.x, tangent.y, self.dots.full, "tangent")
        for i, curve in enumerate(self.plot.curves):
            for mark in curve.marks:
                self.mark(mark, f"curve {i}")
        for dot in self.plot.dots:
            full = dot.kind != "data"
            self.sign(dot.x, dot.y, self.dots.full if full else self.dots.open, "dot")
        return self.framed()

    def line(self, a: tuple[float, float], b: tuple[float, float], kind: str) -> None:
        """The dots between two points, as far as they are shown."""
        (x, y), (p, q) = self.place(*a), self.place(*b)
        high = self.rows * self.dots.down
        wide = self.columns * self.dots.across
        if max(y, q) < -0.5 or min(y, q) > high or max(x, p) < -0.5 or min(x, p) > wide:
            return
        start, end = 0.0, 1.0
        for low, most, u, v in ((-0.5, high, y, q), (-0.5, wide, x, p)):
            if u != v:
                ends = sorted(((low - u) / (v - u), (most - u) / (v - u)))
                start, end = max(start, ends[0]), min(end, ends[1])
        if start > end:
            return
        count = max(1, math.ceil(max(abs(p - x), abs(q - y)) * (end - start)))
        for i in range(count + 1):
            t = start + (end - start) * i / count
            self.dot(round(x + (p - x) * t), round(y + (q - y) * t), kind)

    def dot(self, x: int, y: int, kind: str) -> None:
        """One dot."""
        wide, high = self.dots.across, self.dots.down
        cell = x // wide, y // high
        if 0 <= cell[0] < self.columns and 0 <= cell[1] < self.rows:
            self.on.setdefault(cell, set()).add((x % wide, y % high))
            self.kind[cell] = kind

    def sign(self, x: float, y: float, sign: str, kind: str) -> None:
        """A character at a point."""
        a, b = self.place(x, y)
        cell = round(a) // self.dots.across, round(b) // self.dots.down
        if 0 <= cell[0] < self.columns and 0 <= cell[1] < self.rows:
            self.signs[cell] = sign, kind

    def mark(self, mark: Mark, kind: str) -> None:
        """Poles, and the ends of a curve at a gap."""
        if mark.kind == POLE:
            column = round(self.place(mark.x, 0.0)[0]) // self.dots.across
            for row in range(self.rows):
                if (column, row) not in self.on and 0 <= column < self.columns:
                    self.signs.setdefault((column, row), (self.dots.pole, "frame"))
        for y, filled in mark.circles if mark.kind != EDGE else ():
            self.sign(mark.x, y, self.dots.full if filled else self.dots.open, kind)

    def framed(self) -> list[list[Piece]]:
        """The rows with the numbers at the left and below."""
        upright, level, cross = self.dots.axis
        at = {min(round(self.place(0.0, y + self.base)[1]) // self.dots.down, self.rows - 1): text for y, text in self.labels}  # fmt: skip
        out: list[list[Piece]] = []
        for row in range(self.rows):
            tick = at.get(row, "")
            edge = cross if tick else upright
            out.append([(f"{tick:>{self.margin}} {edge}", "frame"), *self.cells(row)])
        w = self.plot.window
        numbers = [" "] * (self.columns + self.margin + 12)
        ruler = [level] * self.columns
        end = -2
        for x in ticks(w.left, w.right, max(2, self.columns // 9)):
            column = min(round(self.place(x, 0.0)[0]) // self.dots.across, self.columns - 1)  # fmt: skip
            text = tick_text(x, w.left, w.right)
            start = column - len(text) // 2
            start = min(start, self.columns - len(text))
            ruler[column] = cross
            if start > end + 1 and start + self.margin + 2 >= 0:
                end = start + len(text)
                place = self.margin + 2 + start
                numbers[place : place + len(text)] = text
        out.append([(f"{' ' * self.margin} {cross}{''.join(ruler)}", "frame")])
        out.append([("".join(numbers).rstrip(), "frame")])
        return out

    def cells(self, row: int) -> Sequence[Piece]:
        """The characters of a row, in pieces of one kind."""
        out = pieces(self.cell(column, row) for column in range(self.columns))
        while out and not out[-1][0].strip():
            out.pop()
        return out

    def cell(self, column: int, row: int) -> Piece:
        """The character of a cell."""
        cell = column, row
        if cell in self.signs:
            return self.signs[cell]
        if cell in self.on:
            return self.dots.character(frozenset(self.on[cell])), self.kind[cell]
        return " ", ""
