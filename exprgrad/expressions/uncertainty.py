"""Coverage factors: how many standard uncertainties hold an error with a probability.

    coverage_factor(0.95)            # 1.96: that of the normal distribution
    coverage_factor(0.95, 16.75)     # 2.11: that of Student's t, for any number of degrees of freedom

k solves P(|t| <= k) = p, where with I the regularised incomplete beta function
P(|t| <= k) = 1 - I(ν/2, 1/2, ν/(ν + k²)) (Abramowitz and Stegun, 26.7.1). Degrees of freedom are not rounded
to an integer first (JCGM 100:2008, G.4.1, allows both).

An uncertainty budget as fields that programs read, and in words.

Uncertainty budgets: how much each input contributes to the uncertainty of a result.

    found = uncertainty("V/I", {"V": ("4.999", "0.0032", 4), "I": "0.019661±9.5e-6"})
    found.value, found.standard_uncertainty             # y, u_c
    found.contributions["V"], found.sensitivities["V"]  # c*u, signed, and c = ∂f/∂V
    found.degrees_of_freedom, found.coverage_factor, found.expanded

With c_i the partial derivatives at the estimates, u_i the standard uncertainties and r_ij the correlations,

    u_c² = Σ_ij c_i c_j u_i u_j r_ij        ν_eff = u_c⁴ / Σ_i (c_i u_i)⁴/ν_i        U = k(p, ν_eff) u_c

(JCGM 100:2008, equations 13 and G.2b; Willink, Metrologia 44, 2007, where several inputs come from the same
readings and share their degrees of freedom). `second_order` adds the terms of the Hessian H: with S the
covariance matrix, the value shifts by tr(HS)/2, and the variance of normal errors grows by tr(HSHS)/2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import BindingError, ExprgradError, RangeError, UsageError, about
from exprgrad.expressions.expression import Evaluation, Expression, as_expression
from exprgrad.expressions.missing import missing
from exprgrad.expressions.quantities import (
    KURTOSIS,
    Correlations,
    Quantity,
    coefficient,
    correlations_of,
    quantity,
    root,
)
from exprgrad.language import inputs as numbers
from exprgrad.notation.numbers import SMALLEST_NORMAL, number
from exprgrad.numbers.real import decimal, kept
from exprgrad.operations.precision import Precision
from exprgrad.sweeps.coordinates import Point
from exprgrad.sweeps.corners import NEAREST, Corner

BITS = 160


@lru_cache(64)
def coverage_factor(probability: float, degrees_of_freedom: float = math.inf) -> float:
    """k for an interval of that probability around the value. Raises `UsageError`."""
    if not 0 < probability < 1:
        what = f"a coverage probability is between 0 and 1, not {probability:g}"
        raise UsageError(what, hint="0.95, or 95%")
    if not degrees_of_freedom > 0:
        raise UsageError("there are more than 0 degrees of freedom")
    with Precision(BITS):
        from flint import arb

        p = arb(str(probability))
        normal = arb(2).sqrt() * p.erfinv()
        # the two differ by k(k² + 1)/4ν, then not in the digits kept
        if degrees_of_freedom > 1e12:
            return float(normal)
        freedom = arb(degrees_of_freedom)

        def outside(k: Any) -> Any:
            x = freedom / (freedom + k * k)
            return x.beta_lower(freedom / 2, 0.5, regularized=True) - (1 - p)

        # t has heavier tails than the normal distribution, and a larger k.
        low, high = normal.mid(), 2 * normal.mid()
        while outside(high) > 0:
            low, high = high, 4 * high
        # Bisection, until both ends round to one double.
        while float(low) != float(high):
            middle = ((low + high) / 2).mid()
            if middle in (low, high):
                break
            low, high = (middle, high) if outside(middle) > 0 else (low, middle)
        # P(|t| > k) falls like k^-ν, so that k grows like 20^(1/ν) for 95 %: with ν = 0.003 it has more than 400
        # digits.
        if math.isinf(float(low)):
            what = "the coverage factor is beyond the range of double precision"
            raise RangeError(f"with {degrees_of_freedom:g} degrees of freedom, {what}")
        return float(low)


TEN = 10
"""The digits of a decimal beside a double that does not exist."""

NOT_COMBINED = (
    "correlated inputs have finite degrees of freedom, which the Welch-Satterthwaite formula "
    "does not combine: k is that of the normal distribution, too small for few readings"
)


FIGURES = ("value", "standard_uncertainty", "degrees_of_freedom", "coverage", "coverage_factor", "expanded")  # fmt: skip
"""The numbers of a budget, in the order in which programs get them."""


def budget_fields(
    own: Any, second: Any, simulated: Any = None, remarks: Sequence[str] = (), name: str = ""
) -> dict[str, Any]:  # fmt: skip
    """A budget with its terms of second order, or why there are none, and perhaps a Monte Carlo run."""
    out: dict[str, Any] = {
        "expression": own.expression.title,
        **({"name": name} if name else {}),
        "quantities": {n: _quantity(own, n) for n in own.quantities},
        **{name: finite(getattr(own, name)) for name in FIGURES},
        **_texts(
            value=(own.value, own.exact),
            standard_uncertainty=(own.standard_uncertainty, own.exact_uncertainty),
            expanded=(own.expanded, own.exact_expanded),
        ),
        "text": own.text,
        "notes": [*own.expression.notes, *remarks, *notes(own)],
    }
    if not isinstance(second, str):
        out["second_order"] = second._asdict()
    if simulated is not None:
        names = ("samples", "left_out", "value", "standard_uncertainty")
        own_numbers = {name: getattr(simulated, name) for name in names}
        out["monte_carlo"] = own_numbers | {"interval": list(simulated.interval)}
    if not isinstance(second, str) or simulated is not None:
        out["judgement"] = judgement(own, second, simulated, "")
    return out


def _quantity(own: Any, name: str) -> dict[str, Any]:
    quantity = own.quantities[name]
    exact = root(quantity.variance)
    u = in_doubles(exact)
    return {
        "value": quantity.value.double,
        "standard_uncertainty": u,
        "degrees_of_freedom": finite(quantity.degrees_of_freedom),
        "distribution": quantity.distribution,
        "sensitivity": own.sensitivities[name],
        "contribution": own.contributions[name],
        **_texts(
            standard_uncertainty=(u, exact),
            sensitivity=(own.sensitivities[name], own.exact_sensitivities[name]),
            contribution=(own.contributions[name], own.exact_contributions[name]),
        ),
        "share": own.shares[name],
    }


def finite(df: float | None) -> float | str | None:
    """JSON has no infinity; it is a word there."""
    return "infinity" if df == math.inf else df


def freedom(df: float) -> str:
    """Degrees of freedom in a table."""
    return "∞" if df == math.inf else number(df, 4)


def percent(share: float) -> str:
    """A share in per cent."""
    # 100 * 0.57 is 56.99999999999999.
    return f"{float(f'{100 * share:.12g}'):g} %"


def in_words(exact: Decimal, digits: int) -> str:
    """A number for people, also beyond the range of doubles."""
    near = float(exact)
    if not exact or SMALLEST_NORMAL <= abs(near) < math.inf:
        return number(near, digits)
    return f"{Context(prec=digits).create_decimal(exact).normalize():e}"


def either(double: float | None, exact: Decimal | None) -> float | str | None:
    """A number for a cell of CSV: a double, or a decimal beyond their range."""
    return in_words(exact, TEN) if double is None and exact is not None else double


def _texts(**numbers: tuple[float | None, Decimal | None]) -> dict[str, str]:
    """The texts of numbers beyond doubles, for beside their nulls."""
    return {
        f"{key}_text": in_words(exact, TEN)
        for key, (double, exact) in numbers.items()
        if double is None and exact is not None
    }


def notes(own: Any) -> list[str]:
    """Return what the figures do not say themselves."""
    found = [NOT_COMBINED] if own.degrees_of_freedom is None else []
    for name in own.flat:
        unseen = "is 0 here: first order sees nothing of its uncertainty"
        found.append(f"the sensitivity to {name} {unseen}")
    unused = [n for n in own.quantities if n not in own.expression.variables]
    if unused:
        do = "does" if len(unused) == 1 else "do"
        found.append(f"{', '.join(unused)} {do} not occur in the formula")
    edges = (corner.variable for corner in own.corners if corner.kind == "edge")
    at_edge = "stands at the edge of the domain: its sensitivity is that of one side"
    return found + [f"{name} {at_edge}" for name in edges]


def judgement(own: Any, second: Any, simulated: Any, more: str) -> str:
    """Return whether first order is enough: the ends of the interval may be off by half a unit in the second digit of u."""
    value, u = own.doubles()
    step = float(own.step) if u else 0.0
    if simulated is not None:
        half = own.coverage_factor * u
        low, high = simulated.interval
        off = max(abs(value - half - low), abs(value + half - high))
        allowed = number(step, 2)
        if not step:
            return "first order is not enough: it gives no uncertainty at all, Monte Carlo does"
        what = f"the ends of the {percent(own.coverage)} interval"
        chance = 2 * simulated.doubt
        if off + chance <= step:
            return f"first order is enough: {what} agree with Monte Carlo to within {allowed}, half a unit in the second digit of u"
        are = f"for two digits of u: {what} are off by {number(off, 2)}"
        if off - chance > step:
            return f"first order is not enough {are}, more than {allowed}"
        return f"could not decide whether first order is enough {are}, of which {number(chance, 2)} may be chance; take more samples"
    assert not isinstance(second, str), "there is something to judge by"
    if not step and not second.standard_uncertainty and not second.shift:
        return "terms of second order are 0"
    k = own.coverage_factor
    grown = k * (second.standard_uncertainty - u)
    off = max(abs(second.shift - grown), abs(second.shift + grown))
    by, moved = number(off, 2), "terms of second order move"
    if off <= step:
        return f"{moved} the interval by {by} at most, less than half a unit in the second digit of u"
    return f"first order may not be enough for two digits of u: {moved} an end of the interval by {by}{more}"


DIGITS = 40
"""Digits of the arithmetic on sensitivities, and of value and uncertainty as decimals."""

SHOWN = 30
"""Digits of the value as a decimal, at least."""

SPARE = 12
"""Digits that the sum of the variances may lose before sensitivities are taken with more."""

COVERAGE = 0.95


class Rows(dict[Any, Any]):
    """A matrix by names, `m["a"]["b"]`; also `m["a", "b"]` and, by place, `m[0][1]`."""

    def __missing__(self, key: Any) -> Any:
        if isinstance(key, tuple) and len(key) == 2:
            return self[key[0]][key[1]]
        if isinstance(key, int) and -len(self) <= key < len(self):
            return list(self.values())[key]
        raise KeyError(key)


class Second(NamedTuple):
    """The contribution of terms of second order: a `shift` of the value, a standard uncertainty with them."""

    shift: float
    standard_uncertainty: float


class Budget(NamedTuple):
    """A result with its uncertainty, and what each input contributes to it.

    `contributions` are c·u, with the sign of the sensitivity c; `shares` are those of the variance, and sum up
    to 1: one that is negative takes uncertainty away, by its correlations. `degrees_of_freedom` are None
    where correlated inputs have finite ones: then the coverage factor is that of the normal distribution.
    `exact` and `exact_uncertainty` are the two as decimals of many digits, as are `exact_sensitivities` and
    `exact_contributions`; the double of a number beyond their range is None.
    """

    expression: Expression
    quantities: Mapping[str, Quantity]
    correlated: Correlations
    value: float | None
    standard_uncertainty: float | None
    sensitivities: dict[str, float | None]
    contributions: dict[str, float | None]
    shares: dict[str, float]
    degrees_of_freedom: float | None
    coverage: float
    coverage_factor: float
    exact: Decimal
    exact_uncertainty: Decimal
    corners: tuple[Corner, ...] = ()
    exact_sensitivities: Mapping[str, Decimal | None] = {}
    exact_contributions: Mapping[str, Decimal] = {}

    @property
    def expanded(self) -> float | None:
        """U = k·u, the expanded uncertainty."""
        u = self.standard_uncertainty
        product = math.inf if u is None else self.coverage_factor * u
        return in_doubles(self.exact_expanded) if product == math.inf else product

    @property
    def exact_expanded(self) -> Decimal:
        """The same as a decimal."""
        return self.exact_uncertainty * Decimal(repr(self.coverage_factor))

    def doubles(self) -> tuple[float, float]:
        """The value and its standard uncertainty. Raises `RangeError` beyond the range of doubles."""
        if self.value is None or self.standard_uncertainty is None:
            raise self._beyond(f"the result {self.text} is")
        if self.expanded is None:
            raise self._beyond(f"the expanded uncertainty of {self.text} is")
        return self.value, self.standard_uncertainty

    def _beyond(self, what: str) -> RangeError:
        what = f"{what} beyond the range of double precision"
        return RangeError(what, source=self.expression.source)

    @property
    def flat(self) -> list[str]:
        """Uncertain inputs of whose error first order sees nothing: the sensitivity is 0 here."""
        level = (n for n in self.expression.variables if self.sensitivities[n] == 0)
        return [name for name in level if self.quantities[name].variance]

    @property
    def point(self) -> dict[str, Any]:
        """The estimates, as the numbers that are meant."""
        return {n: self.quantities[n].value for n in self.expression.variables}

    @property
    def text(self) -> str:
        """The result as one writes it: 127.73 ± 0.13, both rounded to two digits of the uncertainty."""
        return written(self.exact, self.exact_uncertainty)

    @property
    def short(self) -> str:
        """The same in units of the last digit: 127.73(13)."""
        return written(self.exact, self.exact_uncertainty, short=True)

    @property
    def step(self) -> Decimal:
        """Half a unit in the second digit of the uncertainty: what two results may differ by (JCGM 101:2008, 7.9.2)."""
        return Decimal(5).scaleb(self.exact_uncertainty.adjusted() - 2)

    def second_order(self) -> Second:
        """The shift of the value and the uncertainty with the terms of second order.

        They are exact for a quadratic formula of normal or of independent errors. Raises `ExprgradError` where
        there are no second derivatives, or where they are too much work.
        """
        _, first = self.doubles()
        names = [n for n in self.expression.variables if self.quantities[n].variance]
        rows = self.expression.second_partials(self.point)
        self.expression.require(self.point, (rows[a][b] for a in names for b in names))
        us = {name: self.quantities[name].standard_uncertainty for name in names}
        # H scaled by u on both sides, and then times R: its traces are those of HS
        scaled = [[rows[a][b].to_float() * us[a] * us[b] for b in names] for a in names]
        own = {n: i for i, n in enumerate(names)}
        pairs = [
            (own[a], own[b], float(r))
            for (a, b), r in self.correlated.items()
            if {a, b} <= {*own}
        ]
        product = [list(row) for row in scaled]
        for i, row in enumerate(scaled):
            for a, b, r in pairs:
                product[i][a] += row[b] * r
                product[i][b] += row[a] * r
        every = range(len(names))
        squares = (product[i][j] * product[j][i] for i in every for j in every)
        try:
            shift = math.fsum(product[i][i] for i in every) / 2
            extra = math.fsum(squares) / 2
        except (OverflowError, ValueError):  # so `fsum` says inf and inf - inf
            shift = extra = math.nan
        if not pairs:
            for i, name in enumerate(names):
                # tr(HSHS)/2 is that of normal errors; a square of others varies by (kurtosis - 1) u⁴ instead of 2u⁴.
                peaked = KURTOSIS.get(self.quantities[name].distribution, Fraction(3))
                extra += scaled[i][i] * scaled[i][i] * float(peaked - 3) / 4
        # nan stays nan as the first of the two
        u = math.hypot(first, math.sqrt(max(extra, 0.0)))
        if not math.isfinite(self.coverage_factor * u + shift):
            raise self._beyond("a number on the way is")
        return Second(shift, u)

    def second_or_reason(self) -> Second | str:
        """The same, or why there are no such terms."""
        try:
            return self.second_order()
        except ExprgradError as error:
            return str(error.message)

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read, also as JSON on the command line."""
        return budget_fields(self, self.second_or_reason())


