"""Texts that hold a problem and its worked solution, or several one after the other.

    f(x) = x^2 sin x                    the problem; or the solution begins with d/dx (x^2 sin x) = ...
    f'(x) = 2x sin x + x^2 cos x
          = x(2 sin x + x cos x)

A new solution begins behind a blank line, with a line that states a problem.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from contextlib import suppress

from exprgrad.annotations import NamedTuple
from exprgrad.budget import at_most
from exprgrad.checking.judging import FOLLOWS, UNREADABLE, WRONG, Verdict, if_meant
from exprgrad.checking.kinds.rows import words
from exprgrad.checking.problems import MARK, judge, problems_of
from exprgrad.checking.work import tex
from exprgrad.checking.work.lines import limit_of
from exprgrad.checking.work.work import RATE, Row, of_lines, work_within
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.expression import Expression, parse
from exprgrad.expressions.taylor import at_place
from exprgrad.graph.value import Value
from exprgrad.language import questions
from exprgrad.language.leibniz import PRIMES
from exprgrad.language.scanning.reach import Unclear
from exprgrad.language.shapes import is_latex
from exprgrad.language.words.formulas import composed
from exprgrad.lazy import pattern

_LABEL = r"\s*(?:\(?(?:[0-9]{1,3}(?:\.[0-9]+)*[a-z]?|[a-z])[.):]\s+|[-–]\s+(?=\w\()|[•*]\s+|(?:problem|exercise|differentiate|(?:find|compute|determine)\s+(?:d\w/d\w|\w')\s+(?:for|if|of|when|where|given)|find|let|given)\b\s*:?\s*)*"
_LABELS = pattern(_LABEL, re.IGNORECASE)

_BEGINS = pattern(rf"{_LABEL}[$\\]|\s*(?:\w{{1,3}}[.)]|\(\w\)|Find|Differentiate|Let|If|Given|Suppose|Problem|Exercise|Example)\b", re.IGNORECASE)  # fmt: skip
"""The beginnings of a problem behind a blank line."""


_DERIVED = pattern(rf"(?:{RATE.pattern}|[^\W\d_]_\{{?[xyz]).*=")
"""A line on which a derivative is claimed."""


_RAISED = str.maketrans("²³", "23")
_LISTED = pattern(r"[,;]?\s+(?=\([b-z]\)\s)")


class Solution(NamedTuple):
    """A problem and its solution: the line that it begins on, and how it was judged, or why it was not."""

    start: int
    work: Verdict | ExprgradError


class Part(NamedTuple):
    """A problem with the lines of its solution, the first of them counted; `outer` is as in `work_within`.

    `others` are more functions of its name: (a) f(x) = x^2, (b) f(x) = sin x.
    """

    problem: tex.Stated
    start: int
    lines: list[str]
    function: Expression | None = None
    outer: tuple[Value, dict[str, Value]] | None = None
    others: tuple[tex.Stated, ...] = ()


"""A match of `RATE`: the y and the x of dy/dx, or the y of y'."""

_Placed = tuple[tex.Stated, int]
"""A problem, and the line on which it is stated."""


def read_work(
    text: str, wrt: str | None = None, order: int | None = None
) -> list[Solution]:
    """Judge every solution in a text. Raises `UsageError` where none is found."""
    at_most("solutions", len(text), "text")
    text = composed(text)
    found = [_judged(part, wrt, order) for part in _parts(text)]
    if wrt is None and order is None and not (is_latex(text) and found):
        claimed = _claimed(text)
        found = [claimed] if claimed is not None else found
    if not found:
        hint = "begin with a line f(x) = ... or d/dx (...), with the next = on a line of its own; or give the function"
        raise UsageError("there is no problem in this text", hint=hint)
    return found


