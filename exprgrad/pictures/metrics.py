"""How wide a text may get in a font that the reader chooses, and numbers as they stand in pictures."""

from __future__ import annotations

from unicodedata import east_asian_width

_GROUPS = {
    0.4: "il.,:;'|!()[]{} jft/-·",
    0.64: "abcdeghknopqrsuvxyz0123456789_$?*#⁰¹²³⁴⁵⁶⁷⁸⁹⁻",
    0.78: 'ABCDEFGHIJKLNOPQRSTUVXYZ"&√',
    0.86: "+−×÷=<>^~≤≥≠∂",
    1.0: "mwMW@%…",
}
_WIDTHS = {c: width for width, characters in _GROUPS.items() for c in characters}
"""Upper bounds for the usual fonts without serifs (DejaVu Sans and Verdana are the widest), in em."""


def width(text: str, size: float) -> float:
    """How wide a text of that font size may get."""
    return size * sum(_WIDTHS.get(c) or _other(c) for c in text)


def _other(character: str) -> float:
    return 1.1 if east_asian_width(character) in "WF" else 0.9


def fitted(text: str, size: float, room: float) -> str:
    """A text, cut in the middle if it may be wider than there is room."""
    if width(text, size) <= room + 0.1:
        return text
    head, tail = len(text) // 2, len(text) // 2
    while head + tail > 2 and width(text[:head] + "…" + text[-tail:], size) > room:
        head, tail = (head - 1, tail) if head >= tail else (head, tail - 1)
    return f"{text[:head]}…{text[-tail:]}"
