"""`exprgrad audit`: what is printed, the formats for programs, and the exit codes."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.grading.test_audit import NOTES


@pytest.mark.slow
def test_report_has_places_verdicts_and_a_summary(run, tmp_path):
    path = tmp_path / "notes.tex"
    path.write_text(NOTES)
    result = run("audit", str(path))
    assert result.code == 1
    assert f"{path}:7:12: ✗ wrong" in result.out
    assert result.out.endswith("4 claims: 1 right, 1 wrong, 1 undecided, 1 not read\n")


@pytest.mark.slow
def test_formats_for_programs(run, tmp_path):
    path = tmp_path / "notes.tex"
    path.write_text(NOTES)
    fields = json.loads(run("audit", str(path), "--format", "json").out)
    assert (fields["right"], fields["wrong"], fields["not_read"]) == (1, 1, 1)
    assert fields["claims"][0]["first_wrong"]["line"] == 7
    suite = ET.fromstring(run("audit", str(path), "--format", "junit").out)
    assert (suite.get("tests"), suite.get("failures")) == ("4", "1")
    sarif = json.loads(run("audit", str(path), "--format", "sarif").out)
    results = sarif["runs"][0]["results"]
    assert [r["level"] for r in results] == ["error", "note", "warning"]
    region = results[0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 7, "startColumn": 12}
    lines = run("audit", str(path), "--format", "github").out.splitlines()
    levels = [line.partition(" ")[0] for line in lines]
    assert levels == ["::error", "::notice", "::warning"]
    assert lines[0].startswith(f"::error file={path},line=7,col=12::")


def test_names_of_files_do_not_end_a_field_of_an_annotation(run, tmp_path):
    path = tmp_path / "a,b:100%.tex"
    path.write_text(NOTES)
    first = run("audit", str(path), "--format", "github").out.splitlines()[0]
    assert first.startswith(f"::error file={tmp_path}/a%2Cb%3A100%25.tex,line=7,")


@pytest.mark.slow
def test_names_of_files_are_uris_in_sarif(run, tmp_path):
    path = tmp_path / "my 1 % é.tex"
    path.write_text(NOTES)
    sarif = json.loads(run("audit", str(path), "--format", "sarif").out)
    place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    uri = place["artifactLocation"]["uri"]
    assert uri == f"{tmp_path.as_posix()}/my%201%20%25%20%C3%A9.tex"


@pytest.mark.parametrize(("text", "code"), [("$x$", 0), (r"$\frac{d}{dx}|x| = 1$", 3)])
def test_code_says_whether_anything_is_wrong(run, tmp_path, text, code):
    path = tmp_path / "a.tex"
    path.write_text(text)
    assert run("audit", str(path)).code == code


@pytest.mark.slow
def test_several_documents_are_audited_together(run, tmp_path):
    names = []
    for k, text in enumerate((r"$\frac{d}{dx} x^2 = 2x$", r"$\frac{d}{dx} x^2 = 3x$")):
        names.append(str(tmp_path / f"{k}.tex"))
        Path(names[-1]).write_text(text)
    found = run("audit", *names)
    assert found.code == 1
    assert [
        line.split(":")[0] for line in found.out.splitlines() if "right" in line
    ] == [names[0], "2 claims"]
    fields = json.loads(run("audit", *names, "--format", "json").out)
    assert (fields["right"], fields["wrong"]) == (1, 1)
    assert [each["file"] for each in fields["documents"]] == names
    [suites] = [ET.fromstring(run("audit", *names, "--format", "junit").out)]
    assert [suite.get("name") for suite in suites] == names
    [line] = run("audit", *names, "--format", "github").out.splitlines()
    assert line.startswith(f"::error file={names[1]}")


def test_a_document_that_cannot_be_read_does_not_keep_others_from_being_audited(
    run, tmp_path
):
    path = tmp_path / "a.tex"
    path.write_text(r"$\frac{d}{dx} x^2 = 2x$")
    found = run("audit", str(tmp_path / "none.tex"), str(path))
    assert found.code == 2
    assert "1 right" in found.out
    assert "none.tex: no such file" in found.err
