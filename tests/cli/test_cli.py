"""The command line: what it prints and where, exit codes, and what surrounds a program.

Most tests run the program in this process; those that need a real process start one.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

import exprgrad
from exprgrad.cli.start import run
from exprgrad.commands.declared import COMMANDS
from tests.golden import HERE, compare
from tests.programs import running

BAYDIN = 'eval "ln(x1)+x1*x2-sin(x2)" --at x1=2,x2=5'

GOLDEN = {
    "eval_table": 'eval "(a*b+c)^2" --at a=2,b=3,c=1',
    "eval_cancelled": 'eval "exp(x) - 1 - x - x^2/2 + y" --at x=0.0001,y=2 --trace reverse',
    "eval_notes": 'eval "1/2x sin^2 3x + xy" --at x=pi/4,y=1',
    "eval_without_variables": 'eval "2^10/4"',
    "eval_json": 'eval "1/2x + xy" --at x=3,y=0.1 --format json',
    "eval_csv": 'eval "x*y/3" --at x=3,y=0.1 --format csv',
    "eval_markdown": 'eval "|x|*y/3" --at x=3,y=0.1 --format markdown',
    "eval_wrt": 'eval "a*b^2*c" --at a=2,b=3,c=1 --wrt c,a',
    "grid_table": 'eval "x^2 y" --at x=0:2:5,y=pi/2',
    "grid_errors": 'eval "ln(x)*|y|" --at x=-1:1:3 --at y=0:1:2',
    "grid_csv": 'eval "ln(x)*y" --at x=-1:1:3,y=2 --wrt y,x --format csv',
    "grid_json": 'eval "1/x" --at x=0:4:2 --format json',
    "grid_markdown": 'eval "sin(x)" --at x=0:pi:3 --digits 4 --format markdown',
    "grid_cut": 'eval "x^2" --at x=0:1:1000 --rows 4',
    "trace_both": f"{BAYDIN} --trace",
    "trace_forward": f"{BAYDIN} --trace forward",
    "trace_reverse": f"{BAYDIN} --trace reverse --digits 4",
    "trace_json": 'eval "a*b+a" --at a=2,b=3 --trace --format json',
    "trace_cut": 'eval "x+x+x+x+x+x+x+x+x+x+x+x" --at x=1 --trace --rows 6',
    "trace_constants": 'eval "2" --trace',
    "corner": 'eval "x + max(x, 3x)" --at x=0',
    "corner_subgradient": 'eval "relu(x)" --at x=0 --subgradient',
    "corner_trace": 'eval "|x*y| + y" --at x=0,y=2 --trace',
    "corner_json": 'eval "|x|" --at x=0 --format json',
    "corner_csv": 'eval "|x| + y" --at x=0,y=1 --format csv',
    "corner_vertical": 'eval "sqrt(x)" --at x=0',
    "corner_jump": 'eval "floor(x)" --at x=2',
    "corner_many": 'eval "max(a,b,c,d,g,h,k)" --at a=1,b=1,c=1,d=1,g=1,h=1,k=1',
    "edge": 'eval "x^1.5" --at x=0',
    "domain": 'eval "ln(x-3)" --at x=2',
    "division_by_zero": 'eval "1/x" --at x=0',
    "overflow": 'eval "exp(x)" --at x=1000',
    "syntax": 'eval "2 + * x" --at x=1',
    "missing_values": 'eval "x*y" --at x=2',
    "unknown_variable": 'eval "alpha*x" --at alpa=2,x=3',
    "unknown_wrt": 'eval "alpha*x" --at alpha=2,x=3 --wrt alpa',
    "given_twice": 'eval "x" --at x=2 --at x=3',
    "constant_bound": 'eval "x + pi" --at x=2,pi=3',
    "value_is_no_number": 'eval "x" --at x=2y',
    "value_is_malformed": 'eval "x*y" --at x=1 --at "y=2,,"',
    "check_correct": 'check "x^2*sin(x)" "2x sin x + x^2 cos x"',
    "check_incorrect": 'check "sin(3x)" "cos(3x)"',
    "check_hint": 'check "sin(3x)" "cos(3x)" --hint',
    "check_solution": 'check "ln(x^2+1)" "2x/(x^2+1)" --solution',
    "check_one_side": 'check "x*|x|" "2x"',
    "check_undefined": 'check "x^2/2" "sqrt(x)^2"',
    "check_hole": 'check "x^2/2" "x^2/x"',
    "check_digits": 'check "x^2/6" "0.333x"',
    "check_reading": 'check "sqrt(x)" "1/2x^(1/2)"',
    "check_nowhere": 'check "sqrt(-1-x^2)" "1/x"',
    "check_partials": 'check "x^2 y" --claim x=2xy --claim y=2x',
    "check_at_point": 'check "x^3" 11 --at x=2',
    "check_order": 'check "sin(2x)" "-4sin(2x)" --order 2',
    "check_form": 'check "x^3" "x^2 + 2x^2" --form simplified',
    "check_json": 'check "ln(5x)" "1/5x" --format json',
    "check_variable_unclear": 'check "x*y" "y"',
    "check_claim_malformed": 'check "x^2" "2x +"',
    "check_nothing_claimed": 'check "x^2"',
    "check_joined_name": 'check "sinx" "cosx"',
    "check_joined_and_named": 'check "e^(kx)" "k e^(kx)" --wrt x',
    "check_asks_back": 'check "x^2" "d/dx x^2"',
    "check_strange_name": 'check "rate^2" "2rat"',
    "same_equal": 'same "sin(2x)" "2 sin x cos x"',
    "same_different": 'same "sqrt(x^2)" "x"',
    "same_json": 'same "1/2x" "x/2" --format json',
    "ops": "ops",
    "ops_tanh": "ops tanh",
    "ops_log": "ops log",
    "ops_json": "ops atan2 --format json",
    "ops_unknown": "ops gama",
}


class Result(NamedTuple):
    code: int
    out: str
    err: str


Program = Callable[..., Result]


@pytest.fixture
def program(capsys, monkeypatch) -> Program:
    """Run the program in this process, on a stream that is no terminal."""
    monkeypatch.setenv("COLUMNS", "80")

    def runs(*argv: str, stdin: bytes = b"") -> Result:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(stdin)))
        code = run(list(argv))
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return runs


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """A clean environment for a process, UTF-8 and 80 columns wide."""
    keep = ("PATH", "SYSTEMROOT", "VIRTUAL_ENV", "HOME", "TMPDIR", "PYTHONPATH")
    known = {name: os.environ[name] for name in keep if name in os.environ}
    return known | {"COLUMNS": "80", "PYTHONUTF8": "1"} | dict(more or {})


def process(
    *argv: str | bytes, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> Result:
    """Run the program in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "exprgrad", *argv],
        input=stdin,
        capture_output=True,
        env=environment(env),
        check=False,
        timeout=120,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


