"""An answer with the steps that lead to it."""

from __future__ import annotations

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.kinds.worked import Worked
from exprgrad.views.blocks import Block, Lines, Wrapped


class WorkedView(NamedTuple):
    """Steps, the result below them, and remarks."""

    found: Worked
    steps: bool = True

    def blocks(self) -> list[Block]:
        """The steps, and below them the result, whose lines can be copied whole."""
        found = self.found
        steps = found.steps if self.steps else ()
        notes = (f"note: {note}" for note in found.notes)
        said = (*notes, *steps)
        lines = tuple(found.result.splitlines())
        result: Wrapped | Lines = Wrapped(lines) if found.listed else Lines(lines)
        remarks = tuple(f"note: {remark}" for remark in found.remarks)
        blocks = (Wrapped(said), result, Wrapped(remarks))
        return [block for block in blocks if block.texts]

    def as_dict(self) -> dict[str, Any]:
        """The fields."""
        return self.found.as_dict()
