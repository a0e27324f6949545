"""`exprgrad walk`: both sweeps, one step at a time."""

from __future__ import annotations

import sys

from exprgrad.commands import declared as row
from exprgrad.commands.eval import Eval


class Walk(row.OnExpression):
    """Both sweeps at a point, one step at a time on a terminal."""

    example = 'exprgrad walk "x*sin(x)" --at x=2'
    pages = "traces"
    values = row.AS_POINT

    at: list[str] = row.AT
    mode: str = Eval.mode
    subgradient: bool = row.SUBGRADIENT
    strict: bool = row.STRICT

    def run(self) -> row.Result:
        """The first step, from where one goes on; all that there is to say of a number."""
        from exprgrad.commands.typed import expression_at
        from exprgrad.views.evaluation import EvaluationView, beside
        from exprgrad.views.trace import walk

        parsed, bindings = expression_at(self.source(), self.at, (), self.strict)
        parsed.refuse_arrays(bindings.exact)
        found = parsed.evaluate(
            bindings.exact, mode=self.mode, subgradient=self.subgradient
        )
        steps = walk(found, 6)
        view = steps[0] if steps else EvaluationView(found, sweeps="both")
        result = row.Result(view, **beside(found))
        result.walk = [*steps]
        return result

    def main(self) -> int:
        """Show each step; on a terminal, behind Enter."""
        from exprgrad.commands.hints import shown

        found = self.answer()
        code, steps, place = shown(found, "text"), found.walk, 0
        waits = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        while place + 1 < len(steps):
            key = sys.stdin.readline().strip() if waits else ""
            if key == "q":
                break
            place = max(place - 1, 0) if key == "b" else place + 1
            shown(row.Result(steps[place]), "text")
        return code
