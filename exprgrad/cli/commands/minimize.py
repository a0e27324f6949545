"""`exprgrad minimize`: where an expression is least, step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.cli.arguments import source_of, sources
from exprgrad.cli.commands import descents
from exprgrad.cli.declared import Annotated, Literal, Option
from exprgrad.cli.options import At, Digits, Drawn, Expr, File, Strict
from exprgrad.errors import INTERRUPTED, UNDEFINED, UsageError

if TYPE_CHECKING:
    from exprgrad.expressions.expression import Expression
    from exprgrad.optimize.descent import DescentStep, Minimum
    from exprgrad.optimize.minimize import Descent
    from exprgrad.views.answers.descent import Sample


FormatOption = Annotated[
    Literal["table", "json"], Option("--format", help="How to write the result.")
]
Method = Annotated[str, Option(help="gd, momentum, nesterov, adam, lbfgs or trust.")]
Target = Annotated[float | None, Option(help="Stop when the value is at most this.")]
History = Annotated[
    Path | None,
    Option(metavar="FILE", help="Write every step to a CSV file."),
]


def minimize_command(
    expression: Expr = None,
    start: descents.Start = None,
    at: At = None,
    method: Method = "lbfgs",
    rate: descents.Rate = 0.01,
    schedule: descents.Schedule = None,
    steps: descents.MostSteps = 10_000,
    tolerance: descents.Tolerance = 1e-8,
    target: Target = None,
    momentum: descents.Momentum = 0.9,
    bounds: descents.Bounds = None,
    history: History = None,
    plot: Drawn = False,
    file: File = None,
    format_: FormatOption = "table",
    digits: Digits = 10,
    strict: Strict = False,
) -> int:
    """Find where an expression is least, by descent from a start."""
    from exprgrad.cli.typed import expression_at
    from exprgrad.data.bindings import Bindings
    from exprgrad.optimize.minimize import minimize

    source = source_of(expression, file)
    begin = Bindings(start or [], "--start")
    parsed, fixed = expression_at(source, at or [], begin.values, strict)
    if not start:
        raise _no_start(parsed, fixed.values)
    begin.check(parsed)
    arrays = parsed.takes_arrays({**begin.values, **fixed.values})
    descent = minimize(
        parsed, begin.values, method, fixed=fixed.values if arrays else fixed.exact,
        bounds=descents.bounds_of(bounds or []), rate=rate, schedule=schedule, steps=steps,
        tolerance=tolerance, target=target, momentum=momentum,
    )  # fmt: skip
    inputs = sources("-" if expression == "-" else None, file, begin, fixed)
    from exprgrad.views.answers.descent import Sample

    sample = Sample()
    code = _show(parsed.title, descent, sample, history, inputs, format_, digits)
    if plot and format_ == "table" and sample.rows():
        from exprgrad.pictures.results import of_descent
        from exprgrad.views.answers.plot import show

        show(of_descent(parsed, sample.rows(), fixed.exact if not arrays else {}))
    return code


def _no_start(expression: Expression, fixed: Collection[str]) -> UsageError:
    """The error for a descent without a start, with one in the variables of the expression."""
    names = [name for name in expression.variables if name not in fixed][:4]
    values = ",".join(f"{name}=0" for name in names or ["x"])
    return UsageError(
        "a descent needs a start", hint=f"add --start {values}, or wherever you like"
    )


def _show(
    title: str, descent: Descent, sample: Sample, history: Path | None,
    inputs: list[Path | int], format_: str, digits: int,
) -> int:  # fmt: skip
    from exprgrad.cli.hints import report
    from exprgrad.views.answers import descent as view
    from exprgrad.views.formats import write

    descent.digits = digits
    found = run(descent, sample, history, inputs) or descent.interrupted()
    if found is None:
        raise KeyboardInterrupt
    if format_ == "table":
        sample.steps = [descent.refined(step) for step in sample.rows()]
        sample.last = sample.steps[-1] if sample.steps else None
    write(view.DescentView(title, found, sample, digits), format_)
    failed = view.failure(found)
    if failed is not None:
        report(failed)
    if found.status == "interrupted":
        return INTERRUPTED
    stuck = found.status == "stalled" and found.kind is None
    return UNDEFINED if failed is not None or stuck else 0


def run(
    descent: Descent,
    sample: Sample,
    history: Path | None,
    inputs: list[Path | int],
) -> Minimum | None:
    """Follow a descent, keep a sample of its steps, write all to a file; where it ended, None if Ctrl-C stopped it."""
    from exprgrad.cli.signals import raising
    from exprgrad.data.files import Replacing
    from exprgrad.views.answers import descent as view

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
