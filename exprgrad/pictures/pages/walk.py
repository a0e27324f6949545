"""A page in which one sees the sweeps: the graph, a sentence for each step, and the trace's tables beside it.

    walk_page(f.evaluate({"a": 2, "b": 3, "c": 1}))      # HTML, one file, no network

Without its script the page shows everything at once. With it, the rows of the tables are steps, and sliders move the
point: the numbers there come from the interpreter that `compiled.javascript` writes from the operation table.
"""

from __future__ import annotations

import os

from exprgrad.compiled.javascript import data, javascript
from exprgrad.errors import UsageError
from exprgrad.expressions.expression import Evaluation
from exprgrad.expressions.steps import steps
from exprgrad.notation.numbers import number
from exprgrad.pictures.graph import graph_whole
from exprgrad.pictures.graph_down import MOST_NODES as MOST_DOWN
from exprgrad.pictures.graph_down import graph_down
from exprgrad.pictures.graph_svg import graph_svg, shown
from exprgrad.pictures.pages.derivations import derivative, folded, formula
from exprgrad.pictures.pages.page import page
from exprgrad.pictures.pages.walk_data import Walk, fields, filled, refusals, walk_of
from exprgrad.pictures.svg import element, escaped

MOST_NODES = 300
"""Nodes of a graph that is walked through."""


MOST_DERIVED, MOST_TEXT = 60, 30_000
"""Operations of an expression that is differentiated for the page, and characters of the steps to its derivatives."""

SCRIPTS = ("walk_steps.js", "walk_page.js", "walk_inputs.js")
"""The script in its parts, each using those before it."""


