"""Spans of tokens as two lists of numbers."""

from __future__ import annotations

from collections.abc import Iterable

from exprgrad.errors import Span


class Spans:
    """Spans as two lists of numbers: pairs are made when they are asked for, and cost the collector nothing."""

    __slots__ = ("ends", "starts")

    def __init__(self, starts: list[int], ends: list[int]) -> None:
        self.starts, self.ends = starts, ends

    @classmethod
    def of(cls, spans: Iterable[Span]) -> Spans:
        """Spans that are given as pairs."""
        pairs = [*spans]
        return cls([start for start, _ in pairs], [end for _, end in pairs])

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, place: int) -> Span:
        return self.starts[place], self.ends[place]

    def insert(self, place: int, span: Span) -> None:
        """Put a span before that place."""
        self.starts.insert(place, span[0])
        self.ends.insert(place, span[1])

    def append(self, span: Span) -> None:
        """Put a span behind the others."""
        self.insert(len(self), span)
