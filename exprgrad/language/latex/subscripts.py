r"""Names with what hangs on them in LaTeX: x_{\text{max}}, and the primes and orders that only functions have."""

from __future__ import annotations

from collections.abc import Sequence

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language.latex import commands, tex
from exprgrad.language.latex.defined import Reference
from exprgrad.language.latex.stream import Frame, Stream
from exprgrad.operations.vocabulary import CONSTANTS


class Subscripts(Stream):
    """Reads a name with its subscript."""

    def _named(self, names: Sequence[str], span: Span, i: int) -> int:
        """A name with the subscript that follows it."""
        start = span[0]
        end = span[1]
        subscript = ""
        if not self._functions.isdisjoint(names):
            after = self._reference(names, span, i)
            if after is not None:
                return after
        if self._next(i) == "_":
            subscript, i = self._subscript(i)
            end = self._raw[i - 1][3]
        if self._next(i).startswith(("'", "’", "′")) or self._has_prime(i):
            raise ExpressionSyntaxError(
                f"{names[0]} is not defined as a function here",
                (start, self._raw[min(i, len(self._raw) - 1)][3]),
                f"give the function: {names[0]} = ...",
            )
        if subscript:
            names = [
                *(f"{name}_{subscript}" for name in names),
                *(f"{name}{subscript}" for name in names),
            ]
        place = self._plain_name(names[0], names, (start, end))
        if self._next(i) == "^" and self._next(i + 1) == "{":
            self._check_order(place, i)
        return i

    def _reference(self, names: Sequence[str], span: Span, i: int) -> int | None:
        """Take in the call, or the derivative, of a name that is defined; what follows it, None for the bare name."""
        name = next(n for n in names if n in self._functions)
        order, after = self._order_of_primes(i)
        called = self._opens(after)
        if self._next(after) == "^":  # f^{2}(x), the square of f(x)
            called = self._opens(tex.argument(self._raw, after + 1)[1])
        if not called and not order:
            return None
        end = self._raw[after - 1][3] if after > i else span[1]
        return self._refer(Reference(name, order), (span[0], end), after, called)

    def _opens(self, i: int) -> bool:
        """Whether the bracket of a call comes next."""
        i += self._next(i) == "\\left"
        return self._next(i) in ("(", "[")

    def _refer(
        self, reference: Reference, span: Span, after: int, called: bool = False
    ) -> int:
        """Add a token that stands for a reference."""
        below = f"/d{'/d'.join(reference.wrt)}" if reference.wrt else ""
        text = f"{reference.name}{below}" + "'" * reference.order
        self.references[text] = reference
        self._add("FUNCTION" if called else "NAME", text, span)
        return after

    def _order_of_primes(self, i: int) -> tuple[int, int]:
        r"""How many primes follow a name, as f'', f^{\\prime} or f^{(3)}, and what follows them."""
        order = 0
        while i < len(self._raw) and self._raw[i][0] == "PRIMES":
            order += len(self._raw[i][1])
            i += 1
        if order or self._next(i) != "^":
            return order, i
        inside, after = tex.argument(self._raw, i + 1)
        texts = [t[1] for t in inside]
        if texts and all(text == "\\prime" for text in texts):
            return len(texts), after
        digits = texts[1] if len(texts) == 3 and texts[::2] == ["(", ")"] else ""
        return (int(digits), after) if digits.isdecimal() and len(digits) == 1 else (0, i)  # fmt: skip

    def _check_order(self, place: int, i: int) -> None:
        """Refuse f^{(3)}, the third derivative of what is not defined."""
        if self._next(i + 2) != "(":
            return
        name = self.texts[place]
        number = self._raw[i + 3][0] == "NUMBER" if i + 3 < len(self._raw) else False
        close = i + 4
        while close < min(len(self._raw), i + 40) and self._next(close) != ")":
            close += 1
        whole = self._next(close + 1) == "}"
        called = self._next(close + 2) in ("(", "\\left", "\\big")
        if name in CONSTANTS or not whole:
            return
        if name in self._declared:
            self.notes.add(
                "power of a name",
                lambda: f"{name} is a variable, so its superscript is an exponent",
            )
        elif (number and self._next(i + 4) == ")") or called:
            raise ExpressionSyntaxError(
                f"{name} is not defined as a function here",
                (self.spans[place][0], self._raw[close][3]),
                f"give the function: {name}(x) = ...",
            )

    def _plain_name(self, name: str, names: Sequence[str], span: Span) -> int:
        """A name, spelt as it was declared."""
        if self._declared:
            name = next((n for n in names if n in self._declared), name)
        if name == "tau":
            self.notes.add("tau", lambda: r"\tau is 2\pi")
        return self._add("NAME", name, span)

    def _subscript(self, i: int) -> tuple[str, int]:
        """The text of a subscript, and what follows it."""
        _, _, start, end = self._raw[i]
        if i + 1 >= len(self._raw):
            raise ExpressionSyntaxError("a subscript is missing", (start, end))
        if self._next(i + 1) != "{":
            kind, text, first, last = self._raw[i + 1]
            if kind == "NUMBER" and len(text) > 1:
                if end == first:
                    raise self._unclear_digits(Frame("arguments", (start, end), "_"), text, (first, last))  # fmt: skip
                self._raw[i + 1] = kind, text[1:], first + 1, last
                return text[0], i + 1
            inside, after = [self._raw[i + 1]], i + 2
        else:
            inside, after = tex.argument(self._raw, i + 1)
        pieces = [self._subscript_piece(t) for t in inside if t[1] not in ("{", "}")]
        subscript = "".join(pieces)
        is_name = all(pieces) and f"x{subscript}".isidentifier()
        if not subscript or not is_name or subscript[0] == "_":
            raise ExpressionSyntaxError(
                "a subscript is a name or a number here",
                (start, self._raw[min(after, len(self._raw)) - 1][3]),
                r"write x_{1}, or x_{\text{max}}",
            )
        return subscript, after

    def _subscript_piece(self, token: tex.Token) -> str:
        kind, text = token[:2]
        if kind in ("NAME", "NUMBER", "WORD", "_BASE"):
            return text
        return (commands.letters(text) or ("",))[0]

    def _unclear_digits(
        self, frame: Frame, text: str, span: Span
    ) -> ExpressionSyntaxError:
        sign = frame.role if frame.role in ("^", "_") else ""
        return ExpressionSyntaxError(
            f"TeX takes only the first digit, so this prints as {text[0]} and then {text[1:]}",
            (span[0] - len(sign), span[1]),
            f"write {sign}{{{text}}} for all of it, {sign}{{{text[0]}}}\\cdot {text[1:]} for a product",
        )
