"""The commands of a session, `:name arguments`, in one table.

Help and completion follow from the table; a new command is one row. Like a statement, a command returns
data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.commands import pages
from exprgrad.commands.table import COMMANDS, command_of
from exprgrad.errors import ExprgradError, UsageError, worded
from exprgrad.expressions.expression import Expression
from exprgrad.language.notes import shorten
from exprgrad.operations.operation import TABLE, function_names, named, show
from exprgrad.operations.vocabulary import did_you_mean
from exprgrad.session import scripts
from exprgrad.session.entries import Argument, Entry
from exprgrad.session.help_topics import TOPICS
from exprgrad.session.hints import IN_SESSION
from exprgrad.session.results import Answered, Explained, Listed, Quit, Result, Said
from exprgrad.session.tokens import ANS
from exprgrad.session.workspace import Settings, Workspace
from exprgrad.sweeps.coordinates import as_graph

if TYPE_CHECKING:
    from exprgrad.commands.declared import Command as Row


class Command(NamedTuple):
    """One row: a name, its arguments as help shows them, what it does, and the function that runs it.

    `completes` says what its arguments are: names, files, settings, topics or operations. `more` is what
    help adds.
    """

    name: str
    arguments: str
    summary: str
    run: Callable[[Workspace, Argument], Result]
    completes: str = ""
    more: str = ""

    @property
    def usage(self) -> str:
        """What to type."""
        return f":{self.name} {self.arguments}".rstrip()


def execute(session: Workspace, entry: Entry) -> Result:
    """Execute `:name arguments` or `?name`. Raises `UsageError` for an unknown command."""
    text = entry.text
    if text.startswith("?") or not text.startswith(":"):
        name = text.strip("?").strip()
        lead = len(text) - len(text.lstrip("? "))
        return explain(session, Argument(name, lead, entry))
    match = re.match(r":\s*(\?|\w*)\s*", text)
    assert match is not None
    name = match.group(1)
    command = BY_NAME["help"] if name == "?" else command_named(name)
    if command is None:
        known = (*BY_NAME, *COMMANDS)
        hint = did_you_mean(name, known, ":help lists the commands", before=":")
        raise UsageError(f"there is no command :{name}", (0, match.end(1)), hint)
    return command.run(session, Argument(text[match.end() :], match.end(), entry))


def command_named(name: str) -> Command | None:
    """The command of a name, or of the only one that begins so: `:his` is `:history`.

    Raises `UsageError` for one that sessions do not have.
    """
    if name in BY_NAME or not name:
        return BY_NAME.get(name)
    known = [n for n in dict.fromkeys((*BY_NAME, *COMMANDS)) if n.startswith(name)]
    if name in COMMANDS:
        known = [name]
    if len(known) != 1 or known[0] in BY_NAME:
        return BY_NAME.get(known[0]) if len(known) == 1 else None
    row = command_of(known[0])
    if row.outside:
        raise UsageError(
            f":{known[0]} is no command of sessions: {row.outside}", hint=row.example
        )
    return from_row(known[0], row)


def every() -> list[Command]:
    """The commands of a session: its own, and those of the program that make sense here."""
    rows = {name: command_of(name) for name in COMMANDS if name not in BY_NAME}
    return [
        *OWN,
        *(from_row(name, row) for name, row in rows.items() if not row.outside),
    ]


def from_row(name: str, row: type[Row]) -> Command:
    """A command of the program as one of sessions."""
    from exprgrad.commands.lines import in_session, usage

    def run(session: Workspace, given: Argument) -> Result:
        return answered(session, row, given)

    summary = (row.__doc__ or "").rstrip(".")
    return Command(
        name,
        usage(row),
        summary[:1].lower() + summary[1:],
        run,
        "names",
        f"  {in_session(row)}",
    )


class _Scope:
    """A session, as commands know it: it keeps what they find."""

    def __init__(self) -> None:
        self.views: list[tuple[Any, str]] = []
        self.errors: list[ExprgradError] = []
        self.remarks: list[str] = []

    def show(self, view: object, format_: str) -> None:
        """Keep a view."""
        self.views.append((view, format_))

    def report(self, error: ExprgradError) -> None:
        """Keep a diagnostic."""
        error.hint = worded(error.hint, IN_SESSION)
        self.errors.append(error)

    def remark(self, text: str) -> None:
        """Keep a line that adds to the result."""
        self.remarks.append(text)


def answered(session: Workspace, row: type[Row], given: Argument) -> Result:
    """Run a command of the program on a line, with the names and the settings of the session."""
    from exprgrad.commands.declared import rows
    from exprgrad.commands.lines import read_line

    found, declared = read_line(row, given.text), rows(row)
    places = {name: own for name, own in declared.items() if not own.is_option}
    if "expression" in places and not given.text:
        found["expression"] = ANS
    asked = " ".join(str(found[name]) for name in found.keys() - places.keys())
    free = {*re.findall(r"\w+(?=\s*=)", asked), *(found.get("wrt") or ())}
    values: dict[str, Any] = {}
    for name in [name for name in places if name in found]:
        texts = found[name] if isinstance(found[name], list) else [found[name]]
        read = [
            filled(session, text, free, values, bool(row.at_values)) for text in texts
        ]
        found[name] = read if isinstance(found[name], list) else read[0]
    if values:
        found["at"] = [
            *found.get("at", ()),
            *(row.at_values.format(n, x) for n, x in values.items()),
        ]
    found = {**row.in_sessions, **found}
    standard = Settings()
    for name, value in session.settings._asdict().items():
        if name in declared and name != "format" and value != getattr(standard, name):
            found.setdefault(
                name, value == "on" if declared[name].kind is bool else value
            )
    scope = _Scope()
    try:
        code = row(scope, **found).run()
    except ExprgradError as error:
        if (
            error.source
            and (place := given.entry.text.find(error.source)) >= 0
            and error.span
        ):
            error.span = (error.span[0] + place, error.span[1] + place)
            error.source = given.entry.text
        raise
    return Answered(
        row.__name__.lower(), scope.views, scope.errors, scope.remarks, code
    )


def filled(
    session: Workspace,
    text: Any,
    free: Collection[str],
    values: dict[str, Any],
    keeps: bool,
) -> Any:
    """A formula with those of the session's names in it; several in one text are written out.

    Names that have a value are replaced by it, but for those that are `free`; or go into `values` if it `keeps` them.
    """
    from exprgrad.expressions.taylor import at_place

    if not isinstance(text, str):  # the name of a file
        return text
    known = frozenset((*session.scope.definitions, ANS)).difference(free)
    if known.isdisjoint(re.findall(r"[^\W\d]\w*", text)):
        return text
    own = [f"{name}=1" for name in free if name in session.scope.definitions]
    given = f" at {', '.join(own)}" if own else ""  # they are variables here
    parts: list[Any] = []
    for part in re.split(r"([=~])", text):
        try:
            _, statement = session.expression(f"{part}{given}")
        except ExprgradError:
            if text == ANS:
                raise
            parts.append(part)
            continue
        reading = statement.reading._replace(source=part)
        expression = Expression(reading, session.scope.definitions)
        place = {
            n: as_graph(x)
            for n, x in session.point(expression).items()
            if n not in free
        }
        if keeps:
            values |= {n: Expression.of(x) for n, x in place.items()}
        else:
            expression = Expression.of(
                at_place(expression.root, place), expression.declared
            )
        parts.append(expression)
    return parts[0] if len(parts) == 1 else " ".join(map(str, parts))


ALONE = tuple(
    "help quit exit clear undo history vars funcs ops trace walk graph plot steps".split()
)
"""Commands that mean something when they stand alone, without a colon."""


BARE = frozenset(("compare", "hessian", "simplify", "uncertainty"))
"""Commands of the program that may be typed without a colon; the names of others begin claims and questions."""


_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def meant(session: Workspace, entry: Entry) -> Entry | None:
    """A command that was typed without its colon, with one; None for what is none.

    A name that is defined, or that an operator follows, is no command: `diff x^2` is :diff x^2, `set = 2` is not.
    """
    word = entry.text[: len(entry.text) - len(entry.text.lstrip(_LETTERS))]
    if word not in BY_NAME and word not in BARE:
        return None
    found = re.fullmatch(
        r"([a-z]+)(?:\(\s*\)|(\s+[^\s=*/+^(-].*))?", entry.text, re.DOTALL
    ) or re.fullmatch(r"(simplify)(\s*[(-].*)", entry.text, re.DOTALL)
    if found is None or found[1] != word:
        return None
    alone = found[2] is None and found[1] not in ALONE
    if alone or found[1] in session.scope.definitions:
        return None
    text = f":{found[1]}{found[2] or ''}"
    start = entry.start - (len(text) - len(entry.text) if found[2] else 0)
    return entry._replace(text=text, start=max(start, 0))


def variables(session: Workspace, given: Argument) -> Result:
    """The names that are bound, with their formulas and values."""
    rows = []
    for name, value in session.variables.items():
        formula = session.scope.definitions[name].formula
        shown: Any = "" if value is None else value
        if isinstance(value, float):
            shown = show(float(f"{value:.{session.settings.digits}g}"))
        same = isinstance(shown, str) and formula == shown
        beyond = session.beyond(name)
        rows.append((name, beyond or shown, "" if same else formula))
    empty = "nothing is bound yet: a = 2 binds a"
    return Listed(("name", "value", "formula"), tuple(rows), empty)


def functions(session: Workspace, given: Argument) -> Result:
    """The functions that are defined, with their formulas."""
    defined = session.scope.definitions
    found = session.functions.items()
    rows = tuple((k.function.signature, defined[n].formula) for n, k in found)
    empty = "no functions are defined yet: f(x) = x^2 defines one"
    return Listed(("function", "formula"), rows, empty)


def delete(session: Workspace, given: Argument) -> Result:
    """Remove definitions."""
    names = given.text.replace(",", " ").split()
    if not names:
        raise UsageError("say what to remove", hint=":del a b, or :clear for all")
    session.forget(names)
    return Said(f"removed {', '.join(names)}")


def clear(session: Workspace, given: Argument) -> Result:
    """Remove everything."""
    count = len(session.scope.definitions)
    session.clear()
    return Said(f"removed {count} definition{'s' * (count != 1)}")


def undo(session: Workspace, given: Argument) -> Result:
    """Take back the last change."""
    return Said(f"undone: {shorten(session.undo(), 60)}")


CHOICES: dict[str, tuple[str, ...]] = {
    "digits": tuple(map(str, range(1, 1001))),
    "mode": ("reverse", "forward"),
    "format": ("text", "latex"),
    "form": ("short", "factored", "expanded"),
    "notation": ("plain", "pretty"),
    "subgradient": ("off", "on"),
}
"""The settings and their possible values."""


def set_(session: Workspace, given: Argument) -> Result:
    """Change a setting, or list them."""
    words = given.text.split()
    if not words:
        settings = session.settings._asdict().items()
        rows = tuple((name, str(value)) for name, value in settings)
        return Listed(("setting", "value"), rows)
    name, values = words[0], words[1:]
    if name not in CHOICES:
        hint = f"one of: {', '.join(CHOICES)}"
        raise UsageError(f"there is no setting {name}", hint=hint)
    few = CHOICES[name]
    if len(values) != 1 or values[0] not in few:
        listed = f"{few[0]} to {few[-1]}" if name == "digits" else " or ".join(few)
        raise UsageError(
            f"{name} is {listed}, not {' '.join(values) or 'nothing'}",
            hint=f":set {name} {few[-1]}",
        )
    value: Any = int(values[0]) if name == "digits" else values[0]
    session.settings = session.settings._replace(**{name: value})
    return Said(f"{name} is {value}")


def history(session: Workspace, given: Argument) -> Result:
    """What was typed in this session."""
    expand = given.text == "expand"
    whole = re.fullmatch("[0-9]{1,9}", given.text)
    if given.text and not expand and not whole:
        raise UsageError("expected a number of lines", hint=":history 20")
    most = int(given.text) if whole else 40
    numbered = list(enumerate(session.typed[:-1], 1))[-most:] if most else []
    rows = tuple((str(i), texts[1 if expand else 0]) for i, texts in numbered)
    return Listed(("", "typed"), rows, "nothing has been typed yet")


def operations(session: Workspace, given: Argument) -> Result:
    """The operations."""
    return explain(session, given) if given.text else Explained("")


def explain(session: Workspace, given: Argument) -> Result:
    """An operation, or a name of the session."""
    name = given.text
    if not name:
        return help_(session, given)
    definition = session.scope.definitions.get(name)
    if definition is not None:
        return Said(" ".join(definition.text.split()))
    if name in TOPICS or name.lstrip(":") in (*BY_NAME, *COMMANDS):
        return help_(session, given)
    if not named(name) and name not in OPERATORS and name not in TABLE:
        known = [*function_names(), *session.scope.definitions]
        hint = did_you_mean(name, known, ":ops lists the operations")
        raise UsageError(f"there is nothing called {name}", hint=hint)
    return Explained(OPERATORS.get(name, name))


OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow", "**": "pow", "!": "factorial", "|": "abs",
    "√": "sqrt", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne",
}  # fmt: skip
"""Operators, and their rows in the operation table."""


def help_(session: Workspace, given: Argument) -> Result:
    """The commands, or one topic."""
    name = given.text.lstrip(":").strip()
    if not name:
        rows = [(f":{c.name}", c.arguments, c.summary) for c in every()]
        rows.append(("?name", "", "explain an operation, or show a definition"))
        rows.append(("topics", "", f"for :help: {', '.join(TOPICS)}"))
        rows.append(("manual", "", "for :help: the pages of the manual"))
        return Listed(("command", "arguments", "what it does"), tuple(rows), spare=1)
    command = BY_NAME.get(name) or (command_named(name) if name in COMMANDS else None)
    if command is not None:
        said = [command.usage, f"  {command.summary}", command.more]
        return Said("\n".join(filter(None, said)))
    if name in TOPICS:
        return Listed((name, "meaning"), TOPICS[name])
    page = pages.page(name)
    explained = named(name) or name in session.scope.definitions or name in OPERATORS
    if page is None and explained:
        return explain(session, given._replace(text=name))
    page = page or pages.entitled(name)
    if page is not None:
        return page
    known = [*BY_NAME, *COMMANDS, *TOPICS, *pages.topics(), *function_names()]
    elsewhere = ":help manual lists the topics"
    for topic in pages.mentioning(name)[:1]:
        elsewhere = f":help {topic} mentions it"
    hint = did_you_mean(name, known, elsewhere)
    raise UsageError(f"there is no help on {name}", hint=hint)


def save(session: Workspace, given: Argument) -> Result:
    """Write the definitions and the settings to a file."""
    path = _path(given, ":save work.eg")
    count = scripts.save(session, path)
    return Said(f"wrote {count} definition{'s' * (count != 1)} to {path}")


def load(session: Workspace, given: Argument) -> Result:
    """Execute the statements of a file."""
    return scripts.load(session, _path(given, ":load work.eg"))


def _path(given: Argument, example: str) -> str:
    if not given.text or "\0" in given.text:
        raise UsageError("name a file", hint=example)
    return given.text


def quit_(session: Workspace, given: Argument) -> Result:
    """End the session."""
    return Quit()


def _inquiry(name: str) -> Callable[[Workspace, Argument], Result]:
    """A command about an expression: see `inquiries`, which is imported when one is given."""

    def run(session: Workspace, given: Argument) -> Result:
        from exprgrad.session import inquiries

        result: Result = getattr(inquiries, name)(session, given)
        return result

    return run


_WALK = "  :walk shows them one at a time."
_KEYS = "  Enter shows the next step, b the one before, q leaves the walk."
_AT_END = "  EXPR may end with `at x=1, y=2`; without EXPR the last result is used."
OWN = (
    Command("help", "[TOPIC]", "list the commands, or explain one", help_, "topics"),
    Command("trace", "[EXPR]", "show both sweeps, step by step", _inquiry("trace"), "names", f"{_AT_END}\n{_WALK}"),
    Command("walk", "[EXPR]", "the same, one step at a time", _inquiry("walk"), "names", f"{_AT_END}\n{_KEYS}"),
    Command("graph", "[EXPR] [FILE]", "the computation graph, drawn or as a picture", _inquiry("graph"), "names", f"{_AT_END}\n  :graph x^2 at x=3 square.svg writes a picture; .dot and .mmd are for other programs."),
    Command("plot", "[EXPR] [FILE]", "the curve, drawn or as a picture", _inquiry("plot"), "names", "  :plot x^2 sin x from -2 to 2 tangent at 1, :plot x^2 square.svg, :plot x^2 + y^2"),
    Command("why", "[dL/dw]", "the paths that carry a gradient, and what blocks it", _inquiry("why"), "names", "  :why dL/dw, :why d/dw relu(w*x), :why L wrt w at w=2"),
    Command("diff", "[EXPR] [wrt x, y]", "derivatives as formulas", _inquiry("diff"), "names"),
    Command("steps", "[EXPR] [wrt x]", "derivatives with their derivation", _inquiry("steps"), "names", "  :steps full x^2 sin x shows every step."),
    Command("check", "[EXPR,] CLAIM [wrt x]", "check whether a claimed derivative is right", _inquiry("check"), "names", "  :check 2x is about the last result, :check x^2, 2x about x^2.\n  Other kinds: :check ∫ 2x dx = x^2 + C, :check tangent to x^2 at 3: y = 6x - 9"),
    Command("work", "[EXPR,] CHAIN [wrt x]", "judge a worked solution line by line", _inquiry("work"), "names", "  :work x^2 sin x, y' = (x^2)' sin x + x^2 (sin x)' = 2x sin x + x^2 cos x"),
    Command("vars", "", "list the names that are bound", variables),
    Command("funcs", "", "list the functions that are defined", functions),
    Command("del", "NAME ...", "remove definitions", delete, "names"),
    Command("clear", "", "remove all definitions", clear),
    Command("undo", "", "take back the last change", undo),
    Command("set", "[NAME VALUE]", "change digits, mode, form, notation ...; alone: list them", set_, "settings", "  :set digits 6, :set mode forward, :set format latex, :set form factored,\n  :set notation pretty (on a terminal: x², 2·x, √x)"),
    Command("save", "FILE", "write the definitions to a file", save, "files"),
    Command("load", "FILE", "execute the statements of a file", load, "files"),
    Command("history", "[N]", "what was typed in this session", history, "", "  :history expand writes `ans` out."),
    Command("ops", "[NAME]", "list the operations, or explain one", operations, "operations"),
    Command("quit", "", "leave; Ctrl-D does too", quit_),
)  # fmt: skip

BY_NAME = {command.name: command for command in OWN} | {
    "exit": OWN[-1],
    "q": OWN[-1],
    "h": OWN[0],
}
