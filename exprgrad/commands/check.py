"""`exprgrad check` and `exprgrad same`: a claimed answer, and two expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.checking import problems
from exprgrad.checking.check import Verdict, check, equivalent, is_simplified
from exprgrad.checking.kinds.rows import KINDS
from exprgrad.commands import declared as row
from exprgrad.commands import typed
from exprgrad.commands.declared import MOST_JOBS, mapping, text_of
from exprgrad.commands.hints import in_shell
from exprgrad.data.bindings import Bindings
from exprgrad.errors import UNDEFINED, USAGE, WRONG, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.language.leibniz import MOST_ORDERS
from exprgrad.language.questions import Piece, Question
from exprgrad.views.output import width
from exprgrad.views.verdicts import Detail, EquivalenceView, VerdictsView, WorkView

if TYPE_CHECKING:
    from pathlib import Path

    from exprgrad.checking.problems import Problem
    from exprgrad.checking.work.sheet import Solution

EXITS = {
    "correct": 0, "equal": 0, "incorrect": WRONG, "different": WRONG, "partly": WRONG, "unreadable": USAGE,
}  # fmt: skip
"""The exit code of a status; that of any other says that nothing was decided."""

FORMAT = row.formats("How to write the verdict.", "text json")
QUIET = row.flag("Print nothing; the exit code is the answer.", "--quiet", "-q")


def exit_code(statuses: Iterable[str]) -> int:
    """The exit code of several answers: the first of 2, 1, 3, 0 that one of them has."""
    # not the greatest: undecided is 3, and a single wrong answer has to outweigh it
    codes = {EXITS.get(status, UNDEFINED) for status in statuses}
    return next((code for code in (USAGE, WRONG, UNDEFINED) if code in codes), 0)


class Check(row.Command):
    """Check a claimed derivative, show why it is right or wrong and what went wrong."""

    example = 'exprgrad check "x^2 sin x" "2x sin x + x^2 cos x"'
    pages = "checking, solutions, sheets"
    values = row.FREE

    expression: str | None = row.argument(
        "The expression; - reads standard input.", "EXPR"
    )
    claim: str | None = row.argument("The claimed derivative.", "CLAIM")
    wrt: str | None = row.text("The variable, if there are several; x,y for two.", "x", completes="variables")  # fmt: skip
    claims: list[str] = row.texts("A partial derivative; may be repeated.", "x=2*x*y", "--claim")  # fmt: skip
    order: int | None = row.whole("The order of the derivative, or of a polynomial.", least=0, most=MOST_ORDERS)  # fmt: skip
    at: list[str] = row.AT
    kind: str = row.choice("What the claim is.", " ".join(KINDS), "derivative")
    of: str | None = row.OF
    parameter: str | None = row.text("The parameter of a curve.", "t")
    direction: str | None = row.text("The direction of a slope, or steepest.", "3,4")
    constant: str | None = row.choice("Whether an antiderivative needs + C.", "required optional forbidden")  # fmt: skip
    hint: bool = row.flag("Name the kind of mistake, not the answer.")
    solution: bool = row.flag("Show the derivation.")
    quiet: bool = QUIET
    file: Path | None = row.path("A sheet, or a class set in CSV.")
    output: Path | None = row.path("Write the picture of --plot here, or a graded class set, in CSV or .jsonl.", "--output", "-o")  # fmt: skip
    report: Path | None = row.path("Write a page about a class set here.", metavar="FILE.html")  # fmt: skip
    html: Path | None = row.path("Write a page about a sheet, a class set or a worked solution here.")  # fmt: skip
    jobs: int | None = row.whole("Processes for a class set.", least=1, most=MOST_JOBS)
    map: list[str] = row.texts("The column of a class set for student, problem, answer or variable; may be repeated.", "student=E-Mail")  # fmt: skip
    work: Path | None = row.path("A worked solution, judged line by line.")
    form: str = row.choice("Whether the answer has to be simplified, too.", "any simplified", "any")  # fmt: skip
    where: list[str] = row.texts("Ask only where this holds; may be repeated.", "x>0")
    condone: bool = row.flag(
        "Ask only where the answer is defined.", "--condone-domain"
    )
    certificate: Path | None = row.path("Write what lets another program verify the verdict here.", metavar="FILE.json")  # fmt: skip
    plot: bool = row.DRAWN
    dark: bool = row.DARK
    format: str = FORMAT

    def run(self) -> row.Result:
        """Judge the claim, the file or the worked solution."""
        if self.certificate is not None and (self.work or self.file):
            raise UsageError("--certificate is about one claim", hint="leave --file and --work out")  # fmt: skip
        if self.work is not None:
            return self._judge_work(self.work)
        if self.file is not None:
            return self._grade(self.file)
        grades = self.output is not None and not row.is_picture(self.output)
        if grades or self.report or self.jobs or self.map:
            raise UsageError("--output, --report, --jobs and --map need --file")
        if self.html is not None:
            what = "--html is for a sheet, a class set or a worked solution"
            raise UsageError(what, hint="give one with --file or --work")
        # --wrt x,y asks for the mixed derivative, a question of its own kind
        several = self.wrt is not None and "," in self.wrt
        if self.kind != "derivative" or several:
            return self._judge_kind()
        if self.order == 0:
            raise UsageError("the order of a derivative is at least 1")
        if self.expression is not None and self.claim is None and not self.claims:
            given = self.at or self.wrt or self.order or self.where or self.certificate
            # check "x^2 = x*x" claims no derivative: it asks whether the sides are equal
            is_same = typed.command_for(self.expression, ()) == "same"
            if is_same and not (given or self.plot or typed.chains_in(self.expression)):  # fmt: skip
                return Same(a=self.expression, quiet=self.quiet, format=self.format).run()  # fmt: skip
            return self.judged(self._claimed_within(self.expression))
        return self.judged(self._verdicts())

    def detail(self) -> Detail:
        """Return how much is shown of a verdict."""
        return Detail(self.hint, self.solution, width())

    def _grade(self, file: Path) -> row.Result:
        """Grade a sheet or a class set, whose lines say themselves what is claimed."""
        from exprgrad.commands.grading import Grading

        own = "expression claim wrt claims at order of parameter direction constant"
        is_given = any(getattr(self, name) for name in own.split())
        if is_given or self.form == "simplified" or self.kind != "derivative":
            told = "--file replaces the expression, its claim and the options for them"
            raise UsageError(told, hint="leave these out")
        view, errors = Grading(file, self, mapping(self.map)).grade()
        statuses = (status for status, n in view.score.statuses.items() if n)
        # --format json asks for the verdicts, in spite of --quiet
        shown = not self.quiet or self.format == "json"
        return row.Result(*[view] * shown, errors=errors, code=exit_code(statuses))

    def _judge_work(self, file: Path) -> row.Result:
        """Judge the solutions in a file, of the function given or of those that it states."""
        from exprgrad.checking.work.sheet import read_work

        if self.file is not None or self.form == "simplified":
            raise UsageError("--work judges one text; leave out --file and --form")
        if self.claim or self.claims or self.at or self.output or self.jobs:
            told = "--work replaces the claim and the options for it"
            raise UsageError(told, hint="leave these out")
        if self.expression is not None:
            return self.judged_work(self.expression, text_of(file), file)
        return self._solved(read_work(text_of(file), self.wrt, self.order), file)

    def judged_work(
        self, function: Expression | str, solution: str | list[str], file: Path | None = None
    ) -> row.Result:  # fmt: skip
        """Judge the lines of a solution for a function, which may be from a file."""
        from exprgrad.checking.work.sheet import Solution
        from exprgrad.checking.work.work import check_work

        work = check_work(function, solution, self.wrt, self.order or 1)
        return self._solved([Solution(1, work)], file)

    def _solved(self, found: list[Solution], file: Path | None) -> row.Result:
        """Solutions that have been judged, those of a file on a page as well if that is asked for."""
        if self.html is not None and file is not None:
            from pathlib import Path

            from exprgrad.commands.grading import title_of, write_page
            from exprgrad.views.grading import work_page

            file = Path(file)  # the command `work` has its name as a text
            write_page(self.html, file, work_page(found, self.detail(), title_of(file)))
        views = [WorkView(found, self.detail())] * (not self.quiet or self.format == "json")  # fmt: skip
        statuses = (getattr(s.work, "verdict", "unreadable") for s in found)
        return row.Result(*views, code=exit_code(statuses))

    def _judge_kind(self) -> row.Result:
        """Judge an answer to another question than a derivative."""
        if self.form == "simplified" or self.where or self.condone:
            raise UsageError("--form simplified, --where and --condone-domain are about one derivative")  # fmt: skip
        if self.expression is None or (self.claim is None) == (not self.claims):
            hint = f'such as: exprgrad "{KINDS[self.kind].example}"'
            raise UsageError("give a question and its answer", hint=hint)
        names = (self.wrt or "").replace(" ", "").split(",")
        expression, point = typed.text_in(self.expression)
        answer: Any = self.claim
        if answer is None:
            answer = dict(_named(self.claims, "a name", "x,y=2*x"))
        verdict = check(
            expression, answer, kind=self.kind, wrt=tuple(filter(None, names)), order=self.order,
            at=self._values(*filter(None, (point,))), of=self.of, parameter=self.parameter,
            direction=self.direction, constant=self.constant,
        )  # fmt: skip
        return self.judged([verdict])

    def judged(self, verdicts: list[Verdict]) -> row.Result:
        """The verdicts on claimed derivatives, or on an answer of another kind."""
        if self.certificate is not None:
            _certify(self.certificate, verdicts)
        asks = self.form == "simplified"
        found: list[tuple[Verdict, bool | None]] = []
        for verdict in verdicts:
            is_asked = asks and verdict.status == "correct" and not verdict.asked
            found.append((verdict, is_simplified(verdict.claim) if is_asked else None))
        views: list[Any] = [VerdictsView(found, self.detail())] * (not self.quiet)
        if self.output or (self.plot and self.format == "text" and not self.quiet):
            pictured = (v for v in verdicts if self.output or not v.asked)
            views += [view for v in pictured for view in self._drawn(v)]
        code = exit_code("incorrect" if plain is False else v.status for v, plain in found)  # fmt: skip
        return row.Result(*views, code=code)

    def _drawn(self, verdict: Verdict) -> list[Any]:
        """The claim beside the derivative, where that is a curve; nothing where it is written to a file."""
        from exprgrad.pictures.plot import of_verdict

        plot = None if verdict.asked else of_verdict(verdict)
        if plot is None:
            what = "a claim in several variables, or about what is not defined, has no curve"  # fmt: skip
            option = "--output" if self.output else "--plot"
            raise UsageError(what, hint=f"leave {option} out")
        return row.drawn(plot, self.output, on_dark=self.dark)

    def _values(self, *more: str) -> dict[str, Any] | None:
        """The point of `--at`, and values that stand elsewhere."""
        at = [*self.at, *more]
        return Bindings(at, "--at").exact if at else None

    def _details(self, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The options of a question, with those that only some kinds take. Raises `UsageError` where it is about one derivative."""
        names = ("of", "parameter", "direction", "constant")
        own = {name: value for name in names if (value := getattr(self, name))}
        if own and not options:
            name = next(iter(own))
            kind = next(kind for kind, row in KINDS.items() if name in row.options)
            told = f"kind 'derivative' takes no {name}"
            raise UsageError(told, hint=f"name the kind: --kind {kind}")
        return {**(options or {}), **own}

    def _domain(self) -> dict[str, Any]:
        """Return where the claim has to hold."""
        return {"where": self.where, "condone_domain": self.condone}

    def _verdicts(self) -> list[Verdict]:
        """The verdict on the claim, or on each of several partial derivatives."""
        at = self._values()
        if self.expression is None or (self.claim is None) == (not self.claims):
            hint = 'the claim is the second, or there are some with --claim: exprgrad check "x^2" "2x"'
            raise UsageError("give an expression and its claimed derivative", hint=hint)
        if self.claim is not None:
            return [self._verdict(self.expression, self.claim, self.wrt, at)]
        pairs = _named(self.claims, "a variable", "x=2*x*y")
        return [self._verdict(self.expression, claim, name, at) for name, claim in pairs]  # fmt: skip

    def _verdict(
        self, expression: Any, claim: Any, wrt: str | None, at: dict[str, Any] | None
    ) -> Verdict:
        """The verdict on a claim, each of the texts in any notation of a problem."""
        from exprgrad.grading.sheet import answer_in, problem_in
        from exprgrad.language.undefined import keeping

        if not isinstance(expression, str):  # of a session, in whose names it was typed
            self._details()
            given = Expression.of(expression.root, expression.declared)
            # verdicts name it as it was typed in the session, not by its formula
            given.titled = expression.title
            if isinstance(claim, str):
                # where xy is a variable in the session, a claim in xy is no product
                names = {*given.variables, *given.declared, *([wrt] if wrt else [])}
                answer = answer_in(claim, Question("derivative", Piece(claim, claim, 0), ()))  # fmt: skip
                claim = problems.claimed_in(answer, names, names, lambda text: problems.parsed(text, names))  # fmt: skip
            return check(given, claim, wrt, order=self.order or 1, at=at, **self._domain())  # fmt: skip
        with keeping():
            problem = problem_in(expression, claim, wrt or "", self.order, "--wrt")
        options = self._details(problem.options)
        if problem.is_derivative:
            # --at comes last: it wins over a point within the text
            exact = {**(problem.exact or {}), **(at or {})} or None
            return problems.judge(problem._replace(exact=exact), **self._domain())
        if self.where or self.condone:
            raise UsageError("--where and --condone-domain are about one derivative")
        at_place = {} if at is None else {"at": at}
        return problems.judge(problem._replace(options=options | at_place))

    def _claimed_within(self, text: str) -> list[Verdict]:
        """The verdict on d/dx x^2 = 2x, on a question of another kind with its answer, or on each of several."""
        chains = typed.chains_in(text)
        if not chains:
            hint = f"it stands behind the expression; what is right: exprgrad diff {in_shell(text)}"  # fmt: skip
            # it has lost its left side, and `diff` could not read it either
            if text.lstrip()[:1] in ("=", "∫"):
                hint = f"write what it is claimed of before it, and it behind that: exprgrad check {in_shell(text)} 0"  # fmt: skip
            elif not typed.is_read(text):
                typed.question(text, ())  # which says what cannot be read
            raise UsageError("there is no claim", hint=hint)
        exact, order = self._values(), self.order or 1

        def changed(p: Problem) -> Problem:
            own = p._replace(options=self._details(p.options))
            by, most = self.wrt or p.variable, max(order, p.order)
            derived = p._replace(variable=by, order=most, exact=exact or p.exact)
            return derived if p.is_derivative else own

        every = [[changed(problem) for problem in chain] for chain in chains]
        return [problems.first_fault(chain, **self._domain()) for chain in every]


