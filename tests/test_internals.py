"""What the manual says of the code is so: the functions that it names are there, and its sweeps work."""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

import pytest

import exprgrad
from exprgrad.operations.number_types import FLOATS
from exprgrad.sweeps.tape import Tape

PACKAGE = Path(exprgrad.__file__).resolve().parent
PAGE = (PACKAGE / "manual" / "internals.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w/]+\.py)` \| `([\w.]+)` \|", PAGE, re.MULTILINE)
FOLDERS = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (`[^|]+) \|", PAGE, re.MULTILINE)


def defined(tree: ast.AST) -> dict[str, ast.AST]:
    """The classes and functions of a module or a class, by name."""
    kinds = (ast.ClassDef, ast.FunctionDef)
    return {item.name: item for item in tree.body if isinstance(item, kinds)}


@pytest.mark.parametrize(("file", "name"), ROWS)
def test_a_function_that_the_page_names_is_there(file, name):
    found = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
    for part in name.split("."):
        found = defined(found)[part]


def test_every_folder_is_on_the_page():
    named = [re.findall(r"`(\w+)`", folders) for folders, _ in FOLDERS]
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert {folder for row in named for folder in row} == folders


@pytest.mark.parametrize(("folders", "files"), FOLDERS)
def test_the_files_to_begin_with_are_there(folders, files):
    places = [PACKAGE / folder for folder in re.findall(r"`(\w+)`", folders)]
    for file in re.findall(r"`([\w.]+)`", files):
        assert any((place / file).is_file() for place in places)


def test_the_sweeps_of_the_page_give_the_gradient():
    names: dict[str, object] = {}
    code = re.search(r"\n(    def forward.*?)\n\n`", PAGE, re.DOTALL)[1]
    exec(textwrap.dedent(code), names)
    tape: Tape = exprgrad.parse("(a*b+c)^2*sin(a)").tape
    at = {"a": 2.0, "b": 3.0, "c": 1.0}
    values = [at.get(item.name, item.data) for item in tape.nodes]
    adjoints = [None] * len(values)
    adjoints[tape.root] = 1.0
    active = [not item.is_constant for item in tape.nodes]
    names["forward"](tape.steps, FLOATS, values)
    names["reverse"](tape.steps, FLOATS, values, adjoints, active)
    found = exprgrad.parse("(a*b+c)^2*sin(a)").evaluate(at)
    assert values[tape.root] == pytest.approx(found.value)
    for name, place in tape.variables.items():
        assert adjoints[place] == pytest.approx(found.gradient[name])


DEVELOPMENT = (PACKAGE / "manual" / "development.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "place", sorted({*re.findall(r"`((?:\w+/)+[\w.]+)`", DEVELOPMENT)})
)
def test_places_of_the_page_on_development_are_there(place):
    assert (PACKAGE / place).exists() or (PACKAGE.parent / place).exists()


TABLES = [
    *re.findall(r"`([A-Z]{3,})` (?:in|of) `([\w/]+\.py)`", DEVELOPMENT),
    ("Numbers", "operations/number_types.py"),
]


@pytest.mark.parametrize(("name", "file"), TABLES)
def test_tables_of_the_page_on_development_are_there(name, file):
    source = (PACKAGE / file).read_text(encoding="utf-8")
    assert re.search(rf"^(?:class )?{name}\b", source, re.MULTILINE)
