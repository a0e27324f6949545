"""The names of a session and what they stand for.

A definition is its text. It is read when it is needed, so the order of definitions does not matter and
whatever uses a name follows its changes. The reading is kept until a name in it changes. A definition that
would need itself is refused, with the cycle.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.language.parser import Reading
from exprgrad.language.products import factors
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


class Names:
    """Definitions, and the readings and values of those needed so far, which a change forgets."""

    def __init__(self) -> None:
        self.definitions: dict[str, Definition] = {}
        self.words = Words()
        self.known: dict[str, Known] = {}
        # by name: the definitions that mention it
        self.users: dict[str, set[str]] = {}
        self.linker = Linker({})
        # what `values` has found, by name
        self.numbers: dict[str, Any] = {}

    def put(self, name: str, definition: Definition | None) -> None:
        """Define a name, or remove it, and forget what depends on it."""
        try:
            self._forget(name)
        except BaseException:  # interrupted, so that some readings may be out of date
            for own in (self.known, self.users, self.numbers):
                own.clear()
            raise
        finally:
            self.words.put(
                name, definition is not None, bool(definition and definition.parameters)
            )
            if definition is not None:
                self.definitions[name] = definition
            else:
                self.definitions.pop(name, None)

    def learn(self, name: str, known: Known) -> None:
        """Keep a reading."""
        self.known[name] = known
        for other in known.mentioned:
            self.users.setdefault(other, set()).add(name)

    def _forget(self, first: str) -> None:
        stack = [first]
        if first in self.known:
            self.linker = Linker({})
        while stack:
            name = stack.pop()
            known = self.known.pop(name, None)
            self.numbers.pop(name, None)
            for other in known.mentioned if known else ():
                self.users[other].discard(name)
            stack += self.users.get(name, ())


class Scope:
    """What names stand for at one time. A change gives a new scope, which shares all that is old.

    Only one of the scopes that share `Names` has them as they are; from any other the changes lead there, and are
    made when it is asked. (H. Baker: Shallow Binding Makes Functional Arrays Fast, 1991)
    """

    def __init__(
        self, last: Function | None = None, names: Names | None = None
    ) -> None:
        self.last = last
        self._names = names or Names()
        # the scope towards the one that has the names, and what was changed there, as it is here
        self._next: tuple[Scope, dict[str, Definition | None]] | None = None

    @property
    def names(self) -> Names:
        """The names as they are in this scope."""
        if self._next is not None:
            for scope, (following, changes) in reversed([*self._path()]):
                for name in changes:
                    here = changes[name]
                    changes[name] = self._names.definitions.get(name)
                    self._names.put(name, here)
                following._next, scope._next = (scope, changes), None
        return self._names

    def _path(
        self,
    ) -> Iterator[tuple[Scope, tuple[Scope, dict[str, Definition | None]]]]:
        scope = self
        while scope._next is not None:
            yield scope, scope._next
            scope = scope._next[0]

    @property
    def definitions(self) -> dict[str, Definition]:
        """The definitions by name."""
        return self.names.definitions

    @property
    def words(self) -> Words:
        """What the names mean to the scanner."""
        return self.names.words

    @property
    def numbers(self) -> dict[str, Any]:
        """The values found so far."""
        return self.names.numbers

    def with_(self, definition: Definition, read: Statement | None = None) -> Scope:
        """The scope with a definition added or replaced. Raises `ExprgradError` if that cannot be read.

        `read` is how it reads in this scope, if that is the same in the new one.
        """
        name = definition.name
        new = self._changed({name: definition}, self.last)
        # what it mentions is forgotten where that depends on the name itself
        if read is None or any(map(new._is_unread, read.mentioned)):
            new.known(name)
        else:
            new.names.learn(name, new._known_as(name, read))
        return new

    def differentiated(
        self, text: str, by: Collection[str]
    ) -> tuple[Scope, tuple[str, ...]]:
        """The scope for a text that is differentiated by some names, with notes: by x, the ax of y = ax^2 is a*x.

        So are names in all definitions that the text needs; the others stay as they are.
        """
        tokens = self.tokens(text, self.words, by)
        needed: dict[str, None] = {}
        names = [*tokens.mentioned]
        while names:
            name = names.pop()
            if name in self.definitions and name not in needed:
                needed[name] = None
                self._prepare([name])
                names += self.names.known[name].mentioned
        scope, notes = self, list[str]()
        for name in reversed(needed):
            definition = self.definitions[name]
            letters = factors(definition.formula, by) - {*definition.parameters}
            if not letters <= definition.declared:
                declared = definition.declared | letters
                scope = scope.with_(definition._replace(declared=declared))
                notes += scope.known(name).statement.notes
        return scope, tuple(notes)

    def without(self, names: Iterable[str]) -> Scope:
        """The scope without these definitions."""
        return self._changed(dict.fromkeys(names), self.last)

    def with_last(self, last: Function | None) -> Scope:
        """The scope with another last result."""
        return self._changed({}, last)

    def _changed(
        self, changes: Mapping[str, Definition | None], last: Function | None
    ) -> Scope:
        names = self.names
        new = Scope(last, names)
        self._next = new, {name: names.definitions.get(name) for name in changes}
        for name, definition in changes.items():
            names.put(name, definition)
        return new

    def differs_from(self, older: Scope) -> bool:
        """Whether other names are defined here than in a scope before, or some of them otherwise."""
        names, before = self.names, dict[str, Definition | None]()
        for _, (following, changes) in older._path():
            before = changes | before
            if following is self:
                now = names.definitions
                pairs = [(now.get(name), was) for name, was in before.items()]
                return any((a and a.text) != (b and b.text) for a, b in pairs)
        texts = [{n: d.text for n, d in own.definitions.items()} for own in (older, self)]  # fmt: skip
        return texts[0] != texts[1]

    def read(self, text: str, by: Collection[str] = ()) -> Statement:
        """Read a statement in these names, which is differentiated `by` some. Raises `ExprgradError`."""
        tokens = self.tokens(text, self.words, by)
        return read(tokens, self._functions(tokens))

    def tokens(
        self, text: str, words: Words, by: Collection[str] = ()
    ) -> StatementTokens:
        """The tokens of a statement, of one in LaTeX as text."""
        if is_latex(text):
            from exprgrad.session.formulas import in_text

            text = in_text(text, self.words.formulas, self.words.functions)
        try:
            return StatementTokens(text, words, by)
        except ExprgradError as error:
            error.source = text
            raise

    def known(self, name: str) -> Known:
        """What a name stands for. Raises `ExprgradError` if its definition cannot be read."""
        self._prepare([name])
        return self.names.known[name]

    def shared_reading(self, name: str) -> Reading | None:
        """A formula for its value only: it shares parts with other formulas, and has no spans.

        So a chain of definitions is put together once. None if derivatives are taken in it.
        """
        known = self.known(name)
        linker = self.names.linker
        root = linker.linked(Call(known.function, (), (0, 0)))
        if linker.slopes:
            return None
        leaves = (linker.leaf(n, (0, 0)) for n in known.statement.leaves)
        return Reading(known.function.name, root, tuple(leaves), (), False)

    def known_so_far(self, name: str) -> Known | None:
        """What a name stands for, if it has been read already."""
        return self.names.known.get(name)

    def ordered(self) -> list[Definition]:
        """The definitions, each after those that it needs."""
        fresh = Scope()
        for name, definition in self.definitions.items():
            fresh.names.put(name, definition)
        fresh._prepare(self.definitions)
        return [self.definitions[name] for name in fresh.names.known]

    def _functions(self, tokens: StatementTokens) -> dict[str, Function]:
        """What the names in a text stand for, except variables with a value."""
        names = [name for name in tokens.mentioned if name in self.definitions]
        self._prepare(names)
        known = {name: self.names.known[name] for name in names}
        found = {name: k.function for name, k in known.items() if k.value is None}
        if self.last is not None and ANS in tokens.mentioned:
            found[ANS] = self.last
        return found

    def _prepare(self, names: Iterable[str]) -> None:
        """Read what these names need, and what that needs in turn, without recursion."""
        for first in names:
            path = {} if first in self.names.known else {first: self._start(first)}
            while path:
                name, (tokens, mentioned) = next(reversed(path.items()))
                needed = next((n for n in mentioned if self._is_unread(n)), None)
                if needed is None:
                    self.names.learn(name, self._read(name, tokens))
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
        names = self.names
        return name in names.definitions and name not in names.known

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
        words = Words(self.words, definition.declared)
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
