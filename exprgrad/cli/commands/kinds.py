"""`exprgrad check --kind`: answers to other questions than a derivative."""

from __future__ import annotations

from exprgrad.annotations import Any, NamedTuple
from exprgrad.cli import completing
from exprgrad.cli.declared import Annotated, Literal, Option
from exprgrad.errors import UNDEFINED, WRONG, UsageError

Kind = Annotated[
    Literal[
        "derivative", "antiderivative", "implicit", "parametric", "tangent", "linearization",
        "taylor", "directional", "gradient", "hessian", "critical",
    ],
    Option(help="What the claim is.", show_default=True),
]  # fmt: skip
Of = Annotated[
    str | None,
    Option(
        metavar="y",
        help="The variable that an equation makes a function.",
        autocompletion=completing.variables,
    ),
]
Parameter = Annotated[str | None, Option(metavar="t", help="The parameter of a curve.")]
Direction = Annotated[
    str | None,
    Option(metavar="3,4", help="The direction of a slope, or steepest."),
]
ConstantOption = Annotated[
    Literal["required", "optional", "forbidden"] | None,
    Option("--constant", help="Whether an antiderivative needs + C."),
]

EXITS = {"correct": 0, "undecided": UNDEFINED, "partly": WRONG, "incorrect": WRONG}


class Question(NamedTuple):
    """The options of a question of some kind, as they were typed."""

    kind: str
    wrt: str | None
    order: int | None
    at: list[str] | None
    of: str | None
    parameter: str | None
    direction: str | None
    constant: str | None


def check_kind(
    expression: str | None,
    claim: str | None,
    claims: list[str],
    question: Question,
    detail: tuple[bool, bool],
    quiet: bool,
    format_: str,
) -> int:
    """Check an answer of some kind; the exit code."""
    from exprgrad.checking.kinds.kinds import check
    from exprgrad.cli.typed import text_in
    from exprgrad.data.bindings import Bindings

    if expression is None or (claim is None) == (not claims):
        raise UsageError(
            "give a question and its answer",
            hint='such as: exprgrad check "2x" "x^2 + C" --kind antiderivative',
        )
    names = (question.wrt or "").replace(" ", "").split(",")
    options: dict[str, Any] = question._asdict()
    options["wrt"] = tuple(name for name in names if name)
    expression, point = text_in(expression)
    values = [*(question.at or []), *([point] if point else [])]
    options["at"] = Bindings(values, "--at").exact if values else None
    answer: Any = claim if claim is not None else _named(claims)
    if question.kind == "antiderivative" and claim is not None:
        answer = _right_side(claim)
    found = check(expression, answer, **options)
    return show_judgement(found, detail, quiet, format_)


def show_judgement(
    found: Any, detail: tuple[bool, bool], quiet: bool, format_: str
) -> int:
    """Show the verdict on an answer; the exit code."""
    from exprgrad.views.formats import write
    from exprgrad.views.output import width
    from exprgrad.views.verdicts.checking import Detail
    from exprgrad.views.verdicts.judgement import JudgementView

    if not quiet:
        write(JudgementView(found, Detail(*detail, width())), format_)
    return EXITS[found.status]


def _right_side(claim: str) -> str:
    """The x^2 + C of y = x^2 + C, or of F(x) = x^2 + C."""
    from exprgrad.cli.typed import typed_in
    from exprgrad.language.questions import Definition

    found = typed_in(claim) or []
    defined = [item.given.text for item in found if isinstance(item, Definition)]
    return defined[-1] if defined else claim


def _named(claims: list[str]) -> dict[str, str]:
    """The answers of `--claim x,y=2*x`, by name."""
    found = {}
    for text in claims:
        name, equals, formula = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(
                f"--claim needs a name and a formula, not {text}",
                hint="--claim x,y=2*x",
            )
        found[name.strip()] = formula
    return found
