"""`exprgrad eval`: the value of an expression and its partial derivatives at a point."""

from __future__ import annotations

from exprgrad.cli.commands.evaluating import Format, Mode, Sweeps, evaluate
from exprgrad.cli.declared import Annotated, Option, Path
from exprgrad.cli.options import At, Expr, File, Strict, Wrt

ModeOption = Annotated[Mode, Option(help="Sweep adjoints back, or tangents forward.")]
Seed = Annotated[
    str | None,
    Option(metavar="a=1,b=-2", help="The derivative along this direction instead."),
]
Hessian = Annotated[
    bool,
    Option("--hessian", help="Also the matrix of second partial derivatives."),
]
Order = Annotated[
    int | None,
    Option(
        min=1,
        help="Derivatives up to this order, with respect to one variable.",
    ),
]
Trust = Annotated[
    bool,
    Option(
        "--trust",
        help="How many digits are known, what changes of the variables do, and where digits are lost.",
    ),
]
Trace = Annotated[
    Sweeps | None,
    Option(
        metavar="[forward|reverse]",
        help="Show the sweeps step by step; both if it stands alone.",
    ),
]
Why = Annotated[
    str | None,
    Option(
        metavar="w",
        help="The paths that carry this variable's derivative, and what blocks it.",
    ),
]
Html = Annotated[
    Path | None,
    Option(metavar="FILE", help="Write a page that walks through both sweeps."),
]
FormatOption = Annotated[Format, Option("--format", help="How to write the results.")]
Digits = Annotated[
    int | None,
    Option(
        min=1, max=1000, help="Significant digits in tables. [default: 10, traces 6]"
    ),
]
Rows = Annotated[int, Option(min=0, help="Rows of a table at most; 0 for all.")]
Subgradient = Annotated[
    bool,
    Option("--subgradient", help="At a corner, take PyTorch's convention."),
]


def evaluate_command(
    expression: Expr = None,
    at: At = None,
    wrt: Wrt = None,
    file: File = None,
    mode: ModeOption = "reverse",
    seed: Seed = None,
    hessian: Hessian = False,
    order: Order = None,
    trust: Trust = False,
    trace: Trace = None,
    why: Why = None,
    html: Html = None,
    format_: FormatOption = "table",
    digits: Digits = None,
    rows: Rows = 60,
    subgradient: Subgradient = False,
    strict: Strict = False,
) -> int:
    """The value of an expression and every partial derivative at a point."""
    return evaluate(
        expression, at, wrt=wrt, file=file, mode=mode, seed=seed, hessian=hessian, order=order,
        trust=trust, trace=trace, why=why, html=html, format_=format_, digits=digits, rows=rows, subgradient=subgradient, strict=strict,
    )  # fmt: skip
