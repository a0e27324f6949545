"""Documents as HTML, for a page or the cell of a notebook: formulas in MathML, pictures in SVG.

Every text is escaped, and characters that would act on a screen are replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, starmap

from exprgrad.compiled.javascript import source
from exprgrad.errors import Span, UsageError
from exprgrad.graph.value import Value
from exprgrad.language.notes import shorten
from exprgrad.notation.mathml import derivative_of, mathml
from exprgrad.notation.text import text_length, to_text
from exprgrad.pictures.svg import element, escaped, page
from exprgrad.views import blocks, visible
from exprgrad.views.tex import capital

LONGEST = 400
"""Characters of a text, or of the text of a formula, that a page shows in full."""

MOST_ROWS = 60

WORDS = {"incorrect": "wrong", "partly": "partly right", "unreadable": "cannot be read"}
"""Statuses that are called otherwise in words."""

SIGNS = {**blocks.LINE_MARKS, **blocks.MARKS, "unfinished": "?", "blank": "–"}

_GOOD = ("correct", "equal", "follows")
_BAD = ("incorrect", "different", "wrong", "partly")

STYLE = source(__file__, "document.css")


def document(parts: Iterable[blocks.Block]) -> Iterator[str]:
    """A page of its own: see `blocks`."""
    every = list(parts)
    title = next((b.text for b in every if isinstance(b, blocks.Heading)), "exprgrad")
    headed = bool(every and title) and isinstance(every[0], blocks.Heading)
    head = fragment(every[:1]) if headed else escaped(title or "exprgrad")
    # a derivation is here because it was asked for
    rest = fragment(every[headed:]).replace("<details>", '<details open="">')
    body = element("h1", head.removeprefix("<div>").removesuffix("</div>")) + rest
    yield from page(visible.line(title), element("main", body), STYLE).splitlines()


def fragment(parts: Iterable[blocks.Block]) -> str:
    """The same as elements within a page; notes that follow each other as one list, and lines of a solution."""
    elements = []
    for kind, own in groupby(parts, _kind):
        inside = "".join(map(written, own))
        name = {"notes": "ul", "lines": "ol"}.get(kind)
        elements.append(element(name, inside, class_=kind) if name else inside)
    return "".join(elements)


def _kind(block: blocks.Block) -> str:
    if isinstance(block, blocks.Marked):
        return "lines"
    return "notes" if isinstance(block, blocks.Said) and block.kind == "note" else ""


def written(block: blocks.Block) -> str:
    """A block as an element or several."""
    match block:
        case blocks.Heading(text, own) | blocks.Answer(text, own):
            inside = formula(own) if own else element("b", shown(text))
            return element("div", inside)
        case blocks.Note(text, read):
            return "" if read else element("div", element("small", shown(text)))
        case blocks.Sentence(status, _, pieces):
            # `shown` strips a text, and the blanks around " and " have to stay
            told = (p.replace(p.strip(), shown(p)) if isinstance(p, str) else formula(p[1]) for p in pieces)  # fmt: skip
            # the mark and the word before it are a badge, which needs no colon
            said = "".join(told).removeprefix(": ")
            return element("div", f"{badge(status)} {said}")
        case blocks.Said(text, kind, source):
            if kind == "note":
                return element("li", shown(text))
            where = ""
            if source:
                place = {"": "", "f": "the problem: "}.get(source[0], f"{source[0]}: ")
                where = f"<br>in {escaped(place)}{typed(*source[1:])}"
            inside = shown(capital(text), 4 * LONGEST) + where
            class_ = "mistake" if kind == "mistake" else "said"
            return element("p", inside, class_=class_) if text else ""
        case blocks.Marked():
            return marked(block)
        case blocks.Derivation(lines):
            return folded("\n".join(lines))
        case blocks.Table():
            return _table(block)
        case blocks.Wrapped(texts):
            return "".join(element("p", shown(text, 4 * LONGEST)) for text in texts)
        case blocks.Lines(_, formulas) if formulas:
            return "".join(element("div", formula(own)) for own in formulas)
        case blocks.Styled(_, _, svg) if svg is not None:
            return svg()
        case blocks.Lines(texts):
            return _preformatted(texts)
        case blocks.Styled(lines, None):
            return _preformatted("".join(text for text, _ in line) for line in lines)
        case blocks.Styled(lines):
            return "".join(
                element("p", "".join(starmap(_piece, line))) for line in lines
            )


def marked(line: blocks.Marked, name: str = "line") -> str:
    """A line of a solution behind its number, with its verdict and what there is to say."""
    # the place is marked in the line itself
    said = (own._replace(source=None) if line.span else own for own in line.said)
    text = f"{typed(line.text, line.span)} {badge(line.status)}{fragment(said)}"
    number = element("span", str(line.number), class_="number")
    class_ = "first" if line.first else None
    return element("li", number + element("div", text), id=f"{name}-{line.number}", class_=class_)  # fmt: skip


def formula(own: blocks.Formula) -> str:
    """A formula, typeset, with what is said behind it."""
    sides = [escaped(s) if isinstance(s, str) else typeset(s) for s in own.sides]
    relation = own.relation.replace(r"\sim", "~")
    text = f" {relation} ".join(sides)
    text += f" ± {escaped(own.spread)}" if own.spread else ""
    text += f" {escaped(own.end)}" if own.end else ""
    at = ", ".join(f"{name} = {x}" for name, x in own.at.items())
    text += f" at {escaped(at)}" if at else ""
    holds = ", ".join(own.conditions).replace("!=", "≠")
    return text + (f" for {escaped(holds)}" if holds else "")


def typeset(side: Value | blocks.Derivative) -> str:
    """A graph, or a derivative that is to be taken; a long one as text without its middle, one without end in words."""
    root = side.root if isinstance(side, blocks.Derivative) else side
    try:
        if text_length(root, LONGEST) <= LONGEST:
            is_taken = isinstance(side, blocks.Derivative)
            return derivative_of(*side) if is_taken else mathml(root)
        # the length is counted without writing the text, which for shared parts may have 2^1000 characters
        if text_length(root, 50 * LONGEST) <= 50 * LONGEST:
            return typed(to_text(root))
    except UsageError:  # shared parts make it longer than its text says
        pass
    return "a formula that would fill pages"


def shown(text: str, most: int = LONGEST) -> str:
    """A text on one line, for the inside of an element."""
    return escaped(visible.line(shorten(text, most)))


def typed(text: str, span: Span | None = None) -> str:
    """Return what someone typed, with the part of a span marked."""
    text = visible.line(text)
    # a long text is cut, and the place of a mistake may be in what is left out
    if span is None or len(text) > LONGEST or not 0 <= span[0] <= len(text):
        return element("code", shown(text))
    start, end = span
    begin, marked, rest = text[:start], text[start:end], text[end:]
    inside = element("mark", escaped(marked)) if marked.strip() else escaped(marked)
    return element("code", f"{escaped(begin.lstrip())}{inside}{escaped(rest.rstrip())}")


def badge(status: str) -> str:
    """A status as a mark and a word, in its colour."""
    text = f"{SIGNS[status]} {WORDS.get(status, status)}"
    return element("span", escaped(text), class_=f"badge {kind_of(status)}")


def kind_of(status: str) -> str:
    """Return what a status means for colours: good, bad, or open."""
    return "good" if status in _GOOD else "bad" if status in _BAD else "open"


def folded(text: str) -> str:
    """A derivation, which is shown on demand."""
    if len(text) > 20 * LONGEST:
        # at the end of a line: half a formula would be another one
        text = text[: 20 * LONGEST].rpartition("\n")[0] + "\n(cut)"
    inside = element("summary", "The derivation") + _preformatted(text.split("\n"))
    return element("details", inside)


def _piece(text: str, style: str) -> str:
    """A piece of a paragraph, with its style if HTML has an element for that."""
    # the style says what the backquotes of a page without colours say
    inside = escaped(visible.line(text.replace("`", "")))
    name = {"bold": "b", "italic": "i", "cyan": "code"}.get(style)
    return element(name, inside) if name else inside


def _preformatted(lines: Iterable[str]) -> str:
    inside = "\n".join(escaped(visible.line(line)) for line in lines)
    # it may be wider than the screen: with a tabindex it can be scrolled by keys
    return element("pre", inside, tabindex=0)


def _table(table: blocks.Table) -> str:
    if not table.rows:
        return ""
    table = table.written
    head = [(c.title, "n" if c.number else "text" * c.wraps) for c in table.columns]
    rows = [list(map(shown, row)) for row in table.rows[:MOST_ROWS]]
    if len(table.rows) > MOST_ROWS:
        # a cell for every column, as `cells` zips them strictly with the head
        rows.append(["…", *[""] * (len(head) - 1)])
    footer = element("div", element("small", shown(table.footer))) if table.footer else ""  # fmt: skip
    return cells(table.title, head, rows) + footer


def cells(caption: str, head: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> str:  # fmt: skip
    """A table of cells in HTML; `head` has each column's name and class, "n" for numbers and "text" for long texts."""
    titles = "".join(element("th", shown(name), class_=class_ or None, scope="col") for name, class_ in head)  # fmt: skip

    def cell(inside: str, column: tuple[str, str]) -> str:
        name, class_ = column
        # a narrow screen has no head of the table: each cell says what it is
        return element("td", inside, class_=class_ or None, data_of=visible.line(name))

    body = "".join(element("tr", "".join(starmap(cell, zip(row, head, strict=True)))) for row in rows)  # fmt: skip
    title = element("caption", shown(caption)) if caption else ""
    inside = f"{title}<thead><tr>{titles}</tr></thead><tbody>{body}</tbody>"
    return element("div", element("table", inside, class_="stack"), class_="scroll")