def _claimed(text: str) -> Solution | None:
    """The verdict on a text that only claims an answer, in any notation of a question; None for worked steps."""
    try:
        said = questions.read(text, questions.Scope(kinds=words()))
    except Unclear as error:
        return Solution(1, error)
    except ExprgradError:
        return None
    asked = questions.questions_in(said)
    for one in asked:
        is_polar = one.kind == "parametric" and one.given[0].source != one.asked.source
        if is_polar or one.is_of_inverse:
            what = "slope of a polar curve" if is_polar else "derivative of an inverse function"  # fmt: skip
            return Solution(1, UsageError(f"the {what} is no step of a solution", hint="check it alone"))  # fmt: skip
    question = asked[0] if len(asked) == 1 else None
    is_equation = question is not None and question.kind == "equation"
    if question is None or not question.claims or not (is_equation or question.kind == "derivative") or (is_equation and len(question.claims) > 1):  # fmt: skip
        return None
    lines = text.splitlines()
    first = next(line for line in lines if line.strip())
    known = {d.name: d for d in said if isinstance(d, questions.Definition)}
    try:
        problems = problems_of(question, known)
        verdicts = [(p, judge(p)) for p in problems if p.is_derivative or is_equation]
    except ExprgradError as error:
        is_unclear = not is_equation and (problem_of(first) is None or not question.given)  # fmt: skip
        return Solution(1, error) if is_unclear else None
    if not verdicts:
        return None
    stated, (asked_of, _) = problem_of(first), verdicts[0]
    is_one = stated is not None and (stated.wrt or len(asked_of.function.variables) < 2)
    is_one = is_one and {"of", "de", "di", "van", "von"}.isdisjoint(question.asked.text.split())  # fmt: skip
    if is_one and asked_of.at is None and len(question.parameters) < 2 and not is_equation:  # fmt: skip
        return None  # its lines are judged as steps
    judged = []
    for problem, verdict in verdicts:
        number = text.count("\n", 0, problem.places[1] or 0) + 1
        status = FOLLOWS if verdict.status == "correct" else WRONG if verdict.status == "incorrect" else UNREADABLE  # fmt: skip
        judged.append(Verdict(status, verdict.evidence, verdict.counterexample, number=number, text=lines[number - 1]))  # fmt: skip
    [*_, (problem, verdict)] = verdicts
    worst = next((v for _, v in verdicts if v.status != "correct"), verdict)
    # of an equation with derivatives in it, the left side is asked for
    order = 0 if is_equation else problem.order
    work = of_lines(problem.function, problem.variable or "x", order, judged, worst.status, worst.evidence)  # fmt: skip
    return Solution(1, work._replace(told=verdict.answer) if is_equation else work)


def _parts(text: str) -> list[Part]:
    """The problems of a text, with their solutions."""
    given = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
    lines = tex.joined(given)
    if any("\\" in line or "$" in line for line in lines):
        return _in_tex(given, lines)
    found: list[tuple[tex.Stated, int]] = []
    last, others = -1, list[tuple[tex.Stated, int]]()
    for i, line in enumerate(lines):
        pieces = _LISTED.split(line)  # (a) f(x) = x^2, (b) f(x) = sin x
        several = [one for one in map(problem_of, pieces) if one is not None and one.name]  # fmt: skip
        stated = several[0] if len(several) == len(pieces) > 1 else problem_of(line)
        if stated is None:
            continue
        others += [(one, i) for one in several[1:] if stated is several[0]]
        if found and last == i - 1 and stated.own and stated.name == found[-1][0].name:
            others.append((stated, i))  # the (b) below an (a)
            lines[i], last = "", i
        elif not (found and given[i - 1].strip()):
            found.append((stated, i))
            last = i
    found = found or _formulas(lines)
    parts = _cut(found, lines, others)
    below = ([*filter(None, map(problem_of, part.lines[1:]))] for part in parts)
    return [*map(_filled, parts, below)]


def _formulas(lines: Sequence[str]) -> list[_Placed]:
    """The formulas alone on the first lines of what is between blank ones, if a derivative follows each of them there."""
    blank = [-1, *(i for i, line in enumerate(lines) if not line.strip()), len(lines)]
    found = []
    for before, end in itertools.pairwise(blank):
        first = lines[before + 1].strip() if before + 1 < end else ""
        with suppress(ExprgradError):
            if [*map(len, parse(first).variables)] == [1]:
                if not any(map(_DERIVED.search, lines[before + 2 : end])):
                    return []  # it may as well be a step
                found.append((tex.Stated(first, None, 1, True), before + 1))
    return found


def _cut(found: Sequence[_Placed], lines: Sequence[str], others: Sequence[_Placed]) -> list[Part]:  # fmt: skip
    """The problems with their lines, and with the others of their name in these."""
    parts = []
    ends = [*(start for _, start in found[1:]), len(lines)]
    for (own, start), end in zip(found, ends, strict=False):
        inside = [one for one, i in others if start <= i < end and one.name == own.name]
        named = tuple(one for one in inside if own.name and one.function != own.function)  # fmt: skip
        parts.append(Part(own, start + 1, [*lines[start:end]], others=named))
    return parts


