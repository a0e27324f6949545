"""The arguments of a command in a line of a session: positional ones first, then options by their names.

    read_line(Tangent, "x^2 at x=3")        {"expression": "x^2", "at": ["x=3"]}
    read_line(Same, "2 sin x cos x, sin(2x)")       {"a": "2 sin x cos x", "b": "sin(2x)"}

An option may be written as on the command line, too: `--at x=3`. Options are words outside brackets.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from exprgrad.annotations import Any
from exprgrad.commands.declared import Command, options_of, rows, value_of, with_names
from exprgrad.errors import UsageError
from exprgrad.language.brackets import outside, parted


def read_line(command: type[Command], line: str) -> dict[str, Any]:
    """Return what a line gives. Raises `UsageError` for a value that does not fit."""
    declared = rows(command)
    options = words_of(command)
    places = {name: row for name, row in declared.items() if not row.is_option}
    (_, head), *others = _pieces(with_names(command, line), options, bare=not places)  # fmt: skip
    found: dict[str, Any] = {}
    if head and not places:
        hint = f"one of: {', '.join(sorted(options))}"
        raise UsageError(f"{head} is not expected here", hint=hint)
    spans = parted(head) if len(places) > 1 else [(0, len(head))]
    texts = [head[a:b].strip() for a, b in spans] if head else []
    for i, (name, row) in enumerate(places.items()):
        if row.kind is list:
            found[name] = [text for text in texts[i:] if text]
        elif texts[i:] and texts[i]:
            found[name] = value_of(row, texts[i])
    # a formula with a comma too many is not cut, but refused
    if len(texts) > len(places) and list not in (row.kind for row in places.values()):
        count = f"there are {len(texts)} parts"
        raise UsageError(f"{count} where {len(places)} are expected")
    for option, text in others:
        name = options[option]
        row = declared[name]
        is_of_names = row.completes == "variables"
        if is_of_names and any(n.strip()[:1].isdigit() or "=" in n for n in text.split(",")):  # fmt: skip
            raise UsageError(f"{option} needs a name, not {text}")
        # `steps` alone; a flag has no text, and every other option needs one
        text = text or row.alone
        value = value_of(row, option if row.kind is bool else text)
        if value is None or bool(text) is (row.kind is bool):
            example = row.metavar or (*row.words, 2)[0]
            needed = f"needs a value, such as {option} {example}"
            raise UsageError(f"{option} {f'{text}: {row.meaning}' if text else needed}")
        if row.kind is list:
            # wrt x, y are two; --wrt x,y is one, as on the command line
            values = text.split(",") if option == "wrt" else [value]
            value = [*found.get(name, ()), *values]
        found[name] = value
    missing = [n for n, row in declared.items() if row.needed and n not in found]
    if missing:
        raise UsageError(f"the {missing[0]} is missing", hint=in_session(command))
    return found


def words_of(command: type[Command]) -> dict[str, str]:
    """The words of options in a line, each with the name of its row: `at`, and `--at` as on the command line; letters are names."""
    typed = options_of(command)
    # the x of --x is a variable more often than the range of a plot
    words = {o[2:]: n for o, n in typed.items() if o.startswith("--") and len(o) > 3}
    return typed | words


def _pieces(line: str, options: Any, bare: bool) -> Iterator[tuple[str, str]]:
    """The positional part, then each option with its text; names inside brackets belong to formulas."""
    blanks = [-1, *outside(line, " "), len(line)]
    word, begin = "", 0
    for blank, after in pairwise(blanks):
        name, equals, value = line[blank + 1 : after].partition("=")
        # the first word belongs to the formula, whatever it is called: order + 1
        leads = not (word or bare or line[: blank + 1].strip())
        # order=2 is an equation, --order=2 an option
        if name not in options or (name[0] != "-" and (leads or equals)):
            continue
        yield word, line[begin : max(blank, 0)].strip(" ,")
        word, begin = name, after - len(value)
    yield word, line[begin:].strip(" ,")


def in_session(command: type[Command]) -> str:
    """The example of a command as a session takes it."""
    import shlex

    name, *words = shlex.split(command.example)[1:]
    options = words_of(command)
    texts = [w[2:] if w in options and w.startswith("--") else w for w in words]
    # arguments have commas between them, options blanks
    lead = next((i for i, word in enumerate(words) if word[:1] == "-"), len(words))
    whole = f":{name}", ", ".join(texts[:lead]), *texts[lead:]
    return " ".join(whole).strip()


def usage(command: type[Command]) -> str:
    """Return what follows the name of a command in a session, as help shows it."""
    declared = rows(command)
    own = ((name, row) for name, row in declared.items() if not row.is_option)
    places = [row.metavar or name.upper() for name, row in own]
    asked = [f"[{name} ...]" for name in ("topic", "at", "start") if name in declared]
    return " ".join([", ".join(places), *asked]).strip()
