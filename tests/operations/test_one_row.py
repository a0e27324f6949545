"""Adding an operation is one row: the manual's, in a copy of the package, through every command."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import exprgrad
from exprgrad.cli.start import run as main
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import ABS, cos, eq, ln, sign, sin
from tests.strategies import declared

PACKAGE = Path(exprgrad.__file__).resolve().parent
PAGE = (PACKAGE / "manual" / "adding.md").read_text(encoding="utf-8")
ROW = re.search(r"```python\n(\w+ = Operation\(.*?)```", PAGE, re.DOTALL)[1]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package with the row at the end of its table."""
    place = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, place / "exprgrad", ignore=ignored)
    if (PACKAGE.parent / "grammars").exists():
        shutil.copytree(PACKAGE.parent / "grammars", place / "grammars")
    with (place / "exprgrad/operations/table.py").open("a", encoding="utf-8") as table:
        table.write(ROW)
    return place


def python(copy: Path, *arguments: str, code: int = 0) -> str:
    """What a fresh process with the copy prints."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(copy)}
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        cwd=copy,
        env=environment | {"PYTHONUTF8": "1", "COLUMNS": "100"},
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == code, done.stderr + done.stdout
    assert done.stderr == ""
    return done.stdout


def exprgrad_command(copy: Path, *arguments: str, code: int = 0) -> str:
    return python(copy, "-m", "exprgrad", *arguments, code=code)


def swish(x: float) -> float:
    return x / (1 + math.exp(-x))


def slope(x: float) -> float:
    s = 1 / (1 + math.exp(-x))
    return s + swish(x) * (1 - s)


@pytest.mark.slow
def test_eval_gives_its_value_and_slope(copy):
    out = exprgrad_command(copy, "eval", "swish(x)*y", "--at", "x=1.5,y=2", "--format", "json")  # fmt: skip
    found = json.loads(out)
    assert found["value"] == pytest.approx(2 * swish(1.5), rel=1e-15)
    assert found["gradient"]["x"] == pytest.approx(2 * slope(1.5), rel=1e-15)
    assert "swish" in exprgrad_command(
        copy, "eval", "swish(x)", "--at", "x=1", "--trace"
    )


@pytest.mark.slow
def test_diff_writes_its_derivative_in_every_notation(copy):
    assert "swish(x)" in exprgrad_command(copy, "diff", "swish(x)")
    assert "swish" in exprgrad_command(copy, "diff", "swish(x^2)", "--steps")
    latex = exprgrad_command(copy, "diff", "swish(x)", "--format", "latex")
    assert r"\operatorname{swish}(x)" in latex
    code = exprgrad_command(copy, "diff", "swish(x)", "--format", "python")
    names: dict = {}
    exec(code, names)
    assert names["d_x"](1.5) == pytest.approx(slope(1.5), rel=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "code", "verdict"),
    [
        ("swish(x) + sigmoid(x)*(1 - swish(x))", 0, "correct"),
        ("sigmoid(x) + x*sigmoid(x)*sigmoid(-x)", 0, "correct"),
        ("swish(x)*(1 - swish(x))", 1, "incorrect"),
    ],
)
def test_check_decides_about_claims(copy, claim, code, verdict):
    out = exprgrad_command(copy, "check", "swish(x)", claim, "--format", "json", code=code)  # fmt: skip
    assert json.loads(out)["status"] == verdict


@pytest.mark.slow
def test_same_and_compare_know_it(copy):
    out = exprgrad_command(copy, "same", "swish(x)", "x*sigmoid(x)")
    assert "equal" in out
    out = exprgrad_command(copy, "same", "swish(x)", "x*tanh(x)", code=1)
    assert "different" in out
    rows = json.loads(exprgrad_command(copy, "compare", "swish(x)", "--at", "x=1.5", "--format", "json"))  # fmt: skip
    assert "reverse mode" in json.dumps(rows)
    assert f"{slope(1.5):.10g}"[:10] in json.dumps(rows)


@pytest.mark.slow
def test_batch_computes_it_for_a_table(copy):
    (copy / "points.csv").write_text("x\n-1\n0\n2.5\n", encoding="utf-8")
    out = exprgrad_command(copy, "batch", "swish(x)", "--data", "points.csv")
    values = [line.split(",") for line in out.strip().splitlines()[1:]]
    assert [float(v[1]) for v in values] == pytest.approx([swish(x) for x in (-1, 0, 2.5)])  # fmt: skip


@pytest.mark.slow
def test_help_lists_it(copy):
    assert "swish(x) + sigmoid(x)*(1 - swish(x))" in exprgrad_command(copy, "ops", "swish")  # fmt: skip


PROGRAM = """
import numpy as np
import exprgrad
from exprgrad.notation.latex import latex
from exprgrad.operations.table import SWISH

