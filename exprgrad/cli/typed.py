"""What a text on the command line asks for, and the command that answers it.

    command_for("x^2 sin x", [])                "diff"
    command_for("x^2", ["--at", "x=3"])         "eval"
    command_for("d/dx x^2 = 2x", [])            "check"
    question("y = x^2", ()).expression          x^2, whose derivative is asked for by `diff` alone

Exact names of commands win. An expression has a digit, an operator, a bracket or a blank, or is one letter.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection

from exprgrad.annotations import TYPE_CHECKING, NamedTuple
from exprgrad.errors import ExpressionSyntaxError, ExprgradError, Hint, UsageError
from exprgrad.language import inputs, points
from exprgrad.language.shapes import is_latex

if TYPE_CHECKING:
    from exprgrad.data.bindings import Bindings
    from exprgrad.expressions.expression import Expression
    from exprgrad.grading.problems import Problem
    from exprgrad.language.sentences import Typed

_BEGINNINGS = frozenset("d∂δ∇([")
_SIGNS = frozenset("=:?.;'\"`$@>,|\n")
_WORDS = (
    "deriv", "iff", "lambda", "def ", " at ", "wrt", "w.r.t", " when ", " for ", " where ", "with ", "D", "dy", "slope",
    "deriva", "riv", "leitung", "fgeleide", "find", "valuate", "compute", "calculate", "what", "What", "Find", "grad", "Grad", "given",
)  # fmt: skip

_KINDS = ("tangent", "linear", "taylor", "maclaurin", "gradient", "hessian", "critical", "slope", "directional", "integra", "antideriv")  # fmt: skip
"""Words for what is asked for besides derivatives."""

EVALUATING = (
    "--at",
    "--trace",
    "--hessian",
    "--seed",
    "--mode",
    "--subgradient",
    "--rows",
)
"""Options that ask for values."""

CHECKING = ("--claim", "--hint", "--solution", "--quiet", "-q", "--form")
"""Options that ask for a verdict."""


class Question(NamedTuple):
    """The function in a text; `order` is 0 where it is given, and more where its derivative is asked for.

    A `mixed` derivative is with respect to several variables. The `point` is a list of values, such as x=3.
    """

    expression: Expression
    order: int = 0
    variable: str | None = None
    point: str | None = None
    mixed: tuple[str, ...] = ()


def is_expression(text: str) -> bool:
    """Whether an argument is an expression, not the name of a command."""
    plain = text.strip()
    if len(plain) == 1:
        return plain.isalnum() or not plain.isascii()
    if plain.isalpha():
        return len(plain) == 2 or not plain.isascii() or _is_formula(plain)
    return any(not (c.isalpha() or c in "-_.") for c in plain) or "-" in plain[:1]


def _is_formula(word: str) -> bool:
    """Whether a word is a constant, or functions and their argument: pi, sinx."""
    from exprgrad.language.elsewhere import constant
    from exprgrad.language.products import Splitter
    from exprgrad.operations.vocabulary import CONSTANTS

    if word in CONSTANTS or constant(word) is not None:
        return True
    return bool(Splitter((), several=True, argument="x").ways(word))


def command_for(text: str, options: Collection[str]) -> str:
    """The command that a text without one is for."""
    given = {option.partition("=")[0] for option in options}
    if given.intersection(CHECKING) or (is_stated(text) and _has_answer(text)):
        return "check"
    typed = typed_in(text)
    if typed is not None and (typed.answers or len(typed.sides) > 1):
        return "check" if typed.answers else "same"
    if given.intersection(EVALUATING):
        return "eval"
    if typed is not None and typed.point and typed.asked is None:
        return "eval"
    return "diff"


def is_stated(text: str) -> bool:
    """Whether a text may be a question of another kind with its answer: a tangent, an integral, dy/dx on a curve."""
    curve = ";" in text and "/d" in text.replace(" ", "")
    return curve or "∫" in text or any(word in text.lower() for word in _KINDS)


def _has_answer(text: str) -> bool:
    """Whether it is one."""
    from exprgrad.checking.kinds.stated import stated

    try:
        return stated(text) is not None
    except ExprgradError:
        return False


def typed_in(source: str) -> Typed | None:
    """What a text asks for beside an expression; None if it is one and nothing else."""
    if _is_plain(source):
        return None
    from exprgrad.language.sentences import read_typed

    try:
        typed = read_typed(source)
    except ExprgradError:
        if "=" in source:
            raise
        return None  # the parser of expressions says better what is wrong
    something = typed.sides or typed.definition or typed.asked
    return typed if something else None


def _is_plain(source: str) -> bool:
    """Whether a text can only be an expression: most are, and the grammar of sentences takes long to load."""
    if (
        "\\" in source
        or is_latex(source)
        or not source.isascii()
        or any(word in source for word in _WORDS)
    ):
        return False
    begins = source.lstrip()[:1]
    if begins in _BEGINNINGS and (begins != "(" or "d" in source):
        return False
    if "." in source and _points_in_numbers(source):
        source = source.replace(".", "")
    return _SIGNS.isdisjoint(source)


def _points_in_numbers(source: str) -> bool:
    """Whether every point in a text stands between two digits."""
    parts = source.split(".")
    return all(p[-1:].isdigit() for p in parts[:-1]) and all(
        p[:1].isdigit() for p in parts[1:]
    )


def question(
    source: str, declared: Collection[str], strict: bool = False, value: bool = False
) -> Question:
    """The function in a text. With `value`, d/dx is part of the expression, where that can be read.

    Raises `ExprgradError` with its place, also for a claim.
    """
    from exprgrad.expressions.expression import parse

    typed = typed_in(source)
    if typed is None:
        return Question(parse(source, declared, strict=strict, lenient=True))
    if len(typed.sides) > 1:
        equals = source.index("=", typed.sides[0][1])
        raise ExpressionSyntaxError(
            "'=' does not belong in an expression",
            (equals, equals + 1),
            Hint("compare_or_give"),
            source=source,
        )
    if typed.answers:
        raise UsageError(
            "this is a claim, not an expression",
            (0, len(source)),
            "exprgrad check decides whether it is right",
            source=source,
        )
    found = _asked(source, typed, declared, strict)
    point = _point(typed.point or found.point, found)
    wholly = typed.asked is None or not (typed.asked.name or typed.asked.mixed)
    if value and found.order and wholly and source.lstrip()[:1] in "d∂D([":
        with contextlib.suppress(ExprgradError):
            whole = parse(source, declared, strict=strict, lenient=True)
            if whole.asks_for_derivative:
                return Question(whole)
    return found._replace(point=point)


def expression_at(
    source: str,
    at: list[str],
    declared: Collection[str] = (),
    strict: bool = False,
    flag: str = "--at",
) -> tuple[Expression, Bindings]:
    """The function in a text in any notation of a problem, a derivative worked out, and the values beside it.

    Values at the end of the text count as well; `flag` is the option that gives the others.
    """
    from exprgrad.data.bindings import Bindings

    given = Bindings(at, flag)
    found = question(source, {*given.values, *declared}, strict, value=True)
    if found.point:
        given = Bindings([*at, found.point], flag)
    expression = differentiated(found)
    given.check(expression)
    return expression, given


def text_in(source: str) -> tuple[str, str | None]:
    """The text of the function in a text in any notation, and the values at its end.

    An equation, the curve of one such as x = y^2, and a list stay as they are.
    """
    from exprgrad.checking.equations import entries

    typed = typed_in(source)
    if typed is None or ("=" not in source and len(entries(source)) > 1):
        return source, None
    definition = typed.definition
    if len(typed.sides) > 1 or typed.answers:
        return source, None
    if typed.asked is not None:
        found = question(source, ())
        return str(differentiated(found)), found.point
    if definition is not None:
        if not definition.parameters and definition.name != "y":
            return source, None
        return source[slice(*definition.function)], typed.point
    if typed.point is None or "=" in typed.point:
        return source[slice(*typed.sides[0])], typed.point
    return source[slice(*typed.sides[0])], question(source, ()).point


def differentiated(found: Question) -> Expression:
    """The function in a question, or its derivative where that is asked for."""
    expression = found.expression
    if not found.order:
        return expression
    if found.mixed:
        return expression.derivative(*found.mixed)
    names = expression.variables
    if found.variable is None and len(names) > 1:
        raise UsageError(
            f"with respect to which variable: {', '.join(names)}?",
            hint=f"write d/d{names[0]} (...)",
        )
    variable = found.variable or (names[0] if names else "x")
    return expression.derivative(variable, order=found.order)


def _asked(
    source: str, typed: Typed, declared: Collection[str], strict: bool
) -> Question:
    """The function that a text gives, or asks the derivative of."""
    from exprgrad.grading.problems import Text, defined, function_of
    from exprgrad.language.products import letters

    asked = typed.asked
    if asked is not None:
        known = {}
        if typed.definition is not None:
            known[typed.definition.name] = defined(typed.definition, source)
        given = function_of(asked, source, known)
        text, names = given.text, given.parameters
        variable = asked.variable or (names[0] if len(names) == 1 else None)
    elif typed.definition is not None:
        given = defined(typed.definition, source)
        text, names, variable = given.text, given.parameters, typed.variable
        if len(names) == 1:
            variable = variable or names[0]
    else:
        text, names, variable = Text.of(source, typed.sides[0]), (), typed.variable
    every = {*declared, *names, *([variable] if variable else [])}
    every |= {*asked.mixed} if asked is not None else set()
    if variable is not None:
        every |= letters(text.text, variable)
    expression = text.parse(every, strict)
    if asked is None:
        return Question(expression, 0, variable)
    if "d/d" in source and _is_sum(text.text):
        expression.notes = (
            *expression.notes,
            f"the derivative is that of all of {text.text}",
        )
    point = None
    if typed.definition is not None and asked.argument is not None:
        inside = source[asked.argument[0] + 1 : asked.argument[1] - 1].strip()
        point = None if inputs.normal(inside) in names else inside  # f'(3)
    return Question(expression, asked.order, variable, point, asked.mixed)


def _point(values: str | None, found: Question) -> str | None:
    """Values by name: of "at 3", x=3 for the only variable x."""
    if values is None or "=" in values:
        return values
    names = found.expression.variables
    name = found.variable or (names[0] if len(names) == 1 else None)
    if name is None:
        raise UsageError(f"which variable is {values}?", hint=Hint("value_beside"))
    return f"{name}={values}"


def _is_sum(text: str) -> bool:
    """Whether a text is a sum outside brackets, so that d/dx before it may be meant for its first term alone."""
    from exprgrad.language.brackets import outside

    return any(i > 0 for sign in "+-−" for i in outside(text, sign))


def claim_in(text: str, order: int, declared: Collection[str]) -> Expression:
    """An answer: 2x, = 2x, y' = 2x, f'(x) = 2x, $2x$, 2x dx; of 2x = 2*x the last."""
    from exprgrad.grading.problems import Text, without_differential
    from exprgrad.language.products import letters

    whole = Text(text, text, 0)
    if typed_in(text) is not None:
        from exprgrad.grading.sheet import answer_in

        whole = answer_in(text, order)
    claim, without = without_differential(whole, declared)
    read = claim.parse({*declared, *letters(claim.text, None)})
    if read.asks_for_derivative:
        raise whole.refuse("an answer cannot ask for a derivative", "work it out")
    if without:
        read.notes = (*read.notes, f"{without} is left out of your answer")
    return read


def problem_in(text: str) -> Problem | None:
    """A problem with its answer; None if there is no answer."""
    from exprgrad.grading.sheet import read_problem

    typed = typed_in(text)
    return read_problem(text, typed) if typed is not None and typed.answers else None


def sides_of(text: str) -> tuple[str, str, str | None]:
    """Both sides of an equation, and the values behind it: x^2 + 1 = 5 at x=2."""
    typed = typed_in(text)
    if typed is None or len(typed.sides) < 2:
        raise UsageError(
            "give two expressions", hint='exprgrad same "2 sin x cos x" "sin(2x)"'
        )
    first, *_, last = (text[slice(*side)] for side in typed.sides)
    return first, last, typed.point


def at_point(
    sides: tuple[Expression, Expression], point: str
) -> tuple[Expression, Expression]:
    """Two expressions with numbers in place of variables."""
    from exprgrad.data.bindings import Bindings
    from exprgrad.expressions.expression import Expression
    from exprgrad.expressions.taylor import at_place

    names = tuple(dict.fromkeys(name for side in sides for name in side.variables))
    if "=" not in point:
        if len(names) != 1:
            raise UsageError(f"which variable is {point}?", hint=Hint("value_beside"))
        point = f"{names[0]}={point}"
    place = Bindings([point], "at").exact
    for name in place:
        if name not in names:
            raise points.no_variable(name, names)
    first, last = (Expression.of(at_place(side.root, place)) for side in sides)
    return first, last


def in_common(a: str, b: str) -> tuple[Expression, Expression]:
    """Two expressions whose names are read alike."""
    from exprgrad.expressions.expression import parse
    from exprgrad.language.products import letters

    names = letters(f"{a} ; {b}", None)
    first = parse(a, names, lenient=True)
    return first, parse(b, {*names, *first.variables}, lenient=True)
