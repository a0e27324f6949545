"""The paths that carry a gradient: the largest, the sum of all, and what blocks the others."""

from __future__ import annotations

import json
import math
import random

import pytest

from exprgrad import ExprgradError, RangeError, Session, parse
from exprgrad.expressions.trace import Why, why
from exprgrad.sweeps.careful import pull_back_carefully
from exprgrad.views.layout import lines
from exprgrad.views.trace import paths_blocks


def explained(text: str, variable: str, most: int = 8, **at: float) -> Why:
    return why(parse(text, tuple(at)).evaluate(at), variable, lambda x: f"{x:g}", most)


def drawn(text: str, variable: str, width: int = 80, **at: float) -> list[str]:
    found = parse(text, tuple(at)).evaluate(at)
    blocks = paths_blocks(found, why(found, variable, lambda x: f"{x:g}"), 6)
    return ["".join(t for t, _ in line) for line in lines(blocks, width)]


def every_product(text: str, variable: str, **at: float) -> list[float]:
    """The products of all paths that carry something, one by one."""
    found = parse(text, tuple(at)).evaluate(at)
    tape = found.expression.tape
    _, edges, _ = pull_back_carefully(tape, found.primals, tape.active([variable]))
    products, open_paths = [], [(tape.root, 1.0)]
    while open_paths:
        place, product = open_paths.pop()
        if place == tape.variables[variable]:
            products.append(product)
        open_paths += [
            (e.target, product * e.partial)
            for e in edges
            if e.source == place and e.partial
        ]
    return products


def test_the_paths_of_a_product_and_a_logarithm():
    found = explained("x*y + ln(x)", "x", x=2, y=5)
    assert [path.product for path in found.paths] == [5, 0.5]
    assert [path.nodes for path in found.paths] == [("v5", "v3", "x"), ("v5", "v4", "x")]  # fmt: skip
    assert found.paths[0].partials == (1, 5)
    assert found.formulas == {"v5": "v3 + v4", "v4": "ln(x)", "v3": "x*y"}
    assert (found.number, found.rest, found.total) == (2, 0, 5.5)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("most", [1, 3, 40])
def test_the_largest_paths_and_the_rest_are_those_of_a_search(seed, most):
    rng = random.Random(seed)
    parts = ["x", "y", "(x*y)", "sin(x)", "relu(x - y)"]
    for _ in range(7):
        a, b = rng.choice(parts), rng.choice(parts)
        parts.append(rng.choice([f"({a} + {b})", f"({a}*{b})", f"cos({a})", f"({a} - 2*{b})"]))  # fmt: skip
    text, at = " + ".join(parts), {"x": rng.uniform(-2, 2), "y": rng.uniform(-2, 2)}
    own = sorted(every_product(text, "x", **at), key=abs, reverse=True)
    found = explained(text, "x", most, **at)
    assert found.number == len(own)
    shown = [path.product for path in found.paths]
    assert list(map(abs, shown)) == pytest.approx([abs(p) for p in own[:most]])
    whole = math.fsum(own)
    assert math.fsum([*shown, found.rest]) == pytest.approx(whole, rel=1e-12, abs=1e-12)
    assert found.total == pytest.approx(whole, rel=1e-12, abs=1e-12)
    assert all(math.prod(p.partials) == pytest.approx(p.product) for p in found.paths)


@pytest.mark.slow
def test_exponentially_many_paths_are_counted_and_summed():
    own = Session()
    own.run("x = 1; y0 = x")
    for i in range(200):
        own.run(f"y{i + 1} = y{i}*0.5 + y{i}*0.25;")
    (found,) = own.run(":why dy200/dx")
    assert found.why.number == 2**200
    assert found.why.paths[0].product == 0.5**200
    assert found.why.total == pytest.approx(0.75**200)


@pytest.mark.slow
def test_a_path_of_many_steps_is_found_without_recursion():
    found = explained("sin(" * 3000 + "x" + ")" * 3000, "x", x=1)
    assert (len(found.paths), len(found.paths[0].nodes), found.rest) == (1, 3001, 0)
    assert len(drawn("sin(" * 300 + "x" + ")" * 300, "x", x=1)) < 30


