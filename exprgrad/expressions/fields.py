"""The known digits of a number as text, with no digit that may be wrong.

Results as fields that programs read: `as_dict()` of each, and JSON on the command line.

    parse("x^2").evaluate({"x": 3}).as_dict()["gradient"]      # {"x": 6.0}

Numbers are doubles; beside the null of one beyond their range stands its decimal, in a field `..._text`, and beside
numbers with a bound on their error that bound. Arrays are nested lists, in which null is what does not exist.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from exprgrad.annotations import Any
from exprgrad.notation.numbers import SMALLEST_NORMAL, number
from exprgrad.sweeps.bounds import BOUNDED, DIGITS, NEAREST, UNDECIDED, Bounds, Known
from exprgrad.sweeps.coordinates import Coordinate, Meant

MOST_NOTES = 5
"""Variables that a kind of note names, one by one."""

DOUBLE = 15
"""The digits of a decimal that the double nearest to it keeps."""


NONE = "none"
"""The text for a number that does not exist; where that could not be decided it is `UNDECIDED`."""


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
    # Below the least normal double there are fewer digits than 15 in one.
    told = digits <= DOUBLE and abs(double) >= SMALLEST_NORMAL
    if meant is None or told:
        return number(double, digits)
    if meant.tape is not None:
        return written(Bounds(meant.tape).answer({}, (), digits).value, digits)
    top, bottom = meant.ratio or (0, 1)
    # The double is that whole number, so that any count of digits is right.
    if not top % bottom and abs(double) < 2.0**53:
        return number(double, digits)
    from decimal import Context, Decimal

    exact = Context(prec=digits + 2).divide(Decimal(top), Decimal(bottom))
    return f"{exact.normalize():.{digits}g}".replace("E", "e")


def point(at: Mapping[str, float], given: Meant, digits: int) -> dict[str, str]:
    """The coordinates of a point for people, by names."""
    return {name: coordinate_text(x, given.get(name), digits) for name, x in at.items()}


def point_text(at: Mapping[str, float], given: Meant, digits: int) -> str:
    """The same in a sentence: x = 2, y = 0.5."""
    told = point(at, given, digits)
    return ", ".join(f"{name} = {text}" for name, text in told.items())


def point_fields(
    at: Mapping[str, float], given: Meant, key: str = "at"
) -> dict[str, Any]:
    """The same for programs: doubles, and a text beside the null of a number beyond them."""
    beyond = _beyond(at, given)
    fields: dict[str, Any] = {key: {**at, **dict.fromkeys(beyond)}}
    return fields | ({f"{key}_texts": beyond} if beyond else {})


def point_cells(at: Mapping[str, float], given: Meant) -> dict[str, float | str]:
    """The same for cells of CSV: doubles, and decimals beyond them."""
    return {**at, **_beyond(at, given)}


def _beyond(at: Mapping[str, float], given: Meant) -> dict[str, str]:
    """The coordinates beyond doubles, as decimals."""
    names = [name for name in at if name in given and given[name].is_beyond]
    return {name: coordinate_text(at[name], given[name], DIGITS) for name in names}


def written(known: Known, digits: int) -> str:
    """Return what is known of a number for people, with no digit that may be wrong."""
    if known.value is None and known.middle is None:
        return UNDECIDED if known.status == UNDECIDED else NONE
    if known.value is not None and not known.error:
        few = digits <= NEAREST
        return number(known.value, digits) if few else str(known.decimal(digits))
    if known.value == 0 and known.error < 1e-300:
        return "0"
    sure = min(digits, known.sure)
    if not sure:
        return f"0 ± {abs(known.value or 0.0) + known.error:.1e}"
    value = known.value
    told = value is not None and abs(value) >= SMALLEST_NORMAL and sure <= DOUBLE
    if value is None or (known.middle is not None and not told):
        return str(known.decimal(sure))
    # With two digits known, 1234.5 is 1.2e+03: as 1200 it would claim four.
    whole = abs(value) < 10.0 ** min(known.sure, NEAREST)
    return number(value, sure) if whole else f"{value:.{sure}g}"


def is_beyond(number: Known) -> bool:
    """Return whether a number is beyond the range of doubles."""
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
    return few(f"of {what}, {sure} digits are known" for what, sure in short)


def few(notes: Iterable[str]) -> list[str]:
    """Return the first of some notes, and how many more there are."""
    every = [*notes]
    more = len(every) - MOST_NOTES
    return [*every[:MOST_NOTES], *[f"and so with {more} more"] * (more > 0)]


def sweeps(count: int, of: str = "variable") -> str:
    """Return how much work the two modes are for so many variables, or elements of them."""
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
    edges = (corner for corner in evaluation.corners if corner.kind == "edge")
    partials = [edge_note(f"∂/∂{corner.variable}", corner) for corner in edges]
    inner = [edge_note(c.variable, c) for c in evaluation.one_sided]
    return [*inner, *partials]


def edge_note(what: str, corner: Any) -> str:
    """A note that a derivative was taken from one side."""
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
        for name, partial in evaluation.cancelled.items()
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
    """Return how it was read, one-sided slopes, and numbers of which fewer digits are known, or that doubles get wrong."""
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


Matrix = Mapping[str, Mapping[str, Known]]

ONE_SIDE = "the derivative along the seed is taken from one side; the expression is not defined on the other"


def read_fields(expression: Any) -> dict[str, Any]:
    """An expression as it was typed and as it was read."""
    return {"expression": expression.title, "reading": expression.reading}


def evaluation_fields(
    found: Any, digits: int = DIGITS, notes: Sequence[str] | None = None
) -> dict[str, Any]:
    """The value and the partials at a point."""
    out = read_fields(found.expression) | point_fields(found.at, found.given)
    out["value"], out["gradient"] = found.value, dict(found.gradient)
    out["notes"] = list(evaluation_notes(found, digits) if notes is None else notes)
    if found.error != math.inf:
        out |= {"error": found.error, "errors": dict(found.errors)}
    return out | evaluation_texts(found, digits) | _missing_fields(missing(found))


def _missing_fields(corners: Iterable[Any]) -> dict[str, Any]:
    """The corners at which there is no derivative, by variable, an infinite slope in words; no field without any."""
    # JSON has no infinity.
    infinite = {math.inf: "infinity", -math.inf: "-infinity"}
    found = {
        corner.variable: {
            "kind": corner.kind,
            "operation": corner.operation,
            "left": infinite.get(corner.left, corner.left),
            "right": infinite.get(corner.right, corner.right),
            "span": corner.span,
        }
        for corner in corners
    }
    return {"not_differentiable": found} if found else {}


def hessian_fields(matrix: Matrix, digits: int) -> dict[str, Any]:
    """Second partials, bounds on their errors, and decimals beside them."""
    rows = {a: text_fields("", row, digits) for a, row in matrix.items()}
    texts = {a: own[""] for a, own in rows.items() if own}
    return {
        "hessian": {a: {b: k.value for b, k in row.items()} for a, row in matrix.items()},
        "hessian_errors": {a: {b: _bound(k) for b, k in row.items()} for a, row in matrix.items()},
        **({"hessian_texts": texts} if texts else {}),
    }  # fmt: skip


def orders_fields(derivatives: Sequence[Known], digits: int) -> dict[str, Any]:
    """The same for derivatives by order."""
    return {
        "derivatives": [own.value for own in derivatives],
        "derivative_errors": [_bound(own) for own in derivatives],
    } | text_fields("derivative_texts", {str(k): d for k, d in enumerate(derivatives)}, digits)  # fmt: skip


def _bound(number: Known) -> float | None:
    """The bound on the error of a double; None where there is no double."""
    return None if number.value is None else number.error


def trust_fields(found: Any) -> dict[str, Any]:
    """`digits` and `condition` by name, and where digits are lost."""
    known = {name: found.evaluation.known(name) for name in ("", *found.conditions)}
    sure = {name: k.sure if k.is_number else None for name, k in known.items()}
    return {
        "value_digits": sure.pop(""),
        "digits": sure,
        "condition": dict(found.conditions),
        "loss": found.loss and found.loss._asdict(),
    }


def paths_fields(found: Any) -> dict[str, Any]:
    """The paths that carry a gradient; a number of paths beyond doubles has a logarithm only."""
    return {
        "variable": found.variable,
        "paths": [path._asdict() for path in found.paths],
        "formulas": found.formulas,
        # Most readers take numbers of JSON for doubles, which would round a larger count.
        "count": found.number if found.number < 2**53 else None,
        "log10_count": math.log10(found.number) if found.number else None,
        "rest": found.rest,
        "total": found.total,
        "blocked": list(found.blocks),
    }  # fmt: skip


def directional_notes(found: Any, digits: int) -> list[str]:
    """Return how the expression was read, and which numbers are known to fewer digits than are shown."""
    numbers = [("the value", found.evaluation.known()), ("the derivative", found.slope)]
    edge = found.corner is not None and found.corner.kind == "edge"
    inner = edge_notes(found.evaluation)
    short = digits_notes(numbers, digits)
    return [*found.expression.notes, *inner, *([ONE_SIDE] if edge else []), *short]


def directional_fields(found: Any, digits: int = DIGITS) -> dict[str, Any]:
    """The derivative along a direction."""
    out = read_fields(found.expression) | point_fields(found.at, found.evaluation.given)
    out |= point_fields(found.seed, found.direction, "seed")
    out |= {"value": found.value, "derivative": found.derivative}
    out["notes"] = directional_notes(found, digits)
    numbers = {"": found.evaluation.known(), "derivative_": found.slope}
    for key, known in numbers.items():
        if known.value is not None:
            out[f"{key}error"] = known.error
        if text := text_of(known, digits):
            out[f"{key or 'value_'}text"] = text
    return out


def array_fields(found: Any, digits: int = DIGITS) -> dict[str, Any]:
    """The value and the gradient of an expression in arrays."""
    own = {name: getattr(found, name) for name in ("at", "value", "gradient")}
    out: dict[str, Any] = read_fields(found.expression) | finite(own)
    out["notes"] = array_notes(found, digits)
    if found.bounded:
        out["error"], out["errors"] = finite(found.error), finite(dict(found.errors))
    return out | _missing_fields(missing(found))


def array_notes(found: Any, digits: int) -> list[str]:
    """Return what is to be said of the reading, of one-sided slopes, and of numbers with fewer digits."""
    own = {"the value": (found.value, found.error)}
    for name, partials in (found.gradient or {}).items():
        own[f"∂/∂{name}"] = partials, found.errors.get(name)
    short = _short_of_digits(own, digits) if found.bounded else []
    return [*found.expression.notes, *edge_notes(found), *short]


def array_directional_notes(found: Any, digits: int) -> list[str]:
    """The same for a derivative along a direction."""
    own = {
        "the value": (found.value, found.evaluation.error),
        "the derivative": (found.derivative, found.error),
    }
    edges = (corner for corner in found.corners if corner.kind == "edge")
    of = ((f" of element {c.variable}" if c.variable else "", c) for c in edges)
    return [
        *found.expression.notes,
        *edge_notes(found.evaluation),
        *(edge_note(f"the derivative{which} along the seed", c) for which, c in of),
        *_short_of_digits(own, digits),
    ]


def array_directional_fields(found: Any, digits: int = DIGITS) -> dict[str, Any]:
    """The derivative along a direction, where any of them is an array."""
    own = {name: getattr(found, name) for name in ("at", "seed", "value", "derivative")}
    return {
        **read_fields(found.expression),
        **finite(own),
        "notes": array_directional_notes(found, digits),
        "error": finite(found.evaluation.error),
        "derivative_error": finite(found.error),
        **_missing_fields(c._replace(variable=f"result{c.variable}") for c in missing_along(found)),
    }  # fmt: skip


def missing_along(found: Any) -> list[Any]:
    """The corners at which there is no derivative along the direction; of arrays, by their places in the result."""
    if hasattr(found, "corner"):  # along a direction of numbers there is one at most
        return [c for c in [found.corner] if c is not None and c.kind != "edge"]
    slopes = dict(elements(found.derivative))
    return [c for c in found.corners if slopes[c.variable] != slopes[c.variable]]


def _short_of_digits(own: Mapping[str, tuple[Any, Any]], digits: int) -> Iterator[str]:
    """Yield a note for each of these numbers, given with bounds on their errors, of which too few digits are known."""
    for what, (numbers, errors) in own.items():
        short = 0
        for (_, x), (_, e) in zip(elements(numbers), elements(errors), strict=True):
            # what does not exist has no digits, nor has a 0 below the range of doubles
            if x == x and e and not x == 0 > e - 1e-300:
                short += Known(x, e, BOUNDED).digits < digits
        count = getattr(numbers, "size", 1)
        if short:
            of = f"{short} of the {count} elements of {what}" if count > 1 else what
            yield f"fewer than {digits} digits are known of {of}"


def finite(thing: Any) -> Any:
    """Arrays as lists, with None for what is not a number."""
    if isinstance(thing, dict):
        return {name: finite(own) for name, own in thing.items()}
    if hasattr(thing, "tolist"):
        thing = thing.tolist()
    if isinstance(thing, list):
        return [finite(own) for own in thing]
    return thing if thing is None or math.isfinite(thing) else None


def elements(value: Any) -> Iterator[tuple[str, float]]:
    """The elements of an array with their places, `[0, 1]`; a number has none."""
    if not getattr(value, "shape", ()):
        yield "", math.nan if value is None else float(value)
        return
    from numpy import ndenumerate

    yield from ((str([*place]), float(x)) for place, x in ndenumerate(value))


def operator(wrt: tuple[str, ...], several: bool) -> str:
    """The operator in front: d/dx, d^2/dx^2, ∂/∂x, ∂^2/∂x∂y."""
    d = "∂" if several else "d"
    total = f"^{len(wrt)}" if len(wrt) > 1 else ""
    counts = Counter(wrt).items()
    below = "".join(f"{d}{x}{f'^{n}' if n > 1 else ''}" for x, n in counts)
    return f"{d}{total}/{below}"
