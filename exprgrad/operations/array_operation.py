"""Operations on whole arrays: rows of the table that have pulls instead of local partials.

transpose:  lambda np, x: x.T       pulled back by  lambda np, g, y, x: g.T
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exprgrad.annotations import Any
from exprgrad.errors import ArgumentError, Hint, UsageError
from exprgrad.operations.operation import Notation, Operation, call_notation


class ArrayOperation(Operation):
    """A row for an operation on whole arrays, which has no partials but pulls.

    `value` computes the result from `np` (NumPy) and the arguments; `pulls` has a function for each
    argument that gives its adjoint from `np`, the adjoint of the result, the result and the arguments,
    or None for an argument that takes no adjoint. The last of them goes for all further arguments of
    an operation that is `variadic`; `pull_at` makes one for any position instead. `back` says for people
    what the pulls give. `by_elements` is the plain definition, for numbers of any size, where `value` takes
    care of the range of doubles: as many arguments, and `np` may build graphs (see `sweeps.elements`).
    `jacobian` is "linear", "bilinear", "symmetric" or, of what makes one result of each element, "rows": with value
    and pulls that is all that tangents need (see `array_tangents`).
    """

    __slots__ = (
        "back", "by_elements", "jacobian", "pull_at", "pulls", "value", "variadic",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        value: Callable[..., Any],
        *pulls: Callable[..., Any] | None,
        signature: str = "",
        text: Notation | None = None,
        latex: Notation | str = "",
        aliases: Sequence[str] = (),
        back: Sequence[str] = (),
        variadic: bool = False,
        pull_at: Callable[[int], Callable[..., Any]] | None = None,
        rule: str = "",
        by_elements: Callable[..., Any] | None = None,
        jacobian: str = "linear",
    ) -> None:
        super().__init__(
            name, self._refuse, *[None] * len(pulls), signature=signature, text=text,
            latex=latex, aliases=aliases, rule=rule,
        )  # fmt: skip
        self.whole = self
        self.value, self.pulls, self.back = value, pulls, tuple(back)
        self.variadic, self.pull_at = variadic, pull_at
        self.by_elements, self.jacobian = by_elements, jacobian

    def _refuse(self, *arguments: float) -> float:
        raise UsageError(
            f"{self.title} is an operation on arrays, which have values and derivatives at a point "
            "alone",
            hint=Hint("reverse_mode"),
        )

    def __call__(self, *arguments: Any) -> Any:
        """Compute from numbers and arrays; build a node from `Value`s."""
        if len(arguments) != self.arity and not self.variadic:
            raise ArgumentError(
                f"{self.signature} takes {self.arity} argument{'s' * (self.arity > 1)}, not {len(arguments)}"
            )
        for argument in arguments:
            if hasattr(argument, "__apply__"):
                return argument.__apply__(self, arguments)
        from exprgrad.operations.on_arrays import as_data, compute

        own = [
            a if type(a) is int and abs(a) < 2**63 else as_data(a) for a in arguments
        ]
        return compute(self, own)

    def written(self, count: int) -> Notation:
        """How a call with so many arguments is written."""
        name = self.called or "".join(self.aliases[:1])
        return call_notation(name, count, *("()" if name else "[]"))

    def pull(self, index: int) -> Callable[..., Any] | None:
        """The function that gives the adjoint of that argument."""
        if self.pull_at is not None:
            return self.pull_at(index)
        return self.pulls[min(index, len(self.pulls) - 1)]
