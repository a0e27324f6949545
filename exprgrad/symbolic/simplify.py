"""A symbolic result, tidied: to canonical forms, to the shortest writing of each sum, and back.

    simplify(root)          the same value in fewer operations

Shared subgraphs stay shared, and chains of any depth are taken in one pass.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import chain

from exprgrad.algebra.polynomials import Rational
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value
from exprgrad.operations import table
from exprgrad.operations.conditions import phrase
from exprgrad.operations.operation import ODD, TABLE, Operation
from exprgrad.symbolic.factoring import (
    Shortening,
    factored,
    is_plain_sum,
    is_power,
    is_settled,
    spread,
)
from exprgrad.symbolic.forms import (
    HUGE,
    Algebra,
    Factor,
    Form,
    TooLargeError,
    has_fractions,
    raised,
)
from exprgrad.symbolic.writing import Writer

_SUMS = (table.ADD, table.SUB)
_PRODUCTS = (table.MUL, table.DIV, table.NEG)


SHORT, LONG = 20, 3000
"""The least and the greatest cost of formulas for which a shorter one is looked for."""

SHARE, PLAIN_SHARE = 0.88, 0.66
"""A fraction is taken instead of a formula if it costs less than this share of it; of a sum of powers, less."""

STOP, POLISHED = 0.15, 3
"""No more ways are tried after one that costs less than this share; of each way so many fractions are polished."""

FORMS = ("short", "factored", "expanded")
"""The ways to write a formula: the shortest, as a product, or multiplied out."""


def simplify(root: Value, form: str = "short") -> Value:
    """The graph with like terms and factors collected, in the order that people expect, in one of the `FORMS`.

    Or `collected` with nothing multiplied out or factored. As it is, if its numbers multiply out to something that could
    not be written.
    """
    algebra = Algebra()
    try:
        reader = Reader(algebra, root)
        found = reader.form
        if form != "collected":
            found = _shorter(algebra, found, reader.decimal)
        if form in ("factored", "expanded"):
            found = (factored if form == "factored" else spread)(algebra, found)
        return Writer(algebra, reader.decimal).graph(found)
    except TooLargeError:
        return root


def _shorter(algebra: Algebra, original: Form, decimal: bool) -> Form:
    """Each sum and product the shortest way, or the original as one fraction where that is a good deal shorter."""
    shortening = Shortening(algebra, original)
    found = shortening.shortest(original)
    if (
        not SHORT <= found.cost <= LONG
        or (decimal and has_fractions(found))
        or is_settled(found)
    ):
        return found
    plain = is_plain_sum(algebra, found)
    most = (PLAIN_SHARE if plain else SHARE) * found.cost
    whole = plain and all(c.denominator == 1 for _, c in found.parts[0])
    least = STOP * found.cost
    for group in shortening.fractions(original, found.cost):
        for candidate in sorted(dict.fromkeys(group), key=lambda f: f.cost)[:POLISHED]:
            product = shortening.product(candidate)
            if product.cost < most and (not plain or whole or is_power(product)):
                found, most = product, product.cost
        if most < least:
            break
    return found


class Reader:
    """Turns a graph into a form, bottom up; sums and products of many operands as one, unless `apart`.

    Raises `TooLargeError`.
    """

    def __init__(self, algebra: Algebra, root: Value, apart: bool = False) -> None:
        self.algebra = algebra
        self.decimal = False
        self.forms: dict[Value, Form] = {}
        order = topological(root)
        uses = Counter(chain.from_iterable([item.operands for item in order]))
        # sums within a sum, and products within a product, that are used only there
        inner: set[Value] = set()
        for item in order if not apart else ():
            for kind in (_SUMS, _PRODUCTS):
                if item.operation in kind:
                    inner.update(o for o in item.operands if o.operation in kind and uses[o] == 1)  # fmt: skip
        for item in order:
            if item in inner:
                continue
            if item.operation is None:
                form = self._leaf(item)
            elif item.operation in (*_SUMS, *_PRODUCTS):
                form = self._chain(item, inner)
            else:
                own = [self.forms[operand] for operand in item.operands]
                form = applied(self.algebra, item.operation, own)
            self.forms[item] = form
        self.form = self.forms[root]

    def _leaf(self, item: Value) -> Form:
        if not isinstance(item, Constant) or item.name is not None or item.data is None:
            return self.algebra.leaf(item)
        ratio = item.ratio
        assert ratio is not None, "what has no name is a number"
        if item.exact is None and ratio[1] != 1:
            self.decimal = True
        return self.algebra.number(Fraction(*ratio) if ratio[1] != 1 else ratio[0])

    def _chain(self, root: Value, inner: set[Value]) -> Form:
        """A sum of many terms, or a product of many factors."""
        parts: list[tuple[Form, int]] = []
        stack, sign = [(root, 1)], 1
        while stack:
            item, way = stack.pop()
            if not (item is root or item in inner):
                parts.append((self.forms[item], way))
                continue
            if item.operation is table.NEG:
                sign = -sign
            elif item.operation in (table.SUB, table.DIV):
                stack.append((item.operands[1], -way))
            else:
                stack.append((item.operands[1], way))
            stack.append((item.operands[0], way))
        if root.operation in _SUMS:
            return self.algebra.add(parts)
        powers = [(form, self.algebra.number(way)) for form, way in parts]
        return self.algebra.multiply(powers, sign)


def applied(algebra: Algebra, operation: Operation, arguments: list[Form]) -> Form:
    """An operation on forms, as a sum, a product, a power, an exact number or a call."""
    first = arguments[0]
    if operation in _SUMS:
        return (algebra.plus if operation is table.ADD else algebra.minus)(*arguments)
    if operation is table.MUL:
        return algebra.times(*arguments)
    if operation is table.DIV:
        powers = zip(arguments, (algebra.one, algebra.number(-1)), strict=True)
        return algebra.multiply(powers)
    if operation is table.NEG:
        return algebra.scaled(first, -1)
    if operation.rule == table.POW.rule:
        return algebra.power(*arguments)
    if operation is table.EXP and first.kind == "call" and first.parts[0] is table.LN:
        return first.parts[1][0]  # type: ignore[no-any-return] # a form
    if operation is table.EXP:
        algebra.euler = algebra.euler or algebra.leaf(Constant(math.e, "e"))
        return algebra.power(algebra.euler, first)
    if operation in (table.SQRT, table.CBRT):
        degree = 2 if operation is table.SQRT else 3
        return algebra.power(first, algebra.number(Fraction(1, degree)))
    if operation is table.HYPOT:
        two = algebra.number(2)
        squares = [(algebra.power(a, two), 1) for a in arguments]
        return algebra.power(algebra.add(squares), algebra.number(Fraction(1, 2)))
    if operation in (table.ABS, table.SIGN) and first.kind == "product":
        found = _of_power(algebra, operation, *first.parts)
        if found is not None:
            return found
    if operation is table.LN and first.kind == "product":
        scale, factors = first.parts
        if scale == 1 and len(factors) == 1 and factors[0][0].is_euler:
            inside: Form = factors[0][1]
            return inside
    if operation is table.LN and first.is_euler:
        return algebra.one
    if operation is table.LOG and first is algebra.one:
        return algebra.zero
    if operation is table.MOD and algebra.multiply([(first, algebra.one), (arguments[1], algebra.number(-1))]).is_whole:  # fmt: skip
        return algebra.zero
    try:
        exact = _exact(operation, arguments)
    except (ValueError, ZeroDivisionError):
        return algebra.nowhere
    if exact is not None:
        return algebra.number(exact)
    if len(arguments) > 1 and _is_outside(operation, arguments):
        return algebra.nowhere
    if operation is table.IF and arguments[1] is arguments[2]:
        return arguments[1]
    if operation.choose and first.kind == "number":
        taken = operation.choose(first.parts[0])
        if taken is not None:
            return arguments[taken]
    if operation.parity and first.is_negative:
        positive = algebra.call(operation, [algebra.scaled(first, -1)])
        odd = operation.parity == ODD
        return algebra.scaled(positive, -1) if odd else positive
    return algebra.call(operation, arguments)


def _is_outside(operation: Operation, arguments: list[Form]) -> bool:
    """Whether a condition of several arguments' domain fails by numbers alone: root(x, 0)."""
    numbers = [a.number for a in arguments]
    for condition in operation.domain if any(n is not None for n in numbers) else ():
        asked = phrase(condition.holds, operation.arity)
        settled = None not in [numbers[i] for i in asked.arguments()]
        if settled and not asked.holds(lambda name: TABLE[name].kernel, numbers):
            return True
    return False


