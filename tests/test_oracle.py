"""Random expressions over the whole table, at ordinary and special points, beside an oracle by mpmath.

By hand, for as many points as one likes: `python -m tests.oracle --points 100000`.
"""

from __future__ import annotations

from collections import Counter

import pytest

from exprgrad.operations.operation import TABLE
from tests.oracle.answers import by_evaluate
from tests.oracle.functions import ROWS
from tests.oracle.judge import INVENTED, REFUSED, UNDECIDED, WRONG, cases, judge
from tests.oracle.trees import text

POINTS = 100


def test_the_oracle_knows_every_row():
    scalar = {name for name, row in TABLE.items() if row.whole is None}
    assert scalar == {*ROWS, "and", "or", "if"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_random_points_agree_with_the_oracle(seed):
    counts: Counter[str] = Counter()
    for given in cases(seed, POINTS):
        for verdict in judge(given, by_evaluate):
            counts[verdict.kind] += 1
            assert verdict.kind not in (WRONG, INVENTED, REFUSED), (
                text(given.tree),
                given.at,
                verdict,
            )
    assert counts[UNDECIDED] <= 0.02 * sum(counts.values())
