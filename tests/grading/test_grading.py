"""Grading whole files by the command: what is printed and written, exit codes, interrupts."""

from __future__ import annotations

import csv
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from exprgrad import ExprgradError
from exprgrad.checking.problems import Problem
from exprgrad.cli.start import run
from exprgrad.grading.class_set import survey
from exprgrad.grading.grade import (
    COLUMNS,
    Grade,
    cells_of,
    grade,
    grade_rows,
    grade_sheet,
    on_one_line,
)
from exprgrad.grading.sheet import read_sheet
from tests.cli.test_cli import environment, on_a_terminal, program
from tests.golden import HERE, compare
from tests.programs import running

FOLDER = HERE / "grading"
SAMPLES = Path(__file__).resolve().parents[2] / "samples"
WORKSHEET, CLASS = str(SAMPLES / "worksheet.txt"), str(SAMPLES / "class.csv")

assert program  # a fixture


def table(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


GOLDEN = {
    "worksheet": [WORKSHEET],
    "worksheet_hint": [WORKSHEET, "--hint"],
    "worksheet_solution": [WORKSHEET, "--solution"],
    "worksheet_json": [WORKSHEET, "--format", "json"],
    "quiz": [str(SAMPLES / "quiz.txt")],
    "class": [CLASS],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GOLDEN)
def test_output_is_as_people_have_seen_it(name, program):
    result = program("check", "--file", *GOLDEN[name])
    shown = f"{result.out}{result.err}exit code {result.code}\n"
    compare(FOLDER / f"{name}.txt", shown)


@pytest.mark.slow
@pytest.mark.parametrize("hint", [False, True])
def test_graded_class_is_as_people_have_seen_it(hint, program, tmp_path):
    target = tmp_path / "graded.csv"
    options = ["--hint"] if hint else []
    program("check", "--file", CLASS, "--output", str(target), *options)
    name = "class_hint.csv" if hint else "class.csv"
    compare(FOLDER / name, target.read_bytes().decode())


@pytest.fixture
def sheet(tmp_path):
    """Write a sheet or a class set and give its name."""

    def write(text: str, name: str = "sheet.txt") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["d/dx x^2 = 2x"], 0),
        (["d/dx x^2 = 2x", "d/dx x^2 = x"], 1),
        (["d/dx x^2 = 2x", "d/dx sqrt(-1-x^2) = 1"], 3),
        (["d/dx x^2 = x", "d/dx sqrt(-1-x^2) = 1"], 1),
        (["d/dx x^2 = x", "d/dx x^2 = ("], 2),
        (["d/dx x^2 = (", "d/dx x^2 = 2x"], 2),
    ],
)
def test_exit_code_is_that_of_the_worst_grade(lines, code, program, sheet):
    assert program("check", "--file", sheet("\n".join(lines))).code == code
    cells = [line.partition(" = ") for line in lines]
    text = "problem,answer\n" + "".join(f"{p},{a}\n" for p, _, a in cells)
    assert program("check", "--file", sheet(text, "set.csv")).code == code


def test_quiet_prints_nothing_but_what_cannot_be_read(program, sheet):
    result = program("check", "--file", sheet("d/dx x = 2\nd/dx x = ("), "--quiet")
    assert (result.code, result.out) == (2, "")
    assert "line 2: d/dx x = (" in result.err


def test_hint_does_not_give_the_answer_away(program, sheet, tmp_path):
    name = sheet("d/dx sin(3x) = cos(3x)\n")
    shown = program("check", "--file", name, "--hint").out
    assert "chain rule" in shown
    assert "derivative is" not in shown
    target = tmp_path / "out.csv"
    name = sheet("problem,answer\nsin(3x),cos(3x)\n", "set.csv")
    program("check", "--file", name, "--hint", "--output", str(target))
    [row] = table(target)
    assert row["status"] == "incorrect"
    assert "chain rule" in row["mistake"]
    assert (row["derivative"], row["evidence"]) == ("", "")
    assert row["counterexample"] == "x = 0"


