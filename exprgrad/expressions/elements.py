"""An expression on arrays, written out: the graph of each element of its result, with the derivatives in it.

whole = WrittenOut(tape, values, slopes, leaves)
part = whole.part((0, 1))                # of one element of the result: a graph in x[0], x[1] ...
whole.places[part.leaves[0]]             # whose element that is: ("x", (0,))

Answers in arrays: the sweep in doubles where its bounds are enough, element by element where they are not.

    found = answered(tape, point, numbers, names, 10, ask, written)
    found.value, found.error                 # each in the shape of the result
    found.gradient["x"], found.errors["x"]   # each in the shape of x; nan where a partial does not exist

An element is asked for like any number, so that a corner, a branch or a fault means the same in an array. An
expression whose operations take arrays element by element is asked with the numbers of one element after the
other; of any other, the graph is written out in the elements (see `sweeps.arrays.elements`).

Gradients in arrays by forward mode: a sweep for each element of the variables.

    gradient, sweeps = forward_gradient(tape, given, gradient, written, found, 0.5e-10)

Reverse mode takes one sweep for all, so this is to see that both agree, and what it costs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby

import numpy as np

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import (
    DomainError,
    Hint,
    NotDifferentiableError,
    UndecidedError,
    UsageError,
)
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.language.notes import Slope
from exprgrad.operations.array_balls import ArrayBall, is_short
from exprgrad.operations.on_arrays import as_data
from exprgrad.operations.table import ADD, MUL
from exprgrad.sweeps.arrays.bounds import Primals, Written, along, plain, primals, swept
from exprgrad.sweeps.arrays.elements import Elements, place_name, work
from exprgrad.sweeps.arrays.rows import Rows
from exprgrad.sweeps.coordinates import Coordinates
from exprgrad.sweeps.corners import DIGITS, Corner, Known
from exprgrad.sweeps.rounding import UNIT
from exprgrad.sweeps.tape import Tape

Place = tuple[int, ...]

Nodes = dict[Value, Any]
"""Nodes of a graph on arrays, and arrays of what they are in the elements."""


class Part(NamedTuple):
    """One element of a result: its graph, the elements of variables that it takes, and the derivatives in it."""

    root: Value
    leaves: tuple[Value, ...]
    slopes: tuple[Slope, ...]


class WrittenOut:
    """The elements of an expression's result; `places` says of each leaf whose element it is.

    `values` are those of all nodes, for the shapes; `slopes` are the derivatives taken in the text, and `leaves`
    the balls of the variables.
    """

    def __init__(
        self,
        tape: Tape,
        values: Sequence[Any],
        slopes: Sequence[Slope],
        leaves: Mapping[str, ArrayBall],
    ) -> None:
        self._whole, self._leaves = Elements(tape, values), leaves
        self.places = self._whole.places
        self._slopes: dict[Value, list[tuple[Any, Slope]]] = {}
        own = dict(zip(tape.nodes, self._whole.nodes, strict=True))
        # the orders of a derivative follow one another; those that it is taken of stand before it
        chains = [list(chain) for _, chain in groupby(slopes, lambda s: id(s.derived))]
        for k in reversed(range(len(chains))):
            for i, elements in enumerate(self._written_out(chains[k], own)):
                for j, slope in enumerate(elements):
                    self._slopes.setdefault(slope.derived, []).append(((k, i, j), slope))  # fmt: skip

    def part(self, place: Place) -> Part:
        """The element of the result at a place."""
        root = self._whole.roots[place]
        seen: dict[Value, None] = {}
        slopes: dict[Any, Slope] = {}
        graphs = [root]
        while graphs:
            new = [item for item in topological(graphs.pop()) if item not in seen]
            seen |= dict.fromkeys(new)
            for slope in (s for item in new for s in self._slopes.get(item, ())):
                slopes[slope[0]] = slope[1]
                graphs += [slope[1].root, *(value for _, value in slope[1].arguments)]
        # parameters of functions are leaves of these alone
        leaves = tuple(item for item in seen if item in self.places)
        return Part(root, leaves, tuple(slopes[key] for key in sorted(slopes)))

    def _written_out(self, chain: list[Slope], own: Nodes) -> Iterator[list[Slope]]:
        """The orders of a derivative in the text, in one element after the other.

        `own` has what nodes are in the elements, and gets more.
        """
        first = chain[0]
        arguments = {n: self._argument(v, own) for n, v in first.arguments}
        roots = []
        for slope in chain:
            roots.append(root := self._formula(slope.root, arguments))
            for item, nodes in zip(root.tape.nodes, root.nodes, strict=True):
                own.setdefault(item, nodes)
        derived = own.get(first.derived)
        if derived is None or first.variable not in roots[0].variables:
            return  # it is not computed, or 0
        arguments = {n: v for n, v in arguments.items() if n in roots[0].variables}
        variable = roots[0].variables[first.variable].shape
        shapes = [nodes.shape for nodes in roots[0].variables.values()]
        for place in np.ndindex(np.broadcast_shapes(*shapes)):
            name = place_name(first.variable, own_place(place, variable))
            given = tuple(_at(n, nodes, place) for n, nodes in arguments.items())
            at = element(derived, place)
            formulas = (element(root.roots, place) for root in roots)
            yield [Slope(at, root, name, first.span, given) for root in formulas]

    def _formula(self, root: Value, arguments: Mapping[str, Any]) -> Elements:
        """Return what is differentiated, in the elements of variables, or of the parameters of a function."""
        tape = _tape(root)
        shapes = [arguments.get(item.name or "") for item in tape.nodes]
        variables = self._whole.variables
        shared = {n: variables[n] for n in tape.variables if n not in arguments}
        return Elements(tape, shapes, shared)

    def _argument(self, item: Value, own: Nodes) -> Any:
        """The elements of an argument."""
        if item in own:
            return own[item]
        tape = _tape(item)
        leaves = {n: self._leaves[n] for n in tape.variables}
        values = primals(tape, leaves, str).values
        shared = {n: self._whole.variables[n] for n in tape.variables}
        return Elements(tape, values, shared).roots


def spread(
    root: Value, slopes: Sequence[Slope], arrays: Collection[str]
) -> tuple[Value, tuple[Slope, ...]] | None:
    """A graph in which derivatives have the shape of what they are taken of: those of 2x, too, where x is an array.

    `arrays` are the variables that are. None where all of them have it.
    """
    wide: dict[Value, Value] = {}
    for slope in slopes:
        if slope.derived in wide or slope.variable not in _names(slope.root):
            continue
        own = _names(slope.derived)
        found = slope.derived
        for leaf in filter(is_variable, topological(slope.root)):
            part = dict(slope.arguments).get(leaf.name or "", leaf)
            if (_names(part) & set(arrays)) - own:
                # d/dx 2x is the number 2; with 0*x it has the shape of x.
                found = node(ADD, (found, node(MUL, (Constant(0.0), part))))
        if found is not slope.derived:
            wide[slope.derived] = found
    if not wide:
        return None
    own_slopes = (s._replace(derived=wide.get(s.derived, s.derived)) for s in slopes)
    return replaced(root, wide), tuple(own_slopes)


def _names(root: Value) -> set[str]:
    """The variables of a graph."""
    return {item.name or "" for item in topological(root) if is_variable(item)}


def formulas_hold(slopes: Sequence[Slope], leaves: Mapping[str, ArrayBall]) -> bool:
    """Return whether no element of a derivative in the text is at a corner, at an edge, or may be: all formulas hold there."""
    return not any(in_doubt(slope, leaves).any() for slope in slopes)


def in_doubt(slope: Slope, leaves: Mapping[str, ArrayBall]) -> Any:
    """A mask of the elements in which a derivative in the text may not be that of its formula."""
    own = dict(leaves)
    for name, value in slope.arguments:
        tape = _tape(value)
        found = primals(tape, {n: leaves[n] for n in tape.variables}, str)
        own[name] = found.balls[tape.root]
    tape = _tape(slope.root)
    if slope.variable not in tape.variables:
        return np.zeros((), bool)
    found = primals(tape, {n: own[n] for n in tape.variables}, str)
    ones = ArrayBall(np.ones(own[slope.variable].shape))
    seeds = dict.fromkeys(tape.variables) | {slope.variable: ones}
    tangent = along(tape, found, seeds)
    with np.errstate(all="ignore"):
        known = np.ones((), bool)
        for ball in (found.balls[tape.root], tangent):
            known = known & (ball.error < math.inf) & np.isfinite(ball.mid)
    return ~known


def _tape(root: Value) -> Tape:
    """A graph with its own variables."""
    return Tape(root, [leaf for leaf in topological(root) if is_variable(leaf)])


def element(nodes: Any, place: Place) -> Any:
    """The element of an operand that goes into an element of the result."""
    return nodes[own_place(place, nodes.shape)]


def own_place(place: Place, shape: Place) -> Place:
    """Return where that element is, in an operand of that shape."""
    # As NumPy broadcasts: shapes are aligned at their last axes, and an axis of length 1 is repeated. A variable with
    # more axes than the result does not matter: any element of it will do.
    tail = ((0,) * len(shape) + place)[len(place) :]
    return tuple(i if n > 1 else 0 for i, n in zip(tail, shape, strict=True))


def _at(name: str, nodes: Any, place: Place) -> tuple[str, Value]:
    """The element of an argument, by the name of that of its parameter."""
    own = own_place(place, nodes.shape)
    return place_name(name, own), nodes[own]


MOST_WORK = 100_000
"""Nodes, each times its cost, that are looked at singly: about a second."""

MOST_FOR_DIGITS = 20_000
"""The same where nothing but digits of partial derivatives are in doubt."""

MOST_ELEMENTS = 2_000_000
"""The same for elements that do not depend on one another, each of which is worth looking at."""

SMALLEST = 5e-324
"""The smallest double above 0."""

FEW = 20
"""Elements that are not worth a sweep of their own."""

Ask = Callable[[Part | None, Mapping[str, Any], Sequence[str]], Any]
"""The evaluation of a part of an expression at a point, or of the expression itself for None."""


OPEN = Corner("", "undetermined", None, None, "the expression", (), None)
"""The corner that stands for an element that cannot be looked at singly."""


class Asked(NamedTuple):
    """The question to an expression on arrays: its value at the `given` point, and the partials by `names`.

    `slopes` are the derivatives taken in the text, if they may be others than their formulas say. Relative errors
    are at most `enough` where that can be had; with nan every element is looked at singly, by `ask`.
    """

    tape: Tape
    slopes: Sequence[Slope]
    given: Mapping[str, Coordinates]
    names: Sequence[str]
    enough: float
    ask: Ask
    written: Written


class Answered:
    """The value, the gradient if the value is one number, bounds on their errors, and the corners."""

    def __init__(self, found: Primals) -> None:
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
        """Return whether the sweep has a bound for every element."""
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


def answered(asked: Asked) -> Answered:
    """The answer at a point of numbers and arrays. Raises `ExprgradError` where there is none."""
    tape, enough = asked.tape, asked.enough
    found = swept(tape, balls(asked.given), asked.names, asked.written)
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
    try:
        if not single:
            known = _many(out, asked, found)
        elif work(tape, found.values) <= MOST_WORK:  # else it is what the bounds say
            _single(out, asked, found)
            known = True
    except DomainError as error:
        within = isinstance(error, NotDifferentiableError)  # a derivative in the text
        if found.refused is not None and not within:
            raise found.refused from None  # which names the element
        raise
    if not known:
        if found.refused is not None:
            raise found.refused
        if asked.slopes:
            raise _too_many("whether the derivatives in the expression exist")
        _leave_open(out)
    return out


def _too_many(open_question: str) -> UndecidedError:
    what = f"could not decide {open_question}: there are too many elements to look at them singly"
    return UndecidedError(what, hint="evaluate a part of the arrays")


def _leave_open(out: Answered) -> None:
    """Leave open what has no bound where there is too much to look at singly."""
    if out.value.size == 1 and not out.has_bounds():
        raise _too_many("which branches are taken, or whether there is a value")
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
            out.corners += tuple(OPEN._replace(variable=label) for label in labels)


def stands(ball: ArrayBall, enough: float) -> bool:
    """Return whether the digits of all elements stand."""
    with np.errstate(all="ignore"):
        return bool(np.all(ball.known(enough)))


def _is_bounded(ball: ArrayBall) -> bool:
    """Return whether every element has a value with a bound."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(ball.mid).all() and np.all(ball.error < math.inf))


