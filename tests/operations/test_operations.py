"""Every row of the operation table: its kernel, partials, domain, names and notations."""

from __future__ import annotations

import inspect
import math
import re

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mpf

import exprgrad
from exprgrad.errors import DomainError, RangeError
from exprgrad.expressions.expression import parse
from exprgrad.graph.value import Value, node
from exprgrad.notation.latex import latex
from exprgrad.notation.text import to_text
from exprgrad.operations import operation
from exprgrad.operations.declaration import check
from exprgrad.operations.number_types import local_partial
from exprgrad.operations.operation import (
    ARITHMETIC,
    TABLE,
    Notation,
    Operation,
    compute,
    named,
)
from exprgrad.operations.table import sigmoid
from exprgrad.sweeps.tape import Tape
from exprgrad.views.tables import operation_table
from tests.strategies import (
    MP,
    ROWS,
    digits,
    exact_slope,
    is_regular,
    points,
    regular_points,
    tried,
)

EPSILON = 2.0**-52
SMALLEST = 2.0**-1022  # below it, results lose their digits
LARGEST = 1.7e308

every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def kernel_value(row, *arguments):
    """The kernel's value; None where it overflows."""
    try:
        return row.kernel(*arguments)
    except OverflowError:
        return None


def differentiable(row):
    return [i for i, partial in enumerate(row.partials) if partial is not None]


def slope_between(row, arguments, index, step):
    """A central difference; None where it leaves the domain or overflows."""
    above, below = list(arguments), list(arguments)
    above[index] += step
    below[index] -= step
    if not (is_regular(row, above) and is_regular(row, below)):
        return None
    try:
        return (row.kernel(*above) - row.kernel(*below)) / (above[index] - below[index])
    except OverflowError:
        return None


@every_row
def test_local_partials_are_central_differences_of_the_kernel(row):
    compared = dict.fromkeys(differentiable(row), 0)
    for arguments in regular_points(row, everyday=True)[:120]:
        for index in compared:
            step = 1e-5 * max(abs(arguments[index]), 0.01)
            wide = slope_between(row, arguments, index, step)
            narrow = slope_between(row, arguments, index, step * 0.6)
            if wide is None or narrow is None:
                continue
            scale = abs(wide) + abs(narrow) + abs(row.kernel(*arguments)) + 1e-9
            if abs(wide - narrow) > 1e-5 * scale:
                continue  # a corner lies between, or the function bends too much
            partial = local_partial(row, index, row.kernel(*arguments), arguments)
            if math.isnan(partial):
                continue  # 0^y by y: the rule, 0*ln(0), leaves it to the corners
            difference = (narrow - 0.36 * wide) / 0.64
            assert partial == pytest.approx(difference, abs=1e-6 * scale), arguments
            compared[index] += 1
    assert all(count >= 8 for count in compared.values())


SLOW = ("digamma", "polygamma", "sinc_n")  # for mpmath, far out or close to 0


def slack(row):
    """What does not count: digits below the normal range, and noise of mpmath's differences."""
    return SMALLEST if None not in row.partials else mpf(10) ** -90


def points_and_values(row, most):
    """Points of the domain, as floats and as mpmath's numbers, with the exact value."""
    everyday, found = row.name in SLOW, 0
    most = min(15, most) if everyday else most
    for arguments in regular_points(row, everyday)[:most]:
        mpmath.mp.dps = 120 if everyday else digits(arguments)
        exact_arguments = [mpf(a) for a in arguments]
        try:
            exact = MP.function(row)(*exact_arguments)
        except OverflowError:  # mpmath's erfc far out
            continue
        if abs(exact) < LARGEST:
            found += 1
            yield arguments, exact_arguments, exact
    assert found >= min(most, len(regular_points(row))) / 3


def spread(f, arguments, indices):
    """How far f moves when its arguments move by their own size: |x f'| summed."""
    total = mpf(0)
    for i in indices:
        try:
            total += abs(arguments[i] * exact_slope(f, arguments, i))
        except ValueError:  # not defined beside the point, as (-2)^x at 3
            continue
    return total


@pytest.fixture
def precise():
    """Leaves mpmath's precision as it was."""
    with mpmath.workdps(50):
        yield


