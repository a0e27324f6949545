"""What a shell completes: operations, topics, and the variables of an expression.

The operations follow `ops`, the topics `help` and `practice --topic`; the variables are those of the expression
on the line, and follow --at, --start and --wrt.
"""

from __future__ import annotations

import os
from collections.abc import Iterable


def operations(incomplete: str) -> list[str]:
    """The operations whose names begin so."""
    import exprgrad.operations.table  # noqa: F401 # fills the table
    from exprgrad.operations.operation import function_names

    return [name for name in sorted(function_names()) if name.startswith(incomplete)]


def topics(incomplete: str) -> list[str]:
    """The pages of the manual and the commands whose names begin so."""
    from exprgrad.commands.pages import topics as pages
    from exprgrad.commands.table import COMMANDS

    names = sorted({*pages(), *COMMANDS})
    return [name for name in names if name.startswith(incomplete)]


def practised(incomplete: str) -> list[str]:
    """The topics of practice, behind those that are there already."""
    from exprgrad.grading.practice import TOPICS

    return _left(incomplete, TOPICS, "")


def variables(incomplete: str) -> list[str]:
    """The variables of the expression, behind those that are there already."""
    return _behind(incomplete, "")


def values(incomplete: str) -> list[str]:
    """The same with an equals sign."""
    return _behind(incomplete, "=")


def _behind(incomplete: str, ending: str) -> list[str]:
    import shlex

    from exprgrad.checking.equations import sides
    from exprgrad.errors import ExprgradError
    from exprgrad.expressions.expression import parse

    # what stands behind the command: Typer has lost it, since the line is not finished
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    try:
        words = shlex.split(line)
    except ValueError:  # a quotation mark is still open
        words = line.split()
    expression = next((word for word in words[2:] if not word.startswith("-")), "")
    try:
        read = [parse(side, lenient=True) for side in sides(expression)]
    except ExprgradError:
        return []
    names = dict.fromkeys(name for side in read for name in side.variables)
    return _left(incomplete, names, ending)


def _left(incomplete: str, names: Iterable[str], ending: str) -> list[str]:
    """The names that are not in a list yet, behind what stands there."""
    before, comma, start = incomplete.rpartition(",")
    given = {part.partition("=")[0].strip() for part in before.split(",")}
    left = [n for n in names if n not in given and n.startswith(start)]
    return [f"{before}{comma}{name}{ending}" for name in left]
