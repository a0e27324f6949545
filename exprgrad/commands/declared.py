"""Declarations of commands: a class each, with a row for every argument and option; and what they share.

    class Show(Command):
        '''Show a value.'''

        expression: str | None = EXPRESSION
        digits: int = whole("Significant digits.", 10, least=1, most=17)

        def run(self) -> Result: ...

From the rows come help, what a shell completes and what Typer is told, which completes it; and `reading`, which gives a
command its values without Typer, whose import takes longer than most commands. `GROUPS` names the commands.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module

from exprgrad.annotations import TYPE_CHECKING, Any, BinaryIO, NamedTuple
from exprgrad.budget import LIMITS, limited, limits
from exprgrad.commands.hints import shown
from exprgrad.errors import UNDEFINED, ExprgradError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from exprgrad.data.bindings import Bindings


def source_of(expression: Any, file: Path | str | None) -> Any:
    """The text of the expression: an argument, `-` for standard input, or a file; an `Expression` stays as it is."""
    if (expression is None) == (file is None):
        hint = 'in quotes, such as "x^2 sin x"; or --file FILE, or - for standard input'
        raise UsageError("give one expression", hint=hint)
    if expression is not None and not isinstance(expression, str):
        return expression
    if expression is not None and expression != "-":
        # the blank before -x^2 is not the user's: `start.normalise` has put it there, and places count from the minus
        return expression[1:] if expression.startswith(" -") else expression
    from exprgrad.data import files

    if file is not None:
        return files.read(file)
    name = "standard input"
    return files.decoded(files.whole(standard_input(), name), name)


def text_of(file: Path | str) -> str:
    """The text of a file, or of standard input for `-`; what has several lines is the text itself."""
    if "\n" in str(file):
        return str(file)
    text: str = source_of("-", None) if str(file) == "-" else source_of(None, file)
    return text


def standard_input() -> BinaryIO:
    """The bytes of standard input. Raises `UsageError` where there is none, or no file is opened."""
    from exprgrad.data.files import refuse_unusable

    refuse_unusable("standard input")
    if sys.stdin is None:
        raise UsageError("there is no standard input to read from")
    return sys.stdin.buffer


def table_stream(data: str) -> BinaryIO | None:
    """Standard input, if that is where the table of `--data` comes from; None for a file."""
    if data != "-":
        return None
    # nobody types a table: without this the program would wait in silence
    if sys.stdin is not None and sys.stdin.isatty():
        hint = "--data FILE, or pipe a table into it"
        raise UsageError("there is no data", hint=hint)
    return standard_input()


def sources(data: str | None, file: Path | None, *points: Bindings) -> list[Path | int]:
    """Return what a command reads, for what it writes must not replace that; 0 is standard input."""
    from pathlib import Path

    found: list[Path | int] = [Path(path) for given in points for path in given.files]
    found += [] if file is None else [file]
    return found + ([] if data is None else [0 if data == "-" else Path(data)])


def names(lists: list[str] | None) -> list[str] | None:
    """The names in repeated, comma-separated options; None if there are none."""
    if not lists:
        return None
    return [name for text in lists for name in text.replace(",", " ").split()]


def mapping(texts: list[str]) -> dict[str, str]:
    """`v=column`, several in one text if the names of the columns have no commas."""
    found: dict[str, str] = {}
    for text in texts:
        # a name of a column may have commas: x=last, first is one pair
        pairs = text.split(",") if text.count("=") > 1 else [text]
        for pair in pairs:
            name, equals, column = (part.strip() for part in pair.partition("="))
            if not (name and equals and column):
                what = f"--map {text!r} does not name a column"
                raise UsageError(what, hint="write --map v=column")
            if name in found:
                what = f"--map gives {name} two columns"
                raise UsageError(what, hint="remove one of them")
            found[name] = column
    return found


PATH = "path"
"""The kind of a row whose value is a `pathlib.Path`, which is imported where there is one."""


class Row(NamedTuple):
    """An argument or an option: the kind of its value, what it means, and its value where none is given.

    In help `metavar` stands for the value. An option is called as its attribute unless it has `names` of its own; one
    of the kind `list` may be repeated. `words` are all values that there are, `least` and `most` the limits of a
    number; `completes` names the function of `completing` that a shell asks. An option that may stand `alone` means
    that then.
    """

    kind: Any
    meaning: str
    metavar: str = ""
    default: Any = None
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    completes: str = ""
    is_option: bool = True
    needed: bool = False
    alone: str = ""


def argument(
    meaning: str, metavar: str = "", kind: Any = str, needed: bool = False, completes: str = ""
) -> Any:  # fmt: skip
    """Return what stands in a place of its own: of the kind `list` all texts that do."""
    return Row(kind, meaning, metavar, completes=completes, is_option=False, needed=needed)  # fmt: skip


def text(
    meaning: str, metavar: str = "", default: str | None = None, completes: str = ""
) -> Any:
    """An option with a text."""
    return Row(str, meaning, metavar, default, completes=completes)


def texts(meaning: str, metavar: str, *names: str, completes: str = "") -> Any:
    """An option that may be repeated; an empty list without it."""
    return Row(list, meaning, metavar, names=names, completes=completes)


def flag(meaning: str, *names: str, default: bool = False) -> Any:
    """An option without a value."""
    return Row(bool, meaning, "", default, names)


def choice(
    meaning: str, words: str, default: str | None = None, metavar: str = "", alone: str = ""
) -> Any:  # fmt: skip
    """An option whose value is one of a few words."""
    return Row(str, meaning, metavar, default, words=tuple(words.split()), alone=alone)


DOCUMENTS = "plain markdown latex html"
"""The formats in which every command writes what it shows: see `views.formats`."""


def formats(meaning: str, own: str) -> Any:
    """The option that chooses a format: one of those of a command, the first unless another is given, or of documents."""
    words = dict.fromkeys(f"{own} {DOCUMENTS}".split())
    return choice(meaning, " ".join(words), next(iter(words)))


def whole(
    meaning: str, default: int | None = None, *, least: int | None = None, most: int | None = None, metavar: str = ""
) -> Any:  # fmt: skip
    """An option with a whole number."""
    return Row(int, meaning, metavar, default, least=least, most=most)


def decimal(
    meaning: str, default: float | None = None, least: float | None = None
) -> Any:
    """An option with a number."""
    return Row(float, meaning, "", default, least=least)


def path(meaning: str, *names: str, metavar: str = "FILE") -> Any:
    """An option that names a file."""
    return Row(PATH, meaning, metavar, names=names)


class Misused(UsageError):
    """Arguments that do not fit, which no other reading makes better."""


class Result:
    """The outcome of a command: what it shows, errors and remarks beside that, and the exit code.

    The first of its views is the answer, whose attributes are those of the result.
    """

    def __init__(
        self, *views: Any, errors: Iterable[ExprgradError] = (), remarks: Iterable[str] = (), code: int | None = None
    ) -> None:  # fmt: skip
        self.views, self.errors, self.remarks = [*views], [*errors], [*remarks]
        self.walk: list[Any] = []  # the steps to be shown after the first
        # a code of 0 stays 0 in spite of errors; only without a code do errors decide
        self.code = code or (UNDEFINED if self.errors and code is None else 0)

    def __getattr__(self, name: str) -> Any:
        # `copy` asks an object that has no attributes yet: without the second test this would call itself without end
        if name.startswith("_") or name == "views" or not self.views:
            raise AttributeError(name)
        return getattr(self.views[0], name)

    def __repr__(self) -> str:
        return f"Result({', '.join(map(repr, self.views))})"

    def with_(self, other: Result) -> Result:
        """Return what both have found, with the worse of the exit codes."""
        errors, remarks = [*self.errors, *other.errors], [*self.remarks, *other.remarks]
        code = max(self.code, other.code)
        return Result(*self.views, *other.views, errors=errors, remarks=remarks, code=code)  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """The fields that programs read, which are those of the answer; none where the command has shown all itself."""
        return self.views[0].as_dict() if self.views else {}

    def blocks(self) -> list[Any]:
        """The document that people read."""
        return [block for view in self.views for block in view.blocks()]

    @property
    def formula(self) -> str:
        """The answer as a formula, such as that of a tangent. Raises `AttributeError` where it is no formula."""
        found = self.as_dict().get("result") if self.views else None
        if not isinstance(found, str):
            raise AttributeError("the answer is no formula")
        return found


REPLACED, AS_POINT, FREE = "replaced", "as point", "free"


OPERATIONS = whole("The work that it may do, in operations: 2000000 is usual.", least=1000, metavar="N")._replace(names=("--budget",))  # fmt: skip


SECONDS = decimal("End after N seconds, undecided.", least=0.001)


class Command:
    """A command with the values that it is given.

    Its docstring says what it does; `example` is one, and `pages` are those of the manual about it. `outside` is the
    reason why sessions and notebooks do not have it. What becomes of a session's names that have values is `values`:
    they are `REPLACED`, written into the point (`AS_POINT`, with `exactly` behind each; all of them if it
    `needs_point`), or stay `FREE`. `in_sessions` are other defaults there.
    """

    example = ""
    pages = ""
    outside = ""
    values = REPLACED
    needs_point = True
    exactly = ""
    in_sessions: Mapping[str, Any] = {}
    by_name = ""
    """The option that is meant by one which is called like a variable: --z=-2:2 is --range=z=-2:2."""
    format: Any = "text"
    operations: int | None = OPERATIONS
    seconds: float | None = SECONDS

    def __init__(self, **given: Any) -> None:
        for name, row in rows(type(self)).items():
            value = given.get(name, row.default)
            setattr(self, name, [] if value is None and row.kind is list else value)

    was_put = False
    """Whether it was put before an expression without a command."""

    def run(self) -> Result:
        """Do it; what is found."""
        raise NotImplementedError

    def answer(self) -> Result:
        """Do it within its budget; a remark says what was cut short."""
        own = limited(self.operations)
        if self.seconds is not None:
            own = limits(self.seconds, budget=self.operations)
        with own as budget:
            found = self.run()
        if budget is not None and budget.remark is not None:
            found.remarks.append(budget.remark)
        return found

    def main(self) -> int:
        """Do it, and print what is found as the command line asks; the exit code."""
        return shown(self.answer(), self.format)


class OnExpression(Command):
    """A command about one expression, or a file that has it."""

    expression: str | None = argument("The expression; - reads standard input.", "EXPR")
    file: Path | None = path("Read the expression from a file.")

    def source(self) -> Any:
        """The text of the expression, or the expression itself."""
        return source_of(self.expression, self.file)


MOST_JOBS = LIMITS["processes"].most
AT = texts("Values of the variables; may be repeated.", "a=2,b=pi/4", completes="values")  # fmt: skip
WRT = texts("Differentiate with respect to these variables only.", "a,b", completes="variables")  # fmt: skip
OF = text("The variable that an equation makes a function.", "y", completes="variables")  # fmt: skip
DIGITS = whole("Significant digits.", 10, least=1, most=17)
PICTURE = path("The file to write; its name says how.", "--output", "-o")
DARK = flag("Draw the file for dark paper.")
DRAWN = flag("Draw it in the terminal as well.", "--plot")
STRICT = flag("Never read xy as x*y.")
SUBGRADIENT = flag("At a corner, take PyTorch's convention.")
FORM = "short factored expanded"
NOTATION = choice("On a terminal, write x², 2·x and √x with `pretty`.", "plain pretty", "plain")  # fmt: skip


def is_picture(name: object) -> bool:
    """Return whether that is the name of a picture's file: descent.svg."""
    return str(name).lower().endswith((".svg", ".png", ".pdf"))


