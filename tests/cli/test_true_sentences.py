"""Sentences beside results are true where the obvious ones would not be."""

from __future__ import annotations

import json

import pytest


def test_a_point_between_two_undefined_sides_is_not_called_a_corner(run):
    told = run("eval", "(2-x)^(x/(x+0))", "--at", "x=3", "--trace").out
    assert "no rule holds at this point; the slope is that of both sides\n" in told
    assert "the sweep stops at v5 (power): no rule holds there" in told
    assert "corner" not in told


def test_a_trace_is_not_said_to_give_a_slope_that_it_does_not_reach(run):
    arguments = ("eval", "relu(x)-relu(-x)", "--at", "x=0", "--trace")
    assert "the trace gives" not in run(*arguments).out
    assert "the trace gives 0" in " ".join(
        run(*arguments, "--mode", "forward").out.split()
    )


def test_a_domain_that_rounding_leaves_is_not_called_a_range(run):
    told = run("eval", "sqrt(0.3-0.1-0.2)", "--trace").out
    assert (
        "note: there is no trace: in double precision, sqrt has no value on the way"
        in told
    )
    told = " ".join(run("eval", "exp(1000*x)", "--at", "x=1", "--trace").out.split())
    assert "a number on the way is beyond the range of double precision" in told


def test_paths_that_cannot_be_shown_leave_the_value(run):
    result = run("eval", "exp(1000*x)/exp(999*x)", "--at", "x=1", "--why", "x")
    assert result.code == 0
    assert "f'(1) = 2.718281828" in result.out
    assert "note: there is no trace" in result.out


def test_digits_that_were_not_lost_are_not_said_to_be(run):
    assert "costs double precision all of its" in run("eval", "sin(pi)", "--trust").out
    told = run("eval", "exp(-1000*x)", "--at", "x=1", "--trust").out
    assert "exp may cost double precision 3 of its 16 digits" in told
    assert "condition number" not in run("eval", "x-3", "--at", "x=3", "--trust").out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("eval", "x*x^x", "--at", "x=0", "--seed", "x=1"), "along the seed is taken from one side"),
        (("eval", "x*x^x", "--at", "x=0:1:2"), "note: at x = 0, ∂/∂x is the slope from the right"),
        (("diff", "x*x^x", "--at", "x=0"), "note: d/dx is the slope from the right"),
        (("eval", "x*x^x*exp(1000)", "--at", "x=0"), "∂/∂x is the slope from one side"),
    ],
)  # fmt: skip
def test_a_slope_of_one_side_is_said_to_be_one(run, arguments, told):
    result = run(*arguments)
    assert (result.code, result.err) == (0, "")
    assert told in " ".join(result.out.split())


def test_a_derivative_from_one_side_beyond_doubles_is_one(run):
    arguments = ("eval", "x*x^x*exp(1000)", "--at", "x=0")
    result = run(*arguments, "--seed", "x=1")
    assert (result.code, result.err) == (0, "")
    assert "1.970071114e+434" in result.out
    fields = json.loads(run(*arguments, "--format", "json").out)
    assert "not_differentiable" not in fields


OPEN = "floor(x^x)"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("eval", OPEN, "--at", "x=0", "--hessian"), "could not decide whether the second"),
        (("compare", OPEN, "--at", "x=0"), "could not decide whether there is a derivative"),
        (("eval", f"sum({OPEN})", "--at", "x=[0,1]"), "[undecided, none]"),
    ],
)  # fmt: skip
def test_what_is_undecided_is_not_said_not_to_exist(run, arguments, told):
    result = run(*arguments)
    assert result.code == 3
    assert told in result.out + result.err
    assert "rules give no second derivative" not in result.err


def test_an_array_below_the_range_of_doubles_is_not_said_to_be_0(run):
    out = run("eval", "sum(exp(-1000*x))", "--at", "x=[1,2]").out
    assert "sum(exp(-1000*x)) = 0 ± 4.9e-324" in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "at", "told"),
    [
        ("sqrt(x)", 0, "vertical"),
        ("x^(1/3)", 0, "vertical"),
        ("floor(x)", 1, "slope 0 from the right"),
        ("abs(x)", 0, "slopes -1 and 1"),
        ("x^2", 1, "slope 2"),
    ],
)
def test_a_tangent_tells_its_sides(run, text, at, told):
    result = run("plot", text, "--tangent", str(at), "--x=-1:2")
    assert (result.code, result.err) == (0, "")
    assert f"tangent at x = {at}: {told}\n" in result.out
    assert "tangent" in run("plot", text, "--tangent", str(at), "--format", "svg").out
    json.loads(run("plot", text, "--tangent", str(at), "--format", "json").out)


