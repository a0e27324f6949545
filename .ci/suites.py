"""Run the third-party suites, and fail where a smaller share of the rows passes than has passed before, or a formula is false.

    python .ci/suites.py FOLDER         # the folder with run_suites.py

Two processes at a time take a job each. What is not in the table below has not landed, and is not run.
"""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import floor

LANDED = {
    "check-right": {
        "deepmind": "24/24",
        "diff_units": "51/52",
        "openstax": "16/16",
        "rubi": "996/1000",
        "stack": "44/44",
        "webwork": "481/483",
    },
    "check-wrong": {"openstax": "38/38", "stack": "95/95", "webwork_wrong": "335/335"},
    "derivative": {"diff_units": "52/52", "rubi": "1000/1000", "webwork": "483/483"},
    "work": {"worked": "213/213"},
    "kinds": {"implicit": "128/129"},
    "value+gradient": {
        "autodiff": "2/2",
        "diff_units": "52/52",
        "feynman": "15/15",
        "optim": "1/1",
        "rubi": "1000/1000",
        "webwork": "483/483",
        "webwork_exprs": "516/516",
    },
    "digits": {"fpcore": "500/500"},
    "nearmiss": {"nearmiss": "43/43"},
    "constants": {"constants": "29/29"},
    "own formula": {"constants": "29/29"},
    "twentieth digit": {"constants": "29/29"},
    "mistake": {"stack_mistake": "62/67"},
    "pairs": {"pairs": "99/100"},
    "reading": {"homework_syntax": "426/426"},
    "antiderivative": {"antiderivative": "52/52"},
    "same": {"compare": "76/77"},
    "latex": {
        "latex": "368/369"
    },  # one row takes the greatest element of an array, which needs NumPy
    "budget": {"uncertainty": "1/1"},
}
"""By job and suite the share of the rows that passes, at least; the jobs that take longest come first."""

ROWS = {"check-right": 200, "derivative": 150}
"""At most so many rows of a suite are run for a job, spread evenly."""

OTHERWISE = 150
"""At most so many rows for any other job."""


FORMULAS = (
    ("formula_fuzz.py", "1", "40", "--shrink", "30"),
    ("formula_grid.py",),
)
"""Programs in the folder `formulas` that judge what is printed by a truth of their own, with their arguments."""

DOORS = ("doors.py", "--bar", "0.95")
"""The program in the folder `doors` that puts statements through every door, with the least share as expected."""

FALSE = {"FALSE", "LOST", "UNREADABLE", "RAISED"}
"""How their lines about a formula that is wrong begin."""

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import run_suites
run_suites.SECONDS_A_ROW = 120  # a busy machine is slow, which is no fault of a row
del sys.argv[1]
sys.exit(run_suites.main())
"""


PATIENT = """
import os, runpy, signal, sys
del sys.argv[0]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
wait = signal.setitimer
# a busy machine is slow, which is no fault of a formula
signal.setitimer = lambda which, seconds: wait(which, 12 * seconds)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def printed(*arguments: str) -> tuple[list[str], int]:
    """The lines that a program in Python prints, and how it ends: not with 0 where anything fails."""
    done = subprocess.run(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        check=False,
        text=True,
        encoding="utf-8",
    )
    return done.stdout.splitlines(), done.returncode


def table(folder: str, job: str) -> list[str]:
    """The lines that the run of a job prints."""
    limit = str(ROWS.get(job, OTHERWISE))
    return printed("-c", PROGRAM, folder, "--jobs", job, "--limit", limit)[0]


def false_formulas(folder: str, program: tuple[str, ...]) -> list[str]:
    """What a program finds wrong with formulas, or that it has not come to its end."""
    name, *arguments = program
    lines, code = printed("-c", PATIENT, f"{folder}/formulas/{name}", *arguments)
    wrong = [line for line in lines if FALSE.intersection(line.split()[:1])]
    if code or not any("expressions" in line for line in lines):
        wrong.append(f"{name} has not come to its end")
    return wrong


def misread(folder: str) -> list[str]:
    """What is wrong at a door, or that fewer statements than before have the answer that is expected."""
    name, *arguments = DOORS
    lines, code = printed(f"{folder}/doors/{name}", *arguments)
    return lines if code else []


def shares(lines: list[str]) -> dict[tuple[str, str], tuple[int, int]]:
    """The passed rows and all rows by job and suite."""
    found = {}
    for line in lines:
        suite, slash, rest = line.partition(" / ")
        words = rest.rsplit(maxsplit=6)
        if slash and len(words) == 7 and words[1].isdigit():
            found[words[0].strip(), suite] = int(words[2]), int(words[1])
    return found


def main(folder: str) -> int:
    """Print the tables and what has become worse; 1 if anything has."""
    start = time.perf_counter()
    with ThreadPoolExecutor(2) as processes:
        wrong = [processes.submit(false_formulas, folder, f) for f in FORMULAS]
        wrong.append(processes.submit(misread, folder))
        tables = processes.map(lambda job: table(folder, job), LANDED)
        lines = [line for lines in tables for line in lines if " / " in line]
    found = shares(lines)
    print(*dict.fromkeys(lines), sep="\n")
    worse = [line for program in wrong for line in program.result()]
    for job, suites in LANDED.items():
        for suite, least in suites.items():
            passed, rows = found.get((job, suite), (0, 0))
            if not rows or passed < floor(Fraction(least) * rows):
                worse.append(f"{suite} / {job}: {passed}/{rows}, it was {least}")
    print(
        f"{sum(map(min, found.values()))} of {sum(map(max, found.values()))} rows pass",
        end=" ",
    )
    print(f"in {time.perf_counter() - start:.0f} s")
    print(*worse or ["nothing is worse than it was"], sep="\n")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
