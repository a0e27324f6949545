"""Pygments colours `.eg` files piece by piece, as the scanner reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pygments.token import Comment, Error, Keyword, Name, Token

from exprgrad.views.lexer import EgLexer

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.eg")), ids=lambda p: p.stem)
def test_the_pieces_of_a_sample_are_its_text_and_none_is_an_error(path):
    text = path.read_text(encoding="utf-8")
    pieces = list(EgLexer().get_tokens_unprocessed(text))
    assert "".join(piece for _, _, piece in pieces) == text
    assert all(text.startswith(piece, place) for place, _, piece in pieces)
    assert Error not in {kind for _, kind, _ in pieces}


def test_functions_constants_commands_and_comments_are_told_apart():
    found = EgLexer().get_tokens("y = sin(pi*t)  # a wave\n:trace y at t=1")
    kinds = {piece: kind for kind, piece in found}
    assert kinds["sin"] is Name.Function
    assert kinds["pi"] is Name.Constant
    assert kinds["t"] is Name.Variable
    assert kinds["# a wave"] is Comment.Single
    assert kinds[":trace"] is kinds["at"] is Keyword
    assert all(kind in Token for kind in kinds.values())
