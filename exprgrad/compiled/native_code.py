"""Programs as machine code for blocks of rows, by Numba: `Expression.compile(native=True)`.

    bad = kernel(program)(columns, results)       # which rows have to be computed in another way

Numba takes the arithmetic, NumPy the functions, which it computes many rows at a time. So a program goes by
stages. With the calls of functions on the longest way to a result as its level,

    stage k:    the functions of level k, one call for a block each;  then one loop over its rows
                for all the arithmetic of level k, with the tests for corners and numbers that are not finite

and only what a later stage needs goes through memory. No floating-point flags are raised: every row has a mark
of its own where a result, or what it may hide, is not finite.

All stages of all blocks are one call of machine code where each function is a universal one of NumPy or SciPy:
these lend out the loops behind them. Where one is not, Python goes from stage to stage.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.compiler import Compiler
from numba.extending import intrinsic

from exprgrad.annotations import Any
from exprgrad.compiled.program import Program, hidden
from exprgrad.compiled.scalar_code import Writer, defined, uses
from exprgrad.compiled.terms import Arg, Instruction, Test, results
from exprgrad.operations import ufuncs
from exprgrad.operations.operation import Kernel, Operation

Array = ufuncs.Array

WIDTH = 16_384
"""Rows of a block, whose columns stay in the cache."""

SHORT = 2048
"""Rows of a block where blocks cost nothing: their columns stay in the cache next to the processor."""

_INSTRUCTIONS = {math.sqrt: "sqrt", math.fabs: "fabs"}
"""Kernels that a processor has as one instruction."""


class _Stages(Writer):
    """The program, cut into stages."""

    masks = {"and": "&", "or": "|"}  # noqa: RUF012 # without a jump, so that a loop takes many rows at a time

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        count = len(program.variables)
        self.results = [program.value, *program.partials]
        self.checks = [*range(count), *hidden(program), *program.guards]
        self.checks += results(self.results)
        tested = [arg for test in program.tests for arg in test.results]
        self.used = uses(program, [*self.results, *self.checks, *tested])
        self.level = dict.fromkeys(range(count), 0)
        self.calls: list[list[int]] = [[]]
        self.sums: list[list[int]] = [[]]
        for number, instruction in enumerate(program.code, count):
            if number in self.used:
                self._place(number, instruction)
        self.rows: dict[int, int] = {}
        for number in self.used:
            if number >= count and self._is_stored(number):
                self.rows[number] = len(self.rows)

    def _place(self, number: int, instruction: Instruction) -> None:
        function = not _is_arithmetic(instruction)
        level = self._level_of(instruction[1]) + function
        self.level[number] = level
        while len(self.calls) <= level:
            self.calls.append([])
            self.sums.append([])
        (self.calls if function else self.sums)[level].append(number)
        self.names[number] = f"v{number}"

    def _is_stored(self, number: int) -> bool:
        """Whether a result is read or written by a function, or read by a later stage."""
        code, count = self.program.code, len(self.program.variables)
        if not _is_arithmetic(code[number - count]):
            return True
        for other, instruction in enumerate(code, count):
            if other in self.used and number in results(instruction[1]):
                if not _is_arithmetic(instruction):
                    return True
                if self.level[other] != self.level[number]:
                    return True
        return any(
            number in results(test.results)
            and self._level_of(test.results) != self.level[number]
            for test in self.program.tests
        )

    def _level_of(self, args: Iterable[Arg]) -> int:
        return max((self.level[arg] for arg in results(args)), default=0)

    def loop(self, level: int) -> tuple[str, list[str]]:
        """The source of the loop of a stage, which counts bad rows, and the arrays that it takes."""
        program, count = self.program, len(self.program.variables)
        lines: list[str] = []
        arrays: dict[str, None] = {}
        loaded: set[int] = set()

        def text(arg: Arg) -> str:
            if isinstance(arg, int) and arg not in loaded:
                loaded.add(arg)
                array = f"x{arg}" if arg < count else f"b{self.rows[arg]}"
                arrays[array] = None
                lines.append(f"  {_name(arg, count)}={array}[{'ji'[arg >= count]}]")
            return _name(arg, count) if isinstance(arg, int) else self.ref(arg)

        def store(array: str, place: str, value: str) -> None:
            arrays[array] = None
            lines.append(f"  {array}[{place}]={value}")

        for number in self.sums[level]:
            operation, args = program.code[number - count]
            own = [text(arg) for arg in args]
            called = _INSTRUCTIONS.get(operation.kernel)
            formula = operation.code.format(*own) if called is None else f"{called}({own[0]})"  # fmt: skip
            lines.append(f"  v{number}={formula}")
            loaded.add(number)
            if number in self.rows:
                store(f"b{self.rows[number]}", "i", f"v{number}")
        for row, arg in enumerate(self.results):
            if (self.level[arg] if isinstance(arg, int) else 0) == level:
                store(f"o{row}", "j", text(arg))
        checked = [c for c in dict.fromkeys(self.checks) if self.level[c] == level]
        conditions = [
            self._condition(test, text)
            for test in program.tests
            if self._level_of(test.results) == level
        ]
        if checked:
            lines.append(f"  t={'+'.join(map(text, checked))}")
            conditions.append("(t-t!=0.0)")
        if level:
            conditions.append("bad[i]")
        lines += [f"  k={'|'.join(conditions) or 'False'}", "  bad[i]=k", "  found+=k"]
        heads = [f"def loop({', '.join(arrays)}, bad, start, count):", " found=0"]
        heads += [" for i in range(count):", "  j=start+i"]
        return "\n".join([*heads, *lines, " return found\n"]), list(arrays)

    def _condition(self, test: Test, text: Callable[[Arg], str]) -> str:
        for arg in results(test.results):
            self.names[arg] = text(arg)
        return self.test(test)

    def driver(self) -> Callable[..., int]:
        """The function of a block: functions and loops, one after another; it says how many rows are bad."""
        known: dict[str, Any] = {}
        names = (
            ("x", len(self.program.variables)),
            ("o", len(self.results)),
            ("b", len(self.rows)),
        )
        lines = ["def block(x, o, b, bad, start, count):", " stop=start+count"]
        for name, count in names:
            if count:
                own = ", ".join(f"{name}{i}" for i in range(count))
                lines.append(f" {own}, = {name}")
        for level in range(len(self.sums)):
            lines += [f" {self._call(number, known)}" for number in self.calls[level]]
            source, arrays = self.loop(level)
            known[f"loop{level}"] = _machine_code(source, len(arrays))
            own = ", ".join([*arrays, "bad", "start", "count"])
            lines.append(f" found=loop{level}({own})")
        lines.append(" return found\n")
        return defined("\n".join(lines), "block", known)  # type: ignore[no-any-return] # a function

    def _call(self, number: int, known: dict[str, Any]) -> str:
        count = len(self.program.variables)
        operation, args = self.program.code[number - count]
        name = f"f_{operation.name}"
        known[name] = ufuncs.quiet(operation)
        own = []
        for arg in args:
            if isinstance(arg, float):
                constant = f"q{len(known)}"
                known[constant] = np.array(arg)
                own.append(constant)
            elif arg < count:
                own.append(f"x{arg}[start:stop]")
            else:
                own.append(f"b{self.rows[arg]}")
        return f"{name}({', '.join([*own, f'b{self.rows[number]}'])})"


def _name(arg: int, count: int) -> str:
    return f"y{arg}" if arg < count else f"v{arg}"


def _is_arithmetic(instruction: Instruction) -> bool:
    """Whether Numba is to compute it: operators and choices, but no powers."""
    operation = instruction[0]
    own = bool(operation.code) and "**" not in operation.code
    return own or operation.kernel in _INSTRUCTIONS


class _Apart(Compiler):  # type: ignore[misc] # Numba ships no types
    """Numba's compiler, told that no two arrays overlap, which it would test for each pair."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.state.flags.noalias = True


