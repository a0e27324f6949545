"""What is shown has been confirmed: planted errors are kept off the screen, and what a formula loses is stated."""

from __future__ import annotations

import ast
import json
from functools import partial

import pytest

from exprgrad import parse
from exprgrad.cli.start import run
from exprgrad.errors import ExprgradError
from exprgrad.expressions import confirm
from exprgrad.expressions.confirm import Quantity, points, refuted
from exprgrad.graph.rewriting import rebuilt
from exprgrad.graph.value import Value, node
from exprgrad.notation.text import to_text
from exprgrad.operations.operation import TABLE
from exprgrad.symbolic import simplify as rewriting
from exprgrad.symbolic.derivative import tangent
from tests.test_layers import MODULES, tree


def exchanged(old: str, new: str):
    """A rewriting that takes one function for another."""

    def change(item: Value, operands: tuple[Value, ...]) -> Value | None:
        return node(TABLE[new], operands) if item.operation is TABLE[old] else None

    return lambda root: rebuilt(root, change)


def put(old: str, new: str):
    """A rewriting that puts one formula for another."""

    def change(item: Value, operands: tuple[Value, ...]) -> Value | None:
        again = node(item.operation, operands) if item.operation is not None else item
        return parse(new).root if to_text(again) == old else None

    return lambda root: rebuilt(root, change)


PLANTED = {
    "angles": ("sin(x)*cos(x)", put("cos(2*x)", "cos(x)")),
    "roots": ("x*sqrt(x^2 + 1)", put("sqrt(x^2 + 1)", "x")),
    "logarithms": ("x*ln(abs(x))", exchanged("ln", "log10")),
    "fractions": ("(x + 1)/(x - 2)", exchanged("div", "mul")),
    "signs": ("x*abs(x)", exchanged("abs", "neg")),
    "a tiny number": ("x^3", put("3*x^2", "3*x^2 + 1/10^6")),
    "a lost piece": ("x^5 + x", put("5*x^4 + 1", "5*exp(4*ln(x)) + 1")),
}
"""Of each family an expression and a rewriting that is false for its derivative."""


@pytest.fixture
def plant(monkeypatch):
    """Plant a false rewriting behind the last step of `symbolic.simplify`."""

    def planted(change):
        writer = rewriting.Writer.graph
        monkeypatch.setattr(
            rewriting.Writer, "graph", lambda self, form: change(writer(self, form))
        )

    return planted


@pytest.mark.parametrize("family", PLANTED)
def test_a_false_rewriting_is_an_error_under_tests(plant, family):
    text, change = PLANTED[family]
    plant(change)
    with pytest.raises(AssertionError, match="should be"):
        parse(text).derivative("x")


@pytest.mark.parametrize("family", PLANTED)
def test_a_false_rewriting_is_kept_off_the_screen(plant, monkeypatch, capsys, family):
    monkeypatch.setattr(confirm, "strict", False)
    text, change = PLANTED[family]
    plant(change)
    found = parse(text).derivative("x")
    truth = Quantity(parse(text).root, "x")
    assert refuted(found.root, truth, lambda: found.root) is None
    assert run(["diff", text, "--at", "x=1.5"]) == 0
    shown = capsys.readouterr().out
    assert f"d/dx = {found}" in shown


@pytest.mark.parametrize("family", PLANTED)
def test_switched_off_it_is_shown(plant, monkeypatch, family):
    monkeypatch.setattr(confirm, "enabled", False)
    text, change = PLANTED[family]
    right = parse(text).derivative("x")
    plant(change)
    assert str(parse(text).derivative("x")) != str(right)


