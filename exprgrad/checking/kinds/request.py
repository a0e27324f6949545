"""What a check was asked: the texts of a question and of its claim, read with each other's letters.

A text may hold an equation or a list; a value may be a number, a text such as "pi/4", or a graph. Letters
that stand alone in one text are names in the others, so that xy is x*y there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import equations
from exprgrad.checking.judging import point_text
from exprgrad.checking.kinds.algebraic import fraction
from exprgrad.errors import (
    BindingError,
    ExprgradError,
    Hint,
    NotDifferentiableError,
    UndecidedError,
    UsageError,
)
from exprgrad.expressions.confirm import derivative
from exprgrad.expressions.expression import Expression, parse
from exprgrad.expressions.higher_orders import orders
from exprgrad.expressions.taylor import at_place, has_variables, linearization, number
from exprgrad.graph.order import topological
from exprgrad.graph.value import Constant, Value, node
from exprgrad.language import inputs, points
from exprgrad.language.notes import shorten
from exprgrad.language.products import letters
from exprgrad.notation.text import to_text
from exprgrad.operations.table import DIV, SUB
from exprgrad.patterns import pattern
from exprgrad.proof.identity import vanishes
from exprgrad.sweeps.precise import Probe
from exprgrad.symbolic.derivative import is_nowhere


class Options(NamedTuple):
    """The options of a check as they were given."""

    kind: str
    wrt: tuple[str, ...] = ()
    order: int | None = None
    at: Any = None
    of: str | None = None
    parameter: str | None = None
    direction: Any = None
    constant: str | None = None


class Request:
    """A question and a claim, with the options."""

    def __init__(self, given: Any, claim: Any, options: Options) -> None:
        self.kind, self.wrt = options.kind, options.wrt
        if self.kind == "antiderivative" and isinstance(given, str):
            given, self.wrt = _integrand(given, self.wrt)
        if isinstance(claim, str) and self.kind not in ("tangent", "critical"):
            claim = _unlabelled(claim, self.kind)
        self.given, self.claim, self.options = given, claim, options
        self.order = 1 if options.order is None else options.order
        names = (*self.wrt, options.of, options.parameter, *self._placed())
        self.declared = {name for name in names if name}
        texts = " ; ".join(_texts((given, claim)))
        self.declared |= letters(texts, self.wrt[0] if self.wrt else None)
        if self.kind == "antiderivative":  # the C of ln(Cx)
            self.declared |= set(re.findall(r"(?<![^\W\d_])[CcKk](?=[a-z](?![^\W\d_]))", texts))  # fmt: skip

    def _placed(self) -> tuple[str, ...]:
        at = self.options.at
        return tuple(at) if isinstance(at, Mapping) else ()

    # What is given

    def expression(self, thing: Any) -> Expression:
        """An expression from a text, a number, or one that is read already."""
        if isinstance(thing, Expression):
            found = thing
        else:
            text = thing if isinstance(thing, str) else inputs.number_text(thing)
            found = parse(text, self.declared, lenient=True)
        if found.asks_for_derivative:
            raise UsageError(
                "a question or an answer cannot ask for a derivative",
                hint="work it out",
                source=found.source,
            )
        found.refuse_arrays({})
        return found

    def function(self) -> Expression:
        """What is given, as one expression."""
        if isinstance(self.given, str | Expression | float | int | Fraction):
            return self.expression(self.given)
        raise UsageError(f"{self._asked} takes one expression, not several")

    @property
    def _asked(self) -> str:
        """What is asked for, as the subject of a sentence."""
        return f"kind {self.kind!r}" if self.kind else "this"

    def sides(self) -> tuple[Expression, Expression]:
        """What is given, as the two sides of an equation."""
        texts = equations.sides(self.given) if isinstance(self.given, str) else ()
        if len(texts) != 2:
            raise UsageError(
                f"{self._asked} takes an equation",
                hint='such as "x^2 + y^2 = 25"',
                source=self.given if isinstance(self.given, str) else None,
            )
        return self.expression(texts[0]), self.expression(texts[1])

    @property
    def is_equation(self) -> bool:
        """Whether an equation is given."""
        return isinstance(self.given, str) and len(equations.sides(self.given)) == 2

    @property
    def is_pair(self) -> bool:
        """Whether two expressions are given."""
        if isinstance(self.given, str):
            return len(equations.entries(self.given)) == 2
        return not isinstance(self.given, Expression)

    @property
    def title(self) -> str:
        """What is given, as it was typed on one line."""
        return " ".join(self.given.split())

    def curve(self, y: str | None = None) -> tuple[Expression, str, str]:
        """The expression that is 0 on the curve of an equation, and the variables x and y of the curve."""
        equation = difference(*self.sides())
        y = y or self.options.of or self._dependent(equation)
        x = self.variable(equation, without=[y])
        for name in (x, y):
            if name not in equation.variables:
                raise UsageError(
                    f"{name} does not occur in the equation",
                    hint=f"its variables are: {', '.join(equation.variables)}",
                )
        return equation, x, y

    def _dependent(self, equation: Expression) -> str:
        """The variable that is a function of the other: y, or the one that is left."""
        rest = [n for n in equation.variables if n not in self.wrt]
        if "y" in rest:
            return "y"
        if self.wrt and len(rest) == 1:
            return rest[0]
        raise UsageError(
            "it is not clear which variable is a function of the other",
            hint=f"name it: of={rest[-1]!r}" if rest else "the equation needs two variables",
        )  # fmt: skip

    def expansion(self) -> tuple[Expression, str, Value, int]:
        """The function that is expanded, its variable, the place and the order."""
        f = self.function()
        x = self.variable(f)
        place = self.place((x,), default=0)
        exists(f, place)
        return f, x, place[x], 2 if self.options.order is None else self.order

    def pair(self) -> tuple[Expression, Expression]:
        """What is given, as two expressions: x and y in a parameter."""
        found = self.given
        if isinstance(found, str):
            found = equations.entries(found)
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise UsageError(
                "a curve with a parameter is a pair",
                hint='such as ("cos(t)", "sin(t)")',
            )
        x, y = (self.expression(_right(part)) for part in found)
        return x, y

    # The claim

    def answer(self) -> Expression:
        """The claim, as one expression."""
        if isinstance(self.claim, str | Expression | float | int | Fraction):
            return self.expression(self.claim)
        raise UsageError(f"{self._asked} takes one answer, not several")

    def answers(self, names: Sequence[str]) -> dict[str, Expression]:
        """The claim, as an expression for each name."""
        found = self.claim
        if isinstance(found, Mapping) and found:
            return {name: self.expression(text) for name, text in found.items()}
        if isinstance(found, str):
            found = equations.entries(found)
        if isinstance(found, Expression | float | int | Fraction):
            found = (found,)
        if isinstance(found, Mapping):
            found = ()
        if not isinstance(found, tuple | list):
            raise UsageError(f"{self._asked} takes an answer for each variable")
        if len(found) != len(names):
            raise UsageError(
                f"{counted(len(found), 'answer')} for {counted(len(names), 'variable')}:"
                f" {', '.join(names)}"
            )
        return {n: self.expression(c) for n, c in zip(names, found, strict=True)}

    def graph(self) -> tuple[Expression | None, str]:
        """The function whose graph is meant, by itself or as `y = f(x)`, and y; None for another curve."""
        y = self.options.of or "y"
        if not self.is_equation:
            return self.function(), y
        left, right = self.sides()
        explicit = left.variables == (y,) and left.root.operation is None
        return (right if explicit and y not in right.variables else None), y

    # Variables and places

    def names(self, expression: Expression, placed: bool = True) -> tuple[str, ...]:
        """The variables that the question is about: those of `wrt`, of the point, or all."""
        point = tuple(self._placed()) if placed else ()
        found = self.wrt or point or expression.variables
        if not found:
            raise UsageError("the expression has no variable", source=expression.source)
        return found

    def variable(self, *expressions: Expression, without: Iterable[str] = ()) -> str:
        """The one variable that the question is about."""
        if len(self.wrt) == 1:
            return self.wrt[0]
        found = dict.fromkeys(n for e in expressions for n in e.variables)
        names = self.wrt or [n for n in found if n not in without] or ["x"]
        if len(names) > 1:
            placed = [n for n in names if n in self._placed()]
            if len(placed) != 1:
                raise UsageError(
                    f"there are several variables: {', '.join(names)}",
                    hint=Hint("choose_variable", name=names[0]),
                )
            names = placed
        return names[0]

    def place(self, names: Sequence[str], default: Any = None) -> dict[str, Value]:
        """The point, as a graph for each of these variables."""
        at = self.options.at if self.options.at is not None else default
        if at is None:
            raise UsageError(
                f"{f'kind {self.kind!r}' if self.kind else 'the question'} needs the point",
                hint=Hint("give_value", names=tuple(names)),
            )
        if not isinstance(at, Mapping):
            own = at if isinstance(at, tuple | list) else (at,)
            if len(own) == 2 and len(names) == 1:
                own = (self._abscissa(*map(self.number, own)),)
            if len(own) != len(names):
                raise UsageError(
                    f"the point has {counted(len(own), 'value')} for"
                    f" {counted(len(names), 'variable')}: {', '.join(names)}"
                )
            at = dict(zip(names, own, strict=True))
        missing = tuple(name for name in names if name not in at)
        if missing:
            raise UsageError(
                f"the point has no value for {', '.join(missing)}",
                hint=Hint("give_value", names=missing),
            )
        return {name: self.number(value) for name, value in at.items()}

    def _abscissa(self, x: Value, y: Value) -> Value:
        """The first number of a point on the graph of a function. Raises `UsageError` for one beside it."""
        f, _ = self.graph()
        if f is not None and points.lies_on(f.root, x, y):
            return x
        raise UsageError(
            f"the point ({to_text(x)}, {to_text(y)}) is not shown to be on the graph",
            hint=f"give one value: {(self.wrt or f.variables if f else ('x',))[0]} = {to_text(x)}",
        )

    def number(self, value: Any) -> Value:
        """A value of a point or of a direction, as a graph."""
        if isinstance(value, Value):
            return value
        if isinstance(value, Expression):
            return value.root
        if isinstance(value, str):
            return self.expression(value).root
        try:
            return Constant(Fraction(*value.as_integer_ratio()))
        except (AttributeError, OverflowError, ValueError):
            raise BindingError(
                f"a value is a finite number, not {shorten(str(value))}"
            ) from None


def _integrand(given: str, wrt: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The integrand of `∫ 2x dx`, or of `2x dx`, and its variable."""
    match = re.fullmatch(r"\s*(∫?)(.*?[\s)\]\d*]|\s*)d([^\W\d_])\s*", given, re.DOTALL)
    if match is None or (not match[1] and not match[2].strip()):
        return given, wrt
    return match[2].strip(" *") or "1", wrt or (match[3],)


