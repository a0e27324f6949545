"""Polynomials in numbered atoms, with exact coefficients; their greatest common divisors, and their irreducible factors.

A monomial is a tuple of (atom, exponent), the highest number first, and a polynomial a dict from monomials to
coefficients other than 0. Exponents are positive; they may be rational if the atom is a positive number:

    2*x^3*y - 1     {((0, 3), (-1, 1)): 2, (): -1}      where x is the atom 0 and y the atom -1

    irreducible_factors({((0, 4),): 1, ((-1, 4),): 4}, Work(1000))        # (x^2 + 2*x*y + 2*y^2)*(x^2 - 2*x*y + 2*y^2)

Python's order of such tuples is the lexicographic one of monomials, so `max` is the leading monomial. Whatever takes
more than a constant number of operations is paid for from a `Work`.

Most polynomials of textbooks have degree 1 or 2 in a generator or in its square, or rational roots, or a prime value
that shows them to be irreducible: these are taken apart here. The others go to FLINT, which is imported when it is first
needed.

Source: M. Ram Murty, "Prime numbers and irreducible polynomials", 2002; the factor d is Girstmair's.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from types import MappingProxyType

from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import Any

Rational = int | Fraction
Monomial = tuple[tuple[int, Rational], ...]
Polynomial = dict[Monomial, Rational]
Factors = dict[int, Rational]
"""A monomial under construction; exponents may have any sign."""

ONE: Monomial = ()
MOST_BITS = 4096
"""Of a coefficient; larger ones are out of reach, and none for FLINT."""


def monomial(factors: Factors) -> Monomial:
    """The product of powers of atoms."""
    return tuple(sorted(factors.items(), reverse=True))


def times(one: Monomial, other: Monomial) -> Monomial:
    """The product of two monomials."""
    if not one:
        return other
    if not other:
        return one
    # e^x*e^-x has no power of e^x left
    return tuple(sorted(accumulate(dict(one), other).items(), reverse=True))


def over(one: Monomial, other: Monomial) -> Monomial | None:
    """The quotient of two monomials, if it is a monomial."""
    if not other:
        return one
    left = dict(one)
    for atom, exponent in other:
        rest = left.pop(atom, 0) - exponent
        if rest < 0:
            return None
        if rest:
            left[atom] = rest
    return tuple(sorted(left.items(), reverse=True))


def merged(one: Factors, other: Factors) -> Factors:
    """The factors of a product."""
    if not other:
        return one
    if not one:
        return other
    return accumulate(dict(one), other.items())


def accumulate(
    total: dict[Any, Rational], terms: Iterable[tuple[Any, Rational]]
) -> dict[Any, Rational]:
    """Add terms into a polynomial, or exponents into factors, in place."""
    for key, number in terms:
        new = total.get(key, 0) + number
        if new:
            # ints where they can be: a Fraction takes dozens of times as long
            total[key] = new if new.denominator > 1 else new.numerator
        else:
            total.pop(key, None)
    return total


def product(one: Polynomial, other: Polynomial, work: Work) -> Polynomial:
    """The product of two polynomials."""
    work.spend(len(one) * len(other))
    if len(one) > len(other):
        one, other = other, one
    if len(one) == 1:
        [(m, c)] = one.items()
        return {times(m, n): c * d for n, d in other.items()}
    total: Polynomial = {}
    for m, c in one.items():
        accumulate(total, [(times(m, n), c * d) for n, d in other.items()])
    return total


def content(p: Polynomial) -> tuple[Rational, Monomial]:
    """The greatest number and monomial that divide a polynomial; the number is positive."""
    monomial = min(p, key=len)
    for m in p if monomial else ():
        own = dict(m)
        monomial = tuple((a, min(e, own[a])) for a, e in monomial if a in own)
        if not monomial:
            break
    low: Factors = {}
    for atom, e in (power for m in p for power in m if power[1] < 0):
        low[atom] = min(low.get(atom, 0), e)
    if low:  # of e^(-2*x) - 1
        monomial = tuple(sorted(({**dict(monomial), **low}).items(), reverse=True))
    return greatest_divisor(p.values()), monomial


def greatest_divisor(numbers: Collection[Rational]) -> Rational:
    """The greatest number of which all of these are whole multiples."""
    top = math.gcd(*(c.numerator for c in numbers))
    bottom = math.lcm(*(c.denominator for c in numbers))
    return Fraction(top, bottom) if bottom > 1 else top


def primitive(p: Polynomial) -> tuple[Rational, Monomial, Polynomial]:
    """A polynomial as number * monomial * primitive polynomial with a positive leading coefficient."""
    number, monomial = content(p)
    bits = max(max(abs(c.numerator), c.denominator) for c in p.values()).bit_length()
    if max(bits, number.denominator.bit_length()) > MOST_BITS:
        raise OutOfReachError
    if number != 1 or monomial:
        rest: Polynomial = {}
        for m, c in p.items():
            left = over(m, monomial)
            assert left is not None, "the content divides every term"
            # ints where they can be: a Fraction takes dozens of times as long
            rest[left] = int(c / number) if number.denominator > 1 else c // number
        p = rest
    if p[max(p)] < 0:
        number, p = -number, {m: -c for m, c in p.items()}
    return number, monomial, p


def generators(p: Polynomial) -> list[int]:
    """The atoms that occur in a polynomial, the highest first."""
    return sorted({atom for monomial in p for atom, _ in monomial}, reverse=True)


def by_power(p: Polynomial, atom: int) -> dict[Rational, Polynomial]:
    """The coefficients of the powers of an atom, which are polynomials in the others."""
    found: dict[Rational, Polynomial] = {}
    for m, c in p.items():
        exponent = next((e for a, e in m if a == atom), 0)
        rest = tuple([f for f in m if f[0] != atom]) if exponent else m
        found.setdefault(exponent, {})[rest] = c
    return found


def coefficients(p: Polynomial) -> list[Rational]:
    """The coefficients of a polynomial in at most one generator, the lowest power first."""
    powers = {sum(int(e) for _, e in monomial): c for monomial, c in p.items()}
    return [powers.get(k, 0) for k in range(max(powers, default=-1) + 1)]


def in_one(atom: int, row: Sequence[Rational]) -> Polynomial:
    """The polynomial in one generator with these coefficients, the lowest power first."""
    return {((atom, k),) if k else ONE: c for k, c in enumerate(row) if c}


def derivative(p: Polynomial, atom: int) -> Polynomial:
    """The derivative along a generator."""
    found: Polynomial = {}
    for exponent, own in by_power(p, atom).items():
        left = ((atom, exponent - 1),) if exponent != 1 else ONE
        found.update((times(m, left), c * exponent) for m, c in own.items() if exponent)
    return found


def quotient(p: Polynomial, q: Polynomial, work: Work) -> Polynomial | None:
    """p/q if q divides p; both have integer coefficients."""
    lead = max(q)
    top = q[lead]
    rest: Polynomial = dict(p)
    found: Polynomial = {}
    while rest:
        work.spend(len(q))
        first = max(rest)
        shift = over(first, lead)
        if shift is None or rest[first] % top:
            return None
        factor = found[shift] = rest[first] // top
        accumulate(rest, [(times(m, shift), -factor * c) for m, c in q.items()])
    return found


def square_root(p: Polynomial, work: Work) -> Polynomial | None:
    """A polynomial with integer coefficients whose square is p, if there is one."""
    lead = max(p)
    # of an atom with roots in p, the odd powers of the smallest root are squares of none
    units = {a: math.lcm(*(e.denominator for m in p for b, e in m if a == b)) for a, _ in lead}  # fmt: skip
    # most polynomials are no squares, which their outer terms tell at once
    even = all(e * units[a] % 2 == 0 for a, e in lead)
    if not (even and _is_square(p[lead]) and _is_square(p[min(p)])):
        return None
    top = tuple((a, e // 2 if e % 2 == 0 else Fraction(e, 2)) for a, e in lead)
    twice = 2 * math.isqrt(int(p[lead]))
    root: Polynomial = {top: twice // 2}
    rest = dict(p)
    del rest[lead]
    while rest:
        work.spend(2 * len(root) + 2)
        first = max(rest)
        shift = over(first, top)
        if shift is None or shift >= top or rest[first] % twice:
            return None
        new = rest[first] // twice  # (root + t)^2 = root^2 + 2*t*root + t^2
        accumulate(rest, [(times(m, shift), -2 * new * c) for m, c in root.items()])
        accumulate(rest, [(times(shift, shift), -new * new)])
        root[shift] = new
    return root


def _is_square(number: Rational) -> bool:
    """Return whether an integer is the square of another."""
    return number >= 0 and math.isqrt(int(number)) ** 2 == number


Factor = tuple[Polynomial, int]

MOST_DEGREE, OF_FEW = 48, 400
"""The greatest exponent of a polynomial for FLINT; of one in one or two generators.

