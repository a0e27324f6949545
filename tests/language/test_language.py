"""The language: what people type, how it is read, and what they are told about the reading.

A row holds the typed text, the declared variables, the fully bracketed reading, and a part of the note
that comes with it (None: no note).
"""

from __future__ import annotations

import ast
import gc
import unicodedata
from pathlib import Path

import mpmath
import pytest

import exprgrad
from exprgrad import BindingError, ExpressionSyntaxError, ExprgradError, parse
from exprgrad.language import characters, grammar, lalr
from exprgrad.language.builder import Builder
from exprgrad.language.parser import read, read_bindings

NONE = None

SIGNS_AND_POWERS = [
    ("-x^2", "", "-(x^2)", NONE),
    ("(-x)^2", "", "(-x)^2", NONE),
    ("2^3^2", "", "2^(3^2)", NONE),
    ("2^-1", "", "2^(-1)", NONE),
    ("x^-2", "", "x^(-2)", NONE),
    ("x^-y^2", "", "x^(-(y^2))", NONE),
    ("-x^-y", "", "-(x^(-y))", NONE),
    ("x**2", "", "x^2", NONE),
    ("2**3**2", "", "2^(3^2)", NONE),
    ("a - -b", "", "a - (-b)", NONE),
    ("a--b", "", "a - (-b)", NONE),
    ("a*-b", "", "a*(-b)", NONE),
    ("a/-b", "", "a/(-b)", NONE),
    ("+x", "", "x", NONE),
    ("x + +1", "", "x + 1", NONE),
    ("a-b-c", "", "(a - b) - c", NONE),
    ("a/b/c", "", "(a/b)/c", NONE),
    ("a/b*c", "", "(a/b)*c", NONE),
    ("a+b*c^d", "", "a + (b*(c^d))", NONE),
    ("e^-x^2", "", "exp(-(x^2))", NONE),
    ("e^x/2", "", "exp(x)/2", NONE),
]

PRODUCTS = [
    ("2x", "", "2*x", NONE),
    ("2.5x", "", "2.5*x", NONE),
    ("2(x+1)", "", "2*(x + 1)", NONE),
    ("(a)(b)", "", "a*b", NONE),
    ("x(x+1)", "", "x*(x + 1)", NONE),
    ("x (y+2)", "", "x*(y + 2)", NONE),
    ("k(x+1)", "", "k*(x + 1)", NONE),
    ("pi(x+1)", "", "pi*(x + 1)", NONE),
    ("e(x+1)", "", "e*(x + 1)", NONE),
    ("x y", "", "x*y", NONE),
    ("x 2", "", "x*2", NONE),
    ("(x)2", "", "x*2", NONE),
    ("2 x 3", "", "(2*x)*3", NONE),
    ("2 -x", "", "2 - x", NONE),
    ("(x+1)^2(x-1)", "", "((x + 1)^2)*(x - 1)", NONE),
    ("x(y)^2", "", "x*(y^2)", NONE),
    ("2(3)^2", "", "2*(3^2)", NONE),
    ("2x^2", "", "2*(x^2)", NONE),
    ("pi r^2", "", "pi*(r^2)", NONE),
    ("x^2 y", "", "(x^2)*y", NONE),
    ("e^x y", "", "exp(x)*y", NONE),
    ("1/2x", "", "(1/2)*x", "1/2x is read as (1/2)*x"),
    ("1/2 x", "", "(1/2)*x", "1/2 x is read as (1/2)*x"),
    ("1/2(x)", "", "(1/2)*x", "(1/2)*"),
    ("x/2|y|", "", "(x/2)*abs(y)", "(x/2)*|y|"),
    ("1/2 sin x", "", "(1/2)*sin(x)", "(1/2)*sin x"),
    ("a*b/c d", "", "((a*b)/c)*d", "(a*b/c)*d"),
    ("-9/4 x", "", "((-9)/4)*x", "(-9/4)*x"),
    ("9/4 x", "", "(9/4)*x", "(9/4)*x"),
    ("6/2(1+2)", "", "(6/2)*(1 + 2)", "(6/2)*(1+2)"),
    ("2^2x", "", "(2^2)*x", "(2^2)*x"),
    ("e^2x", "", "exp(2)*x", "(e^2)*x"),
    ("3x^2y", "", "(3*(x^2))*y", "(x^2)*y"),
    ("e^(2x)", "", "exp(2*x)", NONE),
    ("2^x2", "", "2^x2", NONE),
]

