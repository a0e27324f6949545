"""A page in which one sees the sweeps: the graph, a sentence for each step, and the trace's tables beside it.

    walk_page(f.evaluate({"a": 2, "b": 3, "c": 1}))      # HTML, one file, no network

The rows of the tables are the steps: each says in its attributes what changes in the picture, and the script does that
for all rows up to the current one. Without the script the page shows everything at once.
"""

from __future__ import annotations

from exprgrad.errors import UsageError
from exprgrad.expressions.expression import Evaluation
from exprgrad.expressions.trace import Forward, Meeting, Reverse, Trace, trace
from exprgrad.notation.numbers import number
from exprgrad.pictures.graph import Graph, graph_at
from exprgrad.pictures.graph_svg import graph_svg, shown
from exprgrad.pictures.svg import SANS, colours, css, element, escaped

MOST_NODES = 300
"""Nodes of a graph that is walked through."""

STYLE = f"""
body{{margin:0 auto;padding:1.2rem;max-width:80rem;font:16px/1.45 {SANS};background:$paper;color:$ink}}
h1{{font-size:1.3rem;font-weight:500;overflow-wrap:anywhere}} h2{{font-size:1rem;margin:1.4rem 0 .4rem}}
.graph{{overflow-x:auto}} .graph svg{{display:block;margin:auto}}
.bar{{display:flex;gap:.5rem;align-items:center;flex-wrap:wrap;margin:1rem 0 .4rem}}
button{{font:inherit;min-width:2.6rem;padding:.35rem .8rem;border:1px solid $line;border-radius:6px;background:$box;color:$ink}}
button:focus-visible{{outline:3px solid $value}} button:disabled{{color:$grey}}
#told{{min-height:4.6em;max-width:46rem;white-space:pre-line}} #count{{color:$soft}}
.tables{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(30rem,100%),1fr));gap:0 2.5rem}}
.tables>div{{overflow-x:auto;min-width:0}}
table{{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}}
th,td{{text-align:left;padding:.25rem .6rem;border-bottom:1px solid $hair;white-space:nowrap}} th{{color:$soft;font-weight:500}}
td:last-child,th:last-child{{text-align:right}} .f td:last-child{{color:$value}} .r td:last-child{{color:$adjoint}}
.live tr[data-step]:not(.past) td{{color:$grey}} tr.now.f td{{background:$value-fill}} tr.now.r td{{background:$adjoint-fill}}
tr.now td:first-child{{box-shadow:inset 3px 0 $line}}
.live .node:not(.known) .value,.live .node:not(.swept) .tab,.live .node:not(.swept) .adjoint{{visibility:hidden}}
.live .partial:not(.done),.live .contribution[data-k]:not(.done),.live .back:not(.done){{visibility:hidden}}
.live .head.done:not(.back){{visibility:hidden}} .exprgrad .lit .box{{stroke-width:3.2}} .exprgrad .edge.lit{{stroke:$adjoint;stroke-width:2.6}}
@media(prefers-reduced-motion:no-preference){{.edge.lit{{stroke-dasharray:8 5;animation:pulse .5s linear 3}}}}
@keyframes pulse{{from{{stroke-dashoffset:-13}}to{{stroke-dashoffset:-26}}}}
@media print{{.bar,#told{{display:none}}}}
"""

SCRIPT = """
"use strict";
(() => {
  const rows = [...document.querySelectorAll("tr[data-step]")];
  const all = (query) => document.querySelectorAll(query);
  const nodes = new Map([...all("[data-n]")].map((g) => [g.dataset.n, g]));
  const told = document.getElementById("told"), count = document.getElementById("count");
  const buttons = [...all("button")], first = told.textContent;
  const show = (at) => {
    at = Math.max(0, Math.min(rows.length, at));
    for (const e of all(".known,.swept,.done,.lit,.now,.past"))
      e.classList.remove("known", "swept", "done", "lit", "now", "past");
    rows.forEach((row, i) => {
      if (i >= at) return;
      const now = i === at - 1, d = row.dataset, node = nodes.get(d.node);
      row.classList.add("past");
      if (now) row.classList.add("now");
      if (node) {
        node.classList.add(d.total === undefined ? "known" : "swept");
        if (now) node.classList.add("lit");
        const adjoint = node.querySelector(".adjoint");
        if (d.total !== undefined && adjoint) adjoint.textContent = d.total;
      }
      if (d.edge !== undefined)
        for (const e of all(`[data-k="${d.edge}"]`)) e.classList.add("done", ...(now ? ["lit"] : []));
    });
    told.textContent = at ? rows[at - 1].dataset.told : first;
    count.textContent = `step ${at} of ${rows.length}`;
    buttons[0].disabled = buttons[1].disabled = at === 0;
    buttons[2].disabled = buttons[3].disabled = at === rows.length;
    document.body.dataset.at = at;
    location.replace(`#step=${at}`);
  };
  const here = () => Number(document.body.dataset.at);
  const moves = [() => 0, () => here() - 1, () => here() + 1, () => rows.length];
  buttons.forEach((button, i) => button.addEventListener("click", () => show(moves[i]())));
  const keys = { Home: 0, ArrowLeft: 1, ArrowRight: 2, End: 3 };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in keys)) return;
    event.preventDefault();
    show(moves[keys[event.key]]());
  });
  rows.forEach((row, i) => row.addEventListener("click", () => show(i + 1)));
  document.body.classList.add("live");
  show(Number((/step=(\\d+)/.exec(location.hash) || [0, 0])[1]));
})();
"""


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
            f"<script>{SCRIPT}</script>",
        ]
    )
    return (
        '<!DOCTYPE html>\n<html lang="en" class="exprgrad">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escaped(title)}: the walk</title>\n"
        f"<style>{colours()}{css(STYLE)}</style></head>\n<body>\n{body}\n</body>\n</html>\n"
    )


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
