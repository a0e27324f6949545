"""Tables in many files: what a worker does, what a cluster does when it loses one, and Arrow's other users."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from exprgrad import parse
from exprgrad.cli.start import run as program
from exprgrad.data import unfinished
from exprgrad.data.partitions import (
    SUCCESS,
    Work,
    cluster,
    computed,
    partitions,
    run,
    split,
)
from exprgrad.errors import UsageError

pyarrow = pytest.importorskip("pyarrow")

EXPRESSION = parse("a*exp(-x/20)/sqrt(x)")


def table(rows: int, first: int = 0) -> pyarrow.Table:
    places = range(first, first + rows)
    return pyarrow.table(
        {"x": [i % 211 / 7 for i in places], "name": [f"r{i}" for i in places]}
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Four files in Parquet and one in CSV, below each other; row 0 has no value."""
    from pyarrow import parquet

    monkeypatch.chdir(tmp_path)
    Path("in/more").mkdir(parents=True)
    for i in range(4):
        parquet.write_table(table(50, 50 * i), f"in/p{i}.parquet")
    Path("in/more/q.csv").write_text("x,name\n1,a\nz,b\n")
    Path("in/.hidden.csv").write_text("x\n1\n")
    return tmp_path


class Here:
    """What stands for a client: futures that are done where they are made."""

    def submit(self, function, *arguments, pure):
        return Result(function, pickle.loads(pickle.dumps(arguments)))

    def cancel(self, futures):
        pass


class Result:
    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments

    def result(self):
        return self.function(*self.arguments)

    def release(self):
        pass


@pytest.fixture
def here(monkeypatch):
    from types import SimpleNamespace

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(as_completed=iter))
    return Here()


def test_partitions_are_the_tables_in_a_folder_or_the_row_groups_of_a_file(folder):
    from pyarrow import parquet

    names = [part.name for part in partitions("in")]
    assert names == [
        os.path.join("more", "q.csv"),
        *(f"p{i}.parquet" for i in range(4)),
    ]
    parquet.write_table(table(100), "one.parquet", row_group_size=40)
    parts = partitions("one.parquet")
    assert [part.group for part in parts] == [0, 1, 2]
    work = Work(EXPRESSION, {"a": 2})
    assert [computed(work, part, ".").rows for part in parts] == [40, 40, 20]
    found = parquet.read_table(parts[2].name).to_pydict()
    assert found["name"] == [f"r{i}" for i in range(80, 100)]
    Path("none").mkdir()
    with pytest.raises(UsageError, match="none has no tables"):
        partitions("none")


def test_every_partition_is_written_and_then_the_mark(folder, here):
    from pyarrow import parquet

    parts, work = partitions("in"), Work(EXPRESSION, {"a": 2})
    seen = []
    for done in run(work, parts, "out", here):
        seen.append(done)
        assert not Path("out", SUCCESS).exists()
    assert Path("out", SUCCESS).exists()
    assert [done.rows for done in seen] == [2, 50, 50, 50, 50]
    assert [done.faults for done in seen] == [1, 1, 0, 0, 0]
    assert seen[0].first == [f"{parts[0].name}, row 2: column x: 'z' is not a number"]
    found = parquet.read_table("out/p3.parquet").to_pydict()
    row = EXPRESSION.evaluate({"a": 2, "x": 151 / 7})
    assert found["value"][1] == row.value
    assert found["d_x"][1] == row.gradient["x"]
    with pytest.raises(UsageError, match="out is not empty"):
        next(run(work, parts, "out", here))


LINES = [f'{i / 7},"row\n{i}"' for i in range(1, 400)]


def test_a_large_csv_file_is_split_at_rows(folder, here, monkeypatch, capsys):
    from exprgrad.data import partitions as module

    lines = [*LINES]
    lines[250] = '-1,"no ""root"""'
    Path("d.csv").write_text("\n".join(["x,name", *lines]), newline="")
    (part,) = partitions("d.csv")
    assert split(part) == ([part], None)
    monkeypatch.setattr(module, "SPLIT", 1_000)
    parts, reason = split(part)
    assert reason is None
    assert [own.name for own in parts] == [f"d-{i:05}.csv" for i in range(len(parts))]
    done = list(run(Work(EXPRESSION, {"a": 2}), parts, "out", here))
    assert sum(own.rows for own in done) == len(lines)
    assert sum(own.faults for own in done) == 1
    (first,) = (text for own in done for text in own.first)
    assert first.startswith("d.csv, row 251: sqrt needs an argument >= 0")
    assert Path("out", SUCCESS).exists()
    command = ["batch", "a*exp(-x/20)/sqrt(x)", "--at", "a=2", "--data", "d.csv"]
    assert program([*command, "--output", "o.csv"]) == 3
    pieces = [Path("out", own.name).read_text().split("\n", 1) for own in parts]
    heads = {head for head, _ in pieces}
    assert Path("o.csv").read_text() == "\n".join(
        [*heads, "".join(p for _, p in pieces)]
    )


