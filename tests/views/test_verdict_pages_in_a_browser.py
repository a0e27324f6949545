"""Pages on verdicts in a real browser: nothing beside the page, nothing lies over anything, the keyboard is enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from exprgrad.cli.start import run
from tests.browser import Page, browser

SAMPLES = Path(__file__).resolve().parents[2] / "samples"

LONG = "x" + " + sin(x^2/(x + 1))*cos(x)" * 12

SHEET = f"""1) d/dx x^2 sin x = 2x cos x
2) d/dx ({LONG}) = {LONG}
3) d/dx {"a_very_long_name_" * 8} = 1
4) gradient of x^2 y: (2xy, x)
5) d/dx x cos(2x = 1
"""

FAULTS = """() => {
  const said = [], wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide) said.push("the page is wider than its window");
  const shown = [...document.querySelectorAll("h1,h2,p,li,dd,dt,summary,td")];
  for (const one of shown) {
    const box = one.getBoundingClientRect();
    if (box.right > wide + 1 && !one.closest(".scroll,.asked")) said.push(`${one.outerHTML.slice(0, 80)} leaves the page`);
  }
  for (const one of document.querySelectorAll(".case > h2")) {
    const top = one.parentElement.querySelector(".top").getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(one);
    for (const box of range.getClientRects())
      if (box.right > top.left && box.bottom > top.top && box.top < top.bottom) said.push("a head lies under its link");
  }
  const paper = getComputedStyle(document.body).backgroundColor, ink = getComputedStyle(document.body).color;
  return {said, paper, ink};
}"""


@pytest.fixture(scope="module")
def page():
    with browser() as started:
        yield Page(started)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    sheet = folder / "sheet.txt"
    sheet.write_text(SHEET, encoding="utf-8")
    for name, *given in (
        ("sheet", "--file", str(sheet), "--solution"),
        ("work", "--work", str(SAMPLES / "solution.txt"), "--solution"),
        ("class", "--file", str(SAMPLES / "class.csv"), "--jobs", "1"),
    ):
        run(["check", "-q", *given, "--html", str(folder / f"{name}.html")])
    return folder


@pytest.mark.slow
def test_pages_fit_any_window_in_light_and_dark_and_say_nothing(page, pages):
    papers = set()
    for name, scheme in (("sheet", "light"), ("work", "dark"), ("class", "light")):
        page.page.emulate_media(color_scheme=scheme)
        page.open((pages / f"{name}.html").as_uri())
        for wide in (1280, 400):
            page.page.set_viewport_size({"width": wide, "height": 900})
            found = page.page.evaluate(FAULTS)
            assert found["said"] == [], (name, scheme, wide)
            papers.add((scheme, found["paper"], found["ink"]))
        assert page.messages == []
    assert len(papers) == 2


@pytest.mark.slow
def test_page_is_read_by_keyboard_alone(page, pages):
    page.open((pages / "work.html").as_uri())
    page.press("Tab", "Tab", "Enter")
    assert page.page.evaluate("location.hash") == "#s1-6"
    lit = "() => getComputedStyle(document.querySelector(':target')).backgroundColor"
    other = "() => getComputedStyle(document.querySelector('#s1-4')).backgroundColor"
    assert page.page.evaluate(lit) != page.page.evaluate(other)
    for _ in range(6):
        if page.page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
        page.press("Tab")
    page.press("Enter")
    assert page.page.evaluate("document.querySelector('details').open")
    assert page.messages == []
