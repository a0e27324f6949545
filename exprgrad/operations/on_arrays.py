"""Operations on arrays, and their adjoints.

An elementwise operation broadcasts its arguments, and the adjoint of an argument is summed over the axes
along which it was repeated. Its partials are the table's rules, run on arrays.

What an operation is on arrays its row says: a universal function of NumPy or SciPy that has the kernel's values to a
few units in the last place, or a function of NumPy. Without one it is the kernel, as a formula if it is made of other
rows' kernels, else element by element, which is slow but right. So a new row of the table works on arrays without an
edit here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from functools import partial as given
from importlib import import_module
from types import FunctionType

import numpy as np

from exprgrad.annotations import Any
from exprgrad.errors import DomainError, NotDifferentiableError, RangeError, UsageError
from exprgrad.operations.array_kernels import mean, unbroadcast
from exprgrad.operations.declaration import formula_of
from exprgrad.operations.number_types import Numbers, Step, local_partial
from exprgrad.operations.operation import ARITHMETIC, TABLE, Kernel, Operation

Array = np.ndarray[Any, np.dtype[np.float64]]
Function = Callable[..., Any]


class ShapeError(UsageError):
    """Arrays whose shapes do not fit an operation."""


def as_data(thing: Any) -> Array:
    """Numbers as an array of floats. Raises `UsageError` for what are none, or not finite."""
    try:
        if np.iscomplexobj(thing):
            raise UsageError("an array holds real numbers, not complex ones")
        data = np.array(thing, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"this is not an array of numbers: {error}") from None
    if not np.isfinite(data).all():
        raise UsageError("an array holds finite numbers only")
    return data


def filled(shape: Sequence[int], number: float) -> Array:
    """An array of that number."""
    return np.full(shape, number)


@cache
def universal(operation: Operation | Kernel) -> Any:
    """NumPy's or SciPy's universal function for it, or NumPy's namesake of a kernel of `math`; None where it takes more."""
    if isinstance(operation.numpy, str) and operation.numpy:
        module, _, name = operation.numpy.rpartition(".")
        return getattr(import_module(module or "numpy"), name)
    if operation.numpy == "" and getattr(operation.kernel, "__module__", "") == "math":
        namesake = operation.kernel.__name__
        return getattr(np, namesake, None) or getattr(np, f"arc{namesake[1:]}", None)
    return None


def gives_truth(ufunc: Any) -> bool:
    """Return whether a universal function gives truth for floats; of truth, sums and products do as well."""
    return bool({"d->?", "dd->?"} & set(ufunc.types))


@cache
def function(operation: Operation | Kernel) -> Function:
    """An elementwise operation on arrays of any shapes.

    Where there is no value, there is nan or infinity, and a floating-point flag.
    """
    ufunc = universal(operation)
    if ufunc is not None and gives_truth(ufunc):
        return lambda *own: np.multiply(ufunc(*own), 1.0)
    if ufunc is not None:
        takes_long = any(own.startswith("g") for own in ufunc.types)
        return ufunc if takes_long else _in_doubles(ufunc)
    rule, kernel = operation.numpy, operation.kernel
    singly = _in_doubles(_singly(kernel))
    if callable(rule):
        return _or_singly(given(rule, np), singly)
    if rule is None or not isinstance(kernel, FunctionType):
        return singly
    formula = formula_of(kernel, TABLE)
    return singly if formula is None else _or_singly(ARRAYS.bind(formula), singly)


def _in_doubles(apply: Function) -> Function:
    """The same of longer numbers too: as doubles, nan beyond their range."""

    def shortened(array: Any) -> Any:
        if np.asarray(array).dtype != np.longdouble:
            return array
        size, ends = np.abs(array), np.finfo(np.float64)
        within = (size == 0) | ((size >= ends.tiny) & (size <= ends.max))
        return np.where(within, array, math.nan).astype(np.float64)

    return lambda *own: apply(*map(shortened, own))


def _or_singly(rule: Function, singly: Function) -> Function:
    """A function of NumPy's; element by element where a flag says that it may have no value, or hide that."""

    def apply(*own: Any) -> Any:
        try:
            # underflow is no fault: exp(-1000) is 0
            with np.errstate(divide="raise", over="raise", invalid="raise"):
                return rule(*own)
        except FloatingPointError:
            return singly(*own)

    return apply


def _singly(kernel: Callable[..., float]) -> Function:
    """A kernel on floats, for arrays."""

    def quietly(*arguments: float) -> float:
        try:
            return float(kernel(*arguments))
        except (*ARITHMETIC, TypeError):  # a complex power is no float
            return math.nan

    def apply(*arguments: Any) -> Any:
        own = np.broadcast_arrays(*arguments)
        lists = [a.ravel().tolist() for a in own]
        try:
            found = np.array(list(map(kernel, *lists)), np.float64)
        except (*ARITHMETIC, TypeError):
            found = np.array(list(map(quietly, *lists)))
        if not np.isfinite(found).all():
            np.multiply(np.array(1e308), np.array(1e308))  # raises a flag
        return found.reshape(own[0].shape)

    return apply


@cache
def writing(operation: Operation | Kernel) -> Function:
    """The same for compiled code: it is told last where to write."""
    apply, ufunc = function(operation), universal(operation)
    if ufunc is None:
        return lambda *args: np.copyto(args[-1], apply(*args[:-1]))
    if gives_truth(ufunc):
        return lambda *args: np.multiply(ufunc(*args[:-1]), 1.0, args[-1])
    if ufunc in (np.minimum, np.maximum):
        return lambda x, y, out: ufunc(x, y, out=out)  # they want to be told by name
    return ufunc  # type: ignore[no-any-return] # a function


