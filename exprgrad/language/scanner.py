"""Source text to tokens, with everything settled that takes more than the letters of a token.

A name that the operation table knows becomes a FUNCTION, a `|` becomes an opening or a closing bar by the
token before it, brackets are matched, and a name such as `xyz` is split into declared variables if that can
be done in exactly one way. Square brackets are an index, an array or nothing but brackets.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language import brackets, grammar, leibniz
from exprgrad.language.lalr import END
from exprgrad.language.notes import Notes, shorten
from exprgrad.language.products import (
    Piece,
    Splitter,
    meant,
    written,
)
from exprgrad.operations.vocabulary import CONSTANTS, is_function

LONGEST = 4_000_000
"""The longest source text that is read, in characters."""

_ENDS_OPERAND = frozenset({"NUMBER", "NAME", "SUPERSCRIPT", "_RPAR", "CLOSE", "_BANG"})
_SPECIAL = frozenset({"NAME", "OPEN", "_LPAR", "_RPAR", "NUMBER", "D_BY", "UNKNOWN"})
_HINTS = {
    "\\": "write sqrt(x), (a)/(b), x^2 instead of LaTeX",
    "%": "write x/100 for a percentage, mod(a, b) for a remainder",
    "°": "angles are in radians: write x*pi/180",
    "∞": "infinity is not a number here",
    "'": "write d/dx (...) or diff(f, x) for a derivative",
    "&": "write `and`",
    ";": "use commas between values; a semicolon means nothing here",
    ":": "give one expression",
    "$": "leave out the dollar signs",
    "∑": "write the sum out",
    "∫": "integrals are not computed",
}


class Tokens:
    """Parallel lists: the terminals' names, texts and spans; the last kind is `END`.

    `grammar` names their grammar, `special` the kinds that need more than their letters, `operands` the kinds
    after which a bar closes, `indexed` those that can have an index.
    """

    grammar = "expression"
    special = _SPECIAL
    operands = _ENDS_OPERAND
    indexed = frozenset({"NAME", "_RINDEX"})

    __slots__ = (
        "_bars",
        "_brackets",
        "_declared",
        "_has_bars",
        "_settled",
        "_splitter",
        "_strict",
        "kinds",
        "notes",
        "source",
        "spans",
        "texts",
    )

    def __init__(
        self, source: str, declared: Collection[str] = (), strict: bool = False
    ) -> None:
        self.source = source
        self.notes = Notes(source)
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.spans: list[Span] = []
        self._declared = declared
        self._strict = strict
        self._splitter: Splitter | None = None
        # names with the same reading wherever they occur, with their kind
        self._settled: dict[str, tuple[str, str]] = {}
        self._brackets: list[tuple[str, Span]] = []
        self._bars: list[_Bars] = [_Bars()]
        self._has_bars = "|" in source
        self._scan()

    def _scan(self) -> None:
        source, kinds, texts, spans = self.source, self.kinds, self.texts, self.spans
        if len(source) > LONGEST:
            raise ExpressionSyntaxError(
                f"the text has {len(source):,} characters; at most {LONGEST:,} are read"
            )
        settled = self._settled if type(self) is Tokens else {}
        special, bars, opened = self.special, self._has_bars, self._brackets
        end = 0
        for kind, text in grammar.pieces(source, self.grammar):
            start, end = end, end + len(text)
            if kind is None:
                continue
            span = start, end
            if kind in special:
                if kind == "NUMBER" and kinds and kinds[-1] != "NUMBER":
                    pass
                elif kind == "NAME" and text in settled:
                    kind, text = settled[text]
                elif kind == "_LPAR" and not bars:
                    opened.append((text, span))
                elif (
                    kind == "_RPAR"
                    and opened
                    and brackets.CLOSED_BY[opened[-1][0]] == text
                    and not bars
                ):
                    opened.pop()
                else:
                    self._settle(kind, text, span)
                    continue
            elif bars:
                self._bars[-1].operator = True
            kinds.append(kind)
            texts.append(text)
            spans.append(span)
        self._check_ends()
        if "[" in source:
            brackets.mark(source, kinds, texts, spans, self.indexed)
        self._add(END, "", (len(source), len(source)))

    def open_bindings(self) -> None:
        """Mark the tokens as a list of bindings, not an expression."""
        brackets.mark_values(self.kinds, self.texts)
        self.kinds.insert(0, "_AT")
        self.texts.insert(0, "")
        self.spans.insert(0, (0, 0))

    def _add(self, kind: str, text: str, span: Span) -> None:
        self.kinds.append(kind)
        self.texts.append(text)
        self.spans.append(span)

    def _settle(self, kind: str, text: str, span: Span) -> None:
        if kind == "NAME":
            self._name(text, span)
        elif kind == "NUMBER":
            after_number = bool(self.kinds) and self.kinds[-1] == "NUMBER"
            if after_number and self.kinds[-3:-1] != ["FUNCTION", "_POWER"]:
                self._two_numbers(span)
            self._add(kind, text, span)
        elif kind == "OPEN":
            self._bar(span)
        elif kind == "D_BY":
            self._d_by(text, span)
        elif kind == "_LPAR":
            self._brackets.append((text, span))
            if self._has_bars:
                self._bars.append(_Bars())
            self._add(kind, text, span)
        elif kind == "_RPAR":
            self._close(text, span)
            self._add(kind, text, span)
        else:
            hint = _HINTS.get(text)
            raise ExpressionSyntaxError(
                f"{text!r} is not part of the language", span, hint
            )

    def _d_by(self, text: str, span: Span) -> None:
        """`d/dx`; if `d` or `dx` is declared, a quotient of names."""
        tokens = [] if "∂" in text else list(leibniz.as_quotient(text, span[0]))
        if any(word in self._declared for _, word, _ in tokens):
            for token in tokens:
                self._add(*token)
            return
        self._bars[-1].operator = True
        self._add("D_OF" if self._is_called(span[1]) else "D_BY", text, span)

    def _two_numbers(self, span: Span) -> None:
        start = self.spans[-1][0]
        first, second = self.texts[-1], self.source[span[0] : span[1]]
        hint = f"write {first}*{second} for a product"
        if self.spans[-1][1] == span[0]:
            hint = "a number has one decimal point"
        raise ExpressionSyntaxError(
            "there is no operator between these two numbers", (start, span[1]), hint
        )

    def _close(self, text: str, span: Span) -> None:
        if not self._brackets:
            hint = "remove it, or open a bracket before it"
            raise ExpressionSyntaxError(f"this {text!r} closes nothing", span, hint)
        opening, _ = self._brackets.pop()
        if brackets.CLOSED_BY[opening] != text:
            hint = f"close it with {brackets.CLOSED_BY[opening]!r}"
            raise ExpressionSyntaxError(
                f"{opening!r} is closed by {text!r}", span, hint
            )
        if len(self._bars) > 1:
            self._bars.pop().check_closed()

    def _check_ends(self) -> None:
        self._bars[-1].check_closed()
        if self._brackets:
            opening, where = self._brackets[-1]
            count = len(self._brackets)
            message = f"this {opening!r} is never closed"
            if count > 1:
                message = f"{count} brackets are never closed; this is the last of them"
            raise ExpressionSyntaxError(
                message, where, f"add {brackets.CLOSED_BY[opening]!r}"
            )

    def _bar(self, span: Span) -> None:
        bars = self._bars[-1]
        after_operand = bool(self.kinds) and self.kinds[-1] in self.operands
        if after_operand and bars.open:
            bars.open.pop()
            bars.closed, bars.operator = True, False
            self._add("CLOSE", "|", span)
            return
        if (
            after_operand
            and bars.closed
            and not bars.operator
            and self.kinds[-1] != "CLOSE"
        ):
            raise ExpressionSyntaxError(
                "these bars can be paired in two ways",
                span,
                "write abs(...) for one of them",
            )
        bars.open.append(span)
        self._add("OPEN", "|", span)

    def _name(self, text: str, span: Span) -> None:
        keyword = grammar.tables().keywords.get(text)
        if keyword is not None:
            self._add(keyword, text, span)
            return
        name = self._normal(text, span)
        called = self._is_called(span[1])
        if is_function(name, called):
            self._add("FUNCTION", name, span)
            if is_function(name, called=False):
                self._settled[text] = "FUNCTION", name
        elif name in self._declared or name in CONSTANTS:
            self._add("NAME", name, span)
            self._settle_name(text, name)
        else:
            count = len(self.kinds)
            self._unknown(name, span, called)
            if len(name) == 1 and self.kinds[count:] == ["NAME"]:
                self._settle_name(text, name)

    def _settle_name(self, text: str, name: str) -> None:
        """Remember that this is a name wherever it occurs, if that is so."""
        if not is_function(name, called=True):
            self._settled[text] = "NAME", name

    def _normal(self, text: str, span: Span) -> str:
        """A name in normal form NFKC, as in Python."""
        name = text if text.isascii() else unicodedata.normalize("NFKC", text)
        if not name.isidentifier():
            raise ExpressionSyntaxError(
                f"{shorten(text)!r} is not part of the language",
                span,
                "write fractions as 1/2",
            )
        return name

    def _ways(self, name: str) -> list[list[Piece]]:
        if self._strict or not self._declared:
            return []
        if self._splitter is None:
            self._splitter = Splitter(self._declared)
        return self._splitter.ways(name)

    def _is_called(self, end: int) -> bool:
        """Whether a bracket comes next, perhaps after blanks."""
        source = self.source
        while end < len(source) and source[end].isspace():
            end += 1
        return end < len(source) and source[end] in brackets.CLOSED_BY

    def _unknown(self, name: str, span: Span, called: bool) -> None:
        ways = self._ways(name)
        if len(ways) == 1:
            self.notes.implicit = True
            self.notes.add("split", lambda: f"{name} is read as {written(ways[0])}")
            start = span[0]
            for kind, piece in ways[0]:
                self._add(kind, piece, (start, start + len(piece)))
                start += len(piece)
        elif (
            called
            and sum(c.isalpha() for c in name.partition("_")[0]) > 1
            and not brackets.holds_index(self.source, span[1])
        ):
            raise ExpressionSyntaxError(
                f"there is no function {shorten(name)}",
                span,
                meant(name, self._declared),
            )
        else:
            self._add("NAME", name, span)


class _Bars:
    """The absolute-value bars within one pair of brackets."""

    __slots__ = ("closed", "open", "operator")

    def __init__(self) -> None:
        self.open: list[Span] = []
        self.closed = False
        self.operator = False

    def check_closed(self) -> None:
        if self.open:
            raise ExpressionSyntaxError(
                "this bar is never closed", self.open[-1], "add |, or write abs(...)"
            )
