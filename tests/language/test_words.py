"""Formulas and tasks in words: what they mean in signs, and which command does them."""

from __future__ import annotations

import json
import shlex

import pytest

from exprgrad.cli import start, words
from exprgrad.cli.start import run
from exprgrad.errors import ExpressionSyntaxError, ExprgradError
from exprgrad.expressions.expression import parse
from exprgrad.language.parser import read
from exprgrad.language.words.conditionals import in_our_notation
from exprgrad.language.words.corrections import misleading
from exprgrad.language.words.formulas import in_signs
from exprgrad.language.words.tasks import command
from exprgrad.session.screen import Screen
from exprgrad.session.session import Session, ask

FORMULAS = [
    ("x squared", "x^2"),
    ("5 x cubed", "5*x^3"),
    ("minus x squared", "-x^2"),
    ("x over (x + 1)", "x/(x + 1)"),
    ("2 to the 3 mod 5", "mod(2^3, 5)"),
    ("one over the square root of x", "1/sqrt(x)"),
    ("x to the power of four", "x^4"),
    ("x to the 5th power", "x^5"),
    ("x to the 2/3", "x^(2/3)"),
    ("x to the one half", "x^(1/2)"),
    ("e to the minus x", "e^(-x)"),
    ("e to the two x", "e^(2*x)"),
    ("ten to the x", "10^x"),
    ("sine of three x", "sin(3*x)"),
    ("sine squared of x", "sin(x)^2"),
    ("the sine of x squared", "sin(x^2)"),
    ("x squared plus cos(x)^2", "x^2 + cos(x)^2"),
    ("sin(x) squared", "sin(x)^2"),
    ("cosine of (x + 1) squared", "cos((x + 1)^2)"),
    ("two times sin x (x+1)", "2*sin(x)*(x + 1)"),
    ("two times sin 2(x+1)", "2*sin(2*(x + 1))"),
    ("one over exp(sin(x))", "1/exp(sin(x))"),
    ("sine of two times x", "sin(2*x)"),
    ("sine x over x", "sin(x)/x"),
    ("sine of x times cosine of x", "sin(x)*cos(x)"),
    ("inverse tangent of x", "atan(x)"),
    ("tan inverse x", "atan(x)"),
    ("hyperbolic sine of x", "sinh(x)"),
    ("natural log of x", "ln(x)"),
    ("log base 2 of x", "log(x, 2)"),
    ("the absolute value of x", "abs(x)"),
    ("the reciprocal of x", "1/x"),
    ("the reciprocal of x^3-3x", "1/(x^3 - 3*x)"),
    ("sine of x+1 times cosine of x-1", "sin(x + 1)*cos(x - 1)"),
    ("e to the 2x-1", "e^(2*x - 1)"),
    ("one over x^2+1", "1/(x^2 + 1)"),
    ("x+1 over x-1", "(x + 1)/(x - 1)"),
    ("x^2 minus x+1", "x^2 - (x + 1)"),
    ("x+1 squared", "(x + 1)^2"),
    ("(x+1 over x-1)^2", "((x + 1)/(x - 1))^2"),
    ("sin(x+1 over 2) times 3", "sin((x + 1)/2)*3"),
    ("x times (2 over x+1)", "x*(2/(x + 1))"),
    ("x^-1 over 2", "x^(-1)/2"),
    ("the cube of x plus one half", "x^3 + (1/2)"),
    ("pi times r squared", "pi*r^2"),
    ("X SQUARED", "x^2"),
    ("x mod 3", "mod(x, 3)"),
    ("x^2 % 3", "mod(x^2, 3)"),
    ("-7 mod 3", "mod(-7, 3)"),
    ("5 - 7 mod 3", "5 - mod(7, 3)"),
    ("5 choose 2", "5*(5 - 1)/2!"),
    ("20 choose 10", "20!/(10!*(20 - 10)!)"),
    ("C(n, 2)", "((n)*((n) - 1)/2!)"),
    ("5C2", "(5*(5 - 1)/2!)"),
    ("n choose k", "gamma(n + 1)/(gamma(k + 1)*gamma(n - k + 1))"),
    ("the product of x and sine of x", "x*sin(x)"),
    ("the quotient of x and x plus 1", "x/(x + 1)"),
    ("half of x squared", "(1/2)*x^2"),
    ("the fourth root of x", "root(x, 4)"),
    ("root x", "sqrt(x)"),
    ("log x base 10", "log(x, 10)"),
    ("twice x", "2*x"),
    ("4th root of x", "root(x, 4)"),
    ("the quantity x plus 1 squared", "(x + 1)^2"),
    ("log to the base 2 of x", "log(x, 2)"),
    ("sine of pi over 2", "sin(pi/2)"),
    ("sine of x over 2", "sin(x)/2"),
    ("exponential of minus x", "exp(-x)"),
    ("sin square x", "sin(x)^2"),
    ("x cube", "x^3"),
    ("x power 3", "x^3"),
    ("mod x", "abs(x)"),
    ("open parenthesis x plus 1 close parenthesis squared", "(x + 1)^2"),
]

