"""Third-party expressions with reference values, where they are at hand beside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SUITES = ROOT.parent / "shared" / "suites"
WITHOUT_EXCEPTION = {"autodiff", "optim", "feynman", "diff_units", "webwork"}

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
            *("--jobs", "value+gradient,reading,derivative", "--limit", "600"),
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
    assert {suite for suite, _ in table} >= WITHOUT_EXCEPTION | {"rubi"}
    assert {job for _, job in table} == {"value+gradient", "reading", "derivative"}
    assert all(0 < passed <= rows for rows, passed in table.values())


@pytest.mark.parametrize("suite", sorted(WITHOUT_EXCEPTION))
def test_every_value_and_gradient_of_these_suites_passes(table, suite):
    rows, passed = table[suite, "value+gradient"]
    assert passed == rows


@pytest.mark.parametrize("suite", ["diff_units", "webwork", "rubi"])
def test_every_derivative_of_these_suites_passes(table, suite):
    rows, passed = table[suite, "derivative"]
    assert passed == rows


def test_of_the_others_at_most_one_row_in_two_hundred_fails(table):
    short = {name for name, (rows, passed) in table.items() if passed < 0.995 * rows}
    assert short == set()
