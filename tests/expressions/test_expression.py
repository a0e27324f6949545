"""Expressions: worked examples of the tutorials in every way in, and honesty at the edges."""

from __future__ import annotations

import copy
import json
import math
import pickle
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import pytest

import exprgrad
from exprgrad import (
    BindingError,
    DomainError,
    Expression,
    ExprgradError,
    NotDifferentiableError,
    RangeError,
    UndecidedError,
    Value,
    parse,
)
from exprgrad.cli.start import run
from exprgrad.graph.value import node
from exprgrad.operations.operation import TABLE

TUTORIALS = [
    ("(a*b+c)^2", {"a": 2, "b": 3, "c": 1}, 49, {"a": 42, "b": 28, "c": 14}),
    ("a*b + a^2", {"a": 3, "b": 4}, 21, {"a": 10, "b": 3}),
    ("(a*b)*(b+1)", {"a": 2, "b": 3}, 24, {"a": 12, "b": 14}),
    ("x*y+z*(x+y)", {"x": 2, "y": 3, "z": 5}, 31, {"x": 8, "y": 7, "z": 5}),
    ("(a*b+b)*2", {"a": 2, "b": 3}, 18, {"a": 6, "b": 6}),
    (
        "relu(w1*x+b1)*w2+b2",
        {"x": 2, "w1": -3, "b1": 1, "w2": 2, "b2": 0.5},
        0.5,
        {"x": 0, "w1": 0, "b1": 0, "w2": 0, "b2": 1},
    ),
    ("(x+y)*(y+1)", {"x": 2, "y": 1}, 6, {"x": 2, "y": 5}),
    ("tanh(x*w+b)", {"x": 0, "w": 1, "b": 0}, 0, {"x": 1, "w": 0, "b": 1}),
    ("1/(1+e^-x)", {"x": 0}, 0.5, {"x": 0.25}),
]
IDS = [row[0] for row in TUTORIALS]


