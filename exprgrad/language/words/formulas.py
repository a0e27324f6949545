"""Formulas in words, in signs: "x squared over the square root of x" is x^2/sqrt(x).

    in_signs("sine of three x")             "sin(3*x)"
    in_signs("x^2 + 1")                     None: there is no word in it
    in_signs("1 over x plus 1")             raises: 1/x + 1, or 1/(x + 1)?

A closed grammar: a text with any other word in it is None. Signs and words may be mixed. What words leave open,
signs say, so a text of which two readings are likely is refused with both.
"""

from __future__ import annotations

import re

from exprgrad.annotations import NamedTuple
from exprgrad.errors import ExpressionSyntaxError
from exprgrad.language.elsewhere import GREEK, SPOKEN
from exprgrad.language.phrases import ORDINALS
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import CONSTANTS, SPOKEN_FUNCTIONS

_NUMBERS = {word: sign for word, sign in SPOKEN.items() if sign.isdigit()}
_PARTS = {
    "half": "1/2",
    "halve": "1/2",
    "third": "1/3",
    "quarter": "1/4",
    "fourth": "1/4",
    "fifth": "1/5",
}
_ORDINALS = {word: str(n) for word, n in ORDINALS.items() if n > 1} | {"nth": "n"}
_SUFFIXES = ("st", "nd", "rd", "th")
_PHRASES = (
    ("one half of", "half"), ("half of", "half"), ("one third of", "one third"), ("multiplied by", "times"), ("divided by", "over"), ("square root", "sqrt"), ("cube root", "cbrt"),
    ("absolute value", "abs"), ("natural logarithm", "ln"), ("natural log", "ln"),
    ("raised to the power of", "to"), ("raised to the power", "to"), ("to the power of", "to"), ("to the power", "to"),
    ("raised to the", "to"), ("raised to", "to"), ("to the", "to"),
)  # fmt: skip
"""Several words that are one of the grammar."""

_WRITTEN = (
    (r"\b(?:C|nCr|binom(?:ial)?|comb|COMBIN)\s*\(([^(),]+),([^(),]+)\)", r"((\1) choose (\2))"),
    (r"(?<![\w.])([0-9]+)\s*(?:C|nCr)\s*([0-9]+)(?!\w)", r"(\1 choose \2)"),
)  # fmt: skip
"""Combinations, as words for them."""

_POWERS = {word: sign[1:] for word, sign in SPOKEN.items() if sign[0] == "^"}
_OF_TWO = {"product": "*", "sum": "+", "difference": "-", "quotient": "/", "ratio": "/"}
_SUMS = {"plus": "+", "+": "+", "minus": "-", "-": "-", "−": "-"}
_TOKEN = re.compile(r"\s*(?:([^\W\d_]+)|([0-9]+(?:\.[0-9]+)?)|(\^|\*\*)|(\S))")
_OPENING, _CLOSING = "([{", ")]}"

MOST_FACTORS = 6
"""Factors of a combination that are written out, n*(n - 1)/2!, so that it is a polynomial."""

LONGEST = 500
"""Characters of a text that is read as words."""


class _Sum(NamedTuple):
    """A part of a formula: its text, and how tightly that holds together."""

    text: str
    level: int


SUM, PRODUCT, POWER, WHOLE = range(4)


def in_signs(text: str) -> str | None:
    """Return a formula in words as one in signs; None for a text without words, or with others.

    Raises `ExpressionSyntaxError` where two readings are likely.
    """
    plain = text.lower() if re.search("[A-Z]{3}", text) and text.isupper() else text
    if len(plain) > LONGEST:
        return None
    for pattern, written in _WRITTEN:
        plain = re.sub(pattern, written, plain)
    for phrase, word in _PHRASES:
        plain = re.sub(rf"\b{phrase}\b", word, plain, flags=re.IGNORECASE)
    tokens = [next(filter(None, found.groups())) for found in _TOKEN.finditer(plain)]
    if not any(
        (len(token) > 1 and token.isalpha()) or token == "%" for token in tokens
    ):
        return None
    reader = _Reader(tokens, text)
    found = reader.sum()
    return None if found is None or reader.at < len(tokens) else found.text


_COMPOSED = r"[a-zA-Z](?:\s*∘\s*[a-zA-Z])+"


