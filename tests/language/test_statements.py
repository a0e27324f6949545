"""Claims in one text as people type them: the same verdict on the command line, in a session and in Python."""

from __future__ import annotations

import json

import pytest

import exprgrad
from exprgrad.cli.start import run
from exprgrad.errors import ExprgradError
from exprgrad.grading.grade import grade_sheet
from exprgrad.grading.sheet import read_sheet
from exprgrad.language.words.conditionals import in_our_notation
from exprgrad.language.words.formulas import in_signs

STATUS = {0: "correct", 1: "incorrect", 2: "unreadable", 3: "undecided"}

CLAIMS = [
    # values with their conditions
    ("d/dx |x| = 1 for x>0, -1 for x<0", "correct"),
    ("d/dx |x| = 1 for x>0, 1 for x<0", "incorrect"),
    ("d/dx |x| = {1, x>0; -1, x<0}", "correct"),
    ("the derivative of |x| is 1 for x>0 and -1 for x<0", "correct"),
    ("The derivative: d/dx |x| = 1 for x>0, -1 for x<0", "correct"),
    ("The derivative: (x^2)' = 2x", "correct"),
    ("The derivative: d/dx x^2 = 2", "incorrect"),
    ("f(x) = |x|; f'(x) = 1 if x>0, -1 if x<0", "correct"),
    ("f(x) = x^2 for x>0, x^3 for x<=0; f'(x) = 2x for x>0, 3x^2 for x<=0", "correct"),
    ("f(x) = x^2 for x>0, x^3 for x<=0; f'(x) = 2x for x>0, 2x for x<=0", "incorrect"),
    # the point of a partial derivative, and of a formula in brackets
    ("f(x,y)=x^2*y^3; f_xy(1,2) = 24", "correct"),
    ("f(x,y)=x^2*y^3; f_{xy}(1,2) = 12", "incorrect"),
    ("f(x,y)=x^2*y^3; ∂²f/∂x∂y (1,2) = 24", "correct"),
    ("(d/dx x^2)|_(x=3) = 6", "correct"),
    ("(d/dx x^2)|_(x=3) = 9", "incorrect"),
    # powers of functions, and derivatives in brackets
    ("f(x)=x^3; d/dx f^2(x) = 6x^5", "correct"),
    ("f(x)=x^3; d/dx f²(x) = 7x^6", "incorrect"),
    ("f(x)=x^2+1; g(x)=f^{2}(x); g'(1) = 8", "correct"),
    ("f(x)=x^2+1; d/dx[f^3(x)] = 6x(x^2+1)^2", "correct"),
    ("y = x^4; y^(2) = 12x^2", "correct"),
    ("y^(2) = 4x; dy/dx = 2/y", "correct"),
    ("f(x) = x^4; f^(2)(1) = 12", "correct"),
    # of Maple
    ("f := x -> x^2; D(f)(x) = 2*x", "correct"),
    ("f(x) = x^2; D(f)(3) = 9", "incorrect"),
    ("D(x^2)(3) = 6", "correct"),
    ("D(t) = 3t; D'(t) = 3", "correct"),
    ("D(t) = 3t^2; D(2) = 12", "correct"),
    ("D(t) = 3t^2; D(2) = 6", "incorrect"),
    ("D(x^3) = 3x^2", "correct"),
    ("D(sin)(x) = cos(x)", "correct"),
    # several claims about one function
    ("f(x)=x^3; f'(x)=3x^2; f''(x)=6x", "correct"),
    ("f(x)=x^3; f'(x)=3x^2; f''(x)=7x", "incorrect"),
    ("R(q) = q(100-q); R'(q) = 100-2q; R'(10) = 80", "correct"),
    # equations about what is defined
    ("f(x)=x^2; f(x+1) = x^2+2x+1", "correct"),
    ("f(x)=x^3; f^2(x) = x^6", "correct"),
    ("f(x)=x^3; f(2) = 9", "incorrect"),
    ("y=e^(2x); y'' - 4y = 0", "correct"),
    ("y=e^(2x); y'' - 2y = 0", "incorrect"),
    ("y=e^(2x); y' = 2y; y'' - 3y = 0", "incorrect"),
    ("f(x)=x^3; g(x)=x^2; f'(x)g(x) + f(x)g'(x) = 5x^4", "correct"),
    ("Q = 100 - 2P; dQ/dP * P/Q = -2P/(100-2P)", "correct"),
    ("u = e^x sin y; u_xx + u_yy = 0", "correct"),
    ("u = e^x sin y; u_xx - u_yy = 0", "incorrect"),
    ("U = x^a y^b; (∂U/∂x)/(∂U/∂y) = ay/(bx)", "correct"),
    ("U = x^a y^b; ay/(bx) = U_y/U_x", "incorrect"),
    ("taylor series of sin x at 0 to order 3 is x - x^3/6", "correct"),
    ("y = x^2; y(3) = 9", "correct"),
    ("∂²/∂x² (x²+y²) + ∂²/∂y² (x²+y²) = 4", "correct"),
    ("f = x²y; ∂f/∂x|_{x=1,y=2} = 4", "correct"),
    ("f(x,y) = x²y; ∂f/∂x|_{(1,2)} = 5", "incorrect"),
    # blanks, compositions, constants of curves, and surfaces
    ("y=x²; d y / d x = 2x", "correct"),
    ("y=x²; d y / d x = 3x", "incorrect"),
    ("f(x)=x^2; g(x)=3x; (f∘g)'(x) = 18x", "correct"),
    ("f(x)=x^2; g(x)=3x; (f∘g)'(1) = 6", "incorrect"),
    ("x = a cos t, y = b sin t; dy/dx = -(b/a) cot t", "correct"),
    ("x = a cos t, y = b sin t; dy/dx = (b/a) cot t", "incorrect"),
    ("x^2+y^2+z^2=1; ∂z/∂x = -x/z", "correct"),
    ("x^2+y^2+z^2=1; ∂z/∂x = x/z", "incorrect"),
    # lists of points
    ("critical points of x^3-3x are x=1 and x=-1", "correct"),
    ("critical points of x^3-3x are x=1, x=-1", "correct"),
    ("critical points of x^3-3x are x=1 and x=2", "incorrect"),
    # slopes at other places than the parameter
    ("f(x)=x^3; f'(x^2) = 3x^4", "correct"),
    ("f(x)=x^3; f'(2x) = 24x^2", "incorrect"),
    ("f(x)=x^3; f'(a) = 3a^2", "correct"),
    ("f(x)=x^3; f'(e) = 3e^2", "correct"),
    # numbers of problems, labels, and what is said before a claim
    ("Q1: d/dx x^4 = 4x^3", "correct"),
    ("Problem 2. d/dx x^4 = 4x^2", "incorrect"),
    ("Exercise 4) y = x^4, y' = 4x^3", "correct"),
    ("1a) d/dx x^4 = 4x^3", "correct"),
    ("* d/dx x^4 = 4x^3", "correct"),
    ("Answer: d/dx x^4 = 4x", "incorrect"),
    (r"(a)\quad \frac{d}{dx} x^4 = 4x^3", "correct"),
    ("(b) $f(x)=x^4$, $f'(x)=4x^2$", "incorrect"),
    ("True or false: d/dx x^4 = 4x^3", "correct"),
    ("By the power rule, d/dx x^4 = 4x^3", "correct"),
    ("I think the derivative of x^4 is 4x", "incorrect"),
    ("I got 4x^3 for the derivative of x^4", "correct"),
    # and what is said behind it
    ("d/dt sin 2t = 2 cos 2t by the chain rule", "correct"),
    ("d/dt sin 2t = cos 2t (2 points)", "incorrect"),
    ("d/dt sin 2t = 2 cos 2t QED", "correct"),
    ("d/dt sin 2t = 2 cos 2t ✓", "correct"),
    ("d/dt (t + 1)^2 = 2(t + 1)...", "correct"),
    (r"\frac{d}{dx} x^4 = 4x^3 \quad\checkmark", "correct"),
    (r"\frac{d}{dx} x^4 = 4x \quad\text{(power rule)}", "incorrect"),
    ("d/dx |x| = 1 (x > 0)", "correct"),
    ("d/dx |x| = -1 (x > 0)", "incorrect"),
    # other words and signs between what is asked and what is claimed
    ("the derivative of x^4 must be 4x^3", "correct"),
    ("Differentiate x^4 => 4x^3", "correct"),
    ("D[x^4, x] -> 4x", "incorrect"),
    ("y = x^4 ∴ y' = 4x^3", "correct"),
    ("y = x^4 --> y' = 4x", "incorrect"),
    ("f(x) := x^4; f'(x) := 4x^3", "correct"),
    ("the derivative of y = x^4 is y' = 4x^3", "correct"),
    ("the derivative of f(x) = x^4 at x = 1 is f'(1) = 4", "correct"),
    ("the derivative with respect to x of x^2 y is 2xy", "correct"),
    ("the slope of the curve y = x^4 at x = 1 is 4", "correct"),
    # a question, and then its answer
    ("Differentiate x^4. Answer: 4x^3", "correct"),
    ("Let y = x^4. Find dy/dx. dy/dx = 4x", "incorrect"),
    ("y = x^4; its derivative is 4x^3", "correct"),
    # places before what is asked there
    ("y = x^4. When x = 1, dy/dx = 4.", "correct"),
    ("y = x^4; at x = 1, y' = 5", "incorrect"),
    ("At x = 1, the slope of x^4 is 4", "correct"),
    ("derivative of x^4 evaluated at x = 1 is 4", "correct"),
    ("d/dx(x^4)|x=1 = 4", "correct"),
    # operators
    ("d/dx of x^4 = 4x^3", "correct"),
    ("dx^4/dx = 4x^3", "correct"),
    ("d x^4 / dx = 4x", "incorrect"),
    ("f(x) = x^4, df(x)/dx = 4x^3", "correct"),
    (r"f(x) = x^4,\ \frac{df(x)}{dx} = 4x", "incorrect"),
    ("D_x^2 x^4 = 12x^2", "correct"),
    (r"D_{x}\left(x^{4}\right) = 4x^3", "correct"),
    (r"\mathrm{D}_x x^4 = 4x", "incorrect"),
    # questions in words
    ("Is 4x^3 the derivative of x^4?", "correct"),
    ("Does the derivative of x^4 equal 4x?", "incorrect"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "status"), CLAIMS)
