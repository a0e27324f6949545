"""The display of results in notebooks: HTML tables, LaTeX formulas, pictures.

    %load_ext exprgrad
    %diff x^2 sin(x)
    %check x^2 sin(x), 2x sin(x) + x^2 cos(x)
    %%exprgrad
    f(x) = x^2
    f'(3)

A result that has no such form gives None, and a notebook takes the next.
"""

from __future__ import annotations

from collections.abc import Callable

from exprgrad.annotations import Any
from exprgrad.checking.check import Verdict
from exprgrad.checking.work.sheet import Solution
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.expressions.trace import Trace
from exprgrad.fitting.model import Fit
from exprgrad.graph.order import topological
from exprgrad.graph.value import Scalar, Tensor, Value
from exprgrad.notation.latex import latex as formula
from exprgrad.notation.numbers import number
from exprgrad.optimize.descent import DescentStep
from exprgrad.optimize.minimize import Descent
from exprgrad.pictures.graph import graph_at, graph_of
from exprgrad.pictures.plot import of_descent, of_fit, of_verdict
from exprgrad.views import tex
from exprgrad.views.blocks import Block, Formula, Heading, Note
from exprgrad.views.descent import DescentView, Sample
from exprgrad.views.evaluation import EvaluationView
from exprgrad.views.formats import document
from exprgrad.views.html import fragment
from exprgrad.views.trace import sweep_tables
from exprgrad.views.uncertainty import FitView
from exprgrad.views.verdicts import Detail, EquivalenceView, VerdictsView, WorkView

MOST_NODES = 150
"""Nodes of a graph of which notebooks show a formula and a picture."""

DIGITS = 10


def text(thing: Any) -> str:
    """A result as the terminal shows it, without colours."""
    return "\n".join(document(_BLOCKS[type(thing)](thing), "plain"))


def html(thing: Any) -> str | None:
    """A result as HTML."""
    blocks = _BLOCKS.get(type(thing))
    return None if blocks is None else fragment(blocks(thing))


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


def _expression(found: Expression) -> list[Block]:
    title, names = found.title, ", ".join(found.variables)
    heading = Heading(title, Formula((found.root,), title))
    return [heading, Note(f"in {names}")] if names else [heading]


def _verdict(found: Verdict) -> list[Block]:
    if found.kind == "work":
        return WorkView([Solution(1, found)], Detail()).blocks()
    if found.kind == "equivalence":
        a, b = found.expression, found.claim
        return EquivalenceView(a.title, b.title, found, (a, b)).blocks()
    return VerdictsView([(found, None)], Detail()).blocks()


_BLOCKS: dict[type, Callable[[Any], list[Block]]] = {
    Expression: _expression,
    Evaluation: lambda found: EvaluationView(found, DIGITS).blocks(),
    Trace: lambda found: sweep_tables(found, 6),
    Verdict: _verdict,
    Descent: lambda found: DescentView(
        found.objective.expression.title, found.result, Sample(), DIGITS
    ).blocks(),
    Fit: lambda found: FitView(found, DIGITS).blocks(),
}
"""What is shown of each kind of result."""


def _heading(found: Any, expression: Expression) -> str | None:
    """The formula of a result's heading, if the expression is small."""
    if not _is_small(expression):
        return None
    own: Any = _BLOCKS[type(found)](found)[0]
    return f"$\\displaystyle {tex.formula(own.formula)}$"


def _is_small(expression: Expression) -> bool:
    return len(topological(expression.root)) <= MOST_NODES


def _formula(expression: Expression) -> str | None:
    return formula(expression.root) if _is_small(expression) else None


def _trace_latex(found: Trace) -> str | None:
    # more lines than a screen has are easier to read in the table
    if not found.forward or len(found.forward) > 30:
        return None
    lines = []
    for step in found.forward:
        value = "" if step.value is None else f" = {number(step.value, 6)}"
        # MathJax shows \textasciicircum as it is written, and LaTeX has no ^ in a text
        power, typed = r"\textasciicircum{}", tex.words(step.formula)
        typed = typed.replace(power, r"}{}^\wedge\texttt{")
        formula_ = "" if step.formula == step.name else rf" = \texttt{{{typed}}}"
        lines.append(rf"\texttt{{{tex.words(step.name)}}} &{formula_}{value}")
    body = r" \\ ".join(lines)
    return rf"$\begin{{aligned}}{body}\end{{aligned}}$"


def _verdict_latex(found: Verdict) -> str | None:
    if found.asked or found.kind != "derivative":
        return None
    sides = _formula(found.expression), _formula(found.claim)
    if None in sides:
        return None
    relation = {"correct": "=", "incorrect": r"\ne"}.get(found.status, r"\overset{?}{=}")  # fmt: skip
    several = len(found.expression.variables) > 1
    wrt = tex.differential((found.wrt,) * found.order, several)
    return rf"${wrt} \left({sides[0]}\right) {relation} {sides[1]}$"


def _verdict_svg(found: Verdict) -> str | None:
    is_one = found.kind == "derivative" and not found.asked
    plot = of_verdict(found) if is_one else None
    return None if plot is None else plot.svg()


def _descent_latex(descent: Descent) -> str | None:
    """The value where the descent ended: the objective, a bar, and the variables at its foot."""
    found = descent.result
    text = _formula(descent.objective.expression)
    if text is None or not all(isinstance(x, float) for x in found.variables.values()):
        return None
    pairs = ((Value(None, name), number(x)) for name, x in found.variables.items())
    at = ",\\, ".join(f"{formula(name)} = {tex.value(x)}" for name, x in pairs)
    value = tex.value(found.texts.get("") or number(found.value))
    return rf"$\left.{text}\right|_{{{at}}} = {value}$"


def _descent_svg(descent: Descent) -> str | None:
    found = descent.result
    expression, known = descent.objective.expression, {*found.variables}
    # a curve or contours have the variables of the descent, and no values for others
    if len(known) > 2 or not known.issuperset(expression.variables):
        return None
    last = DescentStep(found.steps, found.value, found.gradient_norm, found.variables)
    return of_descent(expression, [last], {}).svg()


_LATEX: dict[type, Any] = {
    Expression: lambda found: _heading(found, found), Trace: _trace_latex, Verdict: _verdict_latex, Descent: _descent_latex,
    Evaluation: lambda found: _heading(found, found.expression), Fit: lambda found: _heading(found, found.model.prediction),
}  # fmt: skip


def _value_svg(found: Value) -> str | None:
    """The graph of a node that was computed from others, if it is small."""
    # a lone number has nothing to be drawn, and a notebook shows its text instead
    drawn = 1 < len(topological(found)) <= MOST_NODES and not isinstance(found, Tensor)
    return found.graph().svg() if drawn else None


_SVG: dict[type, Any] = {
    Value: _value_svg, Scalar: _value_svg,
    Expression: lambda found: graph_of(found).svg() if _is_small(found) else None,
    Evaluation: lambda found: graph_at(found).svg() if found.primals else None,
    Trace: lambda found: graph_at(found.evaluation).svg() if found.forward else None,
    Verdict: _verdict_svg, Descent: _descent_svg, Fit: lambda found: of_fit(found).svg(),
}  # fmt: skip
