"""One typed form has one answer: on the command line, in Python, in a session, and by the server for assistants."""

from __future__ import annotations

import json
from itertools import product

import pytest

from exprgrad import ExprgradError, Session, ask
from exprgrad.checking.kinds.rows import KINDS
from exprgrad.cli.mcp import answered
from exprgrad.cli.start import run
from exprgrad.session.results import Bound, Defined
from exprgrad.session.session import Answer

NOTATIONS = [
    ("x^2*sin(x)", "x**2*sin(x)", "x² sin(x)", r"x^{2}\sin(x)"),
    ("(x+1)/(x-1)", "(x + 1)/(x - 1)", "(x+1)÷(x−1)", r"\frac{x+1}{x-1}"),
    ("sqrt(x^2+1)", "sqrt(x**2 + 1)", "√(x²+1)", r"\sqrt{x^{2}+1}"),
    ("e^(2x)", "e**(2*x)", "e^(2·x)", r"e^{2x}"),
    ("pi*x^3/3", "pi*x**3/3", "π·x³/3", r"\frac{\pi x^3}{3}"),
    ("2^x-ln(x)", "2**x - ln(x)", "2^x−ln(x)", r"2^x-\ln(x)"),
    ("|x|*x", "abs(x)*x", "|x|·x", r"|x| \cdot x"),
    ("x^4-2x", "x**4 - 2*x", "x⁴−2x", "x^4 - 2x"),
]
"""Functions in plain text, as in Python, in signs of books, and in LaTeX."""

ASKED = [
    "{}", "{} = 2x", "{} at x=2", "d/dx ({})", "d/dx ({}) = 2x", "d/dx ({}) at x=2", "tangent to {} at x=2", "g(x) = {}",
    "g(x) = {}; g'(2)",
]  # fmt: skip
"""What is asked and claimed about them."""

FORMS = [asked.format(f) for row, asked in product(NOTATIONS, ASKED) for f in row]
FORMS += [kind.example for kind in KINDS.values()] + ["x^2 = 2^x", "x + y", "pi^2"]


def facts(fields: dict[str, object]) -> object:
    """What an answer says, without the text that it repeats and how it was found."""
    if "status" in fields:
        mistake = str(fields.get("mistake") or "").partition(":")[0]
        return fields["status"], fields["evidence"], mistake
    named = ("answer", "result", "derivative", "values", "value", "derivatives", "gradient")  # fmt: skip
    found = next(fields[name] for name in named if name in fields)
    return [*found.values()] if isinstance(found, dict) else found if "result" in fields or "answer" in fields else [found]  # fmt: skip


def in_session(form: str) -> object:
    """What a session answers; a definition is none, its formula is asked for then."""
    session = Session()
    [*_, last] = session.run(form)
    if isinstance(last, Bound | Defined):
        [last] = session.run(last.formula)
    own = {name: x for name, x in vars(Answer([last])).items() if name != "results"}
    return facts(last.as_dict() if "status" in own or not own else own)


def test_there_are_three_hundred_forms():
    assert len(FORMS) >= 300


@pytest.mark.parametrize("form", FORMS)
def test_every_door_gives_the_same_answer(form, capsys):
    run([form, "--format", "json"])
    printed = facts(json.loads(capsys.readouterr().out))
    python = facts(json.loads(json.dumps(ask(form).as_dict())))
    assistant, is_wrong = answered("ask", {"text": form})
    assert not is_wrong
    assert printed == python == in_session(form) == facts(assistant)


@pytest.mark.parametrize("form", ["", "sin(", "2x +", "d/dx (x = 3"])
def test_what_cannot_be_read_is_refused_at_every_door(form, capsys):
    assert run([form, "--format", "json"]) == 2
    for door in (ask, in_session):
        with pytest.raises((ExprgradError, ValueError)):
            door(form)
    assert answered("ask", {"text": form})[1]
