"""Training the tutorial's MLP(2, [4, 4, 1]) on XOR, against micrograd in the same run.

    python tests/benchmarks/training.py

The same network (relu, linear output), the same weights, the same gradient descent. Needs micrograd.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "samples"))

import micrograd.nn
from network import MLP, XOR, array_network, mean_square, train

from exprgrad import minimize

STEPS, RATE, ROUNDS = 200, 0.05, 9


def micrograd_steps() -> list[float]:
    """The loop of its demo."""
    network = micrograd.nn.MLP(2, [4, 4, 1])
    for theirs, ours in zip(network.parameters(), start().parameters(), strict=True):
        theirs.data = ours.data
    losses = []
    for _ in range(STEPS):
        total = sum((network(x) - y) ** 2 for x, y in XOR)
        loss = total / len(XOR)
        network.zero_grad()
        loss.backward()
        for p in network.parameters():
            p.data -= RATE * p.grad
        losses.append(loss.data)
    return losses


def start() -> MLP:
    """The network before training."""
    return MLP(2, [4, 4, 1], seed=3, activation="relu", last="")


def value_steps() -> list[float]:
    """The same loop on our nodes."""
    return list(train(start(), XOR, STEPS, RATE, momentum=0.0))


def graph_steps() -> list[float]:
    """The graph built once; minimize goes over it in every step."""
    network = start()
    loss = mean_square(network, XOR)
    descent = minimize(
        loss, network.parameters(), "gd", rate=RATE, steps=STEPS, tolerance=0
    )
    return [step.value for step in descent][:STEPS]


def array_steps() -> list[float]:
    """The network as an expression in arrays."""
    text, weights, data = array_network(start(), XOR)
    descent = minimize(
        text, weights, "gd", fixed=data, rate=RATE, steps=STEPS, tolerance=0
    )
    return [step.value for step in descent][:STEPS]


def main() -> None:
    """Ratios of the best of some rounds, turn by turn."""
    ways = {
        "Value, graph anew in each step": value_steps,
        "minimize over the graph": graph_steps,
        "minimize, as an array expression": array_steps,
    }
    reference = micrograd_steps()
    for name, way in ways.items():
        worst = max(abs(a - b) for a, b in zip(reference, way(), strict=True))
        assert worst < 1e-9, (name, worst)
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(ROUNDS):
            for work, own in zip((micrograd_steps, way), times, strict=True):
                begin = time.perf_counter()
                work()
                own.append(time.perf_counter() - begin)
        ratio = min(times[0]) / min(times[1])
        print(f"{name:32} {ratio:6.1f} x as fast as micrograd")


if __name__ == "__main__":
    main()
