"""The commands of a session, `:name arguments`, in one table; what its own do, scripts among it, and what `:help` says.

Help and completion follow from the table; a new command is one row. Like a statement, a command returns data.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple
from exprgrad.commands import pages
from exprgrad.commands.declared import (
    AS_POINT,
    COMMANDS,
    FREE,
    REPLACED,
    Result,
    command_of,
    rows,
)
from exprgrad.commands.lines import in_session, read_line, usage
from exprgrad.data import files
from exprgrad.errors import ExprgradError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.language.brackets import parted
from exprgrad.language.inputs import normal
from exprgrad.language.notes import shorten
from exprgrad.language.points import in_order
from exprgrad.lazy import pattern
from exprgrad.operations.operation import function_names, named
from exprgrad.operations.vocabulary import did_you_mean
from exprgrad.session.entries import Argument, Entry, split
from exprgrad.session.results import Listed, Quit, Ran, Said, written
from exprgrad.session.statements import ANS
from exprgrad.session.workspace import Settings, Walk, Workspace
from exprgrad.sweeps.coordinates import as_graph

if TYPE_CHECKING:
    from exprgrad.commands.declared import Command as Row


def _topics() -> dict[str, tuple[tuple[str, str], ...]]:
    """The topics of `:help` beside commands and pages, each with what to type and what that means."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for line in pages.beside("topics.tsv").splitlines():
        topic, typed, meaning = line.split("\t")
        found[topic] = (*found.get(topic, ()), (typed, meaning))
    return found


TOPICS = _topics()

BANNER = (
    "Type an expression, such as x^2 sin x.",
    ":help lists the commands, Ctrl-D leaves.",
)
"""What stands above the first prompt."""


WRITTEN = "# a session of exprgrad"
"""The first line of a file that a session has written, and may write again."""


def text_of(session: Workspace) -> str:
    """The settings of a session as a script, and its definitions, each after those that it needs."""
    lines = [WRITTEN]
    for name, value in session.settings._asdict().items():
        if value != getattr(Settings(), name):
            lines.append(f":set {name} {value};")
    lines += [f"{' '.join(d.text.split())};" for d in session.scope.ordered()]
    return "\n".join(lines) + "\n"


def place(path: str, entry: Entry) -> str:
    """The file and the line of an entry, to be put before an error."""
    return f"{path}:{entry.line}: "


class Command(NamedTuple):
    """One row: a name, its arguments as help shows them, what it does, and the function that runs it.

    `completes` says what its arguments are: names, files, settings, topics or operations. `more` is what
    help adds.
    """

    name: str
    arguments: str
    summary: str
    run: Callable[[Workspace, Argument], Any]
    completes: str = ""
    more: str = ""

    @property
    def usage(self) -> str:
        """Return what to type."""
        return f":{self.name} {self.arguments}".rstrip()


def execute(session: Workspace, entry: Entry) -> Any:
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
    known = {*BY_NAME, *COMMANDS}
    begun = [name] if name in known else [n for n in known if n.startswith(name)]
    if len(begun) != 1:
        return None
    (whole,) = begun
    if whole in BY_NAME:
        return BY_NAME[whole]
    row = command_of(whole)
    if row.outside:
        what = f":{whole} is no command of sessions: {row.outside}"
        raise UsageError(what, hint=row.example)
    return from_row(whole, row)


def every() -> list[Command]:
    """The commands of a session: its own, and those of the program that make sense here."""
    rows = {name: command_of(name) for name in COMMANDS if name not in BY_NAME}
    others = (from_row(name, row) for name, row in rows.items() if not row.outside)
    return [*OWN, *others]


def from_row(name: str, row: type[Row]) -> Command:
    """A command of the program as one of sessions."""

    def run(session: Workspace, given: Argument) -> Any:
        return answered(session, name, given)

    summary = (row.__doc__ or "").rstrip(".")
    arguments, more = TAKING_WORDS.get(name, (usage(row), f"  {in_session(row)}"))
    return Command(name, arguments, summary[:1].lower() + summary[1:], run, "names", more)  # fmt: skip


