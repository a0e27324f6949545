"""What five tutorials show, done here: their code runs with nothing but its imports changed, and gives their numbers.

The texts are read from `../shared/seeds`; without that folder there is nothing to test.
"""

from __future__ import annotations

import json
import random
import re
import textwrap
import typing
from pathlib import Path

import numpy as np
import pytest

import exprgrad
from exprgrad import Function, Tensor, Value
from tests.drawn_sessions import plain
from tests.readme import output_of
from tests.strategies import restored

SEEDS = Path(__file__).resolve().parents[3] / "shared" / "seeds"

ROWS: dict[int, list[str]] = {}
"""The tests that show each row of the table in `../shared/SEEDS.md`, counted from 1."""


def row(*numbers: int):
    """Mark a test as one that shows these rows."""

    def marked(test):
        for number in numbers:
            ROWS.setdefault(number, []).append(test.__name__)
        return test

    return marked


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


@row(15)
def test_the_engine_is_verified_as_there(capsys):
    source = block("001", "a = Value(2.0)", "print(c.grad)")
    assert printed(capsys, source, Value=Value) == expected(source) == [42, 28, 14]


@row(7)
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


@pytest.mark.slow
@row(16, 18)
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


@row(22)
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


@row(21, 23)
def test_tensors_know_what_made_them(capsys):
    exec(block("002", "a = Tensor(3.0", 'print(f"d was created'), {"Tensor": Tensor})
    lines = capsys.readouterr().out.splitlines()
    assert [numbers(lines[0])[0], numbers(lines[2])[0]] == [12, 16]
    assert [lines[1].split()[-1], lines[3].split()[-1]] == ["Mul", "Add"]


@row(26)
def test_the_final_demonstration(capsys):
    source = block("002", "a = Tensor(3.0", 'print(f"dL/db', 1)
    assert printed(capsys, source, Tensor=Tensor) == [21, 10, 10, 3, 3]


@row(44)
def test_both_examples_of_the_minimal_engine(capsys):
    source = block("003", "a = Value(2.0)", 'print(f"y =')
    (path,) = SEEDS.glob("003_*.txt")
    said = re.findall(r"(?m)^# ([ey] = [^(✓\n]*)", path.read_text(encoding="utf-8"))
    assert printed(capsys, source, Value=Value) == numbers(" ".join(said))


@row(36)
def test_forward_and_reverse_mode():
    forward = exprgrad.parse("(a*b)*(b+1)").evaluate({"a": 2, "b": 3})
    assert (forward.value, forward.gradient) == (24, {"a": 12, "b": 14})
    text = "x*y + z*(x+y)"
    wanted = {"x": "y + z", "y": "x + z", "z": "x + y"}
    found = exprgrad.parse(text)
    assert all(exprgrad.check(text, formula, wrt=name).status == "correct" for name, formula in wanted.items())  # fmt: skip
    assert found.evaluate({"x": 1, "y": 2, "z": 3}).gradient == {"x": 5, "y": 4, "z": 3}


@row(6, 32, 34)
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


@row(38)
def test_losses_follow_from_likelihoods():
    same = exprgrad.equivalent("nll_gaussian(m, y, 1)", "(y - m)^2/2 + ln(2*pi)/2")
    assert same.status == "equal"


def test_a_dead_relu_blocks_the_gradient():
    found = exprgrad.parse("relu(w*x + b)*c + d")
    point = {"w": -3, "x": 2, "b": 1, "c": 2, "d": 0.5}
    result = found.evaluate(point)
    assert result.value == 0.5
    assert result.gradient["w"] == result.gradient["c"] == 0


@row(44)
def test_the_trace_says_what_blocks_a_gradient():
    run = 'exprgrad eval "relu(w*x + b)*c + d" --at w=-3,x=2,b=1,c=2,d=0.5 --trace'
    assert "∂/∂w = 0 (through w*x; blocked: relu is 0 there)" in output_of(run)
    run = 'exprgrad eval "relu(w*x + b)*c + w" --at w=-3,x=2,b=1,c=2 --trace'
    assert "blocked" not in output_of(run).partition("∂/∂w =")[2].splitlines()[0]


@row(41)
def test_a_descent_names_both_conventions_of_momentum():
    out = output_of('exprgrad minimize "x^2" --start x=1 --method momentum')
    assert "v = m*v + g here" in out
    assert "(1 - m)*g" in out


@row(28)
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


