"""Files: texts that are read, and files that take their place when they are whole.

    text = read(Path("f.txt"))
    with Replacing(Path("out.csv"), Path("in.csv")) as stream:
        stream.write(b"...")

What the operating system objects to becomes a `UsageError` with its reason.

The folder in which the program keeps what it remembers from one run to the next.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial

from exprgrad.annotations import TYPE_CHECKING, BinaryIO
from exprgrad.budget import LIMITS, at_most
from exprgrad.data import unfinished
from exprgrad.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


WAIT = 2.0
"""Seconds that a pipe is given until something writes to it."""


def read(path: Path | str) -> str:
    """The text of a file. Raises `UsageError` when it cannot be read."""
    try:
        with opened(path) as file:
            return decoded(whole(file, str(path)), str(path))
    except OSError as error:
        raise unreadable(path, error) from None


def whole(file: BinaryIO, origin: str) -> bytes:
    """All bytes of a file. Raises `UsageError` where they are too many."""
    data = file.read(LIMITS["file"].most + 1)
    at_most("file", len(data), origin)
    return data


def opened(path: Path | str) -> BinaryIO:
    """A file to be read. Raises `UsageError` when it cannot be opened."""
    refuse_unusable(path)
    try:
        return _opened_pipe(path) if _is_named_pipe(path) else open(path, "rb")
    except OSError as error:
        raise unreadable(path, error) from None


def _is_named_pipe(path: Path | str) -> bool:
    """Return whether it stands in a folder until someone writes to it, unlike the pipe of a shell in /dev/fd."""
    try:
        fifo = stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False
    return fifo and os.path.exists(os.path.realpath(path))


def _opened_pipe(path: Path | str) -> BinaryIO:
    """A pipe with a writer. Raises `UsageError` where none turns up, for which `open` would wait for ever."""
    from select import select

    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    file = os.fdopen(handle, "rb")
    if not select([handle], [], [], WAIT)[0]:
        with suppress(BlockingIOError):  # it has a writer, who has not written yet
            os.read(handle, 1)
            file.close()
            what = f"cannot read {path}: it is a pipe that nothing writes to"
            raise UsageError(what, hint="start the program that writes to it")
    os.set_blocking(handle, True)
    return file


_OPENED = ContextVar("which files are opened", default="all")


@contextmanager
def opening(which: str) -> Iterator[None]:
    """Let what runs in this context open `none` of the files that a text names, or write through no `links`."""
    before = _OPENED.set("none" if _OPENED.get() == "none" else which)
    try:
        yield
    finally:
        _OPENED.reset(before)


def refuse_unusable(path: Path | str) -> None:
    """Raise `UsageError` for what cannot be the name of a file, or where none are opened."""
    if _OPENED.get() == "none":
        raise UsageError("no files are opened here", hint="give the text itself")
    if "\0" in str(path):
        raise UsageError("the name of a file cannot contain a null character")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise UsageError("the name of a file cannot contain half a character") from None


def decoded(data: bytes, origin: str) -> str:
    """The text of bytes in UTF-8. Raises `UsageError` when they are something else."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"{origin} is not text in UTF-8: byte {error.start + 1} cannot be read"
        raise UsageError(what, hint="save it as UTF-8") from None


def unreadable(path: Path | str, error: OSError) -> UsageError:
    """The diagnostic for a file that cannot be read."""
    return UsageError(f"cannot read {path}: {reason(error)}", hint="check the name")


def unwritable(path: Path | str, error: OSError) -> UsageError:
    """The diagnostic for a file, or a stream, that cannot be written."""
    return UsageError(f"cannot write {path}: {reason(error)}")


def reason(error: OSError) -> str:
    """Return what the operating system objects to, in its own words."""
    return (error.strerror or str(error)).lower()


def _same(path: Path, source: Path | int) -> bool:
    """Return whether a file is the one that is read."""
    try:
        return os.path.samestat(os.stat(path), os.stat(source))
    except (OSError, ValueError):  # one of them is not there
        return not isinstance(source, int) and str(path) == os.path.realpath(source)


