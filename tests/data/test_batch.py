"""Expressions over tables: what is read, what is written, and what is told of rows with errors."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re
import sys
import time
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad import parse
from exprgrad.cli.start import run
from exprgrad.data import batch, formats
from exprgrad.data import tables as text_tables
from exprgrad.errors import UsageError
from tests.strategies import CASES, PLACES, outcome


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, text):
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / name).write_bytes(data)

    return SimpleNamespace(
        write=write,
        read=lambda name: (tmp_path / name).read_bytes().decode(),
        names=lambda: sorted(path.name for path in tmp_path.iterdir()),
    )


def test_results_follow_the_columns_of_the_data(files, capsys):
    files.write("points.csv", "id,a,b\np,2,3\nq,0.5,4\n")
    assert run(["batch", "a*b^2", "--data", "points.csv"]) == 0
    assert capsys.readouterr() == (
        "id,a,b,value,d_a,d_b,error\np,2,3,18,9,12,\nq,0.5,4,8,16,4,\n",
        "",
    )


@pytest.mark.parametrize("engine", [[], ["--engine", "native"]])
def test_derivatives_in_the_text_are_what_they_are_in_every_row(engine, files, capsys):
    if engine:
        pytest.importorskip("numba")
    files.write("d.csv", "x\n0\n1\n-1\n")
    options = ["--data", "d.csv", *engine]
    assert run(["batch", "d/dx(relu(x)-relu(-x))+x", *options]) == 0
    assert capsys.readouterr().out == "x,value,d_x,error\n0,1,1,\n1,2,1,\n-1,0,1,\n"
    assert run(["batch", "d/dx(floor(x+1/2))+x", *options]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["0,0,1,", "1,1,1,", "-1,-1,1,"]
    assert run(["batch", "d/dx(abs(x))*x", *options]) == 3
    assert capsys.readouterr().out.splitlines()[1].startswith("0,,,the derivative with")


def test_columns_are_known_by_names_with_subscripts_and_letters_that_look_alike(
    files, capsys
):
    files.write("points.csv", "x₁,µ\n2,3\n")
    assert run(["batch", "x₁*µ^2", "--data", "points.csv"]) == 0
    assert capsys.readouterr().out == "x₁,µ,value,d_x1,d_μ,error\n2,3,18,9,12,\n"


def test_how_the_expression_was_read_is_noted_beside_the_table(files, capsys):
    files.write("d.csv", "e,x\n3,4\n")
    for text, value, note in [
        ("1/2x", "2,0.5", "1/2x is read as (1/2)*x"),
        ("e*x", "10.87312731383618,2.718281828459045", "e is a constant; rename the variable"),
    ]:  # fmt: skip
        assert run(["batch", text, "--data", "d.csv"]) == 0
        out, err = capsys.readouterr()
        assert out == f"e,x,value,d_x,error\n3,4,{value},\n"
        assert err == f"note: {note}\n"
    assert run(_split("batch k*x --data d.csv --map k=e")) == 0
    assert capsys.readouterr() == ("e,x,value,d_k,d_x,error\n3,4,12,4,3,\n", "")


def test_rows_with_errors_are_reported_and_do_not_stop_the_rest(files, capsys):
    files.write("d.csv", "x,y\n1,2\n-1,2\nabc,2\n4,\n0,1\n9\n1,2,3\nnan,1\n25,1\n")
    assert run(["batch", "sqrt(x)*y", "--data", "d.csv"]) == 3
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "x,y,value,d_x,d_y,error",
        "1,2,2,1,1,",
        "-1,2,,,,sqrt needs an argument >= 0; here x is -1",
        "abc,2,,,,column x: 'abc' is not a number",
        "4,,,,,column y: the cell is empty",
        "0,1,0,,0,the partial derivative with respect to x does not exist here",
        '9,,,,,"column y: the row has too few cells, or too many"',
        '1,2,,,,"column x: the row has too few cells, or too many"',
        "nan,1,,,,the value of x is nan",
        "25,1,5,0.1,5,",
    ]
    assert err.splitlines() == [
        "7 of 9 rows have an error:",
        "  row 2: sqrt needs an argument >= 0; here x is -1",
        "  row 3, column x: 'abc' is not a number",
        "  row 4, column y: the cell is empty",
        "  row 5: the partial derivative with respect to x does not exist here",
        "  row 6, column y: the row has too few cells, or too many",
        "  (and 2 more: see the column error)",
    ]


def test_strict_stops_at_the_first_error_and_leaves_no_file(files, capsys):
    files.write("d.csv", "x\n1\n2\nabc\n-1\n")
    for expression, message, code in [
        ("ln(x)", "error: row 3, column x: 'abc' is not a number", 2),
        ("ln(x - 1)", "error: row 1: ln needs an argument > 0; here x - 1 is 0", 3),
    ]:
        command = [
            "batch",
            expression,
            "--data",
            "d.csv",
            "--output",
            "o.csv",
            "--strict",
        ]
        assert run(command) == code
        assert capsys.readouterr().err.startswith(message)
        assert files.names() == ["d.csv"]


def test_columns_may_have_other_names_and_constants_come_from_at(files, capsys):
    files.write("d.csv", "speed,mass of it\n3,2\n")
    command = 'batch "m*v^2/k" --data d.csv --at k=2 --map v=speed'
    assert run([*_split(command), "--map", "m=mass of it", "--wrt", "v,k"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "speed,mass of it,value,d_v,d_k,error",
        "3,2,9,6,-4.5,",
    ]


def _split(command):
    import shlex

    return shlex.split(command)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("x*w", "error: the data has no column 'w'"),
        ("x*w --map w=speed", "error: the data has no column 'speed'"),
        ("x --map w=y", "error: the expression has no variable w"),
        ("x --at x=2", "error: x has a value of its own and the column 'x'"),
        (
            "x*y --at y=2 --map y=x",
            "error: y has a value of its own and the column 'x'",
        ),
        ("x --map x", "error: --map 'x' does not name a column"),
        ("x --map x=y,x=value", "error: --map gives x two columns"),
        ("x --output d.csv", "error: the output would replace the input"),
        ("x --output none/o.csv", "error: cannot write none/o.csv: no such file"),
        ("x --wrt q", "error: the expression has no variable q"),
        ("x --at q=2", "error: the expression has no variable q"),
        ("x*z --at z=[1,2]", "error: this needs numbers, not arrays"),
        ("value*x", "error: the data has a column named 'value' already"),
    ],
)
def test_what_does_not_fit_is_an_error_before_anything_is_written(
    files, capsys, arguments, message
):
    files.write("d.csv", "x,y,value\n1,2,3\n")
    if message.endswith("already"):
        arguments = arguments.replace("value*", "")
    else:
        files.write("d.csv", "x,y\n1,2\n")
    assert run(["batch", *_split(arguments), "--data", "d.csv"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message)


def test_a_prefix_keeps_new_columns_apart(files, capsys):
    files.write("d.csv", "x,value\n1,2\n")
    assert run(_split("batch x*value --data d.csv --prefix f_")) == 0
    assert capsys.readouterr().out.startswith("x,value,f_value,f_d_x,f_d_value,error\n")


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("d.tsv", "x\ty\n3\t4\n", "x\ty\tvalue\td_x\terror\n3\t4\t9\t6\t\n"),
        ("d.csv", "x;y\r\n3;4\r\n\r\n", "x;y;value;d_x;error\n3;4;9;6;\n"),
        ("d.csv", "\ufeffx\n3", "x,value,d_x,error\n3,9,6,\n"),
        ("d.csv", "x\n3\n0.5\n1e200\n1e-400\n", "x,value,d_x,error\n3,9,6,\n0.5,0.25,1,\n"
         "1e200,1.0e+400,2e+200,\n1e-400,1.0e-800,2.0e-400,\n"),
        ("d.csv", 'x,"a, b"\n3,"say ""so""\nhere"\n4,\n',
         'x,"a, b",value,d_x,error\n3,"say ""so""\nhere",9,6,\n4,,16,8,\n'),
        ("d.jsonl", '{"x": 1e-200}\n{"x":1e-400, "t": 2}\n',
         '{"x": 1e-200, "value": null, "value_text": "1.0e-400", "d_x": 2e-200, "error": null}\n'
         '{"x":1e-400, "t": 2, "value": null, "value_text": "1.0e-800", "d_x": null, "d_x_text": "2.0e-400", "error": null}\n'),
        ("d.jsonl", '{"x": 3, "t": "é"}\n{"x": "4"}\nnull\n{"x": true}\n{',
         '{"x": 3, "t": "é", "value": 9, "d_x": 6, "error": null}\n'
         '{"x": "4", "value": 16, "d_x": 8, "error": null}\n'
         '{"value": null, "d_x": null, "error": "column x: the line has no value for this key, or is not a JSON object"}\n'
         '{"x": true, "value": 1, "d_x": 2, "error": null}\n'
         '{"value": null, "d_x": null, "error": "column x: the line has no value for this key, or is not a JSON object"}\n'),
        ("d.jsonl", '{"x": 3}\n{"x": null}\n{"y": 3}\n',
         '{"x": 3, "value": 9, "d_x": 6, "error": null}\n'
         '{"x": null, "value": null, "d_x": null, "error": "column x: the line has no value for this key, or is not a JSON object"}\n'
         '{"y": 3, "value": null, "d_x": null, "error": "column x: the line has no value for this key, or is not a JSON object"}\n'),
        ("d.csv", 'x;t\n1,5;a\n1,2,3;b\n', 'x;t;value;d_x;error\n'
         '1,5;a;;;"column x: \'1,5\' is not a number; the decimal point is a dot: 1.5"\n'
         '1,2,3;b;;;column x: \'1,2,3\' is not a number\n'),
    ],
)  # fmt: skip
def test_formats_come_out_as_they_went_in(files, capsys, name, data, expected):
    files.write(name, data)
    code = run(["batch", "x^2", "--data", name])
    assert capsys.readouterr().out == expected
    assert code == (3 if "column x: " in expected else 0)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("d.csv", "", "d.csv is empty"),
        ("d.csv", "\n\n", "d.csv is empty"),
        ("d.csv", "x,x\n1,2\n", "d.csv has two columns named 'x'"),
        ("d.csv", b"x\n\xff\n", "d.csv is not text in UTF-8"),
        ("d.csv", b"\xff\n1\n", "d.csv is not text in UTF-8"),
        ("d.jsonl", "[1]\n", "the first line of d.jsonl is not a JSON object"),
        ("d.json", '{"x": 1, "y": 2}\n', "d.json is JSON, not cells"),
        ("d.json", '[\n{"x": 1}\n]\n', "d.json is JSON, not cells"),
        ("d.csv.gz", b"x\n1\n", "d.csv.gz is not a whole gzip file"),
        ("d.csv.gz", gzip.compress(b"x\n" + b"1\n" * 999, mtime=0)[:-9], "d.csv.gz is not a whole gzip file"),
        ("d.parquet", b"x", "d.parquet is not a Parquet file|Parquet files need pyarrow"),
        ("none.csv", None, "cannot read none.csv: no such file"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read_are_reported(files, capsys, name, data, message):
    if data is not None:
        files.write(name, data)
    assert run(["batch", "x^2", "--data", name, "--output", "o.csv"]) == 2
    err = capsys.readouterr().err
    assert any(err.startswith(f"error: {m}") for m in message.split("|"))
    assert "o.csv" not in files.names()


def test_zipped_files_are_read_and_written(files):
    files.write("d.csv.gz", gzip.compress(b"x\n3\n"))
    assert run(["batch", "x^2", "--data", "d.csv.gz", "--output", "o.csv.gz"]) == 0
    with gzip.open("o.csv.gz", "rt", encoding="utf-8") as stream:
        assert stream.read() == "x,value,d_x,error\n3,9,6,\n"
    assert files.names() == ["d.csv.gz", "o.csv.gz"]


def test_an_output_replaces_an_older_one_at_once(files):
    files.write("d.csv", "x\n3\n")
    files.write("o.csv", "old")
    assert run(["batch", "x^2", "--data", "d.csv", "--output", "o.csv"]) == 0
    assert files.read("o.csv") == "x,value,d_x,error\n3,9,6,\n"


def test_an_interrupted_run_leaves_the_older_output(files, monkeypatch):
    files.write("d.csv", "x\n3\n")
    files.write("o.csv", "old")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "computed", interrupted)
    assert run(["batch", "x^2", "--data", "d.csv", "--output", "o.csv"]) == 130
    assert files.read("o.csv") == "old"
    assert files.names() == ["d.csv", "o.csv"]


def test_data_may_come_from_a_pipe(files, capsys, monkeypatch):
    piped = io.TextIOWrapper(io.BytesIO(b'{"x": 2}\n'), "utf-8")
    monkeypatch.setattr(sys, "stdin", piped)
    assert run(["batch", "x^2", "--format", "jsonl"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "x": 2,
        "value": 4,
        "d_x": 4,
        "error": None,
    }


def test_a_terminal_is_not_read_as_data(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    assert run(["batch", "x^2"]) == 2
    assert "there is no data" in capsys.readouterr().err
    assert run(["batch", "-"]) == 2
    assert "cannot be the expression and the data" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", None)
    assert run(["batch", "x^2"]) == 2


def test_digits_are_significant_digits(files, capsys):
    files.write("d.csv", "x\n3\n-1\n")
    assert run(["batch", "1/x", "--data", "d.csv", "--digits", "3"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["3,0.333,-0.111,", "-1,-1,-1,"]


def test_names_are_split_into_columns(files, capsys):
    files.write("d.csv", "x,y\n3,4\n")
    assert run(["batch", "xy", "--data", "d.csv"]) == 0
    assert "3,4,12,4,3," in capsys.readouterr().out


def test_an_expression_without_variables_fills_the_rows(files, capsys):
    files.write("d.csv", "x\n3\n4\n")
    assert run(["batch", "2*3", "--data", "d.csv"]) == 0
    assert capsys.readouterr().out == "x,value,error\n3,6,\n4,6,\n"


@pytest.mark.parametrize("rest", ["", "\n\n", "\n" * 9_000, "\n" * 2_000_000])
def test_a_table_without_rows_stays_one(files, capsys, rest):
    files.write("d.csv", f"x\n{rest}")
    assert run(["batch", "x^2", "--data", "d.csv"]) == 0
    assert capsys.readouterr() == ("x,value,d_x,error\n", "")


def table(count):
    lines = [f"{i},{i / 7},{i % 11 - 3}" for i in range(count)]
    return "i,x,y\n" + "\n".join(lines) + "\n"


@pytest.mark.slow
def test_long_tables_come_in_chunks_and_in_order(files, monkeypatch):
    monkeypatch.setattr(text_tables, "ROWS", 64)
    files.write("d.csv", table(1000))
    files.write("q.csv", table(1000).replace("500,", '"500",'))
    for name, jobs in [("d.csv", 1), ("d.csv", 2), ("q.csv", 1)]:
        command = [
            "batch",
            "x*sqrt(y)",
            "--data",
            name,
            "--output",
            f"o{name}{jobs}",
            "--jobs",
            str(jobs),
        ]
        assert run(command) == 3
        with open(f"o{name}{jobs}", encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert [row["i"] for row in rows] == [str(i) for i in range(1000)]
        for row in rows:
            x, y = float(row["x"]), float(row["y"])
            if y < 0:
                assert row["error"].startswith(
                    "sqrt needs an argument >= 0; here y is -"
                )
                assert row["value"] == ""
            elif y > 0:
                assert math.isclose(
                    float(row["value"]), x * math.sqrt(y), rel_tol=1e-15
                )
                assert math.isclose(
                    float(row["d_y"]), x / 2 / math.sqrt(y), rel_tol=1e-15
                )
    assert files.read("od.csv1") == files.read("od.csv2")


def computed_from(plan, names, rows):
    """Rows of text with their results."""
    form = formats.Delimited(names, ",")
    chunk = formats.Chunk(1, [(row, row.split(",")) for row in rows])
    return batch.computed(plan, form, chunk)


def by_batch(f, points, trust=False):
    """The new cells of every row, and f's own answers at the decimals in the cells."""
    names = f.variables or ("x",)
    wanted = batch.plan(f, names, {}, {}, trust=trust)
    rows = [",".join(repr(point[n]) for n in names) for point in points]
    part = computed_from(wanted, list(names), rows)
    written = list(csv.reader(io.StringIO(part.piece)))
    for point, row in zip(points, written, strict=True):
        here = {name: Decimal(repr(point[name])) for name in f.variables}
        found = outcome(lambda: f.evaluate(here))  # noqa: B023 # called at once
        yield row[len(names) :], found


