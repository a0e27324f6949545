"""What is written as LaTeX reads back to the same: every operation, formulas, derivatives, verdicts, steps."""

from __future__ import annotations

import random

import pytest

from exprgrad import ExprgradError, Value, parse, parse_latex
from exprgrad.cli.start import run
from exprgrad.notation.latex import latex
from exprgrad.notation.text import bracketed
from exprgrad.operations.operation import TABLE

SIGNATURES = sorted({o.signature.replace("...", "z") for o in TABLE.values()} - {"x!"})
LEAVES = ["x", "y", "α", "rate", "rate_1", "long_name", "x_1", "x0", "2", "3", "0.5", "1/3", "e", "pi", "-1", "2.5e-7", "f"]  # fmt: skip
CALLS = ["sin({})", "ln({})", "sqrt({})", "abs({})", "asinh({})", "floor({})", "sec({})^2", "-({})", "4!*({})"]  # fmt: skip
PAIRS = ["({})+({})", "({})-({})", "({})*({})", "({})/({})", "({})^({})", "log({}, {})", "max({}, {})", "if({} < 1, {}, 2)"]  # fmt: skip


def written(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.15:
        return chance.choice(LEAVES)
    if chance.random() < 0.3:
        return chance.choice(CALLS).format(written(chance, depth - 1))
    pair = written(chance, depth - 1), written(chance, depth - 1)
    return chance.choice(PAIRS).format(*pair)


def reads_back(root: Value, names: tuple[str, ...]) -> bool:
    """Whether both have the same value, as doubles, or neither has one."""
    again = parse_latex(latex(root), names)
    own = parse(bracketed(root), names)
    at = {name: 1.375 + i / 8 for i, name in enumerate(names)}
    values = []
    for expression in (own, again):
        try:
            values.append(expression.evaluate(at, refine=False).value)
        except ExprgradError as error:
            values.append(type(error))
    first, second = values
    if isinstance(first, float) and isinstance(second, float):
        return abs(first - second) <= 1e-9 * abs(first)
    return first == second


@pytest.mark.parametrize("signature", SIGNATURES)
def test_every_operation_reads_back(signature):
    expression = parse(signature)
    again = parse_latex(latex(expression.root), expression.variables)
    assert set(again.variables) == set(expression.variables)
    if any(operation.whole for operation in _operations(expression.root)):
        assert bracketed(again.root) == bracketed(expression.root)
    else:
        assert reads_back(expression.root, expression.variables)


@pytest.mark.parametrize("text", ["x[-1]", "t*x[1, -2]^2", "[[1], [x]]", "[[1, x]]"])
def test_arrays_and_their_elements_read_back(text):
    assert str(parse_latex(latex(parse(text).root))) == text


def _operations(root: Value):
    stack = [root]
    while stack:
        item = stack.pop()
        stack += item.operands
        if item.operation is not None:
            yield item.operation


@pytest.mark.parametrize("seed", range(40))
def test_formulas_and_their_derivatives_read_back(seed):
    expression = parse(written(random.Random(seed), 4))
    assert reads_back(expression.root, expression.variables)
    if expression.variables:
        derived = expression.derivative(expression.variables[0])
        assert reads_back(derived.root, expression.variables)


@pytest.mark.parametrize(
    "text",
    [
        "(x^2-1)/(x-1)",
        "sin(x)^2*exp(-x/2)",
        "log(x, 3) + cbrt(x)/1e7",
        "if(x > 0, x, 2) + max(x, rate_1)",
        "abs(alpha_2 - 1.5)/hypot(x, y)",
    ],
)
def test_what_simplify_prints_reads_back(capsys, text):
    assert run(["simplify", text, "--format", "latex"]) == 0
    expression = parse(text)
    again = parse_latex(capsys.readouterr().out, expression.variables)
    at = {name: 1.375 + i / 8 for i, name in enumerate(expression.variables)}
    assert again(**at) == pytest.approx(expression(**at), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("1.5e30^2", r"(1.5 \cdot 10^{30})^{2}"),
        ("3*(1/4)", r"3 \cdot \frac{1}{4}"),
        ("ln(x+1)^y", r"(\ln(x + 1))^{y}"),
        ("f*(x+1)", r"f \cdot (x + 1)"),
        ("x == y", "(x = y)"),
        ("X @ w", r"X \mathbin{@} w"),
    ],
)
def test_what_could_be_read_otherwise_is_written_out(text, tex):
    assert latex(parse(text).root) == tex
    again = bracketed(parse_latex(tex).root)
    assert again.replace("(1.5*(10^30))", "1.5e+30") == bracketed(parse(text).root)
