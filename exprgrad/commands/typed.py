"""The task that a text on the command line asks for, and the command that answers it.

    command_for("x^2 sin x", [])                "diff"
    command_for("x^2", ["--at", "x=3"])         "eval"
    command_for("d/dx x^2 = 2x", [])            "check"
    question("y = x^2", ())                     x^2 as an expression, and the question about it

Exact names of commands win. An expression has a digit, an operator, a bracket or a blank, or is one letter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import reduce

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.commands.declared import OnExpression, Result
from exprgrad.commands.hints import in_shell, shown
from exprgrad.errors import ExpressionSyntaxError, ExprgradError, UsageError
from exprgrad.language.shapes import is_plain

if TYPE_CHECKING:
    from exprgrad.checking.problems import Problem
    from exprgrad.data.bindings import Bindings
    from exprgrad.expressions.expression import Expression
    from exprgrad.language.questions import Definition, Question

EVALUATING = tuple("--at --trace --hessian --seed --mode --subgradient --rows".split())
"""Options that ask for values."""

CHECKING = ("--claim", "--hint", "--solution", "--quiet", "-q", "--form")
"""Options that ask for a verdict."""


def is_expression(text: str) -> bool:
    """Return whether an argument is an expression, not the name of a command."""
    plain = text.strip()
    if len(plain) == 1:
        return plain.isalnum() or not plain.isascii()
    if plain.isalpha() or plain.rpartition(".")[2] in ("pi", "tau"):
        # no command has two letters, so xy may be a product; commands are ASCII, so été is none
        return len(plain) == 2 or not plain.isascii() or _is_formula(plain)
    # foo-bar and foo.txt are mistyped commands or files; a sign at the beginning is a minus
    return any(not (c.isalpha() or c in "-_.") for c in plain) or "-" in plain[:1]


def _is_formula(word: str) -> bool:
    """Return whether a word is a constant, or functions and their argument: pi, sinx."""
    from exprgrad.language.elsewhere import CONSTANTS_BY_NAME
    from exprgrad.language.products import Splitter
    from exprgrad.operations.vocabulary import CONSTANTS

    word = word.rpartition(".")[2]
    if word in CONSTANTS or word in CONSTANTS_BY_NAME:
        return True
    return bool(Splitter((), several=True, argument="x").ways(word))


def command_for(text: str, options: Collection[str]) -> str:
    """The command that a text without one is for."""
    from exprgrad.language.questions import questions_in

    given = {option.partition("=")[0] for option in options}
    if given.intersection(CHECKING):
        return "check"
    found: Sequence[Definition | Question] = ()
    with suppress(ExpressionSyntaxError):  # which the command raises again
        found = typed_in(text) or ()
    asked = [q for q in questions_in(found) if q.claims]
    if asked:
        return "same" if all(q.kind == "equation" for q in asked) else "check"
    if given.intersection(EVALUATING):
        return "eval"
    asked = questions_in(found)
    # f(x) = x^2; f(3) asks for a number, f(x) = x^2; f(x) for the derivative
    last = asked[-1] if asked and asked[-1].kind == "expression" else None
    if last and (last.at or (last.argument and not _names_in(last.argument.text[1:-1]))):  # fmt: skip
        return "eval"
    # y = x^2 at x=3 defines and asks nothing; its point asks for the value
    if not asked and found and found[-1].at is not None:
        return "eval"
    return asked[-1].kind if asked and asked[-1].kind in CONSTRUCTED else "diff"


def _names_in(arguments: str) -> bool:
    """Return whether the arguments of a call hold variables: f(x + 1), but not f(3), f(e) or f(ln 2)."""
    from exprgrad.expressions.expression import parse
    from exprgrad.language.brackets import parted

    return any(parse(arguments[slice(*span)], lenient=True).variables for span in parted(arguments))  # fmt: skip


CONSTRUCTED = ("tangent", "taylor", "critical")
"""Kinds of questions that have a command of their own, which is called so."""


def typed_in(source: str) -> list[Definition | Question] | None:
    """Return what a text says beside an expression; None if it is one and nothing else."""
    from exprgrad.language import characters

    characters.refuse_long(source)
    if is_plain(source):
        return None
    # (f∘g)(x) becomes f(g(x)) before it is read: the sign is an operator between functions, which are no values here
    if "∘" in source:
        from exprgrad.language.words.formulas import composed

        source = composed(source)
    from exprgrad.checking.kinds.rows import words
    from exprgrad.language.questions import Scope, read

    try:
        return read(source, Scope(kinds=words())) or None
    except ExprgradError:
        if "=" in source:
            raise
        return None  # the parser of expressions says better what is wrong


def lines_of(source: Any) -> list[Any]:
    """The statements of a text, each of which has its own result."""
    if not isinstance(source, str) or "\n" not in source.strip():
        return [source]
    from exprgrad.checking.kinds.rows import words
    from exprgrad.language import characters, questions

    characters.refuse_long(source)

    return questions.lines_of(source, questions.Scope(kinds=words()))


class OnStatements(OnExpression):
    """A command that answers every statement of a text, each within its budget."""

    def answers(self) -> Iterator[Result]:
        """Answer one after the other; of several, one that fails leaves the others answered."""
        lines, self.file = lines_of(self.source()), None
        for self.expression in lines:
            try:
                yield super().answer()
            except ExprgradError as error:
                if len(lines) == 1:
                    raise
                yield Result(errors=[error], code=error.exit_code)

    def answer(self) -> Result:
        """Answer all of them."""
        return reduce(Result.with_, self.answers())

    def main(self) -> int:
        """Print each answer that people read as soon as it is found; the worst of the exit codes."""
        if self.format in ("text", "table"):
            return max(shown(found, self.format) for found in self.answers())
        return super().main()


def is_read(text: str) -> bool:
    """Return whether a text that is offered can be read."""
    from exprgrad.language.words.tasks import command

    try:
        return command(text) is not None or command_for(text, ()) == "check" or bool(question(text, ()))  # fmt: skip
    except ExprgradError:
        return False


def question(
    source: Any, declared: Collection[str], strict: bool = False
) -> tuple[Expression, Question | None]:
    """The function in a text, and what is asked about it, if that is not the function itself.

    Raises `ExprgradError` with its place, also for a claim.
    """
    from exprgrad.expressions.expression import parse

    if not isinstance(source, str):
        return source, None
    refuse_misleading(source, declared)
    found = typed_in(source)
    if found is None:
        return parse(source, declared, strict=strict, lenient=True), None
    from exprgrad.language.questions import Definition, questions_in
    from exprgrad.language.undefined import keeping

    kinds = {q.kind for q in questions_in(found)}
    # x^2; x^3 has a sign that the language lacks, and its parser says that best
    several = kinds == {"expression"} and len(questions_in(found)) > 1 and ";" in source
    if several or kinds - {"derivative", "expression", "equation", "gradient"}:
        # the parser of expressions reads it, or says what is wrong
        return parse(source, declared, strict=strict, lenient=True), None
    asked = about(found, source)
    definitions = [d for d in found if isinstance(d, Definition)]
    inside = asked.argument.text[1:-1].strip() if asked.argument else ""
    if inside and not (asked.given or inside.isidentifier()):  # f'(x + 1), f undefined
        with suppress(ExprgradError), keeping():
            return parse(source, declared, strict=strict, lenient=True), None
    return _function_of(asked, definitions, source, declared, strict), asked


def _function_of(
    asked: Question, definitions: Sequence[Definition], source: str, declared: Collection[str], strict: bool
) -> Expression:  # fmt: skip
    """Return the function that a question is about. Raises `ExprgradError` for what is none, or is asked otherwise."""
    from exprgrad.checking.problems import checked_definition, parsed, refuse_undefined
    from exprgrad.language.products import letters

    for definition in definitions:
        checked_definition(definition)
    refuse_undefined(asked)
    text = asked.given[0]
    _refuse_left_over(asked, definitions)
    if asked.order == 0:
        refuse_misleading(text.text, declared)
    if asked.along is not None:
        message = f"a {asked.kind} has no direction"
        hint = f"directional derivative of {text.text} at a point, along {asked.along.text}"
        raise UsageError(message, asked.along.span, hint, source=source)
    by = next((d for d in definitions if d.name in asked.wrt), None)
    # of y = u^3, dy/du is 3u^2 whatever u is
    if by is not None and not (by.parameters or asked.is_partial or {*asked.wrt} <= letters(text.text, None)) and asked.at is None:  # fmt: skip
        message = f"{by.name} is defined as well: this is the slope of a curve"
        hint = f"give the curve alone: {by.name} = {by.given.text}, {asked.name} = {text.text}"
        raise UsageError(message, by.whole.span, hint, source=source)
    every = {*declared, *asked.parameters, *asked.wrt}
    variable = variable_of(asked)
    if variable is not None:
        # the variable of the question splits words: in d/dx of xy, y is a letter beside x
        every |= {variable} | letters(text.text, variable)
    expression = parsed(text, every, strict)
    if asked.order and not declared:
        refuse_words(expression, asked, source)
    # d/dx x^2 + x may be meant for x^2 alone: the note says what it was taken for
    if asked.order and "d/d" in source and _is_sum(text.text):
        note = f"the derivative is that of all of {text.text}"
        expression.notes = (*expression.notes, note)
    return expression


def _refuse_left_over(asked: Question, definitions: Sequence[Definition]) -> None:
    """Raise `UsageError` for a function that is defined and was not written out: f'(x), or f in its own formula."""
    text = asked.given[0]
    import re

    functions = [d for d in definitions if d.parameters and d.name not in asked.parameters]  # fmt: skip
    others = re.escape("".join(d.name for d in functions))
    for definition in functions:
        name, first, body = definition.name, definition.parameters[0], definition.given.text  # fmt: skip
        # names of functions may stand side by side, fg; beside any other letter a name is part of a longer word
        own = rf"(?<![^\W\d{others}]){re.escape(name)}(?:(['’′]*)\s*\(|(?![^\W{others}]))"  # fmt: skip
        found = re.search(own, text.text)
        if found is None:
            continue
        message, hint = f"{name} stands in its own formula", "write the function itself, f(x) = x^2"  # fmt: skip
        if found[1]:
            message = f"{name}{found[1]} is not written out here"
            hint = f"write the derivative itself, d/d{first} ({body})"
        elif found[1] is None:
            message, hint = f"{name} is not called here", f"write {name}({first})"
        raise UsageError(message, text.span, hint, source=text.source)


