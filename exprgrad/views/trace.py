"""The displays beside a value: the sweeps as tables, the paths that carry a gradient, and how far numbers can be trusted.

A sweep has a row per node, then a row per contribution. The reverse sweep keeps what meets in a node together, with the
sum in sight, and ends with where each partial derivative comes from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExprgradError, RangeError
from exprgrad.expressions import trace as traces
from exprgrad.expressions.expression import Evaluation
from exprgrad.expressions.fields import sentence, shown
from exprgrad.expressions.trust import DOUBLE_DIGITS, Trusted
from exprgrad.notation.numbers import number
from exprgrad.sweeps.bounds import MOST_DIGITS
from exprgrad.sweeps.tape import labels
from exprgrad.views import blocks as doc
from exprgrad.views.layout import excerpt

ADJOINT = "The adjoint of a node is the derivative of the result with respect to that node: how fast the result changes with it."
TANGENT = "The tangent of a node is its own derivative with respect to a variable."

MOST_TERMS = 5
"""Terms of a sum that are written out."""

MOST_NUDGED = 2
"""Sums that are explained by a nudge."""

MOST_BLOCKED = 8
"""Nodes that the reverse sweep does not cross and that are named."""

MOST_ORIGINS = 12
"""Variables for which it is said where their partial derivatives come from."""


def trace_blocks(
    evaluation: Evaluation, which: str, digits: int, most: int, more: str = ""
) -> list[doc.Block]:
    """The tables of the forward and the reverse sweep, cut to `most` rows each.

    `more` follows the note on the rows that are left out.
    """
    try:
        traced = traces.trace(evaluation, lambda x: number(x, digits), own_names=True)
    except RangeError as error:  # the value itself has been shown
        return [doc.Note(error.message)]
    if not traced.forward:
        return [doc.Note("there is nothing to trace: the expression is a number")]
    # forward mode has done no reverse sweep; whoever asks for `reverse` gets it all the same
    back = which == "reverse" or (which == "both" and not evaluation.tangents)
    back = back and bool(evaluation.gradient)
    forward = which in ("both", "forward")
    # counted before parts are folded: the sweep has crossed every edge of the whole graph
    edges, tables, out = len(traced.reverse), traced, list[doc.Block]()
    if 0 < most < len(traced.forward):
        traced, tables, out = in_stages(traced, digits, more)
    if back:
        out.append(doc.Wrapped((ADJOINT,), hang=0))
    if forward and evaluation.tangents:
        out.append(doc.Wrapped((TANGENT,), hang=0))
    if forward:
        out.append(_forward(tables, digits, most, more))
    if back:
        out.append(_reverse(tables, digits, most, more))
        out.append(doc.Wrapped(tuple(origin_lines(evaluation, traced, digits))))
    if back or traced.tangents:
        out.append(doc.Wrapped(tuple(reasons(traced, back, edges))))
    return out


def in_stages(
    whole: traces.Trace, digits: int, more: str
) -> tuple[traces.Trace, traces.Trace, list[doc.Block]]:
    """The trace of a large graph, such as a network, with each folded part as one step; what tables show of it; and a note.

    All is as it was where the graph is small, and where a part cannot be one step: at a corner. The tables pass over
    the variables, the parameters of a network, where there are many.
    """
    # loaded for large graphs only: a trace needs no pictures otherwise
    from exprgrad.pictures.graph import MOST_NODES, at_stages

    count, depth = len(whole.forward), whole.depth
    if depth == 0 or (depth is None and count <= MOST_NODES) or whole.tangents:
        return whole, whole, []
    try:
        stages = at_stages(whole.evaluation, depth)
        found = traces.trace(stages, lambda x: number(x, digits), own_names=True)
    except ExprgradError:
        return whole, whole, []
    # the numbers of a stage are its many arguments, which nobody reads
    own = {s.name for s in found.forward if s.rule.startswith("stage")}
    leaves = set(found.names.values()) if len(found.names) > MOST_ORIGINS else set()
    if not own:
        return whole, whole, []
    forward = [s._replace(formula=_shortened(s.formula), numbers="") if s.name in own else s for s in found.forward]  # fmt: skip
    told = (
        f"{count} nodes are folded into {len(forward)}, a stage for many of them{more}"
    )
    steps = [s for s in forward if s.name not in leaves]
    back = [e for e in found.reverse if e.operand not in leaves]
    return found, found._replace(forward=steps, reverse=back), [doc.Note(told)]


def _shortened(call: str) -> str:
    """A call with many arguments in few words: stage2(x1, x2, x3, 38 more)."""
    first, *others = call.split(", ")
    left = len(others) - 2
    return call if left < 2 else f"{', '.join([first, *others[:2]])}, {left} more)"


def reasons(traced: traces.Trace, back: bool, edges: int = 0) -> Iterator[str]:
    """Why contributions that meet are added, why in this order, and why one sweep is enough to cross all `edges`."""
    count, variables = edges or len(traced.reverse), len(traced.evaluation.gradient)
    if not back:
        is_several = variables > 1
        why = "why several sweeps: each gives" if is_several else "what a sweep gives:"
        yield f"{why} the derivatives with respect to one variable, a column of the Jacobian"
        return
    finished = [m for m in traced.meetings() if m.operand not in traced.unfinished]
    met = [m for m in finished if 1 < len(m.edges) <= MOST_TERMS and not m.cancels]
    # where doubles lose digits, their numbers would explain another derivative; the last meetings are nearest to
    # the variables, where what is added is the partial derivative itself
    for meeting in () if traced.evaluation.cancelled else met[-MOST_NUDGED:]:
        nudge = meeting.nudge(traced.result, lambda x: number(x, 4))
        yield f"why the sum: {nudge}"
    if count > 1:
        yield "why this order: an adjoint is complete after all that uses its node"
    if count > 1 and not traced.blocked:
        several = f"{variables} sweeps, one for each column" if variables > 1 else "one as well"  # fmt: skip
        yield f"why one sweep: it crosses each of {count} edges once and gives a row of the Jacobian; forward mode takes {several}"  # fmt: skip


class WalkStep(NamedTuple):
    """One step of a walk through both sweeps: its number, how many steps there are, and what happens in it.

    That is a row of either sweep, the seed between them, or at the end where the partials come from.
    """

    number: int
    steps: int
    step: traces.Forward | traces.Seed | traces.Reverse | list[traces.Origin]
    trace: traces.Trace
    digits: int

    def as_dict(self) -> dict[str, Any]:
        """The fields of the whole trace, the same in each of its steps, beside the number of the step."""
        return {"step": self.number, "steps": self.steps, **self.trace.as_dict()}

    def blocks(self) -> list[doc.Block]:
        """Which sweep the step belongs to, and what happens."""
        sweep, texts = self._told()
        head = f"step {self.number} of {self.steps}, {sweep}"
        if self.number == 1:
            head += "; Enter for the next, b for the one before, q to leave"
        return [doc.Wrapped((head, *(f"  {text}" for text in texts)))]

    def _told(self) -> tuple[str, list[str]]:
        step, found, digits = self.step, self.trace, self.digits
        if isinstance(step, traces.Forward):
            value = "none" if step.value is None else number(step.value, digits)
            every = dict.fromkeys((step.name, step.formula, step.numbers, value))
            return "forward", [f"{' = '.join(filter(None, every))}    [{step.rule}]"]
        if isinstance(step, traces.Seed):
            seed = f"the adjoint of {step.node}, the result, with respect to itself is 1"  # fmt: skip
            return "the seed", [seed, ADJOINT]
        if not isinstance(step, traces.Reverse):
            lines = origin_lines(found.evaluation, found, digits)
            return "where the partial derivatives come from", list(lines)
        node, operand = step.node, step.operand
        product = f"{factors(step, digits)} = {number(step.contribution, digits)}"
        rule = f"[{step.rule}: ∂{node}/∂{operand} = {step.formula}]"
        text = f"{node} → {operand}: adjoint of {node} × ∂{node}/∂{operand} = {product}    {rule}"  # fmt: skip
        total = f"adjoint of {operand} = {number(step.total, digits)}"
        # the sum of a node is told at its last contribution, when it is complete
        met = next(m for m in found.meetings() if m.operand == operand)
        if operand in found.unfinished:
            total = f"the adjoint of {operand} is not known: not all that adds to it crosses a corner"  # fmt: skip
        elif step.part < step.parts:
            total += f" so far, {step.part} of {step.parts} contributions"
        elif step.parts > 1:
            total = f"adjoint of {operand} = {sum_text(met, digits)} = {number(step.total, digits)}"  # fmt: skip
            if not met.cancels:
                nudge = met.nudge(found.result, lambda x: number(x, 4))
                return "reverse", [text, total, f"why the sum: {nudge}"]
        return "reverse", [text, total]


def walk(evaluation: Evaluation, digits: int) -> list[WalkStep]:
    """The steps of a walk; none where the expression is a number."""
    found = traces.trace(evaluation, lambda x: number(x, digits), own_names=True)
    every = found.walk()
    return [WalkStep(i, len(every), own, found, digits) for i, own in enumerate(every, 1)]  # fmt: skip


def sweep_tables(traced: traces.Trace, digits: int) -> list[doc.Block]:
    """Both sweeps, as far as there are any."""
    _, traced, told = in_stages(traced, digits, ": trace(depth=0) shows all")
    back = [_reverse(traced, digits, 0, "")] if traced.reverse else []
    return [*told, _forward(traced, digits, 0, ""), *back]


def _forward(traced: traces.Trace, digits: int, most: int, more: str) -> doc.Table:
    head = doc.columns("node: cyan | formula | numbers: spare2 | value: number bold")
    head += (doc.Column(f"∂/∂{name}", True, style="green") for name in traced.tangents)
    head += doc.columns("rule: spare4 dim | uses: spare3 yellow")
    rows: list[tuple[str, ...]] = []
    idle = dict[str, str]()  # of forward mode, with one variable
    if len(traced.tangents) == 1:
        (name,), tape = traced.tangents, traced.evaluation.expression.tape
        active, label = tape.active([name]), labels(tape, own_names=True)
        idle = {v: "seed 1" if v == name else "held" for v in tape.variables}
        # where no path leads from the variable, the tangent is 0 for that reason alone
        idle |= {label[s.node]: f"no path from {name}" for s in tape.steps if not active[s.node]}  # fmt: skip
    for step in traced.forward:
        formula = step.formula if step.formula != step.name else ""
        value = "none" if step.value is None else number(step.value, digits)
        tangents = (number(t[step.name], digits) for t in traced.tangents.values())
        uses = f"used {step.uses} times" if step.uses > 1 else ""
        rule = f"{step.rule}, {idle[step.name]}" if step.name in idle else step.rule
        row = step.name, formula, step.numbers, value, *tangents, rule, uses
        rows.append(row)
    rows, footer = doc.cut(rows, most, more, most * 2 // 3)
    what = "values and tangents" if traced.tangents else "values"
    title = f"forward sweep: {what}, from the variables to the result"
    return doc.Table(title, head, rows, footer)


def _reverse(traced: traces.Trace, digits: int, most: int, more: str) -> doc.Table:
    head = "node: cyan | from | rule: spare1 dim | partial | adjoint × partial | adjoint: number bold"
    rows: list[tuple[str, ...]] = [(traced.result, "seed", "", "", "", "1")]
    for meeting in traced.meetings():
        unfinished = meeting.operand in traced.unfinished
        total = "" if unfinished else number(meeting.total, digits)
        several, said = len(meeting.edges) > 1, set[str]()
        for i, edge in enumerate(meeting.edges):
            product = f"{factors(edge, digits)} = {number(edge.contribution, digits)}"
            to, sum_ = "" if i else meeting.operand, "" if several else total
            # x*x uses x twice, and both rows would read alike
            twice = several and [e.node for e in meeting.edges].count(edge.node) == 2
            side = (" (right)" if edge.node in said else " (left)") if twice else ""
            said.add(edge.node)
            rows.append((to, edge.node + side, edge.rule, edge.formula, product, sum_))
        if several and not unfinished:
            rows.append(("", "sum", "", "", sum_text(meeting, digits), total))
    rows, footer = doc.cut(rows, most, more, most * 2 // 3)
    notes = [footer] if footer else []
    if traced.blocked:
        rules = {step.name: step.rule for step in traced.forward}
        nodes = [f"{name} ({rules[name]})" for name in traced.blocked[:MOST_BLOCKED]]
        others = len(traced.blocked) - MOST_BLOCKED
        end = f" and {others} more" if others > 0 else ""
        notes.append(f"the sweep stops at {', '.join(nodes)}{end}: no rule holds there")
    title = f"reverse sweep: adjoints, from {traced.result} back to the variables"
    return doc.Table(title, doc.columns(head), rows, "\n".join(notes))


def factors(edge: traces.Reverse, digits: int) -> str:
    """The adjoint and the partial that are multiplied, a negative one in brackets."""
    texts = (number(x, digits) for x in (edge.adjoint, edge.partial))
    return " × ".join(f"({text})" if text[0] == "-" else text for text in texts)


def sum_text(meeting: traces.Meeting, digits: int) -> str:
    """The contributions to an adjoint, added up."""
    terms = [number(edge.contribution, digits) for edge in meeting.edges]
    if len(terms) > MOST_TERMS:
        return f"{added(terms[: MOST_TERMS - 2])} + … ({len(terms)} in all)"
    return added(terms)


def added(terms: list[str]) -> str:
    """Terms with their signs between them."""
    # a + -2 would be two signs in a row
    signed = (f"- {t[1:]}" if t.startswith("-") else f"+ {t}" for t in terms[1:])
    return " ".join([terms[0], *signed])


def is_behind_relu(traced: traces.Trace, node: str) -> bool:
    """Return whether the only way from the result to a node goes through a relu that is 0."""
    met = {meeting.operand: meeting.edges for meeting in traced.meetings()}
    # with a second edge there is another way, so that not relu alone makes the partial 0
    while len(edges := met.get(node, ())) == 1:
        if edges[0].rule == "relu" and edges[0].partial == 0:
            return True
        node = edges[0].node
    return False


def origin_lines(
    evaluation: Evaluation, traced: traces.Trace, digits: int
) -> Iterator[str]:
    """Yield where each partial derivative comes from: `∂/∂x = 5 (through x*y) + 0.5 (through ln) = 5.5`."""
    found = {origin.variable: origin for origin in traced.origins()}
    for name in list(evaluation.gradient)[:MOST_ORIGINS]:
        partial = evaluation.gradient[name]
        if partial is None:
            yield f"{sentence(f'∂/∂{name}', shown(evaluation, name, digits))} here"
        elif name not in found:
            alone = evaluation.expression.root.name == name
            own = shown(evaluation, name, digits)
            why = "" if alone else ": the result does not depend on it here"
            yield f"∂/∂{name} = {own}{'' if traced.blocked else why}"
        # at a corner the slope was found from both sides, and the rules of the sweep give something else or nothing
        elif traced.blocked and abs(partial - found[name].total) > 1e-9 * abs(partial):
            yield f"∂/∂{name} = {shown(evaluation, name, digits)}, from both sides"
        else:
            origin = found[name]
            terms = [f"{number(x, digits)} (through {node})" for x, node in origin.parts]  # fmt: skip
            if origin.left_out:
                terms.append(f"{number(origin.rest, digits)} (through {origin.left_out} more)")  # fmt: skip
            if origin.total == 0 and is_behind_relu(traced, traced.names[name]):
                terms = [f"{terms[0][:-1]}; blocked: relu is 0 there)"]
            total = f" = {number(origin.total, digits)}" if len(terms) > 1 else ""
            yield f"∂/∂{name} = {added(terms)}{total}"
    if len(evaluation.gradient) > MOST_ORIGINS:
        yield f"(and {len(evaluation.gradient) - MOST_ORIGINS} more variables)"


MOST_NODES = 6
"""Nodes of a path that are named at either end."""


def paths_blocks(
    evaluation: Evaluation, found: traces.Why, digits: int
) -> list[doc.Block]:
    """A row per path, what the nodes are, and what blocks the gradient elsewhere."""
    name = found.variable
    partial = shown(evaluation, name, digits)
    slope = sentence(f"∂/∂{name}", partial)
    out: list[doc.Block] = []
    if not found.paths:
        out.append(doc.Wrapped((f"{slope}: no path carries a gradient to {name}",)))
    # a leaf that is the result itself has a path without an edge, and no table
    elif found.paths[0].partials:
        head = doc.columns("contribution: number bold | partials: spare1 | path: wraps")
        rows = []
        for path in found.paths:
            texts = (number(x, digits) for x in path.partials)
            partials = [f"({t})" if t[0] == "-" else t for t in texts]
            ways = " × ".join(_ends(partials)), " → ".join(_ends(path.nodes))
            rows.append((number(path.product, digits), *ways))
        order = ", the largest first" if len(rows) > 1 else ""
        title = f"{slope}: {_counted(found.number)}{order}"
        out.append(doc.Table(title, head, rows, _sum(found, digits)))
        named = {node for path in found.paths for node in _ends(path.nodes)}
        legend = (f"{n} = {f}" for n, f in found.formulas.items() if n in named)
        out.append(doc.Wrapped(tuple(legend)))
    notes = [f"blocked: {text}" for text in found.blocks]
    if found.more_blocks:
        places = "place" if found.more_blocks == 1 else "places"
        notes.append(f"blocked at {found.more_blocks} more {places}")
    own = evaluation.gradient[name]
    # more than rounding: doubles have lost digits on the way, or a corner lies on it
    if own is not None and abs(own - found.total) > 1e-6 * abs(own):
        where = "" if name in evaluation.cornered else ", in double precision,"
        notes.append(f"the paths alone{where} give {number(found.total, digits)}")
    return [*out, *map(doc.Note, notes)]


def _ends(texts: Sequence[str]) -> Sequence[str]:
    """A long list without its middle."""
    if len(texts) <= 2 * MOST_NODES:
        return texts
    return [*texts[:MOST_NODES], "…", *texts[-MOST_NODES:]]


def _counted(paths: int) -> str:
    """So many paths."""
    # in a deep network the paths have hundreds of digits, and none but the first few mean anything
    if paths >= 10**15:
        return f"about 10^{math.log10(paths):.0f} paths"
    return "1 path" if paths == 1 else f"{paths:,} paths"


def _sum(found: traces.Why, digits: int) -> str:
    """The paths added up, with what those left out amount to."""
    terms = [number(path.product, digits) for path in found.paths]
    # `number` counts all paths, exactly, though only the largest are listed
    others = found.number - len(found.paths)
    if others:
        rest = number(found.rest, digits)
        return f"{_counted(others)} more: {rest}; in all {number(found.total, digits)}"
    if len(terms) == 1:
        return ""
    return f"{added(terms)} = {number(found.total, digits)}"


WIDTH = 76
"""Columns of the source line above the caret."""


def trust_blocks(found: Trusted, digits: int) -> list[doc.Block]:
    """A table of bounds, digits and condition numbers, and the operation that costs digits."""
    out: list[doc.Block] = [trust_table(found, digits)]
    if any(x is not None for x in found.conditions.values()):
        told = "a condition number is x*f'/f: how many times a relative change of x comes back in the value"
        out.append(doc.Note(told))
    loss, source = found.loss, found.evaluation.expression.source
    if loss is None:
        out.append(doc.Note("no operation costs double precision a digit"))
        return out
    # without a value of doubles to compare with, it is what rounding does at worst
    costs = "costs" if "" in found.evaluation.cancelled else "may cost"
    of = f"of its {DOUBLE_DIGITS} digits"
    lost = f"{'all' if loss.digits == DOUBLE_DIGITS else loss.digits} {of}"
    out.append(doc.Note(f"{loss.operation} {costs} double precision {lost}:"))
    if loss.span is not None:
        out.append(doc.Lines(tuple(excerpt(source, loss.span, WIDTH))))
    return out


def trust_table(found: Trusted, digits: int) -> doc.Table:
    """A row for the value and for every partial derivative."""
    head = ": cyan | number: number | error at most: number | digits known: number | condition: number"
    rows = []
    for name in ("", *found.conditions):
        known, condition = found.evaluation.known(name), found.conditions.get(name)
        error = sure = ""
        if known.is_number:
            # a number beyond doubles has an error beyond them, too: it is told as a part of the number
            error = f"{known.error:.2g}" if known.value is not None else f"1e-{known.sure} of it"  # fmt: skip
            sure = "all" if known.sure == MOST_DIGITS else str(known.sure)
        what, value = f"∂/∂{name}" if name else "value", shown(found.evaluation, name, digits)  # fmt: skip
        cost = "" if condition is None else number(condition, 3)
        rows.append((what, value, error, sure, cost))
    return doc.Table("", doc.columns(head), rows)