def test_a_file_that_cannot_be_split_stays_whole_and_says_why(
    folder, here, monkeypatch, capsys
):
    from exprgrad.data import partitions as module

    Path("d.csv").write_text("x,name\n" + '1,5" pipe\n' * 300)
    monkeypatch.setattr(module, "SPLIT", 1_000)
    monkeypatch.setattr(module, "cluster", lambda *_: nullcontext(here))
    command = ["batch", "x^2", "--data", "d.csv", "--output", "out", "--engine", "dask"]
    assert program(command) == 0
    assert "d.csv is not split: a quote" in capsys.readouterr().err
    assert sorted(os.listdir("out")) == [SUCCESS, "d.csv"]
    assert program(command) == 2
    assert "out is not empty" in capsys.readouterr().err


def test_an_interrupted_run_leaves_nothing_half_written(folder, here):
    running = run(Work(EXPRESSION, {"a": 2}), partitions("in"), "out", here)
    next(running)
    Path("out/more/.0123.part").write_text("x")
    unfinished.settle()
    assert os.listdir("out/more") == ["q.csv"]
    running.close()
    assert not Path("out", SUCCESS).exists()


def test_a_partition_that_cannot_be_read_leaves_no_mark(folder, here):
    Path("in/p1.parquet").write_text("nothing")
    with pytest.raises(UsageError, match="is not a Parquet file"):
        list(run(Work(EXPRESSION, {"a": 2}), partitions("in"), "out", here))
    assert not Path("out", SUCCESS).exists()


def test_work_is_small_and_computes_record_batches_and_tables(folder):
    work = pickle.loads(pickle.dumps(Work(EXPRESSION, {"a": 2}, wrt=("x",))))
    assert len(pickle.dumps(work)) < 2000
    batch = table(10, 1).to_batches()[0]
    names = ["x", "name", "value", "d_x", "error"]
    assert work(batch).schema.names == names
    assert [part.num_rows for part in work.each(iter([batch, batch]))] == [10, 10]
    assert work(table(10, 1)).num_rows == 10
    assert work(table(0)).schema.names == names


def test_polars_and_duckdb_take_work_as_it_is(folder):
    polars = pytest.importorskip("polars")
    work = Work(EXPRESSION, {"a": 2})
    frame = polars.DataFrame({"x": [1.0, 2.0]})
    found = polars.from_arrow(work(frame.to_arrow()))
    assert found["value"][0] == EXPRESSION(a=2, x=1)
    duckdb = pytest.importorskip("duckdb")
    points = duckdb.from_arrow(table(5, 1))
    if not hasattr(points, "to_arrow_reader"):
        pytest.skip("an older DuckDB has another name for it")
    rows = points.to_arrow_reader()
    assert sum(part.num_rows for part in work.each(rows)) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "in", "--output", "out", "--strict"], "reads and writes folders"),
        (["--output", "out"], "reads and writes folders"),
        (["--data", "in", "--output", "out", "--wrt", "q"], "no variable q"),
        (["--data", "in", "--output", "in"], "in is not empty"),
        (["--data", "in", "--output", "in/p0.parquet"], "cannot write to in/p0.parquet: not a directory"),
        (["--data", "in", "--output", "out", "--scheduler", "tcp://127.0.0.1:9"], "no scheduler"),
    ],
)  # fmt: skip
def test_what_a_cluster_cannot_do_is_refused(folder, capsys, arguments, message):
    if "no scheduler" in message:
        pytest.importorskip("distributed")
    command = ["batch", "a*exp(-x/20)/sqrt(x)", "--at", "a=2", "--engine", "dask"]
    assert program([*command, *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_partitions_of_a_lost_worker_are_computed_by_others(folder):
    pytest.importorskip("distributed")
    from pyarrow import parquet

    for i in range(12):
        parquet.write_table(table(2_000, 2_000 * i), f"in/big{i:02}.parquet")
    parts = partitions("in")
    with cluster(None, 2) as client:
        pids = list(client.run(os.getpid).values())
        rows = 0
        for count, done in enumerate(
            run(Work(EXPRESSION, {"a": 2}), parts, "out", client)
        ):
            rows += done.rows
            if count == 1:
                os.kill(pids[0], signal.SIGKILL)
    assert rows == 12 * 2_000 + 202
    written = sorted(str(p.relative_to("out")) for p in Path("out").rglob("*.*"))
    assert written == sorted(part.name for part in parts)
    assert Path("out", SUCCESS).exists()
    assert all(
        parquet.read_table(Path("out", part.name)).num_rows in (50, 2_000)
        for part in parts
        if part.name.endswith("parquet")
    )
