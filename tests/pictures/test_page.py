"""The frame of pages: they ask for nothing from outside, and run one script."""

from __future__ import annotations

import base64
import hashlib
import json
import re

from exprgrad.compiled.javascript import data as literal
from exprgrad.pictures.svg import COLOURS, page


def test_a_page_without_a_script_allows_none():
    made = page("a < b", "<h1>x</h1>")
    assert "<title>a &lt; b</title>" in made
    assert "default-src 'none'" in made
    assert "script" not in made


def test_the_one_script_that_may_run_is_the_one_in_the_page():
    made = page("t", "<p>x</p>", "p{color:$value}", '"use strict";\nconst a = "<é>";')
    (script,) = re.findall(r"<script>(.*?)</script>", made, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in made
    light, dark = COLOURS["value"]
    assert f"p{{color:{light}}}" in made
    assert re.search(
        rf"@media\(prefers-color-scheme:dark\)\{{.*p\{{color:{dark}\}}", made
    )


def test_data_of_a_script_reads_back_and_cannot_end_the_script():
    data = {
        'a"b': [1, -2.5, 1e300, None, True, False, ""],
        "</script>": "\\ \u2028 \n é",
    }
    assert json.loads(literal(data)) == data
    assert "<" not in literal(data)