TASKS = [
    ("x if x > 0 and sin(x) > 0 else 2", ["diff", "if(x > 0 and sin(x) > 0, x, 2)"]),
    ("derivative of x squared", ["diff", "x^2", "--wrt", "x"]),
    ("derivitive of sine of x", ["diff", "sin(x)", "--wrt", "x"]),
    ("x cubed", ["diff", "x^3"]),
    ("x^2 differentiate", ["diff", "x^2", "--wrt", "x"]),
    ("second derivative x^3", ["diff", "x^3", "--wrt", "x", "--order", "2"]),
    ("d2y/dx2 of x^3", ["diff", "x^3", "--wrt", "x", "--order", "2"]),
    ("Find ds/dt if s = 3t^2", ["diff", "3t^2", "--wrt", "t"]),
    ("sensitivity of V = I R to R", ["diff", "I R", "--wrt", "R"]),
    ("sensitivity of x^2*y to x at x=1,y=2", ["diff", "x^2*y", "--wrt", "x", "--at", "x=1,y=2"]),
    ("how sensitive is P V / T to changes in T", ["diff", "P V / T", "--wrt", "T"]),
    ("marginal cost of C = 100 + x^2", ["diff", "100 + x^2", "--wrt", "x"]),
    ("how quickly does x^2 grow at x = 3", ["diff", "x^2", "--wrt", "x", "--at", "x=3"]),
    ("steps for derivative of x^2 sin x", ["diff", "x^2 sin x", "--wrt", "x"]),
    ("uncertainty of a*b if a = 2 ± 0.1 and b = 3 ± 0.2", ["uncertainty", "a*b", "--at", "a=2±0.1,b=3±0.2"]),
    ("R = V/I, V = 5 +/- 0.1, I = 2 ± 5%", ["uncertainty", "V/I", "--at", "V=5+/-0.1,I=2±5%"]),
    ("what is the error in pi r^2 if r = 3 ± 0.1", ["uncertainty", "pi r^2", "--at", "r=3±0.1"]),
    ("If f(x) = x^2 ln x, find f'(x).", ["diff", "x^2 ln x", "--wrt", "x"]),
    ("derivative at x=2 of x^3", ["diff", "x^3", "--wrt", "x", "--at", "x=2"]),
    ("derivative of x^3 when x is 2", ["diff", "x^3", "--wrt", "x", "--at", "x=2"]),
    ("f'(2) where f(x) = x^3", ["diff", "x^3", "--wrt", "x", "--at", "x=2"]),
    ("value of x^3 at x = 2", ["eval", "x^3", "--at", "x=2"]),
    ("f(2) if f(x) = x^3", ["eval", "x^3", "--at", "x=2"]),
    ("partial of x^2 y wrt y", ["diff", "x^2 y", "--wrt", "y"]),
    ("f_xy for f(x,y) = x^2 y^2", ["diff", "x^2 y^2", "--wrt", "x,y"]),
    ("mixed partial derivative of x^2 y", ["diff", "x^2 y", "--wrt", "x,y"]),
    ("∇f(1,2) if f(x,y) = x y", ["eval", "x y", "--at", "x=1,y=2"]),
    ("tangent line to y = x^2 at x = 1", ["tangent", "x^2", "--at", "x=1"]),
    ("linear approximation of sqrt(x) near 9", ["tangent", "sqrt(x)", "--at", "x=9"]),
    ("tangent to x^2 at the point (1, 1)", ["tangent", "x^2", "--at", "x=1"]),
    ("where is the derivative of x^2 zero", ["critical", "x^2"]),
    ("largest value of 1 - x^2", ["critical", "1 - x^2"]),
    ("stationary points of y = x^2 - 2x", ["critical", "x^2 - 2x"]),
    ("find the points of inflection of x^4 - 6x^2", ["critical", "x^4 - 6x^2", "--inflection"]),
    ("does x^4 have an inflection point?", ["critical", "x^4", "--inflection"]),
    ("f(x) = x e^-x; find the inflection points", ["critical", "x e^-x", "--inflection", "--wrt", "x"]),
    ("is |x| differentiable at -1?", ["eval", "|x|", "--at", "x=-1"]),
    ("is sqrt(x) differentiable?", ["diff", "sqrt(x)"]),
    ("does cbrt(x) have a derivative at x = 1", ["eval", "cbrt(x)", "--at", "x=1"]),
    ("if f(x) = |x-2|, is f differentiable at 1?", ["eval", "|x-2|", "--at", "x=1"]),
    ("is it differentiable at 0 if y = x|x|", ["eval", "x|x|", "--at", "x=0"]),
    ("degree 2 taylor polynomial of e^x", ["taylor", "e^x", "--order", "2"]),
    ("series(sin(x), x, 0, 4)", ["taylor", "sin(x)", "--order", "3"]),
    ("quadratic approximation of e^x at x = 1", ["taylor", "e^x", "--at", "x=1", "--order", "2"]),
    ("implicitly differentiate x^2+y^2=25", ["diff", "x^2+y^2 = 25", "--implicit"]),
    ("find dy/dx if x y = 1", ["diff", "x y = 1", "--implicit", "--wrt", "x"]),
    ("what is dy/dx if x^2 + xy = 4", ["diff", "x^2 + xy = 4", "--implicit", "--wrt", "x"]),
    ("find dy/dx if y = sin(x+y)", ["diff", "y = sin(x+y)", "--implicit", "--wrt", "x"]),
    ("tangent to y = x e^y at (0, 0)", ["tangent", "y = x e^y", "--at", "x=0,y=0"]),
    ("x if x > 0 else 0", ["diff", "if(x > 0, x, 0)"]),
    ("Differentiate with respect to x: x^3", ["diff", "x^3", "--wrt", "x"]),
    ("find the derivative using the product rule: x^2 e^x", ["diff", "x^2 e^x", "--wrt", "x"]),
    ("Find the rate of change of A = pi r^2 with respect to r", ["diff", "pi r^2", "--wrt", "r"]),
    ("partial derivative of x^2 y with respect to x at (1,2)", ["diff", "x^2 y", "--wrt", "x", "--at", "x=1,y=2"]),
    ("differentiate x^2 y partially with respect to y", ["diff", "x^2 y", "--wrt", "y"]),
    ("Find the line tangent to y = x^2 at x = 1", ["tangent", "x^2", "--at", "x=1"]),
    ("for which x is x^2 - 2x minimal", ["critical", "x^2 - 2x"]),
    ("find x such that f'(x) = 0, f(x) = x^2 - 2x", ["critical", "x^2 - 2x", "--wrt", "x"]),
    ("taylor series of e^x up to x^2", ["taylor", "e^x", "--order", "2"]),
    ("x^2 + y^2 = 25, find dy/dx", ["diff", "x^2 + y^2 = 25", "--implicit"]),
    ("find y' implicitly: x^2 + y^2 = 25", ["diff", "x^2 + y^2 = 25", "--implicit"]),
    ("find dy/dx if x = cos t and y = sin t", ["simplify", "(d/dt (sin t))/(d/dt (cos t))"]),
    ("plug x=2 into x^3", ["eval", "x^3", "--at", "x=2"]),
    ("f'(2), f(x)=x^3", ["diff", "x^3", "--wrt", "x", "--at", "x=2"]),
    ("d x^2 / dx", ["diff", "x^2", "--wrt", "x"]),
    ("x**2.diff(x)", ["diff", "x**2", "--wrt", "x"]),
    ("derivative ofx^2", ["diff", "x^2", "--wrt", "x"]),
    ("d\\dx x^2", ["diff", "x^2", "--wrt", "x"]),
    ("derivative of five", ["diff", "5", "--wrt", "x"]),
    ("derivative of x^2 resp. to x", ["diff", "x^2", "--wrt", "x"]),
    ("f double prime of x if f(x) = x^3", ["diff", "x^3", "--wrt", "x", "--order", "2"]),
    ("If f(x) = x^2 then what is f'(2)?", ["diff", "x^2", "--wrt", "x", "--at", "x=2"]),
    ("at x = 2, what is the derivative of x^3?", ["diff", "x^3", "--wrt", "x", "--at", "x=2"]),
    ("gradient of the curve y = x^2 at x = 3", ["diff", "x^2", "--wrt", "x", "--at", "x=3"]),
    ("acceleration if s = t^3", ["diff", "t^3", "--wrt", "t", "--order", "2"]),
    ("x^2+y^2=1 dy/dx", ["diff", "x^2+y^2 = 1", "--implicit"]),
    ("solve d/dx (x^2-2x) = 0", ["critical", "(x^2-2x)"]),
    ("tangent line x^2 x=1", ["tangent", "x^2", "--at", "x=1"]),
    ("normal line to y = x^2 at x = 1", ["tangent", "x^2", "--normal", "--at", "x=1"]),
    ("taylor polynomial of degree two for e^x", ["taylor", "e^x", "--order", "2"]),
    ("Series[Exp[x], {x, 0, 2}]", ["taylor", "Exp[x]", "--order", "2"]),
    ("x that minimizes x^2 - 2x", ["critical", "x^2 - 2x"]),
    ("jax.grad(lambda x: x**2)(3)", ["diff", "x**2", "--wrt", "x", "--at", "x=3"]),
    ("f:=x->x^2; D(f)(x)", ["diff", "x^2", "--wrt", "x"]),
    ("sympify('x**2').diff()", ["diff", "x**2", "--wrt", "x"]),
    ("d/dy of x^2 y", ["diff", "x^2 y", "--wrt", "y"]),
    ("∂/∂y of x^2 y", ["diff", "x^2 y", "--wrt", "y"]),
    ("f_xy(1,2) if f(x,y) = x^2 y^2", ["diff", "x^2 y^2", "--wrt", "x,y", "--at", "x=1,y=2"]),
    ("f_xx(1,2) if f(x,y) = x^2 y^2", ["diff", "x^2 y^2", "--wrt", "x", "--order", "2", "--at", "x=1,y=2"]),
    ("f''(2) where f(x) = x^3", ["diff", "x^3", "--wrt", "x", "--order", "2", "--at", "x=2"]),
    ("derivitave of x cubed please", ["diff", "x^3", "--wrt", "x"]),
    ("whats the derivative of 3x^2 with respect too x", ["diff", "3x^2", "--wrt", "x"]),
    ("hey can you find the derivative of x^2 thanks", ["diff", "x^2", "--wrt", "x"]),
    ("derivative of x^2 at x equals 3", ["diff", "x^2", "--wrt", "x", "--at", "x=3"]),
    ("derivative of sin(x), evaluated at x = pi/4", ["diff", "sin(x)", "--wrt", "x", "--at", "x=pi/4"]),
    ("for x = 2 find the derivative of x^3", ["diff", "x^3", "--wrt", "x", "--at", "x=2"]),
    ("first three terms of the taylor series of e^x", ["taylor", "e^x", "--terms", "3"]),
    ("taylor series of sin x, 2 nonzero terms", ["taylor", "sin x", "--terms", "2"]),
    ("y = sqrt(u) where u = 1 + x^2", ["diff", "sqrt((1 + x^2))", "--wrt", "x"]),
    ("derivative of x^2 a x=3", ["diff", "x^2", "--wrt", "x", "--at", "x=3"]),
    ("derivative of x^2 at x = three", ["diff", "x^2", "--wrt", "x", "--at", "x=3"]),
    ("Differentiate x^2 w.r.t. x, show steps", ["diff", "x^2", "--wrt", "x"]),
    ("how steep is x^2 at x = 3", ["diff", "x^2", "--wrt", "x", "--at", "x=3"]),
    ("d2/dxdy x^2 y^2", ["diff", "x^2 y^2", "--wrt", "x,y"]),
    ("nDeriv(x^2, x, 3)", ["diff", "x^2", "--wrt", "x", "--at", "x=3"]),
    ("subs(x=3, diff(x^2,x))", ["diff", "x^2", "--wrt", "x", "--at", "x=3"]),
    ("D[x^2, x] /. x -> 3", ["diff", "x^2", "--wrt", "x", "--at", "x=3"]),
    ("arc sine of x", ["diff", "asin(x)"]),
    ("derivative of g where g(x) = x^2", ["diff", "x^2", "--wrt", "x"]),
    ("f(x)=x^2. What is f'(x)?", ["diff", "x^2", "--wrt", "x"]),
    ("if f(x)=x^2 what is f'(x)", ["diff", "x^2", "--wrt", "x"]),
    ("f(x)=x^2 f'(x)", ["diff", "x^2", "--wrt", "x"]),
    ("the quantity x plus 1 cubed, derivative", ["diff", "(x + 1)^3", "--wrt", "x"]),
    ("Apply the chain rule to find the derivative of sin(5x)", ["diff", "sin(5x)", "--wrt", "x"]),
    ("waht is the derivative of x^4", ["diff", "x^4", "--wrt", "x"]),
    ("slpoe of x^4 at x=3", ["diff", "x^4", "--wrt", "x", "--at", "x=3"]),
    ("derivative of x^4 (with respect to x)", ["diff", "x^4", "--wrt", "x"]),
    ("derivative in x of x^4", ["diff", "x^4", "--wrt", "x"]),
    ("derivative of x^4 at X=3", ["diff", "x^4", "--wrt", "x", "--at", "x=3"]),
    ("dydx of x^4", ["diff", "x^4", "--wrt", "x"]),
    ("f(x)=x^4, f`(x)", ["diff", "x^4", "--wrt", "x"]),
    ("D[D[x^5,x],x]", ["diff", "diff(diff(x^5,x),x)"]),
    ("(x**4).diff(x, 2)", ["diff", "(x**4)", "--wrt", "x", "--order", "2"]),
    ("x^4 /. x -> 2", ["eval", "x^4", "--at", "x=2"]),
    ("linearization of sin x at a = 0", ["tangent", "sin x", "--at", "x=0"]),
    ("series expansion of e^x to order 2", ["taylor", "e^x", "--order", "2"]),
    ("taylor series of x^5 order 2", ["taylor", "x^5", "--order", "2"]),
    ("taylor x^3 at 1 order 1", ["taylor", "x^3", "--at", "x=1", "--order", "1"]),
    ("taylor series of x^5, 2nd order", ["taylor", "x^5", "--order", "2"]),
    ("tangent to the circle x^2 + y^2 = 25 at (3, 4)", ["tangent", "x^2 + y^2 = 25", "--at", "x=3,y=4"]),
    ("x e^(-x) maximum", ["critical", "x e^(-x)"]),
    ("set the derivative of x^2 - 4x equal to zero", ["critical", "x^2 - 4x"]),
    ("horizontal tangents of x^3 - 3x", ["critical", "x^3 - 3x"]),
    ("first partial derivatives of x^2 y^2", ["diff", "x^2 y^2"]),
    ("mixed partial of x^2 y^2 at (1,2)", ["diff", "x^2 y^2", "--wrt", "x,y", "--at", "x=1,y=2"]),
]  # fmt: skip

