"""Canonical forms of real expressions, in which equal terms and factors meet.

A `Form` is a number, a leaf, a call of an operation, a product c * b1^e1 * b2^e2 ... or a sum
c1*f1 + c2*f2 ... Forms are interned: two that are equal are the same object, whatever the order of
their parts, so like terms and like factors are found by identity.

Every rewrite keeps the value wherever the original has one, over the reals: sqrt(x)^2 becomes x, but
sqrt(x^2) stays, since x may be negative. An exponent p/q with odd q means the real root, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from operator import attrgetter

from exprgrad.algebra.polynomials import Rational
from exprgrad.algebra.work import OutOfReachError
from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.graph.value import Constant, Value
from exprgrad.operations import table
from exprgrad.operations.conditions import phrase
from exprgrad.operations.operation import ODD, TABLE, Operation

if TYPE_CHECKING:
    from typing import Literal, TypeVar

    T = TypeVar("T")
    Kind = Literal["number", "leaf", "call", "product", "sum"]

Term = tuple["Form", Rational]
Factor = tuple["Form", "Form"]

LONGEST = 2**16
"""Bits of the longest power that is reckoned with."""

MOST_BITS = 256
"""Numbers that would need more bits than this are left as powers and products."""

MOST_TERMS = 40
"""Sums of more terms than this are one term of those that they stand in."""


MOST_FACTORS = 12
"""Products of more factors than this are one factor of those that they stand in."""

HUGE = 5000
"""Bits of the longest number that is written out."""


class TooLargeError(ArithmeticError):
    """A coefficient has outgrown what can be written."""


class Form:
    """An interned canonical expression; see `Algebra`, which alone makes them.

    `parts` depends on `kind`: (number,), (leaf,), (operation, arguments), (coefficient, factors) or
    (terms,). `cost` is about the number of characters that it takes to write the form in LaTeX. `number` is the number
    that it is, and None of anything else.
    """

    __slots__ = ("cost", "kind", "number", "parts")

    def __init__(self, kind: Kind, parts: tuple, cost: int) -> None:  # type: ignore[type-arg] # by kind
        self.kind, self.parts, self.cost = kind, parts, cost
        self.number: Rational | None = parts[0] if kind == "number" else None

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The factors of a product as it is; none of anything else."""
        return self.parts[1] if self.kind == "product" else ()

    @property
    def inner(self) -> list[Form]:
        """The forms that it is made of: arguments, bases and exponents, or terms."""
        if self.kind == "call":
            return list(self.parts[1])
        if self.kind == "sum":
            return [part for part, _ in self.parts[0]]
        return [part for factor in self.factors for part in factor]

    @property
    def is_whole(self) -> bool:
        """Return whether it is a whole number."""
        return self.number is not None and self.number.denominator == 1

    @property
    def is_broken(self) -> bool:
        """Return whether it is a number that is not whole: the exponent of a root."""
        return self.number is not None and self.number.denominator > 1

    @property
    def is_odd_root(self) -> bool:
        """Return whether a power of that exponent is the real root that negative numbers have as well."""
        return self.is_broken and self.parts[0].denominator % 2 == 1

    @property
    def is_constant(self) -> bool:
        """Return whether it is a number or a named constant."""
        named = self.kind == "leaf" and isinstance(self.parts[0], Constant)
        return named or self.kind == "number"

    @property
    def is_euler(self) -> bool:
        """Return whether it is the constant e."""
        return self.kind == "leaf" and self.parts[0].name == "e" and self.is_constant

    @property
    def leaves(self) -> Iterator[Form]:
        """The variables and constants in it."""
        return (part for part in walk(self) if part.kind == "leaf")

    @property
    def is_fixed(self) -> bool:
        """Return whether there are no variables in it."""
        return all(leaf.is_constant for leaf in self.leaves)

    @property
    def is_negative(self) -> bool:
        """Return whether it is written with a minus sign in front."""
        if self.kind == "sum":
            return all(c < 0 for _, c in self.parts[0])
        return self.kind in ("number", "product") and self.parts[0] < 0


