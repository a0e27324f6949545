"""Derivations: what a student reads is on file, and every line of it has the value that it should."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given

from exprgrad.cli.start import run
from exprgrad.errors import DomainError, RangeError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.expressions.steps import MOST_STEPS, steps
from exprgrad.notation.latex import latex
from exprgrad.notation.text import text_length, to_text
from exprgrad.views.formulas import step_lines
from exprgrad.views.tex import derivation as latex_lines
from tests.golden import compare
from tests.strategies import CASES, fewer

HERE = Path(__file__).resolve().parent / "steps"

DERIVATIONS = {
    "constant": "5",
    "other_variable": "y + 5",
    "variable": "x",
    "power": "x^7",
    "negative": "-(x + sin x)",
    "polynomial": "3x^2 - 5x + 4",
    "letters_for_constants": "a x^2 + b x + c",
    "nested_differences": "5 - (3 - (x^2 - x))",
    "product": "x^2 sin x",
    "product_of_three": "x^2 e^x sin x",
    "quotient": "sin(x)/x",
    "quotient_of_polynomials": "(x^2 - 1)/(x^2 + 1)",
    "quotient_by_constant": "ln(x)/2",
    "reciprocal": "1/(x^2 + 1)",
    "constant_over_variable": "3/x",
    "logistic": "1/(1 + exp(-x))",
    "power_and_chain": "(2x + 1)^5",
    "power_with_a_letter": "(x^2 + 1)^n",
    "square_of_sine": "sin^2(3x)",
    "fraction_as_exponent": "x^(2/3)",
    "root": "sqrt(1 - x^2)",
    "root_of_root": "sqrt(x + sqrt(x))",
    "product_with_root": "x*sqrt(x)",
    "exponential": "2^x",
    "exponential_and_chain": "a^(3x)",
    "natural_exponential": "e^x",
    "bell_curve": "exp(-x^2/2)",
    "damped_wave": "e^(-2x)*cos(3x)",
    "logarithm_of_sine": "ln(sin x)",
    "logarithm_to_base_2": "log2(x^2 + 1)",
    "variable_base": "log(2, x)",
    "x_to_the_x": "x^x",
    "x_to_the_sine": "x^sin(x)",
    "function_of_function": "sin(cos(tan(x)))",
    "inverse_tangent": "atan(x/a)",
    "inverse_sine": "asin(x/2)",
    "absolute_value": "|x^2 - 1|",
    "cases": "if(x < 0, -x, x^2)",
    "angle": "atan2(y, x)",
    "length": "hypot(x, 2x)",
    "maximum": "max(x, x^2)",
    "steps_of_floor": "x*floor(x)",
}  # fmt: skip


def written(source: str, detail: str) -> str:
    f = parse(source)
    found = steps(f.root, "x", brief=detail == "brief")
    return "\n".join(step_lines(found))


@pytest.mark.parametrize("name", DERIVATIONS)
def test_derivation_is_the_one_on_file(name):
    source = DERIVATIONS[name]
    parts = [f"f = {source}"]
    parts += [
        f"--- {detail}\n{written(source, detail)}" for detail in ("full", "brief")
    ]
    compare(HERE / f"{name}.txt", "\n\n".join(parts) + "\n")


def test_every_file_belongs_to_a_derivation():
    assert {path.stem for path in HERE.glob("*.txt")} == set(DERIVATIONS)


@pytest.mark.slow
def test_derivations_on_file_cover_every_rule():
    found = {
        step.rule.name
        for source in DERIVATIONS.values()
        for step in steps(parse(source).root, "x")
    }
    assert found == {
        "constant", "variable", "sum rule", "sign", "product rule", "constant multiple rule",
        "quotient rule", "reciprocal rule", "power rule", "power rule and chain rule",
        "exponential rule", "exponential rule and chain rule", "logarithmic differentiation",
        "cases", "table", "chain rule",
    }  # fmt: skip


@pytest.mark.parametrize("detail", ["full", "brief"])
@pytest.mark.parametrize("source", DERIVATIONS.values())
def test_derivation_ends_in_the_printed_derivative(source, detail):
    f = parse(source)
    found = steps(f.root, "x", brief=detail == "brief")
    printed = str(f.derivative("x"))
    assert to_text(found[0].result) == printed
    assert found[0].depth == 0
    last = written(source, detail).splitlines()[-1]
    assert f"= {printed}" in last


@pytest.mark.parametrize("source", DERIVATIONS.values())
def test_brief_derivation_is_part_of_the_full_one(source):
    root = parse(source).root
    full, brief = steps(root, "x"), steps(root, "x", brief=True)
    assert len(brief) <= len(full)
    parts = [step.part for step in full]
    assert all(step.part in parts for step in brief)
    assert not any(step.rule.obvious for step in brief[1:])


def test_brief_derivation_leaves_out_sums_and_multiples():
    names = [
        step.rule.name for step in steps(parse("3x^2 + sin(2x)").root, "x", brief=True)
    ]
    assert names == ["sum rule", "chain rule"]


def values(step, at):
    """The value of what the rule gives and of what it is tidied to."""
    out = []
    for root in (step.assembled, step.result):
        text = to_text(root)
        out.append(parse(text, "xyz")(**at))
    return out


@pytest.mark.slow
@given(CASES)
@fewer(2)
def test_what_a_rule_gives_has_the_value_of_what_it_is_tidied_to(case):
    source, at = case
    f = parse(source, "xyz")
    try:
        f(**at)
    except DomainError:
        assume(False)
    assume("x" in f.variables)
    for step in steps(f.root, "x"):
        assume(text_length(step.assembled, 3000) <= 3000)
        try:
            assembled, result = values(step, at)
        except DomainError:
            continue  # beside a corner, or in a branch that is not taken
        try:
            moved, _ = values(step, {n: v * (1 + 1e-10) for n, v in at.items()})
        except DomainError:
            continue
        if abs(moved - assembled) > 1e-7 * (abs(assembled) + 1e-9):
            continue
        assert result == pytest.approx(assembled, rel=1e-6, abs=1e-9)


@given(CASES)
def test_first_step_has_the_value_of_the_gradient(case):
    source, at = case
    f = parse(source, "xyz")
    try:
        found = f.evaluate(at)
    except DomainError:
        assume(False)
    assume(not found.corners and "x" in f.variables)
    first = steps(f.root, "x")[0]
    try:
        value = Expression.of(first.result, "xyz")(**at)
    except RangeError:
        assume(False)
    partial = found.gradient["x"]
    near = f.evaluate({n: v * (1 + 1e-10) for n, v in at.items()}).gradient["x"]
    assume(near is not None and abs(near - partial) <= 1e-7 * (abs(partial) + 1e-9))
    assert value == pytest.approx(partial, rel=1e-6, abs=1e-9)


def test_parts_follow_their_rule_one_level_deeper():
    found = steps(parse("x^2 sin x + 1").root, "x")
    assert [(s.depth, s.rule.name) for s in found] == [
        (0, "sum rule"),
        (1, "product rule"),
        (2, "power rule"),
        (2, "table"),
        (1, "constant"),
    ]


def test_letters_of_a_rule_stand_for_parts_of_the_expression():
    (step, *_) = steps(parse("(x^2 - 1)/(x + 1)").root, "x")
    where = {letter: to_text(part) for letter, part in step.rule.where}
    assert where == {"u": "x^2 - 1", "v": "x + 1"}


@pytest.mark.slow
def test_no_step_divides_by_0_for_what_is_constant_by_cancelling():
    found = steps(parse("sqrt((x - x)^2) + x^2").root, "x")
    assert [to_text(step.assembled) for step in found[:3]] == ["0 + 2*x", "0", "0"]


@pytest.mark.parametrize("text", ["(x*y)^(x/x)", "x + asin(round(x/2))", "x*0^(x + 9)"])
def test_no_line_loses_a_piece_on_which_there_is_a_slope(text):
    for step in steps(parse(text).root, "x"):
        line = parse(to_text(step.assembled), ("x", "y"))
        for x in (-2.4, -0.6, 0.7, 2.2):
            at = {"x": x, "y": 2.0}
            line.evaluate({name: at[name] for name in line.variables})


@pytest.mark.slow
def test_a_very_long_derivation_is_cut():
    source = "1"
    for _ in range(MOST_STEPS):
        source = f"sin({source} + x)"
    found = steps(parse("+".join(f"sin({i}x)" for i in range(MOST_STEPS))).root, "x")
    assert len(found) == MOST_STEPS
    assert list(step_lines(found))[-1] == f"(cut after {MOST_STEPS} steps)"


@pytest.mark.slow
def test_a_derivation_of_long_parts_is_cut_off_by_its_work(monkeypatch):
    root = parse("|x|" * 12).root
    assert not steps(root, "x").is_cut
    monkeypatch.setattr("exprgrad.expressions.steps.MOST_WORK", 100)
    found = steps(root, "x")
    assert found.is_cut
    assert 2 < len(found) < 20
    assert list(step_lines(found))[-1] == f"(cut after {len(found)} steps)"


@pytest.mark.slow
def test_the_slopes_of_a_long_product_count_as_work():
    found = steps(parse("*".join(f"sin({i}x)" for i in range(1, 61))).root, "x")
    assert found.is_cut
    assert 2 < len(found) < 20


# LaTeX


def balanced(text: str) -> bool:
    """Whether braces close, and as many brackets grow on the right as on the left."""
    depth, grown = 0, 0
    plain = text.replace(r"\{", "").replace(r"\}", "")
    for i, letter in enumerate(plain):
        depth += (letter == "{") - (letter == "}")
        grown += plain.startswith(r"\left", i) and not plain.startswith(
            r"\leftarrow", i
        )
        grown -= plain.startswith(r"\right", i) and not plain.startswith(
            r"\rightarrow", i
        )
        if depth < 0 or grown < 0:
            return False
    return depth == grown == 0


@pytest.mark.parametrize("source", DERIVATIONS.values())
def test_latex_of_a_derivation_is_an_aligned_display_with_balanced_braces(source):
    found = steps(parse(source).root, "x")
    display = list(latex_lines(found))
    assert (display[0], display[-1]) == (r"\begin{align*}", r"\end{align*}")
    assert len(display) == len(found) + 2
    assert all(balanced(line) for line in display)
    assert all(line.endswith(r"\\") and line.count("&") >= 3 for line in display[1:-1])
    assert latex(parse(source).derivative("x").root) in display[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "condition"),
    [
        ("x*sqrt(x)", "x != 0"),
        ("sqrt((x^3)^2)", "x != 0"),
        ("((x/2)^(2/3))^3", "x != 0"),
        ("(|x|)^(2/3) - cbrt(1 - x)^4", "x != 1"),
    ],
)
def test_a_line_that_has_no_value_where_the_derivative_does_says_so(source, condition):
    found = steps(parse(source).root, "x")
    assert (condition,) in [step.assumptions(step.assembled) for step in found]
    assert any(line.endswith(f"    for {condition}") for line in step_lines(found))
    tex = condition.replace("!=", r"\ne")
    assert any(rf"\text{{for }} {tex} &&" in line for line in latex_lines(found))


@pytest.mark.slow
def test_json_states_what_every_line_that_is_shown_needs(capsys):
    assert run(["diff", "x*sqrt(x)", "--steps", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["steps"]["x"][0]["assumes"] == found["assumes"]["x"] == ["x != 0"]


@pytest.mark.slow
def test_a_slope_without_a_value_takes_no_part_in_a_line():
    (step, *_) = steps(parse("root(x - x, pi*x)").root, "x")
    assert to_text(step.assembled) == to_text(step.result) == "0"


@pytest.mark.slow
@given(CASES)
def test_latex_of_any_derivation_is_balanced(case):
    root = parse(case[0], "xyz").root
    assert all(balanced(line) for line in latex_lines(steps(root, "x")))
