"""The cheap test beside the sweep on doubles: what passes is as right as it says."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import parse
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value, node
from exprgrad.operations.operation import TABLE
from exprgrad.operations.table import ADD, DIV, MUL, SIN, SUB
from exprgrad.sweeps.bounds import Answer, Bounds
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.rounding import UNIT
from exprgrad.sweeps.tape import Tape
from tests.oracle.trees import case, text

BY_BALLS = "and atan2 ceil eq floor ge gt huber hypot if le log lt mae max min mod mse ne not or pow round sign step".split()

SMOOTH = tuple(
    name
    for name, row in TABLE.items()
    if row.whole is None and (row.condition_number or row.native or name in BY_BALLS)
)
"""Rows that the test knows: with a condition number, arithmetic, and those of several arguments or with steps."""


def drawn(seed: int):
    """A random expression of such rows, and a point of doubles and decimals."""
    rng = random.Random(f"rounding {seed}")
    tree, at = case(rng, SMOOTH)
    point = {
        name: rng.choice((rng.uniform(-3, 3), (rng.randint(-999, 999), 100)))
        for name in at
    }
    return text(tree), {name: Coordinate.of(given) for name, given in point.items()}


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_no_number_is_further_off_than_the_cheap_test_says(block):
    passed = 0
    for seed in range(150 * block, 150 * (block + 1)):
        source, at = drawn(seed)
        tape = parse(source, variables=tuple(at)).tape
        names = tuple(tape.variables)
        fast = Bounds(tape).by_floats(at, names, 5e-11)
        if fast is None:
            continue
        passed += 1
        slow = Bounds(tape).by_balls(at, names, digits=20)
        pairs = [(fast.value, slow.value)]
        pairs += [(fast.partials[name], slow.partials[name]) for name in names]
        for cheap, right in pairs:
            assert right.value is not None, (source, at)
            off = abs(cheap.value - right.value)
            assert off <= cheap.error + right.error, (source, at)
            assert cheap.error <= 5e-11 * abs(cheap.value)
    assert passed > 25


@pytest.mark.parametrize(
    ("source", "at"),
    [
        ("erf(x)", {"x": -22.68499036226493}),
        ("erfc(x)", {"x": 25.5}),
        ("x^y", {"x": 4e76, "y": -1.0000000000000089}),
        ("x^y", {"x": 7.606395169143875e-63, "y": -1.0003511585925267}),
    ],
)
def test_a_slope_is_as_right_as_what_its_rule_rounds(source, at):
    bounds = Bounds(parse(source).tape)
    point = {name: Coordinate.of(number) for name, number in at.items()}
    fast = bounds.by_floats(point, ["x"], 5e-11)
    right = bounds.by_balls(point, ["x"], digits=20).partials["x"]
    assert fast is not None
    off = abs(fast.partials["x"].value - right.value)
    assert off <= fast.partials["x"].error + right.error


def shared(rng: random.Random, most: int) -> Value:
    """A graph whose nodes are used again and again, also twice in one step, so that adjoints cancel."""
    nodes = [Value(None, name) for name in "xy"]
    for _ in range(rng.randint(3, most)):
        operation = rng.choice((ADD, SUB, SUB, MUL, DIV, SIN, TABLE["exp"], TABLE["tanh"]))  # fmt: skip
        first = rng.choice(nodes)
        second = first if rng.random() < 0.15 else rng.choice(nodes)
        nodes.append(node(operation, (first, second)[: operation.arity]))
    return nodes[-1]


def cancelling(seed: int, most: int) -> tuple[int, int]:
    """Compare a graph in which adjoints cancel with balls: whether the test passes, and whether one did cancel."""
    rng = random.Random(f"cancelling {seed}")
    root = shared(rng, most)
    tape = Tape(root, [n for n in topological(root) if n.operation is None])
    names = tuple(tape.variables)
    at = {name: Coordinate.of(rng.uniform(-2, 2)) for name in names}
    bounds = Bounds(tape)
    fast = bounds.by_floats(at, names, 5e-11)
    if fast is None:
        return 0, 0
    slow = bounds.by_balls(at, names, digits=20)
    pairs = [(fast.value, slow.value)]
    pairs += [(fast.partials[name], slow.partials[name]) for name in names]
    for cheap, right in pairs:
        assert right.value is not None, seed
        assert abs(cheap.value - right.value) <= cheap.error + right.error, seed
    return 1, int(0.0 in fast.adjoints)


@pytest.mark.parametrize("block", range(3))
def test_what_adjoints_that_cancel_hand_on_is_within_its_bound(block):
    found = [cancelling(seed, 30) for seed in range(120 * block, 120 * block + 120)]
    passed, cancelled = (sum(own) for own in zip(*found, strict=True))
    assert passed > 40
    assert cancelled > 3


def test_what_is_subtracted_from_itself_is_0_without_an_error():
    found = by_text("exp(x - x)*x + tanh(x/x)", 1.25)
    assert found is not None
    assert found.partials["x"].value == pytest.approx(1)


OWN = [
    ("root(x, y)", (0.01, 1000), (0.3, 9)), ("root(x, 3)*y", (-9, 9), (1, 2)), ("sinc(x*y)", (-9, 9), (-9, 9)),
    ("bce(x, y)", (0.01, 0.99), (0.02, 0.99)), ("bce_logits(x, y)", (-9, 9), (0.02, 0.99)),
    ("huber(x, y, 1.5)", (-4, 4), (-4, 4)), ("x^(1/3)*y", (-9, 9), (1, 2)),
    ("nll_gaussian(x, y, 2.5)", (-4, 4), (-4, 4)), ("nll_gaussian(0.5, x, y)", (-4, 4), (0.05, 5)),
    ("gamma(x)*lgamma(y)", (-4, 9), (-4, 9)), ("digamma(x) + digamma(y, 2)", (-4, 9), (-4, 9)),
    ("sinc(x, 3)*sinc(y, 2)", (1, 9), (1, 9)), ("max(x, x)*y/(x/x) + mse(x, x)", (1, 9), (1, 9)),
    ("(x/x)^y + ln(x/x) + (x/x)^(y/y) + (1/3 + 1/3)*x", (1, 9), (1, 9)),
]  # fmt: skip


@pytest.mark.parametrize(("source", "xs", "ys"), OWN)
def test_rows_with_errors_of_their_own_need_no_balls_at_ordinary_points(source, xs, ys):
    rng, passed = random.Random(source), 0
    bounds = Bounds(parse(source, variables=("x", "y")).tape)
    for _ in range(8):
        at = {
            name: Coordinate.of(
                rng.choice((rng.uniform(*ends), (rng.randint(6, 98), 100)))
            )
            for name, ends in (("x", xs), ("y", ys))
        }
        fast = bounds.by_floats(at, ["x", "y"], 5e-11)
        if fast is not None:
            passed += 1
            slow = bounds.by_balls(at, ["x", "y"], digits=20)
            for name in ("", "x", "y"):
                cheap, right = ((a.partials.get(name, a.value)) for a in (fast, slow))
                assert abs(cheap.value - right.value) <= cheap.error + right.error
    assert passed >= 6


@pytest.mark.parametrize(
    ("source", "x"),
    [
        ("bce(x, 1)", 0.5), ("bce(0.5, x)", 0.0), ("bce_logits(2, x)", 1.0), ("nll_gaussian(1, x, 2)", 1.0),
        ("sinc(x)", 0.0), ("root(x, 3)", 0.0), ("root(x, 5)", 0.0),
    ],
)  # fmt: skip
def test_zeros_and_edges_are_for_balls(source, x):
    found = by_text(source, x)  # of one operation, where those suffice
    bounds, at = Bounds(parse(source).tape), {"x": Coordinate.of(x)}
    right = bounds.by_balls(at, ["x"], digits=20).partials["x"]
    assert found is None or abs(found.partials["x"].value - right.value) <= found.partials["x"].error + right.error  # fmt: skip


@pytest.mark.parametrize(
    ("source", "at"),
    [
        ("x^y", {"x": 1 + 1e-9, "y": 2.5}),
        ("x^2.3", {"x": 1e300}),
        ("sin(x)", {"x": 3.14159}),
        ("ln(x)*y", {"x": 1.0000001, "y": 3.0}),
        ("1/(x-y)", {"x": 1.0001, "y": (10001, 10001)}),
        ("acos(x) + asin(y)", {"x": 0.9999, "y": -0.99}),
        ("exp(x*y)/x", {"x": 10.0, "y": (33, 10)}),
    ],
)
def test_badly_conditioned_points_are_told_or_bounded(source, at):
    tape = parse(source).tape
    point = {name: Coordinate.of(given) for name, given in at.items()}
    names = tuple(tape.variables)
    fast = Bounds(tape).by_floats(point, names, 1e-6)
    slow = Bounds(tape).by_balls(point, names, digits=20)
    if fast is not None:
        assert abs(fast.value.value - slow.value.value) <= fast.value.error
        for name in names:
            off = abs(fast.partials[name].value - slow.partials[name].value)
            assert off <= fast.partials[name].error + slow.partials[name].error


def by_floats(root: Value, x: Value, at: float) -> Answer | None:
    """What the cheap test says of a graph in one variable."""
    return Bounds(Tape(root, [x])).by_floats({"x": Coordinate.of(at)}, ["x"], 5e-11)


@pytest.mark.slow
@pytest.mark.parametrize(("row", "sign"), [(ADD, 1), (SUB, -1)])
def test_a_sum_of_exact_numbers_has_an_error_unless_it_is_exact(row, sign):
    rng = random.Random(f"exact sums {sign}")
    x, y = Value(0.0, "x"), Value(0.0, "y")
    tape = Tape(node(row, (x, y)), [x, y])
    seen = set()
    for _ in range(20_000):
        a, b = (
            rng.randint(-(2 ** rng.choice((3, 20, 53))), 2**53)
            * 2.0 ** rng.randint(-60, 9)
            for _ in "ab"
        )
        found = Bounds(tape).checked({"x": a, "y": b}, [0.0, 0.0], [], 1.0)
        if found is None:
            continue  # they cancel
        is_exact = Fraction(a) + sign * Fraction(b) == Fraction(found.values[tape.root])
        assert (found.error == 0) == is_exact, (a, b)
        seen.add(is_exact)
    assert seen == {True, False}


@pytest.mark.slow
def test_a_product_of_exact_numbers_has_an_error_unless_it_is_exact():
    rng = random.Random("exact products")
    x, y = Value(0.0, "x"), Value(0.0, "y")
    tape = Tape(node(MUL, (x, y)), [x, y])
    seen = set()
    for _ in range(20_000):
        a, b = (
            rng.randint(-(2 ** rng.choice((3, 20, 27, 53))), 2**27)
            * 2.0 ** rng.randint(-500, 400)
            for _ in "ab"
        )
        found = Bounds(tape).checked({"x": a, "y": b}, [0.0, 0.0], [], 1.0)
        if found is None:
            continue  # it is out of reach
        is_exact = Fraction(a) * Fraction(b) == Fraction(found.values[tape.root])
        # nothing is said of numbers at the ends of the range of doubles
        assert is_exact or found.error, (a, b)
        if 1e-240 < abs(found.values[tape.root]) < 1e280:
            assert (found.error == 0) == is_exact, (a, b)
        seen.add(is_exact)
    assert seen == {True, False}


def test_an_absolute_value_is_not_rounded():
    found = Bounds(parse("log(abs(x))").tape).checked({"x": -1.0}, [0.0], ["x"], 1e-12)
    assert (found.values[-1], found.error, found.adjoints[0]) == (0, 0, -1)


@pytest.mark.parametrize("text", ["x^4", "x^(5 - 1)", "(x^2)^(3 - 1)*cos(x)"])
def test_a_whole_power_of_0_and_its_slope_need_no_balls(text):
    found = Bounds(parse(text).tape).checked({"x": 0.0}, [0.0], ["x"], 1e-12)
    assert (found.values[-1], found.error, found.errors["x"]) == (0, 0, 0)


def test_an_inner_node_may_be_used_in_several_places():
    x = Value(None, "x")
    inner = node(SIN, (x,))
    found = by_floats(node(MUL, (inner, inner)), x, 0.5)
    assert found is not None
    assert abs(found.partials["x"].value - math.sin(1)) <= found.partials["x"].error


def test_what_cancels_at_an_inner_node_counts():
    x = Value(None, "x")
    inner = node(
        SIN, (x,)
    )  # f = s*s - 2 s has the slope (2 s - 2) cos x, and s is nearly 1
    square, twice = node(MUL, (inner, inner)), node(ADD, (inner, inner))
    root = node(SUB, (square, twice))
    near = by_floats(root, x, 1.5)
    assert near is not None
    assert near.partials["x"].error > 100 * UNIT * abs(near.partials["x"].value)
    assert by_floats(root, x, math.pi / 2 - 1e-4) is None


@pytest.mark.parametrize("x", [0.0, -3.0])
@pytest.mark.parametrize(
    "text",
    ["x*x", "sin(x)", "x^2 + x", "exp(x)*sin(0x)", "atan(x)^3", "tanh(relu(x - 1))"],
)
def test_a_zero_that_is_plainly_one_needs_no_balls(text, x):
    found = by_text(text, x)
    assert found is not None
    assert found == Bounds(parse(text).tape).answer({"x": Coordinate.of(x)})


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("relu(x)", 0.0),
        ("|x|", 0.0),
        ("sqrt(x)", 0.0),
        ("0*asin(x)", 1.0),
        ("x*relu(x)", 0.0),
        ("0*|x - 1|", 1.0),
        ("0*x^x", -1.0),
        ("exp(x)", -1000.0),
        ("erfc(x)", 40.0),
        ("exp(x)*exp(x)", -400.0),
        ("x*x", 1e-200),
        ("1 - tanh(x)", 40.0),
        ("log10(x)*1e-200", 1e200),
        ("log2(x)*1e-200", 1e200),
        ("sin(x) - sin(x)", 1.0),
        ("(sinh(x)^(-2/3)/3)^(3/4)", 440.0),  # sinh(440)^(-5/3) is 1e-318
    ],
)
def test_a_zero_that_may_be_a_corner_or_a_small_number_is_an_alarm(text, x):
    assert by_text(text, x) is None


def by_text(text: str, x: float) -> Answer | None:
    """What the cheap test says of a text in x."""
    expression = parse(text, ["x"])
    return Bounds(expression.tape).by_floats({"x": Coordinate.of(x)}, ["x"], 5e-11)


@pytest.mark.parametrize(
    ("source", "at"),
    [
        ("if(x > y, max(x, 2)*hypot(x, y), ln(y))", {"x": 3.0, "y": 2.5}),
        ("atan2(y, x) + mod(x, y) - log(x, y)", {"x": 3.1, "y": 2.5}),
        ("floor(x)*y + round(y)*x + sign(x - y)*step(y)", {"x": 3.1, "y": 2.6}),
        ("x*(x < y and not y == 3) + mse(x, y) + huber(x, y)", {"x": 2.1, "y": 2.5}),
    ],
)
def test_choices_and_functions_of_several_arguments_need_no_balls(source, at):
    tape = parse(source).tape
    point = {name: Coordinate.of(given) for name, given in at.items()}
    fast = Bounds(tape).by_floats(point, tuple(at), 5e-11)
    slow = Bounds(tape).by_balls(point, tuple(at), digits=20)
    assert fast is not None
    for name, cheap in {"": fast.value, **fast.partials}.items():
        right = slow.partials[name] if name else slow.value
        assert abs(cheap.value - right.value) <= cheap.error + right.error


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("(x^2-2)/(x^2-2)", "sqrt(2)"),
        ("mod(x^2-3, x^2-3)", "sqrt(3)"),
        ("atan2(x^2-2, x^2-2)", "sqrt(2)"),
        ("log(x^2-1, x^2-1)", "sqrt(2)"),
        ("huber(x, x, x^2-2)", "sqrt(2)"),
    ],
)
def test_what_is_divided_by_itself_has_no_value_where_it_is_0(source, place):
    with pytest.raises(ExprgradError):
        parse(source).evaluate({"x": parse(place).root}, ())


@pytest.mark.parametrize(
    ("source", "value"),
    [("mod(3, x^2+1)", 0), ("mod(6, x^2-2+3)", 0), ("mod(1/2, x^2-3/2)", 0)],
)  # fmt: skip
def test_a_remainder_jumps_in_its_divisor_too(source, value):
    assert parse(source).evaluate({"x": parse("sqrt(2)").root}, ()).value == value


def test_cube_roots_are_further_off_than_other_functions():
    tape, x = parse("cbrt(x)").tape, 3.002241518600889
    found = Bounds(tape).by_floats({"x": Coordinate.of(x)}, ["x"], 5e-11).value
    z = Fraction(found.value)
    assert abs(z**3 - Fraction(x)) < 3 * z**2 * Fraction(found.error)
