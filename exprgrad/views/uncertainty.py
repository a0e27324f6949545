"""Numbers with uncertainty in every format: a budget, with the result as one writes it and a word on first order; and a fit."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.errors import RangeError
from exprgrad.expressions.fields import coordinate_text
from exprgrad.expressions.quantities import STUDENT, root
from exprgrad.expressions.uncertainty import (
    Budget,
    Budgets,
    Second,
    budget_fields,
    either,
    finite,
    freedom,
    in_doubles,
    in_words,
    judgement,
    notes,
    percent,
    required,
    round_to,
    written,
)
from exprgrad.graph.value import Value
from exprgrad.language.notes import shorten
from exprgrad.sweeps.bounds import NEAREST
from exprgrad.views.blocks import (
    Block,
    Formula,
    Heading,
    Note,
    Styled,
    Table,
    Wrapped,
    columns,
    matrix,
    number,
)
from exprgrad.views.formats import Cells, Rows

if TYPE_CHECKING:
    from exprgrad.data.monte_carlo import Simulated
    from exprgrad.expressions.expression import Expression
    from exprgrad.fitting.model import Fit


BAR = 20
"""The width of a bar that stands for all of the variance."""

BINS, HIGH = 15, 40
"""The bars of a histogram, and the longest of them."""


MOST_CORRELATED = 8
"""Results, or parameters of a fit, whose correlations are shown as a table."""


class BudgetView(NamedTuple):
    """The budgets of one result or of several, and what was asked for beside them.

    `more` says how to get a Monte Carlo run where second order leaves a doubt.
    """

    found: Budget | Budgets
    digits: int = 4
    simulated: Mapping[str, Simulated] = {}
    target: tuple[Fraction, bool] | None = None
    remarks: Sequence[str] = ()
    plot: bool = False
    more: str = ""

    @property
    def several(self) -> Budgets | None:
        """The results, if they are several."""
        return self.found if isinstance(self.found, Budgets) else None

    @property
    def budgets(self) -> Mapping[str, Budget]:
        """The results by name."""
        own = self.found
        return own.results if isinstance(own, Budgets) else {own.expression.title: own}

    def blocks(self) -> list[Block]:
        """The table of contributions, what follows from it, and whether first order is enough."""
        out: list[Block] = []
        second = {n: own.second_or_reason() for n, own in self.budgets.items()}
        for name, own in self.budgets.items():
            out += self._one(name, own, second[name])
        if self.several and 1 < len(self.budgets) <= MOST_CORRELATED:
            out.append(correlation_table(self.several.correlations))
        return [*out, *map(Note, dict.fromkeys([*self.remarks, *self._notes(second)]))]

    def _one(self, name: str, own: Budget, second: Second | str) -> Iterator[Block]:
        yield budget_heading(name, own, self.several is not None)
        yield budget_table(own, self.digits)
        yield Wrapped(tuple(sums(own, self.digits)))
        if self.target is not None:
            yield from _target(own, *self.target, self.digits)
        simulated = self.simulated.get(name)
        if isinstance(second, Second) or simulated is not None:
            yield _methods(own, second, simulated)
            yield Wrapped((judgement(own, second, simulated, self.more),))
        if self.plot and simulated is not None:
            yield _histogram(own, simulated)

    def _notes(self, second: Mapping[str, Second | str]) -> Iterator[str]:
        for name, own in self.budgets.items():
            yield from notes(own)
            simulated = self.simulated.get(name)
            if simulated is not None and simulated.left_out:
                every = simulated.samples + simulated.left_out
                yield f"in {simulated.left_out:,} of {every:,} samples the formula has no value; they are left out"
            if isinstance(reason := second[name], str):
                yield f"no terms of second order: {reason}"
        if self.simulated:
            given = next(iter(self.budgets.values())).quantities.values()
            if any(q.distribution == STUDENT and q.variance for q in given):
                yield "inputs with finite ν are drawn from Student's t, which spreads more than u says (JCGM 101, 6.4.9)"

    def as_dict(self) -> dict[str, Any]:
        """The fields, in full precision."""
        found = []
        for name, own in self.budgets.items():
            beside = own.second_or_reason(), self.simulated.get(name), self.remarks
            found.append(budget_fields(own, *beside, name if self.several else ""))
            if self.target is not None:
                goal = _goal(own, *self.target)
                inputs = {"required": required(own, goal)}
                found[-1]["target"] = {"standard_uncertainty": float(goal), **inputs}
        if self.several is None:
            return found[0]
        return {"results": found, "correlations": self.several.correlations}

    def csv(self) -> Rows:
        """A row for each quantity, and the result below them."""
        rows: list[Cells] = []
        for name, own in self.budgets.items():
            for n, q in own.quantities.items():
                u = either(in_doubles(exact := root(q.variance)), exact)
                given = n, q.value.double, u, finite(q.degrees_of_freedom)
                slope = either(own.sensitivities[n], own.exact_sensitivities[n])
                part = either(own.contributions[n], own.exact_contributions[n])
                rows.append([*given, slope, part, own.shares[n]])
            last = name if self.several else "result"
            value = either(own.value, own.exact)
            u = either(own.standard_uncertainty, own.exact_uncertainty)
            df = finite(own.degrees_of_freedom)
            rows.append([last, value, u, df, None, None, None])
        header = ["name", "value", "u", "df", "sensitivity", "contribution", "share"]
        return header, rows


class UndefinedBudget(NamedTuple):
    """The output where there is no budget: nulls; the error says why."""

    titles: Mapping[str, Expression]

    def as_dict(self) -> dict[str, Any]:
        """The fields of a result, without numbers."""
        keys = "value", "standard_uncertainty", "degrees_of_freedom", "expanded"
        own = [
            {"expression": e.title, **dict.fromkeys(keys)} for e in self.titles.values()
        ]
        return own[0] if len(own) == 1 else {"results": own}


def budget_heading(name: str, own: Budget, named: bool) -> Heading:
    """A result with its uncertainty.

    A formula is not 127.73(13), which anything that reads TeX takes for a product.
    """
    title = shorten(name, 60)
    # (1.0 ± 0.2)e5 has one power for both, which each needs where they stand apart
    inside, _, power = own.text.removeprefix("(").partition(")")
    value, spread = (part + power for part in inside.split(" ± "))
    left = Value(None, name) if named and name.isidentifier() else own.expression.root
    return Heading(
        f"{title} = {own.text}", Formula((left, value), title, spread=spread)
    )


def budget_table(own: Budget, digits: int) -> Table:
    """A row for each quantity, with what it contributes."""
    head = columns("quantity: cyan | value: number | u: number | ν: number spare2")
    head += columns("∂f/∂x: number spare1 | c·u: number bold green | share: number")
    head += columns("of variance: spare3 drawn")
    rows = []
    for name, quantity in own.quantities.items():
        # correlated inputs may have shares below 0 and above 1: they add up to 1, and a bar has no room for that
        share = own.shares[name]
        slope, value = own.exact_sensitivities[name], quantity.value
        double, bar = value.double, "█" * round(BAR * min(max(share, 0), 1))
        middle = "none" if double is None else coordinate_text(double, value, 12)
        u = in_words(root(quantity.variance), digits)
        given = name, middle, u, freedom(quantity.degrees_of_freedom)
        sensitivity = "none" if slope is None else in_words(slope, digits)
        contribution = in_words(own.exact_contributions[name], digits)
        rows.append((*given, sensitivity, contribution, f"{100 * share:.1f} %", bar))
    return Table("", head, rows, names={*own.quantities, "u"})


def sums(own: Budget, digits: int = 4) -> Iterator[str]:
    """u, ν, k and U, and the interval with its probability."""
    df = own.degrees_of_freedom
    told = "none" if df is None else freedom(df)
    k = number(own.coverage_factor, digits)
    u, wide = (in_words(x, digits) for x in (own.exact_uncertainty, own.exact_expanded))
    yield f"u = {u}, ν = {told}, k = {k} ({percent(own.coverage)}), U = {wide}"
    if own.exact_uncertainty:
        wide = written(own.exact, own.exact_expanded)
        yield f"written: {own.short}, or {wide} (k = {own.coverage_factor:.3g}, {percent(own.coverage)})"


def _methods(own: Budget, second: Second | str, simulated: Simulated | None) -> Table:
    """The methods side by side, rounded to what first order shows."""
    found = [("first order", own.exact, own.doubles()[1])]
    if isinstance(second, Second):
        # E f(X) = f(μ) + f''(μ)·σ²/2 + ...: the mean of the function is not the function of the mean
        value = MANY_DIGITS.add(own.exact, Decimal(second.shift))
        found.append(("second order", value, second.standard_uncertainty))
    rows = []
    for name, middle, u in found:
        # in decimals: of 1e20 ± 1, both ends would be the same double as the middle
        half = Decimal(own.coverage_factor * u)
        ends = MANY_DIGITS.subtract(middle, half), MANY_DIGITS.add(middle, half)
        rows.append(_method(name, own, middle, u, *ends))
    if simulated is not None:
        drawn = simulated.value, simulated.standard_uncertainty, *simulated.interval
        name = f"Monte Carlo, {simulated.samples:,}"
        rows.append(_method(name, own, *drawn, simulated.doubt))
    interval = f"{percent(own.coverage)} interval"
    head = f"method: cyan | value: number | u: number | {interval}: number"
    return Table("", columns(head), rows)


Number = Decimal | float

MANY_DIGITS = Context(prec=1000)


def _method(
    name: str, own: Budget, value: Number, u: Number, low: Number, high: Number, doubt: float = 0.0
) -> tuple[str, ...]:  # fmt: skip
    """A row, with so many digits as u has three, or as chance leaves sure."""
    # with a smaller u, even 0, a method is shown with the digits of first order, so that the rows can be compared
    size = max(float(u), own.doubles()[1])
    place = math.floor(math.log10(size)) - 2 if size else -3
    if doubt:
        # `doubt` is about one standard deviation of the ends: digits below two of these are chance
        place = max(place, math.floor(math.log10(2 * doubt)) + 1)
    shown = [_at(x, place) for x in (value, u, low, high)]
    return name, shown[0], shown[1], f"[{shown[2]}, {shown[3]}]"


def _at(x: Number, place: int) -> str:
    """A number rounded to a power of ten, without zeros that mean nothing, nor digits that a double lacks."""
    exact = x if isinstance(x, Decimal) else Decimal(repr(x))
    rounded = round_to(exact, place)
    # zeros that only mark the place would look like digits that are known: 1200 for 1.2e3
    if place > 0 or abs(place) > 12:
        digits = max(1, rounded.adjusted() - place + 1) if rounded else 1
        if isinstance(x, float):
            return f"{x:.{min(digits, NEAREST) - 1}e}"
        mantissa, _, exponent = f"{x:.{digits - 1}e}".partition("e")
        return f"{mantissa}e{exponent[0]}{exponent[1:]:>02}"
    # a Decimal keeps the sign of -0
    return f"{rounded if rounded else abs(rounded):f}"


def _target(own: Budget, amount: Fraction, relative: bool, digits: int) -> Iterator[Block]:  # fmt: skip
    """Yield what each input would have to be for a standard uncertainty of the result."""
    goal = _goal(own, amount, relative)
    said = f"u = {number(float(goal), digits)}"
    if relative:
        said += f" ({number(float(100 * amount), digits)} % of the value)"
    _, reached = own.doubles()
    if reached <= float(goal):
        yield Wrapped((f"{said} is reached",))
        return
    wanted = required(own, goal)
    # u is homogeneous of degree 1 in the inputs' u: divide all of them, and it is divided as well
    factor = reached / float(goal)
    lines = [f"for {said}:"]
    for name, u in wanted.items():
        now = in_words(root(own.quantities[name].variance), digits)
        if u is None:
            lines.append(f"  {name} alone is not enough")
        else:
            lines.append(f"  u({name}) from {now} to {number(u, digits)}")
    # of a single input, the line above says the same
    if math.isfinite(factor) and len(wanted) > 1:
        lines.append(f"  or every u divided by {number(factor, digits)}")
    yield Wrapped(tuple(lines))


def _goal(own: Budget, amount: Fraction, relative: bool) -> Fraction:
    """The standard uncertainty that is aimed at. Raises `RangeError` where no double holds it, or the result."""
    own.doubles()
    goal = amount * abs(Fraction(own.exact)) if relative else amount
    if not all(5e-324 <= x <= sys.float_info.max for x in (goal, 100 * amount)):
        raise RangeError("the target is beyond the range of double precision")
    return goal


def _histogram(own: Budget, simulated: Simulated) -> Styled:
    """Return how the samples are spread, with the interval marked."""
    counts, low, high = simulated.histogram(BINS)
    start, end = simulated.interval
    size = own.standard_uncertainty or simulated.standard_uncertainty or 1.0
    # two digits of u are enough to tell neighbouring bars apart
    place = math.floor(math.log10(size)) - 1
    middles = [low + (i + 0.5) * ((high - low) / BINS) for i in range(BINS)]
    labels = [_at(x, place) for x in middles]
    wide = max(map(len, labels))
    lines: list[tuple[tuple[str, str], ...]] = []
    for x, label, count in zip(middles, labels, counts, strict=True):
        style = "green" if start <= x <= end else ""
        bar = "█" * round(HIGH * count / max(1, *counts))
        lines.append(((f"{label.rjust(wide)}  ", ""), (bar, style)))
    return Styled(tuple(lines), hang=None)


def correlation_table(rows: Mapping[str, Mapping[str, float | None]]) -> Table:
    """The correlations of results or parameters."""
    cells = {}
    for name, row in rows.items():
        cells[name] = ["none" if x is None else f"{x:.3f}" for x in row.values()]
    return matrix("correlations", cells)


class FitView(NamedTuple):
    """The parameters with their uncertainty, how well they do, and correlations."""

    found: Fit
    digits: int
    then: Budgets | None = None

    def blocks(self) -> list[Block]:
        """The model, its parameters, how far the data are from it, and correlations."""
        found = self.found
        title = " ".join(found.model.text.split())
        sides = found.model.target.root, found.model.prediction.root
        head = Heading(title, Formula(sides, title, relation=r"\sim"))
        notes = map(Note, fit_notes(found, self.digits))
        out: list[Block] = [head, _parameters(found, self.digits), *notes]
        if 1 < len(found.correlations) <= MOST_CORRELATED:
            out.append(correlation_table(found.correlations))
        for name, own in self.then.results.items() if self.then is not None else ():
            head = Heading(f"{shorten(name, 60)} = {own.text}")
            out += [head, Wrapped(tuple(sums(own)))]
        return out

    def as_dict(self) -> dict[str, Any]:
        """The fields, in full precision."""
        then = self.then and {"then": BudgetView(self.then).as_dict()["results"]}
        return {**self.found.as_dict(), **(then or {})}

    def csv(self) -> Rows:
        """The columns of the model with predictions and residuals, a row a point."""
        found = self.found
        own = [found.model.columns[name] for name in found.model.used]
        columns = [*own, found.predictions, found.residuals]
        return [*found.model.used, "prediction", "residual"], zip(*columns, strict=True)


def fit_notes(found: Fit, digits: int) -> list[str]:
    """Return what there is to say besides the parameters."""
    # near 0 the sum of squares is what rounding left over, and its digits are noise
    known = min(digits, found.rss_digits)
    points = "1 point" if found.points == 1 else f"{found.points} points"
    text = f"{points}, residual sum of squares {_known(found.rss, known)}"
    if found.deviation is not None and known:
        degrees = "1 degree" if found.degrees == 1 else f"{found.degrees} degrees"
        text += f", deviation {number(found.deviation, known)} ({degrees} of freedom)"
    loss = [] if found.loss is None else [f"mean loss {number(found.loss, digits)}"]
    read = *found.model.target.notes, *found.model.prediction.notes
    return [*read, text, *loss, found.message]


def _known(value: float, digits: int) -> str:
    """A number with the digits that are known of it."""
    return number(value, digits) if digits else "0 but for rounding"


def _parameters(found: Fit, digits: int) -> Table:
    head = "parameter: cyan | value: number bold green | standard error: number"
    rows = []
    for name, parameter in found.parameters.items():
        value = _known(parameter.value, min(digits, found.digits(name)))
        error = "none" if parameter.stderr is None else number(parameter.stderr, 4)
        rows.append((name, value, error))
    return Table("", columns(head), rows)