@pytest.mark.parametrize(
    ("text", "false"),
    [
        ("cos(x)^(3/2)", "-3*sin(2*x)/4"),
        ("sqrt(x^2)", "1"),
        ("x*y", "y + 1/10^7"),
        ("ln(x)", "1/x + 1/10^9"),
        ("sqrt(x - 900)", "1/(3*sqrt(x - 900))"),
        ("asin(x/1000)", "1/sqrt(10^6 + x^2)"),
        ("sqrt(-x - 50)*y", "y/(2*sqrt(-x - 50))"),
        ("acosh(x)", "1/(x - 1)"),
        ("x^n", "n*x^(n + 1)"),
        ("9007199254740993*x", "9007199254740992"),
        ("x + y", "1 + 0*ln(y)"),
        ("x", "a"),
    ],
)
def test_another_formula_is_refuted(text, false):
    root = parse(text).root
    rules = partial(tangent, root, "x")
    assert refuted(parse(false).root, Quantity(root, "x"), rules) is not None


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("cos(x)^(3/2)", "-3*sin(x)*sqrt(cos(x))/2"),
        ("ln(x)", "1/x"),
        ("abs(x)", "sign(x)"),
        ("x^x", "x^x*(ln(x) + 1)"),
        ("sqrt(x - 900)", "1/(2*sqrt(x - 900))"),
        ("1", "0"),
        ("sin(x)^2 + cos(x)^2", "2*sin(x)*cos(x) - sin(2*x)"),
        ("sqrt(-1 - x^2)", "-x/sqrt(-1 - x^2)"),
    ],
)
def test_every_right_formula_is_confirmed(text, formula):
    root = parse(formula).root
    assert refuted(root, Quantity(parse(text).root, "x"), lambda: root) is None


def test_points_are_of_both_signs_and_several_scales_and_always_the_same():
    truth = Quantity(parse("x*y + 700*x").root, "x")
    first = list(points(truth, "a text"))[:24]
    assert first == list(points(truth, "a text"))[:24]
    assert first != list(points(truth, "another text"))[:24]
    for name in ("x", "y"):
        own = [at[name] for at in first]
        assert min(own) < 0 < max(own)
        sizes = [abs(x) for x in own]
        assert min(sizes) < 0.3
        assert max(sizes) > 500  # near the number in the text
    signs = {(at["x"] > 0, at["y"] > 0) for at in first}
    assert len(signs) == 4