class Budgets:
    """Several results of the same inputs: `results` by name, and their `correlations`."""

    def __init__(self, results: dict[str, Budget], correlations: Rows) -> None:
        self.results, self.correlations = results, correlations

    def __getitem__(self, key: str | int) -> Budget:
        return [*self][key] if isinstance(key, int) else self.results[key]

    def __iter__(self) -> Iterator[Budget]:
        return iter(self.results.values())

    def __len__(self) -> int:
        return len(self.results)

    def as_dict(self) -> dict[str, Any]:
        """The fields of each result, and the correlations between them."""
        own = self.results.items()
        found = [budget_fields(b, b.second_or_reason(), name=name) for name, b in own]
        return {"results": found, "correlations": self.correlations}


def uncertainty(
    expression: Any,
    inputs: Mapping[str, Any],
    *,
    correlations: Any = None,
    coverage: float = COVERAGE,
) -> Any:
    """The uncertainty budget of a result: a `Budget`, or `Budgets` of several expressions.

    `expression` is a text or an `Expression`, or several in a list or by names. `inputs` gives each variable
    a text such as "4.999±0.0032", or a tuple of value, standard uncertainty and, if it is not known
    exactly, degrees of freedom. `correlations` are {("V", "I"): -0.36}, or a matrix in the order of the
    inputs. Raises `BindingError` and `UsageError` for what cannot be meant, `NotDifferentiableError` where
    a sensitivity does not exist.
    """
    numbers.values(inputs, "what is known of the inputs")
    given = {name: quantity(thing, name) for name, thing in inputs.items()}
    related = {} if correlations is None else correlations_of(correlations, [*given])
    coverage = numbers.number(coverage, "a coverage probability")
    coverage_factor(coverage)  # refuses what is not a probability
    if isinstance(expression, str | Expression):
        return budget(as_expression(expression, given), given, related, coverage)
    if not isinstance(expression, Mapping | list | tuple) or not expression:
        raise UsageError("expected an expression, or a list of them")
    several = {n: as_expression(f, given) for n, f in _named(expression)}
    return budgets(several, given, related, coverage)


