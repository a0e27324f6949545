"""Doubts whether a claim that is not right is about the function at all: only then is it called wrong.

A document uses a name for one function after the other. A slip changes a sign, a number or a function of the right
answer and leaves the rest; what has little in common with it is about something else.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress

from exprgrad.checking.mistakes.parts import PLAIN, contents, likeness
from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.expressions.taylor import has_variables
from exprgrad.grading.chains import About, Chain
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.unknown import Unknown
from exprgrad.graph.value import Value
from exprgrad.lazy import pattern
from exprgrad.notation.text import to_text
from exprgrad.operations.table import DIV, POW

LEAST = 0.4
"""The share of their parts that a claim and the right answer have in common at least."""

FEW = 3
"""Parts below which a claim has too little in it to be about something else."""


def doubt(
    function: Expression,
    wrt: str,
    claims: Sequence[Expression],
    answers: Sequence[Value],
) -> str:
    """Return why none of these wrong claims may be about a function with these forms of the right answer, or ""."""
    if function.variables and wrt not in function.variables:
        return f"there is no {wrt} in {_short(function)}: another function may be meant"
    known = {*function.variables, wrt}
    forms = [*answers, function.root]
    for claim in claims:
        foreign = [name for name in claim.variables if name not in known]
        if foreign:
            return f"there is no {foreign[0]} in {_short(function)}: another function may be meant"
        if not claim.variables:
            continue
        # a claim as short as 2x says too little to tell what it is about
        if contents(claim.root).total() < FEW:
            continue
        used, due = _functions(claim.root), [_functions(form) for form in forms]
        # a slip does not turn e^x into sin(x): no function in common is another problem
        lacks = all(form and not used & form for form in due[: len(answers)])
        has_others = bool(used) and not any(used & form for form in due)
        if lacks or has_others or likeness(claim.root, answers) < LEAST:
            return f"{_short(function)} may not be the function that is meant"
    return ""


def differ(claim: Expression, right: Expression, tolerance: float) -> bool:
    """Return whether a claim and the right answer have clearly different values at some point."""
    names = sorted({*claim.variables, *right.variables})
    # sqrt(x - 1) has a value at one of these points only, sqrt(-x) at another
    for values in _POINTS:
        point = dict(zip(names, itertools.cycle(values), strict=False))
        with suppress(ExprgradError):
            a = claim(**{n: point[n] for n in claim.variables})
            b = right(**{n: point[n] for n in right.variables})
            if abs(a - b) > tolerance * (abs(a) + abs(b)) + 1e-9:
                return True
    return False


_POINTS = ((0.7, 1.3, 0.4), (1.9, 0.6, 2.3), (-0.8, 1.7, 0.9))


def _functions(root: Value) -> set[str]:
    """The functions in a formula, and a sign for a quotient of what varies."""
    found = set()
    for item in topological(root):
        operation, operands = item.operation, item.operands
        is_reciprocal = operation is POW and (rational(operands[1]) or 0) < 0
        if is_reciprocal or (operation is DIV and has_variables(operands[1])):
            found.add("/")
        elif operation is not None and operation not in PLAIN:
            found.add(operation.family or operation.name)
    return found


def _short(function: Expression) -> str:
    text = to_text(function.root)
    return text if len(text) < 40 else "the function above"


NEAR = 1000
"""Characters from a definition to a claim that says too little to tell which function it is about."""


def unsure(
    chain: Chain, asked: About, wrong: Sequence[Expression], follows: bool
) -> str:
    """Return why claims that are not right may be about something else, or ""; those that say their function are about that.

    Where other steps of the chain follow, it is about the function.
    """
    if chain.head is None:
        texts = [side.text for side in chain.sides]
        own = is_implicit(texts) or any(map(_RATE.search, texts))
        return "there is another derivative in it" if own else ""
    if not asked.function.variables and not chain.head.arguments:
        return f"{chain.head.name} may be a value here"
    answers = [*map(Expression.of, asked.answers)]
    given = {n for a in answers for n in a.variables}.difference(asked.at, (asked.wrt,))
    # letters that cancel, as in (a*x)/a, need no value
    given = given and given & {n for a in answers for n in a.simplify().variables}
    if given and not any(given & {*claim.variables} for claim in wrong):
        return "its constants may have values here"
    if chain.head.name in asked.wrt:
        return "this is 1, whatever it is a derivative of"
    sides = [side.text for side in chain.sides]
    if any("&" in t or (not follows and _OF_NAME.search(t)) for t in sides):
        return "there is another derivative in it"
    is_bare = chain.head.wrt and not chain.head.arguments and answers[-1].variables
    if is_bare and not all(claim.variables for claim in wrong):
        return "this may be the value at a point"
    if follows:
        return ""
    is_far = chain.head.wrt and chain.first.start - asked.place > NEAR
    if is_far and all(contents(claim.root).total() < FEW for claim in wrong):
        return "another function may be meant"
    return "" if asked.at else doubt(asked.function, asked.wrt, wrong, asked.answers)


_BY = pattern(r"\\[dt]?frac\s*\{\s*d\s*\}\s*\{\s*d\s*([a-zA-Z])\s*\}")
"""The operator d/dx; what stands behind it may be a function of x."""

_RATE = pattern(r"(?<![\\a-zA-Z])(?:d[a-z]\s*/\s*d[a-z]|[a-z]['’′])")

LETTER = pattern(r"(?<![\\a-zA-Z])[abcf-zA-Z](?![a-zA-Z])")


def is_implicit(sides: Sequence[str]) -> bool:
    """Return whether d/dx stands before what may be a function of x."""
    by = {name for side in sides for name in _BY.findall(side)}
    others = {name for side in sides for name in LETTER.findall(_BY.sub(" ", side))}
    return bool(by) and not others <= by


_OF_NAME = pattern(
    r"&|\\frac\s*\{\s*(?:d|\\partial)\s*[a-zA-Z]\s*\}\s*\{\s*(?:d|\\partial)"
)
"""The next column of a row, or the derivative of what has a name."""


_VALUE = r"[$\\\s(]*[a-zA-Z]['’′]*\([-\d.]+\)\s*=\s*-?[\d./]+[$\\)]*\s*,?(?:\s*and\b)?"
CONDITION = pattern(
    r"\b(?:when(?:ever)?|where|set(?:ting)?|solv(?:e|es|ing)|(?:for|at)\s+which|requir\w+|needs?|want|put(?:ting)?"
    r"|if|such\s+that|satisf\w+|suppos\w+|assum\w+|given|(?-i:with)|(?<!we )know|known)\b"
    rf"(?:[^.;:=]{{0,60}}(?:{_VALUE})+|[^.,;:=]{{0,20}})[$\\\s(]*$",
    re.IGNORECASE,
)
"""Words behind which f'(x) = 12 is no claim."""

