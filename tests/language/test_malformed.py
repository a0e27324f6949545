"""Malformed input, with the diagnostic that the command line prints for it: all cases are in `malformed.txt`.

A case is its name behind ==, the lines of the input behind <, and the lines of the diagnostic and the exit code behind >.
Characters that cannot be seen are written as \\u{9}. EXPRGRAD_UPDATE_GOLDEN=1 writes the diagnostics anew (without -n);
look at what it wrote.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from exprgrad import ExprgradError, parse
from exprgrad.cli.start import run
from exprgrad.commands.hints import ON_COMMAND_LINE
from exprgrad.errors import worded
from exprgrad.views.diagnostic import describe

FILE = Path(__file__).resolve().parent / "malformed.txt"


def written(case: str, source: str, expected: str) -> str:
    """A case as it is in the file."""
    lines = [f"== {case}"]
    lines += [f"< {line}" for line in source.split("\n")]
    lines += [f"> {line}" for line in expected.removesuffix("\n").split("\n")]
    return "".join(f"{_visible(line.rstrip(' '), line)}\n" for line in lines)


def _visible(line: str, whole: str) -> str:
    """A line with escapes for what is not printable, and for a blank at its end."""
    shown = "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in line)
    return shown + "\\u{20}" * (len(whole) - len(line))


def read(text: str) -> dict[str, tuple[str, str]]:
    """The input and the diagnostic of each case."""
    cases = {}
    for block in re.split("^== ", text, flags=re.MULTILINE)[1:]:
        name, *lines = block.splitlines()
        plain = [
            re.sub(r"\\u\{(\w+)\}", lambda found: chr(int(found[1], 16)), line)
            for line in lines
        ]
        source = "\n".join(line[2:] for line in plain if line.startswith("<"))
        assert name not in cases
        cases[name] = (
            source,
            "".join(f"{line[2:]}\n" for line in plain if line.startswith(">")),
        )
    return cases


CASES = read(FILE.read_bytes().decode()) if FILE.exists() else {}


def error_in(source: str, lenient: bool = False) -> ExprgradError:
    with pytest.raises(ExprgradError) as caught:
        parse(source, lenient=lenient).evaluate({})
    return caught.value


@pytest.mark.parametrize("name", CASES)
class TestMalformed:
    def test_command_line_prints_the_expected_diagnostic(
        self, name, capsys, monkeypatch
    ):
        typed = SimpleNamespace(buffer=io.BytesIO(CASES[name][0].encode()))
        monkeypatch.setattr("sys.stdin", typed)
        monkeypatch.setenv("COLUMNS", "80")
        code = run(["eval", "-"])
        printed = capsys.readouterr()
        assert printed.out == ""
        text = f"{printed.err}exit code {code}\n"
        if os.environ.get("EXPRGRAD_UPDATE_GOLDEN") == "1":
            source, before = CASES[name]
            old, new = written(name, source, before), written(name, source, text)
            CASES[name] = source, text
            FILE.write_bytes(FILE.read_bytes().replace(old.encode(), new.encode()))
        assert text == CASES[name][1]

    def test_view_describes_the_error_as_it_is_printed(self, name):
        error = error_in(CASES[name][0], lenient=True)
        error.hint = worded(error.hint, ON_COMMAND_LINE)
        text = "".join(f"{line}\n" for line in describe(error))
        assert CASES[name][1] == f"{text}exit code {error.exit_code}\n"


@pytest.fixture(scope="module")
def errors() -> dict[str, ExprgradError]:
    """What is raised in Python for each case."""
    return {name: error_in(source) for name, (source, _) in CASES.items()}


def test_errors_are_of_usage_or_of_the_domain(errors):
    codes = {name: error.exit_code for name, error in errors.items()}
    assert {name: code for name, code in codes.items() if code not in (2, 3)} == {}


def test_spans_are_inside_the_text(errors):
    for name, error in errors.items():
        assert error.source == CASES[name][0]
        if error.span is not None:
            start, end = error.span
            assert 0 <= start <= end <= len(error.source), name


def test_source_lines_that_are_shown_have_something_in_them_and_fit_the_width(errors):
    for name, error in errors.items():
        lines = list(describe(error))[1:]
        if error.hint:
            assert lines.pop() == f"  hint: {error.hint}"
        if lines:
            shown, carets = lines
            assert shown.strip(), name
            assert set(carets) <= {" ", "^"}, name
            assert carets.endswith("^"), name
            assert max(len(shown), len(carets)) <= 80, name


def test_messages_quote_nothing_empty(errors):
    for name, error in errors.items():
        assert "''" not in f"{error.message} {error.hint}", name
        assert '""' not in f"{error.message} {error.hint}", name


def test_every_case_is_written_as_it_is_read():
    text = "".join(written(name, *case) for name, case in CASES.items())
    assert text.encode() == FILE.read_bytes()
    assert len(CASES) >= 45


def test_no_two_inputs_are_the_same():
    assert len({source for source, _ in CASES.values()}) == len(CASES)


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
