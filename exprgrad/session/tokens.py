"""The tokens of a statement: those of expressions, and the names that a session knows.

A name that can be called becomes a FUNCTION before a bracket, with or without primes, as does `df/dx`.
`at`, `grad` and the name that a definition defines are tokens of their own.
"""

from __future__ import annotations

from collections.abc import Collection

from exprgrad.errors import ExpressionSyntaxError, ExprgradError, Span, UsageError
from exprgrad.language import inputs, leibniz
from exprgrad.language.elsewhere import instead
from exprgrad.language.leibniz import PRIMES
from exprgrad.language.notes import shorten
from exprgrad.language.scanner import Tokens
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import (
    CONSTANTS,
    did_you_mean,
    function_base,
    is_function,
)
from exprgrad.patterns import pattern

ANS = "ans"
"""The name of the last result."""

_NAME = r"[^\W\d_π⁰¹²³⁴-⁹ⁱⁿʰ-ʸˠ-ˤᴬ-ᵡ¼-¾⅐-⅞][^\Wπ⁰¹²³⁴-⁹ⁱⁿʰ-ʸˠ-ˤᴬ-ᵡ¼-¾⅐-⅞]*"
_HEAD = pattern(rf"\s*({_NAME})\s*\(([^()=]*)\)\s*=(?!=)")
_CALL = pattern(r"\s*(?:\^\s*[-−]?[0-9]+|[⁻²³⁴-⁹⁰¹]+)?\s*[(\[{]")
_BOUND = pattern(r"\s*=(?!=)")
_LISTED = pattern(rf"\s*{_NAME}\s*(?:,\s*{_NAME}\s*)*")
_AT = pattern(rf"\s+{_NAME}\s*=(?!=)")
_GIVEN = pattern(rf"(?:\bat|,)\s*({_NAME})\s*=(?!=)")
_OPERAND = pattern(r"\s*[\w(\[{∂√]")