_AT_END = "  EXPR may end with `at x=1, y=2`; without EXPR the last result is used."
TAKING_WORDS = {
    "graph": ("[EXPR] [FILE]", f"{_AT_END}\n  :graph x^2 at x=3 square.svg writes a picture; .dot and .mmd are for other programs."),
    "plot": ("[EXPR] [FILE]", "  :plot x^2 sin x from -2 to 2 tangent at 1, :plot x^2 square.svg, :plot x^2 + y^2"),
    "why": ("[dL/dw]", "  :why dL/dw, :why d/dw relu(w*x), :why L wrt w at w=2; :why w is about the last result"),
    "steps": ("[EXPR] [wrt x]", "  :steps full x^2 sin x shows every step."),
    "check": ("[EXPR,] CLAIM [wrt x]", "  :check 2x is about the last result, :check x^2, 2x about x^2.\n  Other kinds: :check ∫ 2x dx = x^2 + C, :check tangent to x^2 at 3: y = 6x - 9"),
    "work": ("[EXPR,] CHAIN [wrt x]", "  :work x^2 sin x, y' = (x^2)' sin x + x^2 (sin x)' = 2x sin x + x^2 cos x"),
}  # fmt: skip
"""Commands of the program that take words as one says them (see `lines`), with what help says of these."""


def answered(session: Workspace, name: str, given: Argument) -> Any:
    """Run a command of the program on a line, with the names and the settings of the session."""
    from exprgrad.pictures import svg
    from exprgrad.session.claims import OWN as TAKEN

    row, line = command_of(name), given.text
    more: Mapping[str, Any] = {}
    free: Collection[str] = ()
    try:
        declared, file = rows(row), None
        if "output" in declared:
            line, file = svg.named(line)
            line = line.removesuffix(" output")
        if name in TAKEN:
            said = TAKEN[name](session, line)
            if isinstance(said, Result):
                if file:
                    raise UsageError("this has no curve", hint=":check x^2, 2x f.svg")
                return said
            line, more, free = said
        found = {**read_line(row, line), **more}
        if file:
            found["output"] = Path(file)
        filled(session, row, found, free)
        standard = Settings()
        for setting, value in session.settings._asdict().items():
            # only what was changed with :set, since a command may have other defaults of its own
            own = declared.get(setting)
            if own and setting != "format" and value != getattr(standard, setting):
                found.setdefault(setting, value == "on" if own.kind is bool else value)
        result = row(**{**row.in_sessions, **found}).answer()
    except ExprgradError as error:
        # not within a word: the a of `:plot tan(x) from 1 to a` is the last one
        whole = re.compile(rf"(?:\b|(?=\W)){re.escape(error.source or '')}")
        place = whole.search(given.entry.text, given.start)
        if error.source and place and error.span:
            start, end = error.span
            error.span = (start + place.start(), end + place.start())
            error.source = given.entry.text
        raise
    if not result.views and found.get("output"):
        return Said(f"wrote {found['output']}")
    if result.walk:
        session.walk = Walk(result.walk)
    return result


def filled(
    session: Workspace, row: type[Row], found: dict[str, Any], free: Collection[str]
) -> None:
    """Put names of the session into the formulas among the arguments of a command, and the last result where there is none.

    Names that have a value are replaced by it, but for those that are `free`: the command gets the values as its
    point, or differentiates with respect to the other names, as its row says.
    """
    declared, wrt = rows(row), found.get("wrt") or []
    places = [name for name, own in declared.items() if not own.is_option]
    if "expression" in places and not found.get("expression"):
        found["expression"] = ANS
    defined = {*session.scope.definitions, ANS}
    about, at = str(found.get("expression")), found.get("at") or []
    if not (all("=" in x for x in at) or defined.isdisjoint(_WORDS.findall(about))):
        found["at"] = _with_names(session, about, at)
    if declared.get("wrt") and declared["wrt"].kind is list:
        wrt = [",".join(map(normal, re.findall(r"\w+", text))) for text in wrt]
        found["wrt"] = wrt
    asked = " ".join(str(text) for name, text in found.items() if name not in places)
    given = {*re.findall(r"\w+(?=\s*=)", asked), *free}
    by = given.union(re.findall(r"\w+", str(wrt)))
    # with a point, a variable to differentiate by needs its value, too: x = 1, then :why x^2 wrt x
    at_point = row.values == AS_POINT or found.get("at")
    known = defined.difference(given if at_point else by)
    typed = " ".join(str(found.get(name, "")) for name in places)
    values: dict[str, Any] = {}
    names: list[str] = []
    for name in [name for name in places if name in found]:
        several = isinstance(found[name], list)
        read = []
        for text in found[name] if several else [found[name]]:
            own = said = text
            # a claim in names of the session makes what it is about an expression, too; what is none keeps it a text
            if name == "expression":
                said = typed
            elif isinstance(found.get("expression"), str):
                said = ""
            if isinstance(text, str) and not known.isdisjoint(_WORDS.findall(said)):
                own = _in_names(session, text, by, row)
            read.append(own)
            if isinstance(own, Expression):
                names += (n for n in own.variables if n not in names)
                numbers = session.point(own).items()
                values |= {n: as_graph(x) for n, x in numbers if n not in given}
        found[name] = read if several else read[0]
    as_point = row.needs_point or given.union(values).issuperset(names)
    if (as_point and row.values == AS_POINT) or (row.values == FREE and found.get("at")):  # fmt: skip
        own_values = [f"{n}={Expression.of(x)}{row.exactly}" for n, x in values.items()]
        found["at"] = [*found.get("at", ()), *own_values]
    if row.values == FREE and "wrt" in declared and not wrt and names:
        first = found[places[0]]
        own_names = session.free(first) if isinstance(first, Expression) else []
        if declared["wrt"].kind is list:
            found["wrt"] = own_names
        elif len(own_names) == 1:
            found["wrt"] = own_names[0]


