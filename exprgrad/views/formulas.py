"""Derivatives as formulas in every format, with their derivation if that is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.expressions.derivatives import (
    LONGEST,
    all_notes,
    in_parts,
    simplified_fields,
)
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.fields import edge_note, operator, point_text
from exprgrad.expressions.fields import written as in_digits
from exprgrad.graph.value import Value
from exprgrad.language.notes import shorten
from exprgrad.notation.text import text_length, to_text
from exprgrad.views.blocks import Block, Derivation, Derivative, Heading, Lines, Wrapped
from exprgrad.views.blocks import Formula as Typeset

if TYPE_CHECKING:
    from exprgrad.expressions.derivatives import Derivatives, Formula
    from exprgrad.expressions.steps import Derivation as Steps
    from exprgrad.expressions.steps import Step


MOST_BETWEEN = 500
"""Characters of a line between what the rules give and the result."""


Writer = Callable[[Value], str]
"""What writes a formula."""


def step_lines(steps: Steps, write: Writer = to_text) -> Iterator[str]:
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
        rule, asked = step.rule, f"{indent}d/d{step.variable} {part}"
        if not rule.parts:
            reason = rule.statement if rule.name == "table" else rule.name
            condition = _condition(step, step.result) if step.depth else ""
            yield f"{asked} = {write(step.result)}{condition}    [{reason}]"
            continue
        yield f"{asked}: {rule.name}, {rule.statement}"
        letters = [(name, write(value)) for name, value in rule.where]
        # "with x = x" would say nothing
        where = [f"{name} = {value}" for name, value in letters if name != value]
        if where:
            yield f"{indent}  with {', '.join(where)}"
        open_steps.append(step)
    yield from _closed(open_steps, 0, write)
    if steps.is_cut:
        yield f"(cut after {len(steps)} step{'s' * (len(steps) != 1)})"


def derivation(
    function: Expression,
    wrt: Sequence[str],
    brief: bool = False,
    write: Writer = to_text,
) -> Derivation:
    """The steps to a derivative by one name after the other, from each derivative to the next after an empty line."""
    from exprgrad.expressions.steps import steps

    found, lines = [], list[str]()
    for i, name in enumerate(wrt):
        # without a name `derivative` would take the only variable, and of several none
        root = function.derivative(*wrt[:i]).root if i else function.root
        found.append(steps(root, name, brief=brief))
        lines += [*step_lines(found[-1], write), ""]
    return Derivation(tuple(lines[:-1]), found)


def _closed(open_steps: list[Step], depth: int, write: Writer) -> Iterator[str]:
    """The results of the rules whose parts have all been worked out."""
    from exprgrad.expressions.confirm import collected

    # the parts of a step come after it and are deeper: one that is not deeper begins when all of them are done
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
            # where the result is a product, the line before it has like terms collected, but nothing factored out
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


LONGEST_HEAD = 400
"""The longest formula, in characters, that is shown above its derivatives."""


class FormulasView(NamedTuple):
    """Derivatives; with `detail`, `full` or `brief`, also their derivation; in a `notation` of `writer`.

    Where not all of them are there, `more` says how to get them.
    """

    derivatives: Derivatives
    detail: str | None = None
    digits: int = 10
    notation: str = "plain"
    more: str = ""

    @property
    def title(self) -> str:
        """Return what was typed."""
        return self.derivatives.expression.title

    @property
    def several(self) -> bool:
        """Return whether the derivatives are partial."""
        return len(self.derivatives.expression.variables) > 1

    def blocks(self) -> list[Block]:
        """Return what is differentiated, if it has a name, how it was read, and the derivatives as the language writes them."""
        own, formulas = self.derivatives.expression, self.derivatives.formulas
        names = dict.fromkeys(name for formula in formulas for name in formula.wrt)
        absent = [f"the expression does not depend on {name}" for name in names if name not in own.variables]  # fmt: skip
        notes = [*self.derivatives.notes, *absent, *([self.more] if self.more else [])]
        head = None if own.titled is None else self._head(own.titled)
        out = _remarks(own, notes, read=head is None or " = " not in head.texts[0])
        if head is not None and not out and not self.detail:
            lines = self.formulas()
            return [Lines((*head.texts, *lines.texts), (*head.formulas, *lines.formulas))]  # fmt: skip
        if head is not None:
            out.insert(0, Heading(head.texts[0], *head.formulas))
        if not self.detail:
            return [*out, self.formulas()]
        for formula in formulas:
            brief, write = self.detail == "brief", writer(self.notation)
            steps = derivation(own, formula.wrt, brief, write)
            out += [steps._replace(hang=4), self.formulas(formula)]
        return out

    def _head(self, title: str) -> Lines:
        """Return what was typed, and the formula if it reads differently."""
        root = self.derivatives.expression.root
        if text_length(root, LONGEST_HEAD) > LONGEST_HEAD:
            return Lines((shorten(title, 60),))
        [text] = written(root, self.notation)
        # blanks alone make no other formula: 2*x for 2 * x
        same = "".join(text.split()) == "".join(title.split())
        formula = Typeset((root,), title)
        return Lines((title if same else f"{shorten(title, 60)} = {text}",), (formula,))

    def formulas(self, *some: Formula) -> Lines:
        """Every derivative, or some, behind its operator, where it holds, and its value at the point."""
        own = some or self.derivatives.formulas
        lines = (line for formula in own for line in self._formula(formula))
        return Lines(tuple(lines), tuple(map(self._typeset, own)))

    def _typeset(self, formula: Formula) -> Typeset:
        own, known = formula.derivative, formula.known
        asked = Derivative(self.derivatives.expression.root, formula.wrt, self.several)
        value = () if known is None else (in_digits(known, self.digits),)
        return _holding(own, asked, own.root, *value)

    def _formula(self, formula: Formula) -> Iterator[str]:
        """Lines that are not wrapped, so that they can be copied whole."""
        # of a derivative that the text itself asks for, this is a further one
        own = self.derivatives
        left = operator((*own.expression.taken, *formula.wrt), self.several)
        yield from _lines(formula.derivative, self.notation, f"{left} = ")
        if formula.known is not None:
            point = point_text(own.at or {}, own.given, self.digits)
            exact = f"{formula.exact} = " if formula.exact else ""
            yield f"  = {exact}{in_digits(formula.known, self.digits)} at {point}"
        if formula.edge is not None:
            name = operator(formula.wrt[:1], self.several)
            yield f"  note: {edge_note(name, formula.edge)}"

    def python(self) -> Iterator[str]:
        """A function per derivative, of all variables."""
        from exprgrad.notation.python import python_names, to_python

        # lambda is a variable of the language and a keyword of Python: there it is lambda_
        names = python_names(self.derivatives.expression.variables)
        yield "import math"
        for formula in self.derivatives.formulas:
            yield ""
            yield ""
            yield f"def d_{'_'.join(formula.wrt)}({', '.join(names.values())}):"
            for line in assumed(formula.derivative.assumptions):
                yield f"    # {line.strip()}"
            yield f"    return {to_python(formula.derivative.root, names)}"

    def as_dict(self) -> dict[str, Any]:
        """The fields of the derivatives."""
        return self.derivatives.as_dict(self.digits, self.detail)


class SimplifiedView(NamedTuple):
    """An expression in another form, with what the rewriting assumes."""

    expression: Expression
    found: Expression
    form: str
    notation: str = "plain"

    def blocks(self) -> list[Block]:
        """Return how the expression was read, the formula, and where it holds."""
        own, notes = self.found, all_notes(self.expression, {"the result": self.found})
        lines = Lines(tuple(_lines(own, self.notation)), (_holding(own, own.root),))
        return [*_remarks(self.expression, notes), lines]

    def as_dict(self) -> dict[str, Any]:
        """The fields."""
        return simplified_fields(self.expression, self.found, self.form)


def _holding(own: Expression, *sides: Any) -> Typeset:
    """An equation with the conditions of a formula in it."""
    return Typeset(sides, conditions=own.assumptions, declared=own.declared)


def _remarks(own: Expression, notes: Sequence[str], read: bool = True) -> list[Block]:
    """Return how an expression was read, and notes, each on a line of its own."""
    reads = [f"read as {shorten(own.reading, 200)}"] if read and own.implicit else []
    every = tuple(f"note: {note}" for note in (*reads, *notes))
    return [Wrapped(every)] if every else []


def _lines(found: Expression, notation: str, left: str = "") -> Iterator[str]:
    """A formula behind its left side, a long one with its shared parts below it, and where it holds."""
    *parts, whole = written(found.root, notation)
    yield f"{left}{whole}"
    yield from (f"  where {line}" for line in parts)
    yield from assumed(found.assumptions)


def assumed(conditions: Sequence[str]) -> list[str]:
    """The line that says where a formula holds; none where it holds wherever it has a value."""
    return [f"  for {', '.join(conditions)}"] if conditions else []


def writer(notation: str) -> Writer:
    """Return how formulas are written: `pretty` on a terminal that shows `·`, superscripts and `√`, else plain."""
    if notation == "pretty":
        from exprgrad.notation.pretty import to_pretty
        from exprgrad.views.output import on_terminal

        # files and pipes get what the language reads again, and so do terminals without these signs
        if on_terminal("⁰√·"):
            return to_pretty
    return to_text


def written(root: Value, notation: str = "plain") -> list[str]:
    """A formula; a long one as shared parts, `t1 = ...`, and then the formula in them."""
    if notation == "pretty" and text_length(root, LONGEST) <= LONGEST:
        # a formula with shared parts names them t1, t2 ..., and only plain text has these
        return [writer(notation)(root)]
    return in_parts(root)