@pytest.mark.parametrize(("text", "at", "value", "gradient"), TUTORIALS, ids=IDS)
class TestTutorials:
    def test_in_python(self, text, at, value, gradient):
        f = parse(text)
        assert set(f.variables) == set(at)
        assert f(**at) == value
        result = f.evaluate(at)
        assert result.value == value
        assert result.gradient == gradient
        assert list(result.gradient) == list(f.variables)
        assert f.gradient(at) == gradient
        assert result.corners == ()

    def test_in_python_with_one_variable_at_a_time(self, text, at, value, gradient):
        for name, partial in gradient.items():
            assert parse(text).evaluate(at, [name]).gradient == {name: partial}
            assert parse(text).evaluate(at, name).gradient == {name: partial}

    def test_on_the_command_line(self, text, at, value, gradient, capsys):
        point = ",".join(f"{name}={number}" for name, number in at.items())
        assert run(["eval", text, "--at", point]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == f"{text} = {value}"
        if len(gradient) == 1:
            (name,) = at
            assert lines[1] == f"f'({at[name]}) = {gradient[name]}"
            return
        table = {tuple(line.split()) for line in lines[4:] if line}
        assert table == {(name, str(at[name]), str(p)) for name, p in gradient.items()}

    def test_in_json(self, text, at, value, gradient, capsys):
        point = ",".join(f"{name}={number}" for name, number in at.items())
        assert run(["eval", text, "--at", point, "--format", "json"]) == 0
        data = json.loads(capsys.readouterr().out)
        assert data["at"] == at
        assert data["value"] == value
        assert data["gradient"] == gradient


def test_graph_built_by_hand_has_the_gradient_of_the_expression():
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    result = (a * b + c) ** 2
    result.backward()
    assert (result.data, a.grad, b.grad, c.grad) == (49, 42, 28, 14)


@pytest.mark.slow
def test_example_of_the_package_is_as_it_says():
    done = subprocess.run(
        [sys.executable, "-m", "exprgrad", "eval", "(a*b+c)^2", "--at", "a=2,b=3,c=1"],
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.startswith(b"(a*b+c)^2 = 49")
    assert "(a*b+c)^2" in (exprgrad.__doc__ or "")


# Evaluating


def test_expression_is_not_changed_by_evaluating():
    f = parse("x^2")
    assert f.evaluate({"x": 3}).gradient == {"x": 6}
    assert f.evaluate({"x": 5}).gradient == {"x": 10}
    assert f(x=3) == 9
    assert str(f) == "x^2"


def test_values_may_be_any_real_numbers_of_python():
    from decimal import Decimal
    from fractions import Fraction

    f = parse("x/2")
    for number in (3, 3.0, Fraction(3), Decimal(3), True + 2):
        assert f.evaluate({"x": number}).value == 1.5


def test_order_of_variables_is_that_of_their_first_place():
    assert parse("z + a*y + a").variables == ("z", "a", "y")


def test_expression_without_variables_has_an_empty_gradient():
    result = parse("2^10").evaluate({})
    assert (result.value, result.gradient) == (1024, {})


def test_variable_that_does_not_matter_has_slope_0():
    assert parse("0*x + y").evaluate({"x": 3, "y": 1}).gradient == {"x": 0, "y": 1}


def test_gradient_is_never_minus_zero():
    gradient = parse("-(0*x)").evaluate({"x": 1}).gradient
    assert math.copysign(1, gradient["x"]) == 1


def test_reprs_can_be_typed():
    f = parse("2x + sin x")
    assert repr(f) == "parse('2*x + sin(x)')"
    assert eval(repr(f), {"parse": parse}).reading == f.reading


def test_evaluation_knows_its_expression_and_point():
    f = parse("x*y")
    result = f.evaluate({"y": 3, "x": 2})
    assert result.expression is f
    assert result.at == {"x": 2.0, "y": 3.0}
    assert list(result.at) == ["x", "y"]


# Bindings


@pytest.mark.parametrize(
    ("text", "at", "message", "hint"),
    [
        ("x*y", {"x": 1}, "there is no value for y", "add y=... to the point"),
        (
            "x*y",
            {},
            "there are no values for x, y",
            "add x=..., y=... to the point",
        ),
        ("x", {"x": 1, "y": 2}, "has no variable y", "its variables are: x"),
        ("alpha", {"alpa": 1}, "has no variable alpa", "did you mean alpha?"),
        ("2", {"x": 1}, "has no variable x", "it has no variables"),
        ("xy", {}, "there is no value for xy", "did you mean x*y?"),
        ("exp(-t/tau)", {"t": 1, "tau": 2}, "no variable tau", "tau is a constant"),
        ("x", {"x": "y/2"}, "the value of x must be a number", "in place of y"),
        ("x", {"x": "1,5"}, "the value of x is not a number", "dot: 1.5"),
        ("2gamma", {}, "there is no value for gamma", "write gamma(x)"),
        ("x", {"x": math.inf}, "the value of x is inf", "finite"),
        ("x", {"x": math.nan}, "the value of x is nan", "finite"),
        ("x", {"x": "-inf"}, "the value of x is -inf", "finite"),
        ("x", {"x": Decimal("NaN")}, "the value of x is nan", "finite"),
        ("x", {"x": Value(2.0)}, "the value of x must be a number", "in place of it"),
    ],
)
def test_point_that_does_not_fit_is_a_binding_error(text, at, message, hint):
    with pytest.raises(BindingError) as caught:
        parse(text).evaluate(at)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("number", [1 + 2j, None, parse("1/3"), object])
def test_what_is_no_number_is_named_as_it_is(number):
    for call in (parse("x^2").evaluate, lambda at: parse("x^2").compile()(at["x"])):
        with pytest.raises(BindingError) as caught:
            call({"x": number})
        assert str(caught.value) == f"the value of x is not a number: {number!r}"


def test_a_constant_that_is_declared_takes_no_value():
    for text in ("e*x", "tau + pi*x"):
        f = parse(text, ("e", "pi", "tau", "x", "y"))
        assert f.evaluate({"x": 1, "y": 2}).value == f(x=1)
        for name in ("e", "pi", "tau"):
            with pytest.raises(BindingError, match=f"has no variable {name}"):
                f.evaluate({"x": 1, name: 2})


@pytest.mark.parametrize(("text", "value"), [("1/3", 1 / 3), ("-pi/4", -math.pi / 4), ("30°", math.pi / 6), ("1e-3", 1e-3)])  # fmt: skip
def test_a_value_may_be_a_text_as_it_is_typed(text, value):
    assert parse("x").evaluate({"x": text}).value == value
    assert parse("sum(w)*x").evaluate({"w": [1], "x": text}).value == value


def test_a_text_without_a_value_is_refused_for_its_own_reason():
    with pytest.raises(DomainError, match="sqrt needs an argument >= 0"):
        parse("x^2").evaluate({"x": "sqrt(-1)"})


def test_missing_value_is_marked_at_the_variable():
    with pytest.raises(BindingError) as caught:
        parse("a + rate*t").evaluate({"a": 1, "t": 2})
    assert caught.value.span == (4, 8)
    assert caught.value.source == "a + rate*t"


def test_unknown_variable_to_differentiate_by_is_a_binding_error():
    with pytest.raises(BindingError, match="no variable z"):
        parse("x*y").evaluate({"x": 1, "y": 2}, ["z"])


def test_hundred_missing_values_are_not_all_listed():
    with pytest.raises(BindingError) as caught:
        parse("+".join(f"a{i}" for i in range(100))).evaluate({})
    assert len(caught.value.message) < 100
    assert len(caught.value.hint) < 100


# Outside the domain

OUTSIDE = [
    ("ln(x-3)", {"x": 2}, "ln needs an argument > 0; here x-3 is -1", "ln(x-3)"),
    ("1 + ln(x)", {"x": 0}, "ln needs an argument > 0; here x is 0", "ln(x)"),
    (
        "2 + 1/x",
        {"x": 0},
        "a quotient needs a divisor other than 0; here x is 0",
        "1/x",
    ),
    (
        "asin(x)",
        {"x": 2},
        "asin needs an argument from -1 to 1; here x is 2",
        "asin(x)",
    ),
    ("asin(2)", {}, "asin needs an argument from -1 to 1", "asin(2)"),
    ("acosh(x)", {"x": 0}, "acosh needs an argument >= 1", "acosh(x)"),
    ("sqrt(x)", {"x": -4}, "sqrt needs an argument >= 0; here x is -4", "sqrt(x)"),
    ("√(x - 1)", {"x": 0}, "sqrt needs an argument >= 0; here x - 1 is -1", "√(x - 1)"),
    ("x^0.5", {"x": -8}, "a power needs a base >= 0", "x^0.5"),
    ("x^y", {"x": 0, "y": -1}, "a base other than 0", "x^y"),
    ("x^-2", {"x": 0}, "a base other than 0", "x^-2"),
    ("tan(x)", {"x": parse("pi/2").root}, "no odd multiple of pi/2", "tan(x)"),
    ("cot(x)", {"x": 0}, "no multiple of pi", "cot(x)"),
    ("gamma(x)", {"x": -2}, "not 0, -1, -2", "gamma(x)"),
    ("mod(x, y)", {"x": 1, "y": 0}, "a divisor other than 0", "mod(x, y)"),
    ("atan2(y, x)", {"x": 0, "y": 0}, "other than the origin", "atan2(y, x)"),
    ("2.5!", {}, "a whole number >= 0", "2.5!"),
    ("log_x(8)", {"x": 1}, "a base > 0 other than 1", "log_x(8)"),
    ("0*ln(z)", {"z": -1}, "ln needs an argument > 0", "ln(z)"),
    ("x*1/(y*0) + ln(-1)", {"x": 1, "y": 1}, "divisor other than 0", "x*1/(y*0)"),
    ("sqrt(ln(x))", {"x": 0.5}, "sqrt needs an argument >= 0", "sqrt(ln(x))"),
    ("sqrt(ln(x))", {"x": -0.5}, "ln needs an argument > 0; here x is -0.5", "ln(x)"),
]


@pytest.mark.parametrize(
    ("text", "at", "message", "place"),
    OUTSIDE,
    ids=[f"{text} at {at}" for text, at, *_ in OUTSIDE],
)
def test_outside_its_domain_an_operation_says_what_it_needs_and_where(
    text, at, message, place
):
    with pytest.raises(DomainError) as caught:
        parse(text).evaluate(at)
    error = caught.value
    assert message in error.message
    assert error.source[slice(*error.span)] == place
    assert error.exit_code == 3
    with pytest.raises(DomainError):
        parse(text)(**at)


OVERFLOWS = [
    ("exp(x)", {"x": 1000}, "exp(x)"),
    ("1 + x*10^300", {"x": 1e300}, "x*10^300"),
    ("x^y", {"x": 10, "y": 400}, "x^y"),
    ("9^9^9^9^9", {}, "9^9^9"),
    ("171! + 1", {}, "171!"),
    ("1/x", {"x": 1e-320}, "1/x"),
    ("sinh(x)", {"x": -1000}, "sinh(x)"),
    ("x + x", {"x": 1.7e308}, "x + x"),
]


@pytest.mark.parametrize(
    ("text", "at", "place"), OVERFLOWS, ids=[row[0] for row in OVERFLOWS]
)
def test_overflow_of_one_sweep_in_doubles_is_an_error(text, at, place):
    with pytest.raises(RangeError, match="overflows") as caught:
        parse(text).evaluate(at, refine=False)
    assert caught.value.source[slice(*caught.value.span)] == place
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    ("text", "at", "shown"),
    [
        ("exp(x)", {"x": 1000}, "1.970071114e+434"),
        ("exp(-x)", {"x": 1000}, "5.075958898e-435"),
        ("x*x", {"x": 1e-200}, "1e-400"),
        ("171! + 1", {}, "1.241018070e+309"),
    ],
)
def test_a_value_beyond_the_range_of_doubles_is_a_decimal(text, at, shown):
    result = parse(text).evaluate(at)
    assert result.value is None
    assert float(result.texts[""].split("e")[0]) == pytest.approx(
        float(shown.split("e")[0])
    )
    assert result.texts[""].split("e")[1] == shown.split("e")[1]


def test_an_overflow_on_the_way_to_an_ordinary_result_does_not_matter():
    assert parse("exp(1000)/exp(999)")() == math.e
    assert parse("tanh(x*x)")(x=1e200) == 1
    result = parse("1e200*x*y").evaluate({"x": 1e-200, "y": 1e200})
    assert result.gradient == {"x": None, "y": 1}
    assert result.texts == {"x": "1.0e+400"}


def test_first_faulty_node_is_blamed_and_not_what_it_spoils():
    with pytest.raises(DomainError) as caught:
        parse("exp(sin(ln(x)) + 1)^2").evaluate({"x": -1})
    assert caught.value.span == (8, 13)


def test_fault_in_an_untaken_branch_does_not_matter():
    f = parse("if(x != 0, sin(x)/x, 1)")
    result = f.evaluate({"x": 0}, subgradient=True)
    assert (result.value, result.gradient) == (1, {"x": 0})
    assert parse("x > 0 and ln(x) > 0")(x=-1) == 0
    assert parse("x <= 0 or ln(x) > 0")(x=-1) == 1


def test_message_shortens_a_long_argument():
    text = f"ln({'+'.join(['x'] * 500)})"
    with pytest.raises(DomainError) as caught:
        parse(text).evaluate({"x": -1})
    assert len(caught.value.message) < 150


# Where there is no derivative

NO_SLOPE = [
    ("|x|", 0, "corner", -1, 1),
    ("2 - 3|x - 1|", 1, "corner", 3, -3),
    ("max(x, 3x)", 0, "corner", 1, 3),
    ("min(x, x^2)", 1, "corner", 2, 1),
    ("relu(x)", 0, "corner", 0, 1),
    ("sqrt(x^2)", 0, "corner", -1, 1),
    ("if(x < 1, x, 2x - 1)", 1, "corner", 1, 2),
    ("sqrt(x)", 0, "vertical", None, math.inf),
    ("cbrt(x)", 0, "vertical", math.inf, math.inf),
    ("x^(2/3)", 0, "vertical", -math.inf, math.inf),
    ("asin(x)", 1, "vertical", math.inf, None),
    ("floor(x)", 2, "jump", None, 0),
    ("step(x)", 0, "jump", None, 0),
    ("sqrt(-x^2)", 0, "isolated", None, None),
]


@pytest.mark.parametrize(
    ("text", "x", "kind", "left", "right"), NO_SLOPE, ids=[row[0] for row in NO_SLOPE]
)
def test_partial_that_does_not_exist_is_none_and_both_slopes_are_given(
    text, x, kind, left, right
):
    result = parse(text).evaluate({"x": x})
    assert math.isfinite(result.value)
    assert result.gradient == {"x": None}
    (corner,) = result.corners
    assert (corner.variable, corner.kind) == ("x", kind)
    assert (corner.left, corner.right) == (left, right)


@pytest.mark.parametrize(
    ("text", "x", "slope"),
    [
        ("x*|x|", 0, 0),
        ("sqrt(x^4)", 0, 0),
        ("|x|^3", 0, 0),
        ("|x| - |x|", 0, 0),
        ("max(x, x)", 2, 1),
        ("if(x < 1, x, x)", 1, 1),
        ("if(x <= 1, x^2, 2x - 1)", 1, 2),
        ("relu(x) - relu(-x)", 0, 1),
        ("floor(x) - floor(x)", 2, 0),
        ("x^(4/3)", 0, 0),
        ("x^3", -2, 12),
        ("x^2", 0, 0),
        ("x^1", 0, 1),
        ("x^0", 0, 0),
        ("0^x", 2, 0),
        ("|x|", 7, 1),
        ("|x|", -7, -1),
        ("sinc(x)", 0, 0),
        ("x^(1/3)", -8, 1 / 12),
    ],
)
def test_partial_that_exists_is_found_even_where_a_rule_fails(text, x, slope):
    result = parse(text).evaluate({"x": x})
    assert result.gradient["x"] == pytest.approx(slope, rel=1e-14)
    assert parse(text).gradient({"x": x})["x"] == pytest.approx(slope, rel=1e-14)


def test_slope_at_the_edge_of_the_domain_is_the_one_from_inside():
    result = parse("sqrt(x)^3").evaluate({"x": 0})
    assert result.gradient == {"x": 0}
    assert [(c.kind, c.left, c.right) for c in result.corners] == [("edge", None, 0)]


def test_other_partials_are_given_where_one_does_not_exist():
    result = parse("|x| + y^2").evaluate({"x": 0, "y": 3})
    assert result.gradient == {"x": None, "y": 6}


def test_gradient_raises_where_a_partial_does_not_exist():
    with pytest.raises(NotDifferentiableError) as caught:
        parse("y + |x|").gradient({"x": 0, "y": 1})
    assert "with respect to x does not exist" in caught.value.message
    assert caught.value.source[slice(*caught.value.span)] == "|x|"
    assert caught.value.exit_code == 3


def test_corner_is_blamed_on_the_operation_that_has_it():
    result = parse("exp(2*relu(x - 1) + x)").evaluate({"x": 1})
    (corner,) = result.corners
    assert corner.operation == "relu"
    assert corner.arguments == (0,)
    assert result.expression.source[slice(*corner.span)] == "relu(x - 1)"
    assert (corner.left, corner.right) == (math.e, 3 * math.e)


def test_subgradient_takes_the_convention_of_pytorch():
    for text, slope in [("|x|", 0), ("relu(x)", 0), ("max(x, -x)", 0), ("step(x)", 0)]:
        result = parse(text).evaluate({"x": 0}, subgradient=True)
        assert result.gradient == {"x": slope}
        assert result.corners == ()


def test_subgradient_does_not_invent_a_slope_where_it_is_infinite():
    result = parse("sqrt(x)").evaluate({"x": 0}, subgradient=True)
    assert result.gradient == {"x": None}


def test_nothing_that_is_returned_is_infinite_or_no_number():
    for text, x in [("|x|", 0), ("sqrt(x)", 0), ("floor(x)", 1), ("1/x", 1e-200)]:
        try:
            result = parse(text).evaluate({"x": x})
        except ExprgradError:
            continue
        numbers = [result.value, *result.gradient.values()]
        assert all(number is None or math.isfinite(number) for number in numbers)


@pytest.mark.slow
def test_repr_of_a_formula_that_would_fill_pages_says_how_large_it_is():
    root = parse("x + 1").root
    for _ in range(60):
        root = node(TABLE["mul"], (root, root))
    assert repr(Expression.of(root)) == "<expression of 63 nodes>"


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.slow
@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, pickled])
def test_copies_of_deep_expressions_do_not_recurse(copied):
    f = parse("x" + " + sin(x)" * 5_000)
    again = copied(f)
    assert (again.variables, again.source) == (f.variables, f.source)
    assert again(x=0.5) == f(x=0.5)
    assert len(again.tape.nodes) == len(f.tape.nodes) > 10_000


