"""From homework sheets, and from the cells of a class set, to problems.

    read_sheet("3a) d/dx x^2 + 1 = 2x")     [Problem(1, "3a", ..., variable="x", order=1, at=None)]
    read_row("x^2", "2x")                   the same from two cells of a table

A line that cannot be read gives an `Unreadable` with the error, which points into that line; the others
are still read. A definition, `f(x) = x^2`, holds on its line and on those below it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from exprgrad.errors import (
    ExpressionSyntaxError,
    ExprgradError,
    UsageError,
)
from exprgrad.grading.problems import (
    GivenFunction,
    Problem,
    Text,
    defined,
    function_of,
    problem_of,
)
from exprgrad.language.sentences import (
    Asked,
    Claim,
    Definition,
    read_line,
    read_question,
)

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


_WHERE = re.compile(
    r"[,;]?\s+(?:where|for|if|when)\s+(?P<conditions>[^=]*?[<>≤≥≠][^=<>]*(?:(?:[<>]=?|!=)[^=]*)?)$"
)


class Unreadable(NamedTuple):
    """A line that is not a problem, without its numbering and comment, and the reason."""

    line: int
    label: str
    source: str
    error: ExprgradError


def read_sheet(text: str) -> list[Problem | Unreadable]:
    """The problems of a sheet, a line each, and the lines that cannot be read.

    Raises `UsageError` if the sheet is too long, or if there is nothing on it.
    """
    if len(text) > LONGEST_SHEET:
        raise UsageError(
            f"the sheet has {len(text):,} characters; at most {LONGEST_SHEET:,} are read",
            hint="split it, or make it a CSV file with the columns problem and answer",
        )
    reader = _Sheet()
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        reader.read(number, line)
    reader.finish()
    if not reader.found:
        raise UsageError(
            "there is no problem on this sheet",
            hint="write one on a line, such as d/dx x^2 = 2x",
        )
    return reader.found


def _where(line: str) -> tuple[str, tuple[str, ...]]:
    """A line without the conditions at its end: `d/dx ln(a*x) = 1/x for a > 0, x > 0`."""
    match = _WHERE.search(line)
    if match is None:
        return line, ()
    return line[: match.start()].rstrip(), (match["conditions"].strip(),)


class _Sheet:
    """Reads line after line and remembers the definitions."""

    def __init__(self) -> None:
        self.found: list[Problem | Unreadable] = []
        self._known: dict[str, GivenFunction] = {}
        self._unused: dict[str, Unreadable] = {}

    def read(self, number: int, line: str) -> None:
        """Read a line; comments and numbering do not belong to the problem, but count in its places."""
        body = line.partition("#")[0]
        match = _LABEL.match(body)
        label = (match["inside"] or match["before"]) if match else ""
        # blanks in place of the numbering keep every place that of the line
        body = " " * match.end() + body[match.end() :] if match else body
        if not body.strip(" \t\ufeff\u200b"):
            return
        try:
            asked, where = _where(body.rstrip())
            problems = self._problems(number, label, asked)
            self.found += [problem._replace(where=where) for problem in problems]
        except ExprgradError as error:
            if error.source == body.rstrip():
                error.source = line
            self._forget(number, body)
            self.found.append(Unreadable(number, label, body.strip(), error))

    def _forget(self, number: int, body: str) -> None:
        """Drop what an unreadable line defines, old and new: an older definition may not be used for grading."""
        self._unused = {n: u for n, u in self._unused.items() if u.line != number}
        for name in list(self._known):
            if re.search(rf"(?<!\w){name}\s*(?:\([^()]*\))?\s*=", body):
                del self._known[name]

    def finish(self) -> None:
        """Report the definitions that nothing was claimed about."""
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
            function = function_of(sentence.asked, line, self._known)
            self._unused.pop(function.name or "", None)
            for span in sentence.answers:
                claim = Text.of(line, span)
                problem = problem_of(sentence.asked, line, claim, self._known)
                problems.append(problem._replace(line=number, label=label))
        return problems

    def _define(
        self, number: int, label: str, line: str, definition: Definition
    ) -> None:
        function = defined(definition, line)
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
    expression, perhaps behind `f'(x) =`. `variable` may be left out if there is only one. Raises `ExprgradError`
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
        asked, known = _asked_by(problem, variable.strip())
        return problem_of(asked, problem, _answer(answer, asked.order), known)
    except ExprgradError as error:
        error.origin = {problem: "problem", answer: "answer"}.get(error.source or "")
        raise


def _asked_by(cell: str, variable: str) -> tuple[Asked, dict[str, GivenFunction]]:
    """What a cell asks for, and the function that it defines."""
    whole = (len(cell) - len(cell.lstrip()), len(cell.rstrip()))
    question = read_question(cell)
    known: dict[str, GivenFunction] = {}
    asked = Asked(whole, 1, variable or None, function=whole)
    if question is not None and question.definition is not None:
        known[question.definition.name] = defined(question.definition, cell)
        asked = Asked(whole, 1, variable or None, name=question.definition.name)
    if question is not None and question.asked is not None:
        asked = question.asked
    if variable and asked.variable not in (None, variable):
        raise UsageError(
            f"the problem asks for d/d{asked.variable}, the column says {variable}"
        )
    return asked._replace(variable=asked.variable or variable or None), known


def _answer(cell: str, order: int) -> Text:
    """The claim in an answer's cell: what stands behind the first `=` of f'(x) = 2x."""
    cell = cell.rstrip()
    start = len(cell) - len(cell.lstrip())
    if cell[start:].startswith("=") and not cell[start:].startswith("=="):
        start += 1 + len(cell[start + 1 :]) - len(cell[start + 1 :].lstrip())
    if "=" not in cell[start:]:
        return Text.of(cell, (start, len(cell)))
    try:
        sentences = read_line(" " * start + cell[start:])
    except ExpressionSyntaxError:
        sentences = []  # `=` may belong to a comparison; the expression parser explains it better
    first = sentences[0] if len(sentences) == 1 else None
    if not isinstance(first, Claim) or len(first.answers) != 1:
        return Text.of(cell, (start, len(cell)))
    if first.asked.order != order:
        raise Text.of(cell, first.asked.span).refuse(
            "the answer gives a derivative of another order"
        )
    return Text.of(cell, first.answers[0])
