"""Numbers that doubles do not reach: what programs get of them, from every command and in every format."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from exprgrad.cli.start import run
from exprgrad.session.session import Session

SMALL = "1e-400"


def printed(capsys, *arguments: str) -> str:
    """What a command prints on standard output."""
    assert run([*arguments]) == 0
    return capsys.readouterr().out


def fields(capsys, *arguments: str) -> dict:
    """The object that a command prints as JSON."""
    return json.loads(printed(capsys, *arguments, "--format", "json"))


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (["eval", "x^2", "--at", f"x={SMALL}"],
         {"at": None, "at_texts": SMALL, "value": None, "value_text": "1.0e-800", "gradient": None, "gradient_texts": "2.0e-400"}),
        (["eval", "erfc(x)", "--at", "x=30", "--hessian"], {"hessian": None, "hessian_texts": "9.237885962e-390"}),
        (["eval", "x^2*1e300", "--at", "x=1e200", "--order", "1"], {"value": None, "value_text": "1.0e+700", "derivative_texts": "1.0e+700"}),
        (["eval", "x^2", "--at", "x=3", "--seed", f"x={SMALL}"],
         {"seed": None, "seed_texts": SMALL, "derivative": None, "derivative_text": "6.0e-400"}),
        (["diff", "x^3", "--at", f"x={SMALL}"], {"at": None, "at_texts": SMALL, "values": None, "value_texts": "3.0e-800"}),
        (["compare", "x^2", "--at", f"x={SMALL}"], {"at": None, "at_texts": SMALL, "reference": "2.0e-400"}),
        (["critical", "x^2+1e-400*x"], {"at": None, "value": None, "value_text": "-2.5e-801"}),
        (["minimize", "x^2+1e-400*x", "--start", "x=1"],
         {"gradient": None, "gradient_texts": "1.0e-400", "gradient_norm": None, "gradient_norm_text": "1.0e-400"}),
        (["uncertainty", "x*1e-400", "--at", "x=3±1"],
         {"value": None, "value_text": "3e-400", "standard_uncertainty": None, "standard_uncertainty_text": "1e-400"}),
        (["tangent", "x^2", "--at", f"x={SMALL}"], {"title": "tangent to x^2"}),
    ],
)  # fmt: skip
def test_json_has_null_and_the_decimal_beside_it(capsys, arguments, texts):
    found = fields(capsys, *arguments)
    found |= found.get("points", [{}])[0]
    for key, wanted in texts.items():
        own = found[key]
        while isinstance(own, dict | list):
            own = next(iter(own.values())) if isinstance(own, dict) else own[0]
        assert own == wanted, key


def test_a_grid_has_the_coordinates_and_the_values(capsys):
    grid = ["eval", "x^2", "--at", f"x=1:{SMALL}:2"]
    last = fields(capsys, *grid)["rows"][-1]
    assert last["at"] == {"x": None}
    assert last["at_texts"] == {"x": SMALL}
    assert last["value_text"] == "1.0e-800"
    rows = [*csv.reader(io.StringIO(printed(capsys, *grid, "--format", "csv")))]
    assert rows[-1] == [SMALL, "1.0e-800", "2.0e-400", ""]
    assert f"{SMALL}  1.0e-800" in printed(capsys, *grid)


@pytest.mark.parametrize("format_", ["table", "csv", "markdown", "latex"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["eval", "sin(x)*1e-9", "--at", f"x={SMALL}"],
        ["eval", "x^3", "--at", "x=-1e-320", "--seed", f"x={SMALL}"],
        ["eval", "x*y", "--at", f"x={SMALL}:2e-400:3,y=1e-30"],
        ["uncertainty", "x*1e-400", "--at", "x=3±1"],
    ],
)
def test_no_number_becomes_0_in_any_format(capsys, arguments, format_):
    out = printed(capsys, *arguments, "--format", format_)
    assert re.search(r"e-4\d\d|\^\{-4\d\d\}", out)
    numbers = re.findall(r"(?<![\w.\\^{-])-?0(?:\.0+)?(?![\w.])", out)
    assert not numbers, out


def test_digits_that_doubles_do_not_have_stand_beside_them(capsys):
    found = fields(capsys, "eval", "pi*x", "--at", "x=2", "--digits", "40")
    assert found["value"] == 6.283185307179586
    assert found["value_text"] == "6.283185307179586476925286766559005768394"
    assert found["gradient_texts"] == {"x": "3.141592653589793238462643383279502884197"}
    assert "value_text" not in fields(capsys, "eval", "pi*x", "--at", "x=2")


def test_python_code_is_refused_where_python_reads_0(capsys):
    assert run(["diff", "1e-400*x^2", "--format", "python"]) == 3
    assert "1e-400 is 0 in Python" in capsys.readouterr().err


def test_a_session_shows_what_a_name_stands_for():
    bound = Session().run("x = 1e-400\ny = erfc(30)\nz = 2")
    assert [one.number is not None for one in bound] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x^4+1e-400*x", "f = 0 ± 4.9e-324"),
        ("10^400*(x^4-x)", "f = about -4.72e+399"),
        ("x^2+1e-400*x", "f = -2.5e-801"),
    ],
)
def test_values_at_critical_points_have_no_digit_that_may_be_wrong(capsys, text, told):
    assert told in printed(capsys, "critical", text)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["1e-400*x", "1e-320*x^2", "1e-330*sin(x)"])
@pytest.mark.parametrize("format_", ["text", "json", "svg"])
def test_a_curve_too_low_for_doubles_is_refused(capsys, text, format_):
    assert run(["plot", text, "--format", format_]) == 3
    assert "too small to be drawn" in capsys.readouterr().err
