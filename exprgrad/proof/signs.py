"""Signs of atoms, as far as they are known, and absolute values: roots and powers of factors of any sign.

An expression implies facts about its own domain: sqrt(u) needs u >= 0, a divisor is not 0, ln(u) needs
both. Such a fact about a product gives the sign of a factor if the signs of all others are known. A power
with a rational exponent is the product of the powers of the absolute values |f| of its factors f.

A fact must hold at every point where all subexpressions are defined, including the border of the domain:
x^2*(x - 1) >= 0 does not mean x >= 1 unless x is known not to be 0.
"""

from __future__ import annotations

from exprgrad.algebra.field import Element, Product, Rule
from exprgrad.algebra.polynomials import (
    ONE,
    Factors,
    Polynomial,
    Rational,
    accumulate,
    merged,
)
from exprgrad.algebra.polynomials import monomial as power_product
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.proof.factors import MOST_TERMS, FactoredField


class SignedField(FactoredField):
    """Elements with absolute values. `news` is set by a fact that earlier results may not have used."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.signs: dict[int, int] = {}
        self.nonzero: set[int] = set()
        self.news = False
        self._joint_signs: list[tuple[frozenset[int], int]] = []
        """Products known to be >= 0 or <= 0, of factors of unknown sign."""

    def again(self) -> bool:
        """Prepare for another pass over the expression; whether it can find more than the last."""
        news, self.news = self.news, False
        return super().again() | news

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
        """Whether the atom is known not to be 0."""
        kind, meaning, real = self.atoms[atom]
        if kind in ("prime", "constant") or atom in self.nonzero:
            return True
        if kind == "abs" and isinstance(meaning, int):
            return self.is_nonzero(meaning)
        if kind == "exp" and real and isinstance(meaning, tuple):
            # the ln|f| in f^t = exp(t*ln|f|) is not finite if f may be 0
            own = [self.atoms[a] for a, _ in meaning]
            return all(a.kind != "ln" or self.is_nonzero(a.meaning) for a in own)
        if atom in self.sums:
            p = self.sums[atom]
            return any(self._at_least(p, s) for s in (1, -1))
        return False

    def _at_least(self, p: Polynomial, sign: int) -> bool | None:
        """Whether sign*p is known to be > 0 (True) or >= 0 (False); None if neither is."""
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
            if kind == "abs" and isinstance(meaning, int):
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
        """Whether the element is known to be 0."""
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
                    (with_pivot if has_pivot else without)[power_product(left)] = c
                if with_pivot:
                    image = self.image(relation.number, tuple(relation.factors.items()))
                    rest = self.product({tuple((a, 1) for a in others): 1}, without)
                    p = accumulate(self.product(with_pivot, image), rest.items())
        return not p