# What is printed


@pytest.mark.parametrize("name", GOLDEN)
def test_output_is_the_one_on_file(name, program):
    result = program(*shlex.split(GOLDEN[name]))
    parts = [f"$ exprgrad {GOLDEN[name]}\n", result.out]
    if result.err:
        parts.append(f"--- on standard error\n{result.err}")
    parts.append(f"--- exit code {result.code}\n")
    compare(HERE / f"{name}.txt", "".join(parts))


def test_every_file_belongs_to_a_command():
    assert {path.stem for path in HERE.glob("*.txt")} == set(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_no_file_holds_an_escape_code_or_a_number_that_is_none(name):
    text = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    assert "\x1b" not in text
    for word in ("nan", "NaN", "Infinity", "inf ", "Traceback"):
        assert word not in text


@pytest.mark.parametrize("name", [n for n in GOLDEN if not n.startswith("ops")])
def test_tables_fit_80_columns(name, program):
    result = program(*shlex.split(GOLDEN[name]))
    assert [line for line in result.out.splitlines() if len(line) > 80] == []


@pytest.mark.slow
def test_the_same_is_printed_by_a_process(program):
    argv = shlex.split(GOLDEN["eval_notes"])
    assert process(*argv) == program(*argv)


def test_results_go_to_standard_output_and_diagnostics_to_standard_error(program):
    fine = program("eval", "x", "--at", "x=1")
    assert (bool(fine.out), fine.err) == (True, "")
    wrong = program("eval", "x +", "--at", "x=1")
    assert (wrong.out, bool(wrong.err)) == ("", True)
    both = program("eval", "|x|", "--at", "x=0")
    assert "|x| = 0" in both.out
    assert "abs has a corner at x = 0" in both.err


# Exit codes


@pytest.mark.parametrize(
    ("code", "command"),
    [
        (0, 'eval "x^2" --at x=3'),
        (0, 'eval "|x|" --at x=0 --subgradient'),
        (0, 'eval "|x|" --at x=0 --wrt ""'),
        (0, 'eval "if(x > 0, ln(x), 0)" --at x=-1'),
        (0, "ops"),
        (0, "--version"),
        (0, "--help"),
        (0, "eval --help"),
        (0, "-h"),
        (2, "eval"),
        (2, 'eval "x" "y"'),
        (2, 'eval "x +"'),
        (2, 'eval "x"'),
        (2, 'eval "x" --at'),
        (2, 'eval "x" --at x=2 --nope'),
        (2, 'eval "x" --at x=2,y=3'),
        (2, 'eval "x" --at x=2 --digits 0'),
        (2, 'eval "x" --at x=2 --digits 1001'),
        (2, 'eval "x" --at x=2 --rows -1'),
        (2, 'eval "x" --at x=2 --format yaml'),
        (2, 'eval "x" --at x=2 --trace sideways'),
        (2, 'eval "x" --file nowhere.txt'),
        (2, "eval --file nowhere.txt"),
        (2, "ops nope"),
        (2, "nope"),
        (2, "--nope"),
        (3, 'eval "1/x" --at x=0'),
        (3, 'eval "x" --at x=1/0'),
        (3, 'eval "ln(-1)"'),
        (0, 'eval "exp(x)" --at x=1000'),
        (3, 'eval "|x|" --at x=0'),
        (3, 'eval "|x|" --at x=0 --format json'),
        (3, 'eval "sqrt(x)" --at x=0 --subgradient'),
    ],
)
def test_exit_code(code, command, program):
    assert program(*shlex.split(command)).code == code


@pytest.mark.parametrize(
    "command",
    ["nope", "--nope", "eval", 'eval "x" "y"', 'eval "x" --nope', 'eval "x" --at'],
)
def test_usage_error_is_one_diagnostic_with_a_hint(command, program):
    result = program(*shlex.split(command))
    assert result.code == 2
    assert result.out == ""
    first, last = result.err.splitlines()
    assert first.startswith("error: ")
    assert last.startswith("  hint: ")


def test_interrupt_while_reading_is_130(monkeypatch, capsys):
    def interrupted(*_: int) -> bytes:
        raise KeyboardInterrupt

    stdin = SimpleNamespace(buffer=SimpleNamespace(read=interrupted))
    monkeypatch.setattr("sys.stdin", stdin)
    assert run(["eval", "-"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("text", ["x^2\n", "x^2\n3x"])
def test_a_pipe_that_is_named_as_a_file_is_read_once(program, tmp_path, text):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for option in (["--file", str(pipe)], [f"--file={pipe}"]):
        writer = threading.Thread(target=pipe.write_text, args=(text,))
        writer.start()
        time.sleep(0.2)  # a pipe that nobody writes to is refused
        done = program("diff", *option)
        writer.join()
        assert done.out.splitlines() == ["d/dx = 2*x", "d/dx = 3"][: len(text.split())]


@pytest.mark.parametrize("command", ["eval --at x=2 --format json", "simplify"])
def test_a_file_behind_an_equals_sign_is_the_same_file(program, tmp_path, command):
    (tmp_path / "two.eg").write_text("x + x\n1/(x-2)\nx^3\n")
    file = str(tmp_path / "two.eg")
    behind, alone = (program(*command.split(), *own) for own in ([f"--file={file}"], ["--file", file]))  # fmt: skip
    assert behind == alone
    assert len(alone.out.splitlines()) == 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_interrupted_process_is_130_and_says_nothing(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with (
        running(
            [sys.executable, "-m", "exprgrad", "eval", "--file", str(pipe)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        ) as child,
        pipe.open("wb"),  # opens when the program does, which then waits for text
    ):
        time.sleep(0.3)  # a signal between opening and reading would wait for text, too
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
    assert (child.returncode, out, err) == (130, b"", b"")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")
@pytest.mark.parametrize("command", ["ops", 'eval "2+2"', "--version", "eval --help"])
def test_closed_pipe_ends_the_program_without_a_word(command):
    reading, writing = os.pipe()
    os.close(reading)
    with running(
        [sys.executable, "-m", "exprgrad", *shlex.split(command)],
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as child:
        os.close(writing)
        _, err = child.communicate(timeout=120)
    assert err == b""
    assert child.returncode in (1, 141)


# Where the expression comes from


def test_expression_from_standard_input(program):
    assert program("eval", "-", "--at", "x=3", stdin=b"x^2\n").out.startswith(
        "x^2 = 9\n"
    )


@pytest.mark.slow
def test_standard_input_of_a_process():
    assert process("eval", "-", "--at", "x=3", stdin=b"x^2\n").out.startswith(
        "x^2 = 9\n"
    )


def test_file_may_have_comments_and_line_breaks(program, tmp_path):
    file = tmp_path / "model.txt"
    text = "# a model\n  a*x^2   # with a square\n\n+ b*x\r\n+ c\n"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    result = program("eval", "--file", str(file), "--at", "a=1,b=2,c=3,x=2")
    assert result.code == 0
    data = json.loads(
        program(
            *("eval", "--file", str(file), "--at", "a=1,b=2,c=3,x=2"),
            *("--format", "json"),
        ).out
    )
    assert data["value"] == 11
    assert data["reading"] == "((a*(x^2)) + (b*x)) + c"


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("x^2\nx^3\n", ["2*x", "3*x^2"]),
        ("x^2\n+ x^3\n\nx", ["3*x^2 + 2*x", "1"]),
        ("x^2\n- 1\n-x^2", ["2*x", "-2*x"]),
        ("2*(x\n+1)\nx*\n3", ["2", "3"]),
        ("# two\nx # one\n# and\nx^2", ["1", "2*x"]),
    ],
)
def test_lines_are_statements_with_a_result_each(program, tmp_path, text, answers):
    file = tmp_path / "lines.txt"
    file.write_text(text, encoding="utf-8")
    for source in (["-"], ["--file", str(file)]):
        out = program("diff", *source, "--format", "json", stdin=text.encode()).out
        assert [
            json.loads(line)["derivatives"]["x"] for line in out.splitlines()
        ] == answers


def test_a_line_that_cannot_be_read_leaves_the_others_answered(program):
    result = program("eval", "-", "--at", "x=2", stdin=b"x^2\nx^^2\nx")
    assert (result.code, result.out) == (2, "x^2 = 4\nf'(2) = 4\nx = 2\nf'(2) = 1\n")
    assert "line 2: x^^2" in result.err


@pytest.mark.parametrize("command", ["eval --at x=2", "diff", "simplify"])
@pytest.mark.parametrize("text", ["x^2\nx^^2\nx", "-x^2\nx"])
def test_statements_have_the_same_answers_in_an_argument_and_in_a_pipe(
    program, command, text
):
    name, *options = command.split()
    for more in ([], ["--format", "json"]):
        typed = program(name, text, *options, *more)
        assert typed == program(name, "-", *options, *more, stdin=text.encode())
        assert typed.out.count("\n") > 1


def test_the_value_of_a_derivative_is_called_what_was_asked_for(program):
    assert program("eval", "f(x)=x^2; f'(3)").out.startswith(
        "f'(3) = 6\nd/dx of this = 2"
    )
    assert program("eval", "derivative of x^2 at x=3").out.startswith(
        "the derivative at x=3 is 6\n"
    )


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("f(x) = x^3; f'(2) + 1", "f'(2) + 1 = 13\n"),
        ("f(x) = x^3; f'(2)*f(2)", "f'(2)*f(2) = 96\n"),
        ("f(x) = x^3; 2f'(2)", "2f'(2) = 24\n"),
        ("f(x) = x^3; f' f", "f' f = 3*x^2*x^3\n"),
        ("f(x) = x^3; g(x) = x^2; f g'", "f g' = x^3*(2*x)\n"),
        ("y = x^3; y' y = 3x^5", "✓ equal wherever both are defined: y' y and 3x^5\n"),
        ("y = u^3; u = x^2 + 1; dy/du", "d/du = 3*u^2\n"),
        ("u = x^2 + 1; y = u^3; dy/du", "d/du = 3*u^2\n"),
        ("f(x) = x^3; f'(x^2)", "f'(x^2) = 3*(x^2)^2\nd/dx = 12*x^3\n"),
        ("h(x, y) = x^2 y; h_x(2, y)", "∂h/∂x(2, y) = 2*2*y\nd/dy = 4\n"),
        ("h(x, y) = x^2 y; ∂h/∂x(1, 2) + 1", "∂h/∂x(1, 2) + 1 = 5\n"),
        ("h(x, y) = x^2 y; h_x(2, y) = 4y", "✓ equal wherever both are defined: h_x(2, y) and 4y\n"),
        ("h(x, y) = x^2 y; h_x(u, v) = 3uv", "✗ different: h_x(u, v) and 3uv\n"),
    ],
)  # fmt: skip
def test_slopes_of_a_function_defined_before_are_part_of_expressions(
    program, text, answer
):
    assert program(text).out.startswith(answer)


def test_an_answer_in_slopes_of_the_same_function_is_compared_or_refused(program):
    assert program("f(x, y) = x^2 y; f_xy = f_yx").out.startswith("✓ equal")
    result = program("check", "f(x, y) = x^2 y; f_xy", "f_yx")
    assert (result.code, result.out) == (2, "")
    assert "an answer cannot ask for a derivative" in result.err


def test_slopes_of_a_function_defined_before_are_no_variables(program):
    out = program("h(x, y) = x^2 y; h_x + h_y").out
    assert out.startswith("∂h/∂x + ∂h/∂y = 2*x*y + x^2\n")
    assert out.endswith("∂/∂x = 2*y + 2*x\n∂/∂y = 2*x\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f(x) = x^2; 2f", "f is not called here"),
        ("z = x^2 + y^2; x = t^2; y = t^3; dz/dx", "dz/dx may hold what else z is made of, or not"),
        ("z = x^2 + y^2; x = t^2; y = t^3; dz/dx = 2x", "dz/dx may hold what else z is made of, or not"),
        ("y = u^2 + x; u = 3x; dy/du", "dy/du may hold what else y is made of, or not"),
    ],
)  # fmt: skip
def test_a_name_that_may_be_meant_otherwise_is_asked_about(program, text, message):
    result = program(text)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_a_formula_that_is_offered_is_a_whole_one(program):
    hint = program("h(x,y)=x^2 y+sin(y); k(u,v) = 2").err
    assert 'its derivatives: exprgrad "x^2 y+sin(y)"' in hint


