"""The witness: what it confirms, what it refuses, and that no false claim passes, whatever a certificate says."""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import exprgrad
from exprgrad import witness
from exprgrad.commands.check import Check
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.operations.operation import TABLE
from tests.golden import compare
from tests.test_size import lines_of_code

SUITES = Path(__file__).resolve().parents[2] / "shared" / "suites"
DERIVATIVES = ("stack", "openstax", "deepmind", "rubi")
"""Suites of right derivatives, and of wrong ones as far as they have any."""

CLAIMS = """
    x^2*sin(x) | 2*x*sin(x) + x^2*cos(x)
    sin(x)^2 | sin(2*x)
    sqrt(x^2 + 1) | x/sqrt(x^2 + 1)
    (x^2 - 1)^(3/2) | 3*x*sqrt(x^2 - 1)
    x^(2/3) | 2/(3*x^(1/3))
    ln(x) | 1/x
    ln(abs(x)) | 1/x
    x^x | x^x*(ln(x) + 1)
    2^x | ln(4)/2*2^x
    exp(2*x)*cos(3*x) | exp(x)^2*(2*cos(3*x) - 3*sin(3*x))
    tan(x) | 1 + tan(x)^2
    sin(x + pi/3) | cos(x)/2 - sqrt(3)*sin(x)/2
    atan(x) | 1/(1 + x^2)
    asin(2*x) | 2/sqrt(1 - 4*x^2)
    x*abs(x) | 2*abs(x)
    x^4 - 2*x | 4*x^3 - 2
    3*x + exp(x) | 3*x^(2 - 2) + exp(x)
    (2*x + 3)^5/20 - 3*(2*x + 3)^4/16 | (2 + 3/x)^3*x^4
    ln((x + 1)/(x + 2)) | 1/((x + 1)*(x + 2))
    atanh(x) | 1/((1 - x)*(1 + x))
    cosh(x) | sinh(x)
    sqrt(x)/(x + 2) | (2 - x)/(2*sqrt(x)*(x + 2)^2)
"""
"""Functions and their derivatives."""

FALSE = """
    x^2/2 | sqrt(x^2)
    x*abs(x)/2 | x
    x | sqrt(x^2)/x
    x^2/2 | abs(x)
    abs(x) | 1
    x | exp(ln(x))/x
    x^2/2 | exp(ln(x))
    ln(abs(x)) | 1/abs(x)
    (x - 1000)^2/2 | abs(x - 1000)
    x^3/3 | x^2 + 1/10^30
    x^3 | 3*x^2 + abs(x) - x
    sin(x) | sqrt(1 - sin(x)^2)
    x^(2/3) | 2/3*abs(x)^(-1/3)
    x | sqrt(x)^2/x
    asin(sin(x)) | 1
"""
"""Claims that are false somewhere: for one sign, on a part of the domain, or by very little."""


def pairs(text: str) -> list[tuple[str, str]]:
    """The lines of a text as pairs."""
    lines = (line.partition("|") for line in text.strip().splitlines())
    return [(f.strip(), g.strip()) for f, _, g in lines]


def claimed(f: str, g: str) -> dict[str, object]:
    """A certificate which says that a claim is proved, without more."""
    own = {"expression": f, "claim": g, "wrt": "x", "order": 1, "certainty": "proved"}
    return own | {"points": [], "relations": [], "domains": []}


@cache
def certificates() -> list[dict[str, object]]:
    """Certificates of every kind, all of which are confirmed."""
    found = [exprgrad.check(f, g, wrt="x").certificate() for f, g in pairs(CLAIMS)]
    found += [exprgrad.check(f, f"({g}) + 1/7", wrt="x").certificate() for f, g in pairs(CLAIMS)]  # fmt: skip
    found += [exprgrad.check("x^3", "12", at={"x": 2}).certificate()]
    found += [exprgrad.check("sin(x)", "1/2", at="x = pi/3").certificate()]
    return [c for c in found if witness.verify(c)[0] == witness.CONFIRMED]


