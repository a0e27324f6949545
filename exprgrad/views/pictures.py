"""Graphs and plots in every format: drawn with characters or dots, or as pictures."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator, Mapping
from functools import partial

from exprgrad.annotations import Any, NamedTuple
from exprgrad.expressions.expression import Evaluation
from exprgrad.expressions.fields import shown
from exprgrad.language.notes import shorten
from exprgrad.notation.numbers import number
from exprgrad.pictures.characters import graph_drawn, plot_drawn
from exprgrad.pictures.graph import meeting, written
from exprgrad.views import blocks as doc
from exprgrad.views import output, visible
from exprgrad.views.formats import document
from exprgrad.views.layout import width_of
from exprgrad.views.trace import added

GRAPH_STYLES = {"value": "blue", "adjoint": "yellow", "name": "dim", "grey": "dim", "symbol": "bold"}  # fmt: skip
"""The colours of what stands in a drawing."""

MOST_DRAWN = 60
"""Nodes of a graph that is drawn; of a larger one there is a list."""

DIGITS = 6


class Pictured(NamedTuple):
    """A picture with what is said about it; its formats are those of the picture."""

    picture: Any
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Its numbers, in full precision."""
        notes = [*self.notes, *getattr(self.picture, "notes", ())]
        return {**self.picture.as_dict(), "notes": notes}

    def _repr_svg_(self) -> str:
        return str(self.picture.svg())

    def __repr__(self) -> str:
        view: Any = self
        return "\n".join(document(view.blocks(), "plain"))


