"""Where formulas are 0 together, all of it, where each variable stands in polynomials, or in functions of one sort.

    common_zeros([x^2 - y, y^2 - x], ("x", "y")).points      (0, 0) and (1, 1)
    common_zeros([exp(x) - 2*exp(-x)], ("x",)).points        ln(2)/2
    common_zeros([cos(x) - 1/2], ("x",)).points              -pi/3 and pi/3, which repeat every 2*pi

The formulas are read as polynomials in atoms: a variable, exp or ln of it, sine and cosine of an angle, a root. The
factors of each give systems, one for every choice, in which the atoms have relations, S^2 + C^2 = 1 or R^2 = x, and signs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from exprgrad.algebra.polynomials import (
    Polynomial,
    Rational,
    irreducible_factors,
    primitive,
)
from exprgrad.algebra.roots import Root
from exprgrad.algebra.systems import Dense, solutions
from exprgrad.algebra.work import OutOfReachError, Work
from exprgrad.annotations import Any, NamedTuple
from exprgrad.expressions.confirm import simplify
from exprgrad.graph.order import topological
from exprgrad.graph.rational import LARGEST, rational
from exprgrad.graph.value import Constant, Value, node
from exprgrad.operations.operation import TABLE
from exprgrad.operations.table import ADD, DIV, EXP, LN, MUL, NEG, POW, SIGN, SQRT, SUB
from exprgrad.proof.elementary import ElementaryField
from exprgrad.proof.identity import elements, vanishes
from exprgrad.sweeps.precise import Probe
from exprgrad.sweeps.tape import Tape

READING_WORK = 20_000
"""For the formulas; products of monomials."""

SOLVING_WORK = 10**7
"""For one system."""

MOST_NODES = 2000
MOST_SYSTEMS = 80
MOST_GENERATORS = 9

SMALLEST = 2.0**-1022
"""The smallest positive double with all its digits."""

MOST_BITS_OF_DOUBLES = 1023
"""Whole numbers of so many bits are within the range of doubles."""

PI = Constant(math.pi, "pi")


class Zero(NamedTuple):
    """A zero: close to the double `near`, and `exact` as a graph where one is known."""

    near: float
    exact: Value | None

    @property
    def is_told(self) -> bool:
        """Whether the double tells it from 0: -1e-400 has no double but that of 0."""
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
    """Where formulas are 0 together. Raises `OutOfReachError` where they are not of this kind, or too large."""
    items = [item for root in roots for item in topological(root)]
    if len(items) > MOST_NODES or any(
        i.operation and i.operation.choose for i in items
    ):
        raise OutOfReachError
    field = ElementaryField(Work(READING_WORK))
    variables = {field.atom("variable", name): name for name in names}
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
        work = Work(READING_WORK)
        for factor, _ in irreducible_factors(rest, work):
            found[frozenset(factor.items())] = None
    return list(found)


def _is_never_0(field: ElementaryField, atom: int) -> bool:
    """Whether an atom is not 0 where the formulas are defined, but for the sign of what may be: its corners are no zeros."""
    kind, meaning, _ = field.atoms[atom]
    is_sign = kind == "call" and isinstance(meaning, tuple) and meaning[0] is SIGN
    return is_sign or kind in ("exp", "constant", "prime") or field.is_nonzero(atom)


def _units(system: Sequence[Polynomial]) -> dict[int, int]:
    """The atoms of polynomials, and of which part of 1 all their exponents are multiples."""
    below: dict[int, int] = {}
    for p in system:
        for atom, exponent in (power for monomial in p for power in monomial):
            below[atom] = math.lcm(below.get(atom, 1), exponent.denominator)
    return below


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
        unknown = [a for a, kind in kinds.items() if kind in ("variable", "exp", "ln") and self._number(a) is None]  # fmt: skip
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
        return simplify(node(NEG, (node(DIV, (sums[0], sums[1])),)))

    def _add(self, atom: int, kind: str, meaning: Any, nonnegative: bool) -> None:
        if kind == "variable":
            self._source(self.variables.get(atom, ""), ("variable", atom))
        elif kind == "prime":
            self.system.append({((atom, 1),): 1, (): -meaning})
        elif kind == "sum":
            more = {**self.field.sums[atom], ((atom, 1),): -1}
            self.system.append(more)
        elif kind == "abs" and isinstance(meaning, int):
            self.positive.add(atom)
            sign = self.field.sign(meaning)
            own: Polynomial = self.field.sums.get(meaning, {((meaning, 1),): 1})
            known: Polynomial = {((atom, 1),): sign, **{m: -c for m, c in own.items()}}
            square: Polynomial = {((atom, 2),): 1, ((meaning, 2),): -1}
            self.system.append(known if sign else square)
        elif kind in ("cos", "sin"):
            cosine, sine = (self.field.atom(k, meaning) for k in ("cos", "sin"))
            if kind == "cos" or cosine not in _units(self.system):
                self.system.append({((cosine, 2),): 1, ((sine, 2),): 1, (): -1})
            self._angle(cosine, sine, meaning)
        elif kind == "exp":
            self.positive.add(atom)
            name, rate = self._linear(meaning)
            self._source(name, ("exp", atom, rate))
        elif kind == "ln" and meaning in self.variables:
            self._source(self.variables[meaning], ("ln", atom))
        else:
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
        found = fraction(c)
        for atom, exponent in powers:
            number = self._number(atom)
            if number is None:
                raise OutOfReachError
            found = node(MUL, (found, node(POW, (number, fraction(exponent)))))
        return found

    def _number(self, atom: int) -> Value | None:
        kind, meaning, _ = self.field.atoms[atom]
        if kind == "constant" and meaning == "pi":
            return PI
        if kind == "ln" and self.field.atoms[meaning].kind == "prime":
            return node(LN, (Constant(self.field.atoms[meaning].meaning),))
        return Constant(meaning) if kind == "prime" else None

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
            here = Zero(value_of(self._alone), self._alone)
            return CommonZeros([{name: x} for x in self._undone(name, here)], {}, True)
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
        found = solutions(dense, Work(SOLVING_WORK)) if dense else None
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
        """What a variable is where the atoms have these values."""
        kind, atom, *more = self.sources[name]
        cosine = roots[atom]
        if kind != "angle":
            return self._undone(name, Zero(cosine.near, exact_root(cosine)))
        rate, start = self._rates[name]
        angle = _angle(cosine, roots[more[0]])
        per, length = self.periods[name], value_of(self.periods[name])
        near = (angle.near - value_of(start)) / value_of(rate)
        turns = -math.floor((near + length / 2) / length + 1e-12)
        if angle.exact is None:
            return [Zero(near + turns * length, None)]
        exact = node(DIV, (node(SUB, (angle.exact, start)), rate))
        exact = simplify(node(ADD, (exact, node(MUL, (Constant(turns), per)))))
        return [Zero(value_of(exact), exact)]

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
            root = simplify(node(DIV, (node(LN, (atom.exact,)), rate)))
            return [Zero(value_of(root), root)]
        if atom.exact is None:
            return [Zero(sign * math.exp(atom.near), None) for sign in (1, -1)]
        size = simplify(node(EXP, (atom.exact,)))
        return [Zero(value_of(x), x) for x in (size, simplify(node(NEG, (size,))))]


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
    """Whether two points are one."""
    return all(same(zero, q[name]) for name, zero in p.items())


def same(a: Zero, b: Zero) -> bool:
    """Whether two zeros are one, as far as their doubles say where they are not known exactly."""
    if a.exact is None or b.exact is None:
        return abs(a.near - b.near) <= 1e-9 * max(1.0, abs(b.near))
    ratios = rational(a.exact), rational(b.exact)
    if None not in ratios:
        return ratios[0] == ratios[1]
    return abs(a.near - b.near) <= 1e-14 * abs(b.near)


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
    if middle:
        return node(ADD if sign > 0 else SUB, (fraction(middle), size))
    return size if sign > 0 else node(NEG, (size,))


def square_root(square: Fraction) -> Value | None:
    """sqrt(p/q) as k*sqrt(m)/n; None for numbers beyond the range of doubles."""
    number, below = square.numerator * square.denominator, square.denominator
    outside = 1
    for k in range(2, min(1000, math.isqrt(number) + 1)):
        while number % (k * k) == 0:
            number, outside = number // (k * k), outside * k
    factor = Fraction(outside, below)
    if max(number, *factor.as_integer_ratio()).bit_length() > MOST_BITS_OF_DOUBLES:  # fmt: skip
        return None
    root = node(SQRT, (Constant(Fraction(number)),))
    over, under = (Constant(Fraction(n)) for n in factor.as_integer_ratio())
    scaled = root if factor.numerator == 1 else node(MUL, (over, root))
    return scaled if factor.denominator == 1 else node(DIV, (scaled, under))


def named(x: float, holds: Callable[[Value], bool]) -> Zero:
    """A number with what it is exactly, where one of the usual forms is proved to be it."""
    for exact in _usual(x):
        near = Probe(Tape(exact, ())).floats({}).value
        if (
            near is not None
            and abs(near - x) <= 1e-9 * max(1.0, abs(x))
            and holds(exact)
        ):
            return Zero(near, exact)
    return Zero(x, None)


def _usual(x: float) -> Iterator[Value]:
    """Fractions, fractions of pi, square roots, logarithms and powers of e that a number may be."""
    yield fraction(Fraction(x).limit_denominator(100))
    e = Constant(math.e, "e")
    turns = Fraction(x / math.pi).limit_denominator(24)
    if turns:
        yield simplify(node(MUL, (fraction(turns), PI)))
    square = Fraction(x * x).limit_denominator(100)
    if square and abs(x) < 100:
        root = square_root(square)
        if root is not None:
            yield root if x > 0 else node(NEG, (root,))
    if 0 < abs(x) < 1e6 and x > 0:
        power = Fraction(math.log(x)).limit_denominator(12)
        yield simplify(node(POW, (e, fraction(power))))
    if abs(x) < 20:
        inside = Fraction(math.exp(x)).limit_denominator(100)
        if inside > 0:
            yield node(LN, (fraction(inside),))
