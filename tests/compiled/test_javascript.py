"""Expressions as JavaScript, in a real browser: its numbers against Python's, with the bounds that it claims.

`EXPRGRAD_POSITIONS=500` takes so many positions of the sliders for each expression instead of 30.
"""

from __future__ import annotations

import math
import os
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from exprgrad import parse
from exprgrad.compiled.javascript import data, javascript
from exprgrad.errors import ExprgradError
from exprgrad.expressions.fields import edge_notes, written
from exprgrad.graph.value import Value, node
from exprgrad.operations.operation import TABLE, Operation
from exprgrad.sweeps.answer import answer
from exprgrad.sweeps.bounds import EXACT, UNDEFINED, Bounds, Known
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.sweeps.tape import Tape
from exprgrad.views.evaluation import corner_error
from tests.browser import browser

POSITIONS = int(os.environ.get("EXPRGRAD_POSITIONS", "30"))

EXPRESSIONS = [
    "(a*b + c)^2",
    "ln(x) + x*y - sin(y)",
    "sin(pi*x)/x + x^3 + tanh(x)",
    "abs(x)*x - abs(y - 1)",
    "sqrt(x^2 + y^2) + hypot(x, y)",
    "if(x > 0, x*ln(x), 0) + floor(y)",
    "max(x, y)*min(x, 2) + relu(x - y)",
    "exp(-x^2/2)/sqrt(2*pi)",
    "sigmoid(a*x + b) + softplus(b*x)",
    "x^y",
    "x^(1/3) + cbrt(x - 1)",
    "x^(2/3) + y^(3/5)",
    "root(x, 3) - root(y, 5)",
    "log(x, 2) + log10(y) + log2(x*y) + log1p(x)",
    "tan(x) + sec(x)*cot(y) - csc(y)",
    "asin(x/3) + acos(y/3) + atan(x*y)",
    "asec(x) + acsc(y) + acot(x)",
    "atan2(y, x)",
    "sinh(x) - cosh(y) + tanh(x*y)",
    "sech(x) + csch(y) + coth(x)",
    "asinh(x) + acosh(y) + atanh(x/3)",
    "asech(x/3) + acsch(y) + acoth(x)",
    "sign(x) + step(y) + ceil(x) + round(y)",
    "mod(x, y) + mod(x, 2)",
    "mse(x, y) + mae(x, 1) + huber(x, y)",
    "huber(x, y, 0.5) + nll_gaussian(x, y, 2)",
    "bce(x/3, y/3) + bce_logits(x, y/3)",
    "if(x <= y and not (x == 1), x*y, x - y) + (x != y or y > 2)",
    "(exp(x) - 1)/x - expm1(x)*1e-3 + x^4 - 4x^3 + 6x^2 - 4x + 1",
    "1/(1 + x^2)/(y - 1) + (x - 0.1)*5! + x*abs(x)*sqrt(y)",
]
"""Of all rows that have a kernel in JavaScript, with corners, jumps, poles, cancellation and ends of domains."""


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with browser() as started:
        yield started.new_page()


def positions(names: tuple[str, ...], count: int) -> list[dict[str, float]]:
    """Positions of sliders from -3 to 3: whole ones, tenths as people set them, and any."""
    draw = random.Random(" ".join(names))
    kinds = [
        lambda: float(draw.randint(-3, 3)),
        lambda: draw.randint(-30, 30) / 10,
        lambda: draw.uniform(-3, 3),
    ]
    return [{name: draw.choice(kinds)() for name in names} for _ in range(count)]


RUN = """([source, points]) => {
    const exprgrad = new Function(source + "return exprgrad")();
    return points.map((point) => {
        const found = exprgrad.run(point), names = Object.keys(found.gradient);
        const texts = Object.fromEntries(names.map((n) => [n, exprgrad.shown(found.gradient[n], found.gradientErrors[n])]));
        const errors = Object.values(found.gradientErrors).map((e) => (e === Infinity ? "infinite" : e));
        const error = found.error === Infinity ? "infinite" : found.error;
        return {...found, error, errors, texts: {"": exprgrad.shown(found.value, found.error), ...texts}};
    });
}"""
"""Only the test makes a function of text; a page has the source as its script."""


