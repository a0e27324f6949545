"""Homework sheets and cells: how lines are read, and what is said of those that cannot be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad import ExprgradError, check
from exprgrad.budget import LIMITS
from exprgrad.checking.problems import Problem, judge
from exprgrad.grading.sheet import (
    Unreadable,
    read_row,
    read_sheet,
)
from exprgrad.views.diagnostic import describe


def problems(text: str) -> list[Problem]:
    """The problems of a sheet that can all be read."""
    found = []
    for line in read_sheet(text):
        assert isinstance(line, Problem), getattr(line, "error", None)
        found.append(line)
    return found


def only(text: str) -> Problem:
    [problem] = problems(text)
    return problem


def error_of(text: str) -> ExprgradError:
    """Why the last line cannot be read."""
    line = read_sheet(text)[-1]
    assert isinstance(line, Unreadable), line
    return line.error


# text, function, claim, variable, order
LINES = [
    ("d/dx x^2 = 2x", "x^2", "2*x", "x", 1),
    (
        "d/dx x^2 sin x + 1 = 2x sin x + x^2 cos x",
        "((x^2)*sin(x)) + 1",
        "((2*x)*sin(x)) + ((x^2)*cos(x))",
        "x",
        1,
    ),
    ("d/dx(x^2 + 1) = 2x", "(x^2) + 1", "2*x", "x", 1),
    ("d/dx [x^2 + 1] = 2x", "(x^2) + 1", "2*x", "x", 1),
    ("d/dx (x + 1)(x - 1) = 2x", "(x + 1)*(x - 1)", "2*x", "x", 1),
    ("d/dt t^2 = 2t", "t^2", "2*t", "t", 1),
    ("(x^3)' = 3x^2", "x^3", "3*(x^2)", "x", 1),
    ("(x^3)'' = 6x", "x^3", "6*x", "x", 2),
    ("(x^3)″ = 6x", "x^3", "6*x", "x", 2),
    ("(x^3)’’’ = 6", "x^3", "6", "x", 3),
    ("[x^3]' = 3x^2", "x^3", "3*(x^2)", "x", 1),
    ("(5)' = 0", "5", "0", "x", 1),
    ("d^2/dx^2 sin x = -sin x", "sin(x)", "-sin(x)", "x", 2),
    ("d²/dx² sin x = -sin x", "sin(x)", "-sin(x)", "x", 2),
    ("∂/∂x (x^2 y) = 2xy", "(x^2)*y", "(2*x)*y", "x", 1),
    ("d/dx xy = y", "x*y", "y", "x", 1),
    ("d/dx e^(kx) = e^(kx)", "exp(k*x)", "exp(k*x)", "x", 1),
    ("d/dx rate x = rate", "rate*x", "rate", "x", 1),
    (
        "f(t) = e^(-kt); f'(t) = -k e^(-kt)",
        "exp((-k)*t)",
        "(-k)*exp((-k)*t)",
        "t",
        1,
    ),
    ("f(x)=x^2, f'(x)=2x", "x^2", "2*x", "x", 1),
    ("f(x) = max(x, 1), f'(x) = 1", "max(x, 1)", "1", "x", 1),
    ("f(x) = x^2; f''(x) = 2;", "x^2", "2", "x", 2),
    ("f(x) = x^2; d/dx f(x) = 2x", "x^2", "2*x", "x", 1),
    ("f(x) = x^2; df/dx = 2x", "x^2", "2*x", "x", 1),
    ("f(x, y) = x^2 y; ∂f/∂y = x^2", "(x^2)*y", "x^2", "y", 1),
    ("y = x^2; y' = 2x", "x^2", "2*x", "x", 1),
    ("y = x^2; dy/dx = 2x", "x^2", "2*x", "x", 1),
    ("y = x^2; d^2y/dx^2 = 2", "x^2", "2", "x", 2),
    ("y = x^2; d/dx y = 2x", "x^2", "2*x", "x", 1),
    ("s = t^2 + c; ds/dt = 2t", "(t^2) + c", "2*t", "t", 1),
    ("d/dx if(x <= 2, x, 3) = if(x <= 2, 1, 0)", None, None, "x", 1),
    ("d/dx |x - 1| = sign(x - 1)", "abs(x - 1)", "sign(x - 1)", "x", 1),
    ("d/dx x^2 = 2x  # easy; = is fine here", "x^2", "2*x", "x", 1),
]


@pytest.mark.parametrize(("text", "function", "claim", "variable", "order"), LINES)
def test_line_is_read_as_people_mean_it(text, function, claim, variable, order):
    problem = only(text)
    if function is not None:
        assert problem.function.reading == function
        assert problem.claim.reading == claim
    assert (problem.variable, problem.order, problem.at) == (variable, order, None)


@pytest.mark.parametrize(("text", "function", "claim", "variable", "order"), LINES)
def test_places_lead_to_the_texts_in_the_line(text, function, claim, variable, order):
    problem = only(f"  12) {text}")
    for place, read in zip(
        problem.places, (problem.function, problem.claim), strict=True
    ):
        assert place is not None
        assert problem.source[place:].startswith(read.source)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("f(x) = x^2; f'(3) = 6", {"x": 3}),
        ("f(x) = x^2; f'(-1/2) = -1", {"x": -0.5}),
        ("f(x) = sin x; f'(π) = -1", {"x": pytest.approx(3.141592653589793)}),
        ("y = x^2; y'(3) = 6", {"x": 3}),
        ("y = x^2; dy/dx(3) = 6", {"x": 3}),
        ("f(x, y) = x^2 y; ∂f/∂x(1, 2) = 4", {"x": 1, "y": 2}),
        ("f(x, y) = max(x, y); ∂f/∂x(max(1, 2), 0) = 1", {"x": 2, "y": 0}),
    ],
)
def test_value_in_the_brackets_is_the_point(text, at):
    assert only(text).at == at


@pytest.mark.parametrize(
    ("numbering", "label"),
    [
        ("3a) ", "3a"),
        ("3a)", "3a"),
        ("1. ", "1"),
        ("1.", "1"),
        ("(b) ", "b"),
        ("(12) ", "12"),
        ("12) ", "12"),
        ("b) ", "b"),
        ("iv) ", "iv"),
        ("(iii) ", "iii"),
        ("2.3. ", "2.3"),
        ("Problem 3: ", "Problem 3"),
        ("Ex. 4) ", "Ex. 4"),
        ("Q5. ", "Q5"),
        ("", ""),
    ],
)
@pytest.mark.parametrize(
    "line", ["d/dx x^2 = 2x", "(x^2)' = 2x", "f(x) = x^2; f'(x) = 2x"]
)
def test_numbering_is_not_part_of_the_problem(numbering, label, line):
    problem = only(f" {numbering}{line}")
    assert problem.label == label
    assert problem.function.reading == "x^2"


@pytest.mark.parametrize(
    "line", ["(x)' = 1", "(x) ' = 1", "(b)' = 1", "f(x) = x; f'(x) = 1"]
)
def test_a_letter_in_brackets_that_is_differentiated_is_not_numbering(line):
    assert only(line).label == ""


def test_several_claims_about_one_function_are_several_problems():
    found = problems("g(x) = x^3; g'(x) = 3x^2; g''(x) = 6x, g'(2) = 12")
    assert [p.answer for p in found] == ["3x^2", "6x", "12"]
    assert [p.order for p in found] == [1, 2, 1]


def test_every_part_of_a_chain_of_equations_is_claimed():
    found = problems("d/dx (x+1)^2 = 2(x+1) = 2x + 2")
    assert [p.answer for p in found] == ["2(x+1)", "2x + 2"]


@pytest.mark.parametrize("claim", ["y' = 2x", "dy/dx = 2x", "f'(x) = 2x"])
def test_a_claim_about_one_of_two_names_leaves_nothing_unclaimed(claim):
    found = read_sheet(f"y = f(x) = x^2; {claim}")
    assert [(type(p), p.answer) for p in found] == [(Problem, "2x")]


def test_a_definition_holds_on_the_lines_below_until_the_next():
    found = problems("f(x) = x^2\nf'(x) = 2x\nf(x) = x^3\nf'(x) = 3x^2")
    assert [p.function.reading for p in found] == ["x^2", "x^3"]
    assert [p.line for p in found] == [2, 4]
    assert [p.places[0] for p in found] == [None, None]


def test_lines_above_a_claim_are_given_for_it():
    sheet = """x = t^2
    y = t^3
    dy/dx = 3t/2
    d^2y/dx^2 = 3/(4t)
    y = x^2
    y' = 2x
    u = x^3
    v = u^2
    v' = 6x^5
    d/dx (x^2 u) = 2x*u
    w = u*v
    w' = 9x^8"""
    found = problems(sheet)
    assert [judge(problem).status for problem in found] == ["correct"] * 6


