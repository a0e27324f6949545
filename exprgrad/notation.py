"""A graph as text that parses back to it, fully bracketed, or as LaTeX.

Everything comes from the `text` and `latex` notations of the operation table: an operand goes into
brackets when it binds less tightly than its place asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from exprgrad.graph import Constant, Value
from exprgrad.operation import Notation, Operation, show

_ATOM, _SIGN, _FRACTION = 10, 7, 6

_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon "
    "phi chi psi omega"
).split()
_GREEK_LETTERS = dict(zip("αβγδεζηθικλμνξπρστυφχψω", _GREEK, strict=True))
_CAPITALS = dict(
    zip(
        "ΓΔΘΛΞΠΣΥΦΨΩ",
        "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split(),
        strict=True,
    )
)


def text(root: Value) -> str:
    """The graph as source text, with no bracket that the grammar does not need."""
    return "".join(_pieces(root, lambda o: o.text, _leaf, "()", full=False))


def bracketed(root: Value) -> str:
    """The graph as source text with every operation inside another one in brackets."""
    return "".join(_pieces(root, lambda o: o.text, _leaf, "()", full=True))


def latex(root: Value) -> str:
    """The graph as LaTeX, without dollar signs."""
    return "".join(
        _pieces(
            root, lambda o: o.latex, _latex_leaf, (r"\left(", r"\right)"), full=False
        )
    )


def _pieces(
    root: Value,
    notation: Callable[[Operation], Notation],
    leaf: Callable[[Value], str],
    brackets: str | tuple[str, str],
    full: bool,
) -> Iterator[str]:
    """The text in pieces, by a stack of what is still to be written."""
    stack: list[str | tuple[Value, int, bool]] = [(root, 0, True)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        node, needed, leads = item
        if _precedence(node, notation) < needed or (
            not leads and _begins_with_sign(node, notation)
        ):
            yield brackets[0]
            stack.append(brackets[1])
        if node.operation is None:
            yield leaf(node)
            continue
        for i, piece in reversed(list(enumerate(notation(node.operation).pieces))):
            if isinstance(piece, str):
                stack.append(piece)
            else:
                operand, place = piece
                inside = place == 0 and i > 0
                place = _ATOM if full and not inside else place
                stack.append((node.operands[operand], place, i == 0 or inside))


def _precedence(node: Value, notation: Callable[[Operation], Notation]) -> int:
    if node.operation is not None:
        return notation(node.operation).precedence
    if isinstance(node, Constant) and node.name is None and node.data is not None:
        if node.exact is not None and node.exact.denominator != 1:
            return _FRACTION
        return _SIGN if node.data < 0 else _ATOM
    return _ATOM


def _begins_with_sign(node: Value, notation: Callable[[Operation], Notation]) -> bool:
    while node.operation is not None:
        first = notation(node.operation).pieces[0]
        if isinstance(first, str):
            return first.startswith("-")
        node = node.operands[first[0]]
    return isinstance(node, Constant) and node.name is None and (node.data or 0.0) < 0


def _leaf(node: Value) -> str:
    if node.name is not None:
        return node.name
    if isinstance(node, Constant) and node.exact is not None:
        return str(node.exact)
    return show(node.data) if node.data is not None else "?"


def _latex_leaf(node: Value) -> str:
    if node.name is not None:
        return latex_name(node.name)
    if (
        isinstance(node, Constant)
        and node.exact is not None
        and node.exact.denominator != 1
    ):
        sign = "-" if node.exact < 0 else ""
        return (
            rf"{sign}\frac{{{abs(node.exact.numerator)}}}{{{node.exact.denominator}}}"
        )
    mantissa, _, exponent = _leaf(node).partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def latex_name(name: str) -> str:
    """A variable's name: Greek letters by their commands, subscripts, several letters upright."""
    base, _, subscript = name.partition("_")
    digits = base.rstrip("0123456789₀₁₂₃₄₅₆₇₈₉")
    if (
        not subscript
        and digits
        and digits != base
        and (len(digits) == 1 or digits in _GREEK)
    ):
        base, subscript = digits, base[len(digits) :]
    if base in _GREEK:
        base = f"\\{base}"
    elif base in _GREEK_LETTERS:
        base = f"\\{_GREEK_LETTERS[base]}"
    elif base in _CAPITALS:
        base = f"\\{_CAPITALS[base]}"
    elif len(base) > 1:
        base = rf"\mathrm{{{base}}}"
    return f"{base}_{{{subscript}}}".replace("_{}", "") if subscript else base
