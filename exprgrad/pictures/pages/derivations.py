"""Derivations as HTML: a formula, and below it its steps, each folded into the one that needs it.

folded(steps(f.root, "x"), several=False)      # <details><summary>…</summary>…</details>
"""

from __future__ import annotations

from exprgrad.errors import UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.steps import Derivation, Step
from exprgrad.graph.value import Value
from exprgrad.notation.mathml import derivative_of, mathml
from exprgrad.notation.text import text_length
from exprgrad.pictures.pages.walk_data import typeset
from exprgrad.pictures.svg import element, escaped

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
        while open_at and open_at[-1] >= step.depth:
            open_at.pop()
            parts.append("</details>")
        line = _line(step, several)
        if step.rule.parts:
            open_at.append(step.depth)
            parts.append(f"<details><summary>{line}</summary>{_where(step)}")
        else:
            parts.append(element("p", line))
    parts += ["</details>"] * len(open_at)
    if steps.is_cut:
        parts.append(element("p", f"and more than these {len(steps)} steps"))
    return "".join(parts)


def _line(step: Step, several: bool) -> str:
    """d/dx of a part, its derivative, and the rule."""
    asked = derivative_of(step.part, [step.variable], several)
    rule = element("span", escaped(step.rule.name), class_="rule")
    conditions = ", ".join(step.assumptions(step.result))
    holds = escaped(f" for {conditions}".replace("!=", "≠")) if conditions else ""
    return f"{asked} = {formula(step.result) or '…'}{holds} {rule}"


def _where(step: Step) -> str:
    """The rule as a formula, and what its letters stand for."""
    statement = typeset(step.rule.statement, "·").replace("'", "′")
    where = step.rule.where
    letters = [f"{escaped(name)} = {formula(part) or '…'}" for name, part in where]
    with_ = f", with {', '.join(letters)}" if letters else ""
    return element("p", escaped(statement) + with_, class_="where")