def test_the_witness_is_small_and_imports_nothing_of_the_package():
    path = Path(witness.__file__)
    assert "exprgrad import" not in path.read_text()
    assert lines_of_code(path) <= 300


@pytest.mark.slow
def test_a_certificate_leaves_out_the_logarithm_of_what_may_be_negative():
    claim = "(x^2 - 1)^x*(ln|x^2 - 1| + 2x^2/(x^2 - 1))"
    certificate = exprgrad.check("(x^2 - 1)^x", claim).certificate()
    assert witness.verify(certificate)[0] == witness.CONFIRMED


def test_a_power_with_a_whole_number_for_its_exponent_has_a_value_at_negative_numbers():
    certificate = exprgrad.check("(x - 3)^n*x", "n*x", "x", at={"x": 1, "n": 3}).certificate()  # fmt: skip
    assert certificate["status"] == "incorrect"
    assert witness.verify(certificate)[0] == witness.CONFIRMED


@pytest.mark.slow
def test_it_runs_where_the_package_is_not_there(tmp_path):
    shutil.copy(witness.__file__, tmp_path / "witness.py")
    codes = {}
    for claim in ("2x", "3x"):
        found = exprgrad.check("x^2", claim).certificate()
        found |= {} if claim == "2x" else {"certainty": "proved", "relations": [], "domains": []}  # fmt: skip
        (tmp_path / "c.json").write_text(json.dumps(found))
        own = [sys.executable, "-I", "-S", tmp_path / "witness.py", tmp_path / "c.json"]
        done = subprocess.run(own, capture_output=True, text=True, check=False)
        codes[claim] = done.stdout.partition(":")[0], done.returncode
    assert codes == {"2x": ("confirmed", 0), "3x": ("refused", 1)}


@pytest.mark.parametrize(("f", "g"), pairs(CLAIMS))
def test_a_proof_is_confirmed(f, g):
    found = exprgrad.check(f, g, wrt="x")
    assert found.certainty == "proved"
    assert witness.verify(found.certificate())[0] == witness.CONFIRMED


@pytest.mark.parametrize(("f", "g"), pairs(FALSE))
def test_what_is_false_somewhere_is_never_confirmed(f, g):
    assert witness.verify(claimed(f, g))[0] != witness.CONFIRMED
    assert exprgrad.check(f, g, wrt="x").status != "correct"


def test_a_point_that_refutes_is_confirmed_with_both_balls():
    found = exprgrad.check("sin(3x)", "cos(3x)").certificate()
    [point] = found["points"]
    assert point == {"at": {"x": "0"}, "derivative": ["3", "0"], "claimed": ["1", "0"]}
    assert witness.verify(found)[0] == witness.CONFIRMED
    point["derivative"] = ["2", "0"]
    assert witness.verify(found)[0] == witness.REFUSED


@pytest.mark.parametrize(
    ("f", "claim"), [("x^(10^16)", "10^16*x^(10^16 - 1)"), ("tanh(10^308*x)", "10^308")]
)
def test_a_certificate_has_no_points_whose_numbers_are_too_large_for_decimals(f, claim):
    found = exprgrad.check(f, claim).certificate()
    powers = [p["derivative"][0].partition("e")[2] for p in found["points"]]
    assert all(int(power or 0) < 10**6 for power in powers)
    assert witness.verify(found)[0] == witness.CONFIRMED


@pytest.mark.parametrize(
    ("f", "claim", "at"), [("abs(x)", "1", {"x": 0}), ("abs(x)", "dne", {"x": 0}), ("sqrt(-1 - x^2)", "dne", None)]
)  # fmt: skip
def test_there_is_no_certificate_that_there_is_no_derivative(f, claim, at):
    found = exprgrad.check(f, claim, "x", at=at)
    assert found.certainty == "proved"
    with pytest.raises(UsageError, match="no certificate for this verdict"):
        found.certificate()


