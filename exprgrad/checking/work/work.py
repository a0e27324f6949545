"""A worked solution, judged line by line: of a function, or about an equation between several names.

work = check_work("x^2*sin(x)", ["y' = 2x sin x + x^2 cos x", "= x(2 sin x + x cos x)"])
[line.status for line in work.lines], work.verdict         # ["follows", "follows"], "correct"
check_work("x^2 + y^2 = 25", ["2x + 2y y' = 0", "y' = -x/y"])

The lines of a worked solution, read and judged one after the other.

    judge = Judge(function, "x", 1, whole)      the derivative of order 1 by x; `whole` is the text of all lines
    judge.judged(rows).lines

A chain of `=` is about what its first side stands for, the derivative as a rule; its sides are compared with that,
at points in every piece of the domain with many digits. One that is not right, but agrees with a wrong line above, is
consequent. The first that is neither is the one to talk about: see `mistakes`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction

from exprgrad.annotations import Any, NamedTuple
from exprgrad.budget import at_most
from exprgrad.checking import agreement, judging
from exprgrad.checking.agreement import REFUTED, Basis, Findings, Sides
from exprgrad.checking.check import check, meant
from exprgrad.checking.judging import FOLLOWS, UNREADABLE, WRONG, Verdict
from exprgrad.checking.kinds.critical import zero_text
from exprgrad.checking.kinds.real_roots import Search, Zero, beyond, probe_of, value_of
from exprgrad.checking.kinds.request import several
from exprgrad.checking.mistakes.parts import likeness
from exprgrad.checking.points import Point
from exprgrad.checking.question import Question, conditions
from exprgrad.checking.right_pieces import where_right
from exprgrad.checking.rounding import explained_by_rounding
from exprgrad.checking.work import lines as written
from exprgrad.checking.work import tex
from exprgrad.checking.work.lines import Limit, Mentioned, Notation, Statement, trimmed
from exprgrad.checking.work.mistakes import Asked, Side, explain
from exprgrad.errors import ExprgradError, Span, UsageError
from exprgrad.expressions.confirm import derivative, simplify
from exprgrad.expressions.expression import HIGHEST_ORDER, Expression, parse
from exprgrad.expressions.implicit import along_curve
from exprgrad.expressions.taylor import Place, added, at_place, has_variables
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.language import brackets, inputs, questions
from exprgrad.language.latex import reader as latex
from exprgrad.language.latex.plain import Plain
from exprgrad.language.leibniz import PRIMES
from exprgrad.language.parser import read
from exprgrad.language.products import letters
from exprgrad.language.shapes import is_latex
from exprgrad.lazy import pattern
from exprgrad.notation.text import to_text
from exprgrad.operations.operation import show
from exprgrad.operations.table import ADD, DIV, NEG, SUB
from exprgrad.sweeps.precise import Look, Probe

LARGEST = 3000
"""Operations of a side, with what stands in it filled in, that are compared."""

FUNCTION_NAMES = ("f", "y")
"""Names that people give the function of a problem that does not name it."""


def said_of(side: Side, status: str, evidence: str = "", **more: Any) -> Verdict:
    """Return what is said of the line of a side."""
    return Verdict(
        status, evidence, number=side.line, text=side.source, place=side.span, **more
    )


def of_lines(
    function: Expression,
    wrt: str,
    order: int,
    lines: Sequence[Verdict],
    status: str,
    conclusion: str,
) -> Verdict:
    """The verdict on a solution with its lines; its mistake is that of the first wrong one."""
    mistake = next((line.mistake for line in lines if line.status == WRONG), None)
    return Verdict(
        status, conclusion, None, mistake, (), function, None, wrt, order, kind="work",
        parts=tuple(lines),
    )  # fmt: skip


class Row(NamedTuple):
    """A line: as it was written, in the signs of text, and without its words where they are known.

    `page` has the places of the signs in LaTeX.
    """

    source: str
    text: str
    alone: str = ""
    page: Plain | None = None

    @classmethod
    def of(cls, line: str, in_tex: bool = False) -> Row:
        """A line of text or LaTeX."""
        if in_tex or (is_latex(line) and ("\\" in line or "$" in line)):
            with suppress(ExprgradError):
                page, alone = tex.page(line)
                return cls(line, page.text, alone, page)
        return cls(line, written.in_signs(line))

    def between(self, start: int, end: int) -> str:
        """Return what was written for a part, behind so many blanks that it stands at its place."""
        start, end = self.place((start, end))
        return " " * start + self.source[start:end]

    def place(self, span: Span) -> Span:
        """Return where a part stands in the line as it was written."""
        if self.page is None:
            return span
        return self.page.starts.get(span[0], span[0]), self.page.ends.get(span[1], span[1])  # fmt: skip


class Target(NamedTuple):
    """The target that the sides of a chain are said to equal: the derivative of that order, 0 for the function, or a value."""

    order: int | None
    value: Expression | None = None


class Judge:
    """Reads the lines of a solution and judges them, with what they define and what they are about."""

    def __init__(self, function: Expression, wrt: str, order: int, whole: str) -> None:
        self.function, self.wrt, self.order = function, wrt, order
        self.variables = tuple(dict.fromkeys((wrt, *function.variables)))
        self.names = {
            n: function.root for n in _names_in(whole) if n not in self.variables
        }
        self.declared = {*self.variables, *letters(whole, wrt)}
        # the names u and v of a rule that is recalled, where they are not said to stand for anything
        primed = {*re.findall(rf"(?:(?<![^\W\d_])|(?<=[uvgh]))([uvgh])[{PRIMES}]", whole)}  # fmt: skip
        said = {*re.findall(r"(?<![^\W_])([uvgh])(?:\(\w\))?\s*=(?!=)", whole)}
        self.generic = primed - said - {*self.variables} if len(primed) > 1 else set[str]()  # fmt: skip
        rated = {above or primed for above, _, primed in RATE.findall(whole)}
        own = {letter for n in function.variables if n.isalpha() and len(n) < 4 for letter in n}  # fmt: skip
        self.rated = rated & own - {wrt}
        # someone writes y(x), and not only y
        self.called = {n for n in self.names if re.search(rf"{re.escape(n)}[{PRIMES}]*\(\s*[^\W\d_]\s*\)", whole)} | {"f", "g", "h"}  # fmt: skip
        self.lines: list[Verdict] = []
        self.target = self.main = Target(order)
        self.outer: Value | None = None
        self.stated = tex.Stated("", None, order, True)
        self.touched: list[Place] = []  # where a derivative was taken
        self.is_tangent = False
        self.places: dict[str, Value] = {}  # the 2 of x_0 = 2
        self.truths: dict[int, Expression] = {0: function}
        self.before: Side | None = None
        self.wrong: Side | None = None
        self.wrong_order: int | None = None
        self.last: tuple[Side, Verdict] | None = None
        self.partly = ""
        self.solving = False
        self.stationary: list[Zero] = []  # the 2 of x = 2, where the derivative is 0
        self.set_to_zero = function, ""  # that derivative, and what it is called
        self.announced = bool(_ANNOUNCED.search(whole))
        self.bounded = bool(_BOUNDED.search(whole))
        self.opened = self.lost = False  # at the derivative; by a line that is not read
        self.place: Expression | None = None
        self.named: Expression | None = None  # the last place, in this line or above
        self.where: tuple[Expression, ...] = ()

    # reading

    def judged(self, rows: Sequence[Row], start: int = 1) -> Verdict:
        """The verdict on all lines, which are numbered from `start`."""
        told = " ; ".join((self.stated.line, *(row.text for row in rows)))
        self.is_tangent = bool(_TANGENT.search(told)) and not _OTHER_LINE.search(told)
        if self.stated.name and self.stated.name not in self.variables:
            self.names.setdefault(self.stated.name, self.function.root)
            for name in {*FUNCTION_NAMES} - {self.stated.name}:
                if re.search(rf"(?<!\w){name}\s*=", told):  # it is another function
                    self.names.pop(name, None)
        for number, row in enumerate(rows, start):
            self.read(number, row)
        return self.finished()

    def read(self, number: int, row: Row) -> None:
        """Judge a line, unless there is no mathematics on it."""
        self.row, text, line = row, row.source, row.text
        try:
            at_most("line", len(text), "line")
            known = {*self.variables, *self.names, *self.declared}
            found = written.statements(line, known, row.alone)
            found.sort(key=lambda s: s.continued or len(s.sides) != 2 or self.is_tangent or self._definition(line, s.sides) is None)  # fmt: skip
            self.where = ()
            with suppress(ExprgradError):
                self.where = conditions(written.conditions(line), self.variables)
            self.place = next(filter(None, (self._place(line, s) for s in found)), None)
            self.named = self.place or self.named
            judged = [one for s in found if (one := self._statement(number, line, s))]
        except ExprgradError as error:
            place = error.span if error.source in (None, line) else None
            self.lines.append(Verdict(UNREADABLE, error.message, number=number, text=text, place=place))  # fmt: skip
            return
        if judged:
            notes = dict.fromkeys(note for one in judged for note in one.notes)
            found_first = first_fault(judged)
            self.lines.append(found_first._replace(text=text, notes=tuple(notes)))

    def _statement(
        self, number: int, line: str, statement: Statement
    ) -> Verdict | None:
        """Return what is to be said of a statement; None for a remark, which is not judged."""
        before = self.target, self.before, self.last, self.wrong, self.wrong_order
        in_prose = self.row.alone not in ("", self.row.text)
        asked = bool(_DERIVED.search(line, statement.sides[0][0], statement.sides[-1][0]))  # fmt: skip
        lone = len(statement.sides) == 1 and not statement.continued
        # y of the normal is not y of the function
        is_other = line[slice(*statement.sides[0])] == "y" and _OTHER_LINE.search(line[: statement.sides[0][0]])  # fmt: skip
        if is_other or (in_prose and lone):
            return None
        if not (lone or statement.continued):
            with suppress(ExprgradError):
                if tangent := self._tangent(number, line, statement.sides):
                    return tangent
        try:
            found = self._chain(number, line, statement)
        except ExprgradError:
            self.lost = not statement.continued
            if in_prose and not asked:
                return None
            if not _is_remark(statement) and not self._is_rule(line, statement):
                raise
            found = None
        failed = found is not None and found.status in (WRONG, UNREADABLE)
        left = line[slice(*statement.sides[0])]
        if failed and not statement.continued:
            whole = questions.Piece(left, line, statement.sides[0][0])
            questions.refuse_open_call(whole, self.names.keys() - self.called)
        name = re.match(r"([^\W\d_])\(\w\)", left)
        asked = asked or (left == self.wrt and _says_stationary(statement))
        own = self.target == self.main and len(statement.sides) > 1
        is_restated = self.target.order == 0 and statement.words & RESTATING
        if failed and is_restated and self.wrong and _is_slip(self.wrong.expression.root, self.function.root):  # fmt: skip
            own = True
        elif failed and in_prose and not asked:
            own = False  # an equation of a sentence, which may be about anything
            if name is not None and len(statement.sides) == 2:
                self._define(number, line, name[1], statement.sides[1])
            statement = statement._replace(words=statement.words | {"where"})
        remark = _is_remark(statement) and not own
        if found is not None and found.status == UNREADABLE:
            remark = remark or self._is_rule(line, statement)
        if found is None and self.opened:
            self.opened = False  # what the next line continues
        elif found is None or (failed and remark):
            self.target, self.before, self.last, self.wrong, self.wrong_order = before
            return None
        return found

    def _chain(self, number: int, line: str, statement: Statement) -> Verdict | None:
        """The verdict on the sides of a statement, or on its first fault."""
        spans = statement.sides
        several = len(spans) > 1 and not statement.continued
        if several and (name := self._definition(line, spans)) is not None:
            defined = self._define(number, line, name, spans[1])
            if len(spans) == 2:
                return defined
            spans = spans[1:]
        texts = [line[slice(*span)] for span in spans]
        solves = self.solving or statement.words & SOLVING
        if several and texts[0] == self.wrt and self.place is not None and not solves and len(texts) == 2:  # fmt: skip
            if not _says_stationary(statement):
                return None
            found = self._solution([self._side(number, line, spans[1])])
            return None if "no value" in found.evidence else found
        if several and texts[0] == self.wrt and "±" in texts[-1]:
            signs = (self._side(number, line.replace("±", sign), spans[-1]) for sign in "+-")  # fmt: skip
            return first_fault([self._solution([one]) for one in signs])
        sides = [self._side(number, line, span) for span in spans]
        first = sides[0]
        root = first.typed.root
        if several and self.row.page and is_variable(root) and root.name not in {*self.variables, *first.notations}:  # fmt: skip
            if len(sides) == 2 and not sides[1].expression.variables:
                self.places[root.name or ""] = sides[1].expression.root
            return None  # x_0 = 2
        if several and first.text.strip() == "0" and not self._agrees(first, self.main):
            sides, self.solving = sides[1:], True
            return self._judge(sides[0]) if self._agrees(sides[0], self.main) else self._equation([first, *sides])  # fmt: skip
        if several and solves and first.typed.root.name == self.wrt:
            return self._solution(sides)
        if several and self.solving and not first.notations:
            return self._equation(sides)
        if several and self._begins_to_solve(sides):
            self.solving = True
            return self._equation(sides)._replace(notes=(TO_SOLVE,))
        if statement.continued:
            if self.before is None and self.wrong is None and self.target == self.main:
                # above = 2 ln(x), nothing stands but the problem: that is what it continues
                own = Target(0, self.function)
                is_own = self.announced or self._agrees(first, own)
                if is_own and not self._agrees(first, self.main):
                    self.target = own
        elif several:
            sides = self._aim(first, sides)
        else:
            self.target = self.main
            if first.sole is not None:  # dy/dx at x = 2 is 14
                self.opened = bool(first.inner) and not self._agrees(first, self.main)
                if self.opened:
                    self.target = Target(None, first.expression)
                return None
        judged: list[Verdict] = []
        for side in sides:
            alone = not several and len(sides) == 1 and not statement.continued
            if not alone and self._closes(side, judged):
                self.solving = True
                judged.append(said_of(side, FOLLOWS, "an equation to solve", notes=(TO_SOLVE,)))  # fmt: skip
            else:
                judged.append(self._judge(side))
        return first_fault(judged)

    def _is_rule(self, line: str, statement: Statement) -> bool:
        """Return whether a statement recalls a rule, such as (uv)' = u'v + uv', of names that stand for nothing here."""
        text = line[statement.sides[0][0] : statement.sides[-1][1]]
        rule = rf"([fguvwh])\)?[{PRIMES}]|[d∂]([fguvwh])/[d∂]"
        names = [a or b for a, b in re.findall(rule, text)]
        return any(n not in self.names and n not in self.variables for n in names)

    def _place(self, line: str, statement: Statement) -> Expression | None:
        """The number of a statement `at x = 2`."""
        texts = [line[slice(*span)] for span in statement.sides]
        if len(texts) != 2 or texts[0] != self.wrt or statement.continued:
            return None
        with suppress(ExprgradError):
            found = parse(self.row.between(*statement.sides[1]))
            return None if found.variables else found
        return None

    def _side(self, number: int, line: str, span: Span, is_tight: bool = False) -> Side:
        """Read a side, and fill in what it mentions; d/dx takes one pair of brackets alone if it `is_tight`, or this is right."""
        if not is_tight and _FACTORS.search(line[slice(*span)]):
            tight = self._side(number, line, span, is_tight=True)
            if self._agrees(tight, self.main):
                return tight
        limit = written.limit_of(line[slice(*span)])
        begin = span[0] + (limit.body if limit else 0)
        declared = {*self.declared, *([limit.variable] if limit else [])} - {*self.names, "d"}  # fmt: skip
        declared |= {*self.variables}
        known = Mentioned(self.names, self.called, self.variables, self.stated.parameters, self._meaning)  # fmt: skip
        known.asks = None if is_tight else False
        try:
            if self.row.page is not None and line is self.row.text:
                source, span = self.row.between(begin, span[1]), self.row.place(span)
                if "\\right" not in source:
                    source = source.replace("\\left.", "      ")  # its bar is taken off
                declared = {n for n in declared if len(n) == 1 or n in self.variables}
                root = latex.read(source, declared, None, known).sides[-1]
            else:
                text = " " * begin + line[begin : span[1]]
                raised = re.fullmatch(r"\s*(\w)\^\(\d\)", text)
                is_first = line[: span[0]].rstrip()[-1:] != "="
                if raised and is_first and raised[1] in {*self.names} - {*self.variables}:  # fmt: skip
                    text += f"({self.wrt})"  # y^(4) = 24 is about a derivative
                root = read(text, declared, defined=known)
            typed = Expression(root, declared)
        except ExprgradError as error:
            error.source = line
            raise
        typed.refuse_arrays({})
        expression = typed
        if known.meanings or self.places:
            filled = at_place(known.filled(typed.root), self.places)
            expression = Expression.of(filled, self.variables)
        if len(expression.tape.steps) > LARGEST:
            raise UsageError("this is too large to be compared", span, source=line)
        source = self.row.source if line is self.row.text else line
        meant = known.meanings, known.inner, known.named
        return Side(number, source, span, typed, *meant, expression, limit)

    def _meaning(self, notation: Notation, inner: Value | None) -> Value:
        """The graph that a notation stands for."""
        at = notation.at
        if at and notation.kind == "derivative" and at not in self.touched:
            self.touched.append(at)
        if inner is None and notation.name in self.rated and (len(self.rated) > 1 or not self.stated.own):  # fmt: skip
            raise UsageError(f"{notation.name} is not given in terms of {self.wrt}")
        own = self.names.get(notation.name, self.function.root)  # dA/dt of A exp(-kt)
        root = own if inner is None else inner
        if notation.kind == "value":
            found = root
        elif self.outer is not None and root is self.function.root and not {*notation.wrt} & {*self.variables}:  # fmt: skip
            found = functools.reduce(derivative, notation.wrt, self.outer)
            found = at_place(found, self.names)
        elif inner is None and len(notation.wrt) == 1 and notation.wrt[0] in self.names:
            # dy/du, where u is a function of x
            u = self.names[notation.wrt[0]]
            outer, below = (derivative(r, self.wrt) for r in (root, u))
            found = node(DIV, (outer, below))
        elif root is self.function.root and set(notation.wrt) == {self.wrt}:
            found = self._truth(len(notation.wrt)).root
        else:
            found = root
            for name in notation.wrt:
                found = derivative(found, name, most=LARGEST)
        return at_place(found, at) if at else found

    def _truth(self, order: int) -> Expression:
        if order not in self.truths:
            self.truths[order] = self.function.derivative(self.wrt, order=order)
        return self.truths[order]

    # definitions

    def _definition(self, text: str, spans: Sequence[Span]) -> str | None:
        """The name that a statement defines: u of `u = x^2`; or f, where it is another function now."""
        left = text[slice(*spans[0])]
        match = re.fullmatch(r"([^\W\d_])(?:\(\s*[^\W\d](?:\s*,\s*[^\W\d])*\s*\))?", left)  # fmt: skip
        if match is None or match[1] in self.variables:
            return None
        name = match[1]
        if name in self.names or name in self.generic:
            return None
        with suppress(ExprgradError):
            if len(spans) == 2 or self._side(0, text, spans[1]).notations:
                return name
        return None

    def _define(self, number: int, text: str, name: str, span: Span) -> Verdict:
        side = self._side(number, text, span)
        self.names[name] = side.expression.root
        if "(" in text[: span[0]].rpartition(name)[2]:
            self.called.add(name)
        self.target = Target(None, side.expression)
        return said_of(side, FOLLOWS, f"{name} is defined")

    def _tangent(self, number: int, line: str, spans: Sequence[Span]) -> Verdict | None:
        """The verdict on the equation of a tangent, or a tangent plane; None for what may be anything else.

        What has the height or a slope of the tangent, or is said to touch there, but is another line, is wrong.
        """
        from exprgrad.checking.kinds.kinds import linear

        left = line[slice(*spans[0])]
        name = re.fullmatch(r"([yzLTlw])(?:\([\w, ]*\))?", left)
        if not name and not re.fullmatch(r"[^\w]*[yz]\s*[-+−].*", left):
            return None
        [first, side, *_] = [self._side(number, line, span) for span in spans[-2:]]
        named = [{self.wrt: self.named.root}] if self.named else []
        places: list[Place] = [*self.touched, *named]
        slope = simplify(derivative(side.expression.root, self.wrt))
        tried = [*reversed(places)]
        if not (self.is_tangent or places or has_variables(slope)):
            # y - 9 = 6(x - 3), of a place that is not named: where the slope is 6
            zeros = self._all_zeros(node(SUB, (self._truth(1).root, slope))) or ()
            tried = [{self.wrt: z.exact} for z in zeros if z.exact is not None]
        for at in tried:
            value = linear(self.function, at)
            about = Expression.of(value, self.variables)
            if name is None:  # y - 1 = 2(x - 3)
                own = {n: value for n in ("y", "z", *first.notations) if n not in self.variables}  # fmt: skip
                about = Expression.of(at_place(first.typed.root, own), self.variables)
            if self._agrees(side, target := Target(None, about)):
                self.target = target
                if name is not None:
                    self.names[name[1]] = side.expression.root
                return said_of(side, FOLLOWS, "the tangent there")
            off = Expression.of(node(SUB, (side.expression.root, about.root)))
            changes = [simplify(derivative(off.root, n)) for n in at]
            there = [*changes, at_place(off.root, at)]
            is_line = self.is_tangent and not any(map(has_variables, changes))
            if is_line and (self.place or any(rational(simplify(one)) == 0 for one in there)):  # fmt: skip
                self.wrong, self.wrong_order, self.target = side, None, target
                return said_of(side, WRONG, f"the tangent there is {to_text(simplify(value))}")  # fmt: skip
        if places or not self.is_tangent or has_variables(slope) or self._agrees(side, Target(0, self.function)):  # fmt: skip
            return None
        return said_of(side, UNREADABLE, "it is not said where this tangent touches")

    # what a chain is about

    def _aim(self, first: Side, sides: list[Side]) -> list[Side]:
        """Aim at what the left side stands for; the sides that remain to be judged."""
        notation = first.sole
        self.lost = False
        order = self._order_of(first)
        if order is not None:
            self.target = self.main = Target(order)
            return sides if notation is None else sides[1:]
        if not first.notations and self.wrong is not None and self._same(self.wrong, first):  # fmt: skip
            self.target = self.main
            return sides
        itself = Target(0, self.function)  # ln(x^2) is 2 ln x where that has a value
        is_own = {*first.expression.variables} <= self.declared_for(first)
        # about something else: another derivative, x itself, or names of its own
        is_aside = first.typed.asks_for_derivative or not is_own or first.typed.root.name == self.wrt  # fmt: skip
        called = notation and notation.kind == "value" and not notation.at and self.names[notation.name]  # fmt: skip
        if called is self.function.root or (notation is None and self._agrees(first, itself)):  # fmt: skip
            self.target = itself
        elif first.meanings or is_aside:
            self.target = Target(None, first.expression)
        else:
            self.target = self.main
            return sides
        return sides[1:]

    def _order_of(self, first: Side) -> int | None:
        """The order of the derivative that a left side is, by its notation or by its value."""
        notation = first.sole
        if notation is not None and notation.kind == "derivative" and not notation.at:
            # of A exp(-kt), dA/dt is the derivative
            root = self.names.get(notation.name, self.function.root)
            if root is self.function.root and set(notation.wrt) == {self.wrt}:
                return len(notation.wrt)
        if self._agrees(first, self.main):
            return self.main.order
        asked = Target(self.order)
        return self.order if first.notations and self._agrees(first, asked) else None

    def _agrees(self, side: Side, target: Target) -> bool:
        found = self._compared(side, target)[1]
        return found.against is None and found.enough

    # judging

    def _compared(self, side: Side, target: Target) -> tuple[Sides, Findings]:
        """The sides with what was found of them; what is claimed of a limit is not proved."""
        sides = self._sides(side, target)
        if side.limit is not None:
            return sides, agreement.examine(sides, lambda: False)
        truth = target.value or self.function
        claimed = Question(truth, side.expression, self.wrt, target.order or 0)
        return sides, judging.examined(judging.compared_with(claimed, sides))

    def _sides(self, side: Side, target: Target) -> Sides:
        """Return what is compared: what a chain is said to be, where the function has a value, with a side of it."""
        claim, limit = side.expression, side.limit
        if target.order:
            asked = self.function, claim, self.wrt, target.order, self.where
            sides = Question(*asked).sides()
        else:
            truth, is_lenient = target.value or self.function, target.value is not None
            roots = (self.function.root, truth.root, claim.root)
            # in the limit for x -> a there is no x
            names = self.function.variables
            has_no_place = limit is not None and limit.variable in names
            # ln y = 2 ln(x + 1) - ... holds where its logarithms have values
            is_within = (truth.variables or not is_lenient) and not has_no_place
            domain = [Probe(self.function.tape)] if is_within else []
            both = Probe(truth.tape), Probe(claim.tape)
            sides = agreement.of_probes(*both, self.wrt, roots, domain, is_lenient)
        return sides if limit is None else self._in_the_limit(sides, side, limit)

    def _in_the_limit(self, sides: Sides, side: Side, limit: Limit) -> Sides:
        """The claim very near the place that its limit goes to, nearer the more digits are asked for."""
        probe = Probe(side.expression.tape)
        try:
            place = parse(limit.to.replace("−", "-"))
            name = place.root.name
            to = Fraction(0) if name else Fraction(place())
        except ExprgradError:
            told = f"a limit for {limit.variable} to {limit.to} is not judged"
            raise UsageError(told, side.span) from None
        about = self.target.value
        if limit.variable in (self.variables if about is None else about.variables):
            told = f"a limit in {limit.variable} itself is not judged"
            raise UsageError(told, side.span)

        def claim(at: Point, digits: int) -> Look:
            wanted = digits or 20
            near = (Fraction(at[name]) if name else to) + Fraction(1, 10 ** (2 * wanted))  # fmt: skip
            look = probe.precise({**at, limit.variable: near}, 6 * wanted)
            if look.value is None:
                return look
            # digits that a tiny h takes are no sign of terms that larger numbers hide
            return look._replace(bits=0) if digits else Look(float(look.value), None)

        names = tuple(n for n in sides.names if n != limit.variable)
        roots, work = (self.function.root,), (sides.cost, sides.weight)
        both = agreement.compared(sides.truth, claim, roots, names, self.wrt, work)
        own = sides._replace(claim=claim, names=names, trail=both.trail)
        return own._replace(weight=4 * sides.weight)

    def _judge(self, side: Side) -> Verdict:
        """Return whether a side is what its chain is said to be, or follows from a wrong line above."""
        about = self.target.value.variables if self.target.value else ()
        own = dict.fromkeys((*side.expression.variables, *about))
        place = set[str]()
        if self.row.page is not None or side.limit is not None or self.touched:
            # the a of f'(a), the h of f(x + h); but 2 may be put in for x_0
            is_value = not {*about} & {*self.variables}
            place = {*about} if is_value else {*about} & {*side.expression.variables}
        strange = [n for n in own if n not in {*self.declared_for(side), *place}]
        sides, found = self._compared(side, self.target)
        judged = self._verdict(side, sides, found, strange)
        there = self._there(side) if judged.status == WRONG else None
        if there is not None and self._agrees(side, Target(None, there)):
            judged = said_of(side, FOLLOWS, "the derivative there")
        if judged.status == WRONG and self.lost:
            judged = said_of(side, UNREADABLE, "what this continues could not be read")
        elif judged.status == WRONG and self.target.order and (read := meant(self.stated.function or self.function.source, side.text, self.wrt, self.target.order)):  # fmt: skip
            judged = said_of(side, UNREADABLE, f"undecided: correct if you mean {read}")
        if judged.status == FOLLOWS:
            self.before = side
        elif judged.status == WRONG:
            self.wrong, self.wrong_order = side, self.target.order
        if self.target == self.main and judged.status != UNREADABLE:
            self.last = side, judged
        return judged

    def _there(self, side: Side) -> Expression | None:
        """The derivative at the place that was named last, if the side is a number."""
        if self.named is None or side.expression.variables or not self.main.order:
            return None
        there = at_place(self._truth(self.main.order).root, {self.wrt: self.named.root})
        return Expression.of(there, self.variables)

    def declared_for(self, side: Side) -> set[str]:
        """The names that may stand in a side."""
        return {*self.variables, *([side.limit.variable] if side.limit else [])}

    def _verdict(
        self, side: Side, sides: Sides, found: Findings, strange: list[str]
    ) -> Verdict:
        follows = {"after": self._line_before() or None, **found.basis._asdict()}
        if found.against is None:
            if found.enough and self.where and self.target.order:
                # right for x > 0, as its line says: without that, is it right everywhere?
                where, self.where = self.where, ()
                if not self._agrees(side, self.target):
                    said = ", ".join(condition.source for condition in where)
                    self.partly = f"right for {said}"
                self.where = where
            if not found.enough:
                return said_of(side, UNREADABLE, f"undecided: {_why_open(found)}")
            return said_of(side, FOLLOWS, judging.agreement_text(found), **follows)
        if found.against.claim is None and self.target.order and side.limit is None:
            whole = check(self.function, side.expression, self.wrt, order=self.target.order)  # fmt: skip
            if whole.status == "correct":  # but at a single point it has no value
                return said_of(side, FOLLOWS, whole.evidence, notes=whole.notes, **follows)  # fmt: skip
        question = Question(self.function, side.expression, self.wrt, self.target.order or 0)  # fmt: skip
        decimals = self.target.order and side.limit is None
        if decimals and explained_by_rounding(question, sides, found) is not None:
            return said_of(side, FOLLOWS, "right to the digits given", **follows)
        if strange:
            names, are = ", ".join(strange), "is" if len(strange) == 1 else "are"
            return said_of(side, UNREADABLE, f"{names} {are} not in the problem")
        if self.wrong is not None and self._same(self.wrong, side):
            told = "follows from a wrong line"
            return said_of(side, judging.CONSEQUENT, told, after=self.wrong.line)
        pieces, _ = where_right(sides)
        if re.fullmatch(r"correct for (\w+) > 0, wrong for \1 < 0", pieces):
            self.partly = pieces
            after = self._line_before() or None
            return said_of(side, FOLLOWS, pieces, after=after, notes=(pieces,))
        return self._refuted(side, sides, found)

    def _same(self, wrong: Side, side: Side) -> bool:
        """Return whether a side is equal to a wrong one, where the function is defined; or to its derivative."""
        if side.limit or wrong.limit:
            return False
        above, before, order = wrong.expression, self.wrong_order, self.target.order
        if order is not None and before is not None and order > before:
            above = above.derivative(self.wrt, order=order - before)
        return self._agrees(side, Target(None, above))

    def _refuted(self, side: Side, sides: Sides, found: Findings) -> Verdict:
        assert found.against is not None
        claim, truth = found.against.claim, float(found.against.truth)
        at, there = dict(found.against.at), self._there(side)
        if there is not None and not there.variables and self.target.order:
            assert self.named is not None
            at, truth = {self.wrt: self.named()}, there()
        elif self.target.value is not None and not {*side.expression.variables, *self.target.value.variables}:  # fmt: skip
            at = {}
        # what a limit is of goes on growing where its variable is as close again to its place
        near, nearer = (sides.claim(found.against.at, digits).value for digits in (20, 40)) if side.limit else (None, None)  # fmt: skip
        diverges = nearer is not None and near is not None and abs(nearer) > max(1.5 * abs(near), 10)  # fmt: skip
        claimed = None if claim is None or diverges else float(claim)
        example = judging.Counterexample(at, claimed, truth)
        where = ", ".join(f"{name} = {show(x)}" for name, x in at.items())
        own = "no finite value" if diverges else "no value"
        this = f"has {own}" if claimed is None else f"is {claimed:.10g}"
        about = "the derivative is" if self.target.order else "it should be"
        evidence = f"{f'at {where} ' * bool(where)}this {this}, {about} {truth:.10g}"
        is_later = self.wrong is not None and self.wrong.line > self._line_before()
        since = self.wrong if is_later else self.before
        asked = self.function, self.wrt, self.target.order, sides, found.against.at
        told = said_of(side, WRONG, evidence, **Basis(REFUTED, 1)._asdict())
        mistake = explain(Asked(*asked, since, is_later), side)
        return told._replace(counterexample=judging.in_doubles(example), mistake=mistake)  # fmt: skip

    def _line_before(self) -> int:
        return 0 if self.before is None else self.before.line

    # equations at the end

    def _closes(self, side: Side, judged: Sequence[Verdict]) -> bool:
        """Return whether a final `= 0` sets the derivative to 0, as for critical points."""
        if side.text.strip() != "0" or not self.target.order:
            return False
        if not (judged or self.before) or any(one.status == WRONG for one in judged):
            return False
        follows_wrong = self.wrong is not None and self._same(self.wrong, side)
        return not (follows_wrong or self._agrees(side, self.target))

    def _solution(self, sides: list[Side]) -> Verdict:
        """Return whether the derivative is 0 at a number."""
        side = sides[-1]
        if side.expression.variables:
            raise UsageError("this is not a number", side.span, source=side.source)
        root = at_place(self._set_to_zero.root, {self.wrt: side.expression.root})
        look = Probe(Expression.of(root, self.variables).tape).precise({}, 60)
        if look.value is None and look.overflow:
            raise UsageError("the derivative there is too large", side.span, source=side.source)  # fmt: skip
        if look.value is not None and abs(look.value) < agreement.tenth(40):
            root = side.expression.root
            self.stationary.append(Zero(value_of(root), root))
            self.set_to_zero = self._set_to_zero, self._derivative
            return said_of(side, FOLLOWS, f"{self._derivative} is 0 there")
        told = "has no value" if look.value is None else f"is {judging.number_text(look.value)}"  # fmt: skip
        return said_of(side, WRONG, f"{self._derivative} {told} there")

    def _begins_to_solve(self, sides: list[Side]) -> bool:
        """Return whether an equation below the derivative is about where that is 0, and does not say what it is."""
        is_found = self.last is not None and self.last[1].status == FOLLOWS
        if not (is_found and self.main.order) or any(side.notations for side in sides):
            return False
        if len(sides) != 2 or any(self._agrees(side, self.main) for side in sides):
            return False
        if "0" in (side.text.strip() for side in sides):
            return True
        found = self._solutions(sides)
        # 3x = 6 does not say that a derivative with x in it is 6, unless a place was named
        numbers = sum(not side.expression.variables for side in sides)
        is_level = numbers == 1 and self.named is None
        return found is not None and (found[1] == SAME or is_level)

    def _solutions(self, sides: list[Side]) -> tuple[str, str] | None:
        """Return what is to be said of an equation's solutions beside the zeros of the derivative; None where that is open."""
        truth = self._set_to_zero
        if self.where or not has_variables(truth.root):
            return None
        off = node(SUB, (sides[0].expression.root, sides[-1].expression.root))
        ratio = simplify(node(DIV, (off, truth.root)))
        if not has_variables(ratio) and rational(ratio) != 0:
            return FOLLOWS, SAME
        wanted, own = self._all_zeros(truth.root), self._all_zeros(off)
        if wanted is None or own is None:
            return None
        for zero in beyond(wanted, own):
            missed = probe_of(off).floats({self.wrt: zero.near}).value
            if self.bounded or (missed is not None and abs(missed) < SURELY):
                return None
            return WRONG, f"{self.wrt} = {zero_text(zero)} is lost: {self._derivative} is 0 there too"  # fmt: skip
        more = beyond(own, wanted)  # 2x = sqrt(x^2 + 1), squared, holds at more
        told = f"it holds at {self.wrt} = {zero_text(more[0])} too, where {self._derivative} is not 0" if more else SAME  # fmt: skip
        return FOLLOWS, told

    @property
    def _set_to_zero(self) -> Expression:
        """The derivative whose zeros are looked for; `_derivative` names it."""
        return self._truth(self.main.order or self.order)

    @property
    def _derivative(self) -> str:
        order = self.main.order or self.order
        return "the derivative" if order == 1 else f"the derivative of order {order}"

    def _all_zeros(self, root: Value) -> list[Zero] | None:
        """The zeros of a formula where the function has a value; None if they may not be all, or depend on a letter."""
        if {*self.function.variables, *Expression.of(root).variables} - {self.wrt}:
            return None
        found = Search(self.wrt).zeros(root)
        if not found.complete or found.intervals:
            return None
        look = Probe(self.function.tape).floats
        return [z for z in found.found if not look({self.wrt: z.near}).is_undefined]

    def _equation(self, sides: list[Side]) -> Verdict:
        """Return whether an equation loses no solution of f' = 0: 2x = 4 for 2x - 4 = 0."""
        side, found = sides[-1], self._solutions(sides)
        if found is not None:
            return said_of(side, *found)
        right, claimed = self._set_to_zero.simplify().root, side.expression.root
        is_zero = sides[0].text.strip() == "0" and has_variables(claimed)
        if is_zero and _is_slip(claimed, right) and not _is_slip(claimed, self.function.root):  # fmt: skip
            return said_of(side, WRONG, f"the derivative is {to_text(right)}")
        raise UsageError("this equation is not judged", side.span, source=side.source)

    # the end

    def finished(self) -> Verdict:
        """All lines, and what is to be said of the whole."""
        if not self.lines:
            raise UsageError("there is no line of a solution here")
        verdict, conclusion = self._conclusion()
        # say behind the last line where else the derivative is 0 than at the places that solve f' = 0
        zeros = self._all_zeros(self.set_to_zero[0].root) if self.stationary else None
        lost = [zero_text(zero) for zero in beyond(zeros or (), self.stationary)]
        if lost:
            note = f"{self.set_to_zero[1]} is 0 at {self.wrt} = {', '.join(lost)} too"
            last = self.lines[-1]
            self.lines[-1] = last._replace(notes=(*last.notes, note))
        own = self.function, self.wrt, self.order, self.lines
        return of_lines(*own, verdict, conclusion)

    def _conclusion(self) -> tuple[str, str]:
        last = self.last and self.last[1].status
        right = last == FOLLOWS and self.main.order == self.order
        statuses = [line.status for line in self.lines]
        if WRONG in statuses:
            but = f"{judging.ANSWER_RIGHT}, but not every line is"
            return "incorrect", but if right else "the answer is wrong"
        if UNREADABLE in statuses:
            unread = self.lines[statuses.index(UNREADABLE)].evidence
            is_open = unread.startswith("undecided")
            status, done = ("undecided", "decided") if is_open else (UNREADABLE, "read")
            answer = judging.ANSWER_RIGHT if right else "whether the answer is right is open"  # fmt: skip
            return status, f"{answer}, but not every line could be {done}"
        if self.last is None or not right:
            lacks = "the derivative that is asked for is not among them"
        elif self.partly:
            return "partly", f"the answer is {self.partly}"
        else:
            lacks = _unfinished(self.last[0])
        if lacks:
            return "unfinished", f"every line follows, but {lacks}"
        return "correct", "every line follows, and the answer is right"


