"""The drawing of the house from its imports: `samples/house.svg`, made by the package's own pictures.

An arrow leads from a folder to one that imports from it; none is drawn where the way through others shows it.
"""

from __future__ import annotations

import re
from pathlib import Path

from exprgrad.pictures.graph import OPERATION, RESULT, Edge, Graph, Node, graph_svg

PACKAGE = Path(__file__).resolve().parent.parent / "exprgrad"
IMPORT = re.compile(r"^ *from exprgrad(?:\.(\w+))?[\w.]* import (\w+)", re.MULTILINE)
HOUSE = PACKAGE.parent / "samples" / "house.svg"


def folders() -> dict[str, list[Path]]:
    """The modules of each folder."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE).parts
        if len(inside) > 1 and path.name != "__init__.py":
            found.setdefault(inside[0], []).append(path)
    return found


def uses(paths: list[Path]) -> set[str]:
    """The folders from which modules import, in functions and for types as well."""
    found = set()
    for path in paths:
        for folder, name in IMPORT.findall(path.read_text(encoding="utf-8")):
            found.add(folder or name)
    return found


def house() -> Graph:
    """The folders as a graph: those that a folder uses stand before it."""
    modules = folders()
    below = {name: uses(paths) & set(modules) - {name} for name, paths in modules.items()}  # fmt: skip
    order: list[str] = []
    while len(order) < len(below):
        order += [n for n in below if n not in order and below[n] <= set(order)]
    reached: dict[str, set[str]] = {}
    edges = []
    for name in order:
        through = set().union(*(reached[n] for n in below[name]), set())
        edges += [Edge(n, name, None, None) for n in order if n in below[name] - through]  # fmt: skip
        reached[name] = below[name] | through
    nodes = tuple(
        Node(name, name, name, None, None, RESULT if name == order[-1] else OPERATION)
        for name in order
    )  # fmt: skip
    return Graph("The folders of exprgrad", {}, nodes, tuple(edges), 0, 0)


def drawing() -> str:
    """The picture as SVG."""
    return graph_svg(house()) + "\n"