def test_a_claim_in_one_text_has_its_verdict_on_the_command_line(capsys, text, status):
    code = run(["check", text, "--quiet"])
    assert (STATUS[code], capsys.readouterr().err) == (status, "")


PAIRS = [
    ("|x|", "1 if x>0, -1 if x<0", None, "correct"),
    ("|x|", "{1 if x>0, -1 if x<=0}", None, "correct"),
    ("|x|", "1, x>0; 1, x<0", None, "partly"),
    ("x^2 if x>0 else x^3", "2x if x>0 else 3x^2", None, "correct"),
    ("min(max(x,0),1)", "1 for 0<x<1, 0 otherwise", None, "correct"),
    ("max(0,1-xy)", "-y if xy<1 else 0", "x", "correct"),
    ("4/3 pi r^3", "4 pi r^2 dr/dt", "t", "correct"),
    ("4/3 pi r^3", "4 pi r dr/dt", "t", "incorrect"),
    ("4/3 pi r^3", "4 pi r^2 r'", "t", "correct"),
    ("r^2", "3r r'", "t", "incorrect"),
    ("x^2", "y' = 2x", "x", "correct"),
    ("x^2 + y^2", "2x dx/dt + 2y dy/dt", "t", "correct"),
    (r"\pi r^2", r"2\pi r\frac{dr}{dt}", "t", "correct"),
    ("sinh^{-1} x", "1/sqrt(1+x^2)", "x", "correct"),
    ("log10(x^{2})", "2/(x ln 10)", "x", "correct"),
    ("sh^2 x", "2 sh(x) ch(x)", "x", "correct"),
    (r"\sh x", r"\ch x", "x", "correct"),
    # the derivative that the first text asks for, and not that of it
    ("d/dx x^4", "4x^3", None, "correct"),
    ("d/dx x^4", "12x^2", None, "incorrect"),
    ("D[x^4, x]", "4x^3", None, "correct"),
    ("(x^4)''", "12x^2", None, "correct"),
    ("∂/∂y (x²y)", "x²", None, "correct"),
    ("y = x^4; y'", "4x", None, "incorrect"),
]  # fmt: skip