def test_of_a_number_there_is_nothing_to_choose(run):
    assert "--wrt" not in run("eval", "5", "--order", "2").err
    assert "there is no variable" in run("eval", "5", "--hessian").out


def test_a_point_without_a_slope_is_not_said_to_lack_a_value(run):
    told = " ".join(run("minimize", "sqrt(x)", "--start", "x=1").out.split())
    assert "some points near it have no gradient: the partial derivative" in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("tangent", "relu(x)-relu(-x)", "--at", "x=0"), "f'(0) = 1\ny = x\n"),
        (("taylor", "relu(x)-relu(-x)"), "f'(0) = 1\n"),
        (("taylor", "x^(7/3)", "--order", "2"), "f''(0) = 0\n"),
        (("taylor", "ln(x^2)*log2(x)^(4/3)", "--at", "x=1", "--order", "2"), "f''(1) = 0\n"),
        (("taylor", "if(x==0, 1, sin(x)/x)"), "f''(0) = -1/3\n"),
        (("taylor", "if(x==0, 1, sin(x)/x)"), "\n1 - 1/6*x^2\n"),
        (("check", "relu(x)-relu(-x)", "y = x", "--kind", "tangent", "--at", "x=0"), "✓ correct"),
        (("check", "if(x==0, 1, sin(x)/x)", "1 - x^2/6", "--kind", "taylor"), "✓ correct"),
    ],
)  # fmt: skip
def test_a_formula_stands_for_no_derivative_where_it_does_not_hold(
    run, arguments, told
):
    result = run(*arguments)
    assert (result.code, result.err) == (0, "")
    assert told in result.out


def test_a_derivative_that_may_exist_is_not_refused_as_none(run):
    assert "could not decide" in run("tangent", OPEN, "--at", "x=0").err
    assert "no derivative of order 2" in run("taylor", "x*abs(x)", "--order", "2").err
    assert "no derivative of order 3" in run("taylor", "x^(7/3)", "--order", "3").err


@pytest.mark.parametrize(
    ("text", "claim", "at"),
    [
        ("x^2", "0.2", "x=0.1"),
        ("sin(x)", "0", "x=pi/2"),
        ("x^2-2", "2*sqrt(2)", "x=sqrt(2)"),
        ("if(x==0.1, 0.01, x^2)", "0.2", "x=0.1"),
        ("relu(x)-relu(-x)", "1", "x=0"),
        ("x^2*y", "0.2*y", "x=0.1,y=0.3"),
    ],
)
def test_a_claim_at_a_point_is_judged_at_the_number_that_was_typed(
    run, text, claim, at
):
    result = run("check", text, claim, "--at", at, "--wrt", "x")
    assert (result.code, result.err) == (0, "")
    assert "✓ correct" in result.out
    assert run("check", text, f"{claim} + 0.01", "--at", at, "--wrt", "x").code == 1


def test_a_claim_that_is_right_at_a_point_is_said_to_be_right_there(run):
    arguments = ("check", "x^2", "x+3", "--at", "x=3")
    assert "correct: x+3 is the derivative of x^2 at x = 3\n" in run(*arguments).out
    assert "at $x = 3$." in run(*arguments, "--format", "latex").out
    assert json.loads(run(*arguments, "--format", "json").out)["at"] == {"x": 3}


@pytest.mark.slow
def test_numbers_that_were_not_compared_are_not_said_to_have_no_value(run):
    told = run("same", "exp(-exp(exp(20)))", "0").out
    assert "could not compare them at the one point that was tried" in told


def test_a_point_below_the_range_of_doubles_is_not_said_to_be_0(run):
    assert "f'(1e-400) = 2.0e-400" in run("eval", "x^2", "--at", "x=1e-400").out
    rows = run("eval", "x^2+y", "--at", "x=1e-400,y=1").out.splitlines()
    assert any(row.split() == ["x", "1e-400", "2.0e-400"] for row in rows)
    assert run("simplify", "x+1e-400").out == "x + 1e-400\n"