def test_error_in_a_file_names_the_line(program, tmp_path):
    file = tmp_path / "model.txt"
    file.write_text("a*x^2\n+ b**x\n+ * c\n")
    result = program("eval", "--file", str(file))
    assert result.code == 2
    assert "  line 3: + * c\n            ^\n" in result.err


@pytest.mark.parametrize("data", [b"\xff\xfe\x00x", b"x \x80 y", bytes(range(256))])
def test_bytes_that_are_not_text_are_refused(program, tmp_path, data):
    file = tmp_path / "data.bin"
    file.write_bytes(data)
    for result in (
        program("eval", "-", stdin=data),
        program("eval", "--file", str(file)),
    ):
        assert result.code == 2
        assert result.out == ""
        assert "is not text in UTF-8: byte" in result.err
        assert "hint: " in result.err


@pytest.mark.slow
def test_argument_that_is_not_text_is_refused():
    result = process("eval", b"x + \xff\xfe", env={"PYTHONUTF8": "1"})
    assert result.code == 2
    assert result.err.startswith("error: ")
    assert "Traceback" not in result.err


def test_folder_is_not_accepted_as_a_file(program, tmp_path):
    result = program("eval", "--file", str(tmp_path))
    assert result.code == 2
    assert "cannot read" in result.err


