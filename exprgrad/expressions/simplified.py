"""Any expression in fewer symbols.

simplify("(x^2 - 1)/(x - 1)")                       x + 1, and its `assumptions` are ("x != 1",)
simplify("(x - 1)*(x + 2)", form="expanded")        x^2 + x - 2
"""

from __future__ import annotations

from exprgrad.expressions.expression import Expression, parse


def simplify(expression: str | Expression, form: str = "short") -> Expression:
    """An expression, or its text, in the shortest form, or `factored`, or `expanded`.

    The result has the same value wherever the original has one; its `assumptions` are the conditions of the original
    that it no longer asks for. Raises `ExpressionSyntaxError` for text that is not an expression, `UsageError` for
    another form.
    """
    read = expression if isinstance(expression, Expression) else parse(expression)
    return read.simplify(form)