@cache
def _machine_code(source: str, count: int, alone: bool = True) -> Callable[..., int]:
    """The loop of a source; kept for the life of the process: Numba's cache on disk is for code in files.

    What is not called `alone`, from Python, takes a third less time to compile.
    """
    known: dict[str, Any] = {"sqrt": math.sqrt, "fabs": math.fabs}
    arrays = "".join(["f8[::1], "] * count)
    signature = f"i8({arrays}b1[::1], u8, u8)"
    compiled: Callable[..., int] = njit(
        signature,
        error_model="numpy",
        nogil=True,
        pipeline_class=_Apart,
        no_cpython_wrapper=not alone,
        no_cfunc_wrapper=True,
    )(defined(source, "loop", known))
    return compiled


class _Whole:
    """All stages of all blocks as one function: its source, and the numbers that it reads from an array.

    These are the rows of a block, the addresses of operands, both written as it runs; then constants of the
    program, addresses of NumPy's loops, and their strides. Raises `_NoLoop`.
    """

    def __init__(self, stages: _Stages) -> None:
        self._stages = stages
        self._columns = len(stages.program.variables)
        self.numbers: list[int] = [0] * (1 + _OPERANDS)
        self._kept: list[Any] = []
        self._known: dict[str, Any] = {"call": _call, "u8": types.uint64}
        heads = "".join(f"x{i}, " for i in range(self._columns))
        lines = [f"def whole({heads}o, b, bad, numbers, start):"]
        lines += [" width=u8(b.shape[1])", " total=u8(x0.shape[0])"]
        lines += [" at=numbers.ctypes.data", " while start<total:"]
        lines += ["  count=min(width, total-start)", "  numbers[0]=count"]
        for level, calls in enumerate(stages.calls):
            lines += [line for number in calls for line in self._call(number)]
            lines.append(self._loop(level))
        lines += ["  start+=count", "  if found: return start", " return u8(0)\n"]
        self._source = "\n".join(lines)

    def code(self) -> Callable[..., int]:
        """The function: gives the row after the first block with bad rows, or 0 if there are none."""
        return _whole_code(self._source, self._columns, tuple(self._known.items()))

    def _call(self, number: int) -> list[str]:
        operation, args = self._stages.program.code[number - self._columns]
        strides = [0 if isinstance(arg, float) else 8 for arg in args] + [8]
        loop, owner = _numpy_loop(operation, tuple(strides))
        self._kept.append(owner)
        lines = [
            f"  numbers[{i}]={self._address(arg)}"
            for i, arg in enumerate([*args, number], 1)
        ]
        first = len(self.numbers)
        self.numbers += [*loop, *strides]
        function, context, data = (f"numbers[{first + i}]" for i in range(3))
        places = f"at+8, at, at+{8 * (first + 3)}"
        return [*lines, f"  call({function}, {context}, {places}, {data})"]

    def _address(self, arg: Arg) -> str:
        """Where a constant is, a buffer, or a column from `start` on."""
        if isinstance(arg, float):
            self._kept.append(np.array(arg))
            self.numbers.append(self._kept[-1].ctypes.data)
            return f"numbers[{len(self.numbers) - 1}]"
        if arg < self._columns:
            return f"x{arg}.ctypes.data+8*start"
        return f"b.ctypes.data+8*width*{self._stages.rows[arg]}"

    def _loop(self, level: int) -> str:
        source, arrays = self._stages.loop(level)
        self._known[f"loop{level}"] = _machine_code(source, len(arrays), alone=False)
        own = [a if a[0] == "x" else f"{a[0]}[{a[1:]}]" for a in arrays]
        return f"  found=loop{level}({', '.join([*own, 'bad', 'start', 'count'])})"


