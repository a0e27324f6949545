"""The grammar files, and the parse tables made from them.

`grammars/expression.lark` is the one source of the language, `grammars/homework.lark` that of a line
of a homework sheet. `tables.py` holds what Lark makes of them, so that a start need not import Lark;
when a grammar has been edited since, its tables are made anew in memory. `python -m exprgrad.grammar`
writes them to the file.
"""

from __future__ import annotations

import functools
import re
import zlib
from pathlib import Path

from exprgrad import lalr

_PACKAGE = Path(__file__).resolve().parent

NAMES = ("expression", "homework")


def text(name: str = "expression") -> str:
    """A grammar of the distribution: inside an installed package, or beside it in a checkout."""
    for folder in (_PACKAGE / "grammars", _PACKAGE.parent / "grammars"):
        path = folder / f"{name}.lark"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise FileNotFoundError(f"{name}.lark is neither in the package nor beside it")


@functools.cache
def tables(name: str = "expression") -> lalr.Tables:
    """The parse tables of a grammar."""
    grammar = text(name)
    try:
        from exprgrad import tables as shipped

        fields = shipped.TABLES[name]
        if zlib.crc32(grammar.encode()) == fields[0]:
            return lalr.Tables(*fields)
    except ImportError:
        pass
    return lalr.build(grammar)


@functools.cache
def scanner(name: str = "expression") -> re.Pattern[str]:
    """One pattern for all terminals, a named group each; UNKNOWN is any other character."""
    t = tables(name)
    groups = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in t.terminals)
    return re.compile(f"{t.ignored}|{groups}|(?P<UNKNOWN>.)", re.DOTALL)


def write() -> Path:
    """Write `tables.py`, next to this file."""
    parts = []
    for name in NAMES:
        rows = "".join(f"        {field!r},\n" for field in lalr.build(text(name)))
        parts.append(f"    {name!r}: (\n{rows}    ),\n")
    path = _PACKAGE / "tables.py"
    header = '"""Parse tables, written by `python -m exprgrad.grammar`; not for editing."""\n\n'
    path.write_text(f"{header}TABLES = {{\n{''.join(parts)}}}\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    write()
