"""Formulas in words, in signs: "x squared over the square root of x" is x^2/sqrt(x).

    in_signs("sine of three x")             "sin(3*x)"
    in_signs("x^2 + 1")                     None: there is no word in it
    in_signs("1 over x plus 1")             raises: 1/x + 1, or 1/(x + 1)?

A closed grammar: a text with any other word in it is None. Signs and words may be mixed. What words leave open,
signs say, so a text of which two readings are likely is refused with both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from exprgrad.annotations import NamedTuple
from exprgrad.errors import ExpressionSyntaxError, Hint, Span
from exprgrad.language.brackets import outside, unpaired
from exprgrad.language.elsewhere import DIGITS, SPELT, SPOKEN
from exprgrad.language.phrases import ORDINALS
from exprgrad.language.undefined import FUNCTION_LETTERS
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import CONSTANTS, SPOKEN_FUNCTIONS

_PARTS = {"half": "1/2", "halve": "1/2", "third": "1/3", "quarter": "1/4", "fourth": "1/4", "fifth": "1/5"}  # fmt: skip
_ORDINALS = {word: str(n) for word, n in ORDINALS.items() if n > 1} | {"nth": "n"}
_SUFFIXES = ("st", "nd", "rd", "th")
_PHRASES = (
    (r"an? (half|third|quarter|fourth|fifth)(?= of|\b)", r"one \1"), (r"one (half|third|quarter|fourth|fifth) of", r"one \1"), ("half of", "half"), ("multiplied by", "times"), ("divided by", "over"), ("square root", "sqrt"), ("cubed? root", "cbrt"), ("squareroot", "sqrt"), ("open (?:parenthesis|bracket)", "("), ("close (?:parenthesis|bracket)", ")"),
    (r"(sin|cos|tan|sec|csc|cot) square(?! root)", r"\1 squared"), ("to the base", "base"), ("to power", "to"),
    ("arc", "inverse"), ("absolute value", "abs"), ("natural logarithm", "ln"), ("natural log", "ln"),
    ("raised to the power of", "to"), ("raised to the power", "to"), ("to the power of", "to"), ("to the power", "to"),
    ("raised to the", "to"), ("raised to", "to"), ("to the", "to"),
)  # fmt: skip
"""Several words that are one of the grammar."""

_WRITTEN = (
    (r"\b(?:C|nCr|binom(?:ial)?|comb|COMBIN)\s*\(([^(),]+),([^(),]+)\)", r"((\1) choose (\2))"),
    (r"(?<![\w.])([0-9]+)\s*(?:C|nCr)\s*([0-9]+)(?!\w)", r"(\1 choose \2)"),
    (r"\broot(?:\(\s*([2-9])\s*\)|([2-9]))(?=\()", r"\1\2th root of "),
)  # fmt: skip
"""Combinations and the roots of AsciiMath, as words for them."""

_POWERS = {word: sign[1:] for word, sign in SPOKEN.items() if sign[0] == "^"} | {"square": "2", "cube": "3"}  # fmt: skip
_OF_TWO = {"product": "*", "sum": "+", "difference": "-", "quotient": "/", "ratio": "/"}
_SUMS = {"plus": "+", "+": "+", "minus": "-", "-": "-", "−": "-"}
_TOKEN = re.compile(
    r"\s*(?:([^\W\d_]{2,}[0-9]+(?=\s*\()|[^\W\d_]+)|([0-9]+(?:\.[0-9]+)?)|(\^|\*\*)|(\S))"
)
_MINUS = ("minus", "negative", "-", "−")
_OPENING, _CLOSING = "([{", ")]}"

_BEFORE = ("of", "over", "times", "plus", "minus", "to", "the", "mod", "choose", "and", "twice", "half")  # fmt: skip
"""Words with an operand behind them."""

MOST_FACTORS = 6
"""Factors of a combination that are written out, n*(n - 1)/2!, so that it is a polynomial."""

LONGEST = 500
"""Characters of a text that is read as words."""


class _Part(NamedTuple):
    """A part of a formula: its text, and how tightly that holds together."""

    text: str
    level: int


SUM, PRODUCT, POWER, WHOLE = range(4)

_SAID = {"root": "sqrt", "mod": "abs", "modulus": "abs"}
_OF = {"square": ("{}^2", WHOLE, POWER), "cube": ("{}^3", WHOLE, POWER), "reciprocal": ("1/{}", WHOLE, PRODUCT)}  # fmt: skip
"""Words said of one argument: how they are written, and how tightly the argument and the whole hold together."""

_ATOMS = frozenset((
    *DIGITS, *SPELT, *CONSTANTS, *_OF, *_OF_TWO, "the", "hyperbolic", "half", "twice", "quantity",
))  # fmt: skip
"""Words with which a factor begins."""


def in_signs(text: str) -> str | None:
    """Return a formula in words as one in signs; None for a text without words, or with others.

    Raises `ExpressionSyntaxError` where two readings are likely.
    """
    # in SINE OF X the X is x, but in sine of X it is a name of its own
    plain = text.lower() if re.search("[A-Z]{3}", text) and text.isupper() else text
    if len(plain) > LONGEST:
        return None
    for pattern, written in _WRITTEN:
        plain = re.sub(pattern, written, plain)
    for phrase, word in _PHRASES:
        plain = re.sub(rf"\b{phrase}\b", word, plain, flags=re.IGNORECASE)
    tokens = _tokens(plain)
    if not any((len(t) > 1 and t.isalpha()) or t == "%" for t in tokens):
        return None
    # two numbers side by side are a slip, which the reader of signs explains
    if any(a[0].isdigit() and b[0].isdigit() for a, b in pairwise(tokens)):
        return None
    reader = _Reader(tokens, text)
    try:
        found = reader.sum()
    except _NoFormula:
        return None
    return found.text if reader.at == len(tokens) else None


def _tokens(plain: str) -> list[str]:
    """Return the tokens of a text, with brackets round a sum without blanks that a word stands before: 1 over x+1."""
    tokens: list[str] = []
    chunk: list[str] = []
    # None ends the last chunk as a blank ends the others
    for found in (*_TOKEN.finditer(plain), None):
        if found is None or found[0][0].isspace():
            start, end = _within(chunk)
            tokens, own = tokens + chunk[:start], chunk[start:end]
            before = tokens[-1].lower() if tokens else "of"
            is_operand = before in (*_BEFORE, *_OPENING) and _is_sum(own)
            tokens += ["(", *own, ")"] if is_operand else own
            tokens, chunk = tokens + chunk[end:], []
        if found is not None:
            chunk.append(next(filter(None, found.groups())))
    return tokens


def _within(tokens: Sequence[str]) -> Span:
    """The tokens behind the last bracket that stays open and before the first one that was opened earlier."""
    opened, closing = unpaired(tokens)
    if closing:
        return 0, closing[0]
    return (opened[-1] + 1 if opened else 0), len(tokens)


def _is_sum(tokens: Sequence[str]) -> bool:
    """Return whether there is a sign between two terms, outside of brackets."""
    before = (tokens[i - 1] for i in outside(tokens, "+-−") if i)
    return any(token.isalnum() or token in _CLOSING for token in before)


_COMPOSED = r"[a-zA-Z](?:\s*(?:∘|\\circ(?![a-zA-Z]))\s*[a-zA-Z])+"


def composed(text: str) -> str:
    """Return a text with f(g(x)) for f∘g, and f(g(2)) for (f∘g)(2)."""

    def nested(found: re.Match[str]) -> str:
        names = re.findall(r"(?<!\\)\b[a-zA-Z]\b", found["names"] or found[0])
        # the t of (f∘g)'(t)
        at = re.match(r"\s*\)['’′]+\s*\(\s*([a-zA-Z])\s*\)", text[found.end() :])
        inside = found["args"] or (at[1] if at is not None else "x")
        return "(".join([*names, inside]) + ")" * len(names)

    applied = rf"\(\s*(?P<names>{_COMPOSED})\s*\)\s*\((?P<args>[^()]+)\)"
    # (f∘g)^-1 is the inverse function
    bare = rf"{_COMPOSED}(?!\s*(?:∘|\\circ|\)?\s*(?:\^\s*[{{(]?\s*-|⁻)))"
    return re.sub(rf"{applied}|{bare}", nested, text)


class _NoFormula(Exception):
    """The words are no formula."""


def _wrapped(part: _Part, level: int) -> str:
    return part.text if part.level >= level else f"({part.text})"


class _Reader:
    """A recursive descent over words and signs: a method for each level of precedence."""

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

    def _skip(self, count: int = 1) -> None:
        self.at += count
        self._take("of")

    def sum(self) -> _Part:
        """A sum of products."""
        left = self.product()
        while (said := self._next()) in _SUMS:
            self.at += 1
            right = self.product()
            self._refuse_unclear(left, said, right)
            left = _Part(f"{left.text} {_SUMS[said]} {_wrapped(right, PRODUCT)}", SUM)
        return left

    def _refuse_unclear(self, left: _Part, said: str, right: _Part) -> None:
        """Raise for the square root of x plus 1, and 1 over x plus 1; behind "over", who writes a sign says what is meant."""
        sign = _SUMS[said]
        both, others = f"{left.text} {sign} {right.text}", list[str]()
        is_number = right.text.replace(".", "").isdigit()
        call = re.fullmatch(r"(?:.*[*/])?\w+\((([^(),]*)(?:, [^()]*)?)\)", left.text)
        if call and " of " in self.source and (is_number or call[2].replace(".", "").isdigit()):  # fmt: skip
            # the root of 1 minus x^2
            others.append(f"{left.text[: call.end(2)]} {sign} {right.text}{left.text[call.end(2) :]}")  # fmt: skip
        if said != sign and "over" in map(str.lower, self.tokens):
            top, over, below = left.text.rpartition("/")
            # nobody says "over 1" alone: one over 1 plus x
            if top and (below == "1" or not right.text[:1].isalpha()) and "(" not in below:  # fmt: skip
                others.append(f"{top}/({below} {sign} {right.text})")
            top, over, below = right.text.partition("/")
            if over:
                others.append(f"({left.text} {sign} {top})/{below}")
        if right.text.startswith("1^"):  # x plus 1 squared
            others.append(f"({left.text} {sign} 1){right.text[1:]}")
        if others:
            raise self._unclear(both, *others)

    def _unclear(self, one: str, *others: str) -> ExpressionSyntaxError:
        """The error for words that can be read in two ways."""
        hint = Hint("instead", text=one, others=others)
        whole, message = (0, len(self.source)), "these words have two meanings"
        return ExpressionSyntaxError(message, whole, hint, source=self.source)

    def product(self) -> _Part:
        """A product of powers, with a sign perhaps, or a quotient; the sign is within a remainder, of -7 by 3."""
        minus = "-" if self._take(*_MINUS) else ""
        left = self.product() if minus and self._next() in _MINUS else self.power()
        while True:
            sign = "*"
            if self._take("mod", "%"):
                left = _Part(f"mod({minus}{_wrapped(left, PRODUCT * bool(minus))}, {self.power().text})", WHOLE)  # fmt: skip
                minus = ""
                continue
            if self._take("choose"):
                left = _combinations(left, self.power())
                continue
            if self._take("over", "/", "÷"):
                sign = "/"
            elif not self._take("times", "*", "·", "×") and not self._begins():
                return _Part(f"-{_wrapped(left, PRODUCT)}", PRODUCT) if minus else left
            right = _wrapped(self.power(), POWER)
            left = _Part(f"{_wrapped(left, PRODUCT)}{sign}{right}", PRODUCT)

    def _begins(self) -> bool:
        """Return whether a factor begins here."""
        token = self._next()
        return bool(token) and (token in _OPENING or token[0].isdigit() or self._is_atom(token))  # fmt: skip

    def _is_atom(self, token: str) -> bool:
        if token in _ATOMS or (len(token) == 1 and token.isalpha()):
            return True
        named = self._next(1) if token == "inverse" else token
        return self._function(named) is not None

    def power(self) -> _Part:
        """A factor with what is said of its power."""
        start = self.at
        left = self.factor()
        while True:
            said = self._next()
            # the cube root, and the square of, are said of what follows
            if said in _POWERS and self._next(1) not in ("of", "root") and self._take(said):  # fmt: skip
                exponent = _POWERS[said]
            elif self._take("to", "^", "**", "power"):
                exponent = self._exponent(said == "to")
                if said in ("^", "**") and self.tokens[self.at - 1].lower() in _POWERS:
                    inner, _, power = exponent[1:-1].rpartition("^")
                    before = "".join(self.tokens[:start])
                    base = f"{_wrapped(left, WHOLE)}^"
                    raise self._unclear(f"{before}({base}{inner})^{power}", f"{before}{base}{exponent}")  # fmt: skip
            elif self._take("factorial", "!"):
                left = _Part(f"{_wrapped(left, WHOLE)}!", WHOLE)
                continue
            else:
                return left
            left = _Part(f"{_wrapped(left, WHOLE)}^{exponent}", POWER)

    def _exponent(self, is_said: bool) -> str:
        """An exponent; where it is said and not written, e to the two x, a product too."""
        token = self._next()
        if token in _ORDINALS or (token.isdecimal() and self._next(1) in _SUFFIXES):
            self.at += 1 + (token not in _ORDINALS)
            self._take("power")
            return _ORDINALS.get(token, token)
        sign = "-" if self._take(*_MINUS) else ""
        part = self._fraction()
        if not part and is_said and self._next(1) == "/" and self._next(2).isdigit():
            part = f"({self._next()}/{self._next(2)})"
            self.at += 3
        if not part:
            found = self.power()
            # behind a number, "mod" is what is left by a division, though it begins a factor elsewhere: 2 to the 3 mod 5
            while is_said and re.fullmatch(r"[0-9.]+", found.text) and self._begins() and self._next() != "mod":  # fmt: skip
                found = _Part(f"{found.text}*{self.power().text}", PRODUCT)
            part = _wrapped(found, WHOLE)
        self._take("power")
        return f"({sign}{part})" if sign else part

    def _fraction(self) -> str:
        """One half, two thirds."""
        number, part = DIGITS.get(self._next()), self._next(1).rstrip("s")
        if number is None or part not in _PARTS:
            return ""
        self.at += 2
        return f"({number}/{_PARTS[part][2:]})"

    def factor(self) -> _Part:
        """A number, a variable, a function of something, or what stands in brackets."""
        self._take("the")
        token, then = self._next(), self._next(1)
        if token in FUNCTION_LETTERS and then == "(":
            raise _NoFormula  # f(x) is no product
        if fraction := self._fraction():
            return _Part(fraction, WHOLE)
        if token in _OF and then == "of":
            self._skip()
            return _filled(_OF[token], self._argument())
        if token and token in _OPENING:
            self.at += 1
            inner = self.sum()
            if self._take(*_CLOSING):
                return _Part(f"({inner.text})", WHOLE)
            raise _NoFormula
        count = 2 if token.isdigit() and then in _SUFFIXES else 1
        if (count == 2 or token in _ORDINALS) and self._next(count) == "root":
            self._skip(count + 1)
            return _Part(f"root({self._argument().text}, {_ORDINALS.get(token, token)})", WHOLE)  # fmt: skip
        if self._take("quantity"):
            return self._quantity()
        if self._take("twice"):
            return _filled(("2*{}", POWER, PRODUCT), self.power())
        if self._take("half"):
            return _Part("(1/2)", WHOLE)
        if token in _OF_TWO and then == "of":
            return self._of_two(_OF_TWO[token])
        function = self._called()
        if function is not None:
            return self._applied(function)
        if not token or not (self._is_atom(token) or token[0].isdigit()):
            raise _NoFormula
        self.at += 1
        return _Part(DIGITS.get(token, token), WHOLE)

    def _quantity(self) -> _Part:
        """All up to a power: the quantity x plus 1 squared."""
        rest = self.tokens[self.at :]
        count = next((i for i, t in enumerate(rest) if t in (*_POWERS, "to")), len(rest))  # fmt: skip
        # a reader of its own, so that the power behind these words is left for all of them
        reader = _Reader(rest[:count], self.source)
        inner = reader.sum()
        self.at += count
        if reader.at < count:
            raise _NoFormula
        return _Part(f"({inner.text})", WHOLE)

    def _of_two(self, sign: str) -> _Part:
        """The product, or another combination, of this and that."""
        self.at += 2
        level = SUM if sign in "+-" else PRODUCT
        first = self.sum()
        if not self._take("and"):
            raise _NoFormula
        second = _wrapped(self.sum(), level + 1)
        return _Part(f"{_wrapped(first, level)}{sign}{second}", level)

    def _called(self) -> str | None:
        """The name of the function that is named here, with all words of its name."""
        start = self.at
        inverse = self._take("inverse")
        hyperbolic = "h" * self._take("hyperbolic")
        name = self._function(self._next())
        if name is not None:
            self.at += 1
            inverse = self._take("inverse") or inverse
            operation = next(iter(named(name + hyperbolic).values()), None)
            if not inverse:
                return name + hyperbolic
            if operation is not None and operation.inverse is not None:
                return operation.inverse
        self.at = start
        return None

    @staticmethod
    def _function(token: str) -> str | None:
        """The name in signs of a function, unless that may be a variable."""
        name = _SAID.get(token) or SPOKEN_FUNCTIONS.get(token, token)
        own = named(name).values()
        return name if len(name) > 1 and any(o.arity == 1 for o in own) else None

    def _applied(self, function: str) -> _Part:
        """A function, its power or its base, and its argument."""
        said, base = self._next(), ""
        power = f"^{_POWERS[said]}" if self._take(*_POWERS) else ""
        has_base = function in ("log", "ln")
        if has_base and self._take("base"):
            base = f", {self.factor().text}"
        is_said = self._take("of")
        # brackets right behind a name hold all it is of: sin(x)^2 is a square
        is_called = not is_said and self._next() in tuple(_OPENING)
        inner = (self.factor() if is_called else self._argument(is_said)).text
        if has_base and self._take("base"):
            base = f", {self.factor().text}"
        # one pair of brackets is that of the call; (x + 1)*(x - 1) begins and ends with others
        is_pair = inner[-1] == ")" and inner.count("(") == 1
        if inner[0] == "(" and (is_called or is_pair):
            inner = inner[1:-1]
        function = "log" if base else function
        return _Part(f"{function}({inner}{base}){power}", POWER if power else WHOLE)

    def _argument(self, is_said: bool = True) -> _Part:
        """Return what a function is of: three x, x squared; of two times x both, of x times y the first.

        Where "of" is not said, brackets behind a variable are a factor of their own, as in signs: sin x (x + 1).
        """
        if self._take(*_MINUS):
            return _Part(f"-{_wrapped(self._argument(is_said), PRODUCT)}", PRODUCT)
        found = self.power()
        is_angle = re.fullmatch(r"(?:[0-9.]+\*)?pi", found.text) is not None
        if is_angle and self._next(1).isdigit() and self._take("over", "/"):
            return _Part(f"{found.text}/{self.power().text}", PRODUCT)
        # up to the next function: sine x cosine x is a product of two
        while True:
            is_number = re.fullmatch(r"[0-9.]+|pi", found.text) is not None
            goes_on = self._begins() and self._function(self._next()) is None
            goes_on &= is_said or is_number or self._next() not in tuple(_OPENING)
            if not goes_on and not (is_number and self._take("times", "*")):
                return found
            more = _wrapped(self.power(), POWER)
            found = _Part(f"{_wrapped(found, PRODUCT)}*{more}", PRODUCT)


def _filled(template: tuple[str, int, int], inner: _Part) -> _Part:
    text, within, level = template
    return _Part(text.format(_wrapped(inner, within)), level)


def _combinations(upper: _Part, lower: _Part) -> _Part:
    """So many out of a number: few of them as a polynomial."""
    n, k = _wrapped(upper, WHOLE), _wrapped(lower, WHOLE)
    digits = k.strip("()")
    chosen = int(digits) if digits.isdigit() else MOST_FACTORS + 1
    if 0 < chosen <= MOST_FACTORS:
        # the factorial of a variable has no derivative, a polynomial has
        factors = "*".join([n, *(f"({n} - {i})" for i in range(1, chosen))])
        return _Part(f"{factors}/{chosen}!", PRODUCT)
    if n.strip("()").isdigit() and digits.isdigit():
        return _Part(f"{n}!/({k}!*({n} - {k})!)", PRODUCT)
    return _Part(f"gamma({n} + 1)/(gamma({k} + 1)*gamma({n} - {k} + 1))", PRODUCT)
