"""Results as fields that programs read: `as_dict()` of each, and JSON on the command line.

    parse("x^2").evaluate({"x": 3}).as_dict()["gradient"]      # {"x": 6.0}

Numbers are doubles; beside the null of one beyond their range stands its decimal, in a field `..._text`, and beside
numbers with a bound on their error that bound. Arrays are nested lists, in which null is what does not exist.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from exprgrad.annotations import Any
from exprgrad.expressions.known import (
    digits_notes,
    edge_note,
    edge_notes,
    evaluation_notes,
    evaluation_texts,
    missing,
    point_fields,
    text_fields,
    text_of,
)
from exprgrad.sweeps.bounds import BOUNDED, DIGITS, Known

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


def trace_fields(found: Any) -> dict[str, Any]:
    """The steps of both sweeps."""
    return {
        "forward": [step._asdict() for step in found.forward],
        "reverse": [step._asdict() for step in found.reverse],
        **({"tangents": found.tangents} if found.tangents else {}),
    }


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
        "count": found.number if found.number < 2**53 else None,
        "log10_count": math.log10(found.number) if found.number else None,
        "rest": found.rest,
        "total": found.total,
        "blocked": list(found.blocks),
    }  # fmt: skip


def comparison_fields(found: Any) -> dict[str, Any]:
    """The methods side by side."""
    return {
        "expression": found.expression.title,
        **point_fields(found.at, found.given),
        "reference": found.reference,
        "operations": found.size,
        "formula_operations": found.formula_sizes,
        "methods": [
            # the decimal of an error stands beside a null
            {k: v for k, v in m._asdict().items() if v or k != "error_text"}
            for m in found.methods
        ],
    }


def directional_notes(found: Any, digits: int) -> list[str]:
    """How the expression was read, and which numbers are known to fewer digits than are shown."""
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


# Arrays


def array_fields(found: Any, digits: int = DIGITS) -> dict[str, Any]:
    """The value and the gradient of an expression in arrays."""
    out = read_fields(found.expression) | {
        "at": finite(found.at),
        "value": finite(found.value),
        "gradient": finite(found.gradient),
        "notes": array_notes(found, digits),
    }
    if found.bounded:
        out["error"], out["errors"] = finite(found.error), finite(dict(found.errors))
    return out | _missing_fields(missing(found))


def array_notes(found: Any, digits: int) -> list[str]:
    """What is to be said of the reading, of one-sided slopes, and of numbers with fewer digits."""
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
    return {
        **read_fields(found.expression),
        "at": finite(found.at),
        "seed": finite(found.seed),
        "value": finite(found.value),
        "derivative": finite(found.derivative),
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
    """Of which numbers, each with the bounds on its errors, fewer digits are known than are shown."""
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
