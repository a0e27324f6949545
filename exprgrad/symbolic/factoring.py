"""The shortest of several ways to write a sum: as it is, or with common factors taken out.

Factors that are variables stay where they are (2*x*sin(x) + x^2*cos(x) is how people write it);
exponentials, functions and powers of sums are taken out where that saves operations, and what is left
is multiplied out where that saves more: 1/(x^2+1) - 2*x^2/(x^2+1)^2 becomes (1 - x^2)/(x^2+1)^2.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import gcd, lcm

from exprgrad.symbolic.forms import (
    CALL,
    LEAF,
    NUMBER,
    PRODUCT,
    SUM,
    Algebra,
    Factor,
    Form,
    Term,
    parts,
)

_MOST_EXPANDED = 12
_MOST_FACTORS = 8


def shortest(algebra: Algebra, root: Form) -> Form:
    """The form with every sum in it written the shortest way."""
    done: dict[Form, Form] = {}
    stack = [root]
    while stack:
        form = stack[-1]
        waiting = [part for part in parts(form) if part not in done]
        if waiting:
            stack += waiting
        else:
            stack.pop()
            if form not in done:
                done[form] = _rebuilt(algebra, form, done)
    return done[root]


def _rebuilt(algebra: Algebra, form: Form, done: dict[Form, Form]) -> Form:
    if form.kind == CALL:
        operation, arguments = form.parts
        return algebra.call(operation, [done[a] for a in arguments])
    if form.kind == PRODUCT:
        scale, factors = form.parts
        product = algebra.multiply([(done[b], done[e]) for b, e in factors], scale)
        return _short_product(algebra, product)
    if form.kind == SUM:
        return _short_sum(
            algebra, algebra.add([(done[f], c) for f, c in form.parts[0]])
        )
    return form


def _short_product(algebra: Algebra, form: Form) -> Form:
    """The best of a product as it is, without fractions in its sums, contents out, pairs spread."""
    if len(_factors(form) or ()) > _MOST_FACTORS:
        return form
    for rewrite in (_cleared, _without_contents, _paired, _turned):
        candidate = rewrite(algebra, form)
        if candidate.cost <= form.cost:
            form = candidate
    return form


def _short_sum(algebra: Algebra, form: Form) -> Form:
    """The best of a sum as it is, multiplied out, over a common denominator, or factored."""
    if form.kind != SUM or len(form.parts[0]) > _MOST_EXPANDED:
        return form
    if any(len(_factors(part) or ()) > _MOST_FACTORS for part, _ in form.parts[0]):
        return form
    best = form
    for candidate in [
        _spread(algebra, form),
        *_together(algebra, form),
        *_factored(algebra, form),
    ]:
        if candidate.cost < best.cost:
            best = candidate
    return _turned(algebra, best)


def _spread(algebra: Algebra, form: Form) -> Form:
    """A sum with the products in it multiplied out."""
    terms: list[Term] = []
    for part, coefficient in form.parts[0]:
        spread = expanded(algebra, part)
        if spread is None:
            return form
        terms += [(f, c * coefficient) for f, c in spread]
    return algebra.add(terms)


def _together(algebra: Algebra, form: Form) -> Iterator[Form]:
    """The fractions of a sum that share a denominator, and its monomials, over that denominator."""
    terms = form.parts[0]
    depths: dict[Form, Fraction] = {}
    for part, _ in terms:
        for base, exponent in _factors(part) or ():
            if base.kind == SUM and _is_whole(exponent) and exponent.parts[0] < 0:
                depths[base] = max(depths.get(base, Fraction(0)), -exponent.parts[0])
    for base, depth in depths.items():
        power = (base, algebra.number(depth))
        rest: list[Term] = []
        above: list[Term] = []
        for part, coefficient in terms:
            inside = any(b is base for b, _ in _factors(part) or ()) or _is_monomial(
                part
            )
            product = algebra.multiply([(part, algebra.one), power]) if inside else part
            spread = expanded(algebra, product) if inside else None
            target = rest if spread is None else above
            target += (
                [(part, coefficient)]
                if spread is None
                else [(f, c * coefficient) for f, c in spread]
            )
        top = algebra.add(above)
        fraction = algebra.multiply(
            [(top, algebra.one), (base, algebra.number(-depth))]
        )
        yield algebra.add([*rest, (_without_contents(algebra, fraction), Fraction(1))])


def _factored(algebra: Algebra, form: Form) -> Iterator[Form]:
    """A sum with its common factors taken out, if there is one among them that is no plain variable."""
    terms = form.parts[0]
    common = _common(algebra, terms)
    heavy = [f for f in common if _is_heavy(*f)]
    if not heavy or all(_is_monomial(f) for f, _ in terms):
        return
    best: Form | None = None
    for factors in (heavy, common):
        for spread in (False, True):
            candidate = _divided(algebra, terms, factors, spread)
            if candidate is not None and (best is None or candidate.cost <= best.cost):
                best = candidate
    if best is not None:
        yield best


def _without_contents(algebra: Algebra, form: Form) -> Form:
    """A product whose sums have no common number or variable in them: x*(2*x^2 + 4*x) = 2*x^2*(x + 2)."""
    factors = _factors(form) or ()
    changed: list[Factor] = []
    scale = form.parts[0] if factors else Fraction(1)
    for base, exponent in factors:
        if base.kind != SUM or exponent is not algebra.one:
            changed.append((base, exponent))
            continue
        terms = base.parts[0]
        divisor = _content([c for _, c in terms])
        common = [f for f in _common(algebra, terms) if f[1].kind == NUMBER]
        minus = [(b, algebra.scaled(e, Fraction(-1))) for b, e in common]
        inner = [
            (algebra.multiply([(f, algebra.one), *minus]), c / divisor)
            for f, c in terms
        ]
        changed += [*common, (algebra.add(inner), algebra.one)]
        scale *= divisor
    return algebra.multiply(changed, scale) if factors else form


def _turned(algebra: Algebra, form: Form) -> Form:
    """A negative product with a difference in it, turned round: -x*(3 - x^2) = x*(x^2 - 3)."""
    factors = _factors(form) or ()
    if not factors or form.parts[0] > 0:
        return form
    for i, (base, exponent) in enumerate(factors):
        if (
            base.kind == SUM
            and exponent is algebra.one
            and any(c < 0 for _, c in base.parts[0])
        ):
            turned = algebra.add([(f, -c) for f, c in base.parts[0]])
            rest = [f for j, f in enumerate(factors) if j != i]
            return algebra.multiply([*rest, (turned, algebra.one)], -form.parts[0])
    return form


def _paired(algebra: Algebra, form: Form) -> Form:
    """A product of two sums multiplied out where that is shorter: (1 - x)*(1 + x) = 1 - x^2."""
    factors = _factors(form) or ()
    sums = [(b, e) for b, e in factors if b.kind == SUM]
    if len(sums) != 2 or sums[0][1] is not sums[1][1]:
        return form
    exponent = sums[0][1]
    product = algebra.multiply([(b, algebra.one) for b, _ in sums])
    spread = expanded(algebra, product)
    if spread is None:
        return form
    rest = [f for f in factors if f not in sums]
    return algebra.multiply([*rest, (algebra.add(spread), exponent)], form.parts[0])


def _is_monomial(form: Form) -> bool:
    """Whether a term has only variables and constants in it, to numeric powers."""
    factors = _factors(form) or ((form, None),)
    return all(
        base.kind in (LEAF, NUMBER) and (exponent is None or exponent.kind == NUMBER)
        for base, exponent in factors
    )


def _cleared(algebra: Algebra, form: Form) -> Form:
    """A product whose sums have no fractions in them, if that is shorter: 1/(x/a + 1) = a/(x + a)."""
    factors = _factors(form) or ()
    changed: list[Factor] = []
    for base, exponent in factors:
        below = _denominator(algebra, base) if _is_whole(exponent) else []
        if not below:
            changed.append((base, exponent))
            continue
        terms = [
            (algebra.multiply([(f, algebra.one), *below]), c) for f, c in base.parts[0]
        ]
        changed.append((algebra.add(terms), exponent))
        changed += [
            (b, algebra.times(e, algebra.scaled(exponent, Fraction(-1))))
            for b, e in below
        ]
    return algebra.multiply(changed, form.parts[0]) if factors else form


def _denominator(algebra: Algebra, form: Form) -> list[Factor]:
    """The least powers that clear the fractions of a short sum."""
    if form.kind != SUM or len(form.parts[0]) > 6:
        return []
    least: dict[Form, Fraction] = {}
    for part, coefficient in form.parts[0]:
        least_of = algebra.number(coefficient.denominator)
        for base, exponent in [*(_factors(part) or ()), (least_of, algebra.number(-1))]:
            if (
                exponent.kind == NUMBER
                and exponent.parts[0] < 0
                and base is not algebra.one
            ):
                least[base] = max(least.get(base, Fraction(0)), -exponent.parts[0])
    return [(base, algebra.number(e)) for base, e in least.items()]


def _is_whole(exponent: Form) -> bool:
    return exponent.kind == NUMBER and exponent.parts[0].denominator == 1


def _factors(form: Form) -> tuple[Factor, ...] | None:
    if form.kind == PRODUCT:
        found: tuple[Factor, ...] = form.parts[1]
        return found
    return None


def _common(algebra: Algebra, terms: tuple[Term, ...]) -> list[Factor]:
    """The powers that every term has, each with the least exponent."""
    tables = [dict(_factors(form) or ((form, algebra.one),)) for form, _ in terms]
    common: list[Factor] = []
    for base in tables[0]:
        exponents = [table.get(base) for table in tables]
        if None in exponents or base.kind == NUMBER:
            continue
        known = [e for e in exponents if e is not None]
        if all(e.kind == NUMBER for e in known):
            common.append((base, min(known, key=lambda e: e.parts[0])))
        elif all(e is known[0] for e in known):
            common.append((base, known[0]))
        else:
            shared = _least_shift(algebra, known)
            if shared is not None:
                common.append((base, shared))
    return common


def _least_shift(algebra: Algebra, exponents: list[Form]) -> Form | None:
    """Of exponents that differ by numbers, the least: of y and y - 1, the latter."""
    shifts = []
    for exponent in exponents:
        difference = algebra.add(
            [(exponent, Fraction(1)), (exponents[0], Fraction(-1))]
        )
        if difference.kind != NUMBER:
            return None
        shifts.append((difference.parts[0], exponent))
    return min(shifts, key=lambda s: s[0])[1]


def _is_heavy(base: Form, exponent: Form) -> bool:
    """Whether a factor is worth taking out: no variable to a positive power."""
    return base.kind != LEAF or exponent.kind != NUMBER or exponent.parts[0] < 0


def _divided(
    algebra: Algebra, terms: tuple[Term, ...], factors: list[Factor], spread: bool
) -> Form | None:
    """The terms over the factors, times the factors; with `spread`, what is left multiplied out."""
    minus = [(b, algebra.scaled(e, Fraction(-1))) for b, e in factors]
    divisor = _content([c for _, c in terms])
    rest: list[Term] = []
    for form, coefficient in terms:
        quotient = algebra.multiply([(form, algebra.one), *minus])
        spreadable = (
            expanded(algebra, quotient) if spread else [(quotient, Fraction(1))]
        )
        if spreadable is None:
            return None
        rest += [(f, c * coefficient / divisor) for f, c in spreadable]
    inside = algebra.add(rest)
    return algebra.multiply([*factors, (inside, algebra.one)], divisor)


def _content(coefficients: list[Fraction]) -> Fraction:
    """The greatest common divisor of the coefficients, negative if all of them are."""
    top, bottom = 0, 1
    for c in coefficients:
        top, bottom = gcd(top, abs(c.numerator)), lcm(bottom, c.denominator)
    sign = -1 if all(c < 0 for c in coefficients) else 1
    return Fraction(sign * top, bottom)


def expanded(algebra: Algebra, form: Form) -> list[Term] | None:
    """A product with small powers of sums multiplied out; None where it would get long."""
    factors = _factors(form)
    if factors is None:
        return list(algebra.terms(form))
    scale: Fraction = form.parts[0]
    sums = [(b, e) for b, e in factors if b.kind == SUM and _is_count(e)]
    plain = [f for f in factors if f not in sums]
    out: list[Term] = [(algebra.multiply(plain), scale)]
    for base, exponent in sums:
        for _ in range(int(exponent.parts[0])):
            if len(out) * len(base.parts[0]) > _MOST_EXPANDED:
                return None
            out = [
                (algebra.times(f, g), c * d) for f, c in out for g, d in base.parts[0]
            ]
    return out


def _is_count(exponent: Form) -> bool:
    if exponent.kind != NUMBER:
        return False
    number: Fraction = exponent.parts[0]
    return number.denominator == 1 and 1 <= number <= 3
