"""Regular expressions are compiled when they are needed."""

from __future__ import annotations

import re

from exprgrad.lazy import pattern


def test_a_pattern_is_not_compiled_for_texts_without_its_signs(monkeypatch):
    compiled = []
    original = re.compile
    monkeypatch.setattr(re, "compile", lambda *a: compiled.append(a) or original(*a))
    fraction = pattern(r"(\d+)[/:](\d+)", signs="/:")
    assert fraction.search("12 or 3") is None
    assert compiled == []
    assert fraction.search("1/2 or 3:4", 3).groups() == ("3", "4")
    assert fraction.sub("", "1/2 or 3:4") == " or "
    assert compiled != []
