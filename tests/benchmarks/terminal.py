"""How fast a session on a terminal is: to its first prompt, and from a key to the screen.

    python tests/benchmarks/terminal.py

The first prompt is given as a ratio to `import prompt_toolkit` in the same run, the keys in milliseconds.
"""

from __future__ import annotations

import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONG = " + ".join(["2.5*sin(x1 + y)^2/(1.5 + z*x1)"] * 61)[:1999]
"""A line of 2,000 characters, nearly."""


class Player:
    """A session in a pseudo-terminal."""

    def __init__(self, state: str) -> None:
        env = os.environ | {
            "TERM": "xterm-256color",
            "PROMPT_TOOLKIT_NO_CPR": "1",
            "XDG_STATE_HOME": state,
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "80",
            "LINES": "40",
        }
        self.start = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execvpe(sys.executable, [sys.executable, "-m", "exprgrad"], env)

    def until(self, mark: bytes) -> float:
        """Read until something is on the screen; the seconds since the start."""
        seen = b""
        while mark not in seen:
            seen += os.read(self.fd, 65536)
        return time.perf_counter() - self.start

    def settle(self, quiet: float = 0.3) -> None:
        """Read until nothing comes any more."""
        while select.select([self.fd], [], [], quiet)[0]:
            os.read(self.fd, 65536)

    def key(self, text: str) -> float:
        """Type; the seconds until the first of the answer is there."""
        start = time.perf_counter()
        os.write(self.fd, text.encode())
        os.read(self.fd, 65536)
        return time.perf_counter() - start

    def end(self) -> None:
        """Leave."""
        os.write(self.fd, b"\x03\x04")
        try:
            while os.read(self.fd, 65536):
                pass
        except OSError:
            pass
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def first_prompt(state: str, repeat: int = 15) -> None:
    """From the start of the process to the prompt."""
    ratios = []
    for _ in range(repeat):
        player = Player(state)
        own = player.until(b"> ")
        player.end()
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import prompt_toolkit"], check=True)
        ratios.append(own / (time.perf_counter() - start))
    print(
        f"first prompt: {statistics.median(ratios):.2f} x import prompt_toolkit (median of {repeat} pairs)"
    )


def keystrokes(state: str, repeat: int = 60) -> None:
    """From a key to the screen, in an empty and in a long line."""
    for label, text in (("an empty line", ""), ("a line of 2,000 characters", LONG)):
        player = Player(state)
        player.until(b"> ")
        player.settle(1.0)
        os.write(player.fd, b"x1 = 0.5; y = 2; z = 3\r")
        player.settle()
        for i in range(0, len(text), 500):
            os.write(player.fd, text[i : i + 500].encode())
            player.settle()
        times = []
        for i in range(repeat):
            times.append(1000 * player.key("x" if i % 2 == 0 else "\x7f"))
            player.settle(0.05)
        player.end()
        times.sort()
        print(
            f"a key in {label}: median {times[len(times) // 2]:.1f} ms, "
            f"95 % within {times[int(len(times) * 0.95)]:.1f} ms, worst {times[-1]:.1f} ms"
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        first_prompt(folder)
        keystrokes(folder)
