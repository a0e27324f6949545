"""Programs that tests start: none outlives its test, however that ends."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def running(argv: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """A program while it runs; it is killed at the end if it has not ended by itself."""
    with subprocess.Popen(argv, **options) as program:
        try:
            yield program
        finally:
            program.kill()
