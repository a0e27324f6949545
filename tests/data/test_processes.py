"""Work in several processes: the order, what is held at a time, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from exprgrad.data.processes import AHEAD, ProcessDied, cores, in_order
from tests.programs import running


def square(n: int) -> int:
    return n * n


def lazy_first(n: int) -> int:
    """The first item takes longer than all others together."""
    if n == 0:
        time.sleep(0.3)
    return n


def end_at_three(n: int) -> int:
    if n == 3:
        os._exit(1)
    return n


def own_id(n: int) -> int:
    return os.getpid()


@pytest.mark.parametrize("processes", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_results_come_in_the_order_of_the_items(processes, count):
    assert list(in_order(square, range(count), processes)) == [
        n * n for n in range(count)
    ]


@pytest.mark.slow
def test_a_slow_item_does_not_change_the_order():
    assert list(in_order(lazy_first, range(30), 2)) == list(range(30))


@pytest.mark.slow
def test_items_are_taken_only_a_little_ahead_of_the_results():
    taken = []

    def items() -> Iterator[int]:
        for n in range(10_000):
            taken.append(n)
            yield n

    results = in_order(lazy_first, items(), 2)
    next(results)
    assert len(taken) <= 2 * AHEAD + 2
    results.close()


@pytest.mark.slow
def test_one_process_is_this_one_and_others_are_not():
    assert set(in_order(own_id, range(3), 1)) == {os.getpid()}
    assert os.getpid() not in set(in_order(own_id, range(3), 2))


@pytest.mark.slow
def test_a_process_that_dies_is_an_error_and_no_hang():
    with pytest.raises(ProcessDied, match="ended before its work was done"):
        list(in_order(end_at_three, range(10), 2))


@pytest.mark.slow
def test_leaving_early_ends_the_processes():
    results = in_order(own_id, range(1000), 2)
    one = next(results)
    results.close()
    with pytest.raises(ProcessLookupError):
        os.kill(one, 0)


def test_there_is_a_core():
    assert cores() >= 1


ORPHANS = """
import itertools, time
from exprgrad.data.processes import in_order
from tests.data.test_processes import own_id
for found in in_order(own_id, itertools.count(), 2):
    print(found, flush=True)
    time.sleep(0.1)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
def test_processes_end_when_their_parent_is_killed():
    with running(
        [sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        children = {int(parent.stdout.readline())}
        parent.kill()
    for child in children:
        for _ in range(100):
            if not _is_running(child):
                break
            time.sleep(0.1)
        assert not _is_running(child)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = f"/proc/{process}/stat"
    if not os.path.exists(status):
        return True
    with open(status) as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"
