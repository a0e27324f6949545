"""A layered drawing of a directed graph without cycles, after Sugiyama, Tagawa and Toda (1981).

    drawing = Layers(boxes, edges)
    drawing.width, drawing.height         # boxes have x, y, edges have points

Boxes stand in columns, those that a box uses before it. An edge that passes a column has a place of its own
there, as a box has: between columns it is a curve, within one it runs straight. So an edge never passes
under a foreign box, and a label beside the straight end of an edge is never crossed, by construction.

The steps: columns by longest paths; an order in each with few crossings; heights that are as near to those of the
neighbours as the order allows, by least squares (the pool-adjacent-violators algorithm); straight runs where there is
room for them. For the order: barycentres (each vertex at the mean place of its neighbours), swept to and fro, then
exchanges of neighbours as long as they help (Gansner, Koutsofios, North and Vo, 1993), from a few beginnings. Edges
between two columns cross where their ends stand the other way round.
"""

from __future__ import annotations

import itertools
import operator
import random
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from unicodedata import east_asian_width

from exprgrad.annotations import Any, NamedTuple

_GROUPS = {
    0.4: "il.,:;'|!()[]{} jft/-·",
    0.64: "abcdeghknopqrsuvxyz0123456789_$?*#⁰¹²³⁴⁵⁶⁷⁸⁹⁻",
    0.78: 'ABCDEFGHIJKLNOPQRSTUVXYZ"&√',
    0.86: "+−×÷=<>^~≤≥≠∂",
    1.0: "mwMW@%…",
}
_WIDTHS = {
    c: text_width for text_width, characters in _GROUPS.items() for c in characters
}
"""Upper bounds for the usual fonts without serifs (DejaVu Sans and Verdana are the widest), in em."""


def text_width(text: str, size: float) -> float:
    """Return how wide a text of that font size may get."""
    other = {"W": 1.1, "F": 1.1}
    widths = (_WIDTHS.get(c) or other.get(east_asian_width(c), 0.9) for c in text)
    return size * sum(widths)


def fitted(text: str, size: float, room: float) -> str:
    """A text, cut in the middle if it may be wider than there is room."""
    if text_width(text, size) <= room + 0.1:
        return text
    head, tail = len(text) // 2, len(text) // 2
    while head + tail > 2 and text_width(text[:head] + "…" + text[-tail:], size) > room:
        head, tail = (head - 1, tail) if head >= tail else (head, tail - 1)
    return f"{text[:head]}…{text[-tail:]}"


Row = list[Any]
"""A column: vertices with `place`, `left` and `right`, see `layers.Vertex`."""


def ordered(rows: list[Row]) -> tuple[list[Row], int]:
    """The best order that was found, and how many edges cross in it."""
    size = sum(map(len, rows))
    natural = {v: i for row in rows for i, v in enumerate(row)}
    best, saved = crossings(rows), [list(row) for row in rows]
    dice = random.Random(1)
    starts = 6 if size < 250 else 2 if size < 700 else 1
    # first the order of the formula, then its mirror image, then orders drawn at random: sweeps end at the best nearby
    for start in range(starts):
        if not best:
            break
        if start == 1:
            rows = [list(reversed(row)) for row in rows]
        elif start > 1:
            rows = [dice.sample(row, len(row)) for row in rows]
        set_places(rows)
        found, order = _improved(rows, size)
        if found < best:
            best, saved = found, order
    neighbours = [pair for row in saved for pair in itertools.pairwise(row)]
    turned = sum(natural[above] > natural[below] for above, below in neighbours)
    if 2 * turned > len(neighbours):  # as many edges cross in a mirror
        saved = [row[::-1] for row in saved]
    set_places(saved)
    return saved, best


def _improved(rows: list[Row], size: int) -> tuple[int, list[Row]]:
    """Sweeps as long as they help; the best order of them."""
    rows = [list(row) for row in rows]
    best, saved = crossings(rows), [list(row) for row in rows]
    patience = 4 if size < 2000 else 1
    idle = sweep = 0
    while best and idle <= patience and sweep < 24:
        onward = sweep % 2 == 0
        for row in rows[1:] if onward else reversed(rows[:-1]):
            _by_barycentres(row, onward)
        # an exchange compares neighbours over and over, which is too much for thousands of them
        if size < 2000:
            _exchange(rows)
        now = crossings(rows)
        idle = 0 if now < best else idle + 1
        if now < best:
            best, saved = now, [list(row) for row in rows]
        sweep += 1
    return best, saved


