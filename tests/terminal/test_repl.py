"""`exprgrad repl` from a pipe and `exprgrad run`: output, errors with their lines, exit codes, garbage."""

from __future__ import annotations

import io
import os
import random
from types import SimpleNamespace

import pytest

from exprgrad.cli.start import run
from exprgrad.operations.operation import function_names
from exprgrad.session.commands import every
from tests.cli.test_cli import Result, process

FUZZ_LINES = int(os.environ.get("EXPRGRAD_FUZZ_LINES", "2000"))
"""Random lines that are fed to a session; 100,000 take about two minutes."""


@pytest.fixture
def piped(capsys, monkeypatch):
    """A session that reads from a pipe."""

    def runs(text: str | bytes, *argv: str) -> Result:
        data = text.encode() if isinstance(text, str) else text
        stdin = SimpleNamespace(buffer=io.BytesIO(data), isatty=lambda: False)
        monkeypatch.setattr("sys.stdin", stdin)
        code = run(list(argv))
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return runs


@pytest.mark.parametrize("argv", [(), ("repl",)])
def test_a_session_reads_from_a_pipe(piped, argv):
    found = piped("a = 2\n(a +\n1)^2; \n\na^2\n", *argv)
    assert found.code == 0
    assert found.out.splitlines() == ["a = 2", "a^2 = 4", "f'(2) = 4"]
    assert found.err == ""


def test_a_piped_session_reports_an_error_and_goes_on(piped):
    found = piped("1/0\n2 +\n1 + 1\n:quit\n5\n")
    assert found.code == 3
    assert found.out == "1 + 1 = 2\n"
    assert found.err.count("error:") == 2


def test_a_wrong_claim_is_told_also_before_a_semicolon_and_the_line_goes_on(piped):
    found = piped("d/dx x^2 = 3x; a = 2; 3a\n")
    assert found.code == 1
    assert "✗ 3x is not the derivative of x^2" in found.out
    assert found.out.endswith("3a = 6\nf'(2) = 3\n")
    assert piped("d/dx x^2 = 2x; 1 + 1").out == "1 + 1 = 2\n"


def test_the_last_line_needs_no_line_break(piped):
    assert piped("1 + 1").out == "1 + 1 = 2\n"
    assert piped("(1 + 1").code == 2


def test_a_walk_goes_on_with_empty_lines(piped):
    found = piped(":walk 2*x at x=3\n\n\n")
    assert [
        line[:11] for line in found.out.splitlines() if line.startswith("step")
    ] == [
        "step 1 of 5",
        "step 2 of 5",
        "step 3 of 5",
    ]


def test_the_session_reports_bytes_that_are_not_text_and_goes_on(piped):
    found = piped(b"\xff\xfe\n1 + 1\n")
    assert (found.code, found.out) == (2, "1 + 1 = 2\n")
    assert "not text in UTF-8" in found.err


# Scripts


SCRIPT = (
    "a = 2; b = 3\n\na*b\n1/(a - 2)  # undefined\nc = (a +\n  b))\n:nothing\na + b\n"
)


def test_a_script_stops_at_the_first_error_and_says_where(piped, tmp_path):
    file = tmp_path / "work.eg"
    file.write_text(SCRIPT, encoding="utf-8")
    found = piped("", "run", str(file))
    assert found.code == 3
    assert "a*b = 6" in found.out
    assert found.err.splitlines() == [
        f"error: {file}:4: a quotient needs a divisor other than 0; here a - 2 is 0",
        "  line 4: 1/(a - 2)  # undefined",
        "          ^^^^^^^^^",
    ]


def test_a_script_that_keeps_going_runs_to_its_end(piped):
    found = piped(SCRIPT, "run", "-", "--keep-going")
    assert found.code == 3
    assert "a + b = 5" in found.out
    places = [line.split()[2] for line in found.err.splitlines() if "error:" in line]
    assert places == ["input:4:", "input:5:", "input:7:"]
    assert "line 6:   b))" in found.err


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1 + 1", 0),
        ("", 0),
        ("# nothing", 0),
        ("1 +", 2),
        ("1/0", 3),
        ("|x| at x=0", 3),
        (":check x^2, 2x", 0),
        (":check x^2, x", 1),
        (":quit\n1/0", 0),
    ],
)
def test_exit_codes_of_scripts(piped, text, code):
    assert piped(text, "run", "-").code == code


def test_a_script_that_is_not_there_is_an_error(piped):
    assert piped("", "run", "nowhere.eg").code == 2
    assert piped("", "run").code == 2


def test_a_session_in_a_process_of_its_own():
    found = process(stdin=b"f(x) = x^2\nf'(3)\n")
    assert found == Result(0, "f(x) = x^2\nf'(3) = 6\n", "")


# Garbage


_COMMANDS = [
    f":{c.name}" for c in every() if c.completes != "files" and c.name != "quit"
]
_HEADS = ["", "", "a =", "b =", "f(x) =", "g(x, y) =", "* ", "^ ", "grad ", *_COMMANDS]
_OPERANDS = (
    "a b c x y f g f(2) f(x) g(x,y) g(1,2) f'(3) f''(x) ∂g/∂x ∂g/∂y(1,2) dg/dx da/dx ans _ 1 2 0.5 3 1/3 "
    "sin(x) ln(a) sqrt(b) |x| e π (a+b) (x-1) if(x>0,x,1) max(a,b) x² d/dx(x^2) diff(f(x),x) tanh b/0"
).split()
_OPERATORS = "+ - * / ^ * + - == < and".split()
_ENDS = ["", "", "", " at x=2", " at x=2,y=3", " wrt x", ";", " # so"]
_WORDS = (
    "f( g( ) ) ( , = == ; # ' ? ! | ∂/∂y d/dx at at wrt √ ² not if( e ∇ 1e9 9^9^9 .. : \\ \t é \0"
).split(" ")


def soup(rng: random.Random) -> bytes:
    """A line: of bytes, of words in any order, or of operands and operators in turn."""
    kind = rng.random()
    if kind < 0.2:
        return bytes(rng.choices(range(256), k=rng.randrange(30))).replace(b"\n", b"")
    words = [rng.choice(_HEADS)]
    if kind < 0.5:
        every = [
            *_OPERANDS,
            *_OPERATORS,
            *_WORDS,
            *rng.sample(sorted(function_names()), 3),
        ]
        words += rng.choices(every, k=rng.randrange(9))
    else:
        for _ in range(rng.randrange(1, 5)):
            words += [rng.choice(_OPERANDS), rng.choice(_OPERATORS)]
        words[-1] = rng.choice(_ENDS)
    return " ".join(words).encode()


@pytest.mark.slow
def test_random_lines_give_results_and_diagnostics_only(piped, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(20261120)
    for _ in range(max(1, FUZZ_LINES // 500)):
        lines = [soup(rng) for _ in range(min(500, FUZZ_LINES))]
        found = piped(b"\n".join(lines))
        assert found.code in (0, 2, 3)
        assert "Traceback" not in found.err
        assert list(tmp_path.iterdir()) == []