def agree(cells, found):
    """Whether a row says what `evaluate` says, to ten digits."""
    *numbers, error = cells
    if isinstance(found, str):
        return [*numbers, error] == ["" for _ in numbers] + [found]
    expected = [
        found.texts.get(name) if number is None else number
        for name, number in [("", found.value), *found.gradient.items()]
    ]
    for cell, number in zip(numbers, expected, strict=True):
        if (cell == "") != (number is None):
            return False
        if number is None:
            continue
        off = abs(Decimal(cell) - Decimal(number))
        least = Decimal("5e-324") if isinstance(number, float) else 0
        if off > max(abs(Decimal(number)) * Decimal("1.1e-10"), least):
            return False
    return (error == "") == (None not in expected)


@given(CASES, st.lists(PLACES, min_size=1, max_size=8))
def test_every_row_is_what_evaluate_gives(case, places):
    text, at = case
    for cells, found in by_batch(parse(text), [at, *places]):
        assert agree(cells, found)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("(1-cos(x))/x^2", [10 ** -(i / 4) for i in range(37)]),
        ("sqrt(x^2+1)-x", [10 ** (i / 3) for i in range(25)]),
        ("(exp(x)-1-x)/x^2", [1e-12, 1e-6, 1e-3, 0.1, 2.0]),
        ("(1+x)^(1/x)", [1e-12, 1e-5, 0.5, 3.0]),
        ("x - 0.1*3 + 2", [0.3, 0.1, -1.7, -1.7000000000000002]),
        ("sin(pi*x)", [0.5, 1.0, 1e6, 0.25, 1e-300]),
        ("exp(-x^2)*exp(x^2)", [0.5, 20.0, 27.0, 30.0]),
        ("exp(-x)", [1.0, 700.0, 1000.0]),
        ("gamma(x) + lgamma(x) + erf(x) + atan2(x, 1) + root(x, 3)", [0.5, 1.0, 4.5]),
    ],
)
def test_rows_that_cancel_have_ten_digits(text, points):
    for cells, found in by_batch(parse(text), [{"x": x} for x in points]):
        assert agree(cells, found)


