"""`exprgrad walk`: both sweeps, one step at a time."""

from __future__ import annotations

import sys

from exprgrad.commands import declared as row


class Walk(row.OnExpression):
    """Both sweeps at a point, one step at a time on a terminal."""

    example = 'exprgrad walk "x*sin(x)" --at x=2'
    pages = "traces"

    at: list[str] = row.AT
    strict: bool = row.STRICT

    def run(self) -> int:
        """Show each step; on a terminal, behind Enter."""
        from exprgrad.commands.typed import expression_at
        from exprgrad.session.inquiries import walked
        from exprgrad.session.screen import Screen
        from exprgrad.session.session import Session

        parsed, bindings = expression_at(self.source(), self.at, (), self.strict)
        parsed.refuse_arrays(bindings.exact)
        session = Session()
        first = walked(session, parsed.evaluate(bindings.exact))
        screen = Screen(session)
        code = screen.show(first)
        waits = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        while session.walk.steps:
            key = sys.stdin.readline().strip() if waits else ""
            for step in session.walk.press(key):
                screen.show(step)
        return code