def set_places(rows: list[Row]) -> None:
    """Set the places of vertices in their columns."""
    for row in rows:
        for place, vertex in enumerate(row):
            vertex.place = place


def _by_barycentres(row: Row, onward: bool) -> None:
    keys = {}
    for vertex in row:
        if onward:
            near = [link.start.place for link in vertex.left]
        else:
            near = [link.stop.place for link in vertex.right]
        keys[vertex] = sum(near) / len(near) if near else vertex.place
    row.sort(key=keys.__getitem__)
    set_places([row])


def _exchange(rows: list[Row]) -> None:
    """Exchange neighbours in a column where that takes crossings away."""
    for row in rows:
        left = [sorted(link.start.place for link in v.left) for v in row]
        right = [sorted(link.stop.place for link in v.right) for v in row]
        i = 0
        while i + 1 < len(row):
            j = i + 1
            now = _inverted(left[i], left[j]) + _inverted(right[i], right[j])
            then = _inverted(left[j], left[i]) + _inverted(right[j], right[i])
            if then < now:
                for own in (row, left, right):
                    own[i], own[j] = own[j], own[i]
                i = max(i - 1, 0)
            else:
                i = j
        set_places([row])


def _inverted(above: list[int], below: list[int]) -> int:
    """Return how many pairs of edges of two neighbours cross; both lists are sorted."""
    if not above or not below or above[-1] <= below[0]:
        return 0
    count = k = 0
    for place in above:
        while k < len(below) and below[k] < place:
            k += 1
        count += k
    return count


def crossings(rows: list[Row]) -> int:
    """Return how many pairs of edges cross between the columns."""
    total = 0
    for row in rows[1:]:
        ends = sorted((v.place, link.start.place) for v in row for link in v.left)
        above: list[int] = []  # the starts of edges that end above
        for _, group in itertools.groupby(ends, operator.itemgetter(0)):
            starts = [start for _, start in group]  # edges into one vertex do not cross
            total += sum(len(above) - bisect_right(above, start) for start in starts)
            for start in starts:
                insort(above, start)
    return total


class Spacing(NamedTuple):
    """Distances.

    `pitch` lies between two ends of edges at one side of a box, where a label has room. What stays free is `apart`
    between boxes and `passing` beside an edge that passes a column, of the width `line`. Edges that leave
    as one do so `foot` above the foot of their box.
    """

    pitch: float = 18.0
    apart: float = 12.0
    passing: float = 7.0
    foot: float = 18.0
    line: float = 10.0


IN_PIXELS = Spacing()
IN_ROWS = Spacing(pitch=0.0, apart=1.0, passing=1.0, foot=1.5, line=1.0)
"""For a drawing of characters in which a box is three rows high: heights a whole number of rows apart stay so."""


MOST_SET_BACK = 30
"""Boxes of a drawing in which a source may be set back, which orders all anew for each."""


LARGE = 60
"""Boxes of a drawing up to which what it starts from stands in the first column."""


class Box:
    """A box to be placed: its size, and the room that it needs above and below itself.

    The edges leave a box that `fans` each from a place of its own; else they leave as one, which branches, near its
    foot. The layout sets `x` and `y`, its top left corner.
    """

    __slots__ = ("above", "below", "fans", "height", "ins", "outs", "width", "x", "y")

    def __init__(
        self,
        width: float,
        height: float,
        above: float = 0.0,
        below: float = 0.0,
        fans: bool = True,
    ) -> None:
        self.width, self.height = width, height
        self.above, self.below, self.fans = above, below, fans
        self.x = self.y = 0.0
        self.outs: list[Line] = []
        self.ins: list[Line] = []


