"""Plots on axes of Matplotlib, which is wanted for PNG only; it is not imported before."""

from __future__ import annotations

import io
import math

from exprgrad.annotations import Any
from exprgrad.errors import UsageError, installing
from exprgrad.pictures.plot_data import EDGE, POLE, Curve, PlotData, exact_text


def draw(plot: PlotData, ax: Any) -> Any:
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
            ax.plot(
                [x for x, _ in contour],
                [y for _, y in contour],
                color="C0",
                linewidth=1,
            )
        arrows = plot.field.arrows
        ax.quiver(
            *([arrow[i] for arrow in arrows] for i in range(4)), color="C1", angles="xy"
        )
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


def png(plot: PlotData) -> bytes:
    """The picture as a PNG, drawn without a screen and without a change of Matplotlib's settings."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("a PNG needs Matplotlib", hint=installing("plots")) from None
    figure = Figure(figsize=(6.8, 4.5), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    ax = draw(plot, figure.add_subplot())
    ax.grid(alpha=0.3)
    if len(plot.curves) > 1:
        ax.legend()
    else:
        ax.set_title(plot.title)
    out = io.BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()
