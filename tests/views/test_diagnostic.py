"""A diagnostic: the message, the source line, the caret under the exact place, the fix."""

from __future__ import annotations

import io
import sys
import unicodedata

import pytest

from exprgrad import ExprgradError, parse
from exprgrad.data.bindings import Bindings
from exprgrad.views.diagnostic import describe, report


def width_of(text: str) -> int:
    """The columns of a terminal that the text takes."""
    marks = sum(unicodedata.combining(c) > 0 for c in text)
    return (
        len(text) - marks + sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    )


def lines(source: str, start: int, end: int, width: int = 80, **more: str) -> list[str]:
    """The lines between the message and the hint."""
    error = ExprgradError("wrong", (start, end), "right", source=source, **more)
    first, *middle, last = describe(error, width)
    assert first == "error: wrong"
    assert last == "  hint: right"
    return middle


def marked(source: str, start: int, end: int, width: int = 80) -> str:
    """The part of the shown line that stands over the carets, by columns."""
    shown, carets = lines(source, start, end, width)
    columns = "".join(c + "\0" * (width_of(c) - 1) for c in shown if width_of(c))
    first, last = carets.index("^"), carets.rindex("^") + 1
    return columns[first:last].replace("\0", "")


def test_caret_is_as_long_as_the_span():
    assert lines("a + foo(x) + b", 4, 7) == ["  a + foo(x) + b", "      ^^^"]


def test_span_that_is_empty_gets_one_caret():
    assert lines("2 +", 3, 3) == ["  2 +", "     ^"]


def test_span_at_the_beginning():
    assert lines(") x", 0, 1) == ["  ) x", "  ^"]


def test_no_source_line_without_a_span_or_a_source():
    assert list(describe(ExprgradError("wrong"))) == ["error: wrong"]
    assert list(describe(ExprgradError("wrong", (0, 1)))) == ["error: wrong"]
    assert list(describe(ExprgradError("wrong", source="x"))) == ["error: wrong"]


def test_later_line_is_shown_alone_with_its_number():
    source = "a +\nb * * c\n+ d"
    assert lines(source, 8, 9) == ["  line 2: b * * c", "              ^"]


def test_first_line_of_several_needs_no_number():
    assert lines("a + + b\n+ c", 4, 5) == ["  a + + b", "      ^"]


def test_span_over_several_lines_is_marked_to_the_end_of_its_first():
    source = "max(\n  x\n) + 1"
    assert lines(source, 0, len("max(\n  x\n)")) == ["  max(", "  ^^^^"]


def test_span_at_the_end_of_a_line_stays_on_it():
    assert lines("x +\n\n", 3, 3) == ["  x +", "     ^"]


def test_origin_precedes_the_text():
    assert lines("x=2,y=", 5, 6, origin="--at") == ["  --at x=2,y=", "            ^"]


def test_origin_of_several_lines_includes_the_line_number():
    shown = lines("x=2,\ny=oops", 7, 11, origin="--at")
    assert shown == ["  --at 2: y=oops", "            ^^^^"]


def test_error_in_a_binding_points_into_the_binding():
    with pytest.raises(ExprgradError) as caught:
        Bindings(["a=1", "x=2*,y=3"], "--at")
    shown = list(describe(caught.value))
    assert shown[1:3] == ["  --at x=2*,y=3", "           ^"]


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("长度 * 宽度 + + * 高", "*"),
        ("（x）", "（"),
        ("θ² + ∂", "∂"),
        ("🙂 + x", "🙂"),
        ("\tx\t+\t* y", "*"),
        ("x\u200b + * y", "*"),
        ("x\u0302", "x"),
    ],
)
def test_caret_is_under_the_place_however_wide_the_characters_before_it(source, place):
    start = source.rindex(place)
    assert marked(source, start, start + len(place)) == place


def test_tabs_and_control_characters_take_one_column():
    assert lines("\tx\x07+\x1b[31m*", 9, 10) == [
        "   x\ufffd+\ufffd[31m*",
        "           ^",
    ]


@pytest.mark.parametrize("width", [24, 40, 80, 200])
@pytest.mark.parametrize("start", [0, 1, 10, 500, 990, 998, 999])
def test_window_of_a_long_line_holds_the_span_and_fits(width, start):
    source = "".join(chr(ord("a") + i % 26) for i in range(1000))
    shown, carets = lines(source, start, start + 1, width)
    assert max(len(shown), len(carets)) <= width
    assert marked(source, start, start + 1, width) == source[start]


def test_window_has_an_ellipsis_where_it_cuts_and_only_there():
    source = "x" * 1000
    assert [c in lines(source, 0, 1)[0][2] for c in "…"] == [False]
    assert lines(source, 0, 1)[0].endswith("…")
    assert lines(source, 999, 1000)[0].startswith("  …")
    assert not lines(source, 999, 1000)[0].endswith("…")
    middle = lines(source, 500, 501)[0].strip()
    assert (middle[0], middle[-1]) == ("…", "…")