class Line:
    """An edge from one box to another, with room for a text at either end.

    The layout sets `points`: the ends of its straight pieces, with a curve between every second pair.
    """

    __slots__ = ("end", "links", "points", "room_at_end", "room_at_start", "start")

    def __init__(
        self, start: Box, end: Box, room_at_start: float = 0.0, room_at_end: float = 0.0
    ) -> None:
        self.start, self.end = start, end
        self.room_at_start, self.room_at_end = room_at_start, room_at_end
        self.links: list[Link] = []
        self.points: list[tuple[float, float]] = []


class Vertex:
    """A place in a column: of a box, or where an edge passes. `height` is that of its middle."""

    __slots__ = ("above", "below", "box", "column", "gap", "height", "left", "place", "right")  # fmt: skip

    def __init__(
        self, box: Box | None, column: int, above: float, below: float, gap: float
    ) -> None:
        self.box, self.column, self.above, self.below = box, column, above, below
        self.gap = gap
        self.height, self.place = 0.0, 0
        self.left: list[Link] = []
        self.right: list[Link] = []


class Link:
    """A piece of an edge from one column to the next; `out` and `into` are its heights at either end, from the middle.

    Long edges are straightened before short ones, as Gansner and others weigh them (1993).
    """

    __slots__ = ("into", "out", "start", "stop", "weight")

    def __init__(self, start: Vertex, stop: Vertex) -> None:
        self.start, self.stop = start, stop
        self.out = self.into = 0.0
        ends = (start.box is None) + (stop.box is None)
        self.weight = (1.0, 2.0, 8.0)[ends]
        start.right.append(self)
        stop.left.append(self)

    @property
    def at_start(self) -> float:
        """The height where it begins."""
        return self.start.height + self.out

    @property
    def at_stop(self) -> float:
        """The height where it ends."""
        return self.stop.height + self.into


