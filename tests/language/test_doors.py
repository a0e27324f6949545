"""Generated texts at every door; `tests.typed_texts` asks as many as one likes by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from tests import typed_texts
from tests.typed_texts import DOORS, SPLIT, faults_of, make

COUNT, PARTS = 60, 4


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_doors_agree_on_generated_texts_and_none_crashes(part):
    texts = [make(f"ci:{number}") for number in range(part, COUNT, PARTS)]
    found = [fault for text in texts for fault in faults_of(text, [*DOORS], Counter())]
    assert not found, "\n".join(map(str, found))


def test_doors_that_disagree_are_found(monkeypatch):
    monkeypatch.setitem(DOORS, "sheet", lambda text: "incorrect")
    [fault] = faults_of("d/dx x^2 = 2x", ["check", "sheet"], Counter())
    assert fault.kind == SPLIT
    assert typed_texts.judge("d/dx x^2 = 3x", "", [*DOORS], Counter(), False) == []
