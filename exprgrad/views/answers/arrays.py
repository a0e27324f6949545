"""Evaluations of arrays: small ones are written out, large ones by shape and norm."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.language.notes import shorten
from exprgrad.sweeps.bounds import BOUNDED, EXACT, UNDECIDED, Known
from exprgrad.views.answers.corners import corner_fields, edge_notes, missing
from exprgrad.views.blocks import Block, Column, Formula, Heading, Note, Table, number
from exprgrad.views.formats import Cells, Rows
from exprgrad.views.known import NONE, sweeps, written

if TYPE_CHECKING:
    from exprgrad.expressions.expression import ArrayEvaluation

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
        errors = _bounds_of(error, value)
        return _nested(value.tolist(), min(digits, 6), errors.tolist(), undecided)
    shape = " x ".join(map(str, value.shape))
    errors = _bounds_of(error, value).ravel().tolist()
    pairs = zip(value.ravel().tolist(), errors, strict=True)
    exist = [(x, e) for x, e in pairs if x == x]
    norm = math.sqrt(math.fsum(x * x for x, _ in exist))
    off = math.sqrt(math.fsum(e * e for _, e in exist))
    return f"{shape} numbers, norm {_number(norm, min(digits, 6), off)}"


def _bounds_of(error: Any, value: Any) -> Any:
    """Bounds in the shape of an array."""
    if hasattr(error, "shape"):
        return error
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


def _nested(
    value: Any,
    digits: int,
    errors: Any,
    undecided: Collection[str],
    place: tuple[int, ...] = (),
) -> str:
    if isinstance(value, list):
        pairs = enumerate(zip(value, errors, strict=True))
        own = (_nested(x, digits, e, undecided, (*place, i)) for i, (x, e) in pairs)
        return f"[{', '.join(own)}]"
    return UNDECIDED if str([*place]) in undecided else _number(value, digits, errors)


class ArraysView:
    """The value and the gradient of an expression in arrays."""

    def __init__(self, found: ArrayEvaluation, digits: int) -> None:
        self.found, self.digits = found, digits

    def blocks(self) -> list[Block]:
        """The value, and a table of the gradient."""
        return blocks(self.found, self.digits)

    def as_dict(self) -> dict[str, Any]:
        """The fields; arrays as nested lists, null for what does not exist."""
        found = self.found
        out: dict[str, Any] = {
            "expression": found.expression.title,
            "reading": found.expression.reading,
            "at": found.at,
            "value": finite(found.value),
            "gradient": finite(found.gradient),
            "notes": notes(found, self.digits),
        }
        if found.bounded:
            out["error"], out["errors"] = finite(found.error), finite(found.errors)
        corners = missing(found)
        if corners:
            out["not_differentiable"] = corner_fields(corners)
        return out

    def csv(self) -> Rows:
        """A row per element: of the result, then of each variable with its partial derivative."""
        return ["name", "value", "partial"], self._elements()

    def _elements(self) -> Iterator[Cells]:
        found = self.found
        for place, x in elements(found.value):
            yield [f"result{place}", x if x == x else None, None]
        for name, value in found.at.items():
            own = None if found.gradient is None else found.gradient.get(name)
            exist = () if own is None else elements(own)
            partials = {p: x for p, x in exist if x == x}
            yield from ([f"{name}{p}", x, partials.get(p)] for p, x in elements(value))


def notes(found: ArrayEvaluation, digits: int) -> list[str]:
    """What is to be said of the reading, of one-sided slopes, and of numbers with fewer digits."""
    out = [*found.expression.notes, *edge_notes(found)]
    if not found.bounded:
        return out
    own = {"the value": (found.value, found.error)}
    for name, partials in (found.gradient or {}).items():
        own[f"∂/∂{name}"] = partials, found.errors[name]
    return out + short_of_digits(own, digits)


def short_of_digits(own: Mapping[str, tuple[Any, Any]], digits: int) -> list[str]:
    """Of which numbers, each with the bounds on its errors, fewer digits are known than are shown."""
    out = []
    for what, (numbers, errors) in own.items():
        short = 0
        for (_, x), (_, e) in zip(elements(numbers), elements(errors), strict=True):
            # what does not exist has no digits, nor has a 0 below the range of doubles
            if x == x and e and not x == 0 > e - 1e-300:
                short += Known(x, e, BOUNDED).digits < digits
        count = getattr(numbers, "size", 1)
        if short:
            of = f"{short} of the {count} elements of {what}" if count > 1 else what
            out.append(f"fewer than {digits} digits are known of {of}")
    return out


def finite(thing: Any) -> Any:
    """The same with None for what is not a number."""
    if isinstance(thing, dict):
        return {name: finite(own) for name, own in thing.items()}
    if hasattr(thing, "tolist"):
        thing = thing.tolist()
    if isinstance(thing, list):
        return [finite(own) for own in thing]
    return thing if thing is None or math.isfinite(thing) else None


def blocks(found: ArrayEvaluation, digits: int) -> list[Block]:
    """The value, the table of the gradient, and what was noted about the reading."""
    expression = found.expression
    value = text(found.value, digits, found.error)
    out: list[Block] = [
        Heading(
            f"{(title := shorten(expression.title, 60))} = {value}",
            Formula((expression.root, value), title),
        )
    ]
    if expression.implicit:
        out.append(Note(f"read as {shorten(expression.reading, 1000)}", read=True))
    out += [Note(note) for note in notes(found, digits)]
    if found.gradient is None:
        some = "sum(...), mean(...) or an element"
        out.append(Note(f"only a single number has a gradient, such as {some}"))
    if found.at:
        out.append(table(found, digits))
    if found.sweeps:
        out.append(Note(sweeps(found.sweeps, "element of the variables")))
    return out


def table(found: ArrayEvaluation, digits: int) -> Table:
    """A row per variable: its name, its value, the partial derivatives in its shape."""
    gradient = found.gradient
    columns = [Column("variable", style="cyan"), Column("value", spare=1)]
    if gradient is None:
        rows: list[tuple[str, ...]] = [
            (n, text(x, digits)) for n, x in found.at.items()
        ]
        return Table("", columns, rows, names=found.at)
    columns.append(Column("partial derivatives", style="bold green"))
    undecided = [c.variable for c in found.corners if c.kind == "undetermined"]
    rows = []
    for name, own in gradient.items():
        error = found.errors.get(name, math.inf)
        places = [v.removeprefix(name) for v in undecided if v.startswith(f"{name}[")]
        shown = text(own, digits, error, places)
        rows.append((name, text(found.at[name], digits), shown))
    return Table("", columns, rows, names=found.at)


def elements(value: Any) -> Iterator[tuple[str, float]]:
    """The elements of an array with their places, `[0, 1]`; a number has none."""
    shape = getattr(value, "shape", ())
    if not shape:
        yield "", math.nan if value is None else float(value)
        return
    flat = value.ravel().tolist()
    for i, x in enumerate(flat):
        places, rest = [], i
        for length in reversed(shape):
            places.append(rest % length)
            rest //= length
        yield str(places[::-1]), x
