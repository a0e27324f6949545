"""Python code of an expression has the value of the expression."""

from __future__ import annotations

import ast
import math
from typing import Any

import pytest
from hypothesis import assume, given

from exprgrad.cli.start import run as diff
from exprgrad.errors import (
    DomainError,
    NotDifferentiableError,
    RangeError,
    UsageError,
)
from exprgrad.expressions.expression import parse
from exprgrad.notation.python import python_names, to_python
from exprgrad.notation.text import to_text
from tests.strategies import CASES, ROWS, applied, regular_points

WITHOUT = {"digamma", "polygamma", "sinc_n"}
"""Operations that neither `math` has nor a formula gives."""


def run(code: str, at: dict[str, float]) -> float:
    return float(eval(code, {"math": math}, dict(at)))


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("2x sin(x) + x^2", "2*x*math.sin(x) + x**2"),
        ("ln(x) + |x|", "math.log(x) + math.fabs(x)"),
        ("log(x, b)", "math.log(x, b)"),
        ("-x^2", "-x**2"),
        ("(-x)^2", "(-x)**2"),
        ("x^y^z", "math.pow(x, math.pow(y, z))"),
        ("(x^2)^3", "(x**2)**3"),
        ("x^-2", "x**(-2)"),
        ("x^0.5", "math.pow(x, 0.5)"),
        ("2^x", "2**x"),
        ("(-2)^x", "math.pow(-2, x)"),
        ("x/(y*z)", "x/(y*z)"),
        ("pi*e", "math.pi*math.e"),
        ("e^x", "math.exp(x)"),
        ("cbrt(x)", "math.cbrt(x)"),
        ("x^(2/3)", "math.fabs(x)**(2/3)"),
        ("sec(x)", "1/math.cos(x)"),
        ("if(x < 0, 1, x)", "(1 if x < 0 else x)"),
        ("max(x, y)", "max(x, y)"),
        ("mod(x, 2)", "x % 2"),
    ],
)
def test_code_is_what_a_programmer_would_write(source, code):
    assert to_python(parse(source).root) == code


@pytest.mark.parametrize(
    "row", [r for r in ROWS if r.name not in WITHOUT], ids=lambda r: r.name
)
def test_code_of_every_operation_has_the_value_of_its_kernel(row):
    if row.name in ("factorial", "pow_even", "pow_odd"):
        pytest.skip("the operand decides how it is written: see below")
    names = "xyz"[: row.arity]
    f = parse(row.signature if row.signature else row.name)
    f = parse(f"{row.called}({', '.join(names)})") if row.called else f
    code = to_python(f.root)
    ast.parse(code, mode="eval")
    for arguments in regular_points(row, everyday=True)[:60]:
        at = dict(zip(f.variables, arguments, strict=True))
        try:
            wanted = f(**at)
        except DomainError:
            continue
        wanted = pytest.approx(wanted, rel=1e-9, abs=1e-12)
        assert run(code, at) == wanted, (code, at)


@pytest.mark.parametrize(
    "source", ["x^(1/3)", "x^(2/3)", "x^(-1/3)", "x^(-4/5)", "cbrt(x)^2"]
)
@pytest.mark.parametrize("x", [-8.0, -0.3, 0.5, 27.0])
def test_code_of_a_root_of_a_negative_number_is_real(source, x):
    f = parse(source)
    assert run(to_python(f.root), {"x": x}) == pytest.approx(f(x=x), rel=1e-14)


@pytest.mark.parametrize(
    "source", ["5!", "(2 + 1)!", "(6/2)!", "factorial(4)", "(1.5 + 1.5)!"]
)
def test_code_of_a_factorial_has_its_value(source):
    f = parse(source)
    assert run(to_python(f.root), {}) == f()


@given(CASES)
def test_code_of_any_expression_has_its_value(case):
    source, at = case
    f = parse(source, "xyz")
    try:
        wanted = f(**at)
        moved = f(**{n: v * (1 + 1e-12) for n, v in at.items()})
    except DomainError:
        assume(False)
    assume(abs(moved - wanted) <= 1e-8 * (abs(wanted) + 1e-9))
    try:
        code = to_python(f.root)
    except UsageError as error:
        assert "Python's math has no" in str(error)  # noqa: PT017 # otherwise it is compared
        return
    try:
        found = run(code, at)
    except OverflowError:
        return  # a formula may overflow on the way
    assert found == pytest.approx(wanted, rel=1e-7, abs=1e-10)


