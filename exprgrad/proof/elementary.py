"""Operations of the table on elements: all of them except those with branches.

    sin, cos of sum n_i*a_i         by the addition theorems, from sin(a_i) and cos(a_i)
    f(u)                            by a formula, or an atom for the function and its arguments

Two arguments are the same if their difference is known to be 0.

Proofs that an expression is 0.

    vanishes(root)          True: it is 0 at every real point where it is defined; False: not proved

The expression is read into a field of atoms (`elementary`) in a few passes: what a later part implies
about the domain, or about the angles that occur, is used for earlier parts in the next pass. Roots are
real and nothing is assumed about signs, so sqrt(x^2) - x is not 0, and sqrt(x)^2 - x is.

By Richardson's theorem (1968) there is no zero test for functions in general; the cases of school
mathematics are rational functions of independent atoms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache

from exprgrad.algebra.field import Element, Product, Rule
from exprgrad.algebra.polynomials import ONE, Monomial, Rational
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import Any
from exprgrad.budget import STAGES
from exprgrad.graph.order import topological
from exprgrad.graph.sweep import forward
from exprgrad.graph.value import Constant, Value
from exprgrad.operations import table
from exprgrad.operations.conditions import phrase
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.operations.operation import ODD, TABLE, Operation
from exprgrad.proof.angles import MOST_MULTIPLE, Angle, Angles
from exprgrad.proof.reals import RealField

Circle = tuple[Element, Element]
"""The cosine and the sine of an angle."""

_MOST_COMPARISONS = 20

_KNOWN_ANGLES: dict[Operation, dict[Rational, int]] = {
    table.ASIN: {Fraction(1, 4): 2, Fraction(1, 2): 3, Fraction(3, 4): 4, 1: 6},
    table.ATAN: {Fraction(1, 3): 2, 1: 3, 3: 4},
}
"""Squares of sines and tangents, and their angles in twelfths of pi."""


class ElementaryField(RealField):
    """Elements to which every operation of the table without branches can be applied."""

    def __init__(self, work: Work) -> None:
        super().__init__(work)
        self.pi = self.atom("constant", "pi", nonnegative=True)
        self._numbers = Numbers(
            lambda row: lambda *a: self.apply(row, [self.element(x) for x in a]),
            {"pi": self.of(self.pi)},
        )
        self._calls: dict[Operation, list[tuple[Sequence[Element], int]]] = {}
        self._angles = Angles()
        self._circles: dict[frozenset[tuple[Monomial, Rational]], Circle] = {}

    def apply(self, operation: Operation, arguments: Sequence[Element]) -> Element:
        """The operation on elements; facts implied by its domain are learned."""
        # ln(u + sqrt(u^2 - 1)) by itself does not tell the sign of u
        if operation is table.ACOSH:
            self.learn_sign(arguments[0], nonzero=True)  # it is at least 1
        if operation.native:
            return operation.kernel(*arguments)  # type: ignore[return-value] # elements
        own = _METHODS.get(operation)
        if own is not None:
            result: Element = own(self, *arguments)
            return result
        if operation.parity == ODD:
            return self._odd(operation, arguments[0])
        return self._applied(operation, arguments)

    def _applied(self, operation: Operation, arguments: Sequence[Element]) -> Element:
        formula = operation.formula
        if formula is None or _branches(operation):
            return self._call(operation, arguments)
        result: Element = self._numbers.bind(formula)(*arguments)
        return result

    def _odd(self, operation: Operation, u: Element) -> Element:
        self.factor(u)
        if not u.number:
            return u
        if u.number < 0:
            return -self._applied(operation, [-u])
        return self._applied(operation, [u])

    def _call(self, operation: Operation, arguments: Sequence[Element]) -> Element:
        u = arguments[0]
        roots = not u.sum and all(self.atoms[a].kind == "prime" for a in u.factors)
        if operation in _KNOWN_ANGLES and roots:  # asin(u) or atan(u) of a positive u
            square = self.whole_power(u, 2).rational
            twelfths = _KNOWN_ANGLES[operation].get(square or 0, 0)
            if twelfths:
                return self.of(self.pi, number=Fraction(twelfths, 12))
        known = self._calls.setdefault(operation, [])
        for others, atom in known[:_MOST_COMPARISONS]:
            pairs = zip(arguments, others, strict=True)
            if all(self.is_zero(one - other) for one, other in pairs):
                return self.of(atom)
        atom = self.atom("call", (operation, len(known)))
        known.append((arguments, atom))
        return self.of(atom)

    def arguments(self, operation: Operation, index: int) -> Sequence[Element]:
        """Return what the atom of a call stands for: the arguments, by the number of the call."""
        return self._calls[operation][index][0]

    def _sign(self, u: Element) -> Element:
        if u.number and all(map(self.is_nonzero, self.split(u)[1])):
            return self.odd_power(u, 0)
        number, factors = self.split(u)
        [(atom, exponent), *more] = factors.items() or [(-1, 0)]
        if more or exponent != 1:
            return self._odd(table.SIGN, u)
        result = self._call(table.SIGN, [self.of(atom)])
        [own] = result.factors
        absolute = self.absolute(atom)
        self.learn_product(Product(tuple(sorted((own, atom))), 1, {absolute: 1}))
        self.learn_product(Product(tuple(sorted((own, absolute))), 1, {atom: 1}))
        return result if number > 0 else -result

    # Trigonometric functions

    def take_angle(self, u: Element) -> None:
        """Write sums of angles by this one where that can be done, so that sin(x + y) is one of x and y."""
        self._angles.multiples(self.terms(u))

    def _circle(self, u: Element) -> Circle:
        """cos(u) and sin(u)."""
        vector = self.terms(u)
        key = frozenset(vector.items())
        if key not in self._circles:
            half_turn = ((self.pi, 1),)
            turns = vector.get(half_turn, 0)
            circle = (self.element(1), self.element(0))
            if turns and turns * 12 % 1 == 0:
                # of pi/12 they are (sqrt(6) + sqrt(2))/4 and (sqrt(6) - sqrt(2))/4
                six, two = (self.absolute_power(self.element(n), Fraction(1, 2)) for n in (6, 2))  # fmt: skip
                twelfth = (six + two) / 4, (six - two) / 4
                circle = self._power_of_circle(twelfth, int(turns * 12) % 24 or 24)
                del vector[half_turn]
            for angle, count in self._angles.multiples(vector):
                own = self._power_of_circle(self._unit_circle(angle), count)
                circle = self._product_of_circles(circle, own)
            self._circles[key] = circle
        return self._circles[key]

    def _unit_circle(self, angle: Angle) -> Circle:
        """Atoms for the cosine and sine of an angle; those of asin(u) and atan(u) are known."""
        [(monomial, number), *more] = angle
        kind, meaning = "", None
        if not more and len(monomial) == 1 and monomial[0][1] == 1:
            kind, meaning, _ = self.atoms[monomial[0][0]]
        # sin(2*asin(u)) is a polynomial in u and sqrt(1 - u^2), sin(asin(u)/2) is none
        small = number % 1 == 0 and -MOST_MULTIPLE <= number <= MOST_MULTIPLE
        if kind == "call" and isinstance(meaning, tuple) and small:
            operation, index = meaning
            if operation in _KNOWN_ANGLES:
                u = self.arguments(operation, index)[0]
                circle = (self.square_root(1 - u * u), u)
                if operation is table.ATAN:
                    cosine = 1 / self.square_root(1 + u * u)
                    circle = (cosine, u * cosine)
                return self._power_of_circle(circle, int(number))
        cosine_atom, sine = self.atom("cos", angle), self.atom("sin", angle)
        self.rules[sine] = Rule(2, 1, (), {ONE: 1, ((cosine_atom, 2),): -1})
        return self.of(cosine_atom), self.of(sine)

    def _power_of_circle(self, circle: Circle, count: int) -> Circle:
        """The cosine and sine of a multiple, other than 0, of an angle."""
        result = circle = circle if count > 0 else (circle[0], -circle[1])
        # behind 0b and the first 1, for which the circle itself stands
        for bit in bin(abs(count))[3:]:
            result = self._product_of_circles(result, result)
            if bit == "1":
                result = self._product_of_circles(result, circle)
        return result

    def _product_of_circles(self, one: Circle, other: Circle) -> Circle:
        """The cosine and sine of the sum of two angles."""
        (c, s), (d, t) = one, other
        return c * d - s * t, s * d + c * t

    def again(self) -> bool:
        """Prepare for another pass over the expression; whether it can find more than the last."""
        self._circles.clear()
        return self._angles.again() | super().again()


@cache
def _branches(operation: Operation) -> bool:
    """Return whether the formula takes a branch: then the domain of a part of it may not be that of the whole."""
    assert operation.formula is not None
    parts = phrase(operation.formula, operation.arity).parts()
    rows = [TABLE[part.name] for part in parts if isinstance(part.name, str)]
    return any(row.choose or (row.formula and _branches(row)) for row in rows)


def _factorial(field: ElementaryField, u: Element) -> Element:
    number = u.rational
    if number is not None and number.denominator == 1 and 0 <= number <= 100:
        return field.element(math.factorial(int(number)))
    return field._call(table.FACTORIAL, [u])


_METHODS: dict[Operation, Any] = {
    table.POW: ElementaryField.raised,
    table.POW_ODD: ElementaryField.real_power,
    table.POW_EVEN: ElementaryField.real_power,
    table.SQRT: ElementaryField.square_root,
    table.CBRT: lambda field, u: field.odd_power(u, Fraction(1, 3)),
    table.ROOT: ElementaryField.root,
    table.ABS: lambda field, u: field.absolute_power(u, 1),
    table.SIGN: ElementaryField._sign,
    table.EXP: ElementaryField.exponential,
    table.LN: ElementaryField.logarithm,
    table.COS: lambda field, u: field._circle(u)[0],
    table.SIN: lambda field, u: field._circle(u)[1],
    table.FACTORIAL: _factorial,
}


MOST_WORK = STAGES["rewriting and proofs"]
"""Elementary operations, mostly products of monomials, of about 5 µs each."""

MOST_NODES = 2000
_MOST_PASSES = 4


def vanishes(root: Value, work: int = MOST_WORK) -> bool:
    """Return whether the expression is proved to be 0 wherever all of its subexpressions are defined.

    The answer is a function of the expression: `work` counts operations, not time. Expressions with
    branches, and large ones, are never proved.
    """
    return field_of_proof(root, work) is not None


def field_of_proof(root: Value, work: int = MOST_WORK) -> ElementaryField | None:
    """The field in which the expression is 0; None if it is not proved to be."""
    order = topological(root, MOST_NODES)
    if not order or any(item.operation and item.operation.choose for item in order):
        return None
    field = ElementaryField(Work(work))
    with suppress(OutOfReachError):
        if any(field.is_zero(u) for [u] in _passes([order], field)):
            return field
    return None


def elements(roots: Sequence[Value], field: ElementaryField) -> list[Element]:
    """Formulas as elements of a field, in which facts about one are used for the others."""
    return list(_passes([topological(root) for root in roots], field))[-1]


def _passes(
    orders: Sequence[list[Value]], field: ElementaryField
) -> Iterator[list[Element]]:
    """The elements of graphs, again and again while these passes find more."""
    for _ in range(_MOST_PASSES):
        yield [element(field, order) for order in orders]
        if not field.again():
            return


def element(field: ElementaryField, order: list[Value]) -> Element:
    """The element of the last node."""
    field.work.spend(len(order))
    elements: dict[Value, Element] = {}
    steps = []
    for item in order:
        if item.operation is not None:
            steps.append(Step(item, item.operation, item.operands))
        elif not isinstance(item, Constant):
            elements[item] = field.of(field.atom("variable", item.name or id(item)))
        elif item.name == "e":
            elements[item] = field.of(field.atom("exp", (), nonnegative=True))
        elif item.name is not None:
            turns = round((item.data or 0) / math.pi)
            elements[item] = field.of(field.pi, number=turns)
        else:
            assert item.ratio is not None, "what has no name is a number"
            elements[item] = field.element(Fraction(*item.ratio))
    numbers = Numbers(lambda operation: lambda *own: field.apply(operation, own))
    return forward(steps, numbers, elements)[order[-1]]  # type: ignore[no-any-return] # an element