NAMES = [
    ("x1", "", "x1", NONE),
    ("x_1", "", "x_1", NONE),
    ("k_spring", "", "k_spring", NONE),
    ("rate*time", "", "rate*time", NONE),
    ("θ", "", "θ", NONE),
    ("Δx", "", "Δx", NONE),
    ("x₁ + x₂", "", "x1 + x2", NONE),
    ("i + E + I", "", "(i + E) + I", NONE),
    ("beta*gamma", "", "beta*gamma", NONE),
    ("gamma x", "", "gamma*x", NONE),
    ("gamma(x)", "", "gamma(x)", NONE),
    ("e", "", "e", NONE),
    ("pi", "", "pi", NONE),
    ("π", "", "pi", NONE),
    ("tau", "", "tau", NONE),
    ("tau", "t a u", "tau", NONE),
    ("e", "e", "e", "e is a constant; rename the variable"),
    ("e*x + pi", "x pi", "(e*x) + pi", "pi is a constant; rename the variable"),
]

SPLITS = [
    ("xy", "", "xy", NONE),
    ("xy", "x y", "x*y", "xy is read as x*y"),
    ("xyz", "x y z", "(x*y)*z", "xyz is read as x*y*z"),
    ("2xy", "x y", "(2*x)*y", "xy is read as x*y"),
    ("xy^2", "x y", "x*(y^2)", "xy is read as x*y"),
    ("xe^y", "", "xe^y", NONE),
    ("xe^y", "x y", "x*exp(y)", "xe is read as x*e"),
    ("Aw^2 sin(wt)", "", "(Aw^2)*sin(wt)", NONE),
    ("Aw^2 sin(wt)", "A w t", "(A*(w^2))*sin(w*t)", "Aw is read as A*w (and 1 more"),
    ("xln(x)", "x", "x*ln(x)", "xln is read as x*ln"),
    ("xln|x|", "x", "x*ln(abs(x))", "x*ln"),
    ("xsqrt(x)", "x", "x*sqrt(x)", "x*sqrt"),
    ("sinx", "", "sinx", NONE),
    ("sinx", "x", "sin(x)", "sinx is read as sin(x)"),
    ("sin2x", "x", "sin(2*x)", "sin2x is read as sin(2*x)"),
    ("sinx^2", "x", "sin(x^2)", "sin(x)"),
    ("xsiny", "x y", "x*sin(y)", "x*sin(y)"),
    ("sinxy", "x y", "sin(x*y)", "sin(x*y)"),
    ("pix", "x", "pi*x", "pix is read as pi*x"),
    ("2πr", "", "(2*pi)*r", NONE),
    ("θt", "θ t", "θ*t", "θ*t"),
    ("a_1b", "a_1 b", "a_1*b", "a_1*b"),
    ("k1k2", "k1 k2", "k1*k2", "k1*k2"),
    ("ab(x)", "a b x", "(a*b)*x", "ab is read as a*b"),
    ("foo(x)", "foo", "foo*x", NONE),
    # declared itself, or in two ways, or not altogether
    ("xy", "x y xy", "xy", NONE),
    ("abc", "a ab b bc c", "abc", NONE),
    ("xyz", "x y", "xyz", NONE),
    ("sinxcosx", "x", "sinxcosx", NONE),
    ("x2", "x", "x2", NONE),
]

FUNCTIONS = [
    ("sin(x)", "", "sin(x)", NONE),
    ("sin x", "", "sin(x)", NONE),
    ("sin 2x", "", "sin(2*x)", NONE),
    ("sin 2 x y", "", "sin((2*x)*y)", NONE),
    ("sin x cos x", "", "sin(x)*cos(x)", NONE),
    ("cos x sin y", "", "cos(x)*sin(y)", NONE),
    ("2 sin x y cos z", "", "(2*sin(x*y))*cos(z)", NONE),
    ("sin x + 1", "", "sin(x) + 1", NONE),
    ("sin x - 1", "", "sin(x) - 1", NONE),
    ("sin x * y", "", "sin(x)*y", NONE),
    ("sin x/2", "", "sin(x)/2", "sin x/2 is read as (sin x)/2"),
    ("(1 - sin x)/2", "", "(1 - sin(x))/2", NONE),
    ("cos x sin y/2", "", "(cos(x)*sin(y))/2", "(cos x sin y)/2"),
    ("sin x^2", "", "sin(x^2)", NONE),
    ("ln x^2", "", "ln(x^2)", NONE),
    ("sin(x)y", "", "sin(x)*y", NONE),
    ("sin (x) y", "", "sin(x)*y", NONE),
    ("sin(x)^2", "", "sin(x)^2", NONE),
    ("sin^2(x)", "", "sin(x)^2", NONE),
    ("sin^2 x", "", "sin(x)^2", NONE),
    ("sin^2x", "", "sin(x)^2", NONE),
    ("sin²x", "", "sin(x)^2", NONE),
    ("sin^{2}(x)", "", "sin(x)^2", NONE),
    ("sin^2 x cos^2 x", "", "(sin(x)^2)*(cos(x)^2)", NONE),
    ("sin^2 2x", "", "sin(2*x)^2", NONE),
    ("sin^n x", "", "sin(x)^n", NONE),
    ("sin^-2(x)", "", "sin(x)^(-2)", NONE),
    ("sin^-1(x)", "", "asin(x)", "inverse function asin"),
    ("sin^-1 x", "", "asin(x)", "inverse function asin"),
    ("sin⁻¹x", "", "asin(x)", "inverse function asin"),
    ("sin(x)^-1", "", "sin(x)^(-1)", NONE),
    ("tan^-1(y/x)", "", "atan(y/x)", "inverse function atan"),
    ("sinh^-1 x", "", "asinh(x)", "inverse function asinh"),
    ("arcsin x", "", "asin(x)", NONE),
    ("log x", "", "ln(x)", NONE),
    ("log(x)", "", "ln(x)", NONE),
    ("log10 x", "", "log10(x)", NONE),
    ("log2(8)", "", "log2(8)", NONE),
    ("log_2(8)", "", "log(8, 2)", NONE),
    ("log_2 x", "", "log(x, 2)", NONE),
    ("log_b(x)", "", "log(x, b)", NONE),
    ("log(8, 2)", "", "log(8, 2)", NONE),
    ("cbrt x", "", "cbrt(x)", NONE),
    ("abs x", "", "abs(x)", NONE),
    ("max(a, b, c)", "", "max(max(a, b), c)", NONE),
    ("min(a, b)", "", "min(a, b)", NONE),
]

