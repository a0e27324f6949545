"""Sessions: statements and commands, one after the other, with names that keep their meanings.

    session = Session()
    session.run("f(x, y) = x^2*y")
    session.run("grad f at x=1, y=2")[0].evaluation.gradient     # {"x": 4.0, "y": 1.0}
    session.run(":diff f wrt x")[0].derivatives

Statements and commands return data. One that fails or is interrupted leaves the session as it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress

from exprgrad.annotations import Any
from exprgrad.budget import Spent, limited
from exprgrad.commands import typed
from exprgrad.commands.declared import command_of
from exprgrad.data.files import opening
from exprgrad.errors import (
    ExpressionSyntaxError,
    ExprgradError,
    Hint,
    InternalError,
    UsageError,
    worded,
)
from exprgrad.language import elsewhere, inputs
from exprgrad.language.scanning.reach import Unclear, is_offer
from exprgrad.notation.text import text_up_to
from exprgrad.session import claims, commands, entries
from exprgrad.session.entries import Entry, split
from exprgrad.session.results import IN_SESSION, Bound, Defined
from exprgrad.session.statements import head
from exprgrad.session.workspace import BEFORE, LONGEST_READING, Walk, Workspace

_UNKNOWN = ("there is no ", "the word ", "these words ")
"""How an error begins that is about a word, and not about what the text means."""


class Session(Workspace):
    """A workspace that executes commands as well as statements."""

    offered: str | None = None
    """What may have been meant by the last text, which could not be read."""

    said: str | None = None
    """What was executed last in the place of a question in words."""

    def __init__(self, files: bool = True, *, budget: int | None = None) -> None:
        """Without `files`, no statement opens one that it names; each has the `budget`."""
        super().__init__()
        self.files, self.budget = files, budget

    def run(self, text: str) -> list[Any]:
        """Execute the statements of a text, and return the results of those that are not quiet.

        Raises `ExprgradError` at the first that fails; those before it stay done.
        """
        inputs.text(text, "a statement")
        if self.walk.takes(text):
            return self.walk.press(text)
        return [result for result, hidden in self.results(text) if not hidden]

    def results(self, text: str) -> Iterator[tuple[Any, bool]]:
        """Execute the statements of a text, and yield the result of each, and whether it is hidden.

        One that cannot be read may ask, together with those before it, one question.
        """
        parts = split(text)
        # the names as they were: statements before one that fails may have defined more
        own = {*self.scope.definitions} if parts[1:] else ()
        try:
            for entry in parts:
                result = self.execute(entry)
                yield result, entry.hides(result)
        except ExprgradError:
            whole = self._together(text, own) if parts[1:] else None
            if whole is None:
                raise
            yield whole, False

    def execute(self, entry: Entry) -> Any:
        """Execute one statement or command. Raises `ExprgradError` with its place in the entry's source."""
        self.walk, self.offered, self.said = Walk(), None, None
        if not self.loading:
            self.typed.append((entry.text, entry.text))
        # `:undo` puts another list in place of `_past`, and is no change that could be undone itself
        before, past = self.state, self._past
        try:
            with opening("links" if self.files else "none"), limited(self.budget):  # fmt: skip
                result = self._executed(entry)
        except ExprgradError as error:
            if error.source in (entry.text, None) and not is_offer(error):
                elsewhere.with_better_hint(error, entry.text)
            self._offer(entry.text, error)
            raise placed(error, entry) from None
        # it is about the budget, which may be that of a caller, and not about this statement
        except Spent:
            raise
        except (RecursionError, MemoryError):
            raise UsageError("this is too large to compute") from None
        except Exception as error:  # whatever it is, it must not cost the session
            raise InternalError(error) from error
        if not self.loading and self._past is past:
            self.changed(entry.text, before)
        return result

    def _offer(self, text: str, error: ExprgradError) -> None:
        """Keep what may have been meant by a text that cannot be read, for the next line."""
        from exprgrad.language.words.corrections import offers

        is_unknown = error.message.startswith(_UNKNOWN)
        is_unread = isinstance(error, ExpressionSyntaxError) and not isinstance(error, Unclear)  # fmt: skip
        if text.startswith(":") or not (is_unknown or is_unread):
            return
        found = [t for t in offers(text, error) if self._used(t) or typed.is_read(t)]
        if not found and error.exit_code == UsageError.exit_code:
            found = [*filter(None, [entries.in_signs(text, most=True)])]
        if found:
            self.offered, *others = found
            error.hint = Hint("instead", text=self.offered, others=others)

    def _executed(self, entry: Entry) -> Any:
        """The result of a statement; of one that cannot be read, of what it may be in another notation."""
        # before anything is read, so that of h: x ↦ x^2+ the missing value is told, and not that `:` is no sign
        if any(arrow in entry.text for arrow in entries.ARROWS):
            text = entries.definition(entry.text) or entry.text
            entry = entry._replace(text=text)
        asked = entries.in_signs(entry.text) if entries.asks(entry.text) else None
        if asked is not None and "implicit" in asked:
            return self._as_typed(entry._replace(text=asked))
        try:
            used = self._used(entry.text)
            typed.refuse_misleading(entry.text, used)
            if not used and elsewhere.instead(entry.text) is elsewhere.ALONE:
                raise ExpressionSyntaxError(f"the word {entry.text} stands alone", (0, len(entry.text)), elsewhere.ALONE)  # fmt: skip
            return self._as_typed(entry)
        except ExprgradError as error:
            is_told = is_offer(error) and ")'" not in entry.text
            is_usage = error.exit_code == UsageError.exit_code and not is_told
            found = is_usage and self._otherwise(entry, isinstance(error, ExpressionSyntaxError))  # fmt: skip
            if not is_usage or found is None:
                raise
            return found

    def _otherwise(self, entry: Entry, unread: bool) -> Any:
        """The result of what is in another notation; if it could not be read at all, also of a question in words."""
        with suppress(ExprgradError):  # what is wrong with it as it stands says more
            text = entries.definition(entry.text)
            unread &= not (entry.text.rstrip()[-1:] in "?=" and _defines(entry.text))
            if text is not None:
                return self._as_typed(entry._replace(text=text))
            asked = claims.read(self, entry, asks=True) if unread else None
            if asked is not None:
                return asked
        says = not (_defines(entry.text) or _SAYING.isdisjoint(entry.text.lower().split()))  # fmt: skip
        asks = unread or says or re.search(r"(?:^|[.,;])\s*(?:what\s+is\s+)?[a-z]['’′]", entry.text, re.IGNORECASE)  # fmt: skip
        return self._together(entry.text, {*self.scope.definitions}) if asks else None

    def _together(self, text: str, own: Collection[str]) -> Any:
        """The result of a line that is one question in words, or defines what it asks about, but none of its `own` names; or None."""
        from exprgrad.language.questions import Definition
        from exprgrad.language.words.formulas import composed

        written = text
        with suppress(ExprgradError):
            written = self._written_out(text)
        for asked in dict.fromkeys((written, text)):
            with suppress(ExprgradError):
                self.said = entries.in_signs(asked)
                # a command stays one: tangent g is no formula
                if self.said is not None and (self.said[0] == ":" or text[0] != ":"):
                    return self._as_typed(Entry(self.said, 0, self.said))
        with suppress(ExprgradError):
            self.said = whole = composed(text)
            said = typed.typed_in(whole) if "=" in text and "\n" not in text.strip() else ()  # fmt: skip
            if any(isinstance(each, Definition) or each.kind == "implicit" for each in said or ()) and not self._used(text, own):  # fmt: skip
                return command_of(typed.command_for(whole, ()))(expression=whole).run()
        definitions = self.scope.definitions
        if claims.only_formula(self) and not self._used(text) and "=" not in text.partition(" at ")[0]:  # fmt: skip
            # the slope at 3, or critical points, of the only formula
            with suppress(ExprgradError):
                whole = "; ".join([*(known.text for known in definitions.values()), text])  # fmt: skip
                self.said = entries.in_signs(whole)
                if self.said is not None:
                    return self._as_typed(Entry(self.said, 0, self.said))
                return command_of(typed.command_for(whole, ()))(expression=whole).run()
        return None

    def _written_out(self, text: str) -> str:
        """A question with the definition of what it is about: critical points of f(x) = x^2, or of u = x^2."""
        for name, known in self.scope.definitions.items():
            if name not in text:
                continue
            own, formula = name, known.formula
            if known.parameters:
                own = f"{name}({', '.join(known.parameters)})"
            elif self.value(name) is None:
                # down to its variables: "tangent to u at 1" is at x=1, not at u=1
                whole = text_up_to(self.expression(name)[0].root, LONGEST_READING)
                formula = whole or name
            else:
                continue
            alone = rf"(^:?\w+\s+|\b(?:of|to|for|from)\s+|d/d\w\s+)(?:{re.escape(own)}|{name})(?=\s*(?:$|[?:,;]|\s[a-z]{{2}}))"
            text = re.sub(alone, rf"\1{own} = {formula}", text)
        return text

    def _used(self, text: str, own: Collection[str] | None = None) -> set[str]:
        """The names in a text that the session has defined, or those that are its `own`."""
        known = self.scope.definitions if own is None else own
        return {word for word in re.findall(r"[^\W\d]\w*", text) if word in known}

    def _as_typed(self, entry: Entry) -> Any:
        text = entry.text
        name = text.rstrip("? ")
        is_name = name.isidentifier() or not any(c.isalnum() for c in name)
        if text.startswith((":", "?")) or (text.endswith("?") and is_name):  # sin?, +?
            return commands.execute(self, entry)
        if text.endswith("?") and not _defines(text):
            entry = entry._replace(text=text.rstrip("? "))
        command = commands.meant(self, entry)
        if command is not None:
            return commands.execute(self, command)
        if entry.text.startswith("=") and self.scope.last is not None:
            claimed = entry.text.lstrip("= ")  # about the last result
            # `:check ` has seven characters, and the places in the claim stay what they are
            start = max(entry.start + len(entry.text) - len(claimed) - 7, 0)
            entry = entry._replace(text=f":check {claimed}", start=start)
            return commands.execute(self, entry)
        found = claims.read(self, entry)
        if found is None and ":" in entry.text:
            found = claims.in_range(self, entry)
        if found is not None:
            return found
        return super().execute(claims.at_values(self, entry))