def refuse_misleading(source: str, declared: Collection[str]) -> None:
    """Raise `ExpressionSyntaxError` for a formula that is hardly meant as such: x^2 dx, maximize -x^2, w -= 1."""
    name, equals, _ = source.partition("=")
    if equals and name[-1:] in {*"+-*/"} and name[:-1].strip().isidentifier():
        raise ExpressionSyntaxError("a name stands for a formula, which is not changed in place", (0, len(name) + 1), "give it the new value: w = 2", source=source)  # fmt: skip
    if "y" in declared:
        from exprgrad.language.questions import Piece, refuse_open_call

        # in an answer, as in dy/dx = y(1 + ln x), it is a product
        asked = source if name.strip().isidentifier() else name
        refuse_open_call(Piece(asked, source, 0), declared)
    # cheap first: most texts have nothing of this, and `corrections` need not be imported for them
    is_word = (" -" in source or " at " in source) and source.lstrip()[:4].isalpha()
    if declared or not (is_word or ("d" in source and "=" not in source)):
        return
    from exprgrad.language.words.corrections import misleading

    found = misleading(source)
    if found is not None:
        message, hint = found
        raise ExpressionSyntaxError(message, (0, len(source)), hint, source=source)


def about(found: list[Definition | Question], source: str) -> Question:
    """The one thing that a text asks for. Raises `ExprgradError` for a claim, and for several things."""
    from exprgrad.language import questions

    asked = questions.questions_in(found)
    definitions = [d for d in found if isinstance(d, questions.Definition)]
    if len(asked) > 1:
        raise _several()
    if not asked:
        definition = _last_of(definitions, source)
        asked_for = questions.Question("expression", definition.whole, (definition.given,), order=0, at=definition.at, name=definition.name, parameters=definition.parameters)  # fmt: skip
        return questions.written_out(asked_for, definitions)
    if asked[0].kind == "equation":
        raise questions.no_expression(asked[0])
    if asked[0].claims:
        message = "this is a claim, not an expression"
        hint = "the command check decides whether it is right"
        raise UsageError(message, (0, len(source)), hint, source=source)
    return _called(asked[0], definitions) or asked[0]