def beside(name: str) -> str:
    """A file of this folder: the style or a script of the page."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def walk_page(evaluation: Evaluation, title: str = "") -> str:
    """The page for an evaluation, under its text or another title. Raises `UsageError` for a graph that is too large, or a number."""
    if not evaluation.primals or not evaluation.at:
        raise UsageError("a walk needs an expression with a variable that has a value")
    count = len(evaluation.expression.tape.steps)
    if count > MOST_NODES:
        what = f"a walk through {count} operations is too long for a page"
        raise UsageError(what, hint=f"at most {MOST_NODES}")
    title = title or evaluation.expression.title
    graph = graph_whole(evaluation)._replace(title=title)
    walk = walk_of(evaluation, graph)
    point = ", ".join(f"{k} = {shown(v)}" for k, v in evaluation.at.items())
    picture = element("div", graph_svg(graph, filled=True), class_="across")
    if len(graph.nodes) <= MOST_DOWN:  # in the style of the other one
        head, _, rest = graph_down(graph).partition("<style>")
        picture += element("div", head + rest.partition("</style>")[2], class_="down")
    tables = f"{_forward(walk)}{_reverse(walk)}"
    keys = element("span", escaped(_KEYS), class_="scripted")
    told = element("p", escaped(_FIRST) + keys, id="told", aria_live="polite")
    talk = _BAR + told + '<div id="beside"></div>'
    talk = element("section", talk, aria_label="The walk")
    body = "\n".join(
        [
            f'<h1>{escaped(title)} <span>at <span id="point">{escaped(point)}</span></span></h1>',
            *_in_doubles(evaluation, point),
            '<div id="inputs"></div><p id="noted" role="status"></p>',
            element("div", picture, class_="graph", tabindex=0, role="group", aria_label="The graph"),
            element("div", talk + element("div", tables, class_="tables"), class_="columns"),
            _results(evaluation).replace(_NAMESPACE, ""),
        ]
    )  # fmt: skip
    script = "\n".join(
        [
            '"use strict";',
            javascript(evaluation.expression, evaluation.at),
            f"const walk = {data(fields(walk, evaluation))};",
            *map(beside, SCRIPTS),
        ]
    )
    body = f"<main>\n{body}\n</main>"
    return page(f"{title}: the walk", body, beside("walk.css"), script)


def _in_doubles(evaluation: Evaluation, point: str) -> list[str]:
    """A paragraph on the numbers of the page that double precision, which it shows, gets wrong at the point."""
    right = {
        name: (evaluation.known(name).decimal(10) or "").replace("-", "−")
        for name, (alone, _) in evaluation.cancelled.items()
        if name not in evaluation.cornered
        and f"{alone:.6g}" != evaluation.known(name).decimal(6)
    }
    told = [f"{f'∂/∂{n}' if n else 'the value'} is {x}" for n, x in right.items()]
    said = f"This page shows double precision. At {point}, {' and '.join(told)}."
    return [element("p", escaped(said))] if right else []


_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
"""Of formulas by themselves; within HTML they need none."""

_FIRST = (
    "Values flow forward from the inputs to the result; then the reverse sweep takes the derivative of the "
    "result with respect to every node back to the inputs."
)
_KEYS = " Arrow keys and buttons walk through both."

_BAR = (
    '<div class="bar" role="group" aria-label="Steps"><button aria-label="to the beginning">⇤</button>'
    '<button aria-label="one step back">←</button><button aria-label="next step" class="next">Next →</button>'
    '<button aria-label="to the end">⇥</button><span id="count"></span></div>'
)


def _row(kind: str, cells: list[str], **data: object) -> str:
    inside = "".join(element("td", escaped(cell)) for cell in cells)
    return element("tr", inside, class_=kind, **data)


def _table(title: str, kind: str, head: list[str], rows: list[str]) -> str:
    cells = "".join(element("th", escaped(cell), scope="col") for cell in head)
    inside = f"<caption>{escaped(title)}</caption><thead><tr>{cells}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return element("div", element("table", inside, class_=kind))


def _forward(walk: Walk) -> str:
    values = walk.values()
    rows = []
    for item in walk.nodes:
        value = values.get(item.name)
        is_input = item.formula == item.name
        numbers = "" if is_input or value is None else filled(item, values, shown)
        numbers = "" if numbers == item.formula else numbers
        cells = [item.name, "input" if is_input else item.formula, numbers]
        hidden = None if item.name in walk.alive else "hidden"
        rows.append(_row("f", [*cells, "none" if value is None else shown(value)], data_node=item.name, hidden=hidden))  # fmt: skip
    head = ["node", "formula", "numbers", "value"]
    return _table("Forward sweep: values", "f", head, rows)


def _reverse(walk: Walk) -> str:
    adjoints = {walk.result: 1.0}
    rows = [_row("r", [walk.result, "", "", "seed", "1"], data_seed="")]
    found = walk.contributions()
    for i, edge in enumerate(walk.edges):
        own = found.get(i)
        product, total = "", ""
        if own:
            partial, contribution, so_far = own
            product = f"{_factor(adjoints[edge.node])} × {_factor(partial)} = {shown(contribution)}"  # fmt: skip
            total = shown(so_far)
            adjoints[edge.operand] = so_far
        cells = [edge.operand, edge.node, edge.formula, product, total]
        rows.append(_row("r", cells, data_edge=i, hidden=None if own else "hidden"))
    head = ["to", "from", "partial", "adjoint × partial", "adjoint so far"]
    return _table("Reverse sweep: adjoints", "r", head, rows)


def _factor(x: float) -> str:
    return f"({shown(x)})" if x < 0 else shown(x)


def _results(evaluation: Evaluation) -> str:
    """The value and every partial with ten digits, their formulas, and how these are found."""
    expression = evaluation.expression
    value = number(evaluation.value) if evaluation.value is not None else evaluation.texts.get("", "beyond doubles")  # fmt: skip
    rows = [_result("f", "value", formula(expression.root), value, data_result="")]
    refused = refusals(evaluation)
    short = len(expression.tape.steps) <= MOST_DERIVED
    for name, partial in evaluation.gradient.items():
        text = refused.get(name) or evaluation.texts.get(name) or number(partial or 0.0)
        own = derivative(expression, name) if short else ""
        rows.append(_result("r", f"∂/∂{name}", own, text, data_partial=name))
    table = _table("Result", "g", ["", "formula", "number"], rows)
    found = _derivations(evaluation) if short else ""
    return element("section", table + found, class_="results", aria_label="Result")


def _result(kind: str, name: str, own: str, text: str, **data: object) -> str:
    cells = element("td", escaped(name)) + element("td", own) + element("td", escaped(text.replace("-", "−")))  # fmt: skip
    return element("tr", cells, class_=kind, **data)


def _derivations(evaluation: Evaluation) -> str:
    """How each partial is found, as far as there is room."""
    root, several = evaluation.expression.root, len(evaluation.gradient) > 1
    parts = [element("h2", "How the derivatives are found")]
    for name in evaluation.gradient:
        own = folded(steps(root, name), several)
        if sum(map(len, parts)) + len(own) > MOST_TEXT:
            parts.append(element("p", f"There is no room for the steps to ∂/∂{escaped(name)}."))  # fmt: skip
        else:
            parts.append(element("div", own, class_="steps"))
    return "".join(parts)