def test_a_formula_without_a_point_to_compare_it_at_is_the_one_of_the_rules():
    text = "ln(x) + erf(e^x - e^x)^(-1/3)"
    found = parse(text).derivative("x")
    with pytest.raises(ExprgradError):
        found.evaluate({"x": 2}, ())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ln(x) + asin(2)", "asin needs an argument from -1 to 1"),
        ("(x-x)^(-1/3)*x", "a quotient needs a divisor other than 0"),
        ("ln(0)*0^x", "ln needs an argument > 0"),
        ("x + sqrt(-1-x^2)", "sqrt(-1 - x^2) has none"),
        ("ln(-abs(x) - 1)", "ln(-abs(x) - 1) has none"),
        ("acos(2 + x^2)*x", "acos(2 + x^2) has none"),
        ("1/(1 - sin(x)^2 - cos(x)^2)", "1/(1 - sin(x)^2 - cos(x)^2) has none"),
        ("x + 1/(cosh(x)^2 - sinh(x)^2 - 1)", "1/(cosh(x)^2 - sinh(x)^2 - 1) has none"),
        ("x^2 + ln(cos(2x) - 1 + 2sin(x)^2)", "ln(cos(2*x) - 1 + 2*sin(x)^2) has none"),
    ],
)
def test_what_has_no_value_anywhere_is_said_to_have_none(capsys, text, reason):
    assert run(["diff", text, "--format", "json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert notes == [f"the expression has no value anywhere: {reason}"]


@pytest.mark.parametrize(
    "text", ["if(x > 0, x, asin(2))", "e^(1000^1000)*x", "(-2)^x", "sqrt(2)*x/0.5"]
)
def test_what_has_a_value_somewhere_is_not_said_to_have_none(capsys, text):
    assert run(["diff", text]) == 0
    assert "the expression has no value" not in capsys.readouterr().out


def test_a_piece_on_which_doubles_give_alarm_is_looked_at_by_balls():
    truth = Quantity(parse("sign((x/y)*(x-y))*sqrt((3x-1)^2)").root, "x")
    false = parse("3*(3*x-1)*sign(x*(x-y)/y)/(3*x-1)^(2/2)").root
    assert refuted(false, truth, lambda: false) is not None


def test_the_derivative_in_a_text_is_confirmed_too(plant):
    plant(put("2*x", "3*x"))
    with pytest.raises(AssertionError, match="should be"):
        parse("d/dx x^2")


def test_every_step_is_confirmed(plant, monkeypatch, capsys):
    monkeypatch.setattr(confirm, "strict", False)
    plant(exchanged("cos", "sin"))
    assert run(["diff", "x^2*sin(x)", "--steps"]) == 0
    assert "  = 2*x*sin(x) + x^2*cos(x)\n" in capsys.readouterr().out


@pytest.mark.slow
def test_formulas_come_only_from_what_confirms_them():
    rewriting = {"symbolic.derivative": {"derivative"}, "symbolic.simplify": {"simplify", "collected"}}  # fmt: skip
    taken = set()
    for module in MODULES:
        for item in ast.walk(tree(module)):
            if isinstance(item, ast.ImportFrom):
                names = {alias.name for alias in item.names}
                source = (item.module or "").removeprefix("exprgrad.")
                taken |= {module} if names & rewriting.get(source, set()) else set()
    others = {module for module in taken if not module.startswith("symbolic.")}
    assert others == {
        "language.builder"
    }  # to which `expressions` gives the confirmed one


def test_latex_that_reads_as_something_else_gives_way_to_the_text(monkeypatch):
    root = parse("x^2 + sin(x)").root
    assert confirm.latex(root) == r"x^{2} + \sin(x)"
    monkeypatch.setattr("exprgrad.notation.latex.latex", lambda _: "x^{2} + 1")
    with pytest.raises(AssertionError, match="should be"):
        confirm.latex(root)
    monkeypatch.setattr(confirm, "strict", False)
    assert confirm.latex(root) == r"\texttt{x^2 + sin(x)}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("notation", "line"),
    [
        ("latex", r"\frac{d}{dx} \left(\left|x\right|\right) = \operatorname{sign}(x) \quad \text{for } x \ne 0"),
        ("python", "    # for x != 0"),
    ],
)  # fmt: skip
def test_what_is_stated_stands_in_every_format(capsys, notation, line):
    assert run(["diff", "abs(x)", "--format", notation]) == 0
    assert line in capsys.readouterr().out.splitlines()


NOTHING: tuple[str, ...] = ()
STATED = {
    "abs(x)": ("x != 0",),
    "abs(x - 2)": ("x != 2",),
    "max(x, y)": ("x != y",),
    "min(y, x, z)": ("y != x", "min(y, x) != z"),
    "max(a, x, c, d)": ("a != x", "max(a, x) != c", "max(max(a, x), c) != d"),
    "max(min(x, y), min(z, w))": ("x != y", "min(x, y) != min(z, w)"),
    "max(x, x^3)": ("x != 0", "x != -1", "x != 1"),
    "relu(x)": ("x != 0",),
    "abs(x^2 - 3)": ("x^2 != 3",),
    "abs(x - pi)": ("x != pi",),
    "sign(x^2 - 3)": ("x^2 != 3",),
    "abs(exp(x) - 3)": ("exp(x) != 3",),
    "min(sin(x), cos(x))": ("sin(x) != cos(x)",),
    "max(x, cos(x))": ("x != cos(x)",),
    "if(x > e, ln(x), 1)": ("x != e",),
    "if(x == 0, 0, x*sin(1/x))": ("x != 0",),
    "if(x == 0, 0, sin(x)/x)": ("x != 0",),
    "if(x > 0, ln(x), 0)": ("x != 0",),
    "if(x == 0, 0, x^2*sin(1/x))": NOTHING,
    "x/abs(x)": ("x != 0",),
    "sqrt(x^4*(x + y))": ("x != 0",),
    "cbrt(x^2*sin(x))": ("x != 0",),
    "hypot(x, x^2)*x": ("x != 0",),
    "abs(sin(x))*x": ("sin(x) != 0",),
    "floor(x)": ("x != floor(x)",),
    "sech(cbrt((x - 1)^2))*exp(x*exp(-2x))": ("x != 1",),
    "softplus(asin(cos(x^3))^(-1/2) - sech(abs(x))^(-1))*(x - 4)": ("x != 0",),
    "sign(x)": ("x != 0",),
    "(x^2 - 1)/(x - 1)": ("x != 1",),
    "acos(cos(x^2))": ("sin(x^2) != 0",),
    "sqrt(x^2)*asinh(x)": ("x != 0",),
    "a^x": ("a > 0",),
    "(relu(x)^(7/2))^(x + 2)": ("x != 0",),
    "0^x": ("x > 0",),
    "x*tan((x - 1)^2)^(-n)": ("tan((x - 1)^2) != 0",),
    "x^a*y + ((x - 1)^2)^(-n)": ("x != 1",),
    "max(abs(x), abs(floor(x)))*sinh(3x - 1)^(3/2)": ("x != floor(x)",),
    "if(0 < x and x < y and y < 1, x, 2)": ("x != 0", "x != y"),
    "if(5 < y and y < 6 and x > 0, x, 2)": ("x != 0",),
    "if(x > 0 and x > -1 and y > 0, x, 2)": ("x != 0",),
    "if(x > 0 and y > 3, x^2, -x^2)": NOTHING,
    "(acsch(3x - 1)^(-1/2) - cosh(3x - 1)*asec(3x - 1))/max(abs(x), abs(floor(x)))": ("x != floor(x)",),
} | dict.fromkeys(
    [
        "x^2", "1/x", "ln(x)", "ln(abs(x))", "sqrt(x)", "x^(5/3)", "x^(3/2)", "x^n", "x^x", "tan(x)", "sec(x)",
        "asin(x)", "acos(x)", "atan(x)", "acsc(x)", "sqrt(1 - x^2)", "sqrt(sin(x))", "sin(x)^n", "log(x, 2)",
        "x*abs(x)", "abs(x)^3", "hypot(x, y)", "atan2(y, x)", "if(x > 1, x^2, 2x - 1)", "x^2*ln(x)", "e^(-x^2)",
        "(x + 1)/(x^2 - 4)", "x^2*sin(1/x)", "cbrt(x)", "x^(1/3)", "ln(sin(x))",
        "sqrt((x^2 - 3)^2)", "abs(x^2 - 3)^3", "abs(x - cos(x))*(x - cos(x))", "if(x > e, ln(x), x/e)",
        "min(x, abs(x))", "cbrt(x^4)", "x*sqrt(abs(x))", "(x^2)^(3/4)", "sqrt((x^2)^2)", "relu(x)^(1/3)",
    ],
    NOTHING,
)  # fmt: skip
"""What is stated beside the derivative with respect to x."""


@pytest.mark.parametrize("text", STATED)
def test_what_a_derivative_loses_is_stated_and_nothing_else(text):
    assert parse(text).derivative("x").assumptions == STATED[text]


@pytest.mark.parametrize(
    ("text", "order", "stated"),
    [
        ("abs(x)^3", 3, ("x != 0",)),
        ("x*abs(x)", 2, ("x != 0",)),
        ("x^(7/3)", 3, ()),
        ("ln(abs(x))^y", 3, ("ln(abs(x)) != 0",)),
    ],
)
def test_what_a_higher_derivative_loses_is_stated(text, order, stated):
    assert parse(text).derivative("x", order=order).assumptions == stated


def test_what_another_form_loses_is_stated():
    found = parse("x^2 + x^(n + 2)").simplify("factored")
    assert (str(found), found.assumptions) == ("x^2*(x^n + 1)", ("x != 0",))


def test_what_is_stated_of_a_form_may_be_about_variables_that_are_gone():
    assert parse("abs(x)").derivative("y").assumptions == ()
    found = parse("abs(x - 2)*(x + y)/(x + y)").derivative("x", form="factored")
    assert (str(found), found.assumptions) == ("sign(x - 2)", ("x + y != 0", "x != 2"))


def test_what_is_stated_stands_behind_the_formula(capsys):
    assert run(["diff", "abs(x)"]) == 0
    assert capsys.readouterr().out == "d/dx = sign(x)\n  for x != 0\n"


@pytest.mark.parametrize(
    ("equation", "order", "stated"),
    [
        ("x*y*(x^2)^(x^2) = 1", 1, ["x != 0"]),
        ("y*sinh(x) + abs(x) = 1", 2, ["x != 0"]),
        ("x^2 + y^2 = 1", 2, []),
    ],
)
def test_what_the_slope_of_a_curve_loses_is_stated(capsys, equation, order, stated):
    argv = [
        "diff",
        equation,
        "--implicit",
        "--of",
        "y",
        "--wrt",
        "x",
        "--order",
        str(order),
    ]
    assert run([*argv, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["assumes"] == stated