BRACKETS_AND_BARS = [
    ("[x+1]", "", "x + 1", NONE),
    ("{x+1}", "", "x + 1", NONE),
    ("2[(x+1)(x-1)]", "", "2*((x + 1)*(x - 1))", NONE),
    ("|x|", "", "abs(x)", NONE),
    ("2|x-1|", "", "2*abs(x - 1)", NONE),
    ("|x||y|", "", "abs(x)*abs(y)", NONE),
    ("|x||y||z|", "", "(abs(x)*abs(y))*abs(z)", NONE),
    ("|x|y", "", "abs(x)*y", NONE),
    ("|x|^2", "", "abs(x)^2", NONE),
    ("||x||", "", "abs(abs(x))", NONE),
    ("|x + |y||", "", "abs(x + abs(y))", NONE),
    ("|-|x||", "", "abs(-abs(x))", NONE),
    ("||x|-1|", "", "abs(abs(x) - 1)", NONE),
    ("ln|x|", "", "ln(abs(x))", NONE),
    ("sin |x| y", "", "sin(abs(x))*y", NONE),
]

INDEXES = [
    ("x[0]", "", "x[0]", NONE),
    ("x[ -1 ]", "", "x[-1]", NONE),
    ("X[1,2]", "", "X[1, 2]", NONE),
    ("X[1][2]", "", "X[1][2]", NONE),
    ("item(x, 0)", "", "x[0]", NONE),
    ("item(X, 1, −2)", "", "X[1, -2]", NONE),
    ("item(x, i)", "", "item(x, i)", NONE),
    ("item(x + 1, 0)", "", "item(x + 1, 0)", NONE),
    ("item(x, 0.5)", "", "item(x, 0.5)", NONE),
    ("weights[0]", "", "weights[0]", NONE),
    ("xy[0]", "x y", "x*y[0]", "xy is read as x*y"),
    ("2x[0]^2 y[1]", "", "(2*(x[0]^2))*y[1]", NONE),
    ("sin x[0]", "", "sin(x[0])", NONE),
    ("√x[0]", "", "sqrt(x[0])", NONE),
    ("|x[0]|", "", "abs(x[0])", NONE),
    ("[x[0], x[1, 2]]", "", "[x[0], x[1, 2]]", NONE),
    ("[x[1, 2]]", "", "x[1, 2]", NONE),
    ("[[x, 2]]", "", "[[x, 2]]", NONE),
    ("[[[1], [2]]]", "", "[[[1], [2]]]", NONE),
    ("[[1], [2, 3][0]]", "", "[[1], [2, 3]*0]", NONE),
    ("[[1] + 2, [3]x, (4)]", "", "[1 + 2, 3*x, 4]", NONE),
    ("[[1, 2] + [3, 4]]", "", "[1, 2] + [3, 4]", NONE),
    ("max[[1], 2]", "", "max(1, 2)", NONE),
    ("x[y+1]", "", "x*(y + 1)", NONE),
    ("x [2]", "", "x*2", NONE),
    ("x[2.0]", "", "x*2", NONE),
    ("x{2}", "", "x*2", NONE),
    ("2[x+1]", "", "2*(x + 1)", NONE),
    ("(a)[2]", "", "a*2", NONE),
    ("x^2[3]", "", "(x^2)*3", NONE),
    ("pi[2]", "", "pi*2", NONE),
    ("sin[2]", "", "sin(2)", NONE),
    ("softmax(z)[0]", "", "item(softmax(z), 0)", NONE),
    ("2softmax(z)[-1]^2", "", "2*(item(softmax(z), -1)^2)", NONE),
    ("(X @ w)[1] + 1", "", "item(X @ w, 1) + 1", NONE),
    ("transpose(X)[0][1]", "", "item(item(transpose(X), 0), 1)", NONE),
    ("(a - softmax(z))[1]", "", "item(a - softmax(z), 1)", NONE),
    ("softmax(z) [0]", "", "softmax(z)*0", NONE),
    ("softmax(z)[x]", "", "softmax(z)*x", NONE),
]

