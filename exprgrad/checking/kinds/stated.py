"""Lines of a sheet that state what kind of question they are.

    ∫ 2x dx = x^2 + C                           an antiderivative
    x^2 + y^2 = 25; dy/dx = -x/y                the slope of a curve, perhaps at (3, 4)
    x = cos t, y = sin t; dy/dx = -cot t        a curve with a parameter
    tangent to x^2 at 3: y = 6x - 9             also: linearization of, Taylor polynomial of order 3 of,
    gradient of x^2 y: (2x y, x^2)              hessian of, critical points of, slope of ... along (3, 4)

`stated` gives the question of such a line, and None for any other: definitions and derivatives are read by
`sheet` itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking import equations
from exprgrad.checking.kinds.kinds import Judgement, check
from exprgrad.errors import UsageError
from exprgrad.language.brackets import outside, parted
from exprgrad.patterns import pattern

_INTEGRAL = pattern(
    r"(?:∫|(?:integral|antiderivative)\s+of\b|(?:integrate|integral)\b)\s*(.*?)(?:[\s*]*\bd([^\W\d_]\w*)\s*)?=(.*)",
    re.DOTALL,
)
_ON_CURVE = pattern(
    r"(?P<slope>d[^=;]*?/\s*d\s*[^\W\d_](?:\^?[2-9²³])?(?:\s+at\s+.*?)?)\s+(?:if|when|where|for|on|of)\s+(?P<curve>[^;]*=[^;]*)$"
)
_SLOPE = pattern(
    r"d(?:\^?(?P<order>[2-9²³]))?\s*(?P<y>[^\W\d_])\s*/\s*d\s*(?P<x>[^\W\d_])(?:\^?[2-9²³])?"
    r"(?:\s+at\s+(?P<at>[^:]*?))?\s*[=:](?P<claim>.*)",
    re.DOTALL,
)
_TASK = r"(?:(?:find|compute|determine|calculate|give|state)\s+)?(?:the\s+|an?\s+)?"
_NAMED = pattern(
    _TASK
    + r"""(?P<kind>
          (?:equation\s+of\s+the\s+)?tangent(?:\s+(?:line|plane))?\s+(?:to|of)
        | lineari[sz]ation\s+of
        | (?:taylor|maclaurin)\s+polynomial(?:\s+of\s+(?:order|degree)\s+(?P<order>[0-9]+))?\s+of
        | gradient\s+of | hessian\s+of | critical\s+points?\s+of
        | (?:slope|directional\s+derivative)\s+of
        )\s+(?P<rest>.*)""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_PLACE = pattern(
    r"\s+(at|along|in\s+the\s+direction)\s+(?=[^()]*(?:\([^()]*\)[^()]*)*$)"
)

_VALUE = pattern(r"(?:\s(?:at|when|where|for)\s|,)\s*[^\W\d_]\w*\s*=")
"""A value of a point, as in at x=1, y=2, with its equals sign."""

_KINDS = {
    "tangent": "tangent", "linearization": "linearization", "taylor": "taylor", "gradient": "gradient",
    "linearisation": "linearization", "maclaurin": "taylor", "hessian": "hessian", "critical": "critical", "slope": "directional", "directional": "directional",
}  # fmt: skip

_ORDERS = {"²": 2, "³": 3}


class NoAnswer(UsageError):
    """A question without an answer."""


class StatedProblem(NamedTuple):
    """A question of some kind and the answer to it, as they stand in a line."""

    line: int
    label: str
    source: str
    asked: str
    answer: str
    given: Any
    options: Mapping[str, Any]


def stated(text: str, line: int = 0, label: str = "") -> StatedProblem | None:
    """The question that a line states; None where it is of no such kind."""
    for read in (_integral, _curve, _named):
        found = read(text.strip())
        if found is not None:
            given, asked, answer, options = found
            if not answer.strip():
                raise NoAnswer("there is no answer", hint="add it behind the question")
            return StatedProblem(
                line, label, text.strip(), asked, answer.strip(), given, options
            )
    return None


def asked_of(question: str, answer: str) -> StatedProblem | None:
    """The question that a text states, with its answer in another; None where it is of no such kind."""
    text = question.strip().rstrip(":=").rstrip()
    task = re.match(_TASK, text, re.IGNORECASE)
    turned = _ON_CURVE.fullmatch(text, task.end() if task else 0)
    if turned is not None:
        text = f"{turned['curve']}; {turned['slope']}"
    if not (_STARTS.match(text) or _ENDS.search(text)):
        return None
    sign = ":" if _NAMED.fullmatch(text) else "="
    own = sides[-1] if len(sides := _behind(answer)) > 1 else answer
    found = stated(f"{text} {sign} {answer if sign == ':' else own}")
    return None if found is None else found._replace(source=question, asked=text)


def _behind(answer: str) -> list[str]:
    """The sides of an answer such as dy/dx = -x/y, or F(x) = x^2 + C."""
    return [answer[a:b].strip() for a, b in parted(answer, "=")]