class Replacing:
    """A file that takes the place of another when it is whole.

    Whoever reads `path` finds the old file or the new one, never a part. A link is followed, except in sessions, and the
    new file has the mode of the old one. After an error the part is removed, unless it is `kept` for
    the user to look at, as `path` with `.partial` behind its name. What is not a regular file, such as
    a pipe or `/dev/null`, is written directly.

    Raises `UsageError` when the file cannot be written, or when it is one of the `sources` that are read:
    files by name, or 0 for what standard input comes from.
    """

    def __init__(self, path: Path, *sources: Path | int, kept: bool = False) -> None:
        refuse_unusable(path)
        self._name, self._kept = path, kept
        self._path = type(path)(os.path.realpath(path))
        self._special = self._path.exists() and not self._path.is_file()
        if _OPENED.get() == "links" and os.path.islink(path):
            hint = f"name the file itself: {self._path}"
            raise UsageError(f"{path} is a link, which a session does not follow", hint=hint)  # fmt: skip
        if self._path.is_dir():
            raise UsageError(f"{path} is a folder", hint="choose the name of a file")
        if not self._special and any(_same(self._path, s) for s in sources):
            what = "the output would replace the input"
            raise UsageError(what, hint="choose another name")
        # a short name: that of the file may have the greatest length there is
        hidden = self._path.with_name(f".{os.urandom(6).hex()}.part")
        visible = self._path.with_name(f"{self._path.name}.partial")
        self.part = self._path if self._special else visible if kept else hidden

    def __enter__(self) -> BinaryIO:
        try:
            self._stream = self.part.open("wb") if self._special else self._created()
        except OSError as error:
            raise unwritable(self._name, error) from None
        return self._stream

    def _created(self) -> BinaryIO:
        """The part, empty. Nobody may read it who may not read the file that it replaces."""
        mode = None
        if self._path.exists():
            with self._path.open("r+b"):  # a file that is read-only stays
                mode = stat.S_IMODE(self._path.stat().st_mode)
        with suppress(FileNotFoundError), self.part.open("rb") as left:
            if self._kept and not locked(left.fileno()):
                what = f"{self._name} is being written by another program"
                raise UsageError(what, hint="wait for it, or choose another name")
        self.part.unlink(missing_ok=True)
        private = partial(os.open, mode=0o666 if mode is None else 0o600)
        if not self._kept:
            unfinished.begin(self, self.part.unlink)
        stream = open(self.part, "xb", opener=private)  # noqa: SIM115 # closed on exit
        locked(stream.fileno())
        if mode is not None:
            os.chmod(self.part, mode)
        return stream

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        failed = error
        try:
            # close the part and, if it is whole, put it in its place
            with self._stream:
                self._stream.flush()
                if error is None and not self._special:
                    os.fsync(self._stream.fileno())
            if error is None and not self._special:
                os.replace(self.part, self._path)
        except BaseException as failure:
            failed = failed or failure
        if failed is not None and not (self._kept or self._special):
            with suppress(OSError):
                self.part.unlink()
        unfinished.end(self)
        # errors of opening other files have a name
        if isinstance(failed, OSError) and failed.filename in (None, str(self.part)):
            raise unwritable(self._name, failed) from None
        if error is None and failed is not None:
            raise failed


def locked(handle: int, wait: bool = False) -> bool:
    """Return whether a file is ours until it is closed; also where there are no locks. Another's may be waited for."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock

        flock(handle, LOCK_EX if wait else LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # not every system, nor every file system, has them
        return True
    return True


def folder() -> Path | None:
    """The folder for state according to the XDG base directory specification; None without a home."""
    from pathlib import Path

    given = os.environ.get("XDG_STATE_HOME", "")
    home = os.path.expanduser("~")
    if os.path.isabs(given):
        return Path(given) / "exprgrad"
    return Path(home, ".local", "state", "exprgrad") if os.path.isabs(home) else None
