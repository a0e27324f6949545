"""How the text of a file is encoded: what spreadsheets write, told by its bytes.

    encoding_of(path)            "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"

A byte order mark decides; else zero bytes at every other place are UTF-16, what decodes as UTF-8 is that, and
anything else is the code page of Western Windows.
"""

from __future__ import annotations

import codecs

from exprgrad.annotations import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK = 1 << 16
_UNKNOWN = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
"""Bytes that the code page lacks."""


def encoding_of(path: Path) -> str | None:
    """The encoding of a file, read as a whole; None for what is not text. Raises `OSError`."""
    data = path.read_bytes()
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in data[:_BLOCK]:
        return _wide(data[:_BLOCK])
    if b"\0" in data:
        return None
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    try:
        data.decode()
    except UnicodeDecodeError:
        return "latin-1" if any(byte in data for byte in _UNKNOWN) else "cp1252"
    return "utf-8"


def _wide(block: bytes) -> str | None:
    """UTF-16 without a mark: nearly all zeros are high bytes, on one side."""
    even, odd = block[::2].count(0), block[1::2].count(0)
    half = len(block) // 2
    if odd > 0.4 * half and even < 0.02 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.02 * half:
        return "utf-16-be"
    return None
