"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Expr = Annotated[
    str | None,
    typer.Argument(metavar="EXPR", help="The expression; - reads standard input."),
]
At = Annotated[
    list[str] | None,
    typer.Option(
        metavar="a=2,b=pi/4", help="Values of the variables; may be repeated."
    ),
]
File = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Read the expression from a file.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Never read xy as x*y.")]
