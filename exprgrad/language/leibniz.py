"""Derivatives in Leibniz's notation, taken apart: d/dx, ∂²/∂x², df/dx, ∂^2f/∂x∂y.

`grammars/names.lark` says what they look like; here is what they mean.

    read("∂²f/∂x∂y", (0, 8))        Derivative("f", ("x", "y"))
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from exprgrad.errors import ExpressionSyntaxError, Span

MOST_ORDERS = 20
"""The highest order of a derivative in a text."""

PRIMES = "'′’"

_ORDER, _VARIABLE = r"\^[0-9]+|[²³⁴-⁹]", r"[^\W\d_][^\Wπ⁰¹²³⁴-⁹]*"
_DIGITS = str.maketrans("²³⁴⁵⁶⁷⁸⁹", "23456789", "^")


class Derivative(NamedTuple):
    """The derivative of what has that name, or of what follows where there is none.

    It is taken with respect to the variables of `wrt`, one after the other.
    """

    name: str
    wrt: tuple[str, ...]


@functools.cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """The whole, one variable below the line, and the tokens of a mere quotient of names."""
    below = rf"[d∂]({_VARIABLE})({_ORDER})?"
    whole = rf"[d∂]({_ORDER})?({_VARIABLE})?\s*/\s*((?:[d∂]{_VARIABLE}(?:{_ORDER})?)+)"
    tokens = (
        rf"(?P<NAME>{_VARIABLE})|(?P<_POWER>\^)|(?P<NUMBER>[0-9]+)"
        r"|(?P<SUPERSCRIPT>[²³⁴-⁹])|(?P<_OVER>/)"
    )
    return re.compile(whole), re.compile(below), re.compile(tokens)


def is_leibniz(text: str) -> bool:
    """Whether a text is a derivative in this notation."""
    return _patterns()[0].fullmatch(text) is not None


def names(text: str) -> tuple[str, tuple[str, ...]]:
    """The name above the line ("" if there is none), and those below it."""
    match = _patterns()[0].fullmatch(text)
    assert match is not None, text
    return match[2] or "", tuple(v for v, _ in _patterns()[1].findall(match[3]))


def place_of_name(text: str, start: int) -> Span:
    """Where the name above the line stands, in a text that begins at `start`."""
    match = _patterns()[0].fullmatch(text)
    assert match is not None, text
    return start + match.start(2), start + match.end(2)


def read(text: str, span: Span) -> Derivative:
    """What a text stands for. Raises `ExpressionSyntaxError` where its orders make no sense."""
    match = _patterns()[0].fullmatch(text)
    assert match is not None, text
    above, name, below = match[1], match[2] or "", match[3]
    wrt: list[str] = []
    for variable, order in _patterns()[1].findall(below):
        wrt += [variable] * _number(order)
    if _number(above) != len(wrt):
        raise ExpressionSyntaxError(
            f"{text} has two different orders",
            span,
            _with_equal_orders(text),
        )
    check_order(len(wrt), span)
    return Derivative(name, tuple(wrt))


def _with_equal_orders(text: str) -> str:
    """A hint for different orders above and below the line, as in d^2/dx or d^2/dxdy."""
    name, (variable, *_) = names(text)
    first, _, second = variable.partition("d")
    if first and second:
        return f"write d/d{first} d/d{second} for a mixed derivative"
    return f"write d^2{name}/d{variable}^2"


def check_order(order: int, span: Span) -> int:
    """An order as it is. Raises `ExpressionSyntaxError` for one that is not from 1 to `MOST_ORDERS`."""
    if not 1 <= order <= MOST_ORDERS:
        raise ExpressionSyntaxError(
            f"the order of a derivative is a whole number from 1 to {MOST_ORDERS}", span
        )
    return order


def _number(order: str | None) -> int:
    """An order as it is written above or below; a very high one is cut."""
    return min(int((order or "").translate(_DIGITS)[:9] or 1), 1000)


def as_quotient(text: str, start: int) -> Iterator[tuple[str, str, Span]]:
    """The tokens of a text that is only a quotient of names, such as dy/dx where `dx` is declared."""
    for match in _patterns()[2].finditer(text):
        span = start + match.start(), start + match.end()
        yield match.lastgroup or "", match.group(), span


def without_operators(text: str) -> str:
    """A text with blanks in place of what is written in this notation."""
    return _patterns()[0].sub(" ", text)
