"""What pages on verdicts are made of: badges, formulas, what was typed, and what there is to say.

Every text passes `shown` or `typed`: markup is escaped, and characters that would act on a screen are replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exprgrad.errors import ExprgradError, Span, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.value import Value
from exprgrad.language.notes import shorten
from exprgrad.notation.mathml import derivative_of, mathml
from exprgrad.notation.text import text_length, to_text
from exprgrad.pictures.pages.page import page
from exprgrad.pictures.svg import element, escaped
from exprgrad.views import visible
from exprgrad.views.verdicts.checking import MARKS

LONGEST = 400
"""Characters of a text, or of the text of a formula, that a page shows in full."""

MOST_NODES = 1000
"""Nodes of a function up to which its derivative is shown."""

WORDS = {
    "correct": "correct", "incorrect": "wrong", "partly": "partly right", "undecided": "undecided",
    "unfinished": "unfinished", "unreadable": "cannot be read", "blank": "blank", "consequent": "consequent",
    "follows": "follows", "wrong": "wrong",
}  # fmt: skip
"""Every status in words."""

SIGNS = {**MARKS, "unfinished": "?", "blank": "–", "follows": "✓", "wrong": "✗", "consequent": "↳"}  # fmt: skip

_GOOD = ("correct", "follows")
_BAD = ("incorrect", "wrong", "partly")

STYLE = """
body{max-width:60rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;margin:.2rem 0} h2{font-size:1.1rem;font-weight:600;margin:0 0 .6rem;overflow-wrap:anywhere} h3{font-size:1rem;margin:1.6rem 0 .4rem}
caption{padding-top:1.2rem} a{color:$value} code{font:.92em ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap}
.case{border:1px solid $hair;border-left:.35rem solid $line;border-radius:6px;background:$box;padding:.8rem 1rem;margin:1rem 0}
.case.good{border-left-color:$other} .case.bad{border-left-color:$adjoint} .case:target{outline:3px solid $value}
.badge{font-weight:600;white-space:nowrap;color:$soft} .badge.good{color:$other} .badge.bad{color:$adjoint}
.case{position:relative} .case>h2{padding-right:7rem} .top{position:absolute;top:.8rem;right:1rem;margin:0;font-size:.85rem}
.asked math,dd math,h2 math{math-style:normal}
.asked{font-size:1.1rem;overflow-x:auto;margin:.3rem 0} .scroll{overflow-x:auto}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.4rem 1rem;margin:.6rem 0;align-items:baseline}
dt{color:$soft} dd{margin:0;overflow-x:auto;overflow-wrap:anywhere;padding:.1rem 0}
.said{margin:.5rem 0} .mistake{border-left:3px solid $adjoint;background:$adjoint-fill;padding:.4rem .7rem;margin:.6rem 0}
mark{background:$adjoint-fill;color:inherit;border-bottom:2px solid $adjoint} .mistake mark{background:$box}
.notes{color:$soft;font-size:.9rem;margin:.5rem 0;padding-left:1.2rem} .soft{color:$soft}
th,td{vertical-align:top} td.text,th.text{white-space:normal;overflow-wrap:anywhere;min-width:8rem} .n{text-align:right}
tr.first td{background:$adjoint-fill} ol.lines{list-style:none;padding:0;margin:.6rem 0}
ol.lines>li{display:grid;grid-template-columns:2.2rem minmax(0,1fr);gap:0 .6rem;padding:.35rem .5rem;border-bottom:1px solid $hair}
ol.lines .number{color:$soft;text-align:right} ol.lines>li.first{background:$adjoint-fill;border-left:.3rem solid $adjoint}
ol.lines>li.first mark{background:$box} .first .mistake{background:$box}
pre{overflow-x:auto;font:.88em/1.5 ui-monospace,monospace;margin:.4rem 0} details{margin:.5rem 0}
.bar{display:inline-block;height:.6rem;border-radius:2px;background:$value;vertical-align:middle}
.answer{border-top:1px solid $hair;margin:0;padding:.4rem 0} .answer>div{padding:.2rem 0 .2rem 1.1rem}
@media(max-width:34rem){
body{padding:.8rem} dl{grid-template-columns:minmax(0,1fr);gap:0} dd{margin:0 0 .5rem} .case{padding:.6rem .7rem} .case>h2{padding-right:5rem}
.stack thead{display:none} .stack tr{display:grid;grid-template-columns:auto minmax(0,1fr);padding:.3rem 0;border-bottom:1px solid $hair}
.stack td{border:0;padding:.1rem .8rem .1rem 0;white-space:normal;min-width:0;overflow-wrap:anywhere} .stack td.text{grid-column:1/-1} .stack td.n{text-align:left}
}
@media print{.case{break-inside:avoid} .top{display:none} a{color:inherit}}
"""


def shown(text: str, most: int = LONGEST) -> str:
    """A text on one line, for the inside of an element."""
    return escaped(visible.line(shorten(text, most)))


def typed(text: str, span: Span | None = None) -> str:
    """What someone typed, with the part of a span marked."""
    text = visible.line(text)
    if span is None or len(text) > LONGEST or not 0 <= span[0] <= len(text):
        return element("code", shown(text))
    start, end = span
    begin, marked, rest = text[:start], text[start:end], text[end:]
    inside = element("mark", escaped(marked)) if marked.strip() else escaped(marked)
    return element("code", f"{escaped(begin.lstrip())}{inside}{escaped(rest.rstrip())}")


def typed_lines(text: str) -> str:
    """An answer, which may have several lines."""
    lines = text.strip().splitlines()
    return "<br>".join(map(typed, lines[:40])) + ("…" if len(lines) > 40 else "")


def kind_of(status: str) -> str:
    """What a status means for colours: good, bad, or open."""
    return "good" if status in _GOOD else "bad" if status in _BAD else "open"


def badge(status: str) -> str:
    """A status as a mark and a word, in its colour."""
    text = f"{SIGNS[status]} {WORDS[status]}"
    return element("span", escaped(text), class_=f"badge {kind_of(status)}")


def formula(root: Value) -> str:
    """A formula, typeset; a long one as text without its middle, one without end in words."""
    if text_length(root, LONGEST) <= LONGEST:
        return mathml(root)
    if text_length(root, 50 * LONGEST) <= 50 * LONGEST:
        return typed(to_text(root))
    return "a formula that would fill pages"


def asked(function: Expression, wrt: str, order: int) -> str:
    """The derivative that is asked for."""
    wanted, several = (wrt,) * order, len(function.variables) > 1
    if text_length(function.root, LONGEST) <= LONGEST:
        return derivative_of(function.root, wanted, several)
    return typed(function.title)


def derivative(function: Expression, wrt: str, order: int) -> str:
    """The derivative itself, typeset; nothing where it would be very long."""
    if len(function.tape.nodes) > MOST_NODES:
        return ""
    try:
        return formula(function.derivative(wrt, order=order).root)
    except ExprgradError:
        return ""


def readable(text: str) -> str:
    """A formula in the language, typeset; as it stands where it cannot be read again."""
    from exprgrad.expressions.expression import parse

    try:
        return formula(parse(text).root) if len(text) <= LONGEST else typed(text)
    except (ExprgradError, UsageError):
        return typed(text)


def capital(text: str) -> str:
    """A sentence that begins with a word, with a capital; one that begins with a formula stays."""
    first = text.partition(" ")[0].rstrip(":,")
    return text[:1].upper() + text[1:] if first.isalpha() and len(first) > 1 else text


def said(text: str, class_: str = "said") -> str:
    """A sentence as a paragraph."""
    return element("p", shown(text, 4 * LONGEST), class_=class_) if text else ""


def told(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and what stands for each, in HTML; those without anything are left out."""
    rows = [f"<dt>{escaped(name)}</dt><dd>{value}</dd>" for name, value in pairs if value]  # fmt: skip
    return element("dl", "".join(rows)) if rows else ""