def test_window_keeps_text_on_both_sides_of_the_place():
    source = "a" * 500 + "*" + "b" * 500
    shown, carets = lines(source, 500, 501)
    assert "aaaaaaaaaa*bbbbbbbbbb" in shown
    assert shown[carets.index("^")] == "*"


def test_end_of_a_long_line_can_be_marked():
    source = "x + " * 300
    shown, carets = lines(source, len(source), len(source))
    assert carets.index("^") == len(shown)
    assert len(carets) <= 80


def test_long_span_is_marked_as_far_as_it_is_shown():
    shown, carets = lines("x" * 1000, 100, 900)
    assert len(carets) <= len(shown)
    assert set(shown[carets.index("^") : len(carets)]) == {"x"}


def test_window_of_a_long_line_of_wide_characters_fits():
    shown, carets = lines("度" * 500 + "*" + "度" * 500, 500, 501)
    assert width_of(shown) <= 80
    assert shown.replace("度", "度\0")[carets.index("^")] == "*"


def test_narrow_terminal_still_shows_some_of_the_line():
    shown, carets = lines("x" * 100 + "*" + "y" * 100, 100, 101, width=1)
    assert shown[carets.index("^")] == "*"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def error() -> ExprgradError:
    with pytest.raises(ExprgradError) as caught:
        parse("2 + * x")
    return caught.value


def test_report_prints_what_describe_says(error, capsys):
    report(error)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == list(describe(error))


def test_report_is_coloured_on_a_terminal(error, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    report(error)
    assert "\x1b[" in stream.getvalue()
    for code in ("\x1b[1;31m", "\x1b[1m", "\x1b[0m"):
        stream = Terminal(stream.getvalue().replace(code, ""))
    assert stream.getvalue().splitlines() == list(describe(error))


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_report_is_plain_on_a_terminal_that_wants_no_colour(
    error, monkeypatch, name, value
):
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv(name, value)
    report(error)
    assert stream.getvalue().splitlines() == list(describe(error))


def test_report_leaves_out_colour_where_an_encoding_lacks_the_letters(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stderr", io.TextIOWrapper(raw, encoding="ascii"))
    with pytest.raises(ExprgradError) as caught:
        parse("θ + ∂")
    report(caught.value)
    sys.stderr.flush()
    printed = raw.getvalue().decode("ascii")
    assert printed.startswith("error: 'd' is not part of the language\n")
    assert "\\u03b8 + d\n" in printed


def test_message_is_shortened_where_the_input_is_long():
    with pytest.raises(ExprgradError) as caught:
        parse("f" * 5000 + "(x)")
    assert all(len(line) < 200 for line in describe(caught.value))


def test_carets_stand_below_stand_ins_too():
    error = ExprgradError("wrong", (6, 9), source="θ^2 + |x|")
    _, shown, carets = describe(error, 80, "ascii")
    assert shown == "  \\u03b8^2 + |x|"
    assert carets == "             ^^^"
    error = ExprgradError("wrong", (150, 153), source="x + " * 80)
    _, shown, carets = describe(error, 40, "ascii")
    assert shown.startswith("  ...")
    assert shown[carets.index("^") :].startswith(("x +", " + ", "+ x"))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_diagnostic_is_no_wider_than_the_terminal(width, monkeypatch):
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", Screen())
    source = "a_long_name + " * 400
    report(
        ExprgradError(
            "m" * 5000, (3000, 3010), "h " * 300, source=source, origin="file " * 40
        )
    )
    lines = sys.stderr.getvalue().splitlines()  # type: ignore[attr-defined] # a Screen
    assert max(map(len, lines)) <= width
    assert sum("m" in line for line in lines) <= 1100 // width + 2


@pytest.mark.parametrize(
    ("hint", "lines"),
    [
        ("a smaller step, another, or --no-times", ["  hint: a smaller step, another, or", "        --no-times"]),
        ("did you mean: exprgrad diff 'x^2 + y^2 = 1' --implicit", ["  hint: did you mean: exprgrad diff 'x^2 + y^2 = 1' --implicit"]),
    ],
)  # fmt: skip
def test_options_are_not_broken_and_commands_stay_whole(hint, lines, monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "41")
    report(ExprgradError("wrong", hint=hint))
    assert screen.getvalue().splitlines()[1:] == lines


def test_a_message_of_several_lines_is_bold_to_its_end(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.delenv("NO_COLOR", raising=False)
    report(ExprgradError("one two three four five six seven eight nine ten eleven"))
    lines = screen.getvalue().splitlines()
    assert len(lines) == 2
    assert all("\x1b[1m" in line for line in lines)
