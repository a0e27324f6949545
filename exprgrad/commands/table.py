"""The commands, each with the module of its row."""

from __future__ import annotations

from importlib import import_module

from exprgrad.annotations import TYPE_CHECKING

if TYPE_CHECKING:
    from exprgrad.commands.declared import Command

GROUPS = {
    "Derivatives": {
        "eval": "eval", "diff": "diff", "simplify": "simplify", "compare": "compare", "tangent": "constructions",
        "taylor": "constructions", "critical": "constructions",
    },
    "Pictures": {"graph": "graph", "plot": "plot"},
    "Answers": {"check": "check", "same": "check", "audit": "audit", "practice": "practice"},
    "Data": {"batch": "batch", "fit": "fit", "uncertainty": "uncertainty", "minimize": "minimize"},
    "Sessions": {"repl": "cli.repl", "run": "cli.run"},
    "Reference": {"help": "manual", "ops": "ops"},
}  # fmt: skip
"""The commands by what they are about, each with its module; their names win over expressions."""

COMMANDS = {name: module for own in GROUPS.values() for name, module in own.items()}


def command_of(name: str) -> type[Command]:
    """The class of a command, which has its name."""
    place = COMMANDS[name]
    module = import_module(f"exprgrad.{place if '.' in place else f'commands.{place}'}")
    found: type[Command] = getattr(module, name.capitalize())
    return found
