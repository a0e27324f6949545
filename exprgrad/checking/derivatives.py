"""One claimed derivative: how it is read, and the verdict on it.

    decided(one_derivative(Request("x^2*sin(x)", "2x sin x + x^2 cos x"))).status         "correct"

It is asked for where the function is defined and differentiable over the reals, and only there: 1/x is right for ln(x).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from exprgrad.annotations import Any
from exprgrad.checking import agreement, judging, names
from exprgrad.checking.kinds.request import Request, several
from exprgrad.checking.question import MOST_PROVED, NOWHERE, Question, conditions
from exprgrad.errors import Hint, UsageError
from exprgrad.expressions.expression import HIGHEST_ORDER, Expression, parse
from exprgrad.graph.rational import rational
from exprgrad.graph.unknown import stand_ins, unknown_in
from exprgrad.graph.value import Value, node
from exprgrad.language import inputs
from exprgrad.language.products import customary, letters, splits, written
from exprgrad.language.shapes import is_latex
from exprgrad.language.undefined import keeping
from exprgrad.operations import table
from exprgrad.operations.operation import function_names
from exprgrad.operations.vocabulary import CONSTANTS, is_function

MOST_JOINED = 3
"""Parts of a name that may have been meant as a product or a call."""


def one_derivative(request: Request) -> judging.Posed:
    """The question about one claimed derivative."""
    from exprgrad.language.questions import placed_answer

    wrt = request.wrt[0] if request.wrt else None
    claim, at, order = request.claim, request.at, request.order
    named = placed_answer(claim) if at is None and isinstance(claim, str) else None
    if named is not None:
        claim = [named.asked, *named.claims][-1].text
        order = order if request.own_order or not named.order else named.order
        if named.order not in (0, order):
            raise UsageError("the answer gives a derivative of another order")
    expression, claimed, name = read(request.given, claim, wrt)
    order = inputs.count(order, "an order", 1, HIGHEST_ORDER)
    question = Question(expression, claimed, name, order, condone=request.condone)
    if request.where:
        every = list(dict.fromkeys((*expression.variables, name)))
        question = question._replace(where=conditions(request.where, every))
    place: dict[str, Any] | None = None
    if named is not None and named.at is not None:
        text = named.at.text
        at = text if "=" in text else {name: text}
    if at is not None:  # pi/4 is that number, and no double
        at = inputs.place(at)
        place = {n: parse(x, lenient=True).root if isinstance(x, str) else inputs.meant(x) for n, x in at.items()}  # fmt: skip
    posed = _posed(question, place)

    def finish(found: judging.Verdict) -> judging.Verdict:
        found = found if posed.finish is None else posed.finish(found)
        for side in claimed.sides[:-1]:  # of a chain of LaTeX the last one is the claim
            if found.status == judging.CORRECT:
                found = judging.decided(_posed(question._replace(claim=side), place))
        others = [other for other in expression.variables if other != name]
        if wrt is None and others:
            are = "is a constant" if len(others) == 1 else "are constants"
            note = f"taken as d/d{name}; {' and '.join(others)} {are}"
            found = found._replace(notes=(*found.notes, note))
        where = [item.source for item in question.where]
        given: dict[str, Any] = {"where": where, "condone": question.condone}
        given |= {} if place is None else {"at": place}
        return found._replace(given=given)

    return posed._replace(finish=finish)


def _posed(question: Question, at: Mapping[str, Any] | None) -> judging.Posed:
    """A question as it was read, at a point or everywhere."""
    if unknown_in(question.expression.root) or unknown_in(question.claim.root):
        return judging.posed(question, _for_every_function(question, at))
    if both := names.alternatives(question.claim):
        evidence = f"your answer is two, {both}: give one"
        found = judging.stated(question, judging.UNREADABLE, evidence)
        return judging.posed(question, found)
    says_none = question.claim.root is NOWHERE
    if at is not None:
        from exprgrad.checking.at_point import at_point, none_at

        return (none_at if says_none else at_point)(question, at)
    try:
        if question.order > 1 and len(question.expression.tape.steps) > MOST_PROVED:
            told = "the function is too large for derivatives of higher order"
            raise UsageError(told)
        compared = judging.compared_with(question, question.sides())
    except UsageError as error:
        found = judging.stated(question, judging.UNDECIDED, error.message)
        return judging.posed(question, found)
    posed = judging.posed(question, compared)
    finish = (lambda found: _of_none(question, found)) if says_none else None
    return posed._replace(finish=finish)


def _for_every_function(
    question: Question, at: Mapping[str, Any] | None
) -> judging.Verdict:
    """The verdict on the derivative of functions that nobody has defined: wrong for one is wrong, and right is proved."""
    f, claim = question.expression, question.claim
    if at is not None:
        # this refuses it, for what nobody has defined has no value at a point
        f.evaluate(at, ())
    known = question._replace(
        expression=Expression.of(stand_ins(f.root)), claim=Expression.of(stand_ins(claim.root))
    )  # fmt: skip
    found = judging.decided(judging.posed(known, judging.compared_with(known, known.sides())))  # fmt: skip
    derived = [n for n in f.variables if re.search(rf"(?<!\w){n}['’′]+\s*\(", claim.source)]  # fmt: skip
    if derived:
        evidence = f"{derived[0]} is a factor in the function, and has a derivative in your answer"
        return judging.stated(question, judging.UNDECIDED, evidence)
    if found.status == judging.INCORRECT:
        evidence = "it is not the derivative for every such function"
        return judging.stated(question, judging.INCORRECT, evidence, found.certainty)
    # one choice of functions refutes a claim, but no number of them proves it
    from exprgrad.expressions.confirm import simplify

    truth = f.derivative(question.wrt, order=question.order).root
    apart = simplify(node(table.SUB, (truth, claim.root)))
    if found.status == judging.CORRECT and rational(apart) == 0:
        evidence = "rewriting turns one into the other, whatever the functions are"
        return judging.stated(question, judging.CORRECT, evidence, agreement.PROVED)
    evidence = "whether it holds for every such function is open"
    return judging.stated(question, judging.UNDECIDED, evidence)


def _of_none(question: Question, found: judging.Verdict) -> judging.Verdict:
    """The verdict on the claim that there is no derivative anywhere."""
    if found.counterexample is not None:
        at, slope = found.counterexample.at, found.counterexample.derivative
        evidence = f"{judging.at_text(at)}there is a derivative: it is {slope:.10g}"
        return found._replace(evidence=evidence)
    from exprgrad.expressions.derivatives import is_zero
    from exprgrad.symbolic.conditions import without_value

    nowhere = without_value(question.expression.root, is_zero)
    if found.status != judging.UNDECIDED or nowhere is None:
        return found
    part = question.expression.written(nowhere)
    evidence = f"{part} has no value anywhere over the real numbers"
    return found._replace(
        status=judging.CORRECT, evidence=evidence, certainty=agreement.PROVED
    )


# Reading


@keeping()
def read(
    f: str | Expression, claim: str | float | Expression, wrt: str | None
) -> tuple[Expression, Expression, str]:
    """Both expressions, read with each other's letters declared, and the variable."""
    from exprgrad.checking.readings import in_cases, unlabelled

    given: Any = claim
    if not isinstance(claim, str | Expression):
        given = inputs.number_text(claim, "a claim")
    given = unlabelled(given) if isinstance(given, str) else given
    f = f if isinstance(f, Expression) else in_cases(inputs.text(f, "a function"))
    words = re.findall(r"[^\W\d]\w*", f) if isinstance(f, str) else ()
    if isinstance(given, str) and names.says_none(given, words):
        given = names.none(given)
    wrt = None if wrt is None else inputs.normal(inputs.text(wrt, "the variable"))
    # each text may split the names of the other: k in the answer makes e^(-kt) a power of k*t
    texts = " ; ".join(text for text in (f, given) if isinstance(text, str))
    declared = {*letters(texts, wrt), *([wrt] if wrt else [])}
    expression = parse(f, declared, lenient=True) if isinstance(f, str) else f
    if isinstance(f, str) and wrt is not None and wrt not in expression.variables:
        # x is asked for, but xyz was read as one name
        parts = _joined(expression.variables, wrt, texts)
        declared |= parts
        expression = parse(f, declared, lenient=True) if parts else expression
    if isinstance(given, str):
        given = _chain(given, {*expression.variables, *declared})
        if any(side.asks_for_derivative for side in given.sides):
            told = "an answer cannot ask for a derivative"
            raise UsageError(told, hint="work it out")
    if names.says_none(given.source, expression.variables):
        given = names.none(given.source)
    expression.refuse_arrays({})
    given.refuse_arrays({})
    # an equation whose sides are not equal, x^3 = x^2, is no function
    *others, last = (Expression.of(side.root) for side in expression.sides)
    pairs = (Request(side, last) for side in others)
    if any(judging.equivalence(pair).status == "different" for pair in pairs):
        told = "the two sides of this equation are not equal"
        raise UsageError(told, hint="give one function")
    own = expression.variables or given.variables
    usual = customary([f]) if wrt is None and isinstance(f, str) else ()
    if own != usual and {*usual} & {*given.variables}:
        return read(f, claim, *usual)
    if wrt is None and len(own) > 1:
        raise several(own)
    if wrt is None and not {*given.variables} <= {*own}:
        _refuse_joined(own, expression)
    return expression, given, wrt or (own[0] if own else "x")


