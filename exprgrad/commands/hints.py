"""Hints in the terms of the command line: options and commands of the program, those of other programs among them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from exprgrad.annotations import Any
from exprgrad.errors import ExprgradError, Words, worded
from exprgrad.views.output import emit_error

OWN_COMMANDS = {
    "taylor": 'exprgrad taylor "sin(x)" --order 5',
    "tangent": 'exprgrad tangent "x^2" --at x=3',
    "minimize": 'exprgrad minimize "(x-1)^2" --start x=0',
    "critical": 'exprgrad critical "x^3 - 3x"',
    "implicit": 'exprgrad diff "x^2 + y^2 = 1" --implicit',
}
"""What to type for what is not asked for within an expression."""

ON_COMMAND_LINE: Words = {
    "argument": lambda name, value, does="": f"--{name} {value}{does}",
    "bounds": lambda name: f"least:greatest, such as --bounds {name}=0:1",
    "choose_variable": lambda name: f"name one: --wrt {name}",
    "column_or_start": lambda columns, name: (
        f"its columns are: {columns}; if it is a parameter, add --start {name}=..."
    ),
    "column_or_value": lambda columns, name: (
        f"its columns are: {columns}; add --map {name}=column or --at {name}=..."
    ),
    "column_taken": lambda: (
        "--prefix puts something before the names of the new columns"
    ),
    "compare_or_give": lambda: "write == to compare; values go into --at x=2",
    "fewer_points": lambda: "take fewer steps, or the command batch",
    "fix": lambda name, value: f"--at {name}={value:g}",
    "give_start": lambda name: f"give it a start: --start {name}=1",
    "give_value": lambda names, product=None: (
        f"add --at {','.join(f'{name}=...' for name in names)}"
        + (f"; or did you mean {product}?" if product else "")
    ),
    "gradient_at_point": lambda: "the command eval gives the gradient at a point",
    "instead": lambda text, command=None, others=(): (
        f"exprgrad {in_shell(text)} does that"
        + "".join(f"\nor exprgrad {in_shell(other)}" for other in others)
        if others
        else f"did you mean: exprgrad {command or in_shell(text)}"
    ),
    "one_process": lambda: "try again with --jobs 1",
    "one_source": lambda name: (
        f"leave out one of them: --map {name}=... chooses another column"
    ),
    "order_at_point": lambda: "eval with --order gives its value at a point",
    "product_or_gradient": lambda: (
        "write * for a product; of arrays, eval gives the gradient at a point"
    ),
    "product_then_variable": lambda product: (
        f"did you mean {product}? Then name the variable: --wrt x"
    ),
    "other_start": lambda: "another start, or --bounds",
    "own_command": lambda name: (
        f"there is a command for it, such as: {OWN_COMMANDS[name]}"
    ),
    "reverse_mode": lambda: "the command eval, or minimize",
    "smaller_steps": lambda: "a smaller --rate, another start, or --bounds",
    "subgradient": lambda: "--subgradient takes PyTorch's convention",
    "text_instead": lambda: "--format text",
    "uncertain": lambda: "the command uncertainty takes uncertain quantities",
    "value_beside": lambda: "values go into --at x=3",
}


def in_shell(text: str) -> str:
    """Return an argument as a shell takes it, in double quotes where that is possible."""
    if text.replace("=", "").replace("-", "").replace(",", "").isalnum():
        return text
    # signs that a shell acts on within double quotes, ! in an interactive one
    if not any(sign in text for sign in '"$`\\!'):
        return f'"{text}"'
    import shlex

    return shlex.quote(text)


ALL_ROWS = ": --rows 0 shows all"
"""What follows the number of rows that a table leaves out."""

WHOLE_READING = "; --format json shows it"
"""What follows a remark on a reading that is too long to be shown."""


class _Diagnostics:
    """The way errors are printed: as text, or gathered for one JSON object on standard error."""

    gathered: list[dict[str, Any]] | None = None
    remarks: Sequence[str] = ()


_diagnostics = _Diagnostics()


def begin(argv: Sequence[str]) -> None:
    """Print errors as the arguments of the program ask for: `--format json` asks for JSON."""
    # before the arguments are read: a mistake in them has to be reported in this form, too
    pairs = itertools.pairwise(argv)
    json = ("--format", "json") in pairs or "--format=json" in argv
    _diagnostics.gathered = [] if json else None
    _diagnostics.remarks = ()


def report(error: ExprgradError) -> None:
    """Print a diagnostic on standard error."""
    from exprgrad.views.diagnostic import fields
    from exprgrad.views.diagnostic import report as drawn

    error.hint = worded(error.hint, ON_COMMAND_LINE)
    if _diagnostics.gathered is None:
        drawn(error)
    else:
        _diagnostics.gathered.append(fields(error))


def remark(text: str) -> None:
    """Print a line on standard error that adds to diagnostics; in JSON it is one of the `remarks`."""
    if _diagnostics.gathered is None:
        emit_error(text)
    else:
        # brackets set a remark off from the diagnostics above it, and JSON has a field for that
        _diagnostics.remarks = (*_diagnostics.remarks, text.strip(" ()"))


def shown(found: Any, format_: str) -> int:
    """Print what a command has found, its diagnostics on standard error; the exit code."""
    from exprgrad.views.formats import write

    if found.views:
        write(found, format_)
    for error in found.errors:
        report(error)
    for text in found.remarks:
        remark(text)
    code: int = found.code
    return code


def finish() -> None:
    """Print the errors that were gathered, as one JSON object: the first, and under `more` the others."""
    found, _diagnostics.gathered = _diagnostics.gathered, None
    if found or _diagnostics.remarks:
        from exprgrad.views.formats import to_json

        # remarks without an error are an object, too, with nothing else in it
        first, *others = found or [{}]
        more: dict[str, Any] = {"more": others} if others else {}
        if _diagnostics.remarks:
            more["remarks"] = _diagnostics.remarks
        emit_error(to_json(first | more))
