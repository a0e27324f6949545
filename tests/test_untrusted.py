"""What a service that runs what others have typed relies on: limits of time, memory and work, and the grader of the manual."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import exprgrad
from exprgrad import ExprgradError, Session, budget, check, limits, parse
from exprgrad.budget import (
    LIMITS,
    USUAL,
    OutOfBudgetError,
    OutOfTimeError,
    at_most,
    current,
)
from exprgrad.cli.start import run as program
from exprgrad.commands.declared import COMMANDS, command_of, options_of
from exprgrad.data.files import Replacing
from exprgrad.data.processes import in_order
from exprgrad.errors import CONTROLS, UsageError
from exprgrad.grading.class_set import rows, survey
from tests.readme import PAGES

# what ends a block may come while Python cleans up, which tells of it and goes on; then it comes once more
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # fmt: skip

LONG = " + ".join(f"sin({k}*x)^{k}" for k in range(2, 400))


def endless() -> None:
    while True:
        pass


def greedy() -> None:
    kept = []
    while True:
        kept.append(bytes(100_000))


@pytest.mark.slow
def test_a_block_ends_when_its_time_is_over():
    told = r"undecided: out of time \(0.05 s\)"
    with pytest.raises(OutOfTimeError, match=told) as caught, limits(seconds=0.05):
        endless()
    assert caught.value.exit_code == 3
    assert current() is None


@pytest.mark.slow
def test_a_block_ends_where_it_takes_too_much_memory():
    if not sys.platform.startswith("linux"):
        pytest.skip("systems without /proc do not say how much memory there is")
    with pytest.raises(OutOfTimeError, match=r"of memory \(30 MB\)"), limits(memory=30):
        greedy()


@pytest.mark.slow
def test_what_ends_a_block_leaves_what_is_outside_alone(monkeypatch):
    monkeypatch.setattr(budget, "PATIENCE", 0.0)
    for _ in range(30):
        with pytest.raises(OutOfTimeError), limits(seconds=0.001):
            endless()
    with limits(seconds=0.02):
        pass
    time.sleep(0.05)
    assert check("x^2", "2x").status == "correct"


TRACED = """
import sys
from exprgrad import limits
from exprgrad.budget import OutOfTimeError
for _ in range(20):
    try:
        with limits(seconds=0.001):
            while True:
                pass
    except OutOfTimeError:
        pass
