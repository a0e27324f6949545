"""Class sets of 2,000 rows with everything that can be wrong with them: no student is lost, no verdict changed."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from exprgrad.grading.class_set import survey
from exprgrad.grading.grade import grade_rows

ROWS = 2000

VERDICTS = {
    ("x^2", "2x"): "correct",
    ("x²", "2x"): "correct",
    ("x^2", "= 2x"): "correct",
    ("cos x", "-sin x"): "correct",
    ("x^2*y wrt x", "2x*y"): "correct",
    ("x^2,5", "2,5x^1,5"): "correct",
    ("x^2", "2x + x\n- x"): "correct",
    ("sin(3x)", "cos(3x)"): "incorrect",
    ("x^2", "  =1+1"): "incorrect",
    ("x^2", "\n=cmd|x!A1"): "unreadable",
    ("x^2", "N/A"): "unreadable",
    ("x^2", "two x"): "unreadable",
    ("x^2", "2X"): "unreadable",
    ("x^2", "(2x"): "unreadable",
    ("x^2", 'he said "2x"'): "unreadable",
    ("x^2", ""): "unreadable",
}
"""What is right about problems and their answers, some of which need quotes."""

FAULTS = (
    "open answer", "open row", "short", "long cell", "too many cells", "blank rows", "none", "none", "none",
)  # fmt: skip

LAYOUTS = [
    ("utf-8", ",", "Class 4b, week 12\r\n\r\n"),
    ("utf-8-sig", ";", ""),
    ("utf-16", "\t", ""),
    ("utf-16-le", ";", "sep=;\r\n"),
    ("utf-16-be", ",", "Mathematics\r\n"),
    ("cp1252", ";", "sep=;\r\n"),
]


def quoted(cell: str, delimiter: str) -> str:
    """A cell as a spreadsheet writes it."""
    doubled = cell.replace('"', '""')
    return f'"{doubled}"' if any(mark in cell for mark in (delimiter, '"', "\n")) else cell  # fmt: skip


def class_set(delimiter: str, chance: random.Random) -> Iterator[tuple[str, str, str]]:
    """Lines, each with the student and the status that is right."""
    for i in range(ROWS):
        (problem, answer), status = chance.choice(list(VERDICTS.items()))
        student, fault = f"Zoë {i}", chance.choice(FAULTS)
        cells = [student, f"s{i}@school", problem, answer, "1.75"]
        is_plain = answer and quoted("".join(cells), delimiter) == "".join(cells)
        if fault == "short":
            cells.pop()
        elif fault == "long cell":
            cells[3], status = "1+" * 20_000 + "1", "unreadable"
        elif fault == "too many cells" and "\n" not in answer:
            cells += ["and", "more"]
            status = "unreadable"
        line = delimiter.join(quoted(cell, delimiter) for cell in cells)
        if fault == "open answer" and is_plain:
            line = delimiter.join([*cells[:3], f'"{answer}'])
        elif fault == "open row" and is_plain:
            line = f'"{delimiter.join(cells)}'
        elif fault == "blank rows":
            line += f"\r\n\r\n{delimiter * 4}"
        yield line, student, status


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "delimiter", "above"), LAYOUTS)
def test_no_student_is_lost_and_no_verdict_changed(
    tmp_path, encoding, delimiter, above
):
    rows = list(class_set(delimiter, random.Random(encoding)))
    head = delimiter.join(["Naam", "E-Mail", "Problem", "Answer", "height (m)"])
    text = above + "".join(f"{line}\r\n" for line in (head, *(row[0] for row in rows)))
    path = tmp_path / "set.csv"
    path.write_bytes(text.encode(encoding))
    graded = [(row.cells[0], grade.status) for row, grade in grade_rows(survey(path))]
    assert graded == [(student, status) for _, student, status in rows]
