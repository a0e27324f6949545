"""The diagnostic for a token that cannot come next."""

from __future__ import annotations

from exprgrad.errors import ExpressionSyntaxError, Hint
from exprgrad.language.brackets import closed
from exprgrad.language.lalr import END, Unexpected
from exprgrad.language.notes import shorten
from exprgrad.language.scanning.scanner import Tokens
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import function_base

_OPERATORS = frozenset(
    "_PLUS _MINUS _TIMES _OVER _MATMUL _POWER _LT _LE _GT _GE _EQ _NE _AND _OR _NOT _ROOT _ASSIGN".split()
)


def complaint(tokens: Tokens, unexpected: Unexpected) -> ExpressionSyntaxError:
    """The diagnostic for the token at which the parser stopped."""
    index = unexpected.index
    # the bracket behind what a derivative takes, which was put in: in d/dx x^ nothing follows the sign
    while tokens.kinds[index] == "_RPAR" and not tokens.texts[index]:
        del tokens.kinds[index], tokens.texts[index], tokens.spans[index]
    kind, span = tokens.kinds[index], tokens.spans[index]
    before = tokens.kinds[index - 1] if index else ""
    # within a value of the list it is an expression like any other
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
    # behind d/dx the grammar expects a bracket, which the scanner would have put in
    if "NUMBER" in unexpected.expected or before == "D_BY":
        return _missing_value(tokens, index)
    if kind in ("_LT", "_LE", "_GT", "_GE", "_EQ", "_NE"):
        hint = "write both: a < b and b < c"
        return ExpressionSyntaxError("comparisons do not chain", span, hint)
    message = f"an operator is missing before {shorten(tokens.texts[index])!r}"
    return ExpressionSyntaxError(message, span, "write * for a product")


def _binding(tokens: Tokens, index: int) -> ExpressionSyntaxError:
    """The diagnostic for a list of bindings, outside the values in it."""
    kind, span, word = tokens.kinds[index], tokens.spans[index], tokens.texts[index]
    row = next(iter(named(function_base(word)[0]).values()), None)
    if kind == "FUNCTION" and row is not None:
        message = f"{word} is a function, {row.signature}, and has no value of its own"
        return ExpressionSyntaxError(message, span, "choose another name")
    if kind in ("NAME", "FUNCTION") or (index and tokens.kinds[index - 1] == "NAME"):
        return ExpressionSyntaxError("'=' is missing here", span, "write name=value")
    message = f"expected a name, not {word!r}" if word else "expected a name"
    return ExpressionSyntaxError(message, span, "write name=value, such as x=3")


def _missing_value(tokens: Tokens, index: int) -> ExpressionSyntaxError:
    kinds, texts = tokens.kinds, tokens.texts
    kind, span, word, last = kinds[index], tokens.spans[index], texts[index], ""
    before = texts[index - 1] if index else ""
    message, hint = f"{word!r} cannot follow {before!r}", "put a value in"
    if index:
        last, (begin, end) = kinds[index - 1], tokens.spans[index - 1]
    if kind == END and kinds[index - 3 : index - 1] == ["FUNCTION", "_POWER"]:
        power, span = f"^{before}", (end, end)
        message = f"{texts[index - 3]}{power} needs an argument"
        hint = f"write {texts[index - 3]}(x){power}"
    elif kind == END:
        message = f"the expression ends after {before!r}, where a value should follow"
        span, hint = (end, end), f"add a value, or remove {before!r}"
    elif not before:
        message = f"a value is missing at the beginning, before {word!r}"
    elif kind == "_RPAR" and last == "_LPAR":
        message, span = "there is nothing between these brackets", (begin, span[1])
    elif last == "_ROOT":
        following = texts[index + 1] if index + 1 < len(texts) else "..."
        hint = f"put it in brackets: √({word}{following})"
    elif kind == "_OVER" == last:
        hint = "write x/2, or floor(x/2) for the whole part"
        message, span = "'//' is not an operator here", (span[0] - 1, span[1])
    elif kind in _OPERATORS and last not in _OPERATORS:
        message = f"a value is missing after {before!r}, before {word!r}"
    elif kind == "FUNCTION":
        hint = f"write the argument of {word} in brackets"
    else:
        hint = f"remove one of {before!r} and {word!r}, or put a value between them"
    return ExpressionSyntaxError(message, span, hint)


def _comma(tokens: Tokens, index: int) -> ExpressionSyntaxError:
    span = tokens.spans[index]
    around = tokens.kinds[index - 1 : index] + tokens.kinds[index + 1 : index + 2]
    hint = "commas separate the arguments of a function"
    pairs = closed(tokens.texts).items()
    opened = [start for start, end in pairs if start < index < end]
    if opened and tokens.texts[max(opened)] == "[":
        hint = "remove it, or put a value beside it"
    elif around == ["NUMBER", "NUMBER"]:
        before, after = tokens.texts[index - 1], tokens.texts[index + 1]
        hint = f"the decimal point is a dot: {shorten(before)}.{shorten(after)}"
        groups = [before, after]
        while tokens.kinds[index + 2 : index + 4] == ["_COMMA", "NUMBER"]:
            index += 2
            groups.append(tokens.texts[index + 1])
        if {len(group.partition(".")[0]) for group in groups[1:]} == {3}:
            whole = f"write {shorten(''.join(groups))} without a comma for thousands"
            # 1,000 may be 1000 or 1.000; 1,000.5 and 1,000,000 can only be the first
            hint = f"{whole}; {hint}" if groups == [before, after[:3]] else whole
    return ExpressionSyntaxError("a comma does not belong here", span, hint)


def _lonely_function(tokens: Tokens, index: int) -> ExpressionSyntaxError:
    name, span = tokens.texts[index - 1], tokens.spans[index - 1]
    following = "".join(tokens.texts[index : index + 2])
    base, subscript = function_base(name)
    signatures = [o.signature for o in named(base).values() if not subscript]
    hint = f"write {[*signatures, f'{name}(x)'][0]}"
    if tokens.kinds[index - 2 : index - 1] == ["_LPAR"] and tokens.kinds[index] == "_RPAR":  # fmt: skip
        hint = f"{hint}, or {name}'(x) for its derivative"
    if tokens.kinds[index] == "FUNCTION":
        hint = f"put the argument in brackets: {name}({tokens.texts[index]}(...))"
    if tokens.kinds[index] in ("_MINUS", "_PLUS") and len(following) > 1:
        hint = f"put the argument in brackets: {name}({following})"
    return ExpressionSyntaxError(f"{name} needs an argument", span, hint)
