"""`exprgrad tangent`, `taylor` and `critical`: what touches a function, and where it is flat."""

from __future__ import annotations

from exprgrad.annotations import Any
from exprgrad.cli import completing
from exprgrad.cli.arguments import source_of
from exprgrad.cli.declared import Annotated, Literal, Option
from exprgrad.cli.options import At, Expr, File
from exprgrad.language.leibniz import MOST_ORDERS

Format = Annotated[
    Literal["text", "json"], Option("--format", help="How to write the answer.")
]
Of = Annotated[
    str | None,
    Option(
        metavar="y",
        help="The variable that an equation makes a function.",
        autocompletion=completing.variables,
    ),
]
Parameter = Annotated[
    str | None, Option(metavar="t", help="The parameter of a curve (x, y).")
]
Order = Annotated[
    int, Option(min=0, max=MOST_ORDERS, help="The order of the polynomial.")
]
Wrt = Annotated[
    str | None,
    Option(metavar="x", help="The variables.", autocompletion=completing.variables),
]


def tangent_command(
    expression: Expr = None,
    at: At = None,
    of: Of = None,
    parameter: Parameter = None,
    file: File = None,
    format_: Format = "text",
) -> int:
    """The tangent to a graph or a curve, or the tangent plane, step by step."""
    from exprgrad.checking.kinds.worked import tangent

    request = _asked(expression, file, None, at=at, of=of, parameter=parameter)
    return _shown(tangent(request), format_)


def taylor_command(
    expression: Expr = None,
    order: Order = 3,
    at: At = None,
    wrt: Wrt = None,
    file: File = None,
    format_: Format = "text",
) -> int:
    """The Taylor polynomial of an expression, at 0 or another point, step by step."""
    from exprgrad.checking.kinds.worked import taylor

    return _shown(taylor(_asked(expression, file, wrt, at=at, order=order)), format_)


def critical_command(
    expression: Expr = None,
    wrt: Wrt = None,
    file: File = None,
    format_: Format = "text",
) -> int:
    """Where all slopes of an expression are 0, with the kind of each point."""
    from exprgrad.checking.kinds.worked import critical

    return _shown(critical(_asked(expression, file, wrt))[0], format_)


def _asked(expression: str | None, file: Any, wrt: str | None, **options: Any) -> Any:
    """The question that the options ask."""
    from exprgrad.checking.kinds.worked import asked
    from exprgrad.cli.typed import text_in
    from exprgrad.data.bindings import Bindings

    source, point = text_in(source_of(expression, file))
    if point is not None or options.get("at") is not None:
        values = [*(options.get("at") or []), *([point] if point else [])]
        options["at"] = Bindings(values, "--at").exact
    names = tuple(name for name in (wrt or "").replace(" ", "").split(",") if name)
    return asked(source, wrt=names, **options)


def _shown(found: Any, format_: str, steps: bool = True) -> int:
    from exprgrad.views.formats import write
    from exprgrad.views.verdicts.worked import WorkedView

    write(WorkedView(found, steps), format_)
    return 0


def implicit_slope(
    source: str, wrt: list[str], of: str | None, order: int, at: list[str] | None,
    steps: bool, format_: str,
) -> int:  # fmt: skip
    """Print dy/dx of the curve of an equation."""
    from exprgrad.checking.kinds.worked import implicit

    request = _asked(source, None, ",".join(wrt), at=at, of=of, order=order)
    return _shown(implicit(request), format_, steps)


def jacobian_of(source: str, wrt: list[str], format_: str) -> int:
    """Print the Jacobian of several expressions."""
    from exprgrad.checking.kinds.worked import jacobian

    return _shown(jacobian(_asked(source, None, ",".join(wrt))), format_)
