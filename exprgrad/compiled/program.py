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

from exprgrad.annotations import Any, NamedTuple
from exprgrad.graph.numbering import Numbering
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value
from exprgrad.operations.conditions import COMPARISONS, phrase
from exprgrad.operations.number_types import Numbers
from exprgrad.operations.operation import ARITHMETIC, TABLE, Kernel, Operation
from exprgrad.operations.table import ADD, DIV, GT, MUL, NEG, POW, SQRT, SUB

MOST_FACTORS = 8
"""The largest whole exponent that becomes products, at half a unit in the last place each."""

_ROWS = {symbol: name for name, symbol in COMPARISONS.items()}

Arg = int | float
"""The number of a result, or (a float) a number."""


def results(args: Iterable[Arg]) -> list[int]:
    """The operands that are results: the others are numbers."""
    return [arg for arg in args if isinstance(arg, int)]


Instruction = tuple[Operation | Kernel, tuple[Arg, ...]]


class Test(NamedTuple):
    """A corner as a condition on results: two of them compared, or tests joined by `and`, `or`, `not`."""

    operator: str
    operands: tuple[Test | Arg, ...]

    @property
    def results(self) -> list[Arg]:
        """The results and numbers that it looks at."""
        own = (o.results if isinstance(o, Test) else [o] for o in self.operands)
        return [result for results in own for result in results]

    @property
    def zero(self) -> Arg | None:
        """A result that has to be 0 for the test to hold, if there is one."""
        match self:
            case Test("==", (left, right)) if isinstance(right, float) and not right:
                return left  # type: ignore[return-value] # comparisons have results
            case Test("and", operands):
                zeros = [o.zero for o in operands if isinstance(o, Test)]
                return next((zero for zero in zeros if zero is not None), None)
        return None


class Term:
    """A number times a result, or (result None) a number: what the rules of a reverse sweep run on."""

    __slots__ = ("factor", "program", "result")

    def __init__(self, program: Program, factor: float, result: int | None) -> None:
        self.program, self.factor, self.result = program, factor, result

    def _of(self, factor: float, result: Arg) -> Term:
        if isinstance(result, float):
            return Term(self.program, factor * result, None)
        return Term(self.program, factor, result)

    def _term(self, other: Term | float) -> Term:
        if other.__class__ is Term:
            return other
        return Term(self.program, float(other), None)  # type: ignore[arg-type] # a number

    def written(self) -> Arg:
        """The term as one result, multiplied out."""
        if self.result is None:
            return self.factor
        if self.factor == 1:
            return self.result
        if self.factor == -1:
            return self.program.emit(NEG, self.result)
        return self.program.emit(MUL, self.result, self.factor)

    def __mul__(self, other: Term | float) -> Term:
        other = self._term(other)
        factor = self.factor * other.factor
        if self.result is None or other.result is None:
            known = self.result if self.result is not None else other.result
            return Term(self.program, factor, known if factor else None)
        return self._of(factor, self._times(self.result, other.result))

    def _times(self, left: int, right: int) -> Arg:
        """The product; with a quotient, as a quotient of the product where that saves work."""
        program = self.program
        for one, two in ((left, right), (right, left)):
            written = program.instruction(two)
            if written is not None and written[0] is DIV:
                over, under = written[1]
                # The result 1 is an int, and equal to 1.0.
                if over == 1.0 and isinstance(over, float):
                    return program.emit(DIV, one, under)
                if program.known(DIV, one, under):
                    return program.emit(MUL, program.emit(DIV, one, under), over)
        return program.emit(MUL, left, right)

    def __truediv__(self, other: Term | float) -> Term:
        other = self._term(other)
        factor = self.factor / other.factor
        if other.result is None:
            return Term(self.program, factor, self.result)
        over = 1.0 if self.result is None else self.result
        return self._of(factor, self.program.emit(DIV, over, other.result))

    def __add__(self, other: Term | float) -> Term:
        other = self._term(other)
        if self.result == other.result:
            return Term(self.program, self.factor + other.factor, self.result)
        emit = self.program.emit
        if self.result is not None and other.result is not None:
            if self.factor == other.factor:
                return self._of(self.factor, emit(ADD, self.result, other.result))
            if self.factor == -other.factor:
                return self._of(self.factor, emit(SUB, self.result, other.result))
        for one, two in ((self, other), (other, self)):
            if one.result is not None and one.factor == -1:
                return self._of(1.0, emit(SUB, two.written(), one.result))
        return self._of(1.0, emit(ADD, self.written(), other.written()))

    def __neg__(self) -> Term:
        return Term(self.program, -self.factor, self.result)

    def __sub__(self, other: Term | float) -> Term:
        return self + -self._term(other)

    def __pow__(self, other: Term | float) -> Term:
        exponent = self._term(other).written()
        if self.factor == -1 and isinstance(exponent, float) and exponent % 2 == 0:
            return (-self) ** exponent
        return self._of(1.0, self.program.power(self.written(), exponent))

    def __gt__(self, other: Term | float) -> Term:
        args = (self.written(), self._term(other).written())
        return self._of(1.0, self.program.emit(GT, *args))


