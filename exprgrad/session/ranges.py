"""Values at many points, in the notation of points: `x^2*a at x=0:2:9`.

What is not given after `at` has its value in the session.
"""

from __future__ import annotations

from exprgrad.commands.declared import Result
from exprgrad.data.grid import Grid, rows
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.patterns import pattern
from exprgrad.session.entries import Entry
from exprgrad.session.workspace import EXPRESSIONS, Workspace
from exprgrad.views.tables import GridView

POINTS = 40
"""Points of a range that are shown."""

_AT = pattern(r"\sat\s(?=[^:]*=)")


def read(session: Workspace, entry: Entry) -> Result | None:
    """The values at all points of a range; None for a statement without one."""
    text = entry.text
    places = list(_AT.finditer(text)) if ":" in text else []
    if not places or ":" not in text[places[-1].end() :]:
        return None
    start, end = places[-1].span()
    statement = session.read(text[:start])
    if statement.kind not in EXPRESSIONS:
        return None
    expression = Expression(statement.reading, session.scope.definitions)
    expression.titled = statement.title
    try:
        grid = Grid([" " * end + text[end:]])
        grid.check(expression)
        own = session.point(expression)
        fixed = {name: value for name, value in own.items() if name not in grid.names}
        wanted = [name for name in expression.variables if name in grid.names]
        found = rows(expression, grid, wanted, digits=session.settings.digits, fixed=fixed)  # fmt: skip
    except ExprgradError as error:
        error.source = text if error.source is not None else None
        raise
    view = GridView(
        expression, tuple(grid.ranges), wanted, found, session.settings.digits, POINTS
    )
    return Result(view, errors=view.problems[:1])
