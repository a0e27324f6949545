"""The output of the readers of text and of LaTeX: parallel lists of the terminals' names, texts and spans."""

from __future__ import annotations

from collections.abc import Collection

from exprgrad.errors import Span
from exprgrad.language.notes import Notes
from exprgrad.language.scanning.defined import Reference

Lists = tuple[list[str], list[str], list[Span]]
"""Kinds, texts and spans of tokens."""


class TokenLists:
    """Kinds, texts and spans of tokens, the source that they come from, and notes on how it is read.

    `references` are what texts of tokens stand for that are defined elsewhere.
    """

    operands: frozenset[str] = frozenset()
    """The kinds of tokens with which an operand ends."""

    def __init__(self, source: str, declared: Collection[str] = ()) -> None:
        self.source = source
        self.notes = Notes(source)
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.spans: list[Span] = []
        self._declared = declared
        self.references: dict[str, Reference] = {}

    def _after_operand(self) -> bool:
        return bool(self.kinds) and self.kinds[-1] in self.operands

    def _add(self, kind: str, text: str, span: Span) -> int:
        """Put a token behind the others; its place."""
        self.kinds.append(kind)
        self.texts.append(text)
        self.spans.append(span)
        return len(self.kinds) - 1

    def _refer(self, reference: Reference, span: Span, called: bool) -> None:
        """Put a token that stands for a reference behind the others."""
        self.references[reference.text] = reference
        self._add("FUNCTION" if called else "NAME", reference.text, span)

    def insert(self, place: int, kind: str, text: str, span: Span) -> None:
        """Put a token before the one at a place."""
        self.kinds.insert(place, kind)
        self.texts.insert(place, text)
        self.spans.insert(place, span)
