"""Greatest common divisors, and irreducible factors over the rationals, of polynomials with whole coefficients.

    irreducible_factors({(4, 0): 1, (0, 4): 4}, Work(1000))        # (x^2 + 2*x*y + 2*y^2)*(x^2 - 2*x*y + 2*y^2)

Most polynomials of textbooks have degree 1 or 2 in a generator or in its square, or rational roots, or a prime value
that shows them to be irreducible: these are taken apart here. The others go to FLINT, which is imported when it is first
needed.

Source: M. Ram Murty, "Prime numbers and irreducible polynomials", 2002; the factor d is Girstmair's.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import floordiv, mul

from exprgrad.algebra.vectors import (
    Polynomial,
    Vector,
    content,
    positive,
    primitive,
    product,
    quotient,
    square_root,
    sum_of,
    used,
)
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import Any

Factor = tuple[Polynomial, int]

MOST_DEGREE, OF_FEW = 48, 400
"""The greatest exponent of a polynomial for FLINT; of one in one or two generators.

FLINT can be neither bounded nor interrupted; up to these degrees a factorisation of 200 terms takes less than a second.
"""

MOST_BITS = 4096
"""Bits of a coefficient of a polynomial for FLINT."""

MOST_ENDS = 1000
"""Up to this size, the first and the last coefficient are divided for rational roots."""

MOST_VALUES = 40
"""Values of a polynomial that are looked at for one that shows it to be irreducible."""


def common_divisor(p: Polynomial, q: Polynomial, work: Work) -> Polynomial:
    """The greatest common divisor, with a positive leading coefficient."""
    (m, v), (n, w) = content(p), content(q)
    shared = {tuple(map(min, v, w)): math.gcd(m, n)}
    p, q = primitive(p), primitive(q)
    if len(p) > 1 and len(q) > 1 and not used(p).isdisjoint(used(q)):
        shared = product(shared, _primitive_gcd(p, q, work), work)
    return shared


def _primitive_gcd(p: Polynomial, q: Polynomial, work: Work) -> Polynomial:
    """The factors of the shorter polynomial that divide the other."""
    p, q = sorted((p, q), key=len)
    shared = {(0,) * len(next(iter(p))): 1}
    for factor, exponent in irreducible_factors(p, work, refuses=True):
        for _ in range(exponent):
            less = quotient(q, factor, work)
            if less is None:
                break
            q, shared = less, product(shared, factor, work)
    return positive(shared)


def irreducible_factors(
    p: Polynomial, work: Work, refuses: bool = False
) -> list[Factor]:
    """The irreducible factors over the rationals of a polynomial without content, with their exponents.

    A polynomial that would take too much work is a factor as it is, or, if this `refuses`, raises `OutOfReachError`.
    """
    found: Counter[frozenset[tuple[Vector, int]]] = Counter()
    stack = [(p, 1)]
    while stack:
        p, exponent = stack.pop()
        try:
            parts = _parts(p, work)
            whole = _by_flint(p, work) if parts is None else () if parts else [(p, 1)]
        except OutOfReachError:
            if refuses:
                raise
            parts, whole = (), [(p, 1)]
        stack += [(q, e * exponent) for q, e in parts or ()]
        for q, e in whole:
            found[frozenset(positive(q).items())] += e * exponent
    several = [(dict(key), exponent) for key, exponent in found.items()]
    return sorted(several, key=lambda f: (len(f[0]), max(map(sum, f[0])), _order(f[0])))


def _order(p: Polynomial) -> list[tuple[Vector, int]]:
    """A key that puts short factors first, and x + 1 before x - 1."""
    return [(tuple(-e for e in v), -c) for v, c in sorted(p.items(), reverse=True)]


def _by_flint(p: Polynomial, work: Work) -> list[Factor]:
    """The irreducible factors. Raises `OutOfReachError` where that may take long."""
    steps = [math.gcd(*column) or 1 for column in zip(*p, strict=True)]
    deflated = {tuple(map(floordiv, v, steps)): c for v, c in p.items()}
    _spend(work, deflated)
    if max(map(max, p)) > MOST_DEGREE:
        # x^600 - 1 has factors without number; those of y^3 - 1 for y = x^200 are few
        found = irreducible_factors(deflated, work)
        return [({tuple(map(mul, v, steps)): c for v, c in q.items()}, e) for q, e in found]  # fmt: skip
    # not in the ring of whole coefficients: there the factors are sorted by coefficients as machine numbers
    _, several = _ring(len(steps), "fmpq").from_dict(p).factor()
    return [(_plain(q), int(e)) for q, e in several]


def _parts(p: Polynomial, work: Work) -> Sequence[Factor] | None:
    """Factors, which may have others; none of what is irreducible; None where that is not seen."""
    if is_surely_irreducible(p):
        return ()
    if max(map(max, p)) > MOST_DEGREE:
        return None
    degrees = {i: {v[i] for v in p} for i in used(p)}
    low = [i for i, own in degrees.items() if own <= {0, 1, 2} or own <= {0, 2, 4}]
    if low:
        return _parts_in(p, min(low, key=lambda i: max(degrees[i])), work)
    root = square_root(p, work)
    if root is not None:
        return [(root, 2)]
    return _parts_in_one(p, *degrees) if len(degrees) == 1 else None


def _parts_in(p: Polynomial, i: int, work: Work) -> list[Factor]:
    """The same of a polynomial whose degree in a generator x, or in x^2, is 1 or 2.

    It has factors without x if its coefficients have. Else a*x^2 + b*x + c has some if b^2 - 4*a*c is a square, and
    a*x^4 + b*x^2 + c also if a*c = q^2 and a*(2*q - b) = s^2: a times it is (a*x^2 + q)^2 - (s*x)^2.
    """
    own: dict[int, Polynomial] = {}
    for v, n in p.items():
        own.setdefault(v[i], {})[(*v[:i], 0, *v[i + 1 :])] = n
    shared = reduce(
        lambda q, r: common_divisor(q, r, work), sorted(own.values(), key=len)
    )
    if len(shared) > 1:
        return [(shared, 1), (_exact(p, shared, work), 1)]
    degree = max(own)
    if degree == 1:
        return []
    a, b, c = own[degree], own.get(degree // 2, {}), own[0]
    square = _sum_of_products([(1, b, b), (-4, a, c)], work)
    root = square_root(square, work) if square else {}
    if root is not None:
        return _divided(p, i, [(degree // 2, 2, a), (0, 1, b), (0, 1, root)], work)
    q = square_root(product(a, c, work), work) if degree == 4 else None
    for sign in (1, -1):
        if q is None:
            break
        square = _sum_of_products([(2 * sign, a, q), (-1, a, b)], work)
        s = square_root(square, work) if square else None
        if s is not None:
            return _divided(p, i, [(2, 1, a), (1, 1, s), (0, sign, q)], work)
    return []


def _shared(several: Iterable[Polynomial], work: Work) -> Polynomial:
    """The greatest common divisor of several polynomials, which are most likely to have none where they are short."""
    return reduce(lambda p, q: common_divisor(p, q, work), sorted(several, key=len))


def _sum_of_products(
    terms: Sequence[tuple[int, Polynomial, Polynomial]], work: Work
) -> Polynomial:
    total: Polynomial = {}
    for number, p, q in terms:
        own = product(p, q, work)
        sum_of(total, [(v, number * c) for v, c in own.items()])
    return total


def _divided(
    p: Polynomial, i: int, terms: Sequence[tuple[int, int, Polynomial]], work: Work
) -> list[Factor]:
    """The factor that a sum of n*x^e*q has in common with p, for triples e, n, q without x, and the rest of p."""
    total: Polynomial = {}
    own: list[Polynomial] = []
    for e, number, q in terms:
        scaled = [((*v[:i], e, *v[i + 1 :]), number * c) for v, c in q.items()]
        sum_of(total, scaled)
    for e in {v[i] for v in total}:
        own.append({(*v[:i], 0, *v[i + 1 :]): c for v, c in total.items() if v[i] == e})
    factor = _exact(total, _shared(own, work), work)
    return [(factor, 1), (_exact(p, factor, work), 1)]


def _exact(p: Polynomial, q: Polynomial, work: Work) -> Polynomial:
    found = quotient(p, q, work)
    assert found is not None, "it is a divisor"
    return found


def _parts_in_one(p: Polynomial, i: int) -> Sequence[Factor] | None:
    """The same in one generator of degree 3 or more, by rational roots or a prime value."""
    degree = max(v[i] for v in p)
    own = [0] * (degree + 1)
    for v, c in p.items():
        own[v[i]] = c
    zero = (0,) * len(next(iter(p)))
    short = max(abs(own[0]), abs(own[-1])) <= MOST_ENDS
    for root in _rational_roots(own) if short else ():
        line = {(*zero[:i], 1, *zero[i + 1 :]): root[1], zero: -root[0]}
        return [(line, 1), (_exact(p, line, Work(len(own) * 4)), 1)]
    if (short and degree == 3) or _has_prime_value(own):
        return ()
    return None


def _rational_roots(p: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The rational zeros r/s of a polynomial that is given by its coefficients, the lowest power first."""
    at_one, at_minus_one = sum(p), sum(c if k % 2 == 0 else -c for k, c in enumerate(p))
    for s in _divisors(p[-1]):
        for size in _divisors(p[0]):
            for r in (size, -size) if math.gcd(size, s) == 1 else ():
                if (r != s and at_one % (s - r)) or (
                    r != -s and at_minus_one % (s + r)
                ):
                    continue  # s*x - r divides the polynomial, at 1 and at -1 too
                total, power = 0, 1
                for c in reversed(p):
                    total, power = total * r + c * power, power * s
                if not total:
                    yield r, s


