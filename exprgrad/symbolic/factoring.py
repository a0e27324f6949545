"""The shortest of several ways to write a formula: as it is, as one fraction, factored.

    4*(2*x - 4)*(x^2 + 1)^3 + ...       common powers are taken out, and what is left is a polynomial in
                                        variables, functions and roots, which is multiplied out or factored
    (x^2 - 1)/(x - 1)                   sums above and below a fraction bar are divided by their greatest
                                        common divisor
    sec(x)^2/(1 + tan(x)^2)             a whole formula is one fraction, reduced by relations of functions and roots

Factors that are variables stay where they are (2*x*sin(x) + x^2*cos(x) is how people write it). Multiplying out,
factoring and dividing are bounded work; what takes more stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from itertools import product as choices
from math import gcd, lcm

from exprgrad.algebra import polynomials
from exprgrad.algebra.field import Element
from exprgrad.algebra.polynomials import (
    Factors,
    Polynomial,
    Rational,
    accumulate,
    common_divisor,
    merged,
    primitive,
    quotient,
)
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.operations import table as operations
from exprgrad.operations.operation import Operation
from exprgrad.symbolic.forms import Algebra, Factor, Form, Term, each_part, least, over
from exprgrad.symbolic.fractions import (
    HYPERBOLIC,
    IN_TWO,
    PERIODIC,
    SQUARES,
    Fractions,
    Relations,
    table_of,
    walk,
)

_MOST_TERMS = 24
_MOST_FACTORED = 3000
"""Terms of a sum that is to be factored at any length."""
_MOST_EXPANDED = 12
_MOST_FACTORS = 8
_MOST_POWER = 8
_MOST_DENOMINATORS = 4
_MOST_WORK = 3000
_MOST_LONG_WORK = 100_000

_REPLACED = (operations.SIN, operations.COS, operations.SEC, operations.COSH, operations.SINH, operations.TAN)  # fmt: skip
"""Functions whose squares are replaced where that leaves fewer terms."""


def is_plain_sum(algebra: Algebra, form: Form) -> bool:
    """Whether a form is a sum of powers of variables, as people write it: 1/x - 1/x^2."""
    return form.kind == "sum" and all(
        rest is None and base.kind in ("leaf", "number")
        for part, _ in form.parts[0]
        for base, rest in algebra.once(table_of, part)
    )


def is_power(form: Form) -> bool:
    """Whether a form is a product with a power of a sum in it."""
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

    def shortest(self, root: Form) -> Form:
        """The form with every sum and product in it written the shortest way."""
        return each_part(root, self._rebuilt, self._done)

    def _rebuilt(self, form: Form) -> Form:
        algebra, done = self.algebra, self._done
        if form.kind == "call":
            operation, arguments = form.parts
            return algebra.call(operation, [done[a] for a in arguments])
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
        self.field.work = Work(_MOST_WORK)
        for candidate in self._reduced(form):
            if candidate.cost <= form.cost:
                form = candidate
        paired = self._paired(form)
        return turned(self.algebra, paired if paired.cost <= form.cost else form)

    def _reduced(self, form: Form) -> Iterator[Form]:
        """A product whose sums have no common number or variable in them, and then nothing in common."""
        field = self.field
        try:
            u = field.read(form)
            yield field.form(u.number, u.factors)
            refined = field.refined(u.factors)
            for atom in [a for a in refined if field.is_new(a)]:
                e, parts = int(refined[atom]), field.irreducible(field.sums[atom])
                refined = merged(refined, {atom: -e})
                for p, power in parts:
                    refined = merged(refined, {field.sum_atom(p): e * power})
            if refined is not u.factors:
                yield field.form(u.number, refined)
        except OutOfReachError:
            return

    def _paired(self, form: Form) -> Form:
        """A product of two sums multiplied out where that is shorter: (1 - x)*(1 + x) = 1 - x^2."""
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
                return self._paired(new)
        return form

    # Sums

    def sum(self, form: Form) -> Form:
        """The best of a sum as it is, and as one product: multiplied out, or factored."""
        if form.kind != "sum" or len(form.parts[0]) > _MOST_TERMS:
            return form
        if any(len(part.factors) > _MOST_FACTORS for part, _ in form.parts[0]):
            return form
        best = form
        try:
            for candidate in self._candidates(form):
                if candidate.cost <= best.cost:
                    best = candidate
        except OutOfReachError:
            pass
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
        heavy = any(e < 0 or not self._is_variable(a) for a, e in common.items()) or any(a in field.sums for u in rest for a in u.factors)  # fmt: skip
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
            divisor = content([u.number for u in rest])
            inside = [(field.form(1, u.factors), over(u.number, divisor)) for u in rest]
            yield self._times(common, divisor, [(algebra.add(inside), 1)])
        yield from self._expanded(common, rest)

    def _base(self, atom: int) -> Form | None:
        """What an atom is: a variable, a function, a number whose root is taken; None of sums and of x^n."""
        kind, meaning, _ = self.field.atoms[atom]
        return meaning[0] if kind == "power" and meaning[1] is None else None

    def _is_variable(self, atom: int) -> bool:
        """Whether an atom is a variable or the root of a number."""
        base = self._base(atom)
        return base is not None and base.kind in ("leaf", "number")

    def _is_replaced(self, atom: int) -> bool:
        base = self._base(atom)
        return base is not None and base.kind == "call" and base.parts[0] in _REPLACED

    def _common(self, terms: list[Element]) -> Factors:
        """The power of each atom that every term has; a missing one is 0, but not of an exponential."""
        common: Factors = {}
        for atom in {a: None for u in terms for a in u.factors}:
            powers = [u.factors.get(atom, 0) for u in terms]
            own = min(powers)
            kind, meaning, _ = self.field.atoms[atom]
            if kind == "power" and meaning[1] is not None:
                if meaning[0].is_euler:
                    signs = {(e > 0) - (e < 0) for e in powers}
                    own = 0 if len(signs) > 1 else max(powers) if own < 0 else own
                elif not all(powers):
                    own = 0
            if own:
                common[atom] = own
        return common

    def _times(
        self, factors: Factors, scale: Rational, sums: list[tuple[Form, int]]
    ) -> Form:
        powers = [(form, self.algebra.number(e)) for form, e in sums]
        whole = [*self.field.powers(factors.items()), *powers]
        return turned(self.algebra, self.algebra.multiply(whole, scale))

    def _expanded(self, common: Factors, rest: list[Element]) -> Iterator[Form]:
        """The sum with what is left multiplied out, and that factored."""
        field, total = self.field, self._total(rest)
        if not total:
            yield self.algebra.zero
            return
        number, monomial, p = primitive(total)
        factors, sums, p = self._divided(merged(common, dict(monomial)), p)
        form = field.sum_form(p)
        if len(p) > 1 and not sums and all(e > 0 and e.denominator == 1 and self._is_variable(a) for a, e in factors.items()):  # fmt: skip
            powers = field.powers(factors.items())
            yield self.algebra.add([(self.algebra.multiply([*powers, (f, self.algebra.one)]), c * number) for f, c in self.algebra.terms(form)])  # fmt: skip
        else:
            yield self._times(factors, number, [*sums, (form, 1)])
        if 1 < len(p) <= _MOST_EXPANDED:
            found = field.irreducible(p)
            if len(found) > 1 or found[0][1] > 1:
                several = [(field.sum_form(q), e) for q, e in found]
                yield self._times(factors, number, [*sums, *several])

    def _total(self, rest: list[Element]) -> Polynomial:
        """A sum multiplied out, with squares of functions replaced where that leaves fewer terms."""
        field = self.field
        total: Polynomial = {}
        for u in rest:
            if any(e > _MOST_POWER and a in field.sums for a, e in u.factors.items()):
                raise OutOfReachError
            below: Factors = {a: e for a, e in u.factors.items() if e < 0}
            p = field.expanded(u, below)
            if len(p) > 4 * _MOST_TERMS:
                raise OutOfReachError
            least_powers = {a: e for a, e in below.items() if a not in field.sums}
            if below and len(least_powers) < len(below):
                raise OutOfReachError
            if below:
                p = polynomials.product(p, {polynomials.monomial(below): 1}, field.work)
            accumulate(total, p.items())
        for atom in filter(self._is_replaced, polynomials.generators(total)):
            operation, arguments = field.atoms[atom].meaning[0].parts
            other, sign, constant = SQUARES[operation]
            own = field.atom("power", (self.algebra.call(other, arguments), None))
            square: Polynomial = {((own, 2),): sign, (): constant}
            changed: Polynomial = {}
            for e, rest_of_it in polynomials.by_power(total, atom).items():
                count = max(int(e // 2), 0)
                image = polynomials.power(square, count, field.work)
                if e != 2 * count:
                    left: Polynomial = {((atom, e - 2 * count),): 1}
                    image = polynomials.product(image, left, field.work)
                more = polynomials.product(rest_of_it, image, field.work)
                accumulate(changed, more.items())
            if len(changed) < len(total):
                total = changed
        return total

    def _divided(
        self, factors: Factors, p: Polynomial
    ) -> tuple[Factors, list[tuple[Form, int]], Polynomial]:
        """The polynomial without the factors that it shares with sums outside, which take them in."""
        field, factors = self.field, dict(factors)
        changed: list[tuple[Form, int]] = []
        for atom in [a for a in factors if a in field.sums]:
            own = field.sums[atom]
            while (less := quotient(p, own, field.work)) is not None:
                p = less
                factors = merged(factors, {atom: 1})
            if factors.get(atom, 0) >= 0 or len(p) == 1:
                continue
            shared = common_divisor(own, p, field.work)
            rest = quotient(own, shared, field.work)
            if len(shared) > 1 and rest is not None:
                power = int(factors.pop(atom))
                while (less := quotient(p, shared, field.work)) is not None:
                    p = less
                    changed.append((field.sum_form(shared), 1))
                changed += [(field.sum_form(shared), power), (field.sum_form(rest), power)]  # fmt: skip
        return factors, changed, p

    # As a whole

    def fractions(self, root: Form, most: int) -> Iterator[list[Form]]:
        """Ways to write a formula as one fraction, in groups; none of what would cost much more than `most`."""
        inside = walk(root)
        if inside is None:
            return
        called = {f.parts[0] for f in inside if f.kind == "call"}
        replaced = True
        for relations in _ways(called):
            if not replaced:
                replaced = True
                continue
            try:
                field = Fractions(self.algebra, root, relations)
                u = field.read(root)
                replaced = not relations.two or field.replaced
                found = list(field.forms(u, most))
                if relations.two:
                    found += field.doubled(u, most)
                yield found
            except OutOfReachError:
                continue


def _ways(called: set[Operation]) -> Iterator[Relations]:
    """Whether functions are written with two of them, and those whose squares are kept."""
    families = [f for f in (PERIODIC, HYPERBOLIC) if not called.isdisjoint(f)]
    if not families:
        yield Relations()
        return
    if called & set(IN_TWO):
        yield Relations(False, frozenset((operations.COS, operations.COSH)))
    circles = (operations.SIN, operations.COS) if PERIODIC in families else (operations.COS,)  # fmt: skip
    hyperbolas = (operations.SINH, operations.COSH) if HYPERBOLIC in families else (operations.COSH,)  # fmt: skip
    for kept in choices(circles, hyperbolas):
        yield Relations(True, frozenset(kept))


def is_settled(found: Form) -> bool:
    """Whether a product has no roots, and no functions of an angle, that could be related."""
    inside = walk(found) if found.kind == "product" else None
    return inside is not None and not any(
        (f.kind == "call" and f.parts[0] in (*PERIODIC, *HYPERBOLIC))
        or (f.kind == "product" and any(e.kind == "number" and e.parts[0].denominator > 1 for _, e in f.parts[1]))
        for f in inside
    )  # fmt: skip


# As a product, and multiplied out


def factors_of(algebra: Algebra, form: Form) -> tuple[Factor, ...]:
    """The factors of a form, sums factored as far as that is easy; without its number."""
    form = factored(algebra, form)
    if form.kind == "product":
        return form.factors
    return () if form.kind == "number" else ((form, algebra.one),)


def factored(algebra: Algebra, form: Form) -> Form:
    """A form as a product of factors, sums irreducible over the rationals unless they are too large for that."""
    if form.kind not in ("sum", "product"):
        return form
    field = Fractions(
        algebra, form, work=_MOST_LONG_WORK, roots=False, most=_MOST_FACTORED
    )
    scale, factors = (
        form.parts if form.kind == "product" else (1, ((form, algebra.one),))
    )
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
    below = [(b, e) for b, e in form.factors if e.kind == "number" and e.parts[0] < 0 and not b.is_euler]  # fmt: skip
    if all(b.kind != "sum" for b, _ in below):
        below = []
    above = [f for f in form.factors if f not in below]
    inside = algebra.multiply(above, form.parts[0]) if below else form
    terms: list[Term] = []
    has_sums = False
    try:
        for part, c in algebra.terms(inside):
            u = field.read(part)
            field.factor(u)
            if any(e > _MOST_POWER and a in field.sums for a, e in u.factors.items()):
                return form
            has_sums = has_sums or any(a in field.sums and e > 0 for a, e in u.factors.items())  # fmt: skip
            terms += [(f, c * d) for f, d in field.spread(u)]
    except OutOfReachError:
        return form
    if not has_sums:
        return form
    bar = lcm(*(c.denominator for _, c in terms))
    total = algebra.add([(f, c * bar) for f, c in terms]), algebra.one
    return algebra.multiply([total, *below], Fraction(1, bar))


def _as_ratio(algebra: Algebra, form: Form) -> Form:
    """A product with sin(u)/cos(u) as tan(u), and cosh(u) below the bar as sech(u) above it."""
    factors = dict(form.factors)
    called = [b for b, e in factors.items() if b.kind == "call" and b.parts[0] in _RATIOS and e.number]  # fmt: skip
    called.sort(key=lambda b: b.parts[0] is operations.COSH)
    for base in called:
        operation, arguments = base.parts
        exponent = factors[base]
        power = exponent.number or 0
        below, ratio = _RATIOS[operation]
        opposite = algebra.number(-power)
        other = None if below is None else algebra.call(below, arguments)
        up = power > 0
        if (factors.get(other) is not opposite) if other is not None else up:
            continue
        inverse = operations.COT if operation is operations.SIN else operations.COTH
        new = algebra.call(ratio if up or other is None else inverse, arguments)
        rest = [f for f in factors.items() if f[0] not in (base, other)]
        turned = new, exponent if up else opposite
        found = algebra.multiply([*rest, turned], form.parts[0])
        return _as_ratio(algebra, found) if found.cost <= form.cost else form
    return form


_RATIOS: dict[Operation, tuple[Operation | None, Operation]] = {
    operations.SIN: (operations.COS, operations.TAN),
    operations.SINH: (operations.COSH, operations.TANH),
    operations.COSH: (None, operations.SECH),
}
"""What f(u)/g(u), or 1/f(u) where g is None, is called."""


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


def content(coefficients: list[Rational]) -> Rational:
    """The greatest common divisor of the coefficients, negative if all of them are."""
    top, bottom = 0, 1
    for c in coefficients:
        top, bottom = gcd(top, abs(c.numerator)), lcm(bottom, c.denominator)
    sign = -1 if all(c < 0 for c in coefficients) else 1
    return least(Fraction(sign * top, bottom))
