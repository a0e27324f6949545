"""A terminal for tests: a program in a pseudo-terminal, and what its screen shows.

Knows the control sequences that prompt_toolkit and rich write, and answers where the cursor is.
"""

from __future__ import annotations

import os
import re
import select
import struct
import sys
import time
import unicodedata
from pathlib import Path

_SEQUENCE = re.compile(
    r"\x1b\[([?>]?)([\d;]*)([A-Za-z@])|\x1b\][^\x07]*\x07|\x1b[()][A-Z0-9]|\x1b[=>78]"
)


class Screen:
    """The characters on a screen, and the lines that have gone out at its top."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.gone: list[str] = []
        self.x = self.y = 0
        self.asked = 0
        self._rest = ""

    def lines(self) -> list[str]:
        """The lines on the screen."""
        return ["".join(row).rstrip() for row in self.cells]

    def everything(self) -> list[str]:
        """All lines, those that have gone out at the top first."""
        return [*self.gone, *self.lines()]

    def feed(self, text: str) -> None:
        """Write what the program has written."""
        text = self._rest + text
        self._rest = ""
        i = 0
        while i < len(text):
            if text[i] == "\x1b":
                match = _SEQUENCE.match(text, i)
                if match is None:
                    self._rest = text[i:]
                    return
                if match.group(3):
                    self._control(*match.groups())
                i = match.end()
                continue
            self._character(text[i])
            i += 1

    def _character(self, c: str) -> None:
        if c == "\r":
            self.x = 0
        elif c == "\n":
            self._down()
        elif c == "\b":
            self.x = max(0, self.x - 1)
        elif c >= " ":
            if self.x >= self.columns:
                self.x = 0
                self._down()
            self.cells[self.y][self.x] = c
            self.x += 1 + (unicodedata.east_asian_width(c) in "WF")

    def _down(self) -> None:
        if self.y < self.rows - 1:
            self.y += 1
            return
        self.gone.append("".join(self.cells.pop(0)).rstrip())
        self.cells.append([" "] * self.columns)

    def _control(self, mark: str, digits: str, letter: str) -> None:
        numbers = [int(d or 0) for d in digits.split(";")]
        n = numbers[0]
        if mark:
            return
        if letter in "ABCD":
            step = max(n, 1)
            self.x = min(self.x, self.columns - 1)
            self.y += {"A": -step, "B": step}.get(letter, 0)
            self.x += {"D": -step, "C": step}.get(letter, 0)
        elif letter == "G":
            self.x = max(n, 1) - 1
        elif letter == "H":
            self.y = max(n, 1) - 1
            self.x = (max(numbers[1], 1) if len(numbers) > 1 else 1) - 1
        elif letter in "JK":
            self._erase(letter, n)
        elif letter == "n":
            self.asked += 1
        self.x = max(0, min(self.x, self.columns))
        self.y = max(0, min(self.y, self.rows - 1))

    def _erase(self, letter: str, how: int) -> None:
        row = self.cells[self.y]
        start = 0 if how else min(self.x, self.columns)
        end = min(self.x + 1, self.columns) if how == 1 else self.columns
        row[start:end] = [" "] * (end - start)
        if letter == "J":
            below = range(self.y + 1, self.rows) if how == 0 else range(self.rows)
            for y in below:
                self.cells[y] = [" "] * self.columns


class Terminal:
    """A program on a screen of its own."""

    def __init__(self, columns: int, rows: int, state: Path, **env: str) -> None:
        import fcntl
        import pty
        import termios

        self.screen = Screen(columns, rows)
        known = {k: os.environ[k] for k in ("PATH", "PYTHONPATH") if k in os.environ}
        environment = {
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "PYTHONUTF8": "1",
            "XDG_STATE_HOME": str(state),
            "HOME": str(state),
            **known,
            **env,
        }
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(state)
            time.sleep(0.05)  # until the size is set
            os.execvpe(sys.executable, [sys.executable, "-m", "exprgrad"], environment)
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)

    def read(self, seconds: float) -> bool:
        """Read what comes within so many seconds; whether anything came."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.screen.feed(data.decode("utf-8", "replace"))
        while self.screen.asked:
            self.screen.asked -= 1
            place = f"\x1b[{self.screen.y + 1};{self.screen.x + 1}R"
            os.write(self.fd, place.encode())
        return bool(data)

    def wait(self, pattern: str, most: float = 60) -> None:
        """Read until the line of the cursor matches, and nothing more comes for a moment."""
        end = time.monotonic() + most
        while True:
            quiet = not self.read(0.06)
            line = self.screen.lines()[self.screen.y]
            if quiet and re.fullmatch(pattern, line):
                return
            if time.monotonic() > end:
                shown = "\n".join(self.screen.lines())
                raise AssertionError(
                    f"no line like {pattern!r} on the screen:\n{shown}"
                )

    def see(self, text: str, most: float = 60) -> None:
        """Read until a text is on the screen."""
        end = time.monotonic() + most
        while text not in "\n".join(self.screen.everything()):
            self.read(0.05)
            if time.monotonic() > end:
                shown = "\n".join(self.screen.lines())
                raise AssertionError(f"{text!r} is not on the screen:\n{shown}")

    def type(self, keys: str) -> None:
        """Send keys."""
        os.write(self.fd, keys.encode())

    def enter(self, line: str, prompt: str = r"(walk \d+/\d+)?>") -> None:
        """Type a line, wait until it is there, and wait for the next prompt."""
        self.type(line)
        tail = re.escape(line[-8:]) if line else prompt
        self.wait(rf".*{tail}\s*")
        self.type("\r")
        time.sleep(0.02)
        self.wait(prompt)

    def end(self) -> int:
        """The exit code, once the program has ended."""
        while self.read(5):
            pass
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
