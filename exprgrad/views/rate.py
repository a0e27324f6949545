"""A line on a terminal that shows how far a long computation has come, its rate and the time left."""

from __future__ import annotations

import time

from exprgrad.views.progress import Progress


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
        elapsed = time.monotonic() - self._start or 1e-9
        text = f"{self._count:,} rows, {self._count / elapsed:,.0f} rows/s"
        if not self._share:
            return text
        left = elapsed / self._share - elapsed
        return f"{self._share:4.0%} done, {text}, {_clock(left)} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"
