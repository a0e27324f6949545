"""How the input was read: notes to the user where it could have been read otherwise."""

from __future__ import annotations

from exprgrad.errors import Span


def shorten(text: str, most: int = 40) -> str:
    """A piece of source text on one line, cut in the middle where it is long."""
    text = " ".join(text[: most * 10].split()) + ("…" if len(text) > most * 10 else "")
    return (
        text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2 - 1) :]}"
    )


class Notes:
    """Collects notes, one of a kind: the first place in words, the others as a count.

    `implicit` says that the reading has something that was not typed, such as a product.
    """

    __slots__ = ("_counts", "_texts", "implicit", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self.implicit = False
        self._texts: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def add(self, kind: str, text: str, span: Span) -> None:
        """Note a reading of this kind."""
        if kind not in self._texts:
            self._texts[kind] = text
            self._counts[kind] = 0
        elif text != self._texts[kind]:
            self._counts[kind] += 1

    def slice(self, start: int, end: int) -> str:
        """A piece of the source, shortened."""
        return shorten(self.source[start:end])

    def texts(self) -> tuple[str, ...]:
        """The notes, in the order in which their kinds came up."""
        return tuple(
            text
            + (
                f" (and {self._counts[kind]} more like it)"
                if self._counts[kind]
                else ""
            )
            for kind, text in self._texts.items()
        )
