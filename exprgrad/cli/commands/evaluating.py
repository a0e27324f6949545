"""What `exprgrad eval` does, apart from how its options are declared."""

from __future__ import annotations

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.cli.arguments import names, source_of, sources
from exprgrad.cli.declared import Literal
from exprgrad.cli.hints import ALL_ROWS, WHOLE_READING, remark, report
from exprgrad.cli.typed import differentiated, expression_at, lines_of, question
from exprgrad.errors import (
    UNDEFINED,
    BindingError,
    ExprgradError,
    RangeError,
    UsageError,
)

if TYPE_CHECKING:
    from pathlib import Path

    from exprgrad.data.bindings import Bindings
    from exprgrad.expressions.expression import Evaluation, Expression
    from exprgrad.expressions.higher_orders import Orders
    from exprgrad.expressions.paths import Why
    from exprgrad.expressions.trust import Trusted
    from exprgrad.views.answers.evaluation import Matrix

Format = Literal["table", "json", "csv", "markdown", "latex"]
Sweeps = Literal["both", "forward", "reverse"]
Mode = Literal["reverse", "forward"]


def evaluate(
    expression: str | None,
    at: list[str] | None = None,
    *,
    wrt: list[str] | None = None,
    file: Path | None = None,
    mode: Mode = "reverse",
    seed: str | None = None,
    hessian: bool = False,
    order: int | None = None,
    trust: bool = False,
    trace: Sweeps | None = None,
    why: str | None = None,
    html: Path | None = None,
    format_: str = "table",
    digits: int | None = None,
    rows: int = 60,
    subgradient: bool = False,
    strict: bool = False,
) -> int:
    """Evaluate as the options say, and print; the exit code."""
    source = source_of(expression, file)
    lines = lines_of(source)
    if len(lines) > 1:
        codes = [
            evaluate(
                line, at, wrt=wrt, mode=mode, seed=seed, hessian=hessian, order=order, trust=trust, trace=trace, why=why,
                format_=format_, digits=digits, rows=rows, subgradient=subgradient, strict=strict,
            )
            for line in lines
        ]  # fmt: skip
        return max(codes)
    wanted = names(wrt)
    if any(":" in text for text in at or []):
        beside = [trace, hessian, trust, order is not None, seed is not None, why, html]
        _refuse_beside_range(any(beside) or mode == "forward")
        return _grid(
            source, at or [], wanted, format_, digits or 10, rows, subgradient, strict
        )
    parsed, bindings = expression_at(source, at or [], wanted or (), strict)
    _refuse_format(format_, bool(trace), bool(why))
    if why is not None and why not in parsed.variables:
        raise parsed.no_variable(why)
    if trust:
        _refuse_trust(format_, subgradient, seed)
    if html is not None and parsed.takes_arrays(bindings.values):
        raise UsageError("there is no walk through arrays", hint="leave --html out")
    try:
        code = _at_point(
            parsed, bindings, wanted, mode=mode, seed=seed, hessian=hessian, order=order, trust=trust,
            trace=trace, why=why, format_=format_, digits=digits, rows=rows, subgradient=subgradient,
        )  # fmt: skip
        if html is not None:
            _write_walk(
                parsed.evaluate(bindings.exact, wanted),
                html,
                sources(None, file, bindings),
            )
        return code
    except ExprgradError as error:
        undefined = error.exit_code == UNDEFINED
        if undefined and format_ == "json" and not parsed.takes_arrays(bindings.values):
            _write_undefined(parsed, bindings, wanted, seed is not None)
        raise


def _write_walk(found: Evaluation, path: Path, inputs: list[Path | int]) -> None:
    """Write the page that walks through both sweeps."""
    from exprgrad.pictures.files import save
    from exprgrad.pictures.pages.walk import walk_page

    save(found, path, *inputs, more={".html": lambda: walk_page(found)})


def _write_undefined(
    parsed: Expression, bindings: Bindings, wanted: list[str] | None, seeded: bool
) -> None:
    """Where the expression has no value, a result object of JSON says so with nulls."""
    from exprgrad.views.answers.evaluation import UndefinedView
    from exprgrad.views.formats import write

    write(UndefinedView(parsed, bindings.values, wanted, seeded), "json")