@pytest.mark.slow
def test_the_engine_of_the_tutorial_and_this_one_train_alike():
    theirs: dict[str, object] = {}
    exec(block("001", "class Value:", "        return f", occurrence=1), theirs)
    source = block("001", "import random", "Training Loop").removesuffix("Training Loop")  # fmt: skip
    loop = block("001", "X = [[0,0]", "        print(f")
    losses = []
    for kind in (Value, theirs["Value"]):
        random.seed(1)
        names = {"Value": kind, "print": print}
        exec(source, names)
        said: list[str] = []
        names["print"] = said.append
        exec(loop, names)
        losses.append(said)
    assert losses[0] == losses[1]


@pytest.mark.parametrize("document", ["001", "003"])
def test_the_engines_of_the_tutorials_give_the_same_gradients(document):
    theirs: dict[str, object] = {}
    last = "        return f" if document == "001" else "    def __repr__"
    exec(block(document, "class Value:", last, occurrence=document == "001"), theirs)
    found = []
    for kind in (Value, theirs["Value"]):
        a, b = kind(2.0), kind(3.0)
        e = (a * b) * (b + 1) + (a * -2).relu()
        e.backward()
        found.append((e.data, a.grad, b.grad))
    assert found[0] == found[1] == (24, 12, 14)


@row(14)
def test_the_walk_in_topological_order_runs_on_nodes_of_this_engine():
    names: dict[str, object] = {}
    exec(block("001", "def backward(self)", "        node._backward()"), names)
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    names["backward"]((a * b + c) ** 2)  # type: ignore[operator] # a function
    assert (a.grad, b.grad, c.grad) == (42, 28, 14)
    x = Value([1.0, 2.0])
    y = (x * x).sum()
    y.grad = 1.0
    for item in reversed([x, *y.operands, y]):
        item._backward()
    assert x.grad.tolist() == [2, 4]


def test_errors_name_the_class_that_people_know():
    for item in (Value(2.0), Value(2.0) * 3):
        with pytest.raises(AttributeError, match="'Value' object has no attribute 'gard'"):  # fmt: skip
            item.gard  # noqa: B018 # it is asked for
    assert Value(2.0, requires_grad=True).requires_grad
    with pytest.raises(exprgrad.ExprgradError, match="takes a gradient"):
        Value(2.0, requires_grad=False)


@row(12, 14, 37)
def test_the_trace_says_why_contributions_add_why_in_this_order_and_why_once():
    out = output_of('exprgrad eval "(a*b)*(b+1)" --at a=2,b=3 --trace')
    out = re.sub(r"\s+", " ", out)
    assert "why the sum: b + 0.001 → v4 + 0.001 → v5 + 0.006 and v3 + 0.002 → v5 + 0.008: together 0.014" in out  # fmt: skip
    assert "why this order: an adjoint is complete after all that uses its node" in out
    assert "it crosses each of 5 edges once and gives a row of the Jacobian; forward mode takes 2 sweeps" in out  # fmt: skip


@row(35, 37)
def test_the_forward_table_names_the_seed_and_what_it_does_not_reach():
    run = 'exprgrad eval "(a*b)*(b+1)" --mode forward --wrt a --at a=2,b=3 --trace'
    out = output_of(run)
    for row in (
        r"a +2 +1 +variable, seed 1",
        r"b +3 +0 +variable, held",
        r"v4 .* 4 +0 +sum, no path from a",
        r"v5 .* 24 +12 +product",
    ):
        assert re.search(row, out), row
    assert "a column of the Jacobian" in re.sub(r"\s+", " ", out)


@pytest.mark.slow
def test_the_trace_of_a_network_shows_stages_and_its_nodes_on_demand():
    leaves = [Value(i / 10 - 0.4) for i in range(20)]
    layer = [Value(0.3), Value(-0.7), Value(0.5)]
    for _ in range(3):
        layer = [sum((w * x for w, x in zip(leaves[i:], layer, strict=False)), Value(0.1)).tanh() for i in range(6)]  # fmt: skip
    loss = sum((x - 1) ** 2 for x in layer)
    found = loss.trace()
    text = str(found)
    assert "nodes are folded into" in text
    assert "trace(depth=0)" in text
    assert re.search(r"stage\d+\(\w+, \w+, \w+, \d+ more\)", text)
    whole = str(loss.trace(depth=0))
    assert 3 * len(text.splitlines()) < len(whole.splitlines())
    assert "stage" not in whole
    assert all(f"\n{step.name} " in whole for step in found.forward)
    assert len(str(loss.trace(depth=2))) < len(text)


