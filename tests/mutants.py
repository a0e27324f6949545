"""Mutants: would a test notice? Small faults are put into a copy of the package, one at a time, and its tests run.

    python -m tests.mutants 200 1                    of the folders named in FOLDERS, with seed 1
    python -m tests.mutants 20 7 sweeps language     of these folders

A mutant is killed where a test fails or does not end, and survives otherwise. All tests run once without a mutant, to see
which run which lines (`tests.reach`, so this needs Python 3.12); with one, those run that come to its line, the fast
ones first. A line that runs when it is imported alone has the tests of its folder. It takes hours, so it is run by hand;
the exit code is 1 if fewer than 85 % are killed. Mutants that change nothing are named in EQUIVALENT, and count neither way.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.reach import Reach, read

ROOT = Path(__file__).resolve().parent.parent

FOLDERS = ("sweeps", "checking", "operations", "language")

LEAST = 0.85
"""The part of the mutants that the tests kill."""

SECONDS = 600
"""How long the tests of a mutant may run before it counts as one that never ends."""

EQUIVALENT: frozenset[str] = frozenset()
"""What `str` says of mutants that behave like the program."""

_SWAPPED: dict[type[ast.AST], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*",
    ast.And: "or", ast.Or: "and",
}  # fmt: skip


class Mutant(NamedTuple):
    """A fault: the module, the line of the place, the place by offsets, and what stands there instead."""

    path: str
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.old.strip()} -> {self.new.strip()}"

    def text(self, source: bytes) -> bytes:
        """The module with the fault."""
        return source[: self.start] + self.new.encode() + source[self.end :]


def mutants(path: Path, source: str) -> Iterator[Mutant]:
    """Return the mutants of a module: operators swapped, conditions turned round, whole numbers one larger."""
    name = path.relative_to(ROOT).as_posix()
    data, starts = source.encode(), [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offsets(node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset  # fmt: skip

    def between(left: ast.expr, right: ast.expr, sign: ast.AST) -> Iterator[Mutant]:
        start, end = offsets(left)[1], offsets(right)[0]
        old = data[start:end].decode()
        # brackets may stand there, too, and a comment or another line is no place for a plain replacement
        plain = old.strip("() ")
        if type(sign) in _SWAPPED and plain and "\n" not in old:
            new = old.replace(plain, _SWAPPED[type(sign)])
            yield Mutant(name, left.end_lineno or 0, start, end, old, new)

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for left, right, sign in zip(sides, sides[1:], node.ops, strict=False):
                yield from between(left, right, sign)
        elif isinstance(node, ast.BinOp):
            yield from between(node.left, node.right, node.op)
        elif isinstance(node, ast.BoolOp):
            yield from between(node.values[0], node.values[1], node.op)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            start, end = offsets(node)
            yield Mutant(name, node.lineno, start, start + 4, "not ", "")
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            start, end = offsets(node)
            yield Mutant(name, node.lineno, start, end, str(node.value), str(node.value + 1))  # fmt: skip


def drawn(count: int, seed: int, folders: list[str]) -> list[Mutant]:
    """Return so many mutants of the folders, drawn with a seed."""
    found = [
        mutant
        for folder in folders
        for path in sorted((ROOT / "exprgrad" / folder).rglob("*.py"))
        if "tables" not in path.parts
        for mutant in mutants(path, path.read_text("utf-8"))
        if str(mutant) not in EQUIVALENT
    ]
    return random.Random(seed).sample(found, min(count, len(found)))


def is_killed(copy: Path, mutant: Mutant, reach: Reach) -> bool:
    """Whether a test fails, or never ends, in a copy of the project with this mutant."""
    file = copy / mutant.path
    source = file.read_bytes()
    tests = reach.of(mutant.path, mutant.line)
    while tests and sum(reach.seconds[test] for test in tests) > SECONDS / 2:
        tests.pop()  # the slowest
    own = [f"tests/{Path(mutant.path).parts[1]}"]
    file.write_bytes(mutant.text(source))
    try:
        return not passes(copy, tests or own)
    finally:
        file.write_bytes(source)


def passes(copy: Path, tests: Sequence[str], *options: str) -> bool:
    """Whether tests of a copy of the project end, and pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(options or ["-x"]), *tests]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    seconds = None if options else SECONDS
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=seconds, check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> int:
    """Run the mutants that the command line asks for; return the exit code."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    reader.add_argument("count", type=int)
    reader.add_argument("seed", type=int)
    reader.add_argument("folders", nargs="*", default=FOLDERS)
    reader.add_argument("--reach", type=Path, help="a folder for what tests run: read if it is there, else written")  # fmt: skip
    asked = reader.parse_args()
    survivors = []
    chosen = drawn(asked.count, asked.seed, [*asked.folders])
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "exprgrad"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__"))
        seen = asked.reach or Path(place) / "reach"
        if not seen.exists():
            seen.mkdir()
            passes(copy, ["tests"], "-n", "2", "-p", "tests.reach", f"--reach={seen}")
        reach = read(seen)
        for k, mutant in enumerate(chosen, 1):
            killed = is_killed(copy, mutant, reach)
            print(f"{k:4} {'killed  ' if killed else 'survives'} {mutant}", flush=True)
            if not killed:
                survivors.append(mutant)
    killed_part = 1 - len(survivors) / max(1, len(chosen))
    print(f"{len(chosen)} mutants, {killed_part:.0%} killed")
    return int(killed_part < LEAST)


if __name__ == "__main__":
    sys.exit(main())
