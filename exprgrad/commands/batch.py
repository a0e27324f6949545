"""`exprgrad batch`: an expression over the rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.commands import declared as row
from exprgrad.commands.declared import MOST_JOBS, mapping, names, sources, table_stream
from exprgrad.commands.hints import remark
from exprgrad.commands.typed import expression_at
from exprgrad.errors import UNDEFINED, ExprgradError, UsageError
from exprgrad.views.progress import Rate

if TYPE_CHECKING:
    from exprgrad.data.batch import Fault
    from exprgrad.data.formats import Table

    Write = Callable[[Any], object]

SHOWN = 5
"""Rows with an error that are reported one by one; the output has the others."""


class Batch(row.OnExpression):
    """Values and partial derivatives for every row of a table, as further columns."""

    operations = seconds = None  # there may be any number of rows
    example = 'exprgrad batch "a*x^2" --data points.csv --at a=2 --output results.csv'
    pages = "tables"
    outside = "it writes a table, row by row"

    data: str = row.text("The table: .csv, .tsv, .jsonl or .parquet, with or without .gz; - reads standard input.", "FILE", "-")  # fmt: skip
    output: str = row.text("Where to write; - is standard output.", "FILE", "-")
    at: list[str] = row.AT
    map: list[str] = row.texts("The column of a variable, if its name differs; may be repeated.", "v=column")  # fmt: skip
    wrt: list[str] = row.WRT
    format: str | None = row.choice("The format of the data. [default: the one its name says]", "csv tsv jsonl parquet")  # fmt: skip
    digits: int | None = row.whole("Significant digits. [default: all]", least=1, most=17)  # fmt: skip
    prefix: str = row.text("Put this before the names of the new columns.", "TEXT", "")
    trust: bool = row.flag("Add a column `digits`: how many digits of a row are right.")
    jobs: int = row.whole("How many processes compute.", 1, least=1, most=MOST_JOBS)
    engine: str = row.choice(
        "What computes: this machine, with bounds on errors or, native, by machine code without them; or a cluster of dask.",
        "local native dask",
        "local",
    )
    scheduler: str | None = row.text("With --engine dask: the scheduler of the cluster.", "ADDRESS")  # fmt: skip
    strict: bool = row.flag("Stop at the first row with an error; never read xy as x*y.")  # fmt: skip

    def main(self) -> int:
        """Evaluate every row."""
        from exprgrad.data.batch import plan, run
        from exprgrad.data.tables import kind_of, opened

        data, native = self.data, self.engine == "native"
        if data == "-" and self.expression == "-":
            told = "standard input cannot be the expression and the data"
            raise UsageError(told, hint="--data FILE")
        chosen = mapping(self.map)
        if self.engine == "dask":
            return self._on_cluster(chosen)
        if self.scheduler is not None:
            raise UsageError("--scheduler needs --engine dask")
        if self.trust and native:
            told = "--engine native has no bounds for --trust"
            raise UsageError(told, hint="leave out one of them")
        kind = kind_of(data, self.format)[0]
        with opened(data, table_stream(data), self.format) as source:
            # a pipe, and a name without an ending, take the kind of the data; a name that promises another is refused
            if kind_of(self.output, None, kind)[0] != kind:
                what = f"results are written as {kind}, as the data are, and {self.output} is named otherwise"
                raise UsageError(what, hint=f"--output {Path(self.output).stem}.{kind}")
            columns = source.format.names
            declared = {*chosen, *filter(str.isidentifier, columns)}
            text, strict = self.source(), self.strict
            parsed, bindings = expression_at(text, self.at, declared, strict)
            given = bindings.exact, chosen, names(self.wrt)
            wanted = plan(parsed, columns, *given, **self._written(), native=native)
            # an output by the name of one of these is refused: it would take the place of what it was made from
            inputs = sources(data, self.file, bindings)
            rows = count = 0
            first: list[Fault] = []
            rate = Rate()
            with _writer(source, self.output, inputs) as write, rate:
                if head := source.format.header([*wanted.names, "error"]):
                    write(head)
                for part in run(wanted, source, self.jobs):
                    # standard output has the rows before this one; a file does not appear at all
                    if part.faults and self.strict:
                        raise _located(part.faults[0])
                    write(part.piece)
                    rows += part.rows
                    count += len(part.faults)
                    first += part.faults[: SHOWN - len(first)]
                    # bytes that were read, as nobody knows the number of rows before the end
                    share = source.position / source.size if source.size else None
                    rate.update(share, rows)
        lacking = [_located(fault).message for fault in first]
        return _report(parsed.notes, rows, count, lacking)

    def _written(self) -> dict[str, Any]:
        """Return how the new columns are written."""
        return {"digits": self.digits, "prefix": self.prefix, "trust": self.trust}

    def _on_cluster(self, mapping: dict[str, str]) -> int:
        """Compute partitions by the workers of a cluster."""
        from exprgrad.data import partitions
        from exprgrad.data.tables import opened

        if self.strict or self.format or "-" in (self.data, self.output):
            what = (
                "--engine dask reads and writes folders, without --strict and --format"
            )
            raise UsageError(what, hint="--data FOLDER --output FOLDER")
        # all that may be wrong with the arguments is found before a cluster is started, which takes seconds
        text = self.source()
        parts = partitions.partitions(self.data)
        with opened(parts[0].path) as source:
            columns = source.format.names
        declared = {*mapping, *filter(str.isidentifier, columns)}
        parsed, bindings = expression_at(text, self.at, declared)
        given = bindings.exact, mapping, names(self.wrt)
        work = partitions.Work(parsed, *given, **self._written())
        # columns that are missing are an error here, not one of every partition
        work.plan(columns)
        partitions.refuse_used(self.output)
        rows = count = 0
        first: list[str] = []
        rate = Rate()
        with partitions.cluster(self.scheduler, self.jobs) as client, rate:
            if len(parts) == 1:
                parts, reason = partitions.split(parts[0])
                if reason is not None:
                    remark(f"{self.data} is not split: {reason}")
            for i, done in enumerate(partitions.run(work, parts, self.output, client), 1):  # fmt: skip
                rows += done.rows
                count += done.faults
                first += done.first[: SHOWN - len(first)]
                rate.update(i / len(parts), rows)
        return _report(parsed.notes, rows, count, first)


def _writer(
    source: Table, output: str, inputs: list[Path | int]
) -> AbstractContextManager[Write]:
    """Takes pieces of the table: for standard output, or a file that appears when it is whole."""
    from exprgrad.data.tables import is_text, written
    from exprgrad.views.output import emit_data

    if output != "-":
        return written(source, Path(output), *inputs)
    if not is_text(source):
        told = "Parquet is not written to a terminal or a pipe"
        raise UsageError(told, hint="--output FILE")

    def write(text: Any) -> None:
        own = text if isinstance(text, str) else str(text, "utf-8")
        # `emit_data` puts a line break at the end
        emit_data(own.removesuffix("\n"))

    return nullcontext(write)


def _located(fault: Fault) -> ExprgradError:
    """The error of a row, with its place."""
    error, column = fault.error, fault.column
    where = (
        f"row {fault.row}" if column is None else f"row {fault.row}, column {column}"
    )
    error.message = f"{where}: {error.message}"
    return error


def _report(notes: Sequence[str], rows: int, count: int, first: list[str]) -> int:
    """Report on standard error how the expression was read, and which rows lack results."""
    for note in notes:
        remark(f"note: {note}")
    if not count:
        return 0
    remark(f"{count} of {rows} rows have an error:")
    for fault in first:
        remark(f"  {fault}")
    if count > len(first):
        remark(f"  (and {count - len(first)} more: see the column error)")
    return UNDEFINED