def _called(asked: Question, definitions: Sequence[Definition]) -> Question | None:
    """A call with variables in it, as the formula that it stands for: (x + 1)^2 for f(x + 1); None for any other question."""
    from exprgrad.language.questions import Question, written_out

    if asked.order or asked.argument is None:
        return None
    from exprgrad.language.inputs import listed

    arguments = asked.argument.text[1:-1]
    if listed(arguments) == asked.parameters or not _names_in(arguments):
        return None
    return written_out(Question("expression", asked.asked, (asked.asked,), order=0), definitions)  # fmt: skip


def refuse_words(
    expression: Expression, asked: Question, source: str, known: Collection[str] = ()
) -> None:
    """Raise `UsageError` where a word that is not `known` is asked about as if it were a variable: the derivative of five."""
    from exprgrad.language import phrases
    from exprgrad.language.elsewhere import is_word

    words = [n for n in expression.variables if is_word(n) and n not in {*asked.wrt, *known}]  # fmt: skip
    operation = expression.root.operation
    if operation is not None and operation.rule == "logic":
        words = [operation.name]
    in_words = asked.given[0].text in ("of", "at")
    if words and (in_words or phrases.DERIVATIVE in phrases.read(source).text):
        message = f"the word {words[0]} is no formula"
        hint = "type the formula with signs, one at a time"
        raise UsageError(message, asked.given[0].span, hint, source=source)


