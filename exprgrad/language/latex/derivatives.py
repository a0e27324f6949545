r"""Derivatives in LaTeX: \frac{d}{dx}, \frac{d^2 f}{dx^2}, {d \over dx}, d/dx; and dx alone, which is refused."""

from __future__ import annotations

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language.latex import commands
from exprgrad.language.latex.defined import Reference
from exprgrad.language.latex.operators import Operator, operator
from exprgrad.language.latex.stream import Frame
from exprgrad.language.latex.subscripts import Subscripts


class Derivatives(Subscripts):
    """Reads the operator before what is differentiated."""

    def _derivative(self, i: int) -> int | None:
        r"""\\frac{d}{dx}, \\frac{d f}{dx}, d/dx; None if it is none of them."""
        found = operator(self._raw, i, self._declared)
        if found is None or (self._next(i) == "{" and found.is_of_numerator):
            return None
        span = self._raw[i][2], self._raw[found.end - 1][3]
        found.check(span)
        if found.is_of_numerator:
            return self._of_numerator(found, i, span)
        self._add("D_BY", ",".join(found.wrt), span)
        return found.end

    def _of_numerator(self, found: Operator, i: int, span: Span) -> int:
        """The derivative of what stands above the line."""
        start, end = found.above
        kind, text = self._raw[start][:2]
        if end == start + 1 and (kind in ("NAME", "WORD") or commands.letters(text)):
            name = text.lstrip("\\")
            if name in self._functions:
                return self._refer(Reference(name, 0, found.wrt), span, found.end)
            raise ExpressionSyntaxError(
                f"{name} is not defined as a function here",
                span,
                f"give the function: {name} = ...",
            )
        self._closed_by.add(self._add("D_BY", ",".join(found.wrt), span))
        brace = self._raw[i + 1][2:]
        frame = Frame("{", brace, "numerator")
        frame.opened = self._add("_LPAR", "(", brace)
        frame.jump = found.end
        self._frames.append(frame)
        return start

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
