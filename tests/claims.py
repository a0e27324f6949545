"""A fuzzer that knows mathematics: claims whose truth is known, of every kind, at every door.

    python -m tests.claims 1 200                     so many functions of this seed
    python -m tests.claims 1 200 --ways gradient,equal --shrink --jobs 2

A function is random and nested, over every row, perhaps with no value anywhere. What is claimed is its own derivative as
the package gives it, another form of that, or one that is perturbed; sweeps say whether it is right. The faults:

ACCEPTED    a claim is called right, and is false at a point
ACCUSED     a claim is called wrong, and is right
SPLIT       two doors come to different verdicts
RAISED      an error that is not one of the package's own
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import exprgrad
from exprgrad.errors import ExprgradError, InternalError
from exprgrad.expressions.expression import parse
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Constant, Value, is_variable
from exprgrad.notation.text import to_text
from tests.campaigns import ASKED, REFUSED, Counts, campaign
from tests.formulas import (
    NAMES,
    Number,
    Open,
    Truth,
    general_points,
    polynomial,
    printed,
    read_text,
)
from tests.oracle import trees
from tests.oracle.functions import ROWS
from tests.rewriting import rewritten
from tests.shrinking import shrunk, smaller
from tests.strategies import textbook

ACCEPTED, ACCUSED, SPLIT, RAISED = "ACCEPTED", "ACCUSED", "SPLIT", "RAISED"
CORRECT, PARTLY, INCORRECT, UNDECIDED = "correct", "partly", "incorrect", "undecided"

WORDS = {
    "equal": CORRECT, "right": CORRECT, "follows": CORRECT,
    "different": INCORRECT, "wrong": INCORRECT, "consequent": INCORRECT,
    "unreadable": REFUSED, "not read": REFUSED, "blank": REFUSED, "unfinished": UNDECIDED,
}  # fmt: skip
"""What doors call their statuses, where it is another word."""

# Functions and what can be claimed about them

NOWHERE = (
    "asin(2)", "ln(-1 - x^2)", "1/(x - x)", "sqrt(-2)", "acosh(sin(x)/2)", "ln(0)", "(x - x)^(-1/3)", "atanh(cosh(x))",
    "gamma(-floor(x^2))", "lgamma(0*x)", "erf(e^x - e^x)^(-1/3)",
)  # fmt: skip
"""Without a value anywhere, or nearly."""

WITH_IT = ("{0} + {1}", "({0})*{1}", "({1})^({0})", "if(x > 1, {0}, {1})")

PERTURBED = (
    "({}) + 1", "2*({})", "-({})", "({})*x", "({}) + x/1000", "({})*1001/1000", "({}) + if(x > 1, 1, 0)", "|{}|",
    "({}) + max(0, x - 3)", "({}) + ln(x)", "({}) + sign(x - 1)^2 - 1", "({})^2",
)  # fmt: skip


def function(rng: random.Random) -> str:
    """A random nested function in x and perhaps y, over every row; some have no value anywhere."""
    if rng.random() < 0.5:
        text = textbook(rng)
    else:
        text = trees.text(trees.case(rng, (*ROWS, "if")).tree)
    if rng.random() < 0.15:
        text = rng.choice(WITH_IT).format(text, rng.choice(NOWHERE))
    return text


def perturbed(text: str, rng: random.Random) -> str:
    """Another function, nearly always: something added or multiplied, or a part left out."""
    parts = [*smaller(text)] if rng.random() < 0.3 else []
    return rng.choice(parts) if parts else rng.choice(PERTURBED).format(text)


def put(text: str, other: Value) -> str:
    """The text with something in the place of x."""
    root = parse(text, variables=NAMES).root
    leaves = [n for n in topological(root) if is_variable(n) and n.name == "x"]
    return to_text(replaced(root, dict.fromkeys(leaves, other)))


def is_right(text: str, truth: Number) -> bool | None:
    """Whether a formula has the values that it should have; None where there are none to compare."""
    number, known = read_text(text, NAMES), None
    for at in general_points(text):
        try:
            wanted, got = truth(at), number(at)
        except (Open, ExprgradError):
            continue
        if wanted is not None and got is not None:
            known = True
            if abs(got.value - wanted.value) > got.error + wanted.error:
                return False
    return known


class Claim(NamedTuple):
    """A claim, whether it is right if that is known, and how it is asked in a sentence, if it can be."""

    kind: str
    given: Any
    claimed: Any
    right: bool | None
    sentence: str = ""
    options: Mapping[str, Any] = {}


class Subject:
    """A function, its truth, and a place."""

    def __init__(self, source: str, rng: random.Random) -> None:
        self.source, self.rng = source, rng
        self.expression = parse(source, variables=NAMES)
        self.names = self.expression.variables
        self.truth = Truth(self.expression)
        self.place = rng.choice((0.0, 1.0, 2.0, -1.0, 0.5))

    def derived(self, *wrt: str) -> str:
        """A derivative as the package gives it."""
        return str(self.expression.derivative(*wrt))

    def at_place(self, *wrt: str) -> str:
        """A derivative there, or the value."""
        own = self.derived(*wrt) if wrt else self.source
        return f"({put(own, Constant(self.place))})"

    def near(self, text: str, truth: Number) -> Iterator[tuple[str, bool | None]]:
        """The text, another way to write it, and another function; with each whether it is right."""
        yield text, is_right(text, truth)
        other = rewritten(text, self.rng, 2)
        yield other, is_right(other, truth)
        other = perturbed(text, self.rng)
        # decimals may be rounded: 0.25*1001/1000 is 0.25 to the digits that were given
        is_rounded = "." in text and "/1000" in other
        yield other, None if is_rounded else is_right(other, truth) and None


Maker = Callable[[Subject], Iterator[Claim]]


def _derivative(f: Subject) -> Iterator[Claim]:
    for text, right in f.near(f.derived("x"), f.truth.of("x")):
        asked = f"d/dx ({f.source}) = {text}"
        yield Claim("derivative", f.source, text, right, asked, {"wrt": "x"})


def _second(f: Subject) -> Iterator[Claim]:
    found = f.expression.derivative("x", "x")
    # sign(x)^2*cosh(x) says itself that it is the second derivative of cosh(|x|) for x != 0 alone
    is_left_out = any("!=" in condition for condition in found.assumptions)
    for text, right in f.near(str(found), f.truth.of("x", "x")):
        right = None if right and is_left_out else right
        asked = f"d^2/dx^2 ({f.source}) = {text}"
        yield Claim("derivative", f.source, text, right, asked, {"wrt": "x", "order": 2})  # fmt: skip


def _mixed(f: Subject) -> Iterator[Claim]:
    if "y" in f.names:
        for text, right in f.near(f.derived("x", "y"), f.truth.of("x", "y")):
            yield Claim("derivative", f.source, text, right, "", {"wrt": ("x", "y")})


def _gradient(f: Subject) -> Iterator[Claim]:
    if {*f.names} == {"x", "y"}:
        other = f.derived("y")
        own = is_right(other, f.truth.of("y"))
        for text, right in f.near(f.derived("x"), f.truth.of("x")):
            both = f"({text}, {other})"
            yield Claim("gradient", f.source, both, right and own, f"gradient of {f.source}: {both}")  # fmt: skip


def _hessian(f: Subject) -> Iterator[Claim]:
    if {*f.names} == {"x", "y"}:
        mixed, last = f.derived("x", "y"), f.derived("y", "y")
        own = is_right(mixed, f.truth.of("x", "y")) and is_right(last, f.truth.of("y", "y"))  # fmt: skip
        for text, right in f.near(f.derived("x", "x"), f.truth.of("x", "x")):
            matrix = f"[[{text}, {mixed}], [{mixed}, {last}]]"
            yield Claim("hessian", f.source, matrix, right and own)


def _antiderivative(f: Subject) -> Iterator[Claim]:
    given = f.derived("x")
    for text in (f"({f.source}) + C", perturbed(f.source, f.rng)):
        own = text.removesuffix(" + C")
        right = is_right(given, Truth(parse(own, variables=NAMES)).of("x"))
        right = right and (True if own != text else None)
        asked = f"∫ ({given}) dx = {text}"
        yield Claim("antiderivative", given, text, right, asked, {"wrt": "x"})


def _tangent(f: Subject) -> Iterator[Claim]:
    if f.names == ("x",):
        line = f"{f.at_place()} + {f.at_place('x')}*(x - ({f.place:g}))"
        for text, right in f.near(line, polynomial(f.truth, f.place, 1)):
            for kind in ("tangent", "linearization"):
                yield Claim(kind, f.source, text, right, "", {"at": {"x": f.place}})
        across = f"{f.at_place()} - (x - ({f.place:g}))/({f.at_place('x')})"
        yield Claim("normal", f.source, across, None, "", {"at": {"x": f.place}})


def _taylor(f: Subject) -> Iterator[Claim]:
    if f.names == ("x",):
        step = f"(x - ({f.place:g}))"
        own = f"{f.at_place()} + {f.at_place('x')}*{step} + {f.at_place('x', 'x')}/2*{step}^2"
        for text, right in f.near(own, polynomial(f.truth, f.place, 2)):
            yield Claim("taylor", f.source, text, right, "", {"at": {"x": f.place}, "order": 2})  # fmt: skip


def _directional(f: Subject) -> Iterator[Claim]:
    if {*f.names} == {"x", "y"}:
        rise = f"(3*({f.derived('x')}) + 4*({f.derived('y')}))/5"
        right = is_right(f.derived("x"), f.truth.of("x")) and is_right(f.derived("y"), f.truth.of("y"))  # fmt: skip
        yield Claim("directional", f.source, rise, right, "", {"direction": (3, 4)})


def _implicit(f: Subject) -> Iterator[Claim]:
    if {*f.names} == {"x", "y"}:
        slope = f"-({f.derived('x')})/({f.derived('y')})"
        right = is_right(f.derived("x"), f.truth.of("x")) and is_right(f.derived("y"), f.truth.of("y"))  # fmt: skip
        for text, own in ((slope, right), (perturbed(slope, f.rng), None)):
            yield Claim("implicit", f"{f.source} = 1", text, own, "", {"wrt": "x", "of": "y"})  # fmt: skip


def _parametric(f: Subject) -> Iterator[Claim]:
    if f.names == ("x",):
        t = Value(None, "t")
        slope = f"({put(f.derived('x'), t)})/(2*t)"
        curve = f"(t^2, {put(f.source, t)})"
        right = is_right(f.derived("x"), f.truth.of("x"))
        yield Claim("parametric", curve, slope, right, "", {"parameter": "t"})


def _critical(f: Subject) -> Iterator[Claim]:
    for kind in ("critical", "inflection", "stationary", "extremum", "maximum", "minimum"):  # fmt: skip
        yield Claim(kind, f.source, "0", None, "", {"wrt": "x"})


def _equal(f: Subject) -> Iterator[Claim]:
    for text, right in f.near(str(f.expression.simplify()), f.truth.of()):
        yield Claim("equal", f.source, text, right)


MAKERS: dict[str, Maker] = {
    "derivative": _derivative,
    "second": _second,
    "mixed": _mixed,
    "gradient": _gradient,
    "hessian": _hessian,
    "antiderivative": _antiderivative,
    "tangent": _tangent,
    "taylor": _taylor,
    "directional": _directional,
    "implicit": _implicit,
    "parametric": _parametric,
    "critical": _critical,
    "equal": _equal,
}
"""A maker or more for every one of `KINDS`, and one of equations."""

# Doors


def by_python(claim: Claim, folder: Path) -> str:
    """The functions of the package."""
    if claim.kind == "equal":
        return exprgrad.equivalent(claim.given, claim.claimed).status
    return exprgrad.check(claim.given, claim.claimed, kind=claim.kind, **claim.options).status  # fmt: skip


def by_command(claim: Claim, folder: Path) -> str:
    """`check` and `same`."""
    if claim.kind == "equal":
        return _status("same", claim.given, claim.claimed)
    argv = ["check", f"--kind={claim.kind}"]
    for name, option in claim.options.items():
        written = option
        if isinstance(option, dict):
            written = ",".join(f"{key}={number!r}" for key, number in option.items())
        elif isinstance(option, tuple):
            written = ",".join(map(str, option))
        argv.append(f"--{name}={written}")
    return _status(*argv, "--", claim.given, claim.claimed)


def by_sentence(claim: Claim, folder: Path) -> str:
    """The bare command line."""
    return _status(claim.sentence)


def by_session(claim: Claim, folder: Path) -> str:
    """A line of a session."""
    (found,) = exprgrad.Session().run(claim.sentence)
    verdict = getattr(found, "verdict", None)
    return REFUSED if verdict is None else verdict.status


def by_sheet(claim: Claim, folder: Path) -> str:
    """A line of a sheet."""
    path = folder / "sheet.txt"
    path.write_text(f"{claim.sentence}\n", encoding="utf-8")
    return _status("check", "--file", str(path))


def by_class_set(claim: Claim, folder: Path) -> str:
    """A row of a class set."""
    path = folder / "class.csv"
    problem, _, answer = claim.sentence.partition(" = ")
    cells = (f'"{cell}"' for cell in ("one", problem, answer))
    path.write_text(f"student,problem,answer\n{','.join(cells)}\n", encoding="utf-8")
    return _status("check", "--file", str(path), "--jobs", "1")


def by_work(claim: Claim, folder: Path) -> str:
    """A line of worked steps."""
    path = folder / "work.txt"
    path.write_text(f"{claim.sentence}\n", encoding="utf-8")
    return _status("check", "--work", str(path))


def by_document(claim: Claim, folder: Path) -> str:
    """A sentence of a document."""
    path = folder / "document.md"
    path.write_text(f"We find that\n\n{claim.sentence}\n", encoding="utf-8")
    return _status("audit", str(path))


Door = Callable[[Claim, Path], str]
SENTENCES: tuple[Door, ...] = (by_sentence, by_session)
SHEETS: tuple[Door, ...] = (by_sheet, by_class_set, by_work, by_document)
"""Doors that take derivatives only."""


def _status(*argv: str) -> str:
    """What a command says of the one claim that it was given."""
    _, out = printed(argv[0], "--format", "json", *argv[1:])
    found = json.loads(out) if out.strip() else {}
    for rows in ("problems", "rows", "claims"):
        if rows in found:
            found = next(iter(found[rows]), {})
    return str(found.get("status") or found.get("verdict") or REFUSED)


def doors(claim: Claim) -> Sequence[Door]:
    """Python, and two others that take such a claim."""
    others = [by_command]
    if claim.sentence:
        others += SENTENCES
        others += SHEETS if claim.kind == "derivative" else ()
    chance = random.Random(f"{claim.given} {claim.claimed}")
    return by_python, *chance.sample(others, min(2, len(others)))


# Judgement


class Fault(NamedTuple):
    """A verdict that is false, or none where there should be one."""

    kind: str
    way: str
    source: str
    claim: Claim
    said: object

    def __str__(self) -> str:
        claim = self.claim
        truth = {True: "right", False: "wrong", None: "open"}[claim.right]
        asked = f"{claim.kind} {claim.given!r} {claim.claimed!r} {dict(claim.options)}"
        return f"{self.kind} {self.way}: {asked:.600}, {truth}, is said to be {self.said}"  # fmt: skip


def judge(
    source: str, name: str, ways: Sequence[str], counts: Counts, folder: Path
) -> list[Fault]:
    """What is wrong with the verdicts on claims about a function."""
    found: list[Fault] = []
    subject = Subject(source, random.Random(name))
    for way in ways:
        try:
            for claim in MAKERS[way](subject):
                found += faults_of(way, source, claim, counts, folder)
        except ExprgradError:
            counts[way, REFUSED] += 1  # there is nothing to claim
        except Exception as error:
            found.append(Fault(RAISED, way, source, Claim(way, source, "", None), repr(error)))  # fmt: skip
    counts.update((fault.way, fault.kind) for fault in found)
    return found


def faults_of(
    way: str, source: str, claim: Claim, counts: Counts, folder: Path
) -> Iterator[Fault]:
    """What is wrong with the verdicts on a claim."""
    said: dict[str, str] = {}
    for door in doors(claim):
        name = door.__name__.removeprefix("by_")
        counts[f"by {name}", ASKED] += 1
        counts[way, ASKED] += 1
        try:
            status = door(claim, folder)
        except ExprgradError as error:
            status = REFUSED
            if isinstance(error, InternalError):
                yield Fault(RAISED, way, source, claim, f"{name}: {error.__cause__!r}")
        except Exception as error:
            status = REFUSED
            yield Fault(RAISED, way, source, claim, f"{name}: {error!r:.300}")
        said[name] = WORDS.get(status, status)
        counts[way, said[name]] += 1
    decided = {status for status in said.values() if status not in (REFUSED, UNDECIDED)}
    with_piece = {INCORRECT if status == PARTLY else status for status in decided}
    if claim.right is False and CORRECT in decided:
        yield Fault(ACCEPTED, way, source, claim, said)
    if claim.right and INCORRECT in decided:
        yield Fault(ACCUSED, way, source, claim, said)
    if len(with_piece) > 1:
        yield Fault(SPLIT, way, source, claim, said)


def make(name: str) -> str:
    """The function of that name."""
    return function(random.Random(name))


def judge_small(
    source: str, name: str, ways: Sequence[str], counts: Counts, small: bool
) -> list[Fault]:
    """The faults that a function brings to light; if `small`, with smallest functions."""
    with tempfile.TemporaryDirectory() as folder:
        faults = judge(source, name, ways, counts, Path(folder))
        if small:
            faults = [shrink(fault, name, Path(folder)) for fault in faults]
    return faults


def shrink(fault: Fault, name: str, folder: Path) -> Fault:
    """A fault of its kind and way about a smallest function."""

    def same(source: str) -> Fault | None:
        try:
            found = judge(source, name, [fault.way], Counts(), folder)
        except ExprgradError:
            return None
        return next((f for f in found if f.kind == fault.kind), None)

    return same(shrunk(fault.source, lambda s: same(s) is not None)) or fault


if __name__ == "__main__":
    sys.exit(campaign(__doc__ or "", make, judge_small, [*MAKERS]))
