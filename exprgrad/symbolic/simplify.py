"""A symbolic result, tidied: to canonical forms, to the shortest writing of each sum, and back.

    simplify(root)          the same value in fewer operations

Shared subgraphs stay shared, and chains of any depth are taken in one pass.
"""

from __future__ import annotations

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
    CALL,
    HUGE,
    NUMBER,
    PRODUCT,
    Algebra,
    Factor,
    Form,
    Term,
    TooLargeError,
    has_fractions,
    is_euler,
    is_whole,
    raised,
)
from exprgrad.symbolic.writing import Writer, is_negative

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

    As it is, if its numbers multiply out to something that could not be written.
    """
    algebra = Algebra()
    try:
        reader = _Reader(algebra, root)
        found = _shorter(algebra, reader.form, reader.decimal)
        if form != "short":
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


def collected(root: Value) -> Value:
    """The graph with like terms and factors collected, and nothing multiplied out or factored."""
    algebra = Algebra()
    try:
        reader = _Reader(algebra, root)
        return Writer(algebra, reader.decimal).graph(reader.form)
    except TooLargeError:
        return root


def form_of(algebra: Algebra, root: Value) -> Form:
    """The canonical form of a graph. Raises `TooLargeError`."""
    return _Reader(algebra, root).form


def forms_of(algebra: Algebra, root: Value) -> dict[Value, Form]:
    """The canonical forms of all nodes of a graph. Raises `TooLargeError`."""
    return _Reader(algebra, root, apart=True).forms


class _Reader:
    """Turns a graph into a form, bottom up; sums and products of many operands as one, unless `apart`."""

    def __init__(self, algebra: Algebra, root: Value, apart: bool = False) -> None:
        self.algebra = algebra
        self.decimal = False
        self.forms: dict[Value, Form] = {}
        order = topological(root)
        uses = Counter(chain.from_iterable([item.operands for item in order]))
        inner = (
            {
                o
                for item in order
                for o in item.operands
                if self._is_inside(o, item, uses)
            }
            if not apart
            else set()
        )
        for item in order:
            if item not in inner:
                self.forms[item] = self._form(item, inner)
        self.form = self.forms[root]

    @staticmethod
    def _is_inside(operand: Value, item: Value, uses: Counter[Value]) -> bool:
        """Whether an operand is a sum within a sum, or a product within a product, used only there."""
        if operand.operation is None or item.operation is None or uses[operand] > 1:
            return False
        own, outer = operand.operation, item.operation
        return (own in _SUMS and outer in _SUMS) or (
            own in _PRODUCTS and outer in _PRODUCTS
        )

    def _form(self, item: Value, inner: set[Value]) -> Form:
        if item.operation is None:
            return self._leaf(item)
        if item.operation in _SUMS:
            return self.algebra.add(self._terms(item, inner))
        if item.operation in _PRODUCTS:
            return self._product(item, inner)
        arguments = [self.forms[operand] for operand in item.operands]
        return applied(self.algebra, item.operation, arguments)

    def _leaf(self, item: Value) -> Form:
        if not isinstance(item, Constant) or item.name is not None or item.data is None:
            return self.algebra.leaf(item)
        ratio = item.ratio
        assert ratio is not None, "what has no name is a number"
        if ratio[1] == 1:
            return self.algebra.number(ratio[0])
        number = Fraction(*ratio)
        if item.exact is None and number.denominator != 1:
            self.decimal = True
        return self.algebra.number(number)

    def _terms(self, root: Value, inner: set[Value]) -> list[Term]:
        terms: list[Term] = []
        stack = [(root, 1)]
        while stack:
            item, sign = stack.pop()
            if item is root or item in inner:
                minus = item.operation is table.SUB
                stack.append((item.operands[1], -sign if minus else sign))
                stack.append((item.operands[0], sign))
            else:
                terms.append((self.forms[item], sign))
        return terms

    def _product(self, root: Value, inner: set[Value]) -> Form:
        factors: list[Factor] = []
        one, minus_one = self.algebra.one, self.algebra.number(-1)
        sign = 1
        stack = [(root, False)]
        while stack:
            item, below = stack.pop()
            if not (item is root or item in inner):
                factors.append((self.forms[item], minus_one if below else one))
            elif item.operation is table.NEG:
                sign = -sign
                stack.append((item.operands[0], below))
            else:
                flips = item.operation is table.DIV
                stack.append((item.operands[1], below != flips))
                stack.append((item.operands[0], below))
        return self.algebra.multiply(factors, sign)


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
    if operation is table.EXP:
        return _exponential(algebra, first)
    if operation is table.SQRT:
        return algebra.power(first, algebra.number(Fraction(1, 2)))
    if operation is table.CBRT:
        return algebra.power(first, algebra.number(Fraction(1, 3)))
    if operation is table.HYPOT:
        two = algebra.number(2)
        squares = [(algebra.power(a, two), 1) for a in arguments]
        return algebra.power(algebra.add(squares), algebra.number(Fraction(1, 2)))
    if operation in (table.ABS, table.SIGN) and first.kind == PRODUCT:
        found = _of_power(algebra, operation, *first.parts)
        if found is not None:
            return found
    if operation is table.LN and first.kind == PRODUCT:
        scale, factors = first.parts
        if scale == 1 and len(factors) == 1 and is_euler(factors[0][0]):
            inside: Form = factors[0][1]
            return inside
    if operation is table.LN and is_euler(first):
        return algebra.one
    if operation is table.LOG and first is algebra.one:
        return algebra.zero
    if operation is table.MOD and is_whole(algebra.multiply([(first, algebra.one), (arguments[1], algebra.number(-1))])):  # fmt: skip
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
    if operation.choose and first.kind == NUMBER:
        taken = operation.choose(first.parts[0])
        if taken is not None:
            return arguments[taken]
    if operation.parity and is_negative(first):
        positive = algebra.call(operation, [algebra.scaled(first, -1)])
        odd = operation.parity == ODD
        return algebra.scaled(positive, -1) if odd else positive
    return algebra.call(operation, arguments)


def _is_outside(operation: Operation, arguments: list[Form]) -> bool:
    """Whether a condition of several arguments' domain fails by numbers alone: root(x, 0)."""
    numbers = [a.parts[0] if a.kind == NUMBER else None for a in arguments]
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
    if scale != 1 or others or exponent.kind != NUMBER:
        return None
    power: Rational = exponent.parts[0]
    is_odd = power.numerator % 2 and power.denominator % 2
    if operation is table.ABS:
        inside = applied(algebra, table.ABS, [base]) if is_odd else base
        return algebra.power(inside, exponent)
    return applied(algebra, table.SIGN, [base]) if is_odd and power > 0 else None