@given(CASES)
def test_code_of_any_derivative_has_its_value(case):
    source, at = case
    f = parse(source, "xyz").derivative("x")
    try:
        wanted = f(**at)
        moved = f(**{n: v * (1 + 1e-12) for n, v in at.items()})
    except (DomainError, RangeError):
        assume(False)
    assume(abs(moved - wanted) <= 1e-8 * (abs(wanted) + 1e-9))
    try:
        found = run(to_python(f.root), at)
    except (UsageError, OverflowError):
        return
    assert found == pytest.approx(wanted, rel=1e-7, abs=1e-10)


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_what_python_cannot_say_is_refused(name):
    source = {"polygamma": "digamma(x, 2)", "sinc_n": "sinc(x, 1)"}.get(
        name, f"{name}(x)"
    )
    with pytest.raises(UsageError, match="Python's math has no"):
        to_python(parse(source).root)


@pytest.mark.parametrize("name", ["lambda", "x₁", "λ", "x_1", "class", "math", "max"])
def test_names_of_variables_are_names_in_python(name):
    if name == "max":
        f = parse("y + max(1, y)")
    else:
        f = parse(f"{name}*2 + sqrt(4)*y", [name, "y"])
    code = to_python(f.root)
    names = {
        n.id for n in ast.walk(ast.parse(code, mode="eval")) if isinstance(n, ast.Name)
    }
    values = dict.fromkeys(names - {"math", "max"}, 3.0)
    assert run(code, values) == f(**dict.fromkeys(f.variables, 3.0))


@pytest.mark.parametrize("source", ["x^0.5", "x^y", "x^-1.5", "sqrt(x)", "x^(y/2)"])
def test_code_of_a_power_has_an_error_where_the_expression_has_one(source):
    f = parse(source)
    at = {"x": -2.0, "y": 0.5}
    with pytest.raises(DomainError):
        f(**{name: at[name] for name in f.variables})
    with pytest.raises(ValueError, match="math domain error"):
        run(to_python(f.root), at)


def test_variables_have_distinct_names_in_python():
    variables = ["lambda", "lambda_", "x₁", "x1", "max", "lambda__", "float"]
    names = python_names(variables)
    assert list(names) == variables
    assert len(set(names.values())) == len(variables)
    code = to_python(parse("2*lambda + 3*lambda_ + lambda*lambda_").root)
    assert code == "2*lambda_ + 3*lambda__ + lambda_*lambda__"


def _module(text: str, wrt: str, capsys: pytest.CaptureFixture[str]) -> Any:
    """The function that `diff --format python` writes."""
    assert diff(["diff", f"({text})", "--wrt", wrt, "--format", "python"]) == 0
    names: dict[str, Any] = {}
    exec(capsys.readouterr().out, names)
    return names[f"d_{wrt}"]


@pytest.mark.parametrize(
    "operation",
    [row for row in ROWS if row.name != "factorial"],  # of constants alone
    ids=lambda row: row.name,
)
@pytest.mark.parametrize("around", ["{}", "3*({})^2 - x", "x*exp(({})/7)"])
def test_code_that_diff_writes_has_the_slopes_of_the_sweep(operation, around, capsys):
    f = parse(around.format(to_text(applied(operation).root)))
    compared, written = 0, False
    for wrt in f.variables:
        try:
            formula = f.derivative(wrt)
            to_python(formula.root)
        except (NotDifferentiableError, UsageError):
            continue
        written = True
        slope = _module(f.source, wrt, capsys)
        for values in regular_points(operation, everyday=True)[:12]:
            at = dict(zip(f.variables, values, strict=False))
            if len(at) < len(f.variables):
                continue
            try:
                found = f.evaluate(at, [wrt])
            except DomainError:
                continue  # of x^y, which the texts of other powers are read as
            wanted = found.gradient[wrt]
            left_out = formula.assumptions and 0 in values  # for x != 0
            if left_out or wanted is None or found.corners or abs(wanted) > 1e100:
                continue
            try:
                assert slope(**at) == pytest.approx(wanted, rel=1e-7, abs=1e-10)
            except OverflowError:
                continue  # a formula may overflow on the way
            compared += 1
            if operation.name == "if" and 0 in values:
                continue  # compiled code takes the branch of the point itself
            assert f.compile()(*at.values())[1][f.variables.index(wrt)] == pytest.approx(wanted, rel=1e-9, abs=1e-12)  # fmt: skip
    assert compared or not written
