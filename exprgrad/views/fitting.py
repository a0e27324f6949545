"""A fit as people see it: the parameters with their uncertainty, how well they do, correlations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exprgrad.fitting.model import Fit
from exprgrad.views.blocks import Block, Column, Heading, Note, Table, number
from exprgrad.views.formats import csv_lines

MOST_CORRELATED = 8
"""Parameters whose correlations are shown as a table."""


def blocks(found: Fit, digits: int) -> list[Block]:
    """The model, its parameters, how far the data are from it, and correlations."""
    out: list[Block] = [Heading(" ".join(found.model.text.split()))]
    out.append(_parameters(found, digits))
    out += [Note(text) for text in notes(found, digits)]
    if 1 < len(found.correlations) <= MOST_CORRELATED:
        out.append(_correlations(found))
    return out


def notes(found: Fit, digits: int) -> list[str]:
    """What is to be said besides the parameters."""
    text = f"{found.points} points, residual sum of squares {number(found.rss, digits)}"
    if found.deviation is not None:
        text += f", deviation {number(found.deviation, digits)} ({found.degrees} degrees of freedom)"
    lines = [text]
    if found.loss is not None:
        lines.append(f"mean loss {number(found.loss, digits)}")
    return [*lines, found.message]


def _parameters(found: Fit, digits: int) -> Table:
    columns = [
        Column("parameter", style="cyan"),
        Column("value", number=True, style="bold green"),
        Column("standard error", number=True),
    ]
    rows = [
        (
            name,
            number(parameter.value, digits),
            "none" if parameter.stderr is None else number(parameter.stderr, 4),
        )
        for name, parameter in found.parameters.items()
    ]
    return Table("", columns, rows)


def _correlations(found: Fit) -> Table:
    names = list(found.correlations)
    columns = [Column("", style="cyan"), *(Column(name, number=True) for name in names)]
    rows = [
        (name, *(f"{x:.3f}" for x in row.values()))
        for name, row in found.correlations.items()
    ]
    return Table("correlations", columns, rows)


def fields(found: Fit) -> dict[str, Any]:
    """The fields of JSON output."""
    return {
        "model": found.model.text,
        "method": found.method,
        "parameters": {n: p._asdict() for n, p in found.parameters.items()},
        "correlations": found.correlations,
        "rss": found.rss,
        "loss": found.loss,
        "points": found.points,
        "deviation": found.deviation,
        "steps": found.steps,
        "converged": found.converged,
        "message": found.message,
        "at_bound": list(found.at_bound),
    }


def prediction_lines(found: Fit) -> Iterator[str]:
    """The columns of the model with predictions and residuals, as comma-separated values."""
    own = [found.model.columns[name] for name in found.model.used]
    header = [*found.model.used, "prediction", "residual"]
    columns = [*own, found.predictions, found.residuals]
    yield from csv_lines(header, zip(*columns, strict=True))
