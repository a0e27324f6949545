"""Derivatives as formulas: text, LaTeX, Python, JSON, and with the derivation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from exprgrad.expressions.derivatives import Derivatives, Formula
from exprgrad.graph.value import Value
from exprgrad.language.notes import shorten
from exprgrad.notation.latex import latex, latex_name
from exprgrad.notation.python import python_names, to_python
from exprgrad.notation.text import shared_parts, text_length, to_text
from exprgrad.symbolic import steps
from exprgrad.views import formats, output
from exprgrad.views import steps as step_view
from exprgrad.views.blocks import number

LONGEST = 2000
"""The longest formula that is written out; a longer one is written with shared parts named."""


def show(found: Derivatives, format_: str, detail: str | None, digits: int) -> None:
    """Print the derivatives."""
    if format_ == "json":
        output.emit(formats.to_json(fields(found, detail)))
        return
    writer = {"text": _text, "latex": _latex, "python": _python}[format_]
    output.emit_lines(list(writer(found, detail, digits)))


def operator(wrt: tuple[str, ...], several: bool) -> str:
    """The operator in front: d/dx, d^2/dx^2, ∂/∂x, ∂^2/∂x∂y."""
    d = "∂" if several else "d"
    total = f"^{len(wrt)}" if len(wrt) > 1 else ""
    below = "".join(
        f"{d}{x}{f'^{n}' if n > 1 else ''}" for x, n in Counter(wrt).items()
    )
    return f"{d}{total}/{below}"


def latex_operator(wrt: tuple[str, ...], several: bool) -> str:
    """The same in LaTeX."""
    d = r"\partial " if several else "d"
    total = f"^{{{len(wrt)}}}" if len(wrt) > 1 else ""
    below = " ".join(
        f"{d}{latex_name(x)}{f'^{{{n}}}' if n > 1 else ''}"
        for x, n in Counter(wrt).items()
    )
    return rf"\frac{{{d.strip()}{total}}}{{{below}}}"


def _text(found: Derivatives, detail: str | None, digits: int) -> Iterator[str]:
    several = len(found.expression.variables) > 1
    if found.expression.implicit:
        yield f"note: read as {shorten(found.expression.reading, 200)}"
    yield from (f"note: {note}" for note in found.expression.notes)
    names = dict.fromkeys(name for formula in found.formulas for name in formula.wrt)
    absent = [name for name in names if name not in found.expression.variables]
    yield from (f"note: the expression does not depend on {name}" for name in absent)
    for formula in found.formulas:
        if detail:
            yield from _derivation(found, formula, detail)
        sides = written(formula.derivative.root)
        yield f"{operator(formula.wrt, several)} = {sides[-1]}"
        yield from (f"  where {line}" for line in sides[:-1])
        if formula.value is not None:
            point = ", ".join(
                f"{k} = {number(v, digits)}" for k, v in (found.at or {}).items()
            )
            yield f"  = {number(formula.value, digits)} at {point}"


def _derivation(found: Derivatives, formula: Formula, detail: str) -> Iterator[str]:
    root = found.expression.root
    for i, name in enumerate(formula.wrt):
        yield from step_view.lines(steps.steps(root, name, brief=detail == "brief"))
        yield ""
        root = found.expression.derivative(*formula.wrt[: i + 1]).root


def written(root: Value) -> list[str]:
    """A formula, or shared parts `t1 = ...` and then the formula in them, where it is long."""
    if text_length(root, LONGEST) <= LONGEST:
        return [to_text(root)]
    return shared_parts(root)


def _latex(found: Derivatives, detail: str | None, digits: int) -> Iterator[str]:
    several = len(found.expression.variables) > 1
    for formula in found.formulas:
        if detail:
            for name in formula.wrt[:1]:
                derivation = steps.steps(
                    found.expression.root, name, brief=detail == "brief"
                )
                yield from step_view.latex_lines(derivation)
        own = latex(formula.derivative.root)
        value = (
            f" = {number(formula.value, digits)}" if formula.value is not None else ""
        )
        original = latex(found.expression.root)
        yield rf"{latex_operator(formula.wrt, several)} \left({original}\right) = {own}{value}"


def _python(found: Derivatives, detail: str | None, digits: int) -> Iterator[str]:
    names = python_names(found.expression.variables)
    yield "import math"
    for formula in found.formulas:
        yield ""
        yield ""
        yield f"def d_{'_'.join(formula.wrt)}({', '.join(names.values())}):"
        yield f"    return {to_python(formula.derivative.root, names)}"


def fields(found: Derivatives, detail: str | None = None) -> dict[str, Any]:
    """The fields of JSON output; a derivative's name is its variables, joined by commas."""
    names = [_name(f) for f in found.formulas]
    out: dict[str, Any] = {
        "expression": found.expression.title,
        "reading": found.expression.reading,
        "derivatives": {
            n: "; ".join(written(f.derivative.root))
            for n, f in zip(names, found.formulas, strict=True)
        },
        "latex": {
            n: latex(f.derivative.root)
            for n, f in zip(names, found.formulas, strict=True)
        },
        "order": len(found.formulas[0].wrt) if found.formulas else 1,
        "notes": list(found.expression.notes),
    }
    if found.at is not None:
        out["at"] = found.at
        out["values"] = {n: f.value for n, f in zip(names, found.formulas, strict=True)}
    if detail:
        out["steps"] = {
            n: [
                _step(s)
                for s in steps.steps(
                    found.expression.root, f.wrt[0], brief=detail == "brief"
                )
            ]
            for n, f in zip(names, found.formulas, strict=True)
        }
    return out


def _name(formula: Formula) -> str:
    return formula.wrt[0] if len(set(formula.wrt)) == 1 else ",".join(formula.wrt)


def _step(step: steps.Step) -> dict[str, Any]:
    return {
        "depth": step.depth,
        "part": to_text(step.part),
        "rule": step.rule.name,
        "statement": step.rule.statement,
        "where": {name: to_text(value) for name, value in step.rule.where},
        "assembled": to_text(step.assembled),
        "result": to_text(step.result),
    }
