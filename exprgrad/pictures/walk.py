"""A page in which one sees the sweeps: the graph, a sentence for each step, and the trace's tables beside it.

    walk_page(f.evaluate({"a": 2, "b": 3, "c": 1}))      # HTML, one file, no network

The rows of the tables are the steps: each says in its attributes what changes in the picture, and the script does that
for all rows up to the current one. Without the script the page shows everything at once.
"""

from __future__ import annotations

from pathlib import Path

from exprgrad.errors import UsageError
from exprgrad.expressions.expression import Evaluation
from exprgrad.expressions.trace import Forward, Meeting, Reverse, Trace, trace
from exprgrad.notation.numbers import number
from exprgrad.pictures.graph import Graph, graph_at
from exprgrad.pictures.graph_svg import graph_svg, shown
from exprgrad.pictures.page import page
from exprgrad.pictures.svg import colours, element, escaped

MOST_NODES = 300
"""Nodes of a graph that is walked through."""

STYLE = """
.graph{overflow-x:auto} .graph svg{display:block;margin:auto}
.bar{display:flex;gap:.5rem;align-items:center;flex-wrap:wrap;margin:1rem 0 .4rem}
#told{min-height:4.6em;max-width:46rem;white-space:pre-line} #count{color:$soft}
.tables{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(30rem,100%),1fr));gap:0 2.5rem}
.tables>div{overflow-x:auto;min-width:0}
td:last-child,th:last-child{text-align:right} .f td:last-child{color:$value} .r td:last-child{color:$adjoint}
.live tr[data-step]:not(.past) td{color:$grey} tr.now.f td{background:$value-fill} tr.now.r td{background:$adjoint-fill}
tr.now td:first-child{box-shadow:inset 3px 0 $line}
.live .node:not(.known) .value,.live .node:not(.swept) .tab,.live .node:not(.swept) .adjoint{visibility:hidden}
.live .partial:not(.done),.live .contribution[data-k]:not(.done),.live .back:not(.done){visibility:hidden}
.live .head.done:not(.back){visibility:hidden} .exprgrad .lit .box{stroke-width:3.2} .exprgrad .edge.lit{stroke:$adjoint;stroke-width:2.6}
@media(prefers-reduced-motion:no-preference){.edge.lit{stroke-dasharray:8 5;animation:pulse .5s linear 3}}
@keyframes pulse{from{stroke-dashoffset:-13}to{stroke-dashoffset:-26}}
@media print{.bar,#told{display:none}}
"""

SCRIPT = Path(__file__).with_name("walk.js").read_text(encoding="utf-8")
"""What moves the page."""


def walk_page(evaluation: Evaluation, title: str = "") -> str:
    """The page for an evaluation, under its text or another title. Raises `UsageError` for a graph that is too large, or a number."""
    if not evaluation.primals or not evaluation.at:
        raise UsageError("a walk needs an expression with a variable that has a value")
    if len(evaluation.expression.tape.steps) > MOST_NODES:
        raise UsageError(
            f"a walk through {len(evaluation.expression.tape.steps)} operations is too long for a page",
            hint=f"at most {MOST_NODES}",
        )
    title = title or evaluation.expression.title
    traced = trace(evaluation, lambda x: number(x, 6), own_names=True)
    graph = graph_at(evaluation, "all", 0)._replace(title=title)
    point = ", ".join(f"{k} = {number(v, 6)}" for k, v in evaluation.at.items())
    picture = graph_svg(graph, both_heads=True).replace(colours(), "", 1)
    partials = ", ".join(
        f"∂/∂{k} {'does not exist' if v is None else '= ' + shown(v)}"
        for k, v in evaluation.gradient.items()
    )
    result = f"{title} = {_known(evaluation)}; {partials}"
    tables = f"{_forward(traced)}{_reverse(traced, graph)}"
    first = (
        "Values flow forward from the inputs to the result; then the reverse sweep takes the derivative of the "
        "result with respect to every node back to the inputs. Arrow keys and buttons walk through both."
    )
    body = "\n".join(
        [
            element("h1", escaped(f"{title} at {point}")),
            element("div", picture, class_="graph"),
            _BAR,
            element("p", escaped(first), id="told", aria_live="polite"),
            element("div", tables, class_="tables"),
            element("p", escaped(result)),
        ]
    )
    return page(f"{title}: the walk", body, STYLE, SCRIPT)


