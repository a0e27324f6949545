"""The schema of JSON output: it is that of what is printed today, and holds for everything on file."""

from __future__ import annotations

import json

import pytest

from exprgrad.cli.start import run
from tests import schema
from tests.golden import HERE

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = json.loads(schema.PATH.read_text("utf-8"))


def on_file() -> list[tuple[str, str]]:
    """The commands in golden files that print JSON, and what they print."""
    found = []
    for path in sorted(HERE.rglob("*.txt")):
        head, _, rest = path.read_text("utf-8").partition("\n")
        if head.startswith("$ exprgrad ") and "json" in head:
            found.append((head.split()[2], rest.partition("--- exit")[0]))
    return found


@pytest.mark.slow
def test_schema_is_that_of_what_is_printed():
    assert schema.schema() == SCHEMA, "run python -m tests.schema"


@pytest.mark.slow
def test_every_golden_file_is_valid():
    files = on_file()
    assert len(files) > 5
    for command, printed in files:
        rule = {**SCHEMA["$defs"][command], "$defs": SCHEMA["$defs"]}
        decoder = json.JSONDecoder()
        found, _ = decoder.raw_decode(printed.lstrip())
        jsonschema.validate(found, rule)


def test_schema_is_printed_by_help(capsys):
    assert run(["help", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA


@pytest.mark.slow
def test_other_shapes_are_refused():
    rule = SCHEMA["$defs"]["eval"]
    for wrong in ({}, {"expression": 1}, {"value": "3"}, []):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, rule)