@pytest.mark.parametrize(
    "text", ["-x^2", "-x", "- -x", "-(x+1)", "-2x", "-sin x", "- x", "-|x|", "−x"]
)
def test_expression_may_begin_with_a_minus_sign(program, text):
    result = program("eval", text, "--at", "x=3", "--format", "json")
    assert result.err == ""
    assert result.code == 0
    data = json.loads(result.out)
    assert data["expression"] == text
    assert data["value"] == exprgrad.parse(text)(x=3)


def test_expression_with_a_minus_sign_may_come_after_the_options(program):
    for argv in (["-x"], ["--", "-x"]):
        assert program("eval", "--at", "x=3", *argv).out.startswith("-x = -3\n")
    assert program("eval", "--at", "x=3", "--", "--x").out.startswith("--x = 3\n")
    assert program("--", "x^2").out == program("x^2").out
    assert program("--", "-x^2 + x").out == program("-x^2 + x").out


@pytest.mark.parametrize("where", ["before", "after"])
def test_trace_alone_means_both_sweeps_wherever_it_is_put(program, where):
    argv = ["--trace", "x^2"] if where == "before" else ["x^2", "--trace"]
    out = program("eval", "--at", "x=3", *argv).out
    assert "forward sweep" in out
    assert "reverse sweep" in out


# The point