ROOTS_AND_FACTORIALS = [
    ("√x", "", "sqrt(x)", NONE),
    ("√2x", "", "sqrt(2)*x", NONE),
    ("√(2x)", "", "sqrt(2*x)", NONE),
    ("√x²", "", "sqrt(x^2)", NONE),
    ("√√x", "", "sqrt(sqrt(x))", NONE),
    ("x^(1/3)", "", "x^(1/3)", NONE),
    ("x^(-2/3)", "", "x^((-2)/3)", NONE),
    ("x^1/3", "", "(x^1)/3", NONE),
    ("5!", "", "5!", NONE),
    ("2^3!", "", "2^(3!)", NONE),
    ("-3!", "", "-(3!)", NONE),
    ("3!^2", "", "(3!)^2", NONE),
    ("(2+1)!", "", "(2 + 1)!", NONE),
    ("(3!)!", "", "(3!)!", NONE),
    ("gamma(x+1)", "", "gamma(x + 1)", NONE),
]

PASTED = [
    ("x×y·z⋅w÷v", "", "(((x*y)*z)*w)/v", NONE),
    ("x−1", "", "x - 1", NONE),
    ("−x²", "", "-(x^2)", NONE),
    ("x²y³", "", "(x^2)*(y^3)", NONE),
    ("x¹⁰", "", "x^10", NONE),
    ("x⁻¹", "", "x^(-1)", NONE),
    ("x≤y", "", "x <= y", NONE),
    ("x≥y", "", "x >= y", NONE),
    ("x≠y", "", "x != y", NONE),
    ("πr²", "", "pi*(r^2)", NONE),
    ("𝑥 + 𝐲", "", "x + y", NONE),
    ("2\u00a0x", "", "2*x", NONE),
    ("\ufeffx\u200b+1", "", "x + 1", NONE),
    ("x +\r\n\ty", "", "x + y", NONE),
    ("x # the price\n+ y # and the rest", "", "x + y", NONE),
]

NUMBERS = [
    ("1e3", "", "1000", NONE),
    ("2.5E-4", "", "0.00025", NONE),
    ("2e+3", "", "2000", NONE),
    (".5", "", "0.5", NONE),
    ("5.", "", "5", NONE),
    ("1_000", "", "1000", NONE),
    ("1_000.000_1", "", "1000.0001", NONE),
    ("2e", "", "2*e", NONE),
    ("2e x", "", "(2*e)*x", NONE),
    ("3e2x", "", "300*x", NONE),
    ("2 e-3", "", "(2*e) - 3", NONE),
]

CHOICES = [
    ("if(x<0, -x, x)", "", "if(x < 0, -x, x)", NONE),
    ("piecewise(x<0, -x, x)", "", "if(x < 0, -x, x)", NONE),
    ("piecewise(x<0, a, x<1, b, c)", "", "if(x < 0, a, if(x < 1, b, c))", NONE),
    ("a < b and b <= c", "", "(a < b) and (b <= c)", NONE),
    (
        *("a<1 or b<2 and not c<3", ""),
        *("(a < 1) or ((b < 2) and (not (c < 3)))", NONE),
    ),
    ("not a == b", "", "not (a == b)", NONE),
    ("a + 1 > b or a != b", "", "((a + 1) > b) or (a != b)", NONE),
    ("a >= b", "", "a >= b", NONE),
]

DERIVATIVES = [
    ("d/dx x^2", "", "2*x", "d/dx x^2 is 2*x"),
    ("d/dx(x^2)", "", "2*x", "is 2*x"),
    ("d/dx (x^2 + 1)", "", "2*x", "is 2*x"),
    ("d/dx x^2 + 1", "", "2*x", "is read as d/dx (x^2 + 1)"),
    ("1 + d/dx 3x^2 - y", "", "(1 + (6*x)) - y", "is read as (d/dx 3x^2) - y"),
    ("3 d/dx x^2", "", "3*(2*x)", "is 2*x"),
    ("sin(d/dx x^2)", "", "sin(2*x)", "is 2*x"),
    ("d^2/dx^2 x^3", "", "6*x", "is 6*x"),
    ("d²/dx² x^3", "", "6*x", "is 6*x"),
    ("d/dx d/dx x^3", "", "6*x", "is 6*x"),
    ("∂/∂x (3x^2)", "", "6*x", "is 6*x"),
    ("∂²/∂x² x^4", "", "12*(x^2)", "is 12*x^2"),
    ("d/dθ sin θ", "", "cos(θ)", "is cos(θ)"),
    ("d/dx_1 x_1^2", "", "2*x_1", "is 2*x_1"),
    ("diff(x^2, x)", "", "2*x", "is 2*x"),
    ("diff(x^3, x, 2)", "", "6*x", "is 6*x"),
    ("dy/dx", "", "dy/dx", NONE),
    ("d*x/dx", "", "(d*x)/dx", NONE),
]

