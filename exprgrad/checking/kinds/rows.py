r"""The kinds of questions, a row each: its question, its options, its words, an example and its page in the manual.

    judge(Request("x^2", "2x")).status                                              # "correct"
    judge(Request("x^2", "y = 6x - 9", "tangent", at={"x": 3})).status              # "correct"

A row is all that a kind needs: `check`, sheets, class sets, documents, sessions and the command line find it here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from exprgrad.annotations import TYPE_CHECKING, NamedTuple
from exprgrad.budget import LONG, counted, current
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.language import inputs
from exprgrad.language.leibniz import MOST_ORDERS
from exprgrad.language.points import in_order

if TYPE_CHECKING:
    from exprgrad.checking.judging import Posed, Verdict
    from exprgrad.checking.kinds.request import Request


class Kind(NamedTuple):
    """A kind of question.

    `pose` says what is compared, or gives the verdict where that is found otherwise; `options` are those it takes
    beside `wrt`. `words` are patterns of how it is asked: a beginning, and what follows with the groups `of`, `wrt` and
    `order`. `example` is a question with its right answer, `page` the page of the manual about it. `begins` is a
    narrower beginning, where the words alone ask something else, too.
    """

    pose: Callable[[Request], Posed | Verdict]
    options: tuple[str, ...]
    words: tuple[tuple[str, str], ...]
    example: str
    begins: str = ""
    page: str = "checking"


def words() -> tuple[tuple[str, str, str], ...]:
    """Return how questions of all kinds are asked, for `questions.Scope`."""
    return tuple(
        (name, row.begins or begins, rf"(?:{begins}){rest}")
        for name, row in KINDS.items()
        for begins, rest in row.words
    )


def judge(question: Request) -> Verdict:
    """The verdict on the answer to a question of any kind: its row says what is compared, and each claim is decided.

    What probably went wrong in a claim is explained by the catalogue of `mistakes`. Where it takes more than `LONG` and
    nobody has given a budget, a note says what was cut short. Raises `UsageError` where the question is unclear, and
    `ExprgradError` for texts that cannot be read.
    """
    is_given = current() is not None
    with counted() as work:
        found = _judged(question)
    if is_given or work.weighed < LONG or not work.left_out:
        return found
    note = f"what takes long was cut short: {', '.join(work.left_out)}"
    return found._replace(notes=(*found.notes, note))


def _judged(question: Request) -> Verdict:
    """The verdict itself."""
    from exprgrad.checking.judging import decided

    if question.kind in OTHERS:
        return decided(OTHERS[question.kind](question))
    kind = question.kind
    for name in question.options:
        if name not in KINDS[kind].options:
            raise UsageError(f"kind {kind!r} takes no {name}")
    if question.constant not in (None, *CONSTANTS):
        hint = f"one of: {', '.join(CONSTANTS)}"
        raise UsageError(f"constant cannot be {question.constant!r}", hint=hint)
    if not question.is_one and question.own_order is not None:
        # f(a) is a Taylor polynomial of order 0
        least = 0 if kind == "taylor" else 1
        inputs.count(question.own_order, "the order", least, MOST_ORDERS)
    if not question.is_one and (question.where or question.condone):
        raise UsageError("only the question about one derivative takes conditions")
    found = _in_either_order(question)
    if not question.is_one and isinstance(question.claim, str):
        found = found._replace(typed=question.claim.strip())
    return _if_read_otherwise(question, found)


def _if_read_otherwise(question: Request, found: Verdict) -> Verdict:
    """The verdict on an answer, which may be right if shorthands are read otherwise."""
    given, claim = (getattr(x, "source", x) for x in (question.given, question.claim))
    is_text = isinstance(given, str) and isinstance(claim, str)
    if found.status in ("correct", "undecided") or not is_text:
        return found

    from exprgrad.checking.judging import if_meant
    from exprgrad.checking.readings import consistent

    for reading in consistent(given, claim):
        other = question._replace(given=reading.problem, claim=reading.claim)
        with suppress(ExprgradError):
            if _in_either_order(other, is_explained=False).status == "correct":
                return if_meant(found, reading.meant)
    return found


def _in_either_order(question: Request, is_explained: bool = True) -> Verdict:
    """The verdict on an answer whose order of the variables may be that of the alphabet: of y/x, (-y/x^2, 1/x).

    The order of the alphabet wins where it makes the answer right, else the one that more parts are right in.
    """
    from exprgrad.checking.judging import decided
    from exprgrad.checking.kinds.request import is_list

    kind, claim = question.kind, question.claim
    if kind in AT_POINTS and question.at is not None and isinstance(claim, str):
        from exprgrad.checking.kinds.kinds import none_there
        from exprgrad.checking.names import says_none

        if says_none(claim):
            return none_there(question, KINDS[kind].pose)
    is_single = kind == "derivative" and not is_list(question.answered)
    if kind not in ORDERED or question.wrt or question.is_one or is_single:
        return decided(KINDS[kind].pose(question), is_explained)
    # read once: an expression keeps its derivatives
    question = question._replace(given=question.function())
    own = question.names(question.given, placed=kind != "directional")
    names = tuple(sorted(own))
    if names == own:
        return decided(KINDS[kind].pose(question), is_explained)
    other = decided(KINDS[kind].pose(question._replace(wrt=names)), is_explained)
    note = f"the variables are taken in the order {', '.join(names)}"
    other = other._replace(notes=(*other.notes, note))
    is_usual = in_order(own) == names
    # a direction is given, as a point is
    if other.status == "correct" or (is_usual and kind == "directional"):
        return other
    posed = KINDS[kind].pose(question)
    found = decided(posed, is_explained=False)
    if found.status == "correct":
        return found
    own_right, right = (sum(part.status == "correct" for part in v.parts) for v in (found, other))  # fmt: skip
    is_better = right > own_right or (is_usual and right == own_right == 0)
    return other if is_better else decided(posed, is_explained)


ORDERED = ("derivative", "gradient", "hessian", "directional")
"""Kinds whose answers, or directions, may be lists in the order of the variables."""


AT_POINTS = ("gradient", "directional", "linearization", "implicit", "parametric", "tangent", "normal")  # fmt: skip
"""Kinds of what there may not be at a point."""

CURVES = ("implicit", "parametric", "tangent", "normal")
"""Kinds that may be about the curve of an equation."""


CONSTANTS = ("required", "optional", "forbidden")


def _posed(
    name: str, module: str = "kinds.kinds"
) -> Callable[[Request], Posed | Verdict]:
    """The question of that name, whose module is loaded when it is asked."""

    def pose(request: Request) -> Posed | Verdict:
        # one derivative is judged without waiting for the modules of other kinds
        from importlib import import_module

        asked = getattr(import_module(f"exprgrad.checking.{module}"), name)
        found: Posed = asked(request)
        return found

    return pose


def _derivative(request: Request) -> Posed | Verdict:
    """One derivative, without loading other kinds; or several."""
    one, several = _posed("one_derivative", "derivatives"), _posed("derivative_of")
    return one(request) if request.is_one else several(request)


_CRITICAL = _posed("critical_answer", "kinds.critical")
_OF = r"\s+(?:of|for)\s+(?P<of>.+)"
_TO = r"\s+(?:to|of|for)\s+(?:the\s+(?:curve|graph|function|circle|ellipse|hyperbola|parabola|surface)\s+(?:of\s+)?)?(?P<of>.+)"
_OF_TANGENT = r"(?:\s+of\s+the\s+tangent(?:\s+line)?)?"
_STEEPNESS = r"gradient(?=\s+of\s+the\s+curve\b)"
_LOCAL = r"(?:local|relative)\s+"
_POLYNOMIAL = r"(?:taylor|maclaurin)\s+(?:polynomial|series)"
_ORDER = r"\s+(?:of|(?:up\s+)?to)\s+(?:order|degree)\s+(?P<order>[0-9]+)"
_ORDINAL = "first|second|third|fourth|fifth"
_INTEGRAL = (
    r"int(?=\s)|(?:indefinite\s+)?integral(?:\s+of)?|antiderivative\s+of|integrate"
)

KINDS: dict[str, Kind] = {
    "derivative": Kind(
        _derivative, ("order", "at"),
        # of the function given before, f(x) = x^2; the second derivative is 2, or of a curve: the slope of xy = 4 at (1, 4)
        ((rf"(?:(?P<order>{_ORDINAL})\s+)?(?:derivative|slope{_OF_TANGENT}|{_STEEPNESS})", _TO),),
        "d/dx x^2 = 2x",
        rf"(?:(?:{_ORDINAL})\s+)?(?:derivative|slope{_OF_TANGENT}|{_STEEPNESS})(?=\s*(?::|=|(?:at|is|of|to)\b))",
    ),
    "antiderivative": Kind(
        _posed("antiderivative"), ("constant",),
        ((r"∫(?!\s*[_₀-₉])", r"\s*(?P<of>.*?)[\s*]*\bd(?P<wrt>[^\W\d_]\w*)"),
         (_INTEGRAL, r"\s+(?P<of>.*?)(?:[\s*]+d(?P<wrt>[^\W\d_]))?")),
        "∫ 2x dx = x^2 + C",
    ),
    "implicit": Kind(_posed("implicit"), ("of", "order", "at"), (), "x^2 + y^2 = 25; dy/dx = -x/y"),
    "parametric": Kind(
        _posed("parametric"), ("parameter", "order", "at"), (), "x = cos t, y = sin t; dy/dx = -cot t",
    ),
    "tangent": Kind(
        _posed("tangent"), ("at", "of", "parameter", "order"),
        ((r"(?:equation\s+of\s+the\s+)?tangent(?:\s+(?:line|plane))?", _TO),),
        "tangent to x^2 at 3: y = 6x - 9",
    ),
    "normal": Kind(
        _posed("tangent"), ("at", "of", "parameter", "order"), ((r"(?:equation\s+of\s+the\s+)?normal(?:\s+line)?", _TO),), "normal to x^2 at 1: y = 3/2 - x/2",
    ),
    "linearization": Kind(
        _posed("linearization"), ("at", "order"),
        ((r"lineari[sz]ation", _OF), (r"(?:local\s+|best\s+)?linear\s+approximation", _TO)),
        "linear approximation of sqrt(x) at 4: 2 + (x - 4)/4",
    ),
    "taylor": Kind(
        _posed("taylor"), ("at", "order"),
        ((_POLYNOMIAL, rf"\s+(?:of|for)\s+(?P<of>.+?){_ORDER}"), (_POLYNOMIAL, rf"(?:{_ORDER})?{_OF}"),
         (rf"(?:degree[\s-]+)?(?P<order>{_ORDINAL}|[0-9]+(?:st|nd|rd|th)?)(?:[\s-]+(?:order|degree))?\s+{_POLYNOMIAL}", _OF)),
        "Taylor polynomial of order 2 of e^x at 0: 1 + x + x^2/2",
    ),
    "directional": Kind(
        _posed("directional"), ("at", "direction"),
        ((r"slope|directional\s+derivative", _OF),),
        "slope of x^2 y at (1, 2) along (3, 4): 16/5",
        r"slope(?=\s+of\b.*\b(?:along|in\s+the\s+direction)\b)|directional\s+derivative",
    ),
    "gradient": Kind(
        _posed("gradient"), ("at",),
        ((r"gradient\s+of\b|grad(?:ient)?(?=[\s(:])|∇(?!\s*[²^])", r"\s*(?P<of>.+)"),),
        "gradient of x^2 y = (2x y, x^2)",
    ),
    "hessian": Kind(_posed("hessian"), ("at",), ((r"hessian(?:\s+matrix)?", _OF),), "hessian of x^2 y: [[2y, 2x], [2x, 0]]"),
    "critical": Kind(_CRITICAL, (), ((r"critical\s+(?:points?|numbers?)", _OF),), "critical points of x^3 - 3x: -1, 1"),
    "stationary": Kind(_CRITICAL, (), ((r"stationary\s+points?", _OF),), "stationary points of x^3 - 3x: -1, 1"),
    "extremum": Kind(_CRITICAL, (), ((rf"turning\s+points?|(?:{_LOCAL})?extrem(?:a|um)(?:\s+points?)?", _OF),), "turning points of x^3 - 3x: (-1, 2), (1, -2)"),
    "maximum": Kind(_CRITICAL, (), ((rf"{_LOCAL}max(?:imum|ima)?(?:\s+points?)?", _OF),), "local maximum of x^3 - 3x: (-1, 2)"),
    "minimum": Kind(_CRITICAL, (), ((rf"{_LOCAL}min(?:imum|ima)?(?:\s+points?)?", _OF),), "local minimum of x^3 - 3x: (1, -2)"),
    "inflection": Kind(
        _posed("inflection", "kinds.inflection"), (), ((r"(?:points?\s+of\s+inflection|inflection\s+points?)", _OF),),
        "inflection points of x^4 - 6x^2: -1, 1",
    ),
}  # fmt: skip
"""Every kind by its name."""

OTHERS = {
    "equation": _posed("equation"),
    "equivalence": _posed("equivalence", "judging"),
}
"""Questions about two sides, which have no name among the kinds of answers: whether they are equal."""