def _named(several: Any) -> Iterator[tuple[str, Any]]:
    """Expressions with their names: of a list their texts, numbered where two are alike."""
    if isinstance(several, Mapping):
        yield from several.items()
        return
    seen: dict[str, int] = {}
    for thing in several:
        name = thing.title if isinstance(thing, Expression) else str(thing)
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})", thing


def budgets(
    expressions: Mapping[str, Expression],
    quantities: Mapping[str, Quantity],
    correlations: Correlations,
    coverage: float = COVERAGE,
) -> Budgets:
    """The budgets of several results, and the correlations between these."""
    found = {
        name: budget(own, quantities, correlations, coverage)
        for name, own in expressions.items()
    }
    rows = Rows()
    for a, one in found.items():
        rows[a] = Rows()
        for b, other in found.items():
            rows[a][b] = 1.0 if a == b else _correlation(one, other, correlations)
    return Budgets(found, rows)


def _correlation(one: Budget, other: Budget, correlations: Correlations) -> float | None:  # fmt: skip
    """The correlation of two results; None where one has no uncertainty."""
    sizes = one.exact_uncertainty * other.exact_uncertainty
    if not sizes:
        return None
    terms = []
    for a, x in one.exact_contributions.items():
        for b, y in other.exact_contributions.items():
            r = coefficient(correlations, a, b)
            terms.append(float(x * y / sizes) * float(r))
    # Rounding may take full correlation beyond 1.
    return max(-1.0, min(1.0, math.fsum(terms)))


