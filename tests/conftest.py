"""How the tests run: with how many drawn examples, and under which signals.

`EXPRGRAD_PROFILE=long` draws many more examples, new ones in every run; otherwise there are a few, always the same.
`pytest -m quick` runs the first case of every test that takes no time: it draws no examples, is not marked `slow` and
lies outside the folders and files in `PROGRAMS`.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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


PROGRAMS = ("cli/test_hostile.py", "pictures/test_walk_page.py", "terminal/", "test_readme.py", "test_samples.py")  # fmt: skip
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


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until the tests are collected: imports and cases are no garbage


def pytest_collection_finish() -> None:
    """Set apart what there is before the tests: it stays, so that no search for garbage need go through it."""
    gc.freeze()
    gc.enable()
