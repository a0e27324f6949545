"""Formulas of textbook expressions, every way to one, beside sweeps; `tests.formulas` judges as many as one likes by hand."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import pytest

from exprgrad.errors import ExprgradError
from exprgrad.expressions import confirm
from exprgrad.expressions.expression import parse
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import rebuilt
from exprgrad.graph.value import Constant, Value
from exprgrad.operations import table as o
from exprgrad.symbolic import derivative, simplify
from tests.formulas import (
    FALSE,
    LOST,
    POINT,
    RAISED,
    ROUNDED,
    UNREADABLE,
    WAYS,
    Case,
    Fault,
    Shown,
    Truth,
    faults_of,
    judge,
    make,
)
from tests.shrinking import shrunk
from tests.strategies import ROWS, textbook

COUNT, PARTS = 300, 4
CHEAP = ["derivative", "simplify"]
OTHERS = [way for way in WAYS if way not in CHEAP]


def ways(number: int) -> list[str]:
    """What is asked of the expression of that number: the cheap ways, and of every sixth another one in turn."""
    other, rest = divmod(number, 6)
    return CHEAP if rest else [*CHEAP, OTHERS[other % len(OTHERS)]]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_formula_that_is_shown_is_what_it_says(part):
    found: list[Fault] = []
    for number in range(part, COUNT, PARTS):
        name = f"ci/{number}"
        found += judge(make(name), name, ways(number), Counter())
    assert not found, "\n".join(map(str, found))


@pytest.mark.slow
def test_every_row_with_a_partial_is_in_what_textbooks_are_made_of():
    met = set()
    for number in range(3000):
        root = parse(textbook(random.Random(number))).root
        met.update(item.operation for item in topological(root) if item.operation)
    missing = {row for row in ROWS if row.called and row.choose is None} - met
    assert missing == set()


@pytest.mark.parametrize(
    ("source", "formula", "kind"),
    [
        ("cos(x)^(3/2)", "-3*sin(2*x)/4", FALSE),
        ("relu(x)^(1/3)", "if(x > 0, 1, 0)/(3*relu(x)^(2/3))", LOST),
        ("cbrt(x^4)", "4*(x^4)^(1/3)/(3*x)", POINT),
        ("min(x, |x|)", "if(x < |x|, 1, sign(x))", POINT),
        ("x^2/3", "0.6666666666666*x", ROUNDED),
        ("x^2", "2x +", UNREADABLE),
        ("x^2", "2x", None),
        ("ln(x)", "1/x", None),
        ("|x|", "sign(x)", None),
        ("gamma(x)*y", "gamma(x)*digamma(x)*y", None),
    ],
)
def test_a_formula_is_judged_by_sweeps(source, formula, kind):
    case = Case(source, random.Random(1))
    found = [*faults_of("by hand", case, Shown(formula, case.truth.of("x")))]
    assert [fault.kind for fault in found] == ([] if kind is None else [kind])


def test_a_point_that_is_assumed_away_is_not_lost():
    case = Case("sqrt((x - 1)^4)", random.Random(1))
    shown = Shown("2*sqrt((x - 1)^4)/(x - 1)", case.truth.of("x"))
    assert [fault.kind for fault in faults_of("by hand", case, shown)] == [POINT]
    assert not [*faults_of("by hand", case, shown._replace(assumes=["x != 1"]))]


def test_truth_knows_corners_orders_and_mixed_derivatives():
    truth = Truth(parse("|x|*y^3 + x^2"))
    at = {"x": 0.0, "y": 2.0}
    assert truth.at(("x",), at) is None
    assert truth.at(("y", "y"), {"x": 3.0, "y": 2.0}).value == 36
    assert truth.at(("x", "y"), {"x": -3.0, "y": 2.0}).value == -12
    assert truth.at((), at).value == 0
    assert truth.at(("a",), at).value == 0


def test_an_error_that_is_not_the_packages_own_is_a_fault(monkeypatch):
    def broken(case: Case) -> Iterator[Shown]:
        yield Shown(str([][1]), case.truth.of())

    monkeypatch.setitem(WAYS, "derivative", broken)
    (fault,) = judge("x^2", "any", ["derivative"], Counter())
    assert fault.kind == RAISED


def test_what_fails_is_reduced_to_a_smallest_expression():
    fails = lambda source: "sin" in source and "^" in source  # noqa: E731
    assert shrunk("ln(3*x + sin(y*x)^(3/2)) - 12*x", fails) in ("sin(x)^x", "sin(x)^1")


# Rewritings that are false, one of each family, and are caught

Change = Callable[[Value, tuple[Value, ...]], Value | None]
POWERS = (o.POW, o.POW_ODD, o.POW_EVEN, o.SQRT, o.CBRT)


def halved(item: Value, operands: tuple[Value, ...]) -> Value | None:
    """Angles: any power of a cosine or a sine taken for its square, and that written with the double angle."""
    if item.operation in POWERS and operands[0].operation in (o.COS, o.SIN):
        double = o.COS(o.MUL(Constant(2.0), operands[0].operands[0]))
        sign = o.ADD if operands[0].operation is o.COS else o.SUB
        return o.DIV(sign(Constant(1.0), double), Constant(2.0))
    return None


def root_of_square(item: Value, operands: tuple[Value, ...]) -> Value | None:
    """Roots: sqrt(u^2) as u."""
    inner = operands[0] if operands else None
    if item.operation is o.SQRT and inner is not None and inner.operation is o.POW:
        base, exponent = inner.operands
        return o.POW(base, o.DIV(exponent, Constant(2.0)))
    return None


def power_of_logarithm(item: Value, operands: tuple[Value, ...]) -> Value | None:
    """Logarithms: ln(u)^p as p*ln(u)."""
    if item.operation is o.POW and operands[0].operation is o.LN:
        return o.MUL(operands[1], operands[0])
    return None


def quotient_by_sum(item: Value, operands: tuple[Value, ...]) -> Value | None:
    """Fractions: a/(b + c) as a/b + a/c."""
    if item.operation is o.DIV and operands[1].operation is o.ADD:
        above, (one, other) = operands[0], operands[1].operands
        return o.ADD(o.DIV(above, one), o.DIV(above, other))
    return None


def sign_of_size(item: Value, operands: tuple[Value, ...]) -> Value | None:
    """Signs: |u| as u."""
    return operands[0] if item.operation is o.ABS else None


FAMILIES = (halved, root_of_square, power_of_logarithm, quotient_by_sum, sign_of_size)


@pytest.fixture(params=FAMILIES, ids=lambda change: change.__name__)
def planted(request, monkeypatch):
    """A false rewriting in what `symbolic` gives for derivatives and other forms; what it has rewritten."""
    met: list[Value] = []

    def change(item: Value, operands: tuple[Value, ...]) -> Value | None:
        found: Value | None = request.param(item, operands)
        met.extend([] if found is None else [item])
        return found

    def after(function: Callable[..., Value]) -> Callable[..., Value]:
        return lambda *given, **more: rebuilt(function(*given, **more), change)

    monkeypatch.setattr(simplify, "simplify", after(simplify.simplify))
    monkeypatch.setattr(derivative, "derivative", after(derivative.derivative))
    return met


def found_among(names: Iterable[str], met: list[Value]) -> tuple[str, Fault]:
    """The first fault among expressions in which something is rewritten, and the name of its expression."""
    for name in names:
        met.clear()
        case = Case(make(name), random.Random(name))
        with suppress(ExprgradError):
            case.expression.simplify()
            case.expression.derivative("x")
        found = judge(case.source, name, CHEAP, Counter()) if met else []
        for fault in found:
            if fault.kind in (FALSE, LOST):
                return name, fault
    raise AssertionError("nothing was found")


@pytest.mark.slow
def test_a_false_rewriting_is_found_unless_formulas_are_confirmed(planted, monkeypatch):
    monkeypatch.setattr(confirm, "strict", False)
    monkeypatch.setattr(confirm, "enabled", False)
    name, fault = found_among((f"ci/{number}" for number in range(COUNT)), planted)
    monkeypatch.setattr(confirm, "enabled", True)
    assert not judge(fault.source, name, [fault.way], Counter())