def test_a_variable_that_is_none_is_refused_beside_a_rate():
    with pytest.raises(ExprgradError):
        exprgrad.check("r^2", "2r dr/dt(", "t(")


@pytest.mark.parametrize(("f", "claim", "wrt", "status"), PAIRS)
def test_a_pair_has_one_verdict_in_python_and_on_the_command_line(f, claim, wrt, status):  # fmt: skip
    assert exprgrad.check(f, claim, wrt).status == status
    more = [] if wrt is None else ["--wrt", wrt]
    code = run(["check", f, claim, *more, "--quiet"])
    assert STATUS[code] == {"partly": "incorrect"}.get(status, status)


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("1 for x>0, -1 for x<0", "if(x>0, 1, if(x<0, -1, 1/0))"),
        ("{1, x>0; -1, x<=0}", "if(x>0, 1, -1)"),
        ("1, if x>0, -1, if x<=0", "if(x>0, 1, -1)"),
        ("x for 0 < x < 1, 0 otherwise", "if(0 < x and x < 1, x, 0)"),
        ("1/x for a > 0, x > 0", None),
        ("2x, x>0", None),
    ],
)
def test_values_with_conditions_leave_out_what_none_of_these_covers(said, written):
    assert in_our_notation(said, is_partial=True) == written


