"""What the statements and commands of a session give: records that the views draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from exprgrad.expressions.comparison import Comparison
from exprgrad.expressions.derivatives import Derivatives
from exprgrad.expressions.expression import Evaluation
from exprgrad.expressions.trace import Forward, Reverse, Trace

if TYPE_CHECKING:
    from exprgrad.checking.check import Verdict


class Evaluated(NamedTuple):
    """The value of an expression and its partial derivatives; `gradient` when these were asked for."""

    title: str
    evaluation: Evaluation
    gradient: bool = False


class Derived(NamedTuple):
    """An expression with variables that have no value, and its derivatives by these.

    `detail` asks for the derivation, `whole` is whether all derivatives are there.
    """

    title: str
    derivatives: Derivatives
    detail: str | None = None
    whole: bool = True


class Bound(NamedTuple):
    """A name was given a value, or a formula, whose value is None where a variable has none.

    `reading` is the formula fully bracketed, where it contains something that was not typed; `notes` say
    how it was read.
    """

    name: str
    formula: str
    value: float | None
    reading: str | None
    notes: tuple[str, ...]


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
    """One step of a trace: the number of the step, how many there are, and a row of either sweep.

    `names` gives the node of each variable.
    """

    number: int
    steps: int
    step: Forward | Reverse
    trace: Trace


class Compared(NamedTuple):
    """The methods of differentiation side by side."""

    comparison: Comparison


class Hessian(NamedTuple):
    """The second partial derivatives at the current point."""

    title: str
    evaluation: Evaluation
    matrix: dict[str, dict[str, float]]


class Listed(NamedTuple):
    """Rows of names and what they stand for; `empty` is what to say where there are none.

    `spare` is the number of a column that may be left out in a narrow space.
    """

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    empty: str = ""
    spare: int | None = None


class Explained(NamedTuple):
    """An operation that was asked about; with an empty name, all of them."""

    name: str


class Said(NamedTuple):
    """A remark about what was done."""

    text: str


class Ran(NamedTuple):
    """Statements of a file, and what they gave."""

    path: str
    results: tuple[Result, ...]


class Checked(NamedTuple):
    """The verdict on a claimed derivative."""

    verdict: Verdict


class Quit(NamedTuple):
    """The session is to end."""


Result = (
    Evaluated
    | Derived
    | Bound
    | Defined
    | Traced
    | Walked
    | Compared
    | Hessian
    | Listed
    | Explained
    | Said
    | Ran
    | Checked
    | Quit
)
