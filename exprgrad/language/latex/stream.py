r"""The stream that the readers of LaTeX share: the tokens of TeX that are to come, those of the grammar that are made, open groups.

A frame is a group that is open, or a command that waits for its arguments; what a reader adds belongs to the last one.
"""

from __future__ import annotations

from collections.abc import Collection

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language.latex import commands, tex
from exprgrad.language.scanning.defined import NOTHING, Defined, Reference
from exprgrad.language.scanning.token_lists import TokenLists

_CALLING = ("(", "[", "\\{", "\\lbrack", "\\lbrace", "\\lparen", "^", "_")

PRIMES = frozenset(("\\prime", "'", "''", "'''"))
"""What stands in the exponent of a derivative: f^{\\prime\\prime}, f^{''}."""


class TextPerhaps(ExpressionSyntaxError):
    """Something that TeX prints otherwise than it was meant, in what may be text with braces: rate*x^{2}."""


class Frame:
    """A group that is open, or a command that waits for arguments."""

    closed = over = below = sums = False
    jump = opened = part = 0

    def __init__(self, kind: str, span: Span, role: str = "", wanted: int = 0) -> None:
        self.kind, self.span, self.role, self.wanted = kind, span, role, wanted
        self.bars: list[int] = []


class Stream(TokenLists):
    """Tokens of TeX that are read, parallel lists of kinds, texts and spans that are made of them, open frames."""

    _declared: frozenset[str]
    operands = frozenset("NUMBER NAME _RPAR CLOSE _BANG DEGREE PRIMES _RARRAY".split())

    def __init__(
        self,
        source: str,
        declared: Collection[str] = (),
        macros: tex.Macros | None = None,
        defined: Defined = NOTHING,
    ) -> None:
        super().__init__(source, frozenset(declared))
        self._frames: list[Frame] = [Frame("", (0, 0))]
        self._pairs: dict[int, int] = {}
        self._over: dict[int, int] = {}
        self._shape: dict[int, tuple[bool, bool]] = {}
        self._loose: list[tuple[int, int]] = []
        self._exponents: dict[int, int] = {}
        self._closed_by: set[int] = set()
        self._fonts: dict[str, str] = {}
        self._functions, self._products = defined.functions, defined.products
        self._defined = defined
        self.references = {name: Reference(name) for name in defined.formulas}
        self._runs = 0
        self._plain = not (defined.in_latex or "\\" in source or "$" in source)
        raw = tex.expanded(source, macros)
        # x² and ½ are no ASCII, and most formulas are spared the search for them
        self._raw = _unwrapped(raw if source.isascii() else [*tex.shown(raw)])

    def _next(self, i: int) -> str:
        """The text of a token that was not read yet."""
        return self._raw[i][1] if i < len(self._raw) else ""

    def _span(self, i: int, after: int = 0) -> Span:
        """The place of a token in the source, or that of all from it to before another."""
        return self._raw[i][2], self._raw[(min(after, len(self._raw)) or i + 1) - 1][3]

    def _follow(self, i: int, *texts: str) -> bool:
        """Return whether tokens with these texts come next."""
        return all(self._next(i + k) == text for k, text in enumerate(texts))

    def _sign(self, i: int, kind: str) -> int:
        """Take in a token that is a sign, and return the place of the next."""
        self._frames[-1].closed = False
        self._add(kind, self._next(i), self._span(i))
        return i + 1

    def _is_called(self, i: int) -> bool:
        """Return whether a bracket comes next, with its size or without."""
        while self._next(i) in ("\\left", "\\mleft", *commands.SIZES):
            i += 1
        sign, then = self._next(i), self._next(i + 1)
        return sign in _CALLING or (sign == "{" and then in ("\\left", "("))

    def _has_prime(self, i: int) -> bool:
        braced = self._follow(i, "^", "{") and self._next(i + 2) in PRIMES
        return braced or self._follow(i, "^", "\\prime")

    def _doubtful(self, message: str, span: Span, hint: str) -> ExpressionSyntaxError:
        """An error at what is no TeX, and may be text where there is no backslash."""
        kind = TextPerhaps if self._plain else ExpressionSyntaxError
        return kind(message, span, hint)

    def _refused(self, text: str, span: Span) -> ExpressionSyntaxError:
        message, hint = commands.REFUSED[text]
        return ExpressionSyntaxError(message, span, hint)

    def _check_bars(self, frame: Frame) -> None:
        if frame.bars:
            message = "this bar is never closed"
            raise ExpressionSyntaxError(message, self.spans[frame.bars[-1]], "add |")

    def _argument_done(self) -> None:
        """Complete one argument and, with the last one, what it belongs to."""
        while True:
            frame = self._frames[-1]
            # \frac12 gets brackets of its own in 2^\frac12, and they complete the exponent
            if frame.kind == "wrap":
                self._frames.pop()
                end = self.spans[-1][1]
                self._close_group(frame.opened, "_RPAR", "}", (end, end))
                continue
            frame.wanted -= 1
            if frame.wanted:
                return
            self._frames.pop()
            if self._frames[-1].kind != "wrap":
                return

    def _close_group(self, opened: int, kind: str, text: str, span: Span) -> int:
        """Add the token that closes what was opened at a place, and return its own place."""
        closed = self._pairs[opened] = self._add(kind, text, span)
        return closed


def _unwrapped(raw: list[tex.Token]) -> list[tex.Token]:
    """The tokens without the dollar signs around a formula, and the point or comma behind it."""
    start, end = 0, len(raw)
    while True:
        # again for each pair of dollars: the point stands within them, $x^2.$, or behind them
        while start < end and raw[end - 1][1] in (".", ",", ";", "\\\\"):
            end -= 1
        first = raw[start][1] if start < end else ""
        last = raw[end - 1][1] if start < end else ""
        pair = {"$": "$", "\\[": "\\]", "\\(": "\\)"}.get(first)
        if pair is None or last != pair or end - start < 2:
            return raw[start:end]
        start, end = start + 1, end - 1


def undefined(name: str, span: Span, hint: str = "") -> ExpressionSyntaxError:
    """The error for a call or a derivative of what is no function here."""
    message = f"{name} is not defined as a function here"
    hint = hint or f"give the function: {name} = ..."
    return ExpressionSyntaxError(message, span, hint)
