"""`exprgrad eval`: the value of an expression and its partial derivatives at a point."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from exprgrad.cli.arguments import names, source_of
from exprgrad.errors import UNDEFINED


class Format(StrEnum):
    """How results are written."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"


class Sweep(StrEnum):
    """Which sweeps `--trace` shows."""

    both = "both"
    forward = "forward"
    reverse = "reverse"


def evaluate_command(
    expression: Annotated[
        str | None,
        typer.Argument(metavar="EXPR", help="The expression; - reads standard input."),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="a=2,b=pi/4", help="Values of the variables; may be repeated."
        ),
    ] = None,
    wrt: Annotated[
        list[str] | None,
        typer.Option(metavar="a,b", help="Differentiate by these variables only."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Read the expression from a file."),
    ] = None,
    trace: Annotated[
        Sweep | None,
        typer.Option(
            metavar="[forward|reverse]",
            help="Show the sweeps step by step; alone: both.",
        ),
    ] = None,
    format_: Annotated[
        Format, typer.Option("--format", help="How to write the results.")
    ] = Format.table,
    digits: Annotated[
        int | None,
        typer.Option(
            min=1, max=17, help="Significant digits in tables. [default: 10, traces 6]"
        ),
    ] = None,
    rows: Annotated[
        int, typer.Option(min=0, help="Rows of a trace at most; 0 for all.")
    ] = 60,
    subgradient: Annotated[
        bool,
        typer.Option("--subgradient", help="At a corner, take PyTorch's convention."),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Never read xy as x*y.")
    ] = False,
) -> int:
    """The value of an expression and every partial derivative at a point."""
    from exprgrad.bindings import Bindings
    from exprgrad.expression import parse

    source = source_of(expression, file)
    bindings = Bindings(at or [])
    wanted = names(wrt)
    parsed = parse(source, {*bindings.values, *(wanted or ())}, strict=strict)
    bindings.check(parsed)
    result = parsed.evaluate(bindings.values, wanted, subgradient=subgradient)
    return _show(result, format_, trace.value if trace else None, digits, rows)


def _show(
    result: object, format_: Format, trace: str | None, digits: int | None, rows: int
) -> int:
    from exprgrad.expression import Evaluation
    from exprgrad.trace import trace as traced
    from exprgrad.views import evaluation as view
    from exprgrad.views import formats, output
    from exprgrad.views.diagnostic import report

    assert isinstance(result, Evaluation)
    notes = [*result.expression.notes, *_edges(result)]
    if format_ is Format.table:
        blocks = view.blocks(result, digits or 10, notes)
        if trace:
            blocks += view.trace_blocks(result, trace, digits or 6, rows)
        output.show(blocks)
    elif format_ is Format.json:
        output.emit(
            formats.to_json(
                view.fields(result, notes, traced(result) if trace else None)
            )
        )
    elif format_ is Format.csv:
        output.emit_lines(
            formats.csv_lines(["name", "value", "partial"], _rows(result))
        )
    else:
        output.emit_lines(_markdown(result, digits or 10))
    missing = [c for c in result.corners if result.gradient[c.variable] is None]
    for corner in missing[:5]:
        report(
            view.corner_error(
                corner, result.expression.source, result.at[corner.variable]
            )
        )
    if len(missing) > 5:
        output.emit_error(f"(and {len(missing) - 5} more variables)")
    return UNDEFINED if missing else 0


def _edges(result: object) -> Iterator[str]:
    """A note for every partial that was taken from one side, where the other is not defined."""
    from exprgrad.expression import Evaluation

    assert isinstance(result, Evaluation)
    for corner in result.corners:
        if corner.kind == "edge" and result.gradient[corner.variable] is not None:
            side = "left" if corner.right is None else "right"
            yield f"∂/∂{corner.variable} is the slope from the {side}; the other side is not defined"


def _rows(result: object) -> list[list[str | float | None]]:
    from exprgrad.expression import Evaluation

    assert isinstance(result, Evaluation)
    rows: list[list[str | float | None]] = [["result", result.value, None]]
    return rows + [
        [name, result.at[name], partial] for name, partial in result.gradient.items()
    ]


def _markdown(result: object, digits: int) -> Iterator[str]:
    from exprgrad.expression import Evaluation
    from exprgrad.views.blocks import number
    from exprgrad.views.evaluation import gradient_table
    from exprgrad.views.formats import markdown_lines

    assert isinstance(result, Evaluation)
    yield f"`{result.expression.title}` = {number(result.value, digits)}"
    if result.gradient:
        yield ""
        yield from markdown_lines(gradient_table(result, digits))
