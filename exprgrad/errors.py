"""What can go wrong, as one diagnostic: a message, the place in the source text, and a fix.

Every problem that a user can cause is an `ExprgradError`. It knows what the views need to draw it
(`message`, `source`, `span`, `hint`) and the exit code that the command line gives it.
"""

from __future__ import annotations

Span = tuple[int, int]
"""A half-open range of character offsets into a source text."""

WRONG, USAGE, UNDEFINED, INTERRUPTED = 1, 2, 3, 130
"""Exit codes: the answer is wrong; usage or syntax; undecided or not defined here; Ctrl-C."""


class ExprgradError(Exception):
    """A problem with the input, told once.

    `source` is the text that `span` points into, when there is one; `origin` names that text
    (`"--at"`, a file) when it is not the expression itself. `hint` is the fix, as a sentence
    without a full stop.
    """

    exit_code = USAGE

    def __init__(
        self,
        message: str,
        span: Span | None = None,
        hint: str | None = None,
        *,
        source: str | None = None,
        origin: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint
        self.source = source
        self.origin = origin


class about:  # noqa: N801 # reads as a word of a `with` statement
    """The source text that errors raised inside of a `with` block are about."""

    __slots__ = ("source",)

    def __init__(self, source: str | None) -> None:
        self.source = source

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, ExprgradError):
            error.source = self.source


class ExpressionSyntaxError(ExprgradError):
    """The text is not an expression of the language."""


class BindingError(ExprgradError):
    """A variable lacks a value, or a value is given that cannot be used."""


class UsageError(ExprgradError):
    """An option or an argument of a call does not fit the expression."""


class DomainError(ExprgradError, ArithmeticError):
    """An operation is not defined over the reals at the value of its argument."""

    exit_code = UNDEFINED


class RangeError(DomainError):
    """A result is too large for double precision."""


class NotDifferentiableError(DomainError):
    """A partial derivative does not exist at the point."""


class ChangedDataError(ExprgradError):
    """A leaf has other data than when the graph above it was computed."""
