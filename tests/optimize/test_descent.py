"""Minimising: every method on the functions that minimisers are tried on, and what goes wrong."""

from __future__ import annotations

import csv
import json
import math
import sys

import pytest

from exprgrad import Value, minimize
from exprgrad.cli.start import run
from exprgrad.errors import BindingError, DomainError, UsageError
from exprgrad.optimize import minimize as minimize_module
from exprgrad.optimize.array_objective import ArrayObjective
from exprgrad.optimize.objective import Objective
from tests.golden import HERE, compare

ROSENBROCK = "(1-x)^2 + 100*(y-x^2)^2"
BEALE = "(1.5-x+x*y)^2 + (2.25-x+x*y^2)^2 + (2.625-x+x*y^3)^2"
BOOTH = "(x+2y-7)^2 + (2x+y-5)^2"
HIMMELBLAU = "(x^2+y-11)^2 + (x+y^2-7)^2"
POWELL = "(a+10b)^2 + 5(c-d)^2 + (b-2c)^4 + 10(a-d)^4"

PROBLEMS = {
    "Rosenbrock": (ROSENBROCK, {"x": -1.2, "y": 1}, {"x": 1, "y": 1}),
    "Beale": (BEALE, {"x": 1, "y": 1}, {"x": 3, "y": 0.5}),
    "Booth": (BOOTH, {"x": 0, "y": 0}, {"x": 1, "y": 3}),
    "Himmelblau": (HIMMELBLAU, {"x": 0, "y": 0}, {"x": 3, "y": 2}),
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("method", ["lbfgs", "trust"])
def test_second_order_methods_solve_the_published_problems_to_1e_8(name, method):
    f, start, solution = PROBLEMS[name]
    found = minimize(f, start, method).result
    assert found.converged
    assert found.steps < 50
    assert found.variables == pytest.approx(solution, abs=1e-8)


@pytest.mark.parametrize("method", ["lbfgs", "trust"])
def test_the_value_of_powell_s_singular_function_falls_below_1e_8(method):
    found = minimize(POWELL, {"a": 3, "b": -1, "c": 0, "d": 1}, method).result
    assert found.converged
    assert found.value < 1e-12
    assert found.variables == pytest.approx(dict.fromkeys("abcd", 0), abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize(
    ("method", "rate"), [("momentum", 1e-3), ("nesterov", 1e-3), ("adam", 0.05)]
)
def test_first_order_methods_reach_the_minimum_with_momentum(name, method, rate):
    f, start, solution = PROBLEMS[name]
    found = minimize(f, start, method, rate=rate).result
    assert found.converged
    assert found.variables == pytest.approx(solution, abs=1e-6)


def test_gradient_descent_shrinks_a_quadratic_by_the_same_factor_each_step():
    values = [s.variables["x"] for s in minimize("x^2", {"x": 1}, "gd", rate=0.25)]
    assert values[:5] == pytest.approx([1, 0.5, 0.25, 0.125, 0.0625])


def test_momentum_and_nesterov_follow_their_recurrences():
    for method in ("momentum", "nesterov"):
        x, v = 1.0, 0.0
        expected = [x]
        for _ in range(5):
            g = 2 * x
            v = 0.5 * v + g
            x -= 0.1 * (v if method == "momentum" else g + 0.5 * v)
            expected.append(x)
        steps = minimize("x^2", {"x": 1}, method, rate=0.1, momentum=0.5, steps=5)
        assert [s.variables["x"] for s in steps] == pytest.approx(expected)


def test_the_first_step_of_adam_is_as_long_as_the_rate():
    first, second = minimize("7*x^2 - 300*y", {"x": 1, "y": 2}, "adam", steps=1)
    assert first.variables["x"] - second.variables["x"] == pytest.approx(0.01)
    assert second.variables["y"] - first.variables["y"] == pytest.approx(0.01)


def test_momentum_is_faster_than_gradient_descent_where_the_valley_is_narrow():
    steps = {
        method: minimize(
            "x^2 + 100*y^2", {"x": 1, "y": 1}, method, rate=0.004, tolerance=1e-6
        ).result.steps
        for method in ("gd", "momentum")
    }
    assert steps["momentum"] * 3 < steps["gd"]


def test_a_descent_yields_every_step_and_keeps_its_result():
    descent = minimize(BOOTH, {"x": 0, "y": 0}, "adam", steps=7)
    steps = list(descent)
    assert [s.step for s in steps] == list(range(8))
    assert steps[-1].value == descent.result.value
    assert descent.result.status == "steps"
    assert not descent.result.converged
    assert list(descent) == []


@pytest.mark.parametrize("small", ["1e-400", "exp(-1000)"])
def test_a_number_too_small_for_doubles_is_not_told_as_0(capsys, small):
    given = ["--at", f"a={small}"]
    assert run(["minimize", "x^2 + 1/a", "--start", "x=1", *given]) == 3
    assert "the value of a is beyond the range" in capsys.readouterr().err
    assert run(["minimize", "x^2 + a + ln(x)", "--start", "x=-1", *given]) == 3
    assert "ln needs an argument > 0; here x is -1" in capsys.readouterr().err


@pytest.mark.parametrize("power", [10**5, 10**17, 10**20, 10**300])
def test_a_gradient_however_small_has_a_length_other_than_0(power):
    found = minimize(f"x^{power} + y^{power}", {"x": 0.5, "y": 0.25}).result
    digits, _, exponent = found.texts["x"].partition("e")
    assert found.norm_text == f"{float(digits):.1f}e{exponent}"
    assert f"the gradient norm {found.norm_text} is within" in found.reason


def test_the_rate_follows_its_schedule():
    for schedule, expected in [
        ("linear", [1, 0.75, 0.5, 0.25, 0]),
        ("1/(1+t)", [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]),
        (lambda t: 1.0 if t < 2 else 0.5, [1, 1, 0.5, 0.5, 0.5]),
    ]:
        descent = minimize("x", {"x": 0}, "gd", rate=1.0, schedule=schedule, steps=4)
        assert [s.rate for s in descent] == pytest.approx(expected)


@pytest.mark.parametrize("method", ["gd", "momentum", "nesterov", "adam", "lbfgs"])
def test_bounds_hold_and_the_gradient_that_points_out_of_them_does_not_count(method):
    bounds = {"x": (0, 1), "y": (None, 0.5)}
    descent = minimize(
        "(x-3)^2 + (y-x)^2", {"x": 0, "y": 9}, method, rate=0.1, bounds=bounds
    )
    for step in descent:
        assert 0 <= step.variables["x"] <= 1
        assert step.variables["y"] <= 0.5
    assert descent.result.converged
    assert descent.result.variables == pytest.approx({"x": 1, "y": 0.5}, abs=1e-7)


def test_fixed_variables_stay():
    found = minimize("(x-c)^2", {"x": 0}, fixed={"c": 4}).result
    assert found.variables == pytest.approx({"x": 4})


@pytest.mark.parametrize("method", ["gd", "momentum", "nesterov", "adam"])
def test_a_value_that_runs_away_is_reported_with_step_and_variable(method):
    found = minimize("x^4 + y^2", {"x": 3, "y": 1}, method, rate=9e5).result
    assert found.status == "diverged"
    assert found.reason.startswith("diverged at step 1, at ")
    assert found.variables == {"x": 3, "y": 1}


@pytest.mark.parametrize("method", ["gd", "lbfgs"])
def test_a_function_without_a_minimum_is_said_to_diverge(method):
    found = minimize("-x^3", {"x": 3}, method).result
    assert found.status == "diverged"


def test_a_step_out_of_the_domain_stops_with_the_place_of_the_fault():
    found = minimize("x - ln(x - 1)", {"x": 3}, "gd", rate=5).result
    assert found.status == "undefined"
    assert found.steps == 0
    assert found.problem.span == (4, 13)
    assert "step 1 has no value, at x = 0.5" in found.reason


@pytest.mark.parametrize("method", ["lbfgs", "trust"])
def test_searches_come_back_from_points_without_a_value(method):
    found = minimize("-ln(x) + 1000x", {"x": 3}, method).result
    assert found.converged
    assert found.variables["x"] == pytest.approx(1e-3)


@pytest.mark.parametrize("method", ["lbfgs", "trust"])
@pytest.mark.parametrize(
    ("f", "start", "status"),
    [
        ("4*y2*exp(2*x*y)", {"y2": 0.5, "x": 0, "y": 1e-300}, "diverged"),
        ("x^1.5 + 1e300*x^2", {"x": 3}, "converged"),
        ("1e300*x^2*y^2", {"x": 1e3, "y": 1}, "converged"),
        ("exp(exp(x))", {"x": 3}, "converged"),
        ("sqrt(x)", {"x": 3}, "stalled"),
        ("1e-300*(x-3)^2 + y^2", {"x": 1, "y": 1}, "converged"),
        ("-exp(exp(x))", {"x": 3}, "diverged"),
    ],
)
def test_products_that_overflow_neither_hang_nor_fail(f, start, status, method):
    found = minimize(f, start, method, steps=500).result
    assert found.status == status
    assert found.steps < 100


def test_a_hessian_that_overflows_leaves_the_way_along_the_gradient(monkeypatch):
    monkeypatch.setattr(
        Objective, "hessian_product", lambda self, entries, vector: [math.inf, math.nan]
    )
    found = minimize("(x-3)^2 + y^2", {"x": 1, "y": 1}, "trust", tolerance=1e-4).result
    assert found.converged
    assert found.variables == pytest.approx({"x": 3, "y": 0}, abs=1e-4)


@pytest.mark.parametrize("method", ["lbfgs", "trust"])
def test_numbers_are_minimised_without_numpy(method, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert minimize(BOOTH, {"x": 0, "y": 0}, method).result.converged


def test_curvature_along_a_bound_is_learned_while_others_are_held():
    f = "(x-1)^2 + 100*(y-x^2)^2 + (z+2)^2"
    bounds = {"z": (0, None), "x": (None, 0.5)}
    found = minimize(f, {"x": -1.2, "y": 1, "z": 3}, bounds=bounds).result
    assert found.converged
    assert found.steps < 60
    assert found.variables == pytest.approx({"x": 0.5, "y": 0.25, "z": 0}, abs=1e-7)


def test_a_start_outside_the_domain_is_an_error():
    for method in ("gd", "lbfgs"):
        with pytest.raises(DomainError, match="ln needs an argument > 0"):
            minimize("ln(x)", {"x": -1}, method).result  # noqa: B018 # runs it


def test_a_descent_to_a_corner_stalls_since_the_gradient_does_not_vanish():
    found = minimize("|x| + y^2", {"x": 1, "y": 1}).result
    assert found.variables == pytest.approx({"x": 0, "y": 0}, abs=1e-3)
    assert found.status == "stalled"
    assert not found.converged


@pytest.mark.parametrize("method", ["gd", "lbfgs", "trust"])
def test_steps_come_as_they_are_made(method, monkeypatch):
    made = []
    evaluate = Objective.evaluate

    def counted(self, entries):
        made.append(entries)
        return evaluate(self, entries)

    monkeypatch.setattr(Objective, "evaluate", counted)
    descent = minimize(ROSENBROCK, {"x": -1.2, "y": 1}, method, rate=1e-3)
    seen = []
    for step in descent:
        seen.append(len(made))
        if step.step == 5:
            break
    assert seen == sorted(set(seen))
    found = descent.interrupted()
    assert len(made) <= seen[-1] + 1
    assert (found.status, found.steps, found.value) == ("interrupted", 5, step.value)
    assert found.gradient_norm == step.gradient_norm
    assert descent.result is found
    assert list(descent) == []


def test_a_descent_that_has_ended_is_not_interrupted():
    descent = minimize("x^2", {"x": 1}, "lbfgs")
    assert list(descent)
    assert descent.interrupted().status == "converged"


def test_a_descent_that_has_not_started_has_no_result_to_interrupt():
    assert minimize("x^2", {"x": 1}).interrupted() is None
    descent = minimize("x^2", {"x": 1})
    assert descent.result is descent.interrupted()


@pytest.mark.parametrize("method", ["gd", "lbfgs"])
@pytest.mark.parametrize("start", ["x=3,y=1", "x=[3,2],y=1"])
def test_an_interrupted_descent_shows_the_point_it_reached(
    method, start, monkeypatch, capsys, tmp_path
):
    for cls in (Objective, ArrayObjective):
        monkeypatch.setattr(cls, "evaluate", interrupted(cls.evaluate))
    path = tmp_path / "h.csv"
    argv = ["minimize", "sum(x^4) + y^2", "--start", start, "--method", method]
    assert run([*argv, "--rate", "1e-3", "--history", str(path)]) == 130
    captured = capsys.readouterr()
    assert "2 steps: interrupted" in captured.out
    assert "not yet a minimum" in captured.out
    assert captured.err == ""
    assert len(path.read_text().splitlines()) == 4


def interrupted(evaluate):
    """What is interrupted when the third step is evaluated."""
    calls = []

    def call(self, entries):
        calls.append(entries)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return evaluate(self, entries)

    return call


def test_an_interrupt_before_the_first_step_shows_nothing(monkeypatch, capsys):
    def evaluate(self, entries):
        raise KeyboardInterrupt

    monkeypatch.setattr(Objective, "evaluate", evaluate)
    assert run(["minimize", "x^2", "--start", "x=1"]) == 130
    assert capsys.readouterr().out == ""


def test_a_target_stops_early():
    found = minimize(BOOTH, {"x": 0, "y": 0}, "gd", target=1.0).result
    assert found.status == "target"
    assert found.value <= 1


def test_a_graph_of_values_is_minimised_over_its_leaves():
    a, b, c = Value(1.0, "a"), Value(2.0), Value(5.0, "c")
    loss = (a - c) ** 2 + (b * b - 9) ** 2
    found = minimize(loss, [a, b]).result
    assert found.converged
    assert (a.data, b.data, c.data) == pytest.approx((5, 3, 5))
    assert set(found.variables) == {"a", "p2"}
    assert b.name is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "adamm"}, "no method adamm"),
        ({"rate": 0.0}, "learning rate"),
        ({"momentum": 1.0}, "momentum"),
        ({"bounds": {"z": (0, 1)}}, "a bound is given for z"),
        ({"bounds": {"x": (1, 0)}}, "the wrong way round"),
        ({"bounds": {"x": 3}}, "bounds are two numbers"),
        ({"bounds": {"x": (0, "a")}}, "a bound is a number, not str 'a'"),
        ({"schedule": "cosinus*k"}, "t and T"),
        ({"method": "trust", "bounds": {"x": (0, 1)}}, "takes no bounds"),
        ({"schedule": "[1, t]"}, "not an array"),
        ({"tolerance": math.nan}, "a tolerance must be a finite number"),
        ({"tolerance": math.inf}, "a tolerance must be a finite number"),
        ({"target": math.nan}, "a target must be a finite number"),
        ({"steps": -1}, "cannot be negative"),
    ],
)
def test_options_that_cannot_be_are_errors(options, words):
    with pytest.raises(UsageError, match=words):
        minimize("x^2", {"x": 1}, **options)


