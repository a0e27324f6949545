"""The commands of a session: what each gives, its help, and files."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from exprgrad import ExprgradError, Session
from exprgrad.errors import UsageError, worded
from exprgrad.operations.operation import TABLE
from exprgrad.session import results
from exprgrad.session.commands import BY_NAME, CHOICES, TOPICS, every
from exprgrad.session.screen import Screen, blocks
from exprgrad.views.layout import lines
from exprgrad.views.trace import WalkStep
from tests.programs import running
from tests.session.test_session import derivatives, failure, gradient, session, value


def drawn(own: Session, text: str, width: int = 80) -> str:
    """What the screen shows for the last statement of a text."""
    found = lines(blocks(own.run(text)[-1], own.settings), width)
    return "\n".join("".join(piece for piece, _ in line) for line in found)


# Help


def test_help_lists_every_command_and_every_topic():
    text = drawn(Session(), ":help")
    assert all(f":{c.name}" in text and c.arguments in text for c in every())
    assert all(topic in text for topic in TOPICS)


@pytest.mark.parametrize("name", [*BY_NAME, *TOPICS])
def test_there_is_help_on_every_command_and_topic(name):
    assert len(drawn(Session(), f":help {name}")) > len(name) + 10


def test_statements_that_the_topics_show_are_read():
    own = session("a = 2; b = 3; c = 1", "f(x, y) = x^2*y", "g(x) = x", "3")
    for text, _ in (*TOPICS["expressions"], *TOPICS["names"]):
        for part in text.split(", ") if "at" not in text.split() else [text]:
            if "sin" not in part and not part.startswith((":", "∂/∂y")):
                own.run(part)


@pytest.mark.parametrize("operation", TABLE.values(), ids=lambda o: o.name)
def test_every_operation_is_explained_with_an_example(operation):
    text = drawn(Session(), f"?{operation.called or operation.name}")
    assert operation.signature in text
    assert "at " in text or operation.name in ("factorial", "not", "take")


def test_a_sign_and_a_definition_are_explained_too():
    assert "∂/∂x  y" in " ".join(drawn(Session(), "?*").split("\n")[2:3]).replace(
        "   ", ""
    )
    assert drawn(session("f(x) = 2x"), "?f") == "f(x) = 2x"
    assert drawn(session("f(x) = 2x"), "f?") == "f(x) = 2x"
    assert failure(Session(), "?sine").hint == "did you mean sin?"


def test_an_unknown_command_is_refused_with_a_suggestion():
    assert failure(Session(), ":trce x").hint == "did you mean :trace?"
    assert failure(Session(), ":").hint == ":help lists the commands"
    assert failure(Session(), ":help tarce").hint == "did you mean trace?"


# Expressions


@pytest.mark.parametrize(
    "command", ["trace", "walk", "compare", "hessian", "diff", "steps"]
)
def test_a_command_takes_an_expression_or_the_last_result(command):
    own = session("a = 2; b = 3", "a^2*b")
    assert drawn(own, f":{command}") == drawn(own, f":{command} ans")
    assert drawn(own, f":{command} a^2*b + 1") != drawn(own, f":{command} a^2*b")


@pytest.mark.parametrize("command", ["trace", "walk", "compare", "hessian"])
def test_a_command_that_needs_values_says_which(command):
    error = failure(session("a = 2"), f":{command} a*x*y")
    assert re.search("no values? for x, y", error.message)
    assert drawn(session("a = 2"), f":{command} a*x at x=3")


def test_derivatives_are_by_the_chosen_variables():
    own = session("a = 2", "f(x, y) = x^2*y")
    assert derivatives(own, ":diff a*x^2*y") == ["2*a*x*y", "a*x^2"]
    assert derivatives(own, ":diff a*x^2*y wrt y, a") == ["a*x^2", "x^2*y"]
    assert derivatives(own, ":diff a*x^2*y --wrt y,a --wrt x") == ["x^2", "2*a*x*y"]
    assert derivatives(own, "hessian of x^2*y") == ["2*y", "2*x", "0"]
    assert drawn(own, "jacobian of (x*y, x + y)") == drawn(own, ":diff [x*y, x + y]")
    assert derivatives(own, ":diff a^3") == ["3*a^2"]
    assert "product rule" in drawn(own, ":steps x*sin(x) wrt x")
    assert "no variable" in failure(own, ":diff 3").message


@pytest.mark.slow
def test_a_value_without_a_name_is_that_of_the_variable_of_a_formula():
    own = session("u = x^2")
    assert drawn(own, ":tangent u at 1").splitlines()[-1] == "y = 2*x - 1"
    assert drawn(own, "tangent to u at 1").splitlines()[-1] == "y = 2*x - 1"
    assert drawn(own, ":diff u at 3").splitlines()[-1] == "  = 6 at x = 3"
    assert drawn(own, "value of u at 3").startswith("x^2 = 9\n")
    assert drawn(own, "gradient of u at 1").startswith("d/dx (x^2) = 2\n")
    assert drawn(own, ":hessian u*z at (1, 2)").startswith("u*z = 2\n")


@pytest.mark.parametrize(
    ("command", "shown"),
    [(":taylor sin(x)", "x - 1/6*x^3"), (":critical x^2", "x = 0: local minimum")],
)
def test_what_is_differentiated_is_no_number_where_all_names_have_values(command, shown):  # fmt: skip
    own = session("x = 1", "a = 2")
    assert shown in drawn(own, command)
    assert drawn(own, ":simplify x + x") == "2"


@pytest.mark.parametrize("text", ["differentiate 3", "(3)'", "derivative of 3"])
def test_a_number_has_a_derivative(text):
    assert drawn(Session(), text).partition("\n\nnote")[0].endswith(("= 0", "3"))


@pytest.mark.parametrize("wrong", ["3", "y = 2", "x=2", "x, 3"])
@pytest.mark.parametrize("command", ["diff x^2", "check x^2, 2x", "steps x^2", "why x^2"])  # fmt: skip
def test_what_is_no_name_is_not_differentiated_by(command, wrong):
    assert "needs a name" in failure(Session(), f":{command} wrt {wrong}").message


def test_two_expressions_with_names_of_the_session_are_compared():
    own = session("f(x) = x^2", "a = 2")
    assert drawn(own, ":same f, x*x").startswith("✓ equal wherever both are defined: x^2 and x*x")  # fmt: skip
    assert drawn(own, ":same a x = 3x").startswith("✗ different: 2*x and 3*x")


def test_a_claim_in_names_of_the_session_is_about_an_expression_without_them():
    own = session("f(x) = x^2", "u = 3x^2")
    for claim in ("3f", "3f(x)", "u", "f + 2f wrt x"):
        assert drawn(own, f":check x^3, {claim}").startswith("✓ correct")
    assert drawn(own, ":check x^3, f").startswith("✗ f is not the derivative of x^3")
    assert "ends after '+'" in failure(own, ":check x^3 +, 3f").message


def test_an_antiderivative_in_names_that_have_values_is_judged():
    assert "✓ correct" in drawn(session("x = 3"), "is x^2 an antiderivative of 2x?")


def test_what_cannot_be_drawn_for_want_of_a_function_says_which():
    screen = Screen(session("f(x) = g(x) + k"))
    with pytest.raises(UsageError, match="g is not defined"):
        screen.play("f(1)")


def test_a_walk_goes_on_with_empty_lines_until_something_else_is_typed():
    own = session("a = 2; b = 3")
    first = own.run(":walk a*b + a")[0]
    assert isinstance(first.views[0], WalkStep)
    seen = [first]
    while len(seen) < first.steps:
        seen += own.run("")
    assert [step.number for step in seen] == list(range(1, first.steps + 1))
    assert own.run("") == []
    own.run(":walk a*b")
    own.run("a")
    assert own.run("") == []


def test_a_walk_goes_back_and_can_be_left():
    own = session("a = 2; b = 3")
    own.run(":walk a*b + a")
    places = [own.run(key)[0].number for key in ("", "", "b", "b", "b", " ", "b ")]
    assert places == [2, 3, 2, 1, 1, 2, 1]
    assert own.run("q") == []
    assert own.run("b")[0].evaluation.value == 3  # the variable again
    own.run(":walk a*b")
    own.run("c = 5")
    assert own.run("b")[0].evaluation.value == 3


def test_a_walk_has_a_prompt_of_its_own():
    own = session("a = 2")
    assert own.walk.prompt == "> "
    own.run(":walk a^2")
    own.run("")
    assert own.walk.prompt == "walk 2/5> "
    own.run("a")
    assert own.walk.prompt == "> "


def test_a_walk_shows_both_sweeps():
    own = session("a = 2; b = -3")
    text = drawn(own, ":walk a*b + a")
    while own.walk.place + 1 < len(own.walk.steps):
        text += "\n" + drawn(own, "")
    assert "v3 = a*b = 2*(-3) = -6    [product]" in text
    assert "v3 → a: adjoint of v3 × ∂v3/∂a = 1 × (-3) = -3" in text
    assert "the adjoint of v4, the result, with respect to itself is 1" in text
    assert "adjoint of a = 1 so far, 1 of 2 contributions" in text
    assert "adjoint of a = 1 - 3 = -2" in text
    assert text.endswith("∂/∂b = 2 (through a*b)")
    assert "∂/∂a = -3 (through a*b) + 1 (through the sum) = -2" in text


# Checking


@pytest.mark.parametrize(
    ("before", "text", "status"),
    [
        ("x^2 sin x", ":check 2x sin x + x^2 cos x", "correct"),
        ("x^2 sin x", ":check 2x cos x", "incorrect"),
        ("1", ":check x^3, 3x^2", "correct"),
        ("x = 2", ":check x^3, x^2", "incorrect"),
        ("a = 2", ":check a*x^2, 2*a*x", "correct"),
        ("f(x, y) = x^2*y", ":check f, x^2 wrt y", "correct"),
        ("f(x, y) = x^2*y", ":check f(x, 3), 6x", "correct"),
        ("y = x^2", ":check max(y, 1), 2x", "partly"),
        ("g(x) = sin(x)", ":check g(x), g'(x)", "correct"),
    ],
)
def test_a_claim_is_judged(before, text, status):
    result = session(before).run(text)[0]
    assert not result.verdict.asked
    assert result.verdict.status == status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("∫ 2x dx = x^2 + C", "correct"),
        (":check ∫ 2x dx = x^3", "incorrect"),
        ("x^2 + y^2 = 25; dy/dx = -x/y", "correct"),
        ("x^2 + y^2 = 25; tangent at (3, 4): y = -3/4 x + 25/4", "correct"),
        ("x^2 + y^2 = 25; the slope at (3, 4) is 3/4", "incorrect"),
        ("x^2 + y^2 = 25; Normal line at (3, 4): y = 4/3 x", "correct"),
        ("x^2 + y^2 = 25; derivative at (3, 4) is -3/4", "correct"),
        ("xy = 4; dy/dx at (1, 4) is -4", "correct"),
        ("sin(y) = x; dy/dx = 1/cos(y)", "correct"),
        ("x(t) = t^2, y(t) = t^3; dy/dx = 3t/2", "correct"),
        ("r = 1 + cos θ; dy/dx at θ = pi/2 is 1", "correct"),
        ("x = cos t, y = sin t; dy/dx = cot t", "incorrect"),
        ("tangent to f(x) at 3: y = 6x - 9", "correct"),
        ("critical points of x^3 - 3x: 1, -1", "correct"),
    ],
)
def test_an_answer_of_another_kind_is_judged(text, status):
    [result] = session("f(x) = x^2").run(text)
    assert result.verdict.asked
    assert result.verdict.status == status
    assert drawn(session("f(x) = x^2"), text).startswith("✓" if status == "correct" else "✗")  # fmt: skip


def test_semicolon_still_parts_a_definition_from_a_claim():
    [found] = session().run("y = x^2; dy/dx = 2x")
    assert not found.verdict.asked
    with pytest.raises(ExprgradError, match="cannot be used here"):
        session("f(x) = x^2").run("x^2 + f(y) = 25; dy/dx = -x/y")


@pytest.mark.parametrize(
    ("before", "text", "verdict"),
    [
        (
            "x^2 sin x",
            ":work y' = 2x sin x + x^2 cos x = x(2 sin x + x cos x)",
            "correct",
        ),
        ("1", ":work x^3, f'(x) = 3x^(3-1) = 3x^2", "correct"),
        ("1", ":work x^3, u = x^2, y = x u => y' = u + x u' = 3x^2", "correct"),
        ("1", ":work x^3, 3x^(3-1) = 3x^3", "incorrect"),
        ("f(x, y) = x^2*y", ":work f, f_y = x^2 wrt y", "correct"),
    ],
)
def test_a_worked_solution_is_judged(before, text, verdict):
    result = session(before).run(text)[0]
    assert result.work.verdict == verdict


def test_the_first_wrong_line_of_a_solution_is_shown():
    text = drawn(session(), ":work x^3, y' = 3x^(3-1) = 3x^3")
    assert "  1 ✓ y' = 3x^(3-1)\n  2 ✗ = 3x^3\n" in text
    assert "line 2 is the first that is wrong" in text


def test_a_wrong_claim_is_reported_with_the_likely_mistake():
    text = drawn(session(), ":check sin(3x), cos(3x)")
    assert "at x = 0 your answer gives 1, the derivative is 3" in text
    assert "inner derivative" in text


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (":check", "type what you claim"),
        (":work", "type your solution"),
        (":check 2x", "no result yet"),
        (":check x*y, y", "there are several variables: x, y"),
        (":check x^2, 2x +", "ends after '+'"),
    ],
)
def test_a_claim_that_cannot_be_judged_is_an_error(text, word):
    assert word in failure(Session(), text).message


# Names and settings


def test_names_are_listed_with_their_values():
    own = session("a = 2", "y = a*x", "z = a + 1", "f(x) = x^2")
    assert drawn(own, ":vars").splitlines()[2:] == [
        "a     2",
        "y            a*x",
        "z     3      a + 1",
    ]
    assert drawn(own, ":funcs").splitlines()[2:] == ["f(x)      x^2"]
    assert "nothing is bound" in drawn(Session(), ":vars")
    assert "no function" in drawn(Session(), ":funcs")


def test_names_are_removed():
    own = session("a = 2; b = 3; f(x) = x", "a*b")
    own.run(":del a, f")
    assert list(own.scope.definitions) == ["b"]
    assert value(own, "ans") == 6
    assert failure(own, ":del bb").message == "there is nothing called bb"
    own.run(":clear")
    assert own.scope.definitions == {}
    assert "no result" in failure(own, "ans").message


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOICES)
def test_a_setting_takes_each_of_its_values_and_no_other(name):
    own = Session()
    for choice in CHOICES[name]:
        own.run(f":set {name} {choice}")
        assert str(getattr(own.settings, name)) == choice
    before = own.settings
    for wrong in ("", "1001", "blue", f"{CHOICES[name][0]} more"):
        assert name in failure(own, f":set {name} {wrong}").message
    assert own.settings == before


def test_settings_are_followed():
    own = session("x = 1/3", ":set digits 4")
    assert drawn(own, "x + 1").startswith("x + 1 = 1.333\n")
    own.run(":set format latex")
    assert r"\frac{d}{dy} \left(\frac{y^{2}}{2}\right) = y" in drawn(own, "y^2/2")
    own.run(":set mode forward")
    assert gradient(own, "x^2") == {"x": pytest.approx(2 / 3)}
    assert "tangents" in drawn(own, ":trace x^2")
    assert "digits" in drawn(own, ":set")
    assert "no setting" in failure(own, ":set colour blue").message


def test_a_convention_at_corners_leaves_values_beside_a_statement_as_they_are():
    own = session(":set subgradient on")
    assert "f'(0) = 0" in drawn(own, "|x| at x=0")
    assert value(own, "x^2 at x=3") == value(own, "ans") == 9


def test_history_keeps_what_was_typed_and_can_write_the_last_result_out():
    own = session("a = 2", "a^2", "* 3")
    assert drawn(own, ":history").splitlines()[2:] == ["1  a = 2", "2  a^2", "3  * 3"]
    assert drawn(own, ":history expand").splitlines()[4] == "3  a^2*3"
    assert len(drawn(own, ":history 1").splitlines()) == 3
    assert "number" in failure(own, ":history x").message
    assert "number" in failure(own, ":history 0").message  # and not: nothing was typed


def test_quit_ends_the_session():
    assert Session().run(":quit") == [results.Quit()]


# Files


def test_what_is_saved_is_what_is_loaded(tmp_path):
    own = session("f(x) = g(x) + k", "k = 2", "g(x) = x^2", "y = f(3)", ":set digits 6")
    file = tmp_path / "some work.eg"
    own.run(f":save {file}")
    other = Session()
    other.run(f":load {file}")
    assert value(other, "y") == 11
    assert other.settings == own.settings
    assert {n: d.formula for n, d in other.scope.definitions.items()} == {
        n: d.formula for n, d in own.scope.definitions.items()
    }


@pytest.mark.parametrize(
    "statements",
    [
        ("r = 1", "y = pq", "p = 2", "q = 3", "r = p + q"),
        ("y = pq", "p = 2", "z = pq", "q = 3", "p = z + 1", "pq = 8"),
        ("c = a^2", "a = 2", "y = ab", "b = a", "f(x) = bx", "b = 3"),
        ("y = st", "f(s) = st", "t = 3", "s = y"),
    ],
)
def test_a_saved_name_is_split_as_it_was(statements, tmp_path):
    own, other = session(*statements), Session()
    own.run(f":save {tmp_path / 'own.eg'}")
    other.run(f":load {tmp_path / 'own.eg'}")
    for name in own.scope.definitions:
        roots = [str(each.expression(name)[0]) for each in (own, other)]
        assert roots[0] == roots[1], (name, (tmp_path / "own.eg").read_text())


def test_a_file_that_fails_leaves_the_session_as_it_was(tmp_path):
    file = tmp_path / "work.eg"
    file.write_text("a = 5\n\n1/0\n", encoding="utf-8")
    own = session("a = 2")
    error = failure(own, f":load {file}")
    assert error.message.startswith(f"{file}:3: a quotient")
    assert error.exit_code == 3
    assert value(own, "a") == 2


def test_a_file_that_loads_itself_is_refused(tmp_path):
    one, two = tmp_path / "one.eg", tmp_path / "two.eg"
    one.write_text(f":load {two}\n", encoding="utf-8")
    two.write_text(f":load {one}\n", encoding="utf-8")
    assert "loads itself" in failure(Session(), f":load {one}").message


@pytest.mark.parametrize(
    "text",
    [
        ":save",
        ":load",
        ":load nowhere.eg",
        ":save no/such/folder.eg",
        ":save ~nobody-of-that-name/work.eg",
        ":load .",
        ":load \0",
    ],
)
def test_a_file_that_cannot_be_used_is_an_error(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert failure(Session(), text).exit_code == 2


def test_a_file_keeps_its_mode_and_is_not_written_through_a_link(tmp_path):
    file, link = tmp_path / "work.eg", tmp_path / "link.eg"
    file.write_text("", encoding="utf-8")
    file.chmod(0o640)
    link.symlink_to(file)
    own = session("a = 2", f":save {file}", "a = 3", f":save {file}")
    assert file.stat().st_mode & 0o777 == 0o640
    assert "a = 3" in file.read_text(encoding="utf-8")
    assert "is a link" in failure(session("a = 4"), f":save {link}").message
    picture = tmp_path / "x.svg"
    picture.symlink_to(file)
    assert "is a link" in failure(own, f":plot x^2 {picture}").message
    picture.unlink()
    assert "a = 3" in file.read_text(encoding="utf-8")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.eg", "work.eg"]


@pytest.mark.parametrize("text", ["secret", "# a session of exprgrad, not", "\0\xff"])
def test_only_what_a_session_wrote_is_replaced(text, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text(text, encoding="latin-1")
    error = failure(session("a = 2"), f":save {victim}")
    assert "was not written by a session" in error.message
    assert victim.read_text(encoding="latin-1") == text


def test_what_is_in_a_file_that_is_no_script_is_in_no_error(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("qwertz:x:0:0\n", encoding="utf-8")
    error = failure(Session(), f":load {victim}")
    assert error.message == f"{victim}:1: this statement cannot be executed"
    assert "qwertz" not in f"{error.source} {error.hint} {error.__cause__}"


SAVE = """
import sys
from exprgrad import Session
one, two = Session(), Session()
one.run("\\n".join(f"a{i} = {i}" for i in range(400)))
two.run("\\n".join(f"b{i} = {i}" for i in range(400)))
from exprgrad.session import commands
from exprgrad.session.entries import Argument
texts = {one: commands.text_of(one), two: commands.text_of(two)}
commands.text_of = texts.get
file = Argument(sys.argv[1], 0, None)
commands.save(one, file)
print("ready", flush=True)
while True:
    commands.save(two, file)
    commands.save(one, file)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