@pytest.mark.parametrize(
    "options",
    [
        ["--at", "x=2,y=3"],
        ["--at", "x=2", "--at", "y=3"],
        ["--at=x=2,y=3"],
        ["--at", " x = 2 , y = 3 "],
        ["--at", "y=9/3,x=2!"],
        ["--at", "y=3", "--at", "x=√4"],
        ["--at", "x=2,\ny=3"],
    ],
)
def test_point_may_be_given_in_many_ways(program, options):
    data = json.loads(program("eval", "x*y", *options, "--format", "json").out)
    assert data["at"] == {"x": 2, "y": 3}
    assert data["value"] == 6


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("x=pi/4", 0.7853981633974483),
        ("x=-2^3", -8),
        ("x=2pi", 6.283185307179586),
        ("x=sin(pi/6)", 0.49999999999999994),
        ("x=1e-3", 0.001),
        ("x=(1,2)[0]", None),
        ("x=-8^(1/3)", -2),
        ("x=max(1, 2)", 2),
        ("x=5!", 120),
        ("x=.5", 0.5),
        ("x=−1", -1),
    ],
)
def test_value_may_be_an_expression(program, typed, value):
    result = program("eval", "x", "--at", typed, "--format", "json")
    if value is None:
        assert result.code == 2
    else:
        assert json.loads(result.out)["value"] == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("name", ["θ", "k_1", "k_spring", "Δx", "x1", "α_0", "λ"])
def test_names_may_be_greek_and_have_subscripts(program, name):
    result = program("eval", f"3*{name}*z", "--at", f"{name}=2,z=1", "--wrt", name)
    assert result.code == 0
    assert result.out.splitlines()[-1].split() == [name, "2", "3"]


def test_point_declares_names_so_that_letters_split(program):
    result = program("eval", "xe^y", "--at", "x=2,y=0", "--format", "json")
    data = json.loads(result.out)
    assert data["reading"] == "x*exp(y)"
    assert data["gradient"] == {"x": 1, "y": 2}
    assert data["notes"] == ["xe is read as x*e"]


def test_strict_refuses_to_split(program):
    result = program("eval", "xy", "--at", "x=2,y=3", "--strict")
    assert result.code == 2
    assert "has no variable x" in result.err


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("x=2,x=3", "x is given twice"),
        ("x=2,x=2", "x is given twice"),
        ("pi=3", "pi is a constant"),
        ("π=3", "π is a constant"),
        ("e=3", "e is a constant"),
        ("tau=3", "tau is a constant"),
        ("sin=3", "sin is a function"),
        ("ln=3", "ln is a function"),
        ("x=y", "the value of x must be a number"),
        ("x=2,zz=1", "no variable zz"),
        ("x", "'=' is missing here"),
        ("x=", "ends after '='"),
        ("x=2 3", "no operator between these two numbers"),
        ("x=1e400", "too large"),
        ("x=ln(0)", "ln needs an argument > 0"),
    ],
)
def test_binding_that_cannot_be_is_refused_with_its_place(program, typed, message):
    result = program("eval", "x", "--at", typed)
    assert result.code in (2, 3)
    assert message in result.err
    assert f"  --at {typed}\n" in result.err
    assert "^" in result.err


@pytest.mark.parametrize(
    "typed", ["", "   ", ",", "x=2,", "x=2,,", "=2", "x==2", "x=2;y=3"]
)
def test_malformed_binding_is_answered_with_how_bindings_are_written(program, typed):
    result = program("eval", "x", "--at", typed)
    assert result.code == 2
    assert "''" not in result.err
    assert "write *" not in result.err
    assert "compare" not in result.err
    assert "one expression" not in result.err
    assert "arguments of a function" not in result.err


def test_variables_named_like_functions_that_need_brackets_can_be_bound(program):
    result = program("eval", "beta*gamma", "--at", "beta=2,gamma=3")
    assert result.out.startswith("beta*gamma = 6\n")


# Options


def test_wrt_chooses_and_orders_the_partials(program):
    for options in (["--wrt", "c,a"], ["--wrt", "c", "--wrt", "a"], ["--wrt", "c a"]):
        argv = ["eval", "a*b*c", "--at", "a=2,b=3,c=4", *options, "--format", "json"]
        assert list(json.loads(program(*argv).out)["gradient"]) == ["c", "a"]


def test_wrt_declares_names_too(program):
    argv = ["eval", "xy", "--at", "x=2,y=3", "--wrt", "y", "--format", "json"]
    assert json.loads(program(*argv).out)["gradient"] == {"y": 2}


@pytest.mark.parametrize(
    ("digits", "shown"),
    [
        ("1", "0.3"),
        ("3", "0.333"),
        ("10", "0.3333333333"),
        ("17", "0.33333333333333333"),
    ],
)
def test_digits_are_significant_digits_of_tables(program, digits, shown):
    argv = ["eval", "x/3", "--at", "x=1", "--digits", digits]
    assert program(*argv).out.startswith(f"x/3 = {shown}\n")
    assert json.loads(program(*argv, "--format", "json").out)["value"] == 1 / 3


def test_whole_numbers_are_printed_as_such(program):
    out = program("eval", "x^2*10^6", "--at", "x=3").out
    assert out.startswith("x^2*10^6 = 9000000\n")
    assert ".0" not in out


def test_rows_cuts_a_trace_and_says_so(program):
    argv = ["eval", "x" + "+x" * 40, "--at", "x=1", "--trace", "forward"]
    cut = program(*argv, "--rows", "9").out
    assert "(32 of 41 rows left out: --rows 0 shows all)" in cut
    whole = program(*argv, "--rows", "0").out
    assert "left out" not in whole
    assert len(whole.splitlines()) - len(cut.splitlines()) == 30


