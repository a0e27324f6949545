"""The objective that a descent minimises: a number that depends on variables, with its gradient.

    objective = Objective(parse("(a-3)^2 + b^2"), {"a": 0, "b": 1})
    objective.evaluate([0.0, 1.0])                    # 10.0, [-6.0, 2.0]

A descent keeps the variables as a list of entries, one number each. It uses only + - * / and powers on entries, so
that an entry may also be an array.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import repeat
from operator import add, mul

from exprgrad.annotations import Any, NamedTuple, SupportsFloat
from exprgrad.errors import BindingError, Hint, NotDifferentiableError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Value, is_variable, node
from exprgrad.language import inputs
from exprgrad.lazy import computed_once
from exprgrad.operations.table import ADD, MUL
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.symbolic.derivative import tangent

Entries = list[Any]
"""The variables of a descent, or their gradient: numbers, or arrays."""

Bounds = Mapping[str, tuple[float | None, float | None]]
"""The least and the greatest value of a variable; None where there is none."""


LEAST_SCALE = 1e-12
"""Partials that never were greater than this share of others are rounding, perhaps."""


class Limits(NamedTuple):
    """Bounds as numbers, a pair per entry; infinite where there is none."""

    lower: list[float]
    upper: list[float]


class Objective:
    """An expression as a function of some of its variables, by position; the others are `fixed`."""

    has_curvature = True
    """True if it has products of the Hessian with vectors."""

    given: Mapping[str, Coordinate] = {}
    """The values of what is fixed, as the numbers that are meant."""

    def __init__(
        self,
        expression: Expression,
        start: Mapping[str, SupportsFloat],
        fixed: Mapping[str, SupportsFloat] | None = None,
        bounds: Bounds | None = None,
    ) -> None:
        self.expression = expression
        self.names = self.changed(expression, start, fixed)
        every = {**(fixed or {}), **start}
        point, meant = expression.point(every), expression.coordinates(every)
        self.start: Entries = [point[name] for name in self.names]
        self.limits = limits(self.names, bounds or {})
        self._fixed = {n: x for n, x in point.items() if n not in self.names}
        self.given = {n: x for n, x in meant.items() if n not in self.names}
        self._compiled = expression.compile(self.names, subgradient=True)
        order = {name: i for i, name in enumerate(self.names)}
        self._order = [order.get(name) for name in expression.variables]
        self._rest = [point[name] for name in expression.variables]
        self._products: _Products | None = None
        self._place: list[Any] | None = None

    @staticmethod
    def changed(
        expression: Expression,
        start: Mapping[str, Any],
        fixed: Mapping[str, Any] | None,
    ) -> tuple[str, ...]:
        """The variables that are given a start. Raises `BindingError` and `UsageError`."""
        both = set(start) & set(fixed or {})
        if both:
            what = f"{min(both)} has a start and a fixed value"
            raise BindingError(what, hint="give one of them")
        for name in start:
            if name not in expression.variables:
                raise expression.no_variable(name)
        names = tuple(name for name in expression.variables if name in start)
        if not names:
            what = "there is nothing to vary"
            raise UsageError(what, hint=Hint("give_start", name="x"))
        return names

    def at(self, entries: Sequence[Any]) -> dict[str, Any]:
        """The variables by name."""
        return dict(zip(self.names, entries, strict=True))

    def entries(self, variables: Mapping[str, Any]) -> Entries:
        """The entries for variables by name."""
        return [variables[name] for name in self.names]

    def evaluate(self, entries: Sequence[float]) -> tuple[float, Entries]:
        """The value and the gradient; at a corner, by the convention of the table's rule (PyTorch's).

        Raises `DomainError` where there is none.
        """
        point = [
            rest if i is None else entries[i]
            for i, rest in zip(self._order, self._rest, strict=True)
        ]
        value, gradient = self._compiled(*point)
        if None in gradient:
            raise self._steep(entries, self.names[gradient.index(None)])
        return value, list(gradient)

    def _steep(self, entries: Sequence[float], name: str) -> NotDifferentiableError:
        """The error for a slope that no convention makes finite; its place is that of the first."""
        # a search may come across thousands of these, and finding the place takes a sweep of its own
        if self._place is None:
            at = self.at(entries) | self._fixed
            corners = self.expression.evaluate(at, [name], subgradient=True).corners
            self._place = [corner.span for corner in corners]
        what = f"the partial derivative with respect to {name} does not exist here"
        span = self._place[0] if self._place else None
        return NotDifferentiableError(what, span, source=self.expression.source)

    def hessian_product(
        self, entries: Sequence[float], vector: Sequence[float]
    ) -> list[float]:
        """The Hessian times a vector; nan where it does not exist. Raises `DomainError`."""
        if self._products is None:
            self._products = _Products(self.expression, self.names)
        at = self.at(entries) | self._fixed
        return self._products(at, self.at(vector))

    def clipped(self, entries: Entries) -> Entries:
        """The nearest point within the bounds."""
        if not self.bounded:
            return entries
        return [
            min(max(x, low), high)
            for x, low, high in zip(entries, *self.limits, strict=True)
        ]

    @computed_once
    def bounded(self) -> bool:
        """Return whether any variable has a bound."""
        return not all(map(math.isinf, (*self.limits.lower, *self.limits.upper)))

    def free(self, entries: Entries, gradient: Entries, vector: Entries) -> Entries:
        """A vector, with 0 for the variables that the gradient presses against a bound."""
        if not self.bounded:
            return vector
        rows = zip(vector, entries, gradient, *self.limits, strict=True)
        return [0.0 if pressed(*at_bound) else x for x, *at_bound in rows]

    def norm(self, entries: Entries, gradient: Entries) -> float:
        """The length of the gradient, less what is pressed against a bound."""
        return math.hypot(*self.free(entries, gradient, gradient))

    def largest(self, before: Entries | None, gradient: Entries) -> Entries:
        """The sizes of the partials, or those before where they were greater."""
        if before is None:
            return [abs(g) for g in gradient]
        return [max(b, abs(g)) for b, g in zip(before, gradient, strict=True)]

    def relative(self, gradient: Entries, largest: Entries) -> Entries:
        """The partials relative to the largest so far, where these are less than 1."""
        least = LEAST_SCALE * max(largest)
        return [
            # all partials may have been 0
            g / min(1.0, max(x, least)) if g else g
            for g, x in zip(gradient, largest, strict=True)
        ]

    def dot(self, left: Entries, right: Entries) -> float:
        """The scalar product of two vectors."""
        return sum(map(mul, left, right), 0.0)

    def moved(self, entries: Entries, length: float, direction: Entries) -> Entries:
        """A point, or any vector, and so many times another."""
        return list(map(add, entries, map(mul, repeat(length), direction)))

    def same(self, left: Entries, right: Entries) -> bool:
        """Return whether two points are the same."""
        return left == right

    def finite(self, entries: Entries) -> bool:
        """Return whether every entry is a finite number."""
        return all(map(math.isfinite, entries))

    def furthest(self, entries: Entries) -> tuple[str, float]:
        """The variable with the largest absolute value, and that value."""
        # nan counts as infinite: in comparisons it would get lost
        i = max(range(len(entries)), key=lambda i: (math.inf if math.isnan(entries[i]) else abs(entries[i]), -i))  # fmt: skip
        return self.names[i], entries[i]

    def done(self, entries: Entries) -> None:
        """Called with the last point of a descent."""


class _Products:
    """Products of the Hessian with vectors, as generated code.

    With g_i the partial derivatives as formulas, and weights w_i, the gradient of sum w_i*g_i is the Hessian times w.
    """

    def __init__(self, expression: Expression, names: Sequence[str]) -> None:
        self._names = names
        weights = {name: Value(None, f"w.{name}") for name in names}
        terms = (
            node(MUL, (weight, tangent(expression.root, name)))
            for name, weight in weights.items()
        )
        total = reduce(lambda left, right: node(ADD, (left, right)), terms)
        weighted = Expression.of(total)
        self._variables = weighted.variables
        # in x^2 + y, no partial has a y in it: its row of the Hessian is 0
        self._places = {
            n: i for i, n in enumerate(n for n in names if n in self._variables)
        }
        self._compiled = weighted.compile(self._places)

    def __call__(self, at: dict[str, float], vector: dict[str, float]) -> list[float]:
        given = at | {f"w.{name}": x for name, x in vector.items()}
        _, found = self._compiled(*(given[name] for name in self._variables))
        row = [math.nan if x is None else x for x in found]
        return [row[self._places[n]] if n in self._places else 0.0 for n in self._names]


class ParametersObjective(Objective):
    """A graph of `Value`s as a function of its leaves, which are left at the minimum."""

    def __init__(
        self, root: Value, parameters: Sequence[Value], bounds: Bounds | None
    ) -> None:
        known = {item for item in topological(root) if is_variable(item)}
        chosen = [leaf for leaf in parameters if leaf in known]
        if any(leaf.data is None for leaf in known):
            raise BindingError("a variable of the graph has no data")
        # each has its own name where no other leaf has it
        given = Counter(leaf.name for leaf in known if leaf.name)
        names = {}
        for i, leaf in enumerate([*chosen, *(known - set(chosen))], 1):
            own = leaf.name if leaf.name and given[leaf.name] == 1 else f"p{i}"
            # another leaf may be called p2
            while own != leaf.name and own in given:
                own += "_"
            names[leaf] = own
        leaves = {leaf: Value(leaf.data, own) for leaf, own in names.items()}
        expression = Expression.of(replaced(root, leaves))
        data = {names[leaf]: leaf.data or 0.0 for leaf in known}
        start = {names[leaf]: data[names[leaf]] for leaf in chosen}
        fixed = {name: x for name, x in data.items() if name not in start}
        super().__init__(expression, start, fixed, bounds)
        self._leaves = {names[leaf]: leaf for leaf in chosen}

    def done(self, entries: Entries) -> None:
        """Give the leaves their last data. The graph above them still has the values of their first."""
        for name, value in self.at(entries).items():
            self._leaves[name].data = value


def pressed(x: Any, slope: Any, low: Any, high: Any) -> Any:
    """Return whether a step against the slope would cross the bound that a variable is at; of arrays a mask."""
    return ((x <= low) & (slope > 0)) | ((x >= high) & (slope < 0))


def limits(names: Sequence[str], bounds: Bounds) -> Limits:
    """The bounds by position. Raises `UsageError` for a name that is not among them."""
    given = {name: _pair(ends) for name, ends in bounds.items()}
    for name, (low, high) in given.items():
        if name not in names:
            what = f"a bound is given for {name}, which does not vary"
            raise UsageError(what, hint=f"the variables are: {', '.join(names)}")
        if not low <= high:
            hint = Hint("bounds", name=name)
            raise UsageError(f"the bounds of {name} are the wrong way round", hint=hint)
    pairs = [given.get(name, (-math.inf, math.inf)) for name in names]
    return Limits([low for low, _ in pairs], [high for _, high in pairs])


def _pair(ends: Any) -> tuple[float, float]:
    """Two bounds as numbers, infinite where there is none. Raises `UsageError`."""
    try:
        low, high = ends
    except (TypeError, ValueError):
        raise UsageError("bounds are two numbers, the least and the greatest") from None
    return (
        -math.inf if low is None else inputs.number(low, "a bound"),
        math.inf if high is None else inputs.number(high, "a bound"),
    )
