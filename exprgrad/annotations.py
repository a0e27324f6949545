"""The part of `typing` that annotations and records need, without the time that importing it takes.

    from exprgrad.annotations import Any, NamedTuple

    class Place(NamedTuple):
        start: int
        end: int = 0

Type checkers see the names of `typing` itself. A program that runs does without it and saves 7 of the 36 ms that a
plain `eval` takes, 11 of the 70 of a `check`: it imports neither `typing` nor `re`, and makes the constructor of a class only
when the first tuple is made, which few of the classes ever are. That of another class with as many fields is compiled
already and takes other names only; `collections.namedtuple` would compile each, and make a class for it.
"""

from __future__ import annotations

__all__ = [
    "TYPE_CHECKING", "Any", "BinaryIO", "NamedTuple", "NoReturn", "Protocol", "SupportsFloat", "TextIO", "TypeAlias", "cast",
]  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import (
        Any,
        BinaryIO,
        NamedTuple,
        NoReturn,
        Protocol,
        SupportsFloat,
        TextIO,
        TypeAlias,
        cast,
    )
else:
    from collections import _tuplegetter
    from functools import cache
    from types import FunctionType

    Any = BinaryIO = NoReturn = SupportsFloat = TextIO = TypeAlias = object

    def cast(kind, thing):
        """Return the thing, which type checkers take for one of that kind."""
        return thing

    class Protocol:
        """A class that type checkers compare others with."""

        __slots__ = ()

    class _Fields(type):
        """The class of classes of named tuples, whose annotations are their fields."""

        def __new__(mcls, name, bases, body):
            # `NamedTuple` itself, which is not defined yet, and subclasses of records: these have their fields already
            if [base.__name__ for base in bases] != ["NamedTuple"]:
                return super().__new__(mcls, name, bases, body)
            body.setdefault("__slots__", ())
            fields = tuple(body.get("__annotations__", ()))
            body["_fields"] = body["__match_args__"] = fields
            body["_field_defaults"] = {f: body[f] for f in fields if f in body}
            for i, field in enumerate(fields):
                body[field] = _tuplegetter(i, f"Field number {i}")
            return super().__new__(mcls, name, bases, body)

    class NamedTuple(tuple, metaclass=_Fields):
        """A tuple with a name for every place: see `typing.NamedTuple`."""

        __slots__ = ()

        def __new__(cls, /, *values, **named):
            """Give the class its constructor, and call it."""
            own = next(c for c in cls.__mro__ if "_fields" in c.__dict__)
            own.__new__ = staticmethod(_constructor(own))
            return cls.__new__(cls, *values, **named)

        @classmethod
        def _make(cls, values):
            """Return a tuple of these values, one for every field."""
            made, count = tuple.__new__(cls, values), len(cls._fields)
            if len(made) != count:
                raise TypeError(f"Expected {count} arguments, got {len(made)}")
            return made

        def _replace(self, /, **named):
            """Return a copy with other values in the fields named."""
            # for each field `pop` takes the new value, or else the old one; what is left over names no field
            made = tuple.__new__(type(self), map(named.pop, self._fields, self))
            if named:
                raise ValueError(f"Got unexpected field names: {list(named)!r}")
            return made

        __replace__ = _replace

        def _asdict(self):
            """Return the values by the names of their fields."""
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            shown = ", ".join(f"{k}={v!r}" for k, v in self._asdict().items())
            return f"{type(self).__name__}({shown})"

    def _constructor(own):
        """Return `__new__` of a class of named tuples, with its fields for parameters."""
        names, defaults = ("_cls", *own._fields), (*own._field_defaults.values(),)
        code = _code(len(own._fields)).replace(co_varnames=names)
        made = FunctionType(code, {"_new": tuple.__new__}, "__new__", defaults)
        made.__qualname__ = f"{own.__name__}.__new__"
        return made

    @cache
    def _code(count):
        """Return the code of a constructor with so many parameters, whatever their names."""
        names = "".join(f"_{i}, " for i in range(count))
        # safe: nothing but a number is put into this text, as `collections.namedtuple` puts names into one
        return eval(f"lambda _cls, {names}: _new(_cls, ({names}))").__code__