SESSIONS = [
    ("f(x) = x^3", "d/dx f^2(x) = 6x^5", "correct"),
    ("f(x) = x^4", "f^(2)(x) = 12x^2", "correct"),
    ("f(x) = |x|", "f'(x) = 1 for x>0, -1 for x<0", "correct"),
    ("f(x, y) = x^2*y^3", "f_xy(1, 2) = 24", "correct"),
    ("f(x) = x^3 + x", "(f^-1)'(2) = 1/4", "correct"),
    ("f(x) = x^3", "f'(x^2) = 3x^4", "equal"),
    ("y = x^2", "y(3) = 9", "equal"),
    ("x = 2", "x^2 = 4", "equal"),
    ("x = 2", "x^2 = 5", "different"),
    ("a = 3", "x + a = x + 3", "equal"),
    ("x = pi/4", "sin(x) = cos(x)", "equal"),
    ("y = 5", "y' = 0", "correct"),
    ("x = 5", "x' = 1", "incorrect"),
    ("u(x, y) = e^x sin y", "u_xx + u_yy = 0", "equal"),
    ("z = x y", "z_x = y", "correct"),
    ("z = x y", "z_x = x", "incorrect"),
    ("t = 1", "the slope of x^3 at (2, 8) is 12", "correct"),
    ("t = 1", r"\frac{d}{dx} x\,x^2 = 3x^2", "correct"),
]


@pytest.mark.parametrize(("definition", "claim", "status"), SESSIONS)
def test_a_session_gives_a_claim_the_same_verdict(definition, claim, status):
    session = exprgrad.Session()
    session.run(definition)
    [result] = session.run(claim)
    assert result.as_dict()["status"] == status


@pytest.mark.parametrize(
    "text", ["f^-1", "g = f^-1", "1 + f⁻¹", "(f^-1)'(2)", "d/dx f^-1"]
)
def test_a_session_does_not_take_an_inverse_function_for_a_reciprocal(text):
    session = exprgrad.Session()
    session.run("f(x) = x^3 + x")
    with pytest.raises(exprgrad.ExprgradError, match="the inverse"):
        session.run(text)


def test_a_number_in_brackets_behind_a_function_is_an_order_in_a_session():
    session = exprgrad.Session()
    session.run("f(x) = x^4")
    [result] = session.run("f^(2)(x)")
    assert str(result.derivatives.formulas[0].derivative) == "12*x^2"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("Δ(x^2+y^2) = 4", "Δ is not defined", "write it out: ∂²/∂x² (...) + ∂²/∂y² (...)"),
        ("∇²(x²+y²) = 4", "'∇' is not part of the language", "write it out: ∂²/∂x² (...) + ∂²/∂y² (...)"),
        ("∫_0^1 x^2 dx = 1/3", "'∫' is not part of the language", "integrals are not computed"),
        ("y = x^3; dy/dx * dx/dy = 1", "differential equations are not read", "a derivative stands alone"),
        ("lim x→∞ (1+1/x)^x = e", "'→' is not part of the language", "limits are not computed"),
        ("lim_{x->a} (x^2-a^2)/(x-a) = 2a", "there is no function lim_", "limits are not computed"),
        ("d^n/dx^n e^(2x) = 2^n e^(2x)", "derivatives of order n are not computed", "give the order as a number: d^2/dx^2 (...)"),
        ("f(x)=e^(2x); f^(n)(x) = 2^n e^(2x)", "derivatives of order n are not computed", "give the order as a number: f^(2)(x)"),
        ("f(x)=e^(2x); f^{(n)}(x) = 2^n e^(2x)", "f is not defined as a function here", "give the function: f(x) = ..."),
        ("d/dx ln f(x) = f'(x)/f(x)", "ln needs an argument", "put the argument in brackets: ln(f(...))"),
        (r"\int_0^1 x^2 dx = 1/3", "integrals are not computed", "give the integrand, or claim an antiderivative"),
    ],
)  # fmt: skip
def test_what_is_not_computed_is_told_by_its_name(capsys, text, message, hint):
    assert run(["check", text]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"error: {message}\n")
    assert f"hint: {hint}" in told


