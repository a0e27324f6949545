"""Numbers of many digits, and the precision of FLINT, which stays as the host has set it whatever runs."""

from __future__ import annotations

import math
import os
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import flint
import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exprgrad
from exprgrad.expressions.expression import parse
from exprgrad.expressions.higher_orders import derivatives
from exprgrad.numbers.arb import precise
from exprgrad.numbers.real import decimal, kept, mag
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


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.parametrize("bits", [53, 17, 701])
def test_the_precision_of_the_host_stays_as_it_is(name, bits):
    with flint.ctx.workprec(bits):
        PUBLIC[name]()
        assert flint.ctx.prec == bits


@pytest.mark.slow
def test_the_precision_of_the_host_stays_as_it_is_where_threads_check():
    def both(x):
        claim = exprgrad.check(f"x^{x}*sin(x)", f"{x}x^{x - 1} sin x + x^{x} cos x")
        return claim.status, exprgrad.check("gamma(x)", "gamma(x)").status

    before = flint.ctx.prec
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(both, [2, 3, 4, 5] * 3))
    assert flint.ctx.prec == before
    assert set(found) == {("correct", "incorrect")}


def test_the_host_s_precision_does_not_change_a_result():
    expected = exprgrad.lgamma(1.5)
    with flint.ctx.workprec(17):
        assert exprgrad.lgamma(1.5) == expected


def test_threads_with_different_precisions_get_all_of_their_digits():
    def root(digits):
        with precise(digits * 10 // 3 + 10) as numbers:
            found = [numbers.function(TABLE["sqrt"])(numbers.number(2)) for _ in range(50)]  # fmt: skip
            return digits, {kept(x.arb) for x in found}

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(root, [20, 50, 400, 1000] * 5))
    for digits, found in results:
        (only,) = found
        with mpmath.workdps(2 * digits + 60):
            assert abs(mpmath.mpf(only) ** 2 - 2) < mpmath.mpf(10) ** -digits


def test_one_within_another_has_its_own_precision():
    with precise(100):
        with precise(700) as inner:
            assert inner.named("e").arb.rel_accuracy_bits() > 650
        assert flint.ctx.prec == 100


def test_a_result_keeps_its_digits_outside_of_its_sweep():
    third = kept(Fraction(1, 3), 1000)
    with mpmath.workdps(310):
        assert abs(mpmath.mpf(third) - mpmath.mpf(1) / 3) < mpmath.mpf(10) ** -300
    assert decimal(third, 20) == "0." + "3" * 20
    assert (mag(third), mag(kept(4))) == (-1, 3)
    assert math.isclose(float(third), 1 / 3)
    assert pickle.loads(pickle.dumps(third)) == third


def test_an_error_gives_the_turn_back():
    with pytest.raises(ZeroDivisionError), precise(50):
        _ = 1 / 0
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(lambda: float(kept(2) ** 0.5)).result(10) == 2**0.5


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_while_another_thread_computes_leaves_the_child_its_turn():
    begun, ended = threading.Event(), threading.Event()

    def compute():
        begun.set()
        while not ended.is_set():
            with precise(700) as numbers:
                numbers.function(TABLE["gamma"])(numbers.number((1, 3)))

    thread = threading.Thread(target=compute)
    thread.start()
    begun.wait(10)
    child = os.fork()
    if not child:
        os._exit(0 if flint.ctx.prec == 53 and kept(2) * 3 == 6 else 1)
    ended.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(
    -(10**40), 10**40
)


@given(NUMBERS, st.integers(1, 40))
def test_a_number_is_written_as_mpmath_writes_it(x, digits):
    with mpmath.workdps(100):
        wanted = mpmath.nstr(mpmath.mpf(x), digits)
    # a figure 5 with nothing behind it is rounded to even here, up there
    near = {wanted, mpmath.nstr(mpmath.mpf(x) * (1 - mpmath.mpf(10) ** -12), digits)}
    assert decimal(x, digits) in near


@pytest.mark.parametrize("apart", [20, 50, 100])
def test_a_number_that_is_nearly_at_a_tie_is_rounded_once(apart):
    little = Fraction(1, 10**apart)
    tie = Fraction(12355, 10**4)
    assert decimal(kept(tie - little), 4) == "1.235"
    assert decimal(kept(tie + little), 4) == "1.236"
    assert decimal(kept(12345 * 10**40 + 1), 4) == "1.235e+44"


@given(NUMBERS, NUMBERS)
def test_numbers_are_compared_and_added_exactly(x, y):
    a, b = kept(x), kept(y)
    assert (a < b, a == b, a >= b) == (x < y, x == y, x >= y)
    whole = Fraction(x) + Fraction(y)
    assert abs(Fraction(*(a + b).as_integer_ratio()) - whole) <= abs(whole) / 10**90


def test_remainders_have_the_sign_of_the_divisor():
    third = kept(Fraction(1, 3))
    assert decimal(third % 3, 10) == decimal(third, 10)
    assert decimal(kept(-7.5) % 2, 10) == "0.5"
    assert decimal(7 % kept(-4), 10) == "-1.0"
    with pytest.raises(ZeroDivisionError):
        _ = third % 0