def _last_of(definitions: Sequence[Definition], source: str) -> Definition:
    """The definition that no other uses. Raises `UsageError` where there are several."""
    from exprgrad.language.questions import reached

    # y = u^2, u = sin x: u stands in the formula of y, so y is what the text is about
    own = ({*reached({d.name}, [d])} - {d.name, *d.parameters} for d in definitions)
    used = set().union(*own)
    free = [d for d in definitions if d.name not in used] or list(definitions)
    if len({d.given for d in free}) > 1:
        *_, last = free
        other = last.parameters[0] if last.parameters else None
        asks = f"{last.name}'({other})" if other else f"d{last.name}/dx"
        message = f"{free[0].name} and {last.name} are defined, and nothing is asked"
        hint = f"ask for one of them: {asks}"
        raise UsageError(message, last.whole.span, hint, source=source)
    return free[0]


def variable_of(asked: Question | None) -> str | None:
    """The variable that a question names, as far as there is one."""
    if asked is None:
        return None
    if len(set(asked.wrt)) == 1:
        return asked.wrt[0]
    return asked.parameters[0] if len(asked.parameters) == 1 else None


def point_in(asked: Question | None, expression: Expression) -> str | None:
    """The values beside a question, by name: of "at 3", x=3 for the only variable x; of f'(3), too."""
    if asked is None:
        return None
    from exprgrad.language.inputs import listed
    from exprgrad.language.points import in_order

    names = asked.parameters or in_order(expression.variables)
    at = asked.at
    if at is None and asked.argument is not None and asked.name is not None:
        inside = asked.argument.text[1:-1]
        given = listed(inside)
        # f'(x) names its own variable, which is no point
        if given == asked.parameters or (given == (variable_of(asked),) and len(names) < 2):  # fmt: skip
            return None
        at = asked.argument._replace(text=inside.strip())
    if at is None:
        return None
    from exprgrad.checking.equations import entries, with_names

    own = variable_of(asked)
    # f'(3) gives one number: it is that of the variable in question, whatever others the formula has
    is_one = own is not None and len(entries(at.text)) == 1
    return with_names(at.text, (own,) if own is not None and is_one else names)


def expression_at(
    source: Any, at: list[str], declared: Collection[str] = (), strict: bool = False
) -> tuple[Expression, Bindings]:
    """The function in a text in any notation of a problem, a derivative worked out, and the values beside it.

    Values at the end of the text count as well.
    """
    from exprgrad.data.bindings import Bindings
    from exprgrad.expressions.expression import parse

    given = Bindings(at, "--at")
    found, asked = question(source, {*given.values, *declared}, strict)
    point = point_in(asked, found)
    if point:
        given = Bindings([*at, point], "--at")
    expression = differentiated(found, asked)
    if asked is not None and asked.order and asked.name is None and not _is_sum(asked.given[0].text):  # fmt: skip
        with suppress(ExprgradError):  # errors then point into what was typed
            whole = parse(source, declared, strict=strict, lenient=True)
            expression = whole if whole.asks_for_derivative else expression
    is_number = not expression.variables and ";" in str(source)  # f(x)=x^2; f(3) + f(2)
    if asked is not None and (is_number or (asked.order and asked.name)):
        expression.asked = f"{asked.asked.text.strip()} ="
    elif asked is not None and asked.order == 1:
        from exprgrad.language import phrases

        if phrases.DERIVATIVE in phrases.read(source).text:
            said = f"the derivative at {point}" if point else "the derivative"
            expression.asked = f"{said} is"
    given.check(expression)
    return expression, given


