"""Answers in arrays: every element means what the same number means alone, and its digits stand."""

from __future__ import annotations

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exprgrad import Session, parse
from exprgrad.data.bindings import Bindings
from exprgrad.errors import ExprgradError, UndecidedError
from exprgrad.operations.array_balls import ArrayBall
from exprgrad.sweeps.arrays.bounds import swept

TEXTS = [
    "(1 - cos(x))/x^2",
    "sqrt(x^2 + 1) - x",
    "sqrt(x)*sqrt(x)",
    "where(x > 0, x^1.5, 0)",
    "|x - 1|*(x - 1)",
    "relu(x) - relu(-x)",
    "ln(1 + x)/x",
    "max(x, x^2)",
    "floor(x) + 0.1 + 0.2 - 0.3",
    "if(x == 0, 1, sin(x)/x)",
    "x^(1/3)*exp(-x)",
    "asin(x)*sigmoid(x)",
]

NUMBERS = [0.0, 1.0, -1.0, 0.5, 2.0, 1e-8, -1e-8, 1e8, 1e-300, 700.0, 0.3, -3.7]


def alone(text, x):
    """What is known of the value and the slope at a number, and the kinds of corners; or the fault."""
    try:
        found = parse(text).evaluate({"x": x})
    except ExprgradError as error:
        return type(error), error.exit_code
    kinds = [(corner.kind, corner.left, corner.right) for corner in found.corners]
    slope = found.gradient["x"]
    if slope is None and "e-" in found.texts.get("x", ""):
        slope = 0.0  # the nearest double
    return found.value or 0.0, slope, kinds


@pytest.mark.parametrize(
    ("text", "x", "digits"),
    [
        ("sinc(x)", 4.4934094579, 10),  # near a zero of the slope
        ("sinc(x)", 7.725251836937707, 10),
        ("erf(x)", -22.68499036226493, 13),
        ("erfc(x)", 25.737505486280362, 13),
    ],
)
def test_a_slope_in_an_array_has_its_digits_where_its_rule_loses_some(text, x, digits):
    wanted = parse(text).evaluate({"x": x}, digits=17).gradient["x"]
    array = {"x": np.array([x, 1.0])}
    found = parse(f"sum({text})").evaluate(array, digits=digits).gradient["x"][0]
    assert abs(found - wanted) <= 0.51 * 10.0**-digits * abs(wanted)


@pytest.mark.parametrize(
    ("text", "x", "value"),
    [
        ("floor(log2(x))", 2.0**53 - 1, 52),
        ("floor(log10(x))", 999999999999999.9, 14),
        ("floor(log10(x))", 1000.0, 3),
        ("floor(log(x, 3))", 1 / 3, -2),
        ("floor(mod(x, 3))", -1e-20, 2),
        ("floor(mod(x, 3))", -7.0, 2),
    ],
)
def test_a_whole_result_is_exact_in_an_array_only_if_it_surely_is(text, x, value):
    assert parse(text).evaluate({"x": x}).value == value
    assert parse(text).evaluate({"x": np.array([x, x])}).value.tolist() == [value] * 2


@pytest.mark.parametrize(
    ("text", "at", "digits"),
    [
        ("nll_gaussian(m, y, s)", {"m": 0.0, "y": 0.0, "s": 0.3989422804}, 10),
        ("root(x, n)", {"x": 2.4442020026731734, "n": 0.0013898116352227896}, 14),
    ],
)
def test_a_value_in_an_array_has_its_digits_where_its_kernel_loses_some(
    text, at, digits
):
    wanted = parse(text).evaluate(at, digits=17).value
    arrays = {name: np.array([number] * 2) for name, number in at.items()}
    found = np.ravel(parse(text).evaluate(arrays, digits=digits).value)[0]
    assert abs(found - wanted) <= 0.51 * 10.0**-digits * abs(wanted)