CORNERS = [
    "relu(w*x)", "relu(w*x) + sin(w)", "abs(x)*w", "x*abs(x)*w", "max(w, x)^2 + abs(w-x)", "min(w, 2*x)",
    "if(x > 0, x^2, w*x)", "if(x == 0, 1, sin(x)/x) + w", "if(x > 0, ln(x), w)", "floor(x)*w", "sign(x)*w",
    "step(x) + w", "mod(x, 1)*w", "sqrt(x^2)*w", "sqrt(x)*sqrt(x) + w", "hypot(x, w*x)", "cbrt(x)*w",
    "abs(x)^(2/3)*w", "relu(x) - relu(-x) + w", "relu(relu(x)*w)", "sign(x^2)*w", "relu(x*x)*w", "round(x)*w",
    "x^(x/x)*w", "0*x^x + w", "max(x^x, w)", "abs(x - w) + abs(w - x)", "x*(x==0) + w", "mae(x, w)",
    "bce(x, w)", "huber(x, w)", "atan2(x, w)", "d/dx abs(x) + w*x", "d/dx x^2*w", "x^1.5*w", "not x + w*x",
    "max(2, acot(x)) + w", "ceil((x - 1)^w)", "if(w*0.3 < x^w, 2, w)", "abs(step(x)) + w", "sign(step(x - 0.5))*w",
]  # fmt: skip