IS_CONDITION = "this may be a condition"


def restricted(text: str, roots: Iterable[Value], own: str) -> str:
    """Return why a claim, whose `own` formulas are given, may hold only for functions that the text before it describes, as in "let f be even"; or ""."""
    kinds = {item.operation for root in roots for item in topological(root)}
    names = {kind.function for kind in kinds if isinstance(kind, Unknown)}
    known = [pattern(rf"(?<![\\a-zA-Z]){name}(?![a-zA-Z])") for name in names]
    is_said = any(len(n.findall(text)) > len(n.findall(own)) for n in known)
    return "its functions may be special ones" if is_said else ""


def is_elsewhere(text: str, defined: int, start: int) -> bool:
    """Return whether two places are in different exercises."""
    marks = [[m[1] or m.start() for m in _EXERCISE.finditer(text, *span)][-1:] for span in ((0, defined), (defined, start))]  # fmt: skip
    return bool(marks[1]) and marks[0] != marks[1]


def is_renewed(text: str, name: str, defined: int, start: int) -> bool:
    """Return whether a number that is said of a function need not be about what was defined, as in "let f be the function of Figure 3"."""
    if is_elsewhere(text, defined, start) or _FROM_TABLE.search(text[max(defined, start - 200) : start]):  # fmt: skip
        return True
    bare = rf"(?<![a-zA-Z\\]){re.escape(name)}(?![a-zA-Z'’′^_]|\s*[=(]|\s*\\?\w*prime)"
    let = r"\b(?i:let|suppose|assum\w+|consider|given|know|known|for|the|an?)\b[^.;:=]{0,40}"
    is_new = r"[^.;:=]{0,20}\b(?:differentiable|functions?|satisf\w+|with|whose|inverse|has|we\s+have)\b"
    return re.search(f"{let}{bare}{is_new}", text[defined:start]) is not None