def test_copies_keep_the_arguments_of_derivatives_inside():
    session = exprgrad.Session()
    session.run("f(x, y) = x^2*|y|")
    f = Expression(session.read("∂f/∂y (a, b)").reading)
    for compiled in (f.compile(), pickled(f.compile())):
        assert compiled(2.0, -3.0) == (-4.0, (-4.0, 0.0))
        with pytest.raises(NotDifferentiableError):
            compiled(2.0, 0.0)


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ("acos(x)", Fraction(10**30 + 1, 10**30), "less than double precision shows"),
        ("1/(0.1 + 0.2 - x)", Fraction(3, 10), "a divisor other than 0; here"),
    ],
)
def test_what_fails_by_less_than_a_double_shows_is_a_domain_error(text, at, said):
    with pytest.raises(DomainError, match=said):
        parse(text).evaluate({"x": at})


def test_a_slope_beyond_the_range_of_doubles_is_shown_at_a_corner_and_by_both_modes():
    for mode in ("reverse", "forward"):
        found = parse("tanh(if(10 >= x, x, x))").evaluate({"x": 10**8}, mode=mode)
        assert found.gradient == {"x": None}
        assert found.texts["x"] == "1.664982318e-86858896"


def test_slopes_computed_alike_on_both_sides_are_equal_whatever_they_cost():
    found = parse("digamma(x) - max(x, x)").evaluate({"x": Fraction(3, 10)})
    assert found.gradient["x"] == pytest.approx(11.24536454610773)
    assert not found.corners


