"""The names of a session and what they stand for.

A definition is its text. It is read when it is needed, so the order of definitions does not matter and
whatever uses a name follows its changes. The reading is kept until a name in it changes. A definition that
would need itself is refused, with the cycle.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.language.parser import Reading
from exprgrad.language.shapes import is_latex
from exprgrad.session.functions import Call, Function, Linker, made
from exprgrad.session.statements import Statement, read
from exprgrad.session.tokens import ANS, StatementTokens, Words


class Definition(NamedTuple):
    """What was typed for a name: `text` is the whole statement, such as `f(x) = x^2`.

    `parameters` is empty for a value or a formula. `declared` are the names known when it was typed,
    into which names in it may be split.
    """

    name: str
    parameters: tuple[str, ...]
    text: str
    declared: frozenset[str] = frozenset()

    @property
    def formula(self) -> str:
        """The text after the equals sign."""
        return self.text.partition("=")[2].strip()


class Known(NamedTuple):
    """A definition as it was read: its function, its value if it has no variables, and its names."""

    function: Function
    statement: Statement
    value: float | None
    mentioned: frozenset[str]


class Scope:
    """Definitions, and the readings of those needed so far. A change gives a new scope."""

    def __init__(
        self,
        definitions: dict[str, Definition] | None = None,
        words: Words | None = None,
        last: Function | None = None,
    ) -> None:
        self.definitions = definitions or {}
        self.words = words or Words()
        self.last = last
        self._known: dict[str, Known] = {}
        # by name: the definitions that mention it
        self._users: dict[str, frozenset[str]] = {}
        self._linker = Linker({})
        # what `values` has found, by name
        self.numbers: dict[str, Any] = {}

    def with_(self, definition: Definition, read: Statement | None = None) -> Scope:
        """The scope with a definition added or replaced. Raises `ExprgradError` if that cannot be read.

        `read` is how it reads in this scope, if that is the same in the new one.
        """
        name = definition.name
        new = self._changed(
            self.definitions | {name: definition},
            self.words.with_(name, bool(definition.parameters)),
            [name],
        )
        # what it mentions is forgotten where that depends on the name itself
        if read is None or any(map(new._is_unread, read.mentioned)):
            new.known(name)
        else:
            new._learn(name, new._known_as(name, read))
        return new

    def without(self, names: Iterable[str]) -> Scope:
        """The scope without these definitions."""
        gone = frozenset(names)
        kept = {n: d for n, d in self.definitions.items() if n not in gone}
        return self._changed(kept, self.words.without(gone), gone)

    def with_last(self, last: Function | None) -> Scope:
        """The scope with another last result."""
        new = Scope(self.definitions, self.words, last)
        new._known, new._users, new._linker = self._known, self._users, self._linker
        new.numbers = self.numbers
        return new

    def _changed(
        self, definitions: dict[str, Definition], words: Words, names: Iterable[str]
    ) -> Scope:
        """A scope in which these names have changed their meanings."""
        new = Scope(definitions, words, self.last)
        new._known, new._users = dict(self._known), dict(self._users)
        new.numbers = dict(self.numbers)
        new._forget(names)
        if len(new._known) == len(self._known):
            new._linker = self._linker
        return new

    def _forget(self, names: Iterable[str]) -> None:
        """Forget the readings of these names, and all readings that depend on them."""
        stack = list(names)
        while stack:
            name = stack.pop()
            known = self._known.pop(name, None)
            self.numbers.pop(name, None)
            for other in known.mentioned if known else ():
                self._users[other] -= {name}
            stack += self._users.get(name, ())

    def read(self, text: str, by: Collection[str] = ()) -> Statement:
        """Read a statement in these names, which is differentiated `by` some. Raises `ExprgradError`."""
        from exprgrad.session.formulas import in_text

        if is_latex(text):
            text = in_text(text, self.words.formulas, self.words.functions)
        tokens = self.tokens(text, self.words, by)
        return read(tokens, self._functions(tokens))

    def tokens(
        self, text: str, words: Words, by: Collection[str] = ()
    ) -> StatementTokens:
        """The tokens of a statement."""
        try:
            return StatementTokens(text, words, by)
        except ExprgradError as error:
            error.source = text
            raise

    def known(self, name: str) -> Known:
        """What a name stands for. Raises `ExprgradError` if its definition cannot be read."""
        self._prepare([name])
        return self._known[name]

    def shared_reading(self, name: str) -> Reading | None:
        """A formula for its value only: it shares parts with other formulas, and has no spans.

        So a chain of definitions is put together once. None if derivatives are taken in it.
        """
        known = self.known(name)
        root = self._linker.linked(Call(known.function, (), (0, 0)))
        if self._linker.slopes:
            return None
        leaves = (self._linker.leaf(n, (0, 0)) for n in known.statement.leaves)
        return Reading(known.function.name, root, tuple(leaves), (), False)

    def known_so_far(self, name: str) -> Known | None:
        """What a name stands for, if it has been read already."""
        return self._known.get(name)

    def ordered(self) -> list[Definition]:
        """The definitions, each after those that it needs."""
        fresh = Scope(self.definitions, self.words)
        fresh._prepare(self.definitions)
        return [self.definitions[name] for name in fresh._known]

    def _functions(self, tokens: StatementTokens) -> dict[str, Function]:
        """What the names in a text stand for, except variables with a value."""
        names = [name for name in tokens.mentioned if name in self.definitions]
        self._prepare(names)
        known = {name: self._known[name] for name in names}
        found = {name: k.function for name, k in known.items() if k.value is None}
        if self.last is not None and ANS in tokens.mentioned:
            found[ANS] = self.last
        return found

    def _prepare(self, names: Iterable[str]) -> None:
        """Read what these names need, and what that needs in turn, without recursion."""
        for first in names:
            path = {} if first in self._known else {first: self._start(first)}
            while path:
                name, (tokens, mentioned) = next(reversed(path.items()))
                needed = next((n for n in mentioned if self._is_unread(n)), None)
                if needed is None:
                    self._learn(name, self._read(name, tokens))
                    del path[name]
                elif needed in path:
                    raise self._cycle(list(path), needed)
                else:
                    path[needed] = self._start(needed)

    def _start(self, name: str) -> tuple[StatementTokens, Iterator[str]]:
        """The tokens of a definition, and the names in it that have not been visited yet."""
        tokens = self._tokens_of(self.definitions[name])
        return tokens, iter(tokens.mentioned)

    def _is_unread(self, name: str) -> bool:
        return name in self.definitions and name not in self._known

    def _learn(self, name: str, known: Known) -> None:
        self._known[name] = known
        for other in known.mentioned:
            self._users[other] = self._users.get(other, frozenset()) | {name}

    def _cycle(self, path: list[str], again: str) -> UsageError:
        names = [*path[path.index(again) :], again]
        own = self.definitions[path[0]]
        following = path[1] if len(path) > 1 else again
        chain = " → ".join(
            names if len(names) <= 12 else [*names[:6], "…", *names[-5:]]
        )
        return UsageError(
            f"{again} would be defined in terms of itself: {chain}",
            self._tokens_of(own).mentioned.get(following),
            "a name stands for a formula, not for its last value: choose another name",
            source=own.text,
        )

    def _tokens_of(self, definition: Definition) -> StatementTokens:
        words = self.words._replace(declared=definition.declared)
        return self.tokens(definition.text, words)

    def _read(self, name: str, tokens: StatementTokens) -> Known:
        return self._known_as(name, read(tokens, self._functions(tokens)))

    def _known_as(self, name: str, statement: Statement) -> Known:
        """What a definition stands for that was read as this statement."""
        parameters = self.definitions[name].parameters
        function = made(name, parameters, statement.root, statement.slopes)
        value = None
        if not parameters and not statement.leaves:
            value = Expression(statement.reading)()
        return Known(function, statement, value, statement.mentioned)
