"""The ways to compute a derivative, side by side: numeric, symbolic, forward and reverse.

    compare(f, at)       one row per method and variable, with the error against 50 digits
    gradcheck(f, at)     whether the engine's gradient agrees with central differences

The reference is what `Expression.evaluate` gives with that many digits, all of them right. Numeric derivatives (forward
and central differences, and Richardson's extrapolation of the latter) use step sizes that balance the
error of truncation against that of rounding (Press et al., *Numerical Recipes*, 5.7).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import Budget, budgeted
from exprgrad.errors import DomainError, UsageError
from exprgrad.expressions.expression import Evaluation, Expression, as_expression
from exprgrad.expressions.missing import missing
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value
from exprgrad.language import inputs
from exprgrad.numbers.real import decimal, kept
from exprgrad.sweeps.bounds import UNDECIDED
from exprgrad.sweeps.coordinates import Coordinate, Point

DIGITS = 50
"""Digits of the reference."""


class Method(NamedTuple):
    """One method's derivative with respect to one variable.

    `error` is relative to the reference (absolute where that is 0); `evaluations` counts evaluations of the whole
    expression for numeric methods, `nodes` the nodes visited; `seconds` is the least of some runs. `value` is None
    where the method fails at this point; `error_text` has an error beyond the range of doubles.
    """

    name: str
    variable: str
    value: float | None
    error: float | None
    evaluations: int
    nodes: int
    seconds: float
    error_text: str = ""


class Comparison(NamedTuple):
    """All methods on one expression at one point.

    `size` counts the operations of the expression, `formula_sizes` those of each symbolic derivative
    written out. `given` has the coordinates that no double is equal to.
    """

    expression: Expression
    at: dict[str, float]
    reference: dict[str, str]
    size: int
    formula_sizes: dict[str, int]
    methods: list[Method]
    given: Mapping[str, Coordinate] = {}

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        from exprgrad.expressions.fields import point_fields

        return {
            "expression": self.expression.title,
            **point_fields(self.at, self.given),
            "reference": self.reference,
            "operations": self.size,
            "formula_operations": self.formula_sizes,
            "methods": [
                # the decimal of an error stands beside a null
                {k: v for k, v in m._asdict().items() if v or k != "error_text"}
                for m in self.methods
            ],
        }


@budgeted
def compare(
    expression: Expression | str, at: Point, *, budget: Budget | int | None = None
) -> Comparison:
    """Run every method for every variable. Raises where there is no derivative at the point."""
    expression = as_expression(expression, inputs.point(at))
    if not expression.variables:
        what = "the expression has no variable to differentiate with respect to"
        raise UsageError(what)
    expression.refuse_arrays(at)
    first = expression.evaluate(at, digits=DIGITS)
    exact = _exact_gradient(first)
    formulas = {name: expression.derivative(name) for name in expression.variables}
    methods = [
        _run(name, exact[name], *own)
        for name, formula in formulas.items()
        for own in _methods(expression, formula, first.at, name)
    ]
    right = {name: decimal(value, DIGITS) for name, value in exact.items()}
    size, given = len(expression.tape.steps), first.given
    sizes = {name: len(formula.tape.steps) for name, formula in formulas.items()}
    return Comparison(expression, first.at, right, size, sizes, methods, given)


def reference(
    expression: Expression, at: Point, digits: int = DIGITS
) -> dict[str, Any]:
    """The gradient in numbers of many digits with so many right digits."""
    return _exact_gradient(expression.evaluate(at, digits=digits))


def _exact_gradient(found: Evaluation) -> dict[str, Any]:
    """The gradient of an evaluation in numbers of many digits."""
    exact: dict[str, Any] = {}
    for name in found.gradient:
        number = found.known(name)
        if not number.is_number:
            slope = f"derivative with respect to {name} to compare here"
            whether, denied = f"there is a {slope}", f"there is no {slope}"
            source, undecided = found.expression.source, number.status == UNDECIDED
            corner = next((c for c in found.corners if c.variable == name), None)
            raise missing(whether, denied, source, undecided=undecided, corner=corner, place=" here")  # fmt: skip
        exact[name] = kept(number.value if number.middle is None else number.middle)
    return exact


Work = Callable[[], float | None]
"""What computes a derivative."""


def _methods(
    expression: Expression, formula: Expression, at: dict[str, float], name: str
) -> list[tuple[str, Work, int, int]]:
    """The methods, each with its work, how often it evaluates the expression, and the nodes it visits."""
    size, x = len(expression.tape.steps), at[name]
    along, inside = _along(expression, at, name), {n: at[n] for n in formula.variables}

    def swept(mode: str) -> float | None:
        found = expression.evaluate(at, [name], mode=mode, refine=False)
        return found.gradient[name]

    return [
        ("forward difference", lambda: forward_difference(along, x), 2, 2 * size),
        ("central difference", lambda: central_difference(along, x), 2, 2 * size),
        ("Richardson", lambda: richardson(along, x), 8, 8 * size),
        ("symbolic", lambda: formula(**inside), 1, len(formula.tape.steps)),
        ("forward mode", lambda: swept("forward"), 0, 2 * size),
        ("reverse mode", lambda: swept("reverse"), 0, 2 * size),
    ]


def _along(
    expression: Expression, at: dict[str, float], name: str
) -> Callable[[float], float]:
    """The expression as a function of one variable, the others held."""
    return lambda x: expression(**{**at, name: x})


def _run(
    name: str, exact: Any, label: str, work: Work, evaluations: int, nodes: int
) -> Method:
    """Return what a method gives, and the least time of three runs."""
    seconds, value = math.inf, None
    try:
        for _ in range(3):
            start = time.perf_counter()
            value = work()
            # Whatever else the machine does only adds to the time, so that the least is the truest.
            seconds = min(seconds, time.perf_counter() - start)
    except DomainError:
        value = None
    # a difference quotient may overflow: of 1e300/x at 1e-8 the central one is -inf
    if value is None or not math.isfinite(value):
        return Method(label, name, None, None, evaluations, nodes, 0.0)
    relative = abs(exact - value) / (abs(exact) if exact else 1)
    error: float | None = float(relative)
    text = decimal(relative, 1) if error == math.inf else ""
    error = None if text else error
    return Method(label, name, value, error, evaluations, nodes, seconds, text)


def forward_difference(f: Callable[[float], float], x: float) -> float:
    """(f(x+h) - f(x))/h with h about the square root of the unit roundoff."""
    h = _step(x, 2.0**-26)
    return (f(x + h) - f(x)) / h


def central_difference(f: Callable[[float], float], x: float) -> float:
    """(f(x+h) - f(x-h))/2h with h about the cube root of the unit roundoff."""
    h = _step(x, 2.0**-17)
    return (f(x + h) - f(x - h)) / (2 * h)


def richardson(f: Callable[[float], float], x: float, rows: int = 4) -> float:
    """Central differences at h, h/2, h/4 ... extrapolated to h = 0 (Richardson, 1911)."""
    # Coarse, as rounding is divided by h: four rows leave a truncation in h^8 all the same.
    h = _step(x, 2.0**-5)
    table: list[float] = []
    for _ in range(rows):
        row = [(f(x + h) - f(x - h)) / (2 * h)]
        for k, previous in enumerate(table, 1):
            # The error of a central difference has even powers of h alone: each column takes away the next of them.
            row.append(row[-1] + (row[-1] - previous) / (4**k - 1))
        table, h = row, h / 2
    return table[-1]


def _step(x: float, relative: float) -> float:
    """A step such that x + h is exact."""
    h = relative * max(abs(x), 1.0)
    # The step that doubles take: (0.1 + 1e-8) - 0.1 is not 1e-8, and the quotient would be off by as much.
    return (x + h) - x


MOST_LEVELS = 12
"""Subexpressions whose derivatives are counted."""


def growth(expression: Expression | str, name: str) -> list[tuple[int, int, int]]:
    """Return how a derivative swells: the depth of subexpressions from a variable to the result, their operations, and those of their derivatives."""
    expression = as_expression(expression)
    depth: dict[Value, int] = {}
    for item in topological(expression.root):
        below = [depth[operand] for operand in item.operands if operand in depth]
        if item.name == name or below:
            depth[item] = max(below, default=-1) + 1
    way = [expression.root]
    while depth[way[-1]] > 1:
        # The longest way down, which has the most levels to look at.
        way.append(max(way[-1].operands, key=lambda operand: depth.get(operand, -1)))
    chosen = [item for i, item in enumerate(way) if i % -(-len(way) // MOST_LEVELS) == 0]  # fmt: skip
    parts = [(depth[item], Expression.of(item)) for item in reversed(chosen)]
    return [(d, len(f.tape.steps), len(f.derivative(name).tape.steps)) for d, f in parts]  # fmt: skip


class Check(NamedTuple):
    """The engine's gradient beside central differences; `worst` is the largest relative difference."""

    agrees: bool
    worst: float
    gradient: dict[str, float]
    numeric: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read."""
        return self._asdict()


def gradcheck(
    expression: Expression | str, at: Point, tolerance: float = 1e-6
) -> Check:
    """Compare the reverse sweep with Richardson's extrapolated differences at a point.

    Differences are relative to the larger of the two, or to 1 where both are small. Raises
    `DomainError` where the expression or its gradient does not exist at or next to the point.
    """
    expression = as_expression(expression, inputs.point(at))
    tolerance = inputs.number(tolerance, "a tolerance")
    gradient = expression.gradient(at, refine=False)
    point = expression.point(at)
    numeric = {
        name: richardson(_along(expression, point, name), point[name])
        for name in gradient
    }
    pairs = [(g, numeric[name]) for name, g in gradient.items()]
    off = (abs(h - g) / max(abs(g), abs(h), 1.0) for g, h in pairs)
    worst = max(off, default=0.0)
    return Check(worst <= tolerance, worst, gradient, numeric)