def _in_tex(given: Sequence[str], lines: Sequence[str]) -> list[Part]:
    """The problems of a text of LaTeX: of a function that is differentiated further down, or an equation with its name."""
    texts = [Row.of(line).text for line in lines]
    rates = (rate for text in texts for rate in RATE.findall(text))
    wanted = {above or primed for above, _, primed in rates}
    begins = next((i for i, text in enumerate(texts) if _DERIVED.search(text)), len(lines))  # fmt: skip
    every = [(own, i) for i, line in enumerate(lines) for own in _problems_in(line)]
    stated = [one for one in every if one[1] <= begins] or every
    chosen = [one for one in stated if one[0].name in wanted]
    for own, i in stated:
        equation = f"{own.name}={own.function.strip('$')}".lstrip("=")
        if not chosen and wanted & tex.letters_of(equation):
            chosen.append((own._replace(function=f"${equation}$", wrt=None), i))
    found = (chosen or stated)[:1]
    for own, i in every:
        [*_, (last, before)] = found
        is_new = own.function not in (last.function, found[0][0].function) and own.name == last.name  # fmt: skip
        if i > before and is_new and not given[i - 1].strip() and _BEGINS.match(lines[i]):  # fmt: skip
            found.append((own, i))
    return [_filled(part, [own for own, _ in stated]) for part in _cut(found, lines, stated)]  # fmt: skip


def _filled(part: Part, stated: Sequence[tex.Stated]) -> Part:
    """A problem in which the names are filled in that others define, and its variable is known.

    It is an equation with its name, V = 4/3 pi r^3, where rates of both sides by something else follow.
    """
    problem = part.problem
    if "=" in problem.function:
        return part
    rates = [rate for line in part.lines for rate in RATE.findall(Row.of(line).text)]
    below = [name for _, name, _ in rates]
    below += [name for text in part.lines for name in re.findall(r"[^\W\d_]_\{?([xyz])", text)]  # fmt: skip
    others: dict[str, Value] = {}
    try:
        outer = parse(problem.function)
    except ExprgradError:
        return part  # which is said where it is judged
    for one in stated:
        if one.name in outer.variables and one.name != problem.wrt and "=" not in one.function:  # fmt: skip
            with suppress(ExprgradError):
                own = parse(one.function)
                others |= {one.name: own.root} if own.variables else {}
    root = at_place(outer.root, others) if others else outer.root
    names = Expression.of(root).variables
    by = {by for above, by, _ in rates if by and above == problem.name}
    inner = {above for above, _, _ in rates} & {*names}
    is_defined = any(re.search(rf"(?<!\w){n}\s*(?:\(\w\))?\s*=\s*[-\d.]*\s*\(?(?!and\b|when\b)[a-zA-Z\\]", line) for n in inner for line in part.lines)  # fmt: skip
    if inner and by and not by & {*names} and not is_defined:
        equation = f"{problem.name}={problem.function.strip('$')}"
        equation = f"${equation}$" if "$" in problem.function else equation
        return part._replace(problem=problem._replace(function=equation, wrt=None))
    wrt = problem.wrt or next((name for name in below if name in names), None)
    part = part._replace(problem=problem._replace(wrt=wrt, own=problem.own and not others))  # fmt: skip
    if not others:
        return part
    inside = {n: at_place(root, others) for n, root in others.items()}
    function = Expression.of(root)
    return part._replace(function=function, outer=(outer.root, inside | {problem.name: function.root}))  # fmt: skip


def _judged(part: Part, wrt: str | None, order: int | None) -> Solution:
    problem, start, lines = part[:3]
    body, line = lines, lines[0] if problem.own else ""
    if problem.own:  # what else its line defines: f(x) = 5x^2 and g(x) = sin x, x_0 = 2
        rates = {above for row in map(Row.of, lines) for above, _, _ in RATE.findall(row.text)}  # fmt: skip
        others = [one for one in _problems_in(lines[0]) if one.name not in ("", problem.name)]  # fmt: skip
        said = [f"${one.name}{f'({one.wrt})' * bool(one.wrt)}={one.function.strip('$')}$" for one in others if one.wrt or "_" in one.name or one.name in rates]  # fmt: skip
        body = [" and ".join(said), *lines[1:]]
    asked = order or max(problem.order, _highest(body))
    works = list[Verdict]()
    for one in (problem, *part.others):
        function = part.function if one is problem and part.function else one.function
        try:
            works.append(work_within(function, body, wrt or one.wrt or problem.wrt, asked, part.outer, one._replace(line=line), start))  # fmt: skip
        except ExprgradError as error:
            if one is problem:
                return Solution(start, error)
        if works[0].first_wrong is None:
            break
    return Solution(start, _unmarked(_of_several(works), lines, wrt, order))


def _unmarked(work: Verdict, lines: Sequence[str], wrt: str | None, order: int | None) -> Verdict:  # fmt: skip
    """The verdict on a solution, undecided if it is right where a sign, or a number, before it is the mark of an item."""
    mark = MARK.match(lines[0])
    if mark is None or work.status != "incorrect":
        return work
    text = lines[0][mark.end() :]
    parts = _parts("\n".join((text, *lines[1:])))
    again = [getattr(_judged(part, wrt, order).work, "status", "") for part in parts]
    if again != ["correct"]:
        return work
    found = if_meant(work, f"{text} as item '{mark[1]}' of a list")
    told = f"undecided: {found.evidence}"
    open_lines = (line if line.status == FOLLOWS else line._replace(status=UNREADABLE, evidence=told) for line in work.lines)  # fmt: skip
    return found._replace(parts=tuple(open_lines))


