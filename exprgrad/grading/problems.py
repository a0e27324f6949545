"""Problems: the function, the claim, the variable and the point that a line or a cell asks about.

`sentences` gives the shape, with texts named by their places; here the expression parser reads the texts.
Every letter that stands alone in them is a name, so that longer words may be products of names: with `k`
in the answer, e^(-kt) is e^(-k*t).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExprgradError, Span, UsageError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.expressions.taylor import at_place
from exprgrad.graph.value import Value
from exprgrad.language import inputs
from exprgrad.language.brackets import parted
from exprgrad.language.notes import shorten
from exprgrad.language.products import letters
from exprgrad.language.sentences import Asked, Definition, is_formula
from exprgrad.language.shapes import LATEX
from exprgrad.operations.vocabulary import CONSTANTS, is_function
from exprgrad.patterns import pattern

_WORD = pattern(r"[^\W\d]\w*")
_NAMED = pattern(r"([^\W\d]\w*)\s*(?:\((.*)\))?", re.DOTALL)


class Problem(NamedTuple):
    """A function, a claimed derivative of it, and where both were written.

    `source` is the line, or the cell that asks; `asked` is what is asked for, with the definition of a named
    function, and `answer` is what is claimed. The texts of `function` and `claim` begin in the line at
    `places`; one that stands elsewhere has no place. It is asked where the conditions of `where` hold.
    `continued` says that the claim goes on with the chain of the problem before it. `at` is the point, if it is
    asked for at one, and `exact` the numbers that are meant.
    """

    line: int
    label: str
    source: str
    asked: str
    answer: str
    function: Expression
    claim: Expression
    variable: str
    order: int = 1
    at: dict[str, float] | None = None
    places: tuple[int | None, int | None] = (None, None)
    where: tuple[str, ...] = ()
    continued: bool = False
    exact: dict[str, Any] | None = None


def concerning(where: Sequence[str], variables: Collection[str]) -> list[str]:
    """The conditions about these variables alone, of several in a text separated by commas."""
    texts = [text[slice(*span)] for text in where for span in parted(text)]
    return [
        text
        for text in texts
        if set(_WORD.findall(text)) - set(CONSTANTS) <= set(variables)
        or any(is_function(word, called=True) for word in _WORD.findall(text))
    ]


class Text(NamedTuple):
    """A text with its place: the line that it stands in, and the offset there."""

    text: str
    source: str
    offset: int

    @classmethod
    def of(cls, source: str, span: Span) -> Text:
        """The text that a span of a line covers."""
        return cls(source[slice(*span)], source, span[0])

    def parse(self, declared: Collection[str], strict: bool = False) -> Expression:
        """Read it as an expression; an error points into the line."""
        try:
            notation = LATEX if is_formula(self.source) else None
            return parse(
                self.text, declared, strict=strict, lenient=True, notation=notation
            )
        except ExprgradError as error:
            raise self.moved(error) from None

    def offset_in(self, line: str) -> int | None:
        """Where it begins in a line; None if it stands in another."""
        return self.offset if self.source == line else None

    def moved(self, error: ExprgradError) -> ExprgradError:
        """An error about this text as one about the line."""
        start, end = error.span or (0, len(self.text))
        error.span = (start + self.offset, end + self.offset)
        error.source = self.source
        return error

    def refuse(self, message: str, hint: str | None = None) -> UsageError:
        """An error that points at the whole text."""
        return UsageError(
            message,
            (self.offset, self.offset + len(self.text)),
            hint,
            source=self.source,
        )


class GivenFunction(NamedTuple):
    """What is differentiated: its text, its name if it has one, and the parameters."""

    text: Text
    name: str | None = None
    parameters: tuple[str, ...] = ()


def defined(definition: Definition, line: str) -> GivenFunction:
    """A definition, checked: its name is free, and so are its parameters."""
    at = Text.of(line, definition.span)
    names = [definition.name]
    if definition.parameters:
        inside = line[definition.parameters[0] + 1 : definition.parameters[1] - 1]
        names += [inputs.normal(name.strip()) for name in inside.split(",")]
    for name in names:
        if not name.isidentifier():
            raise at.refuse(
                f"{shorten(name)!r} cannot be a variable of {names[0]}",
                "write f(x) = ..., with names in the brackets",
            )
        if name in CONSTANTS or is_function(name, called=name == names[0]):
            kind = "constant" if name in CONSTANTS else "function"
            raise at.refuse(f"{name} is a {kind} and cannot be defined", "rename it")
    function = Text.of(line, definition.function)
    return GivenFunction(function, names[0], tuple(names[1:]))


def function_of(
    asked: Asked, line: str, known: Mapping[str, GivenFunction]
) -> GivenFunction:
    """The function that a derivative is asked of."""
    if asked.function is not None:
        text = Text.of(line, asked.function)
        match = _NAMED.fullmatch(text.text)
        if match is None or match[1] not in known or match[1] == asked.variable:
            return GivenFunction(text)
        function = known[match[1]]
        given = [inputs.normal(n.strip()) for n in (match[2] or "").split(",")]
        if match[2] is not None and given != list(function.parameters):
            raise text.refuse(
                f"{match[1]} was defined with other variables",
                f"write {_head(function)}",
            )
        return function
    assert asked.name is not None
    if asked.name not in known:
        if asked.variable is not None and asked.argument is not None:
            return GivenFunction(Text.of(line, asked.argument))  # dy/dx x^2
        raise Text.of(line, asked.span).refuse(
            f"{asked.name} is not defined here or above",
            f"a claim needs its function: {asked.name}(x) = ...; before it; "
            "a function to be differentiated is f(x) = ...",
        )
    return known[asked.name]


def _head(function: GivenFunction) -> str:
    inside = ", ".join(function.parameters)
    return f"{function.name}({inside})" if inside else function.name or ""


def problem_of(
    asked: Asked, line: str, claim: Text, known: Mapping[str, GivenFunction]
) -> Problem:
    """A problem from both texts, with its variable and its point.

    `asked` stands in `line`, the `claim` there or in a cell of its own; `known` are the functions defined so
    far. Raises `ExprgradError` with its place.
    """
    function = function_of(asked, line, known)
    variable = asked.variable
    if variable is None and len(function.parameters) == 1:
        variable = function.parameters[0]
    names = {*function.parameters, *([variable] if variable else [])}
    declared = names | letters(f"{function.text.text} ; {claim.text}", variable)
    claim, without = without_differential(claim, declared)
    read = _read(function.text, declared, function, known)
    claimed = _read(claim, declared, function, known)
    if without:
        claimed.notes = (*claimed.notes, f"{without} is left out of your answer")
    if claimed.asks_for_derivative:
        raise claim.refuse("an answer cannot ask for a derivative", "work it out")
    asking = Text.of(line, asked.span)
    if variable is None:
        variable = _only(read, asking, function)
    at = _point(asked, function, variable, line)
    if at:
        _refuse_open_point(claim, at, (*read.variables, *claimed.variables))
    found = Problem(
        line=0,
        label="",
        source=line,
        asked=f"{_head(function)} = {function.text.text}; {asking.text}"
        if function.name
        else asking.text,
        answer=claim.text,
        function=read,
        claim=claimed,
        variable=variable,
        order=asked.order,
        at={name: number() for name, number in at.items()} or None,
        exact={name: number.root for name, number in at.items()} or None,
        places=(function.text.offset_in(line), claim.offset_in(line)),
    )
    if asked.point is None:
        return found
    point = asked.point if "=" in asked.point else f"{variable}={asked.point}"
    if "|" not in found.asked:  # the bar of LaTeX says so itself
        found = found._replace(asked=f"{found.asked} at {point}")
    return placed(found, point)


def placed(problem: Problem, place: str) -> Problem:
    """The problem at a place only: `x = 3`, or the number alone."""
    from exprgrad.data.bindings import Bindings

    if "@" in place:
        raise UsageError("a place is made of numbers, not of files")
    text = place if "=" in place else f"{problem.variable} = {place}"
    given = Bindings([text], "at")
    if problem.variable not in given.values and problem.at is None:
        return _with_numbers(problem, given.exact)
    return problem._replace(
        at={**(problem.at or {}), **given.values},
        exact={**(problem.exact or {}), **given.exact},
    )


def _with_numbers(problem: Problem, numbers: Mapping[str, Value]) -> Problem:
    """The problem with numbers for other letters than its variable: d/dx (a*x^2) = 6x where a = 3."""
    function, claim = (
        Expression.of(at_place(side.root, numbers), side.declared)
        for side in (problem.function, problem.claim)
    )
    return problem._replace(function=function, claim=claim)


def without_differential(claim: Text, declared: Collection[str]) -> tuple[Text, str]:
    """An answer such as `2x dx` without its `dx`, and that; both as they are if there is none."""
    if claim.text.rstrip()[-2:-1] != "d":
        return claim, ""
    found = re.search(r"(?<=[\s)\]}0-9])(d[^\W\d_])\s*$", claim.text)
    if found is None or found[1] in declared or not claim.text[: found.start()].strip():
        return claim, ""
    return claim._replace(text=claim.text[: found.start()].rstrip()), found[1]


def _read(
    text: Text,
    declared: Collection[str],
    function: GivenFunction,
    known: Mapping[str, GivenFunction],
) -> Expression:
    """Read a text. It may not mention functions of the sheet, which would be taken for variables."""
    called = [
        name
        for name, other in known.items()
        if other.parameters and re.search(rf"(?<!\w){name}\s*\(", text.text)
    ]
    if not called:
        expression = text.parse(declared)
        if function.name not in expression.variables:
            return expression
        called.append(function.name or "")
    raise text.refuse(f"{called[0]} cannot be used here", f"write {called[0]} out")


def _refuse_open_point(
    claim: Text, at: Mapping[str, object], names: Collection[str]
) -> None:
    """At a point, every variable has to have a value."""
    for name in names:
        if name not in at:
            raise claim.refuse(
                f"the value of {name} is not known here",
                "a claim at a point is a number; otherwise claim the formula",
            )


def _only(read: Expression, asked: Text, function: GivenFunction) -> str:
    """The only variable of a function."""
    several = function.parameters or read.variables
    if len(several) > 1:
        names = ", ".join(several)
        name = function.name
        hint = (
            f"write d{name}/d{several[0]}" if name else f"write d/d{several[0]} (...)"
        )
        raise asked.refuse(f"with respect to which variable: {names}?", hint)
    if not read.variables:
        return "x"
    name = read.variables[0]
    if len(name) > 1 and name.isalpha():
        raise asked.refuse(
            f"{name} is read as one name",
            f"write {'*'.join(name)} for a product, or d/d{name} (...) for the variable",
        )
    return name


def _point(
    asked: Asked, function: GivenFunction, variable: str, line: str
) -> dict[str, Expression]:
    """The values in the brackets of f'(3); none for f'(x)."""
    if asked.argument is None or function.name is None:
        return {}
    names = function.parameters or (variable,)
    given = list(_split(line, asked.argument))
    if len(given) != len(names):
        raise Text.of(line, asked.argument).refuse(
            f"{function.name} has {len(names)} variable{'s'[: len(names) != 1]}, "
            f"here are {len(given)}",
            f"write {function.name}'({', '.join(names)})",
        )
    at = {}
    for name, text in zip(names, given, strict=True):
        if inputs.normal(text.text) != name:
            at[name] = _number(text, name, function)
    return at


def _number(text: Text, name: str, function: GivenFunction) -> Expression:
    """A number that has a value."""
    value = text.parse(())
    if value.variables:
        raise text.refuse(
            f"{function.name} is a function of {name}", f"write {name} or a number here"
        )
    try:
        value()
    except ExprgradError as error:
        raise text.moved(error) from None
    return value


def _split(line: str, span: Span) -> Iterator[Text]:
    """The texts between the commas of a pair of brackets."""
    first = span[0] + 1
    for start, end in parted(line[first : span[1] - 1]):
        piece = line[first + start : first + end]
        begin = first + start + len(piece) - len(piece.lstrip())
        yield Text(piece.strip(), line, begin)


def in_line(problem: Problem, error: ExprgradError) -> ExprgradError:
    """An error that a check raised about one of the texts, with its place in the line."""
    for text, offset in zip(
        (problem.function.source, problem.claim.source), problem.places, strict=True
    ):
        if error.source == text and offset is not None and error.span is not None:
            start, end = error.span
            error.span, error.source = (start + offset, end + offset), problem.source
            break
    return error