def _certify(path: Path, verdicts: list[Verdict]) -> None:
    """Write the certificate of one verdict."""
    from exprgrad.data.files import Replacing
    from exprgrad.views.formats import to_json

    if len(verdicts) > 1:
        raise UsageError("a certificate is about one claim", hint="check them one by one")  # fmt: skip
    with Replacing(path, 0) as file:
        file.write(f"{to_json(verdicts[0].certificate())}\n".encode())


def _named(claims: list[str], what: str, example: str) -> list[tuple[str, str]]:
    """The claims `x=2*x*y`, each with its name."""
    found = []
    for text in claims:
        name, equals, formula = text.partition("=")
        if not equals or not name.strip():
            needed = f"--claim needs {what} and a formula, not {text}"
            raise UsageError(needed, hint=f"--claim {example}")
        found.append((name.strip(), formula))
    return found


class Work(row.Command):
    """Judge a worked solution line by line."""

    example = 'exprgrad work "x^2 sin x" solution.txt'
    pages = "solutions"

    expression: str | None = row.argument("The function, if the solution does not state it.", "[EXPR]")  # fmt: skip
    solution: str | None = row.argument("The file with the solution; - reads standard input.", "FILE")  # fmt: skip
    wrt: str | None = Check.wrt
    order: int | None = row.whole("The order of the derivative.", least=0, most=MOST_ORDERS)  # fmt: skip
    hint: bool = Check.hint
    html: Path | None = row.path("Write a page about it here.")
    quiet: bool = QUIET
    format: str = FORMAT

    def run(self) -> row.Result:
        """Judge the file as `check` does."""
        if self.expression is None and self.solution is None:
            raise UsageError("give the file with the solution", hint=self.example)
        # one argument is the file; of two the function comes first
        if self.solution is None:
            self.expression, self.solution = None, self.expression
        given = {name: getattr(self, name) for name in row.rows(Work)}
        return Check(work=given.pop("solution"), **given).run()


