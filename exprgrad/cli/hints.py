"""What would help, in the terms of the command line: options and commands of the program."""

from __future__ import annotations

from exprgrad.errors import ExprgradError, Words, worded

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
    "fewer_points": lambda: "take fewer steps, or use exprgrad batch",
    "fix": lambda name, value: f"--at {name}={value:g}",
    "give_start": lambda name: f"give it a start: --start {name}=1",
    "give_value": lambda names, product=None: (
        f"add --at {','.join(f'{name}=...' for name in names)}"
        + (f"; or did you mean {product}?" if product else "")
    ),
    "gradient_at_point": lambda: "exprgrad eval gives the gradient at a point",
    "one_process": lambda: "try again with --jobs 1",
    "one_source": lambda name: (
        f"leave out one of them: --map {name}=... chooses another column"
    ),
    "order_at_point": lambda: "exprgrad eval --order gives its value at a point",
    "product_or_gradient": lambda: (
        "write * for a product; of arrays, exprgrad eval gives the gradient at a point"
    ),
    "product_then_variable": lambda product: (
        f"did you mean {product}? Then name the variable: --wrt x"
    ),
    "reverse_mode": lambda: "exprgrad eval, or minimize",
    "smaller_steps": lambda: "a smaller --rate, another start, or --bounds",
    "subgradient": lambda: "--subgradient takes PyTorch's convention",
    "text_instead": lambda: "--format text",
}

ALL_ROWS = ": --rows 0 shows all"
"""What follows the number of rows that a table leaves out."""

WHOLE_READING = "; --format json shows it"
"""What follows a remark on a reading that is too long to be shown."""


def report(error: ExprgradError) -> None:
    """Print a diagnostic on standard error."""
    from exprgrad.views.diagnostic import report as drawn

    error.hint = worded(error.hint, ON_COMMAND_LINE)
    drawn(error)
