"""The paths that carry a gradient, the largest first, and what blocks it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from exprgrad.expressions.expression import Evaluation
from exprgrad.expressions.fields import sentence, shown
from exprgrad.expressions.trace import Why
from exprgrad.views.answers.trace import added
from exprgrad.views.blocks import Block, Column, Note, Table, Wrapped, number

MOST_NODES = 6
"""Nodes of a path that are named at either end."""


def paths_blocks(evaluation: Evaluation, found: Why, digits: int) -> list[Block]:
    """A row per path, what the nodes are, and what blocks the gradient elsewhere."""
    name = found.variable
    partial = shown(evaluation, name, digits)
    slope = sentence(f"∂/∂{name}", partial)
    out: list[Block] = []
    if not found.paths:
        out.append(Wrapped((f"{slope}: no path carries a gradient to {name}",)))
    elif found.paths[0].partials:
        columns = [
            Column("contribution", number=True, style="bold"),
            Column("partials", spare=1),
            Column("path", wraps=True),
        ]
        rows = []
        for path in found.paths:
            texts = (number(x, digits) for x in path.partials)
            partials = [f"({t})" if t[0] == "-" else t for t in texts]
            ways = " × ".join(_ends(partials)), " → ".join(_ends(path.nodes))
            rows.append((number(path.product, digits), *ways))
        order = ", the largest first" if len(rows) > 1 else ""
        title = f"{slope}: {_counted(found.number)}{order}"
        out.append(Table(title, columns, rows, _sum(found, digits)))
        named = {node for path in found.paths for node in _ends(path.nodes)}
        legend = (f"{n} = {f}" for n, f in found.formulas.items() if n in named)
        out.append(Wrapped(tuple(legend)))
    notes = [f"blocked: {text}" for text in found.blocks]
    if found.more_blocks:
        notes.append(f"blocked at {found.more_blocks} more places")
    own = evaluation.gradient[name]
    if own is not None and abs(own - found.total) > 1e-6 * abs(own):
        where = "" if name in evaluation.cornered else ", in double precision,"
        notes.append(f"the paths alone{where} give {number(found.total, digits)}")
    return [*out, *map(Note, notes)]


def _ends(texts: Sequence[str]) -> Sequence[str]:
    """A long list without its middle."""
    if len(texts) <= 2 * MOST_NODES:
        return texts
    return [*texts[:MOST_NODES], "…", *texts[-MOST_NODES:]]


def _counted(paths: int) -> str:
    """So many paths."""
    if paths >= 10**15:
        return f"about 10^{math.log10(paths):.0f} paths"
    return "1 path" if paths == 1 else f"{paths:,} paths"


def _sum(found: Why, digits: int) -> str:
    """The paths added up, with what those left out amount to."""
    terms = [number(path.product, digits) for path in found.paths]
    others = found.number - len(found.paths)
    if others:
        rest = number(found.rest, digits)
        return f"{_counted(others)} more: {rest}; in all {number(found.total, digits)}"
    if len(terms) == 1:
        return ""
    return f"{added(terms)} = {number(found.total, digits)}"