def unit(text: str) -> float:
    """One unit of the last place that is shown."""
    digits, _, power = text.partition("e")
    places = len(digits.partition(".")[2])
    return 10.0 ** (int(power or 0) - places)


def differs(text: str, known: Known) -> str:
    """What is wrong with a number that the page shows, given what is known of it; "" for nothing."""
    if text == "…":
        return ""
    wanted = written(known, 10)
    if text == wanted:
        return ""
    if "±" in text:
        reach = float(text.partition("± ")[2])
        return "" if abs(known.value or 0.0) <= reach else f"{text} for {wanted}"
    if known.value is None or text == "none":
        return f"{text} for {wanted}"
    far = abs(float(text) - known.value) > unit(text) + known.error
    return f"{text} for {wanted}" if far else ""


def numbers_left_out(sentence: str) -> str:
    return re.sub(r"-?\d+(\.\d+)?(e[-+]\d+)?", "#", sentence)


@pytest.mark.slow
def test_pages_agree_with_python_to_the_digits_shown_or_refuse_alike(page: Any) -> None:
    wrong, undecided, total = [], 0, 0
    for text in EXPRESSIONS:
        expression = parse(text)
        points = positions(expression.variables, POSITIONS)
        found = page.evaluate(RUN, [javascript(expression, points[0]), points])
        for at, own in zip(points, found, strict=True):
            total += 1
            says = own["fault"] or own["corner"] or ""
            hidden = says.startswith("could not decide") or "…" in own["texts"].values()
            undecided += hidden
            try:
                there = expression.evaluate(at)
            except ExprgradError as error:
                if (
                    numbers_left_out(says) != numbers_left_out(error.message)
                    and not hidden
                ):
                    wrong.append((text, at, says, error.message))
                continue
            if own["fault"]:
                if not hidden:
                    wrong.append((text, at, own["fault"], there.value))
                continue
            for name, shown in own["texts"].items():
                known = there.known(name)
                if hidden and own["gradient"].get(name, 0) is None:
                    continue
                if problem := differs(shown, known):
                    wrong.append((text, at, name, problem))
    assert wrong == []
    assert undecided < 0.1 * total, undecided


CORNERS = """abs(x); x*abs(x); x*abs(x) + sin(x); floor(x); sqrt(x); if(x > 0, x*ln(x), 0); if(x > 0, ln(x), 0); x^x; asin(x*x)
    x^1.5; x^(2/3); x^(1/3); sign(x); max(x, 2 - x); abs(x^2); mod(x, 2); relu(x)*x; bce_logits(2, x); bce(0.5, x); abs(sin(x))
    x*floor(x); acosh(x); hypot(x, x); hypot(x, 0)*x; abs(x) - abs(x); exp(abs(x)); sqrt(abs(x)); cbrt(x); atan2(x, -1)
    abs(abs(x) - 1); relu(x) + relu(-x); relu(x) - relu(-x); min(x, x^2); max(x^2, x^3); floor(x)*ceil(x); round(x/2)
    sqrt(x^2); sqrt(x^4); cbrt(x^3); abs(x)^3; step(x)*x; step(x)*x^2; step(x) + step(-x); if(x < 1, x, 2 - x); if(x < 1, x, x)
    if(x == 1, 1, x); mae(x, 1)*huber(x, 0); asec(x); acos(x); asech(x); x*sign(x); ln(abs(x - 3)); sqrt(1 - x^2); abs(1/(x + 2))
    floor(sqrt(x)); sqrt(x)*x; sqrt(x)*sqrt(x); x^0.5*(1 + x); (x - 1)^(1/3)*(x - 1); root(x, 3)*x; abs(exp(x) - 1); abs(x)/x; (x and 3) - abs(x); if(x, 2, 3)*x""".replace(
    "\n", ";"
).split(";")


