"""Sheets of practice problems in text, CSV, LaTeX and the XML that Moodle imports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from exprgrad.annotations import NamedTuple
from exprgrad.expressions.confirm import latex
from exprgrad.expressions.expression import parse
from exprgrad.grading.practice import MOST_DISTRACTORS, VARIABLE, Distractor, Exercise
from exprgrad.views.blocks import Block, Lines
from exprgrad.views.formats import Rows


class Item(NamedTuple):
    """A problem with its distractors."""

    exercise: Exercise
    distractors: Sequence[Distractor]


class PracticeView(NamedTuple):
    """A sheet: problems first, answers below them."""

    items: Sequence[Item]

    def blocks(self) -> list[Block]:
        """The problems, and then the answers."""
        asked = [f"{i}) d/dx ({own.exercise.problem})" for i, own in self._numbered()]
        answers = [f"{i}) {own.exercise.answer}" for i, own in self._numbered()]
        return [Lines((*asked, "", "Answers", *answers))]

    def _numbered(self) -> Iterator[tuple[int, Item]]:
        return iter(enumerate(self.items, 1))

    def csv(self) -> Rows:
        """A row for each problem, with wrong answers and the mistakes that give them."""
        wrong = [f"{name} {i}" for i in range(1, MOST_DISTRACTORS + 1) for name in ("wrong", "mistake")]  # fmt: skip
        header = ["problem", "answer", "topic", "level", "from", "to", *wrong]
        rows = []
        for _, (own, others) in self._numbered():
            cells: list[str | float | None] = [
                f"d/dx ({own.problem})", own.answer, own.topic, own.level, *own.interval,
            ]  # fmt: skip
            for other in others:
                cells += [other.answer, other.mistake]
            rows.append([*cells, *[""] * (len(header) - len(cells))])
        return header, rows

    def latex(self) -> Iterator[str]:
        """Two lists, the second of answers."""
        yield r"\begin{enumerate}"
        for _, own in self._numbered():
            yield rf"\item $\frac{{d}}{{dx}}\left({_tex(own.exercise.problem)}\right)$"
        yield r"\end{enumerate}"
        yield r"\section*{Answers}"
        yield r"\begin{enumerate}"
        for _, own in self._numbered():
            yield rf"\item ${_tex(own.exercise.answer)}$"
        yield r"\end{enumerate}"

    def moodle_xml(self) -> Iterator[str]:
        """Questions with several answers to choose from; what each wrong one overlooks is its feedback."""
        yield '<?xml version="1.0" encoding="UTF-8"?>'
        yield "<quiz>"
        for i, own in self._numbered():
            yield from _question(i, own)
        yield "</quiz>"


def _tex(text: str) -> str:
    return latex(parse(text, (VARIABLE,)).root)


def _question(number: int, item: Item) -> Iterator[str]:
    own, others = item
    stem = rf"Differentiate \( {_tex(own.problem)} \) with respect to \( {VARIABLE} \)."
    yield '  <question type="multichoice">'
    yield f"    <name>{_text(f'{own.topic} {number}')}</name>"
    yield f'    <questiontext format="html">{_text(f"<p>{escape(stem, quote=False)}</p>")}</questiontext>'
    right = rf"<p>\( {escape(_tex(own.answer), quote=False)} \)</p>"
    yield f'    <generalfeedback format="html">{_text(right)}</generalfeedback>'
    yield "    <defaultgrade>1.0000000</defaultgrade>"
    yield "    <penalty>0.3333333</penalty>"
    yield "    <hidden>0</hidden>"
    yield "    <single>true</single>"
    yield "    <shuffleanswers>true</shuffleanswers>"
    yield "    <answernumbering>abc</answernumbering>"
    yield from _answer("100", own.answer, "")
    for other in others:
        yield from _answer("0", other.answer, other.message)
    yield "  </question>"


def _answer(fraction: str, answer: str, feedback: str) -> Iterator[str]:
    shown = rf"<p>\( {escape(_tex(answer), quote=False)} \)</p>"
    said = f"<p>{escape(feedback, quote=False)}</p>" if feedback else ""
    yield f'    <answer fraction="{fraction}" format="html">{_text(shown)}'
    yield f'      <feedback format="html">{_text(said)}</feedback>'
    yield "    </answer>"


def _text(content: str) -> str:
    """A text of the format, with what is markup inside escaped once more."""
    return f"<text>{escape(content, quote=False)}</text>"
