"""How help is written: options in groups, an example, and no text cut short, at any width."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from typer.core import TyperCommand, TyperGroup

EXAMPLES = {
    "eval": 'exprgrad eval "(a*b+c)^2" --at a=2,b=3,c=1 --trace',
    "diff": 'exprgrad diff "x^2 sin(3x)" --steps',
    "simplify": 'exprgrad simplify "(x^2 - 1)/(x - 1)"',
    "check": 'exprgrad check "x^2 sin x" "2x sin x + x^2 cos x"',
    "tangent": 'exprgrad tangent "x^2" --at x=3',
    "taylor": 'exprgrad taylor "sin(x)" --order 5',
    "critical": 'exprgrad critical "x^3 - 3x"',
    "plot": 'exprgrad plot "x^2 sin x" --x=-2:2 --tangent 1',
    "graph": 'exprgrad graph "ln(x1) + x1*x2" --at x1=2,x2=5',
    "audit": "exprgrad audit notes.tex",
    "same": 'exprgrad same "2 sin x cos x" "sin(2x)"',
    "compare": 'exprgrad compare "exp(x)/x" --at x=2',
    "batch": 'exprgrad batch "a*x^2" --data points.csv --at a=2 --output results.csv',
    "fit": 'exprgrad fit "y ~ a*exp(-k*t)" --data decay.csv --start a=1,k=0.1',
    "minimize": 'exprgrad minimize "(x-1)^2 + y^2" --start x=0,y=1',
    "uncertainty": 'exprgrad uncertainty "V/I" --at "V=4.999±0.0032, I=0.0197±5%"',
    "practice": "exprgrad practice --topic chain,product",
    "ops": "exprgrad ops tanh",
    "repl": "exprgrad repl",
    "run": "exprgrad run work.eg",
    "help": "exprgrad help checking",
}
"""One for each command."""

PAGES = {
    "eval": "values, traces", "diff": "derivatives", "tangent": "derivatives", "taylor": "derivatives",
    "critical": "derivatives", "check": "checking, solutions, sheets", "same": "checking", "compare": "comparing", "simplify": "derivatives",
    "batch": "tables", "fit": "fitting", "minimize": "minimizing", "ops": "operations, adding", "repl": "sessions",
    "run": "sessions", "audit": "latex", "uncertainty": "budgets", "graph": "pictures, traces", "plot": "pictures", "practice": "practising",
}  # fmt: skip
"""The pages of the manual about each command."""

GROUPS = {
    "Values": ("at", "start", "bounds", "data", "map_", "budget", "corr"),
    "What is computed": (
        "kind", "wrt", "of", "implicit", "order", "parameter", "direction", "constant", "where", "mode", "seed", "hessian", "subgradient", "claims", "form", "loss", "method", "rate",
        "schedule", "steps", "tolerance", "coverage", "target", "monte_carlo", "then", "momentum", "batch", "jobs", "engine", "scheduler",
    ),
    "What is shown": ("across", "up", "tangent", "with_", "stage", "depth", "trace", "why", "html", "plot", "trust", "hint", "solution", "rows", "digits", "format_", "notation", "output", "graded", "prefix", "history", "quiet"),
    "Reading": ("file", "strict"),
}  # fmt: skip
"""The options by what they are about; others are called options."""

COMMANDS = {
    "Derivatives": (
        "eval",
        "diff",
        "simplify",
        "compare",
        "tangent",
        "taylor",
        "critical",
    ),
    "Pictures": ("graph", "plot"),
    "Answers": ("check", "same", "audit", "practice"),
    "Data": ("batch", "fit", "uncertainty", "minimize"),
    "Sessions": ("repl", "run"),
    "Reference": ("help", "ops"),
}
"""The commands by what they are about."""

_NARROW = 24
_LEFT = 24


class Command(TyperCommand):
    """A command whose help has its options in groups, and an example."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        width = _width()
        lines = [*_usage(ctx.command_path, self), "", *_filled(self.help or "", width)]
        if self.name in EXAMPLES:
            lines += [
                "",
                *_filled(EXAMPLES[self.name], width, "Example: ", breaks=False),
            ]
        arguments = [p for p in self.params if p.param_type_name == "argument"]
        options = [p for p in self.get_params(ctx) if p not in arguments]
        lines += _section(
            "Arguments",
            [(str(p.metavar or p.name), _meaning(p)) for p in arguments],
            width,
        )
        for title, found in _grouped(options):
            lines += _section(title, [(_written(p), _meaning(p)) for p in found], width)
        if self.name in PAGES:
            lines += ["", *_filled(PAGES[self.name], width, "More: exprgrad help ")]
        formatter.write("\n".join(lines) + "\n")