def budget(
    expression: Expression,
    quantities: Mapping[str, Quantity],
    correlations: Correlations,
    coverage: float = COVERAGE,
) -> Budget:
    """The budget of one result."""
    for leaf in expression.leaves:
        if leaf.name not in quantities:
            hint = f"give it one with its uncertainty, such as {leaf.name}=10±0.2"
            with about(expression.source):
                raise BindingError(f"{leaf.name} has no value", leaf.span, hint)
    at = {name: quantities[name].value for name in expression.variables}
    expression.refuse_arrays(at)
    varied = [name for name in at if quantities[name].variance]
    found = expression.evaluate(at, digits=NEAREST)
    for name in varied:
        if not found.known(name).is_number:
            corner = next((c for c in found.corners if c.variable == name), None)
            raise missing(
                f"{name} has a sensitivity here",
                f"{name} has no sensitivity here",
                expression.source,
                corner=corner,
                place=" here",
                hint="first order needs a slope: take an estimate nearby",
            )
    spread = _Spread(found, varied, quantities, correlations)
    # Correlated contributions may cancel, which takes as many digits of the sensitivities.
    if spread.lost > SPARE and varied:
        more = expression.evaluate(at, varied, digits=DIGITS + SPARE)
        spread = _Spread(more, varied, quantities, correlations)
    degrees = spread.degrees()
    doubles: dict[str, float | None] = dict.fromkeys(quantities, 0.0)
    doubles |= {n: found.known(n).value for n in expression.variables}
    nothing: dict[str, Any] = dict.fromkeys(quantities, Decimal(0))
    contributions = nothing | spread.contributions
    slopes = {n: found.known(n) for n in expression.variables}
    sensitivities = nothing | {n: _exact(k.decimal(NEAREST) or "0") if k.is_number else None for n, k in slopes.items()}  # fmt: skip
    return Budget(
        expression, quantities, correlations, found.known().value, in_doubles(spread.exact),
        doubles,
        {n: in_doubles(x) for n, x in contributions.items()},
        dict.fromkeys(quantities, 0.0) | spread.shares(), degrees, coverage,
        coverage_factor(coverage, math.inf if degrees is None else degrees),
        _value_of(expression, at, found, spread.exact), spread.exact,
        tuple(c for c in found.corners if c.variable in varied),
        sensitivities, contributions,
    )  # fmt: skip


