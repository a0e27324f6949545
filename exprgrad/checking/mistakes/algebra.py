"""Mistakes of people who rearrange: a catalogue of slips in algebra, and where in a line one was made.

Each slip is tried at each part of a line with a few numbers, without a sweep: what it gives is compared with what
is due there (see `parts`). With z the part and d its due, d = -z is a sign, d/z constant a factor, and
d = sqrt(u + v) where sqrt(u) + sqrt(v) stands is a root taken term by term.

`REPAIRS` are tried on the wrong line itself: what should stand there instead. `SLIPS` are tried on the line before:
what was made of it. To add a slip, add a row. Those that come first are named first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.mistakes.parts import Part, Quantity, mistakable, same, written
from exprgrad.language.brackets import outside
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import ADD, DIV, EXP, MUL, NEG, POW, SUB, ln, sqrt

MOST_WORK = 40_000
"""Candidates that are tried in all for one line."""


class Named(NamedTuple):
    """A quantity that may have been lost: what it is called and its value."""

    text: str
    value: Quantity


Word = str | float | Part | Sequence[tuple[int, Any]]
"""What stands in a sentence: a text, a number, a part as typed, or a sum of such, each with its sign."""


class Given(NamedTuple):
    """The result of a slip at a part, with words for its sentence.

    Where something was lost, `value` is what that would have to be, or what `of` would have to make of it.
    """

    value: Quantity
    words: Mapping[str, Word] = {}
    of: Callable[[Quantity], Quantity] | None = None


class Slip(NamedTuple):
    """One slip: its name, the rule to look up, what it gives at a part, what to say.

    What was `lost` is looked for among the named quantities, with these signs. In `tell`, {part} is the part as
    typed, {lost} what was lost; the other words come from `gives`.
    """

    name: str
    rule: str
    gives: Callable[[Part], Iterable[Given]]
    tell: str
    lost: tuple[int, ...] = ()


def in_words(word: Word) -> str:
    """A word of a sentence as a text."""
    if isinstance(word, float):
        return written(word) or f"{word:g}"
    if isinstance(word, str | Part):
        return str(word)
    text = ""
    for sign, term in word:
        plus, minus = (" + ", " - ") if text else ("", "-")
        text += f"{minus if sign < 0 else plus}{in_words(term)}"
    return text


def _few(pairs: list[tuple[int, Part]], most: int) -> list[tuple[int, Part]]:
    """The terms or the factors of a part if there are several, but not very many; else none."""
    return pairs if 1 < len(pairs) < most else []


# Of the line itself: what should stand in place of a part


def _exponent(part: Part) -> Iterator[Given]:
    """Another constant exponent than the one that stands there."""
    base, n = part.power or (part, 1.0)
    arithmetic = part.operation in (ADD, SUB, NEG, MUL, DIV)
    if (base is part and part.operation is POW) or base.constant is not None:
        return
    # of a whole line, a wrong exponent says nothing of what was done in it
    if arithmetic and part.within is None:
        return
    # first what comes of a power that was differentiated, integrated, squared or turned over
    beside = n - 1, n + 1, 2 * n, n / 2, -n, 2.0, 3.0, 1.0, 0.5, -1.0, -2.0
    for m in (*beside, n - 2, n + 2, n - 0.5, n + 0.5):
        if m not in (n, 0):
            yield Given(base.value**m, {"base": base, "right": m, "own": n})


def _other_function(part: Part) -> Iterator[Given]:
    """The derivative of a function that was left as it is, or the other way round, or its partner."""
    own, z = part.operation, part.value
    if own is None or len(part.operands) != 1 or not own.inverse or own is EXP:
        return
    [inner] = part.operands
    for other in mistakable():
        if other is not own:
            w = other(inner.value)
            yield Given(w, {"right": f"{other.name}({inner})"})
            yield Given(-w, {"right": f"-{other.name}({inner})"})
    yield Given(z**2, {"right": f"{own.name}({inner})^2"})
    yield Given(z**-1, {"right": f"{own.name}({inner})^-1"})


def _term_by_term(part: Part) -> Iterator[Given]:
    """Yield, where f(a) + f(b) stands, f(a + b)."""
    terms = _few(part.terms, 6)
    for _, first in terms:
        f = first.function
        inside = [] if f is None else [_inside(term, f.kind) for _, term in terms]
        if f is None or None in inside:
            continue
        values = [u for u in inside if u is not None]
        signs = [sign for sign, _ in terms]
        yield Given(f.of(sum(s * u for s, u in zip(signs, values, strict=True))))  # type: ignore[arg-type] # none is 0
        # the sign between two roots may have been turned, too
        if f.kind == 0.5:
            yield Given(sqrt(sum(values)))


def _inside(term: Part, kind: Operation | float) -> Quantity | None:
    """Return what a function is taken of in a term: of sqrt(16), which stands there as 4, of 16."""
    found = term.function
    if found is not None and found.kind == kind:
        return found.inner.value
    if term.constant is None or isinstance(kind, Operation):
        return None
    return term.value ** (1 / kind)


def _squares(part: Part) -> Iterator[Given]:
    """Yield, where a^2 + b^2 stands, worked out or not, (a + b)^2."""
    if len(part.terms) == 2 and all(_is_square(term) for _, term in part.terms):
        (s, a), (t, b) = part.terms
        u, v = a.value, b.value
        yield Given((sqrt(s * u) + t * sqrt(v)) ** 2)
        yield Given((s * sqrt(u) + sqrt(t * v)) ** 2)


def _is_square(part: Part) -> bool:
    """Return whether a part is an even power, or the square of a whole number."""
    constant = part.constant
    if constant is not None:
        return constant > 0 and math.isqrt(int(constant)) ** 2 == constant
    return part.power is not None and part.power[1] % 2 == 0


def _bracketed(part: Part) -> Iterator[Given]:
    """Yield, where a*b + c stands, a*(b + c); where a + b*c stands, (a + b)*c, for neighbouring terms."""
    terms = _few(part.terms, 10)
    for i in range(len(terms)):
        for j in range(i + 2, len(terms) + 1):
            yield from _bracket_behind(part, terms[i:j])
            (sign, opening), *between, (last, closing) = terms[i:j]
            for text, inner in _products(closing, from_first=True):
                words = {"inside": [(1, opening), *between, (last, text)]}
                inside = opening.value + _total(between) + last * inner
                # a minus sign in front is that of the bracket
                bracket = sign * inside * closing.value / inner
                yield Given(part.value - _total(terms[i:j]) + bracket, words)


def _bracket_behind(part: Part, terms: list[tuple[int, Part]]) -> Iterator[Given]:
    """Yield, where a*b + c stands in a sum, a*(b + c); where a^n + c stands, a^(n + c)."""
    (sign, opening), *others = terms
    # the sum without c, and with a*c in its place, where a is the product without the factors in the bracket
    first, tail = sign * opening.value, _total(others)
    for text, inner in _products(opening, from_first=False):
        words = {"inside": [(1, text), *others]}
        yield Given(part.value - tail + first / inner * tail, words)
    power = opening.factors[-1][1].power
    if power is not None:
        base, n = power
        words = {"inside": [(1, n), *others]}
        yield Given(part.value - tail + first * (base.value**tail - 1), words)


def _total(terms: Iterable[tuple[int, Part]]) -> Quantity:
    return sum(sign * term.value for sign, term in terms)  # type: ignore[return-value] # or 0


def _products(part: Part, from_first: bool) -> Iterator[tuple[str, Quantity]]:
    """The products of the first factors of a part, or of its last ones, but not of all."""
    factors = part.factors
    # a/b*c is a*c/b: a bracket that begins at its end is a factor above the bar
    if not from_first and any(power < 0 for power, _ in factors[1:]):
        factors = [f for f in factors if f[0] > 0]
    for count in range(1, len(factors)):
        some = factors[:count] if from_first else factors[-count:]
        if all(power > 0 for power, _ in some):
            names = "*".join(str(factor) for _, factor in some)
            yield names, math.prod(factor.value for _, factor in some)  # type: ignore[misc] # a quantity


def _power_of_product(part: Part) -> Iterator[Given]:
    """Yield, where a*b^n stands, (a*b)^n."""
    factors = _few(part.factors, 8)
    for way, factor in factors:
        if factor.power is None or way < 0:
            continue
        n = factor.power[1]
        for other, base in factors:
            if base is not factor:
                # base^(n - 1) is missing, above the bar or below it
                value = part.value * (base.value ** (n - 1)) ** other
                yield Given(value, {"factor": base, "exponent": n})


def _log_rules(part: Part) -> Iterator[Given]:
    """Yield, where ln(a)*ln(b) stands, ln(a*b), or ln(a + b); where ln(a)/ln(b) stands, ln(a/b); where ln(u)^n, n*ln(u)."""
    logs = [operand.operation is ln for operand in part.operands]
    if part.operation in (ADD, SUB, MUL, DIV) and all(logs):
        u, v = (operand.operands[0].value for operand in part.operands)
        of_one = ln(u * v), ln(u / v), ln(u + v), ln(u - v)
        yield from map(Given, (*of_one, ln(u) - ln(v), ln(u) + ln(v), ln(u) / ln(v)))
    if part.operation is POW and logs[0]:
        z, n = (operand.value for operand in part.operands)
        yield Given(n * z)


# Of the line itself: what was lost from it


def _other_argument(part: Part) -> Iterator[Given]:
    """A function of something else than what stands in it."""
    f = part.function
    if f is not None:
        yield Given(part.due, {"inner": f.inner}, f.of)


def _cancelled(part: Part) -> Iterator[Given]:
    """Yield, where (a + c)/d stands, (a*b + c)/(b*d), with b cancelled from one term only; or b from the whole."""
    above, d = part, Quantity([1.0] * len(part.value.at))
    if part.operation is DIV:
        above, d = part.operands[0], part.operands[1].value
    elif part.operation not in (ADD, SUB):
        return
    # with u for the term that was divided, d*due is u + rest/b or u/b + rest: both can be solved for b
    total, due = d * part.value, d * part.due
    for sign, term in _few(above.terms, 8):
        u, words = sign * term.value, {"term": term}
        yield Given((total - u) / (due - u), words)
        yield Given(u / (due - total + u), words)


# Of the line itself: numbers


def _factor(part: Part) -> Iterator[Given]:
    """A constant factor that is missing from what varies, or one too many."""
    ratio = part.ratio
    factor = None if ratio in (None, 1, -1) else written(ratio or 0.0)
    if factor is not None and part.constant is None:
        said = f"lacks the factor {factor}"
        if factor.startswith("1/"):
            said = f"has a factor {factor[2:]} too many"
        elif "/" in factor:
            said = f"should be {factor} times as large"
        yield Given(part.due, {"said": said})


def _number(part: Part) -> Iterator[Given]:
    """Another number, but for an exponent."""
    right = None if part.due.steady is None else written(part.due.steady)
    # another row tells wrong exponents, with their bases
    exponent = part.within is not None and part.within.operation is POW
    if part.constant is not None and right is not None and not exponent:
        yield Given(part.due, {"right": right})


ALGEBRA, SIGNS, BRACKETS = "algebra", "signs", "brackets"
POWERS, ROOTS, FRACTIONS, LOGARITHMS = "powers", "roots", "fractions", "logarithms"

# fmt: off
REPAIRS = (
    Slip("lost sign", SIGNS, lambda p: [Given(-p.value)], "the sign of {part} is wrong"),
    Slip("function of a sum taken term by term", ALGEBRA, _term_by_term,
         "{part} was taken term by term, but a function of a sum is not the sum of the functions"),
    Slip("square of a sum", POWERS, _squares, "a square of a sum was taken term by term in {part}: (a + b)^2 = a^2 + 2*a*b + b^2"),
    Slip("wrong function", "the table", _other_function, "{part} should be {right}"),
    Slip("lost bracket", BRACKETS, _bracketed, "the bracket around {inside} was lost in {part}"),
    Slip("power of a product", POWERS, _power_of_product,
         "{factor} was not raised to {exponent} in {part}: (a*b)^n = a^n*b^n"),
    Slip("logarithm rule", LOGARITHMS, _log_rules,
         "a rule of logarithms was mixed up in {part}: ln(a*b) = ln(a) + ln(b), ln(a/b) = ln(a) - ln(b), and ln(a + b) has no such rule"),
)
"""What should stand in a line in place of a part of it."""

CONSTANTS = (
    Slip("constant factor", "constants", _factor, "{part} {said}"),
    Slip("wrong number", "arithmetic", _number, "{part} should be {right}"),
)
"""A constant factor that is missing, one too many, and a number."""

LATE_REPAIRS = (
    Slip("wrong exponent", POWERS, _exponent, "the exponent of {base} should be {right}, not {own}"),
    Slip("root of a sum", ROOTS,
         lambda p: [Given(sqrt(a.value**2 + t * b.value**2)) for (_, a), (t, b) in zip(p.terms[:1], p.terms[1:], strict=False)],
         "a root was taken term by term in {part}: sqrt(a^2 + b^2) is not a + b"),
)
"""What should stand there, where a constant factor is the likelier reason."""

CHAIN_RULE = (
    Slip("inner derivative left out", "the chain rule",
         lambda p: [Given(p.due / p.value)] if p.step is not None and p.constant is None else [],
         "the inner derivative was left out: {part} has to be multiplied by the derivative of {lost}", (1, -1)),
)
"""What was lost, of the derivatives of insides."""

DROPPED = (
    Slip("wrong argument", ALGEBRA, _other_argument, "the {inner} in {part} should be {lost}", (1,)),
    Slip("wrong cancelling", FRACTIONS, _cancelled,
         "{lost} was cancelled from one term only, look at {term}: what is cancelled must be a factor of every term", (1,)),
    Slip("lost factor", ALGEBRA, lambda p: [Given(p.due / p.value)], "{part} lacks the factor {lost}", (1, -1)),
)
"""What was lost, of the parts of the line before."""

DROPPED_LAST = (
    Slip("factor too many", ALGEBRA, lambda p: [Given(p.value / p.due)], "{part} has a factor {lost} too many", (1,)),
    Slip("lost term", ALGEBRA, lambda p: [Given(p.due - p.value)], "the term {lost} is missing beside {part}", (1, -1)),
    Slip("wrong part", ALGEBRA, lambda p: [Given(p.due)] if p.within is not None else [], "{part} should be {lost}", (1, -1)),
)
"""The same, tried last."""
# fmt: on


# Of the line before: what was made of a part


def _by_terms(part: Part) -> Iterator[Given]:
    """f(a + b) as f(a) + f(b)."""
    f = part.function
    if f is not None and (terms := _few(f.inner.terms, 6)):
        yield Given(sum(s * f.of(term.value) for s, term in terms))  # type: ignore[arg-type] # none is 0
        yield Given(sum(f.of(s * term.value) for s, term in terms))  # type: ignore[arg-type] # none is 0


def _power_of_power(part: Part) -> Iterator[Given]:
    """(u^m)^n as u^(m + n) or u^(m^n); u^m*u^n as u^(m*n)."""
    if part.power is not None and (inner := part.power[0].power) is not None:
        (_, n), (u, m) = part.power, inner
        yield Given(u.value ** (m + n))
        yield Given(u.value ** (m**n))
    if part.operation is MUL:
        powers = [own for operand in part.operands if (own := operand.power)]
        if len(powers) == 2:
            (u, m), (v, n) = powers
            if same(u.value, v.value):
                yield Given(u.value ** (m * n))


def _logs_taken_apart(part: Part) -> Iterator[Given]:
    """ln(a*b) as ln(a)*ln(b), ln(a/b) as ln(a)/ln(b), ln(u^n) as ln(u)^n."""
    if part.operation is not ln or len(part.operands[0].operands) != 2:
        return
    [inner] = part.operands
    u, v = (operand.value for operand in inner.operands)
    if inner.operation in (MUL, ADD, SUB):
        yield Given(ln(u) * ln(v))
    if inner.operation in (DIV, SUB):
        yield Given(ln(u) / ln(v))
    if inner.operation is POW:
        yield Given(ln(u) ** v)


def _bracket_lost(part: Part) -> Iterator[Given]:
    """a*(b + c) as a*b + c, or a - (b + c) as a - b + c."""
    for way, factor in part.factors:
        terms = _few(factor.terms, 8)
        if way > 0 and terms:
            whole, outer = factor.value, part.value / factor.value
            for sign, term in (terms[0], terms[-1]):
                own = sign * term.value
                yield Given(outer * own + (whole - own))
    if part.operation in (SUB, NEG):
        taken = part.operands[-1]
        for sign, term in _few(taken.terms, 8)[:1]:
            yield Given(part.value + 2 * (taken.value - sign * term.value))


def _fractions(part: Part) -> Iterator[Given]:
    """(a + b)/c with c below one term only, or gone with one; a/(b + c) taken apart; a/b + c/d added straight."""
    if part.operation is DIV:
        above, below = part.operands
        yield from _below_one_term(above, below)
        # from a/(b + c): a/b + a/c, and a/b + c
        owned = [sign * term.value for sign, term in _few(below.terms, 6)]
        if owned:
            yield Given(sum(above.value / u for u in owned))  # type: ignore[arg-type] # none is 0
            yield Given(above.value / owned[0] + below.value - owned[0])
    fractions = [operand.operands for operand in part.operands if operand.operation is DIV]  # fmt: skip
    if part.operation in (ADD, SUB) and len(fractions) == 2:
        (a, b), (c, d) = ([own.value for own in pair] for pair in fractions)
        added = a + c if part.operation is ADD else a - c
        yield Given(added / (b + d))
        yield Given(added / (b * d))


def _below_one_term(above: Part, below: Part) -> Iterator[Given]:
    """From (a + b)/c: a + b/c, a/c + b, a; and with a factor f of c that is cancelled once, or but once."""
    terms, whole, c = _few(above.terms, 8), above.value, below.value
    owned = [sign * term.value for sign, term in terms]
    for u in owned:
        rest = whole - u
        yield from map(Given, (rest / c + u, rest + u / c, rest))
    for _, factor in below.factors if terms else ():
        f = factor.value
        for u in owned:
            yield Given((whole - u + u / f) * f / c)
            yield Given(((whole - u) / f + u) * f / c)


# fmt: off
SLIPS = (
    Slip("function of a sum taken term by term", ALGEBRA, _by_terms,
         "{part} was taken term by term, but a function of a sum is not the sum of the functions"),
    Slip("power of a product", POWERS,
         lambda p: [Given(p.value * (f.value ** (1 - n)) ** way, {"factor": f})
                    for base, n in [p.power or (p, 1.0)] for way, f in _few(base.factors, 6) if n != 1],
         "{factor} was not raised in {part}: (a*b)^n = a^n*b^n"),
    Slip("power of a power", POWERS, _power_of_power, "the exponents in {part} were joined wrongly: (u^m)^n = u^(m*n), and u^m*u^n = u^(m + n)"),
    Slip("logarithm rule", LOGARITHMS, _logs_taken_apart,
         "a rule of logarithms was mixed up in {part}: ln(a*b) = ln(a) + ln(b), ln(a/b) = ln(a) - ln(b), ln(u^n) = n*ln(u)"),
    Slip("lost sign", SIGNS, lambda p: [Given(-p.value)], "the sign of {part} was changed"),
    Slip("lost bracket", BRACKETS, _bracket_lost, "a bracket was lost when {part} was rewritten"),
)
"""What was made of a part of the line before."""

LOSING = (
    Slip("wrong cancelling", FRACTIONS, _fractions,
         "{part} was cancelled or split wrongly: only a factor of the whole numerator and denominator cancels"),
    Slip("wrong function", "the table", _other_function, "{part} became {right}"),
    Slip("wrong exponent", POWERS, _exponent, "the exponent {own} of {base} became {right}"),
    Slip("lost factor", ALGEBRA,
         lambda p: [Given(p.value / f.value**way, {"factor": f}) for way, f in _few(p.factors, 12)],
         "the factor {factor} of {part} was lost"),
    Slip("lost term", ALGEBRA,
         lambda p: [Given(p.value - sign * t.value, {"term": t}) for sign, t in _few(p.terms, 12)],
         "the term {term} of {part} was lost"),
)
"""The same, tried later."""
# fmt: on


class Match(NamedTuple):
    """A slip that explains a line: the part where it was made, and the words of its sentence."""

    slip: Slip
    part: Part
    words: Mapping[str, Word]


def search(
    parts: Sequence[Part], slips: Sequence[Slip], pool: Sequence[Named] = ()
) -> Match | None:
    """The first slip that gives what is due, row by row, the largest part first; `pool` may have been lost."""
    spent = 0
    for slip in slips:
        for part in parts:
            for words, fits in _tried(slip, part, pool):
                spent += 1
                if spent > MOST_WORK:
                    return None
                if fits:
                    return Match(slip, part, words)
    return None


def _tried(
    slip: Slip, part: Part, pool: Sequence[Named]
) -> Iterator[tuple[Mapping[str, Word], bool]]:
    """The candidates of a slip at a part, in words, and whether they fit."""
    if not slip.lost:
        for given in slip.gives(part):
            yield given.words, given.value.gives(part.due)
        return
    # most slips have no value at some point where the due is known, and need no comparing with the pool
    wanted = [given for given in slip.gives(part) if given.value.reaches(part.due)]
    for lost in pool if wanted else ():
        for value, words, of in wanted:
            own = lost.value if of is None else of(lost.value)
            for sign in slip.lost:
                named = lost.text if sign > 0 else _negative(lost.text)
                yield {**words, "lost": named}, own.gives(sign * value)


def _negative(text: str) -> str:
    """The negative of a formula, as text."""
    return f"-({text})" if any(outside(text, "+-−")) else f"-{text}"