@pytest.mark.parametrize(
    ("text", "shown"),
    [("jacobian of (x^2 y, x+y)", "[2*x*y, x^2]"), ("root(3)(27)", "= 3\n"), ("root3(8)", "= 2\n"), ("-x^2 squared", 'exprgrad "-(x^2)^2"')],
)  # fmt: skip
def test_lists_roots_of_asciimath_and_words_behind_a_sign_are_written_out_whole(capsys, text, shown):  # fmt: skip
    run([text])
    printed = capsys.readouterr()
    assert shown in printed.out + printed.err


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x = t^2; y = t^3; v = dy/dx; v", "3*t^2/(2*t)"),
        ("x = 3; y = x^2; v = dy/dx; v", "v = 6"),
        ("y = a x^2; y'(t) + 1", "= 2*a*t + 1"),
        ("y = u^3; u = x^2 + 1; dy/du * du/dx", "= 3*(x^2 + 1)^2*(2*x)"),
    ],
)
def test_a_slope_that_is_not_written_out_is_no_quotient_of_names(text, shown, capsys):
    assert run([text]) == 0
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize(
    ("definition", "text", "value"),
    [
        ("y = x^2", "y(3)", 9),
        ("u = x^3 y", "u_xx at x=1, y=2", 12),
        ("y = x^3", "y'(2)", 12),
        ("y = x^3", "1 + y'(2)^2", 145),
        ("y = x^3", "(y(3) - y(1))/2", 13),
        ("y = x^3", "dy/dx(2)", 12),
        ("u = 3x + 1; y = u^2", "y'(2) - y''(2)", 24),
        ("a = 4; y = a x^2", "y'(2)", 16),
        ("a = 4; y = a x", "y'(2)", 4),
        ("u = 3", "u(2)", 6),
        ("f = x^2", "(f(x+h) - f(x))/h at x=1, h=2", 4),
        ("f = x^2", "f'(x+1) at x=1", 4),
        ("m = 3; c = 2; y = m x + c", "y(4) + y'(4)", 17),
        ("y = 3x; m = dy/dx", "m at x=1", 3),
        ("s = t^2; v = ds/dt; a = dv/dt", "a(1) + v'(5)", 4),
        ("f(x) = 3x; m = f'(x); n = m + 1", "n at x=1", 4),
    ],
)
def test_a_session_takes_what_is_asked_of_a_formula_for_no_name_of_its_own(definition, text, value):  # fmt: skip
    session = exprgrad.Session()
    session.run(definition)
    [result] = session.run(text)
    assert result.evaluation.value == value


def test_a_prime_is_about_the_variable_beside_constants_and_not_about_their_product():
    session = exprgrad.Session()
    [slope] = session.run("m = 3; c = 2; y = mx + c; y'(4)")
    assert slope.evaluation.value == 3
    [slope] = session.run("k = 2; u = A e^(kt); u'")[-1:]
    assert str(slope.derivatives.expression) == "A*k*exp(k*t)"
    session.run("v = x + t")
    with pytest.raises(exprgrad.ExprgradError, match="a prime does not say which"):
        session.run("v'")


def test_verdicts_of_a_session_are_written_in_every_format(capsys):
    assert run(["check", "y=e^(2x); y'' - 4y = 0", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "equal"
    assert run(["check", "y=e^(2x); y'' - 3y = 0", "--quiet"]) == 1
    assert capsys.readouterr() == ("", "")
    assert run(["check", "f(x)=x^3; f'(x)=3x^2; f''(x)=6x", "--format", "json"]) == 0
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert [check["status"] for check in checks] == ["correct", "correct"]


def test_words_leave_the_call_of_a_function_alone():
    assert in_signs("ln f(x)") is None
    assert in_signs("sine of g(2)") is None


def test_a_line_of_a_sheet_keeps_values_with_their_conditions_together():
    [(_, verdict)] = grade_sheet(read_sheet("d/dx |x| = 1 for x>0, -1 for x<0"))
    assert verdict.status == "correct"