_OPERANDS = 4
"""The most operands of a universal function, the result among them."""


class _NoLoop(Exception):
    """Some function is no universal one, or NumPy does not lend out its loop."""


def _numpy_loop(
    operation: Operation | Kernel, strides: tuple[int, ...]
) -> tuple[list[int], Any]:
    """The loop of an operation for columns with these strides: its address, its context's, its data's; and the owner."""
    function: Any = ufuncs.quiet(operation)
    if not hasattr(function, "nargs"):
        raise _NoLoop  # a formula of several, or Python's own
    floats = (np.dtype(np.float64),) * function.nargs
    try:
        taken, owner = function._resolve_dtypes_and_context(floats)
        function._get_strided_loop(owner, fixed_strides=strides)
        address = _within(owner, b"numpy_1.24_ufunc_call_info")
    except (AttributeError, ValueError):  # another NumPy lends them out in another way
        raise _NoLoop from None
    found = _CallInfo.from_address(address)
    if found.needs_python or function.nargs > _OPERANDS or taken != floats:
        raise _NoLoop  # or it gives truth, which a call from Python turns into floats
    return [found.loop, found.context, found.data or 0], owner


class _CallInfo(ctypes.Structure):
    """What NumPy says of a loop; see its `ufunc._get_strided_loop`."""

    _fields_ = (
        ("loop", ctypes.c_void_p), ("context", ctypes.c_void_p), ("data", ctypes.c_void_p),
        ("needs_python", ctypes.c_bool),
    )  # fmt: skip


