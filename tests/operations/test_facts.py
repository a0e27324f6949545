"""What a row says besides its rules: every fact is held against the kernel, so that none can be wrong."""

from __future__ import annotations

import inspect
import itertools
import math
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from exprgrad.operations.arb_kernels import kernel
from exprgrad.operations.number_types import FLOATS
from exprgrad.operations.on_arrays import universal, writing
from exprgrad.operations.operation import ARITHMETIC, EVEN, ODD, TABLE
from tests.strategies import MP, ROWS, regular_points

every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
every_function = pytest.mark.parametrize(
    "row", [r for r in ROWS if r.arity == 1 and r.rule != "logic"], ids=lambda r: r.name
)


def value(row, *arguments):
    """The kernel's value; nan where it has none."""
    try:
        return float(row.kernel(*arguments))
    except ARITHMETIC:
        return math.nan


@every_function
def test_parity_is_that_of_the_kernel(row):
    pairs = [
        (value(row, x), value(row, -x))
        for (x,) in regular_points(row, everyday=True)
        if row.failing((-x,)) is None and x
    ]

    def all_are(sign):
        return len(pairs) > 10 and all(
            math.isclose(there, sign * here, rel_tol=1e-12) for here, there in pairs
        )

    parities = [sign for sign in (ODD, EVEN) if all_are(sign)]
    assert parities == [row.parity] if row.parity else parities == []


@every_function
def test_what_is_steep_grows_faster_than_any_power(row):
    """x^n grows by 4^n from x to 4x, whatever x is: its logarithm by n*ln(4)."""
    sizes = []
    with mpmath.workdps(30):
        for x in (50, 200, 800):
            try:
                size = abs(MP.function(row)(mpmath.mpf(x)))
            except ValueError:
                return  # of [-1, 1] alone
            sizes.append(mpmath.log(size + 1))
        first, second = sizes[1] - sizes[0], sizes[2] - sizes[1]
        assert row.steep == (second > 2 * first and second > 10)


@pytest.mark.parametrize("row", [r for r in ROWS if r.rule == "power"])
def test_powers_are_steep_in_their_exponent(row):
    assert row.steep


EXACT_ARGUMENTS = [Fraction(n, d) for n in range(-40, 41) for d in (1, 2, 4)]


@every_row
def test_what_is_exact_rounds_nothing_where_its_value_is_whole(row):
    if not row.exact:
        return
    found = 0
    numbers = EXACT_ARGUMENTS if row.arity == 1 else EXACT_ARGUMENTS[::11]
    others = [()] if row.arity == 1 else [(b,) for b in (2, 3, 10, Fraction(1, 2))]
    with mpmath.workdps(40):
        for x in numbers:
            for other in others:
                arguments = (x, *other)
                near = value(row, *map(float, arguments))
                if near.is_integer() and abs(near) < 1e15:
                    found += 1
                    exact = MP.function(row)(*(mpmath.mpf(a.numerator) / a.denominator for a in arguments))  # fmt: skip
                    assert abs(exact - near) < 1e-30, arguments
    assert found >= 3


def slopes(row, point, i):
    """The slopes of the kernel to the left and to the right of a point, in its i-th argument."""
    found = []
    for size in (1e-6, 1e-9):
        near = [[*point[:i], point[i] + side * size, *point[i + 1 :]] for side in (-1, 1)]  # fmt: skip
        rises = [value(row, *there) - value(row, *point) for there in near]
        found.append((-rises[0] / size, rises[1] / size))
    ends = [abs(a - b) < 1e-3 for a, b in zip(*found, strict=True)]
    return found[1] if all(ends) else (math.nan, math.nan)


@every_row
def test_what_is_bent_has_slopes_at_its_corners_and_they_differ(row):
    if row.corner is None:
        assert not row.bent
        return
    grid = itertools.product((-1.0, 0.0, 1.0), repeat=row.arity)
    is_corner = FLOATS.bind(row.corner)
    corners = [p for p in grid if math.isfinite(value(row, *p)) and is_corner(*p)]
    pairs = [slopes(row, point, i) for point in corners for i in range(row.arity)]
    assert row.bent == any(abs(left - right) > 0.5 for left, right in pairs)
    assert not row.bent or all(map(math.isfinite, itertools.chain(*pairs)))


