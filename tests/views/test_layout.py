"""Lines fit the screen: what is too long goes on below, and no table loses what it is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad.views.blocks import (
    Answer,
    Column,
    Heading,
    Lines,
    Note,
    Styled,
    Table,
    Wrapped,
)
from exprgrad.views.layout import folded, lines, width_of


def drawn(*blocks, width: int = 40) -> list[str]:
    return ["".join(text for text, _ in line) for line in lines(list(blocks), width)]


WORDS = "the quick brown fox jumps over the lazy dog and runs away from it again"


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize(
    "block", [Heading(WORDS), Note(WORDS), Wrapped((f"    {WORDS}",)), Styled((((WORDS, "red"),),))]
)  # fmt: skip
def test_texts_wrap_between_words(block, width):
    shown = drawn(block, width=width)
    assert max(map(len, shown)) <= width
    assert " ".join(" ".join(shown).split()).removeprefix("note: ") == WORDS


def test_lines_are_not_wrapped_so_that_they_can_be_copied():
    assert drawn(Lines((WORDS,))) == [WORDS]


def test_formulas_in_tables_are_not_broken_behind_a_minus():
    columns = [Column("operation"), Column("partial derivatives", wraps=True)]
    rows = [("erf(x)", "is 2*exp(-x^2)/sqrt(pi)"), ("mod(x, y)", "1 - self-made")]
    shown = drawn(Table("", columns, rows), width=29)
    assert [line[11:] for line in shown[2:]] == ["is", "2*exp(-x^2)/", "sqrt(pi)", "1 - self-made"]  # fmt: skip


def test_later_lines_are_indented():
    assert drawn(Note("a" * 30 + " bbb ccc"), width=40) == [
        "note: " + "a" * 30 + " bbb",
        "      ccc",
    ]


def test_an_answer_stands_right_below_its_heading():
    assert drawn(Heading("x^2 = 9"), Answer("f'(3) = 6"), Note("so")) == [
        "x^2 = 9",
        "f'(3) = 6",
        "",
        "note: so",
    ]


@given(
    st.lists(st.tuples(st.text("ab  漢(", max_size=30), st.sampled_from("rg")), max_size=6),
    st.integers(8, 50),
)  # fmt: skip
def test_folding_loses_no_character_but_spaces_and_no_style(line, width):
    out = list(folded(line, width))

    def signs(pieces):
        return [(c, style) for text, style in pieces for c in text if c != " "]

    assert signs(piece for part in out for piece in part) == signs(line)
    assert all(width_of("".join(t for t, _ in part)) <= width for part in out)


def test_a_long_formula_is_broken_behind_a_sign_and_never_within_a_number():
    line = [("f(x) = sin(12345*x)/2466164590419*(28938288481", "")]
    out = ["".join(text for text, _ in part).strip() for part in folded(line, 24)]
    assert out == ["f(x) =", "sin(12345*x)/", "2466164590419*", "(28938288481"]


def test_no_line_of_a_row_that_is_a_paragraph_ends_with_blanks():
    names = ["∂/∂" + letter * 22 for letter in "ab"]
    columns = [Column(""), *(Column(name, number=True) for name in names)]
    shown = drawn(Table("", columns, [(name, "0", "1") for name in names]), width=40)
    assert shown == [line.rstrip() for line in shown]


def test_a_column_without_entries_is_not_shown():
    columns = [Column("node"), Column("part"), Column("value", number=True)]
    assert drawn(Table("", columns, [("a", "", "1"), ("b", "", "22")])) == [
        "node  value",
        "────  ─────",
        "a         1",
        "b        22",
    ]


def test_a_table_that_cannot_fit_becomes_a_paragraph_per_row():
    columns = [Column("node"), Column("partial"), Column("adjoint × partial")]
    rows = [("x", "1/(x + y)^2", "123456 × 0.333333 = 41152"), ("", "x", "1 × 2 = 2")]
    assert drawn(Table("", columns, rows), width=40) == [
        "x  partial 1/(x + y)^2",
        "    adjoint × partial 123456 × 0.333333",
        "        = 41152",
        "    partial x",
        "    adjoint × partial 1 × 2 = 2",
    ]