def test_sheet_in_json_has_the_fields_of_a_verdict_for_every_problem(program, sheet):
    name = sheet("1) d/dx x^2 = 2x\n2) d/dx x^2 = x\nd/dx (\n")
    data = json.loads(program("check", "--file", name, "--format", "json").out)
    assert data["score"] == {
        "total": 3,
        "correct": 1,
        "incorrect": 1,
        "undecided": 0,
        "unreadable": 1,
        "partly": 0,
    }
    first, second, third = data["problems"]
    assert (first["line"], first["label"], first["status"]) == (1, "1", "correct")
    assert second["counterexample"] == {"at": {"x": 1}, "claimed": 1, "derivative": 2}
    assert second["derivative"] == "2*x"
    assert third["status"] == "unreadable"
    assert "never closed" in third["error"]


def test_class_in_json_has_the_rows(program, sheet):
    name = sheet("problem,answer,id\nx^2,2x,7\nx^2,x,8\nx^2,(,9\n", "set.csv")
    data = json.loads(program("check", "--file", name, "--format", "json").out)
    assert [row["row"] for row in data["rows"]] == [2, 3, 4]
    assert [row["cells"]["id"] for row in data["rows"]] == ["7", "8", "9"]
    statuses = [row["status"] for row in data["rows"]]
    assert statuses == ["correct", "incorrect", "unreadable"]
    assert data["rows"][1]["derivative"] == "2*x"


def test_columns_are_kept_and_ours_are_added(program, sheet, tmp_path):
    text = "Answer;id;PROBLEM;status\n2x;=1;x^2;old\n-sin x;'=2;cos x;\n\n@x;3;x^2;\n"
    target = tmp_path / "out.csv"
    name = sheet(text, "set.csv")
    result = program("check", "--file", name, "--output", str(target))
    assert result.code == 2
    found = table(target, ";")
    assert list(found[0]) == [
        "Answer",
        "id",
        "PROBLEM",
        "status",
        "status 2",
        *COLUMNS[1:],
    ]
    assert [row["Answer"] for row in found] == ["2x", "-sin x", "'@x"]
    assert [row["id"] for row in found] == ["'=1", "'=2", "3"]
    assert [row["status 2"] for row in found] == ["correct", "correct", "unreadable"]
    assert "row 5, answer: @x" in result.err


@pytest.mark.slow
def test_graded_file_can_be_graded_again_with_the_same_grades(program, tmp_path):
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    for source, target in ((CLASS, first), (str(first), second)):
        program("check", "--file", source, "--output", str(target))
    rows = table(second)
    assert len(rows) == 120
    for column in COLUMNS:
        assert [row[column] for row in rows] == [row[f"{column} 2"] for row in rows]


SPREADSHEET = """student,problem,answer
't Hooft,x^2,'2x
=A1,'x^2,'=2x
Bo,'-x^2,'-2x
Cy,x^3,
Di,x^3,"  "
Ed,x^3,'
"""


def test_an_apostrophe_in_front_is_the_mark_of_text_of_a_spreadsheet(
    program, sheet, tmp_path
):
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    for path, target in ((sheet(SPREADSHEET, "a.csv"), first), (str(first), second)):
        program("check", "--file", path, "--output", str(target))
    rows = table(second)
    assert [row["status"] for row in rows] == ["correct"] * 3 + ["unreadable"] * 3
    assert [row["student"] for row in rows][:2] == ["'t Hooft", "'=A1"]
    for column in ("student", "problem", "answer", *COLUMNS):
        assert [row[column] for row in rows] == [row[column] for row in table(first)]  # fmt: skip


