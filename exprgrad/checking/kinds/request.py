"""The question that a check was asked: the texts of a question and of its claim, read with each other's letters.

A text may hold an equation or a list; a value may be a number, a text such as "pi/4", or a graph. Letters
that stand alone in one text are names in the others, so that xy is x*y there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import equations
from exprgrad.errors import BindingError, Hint, UsageError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.value import Constant, Value, node
from exprgrad.language import inputs, points
from exprgrad.language.notes import shorten
from exprgrad.language.products import PARAMETERS, letters
from exprgrad.lazy import pattern
from exprgrad.notation.text import to_text
from exprgrad.operations.table import SUB

POINTS = ("critical", "stationary", "extremum", "maximum", "minimum")
"""Kinds whose answers are critical points."""


class Request(NamedTuple):
    """A question and a claim, with the options: those of `check`, which describes them.

    Of an equation, `given` and `claim` are its sides, and `asked` what the left one is called.
    """

    given: Any
    claim: Any
    kind: str = "derivative"
    wrt: tuple[str, ...] = ()
    own_order: int | None = None
    at: Any = None
    of: str | None = None
    parameter: str | None = None
    direction: Any = None
    constant: str | None = None
    where: Sequence[str] = ()
    condone: bool = False
    asked: str = ""

    @property
    def options(self) -> dict[str, Any]:
        """The options that were given."""
        names = ("at", "of", "parameter", "direction", "constant")
        own = {"order": self.own_order} | {name: getattr(self, name) for name in names}
        return {name: value for name, value in own.items() if value is not None}

    @property
    def order(self) -> int:
        """The order, 1 where none was given."""
        return 1 if self.own_order is None else self.own_order

    @property
    def is_one(self) -> bool:
        """Return whether it is one derivative."""
        several = len(self.wrt) > 1 or isinstance(self.claim, Mapping | tuple | list)
        return self.kind == "derivative" and not several and not {*self.options} - {"order", "at"}  # fmt: skip

    def integrand(self) -> Request:
        """The same about the integrand of `∫ 2x dx`, or of `2x dx`, and its variable."""
        if not isinstance(self.given, str):
            return self
        match = re.fullmatch(r"\s*(∫?)(.*?[\s)\]\d*]|\s*)d([^\W\d_])\s*", self.given, re.DOTALL)  # fmt: skip
        if match is None or (not match[1] and not match[2].strip()):
            return self
        given = match[2].strip(" *") or "1"
        return self._replace(given=given, wrt=self.wrt or (match[3],))

    @property
    def answered(self) -> Any:
        """The claim without what stands before it: F(x) = ..., dy/dx = ...; of a polynomial, without + ..."""
        claim = self.claim
        if not isinstance(claim, str) or self.kind in POINTS:
            return claim
        # x = 3 is a vertical tangent, whose x says what it is
        match = (_CALLED if self.kind in ("tangent", "normal") else _LABEL).match(claim)
        rest = claim[match.end() :] if match is not None else claim
        # 1 + x + ... and 1 + x + O(x^2) claim the polynomial in front
        if self.kind == "taylor":
            rest = re.sub(r"\+\s*(?:\.\.\.|…|O\([^()]*\))\s*$", "", rest)
        return rest if rest.strip() else claim

    @property
    def declared(self) -> set[str]:
        """The names in both texts, and those of the options."""
        names = (*self.wrt, self.of, self.parameter, *self._placed())
        texts = " ; ".join(_texts((self.given, self.answered)))
        found = {name for name in names if name}
        if isinstance(self.given, Expression):
            found |= {*self.given.variables}
        # of a curve, x varies by custom: xy is a product in x^2 + xy = 4
        wrt = self.wrt or ("x",) * self.is_equation
        found |= letters(texts, wrt[0] if wrt else None)
        if self.kind == "antiderivative":  # the C of ln(Cx)
            found |= set(re.findall(r"(?<![^\W\d_])[CcKk](?=[a-z](?![^\W\d_]))", texts))
        return found

    def _placed(self) -> tuple[str, ...]:
        return tuple(self.at) if isinstance(self.at, Mapping) else ()

    # What is given

    def expression(self, thing: Any) -> Expression:
        """An expression from a text, a number, or one that is read already."""
        if isinstance(thing, Expression):
            found = thing
        else:
            text = thing if isinstance(thing, str) else inputs.number_text(thing)
            found = parse(text, self.declared, lenient=True)
        if found.asks_for_derivative:
            told = "a question or an answer cannot ask for a derivative"
            raise UsageError(told, hint="work it out", source=found.source)
        found.refuse_arrays({})
        return found

    def function(self) -> Expression:
        """Return what is given, as one expression."""
        return self._one(self.given, "expression")

    def _one(self, thing: Any, what: str) -> Expression:
        if isinstance(thing, str | Expression | float | int | Fraction):
            return self.expression(thing)
        raise UsageError(f"{self._asked} takes one {what}, not several")

    @property
    def _asked(self) -> str:
        """Return what is asked for, as the subject of a sentence."""
        return f"kind {self.kind!r}" if self.kind else "this"

    def sides(self) -> tuple[Expression, Expression]:
        """Return what is given, as the two sides of an equation."""
        texts = equations.sides(self.given) if isinstance(self.given, str) else ()
        if len(texts) != 2:
            source = self.given if isinstance(self.given, str) else None
            told, hint = f"{self._asked} takes an equation", 'such as "x^2 + y^2 = 25"'
            raise UsageError(told, hint=hint, source=source)
        return self.expression(texts[0]), self.expression(texts[1])

    @property
    def is_equation(self) -> bool:
        """Return whether an equation is given."""
        return isinstance(self.given, str) and not self.named_pair and len(equations.sides(self.given)) == 2  # fmt: skip

    @property
    def named_pair(self) -> dict[str, str]:
        """Return x and y of the curve x = cos t, y = sin t; nothing for another."""
        parts = equations.entries(self.given) if isinstance(self.given, str) else ()
        own = [equations.sides(part) for part in parts] if len(parts) == 2 else []
        found = {name: other for name, *rest in own for other in rest}
        return found if {*found} == {"x", "y"} else {}

    @property
    def is_pair(self) -> bool:
        """Return whether two expressions are given."""
        if isinstance(self.given, str):
            return len(equations.entries(self.given)) == 2
        return isinstance(self.given, Mapping | tuple | list)

    @property
    def title(self) -> str:
        """Return what is given, as it was typed on one line."""
        return " ".join(self.given.split())

    def curve(self, y: str | None = None) -> tuple[Expression, str, str]:
        """The expression that is 0 on the curve of an equation, and the variables x and y of the curve."""
        equation = difference(*self.sides())
        y = y or self.of
        # the variable that is a function of the other: y, or the one that is left
        if not y:
            rest = [n for n in equation.variables if n not in self.wrt]
            if "y" in rest or (self.wrt and len(rest) == 1):
                y = "y" if "y" in rest else rest[0]
            else:
                told = "it is not clear which variable is a function of the other"
                if not rest or len(equation.variables) < 2:
                    raise UsageError(told, hint="the equation needs two variables")
                raise UsageError(told, hint=Hint("argument", name="of", value=rest[-1]))
        held = PARAMETERS if y == "y" and "x" in equation.variables else ()
        x = self.variable(equation, without=[y, *held])
        for name in (x, y):
            if name not in equation.variables:
                hint = f"its variables are: {', '.join(equation.variables)}"
                raise UsageError(f"{name} does not occur in the equation", hint=hint)
        return equation, x, y

    def pair(self) -> tuple[Expression, Expression]:
        """Return what is given, as two expressions: x and y in a parameter."""
        found, named = self.given, self.named_pair
        if isinstance(found, str):
            found = (named["x"], named["y"]) if named else equations.entries(found)
        if not isinstance(found, tuple | list) or len(found) != 2:
            hint = 'such as ("cos(t)", "sin(t)")'
            raise UsageError("a curve with a parameter is a pair", hint=hint)
        own = [equations.sides(part)[-1] if isinstance(part, str) else part for part in found]  # fmt: skip
        x, y = map(self.expression, own)
        return x, y

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Return the names of the two coordinates of a curve: u and v of u = cos t, v = sin t; x and y where none are given."""
        parts = self.given if isinstance(self.given, tuple | list) else ()
        sides = [equations.sides(part) for part in parts if isinstance(part, str)]
        heads = (own[0].partition("(")[0] for own in sides if len(own) == 2)
        named = tuple(map(str.strip, heads))
        return named if len(named) == 2 else ("x", "y")

    # The claim

    def answer(self) -> Expression:
        """The claim, as one expression."""
        return self._one(self.answered, "answer")

    def answers(self, names: Sequence[str]) -> dict[str, Expression]:
        """The claim, as an expression for each name."""
        found = self.answered
        if isinstance(found, Mapping) and found:
            return {name: self.expression(text) for name, text in found.items()}
        if isinstance(found, str):
            found = equations.components(found)
        if isinstance(found, Expression | float | int | Fraction):
            found = (found,)
        if isinstance(found, Mapping):
            found = ()
        if not isinstance(found, tuple | list):
            raise UsageError(f"{self._asked} takes an answer for each variable")
        if len(found) != len(names):
            raise uneven("", len(found), "answer", names)
        return {n: self.expression(c) for n, c in zip(names, found, strict=True)}

    def graph(self) -> tuple[Expression | None, str]:
        """The function whose graph is meant, by itself or as `y = f(x)`, and y; None for another curve."""
        y = self.of or "y"
        if not self.is_equation:
            return self.function(), y
        left, right = self.sides()
        is_name = left.root.operation is None and len(left.variables) == 1
        # z = x^2 + y^2, but not the curve of x = y^2
        if is_name and len(right.variables) > 1 and not {"x", "y"} & {*left.variables}:
            y = left.variables[0]
        explicit = is_name and left.variables == (y,)
        return (right if explicit and y not in right.variables else None), y

    @property
    def graphed(self) -> Expression | None:
        """The function whose graph is meant; None for any other curve."""
        return None if self.parameter or self.is_pair else self.graph()[0]

    # Variables and places

    def names(self, expression: Expression, placed: bool = True) -> tuple[str, ...]:
        """The variables that the question is about: those of `wrt`, of the point, or all."""
        point = tuple(self._placed()) if placed else ()
        unknown = [n for n in point if n not in expression.variables]
        if unknown and expression.variables and not self.wrt:
            raise points.no_variable(unknown[0], expression.variables)
        found = self.wrt or point or expression.variables
        if not found and self.at is not None:
            return ("x",)  # the tangent to 5 at 1
        if not found:
            raise UsageError("the expression has no variable", source=expression.source)
        return found

    def variable(self, *expressions: Expression, without: Iterable[str] = ()) -> str:
        """The one variable that the question is about."""
        if len(self.wrt) == 1:
            return self.wrt[0]
        found = dict.fromkeys(n for e in expressions for n in e.variables)
        own = [n for n in found or self._placed() if n not in without]
        names = self.wrt or own or ["x"]
        if len(names) > 1:
            placed = [n for n in names if n in self._placed()]
            if len(placed) != 1:
                raise several(names)
            names = placed
        return names[0]

    def place(self, names: Sequence[str], default: Any = None) -> dict[str, Value]:
        """The point, as a graph for each of these variables."""
        at = self.at if self.at is not None else default
        if at is None:
            what = f"kind {self.kind!r}" if self.kind else "the question"
            hint = Hint("give_value", names=tuple(names))
            raise UsageError(f"{what} needs the point", hint=hint)
        if not isinstance(at, Mapping):
            own = at if isinstance(at, tuple | list) else (at,)
            # (1, 2) is x = 1, y = 2 however the formula begins, unless the question names its variables in an order
            listed = names if names == self.wrt else points.in_order(names)
            if len(own) == len(names) + 1:
                # a point on the graph of a function
                from exprgrad.expressions.taylor import at_place
                from exprgrad.proof.elementary import vanishes

                f, _ = self.graph()
                *own, height = map(self.number, own)
                place = dict(zip(listed, own, strict=True))
                if f is None or not vanishes(node(SUB, (at_place(f.root, place), height))):  # fmt: skip
                    point = ", ".join(map(to_text, (*own, height)))
                    told = f"the point ({point}) is not shown to be on the graph"
                    without = f"leave its height out: {place_text(place)}"
                    raise UsageError(told, hint=without)
            if len(own) != len(names):
                raise uneven("the point has ", len(own), "value", names)
            at = dict(zip(listed, own, strict=True))
        missing = tuple(name for name in names if name not in at)
        if missing:
            told = f"the point has no value for {', '.join(missing)}"
            raise UsageError(told, hint=Hint("give_value", names=missing))
        return {name: self.number(value) for name, value in at.items()}

    def number(self, value: Any) -> Value:
        """A value of a point or of a direction, as a graph."""
        if isinstance(value, Value):
            return value
        if isinstance(value, Expression):
            return value.root
        if isinstance(value, str):
            return self.expression(value).root
        try:
            return Constant(Fraction(*inputs.meant(value).as_integer_ratio()))
        except (AttributeError, OverflowError, ValueError):
            told = f"a value is a finite number, not {shorten(str(value))}"
            raise BindingError(told) from None


