"""The names of a session, what they stand for, and their values.

A definition is its text. It is read when it is needed, so the order of definitions does not matter and
whatever uses a name follows its changes. The reading is kept until a name in it changes. A definition that
would need itself is refused, with the cycle.

    number(scope, "b")                  # of a = 2; b = a^2 + 1: a coordinate whose double is 5

Each value is computed once from those of the names that it uses, so a chain of definitions takes time in proportion to
its length. A value stands for the real number of its formula: its double comes with a bound, and where more digits are
asked for, the whole formula is swept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import combinations

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, is_variable
from exprgrad.language import inputs
from exprgrad.language.parser import Reading
from exprgrad.language.products import customary, factors
from exprgrad.language.shapes import is_latex
from exprgrad.language.undefined import keeping
from exprgrad.lazy import pattern
from exprgrad.session import statements
from exprgrad.session.statements import Call, Function, Linker, Statement, Words
from exprgrad.sweeps.coordinates import Coordinate, Coordinates, on_arrays, substituted
from exprgrad.sweeps.rounding import UNIT
from exprgrad.sweeps.tape import Tape

if TYPE_CHECKING:
    from exprgrad.numbers.arb import Ball

_SLOPE = pattern(
    r"\s*[fghFGHφψ]['′’]+\s*\((?!\s*(?:[^\W\d]\w*|[\d.]+)\s*\))[^()]*\)\s*"
)
"""The slope of a function, f'(x + 1), which need not be defined: at a number and at a name it does."""