def text_in(source: Any) -> tuple[Any, str | None]:
    """The text of the function in a text in any notation, and the values at its end.

    An equation, the curve of one such as x = y^2, and a list stay as they are.
    """
    from exprgrad.checking.equations import entries
    from exprgrad.language.products import letters
    from exprgrad.language.questions import Question, questions_in

    if not isinstance(source, str):
        return source, None
    found = typed_in(source)
    if found is None or ("=" not in source and len(entries(source)) > 1):
        return source, None
    asked = questions_in(found)
    if any(q.claims for q in asked) or len(asked) > 1:
        return source, None
    if asked and asked[0].kind not in ("derivative", "expression"):
        return asked[0].given[0].text, asked[0].at.text if asked[0].at else None
    if asked and asked[0].order:
        expression, one = question(source, ())
        return str(differentiated(expression, one)), point_in(one, expression)
    last = found[-1]
    point = None if last.at is None else last.at.text
    if not isinstance(last, Question):
        is_graph = last.name == "y" and "y" not in letters(last.given.text, None)
        own = {item.name: item.given.text for item in found if not isinstance(item, Question)}  # fmt: skip
        # the curve x = cos t, y = sin t, unless y depends on an x that is given
        if {*own} == {"x", "y"} and "x" not in letters(own["y"], None):
            return ", ".join(item.whole.text for item in found), point
        return (last.given.text, point) if last.parameters or is_graph else (source, None)  # fmt: skip
    if point is not None and "=" not in point:
        expression, one = question(source, ())
        point = point_in(one, expression)
    return last.given[0].text, point


def differentiated(expression: Expression, asked: Question | None) -> Expression:
    """The function in a question, or its derivative where that is asked for."""
    if asked is None or not asked.order:
        return expression
    if len(set(asked.wrt)) > 1:
        return expression.derivative(*asked.wrt)
    from exprgrad.checking.problems import variable_in

    variable = variable_of(asked) or variable_in(asked, expression.variables)
    return expression.derivative(variable, order=asked.order)


def _is_sum(text: str) -> bool:
    """Return whether a text is a sum outside brackets, so that d/dx before it may be meant for its first term alone."""
    from exprgrad.language.brackets import outside

    return any(i > 0 for sign in "+-−" for i in outside(text, sign))


def chains_in(text: str) -> list[list[Problem]]:
    """The claims in a text, those about each thing that it asks together; none if there is no claim."""
    from exprgrad.checking.problems import checked_definition, problems_of
    from exprgrad.language.questions import Definition, questions_in
    from exprgrad.language.scanning.reach import Unclear

    found = typed_in(text) or []
    known = {d.name: checked_definition(d) for d in found if isinstance(d, Definition)}
    asked = [q for q in questions_in(found) if q.claims]
    # a text with a claim and a question beside it would have two answers
    if asked and len(questions_in(found)) > len(asked):
        raise _several()
    try:
        return [problems_of(question, known) for question in asked]
    except ExpressionSyntaxError as error:
        if all(q.kind != "equation" for q in asked) or isinstance(error, Unclear):
            raise
        if asked[1:]:
            raise _several() from None
        return []  # sides without a derivative claim none


def equations_in(text: Any) -> list[tuple[str, str, str | None]]:
    """The first side of an equation with each of the others, and the values behind it."""
    from exprgrad.language.questions import questions_in

    # a formula of a session is one side
    asked = questions_in((typed_in(text) if isinstance(text, str) else None) or [])
    if len(asked) > 1:
        raise _several()
    if not asked or not asked[0].claims:
        hint = f"the second stands behind it, such as 0: exprgrad same {in_shell(str(text))} 0"  # fmt: skip
        raise UsageError("give two expressions", hint=hint)
    at = None if asked[0].at is None else asked[0].at.text
    return [(asked[0].asked.text, side.text, at) for side in asked[0].claims]


def _several() -> ExpressionSyntaxError:
    """The error for a text with more than one problem."""
    return ExpressionSyntaxError("there are several problems here", None, "give one, or a sheet of them")  # fmt: skip


def at_point(
    sides: tuple[Expression, Expression], point: str
) -> tuple[Expression, Expression]:
    """Two expressions with numbers in place of variables."""
    from exprgrad.checking.equations import with_names
    from exprgrad.data.bindings import Bindings
    from exprgrad.expressions.expression import Expression
    from exprgrad.expressions.taylor import at_place
    from exprgrad.language.points import in_order, no_variable

    names = in_order(dict.fromkeys(n for side in sides for n in side.variables))
    place = Bindings([with_names(point, names)], "at").exact
    for name in place:
        if name not in names:
            raise no_variable(name, names)
    first, last = (Expression.of(at_place(side.root, place)) for side in sides)
    return first, last


def in_common(a: Any, b: Any) -> tuple[Expression, Expression]:
    """Two expressions whose names are read alike."""
    from exprgrad.expressions.expression import parse
    from exprgrad.language.products import letters

    # D may be an operator
    names = {*letters(f"{a} ; {b}", None)} - {"D"}
    first = parse(a, names, lenient=True) if isinstance(a, str) else a
    return first, parse(b, {*names, *first.variables}, lenient=True) if isinstance(b, str) else b  # fmt: skip
