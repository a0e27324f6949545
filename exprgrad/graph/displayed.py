"""The display of results in notebooks: by views and pictures, which stand above this folder.

    @displayed
    class Verdict(NamedTuple): ...

The modules there are found by name when a notebook asks, as the package finds its own names.
"""

from __future__ import annotations

from exprgrad.annotations import Any


def above(name: str) -> Any:
    """Return the module of that name, `pictures.graph`, of a folder that stands above the caller's."""
    from importlib import import_module

    return import_module(f"exprgrad.{name}")


def displayed(kind: Any) -> Any:
    """A class with the methods by which notebooks ask for HTML, LaTeX and SVG; each gives None for what it has not."""
    for form in ("html", "latex", "svg"):
        setattr(kind, f"_repr_{form}_", _method(form))
    return kind


def _method(form: str) -> Any:
    def shown(self: Any) -> str | None:
        found: str | None = getattr(above("views.notebook"), form)(self)
        return found

    shown.__name__ = f"_repr_{form}_"
    shown.__doc__ = f"The result as {form.upper()}, for notebooks."
    return shown
