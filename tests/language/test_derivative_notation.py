"""Derivatives written within expressions: d/dx, ∂/∂x, d^2/dx^2 and diff(f, x)."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from exprgrad.errors import DomainError, ExpressionSyntaxError, NotDifferentiableError
from exprgrad.expressions.expression import parse
from tests.strategies import CASES


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("d/dx x^2", "2*x"),
        ("d / dx x^2", "2*x"),
        ("d/dx(x^2 + 1)", "2*x"),
        ("d/dx [x^2 + 1]", "2*x"),
        ("∂/∂x (x*y)", "y"),
        ("∂/∂y (x*y)", "x"),
        ("d^2/dx^2 x^4", "12*x^2"),
        ("d²/dx² x^4", "12*x^2"),
        ("∂²/∂x² x^3", "6*x"),
        ("d^3/dx^3 sin(x)", "-cos(x)"),
        ("diff(x^2*y, x)", "2*x*y"),
        ("diff(x^4, x, 2)", "12*x^2"),
        ("diff(diff(x^3*y^2, x), y)", "6*x^2*y"),
        ("d/dx d/dx x^3", "6*x"),
        ("d/dx (d/dy (x^2*y^2))", "4*x*y"),
        ("d/dt x", "0"),
        ("d/dalpha alpha^2", "2*alpha"),
        ("d/dx_1 x_1^2", "2*x_1"),
        ("d/dθ sin(θ)", "cos(θ)"),
    ],
)
def test_derivative_is_read_as_its_formula(source, read):
    assert str(parse(source)) == read


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("d/dx x^2 + 1", "2*x"),
        ("d/dx d/dx x^3 - x^2", "6*x - 2"),
        ("d/dx -x^2 + x", "1 - 2*x"),
        ("d/dx(x^2) + x", "2*x + x"),
        ("d/dx (x^2) + x", "2*x + x"),
        ("d/dx [x^2] - x", "2*x - x"),
        ("(d/dx)(x^2) + x", "2*x + x"),
        ("d(x^2)/dx + x", "2*x + x"),
        ("d/dx d(x^3)/dx + x", "6*x + x"),
        ("1 + d/dx d(x^3)/dx x", "1 + 9*x^2"),
        ("(x^2)' + x", "2*x + x"),
        ("(x^3)''*x", "6*x*x"),
        ("sin(x)' + x", "cos(x) + x"),
        ("d/dx x^2 + d/dx x^3", "2*x + 3*x^2"),
        ("d/dx x^2 * d/dx x^3", "2*x*(3*x^2)"),
        ("diff(x^5*y^3, x, 2, y)", "60*x^3*y^2"),
        ("d/dx x(x+1)", "2*x + 1"),
        ("1 + d/dx x^2 - x", "1 + 2*x - x"),
        ("d/dx x^2 y", "2*x*y"),
        ("d/dx x^2*y", "2*x*y"),
        ("d/dx sin x cos x", "cos(2*x)"),
        ("d/dx (x^2 + 1)*3", "2*x*3"),
        ("d/dx(x^2)^2", "4*x^3"),
        ("d/dx(x^2) sin x", "2*x*sin(x)"),
        ("d/dx (x)(x+1)", "2*x + 1"),
        ("d/dx [x](x+1)", "1*(x + 1)"),
        ("d(x)/dx (x+1)", "1*(x + 1)"),
        ("∂²/∂x∂y x^2 y^3", "6*x*y^2"),
        ("2*d/dx x^3", "2*(3*x^2)"),
        ("3 d/dx x^2", "3*(2*x)"),
        ("-d/dx x^2", "-(2*x)"),
        ("1/d/dx x^2", "1/(2*x)"),
        ("(d/dx x^2)^2", "(2*x)^2"),
        ("sin(d/dx x^2)", "sin(2*x)"),
        ("e^(d/dx x^2)", "exp(2*x)"),
        ("max(d/dx x^2, 1)", "max(2*x, 1)"),
        ("d/dx x^2 < 3", "2*x < 3"),
    ],
)
def test_derivative_takes_brackets_or_all_that_follows_or_the_product(source, read):
    assert str(parse(source)) == read


def test_a_note_says_which_derivative_was_read():
    assert "d/dx x^2 is 2*x" in parse("d/dx x^2").notes
    assert "diff(x^4, x, 2) is 12*x^2" in parse("1 + diff(x^4, x, 2)").notes


@pytest.mark.parametrize("source", ["∂²/∂x∂y (x^2*y^2)", "diff(x^2*y^2, x, y)"])
def test_of_a_mixed_derivative_the_last_one_is_noted(source):
    assert parse(f"1 + {source}").notes == (f"{source} is 4*x*y",)


@pytest.mark.parametrize(
    ("source", "note"),
    [
        ("d/dx x^2 + 1", "d/dx x^2 + 1 is read as d/dx (x^2 + 1)"),
        ("2 - d/dx x^2 + 1", "d/dx x^2 + 1 is read as (d/dx x^2) + 1"),
        ("d/dx (x)(x+1)", "d/dx (x)(x+1) is read as d/dx ((x)(x+1))"),
        ("d/dx x d/dx x^2", "d/dx x d/dx x^2 is read as d/dx (x d/dx x^2)"),
    ],
)
def test_how_far_a_derivative_reaches_is_noted_where_it_might_end_elsewhere(
    source, note
):
    assert note in parse(source).notes


@pytest.mark.parametrize(
    "source", ["d/dx(x^2) + 1", "1 + d/dx x^2", "d/dx (x^2)*x", "d/dx 3x^2"]
)
def test_nothing_is_noted_where_a_derivative_can_only_end_there(source):
    assert not any("read as" in note for note in parse(source).notes)


@pytest.mark.parametrize(
    "source",
    [
        "d/dx(x^2)(3)",
        "d/dx (2)(x)",
        "(x^2)'(3) + 1",
        "2(x^2)'(-1)",
        "d/dx [x^2](3)",
        "diff(x^2, x)(3)",
        "2 derivative(x^2, x)(-1)",
        r"\frac{d}{dx}(x^2)(3)",
    ],
)
def test_a_bracket_without_the_variable_behind_another_is_asked_about(source):
    with pytest.raises(ExpressionSyntaxError, match="may be a factor, or the place"):
        parse(source)


@pytest.mark.parametrize(
    ("source", "declared", "read"),
    [
        ("d/dx", ["d", "dx"], "d/dx"),
        ("d/dx*x", ["dx"], "d/dx*x"),
        ("d/dx x", ["d"], "d/dx*x"),
        ("d^2/dx^2*x", ["dx"], "d^2/dx^2*x"),
    ],
)
def test_a_declared_name_makes_it_a_quotient(source, declared, read):
    f = parse(source, declared)
    assert str(f) == read
    assert "d" in f.variables


def test_other_quotients_of_such_names_stay_quotients():
    assert str(parse("dy/dx")) == "dy/dx"
    assert str(parse("d/x")) == "d/x"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("d^2/dx^3 x", "two different orders"),
        ("d^2/dx x", "two different orders"),
        ("d/dx", "ends after 'd/dx'"),
        ("d/dx + 1", "ends after|cannot follow"),
        ("x^d/dx x^2", "cannot follow"),
        ("d^0/dx^0 x", "whole number from 1 to 100"),
        ("d^101/dx^101 x", "whole number from 1 to 100"),
        ("diff(x*y)", "with respect to which variable: x, y"),
        ("diff(2)", "no variable"),
        ("diff(x, x, 1, 1)", "must be a variable"),
        ("diff()", "diff"),
        ("diff(x, 2.5)", "must be a variable"),
        ("diff(x^2, x + 1)", "must be a variable"),
        ("diff(x^2, pi)", "must be a variable"),
        ("diff(x, x, 0)", "whole number from 1 to 100"),
        ("diff(x, x, -1)", "whole number from 1 to 100"),
        ("diff(x, x, 101)", "whole number from 1 to 100"),
        ("diff(x, x, 1.5)", "whole number from 1 to 100"),
    ],
)
def test_what_is_not_a_derivative_is_refused_with_its_place(source, message):
    if source == "d/dx + 1":
        assert str(parse(source)) == "0"  # the derivative of +1
        return
    with pytest.raises(ExpressionSyntaxError, match=message) as caught:
        parse(source)
    assert caught.value.span is not None


def test_every_node_of_a_derivative_points_to_where_it_was_written():
    from exprgrad.graph.order import topological

    f = parse("1 + d/dx (x^3*sin(x))")
    assert all(item.span is not None for item in topological(f.root))


# Values


@pytest.mark.slow
@given(CASES)
def test_value_of_a_derivative_is_the_gradient(case):
    source, at = case
    f = parse(source, "xyz")
    try:
        found = f.evaluate(at)
    except DomainError:
        assume(False)
    assume(not found.corners and "x" in f.variables)
    near = f.evaluate({n: v * (1 + 1e-10) for n, v in at.items()}).gradient["x"]
    partial = found.gradient["x"]
    assume(near is not None and abs(near - partial) <= 1e-7 * (abs(partial) + 1e-9))
    assume(all(abs(v) < 1e100 for v in found.primals if v is not None))
    for written in (f"d/dx ({source})", f"diff({source}, x)", f"∂/∂x[{source}]"):
        assert parse(written, "xyz")(**at) == pytest.approx(partial, rel=1e-6, abs=1e-9)


def test_a_derivative_is_differentiated_like_anything_else():
    f = parse("y*d/dx x^3")
    assert f.evaluate({"x": 2, "y": 5}).gradient == {"x": 60, "y": 12}
    assert str(f.derivative("x")) == "6*x*y"
    assert f.hessian({"x": 2, "y": 5})["x"] == {"x": 30, "y": 12}


@pytest.mark.parametrize(
    ("source", "at"),
    [
        ("d/dx |x|", {"x": 0}),
        ("d/dx sqrt(x)", {"x": 0}),
        ("0*d/dx |x|", {"x": 0}),
        ("d/dx max(x, y)", {"x": 1, "y": 1}),
        ("diff(|x|, x)", {"x": 0}),
        ("d^2/dx^2 (x*|x|)", {"x": 0}),
        ("diff(x*|x|, x, 2)", {"x": 0}),
        ("d/dx d/dx (x*|x|)", {"x": 0}),
    ],
)
def test_value_is_refused_where_the_inner_function_has_no_slope(source, at):
    with pytest.raises(NotDifferentiableError):
        parse(source)(**at)


def test_value_is_refused_outside_the_domain_of_the_inner_function():
    with pytest.raises(DomainError, match="an argument > 0"):
        parse("d/dx ln(x)")(x=-1)


def test_value_exists_beside_the_corner_and_by_other_variables():
    assert parse("d/dx |x|")(x=-2) == -1
    assert parse("d/dy |x|")(x=0) == 0
    assert parse("d^2/dx^2 |x|^3")(x=0) == 0


def test_a_derivative_in_a_branch_that_is_not_taken_does_not_matter():
    f = parse("if(x > 0, d/dx sqrt(x), 5)")
    assert f(x=4) == 0.25
    assert f(x=-1) == 5


def test_an_order_of_thousands_of_digits_is_an_error():
    digits = "9" * 5000
    with pytest.raises(ExpressionSyntaxError, match="from 1 to 100"):
        parse(f"d^{digits}/dx^{digits} x")


@pytest.mark.parametrize("text", ["d/dx₁ x₁²", "∂/∂x₁ (x₁²)", "diff(x₁², x₁)"])
def test_variables_with_subscripts_are_those_of_the_expression(text):
    assert parse(text).reading == "2*x1"
    assert parse("x₁²").derivative("x₁").reading == "2*x1"
    f = parse("x₁²x₂")
    assert f.evaluate({"x1": 2, "x2": 3}, ["x₁"]).gradient == {"x1": 12}
    assert f.evaluate({"x₁": 2, "x₂": 3}, ["x₁"]).gradient == {"x1": 12}


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("(x^2)'(x) + 1", "2*x + 1"),
        ("(x^3)''(x)(x + 1)", "6*x*(x + 1)"),
        ("(x^2)'(x + 1)", "2*x*(x + 1)"),
        ("d/dx ½x²", "x"),
        ("d/dx 2½ x", "5/2"),
    ],
)
def test_brackets_that_were_not_typed_are_none_and_an_argument_is_no_factor(
    source, read
):
    values = [
        f.evaluate({"x": 3} if f.variables else {}) for f in map(parse, (source, read))
    ]
    assert values[0].value == values[1].value


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("d/dx x^", "the expression ends after '^', where a value should follow"),
        (
            "1 + d/dx d/dx x*",
            "the expression ends after '*', where a value should follow",
        ),
        ("d/dx x +* 2", "'*' cannot follow '+'"),
        ("d/dx sin^2", "sin^2 needs an argument"),
    ],
)
def test_errors_quote_no_bracket_that_nobody_typed(source, message):
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse(source)
    assert caught.value.message == message
