"""Statements of a session, and the grammar's actions that read them.

The language is that of expressions, plus the names that the session knows: the name of a formula, like the
call of a function, is a `Call` until the statement is evaluated.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from exprgrad.annotations import NamedTuple
from exprgrad.errors import ExpressionSyntaxError, ExprgradError, Span, UsageError
from exprgrad.graph.order import topological
from exprgrad.graph.value import Value
from exprgrad.language import grammar, lalr, leibniz
from exprgrad.language.builder import Builder
from exprgrad.language.lalr import Args
from exprgrad.language.leibniz import PRIMES
from exprgrad.language.notes import Binding, Slope
from exprgrad.language.parser import Reading
from exprgrad.session.functions import Call, Function, Linker, derived
from exprgrad.session.tokens import ANS, StatementTokens, refuse


class Statement(NamedTuple):
    """A statement as it was read; `kind` is the action of the grammar.

    `root` is the graph of the expression, with calls in it, and `leaves` are its variables by name; `name`
    is what a definition defines; `given` are the values after `at`; `title` is the text of the expression;
    `mentioned` are the names in it that the session knows, with the last result.
    """

    kind: str
    source: str
    root: Value
    leaves: Mapping[str, Value]
    notes: tuple[str, ...]
    implicit: bool
    slopes: tuple[Slope, ...]
    title: str
    name: str = ""
    parameters: tuple[str, ...] = ()
    given: tuple[Binding, ...] = ()
    mentioned: frozenset[str] = frozenset()

    @property
    def continues(self) -> bool:
        """Whether it uses the last result."""
        return ANS in self.mentioned

    @property
    def reading(self) -> Reading:
        """The expression with formulas in place of calls. Raises `UsageError` if it is too large."""
        linker = Linker(dict(self.leaves))
        try:
            root = linker.linked(self.root)
        except ExprgradError as error:
            error.source = error.source or self.source
            raise
        leaves = tuple(linker.leaves.values())
        slopes = (*self.slopes, *linker.slopes)
        return Reading(self.source, root, leaves, self.notes, self.implicit, slopes)


class StatementBuilder(Builder):
    """The actions of the session grammar; `known` are functions and formulas by name."""

    def __init__(self, tokens: StatementTokens, known: Mapping[str, Function]) -> None:
        super().__init__(tokens)
        self._undefined = tokens.undefined_calls.values()
        self._known = known
        self._kept = tokens.kept
        self._mentioned = tokens.mentioned
        self._parameters = tokens.parameters
        self._calls = 0
        self._derived: dict[str, Function] = {}

    def name(self, args: Args, start: int, end: int) -> Value:
        span = (start, end)
        text = ANS if args[0] == "_" else args[0]
        if text == ANS and ANS not in self._known:
            raise UsageError("there is no result yet", span, "type an expression first")
        is_letter = text not in self._known and text.isidentifier()
        if is_letter or text in self._kept:
            return super().name((text,), start, end)
        function = self._function(text, span)
        if function.parameters and not self._is_whole(span):
            self.notes.add(text, "{} is read as {}", text, function.signature)
        arguments = [self._parameter(p, span) for p in function.parameters]
        return self._call(function, arguments, span)

    def _is_whole(self, span: Span) -> bool:
        """Whether the expression is this name and nothing else."""
        before, after = self.source[: span[0]], self.source[span[1] :]
        return before.strip() in ("", "grad", "∇") and after.lstrip()[:2] in ("", "at")

    def _parameter(self, name: str, span: Span) -> Value:
        """The argument for a parameter of a function that is named but not called: the parameter's name."""
        if name in self._known and name not in self._kept:
            own = self._known[name]
            if not own.parameters:
                return self._call(own, [], span)
        return self._leaf(name, span)

    def _leaf(self, name: str, span: Span) -> Value:
        return super().name((name,), *span)

    def _call(self, function: Function, arguments: list[Value], span: Span) -> Value:
        """The formula of a function at these arguments, to be put in later.

        Raises `UsageError` if a variable in it would be taken for a parameter.
        """
        for name in function.variables:
            if name in self._parameters:
                raise UsageError(
                    f"{function.name} uses the variable {name}, which is a parameter here",
                    span,
                    f"choose another name for the parameter, or make {function.name} "
                    f"a function of {name}",
                )
            self._leaf(name, span)
        self._calls += 1
        return Call(function, tuple(arguments), span)

    def _linked(self, root: Value) -> Value:
        """A graph that is needed in full now: with formulas in place of calls."""
        if not self._calls:
            return root
        linker = Linker(self.variables)
        root = linker.linked(root)
        self.slopes += linker.slopes
        return root

    def _derivative(self, operand: Value, name: str, order: int, span: Span) -> Value:
        return super()._derivative(self._linked(operand), name, order, span)

    def _diff(self, arguments: list[Value], span: Span) -> Value:
        return super()._diff([*arguments[:2], *map(self._linked, arguments[2:])], span)

    def factorial(self, args: Args, start: int, end: int) -> Value:
        return super().factorial((self._linked(args[0]),), start, end)

    def call_to_power(self, args: Args, start: int, end: int) -> Value:
        name, exponent, arguments = args
        linked = self._linked(exponent)
        return super().call_to_power((name, linked, arguments), start, end)

    def _called(self, name: str, arguments: list[Value], span: Span) -> Value:
        if not self._is_known(name):
            return super()._called(name, arguments, span)
        function = self._function(name, span)
        if len(arguments) != len(function.parameters):
            count = len(function.parameters)
            raise ExpressionSyntaxError(
                f"{name} takes {count} argument{'s' * (count > 1)}, not {len(arguments)}",
                span,
                f"write {function.signature}",
            )
        return self._call(function, arguments, span)

    def _is_known(self, name: str) -> bool:
        if name in self._undefined:
            return False
        return name in self._known or name[-1] in PRIMES or "/" in name

    def _function(self, text: str, span: Span) -> Function:
        """The function of that name, or the derivative that `f'` or `df/dx` stands for."""
        if text in self._known:
            return self._known[text]
        if text not in self._derived:
            self._derived[text] = self._derivative_of(text, span)
        return self._derived[text]

    def _derivative_of(self, text: str, span: Span) -> Function:
        if leibniz.is_leibniz(text):
            name, wrt = leibniz.read(text, span)
            function = self._formula(name, span)
            for variable in wrt:
                refuse(variable, span)
            self._check_variable(function, wrt, span)
        else:
            name = text.rstrip(PRIMES)
            function = self._formula(name, span)
            wrt = (_only_variable(function, span),) * (len(text) - len(name))
            leibniz.check_order(len(wrt), span)
        return derived(function, text, wrt, span)

    def _formula(self, name: str, span: Span) -> Function:
        if name not in self._known:
            what = "there is no result yet" if name == ANS else f"{name} is a number"
            raise UsageError(what, span, "only formulas have derivatives")
        return self._known[name]

    def _check_variable(
        self, function: Function, wrt: tuple[str, ...], span: Span
    ) -> None:
        for name in wrt:
            if name in function.parameters or name in function.variables:
                continue
            if name in self._known:
                message = f"{name} stands for a formula and is not a variable"
                hint = f"the variables are: {', '.join(function.variables)}"
                raise UsageError(message, span, hint)
            if function.parameters:
                listed = ", ".join((*function.parameters, *function.variables))
                message = f"{function.signature} has no variable {name}"
                raise UsageError(message, span, f"its variables are: {listed}")
            said = "{} does not depend on {}"
            self.notes.add(f"without {name}", said, function.name, wrt[0])

    def shown(self, args: Args, start: int, end: int) -> Statement:
        return self._statement("shown", args[0], start, end, *args[1:])

    def gradient(self, args: Args, start: int, end: int) -> Statement:
        return self._statement("gradient", args[0], start, end, *args[1:])

    shown_at, gradient_at = shown, gradient

    def bound(self, args: Args, start: int, end: int) -> Statement:
        name, root = args
        return self._statement("bound", root, start, end)._replace(name=name)

    def defined(self, args: Args, start: int, end: int) -> Statement:
        name, parameters, root = args
        found = self._statement("defined", root, start, end)
        return found._replace(name=name, parameters=tuple(parameters))

    def _statement(
        self,
        kind: str,
        root: Value,
        start: int,
        end: int,
        bindings: Collection[Binding] = (),
    ) -> Statement:
        # with formulas in place of names, the reading is no longer that of the text
        implicit = self.notes.implicit and not self._calls
        leaves = self.variables
        given = tuple(b._replace(root=self._linked(b.root)) for b in bindings)
        if bindings:
            end = self.source.rindex("at", 0, min(b.span[0] for b in bindings))
            leaves = self._without(root, bindings)
        return Statement(
            kind,
            self.source,
            root,
            leaves,
            self.notes.texts(),
            implicit,
            tuple(self.slopes),
            self.source[start:end].strip(),
            given=given,
            mentioned=frozenset(self._mentioned),
        )

    def _without(self, root: Value, bindings: Collection[Binding]) -> dict[str, Value]:
        """The variables, except those that occur only in given values."""
        given = {leaf for b in bindings for leaf in topological(b.root)}
        roots = [root, *(s.root for s in self.slopes)]
        roots += [v for s in self.slopes for _, v in s.arguments]
        reached = [item for r in roots for item in topological(r)]
        used = {item.name for item in reached}
        for item in reached:
            used.update(item.function.variables if isinstance(item, Call) else ())
        return {
            name: leaf
            for name, leaf in self.variables.items()
            if name in used or leaf not in given
        }


