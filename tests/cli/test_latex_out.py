"""Answers and verdicts as LaTeX: formulas and numbers read back, words are escaped, tables are whole."""

from __future__ import annotations

import re

import pytest

from exprgrad import parse, parse_latex
from exprgrad.views import tex

FORMULA = re.compile(r"\\\[ (.+?) \\\]|(?<!\\)\$([^$]+)\$")
SYMBOLS = re.compile(r"\\(?:partial|surd|pm|times|cdot|div|to|le|ge|ne|approx|infty|pi|nu)|[<>|]|\^\{.\}|-|\\frac\{\\partial\}.*")  # fmt: skip


def formulas(out: str) -> list[str]:
    """What stands between marks of mathematics, apart from single signs among words."""
    found = (display or inline for display, inline in FORMULA.findall(out))
    return [formula for formula in found if not SYMBOLS.fullmatch(formula)]


def in_text(out: str) -> str:
    """What stands outside of formulas."""
    return re.sub(r"\\begin\{align\*\}.*?\\end\{align\*\}", "", FORMULA.sub("", out), flags=re.DOTALL)  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("eval", "x^2*sin(x)", "--at", "x=2"), "x"),
        (("eval", "x^2*y/3", "--at", "x=2,y=1.5e-9", "--hessian"), "xy"),
        (("eval", "x^5*e^x", "--at", "x=2", "--order", "4"), "x"),
        (("eval", "alpha*x_1^2", "--at", "alpha=0:1:3", "--at", "x_1=2"), ("alpha", "x_1")),
        (("eval", "x*y", "--at", "x=1,y=2", "--seed", "x=1,y=1e-20"), "xy"),
        (("eval", "sum(x^2*w)", "--at", "x=[1,2.5e-8],w=2"), "xw"),
        (("check", "x^2*sin(x)", "2x*cos(x)"), "x"),
        (("check", "x^2", "2x", "--solution"), "x"),
        (("check", "ln(x)/x_1", "1/(x*x_1)", "--wrt", "x"), ("x", "x_1")),
        (("check", "2x", "x^2 + 3", "--kind", "antiderivative", "--solution"), "x"),
        (("same", "(x+1)^2", "x^2+2x+1"), "x"),
        (("same", "x^2", "x^3/y"), "xy"),
    ],
)  # fmt: skip
def test_every_formula_that_is_printed_reads_back(run, arguments, names):
    out = run(*arguments, "--format", "latex").out
    found = formulas(out)
    assert found
    for formula in found:
        parse_latex(formula, tuple(names))
    assert not re.search(r"(?<!\\)[\^_%#]|[∂π√²±≤]", in_text(out))


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("taylor", "exp(-x)", "--order", "2"), r"1 - x + \frac{1}{2} x^{2}"),
        (("tangent", "x^2", "--at", "x=3"), "y = 6 x - 9"),
    ],
)
def test_a_polynomial_and_a_tangent_are_typeset(run, arguments, line):
    assert run(*arguments, "--format", "latex").out.splitlines()[-1] == line


@pytest.mark.parametrize(
    "arguments",
    [
        ("diff", "x^2*sin(x)", "--steps"),
        ("diff", "abs(x)*y", "--steps", "--at", "x=1,y=2"),
        ("check", "x^2", "3x", "--solution"),
        ("check", "x^2+y^2=25", "x/y", "--solution"),
        ("check", "x^2*y", "--claim", "x=2x*y", "--claim", "y=x", "--solution"),
    ],
)
def test_every_formula_stands_in_mathematics(run, arguments):
    out = run(*arguments, "--format", "latex").out
    words = re.sub(r"\\(?:textasciicircum\{\}|(?:textbf|emph|begin|end|hline)\b|\\)", "", in_text(out))  # fmt: skip
    assert not re.search(r"[\\^_]", words)


def test_value_and_derivative_read_back_to_the_same(run):
    out = run("eval", "x^2*exp(x)", "--at", "x=30", "--format", "latex").out
    value, slope, at = map(parse_latex, formulas(out))
    expression = parse("x^2*exp(x)")
    assert at() == 30
    assert value() == pytest.approx(expression(x=30), rel=1e-9)
    assert slope() == pytest.approx(expression.derivative("x")(x=30), rel=1e-9)
    assert value.sides[0](x=30) == expression(x=30)


def test_wrong_claim_shows_where_as_a_table(run):
    found = run("check", "x^2", "3x", "--format", "latex")
    assert found.code == 1
    assert found.out == (
        r"""\textbf{incorrect}: $3 x$ is not $\frac{d}{dx} \left(x^{2}\right)$.
At x = 1 your answer gives 3, the derivative is 2.

\begin{tabular}{rrr}
$x$ & claim & derivative \\ \hline
$1$ & $3$ & $2$ \\
\end{tabular}

Your answer is 3/2 times the derivative.
"""
    )


