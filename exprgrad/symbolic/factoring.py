"""The shortest of several ways to write a formula: as it is, as one fraction, factored.

    4*(2*x - 4)*(x^2 + 1)^3 + ...       common powers are taken out, and what is left is a polynomial in
                                        variables, functions and roots, which is multiplied out or factored
    (x^2 - 1)/(x - 1)                   sums above and below a fraction bar are divided by their greatest
                                        common divisor
    sec(x)^2/(1 + tan(x)^2)             a whole formula is one fraction, reduced by relations of functions and roots

Factors that are variables stay where they are (2*x*sin(x) + x^2*cos(x) is how people write it). Multiplying out,
factoring and dividing are bounded work; what takes more stays as it is.

Forms as quotients of polynomials in what they are made of, reduced by the relations between these; and back.

    field = Fractions(algebra, form, Relations(two=True, kept=frozenset({COS})))
    field.forms(field.read(form))       of sec(x)^2/(1 + tan(x)^2): 1

Atoms are the powers that forms are products of, roots of one radicand and functions of one angle among them. A fraction
is only reduced, never extended, so that it has a value wherever the form had one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import combinations, permutations, product

from exprgrad.algebra import polynomials
from exprgrad.algebra.field import Element, Field, Product, Rule
from exprgrad.algebra.polynomials import (
    ONE,
    Factors,
    Polynomial,
    Rational,
    accumulate,
    common_divisor,
    irreducible_factors,
    merged,
    primitive,
    quotient,
)
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import NamedTuple
from exprgrad.operations import table
from exprgrad.operations.operation import Operation
from exprgrad.symbolic.forms import (
    Algebra,
    Factor,
    Form,
    Term,
    each_part,
    is_below,
    least,
    over,
    walk,
)

MOST_PARTS = 400
MOST_ATOMS = 14
MOST_TERMS = 120
MOST_WRITTEN = 12
"""Terms of a product of sums that is written multiplied out."""

MOST_READ = 12
"""Terms of a sum that is not opaque."""

MOST_ROOTED = 10**6
"""Denominators of numbers whose roots are taken apart."""

WORTH = 3
"""The least saving of a fraction that is not written as powers of variables times sums."""

Key = tuple[Form, Form | None]
"""A base, and the variable part of its exponent (of e^x and x^y)."""

Table = dict[Key, Rational]
"""A product: the power of each key."""

Side = tuple[Factors, list[tuple[Polynomial, int]]]
"""All that stands above or below a bar: atoms, and sums."""

UNKNOWNS = frozenset("uvwxyzUVWXYZ")
PERIODIC = (table.SIN, table.COS, table.TAN, table.COT, table.SEC, table.CSC)
HYPERBOLIC = (table.SINH, table.COSH, table.TANH, table.COTH, table.SECH, table.CSCH)

IN_TWO: dict[Operation, tuple[tuple[Operation, int], ...]] = {
    table.TAN: ((table.SIN, 1), (table.COS, -1)),
    table.COT: ((table.COS, 1), (table.SIN, -1)),
    table.SEC: ((table.COS, -1),),
    table.CSC: ((table.SIN, -1),),
    table.TANH: ((table.SINH, 1), (table.COSH, -1)),
    table.COTH: ((table.COSH, 1), (table.SINH, -1)),
    table.SECH: ((table.COSH, -1),),
    table.CSCH: ((table.SINH, -1),),
}
"""Functions as powers of the two that all are made of."""

INVERSES = {parts[0][0]: f for f, parts in IN_TWO.items() if len(parts) == 1}
"""Of a function, that which is 1 divided by it."""

SQUARES: dict[Operation, tuple[Operation, int, int]] = {
    table.SIN: (table.COS, -1, 1),
    table.COS: (table.SIN, -1, 1),
    table.SEC: (table.TAN, 1, 1),
    table.CSC: (table.COT, 1, 1),
    table.SECH: (table.TANH, -1, 1),
    table.CSCH: (table.COTH, 1, -1),
    table.COSH: (table.SINH, 1, 1),
    table.SINH: (table.COSH, 1, -1),
    table.TAN: (table.SEC, 1, -1),
}
"""f(u)^2 = sign*g(u)^2 + constant, as (g, sign, constant)."""


class Relations(NamedTuple):
    """The relations of functions that are applied: none, unless `kept` says which squares are left as they are.

    With `two`, all functions of an angle are written with its sine and cosine.
    """

    two: bool = False
    kept: frozenset[Operation] | None = None


NONE = Relations()


def table_of(algebra: Algebra, form: Form) -> Table:
    """A product as powers of keys, without its number: e^(u + v) as e^u*e^v, and x^(y - 1) as x^y*x^-1."""
    found: Table = {}
    factors = form.factors or ((form, algebra.one),)
    for base, exponent in factors if form.number is None else ():
        own: list[tuple[Key, Rational]] = [((base, exponent), 1)]
        terms = list(algebra.terms(exponent))
        whole = [c for part, c in terms if part is algebra.one and c.denominator == 1]
        if exponent.number is not None and not base.is_euler:
            own = [((base, None), exponent.number)]
        elif base.is_euler:
            own = [((base, part), c) for part, c in terms]
        elif base.number is not None and base.number > 0:
            own = [((base, None if part is algebra.one else part), c) for part, c in terms]  # fmt: skip
        elif whole and base.number is None:
            rest = algebra.add([t for t in terms if t[0] is not algebra.one])
            own = [((base, rest), 1), ((base, None), whole[0])]
        for key, power in own:
            found[key] = found.get(key, 0) + power
    return found


def _is_unknown(form: Form) -> bool:
    """Return whether it is a variable by its letter, not a coefficient such as a."""
    return form.kind == "leaf" and form.parts[0].name in UNKNOWNS


class Fractions(Field):
    """Elements of the parts of a form; sums are `whole`: irreducible, and cancelled; else they stay as they are read.

    Of `roots`, numbers and whole powers are taken out. Long sums, and those with e^-x in them, are
    atoms if they are to be `opaque`.
    """

    def __init__(
        self,
        algebra: Algebra,
        root: Form,
        relations: Relations = NONE,
        work: int = 12_000,
        whole: bool = True,
        roots: bool = True,
        opaque: bool = False,
        most: int = MOST_TERMS,
    ) -> None:
        super().__init__(Work(work))
        self.algebra, self.relations, self.whole = algebra, relations, whole
        self.most, self.roots = most, roots
        self.opaque = opaque
        self._units: dict[int, int] = {}
        """The roots of atoms that occur: 2 where there is sqrt(x)."""
        self._known: dict[int, tuple[Form, Rational]] = {}
        """Sums and radicands as they were written, and the factor by which that is a multiple of them."""
        self._done: dict[Form, Element] = {}
        self._lowest: dict[Key, Rational] = {}
        self._angles: dict[Form, None] = {}
        self._radicals: list[int] = []
        # sums are written with the powers of earlier atoms first: x + a
        seen = walk(root, lambda f: [] if f.kind == "call" else f.inner)
        for form in sorted(seen, key=_is_unknown, reverse=True):
            named = form.kind == "leaf" and not form.is_euler
            alone = form.kind == "call" and not (whole and form.parts[0] in (*PERIODIC, *HYPERBOLIC))  # fmt: skip
            if named or alone:
                self._atom(form, None)
        bases = ("leaf", "call") if roots else ("leaf", "call", "sum")
        for form in walk(root):
            if form.kind == "call" and form.parts[0] in (*PERIODIC, *HYPERBOLIC):
                self._angles[form.parts[1][0]] = None
            elif any(e.number is None for _, e in form.factors):
                powers = algebra.once(table_of, form)
                for key in powers:
                    # x + x^(n - 1) has a value at 0: no power is x^n/x
                    if key[1] is not None and key[0].kind in bases and not key[0].is_euler:  # fmt: skip
                        low = min(self._lowest.get(key, 0), powers.get((key[0], None), 0))  # fmt: skip
                        self._lowest[key] = low

    # Reading

    def read(self, form: Form) -> Element:
        """A form as an element. Raises `OutOfReachError`."""
        count = len(self._radicals)
        found = each_part(form, self._read, self._done, self._inside)
        # it takes three: sqrt(u), sqrt(v) and sqrt(u*v)
        if self.roots and len(self._radicals) > max(2, count) and self._relate_roots():
            self._done.clear()
            found = each_part(form, self._read, self._done, self._inside)
        return found

    @staticmethod
    def _inside(form: Form) -> list[Form]:
        bases = [b for b, _ in form.factors if b.kind in ("sum", "product")]
        return form.inner if form.kind == "sum" else bases

    def _read(self, form: Form) -> Element:
        if form.kind == "number":
            return self.element(form.parts[0])
        if form.kind == "sum":
            found = self.add(*[self.scaled(self._done[f], c) for f, c in form.parts[0]])
            self.factor(found)
            exponentials = (self.atoms[a] for a, e in found.factors.items() if e < 0)
            if self.opaque and (
                any(len(self.sums.get(a, ())) > MOST_READ for a in found.factors)
                or any(k == "power" and m[0].is_euler for k, m, _ in exponentials)
            ):
                return self.of(self._atom(form, None))
            if abs(found.number) == 1 and list(found.factors.values()) == [1]:
                [atom] = found.factors
                self._known.setdefault(atom, (form, found.number))
            return found
        powers = dict(self.algebra.once(table_of, form))
        for base, rest in [key for key in powers if self._lowest.get(key)]:
            low = self._lowest[base, rest]
            moved = self.algebra.add([(rest, 1), (self.algebra.one, low)])  # type: ignore[list-item] # not None
            powers[base, moved] = powers.pop((base, rest))
            powers[base, None] = powers.get((base, None), 0) - low
        result = self.element(form.parts[0] if form.kind == "product" else 1)
        for (base, rest), e in powers.items():
            if e:
                result = self.multiply(result, self._power(base, rest, e))
        return result

    def scaled(self, u: Element, number: Rational) -> Element:
        """A multiple of an element."""
        return Element(self, least(u.number * number), u.factors, u.sum)

    def _power(self, base: Form, rest: Form | None, e: Rational) -> Element:
        if rest is not None:
            return self._of(self._atom(base, rest), e)
        if base.kind == "call":
            inverse = INVERSES.get(base.parts[0])
            if self.relations.kept is not None and not self.relations.two and e < 0 and inverse:  # fmt: skip
                # 1/cos(u)^2 as sec(u)^2, which is a polynomial in tan(u)
                base, e = self.algebra.call(inverse, base.parts[1]), -e
            u = self._function(base)
        elif base.kind == "leaf":
            u = self.of(self._atom(base, None))
        else:
            u = self._done[base] if base.number is None else self.element(base.number)
        if e.denominator == 1:
            return self.whole_power(u, int(e))
        # (c*u)^(p/q) is c^(p/q)*u^(p/q) where c is a positive number; numbers stay inside unless sums are `whole`
        self.factor(u)
        if not u.number or (u.number < 0 and not u.factors):
            raise OutOfReachError
        sign: Rational = 1 if u.number > 0 else -1
        size = u.number * sign
        if not self.roots:
            if not u.factors:
                return self._of(self._atom(base, None), e)
            size, sign = 1, u.number
        if size.denominator > MOST_ROOTED:
            raise OutOfReachError
        result = self.element(1)
        for prime, power in self.primes(size):
            # prime by prime, so that sqrt(6) meets sqrt(2)
            result = self.multiply(result, self._of(prime, power * e))
        if not u.factors:
            return result
        if sign == 1 and len(u.factors) == 1:
            [(atom, m)] = u.factors.items()
            # (x^2)^(1/2) is |x|, which is no power of x
            odd = m.numerator % 2 or (m * e).numerator % 2 == 0
            if atom not in self.sums and m.denominator % 2 and odd:
                return self.multiply(result, self._of(atom, least(m * e)))
        atom = self.atom("root", (sign, frozenset(u.factors.items())))
        if atom not in self._known:
            self._radicals.append(atom)
        if atom not in self.rules and self.roots:
            self.rules[atom] = Rule(1, sign, tuple(u.factors.items()))
        elif atom not in self.rules and min(u.factors.values()) > 0:
            # whole powers are multiplied out, and stay in products
            whole = self.expanded(Element(self, sign, u.factors), {})
            self.rules[atom] = Rule(1, 1, (), whole)
        if base.kind == "sum" and size != 1:
            written = self.algebra.add([(f, over(c, size)) for f, c in base.parts[0]])
        else:
            written = self.algebra.multiply([(base, self.algebra.one)], over(1, size))
        had = self._known.get(atom)
        if had is None or written.cost < had[0].cost:
            self._known[atom] = written, 1
        return self.multiply(result, self._of(atom, e))

    def _of(self, atom: int, e: Rational) -> Element:
        self._units[atom] = math.lcm(self._units.get(atom, 1), e.denominator)
        return self.of(atom, e)

    def _relate_roots(self) -> bool:
        """sqrt(u*v) is sqrt(u)*sqrt(v) where these occur as well; whether that is so somewhere."""
        wholes: dict[object, int] = {}
        for atom in self._radicals:
            rule = self.rules[atom]
            if rule.unit == 1:
                key = self._units[atom], rule.number, frozenset(rule.factors)
                wholes.setdefault(key, atom)
        for one, other in combinations(self._radicals, 2):
            self.work.spend(1)
            u, v, degree = self.rules[one], self.rules[other], self._units[one]
            if degree == self._units[other]:
                both = merged(dict(u.factors), dict(v.factors))
                key = degree, u.number * v.number, frozenset(both.items())
                whole = wholes.get(key)
                if whole is not None and whole not in (one, other):
                    unit = Fraction(1, degree)
                    self.rules[whole] = Rule(unit, 1, ((one, unit), (other, unit)))
                    return True
        return False

    def _atom(self, base: Form, rest: Form | None) -> int:
        """The atom of a power, with what its square may be replaced by."""
        atom = self.numbers.get(("power", (base, rest)))
        if atom is not None:
            return atom
        if self.whole and sum(a.kind != "sum" for a in self.atoms.values()) > MOST_ATOMS:  # fmt: skip
            raise OutOfReachError
        atom = self.atom("power", (base, rest))
        kept = self.relations.kept
        square = SQUARES.get(base.parts[0]) if base.kind == "call" else None
        if square is None or kept is None or base.parts[0] in (*kept, table.TAN):
            return atom
        other, sign, constant = square
        inner = self._atom(self.algebra.call(other, base.parts[1]), None)
        replacement: Polynomial = {((inner, 2),): sign, ONE: constant}
        if base.parts[0] in INVERSES.values():
            image = self.polynomial(replacement)
            self.factor(image)
            self.rules[atom] = Rule(2, image.number, tuple(image.factors.items()))
        else:
            self.rules[atom] = Rule(2, 1, (), replacement)
        return atom

    def _function(self, form: Form) -> Element:
        """A function with two of its family; of a double angle with those of the single one, if that occurs."""
        operation, arguments = form.parts
        if not self.relations.two or operation not in (*PERIODIC, *HYPERBOLIC):
            return self.of(self._atom(form, None))
        half = self.algebra.scaled(arguments[0], Fraction(1, 2))
        inside = [half] if half in self._angles else arguments
        result = self.element(1)
        for function, e in IN_TWO.get(operation, ((operation, 1),)):
            circle = function in (table.SIN, table.COS)
            both = (table.SIN, table.COS) if circle else (table.SINH, table.COSH)
            names = both if inside is not arguments else (function,)
            own = [self.of(self._atom(self.algebra.call(f, inside), None)) for f in names]  # fmt: skip
            u, c = own[0], own[-1]
            if inside is not arguments and function is both[0]:
                u = 2 * u * c
            elif inside is not arguments:
                u = c * c - u * u if circle else c * c + u * u
            result = self.multiply(result, self.whole_power(u, e))
        return result

    # Sums

    def polynomial(self, p: Polynomial, factors: Factors | None = None) -> Element:
        """A polynomial times factors; cancelled where sums are `whole`."""
        if not self.whole or len(p) < 2:
            return super().polynomial(p, factors)
        return self.cancelled(p, factors or {})

    def cancelled(self, p: Polynomial, factors: Factors) -> Element:
        """A polynomial times factors, taking what it shares with those below the bar, irreducible."""
        if len(p) > self.most:
            raise OutOfReachError
        number, monomial, p = primitive(p)
        for atom in [a for a, e in factors.items() if e < 0 and a in self.sums]:
            while factors.get(atom, 0) < 0 and len(p) > 1:
                found = self._quotient(p, self.sums[atom])
                if found is None:
                    break
                scale, more, p = found
                number *= scale
                factors = merged(merged(factors, {atom: 1}), more)
        factors = merged(factors, dict(monomial))
        for part, power in self.irreducible(p):
            factors = merged(factors, {self.sum_atom(part): power})
        return self.monomial(number, factors)

    def _quotient(
        self, p: Polynomial, divisor: Polynomial
    ) -> tuple[Rational, Factors, Polynomial] | None:
        """A quotient without rest; with a root r in a + b*r, if a^2 - b^2*r^2 divides p times a - b*r."""
        less = quotient(p, divisor, self.work)
        if less is not None:
            return 1, {}, less
        for atom in polynomials.generators(divisor):
            unit = self._unit(atom)
            if unit is None:
                continue
            other = {
                m: -c if any(a == atom and e == unit for a, e in m) else c
                for m, c in divisor.items()
            }
            norm = self.product(divisor, other)
            if not norm or any(a == atom for m in norm for a, _ in m):
                return None
            raised = self.product(p, other)
            if not raised:
                return None
            (n, v, norm), (m, w, raised) = primitive(norm), primitive(raised)
            found = (1, {}, raised) if len(norm) == 1 else self._quotient(raised, norm)
            if found is None:
                return None
            extra = merged(dict(w), {a: -e for a, e in v})
            return found[0] * Fraction(m) / n, merged(found[1], extra), found[2]
        return None

    def _unit(self, atom: int) -> Rational | None:
        """Half of the unit of an atom whose square is replaced: of sqrt(u), and of sin(u)."""
        rule = self.rules.get(atom)
        if rule is None:
            return None
        half: Rational = Fraction(rule.unit, 2)
        half = least(half)
        return half if self._units.get(atom, 1) == half.denominator else None

    def irreducible(self, p: Polynomial) -> list[tuple[Polynomial, int]]:
        """The irreducible factors of a primitive polynomial, in roots where these are taken out."""
        return irreducible_factors(p, self.work, units=self._units if self.roots else {})  # fmt: skip

    def refined(self, u: Element) -> Element:
        """An element without what two of its sums have in common, and with new sums irreducible."""
        factors = u.factors
        for one, other in permutations([a for a in factors if a in self.sums], 2):
            p, q = self.sums[one], self.sums[other]
            shared = common_divisor(p, q, self.work) if one > other else {}
            if len(shared) < 2:
                continue
            left = merged(factors, {one: -factors[one], other: -factors[other]})
            for own, e in ((p, factors[one]), (q, factors[other])):
                rest = quotient(own, shared, self.work)
                for part in (shared, rest):
                    if part is not None and len(part) > 1:
                        left = merged(left, {self.sum_atom(part): e})
            return self.refined(Element(self, u.number, left))
        found: Factors = {}
        for atom, e in factors.items():
            is_new = atom in self.sums and atom not in self._known
            for p, power in self.irreducible(self.sums[atom]) if is_new else ():
                found = merged(found, {self.sum_atom(p): e * power})
            found = found if is_new else merged(found, {atom: e})
        return Element(self, u.number, found)

    # Writing

    def powers(self, factors: Iterable[tuple[int, Rational]]) -> list[Factor]:
        """Atoms with their exponents as factors of a form, roots of numbers under one root."""
        out: list[Factor] = []
        numbers: dict[Rational, Rational] = {}
        for atom, e in factors:
            kind, meaning, _ = self.atoms[atom]
            if kind == "prime":
                whole, rest = divmod(e.numerator, e.denominator)
                out.append((self.algebra.number(meaning), self.algebra.number(whole)))
                if rest:
                    inside = least(Fraction(rest, e.denominator))
                    numbers[inside] = numbers.get(inside, 1) * meaning
            elif kind == "power":
                base, rest_of_it = meaning
                if rest_of_it is None:
                    out.append((base, self.algebra.number(e)))
                elif e.denominator == 1:
                    out.append((base, self.algebra.scaled(rest_of_it, e)))
                else:  # the root of a^x is a^(x/2) where a > 0 alone
                    power = self.algebra.multiply([(base, rest_of_it)])
                    out.append((power, self.algebra.number(e)))
            else:
                # a sum or a radicand as it was read, which is that number times what it is
                base, number = self._known.get(atom) or (self.sum_form(self.sums[atom]), 1)  # fmt: skip
                if number != 1:
                    out.append((self.algebra.number(number), self.algebra.number(-e)))
                out.append((base, self.algebra.number(e)))
        return out + [(self.algebra.number(n), self.algebra.number(e)) for e, n in numbers.items()]  # fmt: skip

    def sum_form(self, p: Polynomial) -> Form:
        """A polynomial as a form."""
        terms = sorted(p.items(), reverse=True)
        return self.algebra.add([(self.algebra.multiply(self.powers(m)), c) for m, c in terms])  # fmt: skip

    def spread(self, u: Element) -> list[Term]:
        """An element multiplied out, over what stands below the bar."""
        self.factor(u)
        below: Factors = {a: e for a, e in u.factors.items() if e < 0}
        powers = self.powers(below.items())
        terms = sorted(self.expanded(u, below).items(), reverse=True)
        return [(self.algebra.multiply([*powers, *self.powers(m)]), c) for m, c in terms]  # fmt: skip

    def form(
        self,
        number: Rational,
        factors: Factors,
        sums: Iterable[tuple[Polynomial, int]] = (),
    ) -> Form:
        """A product of atoms and sums."""
        algebra = self.algebra
        out = self.powers(factors.items())
        out += [(self.sum_form(p), algebra.number(e)) for p, e in sums]
        apart = algebra.multiply(out, number)
        numbers = {e: b.parts[0] for b, e in out if b.number is not None and e.is_broken}  # fmt: skip
        if not self.roots or not numbers:
            return apart
        # a root of a number within one that is no number: sqrt(3)*sqrt(sec(x)) = sqrt(3*sec(x))
        rooted: list[Factor] = []
        for base, exponent in out:
            if base.number is None and exponent in numbers:
                base = algebra.multiply([(base, algebra.one)], numbers.pop(exponent))
            if base.number is None or not exponent.is_broken:
                rooted.append((base, exponent))
        rooted += [(algebra.number(n), e) for e, n in numbers.items()]
        whole = algebra.multiply(rooted, number)
        return whole if whole.cost < apart.cost else apart

    def forms(self, u: Element, most: int) -> Iterator[Form]:
        """With what is above and below the bar factored, and multiplied out; and term by term."""
        self.factor(u)
        for item in (u, self._with_one_bar(u)):
            if item is not None:
                sums = [a for a in item.factors if a in self.sums]
                if 2 * sum(len(self.sums[a]) for a in sums) < most:
                    yield from self.written(item)

    def _with_one_bar(self, u: Element) -> Element | None:
        """The fraction with what is below the bar multiplied out, which is shorter where roots fall out of it."""
        below = {
            a: -e for a, e in u.factors.items()
            if e < 0 and any(b in self.rules for m in self.sums.get(a, ()) for b, _ in m)
        }  # fmt: skip
        if sum(below.values()) < 2:
            return None
        try:
            own = self.polynomial(self.expanded(Element(self, 1, below), {}))
        except OutOfReachError:
            return None
        rest = Element(self, u.number, merged(u.factors, below))
        found = self.divide(rest, own)
        return None if found.factors == u.factors else found

    def written(self, u: Element, apart: bool = False) -> Iterator[Form]:
        """Ways to write an element, above and below the bar factored or multiplied out; `apart`, that above alone."""
        number, factors = self._roots_down(u)
        plain = {a: e for a, e in factors.items() if a not in self.sums}
        above = {a: e for a, e in factors.items() if e > 0 and a in self.sums}
        below = {a: e for a, e in factors.items() if e < 0 and a in self.sums}
        tops: list[Side] = [(above, [])]
        bottoms: list[Side] = [(below, [])]
        for own, sides, sign in ((above, tops, 1), (below, bottoms, -1)):
            several = sum(e * sign for e in own.values()) > 1
            p = self._as_one(own) if several and not (apart and sign < 0) else None
            if p:
                sides.append(({}, [(p, sign)]))
        found = [
            self.form(number, {**plain, **a, **b}, [*sums, *others])
            for (a, sums), (b, others) in product(tops, bottoms)
        ]
        yield from found
        if apart:
            return
        # with one sum above or below the bar that takes in what stands beside it
        cheap = min(form.cost for form in found) - WORTH
        up: Factors = {a: e for a, e in plain.items() if e > 0}
        down: Factors = {a: e for a, e in plain.items() if e < 0}
        flat_tops: list[Side] = [({**up, **above}, [])]
        flat_bottoms: list[Side] = [({**below, **down}, [])]
        for beside, own, sides, sign in ((up, above, flat_tops, 1), (down, below, flat_bottoms, -1)):  # fmt: skip
            p = self._as_one(own) if beside and own else None
            if p:
                single = polynomials.monomial({a: e * sign for a, e in beside.items()})
                sides.append(({}, [(self.product(p, {single: 1}), sign)]))
        for (a, sums), (b, more) in list(product(flat_tops, flat_bottoms))[1:]:
            flat = self.form(number, {**a, **b}, [*sums, *more])
            if flat.cost < cheap:
                yield flat
        # term by term above the bar: 1/x + 1/x^2 of (x + 1)/x^2
        last = tops[-1][1] or [(self.sums[a], int(e)) for a, e in above.items()]
        if len(last) == 1 and last[0][1] == 1 and len(last[0][0]) <= 4:
            terms: list[Term] = []
            for m, c in sorted(last[0][0].items(), reverse=True):
                term = self.monomial(number * c, merged({**plain, **below}, dict(m)))
                scale, left = self._roots_down(term)
                terms.append((self.form(1, left), scale))
            yield self.algebra.add(terms)

    def _as_one(self, factors: Factors) -> Polynomial | None:
        """Sums multiplied out; None if that is long."""
        total: Polynomial = {ONE: 1}
        try:
            for atom, e in factors.items():
                for _ in range(abs(int(e))):
                    total = self.product(total, self.sums[atom])
                    if len(total) > MOST_WRITTEN:
                        return None
        except OutOfReachError:
            return None
        return total

    def _roots_down(self, u: Element) -> tuple[Rational, Factors]:
        """r/u as 1/r for a root r of u, and 1 + tan(x)^2 as sec(x)^2."""
        number, factors = u.number, dict(u.factors)
        for atom, rule in self.rules.items():
            kind, is_above = self.atoms[atom].kind, factors.get(atom, 0) > 0
            is_root = kind == "root" and rule.unit == 1 and is_above
            if not rule.factors or not (is_root or kind == "power"):
                continue
            sign = -1 if is_root else 1
            count = min([sign * factors.get(a, 0) // e for a, e in rule.factors])
            if count > 0:
                k = sign * int(count)
                factors = merged(factors, {a: -e * k for a, e in rule.factors})
                factors = merged(factors, {atom: rule.unit * k})
                number = number * Fraction(rule.number) ** -k
        return least(number), factors

    # Double angles

    def doubled(self, u: Element, most: int) -> Iterator[Form]:
        """With functions of the double angle, where those of an angle occur in products of even degree only."""
        used = {a for atom in u.factors for m in self.sums.get(atom, {((atom, 1),): 1}) for a, _ in m}  # fmt: skip
        # atoms, and the sums that they stand for, stay shared with this field; the relations are its own
        from copy import copy

        double = copy(self)
        double.rules, double.products, double._done = dict(self.rules), [], {}
        double.work = Work(self.work.left)
        pairs: set[int] = set()
        for angle in self._angles:
            for sine, cosine, sign in ((table.SIN, table.COS, 1), (table.SINH, table.COSH, -1)):  # fmt: skip
                half = self._pair(sine, cosine, angle)
                if half is None or used.isdisjoint(half) or len(pairs) > 2:
                    continue
                twice = self.algebra.scaled(angle, 2)
                if self._pair(sine, cosine, twice) is not None:
                    return
                s, c = half
                two = [self.atom("power", (self.algebra.call(f, [twice]), None)) for f in (sine, cosine)]  # fmt: skip
                high: Polynomial = {((two[1], 1),): Fraction(1, 2), ONE: Fraction(1, 2)}
                low = {m: -sign * c if m else sign * c for m, c in high.items()}
                double.rules |= {
                    s: Rule(2, 1, (), low),
                    c: Rule(2, 1, (), high),
                    two[0]: Rule(2, 1, (), {((two[1], 2),): -sign, ONE: sign}),
                }
                double.products.append(Product((s, c), Fraction(1, 2), {two[0]: 1}))
                double._angles = {twice: None}
                pairs |= {s, c}
        if not pairs or not u.number:
            return
        try:
            found = double._doubled(self._with_one_bar(u) or u, pairs)
        except OutOfReachError:
            return
        yield from double.forms(found, most)
        yield from double.doubled(found, most)

    def _pair(
        self, sine: Operation, cosine: Operation, angle: Form
    ) -> tuple[int, int] | None:
        """The atoms of the sine and the cosine of an angle, if both occur, and no roots of them."""
        atoms = [self.numbers.get(("power", (self.algebra.call(f, [angle]), None))) for f in (sine, cosine)]  # fmt: skip
        if None in atoms or any(self._units.get(a, 1) > 1 for a in atoms if a is not None):  # fmt: skip
            return None
        return atoms[0], atoms[1]  # type: ignore[return-value] # not None

    def _doubled(self, u: Element, pairs: set[int]) -> Element:
        """The element by the relations of double angles. Raises `OutOfReachError` where an odd power is left."""
        result = self.element(u.number)
        pieces: list[tuple[Polynomial, int]] = [(self.sums[a], int(e)) for a, e in u.factors.items() if a in self.sums]  # fmt: skip
        for sign in (1, -1):
            own = {a: e * sign for a, e in u.factors.items() if a in pairs and e * sign > 0}  # fmt: skip
            pieces.append(({polynomials.monomial(own): 1}, sign))
        for p, e in pieces:
            reduced = self.reduced(p)
            if not reduced or any(a in pairs for m in reduced for a, _ in m):
                raise OutOfReachError
            part = self.polynomial(reduced)
            result = self.multiply(result, self.whole_power(part, e))
        rest = {a: e for a, e in u.factors.items() if a not in pairs and a not in self.sums}  # fmt: skip
        return self.multiply(result, Element(self, 1, rest))


_MOST_TERMS = 24
_MOST_FACTORED = 3000
"""Terms of a sum that is to be factored at any length."""
_MOST_FACTORS = 8
_MOST_POWER = 8
_MOST_DENOMINATORS = 4
_MOST_WORK = 3000
_MOST_LONG_WORK = 100_000

_REPLACED = (table.SIN, table.COS, table.SEC, table.COSH, table.SINH, table.TAN)  # fmt: skip
"""Functions whose squares are replaced where that leaves fewer terms."""


def is_plain_sum(algebra: Algebra, form: Form) -> bool:
    """Return whether a form is a sum of powers of variables, as people write it: 1/x - 1/x^2."""
    return form.kind == "sum" and all(
        rest is None and base.kind in ("leaf", "number")
        for part, _ in form.parts[0]
        for base, rest in algebra.once(table_of, part)
    )


def is_power(form: Form) -> bool:
    """Return whether a form is a product with a power of a sum in it."""
    return any(
        base.kind == "sum" and exponent.kind == "number" and abs(exponent.parts[0]) > 1
        for base, exponent in form.factors
    )


class Shortening:
    """Writes the sums and products of a formula the shortest way."""

    def __init__(self, algebra: Algebra, root: Form) -> None:
        self.algebra = algebra
        self.field = Fractions(algebra, root, whole=False, roots=False, opaque=True)
        self._done: dict[Form, Form] = {}
        self._pairs: dict[Form, Form] = {}

    def shortest(self, root: Form) -> Form:
        """The form with every sum and product in it written the shortest way."""
        return each_part(root, self._rebuilt, self._done)

    def _rebuilt(self, form: Form) -> Form:
        algebra, done = self.algebra, self._done
        if form.kind == "call":
            operation, arguments = form.parts
            return algebra.applied(operation, [done[a] for a in arguments])
        if form.kind == "product":
            scale, factors = form.parts
            return self.product(algebra.multiply([(done[b], done[e]) for b, e in factors], scale))  # fmt: skip
        if form.kind == "sum":
            return self.sum(algebra.add([(done[f], c) for f, c in form.parts[0]]))
        return form

    # Products

    def product(self, form: Form) -> Form:
        """The best of a product as it is, without fractions in its sums, cancelled, contents out, pairs spread."""
        factors = form.factors
        if not factors or len(factors) > _MOST_FACTORS:
            return form
        form = _as_ratio(self.algebra, form)
        if all(base.kind != "sum" for base, _ in form.factors):
            return form
        field = self.field
        field.work = Work(_MOST_WORK)
        with suppress(OutOfReachError):
            # sums without a common number or variable in them, and then without anything in common
            u = field.read(form)
            for own in (u, field.refined(u)):
                candidate = field.form(own.number, own.factors)
                form = candidate if candidate.cost <= form.cost else form
        paired = self._paired(form)
        return turned(self.algebra, paired if paired.cost <= form.cost else form)

    def _paired(self, form: Form) -> Form:
        """A product of two sums multiplied out where that is shorter: (1 - x)*(1 + x) = 1 - x^2."""
        if form in self._pairs:
            return self._pairs[form]
        # where it is factored again at the same cost, it ends there
        self._pairs[form] = form
        factors = form.factors
        sums = [(b, e) for b, e in factors if b.kind == "sum"][:_MOST_FACTORS]
        for (one, power), (other, same) in combinations(sums, 2):
            most = max(len(one.parts[0]), len(other.parts[0]))
            if power is not same or most > 4:
                continue
            products = [(self.algebra.times(f, g), c * d) for f, c in one.parts[0] for g, d in other.parts[0]]  # fmt: skip
            whole = self.algebra.add(products)
            if whole is self.algebra.zero or (whole.kind == "sum" and len(whole.parts[0]) > most):  # fmt: skip
                continue
            whole = self.sum(whole)
            rest = [f for f in factors if f[0] not in (one, other)]
            new = self.algebra.multiply([*rest, (whole, power)], form.parts[0])
            if new.cost <= form.cost:
                self._pairs[form] = self._paired(new)
                break
        return self._pairs[form]

    # Sums

    def sum(self, form: Form) -> Form:
        """The best of a sum as it is, and as one product: multiplied out, or factored."""
        if form.kind != "sum" or len(form.parts[0]) > _MOST_TERMS:
            return form
        if any(len(part.factors) > _MOST_FACTORS for part, _ in form.parts[0]):
            return form
        best = form
        with suppress(OutOfReachError):
            for candidate in self._candidates(form):
                candidate = turned(self.algebra, candidate)
                if candidate.cost <= best.cost:
                    best = candidate
        if best.kind == "product" and best is not form:
            return self.product(best)
        return turned(self.algebra, best)

    def _candidates(self, form: Form) -> Iterator[Form]:
        """Ways to write the sum, the shortest last where they are equally long."""
        field, algebra = self.field, self.algebra
        if is_plain_sum(algebra, form):
            return
        field.work = Work(_MOST_WORK)
        terms = [field.scaled(field.read(f), c) for f, c in form.parts[0]]
        for u in terms:
            field.factor(u)
        common = self._common(terms)
        rest = [Element(field, u.number, merged(u.factors, {a: -e for a, e in common.items()})) for u in terms]  # fmt: skip
        # 2*x*sin(x) + x^2*cos(x) stays: worth taking out are functions, roots, sums, and what is below a bar
        heavy = any(e < 0 or self._base(a).kind not in ("leaf", "number") for a, e in common.items()) or any(a in field.sums for u in rest for a in u.factors)  # fmt: skip
        if not heavy:
            squared = {a for u in terms for a, e in u.factors.items() if e >= 2}
            if any(self._is_replaced(a) for a in squared):
                yield from self._expanded(common, rest)
            return
        # sums below the bar of several terms, and not of all
        sums = {a: None for u in terms for a, e in u.factors.items() if e < 0 and a in field.sums}  # fmt: skip
        for below in list(sums)[:_MOST_DENOMINATORS]:
            if not 1 < sum(u.factors.get(below, 0) < 0 for u in terms) < len(terms):
                continue
            parts = [(t, u.factors.get(below, 0) < 0) for t, u in zip(form.parts[0], terms, strict=True)]  # fmt: skip
            shared = algebra.add([t for t, own in parts if own])
            short = self.sum(shared)
            if short is not shared:
                yield algebra.add([*(t for t, own in parts if not own), (short, 1)])
        field.work = Work(_MOST_WORK)
        if not any(common.get(a, 0) < 0 and field.atoms[a].kind in ("sum", "root") for u in rest for a in u.factors):  # fmt: skip
            numbers = [u.number for u in rest]
            sign = -1 if all(c < 0 for c in numbers) else 1
            divisor = sign * polynomials.greatest_divisor(numbers)
            inside = [(field.form(1, u.factors), over(u.number, divisor)) for u in rest]
            outside = field.powers(common.items())
            whole = algebra.add(inside), algebra.one
            yield algebra.multiply([*outside, whole], divisor)
        yield from self._expanded(common, rest)

    def _base(self, atom: int) -> Form:
        """Return what an atom is: a variable, a function, a number whose root is taken; 1/0 of sums and of x^n."""
        kind, meaning, _ = self.field.atoms[atom]
        is_power = kind == "power" and meaning[1] is None
        return meaning[0] if is_power else self.algebra.nowhere

    def _is_replaced(self, atom: int) -> bool:
        base = self._base(atom)
        return base.kind == "call" and base.parts[0] in _REPLACED

    def _common(self, terms: list[Element]) -> Factors:
        """The power of each atom that every term has; a missing one is 0, but not of an exponential."""
        common = dict(self.field.common(terms))
        for atom, least_power in self.field.common(terms).items():
            kind, meaning, _ = self.field.atoms[atom]
            powers = [u.factors.get(atom, 0) for u in terms]
            if kind != "power" or meaning[1] is None:
                continue
            if meaning[0].is_euler:
                # e^x and e^-x have nothing in common; from e^-x + e^(-2*x), e^-x is taken out
                common[atom] = least_power if least_power > 0 else min(max(powers), 0)
            elif not all(powers):
                common[atom] = 0
        return {atom: power for atom, power in common.items() if power}

    def _expanded(self, common: Factors, rest: list[Element]) -> Iterator[Form]:
        """The sum with what is left multiplied out, and that factored.

        Squares of functions are replaced where that leaves fewer terms.
        """
        field = self.field
        total: Polynomial = {}
        for u in rest:
            accumulate(total, field.expanded(u, {}).items())
        for atom in filter(self._is_replaced, polynomials.generators(total)):
            operation, arguments = field.atoms[atom].meaning[0].parts
            other, sign, constant = SQUARES[operation]
            own = field.atom("power", (self.algebra.call(other, arguments), None))
            field.rules[atom] = Rule(2, 1, (), {((own, 2),): sign, ONE: constant})
            # in this sum alone, for which the relation is put in and taken out again
            changed = field.reduced(total)
            total = changed if len(changed) < len(total) else total
            del field.rules[atom]
        if not total:
            yield self.algebra.zero
            return
        u = field.refined(field.cancelled(total, common))
        sums = [e for a, e in u.factors.items() if a in field.sums]
        if sums == [1] and all(a in field.sums or (e > 0 and e.denominator == 1 and self._base(a).kind in ("leaf", "number")) for a, e in u.factors.items()):  # fmt: skip
            yield self.algebra.add(field.spread(u))
        else:
            yield from reversed([*field.written(u, apart=True)])

    # As a whole

    def fractions(self, root: Form, most: int) -> Iterator[list[Form]]:
        """Ways to write a formula as one fraction, in groups; none of what would cost much more than `most`."""
        inside = [*walk(root)]
        if len(inside) > MOST_PARTS:
            return
        called = {f.parts[0] for f in inside if f.kind == "call"}
        for relations in _ways(called):
            try:
                field = Fractions(self.algebra, root, relations)
                u = field.read(root)
                found = list(field.forms(u, most))
                if relations.two:
                    found += field.doubled(u, most)
                yield found
            except OutOfReachError:
                continue


def _ways(called: set[Operation]) -> Iterator[Relations]:
    """Yield whether functions are written with two of them, and those whose squares are kept."""
    families = [f for f in (PERIODIC, HYPERBOLIC) if not called.isdisjoint(f)]
    if not families:
        yield Relations()
        return
    if called & set(IN_TWO):
        yield Relations(False, frozenset((table.COS, table.COSH)))
    circles = (table.SIN, table.COS) if PERIODIC in families else (table.COS,)  # fmt: skip
    hyperbolas = (table.SINH, table.COSH) if HYPERBOLIC in families else (table.COSH,)  # fmt: skip
    for kept in product(circles, hyperbolas):
        yield Relations(True, frozenset(kept))


# As a product, and multiplied out


def factored(algebra: Algebra, form: Form) -> Form:
    """A form as a product of factors, sums irreducible over the rationals unless they are too large for that."""
    if form.kind not in ("sum", "product"):
        return form
    field = Fractions(
        algebra, form, work=_MOST_LONG_WORK, roots=False, most=_MOST_FACTORED
    )
    factors = form.factors or ((form, algebra.one),)
    scale = form.parts[0] if form.factors else 1
    sums = [f for f in factors if f[0].kind == "sum" and f[1].is_whole]
    others = [f for f in factors if f not in sums]
    try:
        u = field.read(algebra.multiply(sums))
        field.factor(u)
    except OutOfReachError:
        return form
    product = [*others, (field.form(u.number, u.factors), algebra.one)]
    return turned(algebra, algebra.multiply(product, scale), powers=True)


def spread(algebra: Algebra, form: Form) -> Form:
    """A form multiplied out: a sum without brackets, or that over what stood below the bar."""
    field = Fractions(algebra, form, work=_MOST_LONG_WORK, whole=False, roots=False)
    below = [f for f in form.factors if is_below(*f)]
    if all(b.kind != "sum" for b, _ in below):
        below = []
    above = [f for f in form.factors if f not in below]
    inside = algebra.multiply(above, form.parts[0]) if below else form
    try:
        own = [(field.read(part), c) for part, c in algebra.terms(inside)]
        for u, _ in own:
            field.factor(u)
        powers = [e for u, _ in own for a, e in u.factors.items() if a in field.sums]
        if not 0 < max(powers, default=0) <= _MOST_POWER:
            return form
        terms = [(f, c * d) for u, c in own for f, d in field.spread(u)]
    except OutOfReachError:
        return form
    # one bar for all: (3*x^2 + 5*x + 2)/6
    bar = math.lcm(*(c.denominator for _, c in terms))
    total = algebra.add([(f, c * bar) for f, c in terms]), algebra.one
    return algebra.multiply([total, *below], Fraction(1, bar))


def _as_ratio(algebra: Algebra, form: Form) -> Form:
    """A product with sin(u)/cos(u) as tan(u), and cosh(u) below the bar as sech(u) above it."""
    factors = dict(form.factors)
    for ratio in (table.TAN, table.COT, table.TANH, table.COTH, table.SECH):
        (first, sign), *rest = IN_TWO[ratio]
        for base, exponent in form.factors:
            power = (exponent.number or 0) * sign
            if base.kind != "call" or base.parts[0] is not first or power <= 0:
                continue
            own = {algebra.call(f, base.parts[1]): algebra.number(e * power) for f, e in rest}  # fmt: skip
            if any(factors.get(other) is not e for other, e in own.items()):
                continue
            left = [f for f in form.factors if f[0] is not base and f[0] not in own]
            whole = algebra.call(ratio, base.parts[1]), algebra.number(power)
            found = algebra.multiply([*left, whole], form.parts[0])
            return _as_ratio(algebra, found) if found.cost <= form.cost else form
    return form


def turned(algebra: Algebra, form: Form, powers: bool = False) -> Form:
    """A negative product with a difference in it, turned round: -x*(3 - x^2) = x*(x^2 - 3)."""
    factors = form.factors
    if not factors or form.parts[0] > 0:
        return form
    if form.parts[0] == -1 and len(factors) == 1 and factors[0][1] is algebra.one:
        return algebra.add([(form, 1)])
    for i, (base, exponent) in enumerate(factors):
        is_odd = exponent.is_whole and exponent.parts[0] % 2 == 1
        turns = exponent is algebra.one or (powers and is_odd)
        if base.kind == "sum" and turns and any(c < 0 for _, c in base.parts[0]):
            other = algebra.add([(f, -c) for f, c in base.parts[0]])
            rest = [f for j, f in enumerate(factors) if j != i]
            return algebra.multiply([*rest, (other, exponent)], -form.parts[0])
    return form
