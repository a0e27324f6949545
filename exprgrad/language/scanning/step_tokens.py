"""Tokens of a step of a solution, in which names stand for functions: y', f'(3), dy/dx, f_x, dy/dx |_(x=2), uv.

A token for each, which `references` explain; it is a FUNCTION where brackets behind it hold its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language import brackets, leibniz
from exprgrad.language.leibniz import PRIMES
from exprgrad.language.scanning.defined import Defined, Reference
from exprgrad.language.scanning.scanner import Tokens
from exprgrad.lazy import pattern
from exprgrad.operations.vocabulary import CONSTANTS, is_function

_PLACE = pattern(r"(\s*\|\s*_?\s*[({\[]?\s*[^\W\d_]\s*=\s*)([^|=(){}\[\]]+)([)}\]]?)")
"""The place of a derivative, behind a bar."""


class StepTokens(Tokens):
    """The tokens of a text with the functions of `defined` in it."""

    grammar = "session"
    settles = Tokens.settles | {
        "PRIMED": "_primed", "D_NAMED": "_d_named", "LAST": "_other", "_GRAD": "_other",
    }  # fmt: skip

    def __init__(
        self, source: str, declared: Collection[str], defined: Defined
    ) -> None:
        self._functions, self._products = defined.functions, defined.products
        self._variables = defined.variables
        self._letters = {n for n in (*defined.functions, *defined.variables) if len(n) == 1}  # fmt: skip
        self._typed, self.asks = source, defined.asks
        super().__init__(_usual(source, defined.functions), declared)

    def _is_free(self, name: str) -> bool:
        return name not in self._functions and super()._is_free(name)

    def _name(self, text: str, span: Span) -> None:
        name, _, below = text.partition("_")
        if text in self._functions:
            self._refer(Reference(text), span, self._holds_arguments(text, span[1]))
        elif name in self._functions and below and set(below) <= {*self._variables}:
            called = self.source.startswith("(", span[1])
            self._refer(Reference(name, 0, tuple(below)), span, called)
        elif self._is_product(text):
            for at, letter in enumerate(text, span[0]):
                self._name(letter, (at, at + 1))
        else:
            super()._name(text, span)

    def _is_product(self, text: str) -> bool:
        """Return whether each letter is a name of its own: uv, where u and v stand for functions."""
        called = is_function(text, called=False) or is_function(text, called=True)
        own = self._letters.issuperset(text) and len(text) > 1
        return own and not called and text not in CONSTANTS

    def _primed(self, text: str, span: Span) -> None:
        name = text.rstrip(PRIMES)
        first = name[:-1] if self._is_product(name) else ""
        last, cut = name.removeprefix(first), span[0] + len(first)
        if last not in self._functions:
            message = f"there is no function {name}"
            raise ExpressionSyntaxError(message, span, "write d/dx (...)")
        if first:
            self._name(first, (span[0], cut))
        called = self._holds_arguments(last, span[1])
        self._refer(Reference(last, len(text) - len(name)), (cut, span[1]), called)

    def _d_named(self, text: str, span: Span) -> None:
        name, wrt = leibniz.read(text, span)
        if name in self._functions or name in self._variables[1:]:
            at = self._opening(span[1])
            # which stands for a place that was typed behind a bar
            called = at is not None and self._typed[at] != "("
            self._refer(Reference(name, 0, wrt), span, called)
        else:
            self._quotient(text, span)

    def _refer(self, reference: Reference, span: Span, called: bool) -> None:
        # a factor of its own: of cos y y', the cosine is that of y
        is_factor = not called and bool(reference.order or reference.wrt)
        if is_factor:
            self._add("_LPAR", "(", span[:1] * 2)
        super()._refer(reference, span, called)
        if is_factor:
            self._add("_RPAR", ")", span[1:] * 2)

    def _check_ends(self) -> None:
        """Put brackets around the f(x) of ln f(x), too."""
        super()._check_ends()
        # from the last one, and with new pairs each time: of ln f(g(x)) the inner brackets come first, and move the outer ones
        for place in range(len(self.kinds) - 1, 0, -1):
            two = self.kinds[place - 1 : place + 1] == ["FUNCTION", "FUNCTION"]
            if two and self.texts[place] in self.references:
                end = brackets.pairs(self.kinds)[place + 1]
                self.insert(end + 1, "_RPAR", ")", self.spans[end][1:] * 2)
                self.insert(place, "_LPAR", "(", self.spans[place][:1] * 2)

    def _opening(self, end: int) -> int | None:
        """Return where the round bracket stands that comes next."""
        at = len(self.source) - len(self.source[end:].lstrip())
        return at if self.source.startswith("(", at) else None

    def _holds_arguments(self, name: str, end: int) -> bool:
        """Return whether brackets behind a name hold its arguments: y(x) and y(2), but not y(x + 1) where no one writes y(x)."""
        at = self._opening(end)
        closed = None if at is None else brackets.closing(self.source, at)
        if at is None or closed is None:
            return False
        inside = self.source[at + 1 : closed - 1].strip()
        if inside in self._variables or at > end:
            return inside in self._variables
        return name not in self._products or not any(map(str.isalpha, inside))


def _usual(source: str, functions: Collection[str]) -> str:
    """A text with f' for Df and f ', f'' for f^(2), df/dx for d f/dx, and brackets around the place behind a bar; nothing moves."""
    own = "|".join(map(re.escape, functions)) or "(?!)"
    orders = rf"(?<!\w)({own})(\^(?=\{{|\(\d\)\()\{{?\(([1-4])\)\}}?)"
    source = re.sub(orders, lambda m: f"{m[1]}{PRIMES[0] * int(m[3]):{len(m[2])}}", source)  # fmt: skip
    # what is left out leaves a blank, so that every place is one in the text as it was typed
    source = re.sub(rf"(?<!\w)({own}) ([{PRIMES}]+)", r"\1\2 ", source)
    source = re.sub(rf"(?<!\w)({own})([{PRIMES}]+)\[([^\[\]]*)\]", r"\1\2(\3)", source)
    source = re.sub(rf"(?<!\w)([d∂]) ({own})(?=\s*/\s*[d∂])", r" \1\2", source)
    # of (fg)'(x), the x is no factor
    source = re.sub(rf"(?<=\))([{PRIMES}]+)(\(\w\))", lambda m: m[1].ljust(len(m[0])), source)  # fmt: skip
    operator = rf"(?<![^\W\d_])D ?({own})(?![\w({PRIMES}])"
    source = re.sub(operator, lambda m: f"{m[1]}'".rjust(len(m[0])), source)
    return _PLACE.sub(lambda m: f"{'(':>{len(m[1])}}{m[2]}{')':<{len(m[3])}}", source)
