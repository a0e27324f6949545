"""Derivatives in arrays along a direction, by one forward sweep.

    found = along(f, {"x": [1, 2], "y": 3}, {"x": [1, 0]}, 10, alone)
    found.derivative, found.error            # each in the shape of the result; nan where it does not exist

The derivative along v is J v, of the Jacobian J: one sweep of tangents gives it for every element of the result.
Elements whose digits do not stand, or that are at a corner, are asked for like any number, by `alone`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import BindingError, about
from exprgrad.expressions.elements import (
    MOST_WORK,
    OPEN,
    Apart,
    Place,
    WrittenOut,
    balls,
    cost,
    doubtful,
    formulas_hold,
    number,
    stands,
    takes_elements,
)
from exprgrad.expressions.expression import ArrayEvaluation, Expression
from exprgrad.operations.array_balls import ArrayBall
from exprgrad.sweeps.arrays.bounds import Primals, plain, primals
from exprgrad.sweeps.arrays.bounds import along as swept_along
from exprgrad.sweeps.arrays.elements import place_name, work
from exprgrad.sweeps.coordinates import Coordinates, Point
from exprgrad.sweeps.corners import DIGITS, Corner, no_number

SHORT = 6
"""Elements of a direction that is written out in a hint."""

MOST_SINGLY = 50_000
"""Nodes, each times its cost, of all elements together that are looked at singly."""

Alone = Callable[..., Any]
"""The derivative along a direction of numbers: see `higher_orders.directional`."""


class ArrayDirectional(NamedTuple):
    """The derivative along `seed`, the Jacobian times it, in the shape of the value.

    A number is a float, an array has the type of NumPy. Where the derivative does not exist it is None, in an
    array nan, and `corners` says why; their `variable` is the place in the result, such as `[0]`. `error`
    bounds the errors of the derivative, in its shape; `evaluation` has the value with its own.
    """

    expression: Expression
    at: dict[str, Any]
    seed: dict[str, Any]
    value: Any
    derivative: Any
    error: Any
    corners: tuple[Corner, ...]
    evaluation: ArrayEvaluation

    def as_dict(self, digits: int = DIGITS) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        from exprgrad.expressions import fields

        return fields.array_directional_fields(self, digits)


class WrongShape(BindingError):
    """A direction that has not the shape of its variable, whose name is `variable`."""

    variable = ""


def along(
    expression: Expression, at: Point, seed: Point, digits: int, alone: Alone
) -> ArrayDirectional:
    """The derivative along a direction at numbers and arrays, good for so many digits where that can be had."""
    given = expression.array_coordinates(at)
    direction = _direction(expression, given, seed)
    evaluation: Any = expression.evaluate(at, (), digits=digits)
    leaves, tape = balls(given), expression.tape
    # variables that stand still have no tangent
    seeds: dict[str, ArrayBall | None] = dict.fromkeys(tape.variables)
    seeds.update(balls({n: own for n, own in direction.items() if own.data.any()}))
    with about(expression.source):
        found = primals(tape, leaves, expression.written)
        tangent, refused = swept_along(tape, found, seeds), found.refused is not None
        sure = formulas_hold(expression.slopes, leaves)
        # No error is at most nan: then every element is looked at singly.
        enough = 0.5 * 10.0**-digits if sure else math.nan
        with np.errstate(all="ignore"):
            slopes, errors = np.array(tangent.mid), tangent.radius
        places: list[Place] = []
        if refused or not stands(tangent, enough):
            unsure = doubtful(slopes, errors, enough) | refused
            places = list(map(tuple, np.argwhere(unsure).tolist()))
        apart = _apart(expression, found, leaves, len(places))
        corners = []
        for place in places:
            slope, corner = no_number, None
            if apart is not None:
                part, points = apart.element(place, given, direction)
                one = alone(expression.part(*part) if part else expression, *points, digits)  # fmt: skip
                slope, corner = one.slope, one.corner
            # Its digits do not all stand, but it has a bound, which says how many do.
            elif errors[place] < math.inf and not refused:
                continue
            slopes[place], errors[place] = number(slope, "the derivative")
            if corner is None and not slope.is_number:
                corner = OPEN
            if corner is not None:
                corners.append(corner._replace(variable=place_name("", place)))
    derivative = plain(slopes)
    missing = isinstance(derivative, float) and math.isnan(derivative)
    point = {name: plain(own.data) for name, own in given.items()}
    vector = {name: plain(own.data) for name, own in direction.items()}
    numbers = evaluation.value, None if missing else derivative, plain(errors)
    ends = tuple(corners), evaluation
    return ArrayDirectional(expression, point, vector, *numbers, *ends)


def _direction(
    expression: Expression, given: Mapping[str, Coordinates], seed: Point
) -> dict[str, Coordinates]:
    """The direction as the numbers that are meant, in the shapes of the variables. Raises `WrongShape`."""
    found = {}
    for name, component in seed.items():
        expression.refuse_unknown(name)
        own = expression.numbers_of(name, component)
        shape = given[name].data.shape
        if own.data.shape != shape:
            first = f"{name} has the shape {shape}" if shape else f"{name} is a number"
            other = f"has the shape {own.data.shape}" if own.data.shape else "is a number"  # fmt: skip
            fix = f"give an array of the shape {shape}"
            if math.prod(shape) <= SHORT:
                one = np.zeros(shape, int)
                one[(0,) * one.ndim if one.size else ...] = 1
                fix = f"for example {name}={one.tolist()}"
            error = WrongShape(f"{first}, but its direction {other}", None, fix)
            error.variable = name
            raise error
        found[name] = own
    return found


def _apart(
    expression: Expression, found: Primals, leaves: Mapping[str, ArrayBall], count: int
) -> Apart | None:
    """So many elements of the result, to be looked at singly; None for too many."""
    tape, values = expression.tape, found.values
    if takes_elements(tape):
        return Apart(None) if cost(tape) * count <= MOST_SINGLY else None
    if not count or work(tape, values) * count > MOST_WORK:
        return None
    return Apart(WrittenOut(tape, values, expression.slopes, leaves))