def head(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The name and the parameters at the beginning of a definition such as `f(x, y) = ...`."""
    if "(" not in text.partition("=")[0]:
        return None
    match = _HEAD.match(text)
    if match is None or not _LISTED.fullmatch(match.group(2)):
        return None
    names = inputs.normal(match.group(2)).split(",")
    return match.group(1), tuple(name.strip() for name in names)


def refuse(name: str, span: Span, called: bool = False) -> None:
    """Raise `UsageError` for a name that already has a meaning."""
    if name in CONSTANTS:
        what = "a constant and has its value"
    elif name == ANS:
        what = "the last result"
    elif is_function(name, called):
        signatures = [o.signature for o in named(function_base(name)[0]).values()]
        what = f"a function, {signatures[0]}" if signatures else "an operator"
    else:
        return
    raise UsageError(f"{name} is {what}", span, "choose another name")


class Words:
    """What names mean to the scanner: functions and formulas, and those of the latter that are `declared` where they are read."""

    def __init__(
        self, words: Words | None = None, declared: Collection[str] | None = None
    ) -> None:
        self.functions: set[str] = words.functions if words else set()
        self.formulas: set[str] = words.formulas if words else set()
        self.declared: Collection[str] = self.formulas if declared is None else declared

    def put(self, name: str, is_defined: bool, is_function: bool) -> None:
        """Say what a name means from now on."""
        for kind, own in ((True, self.functions), (False, self.formulas)):
            own.discard(name)
            if is_defined and kind is is_function:
                own.add(name)


class StatementTokens(Tokens):
    """The tokens of a statement.

    `mentioned` are the names in it, each with its first place, except the name that it defines and its
    `parameters`. `kept` are those that are variables here whatever they mean elsewhere: parameters, names
    after `at`, and names that are differentiated with respect to.
    """

    grammar = "session"
    settles = Tokens.settles | {
        "PRIMED": "_primed", "D_NAMED": "_d_named", "LAST": "_last", "_GRAD": "_grad",
    }  # fmt: skip
    operands = Tokens.operands | {"PRIMED", "D_NAMED", "LAST"}
    indexed = Tokens.indexed | {"LAST"}

    def __init__(self, source: str, words: Words, by: Collection[str] = ()) -> None:
        found = head(source)
        self.parameters = found[1] if found else ()
        self.kept = set(self.parameters)
        self.mentioned: dict[str, Span] = {}
        declared = words.declared
        self._functions, self._formulas = words.functions, words.formulas
        if self.parameters:
            declared = {*declared, *self.parameters}
            self._functions = self._functions.difference(self.parameters)
            self._formulas = self._formulas.difference(self.parameters)
        super().__init__(source, declared, lenient=True, by={*by, *self.parameters})

    def _last(self, text: str, span: Span) -> None:
        self._operand(ANS, ANS, span, "LAST")

    def _grad(self, text: str, span: Span) -> None:
        self._add("_GRAD", text, span)

    def _d_by(self, text: str, span: Span) -> None:
        self.kept.update(leibniz.names(text)[1])
        super()._d_by(text, span)

    def _name(self, typed: str, span: Span) -> None:
        text = self._normal(typed, span)
        if not self.kinds and (self.parameters or _BOUND.match(self.source, span[1])):
            self._define(text, span)
        elif text == "at" and self.kinds and _AT.match(self.source, span[1]):
            self.kept.update(_GIVEN.findall(self.source, span[0]))
            self._add("_AT", text, span)
        elif text == "grad" and not self.kinds and self._is_operator(text, span):
            self._add("_GRAD", text, span)
        elif text in self._functions or text == ANS:
            self._operand(text, text, span)
        else:
            super()._name(typed, span)  # as it was typed, for a subscript ends a name

    def _unknown(self, name: str, span: Span, called: bool) -> None:
        try:
            super()._unknown(name, span, called)
        except ExpressionSyntaxError as error:
            if "did you mean" not in (error.hint or "") and not instead(name):
                error.hint = f"define it: {shorten(name)}(x) = ..."
            raise

    def _refuse_call(self, name: str, span: Span, called: bool) -> None:
        """A definition may use a function that is defined after it."""
        if called and "_ASSIGN" not in self.kinds:
            super()._refuse_call(name, span, called)

    def _define(self, name: str, span: Span) -> None:
        refuse(name, span, called=bool(self.parameters))
        for parameter in self.parameters:
            where = (self.source.index("(") + 1, self.source.index("="))
            refuse(parameter, where)
            if self.parameters.count(parameter) > 1:
                raise UsageError(f"{parameter} is given twice as a parameter", where)
        super()._add("DEFINE" if self.parameters else "NAME", name, span)

    def _is_operator(self, text: str, span: Span) -> bool:
        return text not in self._declared and bool(_OPERAND.match(self.source, span[1]))

    def _add(self, kind: str, text: str, span: Span) -> int:
        if kind == "NAME":
            self._mention(text, span)
        return super()._add(kind, text, span)

    def _is_free(self, name: str) -> bool:
        return not (self.parameters or self._is_known(name)) and super()._is_free(name)

    def _is_known(self, name: str) -> bool:
        return name in self._functions or name in self._formulas or name == ANS

    def _mention(self, name: str, span: Span) -> None:
        if name not in self.parameters:
            self.mentioned.setdefault(name, span)

    def _operand(self, name: str, text: str, span: Span, kind: str = "NAME") -> None:
        """Something that the session knows: a function before a bracket, else a name."""
        self._mention(name, span)
        called = name in self._functions and bool(_CALL.match(self.source, span[1]))
        super()._add("FUNCTION" if called else kind, text, span)

    def _primed(self, text: str, span: Span) -> None:
        name = text.rstrip(PRIMES)
        if not self._is_known(name):
            raise self._no_function(name, (span[0], span[0] + len(name)))
        self._operand(name, text, span, "PRIMED")

    def _no_function(self, name: str, where: Span) -> ExprgradError:
        known = self._functions | self._formulas
        hint = did_you_mean(name, known, f"define it: {name}(x) = ...")
        if name in self._declared:
            hint = f"{name} is not a function: write d/dx ({name})"
        return ExpressionSyntaxError(f"there is no function {name}", where, hint)

    def _d_named(self, text: str, span: Span) -> None:
        """`df/dx` if f is known; else, unless it is written with ∂, a quotient of names."""
        name, below = leibniz.names(text)
        self._mention(name, span)
        words = [f"d{name}", *(f"d{variable}" for variable in below)]
        plain = any(word in self._declared for word in words) and "∂" not in text
        if self._is_known(name) and not plain:
            self._operand(name, text, span, "D_NAMED")
        elif "∂" in text or (not plain and text == self.source.strip()):
            raise self._no_function(name, leibniz.place_of_name(text, span[0]))
        else:
            for kind, word, place in leibniz.as_quotient(text, span[0]):
                if kind == "NAME":
                    super()._name(word, place)
                else:
                    self._add(kind, word, place)
