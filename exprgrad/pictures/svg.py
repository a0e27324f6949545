"""SVG written as text: elements, a document, and its colours.

    document(200, 100, "a title", "what it shows", [element("rect", x=0, y=0, width=10, height=10)])

Colours are written out, those for dark paper in a media query, under a class of their own, so that a picture within a
page changes nothing outside itself. Two of them mean the two sweeps: blue is a value, rust an adjoint.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from exprgrad.notation.markup import escaped as escaped

COLOURS = {
    "paper": ("#ffffff", "#14171d"),
    "ink": ("#1d2330", "#e6e9ef"),
    "soft": ("#5d6472", "#9aa3b3"),
    "line": ("#98a1b1", "#667083"),
    "hair": ("#dfe3ea", "#2b313b"),
    "box": ("#ffffff", "#1c2129"),
    "value": ("#1f5fb4", "#86b7ff"),
    "value-fill": ("#edf3fb", "#1b2a40"),
    "adjoint": ("#ad420c", "#ffa36b"),
    "adjoint-fill": ("#fdf1e8", "#38261b"),
    "grey": ("#8b92a0", "#717a8b"),
    "other": ("#2f7d5b", "#7fcfa8"),
    "third": ("#7b4fb0", "#c9a6f5"),
}
"""Every colour on light paper and on dark."""

SANS = "system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif"


def figure(number: float) -> str:
    """A coordinate: a tenth of a pixel is more than anyone sees."""
    text = f"{number:.1f}"
    return text.removesuffix(".0").replace("-0", "0") if text == "-0.0" else text.removesuffix(".0")  # fmt: skip


def element(_name: str, _inside: str | None = None, /, **attributes: object) -> str:
    """An element; `class_` is the attribute class, `data_n` is data-n. `_inside` is not escaped again."""
    parts = [_name]
    for name, value in attributes.items():
        if value is None:
            continue
        name = name.rstrip("_").replace("_", "-")
        own = figure(value) if isinstance(value, float) else escaped(str(value))
        parts.append(f'{name}="{own}"')
    head = " ".join(parts)
    return f"<{head}/>" if _inside is None else f"<{head}>{_inside}</{_name}>"


def text(x: float, y: float, words: str, class_: str, **attributes: object) -> str:
    """A line of text whose baseline begins there, or ends, or has its middle, as its class says."""
    return element("text", escaped(words), x=x, y=y, class_=class_, **attributes)


_COLOUR = re.compile(r"\$([a-z-]+)")
_BLOCK = re.compile(r"@[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


def css(rules: str) -> str:
    """Rules in which `$value` stands for the colour of that name, on light paper, and on dark where that is preferred.

    The colours are written out: many programs that draw SVG know no variables.
    """
    coloured = []
    for selector, declarations in _RULE.findall(_BLOCK.sub("", rules)):
        own = [one for one in declarations.split(";") if "$" in one]
        if own:
            coloured.append(f"{selector.strip()}{{{';'.join(own)}}}")
    dark = f"@media(prefers-color-scheme:dark){{{' '.join(coloured)}}}"
    return _painted(rules.strip(), 0) + "\n" + _painted(dark, 1)


def _painted(rules: str, theme: int) -> str:
    return _COLOUR.sub(lambda found: COLOURS[found[1]][theme], rules)


def document(
    width: float,
    height: float,
    title: str,
    description: str,
    style: str,
    inside: Iterable[str],
) -> str:
    """A whole picture, whose style has `$value` for that colour, with a title and a description for those who do not see it."""
    size = f"{figure(width)} {figure(height)}"
    head = element("title", escaped(title)) + element("desc", escaped(description))
    style = f"<style>{css(style)}</style>"
    paper = element("rect", class_="paper", width=width, height=height)
    return element(
        "svg",
        "\n".join([head, style, paper, *inside, ""]),
        xmlns="http://www.w3.org/2000/svg",
        class_="exprgrad",
        width=width,
        height=height,
        viewBox=f"0 0 {size}",
        role="img",
    )