class Layers:
    """The drawing: sets where `boxes` and `lines` are. Boxes come before those that use them."""

    def __init__(
        self, boxes: Sequence[Box], lines: Sequence[Line], spacing: Spacing = IN_PIXELS
    ) -> None:
        self.boxes, self.lines, self.spacing = list(boxes), list(lines), spacing
        for line in lines:
            line.start.outs.append(line)
            line.end.ins.append(line)
        for box in self.boxes:
            ends = max(len(box.ins), len(box.outs) if box.fans else 0)
            box.height = max(box.height, spacing.pitch * ends)
        self.column = self._columns()
        self.vertex: dict[Box, Vertex] = {}
        self.rows, self.crossed = ordered(self._vertices())
        if self.crossed and len(self.boxes) <= MOST_SET_BACK:
            self._set_back()
        widest: dict[int, float] = {}
        for box, k in self.column.items():
            widest[k] = max(widest.get(k, 0.0), box.width)
        for box, k in self.column.items():
            box.width = widest[k]
        self._ports()
        self._heights()
        self._route()

    def _columns(self) -> dict[Box, int]:
        """By longest paths; then boxes move to the right where that shortens more than it lengthens.

        In a large drawing all move as far as they can if it becomes much smaller so: a long sum would else begin with
        all its terms in the first columns.
        """
        column: dict[Box, int] = {}
        for box in self.boxes:
            before = (column[line.start] for line in box.ins)
            column[box] = 1 + max(before, default=-1)
        late = dict(column)
        for box in reversed(self.boxes):
            if box.outs and (len(box.outs) > len(box.ins) > 0):
                column[box] = min(column[line.end] for line in box.outs) - 1
            if box.outs:
                late[box] = min(late[line.end] for line in box.outs) - 1
        if len(self.boxes) <= LARGE or 2 * self._tallest(late) > self._tallest(column):
            return column
        return late

    def _tallest(self, column: dict[Box, int]) -> int:
        """Return how many places the fullest column has, for boxes and for edges that pass."""
        # an edge that passes is noted where it comes in and where it goes out; a running sum counts those in a column
        boxes = Counter(column.values())
        change: Counter[int] = Counter()
        for box in self.boxes:
            ends = [column[line.end] for line in box.outs]
            for end in ends if box.fans else [max(ends, default=0)]:
                if end > column[box] + 1:
                    change[column[box] + 1] += 1
                    change[end] -= 1
        passing = accumulate(change[k] for k in range(1 + max(column.values())))
        return max(boxes[k] + edges for k, edges in enumerate(passing))

    def _set_back(self) -> None:
        """Begin with one source alone in a column, if then no edges cross.

        Two sources that two boxes use each are drawn so: one stands between the edges of the other.
        """
        near = self.column
        sources = [box for box in self.boxes if not near[box]]
        for first in sources if len(sources) > 1 else ():
            self.column = {box: k + (box is not first) for box, k in near.items()}
            rows, crossed = ordered(self._vertices())
            if not crossed:
                self.rows, self.crossed = rows, crossed
                return
        self.column = near
        self.rows, self.crossed = ordered(self._vertices())

    def _vertices(self) -> list[list[Vertex]]:
        """The columns in the order in which a reader of the formula meets what stands in them."""
        rows: list[list[Vertex]] = [[] for _ in range(1 + max(self.column.values()))]
        for line in self.lines:
            line.links = []
        for box in self.boxes:
            above, below = box.height / 2 + box.above, box.height / 2 + box.below
            column, apart = self.column[box], self.spacing.apart
            self.vertex[box] = Vertex(box, column, above, below, apart)
        seen: set[Box] = set()
        trunk: dict[tuple[Box, int], tuple[Vertex, Link]] = {}
        todo = [box for box in reversed(self.boxes) if not box.outs]
        while todo:
            box = todo.pop()
            if box in seen:
                continue
            seen.add(box)
            rows[self.column[box]].append(self.vertex[box])
            # those that leave as one share their pieces as far as they can
            for line in box.ins:
                at = self.vertex[line.start]
                for k in range(self.column[line.start] + 1, self.column[line.end]):
                    if not line.start.fans and (line.start, k) in trunk:
                        at, link = trunk[line.start, k]
                    else:
                        half = self.spacing.line / 2
                        passing = Vertex(None, k, half, half, self.spacing.passing)
                        rows[k].append(passing)
                        link = Link(at, passing)
                        trunk[line.start, k] = passing, link
                        at = passing
                    line.links.append(link)
                line.links.append(Link(at, self.vertex[line.end]))
            todo += [line.start for line in reversed(box.ins)]
        set_places(rows)
        return rows

    def _ports(self) -> None:
        """Find where edges meet a box: in the order of where they come from or go to."""
        for box, vertex in self.vertex.items():
            into = sorted(vertex.left, key=lambda link: link.start.place)
            for i, link in enumerate(into):
                link.into = (i - (len(into) - 1) / 2) * self.spacing.pitch
            out = sorted(vertex.right, key=lambda link: link.stop.place)
            for i, link in enumerate(out):
                fan = (i - (len(out) - 1) / 2) * self.spacing.pitch
                link.out = fan if box.fans else box.height / 2 - self.spacing.foot

    def _heights(self) -> None:
        for row in self.rows:
            at = 0.0
            for vertex in row:
                at += vertex.above
                vertex.height = at
                at += vertex.below + vertex.gap
        sweeps = 24 if len(self.boxes) < 300 else 8
        for sweep in range(sweeps):
            # from one side at a time, heights spread through the whole drawing; from both, they settle
            last = sweep >= sweeps // 2
            onward = sweep % 2 == 0
            for row in self.rows if onward else reversed(self.rows):
                _settle(row, onward or last, last or not onward)
        # each box, and each run of places of one edge, to where most of its edges are straight
        for _ in range(4):
            done: set[Vertex] = set()
            for row in self.rows:
                for vertex in row:
                    if vertex not in done:
                        run = _run(vertex)
                        done.update(run)
                        self._move(run)
        top = min(v.height - v.above for row in self.rows for v in row)
        for row in self.rows:
            for vertex in row:
                vertex.height = round(vertex.height - top, 1)

    def _move(self, run: list[Vertex]) -> None:
        """Move a box, or a run of places of one edge, to where most of its edges are straight."""
        low, high = -1e18, 1e18
        for vertex in run:
            row, place = self.rows[vertex.column], vertex.place
            if place:
                above = row[place - 1]
                low = max(low, above.height + _distance(above, vertex))
            if place + 1 < len(row):
                below = row[place + 1]
                high = min(high, below.height - _distance(vertex, below))
        if low > high:
            return
        wants = [(k.at_start - k.into, k.weight) for k in run[0].left]
        wants += [(k.at_stop - k.out, k.weight) for k in run[-1].right]
        mean = sum(vertex.height for vertex in run) / len(run)
        places = [min(max(h, low), high) for h in (mean, *(h for h, _ in wants))]

        def cost(height: float) -> float:
            # a bend has a price of its own: one edge straight and one bent is better than two that are nearly straight
            bent = sum(
                w * (min(abs(height - h), 400.0) + 6.0 * (abs(height - h) > 0.5))
                for h, w in wants
            )
            # among heights that are as good, the one that moves least
            return bent + 0.05 * abs(height - mean)

        best = min(places, key=cost)
        for vertex in run:
            vertex.height = best

    def _route(self) -> None:
        """Find where the columns stand, and the points of the edges."""
        at = 2.0
        sides: list[tuple[float, float, float, float]] = []
        for row in self.rows:
            boxes = [vertex.box for vertex in row if vertex.box is not None]
            left = max([10.0, *(i.room_at_end for box in boxes for i in box.ins)])
            right = max([10.0, *(i.room_at_start for box in boxes for i in box.outs)])
            if sides:
                pieces = [link for vertex in row for link in vertex.left]
                steep = max(abs(link.at_start - link.at_stop) for link in pieces)
                at = sides[-1][3] + max(22.0, min(26.0 + 0.11 * steep, 90.0)) + left
            wide = max((box.width for box in boxes), default=0.0)
            sides.append((at - left, at, at + wide, at + wide + right))
        self.width = sides[-1][2] + 2.0
        self.height = max(v.height + v.below for row in self.rows for v in row)
        for box, vertex in self.vertex.items():
            box.x = sides[vertex.column][1]
            box.y = vertex.height - box.height / 2
        for line in self.lines:
            points = [(line.start.x + line.start.width, line.links[0].at_start)]
            for link in line.links:
                start, stop = link.start.column, link.stop.column
                points.append((sides[start][3], link.at_start))
                points.append((sides[stop][0], link.at_stop))
                end = sides[stop][2 if link.stop.box is None else 1]
                points.append((end, link.at_stop))
            line.points = points


