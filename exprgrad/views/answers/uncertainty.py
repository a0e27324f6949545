"""An uncertainty budget in every format: the table, the result as one writes it, and a word on first order."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.errors import ExprgradError
from exprgrad.expressions.quantities import STUDENT
from exprgrad.expressions.uncertainty import (
    Budget,
    Budgets,
    Second,
    required,
    round_to,
    written,
)
from exprgrad.graph.value import Value
from exprgrad.language.notes import shorten
from exprgrad.notation.numbers import SMALLEST_NORMAL
from exprgrad.sweeps.bounds import NEAREST
from exprgrad.views.blocks import (
    Block,
    Column,
    Formula,
    Heading,
    Note,
    Styled,
    Table,
    Wrapped,
    number,
)
from exprgrad.views.formats import Cells, Rows
from exprgrad.views.known import coordinate_text

if TYPE_CHECKING:
    from exprgrad.data.monte_carlo import Simulated
    from exprgrad.expressions.expression import Expression

BAR = 20
"""The width of a bar that stands for all of the variance."""

BINS, HIGH = 15, 40
"""The bars of a histogram, and the longest of them."""

TEN = 10
"""The digits of a decimal beside a double that does not exist."""

NOT_COMBINED = (
    "correlated inputs have finite degrees of freedom, which the Welch-Satterthwaite formula "
    "does not combine: k is that of the normal distribution, too small for few readings"
)

MOST_CORRELATED = 8
"""Results, or parameters of a fit, whose correlations are shown as a table."""


class BudgetView:
    """The budgets of one result or of several, and what was asked for beside them.

    `more` says how to get a Monte Carlo run where second order leaves a doubt.
    """

    def __init__(
        self,
        found: Budget | Budgets,
        digits: int = 4,
        *,
        simulated: Mapping[str, Simulated] | None = None,
        target: tuple[Fraction, bool] | None = None,
        remarks: Sequence[str] = (),
        plot: bool = False,
        more: str = "",
    ) -> None:
        self.several, self.correlations = False, None
        if isinstance(found, Budgets):
            self.several, self.budgets = True, found.results
            self.correlations = found.correlations
        else:
            self.budgets = {found.expression.title: found}
        self.digits, self.target = digits, target
        self.simulated, self.plot, self.more = simulated or {}, plot, more
        self.remarks = list(remarks)
        self.second: dict[str, Second | str] = {}
        for name, own in self.budgets.items():
            try:
                self.second[name] = own.second_order()
            except ExprgradError as error:  # why there are no terms of second order
                self.second[name] = error.message

    def blocks(self) -> list[Block]:
        """The table of contributions, what follows from it, and whether first order is enough."""
        out: list[Block] = []
        for name, own in self.budgets.items():
            out += self._one(name, own)
        if self.correlations is not None and len(self.budgets) <= MOST_CORRELATED:
            out.append(correlation_table(self.correlations))
        return [*out, *map(Note, dict.fromkeys([*self.remarks, *self._notes()]))]

    def _one(self, name: str, own: Budget) -> Iterator[Block]:
        yield budget_heading(name, own, self.several)
        yield budget_table(own, self.digits)
        yield Wrapped(tuple(sums(own, self.digits)))
        if self.target is not None:
            yield from _target(own, *self.target, self.digits)
        simulated = self.simulated.get(name)
        second = self.second[name]
        if isinstance(second, Second) or simulated is not None:
            yield _methods(own, second, simulated)
            yield Wrapped((judgement(own, second, simulated, self.more),))
        if self.plot and simulated is not None:
            yield _histogram(own, simulated)

    def _notes(self) -> Iterator[str]:
        for name, own in self.budgets.items():
            yield from notes(own)
            simulated = self.simulated.get(name)
            if simulated is not None and simulated.left_out:
                every = simulated.samples + simulated.left_out
                yield f"in {simulated.left_out:,} of {every:,} samples the formula has no value; they are left out"
            if isinstance(self.second[name], str):
                yield f"no terms of second order: {self.second[name]}"
        if self.simulated:
            given = next(iter(self.budgets.values())).quantities.values()
            if any(q.distribution == STUDENT and q.variance for q in given):
                yield "inputs with finite ν are drawn from Student's t, which spreads more than u says (JCGM 101, 6.4.9)"

    def as_dict(self) -> dict[str, Any]:
        """The fields, in full precision."""
        fields = [self._fields(name, own) for name, own in self.budgets.items()]
        if not self.several:
            return fields[0]
        return {"results": fields, "correlations": self.correlations}

    def _fields(self, name: str, own: Budget) -> dict[str, Any]:
        second, simulated = self.second[name], self.simulated.get(name)
        out: dict[str, Any] = {
            "expression": own.expression.title,
            **({"name": name} if self.several else {}),
            "quantities": {n: _quantity(own, n) for n in own.quantities},
            "value": own.value,
            "standard_uncertainty": own.standard_uncertainty,
            "degrees_of_freedom": _finite(own.degrees_of_freedom),
            "coverage": own.coverage,
            "coverage_factor": own.coverage_factor,
            "expanded": own.expanded,
            **_texts(
                value=(own.value, own.exact),
                standard_uncertainty=(own.standard_uncertainty, own.exact_uncertainty),
                expanded=(own.expanded, own.exact_expanded),
            ),
            "text": own.text,
            "notes": [*own.expression.notes, *self.remarks, *notes(own)],
        }
        if isinstance(second, Second):
            out["second_order"] = second._asdict()
        if simulated is not None:
            out["monte_carlo"] = {
                "samples": simulated.samples,
                "left_out": simulated.left_out,
                "value": simulated.value,
                "standard_uncertainty": simulated.standard_uncertainty,
                "interval": list(simulated.interval),
            }
        if isinstance(second, Second) or simulated is not None:
            out["judgement"] = judgement(own, second, simulated, "")
        if self.target is not None:
            goal = _goal(own, *self.target)
            out["target"] = {
                "standard_uncertainty": float(goal),
                "required": required(own, goal),
            }
        return out

    def csv(self) -> Rows:
        """A row for each quantity, and the result below them."""
        rows: list[Cells] = []
        for name, own in self.budgets.items():
            rows += [
                [
                    n, q.value.double, q.standard_uncertainty, _finite(q.degrees_of_freedom),
                    _either(own.sensitivities[n], own.exact_sensitivities[n]),
                    _either(own.contributions[n], own.exact_contributions[n]), own.shares[n],
                ]
                for n, q in own.quantities.items()
            ]  # fmt: skip
            last = name if self.several else "result"
            value = _either(own.value, own.exact)
            u = _either(own.standard_uncertainty, own.exact_uncertainty)
            freedom = _finite(own.degrees_of_freedom)
            rows.append([last, value, u, freedom, None, None, None])
        header = ["name", "value", "u", "df", "sensitivity", "contribution", "share"]
        return header, rows


class UndefinedBudget:
    """What programs get where there is no budget: nulls; the error says why."""

    def __init__(self, titles: Mapping[str, Expression]) -> None:
        self.titles = titles

    def as_dict(self) -> dict[str, Any]:
        """The fields of a result, without numbers."""
        keys = ("value", "standard_uncertainty", "degrees_of_freedom", "expanded")
        nothing = dict.fromkeys(keys)
        fields = [{"expression": e.title, **nothing} for e in self.titles.values()]
        return fields[0] if len(fields) == 1 else {"results": fields}


def budget_heading(name: str, own: Budget, named: bool) -> Heading:
    """A result with its uncertainty.

    A formula is not 127.73(13), which anything that reads TeX takes for a product.
    """
    title = shorten(name, 60)
    inside, _, power = own.text.removeprefix("(").partition(")")
    value, spread = (part + power for part in inside.split(" ± "))
    left = Value(None, name) if named and name.isidentifier() else own.expression.root
    return Heading(
        f"{title} = {own.text}", Formula((left, value), title, spread=spread)
    )


def budget_table(own: Budget, digits: int) -> Table:
    """A row for each quantity, with what it contributes."""
    columns = [
        Column("quantity", style="cyan"),
        Column("value", number=True),
        Column("u", number=True),
        Column("ν", number=True, spare=2),
        Column("∂f/∂x", number=True, spare=1),
        Column("c·u", number=True, style="bold green"),
        Column("share", number=True),
        Column("of variance", spare=3, drawn=True),
    ]
    rows = []
    for name, quantity in own.quantities.items():
        share = own.shares[name]
        slope, value = own.exact_sensitivities[name], quantity.value
        row = (
            name,
            "none"
            if value.double is None
            else coordinate_text(value.double, value, 12),
            number(quantity.standard_uncertainty, digits),
            _freedom(quantity.degrees_of_freedom),
            "none" if slope is None else _told(slope, digits),
            _told(own.exact_contributions[name], digits),
            f"{100 * share:.1f} %",
        )
        rows.append((*row, "█" * round(BAR * min(max(share, 0), 1))))
    return Table("", columns, rows, names={*own.quantities, "u"})


def _told(exact: Decimal, digits: int) -> str:
    """A number for people, also beyond the range of doubles."""
    near = float(exact)
    if not exact or SMALLEST_NORMAL <= abs(near) < math.inf:
        return number(near, digits)
    return f"{Context(prec=digits).create_decimal(exact).normalize():e}"


def _either(double: float | None, exact: Decimal | None) -> float | str | None:
    """A number for a cell of CSV: a double, or a decimal beyond their range."""
    return _told(exact, TEN) if double is None and exact is not None else double


def _texts(**numbers: tuple[float | None, Decimal | None]) -> dict[str, str]:
    """The texts of numbers beyond doubles, for beside their nulls."""
    return {
        f"{key}_text": _told(exact, TEN)
        for key, (double, exact) in numbers.items()
        if double is None and exact is not None
    }


def sums(own: Budget, digits: int = 4) -> Iterator[str]:
    """u, ν, k and U, and the interval with its probability."""
    df = own.degrees_of_freedom
    freedom = "none" if df is None else _freedom(df)
    k = number(own.coverage_factor, digits)
    yield (
        f"u = {_told(own.exact_uncertainty, digits)}, ν = {freedom}, "
        f"k = {k} ({_percent(own.coverage)}), U = {_told(own.exact_expanded, digits)}"
    )
    if own.exact_uncertainty:
        wide = written(own.exact, own.exact_expanded)
        yield f"written: {own.short}, or {wide} (k = {own.coverage_factor:.3g}, {_percent(own.coverage)})"


def notes(own: Budget) -> list[str]:
    """What the figures do not say themselves."""
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


def judgement(
    own: Budget, second: Second | str, simulated: Simulated | None, more: str
) -> str:
    """Whether first order is enough: the ends of the interval may be off by half a unit in the second digit of u."""
    value, u = own.doubles()
    step = float(own.step) if u else 0.0
    if simulated is not None:
        half = own.coverage_factor * u
        low, high = simulated.interval
        off = max(abs(value - half - low), abs(value + half - high))
        allowed = number(step, 2)
        if not step:
            return "first order is not enough: it gives no uncertainty at all, Monte Carlo does"
        what = f"the ends of the {_percent(own.coverage)} interval"
        chance = 2 * simulated.doubt
        if off + chance <= step:
            return f"first order is enough: {what} agree with Monte Carlo to within {allowed}, half a unit in the second digit of u"
        are = f"for two digits of u: {what} are off by {number(off, 2)}"
        if off - chance > step:
            return f"first order is not enough {are}, more than {allowed}"
        return f"could not decide whether first order is enough {are}, of which {number(chance, 2)} may be chance; take more samples"
    assert isinstance(second, Second), "there is something to judge by"
    if not step and not second.standard_uncertainty and not second.shift:
        return "terms of second order are 0"
    k = own.coverage_factor
    grown = k * (second.standard_uncertainty - u)
    off = max(abs(second.shift - grown), abs(second.shift + grown))
    by, moved = number(off, 2), "terms of second order move"
    if off <= step:
        return f"{moved} the interval by {by} at most, less than half a unit in the second digit of u"
    return f"first order may not be enough for two digits of u: {moved} an end of the interval by {by}{more}"


def _methods(own: Budget, second: Second | str, simulated: Simulated | None) -> Table:
    """The methods side by side, rounded to what first order shows."""
    found = [("first order", own.exact, own.doubles()[1])]
    if isinstance(second, Second):
        value = MANY_DIGITS.add(own.exact, Decimal(second.shift))
        found.append(("second order", value, second.standard_uncertainty))
    rows = []
    for name, middle, u in found:  # near it, doubles may be too coarse for u
        half = Decimal(own.coverage_factor * u)
        ends = MANY_DIGITS.subtract(middle, half), MANY_DIGITS.add(middle, half)
        rows.append(_method(name, own, middle, u, *ends))
    if simulated is not None:
        rows.append(
            _method(
                f"Monte Carlo, {simulated.samples:,}", own, simulated.value,
                simulated.standard_uncertainty, *simulated.interval, simulated.doubt,
            )
        )  # fmt: skip
    columns = [
        Column("method", style="cyan"),
        Column("value", number=True),
        Column("u", number=True),
        Column(f"{_percent(own.coverage)} interval", number=True),
    ]
    return Table("", columns, rows)


Number = Decimal | float

MANY_DIGITS = Context(prec=1000)


def _method(
    name: str, own: Budget, value: Number, u: Number, low: Number, high: Number, doubt: float = 0.0
) -> tuple[str, ...]:  # fmt: skip
    """A row, with so many digits as u has three, or as chance leaves sure."""
    size = max(float(u), own.doubles()[1])
    place = math.floor(math.log10(size)) - 2 if size else -3
    if doubt:
        place = max(place, math.floor(math.log10(2 * doubt)) + 1)
    shown = [_at(x, place) for x in (value, u, low, high)]
    return name, shown[0], shown[1], f"[{shown[2]}, {shown[3]}]"


def _at(x: Number, place: int) -> str:
    """A number rounded to a power of ten, without zeros that mean nothing, nor digits that a double lacks."""
    exact = x if isinstance(x, Decimal) else Decimal(repr(x))
    rounded = round_to(exact, place)
    if place > 0 or abs(place) > 12:
        digits = max(1, rounded.adjusted() - place + 1) if rounded else 1
        if isinstance(x, float):
            return f"{x:.{min(digits, NEAREST) - 1}e}"
        mantissa, _, exponent = f"{x:.{digits - 1}e}".partition("e")
        return f"{mantissa}e{exponent[0]}{exponent[1:]:>02}"
    return f"{rounded if rounded else abs(rounded):f}"


def _target(own: Budget, amount: Fraction, relative: bool, digits: int) -> Iterator[Block]:  # fmt: skip
    """What each input would have to be for a standard uncertainty of the result."""
    goal = _goal(own, amount, relative)
    said = f"u = {number(float(goal), digits)}"
    if relative:
        said += f" ({number(float(100 * amount), digits)} % of the value)"
    _, reached = own.doubles()
    if reached <= float(goal):
        yield Wrapped((f"{said} is reached",))
        return
    wanted = required(own, goal)
    factor = reached / float(goal) if goal else math.inf
    lines = [f"for {said}:"]
    for name, u in wanted.items():
        now = number(own.quantities[name].standard_uncertainty, digits)
        if u is None:
            lines.append(f"  {name} alone is not enough")
        else:
            lines.append(f"  u({name}) from {now} to {number(u, digits)}")
    if math.isfinite(factor) and len(wanted) > 1:
        lines.append(f"  or every u divided by {number(factor, digits)}")
    yield Wrapped(tuple(lines))


def _goal(own: Budget, amount: Fraction, relative: bool) -> Fraction:
    """The standard uncertainty that is aimed at."""
    return amount * abs(Fraction(own.exact)) if relative else amount


def _histogram(own: Budget, simulated: Simulated) -> Styled:
    """How the samples are spread, with the interval marked."""
    counts, low, high = simulated.histogram(BINS)
    start, end = simulated.interval
    size = own.standard_uncertainty or simulated.standard_uncertainty or 1.0
    place = math.floor(math.log10(size)) - 1
    middles = [low + (i + 0.5) * ((high - low) / BINS) for i in range(BINS)]
    labels = [_at(x, place) for x in middles]
    wide = max(map(len, labels))
    lines: list[tuple[tuple[str, str], ...]] = []
    for x, label, count in zip(middles, labels, counts, strict=True):
        style = "green" if start <= x <= end else ""
        bar = "█" * round(HIGH * count / max(1, *counts))
        lines.append(((f"{label.rjust(wide)}  ", ""), (bar, style)))
    return Styled(tuple(lines))


def correlation_table(rows: Mapping[str, Mapping[str, float | None]]) -> Table:
    """The correlations of results or parameters."""
    names = list(rows)
    columns = [Column("", style="cyan"), *(Column(n, number=True) for n in names)]
    cells = [
        (name, *("none" if x is None else f"{x:.3f}" for x in row.values()))
        for name, row in rows.items()
    ]
    return Table("correlations", columns, cells)


def _quantity(own: Budget, name: str) -> dict[str, Any]:
    quantity = own.quantities[name]
    return {
        "value": quantity.value.double,
        "standard_uncertainty": quantity.standard_uncertainty,
        "degrees_of_freedom": _finite(quantity.degrees_of_freedom),
        "distribution": quantity.distribution,
        "sensitivity": own.sensitivities[name],
        "contribution": own.contributions[name],
        **_texts(
            sensitivity=(own.sensitivities[name], own.exact_sensitivities[name]),
            contribution=(own.contributions[name], own.exact_contributions[name]),
        ),
        "share": own.shares[name],
    }


def _finite(df: float | None) -> float | str | None:
    """JSON has no infinity; it is a word there."""
    return "infinity" if df == math.inf else df


def _freedom(df: float) -> str:
    return "∞" if df == math.inf else number(df, 4)


def _percent(share: float) -> str:
    return f"{float(f'{100 * share:.12g}'):g} %"
