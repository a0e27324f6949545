"""`exprgrad eval`: the value of an expression and its partial derivatives at a point."""

from __future__ import annotations

from typing import Annotated

import typer

from exprgrad.cli.evaluating import Format, Mode, Sweep, evaluate
from exprgrad.cli.options import At, Expr, File, Strict


def evaluate_command(
    expression: Expr = None,
    at: At = None,
    wrt: Annotated[
        list[str] | None,
        typer.Option(metavar="a,b", help="Differentiate by these variables only."),
    ] = None,
    file: File = None,
    mode: Annotated[
        Mode, typer.Option(help="Sweep adjoints back, or tangents forward.")
    ] = Mode.reverse,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="a=1,b=-2", help="The derivative along this direction instead."
        ),
    ] = None,
    hessian: Annotated[
        bool,
        typer.Option(
            "--hessian", help="Also the matrix of second partial derivatives."
        ),
    ] = False,
    order: Annotated[
        int | None,
        typer.Option(
            min=1, max=60, help="Derivatives up to this order by the one variable."
        ),
    ] = None,
    trace: Annotated[
        Sweep | None,
        typer.Option(
            metavar="[forward|reverse]",
            help="Show the sweeps step by step; alone: both.",
        ),
    ] = None,
    format_: Annotated[
        Format, typer.Option("--format", help="How to write the results.")
    ] = Format.table,
    digits: Annotated[
        int | None,
        typer.Option(
            min=1, max=17, help="Significant digits in tables. [default: 10, traces 6]"
        ),
    ] = None,
    rows: Annotated[
        int, typer.Option(min=0, help="Rows of a table at most; 0 for all.")
    ] = 60,
    subgradient: Annotated[
        bool,
        typer.Option("--subgradient", help="At a corner, take PyTorch's convention."),
    ] = False,
    strict: Strict = False,
) -> int:
    """The value of an expression and every partial derivative at a point."""
    return evaluate(
        expression, at, wrt=wrt, file=file, mode=mode, seed=seed, hessian=hessian, order=order,
        trace=trace, format_=format_, digits=digits, rows=rows, subgradient=subgradient, strict=strict,
    )  # fmt: skip
