"""A CSV file cut into ranges of bytes: wherever it is cut, rows are those of the whole file, with their numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numpy")

from exprgrad.data.byte_ranges import NotCut, whole_rows
from exprgrad.data.tables import opened

CELLS = st.sampled_from(
    [
        "1",
        "",
        "é",
        '"a"',
        '"a\nb"',
        '"c,d"',
        '"e ""f"""',
        '""',
        '"g\r\n\r\nh"',
        '"\n\n"',
    ]
)
TEXTS = st.tuples(
    st.sampled_from(["", "\ufeff", "\n\n"]),
    st.lists(
        st.tuples(
            st.lists(CELLS, min_size=1, max_size=3), st.sampled_from(["\n", "\r\n", "\n\n"])
        )
    ),
    st.sampled_from(["", "1,2", "\r\n"]),
).map(
    lambda own: (
        own[0] + "x,y\n" + "".join(",".join(row) + end for row, end in own[1]) + own[2]
    )
)  # fmt: skip


def rows(path, part=None):
    """The rows of a file, or of a part of it, with their numbers."""
    found = []
    with opened(str(path)) as source:
        if part is not None:
            source.restrict(*part)
        for form, chunk in source.chunks():
            cells = zip(*form.cells(chunk.rows, [0, 1]), strict=True)
            found += enumerate(cells, chunk.first)
    return found


def parts(path, size):
    with opened(str(path)) as source:
        begin, end = source.begin, source.size
    return whole_rows(str(path), begin, end, ",", size)


@given(TEXTS, st.integers(1, 40))
def test_the_rows_of_all_ranges_are_those_of_the_file(tmp_path_factory, text, size):
    path = tmp_path_factory.mktemp("ranges") / "d.csv"
    path.write_text(text, "utf-8", newline="")
    ranges = parts(path, size)
    assert [row for part in ranges for row in rows(path, part)] == rows(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('1,5" pipe\n' + "1,2\n" * 30, "inside of a cell"),
        ('1,"5" pipe\n' + "1,2\n" * 30, "inside of a cell"),
        ("1,2\r3,4\n" * 20, "inside of a cell"),
        ("1,2\n" * 30 + '1,"2\n' + "1,2\n" * 30, "never closed"),
    ],
)
def test_a_file_whose_quotes_do_not_tell_where_rows_end_is_not_cut(
    tmp_path, text, reason
):
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + text, newline="")
    with pytest.raises(NotCut, match=reason):
        parts(path, 20)


@pytest.mark.parametrize("name", ["d.csv.gz", "d.jsonl"])
def test_zipped_files_and_others_cannot_be_cut(tmp_path, name):
    import gzip

    path = tmp_path / name
    text = b'{"x": 1}\n' if name == "d.jsonl" else gzip.compress(b"x\n1\n")
    path.write_bytes(text)
    with opened(str(path)) as source:
        assert source.begin is None
