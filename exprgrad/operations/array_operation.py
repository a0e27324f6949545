"""Operations on whole arrays: rows of the table that have pulls instead of local partials.

transpose:  lambda np, x: x.T       pulled back by  lambda np, g, y, x: g.T
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exprgrad.annotations import Any
from exprgrad.errors import Hint, UsageError
from exprgrad.operations.operation import Notation, Operation, call_notation


class ArrayOperation(Operation):
    """A row for an operation on whole arrays, which has no partials but pulls.

    `value` computes the result from `np` (NumPy) and the arguments; `pulls` has a function for each
    argument that gives its adjoint from `np`, the adjoint of the result, the result and the arguments,
    or None for an argument that takes no adjoint. The last of them goes for all further arguments of
    an operation that is `variadic`; `pull_at` makes one for any position instead. `back` says for people
    what the pulls give. `np` may build graphs, too: see `sweeps.arrays.elements`.
    `jacobian` is "linear", "bilinear", "symmetric" or, of what makes one result of each element, "rows": with value
    and pulls that is all that tangents need (see `sweeps.arrays.bounds`).
    """

    back: Sequence[str] = ()
    jacobian: str = "linear"
    pull_at: Callable[[int], Callable[..., Any]] | None = None

    def __init__(
        self,
        name: str,
        value: Callable[..., Any],
        *pulls: Callable[..., Any] | None,
        **fields: Any,
    ) -> None:
        self.value, self.pulls = value, pulls
        super().__init__(name, self._refuse, *[None] * len(pulls), whole=self, **fields)

    def _refuse(self, *arguments: float) -> float:
        raise UsageError(
            f"{self.title} is an operation on arrays, which have values and derivatives at a point "
            "alone",
            hint=Hint("reverse_mode"),
        )

    def _computed(self, arguments: Sequence[Any]) -> Any:
        from exprgrad.operations.on_arrays import as_data, compute

        own = [
            a if type(a) is int and abs(a) < 2**63 else as_data(a) for a in arguments
        ]
        return compute(self, own)

    def written(self, count: int) -> Notation:
        """Return how a call with so many arguments is written."""
        name = self.called or "".join(self.aliases[:1])
        return call_notation(name, count, *("()" if name else "[]"))

    def pull(self, index: int) -> Callable[..., Any] | None:
        """The function that gives the adjoint of that argument."""
        if self.pull_at is not None:
            return self.pull_at(index)
        return self.pulls[min(index, len(self.pulls) - 1)]
