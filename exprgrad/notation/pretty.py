"""A graph as it is written by hand, as far as one line allows: x², 2·x, √(x + 1). The language reads it back."""

from __future__ import annotations

from exprgrad.graph.rational import rational
from exprgrad.graph.value import Value
from exprgrad.notation.text import leaf, to_text_as
from exprgrad.operations.operation import Notation
from exprgrad.operations.table import MUL, POW, SQRT

_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

_ROOT = Notation(("√(", (0, 0), ")"), 8)
_LEAF_ROOT = Notation(("√", (0, 10)), 8)


def to_pretty(root: Value) -> str:
    """The graph with superscripts, `·` and `√`."""
    return to_text_as(root, _notation)


def _notation(node: Value, plain: Notation) -> Notation:
    operation = node.operation
    if operation is MUL:
        pieces = tuple("·" if piece == "*" else piece for piece in plain.pieces)
        return plain._replace(pieces=pieces)
    if operation is SQRT:
        inner = node.operands[0]
        # people take √ab for √a·b, though the language reads it as one name
        is_letter = inner.operation is None and len(inner.name or "") == 1
        return _LEAF_ROOT if is_letter else _ROOT
    if operation is POW and _is_count(node.operands[1]):
        raised = leaf(node.operands[1]).translate(_RAISED)
        return plain._replace(pieces=((0, 10), raised))
    return plain


def _is_count(exponent: Value) -> bool:
    """Return whether an exponent is a whole number of at most three digits."""
    number = rational(exponent) if exponent.operation is None else None
    return number is not None and number.denominator == 1 and 0 <= number < 1000
