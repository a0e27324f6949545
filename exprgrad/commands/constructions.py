"""`exprgrad tangent`, `taylor` and `critical`: what touches a function, and where it is flat."""

from __future__ import annotations

from exprgrad.annotations import Any
from exprgrad.commands import declared as row
from exprgrad.language.leibniz import MOST_ORDERS

FORMAT = row.formats("How to write the answer.", "text json")
WRT = row.text("The variables.", "x", completes="variables")


class Tangent(row.OnExpression):
    """The tangent to a graph or a curve, or the tangent plane, step by step; also the normal."""

    example = 'exprgrad tangent "x^2" --at x=3'
    pages = "derivatives"

    at: list[str] = row.AT
    of: str | None = row.OF
    parameter: str | None = row.text("The parameter of a curve (x, y).", "t")
    normal: bool = row.flag("The line at right angles instead.")
    format: str = FORMAT

    def run(self) -> row.Result:
        """Find the line."""
        from exprgrad.checking.kinds.worked import normal, tangent
        from exprgrad.views.verdicts import WorkedView

        options = {"at": self.at, "of": self.of, "parameter": self.parameter}
        find = normal if self.normal else tangent
        return row.Result(WorkedView(find(asked(self.source(), None, **options))))


class Taylor(row.OnExpression):
    """The Taylor polynomial of an expression, at 0 or another point, step by step."""

    example = 'exprgrad taylor "sin(x)" --order 5'
    pages = "derivatives"

    order: int = row.whole("The order of the polynomial.", 3, least=0, most=MOST_ORDERS)
    at: list[str] = row.AT
    wrt: str | None = WRT
    format: str = FORMAT

    def run(self) -> row.Result:
        """Find the polynomial."""
        from exprgrad.checking.kinds.worked import taylor
        from exprgrad.views.verdicts import WorkedView

        request = asked(self.source(), self.wrt, at=self.at, order=self.order)
        return row.Result(WorkedView(taylor(request)))


class Critical(row.OnExpression):
    """Where all slopes of an expression are 0, with the kind of each point."""

    example = 'exprgrad critical "x^3 - 3x"'
    pages = "derivatives"

    wrt: str | None = WRT
    format: str = FORMAT

    def run(self) -> row.Result:
        """Find the points."""
        from exprgrad.checking.kinds.worked import critical
        from exprgrad.views.verdicts import WorkedView

        return row.Result(WorkedView(critical(asked(self.source(), self.wrt))[0]))


def asked(source: str, wrt: str | None, **options: Any) -> Any:
    """The question that the options ask about a text."""
    from exprgrad.checking.kinds import worked
    from exprgrad.commands.typed import text_in
    from exprgrad.data.bindings import Bindings

    source, point = text_in(source)
    values = [*options.pop("at", ()), *([point] if point else [])]
    if values:
        options["at"] = Bindings(values, "--at").exact
    names = tuple(name for name in (wrt or "").replace(" ", "").split(",") if name)
    return worked.asked(source, wrt=names, **options)
