"""The commands that differentiate: `diff`, `compare`, and the ways of `eval`."""

from __future__ import annotations

import json
import shlex
from typing import NamedTuple

import pytest

from exprgrad.cli.start import run
from exprgrad.expressions.expression import parse


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def program(capsys, monkeypatch):
    """Run a command line in this process, on a stream of 80 columns that is no terminal."""
    monkeypatch.setenv("COLUMNS", "80")

    def runs(line: str) -> Result:
        code = run(shlex.split(line))
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return runs


def rows(out: str) -> list[list[str]]:
    """The words of every line."""
    return [line.split() for line in out.splitlines()]


# diff as text


@pytest.mark.parametrize("text", ["derivative of 5", "y = 5; y'"])
def test_the_derivative_of_a_number_is_0_with_respect_to_x(text, program):
    out = "note: the expression does not depend on x\nd/dx = 0\n"
    assert program(f'diff "{text}"') == (0, out, "")


@pytest.mark.parametrize(
    ("line", "out"),
    [
        ("diff x^3", "d/dx = 3*x^2\n"),
        ('diff "x^2*sin(x)"', "d/dx = 2*x*sin(x) + x^2*cos(x)\n"),
        ("diff x^2*y", "∂/∂x = 2*x*y\n∂/∂y = x^2\n"),
        ("diff x^2*y --wrt y", "∂/∂y = x^2\n"),
        ("diff x^2*y --wrt y --wrt x", "∂/∂y = x^2\n∂/∂x = 2*x*y\n"),
        ("diff x^2*y --wrt x,y", "∂^2/∂x∂y = 2*x\n"),
        ("diff x^2*y^3 --wrt x,y,y", "∂^3/∂x∂y^2 = 12*x*y\n"),
        ("diff x^4 --order 3", "d^3/dx^3 = 24*x\n"),
        ("diff x^3*y^3 --wrt x,y --order 2", "∂^4/∂x^2∂y^2 = 36*x*y\n"),
        ("diff x^3 --at x=2", "d/dx = 3*x^2\n  = 12 at x = 2\n"),
        ("diff x^3 --order 2 --at x=2", "d^2/dx^2 = 6*x\n  = 12 at x = 2\n"),
        ("diff x/3 --at x=1 --digits 3", "d/dx = 1/3\n  = 0.333 at x = 1\n"),
        ("diff 5 --wrt x", "note: the expression does not depend on x\nd/dx = 0\n"),
        ("diff x --wrt y", "note: the expression does not depend on y\nd/dy = 0\n"),
        ("diff -x^2", "d/dx = -2*x\n"),
    ],
)
def test_derivatives_are_printed_a_line_each(line, out, program):
    assert program(line) == (0, out, "")


def test_an_implicit_reading_is_shown_first(program):
    assert (
        program('diff "sin x cos x"').out.splitlines()[0]
        == "note: read as sin(x)*cos(x)"
    )


@pytest.mark.slow
def test_a_long_formula_is_written_with_shared_parts(program):
    source = "x"
    for _ in range(11):
        source = f"({source})^2*y + 1"
    out = program(f'diff "{source}" --wrt x').out.splitlines()
    assert len(max(out, key=len)) < 2100


@pytest.mark.slow
def test_a_formula_that_would_be_huge_names_its_shared_parts(program, tmp_path):
    source = "x"
    for _ in range(9):
        source = f"sin({source})*({source} + y)"
    file = tmp_path / "f.txt"
    file.write_text(source)
    result = program(f"diff --file {file} --wrt x")
    assert result.code == 0
    formula, *parts = result.out.splitlines()
    assert formula.startswith("∂/∂x = ")
    assert parts[0].startswith("  where t1 = ")


# Other formats


def test_json_has_expression_derivatives_and_latex(program):
    result = program('diff "x^2 y^3" --wrt x,y --wrt x --at x=1,y=2 --format json')
    fields = json.loads(result.out)
    assert fields["expression"] == "x^2 y^3"
    assert fields["derivatives"] == {"x,y": "6*x*y^2", "x": "2*x*y^3"}
    assert fields["latex"] == {"x,y": "6 x y^{2}", "x": "2 x y^{3}"}
    assert fields["values"] == {"x,y": 24, "x": 16}
    assert fields["at"] == {"x": 1, "y": 2}
    assert all(parse(text) for text in fields["derivatives"].values())


def test_json_names_a_repeated_derivative_by_its_variable_and_order(program):
    fields = json.loads(program("diff x^4 --order 2 --format json").out)
    assert fields["derivatives"] == {"x": "12*x^2"}
    assert fields["order"] == 2
    assert "at" not in fields


def test_json_keeps_derivatives_of_several_orders_apart(program):
    fields = json.loads(program("diff x^3 --wrt x --wrt x,x --format json").out)
    assert fields["derivatives"] == {"x": "3*x^2", "x,x": "6*x"}


