"""Arguments that programs pass to the public functions: refused with the library's own errors where it is something else.

Each of these returns what it is given, or raises `UsageError`, which says what was expected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress

from exprgrad.annotations import Any
from exprgrad.errors import ExprgradError, UsageError

LONGEST = 40
"""Characters of a thing that a message quotes."""

MOST_DIGITS = 100_000
"""The most digits of a decimal, on either side of its point."""


def text(thing: Any, what: str = "an expression") -> str:
    """A text."""
    if isinstance(thing, str):
        return thing
    hint = "decode it first" if isinstance(thing, bytes | bytearray) else None
    raise UsageError(f"{what} is a text, not {_quoted(thing)}", hint=hint)


def normal(name: str) -> str:
    """A name as expressions have it, x1 for x₁: in normal form NFKC, as in Python."""
    if name.isascii():
        return name
    import unicodedata

    return unicodedata.normalize("NFKC", name)


def listed(text: str) -> tuple[str, ...]:
    """The names in a text with commas between them, as expressions have them."""
    return tuple(normal(name.strip()) for name in text.split(","))


def names(thing: Any, what: str = "the names of variables") -> Collection[str]:
    """Names: a collection of texts, or one text, which is a single name."""
    if isinstance(thing, str):
        return [thing]
    if isinstance(thing, Iterable) and not isinstance(thing, bytes | bytearray):
        found = list(thing)
        if all(isinstance(name, str) for name in found):
            return found
    raise UsageError(f"{what} are texts, not {_quoted(thing)}")


def declared(thing: Any) -> Collection[str]:
    """Names as above; a text has a name in every letter."""
    return names(list(thing) if isinstance(thing, str) else thing)


def place(thing: Any) -> Mapping[str, Any]:
    """The point of a claim: values by name, or a text such as x = 2, y = pi/4."""
    if isinstance(thing, str) and all("=" in each for each in thing.split(",")):
        pairs = [each.partition("=") for each in thing.split(",")]
        values = {name.strip(): value.strip() for name, _, value in pairs}
        if len(values) < len(pairs):
            message = f"a name is given twice: {thing}"
            raise UsageError(message, hint="give it one value")
        return values
    return point(thing)


def point(thing: Any) -> Mapping[str, Any]:
    """A point: values by name."""
    if isinstance(thing, Mapping):
        return thing
    expected = "a point gives values by name, such as {'x': 2}"
    raise UsageError(f"{expected}; this is {_quoted(thing)}")


def by_name(point: Mapping[str, Any]) -> Mapping[str, Any]:
    """A point with its names as expressions have them."""
    return {normal(n) if isinstance(n, str) else n: x for n, x in point.items()}


def values(thing: Any, what: str) -> Mapping[str, Any]:
    """Something by the names of variables: numbers, or pairs of them."""
    if isinstance(thing, Mapping) and all(isinstance(name, str) for name in thing):
        return thing
    raise UsageError(f"{what} is a dict from names to values, not {_quoted(thing)}")


def number(thing: Any, what: str) -> float:
    """A real number as a float."""
    # float() takes a complex number of NumPy for its real part, with no more than a warning
    kind = getattr(getattr(thing, "dtype", None), "kind", "f")
    if not isinstance(thing, str | bytes) and kind in "fiub":
        with suppress(TypeError, ValueError, OverflowError):
            return float(thing)
    raise UsageError(f"{what} is a number, not {_quoted(thing)}")


def number_text(thing: Any, what: str = "an expression") -> str:
    """A number as a text that reads back as it: a float as its shortest decimal, a fraction as a fraction.

    Raises `UsageError` for what is not a finite number.
    """
    from decimal import Decimal
    from fractions import Fraction
    from numbers import Rational

    from exprgrad.graph.rational import decimal_text

    if isinstance(thing, Rational):
        return str(Fraction(int(thing.numerator), int(thing.denominator)))
    refuse_long(thing, what, UsageError)
    try:
        # by its shortest decimal: a float 0.1 is meant to be 1/10, and not 3602879701896397/2^55
        exact = Fraction(thing if isinstance(thing, Decimal) else repr(float(thing)))
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(thing, float | Decimal):
            raise UsageError(f"{what} is a number, not {thing}") from error
        return text(thing, what)
    size = decimal_text(abs(exact.numerator), exact.denominator) or ""
    return f"-{size}" if exact < 0 else size


def meant(number: Any) -> Any:
    """Return a float of a question as its shortest decimal, 1/10 for 0.1, as those of answers are read."""
    from fractions import Fraction

    is_finite = isinstance(number, float) and number - number == 0
    return Fraction(repr(float(number))) if is_finite else number


def refuse_long(thing: Any, what: str, error: type[ExprgradError]) -> None:
    """Raise an error for a `Decimal` whose digits take long to write out."""
    # as a fraction 1e99999999 has as many digits, which take minutes
    if hasattr(thing, "adjusted") and thing and abs(thing.adjusted()) > MOST_DIGITS:
        raise error(f"{what} has more than {MOST_DIGITS:,} digits")


def count(thing: Any, what: str, least: int, most: int) -> int:
    """A whole number between two others."""
    if isinstance(thing, int) and not isinstance(thing, bool):
        if least <= thing <= most:
            return thing
        raise UsageError(f"{what} is a whole number from {least} to {most}")
    raise UsageError(f"{what} is a whole number, not {_quoted(thing)}")


def _quoted(thing: Any) -> str:
    """A thing in a message: its type, and itself if that is short."""
    kind = type(thing).__name__
    if thing is None or isinstance(thing, bool):
        return repr(thing)
    try:
        own = repr(thing)
    except Exception:  # the thing is not ours
        return kind
    return f"{kind} {own}" if len(own) <= LONGEST and "\n" not in own else kind
