r"""The meanings of names in a document: f(3), f'(x), y' and \frac{dy}{du} of what was defined further up.

Definitions({"u": Given("3x^2+1", ()), "y": Given("u^5", ())}, {})
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from exprgrad.annotations import NamedTuple
from exprgrad.checking.check import equivalent
from exprgrad.errors import Span, UsageError
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.expression import Expression, parse
from exprgrad.expressions.taylor import at_place
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Value, node
from exprgrad.language import undefined
from exprgrad.language.latex import reader, tex
from exprgrad.language.products import letters
from exprgrad.language.scanning.defined import Reference
from exprgrad.operations.table import DIV

DEEPEST = 12
"""Definitions that stand in one another."""


class Diverges(UsageError):
    """A limit that is no number: of a quotient of which only the denominator goes to 0."""


class Given(NamedTuple):
    """A function that a document defines: its TeX, or text, its parameters, and where that stands."""

    text: str
    parameters: tuple[str, ...]
    latex: bool = True
    start: int = 0


class Definitions(reader.Undefined):
    """The functions of a document; `formulas` are names that stand for theirs without being called.

    `used` are those of them that were met.
    """

    in_latex = True
    calls_partials = False

    def __init__(
        self,
        given: Mapping[str, Given],
        macros: tex.Macros,
        formulas: frozenset[str] = frozenset(),
        depth: int = 0,
        used: set[str] | None = None,
    ) -> None:
        products = frozenset(n for n in formulas if not given[n].parameters)
        super().__init__(frozenset(given), formulas, products)
        self.given, self.macros, self.depth = given, macros, depth
        self.used: set[str] = set() if used is None else used

    def without(self, names: Collection[str]) -> Definitions:
        """The same in a text in which some names are variables."""
        formulas = self.formulas.difference(names)
        own = Definitions(self.given, self.macros, formulas, self.depth, self.used)
        own.functions = self.functions.difference(names)
        return own

    def value(
        self, reference: Reference, arguments: tuple[Value, ...] | None, span: Span
    ) -> Value | None:
        """The formula of a name, differentiated, with the arguments put in."""
        known = self.given.get(reference.name)
        if known is None:
            return super().value(reference, arguments, span)
        found = self.formula(reference.name, frozenset(reference.wrt))
        if arguments is None and not reference.order and not reference.wrt:
            if not found.variables:
                return None  # t = 2 is the value of a variable
            self.used.add(reference.name)
        wrt = reference.wrt
        if reference.order:
            wrt = wrt or variable_of(found, known, ()) * reference.order
        if wrt:
            found = found.derivative(*wrt)
        # u stays a variable of y = u^3 until it has been differentiated: dy/du is 3u^2, and 3(x^2)^2 after that
        inner = {n: self.formula(n) for n in reference.wrt if n in self.formulas}
        found = with_values(found, inner)
        if arguments is None:
            return found.root
        names = known.parameters or variable_of(found, known, ())
        if len(names) != len(arguments):
            raise UsageError(f"{reference.name} takes {len(names)} arguments", span)
        values = zip(names, map(Expression.of, arguments), strict=True)
        return with_values(found, dict(values)).root

    def formula(self, name: str, kept: frozenset[str] = frozenset()) -> Expression:
        """Return what a name stands for, in which names that are `kept` are variables. Raises `ExprgradError`."""
        if self.depth > DEEPEST:
            raise UsageError(f"{name} is defined through itself")
        known = self.given[name]
        # a name is no part of its own definition: in x = x + 1 it is a variable
        others = {n: own for n, own in self.given.items() if n != name}
        formulas = self.formulas.difference(kept, known.parameters, (name,))
        inner = Definitions(others, self.macros, formulas, self.depth + 1)
        return inner.read(known.text, {*known.parameters}, known.latex)

    def read(self, text: str, names: set[str], latex: bool = True) -> Expression:
        """The formula of a text in which some names are variables. Raises `ExprgradError`."""
        if not latex:
            own = letters(text, next(iter(names), None)) if names else set()
            return parse(text, {*names, *own}, lenient=True)
        free = undefined.names(reader.tex_plain(text), lambda n: n not in names)
        inner = self.without(names)
        inner.functions |= free - {*self.given}
        return Expression(reader.read(text, names, self.macros, inner).sides[-1], names)


def variable_of(
    expression: Expression, known: Given, names: Sequence[str]
) -> tuple[str, ...]:
    """The variable that a prime refers to."""
    if len(known.parameters) == 1:
        return known.parameters
    if len(names) == 1 and names[0] in expression.variables:
        return tuple(names)
    return only_variable(expression)


def only_variable(expression: Expression) -> tuple[str, ...]:
    """The variable of an expression: the only one, or x."""
    names = expression.variables
    if len(names) < 2:
        return names or ("x",)
    if "x" in names:
        return ("x",)
    raise UsageError(f"with respect to which variable: {', '.join(names)}?")


def with_values(expression: Expression, at: Mapping[str, Expression]) -> Expression:
    """An expression with others in the place of variables."""
    if not at:
        return expression
    roots = {name: value.root for name, value in at.items()}
    return Expression.of(at_place(expression.root, roots))


def limit(body: Expression, name: str, place: Expression) -> Expression:
    """The limit of an expression, of a quotient 0/0 by the derivatives above and below. Raises `UsageError`."""
    here = {name: place.root}
    root = body.root
    if root.operation is DIV:
        above, below = (simplify(at_place(part, here)) for part in root.operands)
        if rational(below) == 0:
            if rational(above) != 0:
                known = Expression.of(above)
                if equivalent(known, parse("0")).status == "different":
                    raise Diverges(f"below goes to 0, but above to {known}")
                raise UsageError("this limit is not computed")
            # L'Hôpital's rule, once: (cos(h) - 1)/h^2 stays 0/0, and is not read
            slopes = (at_place(derivative(part, name), here) for part in root.operands)
            return Expression.of(simplify(node(DIV, tuple(slopes))), body.declared)
    return Expression.of(simplify(at_place(root, here)), body.declared)
