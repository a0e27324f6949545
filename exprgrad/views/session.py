"""The results of a session's statements and commands as blocks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.value import Value, node
from exprgrad.language.notes import shorten
from exprgrad.operations.operation import Operation
from exprgrad.session import results
from exprgrad.session.pages import Page
from exprgrad.session.workspace import LONGEST_READING, Settings
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.views import output, tex
from exprgrad.views.answers import corners, evaluation
from exprgrad.views.blocks import (
    Block,
    Column,
    Heading,
    Lines,
    Note,
    Styled,
    Table,
    Wrapped,
    number,
)
from exprgrad.views.known import coordinate_text, point_text, shown

if TYPE_CHECKING:
    from exprgrad.operations.array_operation import ArrayOperation
    from exprgrad.views.answers.grid import GridView

POINTS = 40
"""Points of a range that are shown."""

TRACE_ROWS = 60
"""Rows of a sweep that are shown."""


_BLOCKS: dict[type, Callable[[Any, Settings], list[Block]]] = {}
"""How each class of results is shown. (`functools.singledispatch` would import `typing`.)"""


def blocks(result: Any, settings: Settings) -> list[Block]:
    """The result of a statement, for the settings of the session."""
    known = (_BLOCKS[own] for own in type(result).__mro__ if own in _BLOCKS)
    show = next(known, None)
    if show is None:
        raise TypeError(f"there is no view of {type(result).__name__}")
    return show(result, settings)


def _shows(kind: type) -> Callable[[Any], Any]:
    """The function below shows results of that class."""

    def keep(show: Any) -> Any:
        _BLOCKS[kind] = show
        return show

    return keep


@_shows(results.Evaluated)
def _evaluated(result: results.Evaluated, settings: Settings) -> list[Block]:
    from exprgrad.views.answers import arrays

    found, digits = result.evaluation, settings.digits
    takes_arrays = found.expression.takes_arrays(found.at)
    if settings.format == "latex":
        view = arrays.ArraysView if takes_arrays else evaluation.EvaluationView
        return _in_latex(view(found, digits))  # type: ignore[arg-type] # the same
    if takes_arrays:
        return arrays.blocks(found, digits)  # type: ignore[arg-type] # the same with arrays for numbers
    value = shown(found, "", digits)
    if result.gradient:
        parts = (shown(found, name, digits) for name in found.gradient)
        value = f"({', '.join(parts)})"
    notes = [*found.expression.notes, *corners.edge_notes(found)]
    rest = evaluation.blocks(found, digits, notes)[1:]
    return [Heading(f"{shorten(result.title, 60)} = {value}"), *rest]


@_shows(results.Swept)
def _swept(result: results.Swept, settings: Settings) -> list[Block]:
    view = _grid(result, settings)
    return _in_latex(view) if settings.format == "latex" else view.table()


def _in_latex(view: Any) -> list[Block]:
    """What a view gives as LaTeX, line by line."""
    return [Lines(tuple(view.latex()))]


def _grid(result: results.Swept, settings: Settings) -> GridView:
    from exprgrad.views.answers.grid import GridView

    return GridView(
        result.expression, result.varying, result.wrt, result.points,
        settings.digits, POINTS,
    )  # fmt: skip


@_shows(results.Derived)
def _derived(result: results.Derived, settings: Settings) -> list[Block]:
    from exprgrad.expressions.derivatives import nowhere
    from exprgrad.views.answers.formulas import assumed, operator

    found = result.derivatives
    expression = found.expression
    head = _formula(result.title, expression.root, settings)
    reading = None
    if expression.implicit and " = " not in head and _is_short(expression.root):
        reading = expression.reading
    formulas = {operator(f.wrt, False): f.derivative for f in found.formulas}
    reason = nowhere(expression, formulas)
    notes = _notes(reading, (*expression.notes, *([reason] if reason else [])))
    derivations = [
        Wrapped((*_derivation(expression, formula.wrt[0], result.detail, settings), ""))
        for formula in found.formulas
        if result.detail
    ]
    lines: list[str] = []
    for formula in found.formulas:
        lines += _written(formula.wrt, expression, formula.derivative.root, settings)
        if settings.format == "latex":
            lines[-1] += tex.assumed(
                formula.derivative.assumptions, formula.derivative.declared
            )
        else:
            lines += assumed(formula.derivative.assumptions)
    if not result.whole:
        notes.append(Note("it is long: :diff gives its derivatives"))
    if not notes and not derivations:
        return [Lines((head, *lines))]
    return [Heading(head), *notes, *derivations, Lines(tuple(lines))]


@_shows(results.Simplified)
def _simplified(result: results.Simplified, settings: Settings) -> list[Block]:
    from exprgrad.expressions.confirm import latex
    from exprgrad.views.answers.formulas import assumed

    found = result.found
    notes = _notes(result.expression.reading if result.expression.implicit else None, result.expression.notes)  # fmt: skip
    if settings.format == "latex":
        return [
            *notes,
            Lines(
                (latex(found.root) + tex.assumed(found.assumptions, found.declared),)
            ),
        ]
    sides = _sides(found.root, settings)
    where = [f"  where {line}" for line in sides[:-1]]
    return [*notes, Lines((sides[-1], *where, *assumed(found.assumptions)))]


def _derivation(
    expression: Expression, name: str, detail: str | None, settings: Settings
) -> list[str]:
    from exprgrad.expressions import steps
    from exprgrad.views.answers import steps as step_view
    from exprgrad.views.answers.formulas import writer

    derivation = steps.steps(expression.root, name, brief=detail == "brief")
    return list(step_view.lines(derivation, writer(settings.notation)))


def _written(
    wrt: tuple[str, ...], expression: Expression, root: Value, settings: Settings
) -> list[str]:
    """A derivative behind its operator; a long one in shared parts."""
    from exprgrad.expressions.confirm import latex
    from exprgrad.views.answers.formulas import latex_operator, operator

    several = len(expression.variables) > 1
    if settings.format == "latex":
        left = rf"{latex_operator(wrt, several)} \left({latex(expression.root)}\right)"
        return [f"{left} = {latex(root)}"]
    sides = _sides(root, settings)
    first = f"{operator(wrt, several)} = {sides[-1]}"
    return [first, *(f"  where {line}" for line in sides[:-1])]


def _formula(title: str, root: Value, settings: Settings) -> str:
    """What was typed, and the formula if it reads differently."""
    from exprgrad.notation.latex import latex

    if settings.format == "latex":
        return latex(root)
    if not _is_short(root):
        return shorten(title, 60)
    [text] = _sides(root, settings)
    same = "".join(text.split()) == "".join(title.split())
    return title if same else f"{shorten(title, 60)} = {text}"


def _sides(root: Value, settings: Settings) -> list[str]:
    """A formula, a long one in shared parts; on a terminal in the notation that is set."""
    from exprgrad.views.answers.formulas import written

    return written(root, settings.notation)


def _is_short(root: Value) -> bool:
    from exprgrad.notation.text import text_length

    return text_length(root, LONGEST_READING) <= LONGEST_READING


def _notes(reading: str | None, notes: Sequence[str]) -> list[Block]:
    read = [] if reading is None else [f"read as {reading}"]
    return [Note(text) for text in (*read, *notes)]


@_shows(results.Bound)
def _bound(result: results.Bound, settings: Settings) -> list[Block]:
    text = f"{result.name} = {shorten(result.formula, 200)}"
    if result.value is not None or result.number is not None:
        value = _number(result.number or result.value, settings.digits)
        text += f" = {value}" if value != result.formula else ""
    return [Lines((text,)), *_notes(result.reading, result.notes)]


def _number(value: Any, digits: int) -> str:
    """A number, an array, or a number beyond the range of doubles."""
    from exprgrad.views.answers import arrays

    if isinstance(value, Coordinate):
        return coordinate_text(value.double or 0.0, value, digits)
    return arrays.text(value, digits)


@_shows(results.Defined)
def _defined(result: results.Defined, settings: Settings) -> list[Block]:
    text = f"{result.signature} = {shorten(result.formula, 200)}"
    return [Lines((text,)), *_notes(result.reading, result.notes)]


@_shows(results.Traced)
def _traced(result: results.Traced, settings: Settings) -> list[Block]:
    from exprgrad.views.answers import trace

    found, digits = result.evaluation, settings.digits
    title = f"{shorten(result.title, 60)} = {shown(found, '', digits)}"
    rows = trace.trace_blocks(found, "both", min(digits, 6), TRACE_ROWS, more="")
    return [Heading(title), *rows]


@_shows(results.Walked)
def _walked(result: results.Walked, settings: Settings) -> list[Block]:
    digits = min(settings.digits, 6)
    sweep, texts = _step(result, digits)
    head = f"step {result.number} of {result.steps}, {sweep}"
    if result.number == 1:
        head += "; Enter for the next, b for the one before, q to leave"
    return [Wrapped((head, *(f"  {text}" for text in texts)))]


def _step(result: results.Walked, digits: int) -> tuple[str, list[str]]:
    """Which sweep a step of a walk belongs to, and what happens in it."""
    from exprgrad.expressions.trace import Forward, Reverse, Seed
    from exprgrad.views.answers import trace

    step, found = result.step, result.trace
    if isinstance(step, Forward):
        value = "none" if step.value is None else number(step.value, digits)
        sides = dict.fromkeys(
            filter(None, [step.name, step.formula, step.numbers, value])
        )
        return "forward", [f"{' = '.join(sides)}    [{step.rule}]"]
    if isinstance(step, Seed):
        seed = f"the adjoint of {step.node}, the result, with respect to itself is 1"
        return "the seed", [seed, trace.ADJOINT]
    if not isinstance(step, Reverse):
        lines = list(trace.origin_lines(result.evaluation, found, digits))
        return "where the partial derivatives come from", lines
    node, operand = step.node, step.operand
    product = f"{trace.factors(step, digits)} = {number(step.contribution, digits)}"
    texts = [
        f"{node} → {operand}: adjoint of {node} × ∂{node}/∂{operand} = {product}    [{step.rule}: ∂{node}/∂{operand} = {step.formula}]"
    ]
    total = f"adjoint of {operand} = {number(step.total, digits)}"
    if step.part < step.parts:
        total += f" so far, {step.part} of {step.parts} contributions"
    elif step.parts > 1:
        met = next(m for m in found.meetings() if m.operand == operand)
        total = f"adjoint of {operand} = {trace.sum_text(met, digits)} = {number(step.total, digits)}"
    return "reverse", [*texts, total]


@_shows(results.Carried)
def _carried(result: results.Carried, settings: Settings) -> list[Block]:
    from exprgrad.views.answers import paths

    found, digits = result.evaluation, min(settings.digits, 6)
    title = f"{shorten(result.title, 60)} = {shown(found, '', digits)}"
    return [Heading(title), *paths.paths_blocks(found, result.why, digits)]


@_shows(results.Graphed)
def _graphed(result: results.Graphed, settings: Settings) -> list[Block]:
    from exprgrad.views.answers.graph import GraphView, in_doubles

    notes = (*result.notes, *in_doubles(result.evaluation))
    return GraphView(result.graph, notes).text()


@_shows(results.Plotted)
def _plotted(result: results.Plotted, settings: Settings) -> list[Block]:
    from exprgrad.views.answers.plot import PlotView

    return PlotView(result.plot, result.notes).text()


@_shows(results.Compared)
def _compared(result: results.Compared, settings: Settings) -> list[Block]:
    from exprgrad.views.answers import comparison

    return comparison.ComparisonView(result.comparison, times=False).table()


@_shows(results.Checked)
def _checked(result: results.Checked, settings: Settings) -> list[Block]:
    from exprgrad.views.verdicts import checking

    detail = checking.Detail(width=output.width())
    if settings.format == "latex":
        return _in_latex(checking.VerdictsView([(result.verdict, None)], detail))
    found = checking.lines(result.verdict, detail, None)
    return [Styled(tuple(tuple(line) for line in found))]


@_shows(results.Judged)
def _judged(result: results.Judged, settings: Settings) -> list[Block]:
    from exprgrad.views.verdicts import checking, judgement

    detail = checking.Detail(width=output.width())
    view = judgement.JudgementView(result.verdict, detail)
    return _in_latex(view) if settings.format == "latex" else view.text()


@_shows(results.Equated)
def _equated(result: results.Equated, settings: Settings) -> list[Block]:
    from exprgrad.views.verdicts.checking import EquivalenceView

    view = EquivalenceView(*result.sides, result.found, output.width(), result.read)
    return _in_latex(view) if settings.format == "latex" else view.text()


@_shows(results.Worked)
def _worked(result: results.Worked, settings: Settings) -> list[Block]:
    from exprgrad.views.verdicts import work
    from exprgrad.views.verdicts.checking import Detail

    if settings.format == "latex":
        return [Lines(tuple(work.latex_lines(result.work, Detail())))]
    found = work.lines(result.work, Detail(width=output.width()))
    return [Styled(tuple(tuple(line) for line in found))]


@_shows(results.Hessian)
def _hessian(result: results.Hessian, settings: Settings) -> list[Block]:
    found, digits = result.evaluation, settings.digits
    if settings.format == "latex":
        view = evaluation.EvaluationView(found, digits, hessian=result.matrix)
        return _in_latex(view)
    point = point_text(found.at, found.given, digits)
    return [
        Heading(f"{shorten(result.title, 60)} at {point}"),
        evaluation.hessian_table(result.matrix, digits),
    ]


@_shows(results.Budgeted)
def _budgeted(result: results.Budgeted, settings: Settings) -> list[Block]:
    from exprgrad.views.answers.uncertainty import BudgetView

    return BudgetView(
        result.budget, min(settings.digits, 4), remarks=result.remarks
    ).table()


@_shows(results.Listed)
def _listed(result: results.Listed, settings: Settings) -> list[Block]:
    if not result.rows:
        return [Lines((result.empty,))]
    last = len(result.titles) - 1
    columns = [
        Column(title, False, int(i == result.spare), "cyan" if not i else "", i == last)
        for i, title in enumerate(result.titles)
    ]
    cells = [
        [c if isinstance(c, str) else _number(c, settings.digits) for c in row]
        for row in result.rows
    ]
    keep = [i for i in range(len(columns)) if any(row[i] for row in cells)]
    rows = [tuple(row[i] for i in keep) for row in cells]
    return [Table("", [columns[i] for i in keep], rows)]


@_shows(results.Explained)
def _explained(result: results.Explained, settings: Settings) -> list[Block]:
    from exprgrad.views.answers import operations

    if not result.name:
        return [operations.short_table()]
    out: list[Block] = []
    for operation in operations.called(result.name):
        out.append(operations.facts(operation))
        text = example(operation)
        out += [Wrapped((text,), hang=2)] if text else []
    return out


def example(operation: Operation) -> str:
    """An operation at a point, with its derivatives there."""
    from exprgrad.views.answers import operations

    if operation.whole:
        return _array_example(operation, operation.whole)
    names = operations.argument_names(operation)
    leaves = [Value(None, name) for name in names]
    formula = Expression.of(node(operation, tuple(leaves)))
    wrt = [n for n, p in zip(names, operation.partials, strict=True) if p is not None]
    for values in itertools.product((0.5, 2.0, 1.5, 3.0, -2.0, 0.0), repeat=len(names)):
        try:
            found = formula.evaluate(dict(zip(names, values, strict=True)), wrt)
        except (ExprgradError, ValueError):
            continue
        if None in found.gradient.values():
            continue
        slopes = "".join(
            f", ∂/∂{n} = {number(p or 0.0, 6)}" for n, p in found.gradient.items()
        )
        point = ", ".join(f"{n} = {number(v)}" for n, v in found.at.items())
        return f"at {point}: {formula} = {number(found.value, 6)}{slopes}"
    return ""


_ARRAYS: dict[str, Any] = {
    "x": [1.0, 2.0, 3.0], "y": [0.5, 0.0, 1.0], "z": [[1.0, 2.0]], "t": [1.0],
    "axis": 0.0, "n": -1.0, "i": 1.0,
}  # fmt: skip
"""Arguments for the examples of operations on arrays."""


def _array_example(operation: Operation, whole: ArrayOperation) -> str:
    from exprgrad.views.answers import arrays, operations

    names = operations.argument_names(operation)
    formula = Expression.of(node(operation, tuple(Value(None, name) for name in names)))
    try:
        found: Any = formula.evaluate({name: _ARRAYS[name] for name in names})
    except ExprgradError:
        return ""
    point = ", ".join(f"{n} = {arrays.text(v, 6)}" for n, v in found.at.items())
    slopes = "".join(
        f", ∂/∂{n} = {arrays.text(p, 6)}"
        for i, (n, p) in enumerate((found.gradient or {}).items())
        if whole.pull(i) is not None
    )
    return f"at {point}: {formula} = {arrays.text(found.value, 6)}{slopes}"


@_shows(Page)
def _page(result: Page, settings: Settings) -> list[Block]:
    from exprgrad.views.pages import page_blocks

    return page_blocks(result.text)


@_shows(results.Said)
def _said(result: results.Said, settings: Settings) -> list[Block]:
    return [Wrapped(tuple(result.text.splitlines()), hang=2)]


@_shows(results.Ran)
def _ran(result: results.Ran, settings: Settings) -> list[Block]:
    own = [block for each in result.results for block in blocks(each, settings)]
    return [*own, Lines((f"{result.path} is loaded",))]


@_shows(results.Quit)
def _quit(result: results.Quit, settings: Settings) -> list[Block]:
    return []


def corner_errors(result: Any) -> list[ExprgradError]:
    """The diagnostics for the partial derivatives of a result that do not exist."""
    if isinstance(result, results.Swept):
        return _grid(result, Settings()).problems[:1]
    found = getattr(result, "evaluation", None)
    if found is None:
        return []
    told = (
        isinstance(result, results.Evaluated)
        and not found.expression.takes_arrays(found.at)
        and evaluation.has_slope_line(found)
    )
    errors = [
        corners.corner_error(
            c,
            found.expression.source,
            corners.element(found.at, c.variable),
            told=told,
        )
        for c in corners.missing(found)[:5]
    ]
    for error in errors:
        error.hint = "evaluate at a point nearby"
    return errors