FLINT can be neither bounded nor interrupted; up to these degrees a factorisation of 200 terms takes less than a second.
"""

MOST_ENDS = 1000
"""Up to this size, the first and the last coefficient are divided for rational roots."""

MOST_VALUES = 40
"""Values of a polynomial that are looked at for one that shows it to be irreducible."""


def common_divisor(p: Polynomial, q: Polynomial, work: Work) -> Polynomial:
    """The greatest common divisor, with a positive leading coefficient; both have integer coefficients."""
    (m, v, p), (n, w, q) = primitive(p), primitive(q)
    least = dict(w)
    monomial = tuple((a, min(e, least[a])) for a, e in v if a in least)
    shared: Polynomial = {monomial: math.gcd(int(m), int(n))}
    p, q = sorted((p, q), key=len)
    if len(p) < 2 or set(generators(p)).isdisjoint(generators(q)):
        return shared
    units = units_of(p, q)
    for factor, exponent in irreducible_factors(p, work, refuses=True, units=units):
        for _ in range(exponent):
            less = quotient(q, factor, work)
            if less is None:
                break
            q, shared = less, product(shared, factor, work)
    return shared


def units_of(*several: Polynomial) -> dict[int, int]:
    """Of atoms with rational exponents in these polynomials, the denominators of the exponents."""
    units: dict[int, int] = {}
    for atom, e in (power for p in several for m in p for power in m):
        if e.denominator > 1:
            units[atom] = math.lcm(units.get(atom, 1), e.denominator)
    return units


def irreducible_factors(
    p: Polynomial,
    work: Work,
    refuses: bool = False,
    units: Mapping[int, int] = MappingProxyType({}),
) -> list[Factor]:
    """The irreducible factors over the rationals of a primitive polynomial, with their exponents.

    It is one in roots of atoms: of x - 1 with the unit 2 for x, sqrt(x) - 1 is a factor. A polynomial that would take
    too much work is a factor as it is, or, if this `refuses`, raises `OutOfReachError`.
    """
    if len(p) == 1:
        return []
    own = units_of(p, {((a, Fraction(1, n)),): 1 for a, n in units.items()})
    if own:
        found = irreducible_factors(_in_powers(p, own), work, refuses)
        roots = {a: Fraction(1, n) for a, n in own.items()}
        return [(_in_powers(q, roots), n) for q, n in found]
    several: Counter[frozenset[tuple[Monomial, Rational]]] = Counter()
    stack = [(p, 1)]
    while stack:
        p, exponent = stack.pop()
        try:
            parts = _parts(p, work)
            final = _by_flint(p, work) if parts is None else () if parts else [(p, 1)]
        except OutOfReachError:
            if refuses:
                raise
            parts, final = (), [(p, 1)]
        stack += [(q, e * exponent) for q, e in parts or ()]
        for q, e in final:
            sign = 1 if q[max(q)] > 0 else -1  # with a positive leading coefficient
            several[frozenset((m, sign * c) for m, c in q.items())] += e * exponent
    factors = [(dict(key), exponent) for key, exponent in several.items()]
    return sorted(factors, key=lambda factor: _order(factor[0]))


def _in_powers(p: Polynomial, units: Mapping[int, Rational]) -> Polynomial:
    """A polynomial with a power of each of these atoms in place of the atom."""
    found: Polynomial = {}
    for m, c in p.items():
        powers = ((a, e * units.get(a, 1)) for a, e in m)
        found[tuple((a, int(e) if e.denominator == 1 else e) for a, e in powers)] = c
    return found


def _order(p: Polynomial) -> Any:
    """A key that puts short factors first, those of low degree then, and x + 1 before x - 1."""
    degree = max(sum(e for _, e in m) for m in p)
    terms = [([(-a, -e) for a, e in m] + [(math.inf, 0)], -c) for m, c in sorted(p.items(), reverse=True)]  # fmt: skip
    return len(p), degree, terms


def _by_flint(p: Polynomial, work: Work) -> list[Factor]:
    """The irreducible factors. Raises `OutOfReachError` where that may take long."""
    atoms = generators(p)
    rows = {tuple(int(dict(m).get(a, 0)) for a in atoms): int(c) for m, c in p.items()}
    steps = [math.gcd(*column) for column in zip(*rows, strict=True)]
    work.spend(10 * len(p))
    greatest = max(map(max, rows))
    degree = max(e // step for v in rows for e, step in zip(v, steps, strict=True))
    most = OF_FEW if len(atoms) < 3 else MOST_DEGREE
    if degree > most or max(map(abs, rows.values())).bit_length() > MOST_BITS:
        raise OutOfReachError
    if greatest > MOST_DEGREE and any(step > 1 for step in steps):
        # x^600 - 1 has factors without number; those of y^3 - 1 for y = x^200 are few
        step: dict[int, Rational] = dict(zip(atoms, steps, strict=True))
        deflated = _in_powers(p, {a: Fraction(1, n) for a, n in step.items()})
        found = irreducible_factors(deflated, work)
        return [(_in_powers(q, step), n) for q, n in found]
    import flint

    # not in the ring of whole coefficients: there the factors are sorted by coefficients as machine numbers
    ring: Any = flint.fmpq_mpoly_ctx.get(("x", len(atoms)), flint.Ordering.lex)
    _, several = ring.from_dict(rows).factor()
    return [
        (
            {tuple((a, int(e)) for a, e in zip(atoms, v, strict=True) if e): int(c) for v, c in q.to_dict().items()},
            int(n),
        )
        for q, n in several
    ]  # fmt: skip


def _parts(p: Polynomial, work: Work) -> Sequence[Factor] | None:
    """Factors, which may have others; none of what is irreducible; None where that is not seen."""
    if is_surely_irreducible(p):
        return ()
    own = {a: {dict(m).get(a, 0) for m in p} for a in generators(p)}
    degrees = {a: max(exponents) for a, exponents in own.items()}
    if max(degrees.values()) > MOST_DEGREE:
        return None
    low = [a for a in own if own[a] <= {0, 1, 2} or own[a] <= {0, 2, 4}]
    if low:
        return _parts_in(p, min(low, key=degrees.__getitem__), work)
    root = square_root(p, work)
    if root is not None:
        return [(root, 2)]
    return _parts_in_one(p, *own) if len(own) == 1 else None


def _parts_in(p: Polynomial, x: int, work: Work) -> list[Factor]:
    """The same of a polynomial whose degree in a generator x, or in x^2, is 1 or 2.

    It has factors without x if its coefficients have. Else a*x^2 + b*x + c has some if b^2 - 4*a*c is a square, and
    a*x^4 + b*x^2 + c also if a*c = q^2 and a*(2*q - b) = s^2: a times it is (a*x^2 + q)^2 - (s*x)^2.
    """
    own = by_power(p, x)
    shared = _shared(own.values(), work)
    if len(shared) > 1:
        return [(shared, 1), (_exact(p, shared, work), 1)]
    degree = max(own)
    if degree == 1:
        return []
    a, b, c = own[degree], own.get(degree // 2, {}), own[0]
    square = _sum_of_products([(1, b, b), (-4, a, c)], work)
    root: Polynomial | None = square_root(square, work) if square else {}
    if root is not None:
        return _divided(p, x, [(degree // 2, 2, a), (0, 1, b), (0, 1, root)], work)
    q = square_root(product(a, c, work), work) if degree == 4 else None
    for sign in (1, -1):
        if q is None:
            break
        square = _sum_of_products([(2 * sign, a, q), (-1, a, b)], work)
        s = square_root(square, work) if square else None
        if s is not None:
            return _divided(p, x, [(2, 1, a), (1, 1, s), (0, sign, q)], work)
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
        accumulate(total, [(m, number * c) for m, c in own.items()])
    return total


def _divided(
    p: Polynomial, x: int, terms: Sequence[tuple[Rational, int, Polynomial]], work: Work
) -> list[Factor]:
    """The factor that a sum of n*x^e*q has in common with p, for triples e, n, q without x, and the rest of p."""
    total = _sum_of_products([(n, {((x, e),) if e else ONE: 1}, q) for e, n, q in terms], work)  # fmt: skip
    factor = _exact(total, _shared(by_power(total, x).values(), work), work)
    return [(factor, 1), (_exact(p, factor, work), 1)]


def _exact(p: Polynomial, q: Polynomial, work: Work) -> Polynomial:
    found = quotient(p, q, work)
    assert found is not None, "it is a divisor"
    return found


def _parts_in_one(p: Polynomial, x: int) -> Sequence[Factor] | None:
    """The same in one generator of degree 3 or more, by rational roots or a prime value."""
    own = [int(c) for c in coefficients(p)]
    short = max(abs(own[0]), abs(own[-1])) <= MOST_ENDS
    # one is enough: what is left of the polynomial is taken apart in its turn
    for r, s in _rational_roots(own) if short else ():
        line: Polynomial = in_one(x, [-r, s])
        return [(line, 1), (_exact(p, line, Work(len(own) * 4)), 1)]
    if (short and len(own) == 4) or _has_prime_value(own):
        return ()
    return None


def _rational_roots(p: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The rational zeros r/s of a polynomial that is given by its coefficients, the lowest power first."""
    at_one, at_minus_one = sum(p), sum(c if k % 2 == 0 else -c for k, c in enumerate(p))
    for s in _divisors(p[-1]):
        for size in _divisors(p[0]):
            for r in (size, -size) if math.gcd(size, s) == 1 else ():
                if (r != s and at_one % (s - r)) or (r != -s and at_minus_one % (s + r)):  # fmt: skip
                    continue  # s*x - r divides the polynomial, at 1 and at -1 too
                total, power = 0, 1
                for c in reversed(p):
                    total, power = total * r + c * power, power * s
                if not total:
                    yield r, s