def composed(text: str) -> str:
    """Return a text with f(g(x)) for f∘g, and f(g(2)) for (f∘g)(2)."""

    def nested(found: re.Match[str]) -> str:
        names = re.findall("[a-zA-Z]", found["names"] or found[0])
        return "(".join([*names, found["args"] or "x"]) + ")" * len(names)

    applied = rf"\(\s*(?P<names>{_COMPOSED})\s*\)\s*\((?P<args>[^()]+)\)"
    return re.sub(rf"{applied}|{_COMPOSED}", nested, text)


def _wrapped(part: _Sum, level: int) -> str:
    return part.text if part.level >= level else f"({part.text})"


class _Reader:
    def __init__(self, tokens: list[str], source: str) -> None:
        self.tokens, self.source, self.at = tokens, source, 0

    def _next(self, ahead: int = 0) -> str:
        place = self.at + ahead
        token = self.tokens[place] if place < len(self.tokens) else ""
        return token if len(token) == 1 else token.lower()

    def _take(self, *words: str) -> bool:
        found = self._next() in words
        self.at += found
        return found

    def sum(self) -> _Sum | None:
        """A sum of products."""
        left = self.product()
        while left is not None and self._next() in _SUMS:
            said, sign = self._next(), _SUMS[self._next()]
            self.at += 1
            right = self.product()
            if right is None:
                return None
            self._refuse_unclear(left, said, sign, right)
            left = _Sum(f"{left.text} {sign} {_wrapped(right, PRODUCT)}", SUM)
        return left

    def _refuse_unclear(self, left: _Sum, said: str, sign: str, right: _Sum) -> None:
        """Raise for 1 over x plus 1, and the square root of x plus 1: who writes signs says what is meant."""
        if said not in ("plus", "minus"):
            return
        is_over = "over" in map(str.lower, self.tokens)
        if "/" in right.text and is_over:
            top, _, below = right.text.partition("/")
            both = f"{left.text} {sign} {right.text}"
            self._unclear(both, f"({left.text} {sign} {top})/{below}")
        over = left.text.rfind("/") if is_over else -1
        is_call = re.fullmatch(r"(?:.*[*/])?(\w+)\(([^()]*)\)", left.text)
        both = f"{left.text} {sign} {right.text}"
        if over > 0 and not right.text[:1].isalpha() and "(" not in left.text[over:]:
            top, below = left.text[:over], left.text[over + 1 :]
            self._unclear(both, f"{top}/({below} {sign} {right.text})")
        is_number = (
            is_call and is_call[2].replace(".", "").isdigit()
        )  # the root of 1 minus x^2
        if is_call and " of " in self.source and (is_number or right.text.replace(".", "").isdigit()):  # fmt: skip
            start = left.text[: is_call.start(2)]
            self._unclear(both, f"{start}{is_call[2]} {sign} {right.text})")

    def _unclear(self, one: str, other: str) -> None:
        raise ExpressionSyntaxError(
            "these words have two meanings",
            (0, len(self.source)),
            f"write {one}, or {other}",
            source=self.source,
        )

    def product(self) -> _Sum | None:
        """A product of powers, with a sign perhaps, or a quotient."""
        if self._take("minus", "negative", "-", "−"):
            inner = self.product()
            return None if inner is None else _Sum(f"-{_wrapped(inner, PRODUCT)}", PRODUCT)  # fmt: skip
        left = self.power()
        while left is not None:
            sign = "*"
            if self._next() in ("mod", "%", "choose"):
                left = self._with_next(left)
                continue
            if self._take("over", "/", "÷"):
                sign = "/"
            elif not self._take("times", "*", "·", "×") and not self._begins():
                break
            right = self.power()
            if right is None:
                return None
            left = _Sum(f"{_wrapped(left, PRODUCT)}{sign}{_wrapped(right, POWER)}", PRODUCT)  # fmt: skip
        return left

    def _with_next(self, left: _Sum) -> _Sum | None:
        """The remainder by what follows, or so many out of a number."""
        is_remainder = self._next() != "choose"
        self.at += 1
        right = self.power()
        if right is None:
            return None
        if is_remainder:
            return _Sum(f"mod({left.text}, {right.text})", WHOLE)
        n, k = _wrapped(left, WHOLE), _wrapped(right, WHOLE)
        chosen = int(k.strip("()")) if k.strip("()").isdigit() else MOST_FACTORS + 1
        if 0 < chosen <= MOST_FACTORS:
            factors = "*".join([n, *(f"({n} - {i})" for i in range(1, chosen))])
            return _Sum(f"{factors}/{chosen}!", PRODUCT)
        if n.strip("()").isdigit() and k.strip("()").isdigit():
            return _Sum(f"{n}!/({k}!*({n} - {k})!)", PRODUCT)
        return _Sum(f"gamma({n} + 1)/(gamma({k} + 1)*gamma({n} - {k} + 1))", PRODUCT)

    def _begins(self) -> bool:
        """Whether a factor begins here."""
        token = self._next()
        is_open = token in _OPENING and token != ""
        return bool(token) and (is_open or token[0].isdigit() or self._is_atom(token))

    def _is_atom(self, token: str) -> bool:
        return (
            token in _NUMBERS
            or token in GREEK
            or token in CONSTANTS
            or self._function(token) is not None
            or token
            in (
                "the",
                "hyperbolic",
                "square",
                "cube",
                "reciprocal",
                "half",
                "twice",
                "quantity",
                "root",
                *_OF_TWO,
            )
            or (token == "inverse" and self._function(self._next(1)) is not None)
            or (len(token) == 1 and token.isalpha())
        )

    def power(self) -> _Sum | None:
        """A factor with what is said of its power."""
        left = self.factor()
        while left is not None:
            if self._next() in _POWERS:
                exponent: str | None = _POWERS[self._next()]
                self.at += 1
            elif self._next() in ("to", "^", "**"):
                self.at += 1
                exponent = self._exponent(self.tokens[self.at - 1].lower() == "to")
            elif self._take("factorial", "!"):
                left = _Sum(f"{_wrapped(left, WHOLE)}!", WHOLE)
                continue
            else:
                break
            if exponent is None:
                return None
            left = _Sum(f"{_wrapped(left, WHOLE)}^{exponent}", POWER)
        return left

    def _exponent(self, is_said: bool) -> str | None:
        """An exponent; where it is said and not written, e to the two x, a product too."""
        token = self._next()
        if token in _ORDINALS or re.fullmatch(r"[0-9]+", token):
            suffix = self._next(1)
            if token in _ORDINALS or suffix in _SUFFIXES:
                self.at += 1 + (token not in _ORDINALS)
                self._take("power")
                return _ORDINALS.get(token, token)
        sign = "-" if self._take("minus", "negative", "-", "−") else ""
        part = self._fraction()
        if (
            part is None
            and is_said
            and self._next(1) == "/"
            and self._next(2).isdigit()
        ):
            part = f"({self._next()}/{self._next(2)})"
            self.at += 3
        if part is None:
            found = self.power()
            while is_said and found is not None and re.fullmatch(r"[0-9.]+", found.text) and self._begins():  # fmt: skip
                more = self.power()
                found = None if more is None else _Sum(f"{found.text}*{more.text}", PRODUCT)  # fmt: skip
            if found is None:
                return None
            part = _wrapped(found, WHOLE)
        self._take("power")
        return f"({sign}{part})" if sign else part

    def _fraction(self) -> str | None:
        """One half, two thirds."""
        number, part = _NUMBERS.get(self._next()), self._next(1).rstrip("s")
        if number is None or part not in _PARTS:
            return None
        self.at += 2
        return f"({number}/{_PARTS[part][2:]})"

    def factor(self) -> _Sum | None:
        """A number, a variable, a function of something, or what stands in brackets."""
        self._take("the")
        token = self._next()
        if not token:
            return None
        fraction = self._fraction()
        if fraction is not None:
            return _Sum(fraction, WHOLE)
        if token in _OPENING:
            return self._in_brackets()
        if token in ("square", "cube", "reciprocal") and self._next(1) == "of":
            self.at += 2
            inner = self._argument()
            if inner is None:
                return None
            if token == "reciprocal":
                return _Sum(f"1/{_wrapped(inner, WHOLE)}", PRODUCT)
            return _Sum(f"{_wrapped(inner, WHOLE)}^{'2' if token == 'square' else '3'}", POWER)  # fmt: skip
        if token.isdigit() and self._next(1) in _SUFFIXES and self._next(2) == "root":
            self.at += 3
            self._take("of")
            inner = self._argument()
            return inner and _Sum(f"root({inner.text}, {token})", WHOLE)
        if token == "quantity":
            return self._quantity()
        if token == "twice":
            self.at += 1
            inner = self.power()
            return inner and _Sum(f"2*{_wrapped(inner, POWER)}", PRODUCT)
        if token == "half":
            self.at += 1
            return _Sum("(1/2)", WHOLE)
        if token in _OF_TWO and self._next(1) == "of":
            return self._of_two(_OF_TWO[token])
        if token == "root" or (token in _ORDINALS and self._next(1) == "root"):
            self.at += 1 + (token != "root")
            self._take("of")
            inner = self._argument()
            degree = "2" if token == "root" else _ORDINALS[token]
            return None if inner is None else _Sum(f"root({inner.text}, {degree})" if token != "root" else f"sqrt({inner.text})", WHOLE)  # fmt: skip
        function = self._called()
        if function is not None:
            return self._applied(function)
        if not (self._is_atom(token) or token[0].isdigit()):
            return None
        self.at += 1
        return _Sum(_NUMBERS.get(token, token), WHOLE)

    def _quantity(self) -> _Sum | None:
        """All up to a power: the quantity x plus 1 squared."""
        rest = self.tokens[self.at + 1 :]
        count = next((i for i, t in enumerate(rest) if t in (*_POWERS, "to")), len(rest))  # fmt: skip
        reader = _Reader(rest[:count], self.source)
        inner = reader.sum()
        self.at += 1 + count
        return inner and _Sum(f"({inner.text})", WHOLE) if reader.at == count else None

    def _of_two(self, sign: str) -> _Sum | None:
        """The product, or another combination, of this and that."""
        self.at += 2
        first = self.sum()
        if first is None or not self._take("and"):
            return None
        second = self.sum()
        if second is None:
            return None
        level = SUM if sign in "+-" else PRODUCT
        return _Sum(
            f"{_wrapped(first, level)}{sign}{_wrapped(second, level + 1)}", level
        )

    def _in_brackets(self) -> _Sum | None:
        self.at += 1
        inner = self.sum()
        return _Sum(f"({inner.text})", WHOLE) if inner is not None and self._take(*_CLOSING) else None  # fmt: skip

    def _called(self) -> str | None:
        """The name of the function that is named here, with all words of its name."""
        start = self.at
        inverse = self._take("inverse")
        hyperbolic = self._take("hyperbolic")
        name = self._function(self._next())
        if name is None:
            self.at = start
            return None
        self.at += 1
        name = f"{name}h" if hyperbolic else name
        inverse = self._take("inverse") or inverse
        [operation, *_] = named(name).values() or [None]
        if inverse and (operation is None or operation.inverse is None):
            self.at = start
            return None
        return operation.inverse if inverse and operation is not None else name

    @staticmethod
    def _function(token: str) -> str | None:
        """The name in signs of a function, unless that may be a variable."""
        name = SPOKEN_FUNCTIONS.get(token, token)
        own = named(name).values()
        return name if len(name) > 1 and any(o.arity == 1 for o in own) else None

    def _applied(self, function: str) -> _Sum | None:
        """A function, its power or its base, and its argument."""
        power = ""
        if self._next() in _POWERS:
            power = f"^{_POWERS[self._next()]}"
            self.at += 1
        base = ""
        if function in ("log", "ln") and self._take("base"):
            found = self.factor()
            if found is None:
                return None
            base, function = f", {found.text}", "log"
        self._take("of")
        argument = self._argument()
        if argument is None:
            return None
        if function in ("log", "ln") and self._take("base"):
            found = self.factor()
            if found is None:
                return None
            base, function = f", {found.text}", "log"
        inner = argument.text
        if inner[0] == "(" and inner[-1] == ")" and inner.count("(") == 1:
            inner = inner[1:-1]
        return _Sum(f"{function}({inner}{base}){power}", POWER if power else WHOLE)

    def _argument(self) -> _Sum | None:
        """What a function is of: three x, x squared; of two times x both, of x times y the first."""
        found = self.power()
        while found is not None:
            is_number = re.fullmatch(r"[0-9.]+|pi", found.text) is not None
            if not (self._begins() and self._function(self._next()) is None) and not (is_number and self._take("times", "*")):  # fmt: skip
                break
            more = self.power()
            if more is None:
                return None
            found = _Sum(f"{_wrapped(found, PRODUCT)}*{_wrapped(more, POWER)}", PRODUCT)
        return found
