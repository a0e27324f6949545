"""The commands, each with the module of its row."""

from __future__ import annotations

from importlib import import_module

from exprgrad.annotations import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from exprgrad.commands.declared import Command

GROUPS: dict[str, dict[str, Any]] = {
    "Derivatives": {
        "eval": "eval", "diff": "diff", "steps": "diff", "hessian": "eval", "simplify": "simplify", "compare": "compare", "tangent": "constructions",
        "taylor": "constructions", "critical": "constructions",
    },
    "Pictures": {"graph": "graph", "plot": "plot", "trace": "eval", "walk": "walk", "why": "eval"},
    "Answers": {"check": "check", "work": "check", "same": "check", "audit": "audit", "practice": "practice"},
    "Data": {"batch": "batch", "fit": "fit", "uncertainty": "uncertainty", "minimize": "minimize"},
    "Sessions": {"repl": "cli.repl", "run": "cli.repl", "mcp": "mcp"},
    "Reference": {"help": "manual", "ops": "ops"},
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
