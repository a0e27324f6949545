"""An uncertainty budget as fields that programs read, and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal

from exprgrad.annotations import Any
from exprgrad.notation.numbers import SMALLEST_NORMAL, number

TEN = 10
"""The digits of a decimal beside a double that does not exist."""

NOT_COMBINED = (
    "correlated inputs have finite degrees of freedom, which the Welch-Satterthwaite formula "
    "does not combine: k is that of the normal distribution, too small for few readings"
)


def budget_fields(
    own: Any, second: Any, simulated: Any = None, remarks: Sequence[str] = (), name: str = ""
) -> dict[str, Any]:  # fmt: skip
    """A budget with its terms of second order, or why there are none, and perhaps a Monte Carlo run."""
    out: dict[str, Any] = {
        "expression": own.expression.title,
        **({"name": name} if name else {}),
        "quantities": {n: _quantity(own, n) for n in own.quantities},
        "value": own.value,
        "standard_uncertainty": own.standard_uncertainty,
        "degrees_of_freedom": finite(own.degrees_of_freedom),
        "coverage": own.coverage,
        "coverage_factor": own.coverage_factor,
        "expanded": own.expanded,
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
        out["monte_carlo"] = {
            "samples": simulated.samples,
            "left_out": simulated.left_out,
            "value": simulated.value,
            "standard_uncertainty": simulated.standard_uncertainty,
            "interval": list(simulated.interval),
        }
    if not isinstance(second, str) or simulated is not None:
        out["judgement"] = judgement(own, second, simulated, "")
    return out


def _quantity(own: Any, name: str) -> dict[str, Any]:
    quantity = own.quantities[name]
    return {
        "value": quantity.value.double,
        "standard_uncertainty": quantity.standard_uncertainty,
        "degrees_of_freedom": finite(quantity.degrees_of_freedom),
        "distribution": quantity.distribution,
        "sensitivity": own.sensitivities[name],
        "contribution": own.contributions[name],
        **_texts(
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


def judgement(own: Any, second: Any, simulated: Any, more: str) -> str:
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
