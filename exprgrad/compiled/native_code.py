"""Programs as machine code for blocks of rows, by Numba: `Expression.compile(native=True)`.

    bad = kernel(program)(columns, results)       # which rows have to be computed in another way

Numba takes the arithmetic, NumPy the functions, which it computes many rows at a time. So a program is cut into
stages. With the calls of functions on the longest way to a result as its level,

    stage k:    the functions of level k, one call for a block each;  then one loop over its rows
                for all the arithmetic of level k, with the tests for corners and numbers that are not finite

and only what a later stage needs goes through memory. Of a few rows, where calls cost more than functions, Numba
takes the functions as well. No floating-point flags are raised: every row has a mark of its own where a result,
or what it may hide, is not finite.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import cache, partial
from pathlib import Path

import numpy as np
from numba import njit

from exprgrad.annotations import Any
from exprgrad.compiled.program import Arg, Program, hidden, results
from exprgrad.compiled.scalar_code import Writer, defined, uses
from exprgrad.operations.on_arrays import Array, writing

WIDTH = 16_384
"""Rows of a block, whose columns stay in the cache."""

FEW = 512
"""Up to so many rows Numba computes functions, too: one by one, without a call from Python for each."""

_INSTRUCTIONS = {"sqrt", "fabs"}
"""Functions of `math` that a processor has as one instruction."""

_FUNCTIONS = _INSTRUCTIONS | {
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "erfc", "exp", "expm1", "gamma", "hypot",
    "log", "log10", "log1p", "pow", "sin", "sinh", "tanh",
}  # fmt: skip
"""Functions of `math` that Numba has."""


class _Stages(Writer):
    """The program, cut into stages: `calls` has the functions by level, `sums` the arithmetic after them."""

    masks = {"and": "&", "or": "|"}  # noqa: RUF012 # without a jump, so that a loop takes many rows at a time

    def __init__(self, program: Program, functions: set[str]) -> None:
        super().__init__(program)
        count = len(program.variables)
        self.results = [program.value, *program.partials]
        checks = [*range(count), *hidden(program), *program.guards, *self.results]
        self.checks = list(dict.fromkeys(results(checks)))
        tested = [arg for test in program.tests for arg in test.results]
        used = uses(program, [*self.results, *self.checks, *tested])
        self.level = dict.fromkeys(range(count), 0)
        self.calls: list[list[int]] = [[]]
        self.sums: list[list[int]] = [[]]
        # what a function reads or writes, or a later stage reads, has a row of memory
        stored: dict[int, None] = {}
        for number, (operation, args) in enumerate(program.code, count):
            if number not in used:
                continue
            name = getattr(operation.kernel, "__name__", "")
            known = operation.kernel is getattr(math, name, None) and name in functions
            inside = bool(operation.code) or known
            level = self.level[number] = self.level_of(args) + (not inside)
            if level == len(self.calls):
                self.calls.append([])
                self.sums.append([])
            (self.sums if inside else self.calls)[level].append(number)
            self.names[number] = f"v{number}"
            for arg in results(args):
                if not inside or self.level[arg] < level:
                    stored[arg] = None
            if not inside:
                stored[number] = None
        for test in program.tests:
            level, own = self.level_of(test.results), results(test.results)
            stored |= dict.fromkeys(arg for arg in own if self.level[arg] < level)
        wide = (number for number in stored if number >= count)
        self.rows = {number: row for row, number in enumerate(wide)}

    def level_of(self, args: Iterable[Arg]) -> int:
        """The stage after which all of these are there."""
        return max((self.level[arg] for arg in results(args)), default=0)

    def loop(self, level: int) -> str:
        """The source of the loop of a stage, which counts bad rows."""
        program, count = self.program, len(self.program.variables)
        lines: list[str] = []
        loaded: set[int] = set()

        def text(arg: Arg) -> str:
            if isinstance(arg, int) and arg not in loaded:
                loaded.add(arg)
                place = f"x{arg}[j]" if arg < count else f"b[{self.rows[arg]},i]"
                self.names[arg] = f"v{arg}"
                lines.append(f"  v{arg}={place}")
            return self.ref(arg)

        for number in self.sums[level]:
            operation, args = program.code[number - count]
            own = [text(arg) for arg in args]
            formula = operation.code.format(*own)
            formula = formula or f"{operation.kernel.__name__}({', '.join(own)})"
            lines.append(f"  v{number}={formula}")
            loaded.add(number)
            if number in self.rows:
                lines.append(f"  b[{self.rows[number]},i]=v{number}")
        for row, arg in enumerate(self.results):
            if self.level_of([arg]) == level:
                lines.append(f"  o[{row},j]={text(arg)}")
        conditions = ["bad[i]"] if level else []
        for test in program.tests:
            if self.level_of(test.results) == level:
                for arg in test.results:
                    text(arg)
                conditions.append(self.test(test))
        # One test for all of them, as their sum is finite only if each is; t - t is nan for nan and for infinity.
        if checked := [text(c) for c in self.checks if self.level[c] == level]:
            lines.append(f"  t={'+'.join(checked)}")
            conditions.append("(t-t!=0.0)")
        lines += [f"  k={'|'.join(conditions) or 'False'}", "  bad[i]=k", "  found+=k"]
        columns = "".join(f"x{i}, " for i in range(count))
        heads = [f"def loop({columns}o, b, bad, start, count):", " found=0"]
        heads += [" for i in range(count):", "  j=start+i"]
        return "\n".join([*heads, *lines, " return found\n"])

    def driver(self) -> Callable[..., int]:
        """The function of a block: functions and loops, one after another; it says how many rows are bad."""
        count = len(self.program.variables)
        known: dict[str, Any] = {}

        def operand(arg: Arg) -> str:
            if isinstance(arg, float):
                name = f"q{len(known)}"
                known[name] = np.array(arg)
                return name
            if arg < count:
                return f"x[{arg}][start:stop]"
            return f"b[{self.rows[arg]},:count]"

        lines = ["def block(x, o, b, bad, start, count):", " stop=start+count"]
        for level, calls in enumerate(self.calls):
            for number in calls:
                operation, args = self.program.code[number - count]
                known[f"f_{operation.name}"] = writing(operation)
                own = ", ".join(map(operand, (*args, number)))
                lines.append(f" f_{operation.name}({own})")
            known[f"loop{level}"] = _machine_code(self.loop(level), count)
            lines.append(f" found=loop{level}(*x, o, b, bad, start, count)")
        lines.append(" return found\n")
        return defined("\n".join(lines), "block", known)  # type: ignore[no-any-return] # a function


@cache
def _machine_code(source: str, count: int) -> Callable[..., int]:
    """The loop of a source, which Numba keeps on disk beside a file of that source, for later processes."""
    known: dict[str, Any] = {name: getattr(math, name) for name in _FUNCTIONS}
    known["__name__"] = __name__  # where Numba looks for the function that it has kept
    signature = f"i8({'f8[::1], ' * count}f8[:, ::1], f8[:, ::1], b1[::1], u8, u8)"
    path = _kept(source)
    exec(compile(source, path or "<generated loop>", "exec"), known)
    # With NumPy's errors 1/0 is infinite, which the mark of the row tells; with Python's it would end the loop.
    compiled: Callable[..., int] = njit(
        signature, error_model="numpy", nogil=True, cache=path is not None
    )(known["loop"])
    return compiled


def _kept(source: str) -> str | None:
    """The name of a file with that source among the user's caches; None where it cannot be written."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    name = hashlib.sha256(source.encode()).hexdigest()[:24]
    path = Path(caches, "exprgrad", "native", f"loop_{name}.py")
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            # In one step: another process may read the file at the same time.
            part = path.with_suffix(f".{os.getpid()}")
            part.write_text(source, encoding="utf-8")
            part.replace(path)
    except OSError:
        return None
    return str(path)


