"""An order within the columns of a drawing in which few edges cross.

Barycentres (each vertex at the mean place of its neighbours), swept to and fro, then exchanges of neighbours
as long as they help (Gansner, Koutsofios, North and Vo, 1993), from a few beginnings. Edges between two columns
cross where their ends stand the other way round.
"""

from __future__ import annotations

import itertools
import operator
import random
from bisect import bisect_right, insort

from exprgrad.annotations import Any

Row = list[Any]
"""A column: vertices with `place`, `left` and `right`, see `layers.Vertex`."""


def ordered(rows: list[Row]) -> tuple[list[Row], int]:
    """The best order that was found, and how many edges cross in it."""
    size = sum(map(len, rows))
    natural = {v: i for row in rows for i, v in enumerate(row)}
    best, saved = crossings(rows), [list(row) for row in rows]
    dice = random.Random(1)
    starts = 6 if size < 250 else 2 if size < 700 else 1
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
    """How many pairs of edges of two neighbours cross; both lists are sorted."""
    if not above or not below or above[-1] <= below[0]:
        return 0
    count = k = 0
    for place in above:
        while k < len(below) and below[k] < place:
            k += 1
        count += k
    return count


def crossings(rows: list[Row]) -> int:
    """How many pairs of edges cross between the columns."""
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
