"""The generic sweeps, and what is written out for speed beside them, over the whole table."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exprgrad.errors import NotDifferentiableError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.value import Value, apply, node
from exprgrad.operations.number_types import CAREFUL, Fault, Numbers
from exprgrad.operations.operation import TABLE
from exprgrad.sweeps import generic
from exprgrad.sweeps.tape import primals, pull_back
from tests.strategies import ROWS, regular_points

EVERY_ROW = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
NAMES = "xyz"


def formula(row, leaves):
    """The operation within others, its operands used twice, so that contributions add up."""
    square = apply if isinstance(leaves[0].data, float) else node_of
    inner = square(row, *leaves)
    total = square(TABLE["mul"], leaves[-1], square(TABLE["add"], inner, leaves[0]))
    return square(
        TABLE["sub"],
        total,
        square(TABLE["div"], inner, square(TABLE["exp"], leaves[0])),
    )


def node_of(operation, *operands):
    return node(operation, operands)


def differentiable(row):
    return [i for i, partial in enumerate(row.partials) if partial is not None]


def cases(row):
    """The formula with some points where the row is regular, and the partials that it has."""
    leaves = [Value(None, name) for name in NAMES[: row.arity]]
    f = Expression.of(formula(row, leaves))
    wrt = [NAMES[i] for i in differentiable(row)]
    found = []
    for arguments in regular_points(row, everyday=True) if wrt else ():
        at = dict(zip(NAMES, arguments, strict=False))
        values = generic.forward(f.tape, CAREFUL, at)
        try:
            active = f.tape.active(wrt)
            adjoints = generic.reverse(f.tape, CAREFUL, values, active)
        except (NotDifferentiableError, TypeError):
            continue  # a faulty value, or (-2)^x, which has no slope
        found.append((f, at, wrt, values, adjoints))
    assert found or not wrt
    return found[:: max(1, len(found) // 6)]


@EVERY_ROW
def test_float_sweeps_over_a_tape_are_the_generic_ones(row):
    for f, at, wrt, values, adjoints in cases(row):
        assert list(primals(f.tape, at)) == values
        swept, _ = pull_back(f.tape, values, f.tape.active(wrt))
        for name in wrt:
            i = f.tape.variables[name]
            assert swept[i] == pytest.approx(adjoints[i], rel=1e-13, abs=1e-13)


@EVERY_ROW
def test_backward_of_a_value_is_the_generic_sweep(row):
    for f, at, wrt, values, adjoints in cases(row):
        leaves = [Value(at[name]) for name in NAMES[: row.arity]]
        root = formula(row, leaves)
        if None in row.partials:
            continue  # an order takes whole numbers and no gradient
        root.backward()
        assert root.data == values[f.tape.root]
        for name, leaf in zip(wrt, leaves, strict=True):
            wanted = adjoints[f.tape.variables[name]]
            assert leaf.grad == pytest.approx(wanted, rel=1e-13, abs=1e-13)


@EVERY_ROW
def test_generated_code_is_the_generic_sweep(row):
    for f, at, wrt, values, adjoints in cases(row):
        call = f.compile(wrt)
        value, gradient = call(*(at[name] for name in call.variables))
        scale = 1 + max(abs(v) for v in values)
        assert value == pytest.approx(values[f.tape.root], rel=1e-12, abs=1e-13 * scale)
        for name, partial in zip(wrt, gradient, strict=True):
            wanted = adjoints[f.tape.variables[name]]
            size = 1 + max(abs(a) for a in adjoints if a is not None)
            assert partial == pytest.approx(wanted, rel=1e-9, abs=1e-12 * size * scale)


# What the sweeps leave to a number type


FRACTIONS = Numbers(lambda operation: operation.kernel)


def test_sweeps_run_on_numbers_that_only_know_arithmetic():
    tape = parse("x*y/(x - y)").tape
    at = {"x": Fraction(1, 3), "y": Fraction(1, 7)}
    values = generic.forward(tape, FRACTIONS, at)
    adjoints = generic.reverse(
        tape, FRACTIONS, values, tape.active(tape.variables), Fraction(1)
    )
    assert values[tape.root] == Fraction(1, 4)
    assert adjoints[tape.variables["x"]] == Fraction(-9, 16)
    assert adjoints[tape.variables["y"]] == Fraction(49, 16)


def test_a_fault_takes_the_place_of_a_number_until_the_result_needs_it():
    tape = parse("if(x > 0, ln(x), x^2)").tape
    for x, value in ((-3.0, 9.0), (1.0, 0.0)):
        values = generic.forward(tape, CAREFUL, {"x": x})
        assert values[tape.root] == value
        adjoints = generic.reverse(tape, CAREFUL, values, tape.active(["x"]))
        assert adjoints[tape.variables["x"]] == (2 * x if x < 0 else 1)
    faults = generic.forward(parse("1 + ln(x)*2").tape, CAREFUL, {"x": -1.0})
    assert isinstance(faults[-1], Fault)
    assert faults[-1].step.operation.name == "ln"
    assert faults[-1].arguments == (-1.0,)


def test_nodes_that_are_not_alive_are_left_out():
    tape = parse("x^2 + x").tape
    alive = [True] * len(tape.nodes)
    alive[tape.root] = False
    assert generic.forward(tape, CAREFUL, {"x": 3.0}, alive)[tape.root] is None


def test_rules_are_asked_for_active_operands_alone():
    tape = parse("x^3").tape
    values = generic.forward(tape, CAREFUL, {"x": -2.0})
    assert generic.reverse(tape, CAREFUL, values, tape.active(["x"]))[0] == 12


# Rules that are bound to a number type


def test_a_rule_keeps_its_closure_and_its_defaults():
    sin, cos = TABLE["sin"], TABLE["cos"]

    def rule_of(scale, inner):
        return lambda x, offset=1.0, *, outer=cos: scale * outer(inner(x)) + offset

    doubled = Numbers(lambda operation: lambda x: (operation.name, x))
    bound = doubled.bind(lambda x, f=sin: f(x))
    assert bound(2) == ("sin", 2)
    floats = Numbers(lambda operation: operation.kernel)
    rule = rule_of(3.0, sin)
    assert floats.bind(rule)(0.0) == 4.0
    assert floats.bind(rule)(0.0, 2.0) == 5.0
    assert floats.bind(rule)(0.0, outer=TABLE["exp"].kernel) == 4.0
