"""What a text says is read once: every notation, in text and LaTeX, gives the same question at every door."""

from __future__ import annotations

import contextlib
import json

import pytest

from exprgrad import ExprgradError, Session, check
from exprgrad.checking.kinds.kinds import formula, posed
from exprgrad.checking.kinds.rows import KINDS, Kind, words
from exprgrad.checking.problems import judge
from exprgrad.cli.start import run
from exprgrad.grading.audit import audit
from exprgrad.grading.grade import grade_sheet
from exprgrad.grading.sheet import read_row, read_sheet
from exprgrad.graph.value import node
from exprgrad.language import questions
from exprgrad.language.questions import Definition, Notation, Scope, questions_in, read
from exprgrad.operations.table import ADD

# text, kind, what it is about, variables, claims, point
READ = [
    ("d/dt t^3 = 3t^2", "derivative", "t^3", ("t",), ("3t^2",), None),
    (r"\frac{d}{dt} t^3 = 3t^2", "derivative", "t^3", ("t",), ("3t^2",), None),
    ("d(t^3)/dt = 3t^2", "derivative", "(t^3)", ("t",), ("3t^2",), None),
    ("D_t t^3 = 3t^2", "derivative", "t^3", ("t",), ("3t^2",), None),
    ("diff(t^3, t) = 3t^2", "derivative", "t^3", ("t",), ("3t^2",), None),
    ("diff(s t^3, t, 2, s) = 6t", "derivative", "s t^3", ("t", "t", "s"), ("6t",), None),
    ("diff(t^3, 2, t) = 6t", "derivative", "t^3", ("t", "t"), ("6t",), None),
    ("(t^3)' = 3t^2", "derivative", "(t^3)", (), ("3t^2",), None),
    ("the derivative of t^3 is 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("the slope of t^3 at t = 2 is 12", "derivative", "t^3", (), ("12",), "t = 2"),
    (r"The slope of $t^3$ at $t = 2$ is $12$.", "derivative", "t^3", (), ("12",), "t = 2"),
    ("g(t) = t^3; g'(t) = 3t^2 = 3t*t", "derivative", "t^3", (), ("3t^2", "3t*t"), None),
    ("if g(t) = t^3 then g'(t) = 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("at t = 2, d/dt t^3 = 12", "derivative", "t^3", ("t",), ("12",), "t = 2"),
    ("w = t^3. At t = 2 we have dw/dt = 12", "derivative", "t^3", ("t",), ("12",), "t = 2"),
    (r"Let $w = t^3$. When $t = \frac12$, $\frac{dw}{dt} = \frac34$.", "derivative", "t^3", ("t",), (r"\frac34",), r"t = \frac12"),
    ("when s = 1 and t = 2, d/dt (s t^3) = 12", "derivative", "(s t^3)", ("t",), ("12",), "s = 1 and t = 2"),
    ("g(t) = t^3; at t = 2, g'(t) = 12", "derivative", "t^3", (), ("12",), "t = 2"),
    ("w = s t^3; at (1, 2), ∂w/∂t = 12", "derivative", "s t^3", ("t",), ("12",), "(1, 2)"),
    ("g(t) = t^3 → g'(t) = 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("w = t^3 -> w' = 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("derivative of sin(t) = cos(t)", "derivative", "sin(t)", (), ("cos(t)",), None),
    ("P(t) = P0 t^3, P'(t) = 3 P0 t^2", "derivative", "P0 t^3", (), ("3 P0 t^2",), None),
    ("N(t) = N_0 t^3, N'(t) = 3 N_0 t^2", "derivative", "N_0 t^3", (), ("3 N_0 t^2",), None),
    ("gradient of r s t is (st, rt, rst)", "gradient", "r s t", (), ("(st, rt, rst)",), None),
    ("let w = t^3; dw/dt = 3t^2", "derivative", "t^3", ("t",), ("3t^2",), None),
    ("find dw/dt if w = t^3", "derivative", "t^3", ("t",), (), None),
    ("g(s, t) = s t^3; g_t = 3s t^2", "derivative", "s t^3", ("t",), ("3s t^2",), None),
    (r"g(s,t) = s t^3;\; \frac{\partial g}{\partial t} = 3s t^2", "derivative", "s t^3", ("t",), ("3s t^2",), None),
    ("s^2 + t^2 = 4, s' = -t/s", "implicit", "s^2 + t^2 = 4", (), ("-t/s",), None),
    (r"Let $s^2 + t^2 = 4$. Then $\frac{ds}{dt} = -\frac{t}{s}$.", "implicit", "s^2 + t^2 = 4", ("t",), (r"-\frac{t}{s}",), None),
    (r"\int 3t^2\,dt = t^3 + C", "antiderivative", "3t^2", ("t",), ("t^3 + C",), None),
    ("an antiderivative of 3t^2 is t^3", "antiderivative", "3t^2", (), ("t^3",), None),
    ("tangent to t^2 at t = 1: y = 2t - 1", "tangent", "t^2", (), ("y = 2t - 1",), "t = 1"),
    ("g(s, t) = s t; ∇g = (t, s)", "gradient", "s t", (), ("(t, s)",), None),
    ("∂_t (t^3) = 3t^2", "derivative", "(t^3)", ("t",), ("3t^2",), None),
    ("D^2(t^3) = 6t", "derivative", "(t^3)", (), ("6t",), None),
    ("g(t) = t^3; Dg(t) = 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("w = s t^3, w_t = 3s t^2", "derivative", "s t^3", ("t",), ("3s t^2",), None),
    ("dw/dt = 3t^2 where w = t^3", "derivative", "t^3", ("t",), ("3t^2",), None),
    ("dw/dt = 3t^2; w = t^3", "derivative", "t^3", ("t",), ("3t^2",), None),
    ("w = t^3; v = dw/dt = 3t^2", "derivative", "t^3", ("t",), ("3t^2",), None),
    ("w = t^3 => w' = 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("w = t^3; dw/dt = ?", "derivative", "t^3", ("t",), (), None),
    ("the rate of change of t^3 at t = 2 is 12", "derivative", "t^3", (), ("12",), "t = 2"),
    ("the slope of the tangent to y = t^3 at t = 2 is 12", "derivative", "t^3", (), ("12",), "t = 2"),
    ("d/dt (t^3) at t = 2 is 12", "derivative", "(t^3)", ("t",), ("12",), "t = 2"),
    ("differentiating t^3 gives 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("differentiating t^3, we get 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("3t^2 is the derivative of t^3", "derivative", "t^3", (), ("3t^2",), None),
    ("t^3 has the derivative 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("the derivative of t^3 is given by 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    (r"$t^3$, whose derivative is $3t^2$", "derivative", "t^3", (), ("3t^2",), None),
    (r"The derivative of $g(t) = t^3$ is $g'(t) = 3t^2$", "derivative", "t^3", (), ("3t^2",), None),
    ("differentiate t^3: 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    (r"f(t) = \frac{1}{t}; \frac{df}{dt} = -\frac{1}{t^2}", "derivative", r"\frac{1}{t}", ("t",), (r"-\frac{1}{t^2}",), None),
    ("d/dt d(t^3)/dt = 6t", "derivative", "d(t^3)/dt", ("t",), ("6t",), None),
    ("s = sin(t); ds/dt = cos(t)", "derivative", "sin(t)", ("t",), ("cos(t)",), None),
    ("lim_{h→0} (1/(x+h) - 1/x)/h = -1/x^2", "derivative", "1/x", ("x",), ("-1/x^2",), None),
    (r"\lim_{h\to 0} \frac{\sin(x+h) - \sin x}{h} = \cos x", "derivative", r"\sin x", ("x",), (r"\cos x",), None),
    ("w = g(t) = t^3; dw/dt = 3t^2", "derivative", "t^3", ("t",), ("3t^2",), None),
    (r"w = g(\theta) = \theta^3, g'(\theta) = 3\theta^2", "derivative", r"\theta^3", (), (r"3\theta^2",), None),
    (r"y = t^9; y^{(9)} = 3\sin t", "derivative", "t^9", (), (r"3\sin t",), None),
    (r"g(t) = t^9; g^{(7)}(t) = 3\sin t", "derivative", "t^9", (), (r"3\sin t",), None),
    (r"g(t) = t^3; \boxed{g'(t) = 3t^2}", "derivative", "t^3", (), ("3t^2",), None),
    (r"g(t) = \begin{cases} t & t>0 \\ 0 & t<0 \end{cases}; g'(t) = 1", "derivative", r"\begin{cases} t & t>0 \\ 0 & t<0 \end{cases}", (), ("1",), None),
    (r"\frac{d}{dt} t^3 &= 3t^2 && \text{power rule}", "derivative", "t^3", ("t",), ("3t^2",), None),
    ("d/dx(x^2) + x = 3x", "equation", "d/dx(x^2) + x", (), ("3x",), None),
    ("g(t) = t^3, find g'(t): 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("w = t^3; w': 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("g(t) = t^3; g'(2): 12", "derivative", "t^3", (), ("12",), None),
    ("d/dt (t^3): 3t^2", "derivative", "(t^3)", ("t",), ("3t^2",), None),
    ("s^2 + t^2 = 4, find ds/dt: -t/s", "implicit", "s^2 + t^2 = 4", ("t",), ("-t/s",), None),
    ("slope of the tangent line to y = t^3 at t=2: 12", "derivative", "t^3", (), ("12",), "t=2"),
    ("y': t^3", "derivative", "t^3", (), (), None),
    ("w = t^3; w' = dw/dt = 3t^2", "derivative", "t^3", ("t",), ("3t^2",), None),
    ("w = t^3; w' = g'(t) = 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("d/dt (t^3) = w' = 3t^2", "derivative", "(t^3)", ("t",), ("3t^2",), None),
    ("g'(t) = (t^3)' = 3t^2", "derivative", "(t^3)", (), ("3t^2",), None),
    ("g(t) = t^3; g'(t) = d/dt (t^3) = 3t^2", "derivative", "t^3", ("t",), ("3t^2",), None),
    ("s^2 + t^2 = 4; s' = ds/dt = -t/s", "implicit", "s^2 + t^2 = 4", ("t",), ("-t/s",), None),
    ("g(t) = t^3; g'(t) = (t^2)' = 3t^2", "derivative", "t^3", (), ("(t^2)'", "3t^2"), None),
    ("g(t) = t^3; g'(t) = g''(t) = 6t", "derivative", "t^3", (), ("(d^2/dt^2 (t^3))", "6t"), None),
    ("g(t) = h(t) + 3t; g'(t) = h'(t) = 3", "derivative", "h(t) + 3t", (), ("h'(t)", "3"), None),
    ("(a) d/dt (t^3) = 3t^2", "derivative", "(t^3)", ("t",), ("3t^2",), None),
    ("(iv) g(t) = t^3; g'(t) = 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("1) g(t) = t^3; g'(t) = 3t^2", "derivative", "t^3", (), ("3t^2",), None),
    ("2. d/dt (t^3) = 3t^2", "derivative", "(t^3)", ("t",), ("3t^2",), None),
    ("(2) d/dt (t^3) = 6t^2", "equation", "(2) d/dt (t^3)", (), ("6t^2",), None),
    ("g(t) = t^12; g^(10)(t) = 3t^2", "derivative", "t^12", (), ("3t^2",), None),
    ("g(t) = t^5, g^(4)(t) = 120t", "derivative", "t^5", (), ("120t",), None),
]  # fmt: skip


ANYTHING = Scope(kinds=words())


@pytest.mark.parametrize(("text", "kind", "given", "wrt", "claims", "at"), READ)
def test_a_text_is_read_in_any_notation(text, kind, given, wrt, claims, at):
    [question] = questions_in(read(text, ANYTHING))
    assert question.kind == kind
    assert [piece.text for piece in question.given] == [given]
    assert question.wrt == wrt
    assert tuple(piece.text for piece in question.claims) == claims
    assert (question.at and question.at.text) == at


@pytest.mark.parametrize("text", [row[0] for row in READ])
def test_every_piece_stands_at_its_place_in_the_text(text):
    for question in questions_in(read(text, ANYTHING)):
        for piece in (question.asked, *question.given, *question.claims):
            assert piece.source[slice(*piece.span)] == piece.text


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("x^2\nx^3", 2),
        ("x^2\n+ x^3", 1),
        ("x^2 +\nx^3", 1),
        ("(x^2\nx^3)", 1),
        ("x^2\n- x^3", 1),
        ("d/dx x^2\n= 2x\n= 2*x", 1),
        ("y = x^2, y' = 2x", 2),
        ("x^2 y at x=1, y=2", 1),
    ],
)
def test_two_lines_are_two_statements_unless_one_goes_on(text, count):
    assert len(list(questions.statements(text, ANYTHING))) == count


DOORS = {
    "command": lambda text: _exit(["check", text]),
    "bare": lambda text: _exit([text]),
    "session": lambda text: Session().run(text)[-1].verdict.status,
    ":check": lambda text: Session().run(f":check {text}")[-1].verdict.status,
    "sheet": lambda text: [v.status for _, v in grade_sheet(read_sheet(text))][-1],
    "document": lambda text: _of_document(text),
}


def _exit(argv):
    return {0: "correct", 1: "incorrect"}.get(run([*argv, "--format", "json"]))


def _of_document(text):
    [claim] = audit(f"# Notes\n\nWe have {text}.\n", "notes.md").claims
    return {"right": "correct", "wrong": "incorrect"}.get(claim.status)


CLAIMS = [
    ("d/dt (t^3) = {}", "3t^2", "2t^2"),
    ("diff(t^3, t) = {}", "3t^2", "3t"),
    ("the slope of t^3 at t = 2 is {}", "12", "8"),
    ("an antiderivative of 3t^2 is {}", "t^3", "6t"),
    ("t^2 + s^2 = 4; ds/dt = {}", "-t/s", "t/s"),
    ("s = sin(t); ds/dt = {}", "cos(t)", "sin(t)"),
    ("g(s, t) = t/s; g_t = {}", "1/s", "s"),
    ("f(t) = t^2; Df(t) = {}", "2t", "3t"),
    ("the rate of change of t^3 at t = 2 is {}", "12", "8"),
    ("lim_(h->0) ((t+h)^3 - t^3)/h = {}", "3t^2", "3t"),
    ("d/(dt) (t^3) = {}", "3t^2", "t^2"),
    (r"\frac{{\rm d}}{{{{\rm d}}t}} t^3 = {}", "3t^2", "2t^2"),
    (
        r"\frac{{\partial}}{{\partial \hat{{y}}}} (t-\hat{{y}})^2 = {}",
        r"-2(t-\hat{y})",
        r"2(t-\hat y)",
    ),
    ("g(t) = t^4; g^(3)(t) = {}", "24t", "t^12"),
    ("g(t) = t^4; g^{{(2)}}(1) = {}", "12", "1"),
    ("d/dt σ(t) = {}", "σ(t)(1 - σ(t))", "σ(t)(1 - t)"),
    ("g(t) = σ(bt); g'(t) = {}", "b g(t)(1 - g(t))", "g(t)(1 - g(t))"),
    (
        r"\frac{{d}}{{dt}} \sigma(3t) = {}",
        r"3\sigma(3t)(1 - \sigma(3t))",
        r"\sigma(3t)(1 - \sigma(3t))",
    ),
    ("k(t) = g(h(t)); k'(t) = {}", "g'(h(t)) h'(t)", "g'(h'(t))"),
    (r"g(t) = t^3; g'\left(\frac{{1}}{{2}}\right) = {}", r"\frac34", r"\frac14"),
    (r"g(t) = t^3; g'\!\left(t\right) = {}", "3t^2", "2t^2"),
    (r"(t^3)'\bigl(-\tfrac12\bigr) = {}", r"\frac34", r"-\frac34"),
]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("text", "right", "wrong"), CLAIMS)
def test_a_claim_is_judged_alike_at_every_door(door, text, right, wrong):
    assert DOORS[door](text.format(right)) == "correct"
    assert DOORS[door](text.format(wrong)) == "incorrect"


OF_INVERSES = [
    ("g(t) = t^3 + t; (g^-1)'(2) = {}", "1/4", "1/13"),
    ("g(t) = e^t; (g⁻¹)'(t) = {}", "1/t", "e^t"),
    ("g(t) = t + ln t; (g^-1)'(1) = {}", "1/2", "2"),
    (r"g(t) = t^3/3 + t; (g^{{-1}})'(\frac43) = {}", r"\frac12", "2"),
]


@pytest.mark.parametrize("door", sorted({*DOORS} - {"document"}))
@pytest.mark.parametrize(("text", "right", "wrong"), OF_INVERSES)
def test_an_exponent_of_minus_1_at_a_function_names_its_inverse(door, text, right, wrong):  # fmt: skip
    assert DOORS[door](text.format(right)) == "correct"
    assert DOORS[door](text.format(wrong)) == "incorrect"


OF_RATES_OR_CONDITIONED = [
    ("s = 4/3 π r^3; ds/dt = {}", "4π r^2 dr/dt", "4π r dr/dt"),
    ("s = r^2 h; ds/dt = {}", "2r h r' + r^2 h'", "2r r' h'"),
    ("s = x^2; ds/dt = {}", "2x (dx/dt), x > 0", "2x"),
    (r"s = r^2; \frac{{ds}}{{dt}} = {}", r"2r \frac{dr}{dt}", r"\frac{dr}{dt}"),
    ("d/dt ln t = {}", "1/t, t > 0", "1/t^2, t > 0"),
    ("d/dt |t| = {}", "1 for t > 0", "-1 for t > 0"),
    ("d/dt ln|t| = {}", "1/t, t ≠ 0", "-1/t, t ≠ 0"),
    ("d/dt t^2 = {}", "2t for all t", "t for all real t"),
    (r"\frac{{d}}{{dt}} \ln t = {}", r"\frac1t,\quad t > 0", r"t \text{ for } t > 0"),
]


@pytest.mark.parametrize("door", sorted({*DOORS} - {"document"}))
@pytest.mark.parametrize(("text", "right", "wrong"), OF_RATES_OR_CONDITIONED)
def test_an_answer_may_hold_rates_or_end_in_conditions(door, text, right, wrong):
    assert DOORS[door](text.format(right)) == "correct"
    assert DOORS[door](text.format(wrong)) == "incorrect"


OF_NAMES_IN_LATEX = [
    (r"$u = t^2$; $y = \sin u$; $\frac{{dy}}{{dt}} = {}$", r"2t\cos u", r"\cos u"),
    (r"$f(t) = \frac{{t}}{{2}}$; $g(t) = f(t)^2$; $g'(t) = {}$", r"\frac{t}{2}", r"2f(t)"),
    (r"$s(t) = t^3$; $v(t) = s'(t)$; $v'(t) = {}$", "6t", "3t^2"),
    (r"$s = \frac{{t^3}}{{3}}$; $v = \frac{{ds}}{{dt}}$; $\frac{{dv}}{{dt}} = {}$", "2t", "t^2"),
    (r"$s(t) = t^3$, $v(t) = s'(t)$, $v(2) = {}$", "12", "13"),
    (r"$x = \cos\theta$; $\theta = 3t$; $\frac{{dx}}{{dt}} = {}$", r"-3\sin(3t)", r"-\sin(3t)"),
    (r"$r(\theta) = 1 + \cos\theta$; $r'(\theta) = {}$", r"-\sin\theta", r"\sin\theta"),
    (r"$r(\theta) = \cos\theta$; $r'(\pi) + 1 = {}$", "1", "2"),
    (r"$f(t) = t^2$; $f'\left(\frac{{10}}{{3}}\right) = {}$", r"\frac{20}{3}", "2"),
    (r"$f(\alpha, \beta) = \alpha\beta^2$; $f_\beta(\alpha, \beta) = {}$", r"2\alpha\beta", r"\alpha\beta^2"),
]  # fmt: skip


@pytest.mark.parametrize("door", ["command", "bare"])
@pytest.mark.parametrize(("text", "right", "wrong"), OF_NAMES_IN_LATEX)
def test_names_that_a_text_defines_are_written_out_in_latex_too(
    door, text, right, wrong
):
    assert DOORS[door](text.format(right)) == "correct"
    assert DOORS[door](text.format(wrong)) == "incorrect"


@pytest.mark.parametrize("mark", ["", "$"])
def test_a_derivative_with_a_name_before_it_gives_the_name_to_it(mark, capsys):
    text = "{0}s(t)=t^3{0}; {0}v(t)=s'(t)=3t^2{0}; {0}a(t)=v'(t)={1}{0}"
    assert run(["check", text.format(mark, "6t")]) == 0
    assert run(["check", text.format(mark, "5t")]) == 1
    assert capsys.readouterr().out.count("✓ correct: 3t^2") == 2


def test_what_has_no_rate_in_an_answer_is_said_to_be_constant(capsys):
    assert run(["check", "V = π r^2 h; dV/dt = 2π r h dr/dt"]) == 0
    assert "h is taken as constant" in capsys.readouterr().out
    assert run(["check", "r^2 + 1", "3r dr/dt", "--wrt", "t"]) == 1
    assert "d/dt (r^2 + 1) is not equal to 3r dr/dt" in capsys.readouterr().out


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("d/dt t^2 + t = 2t + t", "correct"),
        ("d/dt t^2 + t = 2t + 1", "correct"),
        ("d/dt (t^2 + t) = 2t + t", "incorrect"),
        ("d/dt t^2 + t = 3t^2", "incorrect"),
        ("d/dt t^2 == 2t", "correct"),
        ("d/dt t^2 == 3t", "incorrect"),
        ("d/dt if(t == 2, 1, t^2) = 2t", "correct"),
    ],
)
def test_a_derivative_without_brackets_reaches_as_far_as_makes_the_claim_right(
    door, claim, status
):
    assert DOORS[door](claim) == status


@pytest.mark.parametrize("door", DOORS)
def test_a_notation_is_one_row_that_every_door_finds(door, monkeypatch):
    own = [
        Notation(r"slopeof\((?P<of>.*)\)by(?P<wrt>\w)"),
        Notation(r"(?P<wrt>\w)\s*~>\s*(?P<of>.+)"),
    ]
    monkeypatch.setattr(questions, "NOTATIONS", [*own, *questions.NOTATIONS])
    for notation in ("slopeof(t^3)byt = {}", "t ~> t^3 = {}"):
        assert DOORS[door](notation.format("3t^2")) == "correct"
        assert DOORS[door](notation.format("3t")) == "incorrect"


@pytest.mark.parametrize("door", DOORS)
def test_a_kind_is_one_row_that_every_door_finds(door, monkeypatch):
    def answer(request):
        f, name = request.function(), "double"
        compared = formula(name, node(ADD, (f.root, f.root)), request.answer())
        return posed(request, f, f"{name} of {f.title}", f.variables, [compared])

    begins, rest = "double", r"\s+of\s+(?P<of>.+)"
    row = Kind(answer, (), ((begins, rest),), "double of x: 2x")
    monkeypatch.setitem(KINDS, "double", row)
    assert DOORS[door]("the double of t^3 is 2t^3") == "correct"
    assert DOORS[door]("the double of t^3 is 3t^2") == "incorrect"


def test_the_cells_of_a_class_set_are_read_like_a_line():
    found = read_row("g(s, t) = s t^3; g_t", "3s t^2")
    assert judge(found).status == "correct"


def test_definitions_keep_their_names_and_parameters():
    [found] = read("g(s, t) = s t^3")
    assert isinstance(found, Definition)
    assert (found.name, found.parameters, found.given.text) == ("g", ("s", "t"), "s t^3")  # fmt: skip


def test_a_name_for_a_function_that_is_defined_beside_it_is_defined_too(capsys):
    first, second = read("z = g(s, t) = s t^3")
    assert (first.name, first.parameters) == ("g", ("s", "t"))
    assert (second.name, second.given) == ("z", first.given)
    assert run(["y = g(t) = t^2"]) == 0
    assert "2*t" in capsys.readouterr().out


def test_a_bracket_that_is_not_closed_is_refused_with_its_place():
    with pytest.raises(ExprgradError, match="never closed") as caught:
        read("d/dx (x^2 = 2x")
    assert caught.value.span == (5, 6)


@pytest.mark.parametrize("text", ["x^2 = = 2x", "the derivative of is 2x"])
def test_what_is_missing_is_said(text):
    with pytest.raises(ExprgradError, match="something is missing"):
        read(text, ANYTHING)


def test_a_line_about_a_function_that_nobody_defined_is_no_step(tmp_path, capsys):
    file = tmp_path / "work.txt"
    file.write_text("f(x) = x^2\ng'(x) = 2x\n")
    assert run(["check", "--work", str(file)]) == 2
    assert "g is not defined" in capsys.readouterr().out


def test_two_lines_have_two_results(tmp_path, capsys):
    file = tmp_path / "two.txt"
    file.write_text("x^2\nx^3\n")
    assert run(["diff", "--file", str(file)]) == 0
    out = capsys.readouterr().out
    assert "2*x" in out
    assert "3*x^2" in out


def test_a_point_is_the_number_that_is_typed():
    assert check("tan(x)", "2", at={"x": "pi/4"}).status == "correct"


@pytest.mark.parametrize(
    ("claim", "status"),
    [("2x = 2*x", "correct"), ("2x = 3x", "incorrect"), ("3x = 2x", "incorrect")],
)
def test_every_member_of_a_chain_is_claimed(claim, status):
    assert check("x^2", claim).status == status


@pytest.mark.parametrize("claim", ["2x.", "y' = 2x. ", "f'(x) = 2*x."])
def test_a_claim_may_end_a_sentence(claim, capsys):
    assert check("x^2", claim).status == "correct"
    assert run(["check", "x^2", claim]) == 0


def test_a_claim_in_json_is_one_object(capsys):
    assert run(["check", "the slope of t^3 at t = 2 is 12", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "correct"


def test_piece_of_latex_that_ends_with_an_exponent_is_whole():
    (question,) = questions.read(r"\frac{d}{dx} x^{3}")
    assert question.given[0].text == "x^{3}"


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("derivative fo x^3", "x^3"),
        ("the derivitave of e^x", "e^x"),
        ("derivative calculator x^2 sin x", "x^2 sin x"),
        ("Use the product rule to find the derivative of x^2 cos x", "x^2 cos x"),
        ("derivative of x^2 in respect to x", "x^2"),
        ("Find the gradient of f(x,y) = x^2 y + y^3.", "x^2 y + y^3"),
    ],
)
def test_function_is_found_among_the_words_of_a_question(text, given):
    (question,) = questions.read(text, ANYTHING)
    assert [piece.text for piece in question.given] == [given]


def test_columns_of_an_alignment_are_no_part_of_its_formula():
    (definition,) = questions.read(r"\begin{alignat}{2} y &= x^2 \end{alignat}")
    assert (definition.name, definition.given.text) == ("y", "x^2")


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        (
            r"\left.\frac{dy}{dx}\right|_{x=2} = 12",
            [[r"\left.\frac{dy}{dx}\right|_{x=2}", "12"]],
        ),
        ("f'(x) = 2x, x > 0", [["f'(x)", "2x"]]),
        (r"f'(2) = \sqrt2 \approx 1.41 = 1", [["f'(2)", r"\sqrt2"]]),
        (r"a = 1 \\ &\approx 2", [["a", "1"]]),
        ("= 2x", [["", "2x"]]),
        ("x = 1, 2", [["x", "1"]]),
        ("x = 1,000", [["x", "1,000"]]),
        (
            r"f_{x}(x, y) = y, f_{y}(x, y) = x",
            [["f_{x}(x, y)", "y"], ["f_{y}(x, y)", "x"]],
        ),
        (r"y = x^2 \Rightarrow y' = 2x = x + x", [["y", "x^2"], ["y'", "2x", "x + x"]]),
    ],
)
def test_formula_has_sides_up_to_a_comparison_or_condition(text, sides):
    found = [[side.text for side in one] for one in questions.formulas(text, {})]
    assert found == sides


@pytest.mark.parametrize(
    "text",
    [
        "d^2/dxy½n",
        r"x=2 * \frac is xy x : dy/dx squared",
        r"\frac{d}{dx}(x^2)^",
        r"\frac{d}{dx}\frac{d}{dx} x^2 = 2",
        "d/dx d(t^3)/dt = 3t^2 )",
        "directional derivative of x^2 y in the direction (1,1) of order 2",
    ],
)
def test_odd_texts_are_read_or_refused(text):
    with contextlib.suppress(ExprgradError):
        read(text)
    with contextlib.suppress(ExprgradError):
        list(questions.formulas(text, {}))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("y = x^2; y'(x)", "d/dx = 2*x"),
        ("y = x^2; y''(x)", "d^2/dx^2 = 2"),
        ("y = x^2; y'(3)", "= 6 at x = 3"),
        ("y = e^x; y'(e)", "exp(e)"),
        ("f(x) = x^2, g(x) = x + 1, h = f∘g; h'(x)", "d/dx = 2*(x + 1)"),
    ],
)
def test_what_stands_behind_a_prime_is_a_variable_or_a_place(text, shown, capsys):
    assert run([text]) == 0
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "sign"),
    [("x^2 = 2x", "="), ("/ : is squared f'(x)", "is"), (r"x^2 \equiv 1", r"\equiv")],
)
def test_what_makes_an_equation_of_a_function_is_pointed_at(text, sign, capsys):
    assert run(["check", text, "x"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"error: '{sign}' does not belong in an expression")
    assert "^" * len(sign) in told


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("d/dx x^2 + d/dx x^3", "2x + 3x^2", "equation"),
        ("d/dx x^2 * d/dx x^3", "6x^3", "equation"),
        ("d/dx x^2 + diff(x^3, x)", "2x + 3x^2", "equation"),
        (r"\frac{d}{dx} x^2 - \frac{d}{dx} x^3", "2x - 3x^2", "equation"),
        ("d/dx d/dx x^3 + x", "6x", "derivative"),
        ("d/dx x d/dx x^2", "4x", "derivative"),
    ],
)
def test_an_operator_ends_where_another_derivative_begins_at_every_door(
    text, value, kind
):
    [question] = questions_in(read(f"{text} = {value}"))
    assert question.kind == kind
    assert run(["check", text, value]) == 0
    assert run(["check", f"{text} = {value}"]) == 0


@pytest.mark.parametrize("text", ["y = f(x) = ", "y = f(x) = $"])
def test_a_name_for_a_function_without_a_formula_is_no_accident(text):
    [said] = read(text)
    assert isinstance(said, Definition)
    assert said.given.text == text.partition("=")[2].partition("=")[0].strip()


def test_a_rate_that_is_given_is_no_claim_about_a_number():
    with pytest.raises(ExprgradError, match="the rate of r is given here"):
        read("A = pi*r^2; dr/dt = 3; r = 2; dA/dt = 12pi")
    assert len(read("y = 5; dy/dt = 3")) == 2  # a constant, and a wrong claim about it


@pytest.mark.parametrize("body", ["f'(x) + 1", " * ".join(["f'(x)"] * 30)])
def test_a_function_of_its_own_derivative_is_refused(body, capsys):
    assert run([f"f(x) = {body}; g(x) = f'(x); g'(x) = 1"]) == 2
    assert "f cannot be used here" in capsys.readouterr().err
