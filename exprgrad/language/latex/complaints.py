r"""The words for a formula that ends too early, or goes on where it should not, with the place and a fix."""

from __future__ import annotations

from collections.abc import Sequence

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language.lalr import END, Unexpected
from exprgrad.language.notes import shorten
from exprgrad.language.scanning.token_lists import Lists

_COMPARED = ("_LT", "_LE", "_GT", "_GE", "_NE")


def complaint(
    source: str, side: Lists, unexpected: Unexpected
) -> ExpressionSyntaxError:
    """The diagnostic for the token at which the parser stopped."""
    index, (kinds, texts, spans) = unexpected.index, side
    kind, span = kinds[index], spans[index]
    before = kinds[index - 1] if index else ""
    word = shorten(source[slice(*span)]) or texts[index]
    hint = "write \\cdot for a product"
    if len(kinds) == 1:
        message, hint = "there is no expression", "type one, such as x^2 + 1"
        return ExpressionSyntaxError(message, span if span[1] else None, hint)
    if kind == "_COMMA":
        # 1,5 has a decimal comma; 1,000 has been read as a thousand before
        decimal = before == "NUMBER" == kinds[index + 1]
        message, hint = "a comma does not belong here", "the decimal point is a dot"
        hint = hint if decimal else "commas separate the arguments of a function"
    elif kind == "_POWER":
        message = "two superscripts follow one another"
        hint = "put braces around the first power"
    elif kind == "_BANG" and before == "_RPAR":
        message = "this factorial may be that of the power or of its exponent"
        hint = "write (x^{2})! or x^{2!}"
    elif "NUMBER" in unexpected.expected:
        return _missing(source, kinds, spans, index)
    elif kind in _COMPARED:
        message = "comparisons do not chain"
        hint = "write both, with \\land between them"
    else:
        message = f"an operator is missing before {word}"
    return ExpressionSyntaxError(message, span, hint)


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
