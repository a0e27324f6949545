"""A graph as text reads back to the same graph; as LaTeX it is balanced."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import assume, example, given

from exprgrad.errors import DomainError, ExpressionSyntaxError, UsageError
from exprgrad.expressions.expression import parse
from exprgrad.graph.value import Constant, Value, apply, node
from exprgrad.notation.latex import latex, latex_name
from exprgrad.notation.pretty import to_pretty
from exprgrad.notation.python import to_python
from exprgrad.notation.text import bracketed, shared_parts, text_length, to_text
from exprgrad.operations.operation import TABLE
from tests.strategies import CASES, PLACES, ROWS, fewer, same_graph, texts


def test_names_of_shared_parts_are_not_those_of_variables():
    shared = parse("sin(t1*x)").root
    lines = shared_parts(node(TABLE["mul"], (shared, shared), (0, 0)))
    assert lines == ["t2 = sin(t1*x)", "t2*t2"]


# Reading back


@given(texts())
@example("-(3!)!^2")
def test_text_reads_back_to_the_same_graph(text):
    expression = parse(text)
    assert same_graph(parse(str(expression)).root, expression.root)


@pytest.mark.slow
@given(texts())
def test_bracketed_reading_reads_back_to_the_same_graph(text):
    expression = parse(text)
    assert same_graph(parse(expression.reading).root, expression.root)


@given(texts())
def test_text_does_not_change_when_it_is_read_and_written_again(text):
    once = str(parse(text))
    assert str(parse(once)) == once


@given(texts(5), PLACES)
def test_bracketed_reading_has_the_same_value(text, at):
    expression = parse(text)
    at = dict.fromkeys(expression.variables, 1.25) | {
        name: value for name, value in at.items() if name in expression.variables
    }
    try:
        value = expression(**at)
    except DomainError as error:
        again = type(error)
        with pytest.raises(again):
            parse(expression.reading)(**at)
        return
    assert parse(expression.reading)(**at) == value
    assert parse(str(expression))(**at) == value


@pytest.mark.slow
@given(texts(), texts())
def test_different_graphs_have_different_texts(one, other):
    a, b = parse(one), parse(other)
    assume(not same_graph(a.root, b.root))
    assert str(a) != str(b)
    assert a.reading != b.reading


@pytest.mark.parametrize(
    ("text", "written", "reading"),
    [
        ("-x^2", "-x^2", "-(x^2)"),
        ("(-x)^2", "(-x)^2", "(-x)^2"),
        ("2^-x", "2^(-x)", "2^(-x)"),
        ("x^y^z", "x^(y^z)", "x^(y^z)"),
        ("(x^y)^z", "(x^y)^z", "(x^y)^z"),
        ("x-(y-z)", "x - (y - z)", "x - (y - z)"),
        ("x-y-z", "x - y - z", "(x - y) - z"),
        ("x/(y*z)", "x/(y*z)", "x/(y*z)"),
        ("x/y*z", "x/y*z", "(x/y)*z"),
        ("x*(y/z)", "x*(y/z)", "x*(y/z)"),
        ("1/2x", "1/2*x", "(1/2)*x"),
        ("x*-y", "x*(-y)", "x*(-y)"),
        ("--x", "-(-x)", "-(-x)"),
        ("-(x+y)", "-(x + y)", "-(x + y)"),
        ("sin 2x cos x", "sin(2*x)*cos(x)", "sin(2*x)*cos(x)"),
        ("sin^2 x", "sin(x)^2", "sin(x)^2"),
        ("(x<y)<z", "(x < y) < z", "(x < y) < z"),
        ("(not x<y)+1", "(not x < y) + 1", "(not (x < y)) + 1"),
        ("not x+1<y", "not x + 1 < y", "not ((x + 1) < y)"),
        (
            "x<1 and (y<1 or z<1)",
            "x < 1 and (y < 1 or z < 1)",
            "(x < 1) and ((y < 1) or (z < 1))",
        ),
        (
            "x<1 and y<1 or z<1",
            "x < 1 and y < 1 or z < 1",
            "((x < 1) and (y < 1)) or (z < 1)",
        ),
        ("(3!)!", "(3!)!", "(3!)!"),
        ("(2+1)!", "(2 + 1)!", "(2 + 1)!"),
        ("2^3!", "2^3!", "2^(3!)"),
        ("|x|²", "abs(x)^2", "abs(x)^2"),
        ("log_2(x)", "log(x, 2)", "log(x, 2)"),
        ("max(x,y,z)", "max(max(x, y), z)", "max(max(x, y), z)"),
        ("e^(2x)", "exp(2*x)", "exp(2*x)"),
        ("π x", "pi*x", "pi*x"),
        ("1e300x", "1e+300*x", "1e+300*x"),
        (
            "1.00000000000000000001x",
            "1.00000000000000000001*x",
            "1.00000000000000000001*x",
        ),
        (
            "1_0.0_000000000000000001E-3x",
            "10.0000000000000000001e-3*x",
            "10.0000000000000000001e-3*x",
        ),
        ("9007199254740993x", "9007199254740993*x", "9007199254740993*x"),
        (
            "x^(1.00000000000000000001/3)",
            "x^(1.00000000000000000001/3)",
            "x^(1.00000000000000000001/3)",
        ),
    ],
)
def test_text_has_the_brackets_that_the_grammar_needs(text, written, reading):
    expression = parse(text)
    assert str(expression) == written
    assert expression.reading == reading
    assert same_graph(parse(written).root, expression.root)


@pytest.mark.parametrize(
    ("constant", "written"),
    [
        (Constant(2), "x^2"), (Constant(-2), "x^(-2)"), (Constant(0.5), "x^0.5"),
        (Constant(Fraction(2, 3)), "x^(2/3)"), (Constant(Fraction(-2, 3)), "x^(-2/3)"),
    ],
)  # fmt: skip
def test_constants_other_than_plain_numbers_are_bracketed(constant, written):
    x = Value(None, "x")
    power = x**constant
    assert to_text(power) == written
    value = parse(written)(x=8)
    assert value == power.operation.kernel(8, constant.data)


@pytest.mark.parametrize("number", [-3, Fraction(1, 3), Fraction(-7, 3), 1e-300, -2.5])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "pow"])
def test_constants_keep_their_value_on_either_side(name, number):
    x = Value(None, "x")
    for operands in ((x, number), (number, x)):
        root = apply(TABLE[name], *operands)
        by_kernel = [2.0 if o is x else float(o) for o in operands]
        try:
            value = TABLE[name].kernel(*by_kernel)
        except ValueError:
            continue
        assert parse(to_text(root))(x=2) == pytest.approx(value, rel=1e-15)


def test_factorial_of_a_variable_is_refused_by_name_as_by_sign():
    for text in ("x!", "factorial(x)", "factorial(2*x)"):
        with pytest.raises(ExpressionSyntaxError, match="factorial of a variable"):
            parse(text)


def test_node_without_a_name_is_shown_as_a_question_mark():
    assert to_text(Value() + 1) == "? + 1"


# Depth


DEEP = 50_000


@pytest.fixture(scope="module")
def chains():
    """Deep graphs of several shapes, by name."""
    x = Value(None, "x")
    left = right = signs = calls = powers = x
    for _ in range(DEEP):
        left = left + x
        right = node(TABLE["sub"], (x, right))
        signs = node(TABLE["neg"], (signs,))
        calls = node(TABLE["sin"], (calls,))
        powers = node(TABLE["pow"], (x, powers))
    return {
        "left": left,
        "right": right,
        "signs": signs,
        "calls": calls,
        "powers": powers,
    }


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["left", "right", "signs", "calls", "powers"])
def test_deep_graphs_are_written_and_read_back(chains, shape):
    root = chains[shape]
    assert same_graph(parse(to_text(root)).root, root)


@pytest.mark.slow
def test_deep_graphs_are_written_with_all_brackets(chains):
    reading = bracketed(chains["left"])
    assert reading.count("(") == reading.count(")") == DEEP - 1


@pytest.mark.slow
def test_deep_graphs_are_written_as_latex(chains):
    assert latex(chains["left"]).count("x") == DEEP + 1
    assert latex(chains["powers"]).count("^{x") == DEEP


def test_products_that_nest_to_the_right_are_written_as_latex():
    x = Value(None, "x")
    product = x
    for _ in range(2_000):
        product = node(TABLE["mul"], (x, product))
    assert latex(product).count("x") == 2_001


# LaTeX


def assert_balanced(written):
    for opening, closing in [(r"\left", r"\right"), (r"\begin", r"\end")]:
        count = len(re.findall(rf"\{opening}(?![a-z])", written))
        assert count == len(re.findall(rf"\{closing}(?![a-z])", written)), written
    depth = 0
    for character in re.sub(r"\\[{}]", "", written):
        depth += (character == "{") - (character == "}")
        assert depth >= 0, written
    assert depth == 0, written


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_latex_of_each_operation_is_balanced(row):
    operands = tuple(Value(None, name) for name in "xyz"[: row.arity])
    written = latex(node(row, operands))
    assert_balanced(written)
    assert all(operand.name in written for operand in operands)
    nested = node(row, tuple(o * 2 + 1 for o in operands))
    assert_balanced(latex(nested))
    assert_balanced(latex(node(TABLE["pow"], (nested, nested))))


@given(texts())
def test_latex_of_any_expression_is_balanced(text):
    assert_balanced(latex(parse(text).root))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x/(y+1)", r"\frac{x}{y + 1}"),
        ("x^(y+1)", "x^{y + 1}"),
        ("(x+1)^2", "(x + 1)^{2}"),
        ("(x/y)^2", r"\left(\frac{x}{y}\right)^{2}"),
        ("sqrt(x+1)", r"\sqrt{x + 1}"),
        ("cbrt(x)", r"\sqrt[3]{x}"),
        ("2*x", "2 x"),
        ("exp(-x)", "e^{-x}"),
        ("exp(x)^2", "(e^{x})^{2}"),
        ("-x^2", "-x^{2}"),
        ("|x|", r"\left|x\right|"),
        ("asin(x)", r"\arcsin(x)"),
        ("tanh(x)", r"\tanh(x)"),
        ("hypot(x, y)", r"\operatorname{hypot}(x, y)"),
        ("log(x, 2)", r"\log_{2}(x)"),
        ("x <= y", r"x \le y"),
        ("1.5e-7", r"1.5 \cdot 10^{-7}"),
        ("pi", r"\pi"),
    ],
)
def test_latex_is_as_in_books(text, expected):
    assert latex(parse(text).root) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x", "x"), ("x1", "x_{1}"), ("x_max", r"x_{\mathrm{max}}"), ("alpha", r"\alpha"),
        ("α", r"\alpha"), ("Γ", r"\Gamma"), ("ω_0", r"\omega_{0}"), ("beta2", r"\beta_{2}"),
        ("rate", r"\mathrm{rate}"), ("rate2", r"\mathrm{rate2}"), ("x_", "x"),
        ("v_x_0", "v_{x_0}"),
    ],
)  # fmt: skip
def test_names_in_latex(name, expected):
    written = latex_name(name)
    assert_balanced(written)
    assert written == expected


def test_fractions_in_latex():
    x = Value(None, "x")
    assert latex(x ** Fraction(-1, 3)) == r"x^{-\frac{1}{3}}"


@pytest.mark.parametrize("write", [to_text, bracketed, latex, to_python])
def test_a_text_that_would_never_end_is_refused(write, monkeypatch):
    monkeypatch.setattr("exprgrad.notation.text.MOST_PIECES", 1000)
    root = parse("x + 1").root
    for _ in range(60):
        root = node(TABLE["mul"], (root, root))
    with pytest.raises(UsageError, match="takes more than 1,000 symbols"):
        write(root)


@pytest.mark.parametrize(
    ("source", "pretty"),
    [
        ("x^2 + 3*x - sqrt(x)", "x² + 3·x - √x"),
        ("2^(x^2)", "2^(x²)"),
        ("sqrt(x)^2", "(√x)²"),
        ("sqrt(x + 1)*x^10", "√(x + 1)·x¹⁰"),
        ("(-x)^2", "(-x)²"),
        ("sin(x)^2/2", "sin(x)²/2"),
        ("x^(-1)", "x^(-1)"),
        ("(x + 1)^2", "(x + 1)²"),
    ],
)
def test_formula_as_it_is_written_by_hand_is_read_back(source, pretty):
    root = parse(source).root
    assert to_pretty(root) == pretty
    assert same_graph(parse(pretty).root, root)


@given(CASES)
@fewer(2)
def test_every_formula_that_is_written_by_hand_has_the_same_value(case):
    root = parse(case[0], "xyz").derivative("x").root
    assume(text_length(root, 1000) <= 1000)
    assert to_text(parse(to_pretty(root), "xyz").root) == to_text(
        parse(to_text(root), "xyz").root
    )
