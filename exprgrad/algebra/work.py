"""A budget of elementary operations, and the error where it is spent."""

from exprgrad.budget import Spent, current

STAGE = "rewriting and proofs"

BITS = 50
"""Operations on the bits of long numbers in the time of one on doubles."""


class OutOfReachError(Exception):
    """The work has run out, or the domain of the expression turns out to be empty or to have no interior."""


class Work:
    """A budget of elementary operations: a share of that of the call, if that has one.

    `rate` of them take the time of one operation of the call: those on the bits of long numbers many.
    """

    __slots__ = ("_rate", "_whole", "left")

    def __init__(self, left: int, rate: int = 1) -> None:
        self._whole, self._rate = current(), rate
        whole = self._whole
        self.left = left if whole is None else whole.share(left // rate) * rate

    def spend(self, count: int, usual: int | None = None) -> None:
        """Take what may be needed, which usually takes the time of so many operations on doubles.

        Raises `OutOfReachError` if less than that is left.
        """
        done = min(count, max(0, self.left))  # what is out of reach is not begun
        self.left -= count
        if self._whole is not None:
            if self.left < 0:
                self._whole.leave_out(STAGE)
            try:
                self._whole.spend(done / self._rate, STAGE, usual)
            except Spent:
                raise OutOfReachError from None
        if self.left < 0:
            raise OutOfReachError
