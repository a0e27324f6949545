"""What is known of a number as text, with no digit that may be wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from exprgrad.annotations import Any
from exprgrad.notation.numbers import SMALLEST_NORMAL, number
from exprgrad.sweeps.bounds import DIGITS, NEAREST, UNDECIDED, Bounds, Known
from exprgrad.sweeps.coordinates import Coordinate

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


def shown(evaluation: Any, name: str, digits: int) -> str:
    """A number of an evaluation for people: of a partial by its name, of the value by ""."""
    found = evaluation.known(name)
    if found.value is not None and found.error == math.inf:
        return number(found.value, digits)  # nobody asked for a bound
    return written(found, digits)


def coordinate(evaluation: Any, name: str, digits: int) -> str:
    """The value of a variable for people: of what is meant, where a double says less than so many digits."""
    return coordinate_text(evaluation.at[name], evaluation.given.get(name), digits)


def coordinate_text(double: float, meant: Coordinate | None, digits: int) -> str:
    """The same for a double that is close to what is meant."""
    told = digits <= DOUBLE and abs(double) >= SMALLEST_NORMAL
    if meant is None or told:
        return number(double, digits)
    if meant.tape is not None:
        return written(Bounds(meant.tape).answer({}, (), digits).value, digits)
    top, bottom = meant.ratio or (0, 1)
    if not top % bottom and abs(double) < 2.0**53:
        return number(double, digits)
    from decimal import Context, Decimal

    exact = Context(prec=digits + 2).divide(Decimal(top), Decimal(bottom))
    return f"{exact.normalize():.{digits}g}".replace("E", "e")


def point(
    at: Mapping[str, float], given: Mapping[str, Coordinate], digits: int
) -> dict[str, str]:
    """The coordinates of a point for people, by names."""
    return {name: coordinate_text(x, given.get(name), digits) for name, x in at.items()}


def point_text(
    at: Mapping[str, float], given: Mapping[str, Coordinate], digits: int
) -> str:
    """The same in a sentence: x = 2, y = 0.5."""
    told = point(at, given, digits)
    return ", ".join(f"{name} = {text}" for name, text in told.items())


def point_fields(
    at: Mapping[str, float], given: Mapping[str, Coordinate], key: str = "at"
) -> dict[str, Any]:
    """The same for programs: doubles, and a text beside the null of a number beyond them."""
    cells = point_cells(at, given)
    beyond = {name: x for name, x in cells.items() if isinstance(x, str)}
    fields: dict[str, Any] = {key: {**at, **dict.fromkeys(beyond)}}
    return fields | ({f"{key}_texts": beyond} if beyond else {})


def point_cells(
    at: Mapping[str, float], given: Mapping[str, Coordinate]
) -> dict[str, float | str]:
    """The same for cells of CSV: doubles, and decimals beyond them."""
    return {
        name: coordinate_text(x, given[name], DIGITS)
        if name in given and given[name].is_beyond
        else x
        for name, x in at.items()
    }


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
    told = value is not None and abs(value) >= SMALLEST_NORMAL and sure <= DOUBLE
    if value is None or (known.middle is not None and not told):
        return str(known.decimal(sure))
    whole = abs(value) < 10.0 ** min(known.sure, NEAREST)
    return number(value, sure) if whole else f"{value:.{sure}g}"


def is_beyond(number: Known) -> bool:
    """Whether a number is beyond the range of doubles."""
    return number.value is None and number.middle is not None


def text_of(number: Known, digits: int = DIGITS) -> str | None:
    """The decimal that programs get beside a number: beyond the range of doubles, or with more digits than they have."""
    if is_beyond(number):
        return number.decimal(max(DIGITS, min(digits, number.sure)))
    if number.value is None or digits <= NEAREST or not number.sure:
        return None
    return number.decimal(min(digits, number.sure))


def text_fields(
    key: str, numbers: Mapping[Any, Known], digits: int = DIGITS
) -> dict[str, dict[Any, str]]:
    """The field with the decimals beside some numbers, by their names; none where there are none."""
    found = {name: text_of(known, digits) for name, known in numbers.items()}
    texts = {name: text for name, text in found.items() if text is not None}
    return {key: texts} if texts else {}


def evaluation_texts(evaluation: Any, digits: int = DIGITS) -> dict[str, Any]:
    """The fields with the decimals beside the value and the partials of an evaluation."""
    value = text_of(evaluation.known(), digits)
    partials = {name: evaluation.known(name) for name in evaluation.gradient}
    fields: dict[str, Any] = {} if value is None else {"value_text": value}
    return fields | text_fields("gradient_texts", partials, digits)


def cell(number: Known) -> float | str | None:
    """A number for a cell of CSV: a double, or a decimal beyond their range."""
    return text_of(number) or number.value


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


def sweeps(count: int, of: str = "variable") -> str:
    """How much work the two modes are for so many variables, or elements of them."""
    ways = "one sweep" if count == 1 else f"{count:,} sweeps, one per {of}"
    return f"forward mode took {ways}; reverse mode takes one for all"


def missing(evaluation: Any) -> list[Any]:
    """The corners at which a partial derivative does not exist."""
    partials = evaluation.gradient or {}
    # at an edge there is one all the same, perhaps beyond the range of doubles
    inner = (c for c in evaluation.corners if c.kind != "edge")
    return [c for c in inner if element(partials, c.variable) is None]


def element(things: Mapping[str, Any], name: str) -> float | None:
    """A number by its name, or an element of an array by x[0, 1]; None for one that does not exist."""
    if name in things:
        thing = things[name]
        return None if thing is None or thing != thing else float(thing)
    array, _, place = name.partition("[")
    found = float(things[array][tuple(map(int, place.rstrip("]").split(",")))])
    return None if math.isnan(found) else found


def edge_notes(evaluation: Any) -> list[str]:
    """A note for every derivative that was taken from one side, where the other is not defined."""
    partials = [
        edge_note(f"∂/∂{corner.variable}", corner)
        for corner in evaluation.corners
        if corner.kind == "edge"
    ]
    inner = [edge_note(c.variable, c) for c in evaluation.one_sided]
    return [*inner, *partials]


def edge_note(what: str, corner: Any) -> str:
    """That a derivative was taken from one side."""
    side = "the left" if corner.right is None else "the right"
    if corner.left is corner.right is None:
        side = "one side"  # it is beyond the range of doubles
    return f"{what} is the slope from {side}; the other side is not defined"


def precision_notes(evaluation: Any, traced: bool) -> list[str]:
    """A note for every number that double precision alone would give with other digits than are shown.

    So many digits are ten, or all of them beside a trace; and what is only known to be 0 to the last
    digit that was tried is said to be no more than that.
    """
    notes = []
    errors = {"": evaluation.error} | dict(evaluation.errors)
    values = {"": evaluation.value} | evaluation.gradient
    called = {name: f"∂/∂{name}" if name else "the value" for name in values}
    changed = [
        (name, partial, found)
        for name, (partial, _) in evaluation.cancelled.items()
        for found in [values[name] or 0]
        if abs(found - partial) > (0 if traced else 1e-10 * abs(found))
        # 0 within a bound that says nothing is no value
        if found or errors.get(name, 0) < 1e-300
    ]
    for name, partial, found in changed[:MOST_NOTES]:
        if name in evaluation.cornered:
            said = f"∂/∂{name}: no rule holds at this point; the slope is that of both sides"
            if traced and evaluation.tangents:
                said += f", and the trace gives {number(partial, 10)}"
            notes.append(said)
            continue
        truth = "" if found else " is 0"
        alone = number(partial, 10 if found else 3)
        notes.append(
            f"{called[name]}{truth}: double precision alone would give {alone}"
        )
        if traced and name:
            notes.append(
                f"the trace shows double precision, which gives ∂/∂{name} = {partial:.10g}"
            )
    if len(changed) > MOST_NOTES:
        notes.append(f"and so with {len(changed) - MOST_NOTES} more")
    for name, value in values.items():
        if value == 0 and 0 < errors.get(name, 0) < 1e-300:
            said = "is 0 to 1,000 digits; that it is 0 is not proved"
            notes.append(f"{called[name]} {said}")
    return notes


def evaluation_notes(found: Any, digits: int, traced: bool = False) -> list[str]:
    """How it was read, one-sided slopes, and numbers of which fewer digits are known, or that doubles get wrong."""
    numbers: list[tuple[str, Known]] = []
    if found.error != math.inf or found.numbers:
        numbers = [("the value", found.known())]
        numbers += ((f"∂/∂{name}", found.known(name)) for name in found.gradient)
    return [
        *found.expression.notes,
        *edge_notes(found),
        *precision_notes(found, traced),
        *digits_notes(numbers, digits),
    ]