def _distance(above: Vertex, below: Vertex) -> float:
    """Between the middles of two neighbours in a column."""
    return above.below + max(above.gap, below.gap) + below.above


def _settle(row: list[Vertex], by_left: bool, by_right: bool) -> None:
    """Heights that are nearest to what the neighbours want, in least squares, in the given order.

    Runs that would overlap are pooled, and stand at their weighted mean.
    """
    blocks: list[list[float]] = []  # sum of weight * height, weight, number
    shifts: list[float] = []
    shift, before = 0.0, None
    for vertex in row:
        shift += 0.0 if before is None else _distance(before, vertex)
        before = vertex
        shifts.append(shift)
        total = weight = 0.0
        if by_left:
            for link in vertex.left:
                total += link.weight * (link.start.height + link.out - link.into)
                weight += link.weight
        if by_right:
            for link in vertex.right:
                total += link.weight * (link.stop.height + link.into - link.out)
                weight += link.weight
        if not weight:
            total, weight = 0.01 * vertex.height, 0.01
        # less what stands above, heights have only to rise from one vertex to the next
        blocks.append([total - weight * shift, weight, 1])
        # the means of the two, compared without a division
        while len(blocks) > 1 and (
            blocks[-2][0] * blocks[-1][1] > blocks[-1][0] * blocks[-2][1]
        ):
            last = blocks.pop()
            for i in range(3):
                blocks[-1][i] += last[i]
    place = 0
    for total, weight, number in blocks:
        for _ in range(int(number)):
            row[place].height = total / weight + shifts[place]
            place += 1


def _run(vertex: Vertex) -> list[Vertex]:
    """A box alone, or the places of one edge from column to column."""
    run = [vertex]
    while run[-1].box is None and len(run[-1].right) == 1:
        after = run[-1].right[0].stop
        if after.box is not None:
            break
        run.append(after)
    return run