TABLES = {
    "derivatives": DERIVATIVES,
    "signs and powers": SIGNS_AND_POWERS,
    "products": PRODUCTS,
    "names": NAMES,
    "splits": SPLITS,
    "functions": FUNCTIONS,
    "brackets and bars": BRACKETS_AND_BARS,
    "indexes": INDEXES,
    "roots and factorials": ROOTS_AND_FACTORIALS,
    "pasted": PASTED,
    "numbers": NUMBERS,
    "choices": CHOICES,
}


def outcome(expression, value: float) -> object:
    """The value and the partials where every variable is near `value`, or what is wrong."""
    at = {name: value + i / 8 for i, name in enumerate(sorted(expression.variables))}
    try:
        result = expression.evaluate(at)
    except ExprgradError as error:
        return type(error), error.message.partition("; here")[0]
    if result.gradient is None:
        return result.value.tolist()
    return result.value, dict(sorted(result.gradient.items()))


@pytest.mark.parametrize("rows", TABLES.values(), ids=TABLES)
class TestReadings:
    def test_texts_are_read_so(self, rows):
        for typed, declared, reading, _ in rows:
            assert parse(typed, declared.split()).reading == reading, typed

    def test_notes_come_with_them_where_people_may_have_meant_something_else(
        self, rows
    ):
        for typed, declared, _, note in rows:
            notes = parse(typed, declared.split()).notes
            assert notes == () if note is None else note in " / ".join(notes), typed

    @pytest.mark.slow
    def test_readings_and_texts_mean_the_same_when_typed(self, rows):
        for typed, declared, reading, _ in rows:
            expression = parse(typed, declared.split())
            for text in (expression.reading, str(expression)):
                again = parse(text, strict=True)
                assert again.reading == reading
                assert again.notes == (), typed
                assert not again.implicit, typed
                for value in (0.375, 2.5, -1.25):
                    assert outcome(again, value) == outcome(expression, value), typed


def test_reading_is_shown_where_the_text_could_have_meant_something_else():
    assert parse("sin x cos x").implicit
    assert parse("sin x^2").implicit
    assert parse("1/2x + 1/3y").implicit
    for plain in ("2x", "sin x", "2 sin^2 x", "2*sin(x)^2 + |y| - √z"):
        assert not parse(plain).implicit


@pytest.mark.parametrize(
    "text", ["d/dpi x", "d/de x", "d/dsin x", "diff(x, pi)", "diff(x, sin)"]
)
def test_only_variables_can_be_differentiated_by(text):
    with pytest.raises(ExpressionSyntaxError):
        parse(text)


def test_derivative_at_a_corner_has_no_value():
    for text in ("d/dx |x|", "d/dx relu(x)", "d/dx sqrt(x)", "1 + diff(|x|, x)"):
        with pytest.raises(exprgrad.DomainError):
            parse(text).evaluate({"x": 0})
    assert parse("d/dx |x|")(x=7) == 1


# Splitting names


@pytest.mark.parametrize("text", ["xy", "xln(x)", "sinx", "2xy + 1"])
def test_strict_reading_never_splits(text):
    try:
        strict = parse(text, "xy", strict=True)
    except ExpressionSyntaxError:
        return
    assert strict.notes == ()
    assert set(strict.variables) - {"x", "y"}


def test_name_that_could_be_split_is_an_error_with_the_split_as_a_hint():
    with pytest.raises(BindingError, match="no value for xy") as caught:
        parse("xy").evaluate({})
    assert "did you mean x*y?" in caught.value.hint


@pytest.mark.parametrize("text", ["xln(x)", "xsin(x)", "xmax(x, 2)", "tgamma(t)"])
def test_undeclared_name_before_a_bracket_hints_at_the_function_in_it(text):
    with pytest.raises(ExpressionSyntaxError, match="there is no function") as caught:
        parse(text)
    assert f"{text[0]}*{text[1:].partition('(')[0]}(" in caught.value.hint


def test_name_with_an_unknown_letter_is_not_split():
    assert parse("xyq", "xy").variables == ("xyq",)


def test_declared_names_need_not_occur():
    expression = parse("x", variables=("x", "y"))
    assert expression.variables == ("x",)
    assert expression.evaluate({"x": 2, "y": 3}).gradient == {"x": 1.0}


def test_parse_takes_declared_names_from_any_collection():
    for declared in ("xy", ["x", "y"], {"x", "y"}, {"x": 1, "y": 2}, ("y", "x")):
        assert parse("xy", variables=declared).reading == "x*y"