_STARTS = pattern(
    rf"\s*{_TASK}(?:∫|(?:integral|integrate|antiderivative|equation|tangent|lineari[sz]ation|taylor|maclaurin|gradient|hessian|critical|slope|directional)\b)",
    re.IGNORECASE,
)
_ENDS = pattern(r";\s*d[^=;]*/\s*d[^=;]*$")

Parts = tuple[Any, str, str, dict[str, Any]]
"""What is given, how it is called, the answer, and the options of `check`."""


def _integral(text: str) -> Parts | None:
    task = re.match(_TASK, text, re.IGNORECASE)
    match = _INTEGRAL.fullmatch(text, task.end() if task else 0)
    if match is None:
        return None
    integrand, variable, claim = match.groups()
    if variable is None and text.lstrip().startswith("∫"):
        raise UsageError("the differential is missing", hint="write ∫ 2x dx")
    asked = text[: match.start(3)].rstrip(" =")
    return (
        integrand.strip() or "1",
        asked,
        claim,
        {"kind": "antiderivative", "wrt": variable},
    )


def _curve(text: str) -> Parts | None:
    """An equation or a pair, and behind it dy/dx = ..."""
    cuts = list(outside(text, ";"))
    if len(cuts) != 1:
        return None
    curve, rest = text[: cuts[0]].strip(), text[cuts[0] + 1 :].strip()
    match = _SLOPE.fullmatch(rest)
    if match is None:
        return None
    order = match["order"] or "1"
    options: dict[str, Any] = {"order": _ORDERS.get(order) or int(order)}
    asked = text[: cuts[0] + 1 + text[cuts[0] + 1 :].index(match["claim"])].rstrip(
        " =:"
    )
    pair = _pair(curve)
    if pair is not None:
        options |= {"kind": "parametric"}
        given: Any = pair
    else:
        sides = [curve[a:b].strip() for a, b in parted(curve, "=")]
        if len(sides) != 2 or _defines(sides[0], sides[1], match["x"]):
            return None
        options |= {"kind": "implicit", "of": match["y"], "wrt": match["x"]}
        given = curve
    if match["at"]:
        names = (match["x"], match["y"]) if pair is None else ()
        options["at"] = place_of(match["at"], names)
    return given, asked, match["claim"], options


def _defines(left: str, right: str, x: str) -> bool:
    """Whether an equation defines a function, as y = x^2 does; y = x*y + 1 and x = y^2 do not."""
    if not re.fullmatch(r"\w+(\s*\(.*\))?", left):
        return False
    return (
        left != x and re.search(rf"(?<![^\W\d_]){left[0]}(?![^\W\d_])", right) is None
    )


def _pair(curve: str) -> tuple[str, str] | None:
    """x(t) and y(t) of `x = cos t, y = sin t`."""
    parts = [equations.sides(curve[a:b]) for a, b in parted(curve)]
    if [part[0] for part in parts] != ["x", "y"] or any(len(p) != 2 for p in parts):
        return None
    return parts[0][1], parts[1][1]


def _named(text: str) -> Parts | None:
    match = _NAMED.fullmatch(text)
    if match is None:
        return None
    kind = next(_KINDS[w] for w in match["kind"].lower().split() if w in _KINDS)
    question, claim = _cut(match["rest"])
    asked = text[: len(text) - len(match["rest"]) + len(question)]
    given, places = _split(question)
    if kind == "directional" and "along" not in places:
        return None  # the slope of a curve is its derivative
    options: dict[str, Any] = {"kind": kind}
    if match["order"]:
        options["order"] = int(match["order"])
    if "at" in places:
        options["at"] = place_of(places["at"])
    if "along" in places:
        options["direction"] = places["along"]
    return given, asked, claim, options


def _cut(rest: str) -> tuple[str, str]:
    """The question and its answer, apart at a colon or a semicolon; else at the last =."""
    for sign in ":;":
        places = list(outside(rest, sign))
        if places:
            return rest[: places[0]].rstrip(), rest[places[0] + 1 :]
    values = {found.end() - 1 for found in _VALUE.finditer(rest)}
    places = [place for place in outside(rest, "=") if place not in values]
    if not places:
        return rest, ""
    return rest[: places[-1]].rstrip(), rest[places[-1] + 1 :]


def _split(question: str) -> tuple[Any, dict[str, str]]:
    """What is given, with the texts behind `at` and `along`."""
    pieces = _PLACE.split(question)
    words = ("at" if word == "at" else "along" for word in pieces[1::2])
    places = dict(zip(words, (text.strip() for text in pieces[2::2]), strict=True))
    given = pieces[0].strip()
    return _pair(given) or given, places


def place_of(text: str, names: tuple[str, ...] = ()) -> Any:
    """A point: `3`, `x = 3`, `(3, 4)` or `x = 3, y = 4`."""
    parts = [equations.sides(part) for part in equations.entries(text)]
    if all(len(part) == 2 for part in parts):
        return {part[0]: part[1] for part in parts}
    values = tuple(part[0] for part in parts)
    return (
        dict(zip(names, values, strict=True)) if len(names) == len(values) else values
    )


def judge(problem: StatedProblem) -> Judgement:
    """Check the answer. Raises `ExprgradError`."""
    found = check(problem.given, problem.answer, **problem.options)
    assert isinstance(found, Judgement)
    return found