@pytest.mark.parametrize(
    "broken", ["f(x) = (x^3", "f(x) = x^3; f'(x) = ", "f(x)=x +; f'(x) = 1"]
)
def test_definition_that_cannot_be_read_is_not_replaced_by_an_older_one(broken):
    found = read_sheet(f"f(x) = x^2\nf'(x) = 2x\n{broken}\nf'(x) = 3x^2")
    assert [type(line) for line in found] == [Problem, Unreadable, Unreadable]
    assert isinstance(found[2], Unreadable)
    assert found[2].error.message == "f is not defined here or above"


def test_claim_that_cannot_be_read_leaves_the_definition():
    found = read_sheet("f(x) = x^2\nf'(x) = (\nf'(x) = 2x")
    assert [type(line) for line in found] == [Unreadable, Problem]


def test_a_name_of_a_function_above_may_be_a_variable_elsewhere():
    found = problems("y = x^2; y' = 2x\n∂/∂x (x^2 y) = 2xy")
    assert found[1].function.reading == "(x^2)*y"


def test_comments_and_blank_lines_are_left_out_and_counted():
    found = problems(
        "# title\n\n  \n\ufeffd/dx x = 1 # note\n# d/dx x = 2\nd/dx x = 1\n"
    )
    assert [p.line for p in found] == [4, 6]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_way(end):
    assert [p.line for p in problems(f"d/dx x = 1{end}{end}d/dx x = 1")] == [1, 3]