@every_row
def test_the_cost_of_a_row_covers_what_its_partials_call(row):
    assert row.cost >= 1
    for partial in row.partials:
        if callable(partial):
            called = [
                other
                for other in ROWS
                if other.called in partial.__code__.co_names and other.cost >= 40
            ]
            assert row.cost >= min((other.cost for other in called), default=1) / 3


@every_row
def test_arb_knows_the_row_by_the_name_that_it_gives(row):
    if isinstance(row.arb, str):
        assert callable(kernel(row.arb))
    elif row.arb is not None:
        assert len(inspect.signature(row.arb).parameters) == row.arity


LATEX = (  # the names of functions that LaTeX and amsmath define
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim ln log max "
    "min sec sin sinh sup tan tanh Gamma psi sqrt"
).split()


@every_row
def test_latex_knows_the_commands_of_a_function(row):
    if row.called and row.rule == row.name and row.name != "if":
        head = row.latex.pieces[0]
        known = re.match(r"\\([A-Za-z]+)", head)
        assert known is None or known[1] in (*LATEX, "operatorname", "left"), head


def test_native_rows_are_the_operators_of_every_number_type():
    native = {row.name for row in TABLE.values() if row.native}
    assert native == {"neg", "add", "sub", "mul", "div"}
    assert all(
        row.kernel(*map(Fraction, (7, 2)[: row.arity]))
        == Fraction(FLOATS.bind(row.kernel)(*(7.0, 2.0)[: row.arity]))
        for row in TABLE.values()
        if row.native
    )


CODED = [r for r in ROWS if r.code] + [s for r in ROWS for s in r.slopes.values() if s.code]  # fmt: skip


@pytest.mark.parametrize("row", CODED, ids=lambda row: row.name)
def test_code_is_the_kernel(row):
    by_power = "slope" in row.name
    for at in regular_points(TABLE["pow"] if by_power else row)[:300]:
        arguments = (value(TABLE["pow"], *at), *at) if by_power else at
        if not all(map(math.isfinite, arguments)):
            continue
        code = row.code.format(*(f"({a!r})" for a in arguments))
        try:
            wanted = row.kernel(*arguments)
        except ARITHMETIC as error:
            with pytest.raises(type(error)):
                eval(code)
        else:
            assert eval(code) == wanted
            assert type(eval(code)) is float


@every_row
def test_the_function_for_arrays_has_the_kernel_s_values(row):
    points = [at for at in regular_points(row)[:200] if math.isfinite(value(row, *at))]
    columns = [np.array(column) for column in zip(*points, strict=True)]
    wanted = np.array([row.kernel(*at) for at in points])
    out = np.empty(len(points))
    with np.errstate(all="ignore"):
        writing(row)(*columns, out)
    assert out == pytest.approx(wanted, rel=1e-13, abs=1e-300)


@every_row
def test_a_function_broadcasts(row):
    at = regular_points(row, everyday=True)[0]
    wanted, shape = row.kernel(*at), (2, 3)
    whole = [np.full(shape, at[0]), *map(np.array, at[1:])]
    single = list(map(np.array, at))
    for arguments, own in ((whole, shape), (single, ())):
        out = np.empty(own)
        writing(row)(*arguments, out)
        assert out == pytest.approx(np.full(own, wanted), rel=1e-13)


def test_most_rows_have_a_universal_function():
    assert sum(universal(row) is not None for row in ROWS) > 30


def test_what_takes_an_angle_is_periodic():
    for row in ROWS:
        if row.arity == 1 and row.rule != "logic":
            points = [x for (x,) in regular_points(row, everyday=True) if abs(x) < 10]
            pairs = [(value(row, x), value(row, x + 2 * math.pi)) for x in points]
            defined = [pair for pair in pairs if all(map(math.isfinite, pair))]
            close = {"rel_tol": 1e-9, "abs_tol": 1e-12}
            same = all(math.isclose(here, there, **close) for here, there in defined)
            assert row.angle == (same and len(defined) > 20), row.name
