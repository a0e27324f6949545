"""What operations compute on NumPy arrays, elementwise, with their result written to `out`.

An operation is a universal function of NumPy or SciPy where that has the kernel's values to a few units
in the last place and raises a floating-point flag (divide, overflow, invalid) wherever the kernel has
none; a formula of such functions where that will do; and otherwise the kernel itself, element by
element, which is slow but right. So a new row of the table works on arrays without an edit here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import repeat
from typing import Any

import numpy as np

from exprgrad.operations import kernels
from exprgrad.operations.operation import ARITHMETIC, Kernel, Operation

Array = np.ndarray[Any, np.dtype[np.float64]]
Function = Callable[..., Any]

_UFUNCS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "pow": np.power, "sqrt": np.sqrt, "hypot": np.hypot, "mod": np.remainder,
    "exp": np.exp, "expm1": np.expm1, "ln": np.log, "log1p": np.log1p, "log2": np.log2,
    "log10": np.log10, "sin": np.sin, "cos": np.cos, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "abs": np.absolute, "sign": np.sign,
    "floor": np.floor, "ceil": np.ceil, "round": np.rint,
}  # fmt: skip
_RELATIONS = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal, "and": np.logical_and, "or": np.logical_or,
}  # fmt: skip
_TELLING = frozenset({"acot", "digamma", "log"})
"""Formulas that tell of an element without a value by a flag or an error alone."""

_ONE, _ZERO, _HALF = np.array(1.0), np.array(0.0), np.array(0.5)


class KernelFault(ArithmeticError):
    """A kernel has no value at one of the elements."""


def function(operation: Operation | Kernel) -> Function:
    """The operation on arrays: takes its arguments and, last, where to write.

    Where there is no value it raises a floating-point flag or a `KernelFault`.
    """
    return _on_arrays(operation.name) or elementwise(operation.kernel)


def quiet(operation: Operation | Kernel) -> Function:
    """The same, but elements without a value are nan or infinite; flags are to be ignored."""
    found = None if operation.name in _TELLING else _on_arrays(operation.name)
    return found or elementwise(_or_nan(operation.kernel))


def _on_arrays(name: str) -> Function | None:
    if name in _RELATIONS:
        return _relation(_RELATIONS[name])
    if name == "erf":
        from scipy import special

        found: Function = special.erf
        return found
    return _UFUNCS.get(name) or _FORMULAS.get(name)


def elementwise(kernel: Callable[..., float]) -> Function:
    """A kernel on floats, for arrays."""

    def apply(*args: Any) -> Any:
        *own, out = args
        size = np.broadcast(*own).size
        lists = [a.tolist() if a.ndim else repeat(float(a), size) for a in own]
        try:
            out[...] = list(map(kernel, *lists))
        except ARITHMETIC:
            raise KernelFault from None
        if not math.isfinite(out.sum()):
            _check(out)
        return out

    return apply


def _check(out: Array) -> None:
    """Raise the flag that a Python kernel does not raise when it overflows."""
    if not np.isfinite(out).all():
        np.multiply(np.array(1e308), np.array(1e308))


def _or_nan(kernel: Callable[..., float]) -> Callable[..., float]:
    def quietly(*arguments: float) -> float:
        try:
            return float(kernel(*arguments))
        except (*ARITHMETIC, TypeError):  # a complex power is no float
            return math.nan

    return quietly


def _relation(ufunc: Function) -> Function:
    def apply(x: Any, y: Any, out: Array) -> Any:
        return np.multiply(ufunc(x, y), _ONE, out)

    return apply


def _not(x: Any, out: Array) -> Any:
    return np.multiply(np.equal(x, _ZERO), _ONE, out)


def _if(condition: Any, x: Any, y: Any, out: Array) -> Any:
    out[...] = np.where(np.not_equal(condition, _ZERO), x, y)
    return out


def _min(x: Any, y: Any, out: Array) -> Any:
    return np.minimum(x, y, out=out)


def _max(x: Any, y: Any, out: Array) -> Any:
    return np.maximum(x, y, out=out)


def _relu(x: Any, out: Array) -> Any:
    return np.maximum(x, _ZERO, out=out)


def _step(x: Any, out: Array) -> Any:
    return np.heaviside(x, _ONE, out)


def _off_poles(function: Function, distance: Function) -> Function:
    """A function with the kernels' poles: no value at the doubles nearest to them."""

    def apply(x: Any, out: Array) -> Any:
        c = distance(x)
        if np.less_equal(np.absolute(c), 1e-8).any():
            c = np.where(
                np.absolute(c) <= np.minimum(np.spacing(np.absolute(x)) / 2, 1e-8),
                0.0,
                c,
            )
            np.divide(_ONE, c)  # raises the flag
        return function(x, c, out)

    return apply


