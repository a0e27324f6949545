r"""Values that are computed when they are used first: regular expressions, and attributes.

    _WORD = pattern(r"[^\W\d]\w*")
    _WORD.match(text)
    _FRACTION = pattern(r"\d+/\d+", signs="/")      # not compiled for texts without a slash

Compiling a pattern takes 0.1 to 3 ms and importing `re` another 3, and a plain command uses none of a hundred.

`functools.cached_property` holds a lock of its own until Python 3.12 while it computes, and a process that is forked in
that moment waits for it for good. With `computed_once` two threads may compute the same, and one of the results is
kept.
"""

from __future__ import annotations

from collections.abc import Callable

from exprgrad.annotations import TYPE_CHECKING, Any, cast

__all__ = ["computed_once", "pattern"]


class _Pattern:
    """A pattern that has its methods once one of them has been asked for."""

    def __init__(self, text: str, flags: int, signs: str) -> None:
        self._text, self._flags, self._signs = text, flags, signs

    def search(self, text: str, *within: int) -> Any:
        """Return the first match, as `re.Pattern` does; there is none without one of the signs."""
        if self._signs and not any(sign in text for sign in self._signs):
            return None
        return self.__getattr__("search")(text, *within)

    def __getattr__(self, name: str) -> Any:
        # `copy` and `pickle` ask for __deepcopy__ and the like, which must not compile the pattern
        if name.startswith("_"):
            raise AttributeError(name)
        import re

        method = getattr(re.compile(self._text, self._flags), name)
        return self.__dict__.setdefault(name, method)


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
    import re
    from functools import cached_property as computed_once
else:
    computed_once = _Computed


def pattern(text: str, flags: int = 0, signs: str = "") -> re.Pattern[str]:
    """A regular expression, as `re.compile` gives it, to be compiled later; one of the `signs` is in all that it finds."""
    return cast("re.Pattern[str]", _Pattern(text, flags, signs))
