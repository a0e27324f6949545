"""Answers that are a table, in every format: the methods side by side, many points, the operations."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import exprgrad.operations.table  # noqa: F401 # fills the table
from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.errors import ExprgradError
from exprgrad.expressions import fields
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.trace import partial_text
from exprgrad.graph.value import SYMBOLS, Value, node
from exprgrad.language.notes import shorten
from exprgrad.notation.text import to_text
from exprgrad.operations.operation import TABLE, Operation
from exprgrad.sweeps.bounds import DIGITS
from exprgrad.views import blocks as doc
from exprgrad.views.evaluation import corner_error, reading_notes
from exprgrad.views.formats import Cells, Rows

if TYPE_CHECKING:
    from exprgrad.data.grid import GridPoint
    from exprgrad.expressions.comparison import Comparison


class ComparisonView(NamedTuple):
    """The methods side by side; without `times`, which differ from run to run, if that is wanted."""

    found: Comparison
    times: bool = True

    def blocks(self) -> list[doc.Block]:
        """The point, the table, and how large the formulas are."""
        found = self.found
        at = fields.point(found.at, found.given, DIGITS)
        told = ", ".join(f"{name} = {x}" for name, x in at.items())
        sizes = [f"∂/∂{name} {size}" for name, size in found.formula_sizes.items()]
        more = f" and {len(sizes) - 8} more" if len(sizes) > 8 else ""
        operations = "1 operation" if found.size == 1 else f"{found.size} operations"
        notes = [
            f"the expression has {operations}, its symbolic derivatives have: {', '.join(sizes[:8])}{more}"
        ]
        if len(sizes) > 1:
            notes.append(
                "reverse mode gets all partials from one sweep; the other methods need their work once for each variable"
            )
        # in a session the text may name the point itself
        text = found.expression.title.partition(" at ")[0]
        formula = doc.Formula((found.expression.root,), text, at=at)
        head = doc.Heading(f"{shorten(text, 50)} at {told}", formula)
        said = map(doc.Note, (*found.expression.notes, *notes))
        return [head, methods_table(found, self.times), *said]

    def as_dict(self) -> dict[str, Any]:
        """The fields of the comparison."""
        return self.found.as_dict()


def methods_table(found: Comparison, times: bool) -> doc.Table:
    """A row per method; those of one variable, where there are several, below a row with its name."""
    head = doc.columns(
        "method: cyan | derivative: number bold | error: number | evaluations: number spare2 | nodes: number spare1"
    )
    head += doc.columns("µs: number dim spare3") if times else []
    rows: list[tuple[str, ...]] = []
    several, variable = len(found.at) > 1, None
    for m in found.methods:
        # the methods come in the order of the variables, so a row is put before the first of each
        if several and m.variable != variable:
            rows.append((f"∂/∂{m.variable}", *[""] * (len(head) - 1)))
        variable = m.variable
        value = "none" if m.value is None else f"{m.value:.15g}"
        error = (
            m.error_text if m.error is None else f"{m.error:.0e}" if m.error else "0"
        )
        counts = str(m.evaluations) if m.evaluations else "", str(m.nodes)
        cells = m.name, value, error, *counts, f"{m.seconds * 1e6:.0f}"
        rows.append(cells[: len(head)])
    return doc.Table("", head, rows, "errors are relative to a reference of 50 digits")


class GridView(NamedTuple):
    """A row per point: the variables that vary, the value, the partial derivatives.

    `varying` are the variables that vary, `wrt` those whose partial derivatives are shown. A table has
    `most` rows; `more` follows the number of those that are left out.
    """

    expression: Expression
    varying: Sequence[str]
    wrt: Sequence[str]
    points: list[GridPoint]
    digits: int
    most: int
    more: str = ""

    @property
    def title(self) -> str:
        """Return what was typed."""
        return self.expression.title

    def blocks(self) -> list[doc.Block]:
        """The expression, and a table of the points."""
        own = self.expression
        notes = [*reading_notes(own), *map(doc.Note, (*own.notes, *self._edges()))]
        head = doc.Heading(own.title, doc.Formula((own.root,), own.title))
        return [head, *notes, self._points()]

    def _edges(self) -> list[str]:
        """Return where partials were taken from one side."""
        return fields.few(
            f"at {fields.point_text(self._varied(row), row.given, self.digits)}, {note}"
            for row in self.points
            if row.evaluation is not None
            for note in fields.edge_notes(row.evaluation)
        )

    def _varied(self, row: GridPoint) -> dict[str, float]:
        """The coordinates of a row that vary."""
        return {name: row.at[name] for name in self.varying}

    def _points(self) -> doc.Table:
        rows, most = self.points, self.most
        # where the expression has no value at any point, columns of `none` would say nothing
        partials = self.wrt if any(row.evaluation for row in rows) else ()
        head = [doc.Column(name, True, style="cyan") for name in self.varying]
        head += doc.columns("value: number bold")
        head += (doc.Column(f"∂/∂{name}", True, style="green") for name in partials)

        def cells(row: GridPoint) -> tuple[str, ...]:
            found, digits = row.evaluation, self.digits
            own = fields.point(self._varied(row), row.given, digits).values()
            if found is None:
                return (*own, *[fields.NONE] * (1 + len(partials)))
            numbers = (fields.shown(found, name, digits) for name in ("", *partials))
            return (*own, *numbers)

        shown = doc.cut(rows, most, self.more, most // 2, cells)
        return doc.Table("", head, *shown, self.varying)

    def as_dict(self) -> dict[str, Any]:
        """The fields, in full precision."""
        rows = []
        for row in self.points:
            found, error = row.evaluation, problem(row)
            own = fields.point_fields(row.at, row.given)
            for name in ("value", "gradient"):
                own[name] = getattr(found, name, None)
            own["error"] = error.message if error else None
            rows.append(
                own | (fields.evaluation_texts(found, self.digits) if found else {})
            )
        notes = [*self.expression.notes, *self._edges()]
        return {**fields.read_fields(self.expression), "notes": notes, "rows": rows}

    def csv(self) -> Rows:
        """The variables that vary, the value, the partial derivatives, and what is wrong."""
        partials = [f"d_{name}" for name in self.wrt]
        header = [*self.varying, "value", *partials, "error"]

        def cells(row: GridPoint) -> Cells:
            found, error = row.evaluation, problem(row)
            place = fields.point_cells(self._varied(row), row.given).values()
            numbers = (
                fields.cell(found.known(n)) if found else None for n in ("", *self.wrt)
            )
            return [*place, *numbers, error.message if error else ""]

        return header, map(cells, self.points)

    @property
    def problems(self) -> list[ExprgradError]:
        """Return what is wrong at the points where something is."""
        return list(filter(None, map(problem, self.points)))


def problem(row: GridPoint) -> ExprgradError | None:
    """Why a row lacks its value or a partial derivative, if it does."""
    if row.evaluation is None:
        return row.error
    found = row.evaluation
    for corner in fields.missing(found):
        # one of them is enough to say what is wrong with the row; standard error names the first row only
        at = found.at[corner.variable]
        return corner_error(corner, found.expression.source, at, found.subgradient)
    return None


class OperationsView(NamedTuple):
    """All operations, or all that the table says of those with a name; `more` stands below the list."""

    name: str | None = None
    more: str = ""

    def blocks(self) -> list[doc.Block]:
        """A row per operation with its derivatives; for a single one, all facts and an example."""
        if self.name is not None:
            drawn: list[doc.Block] = []
            for operation in called(self.name):
                text = example(operation)
                drawn.append(facts(operation))
                drawn += [doc.Wrapped((text,), hang=2)] if text else []
            return drawn
        # two of the four columns fit on a screen; `ops NAME` has the others
        table = operation_table().only((0, 1))
        head = doc.columns("operation: cyan | partial derivatives: bold wraps")
        return [table._replace(columns=head, footer=self.more)]

    def as_dict(self) -> dict[str, Any]:
        """A record per operation."""
        found = operation_table(self.name)
        titles = [column.title for column in found.columns]
        every = [dict(zip(titles, row, strict=True)) for row in found.rows]
        for own in every:  # the key with a blank is the older one
            own["partial_derivatives"] = own["partial derivatives"]
        return {"operations": every}

    def markdown(self) -> Iterator[str]:
        """A row per operation, formulas in backquotes."""
        from exprgrad.views.markdown import table

        return table(operation_table(self.name, code=True))


def operation_table(name: str | None = None, code: bool = False) -> doc.Table:
    """A row per operation: how it is written, its derivative rules, its domain, other names.

    With a `name`, only the operations of that name; with `code`, formulas in backquotes, for Markdown.
    """
    head = (
        "operation: cyan | partial derivatives: bold | needs: spare2 | also: spare1 dim"
    )
    mark = "`" if code else ""
    rows = []
    for operation in TABLE.values() if name is None else called(name):
        own, several = "" if operation.whole else mark, operation.arity > 1
        partials = [f"{f'∂{x}: ' * several}{own}{text}{own}" for x, text in local_partials(operation)]  # fmt: skip
        needs = "; ".join(condition.needs for condition in operation.domain)
        signature, also = f"{mark}{operation.signature}{mark}", ", ".join(operation.aliases)  # fmt: skip
        rows.append((signature, "; ".join(partials), needs, also))
    return doc.Table("", doc.columns(head), rows)


def local_partials(operation: Operation) -> list[tuple[str, str]]:
    """Each local partial as a formula, behind its argument, those that there are.

    For an operation on arrays, what the adjoint g of the result becomes.
    """
    names = argument_names(operation)
    if operation.whole:
        # axes and indices come last, and have no adjoint
        return [*zip(names, operation.whole.back, strict=False)]
    arguments = [Value(None, name) for name in names]
    result = node(operation, tuple(arguments))
    there = (i for i, partial in enumerate(operation.partials) if partial is not None)
    return [(names[i], partial_text(operation, i, result, arguments)) for i in there]


def called(name: str) -> list[Operation]:
    """The operations of that name, or sign."""
    name = _SIGNS.get(name, name)
    return [o for o in TABLE.values() if name in (o.name, o.sign, *o.aliases)]


_SIGNS = {"**": "pow", "|": "abs", "√": "sqrt"}
"""Signs that the language reads as well, and the operations that they stand for."""


def facts(operation: Operation) -> doc.Table:
    """All that the table says of an operation."""
    facts = [(f"∂/∂{name}", text) for name, text in local_partials(operation)]
    facts += [("needs", condition.needs) for condition in operation.domain]
    if operation.formula is not None:
        arguments = (Value(None, name) for name in argument_names(operation))
        formula = SYMBOLS.bind(operation.formula)(*arguments)
        facts.append(("equals", to_text(formula)))
    if operation.aliases:
        facts.append(("also written", ", ".join(operation.aliases)))
    head = [doc.Column(operation.signature, style="cyan"), *doc.columns(": bold wraps")]
    return doc.Table("", head, facts)


def argument_names(operation: Operation) -> list[str]:
    """Return what its signature calls its arguments."""
    signature = operation.signature if operation.called else ""
    # x! and x @ y are signatures without brackets: their arguments are x, y, z in this order
    inside = signature.partition("(")[2].rstrip(")")
    return inside.split(", ") if inside else list("xyz"[: operation.arity])


_TRIED = (0.5, 2.0, 1.5, 3.0, -2.0, 0.0)
"""Numbers for the examples of operations, of which the first fit that have a derivative."""

_ARRAYS: dict[str, Any] = {
    "x": [1.0, 2.0, 3.0], "y": [0.5, 0.0, 1.0], "z": [[1.0, 2.0]], "t": [1.0],
    "axis": 0.0, "n": -1.0, "i": 1.0,
}  # fmt: skip
"""Arguments for the examples of operations on arrays."""


def example(operation: Operation) -> str:
    """An operation at a point, with its derivatives there; nothing where none is found."""
    from exprgrad.views.arrays import text

    names, whole = argument_names(operation), operation.whole
    rules: Any = map(whole.pull, range(len(names))) if whole else operation.partials
    wrt = [name for name, rule in zip(names, rules, strict=True) if rule is not None]
    formula = Expression.of(node(operation, tuple(Value(None, name) for name in names)))
    numbers = itertools.product(_TRIED, repeat=len(names))
    # asin has a value at 0.5, acosh none before 2
    for values in [[_ARRAYS[name] for name in names]] if whole else numbers:
        try:
            found: Any = formula.evaluate(dict(zip(names, values, strict=True)), wrt)
        except (ExprgradError, ValueError):
            continue
        slopes = found.gradient or {}
        if any(slope is None for slope in slopes.values()):
            continue
        told = "".join(f", ∂/∂{n} = {text(p, 6)}" for n, p in slopes.items())
        point = ", ".join(f"{n} = {text(x, 6)}" for n, x in found.at.items())
        return f"at {point}: {formula} = {text(found.value, 6)}{told}"
    return ""