def _tan(x: Any, c: Any, out: Array) -> Any:
    np.tan(x, out)
    out[np.equal(c, _ZERO)] = np.nan
    return out


def _inverse(x: Any, c: Any, out: Array) -> Any:
    return np.divide(_ONE, c, out)


def _cot(x: Any, c: Any, out: Array) -> Any:
    return np.divide(np.cos(x), c, out)


def _sech(x: Any, out: Array) -> Any:
    t = np.exp(np.negative(np.absolute(x)))
    return np.divide(t + t, _ONE + t * t, out)


def _csch(x: Any, out: Array) -> Any:
    a = np.absolute(x)
    top = np.exp(-a) * -2.0
    return np.copysign(np.divide(top, np.expm1(a * -2.0)), x, out)


def _coth(x: Any, out: Array) -> Any:
    return np.divide(_ONE, np.tanh(x), out)


def _acot(x: Any, out: Array) -> Any:
    return np.arctan(np.divide(_ONE, x), out)


def _sigmoid(x: Any, out: Array) -> Any:
    """The kernel's two forms in one: e^min(x, 0) / (1 + e^-|x|)."""
    top = np.exp(np.minimum(x, _ZERO))
    return np.divide(top, _ONE + np.exp(np.negative(np.absolute(x))), out)


def _softplus(x: Any, out: Array) -> Any:
    tail = np.log1p(np.exp(np.negative(np.absolute(x))))
    return np.add(np.maximum(x, _ZERO), tail, out)


def _atan2(y: Any, x: Any, out: Array) -> Any:
    origin = np.equal(x, _ZERO) & np.equal(y, _ZERO)
    if origin.any():
        np.divide(_ZERO, _ZERO)  # raises the flag
        y = np.where(origin, np.nan, y)
    return np.arctan2(y, x, out)


def _log(x: Any, base: Any, out: Array) -> Any:
    if base.ndim == 0 and base in (2, 10):
        return np.log2(x, out) if base == 2 else np.log10(x, out)
    return np.divide(np.log(x), np.log(base), out)


def _pow_even(x: Any, y: Any, out: Array) -> Any:
    return np.power(np.absolute(x), y, out)


def _pow_odd(x: Any, y: Any, out: Array) -> Any:
    return np.copysign(np.power(np.absolute(x), y), x, out)


def _slope(power: Function) -> Function:
    """The kernels of the partial of a power by its base, from that of x^(y-1)."""

    def apply(z: Any, x: Any, y: Any, out: Array) -> Any:
        ruled = np.greater_equal(y, _HALF) | np.less_equal(y, -1.0)
        if ruled.all():
            return np.multiply(y, power(x, y - _ONE), out)
        ruled, x, y, z = np.broadcast_arrays(ruled, x, y, z)
        found = y * z
        found[ruled] = y[ruled] * power(x[ruled], y[ruled] - _ONE)
        found[~ruled] /= x[~ruled]
        out[...] = found
        return out

    return apply


def _even(x: Any, y: Any) -> Any:
    return np.power(np.absolute(x), y)


def _odd(x: Any, y: Any) -> Any:
    return np.copysign(np.power(np.absolute(x), y), x)


def _digamma(x: Any, out: Array) -> Any:
    """Left of 0 SciPy's loses digits near the zeros, of which there is one between any two poles."""
    if np.less_equal(x, _ZERO).any():
        return elementwise(kernels.digamma)(x, out)
    from scipy import special

    special.psi(x, out)
    _check(out)
    return out


def _sinc(x: Any, out: Array) -> Any:
    zero = np.equal(x, _ZERO)
    safe = np.where(zero, _ONE, x)
    quotient = np.divide(np.sin(safe), safe)
    out[...] = np.where(zero, _ONE, quotient)
    return out


QUICK = frozenset({
    "min", "max", "relu", "if", "step", "sech", "coth", "sigmoid", "softplus", "lt", "le", "gt", "ge", "eq", "ne",
})  # fmt: skip
"""Rows with a formula for arrays of any shape, besides the universal functions."""

_FORMULAS: dict[str, Function] = {
    "min": _min, "max": _max,
    "not": _not, "if": _if, "relu": _relu, "step": _step, "sech": _sech, "csch": _csch,
    "coth": _coth, "acot": _acot, "sigmoid": _sigmoid, "softplus": _softplus, "atan2": _atan2,
    "log": _log, "digamma": _digamma, "pow_even": _pow_even, "pow_odd": _pow_odd, "sinc": _sinc,
    "pow_slope0": _slope(np.power), "pow_even_slope0": _slope(_odd), "pow_odd_slope0": _slope(_even),
    "tan": _off_poles(_tan, np.cos), "sec": _off_poles(_inverse, np.cos),
    "csc": _off_poles(_inverse, np.sin), "cot": _off_poles(_cot, np.sin),
}  # fmt: skip
