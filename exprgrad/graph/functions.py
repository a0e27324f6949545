"""Operations of one's own on `Value`s: a class with `forward` and `backward`, as in PyTorch, or two functions.

    class Cube(Function):
        def forward(self, x):
            self.save_for_backward(x)
            return x**3

        def backward(self, gradient):
            (x,) = self.saved_tensors
            return gradient * 3 * x**2

    y = Cube.apply(Value(2.0))                                   # 8
    cube = operation(lambda x: x**3, lambda x: 3 * x**2)         # the same: cube(Value(2.0))

What `backward` gives is compared with differences of `forward` where it is first used, and around there. Such an
operation has values and slopes only: no bounds on its errors, and no formula. With those it is a row of the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial

from exprgrad.annotations import Any
from exprgrad.errors import NotDifferentiableError, UsageError
from exprgrad.graph.displayed import above
from exprgrad.graph.value import Value, apply, as_value, is_array, number_off
from exprgrad.operations.array_operation import ArrayOperation
from exprgrad.operations.operation import ARITHMETIC, Operation, show

# A central difference is off by about 1e-10 from truncation and 1e-11 from rounding, far less than ALIKE.
STEP, ALIKE = 1e-5, 1e-4
"""The step of differences, relative to the point, and by how much two slopes may differ, relatively."""


class Function:
    """An operation of one's own: a subclass has `forward` and `backward`, and is used as `Square.apply(x)`.

    `forward` gets the numbers or arrays of the operands and gives that of the result; `backward` gets the adjoint of
    the result and gives that of each operand, in a tuple where there are several. Both may be static methods
    with a context in front, as in PyTorch. Named arguments of `apply` go to `forward` as they are.
    """

    saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *things: Any) -> None:
        """Keep what `backward` needs: it finds these in `saved_tensors`."""
        self.saved_tensors = things

    forward: Callable[..., Any]
    backward: Callable[..., Any]

    @classmethod
    def apply(cls, *operands: Any, **options: Any) -> Value:
        """Return the node that it makes of these operands.

        Raises `NotDifferentiableError` where `backward` is not the derivative of `forward`, with the point and both
        slopes.
        """
        data = [o._data if isinstance(o, Value) else o for o in operands]
        key = cls, len(operands), tuple(sorted(options.items()))
        return apply(_row(*key, any(map(is_array, data))), *operands)


def operation(forward: Any, backward: Any, name: str = "") -> Callable[..., Any]:
    """Return an operation from two functions of numbers: the value, and its partials, in a tuple where there are several.

    Two texts, swish(x) = x*sigmoid(x) and sigmoid(x) + swish*(1 - sigmoid(x)), in which the name is the result, make a
    row of the table: see `expressions.values.row`.
    """
    if isinstance(forward, str):
        row: Callable[..., Any] = above("expressions.values").row(forward, backward)
        return row
    if not callable(forward) or not callable(backward) or not isinstance(name, str):
        raise UsageError("an operation is made of two functions, and perhaps a name")

    class Pair(Function):
        def forward(self, *own: Any) -> Any:
            self.save_for_backward(*own)
            return forward(*own)

        def backward(self, gradient: Any) -> Any:
            return tuple(gradient * partial for partial in _each(backward(*self.saved_tensors)))  # fmt: skip

    own = getattr(forward, "__name__", "")
    Pair.__name__ = name or (own if own.isidentifier() else "operation")
    return Pair.apply


def _each(found: Any) -> Sequence[Any]:
    return found if isinstance(found, tuple | list) else (found,)


@cache
def _rows(
    kind: type[Function], arity: int, options: tuple[tuple[str, Any], ...]
) -> tuple[Operation, Operation]:
    """Return what a class is on numbers, and on arrays."""
    run = _Run(kind, dict(options))
    if run.backward is None or run.forward is None:
        raise UsageError(f"{kind.__name__} needs forward and backward")
    partials = [partial(run.partial, i) for i in range(arity)]
    on_arrays = _OnArrays(
        kind.__name__,
        lambda np, *own: np.asarray(run(own)[0], float),
        *[None] * arity,
        pull_at=lambda i: lambda np, g, y, *own: run.adjoints(own, g)[i],
    )
    rows = OnNumbers(kind.__name__, run.value, *partials), on_arrays
    for row in rows:
        row.run = run
    return rows


def _row(kind: Any, arity: int, options: Any, on_arrays: bool) -> Operation:
    try:
        rows = _rows(kind, arity, options)
    except TypeError:  # a list or an array among the options has no hash
        rows = _rows.__wrapped__(kind, arity, options)
    return rows[on_arrays]


class _Undeclared(Operation):
    """An operation that is not in the table: it has no name there that others could take."""

    opaque = True
    run: _Run

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is made of the class again."""
        run = self.run
        key = run.kind, self.arity, tuple(sorted(run.options.items()))
        return _row, (*key, self.whole is not None)


