"""Values and derivatives to any number of digits, with mpmath: the reference for everything else.

The table's rules run on mpmath's numbers as they run on floats. An operation is mpmath's function of
the same name, or its `formula` in terms of others. `sweeps` are those of the engine in these numbers;
`recomputed` takes them where contributions cancel.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import mpmath

from exprgrad.graph.value import Value
from exprgrad.operations.kernels import reflected_polygamma
from exprgrad.operations.number_types import Numbers, at_corner, local_partial
from exprgrad.operations.operation import ARITHMETIC, Operation
from exprgrad.sweeps.tape import Primals, Tape, live

DIGITS = 50
"""Digits of a reference, and of partials that are computed again."""

MOST_STEPS = 1000
"""Operations of a tape that is swept again: some hundredths of a second."""

SLOW = {"gamma", "lgamma", "digamma", "polygamma", "sinc", "sinc_n"}
"""Operations with partials that may take mpmath a second."""

_FAILURES = (
    *ARITHMETIC, ArithmeticError, LookupError, TypeError, NotImplementedError, mpmath.libmp.NoConvergence,
)  # fmt: skip
_LOCK = threading.Lock()

_NAMES = {
    "ln": mpmath.log, "abs": mpmath.fabs, "digamma": mpmath.digamma, "pow": mpmath.power,
    "round": mpmath.nint, "factorial": mpmath.factorial,
}  # fmt: skip


def _real(function: Callable[..., Any]) -> Callable[..., Any]:
    def real(*arguments: Any) -> Any:
        result = function(*arguments)
        if isinstance(result, mpmath.mpc):
            raise ValueError("not a real number")
        return result

    return real


_OWN: dict[str, Callable[..., Any]] = {
    "neg": lambda x: -x,
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "sign": mpmath.sign,
    "step": lambda x: mpmath.mpf(x >= 0),
    "if": lambda c, x, y: x if c else y,
    "not": lambda x: mpmath.mpf(not x),
    "and": lambda x, y: mpmath.mpf(bool(x and y)),
    "or": lambda x, y: mpmath.mpf(bool(x or y)),
    "lt": lambda x, y: mpmath.mpf(x < y),
    "le": lambda x, y: mpmath.mpf(x <= y),
    "gt": lambda x, y: mpmath.mpf(x > y),
    "ge": lambda x, y: mpmath.mpf(x >= y),
    "eq": lambda x, y: mpmath.mpf(x == y),
    "ne": lambda x, y: mpmath.mpf(x != y),
    "polygamma": lambda x, n: reflected_polygamma(mpmath, int(n), x),
    "sinc_n": lambda x, n: _sinc_derivative(x, int(n)),
}


def _sinc_derivative(x: Any, order: int) -> Any:
    """The derivative of sin(x)/x: by its series near 0, else by the product rule for sin(x) * 1/x."""
    with mpmath.extradps(
        10 + order + int(abs(x)) if abs(x) <= order + 2 else 20 + order
    ):
        if abs(x) <= order + 2:
            return +_sinc_series(x, order)
        total, factor = mpmath.mpf(0), 1 / x
        for k in range(
            order + 1
        ):  # factor is binomial(order, k) * (1/x)^(k), the k-th derivative
            total += factor * mpmath.sin(x + (order - k) * mpmath.pi / 2)
            factor *= -mpmath.mpf(order - k) / x
        return +total


def _sinc_series(x: Any, order: int) -> Any:
    """Sum over 2k >= order of (-1)^k * x^(2k - order) / ((2k + 1) * (2k - order)!)."""
    k = (order + 1) // 2
    power = x ** (2 * k - order)
    total = mpmath.mpf(0)
    while True:
        term = power / (2 * k + 1)
        total += -term if k % 2 else term
        if abs(term) <= mpmath.eps * abs(total) or not power:
            return total
        k += 1
        power *= x * x / ((2 * k - order) * (2 * k - order - 1))


def function(operation: Operation) -> Callable[..., Any]:
    """The operation on mpmath's real numbers."""
    if operation.name in _OWN:
        return _OWN[operation.name]
    named = _NAMES.get(operation.name) or getattr(mpmath, operation.name, None)
    if operation.formula is not None and operation.name not in _NAMES:
        return PRECISE.bind(operation.formula)
    if named is None:
        raise LookupError(
            f"{operation.name} has neither an mpmath function nor a formula"
        )
    return _real(named)


def _late(operation: Operation) -> Callable[..., Any]:
    return lambda *arguments: function(operation)(*arguments)


PRECISE = Numbers(_late, {"pi": mpmath.pi})
"""mpmath's numbers, for `Numbers.bind` and `Numbers.partials`."""


