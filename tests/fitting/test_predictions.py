"""Formulas in the parameters of a fit, with the uncertainty that the fit leaves."""

from __future__ import annotations

import json

import pytest

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import parse

np = pytest.importorskip("numpy")
pytest.importorskip("scipy")

from exprgrad.fitting.fit import fit  # noqa: E402 # needs NumPy
from exprgrad.fitting.predictions import predicted  # noqa: E402

X = [0.0, 1, 2, 3, 4, 5]
Y = [1.1, 2.9, 5.2, 6.8, 9.1, 11.2]


@pytest.fixture(scope="module")
def line():
    return fit("y ~ a + b*x", {"x": X, "y": Y}, {"a": 0, "b": 1})


def test_a_prediction_of_a_line_has_the_interval_of_the_textbook(line):
    found = predicted(line, {"y(7)": parse("a + 7b", ("a", "b"))})["y(7)"]
    x, y = np.array(X), np.array(Y)
    slope, start = np.polyfit(x, y, 1)
    s = np.sqrt(((y - start - slope * x) ** 2).sum() / 4)
    own = s * np.sqrt(1 / 6 + (7 - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum())
    assert found.value == pytest.approx(start + 7 * slope)
    assert found.standard_uncertainty == pytest.approx(own, rel=1e-9)
    assert found.degrees_of_freedom == pytest.approx(4)
    assert found.coverage_factor == pytest.approx(2.7764451051977934)


def test_a_column_and_an_unknown_name_are_refused(line):
    with pytest.raises(ExprgradError, match="x is a column of the data"):
        predicted(line, {"f": parse("a*x")})
    with pytest.raises(ExprgradError, match="no variable c"):
        predicted(line, {"f": parse("a*c")})


def test_errors_that_are_not_known_are_refused():
    exact = fit("y ~ a*x", {"x": [1.0, 2, 3], "y": [2.0, 4, 6]}, {"a": 1})
    with pytest.raises(ExprgradError, match="standard error of a is not known"):
        predicted(exact, {"f": parse("2a")})


def test_the_command_predicts_behind_the_fit(tmp_path, capsys):
    from exprgrad.cli.start import run

    path = tmp_path / "line.csv"
    path.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in zip(X, Y, strict=True)))
    command = ["fit", "y ~ a + b*x", "--data", str(path), "--start", "a=0,b=1", "--then", "a + 7b"]  # fmt: skip
    assert run(command) == 0
    assert "\na + 7b = 15.14 ± 0.21\n" in capsys.readouterr().out
    assert run([*command, "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["then"]
    assert found["degrees_of_freedom"] == pytest.approx(4)


def test_columns_get_names_that_a_model_can_use(tmp_path, capsys):
    from exprgrad.cli.start import run

    path = tmp_path / "line.csv"
    rows = "".join(f"{x},{y}\n" for x, y in zip(X, Y, strict=True))
    path.write_text(f"height (m),E-Mail\n{rows}")
    command = ["fit", "y ~ a + b*h", "--data", str(path), "--start", "a=0,b=1", "--map"]
    assert run([*command, "h=height (m)", "--map", "y=E-Mail"]) == 0
    assert "residual sum of squares" in capsys.readouterr().out
    assert run([*command, "h=width"]) == 2
    assert "no column 'width'" in capsys.readouterr().err
