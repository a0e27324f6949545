"""Tapes in arrays with bounds: the sweeps of `arrays`, and beside them how far every node may be off.

    found = swept(tape, leaves, names, written)
    found.value                              # an `Estimate`; so is found.gradient["x"]
    found.refused                            # why there is none, by this sweep

The estimates take two numbers for a whole array (see `operations.estimates`). A function hands on

    relative errors times its greatest condition number, absolute ones times its greatest slope

and a local partial is as good as the condition number of f' says, which is the same. Elements at a corner, or
where a condition may turn, are bad: about these, germs and more digits decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import FunctionType

import numpy as np

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExprgradError
from exprgrad.graph.value import is_array
from exprgrad.operations import array_errors, table
from exprgrad.operations.array_balls import (
    BALLS,
    CORNERS,
    ArrayBall,
    from_arguments,
    may_be_at_corner,
)
from exprgrad.operations.estimates import (
    LARGEST,
    Estimate,
    bounded,
    joined,
    known,
    nothing,
    product,
    quotient,
    total,
    without_underflow,
)
from exprgrad.operations.number_types import FAULTS, Step, local_partial
from exprgrad.operations.on_arrays import ARRAYS, elementwise, flagged, partial
from exprgrad.operations.operation import ARITHMETIC, ENDS, Operation
from exprgrad.operations.ufuncs import takes_any_shape, universal_of_floats
from exprgrad.sweeps import arrays
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.generic import forward, reverse
from exprgrad.sweeps.rounding import UNIT
from exprgrad.sweeps.tape import Tape


class Swept(NamedTuple):
    """The value and, if that is one number, the gradient; the values of all nodes; and what stands in the way."""

    value: Estimate
    gradient: dict[str, Estimate] | None
    values: list[Any]
    refused: ExprgradError | None


class Primals(NamedTuple):
    """The forward sweep: an estimate of every node, the number type that made them, and what stands in the way."""

    numbers: Estimates
    estimates: list[Estimate]
    refused: ExprgradError | None

    @property
    def values(self) -> list[Any]:
        """The values of all nodes."""
        return [e.array for e in self.estimates]


def primals(
    tape: Tape, leaves: Mapping[str, Estimate], written: arrays.Written
) -> Primals:
    """The forward sweep from these estimates of the variables. Raises `ShapeError`, with the place."""
    numbers = Estimates(tape, written)
    with np.errstate(all="call", call=numbers.note):
        estimates = forward(tape, numbers, leaves)
    found = Primals(numbers, estimates, None)
    if numbers.faulty:
        try:
            arrays.refuse(tape, found.values, written)
        except ExprgradError as error:
            return found._replace(refused=error.with_traceback(None))
    return found


def swept(
    tape: Tape,
    leaves: Mapping[str, Estimate],
    names: Sequence[str],
    written: arrays.Written,
) -> Swept:
    """Both sweeps from these estimates of the variables. Raises `ShapeError`, with the place."""
    active = tape.active(names)
    numbers, estimates, refused = found = primals(tape, leaves, written)
    value, values = estimates[tape.root], found.values
    if refused is not None or value.array.size != 1:
        return Swept(value, None, values, refused)
    seed = Estimate(np.ones(value.array.shape), 0.0, whole=True)
    try:
        with np.errstate(all="call", call=numbers.note):
            adjoints = reverse(tape, numbers, estimates, active, seed)
    except ExprgradError as error:
        return Swept(value, None, values, error.with_traceback(None))
    gradient = {}
    for name in names:
        i = tape.variables[name]
        none = Estimate(np.zeros(np.shape(values[i])), 0.0)
        gradient[name] = none if adjoints[i] is None else adjoints[i]
    return Swept(value, gradient, values, None)


class Estimates(arrays.Placed):
    """Arrays with bounds on their errors as a number type."""

    compute = staticmethod(flagged)

    def __init__(self, tape: Tape, written: arrays.Written) -> None:
        super().__init__(tape, written)
        self.faulty = False
        self._flags: set[str] = set()
        self._corners: dict[int, Any] = {}
        self._balls: dict[int, ArrayBall] = {}
        self._slopes: dict[int, list[Estimate | None]] = {}

    def note(self, flag: str, *_: int) -> None:
        """Keep a floating-point flag that an operation of NumPy raises."""
        self._flags.add(flag)

    def number(self, number: Any) -> Any:
        """An estimate of a variable as it is."""
        return number

    def constant(self, leaf: Any) -> Any:
        """The estimate of a constant: of a decimal that is no double, with its error."""
        data = leaf.data
        if is_array(data):
            return of_doubles(np.asarray(data, np.float64))
        ratio = leaf.ratio
        error = 1.0 if ratio is None else Coordinate.of(ratio).error
        return of_doubles(np.asarray(data or 0.0, np.float64), error)

    def value(self, step: Step, arguments: Sequence[Any]) -> Estimate:
        """The estimate of a result."""
        operation, own = step.operation, arguments
        self._flags.clear()
        function, telling = _numpys(operation)
        array = self._computed(step, function, [e.array for e in own])
        lost = "underflow" in self._flags or not telling
        faulty = not telling or bool(self._flags - {"underflow"})
        found = self._estimated(step, array, own)
        if faulty:
            self.faulty |= not found.most < math.inf or found.holes
        if lost and not operation.whole and not operation.exact:
            through = own if operation is table.MUL else own[: not operation.mean]
            found = without_underflow(found, *through)
        return found

    def _computed(self, step: Step, function: Any, own: Sequence[Any]) -> Any:
        """The values, by a function of NumPy if there is one."""
        if function is not None:
            try:
                return np.asarray(function(*own))
            except (ValueError, MemoryError):
                return np.asarray(super().value(step, own))  # says what is wrong
        return np.asarray(super().value(step, own))

    def _estimated(self, step: Step, array: Any, own: Sequence[Estimate]) -> Estimate:
        """How far a result may be off, but for underflow."""
        operation = step.operation
        if operation.whole is not None:
            rule = getattr(array_errors, operation.whole.errors)
            return rule.value(array, own)  # type: ignore[no-any-return] # an estimate
        known = _RULES.get(operation)
        if known is not None:
            return known(array, *own)
        found = None
        if operation.rule == "power":
            found = _power(operation, array, *own)
        elif operation.condition_number is not None:
            found = _function(operation, array, *own)
        if operation.mean and _is_arithmetic(operation):
            return self._mean_by_slopes(step, array, own)
        if found is None or operation.corner is not None:
            mask = self._at_corner(step, own)
            if found is None:
                found = self._by_balls(step, array, own, mask)
        return found

    def _at_corner(self, step: Step, own: Sequence[Estimate]) -> Any:
        """Where an active step may stand at a corner; kept for the way back."""
        rules = (step.operation.corner, *step.operation.edges)
        if all(rule is None for rule in rules):
            return None
        if len(own) == 1 and not _reaches_corner(step.operation, own[0]):
            return None
        if step.operation.rule == "power" and _is_smooth_power(*own):
            return None
        balls = [ArrayBall(e.array, e.radius) for e in own]
        if step.operation.condition_number is not None:
            mask = _meets(step.operation, balls)
        else:
            mask = may_be_at_corner(step.operation, balls)
        if not mask.any():
            return None
        self._corners[step.node] = mask
        return mask

    def _mean_by_slopes(
        self, step: Step, array: Any, own: Sequence[Estimate]
    ) -> Estimate:
        """The mean over a function of all elements whose partials are made by arithmetic alone."""
        operation = step.operation
        each = elementwise(operation, [np.asarray(e.array) for e in own])

        def absolute() -> float:
            size = operation.kernel_error[0] * found.most
            for slope, x in zip(slopes, own, strict=True):
                if slope is not None and not x.is_exact:
                    size += (slope.most + slope.absolute * UNIT) * x.absolute
            return size

        found = bounded(each, math.inf, absolute, *own)
        slopes = self._slopes[step.node] = [
            rule(found, *own) if callable(rule) else None for rule in operation.partials
        ]
        return array_errors.MEAN.value(array, [found])

    def _by_balls(
        self, step: Step, array: Any, own: Sequence[Estimate], corner: Any
    ) -> Estimate:
        """What has no rule here, element by element."""
        operation = step.operation
        balls = [ArrayBall(e.array, e.radius) for e in own]
        mids = [np.asarray(e.array) for e in own]
        each = elementwise(operation, mids) if operation.mean else array
        exact = all(ball.is_exact for ball in balls)
        if operation.steps:
            bad = joined(None if exact else corner, *(e.bad for e in own))
            return Estimate(each, 0.0, bad=bad, whole=True)
        if operation.choose is not None:
            radius = np.where(mids[0] != 0, balls[1].rad, balls[-1].rad)
            bad = own[0].bad
            if not own[0].is_exact and own[0].bad is None:
                bad = np.ones(np.shape(array), bool)
        else:
            radius = from_arguments(operation, each, balls)
            relative, absolute = operation.kernel_error
            if not (operation.exact and exact):
                radius = radius + (relative * np.abs(each) + absolute) * UNIT
            bad = None
        found = of_ball(ArrayBall(each, radius))
        if bad is not None:
            found.bad = joined(found.bad, np.broadcast_to(bad, np.shape(each)))
        found.whole = operation.exact and all(e.whole for e in own)
        self._balls[step.node] = ArrayBall(each, found.radius)
        if operation.mean:
            found = array_errors.MEAN.value(array, [found])
        return found

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Estimate | None:
        """The estimate of the adjoint that goes to an operand."""
        operation, g = step.operation, adjoint
        if operation.whole is not None:
            pulled = operation.whole.pull(position)
            if pulled is None:
                return None
            array = pulled(np, g.array, result.array, *(e.array for e in own))
            rule = getattr(array_errors, operation.whole.errors)
            return rule.pull(array, position, g, result, own)  # type: ignore[no-any-return] # an estimate
        shape = own[position].array.shape
        mask = self._corners.get(step.node)
        if mask is None and g._range == (0.0, 0.0) and g.is_exact:
            return nothing(shape)
        slope = self.slope(step, position, result, own)
        if operation.mean:
            full = np.broadcast_shapes(*(e.array.shape for e in own))
            each = g.array / math.prod(full)
            g = Estimate(np.broadcast_to(each, full), g.ratio + 1)
        found = g if slope is None else self.contribution(g, slope)
        if mask is not None:
            bad = np.broadcast_to(mask, found.array.shape)
            finer = found
            found = found.moved(found.array, joined(found.bad, bad))
            found.told(lambda: finer.radius)
        return _narrowed(found, shape)

    def corner(self, step: Step) -> Any:
        """Where the forward sweep found that a step may stand at a corner; None where nowhere."""
        return self._corners.get(step.node)

    def contribution(self, g: Estimate, slope: Estimate) -> Estimate:
        """An adjoint or a tangent times a local partial; 0 where it is 0."""
        self._flags.clear()
        array = g.array * slope.array
        flags = self._flags
        if flags and flags != {"underflow"}:
            array = np.where(g.array == 0, 0.0, array)
        found = product(array, g, slope)
        return without_underflow(found, g, slope) if "underflow" in flags else found

    def slope(
        self, step: Step, position: int, result: Estimate, own: Sequence[Estimate]
    ) -> Estimate | None:
        """The estimate of a local partial; None for the number 1."""
        operation = step.operation
        rule = operation.partials[position]
        if not callable(rule):
            number = math.nan if rule is None else float(rule)
            return None if number == 1 else Estimate(np.float64(number), 0.0, whole=True)  # fmt: skip
        if operation is table.MUL:
            return own[1 - position]
        if step.node in self._slopes:
            return self._slopes[step.node][position]
        arguments = [e.array for e in own]
        if operation is table.DIV:
            array = self._partial(operation, position, result.array, arguments)
            z, y = result, own[1]
            if position:
                return bounded(array, lambda: z.ratio + y.ratio + 2, math.inf, z, y)
            found = bounded(array, lambda: y.ratio + 1, math.inf, y)
            low, high = y.range
            if low > 0 or high < 0:
                found.span(1 / low, 1 / high)
            return found
        ball = self._balls.get(step.node)
        if ball is not None:
            balls = [ArrayBall(e.array, e.radius) for e in own]
            slope = BALLS.partials(operation)[position](ball, *balls)
            if not isinstance(slope, ArrayBall):
                slope = ArrayBall(np.float64(slope))
            return of_ball(slope)
        array = self._partial(operation, position, result.array, arguments)
        if array is result.array:
            return result
        if operation.rule == "power":
            return _power_slope(array, position, *own)
        found = _slope_of_function(operation, array, result, own[0])
        return without_underflow(found) if "underflow" in self._flags else found

    def _partial(
        self, operation: Operation, position: int, y: Any, own: Sequence[Any]
    ) -> Any:
        """The local partial, element by element: done again with care where that raises a flag."""
        self._flags.clear()
        array = ARRAYS.partials(operation)[position](y, *own)
        return partial(operation, position, y, own) if self._flags - {"underflow"} else np.asarray(array)  # fmt: skip


def of_doubles(array: Any, error: float = 0.0) -> Estimate:
    """The estimate of numbers whose doubles have this relative error."""
    found = Estimate(array, error)
    if not error:
        if array.size and not array.item(0).is_integer():
            return found
        first = array.reshape(-1)[:16]
        found.whole = bool((np.floor(first) == first).all() and (np.floor(array) == array).all())  # fmt: skip
    return found


def of_ball(ball: ArrayBall) -> Estimate:
    """Two numbers for the radii of a ball on arrays."""
    radius, array = np.asarray(ball.rad), np.asarray(ball.mid)
    bad: Any = ~(radius < math.inf)
    if bad.any():
        radius = np.where(bad, 0.0, radius)
    else:
        bad = None
    absolute = float(radius.max()) / UNIT if radius.size else 0.0
    with np.errstate(all="ignore"):
        ratios = np.where(radius == 0, 0.0, radius / np.abs(array))
    relative = float(np.fmax.reduce(ratios, axis=None)) / UNIT if ratios.size else 0.0
    if bad is not None:
        bad = np.broadcast_to(bad, np.broadcast_shapes(bad.shape, array.shape))
    return Estimate(array, relative, absolute, bad)


def _narrowed(found: Estimate, shape: tuple[int, ...]) -> Estimate:
    """The adjoint of an operand that was repeated: summed over the axes along which it was."""
    array = found.array
    if array.shape == shape:
        return found
    if array.size < math.prod(shape):
        bad = found.bad
        array = np.broadcast_to(array, shape)
        return found.moved(array, None if bad is None else np.broadcast_to(bad, shape))
    sums = arrays.narrowed(array, shape)
    count = array.size // max(1, math.prod(shape))
    bad = found.bad
    found.bad = (
        None  # for elements, not for their sum; it may be the adjoint of others, too
    )
    result = array_errors.summed(sums, found, count)
    found.bad = bad
    if bad is not None:
        result.bad = arrays.narrowed(bad.astype(float), shape) > 0
    return result


def _sum(array: Any, a: Estimate, b: Estimate) -> Estimate:
    return total(array, a, b)


def _difference(array: Any, a: Estimate, b: Estimate) -> Estimate:
    return total(array, a, b, -1)


def _negative(array: Any, a: Estimate) -> Estimate:
    found = a.moved(array, a.bad)
    low, high = a.range
    found.span(-high, -low)
    return found.told(lambda: a.radius)


_RULES: dict[Operation, Callable[..., Estimate]] = {
    table.ADD: _sum,
    table.SUB: _difference,
    table.MUL: product,
    table.DIV: quotient,
    table.NEG: _negative,
}


def _power(
    operation: Operation, array: Any, x: Estimate, y: Estimate
) -> Estimate | None:
    """A power to one exact number; None for another."""
    if y.array.size != 1 or not y.is_exact:
        return None
    exponent = float(y.array.reshape(()))
    integral = exponent.is_integer()
    if not integral and not x.range[0] > 0:
        return None
    if x.whole and x.is_exact and integral and exponent >= 0:
        found = Estimate(array, whole=True)
        if found.most < 2.0**53:
            found.relative = found.absolute = 0.0
            return found

    def relative() -> float:
        own = x.relative if integral else x.ratio
        return (abs(exponent) + 1) * own + 6

    def absolute() -> float:
        if not integral or exponent < 1:
            return relative() * found.most
        return _grown(exponent, x) * x.absolute + 6 * found.most

    found = bounded(array, relative, absolute, x)
    if integral and exponent >= 1:
        ends = [_to_power(end, exponent) for end in x.range]
        found.span(*ends, *[0.0] * (x.range[0] < 0 < x.range[1]))
    return found.told(
        lambda: np.abs(array) * (np.abs(exponent / x.array) * x.radius + 6 * UNIT)
    )


def _grown(exponent: float, x: Estimate) -> float:
    """The greatest slope of a whole power, within the errors of its base."""
    return exponent * _to_power(x.most + x.absolute * UNIT, exponent - 1) * 1.001


def _to_power(base: float, exponent: float) -> float:
    """A whole power; no number where it overflows."""
    try:
        return float(base**exponent)
    except OverflowError:
        return math.nan


def _power_slope(array: Any, position: int, x: Estimate, y: Estimate) -> Estimate:
    """The local partial y*x^(y - 1); nothing is known of the other one."""
    if position:
        return Estimate(array, bad=np.ones(np.shape(array), bool))
    exponent = float(y.array.reshape(()))

    def relative() -> float:
        return (abs(exponent - 1) + 1) * x.ratio + 8

    def absolute() -> float:
        if not exponent.is_integer() or exponent < 2:
            return relative() * found.most
        size = exponent * _grown(exponent - 1, x) * x.absolute
        return size + 8 * found.most

    found = bounded(array, relative, absolute, x)
    if exponent == 2:
        found.span(*(2 * end for end in x.range))
    return found


def _function(operation: Operation, array: Any, x: Estimate) -> Estimate:
    """A function of one argument that has a condition number."""
    kernel = max(4.0, operation.kernel_error[0])
    if x.is_exact:
        return Estimate(array, kernel)
    rule = operation.condition_number
    assert rule is not None
    everywhere = rule(math.nan, math.nan)
    if everywhere == everywhere:  # it is the same at all numbers

        def relative() -> float:
            return everywhere * x.relative + kernel

        def absolute() -> float:
            if x.relative < math.inf:
                return relative() * found.most
            with np.errstate(all="ignore"):
                steep = np.fmax.reduce(np.abs(array / x.array), axis=None)
            return float(everywhere * steep * x.absolute) + kernel * found.most

    else:

        def relative() -> float:
            steep = partial(operation, 0, array, [x.array])
            size = x.absolute if x.relative > _SMALL else x.radius / UNIT
            none = (np.asarray(size) == 0) | (steep == 0)
            with np.errstate(all="ignore"):
                ratios = np.where(none, 0.0, np.abs(steep / array) * size)
            worst = float(np.max(ratios))
            return worst + kernel if worst <= LARGEST else math.inf

        def absolute() -> float:
            slope = _steepest(operation, x)
            found_here = slope * x.absolute + kernel * found.most
            return found_here if slope <= _GENTLE else min(known(found_here), found.relative * found.most)  # fmt: skip

    def each() -> Any:
        steep = np.abs(partial(operation, 0, array, [x.array]))
        return steep * x.radius + np.abs(array) * (kernel * UNIT)

    found = bounded(array, relative, absolute, x)
    return found.told(each)


def _slope_of_function(
    operation: Operation, array: Any, y: Estimate, x: Estimate
) -> Estimate:
    """The slope of a function that has a condition number, which is that of the slope too."""
    if x.is_exact:
        return Estimate(array, 6.0)
    bend = operation.bend

    def relative() -> float:
        rule = operation.condition_number
        assert rule is not None
        everywhere = rule(math.nan, math.nan)
        if everywhere == everywhere and x.relative < math.inf:
            return everywhere * x.relative + 6
        with np.errstate(all="ignore"):
            condition = _on_arrays(rule)(y.array, x.array)
            errors: Any = x.relative
            if not x.relative <= _SMALL:
                errors = x.radius / np.abs(x.array) / UNIT
            worst = float(np.max(np.where(x.array == 0, 0.0, condition * errors)))
        return worst + 6 if worst <= LARGEST else math.inf

    def absolute() -> float:
        if isinstance(bend, float | int) and bend != ENDS:
            size = bend * x.absolute + 6 * found.most
            if x.absolute <= _SMALL:
                return size
            return min(size, found.relative * found.most)
        return found.relative * found.most

    found = bounded(array, relative, absolute, x)
    if isinstance(bend, float | int) and bend != ENDS:
        found.told(lambda: bend * x.radius + np.abs(array) * (6 * UNIT))
    return found


_GENTLE, _SMALL = 64.0, 2.0**20
"""Slopes and relative errors up to these are good enough for a whole array."""


def _steepest(operation: Operation, x: Estimate) -> float:
    """The greatest slope over the range of an argument."""
    low, high = x.range
    low, high = low - 2 * x.absolute * UNIT, high + 2 * x.absolute * UNIT
    bend = operation.bend
    if not high - low < math.inf or not isinstance(bend, float | int):
        return math.inf
    if bend == ENDS and operation.domain and not _is_inside(operation, low, high):
        return math.inf
    ends = (low, high) if bend == ENDS else ((low + high) / 2,)
    try:
        slopes = [abs(local_partial(operation, 0, operation.kernel(x), [x])) for x in ends]  # fmt: skip
    except ARITHMETIC:
        return math.inf
    steepest = max(slopes)
    return steepest if bend == ENDS else steepest + bend * (high - low) / 2


def _is_inside(operation: Operation, low: float, high: float) -> bool:
    """Whether all numbers between two are in the domain: no pole is among them."""
    from exprgrad.numbers.arb import around, precise

    middle = (low + high) / 2
    try:
        with precise(64) as numbers:
            radius = (high - low) / 2 + abs(middle) * 2 * UNIT
            numbers.refuse_outside(operation, (around(middle, radius),))
    except FAULTS:
        return False
    return True


def _reaches_corner(operation: Operation, x: Estimate) -> bool:
    """Whether the range of an argument may reach a corner of a function that has a condition number."""
    if operation.condition_number is None:
        return True
    low, high = x.range
    middle, radius = (low + high) / 2, (high - low) / 2 * 1.001 + x.absolute * UNIT
    ball = ArrayBall(np.float64(middle), np.float64(radius))
    return bool(_meets(operation, [ball]).any())


def _meets(operation: Operation, balls: Sequence[ArrayBall]) -> Any:
    """Where a function that is smooth beside its corners may stand at one."""
    rules = [rule for rule in (operation.corner, *operation.edges) if rule is not None]
    masks = [CORNERS.bind(rule)(*balls) for rule in rules]
    found = [m.mid if isinstance(m, ArrayBall) else m for m in masks]
    return joined(np.zeros((), bool), *(np.asarray(mask) != 0 for mask in found))


def _is_smooth_power(x: Estimate, y: Estimate) -> bool:
    """Whether a power is far from 0, or one of a whole number from 1 on."""
    low, high = x.range
    error = x.absolute * UNIT
    if low > error or high < -error:
        return True
    whole = y.array.size == 1 and y.is_exact and float(y.array.reshape(())).is_integer()
    return whole and y.range[0] >= 1


@cache
def _is_arithmetic(operation: Operation) -> bool:
    """Whether all partials are numbers, or made of the arguments by arithmetic, with no corner anywhere."""
    rules = [rule for rule in operation.partials if callable(rule)]
    codes = [rule.__code__ for rule in rules if isinstance(rule, FunctionType)]
    alone = len(codes) == len(rules) and not any(code.co_names for code in codes)
    return alone and operation.corner is None and not any(operation.edges)


@cache
def _numpys(operation: Operation) -> tuple[Any, bool]:
    """The function of NumPy that has an operation's values; whether flags tell where it has none."""
    if operation.whole or not takes_any_shape(operation):
        return None, False
    return (None if operation.mean else universal_of_floats(operation)), True


@cache
def _on_arrays(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A condition number on arrays."""
    assert isinstance(rule, FunctionType)
    names = {"fabs": np.abs, "sqrt": np.sqrt, "min": np.minimum, "max": np.maximum}
    return FunctionType(rule.__code__, {**rule.__globals__, **names})
