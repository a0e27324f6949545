"""The error for a derivative that does not exist, or of which that could not be decided."""

from __future__ import annotations

from exprgrad.errors import ExprgradError, NotDifferentiableError, Span, UndecidedError
from exprgrad.sweeps.corners import Corner, reason


def missing(
    whether: str,
    denied: str,
    source: str,
    *,
    undecided: bool,
    corner: Corner | None = None,
    span: Span | None = None,
    place: str = " there",
    hint: str | None = None,
) -> ExprgradError:
    """The error: `whether` is what was in question, `denied` that it is not so; the `corner` says why.

    The place in the source is that of the corner, unless there is another `span`.
    """
    if span is None and corner is not None:
        span = corner.span
    if undecided:
        return UndecidedError(
            f"could not decide whether {whether}", span, source=source
        )
    why = "" if corner is None else f": {reason(corner, place)}"
    return NotDifferentiableError(f"{denied}{why}", span, hint, source=source)