_within = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


@intrinsic  # type: ignore[untyped-decorator] # Numba ships no types
def _call(
    _: Any, loop: Any, context: Any, operands: Any, count: Any, strides: Any, data: Any
) -> Any:
    """Call a loop of NumPy; all arguments are addresses."""

    def write(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [ir.IntType(64)] * 5)
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return types.int32(*[types.int64] * 6), write


@cache
def _whole_code(
    source: str, count: int, known: tuple[tuple[str, Any], ...]
) -> Callable[..., int]:
    signature = f"u8({'f8[::1], ' * count}f8[:, ::1], f8[:, ::1], b1[::1], i8[::1], u8)"
    compiled: Callable[..., int] = njit(
        signature, error_model="numpy", nogil=True, no_cfunc_wrapper=True
    )(defined(source, "whole", dict(known)))
    return compiled


def kernel(program: Program) -> Callable[[Sequence[Array], Array], Any] | None:
    """A function of columns and results that fills these and gives the rows to redo; None where Numba is no help."""
    numbers = [arg for _, args in program.code for arg in args] + [program.value, *program.partials]  # fmt: skip
    if not program.variables or not all(map(math.isfinite, numbers)):
        return None
    stages = _Stages(program)
    try:
        run = _at_once(stages)
    except _NoLoop:
        run = _by_stages(stages)

    def settle(columns: Sequence[Array], out: Array) -> Any:
        try:
            return run(columns, out)
        except TypeError:  # some column has gaps, or may not be written to
            return run([np.array(c, np.float64, order="C") for c in columns], out)

    return settle


def _at_once(stages: _Stages) -> Callable[[Sequence[Array], Array], Any]:
    """By one function for all stages of all blocks."""
    whole = _Whole(stages)
    code, rows = whole.code(), len(stages.rows)
    spare: list[tuple[Any, ...]] = []

    def scratch() -> tuple[Any, ...]:
        """Buffers, marks of bad rows and numbers; given back after use, so that threads share none."""
        buffers, bad = np.empty((max(1, rows), SHORT)), np.empty(SHORT, np.bool_)
        return buffers, bad, np.array(whole.numbers, np.int64)

    def run(columns: Sequence[Array], out: Array) -> Any:
        count, start = len(columns[0]), 0
        try:
            own = spare.pop()
        except IndexError:
            own = scratch()
        found = []
        while start < count and (start := code(*columns, out, *own, start)):
            first = (start - 1) // SHORT * SHORT
            found.append(first + np.flatnonzero(own[1][: start - first]))
        spare.append(own)
        return np.concatenate(found) if found else _NONE

    return run


def _by_stages(stages: _Stages) -> Callable[[Sequence[Array], Array], Any]:
    """By a call from Python for each stage."""
    block, rows = stages.driver(), len(stages.rows)
    spare: list[_Scratch] = []

    def run(columns: Sequence[Array], out: Array) -> Any:
        count, results, found = len(columns[0]), [*out], []
        width = math.ceil(count / math.ceil(count / WIDTH))
        scratch = spare.pop() if spare else _Scratch(rows, width)
        if scratch.width != width:
            scratch = _Scratch(rows, width)
        with np.errstate(all="ignore"):
            for start in range(0, count, width):
                size = min(width, count - start)
                part = [buffer[:size] for buffer in scratch.rows]
                if block(columns, results, part, scratch.bad, start, size):
                    found.append(start + np.flatnonzero(scratch.bad[:size]))
        spare.append(scratch)
        return np.concatenate(found) if found else _NONE

    return run


class _Scratch:
    """Buffers of a block, given back after use, so that threads share none."""

    __slots__ = ("bad", "rows", "width")

    def __init__(self, rows: int, width: int) -> None:
        self.rows = list(np.empty((rows, width)))
        self.bad, self.width = np.empty(width, np.bool_), width


_NONE = np.empty(0, np.intp)
