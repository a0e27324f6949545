"""Rules bound to a number type: lambdas of the table, closures, functions with defaults."""

from __future__ import annotations

import math

from exprgrad.graph.value import SYMBOLS, Value
from exprgrad.notation.text import to_text
from exprgrad.operations.number_types import FLOATS
from exprgrad.operations.table import COSH, cos, sin


def scaled(factor, operation):
    return lambda x: factor * operation(factor * x) + cos(x)


def test_a_rule_that_is_a_closure_binds_the_operations_that_it_holds():
    rule = scaled(3, sin)
    assert FLOATS.bind(rule)(0.5) == 3 * math.sin(1.5) + math.cos(0.5)
    assert to_text(SYMBOLS.bind(rule)(Value(None, "x"))) == "3*sin(3*x) + cos(x)"


def test_two_closures_of_one_code_are_bound_apart():
    assert FLOATS.bind(scaled(2, sin))(1.0) == 2 * math.sin(2) + math.cos(1)
    assert FLOATS.bind(scaled(1, cos))(1.0) == 2 * math.cos(1)


def test_a_rule_with_defaults_binds_them():
    def rule(x, scale=2, operation=COSH, *, outer=cos):
        return scale * outer(operation(x))

    assert FLOATS.bind(rule)(0.5) == 2 * math.cos(math.cosh(0.5))
    assert to_text(SYMBOLS.bind(rule)(Value(None, "x"))) == "2*cos(cosh(x))"


def test_a_recursive_rule_binds_though_it_holds_itself():
    def power(x, n=3):
        return sin(x) if n == 0 else x * power(x, n - 1)

    assert FLOATS.bind(power)(2.0) == 8 * math.sin(2)
