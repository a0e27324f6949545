"""The conditions that the operations of an expression put on their operands, as comparisons of forms with numbers.

    Conditions(Algebra()).of(root)      of sqrt(x - 1)/(x^2 + 1): x - 1 >= 0, x^2 + 1 != 0
    Compared(f, g).lost()               of f = (x^2 - 1)/(x - 1) and g = x + 1: x != 1; of exp(ln(x)) and x: x > 0
    Compared(f, g).doubtful()           of f = |x| and g = sign(x): x != 0, twice, with the graph of x
    defined_with(claim, f)              True: the claim has a value wherever f has one; False: not shown

They are read from the rows of the operation table. What holds for constants is left out; `Conditions.range` says
between which numbers all values of a form lie. Those that depend on more than the operands' signs, such
as that of x^y with a variable y, are the business of values, and are not listed.

What an operation of a claim asks must be asked by f as well, or hold anyway: by bounds (x^2 + 1), or because it
fails only on a set without inner points, such as a curve. A quotient of analytic functions on a convex domain has
such a set of zeros, unless it is 0 everywhere (the identity theorem). Sets without inner points do not count on either
side: neither the one point at which a claim has a hole, nor the corners of f, which this asks to be such a set too.
"""

from __future__ import annotations

import operator
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from itertools import chain

from exprgrad.algebra.polynomials import Rational
from exprgrad.annotations import Any, NamedTuple
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Value, is_variable, node
from exprgrad.notation.text import to_text
from exprgrad.operations.conditions import COMPARISONS, MIRRORED, Phrase, phrase
from exprgrad.operations.operation import TABLE, Operation
from exprgrad.operations.table import ABS, DIV, FLOOR, POW
from exprgrad.sweeps.ranges import Range, everything, values
from exprgrad.sweeps.tape import Tape
from exprgrad.symbolic.factoring import Shortening, factored
from exprgrad.symbolic.forms import Algebra, Form, TooLargeError, each_part, least
from exprgrad.symbolic.simplify import Reader
from exprgrad.symbolic.writing import Writer

NOT_ZERO, POSITIVE, FROM_ZERO = "!=", ">", ">="
EQUAL, EITHER, NO_POINT = "==", "or", "never"

_NAMES = {sign: name for name, sign in COMPARISONS.items()}
_COMPARED = {sign: getattr(operator, name) for sign, name in _NAMES.items()}
_STRONGER = {NOT_ZERO: (POSITIVE, "<"), FROM_ZERO: (POSITIVE,), "<=": ("<",)}


ROOM = 1e-9
"""The distance from a level beyond which a constant in doubles surely differs from it, whatever the rounding."""


class Condition(NamedTuple):
    """A form is above, not below, or not at a level; or one of two sets of conditions holds.

    One that is `NO_POINT` is never met.
    """

    sign: str
    form: Form
    level: Any = 0
    of: tuple[Any, ...] = ()

    @property
    def is_other(self) -> bool:
        """Return whether it is none on a sign: one of two sets, or what leaves out a single value other than 0."""
        return self.sign == EITHER or (self.sign == NOT_ZERO and bool(self.level))

    def follows(self, known: Container[Condition]) -> bool:
        """Return whether it, or a stronger one of the same form, is among others."""
        return self in known or self.is_implied(known)

    def is_implied(self, known: Container[Condition]) -> bool:
        """Return whether a stronger one is among others."""
        stronger = _STRONGER.get(self.sign, ())
        return any(self._replace(sign=sign) in known for sign in stronger)


Asked = tuple[Condition, ...]
"""Conditions that all must hold."""


def joined(conditions: Iterable[Condition]) -> dict[Condition, None]:
    """Conditions, among them that a form is positive where it is neither negative nor 0."""
    found = dict.fromkeys(conditions)
    for condition in [c for c in found if c.sign == FROM_ZERO]:
        if condition._replace(sign=NOT_ZERO) in found:
            found[condition._replace(sign=POSITIVE)] = None
    return found