@every_row
@pytest.mark.usefixtures("precise")
def test_kernels_agree_with_mpmath_to_four_units_in_the_last_place(row):
    f, compared = MP.function(row), 0
    for arguments, exact_arguments, exact in points_and_values(row, 40):
        moved = spread(f, exact_arguments, differentiable(row))
        if moved > 1e3 * abs(exact) and exact:
            continue
        error = abs(mpf(compute(row, arguments)) - exact)
        assert error <= 4 * EPSILON * (abs(exact) + moved) + slack(row), arguments
        compared += 1
    assert compared >= 5


@every_row
@pytest.mark.usefixtures("precise")
def test_local_partials_agree_with_mpmath_to_four_units_in_the_last_place(row):
    for arguments, exact_arguments, _ in points_and_values(row, 12):
        result = row.kernel(*arguments)
        for index in differentiable(row):
            rule, f = MP.partials(row)[index], MP.function(row)

            def partial(*at, rule=rule, f=f):
                return rule(f(*at), *at)

            try:
                exact = mpf(partial(*exact_arguments))
            except ValueError:  # by the exponent of a negative base
                continue
            moved = spread(partial, exact_arguments, differentiable(row))
            if abs(exact) > LARGEST or (moved > 1e3 * abs(exact) and exact):
                continue
            error = abs(mpf(local_partial(row, index, result, arguments)) - exact)
            assert error <= 4 * EPSILON * (abs(exact) + moved) + slack(row), arguments


@every_row
@pytest.mark.usefixtures("precise")
def test_rules_are_the_derivative_to_twenty_digits(row):
    compared = dict.fromkeys(differentiable(row), 0)
    for arguments in regular_points(row, everyday=True)[:25]:
        mpmath.mp.dps = 120
        at = [mpf(a) for a in arguments]
        for index in compared:
            f = MP.function(row)
            try:
                slope = exact_slope(f, at, index)
                rule = mpf(MP.partials(row)[index](f(*at), *at))
            except ValueError:  # by the exponent of a negative base
                continue
            if mpmath.isnan(rule):
                continue  # 0^y by y
            scale = abs(slope) + abs(f(*at))
            assert abs(rule - slope) <= scale * mpf(10) ** -20, arguments
            compared[index] += 1
    assert all(count >= 3 for count in compared.values())


@every_row
def test_kernel_has_no_result_outside_the_domain(row):
    for arguments in tried(row):
        if row.failing(arguments) is None:
            continue
        try:
            result = row.kernel(*arguments)
        except ARITHMETIC:
            continue
        assert not math.isfinite(result), f"{row.name}{arguments} is {result}"


@every_row
def test_kernel_has_a_result_in_the_domain_unless_it_overflows(row):
    for arguments in tried(row):
        if row.failing(arguments) is not None:
            continue
        try:
            result = row.kernel(*arguments)
        except OverflowError:
            result = math.inf
        assert not math.isnan(result), arguments
        if math.isinf(result):
            with mpmath.workdps(50):
                exact = MP.function(row)(*map(mpf, arguments))
                assert abs(exact) > LARGEST, arguments


@every_row
@given(st.data())
def test_compute_says_which_condition_of_the_domain_fails(row, data):
    arguments = data.draw(st.sampled_from(tried(row)))
    condition = row.failing(arguments)
    if condition is not None:
        with pytest.raises(DomainError, match=re.escape(condition.needs)):
            compute(row, arguments)


# The ends of the range


def partial(name, *arguments, index=0):
    row = TABLE[name]
    return local_partial(row, index, row.kernel(*arguments), arguments)


@pytest.mark.parametrize("x", [-700.0, 700.0, -1e308, 1e308])
def test_tanh_is_flat_far_out(x):
    assert TABLE["tanh"].kernel(x) == math.copysign(1, x)
    assert partial("tanh", x) == pytest.approx(0, abs=1e-300)


@pytest.mark.parametrize("name", ["tan", "sec", "cot", "gamma", "digamma", "sin"])
@pytest.mark.parametrize("x", [math.inf, -math.inf, math.nan])
def test_what_is_no_number_is_refused_by_the_function_itself(name, x):
    with pytest.raises(RangeError, match=f"^{name} needs a finite number"):
        TABLE[name](x)