class Algebra:
    """Makes forms. Each instance has a table of its own, so forms of two of them do not mix."""

    def __init__(self) -> None:
        self._forms: dict[Hashable, Form] = {}
        self._numbers: dict[Rational, Form] = {}
        self._known: dict[Hashable, object] = {}
        self.units: set[Form] = set()
        """Calls of sign that are 1 or -1 wherever it matters."""
        self.zero, self.one = self.number(0), self.number(1)
        below = self.zero, self.number(-1)
        # made by hand: the answer of `multiply` to 0^-1 is this form
        key = ("product", 1, frozenset([below]))
        self.nowhere = self._intern(key, "product", (1, (below,)), FRACTION)
        """1/0: whatever has it as a part has no value anywhere."""

    def _intern(self, key: Hashable, kind: Kind, parts: tuple, cost: int) -> Form:  # type: ignore[type-arg]
        found = self._forms.get(key)
        if found is None:
            # what is shared costs as often as it is written: sin(f) + cos(f), nested n times, costs some 2^n
            found = self._forms[key] = Form(kind, parts, min(cost, 10**9))
        return found

    def number(self, value: Rational) -> Form:
        """An exact number. Raises `TooLargeError` for one that is too long to be written out."""
        known = self._numbers.get(value)
        if known is None:
            value = least(value)
            if max(value.numerator.bit_length(), value.denominator.bit_length()) > HUGE:
                raise TooLargeError
            cost = _scale_cost(value) + (value < 0)
            known = self._numbers[value] = Form("number", (value,), cost)
        return known

    def leaf(self, item: Value) -> Form:
        """A variable or a named constant; leaves of one name are one form."""
        return self._intern(("leaf", item.name), "leaf", (item,), 1)

    def call(self, operation: Operation, arguments: Sequence[Form]) -> Form:
        """An operation of the table that is no sum, product or power, but a power of 0."""
        # a branch without a value may never be taken
        needed = arguments[:1] if operation is table.IF else arguments
        if self.nowhere in needed:
            return self.nowhere
        cost = CALLED + sum(a.cost for a in arguments)
        key = ("call", operation, tuple(arguments))
        return self._intern(key, "call", (operation, tuple(arguments)), cost)

    def applied(self, operation: Operation, arguments: Sequence[Form]) -> Form:
        """An operation on forms, as a sum, a product, a power, an exact number or a call."""
        first = arguments[0]
        own = _RULES[operation](self, *arguments) if operation in _RULES else None
        if own is not None:
            return own
        numbers = [a.number for a in arguments]
        try:
            exact = _exact(operation, numbers)
        except (ValueError, ZeroDivisionError):
            return self.nowhere
        if exact is not None:
            return self.number(exact)
        if len(arguments) > 1 and _is_outside(operation, numbers):
            return self.nowhere
        if operation is table.IF and arguments[1] is arguments[2]:
            return arguments[1]
        if operation.choose and first.number is not None:
            taken = operation.choose(first.number)
            if taken is not None:
                return arguments[taken]
        if operation.parity and first.is_negative:
            positive = self.call(operation, [self.scaled(first, -1)])
            return self.scaled(positive, -1 if operation.parity == ODD else 1)
        return self.call(operation, arguments)

    def once(self, work: Callable[..., T], *given: Hashable) -> T:
        """Return the result of some work on forms, which is done only the first time."""
        key = (work, *given)
        if key not in self._known:
            self._known[key] = work(self, *given)
        return self._known[key]  # type: ignore[return-value] # of that key

    # Products

    def multiply(self, factors: Iterable[Factor], coefficient: Rational = 1) -> Form:
        """The product of powers base^exponent, like bases collected."""
        scale = coefficient
        collected: dict[Form, Form] = {}
        roots: dict[Form, Rational] = {}
        # from its end, so that bases are collected in the order of writing: width*height stays
        stack = list(factors)[::-1]
        while stack:
            base, exponent = stack.pop()
            number = exponent.number
            whole = number is not None and number.denominator == 1
            kind = base.kind
            if whole and (
                kind == "leaf" or (kind == "call" and base.parts[0] is not table.POW)
            ):
                had = collected.get(base)
                collected[base] = exponent if had is None else self.plus(had, exponent)
                continue
            if self.nowhere in (base, exponent) or _is_never(base, number):
                return self.nowhere
            if base is self.one:
                continue
            # 0^u is not 0: it is 1 where u is 0, and has no value where u is negative
            if base is self.zero and number is None:
                stack.append((self.call(table.POW, [base, exponent]), self.one))
            elif kind == "call" and base.parts[0] is table.POW and number:
                # 0^u is 0 or 1, and 0^u/0^u has a value where it is 1
                below = number < 0 or collected.get(base) is self.number(-1)
                collected[base] = self.number(-1 if below else 1)
            elif (
                base.kind == "number"
                and whole
                and _foldable(base.parts[0], exponent.parts[0])
            ):
                scale *= raised(base.parts[0], int(exponent.parts[0]))
            elif base.kind == "number" and base.parts[0] < 0 and exponent.is_odd_root:
                sign = self.number(-1 if exponent.parts[0].numerator % 2 else 1)
                stack += [(self.number(-base.parts[0]), exponent), (sign, self.one)]
            elif base.kind == "product" and _distributes(base, exponent, whole):
                if base.parts[0] != 1:
                    stack.append((self.number(base.parts[0]), exponent))
                stack += [(b, self.times(e, exponent)) for b, e in base.parts[1]][::-1]
            elif base.kind == "product" and (others := self._as_powers(base, exponent)):
                stack += others
            elif base.kind == "sum" and whole and all(c < 0 for _, c in base.parts[0]):
                positive = self.add([(f, -c) for f, c in base.parts[0]])
                stack += [(positive, exponent), (self.number(-1), exponent)]
            elif exponent.is_odd_root:
                # which powers of the base it may join is known when all are collected
                collected.setdefault(base, self.zero)
                roots[base] = roots.get(base, 0) + exponent.parts[0]
            elif base in collected:
                collected[base] = self.plus(collected[base], exponent)
            else:
                collected[base] = exponent
        for base, total in roots.items():
            self._collect_root(collected, base, total)
        return self._product(scale, collected)

    def _collect_root(
        self, collected: dict[Form, Form], base: Form, exponent: Rational
    ) -> None:
        """Collect base^exponent, a real root.

        x^y*x^(1/3) must not become x^(y + 1/3): at x = -8, y = 1 the former has a value. There the root is
        a factor of its own.
        """
        had, rest = collected[base], exponent % 1
        if had.kind != "number" and rest:
            exponent -= rest
            row = table.POW_ODD if rest.numerator % 2 else table.POW_EVEN
            root = self.call(row, [base, self.number(rest)])
            collected[root] = self.plus(collected.get(root, self.zero), self.one)
        collected[base] = self.plus(had, self.number(exponent))

    def _product(self, scale: Rational, collected: dict[Form, Form]) -> Form:
        if not scale:
            return self.zero
        # raises `TooLargeError` where many factors, each of moderate length, make a long number
        scale = self.number(scale).parts[0]
        if self._absolute(collected):
            return self.multiply(collected.items(), scale)
        factors = [(b, e) for b, e in collected.items() if e is not self.zero]
        nested = [f for f in factors if f[0].kind == "product"]
        if any(_distributes(b, e, e.is_whole) for b, e in nested):
            return self.multiply(factors, scale)  # sqrt(2*x)^2 is 2*x
        # powers of collected numbers that have become foldable, or are whole: 4^(1/2)
        powers = {(b, e): _root(b.number, e.number) for b, e in factors if b.number is not None and e.number is not None}  # fmt: skip
        folded = [(self.number(n), self.one) for n in powers.values() if n is not None]
        if folded:
            left = (f for f in factors if powers.get(f) is None)
            return self.multiply([*left, *folded], scale)
        if not factors:
            return self.number(scale)
        if scale == 1 and len(factors) == 1 and factors[0][1] is self.one:
            return factors[0][0]
        key = ("product", scale, frozenset(factors))
        found = self._forms.get(key)
        if found is None:
            cost = _product_cost(scale, factors)
            found = self._intern(key, "product", (scale, tuple(factors)), cost)
        return found

    def _absolute(self, collected: dict[Form, Form]) -> bool:
        """u^m*|u|^s*sign(u)^k as less, in place: sign(u)*|u| = u, u*sign(u) = |u|, u^2/|u| = |u|; so (ln|x|)' is 1/x.

        A hole at u = 0 is filled where the limit is 0; that of u/|u| stays. Whether anything was changed.
        """
        calls = [b.parts for b in collected if b.kind == "call"]
        changed = False
        for inside in {own[0]: None for operation, own in calls if operation in _SIZES}:
            three = (inside, *(self.call(row, [inside]) for row in _SIZES))
            exponents = [collected.get(form, self.zero) for form in three]
            if any(e.kind != "number" for e in exponents):
                continue
            m, s, k = own = tuple(e.parts[0] for e in exponents)
            is_unit = three[2] in self.units and k % 1 == 0
            less = _less_absolute(m, s, k % 2 if is_unit else k)
            if less != own:
                collected.update(zip(three, map(self.number, less), strict=True))
                changed = True
        return changed

    def _as_powers(self, base: Form, exponent: Form) -> list[Factor]:
        """A real root of a product with the number that it has outside, or as one power; nothing where it has neither.

        (c*u)^y = c^y*u^y for a number c > 0 whose power is exact: sqrt(4*x) = 2*sqrt(x). And (x^3)^(1/2) = x^(3/2),
        (x^4)^(1/3) = x^(4/3), where an even power leaves |u|: (x^4)^(1/2) = x^2, (x^2)^(3/4) = |x|^(3/2). Odd powers of
        |u| are those of sqrt(u^2).
        """
        scale, factors = base.parts
        if exponent.number is None:
            return []
        root = None if abs(scale) == 1 else _root(abs(scale), exponent.number)
        if root is not None:
            rest = self.multiply(factors, 1 if scale > 0 else -1)
            return [(rest, exponent), (self.number(root), self.one)]
        inside, inner = factors[0]
        if scale != 1 or len(factors) != 1 or inner.number is None:
            return []
        if inner.number.denominator % 2 == 0:
            return []
        power = least(inner.number * exponent.number)
        if inner.number.numerator % 2 or power.numerator % 2 == 0:
            return [(inside, self.number(power))]
        if power.denominator > 1:
            return [(self.call(table.ABS, [inside]), self.number(power))]
        half = self.number(Fraction(power, 2))
        square = self.power(inside, self.number(2))
        return [] if half is exponent else [(square, half)]

    def power(self, base: Form, exponent: Form) -> Form:
        """base^exponent."""
        return self.multiply([(base, exponent)])

    def times(self, a: Form, b: Form) -> Form:
        """a*b."""
        if a is self.one or b is self.one:
            return b if a is self.one else a
        return self.multiply([(a, self.one), (b, self.one)])

    # Sums

    def add(self, terms: Iterable[Term]) -> Form:
        """The sum of coefficient*form, like terms collected, nested sums taken apart."""
        collected: dict[Form, Rational] = {}
        for form, coefficient in terms:
            if form is self.nowhere:
                return form
            for part, own in self.terms(form):
                collected[part] = collected.get(part, 0) + coefficient * own
        left = [(f, least(c)) for f, c in collected.items() if c]
        # x + 1, whatever came first
        left.sort(key=lambda term: term[0] is self.one)
        if not left:
            return self.zero
        if len(left) == 1:
            return self.scaled(*left[0])
        key = ("sum", frozenset(left))
        found = self._forms.get(key)
        if found is None:
            cost = sum(_term_cost(f, c) for f, c in left) + 3 * (len(left) - 1)
            found = self._intern(key, "sum", (tuple(left),), cost)
        return found

    def terms(self, form: Form) -> Sequence[Term]:
        """A form as terms: the parts of a sum (unless there are many), else itself."""
        if form.kind == "sum" and len(form.parts[0]) <= MOST_TERMS:
            parts: Sequence[Term] = form.parts[0]
            return parts
        if form.kind == "number":
            return [(self.one, form.parts[0])]
        if form.kind == "product" and form.parts[0] != 1:
            scale, factors = form.parts
            # 2*(x + 1) is a product whose terms are 2*x and 2
            inner = self._product(1, dict(factors))
            return [(f, c * scale) for f, c in self.terms(inner)]
        return [(form, 1)]

    def plus(self, a: Form, b: Form) -> Form:
        """a + b."""
        if a.kind == "number" == b.kind:
            return self.number(a.parts[0] + b.parts[0])
        return self.add([(a, 1), (b, 1)])

    def minus(self, a: Form, b: Form) -> Form:
        """a - b."""
        return self.add([(a, 1), (b, -1)])

    def scaled(self, form: Form, coefficient: Rational) -> Form:
        """coefficient*form."""
        if coefficient == 1:
            return form
        return self.multiply([(form, self.one)], coefficient)


