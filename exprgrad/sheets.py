"""Homework sheets, and the cells of a class set, to problems.

    read_sheet("3a) d/dx x^2 + 1 = 2x")     [Problem(1, "3a", ..., variable="x", order=1, at=None)]
    read_row("x^2", "2x")                   the same from two cells of a table

A line that cannot be read gives an `Unreadable` with the error, which points into that line; the others
are read all the same. A definition, `f(x) = x^2`, holds on its line and on those below it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from exprgrad.errors import (
    ExpressionSyntaxError,
    ExprgradError,
    Span,
    UsageError,
)
from exprgrad.expression import Expression, parse
from exprgrad.lines import Asked, Claim, Definition, read_line, read_question
from exprgrad.names import CONSTANTS, is_function
from exprgrad.reading import shorten

LONGEST_SHEET = 1_000_000
"""Characters of a sheet that are read; a class set in CSV may be of any length."""

LONGEST_LINE = 10_000
"""Characters of a line, or of a cell, that are read."""

_LABEL = re.compile(
    r"""\s*(?: \( \s* (?P<inside> [0-9]+[a-z]? | [a-z] | [ivx]+ ) \) (?= \s+ [^\s'’′″"=] )
          | (?P<before> (?: [^\W\d_]+\.? \s* )? [0-9]+ (?: \.[0-9]+ )* [a-z]?
                        | [a-z] | [ivx]+ ) [.):] (?! \d ) )\s*""",
    re.VERBOSE,
)
_LETTER = re.compile(r"(?<![^\W\d_])[^\W\d_](?:_?[0-9]+)?(?!\w)")
_OPERATOR = re.compile(r"[d∂][\w^]*\s*/\s*[d∂]\w+")
_PAIR = re.compile(r"(?<![^\W\d_])[^\W\d_]{2}(?!\w)")
_NAMED = re.compile(r"([^\W\d]\w*)\s*(?:\((.*)\))?", re.DOTALL)


class Problem(NamedTuple):
    """A function, a claimed derivative of it, and where both were written.

    `source` is the line; `asked` is what is asked for, with the definition of a function that has a name, and
    `answer` what stands behind `=`. The texts of `function` and `claim` begin in the line at `places`; a
    function defined on an earlier one has no place.
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
    places: tuple[int | None, int] = (None, 0)


class Unreadable(NamedTuple):
    """A line that is no problem, without its numbering and comment, and the reason."""

    line: int
    label: str
    source: str
    error: ExprgradError


class _Text(NamedTuple):
    """A text with its place: the line that it stands in, and the offset there."""

    text: str
    source: str
    offset: int

    @classmethod
    def of(cls, source: str, span: Span) -> _Text:
        return cls(source[slice(*span)], source, span[0])

    def parse(self, declared: Collection[str]) -> Expression:
        """Read it as an expression; an error points into the line."""
        try:
            return parse(self.text, declared)
        except ExprgradError as error:
            raise self.moved(error) from None

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


class _Function(NamedTuple):
    """What is differentiated: its text, its name if it has one, and the parameters."""

    text: _Text
    name: str | None = None
    parameters: tuple[str, ...] = ()


def read_sheet(text: str) -> list[Problem | Unreadable]:
    """The problems of a sheet, a line each, and the lines that cannot be read.

    Raises `UsageError` where the sheet is too long, or where there is nothing in it.
    """
    if len(text) > LONGEST_SHEET:
        raise UsageError(
            f"the sheet has {len(text):,} characters; at most {LONGEST_SHEET:,} are read",
            hint="split it, or make it a CSV file with the columns problem and answer",
        )
    reader = _Sheet()
    for number, line in enumerate(text.splitlines(), 1):
        reader.read(number, line)
    reader.finish()
    if not reader.found:
        raise UsageError(
            "there is no problem on this sheet",
            hint="write one on a line, such as d/dx x^2 = 2x",
        )
    return reader.found


class _Sheet:
    """Reads line after line and remembers the definitions."""

    def __init__(self) -> None:
        self.found: list[Problem | Unreadable] = []
        self._known: dict[str, _Function] = {}
        self._unused: dict[str, Unreadable] = {}

    def read(self, number: int, line: str) -> None:
        """Read a line; comments and numbering are left out of the problem, not of its places."""
        body = line.partition("#")[0]
        match = _LABEL.match(body)
        label = (match["inside"] or match["before"]) if match else ""
        # blanks in place of the numbering: every place is still that in the line
        body = " " * match.end() + body[match.end() :] if match else body
        if not body.strip(" \t\ufeff\u200b"):
            return
        try:
            self.found += self._problems(number, label, body.rstrip())
        except ExprgradError as error:
            if error.source == body.rstrip():
                error.source = line
            # what was defined on this line is not reported a second time
            self._unused = {n: u for n, u in self._unused.items() if u.line != number}
            self.found.append(Unreadable(number, label, body.strip(), error))

    def finish(self) -> None:
        """Report the definitions about which nothing was claimed."""
        self.found += self._unused.values()
        self.found.sort(key=lambda problem: problem.line)

    def _problems(self, number: int, label: str, line: str) -> list[Problem]:
        if len(line) > LONGEST_LINE:
            raise UsageError(
                f"the line has {len(line):,} characters; at most {LONGEST_LINE:,} are read"
            )
        problems = []
        for sentence in read_line(line):
            if isinstance(sentence, Definition):
                self._define(number, label, line, sentence)
                continue
            function = _function(sentence.asked, line, self._known)
            self._unused.pop(function.name or "", None)
            problems += [
                _problem(function, sentence.asked, _Text.of(line, span), line)._replace(
                    line=number, label=label
                )
                for span in sentence.answers
            ]
        return problems

    def _define(
        self, number: int, label: str, line: str, definition: Definition
    ) -> None:
        function = _defined(definition, line)
        name = definition.name
        if name in self._unused:
            self.found.append(self._unused.pop(name))
        self._known[name] = function
        error = UsageError(
            f"nothing is claimed about {name}",
            definition.span,
            f"add its derivative, such as {name}' = 2x",
            source=line,
        )
        self._unused[name] = Unreadable(number, label, line.strip(), error)


def read_row(problem: str, answer: str, variable: str = "") -> Problem:
    """A problem from the cells of a table.

    `problem` is an expression, or asks for a derivative (`d/dx x^2`, `f(t) = e^(-t); f'(2)`); `answer` is an
    expression, perhaps behind `f'(x) =`. `variable` may be left out where there is one. Raises `ExprgradError`
    with its place in the cell; `origin` names the column.
    """
    for name, cell in (("problem", problem), ("answer", answer)):
        if not cell.strip():
            raise UsageError(f"there is no {name}")
        if len(cell) > LONGEST_LINE:
            raise UsageError(
                f"the {name} has {len(cell):,} characters; at most {LONGEST_LINE:,} are read"
            )
    try:
        function, asked = _asked_by(problem, variable.strip())
        return _problem(function, asked, _answer(answer, asked.order), problem)
    except ExprgradError as error:
        error.origin = {problem: "problem", answer: "answer"}.get(error.source or "")
        raise


def _asked_by(cell: str, variable: str) -> tuple[_Function, Asked]:
    """The function that a cell is about, and what is asked of it."""
    cell = cell.rstrip()
    start = len(cell) - len(cell.lstrip())
    whole = (start, len(cell))
    question = read_question(cell)
    known: dict[str, _Function] = {}
    asked = Asked(whole, 1, variable or None, function=whole)
    if question is not None and question.definition is not None:
        known[question.definition.name] = _defined(question.definition, cell)
        asked = Asked(whole, 1, variable or None, name=question.definition.name)
    if question is not None and question.asked is not None:
        asked = question.asked
    if variable and asked.variable not in (None, variable):
        raise UsageError(
            f"the problem is about d{asked.variable}, the column says {variable}"
        )
    asked = asked._replace(variable=asked.variable or variable or None)
    return _function(asked, cell, known), asked


def _answer(cell: str, order: int) -> _Text:
    """The claim in an answer's cell: what stands behind the first `=` of f'(x) = 2x."""
    cell = cell.rstrip()
    start = len(cell) - len(cell.lstrip())
    if cell[start:].startswith("=") and not cell[start:].startswith("=="):
        start += 1 + len(cell[start + 1 :]) - len(cell[start + 1 :].lstrip())
    if "=" not in cell[start:]:
        return _Text.of(cell, (start, len(cell)))
    try:
        sentences = read_line(" " * start + cell[start:])
    except ExpressionSyntaxError:
        sentences = []  # `=` may stand in a comparison; the expression parser says it better
    first = sentences[0] if len(sentences) == 1 else None
    if not isinstance(first, Claim) or len(first.answers) != 1:
        return _Text.of(cell, (start, len(cell)))
    if first.asked.order != order:
        raise _Text.of(cell, first.asked.span).refuse(
            "the answer is about a derivative of another order"
        )
    return _Text.of(cell, first.answers[0])


def _defined(definition: Definition, line: str) -> _Function:
    """A definition, checked: its name is free, and so are its parameters."""
    at = _Text.of(line, definition.span)
    names = [definition.name]
    if definition.parameters:
        inside = line[definition.parameters[0] + 1 : definition.parameters[1] - 1]
        names += [name.strip() for name in inside.split(",")]
    for name in names:
        if not name.isidentifier():
            raise at.refuse(
                f"{shorten(name)!r} cannot be a variable of {names[0]}",
                "write f(x) = ..., with names in the brackets",
            )
        if name in CONSTANTS or is_function(name, called=name == names[0]):
            kind = "constant" if name in CONSTANTS else "function"
            raise at.refuse(f"{name} is a {kind} and cannot be defined", "rename it")
    function = _Text.of(line, definition.function)
    return _Function(function, names[0], tuple(names[1:]))


def _function(asked: Asked, line: str, known: dict[str, _Function]) -> _Function:
    """The function that a derivative is asked of."""
    if asked.function is not None:
        text = _Text.of(line, asked.function)
        match = _NAMED.fullmatch(text.text)
        if match is None or match[1] not in known or match[1] == asked.variable:
            return _Function(text)
        function = known[match[1]]
        given = [name.strip() for name in (match[2] or "").split(",")]
        if match[2] is not None and given != list(function.parameters):
            raise text.refuse(
                f"{match[1]} was defined with other variables",
                f"write {_head(function)}",
            )
        return function
    assert asked.name is not None
    if asked.name not in known:
        raise _Text.of(line, asked.span).refuse(
            f"{asked.name} is not defined here or above",
            f"write {asked.name}(x) = ...; before it",
        )
    return known[asked.name]


def _head(function: _Function) -> str:
    inside = ", ".join(function.parameters)
    return f"{function.name}({inside})" if inside else function.name or ""


def _problem(function: _Function, asked: Asked, claim: _Text, line: str) -> Problem:
    """Read both texts, settle the variable and the point."""
    variable = asked.variable
    if variable is None and len(function.parameters) == 1:
        variable = function.parameters[0]
    names = {*function.parameters, *([variable] if variable else [])}
    declared = names | _letters(f"{function.text.text} ; {claim.text}", variable)
    read = function.text.parse(declared)
    claimed = claim.parse(declared)
    if claimed.asks_for_derivative:
        raise claim.refuse(
            "an answer cannot ask for a derivative itself", "work it out"
        )
    asked_text = _Text.of(line, asked.span)
    if variable is None:
        variable = _only(read, asked_text, function)
    at = _point(asked, function, variable, line)
    return Problem(
        line=0,
        label="",
        source=line,
        asked=f"{_head(function)} = {function.text.text}; {asked_text.text}"
        if function.name
        else asked_text.text,
        answer=claim.text,
        function=read,
        claim=claimed,
        variable=variable,
        order=asked.order,
        at=at or None,
        places=(
            function.text.offset if function.text.source == line else None,
            claim.offset,
        ),
    )


def _letters(text: str, variable: str | None) -> set[str]:
    """The names that the texts of a problem declare, so that others may be products of them.

    Every letter that stands alone is a name: with `k` in the answer, kt is k*t. A pair of letters is a product
    as well where one of them is the variable: the kx of `d/dx e^(kx)`.
    """
    text = _OPERATOR.sub(" ", text)  # the d of d/dx is no name
    letters = set(_LETTER.findall(text))
    if variable is not None:
        pairs = [pair for pair in _PAIR.findall(text) if variable in pair]
        letters.update(*(p for p in pairs if p not in CONSTANTS))
    return letters - set(CONSTANTS)


def _only(read: Expression, asked: _Text, function: _Function) -> str:
    """The only variable of a function."""
    several = function.parameters or read.variables
    if len(several) > 1:
        names = ", ".join(several)
        name = function.name
        hint = (
            f"write d{name}/d{several[0]}" if name else f"write d/d{several[0]} (...)"
        )
        raise asked.refuse(f"by which variable: {names}?", hint)
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
    asked: Asked, function: _Function, variable: str, line: str
) -> dict[str, float]:
    """The values in the brackets of f'(3); none for f'(x)."""
    if asked.argument is None:
        return {}
    names = function.parameters or (variable,)
    given = list(_split(line, asked.argument))
    if len(given) != len(names):
        raise _Text.of(line, asked.argument).refuse(
            f"{function.name} has {len(names)} variable{'s'[: len(names) != 1]}, "
            f"here are {len(given)}",
            f"write {function.name}'({', '.join(names)})",
        )
    at = {}
    for name, text in zip(names, given, strict=True):
        if text.text != name:
            at[name] = _number(text, name, function)
    return at


def _number(text: _Text, name: str, function: _Function) -> float:
    value = text.parse(())
    if value.variables:
        raise text.refuse(
            f"{function.name} is a function of {name}", f"put {name} or a number here"
        )
    try:
        return value()
    except ExprgradError as error:
        raise text.moved(error) from None


def _split(line: str, span: Span) -> Iterator[_Text]:
    """The texts between the commas of a pair of brackets."""
    depth, start = 0, span[0] + 1
    for i in range(span[0] + 1, span[1]):
        sign = line[i]
        if i == span[1] - 1 or (sign == "," and not depth):
            piece = line[start:i]
            begin = start + len(piece) - len(piece.lstrip())
            yield _Text(piece.strip(), line, begin)
            start = i + 1
        depth += (sign in "([{") - (sign in ")]}")


def in_line(problem: Problem, error: ExprgradError) -> ExprgradError:
    """An error that a check raised about a problem's texts, with its place in the line."""
    for text, offset in zip(
        (problem.function.source, problem.claim.source), problem.places, strict=True
    ):
        if error.source == text and offset is not None and error.span is not None:
            start, end = error.span
            error.span, error.source = (start + offset, end + offset), problem.source
            break
    return error
