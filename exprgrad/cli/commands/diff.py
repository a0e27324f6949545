"""`exprgrad diff`: derivatives as formulas."""

from __future__ import annotations

from exprgrad.cli import completing
from exprgrad.cli.arguments import source_of
from exprgrad.cli.commands.deriving import differentiate
from exprgrad.cli.declared import Annotated, Literal, Option
from exprgrad.cli.options import Expr, File, Strict
from exprgrad.cli.typed import lines_of
from exprgrad.errors import UsageError
from exprgrad.language.leibniz import MOST_ORDERS

Digits = Annotated[int, Option(min=1, max=1000, help="Significant digits.")]
Wrt = Annotated[
    list[str] | None,
    Option(
        metavar="x",
        help="The variable; x,y for the mixed derivative; may be repeated.",
        autocompletion=completing.variables,
    ),
]
Order = Annotated[
    int, Option(min=1, max=MOST_ORDERS, help="The order of the derivative.")
]
At = Annotated[
    list[str] | None,
    Option(
        metavar="x=2",
        help="Also give its value at this point.",
        autocompletion=completing.values,
    ),
]
Steps = Annotated[
    Literal["full", "brief"] | None,
    Option(
        metavar="[full|brief]", help="Show the derivation; brief if it stands alone."
    ),
]
Form = Annotated[
    Literal["short", "factored", "expanded"],
    Option(help="Write formulas in the shortest form, as products, or multiplied out."),
]
Notation = Annotated[
    Literal["plain", "pretty"],
    Option(help="On a terminal, write x², 2·x and √x with `pretty`."),
]
Implicit = Annotated[
    bool, Option("--implicit", help="The slope of the curve of an equation.")
]
Of = Annotated[
    str | None,
    Option(
        metavar="y",
        help="With --implicit: the variable that is a function.",
        autocompletion=completing.variables,
    ),
]
FormatOption = Annotated[
    Literal["text", "latex", "json", "python"],
    Option("--format", help="How to write formulas."),
]


def diff_command(
    expression: Expr = None,
    wrt: Wrt = None,
    order: Order = 1,
    at: At = None,
    file: File = None,
    steps: Steps = None,
    form: Form = "short",
    format_: FormatOption = "text",
    digits: Digits = 10,
    strict: Strict = False,
    implicit: Implicit = False,
    of: Of = None,
    notation: Notation = "plain",
) -> int:
    """The derivative of an expression as a formula, with respect to every variable or to some."""
    source = source_of(expression, file)
    if implicit or _is_list(source):
        return _other(source, wrt, of, order, at, steps, format_, implicit)
    if of is not None:
        raise UsageError("--of needs --implicit")
    codes = [
        differentiate(line, wrt, order, at, steps=steps, form=form, format_=format_, digits=digits, strict=strict, notation=notation)
        for line in lines_of(source)
    ]  # fmt: skip
    return max(codes)


def _is_list(source: str) -> bool:
    """Whether several expressions stand in square brackets."""
    text = source.strip()
    if not (text.startswith("[") and text.endswith("]")) or "," not in text:
        return False
    from exprgrad.checking.equations import entries

    return len(entries(text)) > 1 and not text.startswith("[[")


def _other(
    source: str, wrt: list[str] | None, of: str | None, order: int,
    at: list[str] | None, steps: str | None, format_: str, implicit: bool,
) -> int:  # fmt: skip
    """The slope of a curve, or the Jacobian of several expressions."""
    from exprgrad.cli.commands.constructions import implicit_slope, jacobian_of

    if format_ not in ("text", "json"):
        raise UsageError("this is written as text or JSON only")
    names = wrt or []
    if implicit:
        return implicit_slope(source, names, of, order, at, bool(steps), format_)
    if order > 1 or at or steps or of:
        raise UsageError("of several expressions there is the Jacobian, and no more")
    return jacobian_of(source, names, format_)
