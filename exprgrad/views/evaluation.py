"""An evaluation in every format, its parts for a session, and the diagnostic for a partial derivative that does not exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.errors import (
    ExprgradError,
    Hint,
    NotDifferentiableError,
    RangeError,
    UndecidedError,
)
from exprgrad.expressions import fields
from exprgrad.expressions.expression import ArrayEvaluation, Evaluation, Expression
from exprgrad.language.leibniz import PRIMES
from exprgrad.language.notes import shorten
from exprgrad.notation.numbers import number
from exprgrad.sweeps.corners import EXACT, UNDECIDED, Known, reason
from exprgrad.views import blocks as doc
from exprgrad.views.formats import Cells, Rows

if TYPE_CHECKING:
    from exprgrad.expressions.trace import Why
    from exprgrad.expressions.trust import Trusted
    from exprgrad.sweeps.corners import Corner


def corner_error(
    corner: Corner,
    source: str,
    at: float | None,
    subgradient: bool = False,
    told: bool = False,
    of: str = "",
) -> ExprgradError:
    """The diagnostic for a partial derivative that does not exist, or one along a direction: `of` an element.

    Where it has been `told` that it does not exist, why.
    """
    which, place = f"the derivative{of} along this direction", ""
    nearby = "evaluate at a point nearby"
    if at is not None:
        which, place = (
            f"∂/∂{corner.variable}",
            f" at {corner.variable} = {number(at)}",
        )
    if corner.kind == "undetermined":
        message = f"could not decide whether {which} exists{place}: it depends on how {corner.operation} behaves there"
        return UndecidedError(message, corner.span, nearby, source=source)
    # sqrt(-x^2) at 0 is defined on neither side: at points nearby there is nothing to evaluate
    hint = None if corner.kind == "isolated" else nearby
    if corner.kind in ("corner", "jump") and at is not None and not subgradient:
        hint = Hint("subgradient")
    message = reason(corner, place if told else " here", number)
    if not told:
        message = f"{which} does not exist{place}: {message}"
    return NotDifferentiableError(message, corner.span, hint, source=source)


MOST_REPORTED = 5
"""Partial derivatives that do not exist and are reported one by one."""


def beside(found: Evaluation | ArrayEvaluation, told: bool = False) -> dict[str, Any]:
    """The diagnostics for the first partial derivatives that do not exist, and how many more there are."""
    every, errors = fields.missing(found), []
    for own in every[:MOST_REPORTED]:
        at, source = fields.element(found.at, own.variable), found.expression.source
        errors.append(corner_error(own, source, at, found.subgradient, told))
    return {"errors": errors, "remarks": more(len(every), "variables")}


def more(count: int, what: str) -> list[str]:
    """Return how many are not reported."""
    return [f"(and {count - MOST_REPORTED} more {what})"] * (count > MOST_REPORTED)


Matrix = Mapping[str, Mapping[str, Known]]

LONGEST_READING = 1000
MOST_ZEROS = 10
"""Rows of zeros at the end of a table of derivatives; more are put into one."""


class EvaluationView(NamedTuple):
    """The value and the partial derivatives, and what was asked for beside them.

    `sweeps` says which sweeps are shown, `forward`, `reverse` or `both`, in `rows` rows each; `hessian` and
    `derivatives` stand below them; `no_paths` says why there is no `why`. Without `digits`, tables show 10 and traces
    6. What follows the notes on rows that are left out, and on a reading that is too long, is `more_rows` and
    `more_reading`. If a `gradient` is asked for, it stands in place of the value.
    """

    evaluation: Evaluation
    digits: int | None = None
    sweeps: str | None = None
    rows: int = 60
    hessian: Matrix | None = None
    derivatives: Sequence[Known] | None = None
    trusted: Trusted | None = None
    why: Why | None = None
    no_paths: str = ""
    more_rows: str = ""
    more_reading: str = ""
    is_gradient: bool = False

    @property
    def title(self) -> str:
        """Return what was typed."""
        return self.evaluation.expression.title

    @property
    def notes(self) -> list[str]:
        """Return how it was read, and what is to be said of numbers."""
        digits = self.digits or 10
        traced = self.sweeps is not None
        notes = fields.evaluation_notes(self.evaluation, digits, traced)
        return [*notes, *fields.digits_notes(self._beside(), digits)]

    def _beside(self) -> Iterator[tuple[str, Known]]:
        """The derivatives of higher order, with what they are called."""
        for name, row in (self.hessian or {}).items():
            for other, entry in row.items():
                yield f"the second partial with respect to {name} and {other}", entry
        for k, own in enumerate(self.derivatives or ()):
            yield f"the derivative of order {k}", own

    def blocks(self) -> list[doc.Block]:
        """The value, a table of the gradient, what was asked for beside it, the sweeps."""
        found, digits, few = self.evaluation, self.digits or 10, self.digits or 6
        out = self._value(digits)
        if self.hessian is not None and not self.hessian:
            none = "there is no variable to differentiate with respect to"
            out.append(doc.Note(none))
        if self.hessian:
            numbers = {}
            for name, row in self.hessian.items():
                own = (fields.written(entry, digits) for entry in row.values())
                numbers[f"∂/∂{name}"] = own
            out.append(doc.matrix("second partial derivatives", numbers))
        if self.derivatives is not None:
            out.append(orders_table(self.derivatives, digits))
        if self.trusted is not None:
            from exprgrad.views.trace import trust_blocks

            out += trust_blocks(self.trusted, digits)
        if self.no_paths:
            out.append(doc.Note(self.no_paths))
        elif self.why is not None:
            from exprgrad.views.trace import paths_blocks

            out += paths_blocks(found, self.why, few)
        if self.sweeps is not None:
            from exprgrad.views.trace import trace_blocks

            out += trace_blocks(found, self.sweeps, few, self.rows, self.more_rows)
        return out

    def _value(self, digits: int) -> list[doc.Block]:
        """The value, or the gradient if that is asked for, a table of the gradient unless orders are shown, and notes."""
        found, expression = self.evaluation, self.evaluation.expression
        title, value = shorten(expression.title, 60), fields.shown(found, "", digits)
        if self.is_gradient:
            parts = (fields.shown(found, name, digits) for name in found.gradient)
            value = f"({', '.join(parts)})"
        text = f"{expression.asked or f'{title} ='} {value}"
        formula = doc.Formula((expression.root, value), title)
        read = reading_notes(expression, self.more_reading)
        out: list[doc.Block] = [*read, *map(doc.Note, self.notes)]
        partials = self.derivatives is None
        if partials and has_slope_line(found):
            table = gradient_table(found, digits)
            out.insert(0, doc.Answer(*slope_line(found, digits), table))
        else:
            # without that line nothing else says at which point this is
            formula = formula._replace(at=fields.point(found.at, found.given, digits))
            if partials and found.gradient:
                out.append(gradient_table(found, digits))
        if found.tangents:
            out.append(doc.Note(fields.sweeps(len(found.gradient))))
        return [doc.Heading(text, formula), *out]

    def as_dict(self) -> dict[str, Any]:
        """The fields of the evaluation, and of what was asked for beside it."""
        found, digits = self.evaluation, self.digits or 10
        out = fields.evaluation_fields(found, digits, self.notes)
        if self.sweeps is not None:
            from exprgrad.expressions.trace import trace

            try:
                out["trace"] = trace(found).as_dict()
            except RangeError:  # the fields beside it have the value
                out["trace"] = None
        if self.hessian is not None:
            out |= fields.hessian_fields(self.hessian, digits)
        if self.derivatives is not None:
            out |= fields.orders_fields(self.derivatives, digits)
        if self.trusted is not None:
            out["trust"] = fields.trust_fields(self.trusted)
        if self.why is not None or self.no_paths:
            # null where there are no paths: a field that was asked for is always there
            out["why"] = self.why and fields.paths_fields(self.why)
        return out

    def csv(self) -> Rows:
        """The value, then a row per differentiated variable, second partial and order; of a trace, its steps instead."""
        found = self.evaluation
        if self.sweeps is not None:
            from exprgrad.expressions.trace import trace

            return trace(found).csv()
        rows: list[Cells] = [["result", fields.cell(found.known()), None]]
        at = fields.point_cells(found.at, found.given)
        rows += [[n, at[n], fields.cell(found.known(n))] for n in found.gradient]
        for a, row in (self.hessian or {}).items():
            rows += [[f"{a} {b}", None, fields.cell(entry)] for b, entry in row.items()]
        for k, own in enumerate(self.derivatives or ()):
            rows.append([f"order {k}", None, fields.cell(own)])
        return ["name", "value", "partial"], rows


class UndefinedView(NamedTuple):
    """The output for an expression that has no value at a point: nulls; the error says why."""

    expression: Expression
    at: Mapping[str, Any]
    wrt: Sequence[str] | None
    seeded: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The fields of a result, without numbers."""
        own = self.expression
        names = own.variables if self.wrt is None else self.wrt
        none = (
            {"derivative": None} if self.seeded else {"gradient": dict.fromkeys(names)}
        )
        at, notes = dict(self.at), {"notes": [*own.notes]}
        return {**fields.read_fields(own), "at": at, "value": None, **none, **notes}


