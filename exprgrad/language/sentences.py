"""The shape of one line of a homework sheet, or of one cell that asks for something.

    f(t) = e^(-kt); f'(t) = -k e^(-kt)      a definition and a claim
    d/dx x^2 + 1 = 2x                       a claim about everything left of the sign

`grammars/homework.lark` is the grammar. The result names texts by their spans in the line; `problems`
has the expression parser read them.
"""

from __future__ import annotations

import re
from itertools import pairwise

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExpressionSyntaxError, ExprgradError, Span
from exprgrad.language import characters, grammar, lalr, leibniz
from exprgrad.language.brackets import CLOSED_BY, parted
from exprgrad.language.lalr import END, Args
from exprgrad.language.notes import shorten
from exprgrad.language.reach import Unclear
from exprgrad.language.shapes import assumed, is_latex
from exprgrad.operations.vocabulary import is_function

FORMS = "write d/dx (x^2) = 2x, (x^2)' = 2x, or f(x) = x^2; f'(x) = 2x"

_PRIMES = {"″": 2, '"': 2, "‴": 3}


class Asked(NamedTuple):
    """What is asked for: the derivative of a text (`function`), or of the function with that `name`.

    `argument` is the text in the brackets of f'(x) or f'(3), or the x^2 of dy/dx x^2. A derivative is `mixed`
    with respect to several variables, one after the other; then there is no single one. The `point` is where it is
    asked for: values by name, or one alone.
    """

    span: Span
    order: int
    variable: str | None = None
    function: Span | None = None
    name: str | None = None
    argument: Span | None = None
    mixed: tuple[str, ...] = ()
    point: str | None = None


class Definition(NamedTuple):
    """`name = function`, or `name(parameters) = function`."""

    span: Span
    name: str
    parameters: Span | None
    function: Span


class Claim(NamedTuple):
    """What is asked for, and the answers to it: several where `=` stands several times."""

    asked: Asked
    answers: tuple[Span, ...]


class Exercise(NamedTuple):
    """A definition, what is asked for, or both."""

    definition: Definition | None
    asked: Asked | None


def read_line(source: str) -> list[Definition | Claim]:
    """The definitions and claims of a line. Raises `ExpressionSyntaxError`, with its place."""
    if is_formula(source):
        found, sides = _of_latex(source)
        if sides or not found:
            raise ExpressionSyntaxError(
                "this formula does not say what to differentiate",
                (0, len(source.rstrip())),
                FORMS,
                source=source,
            )
        return found
    tokens = _Tokens(source)
    return _completed(_parse(tokens), tokens)


def _completed(
    sentences: list[Definition | Claim], tokens: _Tokens
) -> list[Definition | Claim]:
    """The sentences of a line with what words say; values at its end are about the last."""
    found: list[Definition | Claim] = []
    for sentence in sentences:
        if isinstance(sentence, Claim):
            sentence = sentence._replace(asked=_taken_apart(sentence.asked, tokens))
        found.append(sentence)
    last = found[-1]
    if isinstance(last, Claim) and tokens.phrases.point is not None:
        asked = last.asked._replace(point=tokens.phrases.point)
        found[-1] = last._replace(asked=asked)
    return found


def _taken_apart(asked: Asked, tokens: _Tokens) -> Asked:
    """A question with the arguments of diff(x^2, x, 2) in their places, and the variable that words name."""
    if (
        asked.name
        and asked.variable
        and asked.argument
        and tokens.source[asked.argument[0]] not in CLOSED_BY
    ):  # dy/dx x^2
        if tokens.source[asked.argument[0]] in "+-−*/^·×÷":
            raise ExpressionSyntaxError(
                "differential equations are not read",
                asked.span,
                f"a derivative stands alone: y = x^2; {tokens.source[slice(asked.span[0], asked.argument[0])].strip()} = 2x",
                source=tokens.source,
            )
        return asked._replace(function=asked.argument, name=None, argument=None)
    if asked.function is None and asked.name is None and asked.argument is not None:
        asked = _of_arguments(asked, asked.argument, tokens.source)
    if tokens.phrases.order > 1 and asked.order == 1:
        asked = asked._replace(order=tokens.phrases.order)
    return asked._replace(variable=asked.variable or tokens.phrases.variable)