def test_a_blank_answer_has_one_status_at_every_door(program, sheet, tmp_path):
    path = sheet(SPREADSHEET, "a.csv")
    lines, page = tmp_path / "a.jsonl", tmp_path / "a.html"
    program("check", "--file", path, "--output", str(lines), "--report", str(page))
    found = json.loads(program("check", "--file", path, "--format", "json").out)
    written = [json.loads(line) for line in lines.read_text().splitlines()]
    for rows in (found["rows"], written):
        assert [row["status"] for row in rows[3:6]] == ["unreadable"] * 3
        assert {row["error"] for row in rows[3:6]} == {"there is no answer"}
    assert (found["score"]["unreadable"], found["score"]["blank"]) == (3, 3)
    assert "3 of 6 correct, 3 blank" in program("check", "--file", path).out
    assert page.read_text().count("blank") >= 3


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [2, 3])
def test_number_of_processes_does_not_change_the_grades(jobs):
    layout = survey(Path(CLASS))
    alone = [(row, cells_of(found)) for row, found in grade_rows(layout)]
    several = [(row, cells_of(found)) for row, found in grade_rows(layout, jobs)]
    assert several == alone
    assert len(alone) == layout.rows


@pytest.mark.slow
def test_grades_of_cells_are_those_of_a_sheet():
    lines = read_sheet(Path(WORKSHEET).read_text(encoding="utf-8"))
    for line, verdict in grade_sheet(lines):
        if isinstance(line, Problem):
            assert not isinstance(verdict, ExprgradError)
            assert grade(line) == verdict


def test_counterexample_without_a_point_is_shown_by_its_values(sheet, program):
    name = sheet("problem,answer\n5,1\n", "set.csv")
    data = json.loads(program("check", "--file", name, "--format", "json").out)
    assert data["rows"][0]["counterexample"]["derivative"] == 0


def test_row_whose_check_fails_is_unreadable_with_its_reason(sheet, program):
    name = sheet("problem,answer\nf(x) = 1/x; f'(0),1\nx^2,2x\n", "set.csv")
    result = program("check", "--file", name)
    assert result.code == 2
    assert "row 2" in result.err
    assert "1 of 2 correct, 1 cannot be read" in result.out


def test_many_unreadable_rows_are_counted_instead_of_listed(sheet, program):
    name = sheet("problem,answer\n" + "x,(\n" * 50, "set.csv")
    result = program("check", "--file", name)
    assert result.err.count("error:") == 20
    assert "(30 more rows cannot be read)" in result.err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["x", "1", "--file", WORKSHEET], "--file replaces the expression"),
        (["--file", WORKSHEET, "--wrt", "x"], "--file replaces the expression"),
        (["--file", WORKSHEET, "--output", "x.csv"], "--output is for a class set"),
        (["x", "1", "--jobs", "2"], "need --file"),
        (["x", "1", "--output", "x.csv"], "need --file"),
        (["--file", "none.csv"], "cannot read none.csv"),
        (["--file", "none.txt"], "cannot read none.txt"),
        (["--file", str(SAMPLES)], "cannot read"),
        (["--file", CLASS, "--output", CLASS], "replace the input"),
    ],
)
def test_options_that_do_not_go_together_are_refused(argv, message, program):
    result = program("check", *argv)
    assert result.code == 2
    assert message in result.err
    assert result.out == ""


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"", "a.txt"),
        (b"", "a.csv"),
        (b"problem,answer\n", "a.csv"),
        (b"\x00\x01\x02\xff" * 50, "a.txt"),
        (b"\x00\x01\x02\xff" * 50, "a.csv"),
        (b"d/dx x = 1\n" * 100_000, "a.txt"),
    ],
)
def test_file_that_is_none_is_one_diagnostic(data, name, program, tmp_path):
    (tmp_path / name).write_bytes(data)
    result = program("check", "--file", str(tmp_path / name))
    assert result.code == 2
    assert result.err.startswith("error: ")
    assert result.err.count("error:") == 1
    assert result.out == ""


def test_colour_and_no_progress_are_on_standard_output(monkeypatch, sheet):
    name = sheet("d/dx x = 1\n")
    assert "\x1b[" in on_a_terminal(monkeypatch, ["check", "--file", name])


def test_progress_is_shown_on_a_terminal_and_taken_away(monkeypatch, program, sheet):
    import sys as system

    name = sheet("problem,answer\n" + "x,1\n" * 30, "set.csv")
    monkeypatch.setattr(system.stderr, "isatty", lambda: True, raising=False)
    shown = program("check", "--file", name).err
    assert "1 of 30 rows" in shown
    assert shown.endswith("\r\x1b[K")
    monkeypatch.undo()
    assert program("check", "--file", name).err == ""