def _reflected(method: Callable[[Term, Any], Any]) -> Callable[[Term, Any], Any]:
    return lambda term, other: method(term._term(other), term)


for _name in ("add", "sub", "mul", "truediv", "pow"):
    setattr(Term, f"__r{_name}__", _reflected(getattr(Term, f"__{_name}__")))


def _meaning(operation: Operation) -> Callable[..., Any]:
    """Return what an operation is within a rule that runs on terms."""

    def apply(*args: Any) -> Any:
        first = next((arg for arg in args if isinstance(arg, Term)), None)
        if first is None:
            return operation.kernel(*map(float, args))
        if operation.native:
            return operation.kernel(*args)
        own = [first._term(arg).written() for arg in args]
        return first._of(1.0, first.program.emit(operation, *own))

    return apply


TERMS = Numbers(_meaning)
"""Terms as a number type: a rule that runs on them writes instructions."""


class Program:
    """Instructions for the value of a graph and its partial derivatives by the variables of `wrt`.

    Results are numbered: those of `variables` first, then one per instruction of `code`; the first
    `forward` instructions are the forward sweep. `value` and `partials` say where the results are.
    """

    def __init__(
        self,
        root: Value,
        variables: Sequence[str],
        wrt: Iterable[str] | None = None,
        subgradient: bool = False,
    ) -> None:
        count = len(variables)
        self.variables = tuple(variables)
        self.code: list[Instruction] = []
        self.tests: list[Test] = []
        self._tested: set[str] = set()
        self._known, self._next = Numbering(count), count
        # the graph, with equal nodes merged: numbered like results, the variables first. A power is one
        # node here, however many products it takes, and is differentiated as one
        self._nodes, self._results = Numbering(count), [*range(count)]
        self._sources: list[tuple[Operation, tuple[Arg, ...]]] = []
        self._terms: dict[int, Term] = {}
        self._corners: set[int] = set()
        top = self._enter(root)
        self.value: Arg = self._result(top)
        self.forward = len(self.code)
        names = self.variables if wrt is None else wrt
        self.partials = self._reverse(top, names, not subgradient)
        # what may be infinite without an error: variables, and silent operations
        asked = ((result, self.instruction(result)) for result in hidden(self))
        self.guards: list[int] = [
            result for result, own in asked if own is None or is_silent(own[0])
        ]

    def need_slope(self, root: Value, variable: str) -> None:
        """Guard that the graph has a derivative with respect to the variable at the point."""
        self.guards += results(self._reverse(self._enter(root), (variable,)))

    def emit(self, operation: Operation | Kernel, *args: Arg) -> Arg:
        """The result of an operation: a number where it can be computed now, else an instruction."""
        folded = _folded(operation, args)
        if folded is not None:
            return folded
        if operation is ADD or operation is MUL:
            left, right = args
            # in their order, and numbers behind results
            if right.__class__ is int and (left.__class__ is float or left > right):
                args = right, left
        result = self._known[_key(operation, args)]
        if result == self._next:
            self.code.append((operation, args))
            self._next += 1
        return result

    def known(self, operation: Operation, *args: Arg) -> bool:
        """Return whether this instruction has been written."""
        return _key(operation, args) in self._known

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

    def _enter(self, root: Value) -> Arg:
        """Write a graph; gives the node of its result."""
        numbers: dict[Value, Arg] = {}
        order = {name: i for i, name in enumerate(self.variables)}
        for item in topological(root):
            if item.operation is None:
                if isinstance(item, Constant):
                    numbers[item] = 0.0 if item.data is None else item.data
                else:
                    numbers[item] = order[item.name or ""]
                continue
            operation = item.operation
            args = tuple([numbers[operand] for operand in item.operands])
            folded = _folded(operation, args)
            if folded is not None:
                numbers[item] = folded
                continue
            place = numbers[item] = self._nodes[_key(operation, args)]
            if place == len(self._results):
                own = [*map(self._result, args)]
                self._sources.append((operation, args))
                if operation is POW:
                    written = self.power(*own)
                elif operation is DIV and _is_power_of_two(own[1]):
                    written = self.emit(MUL, own[0], 1 / own[1])  # exact
                else:
                    written = self.emit(operation, *own)
                self._results.append(written)
        return numbers[root]

    def _result(self, node: Arg) -> Arg:
        return self._results[node] if isinstance(node, int) else node

    def _term(self, node: Arg) -> Term:
        """A node for the rules to run on; a constant factor of it stands apart."""
        if isinstance(node, float):
            return Term(self, node, None)
        term = self._terms.get(node)
        if term is None:
            factor, own = 1.0, self._results[node]
            operation, args = self.instruction(own) or (None, ())
            if operation in (NEG, MUL) and isinstance(args[0], int):
                scale = -1.0 if operation is NEG else args[1]
                if _is_power_of_two(scale):
                    factor, own = float(scale), args[0]
            term = self._terms[node] = Term(self, factor, own)
        return term

    def _reverse(
        self, root: Arg, wrt: Iterable[str], corners: bool = True
    ) -> list[Arg]:
        """Write the reverse sweep, with tests for its `corners`; the partial derivatives by these variables."""
        count = len(self.variables)
        targets = [self.variables.index(name) for name in wrt]
        if isinstance(root, float):
            return [0.0] * len(targets)
        active = [i in targets for i in range(count)]
        for _, args in self._sources:
            active.append(any(active[a] for a in args if a.__class__ is int))
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
                    # A partial that has no value anywhere, as 1/0 of x/0: with nan among the results, every
                    # call goes to the interpreter.
                    contribution = Term(self, math.nan, None)
                # What contributes the number 0 is left out, and all that was written for nothing but it is not
                # computed.
                if contribution.result is not None or contribution.factor:
                    before = adjoints.get(arg)
                    adjoints[arg] = before + contribution if before else contribution
        if corners:
            for node in range(count, root + 1):
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
        return [adjoints[i].written() if i in adjoints else 0.0 for i in targets]

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

    def _in_tests(self, name: str) -> Callable[..., Any]:
        """Return what an operation of that name is within a test."""
        if name in ("and", "or"):
            return partial(_joined, name)
        if name == "not":
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


