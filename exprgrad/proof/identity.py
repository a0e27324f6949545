"""Proofs that an expression is 0.

    vanishes(root)          True: it is 0 at every real point where it is defined; False: not proved

The expression is read into a field of atoms (`elementary`) in a few passes: what a later part implies
about the domain, or about the angles that occur, is used for earlier parts in the next pass. Roots are
real and nothing is assumed about signs, so sqrt(x^2) - x is not 0, and sqrt(x)^2 - x is.

By Richardson's theorem (1968) there is no zero test for functions in general; the cases of school
mathematics are rational functions of independent atoms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from exprgrad.algebra.field import Element
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.budget import STAGES
from exprgrad.graph.order import topological
from exprgrad.graph.sweep import forward
from exprgrad.graph.value import Constant, Value
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.proof.elementary import ElementaryField

MOST_WORK = STAGES["rewriting and proofs"]
"""Elementary operations, mostly products of monomials, of about 5 µs each."""

MOST_NODES = 2000
_MOST_PASSES = 4


def vanishes(root: Value, work: int = MOST_WORK) -> bool:
    """Whether the expression is proved to be 0 wherever all of its subexpressions are defined.

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
    try:
        for _ in range(_MOST_PASSES):
            if field.is_zero(element(field, order)):
                return field
            if not field.again():
                break
    except OutOfReachError:
        pass
    return None


def elements(roots: Sequence[Value], field: ElementaryField) -> list[Element]:
    """Formulas as elements of a field, in which facts about one are used for the others."""
    for _ in range(_MOST_PASSES):
        found = [element(field, topological(root)) for root in roots]
        if not field.again():
            break
    return found


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
