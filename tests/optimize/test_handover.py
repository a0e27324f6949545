"""What a function calls back with, taken one at a time."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from exprgrad.optimize.callbacks import Left, pulled


def count(line):
    for i in range(5):
        line.give(i)


def test_items_come_in_order_and_the_thread_ends():
    before = threading.active_count()
    assert list(pulled(count)) == [0, 1, 2, 3, 4]
    assert threading.active_count() == before


def test_the_function_waits_while_an_item_is_looked_at():
    done = []

    def work(line):
        for i in range(3):
            done.append(i)
            line.give(i)
        done.append("end")

    items = pulled(work)
    for i in range(3):
        assert next(items) == i
        assert done == list(range(i + 1))
    assert list(items) == []
    assert done[-1] == "end"


def test_an_error_of_the_function_is_raised_where_items_are_taken():
    def work(line):
        line.give(1)
        raise ValueError("no more")

    items = pulled(work)
    assert next(items) == 1
    with pytest.raises(ValueError, match="no more"):
        next(items)


def test_the_function_is_left_where_it_waits_or_looks_around():
    seen = []

    def work(line):
        try:
            line.give(1)
        except Left:
            seen.append("waiting")
        with pytest.raises(Left):
            line.check()
        seen.append("looking")

    items = pulled(work)
    next(items)
    items.close()
    assert seen == ["waiting", "looking"]


def test_a_program_may_end_while_items_are_left():
    program = """
from exprgrad.optimize.callbacks import pulled
items = pulled(lambda line: [line.give(i) for i in range(5)])
print(next(items))
"""
    argv = [sys.executable, "-c", program]
    found = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert (found.returncode, found.stdout, found.stderr) == (0, "0\n", "")