@pytest.mark.parametrize("text", CORNERS)
def test_rows_at_corners_say_what_evaluate_says(text):
    at = [-1.0, -0.5, 0.0, 0.3, 0.5, 1.0, 2.0, 1e-9]
    points = [{"x": x, "w": w} for x in at for w in at]
    for cells, found in by_batch(parse(text, ("x", "w")), points):
        assert agree(cells, found)


def test_a_column_says_how_many_digits_are_right(files, capsys):
    files.write("d.csv", "x\n1\n1e-4\n-1\n0\n")
    command = ["batch", "sqrt(x+1) - 1", "--data", "d.csv"]
    assert run([*command, "--trust"]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "x,value,d_x,digits,error"
    rows = list(csv.DictReader(lines))
    assert [int(row["digits"] or -1) >= 10 for row in rows] == [True, True, True, True]
    assert rows[2]["d_x"] == ""
    assert (
        rows[2]["error"]
        == "the partial derivative with respect to x does not exist here"
    )
    assert run([*command, "--digits", "17"]) == 3
    assert "1e-4,4.9998750062496093e-05,0.49997500187484378," in capsys.readouterr().out


SMALL = r"-?\d\.\d+e-[1-9]\d\d"

FAR = [
    ("exp(-x^2)", [SMALL, SMALL]), ("a*exp(-x^2)*sin(x)", [SMALL, SMALL]), ("sigmoid(-x^3)", None),
    ("2^(-x^2)*x", [SMALL, SMALL]), ("x^-500*exp(-x)", [SMALL, SMALL]), ("exp(30 - x^2)/(1 + exp(-x))", [SMALL, SMALL]),
    ("erf(x)", ["1", SMALL]), ("tanh(x^2)", ["1", SMALL]), ("sech(x^2)", [SMALL, SMALL]), ("1 + exp(-x^2)", ["1", SMALL]),
    ("exp(9x)*exp(-10x)", []), ("cosh(9x)/exp(8x)", []), ("if(x > 0, exp(-x^2), 1)", [SMALL, SMALL]),
    ("ln(exp(x^2))", None), ("max(exp(-x^2), 1/x)", None), ("sqrt(1 + exp(-x^2))", ["1", SMALL]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), FAR)
def test_rows_beyond_the_range_of_doubles_are_swept_together(text, shown, monkeypatch):
    f = parse(text)
    points = [{"x": 40 + i / 7, "a": 1.5} for i in range(12)]
    for cells, found in by_batch(f, points):
        assert agree(cells, found)
        for cell, start in zip(cells, shown or (), strict=False):
            assert re.match(start, cell)
    alone = []
    own = batch._Answers._alone
    monkeypatch.setattr(
        batch._Answers, "_alone", lambda *args: alone.append(args) or own(*args)
    )
    rows = [f"{40 + i / 15},1.5" for i in range(500)]
    wanted = batch.plan(f, ("x", "a"), {}, {}, ("x",))
    computed_from(wanted, ["x", "a"], rows)
    # where the last digit may be rounded up or down, a row is swept alone
    assert len(alone) <= (500 if shown is None else 100)


@given(
    st.floats(26.5, 28), st.sampled_from(["exp(-x^2)", "x*exp(-x^2)", "2^(-1.45x^2)"])
)
def test_numbers_at_the_end_of_the_range_are_those_of_evaluate(x, text):
    for cells, found in by_batch(parse(text), [{"x": round(x, 6)}]):
        for cell, number in zip(
            cells, [found.value, found.gradient["x"]], strict=False
        ):
            number = number or 0.0
            assert abs(float(cell) - number) <= max(1e-10 * abs(number), 5e-324)


@pytest.mark.slow
def test_half_of_all_rows_at_a_kink_cost_a_few_times_as_much_as_none():
    def seconds(at_kink):
        f = parse("relu(w*x)")
        rows = [
            f"{1 + i},{0 if at_kink and i % 2 else 0.37 * i + 1}" for i in range(4000)
        ]
        wanted = batch.plan(f, ["w", "x"], {}, {})
        best = math.inf
        for _ in range(3):
            start = time.process_time()
            computed_from(wanted, ["w", "x"], rows)
            best = min(best, time.process_time() - start)
        return best

    seconds(True)
    assert seconds(True) < 12 * seconds(False)


def test_rows_are_computed_one_by_one_without_numpy(files, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    files.write("d.csv", "x\n4\n-4\n0\nq\n")
    assert run(["batch", "-sqrt(x)", "--data", "d.csv"]) == 3
    assert capsys.readouterr().out.splitlines() == [
        "x,value,d_x,error",
        "4,-2,-0.25,",
        "-4,,,sqrt needs an argument >= 0; here x is -4",
        "0,0,,the partial derivative with respect to x does not exist here",
        "q,,,column x: 'q' is not a number",
    ]


def test_parquet_comes_out_as_it_went_in(files):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"x": [3.0, -1.0, None], "name": ["a", "b", "c"]})
    parquet.write_table(table, "d.parquet")
    assert run(["batch", "sqrt(x)*x", "--data", "d.parquet"]) == 2
    assert (
        run(["batch", "sqrt(x)*x", "--data", "d.parquet", "--output", "o.parquet"]) == 3
    )
    found = parquet.read_table("o.parquet").to_pydict()
    assert found["name"] == ["a", "b", "c"]
    assert found["value"] == [3 * math.sqrt(3), None, None]
    assert found["error"][0] is None
    assert found["error"][1:] == [
        "sqrt needs an argument >= 0; here x is -1",
        "column x: the cell is empty",
    ]


