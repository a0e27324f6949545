r"""A formula of LaTeX as the reader of statements sees it: in the signs of plain text, every one at its place.

    plain(r"\frac{d}{dx} x^2 = 2x")        "d/dx         x^2 = 2x"
    plain(r"y' = 2x,\quad x > 0")          "y' = 2x,      x > 0"

Operators, primes, signs, words and brackets are translated; formulas keep their letters and braces. The result is as
long as the source, so that its places are those of the source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.errors import ExpressionSyntaxError
from exprgrad.language.latex import commands, tex
from exprgrad.language.latex.formulas import ENDS, joined, without_alignment
from exprgrad.language.latex.operators import BEGINNINGS, operator, raised
from exprgrad.lazy import pattern

_SIGNS = {
    "\\partial": "∂", "\\nabla": "∇", "\\int": "∫", "\\differentialD": "d", "\\dd": "d", "\\prime": "'", "\\cdot": "*",
    "\\times": "*", "\\ast": "*", "\\div": "/", "\\{": "{", "\\}": "}", "\\lbrace": "{", "\\rbrace": "}",
    "\\colon": ":", "\\coloneqq": ":=", "\\equiv": "=", "\\le": "≤", "\\leq": "≤", "\\ge": "≥", "\\geq": "≥",
    "\\lt": "<", "\\gt": ">", "\\to": "→", "\\mapsto": "↦", "\\longmapsto": "↦", "\\rightarrow": "→", "\\\\": "\n", "\\vert": "|", "\\lvert": "|",
    "\\rvert": "|", "\\mid": "|", "\\leqslant": "≤", "\\geqslant": "≥", "\\ne": "≠", "\\neq": "≠", "\\ll": "<",
    "\\gg": ">", "\\approx": "≈", "\\simeq": "≈", "\\sim": "≈", "\\in": "∈", "\\propto": "∝",
}  # fmt: skip
"""Commands that are signs of plain text."""

_LAYOUT = frozenset(("$", "$$", "\\[", "\\]", "\\(", "\\)", "&", "\\left", "\\right"))
_PRIMES = pattern(
    r"(?:(?<=[d∂])|(?<=[d∂][^\W\d_]))\^\{(?P<order>\d+)\}|\^\s*\{\s*(?P<primes>'(?:\s*')*)\s*\}|\^\s*(?=')|\^\s*\{\s*\((?P<nth>\d)\)\s*\}"
)


class Plain(NamedTuple):
    """A formula in plain text; `starts` and `ends` say where in the source the signs at its places begin and end."""

    text: str
    starts: dict[int, int]
    ends: dict[int, int]


def plain(source: str, macros: tex.Macros | None = None) -> Plain:
    """The source with blanks for its layout. Raises `ExpressionSyntaxError` where brackets and macros make no sense."""
    page = _Page(source)
    page.write(without_alignment(tex.expanded(source, macros), source))
    return Plain(_PRIMES.sub(_primes, "".join(page.signs)), page.starts, page.ends)


def _primes(found: re.Match[str]) -> str:
    r"""Primes without the sign of a power: f' for f^{\prime}, f''' for f^{(3)}; and orders without braces."""
    if found["order"]:
        return f"^{found['order']}".ljust(len(found[0]))
    count = int(found["nth"]) if found["nth"] else (found["primes"] or "").count("'")
    # ^{(7)} has six characters, with which nothing moves
    return ("'" * (count - 6) + "‴‴" if count > 6 else "'" * count).ljust(len(found[0]))


class _Page:
    """The signs of a text, written one at a time at the places of a source."""

    def __init__(self, source: str) -> None:
        self.signs = ["\n" if sign == "\n" else " " for sign in source]
        self.starts: dict[int, int] = {}
        self.ends: dict[int, int] = {}

    def put(self, start: int, end: int, text: str, of: int | None = None) -> None:
        """Write a text between two places, where there is room; it stands for what begins at `of`."""
        if len(text) <= end - start:
            # with a blank before it where there is room, so that \alpha\beta does not become one word
            first = start + (len(text) < end - start)
            last = first + len(text)
            self.signs[first:last] = text
            self.starts[first] = start if of is None else of
            self.ends[last] = end

    def write(self, tokens: Sequence[tex.Token]) -> None:
        """Write the plain signs of some tokens."""
        i = 0
        left: int | None = None
        while i < len(tokens):
            kind, text, start, end = tokens[i]
            if text in BEGINNINGS:
                after = self.derivative(tokens, i)
                if after is not None:
                    i, left = after, None
                    continue
            i += 1
            # a remark: behind && it ends with a blank (see `without_alignment`), \mathrm{(chain rule)} has brackets
            if kind == "WORD" and (text[:1] == "(" or text[-1:] == " "):
                continue
            if text in _LAYOUT or text in commands.SIZES:
                left = start if text.startswith("\\") and left is None else left
                is_half = [t[1] for t in tokens[i : i + 1]] == ["."]
                if text in ("\\left", "\\right") and is_half:
                    i, left = i + 1, None
                continue
            if text in ("\\begin", "\\end"):
                name, i = tex.environment(tokens, i - 1)
                if name not in commands.ENVIRONMENTS:
                    self.put(start, tokens[i - 1][3], "(" if text == "\\begin" else ")")
                continue
            if text in ENDS:
                text = ";"
            elif text.startswith("\\"):
                names = commands.letters(text)
                text = _SIGNS.get(text) or (names[0] if names else text[1:])
            opens = text.strip()[:1] in ("(", "[", "{")
            self.put(start, end, text, left if opens else None)
            left = None

    def derivative(self, tokens: Sequence[tex.Token], i: int) -> int | None:
        r"""Write \frac{d^2y}{dx^2}, {d \over dx} or \frac{d(x^2)}{dx}, and return where it ends; None if it is something else."""
        found = operator(tokens, i)
        if found is None:
            return None
        start, end = tokens[i][2], tokens[found.end - 1][3]
        head = f"{found.sign}{raised(found.order)}"
        above = tokens[slice(*found.above)]
        # the letters above a line behind d, Greek ones by their names
        name = joined(" ".join(token[1] for token in above))
        if len(above) < 6 and (not name or name.isalpha()):
            whole = f"{head}{name}/{found.below}"
            is_long = len(whole) > end - start  # for the name of a macro
            self.put(start, end, f"D_{found.wrt[0]}" if is_long and head == "d" and not name else whole)  # fmt: skip
            return found.end
        first, last = above[0][2], above[-1][3]
        # its braces are not part of what is differentiated
        braced = above[0][1] not in ("(", "[", "{", "\\{", "\\left")
        below = f"/{found.below}"
        if min(first - start - len(head), end - last - len(below)) < braced:
            hint = f"write \\frac{{{head}}}{{{found.below}}}"
            message = "this derivative is not read here"
            raise ExpressionSyntaxError(message, (start, end), hint)
        self.put(start, first - braced, head)
        self.write(above)
        if braced:
            self.put(first - 1, first, "{", of=first)
            self.put(last, last + 1, "}")
            self.ends[last + 1] = last
        self.put(last + braced, end, below)
        return found.end
