"""The command for uncertainty budgets: tables, files of inputs, samples, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from pathlib import Path

import pytest

from exprgrad import parse_latex

VOLTAGE = "V=4.999±0.0032, I=0.019661±9.5e-6, φ=1.04446±0.00075"
READINGS = """V,I,phi
5.007,0.019663,1.0456
4.994,0.019639,1.0438
5.005,0.019640,1.0468
4.990,0.019685,1.0428
4.999,0.019678,1.0433
"""


def test_the_table_says_what_each_input_contributes(run):
    done = run("uncertainty", "V/I*cos(φ)", "--at", VOLTAGE, "--corr", "V,I=-0.36; V,φ=0.86")  # fmt: skip
    assert done.code == 0, done.err
    assert "V/I*cos(φ) = 127.73 ± 0.13\n" in done.out
    assert "φ          1.04446  0.00075  ∞  -219.8   -0.1649   86.0 %" in done.out
    assert "written: 127.73(13), or 127.73 ± 0.26 (k = 1.96, 95 %)" in done.out
    assert "± is a standard uncertainty" in done.out
    assert "terms of second order move the interval by" in done.out


def test_json_has_every_figure(run):
    done = run("uncertainty", "x*y", "--at", "x=3±0.1(df=4), y=4~uniform(0.3)", "--format", "json")  # fmt: skip
    found = json.loads(done.out)
    assert found["value"] == 12
    assert found["standard_uncertainty"] == pytest.approx((0.16 + 0.27) ** 0.5)
    assert found["quantities"]["x"]["contribution"] == 0.4
    assert found["quantities"]["y"]["degrees_of_freedom"] == "infinity"
    assert found["degrees_of_freedom"] == pytest.approx(4 * 0.43**2 / 0.4**4)
    assert found["expanded"] == found["coverage_factor"] * found["standard_uncertainty"]
    assert found["second_order"]["standard_uncertainty"] > found["standard_uncertainty"]


def test_csv_has_a_row_for_each_input_and_the_result(run):
    done = run("uncertainty", "x*y", "--at", "x=3±0.1,y=4±0.2", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["name"] for row in rows] == ["x", "y", "result"]
    assert (rows[1]["contribution"], rows[2]["value"]) == ("0.6", "12")


def test_one_result_with_a_name_has_no_table_of_correlations(run):
    assert "correlations" not in run("uncertainty", "g = 2*L", "--at", "L=1±0.1").out


@pytest.mark.parametrize(
    ("x", "is_said"),
    [("10~uniform(0.5)", True), ("10 ~ Rect (0.5)", True), ("10~normal(0.2)", False), ("10±0.2~t(4)", False)],
)  # fmt: skip
def test_only_a_distribution_with_bounds_is_said_to_lie_within_them(run, x, is_said):
    done = run("uncertainty", "2*x", "--at", f"x={x}")
    assert ("lie within" in done.out) == is_said


@pytest.mark.parametrize(
    ("format_", "piece"),
    [("markdown", "| x | 3 | 0.1 | ∞ | 4 | 0.4 |"), ("latex", r"\[ x \cdot y = 12.00 \]")],
)  # fmt: skip
def test_documents_take_the_budget(run, format_, piece):
    done = run("uncertainty", "x*y", "--at", "x=3±0.1,y=4±0.2", "--format", format_)
    assert piece in done.out or piece.replace(r" \cdot ", " ") in done.out


@pytest.mark.parametrize(
    ("x", "value", "spread"),
    [
        ("12.1±0.2", 24.2, 0.4),
        ("-1.23(4)e-5", -2.46e-5, 8e-7),
        ("1e9±1e7", 2e9, 2e7),
        ("3±0", 6, 0),
    ],
)
def test_what_a_budget_writes_in_latex_reads_back(run, x, value, spread):
    done = run("uncertainty", "2*x", "--at", f"x={x}", "--format", "latex")
    result, said, *table = done.out.splitlines()
    assert sides(result) == ["2*x", pytest.approx(value)]
    assert sides(f"${said.split('$')[1]}$") == [pytest.approx(spread)]
    inputs = next(line for line in table if line.startswith("$x$"))
    for cell in inputs.split(" & ")[1:3]:
        assert len(sides(cell)) == 1


def sides(tex):
    """The sides of an equation in TeX: the values of those that have no variable."""
    return [
        str(side) if side.variables else side.evaluate({}).value
        for side in parse_latex(tex).sides
    ]


@pytest.fixture
def readings(tmp_path, monkeypatch):
    """The readings of the GUM's example H.2, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h2.csv").write_text(READINGS)


COLUMNS = "V=@h2.csv:V, I=@h2.csv:I, phi=@h2.csv:phi"


def test_columns_of_readings_give_means_and_correlations(run, readings):
    results = ("R = V/I*cos(phi)", "X = V/I*sin(phi)", "Z = V/I")
    done = run("uncertainty", *results, "--at", COLUMNS)
    for figure in ("127.732 ± 0.071", "219.85 ± 0.30", "254.26 ± 0.24"):
        assert figure in done.out  # JCGM 100:2008, table H.4
    for r in ("-0.588", "-0.485", "0.993"):
        assert r in done.out
    assert "the mean of 5 readings" in done.out
    assert "ν = 4, k = 2.776" in done.out


