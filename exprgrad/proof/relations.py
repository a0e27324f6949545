"""The relations between parts of an expression by which it is proved to be 0, as graphs.

    relations(root)[0]      sin(x)^2 = 1 - cos(x)^2, or |x| = x where x >= 0

What a relation asks are graphs with the sign >= or !=, which hold wherever the expression has a value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import reduce

from exprgrad.algebra.field import Element
from exprgrad.algebra.polynomials import Rational
from exprgrad.algebra.work import OutOfReachError
from exprgrad.annotations import Any, NamedTuple
from exprgrad.graph.value import Constant, Value, node
from exprgrad.operations.table import ABS, ADD, COS, EXP, LN, MUL, POW, SIN
from exprgrad.proof.elementary import ElementaryField, field_of_proof

CALLS = {"exp": EXP, "sin": SIN, "cos": COS}


class Relation(NamedTuple):
    """Two graphs that are equal where others have the signs that stand beside them."""

    left: Value
    right: Value
    where: tuple[tuple[Value, str], ...] = ()


def relations(root: Value) -> list[Relation]:
    """Return the relations between atoms of an expression that is proved to be 0."""
    field = field_of_proof(root)
    return [] if field is None else [*Graphs(field).relations()]


class Graphs:
    """Writes what is in a field as graphs. Raises `OutOfReachError` for what has no real value of its own."""

    def __init__(self, field: ElementaryField) -> None:
        self.field = field

    def relations(self) -> Iterator[Relation]:
        """The relations; those of numbers with themselves are left out."""
        for atom, rule in self.field.rules.items():
            kind = self.field.atoms[atom].kind
            if kind in ("prime", "root"):
                continue
            with suppress(OutOfReachError):
                right = self.monomial(rule.factors, rule.number)
                if rule.polynomial is not None:
                    right = self.polynomial(rule.polynomial.items())
                # |f| = f where f >= 0, but |f|^2 = f^2 everywhere
                where = ((right, ">="),) if kind == "abs" and rule.unit == 1 else ()
                yield Relation(self.monomial([(atom, rule.unit)]), right, where)
        for atoms, number, factors in self.field.products:
            with suppress(OutOfReachError):
                left = self.monomial([(a, 1) for a in atoms])
                right = self.monomial(factors.items(), number)
                yield Relation(left, right, ((right, ">="),))

    def monomial(self, factors: Iterable[Any], number: Rational = 1) -> Value:
        """A number times powers of atoms."""
        powers = [self.atom(a) if e == 1 else node(POW, (self.atom(a), Constant(Fraction(e)))) for a, e in factors]  # fmt: skip
        first = [Constant(Fraction(number))] if number != 1 or not powers else []
        return reduce(lambda a, b: node(MUL, (a, b)), [*first, *powers])

    def polynomial(self, terms: Iterable[Any]) -> Value:
        """A sum of monomials with their numbers."""
        every = [self.monomial(m, c) for m, c in terms]
        return reduce(lambda a, b: node(ADD, (a, b)), every or [Constant(Fraction(0))])

    def element(self, u: Element) -> Value:
        """A number times factors, times a sum."""
        own = self.monomial(u.factors.items(), u.number)
        return (
            own if u.sum is None else node(MUL, (own, self.polynomial(u.sum.items())))
        )

    def atom(self, number: int) -> Value:
        """An atom by its number."""
        kind, meaning, _ = self.field.atoms[number]
        if kind == "variable":
            return Value(None, str(meaning))
        if kind == "constant":
            return Constant(math.pi, "pi")
        if kind == "prime":
            return Constant(Fraction(meaning))
        if kind == "sum":
            return self.polynomial(meaning)
        if kind == "abs":
            return node(ABS, (self.atom(meaning),))
        if kind == "ln":
            return node(LN, (node(ABS, (self.atom(meaning),)),))
        if kind == "call":
            operation, index = meaning
            own = self.field.arguments(operation, index)
            return node(operation, tuple(map(self.element, own)))
        if kind == "exp":
            return node(EXP, (self.monomial(meaning),))
        if kind not in CALLS:  # the logarithm of a negative number
            raise OutOfReachError
        return node(CALLS[kind], (self.polynomial(meaning),))
