"""Attributes that are computed when they are first asked for, and kept.

`functools.cached_property` holds a lock of its own until Python 3.12 while it computes, and a process that is forked
in that moment waits for it for good. Here two threads may compute the same, and one of the results is kept.
"""

from __future__ import annotations

from collections.abc import Callable

from exprgrad.annotations import TYPE_CHECKING, Any

__all__ = ["computed_once"]


class _Computed:
    """The attribute that a method computes."""

    def __init__(self, method: Callable[[Any], Any]) -> None:
        self.method, self.__doc__ = method, method.__doc__

    def __get__(self, item: Any, owner: type | None = None) -> Any:
        if item is None:
            return self
        found = self.method(item)
        return item.__dict__.setdefault(self.method.__name__, found)


if TYPE_CHECKING:
    from functools import cached_property as computed_once
else:
    computed_once = _Computed