@pytest.mark.parametrize(
    ("f", "claim", "where"),
    [("abs(x)", "1", ["x > 0"]), ("x*|x|", "2x", ["x > 5", "x < 7"]), ("x*|x - a|", "2x - a", ["x > a"])],
)  # fmt: skip
def test_the_points_of_a_certificate_meet_its_conditions(f, claim, where):
    found = exprgrad.check(f, claim, "x", where=where).certificate()
    assert (found["status"], found["where"]) == ("correct", where)
    assert found["points"]
    assert witness.verify(found)[0] == witness.CONFIRMED


@pytest.mark.slow
def test_a_certificate_says_where_parts_have_values_and_which_relations_hold():
    found = exprgrad.check("sqrt(x^2 - 1)", "x/sqrt(x^2 - 1)").certificate()
    assert {"part": "sqrt(x^2 - 1)", "where": ["x^2 - 1 >= 0"]} in found["domains"]
    [relation] = found["relations"]
    assert relation["where"] == [f"{relation['claim']} >= 0"]
    relation["where"] = []
    assert witness.verify(found)[0] == witness.REFUSED


@pytest.mark.slow
def test_conditions_and_an_answer_with_holes_are_part_of_a_certificate():
    for more in ({"where": "x > 0"}, {"condone_domain": True}):
        found = exprgrad.check("ln|x|", "1/x*sqrt(x)/sqrt(x)", wrt="x", **more)
        assert (found.status, witness.verify(found.certificate())[0]) == ("correct", witness.CONFIRMED)  # fmt: skip


def test_the_command_line_writes_what_python_gives(tmp_path):
    file = tmp_path / "certificate.json"
    assert Check(expression="x^2", claim="3x", certificate=file).run().code == 1
    assert json.loads(file.read_text()) == exprgrad.check("x^2", "3x").certificate()
    with pytest.raises(UsageError, match="about one claim"):
        Check(expression="x y", claims=["x=y", "y=x"], certificate=file).run()


def test_equal_expressions_have_a_certificate():
    for a, b, status in (("sin(2x)", "2 sin x cos x", "equal"), ("x", "sqrt(x^2)", "different")):  # fmt: skip
        found = exprgrad.equivalent(a, b)
        assert found.status == status
        assert witness.verify(found.certificate())[0] == witness.CONFIRMED


def test_a_verdict_that_nothing_decides_has_no_certificate():
    with pytest.raises(UsageError, match="no certificate"):
        exprgrad.check("x/3", "0.333").certificate()
    with pytest.raises(UsageError, match="no certificate"):
        exprgrad.check("x^2", "2x-1", kind="tangent", at={"x": 1}).certificate()


@pytest.mark.parametrize("certificate", [None, {}, {"expression": 3}, claimed("x +", "1"), claimed("import os", "1"), claimed("x^x^x^x^" * 900 + "x", "1")])  # fmt: skip
def test_what_cannot_be_read_says_nothing(certificate):
    assert witness.verify(certificate)[0] == witness.CANNOT_TELL


# What is covered


@pytest.mark.slow
def test_operations_that_are_covered_do_not_become_fewer():
    lines = []
    for name, row in TABLE.items():
        args = {1: "x/3", 2: "x/3, 2"}.get(row.arity, "")
        if row.whole or not args:
            continue
        with_values = f"{name}(3/(x/3))" if name in ("asec", "acsc", "acosh", "acoth") else f"{name}({args})"  # fmt: skip
        try:
            f = exprgrad.parse(with_values, ["x"])
            found = claimed(str(f), str(f.derivative("x")))
            lines.append(f"{name:14}{witness.verify(found)[0]}\n")
        except ExprgradError:
            continue
    compare(Path(__file__).parent / "recorded" / "witness.txt", "".join(lines))