def _unlabelled(claim: str, kind: str) -> str:
    """An answer without what stands before its `=`: F(x) = x^2 + C, dy/dx = -x/y; of a polynomial, without + ..."""
    match = _LABEL.match(claim)
    rest = claim[match.end() :] if match is not None else claim
    if kind == "taylor":
        rest = re.sub(r"\+\s*(?:\.\.\.|…|O\([^()]*\))\s*$", "", rest)
    return rest if rest.strip() else claim


_LABEL = pattern(
    r"""\s*(?: d(?:\^?[2-9²³])?\s*[^\W\d_]?\s*/\s*d\s*[^\W\d_](?:\^?[2-9²³])?
          | (?:∇|grad\s|D_[^\W\d_]\s*)?[^\W\d_](?:_[^\W_])?['’′]*\s*(?:\([^()=]*\))? )?\s*=(?!=)\s*""",
    re.VERBOSE,
)


def exists(
    expression: Expression, place: Mapping[str, Value], slopes: bool = True
) -> None:
    """Raise an error where the expression has no value at a place, or a slope is missing there."""
    own = {name: place[name] for name in expression.variables if name in place}
    if len(own) < len(expression.variables) or any(map(has_variables, own.values())):
        return
    found = expression.evaluate(own, tuple(own) if slopes else ())
    for corner in found.corners:
        known = found.known(corner.variable)
        if corner.kind == "undetermined":
            raise UndecidedError(
                f"could not decide whether there is a derivative with respect to {corner.variable}"
                f" at {point_text(found.at)}",
                corner.span,
                source=expression.source,
            )
        if known.value is None and known.middle is None:
            raise NotDifferentiableError(
                f"there is no derivative with respect to {corner.variable}"
                f" at {point_text(found.at)}",
                corner.span,
                source=expression.source,
            )


