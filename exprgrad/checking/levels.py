"""Where a part of an expression reaches a level along one variable, solved from its structure.

    Levels(tape, "x", {"a": 2.0}).solve(0.0)        # the places, and the parts that have to be searched

A part is read as a quotient of polynomials in one atom: the variable, or a function of it. Polynomials are
solved, a function is undone (that of an angle once in every period near the anchors), and so on down to the
variable: max(0, 1 - 1e6*(sin(x) - 0.5)^2) leads to sin(x) = 0.5 - 0.001 and from there to x. What mixes
atoms, such as cos(x) + x/100, is left to a search. Places that are solved for are exact where that can be had
(`places`): sqrt(11) for x^2 = 11, asin(1/2) for sin(x) = 1/2.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache

from exprgrad.annotations import Any
from exprgrad.checking.places import (
    applied,
    fraction_of,
    near,
    placed,
    power,
    rational_root,
    rooted,
)
from exprgrad.graph.sweep import forward
from exprgrad.graph.value import Constant, node
from exprgrad.operations.number_types import CAREFUL
from exprgrad.operations.operation import ARITHMETIC, EVEN, TABLE, Operation
from exprgrad.operations.table import ABS, ADD, DIV, LN, MUL, NEG, POW, SQRT, SUB
from exprgrad.sweeps.coordinates import (
    Coordinate,
    ExactPlace,
    exactly,
    substituted,
)
from exprgrad.sweeps.tape import Tape

MOST_DEGREE = 8
MOST_SOLVED = 200
"""Equations that one level may lead to."""

SOLVED_WORK, SCANNED_WORK = 200, 1500
"""What one of them takes, and more where a function is not undone by another; in visits of operations."""

TURNS = (0, -1, 1, -2, 2)
"""Periods beside an anchor in which an angle is looked for."""

Function = Callable[[float], "float | None"]


class Levels:
    """The parts of an expression along a variable, the others held, as quotients of polynomials in an atom."""

    def __init__(self, tape: Tape, variable: str, at: dict[str, float]) -> None:
        self.tape = tape
        self.at = {name: at.get(name, 0.0) for name in tape.variables}
        self.variable = tape.variables[variable]
        self.name = variable
        self.active = tape.active([variable])
        self.steps = {step.node: step for step in tape.steps}
        still = [step for step in tape.steps if not self.active[step.node]]
        self.values = forward(still, CAREFUL, tape.inputs(self.at))
        self.forms = self._read()
        self._near: dict[float, Sequence[Any]] = {}
        self.anchors: Sequence[float] = (0.0,)
        self.is_cut = False
        self.spent = 0

    def _read(self) -> list[_Form | None]:
        """Every node as a quotient; an atom where it is not one. None for a constant that has no value."""
        forms: list[_Form | None] = [None] * len(self.tape.nodes)
        for i, value in enumerate(self.values):
            leaf = self.tape.nodes[i]
            if leaf.operation is None and isinstance(value, float):
                forms[i] = _number(leaf, value)
        forms[self.variable] = _Form.atom_of(self.variable)
        known: dict[Any, int] = {}
        for step in self.tape.steps:
            if not self.active[step.node]:
                forms[step.node] = self._still(step, forms)
            else:
                key = (step.operation, *(self._key(forms[j], j) for j in step.operands))
                atom = known.setdefault(key, step.node)
                forms[step.node] = self._form(step, forms) or _Form.atom_of(atom)
        return forms

    def _still(self, step: Any, forms: list[_Form | None]) -> _Form | None:
        """A part that does not depend on the variable: exactly where that is a fraction."""
        form, value = self._form(step, forms), self.values[step.node]
        if form is not None or not isinstance(value, float) or math.isinf(value):
            return form
        return _Form.number(Fraction(value), exact=False)

    @staticmethod
    def _key(form: _Form | None, node: int) -> Any:
        return node if form is None else (form.atom, form.above, form.below)

    @staticmethod
    def _form(step: Any, forms: list[_Form | None]) -> _Form | None:
        own = [forms[j] for j in step.operands]
        if None in own:
            return None
        try:
            if step.operation.native:
                found: Any = step.operation.kernel(*own)
                return found if isinstance(found, _Form) else None
            if step.operation.rule == POW.rule and len(own) == 2:
                raised: _Form = own[0] ** own[1]
                return raised
        except (TypeError, ValueError, *ARITHMETIC):
            pass
        return None

    def solve(
        self, level: float, anchors: Sequence[float] = (0.0,)
    ) -> tuple[list[float], list[tuple[int, float]]]:
        """Where the root is at the level; and nodes that mix atoms with the level to search for."""
        self.anchors = anchors
        found: dict[float, None] = {}
        mixed: list[tuple[int, float]] = []
        todo = [(self.tape.root, level)]
        seen: set[tuple[int, float]] = set()
        while todo:
            if len(seen) >= MOST_SOLVED:
                self.is_cut = True
                break
            part, level = todo.pop()
            if (part, level) in seen or not is_number(level):
                continue
            seen.add((part, level))
            self.spent += SOLVED_WORK
            form = self.forms[part]
            if form is None or form.atom is None:
                continue
            if not form.exact and self._unwound(part, level, todo, mixed):
                continue
            for t in form.solved(level):
                if form.atom == self.variable:
                    found[t] = None
                else:
                    self._undo(form.atom, t, todo, mixed)
        return list(found), mixed

    def _unwound(
        self, part: int, level: float, todo: list[Any], mixed: list[Any]
    ) -> bool:
        """Whether the level of a part with constants that are no fractions was led back to that of one operand."""
        step = self.steps.get(part)
        if step is None:
            return False
        varying = [i for i, j in enumerate(step.operands) if self.active[j]]
        if len(varying) != 1:
            return False
        if not step.operation.native:
            self._undo(part, level, todo, mixed)
            return True
        [i] = varying
        others = [self._constant(j) for j in step.operands if not self.active[j]]
        with contextlib.suppress(*ARITHMETIC):  # where it is at that level nowhere
            todo.append((step.operands[i], _SOLVED[step.operation](i, level, *others)))
        return True

    def _constant(self, part: int) -> float:
        """A part that does not depend on the variable, as a place."""
        form = self.forms[part]
        if form is not None and form.exact:
            return placed(form.above[0] / form.below[0] if form.above else Fraction(0))
        at = {name: Coordinate.of(x) for name, x in self.at.items()}
        return ExactPlace(substituted(self.tape.nodes[part], at), self.values[part])

    def _undo(self, atom: int, level: float, todo: list[Any], mixed: list[Any]) -> None:
        """From f(u) = level to the levels of u."""
        step = self.steps[atom]
        varying = [i for i, j in enumerate(step.operands) if self.active[j]]
        if len(varying) == 1:
            [i] = varying
            own = [self.values[j] for j in step.operands]
            own[i] = 0.0
            if not all(isinstance(value, float) for value in own):
                return
            operand = step.operands[i]
            if _inverse(step.operation) is None or step.operation.angle:
                self.spent += SCANNED_WORK
            others = [self._constant(j) for j in step.operands if not self.active[j]]
            for double in inverses(step.operation, i, tuple(own), float(level)):
                u = exact_inverse(step.operation, i, others, level, double)
                if step.operation.angle:
                    todo += [(operand, turned) for turned in self._turns(operand, u)]
                else:
                    todo.append((operand, u))
        elif step.operation in (MUL, DIV) and not level:
            todo += [(j, 0.0) for j in step.operands[: 1 + (step.operation is MUL)]]
        else:
            mixed.append((atom, level))

    def _turns(self, operand: int, angle: float) -> Iterator[float]:
        """The angle in the periods that the operand is in near the anchors."""
        turns: dict[int, None] = {}
        for x in self.anchors:
            value = self._values(x)[operand]
            if isinstance(value, float) and abs(value) < 1e15:
                here = round((value - angle) / math.tau)
                turns.update((here + more, None) for more in TURNS)
        return (_turned(angle, 2 * turn) for turn in turns)

    def _values(self, x: float) -> Sequence[Any]:
        """All nodes with the variable at x."""
        if x not in self._near:
            inputs = self.tape.inputs({**self.at, self.name: x})
            self._near[x] = forward(self.tape.steps, CAREFUL, inputs)
        return self._near[x]

    def extremes(self) -> list[float]:
        """Where the root has a slope of 0, if it is a quotient of polynomials in the variable."""
        form = self.forms[self.tape.root]
        if form is None or form.atom != self.variable:
            return []
        p, q = form.above, form.below
        slope = _sum(_product(_slope(p), q), [-c for c in _product(p, _slope(q))])
        return real_roots(_trimmed(slope))

    def at_place(self, x: float) -> Fraction | None:
        """The root at a place, if it is a quotient of polynomials in the variable; None at a pole."""
        form = self.forms[self.tape.root]
        if form is None or form.atom != self.variable:
            return None
        here = near(x)
        below = _value(form.below, here)
        return _value(form.above, here) / below if below else None

    def periods(self) -> list[tuple[float, float]]:
        """Where angles that are linear in the variable are 0, and how long their periods are."""
        found = []
        for step in self.tape.steps:
            form = self.forms[step.operands[0]] if step.operation.angle else None
            if form and form.atom == self.variable and len(form.above) == 2:
                slope = float(form.above[1] / form.below[0])
                if len(form.below) == 1 and slope:
                    found.append((-float(form.above[0]) / slope, math.tau / abs(slope)))
        return found


def is_number(level: float) -> bool:
    """Whether a level is finite, also beyond the range of doubles."""
    return isinstance(level, ExactPlace) or math.isfinite(level)


def _number(leaf: Any, value: float) -> _Form | None:
    """A leaf as a form, exactly where it is a fraction; None where it is not finite."""
    ratio = leaf.ratio if leaf.is_constant else None
    number = Fraction(*ratio) if ratio else fraction_of(value)
    if number is None:
        return _Form.number(near(value), exact=False)
    return _Form.number(number, exact=ratio is not None or not leaf.is_constant)


_SOLVED: dict[Operation, Callable[..., float]] = {
    NEG: lambda i, level: applied(NEG, level),
    ADD: lambda i, level, other: applied(SUB, level, other),
    SUB: lambda i, level, other: (
        applied(SUB, other, level) if i else applied(ADD, level, other)
    ),
    MUL: lambda i, level, other: applied(DIV, level, other),
    DIV: lambda i, level, other: (
        applied(DIV, other, level) if i else applied(MUL, level, other)
    ),
}
"""Arithmetic solved for the operand with number i, which the other operand does not depend on."""

_PI = ExactPlace(Constant(math.pi, "pi"), math.pi)


def _turned(angle: float, halves: int) -> float:
    """An angle with so many half turns."""
    if not halves:
        return angle
    return applied(ADD, angle, applied(MUL, float(halves), _PI))


def exact_inverse(
    operation: Operation,
    index: int,
    others: Sequence[float],
    level: float,
    double: float,
) -> float:
    """The place next to a double at which the operation is exactly at the level; the double where none is known."""
    if double.is_integer() and _gives(operation, index, others, level, double):
        return double
    try:
        found = _candidates(operation, index, others, level, double)
    except ARITHMETIC:
        return double
    nearest = min(found, key=lambda x: abs(x - double), default=double)
    close = math.isclose(nearest, double, rel_tol=1e-9, abs_tol=1e-12)
    return nearest if close or double == nearest else double


def _gives(
    operation: Operation,
    index: int,
    others: Sequence[float],
    level: float,
    double: float,
) -> bool:
    """Whether the operation is surely at the level at a whole number."""
    if operation is POW and index:
        base, exact = fraction_of(others[0]), fraction_of(level)
        return bool(base) and power(base, Fraction(double)) == exact  # type: ignore[arg-type] # not None
    arguments = [float(x) for x in others]
    arguments.insert(index, double)
    try:
        return type(level) is float and operation.kernel(*arguments) == level
    except ARITHMETIC:
        return False


def _candidates(
    operation: Operation,
    index: int,
    others: Sequence[float],
    level: float,
    double: float,
) -> list[float]:
    """Places at which the operation is at the level."""
    inverse = _inverse(operation)
    if operation is ABS:
        return [level, applied(NEG, level)]
    if operation is SQRT:
        return [applied(MUL, level, level)]
    if operation is POW and index:
        return [applied(DIV, applied(LN, level), applied(LN, *others))]
    if operation is POW:
        size, [exponent] = level if level > 0 else applied(NEG, level), others
        if float(exponent).is_integer() and exponent > 0:
            root = rooted(size, int(exponent))
        else:
            root = applied(POW, size, applied(DIV, 1.0, exponent))
        return [root, applied(NEG, root)]
    if inverse is None:
        return []
    root = applied(inverse, level)
    both = [root, applied(NEG, root)]
    if operation.angle:
        both = [_turned(x, round((double - x) / math.pi)) for x in both]
    return both


_ATOM, _ONE = (Fraction(0), Fraction(1)), (Fraction(1),)
"""An atom, and 1, as polynomials."""


class _Form:
    """A quotient of polynomials, lowest power first, in an atom; None is the atom of numbers.

    It is not `exact` where a coefficient stands for a number that is no fraction.
    """

    __slots__ = ("above", "atom", "below", "exact")

    def __init__(
        self,
        atom: int | None,
        above: Sequence[Fraction],
        below: Sequence[Fraction],
        exact: bool = True,
    ) -> None:
        self.above, self.below, self.exact = _trimmed(above), _trimmed(below), exact
        if max(len(self.above), len(self.below)) > MOST_DEGREE + 1:
            raise ValueError("the degree is too high")
        self.atom = None if len(self.above) < 2 and len(self.below) == 1 else atom

    @classmethod
    def atom_of(cls, atom: int) -> _Form:
        """The atom itself."""
        return cls(atom, _ATOM, _ONE)

    @classmethod
    def number(cls, number: Fraction, exact: bool = True) -> _Form:
        """A number."""
        return cls(None, (number,), _ONE, exact)

    def _common(self, other: _Form) -> int | None:
        if None not in (self.atom, other.atom) and self.atom != other.atom:
            raise ValueError("two atoms")
        return other.atom if self.atom is None else self.atom

    def __add__(self, other: _Form) -> _Form:
        atom, exact = self._common(other), self.exact and other.exact
        if self.below == other.below:
            return _Form(atom, _sum(self.above, other.above), self.below, exact)
        crossed = _product(self.above, other.below), _product(other.above, self.below)
        return _Form(atom, _sum(*crossed), _product(self.below, other.below), exact)

    def __neg__(self) -> _Form:
        return _Form(self.atom, [-c for c in self.above], self.below, self.exact)

    def __sub__(self, other: _Form) -> _Form:
        return self + -other

    def __mul__(self, other: _Form) -> _Form:
        above, below = (
            _product(self.above, other.above),
            _product(self.below, other.below),
        )
        exact = self.exact and other.exact
        return _Form(self._common(other), above, below, exact)

    def __truediv__(self, other: _Form) -> _Form:
        if not other.above:
            raise ZeroDivisionError
        above, below = (
            _product(self.above, other.below),
            _product(self.below, other.above),
        )
        exact = self.exact and other.exact
        return _Form(self._common(other), above, below, exact)

    def __pow__(self, other: _Form) -> _Form:
        if other.atom is not None or not other.exact or not other.above:
            raise ValueError("not a whole exponent")
        exponent = other.above[0] / other.below[0]
        if self.atom is None and self.exact and self.above:
            found = power(self.above[0] / self.below[0], exponent)
            if found is not None:
                return _Form.number(found)
        if exponent.denominator != 1:
            raise ValueError("not a whole exponent")
        count = int(exponent)
        one = _Form.number(Fraction(1))
        if abs(count) > MOST_DEGREE:
            raise ValueError("the degree is too high")
        result = one
        for _ in range(abs(count)):
            result = result * self
        return one / result if count < 0 else result

    def solved(self, level: float) -> list[float]:
        """The values of the atom with which the quotient is at the level."""
        if self.below == _ONE and self.above == _ATOM:
            return [level]
        exact = fraction_of(level)
        try:
            if exact is None:
                return self._solved(level)
            scaled = [-exact * c for c in self.below]
            return real_roots(_trimmed(_sum(self.above, scaled)))
        except ARITHMETIC:
            return []

    def _solved(self, level: float) -> list[float]:
        """The same for a level that is no fraction: a linear equation exactly, and that of a power alone."""
        pairs = itertools.zip_longest(self.above, self.below, fillvalue=Fraction(0))
        own = [
            applied(SUB, applied(MUL, level, placed(b)), placed(a)) if b else placed(-a)
            for a, b in pairs
        ]
        degree = len(own) - 1
        if any(own[1:-1]) or not own[-1]:
            return real_roots(_trimmed([near(c) for c in own]))
        right = applied(DIV, own[0], applied(NEG, own[-1]))
        if degree == 1:
            return [right]
        if degree % 2 == 0 and right < 0:
            return []
        root = rooted(right, degree)
        return [root] if degree % 2 else [root, applied(NEG, root)]


def _trimmed(coefficients: Sequence[Fraction]) -> tuple[Fraction, ...]:
    own = tuple(coefficients)
    while own and not own[-1]:
        own = own[:-1]
    return own


def _sum(p: Sequence[Fraction], q: Sequence[Fraction]) -> list[Fraction]:
    return [a + b for a, b in itertools.zip_longest(p, q, fillvalue=Fraction(0))]


def _product(p: Sequence[Fraction], q: Sequence[Fraction]) -> list[Fraction]:
    if len(q) == 1 and q[0] == 1:
        return list(p)
    result = [Fraction(0)] * (len(p) + len(q) - 1) if p and q else []
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            result[i + j] += a * b
    return result


def _slope(p: Sequence[Fraction]) -> list[Fraction]:
    return [k * c for k, c in enumerate(p)][1:]


def _value(p: Sequence[Fraction], x: Fraction) -> Fraction:
    total = Fraction(0)
    for c in reversed(p):
        total = total * x + c
    return total


def real_roots(p: Sequence[Fraction]) -> list[float]:
    """The real zeros of a polynomial, lowest power first: by formula, or between those of its derivative.

    Those of a linear or quadratic one are exact places; so are fractions and those of x^n - c.
    """
    if len(p) < 2:
        return []
    if len(p) == 2:
        return [placed(-p[0] / p[1])]
    if len(p) == 3:
        return _quadratic(*p)
    if not any(p[1:-1]):
        return _pure(-p[0] / p[-1], len(p) - 1)
    if not any(p[1::2]):
        roots = [rooted(t, 2) for t in real_roots(p[::2]) if t >= 0]
        return [x for root in roots for x in (root, applied(NEG, root))]
    once = _without_multiples(p)
    if len(once) < len(p):
        return real_roots(once)
    return [_as_fraction(p, x) for x in _searched_roots(p)]


def _without_multiples(p: Sequence[Fraction]) -> Sequence[Fraction]:
    """A polynomial that has each zero of another once."""
    from flint import fmpq, fmpq_poly

    whole = fmpq_poly([fmpq(c.numerator, c.denominator) for c in p])
    once = whole // whole.gcd(whole.derivative())
    return [Fraction(int(c.p), int(c.q)) for c in once.coeffs()]


def _pure(number: Fraction, degree: int) -> list[float]:
    """The real numbers with that power."""
    if number < 0 and degree % 2 == 0:
        return []
    root = rooted(placed(number), degree)
    return [root, applied(NEG, root)] if number and degree % 2 == 0 else [root]


def _as_fraction(p: Sequence[Fraction], x: float) -> float:
    """A zero of a polynomial as a short fraction, if it is one."""
    short = Fraction(x).limit_denominator(10**5)
    if abs(x) > 1e12 or not math.isclose(short, x, rel_tol=1e-6):
        return x
    return x if _value(p, short) else placed(short)


def _searched_roots(p: Sequence[Fraction]) -> list[float]:
    """The same by searching, as doubles."""
    scale = max(map(abs, p))
    own = [float(c / scale) for c in p]
    if not own[-1]:
        return []
    turning = list(map(float, real_roots(_slope(p))))
    bound = 1 + max(abs(c / own[-1]) for c in own[:-1])

    def value(x: float) -> float:
        total = 0.0
        for c in reversed(own):
            total = total * x + c
        return total

    places = sorted({-bound, bound, *(x for x in turning if abs(x) < bound)})
    found = list(sign_changes([(x, value(x)) for x in places], value))
    noise = 1e-13
    return found + [
        x
        for x in turning
        if abs(value(x))
        <= noise * sum(abs(c) * min(abs(x) ** k, 1e300) for k, c in enumerate(own))
    ]


def _quadratic(c: Fraction, b: Fraction, a: Fraction) -> list[float]:
    """h - sqrt(q) and h + sqrt(q)."""
    h = -b / (2 * a)
    q = h * h - c / a
    if q < 0:
        return []
    if not q:
        return [placed(h)]
    root = rational_root(q, 2)
    if root is not None:
        return [placed(h - root), placed(h + root)]
    # of the two sums, that which does not cancel is close in doubles
    size = Fraction(math.isqrt(q.numerator * q.denominator << 128), q.denominator << 64)
    far = h + size if h > 0 else h - size
    low, high = sorted((float(placed(far)), float(placed(c / (a * far)))))
    whole = node(SQRT, (exactly(q),))
    if not h:
        return [ExactPlace(node(NEG, (whole,)), low), ExactPlace(whole, high)]
    sums = ((operation, exactly(h)) for operation in (SUB, ADD))
    return [
        ExactPlace(node(operation, (first, whole)), double)
        for (operation, first), double in zip(sums, (low, high), strict=True)
    ]


_DENSE = [k / 8 for k in range(1, 65)]
_FAR = [2.0 ** (k / 2) for k in range(7, 400)]
_SMALL = [2.0**-k for k in range(4, 400, 3)]
_SCAN = sorted({s * x for x in (*_DENSE, *_FAR, *_SMALL) for s in (-1, 1)} | {0.0})
_TURN = [math.pi * k / 32 for k in range(-32, 33)]


@lru_cache(1000)
def inverses(
    operation: Operation, index: int, own: tuple[float, ...], level: float
) -> tuple[float, ...]:
    """Where an operation is at a level along one argument: once in a period, if it takes an angle."""
    known = _undone(operation, index, own, level)
    if known is not None:
        return known

    def distance(u: float) -> float | None:
        try:
            found = operation.kernel(*own[:index], u, *own[index + 1 :])
        except ARITHMETIC:
            return None
        return float(found) - level

    values = [(u, distance(u)) for u in (_TURN if operation.angle else _SCAN)]
    found = set(sign_changes(values, distance, 6))
    for a, b, c in zip(values, values[1:], values[2:], strict=False):
        if _dips(a[1], b[1], c[1]):
            found.update(_touched(distance, a[0], c[0], b[0]))
    return tuple(sorted(found, key=abs)[:8])


def _undone(
    operation: Operation, index: int, own: tuple[float, ...], level: float
) -> tuple[float, ...] | None:
    """The same by the function that undoes the operation; None where that is not known."""
    inverse = _inverse(operation)
    try:
        if operation is ABS:
            found: set[float] = {level, -level} if level >= 0 else set()
        elif operation is SQRT:
            found = {level * level} if level >= 0 else set()
        elif operation is POW and index == 0 and own[1]:
            found = set(_bases(own[1], level))
        elif operation is POW and index == 1 and own[0] > 0 != own[0] - 1:
            found = {math.log(level) / math.log(own[0])} if level > 0 else set()
        elif inverse is not None and not operation.angle:
            u = inverse.kernel(level)
            found = {u, -u} if operation.parity == EVEN else {u}
        else:
            return None
        arguments = [(*own[:index], u, *own[index + 1 :]) for u in found]
        values = [operation.kernel(*each) for each in arguments]
    except ARITHMETIC:
        return None
    if all(math.isclose(v, level, rel_tol=1e-9, abs_tol=1e-12) for v in values):
        return tuple(sorted(found, key=abs))
    return None


def _bases(exponent: float, level: float) -> tuple[float, ...]:
    """The numbers that have this power; other exponents than whole ones take no negative base."""
    if not level:
        return (0.0,) if exponent > 0 else ()
    size = abs(level) ** (1 / exponent)
    if level < 0:
        return (-size,) if exponent % 2 == 1 else ()
    return (size, -size) if exponent % 2 == 0 else (size,)


@cache
def _inverse(operation: Operation) -> Operation | None:
    """The function of one argument that undoes another."""
    if operation.inverse:
        return TABLE[operation.inverse]
    own = (row for row in TABLE.values() if row.inverse == operation.name)
    return next(own, None)


def _dips(u: float | None, v: float | None, w: float | None) -> bool:
    """Whether a function of one sign comes nearest to 0 at the middle one of three places."""
    if not (u and v and w) or not (u < 0) == (v < 0) == (w < 0):
        return False
    return abs(v) <= min(abs(u), abs(w)) and abs(v) < max(abs(u), abs(w))


def _touched(value: Function, a: float, c: float, middle: float) -> Iterator[float]:
    """Where a function reaches 0 around the place between a and c at which it comes nearest to it."""
    low, high = a, c
    for _ in range(90):
        third = (high - low) / 3
        u, v = value(low + third), value(high - third)
        if u is None or v is None:
            return
        low, high = (low, high - third) if abs(u) <= abs(v) else (low + third, high)
        if (u < 0) != ((value(a) or 0) < 0):
            middle = low + third
            break
        middle = (low + high) / 2
    here, start = value(middle), value(a)
    if here is None or start is None:
        return
    if here and (here < 0) != (start < 0):
        yield _bisected(value, a, middle, start)
        yield _bisected(value, middle, c, here)
    elif abs(here) <= 1e-13 * (1 + abs(start)):
        yield middle


def sign_changes(
    values: Sequence[tuple[float, float | None]],
    value: Function,
    most: int | None = None,
) -> Iterator[float]:
    """Zeros of a function among these points and between those where it changes its sign.

    With `most`, so many of them next to 0.
    """
    brackets = []
    for (a, u), (b, v) in itertools.pairwise(values):
        if u == 0:
            brackets.append((a, a, u))
        elif u and v and (u < 0) != (v < 0):
            brackets.append((a, b, u))
    brackets.sort(key=lambda bracket: min(abs(bracket[0]), abs(bracket[1])))
    return (_bisected(value, *bracket) for bracket in brackets[:most])


def _bisected(value: Function, a: float, b: float, at_a: float) -> float:
    """A zero, or a jump over it, between a and b."""
    while a < (middle := (a + b) / 2) < b:
        here = value(middle)
        if not here:
            return middle
        a, b = (middle, b) if (here < 0) == (at_a < 0) else (a, middle)
    return min(a, b, key=lambda x: abs(value(x) or 0.0))
