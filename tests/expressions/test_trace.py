"""Traces: the steps of both sweeps as data, and as they are printed 80 columns wide."""

from __future__ import annotations

import math
import re
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad import Evaluation, parse
from exprgrad.cli.start import run
from exprgrad.errors import RangeError
from exprgrad.expressions.trace import Trace, trace, why
from exprgrad.views.trace import origin_lines, reasons

BAYDIN = "ln(x1)+x1*x2-sin(x2)"
"""The example of Baydin et al., Automatic Differentiation in Machine Learning, tables 2 and 3."""


def evaluated(text: str, **at: float) -> Evaluation:
    return parse(text, tuple(at)).evaluate(at)


def traced(text: str, **at: float) -> Trace:
    return trace(evaluated(text, **at))


def printed(capsys, monkeypatch, *argv: str) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    run(["eval", *argv])
    return capsys.readouterr().out


# The textbook example


def test_values_of_the_forward_sweep_are_those_of_the_textbook():
    forward = traced(BAYDIN, x1=2, x2=5).forward
    assert [round(step.value, 4) for step in forward] == [
        *(2, 5),
        *(0.6931, 10, 10.6931, -0.9589, 11.6521),
    ]
    assert [step.formula for step in forward] == [
        *("x1", "x2"),
        *("ln(v1)", "v1*v2", "v3 + v4", "sin(v2)", "v5 - v6"),
    ]
    assert [step.source for step in forward[2:]] == [
        *("ln(x1)", "x1*x2", "ln(x1)+x1*x2", "sin(x2)", BAYDIN),
    ]


def test_adjoints_of_the_reverse_sweep_are_those_of_the_textbook():
    result = evaluated(BAYDIN, x1=2, x2=5)
    steps = trace(result).reverse
    into: dict[str, list[float]] = defaultdict(list)
    for step in steps:
        into[step.operand].append(round(step.contribution, 4))
    assert into["v1"] == [5, 0.5]
    assert into["v2"] == [-0.2837, 2]
    assert (into["v3"], into["v4"], into["v5"], into["v6"]) == ([1], [1], [1], [-1])
    assert result.gradient == {"x1": 5.5, "x2": 2 - math.cos(5)}
    totals = {step.operand: step.total for step in steps}
    assert totals["v1"] == 5.5
    assert round(totals["v2"], 4) == 1.7163


def test_two_contributions_meet_in_each_variable_of_the_textbook_example():
    steps = traced(BAYDIN, x1=2, x2=5).reverse
    for name in ("v1", "v2"):
        parts = [(s.part, s.parts) for s in steps if s.operand == name]
        assert parts == [(1, 2), (2, 2)]
    assert all(s.parts == 1 for s in steps if s.operand not in ("v1", "v2"))


def test_printed_trace_has_every_figure_of_the_textbook(capsys, monkeypatch):
    out = printed(capsys, monkeypatch, BAYDIN, "--at", "x1=2,x2=5", "--trace")
    assert max(map(len, out.splitlines())) <= 80
    forward = out.partition("reverse sweep")[0].splitlines()
    rows = {line.split()[0]: line for line in forward if re.match("v[3-7] ", line)}
    assert " 0.693147  ln" in rows["v3"]
    assert " 10  product" in rows["v4"]
    for figure in ("0.693147 + 10", "10.6931", "-0.958924", "11.6521"):
        assert figure in out
    for row in (
        r"v7 +seed +1\n",
        r"v5 +v7 .* 1 × 1 = 1 +1\n",
        r"v6 +v7 .* 1 × \(-1\) = -1 +-1\n",
        r"x1 +v4 .* 1 × 5 = 5\n +v3 .* 1 × 0\.5 = 0\.5\n +sum +5 \+ 0\.5 +5\.5\n",
        r"x2 +v6 .* \(-1\) × 0\.283662 = -0\.283662\n +v4 .* 1 × 2 = 2\n +sum +-0\.283662 \+ 2 +1\.71634\n",
    ):
        assert re.search(row, out), row
    origins, _, reasons = out.partition("why the sum: ")
    assert origins.endswith(
        "∂/∂x1 = 5 (through x1*x2) + 0.5 (through ln) = 5.5\n"
        "∂/∂x2 = 2 (through x1*x2) - 0.283662 (through sin) = 1.71634\n"
    )
    assert reasons.startswith("x1 + 0.001 → v4 + 0.005 → v7 + 0.005 and v3 + 0.0005 → v7 + 0.0005:\n    together 0.0055 to first order\n")  # fmt: skip
    assert "why one sweep: it crosses each of 8 edges once" in reasons
    assert "x1            2          5.5" in out
    assert "x2            5  1.716337815" in out


