"""`exprgrad uncertainty`: how much each input contributes to the uncertainty of a result."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.budget import LIMITS
from exprgrad.commands import declared as row
from exprgrad.commands.declared import source_of
from exprgrad.commands.typed import differentiated, question
from exprgrad.data.budgets import Given, related
from exprgrad.errors import UNDEFINED, ExprgradError, UsageError, needing
from exprgrad.expressions.quantities import correlations_of, exactly
from exprgrad.expressions.uncertainty import Budget, Budgets, budget, budgets

if TYPE_CHECKING:
    from pathlib import Path

    from exprgrad.data.monte_carlo import Simulated
    from exprgrad.expressions.expression import Expression

MOST_SAMPLES = LIMITS["samples"].most


class Uncertainty(row.Command):
    """The uncertainty of a result, and what each input contributes to it."""

    example = 'exprgrad uncertainty "V/I" --at "V=4.999±0.0032, I=0.0197±5%"'
    pages = "budgets"
    values = row.AS_POINT
    exactly = "±0"

    expressions: list[str] = row.argument('The result, or several, with names if you like: "R = V/I".', "EXPR ...", list)  # fmt: skip
    at: list[str] = row.texts(
        "The inputs: x=10±0.2, 10+-0.2, ±2%, 1.23(4), ±0.3(k=2), (df=4), x=10~uniform(0.5), ~triangular, "
        "~arcsine, ~t(4), x=@data.csv:column; may be repeated.",
        "V=5±0.1,...",
        completes="values",
    )
    operations = None  # `--budget` is a file here
    budget: str | None = row.text("A whole budget: a table name,value,u,df, or TOML with [quantities].", "FILE")  # fmt: skip
    corr: list[str] = row.texts("A correlation; or a matrix, [[1,0.5],[0.5,1]] or @FILE; may be repeated.", "V,I=-0.36")  # fmt: skip
    coverage: str = row.text("The probability of the expanded interval.", "P", "0.95")
    target: str | None = row.text("What the inputs would have to be for this standard uncertainty.", "0.5%")  # fmt: skip
    monte_carlo: str | None = row.text("Draw N samples, such as 1e6, and compare.", "N")  # fmt: skip
    seed: int = row.whole("Chooses the samples.", 0, least=0)
    plot: bool = row.flag("Draw the histogram of the samples as well.")
    file: Path | None = row.path("Read the expression from a file.")
    format: str = row.formats("How to write the result.", "table json csv")  # fmt: skip
    digits: int = row.whole("Significant digits of the table.", 4, least=1, most=15)
    strict: bool = row.STRICT

    def run(self) -> row.Result:
        """Propagate it, and show the budget."""
        from exprgrad.views.uncertainty import BudgetView, UndefinedBudget

        given = Given(self.at, self.budget, "--at")
        if not given.quantities:
            hint = '--at "V=4.999±0.0032, I=0.0197±5%", or --budget FILE'
            raise UsageError("there are no quantities", hint=hint)
        read = self._results(given)
        correlations = _correlations(given, self.corr)
        probability = _probability(self.coverage)
        aim = None if self.target is None else _aim(self.target)
        count = _count(self.monte_carlo, self.plot)
        titles = {name or own.title: own for name, own in read.items()}
        known = (given.quantities, correlations, probability)
        found: Budget | Budgets
        try:
            alone = read.get(None)
            found = budgets(titles, *known) if alone is None else budget(alone, *known)
        except ExprgradError as error:
            if error.exit_code == UNDEFINED and self.format == "json":
                return row.Result(UndefinedBudget(titles), errors=[error])
            raise
        results = found if isinstance(found, Budgets) else [found]
        # before samples are drawn, which may take a minute
        if aim is not None and aim[1] and not all(own.exact for own in results):
            what = "the result is 0, and a percentage of 0 is no target"
            raise UsageError(what, hint="--target 0.1")
        simulated: Mapping[str, Simulated] = {}
        remarks = [note for own in titles.values() for note in own.notes]
        remarks += given.remarks
        if count is not None:
            with needing("samples need NumPy", "arrays"):
                from exprgrad.data.monte_carlo import mixed, simulate
            from exprgrad.views.progress import Progress

            with Progress(count, "samples") as progress:
                simulated = simulate(
                    titles, *known[:2], count, seed=self.seed, coverage=probability, advance=progress.reach,
                )  # fmt: skip
            # to keep both the correlations and the distributions, a copula would have to be chosen
            if plain := mixed([*given.quantities], *known[:2]):
                said = "correlated, and drawn from a normal distribution"
                remarks.append(f"{', '.join(plain)}: {said}")
        view = BudgetView(
            found, self.digits, simulated=simulated, target=aim, remarks=remarks, plot=self.plot,
            more="; --monte-carlo 1e6 draws samples",
        )  # fmt: skip
        return row.Result(view)

    def _results(self, given: Given) -> dict[str | None, Expression]:
        """The results by name; a single one without a name is that of None."""
        typed = list(self.expressions)
        if self.file is not None:
            typed.append(source_of(None, self.file))
        texts = typed or [*given.results.values()]
        if not texts:
            hint = 'exprgrad uncertainty "V/I" --at "V=5±0.1, I=2±0.1"'
            raise UsageError("give the formula of the result", hint=hint)
        # a single result of a file is shown by its formula
        names = [None] * len(texts) if typed or not texts[1:] else [*given.results]
        found: dict[str | None, Expression] = {}
        for own_text, name in zip(texts, names, strict=True):
            source = source_of(own_text, None)
            parsed, asked = question(source, given.quantities, self.strict)
            expression = differentiated(parsed, asked)
            if name is None and asked is not None:
                name = asked.name
            if name is None and texts[1:]:
                name = expression.title
            if name in found:
                raise UsageError(f"{name} is given twice", hint="give each result once")
            found[name] = expression
        return found


def _correlations(given: Given, stated: list[str]) -> dict[tuple[str, str], Fraction]:
    """The correlations of a file, of readings, and those that are stated, in this order."""
    names = [*given.quantities]
    read = correlations_of(given.stated, names) if given.stated else {}
    own = correlations_of(related(stated, names), names)
    # what is stated wins over what was found in readings: it comes last
    return correlations_of(given.correlations | read | own, names)


def _probability(text: str) -> float:
    """A probability: 0.95, 95% or 95, but not 2, which may be meant as a factor."""
    plain = text.strip()
    share = exactly(plain.removesuffix("%"), "--coverage")
    if plain.endswith("%") or share >= 10:
        share /= 100
    if not 0 < share < 1:
        told = f"a coverage probability is between 0 and 1, not {text}"
        raise UsageError(told, hint="--coverage 0.95, or 95%")
    return float(share)


def _aim(text: str) -> tuple[Fraction, bool]:
    """The uncertainty that is aimed at, and whether it is relative to the value."""
    plain = text.strip()
    amount = exactly(plain.removesuffix("%"), "--target")
    if amount <= 0:
        raise UsageError("a target is more than 0", hint="--target 0.5%")
    return (amount / 100, True) if plain.endswith("%") else (amount, False)


def _count(text: str | None, plot: bool) -> int | None:
    """Return how many samples; a histogram needs some."""
    if text is None:
        return 100_000 if plot else None
    count = exactly(text, "--monte-carlo")
    if count.denominator != 1 or not 100 <= count <= MOST_SAMPLES:
        told = LIMITS["samples"].told.format(most=f"{MOST_SAMPLES:,}", what=text)
        raise UsageError(f"--monte-carlo {told}", hint="--monte-carlo 1e6")
    return int(count)