def _of_arguments(asked: Asked, brackets: Span, source: str) -> Asked:
    """What diff(f, x, 2), diff(f, x$2), D[f, {x, 2}], diff(f, x, y) and diff(f, 2) ask for."""
    first = brackets[0] + 1
    inside = source[first : brackets[1] - 1]
    texts = [(first + start, first + end) for start, end in parted(inside)]
    names: list[str] = []
    order: int | None = None
    for span in texts[1:]:
        word = source[slice(*span)].strip()
        times = re.fullmatch(
            r"\{\s*(\w+)\s*,\s*([0-9]+)\s*\}|(\w+)\s*\$\s*([0-9]+)", word
        )
        if times is not None:
            count = leibniz.check_order(leibniz.order_of(times[2] or times[4]), span)
            names += [times[1] or times[3]] * count
        elif word.isidentifier():
            names.append(word)
        elif word.isdecimal() and order is None and len(names) < 2:
            order = leibniz.check_order(leibniz.order_of(word), span)
        else:
            raise ExpressionSyntaxError(
                "the variable is not clear here",
                brackets,
                "write diff(f, x)",
                source=source,
            )
    several = len(set(names)) > 1
    return Asked(
        asked.span,
        leibniz.check_order(order or len(names) or 1, asked.span),
        None if several or not names else names[0],
        function=_stripped(source, texts[0]),
        mixed=tuple(names) if several else (),
    )


def _stripped(source: str, span: Span) -> Span:
    text = source[slice(*span)]
    start = span[0] + len(text) - len(text.lstrip())
    return start, start + len(text.strip())


class Typed(NamedTuple):
    """What a line asks for: a definition, a derivative, answers to check; or the `sides` of an equation.

    An expression has one side. `variable` is named by words, as in "with respect to x"; `point` are values at the
    end, as in "at x=3".
    """

    definition: Definition | None = None
    asked: Asked | None = None
    answers: tuple[Span, ...] = ()
    sides: tuple[Span, ...] = ()
    variable: str | None = None
    point: str | None = None


def read_typed(source: str) -> Typed:
    """What people type where one thing is asked for. Raises `ExpressionSyntaxError`, with its place."""
    if is_formula(source):
        return _typed_latex(source)
    tokens = _Tokens(source)
    typed = Typed(variable=tokens.phrases.variable, point=tokens.phrases.point)
    if not tokens.asks:
        return typed._replace(sides=_sides(tokens))
    try:
        sentences = _parse(tokens)
    except ExpressionSyntaxError:
        try:
            tokens.insert("_CELL")
            exercise: Exercise = _parse(tokens)
        except ExpressionSyntaxError as error:
            if not tokens.is_equation:
                raise
            del error
            return typed._replace(sides=_sides(tokens))
        asked = exercise.asked and _taken_apart(exercise.asked, tokens)
        asked = asked and asked._replace(point=typed.point)
        return typed._replace(definition=exercise.definition, asked=asked)
    found = _completed(sentences, tokens)
    definition = found[0] if isinstance(found[0], Definition) else None
    if definition is not None and len(found) == 1 and _is_value(definition, source):
        return typed._replace(sides=_sides(tokens))
    claims = [sentence for sentence in found if isinstance(sentence, Claim)]
    if len(found) > 1 + (definition is not None) or len(claims) != len(found) - bool(
        definition
    ):
        raise ExpressionSyntaxError(
            "there are several problems here", None, "give one, or a sheet of them"
        )
    if not claims:
        return typed._replace(definition=definition)
    return typed._replace(
        definition=definition, asked=claims[0].asked, answers=claims[0].answers
    )


def is_formula(source: str) -> bool:
    """Whether a text is LaTeX as a whole, and not words around pieces of it."""
    if not is_latex(source) or assumed():
        return is_latex(source)
    plain = source.strip(" .,;")
    dollars = plain.startswith("$") and plain.endswith("$")
    return "\\" in source if not dollars and "$" not in source else dollars


def _typed_latex(source: str) -> Typed:
    r"""What a formula of LaTeX asks for, perhaps with words around it: \\frac{x}{2} at x=3."""
    from exprgrad.language import phrases

    words = phrases.read(source) if len(source) <= phrases.LONGEST else None
    text = words.text if words is not None else source
    typed = Typed()
    if words is not None:
        typed = typed._replace(variable=words.variable, point=words.point)
    if phrases.DERIVATIVE in text:
        start = text.index(phrases.DERIVATIVE) + 1
        span = _stripped(text, (start, len(text)))
        order = words.order if words is not None else 1
        return typed._replace(
            asked=Asked((start - 1, span[1]), order, typed.variable, function=span)
        )
    found, sides = _of_latex(text)
    if sides or not found:
        return typed._replace(sides=sides)
    definition = found[0] if isinstance(found[0], Definition) else None
    claims = [each for each in found if isinstance(each, Claim)]
    if len(claims) > 1 or len(found) > len(claims) + (definition is not None):
        raise ExpressionSyntaxError(
            "there are several problems here", None, "give one, or a sheet of them"
        )
    if claims:
        asked, answers = claims[0]
        point = typed.point or asked.point
        asked = asked._replace(point=point)
        typed = typed._replace(asked=asked, answers=answers, point=point)
    return typed._replace(definition=definition)


