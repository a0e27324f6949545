"""Points from ranges: what they are, and what is wrong with a range."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad import BindingError, ExprgradError, parse
from exprgrad.cli.start import run
from exprgrad.data.grid import Grid, rows, spread


def test_a_range_has_both_ends_and_equal_distances():
    assert Grid(["x=0:2:5"]).ranges == {"x": [0, 0.5, 1, 1.5, 2]}
    assert list(Grid(["x=1:-1:3, y=2"]).points()) == [
        {"x": 1, "y": 2},
        {"x": 0, "y": 2},
        {"x": -1, "y": 2},
    ]


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.integers(2, 50))
def test_the_ends_are_exact_whatever_the_steps(first, last, count):
    numbers = spread(first, last, count)
    assert (numbers[0], numbers[-1], len(numbers)) == (first, last, count)
    assert sorted(numbers, reverse=last < first) == numbers


def test_a_range_may_be_wider_than_the_largest_double():
    assert Grid(["x=-1e308:1e308:3"]).ranges == {"x": [-1e308, 0, 1e308]}


def test_the_last_of_several_ranges_changes_fastest():
    points = list(Grid(["a=1:2:2,c=5", "b=max(0, 1):3:3"]).points())
    assert [(p["a"], p["b"], p["c"]) for p in points] == [
        (a, b, 5) for a in (1, 2) for b in (1, 2, 3)
    ]


def test_rows_are_what_evaluate_gives_at_each_point():
    f = parse("ln(x)*y")
    found = rows(f, Grid(["x=0:2:3", "y=3"]), ["x"])
    assert [row.at["x"] for row in found] == [0, 1, 2]
    assert str(found[0].error) == "ln needs an argument > 0; here x is 0"
    for row in found[1:]:
        assert row.evaluation == f.evaluate(row.at, ["x"])


@pytest.mark.parametrize(
    ("text", "message", "shown"),
    [
        ("y=1, x=0:1", "a range is from:to:count", " x=0:1"),
        ("x=0:1:2:3", "a range is from:to:count", "x=0:1:2:3"),
        ("0:1:2", "a range is from:to:count", "0:1:2"),
        ("x=0::3", "a number is missing here", ":"),
        ("x=:1:3", "a number is missing here", "="),
        ("x=0:1:2.5", "a range has a whole number of points from 2 to 100,000", "2.5"),
        ("x=0:1:1", "a range has a whole number of points from 2 to 100,000", "1"),
        ("x=0:1:1e9", "a range has a whole number of points from 2 to 100,000", "1e9"),
        ("x=0:2:[1,2]", "a range is of numbers, not of arrays", "0:2:[1,2]"),
        ("x=0:[1,2]:3", "a range is of numbers, not of arrays", "0:[1,2]:3"),
        ("x=0:y:3", "the value of x must be a number", "x"),
        ("x=0:1/0:3", "a quotient needs a divisor other than 0", "1/0"),
        ("x=1,x=0:1:3", "x is given twice", "x"),
        ("x=0:1:3,x=0:1:3", "x is given twice", "x"),
        ("e=0:1:3", "e is a constant and has its value", "e"),
        ("x=0:1:400,y=0:1:400", "these are 160,000 points; at most 100,000 are shown", None),
    ],
)  # fmt: skip
def test_a_fault_in_a_range_is_shown_at_its_place(text, message, shown):
    with pytest.raises(ExprgradError) as caught:
        Grid([text], "--at")
    assert caught.value.message.startswith(message)
    if shown is not None:
        assert caught.value.source == text
        assert caught.value.origin == "--at"
        assert text[slice(*caught.value.span)].strip() == shown.strip()


def test_names_that_do_not_occur_are_errors():
    with pytest.raises(BindingError, match="no variable z"):
        Grid(["x=0:1:3, z=2"]).check(parse("x"))
    with pytest.raises(BindingError, match="no value for y"):
        rows(parse("x*y"), Grid(["x=0:1:3"]))


@pytest.mark.parametrize(
    "option", ["--trace", "--hessian", "--order 2", "--seed x=1", "--mode forward"]
)
def test_a_range_excludes_options_for_a_single_point(option, capsys):
    assert run(["eval", "x", "--at", "x=0:1:3", *option.split()]) == 2
    assert "a range of values cannot be combined" in capsys.readouterr().err


def test_the_points_of_a_grid_are_the_numbers_that_are_meant():
    tie = rows(parse("if(3*x == 0.3*k, 1, 2)"), Grid(["x=0:1:11, k=1"]), ())
    assert [row.evaluation.value for row in tie] == [2, 1, *[2] * 9]
    sines = rows(parse("sin(x)"), Grid(["x=-pi:pi:5"]))
    assert [row.evaluation.value for row in sines] == [0, -1, 0, 1, 0]
    assert [row.evaluation.gradient["x"] for row in sines] == [-1, 0, 1, 0, -1]


def test_remarks_are_part_of_the_json_on_standard_error(capsys):
    assert run(["eval", "ln(x)", "--at", "x=-1:1:5", "--format", "json"]) == 3
    err = json.loads(capsys.readouterr().err)
    assert err["error"] == "ln needs an argument > 0; here x is -1"
    assert err["remarks"] == ["3 of 5 rows have an error"]