def test_starts_that_do_not_fit_are_errors():
    with pytest.raises(BindingError, match="no variable y"):
        minimize("x^2", {"y": 1})
    with pytest.raises(BindingError, match="no value for y"):
        minimize("x^2 + y", {"x": 1})
    with pytest.raises(BindingError, match="a start and a fixed value"):
        minimize("x^2", {"x": 1}, fixed={"x": 1})
    with pytest.raises(UsageError, match="nothing to vary"):
        minimize("x^2", {}, fixed={"x": 1})


@pytest.mark.parametrize("factor", ["1", None, 1j, [1], 10**400])
def test_a_schedule_that_gives_no_number_is_an_error(factor):
    with pytest.raises(UsageError, match="the schedule at step 0 is a number, not"):
        _ = minimize("x^2", {"x": 1}, "gd", schedule=lambda _: factor).result


def test_a_schedule_that_turns_negative_is_an_error():
    descent = minimize("x^2", {"x": 1}, "gd", schedule="1 - t/2")
    with pytest.raises(UsageError, match=r"the schedule is -0\.5 at step 3"):
        list(descent)


def test_no_steps_is_a_descent_of_one_point():
    for method in ("gd", "lbfgs"):
        found = minimize("x^2", {"x": 1}, method, steps=0).result
        assert (found.status, found.steps, found.value) == ("steps", 0, 1)
    assert minimize("x^2", {"x": 1}, "gd", steps=1).result.reason.startswith("the 1 s")


