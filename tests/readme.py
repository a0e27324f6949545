"""The generated parts of the README and the manual: outputs of commands and sessions, and the operation table.

`python tests/readme.py` writes them all, and the pictures; `python tests/readme.py traces limits` those of two
pages. `test_readme.py` checks that they are fresh. In a block marked `console` each line that begins with `$ `
is a command (run at the top of the repository), or each with `> ` the input of a session; what it prints follows.
In a block marked `python` a comment is what `repr` gives for its line.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
MANUAL = README.parent / "exprgrad" / "manual"
PAGES = {path.stem: path for path in sorted(MANUAL.glob("*.md"))} | {"README": README}
"""The README and the pages of the manual by their names."""

_CONSOLE = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.DOTALL)
_TABLE = re.compile(
    r"(?<=begin -->\n)((?:(?!-->).)*?)(?=<!-- (operations|limits|stages): end -->)",
    re.DOTALL,
)


def output_of(command: str) -> str:
    """What a command prints, 80 columns wide: standard output, then standard error."""
    from exprgrad.cli.start import run

    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(README.parent),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        run(shlex.split(command)[1:])
    return out.getvalue() + err.getvalue()


def refreshed(text: str) -> str:
    """A page with every generated part made anew."""
    from exprgrad.budget import LIMITS, STAGES
    from exprgrad.views.blocks import Column, Table
    from exprgrad.views.markdown import table as markdown_lines
    from exprgrad.views.tables import operation_table
    from tests.drawn_sessions import plain

    def console(match: re.Match[str]) -> str:
        typed = [line[2:] for line in match.group().splitlines() if line[:2] == "> "]
        if typed:
            return f"$ exprgrad\n{plain(typed)}"
        commands = [
            line for line in match.group().splitlines() if line.startswith("$ ")
        ]
        return "".join(f"{command}\n{output_of(command[2:])}" for command in commands)

    limits = [(own.of, f"{own.most:,}", own.sentence) for own in LIMITS.values()]
    stages = [(name, f"{usual:,}") for name, usual in STAGES.items()]
    most = Column("at most", number=True)
    tables = {
        "operations": operation_table(code=True),
        "limits": Table("", (Column("of what"), most, Column("what it says of more")), limits),
        "stages": Table("", (Column("stage"), Column("operations", number=True)), stages),
    }  # fmt: skip

    def table(match: re.Match[str]) -> str:
        return "".join(f"{line}\n" for line in markdown_lines(tables[match[2]]))

    return _TABLE.sub(table, _CONSOLE.sub(console, text))


if __name__ == "__main__":
    import sys

    sys.path.insert(0, str(README.parent))
    from tests.drawn_sessions import write
    from tests.house import HOUSE, drawing

    write()
    HOUSE.write_text(drawing(), encoding="utf-8")
    for name in sys.argv[1:] or PAGES:
        page = PAGES[name]
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