def test_printed_trace_can_have_more_digits(capsys, monkeypatch):
    argv = [BAYDIN, "--at", "x1=2,x2=5", "--trace", "forward", "--digits", "12"]
    out = printed(capsys, monkeypatch, *argv)
    assert "0.69314718056" in out
    assert "11.6520714552" in out


# Sums over several uses


def test_node_that_is_used_twice_is_counted_and_its_adjoint_is_a_sum():
    steps = traced("(a*b)*(b+1)", a=2, b=3)
    assert [(s.name, s.value, s.uses) for s in steps.forward] == [
        ("v1", 2, 1), ("v2", 3, 2), ("v3", 6, 1), ("v4", 4, 1), ("v5", 24, 0),
    ]  # fmt: skip
    into_b = [s for s in steps.reverse if s.operand == "v2"]
    assert sorted(s.contribution for s in into_b) == [6, 8]
    assert [s.total for s in into_b][-1] == 14
    assert [(s.part, s.parts) for s in into_b] == [(1, 2), (2, 2)]


def test_node_that_is_used_twice_is_marked_in_print(capsys, monkeypatch):
    out = printed(capsys, monkeypatch, "(a*b)*(b+1)", "--at", "a=2,b=3", "--trace")
    marked = [line for line in out.splitlines() if "used 2 times" in line]
    assert len(marked) == 1
    assert marked[0].startswith("b ")
    assert out.count(" sum ") == 2  # b + 1 is one, too
    assert "∂/∂b = 8 (through a*b) + 6 (through b + 1) = 14" in out


def test_no_node_is_called_as_a_variable_is():
    result = parse("v1*v3 + node1").evaluate({"v1": 2, "v3": 3, "node1": 1})
    steps = trace(result, own_names=True)
    assert [step.name for step in steps.forward] == ["v1", "v3", "node1", "vv4", "vv5"]
    assert {step.operand for step in steps.reverse} == {"vv4", "v1", "v3", "node1"}
    assert trace(result).forward[3].formula == "v1*v2"  # as programs read it


def test_contributions_that_meet_in_a_node_stand_together():
    text = "sin(x*y)*x + cos(x*y)/y + exp(x)"
    steps = trace(parse(text).evaluate({"x": 0.5, "y": 2}), own_names=True)
    met = [meeting.operand for meeting in steps.meetings()]
    assert len(met) == len(set(met))
    assert met[-2:] == ["x", "y"]
    for i, meeting in enumerate(steps.meetings()):
        total = math.fsum(edge.contribution for edge in meeting.edges)
        assert total == pytest.approx(meeting.total, rel=1e-14)
        assert {edge.node for edge in meeting.edges} <= {steps.result, *met[:i]}


def test_many_contributions_to_a_partial_are_added_up_exactly():
    text = " + ".join(f"{k}*x" for k in range(1, 101))
    (origin,) = trace(parse(text).evaluate({"x": 1}), own_names=True).origins()
    assert [amount for amount, _ in origin.parts] == list(range(100, 92, -1))
    assert (origin.left_out, origin.rest, origin.total) == (92, 4278, 5050)


