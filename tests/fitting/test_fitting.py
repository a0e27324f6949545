"""Fitting: least squares with their errors, other losses, batches, and what goes wrong."""

from __future__ import annotations

import csv
import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

from exprgrad import fit
from exprgrad.cli.start import run
from exprgrad.errors import BindingError, DomainError, RangeError, UsageError
from exprgrad.views.uncertainty import fit_notes
from tests.golden import HERE, compare

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "cooling.csv"
NIST = Path(__file__).resolve().parents[3] / "shared" / "suites" / "nist.jsonl"


def nist():
    if not NIST.exists():
        return []
    rows = [json.loads(line) for line in NIST.read_text().splitlines()]
    return [(row, start) for row in rows for start in ("start1", "start2")]


def agreeing_digits(found, certified):
    return min(
        -math.log10(max(1e-16, abs(found[name] / float(value) - 1)))
        for name, value in certified.items()
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "start"), nist(), ids=lambda x: x if isinstance(x, str) else x["name"]
)
def test_certified_parameters_of_nist_are_reached_from_both_starts(row, start):
    data = {name: [r[i] for r in row["data"]] for i, name in enumerate(row["columns"])}
    found = fit(f"{row['lhs']} ~ {row['expr']}", data, row[start])
    assert found.converged
    values = {name: p.value for name, p in found.parameters.items()}
    errors = {name: p.stderr for name, p in found.parameters.items()}
    assert agreeing_digits(values, row["certified"]) >= 9
    assert agreeing_digits(errors, row["certified_sd"]) >= 9
    assert found.rss == pytest.approx(float(row["rss"]), rel=1e-9)


BOX = {"x": [1, 2, 3, 5, 7, 10], "y": [2.5, 4.1, 5.6, 6.9, 7.7, 8.1]}


def test_a_line_has_the_errors_of_the_textbook():
    x, y = np.array(BOX["x"], float), np.array(BOX["y"])
    found = fit("y ~ a + b*x", BOX, {"a": 0, "b": 0})
    off = x - x.mean()
    slope = (off @ y) / (off @ off)
    residuals = y - y.mean() - slope * off
    rss = residuals @ residuals
    error = math.sqrt(rss / 4 / (off @ off))
    assert found.parameters["b"] == pytest.approx((slope, error))
    assert found.rss == pytest.approx(rss)
    assert found.residuals == pytest.approx(residuals.tolist())
    assert found.predictions == pytest.approx((y - residuals).tolist())
    expected = -x.mean() / math.sqrt((x * x).mean())
    assert found.correlations["a"]["b"] == pytest.approx(expected)


def test_a_distant_start_converges_by_eliminating_linear_parameters():
    x = np.linspace(0, 5, 40)
    data = {"x": x.tolist(), "y": (3 * np.exp(-1.3 * x) + 0.5).tolist()}
    found = fit("y ~ a*exp(-b*x) + c", data, {"a": -1e6, "b": 20, "c": 1e6})
    assert found.converged
    values = [p.value for p in found.parameters.values()]
    assert values == pytest.approx([3, 1.3, 0.5])
    assert found.rss < 1e-20


@pytest.mark.slow
def test_other_starts_are_tried_for_a_peak_that_the_start_misses():
    drawn = random.Random(3)
    x = [400 + i * 100 / 34 for i in range(35)]
    y = [
        0.38 * math.exp(-(((u - 451.5) / 4.1) ** 2) / 2) + drawn.gauss(0, 1e-3)
        for u in x
    ]
    start = {"a": 1, "b": 10, "c": 500}
    found = fit("y ~ a/b*exp(-((x-c)/b)^2/2)", {"x": x, "y": y}, start)
    assert found.converged
    assert found.parameters["c"].value == pytest.approx(451.5, abs=0.1)
    assert found.parameters["b"].value == pytest.approx(4.1, abs=0.1)


