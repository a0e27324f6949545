"""What the plain commands import: each module here takes longer than what they have to do."""

from __future__ import annotations

import subprocess
import sys

import pytest

NEVER = ("flint", "mpmath", "numpy", "scipy", "prompt_toolkit", "dataclasses", "json", "random", "pygments", "rich", "typer", "difflib", "inspect", "threading", "subprocess", "shutil", "typing")  # fmt: skip
ALSO_NOT_BY_EVAL = ("re", "enum", "csv", "zlib", "fractions", "decimal", "numbers", "pathlib", "typing", "signal", "textwrap", "shlex")  # fmt: skip

PROGRAM = """
import sys
from exprgrad.cli.start import run
try:
    code = run(sys.argv[1:])
except SystemExit as end:
    code = end.code or 0
print("MODULES", code, *sys.modules)
"""


def imported(*arguments: str, ends: str = "0") -> set[str]:
    """The modules that are there when the command is done, which ends with this code."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, *arguments],
        capture_output=True,
        text=True,
        check=True,
        input="x = 2\nx^2",
    )
    code, *modules = done.stdout.rpartition("MODULES")[2].split()
    assert code == ends, done
    return {name.partition(".")[0] for name in modules}


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("diff", "x^2*sin(x)"),
        ("check", "x^2", "2x", "--wrt", "x"),
        ("check", "x^2*sin(x)", "2x sin x + x^2 cos x"),
        ("--version",),
        ("x^2*sin(x)",),
        ("run", "-"),
        (),
    ],
)
def test_plain_commands_import_nothing_heavy(arguments):
    assert imported(*arguments).isdisjoint(NEVER)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "claim"),
    [
        ("sin(3x)", "cos(3x)"),
        ("cos(3x)", "3sin(3x)"),  # the sign is wrong
        ("7x^2 - 5exp(x)", "20x^(5 - 1) - 2exp(x)"),  # a power at 0
        ("5x^2 + 8x", "3*(10x + 8)"),  # a factor
        ("2x^3*ln(x)", "16x^7*(8ln(x) + 1)"),  # ln(0), 1/0
        ("(5x - 2)/(x + 7)", "30/(x + 6)^2"),
    ],
)
def test_an_ordinary_wrong_answer_imports_nothing_heavy(function, claim):
    loaded = imported("check", function, claim, ends="1")
    assert loaded.isdisjoint({"flint", "numpy", "rich", "typer"})


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", "x^2*sin(x)", "--at", "x=2"),
        ("eval", "(a*b + c)^2", "--at", "a=2,b=3,c=0.1"),
        ("eval", "2 + 3/7"),
        ("eval", "0.1x sin x", "--at", "x=0.3", "--format", "csv", "--wrt", "x"),
        ("eval", "0.1x*sin(x)", "--at", "x=0.3", "--wrt", "x"),
        ("--version",),
    ],
)
def test_eval_imports_next_to_nothing(arguments):
    assert imported(*arguments).isdisjoint({*NEVER, *ALSO_NOT_BY_EVAL})


@pytest.mark.slow
def test_a_mistyped_command_loads_no_graph():
    program = PROGRAM.replace("*sys.modules", "*(n for n in sys.modules if 'grad.graph' in n)")  # fmt: skip
    done = subprocess.run([sys.executable, "-I", "-c", program, "evall", "x"], capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.split() == ["MODULES", "2"]


@pytest.mark.slow
def test_a_check_of_one_derivative_loads_no_other_kind():
    program = PROGRAM.replace(
        "*sys.modules", "*(n for n in sys.modules if 'kinds' in n)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program, "check", "sin(3x)", "cos(3x)"], capture_output=True, text=True, check=True)  # fmt: skip
    _, *loaded = done.stdout.rpartition("MODULES")[2].split()
    assert {*loaded} <= {
        "exprgrad.checking.kinds",
        "exprgrad.checking.kinds.rows",
        "exprgrad.checking.kinds.request",
    }