class Definition(NamedTuple):
    """A definition as it was typed: `text` is the whole statement, such as `f(x) = x^2`.

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


Changes = dict[str, Definition | None]
"""Definitions by name; None for a name that has none."""


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
            called = None if definition is None else bool(definition.parameters)
            self.words.put(name, called)
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
            # the copies in it have the old formula
            self.linker = Linker({})
        while stack:
            name = stack.pop()
            known = self.known.pop(name, None)
            self.numbers.pop(name, None)
            for other in known.mentioned if known else ():
                self.users[other].discard(name)
            stack += self.users.get(name, ())


class Scope:
    """The meanings of names at one time. A change gives a new scope, which shares all that is old.

    Only one of the scopes that share `Names` has them as they are; from any other the changes lead there, and are
    made when it is asked. (H. Baker: Shallow Binding Makes Functional Arrays Fast, 1991)
    """

    def __init__(self, last: Function | None = None, names: Any = None) -> None:
        self.last = last
        self._names: Names = names or Names()
        # the scope towards the one that has the names, and what was changed there, as it is here
        self._next: tuple[Scope, Changes] | None = None

    @property
    def names(self) -> Names:
        """The names as they are in this scope."""
        if self._next is not None:
            # from the scope that has the names to this one: each step is undone, and kept as the way back
            for scope, (following, changes) in reversed([*self._path()]):
                for name in changes:
                    here = changes[name]
                    changes[name] = self._names.definitions.get(name)
                    self._names.put(name, here)
                following._next, scope._next = (scope, changes), None
        return self._names

    def _path(self) -> Iterator[tuple[Scope, tuple[Scope, Changes]]]:
        scope = self
        while scope._next is not None:
            yield scope, scope._next
            scope = scope._next[0]

    @property
    def definitions(self) -> dict[str, Definition]:
        """The definitions by name."""
        return self.names.definitions

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
        scope, notes = self, list[str]()
        for name in reversed(self._within(text, by)):
            definition = self.definitions[name]
            formula, own = definition.formula, definition.parameters
            letters = factors(formula, by, self.definitions).difference(own)
            if not letters <= definition.declared:
                declared = definition.declared | letters
                scope = scope.with_(definition._replace(declared=declared))
                notes += scope.known(name).statement.notes
        return scope, tuple(notes)

    def _within(self, text: str, by: Collection[str] = ()) -> list[str]:
        """The names in a text, and in the definitions that it needs, each before those in its own."""
        needed: dict[str, None] = {}
        names = [*self.tokens(text, self.names.words, by).mentioned]
        while names:
            name = names.pop()
            if name in self.definitions and name not in needed:
                needed[name] = None
                self._prepare([name])
                names += self.names.known[name].mentioned
        return [*needed]

    def customary(self, text: str) -> tuple[str, ...]:
        """The variable of a prime by custom, x of y = A e^(kx)."""
        own = [self.definitions[name] for name in self._within(text)]
        if any(definition.parameters for definition in own):
            return ()
        formulas = [d.name for d in own if number(self, d.name) is None]
        return customary((d.formula for d in own), self.definitions, formulas)

    def without(self, names: Iterable[str]) -> Scope:
        """The scope without these definitions."""
        return self._changed(dict.fromkeys(names), self.last)

    def with_last(self, last: Function | None) -> Scope:
        """The scope with another last result."""
        return self._changed({}, last)

    def _changed(self, changes: Changes, last: Function | None) -> Scope:
        names = self.names
        new = Scope(last, names)
        self._next = new, {name: names.definitions.get(name) for name in changes}
        for name, definition in changes.items():
            names.put(name, definition)
        return new

    def differs_from(self, older: Scope) -> bool:
        """Return whether other names are defined here than in a scope before, or some of them otherwise."""
        now, before = self.definitions, Changes()
        for _, (following, changes) in older._path():
            before = changes | before
            if following is self:
                pairs = [(now.get(name), was) for name, was in before.items()]
                return any((a and a.text) != (b and b.text) for a, b in pairs)
        texts = [{n: d.text for n, d in own.definitions.items()} for own in (older, self)]  # fmt: skip
        return texts[0] != texts[1]

    def read(self, text: str, by: Collection[str] = ()) -> Statement:
        """Read a statement in these names, which is differentiated `by` some. Raises `ExprgradError`."""
        tokens = self.tokens(text, self.names.words, by)
        return statements.read(tokens, self._functions(tokens))

    def tokens(
        self, text: str, words: Words, by: Collection[str] = ()
    ) -> statements.StatementTokens:
        """The tokens of a statement, of one in LaTeX as text."""
        if is_latex(text):
            from exprgrad.session.formulas import in_text

            known = {*self.names.words.formulas, statements.ANS}
            text = in_text(text, known, self.names.words.functions)
        try:
            slope = _SLOPE.fullmatch(text)
            is_own = slope or statements.head(text)
            with keeping(letters=not slope) if is_own else nullcontext():
                return statements.StatementTokens(text, words, by)
        except ExprgradError as error:
            error.source = text
            raise

    def known(self, name: str) -> Known:
        """Return what a name stands for. Raises `ExprgradError` if its definition cannot be read."""
        self._prepare([name])
        return self.names.known[name]

    def within(self, text: str) -> frozenset[str]:
        """The known names into which names in a definition may be split."""
        plain = inputs.normal(text)
        known, words = self.definitions, set(re.findall(r"\w+", plain))
        if sum(len(word) ** 2 for word in words) > len(known):
            return frozenset(name for name in known if name in plain)
        # of many names, few are looked up: 20,000 would take longer than the definition
        places = ((word, *ij) for word in words for ij in combinations(range(len(word) + 1), 2))  # fmt: skip
        return frozenset(part for word, i, j in places if (part := word[i:j]) in known)

    def ordered(self) -> list[Definition]:
        """The definitions, each after those that it needs, and before the names that would split one in it."""
        known = self.definitions
        needed = {name: [n for n in self._start(name)[1] if n in known] for name in known}  # fmt: skip
        for name, own in known.items():
            split = self.within(own.formula)
            for part in split.difference(own.declared, own.parameters, needed[name]):
                needed[part].append(name)
        found, begun, waiting = dict[str, Definition](), set[str](), [*reversed(known)]
        while waiting:
            begun.add(name := waiting[-1])
            before = [n for n in needed[name] if n not in begun]
            waiting += reversed(before)
            if not before:
                found.setdefault(waiting.pop(), known[name])
        return [*found.values()]

    def _functions(self, tokens: statements.StatementTokens) -> dict[str, Function]:
        """Return what the names in a text stand for, except variables with a value."""
        names = [name for name in tokens.mentioned if name in self.definitions]
        self._prepare(names)
        # a name with a value stays a variable, so that there are derivatives by it
        known = self.names.known
        found = {n: known[n].function for n in names if known[n].value is None}
        if self.last is not None and statements.ANS in tokens.mentioned:
            found[statements.ANS] = self.last
        return found

    def _prepare(self, names: Iterable[str]) -> None:
        """Read what these names need, and what that needs in turn, without recursion."""
        for first in names:
            # the path is the stack: each name with an iterator that goes on where it was left
            path = {} if first in self.names.known else {first: self._start(first)}
            while path:
                name, (tokens, mentioned) = next(reversed(path.items()))
                needed = next((n for n in mentioned if self._is_unread(n)), None)
                # without recursion: a chain of 10,000 definitions is deeper than Python goes
                if needed is None:
                    statement = statements.read(tokens, self._functions(tokens))
                    self.names.learn(name, self._known_as(name, statement))
                    del path[name]
                elif needed in path:
                    raise self._cycle(list(path), needed)
                else:
                    path[needed] = self._start(needed)

    def _start(self, name: str) -> tuple[statements.StatementTokens, Iterator[str]]:
        """The tokens of a definition, and the names in it that have not been visited yet."""
        own = self.definitions[name]
        tokens = self.tokens(own.text, Words(self.names.words, own.declared))
        return tokens, iter(tokens.mentioned)

    def _is_unread(self, name: str) -> bool:
        return name in self.definitions and name not in self.names.known

    def _cycle(self, path: list[str], again: str) -> UsageError:
        names = [*path[path.index(again) :], again]
        own = self.definitions[path[0]]
        following = path[1] if len(path) > 1 else again
        shown = names if len(names) <= 12 else [*names[:6], "…", *names[-5:]]
        chain = " → ".join(shown)
        message = f"{again} would be defined in terms of itself: {chain}"
        hint = (
            "a name stands for a formula, not for its last value: choose another name"
        )
        span = self._start(path[0])[0].mentioned.get(following)
        return UsageError(message, span, hint, source=own.text)

    def _known_as(self, name: str, statement: Statement) -> Known:
        """Return what a definition stands for that was read as this statement."""
        parameters = self.definitions[name].parameters
        function = statements.made(name, parameters, statement.root, statement.slopes)
        value = None
        if not parameters and not statement.leaves:
            value = Expression(statement.reading)()
        return Known(function, statement, value, statement.mentioned)


CLOSE = 1e-12
"""The distance, of themselves, of two doubles that are found for one number."""


def double(number: Coordinate | Coordinates | None) -> Any:
    """The double of a number, or those of an array; None as it is."""
    if isinstance(number, Coordinates):
        return number.data
    return None if number is None else number.double


def meant(root: Value) -> Coordinate | Coordinates:
    """The number, or the array, that is the value of a graph without variables."""
    if not on_arrays(root):
        return Coordinate.of(root)
    from exprgrad.expressions.elements import coordinates

    def evaluate(root: Value) -> Any:
        return Expression(Reading("", root, (), (), False)).evaluate({}, ())

    found = coordinates(root, evaluate)
    return found if found.data.ndim else Coordinate.of(found.element(()))


def number(scope: Scope, name: str) -> Coordinate | Coordinates | None:
    """The value of a name: a number or an array.

    None if it has none, or its formula has variables without a value.
    """
    # values of names that are needed come first, on a stack, for chains are long
    waiting = [name]
    while waiting:
        first = waiting[-1]
        needed = [n for n in _needed(scope, first) if n not in scope.names.numbers]
        if first in scope.names.numbers:
            waiting.pop()
        elif needed:
            waiting += needed
        else:
            scope.names.numbers[first] = _computed(scope, first)
    found: Coordinate | Coordinates | None = scope.names.numbers[name]
    return found


def _needed(scope: Scope, name: str) -> list[str]:
    """The names that a name's value depends on by its own text."""
    if name not in scope.definitions:
        return []
    known, defined = scope.known(name), scope.definitions
    names = {*known.mentioned, *known.statement.leaves} - {name}
    return [n for n in names if n in defined and not defined[n].parameters]


