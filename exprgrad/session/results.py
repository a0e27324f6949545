"""The results of statements and commands: records that the views draw."""

from __future__ import annotations

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.commands.pages import Page
from exprgrad.expressions.expression import Evaluation, Expression
from exprgrad.sweeps.coordinates import Coordinate

if TYPE_CHECKING:
    from exprgrad.checking.check import Equivalence, Verdict
    from exprgrad.checking.work.work import Work
    from exprgrad.data.grid import GridPoint
    from exprgrad.errors import ExprgradError
    from exprgrad.expressions.derivatives import Derivatives
    from exprgrad.expressions.paths import Why
    from exprgrad.expressions.trace import Forward, Origin, Reverse, Seed, Trace
    from exprgrad.pictures.graph import Graph
    from exprgrad.pictures.plot import Plot


class Evaluated(NamedTuple):
    """The value of an expression and its partial derivatives; `gradient` if `grad` asked for these."""

    title: str
    evaluation: Evaluation
    gradient: bool = False


class Swept(NamedTuple):
    """The values at many points: those of the names in `varying`, and the partials with respect to `wrt`."""

    title: str
    expression: Expression
    varying: tuple[str, ...]
    wrt: tuple[str, ...]
    points: list[GridPoint]


class Derived(NamedTuple):
    """An expression some of whose variables have no value, and its derivatives with respect to these.

    `detail` asks for the derivation; `whole` says whether all derivatives are there.
    """

    title: str
    derivatives: Derivatives
    detail: str | None = None
    whole: bool = True


class Bound(NamedTuple):
    """A name was given a value, or a formula; its value is None if a variable has none.

    `reading` is the formula fully bracketed, if it contains something that was not typed; `notes` say how
    it was read. `number` is the value beyond the range of doubles.
    """

    name: str
    formula: str
    value: float | None
    reading: str | None
    notes: tuple[str, ...]
    number: Coordinate | None = None


class Defined(NamedTuple):
    """A function was defined; see `Bound`."""

    signature: str
    formula: str
    reading: str | None
    notes: tuple[str, ...]


class Traced(NamedTuple):
    """Both sweeps of an evaluation."""

    title: str
    evaluation: Evaluation


class Walked(NamedTuple):
    """One step of a trace: its number, how many steps there are, and what happens in it.

    That is a row of either sweep, the seed between them, or at the end where the partials come from.
    """

    number: int
    steps: int
    step: Forward | Seed | Reverse | list[Origin]
    trace: Trace
    evaluation: Evaluation


class Carried(NamedTuple):
    """The paths that carry a gradient to a variable."""

    title: str
    evaluation: Evaluation
    why: Why


class Graphed(NamedTuple):
    """The computation graph, and how the expression was read; with the evaluation that it shows, if it has numbers."""

    graph: Graph
    notes: tuple[str, ...]
    evaluation: Evaluation | None = None


class Plotted(NamedTuple):
    """Curves, and how the expression was read."""

    plot: Plot
    notes: tuple[str, ...]


class Listed(NamedTuple):
    """A table of names; `empty` is what to say if it has no rows.

    A cell is a text, or an array. `spare` is the number of a column that a narrow screen may leave out.
    """

    titles: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    empty: str = ""
    spare: int | None = None


class Explained(NamedTuple):
    """An operation to be explained; with an empty name, all of them."""

    name: str


class Said(NamedTuple):
    """A remark about what was done."""

    text: str


class Ran(NamedTuple):
    """The results of the statements in a file."""

    path: str
    results: tuple[Result, ...]


class Checked(NamedTuple):
    """The verdict on a claimed derivative."""

    verdict: Verdict


class Judged(NamedTuple):
    """The verdict on an answer of another kind than a derivative."""

    verdict: Verdict


class Equated(NamedTuple):
    """Whether both sides of an equation are equal."""

    sides: tuple[str, str]
    found: Equivalence
    read: tuple[Expression, ...] = ()


class Worked(NamedTuple):
    """A worked solution, judged line by line."""

    work: Work


class Answered(NamedTuple):
    """What a command of the program has found: its views with their formats, diagnostics beside them and the exit code."""

    command: str
    views: list[tuple[Any, str]]
    errors: list[ExprgradError]
    remarks: list[str]
    code: int

    def as_dict(self) -> dict[str, Any]:
        """The fields of the first result, as the command line writes them."""
        fields: dict[str, Any] = self.views[0][0].as_dict()
        return fields

    @property
    def formula(self) -> str:
        """The answer as a formula, such as that of a tangent. Raises `AttributeError` where it is no formula."""
        found = self.as_dict().get("result") if self.views else None
        if not isinstance(found, str):
            raise AttributeError(f"the answer of {self.command} is no formula")
        return found


class Quit(NamedTuple):
    """The session ends."""


Result = (
    Evaluated
    | Swept
    | Derived
    | Bound
    | Defined
    | Traced
    | Walked
    | Carried
    | Graphed
    | Plotted
    | Listed
    | Explained
    | Page
    | Said
    | Ran
    | Checked
    | Judged
    | Equated
    | Worked
    | Answered
    | Quit
)
