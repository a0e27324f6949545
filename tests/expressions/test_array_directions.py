"""Arrays by forward mode: derivatives along directions and whole gradients, against all that knows them otherwise."""

from __future__ import annotations

import json
import math
import pickle
import random
import shlex
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exprgrad import directional, parse
from exprgrad.cli.start import run
from exprgrad.errors import BindingError, ExprgradError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.order import topological
from exprgrad.graph.value import is_variable
from exprgrad.language.parser import Reading
from exprgrad.operations.array_balls import ArrayBall
from exprgrad.operations.operation import TABLE
from exprgrad.sweeps.arrays.bounds import along, primals, pushed, valued
from exprgrad.sweeps.arrays.elements import Elements
from tests.expressions.test_tensors import ARRAY_ROWS, CASES, KEYS, T234

SAMPLES = [
    (name, [*arrays, *rest]) for name, cases in CASES.items() for arrays, *rest in cases
] + [("take", [T234, key]) for key in KEYS]


@pytest.mark.parametrize(
    ("name", "arguments"), SAMPLES, ids=[f"{n}{i}" for i, (n, _) in enumerate(SAMPLES)]
)
def test_tangents_of_array_operations_are_adjoint_to_their_pulls(name, arguments):
    """The weights times J t are J^T times the weights, times t."""
    row, drawn = TABLE[name], np.random.default_rng(3)
    own = [np.float64(a) if isinstance(a, int) and name != "take" else a for a in arguments]  # fmt: skip
    own = [np.asarray(a, float) if name != "take" or i == 0 else a for i, a in enumerate(own)]  # fmt: skip
    result = np.asarray(row.value(np, *own))
    weights = drawn.normal(size=result.shape)
    moving = [row.pull(i) is not None for i in range(len(own))]
    if name == "cross_entropy" and own[1].shape != own[0].shape:
        moving[1] = False  # classes
    tangents = [drawn.normal(size=a.shape) if m else None for a, m in zip(own, moving, strict=True)]  # fmt: skip
    known = [ArrayBall(a) for a in own]
    each = [None if t is None else ArrayBall(t) for t in tangents]
    found = pushed(row, each, valued(row, known), known)
    pulled = sum(
        (row.pull(i)(np, weights, result, *own) * t).sum()
        for i, t in enumerate(tangents)
        if t is not None
    )
    assert found.mid.shape == result.shape
    assert (found.mid * weights).sum() == pytest.approx(pulled, rel=1e-12, abs=1e-13)
    assert (np.broadcast_to(found.radius, result.shape) < 1e-12).all()


def test_every_array_operation_has_a_sample():
    assert {name for name, _ in SAMPLES} == {row.name for row in ARRAY_ROWS}


FUNCTIONS = [
    row.called
    for row in TABLE.values()
    if row.called and not row.whole and not row.mean and row.arity == 1
]
NUMBERS = [0.0, 1.0, -1.0, 0.5, 2.0, -0.7310585786300049, 1.2345, 3.1, -2.6, 1e8, 1e-8]


