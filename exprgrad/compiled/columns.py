"""Programs as Python functions that call NumPy's universal functions on blocks of rows.

Generated code on NumPy arrays: value and gradient of an expression for columns of numbers.

    rows = parse("exp(-(x-m)^2)").compile().arrays(x, m)     # arrays, or numbers that are repeated
    rows.value, rows.gradient[1], rows.faults

The program of `exprgrad.compiled.program` is written as calls of universal functions into a few buffers that are
used again and again, and run over blocks of rows that stay in the cache. NumPy's floating-point flags
tell that some row of a block has no finite value; such a block is computed again quietly to find the
rows. Those are computed apart by the branches that they take, if the expression has an `if`; what is
left goes through the scalar code, which knows about corners and says what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextvars import Context
from functools import partial
from types import MethodType
from weakref import finalize

import numpy as np

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from exprgrad.compiled.program import Arg, Program, Test, carried, hidden, results
from exprgrad.compiled.scalar_code import Writer, defined, uses
from exprgrad.errors import ArgumentError, ExprgradError, needing
from exprgrad.operations.on_arrays import Array, writing
from exprgrad.sweeps.careful import no_slope

if TYPE_CHECKING:
    from exprgrad.graph.value import Value

Compiled: TypeAlias = Any
"""A computation on columns, and at a point where arrays fail: see `compiled.Compiled`, which stands above."""


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
                # Before the target is chosen: a universal function may write its result over an operand.
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
        # Greedily, as one covers a set: each look costs a pass over the block, and one at a sum shows all its terms.
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
        # A mask is an array of bools, one byte each: 1 where the test holds.
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


Indices = np.ndarray[Any, np.dtype[np.intp]]

FEW = 4
"""Up to so many rows are computed one by one: calls on arrays cost more than they save."""

CACHE = 1 << 22
"""Floats that the inputs, results and buffers of a block may take: 32 MB, of which each call uses little."""

KEPT = 1 << 24
"""Floats of results whose memory is kept for the next ones: 128 MB."""

MANY = 100
"""From so many rows on it pays to generate code for the branches that they take."""

LEAST, MOST = 1024, 16_384
"""Rows of a block, whose columns stay in the cache; a call on fewer rows costs more than what it computes."""


# The C library hands large arrays that are freed back to the system, which gives them out again page by page, each
# filled with zeros: results of 10,000 rows took twice the time. It keeps those that are no larger than one freed before.
# The pages of this one are never touched.
np.empty(CACHE >> 1)


_NONE = np.empty(0, np.intp)


class Rows(NamedTuple):
    """Values and gradients for many points.

    `value` has one entry a row; `gradient` is of shape (variables, rows). Where a row has no value both
    are nan, where it lacks a partial derivative that is; `faults` has the reason by row.
    """

    value: Array
    gradient: Array
    faults: dict[int, ExprgradError]


_FAULTS = (FloatingPointError, Again)


class Runner:
    """The function behind `Compiled.arrays`: kernels over blocks; branches or scalar code where those have faults.

    With `root`, an expression of the same variables is computed instead; with `native`, by machine code.
    """

    def __init__(
        self, compiled: Compiled, root: Value | None = None, native: bool = False
    ) -> None:
        program = compiled.program(root)
        self._native = _native(program) if native else None
        fast = Blocked(program)
        self._compiled = compiled
        self._root = compiled.root if root is None else root
        self._point = MethodType(type(compiled).__call__, compiled)
        self._kernel = fast.kernel()
        self._careful = Blocked(program, careful=True)
        self._again = self._careful.kernel()
        self._buffers = fast.buffers
        self._results = len(program.partials) + 1
        wide = len(program.variables) + self._results + fast.buffers
        self._block = min(MOST, max(LEAST, 1 << (CACHE // wide).bit_length() - 1))
        self._spare: list[tuple[int, Callable[..., Any], list[Array]]] = []
        self._memory = _Memory()
        self._branches: list[Runner] | None = None

    def __call__(self, *columns: Any) -> Rows:
        """Values and gradients for columns of numbers."""
        own = self._columns(columns)
        count = len(own[0]) if own else 1
        out = self._memory.array(self._results, count)
        faults: dict[int, ExprgradError] = {}
        few = count <= FEW or not own
        for row in range(count) if few else self.settle(own, out):
            self._scalar(own, out, int(row), faults)
        return Rows(out[0], out[1:], faults)

    def settle(self, own: list[Array], out: Array) -> Indices:
        """Compute the rows; gives those that only the scalar code can settle."""
        bad = (self._native or self._blocks)(own, out)
        if len(bad) < MANY:
            return bad
        if self._branches is None:
            parts = self._compiled.parts(self._root)
            self._branches = [Runner(self._compiled, part) for part in parts]
        if not self._branches:
            return bad
        # a branch may lack a variable, and would not see that it is infinite
        whole = np.logical_and.reduce([np.isfinite(column[bad]) for column in own])
        rows = bad[whole]
        part, found = [column[rows] for column in own], out[:, rows]
        left = self._by_branch(self._branches, part, found)
        out[:, rows] = found
        return np.concatenate([bad[~whole], rows[left]])

    def _by_branch(
        self, branches: Sequence[Runner], own: list[Array], out: Array
    ) -> Indices:
        condition, then, otherwise = branches
        truth = np.empty_like(out)
        undecided = np.zeros(len(own[0]), bool)
        undecided[condition.settle(own, truth)] = True
        left = [np.flatnonzero(undecided)]
        for branch, taken in ((then, truth[0] != 0), (otherwise, truth[0] == 0)):
            rows = np.flatnonzero(taken & ~undecided)
            if len(rows):
                found = np.empty((self._results, len(rows)))
                bad = branch.settle([column[rows] for column in own], found)
                out[:, rows] = found
                left.append(rows[bad])
        return np.concatenate(left)

    def _columns(self, columns: Sequence[Any]) -> list[Array]:
        """The columns as arrays of floats of one length."""
        if len(columns) != len(self._compiled.variables):
            what = f"{len(columns)} columns were given for {len(self._compiled.variables)} variables"
            raise ArgumentError(what)
        shape = getattr(columns[0], "shape", ()) if columns else ()
        alike = (
            type(c) is np.ndarray and c.shape == shape and c.dtype is _FLOATS
            for c in columns
        )
        if len(shape) == 1 and all(alike):
            return list(columns)
        own = np.broadcast_arrays(
            *(np.asarray(column, _FLOATS) for column in columns), np.empty(1)
        )
        if own[-1].ndim != 1:
            raise ArgumentError("columns have one dimension: one row a point")
        return [np.ascontiguousarray(column) for column in own[:-1]]

    def _scalar(
        self, own: list[Array], out: Array, row: int, faults: dict[int, ExprgradError]
    ) -> None:
        try:
            value, gradient = self._point(*[column.item(row) for column in own])
        except ExprgradError as error:
            # which would keep frames, four times as much memory
            error.__context__ = None
            faults[row] = error.with_traceback(None)
            out[:, row] = math.nan
            return
        if None in gradient:
            faults[row] = no_slope(self._compiled.wrt, gradient)
            gradient = tuple(math.nan if p is None else p for p in gradient)
        out[:, row] = (value, *gradient)

    def _blocks(self, own: list[Array], out: Array) -> Indices:
        """All rows, block by block; gives those with faults."""
        count, found = len(own[0]), [_NONE]
        width = math.ceil(count / math.ceil(count / self._block))  # all alike
        # buffers are given back after use, so that threads share none
        known, raising, buffers = self._spare.pop() if self._spare else (0, None, [])
        if raising is None or known != width:
            raising = _raising()
            buffers = [np.empty(width) for _ in range(self._buffers)]
        for start in range(0, count, width):
            end = min(start + width, count)
            arrays = [*out, *buffers, *own]
            if end - start < count:
                arrays = [*out[:, start:end], *(b[: end - start] for b in buffers)]
                arrays += (column[start:end] for column in own)
            try:
                raising(self._kernel, None, *arrays)
            except _FAULTS:
                mask = np.zeros(end - start, bool)
                arrays = [np.empty(end - start) for _ in range(self._careful.buffers)]
                columns = [column[start:end] for column in own]
                with np.errstate(all="ignore"):
                    self._again(mask, *out[:, start:end], *arrays, *columns)
                found.append(start + np.flatnonzero(mask))
        self._spare.append((width, raising, buffers))
        return np.concatenate(found) if found[1:] else _NONE


def _raising() -> Callable[..., Any]:
    """A function that calls another, so that floating-point flags raise errors in there.

    NumPy 2 keeps that in the context of the caller, of which one is made for good: np.errstate takes
    as long as five calls on 100 rows. It is for one thread at a time.
    """
    if not np.__version__.startswith("1."):
        context = Context()
        context.run(partial(np.seterr, divide="raise", over="raise", invalid="raise"))
        return context.run

    def within(function: Callable[..., Any], *arguments: Any) -> Any:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            return function(*arguments)

    return within


class _Memory:
    """Memory for large results, which serves again once nobody holds the results that were there.

    The C library returns such memory to the system at once, and the system fills it with zeros page by page
    before it gives it out again, which takes as long as a third of the program.
    """

    __slots__ = ("_spare",)

    def __init__(self) -> None:
        self._spare: memoryview | None = None

    def array(self, results: int, count: int) -> Array:
        """An array of that shape, with anything in it."""
        size = results * count
        if not CACHE < size <= KEPT:
            return np.empty((results, count))
        memory, self._spare = self._spare, None
        if memory is None or len(memory) != size:
            memory = np.empty(size).data
        # which lives as long as any view of it: NumPy goes no further, for its own base is not an array
        flat = np.frombuffer(memory)
        finalize(flat, self._keep, memory).atexit = False
        return flat.reshape(results, count)

    def _keep(self, memory: memoryview) -> None:
        self._spare = memory


def _native(program: Program) -> Callable[..., Indices] | None:
    """The program as machine code. Raises `UsageError` without Numba."""
    with needing("native code needs Numba", "native"):
        from exprgrad.compiled.native_code import kernel
    return kernel(program)


_FLOATS = np.dtype(np.float64)
