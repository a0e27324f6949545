"""The operations, shapes and arguments that PyTorch's values are recorded for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tests.recorded import numbers

FULL = (2, 3, 2)
"""The largest shape of operands that broadcast."""

DOMAINS: dict[str, tuple[tuple[float, float], ...]] = {
    "asin": ((-0.9, 0.9),), "acos": ((-0.9, 0.9),), "atanh": ((-0.9, 0.9),),
    "acosh": ((1.1, 3),), "tan": ((-1.4, 1.4),), "log1p": ((-0.9, 2),),
    "sin": ((-4, 4),), "cos": ((-4, 4),), "tanh": ((-3, 3),), "sigmoid": ((-6, 6),),
    "softplus": ((-6, 6),), "relu": ((-2, 2),), "abs": ((-2, 2),), "sign": ((-2, 2),),
    "erf": ((-2, 2),), "erfc": ((-2, 2),), "sinh": ((-3, 3),), "cosh": ((-3, 3),),
    "asinh": ((-3, 3),), "atan": ((-3, 3),), "exp": ((-3, 3),), "expm1": ((-3, 3),),
    "neg": ((-3, 3),), "floor": ((-3, 3),), "ceil": ((-3, 3),), "round": ((-3, 3),),
    "sinc": ((-4, 4),), "sec": ((-1.4, 1.4),),
    "asec": ((1.1, 3),), "acsc": ((1.1, 3),), "acoth": ((1.1, 3),), "asech": ((0.1, 0.9),),
    "add": ((-2, 2), (-2, 2)), "sub": ((-2, 2), (-2, 2)), "mul": ((-2, 2), (-2, 2)),
    "atan2": ((-2, 2), (-2, 2)), "hypot": ((-2, 2), (-2, 2)), "mod": ((-3, 3), (0.5, 2)),
    "log": ((0.25, 2), (2, 5)), "min": ((-2, 2), (-2, 2)), "max": ((-2, 2), (-2, 2)),
    "mse": ((-2, 2), (-2, 2)), "mae": ((-2, 2), (-2, 2)), "huber": ((-2, 2), (-2, 2)),
    "huber_at": ((-2, 2), (-2, 2)), "bce": ((0.05, 0.95), (0.05, 0.95)),
    "bce_logits": ((-4, 4), (0.05, 0.95)), "nll_gaussian": ((-2, 2), (-2, 2), (0.5, 2)),
    "if": ((-2, 2), (-2, 2)), "cross_entropy": ((-2, 2), (0.05, 0.95)),
}  # fmt: skip
"""From where to where the arguments go; 0.25 to 2 for other elementwise operations."""


class Case(NamedTuple):
    """An operation on arrays of some shapes, and constants after them.

    `given` are arguments that are not made by the formula.
    """

    operation: str
    shapes: tuple[tuple[int, ...], ...]
    rest: tuple[Any, ...] = ()
    given: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """What the case is called in the record."""
        shown = [repr(s).replace(" ", "") for s in self.shapes]
        return " ".join([self.operation, *shown, *map(repr, self.rest + self.given)])

    def arguments(self) -> list[Any]:
        """The arrays that a gradient is taken for."""
        if self.given:
            return [np.array(a, float) for a in self.given]
        own = DOMAINS.get(self.operation, ())
        return [
            numbers(shape, i, *(own[i] if i < len(own) else (0.25, 2)))
            for i, shape in enumerate(self.shapes)
        ]


def shapes() -> list[tuple[int, ...]]:
    """Every shape that broadcasts to FULL: of up to three axes, each in full or of length 1."""
    found = []
    for axes in range(len(FULL) + 1):
        tail = FULL[len(FULL) - axes :]
        found += list(itertools.product(*((1, n) for n in tail)))
    return found


EVERY_PATTERN = ("mul", "div", "pow")
"""Recorded for every pair of shapes."""

IN_TURN = (
    "add", "sub", "hypot", "atan2", "min", "max", "mod", "log", "mse", "mae", "huber", "bce", "bce_logits", "root",
)  # fmt: skip
"""Recorded for some pairs each, together for every pair."""

OF_ONE = (
    "neg", "sqrt", "cbrt", "exp", "expm1", "ln", "log1p", "log2", "log10",
    "sin", "cos", "tan", "sec", "csc", "cot", "asin", "acos", "atan", "asec", "acsc", "acot",
    "sinh", "cosh", "tanh", "sech", "csch", "coth", "asinh", "acosh", "atanh", "asech", "acsch", "acoth",
    "abs", "sign", "floor", "ceil", "round", "relu", "softplus", "sigmoid", "erf", "erfc",
    "gamma", "lgamma", "digamma", "sinc",
)  # fmt: skip

WITHOUT_ADJOINT = ("lt", "le", "gt", "ge", "eq", "ne", "not", "and", "or")
"""Truth has no slope in either library; `if` is recorded with a condition that is given."""

NOT_IN_TORCH = {
    "pow_even": "x^(p/q) is the real root here; PyTorch has nan for x < 0",
    "pow_odd": "the same",
    "polygamma": "its order is no array; derivatives of digamma are recorded",
    "sinc_n": "PyTorch has no derivatives of sinc as functions",
    "step": "PyTorch's heaviside has no derivative",
    "factorial": "of whole numbers only",
}


def _elementwise() -> Iterator[Case]:
    for row in OF_ONE:
        yield Case(row, ((2, 3),))
    for i, pair in enumerate(itertools.product(shapes(), shapes())):
        for row in (*EVERY_PATTERN, IN_TURN[i % len(IN_TURN)]):
            yield Case(row, pair)
    truth = [[1, 0, 1], [0, 0, 1]]
    triples = list(itertools.product([(), (3,), (2, 1), (2, 3), (2, 1, 3)], repeat=3))
    for a, b, c in triples[:: len(triples) // 24]:
        yield Case("nll_gaussian", (a, b, c))
        yield Case("huber_at", (a, b), (0.75,))
        yield Case("if", (a, b), (truth,))


def _reductions() -> Iterator[Case]:
    for row in ("sum", "mean", "amax", "amin", "logsumexp", "softmax"):
        for shape in [(4,), (2, 3), (2, 3, 4)]:
            yield Case(row, (shape,))
            for axis in range(-len(shape), len(shape)):
                yield Case(f"{row}_along", (shape,), (axis,))
    for shape in [(4,), (2, 3), (2, 3, 4)]:
        yield Case("norm", (shape,))
        yield Case("transpose", (shape,))


PRODUCTS = [
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((1, 3), (3, 1)),
    ((2, 2, 3), (3,)), ((3,), (2, 3, 2)), ((2, 2, 3), (3, 4)), ((2, 3), (2, 3, 2)),
    ((2, 2, 3), (2, 3, 2)), ((1, 2, 3), (4, 3, 2)), ((4, 2, 3), (1, 3, 2)),
    ((2, 1, 2, 3), (3, 3, 2)),
]  # fmt: skip
"""Shapes for `@`: vectors, matrices, stacks of matrices, stacks that broadcast."""

DOTS = [
    *PRODUCTS[:6], ((3,), (2, 3, 2)), ((2, 2, 3), (3, 4)), ((2, 3), (2, 3, 2)), ((2, 2, 3), (2, 3, 2)),
    ((), (2, 3)), ((2, 3), ()), ((), ()),
]  # fmt: skip


def _structure() -> Iterator[Case]:
    yield from (Case("matmul", pair) for pair in PRODUCTS)
    yield from (Case("dot", pair) for pair in DOTS)
    for shape, rest in [((2, 3), (6,)), ((2, 3), (3, -1)), ((2, 3, 4), (4, 6)), ((4,), (2, 1, 2))]:  # fmt: skip
        yield Case("reshape", (shape,), rest)
    yield Case("stack", ((3,), (3,)))
    yield Case("stack", ((2, 2), (2, 2), (2, 2)))
    yield Case("stack", ((), (), ()))
    for shape, rest in [((4,), (0,)), ((4,), (-1,)), ((2, 3), (1,)), ((2, 3), (-1, 2)), ((2, 3, 4), (1, 0, -2)), ((2, 3, 4), (0, 2))]:  # fmt: skip
        yield Case("item", (shape,), rest)
    for key in ["[1:]", "[::2]", "[0, 0, 2]"]:
        yield Case("take", ((4, 2),), (key,))
    yield Case("cross_entropy", ((3, 4), (3, 4)))
    yield Case("cross_entropy", ((4,), (4,)))
    yield Case("cross_entropy", ((3, 4),), ([0, 3, 1],))
    yield Case("cross_entropy", ((2, 3, 4),), ([[0, 1, 2], [3, 0, 1]],))


def _ties() -> Iterator[Case]:
    one, three = ([1.0, 5.0, 5.0],), ([[2.0, 2.0, 1.0], [0.0, 2.0, 0.0]],)
    for row in ("amax", "amin"):
        yield Case(row, (), (), one)
        yield Case(row, (), (), three)
        yield Case(f"{row}_along", (), (1,), three)
        yield Case(f"{row}_along", (), (0,), three)
    for row in ("max", "min", "mae"):
        yield Case(row, (), (), ([1.0, 2.0, 3.0], [1.0, 0.0, 3.0]))
    yield Case("huber", (), (), ([1.0, -1.0, 0.0], [0.0, 0.0, 0.0]))
    for row in ("abs", "sign", "relu"):
        yield Case(row, (), (), ([0.0, -1.0, 1.0],))
    yield Case("norm", (), (), ([0.0, 0.0],))


CASES = [*_elementwise(), *_reductions(), *_structure(), *_ties()]
