"""What goes wrong in training loops, and what exprgrad does about it.

python samples/pitfalls.py
"""

from __future__ import annotations

from exprgrad import ChangedDataError, Value


def without_zero_grad() -> list[float]:
    """backward() adds to the grad of a leaf: without zero_grad it is the sum over all sweeps."""
    x = Value(3.0)
    seen = []
    for _ in range(3):
        (x * x).backward()
        seen.append(x.grad)
    return seen


def with_zero_grad() -> list[float]:
    """The same with zero_grad: each sweep by itself."""
    x = Value(3.0)
    seen = []
    for _ in range(3):
        y = x * x
        y.zero_grad()
        y.backward()
        seen.append(x.grad)
    return seen


def reused_leaf() -> tuple[float, float]:
    """A leaf in two places gets the sum of both contributions: d(x*x + x)/dx = 2*x + 1.

    Sweeping twice from the same result does not count inner nodes twice, only the leaf adds up.
    """
    x = Value(3.0)
    y = x * x + x
    y.backward()
    once = x.grad
    y.backward()
    return once, x.grad


def changed_data() -> str:
    """Data that changes between building and sweeping: partials of a point that never was."""
    w = Value(2.0, "w")
    loss = (w * 3 - 1) ** 2
    w.data = 5.0
    try:
        loss.backward()
    except ChangedDataError as error:
        return f"{error.message}\n  hint: {error.hint}"
    return "not noticed"


def cycle() -> str:
    """A node takes its operands when it is made, so they are older: no way leads back to itself.

    `a = a + b` makes a new node and gives it the old name; the old node stays below it.
    """
    a, b = Value(1.0), Value(2.0)
    old = a
    a = a + b
    return (
        f"new node: {a is not old}, its operand is the old one: {a.operands[0] is old}"
    )


def main() -> None:
    print("without zero_grad, x.grad of x*x at 3 after each of three sweeps:")
    print(f"  {without_zero_grad()}, with it {with_zero_grad()}")
    print("a leaf used twice, x.grad of x*x + x at 3 after one sweep and after two:")
    print(f"  {reused_leaf()}")
    print("data changed after the graph was built:")
    print(f"  {changed_data()}")
    print("a cycle:")
    print(f"  {cycle()}")


if __name__ == "__main__":
    main()
