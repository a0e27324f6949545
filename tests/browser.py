"""A real browser for tests of pages: Debian's Chromium, driven by Playwright, with the network off."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-extensions"]  # fmt: skip


@contextmanager
def browser() -> Iterator[Any]:
    """The browser; tests are skipped where it or Playwright is missing."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="there is no playwright")  # fmt: skip
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield started
        finally:
            started.close()


class Page:
    """A page of a browser with the network off, for one file after the other; `messages` are what their consoles had."""

    def __init__(self, started: Any) -> None:
        size = {"width": 1280, "height": 900}
        self.page = started.new_page(viewport=size, reduced_motion="reduce", offline=True)  # fmt: skip
        self.page.set_default_timeout(60_000)  # as long as a busy machine takes
        self.messages: list[str] = []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))

    def open(self, url: str) -> None:
        """Open a file."""
        self.page.goto(
            "about:blank"
        )  # else another fragment of the same file would not load it
        self.page.goto(url)

    def press(self, *keys: str) -> None:
        """Keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, query: str) -> str:
        """What the first element of the page that fits has in it."""
        return str(self.page.evaluate("q => document.querySelector(q).textContent", query))  # fmt: skip

    def rows(self, query: str) -> list[list[str]]:
        """The cells of the rows that are shown, of those that fit."""
        read = "q => [...document.querySelectorAll(q)].filter(r => !r.hidden).map(r => [...r.cells].map(c => c.textContent))"
        return list(self.page.evaluate(read, query))