def test_softplus_and_sigmoid_do_not_overflow():
    assert compute(TABLE["softplus"], (1000.0,)) == 1000
    assert compute(TABLE["softplus"], (-1000.0,)) == 0
    assert compute(TABLE["sigmoid"], (1000.0,)) == 1
    assert compute(TABLE["sigmoid"], (-1000.0,)) == 0
    assert partial("softplus", 1000.0) == 1
    assert partial("softplus", -1000.0) == 0
    assert partial("sigmoid", 1000.0) == partial("sigmoid", -1000.0) == 0


def test_sigmoid_keeps_its_slope_where_it_rounds_to_one():
    assert compute(TABLE["sigmoid"], (40.0,)) == 1
    assert partial("sigmoid", 40.0) == pytest.approx(4.248354255291589e-18, rel=1e-14)
    assert partial("sigmoid", -40.0) == pytest.approx(4.248354255291589e-18, rel=1e-14)


@pytest.mark.parametrize("x", [1 - 2**-53, 1 - 1e-9, -1 + 2**-53, -1 + 1e-12])
@pytest.mark.parametrize(("name", "sign"), [("asin", 1), ("acos", -1)])
def test_slope_of_asin_and_acos_keeps_its_digits_near_one(name, sign, x):
    with mpmath.workdps(50):
        exact = sign / mpmath.sqrt(1 - mpf(x) ** 2)
        assert partial(name, x) == pytest.approx(float(exact), rel=4 * EPSILON)


def test_hypot_does_not_overflow_on_the_way():
    assert compute(TABLE["hypot"], (3e200, 4e200)) == pytest.approx(5e200, rel=1e-15)
    assert partial("hypot", 3e200, 4e200) == pytest.approx(0.6, rel=1e-15)
    assert partial("hypot", 3e-200, 4e-200, index=1) == pytest.approx(0.8, rel=1e-15)


@pytest.mark.parametrize(
    ("x", "y", "by_x", "by_y"),
    [
        (1e300, 1e200, 1e-200, -1e-100),
        (1e-300, 1e-200, 1e200, -1e100),
        (1e-10, 1e-160, 1e160, None),
        (1e300, 1e-5, 1e5, None),
    ],
)
def test_slopes_of_a_quotient_do_not_overflow_on_the_way(x, y, by_x, by_y):
    assert partial("div", x, y) == pytest.approx(by_x, rel=1e-15)
    if by_y is not None:
        assert partial("div", x, y, index=1) == pytest.approx(by_y, rel=1e-15)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        *((1e-310, y) for y in (1e-20, 1e-3, 0.1, -0.003, 0.49, 0.5)),
        *((5e-324, y) for y in (1e-310, -1e-20, 0.4)),
        *((1e308, y) for y in (1e-310, 0.1, -0.3, -0.99, -1.01)),
        *((0.3, y) for y in (0.0, 5e-324, 0.5, 1.0, 2.0, -1.0, -1.01)),
    ],
)
@pytest.mark.parametrize("name", ["pow", "pow_even", "pow_odd"])
def test_slopes_of_powers_keep_their_digits_beside_the_exponent_zero(name, x, y):
    sign = -1 if name == "pow_even" else 1
    with mpmath.workdps(400):
        exact = float(sign * mpf(y) * mpf(x) ** (mpf(y) - 1))
    base = x if name == "pow" else -x
    expected = pytest.approx(exact, rel=4 * EPSILON, abs=SMALLEST)
    assert partial(name, base, y) == expected


@pytest.mark.parametrize("x", [1e200, 1e155, 1e300])
def test_slopes_of_asinh_and_acosh_are_one_over_x_far_out(x):
    assert partial("asinh", x) == pytest.approx(1 / x, rel=1e-15)
    assert partial("acosh", x) == pytest.approx(1 / x, rel=1e-15)


@pytest.mark.parametrize("x", [-1e200, 1e200, 1e308])
def test_atan_is_flat_far_out(x):
    assert compute(TABLE["atan"], (x,)) == math.copysign(math.pi / 2, x)
    assert partial("atan", x) == 0
    assert partial("acot", x) == 0


@pytest.mark.parametrize(
    ("text", "slope"),
    [("x^1", 1), ("x^2", 0), ("x^3", 0), ("x^0", 0), ("x^(5/3)", 0), ("x^(4/3)", 0)],
)
def test_powers_have_their_slope_at_base_zero(text, slope):
    assert parse(text).evaluate({"x": 0}).gradient == {"x": slope}


