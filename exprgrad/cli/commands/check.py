"""`exprgrad check` and `exprgrad same`: a claimed derivative, and two expressions."""

from __future__ import annotations

from collections.abc import Iterator

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.cli import completing
from exprgrad.cli.arguments import mapping
from exprgrad.cli.commands.kinds import (
    ConstantOption,
    Direction,
    Kind,
    Of,
    Parameter,
    Question,
    check_kind,
    show_judgement,
)
from exprgrad.cli.declared import Annotated, Argument, Literal, Option, Path
from exprgrad.cli.options import At, Drawn, Expr
from exprgrad.errors import UNDEFINED, USAGE, WRONG, UsageError
from exprgrad.language.leibniz import MOST_ORDERS

if TYPE_CHECKING:
    from exprgrad.checking.check import Verdict
    from exprgrad.checking.kinds.kinds import Judgement

EXITS = {
    "correct": 0, "equal": 0, "undecided": UNDEFINED, "incorrect": WRONG, "different": WRONG,
    "partly": WRONG, "unreadable": USAGE,
}  # fmt: skip
"""The exit code of every status; for several answers, the first of 2, 1, 3, 0 that occurs."""


Format = Literal["text", "json", "latex"]
Form = Literal["any", "simplified"]

FormatOption = Annotated[Format, Option("--format", help="How to write the verdict.")]
Quiet = Annotated[
    bool,
    Option("--quiet", "-q", help="Print nothing; the exit code is the answer."),
]


Claim = Annotated[str | None, Argument(metavar="CLAIM", help="The claimed derivative.")]
Wrt = Annotated[
    str | None,
    Option(
        metavar="x",
        help="The variable, if there are several; x,y for two.",
        autocompletion=completing.variables,
    ),
]
Claims = Annotated[
    list[str] | None,
    Option("--claim", metavar="x=2*x*y", help="A partial derivative; may be repeated."),
]
Order = Annotated[
    int | None,
    Option(
        min=0, max=MOST_ORDERS, help="The order of the derivative, or of a polynomial."
    ),
]
Hint = Annotated[
    bool, Option("--hint", help="Name the kind of mistake, not the answer.")
]
Solution = Annotated[bool, Option("--solution", help="Show the derivation.")]
File = Annotated[
    Path | None,
    Option(metavar="FILE", help="A sheet, or a class set in CSV."),
]
Graded = Annotated[
    Path | None,
    Option(
        "--output",
        metavar="FILE",
        help="Write the graded class set here, in CSV or .jsonl.",
    ),
]
Report = Annotated[
    Path | None,
    Option(metavar="FILE.html", help="Write a page about a class set here."),
]
Html = Annotated[
    Path | None,
    Option(
        metavar="FILE",
        help="Write a page about a sheet, a class set or a worked solution here.",
    ),
]
WorkFile = Annotated[
    Path | None,
    Option("--work", metavar="FILE", help="A worked solution, judged line by line."),
]
Jobs = Annotated[int | None, Option(min=1, help="Processes for a class set.")]
Map = Annotated[
    list[str] | None,
    Option(
        "--map",
        metavar="student=E-Mail",
        help="The column of a class set for student, problem, answer or variable; may be repeated.",
    ),
]
Where = Annotated[
    list[str] | None,
    Option(metavar="x>0", help="Ask only where this holds; may be repeated."),
]
Condone = Annotated[
    bool,
    Option("--condone-domain", help="Ask only where the answer is defined."),
]
FormOption = Annotated[
    Form, Option(help="Whether the answer has to be simplified, too.")
]


