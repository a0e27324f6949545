"""Derivatives as graphs: the table's rules, run over the nodes of an expression.

With t_i = dv_i/dx, forward:  t_i = sum over operands j of (d op_i/d v_j) * t_j, where the partials are
formulas. Operands that do not depend on x are left out. The result shares the nodes of the original, so
it grows in proportion to the graph, however often a subexpression is used.

What is constant on a piece has the derivative 0 there, though its partials may have no value: that of cbrt(relu(x))
is taken by pieces, since 1/(3*relu(x)^(2/3)) is 1/0 on the whole left side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import NamedTuple
from exprgrad.errors import Hint, NotDifferentiableError, Span, UsageError
from exprgrad.graph.numbering import GraphNumbering
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.sweep import forward
from exprgrad.graph.value import SYMBOLS, Constant, Value, is_variable, node
from exprgrad.operations import table
from exprgrad.operations.number_types import Numbers, Step
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import where

MOST_OPERATIONS = 400
"""The most operations of a formula that is differentiated again."""


def derivative(
    root: Value, name: str, most: int | None = None, span: Span | None = None
) -> Value:
    """The derivative with respect to the variable of that name, simplified.

    Formulas of higher derivatives may grow without limit: raises `UsageError`, at `span`, if one of more
    than `most` operations is to be differentiated.
    """
    from exprgrad.symbolic.simplify import simplify

    if most is not None and len(topological(root)) > most:
        told = f"the formula of this derivative has more than {most} operations"
        raise UsageError(told, span, hint=Hint("order_at_point"))
    # sign(u) has no derivative where u is 0, and sign(u)^2 is 1 elsewhere
    signs = {item for item in topological(root) if item.operation is table.SIGN}
    found = simplify(tangent(root, name), units=signs)
    if any(map(is_nowhere, topological(found))):
        # sqrt(x - x) is constant, though the rules divide by 0
        known, varies = simplify(root), set[Value]()
        for item in topological(known):
            if is_variable(item) or not varies.isdisjoint(item.operands):
                varies.add(item)
            elif item.operation is not None and not _has_value(item):
                return found
        return simplify(tangent(known, name))
    return found


def is_nowhere(item: Value) -> bool:
    """Return whether a node is what `simplify` writes for a part that has no value anywhere: 1/0."""
    return item.operation is table.DIV and _is_number(item.operands[1], 0)


Tangent = Value | None
"""The derivative of a node; None where it does not depend on the variable."""

Instead = Callable[[Value, Sequence[Tangent]], Tangent]
"""The tangent of a node, from those of its operands; None for the one that its rule gives."""


def tangent(
    root: Value, name: str, instead: Instead | None = None, work: Work | None = None
) -> Value:
    """The derivative as the rules give it, not simplified; or as `instead` would have it.

    Looking for pieces on which something is constant takes from the `work`.
    """
    tangents: dict[Value, Tangent] = {}
    steps = []
    order = topological(root)
    for item in order:
        if item.operation is not None:
            steps.append(Step(item, item.operation, item.operands))
        else:
            own = item.name == name and not isinstance(item, Constant)
            tangents[item] = Constant(1.0) if own else None
    if instead is None and any(_by_pieces(item) is not None for item in order):
        work = work or Work(LOOKING)
    found = forward(steps, _Tangents(name, instead, work), tangents)[root]
    return Constant(0.0) if found is None else found


class _Tangents(Numbers):
    """Formulas of tangents: that of a step is the sum of its local partials times its operands'."""

    chooses = False

    def __init__(self, name: str, instead: Instead | None, work: Work | None) -> None:
        super().__init__()
        self._name, self._instead, self._work = name, instead, work

    def value(self, step: Step, arguments: Sequence[Tangent]) -> Tangent:
        item = step.node
        if self._instead is not None:
            own = self._instead(item, arguments)
            if own is not None:
                return own
        own = _tangent(item, step.operation, arguments)
        if own is None or self._work is None:
            return own
        piece = flat_piece(item, self._work)
        if piece is None:
            return own
        if piece.other is not None:
            own = tangent(piece.other, self._name, work=self._work)
        return node(table.IF, (piece.condition, Constant(0.0), own))