def test_json_has_the_steps(program):
    fields = json.loads(program('diff "x^2*sin(x)" --steps --format json').out)
    first, *others = fields["steps"]["x"]
    assert first["rule"] == "product rule"
    assert first["where"] == {"u": "x^2", "v": "sin(x)"}
    assert first["result"] == fields["derivatives"]["x"]
    assert [step["depth"] for step in others] == [1, 1]


def test_latex_is_an_equation(program):
    assert program('diff "x*y" --format latex').out.splitlines() == [
        r"\frac{\partial}{\partial x} \left(x y\right) = y",
        r"\frac{\partial}{\partial y} \left(x y\right) = x",
    ]
    out = program("diff x^4 --order 2 --format latex").out
    assert out == "\\frac{d^{2}}{dx^{2}} \\left(x^{4}\\right) = 12 x^{2}\n"
    mixed = program("diff x^2*y --wrt x,y --format latex").out
    assert mixed.startswith(r"\frac{\partial^{2}}{\partial x \partial y}")


def test_latex_of_steps_is_a_display(program):
    out = program('diff "x^2*sin(x)" --steps --format latex').out.splitlines()
    assert out[0] == r"\begin{align*}"
    assert r"\text{product rule}" in out[1]
    assert out[-2] == r"\end{align*}"


def test_python_is_a_module_of_functions(program):
    out = program("diff x^2*sqrt(y) --format python").out
    module: dict = {}
    exec(out, module)
    assert module["d_x"](3, 4) == 12
    assert module["d_y"](3, 4) == 2.25


def test_what_python_cannot_say_prints_nothing(program):
    result = program('diff "sinc(x)" --format python')
    assert (result.code, result.out) == (2, "")
    assert "Python's math has no" in result.err


# Steps


def test_steps_end_in_the_printed_derivative(program):
    full, brief = (
        program(f'diff "3x^2 + sin(2x)" --steps {d}').out for d in ("full", "brief")
    )
    assert program('diff "3x^2 + sin(2x)" --steps').out == brief
    assert full.splitlines()[-1] == brief.splitlines()[-1] == "d/dx = 6*x + 2*cos(2*x)"
    assert full.splitlines()[-3].strip() == "= 6*x + 2*cos(2*x)"
    assert "constant multiple rule" in full
    assert "constant multiple rule" not in brief


@pytest.mark.slow
def test_steps_of_a_second_derivative_are_two_derivations(program):
    out = program('diff "x^2*sin(x)" --order 2 --steps').out
    assert out.count("\n\n") == 2
    assert "d/dx (2*x*sin(x) + x^2*cos(x)): sum rule" in out


# Where there is no derivative


@pytest.mark.parametrize(
    "line",
    [
        'diff "|x|" --at x=0',
        'diff "sqrt(x)" --at x=0',
        'diff "ln(x)" --at x=-1',
        'diff "x*|x|" --order 2 --at x=0',
        'diff "max(x, y)" --wrt x --at x=1,y=1',
        'diff "|x|*y" --wrt y,x --at x=0,y=1',
        'diff "x^(4/3)" --order 2 --at x=0',
    ],
)
def test_a_point_without_derivative_ends_with_3_and_the_formula(line, program):
    result = program(line)
    assert result.code == 3
    assert result.out.startswith(("d", "∂"))
    assert " at x = " not in result.out
    assert result.err.startswith("error: ")


def test_json_of_a_point_without_derivative_has_no_value(program):
    result = program('diff "|x| + y" --at x=0,y=1 --format json')
    assert result.code == 3
    assert json.loads(result.out)["values"] == {"x": None, "y": 1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("diff", "give one expression"),
        ("diff 5", "no variable to differentiate with"),
        ('diff "x + *"', "cannot follow"),
        ("diff x --order 0", "is a whole number from 1 to 100"),
        ("diff x --order 101", "is a whole number from 1 to 100"),
        ("diff x --format csv", "--format is one of text"),
        ("diff x*y --at x=1", "no value for y"),
        ("diff x --at y=1", "no variable y"),
        ("diff x --at x=1,x=2", "x"),
    ],
)
def test_a_wrong_command_ends_with_2(line, message, program):
    result = program(line)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


# compare


def test_comparison_has_a_row_per_variable_and_method(program):
    result = program("compare x^2*y --at x=2,y=3")
    assert result.code == 0
    first, second = (result.out.index(f"∂/∂{name}\n") for name in "xy")
    for part in (result.out[first:second], result.out[second:]):
        for method in ("forward difference", "central difference", "Richardson", "symbolic", "forward mode", "reverse mode"):  # fmt: skip
            assert part.count(f"\n{method} ") == 1
    assert "the expression has 2 operations" in result.out


def test_comparison_without_times_is_the_same_every_time(program):
    line = 'compare "exp(sin(x))" --at x=0.5 --no-times'
    first = program(line)
    assert first == program(line)
    assert "µs" not in first.out