class OnNumbers(_Undeclared):
    """One on numbers, with a kernel and partials of its own."""


class _OnArrays(_Undeclared, ArrayOperation):
    pass


class _ByHand(OnNumbers):
    """A node to which somebody gave operands, and `_backward`, which adds to their gradients."""

    def __init__(self, item: Value, sign: str) -> None:
        self.closure: Callable[[], None] = lambda: None
        partials = [partial(self._slope, item, i) for i in range(len(item.operands))]
        super().__init__(sign or "operation", lambda *own: item._data or 0.0, *partials)

    def _slope(self, item: Value, index: int, result: float, *own: float) -> float:
        operands = item.operands
        if operands.index(operands[index]) < index:
            return 0.0  # of an operand that is used twice, the closure adds both
        # A closure adds to gradients, whatever they hold. Started from 0 they are the slopes; then they are put back.
        before = [node.grad for node in (item, *operands)]
        for node in operands:
            node.grad = 0.0
        item.grad = 1.0
        self.closure()
        found = operands[index].grad
        for node, grad in zip((item, *operands), before, strict=True):
            node.grad = grad
        return found


def give_operands(item: Any, operands: Sequence[Any], sign: str) -> None:
    """Make a node of a leaf that was given its operands, and may be given `_backward`."""
    item.__class__ = Value
    item.operands, item.name = tuple(map(as_value, operands)), None
    item.operation = _ByHand(item, sign)
    number_off(item)


class _Run:
    """A class of the user's at work, always on a new instance: the context."""

    def __init__(self, kind: type[Function], options: dict[str, Any]) -> None:
        self.kind, self.options = kind, options
        self.forward, self.backward = (getattr(kind, n, None) for n in ("forward", "backward"))  # fmt: skip
        self.compared = False

    def __call__(self, own: Sequence[Any]) -> tuple[Any, Function]:
        context = self.kind()
        assert self.forward is not None
        return self.forward(context, *own, **self.options), context

    def value(self, *own: float) -> float:
        return float(self(own)[0])

    def adjoints(self, own: Sequence[Any], gradient: Any) -> Sequence[Any]:
        """Return what `backward` gives for these operands."""
        assert self.backward is not None
        found = _each(self.backward(self(own)[1], gradient))
        if len(found) != len(own):
            what = f"backward of {self.kind.__name__} gives {len(found)} adjoints for {len(own)} operands"
            raise UsageError(what)
        return found

    def partial(self, index: int, result: float, *own: float) -> float:
        """A local partial. Bound like this it is no plain function, so it runs as it is, on numbers alone."""
        if not all(isinstance(x, float) for x in own):
            raise UsageError(f"{self.kind.__name__} has values and slopes at points, and no formula")  # fmt: skip
        if not self.compared:
            self.compared = True
            self.compare(own)
        return float(self.adjoints(own, 1.0)[index] or 0.0)

    def compare(self, own: Sequence[float]) -> None:
        """Refuse a `backward` that is wrong at this point, or at two of those around it; corners are passed over."""
        wrong = [fault for place in _around(own) if (fault := self.fault(place))]
        if wrong and (len(wrong) > 1 or self.fault(own)):
            what = f"backward of {self.kind.__name__} is not the derivative of its forward: {wrong[0]}"
            raise NotDifferentiableError(what)

    def fault(self, own: Sequence[float]) -> str:
        """Return what is wrong at a point: the place, and both slopes; nothing where they agree, or where there is no slope."""
        with suppress(*ARITHMETIC):
            given = [0.0 if p is None else float(p) for p in self.adjoints(own, 1.0)]
            middle = self.value(*own)
            for i, x in enumerate(own):
                h = STEP * max(1.0, abs(x))
                sides = ([*own[:i], x + s * h, *own[i + 1 :]] for s in (-1, 1))
                before, after = (self.value(*side) for side in sides)
                slope = (after - before) / (2 * h)
                bound = ALIKE * max(1.0, abs(given[i]))
                # This is the difference of the slopes on both sides: at the corner of relu, any slope in between will
                # do.
                is_smooth = abs(after - 2 * middle + before) / h <= bound
                if is_smooth and abs(slope - given[i]) > bound:
                    there = ", ".join(map(show, own))
                    return f"at ({there}) it gives {given[i]:.6g}, differences give {slope:.6g}"
        return ""


def _around(own: Sequence[float]) -> list[list[float]]:
    """The point, and some around it."""
    # Moved alike, operands that start equal would stay equal, and the slopes of (x - y)^2 be 0 at every place.
    moves = (0.0, 0.37, -0.41, 1.3)
    return [[x + move * math.copysign(1 + i / 7, x) for i, x in enumerate(own)] for move in moves]  # fmt: skip