@pytest.mark.parametrize(
    ("text", "at", "end"),
    [
        ("x", {"x": 3}, "∂/∂x = 1"),
        ("sin(x) + sin(2x)", {"x": 0}, "∂/∂x = 2 (through 2*x) + 1 (through sin) = 3"),
        ("sin(x) + sin(x)*y", {"x": 0, "y": 1}, "∂/∂x = 1 (through v4) + 1 (through v3) = 2"),
        ("if(x > 0, x, y)", {"x": 1, "y": 2}, "∂/∂y = 0: the result does not depend on it here"),
        ("|x|", {"x": 0}, "∂/∂x does not exist here"),
        ("relu(x) - relu(-x) + y", {"x": 0, "y": 0}, "∂/∂x = 1"),
    ],
)  # fmt: skip
def test_the_end_says_where_each_partial_comes_from(text, at, end):
    result = parse(text).evaluate(at)
    lines = list(origin_lines(result, trace(result, own_names=True), 6))
    assert any(line.startswith(end) for line in lines), lines


def test_both_operands_may_be_the_same_node():
    steps = traced("x*x", x=3)
    assert steps.forward[0].uses == 2
    assert [s.contribution for s in steps.reverse] == [3, 3]
    assert [s.total for s in steps.reverse] == [3, 6]


def test_what_is_written_twice_is_there_twice():
    forward = traced("sin(x) + sin(x)", x=1).forward
    assert [step.formula for step in forward] == ["x", "sin(v1)", "sin(v1)", "v2 + v3"]


# Symbols and numbers


def test_constants_are_shown_as_numbers_without_a_name():
    steps = traced("3x^2 + pi", x=2)
    assert [step.formula for step in steps.forward] == ["x", "v1^2", "3*v2", "v3 + pi"]
    assert [step.numbers for step in steps.forward][1:] == ["2^2", "3*4", "12 + pi"]
    assert {step.operand for step in steps.reverse} == {"v1", "v2", "v3"}


def test_negative_numbers_are_bracketed_where_they_are_put_in():
    forward = traced("x^2 - y", x=-2, y=-3).forward
    assert [step.numbers for step in forward][2:] == ["(-2)^2", "4 - (-3)"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("x + y", ["1", "1"]),
        ("x - y", ["1", "-1"]),
        ("x*y", ["v2", "v1"]),
        ("x^3 + 0*y", ["1", "1", "0", "3*v1^2"]),
        ("tanh(x) + y", ["1", "1", "sech(v1)^2"]),
    ],
)
def test_local_partials_are_shown_in_symbols(text, rule):
    assert sorted(s.formula for s in traced(text, x=1.5, y=2).reverse) == sorted(rule)


def test_partials_in_symbols_have_the_value_that_is_shown():
    text = "ln(x*y)/sqrt(x) + atan2(y, x)*exp(-x) + x^y + softplus(x*y) + max(x, y)"
    steps = traced(text, x=0.7, y=1.3)
    values = {step.name: step.value for step in steps.forward}
    for step in steps.reverse:
        formula = parse(step.formula)
        at = {name: values[name] for name in formula.variables}
        assert formula.evaluate(at).value == pytest.approx(step.partial, rel=1e-12)


def test_numbers_put_in_give_the_value_that_is_shown():
    steps = traced("ln(x*y)/sqrt(x) - atan2(y, x)*exp(-x) + x^-y", x=0.7, y=1.3)
    for step in steps.forward[2:]:
        assert parse(step.numbers)() == pytest.approx(step.value, rel=1e-12)


def test_chosen_digits_are_those_of_the_numbers_put_in():
    result = evaluated("x*y", x=1 / 3, y=2)
    assert trace(result, lambda x: f"{x:.2g}").forward[2].numbers == "0.33*2"


# What is left out


def test_untaken_branch_does_not_appear():
    steps = traced("if(x > 0, x^2, ln(x)*y)", x=3, y=1)
    assert all("ln" not in step.formula for step in steps.forward[:-1])
    assert [step.rule for step in steps.forward[2:]] == ["comparison", "power", "if"]
    assert [(s.node, s.operand) for s in steps.reverse][-1][1] == "v1"


def test_only_chosen_variables_have_contributions():
    result = parse("a*b + sin(b)").evaluate({"a": 2, "b": 3}, ["a"])
    assert {step.operand for step in trace(result).reverse} == {"v1", "v3"}


