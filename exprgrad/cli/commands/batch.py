"""`exprgrad batch`: an expression over the rows of a table."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.cli.arguments import mapping, names, source_of, sources, table_stream
from exprgrad.cli.declared import Annotated, Literal, Option
from exprgrad.cli.options import At, Expr, File, Wrt
from exprgrad.errors import UNDEFINED, ExprgradError, UsageError

if TYPE_CHECKING:
    from exprgrad.data.batch import Fault, Plan
    from exprgrad.data.formats import Table

    Write = Callable[[Any], object]

SHOWN = 5
"""Rows with an error that are reported one by one; the output has the others."""


Data = Annotated[
    str,
    Option(
        metavar="FILE",
        help="The table: .csv, .tsv, .jsonl or .parquet, with or without .gz; - reads standard input.",
    ),
]
Output = Annotated[
    str,
    Option(metavar="FILE", help="Where to write; - is standard output."),
]
Map = Annotated[
    list[str] | None,
    Option(
        "--map",
        metavar="v=column",
        help="The column of a variable, if its name differs; may be repeated.",
    ),
]
FormatOption = Annotated[
    Literal["csv", "tsv", "jsonl", "parquet"] | None,
    Option("--format", help="The format of the data. [default: the one its name says]"),
]
Digits = Annotated[
    int | None,
    Option(min=1, max=17, help="Significant digits. [default: all]"),
]
Prefix = Annotated[
    str,
    Option(metavar="TEXT", help="Put this before the names of the new columns."),
]
Trust = Annotated[
    bool,
    Option(
        "--trust", help="Add a column `digits`: how many digits of a row are right."
    ),
]
Jobs = Annotated[int, Option(min=1, max=256, help="How many processes compute.")]
Engine = Annotated[
    Literal["local", "native", "dask"],
    Option(
        help="What computes: this machine, with bounds on errors or, native, by machine code without them; or a cluster of dask."
    ),
]
Scheduler = Annotated[
    str | None,
    Option(metavar="ADDRESS", help="With --engine dask: the scheduler of the cluster."),
]
Strict = Annotated[
    bool,
    Option(
        "--strict",
        help="Stop at the first row with an error; never read xy as x*y.",
    ),
]


def batch_command(
    expression: Expr = None,
    data: Data = "-",
    output: Output = "-",
    at: At = None,
    map_: Map = None,
    wrt: Wrt = None,
    file: File = None,
    format_: FormatOption = None,
    digits: Digits = None,
    prefix: Prefix = "",
    trust: Trust = False,
    jobs: Jobs = 1,
    engine: Engine = "local",
    scheduler: Scheduler = None,
    strict: Strict = False,
) -> int:
    """Values and partial derivatives for every row of a table, as further columns."""
    from exprgrad.cli.typed import expression_at
    from exprgrad.data.batch import plan
    from exprgrad.data.tables import opened

    if data == "-" and expression == "-":
        raise UsageError(
            "standard input cannot be the expression and the data", hint="--data FILE"
        )
    chosen = mapping(map_ or [])
    if engine == "dask":
        if strict or format_ or "-" in (data, output):
            raise UsageError(
                "--engine dask reads and writes folders, without --strict and --format",
                hint="--data FOLDER --output FOLDER",
            )
        options = {"digits": digits, "prefix": prefix, "trust": trust}
        text = source_of(expression, file)
        return _on_cluster(text, data, output, at or [], chosen, names(wrt), options, scheduler, jobs)  # fmt: skip
    if scheduler is not None:
        raise UsageError("--scheduler needs --engine dask")
    if trust and engine == "native":
        raise UsageError(
            "--engine native has no bounds for --trust", hint="leave out one of them"
        )
    with opened(data, table_stream(data), format_) as source:
        columns = source.format.names
        declared = {*chosen, *filter(str.isidentifier, columns)}
        text = source_of(expression, file)
        parsed, bindings = expression_at(text, at or [], declared, strict)
        wanted = plan(
            parsed, columns, bindings.exact, chosen, names(wrt),
            digits=digits, prefix=prefix, trust=trust, native=engine == "native",
        )  # fmt: skip
        inputs = sources(data, file, bindings)
        with _writer(source, output, inputs) as write:
            rows, count, faults = _write(wanted, source, write, strict, jobs)
    return _report(rows, count, [_located(fault).message for fault in faults])


def _on_cluster(
    text: str, data: str, output: str, at: list[str], mapping: dict[str, str],
    wrt: list[str] | None, options: dict[str, Any], scheduler: str | None, jobs: int,
) -> int:  # fmt: skip
    """Compute partitions by the workers of a cluster."""
    from exprgrad.cli.hints import remark
    from exprgrad.cli.typed import expression_at
    from exprgrad.data.partitions import (
        Work,
        cluster,
        partitions,
        refuse_used,
        run,
        split,
    )
    from exprgrad.data.tables import opened
    from exprgrad.views.rate import Rate

    parts = partitions(data)
    with opened(parts[0].path) as source:
        columns = source.format.names
    declared = {*mapping, *filter(str.isidentifier, columns)}
    parsed, bindings = expression_at(text, at, declared)
    work = Work(parsed, bindings.exact, mapping, wrt, **options)
    work.plan(columns)
    refuse_used(output)
    rows = count = 0
    first: list[str] = []
    rate = Rate()
    with cluster(scheduler, jobs) as client, rate:
        if len(parts) == 1:
            parts, reason = split(parts[0], client)
            if reason is not None:
                remark(f"{data} is not split: {reason}")
        for i, done in enumerate(run(work, parts, output, client), 1):
            rows += done.rows
            count += done.faults
            first += done.first[: SHOWN - len(first)]
            rate.update(i / len(parts), rows)
    return _report(rows, count, first)


def _write(
    plan: Plan, source: Table, write: Write, strict: bool, jobs: int
) -> tuple[int, int, list[Fault]]:
    """Write all parts; how many rows there were, how many at fault, and the first of those."""
    from exprgrad.data.batch import run
    from exprgrad.views.rate import Rate

    rows = count = 0
    first: list[Fault] = []
    rate = Rate()
    with rate:
        head = source.format.header([*plan.names, "error"])
        if head:
            write(head)
        for part in run(plan, source, jobs):
            if part.faults and strict:
                raise _located(part.faults[0])
            write(part.piece)
            rows += part.rows
            count += len(part.faults)
            first += part.faults[: SHOWN - len(first)]
            share = source.position / source.size if source.size else None
            rate.update(share, rows)
    return rows, count, first


def _writer(
    source: Table, output: str, inputs: list[Path | int]
) -> AbstractContextManager[Write]:
    """Takes pieces of the table: for standard output, or a file that appears when it is whole."""
    from exprgrad.data.tables import is_text, written
    from exprgrad.views.output import emit_data

    if output != "-":
        return written(source, Path(output), *inputs)
    if not is_text(source):
        raise UsageError(
            "Parquet is not written to a terminal or a pipe", hint="--output FILE"
        )

    def write(text: Any) -> None:
        own = text if isinstance(text, str) else str(text, "utf-8")
        emit_data(own.removesuffix("\n"))

    return nullcontext(write)


def _located(fault: Fault) -> ExprgradError:
    """The error of a row, with its place."""
    error = fault.error
    where = f"row {fault.row}"
    if fault.column is not None:
        where += f", column {fault.column}"
    error.message = f"{where}: {error.message}"
    return error


def _report(rows: int, count: int, first: list[str]) -> int:
    """Report on standard error which rows lack results."""
    from exprgrad.cli.hints import remark

    if not count:
        return 0
    remark(f"{count} of {rows} rows have an error:")
    for fault in first:
        remark(f"  {fault}")
    if count > len(first):
        remark(f"  (and {count - len(first)} more: see the column error)")
    return UNDEFINED
