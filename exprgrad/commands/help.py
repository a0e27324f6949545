"""The layout of help: options in groups, an example, and no text cut short, at any width."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping

from exprgrad.annotations import Any
from exprgrad.commands import declared

TOPICS = {
    "Values": ("at", "start", "bounds", "data", "map", "budget", "corr"),
    "What is computed": (
        "kind", "wrt", "of", "implicit", "order", "parameter", "direction", "constant", "where", "mode", "seed", "hessian", "subgradient", "claims", "form", "loss", "method", "rate",
        "schedule", "steps", "tolerance", "coverage", "target", "monte_carlo", "then", "momentum", "batch", "jobs", "engine", "scheduler",
    ),
    "What is shown": ("x", "y", "tangent", "with_", "stage", "depth", "trace", "why", "html", "plot", "trust", "hint", "solution", "rows", "digits", "format", "notation", "output", "prefix", "history", "quiet"),
    "Reading": ("file", "strict"),
}  # fmt: skip
"""The options by what they are about; others are called options."""

PROGRAM: dict[str, declared.Row] = {
    "version": declared.flag("Show the version and exit."),
    "input": declared.text("How expressions are written, for every command. [default: what they look like]", "[latex|text]"),
    "install_completion": declared.flag("Install completion for the current shell."),
    "show_completion": declared.flag("Show completion for the current shell, to copy it or customize the installation."),
}  # fmt: skip
"""The options of the program itself."""

HELP: declared.Row = declared.flag("Show this message and exit.", "-h", "--help")

_NARROW = 24
_LEFT = 24


def help_of(name: str, command: type[declared.Command]) -> str:
    """The help of a command."""
    width = _width()
    own = declared.rows(command)
    arguments = {n: row for n, row in own.items() if not row.is_option}
    places = [row.metavar or n for n, row in arguments.items()]
    usage = " ".join(["exprgrad", name, *places, "[OPTIONS]"])
    lines = [*_typed(usage, width, "Usage: "), ""]
    lines += _filled(command.__doc__ or "", width)
    if command.example:
        lines += ["", *_typed(command.example, width, "Example: ")]
    meanings = [_meaning(row) for row in arguments.values()]
    lines += _section("Arguments", zip(places, meanings, strict=True), width)
    for title, found in _grouped(own):
        lines += _options(title, found, width)
    if command.pages:
        lines += ["", *_filled(command.pages, width, "More: exprgrad help ")]
    return "\n".join(lines)


def overview() -> str:
    """The help of the program, with its commands in groups, each with all of its description."""
    width = _width()
    lines = [
        "Usage: exprgrad EXPR [--at x=3]", "       exprgrad COMMAND ...", "",
        *_filled("A derivative calculator that shows its work.", width), "",
        *_typed('exprgrad "x^2 sin x"', width, "  "),
        *_typed('exprgrad "x^2 sin x" --at x=2', width, "  "),
        *_typed('exprgrad "d/dx x^2 = 2x"', width, "  "),
        *_typed(declared.command_of("eval").example, width, "  "),
    ]  # fmt: skip
    for title, names in declared.GROUPS.items():
        meanings = [(name, declared.command_of(name).__doc__ or "") for name in names]
        lines += _section(title, meanings, width)
    lines += _options("Options", {**PROGRAM, "help": HELP}, width)
    end = "exprgrad help lists the pages of the manual; exprgrad help COMMAND explains a command."
    return "\n".join([*lines, "", *_filled(end, width)])


def man_page() -> Iterator[str]:
    """The lines of a page for `man`, with every command."""
    from exprgrad import __version__

    def plain(text: str) -> str:
        # a plain - is a hyphen to troff, and an option that is copied from the page would not be one
        return text.replace("\\", "\\e").replace("-", "\\-")

    yield f'.TH EXPRGRAD 1 "" "exprgrad {__version__}"'
    yield from (".SH NAME", "exprgrad \\- a derivative calculator that shows its work")
    yield from (".SH SYNOPSIS", ".B exprgrad", "EXPR", ".br")
    yield from (".B exprgrad", "COMMAND ...")
    for title, names in declared.GROUPS.items():
        yield f".SH {title.upper()}"
        for name in names:
            command = declared.command_of(name)
            yield from (f".SS {name}", plain(command.__doc__ or ""), ".PP")
            yield from (".nf", plain(command.example), ".fi")
            for own, row in declared.rows(command).items():
                written = _written(own, row) if row.is_option else row.metavar or own
                yield from (".TP", f".B {plain(written)}", plain(_meaning(row)))
    yield from (".SH SEE ALSO", plain("exprgrad help lists the pages of the manual."))


def _width() -> int:
    """Return how many columns there are to write in."""
    # lines of more than 100 columns are hard to read, and fewer than 24 have no room for a name and a word
    return max(_NARROW, min(shutil.get_terminal_size((80, 24)).columns, 100))


def _filled(text: str, width: int, lead: str = "", hang: int | None = None) -> list[str]:  # fmt: skip
    """A text in lines of at most that width, the later ones indented by `hang`, or as far as the lead."""
    return textwrap.wrap(
        " ".join(text.split()), width, initial_indent=lead,
        subsequent_indent=" " * (len(lead) if hang is None else hang),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _typed(text: str, width: int, lead: str) -> list[str]:
    """The same for what is to be typed."""
    return _filled(text, width, lead, min(len(lead), 4))


def _section(title: str, rows: Iterable[tuple[str, str]], width: int) -> list[str]:
    """A heading, and rows of a name and its meaning: beside it, or below where it is too long."""
    rows = list(rows)
    if not rows:
        return []
    # two blanks before a name and two behind it
    left = min(max(len(name) for name, _ in rows) + 4, _LEFT if width >= 60 else 6)
    lines = ["", f"{title}:"]
    for name, meaning in rows:
        beside = len(name) + 4 <= left
        text = _filled(meaning, max(width - left, 20))
        if beside and text:
            lines.append(f"  {name}".ljust(left) + text.pop(0))
        else:
            # a list of words such as [text|json|svg] may be broken at its bars
            broken = _filled(name.replace("|", "| "), width, "  ", 6)
            lines += [line.replace("| ", "|") for line in broken]
        lines += [" " * left + line for line in text]
    return lines


def _options(title: str, options: Mapping[str, declared.Row], width: int) -> list[str]:
    """A section of options."""
    found = [(_written(name, row), _meaning(row)) for name, row in options.items()]
    return _section(title, found, width)


def _grouped(own: Mapping[str, declared.Row]) -> Iterator[tuple[str, Any]]:
    """The options of a command by what they are about, in the order of `TOPICS`."""
    rest = {name: row for name, row in own.items() if row.is_option}
    for title, names in TOPICS.items():
        yield title, {name: rest.pop(name) for name in names if name in rest}
    yield "Options", {**rest, "help": HELP}


def _written(name: str, row: declared.Row) -> str:
    """An option as it is typed: its names, and what stands for its value, N for a number, NAME for a word."""
    names = [option.partition("/")[0] for option in declared.names_of(name, row)]
    value = row.metavar or (f"[{'|'.join(row.words)}]" if row.words else "")
    if row.kind is not bool:
        value = value or ("N" if row.kind in (int, float) else "NAME")
    # -o, --output: the short name first, as everywhere on Unix
    return f"{', '.join(sorted(names, key=len))} {value}".rstrip()


def _meaning(row: declared.Row) -> str:
    """Return what help says of a row: its limits and its default as well."""
    facts = []
    if row.least is not None:
        most = f"{row.least:g} to {row.most:g}" if row.most is not None else ""
        facts.append(most or f"from {row.least:g} on")
    # the meaning of the row says itself what - stands for, and what is done without a value
    if row.default not in (None, "", "-") and row.kind is not bool:
        number = row.kind in (int, float)
        facts.append(f"default {row.default:g}" if number else f"default {row.default}")
    return f"{row.meaning} ({'; '.join(facts)})" if facts else row.meaning
