"""Calls of functions that nobody has defined, f(g(x)), f'(x), a[z] and ∂f/∂x(x, y), where a derivative is wanted.

with keeping():
    parse("f(g(x))", lenient=True)
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from functools import wraps

from exprgrad.annotations import Any
from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.graph.value import Value, node
from exprgrad.language import brackets, leibniz
from exprgrad.patterns import pattern

FUNCTION_LETTERS = frozenset("fghFGHφψd")
"""Letters that stand for functions where a bracket follows: f(x) is no product, and d(x^2) a differential."""

_kept = ContextVar("undefined functions are kept", default=False)
_PARTIAL = r"∂(?:\^[0-9]+|[²³])?([^\W\d_])/(?:∂[^\W\d_][0-9]*(?:\^[0-9]+|[²³])?)+"
_CALL = pattern(
    rf"(?:(?<![^\W\d])(?<![^\W\d]\d)([^\W\d_])(['′’]*)|{_PARTIAL})(?=\s*([(\[]))"
)
_ONE_NAME = pattern(r"\s*\(\s*[^\W\d_]\s*\)")
_SIGNS = ("/d", "/ d", "∂", "D_", "diff(", "derivative(", "D(")
"""What is in a text that asks for a derivative: most ask for none."""

_ASKED = pattern(r"(?<!\w)(?:[d∂]\S{0,2}\s*/\s*[d∂]|D_|(?:diff|derivative|D)\()")


class keeping:  # noqa: N801 # it is used as a function
    """Keep undefined functions in what is read meanwhile, or by the function that this decorates."""

    def __enter__(self) -> None:
        self._token: Token[bool] = _kept.set(True)

    def __exit__(self, *error: object) -> None:
        _kept.reset(self._token)

    def __call__(self, reader: Callable[..., Any]) -> Callable[..., Any]:
        """Return the reader with undefined functions kept."""

        @wraps(reader)
        def read(*arguments: Any, **options: Any) -> Any:
            with keeping():
                return reader(*arguments, **options)

        return read


def calls(source: str, is_free: Callable[[str], bool]) -> dict[Span, str]:
    """The names of undefined functions by their places; a name is free if it means nothing else."""
    own = names(source, is_free)
    if not own:
        return {}
    return {
        match.span(): match[0] if match[3] else match[1] + "'" * len(match[2])
        for match in _CALL.finditer(source)
        if (match[1] or match[3]) in own
    }


def names(source: str, is_free: Callable[[str], bool] = lambda _: True) -> set[str]:
    """The letters that stand for undefined functions in a text.

    One that stands alone elsewhere is a factor: in a(x-h)^2 + a*k there is no function. Within the brackets of a
    function, x(t) is one as well.
    """
    found: set[str] = set()
    may_ask = any(sign in source for sign in _SIGNS)
    if not (_kept.get() or (may_ask and _ASKED.search(source))):
        return found
    plain = pattern(_PARTIAL).sub(" ", leibniz.without_operators(source))
    within = 0
    for match in _CALL.finditer(source):
        name, primes, partial, bracket = match.groups()
        end = brackets.closing(source, match.end())
        is_letter = name in FUNCTION_LETTERS and name != "d"
        is_inner = match.start() < within and _ONE_NAME.match(source, match.end())
        is_bracketed = bracket == "[" and not brackets.holds_index(source, match.end())
        is_call = is_letter or is_bracketed or primes or partial or is_inner
        name = name or partial
        if end is None or not (name in found or (is_call and is_free(name))):
            continue
        if pattern(rf"(?<!\w){name}(?!\w|['′’]*\s*[(\[{{])").search(plain):
            continue
        found.add(name)
        within = max(within, end)
    return found


def called(name: str, arguments: list[Value], span: Span) -> Value:
    """Return the node of such a call. Raises `ExpressionSyntaxError` for a derivative that it does not have."""
    from exprgrad.graph.unknown import function, names_of

    own = names_of(arguments)
    if name.startswith("∂"):
        found = leibniz.read(name, span)
        base, wrt = found.name, found.wrt
    else:
        base = name.rstrip("'")
        wrt = own[:1] * (len(name) - 1)
    if (len(own) > 1 and name.endswith("'")) or not set(wrt) <= set(own):
        raise ExpressionSyntaxError(
            f"{name} says not by which of {', '.join(own)}",
            span,
            f"write ∂{base}/∂{own[0]}(...)",
        )
    return node(function(base, own, tuple(map(wrt.count, own))), tuple(arguments), span)  # fmt: skip