def _tangent(item: Value, operation: Operation, tangents: Sequence[Tangent]) -> Tangent:
    """The sum of partial * tangent over the operands that have a tangent."""
    choice = as_choice(item)
    if choice is not None:
        # a choice between tangents, not their sum: the untaken branch must not be evaluated
        known = dict(zip(item.operands, tangents, strict=True))
        branches = [known[operand] for operand in choice.operands[1:]]
        if branches == [None, None]:
            return None
        taken, other = (Constant(0.0) if b is None else b for b in branches)
        return node(table.IF, (choice.operands[0], taken, other))
    if operation.whole:
        product = operation is table.ITEM
        told = f"there are no formulas for derivatives of {operation.title}, an operation on arrays"
        hint = Hint("product_or_gradient" if product else "gradient_at_point")
        raise UsageError(told, item.span, hint)
    total: Value | None = None
    for i, inner in enumerate(tangents):
        if inner is None or operation.partials[i] == 0:
            continue
        if i == 1 and (operation.rule == table.POW.rule or operation is table.ROOT):
            base = item.operands[0]
            while base.operation is not None and base.operation.rule == table.POW.rule:
                base = base.operands[0]
            if rational(base) == 0:
                continue  # 0^u, or a power of it, is 0 wherever it has a slope
        factors = [local_partial(operation, i, item, item.operands), inner]
        if operation is table.MUL and i == 0:
            factors.reverse()  # (u*v)' = u'*v + u*v'
        terms = [f for f in factors if not _is_number(f, 1)] or factors[:1]
        own = terms[0] if len(terms) == 1 else node(table.MUL, tuple(terms))
        total = own if total is None else node(table.ADD, (total, own))
    return total


def as_choice(item: Value) -> Value | None:
    """An `if` itself; max or min of two as the `if` of their formula; None for anything else.

    A tie goes to the operand without corners: that of min(x, |x|) at 0 to x.
    """
    operation = item.operation
    if operation is table.IF:
        return item
    if operation is None or operation.fold != "left" or operation.formula is None:
        return None
    choice: Value = SYMBOLS.bind(operation.formula)(*item.operands)
    condition, *cases = choice.operands
    closed = _CLOSED.get(condition.operation)
    if closed is None or _has_kinks(cases[0]) or not _has_kinks(cases[1]):
        return choice
    return node(table.IF, (node(closed, condition.operands), *cases))


_CLOSED: dict[Operation | None, Operation] = {table.LT: table.LE, table.GT: table.GE}


def _has_kinks(root: Value) -> bool:
    """Return whether there are operations that are defined around their corners."""
    rows = (item.operation for item in topological(root))
    return any(row and row.corner is not None and not row.domain for row in rows)


class Piece(NamedTuple):
    """A piece on which a node is constant: a condition, and the node as it is elsewhere; None if it is no simpler there."""

    condition: Value
    other: Value | None


LOOKING = 10_000
"""Nodes that are looked at for pieces on which something is constant."""


def flat_piece(item: Value, work: Work) -> Piece | None:
    """A piece on which a node is constant, and its partials have no value; None if none is found with that work."""
    if item.operation is None or item.operation.corner is None:
        return None
    order, numbering = topological(item), GraphNumbering()
    alike: dict[int, list[Value]] = {}
    # from outside: step(floor(x)) is 0 where floor(x) is -2, too
    for part in order[-2::-1]:
        alike.setdefault(numbering.number(part), []).append(part)
    chosen: list[tuple[Value, Value]] = []
    try:
        for parts in alike.values():
            for condition, held, other in _pieces(parts[0]):
                work.spend(len(order))
                within = replaced(item, dict.fromkeys(parts, held))
                if _is_stuck(within):
                    others = {} if other is None else dict.fromkeys(parts, other)
                    return Piece(condition, replaced(item, others) if others else None)
                left = within if other is None else held
                if any(_by_pieces(inner) is not None for inner in topological(left)):
                    chosen.append((condition, within))
    except OutOfReachError:
        return None
    # sqrt(max(floor(x), -x^2)) is 0 where floor(x) is 0 and taken
    for condition, within in chosen:
        inner = flat_piece(within, work)
        if inner is not None:
            return Piece(node(table.AND, (condition, inner.condition)), None)
    return None


