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
import json
import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from decimal import Context, Decimal, Underflow, localcontext
from fractions import Fraction
from functools import cache, partial
from itertools import chain, product
from operator import add, mul
from typing import Any, ClassVar

REFUSED, CANNOT_TELL, CONFIRMED = STATUSES = "refused", "cannot tell", "confirmed"


class NoValueError(ArithmeticError):
    """An expression has no value at a point."""


class Node:
    """A number, a name, or an operation (+ * ^ or a function) with its operands."""

    def __init__(self, operation: str, *operands: Any) -> None:
        self.operation, self.operands = operation, operands


# there is one node with an operation and its operands: equal expressions are the same object
node = cache(Node)

ZERO, ONE, MINUS = (node("number", Fraction(n)) for n in (0, 1, -1))
PI = node("name", "pi")
MOST_DIGITS, MOST_TERMS, MOST_MODELS, ENOUGH = 4000, 100, 2000, 16

# functions of u, or of u and v, by others
MEANING = {
    "cos": "sin(pi/2 + u)", "tan": "sin(u)/cos(u)", "cot": "cos(u)/sin(u)", "sec": "1/cos(u)", "csc": "1/sin(u)",
    "sinh": "(exp(u) - exp(-u))/2", "cosh": "(exp(u) + exp(-u))/2", "tanh": "1 - 2/(exp(2*u) + 1)", "coth": "1 + 2/(exp(2*u) - 1)",
    "sech": "2/(exp(u) + exp(-u))", "csch": "2/(exp(u) - exp(-u))", "sqrt": "u^(1/2)", "cbrt": "u^(1/3)", "root": "u^(1/v)",
    "log10": "ln(u)/ln(10)", "log2": "ln(u)/ln(2)", "log": "ln(u)/ln(v)", "log1p": "ln(1 + u)", "expm1": "exp(u) - 1",
    "asin": "2*atan(u/(1 + (1 - u^2)^(1/2)))", "acos": "pi/2 - asin(u)", "asec": "acos(1/u)", "acsc": "asin(1/u)",
    "acot": "atan(1/u)", "asinh": "ln(u + (u^2 + 1)^(1/2))", "acosh": "ln(u + (u - 1)^(1/2)*(u + 1)^(1/2))",
    "atanh": "ln(1 + u)/2 - ln(1 - u)/2", "asech": "ln((1 + (1 - u)^(1/2)*(1 + u)^(1/2))/u)", "acsch": "asinh(1/u)", "acoth": "atanh(1/u)",
    "abs": "(u^2)^(1/2)", "sign": "u/abs(u)", "hypot": "(u^2 + v^2)^(1/2)", "sigmoid": "1/(1 + exp(-u))", "softplus": "ln(1 + exp(u))",
    "relu": "(u + abs(u))/2", "max": "(u + v + abs(u - v))/2", "min": "(u + v - abs(u - v))/2",
}  # fmt: skip

# the partial derivatives of all others; exponents of powers are numbers
RULES = {
    "+": ["1", "1"], "*": ["v", "u"], "^": ["v*u^(v - 1)"], "sin": ["cos(u)"], "exp": ["exp(u)"], "ln": ["1/u"], "atan": ["1/(1 + u^2)"],
}  # fmt: skip


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


def times(a: Node, b: Node) -> Node:
    """Return the product, without a 1."""
    return b if a is ONE else a if b is ONE else node("*", a, b)


# a product keeps its 0, for 0*ln(x) has no value at -1
BINARY: Mapping[type, Callable[..., Node]] = {
    ast.Add: partial(node, "+"), ast.Sub: lambda a, b: node("+", a, times(MINUS, b)),
    ast.Mult: partial(node, "*"), ast.Div: lambda a, b: node("*", a, node("^", b, MINUS)),
}  # fmt: skip


