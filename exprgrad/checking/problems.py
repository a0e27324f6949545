"""Problems: a question with one of its claims, read as expressions, and their verdicts.

`questions` says what a text asks and claims, with the texts by their places; here the expression parser reads
them. Every letter that stands alone in them is a name, so that longer words may be products of names: with `k`
in the answer, e^(-kt) is e^(-k*t).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import derivatives, equations
from exprgrad.checking.check import CORRECT, INCORRECT, Verdict, check
from exprgrad.checking.judging import EQUAL, if_meant
from exprgrad.checking.kinds import rows
from exprgrad.checking.kinds.request import Request
from exprgrad.checking.names import none, says_none
from exprgrad.checking.readings import conditioned, in_cases
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.graph.value import Value
from exprgrad.language import inputs, questions
from exprgrad.language.brackets import outside, parted
from exprgrad.language.notes import shorten
from exprgrad.language.points import in_order, lies_on, no_variable
from exprgrad.language.products import customary, letters
from exprgrad.language.questions import Definition, Piece, Question, refusal
from exprgrad.language.scanning.reach import Unclear
from exprgrad.language.shapes import LATEX
from exprgrad.language.undefined import keeping
from exprgrad.lazy import pattern
from exprgrad.operations.table import ADD, SUB
from exprgrad.operations.vocabulary import CONSTANTS, is_function

Known = Mapping[str, Definition]
"""Definitions by their names."""


class Problem(NamedTuple):
    """A function, a claimed derivative of it, and where both were written; or another question with its answer.

    `source` is the line, or the cell that asks; `asked` is what is asked for, with the definition of a named
    function, and `answer` is what is claimed. The texts of `function` and `claim` begin in the line at
    `places`; one that stands elsewhere has no place. It is asked where the conditions of `where` hold.
    `continued` says that the claim goes on with the chain of the problem before it. `exact` is the point, if it is
    asked for at one, as graphs, and `at` the same in doubles.

    Of another question than one derivative there are `options`, those of `check`; `function` and `claim` are texts.
    """

    line: int
    label: str
    source: str
    asked: str
    answer: str
    function: Any
    claim: Any
    variable: str = ""
    order: int = 1
    places: tuple[int | None, int | None] = (None, None)
    where: tuple[str, ...] = ()
    continued: bool = False
    exact: dict[str, Any] | None = None
    options: Mapping[str, Any] | None = None

    @property
    def is_derivative(self) -> bool:
        """Return whether one derivative is asked for."""
        return self.options is None

    @property
    def at(self) -> dict[str, float] | None:
        """The point in doubles."""
        if self.exact is None:
            return None
        return {name: Expression.of(root)() for name, root in self.exact.items()}


def judge(problem: Problem, **domain: Any) -> Verdict:
    """The verdict on a problem. Raises `ExprgradError`."""
    if problem.options is not None:
        if not problem.options:  # an equation
            verdict = equation(problem.function, problem.claim, problem.asked)
            return in_the_widest_reach(verdict, problem.asked, problem.answer)
        verdict = check(problem.function, problem.claim, **problem.options)
        is_wrong = verdict.kind == "implicit" and verdict.status == INCORRECT
        mark = MARK.match(problem.function) if is_wrong else None
        text = problem.function[mark.end() :] if mark else ""
        if mark and judge(problem._replace(function=text)).status == CORRECT:
            return if_meant(verdict, f"{text} as item '{mark[1]}' of a list")
        return verdict
    where = *problem.where, *domain.pop("where", ())
    asked = {"order": problem.order, "at": problem.exact, "where": where, **domain}
    verdict = check(problem.function, problem.claim, problem.variable or None, **asked)
    # what another asks in a cell of its own means what it says
    one_text = problem.places[1] is not None
    return in_the_other_reach(verdict, problem.asked) if one_text else verdict


def equation(left: Expression, right: Expression, asked: str) -> Verdict:
    """The verdict on an equation whose left side is called so."""
    return rows.judge(Request(left, right, "equation", asked=asked))


def in_the_other_reach(verdict: Verdict, asked: str) -> Verdict:
    """The verdict on d/dx x^2 + x = 2x + x: correct if it is right where d/dx takes its first term alone."""
    first = verdict.expression.root
    if verdict.status != INCORRECT or verdict.at or first.operation not in (ADD, SUB):
        return verdict
    notation = LATEX if "\\" in asked else None
    try:
        # behind a sign, d/dx reaches to the next plus or minus
        whole = parse(f"0 + {asked}", (verdict.wrt,), lenient=True, notation=notation)
        # the leftmost leaf of a sum is its first term
        while first.operation in (ADD, SUB):
            first = first.operands[0]
        term, operator = verdict.expression.written(first), f"d/d{verdict.wrt}"
        whole.source = asked
        title = f"{asked} (with {operator} of {term} alone)"
        found = equation(whole, verdict.claim, title)
    except ExprgradError:
        return verdict
    if not whole.asks_for_derivative or found.status != CORRECT:
        return verdict
    note = f"with {operator} of all terms the answer would be wrong: write {operator} (...)"
    return found._replace(notes=(*verdict.notes, note))


MARK = pattern(r"\s*([-−–—]|\(?\d+(?:\.\d+)*\)?)\s+(?=[^\W\d_]|\()")


def in_the_widest_reach(verdict: Verdict, asked: str, answer: str) -> Verdict:
    """The verdict on d/dx (x)/(x + 1) = 1/(x + 1)^2: correct if it is right where d/dx takes the whole term.

    Of - d/dx x^2 = 2x, undecided: it is right if the sign, or a number, is the mark of an item.
    """
    mark = MARK.match(asked)
    text = asked[mark.end() :] if mark else asked
    if verdict.status in (CORRECT, EQUAL) or (any(outside(text, "+-−")) and not mark):
        return verdict
    claim = Piece(answer, answer, 0, "\\" in answer)
    with suppress(ExprgradError):
        said = questions.read(text, questions.Scope(is_widest=True))
        for question in questions.questions_in(said):
            problem = problem_of(question, claim, {})
            found = judge(problem) if problem.options is None else verdict
            if found.status == CORRECT and mark:
                return if_meant(verdict, f"{text} as item '{mark[1]}' of a list")
            if found.status == CORRECT:
                note = f"with d/d{found.wrt} of the brackets alone the answer would be wrong: write d/d{found.wrt} (...)"
                return found._replace(notes=(*found.notes, note))
    return verdict


def first_fault(problems: Sequence[Problem], **domain: Any) -> Verdict:
    """The verdict on the first claim of a chain that is not correct; if all are, on the last."""
    for problem in problems:
        verdict = judge(problem, **domain)
        if verdict.status != CORRECT:
            break
    return verdict


def concerning(where: Sequence[str], variables: Collection[str]) -> list[str]:
    """The conditions about these variables alone, of several in a text separated by commas."""
    names, found = {*variables} - {""}, []
    for text in (each[slice(*span)] for each in where for span in parted(each)):
        # what cannot be read is left for the check to refuse
        with suppress(ExprgradError):
            if not names.issuperset(parse(text.strip(), names).variables):
                continue
        found.append(text)
    return found


# Texts


def parsed(piece: Piece, declared: Collection[str], strict: bool = False) -> Expression:
    """A piece of a text as an expression; an error points into the text."""
    notation = LATEX if piece.latex else None
    try:
        return parse(piece.text, declared, strict=strict, lenient=True, notation=notation)  # fmt: skip
    except ExprgradError as error:
        raise moved(piece, error) from None


def moved(piece: Piece, error: ExprgradError) -> ExprgradError:
    """An error about a piece as one about the text that it stands in."""
    start, end = error.span or (0, len(piece.text))
    error.span = (start + piece.offset, end + piece.offset)
    error.source = piece.source
    return error


def refused(piece: Piece, message: str, hint: str | None = None) -> UsageError:
    """An error that points at a whole piece."""
    return UsageError(message, piece.span, hint, source=piece.source)


def checked_definition(definition: Definition) -> Definition:
    """A definition whose name is free, and whose parameters are. Raises `UsageError` for another."""
    for name in (definition.name, *definition.parameters):
        if not name.isidentifier():
            told = f"{shorten(name)!r} cannot be a variable of {definition.name}"
            hint = "write f(x) = ..., with names in the brackets"
            raise refused(definition.whole, told, hint)
        if name in CONSTANTS or is_function(name, called=name == definition.name):
            kind = "constant" if name in CONSTANTS else "function"
            told = f"{name} is a {kind} and cannot be defined"
            raise refused(definition.whole, told, "rename it")
    return definition


def claimed_in(
    claim: Piece, declared: Collection[str], names: Collection[str], read: Callable[[Piece], Expression]
) -> Expression:  # fmt: skip
    """An answer as an expression, also one that says that there is none; a dx behind it is left out, with a note.

    `names` are the variables of the question. Raises `UsageError` where it asks for a derivative.
    """
    if says_none(claim.text, names):
        return none(claim.text)
    without = re.search(r"(?<=[\s)\]}0-9])(d[^\W\d_])\s*$", claim.text)
    if without and without[1] not in declared and claim.text[: without.start()].strip():
        claim = claim._replace(text=claim.text[: without.start()].rstrip())
    else:
        without = None
    found = read(claim)
    if found.asks_for_derivative:
        raise refused(claim, "an answer cannot ask for a derivative", "work it out")
    if without:
        found.notes = (*found.notes, f"{without[1]} is left out of your answer")
    return found


def refuse_undefined(question: Question) -> None:
    """Raise `UsageError` for a question about a function that nobody has defined."""
    if not question.given:
        name = question.name
        hint = f"a claim needs its function: {name}(x) = ...; before it; a function to be differentiated is f(x) = ..."
        raise refused(question.asked, f"{name} is not defined here or above", hint)


# Problems


def problems_of(question: Question, known: Known) -> list[Problem]:
    """A problem for each claim of a question; those of one derivative are members of a chain."""
    found = [problem_of(question, claim, known) for claim in question.claims]
    return [p._replace(continued=p.is_derivative and i > 0) for i, p in enumerate(found)]  # fmt: skip


@keeping()
def problem_of(
    question: Question, claim: Piece, known: Known, variable: str = "", open_variable: bool = False
) -> Problem:  # fmt: skip
    """A question with its answer; one of several variables may stay open, for `judge` to choose or refuse.

    Raises `ExprgradError` with its place.
    """
    if question.kind == "equation" and (stated := equation_of(question, claim)):
        return stated
    if question.kind in ("equation", "expression"):
        raise refusal(question)
    refuse_undefined(question)
    if question.takes_slope(claim.text):
        raise refused(claim, "an answer cannot ask for a derivative", "work it out")
    if question.kind != "derivative" or len(set(question.wrt)) > 1:
        return _of_kind(question, claim)
    function = question.given[0]._replace(text=in_cases(question.given[0].text))
    text, where = conditioned(claim.text)
    # a condition in the same line restricts the question; one that a student adds in a cell of its own does not
    where = where if claim.source == question.asked.source else ()
    claim = claim._replace(text=text)
    only = question.parameters[0] if len(question.parameters) == 1 else None
    usual = () if question.parameters else customary([function.text])
    usual = tuple(name for name in usual if name in letters(claim.text, name))
    wrt = next(filter(None, (*question.wrt, variable, only, *usual)), None)
    names = {*question.parameters, *([wrt] if wrt else [])}
    declared = names | letters(f"{function.text} ; {claim.text}", wrt)
    read = _read(function, declared, question, known)
    title = question.asked if question.asked != function else function._replace(text=f"d/d{wrt} ({function.text})")  # fmt: skip
    rated = by_rates(read, claim, wrt, title, lambda text, names: parsed(claim._replace(text=text), {*declared, *names}))  # fmt: skip
    if rated is not None:
        return rated
    claimed = claimed_in(claim, declared, read.variables, lambda text: _read(text, declared, question, known))  # fmt: skip
    if wrt is None and open_variable:
        wrt = read.variables[0] if len(read.variables) == 1 else ""
    elif wrt is None:
        wrt = variable_in(question, read.variables)
        if len(wrt) > 1 and wrt.isalpha() and not question.parameters:
            product = f"{'*'.join(wrt)} for a product, or d/d{wrt} (...)"
            message, hint = f"{wrt} is read as one name", f"write {product} for the variable"  # fmt: skip
            raise refused(question.asked, message, hint)
    values = values_in_brackets(question, wrt)
    at = {name: _number(piece, name, question) for name, piece in values.items()}
    if at:
        for name in (*read.variables, *claimed.variables):
            if name not in at:
                told = f"the value of {name} is not known here"
                hint = "a claim at a point is a number; otherwise claim the formula"
                raise refused(claim, told, hint)
    asking = question.asked
    inside = ", ".join(question.parameters)
    head = f"{question.name}({inside})" if inside else question.name
    asked = f"{head} = {function.text}; {asking.text}" if head else asking.text
    exact = {name: number.root for name, number in at.items()} or None
    places = _offset(function, asking), _offset(claim, asking)
    found = Problem(0, "", asking.source, asked, claim.text, read, claimed, wrt, question.order, places, where, exact=exact)  # fmt: skip
    if question.at is None:
        return found
    point = point_text(question.at, question, wrt, read)
    if "|" not in found.asked:  # the bar of LaTeX says so itself
        found = found._replace(asked=f"{found.asked} at {point}")
    return placed(found, point)


def by_rates(
    f: Expression, claim: Piece, by: str | None, asked: Piece, parse: Callable[[str, Sequence[str]], Expression]
) -> Problem | None:  # fmt: skip
    """The question about the derivative by t of what changes with t through others; None for another."""
    sides = derivatives.by_rates(f, claim.text, by, parse)
    return sides and Problem(0, "", asked.source, asked.text, claim.text, *sides, options={})  # fmt: skip


def _offset(piece: Piece, asking: Piece) -> int | None:
    """Return where a piece begins in the text that asks; None if it stands in another."""
    return piece.offset if piece.source == asking.source else None


def point_text(at: Piece, question: Question, variable: str, f: Expression) -> str:
    """A point with the names of its values: x = 3, also for (3, 9) on the graph of f, or x = 1, y = 2 for (1, 2)."""
    if "=" in at.text:
        return re.sub(r"\s+and\s+", ", ", at.text)
    values = equations.entries(at.text)
    by_custom = in_order(f.variables) if {*f.variables} <= {"x", "y", "z"} else ()
    names = (question.parameters or by_custom) if len(values) > 1 else (variable,)
    if len(values) == 2 and f.variables == (variable,) and lies_on(f.root, *(parse(v).root for v in values)):  # fmt: skip
        values, names = values[:1], (variable,)
    if len(names) != len(values):
        raise refused(at, f"which variables are {at.text}?", "write x=1, y=2")
    return ", ".join(f"{name}={value}" for name, value in zip(names, values, strict=True))  # fmt: skip


def numbers_of(point: str) -> dict[str, Value]:
    """The values of a point as graphs: pi/4 for x = pi/4."""
    from exprgrad.language.latex import points
    from exprgrad.language.parser import read_bindings
    from exprgrad.language.shapes import is_latex

    read = points.read_bindings if is_latex(point) else read_bindings
    found: dict[str, Value] = {}
    for binding in read(point):
        value = Expression.of(binding.root)
        if value.variables or binding.name in found:
            told = f"the value of {binding.name} must be a number"
            told = told if value.variables else f"{binding.name} is given twice"
            raise UsageError(told, binding.span, source=point)
        found[binding.name] = binding.root
    return found


def placed(problem: Problem, point: str) -> Problem:
    """The problem at a place only: `x = 3`, or the number alone."""
    if "@" in point:
        raise UsageError("a place is made of numbers, not of files")
    exact = numbers_of(point if "=" in point else f"{problem.variable} = {point}")
    if problem.variable not in exact and problem.exact is None:
        return with_numbers(problem, exact)
    for root in exact.values():
        Expression.of(root)()  # which raises where it has no value
    return problem._replace(exact={**(problem.exact or {}), **exact})


def with_numbers(problem: Problem, numbers: Mapping[str, Value]) -> Problem:
    """The problem with numbers for other letters than its variable: d/dx (a*x^2) = 6x where a = 3."""
    from exprgrad.expressions.taylor import at_place

    names = in_order({*problem.function.variables, *problem.claim.variables})
    if numbers.keys().isdisjoint(names):
        raise no_variable(next(iter(numbers)), names)
    function, claim = (
        Expression.of(at_place(side.root, numbers), side.declared)
        for side in (problem.function, problem.claim)
    )
    return problem._replace(function=function, claim=claim)


def _read(
    piece: Piece, declared: Collection[str], question: Question, known: Known
) -> Expression:
    """Read a text. It may not mention functions of the sheet, which would be taken for variables."""
    words = re.findall(r"(\w+)['’′]*\s*\(", piece.text) if known else []
    called = [name for name in words if name in known and known[name].parameters]
    if not called:
        expression = parsed(piece, declared)
        by = {*question.wrt}
        functions = {
            name
            for name, other in known.items()
            if other.parameters and not (by and by.isdisjoint(other.parameters))
        } - {*question.parameters, *by}
        called += [n for n in expression.variables if n in functions or n == question.name]  # fmt: skip
        if not called:
            return expression
    if re.fullmatch(rf"{called[0]}\s*\([^()]*\)", piece.text) is not None:
        head = f"{called[0]}({', '.join(known[called[0]].parameters)})"
        raise refused(piece, f"{called[0]} was defined with other variables", f"write {head}")  # fmt: skip
    raise refused(piece, f"{called[0]} cannot be used here", f"write {called[0]} out")


def variable_in(question: Question, names: Sequence[str]) -> str:
    """The only variable of a function, whose names these are. Raises `UsageError` where there are several."""
    several = question.parameters or names
    if len(several) > 1:
        listed, name = ", ".join(several), question.name
        told, by = f"with respect to which variable: {listed}?", f"d{several[0]}"
        hint = f"write d{name}/{by}" if name else f"write d/{by} (...)"
        raise refused(question.asked, told, hint)
    return several[0] if several else "x"


def values_in_brackets(
    question: Question, variable: str, noun: str = "variable"
) -> dict[str, Piece]:
    """The values in the brackets of f'(3) by the names of parameters, which an error calls so; none for f'(x)."""
    brackets = question.argument
    if brackets is None or question.name is None:
        return {}
    names = question.parameters or (variable,)
    inside = brackets.text[1:-1]
    given = [Piece.of(inside[:end], start) for start, end in parted(inside)]
    wrong = "" if all(piece.text for piece in given) else "a value is missing"
    if len(given) != len(names):
        plural = "s"[: len(names) != 1]
        wrong = f"{question.name} has {len(names)} {noun}{plural}, here are {len(given)}"  # fmt: skip
    if wrong:
        raise refused(brackets, wrong, f"write {question.name}'({', '.join(names)})")
    return {
        name: brackets._replace(text=piece.text, offset=brackets.offset + 1 + piece.offset)
        for name, piece in zip(names, given, strict=True)
        if inputs.normal(piece.text) != name
    }  # fmt: skip


def _number(piece: Piece, name: str, question: Question) -> Expression:
    """A number that has a value."""
    value = parsed(piece, ())
    if value.variables:
        told = f"{question.name} is a function of {name}"
        raise refused(piece, told, f"write {name} or a number here")
    try:
        value()
    except ExprgradError as error:
        raise moved(piece, error) from None
    return value


def _of_kind(question: Question, claim: Piece) -> Problem:
    """A question of another kind, with the options of `check`."""
    texts = tuple(piece.text for piece in question.given)
    # u and v, which an answer may name
    if question.kind == "parametric" and question.parameters:
        named = zip(question.parameters, texts, strict=True)
        texts = tuple(f"{n} = {text}" for n, text in named)
    given: Any = texts if len(texts) > 1 else texts[0]
    options: dict[str, Any] = {"kind": question.kind}
    if question.kind in ("implicit", "parametric", *["taylor"] * bool(question.order)):
        options["order"] = question.order
    if question.kind == "derivative":
        options["wrt"] = question.wrt
    elif question.wrt:
        options["wrt"] = question.wrt[0]
    elif question.kind in rows.ORDERED and question.parameters:
        options["wrt"] = question.parameters
    if question.of is not None:
        options["of"] = question.of
    names = question.parameters
    if question.kind == "implicit":
        own = {*question.wrt[:1]} & letters(" ; ".join(texts), None) or {"x"}
        names = in_order((*own, question.of or "y"))
    place = question.at or (question.argument if question.kind != "derivative" else None)  # fmt: skip
    values = values_in_brackets(question, "") if place is None else {}  # of f_xy(1, 2)
    if place is not None or values:
        options["at"] = place_of(place.text, names) if place else {n: x.text for n, x in values.items()}  # fmt: skip
    if question.along is not None:
        options["direction"] = question.along.text
    asking = question.asked
    start = min([asking.offset, *(p.offset for p in question.given if p.source == asking.source)])  # fmt: skip
    asked = asking.source[start : asking.span[1]]
    return Problem(0, "", asking.source.strip(), asked, claim.text, given, claim.text, options=options)  # fmt: skip


def equation_of(question: Question, claim: Piece) -> Problem | None:
    """An equation with a derivative in it, (x^2)' + x = 3x; None for any other."""
    left, right = question.asked, claim
    # with d for a name, d/dx would be a quotient
    declared = letters(f"{left.text} ; {right.text}", None) - {"d"}
    try:
        sides = parsed(left, declared), parsed(right, declared)
    except Unclear:
        raise
    except ExprgradError:
        return None
    if not any(side.asks_for_derivative for side in sides):
        return None
    asked, source = question.asked.text, question.asked.source.strip()
    found = Problem(0, "", source, asked, claim.text, *sides, options={})
    if question.at is None:
        return found
    names = in_order(dict.fromkeys(n for side in sides for n in side.variables))
    point = equations.with_names(question.at.text, names)
    return with_numbers(found._replace(asked=f"{asked} at {point}"), numbers_of(point))


def place_of(text: str, names: tuple[str, ...] = ()) -> Any:
    """A point: `3`, `x = 3`, `(3, 4)` or `x = 3, y = 4`."""
    parts = [equations.sides(part) for part in equations.entries(text)]
    if all(len(part) == 2 for part in parts):
        return {part[0]: part[1] for part in parts}
    values = tuple(part[0] for part in parts)
    is_named = len(names) == len(values)
    return dict(zip(names, values, strict=True)) if is_named else values


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
