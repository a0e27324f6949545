"""Pages about sheets, worked solutions and class sets: one file, every link leads somewhere, nothing raw in it."""

from __future__ import annotations

import io
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

import exprgrad
from exprgrad.cli.start import run
from exprgrad.expressions.expression import Expression
from exprgrad.views import grading, html
from tests.golden import HERE, compare

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
VOID = {"meta", "br"}


class Page(HTMLParser):
    """Elements that close in order, with what they have for ids, links, classes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        own = dict(attrs)
        assert len(own) == len(attrs), f"{tag} has an attribute twice"
        self.elements.append((tag, own))
        self.ids += [own["id"]] if "id" in own else []
        self.links += [own["href"]] if "href" in own else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text.append(data)

    def count(self, tag: str, class_: str = "") -> int:
        return sum(
            t == tag and class_ in ["", *(own.get("class") or "").split()]
            for t, own in self.elements
        )

    @property
    def words(self) -> str:
        return " ".join("".join(self.text).split())


def read(path: Path) -> tuple[str, Page]:
    """A page that is whole: well formed, offline, with links that lead somewhere and formulas that are XML."""
    text = path.read_text("utf-8")
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    assert len(set(page.ids)) == len(page.ids)
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert all(link.startswith("#") for link in page.links)
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in page.elements}
    assert not {"src", "onload", "onclick"} & {name for _, own in page.elements for name in own}  # fmt: skip
    assert not re.search(r"url\(|@import", text.partition("</head>")[0])
    for formula in re.findall(r"<math.*?</math>", text, re.DOTALL):
        ElementTree.fromstring(formula.replace("&nbsp;", " "))
    labels = [own["aria-labelledby"] for _, own in page.elements if "aria-labelledby" in own]  # fmt: skip
    assert set(labels) <= set(page.ids)
    return text, page


@pytest.fixture
def write(tmp_path, monkeypatch, capsys):
    """Check a text and read the page about it; the exit code, its HTML, and the page."""

    def made(text: str, *options: str, name: str = "sheet.txt", work: bool = False):
        source, target = tmp_path / name, tmp_path / "page.html"
        source.write_text(text, encoding="utf-8")
        given = ["--work" if work else "--file", str(source)]
        code = run(["check", *given, "--html", str(target), *options])
        capsys.readouterr()
        return (code, *read(target))

    return made


SHEET = """1a) d/dx 5x^3 - 4x = 15x^2 - 4
1b) d/dx sin(3x) = cos(3x)
2) d/dx x cos(2x = 1
3) f(x) = x^3; f'(2) = 12
4) ∫ 2x dx = x^2
d/dx x/3 = 0.333
"""


def test_page_of_a_sheet_has_a_section_for_every_problem(write):
    code, text, page = write(SHEET)
    assert code == 2
    assert page.count("section", "case") == 6
    assert page.count("section", "good") == 4
    assert {"#p1", "#p6"} <= set(page.links)
    assert "✓ correct 1a, line 1" in page.words
    assert "✗ wrong 1b, line 2" in page.words
    assert "At x = 0 your answer gives 1, the derivative is 3" in page.words
    assert "It looks as if the inner derivative was left out" in page.words
    assert "<mark>sin(3x)</mark>" in text
    assert "<mn>3</mn>" in text
    assert "this '(' is never closed" in page.words
    assert "Hint: add ')'" in page.words
    assert "Correct to the digits you gave" in page.words


@pytest.mark.slow
def test_answers_of_other_kinds_stand_beside_the_right_ones_and_in_parts(write):
    text = "tangent to x^2 at 3: y = 6x - 8\ngradient of x^2 y: (2xy, x)\n"
    code, markup, page = write(text)
    assert code == 1
    assert page.count("section", "bad") == 2
    assert "<dt>tangent</dt>" in markup
    assert (
        "It looks as if the slope is right, but the line misses the point."
        in page.words
    )
    assert "Every part" in page.words
    assert "<dt>∂/∂y</dt>" in markup
    _, markup, page = write(text, "--hint")
    assert "<dt>tangent</dt>" not in markup
    assert "look again" in page.words


def test_points_that_are_missing_are_told_without_a_hint_alone(write):
    text = "critical points of x^3 - 3x: min at x = 1\n"
    _, markup, page = write(text)
    assert "<dt>right is</dt>" in markup
    assert "Missing: x = -1" in page.words
    _, _, page = write(text, "--hint")
    assert "x = -1" not in page.words
    assert "Something is missing." in page.words


@pytest.mark.slow
def test_long_formulas_stand_as_texts_without_their_middle(write):
    long = " + ".join(f"sin({i}x)" for i in range(1, 50))
    _, markup, page = write(f"d/dx ({long}) = {long}\n", "--solution")
    assert "…" in page.words
    assert page.count("section", "bad") == 1
    assert len(markup) < 60_000


@pytest.mark.slow
def test_formula_without_end_is_told_in_words():
    x = exprgrad.Value(None, "x")
    for _ in range(60):
        x = x * (x + 1)
    assert html.typeset(x) == "a formula that would fill pages"
    assert grading.derivative(Expression.of(x), "x", 1) in ("", "a formula that would fill pages")  # fmt: skip
    assert grading.readable("2*(") == "<code>2*(</code>"


@pytest.mark.slow
def test_mistake_in_the_line_before_or_in_the_problem_is_shown_there(write):
    text = "f(x) = x^2 sin(3x)\nf'(x) = 2x sin(3x) + x^2 cos(3x)\n"
    _, markup, page = write(text, work=True)
    assert "in the problem: " in page.words
    assert "<mark>" in markup
    _, _, page = write(text, "--hint", work=True)
    assert "Hint: " in page.words
    _, markup, _ = write(text, "--solution", work=True)
    assert "The derivation" in markup


def test_page_gives_no_answer_away_where_hints_are_wanted(write):
    code, _, page = write(SHEET, "--hint")
    assert code == 2
    assert "the derivative is 3" not in page.words
    assert "the derivative" not in page.words.replace("derivative was left out", "")
    assert "Try x = 0" in page.words
    assert "Hint: " in page.words


def test_page_folds_the_derivation_where_it_is_wanted(write):
    _, text, page = write("d/dx x^2 sin x = 2x cos x\n", "--solution")
    assert page.count("details") == 1
    assert "product rule" in page.words
    assert text.index("<summary>") < text.index("product rule")


def test_page_of_worked_solutions_marks_the_first_wrong_line(write):
    solution = SAMPLES.joinpath("solution.txt").read_text("utf-8")
    code, text, page = write(solution, work=True)
    assert code == 1
    assert page.count("li", "first") == 1
    assert 'id="s1-6" class="first"' in text
    assert "#s1-6" in page.links
    assert "<mark>3x cos(3x)</mark>" in text
    assert "↳ consequent" in page.words
    assert "the answer is wrong: line 6 is the first that is wrong" in page.words


def test_solution_that_cannot_be_read_has_a_section_with_the_reason(write):
    code, _, page = write("f(x) = x^2 +\nf'(x) = 2x\n\ng(x) = x^2\ng'(x) = 2x\n", work=True)  # fmt: skip
    assert code == 2
    assert page.count("section", "case") == 2
    assert "! cannot be read" in page.words
    assert "1 of 2 correct" in page.words


CLASS = """student,problem,answer
ann,d/dx x^2,2x
ann,sin(3x),cos(3x)
bob,d/dx x^2,"y' = x
= 2x"
bob,sin(3x),
bob,sin(3x),3cos(3x
"""


def test_page_of_a_class_set_has_a_section_for_every_student(write):
    code, text, page = write(CLASS, name="class.csv")
    assert code == 2
    assert page.count("section", "case") == 2
    assert page.count("details", "answer") == 5
    assert {"#s1", "#s2"} <= set(page.links)
    assert "ann: 1 of 2" in page.words
    assert "– blank" in page.words
    assert "inner derivative left out (1)" in page.words
    assert "right is" in page.words
    assert text.count("open=") == 4


def test_page_of_a_class_set_gives_no_answer_away_where_hints_are_wanted(write):
    _, _, page = write(CLASS, "--hint", name="class.csv")
    assert "right is" not in page.words
    assert "multiply by the derivative of 3x, which is 3" not in page.words
    assert "Try x = 0" in page.words


HOSTILE = "<script>alert(1)</script>\"'&\x1b[31m\u202e\x00<b>"


def test_nothing_raw_reaches_the_page(write):
    rows = f'student,problem,answer\n"{HOSTILE.replace(chr(34), chr(34) * 2).replace(chr(0), "")}",x^2,"2x <img src=x>"\n"<i>",<b>x</b>,1\n'  # fmt: skip
    for text, name, work in (
        (rows, "<b>.csv", False),
        (f"d/dx x^2 = {HOSTILE}\nd/dx {HOSTILE} = 2x\n1) d/dx x = 1 # <i>\n", "a.txt", False),
        (f"f(x) = x^2\nf'(x) = 2x {HOSTILE}\n= 3x <img src=x>\n", "b.txt", True),
    ):  # fmt: skip
        _, markup, page = write(text, name=name, work=work)
        assert {tag for tag, _ in page.elements} <= {
            "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "nav", "div", "table", "caption", "thead",
            "tbody", "tr", "th", "td", "span", "a", "section", "code", "mark", "br", "dl", "dt", "dd", "ul", "ol", "li",
            "details", "summary", "math", "mrow", "mi", "mn", "mo", "mfrac", "msup",
        }  # fmt: skip
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]", markup)


def test_page_replaces_no_input_and_is_written_whole(tmp_path, capsys):
    source = tmp_path / "sheet.txt"
    source.write_text("d/dx x^2 = 2x\n")
    assert run(["check", "--file", str(source), "--html", str(source)]) == 2
    assert "the output would replace the input" in capsys.readouterr().err
    assert run(["check", "--work", str(source), "--html", str(source)]) == 2
    assert source.read_text() == "d/dx x^2 = 2x\n"
    assert run(["check", "--file", str(source), "--html", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [source]


def test_page_needs_a_file_and_one_name(tmp_path, capsys):
    assert run(["check", "x^2", "2x", "--html", str(tmp_path / "p.html")]) == 2
    assert "give one with --file or --work" in capsys.readouterr().err
    both = ["--html", str(tmp_path / "p.html"), "--report", str(tmp_path / "q.html")]
    assert run(["check", "--file", str(SAMPLES / "class.csv"), *both]) == 2
    assert "give one" in capsys.readouterr().err


def test_sheet_on_standard_input_has_a_page_too(tmp_path, capsys, monkeypatch):
    stdin = SimpleNamespace(buffer=io.BytesIO(b"d/dx x^2 = 2x\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    target = tmp_path / "p.html"
    assert run(["check", "--file", "-", "--html", str(target), "-q"]) == 0
    assert not capsys.readouterr().out
    assert "standard input" in read(target)[1].words


@pytest.mark.slow
def test_page_of_a_class_set_grows_with_the_answers_alone(write, monkeypatch):
    long = "x" + " + x" * 5000
    rows = [f"s{i % 10},x^2,{i % 4}x" for i in range(100)]
    sizes = []
    for count in (50, 100):
        text = "\n".join(["student,problem,answer", *rows[:count], f"s0,{long},1", ""])
        sizes.append(len(write(text, name="class.csv")[1]))
    assert sizes[1] - sizes[0] < 50 * 2500
    monkeypatch.setattr(grading, "MOST_ANSWERS", 3)
    _, _, page = write("\n".join(["student,problem,answer", *rows, ""]), name="class.csv")  # fmt: skip
    assert page.count("details", "answer") == 30
    assert "7 more answers are not shown." in page.words
    _, _, page = write("problem,answer\n" + "x^2,2x\n" * 5, name="class.csv")
    assert page.count("details", "answer") == 5
    assert "no name: 5 of 5" in page.words


@pytest.mark.slow
def test_the_command_work_writes_the_page_of_check(tmp_path):
    source, pages = str(SAMPLES / "solution.txt"), []
    for given in (["work", source], ["check", "--work", source]):
        pages.append(tmp_path / f"{given[0]}.html")
        assert run([*given, "-q", "--html", str(pages[-1])]) == 1
    own, other = (page.read_text("utf-8") for page in pages)
    assert own == other


def test_page_of_the_sample_is_as_it_was(tmp_path):
    """A small page, kept whole: what it says and how it is built."""
    target = tmp_path / "solution.html"
    run(["check", "--work", str(SAMPLES / "solution.txt"), "--html", str(target), "-q"])
    body = target.read_text("utf-8").partition("<body>")[2]
    lines = re.sub(r"(</(?:p|li|tr|h2|section)>)", r"\1\n", body)
    compare(HERE / "grading" / "page_of_work.html", lines)
