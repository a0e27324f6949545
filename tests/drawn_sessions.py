"""Pictures of a session, drawn from what it really prints: `samples/session.svg` and `trace.svg`.

`python tests/readme.py` writes them with the rest of what is generated; `test_readme.py` checks that they
are fresh. The colours are those of the editor and of the views.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from exprgrad import ExprgradError, Session, parse
from exprgrad.session.entries import split
from exprgrad.session.screen import blocks
from exprgrad.terminal.app import PROMPT
from exprgrad.terminal.editing import STYLES, Highlighter
from exprgrad.views.diagnostic import describe
from exprgrad.views.layout import Line, lines, width_of
from exprgrad.views.output import COLOURS

SAMPLES = Path(__file__).resolve().parent.parent / "samples"

SHOWN = {
    "session": (
        "a = 2; b = 3; c = 1",
        "(a*b + c)^2",
        "f(x, y) = x^2 sin y",
        "∂f/∂x",
        "grad f at x=1, y=pi/2",
        ":check f, x^2 wrt y",
        "a = a + 1",
        "2 + * x",
    ),
    "trace": ("x1 = 2; x2 = 5;", ":trace ln(x1) + x1*x2 - sin(x2)"),
}
"""The pictures, and what is typed in each."""

MADE: dict[str, Callable[[], Any]] = {
    "graph": lambda: parse("ln(x1) + x1*x2 - sin(x2)").graph({"x1": 2, "x2": 5}),
    "curve": lambda: parse("abs(x^2-4)*sin(x)").plot(across=(-4, 4), tangents=[1]),
    "walk_values": lambda: _frame("values"),
    "walk_waiting": lambda: _frame(10),
    "walk_sum": lambda: _frame("all"),
}
"""Pictures that the package itself makes."""


def _frame(stage: int | str) -> Any:
    """A frame of the walk of the tutorial."""
    return parse("(a*b)*(b+1)").graph({"a": 2, "b": 3}, stage)


_ON_DARK = {
    "blue": "#5fafff", "cyan": "#56c8d8", "magenta": "#c792ea", "green": "#8bd17c", "red": "#ff6b6b",
    "dim": "#8a8f98", "yellow": "#e5c07b",
}  # fmt: skip
"""The colours of the pictures by the names that views use."""
_COLOURS = _ON_DARK | {COLOURS[name]: _ON_DARK[name] for name in COLOURS}
_CHARACTER, _LINE, _MARGIN = 8.4, 19, 16


def transcript(typed: tuple[str, ...] | list[str], width: int = 80) -> Iterator[Line]:
    """The lines of a session as they stand on a terminal, in styled pieces."""
    session = Session()
    highlight = Highlighter(lambda: session)
    for text in typed:
        pieces = highlight.pieces(text)
        yield [
            (PROMPT, STYLES["prompt"]),
            *((t, STYLES.get(style.removeprefix("class:"), "")) for style, t in pieces),
        ]
        try:
            for line in split(text):
                result = session.execute(line)
                if not line.quiet:
                    yield from lines(blocks(result, session.settings), width)
        except ExprgradError as error:
            head, *rest = describe(error, width)
            if error.span and error.source == text:
                yield [(" " * len(PROMPT) + rest[1][2:], "red")]
                rest = rest[2:]
            yield [("error:", "bold red"), (head.removeprefix("error:"), "bold")]
            yield from ([(line, "")] for line in rest)


def plain(typed: list[str]) -> str:
    """The same as text."""
    return "".join(
        "".join(text for text, _ in line).rstrip() + "\n" for line in transcript(typed)
    )


def picture(name: str) -> str:
    """The picture as SVG."""
    if name in MADE:
        return str(MADE[name]().svg()) + "\n"
    rows = list(transcript(SHOWN[name]))
    columns = max(sum(width_of(text) for text, _ in row) for row in rows)
    width = round(columns * _CHARACTER + 2 * _MARGIN)
    height = len(rows) * _LINE + 2 * _MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">',
        f'<rect width="{width}" height="{height}" rx="8" fill="#1e2127"/>',
        '<g font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" '
        'font-size="14" fill="#d8dee9" xml:space="preserve">',
    ]
    for i, row in enumerate(rows):
        column, y = 0, _MARGIN + (i + 1) * _LINE - 5
        for text, style in row:
            if text.strip():
                out.append(_piece(text, style, _MARGIN + column * _CHARACTER, y))
            column += width_of(text)
    return "\n".join([*out, "</g>", "</svg>", ""])


def _piece(text: str, style: str, x: float, y: int) -> str:
    words = style.split()
    colour = next((f' fill="{_COLOURS[w]}"' for w in words if w in _COLOURS), "")
    bold = ' font-weight="bold"' if "bold" in words else ""
    length = f' textLength="{width_of(text) * _CHARACTER:.1f}"'
    return f'<text x="{x:.1f}" y="{y}"{length}{colour}{bold}>{escape(text)}</text>'


def write() -> None:
    """Write every picture."""
    for name in (*SHOWN, *MADE):
        (SAMPLES / f"{name}.svg").write_text(picture(name), encoding="utf-8")
