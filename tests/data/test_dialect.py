"""The one dialect of delimited text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exprgrad.data.dialect import DELIMITERS, head_of, line, lines, reader

ROWS = st.lists(
    st.lists(st.text("a,;\t\"'\r\n x", max_size=5), min_size=1, max_size=4),
    max_size=5,
)


@given(rows=ROWS, delimiter=st.sampled_from(DELIMITERS))
def test_what_is_written_is_read_back(rows, delimiter):
    text = [f"{row}\n" for row in lines(rows, delimiter)]
    assert list(reader(text, delimiter)) == rows


@pytest.mark.parametrize(
    ("head", "needed", "delimiter"),
    [
        ("a,b", (), ","),
        ("a;b,c;d", (), ";"),
        ("a\tb", (), "\t"),
        ('"a;b;c",d', (), ","),
        ("problem;answer, claimed", ("problem", "answer"), ";"),
        ("alone", (), ","),
    ],
)
def test_the_delimiter_is_the_one_that_finds_the_names(head, needed, delimiter):
    assert head_of(head, needed)[1] == delimiter


def test_cells_are_quoted_only_where_they_must_be():
    assert line(["a", "b c", "d,e", 'f"g', "h\ri", ""]) == (
        'a,b c,"d,e","f""g","h\ri",'
    )
