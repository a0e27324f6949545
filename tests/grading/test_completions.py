"""The answer that a long text ends in is found, and judged as the question asks."""

from __future__ import annotations

import os
import random
import resource
import threading
import time
from decimal import Decimal

import numpy as np
import pytest

import exprgrad
from exprgrad import grade, grade_many
from exprgrad.grading.completions import final_answer

FOUND = {
    r"... so it is \boxed{2x}.": "2x",
    r"First \boxed{3x}, no: \boxed{\frac{1}{2x}}": r"\frac{1}{2x}",
    "It grows.\nThe final answer is: **2*x**": "2*x",
    "We have 3.\n#### 42": "42",
    "Therefore, f'(x) = 3x^2.": "f'(x) = 3x^2",
    "Adding up gives 0.5": "0.5",
    "The derivative is 3x^2, so f'(2) = 12": "f'(2) = 12",
    "The solutions are $x=2$ and $x=1$": "x=2, x=1",
    r"Then \[ y' = x^2. \]": "y' = x^2",
    "2x": "2x",
    "The answer is not $2x$.": "",
    "It cannot be \\boxed{2x}": "",
    "The derivative does not equal $2x$.": "",
    "not 2x": "",
    "so it cannot be 5": "",
    "It isn't equal to 5": "",
    "It is not 4, so 5": "5",
    "It isn't $3x$ but $2x$": "2x",
    "The answer is 2x, not 3x.": "2x",
    "The derivative of x^2 is **2x**.": "2x",
    r"\frac{dy}{dx} = 2x": r"\frac{dy}{dx} = 2x",
    "By the power rule, d/dx(x^2) = 2x^(2-1) = 2x.": "2x",
    r"\begin{align*} f'(x) &= 2x^{2-1} \\ &= 2x \end{align*}": "2x",
    "<think>maybe 3x</think>\n<answer>2x</answer>": "2x",
    "B) 2x": "2x",
    r"It is $\mathbf{2x}$": "2x",
    "= 42.0": "42.0",
    "": "",
    "\n \n": "",
}


@pytest.mark.parametrize("text", FOUND)
def test_the_answer_is_found(text):
    assert final_answer(text) == FOUND[text]


JUDGED = [
    ("d/dx x^2", "So we get 2x. This uses the power rule with n = 2.", "correct"),
    ("d/dx x^2", "So we get $2x$.\n\nHere we used $n = 2$.", "correct"),
    ("d/dx x^2", "We used n=2. So f'(x) = 3x.", "incorrect"),
    ("d/dx x^2", "We applied the rule and get 2x.", "correct"),
    ("Find the derivative of $x^2$.", r"the answer is \boxed{2x}.", "correct"),
    ("Find the derivative of $x^2$.", r"the answer is \boxed{3x}.", "incorrect"),
    ("d/dx x^3", "By the power rule.\nTherefore, f'(x) = 3x^2.", "correct"),
    ("Find dy/dx if y = sin(x)", "dy/dx = cos(x)", "correct"),
    ("Evaluate f'(2) for f(x) = x^3", "f'(x) is 3x^2, so f'(2) = 12", "correct"),
    ("Find the critical points of x^3-3x", r"\boxed{\{1,-1\}}", "correct"),
    ("gradient of x^2+y^2 at (1,2)", r"$\nabla f = (2,4)$", "correct"),
    ("gradient of x^2+y^2 at (1,2)", r"$\nabla f = (2,2)$", "partly"),
    ("tangent to x^2 at x=1", "y = 2x - 1", "correct"),
    (r"\frac{d}{dx} \ln(x)", r"\frac{1}{x}", "correct"),
    ("What is 2+2?", "4", "correct"),
    ("What is 2+2?", "0", "incorrect"),
    ("Evaluate sin(x) at x=pi/4", r"\boxed{\frac{\sqrt2}{2}}", "correct"),
    ("f(x) = x^3. What is f(2)?", "8", "correct"),
    (r"f(x) = x^3. What is \frac{df}{dx} at x=2?", "12", "correct"),
    ("f(x) = x^2. What is f'(2)?", "4", "correct"),
    ("What is d/dx 5?", "0", "correct"),
    ("What is x^2?", "2x", "correct"),
    (r"\frac{1}{2}", "0.5", "correct"),
    ("2/3", "0.667", "correct"),
    ("2/3", "0.66", "incorrect"),
    ("pi/4", r"\boxed{\frac{\pi}{4}}", "correct"),
    ("x+1", "1 + x", "correct"),
    ("x+1", "x", "incorrect"),
    ("5", "x = 5", "correct"),
    ("10%", "0.1", "correct"),
    (r"\{1, 2\}", "The solutions are $x=2$ and $x=1$", "correct"),
    (r"\{1, 2\}", r"\{1, 2, 3\}", "incorrect"),
    ("1,2,3", "3, 2, 1", "correct"),
    (r"\pm 2", "x = 2 or x = -2", "correct"),
    (r"\pm 2", "2", "incorrect"),
    ("(1,2)", r"\boxed{(1, 2)}", "correct"),
    ("(1,2)", r"\boxed{(2, 1)}", "incorrect"),
    ("[1,2)", "$[1, 2)$", "correct"),
    ("[1,2)", "$(1, 2)$", "incorrect"),
    (r"(-\infty, 3]", r"Final answer: $x \in (-\infty, 3]$", "correct"),
    (r"(-\infty,1)\cup(2,3)", r"(2,3) \cup (-\infty, 1)", "correct"),
    ("yes", "Yes.", "correct"),
    ("12", "I think it is 13", "incorrect"),
    ("12", "", "unreadable"),
    ("The answer is not 5", "5", "unreadable"),
    ("€5", "5", "correct"),
    ("5 €", "The price is €5.", "correct"),
    ("€5", "£5", "undecided"),
    (42, r"It is \boxed{42}.", "correct"),
    (42, 43, "incorrect"),
    (0.1, "1/10", "correct"),
    (Decimal("0.30"), "0.3", "correct"),
    (np.int64(-3), "$-3$", "correct"),
    (float("nan"), "3", "unreadable"),
    (["2", "3"], "2, 3", "unreadable"),
]