class Same(row.Command):
    """Tell whether two expressions are equal wherever both are defined."""

    example = 'exprgrad same "2 sin x cos x" "sin(2x)"'
    pages = "checking"

    a: str = row.argument("An expression.", "A", needed=True)
    b: str | None = row.argument("Another; or write A = B.", "B")
    quiet: bool = QUIET
    format: str = FORMAT

    def run(self) -> row.Result:
        """Compare them."""
        sides = (self.a, self.b, None)
        # of a chain, the first that is not equal to its beginning
        for a, b, point in typed.equations_in(self.a) if self.b is None else [sides]:
            both = typed.in_common(a, b)
            if point is not None:
                both = typed.at_point(both, point)
                b = f"{b} at {point}"
            found = equated((str(a), str(b)), both)
            if found.code:
                break
        if self.quiet:
            return row.Result(code=found.code)
        several = len({name for side in both for name in side.variables}) > 1
        if found.code == WRONG and several and self.b is None:
            said = f'for the slope of this curve: exprgrad diff "{self.a}" --implicit'
            found.remarks.append(said)
        return found


def equated(texts: tuple[str, str], sides: tuple[Expression, Expression]) -> row.Result:
    """Return whether two expressions, with their texts, are equal."""
    found = equivalent(*sides)
    # d/dx (x)/(x + 1) = 1/(x + 1)^2 is right where d/dx is meant for the whole quotient
    wider = problems.in_the_widest_reach(found, *texts)
    if wider is not found:
        return Check().judged([wider])
    view = EquivalenceView(*texts, found, sides)
    return row.Result(view, code=exit_code([found.status]))