def test_subgradient_takes_a_convention_at_a_corner(program):
    argv = ["eval", "|x| + relu(x)", "--at", "x=0", "--format", "json"]
    assert json.loads(program(*argv).out)["gradient"] == {"x": None}
    assert json.loads(program(*argv, "--subgradient").out)["gradient"] == {"x": 0}


# For programs


def test_fields_of_json(program):
    text = "1/2x + θ"
    data = json.loads(
        program("eval", text, "--at", "x=0.1,θ=3", "--format", "json").out
    )
    assert list(data) == [
        *("expression", "reading", "at", "value", "gradient", "notes"),
        *("error", "errors"),
    ]
    assert data["expression"] == text
    assert data["reading"] == "((1/2)*x) + θ"
    assert data["at"] == {"x": 0.1, "θ": 3}
    assert data["value"] == 3.05
    assert data["gradient"] == {"x": 0.5, "θ": 1}
    assert data["notes"] == ["1/2x is read as (1/2)*x"]


def test_json_with_a_trace_has_both_sweeps(program):
    argv = ["eval", "x^2", "--at", "x=3", "--format", "json", "--trace"]
    data = json.loads(program(*argv).out)
    assert list(data)[-1] == "trace"
    assert [step["value"] for step in data["trace"]["forward"]] == [3, 9]
    assert [step["contribution"] for step in data["trace"]["reverse"]] == [6]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("|x|", "x=0"),
        ("sqrt(x)", "x=0"),
        ("1/x", "x=1e-300"),
        ("floor(x)", "x=2"),
        ("if(x > 0, ln(x), 0)", "x=-1"),
        ("x*1e300*1e8", "x=1"),
        ("atan2(y, x)", "x=-1,y=0"),
    ],
)
def test_json_never_holds_a_number_that_is_none(program, text, at):
    result = program("eval", text, "--at", at, "--format", "json", "--trace")

    def refuse(name: str) -> None:
        pytest.fail(f"{name} is no JSON")

    if result.out:
        json.loads(result.out, parse_constant=refuse)
    assert "\x1b" not in result.out


def test_json_has_full_precision(program):
    argv = ["eval", "x*y", "--at", "x=0.1,y=0.2", "--format", "json", "--digits", "2"]
    assert json.loads(program(*argv).out)["value"] == 0.1 * 0.2


@pytest.mark.parametrize("seed", [[], ["--seed", "x=1"]])
def test_json_of_a_point_without_a_value_has_nulls_and_the_error_is_an_object(program, seed):  # fmt: skip
    result = program("eval", "1/x", "--at", "x=0", "--format", "json", *seed)
    found, error = json.loads(result.out), json.loads(result.err)
    assert (result.code, error["exit_code"]) == (3, 3)
    assert (found["value"], found["at"]) == (None, {"x": 0})
    assert found.get("gradient", {"x": None}) == {"x": None}
    assert error["source"][slice(*error["span"])] == "1/x"
    assert "0" in error["error"]


def test_a_syntax_error_in_json_is_an_object_and_there_is_no_result(program):
    result = program("eval", "2 +", "--format=json")
    error = json.loads(result.err)
    assert (result.code, result.out, error["exit_code"]) == (2, "", 2)
    assert error["hint"]


def test_several_errors_in_json_are_one_object(program):
    result = program("eval", "|x| + |y|", "--at", "x=0,y=0", "--format", "json")
    error = json.loads(result.err)
    assert "∂/∂x" in error["error"] or "∂/∂y" in error["error"]
    assert len(error["more"]) == 1
    assert json.loads(result.out)["gradient"] == {"x": None, "y": None}


def test_csv_can_be_read_back(program):
    out = program("eval", "x/3 + θ", "--at", "x=0.1,θ=3", "--format", "csv").out
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[0] == ["name", "value", "partial"]
    assert rows[1][0] == "result"
    assert float(rows[1][1]) == 0.1 / 3 + 3
    assert [row[0] for row in rows[2:]] == ["x", "θ"]
    assert [float(row[2]) for row in rows[2:]] == [1 / 3, 1]


def test_markdown_escapes_bars_and_keeps_code_on_one_line(program):
    out = program("eval", "|x|\n+ 1", "--at", "x=2", "--format", "markdown").out
    assert out.startswith("`|x| + 1` = 3\n\n| variable |")


@pytest.mark.slow
def test_ops_in_json_has_a_row_per_operation(program):
    rows = json.loads(program("ops", "--format", "json").out)["operations"]
    from exprgrad.operations.operation import TABLE

    assert len(rows) == len(TABLE)


@pytest.mark.parametrize("name", ["tanh", "arctan", "log", "if", "max", "factorial"])
def test_ops_knows_names_and_aliases(program, name):
    assert program("ops", name).code == 0


# Terminals, encodings, surroundings


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def on_a_terminal(monkeypatch, argv: list[str], **env: str) -> str:
    stream = Terminal()
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"TERM": "xterm-256color", "COLUMNS": "80"} | env).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", stream)
    assert run(argv) == 0
    return stream.getvalue()


EVERYDAY = ["eval", "1/2x", "--at", "x=3", "--trace"]


