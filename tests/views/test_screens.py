"""Twelve screens as people see them: narrow, usual and wide, in UTF-8 and ASCII, with their colours.

A file of `screens` has each of them. `{cyan}` stands before what is drawn in that colour, `{}` where it ends; the
colours are those of `palette`, which are legible on dark backgrounds and on light ones (`test_visible`).
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.color import Color, ColorSystem

from exprgrad import ExprgradError, Session, check, parse
from exprgrad.checking.work.sheet import Solution
from exprgrad.checking.work.work import check_work
from exprgrad.expressions.comparison import compare as compared
from exprgrad.expressions.derivatives import derive
from exprgrad.expressions.trace import why
from exprgrad.optimize.minimize import minimize
from exprgrad.session.screen import blocks
from exprgrad.views import output, visible
from exprgrad.views.blocks import Block, Wrapped
from exprgrad.views.descent import DescentView, Sample
from exprgrad.views.diagnostic import describe
from exprgrad.views.evaluation import EvaluationView
from exprgrad.views.formulas import FormulasView
from exprgrad.views.layout import lines
from exprgrad.views.output import COLOURS, draw
from exprgrad.views.tables import ComparisonView
from exprgrad.views.verdicts import Detail, VerdictsView, WorkView
from tests.golden import compare

SCREENS = Path(__file__).resolve().parent / "screens"
BAYDIN = "ln(x1) + x1*x2 - sin(x2)"


def evaluation(text: str, at: dict[str, float], **more: object) -> list[Block]:
    found = parse(text, tuple(at)).evaluate(at)
    if "why" in more:
        more["why"] = why(found, str(more["why"]), lambda x: f"{x:.6g}")
    return EvaluationView(found, **more).blocks()  # type: ignore[arg-type] # a test


def verdict(claim: str, width: int) -> list[Block]:
    found = check("x^2*sin(3x)", claim)
    return VerdictsView([(found, None)], Detail(solution=True, width=width)).blocks()


def descent(width: int) -> list[Block]:
    sample = Sample()
    found = minimize("(x - 3)^2 + (y + 1)^2", {"x": 0, "y": 0})
    for step in found:
        sample.add(step)
    return DescentView("(x - 3)^2 + (y + 1)^2", found.result, sample, 10).blocks()


def walk(width: int) -> list[Block]:
    own = Session()
    own.run("x1 = 2; x2 = 5")
    every = own.run(f":walk {BAYDIN}")
    every += [own.run("")[0] for _ in range(every[0].steps - 1)]
    return [block for result in every for block in blocks(result, own.settings)]


def work(width: int) -> list[Block]:
    found = check_work(
        "x^2*sin(x)", ["y' = 2x*sin(x) + x^2*cos(x)", "= x*(2sin(x) - x*cos(x))"]
    )
    return WorkView([Solution(1, found)], Detail(width=width)).blocks()


def diagnostic(width: int) -> list[Block]:
    with pytest.raises(ExprgradError) as failure:
        parse("x^2 + 3*sin(y) + * 2 + a_name_that_is_long*another_name_that_is_long")
    return [Wrapped(tuple(describe(failure.value, width)), hang=2)]


SHOWN: dict[str, Callable[[int], list[Block]]] = {
    "one_variable": lambda width: evaluation("x^2", {"x": 3}),
    "gradient": lambda width: evaluation("1/2x sin y", {"x": 0.7853981634, "y": 1}),
    "trace": lambda width: evaluation(BAYDIN, {"x1": 2, "x2": 5}, sweeps="both"),
    "walk": walk,
    "why": lambda width: evaluation("relu(w*x - 5)*w + exp(w*x)*x + w", {"w": 1, "x": 0.5}, why="w"),
    "steps": lambda width: FormulasView(derive(parse("x^2*sin(3x)*exp(x)"), [["x"]]), "full", 10).blocks(),
    "correct": lambda width: verdict("2x sin(3x) + 3x^2 cos(3x)", width),
    "wrong": lambda width: verdict("2x sin(3x) + x^2 cos(3x)", width),
    "work": work,
    "compare": lambda width: ComparisonView(compared(parse("exp(x)*y"), {"x": 1, "y": 2}), times=False).blocks(),
    "minimum": descent,
    "diagnostic": diagnostic,
}  # fmt: skip


def plain(shown: list[Block], width: int) -> list[str]:
    return ["".join(t for t, _ in line).rstrip() for line in lines(shown, width)]


def coloured(shown: list[Block], width: int) -> str:
    """What rich writes on a terminal of 256 colours or more, with names for the codes."""

    class Colours(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Colours()
    draw(lines(shown, width), stream, width)
    # rich keeps the codes of a style from the first terminal that a process draws it on
    names = {
        ";".join(Color.parse(colour).downgrade(system).get_ansi_codes()): name
        for system in (ColorSystem.TRUECOLOR, ColorSystem.EIGHT_BIT)
        for name, colour in COLOURS.items()
    }

    def named(match: re.Match[str]) -> str:
        code = match[1].replace("1;", "bold ", 1) if match[1].startswith("1;") else match[1]  # fmt: skip
        for own, name in names.items():
            code = code.replace(own, name)
        return f"{{{'bold' if code == '1' else '' if code == '0' else code}}}"

    return re.sub(r"\x1b\[([0-9;]*)m", named, stream.getvalue())


@pytest.mark.parametrize("name", SHOWN)
def test_screen_is_as_people_have_seen_it(name, monkeypatch):
    parts = []
    for width in (40, 80, 120):
        shown = SHOWN[name](width)
        text = plain(shown, width)
        assert max(map(len, text)) <= width or name in ("steps", "work")
        parts += [f"--- {width} columns", *text]
        monkeypatch.setattr(output, "encoding", lambda: "ascii")
        shown = SHOWN[name](width)
        monkeypatch.undo()
        ascii_ = [visible.encodable(t, "ascii") for t in plain(visible.each_encodable(shown, "ascii"), width)]  # fmt: skip
        parts += [f"--- {width} columns, ASCII", *ascii_]
        assert "".join(ascii_).isascii()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.delenv("NO_COLOR", raising=False)
    drawn = coloured(SHOWN[name](80), 80)
    assert set(re.findall(r"\{(?:bold )?([a-z]*)\}", drawn)) <= {"", "bold", *COLOURS}
    parts += ["--- 80 columns, dark and light", drawn.rstrip()]
    compare(SCREENS / f"{name}.txt", "\n".join(parts) + "\n")
