"""HIPS autograd's published examples in this language, with the numbers that it gives for them.

Left out are those whose functions the language lacks (convolutions, matrix factorisations) and those that are
larger versions of what is here.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from exprgrad import Value, derivatives, parse
from exprgrad.expressions.expression import Expression
from tests.recorded import near, read
from tests.recorded.examples import (
    EXAMPLES,
    LETTERS,
    ROOTS_OF,
    ROSENBROCK_AT,
    SEEN,
    SINE_AT,
    TANH_AT,
    TEXT,
)

HIPS = read("hips.json")["values"]

LOST = 1e-8
"""Gradients of gradients lose digits there: the sixth derivative of tanh at -2 has nine."""


def test_tanh_and_its_derivatives_up_to_the_sixth():
    f = parse("(1 - exp(-2x))/(1 + exp(-2x))")
    for x, recorded in zip(TANH_AT, HIPS["tanh"], strict=True):
        near(derivatives(f, {"x": x}, "x", 6), recorded, LOST)


def sine(x):
    """The series of the sine, as long as its terms are above 0.001."""
    total, term, i = x, x, 0
    while abs(term.data) > 0.001:
        i += 1
        term = -term * x**2 / ((2 * i + 1) * (2 * i))
        total = total + term
    return total


def root(a):
    """The square root as the fixed point of x = (x + a/x)/2."""
    x, before = a, 0.0
    while abs(x.data - before) >= 1e-12:
        before, x = x.data, 0.5 * (x + a / x)
    return x


@pytest.mark.parametrize(
    ("name", "loop", "points"),
    [("sinusoid", sine, SINE_AT), ("fixed points", root, ROOTS_OF)],
)
def test_loops_that_end_by_the_data_are_differentiated_as_they_ran(name, loop, points):
    for at, recorded in zip(points, HIPS[name], strict=True):
        leaf = Value(at, "x")
        result = loop(leaf)
        result.backward()
        near([result.data, leaf.grad], recorded[:2])
        near(derivatives(Expression.of(result), {"x": at}, "x", 2), recorded)


def test_rosenbrock_s_function_with_gradient_and_hessian():
    f = parse("100(y - x^2)^2 + (1 - x)^2")
    for point, (value, gradient, hessian) in zip(
        ROSENBROCK_AT, HIPS["rosenbrock"], strict=True
    ):
        at = dict(zip("xy", point, strict=True))
        found = f.evaluate(at)
        near(found.value, value)
        near([found.gradient[n] for n in "xy"], gradient)
        rows = f.hessian(at)
        near([[rows[a][b] for b in "xy"] for a in "xy"], hessian)


def part(letter, centre, factor):
    """The logarithm of the share and the density of a component, for every point."""
    lower = f"({factor}*[[1, 0], [1, 1]])"
    volume = f"ln|item({factor}, 0, 0)*item({factor}, 1, 1)|"
    squares = f"sum(((X - {centre}) @ transpose{lower})^2, 1)"
    return f"item(p, {letter}) - logsumexp(p) + {volume} - ln(2pi) - {squares}/2"


def network(nonlinearity):
    """The log-posterior: a likelihood, and priors of weights W, V, u and biases b, c, d."""
    inner = nonlinearity.format("x @ W + b")
    inner = nonlinearity.format(f"{inner} @ V + c")
    sizes = {"W": 4, "b": 4, "V": 16, "c": 4, "u": 4, "d": 1}
    prior = "".join(f" - {n}*nll_gaussian({w}, 0, 2)" for w, n in sizes.items())
    return f"-9nll_gaussian({inner} @ u + d, y, 0.1){prior}"


def sampled(i):
    """A coordinate of the points that the noise becomes."""
    return f"(item(transpose(z), {i})*exp(item(s, {i})) + item(m, {i}))"


TEXTS = {
    "logistic regression": "-sum(ln(t*sigmoid(X @ w) + (1 - t)*sigmoid(-X @ w)))",
    "logsumexp": "logsumexp(y^2)",
    "gaussian mixture": f"sum(logsumexp([{part(0, 'm', 'A')}, {part(1, 'k', 'B')}], 0))",
    "negative binomial": "sum(lgamma(x + exp(r)) - lgamma(exp(r)) - lgamma(x + 1)"
    " + x*ln(sigmoid(p)) + exp(r)*ln(sigmoid(-p)))",
    "network tanh": network("tanh({})"),
    "network rbf": network("exp(-({})^2)"),
    "black box variational inference": "1 + ln(2pi) + sum(s)"
    f" - nll_gaussian({sampled(1)}, 0, 1.35) - nll_gaussian({sampled(0)}, 0, exp{sampled(1)})",
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_examples_as_expressions(name):
    at, fixed = EXAMPLES[name]
    value, gradient = HIPS[name]
    found = parse(TEXTS[name], {**at, **fixed}).evaluate({**at, **fixed}, at)
    near(found.value, value)
    for key, recorded in gradient.items():
        assert np.shape(found.gradient[key]) == at[key].shape
        near(found.gradient[key], recorded, 1e-11)


def recurrent_network(h, W, V):
    """The log-likelihood of a text, letter by letter."""
    total = 0.0
    for letter, following in itertools.pairwise(TEXT):
        h = (W[letter] + h @ W[LETTERS:-1] + W[-1]).tanh()
        logits = (h @ V[:-1] + V[-1])[0]
        total = total + logits[following] - logits.logsumexp()
    return total


def hidden_markov_model(a, T, E):
    """The log-likelihood of observations, by messages that go forward."""
    first = a - a.logsumexp()
    moves, shown = (x - x.logsumexp(1).reshape(3, 1) for x in (T, E))
    message = first + shown[:, SEEN[0]]
    for seen in SEEN[1:]:
        message = (message.reshape(3, 1) + moves).logsumexp(0) + shown[:, seen]
    return message.logsumexp()


@pytest.mark.parametrize(
    ("name", "loop"),
    [
        ("recurrent network", recurrent_network),
        ("hidden Markov model", hidden_markov_model),
    ],
)
def test_examples_as_loops_over_arrays(name, loop):
    leaves = {key: Value(x) for key, x in EXAMPLES[name].at.items()}
    value, gradient = HIPS[name]
    result = loop(**leaves)
    result.backward()
    near(result.data, value)
    for key, recorded in gradient.items():
        near(leaves[key].grad, recorded, 1e-11)


def test_every_record_is_compared():
    loops = {"sinusoid", "fixed points", "recurrent network", "hidden Markov model"}
    assert set(HIPS) == {"tanh", "rosenbrock", *TEXTS, *loops}
