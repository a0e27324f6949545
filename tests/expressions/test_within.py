"""Derivatives in a text, where they are not what their formulas say: at kinks that have a slope, and at edges."""

from __future__ import annotations

import pytest

from exprgrad.errors import DomainError, NotDifferentiableError, UndecidedError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.expressions.higher_orders import directional
from exprgrad.session.session import Session

UNDONE = "relu(x)-relu(-x)"
"""x, whose formula for the slope is 0 at 0."""


@pytest.mark.parametrize(
    ("text", "at", "value", "gradient"),
    [
        (f"d/dx({UNDONE})*y", {"x": 0, "y": 2}, 2, {"x": 0, "y": 1}),
        ("d/dx(max(x,y)+min(x,y))*y", {"x": 1, "y": 1}, 1, {"x": 0, "y": 1}),
        ("d/dx(x*abs(x))", {"x": 0}, 0, {"x": None}),
        ("d^2/dx^2(x*abs(x)^3)", {"x": 0}, 0, {"x": 0}),
        ("d/dx(d/dx(x*abs(x)^3))", {"x": 0}, 0, {"x": 0}),
        ("if(x>0,1,d/dx(x*abs(x)))", {"x": 1}, 1, {"x": 0}),
    ],
)  # fmt: skip
def test_a_derivative_in_a_text_has_its_value_at_a_kink(text, at, value, gradient):
    found = parse(text).evaluate(at)
    assert (found.value, dict(found.gradient), found.one_sided) == (value, gradient, ())


@pytest.mark.parametrize(
    ("text", "value", "slope"),
    [
        ("d/dx(x^2.5)", 0, 0),
        ("d/dx(x*x^x)", 1, None),
        ("d/dx(x^1.5)", 0, None),
        ("d/dx(sqrt(x)*sqrt(x))*3", 3, 0),
        ("d/dx(x*sqrt(x)*sqrt(x))", 0, 2),
        ("d^2/dx^2(x^3.5)", 0, 0),
    ],
)  # fmt: skip
def test_at_an_edge_it_is_the_slope_from_one_side_and_says_so(text, value, slope):
    found = parse(text).evaluate({"x": 0})
    (edge,) = found.one_sided
    assert (found.value, found.gradient["x"]) == (value, slope)
    assert (edge.kind, edge.left, edge.variable[:5]) == ("edge", None, "d/dx(")
    if (
        slope is not None
    ):  # there is nothing on the left, even where the formula goes on
        assert [corner.kind for corner in found.corners] == ["edge"]


def test_from_the_other_side_too():
    found = parse("d/dx(sqrt(-x)^3)").evaluate({"x": 0}, ())
    assert (found.value, found.one_sided[0].right) == (0, None)


@pytest.mark.parametrize("text", ["d/dx(sqrt(x))", "d/dx(abs(x))", "d/dx(floor(x))"])
def test_one_that_does_not_exist_is_refused_in_every_form(text):
    f = parse(text)
    for options in ({}, {"refine": False}, {"subgradient": True}, {"mode": "forward"}):
        with pytest.raises(NotDifferentiableError, match="does not exist at x = 0: "):
            f.evaluate({"x": 0}, **options)
    with pytest.raises(NotDifferentiableError):
        f.compile()(0)


def test_no_form_takes_the_formula_where_it_does_not_hold():
    f = parse(f"d/dx({UNDONE})*x")
    assert f.evaluate({"x": 0}, refine=False).gradient == {"x": 1}
    assert f.evaluate({"x": 0}, subgradient=True).gradient == {"x": 1}
    assert f.compile()(0) == (0, (1,))
    g = parse(f"d/dx({UNDONE})")
    assert g.evaluate({"x": 0}, subgradient=True).value == 1
    assert g.compile(())(0) == (1, ())


def test_a_slope_that_stays_while_other_variables_move_has_no_jump():
    session = Session()
    session.run("f(t) = relu(t)-relu(-t); x = 0; y = 2")
    (found,) = session.run("f'(x*y)")
    assert dict(found.evaluation.gradient) == {"x": 0, "y": 0}


@pytest.mark.slow
def test_a_kink_that_is_followed_is_undecided_rather_than_a_jump():
    f = parse(
        "d/dx(relu(x*y)-relu(-x*y))"
    )  # y, as long as x is 0: its formula is 0 there
    found = f.evaluate({"x": 0, "y": 2})
    assert (found.value, found.gradient) == (2, {"x": 0, "y": None})
    assert [corner.kind for corner in found.corners] == ["undetermined"]
    assert directional(f, {"x": 0, "y": 2}, {"y": 1}).slope.status == "undecided"


@pytest.mark.parametrize(
    ("call", "at_0", "at_1"),
    [
        ("f'(x)", 1, 1),
        ("f'(2x)*x", 0, 1),
        ("f'(0)*x", 0, 1),
        ("m'(x+0.5)+x", 0, 1),
        ("m'(x)", None, None),
        ("m'(0)*x", None, None),
        ("m'(0.5)*x", 0, 0),
        ("dq/db(x, 2)", 0, 1),
        ("p'(x)", 0, 1.5),
    ],
)  # fmt: skip
def test_code_asks_where_the_formula_of_a_function_may_not_hold(call, at_0, at_1):
    session = Session()
    session.run(
        "f(t) = relu(t)-relu(-t); m(t) = floor(t); p(t) = t^1.5; q(a, b) = abs(a)*floor(b/2+1/2)+b*sign(a)"
    )
    compiled = Expression(session.read(call).reading).compile()
    for x, value in ((0, at_0), (1, at_1)):
        if value is None:
            with pytest.raises(NotDifferentiableError):
                compiled(x)
        else:
            assert compiled(x)[0] == value