# on an interval, a solution that lies outside of it may be left out
_BOUNDED = pattern(r"[<≤≥∈]|(?<![=-])>|\\[lg]eq?\b|\binterval\b|\bon \[")
TO_SOLVE, SAME = "read as an equation to solve", "the same solutions"
SURELY = 1e-9  # what is surely not 0

_TANGENT = pattern(r"\btangent(?:\s+(?:line|plane)|(?:\s+at\s[^;:]*)?\s*:)|\bline\s+tangent|\blineari[sz]ation|\blinear\s+approximation", re.IGNORECASE)  # fmt: skip
_OTHER_LINE = pattern(r"\b(?:normal|perpendicular|parallel|secant|asymptot)", re.IGNORECASE)  # fmt: skip
"""Words that say that lines are tangents, or may be others."""

_DERIVED = pattern(rf"[{PRIMES}]|[d∂][^=;]*/\s*[d∂]|_\{{?[a-z]|\blim")
"""Signs that an equation is about a derivative."""


def _unfinished(last: Side) -> str:
    """Return what an answer still has to be freed of; nothing where it is one."""
    if last.inner or last.limit or last.typed.asks_for_derivative:
        return "the last one still asks for a derivative"
    names = ", ".join(dict.fromkeys(n.name for n in last.notations.values()))
    return f"the last one still has {names} in it" if last.meanings else ""


