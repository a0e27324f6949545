"""Signals that end the program, and streams that cannot be written: exit codes stay, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from exprgrad.cli.start import run
from exprgrad.data import unfinished
from exprgrad.data.files import Replacing
from tests.cli.test_cli import environment
from tests.programs import running

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs signals")

PROGRAM = [sys.executable, "-m", "exprgrad"]
LONG = ("minimize", "(1-x)^2 + 100*(y-x^2)^2", "--start", "x=-1,y=1", "--method")
DESCENT = (*LONG, "gd", "--rate", "1e-7", "--steps", "10000000")


def test_what_is_unfinished_is_settled_the_latest_first():
    done = []
    unfinished.begin("a", lambda: done.append("a"))
    unfinished.begin("b", lambda: 1 / 0)
    unfinished.begin("c", lambda: done.append("c"))
    unfinished.begin("d", lambda: done.append("d"))
    unfinished.end("d")
    unfinished.settle()
    unfinished.settle()
    assert done == ["c", "a"]


def test_a_part_of_a_file_is_unfinished_until_it_takes_its_place(tmp_path):
    with Replacing(tmp_path / "out") as file:
        file.write(b"half")
        assert len(list(tmp_path.iterdir())) == 1
        unfinished.settle()
        assert not list(tmp_path.iterdir())
        (tmp_path / f"{file.name}").touch()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


LASTING = "+".join(f"sin(x*{k})*erf(y/{k}00000)" for k in range(1, 13))
"""An expression that takes many rows long enough to be interrupted at."""


def filled(folder: Path, most: float = 30) -> bool:
    """Whether a part of a file with something in it turns up in a folder."""
    end = time.monotonic() + most
    while time.monotonic() < end:
        if any(path.stat().st_size for path in folder.glob(".*.part")):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.slow
def test_a_signal_leaves_neither_parts_of_files_nor_processes(tmp_path):
    """All at once: each of them starts anew."""
    table = tmp_path / "table.csv"
    table.write_text("x,y\n" + "".join(f"{i},{i}\n" for i in range(200_000)))
    with ExitStack() as stack:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            own = tmp_path / name
            own.mkdir()
            command = ["batch", LASTING, "--data", str(table), "--output"]
            child = stack.enter_context(
                running(
                    [*PROGRAM, *command, str(own / "out.csv"), "--jobs", "2"],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    env=environment(),
                )
            )
            assert filled(own)
            number = getattr(signal, name)
            child.send_signal(number)
            _, err = child.communicate(timeout=60)  # its processes have stderr, too
            assert child.returncode == (130 if name == "SIGINT" else -number)
            assert err == b""
            assert not list(own.iterdir())


EARLY = """
import os, signal, sys
module = sys.argv.pop()

class Finder:
    def find_spec(self, name, *more):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

import exprgrad.__main__
sys.meta_path.insert(0, Finder())
exprgrad.__main__.main()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "module", ["commands.signals", "cli.start", "operations.table"]
)
def test_an_interrupt_while_the_program_starts_is_130_without_a_traceback(module):
    """Before that runs Python alone, whose traceback is not ours."""
    done = subprocess.run(
        [sys.executable, "-c", EARLY, "eval", "2+2", f"exprgrad.{module}"],
        capture_output=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.mark.slow
def test_an_interrupted_descent_says_how_far_it_has_come(tmp_path):
    history = tmp_path / "history.csv"
    with running(
        [*PROGRAM, *DESCENT, "--history", str(history)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        text=True,
    ) as child:
        assert filled(tmp_path)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "interrupted" in out + err
    assert "Traceback" not in err
    assert history.read_text().startswith("step,")


def test_a_descent_that_cannot_start_leaves_the_older_history(tmp_path, capsys):
    history = tmp_path / "history.csv"
    history.write_text("old")
    for start in ("x=-1", "y=1", "x=0"):
        assert run(["minimize", "ln(x)", "--start", start, "--history", str(history)])
        assert history.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1
    assert capsys.readouterr().err.count("error: ") == 3


@pytest.mark.slow
def test_no_command_replaces_what_it_reads(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table, link = tmp_path / "data.csv", tmp_path / "link.csv"
    table.write_text("x,y\n1,2\n2,4\n3,6\n")
    link.symlink_to(table)
    Path("f").write_text("sum((X @ a)^2)")
    Path("g").write_text("x*y")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for command in (
        "batch x*y --data data.csv --output link.csv",
        "batch --file g --data data.csv --output g",
        "fit y~a*x --data data.csv --start a=1 --output data.csv",
        "minimize sum((X-a)^2) --start a=@data.csv --at X=5 --history data.csv",
        "minimize --file f --start a=[1,2] --at X=@data.csv --history link.csv",
        "minimize --file f --start a=[1,2] --at X=@data.csv --history f",
    ):
        assert run(command.split()) == 2
        assert "would replace the input" in capsys.readouterr().err
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


CODES = {
    0: "eval 2+2",
    1: "check x^2 3x",
    2: "eval 2+",
    3: "eval 1/0 --format json",
}


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["2>&-", "2>/dev/full", "2>&3 3>&-"])
def test_standard_error_that_cannot_be_written_keeps_the_exit_code(broken):
    """The descriptor 3 is a pipe that nobody reads."""
    if "full" in broken and not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    program = f"{sys.executable} -m exprgrad"
    script = "; ".join(f"{program} {c} {broken}; echo $?" for c in CODES.values())
    if "3" in broken:
        script = f"exec 3> >(exec <&-); sleep 0.05; {script}"
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        env=environment(),
        text=True,
        timeout=60,
        check=False,
    )
    codes = [int(line) for line in done.stdout.splitlines() if line.isdigit()]
    assert codes == list(CODES)
