"""Formulas with parameters, and what becomes of them where they are used.

A call is replaced by a copy of the formula with the arguments in place of the parameters:

    f(x, y) = x^2*y         f(3, a + 1) is read as 3^2*(a + 1)

Calls of one function with equal arguments share one copy, so that f_n(x) = f_(n-1)(x)*f_(n-1)(x) + 1
grows with n and not with 2^n.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from exprgrad.errors import Span, UsageError
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, is_variable, node, power_operation
from exprgrad.language.notes import Slope
from exprgrad.symbolic.derivative import MOST_OPERATIONS, derivative

MOST_NODES = 200_000
"""Nodes that the calls of one text may stand for."""


class Function(NamedTuple):
    """A formula in its parameters; a name that stands for a formula has none.

    `variables` are the names in it other than the parameters; `slopes` the derivatives that were taken
    in it.
    """

    name: str
    parameters: tuple[str, ...]
    root: Value
    variables: tuple[str, ...]
    slopes: tuple[Slope, ...] = ()

    @property
    def signature(self) -> str:
        """How it is called: f(x, y), or a mere name."""
        listed = ", ".join(self.parameters)
        return f"{self.name}({listed})" if self.parameters else self.name


def made(
    name: str, parameters: tuple[str, ...], root: Value, slopes: tuple[Slope, ...] = ()
) -> Function:
    """The function of a graph, its other variables found in it."""
    names = [n.name or "" for n in topological(root) if is_variable(n)]
    others = tuple(dict.fromkeys(n for n in names if n not in parameters))
    return Function(name, parameters, root, others, slopes)


def derived(function: Function, name: str, wrt: tuple[str, ...]) -> Function:
    """The derivative by one variable after the other, as a function of the same parameters."""
    root, slopes = function.root, list(function.slopes)
    needed = []
    for i, variable in enumerate(wrt):
        needed.append((root, variable))
        root = derivative(root, variable, most=MOST_OPERATIONS if i else None)
    slopes += [Slope(root, below, variable, (0, 0)) for below, variable in needed]
    return made(name, function.parameters, root, tuple(slopes))


class Inliner:
    """Replaces calls by formulas, within one text.

    `leaves` are the variables of the text by name; names of a formula that are no parameters meet there.
    `parameters` are those of the formula that the text defines, if it does.
    """

    __slots__ = (
        "_calls",
        "_keys",
        "_numbers",
        "_parameters",
        "leaves",
        "nodes",
        "slopes",
    )

    def __init__(
        self, leaves: dict[str, Value], parameters: Collection[str] = ()
    ) -> None:
        self.leaves = leaves
        self._parameters = parameters
        self.slopes: list[Slope] = []
        self.nodes = 0
        self._calls: dict[tuple[str, tuple[int, ...]], Value] = {}
        self._numbers: dict[Value, int] = {}
        self._keys: dict[tuple[object, ...], int] = {}

    def call(self, function: Function, arguments: list[Value], span: Span) -> Value:
        """The formula of a function at these arguments.

        Raises `UsageError` when it is too large, and when a variable in it would be taken for a parameter.
        """
        for name in function.variables:
            if name in self._parameters:
                raise UsageError(
                    f"{function.name} uses the variable {name}, which is a parameter here",
                    span,
                    f"choose another name for the parameter, or make {function.name} "
                    f"a function of {name}",
                )
        key = (function.name, tuple(map(self._number, arguments)))
        if key not in self._calls:
            given = dict(zip(function.parameters, arguments, strict=True))
            self._calls[key] = self._copy(function, given, span)
        return self._calls[key]

    def _copy(
        self, function: Function, given: Mapping[str, Value], span: Span
    ) -> Value:
        copies: dict[Value, Value] = {}

        def copied(root: Value) -> Value:
            for item in topological(root):
                if item not in copies:
                    copies[item] = self._copied(item, copies, given, span)
            return copies[root]

        root = copied(function.root)
        self.slopes += [
            slope._replace(
                derived=copied(slope.derived),
                span=span,
                arguments=self._arguments(slope, given, copied, span),
            )
            for slope in function.slopes
        ]
        self.nodes += len(copies)
        if self.nodes > MOST_NODES:
            raise UsageError(
                f"{function.signature} stands for more than {MOST_NODES:,} operations here",
                span,
            )
        return root

    def _arguments(
        self,
        slope: Slope,
        given: Mapping[str, Value],
        copied: Callable[[Value], Value],
        span: Span,
    ) -> tuple[tuple[str, Value], ...]:
        """What stands for the parameters in the formula that a derivative was taken of."""
        arguments = {name: copied(value) for name, value in slope.arguments}
        for leaf in filter(is_variable, topological(slope.root)):
            name = leaf.name or ""
            if name in given:
                arguments.setdefault(name, given[name])
            elif name not in arguments:
                self.leaf(name, span)
        return tuple(arguments.items())

    def _copied(
        self,
        item: Value,
        copies: dict[Value, Value],
        given: Mapping[str, Value],
        span: Span,
    ) -> Value:
        if item.operation is None:
            if isinstance(item, Constant):
                return item
            name = item.name or ""
            return given[name] if name in given else self.leaf(name, span)
        operands = tuple(copies[operand] for operand in item.operands)
        operation = item.operation
        if operation.rule == "power":
            operation = power_operation(operands[1])
        return node(operation, operands, span)

    def leaf(self, name: str, span: Span) -> Value:
        """The variable of that name."""
        known = self.leaves.get(name)
        if known is None:
            known = self.leaves[name] = Value(None, name)
            known.span = span
        return known

    def _number(self, root: Value) -> int:
        """A number for a graph, the same for equal graphs."""
        stack = [root]
        while stack:
            item = stack[-1]
            if item in self._numbers:
                stack.pop()
                continue
            todo = [o for o in item.operands if o not in self._numbers]
            if todo:
                stack += todo
                continue
            operation = item.operation.name if item.operation else ""
            operands = [self._numbers[o] for o in item.operands]
            key = (operation, item.data, item.name, *operands)
            self._numbers[item] = self._keys.setdefault(key, len(self._keys))
            stack.pop()
        return self._numbers[root]