def _of_several(works: Sequence[Verdict]) -> Verdict:
    """The verdict on lines about several functions of a name: each line is about one for which it is right."""
    live, lines = works[0], list[Verdict]()
    for one in live.lines:
        said = {id(work): [line for line in work.lines if line.number == one.number] for work in works}  # fmt: skip
        live = next((work for work in (live, *works) if [line.status for line in said[id(work)]] == [FOLLOWS]), live)  # fmt: skip
        lines += said[id(live)]
    if live is works[0]:
        return live
    worst = next((s for s in (WRONG, UNREADABLE) if s in [line.status for line in lines]), "")  # fmt: skip
    status = {WRONG: "incorrect", UNREADABLE: UNREADABLE}.get(worst, "correct")
    conclusion = "every line follows, for one of the functions of this name"
    if worst:
        conclusion = "not every line follows" if worst == WRONG else "not every line could be questions.read"  # fmt: skip
    assert isinstance(live.wrt, str)
    return of_lines(live.expression, live.wrt, live.order, lines, status, conclusion)


def problem_of(line: str) -> tex.Stated | None:
    """The problem that a line states at its beginning: f(x) = ..., y = ..., or d/dx (...), with a solution or without."""
    told = re.split(r"\.\s+(?=[A-Z][a-z]+\b)", line)
    line = told[0] if "=" in told[0] else line  # the first sentence has it
    label = _LABELS.match(line)
    found = _problems(line[label.end() :] if label is not None else line)
    own = found[0] if len(found) == 1 else None
    if own is None or own.line or len(own.name) > 1 or limit_of(own.function):
        return None
    is_curve = not {*"xy"} - {*own.function} and not RATE.search(own.function)
    has_answer = own.own and line.count("=") > 1  # y = x^2, dy/dx = 2x
    return own if not has_answer and (is_curve or "=" not in own.function) else None


def _problems_in(line: str) -> list[tex.Stated]:
    """The problems that a line of LaTeX states."""
    found = [own for piece in tex.mathematics(line) for own in _problems(piece)]
    return [own for own in found if not re.search(r"_[^\W\d_]", own.name)]


def _problems(text: str) -> list[tex.Stated]:
    """The problems that a text states, in any notation of a question; `line` is what stands before one."""
    with suppress(ExprgradError):
        said = questions.read(text, questions.Scope(kinds=words()))
        return [own for item in said if (own := _stated(item)) is not None]
    return []


PLACES = "xtθ"
"""Names that stand for a number where they are said to be one, and not for a function."""


def _stated(item: questions.Definition | questions.Question) -> tex.Stated | None:
    """Return what is defined or asked as a problem; None for what is neither, or for claims in words."""
    whole = item.whole if isinstance(item, questions.Definition) else item.asked
    before = whole.source[: whole.offset].strip(" $")
    if item.at is not None:
        return None
    if isinstance(item, questions.Definition):
        if item.name in PLACES and not tex.letters_of(_source(item.given)):
            return None  # x = 2, a place of a solution
        only = item.parameters[0] if len(item.parameters) == 1 else None
        return tex.Stated(_source(item.given), only, 1, True, item.name, item.parameters, before)  # fmt: skip
    if item.kind == "derivative" and item.given and not item.name:
        is_written = not item.claims or whole.text[0] in "d∂\\"
        wrt = item.wrt[0] if item.wrt else None
        return tex.Stated(_source(item.given[0]), wrt, item.order, not item.claims, line=before) if is_written else None  # fmt: skip
    if item.kind != "equation" or len(item.claims) != 1:
        return None
    equation = f"{_source(whole)} = {_source(item.claims[0])}".replace("$ = $", " = ")
    is_one = len(tex.letters_of(equation)) > 1 and "'" not in equation
    return tex.Stated(equation, None, 1, True, line=before) if is_one else None


def _source(piece: questions.Piece) -> str:
    return f"${piece.text}$" if piece.latex else piece.text


def _highest(lines: list[str]) -> int:
    """The highest order of the left sides of a solution."""
    head = rf"\W*(?:[^\W\d_](?:(?P<primes>[{PRIMES}]+)|\^\{{?\((?P<raised>[1-9])\))|[d∂]\^?(?P<order>[2-9²³])\s*[^\W\d_]\s*/\s*[d∂])[^=]*="
    found = [re.match(head, Row.of(line).text) for line in lines]
    return max([1, *(len(m["primes"] or "") or int(m["raised"] or m["order"].translate(_RAISED)) for m in found if m)])  # fmt: skip