def test_a_trace_is_a_table_for_programs():
    run = 'exprgrad eval "(a*b)*(b+1)" --at a=2,b=3 --trace --format csv'
    header, *rows = output_of(run).splitlines()
    assert header == "sweep,node,formula,rule,value,from,partial,adjoint,contribution,total"  # fmt: skip
    assert rows[2] == "forward,v3,v1*v2,product,6,,,,,"
    assert rows[-1] == "reverse,v2,v1,product,,v3,2,4,8,14"


@pytest.mark.slow
@row(4, 5)
def test_the_methods_are_compared_and_expression_swell_is_a_curve(tmp_path):
    deep = "sin(x*exp(sin(x*exp(sin(x*exp(x))))))"
    found = exprgrad.compare(deep, {"x": 0.5})
    assert {m.name for m in found.methods} >= {"central difference", "symbolic", "reverse mode"}  # fmt: skip
    from exprgrad.expressions.comparison import growth

    levels = growth(deep, "x")
    assert [level for level, _, _ in levels] == sorted(level for level, _, _ in levels)
    assert levels[-1][2] / levels[-1][1] > levels[0][2] / levels[0][1]
    file = tmp_path / "swell.svg"
    output_of(f'exprgrad compare "{deep}" --at x=0.5 --no-times --plot {file}')
    assert "the expression" in file.read_text(encoding="utf-8")


@pytest.mark.slow
@row(42)
def test_a_descent_is_drawn_on_contours_with_heights_as_a_file(tmp_path):
    file = tmp_path / "path.svg"
    output_of(f'exprgrad minimize "x^2+3*y^2" --start x=-2,y=2 --method gd --rate 0.1 --plot {file}')  # fmt: skip
    drawn = file.read_text(encoding="utf-8")
    assert ">start</text>" in drawn
    (way,) = re.findall(r'class="tangent" d="([^"]*)"', drawn)
    assert way.count("L") > 3
    assert re.search(r'class="slope height"[^>]*>[0-9.]+</text>', drawn)
    other = tmp_path / "session.svg"
    exprgrad.Session().run(f":minimize x^2+3*y^2 start x=-2,y=2 output {other}")
    assert other.exists()


@pytest.mark.slow
@row(30)
def test_arrows_of_a_gradient_point_as_the_gradient_does(tmp_path):
    file = tmp_path / "compass.svg"
    output_of(f'exprgrad plot "x^2+3*y^2" --x=-3:3 --y=-1:1 -o {file}')
    drawn = file.read_text(encoding="utf-8")
    lines = re.findall(r'class="arrow" x1="([^"]*)" y1="([^"]*)" x2="([^"]*)" y2="([^"]*)"', drawn)  # fmt: skip
    for a, b, c, d in (map(float, own) for own in lines):
        x, y = (a - 64) / 100 - 3, 1 - (b - 40) / 100
        slope = (b - d) / (c - a) if abs(c - a) > 2 else None
        if slope is not None:
            assert slope == pytest.approx(3 * y / x, rel=0.2, abs=0.05)


def trained(seed: int) -> object:
    """The network of the tutorial after its loop, from these random weights."""
    random.seed(seed)
    names: dict[str, object] = {"Value": Value, "print": lambda said: None}
    model = block("001", "import random", "Training Loop")
    exec(model.removesuffix("Training Loop"), names)
    exec(block("001", "X = [[0,0]", "        print(f"), names)
    return names["model"]


def test_a_network_of_which_all_units_are_dead_says_so():
    dead = exprgrad.dead_units(trained(4))
    assert len(dead) == 9
    assert dead[0] == "layers[0].neurons[0]"
    assert dead[-1] == "layers[2].neurons[0]"


@row(17)
def test_a_network_is_drawn_by_its_layers():
    found = exprgrad.network(trained(4), [0.0, 1.0])
    assert list(map(len, found.units)) == [2, 4, 4, 1]
    assert found.units[0] == (0, 1)
    drawn = found.svg()
    assert drawn.count("<circle") == 11
    assert drawn.count("<line") == 2 * 4 + 4 * 4 + 4
    assert 'class="idle"' in drawn
    with pytest.raises(exprgrad.ExprgradError, match="layers of units"):
        exprgrad.network([1, 2], [0.0])