def _of_latex(source: str) -> tuple[list[Definition | Claim], tuple[Span, ...]]:
    """The definitions and claims of a formula; otherwise the sides of an equation, or the whole of an expression."""
    from exprgrad.language.latex.formulas import formulas

    found: list[Definition | Claim] = []
    try:
        shapes = formulas(source)
    except ExpressionSyntaxError as error:
        error.source = source
        raise
    for shape in shapes:
        first, *others = shape.sides
        head = shape.head
        if head is not None and (others or len(shapes) > 1):
            name = head.name + (f"_{head.subscript}" if head.subscript else "")
            brackets = _brackets(source, first)
            if head.order or head.wrt:
                several = head.wrt if len(set(head.wrt)) > 1 else ()
                variable = head.wrt[0] if head.wrt and not several else None
                bar = head.places[0] if len(head.places) == 1 and brackets is None else shape.place or None  # fmt: skip
                asked = Asked(first, head.order, variable, name=head.name, argument=brackets, mixed=several, point=bar)  # fmt: skip
                found.append(Claim(asked, tuple(others)))
            elif others:
                whole = first[0], others[0][1]
                found.append(Definition(whole, name, brackets, others[0]))
        elif shape.operand is not None and not shape.continued:
            several = shape.wrt if len(set(shape.wrt)) > 1 else ()
            variable = None if several else shape.wrt[0]
            asked = Asked(first, len(shape.wrt), variable, shape.operand, mixed=several, point=shape.place or None)  # fmt: skip
            found.append(Claim(asked, tuple(others)))
        elif len(shapes) == 1:
            return [], shape.sides
        else:
            raise ExpressionSyntaxError(
                "here are several formulas", first, "give one of them", source=source
            )
    return found, ()


def _brackets(source: str, span: Span) -> Span | None:
    """The brackets of f(x), with the names in them."""
    found = re.search(r"[(\[]\s*([^()\[\]\\{}]+)", source[slice(*span)])
    if found is None:
        return None
    return span[0] + found.start(), span[0] + found.end() + 1


def _is_value(definition: Definition, source: str) -> bool:
    """Whether what stands before the `=` is no new function but a value: sin(2x), x(x+1)."""
    if definition.parameters is None:
        return False
    start, end = definition.parameters
    names = source[start + 1 : end - 1].split(",")
    return is_function(definition.name, called=True) or not all(
        name.strip().isidentifier() for name in names
    )


def _sides(tokens: _Tokens) -> tuple[Span, ...]:
    """The texts between the `=` of an equation; of an expression, the whole."""
    sides: list[Span] = []
    start: int | None = None
    end = 0
    for kind, span in zip(tokens.kinds, tokens.spans, strict=True):
        if kind in ("EQUALS", END):
            if start is not None:
                sides.append((start, end))
            start = None
        elif kind != "_CELL":
            start, end = span[0] if start is None else start, span[1]
    return tuple(sides)


_ASKING = ("D_BY", "RATIO", "D_OF", "DERIVATIVE", "DIFF")
_DIFF_NAMES = (
    "diff", "Diff", "derivative", "Derivative", "differentiate", "derive", "deriv", "D",
)  # fmt: skip
_TWO_ARGUMENTS = r"\s*\((?:[^()]|\([^()]*\))*,\s*\w+\s*\)"
"""What follows the d of d(x^2, x), as some calculators have it."""


def _is_call_of_diff(name: str, following: str) -> bool:
    """Whether a name asks for a derivative by what follows: diff(x^2, x), D[x^2, x], d(x^2, x)."""
    if name == "d":
        return re.match(_TWO_ARGUMENTS, following) is not None
    return name in _DIFF_NAMES and following.lstrip()[:1] in ("(", "[")


def _is_derivative(source: str, span: Span) -> bool:
    """Whether what begins with d/dx is a derivative as a whole."""
    from exprgrad.language.scanner import Tokens

    try:
        return Tokens(source[slice(*span)], lenient=True).is_derivative
    except Unclear as error:
        start, end = error.span or (0, 0)
        error.span, error.source = (start + span[0], end + span[0]), source
        raise
    except ExprgradError:
        return True  # what is wrong with it is said where it is read


