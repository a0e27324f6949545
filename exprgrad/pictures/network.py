"""A network by its layers: units in columns with their values, weights as lines between them.

    network(model, [0.0, 1.0]).svg()                    # a model of layers of units, called on an input
    of_expression(parse("relu(x @ W1 + b1) @ W2"), at)  # matrix products

A line is the wider, the larger its weight; a positive one is blue, a negative one rust. A unit of value 0 is grey: where
the activation is relu, nothing goes through it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import LIMITS, at_most
from exprgrad.errors import UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.values import units
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value
from exprgrad.notation.numbers import number
from exprgrad.operations.table import ADD, MATMUL
from exprgrad.pictures.svg import document, element, source, text

ACROSS, DOWN, RADIUS, EDGE = 170.0, 58.0, 21.0, 46.0
"""Between layers, between units, of a unit, and around all."""

STYLE = source(__file__, "network.css")


class Network(NamedTuple):
    """The values of the units of each layer, the inputs first, and the weights to each layer, a row for every unit before it."""

    units: tuple[tuple[float, ...], ...]
    weights: tuple[tuple[tuple[float, ...], ...], ...]

    def name(self, layer: int, unit: int) -> str:
        """Return what a unit is called: x1, h3 or h2.3, y1."""
        inner = len(self.units) - 2
        letter = "x" if not layer else "y" if layer > inner else "h"
        return f"{letter}{f'{layer}.' if letter == 'h' and inner > 1 else ''}{unit + 1}"

    def as_dict(self) -> dict[str, Any]:
        """The numbers, for programs."""
        return {"units": self.units, "weights": self.weights}

    def svg(self) -> str:
        """The picture. Raises `UsageError` for a layer of very many units."""
        sizes = [len(layer) for layer in self.units]
        at_most("units", max(sizes), hint=f"at most {LIMITS['units'].most}")
        high = 2 * EDGE + DOWN * (max(sizes) - 1)
        wide = 2 * EDGE + ACROSS * (len(sizes) - 1)
        places = [
            [(EDGE + ACROSS * k, high / 2 + DOWN * (i - (size - 1) / 2)) for i in range(size)]
            for k, size in enumerate(sizes)
        ]  # fmt: skip
        lines, circles = [], []
        largest = max((abs(w) for layer in self.weights for row in layer for w in row), default=0.0)  # fmt: skip
        for k, layer in enumerate(self.weights):
            for i, row in enumerate(layer):
                for j, weight in enumerate(row):
                    (x, y), (u, v) = places[k][i], places[k + 1][j]
                    told = f"{self.name(k, i)} to {self.name(k + 1, j)}: {number(weight, 6)}"  # fmt: skip
                    width = f"{0.4 + 4 * abs(weight) / (largest or 1):.2f}"
                    lines.append(element("line", element("title", told), class_="minus" if weight < 0 else "plus", x1=x, y1=y, x2=u, y2=v, stroke_width=width))  # fmt: skip
        for k, values in enumerate(self.units):
            for i, ((x, y), value) in enumerate(zip(places[k], values, strict=True)):
                kind = "unit" if value or not k else "idle"
                circles.append(element("circle", class_=kind, cx=x, cy=y, r=RADIUS))
                circles.append(text(x, y + 4, number(value, 3), "value"))
                circles.append(text(x, y - RADIUS - 5, self.name(k, i), "name"))
        title = f"a network of {'-'.join(map(str, sizes))} units"
        return document(wide, high, title, "units with their values, lines for weights", STYLE, [*lines, *circles])  # fmt: skip

    def _repr_svg_(self) -> str:
        return self.svg()


def network(model: Any, inputs: Sequence[Any]) -> Network:
    """The network that a model of `layers` is, with what its units give for some inputs.

    A layer is called on a list; each of its units has `parameters()`, a weight for each input first. Raises `UsageError`
    for a model that is built otherwise.
    """
    layers = getattr(model, "layers", model)
    weights: list[tuple[tuple[float, ...], ...]] = []
    try:
        now = list(inputs)
        found = [tuple(map(_number, now))]
    except (TypeError, ValueError):
        raise UsageError("the inputs of a network are a list of numbers") from None
    try:
        for layer in layers:
            own = [unit.parameters()[: len(now)] for _, unit in units(layer)]
            weights.append(tuple(tuple(_number(p[i]) for p in own) for i in range(len(now))))  # fmt: skip
            given = layer(now)
            now = list(given) if isinstance(given, list | tuple) else [given]
            found.append(tuple(map(_number, now)))
            if len(own) != len(now):
                raise IndexError
    except (AttributeError, IndexError, TypeError, ValueError):
        raise UsageError("the picture of a network needs layers of units with parameters(), the weights first", hint="model.layers[0].neurons[0].parameters()") from None  # fmt: skip
    return Network(tuple(found), tuple(weights))


def _number(thing: Any) -> float:
    return float(thing.data or 0.0) if isinstance(thing, Value) else float(thing)


def of_expression(expression: Expression, at: Mapping[str, Any]) -> Network:
    """The network that matrix products make up, at the first row of its inputs. Raises `UsageError` where it is none."""
    import numpy as np

    expression.evaluate(at, ())  # raises for shapes that do not go together

    def value(item: Value) -> Any:
        part = Expression.of(item)
        return np.asarray(part.evaluate({n: at[n] for n in part.variables}, ()).value)

    def row(item: Value) -> tuple[float, ...]:
        return tuple(np.atleast_2d(value(item))[0].tolist())

    order = topological(expression.root)
    products = [item for item in order if item.operation is MATMUL]
    found, weights = list[tuple[float, ...]](), []
    before: Value | None = None
    for item in products:
        left, right = item.operands
        # which of the two is the layer before: what has the last product in it, at first x of W @ x
        through = [before in topological(side) for side in (left, right)]
        if before is None:
            through = [value(left).ndim == 1 or value(right).ndim > 1, True]
        inputs, matrix = (left, value(right)) if through[0] else (right, value(left).T)
        found = found or [row(inputs)]
        if not any(through) or len(found[-1]) != len(matrix):
            break
        # a vector of weights is a column: it leads to a single unit, with a value for each row of the inputs
        matrix = matrix.reshape(len(matrix), -1)
        weights.append(tuple(map(tuple, matrix.tolist())))
        found.append(row(_activated(item, order))[: matrix.shape[1]])
        before = item
    if not products or len(weights) < len(products):
        raise UsageError("the graph of an expression in arrays has no numbers", hint="leave the values out, or give layers: relu(x @ W1 + b1) @ W2")  # fmt: skip
    return Network(tuple(found), tuple(weights))


def _activated(item: Value, order: Sequence[Value]) -> Value:
    """Return what a layer gives: the product, with a bias and an activation."""
    while True:
        users = [user for user in order if item in user.operands]
        operation = users[0].operation if len(users) == 1 else None
        is_bias = operation is ADD and all(o is item or o.operation is None for o in users[0].operands)  # fmt: skip
        if operation is None or not (is_bias or (operation.arity == 1 and not operation.whole)):  # fmt: skip
            return item
        item = users[0]
