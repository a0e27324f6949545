r"""Derivatives as tokens of TeX: \frac{d}{dx}, \frac{d^2 f}{dx^2}, {d \over dx}, d/dx, \dv{f}{x}, \dot x, \partial_x.

operator(tex.expanded(r"\frac{d^2 y}{dx^2}"), 0)     Operator("d", 2, ("x", "x"), (5, 6), 13)
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby

from exprgrad.annotations import NamedTuple
from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language import characters
from exprgrad.language.latex import commands, tex
from exprgrad.language.latex.tex import Tokens
from exprgrad.language.leibniz import MOST_ORDERS, check_order, order_of

_DIFFERENTIALS = {"d": "d", "\\partial": "∂", "\\differentialD": "d", "\\dd": "d", "\\delta": "∂"}  # fmt: skip
_SHORT = {"\\dv": "d", "\\odv": "d", "\\pdv": "∂"}
_DOTS = {"\\dot": 1, "\\ddot": 2, "\\dddot": 3}

BEGINNINGS = {"{", *_DIFFERENTIALS, *_SHORT, *_DOTS, *commands.FRACTIONS} - {"d"}
"""What a derivative may begin with, besides a d."""


class Operator(NamedTuple):
    """A derivative: its sign, the order above the line, and the variables below, one for each order.

    `above` are the places of what stands behind the sign above the line; `end` is that of what follows the whole.
    """

    sign: str
    order: int
    wrt: tuple[str, ...]
    above: Span
    end: int

    @property
    def is_of_numerator(self) -> bool:
        """Return whether what is differentiated stands above the line."""
        return self.above[0] < self.above[1]

    @property
    def below(self) -> str:
        """Return what stands below the line, in plain text: dx^2, ∂x∂y."""
        names = ((name, len([*same])) for name, same in groupby(self.wrt))
        return "".join(f"{self.sign}{name}{raised(count)}" for name, count in names)

    def check(self, span: Span) -> None:
        """Raise `ExpressionSyntaxError` where the orders above and below the line differ, or are out of range."""
        count = len(self.wrt)
        if self.order != count:
            hint = f"write \\frac{{d^{count}}}{{...}}" if count > 1 else None
            message = "this derivative has two different orders"
            raise ExpressionSyntaxError(message, span, hint)
        check_order(count, span)


def raised(order: int) -> str:
    """An order as an exponent in plain text, in as few signs as it takes; nothing for the first."""
    return "" if order == 1 else "²³⁴⁵⁶⁷⁸⁹"[order - 2] if order < 10 else f"^{order}"


def operator(tokens: Tokens, i: int, declared: Collection[str] = ()) -> Operator | None:
    """The derivative that begins at a token; None if none does, or if d is declared as a name."""
    text = tokens[i][1]
    if text in _DIFFERENTIALS:
        return _inline(tokens, i, declared)
    if text in _SHORT:
        return _short(tokens, i, declared)
    if text in _DOTS:
        _, end = tex.argument(tokens, i + 1)
        name = (i + 1 + end) // 2  # alone, or in braces
        wrt = ("t",) * _DOTS[text]
        found = Operator("d", len(wrt), wrt, (name, name + 1), end)
        return found if end - i in (2, 4) else None
    start = i + 1 + (text != "{" and [t[1] for t in tokens[i + 1 : i + 2]] == ["{"])
    sign = tokens[start][1] if start < len(tokens) else ""
    if sign not in _DIFFERENTIALS or (sign == "d" and "d" in declared):
        return None
    if text == "{":
        inside, end = tex.argument(tokens, i)
        texts = [token[1] for token in inside]
        line = texts.index("\\over") if "\\over" in texts else 0
        above, below = inside[:line], inside[line + 1 :]
    else:
        above, middle = tex.argument(tokens, i + 1)
        below, end = tex.argument(tokens, middle)
    order = _order(above, 1)
    wrt, after = _below(below, 0, declared)
    # \delta x that stands alone, too, is a small difference, and \delta y over it a quotient
    is_quotient = sign == "\\delta" and len(above) > 1 and sum(t[1] == sign for t in tokens) > 2  # fmt: skip
    if not above or order is None or not wrt or after < len(below) or is_quotient:
        return None
    first, last = start + order[1], start + len(above)
    if first < last and tex.argument(tokens, first)[1] == last > first + 2:  # \dd{y}
        first, last = first + 1, last - 1
    return Operator(_DIFFERENTIALS[sign], order[0], wrt, (first, last), end)


def _short(tokens: Tokens, i: int, declared: Collection[str]) -> Operator | None:
    r"""The derivative \\dv{x}, \\dv[2]{f}{x} or \\pdv{f}{x}{y}, as the package physics has them."""
    option, end = [("NUMBER", "1", 0, 0)], i + 1
    if [t[1] for t in tokens[end : end + 1]] == ["["]:
        option, end = tex.group(tokens, end, "]")
    groups: list[Span] = []
    while end < len(tokens) and tokens[end][1] == "{":
        start, (_, end) = end + 1, tex.argument(tokens, end)
        groups.append((start, end - 1))
    above = groups.pop(0) if len(groups) > 1 else (i, i)
    below = [token for group in groups for token in tokens[slice(*group)]]
    wrt, after = _below(below, 0, declared, signs=0)
    if not wrt or after < len(below) or [t[0] for t in option] != ["NUMBER"]:
        return None
    order = order_of(option[0][1])
    return Operator(_SHORT[tokens[i][1]], order * len(groups), wrt * order, above, end)


def _inline(tokens: Tokens, i: int, declared: Collection[str]) -> Operator | None:
    r"""The derivative d/dx or \\partial_x in one line."""
    sign = _DIFFERENTIALS[tokens[i][1]]
    if sign == "∂" and [t[1] for t in tokens[i + 1 : i + 2]] == ["_"]:
        inside, end = tex.argument(tokens, i + 2)
        wrt, _ = _below(inside, 0, declared, signs=0)
        return Operator(sign, len(wrt), wrt, (i, i), end) if wrt else None
    order = _order(tokens, i + 1)
    if order is None or [t[1] for t in tokens[order[1] : order[1] + 1]] != ["/"]:
        return None
    wrt, end = _below(tokens, order[1] + 1, declared)
    is_whole = wrt and len(wrt) == order[0]
    return Operator(sign, len(wrt), wrt, (i, i), end) if is_whole else None


def _order(tokens: Tokens, i: int) -> tuple[int, int] | None:
    """The order behind a d, and what follows it; None where an exponent is no number or sum of numbers."""
    sign = tokens[i][1] if i < len(tokens) else ""
    if sign and characters.is_number(sign):  # d²
        return int(characters.raised(sign)), i + 1
    if sign != "^":
        return 1, i
    inside, after = tex.argument(tokens, i + 1)
    digits = "".join(token[1] for token in inside)
    terms = digits.split("+")
    if not all(map(str.isdecimal, terms)) or (len(digits) > 1 and tokens[i + 1][1] != "{"):  # fmt: skip
        return None
    return sum(map(order_of, terms)), after


def _below(
    tokens: Tokens, i: int, declared: Collection[str], signs: int = 1
) -> tuple[tuple[str, ...], int]:
    r"""The variables below the line: dx, dx^2, \\partial x\\partial y; none if something else stands there.

    `signs` stand before each of them.
    """
    wrt: list[str] = []
    while i < len(tokens) and (tokens[i][1] in _DIFFERENTIALS or not signs):
        if len(wrt) > MOST_ORDERS:
            break
        inside, i = tex.argument(tokens, i + signs)
        accent = commands.ACCENTS.get(inside[0][1], "") if inside else ""
        if accent:
            inside, i = tex.argument(tokens, i)
        name = letter_of(inside[0]) + f"_{accent}" * bool(accent) if inside else ""
        behind = inside[1:]
        if not behind and i < len(tokens) and tokens[i][1] == "_":
            start, (_, i) = i, tex.argument(tokens, i + 1)
            behind = [*tokens[start:i]]
        order = _order(tokens, i)
        if not name or (behind and behind[0][1] != "_") or order is None:
            return (), i
        names = [f"{name}{mark}{_subscript(behind)}" for mark in ("_" * bool(behind), "")]  # fmt: skip
        last, i = i - 1, order[1]
        # before it is written out: dx^{999999999} would fill the memory with names
        check_order(order[0], (tokens[last][2], tokens[i - 1][3]))
        wrt += [next((n for n in names if n in declared), names[0])] * order[0]
    return tuple(wrt), i


def letter_of(token: tex.Token) -> str:
    """The name that a letter or a word stands for; nothing for another token."""
    if token[0] in ("NAME", "WORD"):
        return token[1]
    return (commands.letters(token[1]) or ("",))[0]


def _subscript(tokens: Tokens) -> str:
    return "".join(letter_of(t) or t[1] * (t[0] == "NUMBER") for t in tokens)
