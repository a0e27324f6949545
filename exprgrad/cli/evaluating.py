"""What `exprgrad eval` does, apart from how its options are declared."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from exprgrad.cli.arguments import names, source_of
from exprgrad.cli.hints import ALL_ROWS, WHOLE_READING, report
from exprgrad.errors import UNDEFINED, ExprgradError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from exprgrad.data.bindings import Bindings
    from exprgrad.expressions.expression import Evaluation, Expression


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


def evaluate(
    expression: str | None,
    at: list[str] | None = None,
    *,
    wrt: list[str] | None = None,
    file: Path | None = None,
    mode: Mode = Mode.reverse,
    seed: str | None = None,
    hessian: bool = False,
    order: int | None = None,
    trace: Sweep | None = None,
    format_: Format = Format.table,
    digits: int | None = None,
    rows: int = 60,
    subgradient: bool = False,
    strict: bool = False,
) -> int:
    """Evaluate as the options say, and print; the exit code."""
    from exprgrad.data.bindings import Bindings
    from exprgrad.expressions.expression import parse

    source = source_of(expression, file)
    wanted = names(wrt)
    if any(":" in text for text in at or []):
        beside = [trace, hessian, order is not None, seed is not None]
        if any(beside) or mode is Mode.forward:
            raise UsageError(
                "a range of values goes with none of --trace, --hessian, --order, --seed, --mode",
                hint="give one point, or leave those options out",
            )
        return _grid(
            source, at or [], wanted, format_, digits or 10, rows, subgradient, strict
        )
    bindings = Bindings(at or [], "--at")
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
    if parsed.takes_arrays(bindings.values):
        if trace or hessian or order is not None:
            raise UsageError(
                "arrays go with none of --trace, --hessian, --order",
                hint="leave those options out",
            )
        return _arrays(result, format_, digits or 10)
    extras = _extras(parsed, bindings, wanted, hessian, order)
    return _show(result, extras, format_, trace.value if trace else None, digits, rows)


def _extras(
    parsed: Expression, bindings: Bindings, wanted: list[str] | None, hessian: bool, order: int | None
) -> dict[str, Any]:  # fmt: skip
    """What was asked for beside the gradient."""
    extras: dict[str, Any] = {}
    if hessian:
        extras["hessian"] = parsed.hessian(bindings.values)
    if order is not None:
        extras["derivatives"] = _orders(parsed, bindings, wanted, order)
    return extras


def _grid(
    source: str, at: list[str], wanted: list[str] | None, format_: Format,
    digits: int, most: int, subgradient: bool, strict: bool,
) -> int:  # fmt: skip
    """The values at many points."""
    from exprgrad.data.grid import Grid, rows
    from exprgrad.expressions.expression import parse
    from exprgrad.views import formats, output
    from exprgrad.views import grid as view

    grid = Grid(at, "--at")
    parsed = parse(source, {*grid.names, *(wanted or ())}, strict=strict)
    grid.check(parsed)
    found, varying = (
        rows(parsed, grid, wanted, subgradient=subgradient),
        list(grid.ranges),
    )
    if format_ is Format.json:
        output.emit(formats.to_json(view.fields(parsed, found)))
    elif format_ is Format.csv:
        partials = wanted if wanted is not None else list(parsed.variables)
        header = [*varying, "value", *(f"d_{name}" for name in partials), "error"]
        lines = view.csv_rows(varying, found, partials)
        output.emit_lines(formats.csv_lines(header, lines))
    elif format_ is Format.markdown:
        table = view.table(parsed, varying, found, digits, most, ALL_ROWS)
        output.emit_lines(formats.markdown_lines(table))
    else:
        output.show(view.blocks(parsed, varying, found, digits, most, ALL_ROWS))
    return _report_rows(list(filter(None, map(view.problem, found))), len(found))


def _report_rows(problems: list[ExprgradError], count: int) -> int:
    """Tell how many points have a problem, and show the first."""
    from exprgrad.views import output

    if not problems:
        return 0
    report(problems[0])
    if len(problems) > 1:
        output.emit_error(f"({len(problems)} of {count} rows have an error)")
    return UNDEFINED


def _orders(
    parsed: Expression, bindings: Bindings, wanted: list[str] | None, order: int
) -> list[float]:
    from exprgrad.expressions.higher_orders import derivatives

    chosen = wanted if wanted is not None else list(parsed.variables)
    if len(chosen) != 1:
        raise UsageError(
            "derivatives of higher order are by one variable", hint="choose it: --wrt x"
        )
    return derivatives(parsed, bindings.values, chosen[0], order)


def _directional(
    parsed: Expression, bindings: Bindings, seed: str, format_: Format, digits: int
) -> int:
    from exprgrad.data.bindings import Bindings as Given
    from exprgrad.expressions.higher_orders import directional
    from exprgrad.views import directional as view
    from exprgrad.views import formats, output
    from exprgrad.views.corners import corner_error

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
    from exprgrad.expressions.trace import trace as traced
    from exprgrad.views import evaluation as view
    from exprgrad.views import formats, output
    from exprgrad.views.trace import trace_blocks

    notes = [
        *result.expression.notes,
        *view.edge_notes(result),
        *view.cancellation_notes(result, trace is not None),
    ]
    if format_ is Format.table:
        blocks = view.blocks(result, digits or 10, notes, WHOLE_READING)
        blocks += view.extra_blocks(extras, digits or 10)
        if trace:
            blocks += trace_blocks(result, trace, digits or 6, rows, ALL_ROWS)
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


def _arrays(result: Any, format_: Format, digits: int) -> int:
    """Show the value and the gradient of an expression in arrays."""
    from exprgrad.views import arrays as view
    from exprgrad.views import formats, output

    if format_ is Format.json:
        output.emit(formats.to_json(view.fields(result)))
    elif format_ is Format.csv:
        lines = formats.csv_lines(
            ["name", "value", "partial"], list(view.csv_rows(result))
        )
        output.emit_lines(lines)
    elif format_ is Format.markdown:
        output.emit_lines(formats.markdown_lines(view.table(result, digits)))
    else:
        output.show(view.blocks(result, digits))
    return 0


def _report_corners(result: Evaluation) -> int:
    from exprgrad.views import output
    from exprgrad.views.corners import corner_error

    missing = [c for c in result.corners if result.gradient[c.variable] is None]
    for corner in missing[:5]:
        at = result.at[corner.variable]
        report(corner_error(corner, result.expression.source, at, result.subgradient))
    if len(missing) > 5:
        output.emit_error(f"(and {len(missing) - 5} more variables)")
    return UNDEFINED if missing else 0