def in_doubles(number: Decimal) -> float | None:
    """The nearest double; None beyond their range."""
    near = float(number)
    return near if math.isfinite(near) and (near or not number) else None


def _value_of(expression: Expression, at: Point, found: Evaluation, u: Decimal) -> Decimal:  # fmt: skip
    """The value with the digits that stand above its uncertainty, and some more."""
    digits = SHOWN
    value = _exact(found.known().decimal(NEAREST) or "0")
    if u:
        digits = min(900, max(SHOWN, value.adjusted() - u.adjusted() + 8))
    text = expression.evaluate(at, (), digits=digits).known().decimal(digits)
    return Decimal(text or value)


LARGEST_POWER = 999_000
"""The largest power of ten in a budget: the usual arithmetic of decimals ends at 10^999999."""


def _exact(text: str, least: int = -(10**17)) -> Decimal:
    """A number as a decimal. Raises `RangeError` where its power of ten is below `least`, or too large."""
    if not least <= int(text.partition("e")[2] or 0) <= LARGEST_POWER:
        raise RangeError("a number of the budget is beyond the range of decimals")
    return Decimal(text)


_ROUNDING = Context(prec=1000)


def written(value: Decimal, u: Decimal, digits: int = 2, short: bool = False) -> str:
    """A value and its uncertainty, rounded to so many digits of that; with a power of ten where it is needed."""
    if not u:
        return f"{value:.15g} ± 0" if not short else f"{value:.15g}(0)"
    if value and value.adjusted() - u.adjusted() > MOST_PLACES:
        near = Context(prec=15).create_decimal(value).normalize()
        return f"{near:g}{'' if near == value else '...'} ± {u:.{digits - 1}e}"
    place = u.adjusted() - digits + 1
    if round_to(u, place).adjusted() > u.adjusted():
        place += 1  # 0.0996 is 0.10
    top = max(u.adjusted(), value.adjusted() if value else u.adjusted())
    power = top if place > 0 or top < -4 else 0
    v = round_to(value, place).scaleb(-power, _ROUNDING)
    spread = round_to(u, place).scaleb(-power, _ROUNDING)
    if not v:
        # 0, and not -0.
        v = abs(v)
    exponent = f"e{power}" if power else ""
    if short:
        places = power - place
        units = spread if 0 < places < digits else spread.scaleb(max(places, 0))
        return f"{v:f}({units:f}){exponent}"
    return f"({v:f} ± {spread:f}){exponent}" if exponent else f"{v:f} ± {spread:f}"


