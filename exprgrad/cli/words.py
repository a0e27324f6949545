"""Texts on the command line that ask in words, or nearly in signs, and the commands that they ask for."""

from __future__ import annotations

import re
from functools import reduce

from exprgrad.commands import typed
from exprgrad.commands.declared import COMMANDS, GROUPS, Command, Result
from exprgrad.commands.hints import ON_COMMAND_LINE, in_shell
from exprgrad.commands.reading import first
from exprgrad.errors import BindingError, ExprgradError, Hint, UsageError, worded
from exprgrad.language import questions
from exprgrad.language.products import letters
from exprgrad.language.scanning.reach import Unclear, is_offer


def in_words(argv: list[str], error: ExprgradError | None = None) -> list[str] | None:
    """The arguments of the command that a text without one asks for in words; None where there is none.

    An `error` says what is wrong with the text as it was read: if a value is missing, words change nothing.
    """
    place = first(argv)
    if place is None or not (argv[place] in COMMANDS or typed.is_expression(argv[place])):  # fmt: skip
        return None
    if error is not None and (error.exit_code != UsageError.exit_code or is_offer(error)):  # fmt: skip
        return None
    if isinstance(error, BindingError) and argv[place] not in COMMANDS and _SAYING.isdisjoint(argv[place].split()):  # fmt: skip
        return None
    from exprgrad.language.words.formulas import composed
    from exprgrad.language.words.tasks import command

    if argv[place] in COMMANDS:
        claimed = command(argv[place + 1]) if argv[place] == "check" and argv[place + 1 :] else None  # fmt: skip
        if claimed is not None and claimed.command == "check":
            return [*claimed.arguments, *argv[:place], *argv[place + 2 :]]
        return _with_signs(argv, place) if argv[place] in _WITH_FORMULA else None
    found = command(argv[place])
    if found is None:
        written = _with_names(argv, place)
        written[place] = composed(written[place])
        return None if written == argv else written
    name, text, *options = found.arguments
    # "the derivative of x^2" --at x=3 asks for a number
    if name == "diff" and not options and set(typed.EVALUATING) & set(argv):
        name = "eval"
    return _with_names([name, text, *options, *argv[:place], *argv[place + 1 :]], 1)


def by_session(command: Command) -> Result | None:
    """The answers of a session about slopes of what the same text defines, y = e^x; y' - y = 0; None for other texts."""
    from exprgrad.language.latex.plain import plain

    names = ("a", "b", "expression", "claim", "claims", "file", "work", "wrt", "at")
    text, *others = [x for name in names if (x := getattr(command, name, None))] or [""]
    # with a second text, or a point beside it, the command has its own question
    if others or not isinstance(text, str) or "=" not in text:
        return None
    try:
        said = typed.typed_in(text) or []
    except Unclear:
        return None
    except ExprgradError:  # dy/du * du/dx of what is defined
        said = []
    asked = questions.questions_in(said)
    # for what is left of f'(2), h_x, ∂h/∂x and f f' in an expression no formula could be written
    slopes = [rf"{questions.slope_of(d.name, d.parameters or sorted(letters(d.given.text, None)))}|{d.name}['’′]|(?<![^\W\d]){d.name}{_NOT_CALLED[bool(d.parameters)]}|[d∂][\^\d]*{d.name}\b" for d in said if isinstance(d, questions.Definition)]  # fmt: skip
    of_values = any(q.is_of_values or (q.kind == "expression" and any(re.search(slope, q.given[0].text) for slope in slopes)) for q in asked)  # fmt: skip
    if said and not (of_values and len(asked) < len(said) and (command.format == "text" or not asked[1:])):  # fmt: skip
        return None
    from exprgrad.session.session import Session

    session = Session(files=False)
    spans = questions.statements(plain(text).text if questions.is_tex(text) else text, questions.NOTHING)  # fmt: skip
    try:
        every = [r for a, b in spans for r in session.run(text[a:b])]
    except Unclear:
        raise
    except ExprgradError:
        return None
    found = [result for result in every if isinstance(result, Result)]
    # a statement that printed something else, or nothing, leaves the answer to the command
    return reduce(Result.with_, found) if len(found) == len(asked or [text]) else None