def _styled(
    lines: Any, styles: Mapping[str, str]
) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The lines of a drawing with the styles of its pieces."""
    return tuple(
        tuple((text, styles.get(kind, "")) for text, kind in line) for line in lines
    )


class GraphView(Pictured):
    """The graph of an expression."""

    def blocks(self) -> list[doc.Block]:
        """The drawing where there is room for it, else a list of the nodes; then the edges."""
        graph = self.picture
        out: list[doc.Block] = [doc.Heading(self._title()), *map(doc.Note, self.notes)]
        lines, why = [], "the drawing is large"
        if len(graph.nodes) <= MOST_DRAWN:
            encodable = partial(visible.encodable, encoding=output.encoding())
            # either all signs of the drawing are its own or all are ASCII: rounded corners among + and - look broken
            lines = graph_drawn(graph, encodable, plain=encodable("▶╭") != "▶╭")
            wide = max(sum(width_of(text) for text, _ in line) for line in lines)
            why = f"the drawing is {wide} columns wide"
        if lines and wide <= output.width():
            out.append(doc.Styled(_styled(lines, GRAPH_STYLES), svg=graph.svg))
        else:
            out += [doc.Note(f"{why}: this is a list of its nodes"), self._table()]
        out += [doc.Wrapped((text,), hang=2) for text in self._edges()]
        if graph.hidden:
            out.append(doc.Note(graph.folding()))
        return out

    def _title(self) -> str:
        graph = self.picture
        point = ", ".join(f"{k} = {number(v, DIGITS)}" for k, v in graph.at.items())
        title = shorten(graph.title, 60) + (f" at {point}" if point else "")
        if any(node.adjoint is not None for node in graph.nodes):
            return f"{title}: values above, adjoints below"
        return f"{title}: values above" if point else title

    def _table(self) -> doc.Table:
        head = "node: cyan | formula | value: number blue | adjoint: number yellow"
        rows = []
        for node in self.picture.nodes:
            formula = node.formula if node.formula != node.name else ""
            adjoint = written(node.adjoint) if node.reached else "no gradient"
            rows.append((node.name, formula, written(node.value), adjoint))
        return doc.Table("", doc.columns(head), rows)

    def _edges(self) -> Iterator[str]:
        """The local partials, and the sums of contributions that meet."""
        edges = [edge for edge in self.picture.edges if edge.contribution is not None]
        if not edges or len(edges) > MOST_DRAWN:
            return
        known = (edge for edge in edges if edge.partial is not None)
        told = (f"∂{e.node}/∂{e.operand} = {number(e.partial, DIGITS)}" for e in known)
        yield f"local partials: {', '.join(told)}"
        adjoints = {node.name: written(node.adjoint) for node in self.picture.nodes}
        for name, own in meeting(self.picture).items():
            if own[1:]:
                parts = [f"{written(e.contribution)} (from {e.node})" for e in own]
                missing = any(e.operand == name and e.reached and e.contribution is None for e in self.picture.edges)  # fmt: skip
                yield f"adjoint of {name}{' so far' * missing} = {added(parts)} = {adjoints[name]}"


def in_doubles(evaluation: Evaluation | None) -> list[str]:
    """A note for every number of a picture that double precision, which it shows, gets wrong."""
    if evaluation is None:
        return []
    told = {"": "the value"} | {name: f"∂/∂{name}" for name in evaluation.gradient}
    notes = []
    for name, alone in evaluation.cancelled.items():
        is_right = number(alone, DIGITS) == shown(evaluation, name, DIGITS)
        # at a corner there is no number that doubles could get wrong
        if not is_right and name not in evaluation.cornered:
            known = f"{told[name]} is {shown(evaluation, name, 10)}"
            notes.append(f"the graph shows double precision: {known}")
    return notes


STYLES = {"curve 0": "blue", "curve 1": "green", "curve 2": "magenta", "curve 3": "cyan", "tangent": "yellow", "dot": "yellow", "frame": "dim"}  # fmt: skip
"""The colours of curves, tangents and the frame."""

DRAWN = ("", "dashed", "dotted")
"""How the first curve, the second and the third are drawn, which tells them apart without colours."""

WIDEST, HIGHEST = 100, 24
MOST_TOLD = 12


class NetworkView(Pictured):
    """The layers of a network: a row for every unit."""

    def blocks(self) -> list[doc.Block]:
        """The value of each unit, and the weights from the layer before."""
        found, rows = self.picture, []
        for k, values in enumerate(found.units):
            for i, value in enumerate(values):
                weights = [written(own[i]) for own in found.weights[k - 1]] if k else []  # fmt: skip
                rows.append((found.name(k, i), written(value), ", ".join(weights)))
        head = doc.columns("unit: cyan | value: number blue | weights: wraps")
        return [doc.Table("", head, rows)]


class PlotView(Pictured):
    """Curves in one variable, or contours over two."""

    def blocks(self) -> list[doc.Block]:
        """The drawing, with the names of the curves above and what is special about them below."""
        width = min(output.width(), WIDEST)
        # a character is about twice as high as it is wide: a quarter as many rows as columns make a picture twice as wide
        # as it is high; six lines of the screen are for titles and what is told below
        rows = max(8, min(HIGHEST, width // 4, shutil.get_terminal_size().lines - 6))
        plain = visible.encodable("⣿○●┊", output.encoding()) != "⣿○●┊"
        curves = self.picture.curves
        lines: list[list[tuple[str, str]]] = []
        if self.picture.heading:
            lines.append([(self.picture.heading, "bold")])
        for i, curve in enumerate(curves):
            sign = "── " if len(curves) > 1 else ""
            lines.append([(sign, STYLES.get(f"curve {i}", "")), (curve.name, "bold")])
        drawn = plot_drawn(self.picture, width, rows, plain)
        whole = (*map(tuple, lines), *_styled(drawn, STYLES))
        out: list[doc.Block] = [doc.Styled(whole, svg=self.picture.svg)]
        if told := tuple(self._told()):
            out.append(doc.Wrapped(told, hang=2))
        return [*out, *map(doc.Note, (*self.notes, *self.picture.notes))]

    def _told(self) -> Iterator[str]:
        """Poles, jumps, corners and the like in words, and the slopes of tangents."""
        plot = self.picture
        if counted := plot.counts_from:
            yield f"heights count from {counted}"
        for tangent in plot.tangents:
            yield f"tangent at {plot.across} = {number(tangent.x, 6)}: {tangent.told}"
        several = len(plot.curves) > 1
        for curve, drawn in zip(plot.curves, itertools.cycle(DRAWN)):
            if drawn:
                yield f"{drawn}: {curve.name}"
        told = list[str]()
        for curve in plot.curves:
            own = f"{curve.name}: " if several else ""
            told += (f"{own}{text}" for text in curve.told(plot.across))
        yield from told[:MOST_TOLD]
        if len(told) > MOST_TOLD:
            yield f"(and {len(told) - MOST_TOLD} more)"
        for dot in plot.dots:
            if dot.word:
                yield f"{dot.word}: {plot.across} = {number(dot.x, 6)}"
                if plot.field:
                    yield f"{dot.word}: {plot.up} = {number(dot.y, 6)}"
        if plot.field and plot.field.lines:
            heights = (number(height, 4) for height in dict.fromkeys(plot.field.of))
            yield f"contours at {', '.join(heights)}"