MOST_PLACES = 900
"""The digits of a value that are written above its uncertainty, at the most."""


def round_to(number: Decimal, place: int) -> Decimal:
    """A number rounded to a power of ten."""
    return number.quantize(Decimal(1).scaleb(place), context=_ROUNDING)


class _Spread:
    """The propagation of variances, in numbers of many digits."""

    def __init__(
        self,
        found: Evaluation,
        names: Sequence[str],
        quantities: Mapping[str, Quantity],
        correlations: Correlations,
    ) -> None:
        self.names, self.quantities = names, quantities
        slopes = {n: found.known(n) for n in names}  # with all digits that are known
        own = {n: kept(k.value if k.middle is None else k.middle) for n, k in slopes.items()}  # fmt: skip
        self.terms = {n: own[n] * kept(quantities[n].variance) ** 0.5 for n in names}
        self.covariances = {
            (a, b): self.terms[a] * self.terms[b] * r
            for (a, b), r in correlations.items()
            if a in names and b in names
        }
        plain = sum((t * t for t in self.terms.values()), kept(0))
        variance = plain + 2 * sum(self.covariances.values(), kept(0))
        self.lost = 0
        if self.covariances and plain:
            rest = float(abs(variance) / plain)
            self.lost = DIGITS if rest < 10.0**-DIGITS else -int(math.log10(rest))
        # Where inputs cancel, with r = -1, rounding leaves something of a variance that is 0.
        if variance < 0 or (self.lost >= DIGITS - 5):
            variance = kept(0)
        self.variance = variance
        self.exact = _exact(decimal(variance**0.5, DIGITS), -LARGEST_POWER)
        self.contributions = {
            n: _exact(decimal(t, DIGITS)) for n, t in self.terms.items()
        }

    def shares(self) -> dict[str, float]:
        """The part of the variance that each input has; they sum up to 1."""
        found: dict[str, float] = {}
        for name in self.names if self.variance else ():
            # the covariance of a contribution with the result
            total = self.terms[name] ** 2
            for pair, covariance in self.covariances.items():
                if name in pair:
                    total += covariance
            found[name] = float(total / self.variance)
        return found

    def degrees(self) -> float | None:
        """The effective degrees of freedom; None where the formula does not hold."""
        alive = [name for name in self.names if self.terms[name]]
        finite = {n for n in alive if self.quantities[n].degrees_of_freedom < math.inf}
        together: dict[Any, list[str]] = {}
        for name in alive:
            ensemble = self.quantities[name].ensemble or (name,)
            together.setdefault(ensemble, []).append(name)
        for (a, b), covariance in self.covariances.items():
            one, other = (self.quantities[n].ensemble for n in (a, b))
            # The formula is for variances that were estimated apart; readings that were taken together share theirs.
            if covariance and {a, b} & finite and (not one or one != other):
                return None
        total = 0
        for own in together.values():
            if own[0] in finite:
                part = self.terms[own[0]] ** 2
                if len(own) > 1:
                    part = sum((self.terms[n] ** 2 for n in own), kept(0))
                    for (a, b), covariance in self.covariances.items():
                        if {a, b} <= {*own}:
                            part += 2 * covariance
                total += part**2 / self.quantities[own[0]].degrees_of_freedom
        return float(self.variance**2 / total) if total else math.inf


def required(found: Budget, target: Fraction) -> dict[str, float | None]:
    """For every uncertain input the u that alone would bring the result to a standard uncertainty.

    0 is not enough where the others already exceed the target: that is None. One that needs no change is
    left out. Raises `RangeError` for one beyond the range of doubles.
    """
    out: dict[str, float | None] = {}
    _, whole = found.doubles()
    if whole <= target:
        return out
    goal = float(target / Fraction(whole)) ** 2
    for name, term in found.contributions.items():
        if not term:
            continue
        # with s times its u the variance is a s^2 + 2 b s + c times what it is now
        a = (term / whole) ** 2
        b = found.shares[name] - a
        c = 1 - a - 2 * b
        inside = b * b - a * (c - goal)
        s = (-b + math.sqrt(inside)) / a if inside >= 0 and a else -1.0
        u = in_doubles(root(found.quantities[name].variance))
        if u is None:
            raise RangeError(f"u({name}) is beyond the range of double precision")
        out[name] = s * u if 0 <= s < 1 else None
    return out