f = exprgrad.parse("3*swish(x) + swish(y)^2")
compiled = f.compile()
at = {"x": 1.5, "y": -0.5}
found = f.evaluate(at)
assert np.allclose(compiled(1.5, -0.5)[1], list(found.gradient.values()), rtol=1e-14)
rows = compiled.arrays(np.array([1.5, 2.0]), np.array([-0.5, 0.5]))
assert np.allclose(rows.gradient[:, 0], list(found.gradient.values()), rtol=1e-13)
assert exprgrad.gradcheck(f, at).agrees
assert np.allclose(exprgrad.parse("sum(swish(v))").evaluate({"v": np.ones(3)}).value, 3 * SWISH(1.0))
assert np.allclose(exprgrad.derivatives(exprgrad.parse("swish(x)"), {"x": 0.0}, "x", 3), [0, 0.5, 0.5, 0])
assert np.isclose(f.hessian(at)["x"]["x"], 3 * exprgrad.derivatives(exprgrad.parse("swish(x)"), {"x": 1.5}, "x", 2)[2])
assert exprgrad.equivalent("swish(-x)", "-x*(1 - sigmoid(x))").status == "equal"
x = exprgrad.Value(1.5)
x.swish().backward()
assert x.grad == exprgrad.parse("swish(x)").gradient({"x": 1.5})["x"]
assert np.isclose(exprgrad.swish(1.5), SWISH(1.5))
print(latex(f.root), exprgrad.minimize("swish(x)", start={"x": -1}).result.variables["x"])
"""


@pytest.mark.slow
def test_compiled_code_arrays_and_orders_know_it(copy):
    out = python(copy, "-c", PROGRAM)
    text, _, least = out.strip().rpartition(" ")
    assert text == r"3 \operatorname{swish}(x) + \operatorname{swish}(y)^{2}"
    assert float(least) == pytest.approx(-1.2784645, rel=1e-5)


# What a row lacks is said when it is declared


FIELDS = {"formula": lambda x: sin(x) + x, "arb": "sin"}


@pytest.mark.parametrize(
    ("arguments", "fields", "problem"),
    [
        ((3, 1), FIELDS, "the kernel is not a function"),
        ((math.sin,), FIELDS, "there is no local partial"),
        ((math.sin, "cos(x)"), FIELDS, "local partial 1 is neither a number nor a function"),
        ((math.sin, lambda x: cos(x)), FIELDS, "local partial 1 does not run"),
        ((math.sin, lambda y, x: math.cos(x)), FIELDS, "must be real number"),
        ((math.sin, lambda y, x: x if x > 0 else y), FIELDS, "write and_"),
        ((math.sin, lambda y, x: cos(x)), FIELDS | {"domain": lambda x: 0 < x < 1}, "a condition .* write and_"),
        ((math.sin, lambda y, x: cos(x)), FIELDS | {"domain": 3}, "."),
        ((math.sin, lambda y, x: cos(x)), FIELDS | {"corner": True}, "the corner is not a function"),
        ((math.sin, lambda y, x: cos(x)), FIELDS | {"formula": lambda x, y: x}, "the formula does not run"),
        ((lambda x, y: x, lambda y, x: cos(x)), FIELDS, "the kernel should take 1 arguments"),
        ((lambda x, y: x, 1, 0), {"parity": 1, "formula": lambda x, y: x}, "a parity"),
        ((lambda x: float(str(x)), 1), {}, "arb="),
        ((lambda x: float(str(x)), 1), {"arb": "sin"}, "Python"),
        ((math.sin, 1), FIELDS | {"slopes": {1: math.cos}}, "slopes"),
        ((math.sin, lambda y, x: cos(x)), FIELDS | {"edges": (1,)}, "an edge is not a function"),
    ],
)  # fmt: skip
def test_a_row_that_lacks_something_is_refused(arguments, fields, problem):
    with pytest.raises(TypeError, match=problem), declared("odd", *arguments, **fields):
        pytest.fail("it was declared")


def test_a_refused_row_leaves_nothing_behind():
    with pytest.raises(TypeError, match="the row 'odd'"):
        Operation("odd", math.sin)
    with pytest.raises(AttributeError, match="no 'odd'"):
        exprgrad.odd  # noqa: B018 # for its error


@pytest.mark.parametrize(
    "kernel",
    [
        lambda x: x * exprgrad.operations.kernels.sigmoid(x),
        lambda x: x / (1 + math.exp(-x)),
        lambda x: math.tanh(x / 2) * x / 2 + x / 2,
    ],
)
def test_a_kernel_made_of_other_kernels_is_the_formula(kernel):
    with declared("swish", kernel, lambda y, x: y + (1 - y) * sin(x)):
        assert exprgrad.equivalent("swish(x)", "x*sigmoid(x)").status == "equal"


def test_the_list_names_the_argument_of_a_rule_where_the_first_has_none(capsys):
    with declared("lasting", lambda n, x: n * 0 + x, None, lambda y, n, x: 1):
        assert main(["ops", "lasting", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["operations"]
    assert row["partial derivatives"] == "∂y: 1"


def test_a_kernel_of_another_row_is_that_row():
    with declared("tamed", math.tanh, lambda y, x: 1 - y * y):
        assert exprgrad.check("tamed(x)", "1 - tanh(x)^2").status == "correct"
        assert exprgrad.parse("tamed(x) - x").evaluate({"x": 0.001}).cancelled


def by_signs(x: float) -> float:
    """The signs of arithmetic, plain numbers at their left."""
    return (2**x - 1 / (3 - -x)) * ABS(x)


def slope_by_signs(y: float, x: float) -> float:
    inner = ln(2) * 2**x + 1 / (3 + x) ** 2
    return inner * ABS(x) + (2**x - 1 / (3 + x)) * sign(x)


def test_a_rule_may_use_the_signs_of_arithmetic_with_numbers_on_either_side():
    row = {"formula": by_signs, "domain": lambda x: x > -3, "corner": lambda x: eq(x, 0)}  # fmt: skip
    with declared("odd", by_signs, slope_by_signs, **row):
        f = exprgrad.parse("odd(x)")
        at = {"x": 1.5}
        plain = exprgrad.parse("(2^x - 1/(3 + x))*|x|")
        due = exprgrad.derivatives(plain, at, "x", 3)
        assert exprgrad.derivatives(f, at, "x", 3) == pytest.approx(due, rel=1e-14)
        assert f.hessian(at)["x"]["x"] == pytest.approx(due[2], rel=1e-14)
        assert f.evaluate(at, digits=30).texts == plain.evaluate(at, digits=30).texts
        found = f.evaluate({"x": 0})
        assert found.gradient == {"x": None}
        (corner,) = found.corners
        assert (corner.left, corner.right) == pytest.approx((-2 / 3, 2 / 3))
        verdict = exprgrad.minimize("odd(x) + x^2", start={"x": 1}).result.verdict
        assert verdict.kind == "local minimum"
