"""Values and derivatives to any number of digits, with mpmath: the reference for everything else.

The table's rules run on mpmath's numbers as they run on floats. `sweeps` are those of the engine in
these numbers; `recomputed` takes them where contributions cancel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mpmath

from exprgrad.graph.value import Value
from exprgrad.operations.high_precision import HighPrecision, kept, working
from exprgrad.operations.number_types import local_partial
from exprgrad.operations.operation import ARITHMETIC
from exprgrad.sweeps.careful import live
from exprgrad.sweeps.tape import Primals, Tape

DIGITS = 50
"""Digits of a reference, and of partials that are computed again."""

MOST_STEPS = 1000
"""Operations of a tape that is swept again: some hundredths of a second."""

SLOW = 40
"""The cost of operations with partials that may take mpmath a second."""

_FAILURES = (
    *ARITHMETIC, ArithmeticError, LookupError, TypeError, NotImplementedError, mpmath.libmp.NoConvergence,
)  # fmt: skip


def sweeps(
    numbers: HighPrecision, tape: Tape, alive: Sequence[bool], at: Mapping[str, float]
) -> tuple[list[Any], list[Any]]:
    """The value and the adjoint of every live node."""
    zero = numbers.number(0)
    values: list[Any] = [zero] * len(tape.nodes)
    for name, i in tape.variables.items():
        values[i] = numbers.number(at[name])
    for i, data in tape.constants:
        values[i] = exact(numbers, tape.nodes[i], data)
    steps = [step for step in tape.steps if alive[step.node]]
    for step in steps:
        arguments = [values[j] for j in step.operands]
        values[step.node] = numbers.function(step.operation)(*arguments)
    adjoints: list[Any] = [zero] * len(tape.nodes)
    adjoints[tape.root] = numbers.number(1)
    active = tape.active(tape.variables)
    for step in reversed(steps):
        arguments = [values[j] for j in step.operands]
        partials = numbers.partials(step.operation)
        for j, partial in zip(step.operands, partials, strict=True):
            if active[j] and alive[j] and adjoints[step.node]:
                slope = partial(values[step.node], *arguments)
                adjoints[j] += adjoints[step.node] * slope
    return values, adjoints


def exact(numbers: HighPrecision, leaf: Value, data: float) -> Any:
    """A constant in full precision: π and e are not their doubles, and a typed decimal is a decimal."""
    mp = numbers.context
    named = {"pi": mp.pi, "e": mp.e, "tau": 2 * mp.pi}
    if leaf.name in named:
        return +named[leaf.name]
    fraction = getattr(leaf, "exact", None)
    if fraction is not None:
        return mp.mpf(fraction.numerator) / fraction.denominator
    return mp.mpf(repr(data))


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
    slow = any(step.operation.cost >= SLOW for step in tape.steps)
    if slow or len(tape.steps) > MOST_STEPS:
        return {}
    alive = live(tape, primals)
    found: dict[int, Any] = {}
    try:
        for digits in (DIGITS, 2 * DIGITS):
            with working(digits) as numbers:
                values, adjoints = sweeps(numbers, tape, alive, at)
                if not _alike(numbers, tape, alive, primals, values):
                    return {}
                noise = numbers.number(10) ** (10 - digits)
                for j, largest in cancelled.items():
                    if abs(adjoints[j]) > noise * largest:
                        found.setdefault(j, kept(adjoints[j]))
            if len(found) == len(cancelled):
                break
    except _FAILURES:
        return {}
    settled = dict.fromkeys(cancelled, 0.0) | found
    return {
        j: float(adjoint)
        for j, adjoint in settled.items()
        if not 0 < abs(adjoint) <= 2.0**-52 * cancelled[j] and abs(adjoint) < 1e308
    }


def _alike(
    numbers: HighPrecision,
    tape: Tape,
    alive: Sequence[bool],
    primals: Primals,
    values: Sequence[Any],
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
        if flat and values[i] != primals[i]:
            return False
        if operation.corner is not None:
            if numbers.bind(operation.corner)(*arguments):
                return False
            pairs = [(values[i], primals[i] or 0.0)]
            for k, partial in enumerate(numbers.partials(operation)):
                if active[operands[k]]:
                    slope = local_partial(operation, k, primals[i] or 0.0, floats)
                    pairs.append((partial(values[i], *arguments), slope))
            if any(abs(exact - near) > 1e-6 * abs(near) for exact, near in pairs):
                return False
    return True
