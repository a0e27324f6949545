"""A worked solution, judged line by line: of a function, or about an equation between several names.

work = check_work("x^2*sin(x)", ["y' = 2x sin x + x^2 cos x", "= x(2 sin x + x cos x)"])
[line.status for line in work.lines], work.verdict         # ["follows", "follows"], "correct"
check_work("x^2 + y^2 = 25", ["2x + 2y y' = 0", "y' = -x/y"])
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence

from exprgrad.budget import at_most
from exprgrad.checking.check import check
from exprgrad.checking.judging import CONSEQUENT, FOLLOWS, UNREADABLE, WRONG, Verdict
from exprgrad.checking.work import tex
from exprgrad.checking.work.judge import Judge, Row, Target, first_fault, said_of
from exprgrad.checking.work.lines import Notation, Statement, trimmed
from exprgrad.checking.work.mistakes import Side
from exprgrad.errors import UsageError
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.expression import HIGHEST_ORDER, Expression, parse
from exprgrad.expressions.implicit import along_curve
from exprgrad.expressions.taylor import Place, at_place
from exprgrad.graph.value import Value, is_variable, node
from exprgrad.language import brackets, inputs
from exprgrad.language.leibniz import PRIMES
from exprgrad.language.products import letters
from exprgrad.language.shapes import is_latex
from exprgrad.operations.table import ADD, DIV, MUL, NEG, SUB
from exprgrad.patterns import pattern


def shifted(work: Verdict, by: int) -> Verdict:
    """A solution with its lines counted from another start: they stand further down in a text."""
    if not by:
        return work
    lines = tuple(
        line._replace(
            number=line.number + by,
            after=line.after and line.after + by,
            mistake=line.mistake and line.mistake.shifted(by),
        )
        for line in work.lines
    )
    mistake = work.mistake and work.mistake.shifted(by)
    return work._replace(parts=lines, mistake=mistake)


def check_work(
    function: str | Expression,
    lines: str | Sequence[str],
    wrt: str | None = None,
    order: int = 1,
) -> Verdict:
    """Judge a worked solution for the derivative of `function`, line by line.

    `function` may be an equation between names, of which one is a function of another. `lines` is the text, or its lines. Raises `UsageError` where the variable is unclear or there is nothing
    to judge, `ExpressionSyntaxError` for a function that cannot be read.
    """
    return work_within(function, lines, wrt, order)


def work_within(
    function: str | Expression,
    lines: str | Sequence[str],
    wrt: str | None = None,
    order: int = 1,
    outer: tuple[Value, Mapping[str, Value]] | None = None,
    stated: tex.Stated | None = None,
) -> Verdict:
    """The same where `outer` is a function as it was before names in it were filled in, and what these stand for.

    `stated` is how a text states the problem.
    """
    lines = lines.splitlines() if isinstance(lines, str) else lines
    given = list(inputs.names(lines, "the lines"))
    inputs.count(order, "an order", 1, HIGHEST_ORDER)
    wrt = None if wrt is None else inputs.text(wrt, "the variable")
    at_most("lines", len(given), "solution")
    own = function if isinstance(function, str) else ""
    in_tex = any("\\" in line or "$" in line for line in given)
    rows = list[Row]()
    for line in tex.joined(given):
        is_prose = in_tex and not is_latex(line) and "=" not in line
        is_page = in_tex and (is_latex(line) or "&" in line)
        rows.append(Row(line, "") if is_prose else Row.of(line, is_page))
    if isinstance(function, str) and "=" in function:
        curve = _on_curve(function, " ; ".join(row.text for row in rows), wrt, order)
        if curve is not None:
            return curve.judged(rows)
    if not isinstance(function, Expression):
        function = parse(inputs.text(function, "a function"), {*letters(own, wrt), *([wrt] if wrt else [])})  # fmt: skip
    function.refuse_arrays({})
    name = wrt or _only(function)
    whole = " ; ".join(row.alone or row.text for row in (Row.of(own), *rows))
    judge = Judge(function, name, order, whole)
    judge.stated = stated or judge.stated
    if outer is not None:
        judge.outer = outer[0]
        judge.names |= outer[1]
    return judge.judged(rows)


def _only(function: Expression) -> str:
    names = function.variables
    if len(names) > 1:
        listed = ", ".join(names)
        raise UsageError(
            f"there are several variables: {listed}", hint=f'name one: wrt="{names[0]}"'
        )
    return names[0] if names else "x"


_ONE = parse("1").root

RATE = pattern(
    rf"[d∂]\^?[0-9²³]?\s*([^\W\d_])\s*/\s*[d∂]\s*([^\W\d_])|(?<![^\W\d_])([^\W\d_])[{PRIMES}]"
)
"""dy/dx, or y'."""