def test_a_picture_in_doubles_says_what_is_right(run):
    told = run("graph", "(1-cos(x))/x^2", "--at", "x=1e-8").out
    assert "note: the graph shows double precision: the value is 0.5\n" in told
    assert "note: the graph shows double precision: ∂/∂x is -8.333333333e-10\n" in told
    assert "note" not in run("graph", "x^2", "--at", "x=3").out


def test_an_uncertainty_below_the_range_of_doubles_is_not_said_to_be_0(run):
    arguments = ("uncertainty", "exp(-1000*x)", "--at", "x=1±0.1")
    assert run(*arguments).out.startswith("exp(-1000*x) = (0.1 ± 5.1)e-433\n")
    fields = json.loads(run(*arguments, "--format", "json").out)
    assert fields["value"] is fields["standard_uncertainty"] is None
    assert fields["standard_uncertainty_text"] == "5.075958898e-433"
    assert fields["quantities"]["x"]["sensitivity_text"] == "-5.075958898e-432"
    assert run(*arguments, "--format", "csv").out.splitlines()[1:] == [
        "x,1,0.1,infinity,-5.075958898e-432,-5.075958898e-433,1",
        "result,5.075958898e-435,5.075958898e-433,infinity,,,",
    ]


def test_a_budget_shows_digits_that_the_value_has(run):
    told = run("uncertainty", "(1-cos(x))/x^2", "--at", "x=1e-8±1e-9").out
    assert "first order  value 4.99999999999999995833e-01  u 8.33e-19" in told


def test_a_point_at_a_kink_has_no_gradient_norm(run):
    rows = run("minimize", "max(x,-2x)", "--start", "x=1").out.splitlines()
    assert "1 0 none 0".split() in [row.split() for row in rows]


def test_the_norm_of_partials_says_of_how_many_it_is(run):
    places = ",".join(map(str, range(31)))
    told = run("eval", "sum(abs(x))", "--at", f"x=[{places}]").out
    assert "31 numbers, norm 5.47723 of the 30 known" in told
    told = run("eval", "sum(x)", "--at", f"x=[1e200,{places}]").out
    assert "32 numbers, norm 1e+200  32 numbers, norm 5.65685\n" in told


def test_a_session_says_what_a_picture_in_doubles_gets_wrong(run, tmp_path):
    script = tmp_path / "one.eg"
    script.write_text(":graph (1-cos(x))/x^2 at x=1e-8\n", encoding="utf-8")
    assert (
        "the graph shows double precision: the value is 0.5"
        in run("run", str(script)).out
    )


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("x=0.1", "f'(0.1) = 1"),  # and not 0.10000000000000000555, which its double is
        ("x=1/3", "f'(0.33333333333333333333) = 1"),
        ("x=-2", "f'(-2) = 1"),
    ],
)
def test_a_point_has_no_digits_of_its_double(run, at, told):
    assert told in run("eval", "x", "--at", at, "--digits", "20").out


@pytest.mark.slow
def test_a_page_in_doubles_says_what_is_right(run, tmp_path):
    page = tmp_path / "walk.html"
    arguments = ("eval", "(1-cos(x))/x^2", "--at", "x=1e-8", "--html", str(page))
    assert run(*arguments).code == 0
    told = "At x = 1e−08, the value is 0.5 and ∂/∂x is −8.333333333e−10."
    assert f"This page shows double precision. {told}" in page.read_text("utf-8")
    assert run("eval", "x^2", "--at", "x=3", "--html", str(page)).code == 0
    assert "double precision. At" not in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "at", "value"),
    [
        ("(1+1/n)^n", "n=1e16", "2.718281828"),
        ("(1+1/n)^n", "n=1e308", "2.718281828"),
        ("(1-p)^n", "p=1e-18, n=1e18", "0.3678794412"),
        ("(1+x)^y", "x=-1e-17, y=-1e17", "2.718281828"),
        ("(-1-p)^n", "p=1e-18, n=1e18", "2.718281828"),
        ("x^n", "x=0.5, n=1e18", "6.113094441e-301029995663981196"),
    ],
)
def test_a_huge_whole_power_of_a_number_close_to_one_is_known(run, text, at, value):
    assert run("eval", text, "--at", at).out.startswith(f"{text} = {value}\n")


