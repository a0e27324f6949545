"""From homework sheets, and from the cells of a class set, to problems.

    read_sheet("3a) d/dx x^2 + 1 = 2x")     [Problem(1, "3a", ..., variable="x", order=1, at=None)]
    read_row("x^2", "2x")                   the same from two cells of a table

A line that cannot be read gives an `Unreadable` with the error, which points into that line; the others
are still read. A definition, `f(x) = x^2`, holds on its line and on those below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import at_most
from exprgrad.checking import problems
from exprgrad.checking.kinds.rows import words
from exprgrad.checking.names import declines
from exprgrad.checking.problems import Problem, parsed, placed, refused
from exprgrad.checking.readings import conditioned
from exprgrad.errors import ExpressionSyntaxError, ExprgradError, UsageError
from exprgrad.language import questions
from exprgrad.language.products import letters
from exprgrad.language.questions import Definition, Piece, Question, Scope, read
from exprgrad.language.shapes import is_latex, is_plain
from exprgrad.lazy import pattern
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import GREEK

_LABEL = pattern(
    r"""\s*(?: \( \s* (?P<inside> [0-9]+[a-z]? | [a-z] | [ivx]+ ) \) (?= \s+ [^\s'’′″"=] )
          | (?P<before> (?: [^\W\d_]+\.? \s* )? [0-9]+ (?: \.[0-9]+ )* [a-z]?
                        | [a-z] | [ivx]+ ) [.):] (?! \d ) )\s*""",
    re.VERBOSE,
)


_WORD = pattern(r"[^\W\d_]{3,}")
_MATHEMATICS = pattern(
    r"[=^*+√∂∫<>≤≥′⁰¹²³⁴-⁹\\$|]|\d\s*[(/]|[)/]\s*\d|\b[dD]/[dD]|\w\(|\w'\s|/"
)
_FIELD = pattern(
    r"\s*(?:[^\W\d_]{2,}(?:\s+[^\W\d_]{2,})*\s*:)?\s*\d+\s*(?:[-/.]\s*\d+\s*){1,2}%?\s*"
)
"""A score or a date: Score: 8/10, 3/12/2024."""


def is_prose(line: str) -> bool:
    """Return whether a line of a worksheet is a title, a name or an instruction, not a problem."""
    if _FIELD.fullmatch(line):
        return True
    if _MATHEMATICS.search(line):
        return False
    found = ((word, word.casefold()) for word in _WORD.findall(line))
    words = [word for word, plain in found if plain not in GREEK and not named(plain)]
    return len(words) > 1 or any(word[0].isupper() for word in words)


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
    hint = "split it, or make it a CSV file with the columns problem and answer"
    at_most("sheet", len(text), "sheet", hint=hint)
    reader = _Sheet()
    lines = re.split(r"\r\n|\r|\n", text)
    asked = ""
    for number, line in enumerate(lines, 1):
        whole = f"{asked}\n{line}" if asked else line
        following = lines[number].lstrip() if number < len(lines) else ""
        # a line without = whose answer stands on the next one, d/dx x^2 above = 2x, is read together with it
        opens = following.startswith("=") and "=" not in line.partition("#")[0]
        asked = line if opens else ""
        if not opens:
            reader.read(number, whole)
    reader.finish()
    if not reader.found:
        hint = "write one on a line, such as d/dx x^2 = 2x"
        raise UsageError("there is no problem on this sheet", hint=hint)
    return reader.found


class _Sheet:
    """Reads line after line and remembers the definitions."""

    def __init__(self) -> None:
        self.found: list[Problem | Unreadable] = []
        self._known: dict[str, Definition] = {}
        self._unused: dict[str, Unreadable] = {}
        self._past, self._is_claimed = set[str](), False

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
            asked, where = conditioned(body.rstrip())
            for problem in self._problems(number, label, asked):
                found = problem._replace(line=number, label=label if problem.line == 0 else "")  # fmt: skip
                self.found.append(found._replace(where=where))
        except ExprgradError as error:
            if is_prose(body):
                return
            # the numbering was blanked out, but an error shows the line as it stands on the sheet
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
        at_most("line", len(line), "line")
        before = self.found[-1] if self.found else None
        if line.lstrip().startswith("=") and isinstance(before, Problem) and before.is_derivative:  # fmt: skip
            return [*_continued(before, line)]
        claimed: list[Problem] = []
        scope = Scope(self._known, kinds=words(), before=tuple(self._known.values()))
        said = read(line, scope)
        asked = questions.questions_in(said)
        own = {d.name for d in said if isinstance(d, Definition)}
        if own and self._is_claimed:
            self._past = {"x", "t"}  # behind a claim, these are variables again
        self._past, self._is_claimed = self._past - own, bool(asked)
        # what a claim about y rests on; in d/dx (x^2 y), y is a letter, whatever stands above
        typed = re.findall(r"[^\W\d]\w*", line)
        under = questions.reached({*typed, *"".join(typed)}, self._known.values())
        names = under - own - self._past
        is_named = any(question.name for question in asked)
        given = [d for name, d in self._known.items() if is_named and name in names]
        claims = [claim.text for question in asked for claim in question.claims]
        is_used = any(d.at or d.name in text for d in given for text in claims)
        if len(given) < 2 and not (is_used or own):
            given = []  # a function alone is known to the scope
        for found in read(line, scope, given) if given else said:
            if isinstance(found, Definition):
                if not any(found is each for each in given):
                    self._define(number, label, line, found)
                continue
            if not found.claims:
                raise _unanswered(found)
            used = {found.name, *(d.name for d in given)}
            # of y = f(x) = x^2, a claim about either of its names is about both
            used |= {
                n for n, d in self._known.items() if {d.given, d.whole} & {*found.given}
            }
            for name in [n for n in self._unused if n in used or n in found.asked.text]:
                del self._unused[name]
            claimed += problems.problems_of(found, self._known)
        return claimed

    def _define(
        self, number: int, label: str, line: str, definition: Definition
    ) -> None:
        name = problems.checked_definition(definition).name
        # f was defined twice and nothing was claimed about the first one
        if name in self._unused:
            self.found.append(self._unused.pop(name))
        self._known.pop(name, None)  # the last is what "the tangent at 3" is about
        self._known[name] = definition
        hint = f"add its derivative, such as {name}' = 2x"
        error = refused(definition.whole, f"nothing is claimed about {name}", hint)
        self._unused[name] = Unreadable(number, label, line.strip(), error)


def _unanswered(question: Question) -> ExprgradError:
    """The error for a question without a claim."""
    asked = question.asked
    end = asked.span[1]
    rest = asked.source[end:]
    if rest.lstrip().startswith("="):
        at = end + rest.index("=")
        return ExpressionSyntaxError("there is nothing after '='", (at, at + 1), "add the answer", source=asked.source)  # fmt: skip
    if question.kind == "expression":
        return questions.refusal(question)
    return ExpressionSyntaxError("there is no answer", (end, end), "add = and the answer", source=asked.source)  # fmt: skip


def _continued(before: Problem, line: str) -> Iterator[Problem]:
    """The claims of a line that goes on with the chain above it: = x(2 sin x + x cos x)."""
    for start, end in questions.between_equals(line)[1:]:
        claim = Piece(line[start:end], line, start, is_latex(line))
        if not claim.text:
            raise refused(claim, "there is nothing after '='")
        claimed = parsed(claim, {*before.function.declared, *before.function.variables})
        answered = before._replace(answer=claim.text, claim=claimed, continued=True)
        yield answered._replace(source=line, places=(None, claim.offset))


def read_row(
    problem: str,
    answer: str,
    variable: str = "",
    options: Mapping[str, str] | None = None,
) -> Problem:
    """A problem from the cells of a table; `options` are those of another kind, and its name.

    Raises `ExprgradError` with its place in the cell; `origin` names the column.
    """
    for name, cell in (("problem", problem), ("answer", answer)):
        if not cell.strip():
            raise UsageError(f"there is no {name}")
        at_most("line", len(cell), name)
    given = {name: text.strip() for name, text in (options or {}).items()}
    kind = given.get("kind", "").lower()
    if kind not in ("", "derivative"):
        return _of_kind(kind, problem, answer, variable.strip(), given)
    order, place = (given.get(name, "") if kind else "" for name in ("order", "at"))
    try:
        found = problem_in(problem, answer, variable.strip(), _whole(order) if order else None)  # fmt: skip
        return placed(found, place) if place and found.is_derivative and not found.exact else found  # fmt: skip
    except ExprgradError as error:
        error.origin = {problem: "problem", answer: "answer"}.get(error.source or "")
        raise


def problem_in(
    problem: str,
    answer: str,
    variable: str = "",
    order: int | None = None,
    option: str = "",
) -> Problem:
    """A problem from two texts.

    `problem` is an expression, or asks for a derivative (`d/dx x^2`, `f(t) = e^(-t); f'(2)`) or something else;
    `answer` is an expression, perhaps behind `f'(x) =`. `variable` may be left out if there is only one, and stays open
    where an `option` gives it, no column. Raises `ExprgradError` with its place.
    """
    named = _named_in(answer, problem) if option and not is_plain(answer) else None
    if named is not None and order in (None, named.order):
        question, claim = named, claimed(named.claims)
        known = dict[str, Definition]()
    else:
        question, known = _asked_in(problem)
        if order is not None:
            question = question._replace(order=order)
        # n/a says that there is no answer, and does not divide n by a
        if question.kind == "derivative" and declines(answer, problem):
            raise UsageError(f"{answer.strip()} says that there is no answer")
        claim, said = answer_in(answer, question), questions.placed_answer(answer)
        if known and question.kind in ("derivative", "parametric"):
            question, claim = _together(problem, question, claim)
        if said and said.at and question.kind in _FORMULAS and not (question.at or question.argument):  # fmt: skip
            if not option:
                raise refused(said.at, "the problem asks for a formula", "give it, without a point")  # fmt: skip
            question = question._replace(at=said.at)
    if variable and question.wrt and question.wrt[0] != variable:
        asks = f"the problem asks for d/d{question.wrt[0]}"
        raise UsageError(f"{asks}, {option or 'the column'} says {variable}")
    stated = (
        problems.equation_of(question, claim)
        if question.asked in question.given
        else None
    )
    if stated is None or not stated.function.asks_for_derivative:
        stated = problems.problem_of(question, claim, known, variable, bool(option))
    found: Problem = stated
    return found if found.is_derivative else found._replace(source=problem)


def _named_in(answer: str, problem: str) -> Question | None:
    """The derivative, with its claim, that an answer says it is of what a problem gives without a question.

    For V = pi r^2 h this is dV/dh = pi r^2, for x^3 + y^3 = 6xy dy/dx at (3, 3) = -1. None where a problem asks itself.
    """
    scope = Scope(kinds=words())
    given = read(problem, scope)
    said = [item for item in read(answer, scope, given) if item not in given]
    [found] = said if len(said) == 1 else [None]
    if not isinstance(found, Question) or not found.claims or found.kind not in _FORMULAS:  # fmt: skip
        return None
    asked = questions.questions_in(given)
    if not {question.kind for question in asked} <= {"expression", "equation"}:
        return None
    # x^2 may be called f by the answer alone
    own = found.given or tuple(q.asked for q in asked if not q.claims)
    text = found.asked.text
    return found._replace(given=own, asked=Piece(text, text, 0)) if own else None


def _whole(order: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", order):
        raise UsageError(f"an order is a whole number, not {order}")
    return int(order)


def _of_kind(
    kind: str, problem: str, answer: str, variable: str, options: Mapping[str, str]
) -> Problem:
    """A question of the kind that a column names, with its options from others."""
    found: dict[str, Any] = {name: text or None for name, text in options.items()}
    found |= {"kind": kind, "wrt": variable or None}
    if order := options.get("order"):
        found["order"] = _whole(order)
    if place := options.get("at"):
        found["at"] = problems.place_of(place)
    asked, claim = problem.strip(), answer.strip()
    return Problem(0, "", problem, asked, claim, asked, claim, options=found)


def _asked_in(cell: str) -> tuple[Question, dict[str, Definition]]:
    """Return what a cell asks for, and the functions that it defines."""
    if is_plain(cell):
        whole = Piece.of(cell)
        return Question("derivative", whole, (whole,)), {}
    found = read(cell, Scope(kinds=words(), is_asking=True))
    defined = (item for item in found if isinstance(item, Definition))
    known = {own.name: problems.checked_definition(own) for own in defined}
    asked = questions.questions_in(found)
    if len(asked) > 1:
        raise UsageError("there are several problems here", hint="give one, or a sheet of them")  # fmt: skip
    # alone in its cell, x^2 + y^2 = 25 asks for dy/dx
    if [question.kind for question in asked] == ["equation"] and not known:
        if not _is_curve(asked[0]):
            raise questions.no_expression(asked[0])
        curve = asked[0].whole
        asked = [Question("implicit", curve, (curve,), at=asked[0].at)]
    if any(question.claims for question in asked):
        raise UsageError("the problem holds an answer", hint="leave it to the answer")
    if asked:
        question = asked[0]
        if question.kind == "expression":
            question = question._replace(kind="derivative", order=1)
    # x = cos t, y = sin t is one curve, but x = 3, y = x^2 a place and a function
    elif {"x", "y"} <= {*known} and "x" not in letters(known["y"].given.text, None):
        given = known["x"].given, known["y"].given
        return Question("parametric", Piece.of(cell), given, at=known["y"].at), {}
    elif known:
        definition = [*known.values()][-1]
        if definition.is_curve and len(known) == 1:
            return Question("implicit", definition.whole, (definition.whole,)), {}
        question = Question("derivative", definition.whole, (definition.given,), name=definition.name, parameters=definition.parameters)  # fmt: skip
    else:
        raise UsageError("there is no problem", hint="write one, such as d/dx x^2")
    return question, known


def _together(problem: str, asked: Question, claim: Piece) -> tuple[Question, Piece]:
    """A question and its answer as one text says them: the definitions of the problem are put into both alike."""
    with suppress(ExprgradError):
        said = read(f"{problem} = {claim.text}", Scope(kinds=words()))
        match questions.questions_in(said):
            case [Question(kind=asked.kind, claims=[own]) as whole]:
                asked = asked._replace(given=whole.given, at=whole.at)
                return asked, claim if own.text == claim.text else own
    return asked, claim


def _is_curve(equation: Question) -> bool:
    """Return whether an equation has several variables, one of which may be a function of another."""
    try:
        sides = [parsed(side, ()) for side in (equation.asked, *equation.claims)]
    except ExprgradError:
        return False
    return len({name for side in sides for name in side.variables}) > 1


_FORMULAS = ("derivative", "implicit", "parametric")
"""Questions that are answered with a formula, or with a number at a point."""


def answer_in(cell: str, question: Question) -> Piece:
    """The claim in an answer's cell: 2x, = 2x, f'(x) = 2x, y = 2x, $2x$; of 2x = 2*x the last."""
    whole = Piece.of(cell)
    if question.kind not in (*_FORMULAS, "antiderivative") or is_plain(cell):
        return whole
    found = read(cell, Scope(kinds=words()))
    if len(found) != 1 or "\n" in cell.strip():
        return whole
    answer = found[0]
    if isinstance(answer, Definition):
        return answer.given
    texts = list(answer.claims)
    if answer.kind == "expression" or not texts:
        return answer.asked if answer.kind == "expression" else whole
    if answer.kind == "equation":
        texts = [answer.asked, *texts] if answer.asked.text else texts
    elif answer.order != question.order:
        raise refused(answer.asked, "the answer gives a derivative of another order")
    return claimed(texts)


def claimed(texts: Sequence[Piece]) -> Piece:
    """The last side of an answer; one such as 2x = 3x, which is two answers, is refused."""
    if len(texts) < 2:
        return texts[0]
    from exprgrad.checking.check import equivalent

    names = letters(" ; ".join(text.text for text in texts), None)
    first, *others = [parsed(text, names) for text in texts]
    for text, other in zip(texts[1:], others, strict=True):
        if equivalent(first, other).status == "different":
            told = "the two sides of this answer are not equal"
            raise refused(text, told, "give one answer")
    return texts[-1]