def test_parquet_without_rows_keeps_its_columns_and_gets_those_of_the_results(files):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"x": pyarrow.array([], "int64")}), "d.parquet")
    assert run(["batch", "x^2", "--data", "d.parquet", "--output", "o.parquet"]) == 0
    found = parquet.read_table("o.parquet")
    assert found.column_names == ["x", "value", "d_x", "error"]
    assert (found.num_rows, str(found.schema.field("x").type)) == (0, "int64")


def test_whole_numbers_and_decimals_of_parquet_are_read_to_the_last_digit(files):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    nanoseconds = [1700000000123456789, None, -(2**63), 2**53 + 1, 5]
    prices = [Decimal("1.10"), Decimal("0.30"), None, Decimal("-7"), Decimal("1.10")]
    parquet.write_table(pyarrow.table({"t": nanoseconds, "p": prices}), "d.parquet")
    command = ["batch", "--data", "d.parquet", "--output", "o.parquet"]
    assert run([*command, "t - 1700000000000000000"]) == 3
    found = parquet.read_table("o.parquet").to_pydict()
    assert found["value"][0] == 123456789
    assert found["error"][1] == "column t: the cell is empty"
    assert run([*command, "t - 2^53"]) == 3
    found = parquet.read_table("o.parquet").to_pydict()
    assert found["value"][2:] == [-(2.0**63) - 2.0**53, 1, 5 - 2.0**53]
    assert run([*command, "p - 1.1"]) == 3
    assert parquet.read_table("o.parquet").to_pydict()["value"] == [
        0,
        -0.8,
        None,
        -8.1,
        0,
    ]


