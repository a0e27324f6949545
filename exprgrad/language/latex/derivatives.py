r"""Derivatives in LaTeX: \frac{d}{dx}, \frac{d^2 f}{dx^2}, {d \over dx}, d/dx; and dx alone, which is refused."""

from __future__ import annotations

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language.latex import commands, tex
from exprgrad.language.latex.defined import Reference
from exprgrad.language.latex.stream import Frame
from exprgrad.language.latex.subscripts import Subscripts
from exprgrad.language.leibniz import MOST_ORDERS, order_of

_DIFFERENTIALS = frozenset(("d", "\\partial", "\\differentialD"))


class Derivatives(Subscripts):
    """Reads the operator before what is differentiated."""

    def _derivative(self, i: int) -> int | None:
        r"""\\frac{d}{dx}, \\frac{d f}{dx}; None if the fraction is none of them."""
        j = i + 1
        if self._next(j) != "{" or self._next(j + 1) not in _DIFFERENTIALS:
            return None
        if self._next(j + 1) == "d" and "d" in self._declared:
            return None
        above = self._order(j + 2)
        if above is None:
            return None
        order, k = above
        close = k
        depth = 1
        while close < len(self._raw):
            text = self._next(close)
            depth += (text == "{") - (text == "}")
            if depth == 0:
                break
            close += 1
        if self._next(close + 1) != "{":
            return None
        wrt, after = self._below(close + 2)
        if not wrt or self._next(after) != "}":
            return None
        span = self._raw[i][2], self._raw[after][3]
        if len(wrt) != order:
            raise ExpressionSyntaxError(
                "this derivative has two different orders",
                span,
                f"write \\frac{{d^{len(wrt)}}}{{...}}" if len(wrt) > 1 else None,
            )
        place = self._add("D_BY", ",".join(wrt), span)
        if close == k:
            return after + 1
        if (close == k + 1 and self._raw[k][0] in ("NAME", "WORD")) or self._is_name(k, close):  # fmt: skip
            name = self._next(k).lstrip("\\")
            if name in self._functions:
                self.kinds.pop(), self.texts.pop(), self.spans.pop()
                return self._refer(Reference(name, 0, tuple(wrt)), span, after + 1)
            raise ExpressionSyntaxError(
                f"{name} is not defined as a function here",
                span,
                f"give the function: {name} = ...",
            )
        self._closed_by.add(place)
        frame = Frame("{", self._raw[j][2:], "numerator")
        frame.opened = self._add("_LPAR", "(", self._raw[j][2:])
        frame.jump = after + 1
        self._frames.append(frame)
        return k

    def _is_name(self, start: int, end: int) -> bool:
        return end == start + 1 and bool(commands.letters(self._next(start)))

    def _order(self, i: int) -> tuple[int, int] | None:
        """The order behind the d, and what follows it."""
        if self._next(i) != "^":
            return 1, i
        inside, after = tex.argument(self._raw, i + 1)
        digits = "".join(token[1] for token in inside)
        if self._next(i + 1) != "{" and len(digits) > 1:
            return None
        return (order_of(digits), after) if digits.isdecimal() else None

    def _below(self, i: int) -> tuple[list[str], int]:
        r"""The variables below the line: dx, dx^2, \\partial x\\partial y."""
        wrt: list[str] = []
        while self._next(i) in _DIFFERENTIALS and len(wrt) <= MOST_ORDERS:
            i += 1
            braced = self._next(i) == "{"
            i += braced
            if i >= len(self._raw):
                return [], i
            kind, text = self._raw[i][:2]
            names = (text,) if kind == "NAME" else commands.letters(text)
            if kind == "WORD":
                names = (text,)
            if not names:
                return [], i
            i += 1
            if self._next(i) == "_":
                subscript, i = self._subscript(i)
                names = (f"{names[0]}_{subscript}", f"{names[0]}{subscript}")
            if braced:
                if self._next(i) != "}":
                    return [], i
                i += 1
            order = self._order(i)
            if order is None:
                return [], i
            i = order[1]
            name = next((n for n in names if n in self._declared), names[0])
            wrt += [name] * order[0]
        return wrt, i

    def _over_derivative(self, i: int) -> int | None:
        r"""{d\\over dx}, and what follows it; None if the group is something else."""
        over = self._over[i]
        if self._next(i + 1) not in _DIFFERENTIALS or "d" in self._declared:
            return None
        above = self._order(i + 2)
        if above is None or above[1] != over:
            return None
        wrt, after = self._below(over + 1)
        if len(wrt) != above[0] or self._next(after) != "}":
            return None
        self._add("D_BY", ",".join(wrt), (self._raw[i][2], self._raw[after][3]))
        return after + 1

    def _inline_derivative(self, i: int) -> int | None:
        """d/dx in one line."""
        above = self._order(i + 1)
        if above is None or self._next(above[1]) != "/":
            return None
        wrt, after = self._below(above[1] + 1)
        if len(wrt) != above[0] or not wrt:
            return None
        self._add("D_BY", ",".join(wrt), (self._raw[i][2], self._raw[after - 1][3]))
        return after

    def _refuse_differential(self, i: int, j: int, span: Span) -> None:
        """Raise `ExpressionSyntaxError` for dx and du as factors."""
        if j < len(self._raw):
            kind, text, _, end = self._raw[j]
            if kind == "NAME" or commands.letters(text):
                raise ExpressionSyntaxError(
                    f"d{text} is a differential, which is not read as a factor",
                    (span[0], end),
                    f"write \\frac{{d}}{{d{text}}} for a derivative, d \\cdot {text} for a product",
                )
