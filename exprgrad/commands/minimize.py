"""`exprgrad minimize`: where an expression is least, step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.commands import declared as row
from exprgrad.commands.arguments import sources
from exprgrad.commands.descents import Descending
from exprgrad.errors import INTERRUPTED, UNDEFINED, UsageError

if TYPE_CHECKING:
    from exprgrad.expressions.expression import Expression
    from exprgrad.optimize.descent import DescentStep, Minimum
    from exprgrad.optimize.minimize import Descent
    from exprgrad.views.descent import Sample


class Minimize(Descending, row.OnExpression):
    """Find where an expression is least, by descent from a start."""

    example = 'exprgrad minimize "(x-1)^2 + y^2" --start x=0,y=1'
    pages = "minimizing"

    at: list[str] = row.AT
    method: str = row.text(
        "gd, momentum, nesterov, adam, lbfgs, trust or random.", "", "lbfgs"
    )
    target: float | None = row.decimal("Stop when the value is at most this.")
    history: Path | None = row.path("Write every step to a CSV file.")
    plot: bool = row.DRAWN
    digits: int = row.DIGITS
    strict: bool = row.STRICT

    def run(self) -> row.Result:
        """Descend, and show the steps."""
        from exprgrad.commands.typed import expression_at
        from exprgrad.data.bindings import Bindings
        from exprgrad.optimize.minimize import minimize
        from exprgrad.views import descent as view

        source = self.source()
        begin = Bindings(self.start, "--start")
        parsed, fixed = expression_at(source, self.at, begin.values, self.strict)
        if not self.start:
            raise _no_start(parsed, fixed.values)
        begin.check(parsed)
        arrays = parsed.takes_arrays({**begin.values, **fixed.values})
        descent = minimize(
            parsed, begin.values, self.method, fixed=fixed.values if arrays else fixed.exact,
            target=self.target, **self.options(),
        )  # fmt: skip
        stdin = "-" if self.expression == "-" else None
        inputs = sources(stdin, self.file, begin, fixed)
        sample = view.Sample()
        descent.digits = self.digits
        found = run(descent, sample, self.history, inputs) or descent.interrupted()
        if found is None:
            raise KeyboardInterrupt
        if self.format != "json":
            sample.steps = [descent.refined(step) for step in sample.rows()]
            sample.last = sample.steps[-1] if sample.steps else None
        views: list[Any] = [view.DescentView(parsed.title, found, sample, self.digits)]
        if self.plot and self.format == "table" and sample.rows():
            from exprgrad.pictures.plot import of_descent
            from exprgrad.views.pictures import PlotView

            held = {} if arrays else fixed.exact
            views.append(PlotView(of_descent(parsed, sample.rows(), held)))
        failed = view.failure(found)
        stuck = found.status == "stalled" and found.kind is None
        code = UNDEFINED if failed is not None or stuck else 0
        if found.status == "interrupted":
            code = INTERRUPTED
        return row.Result(*views, errors=[failed] if failed else [], code=code)


def _no_start(expression: Expression, fixed: Collection[str]) -> UsageError:
    """The error for a descent without a start, with one in the variables of the expression."""
    names = [name for name in expression.variables if name not in fixed][:4]
    values = ",".join(f"{name}=0" for name in names or ["x"])
    return UsageError(
        "a descent needs a start", hint=f"add --start {values}, or wherever you like"
    )


def run(
    descent: Descent,
    sample: Sample,
    history: Path | None,
    inputs: list[Path | int],
) -> Minimum | None:
    """Follow a descent, keep a sample of its steps, write all to a file; where it ended, None if Ctrl-C stopped it."""
    from exprgrad.commands.signals import raising
    from exprgrad.data.files import Replacing
    from exprgrad.views import descent as view

    def kept(steps: Iterable[DescentStep]) -> Iterator[DescentStep]:
        for step in steps:
            sample.add(step)
            yield step

    steps = kept(view.watched(descent))
    with nullcontext() if history is None else Replacing(history, *inputs) as file:
        try:
            with raising():
                if file is None:
                    deque(steps, 0)
                else:
                    lines = view.history_lines(steps)
                    file.writelines(f"{line}\n".encode() for line in lines)
                return descent.result
        except KeyboardInterrupt:
            return None  # the steps so far are a history, too