def drawn(picture: Any, output: Path | None, *inputs: Path | int, view: Any = None, more: Mapping[str, Any] | None = None, on_dark: bool = False) -> list[Any]:  # fmt: skip
    """The view of a picture, a plot unless another is given; none where it is written to a file."""
    from exprgrad.pictures.svg import save
    from exprgrad.views.formats import to_json
    from exprgrad.views.pictures import PlotView

    view = view or PlotView(picture)
    if output is None:
        return [view]
    as_json = {".json": lambda: to_json(view.as_dict())}
    save(picture, output, *inputs, more={**as_json, **(more or {})}, on_dark=on_dark)
    return []


def rows(command: type[Command]) -> dict[str, Row]:
    """The arguments and options of a command, by the names of their attributes."""
    # the options that every command has come last in its help
    *classes, shared = [own for own in command.__mro__ if issubclass(own, Command)]
    every = (pair for own in (*reversed(classes), shared) for pair in vars(own).items())
    # operations = None: a class that has something else in place of a row does without the option
    return {n: row for n, row in every if isinstance(row, Row) and isinstance(getattr(command, n), Row)}  # fmt: skip


def names_of(name: str, row: Row) -> tuple[str, ...]:
    """Return what is typed for an option."""
    return row.names or (f"--{name.rstrip('_').replace('_', '-')}",)


