"""Numbers that no precision one can afford tells apart: what is left of their difference when large parts have cancelled.

    reduced(parse("9^9^9^9 + 1 - 9^9^9^9").root)       # 1
    reduced(parse("erf(100) - 1").root)                # -erfc(100), which balls can see
    reduced(parse("sqrt(2)^(10^7) - 2^(5*10^6)").root) # 0

Every step is exact. Functions that come close to a constant are written as what they lack of it,

    erf(x) = 1 - erfc(x)     tanh(x) = 1 - 2/(exp(2x) + 1)     atan(x) = pi/2 - atan(1/x)     for x > 0,

gamma(x + n) = gamma(x) x (x + 1) ... (x + n - 1); and what remains is simplified with a letter for every number in it
that is no fraction, and for the primes of the bases of powers.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from fractions import Fraction

from exprgrad.errors import ExprgradError
from exprgrad.expressions.confirm import simplify
from exprgrad.expressions.expression import parse
from exprgrad.graph.numbering import GraphNumbering
from exprgrad.graph.order import topological
from exprgrad.graph.rational import large_rational
from exprgrad.graph.rewriting import rebuilt, replaced
from exprgrad.graph.value import Constant, Value, node
from exprgrad.numbers.arb import precise
from exprgrad.numbers.real import kept
from exprgrad.operations import table
from exprgrad.operations.operation import Operation
from exprgrad.sweeps.bounds import BOUNDED, DIGITS, UNDEFINED, Bounds, Known
from exprgrad.sweeps.coordinates import Coordinate, exactly
from exprgrad.sweeps.tape import Tape

COMPLEMENTS: Mapping[Operation, str] = {
    table.ERF: "1 - erfc(u)",
    table.TANH: "1 - 2/(exp(2u) + 1)",
    table.ATAN: "pi/2 - atan(1/u)",
    table.SIGMOID: "1 - 1/(exp(u) + 1)",
    table.SINH: "(exp(u) - exp(-u))/2",
    table.COSH: "(exp(u) + exp(-u))/2",
    table.LGAMMA: "ln(gamma(u))",
    table.FACTORIAL: "gamma(u + 1)",
    table.SOFTPLUS: "u + log1p(exp(-u))",
    table.COTH: "1 + 2/(exp(2u) - 1)",
}
"""What functions are for a positive argument u, by smaller numbers or by the gamma function."""

ODD = frozenset({table.ERF, table.TANH, table.ATAN, table.SINH, table.COTH})

POWERS = frozenset({table.POW, table.SQRT, table.CBRT})

SUMS = frozenset({table.ADD, table.SUB, table.MUL, table.DIV, table.NEG})

MOST_NODES = 200
"""Nodes of a difference that is reduced."""

MOST_FACTORS = 1000
"""Factors by which two values of the gamma function may differ."""

LARGEST_FACTORED = 2**64
"""A number up to which its primes are looked for: that takes no time."""

DEEP = (16_000, 160_000)
"""Bits with which the difference of two small expressions is looked at in the end."""

MOST_DEEP = 20
"""Operations of a difference that is looked at with so many bits, each times its cost."""


def bounded(root: Value) -> Known:
    """A number, to a digit at least."""
    return Bounds(Tape(root, ())).by_balls({}, (), 1).value


def deeply(root: Value) -> Known | None:
    """A number with so many bits as are needed to tell it from 0; None where that would be too much work."""
    # gamma alone would take ten seconds with the most bits
    if sum(i.operation.cost for i in topological(root) if i.operation) > MOST_DEEP:
        return None
    for bits in DEEP:
        with precise(bits) as numbers:
            ball = Coordinate.of(root).ball(numbers)
            if ball.fault is None and not ball.arb.contains(0):
                return Known(None, 0.0, BOUNDED, kept(ball.arb.mid()), DIGITS)
    return None


def reduced(difference: Value) -> Value | None:
    """A graph without variables that is equal to this one, and has a value if this has one; None if none was found."""
    if len(topological(difference)) > MOST_NODES:
        return None
    root = _by_one_gamma(rebuilt(difference, _complement))
    letters: dict[object, tuple[Value, Value]] = {}
    numbering = GraphNumbering()

    def letter(key: object, item: Value) -> Value:
        """The letter of a number, which is that of all numbers with the same key."""
        return letters.setdefault(key, (Value(None, f"u{len(letters)}"), item))[0]

    def put(item: Value, operands: tuple[Value, ...]) -> Value | None:
        if item.operation in SUMS or large_rational(item) is not None:
            return None
        if item.operation in POWERS:
            base = item.operands[0]
            exact = large_rational(base)
            # with letters for 2 and 3, 6^n is 2^n*3^n; one for 6 would leave open whether it is
            if exact and (primes := _primes(exact)):
                powers = [
                    node(table.POW, (letter(q, Constant(q)), Constant(e)))
                    for q, e in primes.items()
                ]
                product = functools.reduce(lambda x, y: node(table.MUL, (x, y)), powers)
                power = node(item.operation, (product, *operands[1:]))
                if exact > 0:
                    return power
                # a whole power of a negative number, from that of its size
                raised = large_rational(item.operands[-1]) if item.operation is table.POW else None  # fmt: skip
                if raised is None or raised.denominator != 1:
                    return None
                return power if raised % 2 == 0 else node(table.NEG, (power,))
            if base.operation in POWERS:
                return None
        # a number in a tuple, for the primes are keys, too
        return letter((numbering.number(item),), item)

    general = rebuilt(root, put)
    if not letters:
        return root
    for found in (bounded(item) for _, item in letters.values()):
        # a letter is simplified as a number that exists and may be divided by
        if found.status == UNDEFINED or (found.value == 0 and not found.error > 0):
            return None
    return replaced(simplify(general), dict(letters.values()))


def _primes(number: Fraction) -> dict[int, int]:
    """The exponents of the primes of a fraction; none of 1, nor of one that is long."""
    from flint import fmpz

    if max(abs(number.numerator), number.denominator) > LARGEST_FACTORED:
        return {}
    parts = abs(number.numerator), number.denominator
    above, below = (fmpz(n).factor() for n in parts)
    return {int(p): int(e) for p, e in above} | {int(p): -int(e) for p, e in below}


def _complement(item: Value, operands: tuple[Value, ...]) -> Value | None:
    """A value of a function by what it lacks of a constant."""
    operation = item.operation
    if operation is None or operation not in COMPLEMENTS:
        return None
    (argument,) = operands
    found = bounded(argument)
    if not found.is_number or found.error == 0 == found.value:
        return None
    sign = -1 if (found.decimal() or "").startswith("-") else 1
    if sign < 0 and operation not in ODD:
        return None
    # the formulas hold for u > 0; of an odd function the sign goes in front
    size = argument if sign > 0 else node(table.NEG, (argument,))
    formula = parse(COMPLEMENTS[operation])
    (letter,) = (i for i in topological(formula.root) if i.name == "u")
    whole = replaced(formula.root, {letter: size})
    return whole if sign > 0 else node(table.NEG, (whole,))


def _by_one_gamma(root: Value) -> Value:
    """The graph with values of the gamma function whose arguments differ by whole numbers written by the least of them."""
    least: dict[Fraction, Fraction] = {}
    arguments: dict[Value, Fraction] = {}
    for item in topological(root):
        at = large_rational(item.operands[0]) if item.operation is table.GAMMA else None
        if at is not None and at > 0:
            arguments[item] = at
            least[at % 1] = min(at, least.get(at % 1, at))
    others: dict[Value, Value] = {}
    for item, at in arguments.items():
        first = least[at % 1]
        if at - first > MOST_FACTORS:
            continue
        value = node(table.GAMMA, (exactly(first),))
        product = Fraction(1)
        for k in range(int(at - first)):
            product *= first + k
        others[item] = (
            value if at == first else node(table.MUL, (exactly(product), value))
        )
    return replaced(root, others)


def apart(difference: Value) -> Known | None:
    """Return what is known of a difference of two numbers, reduced; None where that does not tell it from 0, nor prove that it is 0."""
    try:
        root = reduced(difference)
    except ExprgradError:
        return None
    if root is None:
        return None
    exact = large_rational(root)
    found = bounded(root if exact is None else exactly(exact))
    return found if found.value or found.middle or exact == 0 else deeply(root)
