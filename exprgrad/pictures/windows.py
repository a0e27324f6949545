"""What part of a curve to show, and the numbers at its edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from exprgrad.budget import share
from exprgrad.checking import domain
from exprgrad.checking.kinds.real_roots import period
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.pictures.curves import Along
from exprgrad.pictures.plot_data import PlotData, exact_text

USUAL = (-5.0, 5.0)
"""Where nothing happens anywhere."""

SMALLEST, FARTHEST = 1e-30, 1000.0
MOST_SHOWN = 7


MOST_STEPS = 1000
"""Operations of an expression whose zeros and extrema are looked for: that takes some thousand values."""


def is_searched(along: Along) -> bool:
    """Whether a range is chosen by what is to be seen there; of a large expression it is the usual one."""
    return len(along.expression.tape.steps) <= share(MOST_STEPS)


def range_of(along: Along, also: Sequence[float] = ()) -> tuple[float, float]:
    """A range with the zeros, extrema, corners and gaps nearest to 0, and the places that must be in it."""
    if not is_searched(along):
        return _defined(along, min(USUAL[0], *also, 0.0), max(USUAL[1], *also, 0.0))
    places = [x for x in _places(along) if abs(x) <= FARTHEST]
    repeats = period(along.expression.root, along.name)
    if repeats is not None and len(places) > 2:
        length = Expression.of(repeats)() + 1e-9
        places = [x for x in places if abs(x) <= length]
    places = [0.0 if abs(x) < SMALLEST else x for x in places]
    places = sorted(sorted(set(places), key=abs)[:MOST_SHOWN])
    places = _close(places) + [float(x) for x in also]
    low, high = (min(places), max(places)) if places else USUAL
    if not places:
        return _defined(along, low, high)
    share = 0.25 if len(places) > 2 else 0.9
    room = share * (high - low) if high > low else max(2.0, abs(low))
    return _defined(along, *_round(low - room, high + room))


def _close(places: list[float]) -> list[float]:
    """Without those that lie far beyond all others."""
    while len(places) > 2:
        span = places[-2] - places[0], places[-1] - places[1]
        whole = places[-1] - places[0]
        if whole > 12 * span[0] > 0 and abs(places[-1]) > abs(places[0]):
            places = places[:-1]
        elif whole > 12 * span[1] > 0:
            places = places[1:]
        else:
            break
    return places


def _places(along: Along) -> list[float]:
    """Zeros, corners and gaps, and where the slope is 0 or turns."""
    name, root, others = along.name, along.expression.root, along.doubles()
    if name not in along.expression.variables:
        return []
    found = {x for x in domain.breaks([root], name, others) if _has_side(along, x)}
    found |= {x for x in domain.zeros(root, name, others) if _passes(along, x)}
    try:
        slope: Expression = along.expression.derivative(name)
        if name in slope.variables and len(slope.tape.steps) < 200:
            flat = Along(slope, name, along.others)
            found |= {x for x in domain.zeros(slope.root, name, others) if _passes(flat, x)}  # fmt: skip
    except ExprgradError:
        pass
    return [x for x in found if math.isfinite(x)]


def _passes(along: Along, x: float) -> bool:
    """Whether the function is 0 there and not all around, or changes its sign: none of what is too small for a double."""
    here = along(x)
    step = 1e-6 * max(1.0, abs(x))
    left, right = along(x - step), along(x + step)
    if left is None or right is None:
        return here == 0
    return (here == 0 and not left == right == 0) or (left < 0) != (right < 0)


def _has_side(along: Along, x: float) -> bool:
    """Whether there are values beside a place."""
    step = 1e-3 * max(1.0, abs(x))
    return along(x - step) is not None or along(x + step) is not None


def _defined(along: Along, low: float, high: float) -> tuple[float, float]:
    """Without the ends where there are no values, but for a little."""
    count = 64
    xs = [low + (high - low) * i / count for i in range(count + 1)]
    known = [x for x in xs if along(x) is not None]
    if not known or len(known) == len(xs):
        return low, high
    if len(known) < len(xs) / 3 and high - low < FARTHEST:
        return _defined(along, low - (high - low) / 2, high + (high - low) / 2)
    room = (known[-1] - known[0]) / 8 or (high - low) / 8
    return max(low, known[0] - room), min(high, known[-1] + room)


def _round(low: float, high: float) -> tuple[float, float]:
    """Outward to short numbers."""
    unit = 10.0 ** math.floor(math.log10(high - low)) / 5
    return math.floor(low / unit) * unit, math.ceil(high / unit) * unit


def ticks(low: float, high: float, most: int = 8) -> list[float]:
    """Round numbers between two others: steps of 1, 2 or 5 times a power of ten."""
    width = high - low
    if not (width > 0 and math.isfinite(width)):
        return []
    power = 10.0 ** math.floor(math.log10(width / most))
    step = next(m * power for m in (1, 2, 5, 10, 20) if width / (m * power) <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, 1 - math.floor(math.log10(step)))
    return [round(i * step, digits) if digits < 300 else i * step for i in range(first, last + 1)]  # fmt: skip


def offset(low: float, high: float) -> float:
    """What is taken from the numbers at an edge that differ in their last digits only; mostly 0."""
    if high - low > 1e-4 * max(abs(low), abs(high)):
        return 0.0
    digits = -math.floor(math.log10(high - low))
    return round((low + high) / 2, digits)


def counts_from(plot: PlotData) -> str:
    """The number that the heights at an edge count from; nothing where that is 0."""
    w = plot.window
    total = plot.base + Fraction(repr(offset(w.bottom, w.top)))
    return exact_text(total) if total else ""


def tick_text(x: float, low: float, high: float) -> str:
    """A number at an edge, with the digits that tell it from the next."""
    if x == 0:
        return "0"
    largest, width = max(abs(low), abs(high)), high - low
    digits = max(3, min(15, 3 + math.ceil(math.log10(largest / width))))
    text = f"{x:.{digits}g}"
    mantissa, e, power = text.partition("e")
    return f"{mantissa}e{int(power)}".replace("-", "−") if e else text.replace("-", "−")