@pytest.mark.parametrize(
    ("text", "variable", "at", "said"),
    [
        ("relu(w*x + b)", "w", {"w": 2, "x": -3, "b": 1}, "relu(v5) is 0 there, v5 = w*x + b = -5"),
        ("max(x, y)", "x", {"x": 1, "y": 2}, "max(x, y) does not change with x there, x = 1, y = 2"),
        ("(x - 1)*y", "y", {"x": 1, "y": 2}, "v3*y does not change with y there, v3 = x - 1 = 0, y = 2"),
        ("if(x > 0, x, y)", "y", {"x": 1, "y": 2}, "if(v3, x, y) does not take y there, v3 = x > 0 = 1, x = 1, y = 2"),
        ("|x|", "x", {"x": 0}, "no rule holds for abs(x) there, x = 0"),
        ("cos(x)", "x", {"x": 0}, "cos(x) does not change with x there, x = 0"),
    ],
)  # fmt: skip
def test_what_blocks_a_gradient_is_said_with_the_values_there(text, variable, at, said):
    found = explained(text, variable, **at)
    assert found.paths == ()
    assert found.blocks == (said,)
    assert f"blocked: {said}".split() == " ".join(drawn(text, variable, **at)).split("note: ")[1].split()  # fmt: skip


def test_only_the_first_block_on_the_way_is_named():
    found = explained("relu(relu(x - 1) - 1)", "x", x=-1)
    assert found.blocks == ("relu(v4) is 0 there, v4 = relu(x - 1) - 1 = -1",)


def test_a_session_reads_the_ways_to_ask():
    own = Session()
    own.run("w = 2; x = 3; L = (w*x - 1)^2")
    asked = [
        ":why dL/dw",
        ":why ∂L/∂w",
        ":why L wrt w",
        ":why d/dw L",
        ":why d L / d w",
    ]
    found = [own.run(text)[0].why for text in asked]
    assert all(one.total == 30 for one in found)
    own.run("w^3")
    assert own.run(":why")[0].why.total == 12
    assert own.run(":why dL/dw at w=0")[0].why.total == -6
    for text, message in [
        (":why L", "choose a variable: w, x"),
        (":why dL/dq", "q"),
        (":why dM/dw", "there is no M"),
        (":why dL/d", "d"),
        (":why 3", "no variable"),
    ]:
        with pytest.raises(ExprgradError) as failure:
            own.run(text)
        assert message in failure.value.message


def test_the_command_line_shows_the_paths(capsys):
    from exprgrad.cli.start import run

    argv = ["eval", "relu(x*y - 5) + x*y", "--at", "x=1,y=2", "--why", "x"]
    assert run(argv) == 0
    out = capsys.readouterr().out
    assert "∂/∂x = 2: 1 path" in out
    assert "blocked: relu(v4) is 0 there, v4 = x*y - 5 = -3" in out
    assert run([*argv, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["why"]
    assert (found["count"], found["total"], found["rest"]) == (1, 2, 0)
    assert found["paths"][0]["nodes"] == ["v7", "v6", "x"]
    assert run([*argv[:-1], "z"]) == 2
    assert run([*argv, "--format", "csv"]) == 2


def test_a_narrow_screen_keeps_contributions_and_paths():
    shown = drawn("exp(x*y)*sin(x) + x^2*y", "x", width=40, x=1, y=2)
    assert max(map(len, shown)) <= 40
    assert sum("→" in line for line in shown) == 3


def test_what_only_double_precision_takes_for_0_is_said_not_to_be_0():
    text = "x + exp(-1000*x)"
    (block,) = explained(text, "x", x=1).blocks
    assert block.startswith(
        "the derivative of exp(v3) with respect to v3 is 0 in double"
    )
    assert "but 5.07596e-435, v3 = -1000*x = -1000" in block
    (block,) = explained("(1 - cos(x))/x^2", "x", x=1e-8).blocks
    assert "is 0 in double precision, but -5" in block


def test_no_rule_at_a_corner_is_not_said_to_be_no_derivative():
    told = " ".join(" ".join(drawn("max(x, x^2 - x + 1)", "x", x=1)).split())
    assert "no rule holds for max(x, v4) there" in told
    assert "the paths alone give 0" in told


def test_paths_of_a_derivative_beyond_doubles_are_refused():
    with pytest.raises(RangeError, match="no paths to show"):
        explained("exp(-1000*x)", "x", x=1)