def notes(texts: Sequence[str]) -> str:
    """Notes on how a text was read."""
    rows = "".join(element("li", shown(text)) for text in texts)
    return element("ul", rows, class_="notes") if rows else ""


def refused(error: ExprgradError) -> str:
    """Why a text cannot be read, with its place and what would help."""
    source = typed(error.source, error.span) if error.source and error.span else ""
    hint = said(f"Hint: {error.hint}") if error.hint else ""
    return said(error.message) + (element("p", source) if source else "") + hint


def folded(summary: str, inside: str) -> str:
    """Something that is shown on demand; `summary` is a text."""
    return element("details", element("summary", escaped(summary)) + inside)


def steps(lines: Iterable[str]) -> str:
    """The lines of a derivation, on demand."""
    text = "\n".join(lines)
    if len(text) > 20 * LONGEST:
        text = text[: 20 * LONGEST].rpartition("\n")[0] + "\n(cut)"
    return folded("The derivation", element("pre", escaped_lines(text)))


def escaped_lines(text: str) -> str:
    """A text of several lines."""
    return "\n".join(escaped(visible.line(line)) for line in text.split("\n"))


def case(name: str, status: str, head: str, inside: str) -> str:
    """A section of its own, with its verdict in front, in colour and in words."""
    title = element("h2", f"{badge(status)} {head}", id=f"{name}-head")
    top = '<p class="top"><a href="#top">to the top</a></p>'
    class_ = f"case {kind_of(status)}"
    return element("section", title + inside + top, id=name, class_=class_, aria_labelledby=f"{name}-head")  # fmt: skip


def table(caption: str, head: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> str:  # fmt: skip
    """A table of cells in HTML; `head` has each column's name and class, "n" for numbers and "text" for long texts."""
    cells = "".join(element("th", escaped(name), class_=class_ or None, scope="col") for name, class_ in head)  # fmt: skip
    body = "".join(
        element("tr", "".join(element("td", cell, class_=class_ or None) for cell, (_, class_) in zip(row, head, strict=True)))
        for row in rows
    )  # fmt: skip
    inside = f"<caption>{escaped(caption)}</caption><thead><tr>{cells}</tr></thead><tbody>{body}</tbody>"
    return element("div", element("table", inside, class_="stack"), class_="scroll")


def document(title: str, score: str, summary: str, sections: Iterable[str]) -> str:
    """A whole page: its title and score, a summary with links, and the sections."""
    head = element("h1", shown(title), id="top") + said(score)
    nav = element("nav", summary, aria_label="summary") if summary else ""
    return page(visible.line(shorten(title, 100)), "\n".join([head, nav, *sections]), STYLE)  # fmt: skip
