r"""A point in LaTeX: `x = \frac{1}{2}, \theta = \pi` as names with the formulas that they are set to."""

from __future__ import annotations

from exprgrad.errors import ExpressionSyntaxError, ExprgradError, Span
from exprgrad.graph.value import Value, is_variable
from exprgrad.language.brackets import parted
from exprgrad.language.latex.reader import read
from exprgrad.language.notes import Binding

_HINT = r"write x = \frac{1}{2}, y = 2"


def read_bindings(source: str) -> list[Binding]:
    """The names of a point with their values. Raises `ExpressionSyntaxError`, with the place and a fix."""
    found = []
    for start, end in parted(source):
        sign = source.find("=", start, end)
        if sign < 0:
            raise ExpressionSyntaxError("a value needs the name of its variable", (start, end), _HINT, source=source)  # fmt: skip
        name = _read(source, (start, sign))
        if not is_variable(name) or name.name is None:
            raise ExpressionSyntaxError("only a variable can be given a value", (start, sign), _HINT, source=source)  # fmt: skip
        blank = len(source[start:sign]) - len(source[start:sign].lstrip())
        span = start + blank, start + len(source[start:sign].rstrip())
        found.append(Binding(name.name, _read(source, (sign + 1, end)), span))
    return found


def _read(source: str, span: Span) -> Value:
    """The formula in a part of the source."""
    try:
        return read(source[slice(*span)]).sides[-1].root
    except ExprgradError as error:
        if error.span is not None:
            error.span = error.span[0] + span[0], error.span[1] + span[0]
        error.source = source
        raise
