"""Generated code on NumPy arrays: value and gradient of an expression for columns of numbers.

    rows = parse("exp(-(x-m)^2)").compile().arrays(x, m)     # arrays, or numbers that are repeated
    rows.value, rows.gradient[1], rows.faults

The program of `exprgrad.program` is written as calls of universal functions into a few buffers that are
used again and again, and run over blocks of rows that stay in the cache. NumPy's floating-point flags
tell that some row of a block has no finite value; such a block is computed again quietly to find the
rows, and those go through the scalar code, which knows about corners and says what is wrong.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from struct import Struct
from types import MethodType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from exprgrad import ufuncs
from exprgrad.compile import Writer, arguments_of, no_slope, uses
from exprgrad.conditions import Call, Choice, Comparison, CornerTest
from exprgrad.errors import ExprgradError
from exprgrad.operation import ARITHMETIC
from exprgrad.program import Arg, Program, hidden

if TYPE_CHECKING:
    from exprgrad.compile import Compiled

Array = ufuncs.Array

FEW = 4
"""Up to so many rows are computed one by one: calls on arrays cost more than they save."""

CACHE = 1 << 19
"""Floats that the inputs, results and buffers of a block may take: 4 MB, of which each call uses little."""

LEAST, MOST = 1024, 16384
"""Rows of a block."""

LARGE = 4096
"""Results of so many rows are kept for the next call, when nobody else holds them any more."""


class Rows(NamedTuple):
    """Values and gradients for many points.

    `value` has one entry a row; `gradient` is of shape (variables, rows). Where a row has no value both
    are nan, where it lacks a partial derivative that is; `faults` has the reason by row.
    """

    value: Array
    gradient: Array
    faults: dict[int, ExprgradError]


class _Again(Exception):
    """Some row of the block stands at a corner, or an input is not finite."""


def rows(compiled: Compiled) -> Callable[..., Rows]:
    """The function behind `Compiled.arrays`."""
    return _Runner(compiled)


_FAULTS = (FloatingPointError, _Again, ufuncs.KernelFault)


class _Runner:
    """Runs the kernels over blocks, and rows with faults through the scalar code."""

    def __init__(self, compiled: Compiled) -> None:
        program = compiled.program()
        fast = Blocked(program)
        self._compiled = compiled
        self._point = MethodType(type(compiled).__call__, compiled)
        self._kernel = fast.kernel()
        self._careful = Careful(program).kernel()
        self._buffers = fast.buffers
        self._results = len(program.partials) + 1
        self._range = range(self._results)
        self._pack = Struct(f"{self._results}d").pack_into
        wide = len(program.variables) + self._results + fast.buffers
        self._block = min(MOST, max(LEAST, 1 << (CACHE // wide).bit_length() - 1))
        self._scratch: list[list[Array]] = []
        self._kept: list[Array] = []

    def __call__(self, *columns: Any) -> Rows:
        shape = getattr(columns[0], "shape", ()) if columns else ()
        if shape == (1,):
            found = self._single(columns)
            if found is not None:
                return found
        own = self._columns(columns, shape)
        count = len(own[0]) if own else 1
        out = np.empty((self._results, count)) if count < LARGE else self._reused(count)
        faults: dict[int, ExprgradError] = {}
        if count <= FEW or not own:
            for row in range(count):
                self._scalar(own, out, row, faults)
        elif count > self._block or not self._whole(own, out, count):
            self._blocks(own, out, count, faults)
        return _rows(Rows, (out[0], out[1:], faults))

    def _single(self, columns: Sequence[Any]) -> Rows | None:
        """One row, quickly; None where that is not so simple."""
        try:
            value, gradient = self._point(*[column.item() for column in columns])
        except (ExprgradError, AttributeError, TypeError, ValueError):
            return None  # a fault, or columns that are no arrays or longer ones
        if None in gradient:
            return None
        flat = np.empty(self._results)
        self._pack(flat.data, 0, value, *gradient)  # in half the time of np.array
        out = flat.reshape(self._results, 1)
        return _rows(Rows, (out[0], out[1:], {}))

    def _columns(self, columns: Sequence[Any], shape: tuple[int, ...]) -> list[Array]:
        """The columns as arrays of floats of one length."""
        if len(columns) != len(self._compiled.variables):
            raise TypeError(
                f"{len(columns)} columns were given for {len(self._compiled.variables)} variables"
            )
        if len(shape) == 1:
            for column in columns:
                if type(column) is not np.ndarray or column.shape != shape:
                    break
                if column.dtype is not _FLOATS:
                    break
            else:
                return list(columns)
        own = np.broadcast_arrays(
            *(np.asarray(column, _FLOATS) for column in columns), np.empty(1)
        )
        if own[-1].ndim != 1:
            raise TypeError("columns have one dimension: one row a point")
        return [np.ascontiguousarray(column) for column in own[:-1]]

    def _reused(self, count: int) -> Array:
        """An array for the results: that of the last call if nobody holds it any more, or a new one.

        The system hands out memory page by page, which for large results takes longer than to compute
        them.
        """
        out = _unheld(self._kept)
        if out is None or out.shape[1] != count:
            out = np.empty((self._results, count))
        self._kept[:] = [out]
        return out

    def _scalar(
        self, own: list[Array], out: Array, row: int, faults: dict[int, ExprgradError]
    ) -> None:
        try:
            value, gradient = self._point(*[column.item(row) for column in own])
        except ExprgradError as error:
            faults[row] = error
            out[:, row] = math.nan
            return
        if None in gradient:
            faults[row] = no_slope(self._compiled.wrt, gradient)
            gradient = tuple(math.nan if p is None else p for p in gradient)
        out[:, row] = (value, *gradient)

    def _whole(self, own: list[Array], out: Array, count: int) -> bool:
        """All rows as one block; False where one of them has a fault."""
        scratch = self._taken(count)
        try:
            with np.errstate(divide="raise", over="raise", invalid="raise"):
                self._kernel(*own, *[out[i] for i in self._range], *scratch)
        except _FAULTS:
            return False
        self._scratch.append(scratch)
        return True

    def _blocks(
        self, own: list[Array], out: Array, count: int, faults: dict[int, ExprgradError]
    ) -> None:
        width = min(self._block, count)
        scratch = self._taken(width)
        columns = [*own, *[out[i] for i in self._range]]
        start = 0
        while start < count:
            try:
                with np.errstate(divide="raise", over="raise", invalid="raise"):
                    while start < count:
                        parts = [column[start : start + width] for column in columns]
                        if count - start < width:
                            scratch = [b[: count - start] for b in scratch]
                        self._kernel(*parts, *scratch)
                        start += width
            except _FAULTS:
                self._block_again(own, out, start, min(start + width, count), faults)
                start += width
        self._scratch.append(scratch)

    def _taken(self, width: int) -> list[Array]:
        """Buffers of that width, and zeros; given back after use, so that threads share none."""
        try:
            scratch = self._scratch.pop()
            if len(scratch[0]) == width:
                return scratch
        except IndexError:
            pass
        return [np.zeros(width), *(np.empty(width) for _ in range(self._buffers))]

    def _block_again(
        self,
        own: list[Array],
        out: Array,
        start: int,
        end: int,
        faults: dict[int, ExprgradError],
    ) -> None:
        with np.errstate(all="ignore"):
            part = [column[start:end] for column in own]
            bad = self._careful(part, out[:, start:end])
            for column in part:
                bad |= ~np.isfinite(column)
        for row in np.flatnonzero(bad).tolist():
            self._scalar(own, out, start + row, faults)


_FLOATS = np.dtype(np.float64)
_rows = tuple.__new__  # a NamedTuple's own __new__ takes three times as long


def _unheld(kept: list[Array]) -> Array | None:
    """The array of the list, if it is referred to from nowhere else (views count as well)."""
    new = [np.empty(0)]
    if kept and sys.getrefcount(kept[0]) == sys.getrefcount(new[0]):
        return kept[0]
    return None


class _ArrayWriter(Writer):
    """Numbers as arrays without a dimension, which universal functions take faster than floats."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.globals: dict[str, Any] = {
            "where": np.where, "count": np.count_nonzero, "Again": _Again, "copy": np.copyto,
            "isfinite": math.isfinite,
        }  # fmt: skip

    def ref(self, arg: Arg) -> str:
        """An operand: the name of an array."""
        if isinstance(arg, int):
            return self.names[arg]
        name = f"q{arg.hex()}".translate(_NAME)
        self.globals[name] = np.array(arg)
        return name

    def test(self, test: CornerTest) -> str:
        """A condition as a mask."""
        match test:
            case Comparison(operator, left, right):
                return f"({self.ref(left)}{operator}{self.ref(right)})"
            case Choice(condition, then, otherwise):
                return f"where({self.test(condition)}, {self.test(then)}, {self.test(otherwise)})"
            case Call(corner, arguments):
                name = f"c{self.calls[id(test)]}"
                self.globals[name] = _masked(corner)
                return f"{name}({', '.join(map(self.ref, arguments))})"
        return repr(test)

    def compiled(self, lines: list[str]) -> Callable[..., Any]:
        """The function that the lines define."""
        exec(
            compile("\n".join(lines) + "\n", "<compiled arrays>", "exec"), self.globals
        )
        kernel: Callable[..., Any] = self.globals["kernel"]
        return kernel


