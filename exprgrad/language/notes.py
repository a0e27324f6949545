"""The by-products of reading a text: derivatives taken in it, and notes on how it was read.

A note tells the user of a reading that could have been another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from exprgrad.annotations import TYPE_CHECKING, NamedTuple
from exprgrad.errors import Span

if TYPE_CHECKING:
    from exprgrad.graph.value import Value

LONGEST_PIECE = 40


def shorten(text: str, most: int = LONGEST_PIECE) -> str:
    """A piece of text on one line; the middle of a long one is left out."""
    # so that a text of megabytes is not split; twenty times as much as is shown remains, since blanks are joined
    if len(text) > 20 * most:
        text = f"{text[: 10 * most]}…{text[-10 * most :]}"
    text = " ".join(text.split())
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}…{text[1 - half :]}"


class Slope(NamedTuple):
    """A derivative taken in a text: `derived` has a value only where `root` has a slope.

    If `root` is the formula of a function that was called, `arguments` are the values of its parameters.
    """

    derived: Value
    root: Value
    variable: str
    span: Span
    arguments: tuple[tuple[str, Value], ...] = ()


class Binding(NamedTuple):
    """`name = expression` in a list of bindings, with the span of the name."""

    name: str
    root: Value
    span: Span


class Notes:
    """Collects notes: of each kind the first in words, and a count of the others.

    `implicit` is set when the whole reading says more than the notes: where something that was not typed, such
    as a bracket, could stand elsewhere.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.implicit = False
        self._texts: dict[str, str] = {}
        self._counts = Counter[str]()
        self._places = set[tuple[str, object]]()

    def add(self, kind: str, said: str | Callable[[], str], *parts: object) -> None:
        """Note a reading of this kind. Only the first one is written: a text with its parts, of which spans are those of the source.

        A kind is noted once of a place that the text begins with.
        """
        if parts and isinstance(parts[0], tuple):
            if (kind, parts[0]) in self._places:
                return
            self._places.add((kind, parts[0]))
        self._counts[kind] += 1
        # a second one is counted and not told: only the whole reading shows where it is
        if kind in self._texts:
            self.implicit = True
        else:
            shown = [self.at(p) if isinstance(p, tuple) else p for p in parts]
            self._texts[kind] = said.format(*shown) if isinstance(said, str) else said()

    def at(self, span: Span) -> str:
        """The source within a span, shortened."""
        return shorten(self.source[slice(*span)])

    def texts(self) -> tuple[str, ...]:
        """The notes, in the order in which their kinds first occurred."""
        counts = self._counts.items()
        more = {kind: f" (and {n - 1} more like it)" for kind, n in counts if n > 1}
        return tuple(f"{t}{more.get(kind, '')}" for kind, t in self._texts.items())
