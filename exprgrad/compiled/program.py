"""Straight-line programs: a graph and its reverse sweep as one list of instructions.

An instruction applies an operation of the table to earlier results and numbers; one that was written
before is not written again, so equal subexpressions are computed once, on the way up and on the way
down. The adjoints are written by the table's own rules, run on `Term`s: a factor and a result, so that
signs and constant factors cost nothing until two contributions meet.

What the rules do not cover is kept beside the instructions: `tests` hold where a rule does not give the
derivative, and `guards` are results that may be infinite where a later operation would hide it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from exprgrad.annotations import Any
from exprgrad.compiled.terms import TERMS, Arg, Instruction, Term, Test, results
from exprgrad.graph.numbering import Numbering
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value
from exprgrad.operations.conditions import COMPARISONS, phrase
from exprgrad.operations.operation import ARITHMETIC, TABLE, Kernel, Operation
from exprgrad.operations.table import ADD, DIV, MUL, NEG, POW, SQRT, SUB

MOST_FACTORS = 8
"""The largest whole exponent that becomes products, at half a unit in the last place each."""


_ROWS = {symbol: name for name, symbol in COMPARISONS.items()}
_COMMUTATIVE = (ADD, MUL)


class Program:
    """Instructions for the value of a graph and its partial derivatives by the variables of `wrt`.

    Results are numbered: those of `variables` first, then one per instruction of `code`; the first
    `forward` instructions are the forward sweep. `value` and `partials` say where the results are.
    """

    def __init__(
        self, root: Value, variables: Sequence[str], wrt: Iterable[str] | None = None
    ) -> None:
        self.variables = tuple(variables)
        self.code: list[Instruction] = []
        self.tests: list[Test] = []
        self._tested: set[str] = set()
        self._known = Numbering(len(self.variables))
        self._sources: list[tuple[Operation, tuple[Arg, ...]]] = []
        self._places = Numbering(len(self.variables))
        self._results: list[Arg] = list(range(len(self.variables)))
        names = self.variables if wrt is None else tuple(wrt)
        nodes = self._enter(root)
        self.value: Arg = self._result(nodes)
        self.forward = len(self.code)
        self._corners: set[int] = set()
        self.partials: list[Arg] = [
            term.written() for term in self._reverse(nodes, names)
        ]
        # what may be infinite without an error: variables, and silent operations
        asked = ((result, self.instruction(result)) for result in hidden(self))
        self.guards: list[int] = [
            result for result, own in asked if own is None or is_silent(own[0])
        ]

    def need_slope(self, root: Value, variable: str) -> None:
        """Guard that the graph has a derivative with respect to the variable at the point."""
        for term in self._reverse(self._enter(root), (variable,)):
            written = term.written()
            self.guards += [written] if isinstance(written, int) else []

    def forget_corners(self) -> None:
        """Leave out the tests for corners: partials are those of the rules."""
        self.tests.clear()
        self._tested.clear()
        self._corners.clear()

    def emit(self, operation: Operation | Kernel, *args: Arg) -> Arg:
        """The result of an operation: a number where it can be computed now, else an instruction."""
        if operation in _COMMUTATIVE and _rank(args[0]) > _rank(args[1]):
            args = (args[1], args[0])
        folded = _folded(operation, args)
        if folded is not None:
            return folded
        key = (operation, *map(_rank, args))
        result = self._known[key]
        if result == len(self.variables) + len(self.code):
            self.code.append((operation, args))
        return result

    def known(self, operation: Operation, *args: Arg) -> bool:
        """Whether this instruction has been written."""
        return (operation, *map(_rank, args)) in self._known

    def instruction(self, result: Arg | None) -> Instruction | None:
        """The instruction of a result; None for numbers and variables."""
        if not isinstance(result, int) or result < len(self.variables):
            return None
        return self.code[result - len(self.variables)]

    def power(self, base: Arg, exponent: Arg) -> Arg:
        """base^exponent: small whole exponents as products, halves by a root."""
        if isinstance(exponent, int) or not exponent:
            return self.emit(POW, base, exponent)
        if exponent < 0 and -exponent <= MOST_FACTORS and (2 * exponent).is_integer():
            return self.emit(DIV, 1.0, self.power(base, -exponent))
        if not (0 < exponent <= MOST_FACTORS and (2 * exponent).is_integer()):
            return self.emit(POW, base, exponent)
        if exponent.is_integer():
            return self._product(base, int(exponent))
        root = self.emit(SQRT, base)
        whole = int(exponent)
        return self.emit(MUL, self._product(base, whole), root) if whole else root

    def _product(self, base: Arg, exponent: int) -> Arg:
        if exponent == 1:
            return base
        half = self._product(base, exponent // 2)
        square = self.emit(MUL, half, half)
        return self.emit(MUL, square, base) if exponent % 2 else square

    # The graph, with equal nodes merged: numbered like results, the variables first. A power is one
    # node here, however many products it takes, and is differentiated as one.

    def _enter(self, root: Value) -> Arg:
        numbers: dict[Value, Arg] = {}
        order = {name: i for i, name in enumerate(self.variables)}
        for item in topological(root):
            if item.operation is not None:
                args = tuple(numbers[operand] for operand in item.operands)
                numbers[item] = self._node(item.operation, args)
            elif isinstance(item, Constant):
                numbers[item] = 0.0 if item.data is None else item.data
            else:
                numbers[item] = order[item.name or ""]
        return numbers[root]

    def _node(self, operation: Operation, args: tuple[Arg, ...]) -> Arg:
        folded = _folded(operation, args)
        if folded is not None:
            return folded
        key = (operation, *map(_rank, args))
        place = self._places[key]
        if place == len(self._results):
            self._sources.append((operation, args))
            self._results.append(self._write(operation, args))
        return place

    def _write(self, operation: Operation, args: tuple[Arg, ...]) -> Arg:
        own = [self._result(arg) for arg in args]
        if operation is POW:
            return self.power(*own)
        if operation is DIV and _is_power_of_two(own[1]):
            return self.emit(MUL, own[0], 1 / own[1])  # exact
        return self.emit(operation, *own)

    def _result(self, node: Arg) -> Arg:
        return self._results[node] if isinstance(node, int) else node

    def _term(self, node: Arg) -> Term:
        """A node for the rules to run on; a constant factor of it stands apart."""
        result = self._result(node)
        if isinstance(result, float):
            return Term(self, result, None)
        operation, args = self.instruction(result) or (None, ())
        if operation is NEG and isinstance(args[0], int):
            return Term(self, -1.0, args[0])
        if operation is MUL and isinstance(args[0], int) and _is_power_of_two(args[1]):
            return Term(self, float(args[1]), args[0])
        return Term(self, 1.0, result)

    def _reverse(self, root: Arg, wrt: Iterable[str]) -> list[Term]:
        """Write the reverse sweep; the partial derivatives by these variables."""
        count = len(self.variables)
        targets = [self.variables.index(name) for name in wrt]
        active = [i in targets for i in range(count)]
        for _, args in self._sources:
            active.append(any(isinstance(a, int) and active[a] for a in args))
        zero = Term(self, 0.0, None)
        if isinstance(root, float):
            return [zero] * len(targets)
        adjoints: dict[int, Term] = {root: Term(self, 1.0, None)}
        for node in range(root, count - 1, -1):
            if not active[node] or node not in adjoints:
                continue
            operation, args = self._sources[node - count]
            for index, arg in enumerate(args):
                if not isinstance(arg, int) or not active[arg]:
                    continue
                try:
                    partial = self._partial(operation, index, node, args)
                    contribution = adjoints[node] * partial
                except ARITHMETIC:
                    contribution = Term(self, math.nan, None)
                if contribution.result is not None or contribution.factor:
                    before = adjoints.get(arg)
                    adjoints[arg] = before + contribution if before else contribution
        self._add_tests(root, active)
        return [adjoints.get(i, zero) for i in targets]

    def _partial(
        self, operation: Operation, index: int, node: int, args: tuple[Arg, ...]
    ) -> Term | float:
        """A local partial by the rule, or by the kernel that floats have for it."""
        result, own = self._term(node), [self._term(arg) for arg in args]
        rule = TERMS.partials(operation)[index]
        slope = operation.slopes.get(index)
        if slope is None:
            return rule(result, *own)  # type: ignore[no-any-return] # a term or a number
        if operation.rule == "power" and own[1].result is None:
            # where `kernels.power_slope` takes the rule, and where not
            exponent = own[1].factor
            if exponent >= 0.5 or exponent <= -1:
                return rule(result, *own)  # type: ignore[no-any-return] # a term or a number
            return result * exponent / own[0]
        written = [term.written() for term in (result, *own)]
        return Term(self, 1.0, None)._of(1.0, self.emit(slope, *written))

    def _add_tests(self, top: int, active: Sequence[bool]) -> None:
        count = len(self.variables)
        for node in range(count, top + 1):
            operation, args = self._sources[node - count]
            if operation.corner and active[node] and node not in self._corners:
                self._corners.add(node)
                own = [self._result(arg) for arg in args]
                asked = phrase(operation.corner, operation.arity)
                test = _truth(asked.on(self._in_tests, own))
                # by what it looks like, for the result 1 is not the number 1.0
                if isinstance(test, Test) and repr(test) not in self._tested:
                    self._tested.add(repr(test))
                    self.tests.append(test)

    def _in_tests(self, name: str) -> Callable[..., Any]:
        """What an operation of that name is within a test."""
        match name:
            case "and":
                return partial(_joined, name, False)
            case "or":
                return partial(_joined, name, True)
            case "not":
                return _denied
        if name in COMPARISONS:
            return partial(_compared, TABLE[name])
        return lambda *args: self.emit(TABLE[name], *map(self._as_result, args))

    def _as_result(self, thing: Test | bool | Arg) -> Arg:
        """A condition as a number, 1 or 0."""
        if not isinstance(thing, Test):
            return float(thing) if isinstance(thing, bool) else thing
        own = [self._as_result(operand) for operand in thing.operands]
        return self.emit(TABLE[_ROWS.get(thing.operator, thing.operator)], *own)


def _truth(thing: Test | bool | Arg) -> Test | bool:
    """A result as a condition: whether it is not 0."""
    if isinstance(thing, Test | bool):
        return thing
    return bool(thing) if isinstance(thing, float) else Test("!=", (thing, 0.0))


def _compared(operation: Operation, left: Arg, right: Arg) -> Test | bool:
    known = _folded(operation, (left, right))
    symbol = COMPARISONS[operation.name]
    return Test(symbol, (left, right)) if known is None else bool(known)


def _joined(
    operator: str, settled: bool, one: Test | bool, other: Test | bool
) -> Test | bool:
    """Two conditions joined; one that is as `settled` settles both."""
    one, other = _truth(one), _truth(other)
    if isinstance(one, bool):
        return one if one is settled else other
    if isinstance(other, bool):
        return other if other is settled else one
    return Test(operator, (one, other))


def _denied(thing: Test | bool | Arg) -> Test | bool:
    thing = _truth(thing)
    return not thing if isinstance(thing, bool) else Test("not", (thing,))


def _is_power_of_two(arg: Arg) -> bool:
    """Whether it is a number, by which products and quotients are exact."""
    return (
        isinstance(arg, float)
        and abs(math.frexp(arg)[0]) == 0.5
        and 1e-300 < abs(arg) < 1e300
    )


def _rank(arg: Arg) -> tuple[bool, Arg, float]:
    """Numbers apart from results, 0.0 apart from -0.0; results first, in their order."""
    return isinstance(arg, float), arg, math.copysign(1, arg)


def _folded(operation: Operation | Kernel, args: Sequence[Arg]) -> float | None:
    """The operation on numbers alone, if it has a value."""
    if not all(isinstance(arg, float) for arg in args):
        return None
    try:
        result = float(operation.kernel(*args))
    except ARITHMETIC:
        return None
    return result if math.isfinite(result) else None


def is_silent(operation: Operation | Kernel) -> bool:
    """Whether the kernel may overflow to infinity without an error, as floats' own operators do.

    The functions of Python's `math` raise on overflow.
    """
    return operation.kernel.__module__ != "math" or not hasattr(
        operation.kernel, "__self__"
    )


def hidden(program: Program) -> list[int]:
    """Results of the forward sweep, variables included, that the value may hide when they are infinite.

    Sums, products and numerators carry what is not finite on to their result.
    """
    carrying = program.code[: program.forward]
    shown = set(results([program.value])).union(*map(carried, carrying))
    every = range(len(program.variables) + program.forward)
    return [result for result in every if result not in shown]


def carried(instruction: Instruction | None) -> list[int]:
    """The operands that make the result infinite or nan where they are that."""
    operation, args = instruction or (None, ())
    if operation is DIV:
        return results(args[:1])
    return results(args) if operation in (ADD, SUB, MUL, NEG) else []
