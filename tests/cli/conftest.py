"""Commands that run in the process of the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from exprgrad.cli import start


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch) -> Callable[..., Result]:
    """Run a command in this process, on a stream of 80 columns that is no terminal."""
    monkeypatch.setenv("COLUMNS", "80")

    def runs(*arguments: str) -> Result:
        code = start.run(list(arguments))
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return runs
