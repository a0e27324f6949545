r"""The words for a formula that ends too early, or goes on where it should not, with the place and a fix."""

from __future__ import annotations

from collections.abc import Sequence

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language.lalr import END, Unexpected
from exprgrad.language.notes import shorten

_COMPARED = ("_LT", "_LE", "_GT", "_GE", "_NE")


def complaint(
    source: str,
    kinds: Sequence[str],
    texts: Sequence[str],
    spans: Sequence[Span],
    unexpected: Unexpected,
) -> ExpressionSyntaxError:
    """The diagnostic for the token at which the parser stopped."""
    index = unexpected.index
    kind, span = kinds[index], spans[index]
    before = kinds[index - 1] if index else ""
    word = shorten(source[slice(*span)]) or texts[index]
    if len(kinds) == 1:
        place = span if span[1] else None
        message, hint = "there is no expression", "type one, such as x^2 + 1"
        return ExpressionSyntaxError(message, place, hint)
    if kind == "_COMMA":
        decimal = kinds[index - 1 : index + 2] == ["NUMBER", "_COMMA", "NUMBER"]
        return ExpressionSyntaxError(
            "a comma does not belong here",
            span,
            "the decimal point is a dot"
            if decimal
            else "commas separate the arguments of a function",
        )
    if kind == "_POWER":
        return ExpressionSyntaxError(
            "two superscripts follow one another",
            span,
            "put braces around the first power",
        )
    if kind == "_BANG" and before == "_RPAR":
        return ExpressionSyntaxError(
            "this factorial may be that of the power or of its exponent",
            span,
            "write (x^{2})! or x^{2!}",
        )
    if "NUMBER" in unexpected.expected:
        return _missing(source, kinds, spans, index)
    if kind in _COMPARED:
        return ExpressionSyntaxError(
            "comparisons do not chain", span, "write both, with \\land between them"
        )
    if kind == END:
        return ExpressionSyntaxError("something is missing at the end", span)
    return ExpressionSyntaxError(
        f"an operator is missing before {word}", span, "write \\cdot for a product"
    )


def _missing(
    source: str, kinds: Sequence[str], spans: Sequence[Span], index: int
) -> ExpressionSyntaxError:
    """The diagnostic where a value should stand."""
    last = spans[index - 1] if index else (0, 0)
    before = shorten(source[slice(*last)])
    if kinds[index] == "_RPAR" and index and kinds[index - 1] == "_LPAR":
        message = "there is nothing between these brackets"
        hint = "put a value in"
        return ExpressionSyntaxError(message, (last[0], spans[index][1]), hint)
    place = index
    while kinds[place] != END and not source[slice(*spans[place])]:
        place += 1  # brackets that are not printed
    if kinds[place] == END:
        message = f"the formula ends after {before}, where a value should follow"
        return ExpressionSyntaxError(message, (last[1], last[1]), "add a value")
    behind = f" after {before}" if before else ""
    word = shorten(source[slice(*spans[place])])
    message = f"a value is missing{behind}, before {word}"
    return ExpressionSyntaxError(message, spans[place], "put a value in")
