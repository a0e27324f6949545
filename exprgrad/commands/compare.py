"""`exprgrad compare`: the ways to compute a derivative, side by side."""

from __future__ import annotations

from types import MappingProxyType

from exprgrad.commands import declared as row


class Compare(row.OnExpression):
    """Numeric, symbolic, forward and reverse derivatives against a 50-digit reference."""

    example = 'exprgrad compare "exp(x)/x" --at x=2'
    pages = "comparing"
    values = row.AS_POINT
    in_sessions = MappingProxyType({"times": False})

    at: list[str] = row.AT
    format: str = row.formats("How to write the table.", "table json")
    times: bool = row.flag("Show how long each method took.", "--times/--no-times", default=True)  # fmt: skip
    strict: bool = row.STRICT

    def run(self) -> row.Result:
        """Compare them."""
        from exprgrad.commands.typed import expression_at
        from exprgrad.expressions.comparison import compare
        from exprgrad.views.tables import ComparisonView

        parsed, bindings = expression_at(self.source(), self.at, strict=self.strict)
        return row.Result(ComparisonView(compare(parsed, bindings.exact), self.times))