def test_zero_to_the_zero_is_one():
    assert compute(TABLE["pow"], (0.0, 0.0)) == 1
    assert parse("x^y")(x=0, y=0) == 1
    assert parse("x^0").evaluate({"x": -3}).gradient == {"x": 0}


def test_negative_power_of_zero_is_not_defined():
    for text in ("x^-1", "x^(-1/3)", "x^(-2/3)", "x^-0.5"):
        with pytest.raises(DomainError, match="base other than 0"):
            parse(text)(x=0)


def test_tan_is_not_defined_at_the_doubles_nearest_to_its_poles():
    for x in (math.pi / 2, -math.pi / 2, 3 * math.pi / 2):
        for name in ("tan", "sec"):
            with pytest.raises(DomainError, match="odd multiple of pi/2"):
                compute(TABLE[name], (x,))
    beside = math.nextafter(math.pi / 2, 0)
    with mpmath.workdps(50):
        assert compute(TABLE["tan"], (beside,)) == pytest.approx(
            float(mpmath.tan(beside))
        )


def test_remainder_has_the_slope_of_the_quotient_that_it_has():
    # 0.1 is a little more than a tenth, so it goes into 1 nine times, though 1/0.1 rounds to 10
    assert compute(TABLE["mod"], (1.0, 0.1)) == pytest.approx(0.1)
    assert partial("mod", 1.0, 0.1, index=1) == -9


@pytest.mark.slow
@pytest.mark.parametrize(("x", "n"), [(10.0, 12.0), (50.0, 60.0), (90.0, 100.0)])
def test_derivatives_of_sinc_keep_their_digits_at_high_order(x, n):
    with mpmath.workdps(60):  # sinc(x) is the integral of cos(x t) for t from 0 to 1
        exact = mpmath.quad(
            lambda t: t ** int(n) * mpmath.cos(x * t + n * mpmath.pi / 2),
            mpmath.linspace(0, 1, 30),
        )
    assert compute(TABLE["sinc_n"], (x, n)) == pytest.approx(float(exact), rel=1e-13)


def test_angle_of_the_origin_is_not_defined():
    with pytest.raises(DomainError, match="a point other than the origin"):
        compute(TABLE["atan2"], (0.0, 0.0))
    with pytest.raises(DomainError, match="a point other than the origin"):
        parse("atan2(y, x)")(x=0, y=0)


def test_a_result_beyond_double_precision_is_a_range_error():
    with pytest.raises(RangeError, match="exp overflows here"):
        compute(TABLE["exp"], (1000.0,))
    with pytest.raises(RangeError, match="a product overflows here"):
        compute(TABLE["mul"], (1e200, 1e200))


# Two arguments


def test_power_with_constant_exponent_takes_no_log_of_its_base():
    result = parse("x^3").evaluate({"x": -2})
    assert (result.value, result.gradient) == (-8, {"x": 12})
    by_base = parse("x^y").evaluate({"x": -2, "y": 3}, wrt=["x"])
    assert by_base.gradient == {"x": 12}


def test_power_with_constant_base_takes_the_log_of_its_base():
    result = parse("2^x").evaluate({"x": 3})
    assert result.gradient["x"] == pytest.approx(8 * math.log(2), rel=1e-15)


