"""Statements of a session: their tokens, the grammar's actions that read them, and functions as they are put in.

    f(x, y) = x^2*y         f(3, a + 1) is read as 3^2*(a + 1)

The language is that of expressions, plus the names that the session knows. A name that can be called becomes a FUNCTION
before a bracket, with or without primes, as does `df/dx`; the name of a formula, like the call of a function, is a `Call`
until the statement is evaluated. Then a `Linker` replaces calls by formulas, so a chain of definitions costs no more to
read than its texts. Calls of one function with equal arguments share one copy: f_n(x) = f_(n-1)(x)*f_(n-1)(x) + 1 grows
with n, not 2^n.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import at_most
from exprgrad.errors import ExpressionSyntaxError, ExprgradError, Span, UsageError
from exprgrad.graph.numbering import GraphNumbering
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import rebuilt
from exprgrad.graph.value import Constant, Value, is_variable, node, power_operation
from exprgrad.language import brackets, characters, grammar, inputs, lalr, leibniz
from exprgrad.language.builder import Builder
from exprgrad.language.elsewhere import instead
from exprgrad.language.lalr import END, Args
from exprgrad.language.leibniz import PRIMES
from exprgrad.language.notes import Binding, Slope, shorten
from exprgrad.language.parser import Reading
from exprgrad.language.phrases import CALLED, PLACED
from exprgrad.language.products import customary
from exprgrad.language.scanning import bare
from exprgrad.language.scanning.reach import of_value
from exprgrad.language.scanning.scanner import Tokens
from exprgrad.lazy import pattern
from exprgrad.operations.operation import named, of_one_number
from exprgrad.operations.table import DIV, NE
from exprgrad.operations.vocabulary import (
    CONSTANTS,
    did_you_mean,
    function_base,
    is_function,
)


class Function(NamedTuple):
    """A formula in its parameters; a name that stands for a formula has none.

    `root` is its graph, with calls in it; `variables` are the names in it other than the parameters, and
    those of the functions that it calls; `slopes` are the derivatives that its text takes.
    """

    name: str
    parameters: tuple[str, ...]
    root: Value
    variables: tuple[str, ...]
    slopes: tuple[Slope, ...] = ()

    @property
    def signature(self) -> str:
        """Return how it is called: f(x, y), or just the name."""
        listed = ", ".join(self.parameters)
        return f"{self.name}({listed})" if self.parameters else self.name


class Call(Value):
    """Stands for the formula of a function at its operands, until a `Linker` puts that in."""

    __slots__ = ("function",)

    function: Function

    def __init__(
        self, function: Function, arguments: tuple[Value, ...], span: Span
    ) -> None:
        super().__init__(None, function.name)
        self.function, self.operands, self.span = function, arguments, span


def made(
    name: str, parameters: tuple[str, ...], root: Value, slopes: tuple[Slope, ...] = ()
) -> Function:
    """The function with this graph; its other variables are found there, and in what it is the slope of: of 3x, in x."""
    names: dict[str, None] = {}
    parts = [part for s in slopes for part in dict(s.arguments).values() or (s.root,)]
    for item in (item for part in (root, *parts) for item in topological(part)):
        if isinstance(item, Call):
            names |= dict.fromkeys(item.function.variables)
        elif is_variable(item):
            names[item.name or ""] = None
    others = tuple(n for n in names if n not in parameters)
    return Function(name, parameters, root, others, slopes)


def derived(function: Function, name: str, wrt: Sequence[str], span: Span) -> Function:
    """The derivative with respect to one variable after the other, as a function of the same parameters.

    Raises `UsageError`, at `span`, where derivatives of derivatives outgrow `MOST_OPERATIONS`.
    """
    from exprgrad.expressions.confirm import derivative
    from exprgrad.symbolic.derivative import MOST_OPERATIONS

    found = topological(function.root)
    # what the formulas in it are made of are its own variables
    own = {i.name or "": i for i in found if is_variable(i) and not isinstance(i, Call)}
    linker = Linker(own)
    root = linker.linked(function.root)
    slopes = [*function.slopes, *linker.slopes]
    needed = []
    for variable in wrt:
        needed.append((root, variable))
        # one derivative grows with its formula, derivatives of derivatives exponentially with their order
        most = MOST_OPERATIONS if slopes or len(needed) > 1 else None
        root = derivative(root, variable, most=most, span=span)
    slopes += [Slope(root, below, variable, (0, 0)) for below, variable in needed]
    return made(name, function.parameters, root, tuple(slopes))


def _formulas_in(function: Function) -> dict[Call, Value]:
    """The formulas that a formula is made of, each with a variable: what a partial derivative holds."""
    items = (item for item in topological(function.root) if isinstance(item, Call))
    found = [item for item in items if not item.function.parameters]
    leaves = {item.function.name: Value(None, item.function.name) for item in found}
    return {item: leaves[item.function.name] for item in found}


def _made_of(function: Function) -> set[str]:
    """The names of a formula, and of all that it is made of."""
    found, waiting = {function.name}, [function]
    while waiting:
        for call in _formulas_in(waiting.pop()):
            if call.function.name not in found:
                found.add(call.function.name)
                waiting.append(call.function)
    return found


def _in_parameter(
    y: Function, x: Function, wrt: tuple[str, ...], name: str, span: Span
) -> Function:
    """The slope of a curve x = t^2, y = t^3, which is (dy/dt)/(dx/dt). Raises `UsageError` without one parameter."""
    from exprgrad.expressions.confirm import simplify
    from exprgrad.expressions.stated import stated

    if len({*wrt}) > 1:
        message = "a derivative along a curve is by one variable"
        raise UsageError(message, span, f"write d^2{y.name}/d{x.name}^2")
    parameter = parameter_of(x, y, span)
    across, t = derived(x, name, (parameter,), span), Value(None, parameter)
    for _ in wrt:
        along = derived(y, name, (parameter,), span)
        # each formula has a leaf of its own for the parameter, of which a graph has one
        slope = rebuilt(node(DIV, (along.root, across.root)), lambda item, _: t if is_variable(item) else None)  # fmt: skip
        short = simplify(slope)
        # 3*t^2/(2*t) has no value at 0, where the curve may have a corner: 3*t/2 has one
        if not stated(slope, short, (), [(slope, None, short)]):
            slope = short
        y = made(name, y.parameters, slope, (*along.slopes, *across.slopes))
    return y


def parameter_of(x: Function, y: Function, span: Span) -> str:
    """The only variable of two formulas. Raises `UsageError` where there are more."""
    own, others = x.parameters + x.variables, y.parameters + y.variables
    direct = {call.function.name: call.function for call in _formulas_in(y)}
    takes = {x.name in _made_of(inner) for inner in direct.values()}
    if takes == {True, False} and x.name in direct:
        message = f"d{y.name}/d{x.name} may hold what else {y.name} is made of, or not"
        hint = f"write ∂{y.name}/∂{x.name} to hold it, or d{y.name}/d{own[0]}"
        raise UsageError(message, span, hint)
    if len(own) == 1 and own == others and x.parameters == y.parameters:
        return own[0]
    message = f"{x.name} stands for a formula and is not a variable"
    raise UsageError(message, span, f"the variables are: {', '.join(others)}")


Key = tuple[object, ...]
"""The root and the parameters of a function, and the numbers of its arguments."""

Wanted = tuple[Function, tuple[Value, ...], Span]
"""A function that is called, its arguments, and where."""

Copies = dict[Value, Value]
Leaf = Callable[[Value], Value]
"""The copy of each node, and what gives that of a leaf."""

Frame = Generator[Wanted, Value, Value]
"""A graph that is being copied: it yields a call, is sent its formula, and returns the copy."""


class Linker:
    """Replaces calls by formulas, within one text.

    `leaves` are the variables of the text by name, which its formulas share. `slopes` are the derivatives
    taken in the formulas that were put in.
    """

    def __init__(self, leaves: dict[str, Value]) -> None:
        self.leaves = leaves
        self.slopes: list[Slope] = []
        self._count = 0
        self._numbering = GraphNumbering()
        self._copies: dict[Key, Value] = {}

    def linked(self, root: Value) -> Value:
        """The graph without calls; the same one if it has none. Raises `UsageError` if it is too large."""
        # one frame per formula that is being copied, since definitions may be nested to any depth
        self._count = 0
        whole = self._copying(root, {}, lambda leaf: leaf, None)
        frames: list[tuple[Key, Frame]] = [((), whole)]
        value: Value | None = None
        while frames:
            key, frame = frames[-1]
            try:
                call = frame.send(value)  # type: ignore[arg-type] # None starts a frame
            except StopIteration as end:
                value = self._copies[key] = end.value
                frames.pop()
                continue
            function, arguments, span = call
            numbers = map(self._numbering.number, arguments)
            key = (function.root, function.parameters, *numbers)
            value = self._copies.get(key)
            if value is None:
                given = dict(zip(function.parameters, arguments, strict=True))
                frames.append((key, self._instance(function, given, span)))
        return self._copies.pop(())

    def _instance(
        self, function: Function, given: Mapping[str, Value], span: Span
    ) -> Frame:
        """A copy of a formula with the arguments in place of its parameters."""
        copies: Copies = {}

        def leaf(item: Value) -> Value:
            name = item.name or ""
            if isinstance(item, Constant):
                return item
            return given[name] if name in given else self.leaf(name, span)

        root = yield from self._copying(function.root, copies, leaf, span)
        for slope in function.slopes:
            copy = yield from self._copying(slope.derived, copies, leaf, span)
            # the values of the parameters in the formula that the derivative was taken of
            own: dict[str, Value] = {}
            for name, value in slope.arguments:
                own[name] = yield from self._copying(value, copies, leaf, span)
            for name in (i.name or "" for i in topological(slope.root) if is_variable(i)):  # fmt: skip
                if name in given:
                    own.setdefault(name, given[name])
                elif name not in own:
                    self.leaf(name, span)
            new = slope._replace(derived=copy, span=span, arguments=tuple(own.items()))
            self.slopes.append(new)
        # f(x) = g(2x) + g(3x), g(x) = h(2x) + h(3x) … doubles with every definition, though each is short
        self._count += len(copies)
        at_most("function", self._count, function.signature, span=span)
        return root

    def _copying(self, root: Value, copies: Copies, leaf: Leaf, span: Any) -> Frame:
        for item in topological(root):
            # the formula and the derivatives taken in it share their parts
            if item in copies:
                continue
            operands = tuple([copies[operand] for operand in item.operands])
            if isinstance(item, Call):
                where = span or item.span or (0, 0)
                copies[item] = yield item.function, operands, where
            elif item.operation is None:
                copies[item] = leaf(item)
            else:
                copies[item] = _applied(item, operands, span)
        return copies[root]

    def leaf(self, name: str, span: Span) -> Value:
        """The variable of that name."""
        known = self.leaves.get(name)
        if known is None:
            known = self.leaves[name] = Value(None, name)
            known.span = span
        return known


def _applied(item: Value, operands: tuple[Value, ...], span: Span | None) -> Value:
    """The operation of a node on copies; which one it is may depend on what these are."""
    from exprgrad.language.calls import truth

    operation, first = item.operation, item.operands[0]
    assert operation is not None
    if span is None and operands == item.operands:
        return item
    if operation.rule == "power":
        # of f(x, n) = x^n, f(-8, 1/3) is a real root, an operation of its own
        operation = power_operation(operands[1])
    elif isinstance(first, Call) and operation is NE and item.span == first.span:
        return truth(operands[0])  # of a call that may turn out to be a comparison
    return node(operation, operands, span or item.span)


ANS = "ans"
"""The name of the last result."""

# \w matches ² and ½, too, which are no letters of a name: x² is a power
_NAME = rf"[^\W\d_π{characters.RAISED}¼-¾⅐-⅞][^\Wπ{characters.RAISED}¼-¾⅐-⅞]*"
_HEAD = pattern(rf"\s*({_NAME})\s*\(([^()=]*)\)\s*=(?!=)")
_CALL = pattern(r"\s*(?:\^\s*[-−]?[0-9]+|[⁻²³⁴-⁹⁰¹]+)?\s*[(\[{]")
_BOUND = pattern(r"\s*=(?!=)")
_LISTED = pattern(rf"\s*{_NAME}\s*(?:,\s*{_NAME}\s*)*")
_AT = pattern(rf"\s+{_NAME}\s*=(?!=)")
_GIVEN = pattern(rf"(?:\bat|,)\s*({_NAME})\s*=(?!=)")
_OPERAND = pattern(r"\s*[\w(\[{∂√]")


def head(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The name and the parameters at the beginning of a definition such as `f(x, y) = ...`."""
    if "(" not in text.partition("=")[0]:
        return None
    match = _HEAD.match(text)
    if match is None or not _LISTED.fullmatch(match.group(2)):
        return None
    names = inputs.normal(match.group(2)).split(",")
    return match.group(1), tuple(name.strip() for name in names)


