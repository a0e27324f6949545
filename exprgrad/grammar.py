"""The grammar files, and the parse tables made from them.

`grammars/expression.lark` is the one source of the language, `homework.lark` that of a line of a homework
sheet; `session.lark` adds statements to the language. `tables.py` and `session_tables.py` hold what Lark
makes of them, so that a start need not import Lark; when a grammar has been edited since, its tables are
made anew in memory. `python -m exprgrad.grammar` writes them to the files.
"""

from __future__ import annotations

import functools
import re
import zlib
from importlib import import_module
from pathlib import Path

from exprgrad import lalr

_PACKAGE = Path(__file__).resolve().parent

NAMES = ("expression", "homework")
"""The grammars that stand for themselves; their tables are in `tables.py`."""

SESSION = "session"
"""The grammar that is read behind that of expressions; its tables are in a module of their own."""


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
    grammar = f"{text()}\n{text(name)}" if name == SESSION else text(name)
    try:
        shipped = import_module(f"exprgrad.{_module(name)}")
        fields = shipped.TABLES[name]
        if zlib.crc32(grammar.encode()) == fields[0]:
            return lalr.Tables(*fields)
    except ImportError:
        pass
    return lalr.build(grammar, _START.get(name, "start"))


_START = {SESSION: "statement"}


def _module(name: str) -> str:
    return "session_tables" if name == SESSION else "tables"


@functools.cache
def scanner(name: str = "expression") -> re.Pattern[str]:
    """One pattern for all terminals, a named group each; UNKNOWN is any other character."""
    t = tables(name)
    groups = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in t.terminals)
    return re.compile(f"{t.ignored}|{groups}|(?P<UNKNOWN>.)", re.DOTALL)


def write() -> None:
    """Write `tables.py` and `session_tables.py`, next to this file."""
    _write("tables", {name: lalr.build(text(name)) for name in NAMES})
    session = lalr.build(f"{text()}\n{text(SESSION)}", _START[SESSION])
    _write("session_tables", {SESSION: session})


def _write(module: str, made: dict[str, lalr.Tables]) -> None:
    parts = []
    for name, tables in made.items():
        rows = "".join(f"        {field!r},\n" for field in tables)
        parts.append(f"    {name!r}: (\n{rows}    ),\n")
    header = '"""Parse tables, written by `python -m exprgrad.grammar`; not for editing."""\n\n'
    path = _PACKAGE / f"{module}.py"
    path.write_text(f"{header}TABLES = {{\n{''.join(parts)}}}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
