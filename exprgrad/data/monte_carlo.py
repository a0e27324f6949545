"""Propagation of distributions: a formula over random samples of its inputs.

    found = simulate({"y": parse("x^2")}, {"x": quantity("0±1")}, {}, 10**6)["y"]
    found.value, found.standard_uncertainty, found.interval        # 1.0, 1.41, (0.0010, 5.02)

Inputs are drawn as JCGM 101:2008, 6.4, says: from the distribution that is stated, else from a normal one, or
from Student's t where the degrees of freedom are finite. Correlated inputs are drawn from one normal
distribution, or from one of t where they share their degrees of freedom. The interval leaves out as
much on either side (7.7).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import DomainError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.quantities import (
    ARCSINE,
    NORMAL,
    STUDENT,
    TRIANGULAR,
    UNIFORM,
    Correlations,
    Quantity,
    coefficient,
    correlation_matrix,
)
from exprgrad.expressions.uncertainty import COVERAGE

Array = np.ndarray[Any, np.dtype[np.float64]]

CHUNK = 8192
"""Samples that are drawn at once, few enough to stay in the cache. The results of a seed depend on it."""

FEWEST, MOST = 100, 50_000_000

MOST_LEFT_OUT = 0.5
"""The part of the first samples that may lack a value."""


class Simulated(NamedTuple):
    """Statistics of the samples of a result: mean, standard deviation, and the interval of the coverage probability.

    `doubt` is how far the ends of the interval may be off, as there are only so many samples (about one
    standard deviation). In `left_out` further samples the formula has no value.
    """

    samples: int
    left_out: int
    value: float
    standard_uncertainty: float
    interval: tuple[float, float]
    doubt: float
    values: Array

    def histogram(self, bins: int) -> tuple[list[int], float, float]:
        """Return how many samples there are in each of so many bins, from one value to another; few lie outside."""
        # The samples are in no order, so that the first of them are as good as any.
        low, high = np.quantile(self.values[:100_000], [0.0005, 0.9995]).tolist()
        if not low < high:
            low, high = low - 0.5, high + 0.5
        counts, _ = np.histogram(self.values, bins, (low, high))
        return counts.tolist(), low, high


def simulate(
    expressions: Mapping[str, Expression],
    quantities: Mapping[str, Quantity],
    correlations: Correlations,
    samples: int,
    *,
    seed: int = 0,
    coverage: float = COVERAGE,
    advance: Callable[[int], object] = lambda count: None,
) -> dict[str, Simulated]:
    """Results from so many samples of their inputs; the same seed gives the same ones.

    `advance` is called with the number of samples that are done. Raises `UsageError`, and `DomainError`
    where most samples have no value.
    """
    if not FEWEST <= samples <= MOST:
        raise UsageError(f"take from {FEWEST} to {MOST:,} samples, not {samples:,}")
    if not 0 <= seed < 2**63:
        raise UsageError("a seed is a whole number from 0 on")
    used = {name for own in expressions.values() for name in own.variables}
    draws = _Draws([n for n in quantities if n in used], quantities, correlations, seed)
    compiled = {name: own.compile(()).arrays for name, own in expressions.items()}
    out = {name: np.empty(samples) for name in expressions}
    kept = dict.fromkeys(expressions, 0)
    for start in range(0, samples, CHUNK):
        count = min(CHUNK, samples - start)
        columns = draws.take(count)
        for name, own in expressions.items():
            rows = compiled[name](*(columns[n] for n in own.variables))
            values = np.broadcast_to(rows.value, count)  # one for all without inputs
            if rows.faults:
                wrong = len(rows.faults) / len(rows.value)  # one row without inputs
                if wrong > MOST_LEFT_OUT:
                    share = f"{wrong:.0%} of the samples"
                    what = f"the formula has no value for {share}"
                    hint = "the uncertainties are too large for its domain"
                    raise DomainError(what, hint=hint, source=own.source)
                values = values[~np.isnan(values)]
            out[name][kept[name] : kept[name] + len(values)] = values
            kept[name] += len(values)
        advance(start + count)
    return {
        name: _summary(values[: kept[name]], samples, coverage)
        for name, values in out.items()
    }


def _summary(values: Array, samples: int, coverage: float) -> Simulated:
    """Mean, standard deviation and interval of the samples that have a value."""
    count = len(values)
    tail = (1 - coverage) / 2
    # The number of samples below a quantile has a binomial distribution: this is its standard deviation.
    off = math.sqrt(count * tail * (1 - tail))
    ranks = [q * (count - 1) + s * off for q in (tail, 1 - tail) for s in (-1, 0, 1)]
    places = [min(count - 1, max(0, round(rank))) for rank in ranks]
    ordered = np.partition(values, sorted({*places}))[places].tolist()
    doubt = max(ordered[2] - ordered[0], ordered[5] - ordered[3]) / 2
    mean = float(values.mean())
    # a two-pass sum: one pass of squares would lose what small uncertainties are made of
    spread = values - mean
    np.multiply(spread, spread, out=spread)
    deviation = math.sqrt(float(spread.sum()) / max(1, count - 1))
    return Simulated(
        count, samples - count, mean, deviation, (ordered[1], ordered[4]), doubt, values
    )  # fmt: skip


class _Draws:
    """Samples of the inputs."""

    def __init__(
        self,
        names: Sequence[str],
        quantities: Mapping[str, Quantity],
        correlations: Correlations,
        seed: int,
    ) -> None:
        self._random = np.random.default_rng(seed)
        self._quantities = quantities
        self._centres = {n: _double(quantities[n]) for n in names}
        self._u = {n: _spread(quantities[n]) for n in names}
        self._certain = [n for n in names if not quantities[n].variance]
        varied = [n for n in names if quantities[n].variance]
        self._groups = [
            (group, _square_root(group, correlations))
            for group in _connected(varied, correlations)
        ]

    def take(self, count: int) -> dict[str, Array]:
        """So many samples of every input."""
        found = {name: np.full(count, self._centres[name]) for name in self._certain}
        for names, mixing in self._groups:
            if len(names) == 1:
                found[names[0]] = self._alone(names[0], count)
            else:
                found |= self._together(names, mixing, count)
        return found

    def _alone(self, name: str, count: int) -> Array:
        own, random = self._quantities[name], self._random
        shape, size = own.distribution, self._u[name]
        if shape in (UNIFORM, TRIANGULAR, ARCSINE):
            size = own.half_width
        if shape == UNIFORM:
            errors = 2 * random.random(count) - 1
        elif shape == TRIANGULAR:
            # The density of a difference of two uniform numbers is a triangle.
            errors = random.random(count) - random.random(count)
        elif shape == ARCSINE:
            # The sine of a uniform phase (JCGM 101:2008, 6.4.6).
            errors = np.sin(2 * math.pi * random.random(count))
        elif shape == STUDENT:
            errors = random.standard_t(own.degrees_of_freedom, count)
        else:
            errors = random.standard_normal(count)
        errors *= size
        errors += self._centres[name]
        return errors

    def _together(
        self, names: Sequence[str], mixing: list[list[float]], count: int
    ) -> dict[str, Array]:
        plain = [self._random.standard_normal(count) for _ in names]
        scale: Any = 1.0
        freedom = _shared_freedom(names, self._quantities)
        if freedom is not None:
            # One for all inputs: that makes a sample of the joint distribution of t.
            scale = np.sqrt(freedom / self._random.chisquare(freedom, count))
        found = {}
        # sums of products by hand: a product of matrices this long would start threads
        for name, row in zip(names, mixing, strict=True):
            errors = np.zeros(count)
            for weight, own in zip(row, plain, strict=True):
                if weight:
                    errors += weight * own
            found[name] = self._centres[name] + self._u[name] * scale * errors
        return found


def _double(own: Quantity) -> float:
    if own.value.double is None:
        raise UsageError("a value is beyond the range of double precision")
    return own.value.double


def _spread(own: Quantity) -> float:
    u = own.standard_uncertainty
    if u == math.inf or (own.variance and not u):
        raise UsageError("an uncertainty is beyond the range of double precision")
    return u


def _connected(names: Sequence[str], correlations: Correlations) -> Iterator[list[str]]:
    """The names in groups that are correlated, directly or by way of others."""
    left = list(names)
    while left:
        group = [left.pop(0)]
        for name in group:
            more = [n for n in left if coefficient(correlations, name, n)]
            group += more
            left = [n for n in left if n not in more]
        yield group


def _square_root(names: Sequence[str], correlations: Correlations) -> list[list[float]]:
    """A matrix A with A·Aᵀ = R; by eigenvalues, as R may have some that are 0."""
    values, vectors = np.linalg.eigh(correlation_matrix(correlations, names))
    # Of three inputs that are fully correlated, an eigenvalue that is 0 comes out as -4.5e-16, whose root is nan.
    values[values < 1e-14] = 0.0
    rows: list[list[float]] = (vectors * np.sqrt(values)).tolist()
    return rows


def _shared_freedom(
    names: Sequence[str], quantities: Mapping[str, Quantity]
) -> float | None:
    """The degrees of freedom of inputs that are all drawn from the same distribution of t; None of any others."""
    own = {(quantities[n].distribution, quantities[n].degrees_of_freedom) for n in names}  # fmt: skip
    (shape, freedom), *others = own
    return freedom if shape == STUDENT and not others else None


def mixed(names: Sequence[str], quantities: Mapping[str, Quantity], correlations: Correlations) -> list[str]:  # fmt: skip
    """Correlated inputs that are drawn from a normal distribution though they have another."""
    out = []
    varied = [n for n in names if quantities[n].variance]
    for group in _connected(varied, correlations):
        if len(group) > 1 and _shared_freedom(group, quantities) is None:
            out += [n for n in group if quantities[n].distribution != NORMAL]
    return out
