"""Source text to a graph, with notes on how the text was read."""

from __future__ import annotations

from collections.abc import Collection

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExprgradError
from exprgrad.graph.value import Value
from exprgrad.language import elsewhere, grammar, inputs, lalr
from exprgrad.language.brackets import mark_values
from exprgrad.language.builder import Builder
from exprgrad.language.notes import Binding, Slope
from exprgrad.language.scanning.defined import NOTHING, Defined
from exprgrad.language.scanning.scanner import Tokens
from exprgrad.operations.vocabulary import CONSTANTS


class Reading(NamedTuple):
    """The reading of a text; `implicit` if that contains something that was not typed."""

    source: str
    root: Value
    variables: tuple[Value, ...]
    notes: tuple[str, ...]
    implicit: bool
    slopes: tuple[Slope, ...] = ()

    @classmethod
    def of(cls, root: Value, builder: Builder) -> Reading:
        """The reading of a text whose graph has been built."""
        notes, texts = builder.notes, builder.notes.texts()
        variables, slopes = tuple(builder.variables.values()), tuple(builder.slopes)
        return cls(notes.source, root, variables, texts, notes.implicit, slopes)


def read(
    source: str,
    variables: Collection[str] = (),
    *,
    strict: bool = False,
    lenient: bool = False,
    defined: Defined = NOTHING,
) -> Reading:
    """Read an expression. `variables` declares names, into which `xy` may be split.

    A `lenient` reading is for places where nothing has to be declared: see `Tokens`. Of a step of a solution,
    `defined` says what f'(3), y' and dy/dx stand for.
    """
    declared, source = frozenset(inputs.declared(variables)), inputs.text(source)
    try:
        if defined.is_step:
            from exprgrad.language.scanning.step_tokens import StepTokens

            tokens: Tokens = StepTokens(source, declared, defined)
        else:
            tokens = Tokens(source, declared, strict, lenient)
        builder = Builder(tokens, defined)
        root = _run(tokens, builder)
        if builder.variables and "tau" in tokens.texts:
            builder.notes.add("tau", "tau is 2*pi; a variable needs another name: τ")
        for name in declared.intersection(CONSTANTS, tokens.texts) - {"tau"}:
            builder.notes.add(name, f"{name} is a constant; rename the variable")
        return Reading.of(root, builder)
    except ExprgradError as error:
        # errors are raised with a span alone, which means nothing without the text that it is in
        error.source = source
        if lenient:
            elsewhere.with_better_hint(error, source)
        raise


def read_bindings(source: str) -> list[Binding]:
    """Read `a=2, x=pi/4`: a list of names, each with the expression that it is set to."""
    try:
        tokens = Tokens(source)
        mark_values(tokens.kinds, tokens.texts)  # a list of bindings, not an expression
        tokens.insert(0, "_AT", "", (0, 0))
        return list(_run(tokens, Builder(tokens)))
    except ExprgradError as error:
        error.source = source
        raise


def _run(tokens: Tokens, builder: Builder) -> Any:
    try:
        lists = tokens.kinds, tokens.texts, tokens.spans
        return lalr.run(grammar.tables(), *lists, builder.actions)
    except lalr.Unexpected as unexpected:
        from exprgrad.language.complaints import complaint

        raise complaint(tokens, unexpected) from None