_NAME = str.maketrans({"-": "m", "+": "p", ".": "_"})


def _masked(corner: Callable[..., bool]) -> Callable[..., Any]:
    """The code of a row, element by element; where it fails there is no corner."""

    def holds(*arguments: float) -> float:
        try:
            return bool(corner(*arguments))
        except ARITHMETIC:
            return False

    apply = ufuncs.elementwise(holds)

    def mask(*args: Any) -> Any:
        return apply(*args, np.empty(np.broadcast(*args).shape)) != 0

    return mask


class Blocked(_ArrayWriter):
    """The kernel of a block: `kernel(*columns, *results, zeros, *buffers)`.

    A result that is computed once and not needed again gives its buffer back. What is asked for is
    computed where it is to be.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.buffers = 0
        self._free: list[str] = []
        self._lines: list[str] = []
        self._wanted = [program.value, *program.partials]
        self._direct: dict[int, str] = {}
        for row, arg in enumerate(self._wanted):
            if program.instruction(arg) is not None:
                self._direct.setdefault(arg, f"o{row}")  # type: ignore[arg-type] # a result

    def kernel(self) -> Callable[..., Any]:
        """The function."""
        program = self.program
        count = len(program.variables)
        self._check_inputs()
        tests = self._tests_by_result()
        tested = [arg for test in program.tests for arg in arguments_of(test)]
        last = self._last_uses(tests)
        used = uses(program, [*self._wanted, *tested])
        for test in tests.get(-1, []):
            self._add_test(test)
        for i, (operation, args) in enumerate(program.code):
            number = count + i
            if number in used or i < program.forward:
                name = f"f_{operation.name}"
                self.globals[name] = ufuncs.function(operation)
                own = [self.ref(arg) for arg in args]
                self._release(args, number, last)
                self.names[number] = self._target(number)
                operands = ", ".join([*own, self.names[number]])
                self._lines.append(f" {name}({operands})")
                for test in tests.get(number, []):
                    self._add_test(test)
                self._release((number,), number, last)
        self._finish()
        heads = [
            *(f"x{i}" for i in range(count)),
            *(f"o{i}" for i in range(len(self._wanted))),
            "z",
            *(f"b{i}" for i in range(self.buffers)),
        ]
        return self.compiled([f"def kernel({', '.join(heads)}):", *self._lines])

    def _check_inputs(self) -> None:
        """Infinite and nan inputs raise no flag: those that the value does not show are looked at."""
        program = self.program
        count = len(program.variables)
        hidden = [i for i in range(count) if i in program.guards]
        checks = [f"x{i}.dot(z)" for i in hidden]
        for start in range(0, len(checks), 20):
            own = "+".join(checks[start : start + 20])
            self._lines.append(f" if not isfinite({own}): raise Again")

    def _tests_by_result(self) -> dict[int, list[CornerTest]]:
        """The tests by the last result that they look at; -1 for variables alone."""
        found: dict[int, list[CornerTest]] = {}
        for test in self.program.tests:
            results = [a for a in arguments_of(test) if isinstance(a, int)]
            top = max(results, default=-1)
            place = top if top >= len(self.program.variables) else -1
            found.setdefault(place, []).append(test)
        return found

    def _add_test(self, test: CornerTest) -> None:
        self._lines.append(f" if count({self.test(test)}): raise Again")

    def _last_uses(self, tests: dict[int, list[CornerTest]]) -> dict[int, int]:
        """After which instruction the buffer of a result is free."""
        count = len(self.program.variables)
        last = {count + i: count + i for i in range(len(self.program.code))}
        for i, (_, args) in enumerate(self.program.code):
            last |= {arg: count + i for arg in args if isinstance(arg, int)}
        for place, own in tests.items():
            for test in own:
                for arg in arguments_of(test):
                    if isinstance(arg, int):
                        last[arg] = max(last.get(arg, place), place)
        return last

    def _release(self, args: Sequence[Arg], number: int, last: dict[int, int]) -> None:
        for arg in dict.fromkeys(args):
            if isinstance(arg, int) and last.get(arg) == number:
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

    def _finish(self) -> None:
        count = len(self.program.variables)
        for row, arg in enumerate(self._wanted):
            if not isinstance(arg, int) or self._direct.get(arg) != f"o{row}":
                self._lines.append(f" copy(o{row}, {self.ref(arg)})")
        shown = [i for i in range(count) if i not in self.program.guards]
        if shown or self.buffers == 0:
            self._lines.append(" if not isfinite(o0.dot(z)): raise Again")


class Careful(_ArrayWriter):
    """The kernel for a block with faults: `kernel(columns, results)` gives the mask of rows to redo.

    Those are the rows where a result is not finite, where a corner is, and where the forward sweep has
    a value that is not finite and that the result would hide.
    """

    def kernel(self) -> Callable[..., Any]:
        """The function."""
        program = self.program
        count = len(program.variables)
        self.globals |= {"full": _full, "bad": _bad}
        heads = ", ".join(f"x{i}" for i in range(count))
        lines = ["def kernel(columns, results):"]
        lines += [f" {heads}, = columns"] if heads else []
        for i, (operation, args) in enumerate(program.code):
            name = f"f_{operation.name}"
            self.globals[name] = ufuncs.quiet(operation)
            self.names[count + i] = f"v{count + i}"
            operands = ", ".join([*map(self.ref, args), "full(results)"])
            lines.append(f" v{count + i}={name}({operands})")
        for row, arg in enumerate([program.value, *program.partials]):
            lines.append(f" results[{row}]={self.ref(arg)}")
        lines.append(" mask=bad(results)")
        lines += [f" mask|={self.test(test)}" for test in program.tests]
        checked = dict.fromkeys([*hidden(program), *program.guards])
        lines += [f" mask|=~finite({self.names[arg]})" for arg in checked]
        self.globals["finite"] = np.isfinite
        return self.compiled([*lines, " return mask"])


def _full(results: Array) -> Array:
    return np.empty(results.shape[1])


def _bad(results: Array) -> Any:
    return ~np.isfinite(results).all(axis=0)
