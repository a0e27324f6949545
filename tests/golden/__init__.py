"""Files that hold what is printed, for people to look at.

With EXPRGRAD_UPDATE_GOLDEN=1 in the environment a test writes its file instead of comparing with it.
"""

from __future__ import annotations

import os
from pathlib import Path

HERE = Path(__file__).resolve().parent


def compare(path: Path, text: str) -> None:
    """Compare with the file, character by character, or write it."""
    if os.environ.get("EXPRGRAD_UPDATE_GOLDEN") == "1":
        path.write_bytes(text.encode())
    assert path.exists(), f"{path.name} is missing: run with EXPRGRAD_UPDATE_GOLDEN=1"
    assert text == path.read_bytes().decode()
