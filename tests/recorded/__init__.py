"""Values and gradients as other libraries give them, and the cases that they were recorded for.

The scripts `torch_values.py` and `hips_values.py` are run by hand, where PyTorch or HIPS autograd is
installed, and write `torch.json` and `hips.json`; the tests read those and need neither library.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent

DIGITS = 14
"""Significant digits that are recorded."""

_STRIDES = (37, 53, 71, 89)


def numbers(shape: tuple[int, ...], index: int, low: float, high: float) -> Any:
    """An array of numbers between two others, no two alike, by a formula: the same everywhere.

    `index` tells the arguments of one operation apart.
    """
    count = math.prod(shape)
    assert count < 101
    spread = [(_STRIDES[index] * k + 17 * index + 5) % 101 for k in range(count)]
    flat = [low + (high - low) * (s + 0.5) / 101 for s in spread]
    return np.array(flat, float).reshape(shape)


def weights(shape: tuple[int, ...]) -> Any:
    """What the elements of a result are multiplied by before they are summed: the seed."""
    return numbers(shape, 3, 0.5, 1.5)


def read(name: str) -> dict[str, Any]:
    """The record of a library: its `version`, and the `values` by case."""
    found: dict[str, Any] = json.loads((HERE / name).read_text(encoding="utf-8"))
    return found


def write(
    name: str, versions: Mapping[str, str], values: Iterable[tuple[str, Any]]
) -> None:
    """Write a record, a line for each case."""
    head = "".join(f'"{key}": {json.dumps(v)},\n' for key, v in versions.items())
    lines = [f"{json.dumps(key)}: {_text(value)}" for key, value in values]
    text = "{\n" + head + '"values": {\n' + ",\n".join(lines) + "\n}\n}\n"
    json.loads(text)
    (HERE / name).write_text(text, encoding="utf-8")
    print(f"{name}: {len(lines)} cases, {len(text) / 1000:.0f} KB")


def _text(value: Any) -> str:
    return json.dumps(_rounded(value), separators=(",", ":"))


def _rounded(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_rounded(v) for v in value]
    if isinstance(value, Mapping):
        return {key: _rounded(v) for key, v in value.items()}
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def near(found: Any, recorded: Any, tolerance: float = 1e-12) -> None:
    """Refuse numbers that are not the recorded ones, relative to the largest of them."""
    own, other = np.ravel(found), np.ravel(recorded)
    scale = float(np.max(np.abs(other), initial=0.0))
    np.testing.assert_allclose(own, other, rtol=tolerance, atol=tolerance * scale)
