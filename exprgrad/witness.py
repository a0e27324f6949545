"""A second opinion on certificates, which shares nothing with the rest of the package.

    python witness.py certificate.json      confirmed, refused or cannot tell; exits with 0, 1 or 3

What a certificate says is refused where balls contradict it at a point. It is confirmed where none do and it is an
identity modulo large random primes (Schwartz 1980, Zippel 1979). These are -1 modulo 8 and modulo each odd prime up
to 31. There -1 is no square and 2, 3, 5 ... 31 are, so that "is a square" behaves as "is positive" does: of a and -a
one is, and signs are multiplied. The root of a is the one that is a square, and roots of odd order are unique.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # beside it are files with names of the standard library

import ast
import decimal
import json
import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache, partial
from itertools import chain
from typing import Any

CONFIRMED, CANNOT_TELL, REFUSED = "confirmed", "cannot tell", "refused"


class BeyondReachError(ArithmeticError):
    """A text, a function or a number is beyond what is done here."""


class NoValueError(ArithmeticError):
    """An expression has no value at a point."""


# Expressions and their derivatives


class Node:
    """A number, a name, or an operation (+ * ^ or a function) with its operands."""

    def __init__(self, operation: str, *operands: Any) -> None:
        self.operation, self.operands = operation, operands


node = cache(Node)
"""The one node with an operation and its operands: equal expressions are the same object."""

ZERO, ONE, MINUS = (node("number", Fraction(n)) for n in (0, 1, -1))
PI = node("name", "pi")
MOST_DIGITS = 4000

MEANING = {
    "tan": "sin(u)/cos(u)", "cot": "cos(u)/sin(u)", "sec": "1/cos(u)", "csc": "1/sin(u)", "sinh": "(exp(u) - exp(-u))/2",
    "cosh": "(exp(u) + exp(-u))/2", "tanh": "1 - 2/(exp(2*u) + 1)", "coth": "1 + 2/(exp(2*u) - 1)",
    "sech": "2/(exp(u) + exp(-u))", "csch": "2/(exp(u) - exp(-u))", "sqrt": "u^(1/2)", "cbrt": "u^(1/3)", "root": "u^(1/v)",
    "log10": "ln(u)/ln(10)", "log2": "ln(u)/ln(2)", "log": "ln(u)/ln(v)", "log1p": "ln(1 + u)", "expm1": "exp(u) - 1",
    "asin": "2*atan(u/(1 + (1 - u^2)^(1/2)))", "acos": "pi/2 - asin(u)", "asec": "acos(1/u)", "acsc": "asin(1/u)",
    "acot": "atan(1/u)", "asinh": "ln(u + (u^2 + 1)^(1/2))", "acosh": "ln(u + (u - 1)^(1/2)*(u + 1)^(1/2))",
    "atanh": "ln(1 + u)/2 - ln(1 - u)/2", "asech": "ln((1 + (1 - u)^(1/2)*(1 + u)^(1/2))/u)", "acsch": "asinh(1/u)", "acoth": "atanh(1/u)",
    "abs": "(u^2)^(1/2)", "sign": "u/abs(u)", "hypot": "(u^2 + v^2)^(1/2)", "sigmoid": "1/(1 + exp(-u))", "softplus": "ln(1 + exp(u))", "relu": "(u + abs(u))/2",
    "max": "(u + v + abs(u - v))/2", "min": "(u + v - abs(u - v))/2",
}  # fmt: skip
"""Functions of u, or of u and v, by others."""

RULES = {
    "+": ["1", "1"], "*": ["v", "u"], "^": ["v*u^(v - 1)", "0"], "sin": ["cos(u)"], "cos": ["-sin(u)"], "exp": ["exp(u)"],
    "ln": ["1/u"], "atan": ["1/(1 + u^2)"],
}  # fmt: skip
"""The partial derivatives of all others; exponents of powers are numbers."""


@cache
def rational(item: Node) -> Fraction | None:
    """Return the rational number that an expression of numbers alone is."""
    if item.operation == "number":
        return Fraction(item.operands[0])
    a, b = map(rational, item.operands) if item.operation in "+*^" else (None, None)
    if a is None or b is None:
        return None
    if item.operation != "^":
        return a + b if item.operation == "+" else a * b
    is_short = b.denominator == 1 and abs(b) * len(str(a)) < MOST_DIGITS
    return Fraction(a**b) if is_short and a else None


def plus(a: Node, b: Node) -> Node:
    """Return the sum, without a 0."""
    return b if a is ZERO else a if b is ZERO else node("+", a, b)


def times(a: Node, b: Node) -> Node:
    """Return the product, without a 1."""
    zero = ZERO if ZERO in (a, b) else None
    return zero or (b if a is ONE else a if b is ONE else node("*", a, b))


def raised(a: Node, b: Node, is_decimal: bool = False) -> Node:
    """Return the power; x^0.2 is for positive numbers, x^(1/5) for all."""
    q = rational(b)
    if q is None or (is_decimal and q.denominator % 2 and q.denominator > 1):
        return node("exp", node("*", b, node("ln", a)))
    return node("^", a, b)


BINARY: Mapping[type, Callable[..., Node]] = {
    ast.Add: plus, ast.Sub: lambda a, b: plus(a, times(MINUS, b)),
    ast.Mult: partial(node, "*"), ast.Div: lambda a, b: node("*", a, node("^", b, MINUS)),
}  # fmt: skip
"""Operators; a product keeps its 0, for 0*ln(x) has no value at -1."""


def read(text: str, *operands: Node) -> Node:
    """Return the expression that a text in Python's syntax is, with ^ for powers and u, v for operands."""
    source = text.replace("^", "**").strip()
    known = dict(zip("uv", operands, strict=False))

    def segment(item: ast.expr) -> str:
        return ast.get_source_segment(source, item) or ""

    def of(item: ast.expr) -> Node:
        match item:
            case ast.Constant(value=int() | float()):
                return node("number", Fraction(segment(item)))
            case ast.Name(id=name):
                own = node("exp", ONE) if name == "e" else node("name", name)
                return known.get(name, own)
            case ast.UnaryOp(op=ast.USub(), operand=a):
                return times(MINUS, of(a))
            case ast.BinOp(left=a, op=ast.Pow(), right=b):
                return raised(of(a), of(b), "." in segment(b))
            case ast.BinOp(left=a, op=op, right=b) if type(op) in BINARY:
                return BINARY[type(op)](of(a), of(b))
            case ast.Call(func=ast.Name(id=name), args=[a]) if name in RULES:
                return node(name, of(a))
            case ast.Call(func=ast.Name(id=name), args=args) if name in MEANING:
                return read(MEANING[name], *map(of, args))
        raise BeyondReachError(f"cannot read {segment(item)}")

    return of(ast.parse(source, mode="eval").body)


