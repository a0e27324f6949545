"""Places where a rule may be misapplied: those in an expression, and conditions on them.

A row of the catalogue of mistakes pairs a condition on a `Place` with the wrong result that a student gets there,
written in the letters of `Parts`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

from exprgrad.annotations import Any, NamedTuple
from exprgrad.graph.value import Value
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import ADD, DIV, EXP, LOG, LOG2, LOG10, MUL, POW, SUB


class Place(NamedTuple):
    """A part of an expression, and which of its operands vary; `bare` where they are the variable.

    `inside` is the place of the first operand that varies, None where that is the variable.
    """

    item: Value
    operation: Operation
    varies: tuple[bool, ...]
    bare: tuple[bool, ...]
    inside: Place | None

    @property
    def inner(self) -> Value:
        """The first operand that varies."""
        return self.item.operands[self.varies.index(True)]

    @property
    def summand(self) -> Value | None:
        """The other term, if the operand is a sum with a constant; otherwise None."""
        inside = self.inside
        return inside.inner if inside is not None and with_constant(inside) else None

    @property
    def power(self) -> tuple[Value | None, Value | None]:
        """The base and the exponent of the operand, if it is a power."""
        inside = self.inside
        base, exponent = (None, None) if inside is None or not is_power(inside) else inside.item.operands  # fmt: skip
        return base, exponent


class Parts(SimpleNamespace):
    """The letters of a rule at a place, in some number type.

    Where one operand varies, it is g, its derivative is d, the local partial with respect to it is p, and the other
    operand is c. x is the variable itself, h the summand of g (see `Place`), and b^n what g is as a power; `outer(t)`
    is p with t in place of g, and `whole(t)` is the operation with t in place of g.
    """


class Row(NamedTuple):
    """One mistake: its name, the rule to look up, where it may happen, what it gives, what to say.

    `wrong` is a function of `Parts`; with `entry`, of the inside alone, and gives what was taken for the derivative by
    it. With `alone` the inner derivative is left out as well. A `rare` mistake is not told where a common one gives the
    same.

    In `tell`, {part} is the place as typed and {own} its derivative, {u} and {v} its operands, {inner}
    the one that varies, {slope} its derivative, {constant} the other, and {entry} what the
    table says of the operation; {du} is *u', or nothing where u is the variable.
    """

    name: str
    rule: str
    where: Callable[[Place], bool]
    wrong: Callable[[Any], Any]
    tell: str
    rare: bool = False
    entry: bool = False
    alone: bool = False


def both(operation: Operation) -> Callable[[Place], bool]:
    """An operation both of whose operands vary."""
    return lambda at: at.operation is operation and at.varies == (True, True)


def of(*operations: Operation) -> Callable[[Place], bool]:
    """One of these operations."""
    return lambda at: at.operation in operations


def tabled(at: Place) -> bool:
    """A function whose derivative people learn from a table, where signs alternate."""
    # each sign of sin, cos and their like has to be remembered; exp has none to be mistaken
    return at.operation.inverse is not None and at.operation is not EXP


def is_function(at: Place) -> bool:
    """A function, or a power or an exponential."""
    # x^2 and 2^x are functions, x^x and 3*x are none
    return not at.operation.native and sum(at.varies) == 1


def chain(at: Place) -> bool:
    """A function of something else than the variable itself."""
    return is_function(at) and at.varies != at.bare


def alone(at: Place) -> bool:
    """A function of the variable itself; not e^x, which is its own derivative."""
    return is_function(at) and at.varies == at.bare and at.operation is not EXP


def chain_of(*operations: Operation) -> Callable[[Place], bool]:
    """One of these functions, of something else than the variable itself."""
    return lambda at: at.operation in operations and chain(at)


def is_power(at: Place) -> bool:
    """A power of what varies, with a constant exponent."""
    return at.operation.rule == POW.rule and at.varies == (True, False)


def other_base(at: Place) -> bool:
    """An exponential: a constant to a power that varies."""
    return at.operation.rule == POW.rule and at.varies == (False, True)


def logarithm(at: Place) -> bool:
    """A logarithm to another base than e."""
    # with a base that varies it is a quotient of two logarithms
    return at.operation in (LOG10, LOG2) or (
        at.operation is LOG and at.varies == (True, False)
    )


def reciprocal(at: Place) -> bool:
    """A constant over what varies."""
    return at.operation is DIV and at.varies == (False, True)


def reciprocal_chain(at: Place) -> bool:
    """A constant over something else than the variable itself."""
    return reciprocal(at) and at.varies != at.bare


def reciprocal_power(at: Place) -> bool:
    """A constant over a power."""
    return reciprocal(at) and at.power != (None, None)


def reciprocal_of(operation: Operation) -> Callable[[Place], bool]:
    """A constant over a function."""
    return lambda at: reciprocal(at) and at.inside is not None and at.inside.operation is operation  # fmt: skip


def scaled(at: Place) -> bool:
    """A product with a constant."""
    return at.operation is MUL and sum(at.varies) == 1


def divided(at: Place) -> bool:
    """A quotient of what varies by a constant."""
    return at.operation is DIV and at.varies == (True, False)


def has_factor(at: Place) -> bool:
    """A product with a constant, or what varies over one."""
    return scaled(at) or divided(at)


def is_sum(at: Place) -> bool:
    """A sum or a difference."""
    return at.operation in (ADD, SUB)


def with_constant(at: Place) -> bool:
    """A sum or a difference with a constant."""
    return is_sum(at) and sum(at.varies) == 1


def tower(at: Place) -> bool:
    """A power whose base and exponent both vary."""
    return at.operation.rule == POW.rule and at.varies == (True, True)


def of_sum(at: Place) -> bool:
    """A function of a sum of a constant and something else than the variable itself."""
    function = is_function(at) or reciprocal(at)
    return function and at.summand is not None and at.summand.operation is not None


def of_multiple(*operations: Operation) -> Callable[[Place], bool]:
    """One of these functions, of the variable times a number."""
    return lambda at: (
        at.operation in operations
        and at.inside is not None
        and has_factor(at.inside)
        and at.inside.varies == at.inside.bare
    )