class _Tokens:
    """Parallel lists: the terminals' names, texts and spans; the last kind is `END`.

    `phrases` is the text with its words read.
    """

    __slots__ = ("kinds", "phrases", "source", "spans", "texts")

    def __init__(self, source: str) -> None:
        from exprgrad.language import phrases

        self.source = source
        self.phrases = phrases.read(characters.plain(source))
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.spans: list[Span] = []
        try:
            self._scan()
        except ExpressionSyntaxError as error:
            error.source = source
            raise

    def insert(self, kind: str) -> None:
        """Put a kind without a text before the others."""
        self.kinds.insert(0, kind)
        self.texts.insert(0, "")
        self.spans.insert(0, (0, 0))

    def _keep_expressions(self) -> None:
        """Leave d/dx to the expression on a side of which it does not take all: d/dx(x^2) + x."""
        ends = [
            i for i, k in enumerate(self.kinds) if k in ("EQUALS", "SEPARATOR", END)
        ]
        for start, end in pairwise([-1, *ends]):
            first = start + 1
            if self.kinds[first] == "D_BY" and end > first + 1:
                span = self.spans[first][0], self.spans[end - 1][1]
                if not _is_derivative(self.phrases.text, span):
                    self.kinds[first] = "SIGN"

    @property
    def asks(self) -> bool:
        """Whether there is more than an expression: a question, a claim, or a definition."""
        signs = {"EQUALS", "PRIMES", "SEPARATOR"} & set(self.kinds)
        return bool(signs) or self.kinds[0] in _ASKING

    @property
    def is_equation(self) -> bool:
        """Whether both sides of a `=` are expressions."""
        if "EQUALS" not in self.kinds:
            return True
        behind = pairwise(["", *self.kinds])
        strange = any(k == "PRIMES" and before != "CLOSING" for before, k in behind)
        return not (strange or {"SEPARATOR", "RATIO"} & set(self.kinds))

    def _scan(self) -> None:
        from exprgrad.language import phrases

        opened: list[Span] = []
        commas = []
        source, operators = leibniz.prepared(self.phrases.text, ())
        for match in grammar.scanner("homework").finditer(source):
            kind, text, span = match.lastgroup, match.group(), match.span()
            if kind is None:
                continue
            if span[0] in operators:
                kind, text = "D_OF", operators[span[0]]
            elif text == phrases.DERIVATIVE:
                kind = "DERIVATIVE"
            elif _is_call_of_diff(text, source[span[1] : span[1] + 400]):
                kind = "DIFF"
            if kind == "CLOSING":
                if not opened:
                    raise ExpressionSyntaxError(
                        f"this {text!r} closes nothing",
                        span,
                        "open a bracket before it",
                    )
                opened.pop()
            elif kind == "OPENING":
                opened.append(span)
            elif kind == "UNKNOWN" or (
                opened and kind in ("EQUALS", "SEPARATOR", "PRIMES")
            ):
                kind = "SIGN"
            elif text == "," and not opened:
                commas.append(len(self.kinds))
            self._add(kind, text, span)
        if opened:
            sign = source[slice(*opened[-1])]
            raise ExpressionSyntaxError(
                f"this {sign!r} is never closed", opened[-1], f"add {CLOSED_BY[sign]!r}"
            )
        self._separate(commas)
        while self.kinds and self.kinds[-1] == "SEPARATOR":
            del self.kinds[-1], self.texts[-1], self.spans[-1]
        end = len(self.phrases.text.rstrip())
        self._add(END, "", (end, end))
        if "D_BY" in self.kinds:
            self._keep_expressions()

    def _add(self, kind: str, text: str, span: Span) -> None:
        self.kinds.append(kind)
        self.texts.append(text)
        self.spans.append(span)

    def _separate(self, commas: list[int]) -> None:
        """A comma between two `=` separates; any other comma belongs to a text."""
        equals = [i for i, kind in enumerate(self.kinds) if kind == "EQUALS"]
        if len(equals) < 2:
            return
        for i in reversed(commas):
            if equals[0] < i < equals[-1]:
                self.kinds[i] = "SEPARATOR"


def _parse(tokens: _Tokens) -> Any:
    actions = {name: globals()[f"_{name}"] for name in _ACTIONS}
    try:
        return lalr.run(
            grammar.tables("homework"),
            tokens.kinds,
            tokens.texts,
            tokens.spans,
            actions,
        )
    except lalr.Unexpected as unexpected:
        error = _complaint(tokens, unexpected.index)
    except ExpressionSyntaxError as caught:
        error = caught
    error.source = tokens.source
    raise error from None


# The actions of the productions

_ACTIONS = (
    "line question defined_question first more definition claim chained "
    "of_text of_words of_call of_group of_name of_ratio text group"
).split()