@contextmanager
def working(digits: int) -> Iterator[None]:
    """So many digits and some to spare. For one thread at a time: mpmath's precision is shared."""
    with _LOCK, mpmath.workdps(digits + 15):
        yield


def sweeps(
    tape: Tape, alive: Sequence[bool], at: Mapping[str, float]
) -> tuple[list[Any], list[Any]]:
    """The value and the adjoint of every live node, in the working precision."""
    values: list[Any] = [mpmath.mpf(0)] * len(tape.nodes)
    for name, i in tape.variables.items():
        values[i] = mpmath.mpf(at[name])
    for i, data in tape.constants:
        values[i] = exact(tape.nodes[i], data)
    steps = [step for step in tape.steps if alive[step.node]]
    for step in steps:
        arguments = [values[j] for j in step.operands]
        values[step.node] = function(step.operation)(*arguments)
    adjoints: list[Any] = [mpmath.mpf(0)] * len(tape.nodes)
    adjoints[tape.root] = mpmath.mpf(1)
    active = tape.active(tape.variables)
    for step in reversed(steps):
        arguments = [values[j] for j in step.operands]
        partials = PRECISE.partials(step.operation)
        for j, partial in zip(step.operands, partials, strict=True):
            if active[j] and alive[j] and adjoints[step.node]:
                slope = partial(values[step.node], *arguments)
                adjoints[j] += adjoints[step.node] * slope
    return values, adjoints


def exact(leaf: Value, data: float) -> Any:
    """A constant in full precision: π and e are not their doubles, and a typed decimal is a decimal."""
    named = {"pi": mpmath.pi, "e": mpmath.e, "tau": 2 * mpmath.pi}
    if leaf.name in named:
        return +named[leaf.name]
    fraction = getattr(leaf, "exact", None)
    if fraction is not None:
        return mpmath.mpf(fraction.numerator) / fraction.denominator
    return mpmath.mpf(repr(data))


def recomputed(
    tape: Tape,
    primals: Primals,
    at: Mapping[str, float],
    cancelled: Mapping[int, float],
) -> dict[int, float]:
    """The adjoints of nodes whose contributions cancel, by more digits, rounded to floats.

    `cancelled` gives the largest contribution to each. An adjoint is 0 if what 50 digits leave of it
    is noise, and what 100 digits leave again. One that is not 0, but less than a rounding of the
    largest contribution, hangs on the last digits of the point, not on those of the sweep: it is left
    out. All are, if the tape would take long, or if exact values lead to another branch, to a corner
    or out of a domain.
    """
    slow = any(step.operation.name in SLOW for step in tape.steps)
    if slow or len(tape.steps) > MOST_STEPS:
        return {}
    alive = live(tape, primals)
    found: dict[int, Any] = {}
    try:
        for digits in (DIGITS, 2 * DIGITS):
            with working(digits):
                values, adjoints = sweeps(tape, alive, at)
                if not _alike(tape, alive, primals, values):
                    return {}
                noise = mpmath.mpf(10) ** (10 - digits)
                for j, largest in cancelled.items():
                    if abs(adjoints[j]) > noise * largest:
                        found.setdefault(j, adjoints[j])
            if len(found) == len(cancelled):
                break
    except _FAILURES:
        return {}
    exact = dict.fromkeys(cancelled, 0.0) | found
    return {
        j: float(adjoint)
        for j, adjoint in exact.items()
        if not 0 < abs(adjoint) <= 2.0**-52 * cancelled[j] and abs(adjoint) < 1e308
    }


def _alike(
    tape: Tape, alive: Sequence[bool], primals: Primals, values: Sequence[Any]
) -> bool:
    """Whether exact values are on the same pieces of all operations as the floats, and at no corner."""
    active = tape.active(tape.variables)
    for i, operation, operands in tape.steps:
        if not alive[i]:
            continue
        arguments = [values[j] for j in operands]
        floats = [primals[j] or 0.0 for j in operands]
        choose, flat = operation.choose, all(p == 0 for p in operation.partials)
        if choose is not None and choose(arguments[0]) != choose(floats[0]):
            return False
        if at_corner(operation, arguments) or (flat and values[i] != primals[i]):
            return False
        if operation.corner is not None:
            pairs = [(values[i], primals[i] or 0.0)]
            for k, partial in enumerate(PRECISE.partials(operation)):
                if active[operands[k]]:
                    slope = local_partial(operation, k, primals[i] or 0.0, floats)
                    pairs.append((partial(values[i], *arguments), slope))
            if any(abs(exact - near) > 1e-6 * abs(near) for exact, near in pairs):
                return False
    return True