def check_command(
    expression: Expr = None,
    claim: Claim = None,
    wrt: Wrt = None,
    claims: Claims = None,
    order: Order = None,
    at: At = None,
    kind: Kind = "derivative",
    of: Of = None,
    parameter: Parameter = None,
    direction: Direction = None,
    constant: ConstantOption = None,
    hint: Hint = False,
    solution: Solution = False,
    quiet: Quiet = False,
    file: File = None,
    graded: Graded = None,
    report: Report = None,
    html: Html = None,
    jobs: Jobs = None,
    map_: Map = None,
    work: WorkFile = None,
    form: FormOption = "any",
    where: Where = None,
    condone: Condone = False,
    plot: Drawn = False,
    format_: FormatOption = "text",
) -> int:
    """Check a claimed derivative, show why it is right or wrong and what went wrong."""
    if work is not None:
        if file is not None or form == "simplified":
            raise UsageError("--work judges one text; leave out --file and --form")
        _alone_with_work(claim, claims, at, graded, jobs)
        detail = hint, solution
        return _work(work, expression, wrt, order, detail, quiet, format_, html)
    if file is not None:
        from exprgrad.cli.commands.grading import Wanted, grade_command

        others = (kind != "derivative", of, parameter, direction, constant)
        _alone(expression, claim, wrt, claims, at, order, form == "simplified", *others)
        limits = tuple(where or ()), condone
        wanted = Wanted(graded, report, jobs, mapping(map_ or []), hint, solution, quiet, format_, html)  # fmt: skip
        return grade_command(file, wanted, limits)
    _of_files(graded, report, jobs, map_, html)
    several = wrt is not None and "," in wrt
    if kind != "derivative" or several or of or parameter or direction or constant:
        if form == "simplified" or where or condone:
            raise UsageError(
                "--form simplified, --where and --condone-domain are about one derivative"
            )
        asked = Question(kind, wrt, order, at, of, parameter, direction, constant)
        detail = hint, solution
        return check_kind(
            expression, claim, claims or [], asked, detail, quiet, format_
        )
    if order == 0:
        raise UsageError("the order of a derivative is at least 1")
    domain = {"where": where or (), "condone_domain": condone}
    if expression is not None and claim is None and not claims:
        found = _claimed_within(expression, wrt, order or 1, at, domain)
        if hasattr(found, "kind"):
            return show_judgement(found, (hint, solution), quiet, format_)
        return _judged(iter([found]), form, (hint, solution), quiet, format_, plot)
    verdicts = _verdicts(expression, claim, wrt, claims or [], order or 1, at, domain)
    return _judged(verdicts, form, (hint, solution), quiet, format_, plot)


def _of_files(
    graded: Path | None,
    report: Path | None,
    jobs: int | None,
    map_: list[str] | None,
    html: Path | None,
) -> None:
    """Refuse what only a sheet, a class set or a worked solution has."""
    if graded is not None or report is not None or jobs is not None or map_:
        raise UsageError("--output, --report, --jobs and --map need --file")
    if html is not None:
        raise UsageError(
            "--html is for a sheet, a class set or a worked solution",
            hint="give one with --file or --work",
        )


def _judged(
    verdicts: Iterator[Verdict],
    form: str,
    detail: tuple[bool, bool],
    quiet: bool,
    format_: str,
    plot: bool = False,
) -> int:
    """Show the verdicts on claimed derivatives; the exit code."""
    from exprgrad.checking.check import is_simplified
    from exprgrad.views.formats import write
    from exprgrad.views.output import width
    from exprgrad.views.verdicts.checking import Detail, VerdictsView

    codes, found = [], []
    for verdict in verdicts:
        plain = form == "simplified" and verdict.status == "correct"
        simplified = is_simplified(verdict.claim) if plain else None
        codes.append(WRONG if simplified is False else EXITS[verdict.status])
        found.append((verdict, simplified))
    if not quiet:
        write(VerdictsView(found, Detail(*detail, width())), format_)
        if plot and format_ == "text":
            _plotted([verdict for verdict, _ in found])
    return next((code for code in (USAGE, WRONG, UNDEFINED) if code in codes), 0)


def _plotted(verdicts: list[Verdict]) -> None:
    """Draw each claim beside the derivative, where that is a curve."""
    from exprgrad.pictures.results import of_verdict
    from exprgrad.views.answers.plot import show

    for verdict in verdicts:
        plot = of_verdict(verdict)
        if plot is None:
            raise UsageError(
                "a claim in several variables has no curve", hint="leave --plot out"
            )
        show(plot)


def _alone_with_work(*others: object) -> None:
    """Refuse options that say what a solution says itself."""
    if any(others):
        raise UsageError(
            "--work replaces the claim and the options for it",
            hint='exprgrad check "x^2*sin(x)" --work FILE; --help lists the options',
        )


WORK_EXITS = {"correct": 0, "incorrect": WRONG, "partly": WRONG, "unreadable": USAGE}
"""The exit code of a verdict on a solution; any other is undecided."""


def _work(
    file: Path,
    expression: str | None,
    wrt: str | None,
    order: int | None,
    detail: tuple[bool, bool],
    quiet: bool,
    format_: str,
    html: Path | None,
) -> int:
    """Judge the solutions in a file, of the function given or of those that it states."""
    from exprgrad.checking.work.sheet import Solution, read_work
    from exprgrad.checking.work.work import check_work
    from exprgrad.cli.arguments import source_of
    from exprgrad.cli.commands.grading import title_of, write_page
    from exprgrad.views.formats import write
    from exprgrad.views.output import width
    from exprgrad.views.verdicts.checking import Detail
    from exprgrad.views.verdicts.work import WorkView

    text = source_of("-", None) if str(file) == "-" else source_of(None, file)
    if expression is None:
        found = read_work(text, wrt, order)
    else:
        found = [Solution(1, check_work(expression, text, wrt, order or 1))]
    if html is not None:
        from exprgrad.views.verdicts.pages import work_page

        page = work_page(found, Detail(*detail), title_of(file))
        write_page(html, file, [page])
    if not quiet or format_ == "json":
        write(WorkView(found, Detail(*detail, width())), format_)
    verdicts = [getattr(s.work, "verdict", "unreadable") for s in found]
    codes = [WORK_EXITS.get(verdict, UNDEFINED) for verdict in verdicts]
    return next((code for code in (USAGE, WRONG, UNDEFINED) if code in codes), 0)


