"""The conditions that a row puts on its arguments: the conditions of its real domain, and its corner.

    Condition(lambda x: x > 0).needs                            # "an argument > 0"
    Condition(lambda dividend, divisor: ne(divisor, 0)).needs   # "a divisor other than 0"

A condition is code, as a local partial is: written with the table's operations, it runs on numbers of any
kind. Run on a `Phrase` for each argument it says what it asks. From that follow its words in a message,
where a check looks for points (`landmarks`), and the tests in generated code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from exprgrad.annotations import Any, cast
from exprgrad.operations.operators import give_operators

COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
"""The rows that compare, and how they are written."""

_SYMBOLS = COMPARISONS | {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^", "and": "and", "or": "or",
}  # fmt: skip
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class Phrase:
    """An argument (by its number), a number, or a row's name and its operands."""

    __slots__ = ("name", "operands")

    def __init__(self, name: str | int | float, *operands: Any) -> None:
        self.name = name
        self.operands: tuple[Phrase, ...] = operands and tuple(map(_phrase, operands))

    def __apply__(self, operation: Any, arguments: Sequence[Any]) -> Phrase:
        return Phrase(operation.name, *arguments)

    def __bool__(self) -> bool:
        raise TypeError(
            "a condition runs on arrays and formulas too: write and_(a, b), or_(a, b) and where(c, a, b) "
            "for `and`, `or`, `if` and a < x < b"
        )

    @property
    def number(self) -> float | None:
        """The number that it is."""
        return self.name if isinstance(self.name, float) else None

    @property
    def argument(self) -> int | None:
        """The number of the argument that it is."""
        return self.name if isinstance(self.name, int) else None

    def parts(self) -> Iterator[Phrase]:
        """It and all that it is made of."""
        yield self
        for operand in self.operands:
            yield from operand.parts()

    def arguments(self) -> set[int]:
        """The arguments that it is about."""
        return {part.name for part in self.parts() if isinstance(part.name, int)}

    def comparisons(self) -> Iterator[Phrase]:
        """The comparisons in it."""
        return (part for part in self.parts() if part.name in COMPARISONS)

    def on(self, function: Callable[[str], Any], arguments: Sequence[Any]) -> Any:
        """Its value in some number type, where `function` is what a row is by its name."""
        if not self.operands:
            return self.name if self.argument is None else arguments[self.argument]
        own = [operand.on(function, arguments) for operand in self.operands]
        return function(cast("str", self.name))(*own)

    def holds(self, function: Callable[[str], Any], arguments: Sequence[Any]) -> Any:
        """The same of a condition; what `and` and `or` leave open is not asked."""
        if self.name not in ("and", "or"):
            return self.on(function, arguments)
        first = self.operands[0].holds(function, arguments)
        settled = first if self.name == "or" else not first
        return first if settled else self.operands[1].holds(function, arguments)


give_operators(Phrase, "lt le gt ge eq ne neg abs add sub mul div mod pow", Phrase)


def _phrase(thing: Any) -> Phrase:
    return thing if isinstance(thing, Phrase) else Phrase(float(thing))


def phrase(rule: Callable[..., Any], arity: int | None = None) -> Phrase:
    """Return what a condition asks. Raises `TypeError` for code that does not run on every number type."""
    count = rule.__code__.co_argcount if arity is None else arity
    return _phrase(rule(*map(Phrase, range(count))))


class Condition:
    """A condition of a real domain: a test of the arguments, and what it needs in words.

    The words follow from the test if that is about one argument. An argument of several letters is
    called by its name, `lambda x, base: base > 0`: "a base > 0".
    """

    __slots__ = ("_needs", "holds")

    def __init__(
        self, needs: str | Callable[..., Any], holds: Callable[..., Any] | None = None
    ) -> None:
        self._needs = needs if isinstance(needs, str) else ""
        test = needs if holds is None else holds
        if not callable(test):
            raise TypeError(f"a condition is a function of the arguments, not {test!r}")
        self.holds: Callable[..., Any] = test

    @property
    def needs(self) -> str:
        """Return what stands behind "needs" in a message."""
        # not before a message needs them: the rule may name rows that are declared further down
        if not self._needs:
            self._needs = _in_words(self.holds)
        return self._needs

    @property
    def arguments(self) -> set[int]:
        """The arguments that it is about, by their places."""
        return phrase(self.holds).arguments()


