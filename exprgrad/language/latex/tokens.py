r"""LaTeX to the tokens of `grammars/latex.lark`, with everything settled that takes more than the letters of a token.

Arguments of commands and exponents get brackets, and so do arguments of functions without them, and what a derivative
takes; a name gets its subscript; bars are paired; layout and macros are gone. A bare argument ends as in text: at the
next function or sign, and before a bracket once it holds a name. What could be meant otherwise is noted, what could
be anything is refused, with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language.brackets import mark, outer
from exprgrad.language.lalr import END
from exprgrad.language.latex import commands
from exprgrad.language.latex.arguments import Arguments, is_logarithm
from exprgrad.language.latex.formulas import LONGEST_HEAD, head_of
from exprgrad.language.latex.groups import Groups
from exprgrad.language.latex.operators import BEGINNINGS
from exprgrad.language.latex.stream import Frame
from exprgrad.language.scanning.reach import ENDS, SIGNS
from exprgrad.language.scanning.token_lists import Lists

_LOOSE_BEFORE = frozenset(
    ("", "_LPAR", "OPEN", "_CASES", "_LARRAY", "_PLUS", "_COMMA", "_ROW", "_AND", "_OR",
     "_EQ", "_LT", "_LE", "_GT", "_GE", "_NE")
)  # fmt: skip
_SHORT = ("tg", "sh", "ch", "th")
"""Functions that have two letters in some countries."""

_BOUNDS = frozenset(("_LT", "_LE", "_GT", "_GE", "_NE"))
"""What stands in a condition that leaves out points."""


class LatexTokens(Groups):
    """Parallel lists of the terminals' names, texts and spans; `sides` are those between the `=` of a chain.

    `declared` are names of variables; with them x(t) can only be a product.
    """

    head: Span | None = None

    def sides(self) -> list[Lists]:
        """The tokens of each side of a chain, with brackets around bare arguments; `head` is known then."""
        self.head = self._without_head()
        self._leave_out_condition()
        self._survey()
        self._scan()
        mark(self.source, self.kinds, self.texts, self.spans, has_indexes=False)
        places = outer(self._pairs, 0, len(self.kinds))
        equals = (i for i in places if self.kinds[i] == "_EQ")
        ends = pairwise([-1, *equals, len(self.kinds)])
        return [self._side(before + 1, end) for before, end in ends]

    def _without_head(self) -> Span | None:
        r"""Take out what names the first side of a chain, y', f(x) or \\frac{dy}{dx}, and return its span."""
        depth = 0
        for i, (_, text, _, end) in enumerate(self._raw[:LONGEST_HEAD]):
            if text == "=" and depth == 0:
                if head_of(self._raw[:i]) is None:
                    return None
                span = self._raw[0][2], end
                del self._raw[: i + 1]
                return span
            depth += (text in commands.OPENING) - (text in commands.CLOSING)
        return None

    def _leave_out_condition(self) -> None:
        r"""Take out where a formula holds, set apart behind it: x + 1 \\quad \\text{for } x \\ne 1."""
        depth = 0
        for i, (kind, text, start, _) in enumerate(self._raw):
            if kind == "WORD" and text == "for" and depth == 0 < i:
                rest = {commands.SIGNS.get(t, k) for k, t, _, _ in self._raw[i:]}
                apart = self.source[:start].rstrip().endswith("quad")
                # an equation there is a value, and must not be lost: x^2 \quad \text{for } x = 3
                if apart and rest & _BOUNDS and "_EQ" not in rest:
                    whole = start, self._raw[-1][3]
                    self.notes.add("condition", "{} is left out", whole)
                    del self._raw[i:]
                return
            depth += commands.nesting(text)

    def _scan(self) -> None:
        top = self._frames[0]
        if -1 in self._over:
            self._open_fraction(top, -1, (0, 0))
        i = 0
        while i < len(self._raw):
            is_argument = self._frames[-1].kind == "arguments"
            i = self._argument(i) if is_argument else self._one(i)
        frame = self._frames[-1]
        if frame.kind == "arguments":
            message = f"{frame.role} needs an argument"
            raise ExpressionSyntaxError(message, frame.span, "put it in braces")
        self._check_bars(frame)
        if frame is not top:
            closes = {**commands.CLOSES, "\\root": "\\of"}
            close = closes.get(frame.kind, f"\\end{{{frame.role}}}")
            shown = f"\\begin{{{frame.role}}}" if frame.kind == "\\begin" else repr(frame.kind).replace("\\\\", "\\")  # fmt: skip
            message = f"this {shown} is never closed"
            raise ExpressionSyntaxError(message, frame.span, f"add {close}")
        if top.over:
            self._close_fraction(top, (len(self.source), len(self.source)))

    def _one(self, i: int) -> int:
        """Take in the token at that place, and return the place of the next."""
        kind, text, *_ = self._raw[i]
        # what layout leaves of \mathbin{@}, as a matrix product is written
        if self._follow(i, "{", "@", "}"):
            self._add("_MATMUL", "@", self._span(i, i + 3))
            return i + 3
        if text in commands.OPENING:
            return self._open(i, commands.OPENING[text])
        if text in commands.CLOSING:
            return self._close(i, commands.CLOSING[text])
        if text in commands.BARS:
            self._bar(i, commands.BARS[text])
            return i + 1
        if kind in _KINDS:
            return _KINDS[kind](self, i, text, self._span(i))
        if kind in SIGNS:
            self._frames[-1].sums = True
        return self._sign(i, kind)

    def _expecting(
        self, i: int, text: str, span: Span, kind: str, count: int = 1
    ) -> int:
        """Take in a token behind which so many arguments follow."""
        self._add(kind, text.removeprefix("\\"), span)
        self._frames.append(Frame("arguments", span, text, count))
        return i + 1

    def _strange(self, i: int, text: str, span: Span) -> int:
        is_last = i + 1 == len(self._raw)
        behind_number = self.kinds[-1:] == ["NUMBER"] == [self._raw[i - 1][0]]
        at_end = is_last or self._next(i + 1) in ("\\end", "\\\\", "\\right")
        # the end of a sentence, or the point of `5.`, which the scanner does not count to the number
        ends = (text == "." and (at_end or behind_number)) or (text in ";:" and is_last)
        if ends or self._follow(i, ":", "="):
            return i + 1
        hint = "give one formula" if text == "$" else None
        raise ExpressionSyntaxError(f"{text!r} is not part of a formula", span, hint)

    def _argument(self, i: int) -> int:
        """Take in one argument of a command: a group or a single token."""
        frame = self._frames[-1]
        kind, text, start, end = self._raw[i]
        span = start, end
        power = frame.role in ("^", "_")
        if text == "{":
            return self._open(i, "{", "argument")
        if kind == "NUMBER":
            if len(text) > 1:
                # TeX takes one digit: \frac12 is a half, but nobody means the x²3 that x^23 prints
                if (power and frame.span[1] == start) or "." in text[:2]:
                    raise self._unclear_digits(frame.role * power, text, span)
                # the digits of a number from a macro all stand where the macro does
                middle = start + 1 if end - start == len(text) else end
                self._raw[i] = kind, text[1:], min(middle, end - 1), end
                i -= 1
                end = middle
        elif text in _WITH_ARGUMENTS:
            self._frames.append(Frame("wrap", span))
            self._frames[-1].opened = self._add("_LPAR", "{", span)
            i = self._one(i)
            if self._frames[-1].kind == "wrap":  # it had no arguments to wait for
                self._argument_done()
            return i
        elif not (kind in ("NAME", "WORD") or commands.letters(text)):
            raise self._no_argument(frame, text, span)
        opened = self._add("_LPAR", "{", (start, start))
        if kind == "NUMBER":
            self._add("NUMBER", text[0], (start, end))
            i += 1
        elif kind == "NAME":
            i = self._named((text,), span, i + 1, alone=True)
        elif kind == "WORD":
            i = self._word(i, text, span, alone=True)
        else:
            i = self._letter(i, text, span, alone=True)
        self._close_group(opened, "_RPAR", "}", (end, end))
        self._argument_done()
        return i

    def _no_argument(
        self, frame: Frame, text: str, span: Span
    ) -> ExpressionSyntaxError:
        if text in commands.REFUSED:
            return self._refused(text, span)
        if frame.role == "^":
            message = "TeX takes only one sign as the exponent"
            return self._doubtful(message, span, "put the exponent in braces: x^{...}")
        shown = f"{text!r} cannot be the argument of {frame.role}".replace("\\\\", "\\")
        return ExpressionSyntaxError(shown, span, "put the argument in braces")

    def _command(self, i: int, text: str, span: Span) -> int:
        if text in commands.SIGNS:
            return self._sign(i, commands.SIGNS[text])
        if text in BEGINNINGS and (found := self._derivative(i)):
            return found
        if text in _READ:
            return _READ[text](self, i, text, span)
        if text == "\\of" and self._frames[-1].kind == "\\root":
            self._close_group(self._frames.pop().opened, "_RPAR", "}", span)
            return i + 1
        if commands.letters(text):
            return self._letter(i, text, span)
        if text in commands.REFUSED:
            raise self._refused(text, span)
        called = self._is_called(i + 1)
        own = commands.function(text[1:], called, _SHORT) if text[1:].isalpha() else None  # fmt: skip
        if own is not None and text[1:] != "gamma":
            return self._function(own, i, span)
        raise self._unknown(text, span)

    def _plain_root(self, i: int, text: str, span: Span) -> int:
        r"""\root 3 \of x, whose degree is no argument in braces."""
        self._expecting(i, text, span, "_ROOT")
        frame = Frame("\\root", span)
        frame.opened = self._add("_LPAR", "{", span[1:] * 2)
        self._frames.append(frame)
        return i + 1

    def _root(self, i: int, text: str, span: Span) -> int:
        if self._next(i + 1) != "[":
            return self._expecting(i, text, span, "_SQRT")
        return self._open(self._expecting(i, text, span, "_ROOT"), "[")

    def _subscripted(self, i: int, text: str, span: Span) -> int:
        """A subscript that stands behind something else than a name."""
        if self.kinds and self.kinds[-1] == "FUNCTION":
            if not is_logarithm(self.texts[-1]):
                message = f"a subscript of {self.texts[-1]} is not read"
                raise ExpressionSyntaxError(message, span)
            return self._expecting(i, text, span, "_BASE")
        behind = self.kinds[-1:] == ["_RPAR"] and self.texts[-1] == "}"
        number = {t[0] for t in self._raw[i + 2 : i + 3]} & {"NUMBER", "_MINUS"}
        if behind and number and self._next(i + 1) == "{":
            self._add("_INDEX", "_", span)  # {x}_{0}
            return self._open(i + 1, "{", "index")
        place = self._exponents.get(len(self.kinds) - 1)
        if place is not None and self.kinds[place] == "NAME":  # x^2_1
            subscript, after = self._subscript(i)
            names = [f"{self.texts[place]}{mark}{subscript}" for mark in ("_", "")]
            self.texts[place] = self._as_declared(names)
            return after
        what = "values put in behind a bar are not read" if self.kinds[-1:] == ["CLOSE"] else "a subscript belongs to a name"  # fmt: skip
        raise ExpressionSyntaxError(what, span)

    def _power(self, i: int, text: str, span: Span) -> int:
        is_braced = self._next(i + 1) == "{" and self._next(i + 3) == "}"
        after = i + 2 + 2 * is_braced
        if self._next(i + 1 + is_braced) in ("\\circ", "\\degree"):
            self._add("DEGREE", "°", self._span(i, after))
            return after
        if self._has_prime(i) and self.kinds[-1:] == ["_RPAR"]:
            order, after = self._order_of_primes(i)
            self._add("PRIMES", "'" * order, self._span(i, after))
            return after
        if not self._after_operand() and self.kinds[-1:] != ["FUNCTION"]:
            message = "there is nothing before this exponent"
            raise ExpressionSyntaxError(message, span, "write x^2")
        place = len(self.kinds) - 1
        after = self._expecting(i, text, span, "_POWER")
        if self._next(after) in ("{", ""):
            return after
        depth = len(self._frames)
        after = self._argument(after)
        # a subscript may follow the exponent of a name, x^2_1, and belongs to the name
        if len(self._frames) < depth and self.kinds[place] == "NAME":
            self._exponents[len(self.kinds) - 1] = place
        return after

    def _primes(self, i: int, text: str, span: Span) -> int:
        if self.kinds[-1:] == ["_RPAR"]:
            self._add("PRIMES", text, span)
            # (x) behind the prime of a bracket that holds functions: (f+g)'(x)
            is_call = [self._next(i + 1), self._next(i + 3)] == ["(", ")"] and self._raw[i + 2][0] == "NAME"  # fmt: skip
            # of the bracket closed last
            opened, _ = next(reversed(self._pairs.items()))
            inside = self.texts[opened : len(self.texts) - 2]
            return i + 1 if not is_call or self._functions.isdisjoint(inside) else i + 4
        hint = r"put the function in brackets, (x^2)', or write \frac{d}{dx}"
        raise ExpressionSyntaxError("a prime cannot stand here", span, hint)

    def _side(self, start: int, end: int) -> Lists:
        """The tokens between two places, with the brackets that are not printed."""
        stop = self.spans[end][0] if end < len(self.spans) else len(self.source)
        if start < end == len(self.spans):
            stop = self.spans[end - 1][1]
        own = slice(start, end)
        kinds, texts, spans = self.kinds[own], self.texts[own], self.spans[own]
        tokens = [*kinds, END], [*texts, ""], [*spans, (stop, stop)]
        inside = ((a, b) for a, b in self._pairs.items() if start <= a < end)
        pairs = {a - start: b - start for a, b in inside}
        closed = {place - start for place in self._closed_by}
        self._check_loose(tokens[0], start, end)
        found = Arguments(self.notes, self._declared | self._products, tokens, pairs, closed)  # fmt: skip
        found.asks = self._defined.asks
        found.put_brackets()
        return tokens

    def _check_loose(self, kinds: Sequence[str], start: int, end: int) -> None:
        """Refuse {a+b}c, which prints as a+bc."""
        for first, last in self._loose:
            if not start <= first < end:
                continue
            before = kinds[first - start - 1] if first > start else ""
            after = kinds[last - start + 1]
            places = [first + 1, *outer(self._pairs, first + 2, last)]
            signed = [i for i in places if self.kinds[i] in SIGNS] == [first + 1]
            # ({a+b}) and {a+b}+c print what they say, {a+b}c does not
            fine = before in _LOOSE_BEFORE and after in ENDS | SIGNS
            if signed and before in (*_LOOSE_BEFORE, "_MINUS", "_TIMES", "_OVER", "FUNCTION", "D_BY"):  # fmt: skip
                # x\cdot{-y} is clear without brackets, but {-x}^2 prints as -x^2
                fine = after != "_POWER"
            if not fine:
                message = "braces do not print, so this sum has no brackets"
                whole = self.spans[first][0], self.spans[last][1]
                raise ExpressionSyntaxError(message, whole, "write round brackets")