def test_residuals_whose_squares_vanish_leave_a_fit_at_the_end_of_its_domain():
    data = {"x": [0.0, 1.0, 2.0], "y": [0.0, 0.0, 0.0]}
    found = fit("y ~ sqrt(a*x)", data, {"a": 0.5})
    assert not found.converged
    assert found.rss < 1e-300


def test_zeros_that_are_met_are_not_searched_from_other_starts():
    data = {"x": [0.0, 1.0], "y": [0.0, 0.0]}
    assert fit("y ~ sqrt(a*x)", data, {"a": 1e-290}).steps < 500


def test_the_left_side_may_be_a_formula_of_columns():
    data = {"x": [0, 1, 2, 3], "y": [1, 2, 4, 8]}
    found = fit("ln(y)/ln(2) ~ a*x + b", data, {"a": 0, "b": 1})
    assert found.parameters["a"].value == pytest.approx(1)
    assert found.parameters["b"].value == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_the_data_may_be_a_frame_with_columns_of_text_in_it(name):
    data = {"x": [0.0, 1, 2], "y": [1.0, 3, 5], "who": ["a", "b", "c"]}
    frame = pytest.importorskip(name).DataFrame(data)
    found = fit("y ~ a*x + b", frame, {"a": 0, "b": "1/2"})
    assert found.parameters["a"].value == pytest.approx(2)


def test_the_data_may_be_a_lazy_frame_or_a_table_of_arrow():
    data = {"x": [0.0, 1, 2], "y": [1.0, 3, 5], "who": ["a", "b", "c"]}
    lazy = pytest.importorskip("polars").LazyFrame(data)
    for table in (lazy, pytest.importorskip("pyarrow").table(data)):
        found = fit("y ~ a*x + b", table, {"a": 0, "b": "1/2"})
        assert found.parameters["a"].value == pytest.approx(2)


def test_bounds_hold_and_count_as_converged_where_they_press():
    found = fit("y ~ a + b*x", BOX, {"a": 0, "b": 0}, bounds={"b": (None, 0.5)})
    assert found.parameters["b"].value == 0.5
    assert found.converged
    assert found.message.endswith("; at a bound: b")
    assert found.parameters["b"].stderr is None
    rest = fit("y ~ a + b*x", BOX, {"a": 0}, fixed={"b": 0.5})
    assert found.parameters["a"].value == pytest.approx(rest.parameters["a"].value)
    assert found.at_bound == ("b",)
    assert found.degrees == rest.degrees == len(BOX["y"]) - 1
    assert found.deviation == pytest.approx(rest.deviation)
    assert found.parameters["a"].stderr == pytest.approx(rest.parameters["a"].stderr)
    assert found.correlations == {"a": {"a": 1}}


def test_a_descent_holds_a_parameter_at_its_bound_like_least_squares_does():
    bounds = {"b": (None, 0.5)}
    least = fit("y ~ a + b*x", BOX, {"a": 0, "b": 0}, bounds=bounds)
    found = fit("y ~ a + b*x", BOX, {"a": 0, "b": 0}, "lbfgs", bounds=bounds)
    assert (found.at_bound, found.degrees) == (("b",), least.degrees)
    assert found.message.endswith("; at a bound: b")
    assert found.parameters["b"].stderr is None
    assert found.parameters["a"].stderr == pytest.approx(least.parameters["a"].stderr)


def test_parameters_that_the_data_cannot_distinguish_do_not_converge():
    found = fit("y ~ a + b + c*x", BOX, {"a": 0, "b": 0, "c": 0})
    assert not found.converged
    assert "do not determine all parameters" in found.message
    assert {p.stderr for p in found.parameters.values()} == {None}


def test_a_start_on_top_of_a_hill_is_no_best_fit():
    circle = {"c": [1, 0], "s": [0, 1], "y": [-2, 0]}
    found = fit("y ~ c*cos(a) + s*sin(a)", circle, {"a": 0})
    assert found.converged
    assert abs(found.parameters["a"].value) == pytest.approx(math.pi)
    assert found.rss == pytest.approx(1)


