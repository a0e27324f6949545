"""The number of bits that FLINT computes with: it keeps that in one place for all threads, so threads take turns.

    with Precision(200):
        arb(2).sqrt()                        # 60 digits, whatever other threads want

The host's own precision is what it was, before and after. A fork waits for the turn of another thread to end.
"""

from __future__ import annotations

import os
from _thread import RLock
from functools import cache

from exprgrad.annotations import Any

_TURN = RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_TURN.acquire,
        after_in_parent=_TURN.release,
        after_in_child=_TURN.release,
    )


class Precision:
    """So many bits for a `with` block and the thread that runs it; blocks may be nested."""

    __slots__ = ("_outer", "bits")

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def __enter__(self) -> Any:
        # the turn first: another thread's precision would be taken for the host's, and restored at the end
        _TURN.acquire()
        context = _context()
        self._outer = context.prec
        context.prec = self.bits

    def __exit__(self, *exception: object) -> None:
        _context().prec = self._outer
        _TURN.release()


@cache
def _context() -> Any:
    """FLINT's own context, which is imported when it is needed."""
    from flint import ctx

    return ctx
