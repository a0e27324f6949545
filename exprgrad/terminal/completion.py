"""Completion by Tab: names, operations, commands with their arguments, files, Greek letters."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.patterns import pattern

if TYPE_CHECKING:
    from exprgrad.session.session import Session

_GREEK = (
    "alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ "
    "omicron ο pi π rho ρ sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ "
    "Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω partial ∂ nabla ∇ grad ∇ sqrt √ times × cdot · div ÷ "
    "le ≤ ge ≥ ne ≠"
).split()
SYMBOLS = dict(zip(_GREEK[::2], _GREEK[1::2], strict=True))
"""What a name behind a backslash stands for."""

_BACKSLASH = pattern(r"\\([A-Za-z]*)$")
_WORD = pattern(r"[^\W\d]\w*$")
_COMMAND = pattern(r"\s*:(\w*)$")
_ARGUMENT = pattern(r"\s*(?::(\w+)\s+|(\?)\s*)(.*)$", re.DOTALL)


class Completions(Completer):
    """What can be typed here, given the names of a session."""

    def __init__(self, session: Callable[[], Session]) -> None:
        self._session = session

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """The completions of the text before the cursor."""
        before = document.text_before_cursor
        symbol = _BACKSLASH.search(before)
        command = _COMMAND.match(before)
        if symbol:
            return self._symbols(symbol.group(1))
        if command:
            from exprgrad.session.commands import every

            rows = [(c.name, c.summary) for c in every()]
            return _matching(command.group(1), rows)
        return self._arguments(before)

    def _symbols(self, typed: str) -> Iterator[Completion]:
        names = (
            [typed] if typed in SYMBOLS else [n for n in SYMBOLS if n.startswith(typed)]
        )
        for name in names:
            symbol = SYMBOLS[name]
            yield Completion(symbol, -len(typed) - 1, f"\\{name}", symbol)

    def _arguments(self, before: str) -> Iterable[Completion]:
        from exprgrad.session.commands import command_named

        match = _ARGUMENT.match(before)
        kind = "names"
        if match:
            command = command_named(match.group(1) or "ops")
            kind = command.completes if command else ""
        rest = match.group(3) if match else before
        if kind == "files":
            return _files(rest)
        if kind in ("settings", "topics"):
            return _matching(rest.split(" ")[-1], self._choices(kind, rest))
        word = _WORD.search(before)
        return _matching(word.group(), self._names(kind)) if word and kind else []

    def _choices(self, kind: str, rest: str) -> list[tuple[str, str]]:
        from exprgrad.commands.pages import CONTENTS, topics
        from exprgrad.session.commands import CHOICES, every
        from exprgrad.session.help_topics import TOPICS

        if kind == "topics":
            names = [*(c.name for c in every()), *TOPICS, CONTENTS, *topics()]
        else:
            first, _, more = rest.partition(" ")
            names = list(
                CHOICES.get(first, ()) if more or rest.endswith(" ") else CHOICES
            )
        return [(name, "") for name in names]

    def _names(self, kind: str) -> Iterator[tuple[str, str]]:
        from exprgrad.operations.operation import function_names, named
        from exprgrad.session.tokens import ANS

        if kind == "names":
            for name, definition in self._session().scope.definitions.items():
                yield name, " ".join(definition.text.split())[:40]
            yield ANS, "the last result"
        for name in sorted(function_names()):
            for operation in list(named(name).values())[:1]:
                yield name, operation.signature


def _matching(typed: str, rows: Iterable[tuple[str, str]]) -> Iterator[Completion]:
    for name, meaning in rows:
        if name.startswith(typed):
            yield Completion(name, -len(typed), display_meta=meaning)


def _files(typed: str) -> Iterator[Completion]:
    """Folders and files that begin as typed."""
    head, tail = os.path.split(typed)
    folder = Path(head or ".").expanduser()
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (OSError, ValueError):
        return
    for entry in entries:
        if entry.name.startswith(tail) and (tail or not entry.name.startswith(".")):
            end = "/" if entry.is_dir() else ""
            yield Completion(entry.name + end, -len(tail))