RESTATING = frozenset("rewrite rewriting rewritten thus so then hence therefore considering becomes".split())  # fmt: skip
"""Words in front of the function in another form."""

LIKELY = 0.6
"""The likeness to what is right from which something else is a slip."""


def _is_slip(claimed: Value, right: Value) -> bool:
    return likeness(claimed, [right]) >= LIKELY


SOLVING = frozenset("critical stationary zero zeros root roots solve solution solutions extrema".split())  # fmt: skip
"""Words in front of places where the derivative is 0."""


def _says_stationary(statement: Statement) -> bool:
    """Return whether words say that the derivative is 0 at a number, or has no value there."""
    words = statement.words
    if words & {"no", "not", "neither", "nor"}:
        return False
    extrema = {"maximum", "minimum", "max", "min", "extremum", "maxima", "minima"}
    return "critical" in words or bool(words & {"local", "relative"} and words & extrema)  # fmt: skip


ASIDES = frozenset(
    "inner inside outer outside tangent normal line critical point points recall remember identity formula function "
    "where when if since because numerator denominator".split()
)  # fmt: skip
"""Words in front of what is not said to be the derivative."""

OPERANDS = frozenset(
    "by out of cancel expand factor collect with from where when if let take substitute for at since because into "
    "replace put set divide multiply add subtract".split()
)  # fmt: skip
"""Words right in front of what something is done with or to: "divide by h", "factor out 2x"."""


