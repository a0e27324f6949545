"""What is known of a number as text, with no digit that may be wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable

from exprgrad.expressions.expression import Evaluation
from exprgrad.sweeps.bounds import NEAREST, UNDECIDED, Known
from exprgrad.views.blocks import number

MOST_NOTES = 5
"""Variables that a kind of note names, one by one."""

DOUBLE = 15
"""The digits of a decimal that the double nearest to it keeps."""


NONE = "none"
"""What stands for a number that does not exist. One of which that could not be decided is `UNDECIDED`."""


def sentence(left: str, number: str) -> str:
    """An equation, `f'(3) = 6`, or what is to be said where there is no number, as `shown` writes it."""
    if number == NONE:
        return f"{left} does not exist"
    return f"{left} is undecided" if number == UNDECIDED else f"{left} = {number}"


def shown(evaluation: Evaluation, name: str, digits: int) -> str:
    """A number of an evaluation for people: of a partial by its name, of the value by ""."""
    found = evaluation.known(name)
    if found.value is not None and found.error == math.inf:
        return number(found.value, digits)  # nobody asked for a bound
    return written(found, digits)


def coordinate(evaluation: Evaluation, name: str, digits: int) -> str:
    """The value of a variable for people: of what is meant, where a double says less than so many digits."""
    double, meant = evaluation.at[name], evaluation.given.get(name)
    if meant is None or (digits <= DOUBLE and double):
        return number(double, digits)
    if meant.ratio is None:
        return number(double, min(digits, DOUBLE))
    top, bottom = meant.ratio
    if not top % bottom and abs(double) < 2.0**53:
        return number(double, digits)
    from decimal import Context, Decimal

    exact = Context(prec=digits + 2).divide(Decimal(top), Decimal(bottom))
    return f"{exact:.{digits}g}"


def written(known: Known, digits: int) -> str:
    """What is known of a number for people, with no digit that may be wrong."""
    if known.value is None and known.middle is None:
        return UNDECIDED if known.status == UNDECIDED else NONE
    if known.value is not None and not known.error:
        return (
            number(known.value, digits)
            if digits <= NEAREST
            else str(known.decimal(digits))
        )
    if known.value == 0 and known.error < 1e-300:
        return "0"
    sure = min(digits, known.sure)
    if not sure:
        return f"0 ± {abs(known.value or 0.0) + known.error:.1e}"
    value = known.value
    if value is None or (known.middle is not None and sure > DOUBLE):
        return str(known.decimal(sure))
    whole = abs(value) < 10.0 ** min(known.sure, NEAREST)
    return number(value, sure) if whole else f"{value:.{sure}g}"


def is_beyond(number: Known) -> bool:
    """Whether a number is beyond the range of doubles."""
    return number.value is None and number.middle is not None


def cell(number: Known) -> float | str | None:
    """A number for a cell of CSV: a double, or a decimal beyond their range."""
    return number.decimal() if is_beyond(number) else number.value


def digits_notes(numbers: Iterable[tuple[str, Known]], digits: int) -> list[str]:
    """A note for every number of which fewer digits are known than are to be shown."""
    short = [
        (what, known.sure)
        for what, known in numbers
        if known.error and known.sure < digits and (known.value or known.middle)
    ]
    notes = [f"of {what}, {sure} digits are known" for what, sure in short[:MOST_NOTES]]
    if len(short) > MOST_NOTES:
        notes.append(f"and so with {len(short) - MOST_NOTES} more")
    return notes
