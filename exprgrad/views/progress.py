"""A line on a terminal that shows how far a long run has come, its rate and the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from exprgrad.data import unfinished
from exprgrad.views.output import columns, write_error

_WIDTH = 30
_SECONDS_BETWEEN = 0.1


class Progress:
    """Counts up to `total` on standard error, or shows what `text` says; silent if that is not a terminal."""

    def __init__(
        self, total: int, unit: str, text: Callable[[], str] | None = None
    ) -> None:
        self._total = total
        self._unit = unit
        self._text = text
        self._count = 0
        self._drawn = 0.0
        self._visible = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        unfinished.begin(self, self.clear)
        return self

    def __exit__(self, *reason: object) -> None:
        unfinished.end(self)
        self.clear()

    def advance(self) -> None:
        """One more is done."""
        self.reach(self._count + 1)

    def reach(self, count: int) -> None:
        """So many are done."""
        self._count = count
        now = time.monotonic()
        # rows come by the thousand in a second, and to write a line for each would take longer than to compute it
        if self._visible and now - self._drawn >= _SECONDS_BETWEEN:
            self._drawn = now
            self._write(self._line())

    def clear(self) -> None:
        """Take the line away."""
        if self._drawn:
            self._drawn = 0.0
            self._write("")

    def _line(self) -> str:
        if self._text is not None:
            # some terminals wrap a line that fills them, and \r would go back to its second row only
            return self._text()[: columns() - 1]
        text = f"{self._count} of {self._total} {self._unit}"
        room = columns() - len(text) - 4
        width = min(_WIDTH, room)
        if width < 5:
            return text[: room + len(text)]
        full = min(width, self._count * width // max(1, self._total))
        return f"[{'#' * full}{'.' * (width - full)}] {text}"

    def _write(self, text: str) -> None:
        write_error(f"\r\x1b[K{text}")


class Rate(Progress):
    """Counts rows on standard error, with the part of the data that is done if it is known."""

    def __init__(self) -> None:
        super().__init__(0, "rows", self._said)
        self._start = time.monotonic()
        self._share: float | None = None

    def update(self, share: float | None, rows: int) -> None:
        """So many rows are done, and this part of the data, from 0 to 1."""
        self._share = share
        self.reach(rows)

    def _said(self) -> str:
        # the first rows may be done before a coarse clock has moved
        elapsed = time.monotonic() - self._start or 1e-9
        text = f"{self._count:,} rows, {self._count / elapsed:,.0f} rows/s"
        if not self._share:
            return text
        minutes, seconds = divmod(round(elapsed / self._share - elapsed), 60)
        return f"{self._share:4.0%} done, {text}, {minutes}:{seconds:02} left"
