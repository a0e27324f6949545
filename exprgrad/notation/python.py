"""A graph as Python code in the functions of the standard library's `math`.

    to_python(parse("x^2*ln(x)").root)      # "x**2*math.log(x)"

Where the expression has no real value the code raises an error: a power whose base may be negative is a
call of `math.pow`, since ** would give a complex number.
"""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Iterable, Mapping
from functools import partial

from exprgrad.errors import Hint, RangeError, UsageError
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.rewriting import rebuilt, replaced
from exprgrad.graph.value import SYMBOLS, Constant, Value, is_variable
from exprgrad.notation.text import is_whole, leaf, written
from exprgrad.operations.operation import Notation
from exprgrad.operations.table import POW

_TAKEN = ("math", "min", "max", "float", "int", "round")

_POWER = Notation(((0, 9), "**", (1, 8)), 8)


def to_python(root: Value, names: Mapping[str, str] | None = None) -> str:
    """The graph as a Python expression; `names` are those of its variables: see `python_names`.

    Operations that `math` does not have are written by their formulas. Raises `UsageError` for those
    that have none, and `RangeError` for a number that Python would read as 0.
    """
    if names is None:
        variables = (item for item in topological(root) if is_variable(item))
        names = python_names(item.name or "" for item in variables)
    return written(rebuilt(root, _by_formula), _notation, partial(_leaf, names), "()")


def python_names(variables: Iterable[str]) -> dict[str, str]:
    """Different names in Python for different variables: x₁ is x1 there, and some words are taken."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for variable in dict.fromkeys(variables):
        # Python itself reads x₁ as x1, so that the two would be one variable
        name = unicodedata.normalize("NFKC", variable)
        while name in taken or keyword.iskeyword(name) or name in _TAKEN:
            name += "_"
        names[variable] = name
        taken.add(name)
    return names


def _by_formula(item: Value, operands: tuple[Value, ...]) -> Value | None:
    """The formula of an operation that Python's `math` lacks."""
    operation = item.operation
    if operation is None or operation.python is not None:
        return None
    if operation.formula is None:
        what = f"Python's math has no {operation.signature}"
        raise UsageError(what, hint=Hint("text_instead"))
    places = tuple(Value(None, f"argument {i}") for i in range(len(operands)))
    formula = rebuilt(SYMBOLS.bind(operation.formula)(*places), _by_formula)
    return replaced(formula, dict(zip(places, operands, strict=True)))


def _notation(item: Value) -> Notation:
    operation = item.operation
    assert operation is not None
    if operation is POW and _is_real(*item.operands):
        return _POWER
    assert operation.python is not None
    return operation.python


def _is_real(base: Value, exponent: Value) -> bool:
    """Return whether Python's ** gives no complex number."""
    return is_whole(exponent) or (isinstance(base, Constant) and (base.data or 0) > 0)


def _leaf(names: Mapping[str, str], item: Value) -> str:
    if isinstance(item, Constant) and item.name is not None:
        return f"math.{item.name}"
    if item.name is not None:
        return names[item.name]
    # 1e-400 is an exact number here, and the double 0.0 in Python
    if not item.data and rational(item) != 0:
        raise RangeError(f"{leaf(item)} is 0 in Python", hint=Hint("text_instead"))
    return leaf(item)
