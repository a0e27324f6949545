"""The places where a part of an expression reaches a level along one variable, solved from its structure.

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
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache

from exprgrad.algebra import polynomials
from exprgrad.algebra.field import Element, Field
from exprgrad.algebra.roots import factors, roots_of_factor, value_at
from exprgrad.algebra.work import BITS, OutOfReachError, Work
from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import places
from exprgrad.checking.zeros import zeros
from exprgrad.graph.sweep import forward
from exprgrad.graph.value import Constant, node
from exprgrad.lazy import computed_once
from exprgrad.operations.number_types import CAREFUL
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation
from exprgrad.operations.table import ABS, ADD, DIV, LN, MOD, MUL, NEG, POW, SQRT, SUB
from exprgrad.sweeps.coordinates import Coordinate, ExactPlace, exactly, substituted
from exprgrad.sweeps.tape import Tape

MOST_DEGREE = 8
READING_WORK = 50_000
"""For the quotients of one expression, and the factors of a polynomial; products of monomials."""

ISOLATION_WORK = 10**6
"""For the zeros of one polynomial; operations on bits."""

MOST_SOLVED = 200
"""Equations that one level may lead to."""

SOLVED_WORK, SCANNED_WORK = 200, 1500
"""What one of them takes, and more where a function is not undone by another; in visits of operations."""

TURNS = (0, -1, 1, -2, 2)
"""Periods beside an anchor in which an angle is looked for."""

QUOTIENTS = (0, 1, -1, 2, -2, 3, -3, 4, -4)
"""Quotients of divisions with a remainder that are looked at: those next to 0."""


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
        self.field = Field(Work(READING_WORK))
        self.forms = self._read()
        self._near: dict[float, Sequence[Any]] = {}
        self.anchors: Sequence[float] = (0.0,)
        self.is_cut = False
        self.spent = 0

    def _read(self) -> list[Quotient | None]:
        """Every node as a quotient; an atom where it is not one. None for a constant that has no value."""
        forms: list[Quotient | None] = [None] * len(self.tape.nodes)
        for i, value in enumerate(self.values):
            leaf = self.tape.nodes[i]
            if leaf.operation is None and isinstance(value, float):
                ratio = leaf.ratio if leaf.is_constant else None
                number = Fraction(*ratio) if ratio else places.fraction_of(value)
                exact = number is not None and bool(ratio or not leaf.is_constant)
                number = places.near(value) if number is None else number
                forms[i] = self._quotient(self.field.element(number), exact)
        forms[self.variable] = self._atom(self.variable)
        known: dict[Any, int] = {}
        for step in self.tape.steps:
            own = [forms[j] for j in step.operands]
            form = self._form(step.operation, own)
            value = self.values[step.node]
            if form is None and self.active[step.node]:
                # so sin(x) is one atom, however many nodes of the graph are sin(x)
                keys = (j if f is None else f.key for f, j in zip(own, step.operands, strict=True))  # fmt: skip
                form = self._atom(known.setdefault((step.operation, *keys), step.node))
            elif form is None and isinstance(value, float) and not math.isinf(value):
                # it does not depend on the variable, and is no fraction that is known
                form = self._quotient(self.field.element(Fraction(value)), exact=False)
            forms[step.node] = form
        return forms

    def _atom(self, node: int) -> Quotient:
        """A node by itself."""
        return Quotient(self.field.of(self.field.atom("node", node)), node, exact=True)

    def _form(
        self, operation: Operation, own: Sequence[Quotient | None]
    ) -> Quotient | None:
        """An operation on quotients; None where that is none."""
        known = [form for form in own if form is not None]
        is_power = operation.rule == POW.rule
        if len(known) < len(own) or not (operation.native or is_power):
            return None
        elements: list[Any] = [form.element for form in known]
        exact = all(form.exact for form in known)
        kernel: Any = operation.kernel
        try:
            if not is_power:
                return self._quotient(kernel(*elements), exact)
            base, count = elements[0].rational, elements[1].rational
            if count is None or not known[1].exact:
                return None
            found = None
            if base and known[0].exact:
                found = places.power(Fraction(base), Fraction(count))
            power = elements[0] ** elements[1] if found is None else self.field.element(found)  # fmt: skip
            return self._quotient(power, exact)
        except (TypeError, ValueError, OutOfReachError, *ARITHMETIC):
            return None

    def _quotient(self, u: Element, exact: bool) -> Quotient | None:
        """An element as a quotient of polynomials; None where it has two atoms or a high degree."""
        self.field.factor(u)
        atoms: set[int] = set()
        # of a root, exponents are fractions
        above, below = Fraction(0), Fraction(0)
        for factor, exponent in u.factors.items():
            p = self.field.sums.get(factor, polynomials.in_one(factor, (0, 1)))
            degree = max(int(e) for monomial in p for _, e in monomial)
            atoms |= {*polynomials.generators(p)}
            above += max(0, exponent * degree)
            below += max(0, -exponent * degree)
        if len(atoms) > 1 or max(above, below) > MOST_DEGREE:
            return None
        node: Any = self.field.atoms[next(iter(atoms))].meaning if atoms else None
        return Quotient(u, node, exact)

    def solve(
        self, level: float, anchors: Sequence[float] = (0.0,)
    ) -> tuple[list[float], list[tuple[int, float]]]:
        """Return where the root is at the level, and nodes that mix atoms, each with the level to search for."""
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
            # it is at that level nowhere, or the budget of the call is spent before its own
            with contextlib.suppress(*ARITHMETIC, OutOfReachError):
                # in pi*x + 1 a double stands for pi; undone step by step, it leads to -1/pi, which is exact
                step = None if form.exact else self.steps.get(part)
                if step is not None and sum(self.active[j] for j in step.operands) == 1:
                    self._undo(part, level, todo, mixed)
                    continue
                for t in form.solved(level):
                    if form.atom == self.variable:
                        found[t] = None
                    else:
                        self._undo(form.atom, t, todo, mixed)
        return list(found), mixed

    def _constant(self, part: int) -> float:
        """A part that does not depend on the variable, as a place."""
        form = self.forms[part]
        if form is not None and form.exact:
            return places.placed(Fraction(form.element.number))
        at = {name: Coordinate.of(x) for name, x in self.at.items()}
        return places.valued(substituted(self.tape.nodes[part], at), self.values[part])

    def _undo(self, atom: int, level: float, todo: list[Any], mixed: list[Any]) -> None:
        """From f(u) = level to the levels of u."""
        step = self.steps[atom]
        varying = [i for i, j in enumerate(step.operands) if self.active[j]]
        if len(varying) == 1:
            [i] = varying
            operation, operand = step.operation, step.operands[i]
            still = [j for j in step.operands if not self.active[j]]
            if not all(isinstance(self.values[j], float) for j in still):
                return  # there is no value anywhere along the line
            others = [self._constant(j) for j in still]
            if operation in _SOLVED:
                todo.append((operand, _SOLVED[operation](i, level, *others)))
                return
            if operation.angle or not (operation is MOD or _inverse(operation)):
                self.spent += SCANNED_WORK
            for u in Argument(operation, i, tuple(others)).inverses(level):
                turns = self._turns(operand, u) if operation.angle else (u,)
                todo += [(operand, turned) for turned in turns]
        elif step.operation in (MUL, DIV) and not level:
            # a product is 0 where either operand is, a quotient where the first one is
            todo += [(j, 0.0) for j in step.operands[: 1 + (step.operation is MUL)]]
        else:
            mixed.append((atom, level))

    def _turns(self, operand: int, angle: float) -> Iterator[float]:
        """The angle in the periods that the operand is in near the anchors."""
        turns: dict[int, None] = {}
        for x in self.anchors:
            if x not in self._near:
                inputs = self.tape.inputs({**self.at, self.name: x})
                self._near[x] = forward(self.tape.steps, CAREFUL, inputs)
            value = self._near[x][operand]
            # beyond, doubles are too far apart to say where in its period an angle is
            if isinstance(value, float) and abs(value) < 1e15:
                here = round((value - angle) / math.tau)
                turns.update((here + more, None) for more in TURNS)
        return (_turned(angle, 2 * turn) for turn in turns)

    def extremes(self) -> list[float]:
        """Return where the root has a slope of 0, if it is a quotient of polynomials in the variable."""
        form = self.forms[self.tape.root]
        if form is None or form.atom != self.variable:
            return []
        above, below = form.rows
        # of a*x^i / (b*x^j), the numerator of the slope is (i - j)*a*b*x^(i + j - 1)
        slope: list[polynomials.Rational] = [0] * (len(above) + len(below))
        terms = itertools.product(enumerate(above), enumerate(below))
        for (i, a), (j, b) in terms:
            slope[i + j - 1] += (i - j) * a * b
        return real_roots(slope)

    def at_place(self, x: float) -> Fraction | None:
        """The root at a place, if it is a quotient of polynomials in the variable; None at a pole."""
        form = self.forms[self.tape.root]
        if form is None or form.atom != self.variable:
            return None
        here = places.near(x)
        above, below = (value_at(row, here) for row in form.rows)
        return above / below if below else None

    def periods(self) -> list[tuple[float, float]]:
        """Return where angles that are linear in the variable are 0, and how long their periods are."""
        found = []
        for step in self.tape.steps:
            form = self.forms[step.operands[0]] if step.operation.angle else None
            if form and form.atom == self.variable:
                above, below = form.rows
                if (len(above), len(below)) == (2, 1):
                    slope = float(Fraction(above[1]) / below[0])
                    found.append((-float(above[0]) / slope, math.tau / abs(slope)))
        return found


def is_number(level: float) -> bool:
    """Return whether a level is finite, also beyond the range of doubles."""
    return isinstance(level, ExactPlace) or math.isfinite(level)


_SOLVED: dict[Operation, Callable[..., float]] = {
    NEG: lambda i, level: places.applied(NEG, level),
    ADD: lambda i, level, other: places.applied(SUB, level, other),
    SUB: lambda i, level, other: (
        places.applied(SUB, other, level) if i else places.applied(ADD, level, other)
    ),
    MUL: lambda i, level, other: places.applied(DIV, level, other),
    DIV: lambda i, level, other: (
        places.applied(DIV, other, level) if i else places.applied(MUL, level, other)
    ),
}
"""Arithmetic solved for the operand with number i, which the other operand does not depend on."""

_PI = ExactPlace(Constant(math.pi, "pi"), math.pi)


def _turned(angle: float, halves: int) -> float:
    """An angle with so many half turns."""
    if not halves:
        return angle
    return places.applied(ADD, angle, places.applied(MUL, float(halves), _PI))


class Argument(NamedTuple):
    """An operation along the argument with this number, the others given."""

    operation: Operation
    number: int
    others: tuple[float, ...]

    def value(self, u: float) -> float | None:
        """The operation there, in doubles; None where it has no value."""
        before, behind = self.others[: self.number], self.others[self.number :]
        try:
            return float(self.operation.kernel(*map(float, (*before, u, *behind))))
        except ARITHMETIC:
            return None

    def inverses(self, level: float) -> list[float]:
        """The places at which the operation is at a level: once in a period, if it takes an angle."""
        if self.operation is MOD:
            return list(self._of_remainder(level))
        try:
            known = self._undone(level)
        except ARITHMETIC:
            known = None
        found: list[float] = []
        if known is not None and not self.operation.angle:
            for u in known:
                value = self.value(u)
                # both signs were given: cosh is at the level at either, tanh at one
                if value is not None and math.isclose(value, float(level), rel_tol=1e-9, abs_tol=1e-12):  # fmt: skip
                    found.append(u)
        else:
            doubles = self._replace(others=tuple(map(float, self.others)))
            for double in _scanned(doubles, float(level)):
                # the known place next to it, or some half turns away
                turned = (_turned(x, round((double - x) / math.pi)) for x in known or ())  # fmt: skip
                u = min(turned, key=lambda x, d=double: abs(x - d), default=double)  # type: ignore[misc] # bound now
                close = math.isclose(u, double, rel_tol=1e-9, abs_tol=1e-12)
                found.append(u if close else double)
        plain = {float(u) if self._is_whole(level, u) else u for u in found}
        return sorted(plain, key=abs)

    def _of_remainder(self, level: float) -> Iterator[float]:
        """Yield where x is k*y + level along x or y, or where x mod y jumps over the level; next to 0 first."""
        [other] = self.others
        for k, own in itertools.product(QUOTIENTS, (level, 0.0) if level else (0.0,)):
            if not self.number:
                place = places.applied(ADD, own, places.applied(MUL, float(k), other))
            elif k:
                place = places.applied(DIV, places.applied(SUB, other, own), float(k))
            else:
                continue
            divisor = place if self.number else other
            # a remainder has the sign of its divisor and is smaller
            if level * divisor >= 0 and abs(level) < abs(divisor):
                yield place

    def _is_whole(self, level: float, u: float) -> bool:
        """Return whether the operation is surely at the level at a whole number."""
        whole = float(u)
        if not whole.is_integer():
            return False
        if self.operation is POW and self.number:
            base, exact = map(places.fraction_of, (*self.others, level))
            return bool(base) and places.power(base, Fraction(whole)) == exact  # type: ignore[arg-type] # not None
        return type(level) is float and self.value(whole) == level

    def _undone(self, level: float) -> list[float] | None:
        """Places among which are all at the level, of angles but for half turns; None if not known."""
        operation, others = self.operation, self.others
        inverse = _inverse(operation)
        if operation is ABS:
            root = level
        elif operation is SQRT:
            return [places.applied(MUL, level, level)]
        elif operation is POW and self.number:
            logarithms = places.applied(LN, level), places.applied(LN, *others)
            return [places.applied(DIV, *logarithms)]
        elif operation is POW and not level:
            return [0.0]
        elif operation is POW:
            size, [exponent] = (
                level if level > 0 else places.applied(NEG, level),
                others,
            )
            if float(exponent).is_integer() and exponent > 0:
                root = places.rooted(size, int(exponent))
            else:
                root = places.applied(POW, size, places.applied(DIV, 1.0, exponent))
        elif inverse is None:
            return None
        else:
            root = places.applied(inverse, level)
        return [root, places.applied(NEG, root)]


class Quotient:
    """An element that is a quotient of polynomials in an atom; None is the atom of numbers.

    It is not `exact` where a coefficient stands for a number that is no fraction.
    """

    def __init__(self, element: Element, atom: int | None, exact: bool) -> None:
        self.element, self.atom, self.exact = element, atom, exact

    @property
    def key(self) -> Hashable:
        """Return what equal quotients share."""
        return self.element.number, frozenset(self.element.factors.items())

    @computed_once
    def rows(
        self,
    ) -> tuple[Sequence[polynomials.Rational], Sequence[polynomials.Rational]]:
        """The coefficients above and below, the lowest power first."""
        above, below = self.element.field.fraction(self.element)
        return polynomials.coefficients(above), polynomials.coefficients(below)

    def solved(self, level: float) -> list[float]:
        """The values of the atom with which the quotient is at the level."""
        exact = places.fraction_of(level)
        pairs = itertools.zip_longest(*self.rows, fillvalue=0)
        if exact is not None:
            return real_roots([a - exact * b for a, b in pairs])
        own = []  # the coefficients of level*below - above
        for a, b in pairs:
            c = places.placed(Fraction(-a))
            if b:
                scaled = places.applied(MUL, level, places.placed(Fraction(b)))
                c = places.applied(SUB, scaled, places.placed(Fraction(a)))
            own.append(c)
        if any(own[1:-1]) or not own[-1]:
            return real_roots([places.near(c) for c in own])
        number = places.applied(DIV, own[0], places.applied(NEG, own[-1]))
        return _pure(number, len(own) - 1)


def _pure(number: float, degree: int) -> list[float]:
    """The real places with that power."""
    if degree == 1:
        return [number]
    if number < 0 and degree % 2 == 0:
        return []
    root = places.rooted(number, degree)
    return [root, places.applied(NEG, root)] if number and degree % 2 == 0 else [root]


def real_roots(p: Sequence[polynomials.Rational]) -> list[float]:
    """The real zeros of a polynomial, lowest power first, as places.

    Fractions, and the zeros of a factor that is quadratic, or one in x^n, are exact.
    """
    own = factors(p, Work(READING_WORK)) if any(p) else []
    return [x for factor in own for x in _roots_of_factor(factor)]


def _roots_of_factor(p: Sequence[int]) -> list[float]:
    """The same for an irreducible polynomial."""
    if not any(p[1:-1]):
        return _pure(places.placed(Fraction(-p[0], p[-1])), len(p) - 1)
    # a polynomial in x^2: of x^4 - 10x^2 + 1 the squares of the roots are 5 ± 2*sqrt(6), which are exact
    if len(p) > 3 and not any(p[1::2]):
        roots = [places.rooted(t, 2) for t in _roots_of_factor(p[::2]) if t >= 0]
        return [x for root in roots for x in (root, places.applied(NEG, root))]
    try:
        isolated = roots_of_factor(tuple(p), Work(ISOLATION_WORK, BITS))
    except OutOfReachError:
        return []
    found = sorted(root.near for root in isolated)
    if len(p) > 3:
        return found
    # two or none: an irreducible polynomial has no double root, and where its roots are complex none were found
    c, b, a = p
    middle = Fraction(-b, 2 * a)
    both = exactly(middle), node(SQRT, (exactly(middle**2 - Fraction(c, a)),))
    return [
        ExactPlace(node(operation, both), double)
        for operation, double in zip((SUB, ADD), found, strict=False)
    ]


_DENSE = [k / 8 for k in range(1, 65)]
_FAR = [2.0 ** (k / 2) for k in range(7, 400)]
_SMALL = [2.0**-k for k in range(4, 400, 3)]
_SCAN = sorted({s * x for x in (*_DENSE, *_FAR, *_SMALL) for s in (-1, 1)} | {0.0})
_TURN = [math.pi * k / 32 for k in range(-32, 33)]


@lru_cache(1000)
def _scanned(along: Argument, level: float) -> tuple[float, ...]:
    """Return where an operation is at a level along one argument, as far as a search finds it."""

    def distance(u: float) -> float | None:
        value = along.value(u)
        return None if value is None else value - level

    values = [(u, distance(u)) for u in (_TURN if along.operation.angle else _SCAN)]
    return tuple(sorted(set(zeros(values, distance, 6)), key=abs)[:8])


@cache
def _inverse(operation: Operation) -> Operation | None:
    """The function of one argument that undoes another."""
    if operation.inverse:
        return TABLE[operation.inverse]
    return next((row for row in TABLE.values() if row.inverse == operation.name), None)