_WORDS = pattern(r"[^\W\d]\w*")


def _with_names(session: Workspace, about: str, at: list[str]) -> list[str]:
    """The values with the names of the variables of a formula: of u = x^2, `:tangent u at 1` is at x=1."""
    from exprgrad.checking.equations import with_names

    try:
        names = in_order(session.free(session.expression(about)[0]))
        return [text if "=" in text else with_names(text, names) for text in at]
    except ExprgradError:
        return at  # the command says what is wrong


def _in_names(
    session: Workspace, text: str, free: Collection[str], row: type[Row]
) -> Any:
    """A formula with names of the session in it as an expression; several in one text are written out."""
    from exprgrad.expressions.taylor import at_place

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
        expression.titled = str(expression) if part == ANS else statement.title
        if row.values == REPLACED:
            kept = {*free} & {*expression.variables}
            # what is differentiated is a formula in its names also where all have values, as with :diff
            if "wrt" in rows(row) and not kept:
                kept = {*session.free(expression)}
            numbers = session.point(expression).items()
            place = {n: as_graph(x) for n, x in numbers if n not in kept}
            root = at_place(expression.root, place)
            expression = Expression.of(root, expression.declared)
        parts.append(expression)
    return parts[0] if len(parts) == 1 else " ".join(map(str, parts))


ALONE = tuple(
    "help quit exit clear undo history vars funcs ops trace walk graph plot steps".split()
)
"""Commands that mean something when they stand alone, without a colon."""


BARE = frozenset("check compare diff graph hessian plot simplify steps trace uncertainty walk why work".split())  # fmt: skip
"""Commands of the program that may be typed without a colon; the names of others begin claims and questions."""


_COMMAND_LINE = pattern(r"([a-z]+)(?:\(\s*\)|(\s+(?!(?:of|for)\s)[^\s=*/+^(-].*|(?<=simplify)\s*[(-].*))?", re.DOTALL)  # fmt: skip
"""The name of a command, alone or with what it is about."""


def meant(session: Workspace, entry: Entry) -> Entry | None:
    """A command that was typed without its colon, with one; None for what is none.

    A name that is defined, or that an operator follows, is no command: `diff x^2` is :diff x^2, `set = 2` is not.
    """
    found = _COMMAND_LINE.fullmatch(entry.text)
    if found is None or found[1] not in (*BY_NAME, *BARE):
        return None
    alone = found[2] is None and found[1] not in ALONE
    if alone or found[1] in session.scope.definitions:
        return None
    text = f":{found[1]}{found[2] or ''}"
    # the colon that was not typed would move all places by one
    start = entry.start - (len(text) - len(entry.text) if found[2] else 0)
    return entry._replace(text=text, start=max(start, 0))