class Drawn:
    """An expression in the vectors x and y, the matrix X and the number w, with a point and a direction."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self.text = self.write(self._random.choice([1, 2, 3]), self.one("number", "vector", "matrix"))  # fmt: skip
        self.expression = parse(self.text, ["x", "y", "w", "X"])
        names = self.expression.variables
        self.at = {name: self.numbers(name) for name in names}
        self.seed = {n: self.numbers(n) for n in names if self._random.random() < 0.8}

    def one(self, *things):
        return self._random.choice(things)

    def numbers(self, name):
        if name == "w":
            return self.one(*NUMBERS)
        vectors = [[self.one(*NUMBERS) for _ in range(3)] for _ in range(2)]
        return vectors if name == "X" else vectors[0]

    def write(self, depth, kind):
        if not depth or self._random.random() < 0.1:
            return self.leaf(kind)
        own, number, vector, matrix = (
            lambda k=k: self.write(depth - 1, k)
            for k in (kind, "number", "vector", "matrix")
        )
        some = self.one(vector, matrix)
        ways = [
            lambda: f"({own()} {self.one(*'+-*/')} {self.one(own, number)()})",
            lambda: f"{self.one(*FUNCTIONS)}({own()})",
            lambda: f"{self.one('hypot', 'atan2')}({own()}, {own()})",
            lambda: f"({own()})^{self.one('2', '3', '0.5', '(1/3)')}",
            lambda: f"where({own()} > {self.one('0', 'w')}, {own()}, {own()})",
        ]
        of = {
            "number": [
                lambda: (
                    f"{self.one('sum', 'mean', 'amax', 'norm', 'logsumexp')}({some()})"
                ),
                lambda: f"{self.one('mse', 'huber', 'mae')}({vector()}, {vector()})",
                lambda: f"({vector()} @ {vector()})",
                lambda: f"cross_entropy({matrix()}, {self.one('[0, 2]', matrix())})",
                lambda: f"item({vector()}, 1)",
            ],
            "vector": [
                lambda: (
                    f"{self.one('sum', 'mean', 'amin', 'logsumexp')}({matrix()}, 0)"
                ),
                lambda: f"softmax({vector()})",
                lambda: f"[{number()}, {number()}, {number()}]",
                lambda: f"dot(sum({matrix()}, 1), {matrix()})",
                lambda: f"item({matrix()}, 0)",
            ],
            "matrix": [
                lambda: f"softmax({matrix()}, 0)",
                lambda: f"reshape(transpose({matrix()}), 2, 3)",
                lambda: f"[{vector()}, {vector()}]",
                lambda: f"(({matrix()} @ transpose({matrix()})) @ {matrix()})",
            ],
        }
        return self.one(*ways, *of[kind])()

    def leaf(self, kind):
        if kind == "number":
            return self.one("w", "x[1]", "X[0, 2]", "0.3", "2")
        return self.one("X", "[[1, 2, 3], [0.5, 0, 1]]") if kind == "matrix" else self.one("x", "y", "X[1]", "(x + w)")  # fmt: skip

    def elements(self):
        """Each element of the result as an expression of its own, with its point and its direction."""
        f = self.expression
        leaves = {n: ArrayBall.of(np.asarray(x, float)) for n, x in self.at.items()}
        whole = Elements(f.tape, primals(f.tape, leaves, f.written).values)
        for place in np.ndindex(whole.roots.shape):
            root = whole.roots[place]
            own = tuple(leaf for leaf in topological(root) if is_variable(leaf))
            part = Expression(Reading(f.source, root, own, (), False))
            places = {leaf.name: whole.places[leaf] for leaf in own}
            still = {n: np.zeros_like(x) for n, x in self.at.items()}
            at, seed = (
                {
                    label: float(np.asarray(given[n])[p])
                    for label, (n, p) in places.items()
                }
                for given in (self.at, still | self.seed)
            )
            yield place, part, at, seed


def answer(drawn):
    """The derivative along the direction; None where the expression is of numbers, or not defined."""
    if not drawn.expression.takes_arrays(drawn.at):
        return None
    try:
        return directional(drawn.expression, drawn.at, drawn.seed)
    except ExprgradError:
        return None


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_every_element_of_a_derivative_is_what_it_is_alone(seed):
    drawn = Drawn(seed)
    found = answer(drawn)
    if found is None:
        return
    slopes = np.asarray(math.nan if found.derivative is None else found.derivative)
    kinds = {corner.variable: corner.kind for corner in found.corners}
    for place, part, at, direction in drawn.elements():
        try:
            alone = directional(part, at, direction, digits=17)
        except ExprgradError:
            continue  # it overflows on the way; the answer asked with fewer digits
        if alone.slope.middle is not None and alone.derivative is None:
            continue  # beyond the range of doubles
        if alone.derivative is None:
            assert math.isnan(slopes[place])
            assert kinds[str(list(place)) if place else ""] == alone.corner.kind
            continue
        off = abs(slopes[place] - alone.derivative)
        assert off <= np.asarray(found.error)[place] + alone.slope.error, drawn.text
        assert off <= 1e-10 * abs(alone.derivative), drawn.text


@settings(max_examples=40)
@given(st.integers(0, 10**9))
def test_a_sweep_of_tangents_is_a_difference_quotient_within_its_bound(seed):
    """By differences with 120 digits, of steps of 10^-50."""
    drawn = Drawn(seed)
    if answer(drawn) is None:
        return
    f, step = drawn.expression, Fraction(1, 10**50)
    leaves = {n: ArrayBall.of(np.asarray(x, float)) for n, x in drawn.at.items()}
    own = {n: ArrayBall.of(np.asarray(x, float)) for n, x in drawn.seed.items()}
    found = primals(f.tape, leaves, f.written)
    tangent = along(f.tape, found, dict.fromkeys(f.tape.variables) | own)
    radius = np.broadcast_to(tangent.radius, tangent.mid.shape)
    for place, part, at, direction in drawn.elements():
        if found.refused or not radius[place] < 1e-6 * abs(tangent.mid[place]):
            continue  # a corner may be near
        sides = []
        for sign in (1, -1):
            moved = {n: Fraction(x) + sign * step * Fraction(direction[n]) for n, x in at.items()}  # fmt: skip
            value = part.evaluate(moved, (), digits=120).known()
            sides.append(Decimal(str(value.decimal(120))))
        quotient = float((sides[0] - sides[1]) / Decimal(2 * step.numerator) * step.denominator)  # fmt: skip
        off = abs(tangent.mid[place] - quotient)
        assert off <= radius[place] + 1e-15 * abs(quotient), drawn.text


@settings(max_examples=60)
@given(st.integers(0, 10**9))
def test_both_modes_give_the_same_gradient_which_the_direction_is_taken_along(seed):
    drawn = Drawn(seed)
    found = answer(drawn)
    if found is None or np.ndim(found.value):
        return
    try:
        reverse = drawn.expression.evaluate(drawn.at)
        forward = drawn.expression.evaluate(drawn.at, mode="forward")
    except ExprgradError:
        return  # a partial is beyond the range of doubles
    assert forward.sweeps == sum(np.size(x) for x in drawn.at.values())
    assert forward.corners == reverse.corners
    total, known = 0.0, found.error
    for name in drawn.at:
        one, other = (np.asarray(e.gradient[name], float) for e in (reverse, forward))
        errors = np.asarray(reverse.errors[name]), np.asarray(forward.errors[name])
        assert (np.isnan(one) == np.isnan(other)).all()
        there = ~np.isnan(one)
        assert (np.abs(one - other) <= sum(errors))[there].all(), drawn.text
        move = np.asarray(drawn.seed.get(name, np.zeros_like(one)))
        moves = move != 0
        total += (one * move)[moves].sum()
        known += ((errors[0] + 1e-15 * np.abs(one)) * np.abs(move))[moves].sum() * 10
    if not math.isnan(total) and found.derivative is not None:
        assert abs(total - found.derivative) <= known, drawn.text


@pytest.mark.parametrize(
    ("text", "at", "seed", "slope"),
    [
        ("sum(x^2)*y", {"x": [1, 2], "y": 3}, {"y": 1}, 5),
        ("x^2*y", {"x": [1, 2], "y": 3}, {"x": [1, 0], "y": 1}, [7, 4]),
        ("sum(|x|)", {"x": [0, -2]}, {"x": [0, 1]}, -1),
        ("max(x)", {"x": [1, 1, 0]}, {"x": [2, 2, 5]}, 2),
        ("sum(where(x > 0, sqrt(x), 0))", {"x": [-1, 4]}, {"x": [1, 1]}, 0.25),
        ("x @ y", {"x": [1e16, 1, -1e16], "y": [1, 1, 1]}, {"y": [1, 1, 1]}, 1),
        ("norm([a, b])", {"a": 3, "b": 4}, {"a": 1}, 0.6),
        ("sum((1 - cos(x))/x^2)", {"x": [1e-8]}, {"x": [1]}, -1e-8 / 12),
        ("|x|*x", {"x": [0, 2]}, {"x": [1, 1]}, [0, 4]),
        ("d/dx |x|*x", {"x": [-1.0, 2.0]}, {"x": [1, 1]}, [-2, 2]),
        ("sum(x)", {"x": [1, 2]}, {}, 0),
        ("w*huber(x, y)", {"x": [1, 2], "y": [1, 2], "w": 3}, {"w": 1}, 0),
        ("exp(x[0])/exp(x[1])", {"x": [1000, 999]}, {"x": [1, 0]}, math.e),
    ],
)
def test_derivatives_along_directions(text, at, seed, slope):
    found = directional(text, at, seed)
    assert np.asarray(found.derivative) == pytest.approx(np.asarray(slope), rel=1e-10)
    assert (np.abs(found.derivative - np.asarray(slope)) <= found.error + 1e-15 * np.abs(slope)).all()  # fmt: skip
    assert found.corners == ()
    assert np.array_equal(found.value, parse(text).evaluate(at).value)


@pytest.mark.parametrize(
    ("text", "at", "seed", "corners"),
    [
        ("sum(|x|)", {"x": [0, 1]}, {"x": [1, 0]}, [("", "corner", -1, 1)]),
        ("|x|*y", {"x": [0, 1], "y": 3}, {"x": [1, 1]}, [("[0]", "corner", -3, 3)]),
        ("max(x)", {"x": [1, 1]}, {"x": [1, 2]}, [("", "corner", 1, 2)]),
        ("sqrt(x^2)", {"x": [1, 0]}, {"x": [1, 1]}, [("[1]", "corner", -1, 1)]),
        ("sum(sqrt(x*x))", {"x": [0, 2]}, {"x": [1, 0]}, [("", "corner", -1, 1)]),
        ("sum(sign(x^2))", {"x": [1, 0]}, {"x": [0, 1]}, [("", "jump", None, None)]),
        ("norm(x)", {"x": [0, 0]}, {"x": [3, 4]}, [("", "corner", -5, 5)]),
    ],
)
def test_a_kink_in_the_way_of_a_direction_is_told(text, at, seed, corners):
    found = directional(text, at, seed)
    own = [(c.variable, c.kind, c.left, c.right) for c in found.corners]
    assert own == corners
    slopes = np.asarray(math.nan if found.derivative is None else found.derivative)
    assert np.isnan(slopes).sum() == len(corners)


@pytest.mark.slow
def test_many_kinks_that_do_not_move_are_no_obstacle_and_those_that_do_are_left_open():
    x = np.zeros(60_000)
    x[7] = 1.0
    f = parse("relu(x) - relu(-x)/2")
    found = directional(f, {"x": x}, {"x": x})
    assert (found.derivative == x).all()
    assert found.corners == ()
    open_ = directional(f, {"x": x}, {"x": x + 1})
    assert open_.derivative[7] == 2
    assert np.isnan(np.delete(open_.derivative, 7)).all()
    assert {c.kind for c in open_.corners} == {"undetermined"}


def test_numbers_of_a_direction_are_what_was_typed(tmp_path, capsys):
    (tmp_path / "v.csv").write_text("0.1,0.2,0.3\n")
    at = '--at "x=[1,1,1]"'
    for seed in ("x=[0.1, 0.2, 0.3]", f"x=@{tmp_path}/v.csv", "x=0.1*[1, 2, 3]"):
        argv = f'eval "x[0] + x[1] - x[2]" {at} --seed "{seed}" --format json'
        assert run(shlex.split(argv)) == 0
        assert json.loads(capsys.readouterr().out)["derivative"] == 0


def test_a_direction_has_the_shape_of_its_variable():
    f = parse("sum(x^2)*y")
    at = {"x": [1, 2], "y": 3}
    for seed, message in [
        ({"x": [1, 2, 3]}, r"shape \(2,\), but its direction has the shape \(3,\)"),
        ({"x": 1}, r"x has the shape \(2,\), but its direction is a number"),
        ({"y": [1]}, r"y is a number, but its direction has the shape \(1,\)"),
        ({"z": 1}, "no variable z"),
        ({"x": ["a", "b"]}, "x: this is not an array of numbers"),
    ]:
        with pytest.raises(BindingError, match=message):
            directional(f, at, seed)
    with pytest.raises(BindingError, match="x is a number"):
        directional("x^2", {"x": 2}, {"x": [1]})


@pytest.mark.slow
def test_forward_mode_takes_a_sweep_per_element_and_is_refused_beyond_reason():
    found = parse("mse(X @ w + b, y)").evaluate(
        {"X": [[1, 2], [3, 4]], "w": [0.5, 0.2], "b": 0, "y": [1, 2]},
        ["w", "b"],
        mode="forward",
    )
    assert found.sweeps == 3
    with pytest.raises(UsageError, match="1,000,000 sweeps") as caught:
        parse("sum(x^2)").evaluate({"x": np.ones(1_000_000)}, mode="forward")
    assert caught.value.hint == "mode='reverse'"


def test_forward_mode_without_bounds_has_the_slopes_of_the_rules():
    f, at = parse("sum(relu(x)*w) + max(x)"), {"x": [0.0, 2.0, 2.0], "w": 3.0}
    plain = f.evaluate(at, mode="forward", refine=False)
    same = f.evaluate(at, refine=False)
    assert plain.gradient["x"].tolist() == same.gradient["x"].tolist()
    assert plain.gradient["w"] == 4
    assert not plain.bounded


def test_a_derivative_along_a_direction_is_pickled():
    found = directional("norm(x)*y", {"x": [3, 4], "y": 2}, {"x": [1, 0]})
    assert pickle.loads(pickle.dumps(found)).derivative == found.derivative


# The command line


def out(capsys, argv, code=0):
    assert run(shlex.split(argv)) == code
    return capsys.readouterr()


def test_a_seed_is_shown_with_its_derivative_in_every_format(capsys):
    line = 'eval "|x|*y" --at "x=[0,2],y=3" --seed "x=[0,0.5]"'
    assert "derivative along the seed: [0, 1.5]" in out(capsys, line).out
    fields = json.loads(out(capsys, f"{line} --format json").out)
    assert fields["derivative"] == [0, 1.5]
    assert fields["seed"] == {"x": [0, 0.5]}
    assert all(0 <= e < 1e-13 for e in fields["derivative_error"] + fields["error"])
    assert "not_differentiable" not in fields
    assert out(capsys, f"{line} --format csv").out.splitlines() == [
        "name,value,seed,derivative",
        "result[0],0,,0",
        "result[1],6,,1.5",
        "x[0],0,0,",
        "x[1],2,0.5,",
        "y,3,0,",
    ]
    assert "| x | [0, 2] | [0, 0.5] |" in out(capsys, f"{line} --format markdown").out
    assert "$x$ & $[0, 2]$ & $[0, 0.5]$" in out(capsys, f"{line} --format latex").out


def test_an_element_without_a_derivative_is_named(capsys):
    line = 'eval "|x|*y" --at "x=[0,2],y=3" --seed "x=[1,0.5]"'
    shown = out(capsys, line, 3)
    assert "derivative along the seed: [none, 1.5]" in shown.out
    assert "the derivative of element [0] along this direction does not exist" in shown.err  # fmt: skip
    fields = json.loads(out(capsys, f"{line} --format json", 3).out)
    assert fields["derivative"] == [None, 1.5]
    assert fields["not_differentiable"]["result[0]"]["left"] == -3
    edge = 'eval "sum(sqrt(x)*sqrt(x))" --at "x=[0,2]" --seed "x=[1,1]"'
    assert "derivative along the seed is the slope from the right; the other side" in out(capsys, edge).out  # fmt: skip


def test_a_direction_of_another_shape_is_shown_where_it_was_typed(capsys):
    for seed, place, fix in [
        ("x=[1,0,2]", 0, "x=[1, 0]"),
        ("y=2, x=1", 5, "x=[1, 0]"),
        ("x=[1,0], y=[1]", 9, "y=1"),
    ]:
        line = f'eval "x^2*y" --at "x=[1,2],y=3" --seed "{seed}"'
        err = out(capsys, line, 2).err.splitlines()
        assert err[2].index("^") - err[1].index(seed) == place
        assert err[3] == f"  hint: for example {fix}"
    large = (
        'eval "sum(X)" --at "X=reshape(0*softmax([1,2,3,4,5,6,7,8]),2,4)" --seed X=1'
    )
    assert "give an array of the shape (2, 4)" in out(capsys, large, 2).err


def test_forward_mode_is_counted(capsys):
    shown = out(capsys, 'eval "sum(x^2)*y" --at "x=[1,2],y=3" --mode forward').out
    assert "[6, 12]" in shown
    assert "forward mode took 3 sweeps, one per element of the variables" in shown


def test_a_session_takes_arrays_by_forward_mode(tmp_path, capsys):
    path = tmp_path / "s.eg"
    path.write_text(":set mode forward\nx = [1, 2]; w = 3\nw*sum(x^2)\n")
    shown = out(capsys, f"run {path}").out
    assert "[6, 12]" in shown
    assert "forward mode took 3 sweeps" in shown


def test_a_variable_with_more_axes_than_the_slope_does_not_matter():
    found = directional("d/dx(sqrt(0)^sqrt(x))", {"x": [1e-310]}, {"x": [1.0]})
    assert (found.value.tolist(), found.derivative) == ([0], None)


@pytest.mark.filterwarnings("error")
def test_a_bound_beyond_doubles_is_no_warning():
    found = directional("-max(sum(x), 0.5)", {"x": 1e308}, {"x": 1e308})
    assert (found.derivative, found.error) == (-1e308, math.inf)
