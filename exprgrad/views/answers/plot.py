"""A plot in every format: drawn with dots, or as a picture."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from exprgrad.annotations import Any, NamedTuple
from exprgrad.pictures.characters import plot_drawn
from exprgrad.pictures.curves import (
    CORNER,
    HOLE,
    JUMP,
    POINT,
    POLE,
    VERTICAL,
    described,
)
from exprgrad.pictures.plot import Plot, counts_from
from exprgrad.views import output, visible
from exprgrad.views.blocks import Block, Note, Styled, Wrapped, number

STYLES = {"curve 0": "blue", "curve 1": "green", "curve 2": "magenta", "curve 3": "cyan", "tangent": "yellow", "dot": "yellow", "frame": "dim"}  # fmt: skip
"""The colours of curves, tangents and the frame."""

WIDEST, HIGHEST = 100, 24
MOST_TOLD = 12


class PlotView(NamedTuple):
    """Curves in one variable, or contours over two."""

    plot: Plot
    notes: tuple[str, ...] = ()

    def blocks(self) -> list[Block]:
        """The drawing, with the names of the curves above and what is special about them below."""
        columns = min(output.width(), WIDEST)
        rows = max(8, min(HIGHEST, columns // 4, shutil.get_terminal_size().lines - 6))
        plain = visible.encodable("⣿○●┊", output.encoding()) != "⣿○●┊"
        curves = self.plot.curves
        lines: list[list[tuple[str, str]]] = []
        if not curves:
            lines.append([(self.plot.title, "bold")])
        for i, curve in enumerate(curves):
            sign = "── " if len(curves) > 1 else ""
            lines.append([(sign, STYLES.get(f"curve {i}", "")), (curve.name, "bold")])
        for line in plot_drawn(self.plot, columns, rows, plain):
            lines.append([(text, STYLES.get(kind, "")) for text, kind in line])
        out: list[Block] = [Styled(tuple(map(tuple, lines)), svg=self.plot.svg)]
        told = list(self._told())
        if told:
            out.append(Wrapped(tuple(told), hang=2))
        return [*out, *map(Note, (*self.notes, *self.plot.notes))]

    def _told(self) -> Iterator[str]:
        """Poles, jumps, corners and the like in words, and the slopes of tangents."""
        plot = self.plot
        counted = counts_from(plot)
        if counted:
            yield f"heights count from {counted}"
        for tangent in plot.tangents:
            yield f"tangent at {plot.across} = {number(tangent.x, 6)}: {tangent.told}"
        several = len(plot.curves) > 1
        told = [
            (f"{curve.name}: " if several else "") + described(mark, plot.across)
            for curve in plot.curves
            for mark in curve.marks
            if mark.kind in (POLE, JUMP, HOLE, POINT, CORNER, VERTICAL)
        ]
        yield from told[:MOST_TOLD]
        if len(told) > MOST_TOLD:
            yield f"(and {len(told) - MOST_TOLD} more)"
        for dot in plot.dots:
            if dot.word:
                yield f"{dot.word}: {plot.across} = {number(dot.x, 6)}"

    def as_dict(self) -> dict[str, Any]:
        """The pieces of the curves, and what is marked."""
        return {**self.plot.as_dict(), "notes": [*self.notes, *self.plot.notes]}

    def svg(self) -> list[str]:
        """The picture."""
        return self.plot.svg().splitlines()
