"""Consequences of a fit: formulas in its parameters, with the uncertainty that these leave.

    predicted(found, {"half life": parse("ln(2)/k")})["half life"].standard_uncertainty

The parameters are uncertain together, with the covariance of the fit; all share the degrees of freedom of its
residuals, so that an interval is that of Student's t.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from exprgrad.errors import UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.quantities import STUDENT, Quantity
from exprgrad.expressions.uncertainty import COVERAGE, Budgets, budgets
from exprgrad.fitting.model import Fit
from exprgrad.sweeps.coordinates import Coordinate

FIT = "fit"
"""The ensemble of all parameters: they come from the same data."""


def predicted(
    found: Fit, formulas: Mapping[str, Expression], coverage: float = COVERAGE
) -> Budgets:
    """The values of formulas in the parameters and constants of a fit, with their uncertainty.

    Raises `UsageError` for a parameter whose standard error is not known.
    """
    quantities = {
        name: Quantity(Coordinate.of(value), Fraction(0))
        for name, value in found.model.constants.items()
    }
    used = {name for formula in formulas.values() for name in formula.variables}
    for name, (value, stderr) in found.parameters.items():
        if stderr is None and name not in found.at_bound and name in used:
            hint = "least squares that have converged determine it"
            raise UsageError(f"the standard error of {name} is not known", hint=hint)
        # what a bound holds is taken for exact, and has no error of its own
        quantities[name] = Quantity(
            Coordinate.of(value), Fraction(stderr or 0.0) ** 2, float(found.degrees or 1), STUDENT, FIT
        )  # fmt: skip
    for formula in formulas.values():
        for name in formula.variables:
            if name not in quantities:
                raise formula.no_variable(name) if name not in found.model.columns else UsageError(
                    f"{name} is a column of the data: a prediction needs a number for it",
                    hint=f"write the number instead of {name}",
                )  # fmt: skip
    names = list(found.correlations)
    pairs = ((a, b) for i, b in enumerate(names) for a in names[:i])
    related = {(a, b): Fraction(found.correlations[a][b]) for a, b in pairs}
    return budgets(formulas, quantities, related, coverage)