def _alone(*others: object) -> None:
    """Refuse options that cannot be combined with a file, whose lines say all that themselves."""
    if any(others):
        raise UsageError(
            "--file replaces the expression, its claim and the options for them",
            hint="exprgrad check --file FILE; --help lists the options",
        )


def _verdicts(
    expression: str | None,
    claim: str | None,
    wrt: str | None,
    claims: list[str],
    order: int,
    at: list[str] | None,
    domain: dict[str, Any],
) -> Iterator[Verdict]:
    """The verdict on the claim, or on each of several partial derivatives."""
    from exprgrad.data.bindings import Bindings

    values = Bindings(at, "--at").exact if at else None
    if expression is None or (claim is None) == (not claims):
        raise UsageError(
            "give an expression and its claimed derivative",
            hint='exprgrad check "x^2" "2x", or --claim x=... for each variable',
        )
    if claim is not None:
        yield _verdict(expression, claim, wrt, order, values, domain)
        return
    for text in claims:
        name, equals, formula = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(
                f"--claim needs a variable and a formula, not {text}",
                hint="--claim x=2*x*y",
            )
        yield _verdict(expression, formula, name.strip(), order, values, domain)


def _verdict(
    expression: str,
    claim: str,
    wrt: str | None,
    order: int,
    at: dict[str, Any] | None,
    domain: dict[str, Any],
) -> Verdict:
    """The verdict on a claim, each of the texts in any notation of a problem."""
    from exprgrad.checking.check import check
    from exprgrad.checking.problems import numbers_of
    from exprgrad.cli.typed import claim_in, point_in, question, variable_of
    from exprgrad.language.products import letters

    names = letters(f"{expression} ; {claim}", wrt) | ({wrt} if wrt else set())
    parsed, asked = question(expression, names)
    wrt = wrt or variable_of(asked)
    order = max(order, asked.order if asked is not None else 1)
    declared = {*parsed.variables, *names, *([wrt] if wrt else [])}
    claimed = claim_in(claim, order, declared)
    if point := point_in(asked, parsed):
        at = {**numbers_of(point), **(at or {})}
    return check(parsed, claimed, wrt, order=order, at=at, **domain)


def _claimed_within(
    text: str,
    wrt: str | None,
    order: int,
    at: list[str] | None,
    domain: dict[str, Any],
) -> Verdict | Judgement:
    """The verdict on d/dx x^2 = 2x, or on a question of another kind with its answer."""
    from exprgrad.checking.problems import Problem, first_fault
    from exprgrad.cli.typed import problems_in
    from exprgrad.data.bindings import Bindings

    problems = problems_in(text)
    if not problems:
        raise UsageError(
            "there is no claim",
            hint='exprgrad check "x^2" "2x", or exprgrad check "d/dx x^2 = 2x"',
        )
    exact = Bindings(at, "--at").exact if at else None
    changed = [
        p._replace(variable=wrt or p.variable, order=max(order, p.order), exact=exact or p.exact)
        if isinstance(p, Problem)
        else p
        for p in problems
    ]  # fmt: skip
    return first_fault(changed, **domain)


def same_command(
    a: Annotated[str, Argument(metavar="A", help="An expression.")],
    b: Annotated[
        str | None, Argument(metavar="B", help="Another; or write A = B.")
    ] = None,
    quiet: Quiet = False,
    format_: FormatOption = "text",
) -> int:
    """Whether two expressions are equal wherever both are defined."""
    from exprgrad.checking.check import equivalent
    from exprgrad.cli.hints import remark
    from exprgrad.cli.typed import at_point, in_common, sides_of
    from exprgrad.views.formats import write
    from exprgrad.views.output import width
    from exprgrad.views.verdicts.checking import EquivalenceView

    equation = a
    point = None
    if b is None:
        a, b, point = sides_of(a)
    both = in_common(a, b)
    if point is not None:
        both = at_point(both, point)
        b = f"{b} at {point}"
    found = equivalent(*both)
    if not quiet:
        write(EquivalenceView(a, b, found, width(), both), format_)
    several = len({name for side in both for name in side.variables}) > 1
    if found.status == "different" and several and equation != a and not quiet:
        remark(f'for the slope of this curve: exprgrad diff "{equation}" --implicit')
    return EXITS[found.status]
