"""What notebooks show of results: HTML tables, LaTeX formulas, pictures.

    %load_ext exprgrad
    %diff x^2 sin(x)
    %check x^2 sin(x), 2x sin(x) + x^2 cos(x)
    %%exprgrad
    f(x) = x^2
    f'(3)

A result that has no such form gives None, and a notebook takes the next.
"""

from __future__ import annotations

from collections.abc import Iterable

from exprgrad.annotations import Any
from exprgrad.checking.check import Verdict
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.expressions.trace import Trace
from exprgrad.fitting.model import Fit
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value
from exprgrad.notation.latex import latex as formula
from exprgrad.notation.numbers import number
from exprgrad.optimize.descent import DescentStep
from exprgrad.optimize.minimize import Descent
from exprgrad.pictures.graph import graph_at, graph_of, graph_traced
from exprgrad.pictures.results import of_descent, of_fit, of_verdict
from exprgrad.pictures.svg import element, escaped
from exprgrad.views import tex
from exprgrad.views.answers.descent import DescentView, Sample
from exprgrad.views.answers.evaluation import gradient_table
from exprgrad.views.answers.fitting import FitView
from exprgrad.views.answers.trace import sweep_tables
from exprgrad.views.blocks import Block, Heading, Note, Table
from exprgrad.views.known import shown
from exprgrad.views.verdicts import checking

MOST_NODES = 150
"""Nodes of a graph of which notebooks show a formula and a picture."""

MOST_ROWS = 60


def html(thing: Any) -> str | None:
    """A result as HTML."""
    make = _HTML.get(type(thing))
    return None if make is None else make(thing)


def latex(thing: Any) -> str | None:
    """A result as a formula."""
    make = _LATEX.get(type(thing))
    return None if make is None else make(thing)


def svg(thing: Any) -> str | None:
    """A result as a picture."""
    make = _SVG.get(type(thing))
    try:
        return None if make is None else make(thing)
    except ExprgradError:
        return None  # what cannot be drawn is shown otherwise


def written(blocks: Iterable[Block]) -> str:
    """Headings, notes and tables as HTML."""
    return "".join(map(_block, blocks))


def _block(block: Block) -> str:
    if isinstance(block, Table):
        title = _line(block.title, "b") if block.title else ""
        footer = _line(block.footer, "small") if block.footer else ""
        return title + _table(block) + footer if block.rows else ""
    assert isinstance(block, Heading | Note), "results have no others"
    return _line(block.text, "b" if isinstance(block, Heading) else "small")


def _table(table: Table) -> str:
    head = [element("th", escaped(column.title)) for column in table.columns]
    lines = [element("tr", "".join(head))]
    for row in table.rows[:MOST_ROWS]:
        cells = (element("td", escaped(text)) for text in row)
        lines.append(element("tr", "".join(cells)))
    if len(table.rows) > MOST_ROWS:
        lines.append(element("tr", element("td", "…", colspan=len(head))))
    return element("table", "".join(lines), class_="exprgrad")


def _line(text: str, tag: str) -> str:
    return element("div", element(tag, escaped(text)))


def _is_small(expression: Expression) -> bool:
    return len(topological(expression.root)) <= MOST_NODES


def _formula(expression: Expression) -> str | None:
    return formula(expression.root) if _is_small(expression) else None


def _typeset(expression: Expression) -> str:
    text = _formula(expression)
    return escaped(expression.title) if text is None else f"${escaped(text)}$"


# Expressions and evaluations


def _expression_html(found: Expression) -> str:
    names = ", ".join(found.variables)
    told = f" <small>in {escaped(names)}</small>" if names else ""
    return f"<div>{_typeset(found)}{told}</div>"


def _expression_latex(found: Expression) -> str | None:
    text = _formula(found)
    return None if text is None else f"$\\displaystyle {text}$"


DIGITS = 10


def _evaluation_html(found: Evaluation) -> str:
    value = element("b", escaped(shown(found, "", DIGITS)))
    head = element("div", f"{_typeset(found.expression)} = {value}")
    return head + written([gradient_table(found, DIGITS)])


def _evaluation_latex(found: Evaluation) -> str | None:
    text = _formula(found.expression)
    return None if text is None else f"${text} = {tex.value(shown(found, '', DIGITS))}$"


# Traces


