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

from collections.abc import Iterable, Sequence

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
from exprgrad.optimize.minimize import Descent
from exprgrad.pictures.graph import graph_at, graph_of, graph_traced
from exprgrad.pictures.results import of_descent, of_fit, of_verdict
from exprgrad.pictures.svg import escaped

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


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts."""
    cells = "".join(f"<th>{escaped(text)}</th>" for text in head)
    lines = [f"<tr>{cells}</tr>"]
    for i, row in enumerate(rows):
        if i == MOST_ROWS:
            lines.append(f'<tr><td colspan="{len(head)}">…</td></tr>')
            break
        lines.append("<tr>" + "".join(f"<td>{escaped(t)}</td>" for t in row) + "</tr>")
    return f'<table class="exprgrad">{"".join(lines)}</table>'


def paragraph(text: str, tag: str = "p") -> str:
    """A text in an element."""
    return f"<{tag}>{escaped(text)}</{tag}>"


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


def _expression_svg(found: Expression) -> str | None:
    return graph_of(found).svg() if _is_small(found) else None


def _number(found: Evaluation, name: str = "") -> str:
    if name in found.texts:
        return found.texts[name]
    value = found.gradient[name] if name else found.value
    return "does not exist" if value is None else number(value)


def _evaluation_html(found: Evaluation) -> str:
    rows = [(name, number(found.at[name]), _number(found, name)) for name in found.gradient]  # fmt: skip
    head = f"<div>{_typeset(found.expression)} = <b>{escaped(_number(found))}</b></div>"
    return head + (table(("variable", "value", "derivative"), rows) if rows else "")


def _evaluation_latex(found: Evaluation) -> str | None:
    text = _formula(found.expression)
    if text is None:
        return None
    value = _number(found)
    return f"${text} = {_decimal(value)}$"


def _decimal(text: str) -> str:
    """A number in a formula: 1e-9 as 1 times a power of ten, words as words."""
    mantissa, e, power = text.partition("e")
    if e and power.lstrip("+-").isdecimal():
        return rf"{mantissa} \cdot 10^{{{int(power)}}}"
    return text if text.lstrip("-")[:1].isdecimal() else rf"\text{{{text}}}"


def _evaluation_svg(found: Evaluation) -> str | None:
    if not found.primals:
        return None
    return graph_at(found).svg()


# Traces


def _trace_html(found: Trace) -> str:
    forward = [(step.name, step.formula, step.numbers, "none" if step.value is None else number(step.value, 6)) for step in found.forward]  # fmt: skip
    back = [
        (
            step.operand if not i else "",
            step.node,
            step.formula,
            f"{number(step.adjoint, 6)} × {number(step.partial, 6)} = {number(step.contribution, 6)}",
            number(step.total, 6),
        )
        for meeting in found.meetings()
        for i, step in enumerate(meeting.edges)
    ]
    out = paragraph("forward sweep", "b") + table(("node", "formula", "numbers", "value"), forward)  # fmt: skip
    if back:
        head = ("node", "from", "partial", "adjoint × partial", "adjoint so far")
        out += paragraph("reverse sweep", "b") + table(head, back)
    return out


def _trace_latex(found: Trace) -> str | None:
    if not found.forward or len(found.forward) > 30:
        return None
    lines = []
    for step in found.forward:
        value = "" if step.value is None else f" = {number(step.value, 6)}"
        formula_ = "" if step.formula == step.name else rf" = \texttt{{{_verbatim(step.formula)}}}"  # fmt: skip
        lines.append(rf"\texttt{{{_verbatim(step.name)}}} &{formula_}{value}")
    body = r" \\ ".join(lines)
    return rf"$\begin{{aligned}}{body}\end{{aligned}}$"


def _trace_svg(found: Trace) -> str | None:
    return graph_traced(found).svg() if found.forward else None


def _verbatim(text: str) -> str:
    """A text within LaTeX as it stands."""
    special = {"\\": r"\textbackslash ", "^": r"\textasciicircum ", "~": r"\textasciitilde "}  # fmt: skip
    return "".join(special.get(c) or (f"\\{c}" if c in "{}$%&_#" else c) for c in text)


# Verdicts


_STATUS = {"correct": "✓ correct", "incorrect": "✗ not the derivative", "partly": "✗ right on a piece of the domain only", "undecided": "could not decide"}  # fmt: skip


def _verdict_html(found: Verdict) -> str:
    claims = found.claim if isinstance(found.claim, tuple) else (found.claim,)
    status = _STATUS.get(found.status, found.status)
    if found.asked:
        what, status = escaped(found.asked), found.status
    else:
        what = f"the derivative of {_typeset(found.expression)} with respect to {escaped(found.wrt)}"
    claim = f"<div><b>{escaped(status)}</b>: {', '.join(map(_typeset, claims))} for {what}</div>"
    out = claim + (paragraph(found.evidence) if found.evidence else "")
    if found.counterexample is not None:
        at = ", ".join(f"{n} = {number(x, 6)}" for n, x in found.counterexample.at.items())  # fmt: skip
        claimed = found.counterexample.claimed
        gives = "has no value" if claimed is None else f"gives {number(claimed)}"
        right = "the right answer" if found.asked else "the derivative"
        out += paragraph(f"at {at} the claim {gives}, {right} is {number(found.counterexample.derivative)}")  # fmt: skip
    if found.mistake is not None:
        out += paragraph(found.mistake.message)
    return out + "".join(paragraph(note, "small") for note in found.notes)


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


def _descent_html(descent: Descent) -> str:
    found = descent.result
    rows = [(name, number(x) if isinstance(x, float) else str(x)) for name, x in found.variables.items()]  # fmt: skip
    what = found.kind or found.status
    head = f"{what}: value {number(found.value)} after {found.steps} steps"
    return paragraph(head, "b") + table(("variable", "value"), rows) + paragraph(found.reason, "small")  # fmt: skip


def _descent_latex(descent: Descent) -> str | None:
    """The value where the descent ended: the objective, a bar, and the variables at its foot."""
    found = descent.result
    expression = getattr(descent.objective, "expression", None)
    text = _formula(expression) if isinstance(expression, Expression) else None
    if text is None or not all(isinstance(x, float) for x in found.variables.values()):
        return None
    at = ",\\, ".join(
        f"{formula(Value(None, name))} = {_decimal(number(x))}"
        for name, x in found.variables.items()
    )
    value = _decimal(found.texts.get("") or number(found.value))
    return rf"$\left.{text}\right|_{{{at}}} = {value}$"


def _descent_svg(descent: Descent) -> str | None:
    found = descent.result
    expression = getattr(descent.objective, "expression", None)
    if not isinstance(expression, Expression) or len(found.variables) > 2:
        return None
    names = [n for n in expression.variables if n in found.variables]
    if len(names) != len(expression.variables):
        return None
    from exprgrad.optimize.descent import DescentStep

    last = DescentStep(found.steps, found.value, found.gradient_norm, found.variables)
    return of_descent(expression, [last], {}).svg()


def _fit_html(found: Fit) -> str:
    rows = [(name, number(p.value), "" if p.stderr is None else number(p.stderr, 3)) for name, p in found.parameters.items()]  # fmt: skip
    head = paragraph(found.model.text, "b")
    facts = f"{found.points} points, residual sum of squares {number(found.rss, 6)}; {found.message}"  # fmt: skip
    return head + table(("parameter", "value", "standard error"), rows) + paragraph(facts, "small")  # fmt: skip


def _fit_latex(found: Fit) -> str | None:
    sides = _formula(found.model.target), _formula(found.model.prediction)
    return None if None in sides else rf"${sides[0]} \sim {sides[1]}$"


_HTML: dict[type, Any] = {
    Expression: _expression_html, Evaluation: _evaluation_html, Trace: _trace_html, Verdict: _verdict_html,
    Descent: _descent_html, Fit: _fit_html,
}  # fmt: skip
_LATEX: dict[type, Any] = {
    Expression: _expression_latex, Evaluation: _evaluation_latex, Trace: _trace_latex, Verdict: _verdict_latex,
    Descent: _descent_latex, Fit: _fit_latex,
}  # fmt: skip
_SVG: dict[type, Any] = {
    Expression: _expression_svg, Evaluation: _evaluation_svg, Trace: _trace_svg, Verdict: _verdict_svg, Descent: _descent_svg,
    Fit: lambda found: of_fit(found).svg(),
}  # fmt: skip
