"""What the commands that search for a minimum, `minimize` and `fit`, share."""

from __future__ import annotations

from exprgrad.annotations import Any
from exprgrad.commands import declared as row
from exprgrad.errors import BindingError, UsageError


class Descending(row.Command):
    """A command that searches for a minimum."""

    start: list[str] = row.texts("Where the variables start; required.", "a=1,b=2", completes="values")  # fmt: skip
    rate: float = row.decimal("The learning rate of the first four.", 0.01)
    schedule: str | None = row.text(
        "What the rate is multiplied by: linear, cosine, exponential, inverse, "
        "or an expression in the step t and the number of steps T."
    )
    steps: int = row.whole("Stop after so many steps.", 10_000, least=0)
    tolerance: float = row.decimal(
        "The gradient norm that counts as 0; relative to the largest partials, where these are less than 1.",
        1e-8, least=0.0,
    )  # fmt: skip
    momentum: float = row.decimal("How much of the velocity a step keeps.", 0.9)
    bounds: list[str] = row.texts("Least and greatest values.", "a=0:1,b=0:")
    format: str = row.formats("How to write the result.", "table json")

    def options(self) -> dict[str, Any]:
        """How to descend."""
        return {
            "bounds": bounds_of(self.bounds), "rate": self.rate, "schedule": self.schedule,
            "steps": self.steps, "tolerance": self.tolerance, "momentum": self.momentum,
        }  # fmt: skip


def bounds_of(texts: list[str]) -> dict[str, tuple[float | None, float | None]]:
    """Bounds such as `a=0:1, b=0:` as pairs by name."""
    found = {}
    for part in [p for own in texts for p in own.split(",")]:
        name, equals, limits = part.partition("=")
        low, colon, high = limits.partition(":")
        if not (name.strip() and equals and colon):
            raise UsageError(
                f"a bound is written name=least:greatest, not {part.strip()!r}",
                hint="--bounds a=0:1,b=0:",
            )
        if name.strip() in found:
            raise UsageError(f"{name.strip()} has bounds twice", hint="give them once")
        found[name.strip()] = (_limit(low), _limit(high))
    return found


def _limit(text: str) -> float | None:
    from exprgrad.expressions.expression import parse

    if not text.strip():
        return None
    parsed = parse(text)
    if parsed.variables:
        raise BindingError(
            f"a bound is a number, not {text.strip()}", hint="--bounds a=0:1"
        )
    return parsed()
