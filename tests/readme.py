"""The generated parts of the README: outputs of its commands and sessions, and the operation table.

`python tests/readme.py` writes them, and the pictures; `test_readme.py` checks that they are fresh.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
_CONSOLE = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.DOTALL)
_TABLE = re.compile(
    r"(?<=<!-- operations: begin -->\n)(.*?)(?=<!-- operations: end -->)", re.DOTALL
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
    """The README with every generated part made anew."""
    from exprgrad.views.formats import markdown_lines
    from exprgrad.views.operations import operation_table
    from tests.pictures import plain

    def console(match: re.Match[str]) -> str:
        typed = [line[2:] for line in match.group().splitlines() if line[:2] == "> "]
        if typed:
            return f"$ exprgrad\n{plain(typed)}"
        commands = [
            line for line in match.group().splitlines() if line.startswith("$ ")
        ]
        return "".join(f"{command}\n{output_of(command[2:])}" for command in commands)

    table = "".join(f"{line}\n" for line in markdown_lines(operation_table(code=True)))
    return _TABLE.sub(lambda _: table, _CONSOLE.sub(console, text))


if __name__ == "__main__":
    import sys

    sys.path.insert(0, str(README.parent))
    from tests.pictures import write

    write()
    README.write_text(refreshed(README.read_text(encoding="utf-8")), encoding="utf-8")
