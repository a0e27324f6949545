"""Formulas keep their numbers, however many digits these have."""

from __future__ import annotations

import random
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from exprgrad import check, parse, parse_latex, simplify
from exprgrad.expressions.derivatives import derive
from exprgrad.notation.latex import latex
from exprgrad.notation.python import to_python

DIGITS = 40

DERIVATIVES = [
    ("9007199254740993*x", "9007199254740993"),
    ("17478984424776913*x^2", "34957968849553826*x"),
    ("1.25*x^2", "2.5*x"),
    ("0.1*x^3/3", "0.1*x^2"),
    ("0.1*x^2/3", "x/15"),
    ("1.00000000000000000001*x", "1.00000000000000000001"),
    ("0.9684563297793*x^2/10^9", "1.9369126595586e-09*x"),
    ("x^3/812345678901234567890123456789012347", "3*x^2/812345678901234567890123456789012347"),
    ("x/3.171968513896285207123340788355760324", "1/3.171968513896285207123340788355760324"),
    ("2.5^30*x", "931322574615478515625/1073741824"),
    ("10^30*x/7", "1e+30/7"),
    ("x^3.14159265358979323846", "3.14159265358979323846*x^2.14159265358979323846"),
    ("sqrt(2.25e-40*x)", "7.5e-21/sqrt(x)"),
    ("(x + 10^30 + 1)^2", "2*(x + 1000000000000000000000000000001)"),
    ("x*7^400", "7^400"),
    ("x*max(3, 3.0000000000000000001)", "max(3, 3.0000000000000000001)"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "derivative"), DERIVATIVES)
def test_a_derivative_has_the_exact_numbers(f, derivative):
    assert str(parse(f).derivative("x")) == derivative


CONSTANTS = [
    ("floor(2.99999999999999999999)", "2"),
    ("round(0.49999999999999999999999)", "0"),
    ("abs(-2.00000000000000000001)", "2.00000000000000000001"),
    ("log2(2^52 + 1)", "log2(4503599627370497)"),
    ("log2(1.00000000000000000001)", "log2(1.00000000000000000001)"),
    ("log(1/8, 2) + log10(1000)", "0"),
    ("mod(7, 2.5)", "2"),
    ("2^60/3^50", "1152921504606846976/717897987691852588770249"),
    ("6.02214076e23*3", "1.806642228e+24"),
    ("1/2^45 + 0.5 - 1/2", "1/35184372088832"),
]


@pytest.mark.parametrize(("f", "short"), CONSTANTS)
def test_a_number_is_only_replaced_by_an_equal_one(f, short):
    assert str(simplify(f)) == short


def test_a_condition_on_a_long_exponent_is_stated():
    found = simplify("x^2.00000000000000000001*x^1.99999999999999999999")
    assert str(found) == "x^4"
    assert found.assumptions == ("x >= 0",)


@pytest.mark.parametrize(
    ("f", "formula"),
    [
        ("sqrt(434599.4423423434123*x)", "217299.72117117170615/sqrt(434599.4423423434123*x)"),
        ("acsc(3.14159265358979*x)", "-3.14159265358979/(abs(3.14159265358979*x)*sqrt(9.8696044010893382709735922441*x^2 - 1))"),
    ],
)  # fmt: skip
def test_long_decimals_stay_whole(f, formula):
    assert str(parse(f).derivative("x")) == formula


FORMS = (
    "{c}*x^{n}",
    "x^{n}/{c}",
    "{c}*ln({d}*x)",
    "sin({c}*x)/{d}",
    "sqrt({c}*x + {d})",
    "({c}*x + {d})^{n}",
    "exp(-x/{c})*{d}",
    "{c}^x",
    "x^{c}",
    "{n}*x*({c}*x - {d})/({d} + x^2)",
)


def _formula(number: int) -> str:
    """A formula with constants of 15 to 40 digits."""
    rng = random.Random(number)

    def long() -> str:
        digits = "".join(rng.choices("123456789", k=rng.randint(15, 40)))
        kind = rng.choice(("decimal", "decimal", "whole", "fraction"))
        if kind == "whole":
            return f"({digits}/10^{len(digits) - 1})"
        if kind == "fraction":
            return f"({digits[:9]}.{digits[9:]}/{digits[::-1]})"
        return f"{digits[0]}.{digits[1:]}"

    form = FORMS[number % len(FORMS)]
    return form.format(c=long(), d=long(), n=rng.randint(2, 4))


def _at(text: str, place: Fraction) -> Decimal:
    expression = parse(text)
    at = dict.fromkeys(expression.variables, place)
    found = expression.evaluate(at, (), digits=DIGITS)
    return Decimal(found.texts.get("") or str(found.value))


@pytest.mark.parametrize("number", range(40))
def test_every_way_to_a_derivative_gives_the_same_forty_digits(number):
    f, place = _formula(number), Fraction(number + 2, 7)
    derivative = parse(f).derivative("x")
    printed = str(derivative)
    assert str(parse(printed)) == printed
    swept = parse(f).evaluate({"x": place}, ("x",), digits=DIGITS)
    (formula,) = derive(parse(f), at={"x": place}, digits=DIGITS).formulas
    found = [
        _at(printed, place),
        _at(f"d/dx ({f})", place),
        Decimal(swept.texts.get("x") or str(swept.gradient["x"])),
        Decimal(str(formula.known.middle or formula.value)),
    ]
    again = parse_latex(latex(derivative.root))
    at = dict.fromkeys(again.variables, place)
    read = again.evaluate(at, (), digits=DIGITS)
    found.append(Decimal(read.texts.get("") or str(read.value)))
    with localcontext(prec=60):
        close = abs(found[0]) * Decimal(10) ** (2 - DIGITS)
        assert all(abs(other - found[0]) <= close for other in found[1:])


@pytest.mark.parametrize("number", range(40))
def test_a_formula_that_was_printed_is_correct(number):
    f = _formula(number)
    assert check(f, str(parse(f).derivative("x")), "x").status == "correct"


def test_python_code_has_the_exact_numbers():
    root = parse("9007199254740993*x^2").derivative("x").root
    assert to_python(root) == "18014398509481986*x"
