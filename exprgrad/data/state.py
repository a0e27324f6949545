"""The folder in which the program keeps what it remembers from one run to the next."""

from __future__ import annotations

import os

from exprgrad.annotations import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def folder() -> Path | None:
    """The folder for state according to the XDG base directory specification; None without a home."""
    from pathlib import Path

    given = os.environ.get("XDG_STATE_HOME", "")
    home = os.path.expanduser("~")
    if os.path.isabs(given):
        return Path(given) / "exprgrad"
    return Path(home, ".local", "state", "exprgrad") if os.path.isabs(home) else None
