"""Equal means equal: what is only close is told apart, what is proved is confirmed, and programs read how certain it is."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest

import exprgrad
from exprgrad.checking import judging
from exprgrad.errors import UsageError
from exprgrad.expressions import confirm
from tests.strategies import textbook

CLOSE = [
    ("erf(20)", "1"),
    ("erf(-12)", "-1"),
    ("tanh(1000 + x^2)", "1"),
    ("tanh(4000)", "1"),
    ("coth(900)", "1"),
    ("sigmoid(3000)", "1"),
    ("erfc(-25)", "2"),
    ("softplus(2000)", "2000"),
    ("x + exp(-exp(8))", "x"),
    ("exp(-1000)", "0"),
    ("exp(-1000)", "exp(-1001)"),
    ("exp(-exp(8) - x^2)", "0"),
    ("x + 1e-4000", "x"),
    ("1/2004!", "1/2006!"),
    ("200!", "200! + 1"),
    ("3^(10^6)", "3^(10^6) + 1"),
    ("2^(10^12)", "2^(10^12 + 1)"),
    ("x*2^(10^12)", "x*3^(10^12)"),
    ("max(0, 1 - 10^20*abs(cos(x) - x))", "0"),
    ("x + max(0, 0.001 - 10^30*abs(ln(x) + x))", "x"),
    ("exp(10^6)", "1.0000001*exp(10^6)"),
    ("e^(e^10)", "e^(e^10)*(1 + 1e-50)"),
    ("exp(pi*sqrt(163))", "262537412640768744"),
    ("sqrt(10^70 + 1) - 10^35", "1/(2*10^35)"),
    ("sin(10^40)", "sin(10^40) + 1e-100"),
]
"""Numbers and functions that differ, however little."""

EQUAL = [
    ("2004!/2003!", "2004", "proved"),
    ("exp(-919)*exp(919)", "1", "proved"),
    ("10^400 - 1", "(10^200 - 1)*(10^200 + 1)", "proved"),
    ("sqrt(x^2)", "abs(x)", "proved"),
    ("cosh(290)^2 - sinh(290)^2", "1", "proved"),
    ("atan(1/2) + atan(1/3)", "pi/4", "agrees"),
    ("sqrt(10^94 + 2*10^47 + 1)", "10^47 + 1", "agrees"),
    ("max(x, -x)", "abs(x)", "agrees"),
]


@pytest.mark.parametrize(("a", "b"), CLOSE)
def test_what_differs_by_very_little_is_different(a, b):
    found = exprgrad.equivalent(a, b)
    assert (found.status, found.certainty, found.points) == ("different", "refuted", 1)


@pytest.mark.parametrize(("a", "b", "certainty"), EQUAL)
def test_what_is_equal_says_how_certain_that_is(a, b, certainty):
    found = exprgrad.equivalent(a, b)
    assert (found.status, found.certainty) == ("equal", certainty)
    assert (found.digits is None) == (certainty == "proved")
    assert certainty == "proved" or found.digits >= 1000


@pytest.mark.parametrize("text", ["2^(10^12)", "(10^9)!", "if(x > 1, x, 2)", "sum"])
def test_the_same_expression_is_equal_to_itself(text):
    found = exprgrad.equivalent(text, text)
    assert (found.status, found.certainty) == ("equal", "proved")
    assert found.evidence == "the two are the same expression"


def test_what_has_no_value_is_not_called_equal_to_itself_without_a_word():
    assert exprgrad.equivalent("1/0", "1/0").status == "undecided"
    found = exprgrad.equivalent("sqrt(-1-x^2)", "sqrt(-1-x^2)")
    assert found.notes == ("no point was found at which it has a value",)


@pytest.mark.slow
def test_a_function_that_no_number_of_digits_tells_from_its_end_leaves_the_question_open():
    found = exprgrad.equivalent("cos(exp(-10^6))", "1")
    assert (found.status, found.certainty) == ("undecided", None)
    assert "numbers on the way are too large, or too close" in found.evidence


def test_numbers_beyond_doubles_are_told_and_no_infinite_number_is():
    found = exprgrad.equivalent("200!", "199!")
    assert found.counterexample is None
    assert found.evidence == "they are 7.886578674e+374 and 3.943289337e+372"


def test_an_equation_has_no_value_to_compare():
    with pytest.raises(UsageError, match="an equation"):
        exprgrad.equivalent(exprgrad.parse_latex("a+3z=0"), exprgrad.parse_latex("0"))


def test_many_points_without_a_value_end_in_a_verdict():
    f, claim = "lgamma(tan(x))+asin(2)", "digamma(tan(x))*sec(x)^2"
    assert exprgrad.check(f, claim, "x").status == "undecided"


FALSE_PROOFS = [
    ("x^2", "2x*(1 + 1e-8)"),
    ("e^x", "(1 + 3e-8)*e^x"),
    ("sin(x)", "(1 - 2e-8)*cos(x)"),
]
"""Claims that doubles let pass at a first look."""


@pytest.mark.parametrize(("f", "claim"), FALSE_PROOFS)
def test_a_proof_that_the_numbers_contradict_is_an_error_here(f, claim, monkeypatch):
    monkeypatch.setattr(judging, "is_zero", lambda difference: True)
    with pytest.raises(AssertionError, match="contradicted"):
        exprgrad.check(f, claim, "x")


@pytest.mark.parametrize(("f", "claim"), FALSE_PROOFS)
def test_a_proof_that_the_numbers_contradict_proves_nothing(f, claim, monkeypatch):
    monkeypatch.setattr(judging, "is_zero", lambda difference: True)
    monkeypatch.setattr(confirm, "strict", False)
    found = exprgrad.check(f, claim, "x")
    assert (found.status, found.certainty) == ("undecided", None)
    assert "the numbers at x = " in found.evidence


@pytest.mark.parametrize(
    ("f", "claim", "options", "certainty"),
    [
        ("sin(x)^2", "sin(2x)", {}, "proved"),
        ("x*|x|", "2*max(x, -x)", {}, "agrees"),
        ("x^2", "2x", {"at": {"x": 3}}, "agrees"),
        ("x^2", "3x", {}, "refuted"),
        ("x^2", "3x", {"at": {"x": 3}}, "refuted"),
        ("ln|x|", "1/|x|", {}, "refuted"),
        ("x^2/3", "0.6667x", {}, "digits_given"),
        ("x^2", "2k", {}, None),
        ("ln(-1-x^2)", "1/x", {}, None),
        ("x^2*y", ("2x*y", "x^2"), {"kind": "gradient"}, "proved"),
        ("x^2*y", ("2x*y", "x"), {"kind": "gradient"}, "refuted"),
        ("2x", "x^2", {"kind": "antiderivative", "constant": "required"}, "refuted"),
        ("x^2 - 4x", "2", {"kind": "critical"}, "proved"),
        ("x^2 - 4x", "3", {"kind": "critical"}, "refuted"),
        ("x", "none", {"kind": "critical"}, "proved"),
    ],
)
def test_every_verdict_says_how_certain_it_is(f, claim, options, certainty):
    from exprgrad.checking.check import check as of_kind

    found = of_kind(f, claim, **options)
    assert found.certainty == certainty
    assert found.digits is None or found.certainty == "agrees"


def tiny(pick: random.Random) -> tuple[str, str, bool]:
    """Two texts that are equal, or differ by a number that is next to nothing, and whether they are equal."""
    n, k = pick.randint(20, 2500), pick.randint(2, 30)
    small = pick.choice([f"10^(-{n})", f"exp(-{n})", f"1/{n}!", f"2^(-{n})", f"exp(-{n} - x^2)"])  # fmt: skip
    one, other = pick.choice([
        (f"tanh({n})", "1"),
        (f"erf({k})", "1"),
        (f"x*coth({n})", "x"),
        (f"sqrt({n})*sqrt({n + 1})", f"sqrt({n * (n + 1)})*(1 + {small})"),
        (f"{n}! + 1", f"{n}!"),
        (f"x + {small}", "x"),
        (f"cos({small})", "1"),
        (f"sqrt(x^2 + {small})", "abs(x)"),
        (f"(1 + {small})^2", f"1 + 2*{small}"),
    ])  # fmt: skip
    twins = [
        (f"{n}!/{n - 1}!", f"{n}"),
        (f"tanh(-{n})", f"-tanh({n})"),
        (f"erf({k}) + erfc({k})", "1"),
        (f"(x + {small})*(x - {small})", f"x^2 - ({small})^2"),
        (f"sqrt({n}) + sqrt({n + 1})", f"1/(sqrt({n + 1}) - sqrt({n}))"),
        (f"exp(-{n})*exp({n})*x", "x"),
        (f"cosh({k})^2 - sinh({k})^2 + {small}", f"1 + {small}"),
        (f"10^{n} + 1", f"10*10^{n - 1} + 1"),
    ]
    return (*pick.choice(twins), True) if pick.random() < 0.5 else (one, other, False)


@pytest.mark.slow
def test_numbers_next_to_nothing_are_seen_and_seen_only_where_they_are():
    pick = random.Random(33)
    wrong, open_ = [], []
    for _ in range(60):
        a, b, truth = tiny(pick)
        said = exprgrad.equivalent(a, b).status
        if said == "undecided":
            open_.append((a, b, truth))
        elif (said == "equal") != truth:
            wrong.append((a, b, said))
    assert not wrong
    assert len(open_) <= 3


APART = [
    ("erf(100)", "1", "6.41e-4346"),
    ("erf(-10^6)", "-1", "3.16e-434294481910"),
    ("1 - tanh(10^10)", "0", ""),
    ("sigmoid(10^5)", "1", "3.56e-43430"),
    ("softplus(10^5)", "10^5", "3.56e-43430"),
    ("atan(10^2000)", "pi/2", "1.0e-2000"),
    ("sinh(10^5)", "cosh(10^5)", "3.56e-43430"),
    ("exp(10^6)", "exp(10^6) + 1", "1.0"),
    ("(10^6)!", "(10^6 + 1)!", ""),
    ("(10^6)!", "(10^6)! + 1", "1.0"),
    ("9^9^9^9", "9^9^9^9 + 1", "1.0"),
    ("2^(10^12) + 1 - 2^(10^12)", "3/2", ""),
    ("1/2004!", "1/2006!", ""),
    ("exp(-10^5)", "0", ""),
    ("ln(1 + exp(-10^5))", "0", ""),
    ("(1 + 10^-300)^(10^300)", "e", "1.36e-300"),
    ("lgamma(10^6)", "ln((10^6)!)", ""),
    ("erf(100 + x^2)", "1", ""),
    ("x*(1 + exp(-10^5))", "x", ""),
    ("exp(10^6)*x", "exp(10^6)*x + x", ""),
]
"""Numbers that are not equal, and how far they say that they are apart where they look the same."""


@pytest.mark.parametrize(("one", "other", "distance"), APART)
def test_numbers_that_no_digits_tell_apart_are_told_apart(one, other, distance):
    found = exprgrad.equivalent(one, other)
    assert (found.status, found.certainty) == ("different", "refuted")
    assert f"differ by {distance}" in found.evidence or not distance


EQUAL = [
    ("2^(10^12)", "4^(5*10^11)"),
    ("(-2)^(10^12 + 1)", "-2^(10^12 + 1)"),
    ("sqrt(2)^(10^7)", "2^(5*10^6)"),
    ("2^(10^12)/2^(10^12 - 1)", "2"),
    ("(10^6)!/(10^6 - 2)!", "10^6*(10^6 - 1)"),
    ("lgamma(10^6 + 1)", "ln((10^6)!)"),
    ("9^9^9^9 - 9^9^9^9", "0"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_numbers_too_large_for_digits_are_proved_equal(one, other):
    found = exprgrad.equivalent(one, other)
    assert (found.status, found.certainty) == ("equal", "proved")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sqrt(1 + 10^-4000) - 1", "10^-4000/(sqrt(1 + 10^-4000) + 1)"),
        ("ln(1 + exp(-10^5))", "softplus(-10^5)"),
        ("(1 + exp(-10^5))^2 - 1", "2*exp(-10^5) + exp(-2*10^5)"),
        ("erfc(100)", "1 - erf(100)"),
        ("1 - tanh(10^4)", "2/(exp(2*10^4) + 1)"),
    ],
)
def test_what_is_0_as_far_as_bounds_see_is_not_told_from_next_to_nothing(one, other):
    assert exprgrad.equivalent(one, other).status != "different"


def test_a_slope_is_told_from_a_claim_that_no_digits_tell_apart():
    assert exprgrad.check("x^2/2*tanh(10^6)", "x").status == "incorrect"
    assert exprgrad.check("exp(10^6)*x", "exp(10^6)").status == "correct"


@pytest.mark.parametrize("place", ["1e-400", "-1e-400", "1e-320"])
def test_a_point_that_doubles_cannot_hold_is_told(place):
    at = {"x": Decimal(place)}
    right, wrong = (exprgrad.check("x^2", claim, at=at) for claim in ("2x", "3x"))
    assert (right.status, wrong.status) == ("correct", "incorrect")
    for verdict in (right, wrong):
        assert "at x = 0 " not in verdict.evidence
        assert place[-4:] in verdict.evidence
    assert wrong.counterexample is None or wrong.counterexample.claimed


def test_a_point_beside_a_short_number_is_told_with_all_its_digits():
    found = exprgrad.equivalent("max(0, 1 - 10^12*abs(x - 3))", "0")
    assert found.status == "different"
    assert "x = 3 " not in found.evidence or "they are 1 and 0" in found.evidence


@pytest.mark.slow
def test_a_corner_where_numbers_are_beyond_doubles_has_no_slope():
    f, slope = "10^400*min(8/x, x^3)", "10^400*if(8/x < x^3, -8/x^2, 3*x^2)"
    assert exprgrad.check(f, slope, "x").status == "correct"
    found = exprgrad.check("10^400*min(y/x, x^3)", slope.replace("8", "y"), "x")
    assert found.status == "correct"


CHAINS = [
    (r"3x = 2x", "incorrect"),
    (r"2x = 3x", "incorrect"),
    (r"5x = 3x = 2x", "incorrect"),
    (r"\frac{d}{dx} x^3 = 2x", "incorrect"),
    (r"\frac{dy}{dx} = 3x = 2x", "incorrect"),
    (r"\frac{dy}{dx} = \frac{4x}{2} = 2x", "correct"),
    (r"\frac{d}{dx} x^2 = 2x", "correct"),
]


@pytest.mark.parametrize(("claim", "status"), CHAINS)
def test_every_side_of_a_chain_of_latex_is_judged(claim, status):
    assert exprgrad.check("x^2", exprgrad.parse_latex(claim), "x").status == status


@pytest.mark.parametrize("claim", ["2*a*x = 2*x*a", "2*a*x = 3*a*x", "3*a*x = 2*a*x"])
def test_a_chain_is_told_what_is_taken_as_constant(claim):
    notes = exprgrad.check("a*x^2", claim).notes
    assert "taken as d/dx; a is a constant" in notes


def test_an_equation_that_does_not_hold_is_no_function():
    with pytest.raises(UsageError, match="not equal"):
        exprgrad.check(exprgrad.parse_latex("x^3 = x^2"), "2x")
    same = exprgrad.parse_latex("f = (x+1)(x-1) = x^2-1")
    assert exprgrad.check(same, "2x").status == "correct"


LONG = ["7^400", "1/2^1100", "10^400", "1e-400", "3^40", "123456789012345678901/7"]
"""Constants that no double holds."""


def _with_long_constants(rng):
    """A textbook expression times, plus and within such constants."""
    inner, own = textbook(rng), rng.choice(LONG)
    return rng.choice([f"({own})*({inner})", f"{own}*x^2 + ({inner})", f"sin({own}*x) - {own}*({inner})"])  # fmt: skip


@pytest.mark.slow
def test_check_accepts_what_diff_prints_with_constants_beyond_doubles():
    statuses = []
    for seed in range(60):
        f = exprgrad.parse(_with_long_constants(random.Random(seed)), list("xyan"))
        found = exprgrad.check(f, str(f.derivative("x")), "x")
        # a formula may have fewer points than the derivative, and no other value
        assert found.certainty != "refuted" or "not defined" in found.evidence, f
        statuses.append(found.status)
    # the others have no value over the reals, such as acsc(sin(x - y))
    assert statuses.count("correct") >= 50
