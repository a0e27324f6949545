"""Programs as Python functions of floats: straight-line code, and what text it is made of."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from exprgrad.annotations import Any
from exprgrad.compiled.program import Arg, Program, Test, carried, results
from exprgrad.operations.operation import ARITHMETIC, Kernel, Operation
from exprgrad.operations.table import DIV, LN

LONGEST = 120
"""Characters of an operand that is written where it is used instead of into a variable of its own."""


_TERMS = 12
"""Guards that are added up in one statement."""


def function(program: Program) -> Callable[..., Any]:
    """The program as a method: `compiled(self, x0, x1, ...)` gives the value and the gradient."""
    names: dict[str, Any] = {f"k_{own.name}": own.kernel for own, _ in program.code}
    names |= {"nan": math.nan, "inf": math.inf, "ARITHMETIC": (*ARITHMETIC, TypeError)}
    compiled = defined(Scalar(program).source(), "compiled", names)
    # what Python says of arguments that are missing names the variables
    own = compiled.__code__.co_varnames
    given = ("self", *program.variables)
    compiled.__code__ = compiled.__code__.replace(
        co_varnames=(*given, *own[len(given) :])
    )
    compiled.__qualname__ = "Compiled.__call__"
    return compiled  # type: ignore[no-any-return] # the function of a source


def defined(source: str, name: str, known: dict[str, Any]) -> Any:
    """The function of that name which a source defines, with what it may name."""
    exec(compile(source, f"<generated {name}>", "exec"), known)
    return known[name]


class Writer:
    """The text of a program: which results are variables, how operands are written, and the operators of masks."""

    masks: Mapping[str, str] = {}

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names: dict[int, str] = {i: f"x{i}" for i in range(len(program.variables))}

    def ref(self, arg: Arg) -> str:
        """An operand: a number, or the name or formula of a result."""
        if isinstance(arg, float):
            return f"({arg!r})" if arg < 0 else repr(arg)
        return self.names[arg]

    def formula(self, operation: Operation | Kernel, args: Sequence[Arg]) -> str:
        """An instruction as an expression."""
        own = [self.ref(arg) for arg in args]
        if operation.code:
            return operation.code.format(*own)
        return f"k_{operation.name}({', '.join(own)})"

    def test(self, test: Test) -> str:
        """A condition as an expression."""
        own = [
            self.test(o) if isinstance(o, Test) else self.ref(o) for o in test.operands
        ]
        operator = self.masks.get(test.operator, test.operator)
        if len(own) == 1:
            return f"({operator} {own[0]})"
        return f"({own[0]} {operator} {own[1]})"


def uses(program: Program, extra: Iterable[Arg]) -> dict[int, int]:
    """Return how often each result is used; those that no one uses are missing, but for the forward sweep's."""
    count = len(program.variables)
    used = Counter(results(extra))
    for number in reversed(range(count, count + len(program.code))):
        if number in used or number < count + program.forward:
            for arg in program.code[number - count][1]:
                if isinstance(arg, int):
                    used[arg] += 1
    return used


class Scalar(Writer):
    """A program as a Python function of floats."""

    def source(self) -> str:
        """The text of `compiled(self, x0, x1, ...)`."""
        program = self.program
        count = len(program.variables)
        wanted = [program.value, *program.partials]
        tests = self._needed_tests([*wanted, *program.guards])
        tested = [arg for test in tests for arg in test.results]
        again = [
            arg
            for operation, args in program.code
            if operation.code.count("{0}") > 1  # written out more than once
            for arg in args
        ]
        # What is asked for stands twice at the end, in the test and in the answer: counted twice, it gets a variable.
        used = uses(program, [*wanted, *wanted, *tested, *program.guards])
        for arg in results(again):
            if arg in used:
                used[arg] += 1
        heads = ", ".join(["self", *(f"x{i}" for i in range(count))])
        lines = [f"def compiled({heads}):", " try:"]
        lines += [
            f"  if type(x{i}) is not float: x{i}=float(x{i})" for i in range(count)
        ]
        for i, (operation, args) in enumerate(program.code):
            number = count + i
            if number not in used:
                continue
            text = self.formula(operation, args)
            if used[number] == 1 and len(text) <= LONGEST:
                self.names[number] = text
            else:
                self.names[number] = f"v{number}"
                lines.append(f"  v{number}={text}")
        return "\n".join([*lines, *self._end(tests)]) + "\n"

    def _end(self, tests: Sequence[Test]) -> list[str]:
        program = self.program
        given = ", ".join(f"x{i}" for i in range(len(program.variables)))
        lines = []
        if tests:
            any_ = " or ".join(map(self.test, tests))
            lines.append(f"  if {any_}: return self.interpreted({given})")
        wanted = [program.value, *program.partials]
        names = list(dict.fromkeys(map(self.ref, self._checked(wanted))))
        for start in range(0, len(names), _TERMS):
            own = "+".join(names[start : start + _TERMS])
            lines.append(f"  t={'t+' if start else ''}{own}")
        value, *partials = map(self.ref, wanted)
        gradient = "".join(f"{partial}, " for partial in partials)
        answer = f"return {value}, ({gradient})"
        safe = not any(math.isnan(a) for a in wanted if isinstance(a, float))
        if safe:
            # inf - inf and nan - nan are nan: one subtraction tells whether all is finite.
            lines.append(f"  if t-t==0.0: {answer}" if names else f"  {answer}")
        return [
            *lines,
            " except ARITHMETIC: pass",
            f" return self.interpreted({given})",
        ]

    def _checked(self, wanted: Sequence[Arg]) -> list[int]:
        """The results that have to be finite, but those that make others of them infinite or nan."""
        asked = results([*wanted, *self.program.guards])
        shown: set[int] = set()
        waiting = list(asked)
        while waiting:
            new = set(carried(self.program.instruction(waiting.pop()))) - shown
            shown |= new
            waiting += new
        return [arg for arg in asked if arg not in shown]

    def _needed_tests(self, wanted: Sequence[Arg]) -> list[Test]:
        """The tests but those of a corner at 0 where every call divides by that, or takes its logarithm."""
        program = self.program
        if any(isinstance(o, Operation) and o.choose for o, _ in program.code):
            return program.tests  # what stands in a branch may not run
        count = len(program.variables)
        used = uses(program, wanted)
        own = (
            args[1] if operation is DIV else args[0]
            for number, (operation, args) in enumerate(program.code, count)
            if number in used and operation in (DIV, LN)
        )
        failing = set(results(own))  # the number 3.0 is no result 3
        return [t for t in program.tests if t.zero is None or t.zero not in failing]