def refuse(name: str, span: Span, called: bool = False) -> None:
    """Raise `UsageError` for a name that already has a meaning."""
    if name in CONSTANTS:
        what = "a constant and has its value"
    elif name == ANS:
        what = "the last result"
    elif is_function(name, called):
        signatures = [o.signature for o in named(function_base(name)[0]).values()]
        what = f"a function, {signatures[0]}" if signatures else "an operator"
    else:
        return
    raise UsageError(f"{name} is {what}", span, "choose another name")


class Words:
    """The meanings of names to the scanner: functions and formulas, and those of the latter that are `declared` where they are read."""

    def __init__(self, words: Words | None = None, declared: Any = None) -> None:
        self.functions: set[str] = words.functions if words else set()
        self.formulas: set[str] = words.formulas if words else set()
        self.declared: Collection[str] = self.formulas if declared is None else declared

    def put(self, name: str, called: bool | None) -> None:
        """Say whether a name is `called` from now on, as functions are; None where it means nothing any more."""
        for kind, own in ((True, self.functions), (False, self.formulas)):
            own.discard(name)
            if kind is called:
                own.add(name)


class StatementTokens(Tokens):
    """The tokens of a statement.

    `mentioned` are the names in it, each with its first place, except the name that it defines and its
    `parameters`. `kept` are those that are variables here whatever they mean elsewhere: parameters, names
    after `at`, and names that are differentiated with respect to.
    """

    grammar = "session"
    settles = Tokens.settles | {
        "PRIMED": "_primed", "D_NAMED": "_d_named", "LAST": "_last",
    }  # fmt: skip
    operands = Tokens.operands | {"PRIMED", "D_NAMED", "LAST"}

    def __init__(self, source: str, words: Words, by: Collection[str] = ()) -> None:
        found, self.typed = head(source), source
        self.parameters = found[1] if found else ()
        self.kept = set(self.parameters)
        self.mentioned: dict[str, Span] = {}
        # the sets of a session are shared, not copied, unless a parameter hides a name: there may be 20,000
        declared = words.declared
        self._functions, self._formulas = words.functions, words.formulas
        if self.parameters:
            declared = {*declared, *self.parameters}
            self._functions = self._functions.difference(self.parameters)
            self._formulas = self._formulas.difference(self.parameters)
        super().__init__(source, declared, lenient=True, by={*by, *self.parameters})

    def _check_ends(self) -> None:
        """Put brackets around a function of the session that is a bare argument: sin f(x)."""
        super()._check_ends()
        kinds, pairs = self.kinds, brackets.pairs(self.kinds)
        following = [*kinds, END, END]
        for place in [i for i, kind in enumerate(kinds) if kind == "FUNCTION"][::-1]:
            start = bare.behind_exponent(following, place + 1, pairs)
            if kinds[start : start + 2] == ["FUNCTION", "_LPAR"] and self._is_known(self.texts[start].rstrip(PRIMES)):  # fmt: skip
                end = pairs[start + 1]
                self.insert(end + 1, "_RPAR", ")", self.spans[end])
                self.insert(start, "_LPAR", "(", self.spans[start])

    def _last(self, text: str, span: Span) -> None:
        self._operand(ANS, ANS, span, "LAST")

    def _d_by(self, text: str, span: Span) -> None:
        self.kept.update(leibniz.names(text)[1])
        super()._d_by(text, span)

    def _name(self, typed: str, span: Span) -> None:
        text = self._normal(typed, span)
        is_placed = text in self._formulas and self._takes_argument(text, span[1])
        begins = not (self.kinds or text in self._declared)
        if not self.kinds and (self.parameters or _BOUND.match(self.source, span[1])):
            self._define(text, span)
        elif text == "at" and self.kinds and _AT.match(self.source, span[1]):
            self.kept.update(_GIVEN.findall(self.source, span[0]))
            self._add("_AT", text, span)
        elif text == "grad" and begins and _OPERAND.match(self.source, span[1]):
            self._add("_GRAD", text, span)
        elif is_placed or text in self._functions or text == ANS:
            self._operand(text, text, span)
        else:
            super()._name(typed, span)  # as it was typed, for a subscript ends a name

    def _unknown(self, name: str, span: Span, called: bool) -> None:
        try:
            super()._unknown(name, span, called)
        except ExpressionSyntaxError as error:
            if "did you mean" not in (error.hint or "") and not instead(name):
                error.hint = f"define it: {shorten(name)}(x) = ..."
            raise

    def _refuse_call(self, name: str, span: Span, called: bool) -> None:
        """A definition may use a function that is defined after it."""
        if called and "_ASSIGN" not in self.kinds:
            super()._refuse_call(name, span, called)

    def _define(self, name: str, span: Span) -> None:
        refuse(name, span, called=bool(self.parameters))
        for parameter in self.parameters:
            # the place is that of all parameters: the message names the one that is meant
            where = (self.source.index("(") + 1, self.source.index(")"))
            refuse(parameter, where)
            if self.parameters.count(parameter) > 1:
                raise UsageError(f"{parameter} is given twice as a parameter", where)
        super()._add("DEFINE" if self.parameters else "NAME", name, span)

    def _add(self, kind: str, text: str, span: Span) -> int:
        if kind == "NAME":
            self._mention(text, span)
            # of xf(x), the brackets are those of f
            is_call = text in self._functions and self._takes_argument(text, span[1])
            kind = "FUNCTION" if is_call else kind
        return super()._add(kind, text, span)

    def _is_free(self, name: str) -> bool:
        # also of h(x) = f(g(x)) the h
        is_own = name in self.parameters or (self.parameters and self.typed.lstrip().startswith(name))  # fmt: skip
        return not (is_own or self._is_known(name)) and super()._is_free(name)

    def _undefined_call(self, name: str, span: Span) -> None:
        self._mention(name.rstrip(PRIMES), span)
        super()._undefined_call(name, span)

    def _is_known(self, name: str) -> bool:
        return name in self._functions or name in self._formulas or name == ANS

    def _mention(self, name: str, span: Span) -> None:
        if name not in self.parameters:
            self.mentioned.setdefault(name, span)

    def _operand(self, name: str, text: str, span: Span, kind: str = "NAME") -> None:
        """Something that the session knows: a function before a bracket, a formula before a place, else a name."""
        self._mention(name, span)
        called = kind != "LAST" and text != ANS and self._takes_argument(name, span[1])
        super()._add("FUNCTION" if called else kind, text, span)

    def _takes_argument(self, name: str, end: int) -> bool:
        """Return whether brackets that hold an argument, and are no factor, follow a name that ends there."""
        brackets = _CALL if name in self._functions or name in CALLED else PLACED
        return brackets.match(self.source, end) is not None

    def _primed(self, text: str, span: Span) -> None:
        name = text.rstrip(PRIMES)
        is_product = not self._is_known(name) and all(map(self._is_known, name))
        for i, factor in enumerate(name[:-1] if is_product else ""):  # the u of uv'
            self._operand(factor, factor, (span[0] + i, span[0] + i + 1))
        if is_product:
            last = len(name) - 1
            self._operand(name[-1], text[last:], (span[0] + last, span[1]), "PRIMED")
        elif self._is_known(name):
            self._operand(name, text, span, "PRIMED")
        elif of_one_number(name):
            self._add("FUNCTION", text, span)
        else:
            raise self._no_function(name, (span[0], span[0] + len(name)))

    def _no_function(self, name: str, where: Span) -> ExprgradError:
        known = self._functions | self._formulas
        hint = did_you_mean(name, known, f"define it: {name}(x) = ...")
        if name in self._declared:
            hint = f"{name} is not a function: write d/dx ({name})"
        return ExpressionSyntaxError(f"there is no function {name}", where, hint)

    def _d_named(self, text: str, span: Span) -> None:
        """`df/dx` if f is known; else, unless it is written with ∂, a quotient of names."""
        name, below = leibniz.names(text)
        for known in (name, *(n for n in below if self._is_known(n))):
            self._mention(known, span)
        words = [f"d{name}", *(f"d{variable}" for variable in below)]
        plain = any(word in self._declared for word in words) and "∂" not in text
        if self._is_known(name) and not plain:
            self._operand(name, text, span, "D_NAMED")
        elif "∂" in text or (not plain and text == self.source.strip()):
            raise self._no_function(name, leibniz.place_of_name(text, span[0]))
        else:
            self._quotient(text, span)


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
        """Return whether it uses the last result."""
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


