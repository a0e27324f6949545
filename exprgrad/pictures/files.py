"""Pictures as files, in the format that the name of the file asks for, written at once or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from exprgrad.annotations import Any
from exprgrad.data.files import Replacing
from exprgrad.errors import UsageError

FORMATS = {".svg": "svg", ".png": "png", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".html": "html"}  # fmt: skip
"""The ends of names, and the methods that write such a file; a picture has some of them."""


def save(
    picture: Any,
    name: str | Path,
    *inputs: Path | int,
    more: Mapping[str, Callable[[], str]] | None = None,
) -> Path:
    """Write a picture to a file, in the format that its name ends in, or as `more` says for other ends.

    Raises `UsageError` for a name that ends otherwise, and when the file cannot be written or is one of the `inputs`.
    """
    if not isinstance(name, str | Path):
        raise UsageError(f"a file has a text for its name, not {type(name).__name__}")
    path = Path(name).expanduser()
    ways: dict[str, Callable[[], Any]] = {
        end: getattr(picture, method)
        for end, method in FORMATS.items()
        if hasattr(picture, method)
    }
    ways |= more or {}
    write = ways.get(path.suffix.lower())
    if write is None:
        raise UsageError(
            f"cannot tell the format of {path} from its name",
            hint=f"it may end in {', '.join(ways)}",
        )
    made = write()
    data = made if isinstance(made, bytes) else made.rstrip("\n").encode() + b"\n"
    with Replacing(path, *inputs) as file:
        file.write(data)
    return path


def named(text: str) -> tuple[str, str | None]:
    """A text without the name of a picture's file at its end, and that name: `x^2 f.svg`."""
    before, _, last = text.rpartition(" ")
    if last.lower().endswith(tuple(FORMATS)):
        return before.rstrip(), last
    return text, None