def test_the_others_are_read_where_one_cannot_be():
    found = read_sheet("d/dx x = 1\nd/dx sin( = 2\nd/dx x = 1")
    assert [type(line) for line in found] == [Problem, Unreadable, Problem]
    assert [line.line for line in found] == [1, 2, 3]


# text, message, what the caret points at
UNREADABLE = [
    ("d/dx sin(3x = cos", "this '(' is never closed", "("),
    ("d/dx sin 3x) = cos", "this ')' closes nothing", ")"),
    ("d/dx x^2", "there is no answer", ""),
    ("d/dx x^2 =", "there is nothing after '='", "="),
    ("d/dx = 2", "there is nothing to differentiate", "d/dx"),
    ("= 2", "there is nothing to differentiate", "="),
    ("x^2 = 2x", "'x^2 = 2x' does not say what to differentiate", "x^2 = 2x"),
    ("hello", "'hello' does not say what to differentiate", "hello"),
    ("x' + 2 = 3", "\"x' + 2 = 3\" does not say what to differentiate", "x' + 2 = 3"),
    ("d/dx f' = 2", "a prime cannot stand here", "'"),
    ("f(x) = 2 = 3", "a definition has one '='", "="),
    ("d/dx x^2 + = 2x", "the expression ends after '+', where a value should follow", ""),
    ("3a) d/dx x^2 = 2 ** * x", "'*' cannot follow '**'", "*"),
    ("d/dx 1,5x = 1", "a comma does not belong here", ","),
    ("d/dx x = 1,5", "a comma does not belong here", ","),
    ("f(x) = x^2; d/dx 2 +", "there is no answer", None),
    ("d^2/dx^3 x = 2", "d^2/dx^3 has two different orders", "d^2/dx^3"),
    ("d^999/dx^999 x = 2", "the order of a derivative is a whole number from 1 to 100", "d^999/dx^999"),
    (f"d^{'9' * 4600}/dx^{'9' * 4600} x = 2", None, None),
    (f"(x){chr(39) * 130} = 2", "the order of a derivative is a whole number from 1 to 100", None),
    ("q'(x) = 3", "q is not defined here or above", "q'(x)"),
    ("dq/dx = 3", "q is not defined here or above", "dq/dx"),
    ("f(x) = 3", "nothing is claimed about f", "f(x) = 3"),
    ("f(x) = x^2; f'(x+1) = 3", "f is a function of x", "x+1"),
    ("f(x) = x^2; f'(1/0) = 3", "a quotient needs a divisor other than 0", "1/0"),
    ("f(x) = x^2; f'(1, 2) = 3", "f has 1 variable, here are 2", "(1, 2)"),
    ("f(x, y) = x y; f' = 2", "with respect to which variable: x, y?", "f'"),
    ("(a x)' = a", "with respect to which variable: a, x?", "(a x)'"),
    ("(kx)' = 1", "kx is read as one name", "(kx)'"),
    ("sin(x) = x; d/dx sin(x) = 1", "sin is a function and cannot be defined", "sin(x) = x"),
    ("e = x; de/dx = 1", "e is a constant and cannot be defined", "e = x"),
    ("f(2) = x; f' = 1", "'2' cannot be a variable of f", "f(2) = x"),
    ("f(x, y) = x^2 y; ∂f/∂x(x, 2) = 4x", "the value of x is not known here", "4x"),
    ("f(t) = e^(-kt); f'(0) = -k", "the value of k is not known here", "-k"),
    ("d/dx x^2 = d/dx x^2", "an answer cannot ask for a derivative", "d/dx x^2"),
    ("d/dx x^2 = diff(x^2, x)", "an answer cannot ask for a derivative", None),
    ("d/dx $x^2 = 2x", "'$' is not part of the language", "$"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "marked"), UNREADABLE)