class Group(TyperGroup):
    """The program, whose help has its commands in groups, each with all of its description."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        width = _width()
        lines = [
            "Usage: exprgrad EXPR [--at x=3]", "       exprgrad COMMAND ...", "",
            *_filled(self.help or "", width), "",
            *_filled('exprgrad "x^2 sin x"', width, "  ", breaks=False),
            *_filled('exprgrad "x^2 sin x" --at x=2', width, "  ", breaks=False),
            *_filled('exprgrad "d/dx x^2 = 2x"', width, "  ", breaks=False),
            *_filled(EXAMPLES["eval"], width, "  ", breaks=False),
        ]  # fmt: skip
        listed = {name for names in COMMANDS.values() for name in names}
        others = tuple(name for name in self.commands if name not in listed)
        for title, names in {**COMMANDS, "More": others}.items():
            rows = [(name, self.commands[name].help or "") for name in names]
            lines += _section(title, rows, width)
        options = self.get_params(ctx)
        lines += _section(
            "Options", [(_written(p), _meaning(p)) for p in options], width
        )
        lines += [
            "",
            *_filled(
                "exprgrad help lists the pages of the manual; exprgrad help COMMAND explains a command.",
                width,
            ),
        ]
        formatter.write("\n".join(lines) + "\n")


def _width() -> int:
    """How many columns there are to write in."""
    return max(_NARROW, min(shutil.get_terminal_size((80, 24)).columns, 100))


def _usage(path: str, command: Any) -> Iterator[str]:
    arguments = [
        p.metavar or p.name for p in command.params if p.param_type_name == "argument"
    ]
    yield " ".join(["Usage:", path, *arguments, "[OPTIONS]"])


def _filled(text: str, width: int, lead: str = "", breaks: bool = True) -> list[str]:
    """A text in lines of at most that width; without `breaks`, what is to be typed stays on one line."""
    text = " ".join(text.split())
    if not breaks and len(lead) + len(text) > width:
        return textwrap.wrap(
            text,
            width,
            initial_indent=lead,
            subsequent_indent=" " * min(len(lead), 4),
            break_long_words=False,
            break_on_hyphens=False,
        )
    return textwrap.wrap(
        text,
        width,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _section(title: str, rows: Iterable[tuple[str, str]], width: int) -> list[str]:
    """A heading, and rows of a name and its meaning: beside it, or below where it is too long."""
    rows = list(rows)
    if not rows:
        return []
    left = min(max(len(name) for name, _ in rows) + 4, _LEFT if width >= 60 else 6)
    lines = ["", f"{title}:"]
    for name, meaning in rows:
        beside = len(name) + 4 <= left
        text = textwrap.wrap(
            meaning,
            max(width - left, 20),
            break_long_words=False,
            break_on_hyphens=False,
        )
        if beside and text:
            lines.append(f"  {name}".ljust(left) + text.pop(0))
        else:
            lines.append(f"  {name}")
        lines += [" " * left + line for line in text]
    return lines


def _grouped(options: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """The options of a command by their groups, in the order of `GROUPS`."""
    rest = list(options)
    for title, names in GROUPS.items():
        found = [p for name in names for p in rest if p.name == name]
        rest = [p for p in rest if p not in found]
        if found:
            yield title, found
    yield "Options", rest


def _written(option: Any) -> str:
    """An option as it is typed: its names, and what stands for its value."""
    names = ", ".join(sorted(option.opts, key=len))
    value = "" if option.is_flag or option.count else _value(option)
    return f"{names} {value}".rstrip()


def _value(option: Any) -> str:
    """What stands for the value of an option: N for a number, NAME for a word."""
    choices = getattr(option.type, "choices", None) or ()
    if option.metavar or choices:
        return str(option.metavar or f"[{'|'.join(choices)}]")
    return "N" if "int" in option.type.name or "float" in option.type.name else "NAME"


def _meaning(parameter: Any) -> str:
    """What help says of a parameter: its choices, its limits and its default as well."""
    text = getattr(parameter, "help", None) or ""
    facts = []
    least, most = (
        getattr(parameter.type, "min", None),
        getattr(parameter.type, "max", None),
    )
    if least is not None:
        facts.append(f"from {least:g} on" if most is None else f"{least:g} to {most:g}")
    default = parameter.default
    if (
        isinstance(default, int | float | str)
        and not isinstance(default, bool)
        and default not in ("", "-")
    ):
        facts.append(
            f"default {default:g}"
            if isinstance(default, int | float)
            else f"default {default}"
        )
    return f"{text} ({'; '.join(facts)})" if facts else text
