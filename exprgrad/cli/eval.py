"""`exprgrad eval`: the value of an expression and its partial derivatives at a point."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exprgrad.cli.arguments import names, source_of
from exprgrad.cli.options import At, Expr, File, Strict
from exprgrad.errors import UNDEFINED, UsageError

if TYPE_CHECKING:
    from exprgrad.bindings import Bindings
    from exprgrad.expression import Evaluation, Expression


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


class Mode(StrEnum):
    """Which way derivatives are swept."""

    reverse = "reverse"
    forward = "forward"


def evaluate_command(
    expression: Expr = None,
    at: At = None,
    wrt: Annotated[
        list[str] | None,
        typer.Option(metavar="a,b", help="Differentiate by these variables only."),
    ] = None,
    file: File = None,
    mode: Annotated[
        Mode, typer.Option(help="Sweep adjoints back, or tangents forward.")
    ] = Mode.reverse,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="a=1,b=-2", help="The derivative along this direction instead."
        ),
    ] = None,
    hessian: Annotated[
        bool,
        typer.Option(
            "--hessian", help="Also the matrix of second partial derivatives."
        ),
    ] = False,
    order: Annotated[
        int | None,
        typer.Option(
            min=1, max=60, help="Derivatives up to this order by the one variable."
        ),
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
    strict: Strict = False,
) -> int:
    """The value of an expression and every partial derivative at a point."""
    from exprgrad.bindings import Bindings
    from exprgrad.expression import parse

    source = source_of(expression, file)
    bindings = Bindings(at or [])
    wanted = names(wrt)
    parsed = parse(source, {*bindings.values, *(wanted or ())}, strict=strict)
    bindings.check(parsed)
    if trace and format_ in (Format.csv, Format.markdown):
        raise UsageError(
            f"a trace is not written as {format_}", hint="--format table or json"
        )
    if seed is not None:
        return _directional(parsed, bindings, seed, format_, digits or 10)
    result = parsed.evaluate(
        bindings.values, wanted, mode=mode.value, subgradient=subgradient
    )
    extras: dict[str, Any] = {}
    if hessian:
        extras["hessian"] = parsed.hessian(bindings.values)
    if order is not None:
        extras["derivatives"] = _orders(parsed, bindings, wanted, order)
    return _show(result, extras, format_, trace.value if trace else None, digits, rows)


def _orders(
    parsed: Expression, bindings: Bindings, wanted: list[str] | None, order: int
) -> list[float]:
    from exprgrad.orders import derivatives

    chosen = wanted if wanted is not None else list(parsed.variables)
    if len(chosen) != 1:
        raise UsageError(
            "derivatives of higher order are by one variable", hint="choose it: --wrt x"
        )
    return derivatives(parsed, bindings.values, chosen[0], order)


def _directional(
    parsed: Expression, bindings: Bindings, seed: str, format_: Format, digits: int
) -> int:
    from exprgrad.bindings import Bindings as Given
    from exprgrad.orders import directional
    from exprgrad.views import directional as view
    from exprgrad.views import formats, output
    from exprgrad.views.diagnostic import report
    from exprgrad.views.evaluation import corner_error

    direction = Given([seed], "--seed")
    direction.check(parsed)
    found = directional(parsed, bindings.values, direction.values)
    if format_ is Format.json:
        output.emit(formats.to_json(view.fields(found)))
    else:
        output.show(view.blocks(found, digits))
    if found.derivative is None and found.corner is not None:
        report(corner_error(found.corner, parsed.source, None))
        return UNDEFINED
    return 0


def _show(
    result: Evaluation,
    extras: dict[str, Any],
    format_: Format,
    trace: str | None,
    digits: int | None,
    rows: int,
) -> int:
    from exprgrad.trace import trace as traced
    from exprgrad.views import evaluation as view
    from exprgrad.views import formats, output

    notes = [
        *result.expression.notes,
        *view.edge_notes(result),
        *view.cancellation_notes(result, trace is not None),
    ]
    if format_ is Format.table:
        blocks = view.blocks(result, digits or 10, notes)
        blocks += view.extra_blocks(extras, digits or 10)
        if trace:
            blocks += view.trace_blocks(result, trace, digits or 6, rows)
        output.show(blocks)
    elif format_ is Format.json:
        fields = view.fields(result, notes, traced(result) if trace else None)
        output.emit(formats.to_json(fields | extras))
    elif format_ is Format.csv:
        output.emit_lines(
            formats.csv_lines(["name", "value", "partial"], view.csv_rows(result))
        )
    else:
        output.emit_lines(view.markdown(result, digits or 10))
    return _report_corners(result)


def _report_corners(result: Evaluation) -> int:
    from exprgrad.views import output
    from exprgrad.views.diagnostic import report
    from exprgrad.views.evaluation import corner_error, missing

    corners = missing(result)
    for corner in corners[:5]:
        at = result.at[corner.variable]
        report(corner_error(corner, result.expression.source, at, result.subgradient))
    if len(corners) > 5:
        output.emit_error(f"(and {len(corners) - 5} more variables)")
    return UNDEFINED if corners else 0
