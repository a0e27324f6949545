"""Proof that an expression is 0 wherever it is defined over the reals."""

from exprgrad.graph import Constant, Value
from exprgrad.simplify import simplify


def vanishes(root: Value) -> bool:
    """Whether an expression is found to be 0 by bringing it to canonical form."""
    result = simplify(root)
    return isinstance(result, Constant) and result.data == 0
