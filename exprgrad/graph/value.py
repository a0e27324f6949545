"""The computation graph: `Value` nodes, each a leaf or an operation applied to operands.

Built from numbers a node is computed at once, as in the tutorials:

    a, b = Value(2.0), Value(3.0)
    L = (a * b + 1) ** 2
    L.backward()                # a.grad == 42.0

Nodes compare by identity and know only their operands, which exist before them; so a cycle cannot
be built, and whoever is older in the graph comes first in a topological order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cache
from operator import attrgetter

from exprgrad.annotations import TYPE_CHECKING, Any, TypeAlias
from exprgrad.errors import ArgumentError, NumberError, Span, UsageError
from exprgrad.graph.displayed import above, displayed
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational, read_ratio
from exprgrad.operations import table
from exprgrad.operations.number_types import CAREFUL, Numbers
from exprgrad.operations.operation import (
    ARITHMETIC,
    Methods,
    Operation,
    compute,
    named,
    show,
)
from exprgrad.operations.table import ADD, DIV, MUL, POW, SUB

if TYPE_CHECKING:
    from fractions import Fraction

Number: TypeAlias = "int | float | Fraction"

LARGEST_WHOLE = 2**53
"""Larger whole numbers need not be doubles; they are kept exactly as well."""

_new = object.__new__
_serial = itertools.count(1).__next__


_FOR_SWEEPS = ("grad", "left", "number", "right", "serial", "share", "version")
"""What a node keeps so that a sweep is fast, and sees what has changed."""


@displayed
class Value(Methods):
    """A node of the graph.

    `data` is the primal, `grad` the adjoint of the last sweep (for leaves: the sum over sweeps),
    `operation` and `operands` how the node came about (None and () for a leaf), `name` an optional
    name, `span` the piece of source text that the node was read from.
    """

    __slots__ = ("_data", "name", "operands", "operation", "span", *_FOR_SWEEPS)

    _data: float | None
    grad: float
    name: str | None
    operation: Operation | None
    operands: tuple[Value, ...]
    span: Span | None
    # Nodes that were computed at once are numbered as they come about, from 1 on
    serial: int
    # What a leaf has received in the sweep that is under way
    share: float | None
    # Of a leaf, the number at which it was given other data: nodes with lower ones were computed before.
    # Of nodes on arrays, and leaves that hold one, see `backward.kept`.
    version: Any
    # What a sweep reads of nodes that were computed at once, from one or two operands: the first that is a
    # node; and the other, None if there is none, or whether the number `number` stands before the first
    left: Value
    right: Value | bool | None
    number: float

    is_constant = False
    """True of what takes no gradient."""

    exact: Fraction | None = None
    """The number of a constant that was given as a fraction, or as a whole number that need not be a double."""

    written: str | None = None
    """The text of a decimal that says more than its double."""

    # NumPy leaves the arithmetic of an array and a node to the node
    __array_ufunc__ = None

    def __init__(
        self, data: Any = None, name: Any = None, label: str | None = None, *,
        requires_grad: bool = True, _children: Sequence[Any] = (), _op: str = "",
    ) -> None:  # fmt: skip
        if not requires_grad:
            hint = "use the number or the array as it is where none is wanted"
            raise UsageError(f"every {type(self).__name__} takes a gradient", hint=hint)
        self.grad, self.operands, self.name = 0.0, (), name or label
        self.operation = self.span = self.share = None
        self.serial = self.version = 0
        if type(data) is float and data - data == 0:
            self._data = data
            if type(self) is Value:
                self.__class__ = Scalar
        else:
            _hold(self, data)
        if _children or type(name) is tuple:  # as within the classes of tutorials
            own = (name, label or "") if type(name) is tuple else (_children, _op)
            above("graph.functions").give_operands(self, *own)

    def _assign(self, data: Any) -> None:
        """Give it other data, which the sweeps from nodes that were computed from it notice."""
        if self.operation is not None:
            _settle(self)
        _hold(self, data)
        if self.operation is None:
            self.version = _serial()
        else:  # it was given data, and not computed
            self.serial, self.version, self.share = 0, None, None

    if TYPE_CHECKING:

        @property
        def data(self) -> float | None:
            """The primal: a number, or an array; None without."""

        @data.setter
        def data(self, data: Any) -> None: ...

    else:  # code that is hot goes to the slot
        data = property(attrgetter("_data"), _assign)

    def __repr__(self) -> str:
        parts = [] if self.data is None else [f"data={show(self.data)}"]
        if self.name:
            parts.append(f"name={self.name!r}")
        parts.append(f"grad={show(self.grad)}")
        if self.operation:
            parts.append(f"operation={self.operation.name!r}")
        return f"Value({', '.join(parts)})"

    # As micrograd calls them, so that what people have written for its graphs draws these

    @property
    def label(self) -> str:
        """The name, or an empty text."""
        return self.name or ""

    @label.setter
    def label(self, name: str) -> None:
        self.name = name

    @property
    def _prev(self) -> set[Value]:
        """The operands."""
        return set(self.operands)

    @property
    def _op(self) -> str:
        """The sign of the operation, or an empty text."""
        return "" if self.operation is None else self.operation.sign

    @property
    def _backward(self) -> Callable[[], None]:
        """A function that adds to the gradients of the operands what this node contributes, by the chain rule."""
        return lambda: _sweeps().contribute(self)

    @_backward.setter
    def _backward(self, given: Callable[[], None]) -> None:
        if not hasattr(self.operation, "closure"):
            raise UsageError("_backward is given to a node that was made with _children")  # fmt: skip
        setattr(self.operation, "closure", given)  # noqa: B010 # only these have one

    @property
    def _creator(self) -> Any:
        """An object of a class that is called like the operation, Mul or Add; None for a leaf."""
        own = self.operation
        if own is None:
            return None
        kind = type(own.name[:1].upper() + own.name[1:], (), {"parents": self.operands})
        return kind()

    # As PyTorch calls them

    @property
    def requires_grad(self) -> bool:
        """Return whether sweeps give it a gradient: all nodes but constants have one."""
        return not self.is_constant

    @property
    def grad_fn(self) -> Operation | None:
        """The operation that it came about by; None for a leaf."""
        return self.operation

    def item(self) -> float:
        """Return the data as a number. Raises `ArgumentError` where it is not one number."""
        data: Any = self.data
        if is_array(data) and data.size == 1:
            return float(data.item())
        if not isinstance(data, float):
            raise ArgumentError("item() takes one number, and this is none")
        return data

    def expression(self) -> Any:
        """Return the graph as an `Expression`; leaves without a name are called x, or x1, x2 ..."""
        return above("expressions.values").expression(self)

    def trace(self, depth: int | None = None) -> Any:
        """Return both sweeps step by step: `print` shows them as tables, a notebook too.

        Of a large graph, such as a network, the tables show stages; with `depth=0` every node, as in `graph`.
        """
        return above("expressions.values").trace(self, depth)

    def graph(self, stage: int | str = "all", depth: int | None = None) -> Any:
        """Return the graph as data, with values and adjoints; its `svg()` is a picture: see `Expression.graph`."""
        found = above("expressions.values").evaluation(self)
        return above("pictures.graph").graph_at(found, stage, depth)

    def walk(self, path: Any) -> Any:
        """Write a page that goes through both sweeps, and return its path."""
        found = above("expressions.values").evaluation(self)
        page = above("pictures.walk").walk_page
        return above("pictures.svg").save(None, path, more={".html": lambda: page(found)})  # fmt: skip

    def __apply__(self, operation: Operation, operands: Sequence[Any]) -> Value:
        return apply(operation, *operands)

    def __apply_alone__(self, operation: Operation) -> Value:
        """A function of this node; the first time, it becomes a method of `Scalar` that has no detours."""
        if operation.whole or type(self) not in (Scalar, Value):
            return apply(operation, self)
        if type(self) is Scalar:
            for name in (operation.called, *operation.aliases):
                if name and named(name).get(1) is operation:
                    setattr(Scalar, name, _function(operation, name))
        return _function(operation, "")(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """See `copying`. Of versions, what is left is whether a node was computed from other data."""
        from exprgrad.graph.copying import is_under_way, reduced

        _settle(self)
        is_plain = type(self) is Value and self._data is None and self.name is None
        if is_plain and self.operation is not None and is_under_way(self):
            return node, (self.operation, self.operands, self.span)
        from exprgrad.graph.backward import given_later

        state: Any = super().__getstate__()
        fields, slots = state  # of a subclass, and of this class
        for name in _OF_SWEEPS:
            slots.pop(name, None)
        if self.operation is None and isinstance(self.version, int):
            slots["version"] = 0
        elif self.serial and any(given_later(o, self.serial) for o in self.operands):
            slots["serial"] = 0
        return reduced(self, fields, slots)

    def __setstate__(self, state: Sequence[Any]) -> None:
        """A copy, or a node that is loaded, has a number of its own; its operands come before it."""
        for fields in state[-2:]:
            for name, value in (fields or {}).items():
                if not (self.is_constant and name in _OF_CONSTANTS):
                    setattr(self, name, value)
        if self.serial:
            number_off(self)

    def __bool__(self) -> bool:
        if self.data is None:
            raise ArgumentError("a variable without data is neither true nor false")
        return bool(self.data)

    if TYPE_CHECKING:  # see `arithmetic`, and `Methods` for the functions of the table

        def __getattr__(self, name: str) -> Any: ...
        def __add__(self, other: Any) -> Value: ...

        __sub__ = __mul__ = __truediv__ = __pow__ = __mod__ = __add__
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __add__
        __lt__ = __le__ = __gt__ = __ge__ = __add__

    def __rpow__(self, other: Value | Number) -> Value:
        return _binary(power_operation(self), other, self)

    def __rmod__(self, other: Value | Number) -> Value:
        return _binary(table.MOD, other, self)

    def __matmul__(self, other: Any) -> Value:
        return apply(table.MATMUL, self, other)

    def __rmatmul__(self, other: Any) -> Value:
        return apply(table.MATMUL, other, self)

    def __neg__(self) -> Value:
        return self.__apply_alone__(table.NEG)

    def __pos__(self) -> Value:
        return self

    def __abs__(self) -> Value:
        return self.__apply_alone__(table.ABS)

    def backward(self, gradient: Any = None) -> None:
        """Sweep the adjoints from this node, seeded with 1, or with `gradient`, down to the leaves.

        An inner node's `grad` is its adjoint in this sweep, however often `backward` runs; a leaf's
        `grad` adds up over sweeps until `zero_grad`. At a corner the convention of the table's rule
        holds (the slope of relu at 0 is 0). Raises `NotDifferentiableError` where a local partial
        is infinite, `TypeError` where a variable has no data, and `ChangedDataError` where the data of a
        leaf is another than when the graph was built on it.
        """
        if gradient is not None:
            (self * float(gradient)).backward()
            return
        sweeps = _sweeps()
        with sweeps.LOCK:
            if not (self.serial and sweeps.in_one_pass()(self)):
                _hand_out(sweeps.sweep_in_order(self, CAREFUL, 1.0))

    def zero_grad(self) -> None:
        """Set `grad` to 0 on this node and on all that it was computed from."""
        seen: set[Value] = set()
        stack: list[Any] = [self]
        while stack:
            item = stack.pop()
            if item in seen or not isinstance(item, Value):
                continue
            seen.add(item)
            item.grad = 0.0
            if type(item) is not Scalar:
                stack += item.operands
            elif item.operation is not None:
                stack += item.left, item.right


class Scalar(Value):
    """A `Value` that holds a number, given or just computed from others. Do not make one: `Value(number)` does.

    It is computed as fast as Python allows: `left`, `right` and `number` say from what. When somebody looks at
    its operands, its name or its span, it becomes a `Value` like any other, with a constant for the number.
    """

    __slots__ = ()

    # Calling a class that initializes nothing takes two thirds of the time of object.__new__
    __init__ = object.__init__

    if not TYPE_CHECKING:
        name, operands, span = (
            property(
                lambda self, slot=slot: getattr(_settle(self), slot),
                lambda self, given, slot=slot: setattr(_settle(self), slot, given),
            )
            for slot in ("name", "operands", "span")
        )


@cache
def _function(operation: Operation, name: str) -> Callable[..., Value]:
    """The method that computes a function of one argument; with more, it is another function of that name."""
    kernel = operation.kernel

    def method(self: Value, *more: Any) -> Value:
        data = self._data
        if more or type(data) is not float:
            general: Any = getattr(Methods, name, None)
            return general(self, *more) if more else apply(operation, self)
        try:
            result: float = kernel(data)
        except ARITHMETIC:
            raise operation.fault((data,)) from None
        if result - result != 0:
            raise operation.fault((data,))
        new: Value = Scalar()
        new._data, new.operation, new.serial = result, operation, _serial()
        new.grad, new.left, new.right = 0.0, self, None
        return new

    return method


# Errors call it by the name that people know; `__getattr__` for that would slow down every look at a slot by a tenth
Scalar.__name__ = "Value"

Scalar.__neg__, Scalar.__abs__ = (_function(row, "") for row in (table.NEG, table.ABS))

_SLOTS = [vars(Value)[name] for name in ("operands", "name", "span")]
"""What `Scalar` hides: these slots are unset there."""


def _settle(item: Value) -> Value:
    """A node with its operands in a tuple, where a number is a constant."""
    if type(item) is Scalar:
        with _sweeps().LOCK:
            if type(item) is Scalar:  # and no other thread was faster
                if item.operation is not None:
                    _spell_out(item)
                item.__class__ = Value  # after its slots: others may read them now
    return item


def _spell_out(item: Value) -> None:
    left, right = item.left, item.right
    if isinstance(right, bool):
        number = written_number(item.number)
        left, right = (number, left) if right else (left, number)
        item.left, item.right = left, right
    operands = (left,) if right is None else (left, right)
    for slot, given in zip(_SLOTS, (operands, None, None), strict=True):
        slot.__set__(item, given)
    item.share = None


class Tensor(Value):
    """A `Value` that holds an array, or was computed from one: `Value(array)` makes one, and so does `Tensor(3.0)`.

    W, x = Value(np.ones((2, 3))), Value([1.0, 2.0, 3.0])
    L = (W @ x).tanh().sum()
    L.backward()                # W.grad has the shape of W
    """

    __slots__ = ()

    data: Any
    grad: Any

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'Value' object has no attribute {name!r}")

    def __init__(
        self, data: Any, name: str | None = None, label: str | None = None, *, requires_grad: bool = True
    ) -> None:  # fmt: skip
        from exprgrad.operations.on_arrays import as_data

        super().__init__(as_data(data), name, label, requires_grad=requires_grad)

    def __repr__(self) -> str:
        parts = [f"data={self.data!r}"]
        if self.name:
            parts.append(f"name={self.name!r}")
        if self.operation:
            parts.append(f"operation={self.operation.name!r}")
        return f"Value({', '.join(parts)})"

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.data.shape  # type: ignore[no-any-return] # of an array

    @property
    def T(self) -> Value:  # noqa: N802 # NumPy's name
        """The axes in reverse."""
        return apply(table.TRANSPOSE, self)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, key: Any) -> Value:
        self.data[key]  # an IndexError ends a loop over the rows
        places = key if isinstance(key, tuple) else (key,)
        if all(type(place) is int for place in places):
            return apply(table.ITEM, self, *places)
        constant = Constant(0.0)
        constant._data = places  # type: ignore[assignment] # not a number
        return apply(table.TAKE, self, constant)

    def backward(self, gradient: Any = None) -> None:
        """Sweep the adjoints from this number down to the leaves: see `Value.backward`.

        With a `gradient` of this shape, one adjoint for each element, it need not be one number.
        """
        from exprgrad.operations.on_arrays import ARRAYS, as_data, filled

        if gradient is not None:
            seed: Any = Constant(as_data(gradient))
            if seed.data.shape != self.shape:
                what = f"the gradient has the shape {seed.data.shape}, what it is of {self.shape}"
                raise UsageError(what)
            (self * seed).sum().backward()
            return
        if self.data.size != 1:
            raise UsageError(
                f"backward() starts from one number, not from shape {self.shape}",
                hint="take sum(), mean() or an element first, or pass a gradient of this shape",
            )
        adjoints = _sweeps().sweep_in_order(self, ARRAYS, filled(self.shape, 1.0))
        with _sweeps().LOCK:
            _hand_out(adjoints)

    def zero_grad(self) -> None:
        """Set `grad` to 0 on this node and on all that it was computed from."""
        from exprgrad.operations.on_arrays import filled

        for item in topological(self):
            item.grad = filled(item.shape, 0.0) if isinstance(item, Tensor) else 0.0


@cache
def _sweeps() -> Any:
    """The module `backward`, which those do without who only build graphs."""
    from exprgrad.graph import backward

    return backward


def _hand_out(adjoints: dict[Value, Any]) -> None:
    """Set the grad of inner nodes to their adjoints, and add to that of leaves."""
    for item, adjoint in adjoints.items():
        if adjoint is None:
            own = 0.0 * abs(item.grad)
        else:
            own = adjoint if isinstance(item, Tensor) else float(adjoint)
        item.grad = own if item.operation is not None else item.grad + own


class Constant(Value):
    """A leaf that is a number and nothing else: it takes no gradient.

    `exact` is the number as a fraction when it was given as one, or as a large whole number; `written` the text
    of a decimal that says more than its double. `name` is set for π, e and tau.
    """

    __slots__ = ("exact", "written")

    is_constant = True

    # What is the same for all of them takes no time when one is made
    operation = None
    operands = ()
    serial = 0
    share = None

    def __init__(
        self, data: Any, name: str | None = None, span: Span | None = None
    ) -> None:
        self.grad, self.version = 0.0, 0
        self.name, self.span = name, span
        self.exact = data if is_fraction(data) else None
        if type(data) is int and abs(data) >= LARGEST_WHOLE:
            from fractions import Fraction

            self.exact = Fraction(data)
        self.written = None
        _hold(self, data)

    @property
    def is_whole(self) -> bool:
        """Return whether it is plainly a whole number, of so few digits that its double is the number."""
        data = self._data
        plain = self.name is None and self.exact is None and self.written is None
        return plain and type(data) is float and data.is_integer() and abs(data) < 1e15

    @property
    def ratio(self) -> tuple[int, int] | None:
        """The number that is meant, as a fraction; None for e, pi and tau.

        A decimal means itself. Up to 15 digits, it is the shortest that its double is nearest to.
        """
        if self.is_whole:
            return int(self._data), 1  # type: ignore[arg-type] # that is a float
        if self.name is not None:
            return None
        if self.exact is not None:
            return self.exact.numerator, self.exact.denominator
        return read_ratio(self.written or repr(self.data))


_OF_SWEEPS = ("left", "right", "number")
"""The slots that tell a sweep once more what the operands tell."""

_OF_CONSTANTS = ("operation", "operands", "serial", "share")
"""The attributes that are the same for all constants."""


class Measured(Constant):
    """A number that is known within an error, such as a slope that germs gave."""

    __slots__ = ("error",)

    def __init__(self, data: float, error: float) -> None:
        super().__init__(data)
        from fractions import Fraction

        self.exact, self.error = Fraction(data), error


def _number(data: Any) -> float | None:
    """The data of a leaf. Raises `NumberError` for what is not a finite number."""
    if data is None:
        return None
    try:
        number = float(data)
    except OverflowError:
        what = "data must be a finite number: this one is too large for a double"
        raise NumberError(what) from None
    except (TypeError, ValueError):
        raise NumberError(f"data must be a number, not {data!r:.60}") from None
    if not math.isfinite(number):
        raise NumberError(f"data must be a finite number, not {number}")
    return number


def is_fraction(thing: Any) -> bool:
    """Return whether that is a `Fraction`, whose module takes longer to import than a small graph to sweep."""
    return hasattr(thing, "limit_denominator")


def is_array(thing: Any) -> bool:
    """Return whether that is an array of NumPy, or a list or tuple of numbers."""
    return not isinstance(thing, _NO_ARRAYS) and (
        isinstance(thing, list | tuple) or type(thing).__name__ == "ndarray"
    )


_NO_ARRAYS = (float, int, type(None))


def as_value(thing: Value | Number) -> Value:
    """A node as it is; a constant for a number."""
    if type(thing) is float and thing - thing == 0:
        return written_number(thing)
    if isinstance(thing, Value):
        return thing
    is_numpy = type(thing).__name__ == "ndarray"
    if isinstance(thing, int | float) or is_fraction(thing) or is_numpy:
        return Constant(thing)
    if hasattr(thing, "__float__"):
        return Constant(float(thing))
    what = f"cannot compute with {type(thing).__name__}: give a number or a Value"
    raise ArgumentError(what)


def is_variable(item: Value) -> bool:
    """Return whether a node is a leaf that is no constant."""
    return item.operation is None and not isinstance(item, Constant)


def node(
    operation: Operation, operands: tuple[Value, ...], span: Span | None = None
) -> Value:
    """A node that is not computed."""
    new = _new(Value)
    new._data = new.name = None
    new.operation = operation
    new.operands = operands
    new.span = span
    new.serial = 0
    new.grad = 0.0
    new.share = None
    return new


def written_number(
    data: float, span: Span | None = None, written: str | None = None
) -> Constant:
    """A finite number, as it was read from a text or given to an operator."""
    new = _new(Constant)
    new._data, new.grad, new.version = data, 0.0, 0
    new.name = new.exact = None
    new.span, new.written = span, written
    return new


def apply(operation: Operation, *operands: Value | Number) -> Value:
    """The operation on operands, computed at once when every operand has data.

    Constants alone are left as they are: nothing is simplified while a graph is built. Raises
    `DomainError` where the operation is not defined.
    """
    nodes = tuple([x if isinstance(x, Value) else as_value(x) for x in operands])
    data = tuple([item._data for item in nodes])
    if operation.whole or not _NUMBERS.issuperset(map(type, data)):
        return _on_arrays(operation, nodes)
    new = node(operation, nodes)
    if None not in data and not _CONSTANTS.issuperset(map(type, nodes)):
        new._data = compute(operation, data)  # type: ignore[arg-type] # no None among them
        number_off(new)
    return new


_NUMBERS, _CONSTANTS = frozenset((float, type(None))), frozenset((Constant,))
"""The types of data that is no array, and of nodes that are left as they are."""


def number_off(item: Value) -> None:
    """Give a node that has been computed its number, and what else a sweep reads of it."""
    operands = item.operands
    item.left, item.right = operands[0], operands[1] if operands[1:] else None
    item.serial = _serial()


def _binary(operation: Operation, left: Value | Number, right: Value | Number) -> Value:
    """`apply` for two operands, without its loops: every arithmetic operator comes through here."""
    left = left if isinstance(left, Value) else as_value(left)
    right = right if isinstance(right, Value) else as_value(right)
    new = Value.__new__(Value)
    new.operation, new.operands = operation, (left, right)
    new.grad, new.name, new.span, new.serial, new.share = 0.0, None, None, 0, None
    x, y = left._data, right._data
    if is_array(x) or is_array(y):
        return apply(operation, left, right)
    if x is None or y is None or (type(left) is Constant and type(right) is Constant):
        new._data = None
    else:
        new._data = compute(operation, (x, y))
        new.left, new.right, new.serial = left, right, _serial()
    return new


def _power(base: Value, other: Value | Number) -> Value:
    exponent = as_value(other)
    return _binary(power_operation(exponent), base, exponent)


def _hold(item: Any, data: Any) -> None:
    """Let a leaf hold a number or an array."""
    if not (is_array(data) or isinstance(item, Tensor)):
        item._data = _number(data)
        return
    from exprgrad.operations.on_arrays import as_data, filled

    item._data = as_data(data)
    _settle(item)
    if type(item) is Value:
        item.__class__ = Tensor
    if isinstance(item, Tensor) and getattr(item.grad, "shape", None) != item.shape:
        item.grad = filled(item.shape, 0.0)


def _on_arrays(operation: Operation, operands: tuple[Value, ...]) -> Value:
    """`apply` where an operand holds an array, or the operation is one on whole arrays."""
    from exprgrad.operations.on_arrays import compute

    new = node(operation, operands)
    new.__class__ = Tensor
    data = [item.data for item in operands]
    if all(x is not None for x in data):
        new._data = compute(operation, data)
        new.version = _sweeps().kept(operands)
    return new


def _written_out(name: str) -> Callable[[Value, Any], Value]:
    """A method that has them all written out when the first of them is called: it takes a millisecond."""

    def method(self: Value, other: Any) -> Value:
        from exprgrad.graph import arithmetic

        own = {"Value": Value, "Scalar": Scalar, "_serial": _serial}
        general = {"_binary": _binary, "_power": _power}
        rows = {"ADD": ADD, "SUB": SUB, "MUL": MUL, "DIV": DIV, "POW": POW}
        for each, written in arithmetic.methods({**own, **general, **rows}).items():
            setattr(Value, each, written)
        return getattr(Value, name)(self, other)  # type: ignore[no-any-return] # its text is made

    return method


def _operator(row: Operation) -> Callable[[Value, Any], Value]:
    """The method of an operation on a node and another."""
    return lambda self, other: _binary(row, self, other)


for _row in (table.MOD, table.LT, table.LE, table.GT, table.GE):
    setattr(Value, f"__{_row.name}__", _operator(_row))
for _name, _row in {"add": ADD, "sub": SUB, "mul": MUL, "truediv": DIV}.items():
    setattr(Tensor, f"__{_name}__", _operator(_row))
for _name in ("add", "sub", "mul", "truediv", "radd", "rsub", "rmul", "rtruediv", "pow"):  # fmt: skip
    setattr(Value, f"__{_name}__", _written_out(f"__{_name}__"))


SYMBOLS = Numbers(
    lambda operation: lambda *operands: apply(operation, *operands),
    {"pi": Constant(math.pi, "pi")},
)
"""Graph nodes as a number type: a rule that runs on them builds its formula."""


def power_operation(exponent: Value) -> Operation:
    """Which power it is: an exponent written as a fraction with odd denominator takes real roots."""
    if type(exponent) is Constant and exponent.exact is None:
        return POW
    fraction = rational(exponent)
    if fraction is None or fraction.denominator == 1 or fraction.denominator % 2 == 0:
        return POW
    return table.POW_ODD if fraction.numerator % 2 else table.POW_EVEN
