"""The numbers that HIPS autograd's published examples are computed with here.

Each is by formula, so that the script that records and the tests have the same. `at` are the arguments that a
gradient is taken for, `fixed` the data.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tests.recorded import numbers


class Example(NamedTuple):
    """The arguments of an example's function."""

    at: dict[str, Any]
    fixed: dict[str, Any]


def _of(**arrays: Any) -> dict[str, Any]:
    return {name: np.array(a, float) for name, a in arrays.items()}


COUNTS = [0, 3, 1, 5, 2, 8, 1, 0, 4, 2]
"""Observations of a negative binomial distribution."""

LETTERS, HIDDEN = 4, 3
"""Sizes of the recurrent network."""

TEXT = [0, 2, 1, 3, 3, 0]
"""What it reads, by letters; each next one is its target."""

SEEN = [0, 1, 1, 2, 0, 2, 1]
"""Observations of the hidden Markov model."""

EXAMPLES = {
    "logistic regression": Example(
        _of(w=numbers((3,), 0, -1, 1)),
        _of(X=numbers((5, 3), 1, -2, 2), t=[1, 0, 1, 1, 0]),
    ),
    "logsumexp": Example(_of(y=[1.5, 2.7, -1.25, 2.5]), {}),
    "gaussian mixture": Example(
        _of(
            p=[0.25, -0.5], m=[-0.5, 0.25], k=[1.0, 0.75],
            A=[[1.25, 0.0], [-0.5, 0.75]], B=[[0.5, 0.0], [0.25, 2.0]],
        ),
        _of(X=numbers((8, 2), 2, -2, 2)),
    ),
    "negative binomial": Example(_of(r=0.5, p=-0.25), _of(x=COUNTS)),
    "network tanh": Example(
        _of(
            W=numbers((1, 4), 0, -1, 1), b=numbers((4,), 1, -1, 1),
            V=numbers((4, 4), 2, -1, 1), c=numbers((4,), 0, -0.5, 0.5),
            u=numbers((4, 1), 1, -1, 1), d=0.25,
        ),
        _of(x=numbers((9, 1), 2, -3, 3), y=numbers((9, 1), 3, -1, 1)),
    ),
    "black box variational inference": Example(
        _of(m=[-1.0, 0.5], s=[-0.5, 0.25]), _of(z=numbers((12, 2), 1, -2, 2))
    ),
    "recurrent network": Example(
        _of(
            h=numbers((1, HIDDEN), 0, -0.5, 0.5),
            W=numbers((LETTERS + HIDDEN + 1, HIDDEN), 1, -1, 1),
            V=numbers((HIDDEN + 1, LETTERS), 2, -1, 1),
        ),
        {},
    ),
    "hidden Markov model": Example(
        _of(
            a=numbers((3,), 0, -1, 1), T=numbers((3, 3), 1, -1, 1),
            E=numbers((3, 3), 2, -1, 1),
        ),
        {},
    ),
}  # fmt: skip
EXAMPLES["network rbf"] = EXAMPLES["network tanh"]

TANH_AT = [-2.0, -0.5, 0.0, 1.0, 3.0]
"""Where tanh and its derivatives are recorded."""

SINE_AT = [-4.0, -1.0, 0.5, 2.0, 6.0]
"""Where the series of the sine is."""

ROOTS_OF = [0.5, 2.0, 10.0]
"""Numbers whose square roots are fixed points."""

ROSENBROCK_AT = [[0.0, 0.0], [-1.2, 1.0], [1.0, 1.0], [2.5, -3.0]]
"""Where Rosenbrock's function is."""
