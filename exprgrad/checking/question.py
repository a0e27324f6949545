"""The question that a check answers: whether a claim is the derivative of an expression."""

from __future__ import annotations

from typing import NamedTuple

from exprgrad.checking.agreement import Sides, compared, slope_side, value_side
from exprgrad.checking.points import Quantity
from exprgrad.expressions.expression import Expression
from exprgrad.sweeps.precise import Probe


class Question(NamedTuple):
    """A function, what is claimed to be its derivative, and by which variable, how many times."""

    expression: Expression
    claim: Expression
    wrt: str
    order: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        """All variables, that of the derivative first."""
        own = dict.fromkeys((*self.expression.variables, *self.claim.variables))
        return tuple(sorted(own, key=lambda name: name != self.wrt))

    def truth(self) -> tuple[Quantity, Probe]:
        """The derivative as a quantity, where the function is defined too; and what it is taken of."""
        f, domain = self.expression, []
        if self.order > 1:
            domain = [Probe(f.tape, self.wrt)]
            f = f.derivative(self.wrt, order=self.order - 1)
        probe = Probe(f.tape, self.wrt)
        return slope_side(probe, domain), probe

    def sides(self) -> Sides:
        """What is compared: the derivative with the claim."""
        look, probe = self.truth()
        claim = Probe(self.claim.tape)
        return compared(
            look,
            value_side(claim),
            (self.expression.root, self.claim.root),
            self.names,
            self.wrt,
            (2 * probe.cost + claim.cost, 2 * probe.weight + claim.weight),
        )
