r"""Statements in LaTeX as statements of the session's own language.

    in_text(r"f(x) = x^2\sin x", ())       "f(x) = x^2*sin(x)"
    in_text(r"\frac{a}{2} at a=3", ())     "a/2 at a=3"

A definition is kept as its text, so it is shown and saved as it was read.
"""

from __future__ import annotations

from collections.abc import Collection

from exprgrad.errors import ExpressionSyntaxError, ExprgradError, Span
from exprgrad.expressions.expression import Expression
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value, is_variable
from exprgrad.language import undefined
from exprgrad.language.latex import tex
from exprgrad.language.latex.formulas import head_of
from exprgrad.language.latex.reader import read, tex_plain
from exprgrad.language.latex.stream import TextPerhaps
from exprgrad.language.questions import formulas
from exprgrad.language.scanning.defined import Defined, Reference
from exprgrad.lazy import pattern
from exprgrad.notation.text import to_text

VALUES = pattern(r"\s+(?:at|for)\s+(?=[^\W\d_]\w*\s*=)")
"""What stands between a formula and the values of its variables."""


class _Calls(Defined):
    """Calls of functions that a session knows: they are kept, so that they follow their definitions."""

    def value(
        self, reference: Reference, arguments: tuple[Value, ...] | None, span: Span
    ) -> Value:
        """A leaf whose name is the call in the session's own language."""
        if arguments is None:
            if reference.wrt:
                return Value(None, f"({reference.text})")
            primed = reference.text if reference.order else f"{reference.name}'"
            message = f"{reference.name} is a function"
            raise ExpressionSyntaxError(message, span, f"write {primed}(x)")
        listed = ", ".join(map(to_text, arguments))
        # a definition is kept as text: the call is written as it is, and follows a later definition of f
        return Value(None, f"{reference.text}({listed})")

    def derivative(
        self, operand: Value, name: str, order: int, span: Span
    ) -> Value | None:
        """The derivative of what holds a call, which is taken when the function is known."""
        if not any(is_variable(v) and "(" in (v.name or "") for v in topological(operand)):  # fmt: skip
            return None
        return Value(None, f"diff({to_text(operand)}, {name}, {order})")


def in_text(
    source: str, known: Collection[str], functions: Collection[str] = ()
) -> str:
    """A statement as text; one without a backslash that is no LaTeX after all stays what it is.

    `known` are names that stand for something, `functions` those that are called. Raises `ExprgradError`.
    """
    found = VALUES.search(source)
    body, given = (source, "") if found is None else (source[: found.start()], source[found.start() :])  # fmt: skip
    try:
        return f"{_statement(body, known, functions)}{given}"
    except TextPerhaps:
        return source
    except ExprgradError as error:
        # what was typed is the formula with the values behind it
        error.source = source if error.source in (None, body) else error.source
        raise


def _statement(source: str, known: Collection[str], functions: Collection[str]) -> str:
    first, *others = next(formulas(source, {}), [None])
    head = head_of(tex.expanded(first.text)) if first and others else None
    if head is None or first is None:
        if first is not None and others:  # what is left of the sign is not lost
            message, hint = "'=' does not belong in an expression", "claim one derivative: y' = 2x"  # fmt: skip
            raise ExpressionSyntaxError(message, first.span, hint, source=source)
        return _read(source, known, functions)
    if head.order or head.wrt:
        message = "a function is defined without the prime"
        hint = f":check {head.name}, 2x asks whether 2x is its derivative"
        raise ExpressionSyntaxError(message, first.span, hint, source=source)
    name = head.name + (f"_{head.subscript}" if head.subscript else "")
    listed = f"({', '.join(head.arguments)})" if head.arguments else ""
    own = [n for n in functions if n not in head.arguments]
    return f"{name}{listed} = {_read(source, known, own)}"


def _read(source: str, known: Collection[str], functions: Collection[str]) -> str:
    """A formula as text, with calls of functions as such."""
    called = {*functions, *undefined.names(tex_plain(source), lambda n: n not in known)}
    sides = read(source, known, defined=_Calls(frozenset(called))).sides
    return str(Expression(sides[-1], known))
