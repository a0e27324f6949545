"""Options of the commands that search for a minimum, `minimize` and `fit`."""

from __future__ import annotations

from exprgrad.cli import completing
from exprgrad.cli.declared import Annotated, Option
from exprgrad.errors import BindingError, UsageError

Tolerance = Annotated[
    float,
    Option(
        min=0.0,
        help="The gradient norm that counts as 0; relative to the largest partials, where these are less than 1.",
    ),
]
Start = Annotated[
    list[str] | None,
    Option(
        metavar="a=1,b=2",
        help="Where the variables start; required.",
        autocompletion=completing.values,
    ),
]
Rate = Annotated[float, Option(help="The learning rate of the first four.")]
Schedule = Annotated[
    str | None,
    Option(
        help="What the rate is multiplied by: linear, cosine, exponential, inverse, "
        "or an expression in the step t and the number of steps T."
    ),
]
MostSteps = Annotated[int, Option(min=0, help="Stop after so many steps.")]
Momentum = Annotated[float, Option(help="How much of the velocity a step keeps.")]
Bounds = Annotated[
    list[str] | None,
    Option(metavar="a=0:1,b=0:", help="Least and greatest values."),
]


def bounds_of(texts: list[str]) -> dict[str, tuple[float | None, float | None]]:
    """Bounds such as `a=0:1, b=0:` as pairs by name."""
    found = {}
    for part in [p for text in texts for p in text.split(",")]:
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