def test_a_trace_says_that_there_is_none():
    found = parse(f"d/dx({UNDONE})").evaluate({"x": 0})
    with pytest.raises(DomainError, match="was not found by its formula here"):
        found.values()


class TestInArrays:
    """What holds of a number holds of an element, where operations on whole arrays stand around it."""

    @pytest.fixture
    def session(self):
        pytest.importorskip("scipy")
        session = Session()
        session.run("x = [-1, 0, 1, 4]; y = [1, 2, 3, 4]; f(t) = relu(t)-relu(-t)")
        session.run("g(s, t) = s*f'(t); h(t) = t^2.5; k(t) = t*abs(t)^3")
        return session

    @pytest.mark.parametrize(
        ("text", "value", "slopes"),
        [
            (f"sum(d/dx({UNDONE}))", 4, [0, 0, 0, 0]),
            ("sum(f'(x))", 4, [0, 0, 0, 0]),
            ("sum(f'(x)*x)", 4, [1, 1, 1, 1]),
            ("sum(f'(x*y))", 4, [0, 0, 0, 0]),
            ("sum(f'(x[1])*x)", 4, [1, 1, 1, 1]),
            ("sum(f'(sum(x)-4)*x)", 4, [1, 1, 1, 1]),
            ("sum(g(x, x[1]))", 4, [1, 1, 1, 1]),
            ("sum(h'(abs(x)))", 25, [-3.75, 0, 3.75, 7.5]),
            ("sum(k''(x))", 192, [24, 0, 24, 96]),
            ("mean(d/dx(d/dx(x*abs(x)^3)))", 48, [6, 0, 6, 24]),
        ],
    )
    def test_elements_at_kinks_have_their_slopes(self, session, text, value, slopes):
        (found,) = session.run(text)
        assert found.evaluation.value == pytest.approx(value, rel=1e-15)
        assert found.evaluation.gradient["x"].tolist() == pytest.approx(slopes)

    @pytest.mark.parametrize("text", ["f'(x)*f'(x[1])", "f'(x)*sum(f'(x))/4"])
    def test_so_have_those_of_arrays(self, session, text):
        (found,) = session.run(text)
        assert found.evaluation.value.tolist() == [1, 1, 1, 1]

    @pytest.mark.parametrize(
        "text",
        ["sum(d/dx(abs(x)))", "d/dx(abs(x))*max(y)", "mean(d/dx(floor(x)))", "sum(d/dx(cbrt(x)))"],
    )  # fmt: skip
    def test_one_that_does_not_exist_is_refused(self, session, text):
        with pytest.raises(NotDifferentiableError, match="does not exist at x"):
            session.run(text)

    @pytest.mark.parametrize("text", ["d/dx(x^2.5)", "sum(d/dx(x^2.5))"])
    def test_slopes_from_one_side_are_told(self, text):
        pytest.importorskip("scipy")
        found = parse(text).evaluate({"x": [0, 1]})
        assert [corner.kind for corner in found.one_sided] == ["edge"]

    @pytest.mark.parametrize("options", [{"refine": False}, {"subgradient": True}])
    def test_no_form_takes_formulas_where_they_do_not_hold(self, options):
        pytest.importorskip("scipy")
        point = {"x": [0, 1]}
        f = parse(f"sum(d/dx({UNDONE}))")
        assert f.evaluate(point, **options).value == 2
        with pytest.raises(NotDifferentiableError):
            parse("sum(d/dx(abs(x)))").evaluate(point, **options)

    def test_that_of_a_line_has_the_shape_of_what_it_is_taken_of(self):
        own = Session()
        own.run("x = [1, 2, 3]; f(t) = 2t; y = 3")
        for text, value in (
            ("f'(x)", [2, 2, 2]),
            ("d/dx(2x)", [2, 2, 2]),
            ("d/dx(2x) + x", [3, 4, 5]),
            ("f'(y)*x", [2, 4, 6]),
        ):
            assert own.run(text)[0].evaluation.value.tolist() == value
        for text, number in (("sum(f'(x))", 6), ("f'(sum(x))", 2), ("f'(x[0])", 2)):
            assert own.run(text)[0].evaluation.value == number

    def test_many_elements_are_looked_at_together(self):
        pytest.importorskip("scipy")
        many = [i / 4 for i in range(-10_000, 10_000)]
        found = parse("sum(d/dx(x^3)) + sum(x)").evaluate({"x": many})
        assert found.value == pytest.approx(sum(3 * x * x + x for x in many))
        assert found.error < 1e-2
        with pytest.raises(UndecidedError, match="too many elements"):
            parse("sum(d/dx(abs(x)))").evaluate({"x": many})

    def test_along_a_direction_too(self):
        pytest.importorskip("scipy")
        found = directional(
            parse(f"sum(d/dx({UNDONE})*x)"), {"x": [0, 1]}, {"x": [1, 2]}
        )
        assert (found.value, found.derivative) == (1, 3)