def _exponential(algebra: Algebra, exponent: Form) -> Form:
    """e^u, and x for e^ln(x)."""
    if exponent.kind == CALL and exponent.parts[0] is table.LN:
        inside: Form = exponent.parts[1][0]
        return inside
    if algebra.euler is None:
        algebra.euler = algebra.leaf(Constant(2.718281828459045, "e"))
    return algebra.power(algebra.euler, exponent)


def _exact(operation: Operation, arguments: list[Form]) -> Rational | None:
    """The value of a call on numbers where it is exact: at 0 and 1, and for piecewise functions.

    Raises `ValueError` or `ZeroDivisionError` where there is none.
    """
    if any(a.kind != NUMBER for a in arguments):
        return None
    numbers = [a.parts[0] for a in arguments]
    if not operation.exact and any(abs(n) > 1 or n.denominator > 1 for n in numbers):
        return None
    if operation is table.ABS:
        size: Rational = abs(numbers[0])
        return size
    try:
        result = operation.kernel(*numbers)
    except OverflowError:
        return None
    whole = int(result)
    if abs(result) >= 10**15 or whole != result:
        return None
    if operation in (
        table.LOG2,
        table.LOG10,
        table.LOG,
    ):  # near a whole number, doubles round to it
        base: Rational = {table.LOG2: 2, table.LOG10: 10}.get(operation) or numbers[1]
        if abs(whole) > HUGE or raised(base, whole) != numbers[0]:
            return None
    return whole