@pytest.mark.parametrize(
    ("text", "branches"),
    [
        ("1/(sqrt(2)+sqrt(3)-sqrt(5+2*sqrt(6)))", False),
        ("if(sqrt(2)+sqrt(3)-sqrt(5+2*sqrt(6)) > 0, 1, 2)", True),
    ],
)
def test_a_branch_is_spoken_of_only_where_there_is_one(run, text, branches):
    done = run("eval", text)
    assert done.code == 3
    assert "could not decide" in done.err
    assert ("branch" in done.err) == branches


@pytest.mark.parametrize(
    ("text", "at", "told"),
    [
        ("log(x,1)", "x=2", "log needs a base > 0 other than 1\n"),
        ("log(y,x)", "x=1, y=2", "other than 1; here x is 1\n"),
        ("mod(x,y)", "x=2, y=0", "other than 0; here y is 0\n"),
        ("x^y", "x=0, y=-1", "here x is 0 and y is -1\n"),
    ],
)
def test_a_fault_names_the_arguments_that_it_is_about(run, text, at, told):
    assert told in run("eval", text, "--at", at).err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("eval", "x^2", "--at", "x=1e-320"), "f'(1e-320) = 2.0e-320"),
        (("eval", "x^2", "--at", "x=pi*1e-320"), "f'(3.141592654e-320) = 6.283185307e-320"),
        (("eval", "x^2*y", "--at", "x=1e-320, y=2"), "x         1e-320    4.0e-320"),
        (("eval", "x^2", "--at", "x=1e-320", "--format", "latex"), r"at $x = 1 \cdot 10^{-320}$."),
        (("eval", "x^2", "--at", "x=1e-320", "--format", "markdown"), "| x | 1e-320 | 2.0e-320 |"),
        (("eval", "x^2", "--at", "x=1e-400", "--format", "csv"), "x,1e-400,2.0e-400"),
        (("diff", "x^2", "--at", "x=1e-320"), "= 2.0e-320 at x = 1e-320"),
        (("diff", "x^2", "--at", "x=1e-400"), "= 2.0e-400 at x = 1e-400"),
        (("diff", "x^2", "--at", "x=1e-400", "--format", "latex"), r"= 2.0 \cdot 10^{-400}"),
    ],
)  # fmt: skip
def test_numbers_near_the_least_double_are_shown_as_they_were_typed(
    run, arguments, told
):
    assert told in run(*arguments).out


def test_numbers_beyond_doubles_are_texts_beside_nulls(run):
    fields = json.loads(run("eval", "erfc(x)", "--at", "x=30", "--format", "json").out)
    assert fields["gradient"] == {"x": None}
    assert fields["gradient_texts"] == {"x": "-1.53964766e-391"}
    rows = json.loads(run("eval", "erfc(x)", "--at", "x=28:30:2", "--format", "json").out)["rows"]  # fmt: skip
    assert rows[1]["gradient_texts"] == fields["gradient_texts"]
    for command in ("eval", "diff"):
        fields = json.loads(
            run(command, "x^2", "--at", "x=1e-400", "--format", "json").out
        )
        assert fields["at"] == {"x": None}
        assert fields["at_texts"] == {"x": "1e-400"}


@pytest.mark.parametrize(
    ("arguments", "certainty"),
    [
        (("check", "x^2", "2x"), "proved"),
        (("check", "x^2", "3x"), "refuted"),
        (("check", "x^2/3", "0.6667x"), "digits_given"),
        (("check", "2x", "x^2 + C", "--kind", "antiderivative"), "proved"),
        (("same", "sin(2x)", "2 sin(x) cos(x)"), "proved"),
        (("same", "max(x, -x)", "|x|"), "agrees"),
        (("same", "sqrt(-1-x^2)", "ln(-1-x^2)"), None),
    ],
)
def test_programs_read_how_certain_a_verdict_is(run, arguments, certainty):
    found = json.loads(run(*arguments, "--format", "json").out)
    assert found["certainty"] == certainty
    assert {"points", "digits"} <= found.keys()
    assert (found["digits"] or 0) >= (1000 if certainty == "agrees" else 0)