def test_a_constant_that_is_a_torque_or_a_time_elsewhere_is_noted_beside_variables():
    for text in ("exp(-t/tau)", "tau F r", "2tau x + tau"):
        assert parse(text).notes == ("tau is 2*pi; a variable needs another name: τ",)
    assert parse("tau/2").notes == parse("tau_1 x").notes == ()


def test_an_array_with_a_number_behind_it_is_shown_as_the_product_that_it_is_read_as():
    assert parse("[1, 2, 3][0]").implicit
    assert not parse("[1, 2, 3]*0").implicit
    assert not parse("softmax(z)[0]").implicit


def test_notes_of_one_kind_are_merged():
    notes = parse("1/2x + 1/3x + 1/4x + 2^2x").notes
    assert notes == (
        "1/2x is read as (1/2)*x (and 2 more like it)",
        "2^2x is read as (2^2)*x",
    )


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("y(x)", ["y(x) is read as a product"]),
        ("y(x) + z(x)", ["y(x) is read as a product (and 1 more like it)"]),
        ("x[0]", []),
        ("y{x}", ["y{x} is read as a product"]),
    ],
)
def test_a_call_of_a_variable_is_noted_once_and_an_element_is_no_call(text, notes):
    assert list(read(text, lenient=True).notes) == notes


# Characters that look like letters or digits to Python, and are neither here


@pytest.mark.parametrize("text", ["½", "½x", "x½", "₁", "x²₁", "①", "٣", "１"])
def test_no_variable_is_made_of_digits_or_fractions(text):
    try:
        expression = parse(text)
    except ExpressionSyntaxError:
        return
    assert [name for name in expression.variables if not name.isidentifier()] == []
    assert parse(expression.reading, strict=True).reading == expression.reading


def test_superscript_beyond_double_precision_is_refused_like_the_number():
    for text in ("x^" + "2" * 400, "x" + "²" * 400):
        with pytest.raises(ExprgradError, match="too large"):
            parse(text)


def test_base_of_a_logarithm_beyond_double_precision_is_refused_like_the_number():
    with pytest.raises(ExprgradError, match="too large"):
        parse(f"log_{'9' * 400}(x)")


@pytest.mark.parametrize(
    "text", ["x!", "factorial(x)", "(x + 1)!", "2 + factorial(2x)"]
)
def test_factorial_of_a_variable_is_refused_in_either_notation(text):
    with pytest.raises(
        ExpressionSyntaxError, match="factorial of a variable"
    ) as caught:
        parse(text)
    assert "gamma(" in caught.value.hint


# Functions

mp = mpmath.mp

REFERENCES = {
    "sin": (0.7, mp.sin), "cos": (0.7, mp.cos), "tan": (0.7, mp.tan),
    "sec": (0.7, mp.sec), "csc": (0.7, mp.csc), "cot": (0.7, mp.cot),
    "asin": (0.7, mp.asin), "acos": (0.7, mp.acos), "atan": (0.7, mp.atan),
    "asec": (1.7, mp.asec), "acsc": (1.7, mp.acsc), "acot": (1.7, mp.acot),
    "sinh": (0.7, mp.sinh), "cosh": (0.7, mp.cosh), "tanh": (0.7, mp.tanh),
    "sech": (0.7, mp.sech), "csch": (0.7, mp.csch), "coth": (0.7, mp.coth),
    "asinh": (0.7, mp.asinh), "acosh": (1.7, mp.acosh), "atanh": (0.7, mp.atanh),
    "asech": (0.7, mp.asech), "acsch": (0.7, mp.acsch), "acoth": (1.7, mp.acoth),
    "exp": (0.7, mp.exp), "expm1": (0.7, mp.expm1), "ln": (0.7, mp.ln),
    "log1p": (0.7, mp.log1p), "log2": (0.7, lambda x: mp.log(x, 2)),
    "log10": (0.7, mp.log10), "sqrt": (0.7, mp.sqrt), "cbrt": (0.7, mp.cbrt),
    "abs": (-0.7, mp.fabs), "sign": (-0.7, mp.sign), "floor": (-0.7, mp.floor),
    "ceil": (-0.7, mp.ceil), "round": (1.7, mp.nint), "step": (0.7, lambda x: 1),
    "relu": (-0.7, lambda x: 0), "softplus": (0.7, lambda x: mp.log1p(mp.exp(x))),
    "sigmoid": (0.7, lambda x: 1 / (1 + mp.exp(-x))), "erf": (0.7, mp.erf),
    "erfc": (0.7, mp.erfc), "gamma": (0.7, mp.gamma), "lgamma": (0.7, mp.loggamma),
    "digamma": (0.7, mp.digamma), "sinc": (0.7, mp.sinc),
}  # fmt: skip