_BAR = (
    '<div class="bar"><button aria-label="to the beginning">⇤</button><button aria-label="one step back">←</button>'
    '<button aria-label="next step">Next →</button><button aria-label="to the end">⇥</button><span id="count"></span></div>'
)


def _known(evaluation: Evaluation) -> str:
    if evaluation.value is None:
        return evaluation.texts.get("", "beyond doubles")
    return shown(evaluation.value)


def _row(kind: str, step: int, cells: list[str], told: str, **data: object) -> str:
    inside = "".join(element("td", escaped(cell)) for cell in cells)
    facts = {f"data_{name}": value for name, value in data.items()}
    return element("tr", inside, class_=kind, data_step=step, data_told=told, **facts)


def _table(title: str, kind: str, head: list[str], rows: list[str]) -> str:
    cells = "".join(element("th", escaped(cell)) for cell in head)
    inside = f"<thead><tr>{cells}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return element("div", element("h2", title) + element("table", inside, class_=kind))


def _forward(traced: Trace) -> str:
    rows = []
    for i, step in enumerate(traced.forward, 1):
        value = "none" if step.value is None else shown(step.value)
        formula = "" if step.formula == step.name else _said(step.formula)
        cells = [step.name, formula, _said(step.numbers), value]
        told = _computed(step, value)
        rows.append(_row("f", i, cells, told, node=step.name))
    head = ["node", "formula", "numbers", "value"]
    return _table("Forward sweep: values", "f", head, rows)


def _computed(step: Forward, value: str) -> str:
    """A step of the forward sweep in words."""
    if step.formula == step.name:
        uses = f" It is used {step.uses} times." if step.uses > 1 else ""
        return f"{step.name} = {value}, an input.{uses}"
    sides = dict.fromkeys([step.name, _said(step.formula), _said(step.numbers), value])
    uses = f" It is used {step.uses} times." if step.uses > 1 else ""
    return f"{' = '.join(filter(None, sides))}.{uses}"


def _reverse(traced: Trace, graph: Graph) -> str:
    number_of: dict[tuple[str, str], list[int]] = {}
    for i, line in enumerate(graph.edges):
        number_of.setdefault((line.operand, line.node), []).append(i)
    formulas = {step.name: _said(step.formula) for step in traced.forward}
    step = len(traced.forward) + 1
    told = f"The adjoint of a node says how fast the result changes with it. That of {traced.result}, the result, is 1."  # fmt: skip
    rows = [_row("r", step, [traced.result, "", "seed", "1"], told, node=traced.result, total="1")]  # fmt: skip
    for meeting in traced.meetings():
        for edge in meeting.edges:
            step += 1
            own = number_of.get((edge.operand, edge.node))
            cells = [
                edge.operand,
                edge.node,
                f"{_factor(edge.adjoint)} × {_factor(edge.partial)} = {shown(edge.contribution)}",
                shown(edge.total),
            ]
            k = own.pop(0) if own else None
            rows.append(_row("r", step, cells, _passed(edge, meeting, formulas), node=edge.operand, edge=k, total=shown(edge.total)))  # fmt: skip
    head = ["to", "from", "adjoint × partial", "adjoint so far"]
    return _table("Reverse sweep: adjoints", "r", head, rows)


def _factor(x: float) -> str:
    return f"({shown(x)})" if x < 0 else shown(x)


def _passed(edge: Reverse, meeting: Meeting, formulas: dict[str, str]) -> str:
    """A step of the reverse sweep in words: the local partial, the product, and the sum so far."""
    sides = [f"∂{edge.node}/∂{edge.operand}", _said(edge.formula), shown(edge.partial)]
    product = f"{_factor(edge.adjoint)} × {_factor(edge.partial)} = {shown(edge.contribution)}"  # fmt: skip
    told = f"{edge.node} = {formulas[edge.node]}, so {' = '.join(dict.fromkeys(sides))}; adjoint {product} is added to {edge.operand}"  # fmt: skip
    if edge.parts == 1:
        return f"{told}, whose adjoint is {shown(edge.total)}."
    parts = [_factor(e.contribution) for e in meeting.edges[: edge.part]]
    total = f"{' + '.join(parts)} = {shown(edge.total)}" if edge.part > 1 else shown(edge.total)  # fmt: skip
    return f"{told}, contribution {edge.part} of {edge.parts}: {total}."


def _said(formula: str) -> str:
    """A formula with a true minus, as numbers have it."""
    return formula.replace("-", "−")