def test_corner_is_named_and_not_crossed():
    steps = traced("|x| + y", x=0, y=1)
    assert steps.blocked == ["v3"]
    assert [(s.node, s.operand) for s in steps.reverse] == [("v4", "v3"), ("v4", "v2")]


def test_nothing_is_handed_on_from_below_a_corner():
    steps = traced("|x*y|", x=0, y=2)
    assert steps.blocked == ["v4"]
    assert [(s.node, s.operand) for s in steps.reverse] == []


def test_subgradient_crosses_the_corner():
    result = parse("|x| + x").evaluate({"x": 0}, subgradient=True)
    steps = trace(result)
    assert steps.blocked == []
    assert [s.contribution for s in steps.reverse] == [1, 1, 0]


def test_corner_is_named_in_print(capsys, monkeypatch):
    out = printed(capsys, monkeypatch, "|x| + y", "--at", "x=0,y=1", "--trace")
    assert "the sweep stops at v3 (abs): no rule holds there" in out


@pytest.mark.slow
def test_trace_of_a_thousand_nodes_is_cut_with_a_note(capsys, monkeypatch):
    text = "x" + "+x" * 1000
    out = printed(capsys, monkeypatch, text, "--at", "x=1", "--trace")
    assert len(out.splitlines()) < 150
    assert "1001 nodes are folded into 80, a stage for many of them" in out
    assert "stage1(x)" in out
    assert "each of 2000 edges once" in out
    assert "rows left out: --rows 0 shows all)" in out
    for name in ("v2", "v40", "v80"):
        assert re.search(f"^{name} ", out, re.MULTILINE)
    assert not re.search("^v500 ", out, re.MULTILINE)
    whole = printed(capsys, monkeypatch, text, "--at", "x=1", "--trace", "--rows", "0")
    assert re.search("^v500 ", whole, re.MULTILINE)
    assert "left out" not in whole


@pytest.mark.slow
def test_trace_of_a_graph_with_many_variables_does_not_list_them_all(
    capsys, monkeypatch
):
    names = [f"a{i}" for i in range(100)]
    at = ",".join(f"{name}=1" for name in names)
    out = printed(capsys, monkeypatch, "+".join(names), "--at", at, "--trace")
    assert "∂/∂a0 = 1 (through " in out
    assert "(and 88 more variables)" in out
    assert max(map(len, out.splitlines())) <= 160


@pytest.mark.slow
def test_trace_of_a_deep_graph_is_made_without_recursion():
    steps = traced("sin(" * 5000 + "x" + ")" * 5000, x=1)
    assert len(steps.forward) == 5001
    assert len(steps.reverse) == 5000


# On any expression

ATOMS = st.sampled_from(["x", "y", "z", "2", "0.5"])
FORMULAS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        st.tuples(
            st.sampled_from(["sin", "exp", "tanh", "sigmoid", "atan"]), inner
        ).map(lambda t: f"{t[0]}({t[1]})"),
        inner.map(lambda t: f"({t})^2"),
    ),
    max_leaves=12,
)


@given(FORMULAS)
def test_contributions_add_up_to_the_gradient(text):
    expression = parse(f"{text} + x + y + z")
    result = expression.evaluate({"x": 0.3, "y": -0.7, "z": 1.1})
    steps = trace(result)
    sums: dict[str, float] = defaultdict(float)
    for step in steps.reverse:
        assert step.contribution == step.adjoint * step.partial
        sums[step.operand] += step.contribution
        assert step.total == sums[step.operand]
    for variable, name in steps.names.items():
        assert sums[name] == pytest.approx(result.gradient[variable], rel=1e-12)


@given(FORMULAS)
def test_every_node_is_used_as_often_as_it_is_counted(text):
    steps = traced(f"{text} + x + y + z", x=0.3, y=-0.7, z=1.1)
    named = " ".join(step.formula for step in steps.forward if step.rule != "variable")
    for step in steps.forward:
        assert len(re.findall(rf"\b{step.name}\b", named)) == step.uses