@cache
def derivative(item: Node, x: str) -> Node:
    """Return the derivative by the chain rule."""
    total = ONE if item is node("name", x) else ZERO
    rules = RULES.get(item.operation, ())
    for text, operand in zip(rules, item.operands, strict=False):
        inner = derivative(operand, x)
        if inner is not ZERO and text != "0":
            total = plus(total, times(read(text, *item.operands), inner))
    return total


class Place:
    """Values of expressions at a point, in numbers of one kind; `rules` are those of operations."""

    rules: Mapping[str, Callable[..., Any]]
    at: Mapping[str, str] = {}
    is_whole = True

    def __init__(self) -> None:
        self.values: dict[Any, Any] = {}

    def value(self, item: Node) -> Any:
        """Return the value of an expression. Raises `NoValueError`."""
        if item not in self.values:
            self.values[item] = self.rules[item.operation](self, *item.operands)
        return self.values[item]

    def seen(self, item: Node) -> Any:
        """Return the value of an expression; None if it has none."""
        with suppress(NoValueError):
            return self.value(item)


# Numbers modulo a prime

SMALL = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31)
STEP = 4 * math.prod(SMALL)
PARTS = range(1, 17)
MOST_TERMS, MOST_TIMES = 100, 5000


def terms(item: Node) -> Iterator[tuple[Fraction, Node]]:
    """Yield the terms of a sum, multiplied out, each as a rational number and a factor."""
    if (q := rational(item)) is not None:
        yield q, ONE
    elif item.operation == "+":
        yield from chain(*map(terms, item.operands))
    elif item.operation == "*":
        a, b = item.operands
        yield from ((p * q, times(u, v)) for p, u in terms(a) for q, v in terms(b))
    else:
        yield Fraction(1), item


