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
def table() -> dict[str, tuple[int, int]]:
    """Rows and passed rows by suite and job, from the table that the suites print."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [
            *(sys.executable, str(SUITES / "run_suites.py")),
            *("--jobs", "value+gradient,reading", "--limit", "150"),
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
            found[name] = (int(words[1]), int(words[2]))
    return found


def test_table_of_the_suites_is_understood(table):
    assert set(table) >= WITHOUT_EXCEPTION
    assert all(0 < passed <= rows for rows, passed in table.values())


@pytest.mark.parametrize("suite", sorted(WITHOUT_EXCEPTION))
def test_every_row_of_these_suites_passes(table, suite):
    rows, passed = table[suite]
    assert passed == rows


def test_of_the_other_suites_at_most_one_row_in_a_hundred_fails(table):
    short = {name for name, (rows, passed) in table.items() if passed < 0.99 * rows}
    assert short == set()
