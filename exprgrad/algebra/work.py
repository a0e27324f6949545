"""A budget of elementary operations, and the error where it is spent."""

from exprgrad.budget import Spent, current

STAGE = "rewriting and proofs"


class OutOfReachError(Exception):
    """The work has run out, or the domain of the expression turns out to be empty or to have no interior."""


class Work:
    """A budget of elementary operations: a share of that of the call, if that has one."""

    __slots__ = ("_whole", "left")

    def __init__(self, left: int) -> None:
        self._whole = current()
        self.left = left if self._whole is None else self._whole.share(left)

    def spend(self, count: int) -> None:
        """Raises `OutOfReachError` if less than that is left."""
        self.left -= count
        if self._whole is not None:
            if self.left < 0:
                self._whole.leave_out(STAGE)
            try:
                self._whole.spend(count, STAGE)
            except Spent:
                raise OutOfReachError from None
        if self.left < 0:
            raise OutOfReachError