@pytest.mark.slow
def test_lines_of_work_and_of_sheets_say_how_certain_they_are(run, tmp_path):
    work = tmp_path / "work.txt"
    work.write_text("y = x^2 sin x\ny' = 2x sin x + x^2 cos x\n")
    lines = json.loads(run("check", "--work", str(work), "--format", "json").out)
    assert lines["lines"][-1]["certainty"] == "proved"
    sheet, rows = tmp_path / "sheet.txt", tmp_path / "rows.csv"
    sheet.write_text("d/dx (x^2) = 2x\nd/dx (x^3) = 2x\n")
    rows.write_text("problem,answer\nx^2,2x\nx^3,2x\n")
    for file, name in ((sheet, "problems"), (rows, "rows")):
        found = json.loads(run("check", "--file", str(file), "--format", "json").out)
        assert [row["certainty"] for row in found[name]] == ["proved", "refuted"]


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("(x^2)' + x = 3x", "correct: (x^2)' + x is equal to 3x"),
        ("(x^2)' + x = 4x", "(x^2)' + x is not equal to 4x"),
        ("d/dx x^2 + x = 2x + x", "x^2 + x (with d/dx of x^2 alone) is equal to 2x + x"),
        ("d/dx x^2 + x = 2x + 1", "correct: 2x + 1 is the derivative of x^2 + x"),
    ],
)  # fmt: skip
def test_the_headline_of_an_equation_is_true_without_its_notes(run, claim, said):
    assert said in run("check", claim).out.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "said", "unsaid"),
    [
        (["eval", "floor(x)*x", "--at", "x=0"], "floor makes a corner at x = 0", "floor has"),
        (["eval", "sqrt(x^2)", "--at", "x=0"], "sqrt makes a corner", "sqrt has"),
        (["eval", "hypot(x,2y)", "--at", "x=0,y=0"], "hypot has a corner", "makes"),
        (["eval", "abs(x)*x+abs(x)", "--at", "x=0"], "abs has a corner", "makes"),
        (["eval", "abs(x)^(1/3)", "--at", "x=0"], "the expression is infinitely steep", "abs is"),
        (["eval", "x^x", "--at", "x=-8"], "defined on neither side", "nearby"),
        (["eval", "0^x", "--at", "x=2", "--trace"], "power  0", "1/0"),
        (["critical", "(x-y)^2"], "no isolated critical point was found", "too,"),
    ],
)  # fmt: skip
def test_corners_traces_and_critical_points_are_described_as_they_are(
    run, arguments, said, unsaid
):
    answer = run(*arguments)
    text = " ".join((answer.out + answer.err).split())
    assert said.replace("  ", " ") in text
    assert unsaid not in text


def test_numbers_are_equal_without_a_word_of_where(run):
    told = run("same", "x^2 = 4 at x=2").out
    assert told.startswith("✓ equal: x^2 and 4 at x=2\n")
    assert "equal wherever both are defined" in run("same", "x + x", "2x").out


@pytest.mark.parametrize(
    ("chain", "wrong"),
    [
        ("(x+1)^2 = x^2 + 1 = x^2 + 2x + 1", "(x+1)^2 and x^2 + 1"),
        ("(x^2)' + 1 = 5 = 2x + 1", "(x^2)' + 1 and 5"),
        ("sin^2 x = 1 - cos^2 x = 1 + cos^2 x", "sin^2 x and 1 + cos^2 x"),
    ],
)
def test_every_side_of_a_chain_is_compared_with_its_beginning(run, chain, wrong):
    found = run("same", chain)
    assert (found.code, found.out.splitlines()[0]) == (1, f"✗ different: {wrong}")
    assert run("check", chain).code == 1
    assert run("same", "(x+1)^2 = (1+x)^2 = x^2 + 2x + 1").code == 0


@pytest.mark.parametrize("rest", ["x^3", "slope at (3,4) is -3/4", "what is the slope"])
def test_an_equation_with_more_behind_it_has_no_verdict(run, rest):
    found = run("same", f"x^2 = x*x; {rest}")
    assert (found.code, found.out) == (2, "")
    assert "there are several problems here" in found.err


@pytest.mark.parametrize(
    "command",
    [
        "eval 1/2x+x^2 --at x=1", "diff 1/2x+x^2", "compare 1/2x+x^2 --at x=1", "minimize 1/2x+x^2 --start x=1",
        "tangent 1/2x+x^2 --at x=1", "critical 1/2x+x^2", "same 1/2x+x^2 x", "fit y~1/2x*a --data d.csv --start a=1",
        "batch 1/2x+x^2 --data d.csv", "uncertainty 1/2x+x^2 --at x=1±1",
    ],
)  # fmt: skip
def test_every_command_says_how_a_product_behind_a_quotient_is_read(
    run, command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text("x,y\n1,2\n2,4\n")
    found = run(*command.split())
    assert "(1/2)*x" in found.out + found.err