@settings(max_examples=12)
@given(
    st.sampled_from(TEXTS), st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=4)
)
def test_an_element_means_what_the_number_means_alone(text, xs):
    each = [alone(text, x) for x in xs]
    faults = [own for own in each if len(own) == 2]
    f, whole = parse(text), parse(f"sum({text})")
    if faults:
        for expression in (f, whole):
            with pytest.raises(ExprgradError) as caught:
                expression.evaluate({"x": xs})
            assert caught.value.exit_code == faults[0][1]
        return
    values = f.evaluate({"x": xs})
    assert values.value.tolist() == pytest.approx([v for v, *_ in each], rel=1e-10)
    found = whole.evaluate({"x": xs})
    kinds: dict[str, list[object]] = {f"x[{i}]": [] for i in range(len(xs))}
    for corner in found.corners:
        kinds[corner.variable].append((corner.kind, corner.left, corner.right))
    assert list(kinds.values()) == [own for *_, own in each]
    for got, (_, slope, _) in zip(found.gradient["x"], each, strict=True):
        missing = slope is None
        assert math.isnan(got) if missing else got == pytest.approx(slope, rel=1e-10)


@pytest.mark.parametrize(
    ("text", "at", "value"),
    [
        ("x @ y", {"x": [1e16, 1, -1e16], "y": [1, 1, 1]}, 1),
        ("sum(sqrt(x^2 + 1) - x)", {"x": [1e8]}, 5e-9),
        ("mean((x - mean(x))^2)", {"x": [1e8 + 1, 1e8 + 2, 1e8 + 3]}, 2 / 3),
        ("logsumexp(x) - x[0]", {"x": [1000.0, 900.0]}, 3.720075976020836e-44),
        ("norm(x - y)", {"x": [1e-200, 0], "y": [0, 1e-200]}, math.sqrt(2) * 1e-200),
        ("sum(softmax(x)) - 1", {"x": [0.3, 0.7, -2.0]}, 0),
        ("exp(x[0])/exp(x[1])", {"x": [1000.0, 999.0]}, math.e),
        ("sum(where(x > 0, sqrt(x), 0) - 0.1*x)", {"x": [-1.0, 4.0]}, 1.7),
    ],
)
def test_the_digits_of_reductions_stand(text, at, value):
    found = parse(text).evaluate(at)
    assert found.value == pytest.approx(value, rel=1e-10, abs=0)
    assert abs(found.value - value) <= found.error + 1e-15 * abs(value)


@pytest.mark.parametrize(
    "text",
    [
        "sum(sin(x)*exp(-x^2))",
        "mean(tanh(x*w + b)^2)",
        "mse(tanh(X @ x + b), y)",
        "sum(relu(x - y))",
        "logsumexp(x*w)",
        "sum((x - y)^2)/norm(x)",
        "sum(1/(1 + exp(-(x*w + b))))",
        "cross_entropy(X*w, [0, 2])",
        "max(x*w) + sum(softmax(X @ y)*[1, 3])",
        "mean(x^3/y - ln(y)*sqrt(y))",
        "bce_logits(x*w, sigmoid(y))",
        "sum(transpose(X) @ (X @ x))*hypot(w, b)",
    ],
)
def test_the_cheap_bounds_hold(text):
    drawn = np.random.default_rng(len(text))
    at = {
        "X": drawn.normal(size=(2, 3)),
        "x": drawn.normal(size=3),
        "w": 0.7,
        "b": -0.3,
    }
    at["y"] = drawn.uniform(0.5, 2, 2 if "mse" in text or "cross" in text else 3)
    f = parse(text)
    at = {name: at[name] for name in f.variables}
    leaves = {n: ArrayBall.of(np.asarray(x, float)) for n, x in at.items()}
    cheap = swept(f.tape, leaves, f.variables, f.written)
    exact = f.evaluate(at, digits=17)
    pairs = [(cheap.value, exact.value, exact.error)]
    pairs += [(cheap.gradient[n], exact.gradient[n], exact.errors[n]) for n in at]
    for ball, number, error in pairs:
        off = np.abs(ball.mid - number)
        assert (off <= ball.radius + error).all()
        assert (ball.radius <= 1e-10 * np.abs(number)).all()


