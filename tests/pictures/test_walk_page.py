"""The page of a walk in a real browser: its sentences, its tables and its picture, by keyboard alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import exprgrad
from exprgrad.errors import DomainError
from exprgrad.expressions.trace import trace
from exprgrad.notation.numbers import number
from exprgrad.pictures.walk import walk_page
from tests.browser import Page, browser

BAYDIN = "ln(x1) + x1*x2 - sin(x2)"

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def shared_page() -> Iterator[Page]:
    with browser() as started:
        yield Page(started)


@pytest.fixture
def opened(shared_page: Page, tmp_path: Path) -> Iterator[Open]:
    """Opens the page of an expression at a point; it may say nothing on its console."""

    def open_page(source: str, at: dict[str, float], fragment: str = "") -> Page:
        path = tmp_path / "walk.html"
        made = walk_page(exprgrad.parse(source).evaluate(at))
        path.write_text(made, encoding="utf-8")
        shared_page.open(f"{path.as_uri()}{fragment}")
        return shared_page

    yield open_page
    messages, shared_page.messages = shared_page.messages, []
    assert messages == []


def walked(page: Page) -> list[str]:
    """The sentences of all steps, by the arrow key."""
    steps = int(page.text("#count").split()[-1])
    told = []
    for _ in range(steps):
        page.press("ArrowRight")
        told.append(page.text("#told"))
    return told


@pytest.mark.slow
def test_the_square_of_a_sum_walks_to_its_value_and_its_gradient_by_keyboard(opened):
    page = opened("(a*b+c)^2", {"a": 2, "b": 3, "c": 1})
    told = walked(page)
    assert told[:6] == [
        "a = 2, an input.",
        "b = 3, an input.",
        "c = 1, an input.",
        "v4 = a·b = 2 × 3 = 6.",
        "v5 = v4 + c = 6 + 1 = 7.",
        "v6 = v5² = 7² = 49.",
    ]
    assert told[6].startswith("The adjoint of a node says how fast the result changes with it. That of v6, the result, is 1. ")  # fmt: skip
    assert told[7] == "v6 = v5², so ∂v6/∂v5 = 2·v5 = 14; adjoint 1 × 14 = 14 is added to v5, whose adjoint is 14."  # fmt: skip
    adjoints = {row[0]: row[-1] for row in page.rows("tr.past[data-edge]")}
    assert [adjoints[name] for name in "abc"] == ["42", "28", "14"]
    page.press("ArrowLeft")
    assert page.rows("tr.now") == [["c", "v5", "1", "14 × 1 = 14", "14"]]
    assert page.text("[data-n=v6] .value") == "49"
    assert [page.text(f"[data-n={name}] .adjoint") for name in "abc"] == ["42", "28", "14"]  # fmt: skip


@pytest.mark.slow
def test_baydins_example_walks_through_its_whole_table_by_keyboard(opened):
    page = opened(BAYDIN, {"x1": 2, "x2": 5})
    told = walked(page)
    assert len(told) == 19
    assert told[0] == "x1 = 2, an input. It is used 2 times."
    assert told[6] == "v7 = v5 − v6 = 10.6931 − (−0.958924) = 11.6521."
    assert told[12] == "v4 = x1·x2, so ∂v4/∂x1 = x2 = 5; adjoint 1 × 5 = 5 is added to x1, contribution 1 of 2: 5."  # fmt: skip
    assert told[13] == "v3 = ln(x1), so ∂v3/∂x1 = 1/x1 = 0.5; adjoint 1 × 0.5 = 0.5 is added to x1, contribution 2 of 2: 5 + 0.5 = 5.5."  # fmt: skip
    assert page.rows("tr.past[data-node]") == [
        ["x1", "input", "", "2"],
        ["x2", "input", "", "5"],
        ["v3", "ln(x1)", "ln(2)", "0.693147"],
        ["v4", "x1·x2", "2 × 5", "10"],
        ["v5", "v3 + v4", "0.693147 + 10", "10.6931"],
        ["v6", "sin(x2)", "sin(5)", "−0.958924"],
        ["v7", "v5 − v6", "10.6931 − (−0.958924)", "11.6521"],
    ]
    assert page.rows("tr.past.r") == [
        ["v7", "", "", "seed", "1"],
        ["v5", "v7", "1", "1 × 1 = 1", "1"],
        ["v6", "v7", "−1", "1 × (−1) = −1", "−1"],
        ["v3", "v5", "1", "1 × 1 = 1", "1"],
        ["v4", "v5", "1", "1 × 1 = 1", "1"],
        ["x1", "v4", "x2", "1 × 5 = 5", "5"],
        ["x1", "v3", "1/x1", "1 × 0.5 = 0.5", "5.5"],
        ["x2", "v6", "cos(x2)", "(−1) × 0.283662 = −0.283662", "−0.283662"],
        ["x2", "v4", "x1", "1 × 2 = 2", "1.71634"],
    ]


@pytest.mark.slow
def test_what_has_not_happened_yet_is_hidden_and_every_key_and_button_moves(opened):
    page = opened(BAYDIN, {"x1": 2, "x2": 5})
    visible = "q => getComputedStyle(document.querySelector(q)).visibility"
    assert page.page.evaluate(visible, "[data-n=v4] .value") == "hidden"
    page.press("End", "ArrowLeft")
    assert page.text("#count") == "step 18 of 19"
    assert page.page.evaluate(visible, "[data-n=v4] .value") == "visible"
    page.press("Home")
    assert page.text("#count") == "step 0 of 19"
    page.page.focus(".graph")
    page.press("Tab", "Enter")  # the first two buttons are off
    assert page.text("#count") == "step 1 of 19"
    page.page.click("tr[data-node=v5]")
    assert page.text("#count") == "step 5 of 19"


@pytest.mark.slow
def test_forward_mode_walks_with_the_tangents_of_the_chosen_input(opened):
    page = opened(BAYDIN, {"x1": 2, "x2": 5}, "#.mode=x2")
    told = walked(page)
    assert len(told) == 7
    assert told[0] == "x1 = 2, an input. Its tangent is 0: it stands still."
    assert (
        told[1] == "x2 = 5, an input. Its tangent is 1: it is the input that changes."
    )
    assert told[3] == "v4 = x1·x2 = 2 × 5 = 10. Its tangent is ∂v4/∂x1 × the tangent of x1 + ∂v4/∂x2 × the tangent of x2 = 5 × 0 + 2 × 1 = 2."  # fmt: skip
    assert told[6].endswith("= 1 × 2 + (−1) × 0.283662 = 1.71634. That is the derivative of the result with respect to x2.")  # fmt: skip
    assert [row[-1] for row in page.rows(".t tbody tr")] == ["0", "1", "0", "2", "2", "0.283662", "1.71634"]  # fmt: skip


@pytest.mark.slow
def test_a_branch_that_is_not_taken_has_no_rows(opened):
    page = opened("if(x > 1, x^2, sin(x))", {"x": 2})
    assert [row[0] for row in page.rows("tr[data-node]")] == ["x", "v2", "v3", "v5"]
    told = walked(page)
    assert told[1] == "v2 says whether x > 1: 2 > 1 is true, so v2 = 1."
    assert told[-4].endswith("contribution 1 of 2: 4.")
    page.page.fill("[data-field=x]", "0.5")
    assert [row[0] for row in page.rows("tr[data-node]")] == ["x", "v2", "v4", "v5"]
    assert page.rows(".results tbody tr")[-1][-1] == number(math.cos(0.5))


@pytest.mark.slow
def test_negative_numbers_stand_in_brackets_where_that_is_needed(opened):
    page = opened("a*b - c^2 + exp(a)", {"a": -2, "b": -3, "c": -1.5})
    page.press("End")
    rows = {row[0]: row[2] for row in page.rows("tr[data-node]")}
    assert [rows[name] for name in ("v4", "v5", "v6", "v7")] == ["−2 × (−3)", "(−1.5)²", "6 − 2.25", "exp(−2)"]  # fmt: skip


def slid(page: Page, name: str, keys: list[str]) -> float:
    """Moves a slider by keys and says where it is."""
    page.page.focus(f"[data-slider={name}]")
    page.press(*keys)
    return float(page.page.input_value(f"[data-field={name}]"))


@pytest.mark.slow
def test_a_slider_moves_and_every_number_follows_as_python_has_it(opened):
    page = opened(BAYDIN, {"x1": 2, "x2": 5})
    page.press("End")
    x1, x2 = (
        slid(page, "x1", ["ArrowRight"] * 3),
        slid(page, "x2", ["PageDown", "ArrowLeft"]),
    )
    assert (x1, x2) == (2.15, 2.9)
    found = exprgrad.parse(BAYDIN).evaluate({"x1": x1, "x2": x2})
    steps = trace(found, lambda x: number(x, 6), own_names=True)
    values = {s.name: number(s.value, 6).replace("-", "−") for s in steps.forward}
    totals = [number(e.total, 6).replace("-", "−") for m in steps.meetings() for e in m.edges]  # fmt: skip
    assert {row[0]: row[-1] for row in page.rows("tr[data-node]")} == values
    assert [row[-1] for row in page.rows("tr[data-edge]")] == totals
    assert page.text("[data-n=x1] .adjoint") == totals[-3] == number(found.gradient["x1"], 6)  # fmt: skip
    assert [row[-1] for row in page.rows(".results tbody tr")] == [number(found.value), *(number(g) for g in found.gradient.values())]  # fmt: skip
    assert page.text("#point") == "x1 = 2.15, x2 = 2.9"
    page.page.focus(".graph")
    page.press("ArrowLeft", "ArrowLeft")
    assert page.text("#told").endswith(f"= {totals[-1]}.")


@pytest.mark.slow
def test_no_box_moves_when_the_numbers_get_longer(opened):
    page = opened(BAYDIN, {"x1": 2, "x2": 5})
    boxes = "() => [...document.querySelectorAll('.graph .box')].map(b => b.outerHTML)"
    before = page.page.evaluate(boxes)
    page.page.fill("[data-field=x1]", "0.000123456")
    assert page.text("[data-n=x1] .value") == "0.00012346"
    assert page.page.evaluate(boxes) == before


def test_a_field_takes_a_number_and_says_when_it_has_none(opened):
    page = opened("x^2", {"x": 3})
    page.page.fill("[data-field=x]", "-1.5")
    assert [row[-1] for row in page.rows(".results tbody tr")] == ["2.25", "−3"]
    page.page.fill("[data-field=x]", "two")
    assert page.text("#noted") == "x needs a number; it is still −1.5."
    assert [row[-1] for row in page.rows(".results tbody tr")] == ["2.25", "−3"]


@pytest.mark.slow
def test_where_there_is_no_value_the_page_says_why_as_python_does(opened):
    page = opened(BAYDIN, {"x1": 2, "x2": 5})
    page.page.fill("[data-field=x1]", "-1")
    with pytest.raises(DomainError) as refused:
        exprgrad.parse(BAYDIN).evaluate({"x1": -1, "x2": 5})
    assert page.text("#told") == f"There is no value here: {refused.value.message}."
    assert [row[-1] for row in page.rows(".results tbody tr")] == ["none"] * 3
    page.page.fill("[data-field=x1]", "2")
    assert [row[-1] for row in page.rows(".results tbody tr")] == ["11.65207146", "5.5", "1.716337815"]  # fmt: skip


@pytest.mark.slow
def test_at_a_corner_no_partial_is_shown(opened):
    page = opened("abs(x) + x^2", {"x": 0})
    assert page.rows(".results tbody tr")[-1][::2] == ["∂/∂x", "does not exist"]
    said = "∂/∂x does not exist here: abs has a corner; the slope is −1 from the left and 1 from the right."
    assert said in walked(page)[4]
    first = page.rows("#checks tr")[1]
    assert first[1:] == ["1.100000000", "−1.100000000"]
    page.page.fill("[data-field=x]", "2")
    assert page.rows(".results tbody tr")[-1][::2] == ["∂/∂x", "5"]
    page.page.fill("[data-field=x]", "0")
    assert page.rows(".results tbody tr")[-1][::2] == ["∂/∂x", "does not exist"]


@pytest.mark.slow
def test_the_address_has_the_expression_and_the_point(opened):
    page = opened("x^2*y", {"x": 3, "y": 2}, "#e=x%5E2*y&x=-4&.step=3")
    assert page.text("#point") == "x = −4, y = 2"
    assert page.text("#count") == "step 3 of 9"
    page.page.fill("[data-field=y]", "7")
    page.page.wait_for_url("**y=7**")
    assert page.page.evaluate("location.hash") == "#e=x%5E2*y&x=-4&y=7&.step=3&.mode="
    other = opened("x^2*y", {"x": 3, "y": 2}, "#e=sin(x)&x=-4")
    assert other.text("#point") == "x = 3, y = 2"
    assert "another expression, sin(x)" in other.text("#noted")


@pytest.mark.slow
def test_the_difference_quotient_closes_in_on_the_partial(opened):
    page = opened(BAYDIN, {"x1": 2, "x2": 5})
    agreed = page.page.evaluate("[...document.querySelectorAll('#checks b')].map(b => b.textContent)")  # fmt: skip
    assert [len(digits) for digits in agreed[::2]][:6] == sorted(len(digits) for digits in agreed[::2][:6])  # fmt: skip
    assert page.rows("#checks tr")[3] == [" 0.001", "5.499875042", "5.500125042"]
    assert agreed[6:8] == ["5.499", "5.500"]
    assert page.text("#partial") == "5.5"
    page.page.click("#beside summary")
    page.page.select_option("#beside select", "x2")
    assert page.text("#partial") == "1.716337815"
    assert "of slope 1.71634" in page.text("#curve title")


@pytest.mark.slow
def test_an_operation_that_the_page_cannot_compute_stays_at_its_point(opened):
    page = opened("gamma(x) + x^2", {"x": 2}, "#x=3")
    assert page.text("#noted") == "gamma is not computed in this page: its numbers are those of the given point."  # fmt: skip
    assert page.page.query_selector("#inputs input") is None
    assert walked(page)[-3].endswith("4 + 0.422784 = 4.42278.")


@pytest.mark.slow
def test_those_who_do_not_see_the_picture_are_told_the_numbers_of_the_point(opened):
    page = opened("(a*b+c)^2", {"a": 2, "b": 3, "c": 1})
    assert page.text("[data-n=v4] title") == "v4 = a·b = 6; adjoint 14"
    page.page.fill("[data-field=c]", "-5")
    assert page.text("[data-n=v4] title") == "v4 = a·b = 6; adjoint 2"
    assert page.text(".graph desc") == (
        "A graph of 6 nodes with the result v6. a = 2; adjoint 6. b = 3; adjoint 4. c = −5; adjoint 2. "
        "v4 = a·b = 6; adjoint 2. v5 = v4 + c = 1; adjoint 2. v6 = v5² = 1; adjoint 1."
    )
    assert page.page.get_attribute("#told", "aria-live") == "polite"
    assert page.page.get_attribute("[data-slider=c]", "aria-valuetext") == "−5"
    assert page.page.evaluate("[...document.querySelectorAll('table')].every(t => t.caption.textContent)")  # fmt: skip


@pytest.mark.slow
def test_on_paper_everything_is_there(opened):
    page = opened(BAYDIN, {"x1": 2, "x2": 5})
    page.press("ArrowRight")
    page.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.text("#count") == "step 19 of 19"
    assert page.page.query_selector("details:not([open])") is None
    page.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.text("#count") == "step 1 of 19"
    assert page.page.query_selector("details[open]") is None


@pytest.mark.slow
def test_on_a_narrow_page_the_graph_runs_from_top_to_bottom_and_nothing_is_cut_off(opened):  # fmt: skip
    page = opened(BAYDIN, {"x1": 2, "x2": 5})
    displayed = "q => getComputedStyle(document.querySelector(q)).display"
    assert page.page.evaluate(displayed, ".graph>.down") == "none"
    page.page.set_viewport_size({"width": 400, "height": 800})
    try:
        page.press("End")
        assert page.page.evaluate(displayed, ".graph>.across") == "none"
        assert page.page.evaluate(displayed, ".graph>.down") == "block"
        assert page.text(".down [data-n=x1] .adjoint") == "5 + 0.5 = 5.5"
        assert page.page.evaluate("document.documentElement.scrollWidth") == 400
        cut = "[...document.querySelectorAll('.graph,.tables>div,.wide,.results>div')].filter(e => e.scrollWidth > e.clientWidth).length"
        assert page.page.evaluate(cut) == 0
    finally:
        page.page.set_viewport_size({"width": 1280, "height": 900})


def test_digits_that_do_not_stand_are_not_shown_in_any_place(opened):
    page = opened("exp(x)", {"x": 1})
    page.page.fill("[data-field=x]", "-1300")  # too small for a double, but not 0
    page.press("Tab", "End")
    page.page.evaluate("document.activeElement.blur()")
    page.press("End")
    assert page.rows(".results tbody tr")[0][-1].startswith("0 ± ")
    assert "= 0;" not in page.text("#told")
    assert page.rows("tr[data-edge]")[0][3].startswith("1 × (0 ± ")
    assert page.text("[data-n=v2] .value") == page.text(".partial") == "…"


def answered(page: Page, words: str) -> str:
    """What the page says of an answer to what comes next."""
    page.page.fill("#guess input", words)
    page.press("Enter")
    return page.text("#judged")


@pytest.mark.slow
def test_what_comes_next_is_asked_for_judged_and_said_why(opened):
    page = opened("(a*b+c)^2 + b", {"a": 2, "b": 3, "c": 1})
    assert page.page.is_hidden("#guess")  # an input is given
    page.press("ArrowRight", "ArrowRight", "ArrowRight")
    assert page.text("#asks") == "The value of v4 = a·b:"
    assert answered(page, "five") == "A number is asked for, such as 0.5, 1/3 or pi/4."
    assert answered(page, "5") == "Not 5: it is a·b = 2 × 3."
    assert page.text("#count") == "step 3 of 17"
    assert answered(page, "12/2") == "Right."
    assert page.text("#told") == "v4 = a·b = 2 × 3 = 6."
    page.page.click("tr[data-seed]")
    page.page.click("tr[data-edge]:not([hidden])")
    assert page.text("#asks") == "What v6 adds to the adjoint of v5:"
    assert answered(page, "49").startswith("Not 49: it is the adjoint of v6, 1, times")
    assert answered(page, "1") == "Not 1: that is the adjoint of v6; it is multiplied by ∂v6/∂v5 = 2·v5."  # fmt: skip
    assert answered(page, "-14") == "Not −14: the sign is the other one."
    assert answered(page, "7") == "Not 7: that is the value of v5, not what is added to its adjoint."  # fmt: skip
    assert answered(page, "14.0") == "Right."


def test_results_stay_hidden_until_the_walk_reaches_them(opened):
    page = opened("x^2*y", {"x": 3, "y": 2})
    hidden = "[...document.querySelectorAll('.results tr td:last-child')].map(c => getComputedStyle(c).visibility)"
    assert page.page.evaluate(hidden) == ["hidden"] * 3
    assert not page.page.is_visible("#curve")
    page.press(*["ArrowRight"] * 4)
    assert page.page.evaluate(hidden) == ["visible", "hidden", "hidden"]
    page.press("End")
    assert page.page.evaluate(hidden) == ["visible"] * 3


@pytest.mark.slow
def test_every_kind_of_number_can_be_typed_and_the_point_dragged(opened):
    page = opened("sin(x)", {"x": 1})
    for typed, x in [("pi/4", math.pi / 4), ("1/3", 1 / 3), ("−2", -2), ("2e-3", 0.002), ("-2^2", -4), ("2sqrt(2)", math.sqrt(8))]:  # fmt: skip
        page.page.fill("[data-field=x]", typed)
        assert float(page.text("#point").split("= ")[1].replace("−", "-")) == pytest.approx(x, rel=1e-5)  # fmt: skip
    page.page.fill("[data-field=x]", "1")
    for typed in ["", "1/0", "2pi)", "x"]:
        page.page.fill("[data-field=x]", typed)
        assert page.text("#noted") == "x needs a number; it is still 1."
    page.page.click("#beside summary")
    box = page.page.locator("#curve").bounding_box()
    page.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 50)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 50)
    page.page.mouse.up()
    dragged = float(page.text("#point").split("= ")[1])
    assert dragged > 2
    assert page.rows(".results tbody tr")[0][-1] == number(math.sin(dragged)).replace("-", "−")  # fmt: skip


def test_a_presenter_walks_with_its_keys_and_types_large(opened):
    page = opened("x^2*y", {"x": 3, "y": 2})
    page.press("PageDown", " ", "Enter", "PageUp")
    assert page.text("#count") == "step 2 of 9"
    size = (
        "() => parseFloat(getComputedStyle(document.querySelector('#told')).fontSize)"
    )
    before = page.page.evaluate(size)
    page.page.click("text=Large type")
    assert page.page.evaluate(size) == 1.5 * before
    assert page.page.get_attribute("text=Large type", "aria-pressed") == "true"


@pytest.mark.slow
def test_the_page_says_why_contributions_add_why_in_this_order_and_why_once(opened):
    page = opened("(a*b+c)^2 + b", {"a": 2, "b": 3, "c": 1})
    told = walked(page)
    assert told[7].endswith("The sweep goes on in the opposite order of the values: a node hands its adjoint on only after everything that uses it has added to it.")  # fmt: skip
    assert told[14] == (
        "Why contributions add: nudge b by 0.001. The nudge goes on\n– directly to v7, which moves by 0.001\n"
        "– through v4, which moves by 0.002 and v7 by 0.028\n"
        "Together v7 moves by 0.029, which is 29 × 0.001, as long as nudges are small."
    )
    assert told[-1] == (
        "Why one sweep is enough: it crossed each of the 7 edges once and gave all 3 partials, because a node's adjoint "
        "is found once and then used for everything that the node depends on.\n"
        "Forward mode takes 3 sweeps, one for each input, over 7 edges each: 3 × 7 = 21."
    )


@pytest.mark.slow
def test_an_adjoint_that_lacks_what_does_not_cross_a_corner_is_not_shown(opened):
    page = opened("abs(x*y) + x", {"x": 0, "y": 2})
    told = walked(page)
    assert told[-2].endswith("The adjoint of x is not known: not all that adds to it crosses a corner.")  # fmt: skip
    assert [row[-1] for row in page.rows("tr[data-edge]") if row[0] == "x"] == [""]
    assert page.text("[data-n=x] .adjoint") == ""


def test_a_step_of_constants_alone_lights_the_box_that_they_stand_in(opened):
    page = opened("x + ln(3)*cos(2)", {"x": 1})
    assert page.text("tr[data-node=v2] td") == "v2"
    page.press("ArrowRight", "ArrowRight")
    assert page.text("#told").startswith("v2 = ln(3) = ")
    assert page.page.query_selector_all(".lit[data-n=v5]")
    assert page.page.query_selector_all(".known[data-n=v5]") == []


@pytest.mark.slow
def test_a_curve_that_is_flat_but_for_rounding_is_drawn(opened):
    page = opened("(w1 + a) + (pi - w1)", {"w1": 2, "a": 0.7})
    assert len(page.page.query_selector_all("#curve .line")) == 1
    assert page.text("#slopes") == "tangent of slope 0line to w1 + 1 of slope 0"


IN_VIEW = """() => {
  const frame = document.querySelector('.graph'), own = frame.getBoundingClientRect();
  const svg = [...frame.querySelectorAll('svg')].find(s => s.getClientRects().length), scale = svg.getScreenCTM().a;
  const left = own.left + frame.clientLeft, top = own.top + frame.clientTop;
  const isVisible = (e) => e.getClientRects().length && getComputedStyle(e).visibility === 'visible';
  const inside = (b) => b.left >= Math.max(0, left) - 1 && b.right <= Math.min(innerWidth, left + frame.clientWidth) + 1
    && b.top >= Math.max(0, top) - 1 && b.bottom <= Math.min(innerHeight, top + frame.clientHeight) + 1;
  const present = [...svg.querySelectorAll('.lit,.flow')].filter(isVisible);
  const texts = [...svg.querySelectorAll('text')].filter((t) => isVisible(t) && t.textContent);
  return [present.every((e) => inside(e.getBoundingClientRect())),
    texts.every((t) => parseFloat(getComputedStyle(t).fontSize) * scale > 10.9), document.documentElement.scrollWidth <= innerWidth];
}"""
"""Whether the present node and its edges are wholly in view, no text is too small, and the page is no wider than its window."""


WIDE = "atan(((9 - sqrt(x)) - (abs(y)*(y*y)))*a)"
"""One whose labels need more room than its picture has where the window is narrow."""


@pytest.mark.slow
@pytest.mark.parametrize("size", [(320, 568), (768, 1024), (1280, 800), (1920, 1080)])
@pytest.mark.parametrize("text", ["relu(w1*x + b1)*w2 + exp(-x^2/2)*tanh(w1 - sin(x*b1)) + b1", WIDE])  # fmt: skip
def test_the_present_node_and_its_edges_are_in_view_at_every_step(opened, size, text):
    page = opened(text, dict.fromkeys(exprgrad.parse(text).variables, 0.7))
    page.page.set_viewport_size({"width": size[0], "height": size[1]})
    try:
        for _ in range(int(page.text("#count").split()[-1])):
            page.press("ArrowRight")
            assert page.page.evaluate(IN_VIEW) == [True, True, True], page.text("#told")
    finally:
        page.page.set_viewport_size({"width": 1280, "height": 900})
