"""A graph as Python code in the functions of the standard library's `math`."""

from __future__ import annotations

import keyword
import math

from exprgrad.errors import Hint, UsageError
from exprgrad.graph.rewriting import rebuilt, replaced
from exprgrad.graph.value import SYMBOLS, Constant, Value
from exprgrad.notation.text import leaf, written
from exprgrad.operations.operation import Notation, Operation

_MATH = {"ln": "log", "abs": "fabs"}
"""Names in `math` that differ from the table's."""

_PYTHON: dict[str, Notation] = {
    "pow": Notation(((0, 9), "**", (1, 8)), 8),
    "if": Notation(("(", (1, 1), " if ", (0, 1), " else ", (2, 1), ")"), 10),
    "sign": Notation(("((", (0, 10), " > 0) - (", (0, 10), " < 0))"), 10),
    "step": Notation(("float(", (0, 5), " >= 0)"), 10),
    "min": Notation(("min(", (0, 0), ", ", (1, 0), ")"), 10),
    "max": Notation(("max(", (0, 0), ", ", (1, 0), ")"), 10),
    "round": Notation(("round(", (0, 0), ")"), 10),
    "mod": Notation(((0, 6), " % ", (1, 8)), 6),
    "factorial": Notation(("math.factorial(int(", (0, 0), "))"), 10),
    "pow_even": Notation(("math.fabs(", (0, 0), ")**", (1, 8)), 8),
    "pow_odd": Notation(
        ("math.copysign(math.fabs(", (0, 0), ")**", (1, 8), ", ", (0, 0), ")"), 10
    ),
}


def python(root: Value) -> str:
    """The graph as a Python expression.

    Operations that `math` does not have are written by their formulas. Raises `UsageError` for those
    that have none.
    """
    return written(_in_math(root), _notation, _leaf, "()")


def _in_math(root: Value) -> Value:
    """The graph with operations that Python's `math` lacks replaced by their formulas."""
    return rebuilt(root, _by_formula)


def _by_formula(item: Value, operands: tuple[Value, ...]) -> Value | None:
    operation = item.operation
    if operation is None or _is_known(operation):
        return None
    if operation.formula is None:
        raise UsageError(
            f"Python's math has no {operation.signature}", hint=Hint("text_instead")
        )
    places = tuple(Value(None, f"argument {i}") for i in range(len(operands)))
    formula = rebuilt(SYMBOLS.bind(operation.formula)(*places), _by_formula)
    return replaced(formula, dict(zip(places, operands, strict=True)))


def _is_known(operation: Operation) -> bool:
    own = operation.name in _PYTHON or not operation.called
    return own or hasattr(math, _MATH.get(operation.name, operation.name))


def _notation(item: Value) -> Notation:
    operation = item.operation
    assert operation is not None
    if operation.name in _PYTHON:
        return _PYTHON[operation.name]
    if not operation.called:
        return operation.text
    rest = operation.text.pieces[1:]
    name = _MATH.get(operation.name, operation.name)
    return Notation((f"math.{name}(", *rest), 10)


def _leaf(item: Value) -> str:
    if isinstance(item, Constant) and item.name is not None:
        return f"math.{item.name}"
    return leaf(item) if item.name is None else python_name(item.name)


def python_name(name: str) -> str:
    """A variable's name in Python, where some words are taken."""
    taken = keyword.iskeyword(name) or name in ("math", "min", "max", "float", "round")
    return f"{name}_" if taken else name
