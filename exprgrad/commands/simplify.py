"""`exprgrad simplify`: any expression in fewer symbols."""

from __future__ import annotations

from exprgrad.commands import declared as row


class Simplify(row.OnExpression):
    """The same expression in fewer symbols, with what the rewriting assumes."""

    example = 'exprgrad simplify "(x^2 - 1)/(x - 1)"'
    pages = "derivatives"

    form: str = row.choice("The shortest form, a product, or multiplied out.", row.FORM, "short")  # fmt: skip
    format: str = row.formats("How to write formulas.", "text json")
    strict: bool = row.STRICT
    notation: str = row.NOTATION

    def run(self) -> row.Result:
        """Rewrite it."""
        from exprgrad.commands.typed import differentiated, question
        from exprgrad.views.formulas import SimplifiedView

        parsed = differentiated(*question(self.source(), set(), self.strict))
        found = parsed.simplify(self.form)
        return row.Result(SimplifiedView(parsed, found, self.form, self.notation))
