"""Machine code against the same program in NumPy: values, faults, corners, whatever the rows."""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from exprgrad import parse
from exprgrad.compiled.columns import Rows, Runner
from exprgrad.errors import UsageError

numba = pytest.importorskip("numba", reason="the extra `native` is not installed")
pytestmark = pytest.mark.slow  # each expression takes Numba half a second

from exprgrad.compiled.native_code import FEW, WIDTH  # noqa: E402 # where there is Numba

TEXTS = [
    "exp(-x^2)*y + sqrt(abs(x))/(1 + y^2)",
    "if(x > 0, x*ln(x), y/(x - 1)) + relu(x - y) + max(x, y)",
    "tanh(x*y + tanh(x/y)) - hypot(x, y)*x^1.5",
    "1/(x - y) + x^-3 - 2.5",
    "erf(x)*abs(y)^1.3 + sin(exp(x))",
]

OF_SEVERAL = ["sigmoid(x*y) + tan(x)", "gamma(x) + sec(y)", "(x and y) + (not x)*y"]
"""With functions that are formulas of several, that NumPy and SciPy do not have, or that give truth."""


def alike(one: Rows, other: Rows) -> None:
    """Whether two answers say the same, row by row."""
    np.testing.assert_allclose(one.value, other.value, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(one.gradient, other.gradient, rtol=1e-11, atol=1e-300)
    assert {row: str(why) for row, why in one.faults.items()} == {
        row: str(why) for row, why in other.faults.items()
    }


def points(count: int) -> list[np.ndarray]:
    """Ordinary numbers, with corners, faults, overflow and what is no number among them."""
    rng = np.random.default_rng(3)
    special = [0.0, 1.0, -1.0, 2.0, 1e-300, 1e300, -0.0, math.inf, -math.inf, math.nan]
    columns = [rng.uniform(-2, 3, count), rng.uniform(-2, 3, count)]
    if count > 200:
        for i, x in enumerate(special):
            for j, y in enumerate(special):
                columns[0][i * 10 + j], columns[1][i * 10 + j] = x, y
    return columns


@pytest.mark.parametrize("text", TEXTS + OF_SEVERAL)
def test_machine_code_gives_what_numpy_gives_with_the_same_faults(text):
    f = parse(text, variables=("x", "y"))
    plain, native = f.compile(), f.compile(native=True)
    for count in (1, 5, 300, 1000):
        alike(native.arrays(*points(count)), plain.arrays(*points(count)))
    again = pickle.loads(pickle.dumps(native))
    assert again.native
    alike(again.arrays(*points(300)), plain.arrays(*points(300)))


@pytest.mark.parametrize("text", TEXTS + OF_SEVERAL)
def test_numba_and_numpy_compute_functions_with_the_same_results(text):
    """A few rows are computed by one loop, many by calls of functions between loops."""
    native = parse(text, variables=("x", "y")).compile(native=True)
    x, y = points(FEW + 7)
    whole, part = native.arrays(x, y), native.arrays(x[:FEW], y[:FEW])
    cut = Rows(
        whole.value[:FEW],
        whole.gradient[:, :FEW],
        {row: why for row, why in whole.faults.items() if row < FEW},
    )
    alike(part, cut)


def test_bad_rows_are_found_in_any_block():
    f = parse("sqrt(x)*exp(x)")
    x = np.linspace(0.5, 2, 3 * WIDTH + 9)
    bad = [0, WIDTH - 1, WIDTH, 2 * WIDTH + 1, 3 * WIDTH + 8]
    x[bad] = -1
    assert list(f.compile(native=True).arrays(x).faults) == bad
    assert list(f.compile(native=True).arrays(x[: WIDTH + 1]).faults) == bad[:3]


def test_blocks_columns_with_gaps_and_columns_that_are_not_to_be_written_go_as_well():
    f = parse("x*exp(y)")
    plain, native = f.compile(), f.compile(native=True)
    x, y = points(2 * WIDTH + 3)
    x[WIDTH + 5] = math.inf
    alike(native.arrays(x, y), plain.arrays(x, y))
    alike(native.arrays(x[::2], y[::2]), plain.arrays(x[::2], y[::2]))
    x.flags.writeable = False
    alike(native.arrays(x, 2.0), plain.arrays(x, 2.0))


def test_what_machine_code_is_no_help_for_is_left_to_numpy():
    assert Runner(parse("2^0.5").compile(native=True), native=True)._native is None


def test_a_loop_is_compiled_once_in_a_process():
    from exprgrad.compiled.native_code import _machine_code

    parse("x*(x + 1)*17").compile(native=True).arrays([1.0, 2.0])
    before = _machine_code.cache_info().misses
    parse("t*(t + 1)*17").compile(native=True).arrays([1.0, 2.0])
    assert _machine_code.cache_info().misses == before


def test_machine_code_is_kept_between_runs(tmp_path):
    program = (
        "from exprgrad import parse\n"
        "parse('x*(x + 1)*18').compile(native=True).arrays([1.0] * 9)\n"
        "from exprgrad.compiled.native_code import _machine_code as code\n"
        "import gc, numba\n"
        "found = [o for o in gc.get_objects() if isinstance(o, numba.core.dispatcher.Dispatcher)]\n"
        "print(sum(sum(o.stats.cache_hits.values()) for o in found))\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    hits = [
        int(subprocess.check_output([sys.executable, "-c", program], env=environment))
        for _ in range(2)
    ]
    assert hits == [0, 1]
    assert list((tmp_path / "exprgrad" / "native").glob("loop_*.py"))


def test_without_numba_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "exprgrad.compiled.native_code", None)
    with pytest.raises(UsageError, match="native code needs Numba") as caught:
        parse("x^2").compile(native=True).arrays([1.0])
    assert "[native]" in str(caught.value.hint)
