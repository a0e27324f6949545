"""The arguments of a command, read by its rows.

    read(Eval, ["x^2", "--at", "x=3"])      # the command with its values; None if its help is asked for

What does not fit is refused in `complaints`.
"""

from __future__ import annotations

import itertools

from exprgrad.annotations import Any
from exprgrad.commands.declared import Command, options_of, rows, value_of, with_names

ALONE = {"--trace": ("both", "forward", "reverse", "backward"), "--steps": ("brief", "full")}  # fmt: skip
"""Options that may stand alone, with their values; alone, they mean the first.

Programs and papers, which ask for another format than text, get all steps.
"""

FLAGS = (
    "--strict", "--subgradient", "--hessian", "--keep-going", "--version", "--help",
    "--hint", "--solution", "--quiet", "--plot", "--forget", *ALONE,
)  # fmt: skip
"""Options that may be without a value."""


def first(argv: list[str]) -> int | None:
    """The first argument that is neither an option nor the value of one."""
    for i, argument in enumerate(argv):
        before = argv[i - 1] if i else ""
        is_value = before.startswith("-") and before not in FLAGS and "=" not in before
        if not argument.startswith("-") and not is_value:
            return i
    return None


def read(command: type[Command], argv: list[str]) -> Command | None:
    """The command with what is given in arguments, as Typer reads them; None if its help is asked for.

    Raises `UsageError`.
    """
    declared, options = rows(command), options_of(command)
    texts, given = list[str](), list[tuple[str, str, str]]()
    asks_for_help, rest = False, iter(argv)
    for typed in rest:
        if typed == "--":
            texts += rest
        elif typed[:1] != "-" or typed == "-":
            texts.append(typed)
        elif typed in ("-h", "--help"):
            asks_for_help = True
        else:
            option, equals, value = with_names(command, typed).partition("=")
            name = options.get(option)
            if name is None:
                raise _wrong("no_option", command, typed)
            if declared[name].kind is bool:
                if equals:
                    raise _wrong("wrong_value", command, option, declared[name], value)
                value = option
            elif not equals:
                # the next argument whatever it is, as --x -2:2 and --at -x=3 begin with a dash
                own = [*itertools.islice(rest, 1)]
                if not own:
                    raise _wrong("misused", command, f"{option} needs a value")
                value = own[0]
            given.append((name, option, value))
    if asks_for_help:
        return None
    for name in [name for name, row in declared.items() if not row.is_option]:
        # options may stand between arguments, so these are told apart by their order alone
        own = texts if declared[name].kind is list else texts[:1]
        given += ((name, declared[name].metavar or name, text) for text in own)
        texts = texts[len(own) :]
    if texts:
        raise _wrong("extra", command, argv)
    found: dict[str, Any] = {}
    last = {name: place for place, (name, *_) in enumerate(given)}
    for place, (name, called, text) in enumerate(given):
        row = declared[name]
        # of an option that is given twice the last counts, as in most programs: an alias may have set the first
        if row.kind is not list and place != last[name]:
            continue
        value = value_of(row, text)
        if value is None:
            raise _wrong("wrong_value", command, called, row, text)
        found[name] = [*found.get(name, ()), value] if row.kind is list else value
    for name, row in declared.items():
        if row.needed and name not in found:
            raise _wrong("misused", command, f"the {row.metavar or name} is missing")
    return command(**found)


def _wrong(what: str, *facts: Any) -> Exception:
    from exprgrad.commands import complaints

    error: Exception = getattr(complaints, what)(*facts)
    return error