_FROM_TABLE = pattern(
    r"\b(?:from|use|using|with|by|reads?|see)\s+(?:the|this|that)\s+(?:\w+\s+)?(?:table|graph|figure|plot)\b"
    r"|\b(?:table|graph|figure|plot)\b[^.;]{0,20}\b(?:says?|shows?|gives?|below|shown)\b",
    re.IGNORECASE,
)
"""Words for where values come from that nothing else says."""

_EXERCISE = pattern(
    r"\\begin\s*\{(?:ex|problem|question|aufgabe|beispiel)[a-z]*\*?\}"
    r"|^[ \t>#*_]*(?:\\\w+\*?\{)?(?:(?:ex[ae]mple|exercise|problem|question|task|exercice|beispiel|aufgabe)\b[ ~]*|(?<=\*\*)\(?(?=\d))(\d[\w.]*)?",
    re.IGNORECASE | re.MULTILINE,
)
"""The beginning of an exercise or an example."""

_ASKED = pattern(r"[^.;:!\n]{0,60}\?")
_REJECTED = pattern(r"(?:\b|(?<!`)(?=``[^`]|“))(?:true\s+or\s+false\b.{0,60}|would|were|``(?:(?!'').)*|“[^”]*|misconception|some(?:one|body)|measured|students?\s+(?:\w+\s+)?(?:writ|wrote|claim|sa[iy]|comput|answer|think|thought|believe)\w*|(?:not|never)\s+(?:write|say|claim|conclude|true|right|correct|the\s+case)|claims(?!\s*:)|believes?|thinks?|instead|error|mistake\w*|incorrect\w*|wrong\w*|tempted|tempting|careless\w*)\b[^.;]{0,60}$", re.IGNORECASE)  # fmt: skip
_REJECTS = pattern(r"\W{0,4}(?:(?:false|wrong|no)\b|[✗✘❌])|\W{0,4}(?:(?:but\s+)?(?:this|that|it|which)\s+)?(?:is|are|was|would\s+be)\s+(?:wrong|false|incorrect|nonsense|a\s+mistake|not)\b", re.IGNORECASE)  # fmt: skip
_SIGN = r"(?:[<>≤≥≠]|\\(?:lt|gt|leq?|geq?|neq?)\b)"
_PIECE_BEFORE = pattern(rf"\b(?:for|if|when|on|where)\b[^.;=]{{0,40}}{_SIGN}[^.;=]{{0,20}}$", re.IGNORECASE)  # fmt: skip
_PIECE = pattern(rf"\W{{0,4}}(?:\\text\{{)?\s*(?:for|if|when|on|where)\b[^.;=]{{0,40}}{_SIGN}", re.IGNORECASE)  # fmt: skip
"""Words around what is said to be wrong, and around what holds for some values only."""


def in_its_place(text: str, start: int, end: int) -> str:
    """Return why a claim between two places may be none, by the words around it, or ""."""
    # what a sentence says of a claim stands near it; the patterns would take long on more
    before, after = text[max(0, start - 120) : start], text[end:][:80]
    if CONDITION.search(before):
        return IS_CONDITION
    if _ASKED.match(after):
        return "this may be asked"
    if _REJECTED.search(before) or _REJECTS.match(after):
        return "this may be quoted as a mistake"
    if _PIECE_BEFORE.search(before) or _PIECE.match(after):
        return "this may hold on a piece"
    return ""