def test_a_trace_of_numbers_too_large_for_a_double_is_refused_where_they_begin():
    evaluation = parse("exp(x)*exp(-x)").evaluate({"x": 1000})
    assert evaluation.value == 1
    with pytest.raises(RangeError, match="beyond the range of double") as caught:
        trace(evaluation)
    assert caught.value.span == (0, 6)


def test_an_adjoint_too_large_for_a_double_is_no_trace():
    found = parse("5/sqrt(pi/y/1e300)").evaluate({"y": 0.5})
    assert found.gradient["y"] < 1e151
    for ask in (trace, lambda found: why(found, "y")):
        with pytest.raises(RangeError, match="a number on the way is beyond"):
            ask(found)


def test_a_result_that_all_comes_through_is_written_out():
    found = trace(parse("w*x").evaluate({"w": 2, "x": 3}), own_names=True)
    assert [part for o in found.origins() for part in o.parts] == [
        (3, "w*x"),
        (2, "w*x"),
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("exp(x)", "1.970071114e+434"),
        ("exp(-x)", "5.075958898e-435"),
        ("exp(-x)*y", "1.01519178e-434"),
    ],
)
def test_a_result_beyond_doubles_is_shown_without_a_trace(
    text, value, capsys, monkeypatch
):
    at = "x=1000,y=2" if "y" in text else "x=1000"
    out = printed(capsys, monkeypatch, text, "--at", at, "--trace")
    assert f"{text} = {value}" in out
    assert "there is no trace" in out
    assert "does not exist" not in out
    out = printed(capsys, monkeypatch, text, "--at", at, "--trace", "--format", "json")
    assert f'"value_text": "{value}"' in out
    assert '"trace": null' in out


def test_no_trace_says_that_a_partial_below_doubles_does_not_exist():
    with pytest.raises(RangeError, match="no trace: a result is beyond"):
        trace(evaluated("1 + exp(-x)", x=1000.0))


@pytest.mark.parametrize(
    ("text", "point", "unfinished"),
    [
        ("abs(x*y) + x*y", {"x": 0, "y": 2}, {"v1", "v3"}),
        ("max(x, y)*x", {"x": 2, "y": 2}, {"v1", "v2"}),
        ("abs(x)*x", {"x": 0}, set()),
        ("abs(x) + x", {"x": 1}, set()),
    ],
)
def test_an_adjoint_that_lacks_what_does_not_cross_a_corner_is_unfinished(
    text, point, unfinished
):
    steps = traced(text, **point)
    assert steps.unfinished == unfinished


def told(found: Trace, back: bool = True) -> str:
    return "\n".join(reasons(found, back))


def test_no_nudge_is_shown_where_few_digits_do_not_add_up_to_the_sum():
    cancelled = traced("exp(x) - 1 - x", x=1e-6)
    assert [meeting.cancels for meeting in cancelled.meetings()][-1]
    assert "why the sum" not in told(cancelled)
    assert "together 0" in told(traced("x/x", x=3))


def test_reasons_are_given_only_where_they_hold():
    assert "gives a row" in told(traced("abs(x*y) + x", x=1, y=2))
    assert "gives a row" not in told(traced("abs(x*y) + x", x=0, y=2))
    alone = told(traced("x^2", x=1), back=False)
    assert "several sweeps" not in alone
    assert "a column of the Jacobian" in alone
    assert "several sweeps" in told(traced("x*y", x=1, y=2), back=False)


def test_a_sum_of_numbers_that_rounding_has_spoilt_is_not_explained():
    assert "why the sum" not in told(traced("(1 - cos(x))/x^2", x=1e-8))
    assert "why the sum" in told(traced("(1 - cos(x))/x^2", x=1))


@pytest.mark.slow
def test_values_alone_have_no_reasons_for_sweeps_of_tangents(capsys, monkeypatch):
    alone = printed(capsys, monkeypatch, "x*y", "--at", "x=2,y=3", "--trace", "forward")
    assert "forward sweep" in alone
    assert "why" not in alone
    back = printed(capsys, monkeypatch, "x*y", "--at", "x=2,y=3", "--trace", "backward")
    assert back == printed(capsys, monkeypatch, "x*y", "--at", "x=2,y=3", "--trace", "reverse")  # fmt: skip
