"""A symbolic result, tidied: to canonical forms, to the shortest writing of each sum, and back.

    simplify(root)          the same value in fewer operations

Shared subgraphs stay shared, and chains of any depth are taken in one pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from fractions import Fraction
from itertools import chain

from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value
from exprgrad.operations import table
from exprgrad.symbolic.factoring import (
    Shortening,
    factored,
    is_plain_sum,
    is_power,
    spread,
)
from exprgrad.symbolic.forms import Algebra, Form, TooLargeError
from exprgrad.symbolic.writing import Writer

_SUMS = (table.ADD, table.SUB)
_PRODUCTS = (table.MUL, table.DIV, table.NEG)


SHORT, LONG = 20, 3000
"""The least and the greatest cost of formulas for which a shorter one is looked for."""

SHARE, PLAIN_SHARE = 0.88, 0.66
"""A fraction is taken instead of a formula if it costs less than this share of it; of a sum of powers, less."""

POLISHED = 3
"""Of each way to write a fraction, so many are polished."""

FORMS = ("short", "factored", "expanded")
"""The ways to write a formula: the shortest, as a product, or multiplied out."""


def simplify(root: Value, form: str = "short", units: Collection[Value] = ()) -> Value:
    """The graph with like terms and factors collected, in the order that people expect, in one of the `FORMS`.

    Or `collected` with nothing multiplied out or factored. As it is, if its numbers multiply out to something that could
    not be written. `units` are nodes that are 1 or -1 wherever the graph matters.
    """
    algebra = Algebra()
    try:
        reader = Reader(algebra, root, units=units)
        found = reader.form
        if form != "collected":
            found = _shorter(algebra, found)
        if form in ("factored", "expanded"):
            found = (factored if form == "factored" else spread)(algebra, found)
        return Writer(algebra, reader.decimal).graph(found)
    except TooLargeError:
        return root


def _shorter(algebra: Algebra, original: Form) -> Form:
    """Each sum and product the shortest way, or the original as one fraction where that is a good deal shorter."""
    shortening = Shortening(algebra, original)
    found = shortening.shortest(original)
    if not SHORT <= found.cost <= LONG:
        return found
    plain = is_plain_sum(algebra, found)
    most = (PLAIN_SHARE if plain else SHARE) * found.cost
    # 3/2 - x/2 stays a sum, unless a power comes of it
    whole = not plain or all(c.denominator == 1 for _, c in found.parts[0])
    for group in shortening.fractions(original, found.cost):
        for candidate in sorted(dict.fromkeys(group), key=lambda f: f.cost)[:POLISHED]:
            product = shortening.product(candidate)
            if product.cost < most and (whole or is_power(product)):
                found, most = product, product.cost
    return found


class Reader:
    """Turns a graph into a form, bottom up; sums and products of many operands as one, unless `apart`.

    Raises `TooLargeError`.
    """

    def __init__(
        self, algebra: Algebra, root: Value, apart: bool = False, units: Collection[Value] = ()
    ) -> None:  # fmt: skip
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
                form = self.algebra.applied(item.operation, own)
            self.forms[item] = form
            if item in units:
                algebra.units.add(form)
        self.form = self.forms[root]

    def _leaf(self, item: Value) -> Form:
        if not isinstance(item, Constant) or item.name is not None or item.data is None:
            return self.algebra.leaf(item)
        ratio = item.ratio
        assert ratio is not None, "what has no name is a number"
        # a decimal was typed: numbers may be written as decimals again
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
            # a minus turns the whole product, above the bar and below it
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
