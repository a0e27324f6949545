"""How commands declare their arguments and options: once, for Typer and for the way past it.

    Digits = Annotated[int, Option(min=1, max=17, help="Significant digits.")]

    def show_command(expression: Expr = None, digits: Digits = 10) -> int: ...

`for_typer(show_command)` has Typer's annotations. `read(show_command, ["x^2", "--digits", "4"])` gives the arguments
of the call without Typer, whose import takes longer than a plain command; None for what only Typer can answer: help,
and whatever does not fit.
"""

from __future__ import annotations

from exprgrad.annotations import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FunctionType as Command
    from typing import Annotated, Literal

    from typer import Argument, Option
else:

    class Argument:
        """An argument, with what Typer has to know of it."""

        is_option = False

        def __init__(self, *names, **facts):
            self.names, self.facts = names, facts

    class Option(Argument):
        """An option, whose names follow from that of its parameter unless they are given."""

        is_option = True

    class Annotated:
        """A parameter: the kind of its value, and how it is declared."""

        def __init__(self, kind, how):
            self.kind, self.how = kind, how

        def __class_getitem__(cls, parts):
            return cls(*parts)

    class Literal:
        """A choice of words, perhaps of none."""

        def __init__(self, words, optional=False):
            self.words, self.optional = words, optional

        def __class_getitem__(cls, words):
            return cls(words if isinstance(words, tuple) else (words,))

        def __or__(self, none):
            return type(self)(self.words, optional=True)

    class Path:
        """Stands for `pathlib.Path`, which is imported where there is one."""


__all__ = ["Annotated", "Argument", "Literal", "Option", "Path", "for_typer", "read"]

_READ = {"min", "max", "metavar", "help", "autocompletion", "show_default"}
"""What an option may say of itself that is read without Typer."""


def _parameters(function: Command) -> Iterator[tuple[str, Any]]:
    """The parameters of a command, each with what it is declared as."""
    for name, text in function.__annotations__.items():
        if name != "return":
            own = function.__globals__
            # An annotation as it stands in the package's own commands, as `typing.get_type_hints` reads it; never
            # a text that a user gives.
            yield name, own[text] if text in own else eval(text, own)


def for_typer(function: Command) -> Command:
    """The command with the annotations that Typer reads."""
    import typing
    from types import FunctionType

    import typer

    hints: dict[str, Any] = {"return": int}
    for name, declared in _parameters(function):
        if not hasattr(declared, "how"):  # declared in Typer's own terms
            hints[name] = declared
            continue
        made = typer.Option if declared.how.is_option else typer.Argument
        how = made(*declared.how.names, **declared.how.facts)
        hints[name] = typing.Annotated[_kind(declared.kind), how]
    own = FunctionType(
        function.__code__, function.__globals__, argdefs=function.__defaults__
    )
    own.__doc__, own.__annotations__ = function.__doc__, hints
    return own


def _kind(kind: Any) -> Any:
    """The kind of a value, in Python's own terms."""
    import pathlib
    import typing

    words = getattr(kind, "words", None)
    if words is not None:
        choice: Any = typing.Literal.__getitem__(words)
        return choice | None if kind.optional else choice
    if kind is Path:
        return pathlib.Path
    return pathlib.Path | None if kind == Path | None else kind


def read(function: Command, argv: list[str]) -> dict[str, Any] | None:
    """The arguments for a command; None if Typer has to read them."""
    options: dict[str, tuple[str, Any]] = {}
    places: list[tuple[str, Any]] = []
    for name, declared in _parameters(function):
        if not hasattr(declared, "how") or not declared.how.facts.keys() <= _READ:
            return None
        if not declared.how.is_option:
            places.append((name, declared))
            continue
        for option in declared.how.names or (f"--{name.replace('_', '-')}",):
            options[option] = name, declared
    found: dict[str, Any] = {}
    rest = iter(argv)
    for argument in rest:
        if argument[:1] != "-" or argument == "-":
            if not places or places[0][1].kind == (list[str] | None):
                return None
            name, declared = places.pop(0)
            value = _value(declared, argument)
        else:
            if argument not in options:
                return None
            name, declared = options[argument]
            text = "" if declared.kind is bool else next(rest, "-")
            value = None if text[:1] == "-" else _value(declared, text)
        if value is None or (name in found and not isinstance(value, list)):
            return None
        found[name] = (
            [*found.get(name, ()), *value] if isinstance(value, list) else value
        )
    optional = len(function.__defaults__ or ())
    needed = [*function.__annotations__][: function.__code__.co_argcount - optional]
    return found if found.keys() >= {*needed} else None


def _value(declared: Any, text: str) -> Any:
    """The value of an option or argument; None if it does not fit."""
    kind, facts = declared.kind, declared.how.facts
    if kind is bool:
        return True
    if kind in (str, str | None):
        return text
    if kind == (list[str] | None):
        return [text]
    if hasattr(kind, "words"):
        return text if text in kind.words else None
    if kind in (int, int | None):
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            return None
        number, least, most = int(text), facts.get("min", 0), facts.get("max")
        return number if least <= number and (most is None or number <= most) else None
    if kind in (Path, Path | None):
        from pathlib import Path as OwnPath

        return OwnPath(text)
    return None