_AT = pattern(r"\s*\{?\s*(?:\\left)?\s*\(?(.*?)(?:\\right)?\s*\)?\s*\}?\s*$")
"""The place at which a derivative is evaluated, behind a bar."""


def _on_curve(given: str, whole: str, wrt: str | None, order: int) -> _OnCurve | None:
    """The judge of lines about an equation between several names; None for that of a function of one."""
    row = Row.of(given)
    [*spans] = brackets.parted(row.text, "=")
    if len(spans) != 2:
        return None
    spans = [trimmed(row.text.replace("$", " "), *span) for span in spans]
    left, right = (
        parse(row.between(*span).strip(" $"), letters(given, wrt)) for span in spans
    )
    rates = [(above or primed, below) for above, below, primed in RATE.findall(whole)]
    names = {*left.variables, *right.variables}
    by = wrt or next((below for _, below in rates if below), "x")
    lone = is_variable(left.root) and left.root.name not in right.variables
    if lone and by in right.variables and left.root.name != by:
        return None  # y = x^2
    above = [name for name, _ in rates if name in names and name != by]
    if by not in names and len({*above}) < 2:
        return None
    put_in = [*re.findall(r"(?:^|[,;]|and|is)\s*[d∂]([^\W\d_])\s*/\s*[d∂]\w\s*=\s*[-−]?[0-9.]+\s*(?:[,;:]|$)", whole), ""]  # fmt: skip
    y = next((n for n in above if n != put_in[0]), None)  # dx/dt = 3 is given
    x = by if by in names else next((n for n in above if n != y), None)
    if x is None or y is None or len(names) < 2:
        return None
    equation = Expression.of(node(SUB, (left.root, right.root)))
    free = {n: Value(None, f"{n}_{by}") for n in above if n != y}
    return _OnCurve(equation, x, y, by, free, order, whole)


