"""Contexts of our own: whatever runs, mpmath's global context stays as the host has set it."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import mpmath
import pytest

import exprgrad
from exprgrad.expressions.expression import parse
from exprgrad.expressions.higher_orders import derivatives
from exprgrad.operations.high_precision import decimal, kept, mag, working
from exprgrad.operations.operation import TABLE
from exprgrad.session.session import Session

PUBLIC = {
    "evaluate": lambda: parse("tan(x) - sin(x)/cos(x)").evaluate({"x": 0.7}),
    "lgamma": lambda: exprgrad.lgamma(1.5),
    "digamma": lambda: exprgrad.digamma(2.5),
    "hessian": lambda: parse("x^2*y - exp(x)").hessian({"x": 1, "y": 2}),
    "derivatives": lambda: derivatives(parse("lgamma(x)"), {"x": 1.5}, "x", 4),
    "compare": lambda: exprgrad.compare(parse("x^2*sin(x)"), {"x": 0.7}),
    "gradcheck": lambda: exprgrad.gradcheck(parse("x^2"), {"x": 0.7}),
    "right claim": lambda: exprgrad.check("x^2*sin(x)", "2x sin x + x^2 cos x"),
    "wrong claim": lambda: exprgrad.check("gamma(x)", "gamma(x)"),
    "corner": lambda: exprgrad.check("max(x, |x|)", "if(x > 0, 1, -1)"),
    "equivalent": lambda: exprgrad.equivalent("sinh(x)^2 + 1", "cosh(x)^2"),
    "minimize": lambda: exprgrad.minimize("(x - 1)^2", start={"x": 0}),
    "session": lambda: Session().run("f(x) = x^2; f'(3)"),
}


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.parametrize("bits", [53, 17, 701])
def test_the_precision_of_the_host_stays_as_it_is(name, bits):
    with mpmath.workprec(bits):
        PUBLIC[name]()
        assert mpmath.mp.prec == bits


def test_the_precision_of_the_host_stays_as_it_is_where_threads_check():
    def both(x):
        claim = exprgrad.check(f"x^{x}*sin(x)", f"{x}x^{x - 1} sin x + x^{x} cos x")
        return claim.status, exprgrad.check("gamma(x)", "gamma(x)").status

    before = mpmath.mp.prec
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(both, [2, 3, 4, 5] * 3))
    assert mpmath.mp.prec == before
    assert set(found) == {("correct", "incorrect")}


def test_the_host_s_precision_does_not_change_a_result():
    expected = exprgrad.lgamma(1.5)
    with mpmath.workdps(5):
        assert exprgrad.lgamma(1.5) == expected


def test_threads_with_different_precisions_get_all_of_their_digits():
    def root(digits):
        with working(digits) as numbers:
            found = [numbers.function(TABLE["sqrt"])(numbers.number(2)) for _ in range(50)]  # fmt: skip
            return digits, {kept(x) for x in found}

    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(root, [20, 50, 400, 1000] * 5))
    for digits, found in results:
        (only,) = found
        with mpmath.workdps(2 * digits + 60):
            assert abs(mpmath.mpf(only) ** 2 - 2) < mpmath.mpf(10) ** -digits


def test_one_within_another_has_its_own_precision():
    with working(30) as outer, working(200) as inner:
        assert outer is not inner
        assert (outer.context.dps, inner.context.dps) == (45, 215)


def test_a_result_keeps_its_digits_outside_of_its_context():
    with working(300) as numbers:
        third = kept(numbers.number(1) / 3)
    with mpmath.workdps(310):
        assert abs(mpmath.mpf(third) - mpmath.mpf(1) / 3) < mpmath.mpf(10) ** -300
    assert decimal(third, 20) == "0." + "3" * 20
    assert (mag(third), mag(kept(4))) == (-1, 3)
    assert math.isclose(float(third), 1 / 3)


def test_an_error_gives_the_context_back():
    with pytest.raises(ValueError, match="not a real number"), working(50) as numbers:
        numbers.function(TABLE["sqrt"])(numbers.number(-1))
    with working(20) as again:
        assert again is numbers
        assert again.context.dps == 35