@cache
def read(text: str, *operands: Node) -> Node:
    """Return the expression that a text in Python's syntax is, with ^ for powers and u, v for operands."""
    code = text.replace("^", "**").strip()
    known = {"e": node("exp", ONE)} | dict(zip("uv", operands, strict=False))

    def of(item: ast.expr) -> Node:
        match item:
            case ast.Constant(value=int() | float()):
                return node("number", Fraction(ast.get_source_segment(code, item) or 0))
            case ast.Name(id=name):
                return known.get(name, node("name", name))
            case ast.UnaryOp(op=ast.USub(), operand=a):
                return times(MINUS, of(a))
            case ast.BinOp(left=a, op=ast.Pow(), right=b):
                base, exponent, q = of(a), of(b), rational(of(b))
                # x^0.2 is for positive numbers, x^(1/5) for all
                if q is None or ("." in ast.unparse(b) and q.denominator % 10 == 5):
                    return node("exp", node("*", exponent, node("ln", base)))
                return node("^", base, exponent)
            case ast.BinOp(left=a, op=op, right=b) if type(op) in BINARY:
                return BINARY[type(op)](of(a), of(b))
            case ast.Call(func=ast.Name(id=name), args=args) if name in MEANING:
                return read(MEANING[name], *map(of, args))
            case ast.Call(func=ast.Name(id=name), args=[a]) if name in RULES:
                return node(name, of(a))
        raise ArithmeticError(f"cannot read {ast.unparse(item)}")

    return of(ast.parse(code, mode="eval").body)


@cache
def derivative(item: Node, x: str) -> Node:
    """Return the derivative by the chain rule."""
    total, rules = ONE if item is node("name", x) else ZERO, RULES.get(item.operation)
    for text, operand in zip(rules or (), item.operands, strict=False):
        if (inner := derivative(operand, x)) is not ZERO:
            total = node("+", total, times(read(text, *item.operands), inner))
    return total


Interval = tuple[Decimal, Decimal]
DIGITS = Context(60, Emin=-(10**6), Emax=10**6)
DIGITS.traps[Underflow] = True  # as what is too large and what is undefined are
TURN = Decimal("6.283185307179586476925286766559005768394338798750211641949889184615")
# how far what was computed may be off: of its own size; and sines and arcs
FINE, COARSE = Decimal("1e-58"), Decimal("1e-45")


def sine(x: Decimal) -> Decimal:
    """Return the sine by its series, of the argument less full turns."""
    x %= TURN
    total, term, k = 0 * x, x, 1
    while abs(term) > FINE:
        total, term, k = total + term, -term * x * x / ((k + 1) * (k + 2)), k + 2
    return total


def arc_tangent(x: Decimal) -> Decimal:
    """Return it by a step y + sin(atan(x) - y), which leaves the third power of the error of y."""
    y = Decimal(math.atan(x))
    return y + (x * sine(y + TURN / 4) - sine(y)) / (1 + x * x).sqrt()


def over(function: Any, *arguments: Interval, error: Decimal | int = 0) -> Interval:
    """Return an interval with all values of a function that rises or falls in each argument; an exact 0 stays one."""
    found = [function(*ends) for ends in product(*arguments)]
    low, high = min(found), max(found)
    return low - abs(low) * FINE - error, high + abs(high) * FINE + error


def around(middle: Decimal, radius: Decimal | int = 0) -> Interval:
    """Return an interval around a number."""
    return over(add, (middle, middle), (Decimal(-radius), Decimal(radius)))