def doubtful(array: Any, error: Any, enough: float) -> Any:
    """Which elements may not have their digits."""
    with np.errstate(all="ignore"):
        return ~(error <= enough * np.abs(array)) | ~np.isfinite(array)


class Apart(NamedTuple):
    """The elements of a result, each as an expression in numbers: the graph itself, or one `written_out`."""

    written_out: WrittenOut | None

    def element(
        self, place: Place, *points: Mapping[str, Coordinates]
    ) -> tuple[Part | None, list[dict[str, Any]]]:
        """The part that is asked for an element, None for the expression itself, and the numbers of each point there."""
        if self.written_out is None:
            return None, [
                {n: x.element(own_place(place, x.data.shape)) for n, x in own.items()}
                for own in points
            ]
        part = self.written_out.part(place)
        own_places = self.written_out.places
        places = {leaf.name or "": own_places[leaf] for leaf in part.leaves}
        return part, [
            {label: own[n].element(p) for label, (n, p) in places.items() if n in own}
            for own in points
        ]


def balls(given: Mapping[str, Coordinates]) -> dict[str, ArrayBall]:
    """The numbers of a point as balls."""
    # how short a number is, is found out by products that overflow for 1e308
    with np.errstate(over="ignore"):
        return {name: ArrayBall.of(own.data, own.error) for name, own in given.items()}


