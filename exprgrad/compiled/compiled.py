"""Generated code: an expression's value and gradient as straight-line Python.

    c = parse("exp(-(x-m)^2)").compile()
    value, gradient = c(0.7, 1.3)             # in the order of c.variables

The source is made of operators, numbers and generated names; nothing that a user typed reaches it. A
call computes the value and all partial derivatives in one pass. Where that meets a fault, a corner or
an overflow, the interpreter takes over, so errors and derivatives at kinks are those of `evaluate`.
Partials have the digits of one sweep in double precision: `evaluate` computes those again whose
contributions cancel, generated code does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.compiled.program import Program
from exprgrad.compiled.scalar_code import function
from exprgrad.errors import ArgumentError, needing
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Value
from exprgrad.notation.text import parsed_from
from exprgrad.operations.table import IF
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from exprgrad.compiled.columns import Rows

MOST_OPERATIONS = 120_000
"""Operations of an expression that is compiled, in 5 seconds at most: a larger one stays interpreted."""

Gradient = tuple[float | None, ...]


class Compiled:
    """An expression as a function of its variables, by position.

    Calling it gives the value and the gradient, one partial derivative for each name in `wrt`: None
    where it does not exist, as from `Expression.evaluate`, whose errors are raised here too. With
    `subgradient`, a corner takes the convention of the table's rule. With `native`, `arrays` runs machine code.

    `interpret` evaluates the graph of the `tape` at a point where the code fails, `again` compiles it anew (for pickles),
    and `slopes` are graphs that have to have a derivative with respect to a variable where the whole has a value.
    """

    __slots__ = (
        "_again", "_interpret", "_rows", "_slopes", "_tape", "native", "subgradient", "variables", "wrt",
    )  # fmt: skip

    def __init__(
        self,
        tape: Tape,
        wrt: Sequence[str],
        interpret: Callable[[dict[str, float]], Any],
        again: Callable[[], Any],
        slopes: Sequence[tuple[Value, str]] = (),
        subgradient: bool = False,
        native: bool = False,
    ) -> None:
        self.native = native
        self._tape, self._interpret, self._again = tape, interpret, again
        self._slopes, self.subgradient = slopes, subgradient
        self._rows: Callable[..., Rows] | None = None
        self.variables = tuple(tape.variables)
        self.wrt = tuple(wrt)
        if len(tape.steps) <= MOST_OPERATIONS:
            # a class of its own, so that a call runs the generated code and nothing before it
            own = {"__slots__": (), "__call__": function(self.program())}
            self.__class__ = type("Compiled", (Compiled,), own)

    def __call__(self, *values: float) -> tuple[float, Gradient]:
        """The value and the gradient at a point."""
        return self.interpreted(*values)

    def interpreted(self, *values: float) -> tuple[float, Gradient]:
        """The same by the interpreter, which knows about corners and says what is wrong."""
        given, wanted = len(values), len(self.variables)
        if given != wanted:
            raise ArgumentError(f"{given} values were given for {wanted} variables")
        found = self._interpret(dict(zip(self.variables, values, strict=True)))
        if found.gradient is None:
            raise ArgumentError("a call takes one point; columns are for arrays(...)")
        return found.value, tuple(found.gradient.values())

    @property
    def arrays(self) -> Callable[..., Rows]:
        """A function of columns of numbers: values and gradients, one row a point (needs NumPy).

        Columns are broadcast against one another. Rows outside the domain are nan and have an error.
        """
        if self._rows is None:
            with needing("arrays need NumPy and SciPy", "arrays"):
                from exprgrad.compiled.columns import Runner
            self._rows = Runner(self, native=self.native)
        return self._rows

    @property
    def root(self) -> Value:
        """The graph that is computed."""
        return self._tape.nodes[self._tape.root]

    def program(self, root: Value | None = None) -> Program:
        """The instructions, with the conditions of derivatives inside the expression.

        With `root`, those of another expression in the same variables that has no derivatives inside.
        """
        own = self.root if root is None else root
        program = Program(own, self.variables, self.wrt, self.subgradient)
        for inner, variable in self._slopes if root is None else ():
            if variable in program.variables:
                program.need_slope(inner, variable)
        return program

    def parts(self, root: Value) -> tuple[Value, ...]:
        """The condition of an `if`, and the graph with either branch of it instead; empty where there is none.

        Code that computes both branches fails where one that is not taken has no value, as in
        `if(x > 0, x*ln(x), 0)`; each of the three does not. The `if` is one that is computed whatever other
        conditions say: not inside a branch. Nor has its own condition an `if` inside.
        """
        reached, choice = {root}, None
        # From the result down: when it is the turn of a node, all that use it have said whether they are reached.
        for item in reversed(topological(root)):
            if item.operation is IF and item in reached:
                # a later one is below, perhaps in the condition of this one
                choice = item
                reached.add(item.operands[0])
            elif item in reached:
                reached.update(item.operands)
        if choice is None or self._slopes:
            return ()
        condition, *branches = choice.operands
        return condition, *(replaced(root, {choice: branch}) for branch in branches)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its expression: code is generated anew where it is loaded."""
        return self._again, ()

    def __repr__(self) -> str:
        return f"{parsed_from(self.root)}.compile()"
