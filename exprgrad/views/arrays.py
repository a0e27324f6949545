"""Evaluations of arrays, small ones written out, large ones by shape and norm; and derivatives along a direction."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.expressions import fields
from exprgrad.expressions.fields import (
    NONE,
    array_notes,
    cell,
    elements,
    point,
    point_cells,
    shown,
    sweeps,
    written,
)
from exprgrad.language.notes import shorten
from exprgrad.sweeps.bounds import BOUNDED, EXACT, UNDECIDED, Known
from exprgrad.views.blocks import Block, Formula, Heading, Note, Table, columns, number
from exprgrad.views.formats import Cells, Rows

if TYPE_CHECKING:
    from exprgrad.expressions.expression import ArrayEvaluation, Expression


MOST_NUMBERS = 12
"""Elements of an array that is written out."""


def text(
    value: Any, digits: int, error: Any = math.inf, undecided: Collection[str] = ()
) -> str:
    """A number, or an array on one line: its elements, or its shape and norm; no digit that may be wrong.

    `undecided` are the places, `[0, 1]`, of elements of which it could not be decided whether they exist.
    """
    if value is None or isinstance(value, float | int):
        return _number(value, digits, error)
    if value.size <= MOST_NUMBERS:

        def nested(x: Any, errors: Any, place: tuple[int, ...]) -> str:
            if isinstance(x, list):
                pairs = enumerate(zip(x, errors, strict=True))
                return f"[{', '.join(nested(*own, (*place, i)) for i, own in pairs)}]"
            is_open = str([*place]) in undecided
            return UNDECIDED if is_open else _number(x, min(digits, 6), errors)

        return nested(value.tolist(), _bounds_of(error, value).tolist(), ())
    shape = " x ".join(map(str, value.shape))
    errors = _bounds_of(error, value).ravel().tolist()
    pairs = zip(value.ravel().tolist(), errors, strict=True)
    # nan stands for a partial that does not exist; one of them would make the whole norm nan
    exist = [(x, e) for x, e in pairs if x == x]
    norm = math.hypot(*(x for x, _ in exist))
    # by the triangle inequality: | ‖x + e‖ - ‖x‖ | ≤ ‖e‖
    off = math.hypot(*(e for _, e in exist))
    few = f" of the {len(exist)} known" if len(exist) < value.size else ""
    return f"{shape} numbers, norm {_number(norm, min(digits, 6), off)}{few}"


def _bounds_of(error: Any, value: Any) -> Any:
    """Bounds in the shape of an array."""
    if hasattr(error, "shape"):
        return error
    # through methods of the array: numpy.full_like would need the import of NumPy here
    bounds = value.astype(float)
    bounds.fill(error)
    return bounds


def _number(value: float | None, digits: int, error: float) -> str:
    if value is None or value != value:
        return NONE
    if error == math.inf:
        return number(value, digits)
    if value == 0 and error:
        return f"0 ± {error:.1e}"  # below the range of doubles, or not told from 0
    return written(Known(value, error, BOUNDED if error else EXACT), digits)


def _heading(expression: Expression, value: str) -> Heading:
    """The value of an expression."""
    title = shorten(expression.title, 60)
    return Heading(f"{title} = {value}", Formula((expression.root, value), title))


class ArraysView(NamedTuple):
    """The value and the gradient of an expression in arrays."""

    evaluation: ArrayEvaluation
    digits: int

    @property
    def title(self) -> str:
        """Return what was typed."""
        return self.evaluation.expression.title

    def blocks(self) -> list[Block]:
        """The value, the table of the gradient, and what was noted about the reading."""
        found, expression, digits = self.evaluation, self.evaluation.expression, self.digits  # fmt: skip
        value = text(found.value, digits, found.error)
        out: list[Block] = [_heading(expression, value)]
        if expression.implicit:
            out.append(Note(f"read as {shorten(expression.reading, 1000)}", read=True))
        out += [Note(note) for note in array_notes(found, digits)]
        if found.gradient is None:
            some = "sum(...), mean(...) or an element"
            out.append(Note(f"only a single number has a gradient, such as {some}"))
        if found.at:
            out.append(self._table())
        if found.sweeps:
            out.append(Note(sweeps(found.sweeps, "element of the variables")))
        return out

    def _table(self) -> Table:
        """A row per variable: its name, its value, the partial derivatives in its shape."""
        found, digits, gradient = self.evaluation, self.digits, self.evaluation.gradient
        head = columns("variable: cyan | value: spare1")
        if gradient is not None:
            head += columns("partial derivatives: bold green")
        undecided = [c.variable for c in found.corners if c.kind == "undetermined"]
        rows = []
        for name in found.at if gradient is None else gradient:
            row: tuple[str, ...] = name, text(found.at[name], digits)
            if gradient is not None:
                error = found.errors.get(name, math.inf)
                # with the bracket: xs[0] begins with x as well, and is an element of another variable
                places = [v.removeprefix(name) for v in undecided if v.startswith(f"{name}[")]  # fmt: skip
                row = *row, text(gradient[name], digits, error, places)
            rows.append(row)
        return Table("", head, rows, names=found.at)

    def as_dict(self) -> dict[str, Any]:
        """The fields; arrays as nested lists, null for what does not exist."""
        return self.evaluation.as_dict(self.digits)

    def csv(self) -> Rows:
        """A row per element: of the result, then of each variable with its partial derivative."""
        return ["name", "value", "partial"], self._elements()

    def _elements(self) -> Iterator[Cells]:
        found = self.evaluation
        for place, x in elements(found.value):
            yield [f"result{place}", x if x == x else None, None]
        for name, value in found.at.items():
            # a variable that --wrt leaves out has no entry in the gradient, and empty cells here
            own = None if found.gradient is None else found.gradient.get(name)
            exist = () if own is None else elements(own)
            partials = {p: x for p, x in exist if x == x}
            yield from ([f"{name}{p}", x, partials.get(p)] for p, x in elements(value))


HEADER = ["name", "value", "seed", "derivative"]


class DirectionalView(NamedTuple):
    """A derivative along a direction, a `Directional` or an `ArrayDirectional`."""

    found: Any
    digits: int

    def blocks(self) -> list[Block]:
        """The value, and the table of the direction with the derivative along it."""
        found, digits, numbers = self.found, self.digits, self._of_numbers
        if numbers:
            value = shown(found.evaluation, "", digits)
            slope = written(found.slope, digits)
            notes = fields.directional_notes(found, digits)
            at = point(found.at, found.evaluation.given, digits)
            seed = point(found.seed, found.direction, digits)
            rows = [(name, x, seed.get(name, "0")) for name, x in at.items()]
        else:
            value = text(found.value, digits, found.evaluation.error)
            open_ = [c.variable for c in found.corners if c.kind == "undetermined"]
            slope = text(found.derivative, digits, found.error, open_)
            if found.derivative is None and open_:
                slope = UNDECIDED
            notes = fields.array_directional_notes(found, digits)
            both = ((name, x, self._seed(name)) for name, x in found.at.items())
            rows = [(name, text(x, digits), text(own, digits)) for name, x, own in both]
        head = "value: number | seed: number" if numbers else "value: spare1 | seed"
        footer = f"derivative along the seed: {slope}"
        table = Table("", columns(f"variable: cyan | {head}"), rows, footer, found.at)
        return [_heading(found.expression, value), *map(Note, notes), table]

    @property
    def _of_numbers(self) -> bool:
        """Return whether it is a `Directional`."""
        return hasattr(self.found, "slope")

    def _seed(self, name: str) -> Any:
        """The direction of a variable; zeros for one that stands still."""
        own = self.found.seed.get(name)
        return self.found.at[name] * 0.0 if own is None else own

    def as_dict(self) -> dict[str, Any]:
        """The fields, in full precision."""
        own: dict[str, Any] = self.found.as_dict(self.digits)
        return own

    def csv(self) -> Rows:
        """The value with the derivative along the direction, then a row per variable, of arrays per element."""
        return HEADER, self._rows()

    def _rows(self) -> Iterator[Cells]:
        found = self.found
        if self._of_numbers:
            yield ["result", cell(found.evaluation.known()), None, cell(found.slope)]
            seed = point_cells(found.seed, found.direction)
            for name, x in point_cells(found.at, found.evaluation.given).items():
                yield [name, x, seed.get(name, 0.0), None]
            return
        pairs = zip(elements(found.value), elements(found.derivative), strict=True)
        for (place, x), (_, slope) in pairs:
            own = x if x == x else None
            yield [f"result{place}", own, None, slope if slope == slope else None]
        for name, value in found.at.items():
            pairs = zip(elements(value), elements(self._seed(name)), strict=True)
            yield from ([f"{name}{p}", x, t, None] for (p, x), (_, t) in pairs)
