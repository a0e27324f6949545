"""The colours of the terminal, legible on dark backgrounds and on light ones.

A colour whose relative luminance L is near 0.18 has the same contrast with black as with white,
(L + 0.05)/0.05 = 1.05/(L + 0.05) = 4.6 (WCAG 2, contrast ratio); those that terminals call yellow, cyan
and green have less than 2 with white. A terminal with fewer colours takes the nearest that it has.
"""

from __future__ import annotations

COLOURS = {
    "red": "#d7203a",
    "green": "#008700",
    "yellow": "#a56500",
    "blue": "#0077d2",
    "magenta": "#b04fb4",
    "cyan": "#008080",
    "dim": "#767676",
}
"""The colours by the names that views use."""


def painted(style: str) -> str:
    """A style such as `bold green` with the colour that the name stands for."""
    return " ".join(COLOURS.get(word, word) for word in style.split())
