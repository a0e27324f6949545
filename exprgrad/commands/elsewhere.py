"""Functions of other programs, and the commands that do what they do."""

from __future__ import annotations

import re

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import parse
from exprgrad.language.brackets import closing, parted


def meant_by(name: str, source: str | None) -> list[str] | None:
    """The arguments of the command that does what a function of other programs would: taylor(sin(x), 5) at taylor."""
    called = re.search(r"[A-Za-z_]\w*\s*\(", source or "")
    end = closing(source, called.end() - 1) if source and called else None
    if source is None or called is None or end is None:
        return None
    inside = source[called.end() : end - 1]
    formula, *rest = [inside[a:b].strip() for a, b in parted(inside)]
    last = rest[-1] if rest else ""
    options: list[str] = []
    if name == "taylor" and last.isdigit():
        options = ["--order", last]
    elif name in ("tangent", "minimize"):
        try:
            names = parse(formula, lenient=True).variables
        except ExprgradError:
            return None
        options = ["--start", ",".join(f"{name}=0" for name in names)]
        if name == "tangent":
            at = last if "=" in last else f"{','.join(names)}={last or 1}"
            options = ["--at", at]
        if not names or (name == "tangent" and len(names) > 1):
            return None
    elif name == "implicit":
        if "=" not in formula:
            return None
        name, options = "diff", ["--implicit"]
    return [name, formula, *options]
