"""Answers in arrays: the sweep in doubles where its bounds are enough, element by element where they are not.

    found = answered(tape, point, numbers, names, 10, ask, written)
    found.value, found.error                 # each in the shape of the result
    found.gradient["x"], found.errors["x"]   # each in the shape of x; nan where a partial does not exist

An element is asked for like any number, so that a corner, a branch or a fault means the same in an array. An
expression whose operations take arrays element by element is asked with the numbers of one element after the
other; of any other, the graph is written out in the elements (see `sweeps.elements`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np

from exprgrad.annotations import Any
from exprgrad.errors import (
    DomainError,
    NotDifferentiableError,
    RangeError,
    UndecidedError,
)
from exprgrad.expressions.written_out import Part, WrittenOut, own_place
from exprgrad.graph.value import Value
from exprgrad.language.notes import Slope
from exprgrad.operations.array_balls import ArrayBall, is_short
from exprgrad.operations.on_arrays import as_data
from exprgrad.sweeps.array_bounds import Swept, swept
from exprgrad.sweeps.arrays import Written, plain
from exprgrad.sweeps.coordinates import Coordinates
from exprgrad.sweeps.corners import Corner
from exprgrad.sweeps.elements import Elements, place_name, work
from exprgrad.sweeps.rounding import UNIT
from exprgrad.sweeps.rows import Rows
from exprgrad.sweeps.tape import Tape

MOST_WORK = 100_000
"""Nodes, each times its cost, that are looked at singly: about a second."""

MOST_FOR_DIGITS = 20_000
"""The same where nothing but digits of partial derivatives are in doubt."""

MOST_ELEMENTS = 2_000_000
"""The same for elements that do not depend on one another, each of which is worth looking at."""

FEW = 20
"""Elements that are not worth a sweep of their own."""

Ask = Callable[[Part | None, Mapping[str, Any], Sequence[str]], Any]
"""The evaluation of a part of an expression at a point, or of the expression itself for None."""

Meant = Callable[[str, tuple[int, ...]], Any]
"""The number that is meant by an element of a variable."""


class Answered:
    """The value, the gradient if the value is one number, bounds on their errors, and the corners."""

    def __init__(self, found: Swept) -> None:
        self.value = found.value.mid
        self.gradient: dict[str, Any] | None = None
        self.corners: tuple[Corner, ...] = ()
        self.one_sided: tuple[Corner, ...] = ()
        self._found: dict[str, ArrayBall] = {"": found.value}
        self._known: dict[str, Any] = {}
        if self.value.size == 1:
            partials = found.gradient or {}
            self.gradient = {n: e.mid for n, e in partials.items()}
            self._found |= partials

    def bound(self, name: str = "") -> Any:
        """Bounds on the errors of a partial, or of the value; worked out when they are asked for."""
        if name not in self._known:
            with np.errstate(all="ignore"):
                self._known[name] = self._found[name].radius
        return self._known[name]

    def has_bounds(self, name: str = "") -> bool:
        """Whether the sweep has a bound for every element."""
        return _is_bounded(self._found[name])

    def set_bound(self, bound: Any, name: str = "") -> None:
        """Other bounds, for numbers that were looked at singly."""
        self._known[name] = bound

    @property
    def error(self) -> Any:
        """Bounds on the errors of the value."""
        return plain(self.bound())

    @property
    def errors(self) -> dict[str, Any]:
        """Bounds on the errors of the partials, by name."""
        return {name: plain(self.bound(name)) for name in self.gradient or ()}


def answered(
    tape: Tape,
    slopes: Sequence[Slope],
    point: Mapping[str, Any],
    meant: Meant,
    names: Sequence[str],
    enough: float,
    ask: Ask,
    written: Written,
) -> Answered:
    """The answer at a point of numbers and arrays, its relative errors at most `enough` where that can be had.

    `slopes` are the derivatives taken in the text, if they may be others than their formulas say; `point` has
    estimates of the variables. With nan for `enough` every element is looked at singly. Raises `ExprgradError`
    where there is no answer.
    """
    found = swept(tape, point, names, written)
    out = Answered(found)
    numbers = [found.value, *(found.gradient or {}).values()]
    known, single = False, out.value.size == 1
    if found.refused is None and stands(found.value, enough):
        if all(stands(ball, enough) for ball in numbers):
            return out
        plain_ones = single and all(map(_is_bounded, numbers))
        if plain_ones and work(tape, found.values) > MOST_FOR_DIGITS:
            _leave_open(out)
            return out  # the bounds say how many digits there are
    large = single and work(tape, found.values) > MOST_WORK
    try:
        if large:
            pass  # it is what the bounds say
        elif single:
            known = _single(out, tape, slopes, found, point, meant, names, ask)
        else:
            known = _many(out, tape, slopes, found, point, meant, enough, ask)
    except DomainError as error:
        within = isinstance(error, NotDifferentiableError)  # a derivative in the text
        if found.refused is not None and not within:
            raise found.refused from None  # which names the element
        raise
    if not known:
        if found.refused is not None:
            raise found.refused
        if slopes:
            raise UndecidedError(
                "could not decide whether the derivatives in the expression exist: there are too many elements to "
                "look at them singly",
                hint="evaluate a part of the arrays",
            )
        _leave_open(out)
    return out


def _leave_open(out: Answered) -> None:
    """Where there is too much to look at singly, what has no bound is not known."""
    if out.value.size == 1 and not out.has_bounds():
        raise UndecidedError(
            "could not decide which branches are taken, or whether there is a value: there are too many "
            "elements to look at them singly",
            hint="evaluate a part of the arrays",
        )
    if not out.has_bounds():
        out.value = np.where(np.isfinite(out.bound()), out.value, math.nan)
    for name, partials in (out.gradient or {}).items():
        if out.has_bounds(name):
            continue
        unknown = ~np.isfinite(out.bound(name))
        if unknown.any():
            out.gradient = {**(out.gradient or {}), name: np.where(unknown, math.nan, partials)}  # fmt: skip
            places = map(tuple, np.argwhere(unknown).tolist())
            labels = [place_name(name, place) for place in places]
            what = "undetermined", None, None, "the expression", (), None
            out.corners += tuple(Corner(label, *what) for label in labels)


def stands(ball: ArrayBall, enough: float) -> bool:
    """Whether the digits of all elements stand."""
    with np.errstate(all="ignore"):
        return bool(np.all(ball.known(enough)))


def _is_bounded(ball: ArrayBall) -> bool:
    """Whether every element has a value with a bound."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(ball.mid).all() and np.all(ball.error < math.inf))