@pytest.mark.slow
def test_corners_are_decided_as_python_does_or_not_at_all(page: Any) -> None:
    wrong, undecided = [], 0
    points = [{"x": float(x)} for x in range(-2, 4)]
    for text in CORNERS:
        expression = parse(text)
        found = page.evaluate(RUN, [javascript(expression, points[0]), points])
        for at, own in zip(points, found, strict=True):
            if "could not decide" in (own["corner"] or own["fault"] or ""):
                undecided += 1
                continue
            try:
                there = expression.evaluate(at)
            except ExprgradError as error:
                if own["fault"] != error.message:
                    wrong.append((text, at, own["fault"], error.message))
                continue
            missing = [c for c in there.corners if there.gradient["x"] is None]
            says = corner_error(missing[0], text, at["x"]).message if missing else None
            if own["corner"] != says or own["notes"] != edge_notes(there):
                wrong.append((text, at, own["corner"], says, own["notes"]))
            elif says is None and differs(own["texts"]["x"], there.known("x")):
                wrong.append((text, at, own["texts"], there.gradient))
    assert wrong == []
    assert undecided <= 0.05 * len(CORNERS) * len(points)


class Row:
    """An operation on variables, as an expression."""

    slopes = ()

    def __init__(self, row: Operation) -> None:
        leaves = [Value(None, name) for name in "abcd"[: row.arity]]
        self.tape = Tape(node(row, tuple(leaves)), leaves)

    def written(self, item: Value, within: Any = None) -> str:
        return item.name or ""

    def evaluate(self, at: Any) -> Any:
        raise AssertionError("a row with a kernel needs no numbers of Python")


ROWS = [row for row in TABLE.values() if row.javascript]


def arguments(row: Operation, count: int) -> list[list[float]]:
    """Arguments everywhere: corners, ends, small, large and between."""
    draw = random.Random(row.name)
    kinds = [
        lambda: draw.choice([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 10.0]),
        lambda: draw.uniform(-3, 3),
        lambda: draw.uniform(0, 1),
        lambda: draw.choice((-1, 1)) * 10 ** draw.uniform(-6, 2.5),
        lambda: 1 + draw.choice((-1, 1)) * 10 ** draw.uniform(-12, -1),
    ]
    return [[draw.choice(kinds)() for _ in range(row.arity)] for _ in range(count)]


def within(number: float | None, error: Any, known: Known) -> bool:
    """Whether a number and the bound that comes with it cover what is known."""
    if error == "infinite" or number is None:
        return True
    value, own = known.value, known.error
    if value is None and known.middle is not None:  # beyond the range of doubles
        value, own = float(known.middle), 0.0
    if value is None:
        return False
    return abs(number - value) <= error + own + abs(value) * 2.0**-52


@pytest.mark.slow
def test_every_kernel_and_partial_in_javascript_is_within_its_bound(page: Any) -> None:
    wrong, tried = out_of_bounds(page, ROWS)
    assert wrong == []
    assert tried > 4 * len(ROWS)


