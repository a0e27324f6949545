"""The question that a check answers: whether a claim is the derivative of an expression, and where."""

from __future__ import annotations

from collections.abc import Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.checking.agreement import Sides, compared, value_side, within
from exprgrad.errors import UsageError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, node
from exprgrad.language import inputs
from exprgrad.language.brackets import parted
from exprgrad.operations.table import DIV, SUB
from exprgrad.sweeps.precise import Probe

MOST_PROVED = 3000
"""Operations of expressions whose equality is tried to be proved."""

MOST_DIFFERENTIATED = 60_000
"""Operations that are differentiated on the way to a derivative of high order; a second of work."""

NOWHERE = node(DIV, (Constant(0.0), Constant(0.0)))
"""What the answer is as a graph that there is no derivative: one without a value."""


class Question(NamedTuple):
    """A function, what is claimed to be its derivative, and by which variable, how many times.

    It is asked where all of `where` hold; with `condone`, only where the claim is defined.
    """

    expression: Expression
    claim: Expression
    wrt: str
    order: int = 1
    where: tuple[Expression, ...] = ()
    condone: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All variables, that of the derivative first."""
        every = (self.expression, self.claim, *self.where)
        own = dict.fromkeys(name for each in every for name in each.variables)
        return tuple(sorted(own, key=lambda name: name != self.wrt))

    def sides(self) -> Sides:
        """Return what is compared: the derivative, where those of lower orders are there too, with the claim."""
        f, domain = self.expression, []
        if self.order > 1:
            lower = [f]
            # all derivatives of a constant are alike
            while len(lower) < self.order - 1 and lower[-1].variables:
                lower.append(lower[-1].derivative(self.wrt))
            domain = [Probe(g.tape, self.wrt) for g in lower]
            f = f.derivative(self.wrt, order=len(lower))
        probe, claim = Probe(f.tape, self.wrt), Probe(self.claim.tape)
        look = within(value_side(probe), domain, self.where)
        roots = (*(condition.root for condition in self.where), self.expression.root)
        # the reverse sweep of a slope costs as much as the forward one
        work = 2 * probe.cost + claim.cost, 2 * probe.weight + claim.weight
        every = (*roots, self.claim.root)
        return compared(look, value_side(claim), every, self.names, self.wrt, work, self.condone, (probe, *domain))  # fmt: skip

    def difference(self) -> Value | None:
        """The claim less the derivative as its rules give it; None where that would be too large."""
        from exprgrad.symbolic.derivative import tangent

        root, size, sizes = self.expression.root, 0, 0
        for _ in range(self.order):
            size = len(topological(root))
            sizes += size
            if size > MOST_PROVED or sizes > MOST_DIFFERENTIATED:
                return None
            root = tangent(root, self.wrt)
        return node(SUB, (self.claim.root, root))


def conditions(
    texts: str | Sequence[str], names: Sequence[str]
) -> tuple[Expression, ...]:
    """The conditions of "x > 0, a > 0", each about variables of the problem. Raises `UsageError`."""
    found = []
    for text in inputs.names(texts, "conditions"):
        for start, end in parted(text):
            condition = parse(text[start:end].strip(), names)
            strange = [name for name in condition.variables if name not in names]
            operation = condition.root.operation
            if operation is None or operation.rule not in ("comparison", "logic"):
                told = f"{text[start:end].strip()} is not a condition"
                hint = "write x > 0, and several with commas: x > 0, a != 1"
                raise UsageError(told, hint=hint)
            if strange:
                told = f"{strange[0]} of the condition is not in the problem"
                raise UsageError(told, hint=f"its variables are {', '.join(names)}")
            found.append(condition)
    return tuple(found)
