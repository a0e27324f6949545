"""Documents as Markdown: tables as GitHub reads them, formulas as code, drawings in fences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from exprgrad.views import blocks

# only what would change a formula: 2*x*y would be in italics, x<y the beginning of a tag, and \{ a brace;
# an underscore within a word, as in x_1, is no markup
_ESCAPED = str.maketrans({c: f"\\{c}" for c in "\\`*<"})


def document(parts: Iterable[blocks.Block]) -> Iterator[str]:
    """The lines of a document: see `blocks`."""
    every = filter(None, (list(_lines(block)) for block in parts))
    for i, lines in enumerate(every):
        yield from ("", *lines) if i else lines


def _lines(block: blocks.Block) -> Iterator[str]:
    match block:
        case blocks.Answer(_, _, blocks.Table() as own):
            yield from table(own, words)
        case blocks.Heading(text, own) | blocks.Answer(text, own):
            # the title as it was typed goes into code, with its own signs; a value behind it does not
            title = own.title if isinstance(own, blocks.Formula) else ""
            coded = title and text.startswith(title)
            end = words(text[len(title) :])
            yield f"{_code(title)}{end}" if coded else f"**{words(text)}**"
        case blocks.Note(text):
            yield f"*Note*: {words(text)}"
        case blocks.Sentence(status, _, pieces, named):
            said = (words(p) if isinstance(p, str) else _code(p[0]) for p in pieces)
            yield f"**{named or status}**{'' if named else ': '}{''.join(said)}"
        case blocks.Said(text, kind, source):
            yield f"*Note*: {words(text)}" if kind == "note" else words(text)
            yield from ("", _code(source[1])) if source else ()
        case blocks.Marked(number, status, _, text, _, remarks):
            told = "; ".join((status, *(own.text for own in remarks)))
            yield f"{number}. {_code(text)} {words(told)}"
        case blocks.Table(title, _, _, footer):
            yield from (f"**{words(title)}**", "") if title else ()
            yield from table(block, words)
            yield from ("", words(footer)) if footer else ()
        case blocks.Wrapped(texts):
            # a backslash ends a line: without it, all would be one paragraph
            yield from "\\\n".join(map(words, texts)).split("\n")
        case blocks.Derivation(lines) | blocks.Lines(lines):
            yield from ("```text", *lines, "```")
        case blocks.Styled(drawn):
            rows = ("".join(text for text, _ in line).rstrip() for line in drawn)
            yield from ("```text", *rows, "```")


def words(text: str) -> str:
    """Return a text in which Markdown sees no markup."""
    return text.translate(_ESCAPED)


def _code(text: str) -> str:
    text = " ".join(text.split())
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def table(table: blocks.Table, write: Callable[[str], str] = str) -> Iterator[str]:
    """A table, whatever its title and footer; `write` gives what a cell is in Markdown."""
    table = table.written
    rule = ["---:" if column.number else "---" for column in table.columns]
    titles = tuple(column.title for column in table.columns)
    every: list[tuple[str, ...]] = [titles, tuple(rule), *table.rows]
    for row in every:
        yield "| " + " | ".join(write(cell).replace("|", "\\|") for cell in row) + " |"