def test_numbers_in_arrays_are_what_was_typed(tmp_path):
    (tmp_path / "x.csv").write_text("0.1,0.2,0.3\n")
    f = parse("x[0] + x[1] - x[2]")
    for text in ("[0.1, 0.2, 0.3]", "0.1*[1, 2, 3]", f"@{tmp_path}/x.csv"):
        assert f.evaluate(Bindings([f"x={text}"]).exact).value == 0
    given = [Fraction(1, 10), Decimal("0.2"), Decimal("0.3")]
    assert f.evaluate({"x": given}).value == 0
    assert f.evaluate({"x": [0.1, 0.2, 0.3]}).value == 2.7755575615628914e-17
    corner = parse("sum(|3x - 0.3|)").evaluate(Bindings(["x=[0.1, 0.2]"]).exact)
    assert [c.variable for c in corner.corners] == ["x[0]"]
    session = Session()
    session.run("a = 0.1; x = [a, 2a, 3a]; s = sum(x); y = 2x")
    for text in (
        "x[0] + x[1] - x[2]",
        "s - 0.6",
        "y[0] - 0.2",
        "sum(x - z) at z=[a, a, 0.4]",
    ):
        assert session.run(text)[0].evaluation.value == 0


def test_arrays_without_refinement_are_one_sweep():
    found = parse("sum(|x|)").evaluate({"x": [0.0, 2.0]}, refine=False)
    assert (found.gradient["x"].tolist(), found.bounded) == ([0, 1], False)


def test_elements_that_are_too_many_to_look_at_have_bounds():
    x = np.full(60_000, 1e8)
    found = parse("sum(sqrt(x^2 + 1) - x)").evaluate({"x": x})
    assert abs(found.value - 60_000 * 5e-9) <= found.error
    assert (np.abs(found.gradient["x"] + 5e-17) <= found.errors["x"]).all()


@pytest.mark.slow
def test_many_elements_at_corners_are_swept_together():
    x = np.arange(-30_000.0, 30_000.0)
    found = parse("floor(x/3) + relu(x)/2").evaluate({"x": x})
    assert found.value.tolist() == (np.floor(x / 3) + np.maximum(x, 0) / 2).tolist()
    wide = parse("exp(x/100)*(x - 1)").evaluate({"x": x[:60]})
    assert (wide.error <= 0.5e-10 * np.abs(wide.value)).all()


def test_derivatives_in_the_text_are_examined_in_every_element():
    f = parse("d/dx |x|")
    assert f.evaluate({"x": [-1.0, 2.0]}).value.tolist() == [-1, 1]
    with pytest.raises(ExprgradError, match="does not exist"):
        f.evaluate({"x": [1.0, 0.0]})


def test_answers_in_arrays_are_pickled():
    found = parse("sum(sin(x)*x) + norm(x)").evaluate({"x": [0.5, 2.0]})
    copy = pickle.loads(pickle.dumps(found))
    assert copy.error == found.error
    assert copy.errors["x"].tolist() == found.errors["x"].tolist()


def test_a_corner_in_too_many_elements_is_left_open():
    found = parse("sum(relu(x))").evaluate({"x": np.arange(-30_000.0, 30_000.0)})
    assert np.flatnonzero(np.isnan(found.gradient["x"])).tolist() == [30_000]
    assert [(c.variable, c.kind) for c in found.corners] == [
        ("x[30000]", "undetermined")
    ]
    with pytest.raises(UndecidedError, match="too many elements"):
        parse("sum(floor(x*0.1*10))").evaluate({"x": np.arange(60_000.0)})


def test_an_array_of_which_nothing_depends_has_partials_of_0():
    found = parse("d/dy(v^x)").evaluate({"v": [1.0, 2.0, 3.0], "x": 2.0})
    assert found.value == 0.0
    assert found.gradient["v"].tolist() == [0.0, 0.0, 0.0]


def test_no_warning_of_numpy_comes_from_elements_without_a_value(recwarn):
    session = Session()
    with pytest.raises(ExprgradError, match="divisor"):
        list(session.run("v = transpose([1,2,3])^sqrt(1/0)"))
    assert not recwarn.list


