"""Formulas in the shortest form, as products and multiplied out, and what the rewriting assumes."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import assume, given

import exprgrad
from exprgrad.cli.start import run
from exprgrad.errors import DomainError, ExprgradError, RangeError, UsageError
from exprgrad.expressions.expression import parse
from exprgrad.graph.value import Value, node
from exprgrad.operations.table import SUB
from exprgrad.session.screen import blocks
from tests.strategies import CASES, ROWS, fewer

SHORT = {
    "(x^2 - 1)/(x - 1)": ("x + 1", ("x != 1",)),
    "(x^2 - 4)/(2 - x)": ("-x - 2", ("x != 2",)),
    "(x^2 + 3x + 2)/(x^3 - x)": ("(x + 2)/(x*(x - 1))", ("x != -1",)),
    "(x^2 - y^2)/(x + y)": ("x - y", ("x + y != 0",)),
    "exp(ln(x))": ("x", ("x > 0",)),
    "sqrt(x - 1)^2": ("x - 1", ("x >= 1",)),
    "x/x": ("1", ("x != 0",)),
    "ln(x)/ln(x)": ("1", ("x > 0", "ln(x) != 0")),
    "1/(x^2 + 1)*(x^2 + 1)": ("1", ()),
    "exp(x)/exp(x)": ("1", ()),
    "1/(x - 1) - 1/(x + 1)": ("2/(x^2 - 1)", ()),
    "sin(x)^2 - 1": ("-cos(x)^2", ()),
    "(1 - cos(x)^2)/sin(x)": ("sin(x)", ("sin(x) != 0",)),
    "tan(x)^2 + 1": ("sec(x)^2", ()),
    "x/sqrt(x)": ("sqrt(x)", ("x != 0",)),
    "(a^2 - b^2)/(a^2 + 2a*b + b^2)": ("(a - b)/(a + b)", ()),
    "sin(x) + 1/(x^2 + 1) + x/(x^2 + 1)": ("sin(x) + (x + 1)/(x^2 + 1)", ()),
}

ON_SIGNS_OF_POWERS = {
    "sqrt(x^3)": ("x^(3/2)", ()),
    "sqrt(x^3)*sqrt(x)": ("x^2", ("x >= 0",)),
    "sqrt(2*x^3)^2": ("2*x^3", ("x >= 0",)),
    "exp(ln(x^4))": ("x^4", ("x != 0",)),
    "exp(ln(x^(2/3)))": ("x^(2/3)", ("x != 0",)),
    "exp(ln(1/x))": ("1/x", ("x > 0",)),
    "exp(ln(-x^3))": ("-x^3", ("x^3 < 0",)),
    "exp(ln((1 - x)^3))": ("(1 - x)^3", ("x < 1",)),
    "sqrt(-x*y)^2": ("-x*y", ("x*y <= 0",)),
    "exp(ln(x^2 - 2*x + 1))": ("x^2 - 2*x + 1", ("x != 1",)),
    "sqrt(4 - 4*x + x^2)^2": ("x^2 - 4*x + 4", ()),
    "sqrt(x^3 - 3*x^2 + 3*x - 1)^2": ("(x - 1)^3", ("x >= 1",)),
    "sqrt((-x)^(1/3))^2": ("(-x)^(1/3)", ("x <= 0",)),
}


EXACT = {
    "sin(pi/6)": "1/2",
    "cos(3*pi/4)": "-sqrt(2)/2",
    "tan(pi/6)": "sqrt(3)/3",
    "sec(pi/6)": "2*sqrt(3)/3",
    "sin(tau/8)": "sqrt(2)/2",
    "x*sin(pi/6) + cos(pi/3)": "x/2 + 1/2",
    "asin(1/2)": "pi/6",
    "acos(-sqrt(2)/2)": "3*pi/4",
    "4*atan(1)": "pi",
    "asec(2)": "pi/3",
    "acsc(-2)*x": "-pi*x/6",
    "acot(1)": "pi/4",
    "3/sqrt(3)": "sqrt(3)",
    "x*(6/sqrt(12))": "sqrt(3)*x",
    "sqrt(8)*x": "2*sqrt(2)*x",
    "1/sqrt(2)": "sqrt(2)/2",
    "ln(8)/ln(2)": "3",
    "cos(pi/7)": "cos(pi/7)",
    "sin(1)": "sin(1)",
    "atan(2)": "atan(2)",
    "tan(pi/2)": "tan(pi/2)",
    "sqrt(9.81)": "sqrt(9.81)",
    "x/sqrt(2)": "x/sqrt(2)",
}


@pytest.mark.parametrize("source", EXACT)
def test_parts_without_variables_are_the_numbers_they_are_proved_to_be(source):
    found = exprgrad.simplify(source)
    assert str(found) == EXACT[source]
    assert str(found.simplify()) == EXACT[source]


@pytest.mark.parametrize("source", ON_SIGNS_OF_POWERS)
def test_a_condition_on_the_sign_of_a_power_is_one_on_its_base(source):
    found = exprgrad.simplify(source)
    assert (str(found), found.assumptions) == ON_SIGNS_OF_POWERS[source]


def test_a_derivative_leaves_out_the_zeros_of_a_square_within_a_logarithm():
    assert parse("exp(ln(x^2 - 2*x + 1))").derivative("x").assumptions == ("x != 1",)


@pytest.mark.parametrize("source", SHORT)
def test_shortest_form_says_what_it_assumes(source):
    found = exprgrad.simplify(source)
    assert (str(found), found.assumptions) == SHORT[source]


@pytest.mark.parametrize(
    ("source", "factored", "expanded"),
    [
        ("x^2 - 1", "(x + 1)*(x - 1)", "x^2 - 1"),
        ("(x + 1)*(x - 2)", "(x + 1)*(x - 2)", "x^2 - x - 2"),
        ("x^3 - 6x^2 + 9x", "x*(x - 3)^2", "x^3 - 6*x^2 + 9*x"),
        ("x^2*exp(x) + exp(x)", "exp(x)*(x^2 + 1)", "x^2*exp(x) + exp(x)"),
        ("(x + 1)^2/(x - 3)", "(x + 1)^2/(x - 3)", "(x^2 + 2*x + 1)/(x - 3)"),
        ("sin(x)", "sin(x)", "sin(x)"),
    ],
)
def test_form_that_is_asked_for(source, factored, expanded):
    assert str(parse(source).simplify("factored")) == factored
    assert str(parse(source).simplify("expanded")) == expanded


def test_derivative_in_a_form():
    f = parse("(2x + 1)^3*(x - 4)^2")
    assert str(f.derivative("x")) == "2*(2*x + 1)^2*(x - 4)*(5*x - 11)"
    expanded = "40*x^4 - 208*x^3 + 114*x^2 + 290*x + 88"
    assert str(f.derivative("x", form="expanded")) == expanded


def test_another_word_is_no_form():
    with pytest.raises(UsageError, match="a form is short, factored or expanded"):
        parse("x").simplify("long")


@given(CASES)
@fewer(4)
@pytest.mark.parametrize("form", ["factored", "expanded"])
def test_every_form_has_the_value_wherever_there_is_one(form, case):
    source, at = case
    f = parse(source, "xyz")
    try:
        wanted = f.evaluate(at, ()).value
    except ExprgradError:
        assume(False)
    assume(wanted is not None and abs(wanted) < 1e100)
    try:
        found = parse(str(f.simplify(form)), "xyz").evaluate(at, ()).value
    except RangeError:
        return
    except DomainError as error:
        raise AssertionError(f"{source} is {wanted}, but {error}") from None
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-300)


def _printed(capsys, *words):
    code = run(list(words))
    return code, capsys.readouterr().out


def test_where_the_function_has_a_hole_its_derivative_says_so(capsys):
    out = "d/dx = 1\n  for x != 1\n"
    assert _printed(capsys, "diff", "(x^2-1)/(x-1)") == (0, out)
    assert _printed(capsys, "diff", "ln(x)") == (0, "d/dx = 1/x\n")


def test_command_simplifies_and_says_what_it_assumes(capsys):
    out = "x + 1\n  for x != 1\n"
    assert _printed(capsys, "simplify", "(x^2-1)/(x-1)") == (0, out)
    more = ["--form", "factored", "--format", "json"]
    found = json.loads(_printed(capsys, "simplify", "x^2-4", *more)[1])
    assert found["result"] == "(x + 2)*(x - 2)"
    assert found["assumes"] == []
    assert _printed(capsys, "simplify", "x+", "--format", "json")[0] == 2


def test_session_simplifies_in_the_form_that_is_set():
    session = exprgrad.Session()
    found = session.run(":set form factored\n:simplify x^2 - 4\nsimplify (x^2-1)/(x-1)")
    assert [result.as_dict()["result"] for result in found[1:]] == [
        "(x + 2)*(x - 2)",
        "x + 1",
    ]
    assert found[2].as_dict()["assumes"] == ["x != 1"]


@pytest.mark.parametrize(
    ("source", "at", "shown"),
    [
        ("sqrt x", "x=2", "1/(2*sqrt(2)) = 0.3535533906 at x = 2"),
        ("sin x", "x=pi/4", "sqrt(2)/2 = 0.7071067812 at x = 0.7853981634"),
        ("x*e^x", "x=1", "2*e = 5.436563657 at x = 1"),
        ("x^3", "x=2", "12 at x = 2"),
        ("sqrt x", "x=0.5", "0.7071067812 at x = 0.5"),
    ],
)
def test_value_is_exact_where_that_is_short(capsys, source, at, shown):
    out = _printed(capsys, "diff", source, "--at", at)[1]
    assert out.splitlines()[1] == f"  = {shown}"


def test_last_lines_of_steps_can_be_followed(capsys):
    out = _printed(capsys, "diff", "(2x+1)^3 (x-4)^2", "--steps")[1]
    assert out.splitlines()[-5:-2] == [
        "  = 6*(2*x + 1)^2*(x - 4)^2 + (2*x + 1)^3*(2*(x - 4))",
        "  = 6*(2*x + 1)^2*(x - 4)^2 + 2*(2*x + 1)^3*(x - 4)",
        "  = 2*(2*x + 1)^2*(x - 4)*(5*x - 11)",
    ]


def test_session_shows_all_steps_where_they_are_asked_for():
    session = exprgrad.Session()
    brief, full = session.run(":steps x^2 sin x\n:steps full x^2 sin x")
    assert (brief.detail, full.detail) == ("brief", "full")
    assert session.run(":set notation pretty")
    assert session.settings.notation == "pretty"


def test_formulas_are_pretty_on_a_terminal_that_shows_them(capsys, monkeypatch):
    words = ("diff", "x^2*sqrt(x)*y", "--wrt", "y", "--notation", "pretty")
    assert _printed(capsys, *words) == (0, "∂/∂y = x^(5/2)\n")
    simplify = ("simplify", "2x*sqrt(x+1)*x", "--notation", "pretty")
    assert _printed(capsys, *simplify) == (0, "2*x^2*sqrt(x + 1)\n")
    monkeypatch.setattr("exprgrad.views.output.on_terminal", lambda symbols: True)
    assert _printed(capsys, *simplify) == (0, "2·x²·√(x + 1)\n")
    out = _printed(capsys, "diff", "x^3", "--steps", "--notation", "pretty")[1]
    assert out.splitlines()[0].startswith("d/dx (x³) = 3·x²")
    assert "x^3" not in out


def test_steps_in_a_session_are_pretty_where_that_is_set(monkeypatch):
    session = exprgrad.Session()
    session.run(":set notation pretty")
    (result,) = session.run(":steps x^3")
    monkeypatch.setattr("exprgrad.views.output.on_terminal", lambda symbols: True)
    shown = str(blocks(result, session.settings))
    assert "3·x²" in shown
    assert "x^2" not in shown


@pytest.mark.parametrize(
    ("source", "assumptions"),
    [
        ("asin(x) - asin(x)", ("x >= -1", "x <= 1")),
        ("0*acosh(2x)", ("x >= 1/2",)),
        ("0*atanh(x/3)", ("x > -3", "x < 3")),
        ("x^y/x^y", ("x > 0",)),
        ("x^y + x^y", ()),
        ("x^(-1/2)", ()),
        ("0*log(2, x)", ("x > 0", "x != 1")),
        ("0*lgamma(x)", ("x > 0",)),
        ("0*asin(exp(-x^2))", ()),
    ],
)
def test_conditions_other_than_signs_are_said_too(source, assumptions):
    assert exprgrad.simplify(source).assumptions == assumptions


@pytest.mark.parametrize("row", [r for r in ROWS if r.domain and not r.whole], ids=lambda r: r.name)  # fmt: skip
def test_a_row_that_cancels_has_a_value_where_its_conditions_hold(row):
    call = node(row, tuple(Value(None, name) for name in "xyz"[: row.arity]))
    simple = exprgrad.Expression.of(node(SUB, (call, call))).simplify()
    if str(simple) != "0":
        assert row.name in ("polygamma", "sinc_n", "factorial")  # of variables
        return
    conditions = [parse(text) for text in simple.assumptions]
    met = 0
    for point in itertools.product(
        (-2, -1, -0.5, 0, 0.25, 1, 1.5, 2), repeat=row.arity
    ):
        at = dict(zip("xyz", point, strict=False))
        if all(c.evaluate({n: at[n] for n in c.variables}).value for c in conditions):
            met += 1
            assert row.failing(point) is None, point
    assert met


def test_a_second_derivative_leaves_out_the_origin_where_it_is_none():
    found = parse("max(x^2 + y^2, 0)").derivative("x", order=2)
    assert found.assumptions == ("x^2 + y^2 != 0",)


def test_what_is_factored_and_multiplied_out_at_the_same_cost_comes_to_an_end():
    f = parse("(csch(x)^(-1) + tanh(x))/(3*relu(x)^(1/4))")
    slope = f.derivative("x").evaluate({"x": 2}).value
    assert slope == pytest.approx(f.evaluate({"x": 2}).gradient["x"], rel=1e-12)