CONDITIONAL = [
    ("x if x > 0 and x < 1 else 2", "if(x > 0 and x < 1, x, 2)"),
    ("x if x < 0 or x > 1 else 2", "if(x < 0 or x > 1, x, 2)"),
    ("x if 0 < x < 1 and y > 0 else 2", "if(0 < x and x < 1 and y > 0, x, 2)"),
    (
        "0 <= max(x, sin(y)) < 1 ? x : 2",
        "if(0 <= max(x, sin(y)) and max(x, sin(y)) < 1, x, 2)",
    ),
    ("x > 0 ? 1 : (x > -1 ? 2 : 3)", "if(x > 0, 1, if(x > -1, 2, 3))"),
    ("1 if x > 0 else (2 if x > -1 else 3)", "if(x > 0, 1, if(x > -1, 2, 3))"),
    ("if 0 < x < 1 then 1 else 2", "if(0 < x and x < 1, 1, 2)"),
    ("x if 0 < x < y < 1 else 2", "if(0 < x and x < y and y < 1, x, 2)"),
    ("x if x > 0 else -x", "if(x > 0, x, -x)"),
    ("1 if x < 0 else 2 if x < 1 else 3", "if(x < 0, 1, if(x < 1, 2, 3))"),
    ("x > 0 ? x : 0", "if(x > 0, x, 0)"),
    ("x > 1 ? 1 : x > 0 ? x : 0", "if(x > 1, 1, if(x > 0, x, 0))"),
    ("Piecewise((x, x > 0), (0, True))", "if(x > 0, x, 0)"),
    ("Piecewise[{{x, x > 0}}, 0]", "if(x > 0, x, 0)"),
    ("x^2 if x > 0, otherwise 0", "if(x > 0, x^2, 0)"),
    ("x^2 for x > 0, 0 otherwise", "if(x > 0, x^2, 0)"),
    ("if x > 0 then x^2 else 0", "if(x > 0, x^2, 0)"),
    ("if x < 0 then -x else if x < 1 then x else 1", "if(x < 0, -x, if(x < 1, x, 1))"),
    ("=IF(x>0; x; -x)", "IF(x>0, x, -x)"),
    ("Piecewise[{{x, x > 1}, {x^2, x > 0}}, 0]", "if(x > 1, x, if(x > 0, x^2, 0))"),
    ("x**2 if x >= 1 else 2*x", "if(x >= 1, x**2, 2*x)"),
    ("{x < 1: x^2, x >= 1: 2x}", "if(x < 1, x^2, 2x)"),
    (
        "sympy.Piecewise((0, x < 0), (x, x < 1), (1, True))",
        "if(x < 0, 0, if(x < 1, x, 1))",
    ),
    ("ifelse(x > 0, x, 0)", "if(x > 0, x, 0)"),
    ("if x > 0: x^2 else: 0", "if(x > 0, x^2, 0)"),
    ("{x < 0: -x, x > 2: 2, x}", "if(x < 0, -x, if(x > 2, 2, x))"),
]


