"""Plots: curves of expressions with what is special about them, tangents, contours.

    plot = plot_of([parse("x^2*sin(x)")], across=(-2, 2), tangents=[1])
    plot.svg()

The range is chosen when none is given: zeros, extrema, corners and gaps are in it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from exprgrad.annotations import Any
from exprgrad.errors import Hint, RangeError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.language import inputs
from exprgrad.pictures.contours import field
from exprgrad.pictures.curves import Along, Scale, Sketch
from exprgrad.pictures.on_axes import png
from exprgrad.pictures.plot_data import (
    Curve,
    Dot,
    PlotData,
    Tangent,
    Window,
    exact_text,
)
from exprgrad.pictures.plot_svg import plot_svg
from exprgrad.pictures.windows import is_searched, range_of


class Plot(PlotData):
    """A plot; see `PlotData`."""

    __slots__ = ()

    def svg(self) -> str:
        """The picture."""
        return plot_svg(self)

    def png(self) -> bytes:
        """The same as a PNG. Raises `UsageError` without the extra for it."""
        return png(self)

    def as_dict(self) -> dict[str, Any]:
        """What a program may want to know, for JSON.

        Heights are values; of a plot that has a `base`, the pieces `from_base` tell apart what doubles of them cannot.
        """
        return {
            **({"base": exact_text(self.base)} if self.base else {}),
            "title": self.title,
            "variable": self.across,
            "window": self._values(self.window, "bottom", "top"),
            "curves": [
                {
                    "name": curve.name,
                    "pieces": [[(x, self._value(y)) for x, y in piece] for piece in curve.pieces],
                    **({"from_base": curve.pieces} if self.base else {}),
                    "marks": [
                        {k: _limit(v) for k, v in self._values(mark, "left", "right", "value").items()}
                        for mark in curve.marks
                    ],
                }
                for curve in self.curves
            ],
            "tangents": [
                {k: _limit(v) for k, v in self._values(tangent, "y").items()}
                for tangent in self.tangents
            ],
        }  # fmt: skip

    fields = as_dict  # its older name

    def _values(self, record: Any, *heights: str) -> dict[str, Any]:
        """The fields of a record, with values for its heights."""
        found: dict[str, Any] = record._asdict()
        return found | {name: self._value(found[name]) for name in heights}

    def _value(self, height: float | None) -> float | None:
        """The value at a height."""
        if not self.base or height is None or math.isinf(height):
            return height
        return float(Fraction(height) + self.base)

    def _repr_svg_(self) -> str:
        return self.svg()


def plotted(
    expressions: Sequence[Expression],
    given: Mapping[str, Any],
    across: tuple[float, float] | None = None,
    up: tuple[float, float] | None = None,
    tangents: Sequence[float] = (),
    derivatives: str | None = None,
) -> Plot:
    """What a user asks for: curves, those of derivatives as `f,f',f''`, or contours where two variables are left."""
    across = _ends(across)
    for expression in expressions:
        expression.refuse_arrays(given)
    free = list(dict.fromkeys(n for f in expressions for n in f.variables if n not in given))  # fmt: skip
    if len(free) == 2 and len(expressions) == 1 and derivatives is None:
        return contours_of(expressions[0], given, free[0], free[1], across, up)
    names: Sequence[str] = ()
    before: Sequence[Expression | None] = ()
    if derivatives is not None:
        if len(expressions) != 1 or not free:
            raise UsageError("derivatives are drawn of one expression in one variable")
        names = _primes(derivatives)
        orders = [len(name) - 1 for name in names]
        before = [
            _derived(expressions[0], free[0], n - 1) if n else None for n in orders
        ]
        expressions = [_derived(expressions[0], free[0], n) for n in orders]
    return plot_of(expressions, given, across, None, tangents, names, (), up, before)


def _ends(across: Any) -> tuple[float, float] | None:
    """The ends of a range that was given, as numbers."""
    if across is None:
        return None
    try:
        left, right = across
    except (TypeError, ValueError):
        raise UsageError("a range is two numbers, from left to right") from None
    return tuple(inputs.number(end, "an end of a range") for end in (left, right))  # type: ignore[return-value] # two


def _primes(text: str) -> list[str]:
    """The names in `f,f',f''`."""
    names = [name.strip().replace("’", "'").replace("′", "'") for name in text.split(",")]  # fmt: skip
    for name in names:
        if not name[:1].isalpha() or name[1:].strip("'") or len(name) > 5:
            raise UsageError(f"expected f, f' or f'', not {name or 'nothing'}")
    return names


def _derived(expression: Expression, name: str, order: int) -> Expression:
    return expression.derivative(name, order=order) if order else expression


def plot_of(
    expressions: Sequence[Expression],
    at: Mapping[str, Any] | None = None,
    across: tuple[float, float] | None = None,
    name: str | None = None,
    tangents: Sequence[float] = (),
    names: Sequence[str] = (),
    dots: Sequence[Dot] = (),
    height: tuple[float, float] | None = None,
    before: Sequence[Expression | None] = (),
) -> Plot:
    """The curves of expressions in one variable; the others have values in `at`.

    An expression may be the derivative of the one `before` it, or of None. `names` are what the curves are called. Raises `UsageError` where not one variable is left, or the range is none.
    """
    given = dict(at or {})
    variable = name or _variable(expressions, given)
    own = [
        Along(f, variable, given, before=Along(g, variable, given) if g else None)
        for f, g in itertools.zip_longest(expressions, before)
    ]
    for f in own:
        _refuse_missing(f, variable)
    notes: list[str] = []
    if across is None:
        if not all(map(is_searched, own)):
            notes.append(UNSEARCHED)
        ranges = [range_of(f, tangents) for f in own]
        across = min(low for low, _ in ranges), max(high for _, high in ranges)
    left, right = across
    if not left < right:
        raise UsageError(f"a range of {variable} goes from a number to a greater one")
    called = list(names) or [f.title for f in expressions]
    base, sketches = _less_a_base([Sketch(f, left, right) for f in own], height)
    own = [sketch.f for sketch in sketches]
    if base:
        height = height and (_above(height[0], base), _above(height[1], base))
        dots = [dot._replace(y=_above(dot.y, base)) for dot in dots]
    scale = Scale(*height) if height is not None else _common(sketches)
    sketches = [sketch.precise(scale) for sketch in sketches]
    if height is None:
        scale = _common(sketches)
    if scale.high - scale.low < LOWEST:
        raise RangeError(
            "the values are too small to be drawn: below the range of double precision",
            hint=f"multiply by a power of 10: 10^400*({called[0]})",
        )
    pairs = zip(sketches, called, strict=True)
    curves = [sketch.curve(scale, name) for sketch, name in pairs]
    touching = [t for i, f in enumerate(own[:1]) for x in tangents for t in _tangent(f, i, x)]  # fmt: skip
    window = Window(left, right, scale.low, scale.high)
    title = ", ".join(called)
    return Plot(title, variable, "", window, tuple(curves), tuple(touching), tuple(dots), None, (*notes, *_notes(curves)), base)  # fmt: skip


LOWEST = 1e-290
"""The least height of a picture whose scale doubles can write."""

COARSE = 2000
"""Units in the last place that a picture is high at least where its values are drawn as doubles."""


def _less_a_base(
    sketches: list[Sketch], height: tuple[float, float] | None
) -> tuple[Fraction | int, list[Sketch]]:
    """A number to count heights from, and the curves less that; 0 where doubles are fine enough for the picture.

    Differences from a number near all values are computed with as many digits as they need.
    """
    base: Fraction | int = 0
    for _ in range(3):
        ends = [sketch.spread() for sketch in sketches]
        low, high = min(a for a, _ in ends), max(b for _, b in ends)
        if height is not None and not base:
            low, high = height
        if not low <= high or high - low > COARSE * math.ulp(max(abs(low), abs(high))):
            break
        step = _round((low + high) / 2, high - low)
        less = [Sketch(s.f.less(step), s.left, s.right) for s in sketches]
        if all(a == b for a, b in (sketch.spread() for sketch in less)):
            break  # it is a constant
        base, sketches = base + step, less
    return base, sketches


def _round(x: float, room: float) -> Fraction:
    """A number with few digits about as near as the room says, or as doubles tell numbers apart."""
    unit = Fraction(10) ** math.ceil(math.log10(max(4 * math.ulp(x), room)))
    return round(Fraction(x) / unit) * unit


def _above(y: float, base: Fraction | int) -> float:
    return float(Fraction(y) - base)


def _limit(value: Any) -> Any:
    """A number for JSON: an infinite one is a word."""
    if isinstance(value, tuple):
        return tuple(map(_limit, value))
    if isinstance(value, float) and math.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    return value


def contours_of(
    expression: Expression,
    given: Mapping[str, Any],
    across: str,
    up: str,
    horizontal: tuple[float, float] | None = None,
    vertical: tuple[float, float] | None = None,
    dots: Sequence[Dot] = (),
) -> Plot:
    """Lines of equal value over two variables, with gradients."""
    left, right = horizontal or (-3.0, 3.0)
    bottom, top = vertical or (-3.0, 3.0)
    if not (left < right and bottom < top):
        raise UsageError("a range goes from a number to a greater one")
    window = Window(left, right, bottom, top)
    found = field(expression, given, across, up, window)
    title = f"{expression.title}, across {across}, up {up}"
    return Plot(title, across, up, window, (), (), tuple(dots), found)


def _variable(expressions: Sequence[Expression], given: Mapping[str, Any]) -> str:
    """The variable without a value."""
    free = dict.fromkeys(n for f in expressions for n in f.variables if n not in given)
    if len(free) > 1:
        raise UsageError(
            f"a curve has one variable, and there are values for all but {', '.join(free)}",
            hint=Hint("give_value", names=list(free)[1:]),
        )
    return next(iter(free), "x")


def _refuse_missing(f: Along, variable: str) -> None:
    missing = [n for n in f.expression.variables if n != variable and n not in f.others]
    if missing:
        hint = Hint("give_value", names=missing)
        raise UsageError(f"there is no value for {', '.join(missing)}", hint=hint)


def _common(sketches: Sequence[Sketch]) -> Scale:
    """One scale for all curves."""
    scales = [sketch.scale() for sketch in sketches]
    return Scale(min(s.low for s in scales), max(s.high for s in scales))


def _tangent(f: Along, index: int, x: float) -> list[Tangent]:
    """The tangent at a place, or two at a corner. Raises what evaluating there raises."""
    evaluation = f.expression.evaluate(f._at(x), (), digits=10)
    left, right, kind = f.slopes(x)
    slopes = [left] if not kind and left is not None else [s for s in (left, right) if s is not None]  # fmt: skip
    if not slopes or evaluation.value is None:
        return []
    one = ("left" if right is None else "right") if kind and len(slopes) == 1 else ""
    return [Tangent(index, x, evaluation.value, tuple(slopes), one)]


UNSEARCHED = "the expression is large: its zeros and extrema were not looked for to choose the range"


def _notes(curves: Sequence[Curve]) -> tuple[str, ...]:
    if any(c.band for c in curves):
        return (
            "it swings faster than can be drawn: the band shows between which values",
        )
    return ()
