r"""The lines that were typed, from one session to the next.

One item per line, with its own line breaks written as `\n`. An item is appended by a single write under a lock,
so that sessions open at the same time lose nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit.history import History

from exprgrad.data.files import folder, reason

__all__ = ["FileHistory", "escaped", "folder", "unescaped"]

MOST_READ = 1_000_000
"""Bytes at the end of the file that are read."""


class FileHistory(History):
    """History in a file that only its owner can read, but for what is a mere key.

    If it cannot be kept, `problem` says why.
    """

    def __init__(
        self, path: Path | None, is_key: Callable[[str], bool] = lambda text: False
    ) -> None:
        super().__init__()
        self._is_key = is_key
        self._path = path or Path(os.devnull)
        self.problem: str | None = None
        if path is None:
            self.problem = "there is no home folder"
            return
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(self._open(os.O_RDWR))
        except OSError as error:
            self.problem = reason(error)

    def _open(self, how: int) -> int:
        return os.open(self._path, how | os.O_CREAT | os.O_APPEND, 0o600)

    def load_history_strings(self) -> Iterable[str]:
        """The items, the newest first."""
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - MOST_READ))
                lines = file.read().split(b"\n")
        except OSError:
            return []
        whole = lines if size <= MOST_READ else lines[1:]
        return [
            unescaped(line.decode("utf-8", "replace")) for line in whole[::-1] if line
        ]

    def append_string(self, string: str) -> None:
        """Keep an item unless it repeats the last one, or is a key."""
        repeats = self.get_strings()[-1:] == [string]
        if not string.strip() or repeats or self._is_key(string):
            return
        super().append_string(string)

    def store_string(self, string: str) -> None:
        """Append an item to the file."""
        if self.problem is not None:
            return
        data = (escaped(string) + "\n").encode("utf-8", "replace")
        try:
            handle = self._open(os.O_WRONLY)
            try:
                if hasattr(os, "fchmod"):
                    os.fchmod(handle, 0o600)
                _lock(handle)
                os.write(handle, data)
            finally:
                os.close(handle)
        except OSError as error:
            self.problem = reason(error)


def _lock(handle: int) -> None:
    """Wait for the file to be ours; closing it lets go."""
    try:
        import fcntl
    except ImportError:  # elsewhere, a single write has to suffice
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:  # not every file system has locks
        return


def escaped(text: str) -> str:
    """A text on one line."""
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def unescaped(line: str) -> str:
    """The text of a line."""
    parts = line.split("\\\\")
    return "\\".join(part.replace("\\n", "\n") for part in parts)
