"""Record the values and gradients of HIPS autograd's published examples in `hips.json`.

To renew the record, in an environment with HIPS autograd and NumPy (1.9.1 made the present one):

    pip install autograd scipy && python -m tests.recorded.hips_values

The functions are those of the examples, written anew: small, and with the numbers of `examples.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import autograd.numpy as np
import autograd.scipy.stats as stats
from autograd import elementwise_grad, grad, hessian
from autograd.scipy.special import gammaln
from autograd.scipy.special import logsumexp as their_logsumexp

from tests.recorded import write
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

Arrays = dict[str, Any]


def tanh(x: Any) -> Any:
    """By its definition."""
    return (1.0 - np.exp(-2 * x)) / (1.0 + np.exp(-2 * x))


def sine(x: Any) -> Any:
    """The series, as far as its terms are above 0.001."""
    total = term = x
    i = 0
    while abs(term) > 0.001:
        i += 1
        term = -term * x**2 / ((2 * i + 1) * (2 * i))
        total = total + term
    return total


def square_root(a: Any) -> Any:
    """The fixed point of x = (x + a/x)/2."""
    x = before = 1.0 * a
    for _ in range(100):
        before, x = x, 0.5 * (x + a / x)
        if abs(x - before) < 1e-12:
            break
    return x


def rosenbrock(x: Any) -> Any:
    """The valley."""
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def logistic_regression(at: Arrays, X: Any, t: Any) -> Any:
    """The negative log-likelihood of labels."""
    chances = 0.5 * (np.tanh(np.dot(X, at["w"]) / 2) + 1)
    return -np.sum(np.log(chances * t + (1 - chances) * (1 - t)))


def logsumexp(at: Arrays) -> Any:
    """Of squares."""
    return np.sum(their_logsumexp(at["y"] ** 2))


def gaussian_mixture(at: Arrays, X: Any) -> Any:
    """The log-likelihood of points; factors of the precisions are triangular."""
    weights = at["p"] - their_logsumexp(at["p"])
    parts = []
    for i, (centre, factor) in enumerate([("m", "A"), ("k", "B")]):
        lower = at[factor] * np.tril(np.ones((2, 2)))
        covariance = np.linalg.inv(np.dot(lower.T, lower))
        density = stats.multivariate_normal.logpdf(X, at[centre], covariance)
        parts.append(weights[i] + density)
    return np.sum(their_logsumexp(np.vstack(parts), axis=0))


def negative_binomial(at: Arrays, x: Any) -> Any:
    """The log-likelihood of counts; size and chance without bounds."""
    r, p = np.exp(at["r"]), 1 / (1 + np.exp(-at["p"]))
    each = gammaln(x + r) - gammaln(r) - gammaln(x + 1) + x * np.log(p) + r * np.log1p(-p)  # fmt: skip
    return np.sum(each)


def network(nonlinearity: Callable[[Any], Any]) -> Callable[..., Any]:
    """The log-posterior of a network's weights, as Gaussians."""

    def posterior(at: Arrays, x: Any, y: Any) -> Any:
        inner = nonlinearity(np.dot(x, at["W"]) + at["b"])
        inner = nonlinearity(np.dot(inner, at["V"]) + at["c"])
        out = np.dot(inner, at["u"]) + at["d"]
        prior = sum(np.sum(stats.norm.logpdf(w, 0.0, 2.0)) for w in at.values())
        return prior + np.sum(stats.norm.logpdf(y, out, 0.1))

    return posterior


def variational_inference(at: Arrays, z: Any) -> Any:
    """The evidence lower bound of a funnel, by fixed noise."""
    x = z * np.exp(at["s"]) + at["m"]
    funnel = stats.norm.logpdf(x[:, 1], 0, 1.35)
    funnel = funnel + stats.norm.logpdf(x[:, 0], 0, np.exp(x[:, 1]))
    entropy = 0.5 * 2 * (1 + np.log(2 * np.pi)) + np.sum(at["s"])
    return entropy + np.mean(funnel)


def recurrent_network(at: Arrays) -> Any:
    """The log-likelihood of a text, letter by letter."""
    hidden, total = at["h"], 0.0
    for letter, following in itertools.pairwise(TEXT):
        one = np.eye(LETTERS)[letter : letter + 1]
        hidden = np.tanh(np.dot(np.hstack([one, hidden, np.ones((1, 1))]), at["W"]))
        logits = np.dot(np.hstack([hidden, np.ones((1, 1))]), at["V"])
        total = total + (logits - their_logsumexp(logits))[0, following]
    return total


def hidden_markov_model(at: Arrays) -> Any:
    """The log-likelihood of observations, by messages that go forward."""

    def normalised(x: Any) -> Any:
        return x - their_logsumexp(x, axis=-1, keepdims=True)

    first, moves, shown = map(normalised, (at["a"], at["T"], at["E"]))
    message = first + shown[:, SEEN[0]]
    for seen in SEEN[1:]:
        message = their_logsumexp(message[:, None] + moves, axis=0) + shown[:, seen]
    return their_logsumexp(message)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "logistic regression": logistic_regression,
    "logsumexp": logsumexp,
    "gaussian mixture": gaussian_mixture,
    "negative binomial": negative_binomial,
    "network tanh": network(np.tanh),
    "network rbf": network(lambda x: np.exp(-(x**2))),
    "black box variational inference": variational_inference,
    "recurrent network": recurrent_network,
    "hidden Markov model": hidden_markov_model,
}


def orders(f: Callable[[Any], Any], x: float, most: int) -> list[float]:
    """The value and the derivatives at a point."""
    found = []
    for _ in range(most + 1):
        found.append(float(f(x)))
        f = elementwise_grad(f)
    return found


def records() -> Iterator[tuple[str, Any]]:
    """What is recorded, by the names of the examples."""
    yield "tanh", [orders(tanh, x, 6) for x in TANH_AT]
    yield "sinusoid", [orders(sine, x, 2) for x in SINE_AT]
    yield "fixed points", [orders(square_root, a, 2) for a in ROOTS_OF]
    points = [np.array(p) for p in ROSENBROCK_AT]
    yield "rosenbrock", [
        [float(rosenbrock(p)), grad(rosenbrock)(p).tolist(), hessian(rosenbrock)(p).tolist()]
        for p in points
    ]  # fmt: skip
    for name, f in FUNCTIONS.items():
        at, fixed = EXAMPLES[name]
        gradient = grad(f)(at, **fixed)
        flat = {key: np.ravel(g).tolist() for key, g in gradient.items()}
        yield name, [float(f(at, **fixed)), flat]


def main() -> None:
    """Write the record."""
    write("hips.json", {"autograd": version("autograd")}, records())


if __name__ == "__main__":
    main()
