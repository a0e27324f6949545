"""Answers of every kind: right, wrong, right on a piece, and undecided."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from operator import itemgetter
from pathlib import Path

import pytest

import exprgrad
from exprgrad.budget import USUAL, limited
from exprgrad.checking import equations
from exprgrad.checking.kinds.critical import critical_points
from exprgrad.checking.kinds.rows import KINDS
from exprgrad.cli.start import run
from exprgrad.errors import (
    ExprgradError,
    NotDifferentiableError,
    UndecidedError,
    UsageError,
)

MANUAL = Path(exprgrad.__file__).parent / "manual"

CIRCLE = "x^2 + y^2 = 25"
CURVE = ("t^2", "t^3")

RIGHT = [
    ("2x", "x^2 + C", {"kind": "antiderivative"}),
    ("1/x", "ln|3x|", {"kind": "antiderivative"}),
    ("cos(2x)", "0.5 sin 2x + k", {"kind": "antiderivative"}),
    ("3", "3x", {"kind": "antiderivative", "wrt": "x"}),
    (CIRCLE, "-x/y", {"kind": "implicit"}),
    (CIRCLE, "-25/y^3", {"kind": "implicit", "order": 2}),
    (CIRCLE, "-3/4", {"kind": "implicit", "at": {"x": 3, "y": "4"}}),
    (CIRCLE, "-y/x", {"kind": "implicit", "of": "x", "wrt": "y"}),
    ("x^2/a^2 + y^2/b^2 = 1", "-b^2 x/(a^2 y)", {"kind": "implicit", "wrt": "x"}),
    (("cos t", "sin t"), "-cot t", {"kind": "parametric", "parameter": "t"}),
    ("(t^2, t^3)", "3/(4t)", {"kind": "parametric", "order": 2}),
    (CURVE, 3, {"kind": "parametric", "at": {"t": "2"}}),
    ("x^2", "y = 6x - 9", {"kind": "tangent", "at": {"x": 3}}),
    ("x^2", "y - 9 = 6(x - 3)", {"kind": "tangent", "at": 3}),
    ("y = x^2", "6x - 9", {"kind": "tangent", "at": {"x": "3"}}),
    ("t^2", "s = 6t - 9", {"kind": "tangent", "at": 3}),
    ("x^2", "L(x) = 6x - 9", {"kind": "tangent", "at": 3}),
    ("x^2", "y(x) = 6x - 9", {"kind": "tangent", "at": 3}),
    ("x^2 + y^2", "L(x, y) = 2x + 4y - 5", {"kind": "tangent", "at": (1, 2)}),
    ("x^2 + y^2", "z = 2x + 4y - 5", {"kind": "tangent", "at": (1, 2)}),
    ("x^2 + y^2", "2x + 4y - z = 5", {"kind": "tangent", "at": (1, 2, 5)}),
    ("z = x^2 + y^2", "z - 5 = 2(x - 1) + 4(y - 2)", {"kind": "tangent", "at": (1, 2)}),
    (CIRCLE, "3x + 4y = 25", {"kind": "tangent", "at": {"x": 3, "y": 4}}),
    (CIRCLE, "x = 5", {"kind": "tangent", "at": {"x": 5, "y": 0}}),
    (("cos t", "sin t"), "sqrt(2) - x", {"kind": "tangent", "at": {"t": "pi/4"}}),
    ("x^2", "y = 3/2 - x/2", {"kind": "normal", "at": 1}),
    ("x^2", "x = 0", {"kind": "normal", "at": 0}),
    ("cbrt(x)", "y = 0", {"kind": "normal", "at": 0}),
    (CIRCLE, "4x = 3y", {"kind": "normal", "at": (3, 4)}),
    ("sqrt(x)", "2 + (x - 4)/4", {"kind": "linearization", "at": {"x": 4}}),
    ("x*y", "2x + y - 2", {"kind": "linearization", "at": {"x": 1, "y": 2}}),
    ("e^x", "1 + x + x^2/2", {"kind": "taylor", "order": 2, "at": {"x": 0}}),
    ("tan x", "1 + 2(x - pi/4)", {"kind": "taylor", "order": 1, "at": "pi/4"}),
    ("x^2 y", "16/5", {"kind": "directional", "at": (1, 2), "direction": ("3", "4")}),
    ("x^2 y", "sqrt 17", {"kind": "directional", "at": (1, 2), "direction": "steepest"}),
    ("x^2 y", (4, 1), {"kind": "directional", "at": (1, 2), "direction": "steepest"}),
    ("x^2 + y^2", "3i + 4j", {"kind": "directional", "at": (3, 4), "direction": "steepest"}),
    ("x^2 y", "(2x y + x^2)/sqrt 2", {"kind": "directional", "direction": (1, 1)}),
    ("x^2 y", ("2x y", "x^2"), {"kind": "gradient"}),
    ("x^2 y", "(4, 1)", {"kind": "gradient", "at": {"x": 1, "y": 2}}),
    ("x^2 y", {"x,x": "2y", "x,y": "2x", "y,y": 0}, {"kind": "hessian"}),
    ("x^2 y", "[[2y, 2x], [2x, 0]]", {"kind": "hessian"}),
    ("x^3 - 3x", (-1, "1"), {"kind": "critical"}),
    ("x^(2/3)", (0,), {"kind": "critical"}),
    ("x^3 - 3x", "max at (-1, 2), min at (1, -2)", {"kind": "critical"}),
    ("x^3 - 3x", "x = -1 (max), x = 1 (min)", {"kind": "critical"}),
    ("x^2 - y^2", "(0, 0) saddle", {"kind": "critical"}),
    ("x^2 - 2x + y^2", "(1, 0, -1)", {"kind": "critical"}),
    ("x^4 - 2x^2", "(±1, -1), (0, 0)", {"kind": "critical"}),
    ("sin x", "π/2 + nπ, n an integer", {"kind": "critical"}),
    ("x^3 + x", "DNE", {"kind": "critical"}),
    ("|x|", "none", {"kind": "stationary"}),
    ("x^3", "none", {"kind": "extremum"}),
    ("sin x", "x = π/2 + 2kπ", {"kind": "maximum"}),
    ("|x|", "at x = 0", {"kind": "minimum"}),
    ("x^4 - 6x^2", "(±1, -5)", {"kind": "inflection"}),
    ("x^4 - 6x^2", ("1", -1), {"kind": "inflection"}),
    ("x^4 + x^2", "none", {"kind": "inflection"}),
    ("x/(x^2 + 3)", "x = 0, x = ±3", {"kind": "inflection"}),
    ("x |x|", 0, {"kind": "inflection"}),
    ("x^2 + x y + y^2 - 3x", ((2, -1),), {"kind": "critical"}),
    ("x^2 y^3", "6x y^2", {"wrt": ("x", "y")}),
    ("x^2 y^3", ("2x y^3", "3x^2 y^2"), {"wrt": ("x", "y")}),
]  # fmt: skip

WRONG = [
    ("x^2", "x^3", {"kind": "antiderivative"}, "3 times"),
    ("1/x", "-1/x^2", {"kind": "antiderivative"}, "derivative of the integrand"),
    ("x^2", "2x + C", {"kind": "antiderivative"}, "derivative of the integrand"),
    ("x^2", "x^2 + C", {"kind": "antiderivative"}, "the integrand itself"),
    ("x^2", "x^3/2 + C", {"kind": "antiderivative"}, "3/2 times"),
    (CIRCLE, "x/y", {"kind": "implicit"}, "sign"),
    (CIRCLE, "-y/x", {"kind": "implicit"}, "upside down"),
    (CIRCLE, "2x", {"kind": "implicit"}, "held constant"),
    (CURVE, "2/(3t)", {"kind": "parametric"}, "upside down"),
    (CURVE, "3/2", {"kind": "parametric", "order": 2}, "division by dx/dt"),
    (CURVE, "3t", {"kind": "parametric", "order": 2}, "twice"),
    ("x^2", "6x - 8", {"kind": "tangent", "at": 3}, "misses the point"),
    ("x^2", "y = 3x", {"kind": "tangent", "at": 3}, "slope is wrong"),
    ("x^2", "6", {"kind": "tangent", "at": 3}, "the slope of the tangent, not its equation"),
    ("x^2 + 1", "y = 0", {"kind": "tangent", "at": 0}, "misses the point"),
    (CIRCLE, "y = 4/3 x", {"kind": "tangent", "at": (3, 4)}, "this is the normal"),
    ("x^2", "y = 2x - 1", {"kind": "normal", "at": 1}, "this is the tangent"),
    ("x^2", "2x(x - 3) + 9", {"kind": "tangent", "at": 3}, "not a line"),
    ("t^2", "s = 6t - 8", {"kind": "tangent", "at": 3}, "misses the point"),
    ("x^2 + y^2", "z = 2x - 4y + 11", {"kind": "tangent", "at": (1, 2)}, "slope in y is wrong"),
    ("x^2 + y^2", "z = x^2 + y^2", {"kind": "tangent", "at": (1, 2)}, "not linear in x"),
    ("x*y", "2 + 2(x - 1) + 2(y - 2)", {"kind": "linearization", "at": (1, 2)}, "y is wrong"),
    ("e^x", "1 + x + x^2", {"kind": "taylor", "order": 2}, "k!"),
    ("e^x", "1 + x + x^2/3", {"kind": "taylor", "order": 2}, "coefficient of x^2"),
    ("ln(x)", "x - x^2/2", {"kind": "taylor", "order": 2, "at": 1}, "of x, not of x - 1"),
    ("e^x", "1 + x + x^2/2", {"kind": "taylor", "order": 1}, "beyond order 1"),
    ("x y", 7, {"kind": "directional", "at": (1, 1), "direction": (3, 4)}, "its length"),
    ("sin(2x)", ("cos(2x)",), {"kind": "gradient"}, "inner"),
]  # fmt: skip

PARTLY = [
    ("1/x", "ln x + C", {"kind": "antiderivative"}, "right for x > 0"),
    ("x", "x|x|/2", {"kind": "antiderivative"}, "x > 0"),
    (CIRCLE, "-x/sqrt(25 - x^2)", {"kind": "implicit"}, "y > 0"),
    ("x^2 y", ("2x", "x^2"), {"kind": "gradient"}, "right: ∂/∂y"),
    ("x^2 y", {"x,x": "2y", "x,y": "2x"}, {"kind": "hessian"}, "missing: y,y"),
    ("x^3 - 3x", (1,), {"kind": "critical"}, "missing: x = -1"),
    ("x^4 - 6x^2", (1,), {"kind": "inflection"}, "your answer gives 1, their number is 2"),
    ("|x^3 - 3x|", "x = ±1, 0", {"kind": "stationary"}, "at x = 0 there is no stationary point"),
    ("x^4 - x^3", "x = 0, x = 3/4", {"kind": "extremum"}, "no local extremum"),
    ("sin x", "x = π/2 + kπ", {"kind": "maximum"}, "no local maximum, but a minimum"),
    ("x^4 - 2x^2", "x = 1", {"kind": "minimum"}, "missing: x = -1"),
    ("x^3 - 3x", "min at x = -1, x = 1 and max at x = 5", {"kind": "critical"}, "no local minimum"),
    ("x^3 - 3x", (1, 0), {"kind": "critical"}, "slope in x is -3"),
    ("x sin y", ((0, 0),), {"kind": "critical"}, "missing: x = 0, y = -pi"),
]  # fmt: skip

UNDECIDED = [
    ("sqrt(-1 - x^2)", "x", {"kind": "antiderivative"}),
    ("x^2 + y^2 = -1", "-x/y", {"kind": "implicit"}),
    (("1", "t"), "t", {"kind": "parametric"}),
    ("(y - x^2)*(y - 2x^2)", "(0, 0)", {"kind": "minimum"}),
    ("x^(3/2)", "none", {"kind": "minimum"}),
    ("x^2 y + ln(-1 - x^2)", ("2x y", "x^2"), {"kind": "gradient"}),
]

UNCLEAR = [
    ("x^2", "2x", {"kind": "other"}, "no kind"),
    ("x^2", "2x", {"kind": "gradient", "direction": (1, 0)}, "takes no direction"),
    ("x^2", "2x", {"kind": "implicit"}, "equation"),
    (CIRCLE, "1", {"kind": "implicit", "at": {"x": 3, "y": 5}}, "not on"),
    (CIRCLE, "1", {"kind": "implicit", "at": {"x": 3}}, "no value for y"),
    ("x^2", "2x", {"kind": "tangent"}, "needs the point"),
    ("x y", ("y",), {"kind": "gradient"}, "1 answer for 2 variables"),
    ("x y", 1, {"kind": "directional", "at": (1, 2)}, "needs a direction"),
    ("x y", 1, {"kind": "directional", "at": (1, 2), "direction": (0, 0)}, "is 0"),
    (
        "x y",
        1,
        {"kind": "directional", "at": (1, 2), "direction": (1,)},
        "has 1 part for 2",
    ),
    (
        "x^2 y",
        (0, 0),
        {"kind": "directional", "at": (0, 2), "direction": "steepest"},
        "all slopes are 0 at x = 0, y = 2",
    ),
    ("x^3", "a", {"kind": "inflection"}, "made of numbers, not of a"),
    (
        "x^3",
        "(1, 2, 3), (0, 0, 0)",
        {"kind": "inflection"},
        "an inflection point has 1 coordinate: x",
    ),
    ("|x|", "x", {"kind": "tangent", "at": 0}, "no derivative"),
    ("x^2 + y^2", "z = 1", {"kind": "normal", "at": (1, 1)}, "only a curve"),
    ("x^2 - 4x", "-4", {"kind": "minimum"}, "the place or the value"),
    ("x^3 - 3x", "y = ±1", {"kind": "critical"}, "has 1 coordinate: x"),
    ("x^3 - 3x", "absolute max at x = -1", {"kind": "critical"}, "absolute"),
    ("a x^2", (0,), {"kind": "critical", "wrt": "x"}, "number for a"),
    ("2x", "x^2", {"kind": "antiderivative", "constant": "maybe"}, "maybe"),
]


@pytest.mark.parametrize(("given", "claim", "options"), RIGHT)
def test_a_right_answer_is_correct(given, claim, options):
    found = exprgrad.check(given, claim, **options)
    assert found.status == "correct", found.evidence


@pytest.mark.parametrize(("given", "claim", "options", "told"), WRONG)
def test_a_wrong_answer_is_refuted_and_its_mistake_is_named(
    given, claim, options, told
):
    found = exprgrad.check(given, claim, **options)
    assert found.status == "incorrect", found.evidence
    assert found.mistake is not None
    assert told in found.mistake.message


@pytest.mark.parametrize(("given", "claim", "options", "told"), PARTLY)
def test_an_answer_that_is_right_in_part_says_in_which(given, claim, options, told):
    found = exprgrad.check(given, claim, **options)
    assert found.status == "partly", found.evidence
    assert told in found.evidence


@pytest.mark.parametrize(("given", "claim", "options"), UNDECIDED)
def test_where_there_is_nothing_to_compare_nothing_is_decided(given, claim, options):
    assert exprgrad.check(given, claim, **options).status == "undecided"


@pytest.mark.parametrize(("given", "claim", "options", "told"), UNCLEAR)
def test_an_unclear_question_is_one_error(given, claim, options, told):
    with pytest.raises(ExprgradError, match=told):
        exprgrad.check(given, claim, **options)


def test_every_kind_has_a_right_answer_and_one_that_is_not_in_these_tests():
    good = {options.get("kind", "derivative") for _, _, options in RIGHT}
    bad = {options["kind"] for _, _, options, _ in (*WRONG, *PARTLY)}
    assert good == set(KINDS)
    assert bad == set(KINDS) - {"derivative"}


@pytest.mark.parametrize(
    "claim",
    [
        "max at (1, -2), min at (-1, 2)",
        "local min at x = -1, local max at x = 1",
        "(1, -2) max, (-1, 2) min",
    ],
)
def test_a_point_has_to_be_of_the_kind_that_an_answer_names(claim):
    for kind in ("critical", "extremum"):
        found = exprgrad.check("x^3 - 3x", claim, kind=kind)
        assert found.status == "incorrect"
        assert "at x = 1 there is no local maximum, but a minimum" in found.evidence


@pytest.mark.parametrize(
    ("constant", "bare", "with_c"),
    [
        ("required", "incorrect", "correct"),
        ("optional", "correct", "correct"),
        ("forbidden", "correct", "incorrect"),
    ],
)
def test_the_constant_of_integration_is_a_matter_of_what_was_asked(
    constant, bare, with_c
):
    options = {"kind": "antiderivative", "constant": constant}
    assert exprgrad.check("2x", "x^2", **options).status == bare
    assert exprgrad.check("2x", "x^2 + C", **options).status == with_c


def test_a_constant_that_cannot_take_every_value_is_not_the_constant():
    options = {"kind": "antiderivative", "constant": "required"}
    assert exprgrad.check("2x", "x^2 + c^2", **options).status == "incorrect"
    assert exprgrad.check("2x", "x^2 - 3c", **options).status == "correct"


def test_an_antiderivative_that_jumps_is_right_with_a_note():
    found = exprgrad.check("1/(1+x^2)", "-atan(1/x)", kind="antiderivative")
    assert found.status == "correct"
    assert "jumps at x = 0" in " ".join(found.notes)


def test_messages_on_an_antiderivative_speak_of_the_integrand():
    found = exprgrad.check("x^2", "x^2", kind="antiderivative")
    assert "the derivative of your answer gives 2, the integrand is 1" in found.evidence


@pytest.mark.slow
def test_points_of_an_implicit_answer_lie_on_the_curve():
    found = exprgrad.check(CIRCLE, "x*y", kind="implicit")
    at = found.counterexample.at
    assert at["x"] ** 2 + at["y"] ** 2 == pytest.approx(25, rel=1e-12)


def test_a_derivative_taken_twice_is_written_with_a_power():
    verdict = exprgrad.check("x^3 y^2", "x^3", wrt=("y", "y"))
    assert verdict.asked == "∂^2/∂y^2 of x^3 y^2"


@pytest.mark.slow
def test_a_point_found_at_a_height_keeps_it():
    given = ("x^2 + x*y + y^2 = 7", "-(2x + y)/(2y)")  # which has no value at y = 0
    verdict = exprgrad.check(*given, kind="implicit")
    assert verdict.status == "incorrect"
    assert abs(verdict.counterexample.claimed) < 100


@pytest.mark.slow
def test_a_curve_far_from_the_axes_is_found():
    equation = "(x - 900)^2 + (y + 700)^2 = 1"
    right, wrong = "-(x - 900)/(y + 700)", "-(x - 900)/(y + 700) + 1e-9"
    assert exprgrad.check(equation, right, kind="implicit").status == "correct"
    assert exprgrad.check(equation, wrong, kind="implicit").status == "incorrect"


@pytest.mark.slow
def test_an_answer_that_holds_only_on_the_curve_is_right():
    found = exprgrad.check("x*y = 1", "-1/x^2", kind="implicit")
    assert found.status == "correct"
    assert found.evidence.startswith("agrees at")


def test_typed_decimals_are_right_to_the_digits_given():
    options = {"kind": "directional", "at": {"x": -4, "y": 2}, "direction": (4, 1)}
    found = exprgrad.check("x/y", "0.727606875108999", **options)
    assert found.evidence == "correct to the digits you gave"
    assert exprgrad.check("x/y", "0.7276068752", **options).status == "incorrect"


@pytest.mark.slow
def test_the_right_answer_is_told_as_a_formula():
    assert exprgrad.check(CIRCLE, "x/y", kind="implicit").answer == "-x/y"
    options = {"kind": "gradient", "at": {"x": 1, "y": 2}}
    assert exprgrad.check("x^2 y", (0, 0), **options).answer == "∂/∂x: 4, ∂/∂y: 1"
    assert exprgrad.check("x^3 - 3x", (1,), kind="critical").answer == "x = -1; x = 1"


def test_a_value_may_be_a_number_of_any_type():
    for value in (Fraction(1, 4), 0.25, "1/4", "0.25"):
        options = {"kind": "tangent", "at": {"x": value}}
        assert exprgrad.check("x^2", "x/2 - 1/16", **options).status == "correct"


@pytest.mark.parametrize(
    ("given", "claim", "wrong", "options"),
    [
        ("x^2", "0.2", "0.21", {"at": {"x": 0.1}}),
        ("x^2", 0.2, 0.2000000000001, {"at": {"x": 0.1}}),
        ("x^3", "0.27", "0.3", {"at": {"x": 0.3}}),
        ("x^2 y", ("0.14", "0.01"), ("0.15", "0.02"), {"kind": "gradient", "at": {"x": 0.1, "y": 0.7}}),
        ("x^2", "y = 0.2x - 0.01", "y = 0.2x", {"kind": "tangent", "at": {"x": 0.1}}),
        ("x^2", "y = 0.2x - 0.01", "y = 0.2x", {"kind": "tangent", "at": 0.1}),
        ("x^2 y", "0.164", "0.16", {"kind": "directional", "direction": (0.6, 0.8), "at": {"x": 0.1, "y": 1.3}}),
    ],
)  # fmt: skip
def test_a_float_of_a_question_is_the_decimal_that_it_shows(
    given, claim, wrong, options
):
    assert exprgrad.check(given, claim, **options).status == "correct"
    assert exprgrad.check(given, wrong, **options).status == "incorrect"
    exact = {"x": Fraction(0.1)}  # whoever means the double itself can say so
    assert exprgrad.check("x^2", "0.2", at=exact).status == "incorrect"


def test_a_tangent_may_be_asked_for_at_a_point_of_the_graph():
    assert (
        exprgrad.check("x^2", "2x - 1", kind="tangent", at=(1, 1)).status == "correct"
    )
    assert (
        exprgrad.check("y = sin x", "y = x", kind="tangent", at=(0, 0)).status
        == "correct"
    )
    with pytest.raises(exprgrad.ExprgradError, match=r"\(1, 2\) is not shown to be on"):
        exprgrad.check("x^2", "2x - 1", kind="tangent", at=(1, 2))


@pytest.mark.parametrize("at", [1, "1", {"x": "1"}, {"t": 1}, (1, 5)])
def test_a_constant_has_a_tangent(at):
    assert exprgrad.check(5, "y = 5", kind="tangent", at=at).status == "correct"


def test_the_right_polynomial_is_told_in_powers_of_the_distance():
    options = {"kind": "taylor", "at": {"x": 3}, "order": 2}
    found = exprgrad.check("(x-3)*(1-x)/2", "x", **options)
    assert found.answer == "-(x - 3) - 1/2*(x - 3)^2"


def test_the_tangent_at_a_letter_is_a_line_with_that_letter():
    found = exprgrad.check("x^2", "2a x - a^2", kind="tangent", at={"x": "a"})
    assert found.status == "correct"


def test_parts_say_which_partial_derivative_is_wrong():
    found = exprgrad.check("x^2 y", ("2x y", "x"), kind="gradient")
    assert [part.status for part in found.parts] == ["correct", "incorrect"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "status"), [("2x y^x", "incorrect"), ("y^(x-1)(1 + x ln y)", "correct")]
)
def test_one_claim_for_both_orders_of_a_mixed_derivative_is_judged_once(claim, status):  # fmt: skip
    def judged(*orders):
        answers = dict.fromkeys(orders, claim)
        with limited(USUAL) as budget:
            found = exprgrad.check("y^x", answers, kind="hessian")
        parts = [
            (part.name, part.status, *map(itemgetter(0), part.right))
            for part in found.parts
        ]
        return parts, budget.spent

    parts, both = judged("x,y", "y,x")
    assert parts == [("x,y", status, "x,y"), ("y,x", status, "y,x")]
    assert both == judged("x,y")[1]


@pytest.mark.slow
def test_a_claim_that_is_shown_to_have_values_is_proved_without_looking_everywhere():
    f = exprgrad.parse("tanh(sec(x))/atanh(tan(x - y))")
    slopes = [str(f.derivative(name)) for name in f.variables]
    with limited(USUAL) as budget:
        found = exprgrad.check(f, slopes, kind="gradient")
    assert [part.certainty for part in found.parts] == ["proved", "proved"]
    assert budget.spent < 10_000


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_of_a_kind_is_right_and_its_page_names_it(kind, capsys):
    assert run([KINDS[kind].example]) == 0
    assert capsys.readouterr().out.startswith("✓ correct")
    assert kind in (MANUAL / f"{KINDS[kind].page}.md").read_text("utf-8")


STRANGE = [None, "", "=", (), ("1", "2"), {"x": "2x"}, float("nan"), [[1, 2], [3, 4]], "1/0", 5]  # fmt: skip
ASKED_STRANGELY = [
    {}, {"at": {}}, {"at": 3}, {"at": {"x": float("nan")}}, {"at": {"x": "1/0"}}, {"wrt": ""},
    {"wrt": ("x", "y")}, {"order": -1}, {"order": 1.5}, {"direction": "steepest"},
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_passed_there_is_a_verdict_or_an_error_of_our_own(kind):
    for given in ("x^2", "x^2 + y^2 = 25", "x^2 y", ("x", "y"), *STRANGE):
        for claim in ("2x", "y = 2", ("2x y", "x^2"), *STRANGE):
            for options in ASKED_STRANGELY:
                try:
                    found = exprgrad.check(given, claim, kind=kind, **options)
                except ExprgradError:
                    continue
                assert found.status in ("correct", "incorrect", "partly", "undecided")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("equation", "said"),
    [
        ("x^2 + y^2 = -1", "has no real points"),
        ("x^2 + x*y + y^2 = -1", "has no real points"),
        ("sin(x*y) = 8", "has no real points"),
        ("x^2 + y^2 = 0", "has a single real point"),
    ],
)
def test_equation_without_a_curve_says_so(equation, said):
    found = exprgrad.check(equation, "-x/y", "x", kind="implicit", of="y")
    assert found.status == "undecided"
    assert said in found.evidence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("-0.333x/y", "correct"),
        ("-0.334x/y", "incorrect"),
        ("-0.333x/y + 0.001", "incorrect"),
    ],
)
def test_decimals_of_a_slope_stand_for_one_set_of_numbers_on_the_curve(claim, status):
    found = exprgrad.check("x^2 + 3y^2 = 5", claim, "x", kind="implicit", of="y")
    assert found.status == status


@pytest.mark.slow
def test_slopes_that_overflow_are_no_obstacle_on_a_curve():
    claim = "-2*y*cos(x*y)/(2*x*cos(x*y) - 2*exp(y) + 5/y)"
    equation = "-2*exp(y) + 5*ln(y) + 2*sin(x*y) = -7"
    assert (
        exprgrad.check(equation, claim, "x", kind="implicit", of="y").status
        == "correct"
    )


@pytest.mark.parametrize(
    ("given", "claim", "kind"),
    [
        ("2x", "F(x) = x^2 + C", "antiderivative"),
        ("∫ 2x dx", "= x^2", "antiderivative"),
        ("2t dt", "t^2", "antiderivative"),
        ("1/x", "ln|Cx|", "antiderivative"),
        (CIRCLE, "dy/dx = -x/y", "implicit"),
        (CIRCLE, "y' = -x/y", "implicit"),
        (("cos t", "sin t"), "dy/dx = -cot t", "parametric"),
        ("x^2*y", "∇f = ⟨2xy, x^2⟩", "gradient"),
        ("x^2*y", "grad f = (2xy, x^2)", "gradient"),
        ("1 + x^2", "T_2(x) = 1 + x^2 + ...", "taylor"),
    ],
)
def test_an_answer_may_say_what_it_is(given, claim, kind):
    assert exprgrad.check(given, claim, kind=kind).status in ("correct", "partly")
    wrong = claim.replace("x^2", "x^3").replace("-", "").replace("t^2", "t").replace("|Cx|", "|Cx^2|")  # fmt: skip
    assert exprgrad.check(given, wrong, kind=kind).status in ("incorrect", "partly")


@pytest.mark.parametrize(
    ("f", "points", "complete"),
    [
        ("x^x", ["x = exp(-1) minimum"], True),
        ("abs(x)", ["x = 0 minimum"], True),
        ("abs(x^2 - 4)", ["x = -2 minimum", "x = 0 maximum", "x = 2 minimum"], True),
        ("max(x, 1 - x)", ["x = 1/2 minimum"], True),
        ("x*abs(x - 1)", ["x = 1/2 maximum", "x = 1 minimum"], True),
        # it jumps from 2 to 1 there, and is less beside it
        ("if(x > 1, x^2, 3 - x)", ["x = 1 undecided"], True),
        ("abs(x) - sign(x)", ["x = 0 undecided"], True),
        ("abs(x) + abs(x - 1)", ["x = 0 minimum", "x = 1 minimum"], True),
        ("max(min(x, 1), 0)", ["x = 0 minimum", "x = 1 maximum"], True),
        ("asin(x) + sqrt(1 - x^2)", ["x = 1 maximum"], True),
        ("x - 2*sqrt(x)", ["x = 1 minimum"], True),
        ("ln(abs(x))", [], True),
        ("sin(x)", ["x = pi/2 maximum", "x = 3*pi/2 minimum"], True),
        ("cos(pi*x)^2", ["x = 0 maximum", "x = 1/2 minimum"], True),
        ("sec(2x)", ["x = 0 minimum", "x = pi/2 maximum"], True),
        ("tan(x)", [], True),
        ("x + 2*cos(x)", ["x = pi/6 maximum", "x = 5*pi/6 minimum"], True),
        ("tan(x) - 2x", ["x = pi/4 minimum", "x = 3*pi/4 maximum"], True),
        (
            "3sin(x) - 4cos(x)",
            ["x = acos(-4/5) maximum", "x = 2*pi - acos(4/5) minimum"],
            True,
        ),
        ("abs(sin(x))", ["x = 0 minimum", "x = pi/2 maximum"], True),
        (
            "sin(x)*exp(cos(x))",
            [
                "x = acos(sqrt(5)/2 - 1/2) maximum",
                "x = 2*pi - acos(sqrt(5)/2 - 1/2) minimum",
            ],
            True,
        ),
    ],
)
def test_critical_points_are_found_piece_by_piece_and_in_one_period(
    f, points, complete
):
    found = critical_points(exprgrad.parse(f), ("x",))
    assert [f"{p.text} {p.kind}" for p in found.points] == points
    assert found.complete == complete


@pytest.mark.parametrize(
    ("f", "families"),
    [
        ("x + 2*cos(x)", ("x = pi/6 + 2*pi*k", "x = 5*pi/6 + 2*pi*k")),
        ("cos(x)*cos(sin(x))^5", ("x = 0 + 2*pi*k", "x = pi + 2*pi*k")),
        ("exp(cos(sin(2x)))", ("x = 0 + pi*k/2", "x = pi/4 + pi*k/2")),
        ("k + 2*cos(k)", ("k = pi/6 + 2*pi*n", "k = 5*pi/6 + 2*pi*n")),
        ("sin(pi*x/3)^2", ("x = 0 + 3*k", "x = 3/2 + 3*k")),
        ("x^2", ()),
    ],
)
def test_critical_points_that_repeat_are_families(f, families):
    assert critical_points(exprgrad.parse(f)).families == families


@pytest.mark.slow
def test_the_whole_numbers_of_families_and_slopes_are_named(capsys):
    run(["critical", "sin(x)*cos(y)"])
    said = " ".join(capsys.readouterr().out.split())
    assert said.endswith("for every whole number k and n")
    told = exprgrad.check("x^3 - 3x", "sqrt 3", kind="critical").evidence
    assert "the slope in x is 6, not 0" in told


@pytest.mark.slow
@pytest.mark.parametrize(
    "f",
    [
        "sign(x) + sin(x)",
        "floor(x) + sin(x)",
        "x*sin(x)",
        "x + 2*x*cos(x)/x",
        "(x - 9)/(x - 9) + x + 2*sin(x)",
    ],
)
def test_what_does_not_repeat_is_not_told_by_a_period(f):
    found = critical_points(exprgrad.parse(f))
    assert not found.complete
    assert found.families == ()


@pytest.mark.slow
def test_every_critical_point_in_a_period_is_found_where_parts_repeat_at_different_rates():
    found = critical_points(exprgrad.parse("sin(x/2) + cos(x/3)"))
    slope = exprgrad.parse("cos(x/2)/2 - sin(x/3)/3")
    looks = [slope(x=12 * math.pi * (i + 0.5) / 3000) > 0 for i in range(3000)]
    turns = sum(a != b for a, b in itertools.pairwise([*looks, looks[0]]))
    assert found.complete
    assert len(found.points) == turns == 6


@pytest.mark.slow
def test_value_at_a_critical_point_is_that_of_the_exact_point():
    assert critical_points(exprgrad.parse("cos(x)^2")).points[1].value == 0


@pytest.mark.parametrize(
    ("f", "told"),
    [
        ("x^2 + 1e-400*x", [("x = -5e-401", "minimum")]),
        ("x^2 - 1e-300*x", [("x = 5e-301", "minimum")]),
        ("x^2*(x - 1e-12)^2", [("x = 0", "minimum"), ("x = 5e-13", "maximum"), ("x = 1e-12", "minimum")]),
        ("x^5/5 - 1e-80*x", [("x = -1e-20", "maximum"), ("x = 1e-20", "minimum")]),
        ("(49x - 1)*abs(49x - 1)", [("x = 1/49", "flat")]),
        ("abs(x) + 1e-400*x", [("x = 0", "minimum")]),
    ],
)  # fmt: skip
def test_critical_points_close_together_or_to_0_are_told_apart(f, told):
    found = critical_points(exprgrad.parse(f), ("x",))
    assert found.complete
    assert [(point.text, point.kind) for point in found.points] == told


@pytest.mark.parametrize(
    "f", ["1e-400*x^2 + x", "x^3 - 2e-1200", "x^6/6 - 1e-1600*x", "x^7 - 3e-2400*x"]
)
def test_a_critical_point_beyond_doubles_is_not_taken_for_another(f):
    found = critical_points(exprgrad.parse(f), ("x",))
    assert all(point.text == "x = 0" and point.smooth for point in found.points)
    assert found.complete == (f == "x^3 - 2e-1200")


def test_two_variables_have_no_critical_point_where_a_slope_is_below_all_doubles():
    found = critical_points(exprgrad.parse("x^2 + y^2 + 1e-400*x"))
    assert all(point.text != "x = 0, y = 0" for point in found.points)


@pytest.mark.parametrize(
    ("f", "claim", "status"),
    [
        ("x^2 + 1e-400*x", "0", "incorrect"),
        ("x^2 + 1e-400*x", "-5e-401", "correct"),
        ("x^2*(x - 1e-4)^2", "0", "partly"),
        ("x^2*(x - 1e-4)^2", "0, 5e-5, 1e-4", "correct"),
    ],
)
def test_claimed_critical_points_are_compared_with_the_closest(f, claim, status):
    assert exprgrad.check(f, claim, kind="critical").status == status


def test_intervals_without_slope_are_critical_throughout():
    found = critical_points(exprgrad.parse("relu(x)"))
    assert found.intervals == ((-math.inf, 0.0),)
    verdict = exprgrad.check("relu(x)", "0", kind="critical")
    assert (verdict.status, verdict.evidence) == ("partly", "missing: every x < 0, where the slope is 0")  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "status"),
    [("pi/2 + k*pi", "correct"), ("-pi/2, 5pi/2", "correct"), ("1.571, 4.712", "correct"),
     ("pi/2", "partly"), ("pi/2 + 2k*pi", "partly"), ("k*pi", "incorrect"), ("none", "incorrect")],
)  # fmt: skip
def test_points_that_repeat_may_be_claimed_once_or_with_a_whole_number(claim, status):
    assert exprgrad.check("sin(x)", claim, kind="critical").status == status


@pytest.mark.slow
@pytest.mark.parametrize(
    "untaken", ["gamma(-floor(x^2))", "0*ln(-1 - x^2)", "sign(sqrt(-1 - abs(x)))"]
)
def test_a_slope_is_not_0_where_there_is_no_value(untaken):
    given = f"if(x > 1, (1 - x)*exp(-x), {untaken})"
    found = exprgrad.check(given, (2,), "x", kind="critical")
    assert found.status == "correct"
    assert "missing" not in found.evidence


def test_a_slope_of_0_on_a_part_of_the_domain_is_missed():
    given = "if(x > 1, (x - 2)^2, 1)"
    found = exprgrad.check(given, (2,), "x", kind="critical")
    assert (found.status, "every x < 1" in found.evidence) == ("partly", True)


@pytest.mark.slow
def test_what_has_no_value_in_a_branch_that_is_not_taken_is_no_obstacle():
    given = "if(x > 1, sign(ln(x))*(1 - x)/exp(exp(x))^(7/3), gamma(-floor(x^2)))"
    assert exprgrad.check(given, (0,), "x", kind="critical").status == "incorrect"


@pytest.mark.slow
def test_places_beyond_doubles_are_no_obstacle():
    step = "-6*x*round((floor(x) - mod(floor(x), x^3))/x^3)"
    other = step.replace("(floor(x) -", "(floor(x)*(sin(x)^2 + cos(x)^2) -")
    claim = f"(2*if(floor(x) == 0, 0, {other}) + if(floor(x) == 0, 0, {step}))/3"
    found = exprgrad.check("mod(floor(x), x^3)", claim, "x", order=2)
    assert found.status == "correct"


@pytest.mark.parametrize(
    ("given", "claim", "options"),
    [
        ("y/x", "(-y/x^2, 1/x)", {"kind": "gradient"}),
        ("y/x", "(-y/x^2, 1/x)", {}),
        ("y^2*x", "[[0, 2y], [2y, 2x]]", {"kind": "hessian"}),
        ("y*x^2", "(6x*y + 4x^2)/5", {"kind": "directional", "direction": (3, 4)}),
        ("z*y + x", "(1, z, y)", {"kind": "gradient"}),
    ],
)
def test_a_list_may_be_in_the_order_of_the_alphabet(given, claim, options):
    if not options:
        claim = tuple(claim.strip("()").split(", "))
    found = exprgrad.check(given, claim, **options)
    assert found.status == "correct"
    assert any("in the order x, y" in note for note in found.notes)
    named = exprgrad.check(given, claim, tuple(sorted(found.wrt)), **options)
    assert (named.status, named.notes) == ("correct", ())


@pytest.mark.parametrize(
    ("f", "claim", "status"),
    [
        ("x^3 - 3x", "(1, -2), (-1, 2)", "correct"),
        ("x^3 - 3x", "x = 1, y = -2; x = -1, y = 2", "correct"),
        ("x^3 - 3x", "(1, 2), (-1, 2)", "partly"),
        ("x^3 - 3x", "(1, -2)", "partly"),
        ("x^3 - 3x", "(1, -1)", "correct"),
        ("x^4 - 4x^2", "(0, 0), (±sqrt(2), -4)", "correct"),
        ("x^4 - 4x^2", "x = 0, \\pm\\sqrt{2}", "correct"),
        ("x^2 + y^2 - 2x", "y = 0, x = 1", "correct"),
        ("x^2 + y^2 - 2x", "y = 1, x = 0", "incorrect"),
        ("x^2 + y^2 - 2x", "(x, y) = (1, 0)", "correct"),
        ("x^2 + y^2 - 2x", "{(1, 0)}", "correct"),
        ("y^2 + x^2 - 2x", "(1, 0)", "correct"),
        ("y^2 + x^2 - 2x", "(0, 1)", "incorrect"),
        ("y^2 + x^2 - 2x", {"y": 0, "x": 1}, "correct"),
        ("x^3 - 3x + y^2 + 4y", "x = 1, y = -2; y = -2, x = -1", "correct"),
        ("x^3 - 3x + y^2 + 4y", "(±1, -2)", "correct"),
        ("x^3 - 3x + y^2 + 4y", "(1, -2), (-1, 2)", "partly"),
    ],
)  # fmt: skip
def test_claimed_points_are_read_by_their_names_and_with_their_heights(f, claim, status):  # fmt: skip
    assert exprgrad.check(f, claim, kind="critical").status == status


@pytest.mark.parametrize(
    ("claim", "status"), [("(1, -2)", "correct"), ("x = 1, y = -2", "correct"), ("x = 1, y = 2", "partly")]
)  # fmt: skip
def test_an_inflection_point_may_have_its_height(claim, status):
    assert exprgrad.check("x^3 - 3x^2", claim, kind="inflection").status == status


@pytest.mark.parametrize(
    ("claim", "status"), [("(1, 0)", "incorrect"), ("x = 1, t = 0", None), ("x = 1", None)]
)  # fmt: skip
def test_a_point_without_a_value_for_each_variable_is_refused(claim, status):
    if status is None:
        with pytest.raises(UsageError, match="2 coordinates: x, y"):
            exprgrad.check("x^2 + y^2", claim, kind="critical")
    else:
        assert exprgrad.check("x^2 + y^2", claim, kind="critical").status == status


POINTS = [
    ("y/x", "(-2, 1)", {"kind": "gradient"}),
    ("y/x", "-2/5", {"kind": "directional", "direction": (3, 4)}),
    ("y/x", "2 - 2(x - 1) + (y - 2)", {"kind": "linearization"}),
    ("z*y*x", "(6, 3, 2)", {"kind": "gradient", "at": (1, 2, 3)}),
    ("x2/x1", "(1, -2)", {"kind": "gradient"}),
    ("2y^2 + x^2 = 9", "-4", {"kind": "implicit", "of": "x", "wrt": "y"}),
    ("V*I", "(2, 1)", {"kind": "gradient"}),
]


@pytest.mark.parametrize(("f", "claim", "options"), POINTS)
def test_a_point_gives_x_before_y_whatever_the_formula_begins_with(f, claim, options):
    assert exprgrad.check(f, claim, **{"at": (1, 2)} | options).status == "correct"


def test_a_direction_gives_x_before_y_whatever_the_formula_begins_with():
    asked = {"kind": "directional", "direction": (3, 4), "at": (1, 2)}
    found = exprgrad.check("y/x", "-1", **asked)
    assert found.status == "incorrect"
    assert "the slope is -0.4" in found.evidence


def test_a_list_in_the_order_of_the_variables_is_read_as_that():
    found = exprgrad.check("y/x", "(1/x, -y/x^2)", kind="gradient")
    assert (found.status, found.notes) == ("correct", ())
    wrong = exprgrad.check("y/x", "(y/x^2, 1/x)", kind="gradient")
    assert wrong.status == "partly"
    assert "lost" in (wrong.mistake.message if wrong.mistake else "")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"kind": ["gradient"]}, "a kind is a text"),
        ({"where": [1]}, "conditions are texts"),
        ({"where": 2}, "conditions are texts"),
    ],
)
def test_an_option_of_another_type_is_one_error(options, told):
    with pytest.raises(UsageError, match=told):
        exprgrad.check("x^2", "2x", "x", **options)


@pytest.mark.parametrize("kind", ["critical", "inflection"])
def test_a_function_without_values_has_no_points_and_is_not_searched(kind):
    f = "(ceil((3) + (|x|)))^((asin(2))^(x))"
    assert exprgrad.check(f, "x = 0", kind=kind, budget=100_000).status == "incorrect"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3i + 4j", ("3", "4")),
        ("2xyz i + x^2 z j - x^-2 y k̂", ("2xyz", "x^2 z", "- x^-2 y")),
        ("-î − ĵ", ("-1", "−1")),
        ("2*x*i + (x + 1) j", ("2*x", "(x + 1)")),
        ("(3, 4)", ("3", "4")),
        ("2x + 1 i - j", ("2x + 1 i - j",)),
        ("xi + yj", ("xi + yj",)),
        ("i + 3*j + " * 10_000, ("i + 3*j + " * 10_000,)),
    ],
)
def test_a_vector_is_written_with_its_unit_vectors_too(text, found):
    assert equations.components(text) == tuple(part.strip() for part in found)


@pytest.mark.parametrize(
    ("given", "claim", "options"),
    [
        ("y = x^2", "2x", {}),
        ("f(t) = a t^2", "2 a t", {}),
        ("f(x) = x^2", "6", {"at": {"x": 3}}),
        ("z = x^2 y", "2xy", {"wrt": "x"}),
        ("f(x) = x^2", "y = 6x - 9", {"kind": "tangent", "at": 3}),
        ("x = y^2", "y = x/2 + 1/2", {"kind": "tangent", "at": (1, 1)}),
        ("f(x) = 2x", "x^2 + C", {"kind": "antiderivative"}),
        ("f(y, x) = y/x", "(1/x, -y/x^2)", {"kind": "gradient"}),
        ("f(y, x) = y^2 x", "z = 4y + 4x - 8", {"kind": "tangent", "at": (2, 1)}),
        ("y = x^3 - 3x", "-1, 1", {"kind": "critical"}),
        ("y = x^2", "2x", {"kind": "implicit"}),
    ],
)
def test_what_is_given_may_be_a_definition(given, claim, options):
    assert exprgrad.check(given, claim, **options).status == "correct"


@pytest.mark.parametrize("given", ["xy = 4", "y = x e^y", "x^3 = x^2"])
def test_an_equation_that_defines_nothing_is_no_function(given):
    with pytest.raises(ExprgradError, match="does not belong"):
        exprgrad.check(given, "0")


def test_an_equation_with_its_y_on_both_sides_asks_for_the_slope_of_a_curve():
    assert run(["check", "y = x e^y", "e^y/(1 - x e^y)"]) == 0


@pytest.mark.parametrize(
    ("status", "given", "options"),
    [
        ("correct", "abs(x)", {"kind": "tangent", "at": 0}),
        ("correct", "y = abs(x)", {"kind": "normal", "at": 0}),
        ("correct", "1/x", {"kind": "tangent", "at": 0}),
        ("correct", "abs(x)", {"kind": "linearization", "at": 0}),
        ("correct", "sqrt(x^2 + y^2)", {"kind": "gradient", "at": (0, 0)}),
        ("correct", "sqrt(abs(x*y))", {"kind": "tangent", "at": (0, 0)}),
        ("correct", "1/x + y", {"kind": "directional", "at": (0, 0), "direction": (1, 0)}),
        ("correct", "x^2 + y^2 = 25", {"kind": "implicit", "at": (5, 0)}),
        ("correct", ("cos(t)", "sin(t)"), {"kind": "parametric", "at": 0}),
        ("incorrect", "x^2", {"kind": "tangent", "at": 0}),
        ("incorrect", "x^2", {"kind": "tangent", "at": 3}),
        ("incorrect", "a*x^2", {"kind": "tangent", "at": {"x": 1}}),
        ("incorrect", "a*x^2", {"kind": "gradient", "at": {"x": 1, "a": 2}}),
        ("incorrect", "x^2*y", {"kind": "tangent", "at": (1, 2)}),
        ("incorrect", "x^2*y", {"kind": "linearization", "at": (1, 2)}),
        ("incorrect", "x^2 + y^2 = 25", {"kind": "normal", "at": (3, 4)}),
        ("incorrect", "cbrt(x)", {"kind": "tangent", "at": 0}),  # vertical
        ("incorrect", "x^2", {"kind": "normal", "at": 0}),
        ("incorrect", "x^2*y", {"kind": "gradient", "at": (0, 0)}),
        ("incorrect", "x^2 + y", {"kind": "directional", "at": (0, 0), "direction": (1, 0)}),
        ("incorrect", "x^2 + y^2 = 25", {"kind": "implicit", "at": (3, 4)}),
        ("incorrect", "x^2 + y^2 = 25", {"kind": "tangent", "at": (5, 0)}),
        ("incorrect", ("cos(t)", "sin(t)"), {"kind": "parametric", "at": "pi/2"}),
        # along (0, 1) there is a slope; partial derivatives, but no plane; a cusp, whose tangent some books call vertical
        ("undecided", "abs(x) + y", {"kind": "directional", "at": (0, 0), "direction": (0, 1)}),
        ("undecided", "abs(x*y)", {"kind": "tangent", "at": (0, 0)}),
        ("undecided", "sqrt(abs(x*y))", {"kind": "gradient", "at": (0, 0)}),
        ("undecided", "x^(2/3)", {"kind": "tangent", "at": 0}),
        # a slope from one side, a cusp, a curve with a slope where no formula gives it
        ("undecided", "sqrt(x^3)", {"kind": "tangent", "at": 0}),
        ("undecided", ("t^2", "t^3"), {"kind": "parametric", "at": 0}),
        ("undecided", "y^3 = x^4", {"kind": "implicit", "at": (0, 0)}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("claim", ["DNE", "does not exist"])
def test_an_answer_may_be_that_there_is_none(status, given, options, claim):
    found = exprgrad.check(given, claim, **options)
    assert found.status == status
    assert bool(found.right) == (status == "incorrect")
    assert found.asked


@pytest.mark.parametrize("f", ["sqrt(abs(x*y))", "cbrt(x*y)", "cbrt(x^3 + y^3)"])
def test_partial_derivatives_make_no_plane_where_slopes_do_not_follow_from_them(f):
    for kind in ("tangent", "linearization"):
        with pytest.raises(NotDifferentiableError, match="is not differentiable at"):
            exprgrad.check(f, "z = 0" if kind == "tangent" else "0", kind=kind, at=(0, 0))  # fmt: skip
    with pytest.raises(UndecidedError, match="does not follow from the partial"):
        exprgrad.check(f, "0", kind="directional", at=(0, 0), direction=(1, 1))
    assert exprgrad.check("abs(x*y)", "z = 0", kind="tangent", at=(0, 0)).status == "correct"  # fmt: skip
    near = exprgrad.check(f, "2", kind="directional", at=(1, 2), direction=(3, 4))
    assert near.status == "incorrect"
