"""Expressions in arrays: their value, and the gradient in the shape of each variable.

The forward sweep lets elements without a value pass as nan. If one is left that the result needs, the
sweep back over masks finds the first: a branch that `if` does not take needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from exprgrad.errors import BindingError, ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.value import is_array
from exprgrad.language.points import check_names
from exprgrad.operations import on_arrays as arraydata
from exprgrad.operations.array_kernels import unbroadcast
from exprgrad.operations.number_types import Step
from exprgrad.sweeps.corners import Corner
from exprgrad.sweeps.tape import Tape

Array = arraydata.Array


class ArrayEvaluation(NamedTuple):
    """An expression's value and, if that is one number, its partial derivatives.

    A number is a float; an array has the type of NumPy. `gradient` has an entry for every
    differentiated variable, in the variable's shape; it is None where the value is an array. At a corner
    it is that of the table's rule, so `corners` is empty.
    """

    expression: Expression
    at: dict[str, Any]
    value: Any
    gradient: dict[str, Any] | None
    corners: tuple[Corner, ...] = ()


def evaluate(
    expression: Expression, at: Mapping[str, Any], wrt: Iterable[str] | None = None
) -> ArrayEvaluation:
    """The value and the gradient at a point of numbers and arrays."""
    point = point_of(expression, at)
    names = list(expression.variables if wrt is None else wrt)
    for name in names:
        if name not in expression.tape.variables:
            raise expression.no_variable(name)
    tape = expression.tape
    values = forward(expression, point)
    value = values[tape.root]
    gradient = None
    if value.size == 1:
        try:
            adjoints = backward(tape, values, tape.active(names))
        except ExprgradError as error:
            error.source = expression.source
            raise
        gradient = {}
        for name in names:
            own = adjoints[tape.variables[name]]
            shape = values[tape.variables[name]].shape
            gradient[name] = plain(np.zeros(shape) if own is None else own)
    return ArrayEvaluation(expression, point, plain(value), gradient)


def plain(array: Any) -> Any:
    """An array without axes as a float."""
    return array + 0.0 if np.ndim(array) else float(array) + 0.0


def point_of(expression: Expression, at: Mapping[str, Any]) -> dict[str, Any]:
    """The values by name: floats, and arrays of floats. Raises `BindingError`."""
    tape = expression.tape
    places = {name: tape.nodes[i].span for name, i in tape.variables.items()}
    try:
        check_names(places, expression.declared, at)
    except BindingError as error:
        error.source = expression.source
        raise
    point: dict[str, Any] = {}
    for name in expression.variables:
        try:
            data = arraydata.as_data(at[name])
        except ExprgradError as error:
            raise BindingError(f"the value of {name}: {error.message}") from None
        point[name] = data if is_array(data) else float(data)
    return point


def forward(expression: Expression, point: Mapping[str, Any]) -> list[Any]:
    """The value of every node. Raises `DomainError` and `ShapeError`, with the place."""
    tape = expression.tape
    values: list[Any] = [None] * len(tape.nodes)
    for name, i in tape.variables.items():
        values[i] = np.asarray(point[name], np.float64)
    for i, _ in tape.constants:
        values[i] = np.asarray(tape.nodes[i].data, np.float64)
    for step in tape.steps:
        try:
            own = [values[j] for j in step.operands]
            values[step.node] = arraydata.quiet(step.operation, own)
        except ExprgradError as error:
            if step.operation.name == "item" and not own[0].ndim:
                _explain_no_elements(error, expression, step)
            error.span, error.source = tape.nodes[step.node].span, expression.source
            raise
    if not all(np.isfinite(values[step.node]).all() for step in tape.steps):
        _refuse(expression, values)
    return values


def _explain_no_elements(
    error: ExprgradError, expression: Expression, step: Step
) -> None:
    """Say that a number has no elements; brackets behind it may have been meant as a product."""
    nodes = [expression.tape.nodes[j] for j in step.operands]
    base, *indexes = map(expression.written, nodes)
    error.message = f"{base} is a number here and has no elements"
    error.args = (error.message,)
    brackets = expression.written(expression.tape.nodes[step.node]).endswith("]")
    if brackets and len(indexes) == 1 and nodes[0].operation is None:
        index = indexes[0] if indexes[0].isdigit() else f"({indexes[0]})"
        error.hint = f"write {base}*{index} for the product"


def _refuse(expression: Expression, values: list[Any]) -> None:
    """Raise the error of the first node that lacks a value where the result needs it."""
    tape = expression.tape
    alive = _needed(tape, values)
    for step in tape.steps:
        mask = alive[step.node]
        if mask is None or not (~np.isfinite(values[step.node]) & mask).any():
            continue
        arguments = [values[j] for j in step.operands]
        counts = True if step.operation.mean else mask
        written = [expression.written(tape.nodes[j]) for j in step.operands]
        error = arraydata.fault(step.operation, arguments, counts, written)
        error.span, error.source = tape.nodes[step.node].span, expression.source
        raise error


def _needed(tape: Tape, values: list[Any]) -> list[Any]:
    """For every node, which of its elements the result depends on; None for no one."""
    alive: list[Any] = [None] * len(tape.nodes)
    alive[tape.root] = np.ones(values[tape.root].shape, bool)
    for step in reversed(tape.steps):
        mask = alive[step.node]
        if mask is None:
            continue
        for position, j in enumerate(step.operands):
            own = _mask(step, position, mask, values)
            alive[j] = own if alive[j] is None else alive[j] | own
    return alive


def _mask(step: Step, position: int, mask: Any, values: list[Any]) -> Any:
    shape = values[step.operands[position]].shape
    if step.operation.whole or step.operation.mean:
        return np.full(shape, bool(mask.any()))
    choose = step.operation.choose
    if choose is not None and position:
        condition = values[step.operands[0]]
        taken = np.vectorize(lambda c: choose(c) == position, otypes=[bool])(condition)
        mask = mask & taken
    return unbroadcast(np, mask.astype(float), shape) > 0


def backward(tape: Tape, values: list[Any], active: list[bool]) -> list[Any]:
    """The adjoint of every active node, in its shape; None where nothing arrives."""
    adjoints: list[Any] = [None] * len(tape.nodes)
    adjoints[tape.root] = np.ones(values[tape.root].shape)
    for step in reversed(tape.steps):
        g = adjoints[step.node]
        if g is None or not active[step.node]:
            continue
        own = [values[j] for j in step.operands]
        for position, j in enumerate(step.operands):
            if not active[j]:
                continue
            try:
                part = arraydata.pull(
                    step.operation, position, g, values[step.node], own
                )
            except ExprgradError as error:
                error.span = tape.nodes[step.node].span
                raise
            if part is not None:
                adjoints[j] = part if adjoints[j] is None else adjoints[j] + part
    return adjoints