def slope_at(
    f: Expression,
    name: str,
    place: Mapping[str, Value],
    order: int = 1,
    root: Value | None = None,
) -> Value:
    """A derivative at a place: the value of its formula, or what both sides say where that does not hold.

    The formula of order 1 need not be given as `root`. Raises `NotDifferentiableError` where there is none, `UndecidedError` where it is not known exactly.
    """
    root = derivative(f.root, name) if root is None else root
    formula = number(at_place(root, place))
    own = {n: place[n] for n in f.variables if n in place}
    if len(own) < len(f.variables) or any(map(has_variables, own.values())):
        return formula
    if name not in own:
        return formula
    is_lost = any(map(is_nowhere, topological(formula)))
    if not is_lost and not f.evaluate(own, (name,)).cornered:
        return formula
    found = orders(f, own, name, order)
    known = found.numbers[order]
    if found.problem is not None and known.value is None:
        raise found.problem
    if known.value is not None and _is_near(formula, known.value, known.error):
        return formula
    if known.value is not None:
        simple = Fraction(known.value).limit_denominator(SIMPLE)
        if abs(simple - Fraction(known.value)) <= Fraction(known.error):
            return fraction(simple)
    raise UndecidedError(
        f"could not find the derivative of order {order} with respect to {name} exactly"
        f" at {point_text(found.evaluation.at)}, where its formula does not hold",
        source=f.source,
    )


