"""Operations on arrays, and their adjoints.

An elementwise operation broadcasts its arguments, and the adjoint of an argument is summed over the axes
along which it was repeated. Its partials are the table's rules, run on arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from exprgrad.annotations import Any
from exprgrad.errors import DomainError, NotDifferentiableError, RangeError, UsageError
from exprgrad.operations import ufuncs
from exprgrad.operations.array_kernels import mean, unbroadcast
from exprgrad.operations.number_types import Numbers, Step, local_partial
from exprgrad.operations.operation import Operation

Array = np.ndarray[Any, np.dtype[np.float64]]


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
        raise _misfit(operation, own, error) from None


def _misfit(
    operation: Operation, arguments: Sequence[Any], why: Exception
) -> ShapeError:
    """The error for arguments whose shapes do not go with an operation."""
    more = ""
    if operation.whole:
        arguments = [a for i, a in enumerate(arguments) if operation.whole.pull(i)]
        if operation.name not in ("matmul", "dot", "take"):
            more = f": {why}"  # NumPy's words on those are about its own loops
    own = dict.fromkeys(str(np.shape(a)) if np.ndim(a) else "()" for a in arguments)
    shapes = " and ".join(list(own)[:3]).replace("()", "() of a number")
    noun = "shape" if len(own) == 1 else "shapes"
    return ShapeError(f"{operation.title} does not go with the {noun} {shapes}{more}")


def _plain(argument: Any) -> Any:
    """A number as an array without axes; an array and an index as they are."""
    return np.float64(argument) if isinstance(argument, int | float) else argument


def elementwise(operation: Operation, arguments: Sequence[Any]) -> Any:
    """A row's kernel on broadcast arrays, to be called with floating-point flags off."""
    kind = np.result_type(np.float64, *arguments)
    shape = np.broadcast_shapes(*(a.shape for a in arguments))
    if ufuncs.takes_any_shape(operation):
        out = np.empty(shape, kind)
        ufuncs.function(operation)(*arguments, out)
        return out
    if kind != np.float64:
        arguments = [_in_doubles(a) for a in arguments]
    flat = [a.ravel() for a in np.broadcast_arrays(*arguments)]
    found = np.empty(math.prod(shape))
    try:  # some functions tell by a flag alone that there is no value
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            ufuncs.function(operation)(*flat, found)
    except (ufuncs.KernelFault, FloatingPointError):
        ufuncs.quiet(operation)(*flat, found)
    return found.reshape(shape)


def _in_doubles(array: Any) -> Array:
    """Longer numbers as doubles; nan beyond their range."""
    size, ends = np.abs(array), np.finfo(np.float64)
    within = (size == 0) | ((size >= ends.tiny) & (size <= ends.max))
    return np.where(within, array, math.nan).astype(np.float64)


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


def _in_rules(operation: Operation) -> Callable[..., Any]:
    return lambda *arguments: elementwise(
        operation,
        [a if isinstance(a, np.ndarray) else np.float64(a) for a in arguments],
    )


class Arrays(Numbers):
    """Arrays for the partials of the table and for sweeps, whatever their shapes: nan is an element without a value."""

    chooses = False  # but element by element

    def __init__(self) -> None:
        super().__init__(_in_rules)

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
