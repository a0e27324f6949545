"""Class sets as CSV: layouts, malformed rows, cells that spreadsheets would run, whole files."""

from __future__ import annotations

import csv
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad import ExprgradError, parse
from exprgrad.grading.class_set import (
    GradedFile,
    Layout,
    Submission,
    added,
    looks_like_table,
    rows,
    safe,
    survey,
)

DANGEROUS = "=+-@\t\r\n＝＋－＠"


def file_of(folder: Path, text: str | bytes, name: str = "set.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(folder: Path, text: str | bytes) -> tuple[Layout, list[Submission]]:
    layout = survey(file_of(folder, text))
    return layout, list(rows(layout))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_any_common_layout_is_read(tmp_path, delimiter, newline, start, quote):
    lines = (["Answer", " PROBLEM ", "Student"], ["2x", "x^2", "Zoë"])
    text = "".join(
        delimiter.join(f"{quote}{cell}{quote}" for cell in line) + newline
        for line in lines
    )
    layout, found = read(tmp_path, start + text)
    assert layout.columns == {"problem": 1, "answer": 0, "student": 2}
    assert (layout.delimiter, layout.newline) == (delimiter, newline)
    assert (layout.encoding != "utf-8") == bool(start)
    assert layout.rows == 1
    assert found == [Submission(2, ["2x", "x^2", "Zoë"])]


def test_quoted_cells_may_hold_separators_quotes_and_line_breaks(tmp_path):
    text = 'problem,answer,note\n"atan2(y, x)","say ""x""","two\nlines"\nx,1,\n'
    _, found = read(tmp_path, text)
    assert found[0].cells == ["atan2(y, x)", 'say "x"', "two\nlines"]
    assert [row.number for row in found] == [2, 3]


def test_blank_rows_are_left_out_and_counted(tmp_path):
    layout, found = read(tmp_path, "problem,answer\n\nx,1\n,\nx^2,2x\n\n")
    assert [row.number for row in found] == [3, 5]
    assert layout.rows == 2


def test_row_with_too_few_or_too_many_cells_is_reported_and_loses_nothing(tmp_path):
    _, found = read(tmp_path, "student,problem,answer\nann,x\nbob,atan2(y,x),1\n")
    assert found[0] == Submission(
        2, ["ann", "x", ""], "the row has 2 cells, the header has 3"
    )
    assert found[1].cells == ["bob", "atan2(y", "x),1"]
    assert found[1].fault is not None
    assert "between quotation marks" in found[1].fault


def test_an_over_long_cell_keeps_the_others_of_its_row(tmp_path):
    text = f"student,problem,answer\nann,x,{'1' * 200_000}\nbob,x,1\n"
    _, found = read(tmp_path, text)
    assert found[0] == Submission(2, ["ann", "x", "1" * 200_000])
    assert found[1] == Submission(3, ["bob", "x", "1"])


OPEN = [
    ('ann,x^2,"2x\n', ["ann", "x^2", "2x"]),
    ('ann,"x^2,2x\n', ["ann", "x^2", "2x"]),
    ('"ann,x^2,2x\n', ["ann", "x^2", "2x"]),
    ('ann,x^2,"2x""\n', ["ann", "x^2", '2x"']),
    ('ann,x^2,"2x\n\n', ["ann", "x^2", "2x"]),
]
AFTER = [
    ["bob", "x^3", "3x^2"],
    ["cy", "x*y, y", "y"],
    ["di", "x", "two\nlines"],
    ["eve", "x", ""],
]


@pytest.mark.parametrize(("line", "cells"), OPEN)
def test_a_quote_that_is_left_open_takes_no_other_row_with_it(tmp_path, line, cells):
    after = 'bob,x^3,3x^2\ncy,"x*y, y",y\ndi,x,"two\nlines"\neve,x,""\n'
    _, found = read(tmp_path, f"student,problem,answer\n{line}{after}")
    assert [row.cells for row in found] == [cells, *AFTER]
    assert [row.fault for row in found] == [None] * 5


def test_a_row_without_its_last_cells_is_read_if_problem_and_answer_are_there(tmp_path):
    _, found = read(tmp_path, "problem,answer,note,mail\nx,1\nx^2,2x,fine\nx^3\n")
    assert found[0] == Submission(2, ["x", "1", "", ""])
    assert found[1] == Submission(3, ["x^2", "2x", "fine", ""])
    assert "1 cell" in found[2].fault


def test_a_cell_of_several_lines_may_stand_in_a_row_without_its_last_cells(tmp_path):
    text = 'name,problem,answer,note\nann,x^2,"2x\n= 2*x"\nbob,x,"1\ncy,x,1\n'
    _, found = read(tmp_path, text)
    assert [row.cells[0] for row in found] == ["ann", "bob", "cy"]
    assert found[0].cells[2] == "2x\n= 2*x"


ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_any_encoding_of_a_spreadsheet_is_read_and_written_for_one(tmp_path, encoding):
    text = "sep=;\r\nNaam;Problem;Answer\r\nZoë;x²;2x\r\n"
    layout, found = read(tmp_path, text.encode(encoding))
    assert found == [Submission(3, ["Zoë", "x²", "2x"])]
    assert (layout.delimiter, layout.columns["student"]) == (";", 0)
    with GradedFile(tmp_path / "out.csv", layout, ("status",)) as out:
        out.write([*found[0].cells, "correct"])
    again = survey(tmp_path / "out.csv")
    assert [row.cells for row in rows(again)] == [["Zoë", "x²", "2x", "correct"]]
    assert (again.encoding == "utf-8") is (encoding == "utf-8")
    assert again.before == ("sep=;\r\n",)


@pytest.mark.parametrize("name", ["Name", "Naam", "E-Mail", "Student  Name", "student"])
def test_the_students_may_stand_below_other_names(tmp_path, name):
    layout, _ = read(tmp_path, f"{name},problem,answer\nann,x,1\n")
    assert layout.columns["student"] == 0


def test_columns_may_be_given_their_meaning(tmp_path):
    path = file_of(tmp_path, "who,E-Mail,f (x),claim\nann,a@b,x,1\n")
    layout = survey(path, {"student": "who", "problem": "f (x)"})
    assert layout.columns == {"problem": 2, "answer": 3, "student": 0}
    for wrong, message in (({"student": "whom"}, "no column whom"), ({"pupil": "who"}, "no column for pupil")):  # fmt: skip
        with pytest.raises(ExprgradError, match=message):
            survey(path, wrong)


def test_titles_above_the_names_are_kept(tmp_path):
    layout, found = read(tmp_path, "Homework 3\n\nstudent,problem,answer\nann,x,1\n")
    assert layout.before == ("Homework 3\n", "\n")
    assert found == [Submission(4, ["ann", "x", "1"])]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (
            b"name,points\nann,3\n",
            "no column problem and no column answer; it has: name",
        ),
        (b"problem,points\nx,3\n", "no column answer; it has: problem, points"),
        (b"problem,answer,Problem\nx,1,x\n", "two columns problem"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not text in UTF-8"),
    ],
)
def test_file_that_is_not_a_class_set_is_one_error_with_a_hint(tmp_path, data, message):
    with pytest.raises(ExprgradError, match=r"set\.csv") as caught:
        survey(file_of(tmp_path, data))
    assert message in caught.value.message
    assert caught.value.hint