def _divisors(number: int) -> list[int]:
    return [d for d in range(1, abs(number) + 1) if number % d == 0]


def _has_prime_value(p: Sequence[int]) -> bool:
    """Whether p(n) = d*prime for some n that is farther than d from all zeros: then p has no factors.

    Of two factors, that which the prime does not divide would be at most d there, and is more.
    """
    bound = 2 + max(map(abs, p[:-1])) // abs(p[-1])  # of the zeros, by Cauchy
    for n in range(bound + 2, bound + 2 + MOST_VALUES):
        value = 0
        for c in reversed(p):
            value = value * n + c
        value = abs(value)
        d = math.gcd(value, math.factorial(12))
        if n > bound + d and _is_prime(value // d):
            return True
    return False


_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def _is_prime(n: int) -> bool:
    """Whether a number is known to be a prime: by Miller and Rabin's test, which is one for numbers below 3.1e23."""
    if n < 2 or n > 3 * 10**23 or any(n % p == 0 for p in _WITNESSES):
        return n in _WITNESSES
    twos = (n - 1 & 1 - n).bit_length() - 1
    for a in _WITNESSES:
        x = pow(a, n - 1 >> twos, n)
        if x != 1 and n - 1 not in (pow(x, 1 << k, n) for k in range(twos)):
            return False
    return True


def is_surely_irreducible(p: Polynomial) -> bool:
    """Whether a polynomial without content is seen at once to be a*x + b where a or b is a monomial."""
    exponents = (Counter(v[i] for v in p) for i in used(p))
    return any(own.keys() == {0, 1} and 1 in own.values() for own in exponents)


def _spend(work: Work, *polynomials: Polynomial) -> None:
    """Pay for work on polynomials by FLINT. Raises `OutOfReachError` where that may take long."""
    for p in polynomials:
        work.spend(10 * len(p))
        if max(map(max, p)) > (OF_FEW if len(used(p)) < 3 else MOST_DEGREE):
            raise OutOfReachError
        if max(map(abs, p.values())).bit_length() > MOST_BITS:
            raise OutOfReachError


def _ring(count: int, coefficients: str = "fmpz") -> Any:
    """FLINT's ring of polynomials in so many generators."""
    import flint

    ring = getattr(flint, f"{coefficients}_mpoly_ctx")
    return ring.get(("x", count), flint.Ordering.lex)


def _plain(p: Any) -> Polynomial:
    return {tuple(map(int, v)): int(c) for v, c in p.to_dict().items()}