_SIZES = (table.ABS, table.SIGN)

FRACTION, ROOT, BRACKETS, EXPONENT, CALLED = 9, 7, 2, 3, 6
"""About the characters that these take in LaTeX."""

NESTED = 8
"""The additional cost of a fraction within a fraction."""


def _digits(number: int) -> int:
    return len(str(abs(number))) if abs(number) < 10**15 else number.bit_length() // 3


def _term_cost(form: Form, coefficient: Rational) -> int:
    """The cost of a term of a sum, without its sign."""
    if form.kind == "number":
        return _scale_cost(coefficient)
    if abs(coefficient) == 1:
        return form.cost
    # of 1/2 times 1/x one bar is written
    shares_bar = coefficient.denominator != 1 and _is_fraction(form)
    return form.cost + _scale_cost(coefficient) + 1 - FRACTION * shares_bar


def _scale_cost(number: Rational) -> int:
    cost = _digits(number.numerator)
    if number.denominator != 1:
        cost += _digits(number.denominator) + FRACTION
    return cost


def _is_fraction(form: Form) -> bool:
    """Return whether a product is written with a fraction bar."""
    return form.kind == "product" and (
        form.parts[0].denominator != 1 or any(is_below(*f) for f in form.parts[1])
    )


def is_below(base: Form, exponent: Form) -> bool:
    """Return whether a factor stands below the fraction bar."""
    negative = exponent.number is not None and exponent.number.numerator < 0
    return negative and not base.is_euler