def _joined(operator: str, *sides: Test | bool | Arg) -> Test | bool:
    """Two conditions joined; one that is known settles both, or leaves the other."""
    one, other = sorted(map(_truth, sides), key=lambda side: isinstance(side, Test))
    if isinstance(one, bool):
        return one if one is (operator == "or") else other
    return Test(operator, (_truth(sides[0]), _truth(sides[1])))


def _denied(thing: Test | bool | Arg) -> Test | bool:
    thing = _truth(thing)
    return not thing if isinstance(thing, bool) else Test("not", (thing,))


def _is_power_of_two(arg: Arg) -> bool:
    """Return whether it is a number, by which products and quotients are exact."""
    is_usual = isinstance(arg, float) and 1e-300 < abs(arg) < 1e300
    return is_usual and abs(math.frexp(arg)[0]) == 0.5


def _key(operation: Operation | Kernel, args: Sequence[Arg]) -> tuple[Any, ...]:
    """Return what makes two instructions equal: -0.0 is not 0.0, and the number 1.0 not the result 1."""
    return (operation, *[a if a.__class__ is int else repr(a) for a in args])


def _folded(operation: Operation | Kernel, args: Sequence[Arg]) -> float | None:
    """The operation on numbers alone, if it has a value."""
    if int in map(type, args):
        return None
    try:
        result = float(operation.kernel(*args))
    except ARITHMETIC:
        return None
    return result if math.isfinite(result) else None


def is_silent(operation: Operation | Kernel) -> bool:
    """Return whether the kernel may overflow to infinity without an error, as floats' own operators do.

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
