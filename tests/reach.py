"""A plugin of pytest for `tests.mutants`: which lines of the package each test runs, and how long it takes.

    python -m pytest -p tests.reach --reach FOLDER

Every process of the run leaves a file in the folder. Needs Python 3.12, which can watch lines at little cost.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import pytest

PACKAGE = f"{Path(__file__).resolve().parent.parent}{os.sep}exprgrad{os.sep}"

Line = tuple[str, int]
"""A file of the package, and a line of it."""


class Reach(NamedTuple):
    """The tests that run each line, and the seconds that each test takes with all its cases."""

    tests: dict[Line, set[str]]
    seconds: dict[str, float]

    def of(self, path: str, line: int) -> list[str]:
        """Return the tests that run a line, fast ones first; those of a line shortly before, where none says so."""
        for near in range(line, line - 6, -1):
            if found := self.tests.get((path, near)):
                return sorted(found, key=lambda test: self.seconds[test])
        return []


def read(folder: Path) -> Reach:
    """Return what all processes of a run have seen."""
    tests: dict[Line, set[str]] = defaultdict(set)
    seconds: dict[str, float] = defaultdict(float)
    for file in sorted(folder.glob("*.json")):
        for test, (took, lines) in json.loads(file.read_text("utf-8")).items():
            seconds[test] += took
            for path, numbers in lines.items():
                for number in numbers:
                    tests[path, number].add(test)
    return Reach(dict(tests), dict(seconds))


class Recorder:
    """Watches the lines that the test under way runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines: set[Line] = set()
        self.of_test: dict[str, set[Line]] = defaultdict(set)
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()
        self.monitoring = sys.monitoring  # type: ignore[attr-defined]
        self.tool = self.monitoring.COVERAGE_ID
        self.monitoring.use_tool_id(self.tool, "reach")
        event = self.monitoring.events.LINE
        self.monitoring.register_callback(self.tool, event, self.ran)
        self.monitoring.set_events(self.tool, event)

    def ran(self, code: CodeType, line: int) -> object:
        """Note a line of the package, once a test."""
        if code.co_filename.startswith(PACKAGE):
            path = code.co_filename.removeprefix(PACKAGE).replace(os.sep, "/")
            self.lines.add((f"exprgrad/{path}", line))
        return self.monitoring.DISABLE

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:  # fmt: skip
        """Begin anew with each test, its fixtures included."""
        test, start = item.nodeid.partition("[")[0], time.perf_counter()
        self.lines = self.of_test[test]
        self.monitoring.restart_events()
        result = yield
        self.seconds[test] += time.perf_counter() - start
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what fails as it is, which shows nothing."""
        if report.failed:
            self.failed.add(report.nodeid.partition("[")[0])

    def pytest_sessionfinish(self) -> None:
        """Leave what this process has seen."""
        seen: dict[str, tuple[float, dict[str, list[int]]]] = {}
        for test in self.of_test.keys() - self.failed:
            numbers: dict[str, list[int]] = defaultdict(list)
            for path, number in sorted(self.of_test[test]):
                numbers[path].append(number)
            seen[test] = self.seconds[test], numbers
        file = self.folder / f"{os.getpid()}.json"
        file.write_text(json.dumps(seen), "utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reach", type=Path)


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption(
        "numprocesses", None
    ):  # the process of the workers runs no tests
        config.pluginmanager.register(Recorder(config.getoption("--reach")))
