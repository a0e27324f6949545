"""The error for a derivative that does not exist, or of which that could not be decided."""

from __future__ import annotations

from exprgrad.errors import ExprgradError, NotDifferentiableError, Span, UndecidedError
from exprgrad.sweeps.corners import Corner, reason


def missing(
    whether: str,
    denied: str,
    source: str,
    *,
    undecided: bool | None = None,
    corner: Corner | None = None,
    span: Span | None = None,
    place: str = " there",
    hint: str | None = None,
) -> ExprgradError:
    """The error: `whether` is what was in question, `denied` that it is not so; the `corner` says why.

    The place in the source is that of the corner, unless there is another `span`. Whether that was `undecided`
    is what the corner says, unless it is given.
    """
    if span is None and corner is not None:
        span = corner.span
    if undecided is None:
        undecided = corner is None or corner.kind == "undetermined"
    if undecided:
        what = f"could not decide whether {whether}"
        return UndecidedError(what, span, source=source)
    why = "" if corner is None else f": {reason(corner, place)}"
    return NotDifferentiableError(f"{denied}{why}", span, hint, source=source)