def test_residuals_that_are_rounding_determine_no_errors(tmp_path, capsys):
    data = {"x": [1, 2, 3], "y": [0.3, 0.5, 0.7]}
    found = fit("y ~ a*x + b", data, {"a": 0, "b": 0})
    assert found.converged
    assert {p.stderr for p in found.parameters.values()} == {None}
    path = tmp_path / "d.csv"
    path.write_text("x,y\n1,0.3\n2,0.5\n3,0.7\n")
    assert run(["fit", "y ~ a*x+b", "--data", str(path), "--start", "a=0,b=0"]) == 0
    assert "residual sum of squares 0 but for rounding" in capsys.readouterr().out


def test_no_more_digits_are_shown_than_are_known():
    rows = {"x": [1, 2, 3, 4], "y": [1e6 + u for u in (1.1e-6, 1.9e-6, 3.1e-6, 4e-6)]}
    found = fit("y ~ a + b*x", rows, {"a": 1e6, "b": 0})
    assert found.rss_digits < 5
    assert found.digits("b") < 6
    assert fit("y ~ a + b*x", BOX, {"a": 0, "b": 0}).rss_digits >= 12


@pytest.mark.slow
def test_a_model_without_a_best_fit_is_not_said_to_converge():
    data = {"x": [0, 1, 2, 3], "y": [0, 0, 1, 1]}
    found = fit("y ~ 1/(1 + exp(-k*(x - 1.5)))", data, {"k": 1})
    assert not found.converged or found.rss < 1e-12


def test_steps_out_of_the_domain_are_taken_back():
    x = [0.5, 1, 2, 4, 8]
    data = {"x": x, "y": [math.log(0.3 + u) for u in x]}
    found = fit("y ~ ln(a + x)", data, {"a": 30})
    assert found.parameters["a"].value == pytest.approx(0.3)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["adam", "momentum", "lbfgs"])
def test_descents_find_the_least_squares(method):
    start = {"a": 0, "b": 0}
    best = fit("y ~ a + b*x", BOX, start)
    found = fit("y ~ a + b*x", BOX, start, method)
    assert found.converged
    for name, parameter in best.parameters.items():
        assert found.parameters[name] == pytest.approx(parameter, rel=1e-6)


@pytest.mark.slow
def test_huber_and_absolute_losses_do_not_follow_an_outlier():
    x = list(range(20))
    data = {"x": x, "y": [2 * u + 1 + (100 if u == 17 else 0) for u in x]}
    start = {"a": 0, "b": 0}
    squares = fit("y ~ a + b*x", data, start)
    huber = fit("y ~ a + b*x", data, start, "lbfgs", loss="huber")
    absolute = fit(
        "y ~ a + b*x", data, start, "adam", loss="mae", rate=0.05, schedule="cosine"
    )
    assert abs(squares.parameters["b"].value - 2) > 0.5
    assert huber.parameters["b"].value == pytest.approx(2, abs=0.05)
    assert absolute.parameters["b"].value == pytest.approx(2, abs=0.05)
    assert huber.parameters["b"].stderr is None


def test_a_logistic_regression_is_a_fit_with_its_own_loss():
    data = {"x": [0, 1, 2, 3, 4, 5], "y": [0, 0, 1, 0, 1, 1]}
    found = fit("y ~ a + b*x", data, {"a": 0, "b": 0}, "lbfgs", loss="bce_logits")
    a, b = (p.value for p in found.parameters.values())
    assert found.converged
    sums = [
        sum((1 / (1 + math.exp(-a - b * x)) - y) * w for x, y, w in rows)
        for rows in (
            [(x, y, 1) for x, y in zip(data["x"], data["y"], strict=True)],
            [(x, y, x) for x, y in zip(data["x"], data["y"], strict=True)],
        )
    ]
    assert sums == pytest.approx([0, 0], abs=1e-6)


