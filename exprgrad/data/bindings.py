"""The values that a point gives to variables, from text such as `a=2, x=pi/4`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.errors import BindingError, ExprgradError, Span
from exprgrad.expressions.expression import Expression
from exprgrad.graph.order import topological
from exprgrad.graph.value import is_variable
from exprgrad.language.notes import Binding
from exprgrad.language.parser import Reading, read_bindings
from exprgrad.language.shapes import is_latex
from exprgrad.lazy import pattern
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import CONSTANTS, did_you_mean, is_function
from exprgrad.sweeps.coordinates import Coordinates

if TYPE_CHECKING:
    import re

_FILE = pattern(r"(?<!\w)(?P<name>\w+)\s*=\s*@(?P<path>[^,]+)(?:,|$)")
"""`name=@file` in a list of bindings."""


class Bindings:
    """Names and numbers, each with the place where it was typed.

    `values` are floats and arrays; `exact` has for each number the graph that was typed, such as pi/4 or
    the decimal 0.1, which is the point that is meant. `files` are those that were read for values.
    """

    def __init__(self, texts: Iterable[str], origin: str | None = None) -> None:
        self.values: dict[str, Any] = {}
        self.exact: dict[str, Any] = {}
        self.files: list[str] = []
        self._places: dict[str, tuple[str, Span]] = {}
        self._origin = origin
        for text in texts:
            try:
                named = "@" in text
                rest = _FILE.sub(partial(self._load, text), text) if named else text
                if rest != text:
                    # Of `a=1, x=@f.csv` the comma before the file is left.
                    rest = rest.rstrip().removesuffix(",")
                for binding in _read(rest) if rest.strip() or rest == text else ():
                    self._bind(binding, text)
            except ExprgradError as error:
                error.source, error.origin = text, origin
                raise

    def _load(self, text: str, found: re.Match[str]) -> str:
        """Take `name=@file` and the comma behind it out of a text, leaving blanks."""
        from exprgrad.data.tables import matrix

        name = found["name"]
        self._check_name(name, found.span("name"))
        self.files.append(found["path"].strip())
        numbers = self.values[name] = matrix(found["path"].strip())
        self.exact[name] = Coordinates(numbers, 1.0, partial(_decimal, numbers))
        self._places[name] = (text, found.span("name"))
        # Blanks, so that errors in the rest of the text have their places in all of it.
        return " " * len(found[0])

    def _bind(self, binding: Binding, text: str) -> None:
        name, span = binding.name, binding.span
        self._check_name(name, span)
        leaves = tuple(filter(is_variable, topological(binding.root)))
        expression = Expression(Reading(text, binding.root, leaves, (), False))
        if expression.variables:
            other = expression.variables[0]
            what, hint = "a number", f"replace {other} by its value"
            if other.lower() in ("nan", "inf", "infinity"):
                what, hint = "finite", "give a finite number"
            raise BindingError(f"the value of {name} must be {what}", span, hint)
        self.values[name] = expression()
        self.exact[name] = binding.root
        self._places[name] = (text, span)

    def _check_name(self, name: str, span: Span) -> None:
        refuse_name(name, span, self.values)
        if is_function(name, called=False):
            signature = next(iter(named(name).values())).signature
            what = f"{name} is a function, {signature}"
            raise BindingError(what, span, "choose another name")

    def check(self, expression: Expression) -> None:
        """Raise `BindingError` for a name that does not occur in the expression."""
        for name in self.values:
            if name in expression.tape.variables:
                continue
            from exprgrad.language.products import splits, written

            # A name that is left over is more likely meant for a variable that has no value yet.
            missing = [v for v in expression.variables if v not in self.values]
            hint = did_you_mean(name, missing or expression.variables, "remove it")
            # x=2, y=3 for the variable xy: it was meant as a product.
            joined = next((v for v in missing if len(name) == 1 and name in v), "")
            if ways := splits(joined, {*filter(str.isalpha, joined)}):
                hint = f"{joined} is one name; for the product write {written(ways[0])}"
            error = BindingError(f"the expression has no variable {name}", None, hint)
            raise self.placed(error, name)

    def placed(self, error: BindingError, name: str) -> BindingError:
        """An error about a name that is given here, with the place where that was typed."""
        error.source, error.span = self._places[name]
        error.origin = self._origin
        return error


def refuse_name(name: str, span: Span | None, given: Collection[str]) -> None:
    """Raise `BindingError` for the name of a constant, and for one that has been given."""
    if name in CONSTANTS:
        what = f"{name} is a constant and has its value"
        raise BindingError(what, span, "choose another name")
    if name in given:
        what = f"{name} is given twice"
        raise BindingError(what, span, "give each variable one value")


def _read(text: str) -> list[Binding]:
    """The names and values of a text, or of LaTeX."""
    if is_latex(text):
        from exprgrad.language.latex import points

        return points.read_bindings(text)
    return read_bindings(text)


def _decimal(numbers: Any, place: tuple[int, ...]) -> str:
    """A number of a file: the decimal that was written, of which a double keeps 15 digits."""
    for i in place:
        numbers = numbers[i]
    return repr(numbers)
