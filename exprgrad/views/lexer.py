"""Colours for `.eg` files in everything that uses Pygments: `pygmentize`, Sphinx, MkDocs, `rich.syntax`.

    pygmentize samples/black_scholes.eg

The pieces are those of the scanner that reads the statements. Pygments finds this class through the entry point
`pygments.lexers` (https://pygments.org/docs/plugins/).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from pygments import token
from pygments.lexer import Lexer

_KINDS = {
    "NUMBER": token.Number, "D_BY": token.Operator.Word, "D_NAMED": token.Operator.Word, "PRIMED": token.Name.Function,
    "_GRAD": token.Operator.Word, "LAST": token.Name.Builtin, "UNKNOWN": token.Error,
}  # fmt: skip
_WORDS = {
    "at": token.Keyword,
    "wrt": token.Keyword,
    "grad": token.Operator.Word,
    "ans": token.Name.Builtin,
}


class EgLexer(Lexer):
    """Statements and commands of a session."""

    name = "exprgrad"
    aliases: ClassVar = ["exprgrad", "eg"]
    filenames: ClassVar = ["*.eg"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """The places, kinds and texts of the pieces, which together are the whole text."""
        from exprgrad.language import grammar

        scanner = grammar.scanner("session")
        start = 0
        for line in text.splitlines(keepends=True):
            place = 0
            if line.lstrip().startswith((":", "?")):
                place = line.index(line.lstrip()[0]) + 1
                while line[place : place + 1].isalnum():
                    place += 1
                yield start, token.Keyword, line[:place]
            for found in scanner.finditer(line, place):
                kind, piece = found.lastgroup, found.group()
                yield start + found.start(), _kind(kind, piece), piece
            start += len(line)


def _kind(kind: str | None, text: str) -> Any:
    """Return what Pygments calls a piece."""
    if kind is None:
        return token.Comment.Single if text.startswith("#") else token.Whitespace
    if text in "()[]{},;":
        return token.Punctuation
    if kind != "NAME":
        return _KINDS.get(kind, token.Operator)
    import exprgrad.operations.table  # noqa: F401 # fills the table
    from exprgrad.operations.operation import named
    from exprgrad.operations.vocabulary import CONSTANTS

    if text in _WORDS:
        return _WORDS[text]
    if text in CONSTANTS:
        return token.Name.Constant
    return token.Name.Function if named(text) else token.Name.Variable
