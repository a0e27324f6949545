"""The forward and the reverse sweep, in numbers of any type, over a graph in topological order.

With v_i the nodes in that order, and an adjoint w_i = df/dv_i,

    v_i = op_i(v_j, v_k)                          forward, for i = 1 ... n
    w_j += w_i * d op_i/d v_j                     reverse, for i = n ... 1, starting from w_n = 1

(Griewank and Walther, *Evaluating Derivatives*, chapter 3). What a product, a sum or a partial is, the
number type says: floats, arrays, balls, series, germs, tangents, masks. Nodes may be numbers of a tape
or the nodes of a graph themselves; `values`, `adjoints` and `active` are looked up by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from exprgrad.annotations import Any
from exprgrad.operations.number_types import Numbers, Step


def forward(steps: Iterable[Step], numbers: Numbers, values: Any) -> Any:
    """The value of every step, into `values`, which has those of the leaves.

    A step that needs a fault has that fault; the branch that `if` does not take is not needed.
    """
    faults, chooses = numbers.faults, numbers.chooses
    for step in steps:
        own = [values[j] for j in step.operands]
        if chooses and step.operation.choose is not None:
            needed = numbers.needed(step, own)
            own = [a if i in needed else numbers.zero for i, a in enumerate(own)]
        found = None
        for each in own if faults else ():
            if isinstance(each, Exception):
                found = each
                break
        else:
            try:
                found = numbers.value(step, own)
            except faults as fault:
                found = fault.with_traceback(None)  # which would keep the frame
        values[step.node] = found
    return values


def forward_around(
    steps: Sequence[Step], numbers: Numbers, values: Any, known: Mapping[Any, Any]
) -> Any:
    """The same, but for steps whose values are `known`."""
    start = 0
    for i, step in enumerate(steps):
        if step.node in known:
            forward(steps[start:i], numbers, values)
            values[step.node], start = known[step.node], i + 1
    return forward(steps[start:], numbers, values)


def reverse(
    steps: Sequence[Step], numbers: Numbers, values: Any, adjoints: Any, active: Any
) -> Any:
    """The adjoint of every active node, into `adjoints`, which has the seed; None where none arrives.

    A rule is asked for its partials with respect to active operands only: d(x^3) takes no ln(x).
    """
    for step in reversed(steps):
        adjoint = adjoints[step.node]
        if adjoint is None or not active[step.node]:
            continue
        own = [values[j] for j in step.operands]
        chooses = numbers.chooses and step.operation.choose is not None
        for position in numbers.needed(step, own) if chooses else range(len(own)):
            j = step.operands[position]
            if active[j]:
                part = numbers.pull(step, position, adjoint, values[step.node], own)
                if part is not None:
                    adjoints[j] = part if adjoints[j] is None else adjoints[j] + part
    return adjoints