def _pieces(part: Value) -> Iterator[tuple[Value, Value, Value | None]]:
    """Conditions, what a node is where they hold, and what it is elsewhere, if that is simpler than the node."""
    choice = _by_pieces(part)
    if choice is part and part.operation is not table.IF:
        for step in (0.0, 1.0, -1.0):
            yield node(table.EQ, (part, Constant(step))), Constant(step), None
    elif choice is not None:
        from exprgrad.symbolic.forms import Algebra, TooLargeError
        from exprgrad.symbolic.simplify import Reader

        condition, taken, other = choice.operands
        ties = True
        if len(condition.operands) == 2:
            # a comparison such as `x - x >= 0` has the same outcome everywhere
            with suppress(TooLargeError):
                apart = node(table.SUB, condition.operands)
                ties = not Reader(Algebra(), apart).form.is_fixed
        beyond, short = (_STRICT if ties else {}).get(
            condition.operation, (None, table.NOT)
        )
        sides = condition.operands if beyond else (condition,)
        yield node(beyond, sides) if beyond else condition, taken, other
        yield node(short, sides), other, taken


_STRICT: dict[Operation | None, tuple[Operation, Operation]] = {
    table.GT: (table.GT, table.LT), table.GE: (table.GT, table.LT), table.LT: (table.LT, table.GT), table.LE: (table.LT, table.GT),
}  # fmt: skip
"""The comparisons that hold where another does, and does not, and the sides are not equal."""

_CHOICES: dict[Operation, Callable[..., object]] = {
    table.ABS: lambda x: where(x > 0, x, -x),
    table.RELU: lambda x: where(x > 0, x, 0),
}


def _by_pieces(item: Value) -> Value | None:
    """A function by pieces as an `if`; itself if it is constant on each piece, as floor is; None for anything else."""
    operation = item.operation
    if operation in _CHOICES:
        choice: Value = SYMBOLS.bind(_CHOICES[operation])(*item.operands)
        return choice
    is_step = operation is not None and operation.corner and operation.partials == (0,)
    return item if is_step else as_choice(item)


def _is_stuck(item: Value) -> bool:
    """Return whether a node is a constant, or a power of 0, and a partial of it has no value."""
    from exprgrad.symbolic.forms import Algebra, TooLargeError, is_power_of_zero
    from exprgrad.symbolic.simplify import Reader
    from exprgrad.symbolic.writing import Writer

    algebra = Algebra()
    operation, operands = item.operation, item.operands
    assert operation is not None
    with suppress(TooLargeError):
        own = Reader(algebra, item).form
        written = Writer(algebra, decimal=False)
        is_constant = own.is_fixed and _has_value(written.graph(own))
        if own is algebra.nowhere or not (is_constant or is_power_of_zero(own)):
            return False
        rules = (i for i, p in enumerate(operation.partials) if p not in (0, None))
        partials = (local_partial(operation, i, item, operands) for i in rules)
        return any(is_power_of_zero(Reader(algebra, p).form) for p in partials)
    return False


def _has_value(constant: Value) -> bool:
    from exprgrad.sweeps.precise import DIGITS, Probe
    from exprgrad.sweeps.tape import Tape

    probe = Probe(Tape(constant, ()))
    if probe.floats({}).value is not None:
        return True
    return probe.precise({}, DIGITS).value is not None  # 10^400, beyond doubles


def local_partial(
    operation: Operation, index: int, result: Value, operands: tuple[Value, ...]
) -> Value:
    """A local partial as a graph. Raises `NotDifferentiableError` for an argument that has none."""
    if operation.partials[index] is None:
        raise NotDifferentiableError(
            f"{operation.signature} cannot be differentiated with respect to its argument number {index + 1}"
        )
    partial = SYMBOLS.partials(operation)[index](result, *operands)
    return partial if isinstance(partial, Value) else Constant(partial)


def _is_number(item: Value, whole: int) -> bool:
    """Return whether a node is plainly that whole number."""
    return item.is_constant and item.data == whole and item.is_whole