def test_hint_gives_no_answer_away(run):
    out = run("check", "x^2", "3x", "--hint", "--format", "latex").out
    assert "tabular" not in out
    assert "Hint: " in out


def test_claim_without_a_value_is_not_defined_in_the_table(run):
    out = run("check", "x^2", "2x*sqrt(x)/sqrt(x)", "--format", "latex").out
    assert "not defined" in out


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("50 % of x_1", r"50 \% of x\_1"),
        ("x^2 < 3 & {y}", r"x\textasciicircum{}2 $<$ 3 \& \{y\}"),
        ("∂/∂x ≤ π", r"$\partial$/$\partial$x $\le$ $\pi$"),
        ("C:\\a~b", r"C:\textbackslash{}a\textasciitilde{}b"),
    ],
)
def test_words_are_escaped(text, written):
    assert tex.words(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2.5e-07", r"$2.5 \cdot 10^{-7}$"),
        ("0 ± 1.0e-03", r"$0 \pm 1.0 \cdot 10^{-3}$"),
        ("[1, 2e+20]", r"$[1, 2 \cdot 10^{20}]$"),
        ("∂/∂x_1", r"$\frac{\partial}{\partial x_{1}}$"),
        ("none", "none"),
        ("2 to 5", "2 to 5"),
        ("-", "-"),
    ],
)
def test_cells_are_formulas_where_they_are_numbers(text, written):
    assert tex.cell(text) == written


def test_derivative_that_does_not_exist_is_told_in_words(run):
    found = run("eval", "abs(x)", "--at", "x=0", "--format", "latex")
    assert found.code == 3
    assert r"\left(\left|x\right|\right)\text{ does not exist}" in found.out


@pytest.mark.parametrize("option", [("--trace",), ("--trust",), ("--why", "x")])
def test_sweeps_digits_and_paths_are_tables(run, option):
    found = run("eval", "x^2", "--at", "x=1", *option, "--format", "latex")
    assert found.code == 0
    assert r"\begin{tabular}" in found.out
    table = run("eval", "x^2", "--at", "x=1", *option, "--format", "csv")
    if option == ("--trace",):
        assert table.out.splitlines()[-1] == "reverse,v1,2*v1,power,,v2,2,1,2,2"
    else:
        assert table.code == 2
        assert "not written as csv" in table.err


def test_several_answers_stand_one_below_the_other(run):
    out = run(
        "check", "x^2*y", "--claim", "x=2x*y", "--claim", "y=x", "--format", "latex"
    ).out
    assert out.count(r"\textbf{") == 2
    out = run(
        "check", "x^2*y", "--kind", "gradient", "--claim", "x=2x*y", "--claim", "y=x", "--format", "latex",
    ).out  # fmt: skip
    assert r"\textbf{correct}: $\frac{\partial}{\partial x} = 2 x y$: " in out


def test_critical_points_are_told_in_words(run):
    found = run(
        "check", "x^3-3x", "x = -1, 1", "--kind", "critical", "--format", "latex",
    )  # fmt: skip
    assert r"\textbf{correct}: critical points of x" in found.out, found.err
    assert "3-3x: x = -1, 1." in found.out


def test_worked_solution_is_a_table_of_its_lines(run, tmp_path):
    file = tmp_path / "work.txt"
    file.write_text("2x sin x + x^2 cos x\nx(2 sin x - x cos x)\n", encoding="utf-8")
    found = run("check", "x^2*sin(x)", "--work", str(file), "--solution", "--format", "latex")  # fmt: skip
    lines = found.out.splitlines()
    assert lines[0] == r"\[ \frac{d}{dx} \left(x^{2} \sin(x)\right) \]"
    assert lines[2:5:2] == [
        r"\begin{tabular}{rll}",
        r"$1$ & 2x sin x + x\textasciicircum{}2 cos x & follows \\",
    ]
    assert r"\begin{align*}" in lines
    hint = run(
        "check", "x^2*sin(x)", "--work", str(file), "--hint", "--format", "latex"
    )
    assert "try x" in hint.out


@pytest.mark.slow
def test_sheets_and_class_sets_are_tables(run):
    sheet = run("check", "--file", "samples/worksheet.txt", "--format", "latex")
    assert sheet.out.startswith("\\begin{tabular}{lr")
    assert r"\textbf{incorrect}: 1c, line 7: " in sheet.out
    marks = run("check", "--file", "samples/class.csv", "--format", "latex")
    assert marks.out.count(r"\begin{tabular}") == 3
