"""`exprgrad ops`: the operations with their derivative rules."""

from __future__ import annotations

from exprgrad.commands import declared as row

MORE = "exprgrad ops NAME shows more of one: its real domain, its other names"


class Ops(row.Command):
    """List the operations with their derivative rules."""

    example = "exprgrad ops tanh"
    pages = "operations, adding"
    operations = None

    name: str | None = row.argument("The operation to show in full.", completes="operations")  # fmt: skip
    format: str = row.formats("How to write the table.", "table json")

    def run(self) -> row.Result:
        """Show them, or one."""
        from exprgrad.errors import UsageError
        from exprgrad.operations.operation import function_names
        from exprgrad.operations.vocabulary import did_you_mean
        from exprgrad.views.tables import OperationsView, called

        if self.name is not None and not called(self.name):
            hint = did_you_mean(
                self.name, function_names(), "all of them: exprgrad ops"
            )
            raise UsageError(f"no operation is called {self.name}", hint=hint)
        return row.Result(OperationsView(self.name, MORE))
