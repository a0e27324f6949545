"""What the commands share: how arguments are prepared and read."""

from __future__ import annotations

import sys
from pathlib import Path

from exprgrad.data import files as inputs
from exprgrad.errors import UsageError

ALONE = {"--trace": ("both", "forward", "reverse"), "--steps": ("full", "brief")}
"""Options that may stand alone, with their values; the first is what they mean then."""

COUNTED = ("minimize", "fit")
"""Commands whose `--steps` is a number."""

FLAGS = (
    "--strict", "--subgradient", "--hessian", "--keep-going", "--version", "--help",
    "--hint", "--solution", "--quiet", *ALONE,
)  # fmt: skip
"""Options behind which no value need follow."""


def normalise(argv: list[str]) -> list[str]:
    """Let an expression begin with a minus sign, and `--trace` and `--steps` stand alone.

    An argument such as `-x^2` would be taken for options; behind a blank, which the language ignores,
    it is not.
    """
    out: list[str] = []
    alone = {
        option: values
        for option, values in ALONE.items()
        if not (option == "--steps" and argv[:1] and argv[0] in COUNTED)
    }
    for i, argument in enumerate(argv):
        if argument == "--":
            return [*out, *argv[i:]]
        before = argv[i - 1] if i else ""
        is_value = before.startswith("--") and "=" not in before and before not in FLAGS
        negative = (
            argument.startswith("-")
            and argument[1:2] != "-"
            and argument not in ("-", "-h")
        )
        out.append(f" {argument}" if negative and not is_value else argument)
        following = argv[i + 1] if i + 1 < len(argv) else ""
        if argument in alone and following not in alone[argument]:
            out.append(alone[argument][0])
    return out


def source_of(expression: str | None, file: Path | None) -> str:
    """The text of the expression: an argument, `-` for standard input, or a file."""
    if (expression is None) == (file is None):
        raise UsageError(
            "give one expression",
            hint='exprgrad eval "x^2" --at x=3, or --file FILE, or -',
        )
    if file is not None:
        return inputs.read(file)
    assert expression is not None
    if expression != "-":
        return (
            expression.removeprefix(" ") if expression.startswith(" -") else expression
        )
    if sys.stdin is None:
        raise UsageError("there is no standard input to read from")
    return inputs.decoded(sys.stdin.buffer.read(inputs.LARGEST), "standard input")


def names(lists: list[str] | None) -> list[str] | None:
    """The names of repeated, comma-separated options; None when there were none."""
    if not lists:
        return None
    return [name for text in lists for name in text.replace(",", " ").split()]
