"""The zeros of formulas, and whether all of them are known: solved for where that can be done, otherwise searched.

    Search("x").zeros(root).found          the zeros, exact where they can be written: 1/2, (1 + sqrt(5))/2
    Search("x").zeros(root).complete       whether it is known that there are no others

    common_zeros([x^2 - y, y^2 - x], ("x", "y")).points      (0, 0) and (1, 1)
    common_zeros([exp(x) - 2*exp(-x)], ("x",)).points        ln(2)/2
    common_zeros([cos(x) - 1/2], ("x",)).points              -pi/3 and pi/3, which repeat every 2*pi

Formulas are read as polynomials in atoms: a variable, exp or ln of it, sine and cosine of an angle, a root. The factors
of each give systems, one for every choice, in which the atoms have relations, S^2 + C^2 = 1 or R^2 = x, and signs.

A product has the zeros of its factors. What is not solved for is searched: a formula that rises or falls throughout a
piece has at most one zero there, and pieces whose values are bounded away from 0 have none.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from exprgrad.algebra.polynomials import (
    Polynomial,
    Rational,
    accumulate,
    irreducible_factors,
    primitive,
    units_of,
)
from exprgrad.algebra.roots import Root
from exprgrad.algebra.systems import Dense, solutions
from exprgrad.algebra.work import BITS, OutOfReachError, Work
from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import STAGES, leave_out, share, spend
from exprgrad.checking import domain
from exprgrad.checking.zeros import sign_changes
from exprgrad.errors import ExprgradError
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.taylor import PI, added, at_place, has_variables, square_root
from exprgrad.graph.order import topological
from exprgrad.graph.rational import LARGEST, rational
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.operations.number_types import Fault, local_partial
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation
from exprgrad.operations.table import (
    ABS,
    ADD,
    CBRT,
    DIV,
    EXP,
    LN,
    MUL,
    NEG,
    POW,
    SIGN,
    SQRT,
    SUB,
)
from exprgrad.proof.elementary import ElementaryField, elements, vanishes
from exprgrad.proof.relations import Graphs
from exprgrad.sweeps.bounds import Bounds
from exprgrad.sweeps.coordinates import Interval
from exprgrad.sweeps.precise import Look, Probe
from exprgrad.sweeps.ranges import Range, everything, values
from exprgrad.sweeps.tape import Tape, primals

READING_WORK = 20_000
"""For the formulas; products of monomials."""

SOLVING_WORK = 10**7
"""For one system."""

MOST_NODES = 2000
MOST_SYSTEMS = 80
MOST_GENERATORS = 9

SMALLEST = 2.0**-1022
"""The smallest positive double with all its digits."""


class Zero(NamedTuple):
    """A zero: close to the double `near`, and `exact` as a graph where one is known."""

    near: float
    exact: Value | None

    @classmethod
    def of(cls, exact: Value) -> Zero:
        """A zero that is known exactly."""
        short = simplify(exact)
        return cls(value_of(short), short)

    @property
    def is_told(self) -> bool:
        """Return whether the double tells it from 0: -1e-400 has no double but that of 0."""
        is_zero = self.exact is not None and rational(self.exact) == 0
        return is_zero or abs(self.near) >= SMALLEST


class CommonZeros(NamedTuple):
    """The points at which formulas are 0, and after what each variable repeats, if it does.

    `is_finite` says that no others are 0, but for those that repeat; else there are curves of them.
    """

    points: list[dict[str, Zero]]
    periods: dict[str, Value]
    is_finite: bool

    def turns(self) -> dict[str, float]:
        """The periods as doubles."""
        return {name: value_of(length) for name, length in self.periods.items()}


def common_zeros(roots: Sequence[Value], names: Sequence[str]) -> CommonZeros:
    """Return where formulas are 0 together. Raises `OutOfReachError` where they are not of this kind, or too large."""
    items = [item for root in roots for item in topological(root)]
    if len(items) > MOST_NODES or any(
        i.operation and i.operation.choose for i in items
    ):
        raise OutOfReachError
    field = ElementaryField(Work(READING_WORK))
    variables = {field.atom("variable", name): name for name in names}
    # sin(x + y) is an atom with one variable only when taken apart into sines and cosines of x and of y
    if len(names) > 1:
        for atom in variables:
            field.take_angle(field.of(atom))
    choices = [_factors(field, u) for u in elements(roots, field)]
    systems = dict.fromkeys(map(frozenset, itertools.islice(itertools.product(*(c for c in choices if c is not None)), MOST_SYSTEMS + 1)))  # fmt: skip
    if len(systems) > MOST_SYSTEMS:
        raise OutOfReachError
    found = CommonZeros([], {}, True)
    for system in systems:
        own = _System(field, variables, [dict(p) for p in system]).solved()
        if own.points and found.points and own.turns() != found.turns():
            raise OutOfReachError  # some repeat, and others do not
        new = [p for p in own.points if not any(same_point(p, q) for q in found.points)]
        periods = own.periods if own.points else found.periods
        found = CommonZeros(found.points + new, periods, found.is_finite and own.is_finite)  # fmt: skip
    return found


def _factors(field: ElementaryField, u: Any) -> list[frozenset[Any]] | None:
    """The irreducible polynomials that are 0 where an element is; None for one that is 0 everywhere."""
    if not u.number:
        return None
    found: dict[frozenset[Any], None] = {}
    for atom, exponent in field.split(u)[1].items():
        kind, meaning, _ = field.atoms[atom]
        if kind == "abs" and isinstance(meaning, int):
            atom = meaning
        if exponent < 0 or _is_never_0(field, atom):
            continue
        _, monomial, rest = primitive(field.sums.get(atom, {((atom, 1),): 1}))
        for own, _ in monomial:
            if not _is_never_0(field, own):
                found[frozenset({((own, 1),): 1}.items())] = None
        for factor, _ in irreducible_factors(rest, Work(READING_WORK)):
            found[frozenset(factor.items())] = None
    return list(found)


def _is_never_0(field: ElementaryField, atom: int) -> bool:
    """Return whether an atom is not 0 where the formulas are defined, but for the sign of what may be: its corners are no zeros."""
    kind, meaning, _ = field.atoms[atom]
    is_sign = kind == "call" and isinstance(meaning, tuple) and meaning[0] is SIGN
    return is_sign or kind in ("exp", "constant", "prime") or field.is_nonzero(atom)


def _units(system: Sequence[Polynomial]) -> dict[int, int]:
    """The atoms of polynomials, and of which part of 1 all their exponents are multiples."""
    atoms = (atom for p in system for monomial in p for atom, _ in monomial)
    return dict.fromkeys(atoms, 1) | units_of(*system)


class _System:
    """Polynomials in atoms with their relations: what each variable is where all of them are 0."""

    def __init__(
        self,
        field: ElementaryField,
        variables: dict[int, str],
        system: list[Polynomial],
    ) -> None:
        self.field, self.variables, self.system = field, variables, system
        self.positive: set[int] = set()
        self.sources: dict[str, tuple[Any, ...]] = {}
        self.periods: dict[str, Value] = {}
        self._rates: dict[str, tuple[Value, Value]] = {}
        self._alone = self._linear_in_one() if len(variables) == 1 else None
        seen: set[int] = set()
        while self._alone is None:  # the relations of the atoms bring others
            units = _units(self.system)
            new = [atom for atom in units if atom not in seen]
            if not new:
                self.positive |= {atom for atom, unit in units.items() if unit > 1}
                break
            for atom in new:
                seen.add(atom)
                self._add(atom, *self.field.atoms[atom])

    def _linear_in_one(self) -> Value | None:
        """The one unknown of a linear equation, in which there may be numbers such as pi and ln(2)."""
        kinds = {atom: self.field.atoms[atom].kind for atom in _units(self.system)}
        unknown = [a for a, kind in kinds.items() if kind in ("variable", "exp", "ln") and has_variables(Graphs(self.field).atom(a))]  # fmt: skip
        if len(self.system) > 1 or len(unknown) != 1 or len(kinds) == 1:
            return None
        sums: list[Value] = [Constant(0), Constant(0)]
        for monomial, c in self.system[0].items():
            powers = dict(monomial)
            degree = powers.pop(unknown[0], 0)
            if degree not in (0, 1):
                return None
            term = self._product(powers.items(), c)
            sums[int(degree)] = node(ADD, (sums[int(degree)], term))
        self._add(unknown[0], *self.field.atoms[unknown[0]])
        return node(NEG, (node(DIV, (sums[0], sums[1])),))

    def _add(self, atom: int, kind: str, meaning: Any, nonnegative: bool) -> None:
        if kind in ("prime", "abs", "sin", "cos"):
            ruled = self.field.atom("sin", meaning) if kind == "cos" else atom
            rule = self.field.rules[ruled]
            image = rule.polynomial or self.field.image(rule.number, rule.factors)
            relation = accumulate({((ruled, rule.unit),): 1}, [(m, -c) for m, c in image.items()])  # fmt: skip
            self.system += [] if relation in self.system else [relation]
        if kind in ("abs", "exp"):
            self.positive.add(atom)
        if kind == "variable":
            self._source(self.variables.get(atom, ""), ("variable", atom))
        elif kind == "sum":
            self.system.append({**self.field.sums[atom], ((atom, 1),): -1})
        elif kind in ("cos", "sin"):
            cosine, sine = (self.field.atom(k, meaning) for k in ("cos", "sin"))
            self._angle(cosine, sine, meaning)
        elif kind == "exp":
            name, rate = self._linear(meaning)
            self._source(name, ("exp", atom, rate))
        elif kind == "ln" and meaning in self.variables:
            self._source(self.variables[meaning], ("ln", atom))
        elif kind not in ("prime", "abs"):
            raise OutOfReachError

    def _source(self, name: str, source: tuple[Any, ...]) -> None:
        """Note from what a variable is found; it is out of reach if there are two different ones."""
        if not name or self.sources.setdefault(name, source) != source:
            raise OutOfReachError

    def _linear(self, monomial: Any) -> tuple[str, Value]:
        """The variable of c*x and the number c, which is a product of atoms that are numbers."""
        own = [a for a, e in monomial if a in self.variables and e == 1][:1]
        rest = [power for power in monomial if power[0] not in own]
        return "".join(self.variables[a] for a in own), simplify(self._product(rest))

    def _product(
        self, powers: Iterable[tuple[int, Rational]], c: Rational = 1
    ) -> Value:
        """A number times powers of atoms. Raises `OutOfReachError` where one of these is no number."""
        try:
            found = Graphs(self.field).monomial(powers, c)
        except LookupError:
            raise OutOfReachError from None
        if has_variables(found):
            raise OutOfReachError
        return found

    def _angle(self, cosine: int, sine: int, angle: Any) -> None:
        """Note that a variable is found from the cosine and sine of c*x + d."""
        name, rate = "", None
        start: Value = Constant(0)
        for monomial, number in angle:
            own, c = self._linear(monomial)
            c = node(MUL, (fraction(number), c))
            if own and not name:
                name, rate = own, c
            elif not own:
                start = node(ADD, (start, c))
            else:
                raise OutOfReachError
        if rate is None:
            raise OutOfReachError
        self._source(name, ("angle", cosine, sine))
        period = node(DIV, (node(MUL, (Constant(2), PI)), rate))
        if value_of(period) < 0:
            period = node(NEG, (period,))
        self.periods[name] = simplify(period)
        self._rates[name] = rate, start

    def solved(self) -> CommonZeros:
        """The points, in the first half of a period on either side of 0 where they repeat."""
        if self._alone is not None:
            [name] = self.variables.values()
            zeros = self._undone(name, Zero.of(self._alone))
            return CommonZeros([{name: x} for x in zeros], {}, True)
        units = _units(self.system)
        atoms = sorted(units, reverse=True)
        # beside the parts of atoms that are generators, these themselves
        whole = [atom for atom in units if units[atom] > 1]
        generators = [*atoms, *whole]
        if len(generators) > MOST_GENERATORS:
            raise OutOfReachError
        dense: list[Dense] = []
        for p in self.system:
            scale = math.lcm(*(c.denominator for c in p.values()))
            total: Dense = {}
            for monomial, c in p.items():
                powers = dict(monomial)
                vector = (*(int(powers.get(a, 0) * units[a]) for a in atoms), *(0 for _ in whole))  # fmt: skip
                total[vector] = total.get(vector, 0) + int(c * scale)
            dense.append({v: c for v, c in total.items() if c})
        for i, atom in enumerate(whole, len(atoms)):
            part = atoms.index(atom)
            powered = tuple(units[atom] * (k == part) for k in range(len(generators)))
            dense.append({powered: 1, tuple(int(k == i) for k in range(len(generators))): -1})  # fmt: skip
        found = solutions(dense, Work(SOLVING_WORK, BITS)) if dense else None
        if found is None:
            return CommonZeros([], {}, False)
        if set(self.sources) != set(self.variables.values()):
            return CommonZeros([], {}, not found)
        signs = [i for i, atom in enumerate(atoms) if atom in self.positive]
        points: list[dict[str, Zero]] = []
        for roots in found:
            if any(roots[i].high < 0 for i in signs):
                continue
            by_atom = dict(zip(generators, roots, strict=True))
            own = [
                [(name, x) for x in self._zeros(name, by_atom) if x.near >= 0 or self.field.sign(atom) <= 0]
                for atom, name in self.variables.items()
            ]  # fmt: skip
            points += map(dict, itertools.product(*own))
        return CommonZeros(points, self.periods, True)

    def _zeros(self, name: str, roots: dict[int, Root]) -> list[Zero]:
        """Return what a variable is where the atoms have these values."""
        kind, atom, *more = self.sources[name]
        cosine = roots[atom]
        if kind != "angle":
            return self._undone(name, Zero(cosine.near, exact_root(cosine)))
        rate, start = self._rates[name]
        angle = _angle(cosine, roots[more[0]])
        per, length = self.periods[name], value_of(self.periods[name])
        near = (angle.near - value_of(start)) / value_of(rate)
        # half a period counts as minus half of one, also where its double lies just below
        turns = -math.floor((near + length / 2) / length + 1e-12)
        if angle.exact is None:
            return [Zero(near + turns * length, None)]
        exact = node(DIV, (node(SUB, (angle.exact, start)), rate))
        return [Zero.of(node(ADD, (exact, node(MUL, (Constant(turns), per)))))]

    def _undone(self, name: str, atom: Zero) -> list[Zero]:
        """The variable, from what its atom is: itself, e^(c*x), or ln|x|."""
        kind, _, *more = self.sources[name]
        if kind == "exp" and atom.near <= 0:
            return []
        if kind == "variable":
            return [atom]
        if kind == "exp":
            [rate] = more
            if atom.exact is None:
                return [Zero(math.log(atom.near) / value_of(rate), None)]
            return [Zero.of(node(DIV, (node(LN, (atom.exact,)), rate)))]
        if atom.exact is None:
            return [Zero(sign * math.exp(atom.near), None) for sign in (1, -1)]
        size = node(EXP, (atom.exact,))
        return [Zero.of(size), Zero.of(node(NEG, (size,)))]


def _angle(cosine: Root, sine: Root) -> Zero:
    """The angle with this cosine and sine, a part of pi or an arc cosine where it can be written as such."""
    near = math.atan2(sine.near, cosine.near)
    c, s = exact_root(cosine), exact_root(sine)

    def holds(angle: Value) -> bool:
        pairs = (("cos", c), ("sin", s))
        return all(x is not None and vanishes(node(SUB, (node(TABLE[f], (angle,)), x))) for f, x in pairs)  # fmt: skip

    usual = named(near, holds)
    if usual.exact is not None:
        return usual
    if c is not None:
        arc = node(TABLE["acos"], (c,))
        return Zero(near, arc if near >= 0 else node(NEG, (arc,)))
    if s is not None:
        arc = node(TABLE["asin"], (s,))
        return Zero(near, node(SUB, (PI, arc)) if cosine.near < 0 else arc)
    return Zero(near, None)


def same_point(p: dict[str, Zero], q: dict[str, Zero]) -> bool:
    """Return whether two points are one."""
    return all(same(zero, q[name]) for name, zero in p.items())


def same(a: Zero, b: Zero) -> bool:
    """Return whether two zeros are one, as far as their doubles say where they are not known exactly."""
    if a.exact is None or b.exact is None:
        return abs(a.near - b.near) <= 1e-9 * max(1.0, abs(b.near))
    # 10^-400 and 10^-500 are different points, though the double of both is 0
    ratios = rational(a.exact), rational(b.exact)
    if None not in ratios:
        return ratios[0] == ratios[1]
    return abs(a.near - b.near) <= 1e-14 * abs(b.near)


def beyond(zeros: Iterable[Zero], others: Sequence[Zero]) -> list[Zero]:
    """Those zeros that are none of the others."""
    return [zero for zero in zeros if not any(same(zero, other) for other in others)]


def value_of(root: Value) -> float:
    """A formula without variables as a double."""
    return float(Probe(Tape(root, ())).floats({}).value or 0.0)


# Numbers as graphs


def fraction(x: Rational) -> Value:
    """A fraction as a graph."""
    x = Fraction(x)
    short = max(abs(x.numerator), x.denominator) <= LARGEST
    return simplify(Constant(x)) if short else Constant(x)


def exact_root(root: Root) -> Value | None:
    """A root as a graph: m ± sqrt(s) where it is one of a polynomial of degree 2."""
    if root.rational is not None:
        return fraction(root.rational) if math.isfinite(root.near) else None
    if root.quadratic is None:
        return None
    middle, square, sign = root.quadratic
    size = square_root(square)
    if size is None:
        return None
    own = size if sign > 0 else simplify(node(NEG, (size,)))
    return added([(fraction(middle), None), (own, None)])


def named(x: float, holds: Callable[[Value], bool]) -> Zero:
    """A number with what it is exactly, where one of the usual forms is proved to be it."""
    exact = next(filter(holds, _usual(x)), None)
    return Zero(x, None) if exact is None else Zero(value_of(exact), exact)


def _usual(x: float) -> Iterator[Value]:
    """Fractions, fractions of pi, square roots, logarithms and powers of e that a number is, as far as doubles say."""

    def is_near(value: float) -> bool:
        # asked first: the double of a form takes a thousandth of the time of its graph
        return abs(value - x) <= 1e-9 * max(1.0, abs(x))

    plain = Fraction(x).limit_denominator(100)
    if is_near(float(plain)):
        yield fraction(plain)
    turns = Fraction(x / math.pi).limit_denominator(24)
    if turns and is_near(turns * math.pi):
        yield simplify(node(MUL, (fraction(turns), PI)))
    square = Fraction(x * x).limit_denominator(100)
    if square and abs(x) < 100 and is_near(math.copysign(math.sqrt(square), x)):
        root = square_root(square)
        if root is not None:
            yield root if x > 0 else simplify(node(NEG, (root,)))
    if 0 < x < 1e6:
        power = Fraction(math.log(x)).limit_denominator(12)
        # near 0 there are such powers everywhere
        if abs(math.exp(power) - x) <= 1e-9 * x:
            yield simplify(node(POW, (Constant(math.e, "e"), fraction(power))))
    if abs(x) < 20:
        inside = Fraction(math.exp(x)).limit_denominator(100)
        if inside > 0 and is_near(math.log(inside)):
            yield node(LN, (fraction(inside),))


HEAVY = 100
"""The weight of a look from which on fewer are taken."""

MOST_ZEROS = 40

SEARCH = "the search for critical points"


MOST_BOXES = 600
"""Intervals over which the values of one formula are looked at."""

BOX = 3
"""The operations whose time a look at an interval takes for each step of the formula."""

NAMED = 4
"""As many looks as it takes to find out what a number is exactly."""

FAR, FARTHEST, NARROW, NARROWEST = 128.0, 2.0**40, 2.0**-6, 2.0**-30
NEAR_ZERO = 1e-10


class Zeros(NamedTuple):
    """The zeros in order, and whether they are known to be all, beside those of whole intervals."""

    found: tuple[Zero, ...]
    complete: bool
    intervals: tuple[tuple[float, float], ...] = ()


def _solved(factor: Value, name: str) -> Zeros | None:
    """All zeros, where they are finitely many and can be solved for; None otherwise."""
    try:
        found = common_zeros([factor], (name,))
    except OutOfReachError:
        return None
    if found.periods or not found.is_finite:
        return None
    probe = probe_of(factor, name)

    def is_met(zero: Zero) -> bool:
        """Return whether it is one, and no place where there is no value, nor one that belongs to another sign."""
        if zero.exact is None:
            if not zero.is_told or not math.isfinite(zero.near):
                return True
            look = probe.floats({name: zero.near})
            size = max(1.0, abs(zero.near)) * (1.0 + abs(look.slope or 0.0))
            return look.value is not None and abs(look.value) <= NEAR_ZERO * size
        try:
            known = Expression.of(factor).evaluate({name: zero.exact}, ()).known()
        except ExprgradError:
            return False
        return known.value is not None and abs(known.value) <= known.error

    own = [zero for zero in (point[name] for point in found.points) if is_met(zero)]
    told = [z for z in own if math.isfinite(z.near) and (z.exact is not None or z.is_told)]  # fmt: skip
    return Zeros(tuple(sorted(told, key=lambda z: z.near)), len(told) == len(own))


def probe_of(root: Value, name: str | None = None) -> Probe:
    """A formula prepared for looks, at its slope along a variable too."""
    return Probe(domain.tape_of(root), name)


def united(parts: Sequence[Zeros]) -> Zeros:
    """The zeros of several factors, each once."""
    found: list[Zero] = []
    for part in parts:
        found += beyond(part.found, found)
    level = dict.fromkeys(ends for part in parts for ends in part.intervals)
    found.sort(key=lambda zero: zero.near)
    return Zeros(tuple(found), all(part.complete for part in parts), tuple(level))


# Formulas that repeat


def period(root: Value, name: str) -> Value | None:
    """After what a formula repeats, if its variable stands in angles a*x + b only, with rational a or a/pi."""
    found = _period(root, name, Constant(1.0))
    return _period(root, name, PI) if found is None else found


def _period(root: Value, name: str, unit: Value) -> Value | None:
    rates: dict[Value, set[Fraction]] = {}  # of what repeats; none of what is constant
    varying: set[Value] = set()
    for item in topological(root):
        if not is_variable(item) and varying.isdisjoint(item.operands):
            rates[item] = set()
            continue
        varying.add(item)
        if item.operation is None:
            continue
        if all(operand in rates for operand in item.operands):
            rates[item] = {rate for o in item.operands for rate in rates[o]}
        elif item.operation.angle:
            slope = derivative(item.operands[0], name)
            rate = rational(simplify(node(DIV, (slope, unit))))
            if rate:
                rates[item] = {abs(rate)}
    if not rates.get(root) or vanishes(derivative(root, name)):
        return None  # a constant repeats after any length
    # parts of rates 2 and 3, cos(2x) + cos(3x), return together after 2*pi over the greatest common divisor
    below = math.lcm(*(rate.denominator for rate in rates[root]))
    slowest = Fraction(math.gcd(*(int(rate * below) for rate in rates[root])), below)

    def turn(part: Fraction) -> Value:
        return simplify(node(MUL, (fraction(part), node(DIV, (PI, unit)))))

    found = turn(2 / slowest)
    if not domain_repeats(root, name, found):
        return None  # cos(sqrt(x)^2) ends at 0
    for part in (2, 3):  # of cos(x)^2 it is the half
        while repeats(root, name, shorter := turn(2 / slowest / part)) and domain_repeats(root, name, shorter):  # fmt: skip
            slowest, found = slowest * part, shorter
    return found


def repeats(root: Value, name: str, after: Value) -> bool:
    """Return whether a formula is proved to have the same value everywhere when its variable is so much larger."""
    leaves = [n for n in topological(root) if is_variable(n) and n.name == name]
    moved = replaced(root, {leaf: node(ADD, (leaf, after)) for leaf in leaves})
    return vanishes(node(SUB, (moved, root)))


def zeros_of_period(root: Value, name: str, length: Value) -> Zeros:
    """The zeros of a formula in [0, length), after which they repeat; none where they cannot be solved for."""
    try:
        solved = common_zeros([root], (name,))
    except OutOfReachError:
        return Zeros((), False)
    if not solved.is_finite or (solved.points and not solved.periods):
        return Zeros((), False)
    found: list[Zero] = []
    whole = value_of(length)
    for point in solved.points:
        zero, own = point[name], solved.periods[name]
        for k in range(math.ceil(whole / value_of(own) - 1e-9)):
            turned = _turned(zero, k, own)
            here = _turned(turned, -math.floor(turned.near / whole + 1e-12), length)
            found += beyond([here], found)
    return Zeros(tuple(sorted(found, key=lambda zero: zero.near)), True)


def _turned(zero: Zero, count: int, length: Value) -> Zero:
    """A zero some periods away."""
    if not count:
        return zero
    if zero.exact is None:
        return Zero(zero.near + count * value_of(length), None)
    return Zero.of(node(ADD, (zero.exact, node(MUL, (Constant(count), length)))))


SMOOTH = (None, NEG, ADD, SUB, MUL, DIV, EXP, *(TABLE[n] for n in ("sin", "cos", "tan", "cot", "sec", "csc")))  # fmt: skip


def _is_smooth(item: Value) -> bool:
    """Return whether an operation has a slope wherever it has a value, which it lacks only where it divides by 0."""
    if item.operation is POW:
        exponent = rational(item.operands[1])
        return exponent is not None and exponent.denominator == 1
    return item.operation in SMOOTH


def domain_repeats(root: Value, name: str, length: Value) -> bool:
    """Return whether a formula is surely defined at x + length just where it is at x.

    What takes no number must be given the same ones again, up to the sign where only 0 is refused.
    """
    for item in topological(root):
        operation = item.operation
        whole = operation is POW and _is_smooth(item)
        if operation is DIV or (whole and (rational(item.operands[1]) or 0) < 0):
            below = item.operands[operation is DIV]
            asked = [node(MUL, (below, below))]
        elif operation is not None and operation.name in ("tan", "cot", "sec", "csc"):
            asked = [node(MUL, (item, item))]
        elif operation is None or whole or not (operation.domain or operation is POW):
            continue
        else:
            asked = list(item.operands)
        if not all(repeats(one, name, length) for one in asked if has_variables(one)):
            return False
    return True


# Formulas with corners


MOST_CUTS = 12


def as_doubles(zeros: Zeros) -> list[float] | None:
    """The zeros as doubles; None where they are not all, or doubles do not tell them apart."""
    found = sorted({zero.near for zero in zeros.found})
    told = all(zero.is_told for zero in zeros.found) and len(found) == len(zeros.found)
    return found if told and zeros.complete else None


def _is_zero_of(probe: Probe, name: str, zero: Zero) -> bool:
    """Return whether a formula is 0 at a place of its corners."""
    if probe.floats({name: zero.near}).value == 0:
        return True
    root = probe.tape.nodes[probe.tape.root]
    return zero.exact is not None and vanishes(at_place(root, {name: zero.exact}))


def _has_corner(item: Value) -> bool:
    """Return whether an operation has corners, or chooses, where its operands pass each other."""
    operation = item.operation
    if operation is None or operation.rule == POW.rule:
        return False
    return operation.corner is not None and any(map(has_variables, item.operands))


def _is_sum_of_pieces(item: Value) -> bool:
    """Return whether an operation has corners and is a sum of its operands, with constant factors, between these."""
    operation = item.operation if _has_corner(item) else None
    return operation is not None and _has_flat_partials(operation, len(item.operands))


@functools.cache
def _has_flat_partials(operation: Operation, count: int) -> bool:
    names = [f"u{i}" for i in range(count)]
    item = node(operation, tuple(Value(None, n) for n in names))
    slopes = [derivative(item, n) for n in names]
    return all(vanishes(derivative(slope, n)) for slope in slopes for n in names)


def _between(a: float, b: float) -> float:
    if math.isinf(a) and math.isinf(b):
        return 0.5
    if math.isinf(a):
        return b - 1 - abs(b) / 2
    return a + 1 + abs(a) / 2 if math.isinf(b) else (a + b) / 2


def _smooth(root: Value, name: str, x: float) -> Value | None:
    """Return what a formula with corners is on the piece around a number; None where it has no value there."""
    tape = domain.tape_of(root)
    try:
        found: Sequence[Any] = primals(tape, dict.fromkeys(tape.variables, x))
    except (Fault, *ARITHMETIC):
        return None
    values = dict(zip(tape.nodes, found, strict=True))
    new: dict[Value, Value] = {}
    for item in topological(root):
        operation, operands = item.operation, tuple(new[o] for o in item.operands)
        value, own = values[item], [values[o] for o in item.operands]
        if operation is None:
            new[item] = item
            continue
        # there is no value in a branch that is not taken
        choose = None if value is None else operation.choose
        taken = choose(own[0]) if choose else None
        if taken:
            new[item] = operands[taken]
        elif value is None or not _is_sum_of_pieces(item):
            new[item] = node(operation, operands)
        else:  # c + sum of p_i u_i, with the partials p_i
            slopes = [local_partial(operation, i, value, own) for i in range(len(own))]
            rest = value - sum(p * u for p, u in zip(slopes, own, strict=True))
            # a sum of doubles is told exactly only where its numbers are whole: 0.1 is not 1/10
            near = abs(rest - round(rest)) <= 1e-9 * max(1.0, *map(abs, own))
            if not (near and all(p.is_integer() for p in slopes)):
                return None
            terms = zip(map(Constant, slopes), operands, strict=True)
            new[item] = added([*terms, (Constant(round(rest)), None)])
    return simplify(new[root])


def factors(root: Value) -> Iterator[Value]:
    """Yield what is 0 where a product is; what it is divided by is left out."""
    stack = [root]
    while stack:
        item = stack.pop()
        if item.operation is MUL or item.operation is NEG:
            stack += item.operands
        elif item.operation is DIV or item.operation in (SQRT, CBRT, ABS):
            stack.append(item.operands[0])
        elif item.operation is POW:
            exponent = rational(item.operands[1])
            if exponent is None or exponent > 0:
                stack.append(item.operands[0])
        elif has_variables(item) or vanishes(item):
            yield item


# Anything else


class Search:
    """A search for the zeros of formulas of one variable: no formula is looked at twice, and the work has a limit."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.left = share(STAGES[SEARCH])
        self._known: dict[tuple[object, int, bool], Zeros] = {}

    def zeros(self, root: Value, depth: int = 2, prove: bool = True) -> Zeros:
        """The zeros of a formula, as far as they are found.

        Whether these are all is proved, if it is to be, with the zeros of up to `depth` derivatives.
        """
        probe = probe_of(root, self.name)
        key = probe.tape.key, depth, prove
        if key not in self._known:
            if probe.weight > HEAVY:
                depth = 0  # formulas of gamma take a thousand times as long
            own = (f for f in factors(simplify(root)) if f.operation is not EXP)
            self._known[key] = united([self._of_factor(f, depth, prove) for f in own])
        return self._known[key]

    def _of_factor(self, factor: Value, depth: int, prove: bool) -> Zeros:
        """The zeros of a formula that is no product."""
        if depth and (pieces := self._by_pieces(factor, depth, prove)) is not None:
            return pieces
        solved = _solved(factor, self.name)
        if solved is not None:
            return solved
        whole = values(probe_of(factor, self.name).tape, {self.name: everything()})
        if whole is not None and 0 not in whole:
            return Zeros((), True)
        found = self._isolated(factor)
        if depth and prove and not found.complete:
            found = found._replace(complete=self._is_all(factor, found.found, depth))
        return found

    def _by_pieces(self, root: Value, depth: int, prove: bool) -> Zeros | None:
        """The zeros of a formula such as abs(x - 1) + x*sign(x - 1), piece by piece; None where it has no corners.

        Between its corners, an operation whose partials are constant there is a sum: abs(x - 1) is x - 1 or 1 - x.
        """
        if not any(map(_is_sum_of_pieces, topological(root))):
            return None
        cuts = self.passes(root, depth - 1)
        turns = as_doubles(cuts)
        if turns is None or len(turns) > MOST_CUTS:
            return None
        probe = probe_of(root, self.name)
        found = [zero for zero in cuts.found if _is_zero_of(probe, self.name, zero)]
        intervals = []
        complete = True
        for a, b in itertools.pairwise([-math.inf, *turns, math.inf]):
            x = _between(a, b)
            plain = _smooth(root, self.name, x)
            if plain is None:
                complete = complete and probe.floats({self.name: x}).is_undefined
            elif vanishes(plain):
                intervals.append((a, b))
            else:
                own = self.zeros(plain, depth, prove)
                found += [z for z in own.found if a < z.near < b]
                complete = complete and own.complete
        return Zeros(tuple(found), complete, tuple(intervals))

    def _isolated(self, root: Value) -> Zeros:
        """The zeros, those next to 0 first, by interval Newton, and whether no interval is left in which others may be.

        Over an interval the values may be bounded away from 0, or the slope: then there is at most one zero, and none
        where the ends have the same sign. Else it is divided. Those that end at a place without value or are infinite
        are looked at as ranges, too.
        """
        name, probe = self.name, probe_of(root, self.name)
        if name not in probe.tape.variables:
            return Zeros((), False)  # it is 0 everywhere
        bounds = Bounds(probe_of(root).tape)
        cuts = self._breaks(root, 1)
        known = as_doubles(cuts)
        found = [zero.near for zero in cuts.found if _is_zero_of(probe, name, zero)]
        ends = [-math.inf, *sorted({zero.near for zero in cuts.found if math.isfinite(zero.near)}), math.inf]  # fmt: skip
        boxes = [
            _box(a, b)
            for a, b in itertools.pairwise(ends)
            if known is None or not probe.floats({name: _between(a, b)}).is_undefined
        ]
        heapq.heapify(boxes)
        is_all = known is not None
        # half of what is left at most: the formula itself comes after those of its corners
        looks = most = min(MOST_BOXES, self.left // 2 // (BOX * probe.cost))
        while boxes and looks and len(found) <= MOST_ZEROS:
            looks -= 1
            *_, low, high = heapq.heappop(boxes)
            # a place where it was divided belongs to both sides
            closed = low not in ends, high not in ends
            count = _most_zeros(probe, bounds, name, (low, high), closed)
            middle = _middle(low, high)
            if count == 1:
                found += _crossed(probe, name, low, high)
            elif count == 0:
                continue
            elif abs(middle) > FARTHEST:
                is_all = False
            elif high - low < NARROWEST * max(1.0, abs(middle)):
                is_all = False
                looks = max(0, looks - NAMED)
                # e^x - x - 1 touches 0 without crossing it: that counts where a usual number is proved to be the place
                found += [z.near for z in [self._named(root, middle)] if z.exact is not None]  # fmt: skip
            else:
                heapq.heappush(boxes, _box(low, middle))
                heapq.heappush(boxes, _box(middle, high))
        work = (most - looks) * BOX * probe.cost
        self.left -= work
        spend(work, SEARCH)
        # sin(1/x) has boxes left under any budget: only below MOST_BOXES is it the budget that stopped the search
        if boxes and most < MOST_BOXES:
            leave_out(SEARCH)
        every = united(
            [Zeros((self._named(root, x),), True) for x in sorted(found)]
        ).found
        told = tuple(zero for zero in every if zero.is_told)
        return Zeros(told, is_all and not boxes and len(told) == len(every))

    def _named(self, root: Value, x: float) -> Zero:
        """A zero next to a double, with what it is exactly."""

        def holds(exact: Value) -> bool:
            there = simplify(at_place(root, {self.name: exact}))
            value = Probe(Tape(there, ())).precise({}, 20).value
            # a proof takes far longer than a look
            return (value is None or abs(value) < NEAR_ZERO) and vanishes(there)

        return named(x, holds)

    def _is_all(self, root: Value, found: Sequence[Zero], depth: int) -> bool:
        """Return whether there are no other zeros, by Rolle's theorem for the formula, or for it divided by one of its terms."""
        if len(found) > MOST_ZEROS:
            return False
        if self._is_all_by_slope(root, root, found, depth):
            return True
        # divided by one of its terms, a sum loses it when differentiated: the induction behind Descartes' rule of signs
        terms, stack = list[Value](), [root] if depth > 1 else []
        while stack:
            item = stack.pop()
            if item.operation in (ADD, SUB, NEG):
                stack += item.operands
            elif has_variables(item):
                terms.append(item)
        return any(
            self._is_all_by_slope(root, simplify(node(DIV, (root, term))), found, depth)
            for term in terms[:MOST_TERMS]
        )

    def _is_all_by_slope(
        self, root: Value, ratio: Value, found: Sequence[Zero], depth: int
    ) -> bool:
        """Return whether there are no other zeros of a formula than these, and those of another that has the same but where it ends.

        Between zeros of the derivative, and where the formula stops being regular, it rises or falls throughout: it has
        at most one zero there, and none where it keeps its sign at the ends, or moves away from 0 towards them.
        """
        name = self.name
        breaks = self._breaks(ratio, depth - 1)
        if as_doubles(breaks) is None:
            return False
        slope = self.zeros(derivative(ratio, name), depth - 1)
        ends = as_doubles(united([slope, breaks]))
        if ends is None:
            return False
        probe, whole = probe_of(ratio, name), probe_of(root, name)
        for a, b in itertools.pairwise([-math.inf, *ends, math.inf]):
            x = _between(a, b)
            if not any(a < zero.near < b for zero in found):
                look = probe.floats({name: x})
                if not look.is_undefined and not (
                    look.slope
                    and all(
                        is_met_at(end, found) or _leaves(probe, name, look, x, end)
                        for end in (a, b)
                    )
                ):
                    return False
        # where the term is 0 the ratio has no value, but the formula may be 0: x^2 - x at 0, divided by x
        for end in ends if ratio is not root else ():
            value = whole.floats({name: end}).value
            if value is not None and abs(value) < 1e-9 and not is_met_at(end, found):
                return False
        return True

    def _breaks(self, root: Value, depth: int) -> Zeros:
        """Return where a formula stops being regular, and whether these are all: there are more poles of sec(x) than are known."""
        found, guards = self._passes(root, depth), domain.guards(root, self.name)
        most = max(Counter(part for part, _ in guards).values(), default=0)
        few = most < domain.MOST_LANDMARKS and len(guards) < domain.MOST_GUARDS
        return found._replace(complete=found.complete and few)

    def _passes(self, root: Value, depth: int, length: Value | None = None) -> Zeros:
        every = (simplify(node(SUB, (part, Constant(level)))) for part, level in domain.guards(root, self.name))  # fmt: skip
        return united([
            self.zeros(part, depth) if length is None else zeros_of_period(part, self.name, length)
            for part in every
        ])  # fmt: skip

    def passes(self, root: Value, depth: int = 1, length: Value | None = None) -> Zeros:
        """Return where an operation of a graph stops being regular: where its argument passes 0, or another landmark.

        Of a graph that repeats after a length, those in [0, length), where one may have no slope.
        """
        if length is not None and all(map(_is_smooth, topological(root))):
            return Zeros((), True)
        found = self._passes(root, depth, length)
        is_all = found.complete and not found.intervals
        return Zeros(found.found, is_all and _has_few_corners(root, self.name))


def _box(low: float, high: float) -> tuple[bool, float, float, float]:
    """An interval, behind whether it is so narrow, or so far away, that others come before, and its distance from 0."""
    apart = max(low, -high, 0.0)
    return high - low < NARROW * (1 + apart) or apart > FAR, apart, low, high


def _middle(low: float, high: float) -> float:
    """Return where an interval is divided; one without end further and further away from 0."""
    if not math.isinf(high - low):
        return (low + high) / 2
    if high == math.inf:
        return 0.3 if math.isinf(low) else max(8.0, 8 * low)
    return min(-8.0, 8 * high)


def _most_zeros(
    probe: Probe, bounds: Bounds, name: str, box: tuple[float, float], closed: tuple[bool, bool]
) -> int | None:  # fmt: skip
    """At most how many zeros there are in an interval, with the ends that are `closed`: 0, 1, or None if that is not known."""
    low, high = box
    is_far = math.isinf(high - low)
    if is_far or not all(closed):
        near = values(probe.tape, {name: Range(low, high, closed)})
        if near is not None and 0 not in near:
            return 0
    if is_far:
        return None
    # the middle is rounded: without more room an end, and a zero there, may lie outside
    radius = (high - low) / 2 * (1 + 2.0**-40)
    over = bounds.over({name: Interval(_middle(low, high), radius)}, (name,))
    value, slope = over.value, over.partials[name]
    if not isinstance(value, Exception) and not value.arb.contains(0):
        return 0
    return 1 if not isinstance(slope, Exception) and not slope.arb.contains(0) else None


def _crossed(probe: Probe, name: str, low: float, high: float) -> list[float]:
    """The zero of a formula that rises or falls throughout an interval, if it has one there."""
    ends = []
    for x in (low, high):
        # so close to a zero, doubles may give either sign
        value = probe.precise({name: x}, 40).value
        if not value:
            return [] if value is None else [x]
        ends.append((x, float(value)))
    return [*sign_changes(ends, lambda x: probe.floats({name: x}).value)]


MOST_TERMS = 3


def is_met_at(end: float, found: Sequence[Zero]) -> bool:
    """Return whether one of these zeros is at the end of a piece, so that there is none within."""
    room = 1e-9 * max(1.0, abs(end)) if math.isfinite(end) else 0.0
    return any(abs(zero.near - end) <= room for zero in found)


def _leaves(probe: Probe, name: str, look: Look, x: float, end: float) -> bool:
    """Return whether a formula that rises or falls throughout has no zero from a point to the end of its piece."""
    if look.value * look.slope * (end - x) > 0:
        return True  # it moves away from 0
    there = probe.floats({name: end}).value if math.isfinite(end) else None
    return there is not None and abs(there) > 1e-12 and (there > 0) == (look.value > 0)


def _has_few_corners(root: Value, name: str) -> bool:
    """Return whether every operation with corners has a few known ones: floor has more, and mod others."""
    levels: Counter[frozenset[Value]] = Counter()
    for part, _ in domain.guards(root, name):
        met = part.operands if part.operation is SUB else (part,)  # of max(a, b): a - b
        levels.update({frozenset((part,)), frozenset(met)})
    for item in filter(_has_corner, topological(root)):
        # of a power, the base is a guard where its corner is; a choice has the corners of its condition
        chooses = item.operation is not None and item.operation.choose is not None
        if chooses and any(map(_has_corner, topological(item.operands[0]))):
            continue
        keys = [*({operand} for operand in item.operands), {*item.operands}]
        if not 0 < max(levels[frozenset(key)] for key in keys) < domain.MOST_LANDMARKS:
            return False
    return True