def _in_words(rule: Callable[..., Any]) -> str:
    asked = phrase(rule)
    names = rule.__code__.co_varnames
    [argument, *more] = asked.arguments() or [-1]
    limits = _limits(asked)
    if more or argument < 0 or limits is None:
        return f"arguments with {_written(asked, names)}"
    noun = names[argument].replace("_", " ") if len(names[argument]) > 1 else "argument"
    if ("whole", 1.0) in limits:
        limits.remove(("whole", 1.0))
        noun = f"whole {noun}"
    article = "an" if noun[0] in "aeiou" else "a"
    return " ".join([article, noun, *_ranges(limits)])


Limit = tuple[str, float]
"""A comparison with a number, or ("whole", 1.0), or two of them joined: ("<= -1 or >=", 1.0)."""


def _limits(asked: Phrase) -> list[Limit] | None:
    """Return what is asked of one argument, all at once; None if it is not that simple."""
    if asked.name == "and":
        both = [_limits(operand) for operand in asked.operands]
        return None if None in both else [limit for own in both for limit in own or []]
    if asked.name == "or":
        first, second = (_limits(operand) for operand in asked.operands)
        if first and second and len(first) == len(second) == 1:
            (below, low), (above, high) = first[0], second[0]
            return [(f"{below} {_shown(low)} or {above}", high)]
        return None
    if asked.name not in COMPARISONS:
        return None
    symbol = COMPARISONS[asked.name]
    left, right = asked.operands
    if left.number is not None:
        left, right, symbol = right, left, MIRRORED[symbol]
    # x == floor(x) asks for a whole number
    if symbol == "==" and right.name == "floor" and right.operands[0].name == left.name:
        return [("whole", 1.0)]
    size = right.number
    if size is None:
        return None
    if left.name == "abs" and left.operands[0].argument is not None:
        # |x| < 1 is one piece, from -1 to 1, and |x| > 1 is two
        if symbol in ("<", "<="):
            return [(MIRRORED[symbol], -size), (symbol, size)]
        return [(f"{MIRRORED[symbol]} {_shown(-size)} or {symbol}", size)]
    return None if left.argument is None else [(symbol, size)]


def _ranges(limits: list[Limit]) -> Iterator[str]:
    """Bounds, then what is left out: "from 0 to 1", "> 0 other than 1"."""
    bounds = [limit for limit in limits if limit[0] not in ("==", "!=")]
    match bounds:
        case [(">=", low), ("<=", high)]:
            yield f"from {_shown(low)} to {_shown(high)}"
        case [(">", low), ("<", high)]:
            yield f"between {_shown(low)} and {_shown(high)}"
        case _:
            texts = [f"{symbol} {_shown(size)}" for symbol, size in bounds]
            yield from [" and ".join(texts)] if texts else []
    for symbol, size in limits:
        if symbol in ("==", "!="):
            yield f"{'equal to' if symbol == '==' else 'other than'} {_shown(size)}"


def _shown(number: float) -> str:
    return f"{number:.15g}"


def _written(asked: Phrase, names: Sequence[str]) -> str:
    """A phrase as it might be typed."""
    if asked.number is not None:
        return _shown(asked.number)
    if asked.argument is not None:
        return names[asked.argument]
    own = [_written(operand, names) for operand in asked.operands]
    name = cast("str", asked.name)
    symbol = _SYMBOLS.get(name)
    return f"{name}({', '.join(own)})" if symbol is None else f" {symbol} ".join(own)
