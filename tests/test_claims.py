"""Claims of every kind at every door, beside sweeps; `tests.claims` judges as many as one likes by hand."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from exprgrad.checking.kinds.rows import KINDS
from tests import claims
from tests.claims import (
    ACCEPTED,
    ACCUSED,
    MAKERS,
    RAISED,
    SPLIT,
    Claim,
    Fault,
    faults_of,
    judge,
    make,
)

COUNT, PARTS = 12, 4
OTHERS = [way for way in MAKERS if way != "derivative"]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_no_verdict_is_false_and_doors_agree(part, tmp_path):
    found: list[Fault] = []
    for number in range(part, COUNT, PARTS):
        name, ways = f"ci/{number}", ["derivative", OTHERS[number % len(OTHERS)]]
        found += judge(make(name), name, ways, Counter(), tmp_path)
    assert not found, "\n".join(map(str, found))


@pytest.mark.slow
def test_every_kind_of_question_is_asked():
    kinds = {
        claim.kind
        for source in ("x^2*y", "x^3")
        for maker in MAKERS.values()
        for claim in maker(claims.Subject(source, random.Random(1)))
    }
    assert kinds == {*KINDS, "equal"}


CLAIM = Claim("derivative", "x^2", "2x", True, "d/dx (x^2) = 2x", {"wrt": "x"})


@pytest.mark.parametrize("door", [claims.by_python, claims.by_command, *claims.SENTENCES, *claims.SHEETS])  # fmt: skip
def test_every_door_says_what_is_right_and_what_is_wrong(door, tmp_path):
    for claimed, status in (("2x", "correct"), ("3x", "incorrect")):
        claim = CLAIM._replace(claimed=claimed, sentence=f"d/dx (x^2) = {claimed}")
        said = door(claim, tmp_path)
        assert claims.WORDS.get(said, said) == status


@pytest.mark.parametrize(
    ("right", "said", "kinds"),
    [
        (True, ["incorrect"], [ACCUSED]),
        (False, ["correct"], [ACCEPTED]),
        (None, ["correct", "incorrect"], [SPLIT]),
        (False, ["partly", "incorrect"], []),
        (True, ["undecided", "correct", "refused"], []),
        (None, [ZeroDivisionError("1/0")], [RAISED]),
    ],
)
def test_a_verdict_is_judged_by_what_is_known_of_the_claim(
    right, said, kinds, monkeypatch, tmp_path
):
    def by(outcome):
        def door(claim, folder):
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        door.__name__ = f"by_{outcome}"
        return door

    monkeypatch.setattr(claims, "doors", lambda claim: list(map(by, said)))
    claim = CLAIM._replace(right=right)
    found = faults_of("derivative", "x^2", claim, Counter(), tmp_path)
    assert [fault.kind for fault in found] == kinds


def test_perturbed_claims_are_known_to_be_wrong():
    subject = claims.Subject("x^2*sin(x)", random.Random(1))
    truth = subject.truth.of("x")
    assert claims.is_right("2x*sin(x) + x^2*cos(x)", truth) is True
    assert claims.is_right("2x*cos(x)", truth) is False
    assert claims.is_right("ln(-1 - x^2)", truth) is None