def _computed(scope: Scope, name: str) -> Coordinate | Coordinates | None:
    if name not in scope.definitions:
        return None
    known = scope.known(name)
    if known.function.parameters:
        return None
    if known.value is not None:
        root = known.statement.root
        is_open = any(isinstance(i, Call) or is_variable(i) for i in topological(root))
        # a graph of numbers alone is kept as it is, and has as many digits as are asked for
        if not known.statement.slopes and not is_open:
            return meant(root)
        return _found(known.statement.reading.root, {}, known.value)
    at: dict[str, Any] = {}
    for leaf in known.statement.leaves:
        found = number(scope, leaf)
        if found is None:
            return None
        at[leaf] = found
    # one sweep from the values of the names in it, whose errors it carries on: a long chain takes linear time
    short = _short(scope, known)
    if short is not None:
        own = {n: number(scope, n) for n in short.variables}
        try:
            here = short.evaluate(own, ())
        except ExprgradError:
            pass  # the whole is evaluated below, for the place of the error
        else:
            if isinstance(here, Evaluation):
                if here.value:
                    return _Formula(scope, known, here, at)
                # a 0 without an error is 0; with one, only the whole formula can tell
                if not here.error:
                    return Coordinate.of(0.0)
    reading = known.statement.reading
    return _found(reading.root, at, Expression(reading)(**at))