seen = []
sys.settrace(lambda frame, event, argument: seen.append(event))
(lambda: None)()
print(seen)
"""


@pytest.mark.slow
def test_functions_can_be_traced_after_a_block_has_ended():
    found = subprocess.run([sys.executable, "-c", TRACED], capture_output=True, text=True, timeout=60)  # fmt: skip
    assert "call" in found.stdout


@pytest.mark.slow
def test_the_time_of_a_thread_is_its_own():
    found = []

    def work() -> None:
        try:
            with limits(seconds=0.05):
                endless()
        except OutOfTimeError as error:
            found.append(error.message)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert found == ["undecided: out of time (0.05 s)"] * 4


CLAIMS = [
    ("x^2*sin(x)", "2x*sin(x) + x^2*cos(x)"),
    ("x^2", "3x"),
    ("ln|x|", "1/x"),
    ("atan(asin(sqrt(lgamma(x)))+asin(erf(x^pi)))", "1"),
    ("(x^2-1)^5/(x-1)^4", "(x+1)^4*(6x-4)"),
]


@pytest.mark.parametrize(("given", "claim"), CLAIMS)
def test_no_time_changes_a_verdict_but_to_undecided(given, claim):
    whole = check(given, claim).status
    for seconds in (0.001, 0.003, 0.01, 0.03, 60):
        try:
            with limits(seconds=seconds):
                found = check(given, claim)
        except OutOfTimeError:
            continue
        told = "out of time" in found.evidence and found.status == "undecided"
        assert found.status == whole or told


@pytest.mark.slow
def test_no_limit_changes_what_there_is_time_for():
    with limits(seconds=60, memory=10_000):
        under = parse(LONG).evaluate({"x": 0.3}).value
    assert under == parse(LONG).evaluate({"x": 0.3}).value


@pytest.mark.slow
def test_a_budget_within_a_limit_is_a_budget():
    with limits(seconds=60), pytest.raises(OutOfBudgetError, match="1,000 operations"):
        parse("gamma(x)*sin(x)").plot(budget=1000)
    told = "2,000 operations"
    with pytest.raises(OutOfBudgetError, match=told), limits(seconds=60, budget=2000):
        parse("gamma(x)*sin(x)").plot()
    inner = limits(seconds=60, budget=10**9)
    with pytest.raises(OutOfTimeError), limits(seconds=0.02), inner:
        endless()


@pytest.mark.parametrize("wrong", [0, -1, "1", True, float("nan"), 1e300])
def test_a_limit_is_a_number(wrong):
    for name in ("seconds", "memory"):
        with pytest.raises(UsageError, match=f"{name} are a number"):
            limits(**{name: wrong})


@pytest.mark.slow
def test_every_statement_of_a_session_has_its_budget():
    own = Session(files=False, budget=1000)
    with pytest.raises(OutOfBudgetError):
        own.run(f"{LONG} at x=1")
    assert own.run("2 + 3")[0].evaluation.value == 5
    with pytest.raises(OutOfBudgetError), limits(budget=1000):
        Session().run(f"{LONG} at x=1")
    with pytest.raises(OutOfBudgetError):
        Session().run(":plot gamma(x)*sin(x) --budget 1000")


@pytest.mark.slow
def test_the_program_ends_in_time(capsys):
    assert program(["diff", LONG, "--seconds", "0.01", "--format", "json"]) == 3
    assert '"error": "undecided: out of time (0.01 s)"' in capsys.readouterr().err
    assert program(["check", "x^2", "2x", "--seconds", "60"]) == 0


def test_every_command_that_has_a_budget_ends_in_time():
    for name in COMMANDS:
        own = options_of(command_of(name)).values()
        assert ("seconds" in own) >= ("operations" in own), name


FOUND = [
    "tan((x/floor(2^x))^(cot(x/x) - ln(sinh(x^2))))",
    "lgamma(tan(x)) + asin(2)",
    "atan(asin(sqrt(lgamma(x)))+asin(erf(x^pi)))",
    "cot(tan(x))+ln(floor(gamma(x^2))*floor(floor(pi))) / asin(erf(x^pi))",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("given", FOUND)
def test_what_a_fuzzer_found_is_judged_with_a_tenth_of_the_usual_work(given):
    own = str(parse(given).derivative("x"))
    for claim in (own, f"({own})*(1 + x/1000)", "abs(ln(pi))", given):
        with limits(budget=USUAL // 10) as budget:
            found = check(given, claim)
        assert found.status in ("correct", "incorrect", "undecided")
        assert found.status != "incorrect" or claim != own
        assert budget.spent <= USUAL // 10


# One table of limits


def test_a_limit_is_what_its_message_and_the_manual_say():
    page = PAGES["limits"].read_text(encoding="utf-8")
    for name, limit in LIMITS.items():
        at_most(name, limit.most)
        with pytest.raises(UsageError, match=re.escape(f"{limit.most:,}") if "{most}" in limit.told else "too l"):  # fmt: skip
            at_most(name, limit.most + 1, "it")
        assert f"| {limit.of} | {limit.most:,} |" in page


@pytest.mark.parametrize("command", ["check --file s.csv", "batch x", "batch x --engine dask"])  # fmt: skip
def test_no_more_than_256_processes_are_asked_for(command, capsys, tmp_path):
    assert program([*command.split(), "--jobs", "257"]) == 2
    assert "256" in capsys.readouterr().err
    for jobs in (0, 257, 10**6, 1.5):
        with pytest.raises(ExprgradError, match="number of processes"):
            exprgrad.grade_many([], jobs)
        with pytest.raises(ExprgradError, match="number of processes"):
            in_order(len, [], jobs)


# Files and texts


def test_no_message_has_a_character_that_a_terminal_acts_on():
    for name in ("x\x1b[31m", "\x9b31m", "x\u202ey", "\u2066x", "x\x07"):
        with pytest.raises(ExprgradError) as caught:
            parse("x").evaluate({name: 1})
        told = f"{caught.value.message}{caught.value}"
        assert not any(ord(c) in CONTROLS for c in told)
        assert "\ufffd" in told


def class_set(folder: Path, rows: int = 5) -> Path:
    path = folder / "k.csv"
    path.write_text("student,problem,answer\n" + "s,x^2,2x\n" * rows)
    return path


def test_a_second_program_does_not_write_what_another_one_is_writing(tmp_path, capsys):
    path, out = class_set(tmp_path), tmp_path / "out.csv"
    argv = ["check", "--file", str(path), "--output", str(out)]
    with Replacing(out, kept=True) as file:
        file.write(b"the first\n")
        assert program(argv) == 2
        assert "is being written by another program" in capsys.readouterr().err
    assert out.read_text() == "the first\n"
    (tmp_path / "out.csv.partial").write_text("left by one that was killed")
    assert program(argv) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k.csv", "out.csv"]


def test_a_class_set_that_changes_while_it_is_graded_is_noticed(tmp_path):
    layout = survey(class_set(tmp_path))
    assert len([*rows(layout)]) == 5
    found = rows(layout)
    next(found)
    class_set(tmp_path, 6)
    with pytest.raises(ExprgradError, match="has changed while it was graded"):
        list(found)


@pytest.mark.slow
def test_practice_says_once_that_progress_is_not_kept(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("skip\nskip\nskip\n"))
    assert program(["practice"]) == 1
    assert capsys.readouterr().err.count("progress is not kept") == 1


def test_the_history_of_lines_does_not_grow_for_ever(tmp_path, monkeypatch):
    editing = pytest.importorskip("exprgrad.terminal.editing")
    monkeypatch.setattr(editing, "MOST_READ", 1000)
    for i in range(500):
        editing.FileHistory(tmp_path / "history").append_string(f"x + {i}")
    kept = editing.FileHistory(tmp_path / "history")
    assert (tmp_path / "history").stat().st_size < 2100
    assert [*kept.load_history_strings()][:100] == [
        f"x + {499 - i}" for i in range(100)
    ]


# The grader of the manual

GRADER = """
import io, json, re, sys, urllib.parse
import exprgrad
from tests.fuzzing import Fuzz
from tests.hostile import made
from pathlib import Path