@pytest.mark.slow
def test_functions_that_are_not_defined_are_differentiated_in_latex_and_in_python():
    tex = r"\frac{d}{dx} f(g(x))"
    assert "f'(g(x))*g'(x)" in output_of(f"exprgrad diff '{tex}'")
    assert exprgrad.ask(rf"{tex} = f'(g(x)) g'(x)").status == "correct"
    assert exprgrad.ask(rf"{tex} = f'(g(x))").status == "incorrect"
    found = exprgrad.parse("f(g(x))")
    assert str(found.derivative("x")) == "f'(g(x))*g'(x)"
    with pytest.raises(exprgrad.ExprgradError, match="is not defined"):
        found(x=2)
    assert exprgrad.parse("f(x+1)", ("f", "x"))(f=2, x=3) == 8


@pytest.mark.slow
def test_a_call_without_a_question_is_asked_about_and_a_letter_before_brackets_noted():
    assert "f is not defined" in output_of('exprgrad "f(x+1)"')
    assert "f'(x + 1)" in output_of('exprgrad "d/dx f(x+1)"')
    out = output_of('exprgrad diff "a(x-h)^2 + k" --wrt x')
    assert "note: a(x-h) is read as a product" in out
    assert "2*a*(x - h)" in out


def test_a_claim_about_such_a_function_in_a_document_is_judged(tmp_path):
    file = tmp_path / "notes.md"
    file.write_text(r"Then $\frac{d}{dx} (f(x) g(x)) = f'(x) g'(x)$.", encoding="utf-8")
    assert json.loads(output_of(f"exprgrad audit {file} --format json"))["wrong"] == 1


def test_a_second_derivative_in_a_session_is_headed_as_one():
    assert "\nd^2/dx^2 = 6*x" in plain(["d/dx x^3"])
    assert "\nd^3/dx^3 = 24*x" in plain(["d^2/dx^2 x^4"])


@pytest.mark.slow
@row(31)
def test_relu_is_drawn_over_its_own_variable(tmp_path):
    for typed in ("--z=-2:2", "--x=-2:2", "--range z=-2:2"):
        out = output_of(f'exprgrad plot "relu(z)" {typed}')
        assert "corner at z = 0, slopes 0 and 1" in out
    (found,) = exprgrad.Session().run(":plot relu(z) --z=-2:2")
    assert found.as_dict()["window"]["left"] == -2
    file = tmp_path / "field.svg"
    output_of(f'exprgrad plot "a*b" --a=-1:1 --b=0:3 -o {file}')
    assert "across a, up b" in file.read_text(encoding="utf-8")
    assert "no variable q is drawn" in output_of('exprgrad plot "relu(z)" --q=-2:2')
    assert "write --z=-2:2" in output_of('exprgrad plot "relu(z)" --z -2:2')
    assert "did you mean --tangent?" in output_of('exprgrad plot "relu(z)" --tangnt=1')


@pytest.mark.slow
@row(40, 43)
def test_descents_in_batches_and_without_a_convex_valley():
    data = {"x": [0.0, 1, 2, 3], "y": [1.0, 3, 5, 7]}
    for more in ({}, {"method": "adam", "batch": 2, "rate": 0.05, "steps": 2000}):
        fitted = exprgrad.fit("y ~ a*x + b", data, {"a": 0, "b": 0}, **more)
        assert round(fitted.parameters["a"].value, 2) == 2
    assert exprgrad.minimize("x^2 - y^2", {"x": 0, "y": 0}).result.kind == "saddle"
    assert exprgrad.minimize("x^2", {"x": 1}).result.kind == "minimum"


@row(1, 9)
def test_an_expression_is_a_graph_of_nodes_with_value_operands_operation_and_gradient():
    x1, x2 = Value(2.0), Value(5.0)
    y = x1.log() + x1 * x2
    y.backward()
    assert (y.operation.name, [item.operation.name for item in y.operands]) == ("add", ["ln", "mul"])  # fmt: skip
    assert (x1.data, x1.grad, x2.grad, x1.operands) == (2, 5.5, 2, ())
    assert [step.rule for step in y.trace().forward][2:] == ["ln", "product", "sum"]


@row(2)
def test_the_reverse_sweep_begins_with_1_and_adds_up():
    out = output_of('exprgrad eval "ln(x1) + x1*x2" --at x1=2,x2=5 --trace')
    assert re.search(r"v5 +seed +1\n", out)
    assert re.search(r"sum +5 \+ 0.5 +5.5\n", out)
    found = exprgrad.Session().run(":walk ln(x1) + x1*x2 at x1=2, x2=5")
    assert "step 1 of" in str(found[0].blocks())


