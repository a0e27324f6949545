r"""Regular expressions that are compiled when they are used first, not when a module is imported.

    _WORD = pattern(r"[^\W\d]\w*")
    _WORD.match(text)

Compiling one takes 0.1 to 3 ms and importing `re` another 3, and a plain command uses none of a hundred.
"""

from __future__ import annotations

from exprgrad.annotations import TYPE_CHECKING, Any

__all__ = ["pattern"]

_METHODS = "match fullmatch search sub subn split findall finditer".split()


class _Pattern:
    """A pattern that has its methods once one of them has been asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        import re

        compiled = re.compile(self._text, self._flags)
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)


if TYPE_CHECKING:
    from re import compile as pattern
else:

    def pattern(text: str, flags: int = 0) -> _Pattern:
        """A regular expression, as `re.compile` gives it, to be compiled later."""
        return _Pattern(text, flags)
