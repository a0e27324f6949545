"""Arguments and options that several commands have."""

from __future__ import annotations

from exprgrad.cli import completing
from exprgrad.cli.declared import Annotated, Argument, Option, Path

Expr = Annotated[
    str | None,
    Argument(metavar="EXPR", help="The expression; - reads standard input."),
]
At = Annotated[
    list[str] | None,
    Option(
        metavar="a=2,b=pi/4",
        help="Values of the variables; may be repeated.",
        autocompletion=completing.values,
    ),
]
File = Annotated[
    Path | None, Option(metavar="FILE", help="Read the expression from a file.")
]
Wrt = Annotated[
    list[str] | None,
    Option(
        metavar="a,b",
        help="Differentiate with respect to these variables only.",
        autocompletion=completing.variables,
    ),
]
Digits = Annotated[int, Option(min=1, max=17, help="Significant digits.")]
Picture = Annotated[
    Path | None,
    Option(
        "--output", "-o", metavar="FILE", help="The file to write; its name says how."
    ),
]
Drawn = Annotated[bool, Option("--plot", help="Draw it in the terminal as well.")]
Strict = Annotated[bool, Option("--strict", help="Never read xy as x*y.")]
