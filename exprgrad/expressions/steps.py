"""A derivative worked out the way a person would: which rule, for which part, with which result.

A `Step` is a part of the expression and the rule for it; the parts that the rule needs follow as steps
of their own, one level deeper. Its result is always what `derivative` gives for that part, so the result of
the first step is the derivative itself. `assembled` is what the rule gives before it is simplified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from exprgrad.algebra.work import Work
from exprgrad.annotations import NamedTuple
from exprgrad.expressions.confirm import Quantity, confirmed, derivative, simplify
from exprgrad.expressions.stated import stated
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Constant, Value, node
from exprgrad.notation.text import to_text
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
MOST_WORK = 6000
"""The most steps of a derivation, and nodes of parts that are differentiated for it; a longer one is cut off."""


class Rule(NamedTuple):
    """A rule for one part: its name, its statement, and the parts to be differentiated first.

    `where` says what the letters of the statement stand for. `assemble` makes the derivative from those of
    the parts. An `obvious` rule is left out of a brief derivation.
    """

    name: str
    statement: str
    where: tuple[tuple[str, Value], ...]
    parts: tuple[Value, ...]
    assemble: Callable[[Sequence[Value]], Value]
    obvious: bool = False


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
            own = (
                item.operation is None
                and item.name == self.variable
                and not isinstance(item, Constant)
            )
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
            assembled = confirmed(
                Quantity(part, self.variable),
                self._assembled(part, rule),
                partial(tangent, part, self.variable),
            )
            found.append(
                Step(depth, self.variable, part, rule, assembled, self._result(part))
            )
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
            self.spent += len(topological(part))
            self.results[part] = derivative(part, self.variable)
        return self.results[part]

    def _rule(self, part: Value) -> Rule:
        if part not in self.active:
            return Rule("constant", "(c)' = 0", (), (), lambda _: Constant(0.0), True)
        if part.operation is None:
            x = self.variable
            return Rule(
                "variable", f"({x})' = 1", (), (), lambda _: Constant(1.0), True
            )
        piece = flat_piece(part, self.looking)
        if piece is None:
            return self._rule_of(part)
        condition, other = piece
        if other is None:
            rule = self._rule_of(part)
        else:
            self._see(other)
            rule = Rule("cases", "each case by itself", (), (other,), lambda d: d[0])
        return rule._replace(
            assemble=lambda d: node(IF, (condition, Constant(0.0), rule.assemble(d)))
        )

    def _rule_of(self, part: Value) -> Rule:
        """The rule for what its operation is."""
        assert part.operation is not None
        own = {
            ADD: self._sum, SUB: self._sum, NEG: self._negative, MUL: self._product,
            DIV: self._quotient, IF: self._cases,
        }  # fmt: skip
        if part.operation.rule == POW.rule:
            return self._power(part)
        if part.operation.fold == "left":
            return self._cases(part)
        return own.get(part.operation, self._function)(part)

    def _sum(self, part: Value) -> Rule:
        terms: list[tuple[Value, bool]] = []
        stack = [(part, True)]
        while stack:
            item, plus = stack.pop()
            if item.operation in (ADD, SUB):
                stack.append((item.operands[1], plus == (item.operation is ADD)))
                stack.append((item.operands[0], plus))
            else:
                terms.append((item, plus))

        def assemble(derived: Sequence[Value]) -> Value:
            total = derived[0]
            for (_, plus), own in zip(terms[1:], derived[1:], strict=True):
                total = node(ADD if plus else SUB, (total, own))
            return total

        statement = "(u + v)' = u' + v', term by term"
        return Rule(
            "sum rule", statement, (), tuple(t for t, _ in terms), assemble, True
        )

    def _negative(self, part: Value) -> Rule:
        (u,) = part.operands
        negate = NEG
        return Rule(
            "sign", "(-u)' = -u'", (), (u,), lambda d: node(negate, (d[0],)), True
        )

    def _product(self, part: Value) -> Rule:
        u, v = part.operands
        mul, add = MUL, ADD
        if u in self.active and v in self.active:
            return Rule(
                "product rule", "(u*v)' = u'*v + u*v'", (("u", u), ("v", v)), (u, v),
                lambda d: node(add, (node(mul, (d[0], v)), node(mul, (u, d[1])))),
            )  # fmt: skip
        c, inner = (v, u) if u in self.active else (u, v)
        if self._is_variable(inner):
            return Rule(
                "constant multiple rule",
                f"(c*{self.variable})' = c",
                (),
                (),
                lambda _: c,
                True,
            )
        return Rule(
            "constant multiple rule", "(c*u)' = c*u'", (("c", c), ("u", inner)), (inner,),
            lambda d: node(mul, (c, d[0])), True,
        )  # fmt: skip

    def _quotient(self, part: Value) -> Rule:
        u, v = part.operands
        mul, div, sub, square = MUL, DIV, SUB, Constant(2.0)
        if v not in self.active:
            return Rule(
                "constant multiple rule", "(u/c)' = u'/c", (("c", v), ("u", u)), (u,),
                lambda d: node(div, (d[0], v)), True,
            )  # fmt: skip
        below = node(POW, (v, square))
        if u not in self.active:
            return Rule(
                "reciprocal rule", "(c/v)' = -c*v'/v^2", (("c", u), ("v", v)), (v,),
                lambda d: node(div, (node(mul, (node(NEG, (u,)), d[0])), below)),
            )  # fmt: skip
        return Rule(
            "quotient rule", "(u/v)' = (u'*v - u*v')/v^2", (("u", u), ("v", v)), (u, v),
            lambda d: node(div, (node(sub, (node(mul, (d[0], v)), node(mul, (u, d[1])))), below)),
        )  # fmt: skip

    def _power(self, part: Value) -> Rule:
        base, exponent = part.operands
        mul = MUL
        assert part.operation is not None
        if rational(simplify(base)) == 0:
            statement = "0^u is 0 wherever it has a slope"
            return Rule("power of 0", statement, (), (), lambda _: Constant(0.0), True)
        if exponent not in self.active:
            outer = simplify(local_partial(part.operation, 0, part, part.operands))
            if self._is_variable(base):
                statement = f"({self.variable}^n)' = n*{self.variable}^(n - 1)"
                return Rule(
                    "power rule",
                    statement,
                    (("n", exponent),),
                    (),
                    lambda _: outer,
                    True,
                )
            return Rule(
                "power rule and chain rule", "(u^n)' = n*u^(n - 1)*u'", (("u", base), ("n", exponent)),
                (base,), lambda d: node(mul, (outer, d[0])),
            )  # fmt: skip
        log = node(LN, (base,))
        if base not in self.active:
            scaled = node(mul, (part, log))
            if self._is_variable(exponent):
                statement = f"(a^{self.variable})' = a^{self.variable}*ln(a)"
                return Rule(
                    "exponential rule", statement, (("a", base),), (), lambda _: scaled
                )
            return Rule(
                "exponential rule and chain rule", "(a^u)' = a^u*ln(a)*u'", (("a", base), ("u", exponent)),
                (exponent,), lambda d: node(mul, (scaled, d[0])),
            )  # fmt: skip

        def assemble(d: Sequence[Value]) -> Value:
            by_exponent = node(mul, (d[1], log))
            by_base = node(DIV, (node(mul, (exponent, d[0])), base))
            is_flat = rational(d[1]) == 0  # then the base may be negative
            both = by_base if is_flat else node(ADD, (by_exponent, by_base))
            return node(mul, (part, both))

        return Rule(
            "logarithmic differentiation", "(f^g)' = f^g*(g'*ln(f) + g*f'/f)",
            (("f", base), ("g", exponent)), (base, exponent), assemble,
        )  # fmt: skip

    def _cases(self, part: Value) -> Rule:
        chosen = as_choice(part)
        assert chosen is not None
        condition, u, v = chosen.operands
        choose = IF
        return Rule(
            "cases",
            "each case by itself",
            (),
            (u, v),
            lambda d: node(choose, (condition, d[0], d[1])),
        )

    def _function(self, part: Value) -> Rule:
        operation = part.operation
        assert operation is not None
        arguments = [(i, o) for i, o in enumerate(part.operands) if o in self.active]
        partials = [
            simplify(local_partial(operation, i, part, part.operands))
            for i, _ in arguments
        ]
        letters = tuple(Value(None, letter) for letter in "uvw"[: operation.arity])
        named = node(operation, letters)
        shown = [
            to_text(simplify(local_partial(operation, i, named, letters)))
            for i, _ in arguments
        ]
        if len(arguments) == 1 and self._is_variable(arguments[0][1]):
            return Rule(
                "table",
                f"the derivative of {operation.called}",
                (),
                (),
                lambda _: partials[0],
                True,
            )
        sides = [
            f"{_in_brackets(s)}*{letters[i].name}'"
            for s, (i, _) in zip(shown, arguments, strict=True)
        ]
        statement = f"({to_text(named)})' = {' + '.join(sides)}"
        where = tuple((str(letters[i].name), o) for i, o in arguments)

        def assemble(d: Sequence[Value]) -> Value:
            products = [node(MUL, pair) for pair in zip(partials, d, strict=True)]
            total = products[0]
            for product in products[1:]:
                total = node(ADD, (total, product))
            return total

        return Rule(
            "chain rule", statement, where, tuple(o for _, o in arguments), assemble
        )

    def _is_variable(self, part: Value) -> bool:
        return part.operation is None and part in self.active


def _in_brackets(formula: str) -> str:
    return (
        f"({formula})" if " " in formula and not formula.startswith("if(") else formula
    )
