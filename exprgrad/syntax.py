"""What to say about a token that cannot follow."""

from __future__ import annotations

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.lalr import END, Unexpected
from exprgrad.operation import named
from exprgrad.reading import shorten
from exprgrad.scanner import Tokens, function_base

_OPERATORS = frozenset(
    "_PLUS _MINUS _TIMES _OVER _POWER _LT _LE _GT _GE _EQ _NE _AND _OR _NOT _ROOT _ASSIGN".split()
)


def complaint(tokens: Tokens, unexpected: Unexpected) -> ExpressionSyntaxError:
    """The diagnostic for the token at which the parser stopped."""
    index = unexpected.index
    kind, span = tokens.kinds[index], tokens.spans[index]
    before = tokens.kinds[index - 1] if index else ""
    word = tokens.texts[index]
    if len(tokens.kinds) == 1:
        return ExpressionSyntaxError(
            "there is no expression", span, "type one, such as x^2 + 1"
        )
    if before == "FUNCTION":
        return _lonely_function(tokens, index)
    if kind == "_COMMA":
        return _comma(tokens, index)
    if kind == "_ASSIGN":
        hint = "write == to compare; values go into --at x=2"
        return ExpressionSyntaxError("'=' does not belong in an expression", span, hint)
    if "NUMBER" in unexpected.expected:
        return _missing_value(tokens, index)
    if kind in ("_LT", "_LE", "_GT", "_GE", "_EQ", "_NE"):
        hint = "write both: a < b and b < c"
        return ExpressionSyntaxError("comparisons do not chain", span, hint)
    if "_ASSIGN" in unexpected.expected:
        return ExpressionSyntaxError("'=' is missing here", span, "write name=value")
    return ExpressionSyntaxError(
        f"an operator is missing before {shorten(word)!r}",
        span,
        "write * for a product",
    )


def _missing_value(tokens: Tokens, index: int) -> ExpressionSyntaxError:
    kind, span = tokens.kinds[index], tokens.spans[index]
    before, word = tokens.texts[index - 1] if index else "", tokens.texts[index]
    if kind == END:
        end = tokens.spans[index - 1][1]
        return ExpressionSyntaxError(
            f"the expression ends after {before!r}, where a value should follow",
            (end, end),
            f"add a value, or remove {before!r}",
        )
    if kind == "_RPAR" and tokens.kinds[index - 1] == "_LPAR":
        both: Span = (tokens.spans[index - 1][0], span[1])
        return ExpressionSyntaxError(
            "there is nothing between these brackets", both, "put a value in"
        )
    if kind in _OPERATORS and (index == 0 or tokens.kinds[index - 1] not in _OPERATORS):
        place = f"after {before!r}" if before else "at the beginning"
        return ExpressionSyntaxError(
            f"a value is missing {place}, before {word!r}", span, "put a value in"
        )
    hint = f"remove one of {before!r} and {word!r}, or put a value between them"
    return ExpressionSyntaxError(f"{word!r} cannot follow {before!r}", span, hint)


def _comma(tokens: Tokens, index: int) -> ExpressionSyntaxError:
    span, source = tokens.spans[index], tokens.source
    around = tokens.kinds[index - 1 : index] + tokens.kinds[index + 1 : index + 2]
    if around == ["NUMBER", "NUMBER"]:
        left, right = tokens.spans[index - 1], tokens.spans[index + 1]
        fixed = f"{source[left[0] : left[1]]}.{source[right[0] : right[1]]}"
        return ExpressionSyntaxError(
            "a comma does not belong here", span, f"a decimal point is a dot: {fixed}"
        )
    hint = "commas separate the arguments of a function"
    return ExpressionSyntaxError("a comma does not belong here", span, hint)


def _lonely_function(tokens: Tokens, index: int) -> ExpressionSyntaxError:
    name, span = tokens.texts[index - 1], tokens.spans[index - 1]
    following = "".join(tokens.texts[index : index + 2])
    operations = named(function_base(name)[0])
    signature = (
        next(iter(operations.values())).signature if operations else f"{name}(x)"
    )
    hint = f"write {signature}"
    if tokens.kinds[index] in ("_MINUS", "_PLUS") and len(following) > 1:
        hint = f"put the argument in brackets: {name}({following})"
    return ExpressionSyntaxError(f"{name} needs an argument", span, hint)
