"""`exprgrad simplify`: any expression in fewer symbols."""

from __future__ import annotations

from exprgrad.cli.arguments import source_of
from exprgrad.cli.declared import Annotated, Literal, Option
from exprgrad.cli.options import Expr, File, Strict

Form = Annotated[
    Literal["short", "factored", "expanded"],
    Option(help="The shortest form, a product, or multiplied out."),
]
FormatOption = Annotated[
    Literal["text", "latex", "json"], Option("--format", help="How to write formulas.")
]
Notation = Annotated[
    Literal["plain", "pretty"],
    Option(help="On a terminal, write x², 2·x and √x with `pretty`."),
]


def simplify_command(
    expression: Expr = None,
    form: Form = "short",
    file: File = None,
    format_: FormatOption = "text",
    strict: Strict = False,
    notation: Notation = "plain",
) -> int:
    """The same expression in fewer symbols, with what the rewriting assumes."""
    from exprgrad.cli.typed import differentiated, question
    from exprgrad.views.answers.formulas import SimplifiedView
    from exprgrad.views.formats import write

    parsed = differentiated(*question(source_of(expression, file), set(), strict))
    view = SimplifiedView(parsed, parsed.simplify(form), form, notation)
    write(view, format_)
    return 0
