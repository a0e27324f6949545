"""What is asked for as a product: equal to the sum, and each factor irreducible over the rationals."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import pytest
from flint import Ordering, fmpq_mpoly_ctx, fmpz_mpoly_ctx, fmpz_poly

from exprgrad.expressions.expression import parse
from exprgrad.graph.order import topological
from exprgrad.operations.table import DIV, MUL, NEG, POW

NAMES = ("x", "y", "z")
RING = fmpq_mpoly_ctx.get(("x", 3), Ordering.lex)
ONE = RING.from_dict({(0, 0, 0): 1})


def _read(root):
    """A graph of sums and products as a polynomial of FLINT, by Python's operators."""
    known = {}
    for item in topological(root):
        operands = [known[operand] for operand in item.operands]
        if item.is_constant:
            number = Fraction(*item.ratio)
            known[item] = ONE * number.numerator / number.denominator
        elif item.operation is None:
            known[item] = RING.gen(NAMES.index(item.name))
        elif item.operation is POW:
            known[item] = operands[0] ** int(Fraction(*item.operands[1].ratio))
        elif item.operation is DIV:
            known[item] = operands[0] / operands[1].leading_coefficient()
        else:
            known[item] = item.operation.kernel(*operands)
    return known[root]


def _factors(root):
    stack = [root]
    while stack:
        item = stack.pop()
        if item.operation in (MUL, NEG):
            stack += item.operands
        elif item.operation in (DIV, POW):
            stack.append(item.operands[0])
        elif not item.is_constant:
            yield _read(item)


def _has_factor_by_values(coefficients):
    """Whether a polynomial has a factor: by Kronecker, from the divisors of its values at whole numbers."""
    whole = fmpz_poly(coefficients)
    for degree in range(1, whole.degree() // 2 + 1):
        places = [(k + 1) // 2 * (-1) ** k for k in range(degree + 1)]
        values = [abs(int(whole(k))) for k in places]
        if 0 in values:
            return True
        divisors = [
            [s * d for d in range(1, v + 1) if v % d == 0 for s in (1, -1)]
            for v in values
        ]
        for chosen in itertools.product(*divisors):
            factor = fmpz_poly(_through(places, chosen))
            if factor.degree() > 0 and not divmod(whole, factor)[1]:
                return True
    return False


def _through(places, values):
    """The coefficients of the polynomial through these points; none unless they are whole numbers."""
    total = [Fraction(0)] * len(places)
    for x, y in zip(places, values, strict=True):
        basis, below = fmpz_poly([1]), 1
        for other in places:
            if other != x:
                basis, below = basis * fmpz_poly([-other, 1]), below * (x - other)
        for k, c in enumerate(basis.coeffs()):
            total[k] += Fraction(int(c) * y, below)
    return [int(c) for c in total] if all(c.denominator == 1 for c in total) else []


def _polynomial(pick, generators):
    terms = {}
    for _ in range(pick.randint(2, 4)):
        vector = [pick.randint(0, 2) if i < generators else 0 for i in range(3)]
        terms[tuple(vector)] = pick.choice([-7, -3, -2, -1, 1, 2, 4, 5])
    return RING.from_dict(terms)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_products_that_are_multiplied_out_are_factored_again(seed):
    pick = random.Random(seed)
    generators = pick.choice((1, 1, 2, 3))
    parts = [_polynomial(pick, generators) for _ in range(pick.randint(1, 4))]
    whole = math.prod((p ** pick.choice((1, 1, 2, 3)) for p in parts), start=ONE)
    terms = (
        "*".join((f"({c})", *(f"{n}^{e}" for n, e in zip(NAMES, v, strict=True))))
        for v, c in whole.to_dict().items()
    )
    found = parse("+".join(terms), variables=NAMES).simplify("factored").root
    assert _read(found) == whole
    ring = fmpz_mpoly_ctx.get(("x", 3), Ordering.lex)
    for factor in _factors(found):
        below = math.lcm(*(int(c.q) for c in factor.coeffs()))
        own = {v: int(c * below) for v, c in factor.to_dict().items()}
        [(_, exponent)] = ring.from_dict(own).factor()[1]
        assert exponent == 1
        degree = max(v[0] for v in own)
        if not any(v[1] or v[2] for v in own) and 1 < degree <= 4:
            content = math.gcd(*own.values())
            row = [own.get((k, 0, 0), 0) // content for k in range(degree + 1)]
            assert not _has_factor_by_values(row)
