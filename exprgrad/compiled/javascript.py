"""An expression as JavaScript: its graph, the rows of the table that it needs, and an interpreter for both.

    source = javascript(expression, {"x": 2.0})     # defines `const exprgrad = {run, tangents, shown, ...}`

Nothing of an operation is written twice. A row's kernel stands in its field `javascript`. Its local partials, the
conditions of its domain and its corner are rules, which run on nodes of a graph here; the small tapes that they
leave are what the page's interpreter (`interpreter.js`) runs for a value, for a partial and for bounds on both. A
row without the field is computed by its formula; one that has none, either, has no kernel there: then the program has
the numbers of the given point only, and says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from exprgrad.annotations import Any, TypeAlias
from exprgrad.graph.value import SYMBOLS, Value
from exprgrad.operations.number_types import Numbers
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import AND, EQ, GE, GT, LE, LT, NE, OR
from exprgrad.sweeps.careful import pull_back_carefully
from exprgrad.sweeps.coordinates import constant_error
from exprgrad.sweeps.rounding import UNIT
from exprgrad.sweeps.tape import Tape, labels

_ARGUMENTS = "xyzw"


Expression: TypeAlias = Any
"""The source that is written: see `expressions.expression.Expression`, which stands above."""


def source(module: str, name: str) -> str:
    """The text of a script, or of a style, beside the file of a module, without its comments and its indentation."""
    path = os.path.join(os.path.dirname(module), name)
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    return "\n".join(line for line in lines if line and line[:2] != "//")


def javascript(expression: Expression, point: Mapping[str, Any]) -> str:
    """The source of `const exprgrad`, which starts from that point."""
    rows = _needed(step.operation for step in expression.tape.steps)
    missing = (r for r in rows if not r.javascript and (r.formula is None or r.whole))
    without = next((row.title for row in missing), "")
    if expression.slopes:  # which Python knows at corners, too
        without = "a derivative in the text"
    program = _program(expression, point)
    if without:
        rows = {}
        program |= _frozen(expression, point, without)
    table = ",\n".join(
        f"{data(row.name)}: {_row(row, own)}" for row, own in rows.items()
    )
    return (
        "const exprgrad = (() => {\n"
        f'"use strict";\n{source(__file__, "interpreter.js")}\n'
        f"return interpreter({{\n{table}\n}}, {data(program)});\n}})();\n"
    )


Rule = Tape | float | None
"""A rule of a row, run on nodes of a graph: a number where it is one."""


class _Rules:
    """The rules of a row as tapes.

    The partials are functions of the result and the arguments; None where there is none. For each argument, an edge says
    where the domain ends in it though the partial is finite. `formula` is there for want of a kernel, or where the error
    of that may be large beside the result, like a difference's.
    """

    def __init__(self, row: Operation) -> None:
        leaves = [Value(None, f"x{i}") for i in range(row.arity + 1)]
        partials = () if row.whole or row.opaque else zip(row.partials, SYMBOLS.partials(row), strict=True)  # fmt: skip
        self.partials = [
            None if partial is None else _tape(bound, leaves)
            for partial, bound in partials
        ]
        own = leaves[: row.arity]
        self.domain = [_tape(_CLOSE.bind(c.holds), own) for c in row.domain]
        self.corner, *self.edges = [
            rule and _tape(_CLOSE.bind(rule), own) for rule in (row.corner, *row.edges)
        ]
        self.formula: Rule = None
        if row.formula is not None and not (_is_close(row) and row.javascript):
            self.formula = _tape(SYMBOLS.bind(row.formula), own)

    def operations(self) -> Iterator[Operation]:
        """The operations that the rules are written in."""
        rules = (*self.partials, *self.domain, self.corner, *self.edges, self.formula)
        for rule in rules:
            if isinstance(rule, Tape):
                yield from (step.operation for step in rule.steps)


def _needed(operations: Iterable[Operation]) -> dict[Operation, _Rules]:
    """The rules of these operations, and of those that they are written in."""
    found: dict[Operation, _Rules] = {}
    waiting = list(operations)
    while waiting:
        row = waiting.pop()
        if row not in found:
            found[row] = _Rules(row)
            waiting += found[row].operations()
    return found


def _tape(rule: Callable[..., Any], leaves: Sequence[Value]) -> Tape | float:
    found = rule(*leaves)
    return Tape(found, leaves) if isinstance(found, Value) else float(found)


def _is_close(row: Operation) -> bool:
    """Return whether the error of the kernel is known to be small."""
    by_library = getattr(row.kernel, "__module__", "") in ("math", "_operator")
    return bool(row.condition_number) or row.exact or row.rule == "power" or by_library


def _closely(operation: Operation) -> Callable[..., Any]:
    """Return what an operation is in a condition: two numbers are equal where neither is the larger one.

    So it is seen whether their errors let them be equal.
    """
    if operation is EQ:
        return lambda x, y: AND(LE(x, y), GE(x, y))
    if operation is NE:
        return lambda x, y: OR(LT(x, y), GT(x, y))
    return SYMBOLS.function(operation)


_CLOSE = Numbers(_closely, SYMBOLS.constants)


def _row(row: Operation, rules: _Rules) -> str:
    """A row as an object of JavaScript."""
    # of an operator one rounding, of a sign none, in units of 2^-53: relative and absolute
    error = (
        [float(row.arity > 1), 0.0] if row.native else [*map(float, row.kernel_error)]
    )
    facts = {
        "title": row.title,
        "partials": [*map(_written, rules.partials)],
        "domain": [
            [_written(rule), c.needs, sorted(c.arguments)]
            for rule, c in zip(rules.domain, row.domain, strict=True)
        ],
        "corner": _written(rules.corner),
        "edges": any(row.edges) and [*map(_written, rules.edges)],
        "formula": _written(rules.formula),
        "steps": row.steps,
        "choose": row.choose and [row.choose(truth) for truth in (False, True)],
        "native": row.native,
        "power": row.rule == "power",
        "bent": row.bent,
        "exact": row.steps or row.exact or row.choose is not None,
        "error": error,
    }
    written = [f"{name}: {data(fact)}" for name, fact in facts.items() if fact]
    if row.javascript:
        own = ", ".join(_ARGUMENTS[: row.arity])
        called = row.javascript.replace(".", "").isidentifier()
        kernel = f"{row.javascript}({own})" if called else row.javascript
        written.insert(0, f"kernel: ({own}) => {kernel}")
    return f"{{{', '.join(written)}}}"


def _written(rule: Rule) -> Any:
    """A tape as data: constants with their errors, steps, and the node of the result."""
    if not isinstance(rule, Tape):
        return rule
    return {
        "constants": _constants(rule),
        "steps": [[step.operation.name, list(step.operands)] for step in rule.steps],
        "root": rule.root,
    }


def _constants(tape: Tape) -> list[list[float | None]]:
    """The constants and bounds on their errors."""
    errors = ((data, constant_error(tape.nodes[i])) for i, data in tape.constants)
    return [[x, error * UNIT * abs(x) if error else 0.0] for x, error in errors]


def _program(expression: Expression, point: Mapping[str, Any]) -> dict[str, Any]:
    """The graph of an expression as data."""
    tape = expression.tape
    names, active = labels(tape, own_names=True), tape.active(tape.variables)
    steps = [
        {
            "index": node,
            "name": names[node],
            "op": operation.name,
            "title": operation.title,
            "operands": list(operands),
            "active": active[node],
            "written": [
                expression.written(tape.nodes[j], tape.nodes[node].span)
                for j in operands
            ],
        }
        for node, operation, operands in tape.steps
    ]
    return {
        "inputs": [{"name": name, "index": i} for name, i in tape.variables.items()],
        "constants": _constants(tape),
        "steps": steps,
        "root": tape.root,
        "at": {name: float(point[name]) for name in tape.variables},
    }


def _frozen(
    expression: Expression, point: Mapping[str, Any], without: str
) -> dict[str, Any]:
    """The numbers of the point, for an expression that only Python computes."""
    tape = expression.tape
    bounded = not any(step.operation.opaque for step in tape.steps)
    found = expression.evaluate(point, refine=bounded)
    values = found.values()
    adjoints, edges, _ = pull_back_carefully(tape, values, tape.active(tape.variables))
    arity = {step.node: len(step.operands) for step in tape.steps}
    partials: list[Any] = [[None] * arity.get(i, 0) for i in range(len(tape.nodes))]
    for edge in edges:
        partials[edge.source][edge.position] = edge.partial
    return {
        "frozen": f"{without} is not computed in this page: its numbers are those of the given point",
        "numbers": {
            "primals": list(values),
            "adjoints": list(adjoints),
            "partials": partials,
            "gradient": dict(found.gradient),
            "gradientErrors": dict(found.errors),
            "value": found.value,
            "error": found.error,
        },
    }


_ESCAPED = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def data(thing: Any) -> str:
    """Return data as JavaScript that does not end the script in which it stands: JSON, with NaN and Infinity."""
    from json import dumps

    return dumps(thing, ensure_ascii=False).translate(_ESCAPED)