def test_missing_file_is_reported(tmp_path):
    for name in ("none.csv", "none.txt"):
        with pytest.raises(ExprgradError, match=r"cannot read .*: no such file"):
            (survey if name.endswith("csv") else looks_like_table)(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "table"),
    [
        ("a.csv", "", True),
        ("a.tsv", "", True),
        ("a.CSV", "", True),
        ("a.txt", "Answer;Problem\n2x;x^2\n", True),
        ("a.txt", "\ufeffproblem\tanswer\n", True),
        ("a.txt", "# problem, answer\nd/dx x = 1\n", False),
        ("a.txt", "d/dx x = 1\n", False),
        ("a", "", False),
    ],
)
def test_table_is_known_by_its_name_or_its_header(tmp_path, name, text, table):
    assert looks_like_table(file_of(tmp_path, text, name)) is table


# Cells that a spreadsheet would run


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        " =1+1",
        "\n=1+1",
        "\u00a0\t@SUM(1)",
        "=cmd|'/C calc'!A0",
        "-cmd|'/C calc'!A0",
        "+cmd|x!A1",
        "-cmd|5!|",
        "@SUM(A1:A9)",
        "+HYPERLINK(A1)",
        '-HYPERLINK("http://x.example")',
        "-WEBSERVICE(A1)",
        "-2+3 # |cmd",
        "-A1:B2",
        "\t=1+1",
        "\r=1+1",
        "\n=1",
        "＝1+1",
        "－x",
        "-",
        "+",
        "--",
    ],
)
def test_cell_that_could_be_run_gets_an_apostrophe(cell):
    assert safe(cell) == f"'{cell}"


