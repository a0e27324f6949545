"""SVG and pages written as text, and pictures as files.

    document(200, 100, "a title", "what it shows", STYLE, [element("rect", x=0, y=0, width=10, height=10)])
    page("a title", "<h1>…</h1>", style="h1{color:$value}")
    save(graph, "graph.svg")

Colours are written out, those for dark paper in a media query, under a class of their own, so that a picture within a
page changes nothing outside itself. Two of them mean the two sweeps: blue is a value, rust an adjoint. A page is one
file that asks for nothing from anywhere, which it also tells the browser; the one script that may run is the one that
it was made with. A file is written at once or not at all, in the format that its name asks for.
"""

from __future__ import annotations

import base64
import hashlib
import math
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from exprgrad.annotations import Any
from exprgrad.compiled.javascript import source as source
from exprgrad.data.files import Replacing
from exprgrad.errors import UsageError, installing
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
    "grey": ("#6a7180", "#8a93a4"),
    "other": ("#2f7d5b", "#7fcfa8"),
    "third": ("#7b4fb0", "#c9a6f5"),
}
"""Every colour on light paper and on dark."""

SANS = "system-ui,'Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif"


def figure(number: float, digits: int = 1) -> str:
    """A coordinate: a tenth of a pixel is more than anyone sees."""
    return f"{number:z.{digits}f}".rstrip("0").rstrip(".")


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
    """Rules in which `$value` stands for the colour of that name, on light paper, and on dark where that is preferred; `$sans` are fonts.

    The colours are written out: many programs that draw SVG know no variables.
    """
    coloured, rules = [], rules.strip().replace("$sans", SANS)
    # what is within an @media, for print, has no dark version
    for selector, declarations in _RULE.findall(_BLOCK.sub("", rules)):
        own = [one for one in declarations.split(";") if "$" in one]
        if own:
            coloured.append(f"{selector.strip()}{{{';'.join(own)}}}")
    dark = f"@media(prefers-color-scheme:dark){{{' '.join(coloured)}}}"
    return _painted(rules, 0) + "\n" + _painted(dark, 1)


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


PAGE_STYLE = source(__file__, "page.css")
"""The style of all pages; `$value` stands for the colour of that name."""


def page(title: str, body: str, style: str = "", script: str = "") -> str:
    """A page with a body of HTML, a style of its own after the common one, and a script at its end."""
    allowed = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"  # fmt: skip
    style, end = css(f"{PAGE_STYLE}\n{style}"), ""
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        allowed += f"; script-src 'sha256-{digest}'"
        end = f"<script>{script}</script>\n"
    return (
        '<!DOCTYPE html>\n<html lang="en" class="exprgrad">\n<head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escaped(allowed)}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escaped(title)}</title>\n"
        f"<style>{style}</style></head>\n<body>\n{body}\n{end}</body>\n</html>\n"
    )


def dark(picture: str) -> str:
    """The same picture in its colours for dark paper, wherever it is looked at."""
    # up to the last brace of the style: the rules within have braces of their own
    return re.sub(r"@media\(prefers-color-scheme:dark\)\{(.*)\}(?=</style>)", r"\1", picture)  # fmt: skip


def rendered(picture: str, kind: str) -> bytes:
    """An SVG as `png` or `pdf`, drawn by CairoSVG or rsvg-convert. Raises `UsageError` where neither is there, or can."""
    too_large = UsageError(f"this picture is too large for a {kind.upper()}", hint="write it as .svg")  # fmt: skip
    try:
        import cairosvg
    except (ImportError, OSError):  # it is there without the library that it calls
        pass
    else:
        try:
            return bytes(getattr(cairosvg, f"svg2{kind}")(bytestring=picture.encode()))
        except cairosvg.surface.cairo.CairoError:
            # Cairo has images of at most 32767 pixels each way
            raise too_large from None
    try:
        command = ["rsvg-convert", "-f", kind]
        done = subprocess.run(command, input=picture.encode(), capture_output=True)
    except OSError:
        what = f"a {kind.upper()} is drawn by CairoSVG or rsvg-convert, and neither is there"  # fmt: skip
        raise UsageError(what, hint=installing("pictures")) from None
    if done.returncode:
        raise too_large
    return done.stdout


FORMATS = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".html": "html"}  # fmt: skip
"""The ends of names, and the methods that write such a file; a picture has some of them."""


def save(
    picture: Any,
    name: str | Path,
    *inputs: Path | int,
    more: Mapping[str, Callable[[], str]] | None = None,
    on_dark: bool = False,
) -> Path:
    """Write a picture to a file, in the format that its name ends in, or as `more` says for other ends.

    What can be drawn as SVG can be a PNG and a PDF, too; `on_dark` paper, if that is wanted.

    Raises `UsageError` for a name that ends otherwise, and when the file cannot be written or is one of the `inputs`.
    """
    if not isinstance(name, str | Path):
        raise UsageError(f"a file has a text for its name, not {type(name).__name__}")
    # unlike that of a Path, it leaves ~name of nobody as it is
    path = Path(os.path.expanduser(name))
    ways: dict[str, Callable[[], Any]] = {
        end: getattr(picture, method)
        for end, method in FORMATS.items()
        if hasattr(picture, method)
    }
    if hasattr(picture, "svg"):
        own = (lambda: dark(picture.svg())) if on_dark else picture.svg
        # on light paper its own way to a PNG comes first, which a plot has in Matplotlib's style
        drawn = {f".{kind}": partial(lambda kind: rendered(own(), kind), kind) for kind in ("png", "pdf")}  # fmt: skip
        ways = {**ways, **drawn, ".svg": own} if on_dark else {**drawn, **ways}
    ways |= more or {}
    write = ways.get(path.suffix.lower())
    if write is None:
        hint = f"it may end in {', '.join(ways)}"
        raise UsageError(f"cannot tell the format of {path} from its name", hint=hint)
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


def ticks(low: float, high: float, most: int = 8) -> list[float]:
    """Round numbers between two others: steps of 1, 2 or 5 times a power of ten."""
    width = high - low
    if not (width > 0 and math.isfinite(width)):
        return []
    power = 10.0 ** math.floor(math.log10(width / most))
    step = next(m * power for m in (1, 2, 5, 10, 20) if width / (m * power) <= most)
    # 0.3/0.1 is 2.9999999999999996, and a tick at an edge must not be lost to that
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, 1 - math.floor(math.log10(step)))
    return [round(i * step, digits) if digits < 300 else i * step for i in range(first, last + 1)]  # fmt: skip


def offset(low: float, high: float) -> float:
    """Return what is taken from the numbers at an edge that differ in their last digits only; mostly 0."""
    if high - low > 1e-4 * max(abs(low), abs(high)):
        return 0.0
    digits = -math.floor(math.log10(high - low))
    return round((low + high) / 2, digits)


def tick_text(x: float, low: float, high: float) -> str:
    """A number at an edge, with the digits that tell it from the next."""
    if x == 0:
        return "0"
    largest, width = max(abs(low), abs(high)), high - low
    # 800 and 1000, not 1e3; 8e5 and 1e6
    least = 3 if largest >= 1e6 else 6
    digits = max(least, min(15, 3 + math.ceil(math.log10(largest / width))))
    text = f"{x:.{digits}g}"
    mantissa, e, power = text.partition("e")
    return f"{mantissa}e{int(power)}".replace("-", "−") if e else text.replace("-", "−")