# Certificates that were edited


def edits(source: random.Random) -> Iterator[dict[str, object]]:
    """Certificates with one thing changed, so that what they say is false."""
    other = ("1", "1/1000", "x", "x^2", "1/10^20", "sin(x)", "exp(x/100)", "abs(x) - x + 1/9")  # fmt: skip
    while True:
        found = copy.deepcopy(source.choice(certificates()))
        kind = source.choice(("claim", "expression", "ball", "relation", "domain"))
        sign, more, times = source.choice("+-"), source.choice(other), source.randint(2, 99)  # fmt: skip
        if kind in ("claim", "expression") and found["certainty"] == "proved":
            x = "x^2*" if kind == "expression" else ""
            found[kind] = f"{found[kind]} {sign} {x}{times}*({more})"
            yield found
        elif kind == "ball" and found["certainty"] != "proved":
            side = source.choice(("derivative", "claimed"))
            middle, radius = found["points"][0][side]
            off = f"{source.randint(1, 9)}e-{source.randint(0, 25)}"
            found["points"][0][side] = [str(witness.Decimal(middle) + witness.Decimal(off)), radius]  # fmt: skip
            yield found
        elif kind == "relation" and found.get("relations"):
            relation = source.choice(found["relations"])
            relation["claim"] = f"({relation['claim']}) {sign} {times}*({more})"
            yield found
        elif kind == "domain" and found.get("domains"):
            domain = source.choice(found["domains"])
            condition = source.choice(domain["where"])
            turned = {">": "<", "<": ">"}.get(condition.split()[-2][0])
            if turned:
                own = condition.split()
                domain["where"] = [" ".join([*own[:-2], turned, own[-1]])]
                yield found


@pytest.mark.slow
@pytest.mark.parametrize("count", [100, 10_000] if os.environ.get("EXPRGRAD_PROFILE") == "long" else [50])  # fmt: skip
def test_certificates_that_were_edited_are_refused(count):
    found = edits(random.Random(count))
    for _ in range(count):
        certificate = next(found)
        assert witness.verify(certificate)[0] == witness.REFUSED, certificate


# A second opinion on the suites


def rows(name: str, most: int) -> list[dict[str, object]]:
    """Rows of a suite, spread evenly."""
    path = SUITES / f"{name}.jsonl"
    if not path.exists():
        pytest.skip("the suites are not there")
    every = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    every = [row for row in every if row.get("kind", "derivative") == "derivative" and "var" in row]  # fmt: skip
    return every[:: max(1, len(every) // most)]


def second_opinions(name: str, most: int) -> Counter[tuple[str, str]]:
    """What the witness says of every verdict on a suite, by certainty."""
    found: Counter[tuple[str, str]] = Counter()
    for row in rows(name, most):
        for side in {"derivative", "claimed"} & {*row}:
            try:
                verdict = exprgrad.check(row["expr"], row[side], wrt=row["var"], order=row.get("order", 1))  # fmt: skip
                certificate = verdict.certificate()
            except ExprgradError:
                continue
            said = witness.verify(certificate)
            assert said[0] != witness.REFUSED, (row.get("id"), said)
            found[verdict.certainty, said[0]] += 1
            if verdict.certainty == "refuted":
                wrong = claimed(certificate["expression"], certificate["claim"]) | {"order": verdict.order, "wrt": verdict.wrt}  # fmt: skip
                assert witness.verify(wrong)[0] != witness.CONFIRMED, row.get("id")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", [*DERIVATIVES, "webwork", "webwork_wrong"])
def test_the_witness_agrees_with_every_verdict_on_a_suite(name):
    found = second_opinions(name, 300)
    proved = {said: n for (certainty, said), n in found.items() if certainty == "proved"}  # fmt: skip
    assert proved.get(witness.CONFIRMED, 0) >= 0.95 * sum(proved.values()), found
