"""What the package says, in the words of the oracle."""

from __future__ import annotations

from exprgrad.expressions.expression import parse
from exprgrad.proof.identity import vanishes
from exprgrad.sweeps import bounds
from exprgrad.sweeps.bounds import Bounds, Known
from exprgrad.sweeps.coordinates import Coordinate
from tests.oracle.judge import CORNER, UNDECIDED, Number


def coordinates(at: dict[str, str]) -> dict[str, Coordinate]:
    """A point as it is typed."""
    return {
        name: Coordinate.of(parse(_typed(given)).root) for name, given in at.items()
    }


def _typed(given: str) -> str:
    """A multiple of pi with its sign of multiplication."""
    return (
        f"{given.removesuffix('pi').strip() or '1'}*pi"
        if given.endswith("pi")
        else given
    )


def by_bounds(source: str, at: dict[str, str]) -> tuple[Number, dict[str, Number]]:
    """The answer of `sweeps.bounds`, which leaves corners to germs."""
    tape = parse(source, variables=tuple(at)).tape
    found = Bounds(tape).answer(coordinates(at), zero=vanishes)
    return _number(found.value), {n: _number(p) for n, p in found.partials.items()}


def _number(known: Known) -> Number:
    why = {bounds.UNDECIDED: UNDECIDED, bounds.CORNER: CORNER}.get(known.status, "")
    return Number(known.value, known.error, why, known.decimal(20))