def options_of(command: type[Command]) -> dict[str, str]:
    """Everything that is typed for options, with the names of their rows."""
    declared = [(n, row) for n, row in rows(command).items() if row.is_option]
    return {o: n for n, row in declared for own in names_of(n, row) for o in own.split("/")}  # fmt: skip


def with_names(command: type[Command], text: str) -> str:
    """Return what is typed with the option that is meant in place of one by the name of a variable."""
    if not (command.by_name and ":" in text):
        return text
    from exprgrad.lazy import pattern

    known = "|".join(options_of(command))
    # \S*: a range has a colon; --z=2 without one is an option that there is not, and is refused as such
    return pattern(rf"(?<!\S)(?!(?:{known})=)--([^\W\d]\w*)=(?=\S*:)").sub(rf"{command.by_name}=\1=", text)  # fmt: skip


def value_of(row: Row, typed: str) -> Any:
    """The value of an option or argument; None if it does not fit."""
    if row.kind is bool:
        # a flag is read from its own name: --no-times, one of the two names of --times/--no-times, switches it off
        return not typed.lstrip("-").startswith("no-")
    if row.kind in (int, float):
        try:
            number = row.kind(typed)
        except ValueError:
            return None
        low = row.least is not None and not number >= row.least  # as nan is not
        return None if low or (row.most is not None and number > row.most) else number
    if row.kind == PATH:
        from pathlib import Path

        return Path(typed)
    if typed == "backward" and "reverse" in row.words:
        return "reverse"  # as PyTorch calls it
    return None if row.words and typed not in row.words else typed


