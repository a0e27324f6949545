"""How the tests run: with how many drawn examples, under which signals, and with what coverage.

`EXPRGRAD_PROFILE=long` draws many more examples, new ones in every run; otherwise there are a few, always the same.
`pytest -m quick` runs the first case of every test that takes no time: it draws no examples, is not marked `slow` and
lies outside the folders and files in `PROGRAMS`.
`EXPRGRAD_COVERAGE=1` measures lines and branches in every process that runs tests, prints the report at the end and
fails the run below the limit in `pyproject.toml`.
"""

from __future__ import annotations

import gc
import importlib
import io
import os
import pkgutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from coverage import Coverage

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile(
    "short",
    derandomize=True,
    deadline=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.register_profile(
    "long", settings.get_profile("short"), derandomize=False, max_examples=2000
)
settings.load_profile(os.environ.get("EXPRGRAD_PROFILE", "short"))


@pytest.fixture(scope="session", autouse=True)
def _programs_can_be_interrupted() -> Iterator[None]:
    """Programs that tests start can be interrupted, even if this run cannot.

    A shell ignores SIGINT in what it runs in the background, and `nohup` SIGHUP; programs inherit that. They do not
    inherit a handler.
    """
    before = {signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler)}
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) is signal.SIG_IGN:
        before[hangup] = signal.signal(hangup, lambda number, frame: None)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def _formulas_are_what_they_should_be() -> None:
    """A formula that is not fails the test that asks for it, instead of giving way to a plainer one."""
    from exprgrad.expressions import confirm

    confirm.strict = True


PROGRAMS = ("cli/test_hostile.py", "terminal/", "test_readme.py", "test_samples.py")
"""Below `tests`: what starts programs and waits for them, or works on texts without limit."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the quick tests."""
    seen: set[tuple[str, str]] = set()
    files = {item.path for item in items}
    paths = {file: file.relative_to(ROOT / "tests").as_posix() for file in files}
    for item in items:
        path = paths[item.path]
        test = path, getattr(item, "originalname", item.name)
        drawn = hasattr(getattr(item, "obj", None), "hypothesis")
        slow = drawn or path.startswith(PROGRAMS) or item.get_closest_marker("slow")
        if test not in seen and not slow:
            item.add_marker("quick")
        seen.add(test)


# Coverage is started before anything of the package is imported, in the one process of a plain run or in each worker
# of `-n 2`. Each leaves a file of its own, and the process that reports puts them together. Once the package has been
# imported, only tests are watched, and each only while that finds anything: what is watched takes three times as long.

COVERAGE = pytest.StashKey["Coverage"]()
WATCH = pytest.StashKey["Watch"]()
REPORT = pytest.StashKey[str]()

FIRST, LOOK, REST, LONGER = 0.3, 0.008, 0.016, 1.5
"""A test is watched for so many seconds of computing as the first says, whatever comes of it. After that, watching
rests where nothing new has run for as long as the second: first for as long as the third, then so many times longer."""

PATIENCE = 0.7
"""A test whose cases have run nothing new for so many seconds is not watched any more."""


class Watch:
    """Measures coverage in tests, as long as they run branches that no other has run in this process."""

    def __init__(self, coverage: Coverage) -> None:
        self.coverage, self.watching, self.inside = coverage, True, False
        self.data: dict[str, set[int]] = getattr(sys.gettrace(), "data", {})
        """What has run by file, where coverage's tracer says it."""
        self.found, self.rest = 0, REST
        self.in_vain: Counter[str] = Counter()
        """By test, how long its cases have run nothing new."""
        if hasattr(signal, "SIGPROF"):
            signal.signal(signal.SIGPROF, self.look)
            signal.siginterrupt(signal.SIGPROF, False)
        self.watch(False)

    def watch(self, on: bool) -> None:
        """Start to measure, or stop, unless that is so already."""
        if on != self.watching:
            (self.coverage.start if on else self.coverage.stop)()
            self.watching = on

    def finds(self) -> bool:
        """Whether branches have been seen that had not been when this was asked last."""
        before, self.found = self.found, sum(map(len, self.data.values()))
        return self.found > before

    def look(self, *_: object) -> None:
        """Go on if anything has been found, and rest otherwise; after a rest, begin again."""
        if not self.inside:  # the signal was under way when the test ended
            return
        if not self.watching:
            self.watch(True)
            self.look_after(LOOK)
        elif self.finds():
            self.rest = REST
            self.look_after(LOOK)
        else:
            self.watch(False)
            self.look_after(self.rest)
            self.rest *= LONGER

    def look_after(self, seconds: float) -> None:
        """Look when so much time of computing has passed; never if that is 0."""
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, seconds)

    @contextmanager
    def case_of(self, test: str) -> Iterator[None]:
        """Watch what runs in this context, which is a case of that test."""
        if self.in_vain[test] >= PATIENCE:
            yield
            return
        start, found = time.process_time(), self.found
        self.inside, self.rest = True, REST
        self.watch(True)
        self.look_after(FIRST)
        try:
            yield
        finally:
            self.inside = False
            self.look_after(0)
            self.watch(False)
            self.finds()
            self.in_vain[test] += time.process_time() - start
            if self.found > found:
                self.in_vain[test] = 0


def _coverage(**options: bool) -> Coverage:
    from coverage import Coverage

    return Coverage(
        data_file=str(ROOT / ".coverage"),
        config_file=str(ROOT / "pyproject.toml"),
        **options,
    )


def _distributes(config: pytest.Config) -> bool:
    """Whether the tests run in workers of this process."""
    return bool(config.getoption("numprocesses", None))


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until the tests are collected: imports and cases are no garbage
    if os.environ.get("EXPRGRAD_COVERAGE") and not _distributes(config):
        config.stash[COVERAGE] = _coverage(data_suffix=True)
        config.stash[COVERAGE].start()
        _import_all()
        config.stash[WATCH] = Watch(config.stash[COVERAGE])


def pytest_collection_finish() -> None:
    """Set apart what there is before the tests: it stays, so that no search for garbage need go through it."""
    gc.freeze()
    gc.enable()


def _import_all() -> None:
    """Import every module of the package, except what needs a package that is not installed."""
    import exprgrad

    for module in pkgutil.walk_packages(exprgrad.__path__, "exprgrad."):
        with suppress(ImportError):
            importlib.import_module(module.name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Watch a test for coverage where that is measured."""
    if WATCH not in item.config.stash:
        return (yield)
    with item.config.stash[WATCH].case_of(item.nodeid.partition("[")[0]):
        return (yield)


@pytest.hookimpl(trylast=True)  # when the workers have ended
def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if COVERAGE in config.stash:
        config.stash[COVERAGE].save()
    if os.environ.get("EXPRGRAD_COVERAGE") and not hasattr(config, "workerinput"):
        whole, text = _coverage(), io.StringIO()
        whole.combine()
        total = whole.report(file=text)
        if total < whole.get_option("report:fail_under"):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            text.write("This is less than the limit in pyproject.toml.\n")
        config.stash[REPORT] = text.getvalue()
        whole.erase()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if REPORT in config.stash:
        terminalreporter.section("coverage by branch")
        terminalreporter.write(config.stash[REPORT])
