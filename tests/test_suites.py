"""Third-party expressions with reference values, where they are at hand beside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SUITES = ROOT.parent / "shared" / "suites"
WITHOUT_EXCEPTION = {"autodiff", "optim", "feynman", "diff_units", "webwork", "rubi"}
JOBS = "value+gradient,reading,derivative,check-right,check-wrong,same"

pytestmark = pytest.mark.skipif(
    not (SUITES / "run_suites.py").is_file(), reason="no suites beside the checkout"
)


@pytest.fixture(scope="module")
def table() -> dict[tuple[str, str], tuple[int, int]]:
    """Rows and passed rows by suite and job, from the table that the suites print."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [
            *(sys.executable, str(SUITES / "run_suites.py")),
            *("--jobs", JOBS, "--limit", "500"),
        ],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        text=True,
        encoding="utf-8",
        check=False,
        timeout=600,
    )
    assert done.stderr == ""
    found = {}
    for line in done.stdout.splitlines():
        name, slash, rest = line.partition(" / ")
        words = rest.split()
        if slash and len(words) == 7 and words[1].isdigit():
            found[name, words[0]] = (int(words[1]), int(words[2]))
    return found


def test_table_of_the_suites_is_understood(table):
    assert {suite for suite, _ in table} >= WITHOUT_EXCEPTION
    assert {job for _, job in table} == set(JOBS.split(","))
    assert all(0 < passed <= rows for rows, passed in table.values())


@pytest.mark.parametrize("suite", sorted(WITHOUT_EXCEPTION))
def test_every_value_and_gradient_of_these_suites_passes(table, suite):
    rows, passed = table[suite, "value+gradient"]
    assert passed == rows


@pytest.mark.parametrize("suite", ["diff_units", "webwork", "rubi"])
def test_every_derivative_of_these_suites_passes(table, suite):
    rows, passed = table[suite, "derivative"]
    assert passed == rows


def test_no_wrong_answer_is_called_right(table):
    rows, passed = table["webwork_wrong", "check-wrong"]
    assert passed == rows


@pytest.mark.parametrize("suite", ["diff_units", "webwork", "rubi"])
def test_right_answers_are_called_right(table, suite):
    """Except for a few that differ from the derivative on a piece of the real domain."""
    rows, passed = table[suite, "check-right"]
    assert rows - passed <= max(2, rows // 200)


def test_equal_expressions_are_told_from_different_ones(table):
    rows, passed = table["compare", "same"]
    assert passed >= 0.97 * rows


def test_of_the_others_at_most_one_row_in_two_hundred_fails(table):
    left = {key for key in table if not key[1].startswith(("check", "same"))}
    short = {key for key in left if table[key][1] < 0.995 * table[key][0]}
    assert short == set()
