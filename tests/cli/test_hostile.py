"""Input that is deep, long, huge or garbage: an answer or a diagnostic, never anything else.

That the work is in proportion to the input is shown by counting calls, not by a clock.
"""

from __future__ import annotations

import gzip
import io
import math
import os
import string
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad import Evaluation, Expression, ExprgradError, parse
from exprgrad.cli.start import run
from exprgrad.data.bindings import Bindings
from exprgrad.operations.operation import function_names
from exprgrad.views.diagnostic import describe

N = 50_000
M = 10_000
"""For forms that differ little from one that is tried with N, and for those that take long."""


def evaluated(expression: Expression, value: float = 0.5) -> Evaluation:
    return expression.evaluate(dict.fromkeys(expression.variables, value))


# Answered, with the value and the partial by x at x = 1/2

ANSWERED = {
    "nested parentheses": ("(" * N + "x" + ")" * N, 0.5, 1),
    "nested mixed brackets": ("([{" * M + "x" + "}])" * M, 0.5, 1),
    "x + x + ...": ("x" + "+x" * N, 0.5 * (N + 1), N + 1),
    "x - x - ...": ("x" + "-x" * M, 0.5 * (1 - M), 1 - M),
    "x * x * ...": ("x" + "*x" * M, 0, 0),
    "x x x ...": ("x " * M, 0, 0),
    "x ^ x ^ ...": ("x" + "^x" * M, None, None),
    "x ^ 1 ^ ...": ("x" + "^1" * M, 0.5, 1),
    "sin(sin(...": ("sin(" * M + "x" + ")" * M, None, None),
    "sin x sin x ...": ("sin x " * (M // 2), 0, 0),
    "----x": ("-" * M + "x", 0.5, 1),
    "x - - - x": ("x " + "- " * M + "x", 1, 2),
    "++++x": ("+" * N + "x", 0.5, 1),
    "√√√√1": ("√" * M + "(2x)", 1, None),
    "||||x||||": ("|1+" * M + "x" + "|" * M, 0.5 + M, 1),
    "|x||x|...": ("|x|" * (M // 2), 0, 0),
    "if in the condition": ("if(" * M + "x" + ",x,x)" * M, 0.5, 1),
    "if in the branch": ("if(x," * M + "x" + ",1)" * M, 0.5, 1),
    "piecewise of many pieces": ("piecewise(" + "x>1,1," * M + "x)", 0.5, 1),
    "max of 50,000 arguments": (f"max({'0,' * N}x)", 0.5, 1),
    "max in max": ("max(0," * M + "x" + ")" * M, 0.5, 1),
    "factorials": ("(" * M + "1" + ")!" * M + "x", 0.5, 1),
    "not not not": ("not " * M + "x", 1, 0),
    "x or x or ...": ("0" + " or 0" * M + " or x", 1, 0),
    "10,000 variables": (" + ".join(f"x{i}" for i in range(10_000)), 5000, 1),
    "a number of 3,000 digits": (f"x + .{'1' * 3000}", 0.5 + 1 / 9, 1),
    "a name of 50,000 letters": ("x" * N, 0.5, 1),
    "50,000 blanks": (" " * N + "x" + "\n" * N, 0.5, 1),
    "a comment of 50,000 letters": (f"x # {'(' * N}", 0.5, 1),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERED)
def test_deep_or_long_input_is_answered(name):
    text, value, partial = ANSWERED[name]
    result = evaluated(parse(text))
    if result.value is None:  # below the range of doubles
        assert "e-" in result.texts[""]
    elif value is not None:
        assert result.value == pytest.approx(value, rel=1e-12)
    if partial is not None:
        assert {p or 0 for p in result.gradient.values()} == {partial}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nested parentheses", "x ^ x ^ ...", "----x"])
def test_text_of_a_deep_expression_is_written(name):
    text = ANSWERED[name][0]
    expression = parse(text)
    assert len(str(expression)) <= len(expression.reading) < 10 * len(text)


# Refused, with a diagnostic that is short

REFUSED = {
    "unclosed brackets": ("(" * N, "50000 brackets are never closed"),
    "unopened brackets": (")" * N, "closes nothing"),
    "crossed brackets": ("(" * N + "x" + "]" * N, "is closed by"),
    "empty brackets": ("(" * N + ")" * N, "nothing between these brackets"),
    "bars alone": ("|" * N, "bar is never closed"),
    "2 2 2 ...": ("2 " * N, "no operator between these two numbers"),
    "operators alone": ("*/" * N, "a value is missing"),
    "commas alone": ("," * N, "a comma does not belong here"),
    "signs alone": ("-" * N, "ends after"),
    "x < x < ...": ("x" + "<x" * N, "comparisons do not chain"),
    "5!!!!": ("5" + "!" * N, "double factorial"),
    "factorials of a variable": ("(" * N + "x" + ")!" * N, "factorial of a variable"),
    "a digit too many": ("1" * N, "too large"),
    "an exponent too many": ("1e" + "9" * N, "too large"),
    "1e400": ("1e400", "too large"),
    "sin of 50,000 arguments": (f"sin({'x,' * N}x)", "not 50001"),
    "unknown function": ("f" * N + "(x)", "there is no function"),
    "bare functions alone": ("sin " * N, "sin needs an argument"),
    "blanks alone": (" " * N, "there is no expression"),
    "nothing": ("", "there is no expression"),
    "comments alone": ("#\n" * N, "there is no expression"),
    "a line of 10 MB": ("x+" * 5_000_000 + "x", "characters"),
    "a name of 10 MB": ("x" * 10_000_000, "characters"),
    "nothing but 10 MB of blanks": (" " * 10_000_000, "characters"),
    "an error after 50,000 lines": ("x +\n" * N + ")", "closes nothing"),
    "null characters": ("\0" * N, "not part of the language"),
    "half a surrogate pair": ("x + \ud83d", "not part of the language"),
    "9^9^9^9^9": ("9^9^9^9^9", "overflows"),
    "9^9^9^9^...": ("9^" * M + "9", "overflows"),
    "factorials that grow": ("(" * M + "3" + ")!" * M, "overflows"),
    "logarithms that shrink": ("ln(" * M + "x" + ")" * M, "ln needs an argument > 0"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_input_that_makes_no_sense_is_refused_with_a_short_diagnostic(name):
    text, message = REFUSED[name]
    with pytest.raises(ExprgradError) as caught:
        evaluated(parse(text))
    lines = list(describe(caught.value))
    assert message in caught.value.message
    assert max(map(len, lines)) < 300
    assert len(lines) <= 4


# Work in proportion to the input


def calls(text: str, variables: str = "x y") -> int:
    """How many calls, of Python's functions and of C's, it takes to read and evaluate."""
    count = 0

    def counts(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counts)
    try:
        expression = parse(text, variables.split())
        # one sweep: how many digits the answer takes is not a matter of length
        expression.evaluate(dict.fromkeys(expression.variables, 0.5), refine=False)
        expression.reading  # noqa: B018 # for its work
    except ExprgradError:
        pass
    finally:
        sys.setprofile(before)
    return count


PROPORTIONAL = {
    "parentheses": lambda n: "(" * n + "x" + ")" * n,
    "sum": lambda n: "x" + "+x" * n,
    "power": lambda n: "x" + "^x" * n,
    "power of powers": lambda n: "(" * n + "x" + "^2y)" * n,
    "fractional powers": lambda n: "(" * n + "x" + ")^(1/3)" * n,
    "exponents that are sums": lambda n: "x^(" + "1+" * n + "1)",
    "exponents in exponents": lambda n: "x^(1+" * n + "1" + ")" * n,
    "calls": lambda n: "sin(" * n + "x" + ")" * n,
    "bare calls": lambda n: "sin x/2 " * n,
    "inverse": lambda n: "atan^-1(" * n + "x" + ")" * n,
    "quotients": lambda n: "x" + "/2x y" * n,
    "nested quotients": lambda n: "(" * n + "x" + "/2x)" * n,
    "signs": lambda n: "x*(" * n + "-x" + ")" * n,
    "signs in the front": lambda n: "x*" + "(" * n + "-x" + "*x)" * n,
    "bars": lambda n: "|1+" * n + "x" + "|" * n,
    "split names": lambda n: "xy " * n,
    "factorials": lambda n: "(1+" * n + "1" + ")!" * n,
    "factorials in a row": lambda n: "+".join(["(2+3)!"] * n),
    "conditions": lambda n: "if(x>1,1," * n + "x" + ")" * n,
    "names": lambda n: "+".join(f"a{i}" for i in range(n)),
    "maximum": lambda n: f"max({'0,' * n}x)",
    "unclosed": lambda n: "(" * n,
    "blanks before brackets": lambda n: ("x" + " " * 50) * n,
}


@pytest.mark.parametrize("name", PROPORTIONAL)
def test_work_doubles_when_the_input_does(name):
    make = PROPORTIONAL[name]
    calls(make(10))  # whatever is done once is done now
    assert calls(make(800)) < 2.2 * calls(make(400))


@pytest.mark.parametrize("declared", ["x xx", "x xx xxx y"])
def test_work_of_splitting_a_name_does_not_multiply_with_its_letters(declared):
    short, long = declared[0] * 8 + "q", declared[0] * 16 + "q"
    calls(short, declared)
    assert calls(long, declared) < 6 * calls(short, declared)


class TooMuch(BaseException):
    """Not an `Exception`, so that nothing on the way takes it for its own."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "diff(tanh(x)/(1+x^2)^x, x, 20)",
        "d/dx " * 20 + "tanh(sin(x)^x)",
        "diff(x^x^x^x, x, 20)",
        "d/dx(x^2*" * 50 + "exp(-x)" + ")" * 50,
        "d/dx " * 50 + "tan(x)",
    ],
)
def test_derivative_of_high_order_is_found_or_refused_but_not_waited_for(text):
    count = 0

    def counts(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += 1
        if count > 10_000_000:
            raise TooMuch

    before = sys.getprofile()
    sys.setprofile(counts)
    try:
        parse(text)
    except ExprgradError:
        pass
    except TooMuch:
        pytest.fail("over ten million calls")
    finally:
        sys.setprofile(before)


@pytest.mark.slow
@pytest.mark.parametrize("at", ["x=" + "(" * N + "1" + ")" * N, "x=0" + "+1" * M])
def test_binding_may_be_deep_or_long_too(at):
    assert Bindings([at]).values["x"] in (1, M)


@pytest.mark.slow
def test_10_000_bindings():
    text = ",".join(f"x{i}={i}" for i in range(10_000))
    assert Bindings([text]).values["x9999"] == 9999


# Garbage

GARBAGE = [
    b"\x00\x01\x02\x03",
    b"\x7fELF\x02\x01\x01" + bytes(64),
    b"\xff" * 1000,
    bytes(range(256)) * 40,
    b"\x1b[31mx\x1b[0m",
    "\u202ex + y\u202c".encode(),
    b"x" * 10_000_000,
    b"\n" * 10_000_000,
    b"",
]


@pytest.mark.parametrize("data", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_on_standard_input_gives_one_diagnostic(data, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert run(["eval", "-", "--at", "x=1"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert len(printed.err) < 1000
    assert "\x1b" not in printed.err
    assert "\x00" not in printed.err


# Random text

TOKENS = [
    *"xyzeabn",
    *("xy", "x1", "x_1", "θ", "pi", "π", "tau", "2", "0", "1", "10", ".5", "1e3", "2."),
    *("+", "-", "−", "*", "**", "/", "^", "!", "(", ")", "[", "]", "{", "}", "|", "√"),
    *("<", "<=", "≥", "==", "!=", " and ", " or ", " not ", ",", "²", "⁻¹", "=", "#"),
    *(" ", " ", "\n", "(1/3)", "^(2/3)", "^-1", "(x)", "(x,y)", "if(x<0,", "max(x,"),
    *sorted(function_names()),
]
VALUES = [0.0, 1.0, -1.0, 2.0, 0.5, -2.5, 1e-300, 1e300, -0.0, 3.0, math.pi / 2]


def survives(text: str, data: st.DataObject, declared: tuple[str, ...] = ()) -> None:
    """Read and evaluate the text; any other exception than `ExprgradError` is a bug."""
    try:
        expression = parse(text, declared)
    except ExprgradError as error:
        assert_told(error, text)
        return
    assert isinstance(expression, Expression)
    at = {name: data.draw(st.sampled_from(VALUES)) for name in expression.variables}
    try:
        result = expression.evaluate(at)
    except ExprgradError as error:
        assert_told(error, text)
        return
    assert result.value is None or math.isfinite(result.value)
    for name, partial in result.gradient.items():
        if partial is None:
            corners = {corner.variable for corner in result.corners}
            assert name in corners or name in result.texts
        else:
            assert math.isfinite(partial)


def assert_told(error: ExprgradError, text: str) -> None:
    assert next(describe(error)) == f"error: {error.message}"
    assert error.source in (text, None)
    if error.span is not None:
        start, end = error.span
        assert 0 <= start <= end <= len(text)


@given(st.lists(st.sampled_from(TOKENS), max_size=14).map("".join), st.data())
def test_random_tokens_give_an_answer_or_a_diagnostic(text, data):
    survives(text, data)


@given(st.lists(st.sampled_from(TOKENS), max_size=14).map("".join), st.data())
def test_random_tokens_with_declared_names_give_an_answer_or_a_diagnostic(text, data):
    survives(text, data, ("x", "y", "xy", "n", "θ"))


@given(st.text(alphabet=string.printable + "πθ²√×÷−≤⁻¹", max_size=30), st.data())
def test_random_letters_give_an_answer_or_a_diagnostic(text, data):
    survives(text, data)


@pytest.mark.slow
@given(st.text(max_size=30), st.data())
def test_random_unicode_gives_an_answer_or_a_diagnostic(text, data):
    survives(text, data)


@given(st.lists(st.sampled_from([*TOKENS, "=", "=", ","]), max_size=10).map("".join))
def test_random_bindings_give_numbers_or_a_diagnostic(text):
    try:
        values = Bindings([text]).values
    except ExprgradError as error:
        assert_told(error, text)
        return
    assert all(math.isfinite(value) for value in values.values())


@given(
    st.sampled_from(sorted(function_names())),
    st.lists(
        st.sampled_from(["x", "y", "2", "0", "-x", "x*y"]), min_size=1, max_size=3
    ),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2),
)
def test_any_function_at_any_numbers_gives_an_answer_or_a_diagnostic(
    name, arguments, numbers
):
    try:
        expression = parse(f"{name}({', '.join(arguments)})")
        at = dict(zip("xy", numbers, strict=True))
        result = expression.evaluate({v: at[v] for v in expression.variables})
    except ExprgradError:
        return
    assert result.value is None or math.isfinite(result.value)
    assert result.value is not None or "e" in result.texts[""]


# Commands with options and files that are hostile


DIGITS = "9" * 5000

COMMANDS = {
    "digits": ["eval", "x", "--at", "x=2", "--digits", DIGITS],
    "a value": ["eval", "x", "--at", f"x={DIGITS}"],
    "an order": ["diff", "x", "--order", DIGITS],
    "steps": ["minimize", "x^2", "--start", "x=1", "--steps", DIGITS],
    "an axis of a number": ["eval", "sum(x,0)", "--at", "x=2"],
    "a sheet that is a pipe and a table": ["check", "--file", "pipe.csv"],
    "a table that unzips without an end of line": ["batch", "x", "--data", "bomb.csv.gz"],
    "integers beyond doubles": ["batch", "x", "--data", "large.jsonl"],
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_hostile_option_or_file_is_one_diagnostic(
    name, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    if "pipe" in name:
        os.mkfifo("pipe.csv")
    if "unzips" in name:
        with gzip.open("bomb.csv.gz", "wb", 1) as file:
            file.write(b"x,y\n" + b"0" * 6_000_000)
    (tmp_path / "large.jsonl").write_text(f'{{"x": {DIGITS[:400]}}}\n')
    code = run(COMMANDS[name])
    err = capsys.readouterr().err
    assert code in (2, 3)
    assert "should not happen" not in err
    assert len(err) < 600
    assert len(err.splitlines()) <= 4
