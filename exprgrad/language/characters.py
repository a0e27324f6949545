"""Characters that people paste and type for others: full-width signs, `•`, `½`, `ˣ`, `⌊`.

plain("（ｘ＋１）•２")     "(x+1)*2": one for one, so that every place stays what it is
raised("⁻ˣ")              "−x": the exponent that superscripts show
FRACTIONS["½"]            ("1", "2")
"""

from __future__ import annotations

from exprgrad.budget import at_most
from exprgrad.errors import ExpressionSyntaxError

_ALIKE = {
    "(": "〖", ")": "〗", "/": "⁄➗", "*": "•‧・⋆✕✖⨯⁎\u2062", "-": "—―‐‑‒﹣➖", "+": "➕", "^": "ˆ↑", "|": "∣│❘", "°": "º˚",
    '"': "“”", "Δ": "∆", "=": "≔", ";": "∴", "\u200b": "\u200c\u200d\u200e\u200f\u2060\u2061\u00ad",
}  # fmt: skip

_PLAIN = {sign: meant for meant, signs in _ALIKE.items() for sign in signs}

_FRACTIONS = "½12 ⅓13 ⅔23 ¼14 ¾34 ⅕15 ⅖25 ⅗35 ⅘45 ⅙16 ⅚56 ⅐17 ⅛18 ⅜38 ⅝58 ⅞78 ⅑19"
FRACTIONS = {f[0]: (f[1], f[2]) for f in _FRACTIONS.split()} | {"⅒": ("1", "10")}
"""Numerator and denominator of the fractions that are one character."""

AROUND = {"⌊": ("floor", "⌋"), "⌈": ("ceil", "⌉")}
"""The functions that are written as brackets, with the bracket that closes them."""

RAISED = "⁺⁻⁼⁽⁾⁰¹²³⁴-⁹ⁱⁿʰ-ʸˠ-ˤᴬ-ᵡ"
"""Superscripts, in a class of a pattern: letters and digits to Unicode, but no part of a name or a word."""

ROOTS = {"√": 2, "∛": 3, "∜": 4}

LOGARITHMS = {"㏑": "ln", "㏒": "log"}


def refuse_long(source: str) -> None:
    """Raise `ExpressionSyntaxError` for a text that is too long to be read."""
    at_most("text", len(source), error=ExpressionSyntaxError)


def plain(source: str) -> str:
    """A text with the usual characters in place of those that look like them, one for one."""
    if source.isascii():
        return source
    strange = {c: _usual(c) for c in set(source) if c > "\x7f"}
    return source.translate({ord(c): u for c, u in strange.items() if c != u})


def _usual(character: str) -> str:
    """A full-width sign, or a letter of mathematical typefaces, as the usual one."""
    usual = _PLAIN.get(character)
    if usual is not None:
        return usual
    is_full_width = "\uff01" <= character <= "\uff5e"
    is_letterlike = "\u2100" <= character <= "\u214f"
    if not (is_full_width or is_letterlike or character >= "\U0001d400"):
        return character
    import unicodedata

    # ℡ would become TEL, and what stands behind it would move
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character


def raised(superscripts: str) -> str:
    """Return what stands in an exponent of superscripts."""
    import re
    import unicodedata

    text = unicodedata.normalize("NFKC", superscripts)
    return re.sub(r"([^\W\d_])(?=[0-9])", r"\1^", text)  # e⁻ˣ² is e^(-x^2)


_SIMPLE = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")


def is_number(superscripts: str) -> bool:
    """Return whether superscripts show a whole number, perhaps with a sign."""
    return not set(superscripts[superscripts[0] in "⁺⁻" :] or "⁺") - _SIMPLE