class Point:
    """Values of expressions at a point whose coordinates are texts: intervals that hold them. `rules` are those of operations."""

    rules: ClassVar[dict[str, Callable[..., Any]]] = {
        "number": lambda s, a: around(Decimal(a.numerator) / a.denominator),
        "+": lambda s, a, b: over(add, s.value(a), s.value(b)),
        "*": lambda s, a, b: over(mul, s.value(a), s.value(b)),
        "^": lambda s, a, b: s.power(s.value(a), rational(b)),
        "exp": lambda s, a: over(Decimal.exp, s.value(a)),
        "ln": lambda s, a: s.power(s.value(a), Fraction(-1, 2)) and over(Decimal.ln, s.value(a)),
        "sin": lambda s, a: s.turned(*s.value(a)),
        "atan": lambda s, a: over(arc_tangent, s.value(a), error=COARSE),
    }  # fmt: skip

    def __init__(self, at: Mapping[str, str]) -> None:
        self.at, self.is_whole = at, {*at.values()} <= {*WHOLE}
        self.values: dict[Any, Any] = {PI: around(TURN / 2)}
        self.values |= {node("name", name): self.value(read(at[name])) for name in at}

    def value(self, item: Node) -> Any:
        """Return the value of an expression. Raises `NoValueError`."""
        if item not in self.values:
            self.values[item] = self.rules[item.operation](self, *item.operands)
        return self.values[item]

    def seen(self, item: Node) -> Any:
        """Return the value of an expression; None if it has none."""
        with suppress(NoValueError):
            return self.value(item)

    def turned(self, low: Decimal, high: Decimal) -> Interval:
        """Return the sine, which changes no faster than the argument; its turns have 60 digits behind the point."""
        return over(sine, (low, high), error=COARSE + high - low + abs(high) * FINE)

    def power(self, a: Any, q: Fraction) -> Any:
        """Return a^q; a root of odd order also of a negative number."""
        low, high = a
        if q and low < high and low <= 0 <= high:
            raise ArithmeticError("the sign of a number close to 0")
        if low <= 0 and (q < 0 if high == 0 else q.denominator % 2 == 0):
            raise NoValueError
        base, part = over(abs, a), around(1 / Decimal(q.denominator))
        if q.denominator > 1 and high:
            base = over(Decimal.exp, over(mul, over(Decimal.ln, base), part))
        sign = (-1) ** (low < 0 and q.numerator % 2)
        return over(lambda x: sign * x**q.numerator if q else Decimal(1), base)


SMALL = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31)
STEP = 4 * math.prod(SMALL)
PARTS, MOST_PARTS = 720_720, 5000 * 720_720  # which all numbers up to 16 divide


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


