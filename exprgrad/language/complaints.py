"""The diagnostic for a token that cannot come next."""

from __future__ import annotations

from exprgrad.errors import ExpressionSyntaxError, Hint, Span
from exprgrad.language.brackets import nesting
from exprgrad.language.lalr import END, Unexpected
from exprgrad.language.notes import shorten
from exprgrad.language.scanner import Tokens
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import function_base

_OPERATORS = frozenset(
    "_PLUS _MINUS _TIMES _OVER _MATMUL _POWER _LT _LE _GT _GE _EQ _NE _AND _OR _NOT _ROOT _ASSIGN".split()
)


def complaint(tokens: Tokens, unexpected: Unexpected) -> ExpressionSyntaxError:
    """The diagnostic for the token at which the parser stopped."""
    index = unexpected.index
    kind, span = tokens.kinds[index], tokens.spans[index]
    before = tokens.kinds[index - 1] if index else ""
    if tokens.kinds[0] == "_AT" and "NUMBER" not in unexpected.expected:
        return _binding(tokens, index)
    if len(tokens.kinds) == 1:
        message = "there is no expression"
        return ExpressionSyntaxError(message, None, "type one, such as x^2 + 1")
    if before == "FUNCTION":
        return _lonely_function(tokens, index)
    if kind == "_COMMA":
        return _comma(tokens, index)
    if kind == "_ASSIGN":
        message = "'=' does not belong in an expression"
        return ExpressionSyntaxError(message, span, Hint("compare_or_give"))
    if "NUMBER" in unexpected.expected or before == "D_BY":
        return _missing_value(tokens, index)
    if kind in ("_LT", "_LE", "_GT", "_GE", "_EQ", "_NE"):
        hint = "write both: a < b and b < c"
        return ExpressionSyntaxError("comparisons do not chain", span, hint)
    word = shorten(tokens.texts[index])
    message = f"an operator is missing before {word!r}"
    return ExpressionSyntaxError(message, span, "write * for a product")


def _binding(tokens: Tokens, index: int) -> ExpressionSyntaxError:
    """The diagnostic for a list of bindings, outside the values in it."""
    kind, span, word = tokens.kinds[index], tokens.spans[index], tokens.texts[index]
    if kind == "FUNCTION":
        signature = next(iter(named(function_base(word)[0]).values())).signature
        message = f"{word} is a function, {signature}, and has no value of its own"
        return ExpressionSyntaxError(message, span, "choose another name")
    if kind == "NAME" or (index and tokens.kinds[index - 1] == "NAME"):
        return ExpressionSyntaxError("'=' is missing here", span, "write name=value")
    found = f", not {word!r}" if word else ""
    message = f"expected a name{found}"
    return ExpressionSyntaxError(message, span, "write name=value, such as x=3")


def _missing_value(tokens: Tokens, index: int) -> ExpressionSyntaxError:
    kind, span, word = tokens.kinds[index], tokens.spans[index], tokens.texts[index]
    before = tokens.texts[index - 1] if index else ""
    if kind == END:
        end = tokens.spans[index - 1][1]
        if tokens.kinds[index - 3 : index - 1] == ["FUNCTION", "_POWER"]:
            name = tokens.texts[index - 3]
            message = f"{name}^{before} needs an argument"
            return ExpressionSyntaxError(
                message, (end, end), f"write {name}(x)^{before}"
            )
        message = f"the expression ends after {before!r}, where a value should follow"
        return ExpressionSyntaxError(
            message, (end, end), f"add a value, or remove {before!r}"
        )
    if not before:
        message = f"a value is missing at the beginning, before {word!r}"
        return ExpressionSyntaxError(message, span, "put a value in")
    if kind == "_RPAR" and tokens.kinds[index - 1] == "_LPAR":
        both: Span = (tokens.spans[index - 1][0], span[1])
        message = "there is nothing between these brackets"
        return ExpressionSyntaxError(message, both, "put a value in")
    if tokens.kinds[index - 1] == "_ROOT":
        hint = f"put it in brackets: √({word}...)"
        if index + 1 < len(tokens.texts):
            hint = f"put it in brackets: √({word}{tokens.texts[index + 1]})"
        return ExpressionSyntaxError(f"{word!r} cannot follow {before!r}", span, hint)
    if kind == "_OVER" == tokens.kinds[index - 1]:
        hint = "write x/2, or floor(x/2) for the whole part"
        message = "'//' is not an operator here"
        return ExpressionSyntaxError(message, (span[0] - 1, span[1]), hint)
    if kind in _OPERATORS and tokens.kinds[index - 1] not in _OPERATORS:
        message = f"a value is missing after {before!r}, before {word!r}"
        return ExpressionSyntaxError(message, span, "put a value in")
    hint = f"remove one of {before!r} and {word!r}, or put a value between them"
    if kind == "FUNCTION":
        hint = f"write the argument of {word} in brackets"
    return ExpressionSyntaxError(f"{word!r} cannot follow {before!r}", span, hint)


def _comma(tokens: Tokens, index: int) -> ExpressionSyntaxError:
    span = tokens.spans[index]
    around = tokens.kinds[index - 1 : index] + tokens.kinds[index + 1 : index + 2]
    hint = "commas separate the arguments of a function"
    if _inside_square(tokens, index):
        hint = "remove it, or put a value beside it"
    elif around == ["NUMBER", "NUMBER"]:
        before, after = tokens.texts[index - 1], tokens.texts[index + 1]
        hint = f"the decimal point is a dot: {shorten(before)}.{shorten(after)}"
        if len(after) == 3:
            whole = shorten(before + after)
            hint = f"write {whole} without a comma for thousands; {hint}"
    return ExpressionSyntaxError("a comma does not belong here", span, hint)


def _inside_square(tokens: Tokens, index: int) -> bool:
    """Whether the innermost bracket around a token is square."""
    depth = 0
    for i in range(index - 1, -1, -1):
        depth += nesting(tokens.texts[i])
        if depth > 0:
            return tokens.texts[i] == "["
    return False


def _lonely_function(tokens: Tokens, index: int) -> ExpressionSyntaxError:
    name, span = tokens.texts[index - 1], tokens.spans[index - 1]
    following = "".join(tokens.texts[index : index + 2])
    operations = named(function_base(name)[0])
    signature = (
        next(iter(operations.values())).signature if operations else f"{name}(x)"
    )
    subscripted = bool(function_base(name)[1])
    hint = f"write {name}(x)" if subscripted else f"write {signature}"
    if tokens.kinds[index] == "FUNCTION":
        hint = f"put the argument in brackets: {name}({tokens.texts[index]}(...))"
    if tokens.kinds[index] in ("_MINUS", "_PLUS") and len(following) > 1:
        hint = f"put the argument in brackets: {name}({following})"
    return ExpressionSyntaxError(f"{name} needs an argument", span, hint)