OF_TWO = {
    "atan2(0.7, -1.7)": mp.atan2(0.7, -1.7),
    "hypot(0.7, 1.7)": mp.hypot(0.7, 1.7),
    "root(0.7, 4)": mp.root(0.7, 4),
    "root(-8, 3)": -2,
    "log(0.7, 1.7)": mp.log(0.7, 1.7),
    "mod(7, 3)": 1,
    "mod(-7, 3)": 2,
    "min(0.7, -1.7)": -1.7,
    "max(0.7, -1.7)": 0.7,
    "max(1, 3, 2)": 3,
    "factorial(5)": 120,
    "5!": 120,
}

ALIASES = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsec": "asec",
    "arccsc": "acsc", "arccot": "acot", "arcsinh": "asinh", "arsinh": "asinh",
    "arccosh": "acosh", "arcosh": "acosh", "arctanh": "atanh", "artanh": "atanh",
    "arcsech": "asech", "arccsch": "acsch", "arccoth": "acoth", "arcoth": "acoth",
    "log": "ln",
}  # fmt: skip


@pytest.mark.parametrize("name", REFERENCES)
def test_function_has_the_value_that_mpmath_gives(name):
    x, function = REFERENCES[name]
    assert parse(f"{name}(x)")(x=x) == pytest.approx(float(function(x)), rel=1e-14)


@pytest.mark.parametrize("text", OF_TWO)
def test_function_of_several_arguments_has_the_value_that_mpmath_gives(text):
    assert parse(text)() == pytest.approx(float(OF_TWO[text]), rel=1e-14)


@pytest.mark.parametrize("alias", ALIASES)
def test_alias_is_read_as_its_function(alias):
    assert parse(f"{alias}(x)").reading == f"{ALIASES[alias]}(x)"


@pytest.mark.parametrize("name", [n for n in REFERENCES if n not in ("step",)])
def test_elementary_function_takes_a_bare_argument_and_any_other_is_a_name(name):
    bare = parse(f"{name} x").reading
    assert bare in (f"{name}(x)", f"{name}*x")
    elementary = {*list(REFERENCES)[:25], "ln", "log2", "log10", "sqrt", "cbrt", "abs"}
    assert (bare == f"{name}(x)") == (name in elementary)


@pytest.mark.parametrize("name", ["foo", "sine", "arcsine", "beta"])
def test_unknown_function_is_never_guessed(name):
    with pytest.raises(ExpressionSyntaxError, match=f"there is no function {name}"):
        parse(f"{name}(x)")


@pytest.mark.parametrize(
    ("name", "meant"),
    [("sine", "sin"), ("sqrtt", "sqrt"), ("arctn", "arctan")],
)
def test_unknown_function_comes_with_the_nearest_known_one(name, meant):
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse(f"{name}(x)")
    assert f"did you mean {meant}?" in caught.value.hint


# Values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2^-1", 0.5), ("-2^2", -4), ("(-8)^(1/3)", -2), ("(-8)^(2/3)", 4),
        ("(-8)^(2/6)", -2), ("(-8)^(-1/3)", -0.5), ("(-8)^-(1/3)", -0.5),
        ("(-1)^(1/3 + 1/3)", 1), ("cbrt(-8)", -2), ("√16", 4), ("log_2(8)", 3),
        ("log(8, 2)", 3), ("log10(1000)", 3), ("log(e^2)", 2), ("6/2(1+2)", 9),
        ("0^0", 1), ("tau/π", 2), ("2e/e", 2), ("1_000 - 1e3", 0), ("5. + .5", 5.5),
        ("0!", 1), ("170!/169!", 170), ("1 < 2", 1), ("1 > 2 or not 1 == 1", 0),
        ("if(1 < 2, 3, ln(-1))", 3), ("piecewise(0, 1/0, 1, 5, 1/0)", 5),
        ("max(1, 2, 3) - min(1, 2, 3)", 2), ("|−3|", 3), ("|2−|−5||", 3),
    ],
)  # fmt: skip
def test_value_of_a_constant_expression(text, value):
    assert parse(text)() == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "exponent", ["0.5", "0.3333333333333333", "(1/2)", "(2/4)", "y"]
)
def test_negative_base_has_no_real_root_of_even_or_decimal_degree(exponent):
    expression = parse(f"x^{exponent}")
    at = {"x": -8, "y": 1 / 3}
    with pytest.raises(exprgrad.DomainError):
        expression.evaluate({name: at[name] for name in expression.variables})


def test_untaken_branch_is_neither_evaluated_nor_differentiated():
    result = parse("if(x > 0, ln(x), sqrt(-x))").evaluate({"x": -4})
    assert result.value == 2
    assert result.gradient == {"x": -0.25}


# What users of other programs complain about


def test_sign_of_a_quotient_does_not_change_how_what_follows_is_read():
    positive, negative = parse("9/4 x"), parse("-9/4 x")
    assert positive(x=2) == 4.5
    assert negative(x=2) == -4.5


