"""Functions that nobody has defined: f(g(x)) has a derivative, g'(x)*f'(g(x)), and no value.

    function("f", ("x",))                       f
    function("f", ("x",), (1,))                 f'
    function("f", ("x", "y"), (1, 0))           ∂f/∂x

The local partials of one are such functions again, so the rules of sweeps, formulas and steps carry them as they are.
Computing one is refused. What is to be compared at points is compared with `stand_ins`: a formula that holds for every
function holds for these, and theirs are such that hardly any other does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from exprgrad.annotations import Any
from exprgrad.errors import UsageError
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import rebuilt
from exprgrad.graph.value import Constant, Value, node
from exprgrad.operations import table
from exprgrad.operations.operation import Operation, call_notation

WAVES = 3
"""The sines that stand in for a function."""


class Unknown(Operation):
    """An undefined function of arguments that are called so, differentiated so many times by each."""

    opaque = True

    def __init__(
        self, function: str, arguments: tuple[str, ...], orders: tuple[int, ...]
    ) -> None:
        self.function, self.arguments, self.orders = function, arguments, orders
        name, latex = _written(function, arguments, orders)
        partials = [_Partial(self, i) for i in range(len(arguments))]
        super().__init__(name, self._refuse, *partials, latex=latex, rule=name)
        self.text = call_notation(name, self.arity, "(", ")")

    def _refuse(self, *own: Any) -> float:
        given = ", ".join(self.arguments)
        hint = f"define it: {self.function}({given}) = ..."
        raise UsageError(f"{self.function} is not defined, and has no value", hint=hint)

    def __reduce__(self) -> tuple[Any, ...]:
        return function, (self.function, self.arguments, self.orders)


@cache
def function(
    name: str, arguments: tuple[str, ...], orders: tuple[int, ...] = ()
) -> Unknown:
    """Return the function of that name, or a derivative of it, always the same one."""
    return Unknown(name, arguments, orders or (0,) * len(arguments))


class _Partial:
    """A local partial. It is no plain function, so that it runs as it is on nodes alone."""

    def __init__(self, of: Unknown, index: int) -> None:
        self.of, self.index = of, index

    def __call__(self, result: Any, *own: Any) -> Value:
        of = self.of
        if not all(isinstance(item, Value) for item in own):
            of.kernel(*own)
        orders = tuple(order + (i == self.index) for i, order in enumerate(of.orders))
        return node(function(of.function, of.arguments, orders), own)


def _written(
    name: str, arguments: tuple[str, ...], orders: tuple[int, ...]
) -> tuple[str, str]:
    """The name of a derivative in text and in LaTeX: f'', ∂²f/∂x∂y."""
    total = sum(orders)
    tex = {"φ": r"\varphi", "ψ": r"\psi"}.get(name, name)
    if len(arguments) == 1 or not total:
        raised = "'" * total if total < 4 else f"^{{({total})}}"
        return name + "'" * total, tex + raised
    power = {n: "" if n == 1 else f"^{n}" for n in range(total + 1)}
    by = [(a, power[n]) for a, n in zip(arguments, orders, strict=True) if n]
    text = f"∂{power[total]}{name}/{''.join(f'∂{a}{p}' for a, p in by)}"
    below = " ".join(rf"\partial {a}{p}" for a, p in by)
    return text, rf"\frac{{\partial{power[total]} {tex}}}{{{below}}}"


def names_of(operands: Sequence[Value]) -> tuple[str, ...]:
    """Return what the arguments of an undefined function are called: x and y in f(x(t), y), else by their places, u1 and u2."""
    kinds = [(item.operation, item) for item in operands]
    found = [kind.function if isinstance(kind, Unknown) else item.name for kind, item in kinds]  # fmt: skip
    if all(found) and len(set(found)) == len(found):
        return tuple(map(str, found))
    return tuple(f"u{i + 1}" for i in range(len(operands)))


def unknown_in(root: Value) -> str | None:
    """The name of an undefined function in a graph; None if all are defined."""
    kinds = (item.operation for item in topological(root))
    return next((k.function for k in kinds if isinstance(k, Unknown)), None)


def stand_ins(root: Value) -> Value:
    """The graph with a function of its own for each that is undefined: sums of sines."""
    return rebuilt(root, _stand_in)


def _stand_in(item: Value, operands: tuple[Value, ...]) -> Value | None:
    kind = item.operation
    if not isinstance(kind, Unknown):
        return None
    from fractions import Fraction
    from zlib import crc32

    total: Value = Constant(0.0)
    for k in range(WAVES):
        chance = crc32(f"{k}{kind.function}{kind.arity}".encode())
        inside: Value = Constant(Fraction(chance % 89, 32))
        factor = Fraction(7 + chance % 53, 32)
        for i, (operand, order) in enumerate(zip(operands, kind.orders, strict=True)):
            rate = Fraction(13 + (chance >> (5 + 3 * i)) % 61 + 16 * k, 64)
            inside = node(table.ADD, (inside, node(table.MUL, (Constant(rate), operand))))  # fmt: skip
            factor *= rate**order
        # sin, cos, -sin, -cos
        turn = sum(kind.orders) % 4
        wave = node((table.SIN, table.COS)[turn % 2], (inside,))
        signed = Constant(-factor if turn > 1 else factor)
        total = node(table.ADD, (total, node(table.MUL, (signed, wave))))
    return total
