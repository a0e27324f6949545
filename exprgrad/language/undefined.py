"""Calls of functions that nobody has defined, f(g(x)), f'(x), a[z] and ∂f/∂x(x, y), where a derivative is wanted.

with keeping():
    parse("f(g(x))", lenient=True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language import brackets, leibniz
from exprgrad.lazy import pattern

if TYPE_CHECKING:
    from exprgrad.graph.value import Value

FUNCTION_LETTERS = frozenset("fghFGHφψdΔ")
"""Letters that stand for functions where a bracket follows: f(x) is no product, and d(x^2) a differential."""

# a context variable and no global one: two threads may read at the same time
_kept = ContextVar("undefined functions are kept", default="")
_PARTIAL = r"∂(?:\^[0-9]+|[²³])?([^\W\d_²³])/(?:∂[^\W\d_][0-9]*(?:\^[0-9]+|[²³])?)+"
_CALL = pattern(
    rf"(?:(?<![^\W\d])(?<![^\W\d]\d)([^\W\d_])(['′’]*)|{_PARTIAL})(?=\s*([(\[]))"
)
_IN_LATEX = pattern(r"\\frac\s*{\s*\\partial\s+(\w)\s*}\s*{\s*\\partial\s+(\w+)\s*}(?=\s*\()")  # fmt: skip
_ONE_NAME = pattern(r"\s*\(\s*[^\W\d_]\s*\)")
_SIGNS = ("\\frac", "/d", "/ d", "∂", "D_", "diff(", "derivative(", "D(")
"""Signs of a text that asks for a derivative: most ask for none."""

_ASKED = pattern(
    r"(?<!\w)(?:[d∂]\S{0,2}\s*/\s*[d∂]|D_|(?:diff|derivative|D)\()"
    r"|\\frac\s*\{?\s*(?:d(?![a-z])|\\partial|\\mathrm)"
)


@contextmanager
def keeping(letters: bool = False) -> Iterator[None]:
    """Keep undefined functions in what is read meanwhile, or by the function that this decorates.

    With `letters`, those whose letters say so: x[y+1] is a product then.
    """
    token = _kept.set("letters" if letters and _kept.get() != "all" else "all")
    try:
        yield
    finally:
        _kept.reset(token)


def asks(text: Any) -> bool:
    """Return whether a text asks for a derivative."""
    may_ask = isinstance(text, str) and any(sign in text for sign in _SIGNS)
    return may_ask and _ASKED.search(text) is not None


def calls(source: str, is_free: Callable[[str], bool]) -> dict[Span, str]:
    """The names of undefined functions by their places; a name is free if it means nothing else."""
    own = names(source, is_free)
    every = _CALL.finditer(source) if own else ()
    found = (m for m in every if (m[1] or m[3]) in own)
    return {m.span(): m[0] if m[3] else m[1] + "'" * len(m[2]) for m in found}


def names(source: str, is_free: Callable[[str], bool] = lambda _: True) -> set[str]:
    """The letters that stand for undefined functions in a text.

    One that stands alone elsewhere is a factor: in a(x-h)^2 + a*k there is no function. Within the brackets of a
    function, x(t) is one as well.
    """
    found: set[str] = set()
    if not (_kept.get() or asks(source)):
        return found
    if "\\partial" in source:
        source = _IN_LATEX.sub(lambda m: f"∂{m[1]}/∂{m[2]}".ljust(len(m[0])), source)  # fmt: skip
    plain = leibniz.without_operators(source)
    free: dict[str, bool] = {}
    within = 0
    for match in _CALL.finditer(source):
        letter, primes, partial, bracket = match.groups()
        name = letter or partial
        if name not in free:
            alone = pattern(rf"(?<!\w){name}(?!\w|['′’]*\s*[(\[{{])")
            free[name] = is_free(name) and not alone.search(plain)
        if not free[name]:
            continue
        is_nested = match.start() < within
        is_letter = letter in FUNCTION_LETTERS and letter != "d"
        is_inner = is_nested and _ONE_NAME.match(source, match.end())
        # w[0] is an element of an array, f[x] a call in the notation of Mathematica
        is_index = brackets.INDEX.match(source, match.end())
        is_bracketed = bracket == "[" and not is_index and _kept.get() != "letters"
        if not (name in found or is_letter or is_bracketed or primes or partial or is_inner):  # fmt: skip
            continue
        if not is_nested:  # so every bracket is looked through once
            end = brackets.closing(source, match.end())
            if end is None:
                continue
            within = end
        found.add(name)
    return found


def called(name: str, arguments: list[Value], span: Span) -> Value:
    """Return the node of such a call. Raises `ExpressionSyntaxError` for a derivative that it does not have."""
    from exprgrad.graph.unknown import function, names_of
    from exprgrad.graph.value import node

    if not arguments:
        message, hint = f"{name} needs an argument", f"write {name}(x)"
        raise ExpressionSyntaxError(message, span, hint)
    own = names_of(arguments)
    if name.startswith("∂"):
        base, wrt = leibniz.read(name, span)
    else:
        base = name.rstrip("'")
        wrt = own[:1] * (len(name) - 1)
    if (len(own) > 1 and name.endswith("'")) or not set(wrt) <= set(own):
        message = f"{name} says not by which of {', '.join(own)}"
        raise ExpressionSyntaxError(message, span, f"write ∂{base}/∂{own[0]}(...)")
    return node(function(base, own, tuple(map(wrt.count, own))), tuple(arguments), span)  # fmt: skip
