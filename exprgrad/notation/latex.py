r"""A graph as LaTeX, the way mathematicians write.

Fractions are \frac, the square of a sine is \sin^{2}, products have no sign, and brackets grow only around
what is tall.
"""

from __future__ import annotations

import re

from exprgrad.graph.rational import rational
from exprgrad.graph.value import Constant, Value
from exprgrad.graph.value import node as build
from exprgrad.lazy import pattern
from exprgrad.notation.text import leaf, written
from exprgrad.operations.operation import Notation, Operation
from exprgrad.operations.table import DIV, EQ, ITEM, MUL, NEG
from exprgrad.operations.vocabulary import CONSTANTS, GREEK

# there is no \omicron in LaTeX, where that letter is an o
_GREEK = frozenset(filter(str.islower, GREEK)) - {"omicron"}
GREEK_LETTERS = {sign: name for name, sign in GREEK.items() if name != "omicron"}
"""The commands of Greek letters that have one."""

_FUNCTIONS = frozenset("fghFGHψΓ") | {"psi"}
"""Names that are functions where brackets follow."""


def latex(root: Value) -> str:
    """The graph as LaTeX, without dollar signs."""
    if root.operation is EQ:  # a chain of `=` would be worth its last side
        return f"({latex(root.operands[0])} = {latex(root.operands[1])})"
    # ordinary brackets in place of growing ones, except around what is tall
    text = written(root, latex_notation, _latex_leaf, (r"\left(", r"\right)"))
    out: list[str] = []
    opened: list[int] = []
    tall: list[bool] = [False]
    for part in re.split(r"(\\left\(|\\right\))", text):
        if part == r"\left(":
            opened.append(len(out))
            tall.append(False)
        elif part == r"\right)":
            start, grows = opened.pop(), tall.pop()
            if not grows:
                out[start], part = "(", ")"
            # brackets around brackets that grow have to grow, too
            tall[-1] = tall[-1] or grows
        elif _TALL.search(part):
            tall[-1] = True
        out.append(part)
    return "".join(out)


def latex_notation(node: Value) -> Notation:
    """Return how an operation is written where it stands: a row's notation, but for signs, products, powers and roots."""
    operation = node.operation
    assert operation is not None
    if operation.whole and operation.whole.variadic:
        return _listed(operation, len(node.operands))
    if operation in (MUL, DIV):
        positive = _without_sign(node)
        if positive is not None:
            return Notation(("-", (positive, 6)), 5)
    if operation is MUL:
        left, right = node.operands
        # without a dot 2 3 would print as 23, and 3 \frac{1}{4} as a mixed number
        dot = _begins_with_digit(right) or (_is_number(left) and _is_fraction(right))
        sign = r" \cdot " if dot or _looks_called(left, right) else " "
        return operation.latex._replace(pieces=((0, 6), sign, (1, 7)))
    if operation.rule == "power":
        return _power(node, operation)
    return operation.latex


def _listed(operation: Operation, count: int) -> Notation:
    """An operation with that many operands; the indices of an element are a subscript."""
    begin, end = operation.latex.pieces[0], operation.latex.pieces[-1]
    first = 1 if operation is ITEM else 0
    head: tuple[str | tuple[int, int], ...] = (begin,)
    if first:
        head = ("{", (0, 10), "}_{")
    rest = [piece for i in range(first, count) for piece in (", ", (i, 0))][1:]
    return Notation((*head, *rest, end), 10)


def _without_sign(node: Value, depth: int = 40) -> Value | None:
    """A product or fraction without its leading minus sign; None if it has none."""
    spine = [node]
    while spine[-1].operation in (MUL, DIV):
        # every product of a long chain comes here and walks down to its first factor: quadratic work without a bound
        if len(spine) > depth:
            return None
        spine.append(spine[-1].operands[0])
    last = spine.pop()
    if last.operation is not NEG:
        return None
    result = last.operands[0]
    for item in reversed(spine):
        assert item.operation is not None
        result = build(item.operation, (result, item.operands[1]))
    return result


def _factor(node: Value, side: int) -> Value:
    """The first factor of a product, or with `side` 1 its last."""
    while node.operation is MUL:
        node = node.operands[side]
    return node


def _is_number(node: Value) -> bool:
    """Return whether a factor ends with a number."""
    node = _factor(node, 1)
    return isinstance(node, Constant) and node.name is None