class Model(Place):
    """Numbers modulo a prime, where what is not known further is drawn at random."""

    rules: Mapping[str, Callable[..., Any]] = {
        "number": lambda s, a: a.numerator * pow(a.denominator, -1, s.p) % s.p,
        "name": lambda s, a: s.unknown(a) ** (1 + (a == "pi")) % s.p,
        "+": lambda s, a, b: (s.value(a) + s.value(b)) % s.p,
        "*": lambda s, a, b: s.value(a) * s.value(b) % s.p,
        "^": lambda s, a, b: s.power(s.value(a), rational(b)),
        "exp": lambda s, a: s.exponential(a, False)[0],
        "cos": lambda s, a: s.exponential(a, True)[0],
        "sin": lambda s, a: s.exponential(a, True)[1],
        "ln": lambda s, a: s.power(s.value(a), Fraction(-1, 2)) and s.logarithm(a) % s.p,
        "atan": lambda s, a: s.unknown("atan", s.value(a)),
    }  # fmt: skip

    def __init__(self, source: random.Random) -> None:
        super().__init__()
        self.source, self.p = source, 1
        while any(pow(base, self.p - 1, self.p) != 1 for base in (2, 7, 41)):
            self.p = STEP * source.randrange(2**60 // STEP, 2**61 // STEP) - 1
        self.bases: dict[bool, list[int]] = {False: [], True: []}

    def unknown(self, *key: object) -> int:
        """Return a random number other than 0, always the same for the same key."""
        return int(self.values.setdefault(key, self.source.randrange(1, self.p)))

    def sign(self, item: Node) -> int:
        """Return 1 for a square other than 0, 0 for 0, and else -1."""
        return int(pow(self.value(item), (self.p - 1) // 2, self.p) + 1) % self.p - 1

    def power(self, a: int, q: Fraction) -> int:
        """Return a^q: the root that is a square is a^((p + 1)/4)."""
        order = q.denominator
        while order % 2 == 0:
            a, square, order = pow(a, (self.p + 1) // 4, self.p), a, order // 2
            if a * a % self.p != square:
                raise NoValueError
        if a == 0 and q < 0:
            raise NoValueError
        if math.gcd(order, self.p - 1) > 1:
            raise BeyondReachError(f"roots of order {order}")
        return pow(a, pow(order, -1, self.p - 1) * q.numerator, self.p)

    def multiple(self, turns: bool, value: int) -> tuple[int, Fraction]:
        """Return the number of the first exponent or angle that this is a multiple of, and how often."""
        for index, base in enumerate(self.bases[turns]):
            ratio = value * pow(base, -1, self.p)
            for below in PARTS:
                above = (ratio * below + MOST_TIMES) % self.p - MOST_TIMES
                if abs(above) <= MOST_TIMES:
                    return index, Fraction(above, below)
        self.bases[turns].append(value)
        return len(self.bases[turns]) - 1, Fraction(1)

    def exponential(self, item: Node, turns: bool) -> tuple[int, int]:
        """Return exp(u) and 0, or the two parts of exp(i*u): of a sum the product over its terms."""
        x, y = 1, 0
        for number, (q, rest) in enumerate(terms(item)):
            value = self.value(times(node("number", q), rest))
            if number == MOST_TERMS:
                raise BeyondReachError("many terms")
            if rest.operation == "ln" and not turns:
                x = x * self.power(self.value(*rest.operands), q) % self.p
                continue
            count = 12 * q
            if turns and rest is PI and count.denominator == 1:  # in steps of pi/12
                two, six = (self.power(n, Fraction(1, 2)) for n in (2, 6))
                below = pow(4, -1, self.p)
                c, s = (six + two) * below, (six - two) * below
            else:  # in parts of the first such term, with t = tan(angle/2)
                index, q = self.multiple(turns, value) if value else (0, Fraction(0))
                t, count = self.unknown(turns, index), math.lcm(*PARTS) * q
                below = pow(1 + t * t, -1, self.p)
                c, s = ((1 - t * t) * below, 2 * t * below) if turns else (t * t, 0)
            # such numbers have these orders
            for digit in f"{int(count) % (self.p + (1 if turns else -1)):b}"[::-1]:
                if digit == "1":
                    x, y = (x * c - y * s) % self.p, (x * s + y * c) % self.p
                c, s = (c * c - s * s) % self.p, 2 * c * s % self.p
        return x, y

    def logarithm(self, item: Node) -> int:
        """Return ln|u|: sums for products, and for whole numbers by their factors."""
        a, *rest = item.operands
        match item.operation:
            case "*":
                return self.logarithm(a) + self.logarithm(*rest)
            case "^":
                return int(self.value(*rest)) * self.logarithm(a)
            case "exp":
                return int(self.value(a))
            case "number" if factors := [p for p in SMALL if a and a % p == 0]:
                left = node("number", a / factors[0])
                return self.unknown("ln", factors[0]) + self.logarithm(left)
        value = min(self.value(item), -self.value(item) % self.p)
        return 0 if value == 1 else self.unknown("ln", value)


# Balls of decimals

Ball = tuple[Decimal, Decimal]
DIGITS = Context(60, Emin=-(10**6), Emax=10**6)
for trap in (decimal.Underflow, decimal.Overflow, decimal.InvalidOperation):
    DIGITS.traps[trap] = True
TURN = Decimal("6.283185307179586476925286766559005768394338798750211641949889184615")
FINE, COARSE = Decimal("1e-58"), Decimal("1e-45")
"""How far what was computed may be off: of its own size; and sines and arcs."""


def sine(x: Decimal) -> Decimal:
    """Return the sine by its series, of the argument less full turns."""
    if abs(x) > 10**6:
        raise BeyondReachError("a large angle")
    x -= TURN * (x / TURN).to_integral_value()
    total, term, k = 0 * x, x, 1
    while abs(term) > FINE:
        total, term, k = total + term, -term * x * x / ((k + 1) * (k + 2)), k + 2
    return total


def arc_tangent(x: Decimal) -> Decimal:
    """Return it by steps y + sin(atan(x) - y), which leave the third power of the error."""
    y = Decimal(math.atan(x))
    for _ in range(2):
        y += (x * sine(y + TURN / 4) - sine(y)) / (1 + x * x).sqrt()
    return y


def ball(middle: Decimal, radius: Decimal | int = 0, error: Decimal | int = 0) -> Ball:
    """Return a ball around what was rounded; an exact 0 stays one."""
    return middle, (radius + (error or abs(middle) * FINE)) * (1 + FINE.sqrt())


def product(a: Ball, b: Ball) -> Ball:
    """Return the product of balls."""
    return ball(a[0] * b[0], abs(a[0]) * b[1] + abs(b[0]) * a[1] + a[1] * b[1])


def sign(a: Ball) -> int:
    """Return the sign of a ball."""
    if abs(a[0]) <= a[1] and a[1]:
        raise BeyondReachError("the sign of a number close to 0")
    return (a[0] > 0) - (a[0] < 0)


def exponential(a: Ball) -> Ball:
    """Return the exponential of a ball: e^r - 1 < 2*r for r < 1."""
    if a[1] >= 1:
        raise BeyondReachError("a wide ball")
    return ball(a[0].exp(), 2 * a[0].exp() * a[1])


def logarithm(a: Ball) -> Ball:
    """Return the logarithm of a ball."""
    if sign(a) <= 0:
        raise NoValueError
    return ball(a[0].ln(), a[1] / (a[0] - a[1]))


def power(a: Ball, q: Fraction) -> Ball:
    """Return a^q by logarithms, and a root of odd order also of a negative number."""
    side, exponent = sign(a) if q else 1, ball(Decimal(q.numerator) / q.denominator)
    if q == 0 or (side == 0 and q > 0):
        return a if q else ball(Decimal(1))
    if side == 0 or (side < 0 and q.denominator % 2 == 0):
        raise NoValueError
    middle, radius = exponential(product(exponent, logarithm((abs(a[0]), a[1]))))
    return middle * (side if q.numerator % 2 else 1), radius


class Point(Place):
    """Balls that hold the values at a point, whose coordinates are texts."""

    rules: Mapping[str, Callable[..., Any]] = {
        "number": lambda s, a: ball(Decimal(a.numerator) / a.denominator),
        "+": lambda s, a, b: ball(s.value(a)[0] + s.value(b)[0], s.value(a)[1] + s.value(b)[1]),
        "*": lambda s, a, b: product(s.value(a), s.value(b)),
        "^": lambda s, a, b: power(s.value(a), rational(b) or Fraction(0)),
        "exp": lambda s, a: exponential(s.value(a)),
        "ln": lambda s, a: logarithm(s.value(a)),
        "sin": lambda s, a: ball(sine(s.value(a)[0]), s.value(a)[1], COARSE),
        "cos": lambda s, a: ball(sine(s.value(a)[0] + TURN / 4), s.value(a)[1], COARSE),
        "atan": lambda s, a: ball(arc_tangent(s.value(a)[0]), s.value(a)[1], COARSE),
    }  # fmt: skip

    def __init__(self, at: Mapping[str, str]) -> None:
        super().__init__()
        self.at, self.is_whole = at, {*at.values()} <= {*WHOLE}
        self.values = {PI: ball(TURN / 2)}
        self.values |= {node("name", name): self.value(read(at[name])) for name in at}

    def sign(self, item: Node) -> int:
        """Return the sign of an expression."""
        return sign(self.value(item))


# Certificates

Report = tuple[str, str]
SIGNS = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1), "!=": (-1, 1)}
WHOLE = ("0", "1", "-1", "2", "1/2")
ENOUGH, MOST_MODELS = 16, 400


def some_points(*texts: str) -> Iterator[dict[str, str]]:
    """Yield whole numbers, and points close to 0 and far away in every quadrant, always the same."""
    found = {*re.findall(r"\b[^\W\d]\w*\b(?!\()", " ".join(texts))} - {"e", "pi"}
    source = random.Random(2)
    yield from (dict.fromkeys(found, x) for x in WHOLE)
    # of two variables, in four quadrants at each of eight sizes
    for number in range(32):
        size = 4.0 ** (number // 4 - 2)
        signs = [(-1) ** (number >> i % 2) for i in range(len(found))]
        numbers = zip(sorted(found), signs, strict=True)
        yield {x: f"{s * source.randint(1, 997)}*{size}/997" for x, s in numbers}


def condition(text: str) -> Callable[[Any], bool]:
    """Return the test for a condition such as x > 1, given a place."""
    left, relation, right = re.split("(<=|>=|!=|<|>)", text)
    difference = plus(read(left), times(MINUS, read(right)))
    return lambda place: place.sign(difference) in SIGNS[relation]


def are_apart(a: Ball | None, b: Ball | None) -> bool:
    """Say whether two balls have no number in common, or just one of them is there."""
    return a is not b if a is None or b is None else abs(a[0] - b[0]) > a[1] + b[1]


class Claim:
    """That the derivative of an expression, of order 0 or more, is another one, where conditions hold."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.texts, order = (given["expression"], given["claim"]), given.get("order", 0)
        self.function, self.answer = map(read, self.texts)
        self.truth = self.function
        for _ in range(order):
            self.truth = derivative(self.truth, given["wrt"])
        self.where = [condition(text) for text in given.get("where", ())]
        self.may_have_holes = order == 0 or given.get("condone", False)

    def sides(self, place: Place) -> tuple[Any, Any]:
        """Return both sides, None without a value. Raises `NoValueError` where the claim says nothing."""
        place.value(self.function)
        if not all(holds(place) for holds in self.where):
            raise NoValueError
        return place.seen(self.truth), place.seen(self.answer)

    def examined(self, points: Iterable[Mapping[str, str]]) -> Report:
        """Say whether the claim is right wherever the truth has a value."""
        met, source = {True: 0, False: 0}, random.Random(1)
        models = (Model(source) for _ in range(MOST_MODELS))
        for place in chain(map(Point, chain(points, some_points(*self.texts))), models):
            truth = answer = None
            with suppress(ArithmeticError):
                truth, answer = self.sides(place)
            is_point = isinstance(place, Point)
            may_lack = self.may_have_holes or place.is_whole
            if truth is None or (answer is None and may_lack):
                continue
            if is_point and are_apart(truth, answer):
                return REFUSED, f"the two sides at {place.at}"
            if not is_point and truth != answer:
                return CANNOT_TELL, "no identity as far as these functions are known"
            met[is_point] += 1
            if met[False] == ENOUGH and met[True]:
                return CONFIRMED, f"an identity; balls meet at {met[True]} points"
        return CANNOT_TELL, "too few points where both sides have values"

    def looked_at(self, point: Mapping[str, Any], refutes: bool) -> Report:
        """Say whether the two sides have the stated values at a point."""
        told = f"the values at {point['at']}"
        both = point["derivative"], point["claimed"]
        stated = [each and ball(*map(Decimal, each)) for each in both]
        found = self.sides(Point(point["at"]))
        if found[0] is None:
            return CANNOT_TELL, told
        if any(map(are_apart, found, stated)):
            return REFUSED, told
        if are_apart(*found) == refutes:
            return CONFIRMED, told
        return (CANNOT_TELL if refutes else REFUSED), told


def defined(part: str, where: Iterable[str]) -> Report:
    """Say whether a part has a value just where its conditions hold."""
    item, tests, told = read(part), [*map(condition, where)], CANNOT_TELL
    for place in map(Point, some_points(part)):
        with suppress(ArithmeticError):
            inside, lacks = all(holds(place) for holds in tests), not place.seen(item)
            if inside == lacks and not place.is_whole:  # such as the edge of x^pi
                return REFUSED, f"the domain of {part} at {place.at}"
            told = CONFIRMED
    return told, "the domains of its parts"


def reports(certificate: Mapping[str, Any]) -> Iterator[Report]:
    """Yield what is found of each thing that a certificate says."""
    claim, points = Claim(certificate), certificate["points"]
    if certificate["certainty"] != "proved":
        refutes = certificate["certainty"] == "refuted"
        yield from (claim.looked_at(point, refutes) for point in points)
        return
    for each in (claim, *map(Claim, certificate["relations"])):
        yield each.examined(point["at"] for point in points)
    yield from (defined(**each) for each in certificate["domains"])


def verify(certificate: Mapping[str, Any]) -> Report:
    """Say whether what a certificate says is so, and why."""
    try:
        with decimal.localcontext(DIGITS):
            found = [*reports(certificate)]
    except NoValueError:
        return REFUSED, "an expression has no value at a point"
    except Exception as error:  # what cannot be read says nothing
        return CANNOT_TELL, str(error)
    order = (REFUSED, CANNOT_TELL, CONFIRMED)
    return min(found, key=lambda r: order.index(r[0]), default=(CANNOT_TELL, "nothing"))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        report = verify(json.load(file))
    sys.stdout.write(": ".join(report) + "\n")
    sys.exit({CONFIRMED: 0, REFUSED: 1, CANNOT_TELL: 3}[report[0]])