def variables(session: Workspace, given: Argument) -> Any:
    """The names that are bound, with their formulas and values."""
    definitions, digits, rows = session.scope.definitions, session.settings.digits, []
    for name, value in session.variables.items():
        formula, number = definitions[name].formula, session.beyond(name) or value
        shown = "" if number is None else written(number, digits)
        rows.append((name, shown, "" if formula == shown else formula))
    empty = "nothing is bound yet: a = 2 binds a"
    return Listed(("name", "value", "formula"), tuple(rows), empty)


def functions(session: Workspace, given: Argument) -> Any:
    """The functions that are defined, with their formulas."""
    defined = session.scope.definitions
    found = session.functions.items()
    rows = tuple((k.function.signature, defined[n].formula) for n, k in found)
    empty = "no functions are defined yet: f(x) = x^2 defines one"
    return Listed(("function", "formula"), rows, empty)


def delete(session: Workspace, given: Argument) -> Any:
    """Remove definitions."""
    names = given.text.replace(",", " ").split()
    if not names:
        raise UsageError("say what to remove", hint=":del a b, or :clear for all")
    session.forget(names)
    return Said(f"removed {', '.join(names)}")


def clear(session: Workspace, given: Argument) -> Any:
    """Remove everything."""
    removed = counted(session)
    session.clear()
    return Said(f"removed {removed}")


def counted(session: Workspace) -> str:
    """Return how many definitions there are."""
    count = len(session.scope.definitions)
    return f"{count} definition{'s' * (count != 1)}"


def undo(session: Workspace, given: Argument) -> Any:
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


def set_(session: Workspace, given: Argument) -> Any:
    """Change a setting, or list them."""
    words = given.text.split()
    if not words:
        settings = session.settings._asdict().items()
        rows = tuple((name, str(value)) for name, value in settings)
        return Listed(("setting", "value"), rows)
    name, *values = ("reverse" if w == "backward" else w for w in words)
    if name not in CHOICES:
        hint = f"one of: {', '.join(CHOICES)}"
        raise UsageError(f"there is no setting {name}", hint=hint)
    few = CHOICES[name]
    if len(values) != 1 or values[0] not in few:
        listed = f"{few[0]} to {few[-1]}" if name == "digits" else " or ".join(few)
        message = f"{name} is {listed}, not {' '.join(values) or 'nothing'}"
        raise UsageError(message, hint=f":set {name} {few[-1]}")
    value: Any = int(values[0]) if name == "digits" else values[0]
    session.settings = session.settings._replace(**{name: value})
    return Said(f"{name} is {value}")


def history(session: Workspace, given: Argument) -> Any:
    """Return what was typed in this session."""
    expand = given.text == "expand"
    whole = re.fullmatch("[1-9][0-9]{0,8}", given.text)
    if given.text and not expand and not whole:
        raise UsageError("expected a number of lines", hint=":history 20")
    most = int(given.text) if whole else 40
    numbered = list(enumerate(session.typed[:-1], 1))[-most:]
    rows = tuple((str(i), texts[1 if expand else 0]) for i, texts in numbered)
    return Listed(("", "typed"), rows, "nothing has been typed yet")


def operations(session: Workspace, given: Argument) -> Any:
    """The operations."""
    from exprgrad.views.tables import OperationsView

    return explain(session, given) if given.text else Result(OperationsView())


def explain(session: Workspace, given: Argument) -> Any:
    """An operation, or a name of the session."""
    name = given.text
    if not name:
        return help_(session, given)
    definition = session.scope.definitions.get(name)
    if definition is not None:
        return Said(" ".join(definition.text.split()))
    if name in TOPICS or name.lstrip(":") in (*BY_NAME, *COMMANDS):
        return help_(session, given)
    from exprgrad.views.tables import OperationsView, called

    if not called(name):
        known = [*function_names(), *session.scope.definitions]
        hint = did_you_mean(name, known, ":ops lists the operations")
        raise UsageError(f"there is nothing called {name}", hint=hint)
    return Result(OperationsView(name))