_LABEL = pattern(
    r"""\s*(?: d(?:\^?[2-9²³])?\s*[^\W\d_]?\s*/\s*d\s*[^\W\d_](?:\^?[2-9²³])?
          | (?:∇|grad\s|D_[^\W\d_]\s*)?[^\W\d_](?:_[^\W_])?['’′]*\s*(?:\([^()=]*\))? )?\s*=(?!=)\s*""",
    re.VERBOSE,
)

_CALLED = pattern(r"\s*[^\W\d_](?:_[^\W_])?\s*\((?:\s*[^\W\d_]\s*,?)+\)\s*=(?!=)\s*")
"""The name of a line or plane that says of what it is a function: L(x) =, T(x, y) =."""


def difference(left: Expression, right: Expression) -> Expression:
    """The expression that is 0 where an equation holds."""
    if right.root.operation is None and right.root.data == 0:
        return left
    found = Expression.of(node(SUB, (left.root, right.root)))
    found.notes = (*left.notes, *right.notes)
    return found


def leibniz(y: str, x: str, order: int) -> str:
    """The name of a derivative: dy/dx, d^2y/dx^2."""
    return f"d{y}/d{x}" if order == 1 else f"d^{order}{y}/d{x}^{order}"


def is_list(claim: Any) -> bool:
    """Return whether an answer is several."""
    if isinstance(claim, str):
        return len(equations.components(claim)) > 1
    return isinstance(claim, Mapping | tuple | list)


def counted(number: int, thing: str) -> str:
    """So many of a thing, in words."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def uneven(told: str, number: int, thing: str, names: Sequence[str]) -> UsageError:
    """The error where there are more or fewer of a thing than there are variables."""
    counts = counted(number, thing), counted(len(names), "variable")
    return UsageError(f"{told}{' for '.join(counts)}: {', '.join(names)}")


def place_text(place: Mapping[str, Value]) -> str:
    """A place in a sentence, as it was typed."""
    return ", ".join(f"{name} = {to_text(root)}" for name, root in place.items())


def _texts(thing: Any) -> Iterable[str]:
    """All texts in what was given."""
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, Mapping):
        yield from _texts(tuple(thing.values()))
    elif isinstance(thing, tuple | list):
        for part in thing:
            yield from _texts(part)


def several(names: Sequence[str]) -> UsageError:
    """The error where one of several variables has to be named; the hint names x or t if it is one of them."""
    told = f"there are several variables: {', '.join(names)}"
    likely = next((name for name in "xt" if name in names), names[0])
    return UsageError(told, hint=Hint("choose_variable", name=likely))