def _is_remark(statement: Statement) -> bool:
    """Return whether words say that a statement is not about the derivative, or a lone expression is a part of a sentence."""
    lone = len(statement.sides) == 1 and not statement.continued
    return bool(statement.words & ASIDES) or (lone and statement.last in OPERANDS)


def _names_in(whole: str) -> Iterable[str]:
    """The names of the function: f and y, and those that a prime or dN/dx has, unless they are defined."""
    primed = re.findall(rf"(?<![^\W\d_])([^\W\d_])[{PRIMES}]", whole)
    primed += filter(str.isalpha, re.findall(r"[d∂]([^\W\d_])/[d∂]", whole))  # not d²
    below = {*re.findall(r"/\s*[d∂]([^\W\d_])", whole)}
    primed = [n for n in primed if n not in below]
    if {*primed} - {"u", "v", "w"}:  # dy/dx = dy/du du/dx
        primed = [n for n in primed if n not in ("u", "v", "w")]
    parts = set(re.findall(r"(?<![^\W_])([^\W\d_])(?:\(\w\))?\s*=(?!=)", whole))
    own = [n for n in (*FUNCTION_NAMES, *primed) if n not in parts or n in FUNCTION_NAMES]  # fmt: skip
    # where f' g + f g' is the derivative, f is a part
    product = re.search(rf"f[{PRIMES}]?(?:\(\w\))?\s*[*·]?\s*g(?!\w)", whole)
    return dict.fromkeys(n for n in own if n not in ("f", "g") or not product)