_Reader = Callable[[LatexTokens, int, str, Span], int]

_KINDS: dict[str, _Reader] = {
    "NAME": LatexTokens._name, "NUMBER": LatexTokens._number, "WORD": LatexTokens._word,
    "COMMAND": LatexTokens._command, "_POWER": LatexTokens._power, "_BASE": LatexTokens._subscripted,
    "_ROW": LatexTokens._ampersand, "PRIMES": LatexTokens._primes, "_COMMA": LatexTokens._comma,
    "UNKNOWN": LatexTokens._strange,
}  # fmt: skip
"""Kinds of tokens that take more than a sign."""

_READ: dict[str, _Reader] = {
    "\\sqrt": LatexTokens._root, "\\root": LatexTokens._plain_root, "\\abs": partial(LatexTokens._expecting, kind="FUNCTION"),
    "\\over": LatexTokens._over_sign, "\\choose": LatexTokens._over_sign,
    "\\begin": LatexTokens._environment, "\\end": LatexTokens._environment, "\\\\": LatexTokens._row,
    "\\Delta": LatexTokens._change,
    **dict.fromkeys(("\\left", "\\right", "\\mleft", "\\mright", "\\middle"), LatexTokens._delimiter),
    **dict.fromkeys(commands.FRACTIONS, partial(LatexTokens._expecting, kind="_FRAC", count=2)),
    **dict.fromkeys(commands.CHOOSING, partial(LatexTokens._expecting, kind="_CHOOSE", count=2)),
    **dict.fromkeys(commands.SIZES, LatexTokens._sized),
    **dict.fromkeys((*commands.FONTS, *commands.ACCENTS), LatexTokens._dressed),
}  # fmt: skip
"""Commands that are read in a way of their own."""

_WITH_ARGUMENTS = frozenset(
    (*commands.FRACTIONS, *commands.CHOOSING, "\\sqrt", "\\root", *commands.FONTS, *commands.ACCENTS)
)  # fmt: skip