# Interrupts, in a process of its own


@contextmanager
def grading(
    source: Path, target: Path, *options: str
) -> Iterator[subprocess.Popen[str]]:
    """A run that is long enough to be interrupted, once it has graded some rows."""
    source.write_text(
        "problem,answer\n"
        + "".join(f"x^{n} sin({n}x),x^{n}\n" for n in range(2, 20_000)),
        encoding="utf-8",
    )
    argv = ["check", "--file", str(source), "--output", str(target), *options]
    partial = target.with_name(target.name + ".partial")
    with running(
        [sys.executable, "-m", "exprgrad", *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as child:
        for _ in range(600):
            if partial.exists() and partial.stat().st_size > 3000:
                break
            time.sleep(0.05)
        yield child


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_interrupted_run_leaves_what_was_graded_and_the_file_as_it_was(
    name, jobs, tmp_path
):
    target = tmp_path / "graded.csv"
    target.write_text("what stood here before")
    with grading(tmp_path / "set.csv", target, "--jobs", jobs) as child:
        child.send_signal(getattr(signal, name))
        _, err = child.communicate(timeout=60)
    assert target.read_text() == "what stood here before"
    graded = table(tmp_path / "graded.csv.partial")
    assert len(graded) > 10
    assert {row["status"] for row in graded[:-1]} == {"incorrect"}
    assert "Traceback" not in err
    if name == "SIGINT":
        assert child.returncode == 130
        assert f"stopped: {len(graded)} of 19998 rows are in " in err
    else:
        assert child.returncode == -getattr(signal, name)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_killed_run_leaves_lines_of_json_and_the_report_as_they_were(tmp_path):
    target, page = tmp_path / "graded.jsonl", tmp_path / "out.html"
    for path in (target, page):
        path.write_text("what stood here before")
    source = tmp_path / "set.csv"
    with grading(source, target, "--report", str(page), "--jobs", "1") as child:
        child.kill()
        child.communicate(timeout=60)
    assert {target.read_text(), page.read_text()} == {"what stood here before"}
    *whole, _ = (tmp_path / "graded.jsonl.partial").read_text("utf-8").split("\n")
    assert {json.loads(line)["status"] for line in whole} == {"incorrect"}


def test_grade_of_an_error_fits_on_one_line():
    error = ExprgradError("no", hint="do", origin="answer")
    assert cells_of(Grade("unreadable", error=error))[1] == "answer: no (do)"


def test_run_in_this_process_takes_its_exit_code_from_the_grades(sheet, capsys):
    assert run(["check", "--file", sheet("d/dx x = 1")]) == 0
    assert "1 of 1 correct" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    "problem",
    ["x^" * 900 + "2", "x*sin(x)^" * 40 + "x", "d^9/dx^9 exp(x^2)*sin(x)*ln(x)"],
)
def test_derivative_that_is_too_long_for_a_cell_is_left_out(problem, sheet, program):
    name = sheet(f"problem,answer\n{problem},1\n", "set.csv")
    [row] = json.loads(program("check", "--file", name, "--format", "json").out)["rows"]
    assert len(row.get("derivative", "")) <= 2000


@pytest.mark.slow
def test_conditions_and_condoned_domains_reach_sheets_and_class_sets(
    program, sheet, tmp_path
):
    name = sheet("d/dx |x| = 1\nd/dt |t| = 1 for t > 0\nd/dx (x*ln|x| - x) = ln(x)\n")
    scores = [
        json.loads(program("check", "--file", name, "--format", "json", *more).out)
        for more in ((), ("--where", "x > 0"), ("--condone-domain",))
    ]
    statuses = [[p["status"] for p in found["problems"]] for found in scores]
    assert statuses == [
        ["partly", "correct", "partly"],
        ["correct", "correct", "correct"],
        ["partly", "correct", "correct"],
    ]
    name = sheet("problem,answer\n|x|,1\ne^2x,2e^2x\n", "set.csv")
    target = tmp_path / "out.csv"
    program("check", "--file", name, "--output", str(target), "--where", "x>0")
    first, second = table(target)
    assert first["status"] == "correct"
    assert second["status"] == "undecided"
    assert second["if_read_as"] == "e^(2x)"
    assert "e^2x" in second["notes"]


KINDS_IN_CELLS = [
    ("2x,x^2 + C,antiderivative,,,", "correct"),
    ("∫ 2x dx,F(x) = x^2 + C,,,,", "correct"),
    ("x^2 + y^2 = 25,-3/4,implicit,\"(3, 4)\",,", "correct"),
    ("find dy/dx if x^2+y^2=25,dy/dx = x/y,,,,", "incorrect"),
    ("x^2,y = 6x - 9,tangent,3,,", "correct"),
    ("sin x,x - x^3/6,taylor,0,3,", "correct"),
    ("x^3,6x,derivative,,2,", "correct"),
    ("d/dx x^2 at x = 3,6,,,,", "correct"),
    ("d/dx x^2 at x = 3,2x,,,,", "correct"),
    ("x^2*y,4/5,directional,\"(1, 1)\",,\"(2, 1)\"", "incorrect"),
    ("critical points of x^3 - 3x,x = 1 and x = -1,,,,", "correct"),
    ("critical points of e^x,none,,,,", "correct"),
    ("hessian of x^2 y,\"2y, 2x; 2x, 0\",,,,", "correct"),
    ("x^2,2x,nonsense,,,", "unreadable"),
    ("x^2,2x,taylor,,many,", "unreadable"),
    ("d/dx x^2 at x=@secret,2x,,,,", "unreadable"),
]  # fmt: skip


@pytest.mark.slow
def test_rows_of_a_class_set_may_name_or_state_their_kind(tmp_path):
    path = tmp_path / "kinds.csv"
    head = "problem,answer,kind,at,order,direction\n"
    path.write_text(head + "".join(f"{row}\n" for row, _ in KINDS_IN_CELLS), "utf-8")
    found = [grade.status for _, grade in grade_rows(survey(path))]
    assert found == [status for _, status in KINDS_IN_CELLS]


def test_wrong_line_of_a_chain_that_follows_from_a_wrong_one_says_so():
    text = "f(x) = x^2 sin x; f'(x) = 2x sin x - x^2 cos x = x(2 sin x - x cos x)\n= x(2 sin x - x cos(x))\n= 2x cos x\nd/dx x^3 = 2x sin x - x^2 cos x"
    found = [verdict.evidence for _, verdict in grade_sheet(read_sheet(text))]
    follows = [e for e in found if e.startswith("follows")]
    assert follows == ["follows from the side before it, which is wrong", "follows from line 1, which is wrong"]  # fmt: skip
    assert len(found) == 5


RACED = """
d/dx x^2*sin(x) = 2x sin x + x^2 cos x
d/dx sin(3x) = cos(3x)
d/dx x*max(y,10) = 10
d/dx ln|x| = ln(x)/(x*ln(x))
"""


@pytest.mark.slow
def test_a_clock_that_races_changes_no_byte(program, sheet, monkeypatch):
    path = sheet(RACED)
    calls = (
        ["check", "x^2+sin(x)*0", "2x+max(0,x-50)*1e-3"],
        ["check", "sqrt(x^2+1)", "x/sqrt(x^2+1)", "--format", "json"],
        ["check", "--file", path],
        ["check", "--file", path, "--format", "json"],
    )
    calm = [program(*map(str, call)) for call in calls]
    for name in ("monotonic", "perf_counter", "process_time", "time", "thread_time"):
        now = itertools.count(0.0, 1000.0)
        monkeypatch.setattr(time, name, lambda now=now: next(now))
    assert [program(*map(str, call)) for call in calls] == calm
    assert [result.code for result in calm] == [1, 0, 1, 1]


def grades(tmp_path, *lines):
    """The grades of rows of problem and answer, parted by semicolons."""
    path = tmp_path / "set.csv"
    path.write_text(
        "problem;answer\n" + "".join(f"{line}\n" for line in lines), "utf-8"
    )
    return [found for _, found in grade_rows(survey(path))]


def test_decimal_commas_are_read_where_nothing_else_can_be(tmp_path):
    one, two, other = grades(tmp_path, "x^2,5;2,5x^1,5", "1,5 sin x;1.5 cos x", "hypot(x,4);x/hypot(x,4)")  # fmt: skip
    assert {one.status, two.status, other.status} == {"correct"}
    assert one.notes[-1] == "2,5 is read as 2.5"
    assert other.notes == ()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("N/A", "N/A says that there is no answer"),
        ("I don't know.", "says that there is no answer"),
        ("?", "? says that there is no answer"),
        ("two x", "write 2 for two"),
        ("2X", "did you mean x?"),
    ],
)
def test_what_is_no_answer_has_a_diagnosis_of_its_own(tmp_path, answer, told):
    (found,) = grades(tmp_path, f"x^2;{answer}")
    assert found.status == "unreadable"
    assert told in (found.evidence or on_one_line(found.error))