@pytest.mark.parametrize(("question", "completion", "status"), JUDGED)
def test_an_answer_is_judged_as_the_question_asks(question, completion, status):
    found = grade(question, completion)
    assert found.status == status, found
    assert found.as_dict()["judged"] == status


def test_a_verdict_says_what_went_wrong():
    found = grade("Find the derivative of x^2 sin x", r"\boxed{2x \cos x}")
    assert found.verdict.mistake.name == "product of the derivatives"
    assert found.as_dict()["verdict"]["status"] == "incorrect"


@pytest.mark.slow
def test_processes_and_threads_give_the_same():
    rows = [(question, completion) for question, completion, _ in JUDGED]
    alone = [grade(*row).status for row in rows]
    assert [found.status for found in grade_many(rows, jobs=4)] == alone
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: found.append([grade(*r).status for r in rows]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 8


PIECES = [
    "\\boxed{", "}", "$", "{", "(", ")", "[", "]", ",", "=", "x", "2", "\\frac", "\\pm", "%", "∞", " and ", " or ", "is",
    "answer", "####", "sin", "^", "'", "\n", "1e999", "9^9^9", "\\text{", "∪", "{,}", "0.1", "-", "/", "<", ";", "\0", "π",
]  # fmt: skip


WORDS = [
    "so", "the answer is", "final answer:", "therefore", "$", "\\(", "\\)", "\\[", "\\]", "\\boxed{", "\\frac{1}{2}", "\\sqrt{2}",
    "\\{1, 2\\}", "(1, 2]", "\\cup", "\\begin{pmatrix}1 & 2 \\\\ 3 & 4\\end{pmatrix}", "\\text{ cm}", "x^2 + 1", "x >= 5", "1,000.5",
    "28\\%", "f(x) = ", "d/dx", "find", "sin(x)", "\\pm", "1/3", "\\infty", "=", "<", "x^x^x", "gamma(x)", "e^(1/x)", "9^99",
]  # fmt: skip
STATUSES = ("correct", "partly", "incorrect", "undecided", "unreadable")
COUNTS = [300, 100_000] if os.environ.get("EXPRGRAD_PROFILE") == "long" else [300]


def drawn(source: random.Random, most: int) -> str:
    """A text of signs and words that answers are made of."""
    parts = source.choice((PIECES, WORDS))
    gap = source.choice(("", " "))
    return gap.join(source.choice(parts) for _ in range(source.randint(0, most)))


@pytest.mark.slow
@pytest.mark.parametrize("count", COUNTS)
def test_no_text_makes_it_raise_or_takes_long(count):
    source = random.Random(count)
    grade("x^2", "2x")  # loads what is needed
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(count):
        question, completion = drawn(source, 8), drawn(source, 16)
        start = time.process_time()
        found = grade(question, completion)
        used = time.process_time() - start
        assert found.status in STATUSES
        assert "bug" not in found.evidence, (question, completion)
        assert used < 0.5, (question, completion)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000
    for thing in (None, 3, b"2x", "x" * 2_000_000, "(" * 100_000):
        assert grade("x^2", thing).status in ("unreadable", "incorrect")


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1000, 100_000])
def test_a_budget_is_that_of_a_check(budget):
    f, claim = "sin(x)^cos(x)*gamma(x)", "sin(x)^cos(x)*gamma(x)*digamma(x)"
    alone = exprgrad.check(f, claim, budget=budget)
    assert grade(f"d/dx ({f})", claim, budget=budget).status == alone.status
