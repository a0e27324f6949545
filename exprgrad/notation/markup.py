"""Text for the inside of XML and HTML, whoever wrote it."""

from __future__ import annotations

_ESCAPES = {
    **dict.fromkeys((*range(0x20), 0x7F, *range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\ufffd"),
    **{ord(c): f"&{name};" for c, name in zip("&<>\"", ("amp", "lt", "gt", "quot"), strict=True)},
}  # fmt: skip


def escaped(text: str) -> str:
    """A text for the inside of an element or an attribute; what XML cannot hold is replaced."""
    return text.translate(_ESCAPES)
