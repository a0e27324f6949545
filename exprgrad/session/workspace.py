"""The state of a session: definitions, settings and the last result; and how statements change it.

    workspace.execute(entry)
    workspace.value("a")                # None if `a` has no value

A name stands for its formula: whatever uses it follows its changes. Commands work on a workspace; a
`Session` is a workspace that executes commands too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.commands.declared import Result
from exprgrad.errors import BindingError, UsageError
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, is_variable
from exprgrad.language import leibniz
from exprgrad.language.leibniz import PRIMES, is_leibniz
from exprgrad.language.notes import Binding
from exprgrad.language.parser import Reading
from exprgrad.lazy import pattern
from exprgrad.notation.text import bracketed, text_length, to_text
from exprgrad.operations.vocabulary import did_you_mean
from exprgrad.session import scope as scopes
from exprgrad.session.entries import Entry
from exprgrad.session.results import Bound, Defined
from exprgrad.session.statements import ANS, Statement, made, refuse
from exprgrad.sweeps.coordinates import Coordinate, as_graph, substituted
from exprgrad.views.evaluation import EvaluationView, beside, has_slope_line

CONTINUING = ("+", "*", "/", "^", "×", "·", "÷")
"""A statement that begins with one of these continues from the last result."""

_PRIMED = pattern(rf"([^\W\d]\w*)[{''.join(PRIMES)}]")
BEFORE = f"{ANS} "
"""What is put before such a statement."""

MOST_DERIVED = 400
"""The most operations of a formula whose derivatives are shown without being asked for."""

MOST_SHOWN = 12
"""The most variables for which derivatives are shown without being asked for."""

LONGEST_READING = 400
"""The longest formula that is shown as it was read, in characters."""

EXPRESSIONS = ("shown", "gradient")
"""The kinds of statements that are expressions."""

MOST_UNDONE = 50
"""Changes that can be undone."""

LONGEST_LAST = 10_000
"""The longest last result that a definition may include, in characters."""


class Settings(NamedTuple):
    """The settings that `:set` changes: significant digits, the mode of differentiation, the format and the form of formulas."""

    digits: int = 10
    mode: str = "reverse"
    format: str = "text"
    form: str = "short"
    notation: str = "plain"
    subgradient: str = "off"


class Walk:
    """A walk through the steps of a trace: an empty line goes on, `b` goes back, `q` leaves it."""

    KEYS = ("", "b", "q")

    def __init__(self, steps: Sequence[Any] = ()) -> None:
        self.steps, self.place = list(steps), 0

    def takes(self, text: str) -> bool:
        """Return whether a line is a key of this walk."""
        return bool(self.steps) and text.strip() in self.KEYS

    def press(self, text: str) -> list[Any]:
        """The step that a key leads to; none where it leads out of the walk."""
        key = text.strip()
        self.place = max(self.place - 1, 0) if key == "b" else self.place + 1
        if key == "q" or self.place == len(self.steps):
            self.steps = []
        return self.steps[self.place : self.place + 1]

    @property
    def prompt(self) -> str:
        """Return what stands before the line."""
        return f"walk {self.place + 1}/{len(self.steps)}> " if self.steps else "> "


State = tuple[scopes.Scope, Settings, Evaluation | None]
"""All that statements change."""


class Workspace:
    """Definitions, the last result and the settings of a session.

    `typed` has every statement as it was typed, and with the last result written out in it; `walk` is
    the walk that is under way, if it has steps; `loading` are the files being loaded.
    """

    def __init__(self) -> None:
        self.scope = scopes.Scope()
        self.settings = Settings()
        self.typed: list[tuple[str, str]] = []
        self.walk = Walk()
        self.loading: tuple[str, ...] = ()
        self._last: Evaluation | None = None
        self._past: list[tuple[str, State]] = []

    @property
    def state(self) -> State:
        """All that statements change, to be restored if one fails."""
        return self.scope, self.settings, self._last

    @state.setter
    def state(self, state: State) -> None:
        self.scope, self.settings, self._last = state

    def changed(self, text: str, before: State) -> None:
        """Remember what a statement has changed: definitions or settings."""
        scope, settings, _ = before
        if settings != self.settings or self.scope.differs_from(scope):
            self._past = [*self._past[1 - MOST_UNDONE :], (text, before)]

    def undo(self) -> str:
        """Go back to before the last change of a definition or a setting, and return what made it.

        Raises `UsageError` where there is none.
        """
        if not self._past:
            raise UsageError("there is nothing to undo")
        *self._past, (text, self.state) = self._past
        return text

    def execute(self, entry: Entry) -> Any:
        """Execute one statement. Raises `ExprgradError`."""
        statement = self.read(entry.text)
        show = self._show if statement.kind in EXPRESSIONS else self._define
        return show(statement)

    def read(self, text: str) -> Statement:
        """Read a statement, which continues from the last result if it begins with an operator."""
        if text.startswith(CONTINUING) and self.scope.last is not None:
            text = f"{BEFORE}{text}"
        by = leibniz.all_below(text) or {x for name in _PRIMED.findall(text) for x in self.scope.customary(name)}  # fmt: skip
        if not by:
            return self.scope.read(text)
        scope, notes = self.scope.differentiated(text, by)
        statement = scope.read(text)
        return statement._replace(notes=(*notes, *statement.notes))

    def expression(
        self, text: str, by: Collection[str] = ()
    ) -> tuple[Expression, Statement]:
        """A text as an expression, which is differentiated `by` some names. Raises `UsageError` for a definition."""
        scope, notes = self.scope.differentiated(text, by) if by else (self.scope, ())
        statement = scope.read(text, by)
        if statement.kind not in EXPRESSIONS:
            raise UsageError("expected an expression, not a definition")
        expression = Expression(statement.reading, scope.definitions)
        expression.titled = statement.title
        expression.notes += notes
        return expression, statement

    def free(self, expression: Expression) -> list[str]:
        """The variables that have no value; all of them if each has one."""
        names = list(expression.variables)
        return [name for name in names if self.value(name) is None] or names

    def _define(self, statement: Statement) -> Any:
        text = self._frozen(statement)
        name, parameters = statement.name, statement.parameters
        definition = scopes.Definition(name, parameters, text, self.scope.within(text))
        # a text in which its own name occurs again may be a cycle, and is read with the name in place
        alone = text == statement.source and text.count(name) == 1
        scope = self.scope.with_(definition, statement if alone else None)
        known = scope.known(name)
        formula = " ".join(definition.formula.split())
        root, notes = known.statement.root, known.statement.notes
        short = text_length(root, LONGEST_READING) <= LONGEST_READING
        reading = bracketed(root) if known.statement.implicit and short else None
        if parameters:
            self._change([name], scope)
            return Defined(known.function.signature, formula, reading, notes)
        # the value is computed before the session changes: a = 1/0 defines nothing
        other = Workspace()
        other.scope = scope
        value, beyond = other.value(name), other.beyond(name)
        self._change([name], scope)
        return Bound(name, formula, value, reading, notes, beyond, self.settings.digits)

    def _frozen(self, statement: Statement) -> str:
        """A definition with the last result written out, since that changes with every statement."""
        text, last = statement.source, self.scope.last
        if not statement.continues or last is None:
            return text
        tokens = self.scope.tokens(text, self.scope.names.words)
        if text_length(last.root, LONGEST_LAST) > LONGEST_LAST:
            raise UsageError("the last result is too long to be part of a definition")
        derived = [word for word in tokens.texts if ANS in word and word != ANS]
        if any(is_leibniz(word) or word[-1] in PRIMES for word in derived):
            message = "a definition cannot hold a derivative of the last result"
            raise UsageError(message, hint="give the last result a name first: y = ans")
        written = f"({to_text(last.root)})"
        # from the last to the first, so that the places of the others stay right
        pairs = zip(tokens.texts, tokens.spans, strict=True)
        for start, end in sorted((s for w, s in pairs if w == ANS), reverse=True):
            text = text[:start] + written + text[end:]
        return text

    def _change(self, names: Iterable[str], scope: scopes.Scope) -> None:
        """Change to another scope. A last result that would change keeps its value."""
        last = scope.last
        used = last is not None and not set(names).isdisjoint(last.variables)
        value = _value(self._last) if used else None
        if value is not None:
            scope = scope.with_last(made(ANS, (), value))
        self.scope = scope

    def forget(self, names: Iterable[str]) -> None:
        """Remove definitions. Raises `UsageError` for a name that is not defined."""
        for name in names:
            if name not in self.scope.definitions:
                known = self.scope.definitions
                hint = did_you_mean(name, known, ":vars and :funcs list them")
                raise UsageError(f"there is nothing called {name}", hint=hint)
        self._change(names, self.scope.without(names))

    def clear(self) -> None:
        """Remove all definitions and the last result."""
        self.scope = scopes.Scope()
        self._last = None

    def _show(self, statement: Statement) -> Result:
        reading = statement.reading
        expression = Expression(reading, self.scope.definitions)
        expression.titled = statement.title
        point = self.point(expression, statement.given)
        missing = [name for name in expression.variables if name not in point]
        asks = statement.kind == "gradient"
        if asks and _is_condition(expression):
            raise UsageError("a condition has no gradient")
        if asks and not expression.variables:
            raise no_variable()
        if missing:
            result = self._derived(expression, missing)
            self._keep(statement, reading, None)
            return result
        # in the order in which the values were given: (1, 2) for grad x*y at y=2, x=1
        order = [binding.name for binding in statement.given] if asks else []
        wrt = [] if _is_condition(expression) else order or None
        mode, digits = self.settings.mode, self.settings.digits
        subgradient = self.settings.subgradient == "on"
        evaluation: Any = expression.evaluate(
            point, wrt, mode=mode, digits=digits, subgradient=subgradient
        )
        self._keep(statement, reading, evaluation)
        if expression.takes_arrays(evaluation.at):
            from exprgrad.views.arrays import ArraysView

            return Result(ArraysView(evaluation, digits), **beside(evaluation))
        view = EvaluationView(evaluation, digits, is_gradient=asks)
        return Result(view, **beside(evaluation, has_slope_line(evaluation)))

    def _derived(self, expression: Expression, missing: list[str]) -> Result:
        condition = _is_condition(expression)
        # `topological` gives nothing for a graph with more nodes
        is_short = not condition and topological(expression.root, MOST_DERIVED)
        chains = [[name] for name in missing[:MOST_SHOWN]] if is_short else []
        whole = condition or len(chains) == len(missing)
        more = "" if whole else "it is long: :diff gives its derivatives"
        return self.derived(expression, chains, expression.title, more)

    def derived(
        self,
        expression: Expression,
        chains: list[list[str]],
        title: str,
        more: str = "",
    ) -> Result:
        """The derivatives of what is called so, each by a chain of names; `more` says how to get others."""
        from exprgrad.expressions.derivatives import Derivatives, derive
        from exprgrad.views.formulas import FormulasView

        expression.titled, own = title, self.settings
        none = Derivatives(expression, None, [])
        found = derive(expression, chains, form=own.form) if chains else none
        return Result(FormulasView(found, None, own.digits, own.notation, more))

    def _keep(
        self, statement: Statement, reading: Reading, evaluation: Evaluation | None
    ) -> None:
        """Make this the last result: its formula, so that derivatives pass through it."""
        # the values beside a statement are forgotten with it: after x^2 at x=3, ans is 9
        value = _value(evaluation) if statement.given else None
        root, slopes = (reading.root, reading.slopes) if value is None else (value, ())
        self.scope = self.scope.with_last(made(ANS, (), root, slopes))
        self._last = evaluation
        # what a file holds was not typed
        if statement.continues and not self.loading and text_length(root, 200) <= 200:
            self.typed[-1] = (self.typed[-1][0], to_text(root))

    def point(
        self, expression: Expression, given: Iterable[Binding] = ()
    ) -> dict[str, Any]:
        """The values of its variables that have one; `given` values override the session's.

        They are the numbers that are meant.
        """
        own: dict[str, Any] = {}
        for binding in given:
            name, span = binding.name, binding.span
            refuse(name, span)
            if name in own:
                raise BindingError(f"{name} is given twice", span, "give it one value")
            if name not in expression.variables:
                error = expression.no_variable(name)
                error.span = span
                raise error
            own[name] = self.number(binding)
        for name in expression.variables:
            value = None if name in own else scopes.number(self.scope, name)
            if value is not None:
                own[name] = value
        return {name: own[name] for name in expression.variables if name in own}

    def number(self, binding: Binding) -> Any:
        """The number that is meant by a value. Raises `BindingError` where it is none."""
        leaves = tuple(n for n in topological(binding.root) if is_variable(n))
        expression = Expression(Reading("", binding.root, leaves, (), False))
        point = self.point(expression)
        missing = [name for name in expression.variables if name not in point]
        if missing:
            message = f"the value of {binding.name} must be a number"
            raise BindingError(message, binding.span, f"give {missing[0]} a value")
        expression(**point)  # refuses a point without a value
        return scopes.meant(substituted(binding.root, point))

    def value(self, name: str) -> float | None:
        """The value of a name; None if it has none, or its formula has variables without a value."""
        found: float | None = scopes.double(scopes.number(self.scope, name))
        return found

    def beyond(self, name: str) -> Coordinate | None:
        """The value of a name where it is a number that the doubles do not reach."""
        found = scopes.number(self.scope, name)
        return found if isinstance(found, Coordinate) and found.is_beyond else None

    @property
    def variables(self) -> dict[str, float | None]:
        """The names that are not functions, with their values."""
        defined = self.scope.definitions.items()
        return {n: self.value(n) for n, d in defined if not d.parameters}

    @property
    def functions(self) -> dict[str, scopes.Known]:
        """The functions that are defined."""
        defined = self.scope.definitions.items()
        return {n: self.scope.known(n) for n, d in defined if d.parameters}


def no_variable(hint: str | None = None) -> UsageError:
    """The error for a number where a derivative is asked for."""
    message = "the expression has no variable to differentiate with respect to"
    return UsageError(message, hint=hint)


def _value(evaluation: Evaluation | None) -> Value | None:
    """The value of an evaluation as a graph of the numbers that are meant: (1/3)^2 and no double."""
    value = None if evaluation is None else evaluation.value
    if isinstance(evaluation, Evaluation) and isinstance(value, float):
        expression = evaluation.expression
        # with `subgradient`, an evaluation has doubles only, each of which is the number it stores
        at = expression.coordinates(evaluation.exact)
        found = scopes.as_meant(expression.root, at, value)
        if found is not None:
            return as_graph(found)
    return None if value is None else Constant(value)


def _is_condition(expression: Expression) -> bool:
    """Return whether its value is true or false, so that derivatives mean nothing."""
    operation = expression.root.operation
    return operation is not None and operation.rule in ("comparison", "logic")