class Model(Point):
    """Numbers modulo a prime, where what is not known further is drawn at random."""

    rules = Point.rules | {
        "number": lambda s, a: a.numerator * pow(a.denominator, -1, s.p) % s.p,
        "name": lambda s, a: s.unknown(a) ** (1 + (a == "pi")) % s.p,
        "+": lambda s, a, b: (s.value(a) + s.value(b)) % s.p,
        "*": lambda s, a, b: s.value(a) * s.value(b) % s.p,
        "exp": lambda s, a: s.exponential(a, False),
        "sin": lambda s, a: s.exponential(a, True),
        "ln": lambda s, a: s.power(s.value(a), Fraction(-1, 2)) and s.logarithm(a) % s.p,
        "atan": lambda s, a: s.unknown("atan", s.value(a)),
    }  # fmt: skip

    def __init__(self, source: random.Random) -> None:
        super().__init__({})
        self.values, self.source, self.p = {("ln", 1): 0}, source, 1
        while any(pow(base, self.p - 1, self.p) != 1 for base in (2, 7, 41)):
            self.p = STEP * source.randrange(2**60 // STEP, 2**61 // STEP) - 1
        two, three, six = (self.power(n, Fraction(1, 2)) for n in (2, 3, 6))
        self.steps = [(True, six - three + two - 2, self.value(PI), 12)]

    def unknown(self, *key: object) -> int:
        """Return a random number other than 0, always the same for the same key."""
        return int(self.values.setdefault(key, self.source.randrange(1, self.p)))

    def power(self, a: Any, q: Fraction) -> Any:
        """Return a^q. Of squares, whose number is odd, there are roots of even order that are squares."""
        number = (self.p - 1) // (1 + (q.denominator % 2 == 0))
        if pow(a, number, self.p) > 1:
            raise NoValueError
        return pow(a, pow(q.denominator, -1, number) * q.numerator, self.p)

    def step(self, turns: bool, value: int) -> tuple[int, int]:
        """Return t = tan(angle/2), or exp(u/2), for the first step that this is a multiple of, and how often."""
        for own, t, base, parts in self.steps:
            count = (value * parts * pow(base, -1, self.p) + MOST_PARTS) % self.p
            if (own is turns or not value) and count <= 2 * MOST_PARTS:
                return t, count - MOST_PARTS
        self.steps += [(turns, self.unknown(turns, value), value, PARTS)]
        return self.step(turns, value)

    def exponential(self, item: Node, turns: bool) -> int:
        """Return exp(u) or sin(u): of a sum by the product over its terms."""
        x, y = 1, 0
        for number, (q, rest) in enumerate(terms(item)):
            value = self.value(times(node("number", q), rest))
            if number == MOST_TERMS:
                raise ArithmeticError("many terms")
            if rest.operation == "ln" and not turns:
                x = x * self.power(self.value(*rest.operands), q) % self.p
                continue
            t, count = self.step(turns, value)
            # for sin(u) a multiple of exp(i*u/2); such numbers have these orders
            c, s, order = (1, t, self.p + 1) if turns else (t * t, 0, self.p - 1)
            for digit in f"{count % order:b}"[::-1]:
                if digit == "1":
                    x, y = (x * c - y * s) % self.p, (x * s + y * c) % self.p
                c, s = (c * c - s * s) % self.p, 2 * c * s % self.p
        return 2 * x * y * pow(x * x + y * y, -1, self.p) % self.p if turns else x

    def logarithm(self, item: Node) -> int:
        """Return ln|u|: sums for products, and for whole numbers by their factors."""
        match item.operation, item.operands:
            case "*", (a, b):
                return self.logarithm(a) + self.logarithm(b)
            case "^", (a, b):
                return int(self.value(b)) * self.logarithm(a)
            case "exp", (a,):
                return int(self.value(a))
            case "number", (a,) if own := [p for p in SMALL if a and a % p == 0]:
                left = node("number", a / own[0])
                return self.unknown("ln", own[0]) + self.logarithm(left)
        return self.unknown("ln", min(self.value(item), -self.value(item) % self.p))


# what has a value just where u has this sign
SIGNS = {"<": "ln(-u)", "<=": "(-u)^(1/2)", ">": "ln(u)", ">=": "u^(1/2)", "!=": "1/u"}
WHOLE = ("0", "1", "-1", "2", "1/2")


def some_points(*texts: str) -> Iterator[dict[str, str]]:
    """Yield whole numbers, and points close to 0 and far away in every quadrant, always the same."""
    found = {*re.findall(r"\b[^\W\d]\w*\b(?!\()", " ".join(texts))} - {"e", "pi"}
    source = random.Random(2)
    yield from (dict.fromkeys(found, x) for x in WHOLE)
    # of two variables, in four quadrants at each of eight sizes
    for size, *signs in product(range(-2, 6), (1, -1), (1, -1)):
        numbers = zip(sorted(found), signs * len(found), strict=False)
        yield {x: f"{s * source.randint(1, 997)}*4^{size}/997" for x, s in numbers}


def condition(text: str) -> Node:
    """Return what has a value just where a condition such as x > 1 holds."""
    left, relation, right = re.split("(<=|>=|!=|<|>)", text)
    return read(SIGNS[relation], read(f"({left}) - ({right})"))


def are_apart(a: Interval | None, b: Interval | None) -> bool:
    """Say whether two intervals have no number in common, or just one of them is there."""
    return a is not b if a is None or b is None else a[0] > b[1] or b[0] > a[1]


def both_sides(given: Mapping[str, Any], place: Point) -> tuple[Any, Any]:
    """Return a derivative of order 0 or more and what is claimed to be it, None without a value.

    Raises `NoValueError` where the claim says nothing.
    """
    function = truth = read(given["expression"])
    for _ in range(given.get("order", 0)):
        truth = derivative(truth, given["wrt"])
    for needed in (function, *map(condition, given.get("where", ()))):
        place.value(needed)
    return place.seen(truth), place.seen(read(given["claim"]))


def examined(given: Mapping[str, Any], points: Iterable[Any]) -> tuple[str, str]:
    """Say whether a claim is right wherever the truth has a value."""
    source, met = random.Random(1), [0, 0]
    more = some_points(given["expression"], given["claim"])
    models = (Model(source) for _ in range(MOST_MODELS))
    may_have_holes = not given.get("order") or given.get("condone")
    for place in chain(map(Point, chain(points, more)), models):
        truth = answer = None
        with suppress(ArithmeticError, ValueError):
            truth, answer = both_sides(given, place)
        if truth is None or (answer is None and (may_have_holes or place.is_whole)):
            continue
        is_model = isinstance(place, Model)
        if is_model and truth != answer:
            return CANNOT_TELL, "no identity as far as these functions are known"
        if not is_model and are_apart(truth, answer):
            return REFUSED, f"the two sides at {place.at}"
        met[is_model] += 1
        if met[True] == ENOUGH and met[False]:
            return CONFIRMED, f"an identity; intervals meet at {met[False]} points"
    return CANNOT_TELL, "too few points where both sides have values"


def defined(part: str, where: Iterable[str]) -> tuple[str, str]:
    """Say whether a part has a value just where its conditions hold."""
    item, tests, told = read(part), [*map(condition, where)], CANNOT_TELL
    for place in map(Point, some_points(part)):
        with suppress(ArithmeticError):
            lacks, holds = place.seen(item) is None, None not in map(place.seen, tests)
            if holds is lacks and not place.is_whole:  # such as the edge of x^pi
                return REFUSED, f"the domain of {part} at {place.at}"
            told = CONFIRMED
    return told, "the domains of its parts"


def looked_at(given: Mapping[str, Any], point: Mapping[str, Any]) -> tuple[str, str]:
    """Say whether both sides have the stated values at a point, and are apart there or not."""
    told, refutes = f"the values at {point['at']}", given["certainty"] == "refuted"
    balls = map(point.get, ("derivative", "claimed"))
    stated = [ball and around(*map(Decimal, ball)) for ball in balls]
    # x^n is for positive x, and x^(2) for all
    held = {n: f"({x})" for n, x in point["at"].items() if n != given.get("wrt")}
    texts = {k: re.sub(r"[^\W\d]\w*", lambda m: held.get(m[0], m[0]), given[k]) for k in ("expression", "claim")}  # fmt: skip
    found = both_sides({**given, **texts}, Point(point["at"]))
    is_as_told = are_apart(*found) == refutes
    if found[0] is None or (refutes and not is_as_told):
        return CANNOT_TELL, told
    is_false = not is_as_told or any(map(are_apart, found, stated))
    return (REFUSED if is_false else CONFIRMED), told


def verify(certificate: Mapping[str, Any]) -> tuple[str, str]:
    """Say whether what a certificate says is so, and why."""
    try:
        with localcontext(DIGITS):
            if certificate["certainty"] == "proved":
                at = [point["at"] for point in certificate["points"]]
                claims = certificate, *certificate["relations"]
                found = [examined(claim, at) for claim in claims]
                found += [defined(**own) for own in certificate["domains"]]
            else:
                found = [looked_at(certificate, own) for own in certificate["points"]]
    except NoValueError:
        return REFUSED, "an expression has no value at a point"
    except Exception as error:  # what cannot be read says nothing
        return CANNOT_TELL, str(error)
    found.sort(key=lambda own: STATUSES.index(own[0]))
    return found[0] if found else (CANNOT_TELL, "nothing")


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        report = verify(json.load(file))
    sys.stdout.write(": ".join(report) + "\n")
    sys.exit((1, 3, 0)[STATUSES.index(report[0])])
