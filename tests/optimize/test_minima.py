"""What minimize says of the point where it ends is true: a minimum, a maximum, a saddle, or not decided."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest
from flint import arb

from exprgrad import Value, minimize, parse
from exprgrad.cli.start import run
from exprgrad.optimize.stationary import (
    KINDS,
    MOST_VARIABLES,
    NOT_MINIMA,
    downhill,
    modulus,
)

ENDS = {
    "1e-10*(x-3)^2": ({"x": 0}, "minimum", {"x": 3}),
    "(x-3)^2 + 1e-10*(y-3)^2": ({"x": 0, "y": 0}, "minimum", {"x": 3, "y": 3}),
    "1e10*(x-1/3)^2": ({"x": 0}, "minimum", {"x": 1 / 3}),
    "x^3": ({"x": 1}, "inflection", {"x": 0}),
    "x^4": ({"x": 1}, "minimum", {"x": 0}),
    "(3x-1)^4": ({"x": 2}, "minimum", {"x": 1 / 3}),
    "x*y": ({"x": 1, "y": 1}, "saddle", {"x": 0, "y": 0}),
    "x^2 - y^2": ({"x": 1, "y": 0}, "saddle", {"x": 0, "y": 0}),
    "max(x,-2x)": ({"x": 1}, "local minimum", {"x": 0}),
    "0 - |x|": ({"x": 0}, "local maximum", {"x": 0}),
    "cos x": ({"x": 0}, "local maximum", {"x": 0}),
    "0 - x^2": ({"x": 0}, "local maximum", {"x": 0}),
    "0 - x^2 - y^4": ({"x": 0, "y": 0}, "no minimum", None),
    "x^2 + x + 1": ({"x": 4}, "local minimum", {"x": -1 / 2}),
    "cosh(x - 1/3)": ({"x": 0}, "minimum", {"x": 1 / 3}),
    "cos x + x^2/10": ({"x": 1}, "local minimum", None),
    "|x - sqrt(2)|": ({"x": 1}, "minimum", None),
    "(x^2 - 2)^2": ({"x": 1}, "minimum", None),
    "7 + 0*x": ({"x": 1}, "minimum", {"x": 1}),
    "(a*b - 1)^2": ({"a": 2, "b": 3}, "minimum", {"a": 365/811, "b": 811/365}),
    "(1-x)^2 + 100*(y-x^2)^2": ({"x": -1.2, "y": 1}, "minimum", {"x": 1, "y": 1}),
    "|x| + y^2": ({"x": 1, "y": 1}, "minimum", {"x": 0, "y": 0}),
    "sqrt(x)": ({"x": 3}, "minimum", {"x": 0}),
    "exp(-x)": ({"x": 0}, "infimum not attained", None),
    "exp(-x) + y^2": ({"x": 0, "y": 1}, "infimum not attained", None),
    "1/(1+x^2)": ({"x": 1e5}, "infimum not attained", None),
    "x": ({"x": 1}, "infimum not attained", None),
    "x^3 + 0": ({"x": -1}, "infimum not attained", None),
    "2 - x^2": ({"x": 1}, "infimum not attained", None),
    "atan(x)": ({"x": 0}, "infimum not attained", None),
    "x*|x|": ({"x": 0}, "stationary", None),
}  # fmt: skip


@pytest.mark.parametrize("f", ENDS)
def test_the_kind_of_point_is_told_and_where_it_is(f):
    start, kind, place = ENDS[f]
    found = minimize(f, start).result
    assert found.kind == kind
    assert kind in KINDS
    assert found.verdict.at == (None if place is None else pytest.approx(place))


@pytest.mark.parametrize(
    ("f", "start", "code", "words"),
    [
        ("cos x", "x=0", 3, "local maximum at x = 0"),
        ("x^3", "x=0", 3, "inflection at x = 0"),
        ("x*y", "x=0,y=0", 3, "saddle at x = 0, y = 0"),
        ("max(x,-2x)", "x=1", 0, "a kink: the slope is -2 to the left of it and 1"),
        (
            "|x - y/3| + y^2 - y",
            "x=1,y=2",
            3,
            "whether there is a minimum at a kink, or an end",
        ),
        ("sqrt(2)*x^2", "x=1", 0, "minimum of sqrt(2)*x^2: 0"),
        ("x*|x|", "x=0", 0, "stationary within tolerance; curvature not decided"),
    ],
)
@pytest.mark.parametrize("columns", ["40", "120"])
def test_what_is_no_minimum_ends_with_exit_3(
    f, start, code, words, columns, monkeypatch, capsys
):
    monkeypatch.setenv("COLUMNS", columns)
    assert run(["minimize", f, "--start", start]) == code
    captured = capsys.readouterr()
    assert words in " ".join(captured.out.split())
    assert (captured.err == "") == (code == 0 or "|" in f)
    assert run(["minimize", f, "--start", start, "--format", "json"]) == code
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert found["kind"] is None or found["kind"] in KINDS
    assert (found["kind"] in NOT_MINIMA) == ("error" in captured.err)


@pytest.mark.slow
def test_a_minimum_is_as_close_and_as_low_as_is_stated():
    drawn = random.Random(1)
    for _ in range(12):
        a, b, c = (drawn.uniform(-2, 2) for _ in range(3))
        f = f"(x - {a!r})^2 + cosh(y - {b!r} - {c!r}*x) + 0.1*(x-y)^4"
        tolerance = 10.0 ** drawn.randrange(-8, -2)
        found = minimize(f, {"x": 0, "y": 0}, tolerance=tolerance).result
        best = minimize(f, found.variables, "trust", tolerance=1e-14).result
        assert found.kind == best.kind == "local minimum"
        gap = math.dist(found.variables.values(), best.variables.values())
        assert gap <= found.verdict.distance * 1.001 + 1e-12
        assert found.value - best.value <= found.verdict.drop + 1e-15 * abs(best.value)


def test_a_minimum_at_its_bounds_needs_slopes_that_press_against_them():
    bounds = {"x": (0, 1), "y": (None, 0.5)}
    found = minimize("(x-3)^2 + (y-x)^2", {"x": 0, "y": 9}, bounds=bounds).result
    assert found.kind == "local minimum"
    assert "pressed against" in found.verdict.reason
    found = minimize("(x-3)^2 + cos(y)", {"x": 0, "y": 3}, bounds={"x": (0, 1)}).result
    assert found.kind == "local minimum"
    assert "press against" in found.verdict.reason
    found = minimize("(x-3)^2 - y^2", {"x": 0, "y": 0}, bounds={"x": (0, 1)}).result
    assert found.kind == "no minimum"


def test_the_number_in_the_heading_is_that_of_the_minimum_in_every_digit(capsys):
    argv = ["minimize", "(x^2-2)^2 + 0*sin(x)", "--start", "x=1"]
    assert run(argv) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("(x^2-2)^2 + 0*sin(x) = ")
    assert "the value there is at most" in printed
    assert run(["minimize", "x^2 - 2x", "--start", "x=0.3"]) == 0
    assert capsys.readouterr().out.startswith("local minimum of x^2 - 2x: -1\n")


def test_what_is_shown_of_the_end_and_of_the_steps_is_right_in_every_digit(capsys):
    argv = ["minimize", "(x-c)^2 + 1e16 - 1e16", "--start", "x=1", "--at", "c=0.1"]
    assert run(argv) == 0
    printed = capsys.readouterr().out
    assert "minimum at x = 1/10" in printed
    assert "the gradient norm 1.1e-17 is within the tolerance" in " ".join(
        printed.split()
    )
    assert [line.split()[1] for line in printed.splitlines()[4:6]] == ["0.81", "0.01"]
    argv = ["minimize", "sum((x-c)^2)", "--start", "x=[1,2]", "--at", "c=1/3"]
    assert run(argv) == 0


@pytest.mark.slow
def test_no_curvature_is_examined_of_arrays_and_of_many_variables():
    found = minimize("sum((x - 1)^2)", {"x": np.zeros(3)}).result
    assert (found.kind, found.verdict.reason[-12:]) == ("stationary", "not examined")
    leaves = [Value(1.0) for _ in range(MOST_VARIABLES + 1)]
    loss = sum((leaf * leaf - leaf for leaf in leaves), Value(0.0))
    found = minimize(loss, leaves).result
    assert (found.kind, found.verdict.reason[-12:]) == ("stationary", "not examined")


@pytest.mark.slow
def test_a_network_that_learned_xor_is_at_no_minimum_that_is_not_shown():
    f = "+".join(
        f"(tanh(a*tanh(b*{p}+c*{q}+d) + k*tanh(g*{p}+h*{q}+i) + j) - {y})^2"
        for p, q, y in ((0, 0, -0.9), (0, 1, 0.9), (1, 0, 0.9), (1, 1, -0.9))
    )
    drawn = random.Random(4)
    start = {name: drawn.uniform(-2, 2) for name in "abcdghijk"}
    found = minimize(f, start, steps=2000).result
    assert found.value < 0.1
    assert found.kind in ("stationary", "local minimum", None)
    if found.kind == "stationary":
        assert "no value is less than 0" in found.verdict.reason


def test_a_descent_that_ends_before_the_gradient_vanishes_has_no_kind():
    for options in ({"steps": 2}, {"target": 100.0}):
        found = minimize("(x-1)^4 + y^4", {"x": 3, "y": 2}, "gd", **options).result
        assert found.kind is None


def test_a_descent_whose_steps_change_nothing_stops():
    found = minimize("(x-3)^2 + cos(x)", {"x": 3}, "gd", tolerance=0, rate=0.1).result
    assert found.steps < 1000
    assert found.kind == "local minimum"


@pytest.mark.parametrize(
    ("text", "bounds", "kind"),
    [
        ("x^3 - x^6", {"x": (0, 0.5)}, "local minimum"),
        ("x^3 - x^6", {"x": (-0.5, 0)}, "local maximum"),
        ("x^6 - x^3", {"x": (-0.5, 0)}, "minimum"),
        ("x^4 - x^6", {"x": (0, 0.5)}, "local minimum"),
        ("x^2 - 4*x*y + y^2 - x^4", {"x": (0, 0.3), "y": (-1, 0)}, "stationary"),
        ("x^2 - 4*x*y + y^2 - x^4", {"x": (0, 0.3), "y": (0, 1)}, "saddle"),
        ("x^2 - y^2", {"y": (0, None)}, "saddle"),
    ],
)
def test_a_bound_leaves_one_side_of_a_point(text, bounds, kind):
    start = dict.fromkeys(parse(text).variables, 0)
    assert minimize(text, start, bounds=bounds).result.kind == kind


@pytest.mark.parametrize("small", ["exp(-1000)", "10^-400", "pi*10^-320"])
def test_a_fixed_value_below_doubles_is_no_error(small, capsys):
    assert run(["minimize", "x^2 + a", "--start", "x=1", "--at", f"a={small}"]) == 0
    assert "this should not happen" not in capsys.readouterr().err


@pytest.mark.parametrize("text", ["x^2*y", "ln(1 + y^2) + cos(x*y)"])
def test_beside_a_valley_is_a_minimum(text):
    found = minimize(text, {"x": 0.5, "y": 1}).result
    assert "no minimum here" not in found.verdict.reason


def test_the_curvature_of_variables_that_press_against_bounds_is_not_told():
    bounds = {"y": (0, None)}
    found = minimize("(x^2 - 2)^2 + y", {"x": 1, "y": 1}, bounds=bounds).result
    assert "the second derivative is positive all around" in found.verdict.reason


def test_definite_matrices_are_told_from_others_within_their_bounds():
    drawn = random.Random(2)
    for n in (1, 2, 3, 6):
        for _ in range(60):
            half = [[drawn.gauss(0, 1) for _ in range(n)] for _ in range(n)]
            full = np.array(half) + np.array(half).T + drawn.choice([0, n]) * np.eye(n)
            radius = drawn.choice([0, 1e-12, 0.1])
            matrix = [[arb(x, radius) for x in row] for row in full.tolist()]
            eigenvalues = np.linalg.eigvalsh(full)
            bound, way = modulus(matrix), downhill(matrix)
            assert bound <= max(0, eigenvalues[0] - n * radius) + 1e-14
            assert bound == 0 or way is None
            if way is not None:
                assert np.array(way) @ full @ np.array(way) + radius < 1e-13
            if radius < 0.1:
                assert (eigenvalues[0] > 1e-6) <= (bound > 0)
                assert (eigenvalues[0] < -1e-6) <= (way is not None)


@pytest.mark.parametrize("method", ["lbfgs", "trust"])
def test_a_descent_does_not_creep_along_a_kink_for_ever(method):
    found = minimize("max(x, y, -x-y)", {"x": 1, "y": 2}, method=method).result
    assert found.status == "stalled"
    assert found.steps < 500
    assert 0 <= found.value < 1e-15