@pytest.mark.parametrize(
    "row", [r for r in ROWS if r.formula], ids=lambda row: row.name
)
@given(st.data())
def test_formula_gives_what_the_kernel_gives(row, data):
    arguments = data.draw(points(row, everyday=True))
    with mpmath.workdps(60):
        by_formula = float(MP.bind(row.formula)(*map(mpf, arguments)))
    assume(abs(by_formula) < LARGEST)
    assert row.kernel(*arguments) == pytest.approx(by_formula, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(
    "row", [r for r in ROWS if r.inverse], ids=lambda row: row.name
)
@given(st.data())
def test_inverse_leads_back_to_where_the_function_was(row, data):
    f, inverse = MP.function(row), MP.function(named(row.inverse)[1])
    (x,) = data.draw(points(row, everyday=True))
    with mpmath.workdps(120):
        y = f(mpf(x))
        assert abs(f(inverse(y)) - y) <= abs(y) * mpf(10) ** -30


# Names

CALLED = [(name, row) for row in ROWS for name in (row.called, *row.aliases) if name]
UNARY = [(name, row) for name, row in CALLED if row.arity == 1]


@pytest.mark.parametrize(("name", "row"), UNARY, ids=[name for name, _ in UNARY])
def test_unary_function_is_reachable_by_each_of_its_names(name, row):
    (x,) = regular_points(row, everyday=True)[0]
    assert getattr(exprgrad, name)(x) == row.kernel(x)
    by_method, by_function = (
        getattr(Value(x), name)(),
        getattr(exprgrad, name)(Value(x)),
    )
    assert by_method.operation is by_function.operation is row
    assert by_method.data == by_function.data == row.kernel(x)
    if row.text.pieces[-1] != "!":  # the factorial of a variable is refused
        root = parse(f"{name}(x)").root
        assert (root.operation, root.operands[0].name) == (row, "x")


@pytest.mark.parametrize(
    ("name", "row"), CALLED, ids=[f"{n}/{r.arity}" for n, r in CALLED]
)
def test_function_is_read_by_each_of_its_names_with_its_number_of_arguments(name, row):
    condition = "3 > 2" if row.name == "if" else "3"
    arguments = [condition, "4", "5"][: row.arity]
    root = parse(f"{name}({', '.join(arguments)})").root
    assert root.operation is row
    assert [to_text(operand) for operand in root.operands] == arguments


def test_only_names_of_operations_are_attributes():
    with pytest.raises(AttributeError, match="no 'frobnicate'"):
        exprgrad.frobnicate  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'frobnicate'"):
        Value(1.0).frobnicate()


def test_methods_take_the_further_arguments_of_their_operation():
    x, y = Value(3.0), Value(4.0)
    assert x.hypot(y).data == 5
    assert x.max(y, 7).data == 7
    assert y.mod(x).data == 1
    with pytest.raises(TypeError, match="hypot"):
        x.hypot(y, y)


@pytest.mark.parametrize(
    "row", [r for r in ROWS if r.arity == 2], ids=lambda row: row.name
)
@given(st.data())
def test_eager_nodes_and_numbers_give_the_kernel_s_value(row, data):
    x, y = data.draw(points(row, everyday=True))
    assume(kernel_value(row, x, y) is not None)
    assert row(x, y) == row(Value(x), Value(y)).data == row(x, Value(y)).data


# A row is all that an operation takes


@pytest.fixture
def swish():
    """An operation that is declared at runtime, as a user's row would be."""
    called = {name: dict(rows) for name, rows in operation._CALLED.items()}
    row = Operation(
        "swish",
        lambda x: x / (1 + math.exp(-x)),
        lambda y, x: y + sigmoid(x) * (1 - y),
        aliases=("silu",),
        bare=True,
    )
    yield row
    del TABLE["swish"], operation.Methods.swish, operation.Methods.silu
    operation._CALLED.clear()
    operation._CALLED.update(called)


def test_one_row_adds_an_operation_everywhere(swish):
    expression = parse("2 swish x + silu(x y)")
    assert str(expression) == "2*swish(x) + swish(x*y)"
    result = expression.evaluate({"x": 1.5, "y": -2})
    s, t = 1 / (1 + math.exp(-1.5)), 1 / (1 + math.exp(3))
    assert result.value == pytest.approx(2 * 1.5 * s - 3 * t)
    by_swish, by_silu = s + 1.5 * s * (1 - s), t - 3 * t * (1 - t)
    assert result.gradient["x"] == pytest.approx(2 * by_swish - 2 * by_silu)
    assert result.gradient["y"] == pytest.approx(1.5 * by_silu)
    x = Value(1.5)
    x.swish().backward()
    assert x.grad == pytest.approx(by_swish)
    assert x.silu().data == pytest.approx(1.5 * s)
    assert exprgrad.swish(1.5) == pytest.approx(1.5 * s)
    assert latex(parse("swish x").root) == r"\operatorname{swish}(x)"


@pytest.mark.slow
def test_one_row_adds_an_operation_to_the_table_that_people_see(swish):
    rows = [row for row in operation_table().rows if row[0] == "swish(x)"]
    assert len(rows) == 1
    assert rows[0][1] == "swish(x) + sigmoid(x)*(1 - swish(x))"
    assert rows[0][3] == "silu"


def test_an_operation_of_a_test_is_gone_after_it():
    assert "swish" not in TABLE
    assert named("swish") == named("silu") == {}


# The row itself


@pytest.mark.slow
def test_the_table_that_people_see_has_every_row():
    shown = [row[0] for row in operation_table().rows]
    assert shown == [row.signature for row in TABLE.values()]


@every_row
@pytest.mark.parametrize("kind", ["text", "latex"])
def test_notation_shows_every_operand_once(row, kind):
    pieces = getattr(row, kind).pieces
    operands = [piece[0] for piece in pieces if not isinstance(piece, str)]
    assert sorted(operands) == list(range(row.arity))
    assert all(piece for piece in pieces)
    assert 1 <= getattr(row, kind).precedence <= 10


@every_row
def test_functions_of_a_row_take_its_number_of_arguments(row):
    def takes(f, count):
        try:
            inspect.signature(f).bind(*range(count))
        except TypeError:
            return False
        except ValueError:  # a built-in function without a signature
            pass
        return True

    assert row.arity == len(row.partials) >= 1
    assert takes(row.kernel, row.arity)
    assert all(takes(p, row.arity + 1) for p in row.partials if callable(p))
    assert all(takes(row.slopes[i].kernel, row.arity + 1) for i in row.slopes)
    assert set(row.slopes) <= set(range(row.arity))
    assert all(takes(c.holds, row.arity) for c in row.domain)
    for f in (row.corner, row.near, row.formula):
        assert f is None or takes(f, row.arity)


@every_row
def test_constant_partials_are_numbers(row):
    for p in row.partials:
        assert p is None or callable(p) or isinstance(p, (int, float))


@every_row
def test_signature_and_conditions_read_as_text(row):
    assert row.title
    assert row.signature == row.signature.strip() != ""
    for condition in row.domain:
        assert re.match(r"(a|an) .*([^.]|\.\.\.)$", condition.needs)
    if row.called:
        inside = re.fullmatch(r"(\w+)\((.+)\)", row.signature)
        assert inside is not None
        assert inside[1] == row.called
        assert len(inside[2].split(", ")) == row.arity
    if row.name not in ("pow_even", "pow_odd", "factorial"):
        reading = parse(row.signature)
        assert reading.root.operation is row
        assert len(reading.variables) == row.arity


@every_row
def test_inverse_of_the_inverse_is_the_function(row):
    if row.inverse is not None:
        inverse = named(row.inverse)[1]
        assert inverse.inverse is None or named(inverse.inverse)[1] is row


def test_no_name_means_two_operations_of_as_many_arguments():
    meanings = [(name, row.arity) for name, row in CALLED if row.called]
    assert len(meanings) == len(set(meanings))


def test_names_are_those_of_the_table():
    assert all(TABLE[row.name] is row for row in ROWS)
    assert all(named(name)[row.arity] is row for name, row in CALLED)


@every_row
def test_operation_is_shown_by_its_signature(row):
    assert repr(row) == f"<operation {row.signature}>"
    operands = tuple(Value(None, name) for name in "xyz"[: row.arity])
    root = node(row, operands)
    shown = to_text(root)
    assert all(operand.name in shown for operand in operands)
    assert isinstance(row.text, Notation)
    assert Tape(root, operands).steps[0].operation is row


def test_every_row_of_the_table_passes_the_check_of_declared_rows():
    for row in TABLE.values():
        if type(row) is Operation:
            check(row)


def test_rows_of_the_table_are_checked_when_a_text_names_them(monkeypatch):
    row = TABLE["tanh"]
    monkeypatch.setitem(operation._unchecked, "tanh", row)
    monkeypatch.setattr(row, "partials", ("no rule",))
    with pytest.raises(TypeError, match="neither a number nor a function"):
        parse("tanh(x)")


@pytest.mark.parametrize(
    "row",
    [row for row in ROWS if row.condition_number and row.arity == 1],
    ids=lambda row: row.name,
)
def test_a_condition_number_bounds_those_of_the_function_and_of_its_slope(row):
    f, compared = MP.function(row), 0
    for (x,) in regular_points(row, everyday=True):
        with mpmath.workdps(60):
            try:
                y, slope, bend = (mpmath.re(mpmath.diff(f, mpf(x), n)) for n in range(3))  # fmt: skip
                of_value, of_slope = abs(x * slope / y), abs(x * bend / slope)
                bound = row.condition_number(float(y), x)
            except (ZeroDivisionError, ValueError, OverflowError):
                continue
        assert bound * (1 + 1e-12) >= max(of_value, of_slope), x
        compared += 1
    assert compared > 10
