"""Scripts: files of statements, loaded all or none, and written atomically."""

from __future__ import annotations

import os

from exprgrad.data import files
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.session.entries import Entry, split
from exprgrad.session.results import Ran
from exprgrad.session.workspace import Settings, Workspace


def text_of(session: Workspace) -> str:
    """The settings of a session as a script, and its definitions, each after those that it needs."""
    lines = ["# a session of exprgrad"]
    for name, value in session.settings._asdict().items():
        if value != getattr(Settings(), name):
            lines.append(f":set {name} {value};")
    lines += [f"{' '.join(d.text.split())};" for d in session.scope.ordered()]
    return "\n".join(lines) + "\n"


def save(session: Workspace, name: str) -> int:
    """Write a session to a file, and return the number of its definitions.

    Raises `UsageError` when the file cannot be written.
    """
    from pathlib import Path

    with files.Replacing(Path(name).expanduser()) as file:
        file.write(text_of(session).encode())
    return len(session.scope.definitions)


def load(session: Workspace, name: str) -> Ran:
    """Execute the statements of a file; if one fails, the session stays as it was.

    Raises `UsageError` when the file cannot be read or loads itself.
    """
    path = os.path.expanduser(name)
    whole = os.path.realpath(path)
    if whole in session.loading:
        raise UsageError(f"{name} loads itself")
    source = files.read(path)
    before = session.state
    session.loading = (*session.loading, whole)
    results = []
    try:
        for entry in split(source):
            try:
                result = session.execute(entry)
            except ExprgradError as error:
                error.message = f"{place(path, entry)}{error.message}"
                raise
            if not entry.quiet:
                results.append(result)
    except BaseException:
        session.state = before
        raise
    finally:
        session.loading = session.loading[:-1]
    return Ran(name, tuple(results))


def place(path: str, entry: Entry) -> str:
    """The file and the line of an entry, to be put before an error."""
    return f"{path}:{entry.line}: "
