"""Texts that are read from files, with what can go wrong in words."""

from __future__ import annotations

from pathlib import Path

from exprgrad.errors import UsageError

LARGEST = 20_000_000
"""Bytes of a file or of standard input that are read at most."""


def read(path: Path) -> str:
    """The text of a file. Raises `UsageError` when it cannot be read."""
    try:
        with path.open("rb") as opened:
            return decoded(opened.read(LARGEST), str(path))
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {reason(error)}", hint="check the name"
        ) from None
    except ValueError:
        raise UsageError("a null character is no part of the name of a file") from None


def decoded(data: bytes, origin: str) -> str:
    """Text in UTF-8. Raises `UsageError` where it is none."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{origin} is not text in UTF-8: byte {error.start + 1} cannot be read",
            hint="save it as UTF-8",
        ) from None


def reason(error: OSError) -> str:
    """What the system says."""
    return (error.strerror or str(error)).lower()
