"""What operations compute on NumPy arrays, elementwise, with their result written to `out`.

An operation is a universal function of NumPy or SciPy where that has the kernel's values to a few units
in the last place and raises a floating-point flag (divide, overflow, invalid) wherever the kernel has
none: one that the row names, or the namesake of a kernel of `math`. It is a formula of such functions where that
will do: the function here with the kernel's name, or the kernel itself with NumPy's functions in place of those of
`math`. Otherwise it is the kernel, element by element, which is slow but right. So a new row of the table works on
arrays without an edit here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from importlib import import_module
from itertools import repeat
from types import FunctionType, SimpleNamespace

import numpy as np

from exprgrad.annotations import Any
from exprgrad.operations import kernels
from exprgrad.operations.operation import ARITHMETIC, Kernel, Operation

Array = np.ndarray[Any, np.dtype[np.float64]]
Function = Callable[..., Any]

_ONE, _ZERO, _HALF = np.array(1.0), np.array(0.0), np.array(0.5)


class KernelFault(ArithmeticError):
    """A kernel has no value at one of the elements."""


def function(operation: Operation | Kernel) -> Function:
    """The operation on arrays: takes its arguments and, last, where to write.

    Where there is no value it raises a floating-point flag or a `KernelFault`.
    """
    return _fast(operation) or elementwise(operation.kernel)


def quiet(operation: Operation | Kernel) -> Function:
    """The same, but elements without a value are nan or infinite; flags are to be ignored."""
    found = _fast(operation)
    if found is None or operation.kernel in _TELLING:
        return elementwise(_or_nan(operation.kernel))
    return found


@cache
def universal(operation: Operation | Kernel) -> Any:
    """NumPy's or SciPy's universal function for it; None where it takes more than that."""
    if operation.numpy is None:
        return None
    module, _, name = operation.numpy.rpartition(".")
    if name:
        return getattr(import_module(module or "numpy"), name)
    if getattr(operation.kernel, "__module__", "") != "math":
        return None
    namesake = operation.kernel.__name__
    return getattr(np, namesake, None) or getattr(np, f"arc{namesake[1:]}", None)


def universal_of_floats(operation: Operation) -> Any:
    """NumPy's universal function, if that gives floats."""
    found = universal(operation)
    return None if found is None or _is_test(found) else found


def _is_test(ufunc: Any) -> bool:
    """Whether a universal function gives truth for floats; of truth, sums and products do as well."""
    return bool({"d->?", "dd->?"} & set(ufunc.types))


def takes_any_shape(operation: Operation) -> bool:
    """Whether the function for arrays broadcasts, and works without axes too."""
    if universal(operation) is None:
        return operation.kernel in _BROADCASTING
    return "scipy" not in (operation.numpy or "")


@cache
def _fast(operation: Operation | Kernel) -> Function | None:
    """The universal function or the formula of a row; None where there is neither."""
    ufunc = universal(operation)
    if ufunc is None:
        return _FORMULAS.get(operation.kernel)
    if ufunc in (np.minimum, np.maximum):
        return lambda x, y, out: ufunc(x, y, out=out)  # they want to be told by name
    return _truth(ufunc) if _is_test(ufunc) else ufunc


def _truth(ufunc: Function) -> Function:
    """Truth as 1 and 0."""
    return lambda *args: np.multiply(ufunc(*args[:-1]), _ONE, args[-1])


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


def where(condition: Any, x: Any, y: Any, out: Array) -> Any:
    """Where the condition is not 0 the second, elsewhere the third."""
    out[...] = np.where(np.not_equal(condition, _ZERO), x, y)
    return out


def relu(x: Any, out: Array) -> Any:
    """The positive part."""
    return np.maximum(x, _ZERO, out=out)


def step(x: Any, out: Array) -> Any:
    """1 from 0 on, 0 before."""
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


def sigmoid(x: Any, out: Array) -> Any:
    """The kernel's two forms in one: e^min(x, 0) / (1 + e^-|x|)."""
    top = np.exp(np.minimum(x, _ZERO))
    return np.divide(top, _ONE + np.exp(np.negative(np.absolute(x))), out)


def softplus(x: Any, out: Array) -> Any:
    """ln(1 + e^x), with the large part taken out of the exponential."""
    tail = np.log1p(np.exp(np.negative(np.absolute(x))))
    return np.add(np.maximum(x, _ZERO), tail, out)