def _trace_latex(found: Trace) -> str | None:
    if not found.forward or len(found.forward) > 30:
        return None
    lines = []
    for step in found.forward:
        value = "" if step.value is None else f" = {number(step.value, 6)}"
        formula_ = "" if step.formula == step.name else rf" = \texttt{{{tex.words(step.formula)}}}"  # fmt: skip
        lines.append(rf"\texttt{{{tex.words(step.name)}}} &{formula_}{value}")
    body = r" \\ ".join(lines)
    return rf"$\begin{{aligned}}{body}\end{{aligned}}$"


# Verdicts


_STATUS = {"correct": "✓ correct", "incorrect": "✗ not the derivative", "partly": "✗ right on a piece of the domain only", "undecided": "could not decide"}  # fmt: skip


def _verdict_html(found: Verdict) -> str:
    claim = f"<div><b>{escaped(_STATUS.get(found.status, found.status))}</b>: {_typeset(found.claim)} for the derivative of {_typeset(found.expression)} with respect to {escaped(found.wrt)}</div>"  # fmt: skip
    said = [found.evidence] if found.evidence else []
    if found.mistake is not None and found.mistake.message != found.evidence:
        said.append(checking.sentence(found.mistake, checking.Detail()))
    told = "".join(element("p", escaped(text)) for text in said)
    return claim + told + written(map(Note, found.notes))


def _verdict_latex(found: Verdict) -> str | None:
    if found.asked:
        return None
    sides = _formula(found.expression), _formula(found.claim)
    if None in sides:
        return None
    relation = {"correct": "=", "incorrect": r"\ne"}.get(found.status, r"\overset{?}{=}")  # fmt: skip
    wrt = rf"\frac{{d}}{{d{found.wrt}}}"
    return rf"${wrt} \left({sides[0]}\right) {relation} {sides[1]}$"


def _verdict_svg(found: Verdict) -> str | None:
    plot = None if found.asked else of_verdict(found)
    return None if plot is None else plot.svg()


# Descents and fits


def _objective(descent: Descent) -> Expression | None:
    """The expression that is minimised; None for a function of Python."""
    found = getattr(descent.objective, "expression", None)
    return found if isinstance(found, Expression) else None


def _descent_html(descent: Descent) -> str:
    expression = _objective(descent)
    title = "the objective" if expression is None else expression.title
    return written(DescentView(title, descent.result, Sample(), DIGITS).table())


def _descent_latex(descent: Descent) -> str | None:
    """The value where the descent ended: the objective, a bar, and the variables at its foot."""
    found = descent.result
    expression = _objective(descent)
    text = None if expression is None else _formula(expression)
    if text is None or not all(isinstance(x, float) for x in found.variables.values()):
        return None
    at = ",\\, ".join(
        f"{formula(Value(None, name))} = {tex.value(number(x))}"
        for name, x in found.variables.items()
    )
    value = tex.value(found.texts.get("") or number(found.value))
    return rf"$\left.{text}\right|_{{{at}}} = {value}$"


def _descent_svg(descent: Descent) -> str | None:
    found = descent.result
    expression = _objective(descent)
    if expression is None or len(found.variables) > 2:
        return None
    names = [n for n in expression.variables if n in found.variables]
    if len(names) != len(expression.variables):
        return None
    last = DescentStep(found.steps, found.value, found.gradient_norm, found.variables)
    return of_descent(expression, [last], {}).svg()


def _fit_latex(found: Fit) -> str | None:
    sides = _formula(found.model.target), _formula(found.model.prediction)
    return None if None in sides else rf"${sides[0]} \sim {sides[1]}$"


_HTML: dict[type, Any] = {
    Expression: _expression_html, Evaluation: _evaluation_html, Trace: lambda found: written(sweep_tables(found, 6)),
    Verdict: _verdict_html, Descent: _descent_html, Fit: lambda found: written(FitView(found, DIGITS).table()),
}  # fmt: skip
_LATEX: dict[type, Any] = {
    Expression: _expression_latex, Evaluation: _evaluation_latex, Trace: _trace_latex, Verdict: _verdict_latex,
    Descent: _descent_latex, Fit: _fit_latex,
}  # fmt: skip
_SVG: dict[type, Any] = {
    Expression: lambda found: graph_of(found).svg() if _is_small(found) else None,
    Evaluation: lambda found: graph_at(found).svg() if found.primals else None,
    Trace: lambda found: graph_traced(found).svg() if found.forward else None,
    Verdict: _verdict_svg, Descent: _descent_svg, Fit: lambda found: of_fit(found).svg(),
}  # fmt: skip