@pytest.mark.parametrize(("said", "written"), FORMULAS)
def test_a_formula_in_words_has_signs(said, written):
    assert in_signs(said) == written


@pytest.mark.parametrize(
    "text",
    ["x^2", "x is 2", "a day in the sun", "derivative of x", "x squared and more", ""],
)
def test_what_has_other_words_is_no_formula(text):
    assert in_signs(text) is None


@pytest.mark.parametrize(
    ("said", "one", "other"),
    [
        ("1 over x plus 1", "1/x + 1", "1/(x + 1)"),
        ("square root of x plus 1", "sqrt(x) + 1", "sqrt(x + 1)"),
        ("square root of 1 - x^2", "sqrt(1) - x^2", "sqrt(1 - x^2)"),
        ("x squared plus 1 over x", "x^2 + 1/x", "(x^2 + 1)/x"),
        ("e^x squared", "(e^x)^2", "e^(x^2)"),
        ("one over one plus x squared", "1/1 + x^2", "1/(1 + x^2)"),
        ("x plus 1 squared", "x + 1^2", "(x + 1)^2"),
        ("5th root of x plus 1", "root(x, 5) + 1", "root(x + 1, 5)"),
        ("log base 2 of x plus 1", "log(x, 2) + 1", "log(x + 1, 2)"),
    ],
)
def test_words_with_two_meanings_are_refused_with_both(said, one, other):
    with pytest.raises(ExpressionSyntaxError) as caught:
        in_signs(said)
    assert caught.value.hint == f"did you mean {one}, or {other}?"


@pytest.mark.parametrize(("said", "arguments"), TASKS)
def test_a_task_in_words_is_a_command(said, arguments):
    assert words.in_words([said]) == arguments


@pytest.mark.parametrize(
    "text",
    ["hello", "what is calculus", "derivative of the weather", "integrate x^2", "limit of sin(x)/x as x goes to 0",
     "tangent of x^2 at x=1 and x=2", "f_x y", "a x^2", "x^2 x^3 difference", "gradient of x^2 + y^2 at (1, 2, 3)",
     "minimum of x^2 at x=3", "tangent line to x^2 at x=1 of order 2", "critical points of x^3 of order 3",
     "critical points", "solve f(x) = 4", "find f(x) = 2*3", "derivative of f", "dy/dx", "mean of 1 2 3", "d/dx y = x^3",
     "value of x^2 with respect to x at x=2", "jacobian of [x^2 y, x+y] at (1,2)", "linear approximation of sqrt(4.1)", "directional derivative of x^2 y in the direction (1,1) of order 2"],
)  # fmt: skip
def test_what_no_row_accounts_for_is_no_task(text):
    assert command(text) is None


@pytest.mark.parametrize(("said", "written"), CONDITIONAL)
def test_conditions_of_other_programs_are_read(said, written):
    assert in_our_notation(said) == written


@pytest.mark.parametrize("text", ["x^2", "{x}", "x ? 1", "x if 1", "f(x ? 1 : 2"])
def test_what_is_no_condition_is_left_alone(text):
    assert in_our_notation(text) is None


