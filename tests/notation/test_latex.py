"""LaTeX as mathematicians write it, with balanced braces whatever the expression."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import parse
from exprgrad.notation.latex import latex, latex_name
from tests.strategies import CASES, texts
from tests.symbolic.test_steps import balanced

WRITTEN = {
    "2x sin(x) + x^2 cos(x)": r"2 x \sin(x) + x^{2} \cos(x)",
    "x/2": r"\frac{x}{2}",
    "1/(2x)": r"\frac{1}{2 x}",
    "(x + 1)/(x - 1)": r"\frac{x + 1}{x - 1}",
    "-(x/2)": r"-\frac{x}{2}",
    "-x/2": r"-\frac{x}{2}",
    "-1/x^2": r"-\frac{1}{x^{2}}",
    "-a*b": "-a b",
    "-x*exp(-x^2/2)": r"-x e^{-\frac{x^{2}}{2}}",
    "-2*x/(x^2 + 1)^2": r"-\frac{2 x}{(x^{2} + 1)^{2}}",
    "y - (-a)*b": "y - (-a b)",
    "sqrt(x^2 + 1)": r"\sqrt{x^{2} + 1}",
    "cbrt(x)": r"\sqrt[3]{x}",
    "root(x, 5)": r"\sqrt[5]{x}",
    "x^(1/4)": r"\sqrt[4]{x}",
    "x^(2/3)": r"x^{\frac{2}{3}}",
    "x^(a + b)": "x^{a + b}",
    "x^y^z": "x^{y^{z}}",
    "(x^y)^z": "(x^{y})^{z}",
    "(a/b)^2": r"\left(\frac{a}{b}\right)^{2}",
    "(-x)^2": "(-x)^{2}",
    "-x^2": "-x^{2}",
    "sin^2 x": r"\sin^{2}(x)",
    "ln(x)^2": r"\ln^{2}(x)",
    "sin(x)^-1": r"\sin(x)^{-1}",
    "(sin x)^x": r"\sin(x)^{x}",
    "sin(x/2)": r"\sin\left(\frac{x}{2}\right)",
    "sin(x^2)": r"\sin(x^{2})",
    "asin(x)": r"\arcsin(x)",
    "e^x": "e^{x}",
    "exp(x)^2": "(e^{x})^{2}",
    "ln|x|": r"\ln\left(\left|x\right|\right)",
    "log2(x)": r"\log_{2}(x)",
    "log(x, b)": r"\log_{b}(x)",
    "2*3": r"2 \cdot 3",
    "x*2": r"x \cdot 2",
    "x*2^x": r"x \cdot 2^{x}",
    "(x + 1)(x - 1)": "(x + 1) (x - 1)",
    "x - (y - z)": "x - (y - z)",
    "x - (-y)": "x - (-y)",
    "2*(-x)": "2 (-x)",
    "pi r^2": r"\pi r^{2}",
    "2 exp(-x^2)/sqrt(pi)": r"\frac{2 e^{-x^{2}}}{\sqrt{\pi}}",
    "alpha*theta_1": r"\alpha \theta_{1}",
    "λ x1": r"\lambda x_{1}",
    "x_max*speed": r"x_{\mathrm{max}} \mathrm{speed}",
    "min(x, y)": r"\min(x, y)",
    "[1, 2, x]": r"\left[1, 2, x\right]",
    "X[1, -2]": "{X}_{1, -2}",
    "x_1[0]^2": "{x_{1}}_{0}^{2}",
    "item(x + 1, i)": "{(x + 1)}_{i}",
    "reshape(x, 2, 3)": r"\operatorname{reshape}(x, 2, 3)",
    "sigmoid(x)": r"\operatorname{sigmoid}(x)",
    "gamma(x)": r"\Gamma(x)",
    "floor(x)": r"\left\lfloor x\right\rfloor",
    "5!": "5!",
    "x <= y": r"x \le y",
    "if(x < 0, -x, x^2)": r"\begin{cases} -x & \text{if } x < 0 \\ x^{2} & \text{otherwise} \end{cases}",
}  # fmt: skip


@pytest.mark.parametrize("source", WRITTEN)
def test_expression_is_written_as_mathematicians_write_it(source):
    assert latex(parse(source).root).strip() == WRITTEN[source]


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("x^2 sin x", r"2 x \sin(x) + x^{2} \cos(x)"),
        ("exp(-x^2/2)", r"-x e^{-\frac{x^{2}}{2}}"),
        ("x^x", r"x^{x} (\ln(x) + 1)"),
        ("1/x", r"-\frac{1}{x^{2}}"),
        ("tan x", r"\sec^{2}(x)"),
        ("sqrt x", r"\frac{1}{2 \sqrt{x}}"),
    ],
)
def test_derivative_is_written_as_mathematicians_write_it(source, written):
    assert latex(parse(source).derivative("x").root) == written


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("x", "x"),
        ("x1", "x_{1}"),
        ("x_1", "x_{1}"),
        ("theta", r"\theta"),
        ("θ", r"\theta"),
        ("Σ", r"\Sigma"),
        ("beta2", r"\beta_{2}"),
        ("speed", r"\mathrm{speed}"),
        ("w_12", "w_{12}"),
    ],
)
def test_name_is_written_with_greek_letters_and_subscripts(name, written):
    assert latex_name(name) == written


@pytest.mark.slow
@given(texts())
def test_braces_and_growing_brackets_are_balanced(source):
    try:
        root = parse(source, ["x", "y", "z", "t"]).root
    except ExprgradError:
        assume(False)
    written = latex(root)
    assert balanced(written), written
    assert written.count(r"\begin{cases}") == written.count(r"\end{cases}")
    assert "?" not in written


@given(CASES)
def test_braces_of_derivatives_are_balanced(case):
    written = latex(parse(case[0], "xyz").derivative("x").root)
    assert balanced(written), written


@given(CASES)
def test_no_two_numbers_run_into_each_other(case):
    import re

    written = latex(parse(case[0], "xyz").derivative("x").root)
    assert not re.search(r"\d \d", written), written


@pytest.mark.slow
def test_a_long_chain_is_written_without_recursion():
    assert latex(parse("+".join(["x"] * 5000)).root).count("x") == 5000
