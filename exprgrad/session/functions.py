"""Formulas with names, and how they are put in where they are used.

    f(x, y) = x^2*y         f(3, a + 1) is read as 3^2*(a + 1)

A definition keeps its own formula, with a `Call` wherever it uses another name. A `Linker` replaces calls by
formulas when a statement is evaluated, so a chain of definitions costs no more to read than its texts. Calls
of one function with equal arguments share one copy: f_n(x) = f_(n-1)(x)*f_(n-1)(x) + 1 grows with n, not 2^n.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping

from exprgrad.annotations import NamedTuple
from exprgrad.errors import Span, UsageError
from exprgrad.graph.numbering import GraphNumbering
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import with_operands
from exprgrad.graph.value import Constant, Value, is_variable, node, power_operation
from exprgrad.language.notes import Slope
from exprgrad.operations.table import NE

MOST_NODES = 200_000
"""The most nodes that the calls of one text may expand to."""


class Function(NamedTuple):
    """A formula in its parameters; a name that stands for a formula has none.

    `root` is its graph, with calls in it; `variables` are the names in it other than the parameters, and
    those of the functions that it calls; `slopes` are the derivatives that its text takes.
    """

    name: str
    parameters: tuple[str, ...]
    root: Value
    variables: tuple[str, ...]
    slopes: tuple[Slope, ...] = ()

    @property
    def signature(self) -> str:
        """How it is called: f(x, y), or just the name."""
        listed = ", ".join(self.parameters)
        return f"{self.name}({listed})" if self.parameters else self.name


class Call(Value):
    """Stands for the formula of a function at its operands, until a `Linker` puts that in."""

    __slots__ = ("function",)

    function: Function

    def __init__(
        self, function: Function, arguments: tuple[Value, ...], span: Span
    ) -> None:
        super().__init__(None, function.name)
        self.function, self.operands, self.span = function, arguments, span


def made(
    name: str, parameters: tuple[str, ...], root: Value, slopes: tuple[Slope, ...] = ()
) -> Function:
    """The function with this graph; its other variables are found there."""
    names: dict[str, None] = {}
    for item in topological(root):
        if isinstance(item, Call):
            names |= dict.fromkeys(item.function.variables)
        elif is_variable(item):
            names[item.name or ""] = None
    others = tuple(n for n in names if n not in parameters)
    return Function(name, parameters, root, others, slopes)


def derived(
    function: Function, name: str, wrt: tuple[str, ...], span: Span
) -> Function:
    """The derivative with respect to one variable after the other, as a function of the same parameters.

    Raises `UsageError`, at `span`, where derivatives of derivatives outgrow `MOST_OPERATIONS`.
    """
    from exprgrad.expressions.confirm import derivative
    from exprgrad.symbolic.derivative import MOST_OPERATIONS

    linker = Linker({})
    root = linker.linked(function.root)
    slopes = [*function.slopes, *linker.slopes]
    needed = []
    for variable in wrt:
        needed.append((root, variable))
        most = MOST_OPERATIONS if slopes or len(needed) > 1 else None
        root = derivative(root, variable, most=most, span=span)
    slopes += [Slope(root, below, variable, (0, 0)) for below, variable in needed]
    return made(name, function.parameters, root, tuple(slopes))


Key = tuple[object, ...]
"""The root and the parameters of a function, and the numbers of its arguments."""

Wanted = tuple[Function, tuple[Value, ...], Span]
"""A function that is called, its arguments, and where."""

Frame = Generator[Wanted, Value, Value]
"""A graph that is being copied: it yields a call, is sent its formula, and returns the copy."""


class Linker:
    """Replaces calls by formulas, within one text.

    `leaves` are the variables of the text by name, which its formulas share. `slopes` are the derivatives
    taken in the formulas that were put in.
    """

    def __init__(self, leaves: dict[str, Value]) -> None:
        self.leaves = leaves
        self.slopes: list[Slope] = []
        self._count = 0
        self._numbering = GraphNumbering()
        self._copies: dict[Key, Value] = {}

    def linked(self, root: Value) -> Value:
        """The graph without calls; the same one if it has none. Raises `UsageError` if it is too large."""
        # one frame per formula that is being copied, since definitions may be nested to any depth
        self._count = 0
        frames: list[tuple[Key, Frame]] = [((), self._copying(root, {}, _same, None))]
        value: Value | None = None
        while frames:
            key, frame = frames[-1]
            try:
                call = frame.send(value)  # type: ignore[arg-type] # None starts a frame
            except StopIteration as end:
                value = self._copies[key] = end.value
                frames.pop()
                continue
            function, arguments, span = call
            numbers = map(self._numbering.number, arguments)
            key = (function.root, function.parameters, *numbers)
            value = self._copies.get(key)
            if value is None:
                given = dict(zip(function.parameters, arguments, strict=True))
                frames.append((key, self._instance(function, given, span)))
        return self._copies.pop(())

    def _instance(
        self, function: Function, given: Mapping[str, Value], span: Span
    ) -> Frame:
        """A copy of a formula with the arguments in place of its parameters."""
        copies: dict[Value, Value] = {}

        def leaf(item: Value) -> Value:
            name = item.name or ""
            if isinstance(item, Constant):
                return item
            return given[name] if name in given else self.leaf(name, span)

        root = yield from self._copying(function.root, copies, leaf, span)
        for slope in function.slopes:
            copy = yield from self._copying(slope.derived, copies, leaf, span)
            arguments = yield from self._arguments(slope, given, copies, leaf, span)
            self.slopes.append(
                slope._replace(derived=copy, span=span, arguments=arguments)
            )
        self._count += len(copies)
        if self._count > MOST_NODES:
            raise UsageError(
                f"{function.signature} expands to more than {MOST_NODES:,} operations here",
                span,
            )
        return root

    def _copying(
        self,
        root: Value,
        copies: dict[Value, Value],
        leaf: Callable[[Value], Value],
        span: Span | None,
    ) -> Frame:
        for item in topological(root):
            if item in copies:
                continue
            operands = tuple([copies[operand] for operand in item.operands])
            if isinstance(item, Call):
                where = span or item.span or (0, 0)
                copies[item] = yield item.function, operands, where
            elif item.operation is None:
                copies[item] = leaf(item)
            else:
                copies[item] = _applied(item, operands, span)
        return copies[root]

    def _arguments(
        self,
        slope: Slope,
        given: Mapping[str, Value],
        copies: dict[Value, Value],
        leaf: Callable[[Value], Value],
        span: Span,
    ) -> Generator[Wanted, Value, tuple[tuple[str, Value], ...]]:
        """The values of the parameters in the formula that a derivative was taken of."""
        arguments: dict[str, Value] = {}
        for name, value in slope.arguments:
            arguments[name] = yield from self._copying(value, copies, leaf, span)
        for item in filter(is_variable, topological(slope.root)):
            name = item.name or ""
            if name in given:
                arguments.setdefault(name, given[name])
            elif name not in arguments:
                self.leaf(name, span)
        return tuple(arguments.items())

    def leaf(self, name: str, span: Span) -> Value:
        """The variable of that name."""
        known = self.leaves.get(name)
        if known is None:
            known = self.leaves[name] = Value(None, name)
            known.span = span
        return known


def _same(leaf: Value) -> Value:
    return leaf


def _applied(item: Value, operands: tuple[Value, ...], span: Span | None) -> Value:
    """The operation of a node on copies; which one it is may depend on what these are."""
    from exprgrad.language.calls import truth

    operation = item.operation
    assert operation is not None
    if span is None and operands == item.operands:
        return item
    if operation.rule == "power":
        operation = power_operation(operands[1])
    elif _is_truth_of_call(item):
        return truth(operands[0])
    if operation is item.operation and span is None:
        return with_operands(item, operands)
    return node(operation, operands, span or item.span)


def _is_truth_of_call(item: Value) -> bool:
    """Whether `truth` made this from a call, which may turn out to be a comparison itself."""
    first = item.operands[0]
    is_call = isinstance(first, Call) and item.operation is NE
    return is_call and item.span == first.span