def _at_point(
    parsed: Expression, bindings: Bindings, wanted: list[str] | None, *, mode: Mode, seed: str | None,
    hessian: bool, order: int | None, trust: bool, trace: Sweeps | None, why: str | None, format_: str, digits: int | None,
    rows: int, subgradient: bool,
) -> int:  # fmt: skip
    """Evaluate at one point, and print; the exit code."""
    if seed is not None:
        return _directional(parsed, bindings, seed, format_, digits or 10)
    arrays = parsed.takes_arrays(bindings.values)
    found = parsed.evaluate(
        bindings.exact, wanted, mode=mode, subgradient=subgradient, digits=digits or 10
    )
    if arrays:
        if trace or hessian or trust or why or order is not None:
            raise UsageError(
                "arrays cannot be combined with --trace, --hessian, --order, --trust or --why",
                hint="leave those options out",
            )
        return _arrays(found, format_, digits or 10)
    rows_of = parsed.second_partials(bindings.exact, digits or 10) if hessian else None
    orders = None if order is None else _orders(parsed, bindings, wanted, order, digits)
    code = _point(
        found, format_, digits, sweeps=trace, rows=rows, hessian=rows_of,
        derivatives=None if orders is None else orders.numbers,
        trusted=_trusted(found) if trust else None,
        **({} if why is None else _why(found, why, digits or 6)),
    )  # fmt: skip
    return _missing(found, rows_of, orders) or code


def _refuse_beside_range(is_asked: bool) -> None:
    """Raise `UsageError` where what one point alone can have is asked for at a range of them."""
    if is_asked:
        raise UsageError(
            "a range of values cannot be combined with --trace, --hessian, --order, --trust, --why, --html, --seed or --mode",
            hint="give one point, or leave those options out",
        )


def _refuse_format(format_: str, trace: bool, why: bool) -> None:
    """Raise `UsageError` for a trace or paths in a format for tables."""
    if (trace or why) and format_ in ("csv", "markdown", "latex"):
        what = "a trace is" if trace else "paths are"
        raise UsageError(
            f"{what} not written as {format_}", hint="--format table or json"
        )


def _refuse_trust(format_: str, subgradient: bool, seed: str | None) -> None:
    """Raise `UsageError` for what --trust does not go together with."""
    if format_ in ("csv", "latex"):
        raise UsageError(
            f"what --trust shows is not written as {format_}",
            hint="--format table, json or markdown",
        )
    if subgradient or seed is not None:
        raise UsageError(
            "--trust cannot be combined with --subgradient or --seed",
            hint="leave one of them out",
        )


def _trusted(found: Evaluation) -> Trusted:
    from exprgrad.expressions.trust import trusted

    return trusted(found)


def _why(found: Evaluation, name: str, digits: int) -> dict[str, Why | str]:
    """The paths to a variable, or why there are none: numbers beyond the range of doubles."""
    from exprgrad.expressions.paths import why

    try:
        return {"why": why(found, name, lambda x: f"{x:.{digits}g}")}
    except RangeError as error:
        return {"no_paths": error.message}


def _missing(found: Evaluation, matrix: Matrix | None, orders: Orders | None) -> int:
    """Say which second or higher derivatives are missing; the exit code."""
    problems = [] if orders is None or orders.problem is None else [orders.problem]
    entries = [k for row in (matrix or {}).values() for k in row.values()]
    missing = [k for k in entries if k.value is None and k.middle is None]
    if missing:
        problems.append(found.expression.no_second_partial(found.exact, missing[0]))
    for problem in problems:
        report(problem)
    return UNDEFINED if problems else 0


def _grid(
    source: str, at: list[str], wanted: list[str] | None, format_: str,
    digits: int, most: int, subgradient: bool, strict: bool,
) -> int:  # fmt: skip
    """The values at many points."""
    from exprgrad.data.grid import Grid, rows
    from exprgrad.views.answers.grid import GridView
    from exprgrad.views.formats import write

    grid = Grid(at, "--at")
    declared = {*grid.names, *(wanted or ())}
    parsed = differentiated(*question(source, declared, strict))
    grid.check(parsed)
    found = rows(parsed, grid, wanted, subgradient=subgradient, digits=digits)
    partials = list(parsed.variables) if wanted is None else wanted
    varying = list(grid.ranges)
    view = GridView(parsed, varying, partials, found, digits, most, ALL_ROWS)
    write(view, format_)
    problems = view.problems
    if not problems:
        return 0
    report(problems[0])
    if len(problems) > 1:
        remark(f"({len(problems)} of {len(found)} rows have an error)")
    return UNDEFINED