def test_comparison_as_json_and_markdown(program):
    fields = json.loads(program("compare x^2 --at x=3 --format json").out)
    assert [m["name"] for m in fields["methods"]][3:] == [
        "symbolic", "forward mode", "reverse mode",
    ]  # fmt: skip
    assert fields["reference"] == {"x": "6.0"}
    assert fields["formula_operations"] == {"x": 1}
    markdown = program("compare x^2 --at x=3 --format markdown").out
    assert markdown.count("\n| ") >= 6 or markdown.count("|") > 40


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('compare "|x|" --at x=0', 3),
        ('compare "ln(x)" --at x=-1', 3),
        ("compare x*y --at x=1", 2),
        ("compare", 2),
    ],
)
def test_comparison_where_there_is_nothing_to_compare(line, code, program):
    result = program(line)
    assert (result.code, result.out) == (code, "")


# eval: forward mode, seeds, Hessians, orders


def test_forward_trace_shows_value_and_tangent_of_every_node(program):
    out = program('eval "(a*b)*(b+1)" --at a=2,b=3 --mode forward --trace').out
    start = next(i for i, row in enumerate(rows(out)) if row[:1] == ["node"])
    header, _, *table = rows(out)[start : start + 7]
    assert [row[0] for row in table] == ["a", "b", "v3", "v4", "v5"]
    assert header[3:6] == ["value", "∂/∂a", "∂/∂b"]
    numbers = [[w for w in row if w.lstrip("-").isdigit()] for row in table]
    values = [
        n[-4:-1] if row[-1] == "times" else n[-3:]
        for n, row in zip(numbers, table, strict=True)
    ]
    assert [v[1] for v in values] == ["1", "0", "3", "0", "12"]
    assert [v[2] for v in values] == ["0", "1", "2", "1", "14"]
    assert [v[0] for v in values] == ["2", "3", "6", "4", "24"]
    assert "forward mode took 2 sweeps" in out


def test_both_modes_give_the_same_partials(program):
    line = 'eval "x^y*sin(x)" --at x=2,y=3 --format json'
    reverse, forward = (
        json.loads(program(f"{line} --mode {m}").out) for m in ("reverse", "forward")
    )
    assert reverse["gradient"] == pytest.approx(forward["gradient"])


def test_seed_gives_the_derivative_along_a_direction(program):
    out = program("eval x*y --at x=2,y=3 --seed x=1,y=-2").out
    assert "derivative along the seed: -1" in out
    fields = json.loads(
        program("eval x*y --at x=2,y=3 --seed x=1,y=-2 --format json").out
    )
    assert (fields["value"], fields["derivative"]) == (6, -1)
    assert fields["seed"] == {"x": 1, "y": -2}


def test_seed_across_a_corner_ends_with_3(program):
    result = program('eval "|x|" --at x=0 --seed x=1')
    assert result.code == 3
    assert "derivative along the seed: none" in result.out


def test_seed_by_a_name_that_does_not_occur_is_refused(program):
    result = program("eval x*y --at x=2,y=3 --seed z=1")
    assert result.code == 2
    assert "z" in result.err


def test_hessian_is_a_matrix(program):
    out = program("eval x^2*y --at x=2,y=3 --hessian").out
    last = [row for row in rows(out) if row[:1] in (["∂/∂x"], ["∂/∂y"])][-2:]
    assert last == [["∂/∂x", "6", "4"], ["∂/∂y", "4", "0"]]
    fields = json.loads(program("eval x^2*y --at x=2,y=3 --hessian --format json").out)
    assert fields["hessian"] == {"x": {"x": 6, "y": 4}, "y": {"x": 4, "y": 0}}


def test_hessian_at_a_corner_ends_with_3(program):
    assert program('eval "x*|x|" --at x=0 --hessian').code == 3


def test_orders_are_a_table(program):
    out = program('eval "exp(sin(x))" --at x=0 --order 4').out
    assert out.startswith("exp(sin(x)) = 1\n")
    table = [row for row in rows(out) if len(row) == 2 and row[0].isdigit()]
    assert table == [["1", "1"], ["2", "1"], ["3", "0"], ["4", "-3"]]
    fields = json.loads(
        program("eval x^3*y --at x=1,y=2 --wrt x --order 4 --format json").out
    )
    assert fields["derivatives"] == [2, 6, 12, 12, 0]


def test_orders_need_one_variable(program):
    result = program("eval x*y --at x=1,y=2 --order 3")
    assert result.code == 2
    assert "with respect to one variable" in result.err


def test_a_variable_that_does_not_occur_is_noted(capsys):
    assert run(["diff", "x", "--wrt", "y"]) == 0
    assert capsys.readouterr().out == (
        "note: the expression does not depend on y\nd/dy = 0\n"
    )


@pytest.mark.parametrize(("wrt", "code"), [("x,y", 3), ("x,y,x", 3), ("y,x", 0)])
def test_a_derivative_by_a_variable_that_does_not_occur_needs_those_before_it(
    program, wrt, code
):
    assert program(f"diff abs(x) --wrt {wrt} --at x=0").code == code


def test_a_number_has_nothing_to_compare(capsys):
    assert run(["compare", "5"]) == 2
    assert "no variable to differentiate with" in capsys.readouterr().err