def first_fault(judged: Sequence[Verdict]) -> Verdict:
    """The first that is wrong, else one that cannot be read, else a consequent one, else the last."""
    for status in (WRONG, UNREADABLE, judging.CONSEQUENT):
        for found in judged:
            if found.status == status:
                return found
    return judged[-1]


def _why_open(found: Findings) -> str:
    if unfinished := judging.unfinished_text(found):
        return unfinished
    if not found.usable:
        return f"there is no value at any of {found.tried} points"
    return f"only {len(found.settled)} of {found.tried} points can be used"


def check_work(
    function: str | Expression,
    lines: str | Sequence[str],
    wrt: str | None = None,
    order: int = 1,
) -> Verdict:
    """Judge a worked solution for the derivative of `function`, line by line.

    `function` may be an equation between names, of which one is a function of another. `lines` is the text, or its
    lines. Raises `UsageError` where the variable is unclear or there is nothing to judge, `ExpressionSyntaxError` for a
    function that cannot be read.
    """
    return work_within(function, lines, wrt, order)


def work_within(
    function: str | Expression,
    lines: str | Sequence[str],
    wrt: str | None = None,
    order: int = 1,
    outer: tuple[Value, Mapping[str, Value]] | None = None,
    stated: tex.Stated | None = None,
    start: int = 1,
) -> Verdict:
    """The same where `outer` is a function as it was before names in it were filled in, and what these stand for.

    `stated` is how a text states the problem, `start` the number of the first line in it.
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
            return curve.judged(rows, start)
        match questions.read(function):
            case [questions.Definition(given=own_text)]:
                function = own_text.text
    if not isinstance(function, Expression):
        function = parse(inputs.text(function, "a function"), {*letters(own, wrt), *([wrt] if wrt else [])}, lenient=True)  # fmt: skip
    function.refuse_arrays({})
    if not wrt and len(function.variables) > 1:
        raise several(function.variables)
    name = wrt or next(iter(function.variables), "x")
    whole = " ; ".join(row.alone or row.text for row in (Row.of(own), *rows))
    judge = Judge(function, name, order, whole)
    judge.stated = stated or judge.stated
    judge.outer, meant = outer or (None, {})
    judge.names |= meant
    return judge.judged(rows, start)


RATE = pattern(
    rf"[d∂]\^?[0-9²³]?\s*([^\W\d_])\s*/\s*[d∂]\s*([^\W\d_])|(?<![^\W\d_])([^\W\d_])[{PRIMES}]"
)
"""dy/dx, or y'."""

