"""Values and derivatives to any number of digits, with mpmath: the reference for everything else.

The table's rules run on mpmath's numbers as they run on floats. An operation is mpmath's function of
the same name, or its `formula` in terms of others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath

from exprgrad.operation import Numbers, Operation

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
    "polygamma": lambda x, n: mpmath.psi(int(n), x),
    "sinc_n": lambda x, n: _sinc_derivative(x, int(n)),
}


def _sinc_derivative(x: Any, order: int) -> Any:
    with mpmath.extradps(20 + 10 * order):
        return +mpmath.diff(mpmath.sinc, x, order)


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