GAUGE = """quantity,value,u,df,distribution,half width
ls,50000623,25,18,,
d,215,9.7,25.6,,
da,0,,50,uniform,1e-6
dt,0,,2,uniform,0.05
as,11.5e-6,,,uniform,2e-6
th,-0.1,0.41,,,
"""


def test_a_whole_budget_comes_from_a_table(run, tmp_path):
    path = tmp_path / "gauge.csv"
    path.write_text(GAUGE)
    done = run("uncertainty", "ls + d - ls*(da*th + as*dt)", "--budget", str(path), "--coverage", "99%")  # fmt: skip
    assert "= 50000838 ± 32" in done.out  # JCGM 100:2008, H.1: 32 nm
    assert "k = 2.9" in done.out


def test_a_whole_budget_comes_from_toml(run, tmp_path):
    path = tmp_path / "b.toml"
    path.write_text(
        '[results]\nR = "x + y"\nD = "x - y"\n[quantities]\nx = "1±3"\ny = {value = 2, u = 4, df = 9}\n'
        '[correlations]\n"x,y" = 0.5\n'
    )
    done = run("uncertainty", "--budget", str(path), "--format", "json")
    found = json.loads(done.out)
    assert [own["name"] for own in found["results"]] == ["R", "D"]
    assert found["results"][0]["standard_uncertainty"] == pytest.approx(math.sqrt(37))
    assert found["correlations"]["R"]["D"] == pytest.approx(-7 / math.sqrt(37 * 13))