def test_letters_of_the_problem_decline_nothing(tmp_path):
    (found,) = grades(tmp_path, "n^2/(2a) wrt n;n/a")
    assert found.status == "correct"


def test_a_solution_of_several_lines_is_judged_line_by_line(tmp_path):
    path = tmp_path / "set.csv"
    path.write_text(
        'problem,answer\nx^2 sin x,"y\' = 2x sin x + x^2 cos x\n= x(2 sin x + x sin x)"\n', "utf-8"
    )  # fmt: skip
    ((_, found),) = grade_rows(survey(path))
    assert found.status == "incorrect"
    assert found.evidence.startswith("line 2 is wrong: ")


def test_blank_answers_are_counted_apart(program, sheet):
    result = program(
        "check", "--file", sheet("problem,answer\nx,\nx,1\nx,(\n", "a.csv")
    )
    assert result.code == 2
    assert "1 of 3 correct, 1 cannot be read, 1 blank" in result.out


def test_columns_of_a_class_set_are_named_by_an_option(program, sheet):
    path = sheet("who,task,claim\nann,x,1\n", "a.csv")
    result = program("check", "--file", path, "--map", "student=who")
    assert "ann" in result.out
    assert program("check", "x", "1", "--map", "student=who").code == 2


def test_a_teacher_sees_students_questions_and_mistakes(program, sheet, tmp_path):
    text = (
        'student,problem,answer\nann,x^2,2x\n"b<b>",x^2,x\nann,sin(3x),cos(3x)\nann ,sin(5x),cos(5x)\n'
        "b<b>,sin(3x),\n"
    )
    path, page = sheet(text, "set.csv"), tmp_path / "out.html"
    result = program("check", "--file", path, "--report", str(page), "--format", "json")
    found = json.loads(result.out)
    assert found["students"]["ann"] == {
        "correct": 1, "total": 3, "percent": pytest.approx(100 / 3), "mistakes": {"inner derivative left out": 2},
    }  # fmt: skip
    assert found["questions"]["sin(3x)"]["total"] == 2
    assert found["mistakes"][0]["mistake"] == "inner derivative left out"
    assert found["mistakes"][0]["answer"] == "cos(3x)"
    html = page.read_text("utf-8")
    assert "1 of 5 correct" in html
    assert "b&lt;b&gt;" in html
    assert "<b>" not in html
    assert not re.search(r'(href|src)="(?!#)|url\(', html)
    assert "33 %" in html
    assert program("check", "--file", path, "--report", path).code == 2


def test_grades_may_be_written_as_lines_of_json(program, sheet, tmp_path):
    path = sheet(
        'student,problem,answer\nann,x^2,2x\nbob,x,"y\' = 2\n= 2"\n', "set.csv"
    )
    target = tmp_path / "out.jsonl"
    assert program("check", "--file", path, "-q", "--output", str(target)).code == 1
    one, two = map(json.loads, target.read_text("utf-8").splitlines())
    assert (one["cells"]["student"], one["status"]) == ("ann", "correct")
    assert (two["status"], two["first_wrong"]) == ("incorrect", 1)
