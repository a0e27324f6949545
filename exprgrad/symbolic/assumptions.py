"""What a rewriting assumes: where the original is defined, as far as the result no longer asks for it.

    Compared(f, g).lost()       of f = (x^2 - 1)/(x - 1) and g = x + 1: x != 1; of exp(ln(x)) and x: x > 0
    Compared(f, g).doubtful()   of f = |x| and g = sign(x): x != 0, twice, with the graph of x

The conditions are those of the rows of the operation table. Those that depend on more than the operands' signs, such
as that of x^y with a variable y, are the business of values, and are not listed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache

from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.notation.text import to_text
from exprgrad.operations.conditions import Phrase, phrase
from exprgrad.operations.operation import TABLE, Operation
from exprgrad.operations.table import POW, SUB
from exprgrad.symbolic.factoring import factors_of, shortest
from exprgrad.symbolic.forms import (
    CALL,
    HUGE,
    LEAF,
    NUMBER,
    SUM,
    Algebra,
    Form,
    TooLargeError,
    parts,
)
from exprgrad.symbolic.simplify import form_of
from exprgrad.symbolic.writing import Writer, is_constant

NOT_ZERO, POSITIVE, FROM_ZERO = "!=", ">", ">="

_ASKED = {
    ("ne", 1): NOT_ZERO, ("gt", 1): POSITIVE, ("ge", 1): FROM_ZERO, ("lt", -1): POSITIVE, ("le", -1): FROM_ZERO,
}  # fmt: skip
MOST_NODES = 300
"""Of an expression whose conditions are compared with those of another."""

Condition = tuple[str, Form]


class Compared:
    """The conditions of an original and of a result beside one another; none of those that are too large."""

    def __init__(self, root: Value, result: Value) -> None:
        self.algebra = Algebra()
        self.own: dict[Condition, None] = {}
        self.kept: dict[Condition, None] = {}
        self.corners: list[Condition] = []
        if max(len(topological(root)), len(topological(result))) > MOST_NODES:
            return
        with suppress(TooLargeError):
            own = dict.fromkeys(_conditions(self.algebra, root))
            kept = dict.fromkeys(_conditions(self.algebra, result))
            corners = [*_powers(self.algebra, result), *_corners(self.algebra, result)]
            self.corners = corners + list(_corners(self.algebra, root))
            self.own, self.kept = own, kept

    def lost(self, holes: Collection[str] | None = None) -> list[str]:
        """The conditions of the original that the result does not ask for, as text.

        With the names of `holes`, only those of single values of these variables.
        """
        own, kept = self.own, self.kept
        lost = [c for c in own if not _follows(c, kept) and not _follows(c, own, c)]
        return [
            _text(self.algebra, c)
            for c in lost
            if not _is_certain(c) and (holes is None or _is_hole(c, holes))
        ]

    def doubtful(self) -> list[tuple[str, str, Value]]:
        """What the result asks and the original does not, and where one of them has a corner, the shortest first.

        Each as a condition, one that leaves out no more than its end, and the graph that is 0 there.
        """
        asked = dict.fromkeys((*self.kept, *self.corners))
        writer = Writer(self.algebra, decimal=False)
        return [
            (
                _text(self.algebra, c),
                _text(self.algebra, (NOT_ZERO, c[1])),
                writer.graph(c[1]),
            )
            for c in sorted(asked, key=lambda c: c[1].cost)
            if not _is_certain(c) and not _follows(c, self.own)
        ]


def _powers(algebra: Algebra, root: Value) -> Iterator[Condition]:
    """That the bases of powers are not 0 whose exponents may be negative."""
    for item in topological(root):
        if item.operation is not None and item.operation.rule == POW.rule:
            base, exponent = item.operands
            if any(map(is_variable, topological(exponent))):
                form = shortest(algebra, form_of(algebra, base))
                yield from _of_factors(algebra, NOT_ZERO, form)


def _corners(algebra: Algebra, root: Value) -> Iterator[Condition]:
    """That no operation stands at a corner, where its rule does not give the derivative; a power of 0 jumps at 0^0."""
    for item in topological(root):
        if item.operation is not None and item.operation.rule == POW.rule:
            base, exponent = item.operands
            if rational(base) == 0:
                yield POSITIVE, shortest(algebra, form_of(algebra, exponent))
        corner = None if item.operation is None else item.operation.corner
        if item.operation is None or corner is None:
            continue
        rule = phrase(corner, item.operation.arity)
        parts = rule.operands if rule.name == "and" else (rule,)
        others = [part for part in parts if part.name != "eq"]
        if any(_settled(part, item.operands) is False for part in others):
            continue
        for part in parts:
            if part.name == "eq":
                sides = tuple(_value(side, item.operands) for side in part.operands)
                form = shortest(algebra, form_of(algebra, node(SUB, sides)))
                yield from _of_factors(algebra, NOT_ZERO, form)


def _is_hole(condition: Condition, names: Collection[str]) -> bool:
    """Whether a condition leaves out single values of one of these variables."""
    sign, form = condition
    stack = [form]
    while stack and sign == NOT_ZERO:
        part = stack.pop()
        if part.kind == LEAF and part.parts[0].name in names:
            return True
        stack += parts(part)
    return False


def _follows(
    condition: Condition,
    known: Mapping[Condition, None],
    but: Condition | None = None,
) -> bool:
    """Whether a condition, or a stronger one of the same form, is among others."""
    sign, form = condition
    stronger = {NOT_ZERO: (NOT_ZERO, POSITIVE), FROM_ZERO: (FROM_ZERO, POSITIVE)}
    return any(
        (other, form) in known and (other, form) != but
        for other in stronger.get(sign, (POSITIVE,))
    )


def _is_certain(condition: Condition) -> bool:
    """Whether a condition holds for every real number."""
    sign, form = condition
    if form.kind == NUMBER and form.parts[0] <= 0:
        return bool(sign == FROM_ZERO and not form.parts[0])  # 0 > 0, of ln(0)
    if is_constant(form):
        return True
    least = _least(form)
    return least > 0 or (least == 0 and sign == FROM_ZERO)


def _least(form: Form, depth: int = 4) -> float:
    """0 or more if a form is never less than 0, and above 0 if it is always more; else -1."""
    if form.kind == NUMBER:
        return float(form.parts[0])
    if form.kind == LEAF:
        data = form.parts[0].data if isinstance(form.parts[0], Constant) else None
        return data if isinstance(data, float) else -1.0
    if not depth:
        return -1.0
    if form.kind == SUM:
        least = [_least(f, depth - 1) if c > 0 else -1.0 for f, c in form.parts[0]]
        return -1.0 if min(least) < 0 else max(least)
    if form.kind == CALL:
        values = form.parts[0].values or ""
        return {"(0": 1.0, "[0": 0.0}.get(values.partition(",")[0], -1.0)
    scale, factors = form.parts
    return min([float(scale), *(_power_least(b, e, depth) for b, e in factors)])


def _power_least(base: Form, exponent: Form, depth: int) -> float:
    if _least(base, depth - 1) > 0:
        return 1.0
    even = exponent.kind == NUMBER and not (
        exponent.parts[0].numerator % 2 and exponent.parts[0].denominator % 2
    )
    return 0.0 if even else -1.0


def _conditions(algebra: Algebra, root: Value) -> Iterator[Condition]:
    """The conditions of all operations of an expression, those of products as those of their factors."""
    for item in topological(root):
        if item.operation is None:
            continue
        for rule in _domain(item.operation):
            for name, left, right in _asked(rule, item.operands):
                sign = _sign(name, right)
                if sign is not None:
                    form = shortest(algebra, form_of(algebra, left))
                    yield from _of_factors(algebra, sign, form)


@lru_cache(500)
def _domain(operation: Operation) -> tuple[Phrase, ...]:
    return tuple(phrase(c.holds, operation.arity) for c in operation.domain)


def _sign(name: str, right: Value) -> str | None:
    zero = isinstance(right, Constant) and right.name is None and right.data == 0
    return _ASKED.get((name, 1)) if zero else None


def _asked(
    rule: Phrase, operands: tuple[Value, ...]
) -> Iterator[tuple[str, Value, Value]]:
    """The comparisons that must hold: all of an `and`, and of an `or` the only one that is open."""
    if rule.name == "and":
        for each in rule.operands:
            yield from _asked(each, operands)
        return
    if rule.name == "or":
        settled = [_settled(each, operands) for each in rule.operands]
        still = [r for r, s in zip(rule.operands, settled, strict=True) if s is None]
        if True not in settled and len(still) == 1:
            yield from _asked(still[0], operands)
        return
    left, right = (_value(side, operands) for side in rule.operands)
    yield str(rule.name), left, right


def _settled(rule: Phrase, operands: tuple[Value, ...]) -> bool | None:
    """Whether a comparison of constants holds; None if it is one of variables."""
    from exprgrad.sweeps.precise import Probe
    from exprgrad.sweeps.tape import Tape

    graph = _value(rule, operands)
    leaves = [item for item in topological(graph) if item.operation is None]
    if not all(isinstance(leaf, Constant) for leaf in leaves):
        return None
    probe = Probe(Tape(graph, ()))
    long = any(leaf.written or leaf.exact for leaf in leaves)
    value = (probe.precise({}, HUGE) if long else probe.floats({})).value
    return None if value is None else bool(value)


def _value(side: Phrase, operands: tuple[Value, ...]) -> Value:
    found = side.on(lambda name: lambda *own: node(TABLE[name], tuple(map(_node, own))), operands)  # fmt: skip
    return _node(found)


def _node(thing: Value | float) -> Value:
    return thing if isinstance(thing, Value) else Constant(thing)


def _of_factors(algebra: Algebra, sign: str, form: Form) -> Iterator[Condition]:
    """A product is not 0 where no factor is."""
    if sign != NOT_ZERO:
        yield sign, form
        return
    for base, exponent in factors_of(algebra, form):
        if exponent.kind == NUMBER and exponent.parts[0] > 0:
            yield NOT_ZERO, base


def _text(algebra: Algebra, condition: Condition) -> str:
    """x != 1 for x - 1 != 0."""
    sign, form = condition
    writer = Writer(algebra, decimal=False)
    if form.kind == SUM and len(form.parts[0]) == 2:
        (part, c), (one, number) = form.parts[0]
        if number == -c and one is not algebra.one and sign == NOT_ZERO:
            sides = (to_text(writer.graph(side)) for side in (part, one))
            return " != ".join(sides)
        if one is algebra.one and part.kind == LEAF:
            level = algebra.number(Fraction(-number, 1) / c)
            turned = {POSITIVE: "<", FROM_ZERO: "<="}.get(sign, sign) if c < 0 else sign
            return (
                f"{to_text(writer.graph(part))} {turned} {to_text(writer.graph(level))}"
            )
    return f"{to_text(writer.graph(form))} {sign} 0"
