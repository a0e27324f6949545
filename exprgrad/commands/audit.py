"""`exprgrad audit`: every claim about a derivative in a document."""

from __future__ import annotations

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.commands import declared as row
from exprgrad.errors import UNDEFINED, WRONG

if TYPE_CHECKING:
    from pathlib import Path


class Audit(row.Command):
    """Find every claim about a derivative in a document, and check it step by step."""

    example = "exprgrad audit notes.tex"
    pages = "latex"

    file: Path = row.argument("The document: .tex, .md or .txt; - reads TeX from standard input.", "FILE", row.PATH, needed=True)  # fmt: skip
    format: str = row.formats(
        "How to write the findings.", "text json junit sarif github"
    )
    quiet: bool = row.flag("Print nothing but what is wrong.", "--quiet", "-q")

    def run(self) -> row.Result:
        """Find them and check them."""
        from exprgrad.commands.arguments import text_of
        from exprgrad.grading import audit
        from exprgrad.views.reports import AuditView

        name = "stdin.tex" if str(self.file) == "-" else str(self.file)
        found = audit.audit(text_of(self.file), name)
        open_ = UNDEFINED if found.count(audit.UNDECIDED) else 0
        code = WRONG if found.count(audit.WRONG) else open_
        return row.Result(AuditView(found, self.quiet), code=code)
