"""Sentences beside results are true where the obvious ones would not be."""

from __future__ import annotations


def test_a_point_between_two_undefined_sides_is_not_called_a_corner(run):
    told = run("eval", "(2-x)^(x/x)", "--at", "x=3", "--trace").out
    assert "no rule holds at this point; the slope is that of both sides\n" in told
    assert "not crossed, as no rule holds there: v4" in told
    assert "corner" not in told


def test_a_trace_is_not_said_to_give_a_slope_that_it_does_not_reach(run):
    arguments = ("eval", "relu(x)-relu(-x)", "--at", "x=0", "--trace")
    assert "the trace gives" not in run(*arguments).out
    assert "the trace gives 0" in " ".join(
        run(*arguments, "--mode", "forward").out.split()
    )


def test_a_domain_that_rounding_leaves_is_not_called_a_range(run):
    told = run("eval", "sqrt(0.3-0.1-0.2)", "--trace").out
    assert (
        "note: there is no trace: in double precision, sqrt has no value on the way"
        in told
    )
    told = " ".join(run("eval", "exp(1000*x)", "--at", "x=1", "--trace").out.split())
    assert "a number on the way is beyond the range of double precision" in told


def test_paths_that_cannot_be_shown_leave_the_value(run):
    result = run("eval", "exp(1000*x)/exp(999*x)", "--at", "x=1", "--why", "x")
    assert result.code == 0
    assert "f'(1) = 2.718281828" in result.out
    assert "note: there is no trace" in result.out


def test_digits_that_were_not_lost_are_not_said_to_be(run):
    assert "costs double precision all of its" in run("eval", "sin(pi)", "--trust").out
    told = run("eval", "exp(-1000*x)", "--at", "x=1", "--trust").out
    assert "exp may cost double precision 3 of its 16 digits" in told
    assert "condition number" not in run("eval", "x-3", "--at", "x=3", "--trust").out