def test_the_command_stands_before_its_answer_where_people_read_it(capsys):
    assert run(["slope of x^3 when x is 2"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("exprgrad diff 'x^3' --wrt x --at x=2\n")
    assert run(["slope of x^3 when x is 2", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["values"] == {"x": 12}
    assert run(["check", "x squared", "2x", "--quiet"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.slow
@pytest.mark.parametrize(("said", "arguments"), TASKS)
def test_a_task_in_words_has_the_answer_of_its_command(capsys, said, arguments):
    assert run([said, "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert run([*arguments, "--format", "json"]) == 0
    same = json.loads(capsys.readouterr().out)
    for key in ("derivatives", "value", "result", "points", "slope"):
        if key in answer and key in same:
            assert answer[key] == same[key]


def test_a_derivative_of_brackets_is_asked_for_at_a_number(capsys):
    assert run(["(x^3)'(2) = 12"]) == 0
    assert run(["(x^3)'(2) = 11"]) == 1
    assert run(["(x^3)'(2)"]) == 0
    assert "12 at x = 2" in capsys.readouterr().out


def test_a_word_that_names_a_sign_is_one_diagnostic():
    with pytest.raises(ExpressionSyntaxError) as caught:
        read("negative x", lenient=True)
    assert caught.value.hint == "write - for negative"


@pytest.mark.parametrize(
    ("arguments", "same"),
    [
        (["diff", "x squared"], ["diff", "x^2"]),
        (["eval", "x squared", "--at", "x=3"], ["eval", "x^2", "--at", "x=3"]),
        (["check", "x squared", "two x"], ["check", "x^2", "2*x"]),
        (["eval", "x^2", "--at", "3"], ["eval", "x^2", "--at", "x=3"]),
        (["eval", "x*y", "--at", "(1, 2)"], ["eval", "x*y", "--at", "x=1,y=2"]),
        (["eval", "x*y", "--at", "x=1 y=2"], ["eval", "x*y", "--at", "x=1,y=2"]),
        (["eval", "x*y", "--at", "x=1 and y=2"], ["eval", "x*y", "--at", "x=1,y=2"]),
        (["eval", "x*y", "--at", "x=1; y=2"], ["eval", "x*y", "--at", "x=1,y=2"]),
        (
            ["eval", "-x if x<0 else 0", "--at", "x=1"],
            ["eval", "if(x<0, -x, 0)", "--at", "x=1"],
        ),
        (["diff", "{x < 0: -x, x}"], ["diff", "if(x < 0, -x, x)"]),
        (["x squared", "--at", "3"], ["eval", "x^2", "--at", "x=3"]),
        (["minimize", "x^2", "--start", "3"], ["minimize", "x^2", "--start", "x=3"]),
    ],
)
def test_commands_take_formulas_in_words(capsys, arguments, same):
    assert run([*arguments, "--format", "json"]) == 0
    answer = capsys.readouterr().out
    assert run([*same, "--format", "json"]) == 0
    assert answer == capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "at"),
    [("1-exp(-t/tau)", "t=1,tau=2"), ("a*b", "a=2.5 kg, b=3 m"), ("x^2+y^2=25", "x=3")],
)
def test_a_command_that_nothing_is_rewritten_in_is_not_shown_again(capsys, text, at):
    assert run(["eval", text, "--at", at]) == 2
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("derivative of x squared", "d/dx (x^2)"),
        ("slope of x^3 when x is 2", "d/dx (x^3) at x=2"),
        ("x squared plus one", "x^2 + 1"),
        ("second derivative of x cubed", "d^2/dx^2 (x^3)"),
    ],
)
def test_sessions_take_words(said, written, tmp_path, capsys):
    shown = []
    for text in (said, written):
        script = tmp_path / "script.eg"
        script.write_text(text)
        assert run(["run", str(script)]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("u = 3x+1; y = u^2; dy/dx = 6(3x+1)", 0),
        ("u = 3x+1; y = u^2; dy/dx = 6u", 0),
        ("y = u^2; u = 3x+1; dy/dx = 6u", 0),
        ("u = 3x+1; y = u^2; dy/dx = 2u", 1),
        ("u = 3x+1; y = u^2; dy/du = 2u", 0),
        ("f(x) = x^2; g(x) = f(f(x)) + 1; g'(x) = 4x^3", 0),
        ("f(x) = x^2; g(t) = 3t; h(x) = f(g(x)); h'(x) = 18x", 0),
        ("f(x) = e^(2x); f'(x) = 2 f(x)", 0),
        ("y = sqrt(x^2 + 1); dy/dx = x/y", 0),
        ("f(x) = x^2; d/dx (f(x) + x) = 2x + 1", 0),
        ("f(x) = x^2; d/dx f(y) = 3", 1),
        ("a = 2; f(x) = a x^2; f'(x) = 4x", 0),
        ("x = t^2; y = t^3; dy/dx = 3t/2", 0),
        ("a=2; b=3; u = a*b; v = a*u; dv/da = 12", 0),
        ("a=2; b=3; u = a*b; v = a*u; dv/da = 6", 1),
        ("p = 3; u = 2p; v = p*u; dv/dp = 12", 0),
        ("q = i; y = q^2; dy/di = 2i", 0),
        ("a = pi/2; y = sin(a x); y' = a cos(a x)", 0),
        ("z = w*x; loss = (z-y)^2; dloss/dw = 2x(w*x-y)", 0),
    ],
)
def test_what_the_same_text_defines_is_written_out(text, code, capsys):
    assert run([text]) == code


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("y = u^2, u = 3x+1", "6*(3*x + 1)"),
        ("u = 3x+1; y = u^2; dy/dx", "6*(3*x + 1)"),
        ("f(x)=x^2, g(x)=sin x, h = f(g(x))", "2*sin(x)*cos(x)"),
        ("x = t^2, y = t^3", "3*t/2"),
        ("find dy/dx if x = cos t and y = sin t", "-cot(t)"),
        ("a = 2; y = a x", "d/dx = 2\n"),
        ("S=4; K=5; d = S/K; C = 2d; dC/dS", "= 2/5 = 0.4 at S = 4, K = 5"),
        ("loss = (w-3)^2; dloss/dw", "2*(w - 3)"),
        ("rho = m/V; drho/dV at m=2, V=4", "= -1/8 = -0.125 at m = 2, V = 4"),
        ("E_k = m v^2/2; dE_k/dv", "m*v"),
        ("y = x^3; y(2) + 1", "= 9\n"),
        ("u = 3x; y = u^2; (y(3) - y(1))/2", "= 36\n"),
        ("y = x^3; y(x) + 1", "d/dx = 3*x^2\n"),
        ("f = x^2; (f(x+h) - f(x))/h", "∂/∂h = 1\n"),
        ("f = x^2; f(t)", "d/dt = 2*t\n"),
        ("s = t^3; v = ds/dt; a = dv/dt; a", "\n6*t\n"),
        ("s = t^3; v = s'; a = v'; a'", "d^3/dt^3 = 6\n"),
        ("s = t^3; v = ds/dt; v at t=2", "= 12\n"),
        ("u = x^2; w = u^2; z = w'; z", "\n4*x^3\n"),
        ("derivative of: x^2", "d/dx = 2*x\n"),
    ],
)
def test_chains_are_differentiated_as_people_write_them(text, shown, capsys):
    assert run([text]) == 0
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("f(x)=x^2; g(x)=3x; f(g(2))", "= 36\n"),
        ("f(x)=x^2; g(x)=3x; (f∘g)(2)", "= 36\n"),
        ("f(x)=x^2; g(x)=x+1; h(x)=3x; (f∘g∘h)(2)", "= 49\n"),
        ("f(x)=x^2, g(x)=sin x, h = f∘g", "2*sin(x)*cos(x)\n"),
        ("f(x)=x^2, g(x)=x+1, find (f∘g)'(x)", "= 2*(x + 1)\n"),
        ("f(x)=x^2, g(x)=sin x, find (fg)'(x)", "2*x*sin(x) + x^2*cos(x)\n"),
        ("f(x)=x^2; g(x)=3x; (f+g)'(2)", "= 7 at x = 2\n"),
        ("f(x)=x^2, g(x)=x+1, find f(g(2))", "= 9\n"),
        ("f(u) = u^2, u = x + 1, find df/dx", "2*(x + 1)\n"),
        ("f = lambda x: x**2; f'(3)", "= 6 at x = 3\n"),
        ("f[x_] := x^2", "d/dx = 2*x\n"),
        ("dy/dx y=x^3", "3*x^2\n"),
        ("differentiate (x+1)^2", "2*(x + 1)\n"),
        ("derivative (x+1)(x-1)", "2*x\n"),
        ("partial derivative of f(x,y) = x^2 y with respect to y", "x^2\n"),
        ("sin x at 30 degrees", "= 0.5\n"),
        ("f(x)=x^2; g(x)=x+1; find (f∘g)'(2)", "= 6 at x = 2\n"),
        ("(x^2)'(x)", "d/dx = 2*x\n"),
        ("C(5,2)", "= 10\n"),
        ("derivative of C(n,2)", "d/dn = (2*n - 1)/2\n"),
    ],
)
def test_functions_of_functions_and_combinations_are_written_out(text, shown, capsys):
    assert run([text]) == 0
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "code", "command"),
    [
        ("is 2x the derivative of x^2?", 0, "check x^2 2x --wrt x"),
        ("is 3x the derivative of x squared?", 1, "check x^2 3x --wrt x"),
        ("is cos x the second derivative of -cos x?", 0, "check -cos x cos x --wrt x --order 2"),
        ("is the derivative of x^2 equal to 2x?", 0, "check x^2 2x --wrt x"),
        ("is the slope of sin x at x=0 equal to 1?", 0, "check sin x 1 --wrt x --at x=0"),
        ("is the derivative of e^x e^x?", 0, "check e^x e^x --wrt x"),
        ("does d/dx x^2 equal 3x", 1, "check x^2 3x --wrt x"),
        ("is it true that the derivative of sin x is cos x", 0, "check sin x cos x --wrt x"),
        ("is it correct that d/dx x^2 = 2x?", 0, "check x^2 2x --wrt x"),
        ("is 12 the derivative of x^3 at x=2?", 0, "check x^3 12 --wrt x --at x=2"),
        ("is 2xy the partial derivative of x^2 y with respect to x?", 0, "check x^2 y 2xy --wrt x"),
        ("is x^2 an antiderivative of 2x?", 0, "check 2x x^2 --kind antiderivative"),
        ("is x^3 the integral of 2x?", 1, "check 2x x^3 --kind antiderivative"),
        ("hessian of x^2 y", 0, "diff x^2 y --wrt x,x --wrt x,y --wrt y,y"),
        ("hessian matrix of x^2 y at (1,2)", 0, "eval x^2 y --hessian --at x=1,y=2"),
        ("100th derivative of sin x", 0, "diff sin x --wrt x --order 100"),
        ("order 3 derivative of x^5", 0, "diff x^5 --wrt x --order 3"),
        ("differentiate e^x with respect to x twice", 0, "diff e^x --wrt x --order 2"),
        ("factor x^2 - 1", 0, "simplify x^2 - 1 --form factored"),
        ("multiply out (x+1)^2", 0, "simplify (x+1)^2 --form expanded"),
        ("simplify (x^2-1)/(x-1)", 0, "simplify (x^2-1)/(x-1)"),
        ("the absolute value of x", 0, "diff abs(x)"),
        ("what is the slope of the curve y = x^3 at (2, 8)?", 0, "diff x^3 --wrt x --at x=2"),
        ("Find an equation for the tangent line to the graph of f(x) = sqrt(x) at (4, 2).", 0, "tangent sqrt(x) --at x=4"),
        ("equation of tangent to x^2 + y^2 = 25 at (3,4)", 0, "tangent x^2 + y^2 = 25 --at x=3,y=4"),
        ("slope of x^2 + y^2 = 25 at (3,4)", 0, "diff x^2 + y^2 = 25 --implicit --at x=3,y=4"),
        ("dy/dx if sin(y) = x", 0, "diff sin(y) = x --implicit --wrt x"),
        ("find f_x and f_y for f(x,y) = x^2 y", 0, "diff x^2 y"),
        ("where does x^3 - 3x have a local maximum", 0, "critical x^3 - 3x"),
        ("taylr polynomial of e^x of degree 2", 0, "taylor e^x --order 2"),
        ("sin x differentiation", 0, "diff sin x --wrt x"),
    ],
)  # fmt: skip
def test_claims_and_forms_in_words_run_their_command(text, code, command, capsys):
    assert run([text]) == code
    first = capsys.readouterr().out.splitlines()[0]
    assert " ".join(map(str.strip, shlex.split(first)[1:])) == command