def _orders(
    parsed: Expression,
    bindings: Bindings,
    wanted: list[str] | None,
    order: int,
    digits: int | None,
) -> Orders:
    from exprgrad.expressions.higher_orders import orders

    chosen = wanted if wanted is not None else list(parsed.variables)
    if not chosen:
        raise UsageError(
            "the expression has no variable to differentiate with respect to"
        )
    if len(chosen) != 1:
        raise UsageError(
            "derivatives of higher order are with respect to one variable",
            hint="choose it: --wrt x",
        )
    return orders(parsed, bindings.exact, chosen[0], order, digits or 10)


def _directional(
    parsed: Expression, bindings: Bindings, seed: str, format_: str, digits: int
) -> int:
    """The derivative along a direction."""
    from exprgrad.data.bindings import Bindings as Given
    from exprgrad.expressions.higher_orders import directional
    from exprgrad.views.answers.corners import corner_error
    from exprgrad.views.answers.directional import DirectionalView
    from exprgrad.views.formats import write

    direction = Given([seed], "--seed")
    direction.check(parsed)
    if any(map(parsed.takes_arrays, (bindings.values, direction.values))):
        return _array_directional(parsed, bindings, direction, format_, digits)
    found = directional(parsed, bindings.exact, direction.exact, digits)
    write(DirectionalView(found, digits), format_)
    if found.corner is not None and found.corner.kind != "edge":
        report(corner_error(found.corner, parsed.source, None))
        return UNDEFINED
    return 0


def _array_directional(
    parsed: Expression, bindings: Bindings, direction: Bindings, format_: str, digits: int
) -> int:  # fmt: skip
    """The derivative along a direction where there are arrays."""
    from exprgrad.expressions.higher_orders import directional
    from exprgrad.views.answers.corners import corner_error
    from exprgrad.views.answers.directional import ArrayDirectionalView, missing_along
    from exprgrad.views.formats import write

    try:
        found: Any = directional(parsed, bindings.exact, direction.exact, digits)
    except BindingError as error:
        name = getattr(error, "variable", "")
        raise direction.placed(error, name) if name else error from None
    write(ArrayDirectionalView(found, digits), format_)
    missing = missing_along(found)
    for corner in missing[:5]:
        of = f" of element {corner.variable}" if corner.variable else ""
        report(corner_error(corner, parsed.source, None, of=of))
    if len(missing) > 5:
        remark(f"(and {len(missing) - 5} more elements)")
    return UNDEFINED if missing else 0


def _arrays(found: Any, format_: str, digits: int) -> int:
    """The value and the gradient of an expression in arrays."""
    from exprgrad.views.answers.arrays import ArraysView
    from exprgrad.views.formats import write

    write(ArraysView(found, digits), format_)
    return corners(found)


def _point(found: Evaluation, format_: str, digits: int | None, **beside: Any) -> int:
    """The value and the gradient at a point, and what was asked for beside them."""
    from exprgrad.views.answers.evaluation import EvaluationView, has_slope_line
    from exprgrad.views.formats import write

    view = EvaluationView(
        found, digits, more_rows=ALL_ROWS, more_reading=WHOLE_READING, **beside
    )
    write(view, format_)
    in_words = format_ == "table" and not beside.get("derivatives")
    return corners(found, told=in_words and has_slope_line(found))


def corners(found: Any, told: bool = False) -> int:
    """Say which partial derivatives do not exist, or why, where that has been `told`; the exit code."""
    from exprgrad.views.answers.corners import corner_error, element, missing

    open_ = missing(found)
    for corner in open_[:5]:
        at = element(found.at, corner.variable)
        error = corner_error(
            corner, found.expression.source, at, found.subgradient, told
        )
        report(error)
    if len(open_) > 5:
        remark(f"(and {len(open_) - 5} more variables)")
    return UNDEFINED if open_ else 0