def _only_variable(function: Function, span: Span) -> str:
    """The variable that a prime refers to."""
    names = function.parameters or function.variables
    if len(names) == 1:
        return names[0]
    if not names:
        message = f"{function.name} has no variable to differentiate with respect to"
        raise UsageError(message, span, "write d/dx (...)")
    name = function.name
    call = f" ({', '.join('.' * 3 for _ in names)})" if function.parameters else ""
    message = f"{name} has {len(names)} variables, and a prime does not say which"
    hint = f"write ∂{name}/∂{names[0]}{call}, or d{name}/d{names[0]}"
    raise UsageError(message, span, hint)


def read(tokens: StatementTokens, known: Mapping[str, Function]) -> Statement:
    """Read a statement from its tokens. Raises `ExprgradError`, with the place and a fix."""
    builder = StatementBuilder(tokens, known)
    try:
        statement: Statement = lalr.run(
            grammar.tables("session"),
            tokens.kinds,
            tokens.texts,
            tokens.spans,
            builder.actions,
        )
    except lalr.Unexpected as unexpected:
        raise _complaint(tokens, unexpected) from None
    except ExprgradError as error:
        error.source = error.source or tokens.source
        raise
    return statement


def _complaint(tokens: StatementTokens, unexpected: lalr.Unexpected) -> ExprgradError:
    from exprgrad.language.complaints import complaint

    kind = tokens.kinds[unexpected.index]
    error: ExprgradError = complaint(tokens, unexpected)
    if kind == "_ASSIGN":
        before = tokens.texts[: unexpected.index]
        if any(word[-1:] in PRIMES or "/d" in word or "/∂" in word for word in before):
            error.hint = ":check f(x), 2x asks whether 2x is the derivative of f(x)"
    if (
        kind == "_COMMA"
        and tokens.kinds[1:2] == ["_ASSIGN"]
        and "[" not in tokens.source
    ):
        error.hint = "a semicolon separates statements: a = 2; b = 3"
    error.source = tokens.source
    return error