def cost(tape: Tape) -> int:
    """Return what it costs to look at one element, where operations take arrays element by element."""
    return len(tape.nodes) + sum(step.operation.cost for step in tape.steps)


def _single(out: Answered, asked: Asked, found: Primals) -> None:
    """Ask for a result of one number, its graph written out."""
    shapes = {n: asked.given[n].data.shape for n in asked.tape.variables}
    labels = {n: [place_name(n, p) for p in np.ndindex(shapes[n])] for n in shapes}
    axes = out.value.ndim
    # a variable on which nothing depends may have more elements
    plain = takes_elements(asked.tape) and all(len(own) == 1 for own in labels.values())
    if plain:
        apart, axes = Apart(None), max(map(len, shapes.values()), default=0)
    else:
        apart = Apart(_written_out(asked, found))
    part, (at,) = apart.element((0,) * axes, asked.given)
    # of the expression itself, a variable has the name of its only element
    own = {n if part else labels[n][0]: n for n in at}
    wanted = [own[w] for n in asked.names for w in labels[n] if w in own]
    answer = asked.ask(part, at, wanted)
    shape = out.value.shape
    value, error = number(answer.known(), "the value")
    out.value = np.full(shape, value)
    out.set_bound(np.full(shape, error))
    out.gradient = {}
    for name in asked.names:
        what = "the partial derivative with respect to {}"
        partials = [
            number(answer.known(own[w]), what.format(w)) if w in own else (0.0, 0.0)
            for w in labels[name]
        ]
        middles, errors = zip(*partials, strict=True) if partials else ((), ())
        out.gradient[name] = np.array(middles, float).reshape(shapes[name])
        out.set_bound(np.array(errors, float).reshape(shapes[name]), name)
    label = {n: w for w, n in own.items()}
    out.corners = tuple(c._replace(variable=label[c.variable]) for c in answer.corners)
    out.one_sided = answer.one_sided