def has_fractions(form: Form) -> bool:
    """Return whether a form is a sum with fractions in it."""
    return form.kind == "sum" and any(
        c.denominator != 1 or _is_fraction(f) for f, c in form.parts[0]
    )


def _product_cost(scale: Rational, factors: Sequence[Factor]) -> int:
    below = sum(is_below(*f) for f in factors)
    above = len(factors) - below
    top, bottom = abs(scale.numerator) != 1, scale.denominator != 1
    cost = (scale.numerator < 0) + len(factors) - 1
    if top or not above:
        cost += _digits(scale.numerator) + (above > 0)
    if bottom:
        cost += _digits(scale.denominator) + (below > 0)
    if bottom or below:
        cost += FRACTION
    for base, exponent in factors:
        under = below and is_below(base, exponent)
        alone = (below + bottom if under else above + top) == 1
        cost += _power_cost(base, exponent, alone)
        if has_fractions(base) and (under or below or bottom):
            cost += NESTED
    return cost


def _power_cost(base: Form, exponent: Form, alone: bool) -> int:
    """The cost of a factor; a sum that stands alone above or below a bar needs no brackets."""
    brackets = BRACKETS if base.kind in ("sum", "product") else 0
    if exponent.kind != "number":
        return base.cost + exponent.cost + EXPONENT + brackets
    number: Rational = exponent.parts[0]
    top, bottom = abs(number.numerator), number.denominator
    if bottom == top:
        return base.cost + (BRACKETS if base.kind == "sum" and not alone else 0)
    if top == 1 and bottom != 1:
        return base.cost + ROOT + (bottom > 2) * 3
    bar = FRACTION + _digits(bottom) if bottom != 1 else 0
    return base.cost + _digits(top) + EXPONENT + brackets + bar