_SAYING = frozenset("at when where for of to if is find derivative tangent".split())
"""Words of questions that may be read as something else."""


class Answer:
    """The answer to a text, with the attributes of the last result behind it.

    A claim has a `status` and `evidence`, several have those of the first that is not right; a question has a `value`, a `derivative` as a formula, a `gradient` by the
    names of the variables, or another formula as its `answer`. What there is not, it does not have.
    """

    def __init__(self, results: list[Any], is_derived: bool = False) -> None:
        self.results = results
        every = [_facts(result, is_derived) for result in results]
        wrong = next((own for own in every if own.get("status", "correct") not in ("correct", "equal")), {})  # fmt: skip
        for own in (*every, wrong):
            vars(self).update(own)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "results":
            raise AttributeError(name)
        return getattr(self.results[-1], name)

    def __repr__(self) -> str:
        return f"Answer({', '.join(f'{n}={x!r}' for n, x in vars(self).items() if n != 'results')})"  # fmt: skip


def _facts(result: Any, is_derived: bool = False) -> dict[str, Any]:
    """Return what a result says, by the names of an answer; of d/dx x^2 that alone, unless the result `is_derived` of it."""
    found: Any = getattr(result, "verdict", None) or getattr(result, "found", None)
    if hasattr(found, "status"):
        return {"status": found.status, "evidence": found.evidence}
    if hasattr(result, "evaluation"):
        own = result.evaluation
        if getattr(result, "is_gradient", False):
            return {"gradient": own.gradient}
        both = {"value": own.value, "gradient": own.gradient}
        return {"value": own.value} if own.expression.asks_for_derivative else both
    if hasattr(result, "derivatives"):
        expression = result.derivatives.expression
        if expression and expression.asks_for_derivative and not is_derived:
            return {"derivative": str(expression)}
        formulas = {",".join(each.wrt): str(each.derivative) if each.value is None else each.value for each in result.derivatives.formulas}  # fmt: skip
        if len(formulas) == 1:
            return {"derivative": next(iter(formulas.values()))}
        return {"gradient": formulas}
    formula = getattr(result, "formula", None)
    return {} if formula is None else {"answer": formula}


