"""Derivatives along a direction, and derivatives of higher order, at a point.

directional(f, at, seed)       the derivative along a direction, with a bound
hessian_product(f, at, v)      the Hessian times a vector, without the Hessian
derivatives(f, at, "x", n)     f, f', f'' ... up to order n, by power series
orders(f, at, "x", n)          the same with bounds, and why they end where they do

The value and the first derivative are those of `Expression.evaluate`, also at corners. The others are
power series in balls; where a rule does not hold, germs of the derivative as a formula go on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import Budget, budgeted
from exprgrad.errors import BindingError, ExprgradError, UsageError, needing
from exprgrad.expressions.expression import Evaluation, Expression, as_expression
from exprgrad.expressions.missing import missing
from exprgrad.language import inputs
from exprgrad.sweeps.balls.series import TooMuch
from exprgrad.sweeps.bounds import CORNER, DIGITS, UNDECIDED, Known
from exprgrad.sweeps.careful import push_forward
from exprgrad.sweeps.coordinates import Meant, Point, on_arrays
from exprgrad.sweeps.corners import OPEN, Corner, no_number
from exprgrad.sweeps.tape import Primals

HIGHEST = 1_000_000
"""The highest order, which only polynomials reach."""

HIGHEST_AT_CORNER = 6
"""The highest order that formulas are made for where a rule does not hold."""


MISSING = (CORNER, UNDECIDED)
"""The statuses of a derivative where there is none, as far as is known."""


class Directional(NamedTuple):
    """The derivative along `seed`: the sum of the partials times the seed's components.

    `corner` says why it does not exist, if so; `evaluation` has the value, and `slope` the derivative. `tangents`
    belong to the nodes of `expression.tape`, in double precision; there are none where it does not come through.
    `direction` has the exact components of the seed.
    """

    expression: Expression
    direction: Meant
    evaluation: Evaluation
    slope: Known
    corner: Corner | None
    tangents: list[float]

    def as_dict(self, digits: int = DIGITS) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        from exprgrad.expressions import fields

        return fields.directional_fields(self, digits)

    @property
    def at(self) -> dict[str, float]:
        """The point."""
        return self.evaluation.at

    @property
    def seed(self) -> dict[str, float]:
        """The direction in doubles."""
        return {name: t.double or 0.0 for name, t in self.direction.items()}

    @property
    def value(self) -> float:
        """The value of the expression."""
        return self.evaluation.value

    @property
    def derivative(self) -> float | None:
        """The derivative; None where it does not exist, or is beyond the range of doubles."""
        return self.slope.value

    @property
    def primals(self) -> Primals:
        """The values of all nodes in double precision, as far as it comes through."""
        return self.evaluation.primals


@budgeted
def directional(
    expression: Expression | str,
    at: Point,
    seed: Point,
    digits: int = DIGITS,
    *,
    budget: Budget | int | None = None,
) -> Directional:
    """The derivative of the expression at a point along a direction given by name.

    With arrays it is a `directions.ArrayDirectional`, in the shape of the value; a direction has the shape
    of its variable.
    """
    expression = as_expression(expression, inputs.point(at))
    components = inputs.values(seed, "a direction")
    if expression.takes_arrays(at) or any(map(on_arrays, components.values())):
        with needing("arrays need NumPy and SciPy", "arrays"):
            from exprgrad.expressions import directions
        return directions.along(expression, at, components, digits, directional)  # type: ignore[return-value] # the same with arrays for numbers
    direction = expression.direction(seed, "a direction")
    first = expression.evaluate(at, (), digits=digits)
    numbers = expression.coordinates(at)
    slope, corner = _along(expression, numbers, direction, first, digits)
    found = Directional(expression, direction, first, slope, corner, [])
    if not first.primals:
        return found
    (tangents,) = push_forward(expression.tape, first.primals, [found.seed])
    return found._replace(tangents=tangents)


def _along(
    expression: Expression, at: Meant, seed: Meant, first: Evaluation, digits: int
) -> tuple[Known, Corner | None]:
    """The derivative along a direction, and what is to be said of a corner there."""
    given = expression.given(at)
    # A variable whose component is 0 stands still, so that its corners do not count.
    moving = [n for n, t in seed.items() if t.ratio is None or t.ratio[0]]
    # a step at a corner counts though its operand has a tangent of 0: sign(x^2) jumps at 0
    culprits = expression.bounds.answer(at, moving, digits).culprits
    if not given and not culprits:
        _, slope = expression.bounds.along(at, seed, digits)
        if slope.status not in MISSING:
            return slope, None
    from fractions import Fraction

    from exprgrad.sweeps.germs.sides import Neighbourhood

    culprit = next((culprits[n] for n in moving if n in culprits), None)
    direction = dict[str, Any]()
    for name, t in seed.items():
        direction[name] = Fraction(*(t.ratio or (t.double or 0.0).as_integer_ratio()))
    near = Neighbourhood(expression.tape, at, given)
    return near.along(direction, culprit, first.primals, digits)


def hessian_product(
    expression: Expression | str, at: Point, vector: Point, digits: int = DIGITS
) -> dict[str, float]:
    """The Hessian at a point times a vector, by one forward and one reverse sweep."""
    expression = as_expression(expression, inputs.point(at))
    return expression.hessian_product(at, vector, digits)


class Orders(NamedTuple):
    """The derivatives of orders 0, 1, 2 ... with respect to one variable.

    `numbers` has what is known of each.
    """

    evaluation: Evaluation
    variable: str
    numbers: Sequence[Known]

    @property
    def problem(self) -> ExprgradError | None:
        """Why the first order that is missing is, from the second on: `evaluate` has the corner of the first."""
        orders = range(len(self.numbers))
        first = next((k for k in orders if self.numbers[k].status in MISSING), 0)
        return self.missing(first) if first > 1 else None

    def required(self) -> Sequence[Known]:
        """The numbers. Raises `NotDifferentiableError` or `UndecidedError` where one is missing."""
        if not self.numbers[1].is_number:
            raise self.missing(1)
        if self.problem is not None:
            raise self.problem
        return self.numbers

    def missing(self, order: int) -> ExprgradError:
        """Why there is no derivative of an order."""
        name, corners = self.variable, self.evaluation.corners
        which = f"with respect to {name}" if order == 1 else f"of order {order}"
        slope = f"derivative {which} at {name} = {self.evaluation.at[name]:.10g}"
        whether, denied = f"there is a {slope}", f"there is no {slope}"
        source = self.evaluation.expression.source
        undecided = self.numbers[order].status == UNDECIDED
        corner = corners[0] if corners and order == 1 else None
        return missing(whether, denied, source, undecided=undecided, corner=corner)


def orders(
    expression: Expression, at: Point, name: str, order: int, digits: int = DIGITS
) -> Orders:
    """The derivatives of orders 0 ... `order` with respect to one variable at a point, with bounds.

    Raises `BindingError` for an order that is none, `UsageError` where it is too much work.
    """
    if not isinstance(order, int) or not 1 <= order <= HIGHEST:
        what = f"an order is a whole number from 1 to {HIGHEST:,}, not {order}"
        raise BindingError(what)
    first = expression.evaluate(at, [name], digits=digits)
    numbers = expression.coordinates(at)
    start = [first.known(), first.known(name)]
    higher: list[Known] = []
    if not (first.corners or first.cornered or expression.given(numbers)):
        try:
            higher = expression.bounds.derivatives(numbers, name, order, digits)[2:]
        except TooMuch as much:
            what = f"derivatives up to order {order} take too much work here"
            fewer = f"ask for order {much.most} at the most" if much.most > 1 else None
            raise UsageError(what, hint=fewer) from None
    every = [*start, *takewhile(lambda own: own.status not in MISSING, higher)]
    ruled = len(every)
    # Without f' there is none of a higher order, either.
    if len(every) <= order and first.gradient[name] is None:
        undecided = first.known(name).status == UNDECIDED
        missing = OPEN if undecided else no_number
        every += [missing] * (order + 1 - len(every))
    # where a rule does not hold, each is the slope of the one before
    open_ = len(every) <= order and bool(expression.given(numbers))
    for k in range(len(every), order + 1):
        # Without f'' there is no f''': what is missing stays missing.
        if k > ruled and every[-1].value is None:
            every.append(every[-1])
        elif open_ or k > HIGHEST_AT_CORNER:
            every.append(OPEN)
        else:
            every.append(expression.continued(numbers, name, k))
    return Orders(first, name, every)


@budgeted
def derivatives(
    expression: Expression | str,
    at: Point,
    name: str,
    order: int,
    digits: int = DIGITS,
    *,
    budget: Budget | int | None = None,
) -> list[float]:
    """The derivatives of orders 0 ... `order` with respect to one variable at a point.

    Raises `NotDifferentiableError` where one does not exist, `RangeError` where one is beyond doubles.
    """
    expression = as_expression(expression, inputs.point(at))
    expression.refuse_unknown(inputs.text(name, "a variable"))
    found = orders(expression, at, name, order, digits).required()
    return [own.to_float() for own in found]
