r"""LaTeX to a graph, with notes on how it was read.

read(r"\frac{d}{dx}\left\{x^2\right\} = 2x").sides     two readings; the chain is worth its last
is_latex(r"\sin x")                                    True, for a backslash and a letter, $…$, ^{ or _{
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import product

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExpressionSyntaxError, ExprgradError, Span
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Value, node, power_operation
from exprgrad.language import grammar, lalr, undefined
from exprgrad.language.builder import Builder
from exprgrad.language.calls import truth
from exprgrad.language.lalr import Args
from exprgrad.language.latex import tex
from exprgrad.language.latex.cases import cover
from exprgrad.language.latex.complaints import complaint
from exprgrad.language.latex.tokens import LatexTokens
from exprgrad.language.parser import Reading
from exprgrad.language.scanning.defined import NOTHING, Defined, Reference
from exprgrad.language.scanning.token_lists import Lists
from exprgrad.lazy import pattern
from exprgrad.operations import table
from exprgrad.operations.operation import TABLE, named


class Chain(NamedTuple):
    """The reading of a formula: the sides that have a value, and what names the first if that is no value.

    `head` is the span of y', f'(x) or f(x) before the first `=`.
    """

    sides: tuple[Reading, ...]
    head: Span | None


def read(
    source: str,
    variables: Collection[str] = (),
    macros: tex.Macros | None = None,
    defined: Defined = NOTHING,
) -> Chain:
    """Read a formula or a chain of equal ones. Raises `ExpressionSyntaxError`, with the place and a fix."""
    if defined is NOTHING and (own := undefined.names(tex_plain(source), lambda n: n not in variables)):  # fmt: skip
        defined = Undefined(frozenset(own))
    try:
        tokens = LatexTokens(source, variables, macros, defined)
        sides = (_side(tokens, side, defined) for side in tokens.sides())
        return Chain(tuple(sides), tokens.head)
    except ExprgradError as error:
        error.source = source
        raise


def tex_plain(source: str) -> str:
    """A formula with blanks for the sizes of brackets."""
    return _SIZES.sub(lambda m: " " * len(m[0]), source)


_SIZES = pattern(r"\\(?:left|right|[bB]igg?[lr]?)(?![a-zA-Z])")


class Undefined(Defined):
    """Functions that nobody has defined."""

    calls_partials = True

    def value(
        self, reference: Reference, arguments: tuple[Value, ...] | None, span: Span
    ) -> Value | None:
        """Keep a call by its name, and refuse the name alone."""
        if arguments is not None:
            return None
        what = f"{reference.name} is a function that is not defined"
        raise ExpressionSyntaxError(what, span, f"write {reference.name}(x)")


def _side(tokens: LatexTokens, side: Lists, defined: Defined) -> Reading:
    builder = LatexBuilder(tokens, defined)
    try:
        root = lalr.run(grammar.tables("latex"), *side, builder.actions)
    except lalr.Unexpected as unexpected:
        raise complaint(tokens.source, side, unexpected) from None
    return Reading.of(root, builder)._replace(implicit=False)


class LatexBuilder(Builder):
    """Builds the graph of a formula: what the builder of texts does, and what only books print."""

    def __init__(self, tokens: LatexTokens, defined: Defined) -> None:
        super().__init__(tokens, defined)
        self._slashed: set[Value] = set()

    def _note_reading(self, kind: str, whole: Span, first: Span, between: str) -> None:
        between = {"*": r" \cdot "}.get(between, between)
        super()._note_reading(kind, whole, first, between)

    def symbol(self, args: Args, start: int, end: int) -> Value:
        raise ExpressionSyntaxError(f"{args[0]} is not known here", (start, end))

    def frac(self, args: Args, start: int, end: int) -> Value:
        return node(table.DIV, args, (start, end))

    def div(self, args: Args, start: int, end: int) -> Value:
        quotient = node(table.DIV, args, (start, end))
        self._slashed.add(quotient)
        return quotient

    def juxtaposed(self, args: Args, start: int, end: int) -> Value:
        left, right = args
        if left in self._slashed and left.span:
            self._note_reading("quotient", (start, end), left.span, "*")
        return node(table.MUL, (left, right), (start, end))

    def root_of(self, args: Args, start: int, end: int) -> Value:
        degree, operand = args
        own = {"2": table.SQRT, "3": table.CBRT}.get(str(rational(degree)))
        operands = (operand,) if own else (operand, degree)
        return node(own or table.ROOT, operands, (start, end))

    def factorial(self, args: Args, start: int, end: int) -> Value:
        r"""n!, of a variable as \Gamma(n+1)."""
        operand: Value = args[0]
        self._refuse_double(operand, (start, end))
        if self._variable_in(operand) is not None:
            said = "{} is read as \\Gamma({}+1)"
            self.notes.add("factorial", said, (start, end), (start, end - 1))
        return self._factorial(operand, (start, end))

    def _factorial(self, operand: Value, span: Span) -> Value:
        if self._variable_in(operand) is None:
            return node(table.FACTORIAL, (operand,), span)
        one = self.number(("1",), span[1], span[1])
        return node(table.GAMMA, (node(table.ADD, (operand, one), span),), span)

    def choose(self, args: Args, start: int, end: int) -> Value:
        """n over k, by factorials."""
        upper, lower = args
        span = start, end
        rest = node(table.SUB, (upper, lower), span)
        below = node(table.MUL, (self._factorial(lower, span), self._factorial(rest, span)), span)  # fmt: skip
        return node(table.DIV, (self._factorial(upper, span), below), span)

    def call_to_power(self, args: Args, start: int, end: int) -> Value:
        name, exponent, arguments = args
        is_inverse, span = rational(exponent) == -1, (start, end)
        if name in self._references and is_inverse:
            raise self._two_ways(f"{name}^{{-1}}", f"{name}(x)", span)
        inside = exponent.span
        # the tree has no brackets any more: whether \psi^{(n)} or \psi^{n} was typed, only the source tells
        whole = self.source[inside[0] - 1 : inside[1] + 1] if inside else ""
        if whole.startswith("(") and whole.endswith(")"):
            # the derivative of that order of a function that has a row for them: \psi^{(n)}(x)
            own = named(name).get(2)
            if own is None or len(arguments) != 1 or own.fold or name == "log":
                message = "the derivatives of a function are not read in this notation"
                raise ExpressionSyntaxError(message, span, r"write \frac{d}{dx}")
            return node(own, (arguments[0], exponent), span)
        # an exponent of -1 means the inverse function where that is one of angles
        if is_inverse and any(
            not (own.angle or own.family == "hyperbolic" or own.name[-1:] == "h")
            for own in named(name).values()
        ):
            raise self._two_ways(f"{name}^{{-1}}", rf"\{name} x", span)
        return super().call_to_power(args, start, end)

    def _two_ways(
        self, typed: str, denominator: str, span: Span
    ) -> ExpressionSyntaxError:
        hint = f"write \\frac{{1}}{{{denominator}}} for the reciprocal"
        return ExpressionSyntaxError(f"{typed} can be read in two ways", span, hint)

    def call_with_base(self, args: Args, start: int, end: int) -> Value:
        _, base, arguments = args
        if len(arguments) != 1:
            raise ExpressionSyntaxError("a logarithm has one argument", (start, end))
        return node(table.LOG, (arguments[0], base), (start, end))

    def call_with_base_to_power(self, args: Args, start: int, end: int) -> Value:
        name, base, exponent, arguments = args
        if rational(exponent) == -1:
            message = "this may be a power or the inverse function"
            raise ExpressionSyntaxError(message, (start, end))
        called = self.call_with_base((name, base, arguments), start, end)
        return node(power_operation(exponent), (called, exponent), (start, end))

    def case(self, args: Args, start: int, end: int) -> tuple[Value, Value | None]:
        return args[0], args[1]

    def otherwise(self, args: Args, start: int, end: int) -> tuple[Value, Value | None]:
        return args[0], None

    def cases(self, args: Args, start: int, end: int) -> Value:
        rows: list[tuple[Value, Value | None]] = args[0]
        *others, (result, last) = rows
        if last is not None and not cover([condition for _, condition in rows]):
            message = "these cases leave out some values"
            hint = r"end with \text{otherwise}"
            raise ExpressionSyntaxError(message, (start, end), hint)
        # the first condition that holds decides, so the last case is the innermost `else`
        for value, condition in reversed(others):
            if condition is None:
                message = "'otherwise' is the last case"
                raise ExpressionSyntaxError(message, (start, end), "put it at the end")
            result = node(TABLE["if"], (truth(condition), value, result), (start, end))
        return result


def _between(first: str, second: str) -> Any:
    def build(self: LatexBuilder, args: Args, start: int, end: int) -> Value:
        low, middle, high = args
        span = start, end
        one = node(TABLE[first], (low, middle), span)
        return node(table.AND, (one, node(TABLE[second], (middle, high), span)), span)

    return build


_ALIKE = *product(("lt", "le"), repeat=2), *product(("gt", "ge"), repeat=2)
for _first, _second in _ALIKE:
    setattr(LatexBuilder, f"{_first}_{_second}", _between(_first, _second))
