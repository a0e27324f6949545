r"""Statements in LaTeX as statements of the session's own language.

    in_text(r"f(x) = x^2\sin x", ())       "f(x) = x^2*sin(x)"
    in_text(r"\frac{a}{2} at a=3", ())     "a/2 at a=3"

A definition is kept as its text, so it is shown and saved as it was read.
"""

from __future__ import annotations

from collections.abc import Collection

from exprgrad.errors import ExpressionSyntaxError, ExprgradError
from exprgrad.expressions.expression import parse_latex
from exprgrad.language.latex.formulas import formulas
from exprgrad.language.latex.stream import TextPerhaps
from exprgrad.patterns import pattern

_AT = pattern(r"\s+(?:at|for)\s+(?=[^\W\d_]\w*\s*=)")


def in_text(source: str, known: Collection[str]) -> str:
    """A statement as text; one without a backslash that is no LaTeX after all stays what it is.

    `known` are names that stand for something. Raises `ExprgradError`.
    """
    found = _AT.search(source)
    body, given = (source, "") if found is None else (source[: found.start()], source[found.start() :])  # fmt: skip
    try:
        return f"{_statement(body, known)}{given}"
    except TextPerhaps:
        return source
    except ExprgradError as error:
        error.source = source if error.source == body else error.source
        raise


def _statement(source: str, known: Collection[str]) -> str:
    expression = str(parse_latex(source, known))
    shapes = formulas(source)
    head = shapes[0].head if shapes else None
    if head is None or len(shapes[0].sides) < 2:
        return expression
    if head.order or head.wrt:
        raise ExpressionSyntaxError(
            "a function is defined without the prime",
            shapes[0].sides[0],
            f":check {head.name}, 2x asks whether 2x is its derivative",
            source=source,
        )
    name = head.name + (f"_{head.subscript}" if head.subscript else "")
    listed = f"({', '.join(head.arguments)})" if head.arguments else ""
    return f"{name}{listed} = {expression}"
