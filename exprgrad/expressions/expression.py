"""What users hold: an expression with its variables, its value and its gradient at a point.

f = parse("(a*b+c)^2")
f.variables                            # ("a", "b", "c")
f(a=2, b=3, c=1)                       # 49.0
f.evaluate({"a": 2, "b": 3, "c": 1})   # value 49.0, gradient {"a": 42.0, "b": 28.0, "c": 14.0}
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, SupportsFloat

from exprgrad.errors import (
    BindingError,
    NotDifferentiableError,
    Span,
    UsageError,
)
from exprgrad.expressions.evaluation import (
    Evaluation,
    fast_adjoints,
    overflow,
    refined,
    refuse_overflow,
    with_tangents,
)
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import rebuilt
from exprgrad.graph.value import Value, is_array, is_variable, node
from exprgrad.language import points
from exprgrad.language.notes import Slope, shorten
from exprgrad.language.parser import Reading, read
from exprgrad.notation.text import bracketed, text_length, to_text
from exprgrad.operations.number_types import Fault
from exprgrad.sweeps.careful import live, pull_back_carefully
from exprgrad.sweeps.corners import below, examine
from exprgrad.sweeps.tape import Primals, Tape, primals
from exprgrad.symbolic.derivative import MOST_OPERATIONS, derivative

if TYPE_CHECKING:
    from exprgrad.compiled.compiled import Compiled

NEEDS_NUMPY, INSTALL = "arrays need NumPy and SciPy", 'pip install "exprgrad[arrays]"'

LONGEST_REPR = 1000
"""Characters of a formula that `repr` writes out."""

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
        if text_length(self.root, LONGEST_REPR) <= LONGEST_REPR:
            return f"parse({str(self)!r})"
        return f"<expression of {len(topological(self.root)):,} nodes>"

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
            try:
                from exprgrad.sweeps.arrays import evaluate
            except ImportError:
                raise UsageError(NEEDS_NUMPY, hint=INSTALL) from None
            if mode != "reverse":
                raise UsageError("arrays are differentiated by reverse mode")
            return evaluate(self, at, wrt)  # type: ignore[return-value] # the same with arrays for numbers
        point = self.point(at)
        names = self._names(wrt)
        tape = self.tape
        values = self.primals(point)
        active = tape.active(names)
        value = values[tape.root] or 0.0
        swept = None if subgradient else fast_adjoints(tape, values, active)
        if swept is None:
            result = self._carefully(point, names, values, active, subgradient)
        else:
            adjoints, cancelled = swept
            gradient: dict[str, float | None] = {
                name: adjoints[tape.variables[name]] + 0.0 for name in names
            }
            result = Evaluation(self, point, value, gradient, (), values, adjoints)
            if cancelled and refine:
                result = refined(result, cancelled)
        return result if mode == "reverse" else with_tangents(result)

    def _carefully(
        self,
        point: dict[str, float],
        names: list[str],
        values: Primals,
        active: list[bool],
        subgradient: bool,
    ) -> Evaluation:
        tape = self.tape
        adjoints, _, blocked = pull_back_carefully(tape, values, active, subgradient)
        culprits = {
            n: s for n, s in below(tape, values, blocked).items() if n in set(names)
        }
        partials, corners = examine(tape, values, point, culprits)
        refuse_overflow(
            self, [c for c in corners if c.kind == "undetermined"], culprits, values
        )
        if not all(map(math.isfinite, adjoints)):
            raise overflow(self, names[0])
        gradient = {
            name: partials.get(name)
            if name in culprits
            else adjoints[tape.variables[name]] + 0.0
            for name in names
        }
        value = values[tape.root] or 0.0
        return Evaluation(
            self, point, value, gradient, tuple(corners), values, adjoints, subgradient
        )

    def takes_arrays(self, at: Mapping[str, object]) -> bool:
        """Whether `arrayengine` evaluates this: for an operation on arrays, or a value that is one."""
        return self.tape.on_arrays or any(map(is_array, at.values()))

    def refuse_arrays(self, at: Mapping[str, object]) -> None:
        """Raise `UsageError` where arrays come in: for what goes with numbers alone."""
        if not self.takes_arrays(at):
            return
        steps = (s for s in self.tape.steps if s.operation.whole)
        step = next(steps, None)
        element = step is not None and step.operation.name == "item"
        raise UsageError(
            "this goes with numbers, not with arrays",
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
                "say which variable to differentiate by",
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
        from exprgrad.expressions.higher_orders import hessian

        return hessian(self, at)

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
            from exprgrad.compiled.compiled import compile_expression

            compiled = compile_expression(self, names, subgradient)
            self._compiled[names, subgradient] = compiled
        return self._compiled[names, subgradient]

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
        places = {
            name: self.tape.nodes[i].span for name, i in self.tape.variables.items()
        }
        try:
            return points.point(places, self.declared, at)
        except BindingError as error:
            error.source = self.source
            raise


def parse(
    text: str, variables: Collection[str] = (), *, strict: bool = False
) -> Expression:
    """Read an expression.

    `variables` declares names, so that `xy` is read as x*y where that is the only way to split it
    into them; `strict` refuses that. Raises `ExpressionSyntaxError`, with the place and a fix.
    """
    return Expression(read(text, variables, strict=strict), variables)