FAULTS = ["1,1", "0,2", "-1,2", "2,0", "x,1", "", "inf,1", "1e200,1e200", "3", "0.5,-2"]


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 50])
@pytest.mark.parametrize(
    "text", ["relu(x)*y + ln(y)/x", "if(x > 0, sqrt(x)*sqrt(y), abs(y))", "x*y^2", "2*3"]
)  # fmt: skip
def test_machine_code_finds_the_same_faults_and_corners(files, capsys, text, count):
    pytest.importorskip("numba")
    files.write("d.csv", "x,y\n" + "\n".join(FAULTS * count) + "\n")
    outcomes = []
    for name in ("local", "native"):
        command = ["batch", text, "--data", "d.csv", "--engine", name]
        code = run([*command, "--output", name])
        outcomes.append((code, capsys.readouterr()))
    assert outcomes[0] == outcomes[1]
    sure, quick = (
        list(csv.reader(io.StringIO(files.read(name)))) for name in ("local", "native")
    )
    for row, other in zip(sure, quick, strict=True):
        assert row[:2] == other[:2]
        assert row[-1] == other[-1]
        for cell, number in zip(row[2:-1], other[2:-1], strict=True):
            assert cell == number or math.isclose(
                float(cell), float(number), rel_tol=1e-12
            )


def test_machine_code_needs_numba_and_tells_no_digits(files, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "exprgrad.compiled.native_code", raising=False)
    files.write("d.csv", "x\n1\n")
    command = ["batch", "x^2", "--data", "d.csv", "--output", "o", "--engine", "native"]
    assert run(command) == 2
    assert "native code needs Numba" in capsys.readouterr().err
    assert run([*command, "--trust"]) == 2
    assert "has no bounds for --trust" in capsys.readouterr().err
    assert files.names() == ["d.csv"]
    with pytest.raises(UsageError, match="how many digits"):
        batch.plan(parse("x"), ["x"], {}, {}, trust=True, native=True)


def test_a_terminal_sees_the_rate_and_the_time_left(monkeypatch):
    from exprgrad.views import progress
    from exprgrad.views.progress import Rate

    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN", 0)
    rate = Rate()
    with rate:
        monkeypatch.setattr(rate, "_start", rate._start - 100)
        rate.update(0.25, 5000)
        rate.update(None, 6000)
    assert " 25% done, 5,000 rows, 50 rows/s, 5:00 left" in terminal.getvalue()
    assert "6,000 rows, 60 rows/s" in terminal.getvalue()


def test_a_line_of_brackets_without_end_is_a_row_with_an_error(files, capsys):
    files.write("d.jsonl", '{"x": 1}\n{"x": ' + "[" * 100_000 + '}\n{"x": 3}\n')
    assert run(["batch", "x^2", "--data", "d.jsonl"]) == 3
    out, err = capsys.readouterr()
    values = [json.loads(line)["value"] for line in out.splitlines()]
    assert values == [1, None, 9]
    assert "row 2" in err


@pytest.mark.parametrize("key", ["value", "d_x", "error"])
def test_a_key_of_a_later_row_is_not_written_over(files, capsys, key):
    rows = [{"x": 1}, {"x": 2, key: "mine"}]
    files.write("d.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert run(["batch", "x^2", "--data", "d.jsonl", "--output", "o.jsonl"]) == 2
    assert f"a row of the data has a key {key!r} already" in capsys.readouterr().err
    assert files.names() == ["d.jsonl"]


@pytest.mark.parametrize("rest", ["3,4\n", "3,4\n5,6", "\n"])
def test_a_quote_that_is_never_closed_takes_no_rows_away(files, capsys, rest):
    files.write("d.csv", 'x,y\n7,"a ""b"""\n1,"2\n' + rest)
    assert run(["batch", "x^2", "--data", "d.csv", "--output", "o.csv"]) == 2
    err = capsys.readouterr().err
    assert "d.csv: a quote in row 2 is never closed" in err
    assert files.names() == ["d.csv"]


def test_quotes_inside_cells_are_not_an_error(files, capsys):
    files.write("d.csv", 'x,y\n1,5" pipe\n2,"a\nb"\n3,"c\nd"\n')
    assert run(["batch", "x^2", "--data", "d.csv", "--wrt", "x"]) == 0
    assert capsys.readouterr().out.count("\n") == 6


def test_a_number_of_a_json_line_is_the_decimal_that_is_written(files, capsys):
    files.write("d.jsonl", '{"x": 0.1}\n{"x": "0.1"}\n{"x": 0.3}\n')
    assert run(["batch", "3*x == 0.3", "--data", "d.jsonl"]) == 3
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["value"] for row in rows] == [1, 1, 0]
    assert [row["x"] for row in rows] == [0.1, "0.1", 0.3]


@pytest.mark.parametrize("rows", [1, 40])
def test_columns_of_uncertainties_give_that_of_the_value(rows, tmp_path):
    from exprgrad.data.tables import opened

    path = tmp_path / "u.csv"
    path.write_text("x,y,u_x,u_y\n" + "1,2,0.3,0.2\n" * rows + "3,4,0.1,-1\n-1,0,,0\n")
    with opened(str(path)) as source:
        wanted = batch.plan(parse("x*y"), source.format.names, {}, {}, ["x"])
        assert wanted.names == ("value", "d_x", "u")
        lines = "".join(part.piece for part in batch.run(wanted, source)).splitlines()
    assert lines[0].split(",")[4:] == ["2", "2", repr(math.hypot(0.6, 0.2)), ""]
    assert lines[-2].split(",")[4:7] == ["12", "4", ""]
    assert "u_y: the uncertainty is negative" in lines[-2]
    assert "u_x: the cell is empty" in lines[-1]


