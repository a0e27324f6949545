"""The grammar file, and the parse tables made from it.

`grammars/expression.lark` is the one source of the language. `tables.py` holds what Lark makes of it,
so that a start need not import Lark; when the grammar has been edited since, the tables are made anew
in memory. `python -m exprgrad.grammar` writes them to the file.
"""

from __future__ import annotations

import functools
import re
import zlib
from pathlib import Path

from exprgrad import lalr

_PACKAGE = Path(__file__).resolve().parent


def text(name: str = "expression") -> str:
    """A grammar of the distribution: inside an installed package, or beside it in a checkout."""
    for folder in (_PACKAGE / "grammars", _PACKAGE.parent / "grammars"):
        path = folder / f"{name}.lark"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise FileNotFoundError(f"{name}.lark is neither in the package nor beside it")


@functools.cache
def tables() -> lalr.Tables:
    """The parse tables of the expression language."""
    grammar = text()
    try:
        from exprgrad import tables as shipped

        if zlib.crc32(grammar.encode()) == shipped.TABLES[0]:
            return lalr.Tables(*shipped.TABLES)
    except ImportError:
        pass
    return lalr.build(grammar)


@functools.cache
def scanner() -> re.Pattern[str]:
    """One pattern for all terminals, a named group each; UNKNOWN is any other character."""
    t = tables()
    groups = "|".join(f"(?P<{name}>{pattern})" for name, pattern in t.terminals)
    return re.compile(f"{t.ignored}|{groups}|(?P<UNKNOWN>.)", re.DOTALL)


def write() -> Path:
    """Write `tables.py`, next to this file."""
    fields = lalr.build(text())
    rows = ",\n".join(f"    {field!r}" for field in fields)
    path = _PACKAGE / "tables.py"
    header = '"""Parse tables, written by `python -m exprgrad.grammar`; not for editing."""\n\n'
    path.write_text(f"{header}TABLES = (\n{rows},\n)\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    write()
