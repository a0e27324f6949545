"""Worked solutions: how lines are read, which one is the first that is wrong, and what went wrong there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exprgrad
from exprgrad import check_work
from exprgrad.checking.judging import Verdict
from exprgrad.checking.work.sheet import problem_of, read_work
from exprgrad.errors import UsageError


def statuses(work: Verdict) -> list[str]:
    """The status of every line."""
    return [line.status for line in work.lines]


ACCEPTED = {
    "a chain over several lines": ("x^2*sin(x)", ["y' = 2x sin x + x^2 cos x", "= x(2 sin x + x cos x)"]),
    "a bare chain": ("x^3", ["3x^(3-1)", "3x^2"]),
    "derivatives inside lines": ("e^(3x)", ["dy/dx = e^{3x} * d/dx(3x)", "= e^(3x)*(3x)'", "dy/dx = 3e^(3x)"]),
    "a prime behind a call": ("sin(3x)", ["sin(3x)' = cos(3x)(3x)'", "= 3cos 3x"]),
    "several sides on a line": ("x^4", ["y' = (x^2 * x^2)' = 2x * x^2 + x^2 * 2x = 4x^3", "y' = 4x^3 ."]),
    "brackets of every kind": ("x^2 sin x", ["d/dx [x^2 sin x] = d/dx{x^2} sin x + x^2 d/dx[sin x]", "f'(x) = x{2 sin x + x cos x}"]),
    "numbering, arrows and words": ("x^2", ["1) Using the power rule with n = 2, we get", "2) => y' = 2x^(2-1)   (power rule)", "(3) Therefore f'(x) = 2x."]),
    "a limit": ("x^2", ["f'(x) = lim_{h->0} [f(x+h) - f(x)]/h", "= lim h→0 (2xh + h^2)/h", "= lim_(h→0) (2x + h) = 2x"]),
    "logarithmic differentiation": ("x^x", ["ln y = x ln x", "y'/y = ln x + x*(1/x)", "y' = y[ln x + 1]", "f'(x) = f(x)[ln x + 1]", "= x^x(ln x + 1)"]),
    "a substitution": ("(x^2+1)^5", ["Let u = x^2 + 1, so y = u^5", "dy/du = 5u^4 and du/dx = 2x", "dy/dx = dy/du * du/dx", "= 5u^4 * 2x", "= 10x(x^2+1)^4"]),
    "the product rule with u and v": ("x^2 sin x", ["u = x^2, v = sin x", "u' = 2x, v' = cos x", "y' = u'v + uv'", "= 2x sin x + x^2 cos x"]),
    "a solved equation": ("x^2 - 4x", ["f'(x) = 2x - 4 = 0", "2x = 4", "⇒ x = 2"]),
    "a value at a point": ("x^2 + 3x", ["f'(x) = 2x + 3", "f'(2) = 7"]),
    "a bare argument that ends at a bracket": ("sin(x)cos(x)", ["f' = cos x cos x + sin x (-sin x)", "= cos²x − sin²x", "= cos 2x"]),
    "an identity as first line": ("tan x", ["tan x = sin x/cos x", "d/dx tan x = (cos^2 x + sin^2 x)/cos^2 x", "= sec^2 x"]),
    "a rewriting as first line": ("3/sqrt(x)", ["= 3x^(-1/2)", "y' = -3/2 x^(-3/2)"]),
    "labels before a colon": ("x^x", ["Take logarithms: ln y = x ln x", "Multiply by y: dy/dx = y (ln x + 1)", "= x^x (ln x + 1)"]),
    "a bracket behind y that is a factor": ("x^x", ["ln(f(x)) = x ln(x)", "y' = y(ln x + 1)", "y' = x^x(ln x + 1)"]),
    "a definition behind its use": ("sin(x)^3", ["y = u^3 with u = sin x", "y' = 3u^2 u' = 3 sin^2 x cos x"]),
    "functions named on the way": ("3t^2 - 4t", ["v(t) = s'(t) = 6t - 4"]),
    "a rule that is recalled": ("sin(x)cos(x)", ["(uv)' = u'v + uv'", "Power rule: d/dx x^n = n x^(n-1)", "f'(x) = cos^2 x - sin^2 x"]),
    "an equation set to 0": ("x^2 - 6x + 5", ["f'(x) = 2x - 6", "Set f'(x) = 0:", "2x - 6 = 0", "x = 3"]),
    "an equation without = 0 above it": ("x^3 - 3x", ["f'(x) = 3x^2 - 3", "3x^2 = 3", "x = 1 or x = -1"]),
    "an equation divided by what is never 0": ("x e^x", ["e^x + x e^x", "1 + x = 0", "x = -1"]),
    "an equation that holds on the domain": ("x^2/2 - ln x", ["x - 1/x", "sqrt(x) = 1", "x = 1"]),
    "two solutions at once": ("x^3 - 3x", ["f'(x) = 3x^2 - 3 = 0", "x = ±1"]),
    "critical points": ("x^4 - 2x^2", ["f'(x) = 4x^3 - 4x", "critical points: x = 0, x = 1, x = -1"]),
    "an inequality behind it": ("x^2 - 6x + 5", ["f'(x) = 2x - 6 > 0 for x > 3"]),
    "values at a place": ("x^3 + 2x", ["dy/dx = 3x^2 + 2", "dy/dx at x = 2 is 14", "dy/dx |_(x=2) = 14", "At x = 2: f'(2) = 14"]),
    "remarks with expressions": ("sin(3x^2)", ["Inner function: 3x^2, its derivative is 6x", "outer: sin(u) -> cos(u)", "y' = 6x cos(3x^2)"]),
    "other ways to write d/dx": ("x^5", ["d(x^5)/dx = 5x^4", "f ' (x) = 5x^4", "Df = 5x^4"]),
    "parts that are called f and g": ("x^3 e^x", ["Product rule: (fg)' = f'g + fg'", "Here f = x^3 and g = e^x", "f' = 3x^2, g' = e^x", "y' = 3x^2 e^x + x^3 e^x"]),
    "a derivative in another letter": ("(2x+3)^4", ["d/du u^4 = 4u^3, du/dx = 2", "y' = 4(2x+3)^3 times 2"]),
    "bullets, ticks and comments": ("x sin x", ["- y' = 1*sin x + x*cos x ✓", "- y' = sin x + x cos x  // done", "**y' = sin x + x cos x**"]),
    "fractions of TeX": ("sin(2x)", ["\\frac{dy}{dx} = 2\\cos(2x)", "\\frac{d}{dx}\\sin(2x) = 2 \\cos(2x)"]),
    "signs of TeX": ("x/(x+1)", ["$f'(x) &= \\frac{(x+1) - x}{(x+1)^2} \\\\", "&= \\frac{1}{(x+1)^2}$"]),
    "operators before names": ("x^2", ["d/dx f(x) = 2x", "d/dx y^2 = 2y y'", "d/dx sin(y) = cos(y) y'", "f(x)' = 2x", "d f/dx = 2x"]),
    "functions of functions": ("x^2", ["ln f(x) = ln(x^2)", "d/dx f(2x) = 2f'(2x)", "f(f(x))' = f'(f(x)) f'(x)", "f' = 2x"]),
    "an equation with letters side by side": ("sin(xy) = x", ["cos(xy)(y + x y') = 1", "y' = (sec(xy) - y)/x"]),
    "a rewriting that holds on a piece": ("ln(x/(x+1))", ["= ln x - ln(x+1)", "y' = 1/x - 1/(x+1)"]),
    "the function in a form that holds on a piece": ("ln(x^2)", ["y = 2 ln x", "y' = 2/x"]),
    "superscripts": ("x²eˣ/√(x²+9)", ["= ((x²+2x)eˣ√(x²+9) − x²eˣ·x/√(x²+9))/(x²+9)", "= xeˣ((x+2)(x²+9) − x²)/(x²+9)^(3/2)"]),
    "a rounded decimal": ("x^3/7", ["y' = 0.428571x^2"]),
}  # fmt: skip


@pytest.mark.parametrize("case", ACCEPTED)
def test_solution_as_people_write_it_is_accepted(case):
    work = check_work(*ACCEPTED[case])
    assert set(statuses(work)) == {"follows"}
    assert (work.verdict, work.first_wrong, work.mistake) == ("correct", None, None)


def test_rule_that_is_recalled_wrongly_is_no_answer():
    work = check_work("x^5", ["Power rule: d/dx x^n = n x^n", "y' = 5x^4"])
    assert statuses(work) == ["unreadable", "follows"]


def test_words_do_not_hide_a_wrong_line():
    for line in ("So by the product rule we get 2x cos x", "Simplify: 2x cos x", "Answer: 2x cos x", "the derivative is 2x cos x"):  # fmt: skip
        assert check_work("x^2 sin x", [line]).first_wrong == 1


@pytest.mark.parametrize("line", ["y' = 2 sine x", "y' = 2 plus x", "y' = 2 over (x + 1)"])  # fmt: skip
def test_words_between_factors_are_not_skipped(line):
    assert statuses(check_work("2x", [line])) == ["unreadable"]
    assert statuses(check_work("2x", ["y' = 2 by the sine rule"])) == ["follows"]


@pytest.mark.parametrize("word", ["times", "plus", "rate"])
def test_word_beside_the_function_of_a_solution_is_asked_about(word):
    with pytest.raises(exprgrad.ExprgradError, match=f"the word {word} stands beside"):
        check_work(f"x^2 {word} x", ["f'(x) = 3x^2"])


def test_line_may_say_where_it_holds():
    work = check_work("|x - 2|", ["f'(x) = 1 for x > 2", "f'(x) = -1 for x < 2"])
    assert statuses(work) == ["follows", "follows"]
    assert (work.verdict, work.conclusion) == ("partly", "the answer is right for x < 2")  # fmt: skip
    assert check_work("|x - 2|", ["f'(x) = -1 for x > 2"]).first_wrong == 1
    assert check_work("x^2", ["f'(x) = 2x for x > 2"]).verdict == "correct"


def test_place_does_not_make_a_wrong_number_right():
    assert check_work("x^3 + 2x", ["dy/dx at x = 2 is 13"]).first_wrong == 1
    assert check_work("x^2 - 6x", ["f'(x) = 2x - 6 = 0", "x = ±3"]).first_wrong == 2


def test_partial_derivative_is_judged_with_its_subscript():
    assert check_work("x^3*y^2", ["f_x(x,y) = 3x^2 y^2"], wrt="x").verdict == "correct"
    assert check_work("x^3*y^2", ["∂f/∂y = 3x^2 y^2"], wrt="y").first_wrong == 1
    lines = ["f_x(1, 2) = 12", "∂²f/∂x∂y = 6x^2 y", "f_x = 3x^2 y^2"]
    assert check_work("x^3*y^2", lines, wrt="x").verdict == "correct"


def test_second_derivative_goes_on_from_the_first():
    lines = ["f'(x) = 2 sin x cos x", "= sin 2x", "f''(x) = 2 cos 2x"]
    assert check_work("sin(x)^2", lines, order=2).verdict == "correct"
    assert check_work("sin(x)^2", lines[:2], order=2).verdict == "unfinished"


WRONG = {
    "a sign": ("x^2 sin x", ["2x sin x + x^2 cos x", "x(2 sin x - x cos x)"], 2, "lost sign"),
    "a bracket": ("t^2 e^t", ["e^t*(t^2 + 2t)", "e^t*t*t + 2"], 2, "lost bracket"),
    "a bracket in an exponent": ("x^3", ["f'(x) = 3x^3 - 1 = 3x^2"], 1, "lost bracket"),
    "the square of a sum": ("1/(1 + x^2)", ["-2x/(1 + x^2)^2", "-2x/(1^2 + (x^2)^2)"], 2, "function of a sum taken term by term"),
    "the root of a sum": ("sqrt(x^2+1)", ["x/sqrt(x^2+1)", "x/(x+1)"], 2, "root of a sum"),
    "the power of a product": ("(2x)^3", ["y = 2x^3"], 1, "power of a product"),
    "the logarithm of a sum": ("ln(x^2+x)", ["y = ln(x^2) + ln(x)"], 1, "function of a sum taken term by term"),
    "cancelling": ("(x^2 + 1)/x", ["(x*2x - (x^2 + 1))/x^2", "(2x - (x^2 + 1))/x"], 2, "wrong cancelling"),
    "a power of a power": ("(x^2)^3", ["y = x^5"], 1, "wrong exponent"),
    "a constant factor": ("(1 + x^2) atan x", ["2x*atan(x) + 1", "x*atan(x) + 1"], 2, "constant factor"),
    "an inner derivative": ("sin(x^3)", ["y' = cos(x^3)"], 1, "inner derivative left out"),
    "an inner derivative of a later line": ("e^(sin(x)^2)", ["e^(sin(x)^2) * d/dx(sin(x)^2)", "e^(sin(x)^2) * 2 sin(x)"], 2, "inner derivative left out"),
    "an inner derivative that stood in the line before": ("x^2 sin(x^2)", ["2x sin(x^2) + 2x^3 cos(x^2)", "x^2 cos(x^2) + 2x sin(x^2)"], 2, "inner derivative left out"),
    "a bracket of the derivative that was not written down": ("tan(x)*(x+1)", ["y' = x*sec(x)^2 + tan(x) + 1"], 1, "lost bracket"),
    "the product rule": ("x^2 sin x", ["2x cos x"], 1, "product of the derivatives"),
    "the quotient rule": ("sin(x)/x", ["(sin x - x cos x)/x^2"], 1, "quotient with swapped order"),
    "a function": ("sin(x^2)", ["cos(x^2)*2x", "2x*sin(x^2)"], 2, "wrong function"),
    "an argument": ("cos(4x)", ["-4sin(4x)", "-4sin(x)"], 2, "wrong argument"),
    "an exponent": ("(1 - x)^3", ["-3(1 - x)^2", "-3(1 - x)^3"], 2, "wrong exponent"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_mistake_is_found_in_its_line_and_named(case):
    f, lines, first, name = WRONG[case]
    work = check_work(f, lines)
    assert work.first_wrong == first
    assert work.verdict == "incorrect"
    assert work.mistake is not None
    assert work.mistake.name == name
    assert work.lines[first - 1].counterexample is not None


def test_lines_that_follow_from_a_wrong_one_are_consequent():
    lines = [
        "y' = 2x sin x - x^2 cos x",
        "= x(2 sin x - x cos x)",
        "= x(2 sin x + x cos x)",
    ]
    work = check_work("x^2 sin x", lines)
    assert statuses(work) == ["wrong", "consequent", "follows"]
    assert work.lines[1].after == 1
    assert work.credit._asdict() == {
        "lines": 3, "follows": 1, "wrong": 1, "consequent": 1, "unreadable": 0, "answer": True,
    }  # fmt: skip


def test_derivative_of_a_wrong_rewriting_is_consequent():
    work = check_work("(x+3)^2", ["y = x^2 + 9", "y' = 2x"])
    assert statuses(work) == ["wrong", "consequent"]
    assert statuses(check_work("x^3", ["f' = 2x^2", "f'' = 4x"], order=2)) == [
        "wrong",
        "consequent",
    ]


def test_second_mistake_behind_a_wrong_line_is_wrong_again():
    work = check_work("x^3 + x", ["y' = 3x + 1", "= 3x + 2"])
    assert statuses(work) == ["wrong", "wrong"]


def test_line_that_is_right_on_a_half_line_says_so():
    work = check_work(
        "sqrt(x^2 + x^4)",
        ["y' = (2x + 4x^3)/(2sqrt(x^2 + x^4))", "= (1 + 2x^2)/sqrt(1 + x^2)"],
    )
    assert work.verdict == "partly"
    assert work.lines[1].notes == ("correct for x > 0, wrong for x < 0",)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("y' = 2x +", "the expression ends after '+', where a value should follow"),
        ("y' = ", "one side of this equation is missing"),
        ("y' = 2ax", "a is not in the problem"),
    ],
)
def test_line_that_cannot_be_read_is_not_called_wrong(line, said):
    work = check_work("x^2", [line, "y' = 2x"])
    assert statuses(work) == ["unreadable", "follows"]
    assert work.lines[0].evidence == said
    assert work.verdict == "unreadable"


def test_answer_that_still_asks_for_a_derivative_is_unfinished():
    assert check_work("sin(x^2)", ["cos(x^2) * d/dx(x^2)"]).verdict == "unfinished"


def test_nothing_to_judge_is_refused():
    with pytest.raises(exprgrad.ExprgradError, match="no line of a solution"):
        check_work("x^2", ["I do not know", ""])
    with pytest.raises(exprgrad.ExprgradError, match="several variables"):
        check_work("x*y", ["y"])


def test_words_and_blank_lines_count_but_are_not_judged():
    work = check_work("x^2", ["By the power rule,", "", "y' = 3x"])
    assert [line.number for line in work.lines] == [3]
    assert work.first_wrong == 3


def test_text_holds_several_solutions():
    text = "f(x) = x^2\nf'(x) = 2x\n\n2) d/dx (x^3) = 3x^2\n\ng(t) = sin(t)\ng''(t) = cos t\n"
    found = read_work(text)
    assert [s.work.verdict for s in found] == ["correct", "correct", "incorrect"]
    assert [s.start for s in found] == [1, 4, 6]
    assert found[2].work.order == 2
    assert found[2].work.first_wrong == 7
    with pytest.raises(exprgrad.ExprgradError, match="no problem"):
        read_work("2x = 3x")
    [other] = read_work("(a) d/dx (x^2 y) = 2x y\n= 2y x")
    assert other.work.verdict == "correct"


@pytest.mark.parametrize(
    "line",
    ["2x + 1", "= 3x", "Then we have", "f'(x) = 2x", "y = x^2, dy/dx = 2x", "x = 1"],
)
def test_line_of_a_solution_does_not_state_a_problem(line):
    assert problem_of(line) is None


def test_a_formula_on_the_first_line_is_the_function_of_the_derivative_below():
    text = "x^3 - 3x\nf'(x) = 3x^2 - 3\n3x^2 = 3\nx = 1\n\nx e^x\ny' = e^x + x e^x\n= (1+x) e^x"
    found = read_work(text)
    assert [solution.work.status for solution in found] == ["correct", "correct"]
    assert [str(solution.work.function) for solution in found] == [
        "x^3 - 3*x",
        "x*exp(x)",
    ]


@pytest.mark.parametrize("text", ["have\nf'(x) = 2x", "x^3 - 3x\nf'(x) = 3x^2 - 3\n\nx^2\n2x", "2x + 2\n= 2(x + 1)"])  # fmt: skip
def test_a_formula_that_may_be_a_step_or_a_word_is_no_function(text):
    with pytest.raises(UsageError, match="there is no problem in this text"):
        read_work(text)


FUNCTIONS = [
    "x^3 - 2x",
    "x^2*sin(x)",
    "ln(x^2 + 1)",
    "x/(x^2 + 1)",
    "e^(2x)*cos(x)",
    "sqrt(x^2 + 4)",
]


def rewritten(f: str, how: list[int]) -> list[str]:
    """Equal lines: the derivative written in several ways."""
    formula = str(exprgrad.parse(f).derivative("x"))
    ways = [
        formula,
        f"({formula})*1",
        f"0 + {formula}",
        f"-(-({formula}))",
        f"d/dx({f})",
        f"(2*({formula}))/2",
    ]
    return [f"y' = {formula}", *(f"= {ways[i]}" for i in how), f"= {formula}"]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.sampled_from(FUNCTIONS), st.lists(st.integers(0, 5), max_size=4))
def test_chain_of_equal_lines_is_accepted(f, how):
    assert check_work(f, rewritten(f, how)).verdict == "correct"


SPOILT = ["-({})", "2*({})", "({}) + 1", "({}) - x", "({})*x", "({})^2", "({})/3"]


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(FUNCTIONS),
    st.lists(st.integers(0, 5), min_size=1, max_size=3),
    st.sampled_from(SPOILT),
    st.data(),
)
def test_chain_with_a_mistake_is_refused_at_that_line(f, how, spoilt, data):
    lines = rewritten(f, how)
    k = data.draw(st.integers(0, len(lines) - 1))
    wrong = [spoilt.format(line.partition("=")[2]) for line in lines[k:]]
    work = check_work(f, [*lines[:k], *(f"y' = {line}" for line in wrong)])
    assert work.first_wrong == k + 1
    assert statuses(work)[k + 1 :] == ["consequent"] * (len(lines) - k - 1)


def test_a_number_is_about_the_place_that_was_named_last():
    good = check_work("x^2", "d/dx x^2\n= 2x\nat x = 3\n= 6", "x")
    assert good.verdict == "correct"
    wrong = check_work("x^2", "d/dx x^2\n= 2x\nat x = 3\n= 7", "x")
    assert wrong.lines[-1].evidence == "at x = 3 this is 7, the derivative is 6"


def test_two_numbers_that_differ_differ_nowhere_in_particular():
    found = check_work("x^2", "f'(x) = 2x\nf'(3) = 7", "x")
    assert found.lines[-1].evidence == "this is 7, it should be 6"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("d/dx (x^2)^3 = 6x^5", "correct"),
        ("d/dx (x+1)(x+2) = (x+2) + (x+1) = 2x + 3", "correct"),
        ("d/dx (x+1)(x+2) = (x+2) + (x+1) = 2x + 1", "incorrect"),
        ("d/dx ½x² = x", "correct"),
        ("d²/dx² x³ = 6x", "correct"),
        ("d/dx(x^2) + 3x = 5x", "correct"),
        ("d/dx(x^2) + 3x = 2x + 3", "incorrect"),
        ("-d/dx cos x = sin x", "correct"),
    ],
)
def test_an_operator_takes_what_it_takes_everywhere(text, status):
    [solution] = read_work(text)
    assert solution.work.status == status


@pytest.mark.parametrize(
    ("lines", "name", "words"),
    [
        (
            ["2x/(x^2-3)", "2x/x^2 - 2x/3"],
            "wrong cancelling",
            "2x/(x^2-3) was cancelled",
        ),
        (["2x/(x^2-3)", "2x/x^2 - 3"], "wrong cancelling", "2x/(x^2-3) was cancelled"),
    ],
)
def test_a_divisor_taken_apart_is_named(lines, name, words):
    mistake = check_work("ln(x^2 - 3)", lines).mistake
    assert (mistake.name, mistake.message[: len(words)]) == (name, words)


def test_the_negative_of_a_sum_stands_in_brackets():
    work = check_work("ln(x^2 + x)", ["(2x+1)/(x^2+x)", "(2x+1)/x^2 + (2x+1)/x"])
    assert work.mistake.message == "x lacks the factor -(x^2+x)"


@pytest.mark.parametrize(
    ("lines", "number", "said"),
    [
        (["3x^2 - 6x", "3x^2 = 6x", "3x = 6", "x = 2"], 3, "x = 0 is lost: the derivative is 0 there too"),
        (["3x^2 - 6x", "3x = 6", "x = 2"], 2, "x = 0 is lost: the derivative is 0 there too"),
        (["3x^2 - 6x", "x^2 - x = 0"], 2, "x = 2 is lost: the derivative is 0 there too"),
        (["3x^2 - 6x", "3x^2 = 5x"], 2, "at x = 1 this is 3, the derivative is -3"),  # it may say what f' is
    ],
)  # fmt: skip
def test_an_equation_with_other_solutions_than_the_derivative_is_wrong(
    lines, number, said
):
    found = check_work("x^3 - 3x^2", lines)
    assert found.first_wrong == number
    assert found.lines[number - 1].evidence == said


@pytest.mark.slow
def test_a_squared_equation_follows_though_it_holds_at_more_places():
    lines = ["x/sqrt(x^2 + 1) - 1/2 = 0", "2x = sqrt(x^2 + 1)", "4x^2 = x^2 + 1", "x = 1/sqrt(3)"]  # fmt: skip
    found = check_work("sqrt(x^2 + 1) - x/2", lines)
    assert found.status == "correct"
    assert "too, where the derivative is not 0" in found.lines[2].evidence


def test_an_equation_of_the_second_derivative_is_about_that():
    found = check_work("x^4 - 6x^2", ["12x^2 - 12", "12x^2 = 12", "x = 1"], order=2)
    assert found.status == "correct"
    assert found.lines[-1].evidence == "the derivative of order 2 is 0 there"
    assert [*found.lines[-1].notes] == ["the derivative of order 2 is 0 at x = -1 too"]


@pytest.mark.parametrize(
    ("f", "lines"),
    [
        ("x^(2/3)*(x - 1)", ["(5x - 2)/(3x^(1/3))", "x(5x - 2) = 0"]),  # f' has no value at 0
        ("x^3 - 3x^2", ["3x^2 - 6x where x > 0", "3x = 6"]),
        ("5", ["0", "2 = 3"]),
        ("sin x", ["cos x", "cos(x)^2 - cos(x) = 0"]),  # zeros without end
    ],
)  # fmt: skip
def test_an_equation_whose_solutions_are_open_is_not_accused_of_them(f, lines):
    said = [line.evidence for line in check_work(f, lines).lines]
    assert not any("lost" in one for one in said)


@pytest.mark.parametrize(
    ("lines", "lost"),
    [
        (["x = 2"], ["the derivative is 0 at x = 0 too"]),
        (["x = 0", "x = 2"], []),
        (["x = 0 or x = 2"], []),
    ],
)
def test_places_where_the_derivative_is_0_too_are_noted(lines, lost):
    found = check_work("x^3 - 3x^2", ["3x^2 - 6x = 0", *lines])
    assert found.status == "correct"
    assert [*found.lines[-1].notes] == lost


def test_a_line_above_the_derivative_continues_the_function():
    lines = ["= x^2 + 1", "f'(x) = 2x"]
    work = check_work("(x+1)^2", lines)
    assert [line.status for line in work.lines] == ["wrong", "consequent"]
    assert "it should be 4" in work.lines[0].evidence
    work = check_work("(x+1)^2", ["= 2x", "f'(3) = 6"])
    assert "the derivative is 2" in work.lines[0].evidence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("last", "conclusion"),
    [
        ("y' = x/y", "the answer is wrong"),
        ("2y y' = 2x; y' = -x/y", "the answer is right, but not every line is"),
        ("y' = -x/y; dy/dx|_(3,4) = 3/4", "the answer is right, but not every line is"),
    ],
)
def test_the_last_equation_on_a_curve_is_the_answer(last, conclusion):
    lines = ["2x + 2y y' = 0", *last.split("; ")]
    assert check_work("x^2 + y^2 = 25", lines).conclusion == conclusion


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("tangent line at x = 3: y = 6x - 9", "follows"),
        ("At x = 3 the tangent line is y - 9 = 6(x - 3)", "follows"),
        ("tangent line at x = 3: y = 6x - 8", "wrong"),
        ("the tangent line at (3, 9) is y = 6x - 9", "unreadable"),
    ],
)
def test_a_tangent_touches_where_its_line_says(line, status):
    assert statuses(check_work("x^2", ["f'(x) = 2x", line])) == ["follows", status]


@pytest.mark.parametrize(
    "lines",
    [
        ["f(3) = 9", "f'(3) = 6", "y - 9 = 6(x - 3)", "y = 6x - 9"],
        ["f'(3) = 6", "y = 6x - 9"],
        ["at x = 3, y' = 6", "y - 9 = 6(x - 3)"],
        ["y - 9 = 6(x - 3)"],
    ],
)
def test_a_line_that_touches_the_curve_is_its_tangent_without_the_word(lines):
    found = check_work("x^2", ["f'(x) = 2x", *lines])
    assert {*statuses(found)} == {"follows"}
    wrong = check_work("x^2", ["f'(x) = 2x", *lines[:-1], "y - 9 = 5(x - 3)"])
    assert statuses(wrong)[-1] == "wrong"


def test_numbers_that_were_put_in_unsaid_refute_nothing():
    lines = ["dV/dt = 4 pi r^2 dr/dt", "100 = 4 pi (25)^2 dr/dt"]
    found = check_work("V = 4/3 pi r^3", lines)
    assert statuses(found) == ["follows", "unreadable"]
    assert found.lines[1].evidence == "it is not said which numbers were put in"
    lines[1:1] = ["r = 25, dV/dt = 100"]
    assert {*statuses(check_work("V = 4/3 pi r^3", lines))} == {"follows"}
    wrong = check_work("V = 4/3 pi r^3", ["dV/dt = 4 pi r dr/dt"])
    assert statuses(wrong) == ["wrong"]


def test_zeros_that_were_found_stay_those_of_the_first_derivative():
    lines = ["f'(x) = 3x^2 - 3", "3x^2 - 3 = 0", "x = 1", "f''(x) = 6x", "f''(1) = 6"]
    found = check_work("x^3 - 3x", lines, order=2)
    assert [*found.lines[-1].notes] == ["the derivative is 0 at x = -1 too"]


def test_rates_of_one_problem_make_no_curve_of_another():
    sheet = "y = x^2\ny' = 2x\n\nx^2 + y^2 = 100\n2x dx/dt + 2y dy/dt = 0\n"
    verdicts = [one.work.verdict for one in read_work(sheet)]
    assert verdicts == ["correct", "correct"]


@pytest.mark.slow
def test_what_is_asked_of_a_curve_is_its_slope():
    work = check_work("x^2 + y^2 = 25", ["2x + 2y y' = 0", "y' = -x/2y"])
    assert work.asked == "dy/dx on x^2 + y^2 - 25 = 0"
    assert work.as_dict()["derivative"] == "-x/y"
    assert work.lines[1].notes == ("-x/2y is read as (-x/2)*y",)


def test_a_derivative_asked_for_above_its_steps_is_judged_by_steps():
    [solution] = read_work("d/dx x^2\n= 3x\n= 2x + x")
    wrong, after = solution.work.lines
    assert (wrong.status, after.status) == ("wrong", "consequent")
    assert wrong.mistake.message == "3x should be 2/3 times as large"


@pytest.mark.parametrize(
    ("f", "line", "status"),
    [
        ("max(x, -2)", "f'(x) = if(x > -2, 1, 0)", "correct"),
        ("abs(x)", "f'(x) = (x > 0) - (x < 0) = sign(x)", "correct"),
        ("abs(x)", "f'(x) = if(x < 0, 1, -1)", "incorrect"),
        ("x^2 - 6x", "y' = 2x - 6 > 0", "correct"),
        ("x^2", "f'(x) = 2x (x > 0)", "correct"),
        ("abs(x)", "f'(x) = 1 (x > 0)", "partly"),
    ],
)
def test_a_comparison_in_brackets_belongs_to_the_formula_and_one_behind_it_says_where(
    f, line, status
):
    assert check_work(f, [line]).status == status


@pytest.mark.parametrize(
    ("line", "judged"),
    [
        ("the normal at x=1 is y = -x/2 + 3/2", []),
        ("tangent at x = 1: y = 2x - 1", ["follows"]),
        ("tangent at x = 1: y = 5x - 1", ["wrong"]),
        ("The tangent line at x = 1 is y = 3x", ["wrong"]),
    ],
)
def test_lines_at_a_point_are_told_from_the_function(line, judged):
    work = check_work("y = x^2", ["y' = 2x", line])
    assert [own.status for own in work.parts[1:]] == judged
    if judged == ["wrong"]:
        assert work.parts[-1].evidence == "the tangent there is 2*x - 1"


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("derivative of x^2 = 2x", "correct"), ("d/dx of x^3 is 3x^2", "correct"),
        ("derivative of x^2 = 3x", "incorrect"),
        ("f(x) = x^2\nf'[x] = 2x", "correct"),
        ("f(x) = x^2 sin x\nThe derivative of x^2 is 2x\n(sin x)' is cos x\nf'(x) = 2x sin x + x^2 cos x", "correct"),
        ("f(x) = x^2 sin x\nThe derivative of x^2 is 3x\nf'(x) = 2x sin x + x^2 cos x", "incorrect"),
        ("f(x) = x^2 sin x\nThe derivative of f is 2x sin x + x^2 cos x", "correct"),
        ("f(x) = x^2\ng(x) = sin x\n(fg)'(x) = 2x sin x + x^2 cos x", "unfinished"),
        ("- f(x) = x^2\nf'(x) = 2x", "correct"),
    ],
)  # fmt: skip
def test_words_and_brackets_of_a_derivative_are_read_on_a_line(text, verdicts):
    [solution] = read_work(text)
    assert solution.work.verdict == verdicts


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("- y = x^2\ny' = 2x", ["undecided"]),
        ("2.1 y = x^2\ny' = 2x", ["undecided"]),
        ("- y = x^2\n- y' = 2x\n\n- y = x^3\n- y' = 2x", ["undecided", "incorrect"]),
        ("- y = x^2\ny' = -2x", ["correct"]),
        ("• y = x^2\ny' = 2x", ["correct"]),
        ("y = x^3\ny(2x)", ["unreadable"]),
        ("y = x^x\ny'/y = ln x + 1\ny' = y(ln x + 1)\n= x^x (ln x + 1)", ["correct"]),
        ("f(x) = e^2x\nf'(x) = 2e^2x", ["undecided"]),
        ("y = x^4\ny' = 4x^3\ny'' = 12x^2\ny^(3) = 24x\ny^(4) = 24", ["correct"]),
        ("y = x^4\ny^(4) = 24x", ["incorrect"]),
        ("y = -1/x\ny' = y^(2)\n= 1/x^2", ["correct"]),
        ("f(x) = (x^2 + 1)(x - 1)\nf'(x) = d/dx (x^2 + 1)(x - 1) + (x^2 + 1) d/dx (x - 1)\n= 3x^2 - 2x + 1", ["correct"]),
        ("f(x) = (x^2 + 1)(x - 1)\nf'(x) = d/dx (x^2 + 1)(x - 1)\n= 3x^2 - 2x + 1", ["correct"]),
        ("f(x) = (x^2 + 1)(x - 1)\nf'(x) = d/dx (x^2 + 1)(x - 1) - (x^2 + 1) d/dx (x - 1)", ["incorrect"]),
        ("$\\frac{d}{dx}(x^2+1)(x-1) = 3x^2-2x+1$", ["correct"]),
        ("dérivée de x^2 = 2x", ["correct"]),
    ],
)  # fmt: skip
def test_what_may_be_meant_otherwise_is_not_called_wrong(text, verdicts):
    assert [solution.work.verdict for solution in read_work(text)] == verdicts


def test_slope_of_a_polar_curve_is_no_step():
    [solution] = read_work("r = 1 + cos θ\ndy/dx = (cos θ + cos 2θ)/(-sin θ - sin 2θ)")
    assert "no step of a solution" in solution.work.message
