"""The derivative rows of the suites are judged by `grade`, in the words of a question and a boxed answer, as by `check`."""

from __future__ import annotations

import pytest

from exprgrad import check, grade
from exprgrad.errors import ExprgradError
from tests.test_witness import DERIVATIVES, rows

NTH = ["", "", "second ", "third ", "fourth ", "fifth "]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*DERIVATIVES, "webwork", "webwork_wrong"])
def test_grade_says_of_a_row_what_check_says(name):
    different = []
    for row in rows(name, 12):
        order = row.get("order", 1)
        for side in sorted({"derivative", "claimed"} & {*row}):
            try:
                alone = check(
                    row["expr"], row[side], wrt=row["var"], order=order
                ).status
            except ExprgradError:
                alone = "unreadable"
            question = f"Find the {NTH[order]}derivative of ${row['expr']}$ with respect to {row['var']}."  # fmt: skip
            found = grade(question, f"So the answer is $\\boxed{{{row[side]}}}$.")
            if found.status != alone:
                different.append((row.get("id"), side, alone, found.status))
    assert not different
