"""Derivatives as formulas, several at once, with their values at a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.errors import (
    UNDEFINED,
    DomainError,
    ExprgradError,
    Hint,
    RangeError,
    UsageError,
)
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.fields import operator
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value
from exprgrad.notation.text import shared_parts, text_up_to, to_text
from exprgrad.sweeps.bounds import DIGITS, EXACT, Known
from exprgrad.sweeps.coordinates import Coordinate, Point
from exprgrad.symbolic.conditions import without_value

if TYPE_CHECKING:
    from exprgrad.sweeps.corners import Corner

CLOSE = 1e-9
"""A double no farther from 0 may be that of what is 0."""


class Formula(NamedTuple):
    """The derivative with respect to the variables of `wrt`, one after the other.

    `value` is its value at the point, if one was given; None where it has none, and then `problem`
    says why. `known` has it with a bound, also beyond the range of doubles; `exact` is its exact value, `1/(2*sqrt(2))`,
    where that is short. `edge` has the slope if only one side of the point is defined.
    """

    wrt: tuple[str, ...]
    derivative: Expression
    value: float | None
    problem: ExprgradError | None
    known: Known | None = None
    exact: str | None = None
    edge: Corner | None = None


class Derivatives(NamedTuple):
    """Derivatives of one expression."""

    expression: Expression
    at: dict[str, float] | None
    formulas: list[Formula]
    given: Mapping[str, Coordinate] = {}
    """The numbers that are meant by the point."""

    @property
    def notes(self) -> list[str]:
        """Return how the expression was read, and that it has no value, if it has none anywhere."""
        several = len(self.expression.variables) > 1
        own = {operator(f.wrt, several): f.derivative for f in self.formulas}
        return all_notes(self.expression, own)

    def as_dict(
        self, digits: int = DIGITS, detail: str | None = None
    ) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line; with `detail`, `full` or `brief`, the steps.

        A derivative's name is its variables, joined by commas; one of order 2 with respect to x is x, beside others of
        order 2.
        """
        from exprgrad.expressions.confirm import latex
        from exprgrad.expressions.fields import point_fields, read_fields, text_fields

        is_short = len({len(f.wrt) for f in self.formulas}) == 1
        formulas = {
            ",".join(f.wrt[:1] if is_short and len(set(f.wrt)) == 1 else f.wrt): f
            for f in self.formulas
        }
        roots = {name: formula.derivative.root for name, formula in formulas.items()}
        out = read_fields(self.expression) | {
            "derivatives": {n: "; ".join(in_parts(root)) for n, root in roots.items()},
            "latex": {n: latex(root) for n, root in roots.items()},
            "order": len(self.formulas[0].wrt) if self.formulas else 1,
            "notes": self.notes,
            "assumes": {n: list(f.derivative.assumptions) for n, f in formulas.items()},
        }
        if self.at is not None:
            out |= point_fields(self.at, self.given)
            out["values"] = {n: formula.value for n, formula in formulas.items()}
            known = {n: f.known for n, f in formulas.items() if f.known is not None}
            out["errors"] = {n: k.error for n, k in known.items() if k.value is not None}  # fmt: skip
            exact = {n: f.exact for n, f in formulas.items() if f.exact is not None}
            out |= {"exact": exact} if exact else {}
            out |= text_fields("value_texts", known, digits)
        if detail:
            from exprgrad.expressions.steps import steps

            root, out["steps"] = self.expression.root, {}
            for name, formula in formulas.items():
                shown = map(_step, steps(root, formula.wrt[0], brief=detail == "brief"))
                out["steps"][name] = own = list(shown)
                lines = (condition for step in own for condition in step["assumes"])
                # all that is shown holds there
                out["assumes"][name] = [*dict.fromkeys((*out["assumes"][name], *lines))]
        return out


def derive(
    expression: Expression,
    wrt: Sequence[Sequence[str]] = (),
    order: int = 1,
    at: Point | None = None,
    digits: int = DIGITS,
    form: str = "short",
) -> Derivatives:
    """The derivatives with respect to each chain of variables in `wrt`, or to every variable, `order` times.

    Their values at the point `at` are good for so many digits.

    Raises `BindingError` for a name that does not occur.
    """
    if not wrt and not expression.variables:
        what = "the expression has no variable to differentiate with respect to"
        raise UsageError(what, hint=Hint("choose_variable", name="x"))
    every = [(name,) for name in expression.variables]
    chains = [tuple(names) for names in wrt] or every
    for name in (name for chain in chains for name in chain):
        if name not in expression.tape.variables and name not in expression.declared:
            raise expression.no_variable(name)
    given = {} if at is None else expression.coordinates(at)
    point = None if at is None else expression.point(at)
    found = []
    for chain in chains:
        derivative = expression.derivative(*chain * order, form=form)
        known, problem = None, None
        if at is not None:
            try:
                known = _known(expression, at, chain * order, digits)
            except ExprgradError as error:
                if error.exit_code != UNDEFINED:
                    raise
                problem = error
        value = None if known is None else known.value
        exact = None if value is None or at is None else _exact(derivative, at, value)
        edge = None
        if known is not None and at is not None and chain[0] in expression.variables:
            # only one side of the point is defined
            corners = expression.evaluate(at, (chain[0],)).corners
            edge = next((corner for corner in corners if corner.kind == "edge"), None)
        found.append(
            Formula(chain * order, derivative, value, problem, known, exact, edge)
        )
    return Derivatives(expression, point, found, given)