def doubtful(array: Any, error: Any, enough: float) -> Any:
    """Which elements may not have their digits."""
    with np.errstate(all="ignore"):
        return ~(error <= enough * np.abs(array)) | ~np.isfinite(array)


def _single(
    out: Answered,
    tape: Tape,
    slopes: Sequence[Slope],
    found: Swept,
    point: Mapping[str, ArrayBall],
    meant: Meant,
    names: Sequence[str],
    ask: Ask,
) -> bool:
    """Ask for a result of one number, its graph written out."""
    shapes = {n: np.shape(found.values[i]) for n, i in tape.variables.items()}
    labels = {n: {p: place_name(n, p) for p in np.ndindex(shapes[n])} for n in shapes}
    at = {own[p]: meant(n, p) for n, own in labels.items() for p in own}
    # a variable of which nothing depends may have more elements
    if takes_elements(tape) and all(len(own) == 1 for own in labels.values()):
        answer = _of_element(tape, labels, at, names, ask)
    else:
        part = WrittenOut(tape, found.values, slopes, point).part((0,) * out.value.ndim)
        used = {leaf.name or "" for leaf in part.leaves}
        at = {label: number for label, number in at.items() if label in used}
        wanted = [w for n in names for w in labels[n].values() if w in used]
        answer = ask(part, at, wanted)
    shape = out.value.shape
    out.value = np.full(shape, _number(answer, ""))
    out.set_bound(np.full(shape, _error(answer, "")))
    out.gradient = {}
    for name in names:
        own = [label if label in at else None for label in labels[name].values()]
        partials = [0.0 if n is None else _number(answer, n) for n in own]
        errors = [0.0 if n is None else _error(answer, n) for n in own]
        out.gradient[name] = np.array(partials, float).reshape(shapes[name])
        out.set_bound(np.array(errors, float).reshape(shapes[name]), name)
    out.corners, out.one_sided = answer.corners, answer.one_sided
    return True


def _of_element(
    tape: Tape,
    labels: Mapping[str, Mapping[tuple[int, ...], str]],
    at: Mapping[str, Any],
    names: Sequence[str],
    ask: Ask,
) -> Any:
    """The evaluation of the expression itself, where every variable has one element; named by elements."""
    label = {n: next(iter(own.values())) for n, own in labels.items()}
    answer = ask(None, {n: at[label[n]] for n in label}, names)
    corners = tuple(c._replace(variable=label[c.variable]) for c in answer.corners)
    return answer._replace(
        gradient={label[n]: x for n, x in answer.gradient.items()},
        bounds=(answer.error, {label[n]: e for n, e in answer.errors.items()}),
        texts={label.get(n, n): t for n, t in answer.texts.items()},
        corners=corners,
    )


