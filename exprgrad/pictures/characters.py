"""Pictures drawn with characters: graphs, with values above the symbols and adjoints below, and plots.

    2
    a ──╮
    42  │
        │    6
    3   ├──▶ × ──╮
    b ──╯    14  │

Lines run from the left to the right. Between two columns every node has a vertical of its own, in which its
operands meet. Where two lines cross, the horizontal one passes below.

A character of braille has two by four dots of a plot. Where there is only ASCII, a character is one dot wide and two
high: `'`, `.` and `:`.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from unicodedata import east_asian_width

from exprgrad.annotations import TYPE_CHECKING, NamedTuple
from exprgrad.notation.numbers import number
from exprgrad.pictures.layers import IN_ROWS, Box, Layers, Line, Vertex
from exprgrad.pictures.svg import tick_text, ticks

if TYPE_CHECKING:
    from exprgrad.pictures.curves import Mark, Place
    from exprgrad.pictures.graph import Graph
    from exprgrad.pictures.plot import Plot

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8

UNICODE = {
    LEFT | RIGHT: "─", UP | DOWN: "│", DOWN | RIGHT: "╭", DOWN | LEFT: "╮", UP | RIGHT: "╰", UP | LEFT: "╯",
    UP | DOWN | RIGHT: "├", UP | DOWN | LEFT: "┤", DOWN | LEFT | RIGHT: "┬", UP | LEFT | RIGHT: "┴", 15: "┼",
    LEFT: "─", RIGHT: "─", UP: "│", DOWN: "│",
}  # fmt: skip
ASCII = {bits: {"─": "-", "│": "|"}.get(c, "+") for bits, c in UNICODE.items()}

Piece = tuple[str, str]
"""A text and what it is: "value", "adjoint", "name", "symbol", "grey", or "" for lines."""


class Texts(NamedTuple):
    """The texts at a node: above its line, on it, and below."""

    value: str
    name: str
    symbol: str
    adjoint: str
    grey: bool

    @property
    def middle(self) -> str:
        """The name, where it is not the symbol, and the symbol."""
        return f"{self.name} {self.symbol}" if self.name else self.symbol

    @property
    def width(self) -> int:
        """Columns that it takes."""
        return max(map(len, (self.value, self.middle, self.adjoint)))


def graph_drawn(
    graph: Graph, encodable: Callable[[str], str] = str, plain: bool = False
) -> list[list[Piece]]:
    """The lines of the drawing, in pieces.

    `encodable` writes a text with the characters that there are; with `plain`, lines are made of ASCII.
    """

    def written(text: str) -> str:
        if plain:  # raised digits become ^12
            text = re.sub("[⁰¹²³⁴-⁹⁻]+", r"^\g<0>", text).translate(_LOWER)
        # behind a character of two columns, a cell that is none
        return "".join(f"{c}\0" if east_asian_width(c) in "WF" else c for c in encodable(text))  # fmt: skip

    # three rows: the value, the symbol and the adjoint; all edges leave from the row of the symbol
    boxes = {node.name: Box(1.0, 3.0, fans=False) for node in graph.nodes}
    texts = {}
    for node in graph.nodes:
        value, adjoint = ("" if x is None else written(number(x, 6)) for x in (node.value, node.adjoint))  # fmt: skip
        name = "" if node.name == node.symbol else written(node.name)
        own = Texts(value, name, written(node.symbol), adjoint, not node.reached)
        texts[boxes[node.name]] = own
    # both operands of a*a arrive at one cell: a single line
    ends = dict.fromkeys((edge.operand, edge.node) for edge in graph.edges)
    lines = [Line(boxes[operand], boxes[user]) for operand, user in ends]
    layers = Layers(list(boxes.values()), lines, IN_ROWS)
    columns = [
        [_Place(v, None if v.box is None else texts[v.box]) for v in row]
        for row in layers.rows
    ]
    places = {place.vertex: place for column in columns for place in column}
    for column in columns:
        for place in column:
            place.users = [places[link.stop] for link in place.vertex.right]
            place.operands = [places[link.start] for link in place.vertex.left]
    return _Canvas(columns, ASCII if plain else UNICODE, ">" if plain else "▶").lines()


_LOWER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻÷", "0123456789-/")


class _Place:
    """A node in its row, or where an edge passes."""

    __slots__ = ("operands", "row", "texts", "users", "vertex")

    def __init__(self, vertex: Vertex, texts: Texts | None) -> None:
        self.vertex, self.texts = vertex, texts
        # round() would put 1.5 and 2.5 into the same row
        self.row = math.floor(vertex.height + 0.5)
        self.operands: list[_Place] = []
        self.users: list[_Place] = []

    @property
    def is_straight(self) -> bool:
        """Return whether its only operand, if it has any, stands in the same row."""
        return all(operand.row == self.row for operand in self.operands)


class _Canvas:
    """The cells that lines and texts take."""

    def __init__(
        self, columns: list[list[_Place]], signs: dict[int, str], head: str
    ) -> None:
        self.columns, self.signs, self.head = columns, signs, head
        self.bits: dict[tuple[int, int], dict[int, int]] = {}
        self.cells: dict[tuple[int, int], Piece] = {}

    def lines(self) -> list[list[Piece]]:
        """Everything drawn."""
        at = 0
        before: list[_Place] = []
        for column in self.columns:
            channels = _channels(before, column) if before else []
            if before:
                start = at + 1
                at += 2 * len(channels) + 4
                for place in column:
                    if place.operands:  # an input may stand behind others
                        self._join(place, channels, start, at)
            wide = max((p.texts.width for p in column if p.texts), default=1)
            for place in column:
                self._write(place, at, wide)
            at += wide
            before = column
        self._connect()
        rows: dict[int, dict[int, Piece]] = {}
        for (x, y), piece in self.cells.items():
            rows.setdefault(y, {})[x] = piece
        every = (rows.get(y, {}) for y in range(min(rows), max(rows) + 1))
        return [
            pieces(row.get(x, (" ", "")) for x in range(max(row, default=-1) + 1))
            for row in every
        ]

    def _put(self, x: int, y: int, bits: int, net: int) -> None:
        own = self.bits.setdefault((x, y), {})
        own[net] = own.get(net, 0) | bits

    def _run(self, left: int, right: int, row: int, net: int) -> None:
        for x in range(left, right + 1):
            self._put(x, row, LEFT | RIGHT, net)

    def _join(
        self, place: _Place, channels: list[_Place], start: int, end: int
    ) -> None:
        """Lines from the operands to a place; the column begins at `end`."""
        last = end - 2 if place.texts is not None else end - 1
        net = id(place)
        if place.is_straight:
            self._run(start, last, place.row, id(place.operands[0]))
        else:
            # between two verticals a column stays free: side by side, their corners would look joined
            x = start + 1 + 2 * channels.index(place)
            rows = [operand.row for operand in place.operands]
            for operand in place.operands:
                self._run(start, x - 1, operand.row, id(operand))
                down, up = operand.row < place.row, operand.row > place.row
                self._put(x, operand.row, LEFT | down * DOWN | up * UP, net)
            self._put(x, place.row, RIGHT, net)
            # DOWN in a cell and UP in the one below it: together they are the piece of line between the two
            low, high = min(*rows, place.row), max(*rows, place.row)
            for y in range(low, high):
                self._put(x, y, DOWN, net)
                self._put(x, y + 1, UP, net)
            self._run(x + 1, last, place.row, net)
        if place.texts is not None:
            self.cells[last, place.row] = self.head, ""

    def _write(self, place: _Place, at: int, wide: int) -> None:
        """The texts of a node, and the line that goes on behind it; or the line that passes."""
        if place.texts is None:
            self._run(at, at + wide, place.row, id(place))
            return
        texts = place.texts
        kinds = ["grey"] * 4 if texts.grey else ["value", "name", "symbol", "adjoint"]
        self._text(at, place.row - 1, texts.value, kinds[0])
        self._text(at, place.row, texts.name, kinds[1])
        end = at + len(texts.middle)
        self._text(end - len(texts.symbol), place.row, texts.symbol, kinds[2])
        self._text(at, place.row + 1, texts.adjoint, kinds[3])
        if place.users:
            self._run(end + 1, at + wide, place.row, id(place))

    def _text(self, x: int, y: int, text: str, kind: str) -> None:
        for i, character in enumerate(text):
            self.cells[x + i, y] = character.strip("\0"), kind

    def _connect(self) -> None:
        """The sign for each cell through which lines go; of two that cross, the upright one is on top."""
        for cell, nets in self.bits.items():
            if cell in self.cells:
                continue
            crossing = set(nets.values()) == {UP | DOWN, LEFT | RIGHT}
            whole = functools.reduce(operator.or_, nets.values())
            bits = UP | DOWN if crossing else whole
            self.cells[cell] = self.signs[bits], ""


def pieces(cells: Iterable[Piece]) -> list[Piece]:
    """The characters of a row as pieces, each as long as it can be."""
    runs = itertools.groupby(cells, operator.itemgetter(1))
    return [("".join(text for text, _ in own), kind) for kind, own in runs]


def _channels(before: list[_Place], column: list[_Place]) -> list[_Place]:
    """The places whose operands have to come together, in the order of their verticals.

    A line must not run in the row of another: what branches off in a row does so before others come
    together there. Where no order allows that, a place gives way to another row.
    """
    # a place that gives way may come into the way of another: nothing says that this ends by itself
    for _ in range(4 * len(column)):
        joined = [place for place in column if not place.is_straight]
        order, stuck = _sorted(joined, {place.row: place for place in before})
        if stuck is None:
            return order
        _move(stuck, column, before)
    return [place for place in column if not place.is_straight]


def _sorted(
    joined: list[_Place], rows: dict[int, _Place]
) -> tuple[list[_Place], _Place | None]:
    """An order in which each vertical stands behind those that need its row; or one that is in the way."""
    behind = {place: _before(place, joined, rows) for place in joined}
    order: list[_Place] = []
    # long verticals stand to the left: fewer lines pass below them
    left = sorted(joined, key=lambda p: (min(o.row for o in p.operands) - p.row, p.row))
    while left:
        free = [place for place in left if not behind[place].difference(order)]
        if not free:
            return order, next((p for p in left if p.row in rows), left[0])
        order.append(free[0])
        left.remove(free[0])
    return order, None


def _before(
    place: _Place, joined: list[_Place], rows: dict[int, _Place]
) -> set[_Place]:
    """The places whose verticals must stand to the left of this one's.

    What stands in its row branches off before others come in there; and so does an operand past whose row
    others come to it.
    """
    own = [rows[place.row]] if place.row in rows else []
    for operand in place.operands:
        if any(
            operand.row in range(*sorted((other.row, place.row)))
            for other in place.operands
            if other.row != operand.row
        ):
            own.append(operand)
    users = {user for operand in own for user in operand.users if user is not place}
    return users.intersection(joined)


def _move(place: _Place, column: list[_Place], before: list[_Place]) -> None:
    """To the nearest row that is free in its column and at which no line arrives."""
    taken = {other.row for other in before}
    for far in range(1, 400):
        for row in (place.row + far, place.row - far):
            clear = all(
                abs(other.row - row) > bool(other.texts) + bool(place.texts)
                for other in column
                if other is not place
            )
            if clear and row not in taken:
                place.row = row
                return


class Dots(NamedTuple):
    """The dots of a character, and the character for a set of them."""

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

PLAIN = Dots(
    1, 2, lambda own: {1: "'", 2: ".", 3: ":"}[sum(1 << y for _, y in own)], ":", "o", "*", ("|", "-", "+"),
)  # fmt: skip


def plot_drawn(plot: Plot, columns: int, rows: int, plain: bool = False) -> list[list[Piece]]:  # fmt: skip
    """The lines of the drawing, so many columns wide."""
    return _Axes(plot, columns, rows, PLAIN if plain else BRAILLE).lines()


DASHES = (8, 5, 2)
"""Of eight dots along the first, the second and the third curve, so many are drawn: they differ where there is no colour."""

FARTHEST = 1e300
"""Dots from an edge to what is farthest away: with infinities no crossing could be computed."""


class _Axes:
    def __init__(self, plot: Plot, columns: int, rows: int, dots: Dots) -> None:
        self.plot, self.dots, w = plot, dots, plot.window
        self.labels = plot.heights(max(2, rows // 3))
        self.margin = max((len(text) for _, text in self.labels), default=0)
        self.columns, self.rows = max(columns - self.margin - 2, 8), rows
        # from the first dot to the last there is one step less than there are dots
        self.per_x = (self.columns * dots.across - 1) / (w.right - w.left)
        self.per_y = (rows * dots.down - 1) / (w.top - w.bottom)
        self.on: dict[tuple[int, int], set[tuple[int, int]]] = {}
        self.kind: dict[tuple[int, int], str] = {}
        self.signs: dict[tuple[int, int], Piece] = {}
        self.along = 0.0

    def place(self, x: float, y: float) -> tuple[float, float]:
        """In dots, from the left and from the top."""
        w = self.plot.window
        across, down = (x - w.left) * self.per_x, (w.top - y) * self.per_y
        return max(-FARTHEST, min(across, FARTHEST)), max(-FARTHEST, min(down, FARTHEST))  # fmt: skip

    def lines(self) -> list[list[Piece]]:
        """Everything drawn."""
        w = self.plot.window
        for i, curve in enumerate(self.plot.curves):
            for x, low, high in curve.band:
                self.line((x, low), (x, high), f"curve {i}")
            for piece in curve.pieces:
                for a, b in pairwise(piece):
                    self.line(a, b, f"curve {i}", DASHES[i % len(DASHES)])
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

    def line(self, a: Place, b: Place, kind: str, drawn: int = DASHES[0]) -> None:
        """The dots between two points, as far as they are shown."""
        (x, y), (p, q) = self.place(*a), self.place(*b)
        # only what is shown is drawn dot by dot: next to a pole, a line may be 1e300 dots long
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
        # a dot for every step along the longer side leaves no gap in a steep line
        long = max(abs(p - x), abs(q - y)) * (end - start)
        count = max(1, math.ceil(long))
        for i in range(count + 1):
            t = start + (end - start) * i / count
            if (self.along + long * i / count) % DASHES[0] < drawn:
                self.dot(round(x + (p - x) * t), round(y + (q - y) * t), kind)
        self.along += long

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
        from exprgrad.pictures.curves import EDGE, POLE

        if mark.kind == POLE:
            column = round(self.place(mark.x, 0.0)[0]) // self.dots.across
            for row in range(self.rows):
                # the curve and its marks hide the line of a pole
                if (column, row) not in self.on and 0 <= column < self.columns:
                    self.signs.setdefault((column, row), (self.dots.pole, "frame"))
        for y, filled in mark.circles if mark.kind != EDGE else ():
            self.sign(mark.x, y, self.dots.full if filled else self.dots.open, kind)

    def framed(self) -> list[list[Piece]]:
        """The rows with the numbers at the left and below."""
        upright, level, cross = self.dots.axis
        at = {min(round(self.place(0.0, y)[1]) // self.dots.down, self.rows - 1): text for y, text in self.labels}  # fmt: skip
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
            start = min(column - len(text) // 2, self.columns - len(text))
            ruler[column] = cross
            # a number that would touch the one before it is left out
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