def test_batches_repeat_with_their_seed():
    def run_with(seed):
        found = fit(
            "y ~ a + b*x", BOX, {"a": 0, "b": 0}, "momentum",
            batch=2, seed=seed, steps=60, rate=0.002,
        )  # fmt: skip
        return [p.value for p in found.parameters.values()]

    assert run_with(1) == run_with(1)
    assert run_with(1) != run_with(2)


@pytest.mark.slow
def test_batches_with_a_falling_rate_end_at_the_least_squares():
    best = fit("y ~ a + b*x", BOX, {"a": 0, "b": 0})
    found = fit(
        "y ~ a + b*x", BOX, {"a": 0, "b": 0}, "adam", batch=2, rate=0.05,
        schedule="exponential", steps=6000,
    )  # fmt: skip
    assert not found.converged
    for name, parameter in best.parameters.items():
        assert found.parameters[name].value == pytest.approx(parameter.value, abs=0.02)


@pytest.mark.parametrize(
    ("model", "options", "error", "words"),
    [
        ("a*x", {}, UsageError, "needs a ~"),
        ("z ~ a*x", {}, BindingError, "no column 'z'"),
        ("y ~ a*z", {}, BindingError, "no column 'z'"),
        ("y ~ x", {"start": {}}, UsageError, "no parameter"),
        ("y ~ a*x", {"start": {"a": 1, "x": 2}}, BindingError, "x is a column"),
        ("y ~ a*x", {"start": {"a": 1, "b": 2}}, BindingError, "no variable b"),
        ("y ~ a*x", {"loss": "mae"}, UsageError, "lm takes least squares"),
        (
            "y ~ a*x",
            {"method": "adam", "loss": "mea"},
            UsageError,
            "there is no loss mea",
        ),
        ("y ~ a*x", {"method": "adam", "batch": 9}, UsageError, "from 1 to 6"),
        ("y ~ a*x", {"method": "lbfgs", "batch": 2}, UsageError, "all points"),
        ("y ~ a*x", {"method": "trust"}, UsageError, "does not fit"),
        ("y ~ ln(a*x)", {"start": {"a": -1}}, DomainError, "row 1: ln needs"),
        ("y ~ a*x", {"fixed": {"a": 2}}, BindingError, "a start and a fixed value"),
        ("y ~ a*x", {"steps": 0}, UsageError, "at least one step"),
        ("y ~ a*x", {"steps": "5"}, UsageError, "the number of steps is a number"),
        ("y ~ a*x", {"start": {"a": math.nan}}, BindingError, "the value of a is nan"),
        ("y ~ a*x", {"start": {"a": "?"}}, BindingError, "is not a number"),
        ("y ~ a*x", {"bounds": {"a": 3}}, UsageError, "bounds are two numbers"),
        ("y ~ a*x", {"bounds": {"a": (2, 2)}}, UsageError, "leave a one value"),
        ("y ~ a*x", {"bounds": {"a": (2, 1)}}, UsageError, "wrong way round"),
        (
            "y ~ a+b+c+d+f+g+h*x",
            {"start": dict.fromkeys("abcdfgh", 1)},
            UsageError,
            "6 points do not determine 7",
        ),
    ],
)
def test_what_cannot_be_fitted_is_an_error(model, options, error, words):
    with pytest.raises(error, match=words):
        fit(model, BOX, **({"start": {"a": 1}} | options))


@pytest.mark.parametrize("unit", ["1e200", "1e-200"])
def test_units_whose_squares_overflow_change_nothing_but_the_scale(unit):
    found = fit(f"y ~ {unit}*a*x + b", BOX, {"a": 1, "b": 0})
    usual = fit("y ~ a*x + b", BOX, {"a": 1, "b": 0})
    assert found.converged
    for own, other, scale in zip(found.parameters.values(), usual.parameters.values(), (float(unit), 1), strict=True):  # fmt: skip
        assert own.stderr * scale == pytest.approx(other.stderr)
    assert found.correlations["a"]["b"] == pytest.approx(usual.correlations["a"]["b"])


