"""The results of a session's statements and commands as blocks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.commands.pages import Page
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.known import coordinate_text, edge_notes, shown
from exprgrad.graph.value import Value, node
from exprgrad.language.notes import shorten
from exprgrad.operations.operation import Operation
from exprgrad.session import results
from exprgrad.session.workspace import LONGEST_READING, Settings
from exprgrad.sweeps.coordinates import Coordinate
from exprgrad.views import output
from exprgrad.views.answers import corners, evaluation
from exprgrad.views.blocks import (
    Block,
    Column,
    Heading,
    Lines,
    Note,
    Table,
    Wrapped,
    number,
)

if TYPE_CHECKING:
    from exprgrad.views.answers.grid import GridView

POINTS = 40
"""Points of a range that are shown."""

TRACE_ROWS = 60
"""Rows of a sweep that are shown."""


_SHOWN: dict[type, Callable[[Any, Settings], Any]] = {}
"""How each class of results is shown. (`functools.singledispatch` would import `typing`.)"""


def blocks(result: Any, settings: Settings) -> list[Block]:
    """The result of a statement, for the settings of the session: as LaTeX where that is set and there is some."""
    known = (_SHOWN[own] for own in type(result).__mro__ if own in _SHOWN)
    show = next(known, None)
    if show is None:
        raise TypeError(f"there is no view of {type(result).__name__}")
    found = show(result, settings)
    if isinstance(found, list):
        return found
    drawn: list[Block] = found.blocks()
    return [_in_latex(*drawn)] if settings.format == "latex" else drawn


def _in_latex(*drawn: Block) -> Lines:
    from exprgrad.views.formats import document

    return Lines(tuple(document(drawn, "latex")))


def _shows(*kinds: type) -> Callable[[Any], Any]:
    """The function below gives the view of results of these classes, or their blocks."""

    def keep(show: Any) -> Any:
        _SHOWN.update(dict.fromkeys(kinds, show))
        return show

    return keep


@_shows(results.Evaluated)
def _evaluated(result: results.Evaluated, settings: Settings) -> Any:
    from exprgrad.views.answers import arrays

    found: Any = result.evaluation
    digits = settings.digits
    if found.expression.takes_arrays(found.at):
        return arrays.ArraysView(found, digits)
    if settings.format == "latex":
        return evaluation.EvaluationView(found, digits)
    value = shown(found, "", digits)
    if result.gradient:
        parts = (shown(found, name, digits) for name in found.gradient)
        value = f"({', '.join(parts)})"
    notes = [*found.expression.notes, *edge_notes(found)]
    rest = evaluation.blocks(found, digits, notes)[1:]
    return [Heading(f"{shorten(result.title, 60)} = {value}"), *rest]


@_shows(results.Swept)
def _swept(result: results.Swept, settings: Settings) -> GridView:
    from exprgrad.views.answers.grid import GridView

    return GridView(
        result.expression, result.varying, result.wrt, result.points,
        settings.digits, POINTS,
    )  # fmt: skip


@_shows(results.Derived)
def _derived(result: results.Derived, settings: Settings) -> list[Block]:
    from exprgrad.views.answers.formulas import FormulasView

    found = result.derivatives
    expression, detail = found.expression, result.detail
    view = FormulasView(found, None, settings.digits, settings.notation)
    head = _formula(result.title, expression.root, settings)
    reading = None
    if expression.implicit and " = " not in head and _is_short(expression.root):
        reading = expression.reading
    notes = _notes(reading, view.notes())
    if not result.whole:
        notes.append(Note("it is long: :diff gives its derivatives"))
    steps = [view.derivation(f, detail) for f in found.formulas if detail]
    lines = view.formulas()
    lines = _in_latex(lines) if settings.format == "latex" else lines
    if not notes and not steps:
        return [Lines((head, *lines.texts))]
    return [Heading(head), *notes, *steps, lines]


def _formula(title: str, root: Value, settings: Settings) -> str:
    """What was typed, and the formula if it reads differently."""
    from exprgrad.notation.latex import latex
    from exprgrad.views.answers.formulas import written

    if settings.format == "latex":
        return latex(root)
    if not _is_short(root):
        return shorten(title, 60)
    [text] = written(root, settings.notation)
    same = "".join(text.split()) == "".join(title.split())
    return title if same else f"{shorten(title, 60)} = {text}"


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


@_shows(results.Graphed, results.Plotted)
def _drawn(result: Any, settings: Settings) -> Any:
    if isinstance(result, results.Plotted):
        from exprgrad.views.answers.plot import PlotView

        return PlotView(result.plot, result.notes).blocks()
    from exprgrad.views.answers.graph import GraphView, in_doubles

    notes = (*result.notes, *in_doubles(result.evaluation))
    return GraphView(result.graph, notes).blocks()


@_shows(results.Checked, results.Judged, results.Equated, results.Worked)
def _verdict(result: Any, settings: Settings) -> Any:
    from exprgrad.views.verdicts import checking

    detail = checking.Detail(width=output.width())
    if isinstance(result, results.Checked | results.Judged):
        return checking.VerdictsView([(result.verdict, None)], detail)
    if isinstance(result, results.Equated):
        return checking.EquivalenceView(*result.sides, result.found, result.read)
    from exprgrad.checking.work.sheet import Solution
    from exprgrad.views.verdicts.work import WorkView

    return WorkView([Solution(1, result.work)], detail)


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
    return [Table("", columns, [tuple(row) for row in cells])]


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


_TRIED = (0.5, 2.0, 1.5, 3.0, -2.0, 0.0)
"""Numbers for the examples of operations, of which the first fit that have a derivative."""

_ARRAYS: dict[str, Any] = {
    "x": [1.0, 2.0, 3.0], "y": [0.5, 0.0, 1.0], "z": [[1.0, 2.0]], "t": [1.0],
    "axis": 0.0, "n": -1.0, "i": 1.0,
}  # fmt: skip
"""Arguments for the examples of operations on arrays."""


def example(operation: Operation) -> str:
    """An operation at a point, with its derivatives there; nothing where none is found."""
    from exprgrad.views.answers.arrays import text
    from exprgrad.views.answers.operations import argument_names

    names, whole = argument_names(operation), operation.whole
    rules: Any = map(whole.pull, range(len(names))) if whole else operation.partials
    wrt = [name for name, rule in zip(names, rules, strict=True) if rule is not None]
    formula = Expression.of(node(operation, tuple(Value(None, name) for name in names)))
    numbers = itertools.product(_TRIED, repeat=len(names))
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


@_shows(results.Answered)
def _answered(result: results.Answered, settings: Settings) -> list[Block]:
    from exprgrad.views.formats import lines_of

    drawn: list[Block] = []
    for view, format_ in result.views:
        if format_ in ("text", "table"):
            own = view.blocks()
            drawn += [_in_latex(*own)] if settings.format == "latex" else own
        else:
            lines = "\n".join(lines_of(view, format_)).splitlines()
            drawn.append(Lines(tuple(lines)))
    return [*drawn, *(Note(text) for text in result.remarks)]


@_shows(results.Quit)
def _quit(result: results.Quit, settings: Settings) -> list[Block]:
    return []


def corner_errors(result: Any) -> list[ExprgradError]:
    """The diagnostics for the partial derivatives of a result that do not exist."""
    if isinstance(result, results.Answered):
        return result.errors
    if isinstance(result, results.Swept):
        problems: list[ExprgradError] = _swept(result, Settings()).problems
        return problems[:1]
    found = getattr(result, "evaluation", None)
    if found is None:
        return []
    told = (
        isinstance(result, results.Evaluated)
        and not found.expression.takes_arrays(found.at)
        and evaluation.has_slope_line(found)
    )
    errors = corners.errors(found, told)
    for error in errors:
        error.hint = "evaluate at a point nearby"
    return errors
