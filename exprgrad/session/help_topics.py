"""What `:help` says about the session language: for each topic, examples and their meanings."""

from __future__ import annotations

TOPICS: dict[str, tuple[tuple[str, str], ...]] = {
    "expressions": (
        ("2x sin x, x^2, √x, |x|, 5!, sqrt(x)", "as on paper; :ops lists the operations"),
        ("x^2*y", "without values: its derivatives as formulas"),
        ("x^2*y at x=1, y=2", "at a point: its value and its gradient"),
        ("d/dx (x^2 sin x), ∂/∂y (x*y)", "a derivative, in any expression"),
    ),
    "names": (
        ("a = 2; b = pi/4", "values; a line may hold several statements"),
        ("c = a^2 + b", "a formula: c follows a and b, and derivatives pass through it"),
        ("a = 5", "a new value: c changes with it"),
        (":vars, :del a", "list and remove"),
    ),
    "functions": (
        ("f(x, y) = x^2*y", "a function"),
        ("f(2, 3), f(a, b + 1)", "its values"),
        ("f'(3), f''(x)", "derivatives of a function of one variable"),
        ("∂f/∂x (1, 2), df/dx", "of several variables; ∂²f/∂x∂y for mixed ones"),
        ("grad f at x=1, y=2", "all partial derivatives; f alone stands for f(x, y)"),
        ("y = x^3, then dy/dx or y'", "the same for a formula"),
    ),
    "ans": (
        ("ans, _", "the last result, as a formula: derivatives pass through it"),
        ("* 2, + x, ^2",
         "a line that begins with + * / or ^ continues from it; one with - does not, since -x stands alone"),
    ),
    "lines": (
        (";", "ends a statement and hides its result"),
        ("#", "a comment"),
        ("( at the end", "a statement continues while a bracket is open; an empty line ends it"),
    ),
    "keys": (
        ("Tab", "completes names, operations, commands and files; \\pi Tab is π, \\theta Tab is θ"),
        ("Up, Ctrl-R", "earlier lines; the history is kept from one session to the next"),
        ("Ctrl-C", "clears the line, or stops a computation"),
        ("Ctrl-D", "leaves"),
    ),
}  # fmt: skip

BANNER = (
    "Type an expression, such as x^2 sin x.",
    ":help lists the commands, Ctrl-D leaves.",
)
"""What stands above the first prompt."""