def nowhere(expression: Expression, formulas: Mapping[str, Expression]) -> str | None:
    """Return a note that an expression, or one of the formulas by their names, has no value anywhere; None if it may."""
    reason = _without_value(expression)
    found = ((name, _without_value(formula)) for name, formula in formulas.items())
    lost = [f"{name} has no value, except perhaps at single points: {why}" for name, why in found if why]  # fmt: skip
    if reason is None and lost:
        try:  # x - x has a variable, until it is 0
            reason = _without_value(expression.simplify())
        except ExprgradError:
            return None
    part = without_value(expression.root, is_zero) if reason is None else None
    if part is not None:
        reason = f"{Expression.of(part)} has none"
    if reason is None:
        return lost[0] if lost else None
    return f"the expression has no value anywhere: {reason}"


def is_zero(root: Value) -> bool:
    """Return whether an expression is 0 at a point as far as doubles tell, and is proved to be 0 wherever it has a value."""
    from exprgrad.sweeps.precise import Probe

    tape = Expression.of(root).tape
    # A point at which few things are 0 by chance: it spares most parts the search for a proof.
    at = {name: 0.7 + k / 3 for k, name in enumerate(tape.variables)}
    try:
        near = Probe(tape).floats(at).value
    except ExprgradError:
        return False  # a function in it is not defined
    if near is None or abs(near) > CLOSE:
        return False
    from exprgrad.proof.elementary import vanishes

    return vanishes(root)


def _without_value(expression: Expression) -> str | None:
    """Why a part without variables has no value; None where all have one, or a branch may do without."""
    order = topological(expression.root)
    if any(item.operation is not None and item.operation.choose for item in order):
        return None
    from exprgrad.expressions.confirm import constant_parts

    for part in constant_parts(expression.root):
        try:
            expression.part(part).evaluate({}, ())
        except RangeError:
            continue
        except DomainError as error:
            return error.message
    return None


def _exact(derivative: Expression, at: Point, value: float) -> str | None:
    """The value of a formula at a point that was typed, such as x=2 or x=pi/4, if that is short and no plain number."""
    from exprgrad.expressions.taylor import at_place, has_variables, number

    typed = {n: at[n] for n in derivative.variables if isinstance(at.get(n), Value)}
    is_small = len(derivative.tape.steps) <= MOST_EXACT
    if not (typed and is_small and len(typed) == len(derivative.variables)):
        return None
    root = number(at_place(derivative.root, typed))
    text = text_up_to(root, LONGEST_EXACT)
    if has_variables(root) or text is None:
        return None
    try:
        near = Expression.of(root).evaluate({}, ()).value
    except ExprgradError:
        return None  # the formula does not hold there
    plain = (root.operation is None and root.name is None) or text == f"{value:g}"
    close = near is not None and abs(near - value) <= 1e-12 * abs(value)
    return text if close and not plain and "." not in text else None


MOST_EXACT = 60
"""Operations of a formula whose exact value is looked for."""

LONGEST_EXACT = 24
"""Characters of an exact value that is short."""


def _known(
    expression: Expression, at: Point, chain: Sequence[str], digits: int
) -> Known:
    """The derivative at the point, where it exists: a formula may have a value where f has no slope."""
    from exprgrad.expressions import higher_orders

    absent = [name for name in chain if name not in expression.variables]
    if absent:
        # of |x| at 0 there is no slope that might be constant in y
        before = chain[: chain.index(absent[0])]
        if before:
            _known(expression, at, before, digits)
        else:
            expression.evaluate(at, (), digits=digits)
        return Known(0.0, 0.0, EXACT)
    name, *others = chain
    if set(others) <= {name}:
        found = higher_orders.orders(expression, at, name, len(chain), digits)
        return found.required()[-1]
    if len(chain) == 2:
        entry = expression.second_partials(at, digits)[name][others[0]]
        expression.require(at, [entry])
        return entry
    # A formula may have a value where there is no slope: each derivative on the way has to exist for the next.
    higher_orders.orders(expression, at, name, 1, digits).required()
    numbers = expression.coordinates(at)
    last = expression.derivative(name)
    own = {n: numbers[n] for n in last.variables}
    return _known(last, own, others, digits)


LONGEST = 2000
"""The longest formula that is written out; a longer one is written with shared parts named."""


def in_parts(root: Value) -> list[str]:
    """A formula; a long one as shared parts, `t1 = ...`, and then the formula in them."""
    text = text_up_to(root, LONGEST)
    return shared_parts(root) if text is None else [text]


def simplified_fields(
    expression: Expression, found: Expression, form: str
) -> dict[str, Any]:
    """An expression in another form as fields that programs read."""
    from exprgrad.expressions.confirm import latex
    from exprgrad.expressions.fields import read_fields

    return read_fields(expression) | {
        "form": form,
        "result": "; ".join(in_parts(found.root)),
        "latex": latex(found.root),
        "assumes": list(found.assumptions),
        "notes": all_notes(expression, {"the result": found}),
    }


def all_notes(expression: Expression, formulas: Mapping[str, Expression]) -> list[str]:
    """Return how an expression was read, and that it has no value, if it has none anywhere."""
    reason = nowhere(expression, formulas)
    return [*expression.notes, *([] if reason is None else [reason])]


def _step(step: Any) -> dict[str, Any]:
    return {
        "depth": step.depth,
        "part": to_text(step.part),
        "rule": step.rule.name,
        "statement": step.rule.statement,
        "where": {name: to_text(value) for name, value in step.rule.where},
        "assembled": to_text(step.assembled),
        "result": to_text(step.result),
        "assumes": list(step.assumptions(step.assembled, step.result)),
    }