_NOT_CALLED = r"(?!)", r"(?!\w|\s*\()"
"""Behind a name: nothing for a formula; for a function, that it is not called."""


def offer(argv: list[str], error: ExprgradError) -> None:
    """Let an error about a text without a command offer one that was probably meant."""
    from exprgrad.language.words import corrections, tasks

    place = first(argv)
    if place is None or error.exit_code != UsageError.exit_code or is_offer(error):
        return
    kind = error.hint.kind if isinstance(error.hint, Hint) else ""
    named = argv[place] in COMMANDS
    words: list[str] = []
    if kind == "uncertain":
        words = ["uncertainty", *argv[place + named :], *argv[: place * (not named)]]
        # a value without an uncertainty is exact
        for i in (i + 1 for i, word in enumerate(words[:-1]) if word == "--at"):
            words[i] = ",".join(p if "±" in p else f"{p}±0" for p in words[i].split(","))  # fmt: skip
    elif kind == "compare_or_give" and named and argv[place] in ("diff", "steps"):
        words = [*argv, "--implicit"]
    if words:
        error.hint = Hint("instead", text="", command=" ".join(map(in_shell, words)))
    if words or (named and kind != "own_command"):
        return
    text = error.source or "" if named else argv[place]
    texts = [*filter(typed.is_read, corrections.offers(text, error))]
    if texts:
        error.hint = Hint("instead", text=texts[0], others=texts[1:])
        return
    found = tasks.nearest(text)
    if found is not None:
        name, formula, *options = found.arguments
        error.hint = Hint("instead", text="", command=" ".join([name, in_shell(formula), *options]))  # fmt: skip
    elif kind != "own_command" and len(text.split()) > 1:
        of = tasks.formula_in(text)
        # a text of words alone is a question, and the page has examples of questions
        more = "for more: exprgrad help derivatives" * text.replace(" ", "").isalpha()
        # not a part of what is refused, as of int_0^x sin(t)
        if of is not None and of not in text[slice(*error.span or (0,))] and typed.is_read(of):  # fmt: skip
            more = f"its derivatives: exprgrad {in_shell(of)}"
        told = (worded(error.hint, ON_COMMAND_LINE) or "").replace("x^3 - 3x", of or "x^3 - 3x")  # fmt: skip
        error.hint = "; ".join(filter(None, (told, more)))


_WITH_FORMULA = (*GROUPS["Derivatives"], *GROUPS["Pictures"], "check", "same", "minimize")  # fmt: skip


def _with_signs(argv: list[str], place: int) -> list[str] | None:
    """A command whose formula is in words, or whose point lacks names, in signs and with names."""
    from exprgrad.language.words.tasks import in_notation

    written = _with_names([in_notation(a) or a if i > place and argv[i - 1][:1] != "-" else a for i, a in enumerate(argv)], place + 1)  # fmt: skip
    return written if written != argv else None


def _with_names(argv: list[str], place: int) -> list[str]:
    """The arguments with the names of the variables in a point: for 3, x=3."""
    from exprgrad.language.words.tasks import point

    is_point = [False, *(option in ("--at", "--start") for option in argv)]
    return [(is_at and point(a, argv[place])) or a for is_at, a in zip(is_point, argv, strict=False)]  # fmt: skip


_SAYING = frozenset(("is", "equals", "of", "to", "into", "for", "if", "where", "given"))
"""Words with which a point may be said otherwise than x=2."""


def show(argv: list[str]) -> None:
    """Print the command that is run, where people read the answer."""
    if any(a == "-q" or a.startswith(("--format", "--quiet")) for a in argv):
        return
    import shlex

    from exprgrad.views.output import emit

    emit(f"exprgrad {shlex.join(argv)}")
