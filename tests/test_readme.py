"""The README shows what the program prints, and what it says is so."""

from __future__ import annotations

import re

import pytest

import exprgrad
from tests.pictures import SAMPLES, SHOWN, picture
from tests.readme import README, refreshed


def test_generated_parts_of_the_readme_are_fresh():
    text = README.read_text(encoding="utf-8")
    assert refreshed(text) == text, "run python tests/readme.py"


@pytest.mark.parametrize("name", SHOWN)
def test_pictures_are_fresh_and_well_formed(name):
    text = (SAMPLES / f"{name}.svg").read_text(encoding="utf-8")
    assert picture(name) == text, "run python tests/readme.py"
    from xml.etree import ElementTree

    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert f"samples/{name}.svg" in README.read_text(encoding="utf-8")


def test_python_examples_of_the_readme_give_what_their_comments_say():
    text = README.read_text(encoding="utf-8")
    shown = 0
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        if "Operation(" in block:
            continue
        names: dict[str, object] = {"exprgrad": exprgrad}
        for line in block.splitlines():
            code, _, comment = line.partition("#")
            if comment.strip():
                assert repr(eval(code, names)) == comment.strip()
                shown += 1
            else:
                exec(code, names)
    assert shown >= 4


def test_the_readme_names_every_operation():
    text = README.read_text(encoding="utf-8")
    table = text.partition("<!-- operations: begin -->")[2]
    from exprgrad.operations.operation import TABLE

    assert all(f"`{o.signature}`" in table for o in TABLE.values())
