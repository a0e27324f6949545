"""What users hold: an expression with its variables, its value and its gradient at a point.

f = parse("(a*b+c)^2")
f.variables                            # ("a", "b", "c")
f(a=2, b=3, c=1)                       # 49.0
f.evaluate({"a": 2, "b": 3, "c": 1})   # value 49.0, gradient {"a": 42.0, "b": 28.0, "c": 14.0}
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsFloat

from exprgrad.errors import (
    INSTALL,
    BindingError,
    ExprgradError,
    NotDifferentiableError,
    Span,
    UsageError,
    about,
)
from exprgrad.graph.flat import Row, flattened, restored
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import rebuilt
from exprgrad.graph.value import Value, is_array, is_variable, node
from exprgrad.language import points
from exprgrad.language.notes import Slope, shorten
from exprgrad.language.parser import Reading, read
from exprgrad.notation.text import bracketed, parsed_from, text_length, to_text
from exprgrad.operations.number_types import Fault
from exprgrad.operations.table import ITEM
from exprgrad.sweeps.careful import live
from exprgrad.sweeps.corners import Corner
from exprgrad.sweeps.gradient import (
    Cancellation,
    Gradient,
    careful_gradient,
    fast_adjoints,
    refined,
    with_tangents,
)
from exprgrad.sweeps.tape import Primals, Tape, primals
from exprgrad.symbolic.derivative import MOST_OPERATIONS, derivative

if TYPE_CHECKING:
    from exprgrad.compiled.compiled import Compiled
    from exprgrad.expressions.curvature import Curvature


class Evaluation(NamedTuple):
    """An expression's value at a point and its partial derivatives there.

    `gradient` has one entry per differentiated variable: None where the partial does not exist, and
    then `corners` says why. `primals` and `adjoints` belong to the nodes of `expression.tape`. The
    partials in `cancelled` were computed again with 50 digits; `adjoints` are those of the sweep.
    """

    expression: Expression
    at: dict[str, float]
    value: float
    gradient: Gradient
    corners: tuple[Corner, ...]
    primals: Primals
    adjoints: list[float]
    subgradient: bool = False
    tangents: Mapping[str, list[float]] = {}
    cancelled: Mapping[str, Cancellation] = {}


class ArrayEvaluation(NamedTuple):
    """An expression's value and, if that is one number, its partial derivatives.

    A number is a float; an array has the type of NumPy. `gradient` has an entry for every
    differentiated variable, in the variable's shape; it is None where the value is an array. At a corner
    it is that of the table's rule, so `corners` is empty.
    """

    expression: Expression
    at: dict[str, Any]
    value: Any
    gradient: dict[str, Any] | None
    corners: tuple[Corner, ...] = ()


LONGEST_SOURCE = 100_000
"""Characters of the text of a derivative; a longer one is not written out."""


class Expression:
    """An expression in its variables. Immutable: evaluating it does not change it.

    `variables` are those that occur, in that order; `declared` may hold others, whose values are
    accepted and do not matter.
    """

    __slots__ = (
        "_compiled",
        "_tape",
        "declared",
        "implicit",
        "notes",
        "root",
        "slopes",
        "source",
        "variables",
    )

    def __init__(self, reading: Reading, declared: Collection[str] = ()) -> None:
        self.source = reading.source
        self.root = reading.root
        self.notes = reading.notes
        self.implicit = reading.implicit
        self.declared = frozenset(declared)
        self.variables: tuple[str, ...] = tuple(v.name or "" for v in reading.variables)
        self.slopes = reading.slopes
        self._tape: Tape | list[Value] = list(reading.variables)
        self._compiled: dict[tuple[tuple[str, ...], bool], Compiled] = {}

    def __str__(self) -> str:
        return to_text(self.root)

    def __repr__(self) -> str:
        return parsed_from(self.root)

    @property
    def title(self) -> str:
        """The source on one line, without comments."""
        lines = (line.partition("#")[0] for line in self.source.splitlines())
        return " ".join(" ".join(lines).split())

    @property
    def reading(self) -> str:
        """The expression as it was read, fully bracketed."""
        return bracketed(self.root)

    @property
    def asks_for_derivative(self) -> bool:
        """Whether a derivative is taken in the text itself, as in `d/dx x^2 + 1`."""
        return bool(self.slopes)

    @property
    def tape(self) -> Tape:
        """The graph in topological order, which every sweep runs over."""
        if isinstance(self._tape, list):
            self._tape = Tape(self.root, self._tape)
        return self._tape

    def __call__(self, /, **at: SupportsFloat) -> float:
        """The value at a point given by name: a float, or an array where it is computed from some."""
        if self.takes_arrays(at):
            value: float = self.evaluate(at, ()).value
            return value
        return self.primals(self.point(at))[self.tape.root] or 0.0

    def evaluate(
        self,
        at: Mapping[str, SupportsFloat],
        wrt: Iterable[str] | None = None,
        *,
        mode: str = "reverse",
        subgradient: bool = False,
        refine: bool = True,
    ) -> Evaluation:
        """The value and, in one reverse sweep, all partial derivatives at a point.

        `wrt` chooses the variables to differentiate by (all of them). The mode `"forward"` pushes
        tangents instead, one sweep a variable, and keeps them. With `subgradient`, a corner
        takes the convention of the table's rule, which is PyTorch's. Where contributions to a partial
        cancel and it loses three digits or more, it is computed again with 50, unless `refine` is
        off. Arrays give an `ArrayEvaluation`. Raises `BindingError` for a missing or superfluous value, `DomainError` where the
        expression is not defined.
        """
        if self.takes_arrays(at):
            if mode != "reverse":
                raise UsageError("arrays are differentiated by reverse mode")
            return self._on_arrays(at, wrt)  # type: ignore[return-value] # the same with arrays for numbers
        point, names = self.point(at), self._names(wrt)
        tape, values = self.tape, self.primals(point)
        value = values[tape.root] or 0.0
        swept = None
        if not subgradient:
            swept = fast_adjoints(tape, values, tape.active(names))
        if swept is None:
            with about(self.source):
                careful = careful_gradient(tape, values, point, names, subgradient)
            result = Evaluation(
                self,
                point,
                value,
                careful[0],
                careful[1],
                values,
                careful[2],
                subgradient,
            )
        else:
            adjoints, cancelled = swept
            gradient: Gradient = {n: adjoints[tape.variables[n]] + 0.0 for n in names}
            result = Evaluation(self, point, value, gradient, (), values, adjoints)
            if cancelled and refine:
                again, before = refined(tape, values, point, adjoints, cancelled)
                result = result._replace(gradient=gradient | again, cancelled=before)
        if mode == "reverse":
            return result
        settled = {*result.cancelled, *(corner.variable for corner in result.corners)}
        along = with_tangents(tape, values, result.gradient, settled)
        return result._replace(gradient=along[0], tangents=along[1])

    def _on_arrays(
        self, at: Mapping[str, Any], wrt: Iterable[str] | None
    ) -> ArrayEvaluation:
        try:
            from exprgrad.sweeps.arrays import evaluate
        except ImportError:
            raise UsageError("arrays need NumPy and SciPy", hint=INSTALL) from None
        point, names = self.array_point(at), self._names(wrt)
        with about(self.source):
            value, gradient = evaluate(self.tape, point, names, self.written)
        return ArrayEvaluation(self, point, value, gradient)

    def takes_arrays(self, at: Mapping[str, object]) -> bool:
        """Whether `sweeps.arrays` evaluates this: for an operation on arrays, or a value that is one."""
        return self.tape.on_arrays or any(map(is_array, at.values()))

    def refuse_arrays(self, at: Mapping[str, object]) -> None:
        """Raise `UsageError` where arrays come in: for what goes with numbers alone."""
        if not self.takes_arrays(at):
            return
        steps = (s for s in self.tape.steps if s.operation.whole)
        step = next(steps, None)
        element = step is not None and step.operation is ITEM
        raise UsageError(
            "this needs numbers, not arrays",
            step and self.tape.nodes[step.node].span,
            "write * for a product; eval takes arrays"
            if element
            else "eval takes arrays",
            source=self.source,
        )

    def gradient(self, at: Mapping[str, SupportsFloat]) -> dict[str, float]:
        """The partial derivatives alone. Raises `NotDifferentiableError` where one does not exist."""
        result = self.evaluate(at)
        gradient = {name: p for name, p in result.gradient.items() if p is not None}
        for corner in result.corners:
            if corner.variable not in gradient:
                raise NotDifferentiableError(
                    f"the partial derivative by {corner.variable} does not exist here: "
                    f"{corner.operation} has a {corner.kind}",
                    corner.span,
                    source=self.source,
                )
        return gradient

    def derivative(self, *wrt: str, order: int = 1) -> Expression:
        """The derivative by one variable after the other, as an expression, simplified.

        Without names, by the only variable. By a name that does not occur it is 0. Its text parses back. It has a value wherever this
        expression is differentiable, and perhaps in more places: that of ln(x) is 1/x.
        """
        names = wrt or self.variables[:2]
        if len(names) != 1 and not wrt:
            raise UsageError(
                "choose the variable to differentiate with respect to",
                hint=f"one of: {', '.join(self.variables)}",
            )
        root = self.root
        try:
            for i, name in enumerate(names):
                most = MOST_OPERATIONS if i else None
                root = derivative(root, name, order, most)
        except UsageError as error:
            error.source = self.source
            raise
        return Expression.of(root, self.declared.union(self.variables))

    @classmethod
    def of(cls, root: Value, declared: Collection[str] = ()) -> Expression:
        """A graph as an expression, its text as the source.

        The graph is copied, sharing and all: its nodes may have spans in another text.
        """
        names: dict[str, Value] = {}

        def copied(item: Value, operands: tuple[Value, ...]) -> Value:
            if item.operation is not None:
                return node(item.operation, operands)
            name = item.name or ""
            return (
                names.setdefault(name, Value(None, name)) if is_variable(item) else item
            )

        text = f"a formula of {len(topological(root))} parts"
        if text_length(root, LONGEST_SOURCE) <= LONGEST_SOURCE:
            text = to_text(root)
        copy = rebuilt(root, copied)
        reading = Reading(text, copy, tuple(names.values()), (), False)
        return cls(reading, declared)

    def hessian(self, at: Mapping[str, SupportsFloat]) -> dict[str, dict[str, float]]:
        """The second partial derivatives at a point, a symmetric matrix by names."""
        return self.curvature().hessian(at)

    def curvature(self) -> Curvature:
        """The second derivatives, prepared for many points."""
        from exprgrad.expressions.curvature import Curvature

        return Curvature(self.root, self.tape, self._first)

    def _first(self, at: Mapping[str, SupportsFloat]) -> dict[str, float]:
        """The point, if there is a gradient. Raises `NotDifferentiableError` at a corner."""
        first = self.evaluate(at, refine=False)
        for corner in first.corners:
            raise NotDifferentiableError(
                f"there is no Hessian here: {corner.operation} stands at a corner",
                corner.span,
                source=self.source,
            )
        return first.at

    def primals(self, point: dict[str, float]) -> Primals:
        """The forward sweep: the value of every node. Raises `DomainError` with its place."""
        try:
            values = primals(self.tape, point)
        except Fault as fault:
            for slope in self.slopes:
                self._check_slope(slope, point)
            span = self.tape.nodes[fault.step.node].span
            operands = [
                self.written(self.tape.nodes[j], span) for j in fault.step.operands
            ]
            error = fault.step.operation.fault(fault.arguments, operands)
            error.span = span
            error.source = self.source
            raise error from None
        if self.slopes:
            alive = live(self.tape, values)
            dead = {
                n for n, used in zip(self.tape.nodes, alive, strict=True) if not used
            }
            for slope in self.slopes:
                if slope.derived not in dead:
                    self._check_slope(slope, point)
        return values

    def _check_slope(self, slope: Slope, point: dict[str, float]) -> None:
        """A derivative within the expression has a value only where what it is taken of has a slope."""
        inner = self._inner(slope.root)
        if slope.variable not in inner.variables:
            return
        known = point | {n: self._inner(v).at(point) for n, v in slope.arguments}
        own = {name: known[name] for name in inner.variables}
        found = inner.evaluate(own, [slope.variable], refine=False)
        if found.gradient[slope.variable] is None:
            raise NotDifferentiableError(
                f"the derivative by {slope.variable} does not exist at "
                f"{slope.variable} = {own[slope.variable]:.10g}",
                slope.span,
                source=self.source,
            )

    def _inner(self, root: Value) -> Expression:
        """A part of the graph as an expression of its own."""
        leaves = tuple(n for n in topological(root) if is_variable(n))
        return Expression(Reading(self.source, root, leaves, (), False))

    def at(self, point: Mapping[str, float]) -> float:
        """The value at a point that may have more names than there are variables."""
        return self(**{name: point[name] for name in self.variables})

    def written(self, item: Value, within: Span | None = None) -> str:
        """How a node stands in the source, shortened; as a formula where it has no place `within` one."""
        if item.name is not None or item.span is None or item.span == within:
            return to_text(item) if text_length(item, 80) <= 80 else "a part of it"
        return shorten(self.source[slice(*item.span)])

    def compile(
        self, wrt: Iterable[str] | None = None, *, subgradient: bool = False
    ) -> Compiled:
        """The expression as generated code, for many points: see `exprgrad.compiled.compiled`.

        To generate it takes as long as about a hundred calls of `evaluate`, which stays the way to one point.
        `wrt` chooses the variables to differentiate by (all of them), `subgradient` is that of
        `evaluate`. Kept for the next time.
        """
        names = tuple(self._names(wrt))
        if (names, subgradient) not in self._compiled:
            from exprgrad.compiled.compiled import compile_tape

            self.refuse_arrays({})
            again = partial(self.compile, names, subgradient=subgradient)
            interpret = partial(
                self.evaluate, wrt=names, subgradient=subgradient, refine=False
            )
            slopes = [(slope.root, slope.variable) for slope in self.slopes]
            self._compiled[names, subgradient] = compile_tape(
                self.tape, names, interpret, again, slopes, subgradient
            )
        return self._compiled[names, subgradient]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied as flat rows: the nodes would be followed as deep as the graph is."""
        leaves = [self.tape.nodes[i] for i in self.tape.variables.values()]
        roots = [self.root, *leaves]
        for slope in self.slopes:
            roots += [slope.derived, slope.root, *(v for _, v in slope.arguments)]
        rows, numbers = flattened(roots)
        slopes = [
            (
                numbers[s.derived],
                numbers[s.root],
                s.variable,
                s.span,
                [(name, numbers[value]) for name, value in s.arguments],
            )
            for s in self.slopes
        ]
        places = numbers[self.root], [numbers[leaf] for leaf in leaves]
        text = self.source, self.notes, self.implicit, tuple(sorted(self.declared))
        return _restored, (rows, *places, slopes, *text)

    def _names(self, wrt: Iterable[str] | None) -> list[str]:
        if wrt is None:
            return list(self.variables)
        names = [wrt] if isinstance(wrt, str) else list(dict.fromkeys(wrt))
        for name in names:
            if name not in self.tape.variables:
                raise self.no_variable(name)
        return names

    def no_variable(self, name: str) -> BindingError:
        """The error for a name that does not occur."""
        return points.no_variable(name, self.variables)

    def point(self, at: Mapping[str, SupportsFloat]) -> dict[str, float]:
        """The values as floats, in the order of the variables. Raises `BindingError`."""
        with about(self.source):
            return points.point(self._places(), self.declared, at)

    def array_point(self, at: Mapping[str, Any]) -> dict[str, Any]:
        """The values by name: floats, and arrays of floats. Raises `BindingError`."""
        from exprgrad.operations.on_arrays import as_data

        with about(self.source):
            points.check_names(self._places(), self.declared, at)
        point: dict[str, Any] = {}
        for name in self.variables:
            try:
                data: Any = as_data(at[name])
            except ExprgradError as error:
                raise BindingError(f"the value of {name}: {error.message}") from None
            point[name] = data if data.ndim else float(data)
        return point

    def _places(self) -> dict[str, Span | None]:
        tape = self.tape
        return {name: tape.nodes[i].span for name, i in tape.variables.items()}


def _restored(
    rows: Sequence[Row],
    root: int,
    variables: Sequence[int],
    slopes: Sequence[Any],
    source: str,
    notes: tuple[str, ...],
    implicit: bool,
    declared: tuple[str, ...],
) -> Expression:
    """The expression that `__reduce__` took apart."""
    nodes = restored(rows)
    own = tuple(
        Slope(nodes[d], nodes[r], name, span, tuple((n, nodes[v]) for n, v in given))
        for d, r, name, span, given in slopes
    )
    leaves = tuple(nodes[i] for i in variables)
    return Expression(
        Reading(source, nodes[root], leaves, notes, implicit, own), declared
    )


def parse(
    text: str, variables: Collection[str] = (), *, strict: bool = False
) -> Expression:
    """Read an expression.

    `variables` declares names, so that `xy` is read as x*y where that is the only way to split it
    into them; `strict` refuses that. Raises `ExpressionSyntaxError`, with the place and a fix.
    """
    return Expression(read(text, variables, strict=strict), variables)
