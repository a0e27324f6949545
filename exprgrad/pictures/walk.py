"""A page in which one sees the sweeps: the graph, a sentence for each step, and the trace's tables beside it.

    walk_page(f.evaluate({"a": 2, "b": 3, "c": 1}))      # HTML, one file, no network

Without its script the page shows everything at once. With it, the rows of the tables are steps, and sliders move the
point: the numbers there come from the interpreter that `compiled.javascript` writes from the operation table.

A formula of a node has a twin for its numbers, in which the characters from U+E000 on stand for the operands. The
edges are in the order in which a reverse sweep passes them, all contributions to a node together; those of a
branch that is not taken are among them, for at another point it may be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import LIMITS, at_most
from exprgrad.compiled.javascript import data, javascript, source
from exprgrad.errors import UsageError
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.expressions.steps import Derivation, steps
from exprgrad.expressions.trace import Labelled, Reverse, Trace, by_operand, trace
from exprgrad.graph.value import Constant, Value, node
from exprgrad.notation.mathml import derivative_of, mathml
from exprgrad.notation.numbers import number
from exprgrad.notation.text import text_length, to_text
from exprgrad.pictures.graph import (
    MOST_DOWN,
    Graph,
    at_stages,
    by_ends,
    graph_down,
    graph_svg,
    graph_whole,
    next_of,
    shown,
)
from exprgrad.pictures.svg import element, escaped, page
from exprgrad.sweeps.corners import reason

_FIRST = 0xE000
"""The character that stands for the first operand, from those for private use."""

_UPPER = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class WalkNode(NamedTuple):
    """A node: `formula` in terms of others, `numbers` with places for those, in `brackets` where negative."""

    name: str
    place: int
    formula: str
    numbers: str
    brackets: list[bool]
    operands: list[str | None]
    choose: list[int | None] | None = None


class WalkEdge(NamedTuple):
    """The contribution of a node to its operand at a position, with the local partial as a formula; `k` is the edge in the picture."""

    node: str
    operand: str
    position: int
    formula: str
    k: int | None


class Walk(NamedTuple):
    """The data of a page."""

    nodes: list[WalkNode]
    edges: list[WalkEdge]
    result: str
    traced: Trace

    def contributions(self) -> list[Reverse | None]:
        """The step of the reverse sweep over each edge; None where the sweep does not pass at the point."""
        rows = by_ends(self.traced.reverse)
        return [next_of(rows, edge) for edge in self.edges]

    def values(self) -> dict[str, float]:
        """The value of each node that has one at the point."""
        found = {step.name: step.value for step in self.traced.forward}
        return {name: x for name, x in found.items() if x is not None}


def walk_of(evaluation: Evaluation, graph: Graph) -> Walk:
    """The data of an evaluation, whose whole graph is given."""
    own = Labelled(evaluation, repr, own_names=True)
    tape, label = own.tape, own.label
    nodes = [
        WalkNode(name, i, name, chr(_FIRST), [False], [name])
        for name, i in tape.variables.items()
    ]
    for step in tape.steps:
        operands = [label.get(j) for j in step.operands]
        places = [
            own.symbols[j] if name is None else Value(None, chr(_FIRST + i))
            for i, (j, name) in enumerate(zip(step.operands, operands, strict=True))
        ]
        text = to_text(node(step.operation, tuple(places)))
        brackets = []  # in which a negative number needs them
        # whether it does is asked of the writer, with a negative number in that place
        for i, name in enumerate(operands):
            negative = (*places[:i], Constant(-7.25), *places[i + 1 :])
            plain = text.replace(chr(_FIRST + i), "-7.25")
            brackets.append(name is not None and to_text(node(step.operation, negative)) != plain)  # fmt: skip
        choose = step.operation.choose
        chosen = choose and [choose(truth) for truth in (False, True)]
        formula = typeset(own.formula(step), "·")
        place = label[step.node], step.node
        numbers = typeset(text, " × ")
        nodes.append(WalkNode(*place, formula, numbers, brackets, operands, chosen))
    traced = trace(evaluation, lambda x: number(x, 6), own_names=True)
    return Walk(nodes, _edges(own, graph), label[tape.root], traced)


def typeset(formula: str, times: str) -> str:
    """A formula with a true minus, a sign for products and raised powers, still on one line."""
    formula = re.sub(r"\^(\d+)(?![\d.^e])", lambda m: m[1].translate(_UPPER), formula)
    return formula.replace("*", times).replace("-", "−")


def _edges(own: Labelled, graph: Graph) -> list[WalkEdge]:
    """The edges of all nodes that depend on a variable of the gradient, in the order of a reverse sweep."""
    tape, label = own.tape, own.label
    active = tape.active(own.evaluation.gradient)
    drawn: dict[tuple[str, str], list[int]] = {}
    for i, line in enumerate(graph.edges):
        drawn.setdefault((line.operand, line.node), []).append(i)
    edges = []
    for step in reversed(tape.steps):
        if not active[step.node]:
            continue
        for position, j in enumerate(step.operands):
            lines = drawn.get((label.get(j, ""), label[step.node]))
            # taken even where no contribution passes: two edges between the same nodes are told apart by order alone
            k = lines.pop(0) if lines else None
            if not active[j] or step.operation.partials[position] is None:
                continue
            formula = typeset(own.partial(step, position), "·")
            edges.append(WalkEdge(label[step.node], label[j], position, formula, k))
    found = by_operand(edges, (label[j] for j in tape.variables.values()))
    return [edge for own_edges in found.values() for edge in own_edges]


def filled(
    item: WalkNode, values: dict[str, float], show: Callable[[float], str]
) -> str:
    """The formula of a node with the numbers of its operands, those that are known."""
    text = item.numbers
    for i, operand in enumerate(item.operands):
        if operand is None:
            continue
        value = values.get(operand)
        shown = operand if value is None else show(value)
        if value is not None and item.brackets[i] and value < 0:
            shown = f"({shown})"
        text = text.replace(chr(_FIRST + i), shown)
    return text


def refusals(evaluation: Evaluation) -> dict[str, str]:
    """Return what is said of the partials that are not known, by name."""
    undecided = {c.variable for c in evaluation.corners if c.kind == "undetermined"}
    return {
        name: "could not be decided" if name in undecided else "does not exist"
        for name, partial in evaluation.gradient.items()
        if partial is None and name not in evaluation.texts
    }


def fields(walk: Walk, evaluation: Evaluation) -> dict[str, Any]:
    """The data for the script: what it walks along, and the numbers at the point that the page was made for."""
    passed = walk.contributions()
    why = {c.variable: f": {reason(c, '', shown)}" for c in evaluation.corners if c.kind != "undetermined"}  # fmt: skip
    return {
        "expression": str(evaluation.expression),
        "result": walk.result,
        "wrt": list(evaluation.gradient),
        "nodes": [item._asdict() for item in walk.nodes],
        "edges": [edge._asdict() for edge in walk.edges],
        "given": {
            # JSON has no infinity
            "at": {name: x for name, x in evaluation.at.items() if math.isfinite(x)},
            "values": walk.values(),
            "edges": [row and (row.partial, row.contribution, row.total) for row in passed],
            "corners": walk.traced.blocked,
            "gradient": dict(evaluation.gradient),
            "refused": {name: f"∂/∂{name} {said} here{why.get(name, '')}" for name, said in refusals(evaluation).items()},
        },
    }  # fmt: skip


LONGEST = 400
"""Characters of the text of a formula that a page shows."""


def formula(root: Value) -> str:
    """A formula as MathML; nothing where it is too long for a line."""
    if text_length(root, LONGEST) > LONGEST:
        return ""
    try:
        return mathml(root)
    except UsageError:  # shared parts make it longer than its text says
        return ""


def derivative(expression: Expression, name: str) -> str:
    """The derivative with respect to a variable as MathML; nothing where there is none that fits."""
    try:
        return formula(expression.derivative(name).root)
    except UsageError:
        return ""


def folded(steps: Derivation, several: bool) -> str:
    """The steps: each is open to look at what its rule needs."""
    parts: list[str] = []
    open_at: list[int] = []
    for step in steps:
        # a step that is no deeper than one that is open ends it
        while open_at and open_at[-1] >= step.depth:
            open_at.pop()
            parts.append("</details>")
        asked = derivative_of(step.part, [step.variable], several)
        rule = element("span", escaped(step.rule.name), class_="rule")
        conditions = ", ".join(step.assumptions(step.result))
        holds = escaped(f" for {conditions}".replace("!=", "≠")) if conditions else ""
        line = f"{asked} = {formula(step.result) or '…'}{holds} {rule}"
        if step.rule.parts:
            open_at.append(step.depth)
            statement = typeset(step.rule.statement, "·").replace("'", "′")
            letters = [f"{escaped(name)} = {formula(part) or '…'}" for name, part in step.rule.where]  # fmt: skip
            where = f", with {', '.join(letters)}" if letters else ""
            where = element("p", escaped(statement) + where, class_="where")
            parts.append(f"<details><summary>{line}</summary>{where}")
        else:
            parts.append(element("p", line))
    parts += ["</details>"] * len(open_at)
    if steps.is_cut:
        parts.append(element("p", f"and more than these {len(steps)} steps"))
    return "".join(parts)


MOST_NODES = LIMITS["walk"].most
"""Nodes of a graph that is walked through."""


MOST_DERIVED, MOST_TEXT = 60, 30_000
"""Operations of an expression that is differentiated for the page, and characters of the steps to its derivatives."""

SCRIPTS = ("walk_steps.js", "walk_page.js", "walk_inputs.js")
"""The script in its parts, each using those before it."""


def walk_page(evaluation: Evaluation) -> str:
    """The page for an evaluation. Raises `UsageError` for a graph that is too large, or a number."""
    if not evaluation.primals or not evaluation.at:
        raise UsageError("a walk needs an expression with a variable that has a value")
    whole, count = evaluation, len(evaluation.expression.tape.steps)
    if count > MOST_NODES:
        evaluation = at_stages(evaluation)
    left = len(evaluation.expression.tape.steps)
    if left > MOST_NODES:
        at_most("walk", count, hint=f"at most {MOST_NODES}")
    title = whole.expression.title
    graph = graph_whole(evaluation)._replace(title=title)
    walk = walk_of(evaluation, graph)
    point = ", ".join(f"{k} = {shown(v)}" for k, v in evaluation.at.items())
    picture = element("div", graph_svg(graph, filled=True), class_="across")
    # both are in the page, and the style shows the one for its width
    if len(graph.nodes) <= MOST_DOWN:  # in the style of the other one
        head, _, rest = graph_down(graph).partition("<style>")
        picture += element("div", head + rest.partition("</style>")[2], class_="down")
    tables = f"{_forward(walk)}{_reverse(walk)}"
    keys = element("span", escaped(_KEYS), class_="scripted")
    told = element("p", escaped(_BEGINS) + keys, id="told", aria_live="polite")
    talk = _BAR + told + _GUESS + '<div id="options"></div><div id="beside"></div>'
    talk = element("section", talk, aria_label="The walk")
    body = "\n".join(
        [
            f'<h1>{escaped(title)} <span>at <span id="point">{escaped(point)}</span></span></h1>',
            *_in_doubles(evaluation, point),
            *([element("p", f"The {count} operations are folded into {left} steps: a stage stands for many of them.")] if left < count else []),
            '<div id="inputs"></div><p id="noted" role="status"></p>',
            element("div", picture, class_="graph", tabindex=0, role="group", aria_label="The graph"),
            element("div", talk + element("div", tables, class_="tables"), class_="columns"),
            _results(whole).replace(_NAMESPACE, ""),
        ]
    )  # fmt: skip
    program = javascript(evaluation.expression, evaluation.at)
    known = f"const walk = {data(fields(walk, evaluation))};"
    scripts = (source(__file__, name) for name in SCRIPTS)
    script = "\n".join(['"use strict";', program, known, *scripts])
    body = f"<main>\n{body}\n</main>"
    return page(f"{title}: the walk", body, source(__file__, "walk.css"), script)


def _in_doubles(evaluation: Evaluation, point: str) -> list[str]:
    """A paragraph on the numbers of the page that double precision, which it shows, gets wrong at the point."""
    # only where the six digits of the page are wrong
    right = {
        name: (evaluation.known(name).decimal(10) or "").replace("-", "−")
        for name, alone in evaluation.cancelled.items()
        if name not in evaluation.cornered
        and f"{alone:.6g}" != evaluation.known(name).decimal(6)
    }
    told = [f"{f'∂/∂{n}' if n else 'the value'} is {x}" for n, x in right.items()]
    said = f"This page shows double precision. At {point}, {' and '.join(told)}."
    return [element("p", escaped(said))] if right else []


_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
"""Of formulas by themselves; within HTML they need none."""

_BEGINS = (
    "Values flow forward from the inputs to the result; then the reverse sweep takes the derivative of the "
    "result with respect to every node back to the inputs."
)
_KEYS = " Arrow keys and buttons walk through both."

_BAR = (
    '<div class="bar" role="group" aria-label="Steps"><button aria-label="to the beginning">⇤</button>'
    '<button aria-label="one step back">←</button><button aria-label="next step" class="next">Next →</button>'
    '<button aria-label="to the end">⇥</button><span id="count"></span></div>'
)

_GUESS = (
    '<form id="guess"><label><b>What comes next?</b> <span id="asks"></span> <input autocomplete="off" spellcheck="false"></label>'
    '<button>Check</button></form><p id="judged" role="status"></p>'
)


def _row(kind: str, cells: list[str], **data: object) -> str:
    inside = "".join(element("td", escaped(cell)) for cell in cells)
    return element("tr", inside, class_=kind, **data)


def _table(title: str, kind: str, head: list[str], rows: list[str]) -> str:
    cells = "".join(element("th", escaped(cell), scope="col") for cell in head)
    inside = f"<caption>{escaped(title)}</caption><thead><tr>{cells}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return element("div", element("table", inside, class_=kind))


def _forward(walk: Walk) -> str:
    values, needed = walk.values(), {step.name for step in walk.traced.forward}
    rows = []
    for item in walk.nodes:
        value = values.get(item.name)
        is_input = item.formula == item.name
        numbers = "" if is_input or value is None else filled(item, values, shown)
        numbers = "" if numbers == item.formula else numbers
        cells = [item.name, "input" if is_input else item.formula, numbers]
        hidden = None if item.name in needed else "hidden"
        rows.append(_row("f", [*cells, "none" if value is None else shown(value)], data_node=item.name, hidden=hidden))  # fmt: skip
    head = ["node", "formula", "numbers", "value"]
    return _table("Forward sweep: values", "f", head, rows)


def _reverse(walk: Walk) -> str:
    rows = [_row("r", [walk.result, "", "", "seed", "1"], data_seed="")]
    passed = walk.contributions()
    for i, (edge, own) in enumerate(zip(walk.edges, passed, strict=True)):
        product, total = "", ""
        if own is not None:
            product = f"{_factor(own.adjoint)} × {_factor(own.partial)} = {shown(own.contribution)}"  # fmt: skip
            total = shown(own.total)
        cells = [edge.operand, edge.node, edge.formula, product, total]
        hidden = "hidden" if own is None else None
        rows.append(_row("r", cells, data_edge=i, hidden=hidden))
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
    opaque = any(step.operation.opaque for step in expression.tape.steps)
    short = len(expression.tape.steps) <= MOST_DERIVED and not opaque
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
    """Return how each partial is found, as far as there is room."""
    root, several = evaluation.expression.root, len(evaluation.gradient) > 1
    parts = [element("h2", "How the derivatives are found")]
    for name in evaluation.gradient:
        own = folded(steps(root, name), several)
        if sum(map(len, parts)) + len(own) > MOST_TEXT:
            parts.append(element("p", f"There is no room for the steps to ∂/∂{escaped(name)}."))  # fmt: skip
        else:
            parts.append(element("div", own, class_="steps"))
    return "".join(parts)