def _less_absolute(
    m: Rational, s: Rational, k: Rational
) -> tuple[Rational, Rational, Rational]:
    """The exponents of u, |u| and sign(u) in the shortest way to write u^m*|u|^s*sign(u)^k."""
    # nothing cancels in u*|u|, u^2*|u|^(1/2) and sign(u)*|u|^(1/2)
    as_it_is = m * s >= 0 and not (k and m > 0) and (s % 1 or (s % 2 and not k))
    if m.denominator % 2 == 0 or k not in (0, 1) or as_it_is or not (m or s):
        return m, s, k
    # what is left is a power of u, of |u|, or either times a sign, as the whole is odd or even in u
    total, odd = m + s, (m.numerator + k) % 2
    if total.denominator % 2 and total.numerator % 2 == odd:
        return total, 0, 0
    if not odd:
        return 0, total, 0
    if total % 1:
        return 0, total, 1
    toward = 1 if total > 0 else -1
    return total - toward, toward, 0


def _exponential(algebra: Algebra, u: Form) -> Form:
    if u.kind == "call" and u.parts[0] is table.LN:
        return u.parts[1][0]  # type: ignore[no-any-return] # a form
    return algebra.power(algebra.leaf(Constant(math.e, "e")), u)


def _logarithm(algebra: Algebra, u: Form) -> Form | None:
    """Return what ln takes out of a power of e."""
    base, exponent = (u, algebra.one) if u.kind != "product" else u.parts[1][0]
    is_alone = u.kind != "product" or (u.parts[0] == 1 and len(u.parts[1]) == 1)
    return exponent if base.is_euler and is_alone else None


