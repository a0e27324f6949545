"""A derivation as lines of text, or as LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.expressions import steps as symbolic
from exprgrad.expressions.confirm import collected
from exprgrad.expressions.steps import Step
from exprgrad.graph.value import Value
from exprgrad.notation.text import to_text
from exprgrad.views.blocks import Derivation

if TYPE_CHECKING:
    from exprgrad.expressions.expression import Expression


MOST_BETWEEN = 500
"""Characters of a line between what the rules give and the result."""


def lines(
    steps: symbolic.Derivation, write: Callable[[Value], str] = to_text
) -> Iterator[str]:
    """One line for a part with nothing to work out; otherwise the rule, the parts below it, and the result.

    `write` says how a formula is written.
    """
    open_steps: list[Step] = []
    for step in steps:
        yield from _closed(open_steps, step.depth, write)
        indent = "  " * step.depth
        part, operation = write(step.part), step.part.operation
        if operation is not None and not operation.called:  # a sum, or a product
            part = f"({part})"
        if not step.rule.parts:
            rule = step.rule
            reason = rule.statement if rule.name == "table" else rule.name
            condition = _condition(step, step.result) if step.depth else ""
            yield f"{indent}d/d{step.variable} {part} = {write(step.result)}{condition}    [{reason}]"
            continue
        yield f"{indent}d/d{step.variable} {part}: {step.rule.name}, {step.rule.statement}"
        letters = [(name, write(value)) for name, value in step.rule.where]
        where = [f"{name} = {value}" for name, value in letters if name != value]
        if where:
            yield f"{indent}  with {', '.join(where)}"
        open_steps.append(step)
    yield from _closed(open_steps, 0, write)
    if steps.is_cut:
        yield f"(cut after {len(steps)} step{'s' * (len(steps) != 1)})"


def derivation(function: Expression, wrt: str, order: int) -> Derivation:
    """The steps to a derivative of any order, from each derivative to the next after an empty line."""
    found = []
    for i in range(order):
        root = function.derivative(wrt, order=i).root if i else function.root
        found.append(symbolic.steps(root, wrt))
    texts = ("\n".join(lines(own)) for own in found)
    return Derivation(tuple("\n\n".join(texts).split("\n")), found)


def _closed(
    open_steps: list[Step], depth: int, write: Callable[[Value], str]
) -> Iterator[str]:
    """The results of the rules whose parts have all been worked out."""
    while open_steps and open_steps[-1].depth >= depth:
        step = open_steps.pop()
        indent = "  " * (step.depth + 1)
        assembled, result = write(step.assembled), write(step.result)
        shown = step.depth or result != assembled
        holds = _condition(step, step.assembled) if shown else ""
        yield f"{indent}= {assembled}{holds}"
        if not step.depth and result != assembled:
            plainer = collected(step.assembled)
            between = write(plainer)
            if between not in (assembled, result) and len(between) <= MOST_BETWEEN:
                yield f"{indent}= {between}{_condition(step, plainer)}"
        if result != assembled:
            condition = _condition(step, step.result) if step.depth else ""
            yield f"{indent}= {result}{condition}"


def _condition(step: Step, line: Value) -> str:
    """Return where a line of a step is the derivative, unless it is that wherever there is one.

    The last line of all needs none: the derivative stands below the steps, with its conditions.
    """
    conditions = ", ".join(step.assumptions(line))
    return f"    for {conditions}" if conditions else ""