@pytest.mark.parametrize(
    "text", ["antiderivative of 2x", "the antiderivative of 2x", "derivative of x!"]
)
def test_another_task_is_not_taken_for_a_derivative(text, capsys):
    assert run([text]) == 2
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("tangent line to y=x^2 at (1,5)", "tangent to x^2 at x = 1"),
        ("derivative of sin(x", "derivative of sin(x)"),
        ("derivative of x^2)", "derivative of x^2"),
        ("diff('x^2', x)", "d/dx (x^2)"),
        ("derivative of 3x2 + 2x", "derivative of 3x^2 + 2x"),
        ("derivative of x^2 +", "derivative of x^2"),
    ],
)
def test_a_slip_of_the_finger_is_corrected(text, instead, capsys):
    assert run([text]) == 2
    assert f'did you mean: exprgrad "{instead}"' in capsys.readouterr().err
    assert run([instead]) == 0


@pytest.mark.parametrize(
    "text",
    ["d/dx y = x^3", "d/dx f", "derivative of f", "dy/dx", "d/dx of", "x at b",
     "f(x)=x^2; g(x)=3x; f(g)"],
)  # fmt: skip
def test_what_is_not_defined_is_not_guessed(text, capsys):
    assert run([text]) == 2
    assert "=" not in capsys.readouterr().out