def test_an_uncertainty_that_is_no_number_gives_none(files, capsys):
    files.write("d.jsonl", '{"x": 1, "u_x": NaN}\n')
    assert run(["batch", "x^2", "--data", "d.jsonl"]) == 3
    out = capsys.readouterr().out
    assert '"u": null, "error": "column u_x: the uncertainty is not finite"' in out


@pytest.mark.filterwarnings("error")
def test_an_uncertainty_beyond_doubles_is_a_decimal_without_a_warning(files, capsys):
    files.write("d.csv", "x,y,u_x\n" + "6,1e5,1e308\n" * 40)
    assert run(["batch", "x*y", "--data", "d.csv"]) == 0
    assert capsys.readouterr().out.count(",1.00000e+313,") == 40


def test_an_uncertainty_beyond_decimals_is_an_error_of_its_row(files, capsys):
    files.write("d.csv", "x,u_x\n1e308,0.1\n1,0.1\n")
    assert run(["batch", "exp(x)", "--data", "d.csv"]) == 3
    out = capsys.readouterr().out
    assert "the uncertainty is beyond the range of decimals" in out.splitlines()[1]


def test_variables_of_one_column_have_no_independent_uncertainties(files, capsys):
    files.write("d.csv", "x,u_x\n1,0.1\n")
    assert run(["batch", "x+y", "--data", "d.csv", "--map", "y=x"]) == 2
    assert (
        "x and y share the uncertainties in the column 'u_x'" in capsys.readouterr().err
    )


def test_a_variable_named_like_an_uncertainty_is_a_variable():
    wanted = batch.plan(parse("x*u_x"), ["x", "u_x"], {}, {})
    assert wanted.names == ("value", "d_x", "d_u_x")


@pytest.mark.parametrize("digits", [(), ("--digits", "3")])
def test_parquet_is_computed_without_text_as_by_way_of_python(
    files, monkeypatch, digits
):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    from exprgrad.data.formats import column_of
    from exprgrad.data.tables import Records

    columns = {
        "x": pyarrow.array([4, -1, None, 3, 0] * 3, pyarrow.int64()),
        "y": pyarrow.array([0.5, 1, 2, None, math.inf] * 3, pyarrow.float32()),
        "z": pyarrow.array(["1", "2.5", "3", "4", "five"] * 3),
        "u_y": pyarrow.array([0.1, 0.2, 0.3, 0.4, 0.5] * 3),
    }
    parquet.write_table(pyarrow.table(columns), "d.parquet")
    command = ["batch", "sqrt(x)*y/3 + z + abs(x)", "--data", "d.parquet", *digits]
    assert run([*command, "--output", "a.parquet"]) == 3
    monkeypatch.setattr(
        Records, "stored", lambda *given: [*map(column_of, Records.cells(*given))]
    )
    assert run([*command, "--output", "b.parquet"]) == 3
    found, other = (parquet.read_table(f"{name}.parquet") for name in "ab")
    assert str(found.to_pydict()) == str(other.to_pydict())
    assert found.schema == other.schema


