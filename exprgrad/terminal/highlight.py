"""Colours for what is typed, from the same scanner that reads it."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.views.palette import COLOURS

if TYPE_CHECKING:
    from exprgrad.session.session import Session

STYLES = {
    "number": COLOURS["blue"],
    "function": COLOURS["cyan"],
    "bound": "bold",
    "constant": COLOURS["magenta"],
    "derivative": COLOURS["green"],
    "command": COLOURS["magenta"],
    "comment": COLOURS["dim"],
    "unknown": COLOURS["red"],
    "matching-bracket.cursor": "bold underline",
    "matching-bracket.other": "bold underline",
    "bottom-toolbar": f"noreverse {COLOURS['dim']}",
    "prompt": COLOURS["green"],
}
"""The style of every class of tokens, and of what surrounds the line."""

_CLASSES = {
    "NUMBER": "number", "D_BY": "derivative", "D_NAMED": "derivative", "PRIMED": "derivative",
    "_GRAD": "derivative", "LAST": "bound", "UNKNOWN": "unknown",
}  # fmt: skip


class Highlighter(Lexer):
    """Styles the text of the line, given the names of a session."""

    def __init__(self, session: Callable[[], Session]) -> None:
        self._session = session

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """The styled pieces of each line."""
        lines: list[StyleAndTextTuples] = [[]]
        for style, text in self.pieces(document.text):
            first, *others = text.split("\n")
            lines[-1].append((style, first))
            lines += [[(style, other)] for other in others]

        def line(number: int) -> StyleAndTextTuples:
            return lines[number] if number < len(lines) else []

        return line

    def pieces(self, text: str) -> list[tuple[str, str]]:
        """The text in pieces, each with its style."""
        if not text:
            return []
        from exprgrad.language import grammar

        lead = len(text) - len(text.lstrip())
        out: list[tuple[str, str]] = []
        start = 0
        if text[lead:].startswith((":", "?")):
            start = lead + 1
            while start < len(text) and text[start].isalnum():
                start += 1
            out.append(("class:command", text[:start]))
        for match in grammar.scanner("session").finditer(text, start):
            name = self._class(match.lastgroup, match.group())
            out.append((f"class:{name}" if name else "", match.group()))
        return out

    def _class(self, kind: str | None, text: str) -> str:
        if kind is None:
            return "comment" if text.startswith("#") else ""
        if kind != "NAME":
            return "" if text == ";" else _CLASSES.get(kind, "")
        from exprgrad.operations.operation import named
        from exprgrad.operations.vocabulary import CONSTANTS

        scope = self._session().scope
        if text in scope.definitions:
            return "function" if scope.definitions[text].parameters else "bound"
        if text in CONSTANTS:
            return "constant"
        return "function" if named(text) else ""