def test_correlations_come_from_a_matrix(run, tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("y,x\n1,0.5\n0.5,1\n")
    one = run("uncertainty", "x+y", "--at", "x=1±3,y=2±4", "--corr", f"@{path}")
    other = run("uncertainty", "x+y", "--at", "x=1±3,y=2±4", "--corr", "[[1, .5], [.5, 1]]")  # fmt: skip
    assert "u = 6.083" in one.out == other.out


def test_samples_are_set_beside_first_and_second_order(run):
    pytest.importorskip("numpy")
    arguments = ("uncertainty", "x^2", "--at", "x=0±1", "--monte-carlo", "2e4", "--seed", "3")  # fmt: skip
    done = run(*arguments)
    assert "first order is not enough" in done.out
    assert "the sensitivity to x is 0 here" in done.out
    assert done.out == run(*arguments).out
    linear = run("uncertainty", "x+2", "--at", "x=0±1", "--monte-carlo", "2e4", "--plot")  # fmt: skip
    assert "Monte Carlo, 20,000" in linear.out
    assert "█" * 40 in linear.out


def test_a_target_says_which_input_must_improve_by_how_much(run):
    done = run("uncertainty", "x+y", "--at", "x=10±3,y=90±4", "--target", "4.5%")
    assert "u = 4.5 (4.5 % of the value)" in done.out
    assert "u(x) from 3 to 2.062" in done.out
    assert "u(y) from 4 to 3.354" in done.out
    assert "every u divided by 1.111" in done.out
    fine = run("uncertainty", "x+y", "--at", "x=10±3,y=90±4", "--target", "6")
    assert "u = 6 is reached" in fine.out


REFUSED = [
    (("x", "--at", "x=2±-3"), "negative", 2),
    (("x", "--at", "x=2"), "x has no uncertainty", 2),
    (("x", "--at", "x=0±2%"), "a percentage of 0", 2),
    (("x", "--at", "x=1±1(df=0)"), "more than 0 degrees", 2),
    (("x", "--at", "x"), "a name and a quantity", 2),
    (("x", "--at", "x=1±1,x=2±1"), "x is given twice", 2),
    (("x", "--at", "pi=1±1"), "pi is a constant", 2),
    (("x*y", "--at", "x=1±1"), "y has no value", 2),
    (("x", "--at", "x=@none.csv:a"), "cannot read none.csv", 2),
    (("x",), "there are no quantities", 2),
    (("--at", "x=1±1"), "give the formula", 2),
    (("x*y", "--at", "x=1±1,y=1±1", "--corr", "x,y=1.2"), "is 1.2", 2),
    (("x*y", "--at", "x=1±1,y=1±1", "--corr", "x=1"), "a correlation is written", 2),
    (
        ("x*y", "--at", "x=1±1,y=1±1", "--corr", "x,y=0.5,y,x=0.5"),
        "semicolons: x,y=0.5; y,x=0.5",
        2,
    ),
    (
        ("x*y", "--at", "x=1±1,y=1±1", "--corr", "x,y=0.1; x,y=0.5"),
        "x and y is given twice",
        2,
    ),
    (
        (
            "x*y",
            "--at",
            "x=1±1,y=1±1",
            "--corr",
            "x,y=0.1",
            "--corr",
            "[[1,0.5],[0.5,1]]",
        ),
        "given twice",
        2,
    ),
    (("x*y", "--at", "x=1±1,y=1±1", "--corr", "[[1,2],[3]]"), "2 rows and columns", 2),
    (("x*y", "--at", "x=1±1,y=1±1", "--corr", "[1,2"), "not a matrix", 2),
    (("x", "--at", "x=1±1", "--coverage", "0"), "between 0 and 1", 2),
    (("x", "--at", "x=1±1", "--coverage", "1.5"), "between 0 and 1", 2),
    (("x", "--at", "x=1±1", "--target", "0"), "more than 0", 2),
    (("x", "--at", "x=0±1", "--target", "1%"), "the result is 0", 2),
    (("x", "--at", "x=1±1", "--target", "1e400"), "the target is beyond", 3),
    (("x*1e-300", "--at", "x=1±1e350", "--target", "1"), "u(x) is beyond", 3),
    (("x", "--at", "x=1±1", "--target", "1e-400"), "the target is beyond", 3),
    (("x", "--at", "x=1e-300±1e-310", "--target", "1e400%"), "the target is beyond", 3),
    (
        ("1e200 x", "--at", "x=1e200±1e190", "--target", "1%"),
        "the result (1.00000000000 ±",
        3,
    ),
    (("x", "--at", "x=1±1", "--monte-carlo", "7"), "takes from 100", 2),
    (("x", "--at", "x=1±1", "--budget", "none.toml"), "cannot read none.toml", 2),
    (("ln(x)", "--at", "x=-1±1"), "ln", 3),
    (("abs(x)", "--at", "x=0±1"), "-1 from the left and 1 from the right", 3),
]


@pytest.mark.parametrize(("arguments", "message", "code"), REFUSED)
def test_bad_input_gets_one_diagnostic(run, arguments, message, code):
    done = run("uncertainty", *arguments)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert done.err.count("error:") == 1


def test_a_correlation_may_be_repeated(run):
    done = run(
        "uncertainty",
        "x*y",
        "--at",
        "x=1±1,y=1±1",
        "--corr",
        "x,y=0.5; x,y=1/2; y,x=0.50",
    )
    assert done.code == 0


def test_columns_with_the_same_name_in_expressions_are_refused(run, readings):
    Path("d.csv").write_text("x1,x₁\n1,2\n3,4\n")
    done = run("uncertainty", "y", "--at", "y=@d.csv:x1")
    assert "two columns named 'x1'" in done.err


@pytest.mark.parametrize("u", ["1e+350", "1e-350"])
def test_the_uncertainty_of_an_input_beyond_doubles_is_shown(run, u):
    asked = ("uncertainty", "x", "--at", f"x=1±{u}")
    for form in ("table", "csv"):
        assert f" {u} " in run(*asked, "--format", form).out.replace(",", " ")


def test_a_refusal_in_json_keeps_the_result_with_nulls(run):
    done = run("uncertainty", "abs(x)", "--at", "x=0±1", "--format", "json")
    assert done.code == 3
    assert json.loads(done.out)["standard_uncertainty"] is None
    assert "-1 from the left" in json.loads(done.err)["error"]


BAD_FILES = [
    ("b.csv", "name,u\nx,1\n", "no columns for the names and values"),
    ("b.csv", "name,value,u\nx,1,-1\n", "row 1: the uncertainty of x is negative"),
    ("b.csv", "name,value,u\n2x,1,1\n", "is not a name"),
    ("b.csv", "name,value,u,half width\nx,1,1,1\n", "two uncertainties"),
    ("b.toml", "[quantities\n", "is not TOML"),
    ("b.toml", "[other]\nx = 1\n", "has a part 'other'"),
    ("b.toml", f"[quantities]\nx = {'1' * 5000}\n", "has a number of too many digits"),
    ("b.toml", "[quantities]\nx = 1\n", "x has no uncertainty"),
    ("b.toml", "[quantities]\nx = {value = 1, sd = 2}\n", "has a field 'sd'"),
]


@pytest.mark.parametrize(("name", "text", "message"), BAD_FILES)
def test_a_file_that_is_no_budget_gets_one_diagnostic(
    run, tmp_path, name, text, message
):
    (tmp_path / name).write_text(text)
    done = run("uncertainty", "x", "--budget", str(tmp_path / name))
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_one_reading_has_no_standard_deviation(run, readings, tmp_path):
    (tmp_path / "one.csv").write_text("a\n3\n")
    assert "has 1 reading" in run("uncertainty", "x", "--at", "x=@one.csv").err


@pytest.mark.parametrize("width", [40, 120])
def test_the_table_fits_the_terminal(run, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_: (width, 24))
    monkeypatch.setattr("exprgrad.views.output.width", lambda: width)
    done = run("uncertainty", "V/I*cos(φ)", "--at", VOLTAGE)
    assert max(map(len, done.out.splitlines())) <= width


def test_other_commands_point_at_this_one(run):
    done = run("eval", "x^2", "--at", "x=2±0.1")
    assert "did you mean: exprgrad uncertainty" in done.err
