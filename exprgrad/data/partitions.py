"""A table in many files, computed by the workers of a cluster: batches past one machine.

    with cluster(None, 4) as client:
        for done in run(Job(expression, options), partitions("data"), "out", client): ...

A partition is a file, or a row group of the only Parquet file there is, or a part of the only CSV file (`split`). Each
becomes a file of its own in the output folder, in one step when it is whole; a file named `_SUCCESS` comes last. What a
worker had not delivered when it was lost is computed again by another. Folders have to be where all workers can reach
them.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from exprgrad.annotations import Any, NamedTuple
from exprgrad.data import batch, unfinished
from exprgrad.data.files import reason
from exprgrad.data.formats import Chunk
from exprgrad.data.tables import FORMATS, Records, TextTable, opened, written
from exprgrad.errors import ExprgradError, UsageError, needing
from exprgrad.expressions.expression import Expression

SUCCESS = "_SUCCESS"
"""The name of the empty file that stands beside partitions when they are all there."""

_CRITICAL = 50
"""Of what dask logs, nothing less reaches standard error."""

REPORTED = 5
"""Rows with an error that a partition reports one by one."""


SPLIT = 1 << 25
"""Bytes of a part of a CSV file: it takes a worker half a second and more, beside which its overhead is nothing."""


class Partition(NamedTuple):
    """A file, one of its row groups, or the rows in a range of its bytes; and the name of its part in the output.

    A range has where it begins and ends, and the number of its first row.
    """

    path: str
    name: str
    group: int | None = None
    rows: tuple[int, int, int] | None = None


class Done(NamedTuple):
    """The outcome of a partition: its rows, how many have an error, and the first of these."""

    rows: int
    faults: int
    first: list[str]


class Work:
    """The work to be done: small, for it is sent to the workers with every partition.

    A call computes an Arrow record batch, or a table: `work(batch)` is the batch with further columns. That is what
    Ray's `map_batches`, Polars and DuckDB want; `each` is for Spark's `mapInArrow`.
    """

    def __init__(
        self,
        expression: Expression,
        constants: Mapping[str, Any] | None = None,
        mapping: Mapping[str, str] | None = None,
        wrt: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        self.expression = expression
        self.constants, self.mapping = dict(constants or {}), dict(mapping or {})
        self.wrt, self.options = wrt, options

    def plan(self, columns: Sequence[str]) -> batch.Plan:
        """Return what is computed from these columns. Raises `ExprgradError` where one is missing."""
        return batch.plan(
            self.expression, columns, self.constants, self.mapping, self.wrt, **self.options
        )  # fmt: skip

    def __call__(self, rows: Any) -> Any:
        """The record batch, or the table, with its results."""
        import pyarrow

        if isinstance(rows, pyarrow.Table):
            batches = rows.to_batches()
            none = pyarrow.RecordBatch.from_pylist([], schema=rows.schema)
            return pyarrow.Table.from_batches(map(self, batches or [none]))
        form = Records(list(rows.schema.names))
        return batch.computed(self.plan(form.names), form, Chunk(1, rows)).piece

    def each(self, parts: Iterator[Any]) -> Iterator[Any]:
        """Record batches, one after the other."""
        return map(self, parts)


def partitions(path: str) -> list[Partition]:
    """The tables in a folder, or the row groups of a Parquet file. Raises `UsageError` if there are none."""
    if os.path.isdir(path):
        # In an order that does not depend on the file system.
        found = sorted(_files(path))
        if not found:
            what = f"{path} has no tables"
            raise UsageError(what, hint="name them .csv, .parquet or .jsonl")
        return [Partition(os.path.join(path, name), name) for name in found]
    name = os.path.basename(path)
    if not name.endswith(".parquet"):
        return [Partition(path, name)]
    with opened(path) as source:
        groups = getattr(source, "groups", 1)
    stem = name.removesuffix(".parquet")
    return [
        Partition(path, f"{stem}-{i:05}.parquet" if groups > 1 else name, i)
        for i in range(groups)
    ]


def _files(folder: str) -> Iterator[str]:
    """The names of tables in a folder and below it; hidden ones are none."""
    for place, folders, names in os.walk(folder):
        # In place: `os.walk` goes into the folders that are left in the list.
        folders[:] = [f for f in folders if f[0] not in "._"]
        for name in names:
            ending = os.path.splitext(name.removesuffix(".gz"))[1].lower()
            if name[0] not in "._" and ending in FORMATS:
                yield os.path.relpath(os.path.join(place, name), folder)


def split(part: Partition) -> tuple[list[Partition], str | None]:
    """A CSV file in parts that begin with a row each; or as it is, perhaps with the reason."""
    with opened(part.path) as source:
        begin, end = getattr(source, "begin", None), source.size
        if begin is None or end is None or end - begin < 2 * SPLIT:
            return [part], None
        delimiter = source.format.delimiter  # type: ignore[attr-defined] # of a CSV file
    from exprgrad.data.byte_ranges import NotCut, whole_rows

    try:
        ranges = whole_rows(part.path, begin, end, delimiter, SPLIT)
    except NotCut as error:
        return [part], error.message
    stem, ending = os.path.splitext(part.name)
    return [
        Partition(part.path, f"{stem}-{i:05}{ending}", rows=own)
        for i, own in enumerate(ranges)
    ], None


def run(
    work: Work, parts: Sequence[Partition], folder: str, client: Any
) -> Iterator[Done]:
    """Have the partitions computed by the workers of a cluster, and mark the folder when they are all there.

    Raises the `ExprgradError` of a partition that cannot be computed.
    """
    from distributed import as_completed

    refuse_used(folder)
    try:
        for part in parts:
            os.makedirs(os.path.dirname(os.path.join(folder, part.name)), exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from None
    # sent with every partition: data that is scattered is lost with the worker that holds it; and not pure, since dask
    # would give the result of an earlier call that was equal, whose files may be gone
    futures = [
        client.submit(computed, work, part, folder, pure=False) for part in parts
    ]
    unfinished.begin(client, partial(_abandon, client, folder))
    try:
        for future in as_completed(futures):
            try:
                found = future.result()
            except ExprgradError:
                raise
            except Exception as error:
                raise UsageError(f"the cluster failed: {error}") from None
            yield found
            future.release()
    finally:
        unfinished.end(client)
        client.cancel(futures)
    _clear(folder)
    with open(os.path.join(folder, SUCCESS), "w", encoding="utf-8"):
        pass


def refuse_used(folder: str) -> None:
    """Raise `UsageError` if there is something in the folder for the output already, or if it cannot be looked into."""
    try:
        used = os.path.lexists(folder) and os.listdir(folder)
    except OSError as error:
        raise _unwritable(folder, error) from None
    if used:
        what = f"{folder} is not empty"
        raise UsageError(what, hint="name a new folder for the output")


def _unwritable(folder: str, error: OSError) -> UsageError:
    return UsageError(f"cannot write to {folder}: {reason(error)}")


def _abandon(client: Any, folder: str) -> None:
    """End the workers on this machine at once, and remove what they were writing."""
    here = getattr(getattr(client, "cluster", None), "workers", {})
    for worker in here.values():
        with suppress(OSError, TypeError):
            os.kill(worker.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    _clear(folder)


def _clear(folder: str) -> None:
    """Remove what lost workers have left behind."""
    for place, _, names in os.walk(folder):
        for name in names:
            if name.startswith(".") and name.endswith(".part"):
                with suppress(OSError):
                    os.unlink(os.path.join(place, name))


def computed(work: Work, part: Partition, folder: str) -> Done:
    """Compute a partition, and write it: what a worker does."""
    from pathlib import Path

    rows = count = 0
    first: list[str] = []
    name = part.name if part.rows is None else os.path.basename(part.path)
    with opened(part.path) as source:
        if part.group is not None:
            source.group = part.group  # type: ignore[attr-defined] # of a Parquet file
        if part.rows is not None and isinstance(source, TextTable):
            source.restrict(*part.rows)
        plan = work.plan(source.format.names)
        target = Path(folder, part.name)
        with written(source, target, Path(part.path)) as write:
            head = source.format.header([*plan.names, "error"])
            if head:
                write(head)
            for own in batch.run(plan, source):
                write(own.piece)
                rows += own.rows
                count += len(own.faults)
                for fault in own.faults[: REPORTED - len(first)]:
                    first.append(f"{name}, row {fault.row}: {fault.message}")
    return Done(rows, count, first)


@contextmanager
def cluster(address: str | None, workers: int) -> Iterator[Any]:
    """A client of the cluster at that address, or of one of so many processes here. Raises `UsageError`."""
    with needing("this needs dask", "dask"):
        from distributed import Client, LocalCluster
    if address is None:
        with (
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=None,
                # any port will do, beside other clusters on this machine
                scheduler_kwargs={"dashboard_address": ":0"},
                silence_logs=_CRITICAL,
            ) as own,
            Client(own) as client,
        ):
            yield client
        return
    try:
        client = Client(address, timeout="5s")
    except (OSError, ValueError) as error:
        raise UsageError(f"there is no scheduler at {address}: {error}") from None
    with client:
        yield client