def test_a_file_killed_while_it_is_saved_is_the_old_one_or_the_new_one(tmp_path):
    file = tmp_path / "work.eg"
    for wait in (0.0, 0.002, 0.02):
        with running(
            [sys.executable, "-c", SAVE, str(file)],
            stdout=subprocess.PIPE,
            env=os.environ,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(wait)
            process.kill()
        text = file.read_text(encoding="utf-8")
        letter = "a" if "a0 = 0;" in text else "b"
        wanted = [f"{letter}{i} = {i};" for i in range(400)]
        assert text.splitlines()[1:] == wanted


def test_files_are_not_read_without_being_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExprgradError):
        Session().run("load work.eg")
    assert list(tmp_path.iterdir()) == []


def test_arrays_are_among_the_variables():
    text = drawn(session("v = [1, 2, 3]", "w = 2v", "a = 2"), ":vars")
    assert "[1, 2, 3]" in text
    assert "[2, 4, 6]" in text


def test_an_uncertainty_budget_takes_values_of_the_session_as_exact():
    found = Session().run("V = 2\n:uncertainty V/I at I=2±5% corr I,I=1")[-1]
    fields = found.as_dict()
    own = {n: i["contribution"] for n, i in fields["quantities"].items()}
    assert own == {"I": -0.05, "V": 0}
    assert "± is a standard uncertainty" in str(fields)