@pytest.mark.slow
def test_bounds_that_wait_for_others_do_not_recurse_over_the_graph():
    x = np.array([1.5, 2.5])
    text = "sum(" + "-".join(["2*x"] + ["x*y"] * 2000) + ")"
    found = parse(text).evaluate({"x": x, "y": 0.5})
    assert found.value == 2 * 4 - 2000 * 2
    assert found.gradient["x"].tolist() == [2 - 1000] * 2
    assert found.error < 1e-6


def test_bounds_of_partials_are_worked_out_once_for_all_variables():
    found = parse("sum((x - y)^2)/norm(x)").evaluate(
        {"x": np.linspace(1, 2, 40), "y": np.linspace(2, 1, 40)}
    )
    whole = parse("a*b + b").evaluate({"a": 2.0, "b": 3.0})
    assert whole.errors is whole.errors
    assert found.errors["x"].shape == (40,)


@pytest.mark.parametrize(
    "text", ["mse(x*w, y)", "nll_gaussian(x, y, w)", "sum(w*x/y - x^3*y)"]
)
def test_partials_that_arithmetic_makes_have_bounds_by_arithmetic(text):
    at = {"x": np.array([1.1, -0.7, 3.2]), "y": np.array([0.3, 2.9, -1.7]), "w": 1.3}
    f = parse(text)
    leaves = {n: ArrayBall.of(np.asarray(at[n])) for n in f.variables}
    cheap = swept(f.tape, leaves, f.variables, f.written)
    exact = f.evaluate({n: at[n] for n in f.variables}, digits=17)
    for name in f.variables:
        ball = cheap.gradient[name]
        off = np.abs(ball.mid - exact.gradient[name])
        assert (off <= ball.radius + exact.errors[name]).all()
        assert (ball.radius <= 1e-12).all()


def test_a_tie_is_seen_by_every_operand_of_a_sum_that_repeats_one():
    at = {"x": np.array([1.0, 0.7]), "y": np.array([0.0, 0.0])}
    f = parse("min(y/3 + 0.1 + x[0])")
    leaves = {n: ArrayBall.of(at[n]) for n in f.variables}
    cheap = swept(f.tape, leaves, f.variables, f.written)
    assert np.isinf(cheap.gradient["y"].radius).all()


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("tan(0.3*x - y)", {"x": [0.0, -2.1271202765464405], "y": [0.0, 1.0]}),
        (
            "sum(lgamma(x @ y)*x)",
            {
                "x": [46582.166204251575, -4.3e-07, -4.147159972084779],
                "y": [-1.1375012432573237, 1.0, -0.06636205421479015],
            },
        ),
    ],
)
def test_bounds_hold_where_a_pole_is_between_elements_or_near(text, at):
    f = parse(text)
    leaves = {n: ArrayBall.of(np.array(at[n])) for n in f.variables}
    cheap = swept(f.tape, leaves, f.variables, f.written)
    exact = f.evaluate(at, digits=17)
    pairs = [(cheap.value, exact.value, exact.error)]
    for name, ball in (cheap.gradient or {}).items():
        pairs.append((ball, exact.gradient[name], exact.errors[name]))
    for ball, number, error in pairs:
        assert (np.abs(ball.mid - number) <= ball.radius + error).all()


def test_a_few_partials_close_to_0_cost_no_look_at_all_elements_singly():
    drawn = np.random.default_rng(5)
    x, y = drawn.normal(size=(2, 400))
    found = parse("sum((x - y)^2)/norm(x)").evaluate({"x": x, "y": y})
    off = np.abs(found.gradient["x"])
    assert off.min() < 0.01 * off.max()
    assert (found.errors["x"] <= 5e-11 * off).all()
    assert found.bounds.has_bounds("x")


@pytest.mark.parametrize("text", ["mse(x, y)", "mean(x - y)"])
@pytest.mark.parametrize("refine", [True, False])
def test_a_mean_of_no_elements_is_refused_for_its_shape(text, refine):
    nothing = {"x": np.zeros(0), "y": np.zeros(0)}
    with pytest.raises(ExprgradError, match=r"does not go with the shape \(0,\)"):
        parse(text).evaluate(nothing, refine=refine)