def test_a_root_that_an_exponent_in_a_variable_cannot_take_is_asked_for_otherwise():
    with pytest.raises(DomainError) as caught:
        parse("x^n").evaluate({"x": -8, "n": Fraction(1, 3)})
    assert (
        caught.value.hint
        == "an exponent that is written out takes the real root: x^(1/3)"
    )
    assert parse("x^(1/3)")(x=-8) == -2
    with pytest.raises(DomainError) as caught:
        parse("x^n").evaluate({"x": -8, "n": 0.5})
    assert caught.value.hint is None


@pytest.mark.parametrize(
    ("text", "at", "kind", "told"),
    [
        ("exp(1000*x)", 1, RangeError, "beyond the range of double precision"),
        ("x*x^x*exp(1000)", 0, RangeError, "beyond the range of double precision"),
        ("floor(x^x)", 0, UndecidedError, "could not decide whether the partial"),
        ("sqrt(x)", 0, NotDifferentiableError, "sqrt is infinitely steep; the slope"),
    ],
)
def test_a_gradient_says_which_partial_it_lacks_and_why(text, at, kind, told):
    with pytest.raises(kind, match=told):
        parse(text).gradient({"x": at})


@pytest.mark.parametrize("source", ["sign(x)", "max(x, 1)", "|x|", "relu(x)", "x^x", "mod(x, 0.3)"])  # fmt: skip
@pytest.mark.parametrize("more", [{}, {"refine": False}, {"mode": "forward"}, {"digits": 17}])  # fmt: skip
def test_a_float_of_numpy_is_a_float(source, more):
    numpy = pytest.importorskip("numpy", reason="needs the extra arrays")
    found = parse(source).evaluate({"x": numpy.float64(0.5)}, **more)
    plain = parse(source).evaluate({"x": 0.5}, **more)
    assert (found.value, found.gradient) == (plain.value, plain.gradient)
    assert type(found.value) is float
    assert type(found.gradient["x"]) is float


def test_a_number_has_no_variable_to_choose():
    with pytest.raises(ExprgradError, match="choose the variable") as caught:
        parse("3").derivative()
    assert caught.value.hint is None
