"""Derivatives in Leibniz's notation, taken apart: d/dx, ∂²/∂x², df/dx, ∂^2f/∂x∂y.

`grammars/names.lark` says what they look like; here is what they mean.

    read("∂²f/∂x∂y", (0, 8))        Derivative("f", ("x", "y"))
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain

from exprgrad.annotations import TYPE_CHECKING, NamedTuple
from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language import brackets, inputs
from exprgrad.lazy import pattern

if TYPE_CHECKING:
    import re

MOST_ORDERS = 100
"""The highest order of a derivative in a text."""

PRIMES = "'′’"

OPERATOR = "D_"
"""The beginning of the operator D_x."""

_ORDER, VARIABLE = r"\^[0-9]+|[²³⁴-⁹]", r"[^\W\d_][^\Wπ⁰¹²³⁴-⁹ⁱⁿʰ-ʸˠ-ˤᴬ-ᵡ¼-¾⅐-⅞]*"
# the same order above and below the line: d2/dx3 is a quotient of names
_GROUP = r"\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)"
_PLAIN_ORDERS = rf"(?<!\w)([d∂])([2-9])([^\W\d_]?|\s*{_GROUP}\s*)/((?:\1[^\W\d_][2-9]?)+)(?!\w)"  # fmt: skip
_RAISED = str.maketrans("23456789", "²³⁴⁵⁶⁷⁸⁹")
_DIGITS = str.maketrans("²³⁴⁵⁶⁷⁸⁹", "23456789", "^")


class Derivative(NamedTuple):
    """The derivative of what has that name, or of what follows where there is none.

    It is taken with respect to the variables of `wrt`, one after the other.
    """

    name: str
    wrt: tuple[str, ...]


_BELOW = pattern(rf"[d∂]({VARIABLE})({_ORDER})?")
_WHOLE = pattern(rf"[d∂]({_ORDER})?({VARIABLE})?\s*/\s*((?:[d∂]{VARIABLE}(?:{_ORDER})?)+)")  # fmt: skip
_QUOTIENT = pattern(
    rf"(?P<NAME>{VARIABLE})|(?P<_POWER>\^)|(?P<NUMBER>[0-9]+)"
    r"|(?P<SUPERSCRIPT>[²³⁴-⁹])|(?P<_OVER>/)"
)
"""The whole, one variable below the line, and the tokens of a mere quotient of names."""


def is_leibniz(text: str) -> bool:
    """Return whether a text is a derivative in this notation."""
    return _WHOLE.fullmatch(text) is not None


def names(text: str) -> tuple[str, tuple[str, ...]]:
    """The name above the line ("" if there is none), and those below it."""
    if text.startswith(OPERATOR):
        return "", (inputs.normal(text.removeprefix(OPERATOR)),)
    match = _WHOLE.fullmatch(text)
    assert match is not None, text
    below = tuple(inputs.normal(v) for v, _ in _BELOW.findall(match[3]))
    return inputs.normal(match[2] or ""), below


def all_below(text: str) -> set[str]:
    """The names by which anything in a text is differentiated: x and y of d/dx z + dz/dy."""
    return {name for found in _WHOLE.finditer(text) for name in names(found[0])[1]}


def place_of_name(text: str, start: int) -> Span:
    """Return where the name above the line stands, in a text that begins at `start`."""
    match = _WHOLE.fullmatch(text)
    assert match is not None, text
    return start + match.start(2), start + match.end(2)


def read(text: str, span: Span) -> Derivative:
    """Return what a text stands for. Raises `ExpressionSyntaxError` where its orders make no sense."""
    name, below = names(text)
    match = _WHOLE.fullmatch(text)
    if match is None:  # D_x
        return Derivative(name, below)
    orders = [order_of(order) for _, order in _BELOW.findall(match[3])]
    if order_of(match[1]) != sum(orders):
        first, _, second = below[0].partition("d")
        hint = f"write d^2{name}/d{below[0]}^2"
        if first and second:
            hint = f"write d/d{first} d/d{second} for a mixed derivative"
        raise ExpressionSyntaxError(f"{text} has two different orders", span, hint)
    check_order(sum(orders), span)
    wrt = ((variable,) * order for variable, order in zip(below, orders, strict=True))
    return Derivative(name, tuple(chain(*wrt)))


def check_order(order: int, span: Span) -> int:
    """An order as it is. Raises `ExpressionSyntaxError` for one that is not from 1 to `MOST_ORDERS`."""
    if not 1 <= order <= MOST_ORDERS:
        message = f"the order of a derivative is a whole number from 1 to {MOST_ORDERS}"
        raise ExpressionSyntaxError(message, span)
    return order


def order_of(raised: str | None) -> int:
    """The order that is written above or below the line, `^22` or `²`; one beyond `MOST_ORDERS` is cut to one beyond."""
    # nine digits are beyond every order, and int() refuses more than 4,300
    digits = (raised or "").translate(_DIGITS).lstrip("0")
    return min(int(digits[:9] or (0 if raised else 1)), MOST_ORDERS + 1)


def checked_order(raised: str, span: Span) -> int:
    """The order that is written there. Raises `ExpressionSyntaxError` as `check_order` does."""
    return check_order(order_of(raised), span)


def as_quotient(text: str, start: int) -> Iterator[tuple[str, str, Span]]:
    """The tokens of a text that is only a quotient of names, such as dy/dx where `dx` is declared."""
    if text.startswith(OPERATOR):
        yield "NAME", text, (start, start + len(text))
        return
    for match in _QUOTIENT.finditer(text):
        span = start + match.start(), start + match.end()
        yield match.lastgroup or "", match.group(), span


def without_operators(text: str) -> str:
    """A text with blanks in place of what is written in this notation."""
    if "/" not in text:
        return text
    text, operators = prepared(text, ())
    for place in operators:
        text = f"{text[:place]} {text[place + 1 :]}"
    return _WHOLE.sub(" ", text)


def prepared(source: str, declared: Collection[str]) -> tuple[str, dict[int, str]]:
    """A text in which (d/dx) and d(...)/dx are d/dx, with blanks for what is left over; and operators by their places.

    prepared("d(x^2)/dx", ())       ("d(x^2)   ", {0: "d/dx"})
    """
    source = usual(source, declared)
    if "/" not in source or not ("d" in source or "∂" in source) or "d" in declared:
        return source, {}
    import re

    below = re.compile(rf"\s*/\s*[d∂]({VARIABLE})({_ORDER})?")
    closed = brackets.closed(source)
    operators: dict[int, str] = {}
    blank: list[Span] = []
    for head in re.finditer(rf"(?<!\w)[d∂]({_ORDER})?\s*(?=[(\[{{])", source):
        found = below.match(source, closed.get(head.end(), len(source)) + 1)
        if found is not None and f"d{found[1]}" not in declared:
            above, order = head[1] or "", found[2] or ""
            operators[head.start()] = f"d{above}/d{found[1]}{order}"
            blank += [(head.start() + 1, head.end()), found.span()]
    pieces, end = [], 0
    for start, stop in sorted(blank):
        pieces += [source[end:start], " " * (stop - start)]
        end = stop
    return "".join([*pieces, source[end:]]), operators


def usual(source: str, declared: Collection[str]) -> str:
    """A text with operators as they are usually written; nothing moves.

    usual("(d/dx)(x^2)", ())     " d/dx (x^2)"
    usual("pi()*x", ())          "pi  *x"
    usual("x_{1}", ())           "x_1  "
    usual("sqrt[3](x)", ())      "cbrt   (x)"
    usual("d2/dx2 x^3", ())      "d²/dx² x^3"
    usual("Derivative[1][f]", ())  "f'              "
    """
    if any(sign in source for sign in ("()", "_{", "δ/", "∂_", "sqrt[", "ative[")):
        source = _usual(source)
    if "/" not in source or not ("d" in source or "∂" in source) or "d" in declared:
        return source
    import re

    # Each pattern is guarded by a text without which it cannot match: most texts need none of them.
    if any(f"{sign}{n}" in source for sign in "d∂" for n in "23456789"):
        source = re.sub(_PLAIN_ORDERS, _with_raised_orders, source)
    if "/(d" in source.replace(" ", ""):
        above = rf"(?:(?<!\w)(?<!\w\s)|(?P<opened>\())(d(?:{_ORDER})?)(?(opened)\))"
        source = re.sub(
            rf"{above}(\s*/\s*)\((d[^\W\d_](?:{_ORDER})?)\)",
            lambda m: f"{' ' * bool(m[1])}{m[2]}{' ' * bool(m[1])}{m[3]} {m[4]} ",
            source,
        )
    if "/d " in source:
        source = re.sub(r"(?<!\w)d/d(\s+)([^\W\d_])(?=\W)", r"d/d\2\1", source)
    operator = rf"[d∂](?:{_ORDER})?\s*/\s*[d∂]({VARIABLE})(?:{_ORDER})?"
    around = rf"[(\[{{](\s*{operator}\s*)[)\]}}]"
    return re.sub(
        around, lambda m: m[0] if f"d{m[2]}" in declared else f" {m[1]} ", source
    )


def _usual(source: str) -> str:
    """A text with pi for pi(), a subscript for one in braces, cbrt for sqrt[3], D_x for ∂_x, ∂/∂ for δ/δ and f' for Derivative[1][f]."""
    import re

    source = re.sub(r"(?<!\w)Derivative\[([1-9]|1[0-6])\]\[([^\W\d]\w*)\]", lambda m: f"{m[2]}{chr(39) * int(m[1])}".ljust(len(m[0])), source)  # fmt: skip
    source = re.sub(r"(?<!\w)sqrt\[3\](?=\s*[(\[{])", "cbrt   ", source)
    source = re.sub(r"(?i)(?<!\w)(pi)(\(\))", r"\1  ", source)
    source = re.sub(r"(?<=\w)_\{(\w+)\}", r"_\1  ", source)
    source = re.sub(r"(?<!\w)∂_(?=[^\W\d_](?!\w))", OPERATOR, source)
    return re.sub(r"(?<!\w)δ/δ(?=[^\W\d_])", "∂/∂", source)


def _with_raised_orders(found: re.Match[str]) -> str:
    """d2y/dx2 as d²y/dx², ∂3f/∂x2∂y as ∂³f/∂x²∂y, d2(x^3)/dx2 as d²(x^3)/dx²; as it is where the orders differ."""
    if sum(int(b[1:] or 1) for b in found[4].split(found[1])[1:]) != int(found[2]):
        return found[0]
    order, below = found[2].translate(_RAISED), found[4].translate(_RAISED)
    return f"{found[1]}{order}{found[3]}/{below}"
