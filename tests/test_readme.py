"""The README and the manual show what the program prints, and what they say is so."""

from __future__ import annotations

import ast
import re

import pytest

import exprgrad
from tests.drawn_sessions import MADE, SAMPLES, SHOWN, picture
from tests.house import HOUSE, house
from tests.readme import PAGES, refreshed

TEXTS = {name: path.read_text(encoding="utf-8") for name, path in PAGES.items()}
WITH_PYTHON = [name for name, text in TEXTS.items() if "```python" in text]


@pytest.mark.parametrize("page", PAGES)
def test_every_output_of_a_page_is_what_the_program_prints(page):
    assert refreshed(TEXTS[page]) == TEXTS[page], f"run python tests/readme.py {page}"


@pytest.mark.parametrize("name", [*SHOWN, *MADE])
def test_pictures_are_fresh_and_well_formed(name):
    text = (SAMPLES / f"{name}.svg").read_text(encoding="utf-8")
    assert picture(name) == text, "run python tests/readme.py"
    from xml.etree import ElementTree

    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert any(f"samples/{name}.svg)" in text for text in TEXTS.values())


def test_the_drawing_of_the_house_shows_its_imports():
    text = HOUSE.read_text(encoding="utf-8")
    drawn = re.findall(r'data-from="(\w+)" data-to="(\w+)"', text)
    imports = [(edge.operand, edge.node) for edge in house().edges]
    assert sorted(drawn) == sorted(imports), "run python tests/readme.py"
    assert "samples/house.svg)" in TEXTS["internals"]


@pytest.mark.parametrize("page", WITH_PYTHON)
def test_python_examples_of_a_page_give_what_their_comments_say(page):
    for block in re.findall(r"```python\n(.*?)```", TEXTS[page], re.DOTALL):
        if "Operation(" in block:
            continue
        names: dict[str, object] = {"exprgrad": exprgrad}
        shown = 0
        for statement in ast.parse(block).body:
            code = str(ast.get_source_segment(block, statement))
            last = block.splitlines()[(statement.end_lineno or 0) - 1]
            comment = last.partition("#")[2].strip()
            if comment:
                assert repr(eval(code, names)) == comment
                shown += 1
            else:
                exec(code, names)
        assert shown, f"this example shows nothing:\n{block}"


def test_the_manual_names_every_operation():
    table = TEXTS["operations"].partition("<!-- operations: begin -->")[2]
    from exprgrad.operations.operation import TABLE

    assert all(f"`{o.signature}`" in table for o in TABLE.values())


def test_the_page_on_python_names_all_that_is_public():
    from exprgrad.operations.operation import function_names

    own = {name for name in exprgrad.__all__ if name[:2] != "__"} - {*function_names()}
    assert {name for name in own if f"`{name}`" not in TEXTS["python"]} == set()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_one_title_and_its_links_lead_somewhere(page):
    prose = re.sub(r"```.*?```", "", TEXTS[page], flags=re.DOTALL)
    assert re.findall(r"^# .*", prose, re.MULTILINE) == [prose.splitlines()[0]]
    for target in re.findall(r"\]\(([^)#]+)", prose):
        assert target.startswith("https://") or (PAGES[page].parent / target).exists()


def test_the_readme_can_be_read_aloud_in_two_minutes():
    prose = re.sub(r"```.*?```|\(.*?\)", "", TEXTS["README"], flags=re.DOTALL)
    assert len(prose.split()) < 280