@pytest.mark.slow
@row(3)
def test_a_page_shows_both_sweeps_in_two_colours(tmp_path):
    page = tmp_path / "walk.html"
    output_of(f'exprgrad graph "(a*b+c)^2" --at a=2,b=3,c=1 -o {page}')
    written = page.read_text(encoding="utf-8")
    for part in ('class="head back"', 'class="tab"', "ArrowRight", "prefers-reduced-motion"):  # fmt: skip
        assert part in written


@row(8)
def test_a_graph_is_written_for_mermaid():
    out = output_of('exprgrad graph "(a*b+b)*2" --at a=2,b=3 --format mermaid')
    assert out.startswith("flowchart LR")
    assert out.count("-->") == 5


@row(10)
def test_nodes_are_made_of_children_with_a_closure():
    names: dict[str, typing.Any] = {"Value": Value}
    for head in ("__add__", "__mul__", "__pow__", "relu"):
        exec(block("001", f"def {head}(self", "    return out"), names)
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    inner = names["__add__"](names["__mul__"](a, b), c)
    root = names["relu"](names["__pow__"](inner, 2))
    assert (root._op, inner._prev, root.data) == ("ReLU", {inner.operands[0], c}, 49)
    root.backward()
    assert (a.grad, b.grad, c.grad) == (42, 28, 14)
    names["__add__"](a, a).backward()
    assert a.grad == 44
    with pytest.raises(exprgrad.ExprgradError, match="_children"):
        (a * b)._backward = lambda: None


@row(11)
def test_a_node_shows_its_data_and_its_gradient():
    root = Value(7.0) ** 2
    root.backward()
    assert repr(root) == "Value(data=49, grad=1, operation='pow')"


@row(13)
def test_operators_and_their_reversed_variants_give_what_they_give_for_numbers():
    names: dict[str, typing.Any] = {}
    wrappers = block("001", "def __neg__(self):", "def __rsub__(self")
    exec(wrappers, names)
    for x in (Value(3.0), -0.5):
        found = names["__neg__"](x), names["__sub__"](x, 2), names["__truediv__"](x, 4), names["__radd__"](x, 2), names["__rmul__"](x, 2)  # fmt: skip
        data = x.data if isinstance(x, Value) else x
        assert [getattr(v, "data", v) for v in found] == [-data, data - 2, data / 4, data + 2, data * 2]  # fmt: skip
    x = Value(3.0)
    assert [v.data for v in (2 - x, 2 / x, 2**x, x**2, x.relu())] == [-1, 2 / 3, 8, 9, 3]  # fmt: skip


@row(19)
def test_what_pytorch_calls_them():
    a, b = Value(2.0, requires_grad=True), Value(3.0)
    root = a * b
    root.backward()
    assert (root.grad_fn.name, a.requires_grad, root.item()) == ("mul", True, 6)
    exprgrad.zero_grad([a, b])
    assert (a.grad, b.grad) == (0, 0)
    assert "t.grad_fn.next_functions" in output_of("exprgrad help tutorial")


@row(20)
def test_pitfalls_are_shown_or_caught():
    a = Value(2.0)
    root = a * a
    root.backward()
    root.backward()
    assert a.grad == 8
    a.data = 3.0
    with pytest.raises(exprgrad.ExprgradError, match="changed after the graph was built"):  # fmt: skip
        root.backward()


@row(24, 25)
def test_arrays_are_broadcast_and_swept_from_a_gradient():
    w, x = Value([[1.0, 2.0], [3.0, 4.0]]), Value([10.0, 20.0])
    (w * x).backward([[1.0, 1.0], [1.0, 2.0]])
    assert x.grad.tolist() == [4, 10]
    assert w.grad.tolist() == [[10, 20], [10, 40]]


@row(27)
def test_a_parabola_is_fitted():
    xs = [-2.0, -1, 0, 1, 2, 3]
    data = {"x": xs, "y": [2 * x**2 - 3 * x + 1 for x in xs]}
    found = exprgrad.fit("y ~ a*x^2 + b*x + c", data, {"a": 1, "b": 1, "c": 1})
    assert [round(p.value, 6) for p in found.parameters.values()] == [2, -3, 1]
    assert exprgrad.parse("mse([1,2,3], [1,2,6])")() == 3


@row(29)
def test_a_derivative_is_the_limit_of_difference_quotients():
    out = output_of('exprgrad compare "x^2" --at x=3 --no-times')
    assert "central difference" in out
    assert exprgrad.gradcheck(exprgrad.parse("x^2*sin(x)"), {"x": 1.5}).agrees
    from exprgrad.pictures.walk import walk_page

    page = walk_page(exprgrad.parse("x^2").evaluate({"x": 3}))
    assert "Numeric check: nudge the input by h" in page