def test_a_definition_that_is_repeated_is_not_a_change_to_undo():
    own = session("f(x) = x^2; f(x) = x^2; a = 2; a = 2")
    assert drawn(own, ":undo").strip() == "undone: a = 2"
    assert drawn(own, ":undo").strip() == "undone: f(x) = x^2"
    assert not own.scope.definitions


def test_an_expression_is_rewritten_in_the_chosen_form():
    own = session(":set form expanded")
    assert drawn(own, ":simplify (x+1)*(x+2)") == "x^2 + 3*x + 2"
    assert drawn(Session(), ":simplify (x^2-1)/(x-1)") == "x + 1\n  for x != 1"
    own = session(":set format latex")
    assert drawn(own, ":simplify x*x/(2*y)") == r"\frac{x^{2}}{2 y}"


def test_values_over_a_grid_are_listed():
    text = drawn(session("f(x) = x^2"), "f(x) at x=0:2:3")
    assert text.split("\n")[-1].split() == ["2", "4", "4"]


def test_what_cannot_be_drawn_or_traced_says_why():
    assert "the expression is a number" in drawn(Session(), ":trace 3")
    for text in (":plot v*2", ":uncertainty x^2", ":uncertainty x at"):
        with pytest.raises(ExprgradError):
            session("v = [1, 2]").run(text)


@pytest.mark.parametrize(
    "text",
    [":plot x^2 tangent at p", ":plot tan(x) from 1 to a", ":plot x from 0 to o"],
)
def test_the_place_of_an_error_is_the_word_and_no_letter_of_another(text):
    assert failure(Session(), text).span == (len(text) - 1, len(text))


def test_the_mode_may_be_called_backward():
    own = session(":set mode forward; :set mode backward")
    assert own.settings.mode == "reverse"


def test_why_a_variable_is_about_the_last_result():
    own = session("w = 2; x = 3; L = relu(w*x)*w")
    assert "2 paths" in drawn(own, "L\n:why w")
    assert "∂/∂x = 4: 1 path" in drawn(own, ":why x")
    assert "end with `wrt w`" in str(worded(failure(own, ":why L").hint, results.IN_SESSION))  # fmt: skip
    assert "∂/∂x = 6: 1 path" in drawn(own, ":why x^2 wrt x")


def test_an_option_without_its_value_is_shown_one():
    with pytest.raises(ExprgradError, match="order needs a value, such as order 2"):
        Session().run(":diff x^2 order")