def test_what_cannot_be_read_is_reported_with_its_place_in_the_line(
    text, message, marked
):
    error = error_of(text)
    if message is not None:
        assert error.message == message
    assert error.span is not None
    assert error.source == text
    start, end = error.span
    assert 0 <= start <= end <= len(text)
    if marked is not None:
        assert text[start:end] == marked


def test_error_in_a_definition_above_shows_that_definition():
    lines = read_sheet("f(x) = x^2\nd/dx x = 1\nf'(x) = y +")
    assert [line.line for line in lines] == [2, 3]


def test_sheet_without_a_problem_is_an_error():
    for text in ("", "\n\n", "# only a comment\n"):
        with pytest.raises(ExprgradError, match="there is no problem on this sheet"):
            read_sheet(text)


def test_sheet_that_is_too_long_is_an_error_and_a_long_line_is_one_of_that_line():
    with pytest.raises(ExprgradError, match="at most 1,000,000 are read"):
        read_sheet("d/dx x = 1\n" * (LIMITS["sheet"].most // 11 + 1))
    long = "d/dx x = 1" + " + 0" * LIMITS["line"].most
    found = read_sheet(f"d/dx x = 1\n{long}")
    assert isinstance(found[1], Unreadable)
    assert "at most 10,000 are read" in found[1].error.message


@pytest.mark.parametrize(
    "text",
    ["(" * 4990 + "x" + ")" * 4990 + "' = 1", "d/dx x" + "+x" * 4000 + " = 4001"],
)
def test_deep_and_long_lines_are_read(text):
    assert only(text).variable == "x"


@given(st.text(max_size=60))
def test_any_text_is_a_problem_or_a_diagnostic(text):
    try:
        lines = read_sheet(text)
    except ExprgradError as error:
        lines = [Unreadable(1, "", text, error)]
    assert lines
    for line in lines:
        if isinstance(line, Unreadable):
            assert list(describe(line.error))


_PIECES = st.sampled_from(
    "d/dx dy/dx d^2/dx^2 ∂/∂x f(x) f'(x) f(3) y y' x 2 = = ; , ( ) + - * sin x^2 ' '' kx e | # 3a) = (x)'".split()
)


@given(st.lists(_PIECES, max_size=12).map(" ".join))
def test_any_row_of_pieces_is_a_problem_or_a_diagnostic_with_its_place(text):
    try:
        lines = read_sheet(text)
    except ExprgradError:
        return
    for line in lines:
        if isinstance(line, Unreadable) and line.error.span is not None:
            assert line.error.source is not None
            assert line.error.span[1] <= len(line.error.source)


# Cells


@pytest.mark.parametrize(
    ("problem", "answer", "variable", "function", "claim", "name"),
    [
        ("x^2", "2x", "", "x^2", "2*x", "x"),
        ("d/dx x^2", "2x", "", "x^2", "2*x", "x"),
        ("d/dx x^2 =", "2x", "", "x^2", "2*x", "x"),
        ("(x^2)'", " 2x ", "", "x^2", "2*x", "x"),
        ("xy", "y", "x", "x*y", "y", "x"),
        ("x y", "x", "y", "x*y", "x", "y"),
        ("f(t) = e^(-kt)", "-k e^(-kt)", "", "exp((-k)*t)", "(-k)*exp((-k)*t)", "t"),
        ("y = x^2; dy/dx", "2x", "", "x^2", "2*x", "x"),
        ("y = x^2", "y' = 2x", "", "x^2", "2*x", "x"),
        ("x y", "∂/∂y x y = x", "y", "x*y", "x", "y"),
        ("x^2", "= 2x", "", "x^2", "2*x", "x"),
        ("x^2", "d/dx x^2 = 2x", "", "x^2", "2*x", "x"),
        ("-x^2", "-2x", "", "-(x^2)", "(-2)*x", "x"),
        ("2.5x", "2.5", "", "2.5*x", "2.5", "x"),
        ("x == 1", "0", "", "x == 1", "0", "x"),
    ],
)
def test_cells_are_read_as_a_line_would_be(
    problem, answer, variable, function, claim, name
):
    found = read_row(problem, answer, variable)
    assert (found.function.reading, found.claim.reading) == (function, claim)
    assert found.variable == name


def test_a_cell_may_ask_for_a_value():
    found = read_row("f(x) = x^2; f'(3)", "6")
    assert found.at == {"x": 3}
    assert found.asked == "f(x) = x^2; f'(3)"


@pytest.mark.parametrize(
    ("problem", "answer", "variable", "message", "origin"),
    [
        ("", "2x", "", "there is no problem", None),
        ("x^2", " ", "", "there is no answer", None),
        (";", "2x", "", "there is no problem", None),
        ("x^2 +", "2x", "", "the expression ends after '+'", "problem"),
        ("x^2", "2x +", "", "the expression ends after '+'", "answer"),
        ("x^2", "2x = 3x", "", "two sides of this answer are not equal", "answer"),
        ("x^2", "f''(x) = 2", "", "gives a derivative of another order", "answer"),
        ("x^2", "f'(3) = 6", "", "the problem asks for a formula", "answer"),
        ("x^2", "6 at x=3", "", "the problem asks for a formula", "answer"),
        ("x y", "y", "", "with respect to which variable: x, y?", "problem"),
        ("d/dx x y", "y", "z", "the problem asks for d/dx, the column says z", None),
        ("f'(x)", "y", "", "f is not defined here or above", "problem"),
        ("x" * 20_000, "y", "", "at most 10,000 are read", None),
    ],
)
def test_what_is_wrong_with_cells_names_the_column(
    problem, answer, variable, message, origin
):
    with pytest.raises(ExprgradError) as caught:
        read_row(problem, answer, variable)
    assert message in caught.value.message
    assert caught.value.origin == origin


@given(st.text(max_size=30), st.text(max_size=30), st.sampled_from(["", "x"]))
def test_any_cells_are_a_problem_or_a_diagnostic(problem, answer, variable):
    found: Problem | ExprgradError
    try:
        found = read_row(problem, answer, variable)
    except ExprgradError as error:
        found = error
    if isinstance(found, Problem):
        assert found.variable
    else:
        assert list(describe(found))


def test_line_that_begins_with_an_equals_sign_goes_on_with_the_chain_above():
    text = "1a) d/dx x^2 sin x = 2x sin x + x^2 cos x\n  = x(2 sin x + x cos x)\n  = 2x = x(2 sin x + x cos x)\n"
    found = read_sheet(text)
    assert [(p.line, p.label) for p in found] == [(1, "1a"), (2, ""), (3, ""), (3, "")]
    statuses = [check(p.function, p.claim, p.variable).status for p in found]
    assert statuses == ["correct", "correct", "incorrect", "correct"]


@pytest.mark.parametrize("line", ["=", "= 2x +", "= ="])
def test_line_that_goes_on_with_nothing_is_unreadable(line):
    found = read_sheet(f"d/dx x^2 = 2x\n{line}\n")
    assert isinstance(found[1], Unreadable)


PROSE = [
    "Homework 3", "Name: Ann Lee", "Calculus I, Section B", "Differentiate each function.", "Good luck!", "Score: 8/10",
    "Date: 3/12/2024", "Worksheet",
]  # fmt: skip
NO_PROSE = ["theta", "xsinx", "d/dx x^2", "2x + 1", "the derivative of x^2", "sin x"]


def test_titles_and_instructions_are_no_problems():
    found = read_sheet("\n".join([*PROSE, "1) d/dx x^2 = 2x", *PROSE]))
    assert [problem.line for problem in found] == [len(PROSE) + 1]


@pytest.mark.parametrize("line", NO_PROSE)
def test_a_problem_without_an_answer_is_no_title(line):
    (found,) = read_sheet(line)
    assert isinstance(found, Unreadable)


AT_A_POINT = [
    "d/dx x^2 = 6 at x=3",
    "d/dx x^2 at x=3 = 6",
    "d/dx x^2 at 3 = 6",
    "f'(x) = 6 at x=3",
    "f''(x) = 2 when x = 3",
    "f'(3) = 6",
    "dy/dx at x=2 = 12",
    "dy/dx = 12 when x=2",
    "y' = 12 at x=2",
    "the derivative of x^2 at 3 is 6",
    "d/dx (a x^2) = 6x where a=3",
    r"\left.\frac{d}{dx}x^2\right|_{x=3} = 6",
    r"\frac{d}{dx}x^2\Big|_{x=3} = 6",
    r"\left.\frac{dy}{dx}\right|_{x=2} = 12",
    r"\frac{d}{dx} x^2 = 6 \text{ at } x = 3",
    r"f'(x) = 1 \text{ when } x = \frac12",
]


@pytest.mark.parametrize("line", AT_A_POINT)
def test_a_claim_about_one_point_is_judged_there(line):
    (problem,) = read_sheet(f"f(x) = x^2\ny = x^3\n{line}")[-1:]
    verdict = check(problem.function, problem.claim, problem.variable, order=problem.order, at=problem.exact)  # fmt: skip
    assert verdict.status == "correct"


def test_values_at_the_end_of_a_line_are_about_its_last_claim():
    first, second = read_sheet("f(x) = x^2; f'(x) = 2x; f'(x) = 6 at x=3")
    assert (first.at, second.at) == (None, {"x": 3})