ROWS = "".join(f"{i / 8},{i}e{i % 40 - 20},é {i}\n" for i in range(1, 60))
TEXTS = {
    "plain": ROWS,
    "long decimals": "0.1000000000000000055511151231257827,2,a\n0.3,0.12345678901234567,b\n",
    "faults": "0.5,,a\n0.5,x,b\n-1,2,c\n0,0,d\nnan,1,e\n1_0,1,f\n 3 ,1,g\n+1,1,h\n1,inf,i\n",
    "uneven": "1,2\n1,2,3,4\n\n1,2,c\n",
    "line breaks": "1,2,a\r\n3,4,b\r\n5,6,c",
    "late quotes": f'{ROWS}1,2,"a ""b"""\n"3","4",c\n5,6,"two\nlines"\n7,8',
    "little": "1,2,a\n",
    "quotes": '1,"2","a, ""b"""\r\n\r\n"3",4,"two\r\nlines"\r\n5,"",c\r\n"1""",6,""\r\n',
    "quotes inside of cells": f'{ROWS}1,2,5" pipe\n3,4,"c" d\n5,6,"e\n,f"\n',
    "uneven with quotes": '1,2,"a,b",4,"c"\n1,"2"\n1\n"1",2,"c"\n"1\n2"\n\n',
    "missing": "1,NA,a\nnull,2,b\nnan,1,c\n,3,d\n4,#N/A,e\n1,2,f\n",
    "carriage returns": "1,2,a\r3,4,b\n5,6,c\r\n\r\r\n",
    "zeros": "1,2,\0\n3,4,b\n",
    "a quote that is not closed": f'{ROWS}1,2,"a\n3,4,b\n',
    "other alphabets": "١,2,é\n3,٤,日本\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("more", [(), ("--digits", "4", "--trust"), ("--jobs", "2")])
def test_text_is_read_by_pyarrow_as_without_it(files, monkeypatch, capsys, text, more):
    pytest.importorskip("pyarrow")

    monkeypatch.setattr(text_tables, "BLOCK", 40)
    Path("d.csv").write_text(f"x,y,name\n{text}", "utf-8", newline="")
    command = ["batch", "sqrt(x)*exp(y/1000)/3 + y", "--data", "d.csv", *more]
    code = run([*command, "--output", "a.csv"])
    first = capsys.readouterr()
    monkeypatch.setitem(sys.modules, "exprgrad.data.arrow_text", None)
    assert run([*command, "--output", "b.csv"]) == code
    assert capsys.readouterr() == first
    written = [Path(name).read_bytes() for name in ("a.csv", "b.csv") if code != 2]
    assert written[:1] == written[1:]


@pytest.mark.parametrize(
    ("text", "regular"),
    [
        ("1,2\n", True),
        ("1,2\r\n\r\n\n3,4", True),
        ('"1,\r\n",2\n"a ""b""","é"\r\n', True),
        ("1\n1,2\n1,2,3\n", False),
        ('1,2\n1,5" pipe\n', False),
        ('1,2\n1,"2" a\n', False),
        ('1,"2\n', False),
        ("1,2\r3,4\n", False),
        ("\n \n", False),
    ],
)
def test_a_block_is_made_of_rows_whose_cells_can_be_told_apart(text, regular):
    pytest.importorskip("pyarrow")
    from exprgrad.data.arrow_text import Lines, block

    found, _ = block(text.encode(), ",", 2)
    assert regular == (found is not None)
    if found is not None:
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
        cells = Lines(["x", "y"], ",").cells(found, [0, 1])
        assert [*map(list, zip(*cells, strict=True))] == rows


def test_a_row_of_which_nothing_is_left_stays_a_row(files, monkeypatch):
    monkeypatch.setattr(text_tables, "BLOCK", 8)
    files.write("d.csv", "x\n1\n,2\n3\n4\n5\n")
    assert run(["batch", "x^2", "--data", "d.csv", "--output", "o.csv"]) == 3
    rows = list(csv.reader(files.read("o.csv").splitlines()))
    assert [row[:2] for row in rows[1:]] == [
        ["1", "1"], ["", ""], ["3", "9"], ["4", "16"], ["5", "25"],
    ]  # fmt: skip


def test_bytes_that_are_not_text_are_told_of_wherever_they_stand(files, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(text_tables, "BLOCK", 40)
    files.write("d.csv", b"x,y\n" + b"1,2\n" * 50 + b"\xff,3\n")
    assert run(["batch", "x^2", "--data", "d.csv", "--output", "o.csv"]) == 2
    assert files.names() == ["d.csv"]


@pytest.mark.parametrize("block", [20, 1_000])
def test_an_array_is_read_from_a_table_with_quotes_or_in_blocks(
    tmp_path, monkeypatch, block
):
    from exprgrad.data.tables import matrix

    monkeypatch.setattr(text_tables, "BLOCK", block)
    path = tmp_path / "m.csv"
    path.write_text("".join(f'"{i}",{i / 8}\n' for i in range(40)))
    assert matrix(str(path)) == [[i, i / 8] for i in range(40)]


@pytest.mark.slow
@pytest.mark.parametrize("wide", [True, False])
def test_rows_with_too_many_cells_keep_those_that_have_a_column(files, wide):
    more = "9,8\n" * (400_000 if wide else 1)  # enough to be read in blocks
    files.write("d.csv", f'x,y\n1,"a,b",3\n"2"\n{more}')
    assert run(["batch", "x^2", "--data", "d.csv", "--output", "o.csv"]) == 3
    lines = files.read("o.csv").split("\n")
    assert lines[1].startswith('1,"a,b",,,"column x: the row has too few cells')
    assert lines[2:4] == ['"2",,4,4,', "9,8,81,18,"]


def test_cells_that_are_not_computed_stay_as_they_were_typed(files):
    Path("q.csv").write_text('x,"name"\n"2","plain"\n3,"a ""b"""\n 4 ,"c,\nd"\n5\n')
    assert run(["batch", "x^2", "--data", "q.csv", "--output", "o.csv"]) == 0
    assert Path("o.csv").read_text().splitlines()[1:] == [
        '"2","plain",4,4,',
        '3,"a ""b""",9,6,',
        ' 4 ,"c,',
        'd",16,8,',
        "5,,25,10,",
    ]


def test_a_decimal_below_the_least_normal_double_is_the_decimal_that_is_written():
    for cells, found in by_batch(parse("ln(x)"), [{"x": 1e-320}, {"x": 1e-310}]):
        assert agree(cells, found)
    wanted = batch.plan(parse("1/x"), ("x",), {}, {})
    piece = computed_from(wanted, ["x"], ["1e-320"]).piece
    assert piece.split(",") == ["1e-320", "1.0e+320", "-1.0e+640", "\n"]


def test_no_digit_is_counted_of_a_0_that_may_be_far_from_it():
    f = parse("(1-cos(x))/x^2")
    for cells, found in by_batch(f, [{"x": 1e-300}], trust=True):
        assert found.errors["x"] > 1e-200
        assert cells[1:3] == ["0", str(found.digits)] == ["0", "0"]
    assert f.evaluate({"x": 3}, refine=False).digits == 0


@pytest.mark.parametrize("name", ["o.jsonl", "o.parquet", "o.tsv.gz"])
def test_a_file_named_for_another_format_than_is_written_is_refused(
    files, capsys, name
):
    files.write("d.csv", "x\n1\n")
    assert run(["batch", "x^2", "--data", "d.csv", "--output", name]) == 2
    assert "hint: --output o" in capsys.readouterr().err
    assert files.names() == ["d.csv"]


@pytest.mark.parametrize("cell", ["1e308", "-1.5e307"])
def test_numbers_near_the_largest_double_are_no_warning(files, capsys, cell):
    files.write("d.csv", "x\n" + f"3\n{cell}\n" * 5)
    assert run(["batch", "x/2", "--data", "d.csv"]) == 0
    assert run(["eval", "mean(x)/2", "--at", "x=@d.csv"]) == 0
    assert "warning" not in capsys.readouterr().err.lower()
