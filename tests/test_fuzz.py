"""Hostile input for every public entry point; `tests.fuzzing` makes it, and runs as long as one likes by hand."""

from __future__ import annotations

import pytest

from tests.fuzzing import Fuzz, commands, failure, workplace

pytest.importorskip("numpy", reason="needs the extra arrays")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_what_is_passed_to_the_package_gives_an_answer_or_an_error_of_its_own(
    part, monkeypatch
):
    monkeypatch.setattr(Fuzz, "weights", (14, 3, 3))  # a command takes 15 ms
    with workplace() as folder:
        found = [failure(Fuzz(f"ci/{part}/{i}", folder)) for i in range(250)]
    assert [wrong for wrong in found if wrong and not wrong[0].isdigit()] == []


@pytest.mark.slow
def test_every_command_is_tried():
    assert {"eval", "check", "minimize", "batch", "run"} < set(commands())
    assert "repl" not in commands()


def test_a_failure_is_noticed(monkeypatch, tmp_path):
    fuzz = Fuzz("seed", tmp_path)
    monkeypatch.setattr(fuzz, "step", lambda: lambda: [][1])
    fuzz.said = "an index"
    found = failure(fuzz)
    assert found is not None
    assert "IndexError" in found