@pytest.mark.parametrize("text", ["d dx x^2", "ddx x^2"])
def test_a_derivative_without_its_stroke_is_asked_about(text, capsys):
    assert run([text]) == 2
    assert 'exprgrad "d/dx (x^2)"' in capsys.readouterr().err


OUTER = {
    "u²": "U^2", "2u": "2*U", "ue^u": "U*e^U", "3ue^(2u)": "3*U*e^(2*U)", "1/u": "1/U", "sin u": "sin(U)",
    "√u + u³": "sqrt(U) + U^3", "u ln u": "U*ln(U)", "ku²": "k*U^2", "2^u": "2^U", "-u²": "-U^2",
}  # fmt: skip


@pytest.mark.parametrize("inner", ["3x + 1", "x²", "e^x", "sin x", "2x", "xe^x"])
@pytest.mark.parametrize("outer", OUTER)
def test_a_chain_has_the_derivative_of_the_function_of_a_function(inner, outer, capsys):
    whole = parse(OUTER[outer].replace("U", f"({inner})"), ["x", "k"], lenient=True)
    slope = whole.derivative("x")
    assert run([f"u = {inner}; y = {outer}; dy/dx = {slope}"]) == 0
    assert run([f"u = {inner}; y = {outer}; dy/dx = {slope} + x"]) == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("f(x)=x^2; f(e)", "x^2 = 7.389056099\n"),
        ("f(x)=x^2; f(ln 2)", "x^2 = 0.4804530139\n"),
        ("f(x)=x^2; f(3) + f(2)", "f(3) + f(2) = 13\n"),
        ("f(x)=x^2; f(x+1)", "d/dx = 2*(x + 1)\n"),
        ("f(x)=x^2; f(a)", "d/da = 2*a\n"),
        ("f(x,y)=x^2y; f(a,2)", "d/da = 4*a\n"),
        ("f(x)=ax^2; g(t)=f(t); g'(t)", "= 2*a*t\n"),
    ],
)
def test_a_call_is_the_formula_that_it_stands_for(text, shown, capsys):
    assert run([text]) == 0
    assert shown in capsys.readouterr().out


def test_a_range_of_a_variable_with_another_name_is_taken_or_has_a_hint(capsys):
    assert run(["plot", "relu(z)", "--z=-2:2"]) == 0
    assert run(["plot", "relu(z)", "--z", "-2:2"]) == 2
    assert "write --z=-2:2" in capsys.readouterr().err


def test_of_two_functions_one_has_to_be_asked_for(capsys):
    assert run(["f(x) = x^2; g(x) = x^3"]) == 2
    assert "ask for one of them: g'(x)" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["derivative of cat", "what is calculus", "derivative of x^2 and x^3", "the moon", "derivative of the moon"])  # fmt: skip
def test_a_word_is_not_taken_for_a_variable(text, capsys):
    assert run([text]) == 2


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("what is calculus", "type the formula alone"),
        ("the moon", "write it as a formula"),
        ("sqr(x)", "write x^2 for the square, sqrt(x) for the root"),
        ("ab" * 1500 + "(x)", None),
    ],
)
def test_a_word_that_means_something_else_is_not_respelt(text, hint, capsys):
    assert run([text]) == 2
    told = capsys.readouterr().err
    assert "did you mean" not in told
    assert hint is None or hint in told


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("f(x)=x^3; f(2)", "eval"),
        ("differentiate x^2 = 2x", "check"),
        ("differentiate y^2 + x = 1", "diff"),
        ("taylor polynomial of e^x of degree 2", "taylor"),
    ],
)
def test_a_text_without_a_command_goes_to_the_one_that_answers_it(text, command):
    assert start.routed([text])[0][0] == command


def test_a_gradient_in_a_direction_is_refused(capsys):
    assert run(["gradient of x^2 y in the direction (1,1)"]) == 2
    assert "did you mean: exprgrad eval" in capsys.readouterr().err


MEANT = [
    ("D/dx x^2", '"d/dx (x^2)"', "2*x"),
    ("dx^2/dx", '"d/dx (x^2)"', "2*x"),
    ("d(x^2)/d x", '"d/dx (x^2)"', "2*x"),
    ("d/dx x2", '"d/dx (x^2)"', "2*x"),
    ("derivative of x2", '"d/dx (x^2)"', "2*x"),
    ("x^2 dx", '"d/dx (x^2)"', "2*x"),
    ("x^2 dy/dx", '"d/dx (x^2)"', "2*x"),
    ("y = x^2 dy/dx", '"d/dx (x^2)"', "2*x"),
    ("dx/d x^2", '"d/dx (x^2)"', "2*x"),
    ("derivative f x^2", '"derivative of x^2"', "2*x"),
    ("(d/dx x^3)(2)", '"d/dx (x^3) at x=2"', "12"),
    ("d(t^2)", '"d/dt (t^2)"', "2*t"),
    ("x^2'", '"(x^2)\'"', "2*x"),
    ("D^2 x^3", '"d^2/dx^2 (x^3)"', "6*x"),
    ("d/dx*x^2", '"d/dx (x^2)"', "2*x"),
    ("x^2 d/dx", '"d/dx (x^2)"', "2*x"),
    ("derivative of sni(x)", '"derivative of sin(x)"', "cos(x)"),
    ("dx(x^2)", '"d/dx (x^2)"', "2*x"),
    ("csoin(x)", '"cos(x)"', "-sin(x)"),
    ("sin(x)) + 1", '"sin(x) + 1"', "cos(x)"),
    ("what is calculus", "help derivatives", "derivative"),
    ("tell me a joke about cosine", '"cos(x)"', "-sin(x)"),
    ("solve x^2 = 4", '"x^2"', "2*x"),
    ("integrate sin x", '"sin(x)"', "cos(x)"),
    ("tangent line to x^2", 'tangent "x^2" --at x=1', "y = 2*x - 1"),
    ("minimum of x^2 at x=3", 'critical "x^2"', "minimum"),
    ("critical points of x^3 of order 3", 'critical "x^3"', "x = 0"),
    ("jacobian of [x^2 y, x+y] at (1,2)", 'diff "[x^2 y, x+y]"', "[2*x*y, x^2]"),
    ("anti-derivative of sin x", '"sin(x)"', "cos(x)"),
    ("directional derivative of x^2 y at (1,2)", 'eval "((1)*d/dx', "3.535533906"),
]