def reading_notes(expression: Expression, more: str = "") -> list[doc.Note]:
    """Return how it was read, if not as it was typed."""
    if not expression.implicit:
        return []
    from exprgrad.notation.text import text_length

    if text_length(expression.root, LONGEST_READING) <= LONGEST_READING:
        return [doc.Note(f"read as {expression.reading}", read=True)]
    return [doc.Note(f"the reading is long{more}", read=True)]


def has_slope_line(evaluation: Evaluation) -> bool:
    """Return whether a line for the derivative says all that a table of partial derivatives would."""
    return len(evaluation.expression.variables) == 1 and bool(evaluation.gradient)


def slope_line(evaluation: Evaluation, digits: int) -> tuple[str, doc.Formula]:
    """The derivative of an expression in one variable, `f'(3) = 6`.

    Where f, or a prime, means something in what was typed, it reads `d/dx = 6 at x = 3`.
    """
    expression = evaluation.expression
    (name,) = evaluation.gradient
    slope = fields.shown(evaluation, name, digits)
    at = fields.coordinate(evaluation, name, digits)
    place = f" at {name} = {at}"
    # f'(1) would mislead: the f of f^2 is a variable, and of d/dx x^2 this is the second derivative
    taken = "f" in expression.declared.union(expression.variables)
    taken |= expression.asks_for_derivative
    left, end = f"f'({at})", ""
    if expression.asked is not None:
        left, end = f"d/d{name} of this", place
    elif taken or any(m in expression.title for m in (*PRIMES, "d/d", f"/d{name}")):
        left, end = fields.operator((*expression.taken, name), False), place
    derivative = doc.Derivative(expression.root, (name,), False)
    formula = doc.Formula((derivative, slope), at={name: at})
    if slope in (fields.NONE, UNDECIDED):
        said = fields.sentence("", slope).strip()
        formula = formula._replace(sides=(derivative,), end=said)
    return f"{fields.sentence(left, slope)}{end}", formula


def gradient_table(evaluation: Evaluation, digits: int) -> doc.Table:
    """A row per differentiated variable: its name, its value, the partial derivative."""
    head = "variable: cyan | value: number spare1 | derivative: number bold green"
    numbers = fields.coordinate, fields.shown
    rows = [
        (name, *(write(evaluation, name, digits) for write in numbers))
        for name in evaluation.gradient
    ]
    return doc.Table("", doc.columns(head), rows, names=evaluation.at)


def orders_table(derivatives: Sequence[Known], digits: int) -> doc.Table:
    """Derivatives by order, from 1; those of a polynomial beyond its degree in one row."""
    head = doc.columns("order: number cyan | derivative: number")
    top = last = len(derivatives) - 1
    # a row `6 to 20` says that all of them are 0: one that merely cannot be told from 0 must not be in it
    while top and not derivatives[top].value and derivatives[top].status == EXACT:
        top -= 1
    end = last if last - top <= MOST_ZEROS else top + 1
    rows = [(str(k), fields.written(derivatives[k], digits)) for k in range(1, end + 1)]
    if end < last:
        rows[-1] = (f"{end} to {last}", "0")
    return doc.Table("", head, rows)