@pytest.mark.parametrize("column", [3, ["?"], [[1], [2, 3]]])
def test_a_column_is_a_list_of_numbers(column):
    with pytest.raises(BindingError, match="the column x is no list of numbers"):
        fit("y ~ a*x", {"x": column, "y": [1, 2]}, {"a": 1})


COOLING = ["fit", "T ~ room + rise*exp(-k*t)", "--start", "room=20,rise=50,k=0.1"]
DATA = ["--data", str(SAMPLE)]


@pytest.mark.parametrize(
    ("name", "argv"),
    {
        "fit": [*COOLING, *DATA],
        "fit_adam": [*COOLING, *DATA, "--method", "adam", "--rate", "0.1", "--batch", "5", "--steps", "500"],
        "fit_unclear": ["fit", "T ~ a + b + k*t", *DATA, "--start", "a=1,b=1,k=0"],
        "fit_no_column": ["fit", "T ~ a*x", *DATA, "--start", "a=1"],
        "fit_syntax": ["fit", "T ~ a*t +", *DATA, "--start", "a=1"],
        "fit_domain": ["fit", "T ~ a/t", *DATA, "--start", "a=1"],
        "fit_no_data": COOLING,
    }.items(),
)  # fmt: skip
def test_what_fit_prints(name, argv, capsys):
    code = run(argv)
    captured = capsys.readouterr()
    text = f"{captured.out}--- exit {code}\n{captured.err}"
    compare(HERE / "learning" / f"{name}.txt", text)


def test_fit_writes_json_and_residuals(tmp_path, capsys):
    path = tmp_path / "out.csv"
    assert run([*COOLING, *DATA, "--format", "json", "--output", str(path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["converged"] is True
    assert found["parameters"]["k"]["value"] == pytest.approx(0.0694905744)
    assert found["parameters"]["k"]["stderr"] > 0
    with path.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    squares = sum(float(row["residual"]) ** 2 for row in rows)
    assert squares == pytest.approx(found["rss"])
    for row in rows:
        total = float(row["prediction"]) + float(row["residual"])
        assert total == pytest.approx(float(row["T"]))


def test_a_cell_that_is_not_a_number_is_named(tmp_path, capsys):
    path = tmp_path / "d.csv"
    path.write_text("name,x,y\nfirst,1,2\nsecond,2,four\n")
    argv = ["fit", "y ~ a*x", "--data", str(path), "--start", "a=1"]
    assert run(argv) == 2
    assert "column 'y': the cell of row 2 is not a number: 'four'" in (
        capsys.readouterr().err
    )
    path.write_text("name,x,y\nfirst,1,2\nsecond,2,4\n")
    assert run(argv) == 0


@pytest.mark.parametrize("steps", [2.5, math.nan, math.inf, "3"])
def test_steps_that_are_no_whole_number_are_an_error(steps):
    with pytest.raises(UsageError, match="the number of steps is a"):
        fit("y ~ a*x", {"x": [1, 2], "y": [2, 5]}, {"a": 1}, steps=steps)


def test_one_degree_of_freedom_is_told_as_one():
    found = fit("y ~ a*x", {"x": [1, 2], "y": [2, 5]}, {"a": 1})
    assert fit_notes(found, 6)[0].endswith("(1 degree of freedom)")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e200, 1e307])
def test_squares_beyond_doubles_are_an_error_without_a_warning(size):
    data = {"x": [1, 2, 3], "y": [size, size / 3, size / 7]}
    with pytest.raises(RangeError, match="the sum of the squares is beyond"):
        fit("y ~ a*x", data, {"a": 1})
    twice = {"x": [size, size / 2], "y": [size * 2, size]}
    assert fit("y ~ a*x", twice, {"a": 1}).converged