GROUPS: dict[str, dict[str, Any]] = {
    "Derivatives": {
        "eval": "eval", "diff": "diff", "steps": "diff", "hessian": "eval", "simplify": "diff", "compare": "diff", "tangent": "diff",
        "taylor": "diff", "critical": "diff",
    },
    "Pictures": {"graph": "pictures", "plot": "pictures", "trace": "eval", "walk": "pictures", "why": "eval"},
    "Answers": {"check": "check", "work": "check", "same": "check", "audit": "grading", "practice": "grading"},
    "Data": {"batch": "batch", "fit": "minimize", "uncertainty": "uncertainty", "minimize": "minimize"},
    "Sessions": {"repl": "cli.repl", "run": "cli.repl", "mcp": "cli.mcp"},
    "Reference": {"help": "manual", "ops": "manual"},
}  # fmt: skip
"""The commands by what they are about, each with its module; their names win over expressions."""

COMMANDS: dict[str, Any] = {
    name: module for own in GROUPS.values() for name, module in own.items()
}


def add(command: type[Command]) -> None:
    """Add a command while the program runs; its name is that of its class."""
    name = command.__name__.lower()
    COMMANDS[name] = GROUPS.setdefault("Added", {})[name] = command


def command_of(name: str) -> type[Command]:
    """The class of a command, which has its name."""
    place = COMMANDS[name]
    if isinstance(place, str):
        module = import_module(
            f"exprgrad.{place if '.' in place else f'commands.{place}'}"
        )
        place = getattr(module, name.capitalize())
    found: type[Command] = place
    return found
