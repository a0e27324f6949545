"""What five tutorials show, done here: their code runs with nothing but its imports changed, and gives their numbers.

The texts are read from `../shared/seeds`; without that folder there is nothing to test.
"""

from __future__ import annotations

import random
import re
import typing
from pathlib import Path

import numpy as np
import pytest

import exprgrad
from exprgrad import Function, Tensor, Value
from tests.readme import output_of

SEEDS = Path(__file__).resolve().parents[3] / "shared" / "seeds"

pytestmark = pytest.mark.skipif(not SEEDS.is_dir(), reason="needs ../shared/seeds")


def block(document: str, first: str, last: str, occurrence: int = 0) -> str:
    """The lines of a document from one that begins so to one that begins so."""
    (path,) = SEEDS.glob(f"{document}_*.txt")
    lines = path.read_text(encoding="utf-8").splitlines()
    start = [i for i, line in enumerate(lines) if line.startswith(first)][occurrence]
    end = next(i for i in range(start, len(lines)) if lines[i].startswith(last))
    return "\n".join(lines[start : end + 1])


def numbers(text: str) -> list[float]:
    """The numbers in a text."""
    return [float(found) for found in re.findall(r"(?<![\w.])-?\d+\.?\d*", text)]


def printed(capsys, source: str, **names: object) -> list[float]:
    """The numbers that a block of code prints."""
    exec(source, names)
    return numbers(capsys.readouterr().out)


def expected(source: str, marks: str = "✓") -> list[float]:
    """The numbers that the comments of a block say."""
    return [
        n
        for line in source.splitlines()
        if marks in line
        for n in numbers(line.partition("#")[2])
    ]


def test_the_engine_is_verified_as_there(capsys):
    source = block("001", "a = Value(2.0)", "print(c.grad)")
    assert printed(capsys, source, Value=Value) == expected(source) == [42, 28, 14]


def test_assignments_with_comments_are_typed_into_a_session():
    session = exprgrad.Session()
    lines = block("001", "a = 2.0", "L = d").splitlines()
    for line in lines:
        (found,) = session.run(line)
    assert expected(lines[-1], "#") == [18]
    (found,) = session.run("L")
    said = found.as_dict()
    assert (said["value"], said["gradient"]) == (18, {"a": 6, "b": 6})


def network(seed: int) -> list[float]:
    """The losses that the network and the loop of the tutorial print, from these random weights."""
    random.seed(seed)
    said: list[str] = []
    names = {"Value": Value, "print": said.append}
    model = block("001", "import random", "Training Loop")
    exec(model.removesuffix("Training Loop"), names)
    exec(block("001", "X = [[0,0]", "        print(f"), names)
    return [numbers(line)[1] for line in said]


def test_the_network_learns_xor_from_most_seeds():
    losses = [network(seed) for seed in range(10)]
    assert all(len(own) == 10 for own in losses)
    assert sum(own[-1] < own[0] / 2 for own in losses) >= 3


def test_micrograds_names_are_there():
    a, b = Value(2.0), Value(3.0)
    c = a * b
    assert c._prev == {a, b}
    assert c._op == "*"
    assert c.grad == 0


def test_operations_of_ones_own_as_classes():
    names = {"Function": Function, "np": np, "Tuple": typing.Tuple}  # noqa: UP006 # as there
    for first, last in (("class Add(", "        return grad, grad"), ("class Mul(", "        return grad * y"), ("class Pow(", "        return grad * (self")):  # fmt: skip
        exec(block("002", first, last), names)
    a, b = Value(3.0), Value(4.0)
    out = names["Add"].apply(names["Mul"].apply(a, b), names["Pow"].apply(a, power=2.0))  # type: ignore[attr-defined]
    out.backward()
    assert (out.data, a.grad, b.grad) == (21, 10, 3)
    x = Value([1.0, 2.0])
    names["Pow"].apply(x, power=2.0).backward([1.0, 1.0])  # type: ignore[attr-defined]
    assert x.grad.tolist() == [2, 4]


def test_tensors_know_what_made_them(capsys):
    exec(block("002", "a = Tensor(3.0", 'print(f"d was created'), {"Tensor": Tensor})
    lines = capsys.readouterr().out.splitlines()
    assert [numbers(lines[0])[0], numbers(lines[2])[0]] == [12, 16]
    assert [lines[1].split()[-1], lines[3].split()[-1]] == ["Mul", "Add"]


