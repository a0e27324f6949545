"""Graphs rewritten node by node, and equal graphs found by their numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exprgrad import parse
from exprgrad.graph.numbering import GraphNumbering, Numbering
from exprgrad.graph.order import topological
from exprgrad.graph.rational import large_rational
from exprgrad.graph.rewriting import rebuilt, replaced
from exprgrad.graph.value import Constant, Value, node
from exprgrad.notation.text import to_text
from exprgrad.numbers.arb import ball_of, precise
from exprgrad.operations.operation import TABLE


def test_a_graph_in_which_nothing_changes_is_the_graph_itself():
    root = parse("x^2 + sin(x*y)").root
    assert rebuilt(root, lambda item, operands: None) is root


def test_operations_are_changed_wherever_they_occur():
    def change(item, operands):
        same = item.operation is TABLE["sin"]
        return node(TABLE["cos"], operands) if same else None

    assert (
        to_text(rebuilt(parse("sin(x) + sin(sin(x))").root, change))
        == "cos(x) + cos(cos(x))"
    )


def test_what_does_not_change_is_shared_with_the_original_and_spans_stay():
    root = parse("sin(x) + y*z").root
    left, right = root.operands
    other = replaced(root, {left: Constant(2.0)})
    assert to_text(other) == "2 + y*z"
    assert other.operands[1] is right
    assert other.span == root.span


def test_what_was_shared_stays_shared():
    root = x = Value(None, "x")
    for _ in range(60):
        root = node(TABLE["mul"], (root, root))
    other = replaced(root, {x: Value(None, "y")})
    assert len(topological(other)) == 61


@pytest.mark.slow
def test_a_graph_of_any_depth_is_rewritten():
    root = x = Value(None, "x")
    for _ in range(50_000):
        root = node(TABLE["sin"], (root,))
    assert len(topological(replaced(root, {x: Constant(1.0)}))) == 50_001


def test_nodes_that_were_seen_are_left_out_of_the_order():
    root = parse("sin(x)*cos(x)").root
    seen = set(topological(root.operands[0]))
    assert topological(root, seen=seen) == [root.operands[1], root]
    assert topological(root, seen=seen) == []


def test_a_new_key_gets_the_next_number_and_an_equal_one_the_same():
    numbers = Numbering()
    assert [numbers[key] for key in ("a", "b", "a", ("a", 1), "b")] == [0, 1, 0, 2, 1]


def test_equal_graphs_have_one_number_and_others_another():
    numbering = GraphNumbering()
    texts = ["x*y + 1", "x*y + 1", "y*x + 1", "x*y + 2", "x*y", "pi", "3.14"]
    numbers = [numbering.number(parse(t).root) for t in texts]
    assert numbers[0] == numbers[1]
    assert len(set(numbers)) == len(texts) - 1


def test_whole_numbers_beyond_doubles_have_numbers_of_their_own():
    numbering = GraphNumbering()
    one, other = (parse(f"x + {2**53 + k}").root for k in (0, 1))
    assert numbering.number(one) != numbering.number(other)


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("7!/3^2", 560), ("(2/3)^3", Fraction(8, 27)), ("2^0.2", None), ("(-2)^0.2", None), ("(1/2)!", None),
        ("0^(1/3)", 0), ("0^(-1/3)", None), ("5 + sqrt(0)", 5), ("ln(0)", None), ("sigmoid(0)", None),
    ],
)  # fmt: skip
def test_a_graph_has_an_exact_value_only_where_that_is_a_fraction(text, exact):
    assert large_rational(parse(text).root) == exact


@pytest.mark.parametrize("number", [0, 1])
def test_what_a_function_of_0_or_1_is_exactly_lies_in_its_ball(number):
    from flint import arb

    known = 0
    for operation in (row for row in TABLE.values() if row.arity == 1 and row.arb):
        exact = large_rational(node(operation, (Constant(Fraction(number)),)))
        if exact is not None:
            with precise(300) as balls:
                ball = balls.function(operation)(ball_of(number)).arb
            assert ball.contains(arb(int(exact))), operation.name
            assert ball.rad() < 1e-60, operation.name
            known += 1
    assert known > 5
