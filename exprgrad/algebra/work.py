"""A budget of elementary operations, and the error where it is spent."""


class OutOfReachError(Exception):
    """The work has run out, or the domain of the expression turns out to be empty or to have no interior."""


class Work:
    """A budget of elementary operations."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, count: int) -> None:
        """Raises `OutOfReachError` if less than that is left."""
        self.left -= count
        if self.left < 0:
            raise OutOfReachError
