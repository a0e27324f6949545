"""A small neural network on `Value`, as the tutorials build it: neurons, layers, XOR and two moons.

python samples/network.py          trains both and prints the loss as it falls
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence

import exprgrad
from exprgrad import Value, minimize


class Neuron:
    """tanh(w1*x1 + ... + wn*xn + b), or without the tanh."""

    def __init__(self, inputs: int, drawn: random.Random, activation: str) -> None:
        self.weights = [Value(drawn.uniform(-1, 1)) for _ in range(inputs)]
        self.bias = Value(0.0)
        self.activation = activation
        self.function = getattr(exprgrad, activation) if activation else None

    def __call__(self, x: Sequence[Value | float]) -> Value:
        total = self.bias
        for weight, xi in zip(self.weights, x, strict=True):
            total = total + weight * xi
        return self.function(total) if self.function else total

    def parameters(self) -> list[Value]:
        return [*self.weights, self.bias]


class Layer:
    """Neurons side by side."""

    def __init__(
        self, inputs: int, outputs: int, drawn: random.Random, activation: str
    ) -> None:
        self.neurons = [Neuron(inputs, drawn, activation) for _ in range(outputs)]

    def __call__(self, x: Sequence[Value | float]) -> list[Value]:
        return [neuron(x) for neuron in self.neurons]

    def parameters(self) -> list[Value]:
        return [p for neuron in self.neurons for p in neuron.parameters()]


class MLP:
    """Layers one after the other: MLP(2, [4, 4, 1]) has two inputs and one output.

    `last` is the activation of the last layer; "" is none.
    """

    def __init__(
        self,
        inputs: int,
        sizes: Sequence[int],
        seed: int = 0,
        activation: str = "tanh",
        last: str = "tanh",
    ) -> None:
        drawn = random.Random(seed)
        ends = [inputs, *sizes]
        self.layers = [
            Layer(a, b, drawn, last if i == len(sizes) else activation)
            for i, (a, b) in enumerate(zip(ends, sizes, strict=False), 1)
        ]

    def __call__(self, x: Sequence[Value | float]) -> Value:
        outputs: Sequence[Value | float] = x
        for layer in self.layers:
            outputs = layer(outputs)
        return outputs[0]

    def parameters(self) -> list[Value]:
        return [p for layer in self.layers for p in layer.parameters()]


XOR = [((0.0, 0.0), -1.0), ((0.0, 1.0), 1.0), ((1.0, 0.0), 1.0), ((1.0, 1.0), -1.0)]
"""Inputs and targets."""

Points = Sequence[tuple[Sequence[Value | float], Value | float]]


def mean_square(network: MLP, points: Points) -> Value:
    """The mean of (output - target)^2."""
    total = Value(0.0)
    for x, y in points:
        error = network(x) - y
        total = total + error * error
    return total / len(points)


def train(
    network: MLP, points: Points, steps: int, rate: float = 0.1, momentum: float = 0.9
) -> Iterator[float]:
    """The loop of the tutorials: build the loss, sweep back, take a step. Yields the loss."""
    parameters = network.parameters()
    # nodes once and for all: numbers would become constants anew in every step
    data = [([Value(xi) for xi in x], Value(y)) for x, y in points]
    velocity = [0.0] * len(parameters)
    for _ in range(steps):
        loss = mean_square(network, data)
        for p in parameters:
            p.grad = 0.0
        loss.backward()
        for i, p in enumerate(parameters):
            velocity[i] = momentum * velocity[i] + p.grad
            p.data -= rate * velocity[i]
        yield loss.data


def moons(count: int = 100, seed: int = 0, noise: float = 0.1) -> Points:
    """Two half circles that reach into each other; targets 1 and -1."""
    drawn = random.Random(seed)
    points = []
    for i in range(count):
        angle = math.pi * drawn.random()
        x, y = math.cos(angle), math.sin(angle)
        if i % 2:
            x, y = 1 - x, 0.5 - y
        noisy = (x + drawn.gauss(0, noise), y + drawn.gauss(0, noise))
        points.append((noisy, -1.0 if i % 2 else 1.0))
    return points


def accuracy(network: MLP, points: Points) -> float:
    """The share of the points on the right side of 0."""
    return sum(network(x).data * y > 0 for x, y in points) / len(points)


def array_network(
    network: MLP, points: Points
) -> tuple[str, dict[str, list], dict[str, list]]:
    """The same network as one expression in arrays, with its weights and the data.

    For MLP(2, [4, 4, 1]): mse(tanh(tanh(tanh(X @ W1 + b1) @ W2 + b2) @ W3 + b3), y)
    """
    text, weights = "X", {}
    for i, layer in enumerate(network.layers, 1):
        rows = [[w.data for w in neuron.weights] for neuron in layer.neurons]
        weights[f"W{i}"] = [list(column) for column in zip(*rows, strict=True)]
        weights[f"b{i}"] = [neuron.bias.data for neuron in layer.neurons]
        text = f"{text} @ W{i} + b{i}"
        activation = layer.neurons[0].activation
        text = f"{activation}({text})" if activation else f"({text})"
    data = {"X": [list(x) for x, _ in points], "y": [[y] for _, y in points]}
    return f"mse({text}, y)", weights, data


def curve(losses: Sequence[float], rows: int = 10) -> Iterator[str]:
    """The loss every so many steps, as numbers and bars."""
    for i in range(rows + 1):
        step = i * (len(losses) - 1) // rows
        bar = "#" * round(40 * losses[step] / max(losses))
        yield f"{step:5d}  {losses[step]:.6f}  {bar}"


def main() -> None:
    network = MLP(2, [4, 4, 1])
    print("XOR, step by step: the graph is built anew in every step")
    print("\n".join(curve(list(train(network, XOR, 200)))))
    for x, y in XOR:
        print(f"  {x[0]:.0f} xor {x[1]:.0f}: {network(x).data:+.3f}, wanted {y:+.0f}")

    network, points = MLP(2, [8, 8, 1]), moons()
    print(
        "\nTwo moons: the graph is built once, and minimize goes over it again and again"
    )
    loss = mean_square(network, points)
    descent = minimize(loss, network.parameters(), "adam", rate=0.05, steps=200)
    print("\n".join(curve([step.value for step in descent])))
    print(f"  {accuracy(network, points):.0%} of the points are on the right side")

    text, weights, data = array_network(MLP(2, [8, 8, 1]), points)
    print(f"\nThe same as an expression in arrays: {text}")
    descent = minimize(text, weights, "adam", fixed=data, rate=0.05, steps=200)
    print("\n".join(curve([step.value for step in descent])))


if __name__ == "__main__":
    main()