def test_the_final_demonstration(capsys):
    source = block("002", "a = Tensor(3.0", 'print(f"dL/db', 1)
    assert printed(capsys, source, Tensor=Tensor) == [21, 10, 10, 3, 3]


def test_both_examples_of_the_minimal_engine(capsys):
    source = block("003", "a = Value(2.0)", 'print(f"y =')
    (path,) = SEEDS.glob("003_*.txt")
    said = re.findall(r"(?m)^# ([ey] = [^(✓\n]*)", path.read_text(encoding="utf-8"))
    assert printed(capsys, source, Value=Value) == numbers(" ".join(said))


def test_forward_and_reverse_mode():
    forward = exprgrad.parse("(a*b)*(b+1)").evaluate({"a": 2, "b": 3})
    assert (forward.value, forward.gradient) == (24, {"a": 12, "b": 14})
    text = "x*y + z*(x+y)"
    wanted = {"x": "y + z", "y": "x + z", "z": "x + y"}
    found = exprgrad.parse(text)
    assert all(exprgrad.check(text, formula, wrt=name).status == "correct" for name, formula in wanted.items())  # fmt: skip
    assert found.evaluate({"x": 1, "y": 2, "z": 3}).gradient == {"x": 5, "y": 4, "z": 3}


@pytest.mark.parametrize(
    ("problem", "claim", "wrt"),
    [
        ("f(g(x))", "f'(g(x))*g'(x)", "x"),
        ("f(x(t), y(t))", "∂f/∂x(x(t), y(t))*x'(t) + ∂f/∂y(x(t), y(t))*y'(t)", "t"),
        ("p + q*a[b + c*x]", "q*c*a'[b + c*x]", "x"),
    ],
)
def test_chain_rules_of_functions_that_are_not_defined(problem, claim, wrt):
    assert exprgrad.check(problem, claim, wrt=wrt).status == "correct"


def test_losses_follow_from_likelihoods():
    same = exprgrad.equivalent("nll_gaussian(m, y, 1)", "(y - m)^2/2 + ln(2*pi)/2")
    assert same.status == "equal"


def test_a_dead_relu_blocks_the_gradient():
    found = exprgrad.parse("relu(w*x + b)*c + d")
    point = {"w": -3, "x": 2, "b": 1, "c": 2, "d": 0.5}
    result = found.evaluate(point)
    assert result.value == 0.5
    assert result.gradient["w"] == result.gradient["c"] == 0


def test_the_trace_says_what_blocks_a_gradient():
    run = 'exprgrad eval "relu(w*x + b)*c + d" --at w=-3,x=2,b=1,c=2,d=0.5 --trace'
    assert "∂/∂w = 0 (through w*x; blocked: relu is 0 there)" in output_of(run)
    run = 'exprgrad eval "relu(w*x + b)*c + w" --at w=-3,x=2,b=1,c=2 --trace'
    assert "blocked" not in output_of(run).partition("∂/∂w =")[2].splitlines()[0]


def test_a_descent_names_both_conventions_of_momentum():
    out = output_of('exprgrad minimize "x^2" --start x=1 --method momentum')
    assert "v = m*v + g here" in out
    assert "(1 - m)*g" in out


def test_random_search_keeps_what_is_lower():
    first, second = (
        exprgrad.minimize("x^2 + 3*y^2", {"x": 1, "y": 2}, "random", rate=0.1)
        for _ in range(2)
    )
    values = [step.value for step in first]
    assert values == sorted(values, reverse=True)
    assert values == [step.value for step in second]
    assert first.result.kind == "minimum"
    inside = exprgrad.minimize("ln(x) + 1/x", {"x": 3}, "random", bounds={"x": (2, 5)})
    assert inside.result.variables["x"] == 2


def test_a_trace_names_left_and_right_of_an_operand_that_is_used_twice():
    out = output_of("exprgrad eval x/x --at x=3 --trace")
    assert "v2 (left)" in out
    assert "v2 (right)" in out
    assert "(left)" not in output_of('exprgrad eval "a*b+b" --at a=2,b=3 --trace')