def arctangent(y: Any, x: Any, out: Array) -> Any:
    """The angle of the point (x, y); the origin has none."""
    origin = np.equal(x, _ZERO) & np.equal(y, _ZERO)
    if origin.any():
        np.divide(_ZERO, _ZERO)  # raises the flag
        y = np.where(origin, np.nan, y)
    return np.arctan2(
        np.add(y, 0.0), x, out
    )  # no signed zero: the angle of (-1, 0) is π


def logarithm(x: Any, base: Any, out: Array) -> Any:
    """ln(x)/ln(base); bases 2 and 10 by the library, as in the kernel."""
    if base.ndim == 0 and base in (2, 10):
        return np.log2(x, out) if base == 2 else np.log10(x, out)
    return np.divide(np.log(x), np.log(base), out)


def power_even(x: Any, y: Any, out: Array) -> Any:
    """|x|^y."""
    return np.power(np.absolute(x), y, out)


def power_odd(x: Any, y: Any, out: Array) -> Any:
    """|x|^y with the sign of x."""
    return np.copysign(np.power(np.absolute(x), y), x, out)


def squared_error(x: Any, y: Any, out: Array) -> Any:
    """(x - y)^2."""
    off = np.subtract(x, y)
    return np.multiply(off, off, out)


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


def digamma(x: Any, out: Array) -> Any:
    """Left of 0 SciPy's loses digits near the zeros, of which there is one between any two poles."""
    if np.less_equal(x, _ZERO).any():
        return elementwise(kernels.digamma)(x, out)
    from scipy import special

    special.psi(x, out)
    _check(out)
    return out


def sinc(x: Any, out: Array) -> Any:
    """sin(x)/x, 1 at 0."""
    zero = np.equal(x, _ZERO)
    safe = np.where(zero, _ONE, x)
    quotient = np.divide(np.sin(safe), safe)
    out[...] = np.where(zero, _ONE, quotient)
    return out


_MATH = {
    "exp": np.exp, "expm1": np.expm1, "sqrt": np.sqrt, "tanh": np.tanh, "pow": np.power, "fabs": np.absolute,
    "atan": np.arctan, "atan2": np.arctan2, "copysign": np.copysign,
}  # fmt: skip


def _in_numpy(kernel: Callable[..., Any]) -> Function:
    """A kernel without choices, with NumPy's functions in place of those of `math`."""
    own = vars(kernels) | _MATH | {"math": SimpleNamespace(**_MATH)}
    return FunctionType(kernel.__code__, own)


def _written_to(formula: Function) -> Function:
    def apply(*args: Any) -> Any:
        out = args[-1]
        out[...] = formula(*args[:-1])
        return out

    return apply


_BROADCASTING: dict[Any, Function] = {
    kernels.where: where, kernels.relu: relu, kernels.step: step, kernels.sigmoid: sigmoid, kernels.softplus: softplus,
    kernels.squared_error: squared_error, kernels.power_even: power_even, kernels.power_odd: power_odd,
}  # fmt: skip
"""Formulas for arrays of any shape, by the kernels that they compute."""

for _kernel in (kernels.sech, kernels.csch, kernels.coth, kernels.asec, kernels.acsc):
    _BROADCASTING[_kernel] = _written_to(_in_numpy(_kernel))

_TELLING: dict[Any, Function] = {
    kernels.acot: _written_to(_in_numpy(kernels.acot)), kernels.digamma: digamma, kernels.logarithm: logarithm,
}  # fmt: skip
"""Formulas that show an element without a value by a flag or an error alone."""

_FORMULAS: dict[Any, Function] = _BROADCASTING | _TELLING | {
    kernels.tan: _off_poles(_tan, np.cos), kernels.sec: _off_poles(lambda x, c, out: np.divide(_ONE, c, out), np.cos),
    kernels.cot: _off_poles(lambda x, c, out: np.divide(np.cos(x), c, out), np.sin), kernels.csc: _off_poles(lambda x, c, out: np.divide(_ONE, c, out), np.sin),
    kernels.arctangent: arctangent, kernels.sinc: sinc,
    kernels.power_slope: _slope(np.power),
    kernels.power_even_slope: _slope(_in_numpy(kernels.power_odd)),
    kernels.power_odd_slope: _slope(_in_numpy(kernels.power_even)),
}  # fmt: skip
