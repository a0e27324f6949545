"""Polynomials with whole coefficients in several generators: products, exact quotients, greatest common divisors, factors.

A polynomial is a dict from vectors of exponents to coefficients other than 0:

    2*x^3*y - 1     {(3, 1): 2, (0, 0): -1}

The greatest common divisor is found by evaluation at a large integer and interpolation from its digits (Char, Geddes
and Gonnet, GCDHEU, 1989), and proved by division. Whatever takes more than a constant number of operations is paid
for from a `Work`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import add, floordiv, mul, sub
from struct import Struct

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.proof.polynomials import OutOfReachError, Work

if TYPE_CHECKING:
    from typing import TypeVar

    V = TypeVar("V")

Vector = tuple[int, ...]
Polynomial = dict[Vector, int]
Factor = tuple[Polynomial, int]

MOST_BITS = 6000
"""Of an integer that a greatest common divisor is read off from."""

_TRIES = 4
_MOST_CANDIDATES = 200
_MOST_DIVISORS = 24
_MOST_DEGREE = 24


def sum_of(total: dict[V, int], terms: Iterable[tuple[V, int]]) -> dict[V, int]:
    """Add terms into a polynomial, in place."""
    for vector, coefficient in terms:
        new = total.get(vector, 0) + coefficient
        if new:
            total[vector] = new
        else:
            total.pop(vector, None)
    return total


def product(p: Polynomial, q: Polynomial, work: Work) -> Polynomial:
    """The product of two polynomials."""
    work.spend(len(p) * len(q))
    total: Polynomial = {}
    for v, c in p.items():
        for w, d in q.items():
            vector = tuple(map(add, v, w))
            total[vector] = total.get(vector, 0) + c * d
    return {v: c for v, c in total.items() if c}


Packed = dict[int, int]
"""A polynomial with its vectors packed: see `Packing`."""


class Packing:
    """Vectors of so many exponents as single numbers, which add up as the vectors do.

    Each exponent has a field of bits; one that is negative borrows from the next. `highest` is the greatest
    absolute exponent that is packed; products of less than 2^40 such vectors have room in the fields.
    """

    __slots__ = ("_bits", "_signs", "_struct", "_weights", "highest")

    def __init__(self, count: int, highest: int) -> None:
        self._bits = 64 * (1 + (highest.bit_length() + 40) // 64)
        self._weights = [1 << self._bits * i for i in reversed(range(count))]
        self._signs = sum(self._weights) << self._bits - 1
        self._struct = Struct(f">{count}q") if self._bits == 64 else None
        self.highest = highest

    def pack(self, p: Polynomial) -> Packed:
        """The polynomial with its vectors packed."""
        return {self.vector(v): c for v, c in p.items()}

    def vector(self, v: Sequence[int]) -> int:
        """A vector packed."""
        return sum(map(mul, v, self._weights))

    def unpack(self, p: Packed) -> Polynomial:
        """The polynomial of packed vectors."""
        signs, struct = self._signs, self._struct
        if struct is None:
            return {self._unpacked(v): c for v, c in p.items()}
        # the two's complement of a field: the exponent with 2^63 added, and the highest bit turned
        return {
            struct.unpack((v + signs ^ signs).to_bytes(struct.size, "big")): c
            for v, c in p.items()
        }

    def _unpacked(self, v: int) -> Vector:
        half = 1 << self._bits - 1
        fields = [(v + self._signs) // w & 2 * half - 1 for w in self._weights]
        return tuple(field - half for field in fields)


def packed_product(p: Packed, q: Packed, work: Work) -> Packed:
    """The product of two polynomials with packed vectors."""
    work.spend(len(p) * len(q))
    total: Packed = {}
    for v, c in p.items():
        for w, d in q.items():
            vector = v + w
            total[vector] = total.get(vector, 0) + c * d
    return {v: c for v, c in total.items() if c}


def power(
    p: dict[V, int],
    exponent: int,
    work: Work,
    times: Callable[..., dict[Any, int]] = product,
) -> dict[V, int]:
    """p^exponent, for an exponent of at least 1."""
    result = p
    for _ in range(exponent - 1):
        result = times(result, p, work)
    return result


def lowered(
    p: Polynomial, place: int, degree: int, replacement: Polynomial, work: Work
) -> Polynomial:
    """The polynomial with one power of that degree of the generator at a place replaced, wherever there is one."""
    changed: Polynomial = {}
    for v, c in p.items():
        if v[place] < degree:
            sum_of(changed, [(v, c)])
            continue
        rest = {(*v[:place], v[place] - degree, *v[place + 1 :]): c}
        sum_of(changed, product(rest, replacement, work).items())
    return changed


def quotient(p: Polynomial, q: Polynomial, work: Work) -> Polynomial | None:
    """p/q if q divides p."""
    lead = max(q)
    top = q[lead]
    rest, found = dict(p), {}
    while rest:
        work.spend(len(q))
        vector = max(rest)
        shift = tuple(map(sub, vector, lead))
        if min(shift, default=0) < 0 or rest[vector] % top:
            return None
        factor = found[shift] = rest[vector] // top
        sum_of(rest, [(tuple(map(add, v, shift)), -factor * c) for v, c in q.items()])
    return found


def content(p: Polynomial) -> tuple[int, Vector]:
    """The greatest number and monomial that divide a polynomial; the number is positive."""
    vectors = iter(p)
    least = next(vectors)
    for v in vectors:
        least = tuple(map(min, least, v))
    return math.gcd(*p.values()), least


def primitive(p: Polynomial) -> Polynomial:
    """The polynomial without its content."""
    number, monomial = content(p)
    if number == 1 and not any(monomial):
        return p
    return {tuple(map(sub, v, monomial)): c // number for v, c in p.items()}


def surely_coprime(p: Polynomial, q: Polynomial) -> bool:
    """Whether one of them is a multiple of u + a, for a generator u, and the other is not 0 at u = -a."""
    return _avoids_root(p, q) or _avoids_root(q, p)


def _avoids_root(p: Polynomial, q: Polynomial) -> bool:
    """Whether p is a*u + b, for a generator u, and q(-b/a) is not 0."""
    if len(p) != 2:
        return False
    top, rest = max(p), min(p)
    if sum(top) != 1 or any(rest):
        return False
    place, a, b = top.index(1), p[top], p[rest]
    degree = max(v[place] for v in q)
    at_root: Polynomial = {}
    for v, c in q.items():
        e = v[place]
        own = c * (-b) ** e * a ** (degree - e)
        sum_of(at_root, [((*v[:place], 0, *v[place + 1 :]), own)])
    return bool(at_root)


def used(p: Polynomial) -> set[int]:
    """The generators that occur in a polynomial."""
    return {i for v in p for i, e in enumerate(v) if e}


def coefficients(p: Polynomial, i: int) -> dict[int, Polynomial]:
    """The coefficients of the powers of a generator."""
    found: dict[int, Polynomial] = {}
    for v, c in p.items():
        found.setdefault(v[i], {})[(*v[:i], 0, *v[i + 1 :])] = c
    return found


def gcd(p: Polynomial, q: Polynomial, work: Work) -> Polynomial:
    """The greatest common divisor, with a positive leading coefficient."""
    (m, v), (n, w) = content(p), content(q)
    whole = math.gcd(m, n), tuple(map(min, v, w))
    inner = _primitive_gcd(primitive(p), primitive(q), work)
    number, monomial = whole
    if number == 1 and not any(monomial):
        return inner
    return {tuple(map(add, u, monomial)): c * number for u, c in inner.items()}


def _primitive_gcd(p: Polynomial, q: Polynomial, work: Work) -> Polynomial:
    """Of polynomials without content: only generators that both have can be in it."""
    one: Polynomial = {(0,) * len(next(iter(p))): 1}
    while True:
        if len(p) == 1 or len(q) == 1:
            return one
        mine, other = used(p), used(q)
        if mine == other:
            break
        alone = mine - other
        if not alone:
            p, q, mine, other = q, p, other, mine
            alone = mine - other
        parts = list(coefficients(p, min(alone)).values())
        for part in sorted(parts, key=len):
            if len(part) == 1:
                return one
            q = gcd(q, part, work)
            if len(q) == 1:
                return one
        return _positive(primitive(q))
    found = _heuristic(p, q, sorted(mine), work)
    return _positive(primitive(found))


def _positive(p: Polynomial) -> Polynomial:
    return p if p[max(p)] > 0 else {v: -c for v, c in p.items()}


def _heuristic(
    p: Polynomial, q: Polynomial, generators: list[int], work: Work
) -> Polynomial:
    """The greatest common divisor with its number, from that of the values at a large integer."""
    if not generators:
        one = next(iter(p))
        return {one: math.gcd(*p.values(), *q.values())}
    i, rest = generators[-1], generators[:-1]
    number = math.gcd(*p.values(), *q.values())
    p = {v: c // number for v, c in p.items()}
    q = {v: c // number for v, c in q.items()}
    degree = max(v[i] for v in (*p, *q))
    at = 2 * min(max(map(abs, p.values())), max(map(abs, q.values()))) + 29
    for _ in range(_TRIES):
        bits = at.bit_length() * (degree + 1)
        if bits > MOST_BITS:
            break
        work.spend((len(p) + len(q)) * (4 + bits // 64))
        left, right = _value(p, i, at), _value(q, i, at)
        if left and right:
            image = _heuristic(left, right, rest, work)
            found = _without_number(_from_digits(image, i, at))
            if (
                quotient(p, found, work) is not None
                and quotient(q, found, work) is not None
            ):
                return {v: c * number for v, c in found.items()}
        at = at * 73794 // 27011
    raise OutOfReachError


def _without_number(p: Polynomial) -> Polynomial:
    number = math.gcd(*p.values())
    return p if number == 1 else {v: c // number for v, c in p.items()}


def _value(p: Polynomial, i: int, at: int) -> Polynomial:
    powers: dict[int, int] = {}
    out: Polynomial = {}
    for v, c in p.items():
        e = v[i]
        if e not in powers:
            powers[e] = at**e
        sum_of(out, [((*v[:i], 0, *v[i + 1 :]), c * powers[e])])
    return out


def _from_digits(image: Polynomial, i: int, at: int) -> Polynomial:
    """The polynomial in generator i whose value at `at` is the image; digits lie around 0."""
    found: Polynomial = {}
    half = at // 2
    for v, c in image.items():
        e = 0
        while c:
            digit = c % at
            if digit > half:
                digit -= at
            if digit:
                found[(*v[:i], e, *v[i + 1 :])] = digit
            c = (c - digit) // at
            e += 1
    return found


def derivative(p: Polynomial, i: int) -> Polynomial:
    """The derivative with respect to a generator."""
    return {(*v[:i], v[i] - 1, *v[i + 1 :]): c * v[i] for v, c in p.items() if v[i]}


# Factors


def factored(p: Polynomial, work: Work) -> list[Factor]:
    """Factors of a polynomial without content, with their exponents, as far as that is easy.

    Multiple factors, factors that lack a generator, rational roots, and quadratic polynomials.
    """
    steps = [math.gcd(*column) or 1 for column in zip(*p, strict=True)]
    if any(step > 1 for step in steps) and max(map(max, p)) > _MOST_DEGREE:
        small = {tuple(map(floordiv, v, steps)): c for v, c in p.items()}
        found = factored(small, work)
        return [({tuple(map(mul, v, steps)): c for v, c in q.items()}, e) for q, e in found]  # fmt: skip
    done: list[Factor] = []
    stack: list[Factor] = [(p, 1)]
    while stack:
        part, exponent = stack.pop()
        try:
            low = len(part) > 1 and max(map(max, part)) <= _MOST_DEGREE
            split = _split(part, work) if low else None
        except OutOfReachError:
            split = None
        if split is None:
            done.append((part, exponent))
        else:
            stack += [(q, e * exponent) for q, e in split if any(map(any, q))]
    return _collected(done)


def _collected(factors: list[Factor]) -> list[Factor]:
    total: dict[frozenset[tuple[Vector, int]], Factor] = {}
    for p, exponent in factors:
        p = _positive(p)
        key = frozenset(p.items())
        total[key] = (p, exponent + total.get(key, (p, 0))[1])
    return list(total.values())


def _split(p: Polynomial, work: Work) -> list[Factor] | None:
    """Two or more factors of a polynomial; None if none are found."""
    work.spend(len(p))
    generators = sorted(used(p), key=lambda i: max(v[i] for v in p))
    for i in generators:
        parts = sorted(coefficients(p, i).values(), key=len)
        common = parts[0]
        for other in parts[1:]:
            common = gcd(common, other, work)
            if len(common) == 1 and common[max(common)] in (1, -1):
                break
        if len(common) > 1:
            return _divided(p, common, work)
        if max(v[i] for v in p) == 1:
            return None  # linear, and its coefficients have no common factor
    power = _as_power(p, work)
    if power is not None:
        return [power]
    i = generators[0]
    double = gcd(p, derivative(p, i), work)
    if len(double) > 1:
        return _divided(p, double, work)
    return next(filter(None, _easy(p, generators, work)), None)


_MOST_ROOT_TERMS = 4


def _as_power(p: Polynomial, work: Work) -> Factor | None:
    """A power of a short polynomial, term by term: the rest p - q^n begins with n times a term times lead(q)^(n - 1)."""
    top, last = max(p), min(p)
    exponent = math.gcd(*top, *last)
    lead = _whole_root(p[top], exponent) if exponent > 2 else None
    if lead is None:
        return None
    first = tuple(e // exponent for e in top)
    root: Polynomial = {first: lead}
    for _ in range(_MOST_ROOT_TERMS):
        rest = sum_of(dict(p), [(v, -c) for v, c in power(root, exponent, work).items()])  # fmt: skip
        if not rest:
            return root, exponent
        vector = max(rest)
        number, left = divmod(rest[vector], exponent * lead ** (exponent - 1))
        new = tuple(e - (exponent - 1) * f for e, f in zip(vector, first, strict=True))
        if left or min(new) < 0 or new in root:
            return None
        root[new] = number
    return None


def _whole_root(number: int, degree: int) -> int | None:
    """The positive root of a positive number, if it is whole."""
    if not 0 < number < 10**15:
        return None
    root = round(number ** (1 / degree))
    return root if root**degree == number else None


def _divided(p: Polynomial, divisor: Polynomial, work: Work) -> list[Factor]:
    rest = quotient(p, divisor, work)
    assert rest is not None, "a common divisor divides"
    return [(divisor, 1), (rest, 1)]


def _easy(
    p: Polynomial, generators: list[int], work: Work
) -> Iterator[list[Factor] | None]:
    """Factors of a polynomial without multiple factors, by one way after the other."""
    if len(generators) == 1:
        yield _by_root(p, generators[0], work)
        yield _by_substitution(p, generators[0], work)
        return
    for i in generators:
        if max(v[i] for v in p) == 2:
            yield _by_discriminant(p, i, work)
            return
    if len(generators) == 2 and len({sum(v) for v in p}) == 1:
        i, j = generators
        flat = {_with(v, j, 0): c for v, c in p.items()}
        split = next(filter(None, _easy(flat, [i], work)), None)
        if split is not None:
            yield [(_homogeneous(q, i, j), e) for q, e in split]


def _with(v: Vector, i: int, exponent: int) -> Vector:
    return (*v[:i], exponent, *v[i + 1 :])


def _homogeneous(p: Polynomial, i: int, j: int) -> Polynomial:
    degree = max(v[i] for v in p)
    return {_with(v, j, degree - v[i]): c for v, c in p.items()}


def _by_root(p: Polynomial, i: int, work: Work) -> list[Factor] | None:
    """A linear factor of a polynomial in one generator, by a rational root."""
    row = {v[i]: c for v, c in p.items()}
    degree = max(row)
    if degree == 1:
        return None
    zero = next(iter(p))
    tops, bottoms = _divisors(row[min(row)]), _divisors(row[degree])
    if len(tops) * len(bottoms) > _MOST_CANDIDATES:
        return None
    for bottom in bottoms:
        for top in tops:
            work.spend(2 * len(row))
            for root in (top, -top):
                if math.gcd(root, bottom) == 1 and not sum(
                    c * root**e * bottom ** (degree - e) for e, c in row.items()
                ):
                    return _divided(
                        p, {_with(zero, i, 1): bottom, _with(zero, i, 0): -root}, work
                    )
    return None


def _divisors(number: int) -> list[int]:
    """The positive divisors of a number; none if it is large or has many."""
    number = abs(number)
    if number > 10**6:
        return []
    small = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
    found = sorted({*small, *(number // d for d in small)})
    return found if len(found) <= _MOST_DIVISORS else []


def _by_substitution(p: Polynomial, i: int, work: Work) -> list[Factor] | None:
    """Factors of a polynomial in x^k, of which those in x are factors as well."""
    step = math.gcd(*(v[i] for v in p))
    if step == 1 or step == max(v[i] for v in p):
        return None
    split = _by_root({_with(v, i, v[i] // step): c for v, c in p.items()}, i, work)
    if split is None:
        return None
    return [({_with(v, i, v[i] * step): c for v, c in q.items()}, e) for q, e in split]


def _by_discriminant(p: Polynomial, i: int, work: Work) -> list[Factor] | None:
    """The factors of a*x^2 + b*x + c, where b^2 - 4*a*c is a square."""
    parts = coefficients(p, i)
    a, b, c = parts[2], parts.get(1, {}), parts.get(0, {})
    square = product(b, b, work) if b else {}
    sum_of(square, [(v, -4 * n) for v, n in product(a, c, work).items()])
    root = square_root(square, work) if square else None
    if root is None:
        return None
    zero = (0,) * len(next(iter(p)))
    linear = {tuple(map(add, v, _with(zero, i, 1))): 2 * n for v, n in a.items()}
    one = sum_of(sum_of(dict(linear), b.items()), root.items())
    return _divided(p, primitive(gcd(p, one, work)), work)


def square_root(p: Polynomial, work: Work) -> Polynomial | None:
    """A polynomial whose square is p, if there is one."""
    lead = max(p)
    top = math.isqrt(p[lead]) if p[lead] > 0 else 0
    if not top or top * top != p[lead] or any(e % 2 for e in lead):
        return None
    first = tuple(e // 2 for e in lead)
    root: Polynomial = {first: top}
    rest = {v: c for v, c in p.items() if v != lead}
    while rest:
        work.spend(2 * len(root) + 2)
        vector = max(rest)
        shift = tuple(map(sub, vector, first))
        if min(shift) < 0 or shift >= first or rest[vector] % (2 * top):
            return None
        new = rest[vector] // (2 * top)
        sum_of(
            rest, [(tuple(map(add, v, shift)), -2 * new * c) for v, c in root.items()]
        )
        sum_of(rest, [(tuple(map(add, shift, shift)), -new * new)])
        root[shift] = new
    return root
