"""A claim is looked at in every piece of the domain, along every variable, by work and never by a clock."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import exprgrad
from exprgrad.checking import agreement, domain, judging, levels
from exprgrad.checking.points import Places, Trail
from exprgrad.checking.right_pieces import fails_whole
from exprgrad.errors import BindingError
from exprgrad.numbers.real import kept
from exprgrad.sweeps.precise import Look

NEAR_MISSES = [
    ("x*|y-10|", "10-y"),
    ("x*max(y,10)", "10"),
    ("x*y", "y+max(0,y-10)"),
    ("x*sin(4*pi*y)", "0"),
    ("x*sin(40*pi*y)", "0"),
    ("x^2", "2x+max(0,x-50)*1e-3"),
    ("x^2", "2x+max(0,x-50)*1e-30"),
    ("x^2", "2x+max(0,1e-6-(x-77.7)^2)^2"),
    ("e^(2x^2)", "4x*e^(2x^2)+max(0,-x-3)"),
    ("x^2", "2x+if(sin(1000x)>0.99999,1,0)"),
    ("x^2", "2x+max(0,ln(|x|+1)-20)"),
    ("x^2", "2x+max(0,1-1e6*(sin(x)-0.5)^2)"),
    ("x^2", "2x+max(0,cos(x)+x/100-1.15)"),
    ("x^2", "2x+max(0,(x-7)*(7.001-x))"),
    ("x*y*z", "y*z+max(0,y-10)*max(0,z-20)"),
    ("x*y", "y+1e-10*sin(8*pi*y)"),
    ("x^3+y", "3x^2+max(0,x-y-100)*max(0,y-1)"),
    ("x^2*ln(x-10^8)", "2x*ln(x-10^8)"),
    ("x^2", "2x + 1e-20*(sqrt(x^2) - x)"),
    ("x*y", "y + 1e-20*(sqrt(y^2) - y)"),
    ("x*a*b*c*d", "a*b*c*d+max(0,a-10)*max(0,b-20)*max(0,c+30)*max(0,d)*1e-9"),
    ("a*x^2", "2a*x+max(0,a-b)*max(0,b-50)"),
    ("x*a*b*c*d*m", "a*b*c*d*m+max(0,a-b-100)*max(0,b-c-30)"),
    ("x*(a+b+c+d+m+n+p+q)", "a+b+c+d+m+n+p+q+max(0,a-10)*max(0,b-20)*max(0,c-20)"),
    ("ln(x*y)*ln(1-x*y)", "ln(1-x*y)/x - ln(x*y)*y/(1-x*y) + if(x>1,1,0)"),
    ("n*asin(x*y)^(1/2)", "n*y/(2*sqrt(asin(x*y))*sqrt(1-x^2*y^2)) + if(x>1,1,0)"),
    ("atanh(x*y)^(5/2)", "5*atanh(x*y)^(3/2)*y/(2*(1-x^2*y^2)) + if(x>1,1,0)"),
    ("x*y", "y+" + "".join(f"0*|y-{k}|+" for k in range(60)) + "max(0,y-200)"),
]


@pytest.mark.parametrize(("f", "claim"), NEAR_MISSES)
def test_a_claim_that_fails_on_one_piece_only_is_refused(f, claim):
    assert exprgrad.check(f, claim, "x").status in ("incorrect", "partly")


@pytest.mark.parametrize(
    ("f", "claim"),
    [
        ("x*|y-10|", "|10-y|"),
        ("x*max(y,10)", "max(10,y)"),
        ("x*y", "y+max(0,y-10)-max(0,y-10)"),
        ("m*(3*10^8)^2", "(3*10^8)^2"),
        ("x^2*ln(x-10^8)", "2x*ln(x-10^8)+x^2/(x-10^8)"),
        ("x*floor(y)", "floor(y)"),
        ("e^(2x^2)", "4x*e^(2x^2)"),
        ("x^(-(abs(-25)/27))", "-25/27*x^(-52/27)"),
    ],
)
def test_a_right_claim_is_right_on_every_piece(f, claim):
    name = "m" if f.startswith("m") else "x"
    assert exprgrad.check(f, claim, name).status == "correct"


@pytest.mark.slow
def test_slopes_of_astronomical_size_leave_a_verdict():
    f = "(x^(1/ln(x))*(tanh(sqrt(x))^(-2/3) - tanh(sqrt(x))^(-1/2)*tanh(sqrt(x))))^(1/4)"
    assert exprgrad.check(f, "x", "x").status == "incorrect"


def test_held_values_of_later_rounds_are_in_general_position():
    for index in (2, 3, 4, 5):
        values = domain.held(["a", "b", "c"], index).values()
        assert all(x * 16 % 1 for x in values)


CLOCK = re.compile(
    r"^ *(?:import|from) (?:time|datetime|timeit|signal|resource|threading|sched)\b",
    re.M,
)


def test_nothing_that_decides_reads_a_clock():
    package = Path(exprgrad.__file__).parent
    for folder in ("checking", "proof", "sweeps", "symbolic", "graph", "operations"):
        for path in (package / folder).rglob("*.py"):
            assert not CLOCK.search(path.read_text(encoding="utf-8")), path.name


def test_a_screening_that_was_cut_short_proves_nothing(monkeypatch):
    monkeypatch.setattr(agreement, "FLOAT_WORK", 10)
    verdict = exprgrad.check("x^2", "2x+max(0,x-50)*1e-3")
    assert verdict.status == "undecided"
    assert "too large" in verdict.evidence
    assert exprgrad.check("x^2", "2x").status == "undecided"


@pytest.mark.slow
def test_verdicts_do_not_depend_on_the_hash_seed():
    script = (
        "import exprgrad; [print(exprgrad.check(f, c, 'x')[:2]) for f, c in"
        " [('x*max(y,10)', '10'), ('x^2', '2x+max(0,x-50)'), ('tan(x)', 'sec(x)^2')]]"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


def test_a_proof_saves_looks_where_the_domain_of_the_claim_is_known(monkeypatch):
    looks = []
    screened = agreement.screened
    monkeypatch.setattr(
        agreement, "screened", lambda *own: looks.append(own) or screened(*own)
    )
    found = exprgrad.check("(a+b*x)^(n+1)/(b*(n+1))", "(a+b*x)^n", "x")
    assert found.evidence.startswith("proved")
    assert len(looks) <= agreement.FIRST_LOOKS
    exprgrad.check("x*max(y,10)", "max(10,y)", "x")
    assert len(looks) > 5 * agreement.FIRST_LOOKS


@pytest.mark.slow
def test_a_search_for_pieces_that_is_cut_short_leaves_the_question_open(monkeypatch):
    monkeypatch.setattr(judging, "is_zero", lambda difference: False)
    f, right, wrong = "x*max(y,10)+|y-x|", "max(10,y)+sign(x-y)", "10+sign(x-y)"
    assert exprgrad.check(f, right, "x").status == "correct"
    monkeypatch.setattr(domain, "WORK", 10)
    found = exprgrad.check(f, right, "x")
    assert found.status == "undecided"
    assert "the search for pieces of the domain was cut short" in found.evidence
    assert exprgrad.check(f, wrong, "x").status in ("incorrect", "undecided")
    same = exprgrad.equivalent("|x-y|+|y-3|", "|y-x|+|3-y|")
    assert same.status == "undecided"
    assert "cut short" in same.evidence


@pytest.mark.slow
def test_pieces_in_many_variables_are_all_seen_or_the_question_is_open(monkeypatch):
    monkeypatch.setattr(judging, "is_zero", lambda difference: False)
    f = "x*(" + "+".join(f"|{name}-2|*|{name}-10|" for name in "abcd") + ")"
    right = "+".join(f"|({name}-2)*({name}-10)|" for name in "abcd")
    found = exprgrad.check(f, right, "x")
    assert found.status == "correct"
    assert int(re.search(r"\d+", found.evidence)[0]) >= 3**4
    monkeypatch.setattr(domain, "ALL_WORK", 10_000)
    found = exprgrad.check(f, right, "x")
    assert found.status == "undecided"
    assert "cut short" in found.evidence


def test_equations_that_are_left_unsolved_leave_the_question_open(monkeypatch):
    monkeypatch.setattr(judging, "is_zero", lambda difference: False)
    f, right = "x*|ln|y-1|-1|", "|1-ln|1-y||"
    assert exprgrad.check(f, right, "x").status == "correct"
    monkeypatch.setattr(levels, "MOST_SOLVED", 1)
    assert exprgrad.check(f, right, "x").status == "undecided"


def test_equal_conditions_and_powers_of_one_are_looked_at_once():
    parts = "+".join(f"1/(b^{k}*(x^2-2*b)^{k}*sqrt(x+c))" for k in range(1, 60))
    guards = domain.Guards([exprgrad.parse(parts).root])
    assert not guards.is_cut
    assert len(guards.parts) == 3
    assert guards.breaks("x", {"b": 2.0, "c": 5.0}) == [-5.0, -2.0, 2.0]
    assert guards.breaks("b", {"x": 2.0, "c": 5.0}) == [0.0, 2.0]


def test_what_repeats_leaves_room_for_what_does_not():
    waves = "+".join(f"|sin({k}*x+1/3)|" for k in range(1, 12))
    guards = domain.Guards([exprgrad.parse(f"{waves} + |x - 900|").root])
    places = guards.breaks("x", {})
    assert 900.0 in places
    assert len(places) == 2 * domain.MOST_BREAKS
    assert not guards.is_cut


@pytest.mark.slow
def test_verdicts_are_the_same_where_everything_takes_many_times_as_long():
    """By hand with more pairs; nothing that decides reads a clock."""
    pairs = [("x^2*sin(3x)", "2x*sin(3x)+x^2*cos(3x)"), ("x*max(y,10)", "10"), ("x^3", "3x^2")]  # fmt: skip

    def verdicts():
        found = [exprgrad.check(f, claim, "x") for f, claim in pairs]
        return [(v.status, v.evidence, v.mistake, v.notes) for v in found]

    def slowly(*_: object):
        for _ in range(40):
            pass
        return slowly

    quick, watching = verdicts(), sys.gettrace()
    sys.settrace(slowly)
    try:
        assert verdicts() == quick
    finally:
        sys.settrace(watching)


def test_a_piece_beyond_the_points_of_a_large_problem_is_looked_at() -> None:
    class Halves(Places):
        def __init__(self, last: float) -> None:
            super().__init__()
            self.last = last

        def cell(self, at):
            return at["x"] >= self.last, ()

    def found(last: float) -> agreement.Findings:
        one, two = kept(1), kept(2)
        sides = agreement.Sides(
            lambda at, digits: Look(one if digits else 1.0, None),
            lambda at, digits: Look(
                (two if digits else 2.0) if at["x"] >= last else one if digits else 1.0,
                None,
            ),
            ("x",),
            "x",
            cost=1,
            weight=10_000,
            trail=Trail(iter([{"x": float(k)} for k in range(60)])),
            survey=Halves(last),
        )
        return agreement.examine(sides, lambda: False)

    assert found(55).against is not None
    assert found(60).enough


def test_a_point_has_no_variables_that_nothing_depends_on() -> None:
    with pytest.raises(BindingError, match="variable z"):
        exprgrad.check("x^2", "2x", at={"x": 1, "z": 2})


@pytest.mark.slow
def test_a_piece_with_numbers_too_large_leaves_the_question_open(monkeypatch):
    monkeypatch.setattr(judging, "is_zero", lambda difference: False)
    found = exprgrad.check("x*|y-1|+x*e^(9^(9^y))", "|1-y|+e^(9^(9^y))", "x")
    assert found.status == "undecided"
    assert re.search(r"but not around x = .*, y = .* too large", found.evidence)


def test_numbers_too_large_for_digits_are_compared_where_they_cancel():
    found = exprgrad.check("x*(|y-900|+e^(y^2))", "|900-y|+e^(y^2)+max(0,y-900)", "x")
    assert found.status == "incorrect"
    assert "they differ by " in found.evidence


def test_a_look_that_would_take_too_many_digits_makes_no_piece_certain(monkeypatch):
    monkeypatch.setattr(judging, "is_zero", lambda difference: False)
    f, right = "x*(1+1e-200*y)", "1+1e-200*y"
    assert exprgrad.check(f, right, "x").status == "correct"
    monkeypatch.setattr(agreement, "DEEP_WORK", 1)
    assert exprgrad.check(f, right, "x").status == "undecided"


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("sin(x)^2", True),
        ("x^0.5 + ln(x)", True),
        ("(x^2)^0.5", False),
        ("(x^2 + 1)^0.5", True),
        ("x^0.5*y", False),
        ("2^x/(x - 3)", True),
        ("|x| + x", False),
    ],
)
def test_what_differs_somewhere_differs_on_every_piece_of_what_is_analytic(text, fails):
    f = exprgrad.parse(text)
    assert fails_whole([f.root], f.variables) is fails