def _many(
    out: Answered,
    tape: Tape,
    slopes: Sequence[Slope],
    found: Swept,
    leaves: Mapping[str, ArrayBall],
    meant: Meant,
    enough: float,
    ask: Ask,
) -> bool:
    """Ask for the doubtful elements of an array; False where that is too much work for all of them."""
    error = out.bound()
    out.value = out.value.copy()
    whole = None
    if takes_elements(tape):
        _by_rows(out, tape, found, leaves, enough)
        each = len(tape.nodes) + sum(step.operation.cost for step in tape.steps)
        most = MOST_ELEMENTS // each
    elif work(tape, found.values) <= MOST_WORK:
        whole, most = WrittenOut(tape, found.values, slopes, leaves), out.value.size
    else:
        return False
    one_sided: dict[str, Corner] = {}
    places = np.argwhere(doubtful(out.value, error, enough))
    for place in map(tuple, places[:most].tolist()):
        if whole is None:
            at = {}
            for name, i in tape.variables.items():
                at[name] = meant(name, own_place(place, np.shape(found.values[i])))
            answer = ask(None, at, ())
        else:
            part = whole.part(place)
            at = {leaf.name or "": meant(*whole.places[leaf]) for leaf in part.leaves}
            answer = ask(part, at, ())
        out.value[place] = _number(answer, "")
        error[place] = _error(answer, "")
        one_sided |= {corner.variable: corner for corner in answer.one_sided}
    out.one_sided = tuple(one_sided.values())
    return most >= len(places)


def coordinates(thing: Any, evaluate: Callable[[Value], Any]) -> Coordinates:
    """Numbers as they are meant: an array, a list, perhaps of fractions or decimals, or a graph.

    `evaluate` gives the evaluation of a graph without variables. Raises `ExprgradError` for what is no array.
    """
    if isinstance(thing, Coordinates):
        data = as_data(thing.data)
        return thing._replace(data=data, error=thing.error * (not is_short(data).all()))
    if isinstance(thing, Value):
        found = evaluate(thing)
        data = np.asarray(found.value, np.float64)
        with np.errstate(all="ignore"):
            off = np.asarray(found.error) / np.abs(data) / UNIT
        error = float(
            np.max(np.where(np.asarray(found.error) == 0, 0.0, off), initial=0.0)
        )
        return Coordinates(data, error, _written(thing), thing)
    data = as_data(thing)
    if isinstance(thing, list | tuple):
        meant = np.array(thing, object)
        if not set(map(type, meant.ravel().tolist())) <= {float, int}:
            return Coordinates(data, 1.0, lambda place: meant[place])
    return Coordinates(data, 0.0, lambda place: float(data[place]))


def _written(root: Value) -> Callable[[tuple[int, ...]], Any]:
    """The elements of a graph without variables, written out when the first is asked for."""

    @cache
    def nodes() -> Any:
        tape = Tape(root, ())
        return Elements(tape, swept(tape, {}, (), str).values).roots

    return lambda place: nodes()[place]


def _by_rows(
    out: Answered,
    tape: Tape,
    found: Swept,
    leaves: Mapping[str, ArrayBall],
    enough: float,
) -> None:
    """Look at doubtful elements in balls, many at once."""
    error = out.bound()
    chosen = doubtful(out.value, error, enough)
    if np.count_nonzero(chosen) < FEW or math.isnan(enough):
        return
    columns = []
    for name in tape.variables:
        leaf = leaves[name]
        mid = np.broadcast_to(leaf.mid, chosen.shape)[chosen]
        columns.append(ArrayBall.of(mid, leaf.relative))
    rows = Rows(tape, ()).answer(columns, enough)
    sure = ~rows.doubtful
    places = np.argwhere(chosen)[sure]
    out.value[tuple(places.T)] = rows.value.mid[sure] + 0.0
    error[tuple(places.T)] = rows.value.radius[sure]


def takes_elements(tape: Tape) -> bool:
    """Whether all operations take arrays element by element."""
    return not tape.on_arrays and not any(s.operation.mean for s in tape.steps)


def _number(answer: Any, name: str) -> float:
    """A number of an answer; nan where it does not exist. Raises `RangeError` where no double is near."""
    number = answer.gradient[name] if name else answer.value
    text = answer.texts.get(name)
    if number is not None:
        return float(number)
    if text is None:
        return math.nan
    if "e-" in text:
        return 0.0
    what = f"the partial derivative with respect to {name}" if name else "the value"
    raise RangeError(f"{what} {text} is beyond the range of double precision")


def _error(answer: Any, name: str) -> float:
    """A bound on the error of the double for a number of an answer."""
    if "e-" in answer.texts.get(name, "") and answer.known(name).value is None:
        return 5e-324
    error = answer.errors.get(name, math.inf) if name else answer.error
    return float(error)
