"""How fast a class set is graded, and in how much memory.

    python tests/benchmarks/grading.py              10,000 rows by two processes
    python tests/benchmarks/grading.py 2000 1       other numbers

The rows are all different, a third of the answers wrong, so that nothing is graded from memory. Memory is
the largest resident set of one process; that it does not grow is shown by a tenth of the rows beside it.
"""

from __future__ import annotations

import csv
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FORMS = (
    ("d/dx {a}x^{n} - {b}x", "{an}x^({n} - 1) - {b}", "{an}x^{n} - {b}"),
    ("d/dx x^{n} sin({a}x)", "{n}x^({n}-1) sin({a}x) + {a}x^{n} cos({a}x)", "cos x"),
    ("sin({a}x + {b})", "{a}cos({a}x + {b})", "cos({a}x + {b})"),
    ("d/dx x/(x + {a}{b})", "{a}{b}/(x + {a}{b})^2", "1/(x + {a}{b})"),
    ("d/dx ln({a}x^2 + {b})", "2*{a}x/({a}x^2 + {b})", "1/({a}x^2 + {b})"),
    ("f(t) = {b}e^(-{a}t); f'(t)", "-{a}*{b} e^(-{a}t)", "{b}e^(-{a}t)"),
    ("d/dx sqrt({a}x + {b})", "{a}/(2sqrt({a}x + {b}))", "1/(2sqrt({a}x + {b}))"),
    ("d/dx ({a}x + {b})^{n}", "{an}({a}x + {b})^({n}-1)", "{n}({a}x + {b})^({n}-1)"),
    ("g(x) = {b}x^{n}; g'(2)", "{n}*{b}*2^({n}-1)", "{b}*2^{n}"),
    ("d/dx {a}^x + {b}x", "{a}^x ln {a} + {b}", "x {a}^(x-1) + {b}"),
)

GRADE = """
import sys
from pathlib import Path
from exprgrad.commands.check import Check
Check(file=Path(sys.argv[1]), output=Path(sys.argv[2]), jobs=int(sys.argv[3]), quiet=True).main()
"""


def class_set(path: Path, rows: int) -> None:
    """Write a class set; the same for the same number of rows."""
    rng = random.Random(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["student", "problem", "answer"])
        for i in range(rows):
            a, b, n = rng.randint(2, 99), rng.randint(2, 999), rng.randint(2, 9)
            numbers = {"a": a, "b": b, "n": n, "an": a * n}
            problem, right, wrong = rng.choice(FORMS)
            answer = wrong if rng.random() < 1 / 3 else right
            cells = (text.format(**numbers) for text in (problem, answer))
            table.writerow([f"student {i % 200}", *cells])


def graded(folder: Path, rows: int, jobs: int) -> tuple[float, float]:
    """Seconds, and the largest resident set in megabytes, of grading so many rows."""
    source, target = folder / f"{rows}.csv", folder / f"{rows}-graded.csv"
    class_set(source, rows)
    watch = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-c", GRADE, str(source), str(target), str(jobs)]
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", watch, *command],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - start
    with target.open(newline="", encoding="utf-8") as file:
        statuses = [row["status"] for row in csv.DictReader(file)]
    assert len(statuses) == rows
    counts = {status: statuses.count(status) for status in sorted(set(statuses))}
    print(f"{rows} rows: {counts}")
    unit = 1 if sys.platform == "darwin" else 1024
    return seconds, int(done.stdout) * unit / 1e6


def main(rows: int = 10_000, jobs: int = 2) -> None:
    """Print rows a second, and the memory for all rows and for a tenth of them."""
    with tempfile.TemporaryDirectory() as folder:
        _, little = graded(Path(folder), rows // 10, jobs)
        seconds, much = graded(Path(folder), rows, jobs)
    print(f"{rows / seconds:.0f} rows a second by {jobs} processes")
    print(f"largest process: {much:.0f} MB, with a tenth of the rows {little:.0f} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
