"""The README shows what the program prints, and what it says is so."""

from __future__ import annotations

import re

import exprgrad
from tests.readme import README, refreshed


def test_generated_parts_of_the_readme_are_fresh():
    text = README.read_text(encoding="utf-8")
    assert refreshed(text) == text, "run python tests/readme.py"


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
    from exprgrad.operation import TABLE

    assert all(f"`{o.signature}`" in table for o in TABLE.values())
