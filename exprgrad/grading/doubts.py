"""Whether a claim that is not right is about the function at all: only then is it called wrong.

A document uses a name for one function after the other. A slip changes a sign, a number or a function of the right
answer and leaves the rest; what has little in common with it is about something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.expressions.taylor import has_variables
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Value, is_variable
from exprgrad.notation.text import to_text
from exprgrad.operations.table import ADD, DIV, MUL, NEG, POW, SUB

LEAST = 0.4
"""The share of their parts that a claim and the right answer have in common at least."""

FEW = 3
"""Parts below which a claim has too little in it to be about something else."""

_PLAIN = frozenset((ADD, SUB, MUL, DIV, NEG, POW))


def doubt(
    function: Expression, wrt: str, claims: Sequence[str], answers: Sequence[Value]
) -> str:
    """Return why none of these wrong claims may be about a function with these forms of the right answer, or ""."""
    if function.variables and wrt not in function.variables:
        return f"there is no {wrt} in {_short(function)}: another function may be meant"
    known = {*function.variables, wrt}
    forms = [*answers, function.root]
    for text in claims:
        try:
            claim = parse(text, known, lenient=True)
        except ExprgradError:
            continue
        foreign = [name for name in claim.variables if name not in known]
        if foreign:
            return f"there is no {foreign[0]} in {_short(function)}: another function may be meant"
        if not claim.variables:
            continue
        own = _parts(claim.root)
        if own.total() < FEW:
            continue
        used, due = _functions(claim.root), [_functions(form) for form in forms]
        lacks = all(form and not used & form for form in due[: len(answers)])
        has_others = bool(used) and not any(used & form for form in due)
        shares = (
            (own & parts).total() / max(own.total(), parts.total())
            for parts in map(_parts, answers)
        )
        if lacks or has_others or all(share < LEAST for share in shares):
            return f"{_short(function)} may not be the function that is meant"
    return ""


def _functions(root: Value) -> set[str]:
    """The functions in a formula, and a sign for a quotient of what varies."""
    found = set()
    for item in topological(root):
        operation, operands = item.operation, item.operands
        if (operation is DIV and has_variables(operands[1])) or (
            operation is POW and (rational(operands[1]) or 0) < 0
        ):
            found.add("/")
        elif operation is not None and operation not in _PLAIN:
            found.add(operation.family or operation.name)
    return found


def _short(function: Expression) -> str:
    text = to_text(function.root)
    return text if len(text) < 40 else "the function above"


def _parts(root: Value) -> Counter[str]:
    """Numbers, variables and functions of a formula, each as often as it occurs."""
    parts: Counter[str] = Counter()
    for item in topological(root):
        if is_variable(item):
            parts[item.name or ""] += 1
        elif item.operation is None:
            parts[to_text(item)] += 1
        elif item.operation not in _PLAIN:
            parts[item.operation.name] += 1
    return parts