def quiet(operation: Operation, arguments: Sequence[Any]) -> Any:
    """The operation on arrays; nan or infinite where it has no value. Raises `ShapeError`."""
    with np.errstate(all="ignore"):
        return flagged(operation, arguments)


def flagged(operation: Operation, arguments: Sequence[Any]) -> Any:
    """The same, with floating-point flags reported as the caller wants them."""
    own = [*map(_plain, arguments)]
    try:
        if operation.whole:
            return np.asarray(operation.whole.value(np, *own), np.float64)
        found = elementwise(operation, own)
        return np.asarray(mean(np, found)) if operation.mean else found
    except MemoryError:
        raise ShapeError(f"the result of {operation.title} is too large") from None
    except (ValueError, IndexError, TypeError) as error:
        more = ""
        if operation.whole:
            own = [a for i, a in enumerate(own) if operation.whole.pull(i)]
            if operation.name not in ("matmul", "dot", "take"):
                more = f": {error}"  # NumPy's words on those are about its own loops
        every = dict.fromkeys(str(np.shape(a)) if np.ndim(a) else "()" for a in own)
        shapes = " and ".join(list(every)[:3]).replace("()", "() of a number")
        noun = "shape" if len(every) == 1 else "shapes"
        raise ShapeError(
            f"{operation.title} does not go with the {noun} {shapes}{more}"
        ) from None


def _plain(argument: Any) -> Any:
    """A number as an array without axes; an array and an index as they are."""
    return np.float64(argument) if isinstance(argument, int | float) else argument


def elementwise(operation: Operation, arguments: Sequence[Any]) -> Any:
    """The operation on broadcast arrays, to be called with floating-point flags off."""
    return np.asarray(function(operation)(*arguments))


def compute(operation: Operation, arguments: Sequence[Any]) -> Any:
    """The result. Raises `ShapeError`, and `DomainError` with the element that has no value."""
    result = quiet(operation, arguments)
    if not np.isfinite(result).all():
        raise fault(operation, arguments)
    return result


def fault(
    operation: Operation,
    arguments: Sequence[Any],
    counts: Any = True,
    written: Sequence[str] = (),
) -> DomainError:
    """Why there is no result, at the first element without one of those that count."""
    if operation.whole:
        return RangeError(f"{operation.title} overflows here")
    own = np.broadcast_arrays(*map(np.asarray, arguments))
    with np.errstate(all="ignore"):
        bad = ~np.isfinite(elementwise(operation, own)) & counts
    places = np.argwhere(bad)
    if not len(places):
        return RangeError(f"{operation.title} overflows here")
    place = tuple(places[0].tolist())
    error = operation.fault(tuple(float(a[place]) for a in own), written)
    if place:
        error.message += f", at element {list(place)}"
        error.args = (error.message,)
    return error


class Arrays(Numbers):
    """Arrays for the partials of the table and for sweeps, whatever their shapes: nan is an element without a value."""

    chooses = False  # but element by element

    def __init__(self) -> None:
        def in_rules(operation: Operation) -> Function:
            apply = function(operation)
            return lambda *own: apply(*map(_plain, own))

        super().__init__(in_rules)

    def number(self, number: Any) -> Any:
        """A number as an array without axes; an array as it is."""
        return np.asarray(number, np.float64)

    def constant(self, leaf: Any) -> Any:
        """The data of a constant, as an array."""
        return self.number(leaf.data)

    compute = staticmethod(quiet)

    def value(self, step: Step, arguments: Sequence[Any]) -> Any:
        """The result: see `quiet`."""
        return self.compute(step.operation, arguments)

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        """The adjoint that goes to an operand: see `pull`."""
        return pull(step.operation, position, adjoint, result, own)


ARRAYS = Arrays()


def partial(operation: Operation, index: int, result: Any, own: Sequence[Any]) -> Any:
    """The local partial of an elementwise operation, element by element."""
    constant = operation.partials[index]
    if not callable(constant):
        return np.float64(math.nan if constant is None else constant)
    with np.errstate(all="ignore"):
        found = np.asarray(ARRAYS.partials(operation)[index](result, *own), np.float64)
    if np.isfinite(found).all() or operation.mean:
        return found
    # an intermediate of the rule may overflow where the partial does not: see `local_partial`
    shape = np.broadcast_shapes(*(a.shape for a in own), found.shape)
    full = [np.broadcast_to(a, shape) for a in (found, result, *own)]
    redone = full[0].copy()
    # an element without a value has no partial, and the result does not need it
    missing = np.isfinite(full[1]) & ~np.isfinite(full[0])
    for place in map(tuple, np.argwhere(missing).tolist()):
        at = [float(a[place]) for a in full[2:]]
        redone[place] = local_partial(operation, index, float(full[1][place]), at)
    return redone


def pull(
    operation: Operation, index: int, g: Any, result: Any, arguments: Sequence[Any]
) -> Any:
    """The adjoint that goes to an argument, in its shape; None for one that takes none.

    Where the adjoint is 0, nothing goes on: not even to a partial that is infinite.
    """
    own = [*map(_plain, arguments)]
    if operation.whole:
        rule = operation.whole.pull(index)
        with np.errstate(all="ignore"):
            return None if rule is None else rule(np, g, result, *own)
    slope = partial(operation, index, result, own)
    if operation.mean:
        count = np.broadcast(*own).size
        g = np.broadcast_to(g / count, np.broadcast_shapes(*(a.shape for a in own)))
    with np.errstate(all="ignore"):
        contribution = np.where(g == 0, 0.0, g * slope)
    if not np.isfinite(contribution).all():
        raise NotDifferentiableError(f"{operation.title} has no finite slope here")
    return unbroadcast(np, contribution, own[index].shape)