@pytest.mark.parametrize(("text", "offered", "answer"), MEANT)
def test_a_text_that_is_refused_comes_with_one_that_works(
    text, offered, answer, capsys
):
    assert run([text]) == 2
    hint = capsys.readouterr().err.rpartition(": exprgrad ")[2].strip()
    assert hint.startswith(offered)
    assert run(shlex.split(hint)) == 0
    assert answer in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("curl of (y, -x)", "its parts are partial derivatives: type jacobian of (x*y, x + y)"),
        ("where is x^3 increasing", "type critical points of x^3 - 3x"),
        ("vertical tangent of sqrt(x)", "type critical points of cbrt(x)"),
        ("logarithmic derivative of x^x", "did you mean: d/dx (x^x)"),
        ("solve x^2 = 4", "equations are not solved here; what is found is derivatives"),
    ],
)  # fmt: skip
def test_what_is_not_answered_has_a_hint_at_what_is(text, hint):
    with pytest.raises(ExprgradError) as caught:
        Session().run(text)
    assert str(caught.value.hint) == hint


@pytest.mark.parametrize("text", ["int_0^x sin(t^2)", "solve f(x) = 4"])
def test_no_text_is_offered_that_is_refused_as_well(text, capsys):
    assert run([text]) == 2
    assert "exprgrad " not in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    ["x^2", "d/dx x^2", "2 dx", "x*dx", "a d", "x*d/x", "f x", "y y'", "diff x^2"],
)
def test_what_has_one_reading_is_not_asked_about(text):
    assert misleading(text) is None


SAME = [
    ("f(x)=x^2, g(x)=3x, h = f∘g", "18*x"),
    ("x = 2t, y = t^2; find dy/dx", "t"),
    ("x = t^2, y = t^3; dy/dx at t=1", "1.5"),
    ("f(x)=x^2; h(x) = f'(x) + x; h'(x)", "3"),
    ("derivative of x^3 is 3x^2, right?", "correct"),
    ("y = x^2 where x = 3; dy/dx = 6", "correct"),
    ("y = u^2; u = 3x + 1; x = 2; dy/dx = 42", "correct"),
    ("is d/dx x^3 = 3x^2 correct?", "correct"),
    ("f(x) = x^2. What is f'(x)?", "2*x"),
    ("y = sin(u), u = x^2; dy/dx", "2*x*cos(x^2)"),
    ("∂/∂y (x² y³)", "3*x^2*y^2"),
    ("f[x_] := x^2", "2*x"),
    ("=IF(x>0;x^2;0)", "if(x > 0, 2*x, 0)"),
    ("(lambda x: x**2)", "2*x"),
    ("dervative of lnx", "1/x"),
    ("use logarithmic differentiation for x^x", "x^x*(ln(x) + 1)"),
    ("logarithmic differentiation of x^x", "x^x*(ln(x) + 1)"),
    ("approximate sqrt(x) linearly at 9", "x/6 + 3/2"),
    ("maximize -x^2 + 6x", "3"),
    ("find all x where the tangent line to x^3-3x is horizontal", "-1"),
    ("V = x^3, dx/dt = 2, find dV/dt at x = 3", "54"),
]


@pytest.mark.parametrize(("text", "answer"), SAME)
def test_a_question_is_answered_in_a_session_as_on_the_command_line(
    text, answer, capsys
):
    assert run([text, "--format", "json"]) == 0
    printed = capsys.readouterr().out
    asked = json.dumps(ask(text).as_dict(), ensure_ascii=False)
    for found in (printed, asked):
        assert answer in found or str(parse(answer)) in found, found


@pytest.mark.parametrize(
    "text",
    [
        "what is calculus",
        "derivative of happiness",
        "derivative",
        "dx^2/dx",
        "slope at 3",
    ],
)
def test_a_word_is_no_variable_in_a_session_either(text):
    with pytest.raises(ExprgradError):
        Session().run(text)
    assert run([text]) == 2


def test_a_name_of_three_letters_that_ends_with_a_variable_may_be_a_logarithm(capsys):
    assert run(["diff", "lnx", "--wrt", "x"]) == 0
    assert "= 1/x" in capsys.readouterr().out


def test_a_session_offers_what_may_have_been_meant_as_the_next_line():
    session = Session()
    for text, offered in [("d(x^2)", "d/dx (x^2)"), ("2*sni(2)", "2*sin(2)")]:
        with pytest.raises(ExprgradError):
            session.run(text)
        assert session.offered == offered
    session.run("sin(2)")
    assert session.offered is None


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["x^2", "--at", "x=1"], "y = 3/2 - x/2"),
        (["x^2", "--at", "x=0"], "x = 0"),
        (["x^2+y^2=25", "--at", "x=3,y=4"], "y = 4*x/3"),
        (["x = y^2", "--at", "x=0,y=0"], "y = 0"),
        (["y^2", "--at", "y=1"], "\nz = 3/2 - y/2"),
        (["(t^2, t^3)", "--at", "t=1"], "y = 5/3 - 2*x/3"),
    ],
)
def test_a_normal_is_at_right_angles_to_the_tangent(arguments, line, capsys):
    assert run(["tangent", *arguments, "--normal"]) == 0
    assert capsys.readouterr().out.endswith(f"{line}\n")


def test_a_surface_has_no_normal_line(capsys):
    assert run(["tangent", "x*y", "--at", "x=1,y=2", "--normal"]) == 2
    assert "only a curve has a normal line" in capsys.readouterr().err


def test_a_point_with_too_few_numbers_is_refused(capsys):
    assert run(["eval", "x*y", "--at", "3"]) == 2
    assert "expected a name" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["dy/dx = 2x", "d/dy = 3", "d^2y/dx^2 = 3", "∂f/∂x = 2x"]
)
def test_an_equation_for_a_derivative_is_no_task(text):
    assert command(text) is None


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("log2(x) plus 1", "log2(x) + 1"),
        ("square of log10(x)", "log10(x)^2"),
        ("sine of 2(x+1)", "sin(2*(x + 1))"),
        ("atan2(x)", None),
    ],
)
def test_the_number_in_a_name_is_no_factor_of_its_argument(text, written):
    assert in_signs(text) == written


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("f(x) = x^3; differentiate with respect to x", "3*x^2"),
        ("steps for derivative of x^3", "3*x^2"),
        ("simplify (x^2 - 1)/(x - 1)", "x + 1"),
    ],
)
def test_a_line_of_a_session_is_one_question_where_its_parts_are_none(
    line, shown, capsys
):
    Screen(Session()).play(line)
    assert shown in capsys.readouterr().out