def ask(text: str, **values: Any) -> Answer:
    """Return the answer to whatever can be typed: an expression, a claim, a question in words, definitions before it.

        ask("d/dx x^2 = 2x").status                 # "correct"
        ask("a*x^2", a=2, x=3).value                # 18.0

    `as_dict()` is what the command line writes as JSON. `values` are numbers, or formulas as texts, by name.
    No file is opened. Raises `ExprgradError`.
    """
    session = Session(files=False)
    for name, value in values.items():
        session.run(f"{name} = {value}")
    found = session.run(inputs.text(text, "a statement").rstrip("; \n"))
    if not found:
        raise UsageError("there is nothing to answer")
    derived = getattr(found[-1], "derivatives", None)
    if isinstance(found[-1], Bound | Defined):  # is about what it defines
        found += session.run(found[-1].formula)
    elif derived and derived.expression and derived.expression.asks_for_derivative:
        # a session also tells the derivative of what is asked for
        text = session.said or text
        found[-1] = command_of(typed.command_for(text, ()))(expression=text).run()
        return Answer(found, is_derived=True)
    return Answer(found)


def _defines(text: str) -> bool:
    """Return whether a text is a definition, which no question makes."""
    name, equals, _ = text.partition("=")
    return bool(equals) and (name.strip().isidentifier() or head(text) is not None)


def placed(error: ExprgradError, entry: Entry) -> ExprgradError:
    """An error of a statement, with its place in the source of the entry."""
    error.hint = worded(error.hint, IN_SESSION)
    shift = entry.start
    if error.source == f"{BEFORE}{entry.text}":
        shift -= len(BEFORE)
    elif error.source not in (entry.text, None):
        return error
    if error.span is not None:
        start, end = error.span
        # an error in `* 2` may be about the `ans` before it, which was not typed
        first = max(entry.start, start + shift)
        error.span = (first, max(first + 1, end + shift))
    error.source = entry.source
    return error