def _divisors(number: int) -> list[int]:
    return [d for d in range(1, abs(number) + 1) if number % d == 0]


def _has_prime_value(p: Sequence[int]) -> bool:
    """Return whether p(n) = d*prime for some n that is farther than d from all zeros: then p has no factors.

    Of two factors, that which the prime does not divide would be at most d there, and is more.
    """
    bound = 2 + max(map(abs, p[:-1])) // abs(p[-1])  # of the zeros, by Cauchy
    for n in range(bound + 2, bound + 2 + MOST_VALUES):
        value = 0
        for c in reversed(p):
            value = value * n + c
        d = math.gcd(value, math.factorial(12))
        if n > bound + d and _is_prime(abs(value) // d):
            return True
    return False


_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def _is_prime(n: int) -> bool:
    """Return whether a number is known to be a prime: by Miller and Rabin's test, which is one for numbers below 3.1e23."""
    if n < 2 or n > 3 * 10**23 or any(n % p == 0 for p in _WITNESSES):
        return n in _WITNESSES
    twos = (n - 1 & 1 - n).bit_length() - 1
    for a in _WITNESSES:
        x = pow(a, n - 1 >> twos, n)
        if x != 1 and n - 1 not in (pow(x, 1 << k, n) for k in range(twos)):
            return False
    return True


def is_surely_irreducible(p: Polynomial) -> bool:
    """Return whether a polynomial without content is seen at once to be a*x + b where a or b is a monomial."""
    return any(
        own.keys() == {0, 1} and min(map(len, own.values())) == 1
        for own in (by_power(p, atom) for atom in generators(p))
    )
