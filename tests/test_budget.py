"""One budget of work for a call: every stage draws from it, and none takes its end for a fact."""

from __future__ import annotations

import inspect

import pytest

import exprgrad
from exprgrad import check, equivalent, minimize, parse
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.budget import (
    LEAST,
    USUAL,
    Budget,
    OutOfBudgetError,
    Spent,
    counted,
    current,
    limited,
    limits,
    share,
    spend,
    weigh,
)
from exprgrad.budget import LONG as TAKES_LONG
from exprgrad.checking.agreement import of_probes
from exprgrad.checking.mistakes.mistake import Mistake
from exprgrad.checking.mistakes.whole_answer import Rewriting, first
from exprgrad.checking.points import Trail
from exprgrad.cli.start import run as program
from exprgrad.commands.declared import COMMANDS, command_of, options_of
from exprgrad.errors import UsageError
from exprgrad.sweeps.precise import Probe

HARD = "(1 - cos(x))/x^2"
LONG = " + ".join(f"(1 - cos({k}*x))/x^2" for k in range(1, 30))


def test_a_share_is_in_proportion_and_no_more_than_is_left():
    assert share(1000) == 1000
    with limited(USUAL // 2):
        assert share(1000) == 500
    with limited(USUAL * 10):
        assert share(1000) == 10_000
    with limited(Budget(2000)) as own:
        assert share(USUAL) == 2000
        spend(1500, "a stage")
        assert share(USUAL) == 500
    assert (own.spent, own.left_out, own.remark) == (1500, (), None)
    assert current() is None


def test_what_is_spent_within_a_call_is_spent_by_the_call():
    with limited(5000) as whole:
        with limited(3000):
            spend(2000, "a part")
        with limited(None):
            spend(100, "another")
        assert whole.spent == 2100
        with pytest.raises(OutOfBudgetError, match="cut short: a part"), limited(1000):  # fmt: skip
            spend(1001, "a part")
        with pytest.raises(Spent):
            spend(5000, "the rest")


@pytest.mark.slow
def test_operations_on_bits_are_counted_by_the_time_they_take():
    with limited(USUAL) as budget:
        f = "cosh(abs(x))^(-3/2) + tanh(abs(x))"  # has polynomials with long roots
        assert check(f, "0", kind="critical").status == "partly"
    assert 0 < budget.spent < USUAL / 2


@pytest.mark.slow
def test_looks_with_many_digits_end_by_the_work_that_they_really_take():
    with limits() as whole:
        # every point of this curve is found anew for each number of digits
        claim = check("(ceil(x)^(3/2)*tan(x)^2)^y = 1", "0", kind="implicit")
    assert claim.status == "undecided"
    assert "too large to be compared" in claim.evidence
    assert whole.spent < USUAL / 2


def test_what_is_out_of_reach_for_a_stage_is_not_taken_from_the_call():
    with limited(USUAL) as budget:
        with pytest.raises(OutOfReachError):
            Work(1000).spend(10**9)
        assert budget.spent <= 1000


@pytest.mark.parametrize("budget", [0, LEAST - 1, -5, 1.5, "many", True])
def test_a_budget_is_a_number_of_operations(budget):
    with pytest.raises(UsageError, match="a budget is"):
        parse("x").evaluate({"x": 1}, budget=budget)


def test_a_number_without_enough_work_has_fewer_digits_and_the_stage_is_named():
    with limited(LEAST) as own:
        found = parse(LONG).evaluate({"x": 1e-8}, digits=900)
    assert own.left_out == ("sweeps with more digits",)
    assert found.known().sure < 900
    whole = parse(LONG).evaluate({"x": 1e-8}, digits=900).known()
    assert whole.sure >= 900
    assert abs(found.value - whole.value) <= found.error


RIGHT = [
    ("x^2*sin(x)", "2x*sin(x) + x^2*cos(x)"),
    ("ln(sqrt(x^2 + 1))", "x/(x^2 + 1)"),
    ("(x^2 - 1)^5/(x - 1)^4", "(x+1)^4*(6x - 4) + 0*x"),
]


@pytest.mark.parametrize("budget", [1000, 3000, 10_000, 100_000])
@pytest.mark.parametrize(("given", "claim"), RIGHT[:2])
def test_no_budget_makes_a_right_claim_wrong(given, claim, budget):
    found = check(given, claim, budget=budget)
    assert found.status in ("correct", "undecided")
    if found.status == "undecided":
        assert "out of budget" in found.evidence
    assert check(given, claim + " + 1", budget=budget).status in ("incorrect", "undecided")  # fmt: skip


def test_the_same_budget_gives_the_same_answer():
    def once():
        with limited(20_000) as own:
            found = equivalent("sin(x+y)^4", "(sin(x)cos(y) + cos(x)sin(y))^4")
        return found.status, found.evidence, own.spent

    assert once() == once()


def test_a_formula_stays_as_it_is_and_a_descent_ends_where_it_is():
    whole = "(x^4 - 1)/(x^2 - 1)*(x + y)^9"
    short = parse(whole).simplify(budget=LEAST)
    assert short.evaluate({"x": 2, "y": 1}).value == parse(whole)(x=2, y=1)
    start = {"x": -1.2, "y": 1}
    descent = minimize("(1-x)^2 + 100*(y-x^2)^2", start, "gd", rate=1e-4, budget=LEAST)
    assert descent.result.status == "steps"
    assert "out of budget" in descent.result.reason


def test_a_curve_has_no_gaps_for_want_of_work():
    with pytest.raises(OutOfBudgetError):
        parse("gamma(x)*sin(x)").plot(budget=LEAST)


@pytest.mark.slow
def test_a_large_expression_is_drawn_without_a_search_for_what_is_to_be_seen():
    plot = parse("+".join(f"sin({k}*x)/{k}" for k in range(1, 400))).plot()
    assert "its zeros and extrema were not looked for" in plot.notes[0]
    assert (plot.window.left, plot.window.right) == (-5, 5)


def test_public_functions_take_a_budget():
    methods = [getattr(exprgrad.Expression, n) for n in ("evaluate", "derivative", "simplify", "hessian", "plot")]  # fmt: skip
    functions = (check, equivalent, minimize, exprgrad.simplify, exprgrad.compare, exprgrad.fit, exprgrad.derivatives, exprgrad.directional)  # fmt: skip
    for function in (*methods, *functions):
        assert "budget" in inspect.signature(function).parameters, function


def test_every_command_that_works_takes_a_budget():
    # a budget of uncertainty is a file, and a table may have any number of rows
    without = {"help", "ops", "repl", "uncertainty", "batch"}
    own = {n for n in COMMANDS if "operations" in options_of(command_of(n)).values()}
    assert set(COMMANDS) - own == without


def test_a_command_without_enough_work_says_so(capsys):
    argv = ["eval", HARD, "--at", "x=1e-8", "--digits", "17", "--trust", "--budget"]
    assert program([*argv, "1000000"]) == 0
    capsys.readouterr()
    assert program(["diff", "(x^4-1)^3/(x^2-1)^3*(x+1)^9", "--budget", "1000"]) in (
        0,
        3,
    )
    told = capsys.readouterr()
    assert "out of budget (1,000 operations)" in told.err
    assert program(["check", "sin(x)^4*exp(x)", "x", "--budget", "1000"]) in (1, 3)


@pytest.mark.slow
def test_a_check_that_takes_long_says_what_it_has_cut_short():
    function = "+".join(f"sin({i}x*y)*exp(x/{i})/(y+{i})" for i in range(1, 7))
    f = parse(function)
    entries = [[str(f.derivative(a).derivative(b)) for b in "xy"] for a in "xy"]
    claim = f"[[{entries[0][0]}, {entries[0][1]}], [{entries[1][0]}, {entries[1][1]}]]"
    found = check(function, claim, kind="hessian")
    assert found.status == "correct"
    assert "what takes long was cut short: rewriting and proofs" in found.notes
    assert check(function, "x", wrt="x").notes == ()


@pytest.mark.slow
def test_a_check_that_has_taken_long_searches_less_for_pieces_of_the_domain_and_says_so():
    function = "cosh(x - y)^(-5/2)*tanh(x - y)*acosh(tan(y/x))"
    f = parse(function)
    entries = [[str(f.derivative(a, b)) for b in "xy"] for a in "xy"]
    found = check(function, entries, kind="hessian")
    assert found.status == "correct"
    assert (
        "what takes long was cut short: the search for pieces of the domain"
        in found.notes
    )
    alone = check(function, str(f.derivative("x")), wrt="x")
    assert alone.status == "correct"
    assert alone.notes == ()
    with limits(seconds=100):  # a clock changes no verdict
        assert check(function, entries, kind="hessian").evidence == found.evidence


@pytest.mark.slow
def test_a_check_on_a_curve_that_has_taken_long_looks_at_fewer_points_and_says_so():
    found = check("sign(sinh(x - y))*tanh(x - y) = 1", "x", kind="implicit", wrt="x", of="y")  # fmt: skip
    assert found.status == "undecided"
    assert found.notes == ("what takes long was cut short: the points of a curve",)


def test_points_end_where_a_check_has_taken_long_and_pieces_may_be_missing_then():
    with counted() as work:
        trail = Trail({"x": float(i)} for i in range(9))
        seen = iter(trail)
        next(seen)
        work.weighed += 2 * TAKES_LONG + 1
        assert list(seen) == []
        assert trail.is_cut
        # what was found is there for who asks again
        assert list(trail) == [{"x": 0.0}]
        assert work.left_out == ("looks at points",)
        later = Trail({"x": float(i)} for i in range(9))
        assert len(list(later)) == 9
    whole = Trail({"x": float(i)} for i in range(9))
    assert len(list(whole)) == 9
    assert not whole.is_cut


def test_points_that_were_begun_in_a_check_go_on_without_a_budget_whatever_was_done_before():
    with counted():
        trail = Trail({"x": float(i)} for i in range(9))
        assert trail.end <= 3 * TAKES_LONG
    weigh(10 * TAKES_LONG)
    assert len(list(trail)) == 9
    assert not trail.is_cut


def test_the_points_of_an_answer_in_a_list_end_by_what_is_done_for_it_and_not_for_those_before():
    with counted() as work:
        trail = Trail({"x": float(i)} for i in range(9))
        work.weighed += 3 * TAKES_LONG
        assert len(list(trail)) == 9
        assert not trail.is_cut


def test_a_proof_makes_no_claim_right_where_the_points_that_show_its_domain_were_cut_short(
    monkeypatch,
):
    claim = "2x + 0*ln(|x - 7.5| - 0.0001)"  # with no value around 7.5
    assert check("x^2", claim).status == "partly"
    monkeypatch.setattr("exprgrad.budget.LONG", 500)
    found = check("x^2", claim)
    assert found.status == "undecided"
    assert "the search for pieces of the domain was cut short" in found.evidence


@pytest.mark.parametrize(
    ("f", "claim", "budget"),
    [("x^3 - 3x", "1", 1000), ("x^2*sin(x)", "0", 5000), ("x^3 - 3x*y + y^3", "(0, 0)", 2000)],
)  # fmt: skip
def test_critical_points_are_not_all_where_a_small_budget_ended_the_search_for_others(
    f, claim, budget
):
    assert check(f, claim, kind="critical").status == "partly"
    found = check(f, claim, kind="critical", budget=budget)
    assert found.status == "undecided"
    assert found.evidence.startswith(f"out of budget ({budget:,} operations)")


@pytest.mark.slow
def test_a_check_at_many_corners_ends_and_says_what_it_left_out():
    given = "(log10(sin(y)) == ceil(root(y, 3)))^sqrt(asech(x)^(1/3))"
    with counted() as work:
        found = check(given, "0", wrt=("x", "y"))
    assert found.status == "undecided"
    assert work.weighed < 2.5 * TAKES_LONG
    assert work.left_out == ("looks at points",)


def test_the_search_for_mistakes_ends_where_a_check_has_taken_long():
    wrong = Mistake.of("slip", "a rule", "this", "look")
    of, claim = parse("x^2"), parse("x")
    probes = Probe(of.tape), Probe(claim.tape)
    sides = of_probes(*probes, "x", (of.root, claim.root))
    rewritings = [Rewriting(wrong, parse("x").root)] * 2
    telling = [{"x": 0.3}, {"x": 1.7}]
    with counted() as work:
        assert first(rewritings, sides, telling) == wrong

        def late():
            work.weighed += 2 * TAKES_LONG
            yield from rewritings

        assert first(late(), sides, telling) is None
        assert work.left_out == ("the search for mistakes",)
