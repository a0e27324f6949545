"""What `eval` shows of bounds: --trust, --order, --hessian, --seed, in every format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import NamedTuple

import pytest

from exprgrad.cli.start import run


class Done(NamedTuple):
    exit_code: int
    stdout: str
    stderr: str


@pytest.fixture
def program(capsys, monkeypatch) -> Callable[..., Done]:
    """Run a command in this process, on a stream that is no terminal."""
    monkeypatch.setenv("COLUMNS", "80")

    def runs(*argv: str) -> Done:
        code = run(list(argv))
        return Done(code, *capsys.readouterr())

    return runs


def test_trust_is_shown_with_a_caret_under_the_operation(program):
    done = program("eval", "(1-cos(x))/x^2", "--at", "x=1e-8", "--trust")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert " ^^^^^^^^" in lines
    assert lines[lines.index(" ^^^^^^^^") - 1] == "(1-cos(x))/x^2"
    assert "error at most" in done.stdout
    assert "all of its 16 digits" in done.stdout


def test_trust_is_written_as_json(program):
    done = program("eval", "x^2-y^2", "--at", "x=1.0000001,y=1", "--trust", "--format", "json")  # fmt: skip
    found = json.loads(done.stdout)
    assert found["trust"]["condition"]["x"] == pytest.approx(1e7, rel=1e-6)
    assert found["trust"]["loss"] == {"operation": "a difference", "span": [0, 7], "digits": 7}  # fmt: skip
    assert found["trust"]["value_digits"] >= 10
    assert set(found["trust"]["digits"]) == set(found["errors"]) == {"x", "y"}


@pytest.mark.parametrize("beside", [["--format", "csv"], ["--seed", "x=1"], ["--subgradient"]])  # fmt: skip
def test_trust_is_refused_where_it_would_not_be_shown(program, beside):
    done = program("eval", "x^2", "--at", "x=1", "--trust", *beside)
    assert (done.exit_code, done.stdout) == (2, "")


FORTY = [
    ("exp(x)", "x=1", "2.718281828459045235360287471352662497757"),
    ("1/x", "x=3", "-0.1111111111111111111111111111111111111111"),
]


@pytest.mark.parametrize("option", [[], ["--order", "1"], ["--hessian"], ["--seed", "x=1"]])  # fmt: skip
@pytest.mark.parametrize(("source", "at", "slope"), FORTY)
def test_forty_digits_are_right_by_every_way(program, source, at, slope, option):
    done = program("eval", source, "--at", at, "--digits", "40", *option)
    assert slope in done.stdout
    if option == ["--hessian"]:
        second = (
            slope
            if source == "exp(x)"
            else "0.07407407407407407407407407407407407407407"
        )
        assert second in done.stdout


def last(text: str) -> str:
    return text.split()[-1]


def test_the_fourth_derivative_is_right_where_terms_cancel(program):
    done = program("eval", "(1-cos(x))/x^2", "--at", "x=1e-3", "--order", "4")
    assert last(done.stdout) == "0.0333333244"


def test_the_derivative_along_a_seed_is_that_of_eval(program):
    done = program("eval", "(exp(x)-1-x)/x^2", "--at", "x=1e-6", "--seed", "x=1")
    assert last(done.stdout) == "0.16666675"
    done = program("eval", "(exp(x)-1-x)/x^2", "--at", "x=1e-6", "--seed", "x=1", "--format", "json")  # fmt: skip
    found = json.loads(done.stdout)
    assert 0 < found["derivative_error"] < 1e-16
    assert 0 < found["error"] < 1e-15


@pytest.mark.parametrize("order", ["0", "-3", "2000000"])
def test_an_order_out_of_range_is_refused(program, order):
    done = program("eval", "x^2", "--at", "x=1", "--order", order)
    assert (done.exit_code, done.stdout) == (2, "")


@pytest.mark.slow
def test_orders_of_a_polynomial_end_with_its_degree(program):
    done = program("eval", "x^3", "--at", "x=2", "--order", "100000")
    assert done.stdout.splitlines()[-1].split() == ["4", "to", "100000", "0"]


def test_a_corner_shows_the_value_and_why_there_are_no_higher_derivatives(program):
    done = program("eval", "x*|x|+1", "--at", "x=0", "--order", "3")
    assert done.exit_code == 3
    assert "x*|x|+1 = 1" in done.stdout
    assert [line.split() for line in done.stdout.splitlines()[-3:]] == [
        ["1", "0"], ["2", "none"], ["3", "none"]
    ]  # fmt: skip
    assert "there is no derivative of order 2 at x = 0" in done.stderr


def test_second_partials_and_orders_are_rows_of_csv(program):
    done = program("eval", "x^2*y", "--at", "x=2,y=3", "--hessian", "--format", "csv")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert rows == [
        ["name", "value", "partial"], ["result", "12", ""], ["x", "2", "12"], ["y", "3", "4"],
        ["x x", "", "6"], ["x y", "", "4"], ["y x", "", "4"], ["y y", "", "0"],
    ]  # fmt: skip
    done = program("eval", "x^2", "--at", "x=3", "--order", "2", "--format", "csv")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert rows[3:] == [["order 0", "", "9"], ["order 1", "", "6"], ["order 2", "", "2"]]  # fmt: skip


def test_second_partials_and_orders_are_tables_of_markdown(program):
    done = program("eval", "x^3", "--at", "x=2", "--hessian", "--order", "2", "--format", "markdown")  # fmt: skip
    assert "| ∂/∂x | 12 |" in done.stdout
    assert "| 2 | 12 |" in done.stdout


def test_json_has_a_bound_for_every_number_and_a_text_beyond_doubles(program):
    done = program("eval", "exp(x)", "--at", "x=1", "--hessian", "--order", "2", "--format", "json")  # fmt: skip
    found = json.loads(done.stdout)
    assert found["derivatives"] == pytest.approx([2.718281828459045] * 3)
    assert all(0 < error < 1e-14 for error in found["derivative_errors"])
    assert 0 < found["hessian_errors"]["x"]["x"] < 1e-14
    done = program("eval", "exp(x)", "--at", "x=-1000", "--hessian", "--order", "1", "--format", "json")  # fmt: skip
    found = json.loads(done.stdout)
    assert found["derivatives"] == [None, None]
    assert found["derivative_texts"]["1"] == "5.075958898e-435"
    assert found["hessian_texts"]["x"]["x"] == "5.075958898e-435"


DERIVED = [
    (["(1-cos(x))/x^2", "--at", "x=1e-3", "--order", "4"], "0.0333333244 "),
    (["(1-cos(x))/x^2*y", "--wrt", "x,y", "--at", "x=1e-8,y=2"], "-8.333333333e-10 "),
    (["relu(x)-relu(-x)", "--at", "x=0"], "= 1 at"),
    (["exp(x)", "--at", "x=1000"], "1.970071114e+434"),
    (["exp(x)", "--at", "x=1", "--digits", "30"], "2.71828182845904523536028747135 "),
    (["x^3*y^2*z", "--wrt", "x,y,z", "--at", "x=1,y=2,z=3"], "= 12 at"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("argv", "shown"), DERIVED)
def test_the_value_of_a_formula_is_that_of_the_derivative(program, argv, shown):
    done = program("diff", *argv)
    assert done.exit_code == 0
    assert shown in done.stdout


def test_the_value_of_a_derivative_has_a_bound_in_json(program):
    done = program("diff", "exp(x)*y", "--at", "x=1,y=2", "--format", "json")
    found = json.loads(done.stdout)
    assert found["values"]["y"] == pytest.approx(2.718281828459045)
    assert all(0 < found["errors"][name] < 1e-14 for name in "xy")


def test_a_derivative_that_does_not_exist_has_no_value_beside_its_formula(program):
    done = program("diff", "x*|x|", "--at", "x=0", "--order", "2")
    assert done.exit_code == 3
    assert "d^2/dx^2 = 2*sign(x)" in done.stdout
    assert "no derivative of order 2" in done.stderr


def test_a_grid_shows_numbers_beyond_doubles_and_the_digits_asked_for(program):
    done = program("eval", "exp(x)", "--at", "x=0:1000:2")
    assert done.stdout.split()[-2:] == ["1.970071114e+434"] * 2
    done = program("eval", "exp(x)", "--at", "x=0:1:2", "--digits", "30")
    assert last(done.stdout) == "2.71828182845904523536028747135"
    done = program("eval", "exp(x)", "--at", "x=0:1000:2", "--format", "json")
    assert json.loads(done.stdout)["rows"][1]["value_text"] == "1.970071114e+434"


def test_names_with_subscripts_are_known_in_every_option(program):
    for arguments in (
        ["eval", "x₁²x₂", "--at", "x₁=1:3:3,x₂=2", "--wrt", "x₁"],
        ["eval", "x₁²x₂", "--at", "x₁=3,x₂=2", "--seed", "x₁=1"],
        ["diff", "x₁²x₂", "--wrt=x₁", "--at", "x₁=3,x₂=2"],
        ["minimize", "(x₁-12)^2", "--start", "x₁=0"],
        ["uncertainty", "x₁*2", "--at", "x₁=6±0.2"],
    ):
        done = program(*arguments)
        assert done.exit_code == 0
        assert "12" in done.stdout