def kernel(program: Program) -> Callable[[Sequence[Array], Array], Any] | None:
    """A function of columns and results that fills these and gives the rows to redo; None where Numba is no help."""
    numbers = [arg for _, args in program.code for arg in args] + [program.value, *program.partials]  # fmt: skip
    if not program.variables or not all(map(math.isfinite, numbers)):
        return None
    few, many = (
        cache(partial(_driver, program, own)) for own in (_FUNCTIONS, _INSTRUCTIONS)
    )

    def settle(columns: Sequence[Array], out: Array) -> Any:
        run = few() if out.shape[1] <= FEW else many()
        try:
            return run(columns, out)
        except TypeError:  # some column has gaps, or may not be written to
            return run([np.array(c, np.float64, order="C") for c in columns], out)

    return settle


def _driver(
    program: Program, functions: set[str]
) -> Callable[[Sequence[Array], Array], Any]:
    """Stages that compute these functions inside of loops."""
    stages = _Stages(program, functions)
    block, rows, calls = stages.driver(), len(stages.rows), any(stages.calls)
    spare: list[tuple[Array, Any]] = []

    def run(columns: Sequence[Array], out: Array) -> Any:
        count, found = out.shape[1], []
        # buffers are given back after use, so that threads share none; rows that are a power of two apart
        # would fall on the same places of the cache
        buffers, bad = spare.pop() if spare else (np.empty((rows, WIDTH + 72)), np.empty(WIDTH, np.bool_))  # fmt: skip
        with np.errstate(all="ignore") if calls else nullcontext():
            for start in range(0, count, WIDTH):
                size = min(WIDTH, count - start)
                if block(columns, out, buffers, bad, start, size):
                    found.append(start + np.flatnonzero(bad[:size]))
        spare.append((buffers, bad))
        return np.concatenate(found) if found else _NONE

    return run


_NONE = np.empty(0, np.intp)
