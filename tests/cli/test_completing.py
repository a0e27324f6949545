"""What a shell completes, as it asks for it."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from exprgrad.cli.app import application


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("help lim", ["limits"]),
        ("ops arct", ["arctan", "arctan2", "arctanh"]),
        ("eval a*b^2 --at ", ["a=", "b="]),
        ("eval a*b^2 --at a=2,", ["a=2,b="]),
        ("eval alpha*b^2 --wrt al", ["alpha"]),
        ("eval x^2*y --wrt y,", ["y,x"]),
        ("minimize (x-1)^2 --start ", ["x="]),
        ("eval x+) --at ", []),
        ("diff x*y --wrt ", ["x", "y"]),
        ("diff x*y --at x=1,", ["x=1,y="]),
        ("diff x^2+y^2=r --implicit --of ", ["x", "y", "r"]),
        ("check x*y y --wrt ", ["x", "y"]),
        ("check x*y=1 y --kind implicit --of ", ["x", "y"]),
        ("taylor x*y --wrt ", ["x", "y"]),
        ("practice --topic p", ["power", "product"]),
        ("practice --topic chain,pro", ["chain,product"]),
    ],
)
def test_names_are_completed(words, expected):
    asked = {
        "_EXPRGRAD_COMPLETE": "complete_bash",
        "COMP_WORDS": f"exprgrad {words}",
        "COMP_CWORD": str(len(f"exprgrad {words}".split(" ")) - 1),
    }
    done = CliRunner().invoke(application(), env=asked, prog_name="exprgrad")
    assert done.output.split() == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shell", "expected"),
    [
        ("zsh", "_arguments '*: :((\"limits\"))'"),
        ("fish", "limits"),
    ],
)
def test_zsh_and_fish_get_completions_in_their_own_form(shell, expected):
    asked = {
        "_EXPRGRAD_COMPLETE": f"complete_{shell}",
        "_TYPER_COMPLETE_ARGS": "exprgrad help lim",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    done = CliRunner().invoke(application(), env=asked, prog_name="exprgrad")
    assert done.output.strip() == expected