_INVERSE = pattern(r"\s*(?:\^\s*\(?\s*[-−]\s*1\b|⁻¹)")


class StatementBuilder(Builder):
    """The actions of the session grammar; `known` are functions and formulas by name."""

    def __init__(self, tokens: StatementTokens, known: Mapping[str, Function]) -> None:
        super().__init__(tokens)
        self._undefined = tokens.undefined_calls.values()
        self._known = known
        self._kept, self._typed = tokens.kept, tokens.typed
        self._formulas = tokens._formulas
        self._mentioned = tokens.mentioned
        self._parameters = tokens.parameters
        self._calls = 0
        self._derived: dict[str, Function] = {}

    def name(self, args: Args, start: int, end: int) -> Value:
        span = (start, end)
        text = ANS if args[0] == "_" else args[0]
        if text == ANS and ANS not in self._known:
            raise UsageError("there is no result yet", span, "type an expression first")
        if (text not in self._known and text.isidentifier()) or text in self._kept:
            return super().name((text,), start, end)
        function = self._function(text, span)
        if function.parameters and _INVERSE.match(self.source, end):
            message, hint = f"the inverse of {text} has no formula here", f"write 1/{function.signature} for the reciprocal; ({text}^-1)'(2) = ... is checked"  # fmt: skip
            raise UsageError(message, span, hint)
        if function.parameters and not self._is_whole(span):
            self.notes.add(text, "{} is read as {}", text, function.signature)
        arguments = [self._parameter(p, span) for p in function.parameters]
        return self._call(function, arguments, span)

    def _is_whole(self, span: Span) -> bool:
        """Return whether the expression is this name and nothing else."""
        before, after = self.source[: span[0]], self.source[span[1] :]
        return before.strip() in ("", "grad", "∇") and after.lstrip()[:2] in ("", "at")

    def _parameter(self, name: str, span: Span) -> Value:
        """The argument for a parameter of a function that is named but not called: the parameter's name."""
        own = self._known.get(name)
        if own is not None and name not in self._kept and not own.parameters:
            return self._call(own, [], span)
        return super().name((name,), *span)

    def _call(self, function: Function, arguments: list[Value], span: Span) -> Value:
        """The formula of a function at these arguments, to be put in later.

        Raises `UsageError` if a variable in it would be taken for a parameter.
        """
        for name in function.variables:
            if name in self._parameters:
                message = f"{function.name} uses the variable {name}, which is a parameter here"
                hint = f"choose another name for the parameter, or make {function.name} a function of {name}"
                raise UsageError(message, span, hint)
            super().name((name,), *span)
        self._calls += 1
        return Call(function, tuple(arguments), span)

    def _linked(self, root: Value) -> Value:
        """A graph that is needed in full now: with formulas in place of calls."""
        linker = Linker(self.variables)
        root = linker.linked(root)
        self.slopes += linker.slopes
        return root

    def _derivative(self, operand: Value, name: str, order: int, span: Span) -> Value:
        if isinstance(operand, Call) and operand.operands and name in operand.function.parameters and not any(is_variable(x) for own in operand.operands for x in topological(own)):  # fmt: skip
            typed = self.source[slice(*self._as_typed(span))]
            call = self.source[slice(*operand.span or span)]
            raise of_value(typed, call, operand.function.parameters, span)
        return super()._derivative(self._linked(operand), name, order, span)

    def _diff(self, arguments: list[Value], span: Span) -> Value:
        return super()._diff([*arguments[:2], *map(self._linked, arguments[2:])], span)

    def factorial(self, args: Args, start: int, end: int) -> Value:
        return super().factorial((self._linked(args[0]),), start, end)

    def call_to_power(self, args: Args, start: int, end: int) -> Value:
        name, exponent, arguments = args
        # sin^(m(1))(x) is the inverse function if m(1) is -1
        linked = self._linked(exponent)
        return super().call_to_power((name, linked, arguments), start, end)

    def _called(self, name: str, arguments: list[Value], span: Span) -> Value:
        if not (name in self._formulas or self._is_known(name)):
            return super()._called(name, arguments, span)
        function = self._function_at(name, arguments, span)
        if function is None:
            left = self.name((name,), span[0], span[0] + len(name))
            return self.juxtaposed((left, *arguments), *span)
        if len(arguments) != len(function.parameters):
            count = len(function.parameters)
            told = f"{name} takes {count} argument{'s' * (count > 1)}, not {len(arguments)}"
            raise ExpressionSyntaxError(told, span, f"write {function.signature}")
        return self._call(function, arguments, span)

    def _function_at(self, name: str, at: list[Value], span: Span) -> Function | None:
        """What is called: of y = x^2, y(3) is 9; None where the brackets behind a formula are a factor."""
        if name in self._formulas and (name in self._kept or name not in self._known):
            return None
        function = self._function(name, span)
        if function.parameters:
            return function
        if leibniz.is_leibniz(name):
            own = tuple({*leibniz.read(name, span)[1]})
        else:
            own = self._own(self._formula(name.rstrip(PRIMES), span))
        is_name = name in self._known.keys() - CALLED and is_variable(at[0])
        if len(own) != 1 or (is_name and at[0].name not in own):
            return None
        linker = Linker({})
        root = linker.linked(function.root)
        return made(function.name, own, root, (*function.slopes, *linker.slopes))

    def _own(self, function: Function) -> tuple[str, ...]:
        """The variables of a function or a formula: those of the latter that have no value, if there are any."""
        # the mx of y = mx + c may be m*x
        known, usual = self._formulas, customary(function.variables)
        free = tuple(n for n in function.variables if {n, *n}.isdisjoint(known))
        return function.parameters or usual or free or function.variables

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
            # of z = x^2 + y^2, ∂z/∂x holds y; ∂z/∂t goes through x and y, which are formulas in t and s
            leaves = {i.name for i in topological(function.root) if is_variable(i)}
            held = self._held(function) if "∂" in text or leaves == {*wrt} else function
            if {*wrt} <= {*held.parameters, *held.variables}:
                function = held
            for variable in wrt:
                refuse(variable, span)
                if variable in function.parameters or variable in function.variables:
                    continue
                inner = self._known.get(variable)
                if inner is not None and inner.parameters + inner.variables:
                    return _in_parameter(function, inner, wrt, text, span)
                if function.parameters:
                    own = ", ".join((*function.parameters, *function.variables))
                    message = f"{function.signature} has no variable {variable}"
                    raise UsageError(message, span, f"its variables are: {own}")
                said = "{} does not depend on {}"
                self.notes.add(f"without {variable}", said, function.name, wrt[0])
        else:
            name = text.rstrip(PRIMES)
            function = self._formula(name, span)
            own = _only_variable(function, self._own(function), span)
            wrt = (own,) * (len(text) - len(name))
            leibniz.check_order(len(wrt), span)
        return derived(function, text, wrt, span)

    def _held(self, function: Function) -> Function:
        """The same as a function of the formulas that it is made of, which a partial derivative holds."""
        calls: dict[Any, Value] = {**_formulas_in(function)}
        own = {call.function.name: call.function for call in calls}
        self._known = {**self._known, **own}
        root = rebuilt(function.root, lambda item, _: calls.get(item))
        return made(function.name, (*function.parameters, *own), root, function.slopes)

    def _formula(self, name: str, span: Span) -> Function:
        if name in self._known:
            return self._known[name]
        if own := of_one_number(name):
            return made(name, ("x",), node(own, (Value(None, "x"),), span))
        what = "there is no result yet" if name == ANS else f"{name} is a number"
        raise UsageError(what, span, "only formulas have derivatives")

    def shown(self, args: Args, start: int, end: int) -> Statement:
        return self._statement("shown", args[0], (start, end), *args[1:])

    def gradient(self, args: Args, start: int, end: int) -> Statement:
        return self._statement("gradient", args[0], (start, end), *args[1:])

    shown_at, gradient_at = shown, gradient

    def bound(self, args: Args, start: int, end: int) -> Statement:
        name, root = args
        return self._statement("bound", root, (start, end))._replace(name=name)

    def defined(self, args: Args, start: int, end: int) -> Statement:
        name, parameters, root = args
        found = self._statement("defined", root, (start, end))
        return found._replace(name=name, parameters=tuple(parameters))

    def _statement(
        self, kind: str, root: Value, span: Span, bindings: Collection[Binding] = ()
    ) -> Statement:
        start, end = span
        # with formulas in place of names, the reading is no longer that of the text
        implicit = self.notes.implicit and not self._calls
        leaves = self.variables
        given = tuple(b._replace(root=self._linked(b.root)) for b in bindings)
        if bindings:
            # the last `at` before the values: atan(x) at x=1 has another
            end = self.source.rindex("at", 0, min(b.span[0] for b in bindings))
            leaves = self._without(root, bindings)
        # with the brackets of (d/dx) and the end of d(x^2)/dx, for which blanks stand
        after = len(self.source) - len(self.source[end:].lstrip())
        title = self._typed[len(self.source[:start].rstrip()) : after].strip()
        read = root, leaves, self.notes.texts(), implicit, tuple(self.slopes), title
        whole = Statement(kind, self._typed, *read)
        return whole._replace(given=given, mentioned=frozenset(self._mentioned))

    def _without(self, root: Value, bindings: Collection[Binding]) -> dict[str, Value]:
        """The variables, except those that occur only in given values."""
        # the a of x^2 at x=a is no variable of the expression
        given = {leaf for b in bindings for leaf in topological(b.root)}
        roots = [root, *(s.root for s in self.slopes)]
        roots += [v for s in self.slopes for _, v in s.arguments]
        reached = [item for r in roots for item in topological(r)]
        used = {item.name for item in reached}
        for item in reached:
            used.update(item.function.variables if isinstance(item, Call) else ())
        own = self.variables.items()
        return {n: leaf for n, leaf in own if n in used or leaf not in given}


def _only_variable(function: Function, names: tuple[str, ...], span: Span) -> str:
    """The variable that a prime refers to, of the `names` that are left open."""
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
    lists = tokens.kinds, tokens.texts, tokens.spans
    try:
        found: Statement = lalr.run(grammar.tables("session"), *lists, builder.actions)
    except lalr.Unexpected as unexpected:
        raise _complaint(tokens, unexpected) from None
    except ExprgradError as error:
        error.source = error.source or tokens.source
        raise
    return found


def _complaint(tokens: StatementTokens, unexpected: lalr.Unexpected) -> ExprgradError:
    from exprgrad.language.complaints import complaint

    kind = tokens.kinds[unexpected.index]
    error: ExprgradError = complaint(tokens, unexpected)
    if kind == "_ASSIGN":
        before = tokens.texts[: unexpected.index]
        if any(word[-1:] in PRIMES or "/d" in word or "/∂" in word for word in before):
            error.hint = ":check f(x), 2x asks whether 2x is the derivative of f(x)"
    is_list = "[" in tokens.source
    if kind == "_COMMA" and tokens.kinds[1:2] == ["_ASSIGN"] and not is_list:
        error.hint = "a semicolon separates statements: a = 2; b = 3"
    error.source = tokens.source
    return error