def _size_or_sign(operation: Operation, algebra: Algebra, u: Form) -> Form | None:
    """|u^3| as |u|^3, |u^2| as u^2, and sign(u^3) as sign(u); None of anything else."""
    if len(u.factors) != 1 or u.parts[0] != 1 or u.factors[0][1].number is None:
        return None
    [(base, exponent)] = u.factors
    power: Rational = exponent.parts[0]
    is_odd = power.numerator % 2 and power.denominator % 2
    inside = algebra.applied(operation, [base]) if is_odd else base
    if operation is table.ABS:
        return algebra.power(inside, exponent)
    return inside if is_odd and power > 0 else None


def _hypotenuse(algebra: Algebra, *legs: Form) -> Form:
    two, half = algebra.number(2), algebra.number(Fraction(1, 2))
    return algebra.power(algebra.add([(algebra.power(a, two), 1) for a in legs]), half)


def _remainder(algebra: Algebra, u: Form, v: Form) -> Form | None:
    """0 for a multiple."""
    return algebra.zero if _quotient(algebra, u, v).is_whole else None


def _quotient(algebra: Algebra, u: Form, v: Form) -> Form:
    return algebra.multiply([(u, algebra.one), (v, algebra.number(-1))])


_RULES: dict[Operation, Callable[..., Form | None]] = {
    table.ADD: Algebra.plus,
    table.SUB: Algebra.minus,
    table.MUL: Algebra.times,
    table.DIV: _quotient,
    table.NEG: lambda algebra, u: algebra.scaled(u, -1),
    table.POW: Algebra.power,
    table.POW_ODD: Algebra.power,
    table.POW_EVEN: Algebra.power,
    table.SQRT: lambda algebra, u: algebra.power(u, algebra.number(Fraction(1, 2))),
    table.CBRT: lambda algebra, u: algebra.power(u, algebra.number(Fraction(1, 3))),
    table.HYPOT: _hypotenuse,
    table.EXP: _exponential,
    table.LN: _logarithm,
    table.LOG: lambda algebra, u, base: algebra.zero if u is algebra.one else None,
    table.ABS: partial(_size_or_sign, table.ABS),
    table.SIGN: partial(_size_or_sign, table.SIGN),
    table.MOD: _remainder,
}
"""Operations as sums, products and powers, and what they are of some forms; None where that is not known."""


def _is_outside(operation: Operation, numbers: Sequence[Rational | None]) -> bool:
    """Return whether a condition of several arguments' domain fails by numbers alone: root(x, 0)."""
    for condition in operation.domain if any(n is not None for n in numbers) else ():
        asked = phrase(condition.holds, operation.arity)
        settled = None not in [numbers[i] for i in asked.arguments()]
        if settled and not asked.holds(lambda name: TABLE[name].kernel, numbers):
            return True
    return False


def _exact(operation: Operation, numbers: Sequence[Any]) -> Rational | None:
    """The value of a call on numbers where it is exact: at 0 and 1, and for piecewise functions.

    It is None where an argument is no number. Raises `ValueError` or `ZeroDivisionError` where there is none.
    """
    # elsewhere a double that is whole may be so by rounding: erf(10) is 1.0
    if None in numbers or not (operation.exact or {*numbers} <= {-1, 0, 1}):
        return None
    if operation is table.ABS:
        return abs(numbers[0])  # type: ignore[no-any-return] # a number
    try:
        result = operation.kernel(*numbers)
    except OverflowError:
        return None
    whole = int(result)
    if abs(result) >= 10**15 or whole != result:
        return None
    if operation in (table.LOG2, table.LOG10, table.LOG):
        # near a whole number, doubles round to it
        base: Rational = {table.LOG2: 2, table.LOG10: 10}.get(operation) or numbers[1]
        if abs(whole) > HUGE or raised(base, whole) != numbers[0]:
            return None
    return whole