class _OnCurve(Judge):
    """Judges equations between derivatives with respect to `by` that follow from one between what is differentiated.

    `x` and `y` are two names in that equation; `free` are the derivatives of all that vary but y and `by`. A line P = Q is
    right where dy/dx + P - Q is dy/dx on the curve.
    """

    def __init__(self, equation: Expression, x: str, y: str, by: str, free: Mapping[str, Value], order: int, whole: str) -> None:  # fmt: skip
        super().__init__(equation, by, order, whole)
        self.x, self.y, self.rate = x, y, f"{y}_{by}"
        self.names = {n: Value(None, n) for n in equation.variables if n != by}
        self.rates = {**free, by: _ONE}
        above, below = self._total(equation.root), derivative(equation.root, y)
        self.truth = simplify(node(NEG, (node(DIV, (above, below)),)))
        self.slope = along_curve(equation.root, x, y, 1)
        self.rates[y] = Value(None, self.rate)
        own = by, *equation.variables, self.rate, *(v.name or "" for v in free.values())
        self.variables = tuple(dict.fromkeys(own))
        self.known: dict[str, Value] = {}
        self.surfaces: set[str] = set()
        self.head: Side | None = None
        self.error: Value | None = None
        self.solved = False
        self.number: Side | None = None

    def _total(self, root: Value) -> Value:
        """The derivative of something by all that varies."""
        if self.rate in Expression.of(root).variables:
            root = at_place(root, {self.rate: self.truth})
        terms = [
            node(MUL, (derivative(root, n), rate)) for n, rate in self.rates.items()
        ]
        return simplify(functools.reduce(lambda a, b: node(ADD, (a, b)), terms))

    def _meaning(self, notation: Notation, inner: Value | None, at: Place) -> Value:
        found = self.names.get(notation.name, self.function.root) if inner is None else inner  # fmt: skip
        for name in notation.wrt:
            partial = notation.name in self.surfaces
            found = derivative(found, name) if partial else self._total(found)
        return found

    def _chain(self, number: int, line: str, statement: Statement) -> Verdict | None:
        spans, at = [*statement.sides], {**self.known}
        left = line[slice(*spans[0])]
        if "," in left and len(spans) == 2 and (name := self._definition(line, spans)):
            self.surfaces.add(name)  # f(x, y) = ..., whose f_x follows
            self._define(number, line, name, spans[1])
            return None
        begin, end = spans[0]
        bar = line.find("|", begin, end)
        is_bar = bar > 0 and line[bar + 1 : end].lstrip().startswith("_")
        if is_bar and not statement.continued:
            place = _AT.sub(r"\1", self.row.between(line.index("_", bar) + 1, end))
            values = [parse(v.partition("=")[2] or v).root for v in place.split(",")]
            at |= dict(zip((self.x, self.y), values, strict=False))
            spans[0] = begin, begin + len(line[begin:bar].rstrip())
        sides = [self._side(number, line, span) for span in spans]
        if len(sides) == 1 and not statement.continued:
            return None
        if not statement.continued:
            self.head, self.number = sides[0], None
            kinds = {n.kind for side in sides for n in side.notations.values()}
            if self._takes(sides) or kinds <= {"value"}:
                self.head = None
        if self.head is None:
            return None
        others = [side for side in sides if side is not self.head]
        judged = [one for side in others if (one := self._equal(self.head, side, at))]
        return first_fault(judged) if judged else None

    def _takes(self, sides: Sequence[Side]) -> bool:
        """Remember what is given: r = 2 or dr/dt = 3."""
        name, value = sides[0].expression.root.name, sides[-1].expression
        if name is None or name == self.rate or value.variables or len(sides) != 2:
            return False
        self.known[name] = value.root
        return True

    def _equal(
        self, first: Side, side: Side, at: Mapping[str, Value]
    ) -> Verdict | None:
        """Whether both sides are equal on the curve, or where numbers have been put in."""
        difference = node(SUB, (first.expression.root, side.expression.root))
        own = {*Expression.of(difference).variables}
        found = self._settled(difference, self.truth)
        if found.status != "correct" and (at or not own & {*self.function.variables}):
            with_rate = at_place(difference, {self.rate: self.truth})
            difference = at_place(at_place(with_rate, at), at)
            if not {*Expression.of(difference).variables} <= {*own, self.rate}:
                return self._unknown(side)
            found = self._settled(difference, self.truth)
        free = {*Expression.of(self.truth).variables}.difference(
            self.function.variables, own, at
        )
        if found.status == "incorrect" and free:
            return None
        if found.status == "correct":
            self.last = side, said_of(side, FOLLOWS)
            self.solved = first.sole is not None
            return said_of(side, FOLLOWS, found.evidence)
        if found.status != "incorrect":
            return said_of(side, UNREADABLE, f"undecided: {found.evidence}")
        if self.error is not None:
            slope = derivative(self.error, self.rate)
            off = node(DIV, (at_place(self.error, {self.rate: self.truth}), slope))
            again = self._settled(difference, node(SUB, (self.truth, off)))
            if again.status == "correct":
                after = self.wrong and self.wrong.line
                told = "follows from a wrong line"
                return said_of(side, CONSEQUENT, told, after=after)
        else:
            self.wrong, self.error = side, difference
        told = "the sides of this equation are not equal, on the curve"
        return said_of(side, WRONG, told)

    def _unknown(self, side: Side) -> Verdict | None:
        """The verdict on a number where another one stands before it in its chain."""
        before, self.number = self.number, side
        if side.expression.variables or before is None or before.expression.variables:
            return None
        is_equal = self._agrees(side, Target(None, before.expression))
        return said_of(side, FOLLOWS) if is_equal else said_of(side, WRONG, f"this is {side.expression():.10g}, it should be {before.expression():.10g}")  # fmt: skip

    def _settled(self, difference: Value, rate: Value) -> Verdict:
        """Whether a difference is 0 on the curve."""
        own = at_place(difference, {self.rate: rate})
        claim = Expression.of(node(ADD, (self.slope, own)))
        return check(f"{self.function} = 0", claim, self.x, kind="implicit", of=self.y)

    def _conclusion(self) -> tuple[str, str]:
        status, said = super()._conclusion()
        if status == "unfinished" and self.solved:
            return "correct", "every line follows, and the answer is right"
        return status, said