def test_terminal_gets_colour_and_otherwise_the_same_text(monkeypatch, program):
    import re

    coloured = on_a_terminal(monkeypatch, EVERYDAY)
    assert "\x1b[" in coloured
    words = re.sub(r"\x1b\[[0-9;]*m", "", coloured).split()
    monkeypatch.undo()
    monkeypatch.setenv("COLUMNS", "80")
    assert [w for w in words if set(w) != {"─"}] == [
        w for w in program(*EVERYDAY).out.split() if set(w) != {"─"}
    ]


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_terminal_that_wants_no_colour_gets_none(monkeypatch, env):
    assert "\x1b" not in on_a_terminal(monkeypatch, EVERYDAY, **env)


@pytest.mark.parametrize("format_", ["json", "csv", "markdown"])
def test_formats_for_programs_have_no_colour_even_on_a_terminal(monkeypatch, format_):
    argv = ["eval", "1/2x", "--at", "x=3", "--format", format_]
    assert "\x1b" not in on_a_terminal(monkeypatch, argv)


@pytest.mark.slow
def test_nothing_has_colour_when_piped():
    for env in ({"TERM": "xterm-256color"}, {"NO_COLOR": "1"}):
        result = process(*EVERYDAY, env=env)
        assert "\x1b" not in result.out + result.err
    result = process("eval", "x +", env={"TERM": "xterm-256color"})
    assert "\x1b" not in result.err


def test_narrow_terminal_leaves_columns_out_and_says_which(monkeypatch):
    out = on_a_terminal(
        monkeypatch,
        ["eval", "ln(x1)+x1*x2-sin(x2)", "--at", "x1=2,x2=5", "--trace"],
        COLUMNS="60",
        NO_COLOR="1",
    )
    assert "(left out to fit 60 columns: " in out
    rules = [line for line in out.splitlines() if line.startswith("─")]
    assert len(rules) == 3
    assert max(map(len, rules)) <= 60


@pytest.mark.slow
def test_stream_without_the_letters_gets_stand_ins():
    env = {"PYTHONIOENCODING": "ascii"}
    result = process("eval", "θ^2 + |x|", "--at", "θ=3,x=0", env=env)
    assert result.code == 3
    assert "---" in result.out
    assert "\\u03b8 " in result.out
    assert (result.out + result.err).isascii()


@pytest.mark.slow
def test_diagnostic_on_a_stream_without_the_letters_gets_stand_ins_too():
    ascii_ = {"PYTHONIOENCODING": "ascii"}
    result = process("eval", "|x|+y", "--at", "x=0,y=1", env=ascii_)
    assert result.err.startswith("error: d/dx does not exist at x = 0")


@pytest.mark.slow
def test_home_that_is_missing_does_not_matter(tmp_path):
    missing = {"HOME": str(tmp_path / "none"), "XDG_CONFIG_HOME": str(tmp_path / "no")}
    assert process("eval", "x", "--at", "x=1", env=missing).code == 0


@pytest.mark.slow
def test_read_only_home_does_not_matter(tmp_path):
    tmp_path.chmod(0o500)
    try:
        assert (
            process("eval", "x", "--at", "x=1", env={"HOME": str(tmp_path)}).code == 0
        )
    finally:
        tmp_path.chmod(0o700)
    assert list(tmp_path.iterdir()) == []


def test_version(program):
    assert program("--version").out == f"exprgrad {exprgrad.__version__}\n"


def test_version_is_that_of_the_distribution():
    from importlib.metadata import distribution

    installed = distribution("exprgrad")
    if '"editable": true' in (installed.read_text("direct_url.json") or ""):
        pytest.skip("an editable install keeps the version that it was made with")
    assert installed.version == exprgrad.__version__


def test_help_names_the_commands_and_an_example(program):
    out = program("--help").out
    assert "Usage: exprgrad" in out
    assert "eval" in out
    assert "ops" in out
    assert "(a*b+c)^2" in out


def test_help_of_eval_names_every_option(program):
    out = program("eval", "--help").out
    options = (
        "--at --wrt --file --trace --format --digits --rows --subgradient --strict"
    )
    assert [o for o in options.split() if o not in out] == []


@pytest.mark.slow
def test_no_arguments_open_a_session():
    assert process(stdin=b"1 + 1\n") == Result(0, "1 + 1 = 2\n", "")
    assert process() == Result(0, "", "")


def completions(*words: str) -> list[str]:
    result = process(
        env={
            "_EXPRGRAD_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(["exprgrad", *words]),
            "COMP_CWORD": str(len(words)),
        }
    )
    assert result.err == ""
    return result.out.split()


@pytest.mark.slow
def test_shell_completion_script_calls_the_program():
    result = process(env={"_EXPRGRAD_COMPLETE": "source_bash"})
    assert result.code == 0
    assert "complete -o default -F _exprgrad_completion exprgrad" in result.out


@pytest.mark.slow
def test_shell_completes_commands_options_and_choices():
    assert completions("ev") == ["eval"]
    assert completions("eval", "--sub") == ["--subgradient"]
    assert completions("eval", "x", "--format", "m") == ["markdown"]


