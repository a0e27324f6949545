"""The plain form of `exprgrad eval`, read without Typer: importing that takes most of a short command.

What is not plain (other options, values that do not fit, help) is left to Typer, which then says what
is wrong.
"""

from __future__ import annotations

from typing import Any, get_args

from exprgrad.cli.evaluating import Format, Sweeps

_OPTIONS = {
    "--at": "at", "--wrt": "wrt", "--format": "format_", "--digits": "digits", "--trace": "trace",
}  # fmt: skip


def options(argv: list[str]) -> dict[str, Any] | None:
    """The arguments for `evaluate`; None if Typer has to read them."""
    found: dict[str, Any] = {}
    rest = iter(argv[1:])
    for argument in rest:
        name = _OPTIONS.get(argument)
        if name is None:
            if argument.startswith("-") or "expression" in found:
                return None
            found["expression"] = argument
            continue
        value = _value(name, next(rest, "-"))
        if value is None or (name in found and not isinstance(value, list)):
            return None
        found[name] = found.get(name, []) + value if isinstance(value, list) else value
    return found if argv[:1] == ["eval"] and "expression" in found else None


def plain(argv: list[str]) -> str | None:
    """The expression, if that is all there is and its derivatives are asked for; None if there is more."""
    whole = len(argv) == 2 and argv[0] == "diff" and not argv[1].startswith("-")
    return None if not whole or argv[1].lstrip().startswith("[") else argv[1].strip()


def _value(name: str, text: str) -> Any:
    """The value of an option; None if it does not fit."""
    if text.startswith("-"):
        return None
    if name in ("at", "wrt"):
        return [text]
    if name == "digits":
        fits = (
            text.isascii() and text.isdigit() and len(text) < 3 and 1 <= int(text) <= 17
        )
        return int(text) if fits else None
    choices = get_args(Format if name == "format_" else Sweeps)
    return text if text in choices else None