def by_rates(
    f: Expression, claim: str, by: str | None, parse: Callable[[str, Sequence[str]], Expression]
) -> tuple[Expression, Expression] | None:  # fmt: skip
    """The derivative by t of what changes with t, also through others, and a claim about it; dr/dt of the claim is called r_t.

    None where the claim has no rate. What has none in the claim is taken as constant.
    """
    names = [name for name in f.variables if name != by]
    text, rates = with_rates(claim, names, re.escape(by or ""))
    if not rates:
        return None
    from exprgrad.expressions.confirm import derivative
    from exprgrad.expressions.taylor import added

    own = {by: None} if by in f.variables else {}
    rated = own | {n: Value(None, f"{n}_{by}") for n in rates}
    terms = ((derivative(f.root, n), rate) for n, rate in rated.items())
    slope = Expression.of(added(terms))
    parsed = parse(text, slope.variables)
    held = (name for name in names if name not in rates)
    parsed.notes = (*parsed.notes, *(f"{name} is taken as constant" for name in held))
    parsed.source = parsed.titled = claim
    return slope, parsed


def with_rates(claim: str, names: Sequence[str], by: str) -> tuple[str, list[str]]:
    """A claim with r_t for dr/dt, and which of some names have such a rate in it."""
    rates = list[str]()
    glued = "".join(n for n in (*names, by) if len(n) == 1)
    for name in names if any(sign in claim for sign in "d'’′") else ():
        # dr/dt, its fraction in LaTeX, and r', but not r'(t), which is a function
        rate = rf"\bd\s*{name}\s*/\s*d\s*{by}\b|\\[dt]?frac\s*\{{\s*d\s*{name}\s*\}}\s*\{{\s*d\s*{by}\s*\}}|(?:\b|(?<=[_{glued}])){name}['’′](?!\s*\()"
        claim, *parts = re.split(rate, claim)
        rates += [name] * bool(parts)
        for part in parts:
            # a rate is a factor of its own: cos y y' is cos(y)*y'
            factor = _FACTOR.search(claim)
            is_behind = factor and not (factor["word"] and is_function(factor["word"], called=False))  # fmt: skip
            claim = f"{claim} {'*' if is_behind else ''}{name}_{by} {part}"
    return claim, rates