names = {}
exec(Path(sys.argv[1]).read_text(), names)
fuzz = Fuzz("web", Path("."))
N = 900
long = ["(" * N, "x^" * N + "x", "sin(" * 400 + "x" + ")" * 400, "x" * N, "9^" * 300 + "9", "√" * N + "x",
        "+".join(f"x{i}" for i in range(200)), "gamma(" * 150 + "x" + ")" * 150, "9" * N, "(1+x)^99999999!", "x!" * 400,
        "\\def\\a#1{#1#1}" + "\\a{" * 200 + "x" + "}" * 200]
pairs = [(made(f"web/{i}"), made(f"web/{-i}")) for i in range(int(sys.argv[2]))]
pairs += [(fuzz.text(), fuzz.text()) for _ in range(int(sys.argv[2]))]
pairs += [pair for text in long for pair in ((text, "1"), ("x", text), (text, text))]
for question, answer in pairs:
    body = urllib.parse.urlencode({"question": question.encode(errors="replace"), "answer": answer.encode(errors="replace")}).encode()
    environ = {"CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
    told = []
    (out,) = names["application"](environ, lambda *args: told.append(args))
    assert told[0][0] == "200 OK"
    status = json.loads(out)["status"]
    assert status in ("correct", "partly", "incorrect", "undecided", "unreadable"), status
most = re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())  # of this program alone
print(len(pairs), int(most[1]) // 1024)
"""


@pytest.mark.slow
def test_the_grader_of_the_manual_survives_what_was_made_to_break_it(tmp_path):
    if not Path("/proc/self/status").exists():
        pytest.skip("the system does not say how much memory was taken")
    pytest.importorskip("numpy", reason="needs the extra arrays")
    page = PAGES["untrusted"].read_text(encoding="utf-8")
    (tmp_path / "grader.py").write_text(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0])  # fmt: skip
    argv = [sys.executable, "-c", GRADER, str(tmp_path / "grader.py"), "60"]
    found = subprocess.run(argv, capture_output=True, text=True, timeout=600)
    assert found.returncode == 0, found.stderr[-2000:]
    assert int(found.stdout.split()[1]) < 256
