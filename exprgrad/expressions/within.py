"""Derivatives taken in a text, as in `x*f'(x)`, at a point where they are not what their formulas say.

    found = within(tape, slopes, values, at, inner, source)
    found.given[node].value                  # at a kink that has a slope all the same, or at an edge
    found.one_sided                          # those at edges

Each is asked for like any derivative at a point, so that it exists here where it exists anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.errors import ExprgradError
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Measured, Value, is_variable
from exprgrad.language.notes import Slope
from exprgrad.sweeps.bounds import UNDECIDED, Answer
from exprgrad.sweeps.coordinates import Coordinate, Point, substituted
from exprgrad.sweeps.corners import Corner
from exprgrad.sweeps.tape import Primals, Tape, Within

LONGEST_NOTED = 60
"""Characters of what is differentiated in a text, where a note names the derivative."""


class Inner(NamedTuple):
    """A part of a graph: its tape, and what answers for derivatives of it at a point."""

    tape: Tape
    ask: Callable[[Mapping[str, Coordinate], Sequence[str]], Answer]


class Found(NamedTuple):
    """The derivatives in a text whose formulas do not hold at a point, and those of them that are from one side."""

    given: Mapping[Value, Within]
    one_sided: tuple[Corner, ...]

    @property
    def numbers(self) -> dict[Value, Constant]:
        """Their values, where there is a step to have one."""
        return {n: w.value for n, w in self.given.items() if n.operation is not None}

    def at_nodes(self, tape: Tape) -> dict[int, Within]:
        """The derivatives by the numbers of their nodes."""
        return {i: self.given[n] for i, n in enumerate(tape.nodes) if n in self.given}


def within(
    tape: Tape,
    slopes: Sequence[Slope],
    values: Primals,
    at: Point,
    inner: Callable[[Value], Inner],
    source: str,
) -> Found:
    """The derivatives in a text whose formulas do not hold here.

    `values` say what branches are taken, if there are any; `inner` prepares a part of the graph. Raises
    `NotDifferentiableError` where a derivative does not exist.
    """
    from exprgrad.sweeps.careful import live

    alive = live(tape, values) if values else [True] * len(tape.nodes)
    dead = {n for n, used in zip(tape.nodes, alive, strict=True) if not used}
    given: dict[Value, Within] = {}
    one_sided: dict[str, Corner] = {}
    chain: list[Slope] = []
    before: Constant | None = None
    for slope in slopes:
        if slope.derived in dead:
            continue
        # The orders of one derivative stand together, the lowest first, with the same node.
        higher = bool(chain) and chain[-1].derived is slope.derived
        chain = [*chain, slope] if higher else [slope]
        # of a higher derivative, the one before may itself be known otherwise
        start = given[slope.root].value if slope.root in given else None
        if start is None and higher:
            start = before
        before, edge = _derivative(slope, at, start, inner, source)
        if before is not None and not is_variable(slope.derived):
            # with what it is taken of, to be followed close to the point
            graphs = tuple(inner(own.root).tape for own in chain)
            own = {name: inner(value).tape for name, value in chain[0].arguments}
            given[slope.derived] = Within(before, graphs, slope.variable, own)
        if edge is not None:
            one_sided[edge.variable] = edge
    return Found(given, tuple(one_sided.values()))


def _derivative(
    slope: Slope,
    at: Point,
    start: Constant | None,
    inner: Callable[[Value], Inner],
    source: str,
) -> tuple[Constant | None, Corner | None]:
    """A derivative in the text where its formula does not hold, and its edge; None where it does.

    `start` is the value of what it is taken of, where that has another than its own formula's.
    """
    function = inner(slope.root)
    if slope.variable not in function.tape.variables:
        return None, None
    there = dict(at)
    meant = {n: Coordinate.of(number) for n, number in at.items()}
    for name, value in slope.arguments:
        there[name] = Coordinate.of(substituted(value, meant))
    own = {name: Coordinate.of(there[name]) for name in function.tape.variables}
    corner = edge = None
    if start is not None:
        from exprgrad.sweeps.germs.sides import continued

        number = continued(function.tape, own, slope.variable)
        undecided = number.is_number or number.status == UNDECIDED
    else:
        found = function.ask(own, [slope.variable])
        if not found.cornered:
            return None, None
        number = found.partials[slope.variable]
        corner = next((c for c in found.corners if c.kind != "edge"), None)
        edge = next(iter(found.corners), None)
        undecided = corner is None or corner.kind == "undetermined"
    if corner is not None or number.value is None:
        from exprgrad.expressions.missing import missing

        what = f"the derivative with respect to {slope.variable}"
        where = f"at {slope.variable} = {own[slope.variable].double:.10g}"
        whether, denied = f"{what} exists {where}", f"{what} does not exist {where}"
        raise missing(
            whether, denied, source, undecided=undecided, corner=corner, span=slope.span
        )
    edge = edge and edge._replace(variable=_notation(slope))
    return Measured(number.value, number.error), edge


def guards(
    slopes: Sequence[Slope], inner: Callable[[Value], Inner]
) -> list[tuple[Value, str]] | None:
    """Graphs that need a derivative with respect to a variable, for the formulas of derivatives in a text to hold.

    None where a formula does not hold at any point.
    """
    from exprgrad.expressions.taylor import at_place

    found = []
    for slope in slopes:
        arguments = dict(slope.arguments)
        name: str | None = slope.variable
        # what depends on it depends on any variable of its argument
        if name in arguments:
            moving = filter(is_variable, topological(arguments[slope.variable]))
            name = next((item.name for item in moving), None)
        if name is not None:
            found.append((at_place(slope.root, arguments), name))
        elif not _holds(slope, arguments, inner):
            return None
    return found


def _holds(
    slope: Slope, arguments: Mapping[str, Value], inner: Callable[[Value], Inner]
) -> bool:
    """Return whether the formula of a derivative at a number holds there; not if that may hang on other variables."""
    from exprgrad.expressions.taylor import has_variables

    function = inner(slope.root)
    given = {n: arguments.get(n) for n in function.tape.variables}
    own = {n: v for n, v in given.items() if v is not None and not has_variables(v)}
    if own != given:
        return False
    try:
        at = {name: Coordinate.of(value) for name, value in own.items()}
        return not function.ask(at, [slope.variable]).cornered
    except ExprgradError:
        return False


def _notation(slope: Slope) -> str:
    """A derivative in a text, as d/dx(x^1.5): what is differentiated may come from elsewhere in a session."""
    from exprgrad.notation.text import text_up_to

    return f"d/d{slope.variable}({text_up_to(slope.root, LONGEST_NOTED) or '…'})"
