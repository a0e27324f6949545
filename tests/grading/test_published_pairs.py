"""The answers that math-verify's own tests compare: `grade` says the same of nine tenths, and accepts no wrong one.

They are read from its source distribution, unpacked at `EXPRGRAD_MATH_VERIFY`: the folder with its `tests`.
"""

from __future__ import annotations

import ast
import math
import os
import time
from pathlib import Path

import pytest

from exprgrad import grade
from exprgrad.grading.answers import same

FOLDER = Path(os.environ.get("EXPRGRAD_MATH_VERIFY", "nowhere"))


def pairs() -> list[tuple[str, str, int]]:
    """What is right, what was answered, and whether that counts; without pairs that options of theirs judge differently."""
    found: dict[tuple[str, str], set[int]] = {}
    for path in sorted((FOLDER / "tests").glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("parametrize"):  # fmt: skip
                continue
            names = [name.strip() for name in ast.literal_eval(node.args[0]).split(",")]
            if not {"gold", "pred"} <= {*names}:
                continue
            wanted = "expected" if "expected" in names else "result"
            for row in node.args[1].elts:
                code = compile(ast.Expression(row), str(path), "eval")
                own = dict(zip(names, eval(code, {"math": math}), strict=True))
                found.setdefault((own["gold"], own["pred"]), set()).add(own[wanted])
    return [(*texts, *said) for texts, said in found.items() if len(said) == 1]


@pytest.fixture(scope="module")
def rows():
    if not (FOLDER / "tests").is_dir():
        pytest.skip("the source distribution of math-verify is not there")
    return pairs()


def test_answers_are_judged_as_published_and_no_wrong_one_is_accepted(rows):
    found = [(right, answer, wanted, grade(right, answer).status == "correct") for right, answer, wanted in rows]  # fmt: skip
    assert len(found) > 200
    assert not [row for row in found if row[3] and not row[2]]
    assert sum(bool(row[2]) == row[3] for row in found) >= 0.9 * len(found)


def test_it_takes_a_tenth_of_the_work(rows):
    peer = pytest.importorskip("math_verify")
    grade("x^2", "2x"), peer.verify(peer.parse("$x$"), peer.parse("$x$"))
    begun = time.process_time()
    for right, answer, _ in rows:
        grade(right, answer)
    own = time.process_time() - begun
    for right, answer, _ in rows:
        peer.verify(peer.parse(right), peer.parse(answer))
    assert 10 * own < time.process_time() - begun - own


MEANT = [
    ("28%", "0.28", "correct"), ("28%", "28", "correct"), ("28", "28%", "undecided"), ("5 cm", "5 meters", "undecided"),
    ("5", "5 cm", "correct"), ("(1,3)", "1,3", "correct"), ("(3,1)", r"\{1,3\}", "incorrect"), ("3,3,4", "3,4", "incorrect"),
    ("AB=4, CD=5", "AB=5, CD=4", "incorrect"), ("x_1=1, x_2=2", "x_1=2, x_2=1", "correct"), ("1,2", "1.2", "incorrect"),
    ("1,22", "1.22", "correct"), ("x>5", "x>=5", "incorrect"), ("x < 1", "-x > -1", "correct"), ("(1,2]∪[2,3)", "(1,3)", "undecided"),
    ("y=2x+1", "2y=4x+2", "correct"), ("y=2x+1", "2y=4x+1", "incorrect"), ("x+y<1", "-x-y>-1", "correct"), ("x+y<1", "-x-y<-1", "incorrect"),
    ("xy=1", "1", "incorrect"), ("[0,1]", "0<=x<=1", "correct"), ("x≠3", "3≠x", "correct"), (r"\{1,2\}", r"\{2,1,1\}", "correct"),
    ("|x|", "x", "partly"), ("0.125", "0.1251", "incorrect"), ("0.333", "1/3", "correct"), ("1,234", "1234", "correct"),
    (r"\begin{pmatrix}1 & 2 \\ 3 & 4\end{pmatrix}", "[[1, 2], [3, 4]]", "correct"), ("5 > 3", "x", "incorrect"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "answer", "status"), MEANT)
def test_answers_mean_what_people_mean(right, answer, status):
    assert same(right, answer)[0] == status
