r"""Values that are computed when they are used first: regular expressions, and attributes.

    _WORD = pattern(r"[^\W\d]\w*")
    _WORD.match(text)

Compiling a pattern takes 0.1 to 3 ms and importing `re` another 3, and a plain command uses none of a hundred.

`functools.cached_property` holds a lock of its own until Python 3.12 while it computes, and a process that is forked in
that moment waits for it for good. With `computed_once` two threads may compute the same, and one of the results is
kept.
"""

from __future__ import annotations

from collections.abc import Callable

from exprgrad.annotations import TYPE_CHECKING, Any

__all__ = ["computed_once", "pattern"]

_METHODS = "match fullmatch search sub subn split findall finditer".split()


class _Pattern:
    """A pattern that has its methods once one of them has been asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        # `copy` and `pickle` ask for __deepcopy__ and the like, which must not compile the pattern
        if name.startswith("_"):
            raise AttributeError(name)
        import re

        compiled = re.compile(self._text, self._flags)
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)


class _Computed:
    """The attribute that a method computes."""

    def __init__(self, method: Callable[[Any], Any]) -> None:
        self.method, self.__doc__ = method, method.__doc__

    def __get__(self, item: Any, owner: type | None = None) -> Any:
        if item is None:
            return self
        found = self.method(item)
        # from now on Python finds the value in the object before it asks this class, which has no __set__
        return item.__dict__.setdefault(self.method.__name__, found)


if TYPE_CHECKING:
    from functools import cached_property as computed_once
    from re import compile as pattern
else:
    computed_once = _Computed

    def pattern(text: str, flags: int = 0) -> _Pattern:
        """A regular expression, as `re.compile` gives it, to be compiled later."""
        return _Pattern(text, flags)
