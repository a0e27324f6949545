"""Programs as Python functions that call NumPy's universal functions on blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from exprgrad.annotations import Any
from exprgrad.compiled.program import Arg, Program, Test, carried, hidden, results
from exprgrad.compiled.scalar_code import Writer, defined, uses
from exprgrad.operations.on_arrays import writing


class Again(Exception):
    """Some row of the block stands at a corner, or an input is not finite."""


_NAME = str.maketrans({"-": "m", "+": "p", ".": "_"})


class Blocked(Writer):
    """The kernel of a block: `kernel(mask, *results, *buffers, *columns)`.

    Numbers are arrays without a dimension, which universal functions take faster than floats. A result that is
    computed once and not needed again gives its buffer back. What is asked for is computed where it is to be.

    A kernel stops at a fault: NumPy's flags raise errors, tests `Again`. If it is `careful` it goes on, and adds the
    rows with faults to the mask: those where a result is not finite, where a corner is, and where the forward
    sweep has a value that is not finite and that the result would hide.
    """

    masks = {"and": "&", "or": "|", "not": "~"}  # noqa: RUF012 # which nobody changes

    def __init__(self, program: Program, careful: bool = False) -> None:
        super().__init__(program)
        self._careful = careful
        self.globals: dict[str, Any] = {
            "Again": Again, "copy": np.copyto, "isfinite": np.isfinite,
        }  # fmt: skip
        self.buffers = 0
        self._free: list[str] = []
        self._lines: list[str] = []
        self._wanted = [program.value, *program.partials]
        self._direct: dict[int, str] = {}
        for row, arg in enumerate(self._wanted):
            if program.instruction(arg) is not None:
                self._direct.setdefault(arg, f"o{row}")  # type: ignore[arg-type] # a result

    def ref(self, arg: Arg) -> str:
        """An operand: the name of an array."""
        if isinstance(arg, int):
            return self.names[arg]
        name = f"q{arg.hex()}".translate(_NAME)
        self.globals[name] = np.array(arg)
        return name

    def kernel(self) -> Callable[..., Any]:
        """The function."""
        program = self.program
        count = len(program.variables)
        looked = self._looked_at()
        tests = self._tests_by_result()
        tested = [arg for test in program.tests for arg in test.results]
        last = self._last_uses(tests)
        for arg in looked:
            if arg < count:
                self._look(arg)
        used = uses(program, [*self._wanted, *tested])
        for test in tests.get(-1, []):
            self._add_test(test)
        for number, (operation, args) in enumerate(program.code, count):
            if number in used or number < count + program.forward:
                name = f"f_{operation.name}"
                self.globals[name] = writing(operation)
                own = [self.ref(arg) for arg in args]
                self._release(args, number, last)
                self.names[number] = self._target(number)
                operands = ", ".join([*own, self.names[number]])
                self._lines.append(f" {name}({operands})")
                if number in looked:
                    self._look(number)
                for test in tests.get(number, []):
                    self._add_test(test)
                self._release((number,), number, last)
        for row, wanted in enumerate(self._wanted):
            if not isinstance(wanted, int) or self._direct.get(wanted) != f"o{row}":
                self._lines.append(f" copy(o{row}, {self.ref(wanted)})")
            if self._careful and isinstance(wanted, float):
                self._lines.append(f" mask|=~isfinite(o{row})")
        heads = [
            "mask",
            *(f"o{i}" for i in range(len(self._wanted))),
            *(f"b{i}" for i in range(self.buffers)),
            *(f"x{i}" for i in range(count)),
        ]
        text = "\n".join([f"def kernel({', '.join(heads)}):", *self._lines, ""])
        return defined(text, "kernel", self.globals)  # type: ignore[no-any-return] # a function

    def _looked_at(self) -> set[int]:
        """Results to look at: each variable that is not finite makes one of them nan or infinite.

        Such inputs raise no flag, and exp(-x) hides them. A sum, a product and a numerator do not.
        """
        program = self.program
        count = len(program.variables)
        if self._careful:
            checked = [*range(count), *hidden(program), *program.guards, *self._wanted]
            return set(results(checked))
        shown: dict[int, set[int]] = {i: {i} for i in range(count)}
        for number, instruction in enumerate(program.code, count):
            own = (shown.get(arg, set()) for arg in carried(instruction))
            shown[number] = set().union(*own)
        ends = results([*self._wanted, *program.guards])
        left, found = set(range(count)), set()
        while left:
            best = max(
                [*ends, *left], key=lambda arg: len(left & shown.get(arg, set()))
            )
            left -= shown[best]
            found.add(best)
        return found

    def _tests_by_result(self) -> dict[int, list[Test]]:
        """The tests by the last result that they look at; -1 for variables alone."""
        found: dict[int, list[Test]] = {}
        for test in self.program.tests:
            top = max(results(test.results), default=-1)
            place = top if top >= len(self.program.variables) else -1
            found.setdefault(place, []).append(test)
        return found

    def _add_test(self, test: Test) -> None:
        text = self.test(test)
        careful = f" mask|={text}"
        quick = f" if 1 in {text}.tobytes(): raise Again"
        self._lines.append(careful if self._careful else quick)

    def _look(self, result: int) -> None:
        # bytes are searched in no time, where a reduction takes as long as two calls
        finite = f"isfinite({self.names[result]})"
        quick = f" if 0 in {finite}.tobytes(): raise Again"
        self._lines.append(f" mask|=~{finite}" if self._careful else quick)

    def _last_uses(self, tests: dict[int, list[Test]]) -> dict[int, int]:
        """After which instruction the buffer of a result is free."""
        count = len(self.program.variables)
        last = {count + i: count + i for i in range(len(self.program.code))}
        for i, (_, args) in enumerate(self.program.code):
            last |= dict.fromkeys(results(args), count + i)
        for place, own in tests.items():
            for arg in results(arg for test in own for arg in test.results):
                last[arg] = max(last.get(arg, place), place)
        return last

    def _release(self, args: Sequence[Arg], number: int, last: dict[int, int]) -> None:
        for arg in dict.fromkeys(results(args)):
            if last.get(arg) == number:
                name = self.names.get(arg, "")
                if name.startswith("b") and name not in self._free:
                    self._free.append(name)

    def _target(self, number: int) -> str:
        if number in self._direct:
            return self._direct[number]
        if self._free:
            return self._free.pop()
        self.buffers += 1
        return f"b{self.buffers - 1}"