def _is_fraction(node: Value) -> bool:
    """Return whether a factor begins with a fraction, which would make a mixed number with a number before it."""
    node = _factor(node, 0)
    if isinstance(node, Constant):
        return node.exact is not None and node.exact.denominator != 1
    return node.operation is DIV


def _looks_called(left: Value, right: Value) -> bool:
    """Return whether a name before brackets would be taken for a function: f (x + 1)."""
    left, right = _factor(left, 1), _factor(right, 0)
    if left.operation is not None or left.name is None:
        return False
    tight = right.operation is None or right.operation.latex.precedence >= 7
    words = len(left.name) > 1 and left.name not in (*_GREEK, *CONSTANTS)
    return not tight and (words or left.name in _FUNCTIONS)


def _power(node: Value, operation: Operation) -> Notation:
    base = node.operands[0].operation
    first = base.latex.pieces[0] if base is not None else ""
    name = isinstance(first, str) and re.fullmatch(r"(\\(?:arc)?[a-z]+)\\left\(", first)
    # \sin^{2}(x), but never \sin^{-1}(x), which is the inverse function
    if name and base is not None and base.arity == 1 and _is_count(node.operands[1]):
        inner = node.operands[0].operands[0]
        return Notation(
            (name[1] + "^{", (1, 0), r"}\left(", (inner, 0), r"\right)"), 10
        )
    degree = _root_degree(node.operands[1])
    if degree is not None:
        return Notation((rf"\sqrt[{degree}]{{", (0, 0), "}"), 10)
    logarithm = isinstance(first, str) and first.startswith((r"\ln", r"\log"))
    number = node.operands[0]
    # a number in several pieces: -1, 1/3, 1.5e30
    split = isinstance(number, Constant) and number.name is None
    split = split and not _latex_leaf(number).replace(".", "").isdigit()
    # \ln(x+1)^{n} would be read as ln((x+1)^n)
    if logarithm or split:
        return Notation((r"\left(", (0, 0), r"\right)^{", (1, 0), "}"), 8)
    return operation.latex


MOST_DEGREE = 12
"""Of a root that is written with a root sign."""


def _root_degree(exponent: Value) -> int | None:
    """n of an exponent 1/n that is written as a root."""
    written_so = exponent.operation in (None, DIV)
    exact = rational(exponent, 3) if written_so else None
    if exact is None or exact.numerator != 1:
        return None
    return exact.denominator if 3 <= exact.denominator <= MOST_DEGREE else None


def _is_count(exponent: Value) -> bool:
    is_number = isinstance(exponent, Constant) and exponent.name is None
    return is_number and (exponent.data or 0.0) > 0


def _begins_with_digit(node: Value) -> bool:
    """Return whether a factor begins with a number, which would run into a number before it."""
    while node.operation is not None:
        if node.operation is not MUL and node.operation.latex.precedence < 7:
            return False  # it will stand in brackets
        first = node.operation.latex.pieces[0]
        if isinstance(first, str) or node.operation is MUL:
            return False
        node = node.operands[first[0]]
    return isinstance(node, Constant) and node.name is None


_TALL = pattern(r"\\frac|\\begin|\\sqrt|\\left")


def _latex_leaf(node: Value) -> str:
    if node.name is not None:
        return latex_name(node.name)
    exact = node.exact
    if exact is not None and exact.denominator != 1:
        sign = "-" if exact < 0 else ""
        return rf"{sign}\frac{{{abs(exact.numerator)}}}{{{exact.denominator}}}"
    mantissa, _, exponent = leaf(node).partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def name_parts(name: str) -> tuple[str, str]:
    """A variable's name without its subscript, which follows `_` or is the digits behind a letter, and that."""
    base, _, subscript = name.partition("_")
    letters = base.rstrip("0123456789₀₁₂₃₄₅₆₇₈₉")
    is_letter = len(letters) == 1 or letters in _GREEK
    # x1 is x_1 to the reader of LaTeX, while rate1 is a word
    if is_letter and letters != base and not subscript:
        return letters, base[len(letters) :]
    return base, subscript


def latex_name(name: str) -> str:
    """A variable's name: Greek letters as commands, several letters upright, with subscripts."""
    base, subscript = name_parts(name)
    if base in _GREEK:
        base = f"\\{base}"
    elif base in GREEK_LETTERS:
        base = f"\\{GREEK_LETTERS[base]}"
    elif len(base) > 1:
        base = rf"\mathrm{{{base}}}"
    if len(subscript) > 1 and subscript.isalpha():
        subscript = rf"\mathrm{{{subscript}}}"
    return f"{base}_{{{subscript}}}" if subscript else base