@pytest.mark.slow
@row(33)
def test_a_network_is_drawn_at_the_command_line(tmp_path):
    at = "x=[0.5,-1,2],W1=[[1,2,3,-9],[0,1,0,1],[1,0,0,-1]],b1=[0,0,0,0],W2=[[1,2],[3,4],[5,6],[7,8]]"
    run = f'exprgrad graph "relu(x @ W1 + b1) @ W2" --at "{at}"'
    for end in (".svg", ".png", ".json"):
        output_of(f"{run} -o {tmp_path / 'network'}{end}")
        assert (tmp_path / f"network{end}").stat().st_size > 500
    found = json.loads(output_of(f"{run} --format json"))
    assert list(map(len, found["units"])) == [3, 4, 2]
    assert found["units"][1] == [2.5, 0, 1.5, 0]
    assert re.search(r"h2 +0 +2, 1, 0\n", output_of(run))
    assert "no numbers" in output_of('exprgrad graph "x*y" --at "x=[1,2],y=2"')


@row(39)
def test_a_descent_takes_steps_of_a_rate():
    found = exprgrad.minimize("x^2", {"x": 1}, "gd", rate=0.25, steps=3)
    assert [step.variables["x"] for step in found][:3] == [1, 0.5, 0.25]


@row(45)
def test_a_pair_of_functions_is_an_operation_in_sessions_too():
    import math

    sine = exprgrad.operation(math.sin, math.cos)
    x = Value(1.0)
    sine(sine(x)).backward()
    assert x.grad == pytest.approx(math.cos(math.sin(1)) * math.cos(1))
    session = exprgrad.Session()
    with restored("swish"):
        session.run(":operation swish(x) = x*sigmoid(x), sigmoid(x) + swish*(1 - sigmoid(x))")  # fmt: skip
        for line in ("swish(2)*2", ":trace swish(x) at x=2", ":why swish(x)*x at x=2 wrt x", ":graph swish(x) at x=2"):  # fmt: skip
            (found,) = session.run(line)
            assert "swish" in str(found.as_dict())


@row(46)
def test_a_graph_of_micrograd_is_drawn():
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    root = (a * b).tanh()
    root.label = "L"
    drawn, todo = set(), [root]
    while todo:
        node = todo.pop()
        drawn.add(f"{node.label} | data {node.data:.4f} | grad {node.grad:.4f} | {node._op}")  # fmt: skip
        todo += node._prev
    assert {line[:1] for line in drawn} == {"a", "b", "L", " "}


def test_every_row_of_the_table_is_shown_by_a_test():
    lines = (SEEDS.parent / "SEEDS.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if re.match(r"\| (0|Karpathy)", line)]
    assert sorted(ROWS) == list(range(1, len(table) + 1))


BLOCKS = [
    *(("001", *ends) for ends in (
        ("class Value:", "        return f", 0), ("def __add__(self", "    return out", 0), ("def __mul__(self", "    return out", 0),
        ("def __pow__(self", "    return out", 0), ("def relu(self", "    return out", 0), ("def __neg__(self):", "def __rsub__", 0),
        ("def backward(self)", "        node._backward()", 0), ("class Value:", "        return f", 1), ("import random", "        return [p for layer in self", 0),
    )),
    *(("002", *ends) for ends in (
        ("class Function:", "        return Tensor(", 0), ("class Tensor:", "        self.grad:", 0), ("class Add(", "        return grad, grad", 0),
        ("class Mul(", "        return grad * y", 0), ("class Pow(", "        return grad * (self", 0), ("    def __add__(self, other):", "        return Pow.apply", 0),
        ("def backward(self, grad", "                    p.grad += p_g", 0),
    )),
    ("003", "class Value:", "    def __repr__", 0),
]  # fmt: skip
"""What the documents define; what they run is in the tests above."""


@pytest.mark.parametrize("place", BLOCKS)
def test_every_definition_of_the_documents_runs(place):
    names = {"Value": Value, "Function": Function, "Tensor": Tensor, "np": np}
    names |= {name: getattr(typing, name) for name in ("Any", "List", "Optional", "Tuple", "Union")}  # fmt: skip
    known = set(names)
    exec(textwrap.dedent(block(*place)), names)
    assert set(names) - known - {"__builtins__"} or "class" in place[1]