MINIMIZE = ["minimize", ROSENBROCK, "--start", "x=-1.2,y=1"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "argv"),
    {
        "minimize": [*MINIMIZE, "--method", "nesterov", "--rate", "1e-3"],
        "minimize_adam": [*MINIMIZE, "--method", "adam", "--rate", "0.05"],
        "minimize_diverged": [*MINIMIZE, "--method", "gd", "--rate", "1"],
        "minimize_no_start": MINIMIZE[:2],
        "minimize_bound": [*MINIMIZE, "--bounds", "x=0"],
        "minimize_bound_twice": [*MINIMIZE, "--bounds", "x=0:1, x=2:3"],
        "minimize_method": [*MINIMIZE, "--method", "momentun"],
        "minimize_domain": ["minimize", "x - ln(x-1)", "--start", "x=3", "--method", "gd", "--rate", "5"],
    }.items(),
)  # fmt: skip
def test_what_minimize_prints(name, argv, capsys):
    code = run(argv)
    captured = capsys.readouterr()
    text = f"{captured.out}--- exit {code}\n{captured.err}"
    compare(HERE / "learning" / f"{name}.txt", text)


def test_minimize_writes_json(capsys):
    assert run([*MINIMIZE, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["variables"] == pytest.approx({"x": 1, "y": 1}, abs=1e-8)
    assert found["value"] < 1e-15
    assert found["steps"] < 50
    assert found["converged"] is True


def test_minimize_writes_its_history(tmp_path, capsys):
    path = tmp_path / "out.csv"
    argv = ["--method", "momentum", "--rate", "1e-3", "--steps", "12"]
    assert run([*MINIMIZE, *argv, "--history", str(path)]) == 0
    with path.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["step"] for row in rows] == [str(i) for i in range(13)]
    x, y = float(rows[-1]["x"]), float(rows[-1]["y"])
    assert float(rows[-1]["value"]) == pytest.approx(
        (1 - x) ** 2 + 100 * (y - x**2) ** 2
    )
    assert all(math.isfinite(float(row["gradient_norm"])) for row in rows)
    assert "12 steps are used up" in capsys.readouterr().out


def test_a_descent_that_cannot_start_leaves_an_old_history_as_it_was(tmp_path, capsys):
    path = tmp_path / "out.csv"
    path.write_text("what stood here before")
    argv = ["minimize", "ln(x)", "--start", "x=-1", "--history", str(path)]
    assert run(argv) == 3
    assert "ln needs an argument > 0" in capsys.readouterr().err
    assert path.read_text() == "what stood here before"
    assert [p.name for p in tmp_path.iterdir()] == ["out.csv"]


def test_a_history_that_cannot_be_written_is_an_error(tmp_path, capsys):
    assert run([*MINIMIZE, "--history", str(tmp_path / "no" / "out.csv")]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_the_end_of_a_descent_is_judged_when_it_is_asked_for(monkeypatch):
    judged = []
    whole = minimize_module.judged
    monkeypatch.setattr(minimize_module, "judged", lambda *a: judged.append(a) or whole(*a))  # fmt: skip
    descent = minimize("(x - 1)^2", {"x": 0}, method="lbfgs")
    assert list(descent)
    assert judged == []
    assert descent.result.kind == "minimum"
    assert descent.result is descent.result
    assert len(judged) == 1
