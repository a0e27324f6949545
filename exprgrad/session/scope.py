"""The names of a session and what they stand for.

A definition is its text. It is read when it is needed, so that the order of definitions does not matter
and whoever uses a name follows its changes. What it reads as is kept until a name in it changes. A
definition that would need itself is refused, with the cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.language.parser import Reading
from exprgrad.session.functions import Function, made
from exprgrad.session.statements import Statement, read
from exprgrad.session.tokens import ANS, StatementTokens, Words


class Definition(NamedTuple):
    """What was typed for a name: `text` is the whole statement, such as `f(x) = x^2`.

    `parameters` is empty for a value or a formula. `declared` are the names known when it was typed,
    which tell how it is split into products.
    """

    name: str
    parameters: tuple[str, ...]
    text: str
    declared: frozenset[str] = frozenset()

    @property
    def formula(self) -> str:
        """What stands behind the equals sign."""
        return self.text.partition("=")[2].strip()


class Known(NamedTuple):
    """What a definition was read as: its function, its value where it has no variable, its names."""

    function: Function
    reading: Reading
    value: float | None
    mentioned: frozenset[str]


class Scope:
    """Definitions, and what those that were needed so far read as. Changes give a new scope."""

    __slots__ = ("_known", "_words", "definitions", "last")

    def __init__(
        self,
        definitions: Mapping[str, Definition] | None = None,
        known: Mapping[str, Known] | None = None,
        last: Function | None = None,
    ) -> None:
        self.definitions = dict(definitions or {})
        self.last = last
        self._known = dict(known or {})
        functions = frozenset(n for n, d in self.definitions.items() if d.parameters)
        names = frozenset(self.definitions)
        self._words = Words(names - functions, functions, names - functions)

    def with_(self, definition: Definition) -> Scope:
        """The scope with a definition added or replaced. Raises `ExprgradError` if it cannot be read."""
        name = definition.name
        new = Scope(
            self.definitions | {name: definition}, self._without([name]), self.last
        )
        new.known(name)
        return new

    def without(self, names: Iterable[str]) -> Scope:
        """The scope without these definitions."""
        gone = set(names)
        kept = {n: d for n, d in self.definitions.items() if n not in gone}
        return Scope(kept, self._without(gone), self.last)

    def with_last(self, last: Function | None) -> Scope:
        """The scope with another last result."""
        return Scope(self.definitions, self._known, last)

    def _without(self, names: Iterable[str]) -> dict[str, Known]:
        """What stays as it was read when these names change."""
        changed = set(names)
        found = True
        while found:
            found = False
            for name, known in self._known.items():
                if name not in changed and not changed.isdisjoint(known.mentioned):
                    changed.add(name)
                    found = True
        return {n: k for n, k in self._known.items() if n not in changed}

    @property
    def words(self) -> Words:
        """What names mean to the scanner."""
        return self._words

    def read(self, text: str) -> Statement:
        """Read a statement in these names. Raises `ExprgradError`."""
        tokens = self.tokens(text, self._words)
        return read(tokens, self._functions(tokens))

    def tokens(self, text: str, words: Words) -> StatementTokens:
        """The tokens of a statement."""
        try:
            return StatementTokens(text, words)
        except ExprgradError as error:
            error.source = text
            raise

    def known(self, name: str) -> Known:
        """What a name stands for. Raises `ExprgradError` when its definition cannot be read."""
        self._prepare([name])
        return self._known[name]

    def known_so_far(self, name: str) -> Known | None:
        """What a name stands for, if it has been needed already."""
        return self._known.get(name)

    def ordered(self) -> list[Definition]:
        """The definitions, each behind those that it needs."""
        fresh = Scope(self.definitions)
        fresh._prepare(self.definitions)
        return [self.definitions[name] for name in fresh._known]

    def _functions(self, tokens: StatementTokens) -> dict[str, Function]:
        """What the names in a text stand for, those left out that are variables with a value."""
        names = [name for name in tokens.mentioned if name in self.definitions]
        self._prepare(names)
        known = {name: self._known[name] for name in names}
        found = {name: k.function for name, k in known.items() if k.value is None}
        if self.last is not None and ANS in tokens.mentioned:
            found[ANS] = self.last
        return found

    def _prepare(self, names: Iterable[str]) -> None:
        """Read what is needed for these names, and what that needs, without recursion."""
        for first in names:
            path: dict[str, StatementTokens] = {}
            stack = [first]
            while stack:
                name = stack[-1]
                if name in self._known:
                    stack.pop()
                    continue
                if name not in path:
                    path[name] = self._tokens_of(self.definitions[name])
                tokens = path[name]
                needed = self._next(tokens)
                if needed is None:
                    self._known[name] = self._read(name, tokens)
                    stack.pop()
                    del path[name]
                elif needed in path:
                    raise self._cycle(list(path), needed)
                else:
                    stack.append(needed)

    def _next(self, tokens: StatementTokens) -> str | None:
        """A name that has to be read before this definition."""
        for name in tokens.mentioned:
            if name in self.definitions and name not in self._known:
                return name
        return None

    def _cycle(self, path: list[str], again: str) -> UsageError:
        names = [*path[path.index(again) :], again]
        own = self.definitions[path[0]]
        following = path[1] if len(path) > 1 else again
        chain = " → ".join(
            names if len(names) <= 12 else [*names[:6], "…", *names[-5:]]
        )
        return UsageError(
            f"{again} would be defined by itself: {chain}",
            self._tokens_of(own).mentioned.get(following),
            "a name stands for a formula, not for its last value: choose another name",
            source=own.text,
        )

    def _tokens_of(self, definition: Definition) -> StatementTokens:
        words = self._words._replace(declared=definition.declared)
        return self.tokens(definition.text, words)

    def _read(self, name: str, tokens: StatementTokens) -> Known:
        definition = self.definitions[name]
        reading = read(tokens, self._functions(tokens)).reading
        function = made(name, definition.parameters, reading.root, reading.slopes)
        value = None
        if not definition.parameters and not reading.variables:
            value = Expression(reading)()
        return Known(function, reading, value, frozenset(tokens.mentioned))
