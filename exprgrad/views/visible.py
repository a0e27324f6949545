"""The one filter between every text and the screen.

A terminal acts on control characters: C0 (U+0000 to U+001F, among them ESC), DEL and C1 (U+0080 to
U+009F) move the cursor, change colours and titles; bidirectional controls (Unicode Annex 9) reorder
what stands around them. Names, problems, files and messages may hold any of them. Each is shown as
one replacement character, so that columns and carets stay where they are.
"""

from __future__ import annotations

from exprgrad.annotations import Any
from exprgrad.errors import CONTROLS, SHOWN_AS

_ON_A_LINE = dict.fromkeys(CONTROLS, SHOWN_AS) | {0x09: " ", 0x0A: " ", 0x0D: " "}
_ON_LINES = _ON_A_LINE | {0x0A: "\n"}
_OF_DATA = _ON_LINES | {0x09: "\t"}
# json.dumps escapes those below U+0020 by itself
_IN_JSON = {c: f"\\u{c:04x}" for c in CONTROLS if c >= 0x7F}

STAND_INS = str.maketrans(
    {
        "∂": "d", "─": "-", "—": "-", "–": "-", "−": "-", "→": "->", "↳": "->", "⇒": "=>",
        "·": "*", "×": "*", "…": "...", "✓": "ok", "✗": "WRONG", "±": "+/-", "≤": "<=",
        "≥": ">=", "≠": "!=", "≈": "~", "µ": "u", "′": "'", "’": "'", "‘": "'", "“": '"',
        "”": '"', "π": "pi", "∞": "inf", "²": "^2", "³": "^3", "°": " deg", "•": "*", "█": "#", "ν": "nu",
        SHOWN_AS: "?",
    }
)  # fmt: skip
"""What is written where an encoding lacks a character; none of them reads as something else."""


def line(text: str) -> str:
    """A text for one line of the screen."""
    # nearly every text, and several times faster than the table
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_ON_A_LINE)


def lines(text: str) -> str:
    """A text that may have line breaks of its own."""
    return text.translate(_ON_LINES)


def data(text: str) -> str:
    """A piece of a table in a file: tabs stay as well."""
    return text.translate(_OF_DATA)


def json(text: str) -> str:
    """JSON with the characters escaped that it may hold raw, which changes none of its values."""
    return text if text.isascii() else text.translate(_IN_JSON)


def encodable(text: str, encoding: str) -> str:
    """A text with stand-ins for what an encoding lacks."""
    if text.isascii():
        return text
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        plain = text.translate(STAND_INS)
        # what has no stand-in stays recognisable: \u6f22, and no ? that might be any character
        return plain.encode(encoding, "backslashreplace").decode(encoding)
    return text


def each_encodable(thing: Any, encoding: str) -> Any:
    """The same for every text in a record or list of records: before they are laid out in columns."""
    if isinstance(thing, str):
        return encodable(thing, encoding)
    if isinstance(thing, tuple) and hasattr(thing, "_make"):
        return thing._make(each_encodable(part, encoding) for part in thing)
    if isinstance(thing, (list, tuple)):
        return type(thing)(each_encodable(part, encoding) for part in thing)
    return thing