@pytest.mark.slow
def test_the_help_on_file_is_what_typer_writes(monkeypatch, capsys):
    from exprgrad.cli import start
    from exprgrad.cli.app import command

    monkeypatch.setenv("COLUMNS", "80")
    assert command(["--help"]) == 0
    compare(Path(start.OVERVIEW), capsys.readouterr().out)
    for argv in (["--help"], ["-h"]):
        assert run(argv) == 0
        assert capsys.readouterr().out == Path(start.OVERVIEW).read_text(
            encoding="utf-8"
        )
    monkeypatch.setenv("COLUMNS", "40")
    assert run(["--help"]) == 0
    assert capsys.readouterr().out != Path(start.OVERVIEW).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_what_typer_writes(name, monkeypatch, capsys):
    from exprgrad.cli.app import command

    for columns in ("40", "80", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        assert command([name, "--help"]) == 0
        written = capsys.readouterr().out
        assert run([name, "-h"]) == 0
        assert capsys.readouterr().out == written


@pytest.mark.parametrize(
    ("argv", "message", "hint"),
    [
        (["eval", "x", "y"], "there are 2 arguments", 'exprgrad "x y"'),
        (["eval", "x", "--at"], "--at needs a value", "eval --help"),
        (["diff", "--orders", "2", "x"], "there is no option --orders", "did you mean --order?"),
        (["eval", "x", "--digits", "0"], "--digits is a whole number from 1 to 1000, not 0", ""),
        (["eval", "x", "--digits", "two"], "--digits is a whole number from 1 to 1000, not two", ""),
        (["eval", "x", "--format", "xml"], "--format is one of table, json", "not xml"),
        (["eval", "x", "--strict=yes"], "--strict is without a value, not yes", ""),
        (["same"], "the A is missing", "exprgrad same"),
        (["run"], "the FILE is missing", "exprgrad run"),
        (["plot", "t^2", "--q=0:1"], "no variable q is drawn", "one of: t"),
        (["--versoin"], "there is no option --versoin", "did you mean --version?"),
        (["evla", "x"], "there is no command evla", "did you mean eval?"),
        (["eval", "x", "--su"], "there is no option --su", "did you mean --subgradient?"),
        (["uncertainty", "x", "--mo"], "there is no option --mo", "did you mean --monte-carlo?"),
        (["maximize", "x^2"], "there is no command maximize", 'exprgrad critical "x^2"'),
        (["grad", "x^2"], "there is no command grad", 'exprgrad diff "x^2"'),
        (["tree", "x*y"], "there is no command tree", 'exprgrad graph "x*y"'),
        (["diff", "of", "sin", "x"], "there are 3 arguments", 'exprgrad "diff of sin x"'),
        (["tangent", "to", "x^2", "at", "x=1"], "there are 4 arguments", '"tangent to x^2 at x=1"'),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_refused_without_typer(argv, message, hint, capsys, monkeypatch):  # fmt: skip
    monkeypatch.setitem(sys.modules, "exprgrad.cli.app", None)
    assert run(argv) == 2
    said = capsys.readouterr().err
    assert message in said
    assert hint in said


def test_of_values_that_are_given_twice_the_last_counts(capsys):
    assert run(["eval", "1/3", "--digits", "3", "--digits=4"]) == 0
    assert capsys.readouterr().out == "1/3 = 0.3333\n"


@pytest.mark.parametrize("text", ["(x^2)'(3) + 1", "2(x^2)'(-1)", "d/dx(x^2)(3)"])
def test_a_number_in_brackets_behind_a_derivative_is_asked_about(run, text):
    for arguments in ((text,), ("eval", text), ("check", f"{text} = 7")):
        done = run(*arguments)
        assert done.code == 2
        assert "may be a factor, or the place of the derivative" in done.err


@pytest.mark.slow
def test_a_word_that_is_nearly_known_is_offered(run):
    assert 'did you mean: exprgrad "derive x^2"' in run("derivye x^2").err
    assert "did you mean" not in run("frobnicate x^2").err


@pytest.mark.parametrize("command", ["eval", "why"])
def test_the_paths_of_a_variable_need_its_derivative(program, command):
    point = ("x*y", "--at", "x=1,y=2", "--why", "y")
    done = program(command, *point, "--wrt", "x")
    assert (done.code, done.out) == (2, "")
    assert "--why y needs a derivative that --wrt leaves out" in done.err
    assert program(command, *point, "--wrt", "y").code == 0
    assert "∂/∂y = 1: 1 path" in program(command, *point).out


def test_what_is_wrong_for_every_statement_is_one_error(program, tmp_path):
    file = tmp_path / "statements"
    file.write_text("x^2\nx^3\n", encoding="utf-8")
    done = program("eval", "x", "--file", str(file))
    assert (done.code, done.err.count("error:")) == (2, 1)


@pytest.mark.parametrize("beside", [["--trace"], ["--hessian"], ["--why", "x"], ["--order", "2"], ["--subgradient"]])  # fmt: skip
def test_a_direction_is_not_given_instead_of_what_else_was_asked_for(program, beside):
    done = program("eval", "x^2", "--at", "x=1", "--seed", "x=1", *beside)
    assert (done.code, done.out) == (2, "")
    assert "--seed cannot be combined" in done.err


@pytest.mark.parametrize("typed", ["sin'(2)", "sin'(t) = cos(t)", "tanh'(x) = 1 - tanh(x)^2", "ln''(x)"])  # fmt: skip
def test_a_prime_may_stand_behind_an_operation(program, typed):
    assert program(typed).code == 0


@pytest.mark.parametrize("command", [(), ("eval",)])
def test_a_call_that_may_be_a_product_is_pointed_at(program, command):
    done = program(*command, "y = x^3; y(2x)", "--at", "x=1")
    assert "  y = x^3; y(2x)\n           ^^^^^\n" in done.err


def test_a_hint_has_the_formula_that_was_asked_about(program):
    done = program("where is x^4 - 2x increasing")
    assert "type critical points of x^4 - 2x; " in done.err


def test_a_value_typed_as_an_option_is_shown_its_place(program):
    done = program("eval", "x^2", "--x=3")
    assert "given with --at x=3" in done.err