_FACTOR = re.compile(
    r"(?:(?<!\\)(?<!\\[a-zA-Z])(?<![a-zA-Z])(?P<word>[^\W\d_]+)|[\d)\]}])(?:\s|\\[,;:! ]|~)*\Z"
)


def _chain(claim: str, declared: set[str]) -> Expression:
    """An answer, of 2x = 2*x the last side; its `sides` are all of them."""
    # the parser of LaTeX takes chains apart by itself
    if "=" not in claim or is_latex(claim):
        return parse(claim, declared, lenient=True)
    from exprgrad.language.questions import between_equals

    texts = [claim[slice(*span)] for span in between_equals(claim)]
    members = tuple(parse(text, declared, lenient=True) for text in texts)
    if len(members) > 1:
        for member in members:
            member.sides = members
    return members[-1]


def _joined(names: tuple[str, ...], wrt: str, texts: str) -> set[str]:
    """The letters of a name such as xyz, where it is differentiated with respect to one of them.

    It is a product if the answer's names are made of letters of it, too: `price` is not.
    """
    words = set(re.findall(r"[^\W\d_]+", texts)) - set(function_names()) - {*CONSTANTS}
    for name in names:
        apart = set(name)
        made = name.isalpha() and wrt in apart and len(apart) == len(name)
        if made and all(set(word) <= apart for word in words):
            return apart
    return set()


def _refuse_joined(names: tuple[str, ...], expression: Expression) -> None:
    """Refuse to differentiate by sinx where the answer has cosx: sin(x) will have been meant."""
    for name in names:
        ways = splits(name, set(name)) if len(name) > 1 else []
        if ways and len(ways[0]) <= MOST_JOINED:
            raise UsageError(
                f"{name} is read as one name here",
                expression.tape.nodes[expression.tape.variables[name]].span,
                Hint("product_then_variable", product=written(ways[0])),
                source=expression.source,
            )
