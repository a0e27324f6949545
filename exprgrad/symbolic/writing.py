"""Canonical forms back to a graph, written in the order that people expect.

Numbers first, then variables, functions, exponentials and sums; negative powers below a fraction bar;
polynomials by falling degree.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce

from exprgrad.algebra.polynomials import Rational
from exprgrad.graph.rational import decimal_text, without_tens
from exprgrad.graph.value import Constant, Value, node, power_operation, written_number
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import ADD, DIV, EXP, MUL, NEG, POW, SQRT, SUB
from exprgrad.symbolic.forms import Algebra, Factor, Form, Term, each_part, is_below

MOST_DOUBLE = int(1.7e308)
"""Numbers beyond this may have no double."""

MOST_SHORT = 10**15
"""Numerators and denominators beyond this are long: a fraction of them may be shorter as a decimal."""


class Writer:
    """Turns a form into a graph, each form once."""

    def __init__(self, algebra: Algebra, decimal: bool) -> None:
        self.algebra = algebra
        self.decimal = decimal
        self.done: dict[Form, Value] = {}

    def graph(self, root: Form) -> Value:
        """The graph of a form."""
        return each_part(root, self._written, self.done)

    def _written(self, form: Form) -> Value:
        if form.kind == "number":
            return self._number(form.parts[0])
        if form.kind == "leaf":
            leaf: Value = form.parts[0]
            return leaf
        if form.kind == "call":
            operation, arguments = form.parts
            if operation.rule == "power":
                return self._power(*arguments)
            return node(operation, tuple(self.done[a] for a in arguments))
        if form.kind == "product":
            return self._product(*form.parts)
        return self._sum(form)

    def _number(self, value: Rational) -> Value:
        top, bottom = self._split(-value if value < 0 else value)
        numerator = self._whole(top)
        if value < 0:
            numerator = _negated(numerator)
        return numerator if bottom == 1 else node(DIV, (numerator, self._whole(bottom)))

    def _whole(self, value: Rational) -> Value:
        """A number that `_split` gave, as one leaf that is exactly it; beyond doubles, with a power of ten."""
        if value > MOST_DOUBLE:
            # a leaf of it would have an infinite double: 10^400 is written as a power
            digits = str(int(value))
            tens = len(digits) - len(digits.rstrip("0"))
            if value.denominator > 1 or value > MOST_DOUBLE * 10**tens:
                tens = len(digits) - 1
            power = node(POW, (Constant(10), Constant(tens)))
            rest = Fraction(value, 10**tens)
            return power if rest == 1 else node(MUL, (self._whole(rest), power))
        nearest = float(value)
        if value.denominator == 1 and value < MOST_SHORT:
            return written_number(nearest)
        text = decimal_text(value.numerator, value.denominator) or ""
        if text.isdigit():
            return Constant(int(value))
        short = Fraction(repr(nearest)) == value
        return written_number(nearest, written=None if short else text)

    def _product(self, scale: Rational, factors: tuple[Factor, ...]) -> Value:
        above: list[Value] = []
        below: list[Value] = []
        for base, exponent in _in_order(factors):
            if is_below(base, exponent):
                below.append(self._power(base, self.algebra.scaled(exponent, -1)))
            else:
                above.append(self._power(base, exponent))
        top, bottom = self._split(scale if scale > 0 else -scale)
        if top != 1 or not above:
            above.insert(0, self._number(top))
        if bottom != 1:
            below.insert(0, self._number(bottom))
        if scale < 0:
            above[0] = _negated(above[0])
        result = _chain(MUL, above)
        if below:
            result = node(DIV, (result, _chain(MUL, below)))
        return result

    def _split(self, size: Rational) -> tuple[Rational, Rational]:
        """Return what goes above and below the fraction bar: whole numbers, or decimals where some were given.

        A decimal stays in one piece unless the fraction is shorter; other fractions of long numbers may have
        decimals above or below the bar, as in 6.62607015e-34/3.
        """
        top, bottom = size.numerator, size.denominator
        as_decimal = self.decimal or bottom > MOST_DOUBLE
        if bottom == 1 or size > MOST_DOUBLE or not as_decimal:
            return top, bottom
        length = len(str(top)) + len(str(bottom))
        text = decimal_text(top, bottom)
        if text is not None:
            short = (
                len(text) <= length + 1
                or bottom > MOST_DOUBLE
                or Fraction(repr(float(size))) == size
            )
            return (size, 1) if short else (top, bottom)
        return _shortest(size) if max(top, bottom) > MOST_SHORT else (top, bottom)

    def _power(self, base: Form, exponent: Form) -> Value:
        written = self.done[base]
        if base.is_euler and exponent is not self.algebra.one:
            return node(EXP, (self.done[exponent],))
        if exponent is self.algebra.one:
            return written
        number = exponent.number
        if number is not None and (number.numerator, number.denominator) == (1, 2):
            return node(SQRT, (written,))
        if exponent.is_odd_root and number is not None:
            # a decimal there would lose the real root
            top, bottom = Constant(abs(number.numerator)), Constant(number.denominator)
            fraction = node(DIV, (top, bottom))
            fraction = _negated(fraction) if number < 0 else fraction
            return node(power_operation(fraction), (written, fraction))
        above = self.graph(exponent)
        return node(power_operation(above), (written, above))

    def _sum(self, form: Form) -> Value:
        first, *others = _ordered(form.parts[0])
        # a term with its number is a form of its own, which was no part of the sum
        result = self.graph(self.algebra.scaled(*first))
        for part, coefficient in others:
            sign = 1 if coefficient > 0 else -1
            written = self.graph(self.algebra.scaled(part, sign * coefficient))
            result = node(ADD if sign > 0 else SUB, (result, written))
        return result


def _shortest(size: Rational) -> tuple[Rational, Rational]:
    """A fraction as a quotient of two decimals with few digits.

    It is n/d * 2^p * 5^q with n and d that have no factor 2 or 5: what of 2^p * 5^q is no power of ten goes above
    or below the bar, and so does the power of ten.
    """
    n, p, q = without_tens(size.numerator)
    d, twos, fives = without_tens(size.denominator)
    p, q = p - twos, q - fives
    more, less = (2, 5) if p > q else (5, 2)
    rest, tens = abs(p - q), (min(p, q), max(p, q))
    ways: list[tuple[Rational, Rational]] = [(size.numerator, size.denominator)]
    for top, bottom, ten in ((n * more**rest, d, tens[0]), (n, d * less**rest, tens[1])):  # fmt: skip
        power = Fraction(10) ** ten
        ways += [(top * power, bottom), (top, bottom / power)]

    def length(fraction: tuple[Rational, Rational]) -> tuple[int, int]:
        """All the characters, and those above the bar, where a 1 is not written."""
        top, bottom = (decimal_text(n.numerator, n.denominator) or "" for n in fraction)
        above = len(top) if top != "1" else 0
        return above + len(bottom), above

    return min(ways, key=length)


def _negated(item: Value) -> Value:
    return node(NEG, (item,))


def _chain(operation: Operation, items: list[Value]) -> Value:
    return reduce(lambda result, item: node(operation, (result, item)), items)


_VARIABLE, _FUNCTION = 2, 3
"""Ranks of factors."""


def _in_order(factors: Iterable[Factor]) -> list[Factor]:
    """The factors of a product in the order of writing; polynomials stand before functions, and behind exponentials alone."""
    ranks = {factor: _rank(factor) for factor in factors}
    if any(place == _FUNCTION for place, _, _ in ranks.values()):
        for base, exponent in ranks:
            if base.kind != "sum" or not exponent.is_whole:
                continue
            # has it only variables and constants in it, to whole powers?
            inside = [f for term, _ in base.parts[0] for f in term.factors or ((term, exponent),)]  # fmt: skip
            if all(b.kind in ("leaf", "number") and not b.is_euler and e.is_whole for b, e in inside):  # fmt: skip
                ranks[base, exponent] = _VARIABLE, 3, ""
    return sorted(ranks, key=ranks.__getitem__)


def _rank(factor: Factor) -> tuple[int, int, str]:
    """Return where a factor stands in a product: numbers, constants, variables, functions, exponentials, sums.

    A logarithm of a number is a constant above the bar, and stands behind variables below it: 1/(x*ln(2)). Variables
    stand in the order of the alphabet.
    """
    base, exponent = factor
    if base.kind == "number":
        return (0, 0, "") if exponent.kind == "number" else (4, 0, "")
    if base.kind == "leaf":
        if isinstance(base.parts[0], Constant):
            number = exponent.kind == "number"
            power = base.is_euler and not (number and exponent.parts[0] == 1)
            return (5, 0, "") if power or not number else (1, 0, "")
        # single letters are sorted, longer names stay in the order of writing
        name: str = base.parts[0].name or ""
        letter = name.lower() if len(name) == 1 and name.isascii() else ""
        return _VARIABLE, int(exponent.kind != "number"), letter
    if base.kind == "call" and all(a.is_constant for a in base.parts[1]):
        return (2, 2, "") if exponent.is_negative else (1, 1, "")
    return (6, 0, "") if base.kind == "sum" else (_FUNCTION, 0, "")


def _degree(form: Form) -> Rational | None:
    """The degree of a monomial in variables; None of anything else."""
    if form.kind != "product":
        return 0 if form.is_constant else 1 if form.kind == "leaf" else None
    powers = [(b.is_constant, e.number) for b, e in form.factors if b.kind == "leaf"]
    degrees = [0 if fixed else power for fixed, power in powers if power is not None]
    return sum(degrees) if len(degrees) == len(form.factors) else None


def _ordered(terms: tuple[Term, ...]) -> list[Term]:
    """A polynomial by falling degree, unless that would begin with a minus and rising would not."""
    degrees = {form: _degree(form) for form, _ in terms}
    out = list(terms)
    if None not in degrees.values():
        out.sort(key=lambda t: degrees[t[0]] or 0, reverse=True)
        if out[0][1] < 0 < out[-1][1]:
            out = sorted(terms, key=lambda t: degrees[t[0]] or 0)
    if out[0][1] < 0:
        # x - x^2 - 1 rather than -x^2 + x - 1
        lead = next((i for i, (_, c) in enumerate(out) if c > 0), 0)
        out.insert(0, out.pop(lead))
    return out
