"""Formulas have the value, or the derivative, of what they were made from, wherever it has one.

Each row is a cause of formulas that were false, or had no value on a piece or at a point.
"""

from __future__ import annotations

import pytest

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression, parse

KEPT = {
    "exponents of a root of a function are no degrees in the function": (
        "cos(x)^(3/2)", "sin(x)^1.5", "cosh(x)^(4/3)", "sin(x)*sqrt(cos(x))", "cos(x/2)^(4/3)",
        "sinh(x)^(4/3)*tanh(x)", "sin(x)^(1/3)*sec(x)", "y*cos(x)^(3/2) + sin(y)*cos(y)",
    ),
    "squares below a root of a function are no squares of it": (
        "y*tan(x)^2*e^x + ln(x)*tan(x)^(3/2)*sec(x)^2 + y*tan(x)^3*e^x",
        "ln(x)*sec(x)^(3/2) + ln(x)*sec(x)^(3/2)*tan(x)^2 + 2*sec(x)^2*e^x",
    ),
    "powers of powers are one power": (
        "sqrt((x^2)^2)", "cbrt(x^4)", "(x^2)^(3/4)", "(x^2)^(2/3)", "((x - 1)^2)^(5/6)", "sqrt(x^6)", "(x^4)^(3/4)",
        "sqrt(1/x)", "cbrt(x)^(5/2)", "(x^(2/3))^(9/4)",
    ),
    "absolute values take signs and powers in": (
        "x*sqrt(abs(x))", "x*abs(x)", "x^2*abs(x)", "x*sign(x)*abs(x)^(1/3)", "x^3/sqrt(abs(x))", "abs(x)/x", "abs(x)^3/x^2", "sqrt(abs(x^3))",
    ),
    "powers with a variable exponent are not extended": (
        "x + x^(n - 1)", "x^2 + x^n", "exp(x)*(x^2 + x^(n - 1))", "sin(x)^(n - 1) + sin(x)", "x^n*(x + 1) + x",
    ),
    "a tie goes to what has no corner": ("min(x, abs(x))", "min(abs(x), x)", "max(-x^2, -y*abs(x))", "max(x^2, 3, relu(x) - 9)"),
    "what is constant on a piece has the slope 0 there": (
        "relu(x)^(1/3)", "relu(x)^(4/3)", "acos(min(max(x, 0), 1))", "acsc(min(max(2*x/5, 0), 1))", "sqrt(x*floor(x))", "sqrt(abs(x) - x)", "relu(x)^n", "ln(floor(x))^x", "(2*asec(floor(x))^x)^x",
        "floor(x/2)^sin(x)", "y*sqrt(x*relu(x))", "sqrt(if(x != 2 and x > 0, 2*x, 0))", "sin(cbrt(max(x, -1) + 1))",
        "sqrt(max(x - x, floor(x)))", "(step(floor(x))^4/(x + 9))^n",
        "sqrt(max(floor(x), -x^2 - 1))", "(floor(x^2)*asinh(x) - sqrt(ceil(x)))^(n - 2)", "if(ln(x) >= 0, ln(x)^(3/4), relu(-a*x))^(2/3)",
        "sqrt(floor(x)*x + floor(x))", "if(x - x >= 0, (x - x)^2, sin(x))^3", "if(x - x >= 0, x - x, ln(x))^(2*x)", "(if(floor(x) >= 0, floor(x)^(5/2), acsch(x/2))/(x + 9))^n",
    ),
    "what cancels to a constant has the slope 0": (
        "sqrt(x - x)", "x*acsc(sin(x)^(-1)*sin(x))", "log(x/x, 4 - x^2)^(-x)", "mod(-x, x)^(x + 9)", "sqrt(sqrt(x))*sqrt(x - x)", "if(x > 0, sqrt(x - x), x)", "acosh(x/x) + x^2", "sqrt((x/x)^2*(x - x))", "0^x", "(x - x)^(2*x)", "x - (x - x)^(10^400 + x)",
    ),
    "a function with the square of a product of roots may be negative": ("acosh(coth(x))", "acosh(coth(sqrt(x)))", "acosh(-coth(x))"),
}  # fmt: skip
CASES = [(cause, source) for cause, sources in KEPT.items() for source in sources]
PLACES = (-3.0, -2.0, -1.7, -1.0, -0.4, 0.0, 0.3, 1.0, 2.0, 2.6)


def value(f: Expression, at: dict[str, float]) -> float | None:
    """The value at a point; None where there is none."""
    try:
        return f.evaluate({name: at[name] for name in f.variables}, ()).value
    except ExprgradError:
        return None


def slope(f: Expression, at: dict[str, float]) -> float | None:
    """The derivative that the sweep finds; None where there is none."""
    try:
        return f.gradient(at)["x"]
    except ExprgradError:
        return None


@pytest.mark.slow
@pytest.mark.parametrize(("cause", "source"), CASES)
def test_formulas_keep_the_value_wherever_there_is_one(cause, source):
    f = parse(source)
    compared = 0
    for form in ("short", "factored", "expanded"):
        pairs = (f.simplify(form=form), value), (f.derivative("x", form=form), slope)
        for shown, truth in pairs:
            again = parse(str(shown))
            for x in PLACES:
                at = {"x": x, "y": 1.25, "n": 2.5, "a": 0.75}
                at = {name: at[name] for name in f.variables}
                wanted = truth(f, at)
                if wanted is not None:
                    found = value(again, {**at, "x": x})
                    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12), (
                        str(shown),
                        at,
                    )
                    compared += 1
    assert compared


@pytest.mark.parametrize(
    "source", ["ln(x) + tan(asin(x/x))", "sqrt(x)/(x - x)", "root(floor(x), x - x)"]
)
def test_what_cancels_to_no_number_has_no_slope_anywhere(source):
    found = parse(str(parse(source).derivative("x")))
    assert [value(found, {"x": x}) for x in (-0.7, 1.3, 2.6)] == [None] * 3