def is_power_of_zero(form: Form) -> bool:
    """Return whether a form is a power of 0, 1/0 and (2*0^x)^y among them, or a product with one as a factor."""
    if form.kind == "product":
        return any(is_power_of_zero(base) for base, _ in form.parts[1])
    return form.kind in ("number", "call") and form.parts[0] in (0, table.POW)


def _is_never(base: Form, exponent: Rational | None) -> bool:
    """Return whether a number has no such power: 0^-1, (-2)^(3/2)."""
    if base.kind != "number" or exponent is None or base.parts[0] > 0:
        return False
    return bool(exponent < 0 if not base.parts[0] else exponent.denominator % 2 == 0)


def _foldable(base: Rational, exponent: Rational) -> bool:
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    size = exponent if exponent > 0 else -exponent
    return bits * size <= MOST_BITS and (base != 0 or exponent > 0)


def raised(base: Rational, exponent: int) -> Rational:
    """A power of a number, exactly. Raises `OutOfReachError` for one that nobody would write down."""
    size = max(base.numerator.bit_length(), base.denominator.bit_length()) - 1
    if size * abs(exponent) > LONGEST:
        raise OutOfReachError
    return base**exponent if exponent >= 0 else Fraction(1, base) ** -exponent


def over(number: Rational, divisor: Rational) -> Rational:
    """A quotient of numbers, exactly."""
    return least(Fraction(number, divisor)) if divisor != 1 else number


def least(number: Rational) -> Rational:
    """A whole number as an integer, which is quicker to reckon with."""
    return number.numerator if number.denominator == 1 else number


def _distributes(base: Form, exponent: Form, whole: bool) -> bool:
    """Return whether (c * b1^e1 * ...)^exponent may be taken into the product.

    For whole exponents always; else for a single positive factor, an exponential: (e^u)^y = e^(u*y).
    """
    if whole:
        return len(base.parts[1]) <= MOST_FACTORS
    scale, factors = base.parts
    positive = len(factors) == 1 and factors[0][0].is_euler
    return bool(scale == 1 and positive)


def _root(base: Rational, exponent: Rational) -> Rational | None:
    """base^exponent where that is a whole number or fraction of moderate size."""
    if exponent.denominator == 1:
        return raised(base, exponent.numerator) if _foldable(base, exponent) else None
    if base < 0 and exponent.denominator % 2 == 0:
        return None
    sign = -1 if base < 0 and exponent.numerator % 2 else 1
    degree = exponent.denominator
    parts = abs(base.numerator), base.denominator
    top, bottom = (_whole_root(part, degree) for part in parts)
    if top is None or bottom is None or (not top and exponent < 0):
        return None
    found = Fraction(top, bottom)
    if not _foldable(found, exponent.numerator):
        return None
    return sign * found**exponent.numerator


def _whole_root(n: int, degree: int) -> int | None:
    if n.bit_length() > MOST_BITS or degree > MOST_BITS:
        return None
    # Newton's steps, from above
    guess = 1 << -(-n.bit_length() // degree)
    while guess**degree > n:
        guess = ((degree - 1) * guess + n // guess ** (degree - 1)) // degree
    return guess if guess**degree == n else None


def walk(
    root: Form, parts_of: Callable[[Form], list[Form]] = attrgetter("inner")
) -> Iterator[Form]:
    """All parts of a form in the order of writing."""
    seen: set[Form] = set()
    stack = [root]
    while stack:
        form = stack.pop()
        if form not in seen:
            seen.add(form)
            yield form
            stack += parts_of(form)[::-1]


def each_part(
    root: Form,
    make: Callable[[Form], T],
    done: dict[Form, T],
    parts_of: Callable[[Form], list[Form]] = attrgetter("inner"),
) -> T:
    """Return what `make` gives for a form, once it is `done` for its parts."""
    stack = [root]
    while stack:
        form = stack[-1]
        waiting = [part for part in parts_of(form) if part not in done]
        if waiting:
            stack += waiting[::-1]
        else:
            stack.pop()
            # two that wait for one part both put it on the stack
            if form not in done:
                done[form] = make(form)
    return done[root]
