r"""A fuzzer of what people type: texts of a grammar of its own, and words and signs at random, through every door.

    python -m tests.typed_texts 1 100000 --jobs 2       so many texts of this seed

A text is a claim in one of many notations, right or not, or a soup of words, names and signs. The faults:

SPLIT       two doors come to different verdicts on one text
RAISED      an error that is not one of the package's own
"""

from __future__ import annotations

import contextlib
import io
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from exprgrad import Session, parse
from exprgrad.cli.start import run
from exprgrad.errors import ExprgradError, InternalError
from exprgrad.grading.audit import audit
from exprgrad.grading.grade import grade_sheet
from exprgrad.grading.sheet import read_sheet
from tests.campaigns import ASKED, REFUSED, Counts, campaign

SPLIT, RAISED = "SPLIT", "RAISED"

FORMULAS = (
    "x^2", "x", "3x", "x^3 - 2x", "sin x", "sin(2x)", "x cos x", "e^(2x)", "1/x", "ln x", "sqrt x", "(x+1)^3", "2^x", "xe^x",
    "a*x^2", "kx", "5", "|x|", "x²", "tan x/2", "x(x+1)", "sin^2 x", "1/2x",
)  # fmt: skip
JOINED = ("{} + {}", "{} - {}", "({})*({})", "({})/({})", "({})^2*{}")
CLAIMS = (
    "d/dx {f} = {g}", "d/dx ({f}) = {g}", "({f})' = {g}", "d({f})/dx = {g}", "diff({f}, x) = {g}", "D_x ({f}) = {g}",
    "f(x) = {f}; f'(x) = {g}", "y = {f}; dy/dx = {g}", "y = {f}, y' = {g}", "the derivative of {f} is {g}",
    "derivative of {f} = {g}", "if y = {f} then dy/dx = {g}", "{f} = {g}", "d/dx {f} == {g}", "d/dx ({f}) = {g} = {g}",
    "the derivative of {f} with respect to x is {g}", "f(x) = {f}\nf'(x) = {g}", "lim_(h->0) (({s}) - ({f}))/h = {g}",
)  # fmt: skip
WORDS = (
    "derivative", "of", "the", "is", "at", "x=2", "find", "wrt", "x", "y", "d/dx", "dy/dx", "f(x)", "f'(x)", "=", "+", "-",
    "*", "/", "^", "(", ")", "2", "x^2", "sin", "ln", ";", ",", "'", "if", "and", "slope", "tangent", "to", "|", "≤", "√", "²",
    "what", "lim", "→", "\n", ":", "?", ".", "gradient", "xy", "rate", "squared", "∂/∂x", "e", "pi", "[", "]", "$", "\\frac",
)  # fmt: skip


def formula(rng: random.Random) -> str:
    """A formula as people write it."""
    one = rng.choice(FORMULAS)
    return rng.choice(JOINED).format(one, rng.choice(FORMULAS)) if rng.random() < 0.4 else one  # fmt: skip


def make(name: str) -> str:
    """The text of that name."""
    rng = random.Random(name)
    if rng.random() < 0.3:
        return " ".join(rng.choices(WORDS, k=rng.randint(1, 9)))
    f = formula(rng)
    g = formula(rng)
    with contextlib.suppress(ExprgradError):
        right = parse(f, ("a", "k", "x")).derivative("x")
        g = rng.choice((str(right), str(right), f"2*({right})", g))
    return rng.choice(CLAIMS).format(f=f, g=g, s=f.replace("x", "(x+h)"))


def by_command(*arguments: str) -> str:
    """The verdict of the program, by its exit code."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        code = run([*arguments, "--format", "json"])
    return {0: "correct", 1: "incorrect"}.get(code, REFUSED)


def by_session(text: str) -> str:
    """The verdict that a session gives last."""
    results = [None, *Session().run(text)]
    return getattr(getattr(results[-1], "verdict", None), "status", REFUSED)


def by_sheet(text: str) -> str:
    """The verdict on the last problem of a sheet."""
    graded = [*grade_sheet(read_sheet(text))]
    return getattr(graded[-1][1], "status", REFUSED) if graded else REFUSED


def by_document(text: str) -> str:
    """The verdict on the only claim of a document."""
    claims = audit(f"# Notes\n\nWe have {text}.\n", "notes.md").claims
    said = {"right": "correct", "wrong": "incorrect"}
    return said.get(claims[0].status, REFUSED) if len(claims) == 1 else REFUSED


DOORS: dict[str, Callable[[str], str]] = {
    "check": lambda text: by_command("check", text),
    "bare": lambda text: by_command(text) if "=" in text else by_command(text) and REFUSED,
    "session": by_session, ":check": lambda text: by_session(f":check {text}"), "sheet": by_sheet, "document": by_document,
}  # fmt: skip


class Fault(NamedTuple):
    """What is wrong with a text."""

    kind: str
    way: str
    text: str
    said: object

    def __str__(self) -> str:
        return f"{self.kind} {self.way}: {self.text!r} {self.said}"


def faults_of(text: str, ways: Sequence[str], counts: Counts) -> Iterator[Fault]:
    """Errors that are no answers, and different verdicts on one text."""
    said: dict[str, str] = {}
    for way in ways:
        counts[way, ASKED] += 1
        try:
            said[way] = DOORS[way](text)
        except (ExprgradError, SystemExit) as error:
            said[way] = REFUSED
            if isinstance(error, InternalError):
                yield Fault(RAISED, way, text, repr(error.__cause__))
        except Exception as error:
            yield Fault(RAISED, way, text, repr(error))
        counts[way, said.get(way, RAISED)] += 1
    if {"correct", "incorrect"} <= {*said.values()}:
        yield Fault(SPLIT, "", text, said)


def judge(
    text: str, name: str, ways: Sequence[str], counts: Counts, small: bool
) -> list[Fault]:
    """The faults of a text."""
    return [*faults_of(text, ways, counts)]


if __name__ == "__main__":
    sys.exit(campaign(__doc__ or "", make, judge, [*DOORS]))
