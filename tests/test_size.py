"""The package stays small: no folder has more lines of code than stand here.

Blank lines, comments and docstrings do not count, and generated tables are left out. A limit is lowered whenever code goes,
and raised only with a reason in the commit.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

import pytest

import exprgrad

PACKAGE = Path(exprgrad.__file__).resolve().parent

LIMITS = {
    ".": 903,
    "algebra": 892,
    "checking": 11835,
    "cli": 585,
    "commands": 2953,
    "compiled": 1413,
    "data": 2409,
    "expressions": 4887,
    "fitting": 668,
    "grading": 2925,
    "graph": 1325,
    "language": 7860,
    "notation": 601,
    "numbers": 840,
    "operations": 2260,
    "optimize": 1585,
    "pictures": 3342,
    "proof": 693,
    "session": 2834,
    "sweeps": 4425,
    "symbolic": 2288,
    "terminal": 453,
    "views": 3909,
}
"""Lines of code by folder; `.` are the files beside the folders."""

LAYOUT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip


def lines_of_code(path: Path) -> int:
    """Return how many lines of a module have code."""
    source = path.read_text(encoding="utf-8")
    documented = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    docstrings = {
        line
        for item in ast.walk(ast.parse(source))
        if isinstance(item, documented) and ast.get_docstring(item, clean=False) is not None
        for line in range(item.body[0].lineno, (item.body[0].end_lineno or 0) + 1)
    }  # fmt: skip
    code = {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in LAYOUT
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(code - docstrings)


@pytest.fixture(scope="module")
def sizes() -> Counter[str]:
    """The lines of code of every folder."""
    found: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        place = path.relative_to(PACKAGE)
        if "tables" not in place.parts or place.name == "__init__.py":
            found[place.parts[0] if len(place.parts) > 1 else "."] += lines_of_code(
                path
            )
    return found


@pytest.mark.slow
def test_every_folder_has_a_limit(sizes):
    assert {*sizes} == {*LIMITS}


@pytest.mark.slow
@pytest.mark.parametrize("folder", LIMITS)
def test_a_folder_has_no_more_lines_than_its_limit(sizes, folder):
    assert sizes[folder] <= LIMITS[folder], "make something smaller, or say why not"