SIMPLE = 1000
"""The largest denominator of a derivative that is known by its bound."""

MOST = 2000
"""Operations of a formula that is differentiated once more."""


def _is_near(root: Value, value: float, error: float) -> bool:
    """Whether a number may be the value of a graph."""
    try:
        known = Expression.of(root).evaluate({}, ()).known()
    except ExprgradError:
        return False
    room = error + known.error + 1e-14 * abs(value)
    return known.value is not None and abs(known.value - value) <= room


def linear(f: Expression, place: Mapping[str, Value]) -> Value:
    """The value and the slopes at a place, as a polynomial of order 1."""
    return linearization(
        f.root, {n: (at, slope_at(f, n, place)) for n, at in place.items()}
    )


def derivatives_at(
    f: Expression, name: str, at: Value, order: int
) -> Iterator[tuple[Value, Value]]:
    """The derivatives up to an order, the function first: each as a formula, and its value at a place."""
    root = f.root
    yield root, number(at_place(root, {name: at}))
    for k in range(1, order + 1):
        root = derivative(root, name, most=MOST)
        yield root, slope_at(f, name, {name: at}, k, root)


def taylor_coefficients(values: Iterable[Value]) -> list[Value]:
    """f^(k)(a)/k! for the values of the derivatives at a."""
    return [
        number(node(DIV, (here, Constant(math.factorial(k))))) if k > 1 else here
        for k, here in enumerate(values)
    ]


def difference(left: Expression, right: Expression) -> Expression:
    """The expression that is 0 where an equation holds."""
    if right.root.operation is None and right.root.data == 0:
        return left
    found = Expression.of(node(SUB, (left.root, right.root)))
    found.notes = (*left.notes, *right.notes)
    return found


def on_curve(equation: Expression, place: Mapping[str, Value], title: str) -> None:
    """Raise `UsageError` for a point that is not on the curve."""
    there = at_place(equation.root, place)
    if has_variables(there) or vanishes(there):
        return
    look = Probe(Expression.of(there).tape).precise({}, 60)
    if look.value is None:
        raise UsageError(f"the equation has no value at {place_text(place)}")
    if abs(look.value) > 10.0**-45:
        raise UsageError(
            f"the point {place_text(place)} is not on {title}",
            hint=f"there the two sides differ by {float(look.value):.6g}",
        )


def leibniz(y: str, x: str, order: int) -> str:
    """The name of a derivative: dy/dx, d^2y/dx^2."""
    return f"d{y}/d{x}" if order == 1 else f"d^{order}{y}/d{x}^{order}"


def is_list(claim: Any) -> bool:
    """Whether an answer is several."""
    if isinstance(claim, str):
        return len(equations.entries(claim)) > 1
    return isinstance(claim, Mapping | tuple | list)


def counted(number: int, thing: str) -> str:
    """So many of a thing, in words."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def place_text(place: Mapping[str, Value]) -> str:
    """A place in a sentence, as it was typed."""
    return ", ".join(f"{name} = {to_text(root)}" for name, root in place.items())


def _right(thing: Any) -> Any:
    """The right-hand side of `x = cos(t)`."""
    return equations.sides(thing)[-1] if isinstance(thing, str) else thing


def _texts(thing: Any) -> Iterable[str]:
    """All texts in what was given."""
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, Mapping):
        yield from _texts(tuple(thing.values()))
    elif isinstance(thing, tuple | list):
        for part in thing:
            yield from _texts(part)
