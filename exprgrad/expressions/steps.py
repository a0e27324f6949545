"""A derivative worked out the way a person would: which rule, for which part, with which result.

A `Step` is a part of the expression and the rule for it; the parts that the rule needs follow as steps
of their own, one level deeper. Its result is always what `derivative` gives for that part, so the result of
the first step is the derivative itself. `assembled` is what the rule gives before it is simplified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce

from exprgrad.algebra.work import Work
from exprgrad.annotations import NamedTuple
from exprgrad.expressions.confirm import Quantity, confirmed, derivative, simplify
from exprgrad.expressions.stated import stated
from exprgrad.expressions.taylor import at_place
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Constant, Value, is_variable, node
from exprgrad.language.parser import read
from exprgrad.notation.text import to_text
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import ADD, DIV, IF, LN, MUL, NEG, POW, SUB
from exprgrad.symbolic.derivative import (
    LOOKING,
    as_choice,
    flat_piece,
    is_nowhere,
    local_partial,
    tangent,
)

MOST_STEPS = 400
MOST_WORK = 10_000
"""The most steps of a derivation, and nodes of its parts and their slopes; a longer one is cut off."""


Assemble = Callable[[Sequence[Value]], Value]
"""Return the derivative of a part from the derivatives of the parts that its rule names."""


class Rule(NamedTuple):
    """A rule for one part: its name, its statement, and the parts to be differentiated first.

    `where` says what the letters of the statement stand for. `assemble` makes the derivative from those of
    the parts. An `obvious` rule is left out of a brief derivation.
    """

    name: str
    statement: str
    where: tuple[tuple[str, Value], ...]
    parts: tuple[Value, ...]
    assemble: Assemble
    obvious: bool = False


def stated_rule(
    name: str, statement: str, obvious: bool = False, **letters: Value
) -> Rule:
    """Return a rule that does what its statement says, such as `(u*v)' = u'*v + u*v'`.

    The right side is read as a formula in the `letters`; the parts to differentiate first are those with a prime.
    """
    right = statement.partition(" = ")[2]
    primed = tuple(letter for letter in letters if f"{letter}'" in right)

    def assemble(derived: Sequence[Value]) -> Value:
        own = letters | {f"{p}_1": d for p, d in zip(primed, derived, strict=True)}
        # u' is no name, but u_1 is one; then the graphs take the places of the letters.
        return at_place(read(right.replace("'", "_1"), own).root, own)

    parts = tuple(letters[letter] for letter in primed)
    return Rule(name, statement, tuple(letters.items()), parts, assemble, obvious)


def known_rule(
    name: str, statement: str, result: Value, obvious: bool = True, **letters: Value
) -> Rule:
    """Return a rule with nothing left to differentiate."""
    where = tuple(letters.items())
    return Rule(name, statement, where, (), lambda _: result, obvious)


class Step(NamedTuple):
    """One step: d/d`variable` of `part` by a rule; `assembled` is what that gives, `result` its simplification."""

    depth: int
    variable: str
    part: Value
    rule: Rule
    assembled: Value
    result: Value

    def assumptions(self, *lines: Value) -> tuple[str, ...]:
        """Return the conditions under which the `assembled` line, the `result` or both are the derivative of the part."""
        own = [(self.part, self.variable, line) for line in dict.fromkeys(lines)]
        return stated(self.part, lines[-1], (self.variable,), own)


class Derivation(list[Step]):
    """Steps in the order of reading; `is_cut` says that more would follow."""

    is_cut = False


def steps(root: Value, variable: str, *, brief: bool = False) -> Derivation:
    """The derivation, in the order of reading; a `brief` one leaves out obvious rules."""
    return _Deriving(root, variable).steps(brief)


class _Deriving:
    def __init__(self, root: Value, variable: str) -> None:
        self.root = root
        self.variable = variable
        self.active: set[Value] = set()
        self._see(root)
        self.results: dict[Value, Value] = {}
        self.spent = 0
        self.looking = Work(LOOKING)

    def _see(self, root: Value) -> None:
        """Learn which parts depend on the variable."""
        for item in topological(root):
            own = is_variable(item) and item.name == self.variable
            if own or any(operand in self.active for operand in item.operands):
                self.active.add(item)

    def steps(self, brief: bool) -> Derivation:
        found = Derivation()
        stack = [(self.root, 0)]
        while stack:
            if len(found) == MOST_STEPS or self.spent > MOST_WORK:
                found.is_cut = True
                break
            part, depth = stack.pop()
            rule = self._rule(part)
            if brief and rule.obvious and depth:
                stack += [(p, depth) for p in reversed(rule.parts)]
                continue
            truth = Quantity(part, self.variable)
            plain = partial(tangent, part, self.variable)
            assembled = confirmed(truth, self._assembled(part, rule), plain)
            result = self._result(part)
            found.append(Step(depth, self.variable, part, rule, assembled, result))
            stack += [(p, depth + 1) for p in reversed(rule.parts)]
        return found

    def _assembled(self, part: Value, rule: Rule) -> Value:
        """Return what the rule gives; the result at once where a slope in it has no value, as of sqrt(x - x)."""
        derived = [self._result(inner) for inner in rule.parts]
        if derived and all(rational(item) == 0 for item in derived):
            return Constant(0.0)
        found = rule.assemble(derived)
        is_lost = any(map(is_nowhere, topological(found)))
        return self._result(part) if is_lost else found

    def _result(self, part: Value) -> Value:
        if part not in self.results:
            found = self.results[part] = derivative(part, self.variable)
            # the slope of a product of n functions has n^2 parts
            self.spent += len(topological(part)) + len(topological(found))
        return self.results[part]

    def _rule(self, part: Value) -> Rule:
        """Return the rule for a part, by pieces where it is constant on one."""
        if part not in self.active:
            return known_rule("constant", "(c)' = 0", Constant(0.0))
        if part.operation is None:
            return known_rule("variable", f"({self.variable})' = 1", Constant(1.0))
        piece = flat_piece(part, self.looking)
        if piece is None:
            return self._rule_of(part)
        condition, other = piece
        if other is None:
            rule = self._rule_of(part)
        else:
            # A piece is a graph of its own, whose nodes have not been looked at.
            self._see(other)
            rule = Rule("cases", "each case by itself", (), (other,), lambda d: d[0])
        return rule._replace(
            assemble=lambda d: node(IF, (condition, Constant(0.0), rule.assemble(d)))
        )

    def _rule_of(self, part: Value) -> Rule:
        """Return the rule for what the operation of a part is."""
        operation = part.operation
        assert operation is not None
        if operation in (ADD, SUB):
            return self._sum(part)
        if operation is NEG:
            (u,) = part.operands
            return stated_rule("sign", "(-u)' = -u'", True, u=u)._replace(where=())
        if operation is MUL:
            return self._product(*part.operands)
        if operation is DIV:
            return self._quotient(*part.operands)
        if operation.rule == POW.rule:
            return self._power(part, operation)
        if operation is IF or operation.fold == "left":
            chosen = as_choice(part)
            assert chosen is not None
            condition, *cases = chosen.operands
            return Rule(
                "cases", "each case by itself", (), tuple(cases), lambda d: node(IF, (condition, *d))
            )  # fmt: skip
        return self._function(part, operation)

    def _sum(self, part: Value) -> Rule:
        terms: list[tuple[Value, bool]] = []
        stack = [(part, True)]
        while stack:
            item, plus = stack.pop()
            if item.operation in (ADD, SUB):
                # The right one first: the left one is then taken from the stack before it.
                stack.append((item.operands[1], plus == (item.operation is ADD)))
                stack.append((item.operands[0], plus))
            else:
                terms.append((item, plus))

        def assemble(derived: Sequence[Value]) -> Value:
            total = derived[0]
            for (_, plus), own in zip(terms[1:], derived[1:], strict=True):
                total = node(ADD if plus else SUB, (total, own))
            return total

        parts = tuple(term for term, _ in terms)
        statement = "(u + v)' = u' + v', term by term"
        return Rule("sum rule", statement, (), parts, assemble, True)

    def _product(self, u: Value, v: Value) -> Rule:
        if u in self.active and v in self.active:
            return stated_rule("product rule", "(u*v)' = u'*v + u*v'", u=u, v=v)
        c, inner = (v, u) if u in self.active else (u, v)
        name = "constant multiple rule"
        if self._is_variable(inner):
            return known_rule(name, f"(c*{self.variable})' = c", c)
        return stated_rule(name, "(c*u)' = c*u'", True, c=c, u=inner)

    def _quotient(self, u: Value, v: Value) -> Rule:
        if v not in self.active:
            return stated_rule("constant multiple rule", "(u/c)' = u'/c", True, c=v, u=u)  # fmt: skip
        if u not in self.active:
            return stated_rule("reciprocal rule", "(c/v)' = -c*v'/v^2", c=u, v=v)
        return stated_rule("quotient rule", "(u/v)' = (u'*v - u*v')/v^2", u=u, v=v)

    def _power(self, part: Value, operation: Operation) -> Rule:
        base, exponent = part.operands
        # The rule for a^u would take ln(0).
        if rational(simplify(base)) == 0:
            statement = "0^u is 0 wherever it has a slope"
            return known_rule("power of 0", statement, Constant(0.0))
        if exponent not in self.active:
            # n*u^(n - 1) is shown as 3*u^2, not as 3*u^(3 - 1)
            outer = simplify(local_partial(operation, 0, part, part.operands))
            if self._is_variable(base):
                statement = f"({self.variable}^n)' = n*{self.variable}^(n - 1)"
                return known_rule("power rule", statement, outer, n=exponent)
            statement = "(u^n)' = n*u^(n - 1)*u'"
            return stated_rule("power rule and chain rule", statement, u=base, n=exponent)._replace(
                assemble=lambda d: node(MUL, (outer, d[0]))
            )  # fmt: skip
        if base in self.active:
            name, statement = "logarithmic differentiation", "(f^g)' = f^g*(g'*ln(f) + g*f'/f)"  # fmt: skip
            rule = stated_rule(name, statement, f=base, g=exponent)
            flat = stated_rule(name, "(f^g)' = f^g*(g*f'/f)", f=base, g=exponent)

            def assemble(d: Sequence[Value]) -> Value:
                by_base, by_exponent = d
                # where the exponent does not move, the base may be negative: no logarithm
                if rational(by_exponent) == 0:
                    return flat.assemble([by_base])
                return rule.assemble(d)

            return rule._replace(assemble=assemble)
        if self._is_variable(exponent):
            statement = f"(a^{self.variable})' = a^{self.variable}*ln(a)"
            slope = node(MUL, (part, node(LN, (base,))))
            return known_rule("exponential rule", statement, slope, False, a=base)
        statement = "(a^u)' = a^u*ln(a)*u'"
        return stated_rule("exponential rule and chain rule", statement, a=base, u=exponent)  # fmt: skip

    def _function(self, part: Value, operation: Operation) -> Rule:
        """Return the chain rule for a function of the table, or its row where the argument is the variable."""
        moving = [
            i for i, operand in enumerate(part.operands) if operand in self.active
        ]
        partials = [
            simplify(local_partial(operation, i, part, part.operands)) for i in moving
        ]
        arguments = [part.operands[i] for i in moving]
        if len(moving) == 1 and self._is_variable(arguments[0]):
            statement = f"the derivative of {operation.called}"
            return known_rule("table", statement, partials[0])
        letters = tuple(Value(None, letter) for letter in "uvw"[: operation.arity])
        named = node(operation, letters)
        slopes = [to_text(simplify(local_partial(operation, i, named, letters))) for i in moving]  # fmt: skip
        slopes = [f"({s})" if " " in s and not s.startswith("if(") else s for s in slopes]  # fmt: skip
        sides = [f"{s}*{letters[i].name}'" for i, s in zip(moving, slopes, strict=True)]
        statement = f"({to_text(named)})' = {' + '.join(sides)}"
        where = tuple((str(letters[i].name), part.operands[i]) for i in moving)

        def assemble(d: Sequence[Value]) -> Value:
            products = [node(MUL, pair) for pair in zip(partials, d, strict=True)]
            return reduce(lambda total, product: node(ADD, (total, product)), products)

        return Rule("chain rule", statement, where, tuple(arguments), assemble)

    def _is_variable(self, part: Value) -> bool:
        return part.operation is None and part in self.active