@pytest.mark.parametrize(
    "cell",
    [
        "-sin x",
        "-2",
        "+5",
        "-k e^(-kt)",
        "-|x|",
        "-x^2 + 1",
        "-1/(x+1)^2",
        "- x",
        "-5!",
    ],
)
def test_answer_that_begins_with_a_sign_stays_as_it_is(cell):
    assert safe(cell) == cell


@pytest.mark.parametrize("cell", ["", "x", "2x", "sin x", "'", "a=b", "’-x"])
def test_other_cells_stay_as_they_are(cell):
    assert safe(cell) == cell


@given(st.text(max_size=20) | st.text("=+-@'|!x2(# \t\r", max_size=8))
def test_written_cell_begins_like_a_formula_only_if_it_is_mathematics(cell):
    written = safe(cell)
    if written.startswith(tuple(DANGEROUS)):
        assert parse(written)
        assert written[0] in "+-"
    assert written in (cell, f"'{cell}")


@given(
    st.lists(
        st.text("=+-@'x2 \t,;\"é\n", max_size=6).filter(lambda c: c[:1] != "'"),
        min_size=1,
        max_size=3,
    )
)
def test_what_is_written_is_read_back_as_it_was(tmp_path_factory, cells):
    folder = tmp_path_factory.mktemp("round")
    layout = survey(file_of(folder, "problem,answer,a,b,c\nx,1,,,\n"))
    target = folder / "out.csv"
    with GradedFile(target, layout, ()) as writer:
        writer.write(["x", "1", *cells, *[""] * (3 - len(cells))])
    [found] = rows(survey(target))
    assert found.cells[2 : 2 + len(cells)] == cells


# Writing


def test_output_has_the_layout_of_the_input(tmp_path):
    source = file_of(tmp_path, "\ufeffproblem;answer\r\nx;1\r\n".encode())
    layout = survey(source)
    target = tmp_path / "out.csv"
    with GradedFile(target, layout, ["status"]) as writer:
        writer.write(["x", "1", "a;b"])
    written = target.read_bytes().decode()
    assert written == '\ufeffproblem;answer;status\r\nx;1;"a;b"\r\n'


def test_file_takes_its_place_only_when_it_is_whole(tmp_path):
    layout = survey(file_of(tmp_path, "problem,answer\nx,1\n"))
    target = file_of(tmp_path, "what stood here before", "out.csv")
    with GradedFile(target, layout, ()) as writer:
        writer.write(["x", "1"])
        assert target.read_text() == "what stood here before"
        assert writer.partial.read_text() == "problem,answer\nx,1\n"
    assert target.read_text() == "problem,answer\nx,1\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.csv", "set.csv"]


def test_what_was_written_stays_beside_the_file_when_it_is_left_early(tmp_path):
    layout = survey(file_of(tmp_path, "problem,answer\nx,1\n"))
    target = tmp_path / "out.csv"
    with suppress(KeyboardInterrupt), GradedFile(target, layout, ()) as writer:
        writer.write(["x", "1"])
        raise KeyboardInterrupt
    assert not target.exists()
    assert (tmp_path / "out.csv.partial").read_text() == "problem,answer\nx,1\n"


def test_output_that_cannot_be_is_refused_before_anything_is_graded(tmp_path):
    source = file_of(tmp_path, "problem,answer\nx,1\n")
    layout = survey(source)
    (tmp_path / "link.csv").symlink_to(source)
    for target, message in (
        (source, "replace the input"),
        (tmp_path / "link.csv", "replace the input"),
        (tmp_path, "is a folder"),
        (tmp_path / "none" / "out.csv", "cannot write"),
    ):
        with (
            pytest.raises(ExprgradError, match=message),
            GradedFile(target, layout, ()),
        ):
            raise AssertionError("it was opened")
    assert source.read_text() == "problem,answer\nx,1\n"


def test_added_column_gets_a_free_name():
    assert added(["Status", "status 2", "x"], ["status", "mistake"]) == [
        "status 3",
        "mistake",
    ]


def test_header_is_made_safe_too(tmp_path):
    layout = survey(file_of(tmp_path, "problem,answer,=1+1\nx,1,2\n"))
    target = tmp_path / "out.csv"
    with GradedFile(target, layout, ()):
        pass
    with target.open(newline="") as file:
        assert next(csv.reader(file)) == ["problem", "answer", "'=1+1"]


def test_separators_at_the_end_of_a_row_are_not_cells(tmp_path):
    text = "student,problem,answer\nann,x^2,2x,,\nbob,x^2,2x,5,\n"
    ann, bob = read(tmp_path, text)[1]
    assert ann == Submission(2, ["ann", "x^2", "2x"])
    assert bob.fault is not None
