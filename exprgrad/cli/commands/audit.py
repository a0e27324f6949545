"""`exprgrad audit`: every claim about a derivative in a document."""

from __future__ import annotations

from exprgrad.cli.declared import Annotated, Argument, Literal, Option, Path
from exprgrad.errors import UNDEFINED, WRONG

Document = Annotated[
    Path,
    Argument(
        metavar="FILE",
        help="The document: .tex, .md or .txt; - reads TeX from standard input.",
    ),
]
FormatOption = Annotated[
    Literal["text", "json", "junit", "sarif"],
    Option("--format", help="How to write the findings."),
]
Quiet = Annotated[
    bool, Option("--quiet", "-q", help="Print nothing but what is wrong.")
]


def audit_command(
    file: Document, format_: FormatOption = "text", quiet: Quiet = False
) -> int:
    """Find every claim about a derivative in a document, and check it step by step."""
    from exprgrad.cli.arguments import source_of
    from exprgrad.grading.audit import UNDECIDED, audit
    from exprgrad.grading.audit import WRONG as WRONG_CLAIM
    from exprgrad.views.formats import write
    from exprgrad.views.verdicts.audit import AuditView

    stdin = str(file) == "-"
    text = source_of("-", None) if stdin else source_of(None, file)
    found = audit(text, "stdin.tex" if stdin else str(file))
    write(AuditView(found, quiet), format_)
    if found.count(WRONG_CLAIM):
        return WRONG
    return UNDEFINED if found.count(UNDECIDED) else 0