def _written_out(asked: Asked, found: Primals) -> WrittenOut:
    """The graph in the elements of the variables."""
    return WrittenOut(asked.tape, found.values, asked.slopes, balls(asked.given))


def _many(out: Answered, asked: Asked, found: Primals) -> bool:
    """Ask for the doubtful elements of an array; False where that is too much work for all of them."""
    tape, error = asked.tape, out.bound()
    out.value = out.value.copy()
    if takes_elements(tape):
        _by_rows(out, asked)
        apart, most = Apart(None), MOST_ELEMENTS // cost(tape)
    elif work(tape, found.values) <= MOST_WORK:
        apart, most = Apart(_written_out(asked, found)), out.value.size
    else:
        return False
    one_sided: dict[str, Corner] = {}
    places = np.argwhere(doubtful(out.value, error, asked.enough))
    for place in map(tuple, places[:most].tolist()):
        part, (at,) = apart.element(place, asked.given)
        answer = asked.ask(part, at, ())
        out.value[place], error[place] = number(answer.known(), "the value")
        one_sided |= {corner.variable: corner for corner in answer.one_sided}
    out.one_sided = tuple(one_sided.values())
    return most >= len(places)


def coordinates(thing: Any, evaluate: Callable[[Value], Any]) -> Coordinates:
    """Numbers as they are meant: an array, a list, perhaps of fractions or decimals, or a graph.

    `evaluate` gives the evaluation of a graph without variables. Raises `ExprgradError` for what is no array.
    """
    if isinstance(thing, Coordinates):
        data = as_data(thing.data)
        with np.errstate(over="ignore"):  # 1e308 is not short
            error = thing.error * (not is_short(data).all())
        return thing._replace(data=data, error=error)
    if isinstance(thing, Value):
        found = evaluate(thing)
        data, bound = np.asarray(found.value, np.float64), np.asarray(found.error)
        with np.errstate(all="ignore"):
            off = np.where(bound == 0, 0.0, bound / np.abs(data) / UNIT)
        error = float(np.max(off, initial=0.0))
        return Coordinates(data, error, _meant(thing), thing)
    data = as_data(thing)
    if isinstance(thing, list | tuple):
        meant = np.array(thing, object)
        if not set(map(type, meant.ravel().tolist())) <= {float, int}:
            return Coordinates(data, 1.0, lambda place: meant[place])
    return Coordinates(data, 0.0, lambda place: float(data[place]))


