"""The sample scripts: what they train, and what they show."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from exprgrad import ChangedDataError, Value, minimize

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def loaded(name):
    """A script of the samples as a module."""
    spec = importlib.util.spec_from_file_location(name, SAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


network = loaded("network")
pitfalls = loaded("pitfalls")


@pytest.mark.slow
def test_xor_is_learned_from_at_least_nine_of_ten_seeds():
    reached = []
    for seed in range(10):
        losses = network.train(network.MLP(2, [4, 4, 1], seed), network.XOR, 300)
        reached.append(next((i for i, loss in enumerate(losses) if loss < 0.05), None))
    assert sum(step is not None for step in reached) >= 9


@pytest.mark.slow
def test_minimize_learns_xor_over_the_same_graph():
    net = network.MLP(2, [4, 4, 1], seed=1)
    loss = network.mean_square(net, network.XOR)
    minimize(loss, net.parameters(), "adam", rate=0.05, steps=300, target=1e-3)
    steps = minimize(loss, net.parameters(), "adam", rate=0.05, target=1e-3).result
    assert steps.status == "target"
    assert all(net(x).data * y > 0.8 for x, y in network.XOR)


def test_a_step_of_the_loop_is_a_step_of_minimize():
    first, second = (network.MLP(2, [3, 1], seed=5) for _ in range(2))
    losses = list(network.train(first, network.XOR, 5, momentum=0.5))
    loss = network.mean_square(second, network.XOR)
    descent = minimize(
        loss, second.parameters(), "momentum", rate=0.1, momentum=0.5, steps=4
    )
    assert [step.value for step in descent] == pytest.approx(losses, rel=1e-12)


@pytest.mark.slow
def test_two_moons_are_separated():
    net, points = network.MLP(2, [8, 8, 1], seed=0), network.moons(60)
    loss = network.mean_square(net, points)
    found = minimize(loss, net.parameters(), "adam", rate=0.05, steps=150).result
    assert found.value < 0.05
    assert network.accuracy(net, points) == 1
    assert network.accuracy(net, network.moons(seed=1)) > 0.95


@pytest.mark.slow
def test_the_scripts_print_what_they_promise(capsys, monkeypatch):
    moons = network.moons
    monkeypatch.setattr(network, "moons", lambda: moons(30))
    network.main()
    pitfalls.main()
    printed = capsys.readouterr().out
    assert "100% of the points are on the right side" in printed
    assert "1 xor 0: +0.9" in printed
    assert "not noticed" not in printed


def test_gradients_add_up_without_zero_grad():
    assert pitfalls.without_zero_grad() == [6, 12, 18]
    assert pitfalls.with_zero_grad() == [6, 6, 6]
    assert pitfalls.reused_leaf() == (7, 14)


@pytest.mark.parametrize(
    "build",
    [
        lambda a, b: a * b + a,
        lambda a, b: (a + b).tanh(),
        lambda a, b: a.exp() - b,
        lambda a, b: b / a,
        lambda a, b: (a - b) ** 2,
        lambda a, b: 1 + 3 * a,
    ],
)
def test_data_that_changes_under_a_graph_is_reported(build):
    a, b = Value(2.0, "a"), Value(3.0)
    y = build(a, b)
    y.backward()
    before = a.grad
    a.data = 5.0
    with pytest.raises(ChangedDataError, match="data of a changed after the graph"):
        y.backward()
    assert a.grad == before
    a.data = 2.0
    y.backward()
    assert a.grad == 2 * before


@pytest.mark.parametrize("build", [lambda c: c * c, lambda c: c.sin(), lambda c: -c])
def test_data_of_an_inner_node_that_changes_is_reported(build):
    a, b = Value(2.0), Value(3.0)
    c = a - b
    y = build(c + a) * 2
    c.data = 7.0
    with pytest.raises(ChangedDataError):
        y.backward()
    assert (a.grad, b.grad) == (0, 0)


def test_a_cycle_cannot_be_built():
    assert pitfalls.cycle() == (
        "new node: True, its operand is the old one: True"
    )  # fmt: skip


def test_the_network_in_arrays_takes_the_same_steps():
    net = network.MLP(2, [4, 4, 1], seed=3)
    text, weights, data = network.array_network(net, network.XOR)
    assert text == "mse(tanh(tanh(tanh(X @ W1 + b1) @ W2 + b2) @ W3 + b3), y)"
    descent = minimize(
        text, weights, "momentum", fixed=data, rate=0.1, steps=19, tolerance=0
    )
    losses = list(network.train(net, network.XOR, 20))
    assert [step.value for step in descent] == pytest.approx(losses, rel=1e-9)


def test_the_network_in_arrays_learns_xor_from_at_least_nine_of_ten_seeds():
    reached = 0
    for seed in range(10):
        net = network.MLP(2, [4, 4, 1], seed)
        text, weights, data = network.array_network(net, network.XOR)
        found = minimize(
            text, weights, "adam", fixed=data, rate=0.05, steps=300, target=0.05
        ).result
        reached += found.status == "target"
    assert reached >= 9
