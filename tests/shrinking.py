"""Smaller expressions that still fail, for fuzzers to show.

shrunk("(sin(x)^(3/2) + y)*2", fails)      # "sin(x)^(3/2)", if that is what fails
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import parse
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Constant, Value
from exprgrad.notation.text import to_text

MOST_TRIES = 300
"""Expressions that are tried in place of one."""


def shrunk(source: str, fails: Callable[[str], bool], most: int = MOST_TRIES) -> str:
    """A smallest expression to be reached from one that fails, by leaving out one part at a time."""
    tried = {source}
    while True:
        for other in _by_size(smaller(source)):
            if other in tried or _size(other) >= _size(source):
                continue
            if len(tried) > most:
                return source
            tried.add(other)
            if fails(other):
                source = other
                break
        else:
            return source


def smaller(source: str) -> Iterator[str]:
    """The expression with a part replaced by an operand of it, by x, or by 2 or 1."""
    try:
        root = parse(source).root
    except ExprgradError:
        return
    for item in reversed(topological(root)):
        others = [*item.operands]
        if isinstance(item, Constant):
            others += [Constant(2.0), Constant(1.0)]
        elif item.operation is not None or item.name != "x":
            others += [Value(None, "x")]
        for other in others:
            yield to_text(replaced(root, {item: other}))


def _by_size(sources: Iterator[str]) -> list[str]:
    return sorted(dict.fromkeys(sources), key=_size)


def _size(source: str) -> tuple[int, str]:
    """How long a text is without its blanks and brackets."""
    return sum(c not in " ()" for c in source), source