def _meant(root: Value) -> Callable[[tuple[int, ...]], Any]:
    """The elements of a graph without variables, written out when the first is asked for."""

    @cache
    def nodes() -> Any:
        tape = Tape(root, ())
        return Elements(tape, swept(tape, {}, (), str).values).roots

    return lambda place: nodes()[place]


def _by_rows(out: Answered, asked: Asked) -> None:
    """Look at doubtful elements in balls, many at once."""
    error, enough = out.bound(), asked.enough
    chosen = doubtful(out.value, error, enough)
    if np.count_nonzero(chosen) < FEW or math.isnan(enough):
        return
    leaves = balls(asked.given)
    columns = [
        ArrayBall.of(np.broadcast_to(leaf.mid, chosen.shape)[chosen], leaf.relative)
        for leaf in map(leaves.__getitem__, asked.tape.variables)
    ]
    rows = Rows(asked.tape, ()).answer(columns, enough)
    sure = ~rows.doubtful
    places = np.argwhere(chosen)[sure]
    out.value[tuple(places.T)] = rows.value.mid[sure] + 0.0
    error[tuple(places.T)] = rows.value.radius[sure]


def takes_elements(tape: Tape) -> bool:
    """Return whether all operations take arrays element by element."""
    return not tape.on_arrays and not any(s.operation.mean for s in tape.steps)


def number(known: Known, what: str) -> tuple[float, float]:
    """A number and a bound on its error; nan where it does not exist. Raises `RangeError` where no double is near."""
    if known.value is not None:
        return known.value, known.error
    if known.middle is None:
        return math.nan, math.inf
    # It is below their range, where doubles are this far apart, or an error above it.
    return known.to_float(what, DIGITS), SMALLEST


MOST_SWEPT = 100_000_000
"""Elements of nodes, each times its cost, that all sweeps may visit: a few seconds."""

OF_A_STEP = 1000
"""Elements that take as long as what a step costs besides."""


def forward_gradient(
    tape: Tape,
    given: Mapping[str, Coordinates],
    gradient: Mapping[str, Any],
    written: Written,
    found: Answered | None = None,
    enough: float = 0.0,
) -> tuple[dict[str, Any], int]:
    """The partials of a number by forward sweeps, and how many these are.

    `gradient` is that of reverse mode, which `found` bounds: partials that no sweep decides, such as those at
    corners, stay as they are there. Without it the sweeps alone count. Raises `UsageError` where they are too much work.
    """
    leaves = balls(given)
    primal = primals(tape, leaves, written)
    count = sum(np.size(own) for own in gradient.values())
    each = work(tape, primal.values) + OF_A_STEP * len(tape.steps)
    if count * each > MOST_SWEPT:
        raise UsageError(
            f"forward mode would take {count:,} sweeps, one per element of the variables, which is too much "
            "work here; reverse mode takes one for all",
            hint=Hint("argument", name="mode", value="reverse"),
        )
    sure = primal.refused is None
    partials = {name: np.array(own, float) for name, own in gradient.items()}
    for name, own in partials.items():
        bound = None if found is None else np.array(found.bound(name))
        for place in np.ndindex(own.shape):
            one = np.zeros(own.shape)
            one[place] = 1.0
            # The tangent along a unit vector is one partial: forward mode gives a column of the Jacobian.
            tangent = along(tape, primal, dict.fromkeys(leaves) | {name: ArrayBall.of(one)})  # fmt: skip
            if bound is None:
                own[place] = tangent.mid.item()
            elif sure and stands(tangent, enough) and not np.isnan(own[place]):
                own[place] = tangent.mid.item()
                bound[place] = np.max(tangent.radius)
        if found is not None:
            found.set_bound(bound, name)
    return partials, count