def _of_power(
    algebra: Algebra, operation: Operation, scale: Rational, factors: list[Factor]
) -> Form | None:
    """|u^3| as |u|^3, |u^2| as u^2, and sign(u^3) as sign(u); None of anything else."""
    (base, exponent), *others = factors
    if scale != 1 or others or exponent.kind != "number":
        return None
    power: Rational = exponent.parts[0]
    is_odd = power.numerator % 2 and power.denominator % 2
    if operation is table.ABS:
        inside = applied(algebra, table.ABS, [base]) if is_odd else base
        return algebra.power(inside, exponent)
    return applied(algebra, table.SIGN, [base]) if is_odd and power > 0 else None


def _exact(operation: Operation, arguments: list[Form]) -> Rational | None:
    """The value of a call on numbers where it is exact: at 0 and 1, and for piecewise functions.

    Raises `ValueError` or `ZeroDivisionError` where there is none.
    """
    numbers: list[Rational] = [a.number for a in arguments if a.number is not None]
    if len(numbers) < len(arguments):
        return None
    if not operation.exact and any(n not in (-1, 0, 1) for n in numbers):
        return None
    if operation is table.ABS:
        return max(numbers[0], -numbers[0])
    try:
        result = operation.kernel(*numbers)
    except OverflowError:
        return None
    whole = int(result)
    if abs(result) >= 10**15 or whole != result:
        return None
    if operation in (table.LOG2, table.LOG10, table.LOG):
        # near a whole number, doubles round to it
        base: Rational = {table.LOG2: 2, table.LOG10: 10}.get(operation) or numbers[1]
        if abs(whole) > HUGE or raised(base, whole) != numbers[0]:
            return None
    return whole