def _span(args: Args, start: int, end: int) -> Span:
    return (start, end)


_text = _group = _span


def _line(args: Args, start: int, end: int) -> Any:
    return args[0]


def _first(args: Args, start: int, end: int) -> list[Any]:
    return [args[0]]


def _more(args: Args, start: int, end: int) -> list[Any]:
    found: list[Any] = args[0]
    found.append(args[2])
    return found


def _definition(args: Args, start: int, end: int) -> Definition:
    parameters = args[1] if len(args) == 4 else None
    return Definition((start, end), args[0], parameters, args[-1])


def _claim(args: Args, start: int, end: int) -> Claim:
    return Claim(args[0], (args[2],))


def _chained(args: Args, start: int, end: int) -> Claim:
    return Claim(args[0].asked, (*args[0].answers, args[2]))


def _question(args: Args, start: int, end: int) -> Exercise:
    thing = args[0]
    if isinstance(thing, Definition):
        return Exercise(thing, None)
    return Exercise(None, thing)


def _defined_question(args: Args, start: int, end: int) -> Exercise:
    return Exercise(args[0], args[2])


def _of_text(args: Args, start: int, end: int) -> Asked:
    wrt = leibniz.read(args[0], (start, start + len(args[0]))).wrt
    variable, mixed = (None, wrt) if len(set(wrt)) > 1 else (wrt[0], ())
    return Asked((start, end), len(wrt), variable, args[1], mixed=mixed)


def _of_words(args: Args, start: int, end: int) -> Asked:
    return Asked((start, end), 1, function=args[1])


def _of_call(args: Args, start: int, end: int) -> Asked:
    return Asked((start, end), 1, argument=args[1])


def _of_group(args: Args, start: int, end: int) -> Asked:
    return Asked((start, end), _count(args[1], end), function=args[0])


def _of_name(args: Args, start: int, end: int) -> Asked:
    argument = args[2] if len(args) == 3 else None
    order = _count(args[1], argument[0] if argument else end)
    return Asked((start, end), order, name=args[0], argument=argument)


def _of_ratio(args: Args, start: int, end: int) -> Asked:
    order, name, variable = _ratio(args[0], start)
    argument = args[1] if len(args) == 2 else None
    return Asked((start, end), order, variable, name=name, argument=argument)


def _ratio(operator: str, start: int) -> tuple[int, str | None, str]:
    """The order, the function's name and the variable of d/dx, dy/dx, d^2y/dx^2."""
    name, wrt = leibniz.read(operator, (start, start + len(operator)))
    return len(wrt), name or None, wrt[0]


def _count(primes: str, end: int) -> int:
    count = sum(_PRIMES.get(sign, 1) for sign in primes)
    return leibniz.check_order(count, (end - len(primes), end))


# What to say about a token that cannot follow


def _complaint(tokens: _Tokens, index: int) -> ExpressionSyntaxError:
    kind, span = tokens.kinds[index], tokens.spans[index]
    before = tokens.kinds[index - 1] if index else ""
    if before == "EQUALS" and kind in (END, "EQUALS", "SEPARATOR"):
        return ExpressionSyntaxError(
            "there is nothing after '='", tokens.spans[index - 1], "add the answer"
        )
    begin = max((i + 1 for i in _separators(tokens, index)), default=0)
    signs = tokens.kinds[begin:index]
    if kind == "PRIMES":
        hint = "put the function in brackets, (x^2)', or give it a name, f'(x)"
        return ExpressionSyntaxError("a prime cannot stand here", span, hint)
    if kind == "EQUALS" and "EQUALS" in signs:
        return ExpressionSyntaxError(
            "a definition has one '='", span, "put a semicolon before what follows"
        )
    if kind in ("EQUALS", END, "SEPARATOR") and before in ("D_BY", ""):
        return ExpressionSyntaxError(
            "there is nothing to differentiate", tokens.spans[max(0, index - 1)], FORMS
        )
    asks = {"D_BY", "RATIO", "PRIMES"} & {*signs[:1], *signs[-3:]}
    if kind in (END, "SEPARATOR") and asks and "EQUALS" not in signs:
        return ExpressionSyntaxError("there is no answer", span, "add = and the answer")
    whole = (tokens.spans[min(begin, index)][0], tokens.spans[-1][1])
    text = shorten(tokens.source[slice(*whole)])
    return ExpressionSyntaxError(
        f"{text!r} does not say what to differentiate", whole, FORMS
    )


def _separators(tokens: _Tokens, index: int) -> list[int]:
    return [i for i in range(index) if tokens.kinds[i] == "SEPARATOR"]
