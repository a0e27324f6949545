"""One question, one answer: every way to a derivative at a point gives the same number, or that there is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest
from hypothesis import assume, given

from exprgrad.cli.start import run
from exprgrad.errors import DomainError, NotDifferentiableError, UndecidedError
from exprgrad.expressions import higher_orders
from exprgrad.expressions.comparison import compare
from exprgrad.expressions.derivatives import derive
from exprgrad.expressions.expression import Expression, parse
from exprgrad.session.session import Session
from tests.strategies import CASES, CORNERED, fewer

Point = Mapping[str, float]


def forward(f: Expression, at: Point, x: str) -> float | None:
    return f.evaluate(at, [x], mode="forward").gradient[x]


def alone(f: Expression, at: Point, x: str) -> float | None:
    return f.evaluate(at, [x]).gradient[x]


def seed(f: Expression, at: Point, x: str) -> float | None:
    return higher_orders.directional(f, at, {x: 1}).derivative


def order_1(f: Expression, at: Point, x: str) -> float | None:
    return higher_orders.derivatives(f, at, x, 1)[1]


def in_a_text(f: Expression, at: Point, x: str) -> float | None:
    return parse(f"d/d{x} ({f.source})", f.variables)(**at)


def deep_in_a_text(f: Expression, at: Point, x: str) -> float | None:
    return parse(f"-2*(d/d{x} ({f.source}))", f.variables)(**at) / -2


def compiled_in_a_text(f: Expression, at: Point, x: str) -> float | None:
    compiled = parse(f"d/d{x} ({f.source})", f.variables).compile(())
    return compiled(*(at[name] for name in compiled.variables))[0]


def without_bounds_in_a_text(f: Expression, at: Point, x: str) -> float | None:
    inner = parse(f"d/d{x} ({f.source})", f.variables)
    return inner.evaluate(at, (), refine=False).value


def by_convention_in_a_text(f: Expression, at: Point, x: str) -> float | None:
    inner = parse(f"d/d{x} ({f.source})", f.variables)
    return inner.evaluate(at, (), subgradient=True).value


def within_arrays(f: Expression, at: Point, x: str) -> float | None:
    pytest.importorskip("numpy")
    inner = parse(f"sum(d/d{x} ({f.source}))", f.variables)
    return inner.evaluate({**at, x: [at[x]]}, ()).value


def diff_at(f: Expression, at: Point, x: str) -> float | None:
    (formula,) = derive(f, [[x]], at=at).formulas
    if isinstance(formula.problem, NotDifferentiableError):
        return None
    if formula.problem is not None:
        raise formula.problem
    return formula.value


def in_a_session(f: Expression, at: Point, x: str) -> float | None:
    session = Session()
    rest = "; ".join(f"{n} = {v!r}" for n, v in at.items() if n != x)
    if rest:
        session.run(rest)
    session.run(f"f({x}) = {f.source}")
    (result,) = session.run(f"f'({at[x]!r})")
    return result.evaluation.value


def reference(f: Expression, at: Point, x: str) -> float | None:
    return float(compare(f, at).reference[x])


WAYS = (
    forward,
    alone,
    seed,
    order_1,
    in_a_text,
    deep_in_a_text,
    compiled_in_a_text,
    without_bounds_in_a_text,
    by_convention_in_a_text,
    within_arrays,
    diff_at,
    in_a_session,
    reference,
)


def said(
    way: Callable[[Expression, Point, str], float | None],
    f: Expression,
    at: Point,
    x: str,
) -> float | None:
    """The derivative in that way; None where it is said not to exist."""
    try:
        return way(f, at, x)
    except NotDifferentiableError:
        return None


def agree(found: float | None, slope: float | None) -> bool:
    """Whether two answers are the same to the digits that are shown."""
    if found is None or slope is None:
        return found is slope
    return found == pytest.approx(slope, rel=1e-9, abs=1e-60)


def every_way(f: Expression, at: Point) -> None:
    result = f.evaluate(at)
    for x, slope in result.gradient.items():
        if slope is None and x in result.texts:
            continue  # no double is near it, and ways that return one refuse
        for way in WAYS:
            assert agree(said(way, f, at, x), slope), way.__name__


@pytest.mark.slow
@given(CASES)
@fewer(4)
def test_every_way_to_a_derivative_agrees_at_ordinary_points(case):
    text, at = case
    f = parse(text)
    at = {name: at[name] for name in f.variables}
    try:
        f.evaluate(at)
    except (DomainError, UndecidedError):
        assume(False)
    every_way(f, at)


@pytest.mark.slow
@given(CORNERED)
@fewer(2)
def test_every_way_to_a_derivative_agrees_at_corners(case):
    text, x = case
    f = parse(text)
    assume(f.variables)
    try:
        f.evaluate({"x": x})
    except (DomainError, UndecidedError):
        assume(False)
    every_way(f, {"x": float(x)})


@given(CASES)
def test_compiled_code_agrees_where_no_digits_are_lost(case):
    text, at = case
    f = parse(text)
    at = {name: at[name] for name in f.variables}
    assume(at)
    try:
        result = f.evaluate(at)
    except (DomainError, UndecidedError):
        assume(False)
    assume(not result.corners and not result.cancelled)
    value, gradient = f.compile()(*at.values())
    assert value == pytest.approx(result.value, rel=1e-9, abs=1e-290)
    for found, slope in zip(gradient, result.gradient.values(), strict=True):
        assert found == pytest.approx(slope, rel=1e-9, abs=1e-290)


# The same by commands: one line per pair, and what both say


@pytest.mark.parametrize(
    ("one", "path", "other", "same"),
    [
        (["eval", "x*|x|", "--at", "x=0"], ["gradient", "x"], ["eval", "x*|x|", "--at", "x=0", "--mode", "forward"], ["gradient", "x"]),
        (["eval", "relu(x) - relu(-x)", "--at", "x=0"], ["gradient", "x"], ["eval", "d/dx (relu(x) - relu(-x))", "--at", "x=0"], ["value"]),
        (["eval", "if(x==0, 1, sin(x)/x)", "--at", "x=0"], ["gradient", "x"], ["eval", "d/dx if(x==0, 1, sin(x)/x)", "--at", "x=0"], ["value"]),
        (["eval", "(1-cos(x))/x^2", "--at", "x=1e-8"], ["gradient", "x"], ["eval", "d/dx ((1-cos(x))/x^2)", "--at", "x=1e-8"], ["value"]),
        (["eval", "(exp(x)-1-x)/x^2", "--at", "x=1e-6"], ["gradient", "x"], ["eval", "d/dx ((exp(x)-1-x)/x^2)", "--at", "x=1e-6"], ["value"]),
        (["eval", "atan2(-y, x)", "--at", "x=0,y=-1"], ["value"], ["eval", "atan2(0 - y, x)", "--at", "x=0,y=-1"], ["value"]),
        (["eval", "atan2(-y, x)", "--at", "x=-1,y=0"], ["value"], ["eval", "pi"], ["value"]),
    ],
)  # fmt: skip
def test_two_commands_about_one_number_agree(one, path, other, same, capsys):
    assert value_of(one, path, capsys) == pytest.approx(
        value_of(other, same, capsys), rel=1e-12
    )


def value_of(
    command: list[str], path: list[str], capsys: pytest.CaptureFixture[str]
) -> float:
    """What a command says as JSON, at that path."""
    run([*command, "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    for key in path:
        found = found[key]
    return float(found)