def _found(root: Value, at: Mapping[str, Any], value: Any) -> Coordinate | Coordinates:
    if not isinstance(value, float):
        return meant(Constant(value))
    return as_meant(root, at, value) or Coordinate.of(value)


def as_meant(root: Value, at: Mapping[str, Any], value: float) -> Coordinate | None:
    """The number that a formula is at a point; None where another value was found for it.

    A derivative may exist where its formula has no value, or that of a convention.
    """
    found = meant(substituted(root, at))
    if not isinstance(found, Coordinate) or found.double is None:
        return None
    return found if math.isclose(found.double, value, rel_tol=CLOSE) else None


def _short(scope: Scope, known: Known) -> Expression | None:
    """A formula with variables in place of the names that it uses; None where more than their values counts.

    Whether an exponent is a fraction does, and so does what is differentiated.
    """
    from exprgrad.graph.rewriting import rebuilt

    function = known.function
    if function.slopes:
        return None
    for item in topological(function.root):
        if item.operation is None and not isinstance(item, Call):
            continue
        if isinstance(item, Call) and item.function.slopes:
            return None
        power = item.operation is not None and item.operation.rule == "power"
        parts = topological(item.operands[1]) if power else ()
        if any(isinstance(part, Call) for part in parts):
            return None
    leaves: dict[str, Value] = {}

    def put(item: Value, operands: tuple[Value, ...]) -> Value | None:
        if isinstance(item, Call):
            inner = item.function
            if not inner.parameters and inner.name in scope.definitions:
                return leaves.setdefault(inner.name, Value(None, inner.name))
            return Call(inner, operands, item.span or (0, 0))
        if is_variable(item):
            return leaves.setdefault(item.name or "", item)
        return None

    linker = Linker(leaves)
    root = linker.linked(rebuilt(function.root, put))
    if linker.slopes:
        return None
    used = tuple(item for item in topological(root) if is_variable(item))
    return Expression(Reading(function.name, root, used, (), False))


class _Formula(Coordinate):
    """The value of a formula; the formula is put together when more of its digits are asked for."""

    __slots__ = ("at", "known", "linker")

    def __init__(self, scope: Scope, known: Known, here: Any, at: Any) -> None:
        self.double, self.ratio, self.tape = here.value, None, None
        self.error = here.error / (UNIT * abs(here.value))
        self.linker, self.known, self.at = scope.names.linker, known, at

    def ball(self, numbers: Any) -> Ball:
        """The number as a ball."""
        if self.tape is None:
            root = self.linker.linked(Call(self.known.function, (), (0, 0)))
            self.tape = Tape(substituted(root, self.at), ())
        return super().ball(numbers)