@pytest.mark.slow
def test_a_row_without_a_kernel_in_javascript_is_computed_by_its_formula(
    page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [TABLE[name] for name in ("softplus", "sinh", "tan", "huber", "min", "mod")]
    for row in rows:
        monkeypatch.setattr(row, "javascript", "")
    wrong, tried = out_of_bounds(page, rows)
    assert wrong == []
    assert tried > 4 * len(rows)


def out_of_bounds(page: Any, rows: list[Operation]) -> tuple[list[Any], int]:
    """Where a value or a partial of these rows is off by more than it says, and how many points were tried."""
    wrong: list[Any] = []
    tried = 0
    for row in rows:
        expression, bounds = Row(row), Bounds(Row(row).tape)
        points = arguments(row, 10)
        names = list(expression.tape.variables)
        given = [dict(zip(names, own, strict=True)) for own in points]
        source = javascript(expression, given[0])
        partials = [
            n for n, p in zip(names, row.partials, strict=True) if p is not None
        ]
        for at, own in zip(given, page.evaluate(RUN, [source, given]), strict=True):
            exact = {name: Coordinate.of(number) for name, number in at.items()}
            truth = answer(bounds, exact, partials, digits=17)
            if own["fault"]:
                overflows = truth.value.value is None or abs(truth.value.value) > 1e300
                if truth.value.status != UNDEFINED and not overflows:
                    wrong.append((row.name, at, own["fault"], truth.value))
                continue
            tried += 1
            if not within(own["value"], own["error"], truth.value):
                wrong.append((row.name, at, own["value"], own["error"], truth.value))
            for name, error in zip(names, own["errors"], strict=True):
                if (
                    name in partials
                    and own["gradient"][name] is not None
                    and not within(own["gradient"][name], error, truth.partials[name])
                ):
                    wrong.append(
                        (
                            row.name,
                            at,
                            name,
                            own["gradient"][name],
                            error,
                            truth.partials[name],
                        )
                    )
    return wrong, tried


@pytest.mark.slow
def test_an_operation_without_a_kernel_freezes_the_page_and_says_why(page: Any) -> None:
    expression = parse("x*gamma(x)")
    source = javascript(expression, {"x": 2.5})
    here, there = page.evaluate(RUN, [source, [{"x": 2.5}, {"x": 3}]])
    assert here["frozen"] == there["fault"] == "gamma is not computed in this page: its numbers are those of the given point"  # fmt: skip
    own = expression.evaluate({"x": 2.5})
    assert here["value"] == own.value
    assert here["gradient"] == own.gradient
    assert here["adjoints"][0] == pytest.approx(own.gradient["x"])


def test_rows_without_a_kernel_are_those_that_need_series() -> None:
    scalar = [row.name for row in TABLE.values() if row.whole is None]
    without = {name for name in scalar if not TABLE[name].javascript}
    assert without == {
        "erf",
        "erfc",
        "gamma",
        "lgamma",
        "digamma",
        "polygamma",
        "sinc",
        "sinc_n",
    }


@pytest.mark.slow
def test_tangents_are_those_of_forward_mode(page: Any) -> None:
    expression = parse("ln(x1) + x1*x2 - sin(x2)")
    at = {"x1": 2.0, "x2": 5.0}
    found = page.evaluate(
        '([source, at]) => new Function(source + "return exprgrad")().tangents(at, {x1: 1})',
        [javascript(expression, at), at],
    )
    tangents = expression.evaluate(at, mode="forward").tangents["x1"]
    assert found == pytest.approx(tangents)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "error"),
    [(49.0, 4e-14), (1 / 3, 1e-17), (1e-5 / 3, 1e-9), (123456.789, 0.04), (1e22 / 3, 1e5), (0.0, 0.0),
     (0.0, 1e-12), (-2.5e-7, 1e-20), (1234567890.5, 0.0), (1e16, 2.0), (5e-324, 0.0), (-0.1, 0.2), (1e15, 0.0)],
)  # fmt: skip
def test_numbers_are_shown_as_python_shows_them(
    page: Any, number: float, error: float
) -> None:
    source = javascript(parse("x"), {"x": 1.0})
    shown = page.evaluate(
        '([source, x, e]) => new Function(source + "return exprgrad")().shown(x, e)',
        [source, number, error],
    )
    assert shown == written(Known(number, error, "bounded" if error else EXACT), 10)


@pytest.mark.slow
def test_digits_stand_for_the_decimals_that_are_typed_too(page: Any) -> None:
    expression = parse("(x + 1e6 - y)*1e6")
    at = {"x": 0.1, "y": 1000000.1}
    (found,) = page.evaluate(RUN, [javascript(expression, at), [at]])
    exact = parse("(1/10 + 1e6 - (1e6 + 1/10))*1e6").evaluate({}).value
    assert exact == 0
    assert abs(found["value"]) <= found["error"]
    assert abs(expression.evaluate(at).value - found["value"]) <= found["error"]


def test_strings_end_neither_themselves_nor_the_script() -> None:
    expression = parse("sqrt(x < 2)")
    assert "</" not in javascript(expression, {"x": 1.0})
    assert '"x \\u003c 2"' in javascript(expression, {"x": 1.0})


def test_a_derivative_in_the_text_is_not_computed_in_a_page() -> None:
    source = javascript(parse("d/dx(abs(x)) + x"), {"x": 1.0})
    assert "a derivative in the text is not computed in this page" in source


@pytest.mark.slow
def test_every_row_that_has_a_kernel_is_written_with_all_that_its_rules_need() -> None:
    for row in ROWS:
        source = javascript(Row(row), dict.fromkeys("abcd"[: row.arity], 1.0))
        assert f'"{row.name}": {{kernel: (' in source, row.name
        assert '"frozen"' not in source, row.name


def test_numbers_that_are_not_finite_are_written_as_javascript_has_them() -> None:
    assert data([math.inf, -math.inf, math.nan, 1e300, -2.0, None, True]) == "[Infinity, -Infinity, NaN, 1e+300, -2.0, null, true]"  # fmt: skip