class Conditions:
    """Reads conditions as forms of one algebra."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self.never: Asked = (Condition(NO_POINT, algebra.nowhere),)
        self.writer = Writer(algebra, decimal=False)
        self._ranges: dict[Form, Range] = {}
        self._read: dict[Value, dict[Value, Form]] = {}
        self._known: dict[tuple[object, ...], Asked] = {}

    def of(self, root: Value) -> Iterator[tuple[Value, Asked]]:
        """Yield what each operation of a graph asks. Raises `TooLargeError`."""
        for item in topological(root):
            operation = item.operation
            number = rational(item.operands[-1]) if operation in (POW, DIV) else None
            # a power, or a quotient, with a positive whole number asks nothing
            is_plain = number is not None and number > 0 and number.denominator == 1
            if operation is not None and operation.domain and not is_plain:
                yield item, self.asked(operation, self.operands(item, root))

    def cornered(self, root: Value) -> Iterator[tuple[Operation, Phrase, list[Form]]]:
        """The operations of a graph that have corners, where these are, and the operands. Raises `TooLargeError`."""
        for item in topological(root):
            operation = item.operation
            if operation is not None and operation.corner is not None:
                rule = phrase(operation.corner, operation.arity)
                yield operation, rule, self.operands(item, root)

    def operands(self, item: Value, root: Value) -> list[Form]:
        """The operands of a node of a graph as forms. Raises `TooLargeError`."""
        if root not in self._read:
            self._read[root] = Reader(self.algebra, root, apart=True).forms
        return [self._read[root][o] for o in item.operands]

    def asked(self, operation: Operation, operands: Sequence[Form]) -> Asked:
        """Return what an operation asks of its operands."""
        key = operation, *operands
        if key not in self._known:
            own = (self.holding(rule, operands) for rule in domain(operation))
            self._known[key] = tuple(chain.from_iterable(own))
        return self._known[key]

    def holding(self, rule: Phrase, operands: Sequence[Form]) -> Asked:
        """Return what has to hold for a comparison, or several of them."""
        if rule.name in ("and", "or"):
            one, other = (self.holding(part, operands) for part in rule.operands)
            if rule.name == "and":
                return (*one, *other)
            # of two alternatives, one that asks for nothing beyond the other is what both come to
            if one == self.never or set(other) <= set(one):
                return other
            if other == self.never or set(one) <= set(other):
                return one
            return (Condition(EITHER, self.algebra.one, 0, (one, other)),)
        found = self.compared(rule, operands)
        known = self.settled(found) if found.form.is_fixed else None
        return {True: (), False: self.never, None: (found,)}[known]

    def compared(self, rule: Phrase, operands: Sequence[Form]) -> Condition:
        """A comparison of two sides as a condition."""

        def form(thing: Form | float) -> Form:
            if isinstance(thing, Form):
                return thing
            return self.algebra.number(least(Fraction(thing)))

        def function(name: str) -> Callable[..., Form]:
            return lambda *own: self.algebra.applied(TABLE[name], [*map(form, own)])

        left, right = (form(side.on(function, operands)) for side in rule.operands)
        sign = COMPARISONS[str(rule.name)]
        if right.kind == "call" and right.parts == (FLOOR, (left,)):
            whole = [c for part, c in left.parts[0] if part is self.algebra.one] if left.kind == "sum" else []  # fmt: skip
            if whole and whole[0].denominator == 1:  # n is whole where n + 2 is
                left = self.algebra.minus(left, self.algebra.number(whole[0]))
                right = self.algebra.applied(FLOOR, [left])
        if left.kind == "number":
            left, right, sign = right, left, MIRRORED[sign]
        if right.kind == "number":
            return Condition(sign, left, right.parts[0])
        return Condition(sign, self.algebra.minus(left, right))

    def settled(self, condition: Condition) -> bool | None:
        """Return whether a condition is met by all values of its form, or by none; None where it is not known."""
        if condition.sign not in _COMPARED:
            return False if condition.sign == NO_POINT else None
        sign, form, level, _ = condition
        number = form.parts[0] if form.kind == "number" else self.range(form)
        found = _COMPARED[sign](number, level)
        if isinstance(found, bool):
            return found
        if not form.is_fixed:
            return None
        from exprgrad.sweeps.precise import Probe

        value = Probe(self._tape(form)).floats({}).value
        if value is None or abs(value - level) <= ROOM * max(1, abs(level)):
            return None
        return bool(_COMPARED[sign](value, level))

    def range(self, form: Form) -> Range:
        """Between which numbers the values of a form lie."""
        if form not in self._ranges:
            tape = self._tape(form)
            found = values(tape, dict.fromkeys(tape.variables, everything()))
            self._ranges[form] = everything() if found is None else found
        return self._ranges[form]

    def _tape(self, form: Form) -> Tape:
        graph = self.writer.graph(form)
        return Tape(graph, list(filter(is_variable, topological(graph))))


@lru_cache(500)
def domain(operation: Operation) -> tuple[Phrase, ...]:
    """Return what an operation asks, as comparisons of its arguments."""
    return tuple(phrase(c.holds, operation.arity) for c in operation.domain)


MOST_COMPARED = 300
"""Of an expression whose conditions are compared with those of another."""

SIGNS = NOT_ZERO, POSITIVE, FROM_ZERO


class Compared(Conditions):
    """The conditions of an original and of a result beside one another; none of those that are too large."""

    def __init__(self, root: Value, result: Value) -> None:
        super().__init__(Algebra())
        self.own: dict[Condition, None] = {}
        self.kept: dict[Condition, None] = {}
        self.others: list[Condition] = []
        self.corners: list[Condition] = []
        if max(len(topological(root)), len(topological(result))) > MOST_COMPARED:
            return
        with suppress(TooLargeError):
            of_root, of_result = (
                dict.fromkeys(c for _, asked in self.of(f) for c in asked)
                for f in (root, result)
            )
            own = dict.fromkeys(self._signs(c for c in of_root if not c.is_other))
            kept = joined(self._signs(c for c in of_result if not c.is_other))
            others = [c for c in of_root if c.is_other and c not in of_result]
            corners = [*self._powers(result), *self._corners(result)]
            self.corners = corners + list(self._corners(root))
            self.own, self.kept, self.others = own, kept, others
            # what one branch asks need not hold where another is taken, as at 0 of if(x == 0, 0, 1/x)
            self.sure = own if _is_read(root) else {}

    def lost(self, holes: Collection[str] | None = None) -> list[str]:
        """The conditions of the original that the result does not ask for, as text.

        With the names of `holes`, only those of single values of these variables.
        """
        own = self.own
        if holes is None:
            own = own | joined(chain.from_iterable(map(self._enough, self.others)))
        lost = [
            c for c in own
            if not (c.follows(self.kept) or c.is_implied(own) or self._is_certain(c))
            and (holes is None or (c.sign == NOT_ZERO and any(leaf.parts[0].name in holes for leaf in c.form.leaves)))
        ]  # fmt: skip
        return [self._text(*c[:2]) for c in lost]

    def _enough(self, condition: Condition) -> Iterator[Condition]:
        """Conditions on signs that are enough: of x^y, in two steps, that x is positive, as it is in most books."""
        own_sets = condition.of or ((condition,),)
        # an equality is a condition on no sign: its set says less than it asks
        sets = [[*self._signs(own)] for own in own_sets if all(c.sign != EQUAL for c in own)]  # fmt: skip
        positive = (own for own in sets if own and all(c.sign == POSITIVE for c in own))
        yield from next(positive, sets[-1])

    def doubtful(self) -> list[tuple[str, str, Value]]:
        """Return what the result asks and the original does not, and where one of them has a corner, the shortest first.

        Each as a condition, one that leaves out no more than its end, and the graph that is 0 there.
        """
        asked = dict.fromkeys((*self.kept, *self.corners))
        left = (c for c in asked if not (self._is_certain(c) or c.follows(self.sure)))
        return [
            (self._text(c.sign, c.form), self._text(NOT_ZERO, c.form), self.writer.graph(c.form))
            for c in sorted(left, key=lambda c: c.form.cost)
        ]  # fmt: skip

    def _is_certain(self, condition: Condition) -> bool:
        """Return whether a condition holds for every real number, or is about constants."""
        return condition.form.is_constant or self.settled(condition) is True

    def _signs(self, asked: Iterable[Condition]) -> Iterator[Condition]:
        """Conditions as conditions on signs."""
        for sign, form, level, _ in asked:
            form = self.algebra.minus(form, self.algebra.number(level))
            if sign in ("<", "<="):
                sign = MIRRORED[sign]
                form = self.algebra.minus(self.algebra.zero, form)
            if sign in SIGNS:
                yield from self._tidied(sign, form)

    def _tidied(self, sign: str, form: Form) -> Iterator[Condition]:
        """A condition on a form, written the shortest way: on the bases of powers, and on factors that are not 0."""
        form = Shortening(self.algebra, form).shortest(form)
        whole = factored(self.algebra, form)
        (base, exponent), *others = whole.factors or ((form, self.algebra.one),)
        power = exponent.number
        if sign != NOT_ZERO and power and not (others or whole.is_negative):
            if power.numerator % 2:
                sign, form = sign if power > 0 else POSITIVE, base
            elif sign == FROM_ZERO:
                return  # a square is never negative
            else:
                sign = NOT_ZERO
        factors = whole.factors if sign == NOT_ZERO else ()
        for base, exponent in factors or ((form, self.algebra.one),):
            if base.number is None and exponent.number is not None and exponent.number > 0:  # fmt: skip
                is_size = sign == NOT_ZERO and base.kind == "call" and base.parts[0] is ABS  # fmt: skip
                yield Condition(sign, base.parts[1][0] if is_size else base)

    def _powers(self, root: Value) -> Iterator[Condition]:
        """Yield that the bases of powers with variable exponents, which may be negative, are not 0."""
        for item in topological(root):
            is_power = item.operation is not None and item.operation.rule == POW.rule
            if is_power and any(map(is_variable, topological(item.operands[1]))):
                base, _ = self.operands(item, root)
                yield from self._tidied(NOT_ZERO, base)

    def _corners(self, root: Value) -> Iterator[Condition]:
        """Yield that no operation is at a corner, where its rule is not the derivative; a power of 0 jumps at 0^0."""
        for operation, rule, own in self.cornered(root):
            if operation.rule == POW.rule and own[0] is self.algebra.zero:
                yield from self._tidied(POSITIVE, own[1])
            parts = rule.operands if rule.name == "and" else (rule,)
            asked = [self.compared(part, own) for part in parts]
            # part of a rule holds nowhere, and so the corner is none
            if any(c.sign != EQUAL and self.settled(c) is False for c in asked):
                continue
            for sign, form, level, _ in asked:
                if sign == EQUAL and form.kind != "number":
                    rest = self.algebra.minus(form, self.algebra.number(level))
                    yield from self._tidied(NOT_ZERO, rest)

    def _text(self, sign: str, form: Form) -> str:
        """x != 1 for x - 1 != 0."""
        left, right = form, self.algebra.zero
        if form.factors and form.is_negative:
            left, sign = self.algebra.scaled(form, -1), MIRRORED[sign]
        if form.kind == "sum" and len(form.parts[0]) == 2:
            (part, c), (one, number) = form.parts[0]
            is_number = one is self.algebra.one
            if number == -c and not is_number and sign == NOT_ZERO:
                left, right = part, one
            elif is_number:
                left, right = part, self.algebra.number(Fraction(-number, 1) / c)
                sign = {POSITIVE: "<", FROM_ZERO: "<="}.get(sign, sign) if c < 0 else sign  # fmt: skip
        sides = self.writer.graph(left), self.writer.graph(right)
        return to_text(node(TABLE[_NAMES[sign]], sides))


MOST_NODES = 3000
MOST_FACTORS = 60

ANALYTIC, MEROMORPHIC, OTHER = 2, 1, 0
"""On a convex domain: analytic; a quotient of such functions; neither, or not known."""


def defined_with(claim: Value, f: Value) -> bool:
    """Return whether it is shown that `claim` has a value wherever `f` has a derivative, apart from nowhere dense sets."""
    if not (_is_read(claim) and _is_read(f)):
        return False
    domain = _Domain()
    try:
        if not all(domain.is_rare(rule, own) for _, rule, own in domain.cornered(f)):
            return False
        for _, asked in domain.of(f):
            for condition in asked:
                domain.learn(condition)
        return all(all(map(domain.holds, asked)) for _, asked in domain.of(claim))
    except TooLargeError:
        return False


def without_value(f: Value, is_zero: Callable[[Value], bool]) -> Value | None:
    """An operation of f that is shown to have no value anywhere: the root of -1 - x^2, a quotient by what `is_zero`."""
    domain = _Domain()

    def fails(condition: Condition) -> bool:
        sign, form, level, _ = condition
        asks = sign in (NOT_ZERO, POSITIVE) and not (level or form.is_constant)
        return domain.fails(condition) or (asks and is_zero(domain.writer.graph(form)))

    with suppress(TooLargeError):
        for item, asked in domain.of(f) if _is_read(f) else ():
            if any(map(fails, asked)):
                return item
    return None


def _is_read(root: Value) -> bool:
    """Return whether this is for a graph: one without branches, which is not too large."""
    order = topological(root, MOST_NODES)
    rows = [item.operation for item in order if item.operation is not None]
    return bool(order) and not any(row.choose or row.whole for row in rows)


class _Domain(Conditions):
    """The domain of an expression: `met` are conditions that hold there."""

    def __init__(self) -> None:
        super().__init__(Algebra())
        self.met: set[Condition] = set()
        self._kinds: dict[Form, int] = {}

    def learn(self, condition: Condition) -> None:
        """Note a condition that is met; of two alternatives one that is met on a curve at most is none: u == floor(u)."""

        def is_rare(equality: Condition) -> bool:
            terms = equality.form.parts[0] if equality.form.kind == "sum" else ()
            floors = [f for f, _ in terms if f.kind == "call" and f.parts[0] is FLOOR]
            return equality.sign == EQUAL and any(
                _is_linear(inside)
                and equality.form is self.algebra.minus(inside, floor)
                for floor in floors
                for inside in floor.parts[1]
            )

        left = [own for own in condition.of if not any(map(is_rare, own))]
        self.met.update(left[0] if len(left) == 1 else (condition,))

    def holds(self, condition: Condition) -> bool:
        """Return whether a condition is met, holds anyway, or fails only on a set without inner points."""
        sign, form, level, of = condition
        if condition.follows(self.met):
            return True
        if sign == EITHER:
            return any(all(map(self.holds, own)) for own in of)
        if sign == NOT_ZERO:
            return self._differs(form, level)
        closed = {POSITIVE: FROM_ZERO, "<": "<="}.get(sign)
        if closed is not None:
            parts = condition._replace(sign=closed), condition._replace(sign=NOT_ZERO)
            return all(map(self.holds, parts))
        return self.settled(condition) is True

    def fails(self, condition: Condition) -> bool:
        """Return whether a condition is met nowhere."""
        if condition.sign == EITHER:
            return all(any(map(self.fails, own)) for own in condition.of)
        known = self.settled(condition)
        return known is False and condition.sign not in (EQUAL, NO_POINT)

    def is_rare(self, rule: Phrase, operands: Sequence[Form]) -> bool:
        """Return whether a rule, such as that of a corner, is met on a set without inner points at most."""
        if rule.name in ("and", "or"):
            both = [self.is_rare(operand, operands) for operand in rule.operands]
            return any(both) if rule.name == "and" else all(both)
        found = self.compared(rule, operands)
        if found.sign == EQUAL:
            return self._differs(found.form, found.level)
        return self.settled(found) is False

    def _differs(self, form: Form, level: Rational) -> bool:
        """Return whether a form is at a level on a set without inner points at most."""
        todo, count = [(form, level)], 0
        while todo:
            form, level = todo.pop()
            count += 1
            off = Condition(NOT_ZERO, form, level)
            fixed = form.is_fixed
            if off.follows(self.met) or (not fixed and self._kind(form) >= MEROMORPHIC):
                continue
            if self.settled(off):
                continue
            if fixed:
                return False
            # |f| leaves two forms to look at: nested, their number would double each time
            inner = self._inner(form, level)
            if inner is None or count > MOST_FACTORS:
                return False
            todo += inner
        return True

    def _inner(self, form: Form, level: Rational) -> list[tuple[Form, Rational]] | None:
        """Forms, and their levels, of which one is reached where the whole is at its level."""
        if form.kind == "sum" and len(form.parts[0]) == 2:
            (part, c), (one, number) = form.parts[0]
            is_number = one is self.algebra.one
            return [(part, Fraction(level - number) / c)] if is_number else None
        if form.kind == "call":
            operation, arguments = form.parts
            if operation is ABS:
                return [(arguments[0], level), (arguments[0], -level)]
            if operation.arity == 1 and operation.corner is None:
                # an analytic function of one argument, that is not constant
                return [] if self._kind(arguments[0]) >= MEROMORPHIC else None
            return None
        if form.kind != "product":
            return None
        if not level:
            return [(b, 0) for b, e in form.factors if e.number is None or e.number > 0]
        scale, ((base, exponent), *others) = form.parts
        if others or exponent.kind != "number" or abs(exponent.parts[0]) != 1:
            return None
        return [(base, Fraction(level) / scale ** exponent.parts[0])]

    # How smooth a form is

    def _kind(self, form: Form) -> int:
        return each_part(form, self._kind_of, self._kinds)

    def _kind_of(self, form: Form) -> int:
        known = self._kinds
        if form.kind == "leaf" or form.is_fixed:
            return ANALYTIC
        if form.kind == "sum":
            return min(known[part] for part, _ in form.parts[0])
        if form.kind == "product":
            return min(self._kind_of_power(*factor) for factor in form.parts[1])
        operation, arguments = form.parts
        worst = min(known[a] for a in arguments)
        if worst < ANALYTIC or (operation.corner and not operation.domain):
            return OTHER
        # where linear functions are between levels, or anywhere but at them, a domain is convex
        asked = self.asked(operation, arguments)
        ends = {(c.form, c.level) for c in asked if c.sign not in (NOT_ZERO, EITHER, EQUAL)}  # fmt: skip
        convex = all((c.form, c.level) in ends and _is_linear(c.form) for c in asked)
        if not operation.domain or (ends and convex):
            return ANALYTIC
        # a quotient such as sin(x)/cos(x) of functions that are analytic themselves
        is_smooth = operation.formula and not operation.corner and operation.arity == 1
        is_quotient = is_smooth and phrase(operation.formula, 1).name == "div"
        return MEROMORPHIC if is_quotient else OTHER

    def _kind_of_power(self, base: Form, exponent: Form) -> int:
        kind = self._kinds[base]
        if base.is_fixed and exponent.is_fixed:
            return ANALYTIC
        if exponent.is_whole:
            below = exponent.parts[0] < 0 and not base.is_fixed
            return min(kind, MEROMORPHIC) if below else kind
        smooth = min(kind, self._kinds[exponent]) == ANALYTIC
        # (x - 1)^(1/2) ends at 1, where (x - 1)^(1/3) goes on with a vertical tangent within its domain
        odd = exponent.kind == "number" and exponent.parts[0].denominator % 2
        positive = base.is_euler or (_is_linear(base) and not odd)
        return ANALYTIC if smooth and positive else OTHER


def _is_linear(form: Form) -> bool:
    """Return whether a form is a sum of multiples of variables and a number."""
    stack = [form]
    while stack:
        part = stack.pop()
        if part.kind == "sum":
            stack += [inside for inside, _ in part.parts[0] if not inside.is_fixed]
        elif part.kind == "product" and not form.is_fixed:
            (base, exponent), *others = [f for f in part.factors if not (f[0].is_fixed and f[1].is_fixed)]  # fmt: skip
            if others or exponent.number != 1 or base.kind not in ("leaf", "sum"):
                return False
            stack.append(base)
        elif part.kind != "leaf" or part.is_constant:
            return False
    return not form.is_fixed