def test_bracket_after_a_variable_and_a_blank_is_not_a_call():
    assert parse("x (y+2)")(x=3, y=4) == 18


def test_names_that_other_programs_reserve_are_variables():
    names = ("i", "E", "I", "S", "N", "O", "Q", "C", "beta", "gamma", "zeta", "lambda")
    assert parse(" + ".join(names)).variables == names


def test_program_text_is_not_an_expression():
    for text in ("__import__('os').system('x')", "x.real", "'a'*9", "(lambda: 1)()"):
        with pytest.raises(ExpressionSyntaxError):
            parse(text)


@pytest.mark.slow
def test_only_the_packages_own_code_reaches_the_evaluator_of_python():
    package = Path(exprgrad.__file__).parent
    generators = {
        package / "compiled" / "scalar_code.py",
        package / "compiled" / "block_code.py",
        package / "compiled" / "native_code.py",
        package / "graph" / "arithmetic.py",  # from a template of its own
        package / "operations" / "declaration.py",  # from rules of the table
        package / "annotations.py",  # from the fields of a class
        package / "cli" / "declared.py",  # annotations of the commands
    }
    for path in set(package.rglob("*.py")) - generators:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile", "__import__")


def test_caret_is_under_the_fault_and_not_behind_it():
    for text, place in [("2x + + * y", "*"), ("(x + ) y", ")"), ("a ** b = c", "=")]:
        with pytest.raises(ExpressionSyntaxError) as caught:
            parse(text)
        start, end = caught.value.span
        assert text[start:end] == place


def test_reading_leaves_the_garbage_collector_of_the_process_alone(monkeypatch):
    for name in ("disable", "enable", "freeze", "set_threshold", "collect"):
        monkeypatch.setattr(gc, name, lambda *_: pytest.fail("changed the collector"))
    assert str(parse("x^2 + 1")) == "x^2 + 1"
    with pytest.raises(ExpressionSyntaxError):
        parse("x +")


@pytest.mark.slow
def test_nothing_is_kept_of_a_text_that_was_read():
    gc.freeze()  # what there is stays, and is not looked through
    parse("x^2 + sin(y)")
    gc.collect()
    assert not any(isinstance(thing, Builder) for thing in gc.get_objects())


def test_two_grammars_that_are_read_in_turn_keep_tables_of_their_own():
    first, second = (
        lalr.Tables(*grammar.tables(n).fields) for n in ("expression", "session")
    )
    actions = {"number": lambda *_: 1, "shown": lambda values, *_: values}
    for own, value in ((first, 1), (second, (1,))):
        kinds, spans = ["NUMBER", lalr.END], [(0, 1), (1, 1)]
        assert lalr.run(own, kinds, ["2", ""], spans, actions) == value
    starts = [own.moves_from(own.start) for own in (first, second)]
    assert starts[0]["NUMBER"] != starts[1]["NUMBER"]


def test_fractions_of_one_character_are_those_of_unicode():
    for sign, parts in characters.FRACTIONS.items():
        assert unicodedata.normalize("NFKC", sign) == "⁄".join(parts)


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("d/dx ax^2", "2*a*x"),
        ("d/dx (ax^2 + bx + c)", "2*a*x + b"),
        ("d/dx axy", "a*y"),
        ("d/dx e^(kx)", "k*exp(k*x)"),
        ("diff(ax^2, x)", "2*a*x"),
        ("d(ax^2)/dx", "2*a*x"),
        ("d/dt rate*t^2", "2*rate*t"),
        ("d/dx tax*x", "tax"),
        ("d/dx mass*x^2/2", "mass*x"),
        ("d/dx max(x, 2)", "if(x > 2, 1, 0)"),
    ],
)
def test_short_name_with_the_variable_of_a_derivative_is_a_product(text, reading):
    assert str(parse(text)) == reading


def test_product_of_letters_in_a_derivative_is_noted_and_never_made_where_it_is_declared():
    assert "ax is read as a*x" in parse("d/dx ax^2").notes
    assert str(parse("d/dx ax^2", ["ax"])) == "0"
    assert str(parse("d/dx ax^2", strict=True)) == "0"


@pytest.mark.parametrize("text", ["f(x) = D_x", "diff(x) = 2"])
def test_no_value_is_given_to_a_call(text):
    with pytest.raises(ExpressionSyntaxError, match="'=' is missing here"):
        read_bindings(text)


@pytest.mark.parametrize("typed", ["1,234,567", "1,234.5", "12,345,678.25"])
def test_a_number_with_commas_for_thousands_is_suggested_whole(typed):
    with pytest.raises(ExpressionSyntaxError) as caught:
        parse(f"{typed}*x")
    whole = typed.replace(",", "")
    assert caught.value.hint == f"write {whole} without a comma for thousands"


def test_the_note_on_a_product_quotes_braces_as_they_are():
    assert parse("a{2} + x", lenient=True).notes == ("a{2} is read as a product",)
