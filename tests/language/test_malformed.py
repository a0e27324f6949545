"""Malformed input: one file each, with the diagnostic that the command line prints for it.

`malformed/NAME.txt` holds the input (its last line break does not belong to it), `NAME.expected` the
diagnostic and the exit code. EXPRGRAD_UPDATE_GOLDEN=1 writes the latter; look at what it wrote.
"""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from exprgrad import ExprgradError, parse
from exprgrad.cli.hints import ON_COMMAND_LINE
from exprgrad.cli.start import run
from exprgrad.errors import worded
from exprgrad.views.diagnostic import describe
from tests.golden import compare

FOLDER = Path(__file__).resolve().parent / "malformed"
INPUTS = sorted(FOLDER.glob("*.txt"))
IDS = [path.stem for path in INPUTS]


def source_of(path: Path) -> str:
    return path.read_bytes().decode().removesuffix("\n")


def error_in(source: str) -> ExprgradError:
    with pytest.raises(ExprgradError) as caught:
        parse(source).evaluate({})
    return caught.value


@pytest.mark.parametrize("path", INPUTS, ids=IDS)
class TestMalformed:
    def test_command_line_prints_the_expected_diagnostic(
        self, path, capsys, monkeypatch
    ):
        typed = SimpleNamespace(buffer=io.BytesIO(source_of(path).encode()))
        monkeypatch.setattr("sys.stdin", typed)
        monkeypatch.setenv("COLUMNS", "80")
        code = run(["eval", "-"])
        printed = capsys.readouterr()
        assert printed.out == ""
        compare(path.with_suffix(".expected"), f"{printed.err}exit code {code}\n")

    def test_view_describes_the_error_as_it_is_printed(self, path):
        error = error_in(source_of(path))
        error.hint = worded(error.hint, ON_COMMAND_LINE)
        text = "".join(f"{line}\n" for line in describe(error))
        expected = path.with_suffix(".expected").read_bytes().decode()
        assert expected == f"{text}exit code {error.exit_code}\n"

    def test_error_is_one_of_usage_or_of_the_domain(self, path):
        assert error_in(source_of(path)).exit_code in (2, 3)

    def test_span_is_inside_the_text(self, path):
        error = error_in(source_of(path))
        assert error.source == source_of(path)
        if error.span is not None:
            start, end = error.span
            assert 0 <= start <= end <= len(error.source)

    def test_source_line_that_is_shown_has_something_in_it_and_fits_the_width(
        self, path
    ):
        error = error_in(source_of(path))
        lines = list(describe(error))[1:]
        if error.hint:
            assert lines.pop() == f"  hint: {error.hint}"
        if lines:
            shown, carets = lines
            assert shown.strip()
            assert set(carets) <= {" ", "^"}
            assert carets.endswith("^")
            assert max(len(shown), len(carets)) <= 80

    def test_message_quotes_nothing_empty(self, path):
        error = error_in(source_of(path))
        assert "''" not in f"{error.message} {error.hint}"
        assert '""' not in f"{error.message} {error.hint}"


def test_every_input_has_an_expected_diagnostic_and_every_diagnostic_its_input():
    assert {p.stem for p in FOLDER.glob("*.expected")} == set(IDS)
    assert len(INPUTS) >= 45


def test_no_two_inputs_are_the_same():
    assert len({path.read_bytes() for path in INPUTS}) == len(INPUTS)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("1,5", "1.5"),
        ("2 3", "2*3"),
        ("sin -x", "sin(-x)"),
        ("x = 2", "=="),
        ("a<b<c", "and"),
        ("x!", "gamma(x+1)"),
        ("(1+2", "add ')'"),
        ("[1+2)", "']'"),
        ("|x", "abs"),
        ("|x|y|x|", "abs(...)"),
        ("sin", "sin(x)"),
        ("atan2(x)", "atan2(y, x)"),
        ("xln(x)", "x*ln("),
        ("ln^-1(x)", "1/ln(...)"),
        ("piecewise(x<0, 1, x<1, 2)", "otherwise"),
        ("piecewise(x<0, 1)", "otherwise"),
        ("log_2", "log_2(x)"),
        ("sin^2", "(x)"),
        ("ln sin x", "ln(sin"),
        ("√-x", "(-x)"),
    ],
)
def test_hint_says_what_to_type(text, fix):
    assert fix in error_in(text).hint
