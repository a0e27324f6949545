"""An answer with the steps that lead to it."""

from __future__ import annotations

from typing import Any

from exprgrad.checking.worked import Worked
from exprgrad.views.blocks import Block, Lines, Wrapped


class WorkedView:
    """Steps, the result below them, and remarks."""

    def __init__(self, found: Worked, steps: bool = True) -> None:
        self.found, self.steps = found, steps

    def text(self) -> list[Block]:
        """The steps, and below them the result, whose lines can be copied whole."""
        found = self.found
        steps = found.steps if self.steps else ()
        notes = (f"note: {note}" for note in found.notes)
        said = (*notes, *steps)
        result = Lines(tuple(found.result.splitlines()))
        return [Wrapped(said), result] if said else [result]

    def json(self) -> dict[str, Any]:
        """The fields."""
        found = self.found
        return {
            "title": found.title,
            "result": found.result,
            "steps": list(found.steps),
            "notes": list(found.notes),
            **found.more,
        }