_FACTORS = pattern(r"d\s*[^\W\d_][^=]*[)\]]\s*[(\[]")
"""Brackets behind a derivative and others right behind these: of d/dx (u)(v), the v may be a factor."""

_ANNOUNCED = pattern(rf"(?:^|;)\s*(?:[^\W\d_][{PRIMES}](?:\([^\W\d]\))?|d\w/d\w)\s*=")
"""The beginning of a line that gives the derivative: those above it are about the function."""

_AT = pattern(r"\s*\{?\s*(?:\\left)?\s*\(?(.*?)(?:\\right)?\s*\)?\s*\}?\s*$")
"""The place at which a derivative is evaluated, behind a bar."""


def _on_curve(given: str, whole: str, wrt: str | None, order: int) -> _OnCurve | None:
    """The judge of lines about an equation between several names; None for that of a function of one."""
    row = Row.of(given)
    [*spans] = brackets.parted(row.text, "=")
    if len(spans) != 2:
        return None
    spans = [trimmed(row.text.replace("$", " "), *span) for span in spans]
    rates = [(above or primed, below) for above, below, primed in RATE.findall(whole)]
    by = wrt or next((below for _, below in rates if below), "x")
    texts = (row.between(*span).strip(" $") for span in spans)
    left, right = (parse(text, letters(given, by)) for text in texts)
    names = {*left.variables, *right.variables}
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

    `x` and `y` are two names in that equation; `free` are the derivatives of all that vary but y and `by`. A line P = Q
    is right where dy/dx + P - Q is dy/dx on the curve.
    """

    def __init__(self, equation: Expression, x: str, y: str, by: str, free: Mapping[str, Value], order: int, whole: str) -> None:  # fmt: skip
        super().__init__(equation, by, order, whole)
        self.x, self.y, self.rate = x, y, f"{y}_{by}"
        self.names = {n: Value(None, n) for n in equation.variables if n != by}
        self.rates = {**free, by: Constant(1)}
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
        rates = self.rates.items()
        return simplify(added((derivative(root, n), rate) for n, rate in rates))

    def _meaning(self, notation: Notation, inner: Value | None) -> Value:
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
            # what is given is remembered: r = 2 or dr/dt = 3
            given, value = sides[0].expression.root.name, sides[-1].expression
            if given not in (None, self.rate) and len(sides) == 2 and not value.variables:  # fmt: skip
                self.known[given] = value.root
                self.head = None
            elif kinds <= {"value"}:
                self.head = None
        if self.head is None:
            return None
        judged: list[Verdict] = []
        for side in sides:
            if side is not self.head and (one := self._equal(self.head, side, at)):
                judged.append(one)
                # the last one is the answer, but for a value of the slope at a point
                if one.status == FOLLOWS or not (is_bar or one.status == UNREADABLE):
                    self.last = side, one
        return first_fault(judged) if judged else None

    def _equal(
        self, first: Side, side: Side, at: Mapping[str, Value]
    ) -> Verdict | None:
        """Return whether both sides are equal on the curve, or where numbers have been put in."""
        difference = node(SUB, (first.expression.root, side.expression.root))
        own, names = {*Expression.of(difference).variables}, {*self.function.variables}
        found = self._settled(difference, self.truth)
        if found.status != "correct" and (at or not own & names):
            with_rate = at_place(difference, {self.rate: self.truth})
            difference = at_place(at_place(with_rate, at), at)
            if not {*Expression.of(difference).variables} <= {*own, self.rate}:
                return self._unknown(side)
            found = self._settled(difference, self.truth)
        free = {*Expression.of(self.truth).variables} - own - {*at}
        if found.status == "incorrect" and not free <= names:
            return None
        if found.status == "incorrect" and free and not own & names:
            return said_of(side, UNREADABLE, "it is not said which numbers were put in")
        if found.status == "correct":
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
                return said_of(side, judging.CONSEQUENT, told, after=after)
        else:
            self.wrong, self.error = side, difference
        told = "the sides of this equation are not equal, on the curve"
        notes: tuple[str, ...] = ()
        with suppress(ExprgradError):  # -x/2y is read as (-x/2)*y
            notes = parse(side.text, self.variables).notes
        return said_of(side, WRONG, told, notes=notes)

    def _unknown(self, side: Side) -> Verdict | None:
        """The verdict on a number where another one stands before it in its chain."""
        before, self.number = self.number, side
        if side.expression.variables or before is None or before.expression.variables:
            return None
        is_equal = self._agrees(side, Target(None, before.expression))
        return said_of(side, FOLLOWS) if is_equal else said_of(side, WRONG, f"this is {side.expression():.10g}, it should be {before.expression():.10g}")  # fmt: skip

    def _settled(self, difference: Value, rate: Value) -> Verdict:
        """Return whether a difference is 0 on the curve."""
        own = at_place(difference, {self.rate: rate})
        claim = Expression.of(node(ADD, (self.slope, own)))
        return check(f"{self.function} = 0", claim, self.x, kind="implicit", of=self.y)

    def finished(self) -> Verdict:
        """The same of the curve."""
        asked = f"d{self.y}/d{self.wrt} on {self.function.title} = 0"
        return super().finished()._replace(asked=asked, right=(("", self.truth),))

    def _conclusion(self) -> tuple[str, str]:
        status, said = super()._conclusion()
        if status == "unfinished" and self.solved:
            return "correct", "every line follows, and the answer is right"
        return status, said