def help_(session: Workspace, given: Argument) -> Any:
    """The commands, or one topic."""
    name = given.text.lstrip(":").strip()
    if not name:
        rows = (
            *((f":{c.name}", c.arguments, c.summary) for c in every()),
            ("?name", "", "explain an operation, or show a definition"),
            ("topics", "", f"for :help: {', '.join(TOPICS)}"),
            ("manual", "", "for :help: the pages of the manual"),
        )
        return Listed(("command", "arguments", "what it does"), rows, spare=1)
    command = BY_NAME.get(name) or (command_named(name) if name in COMMANDS else None)
    if command is not None:
        said = [command.usage, f"  {command.summary}", command.more]
        return Said("\n".join(filter(None, said)))
    if name in TOPICS:
        return Listed((name, "meaning"), TOPICS[name])
    page = pages.page(name)
    is_sign = not any(map(str.isalnum, name))
    explained = is_sign or named(name) or name in session.scope.definitions
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


def save(session: Workspace, given: Argument) -> Any:
    """Write the definitions and the settings to a file."""
    path = _path(given, ":save work.eg")
    own, first = Path(os.path.expanduser(path)), b""
    if own.is_file() and own.stat().st_size:
        with files.opened(own) as file:
            # no more than this: any file may be asked about, and its first line may be gigabytes long
            first = file.readline(len(WRITTEN) + 2)
    if first and first.decode(errors="replace").strip() != WRITTEN:
        what = f"{path} was not written by a session, and stays as it is"
        raise UsageError(what, hint="choose another name")
    with files.Replacing(own) as file:
        file.write(text_of(session).encode())
    return Said(f"wrote {counted(session)} to {path}")


def load(session: Workspace, given: Argument) -> Any:
    """Execute the statements of a file; if one fails, the session stays as it was."""
    name = _path(given, ":load work.eg")
    path = os.path.expanduser(name)
    # a link to the file itself is the file, and would load without end
    whole = os.path.realpath(path)
    if whole in session.loading:
        raise UsageError(f"{name} loads itself")
    source, before, results = files.read(path), session.state, []
    session.loading = (*session.loading, whole)
    try:
        for entry in split(source):
            try:
                result = session.execute(entry)
            except ExprgradError as error:
                if not (path.endswith(".eg") or source.startswith(WRITTEN)):
                    # it may be a file that is nobody else's business
                    what = f"{place(path, entry)}this statement cannot be executed"
                    raise UsageError(what, hint="scripts are called .eg") from None  # fmt: skip
                error.message = f"{place(path, entry)}{error.message}"
                raise
            if not entry.hides(result):
                results.append(result)
    # Ctrl-C in the middle of a file must not leave half of it
    except BaseException:
        session.state = before
        raise
    finally:
        session.loading = session.loading[:-1]
    return Ran(name, tuple(results))


def _path(given: Argument, example: str) -> str:
    if not given.text or "\0" in given.text:
        raise UsageError("name a file", hint=example)
    return given.text


def operation(session: Workspace, given: Argument) -> Any:
    """Declare an operation with its local partials, as a row of the table."""
    from exprgrad.expressions.values import row

    text, *partials = (given.text[slice(*span)].strip() for span in parted(given.text))
    return Said(f"declared {row(text, partials).signature}")


OWN = (
    Command("help", "[TOPIC]", "list the commands, or explain one", help_, "topics"),
    Command("vars", "", "list the names that are bound", variables),
    Command("funcs", "", "list the functions that are defined", functions),
    Command("del", "NAME ...", "remove definitions", delete, "names"),
    Command("clear", "", "remove all definitions", clear),
    Command("undo", "", "take back the last change", undo),
    Command("set", "[NAME VALUE]", "change digits, mode, form, notation ...; alone: list them", set_, "settings", "  :set digits 6, :set mode forward, :set format latex, :set form factored,\n  :set notation pretty (on a terminal: x², 2·x, √x)"),
    Command("save", "FILE", "write the definitions to a file", save, "files"),
    Command("load", "FILE", "execute the statements of a file", load, "files"),
    Command("history", "[N]", "what was typed in this session", history, "", "  :history expand writes `ans` out."),
    Command("operation", "f(x) = ..., PARTIAL", "declare an operation of your own, with its local partials", operation, "", "  :operation swish(x) = x*sigmoid(x), sigmoid(x) + swish*(1 - sigmoid(x))\n  In a partial the name alone is the result."),
    Command("ops", "[NAME]", "list the operations, or explain one", operations, "operations"),
    Command("quit", "", "leave; Ctrl-D does too", lambda session, given: Quit()),
)  # fmt: skip

BY_NAME = {own.name: own for own in OWN} | {"exit": OWN[-1], "q": OWN[-1], "h": OWN[0]}
