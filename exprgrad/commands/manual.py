"""`exprgrad help`: a page of the manual, on a terminal through the pager; `exprgrad ops`: the operations with their rules.

`exprgrad help COMMAND` is `exprgrad COMMAND --help`; routing sees to that.
"""

from __future__ import annotations

from exprgrad.annotations import Any
from exprgrad.commands import declared as row
from exprgrad.commands.declared import COMMANDS
from exprgrad.commands.pages import CONTENTS, beside, entitled, mentioning, page, topics
from exprgrad.commands.signals import raising
from exprgrad.errors import UsageError
from exprgrad.language.notes import shorten
from exprgrad.operations.operation import function_names
from exprgrad.operations.vocabulary import did_you_mean
from exprgrad.views.formats import write
from exprgrad.views.output import emit, emit_lines
from exprgrad.views.tables import OperationsView, called

MORE = "exprgrad ops NAME shows more of one: its real domain, its other names"


class Ops(row.Command):
    """List the operations with their derivative rules."""

    example = "exprgrad ops tanh"
    pages = "operations, adding"
    operations = seconds = None

    name: str | None = row.argument("The operation to show in full.", "[NAME]", completes="operations")  # fmt: skip
    format: str = row.formats("How to write the table.", "table json")

    def run(self) -> row.Result:
        """Show them, or one."""
        if self.name is not None and not called(self.name):
            names, every = function_names(), "all of them: exprgrad ops"
            hint = did_you_mean(self.name, names, every)
            raise UsageError(f"no operation is called {self.name}", hint=hint)
        return row.Result(OperationsView(self.name, MORE))


class Help(row.Command):
    """Show a page of the manual, or explain a command."""

    example = "exprgrad help checking"
    outside = "`:help TOPIC` shows the same pages here"
    operations = seconds = None

    topic: list[str] = row.argument("A page of the manual, a command or an operation.", "[TOPIC]", list, completes="topics")  # fmt: skip
    format: str = row.choice("How to write the page.", "text markdown html", "text")
    schema: bool = row.flag("Print the JSON Schema of what --format json prints.")

    man: bool = row.flag("Print the reference of all commands as a page for `man`.")

    def main(self) -> int:
        """Find the page and show it."""
        if self.schema:
            emit(beside("schema.json").rstrip())
            return 0
        if self.man:
            from exprgrad.commands.help import man_page

            emit_lines(man_page())
            return 0

        name = " ".join(self.topic).strip() or CONTENTS
        view: Any = page(name)
        if view is None:
            # an operation before a title: help sum is about the operation
            view = OperationsView(name, MORE) if called(name) else entitled(name)
        if view is None:
            raise _unknown(name)
        if self.format != "text" or isinstance(view, OperationsView):
            write(view, self.format)
            return 0
        from exprgrad.views.pages import show_paged

        # Ctrl-C is for the pager while it shows the page
        with raising():
            show_paged(view.blocks())
        return 0


def _unknown(name: str) -> UsageError:
    known = [*topics(), CONTENTS, *COMMANDS, *function_names()]
    found = mentioning(name)
    hint = "the topics: exprgrad help"
    if found:
        hint = f"it is mentioned in {', '.join(found)}: exprgrad help {found[0]}"
    return UsageError(
        f"there is no topic {shorten(name, 60)}", hint=did_you_mean(name, known, hint)
    )
