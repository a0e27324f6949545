"""LaTeX in: how formulas are read, what is noted, and what is refused with its place.

`latex.txt` holds formulas, each with the reading below it, fully bracketed, and behind `#` its notes; behind `!` stand
the place and the message of an error. With EXPRGRAD_UPDATE_GOLDEN=1 it is written anew, for reading.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import pytest

from exprgrad import ExpressionSyntaxError, ExprgradError, parse_latex
from exprgrad.language.latex import tex
from exprgrad.language.latex.formulas import without_bar
from exprgrad.language.latex.plain import plain
from exprgrad.language.shapes import is_latex

TABLE = Path(__file__).with_name("latex.txt")


def read(formula: str) -> str:
    """What the table says of a formula."""
    try:
        found = parse_latex(formula)
    except ExprgradError as error:
        place = formula[slice(*(error.span or (0, 0)))]
        return f"! {place} ! {error.message}"
    notes = f" # {'; '.join(found.notes)}" if found.notes else ""
    return f"{found.reading}{notes}"


@pytest.mark.slow
def test_formulas_are_read_as_the_table_says():
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    made = [
        line for formula in lines[::2] for line in (formula, f"    {read(formula)}")
    ]
    if os.environ.get("EXPRGRAD_UPDATE_GOLDEN"):
        TABLE.write_text("\n".join(made) + "\n", encoding="utf-8")
    assert made == lines


@pytest.mark.parametrize(
    ("formula", "names", "value"),
    [
        ("x_{0}", ("x0",), 1.0),
        ("xy", ("x", "y"), 1.0),
        ("rate", ("rate",), 1.0),
        ("x(t)", ("x", "t"), 1.0),
        (r"\theta", ("θ",), 1.0),
        (r"\varphi", ("varphi",), 1.0),
        (r"\frac{bd}{dx}", ("b", "d", "x"), 1.0),
        ("f^{(2)}(f)", ("f",), 1.0),
    ],
)
def test_declared_names_are_spelt_as_they_were_declared(formula, names, value):
    assert parse_latex(formula, names)(**dict.fromkeys(names, 1)) == value


def test_chain_is_worth_its_last_side_and_has_all_of_them():
    chain = parse_latex(r"f'(x) = \frac{d}{dx}\{x^2\} = 2x\cdot 1 = 2x")
    assert str(chain) == "2*x"
    assert [side(x=3) for side in chain.sides] == [6.0, 6.0, 6.0]


def test_formula_without_a_chain_has_one_side():
    alone = parse_latex("x^{2}")
    assert alone.sides == (alone,)


def test_place_of_an_error_is_one_in_the_tex():
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse_latex(r"\frac{1}{2}\,\foo{x} + 3")
    assert caught.value.span == (13, 17)
    assert caught.value.source == r"\frac{1}{2}\,\foo{x} + 3"


def test_partial_derivative_has_the_place_of_its_operand_in_the_tex():
    root = parse_latex(r"2\sin\left(x^2\right)").root
    assert root.operands[1].span == (1, 21)


def test_macro_stands_where_it_is_used():
    formula = r"\newcommand{\half}{\frac12}1+\half"
    assert formula[slice(*parse_latex(formula).root.operands[1].span)] == "\\half"


def test_argument_of_a_macro_keeps_its_place():
    formula = r"\newcommand{\sq}[1]{(#1)^2}1+\sq{x + \foo}"
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse_latex(formula)
    assert formula[slice(*caught.value.span)] == "\\foo"


def test_macros_from_elsewhere_are_known():
    known = tex.macros(
        r"text \newcommand{\half}{\frac12} \def\R#1{\mathrm{R}_{#1}} text"
    )
    assert str(parse_latex(r"\half\R{2}", macros=known)) == "1/2*R_2"


@pytest.mark.slow
def test_macro_that_expands_without_end_is_refused():
    with pytest.raises(ExpressionSyntaxError, match="expands to too much"):
        parse_latex(r"\def\a{\a\a}\a")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"\sin x", True), ("$x$", True), ("x^{2}", True), ("x_{1}", True), (r"\(x\)", True),
        ("x^2", False), ("a\\b", True), ("x_1", False), ("5$", False), ("{x}", False), ("\\", False),
    ],
)  # fmt: skip
def test_latex_is_told_from_text(text, found):
    assert is_latex(text) is found


def test_an_environment_leaves_its_lines_in_plain_text_and_a_matrix_its_brackets():
    assert plain(r"\begin{aligned} x^2 + 1 \end{aligned}").text.split() == [
        "x^2",
        "+",
        "1",
    ]
    assert plain(r"a \begin{equation*} x \end{equation*} b").text.split() == [
        "a",
        "x",
        "b",
    ]
    assert plain(r"\begin{pmatrix} x \end{pmatrix}").text.split() == ["(", "x", ")"]
    assert plain(r"\DeclareMathOperator{\s}{\,} \s x").text.split() == ["x"]


@pytest.mark.parametrize(
    ("side", "left", "place"),
    [
        (r"\left.\frac{dy}{dx}\right|_{x=2}", r"\frac { d y } { d x }", "2"),
        ("y'|_{2}", "y '", "2"),
        ("y'|_{x=(2)}", "y '", "2"),
        (r"f'\bigr|_{x = \pi/4}", "f '", r"\pi / 4"),
        ("y'", "y '", ""),
        ("y'|_{x=y=2}", "y ' | _ { x = y = 2 }", ""),
        ("y'|_{x=2} + 1", "y ' | _ { x = 2 } + 1", ""),
    ],
)
def test_the_bar_that_evaluates_a_side_gives_its_place(side, left, place):
    found, at = without_bar(tex.expanded(side, None))
    assert (" ".join(token[1] for token in found), at) == (left, place)


def test_cases_in_two_names_do_not_cover_every_value():
    with pytest.raises(ExprgradError, match="leave out"):
        parse_latex(r"\begin{cases} x^2 & x < 0 \\ x & y \ge 0 \end{cases}")
    parse_latex(r"\begin{cases} x^2 & x < 0 \\ x & x \ge 0 \end{cases}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    [
        "(" * 20_000 + "x" + ")" * 20_000,
        r"\left(" * 5000 + "x" + r"\right)" * 5000,
        "{" * 20_000 + "x" + "}" * 20_000,
        r"\frac{1}{" * 5000 + "x" + "}" * 5000,
        "{1 \\over " * 5000 + "x" + "}" * 5000,
        r"\sqrt{" * 5000 + "x" + "}" * 5000,
        "e^{" * 5000 + "x" + "}" * 5000,
        r"\sin " * 5000 + "x",
        r"\frac{d}{dx}" * 3000,
        "x+" * 20_000 + "x",
        r"\sin x" * 5000,
        "x_{1}" * 5000,
        "ab" * 20_000,
        r"\def\a{x}" * 5000,
        "|" * 5000,
        "{" * 20_000,
        r"\begin{cases}" * 3000,
        "x(" * 10_000,
        "1,000" * 5000,
        r"\text{a" * 3000,
        r"\underbrace{" * 3000 + "x" + "}_{n}" * 3000,
        r"\frac\frac{d}{dx}" * 2000,
        r"x^\hat y)",
        r"\underbrace",
    ],
    ids=lambda text: text[:10],
)
def test_hostile_formulas_cost_little(hostile):
    start = time.process_time()
    with contextlib.suppress(ExprgradError):
        parse_latex(hostile)
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("formula", "meant"),
    [
        (r"\operatorname{erf} x", "erf(x)"),
        (r"\operatorname{sgn} x", "sign(x)"),
        (r"\mathrm{sgn}\,x", "sign(x)"),
        (r"\mathrm{floor} x", "floor(x)"),
    ],
)
def test_the_name_of_a_function_before_a_letter_is_that_function(formula, meant):
    assert str(parse_latex(formula)) == meant


@pytest.mark.parametrize("name", ["array", "matrix"])
@pytest.mark.parametrize("end", ["", r" x^3\left\{"])
def test_a_table_with_one_brace_holds_cases(name, end):
    columns = "{ll}" * (name == "array")
    rows = r" x^2, & \text{if } x \ge 0,\\ -x & \text{otherwise}"
    text = rf"\left\{{\begin{{{name}}}{columns}{rows}\end{{{name}}}\right."
    if end:
        with pytest.raises(ExpressionSyntaxError):
            parse_latex(text + end)
    else:
        assert str(parse_latex(text)) == "if(x >= 0, x^2, -x)"


def test_a_command_of_a_package_that_is_not_known_is_refused_with_its_name():
    with pytest.raises(ExpressionSyntaxError, match=r"\\diff is not known here"):
        parse_latex(r"\diff{x}(x^2)")
