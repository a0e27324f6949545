"""Elements that stand for real numbers: their factors, their signs, and powers, exponentials and logarithms of them.

u^(p/q)                                     by absolute values, and u >= 0 or a real root
exp(sum c_i*t_i) = product E_i^c_i          with an atom E_t = exp(t) for every product t
ln(number*product f^k) = ln(number) + sum k*ln|f|
u^v = exp(v*ln(u))

A sum is divided by others that have occurred as divisors, under roots or in logarithms, so that
sqrt(x^2 - 1) and sqrt(x - 1)*sqrt(x + 1) become equal; and it may be a square, or become one by
sin^2 + cos^2 = 1.

An expression implies facts about its own domain: sqrt(u) needs u >= 0, a divisor is not 0, ln(u) needs
both. Such a fact about a product gives the sign of a factor if the signs of all others are known. A power
with a rational exponent is the product of the powers of the absolute values |f| of its factors f.

A fact must hold at every point where all subexpressions are defined, including the border of the domain:
x^2*(x - 1) >= 0 does not mean x >= 1 unless x is known not to be 0.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

from exprgrad.algebra import polynomials
from exprgrad.algebra.field import Element, Field, Product, Rule
from exprgrad.algebra.polynomials import (
    ONE,
    Factors,
    Monomial,
    Polynomial,
    Rational,
    accumulate,
    merged,
    primitive,
    quotient,
    square_root,
    times,
)
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import Any

MOST_TERMS = 12
"""The most terms of a sum that is factored."""

_MOST_DIVISORS = 12


Vector = dict[Monomial, Rational]
"""A sum of products of atoms, which may be divided by sums."""


class RealField(Field):
    """Elements with what is known of their factors and signs. `news` is set by a fact that earlier results may not have used."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.divisors: list[int] = []
        """Those found in one pass over an expression are used in the next."""
        self._divided: dict[int, None] = {}
        self._pairs: dict[frozenset[Any], list[tuple[Polynomial, int]]] = {}
        """Sums that are products of two divisors only by the relations: x^2 - 1 = (|x| - 1)(|x| + 1)."""
        self._refined: dict[int, tuple[Rational, Factors]] = {}
        self.signs: dict[int, int] = {}
        self.nonzero: set[int] = set()
        self.news = False
        self._joint_signs: list[tuple[frozenset[int], int]] = []
        """Products known to be >= 0 or <= 0, of factors of unknown sign."""

    def again(self) -> bool:
        """Prepare for another pass over the expression; whether it can find more than the last."""
        news, self.news = self.news, False
        short = [a for a in self._divided if len(self.sums[a]) <= MOST_TERMS]
        divisors = sorted(short, key=lambda a: len(self.sums[a]))[:_MOST_DIVISORS]
        news = news or (len(short) > 1 and divisors != self.divisors)
        self.divisors = divisors
        self._refined.clear()
        roots = [self.sums[a] for a in divisors if self._has_rules(self.sums[a])]
        self._pairs = {}
        for one, other in itertools.combinations_with_replacement(roots, 2):
            whole = self.product(one, other)
            if not whole:
                continue  # (|x| - x)(|x| + x)
            number, monomial, rest = primitive(whole)
            if len(rest) > 1 and not self._has_rules(rest):
                factors = [(one, 1), (other, 1), ({monomial: number}, -1)]
                self._pairs[frozenset(rest.items())] = factors
        return news

    # Factors

    def split(self, u: Element) -> tuple[Rational, Factors]:
        """`u` as a number and factors, with sums factored as far as that is easy."""
        self.factor(u)
        number, factors = u.number, u.factors
        for atom, exponent in u.factors.items():
            if atom not in self.sums:
                continue
            scale, parts = self._refine(atom)
            if parts != {atom: 1}:
                number *= Fraction(scale) ** int(exponent)
                factors = merged(factors, {atom: -exponent})
                more = {a: e * exponent for a, e in parts.items()}
                factors = merged(factors, more)
        for atom in factors:
            if atom in self.sums:
                self._divided[atom] = None
        return number, factors

    def _refine(self, atom: int) -> tuple[Rational, Factors]:
        """A sum as a number and factors; as its own factor if no others are found."""
        if atom not in self._refined:
            number: Rational = 1
            factors: Factors = {}
            stack: list[tuple[Polynomial, int]] = [(self.sums[atom], 1)]
            while stack:
                self.work.spend(1)
                p, power = stack.pop()
                scale, monomial, rest = primitive(p)
                number *= Fraction(scale) ** power
                own: Factors = {a: e * power for a, e in monomial}
                if len(rest) > 1:
                    parts = self._parts(rest)
                    stack += [(q, power * e) for q, e in parts]
                    if not parts:
                        own = merged(own, {self.sum_atom(rest): power})
                factors = merged(factors, own)
            self._refined[atom] = number, factors
        return self._refined[atom]

    def _parts(self, p: Polynomial) -> list[tuple[Polynomial, int]]:
        """Factors of a primitive sum, with their exponents; none if none are found."""
        if len(p) > MOST_TERMS:
            return []
        sines = self._with_sines(p)
        if sines is not None:
            return [(sines, 1)]
        root = square_root(p, self.work)
        if root is not None:
            return [(root, 2)]
        for divisor in self.divisors:
            q = self.sums[divisor]
            rest = quotient(p, q, self.work) if q != p else None
            if rest is not None:
                return [(q, 1), (rest, 1)]
        return self._pairs.get(frozenset(p.items()), [])

    def _with_sines(self, p: Polynomial) -> Polynomial | None:
        """The sum with 1 - S^2 for the square of a cosine, if that leaves fewer terms."""
        cosines = {a: e for m in p for a, e in m if self.atoms[a].kind == "cos"}
        for cosine in cosines:
            sine = self.numbers["sin", self.atoms[cosine].meaning]
            changed: Polynomial = {}
            for m, c in p.items():
                image = [(m, c)]
                if dict(m).get(cosine) == 2:
                    rest = tuple((a, e) for a, e in m if a != cosine)
                    image = [(rest, c), (times(rest, ((sine, 2),)), -c)]
                accumulate(changed, image)
            if 0 < len(changed) < len(p):
                return changed
        return None

    def _has_rules(self, p: Polynomial) -> bool:
        return any(atom in self.rules for monomial in p for atom, _ in monomial)

    # Signs

    def sign(self, atom: int) -> int:
        """1 if the atom is known to be >= 0, -1 if <= 0, else 0."""
        if self.atoms[atom].nonnegative:
            return 1
        if atom in self.signs:
            return self.signs[atom]
        if atom in self.sums:
            p = self.sums[atom]
            return next((s for s in (1, -1) if self._at_least(p, s) is not None), 0)
        return 0

    def is_nonzero(self, atom: int) -> bool:
        """Return whether the atom is known not to be 0."""
        kind, meaning, real = self.atoms[atom]
        if kind in ("prime", "constant") or atom in self.nonzero:
            return True
        if kind == "abs":
            return self.is_nonzero(meaning)
        if kind == "exp" and real:
            # the ln|f| in f^t = exp(t*ln|f|) is not finite if f may be 0
            own = [self.atoms[a] for a, _ in meaning]
            return all(a.kind != "ln" or self.is_nonzero(a.meaning) for a in own)
        if atom in self.sums:
            p = self.sums[atom]
            return any(self._at_least(p, s) for s in (1, -1))
        return False

    def _at_least(self, p: Polynomial, sign: int) -> bool | None:
        """Return whether sign*p is known to be > 0 (True) or >= 0 (False); None if neither is."""
        if len(p) > MOST_TERMS:
            return None
        level, strict = sign * p.get(ONE, 0), False
        for monomial, c in p.items():
            if not monomial:
                continue
            if all(self.atoms[a].kind in ("sin", "cos") for a, _ in monomial):
                even = all(e % 2 == 0 for _, e in monomial)
                level += min(sign * c, 0) if even else min(c, -c)
                continue
            own = sign * c
            for atom, exponent in monomial:
                if exponent % 2:
                    known = self.sign(atom)
                    own *= known if known > 0 or exponent % 2 == 1 else 0
            if own <= 0:
                return None
            strict = strict or all(self.is_nonzero(a) for a, _ in monomial)
        return None if level < 0 else (strict or level > 0)

    # Facts

    def learn_nonzero(self, u: Element) -> None:
        """Learn that `u` is not 0 on the domain, and so none of its factors is."""
        if not u.number:
            raise OutOfReachError  # the domain is empty
        for atom, exponent in self.split(u)[1].items():
            kind, meaning, _ = self.atoms[atom]
            if kind == "abs":
                atom = meaning
            if exponent > 0 and not self.is_nonzero(atom):
                self.nonzero.add(atom)
                self.news = True

    def learn_sign(self, u: Element, nonzero: bool = False) -> None:
        """Learn that `u` >= 0 on the domain, or `u` > 0."""
        if nonzero:
            self.learn_nonzero(u)
        number, factors = self.split(u)
        sign = 1 if number >= 0 else -1
        unknown = []
        for atom, exponent in factors.items():
            own = self.sign(atom)
            if exponent % 2 and not own:
                unknown.append(atom)
            elif exponent % 2:
                sign *= own
            if own < 0 and exponent % 1:
                return
        if any(factors[a] % 2 != 1 for a in unknown):
            return
        for atoms, own in self._joint_signs:
            if atoms <= set(unknown):
                sign *= own
                unknown = [a for a in unknown if a not in atoms]
        rest = [a for a in factors if a not in unknown]
        if not unknown and sign < 0 and number:
            raise OutOfReachError  # u is 0 at most: the domain has no interior
        if not all(map(self.is_nonzero, rest)):
            return
        if len(unknown) == 1:
            [atom] = unknown
            self.signs[atom] = sign
            self.news = True
            absolute = self.numbers.get(("abs", atom))
            if absolute is not None:
                self.rules[absolute] = Rule(1, sign, ((atom, 1),))
        elif unknown:
            self._joint_signs.append((frozenset(unknown), sign))
            absolutes = tuple(sorted(map(self.absolute, unknown)))
            self.learn_product(Product(absolutes, sign, dict.fromkeys(unknown, 1)))

    def learn_product(self, relation: Product) -> None:
        """Learn a relation that holds on the whole domain."""
        if all(relation.atoms != known.atoms for known in self.products):
            self.products.append(relation)
            self.news = True

    # Absolute values and their powers

    def absolute(self, atom: int) -> int:
        """The atom that is the absolute value of an atom."""
        if self.atoms[atom].nonnegative:
            return atom
        found = self.atom("abs", atom, nonnegative=True)
        if found not in self.rules:
            sign = self.sign(atom)
            unit = 1 if sign else 2
            self.rules[found] = Rule(unit, sign or 1, ((atom, unit),))
        return found

    def absolute_power(self, u: Element, exponent: Rational) -> Element:
        """|u|^exponent; 0 to a positive power is 0."""
        if not u.number:
            if exponent <= 0:
                raise OutOfReachError
            return u
        number, own = self.split(u)
        factors: Factors = {}
        for atom, power in own.items():
            factors = merged(factors, {self.absolute(atom): power * exponent})
        parts = {p: e * exponent for p, e in self.primes(number)}
        return self.monomial(1, merged(factors, parts))

    def odd_power(self, u: Element, exponent: Rational) -> Element:
        """sign(u)*|u|^exponent, as u*|u|^(exponent - 1): valid at u = 0 too if exponent > 0."""
        if not u.number:
            return self.absolute_power(u, exponent)
        number, factors = self.split(u)
        return self.monomial(number, factors) * self.absolute_power(u, exponent - 1)

    # Zero

    def is_zero(self, u: Element) -> bool:
        """Return whether the element is known to be 0."""
        if not u.number:
            return True
        if u.sum is None and self.sums.keys().isdisjoint(u.factors):
            return False
        below: Factors = {a: e for a, e in u.factors.items() if e < 0}
        p = self.expanded(u, below)
        for relation in self.products:
            if p and all(map(self.is_nonzero, relation.factors)):
                # times all atoms of the relation except the first, which is eliminated
                pivot, *others = relation.atoms
                with_pivot: Polynomial = {}
                without: Polynomial = {}
                for m, c in p.items():
                    exponents = dict(m)
                    has_pivot = exponents.get(pivot, 0) >= 1
                    left = merged(exponents, {pivot: -1}) if has_pivot else exponents
                    part = with_pivot if has_pivot else without
                    part[polynomials.monomial(left)] = c
                if with_pivot:
                    image = self.image(relation.number, tuple(relation.factors.items()))
                    rest = self.product({tuple((a, 1) for a in others): 1}, without)
                    p = accumulate(self.product(with_pivot, image), rest.items())
        return not p

    # Powers

    def terms(self, u: Element) -> Vector:
        """The element as a sum of numbers times products of atoms, with sums only in denominators."""
        self.factor(u)
        below: Factors = {a: e for a, e in u.factors.items() if e < 0}
        total: Vector = {}
        for monomial, number in self.expanded(u, below).items():
            new = self.monomial(number, merged(below, dict(monomial)))
            accumulate(total, [(polynomials.monomial(new.factors), new.number)])
        return total

    def divide(self, u: Element, v: Element) -> Element:
        """The quotient; this learns that v is not 0."""
        self.learn_nonzero(v)
        return super().divide(u, v)

    def raised(self, base: Element, exponent: Element) -> Element:
        """base^exponent as in `pow`: for whole exponents, or a base that is not negative."""
        power = exponent.rational
        if power is None:
            return self.exponential(self.multiply(exponent, self._complex_log(base)))
        if power < 0:
            self.learn_nonzero(base)
        if power.denominator == 1:
            return self.whole_power(base, int(power))
        self.learn_sign(base, nonzero=power < 0)
        return self.absolute_power(base, power)

    def square_root(self, u: Element) -> Element:
        """The square root of an element, which must be >= 0."""
        return self.raised(u, self.element(Fraction(1, 2)))

    def real_power(self, base: Element, exponent: Element) -> Element:
        """base^exponent for a fraction with odd denominator, which means the real root."""
        power = exponent.rational
        if power is None:
            raise OutOfReachError
        if power < 0:
            self.learn_nonzero(base)
        if power.numerator % 2:
            return self.odd_power(base, power)
        return self.absolute_power(base, power)

    def root(self, u: Element, degree: Element) -> Element:
        """The root of that degree, a rational number; if it is odd, of negative numbers too."""
        power = degree.rational
        if not power:
            raise OutOfReachError
        exponent = self.element(1 / Fraction(power))
        if power.denominator == 1 and power % 2:
            return self.real_power(u, exponent)
        return self.raised(u, exponent)

    # Exponentials and logarithms

    def exponential(self, u: Element) -> Element:
        """e to the power of an element."""
        factors: Factors = {}
        for monomial, number in self.terms(u).items():
            [(atom, e), *more] = monomial or [(0, 0)]
            kind, meaning, _ = self.atoms[atom]
            single = e == 1 and not more
            if single and kind == "ln":
                own = self.absolute(meaning)
            elif single and kind == "complex ln":
                own = self.numbers["root", atom]
            else:
                real = all(self.atoms[a].kind != "complex ln" for a, _ in monomial)
                own = self.atom("exp", monomial, nonnegative=real)
            factors = merged(factors, {own: number})
        return self.monomial(1, factors)

    def logarithm(self, u: Element) -> Element:
        """The natural logarithm of an element, which must be > 0."""
        self.learn_sign(u, nonzero=True)
        number, factors = self.split(u)
        return self._log_absolute(number, factors)

    def _log_absolute(self, number: Rational, factors: Factors) -> Element:
        total = self.element(0)
        sums: Polynomial = {}
        parts: Factors = dict(self.primes(number))
        for atom, exponent in [*parts.items(), *factors.items()]:
            kind, meaning, real = self.atoms[atom]
            if kind == "exp" and real:
                total += self.monomial(exponent, dict(meaning))
                continue
            if kind == "abs":
                atom = meaning
            accumulate(sums, [(((self.atom("ln", atom), 1),), exponent)])
        return total + self.polynomial(sums)

    def _complex_log(self, u: Element) -> Element:
        """A logarithm for use in exp(v*ln(u)) only, where v is whole or u >= 0.

        If the sign of a factor with an odd exponent is unknown, its logarithm is an atom of its own, with
        an imaginary part where the factor is negative. exp turns it back into the factor.
        """
        if not u.number:
            raise OutOfReachError
        number, factors = self.split(u)
        sign = 1 if number > 0 else -1
        odd, real = [], dict(factors)
        for atom, exponent in factors.items():
            own = self.sign(atom)
            if own <= 0 and exponent % 1:
                raise OutOfReachError
            if own == 0 and exponent % 2:
                odd.append(atom)
            elif own < 0 and exponent % 2:
                sign = -sign
        if not odd and sign > 0:
            return self._log_absolute(number, factors)
        single = len(odd) == 1 and sign > 0
        power = factors[odd[0]] if single else 1
        real = merged(real, dict.fromkeys(odd, -power))
        log = self.atom("complex ln", (sign, frozenset(odd)))
        root = self.atom("root", log)
        self.rules[root] = Rule(1, sign, tuple((a, 1) for a in sorted(odd)))
        return self._log_absolute(number, real) + self.of(log, number=power)
