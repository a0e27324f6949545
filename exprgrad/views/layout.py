"""Blocks as lines of styled pieces, for any renderer."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from exprgrad.annotations import Any
from exprgrad.errors import Span
from exprgrad.lazy import pattern
from exprgrad.views import blocks, visible

GAP = "  "

_RULE = pattern(r"\S+' = [^;:]+")
"""A rule of a calculus book, which stands on one line: (u*v)' = u'*v + u*v'."""

NARROWEST = 24
"""The width to which a column of words shrinks before another column is left out."""

ROOM_FOR_WORDS = 12
"""The width to which it shrinks before every row becomes a paragraph."""

Line = list[tuple[str, str]]
"""Pieces of text, each with the name of a style."""


def width_of(text: str) -> int:
    """The columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    import unicodedata

    # Unicode Annex 11: wide and full-width characters take two columns, marks that combine with a letter none
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    marks = sum(unicodedata.combining(c) != 0 for c in text)
    return len(text) + wide - marks


def document(parts: list[blocks.Block]) -> Iterator[str]:
    """The lines of an output for 80 columns, without colour."""
    for line in lines(parts, 80):
        yield "".join(text for text, _ in line)


def lines(parts: list[blocks.Block], width: int) -> Iterator[Line]:
    """The lines of an output for a terminal of that width."""
    rooms: tuple[int, ...] = ()
    for i, block in enumerate(parts):
        if i and _are_apart(parts[i - 1], block):
            yield []
        match block:
            case blocks.Heading(text) | blocks.Answer(text):
                yield from folded([(text, "bold")], width)
            case blocks.Note(text):
                yield from folded([(f"note: {text}", "yellow")], width, hang=6)
            case blocks.Sentence(status, mark, pieces, named, indent):
                gap, style = " " * indent, blocks.STYLES[blocks.MARKS[status]]
                text = "".join(p if isinstance(p, str) else p[0] for p in pieces)
                styled = [(f"{gap}{mark}", style), (f" {named}{text}", "" if indent else "bold")]  # fmt: skip
                yield from folded(styled, width)
            case blocks.Said():
                yield from _said(block, width)
            case blocks.Marked():
                if not (i and isinstance(parts[i - 1], blocks.Marked)):
                    rooms = _rooms_of(parts[i:])
                yield from _marked(block, rooms, width)
            case blocks.Lines(texts):
                yield from ([(text, "")] for text in texts)
            case blocks.Wrapped(texts, hang) | blocks.Derivation(texts, _, hang):
                for text in texts:
                    yield from folded([(text, "")], width, hang)
            case blocks.Styled(styled, None):
                yield from (list(line) for line in styled)
            case blocks.Styled(styled, int(hang)):
                for line in styled:
                    yield from folded(list(line), width, hang)
            case blocks.Table():
                yield from _table(block, width)


def _are_apart(above: blocks.Block, below: blocks.Block) -> bool:
    """Return whether an empty line stands between two parts."""
    text = blocks.Wrapped | blocks.Derivation | blocks.Lines
    match above, below:
        case _, blocks.Answer() | blocks.Marked():
            return False
        case blocks.Note(), blocks.Note():
            return False
        case blocks.Marked(), blocks.Sentence():
            return False
        case blocks.Sentence() | blocks.Said(), blocks.Sentence() | blocks.Said():
            return isinstance(below, blocks.Sentence) and below.apart
        case blocks.Lines() | blocks.Derivation(), blocks.Lines() | blocks.Derivation():
            return True
    return not (isinstance(above, text) and isinstance(below, text))


def _said(block: blocks.Said, width: int, indent: str = "  ", start: str = "note: ") -> Iterator[Line]:  # fmt: skip
    """A paragraph indented below its sentence, and the text that it is about with carets below a place."""
    text = f"{start}{block.text}" if block.kind == "note" else block.text
    style = "yellow" if block.kind in ("note", "remark") else ""
    for rule in _RULE.findall(text) if block.kind == "mistake" else ():
        # for the folding, which breaks at blanks alone, a rule becomes one word
        text = text.replace(rule, rule.replace(" ", "\xa0"))
    for pieces in folded([(f"{indent}{text}", style)], width, hang=0) if text else ():
        yield [(piece.replace("\xa0", " "), own) for piece, own in pieces]
    if block.source is None:
        return
    origin, source, (begin, end) = block.source
    if origin:
        origin += ": "
        # the span counts from the blanks at the beginning, which are taken away here
        shift = len(origin) - (len(source) - len(source.lstrip()))
        source, begin, end = f"{origin}{source.strip()}", begin + shift, end + shift
    margin = f"{indent}  "
    room = max(20, width - len(margin) - 2 * (not origin))
    for line in excerpt(source, (begin, end), room):
        yield [(f"{margin}{line}", "red" if set(line) <= {" ", "^"} else "")]


def _rooms_of(parts: list[Any]) -> tuple[int, ...]:
    """The widths of the numbers and of the marks of lines that follow each other."""
    own = itertools.takewhile(lambda block: isinstance(block, blocks.Marked), parts)
    texts = [(str(line.number), line.mark) for line in own]
    return tuple(max(map(width_of, column)) for column in zip(*texts, strict=True))


def _marked(block: blocks.Marked, rooms: tuple[int, ...], width: int) -> Iterator[Line]:
    """A line as typed behind its number and mark, and what is said of it below; carets where it fits on one line."""
    room, wide = rooms
    mark_style = blocks.STYLES[blocks.LINE_MARKS[block.status]]
    head = (f"  {block.number:>{room}} ", "dim"), (f"{block.mark:<{wide}} ", mark_style)
    margin = room + 4 + wide
    # on a narrower screen lines run over its edge, rather than go on in columns of a letter or two
    width = max(width, margin + 16)
    # a tab takes up to eight columns, and the carets below count one for a character
    text = "".join(c if c.isprintable() else " " for c in block.text.strip())
    yield from folded([*head, (text, "")], width, margin - 2)
    fits = width_of(text) <= width - margin
    blanks = len(block.text) - len(block.text.lstrip())
    start, end = (place - blanks for place in block.span or (0, 0))
    if fits and block.span is not None:
        caret = " " * width_of(text[:start]) + "^" * max(1, width_of(text[start:end]))
        yield [(" " * margin, ""), (caret, "red")]
    for own in block.said:
        if own.source is not None and block.span is not None:
            own = own._replace(source=None if fits else ("", text, (start, end)))
        yield from _said(own, width, " " * margin, "")


def folded(line: Line, width: int, hang: int = 2) -> Iterator[Line]:
    """A line in as many as it needs, broken at spaces, the later ones indented by `hang` more."""
    text = "".join(piece for piece, _ in line)
    if width_of(text) <= width:
        yield line
        return
    lead = len(text) - len(text.lstrip(" "))
    # a deep derivation on a narrow screen would otherwise have no room behind its indent
    indent = min(lead + hang, width // 2)
    start, end = 0, _break(text, lead, _reach(text, 0, width))
    yield _part(line, 0, end)
    while (start := end + (len(text[end:]) - len(text[end:].lstrip(" ")))) < len(text):
        end = _break(text, start, _reach(text, start, width - indent))
        yield [(" " * indent, ""), *_part(line, start, end)]


def _reach(text: str, start: int, room: int) -> int:
    """Return how far a text fits into so many columns."""
    # at least one character, however wide: folding would never end without it
    end = min(len(text), start + max(room, 1))
    while end - 1 > start and width_of(text[start:end]) > room:
        end -= 1
    return end


def _break(text: str, start: int, end: int) -> int:
    """The last space before the end of the line, else the place behind the last sign of a formula, or the end."""
    # a space just behind the end counts: it is where the next line begins, and is not shown
    space = f"{text} ".rfind(" ", start, end + 1)
    if space > start:
        return len(text[:space].rstrip())
    # a number that is cut could be taken for two
    return max((text.rfind(sign, start, end) for sign in "*/,"), default=-1) + 1 or end


def _part(line: Line, start: int, end: int) -> Line:
    """The pieces of a line between two places."""
    pieces: Line = []
    for text, style in line:
        pieces.append((text[max(0, start) : max(0, end)], style))
        start, end = start - len(text), end - len(text)
    return [piece for piece in pieces if piece[0]]


def _table(table: blocks.Table, width: int) -> Iterator[Line]:
    rows, columns = table.rows, range(len(table.columns))
    table = table.only([i for i in columns if not rows or any(row[i] for row in rows)])
    # what columns need, where those with words may be wrapped
    table, widths = _fit(table, _narrowed(table, _widths(table), NARROWEST), width)
    for text in _folded(table.title, width) if table.title else ():
        yield [(text, "bold")]
    widths = _narrowed(table, widths, ROOM_FOR_WORDS)
    if sum(widths) + len(GAP) * len(widths[1:]) > width:
        # a paragraph for every row: its first entry, then the others with their titles; one of words needs none
        first, *titled = table.columns
        for row in table.rows:
            line: Line = [(f"{row[0]}{GAP}" if row[0] else GAP * 2, first.style)]
            for column, cell in zip(titled, row[1:], strict=True):
                if not cell:
                    continue
                # two columns, such as a name and its meaning, explain themselves; a bare number does not
                titles = column.title and (titled[1:] or column.number)
                title = f"{column.title} " if titles else ""
                used = sum(width_of(text) for text, _ in line)
                if len(line) > 1 and used + width_of(title + cell) > width:
                    yield from folded(_stripped(line), width, hang=4)
                    line = [(GAP * 2, "")]
                line += [(title, "dim"), (f"{cell}{GAP}", column.style)]
            yield from folded(_stripped(line), width, hang=4)
    else:
        yield from _columns(table, width)
    for paragraph in table.footer.splitlines():
        for text in _folded(paragraph, width):
            yield [(text, "dim")]


def _columns(table: blocks.Table, width: int) -> Iterator[Line]:
    """The titles, a rule and the rows, in columns."""
    widths = _widths(table)
    excess = sum(widths) + len(GAP) * len(widths[1:]) - width
    if excess > 0:
        rooms = list(widths)  # always the widest of those with words gives way
        words = [i for i, column in enumerate(table.columns) if column.wraps]
        for _ in range(excess):
            widest = max(words, key=rooms.__getitem__, default=None)
            if widest is None or rooms[widest] <= ROOM_FOR_WORDS:
                break
            rooms[widest] -= 1
        rows: list[tuple[str, ...]] = []
        for row in table.rows:  # each on as many lines as its words need
            parts = [_folded(cell, room) for cell, room in zip(row, rooms, strict=True)]
            rows += itertools.zip_longest(*parts, fillvalue="")
        table = table._replace(rows=rows)
        widths = _widths(table)
    titles = [column.title for column in table.columns]
    yield _row(titles, [c._replace(style="dim") for c in table.columns], widths)
    yield [(GAP.join("─" * w for w in widths), "dim")]
    for row in table.rows:
        yield _row(row, table.columns, widths)


def _stripped(line: Line) -> Line:
    """A line without blanks at its end."""
    return [*line[:-1], (line[-1][0].rstrip(), line[-1][1])]


def _folded(text: str, width: int) -> list[str]:
    """A text in lines of that width."""
    every = folded([(text, "")], width, hang=0)
    return ["".join(piece for piece, _ in line) for line in every]


def _widths(table: blocks.Table) -> list[int]:
    every = [[column.title for column in table.columns], *table.rows]
    return [max(map(width_of, column)) for column in zip(*every, strict=True)]


def _narrowed(table: blocks.Table, widths: list[int], most: int) -> list[int]:
    """The widths, with at most so much for columns of words."""
    pairs = zip(table.columns, widths, strict=True)
    return [min(width, most) if column.wraps else width for column, width in pairs]


def _fit(table: blocks.Table, widths: list[int], width: int) -> tuple[Any, list[int]]:
    """Leave out spare columns until the table fits, and say which in the footer."""
    left_out: list[str] = []
    while sum(widths) + len(GAP) * (len(widths) - 1) > width:
        spare = max(range(len(widths)), key=lambda i: table.columns[i].spare)
        if not table.columns[spare].spare:
            break
        left_out.append(table.columns[spare].title)
        table = table.only([i for i in range(len(widths)) if i != spare])
        del widths[spare]
    if left_out:
        more = f"(left out to fit {width} columns: {', '.join(reversed(left_out))})"
        table = table._replace(footer=f"{table.footer}\n{more}".strip())
    return table, widths


def _row(cells: Any, columns: list[blocks.Column], widths: list[int]) -> Line:
    pieces: Line = []
    # a line ends with its last entry: blanks behind it would be in every file that the output is redirected to
    last = max((i for i, cell in enumerate(cells) if cell), default=-1)
    every = zip(cells, columns, widths, strict=True)
    for i, (cell, column, width) in enumerate([*every][: last + 1]):
        pad = " " * (width - width_of(cell))
        gap = GAP if i < last else ""
        left, right = (pad, "") if column.number else ("", pad if gap else "")
        pieces.append((f"{left}{cell}{right}{gap}", column.style))
    return pieces


def excerpt(source: str, span: Span, width: int) -> Iterator[str]:
    """The line of a text that a span begins in, and carets below the span."""
    line, column, length = located(source, *span)
    yield from excerpt_lines(line, column, length, width, "")


def located(source: str, start: int, end: int) -> tuple[str, int, int]:
    """The line that the span begins in, the column there, and how far the span goes on it."""
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", start)
    last = len(source) if last < 0 else last
    return source[first:last], start - first, max(1, min(end, last) - start)


def excerpt_lines(
    line: str, column: int, length: int, width: int, label: str, encoding: str = "utf-8"
) -> Iterator[str]:
    """The line and the caret line; a long line is cut to the part around the span."""
    # any character beyond ASCII may take two columns, and may have a stand-in of several characters
    room = max(20, width - len(label)) // (1 if line.isascii() else 2)
    left = right = ""
    if len(line) > room:
        begin = max(0, min(column - room // 3, len(line) - room))
        left, right = "…" * (begin > 0), "…" * (begin + room < len(line))
        line = line[begin : begin + room]
        column -= begin
    line = visible.line("".join(" " if c.isspace() else c for c in line))
    # a place behind the last character, where something is missing, has a caret, too
    length = max(1, min(length, len(line) - column))
    end = column + length
    pieces = (f"{label}{left}{line[:column]}", line[column:end], f"{line[end:]}{right}")
    # piece by piece, because a stand-in is longer, <= for ≤, and the carets have to follow
    before, marked, after = (visible.encodable(text, encoding) for text in pieces)
    yield f"{before}{marked}{after}"
    yield " " * width_of(before) + "^" * max(1, width_of(marked))
