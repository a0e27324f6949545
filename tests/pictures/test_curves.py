"""Curves: what is special about them is marked, and no line is drawn where there is none."""

from __future__ import annotations

import math
import re
import sys
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

import exprgrad
from exprgrad.errors import UsageError
from exprgrad.pictures import curves
from exprgrad.pictures.curves import JUMP, POLE, Along, described
from exprgrad.pictures.plot import Paper, plot_of, plotted, ticks
from exprgrad.pictures.svg import document, rendered, save
from tests.golden import compare

CURVES = Path(__file__).parent / "curves.txt"
KEPT = Path(__file__).parent / "curves_told.txt"


def drawn(row: str):
    source, _, ends = row.partition(";")
    across = tuple(map(float, ends.split(":"))) if ends else None
    return plot_of([exprgrad.parse(source, lenient=True)], across=across)


@cache
def plots():
    """Every curve, drawn once; in a test, since only tests are measured for coverage."""
    rows = CURVES.read_text(encoding="utf-8").splitlines()
    return {row: drawn(row) for row in rows}


@pytest.mark.slow
def test_curves_are_as_they_were_when_they_were_looked_at():
    lines = []
    for row, plot in plots().items():
        (curve,) = plot.curves
        window = ", ".join(f"{x:.4g}" for x in plot.window)
        lines.append(f"{row}\n  shown: {window}; pieces: {len(curve.pieces)}")
        lines += [f"  {described(mark, 'x')}" for mark in curve.marks]
        lines += [f"  {note}" for note in plot.notes]
    compare(KEPT, "\n".join(lines) + "\n")


@pytest.mark.slow
def test_no_line_is_drawn_where_the_curve_is_not():
    for row, plot in plots().items():
        f = Along(exprgrad.parse(row.partition(";")[0], lenient=True), "x", {}, 15)
        f = f.less(plot.base) if plot.base else f
        paper, w = Paper(plot), plot.window
        height = w.top - w.bottom
        for piece in plot.curves[0].pieces:
            pairs = [(a, b) for a, b in pairwise(piece) if a[0] < b[0]]
            pairs.sort(key=lambda ends: -abs(ends[0][1] - ends[1][1]))
            for (a, u), (b, v) in pairs[:12]:
                if max(u, v) < w.bottom or min(u, v) > w.top:
                    continue
                y = f((a + b) / 2)
                assert y is not None, (row, a, b)
                low, high = min(u, v) - 0.01 * height, max(u, v) + 0.01 * height
                assert low <= y <= high, (row, a, b, y)
        for mark in plot.curves[0].marks:
            if mark.kind in (POLE, JUMP):
                for piece in plot.curves[0].pieces:
                    assert not piece[0][0] < mark.x < piece[-1][0], (row, mark)
        assert "nan" not in plot.svg(), row
        assert paper.per_x > 0


def test_a_corner_has_both_slopes_and_a_tangent_one():
    plot = plotted([exprgrad.parse("abs(x^2 - 1)")], {}, (-3, 3), None, [2, 1])
    corner = plot.curves[0].marks[-1]
    assert (corner.kind, corner.x, corner.slopes) == ("corner", 1.0, (-2.0, 2.0))
    assert [(t.x, t.y, t.slopes) for t in plot.tangents] == [(2, 3, (4,)), (1, 0, (-2, 2))]  # fmt: skip
    svg = plot.svg()
    assert "slope −2" in svg
    assert "slope 4 at 2" in svg


def test_the_ends_at_a_jump_are_filled_where_the_value_is():
    svg = plotted([exprgrad.parse("floor(x)")], {}, (0.5, 1.5)).svg()
    assert svg.count('class="open c0"') == 1
    assert svg.count('class="f0"') == 1


VALUES_AT_JUMPS = {
    "mod(1,x); 0.15:0.6": [0, 0, 0, 0, 0],
    "floor(3x); 0:1": [1, 2],
    "sign(x-1/3); 0:1": [0],
    "if(x<=1/3,x,2); 0:1": [1 / 3],
    "floor(x/0.1); 0:0.75": [1, 2, 3, 4, 5, 6, 7],
    "ceil(x^2); 0:1.9": [1, 2, 3],
    "floor(ln(x)); 1:10": [1, 2],
    "floor(exp(x)); 0:1.2": [2, 3],
    "floor(2sin(x)); 0:6": [1, 1, 0, -1, -1],
    "sign(sin(x)); -4:4": [0, 0, 0],
    "round(x); -1:3": [0, 0, 2, 2],
    "x/|x|; -1:1": [None],
    "floor(x^2+x); 0:1.5": [None, 2, None],
}  # fmt: skip
"""What the value is at each jump; None where there is none, or where the place is no number that is recognised."""


@pytest.mark.slow
@pytest.mark.parametrize("row", VALUES_AT_JUMPS)
def test_value_at_a_jump_is_that_of_the_exact_place_and_not_of_a_double_beside_it(row):
    (curve,) = drawn(row).curves
    jumps = [mark for mark in curve.marks if mark.kind == JUMP]
    assert [mark.value for mark in jumps] == VALUES_AT_JUMPS[row]


HOLES = {
    "(3x-1)^2/(3x-1); 0:1": ("hole", 1 / 3),
    "(x^2-2)/(x^2-2); 1:2": ("hole", math.sqrt(2)),
    "sin(x)^2/sin(x); 3:4": ("hole", math.pi),
    "(exp(x)-3)^2/(exp(x)-3); 1:2": ("hole", math.log(3)),
    "if(x^2==3,2,x); 1:2": ("point", math.sqrt(3)),
    "if(x==1/3,2,x); 0:1": ("point", 1 / 3),
    "if(x==0.3,2,x); 0:1": ("point", 0.3),
}


@pytest.mark.parametrize("row", HOLES)
def test_hole_is_marked_though_no_double_meets_it(row):
    (curve,) = drawn(row).curves
    ((kind, x),) = [(mark.kind, mark.x) for mark in curve.marks]
    assert (kind, x) == (HOLES[row][0], pytest.approx(HOLES[row][1], abs=1e-10))


@pytest.mark.slow
def test_a_place_that_nothing_tells_from_the_end_of_the_picture_is_that_end():
    curve = exprgrad.parse("acot(exp(x) >= abs(x))").plot().curves[0]
    assert [mark.kind for mark in curve.marks] == ["edge"]
    assert [mark.x for mark in curve.marks] == [pytest.approx(-0.5671433, abs=1e-6)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("f", "begin"), [("ln(x)", 0), ("x^2 + 0*ln(x - 1)", 1), ("2x + 0*sqrt(x)", 0)]
)
def test_a_derivative_is_drawn_only_where_there_is_a_function(f, begin):
    """Its formula goes on elsewhere: 1/x, of ln(x)."""
    plot = plotted([exprgrad.parse(f)], {}, (-2, 3), None, [], "f, f', f''")
    for curve in plot.curves:
        xs = [x for piece in curve.pieces for x, _ in piece]
        assert (min(xs), max(xs)) == (pytest.approx(begin, abs=1e-9), 3)


@pytest.mark.slow
def test_derivatives_are_drawn_beside_the_function():
    plot = plotted([exprgrad.parse("a*x^2")], {"a": 3}, None, None, [], "f, f', f''")
    assert [curve.name for curve in plot.curves] == ["f", "f'", "f''"]
    assert {y for piece in plot.curves[2].pieces for _, y in piece} == {6.0}
    with pytest.raises(UsageError, match="expected f, f' or f''"):
        plotted([exprgrad.parse("x^2")], {}, None, None, [], "g2")


@pytest.mark.slow
def test_of_two_variables_there_are_contours_with_gradients_across_them():
    plot = exprgrad.parse("x^2 + y^2").plot(across=(-2, 2))
    assert len(plot.field.lines) >= len(plot.field.heights) - 1 > 5
    for line in plot.field.lines:
        radii = [math.hypot(x, y) for x, y in line]
        assert max(radii) - min(radii) < 0.03
    assert all((dx, dy) == (2 * x, 2 * y) for x, y, dx, dy in plot.field.arrows)
    assert plot.svg().count('class="contour"') == len(plot.field.lines)


def test_what_has_no_curve_is_one_diagnostic():
    for source, given, across in (("x*y*z", {}, None), ("x^2", {}, (1.0, 1.0)), ("x*y*z", {"x": 1.0}, (2.0, -2.0))):  # fmt: skip
        with pytest.raises(UsageError):
            plotted([exprgrad.parse(source)], given, across)


def test_ticks_are_round_numbers():
    assert ticks(-2, 2) == [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2]
    assert ticks(0, 1e-12, 5) == [0, 2e-13, 4e-13, 6e-13, 8e-13, 1e-12]
    assert ticks(1, 1) == []


@pytest.mark.slow
def test_matplotlib_draws_the_same_pieces_with_gaps_between_them():
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    f = exprgrad.parse("1/x")
    assert f.plot(across=(-1, 1), ax=ax) is ax
    assert ax.get_xlim() == (-1, 1)
    ys = ax.lines[0].get_ydata()
    assert sum(math.isnan(y) for y in ys) == 2
    png = f.plot(across=(-1, 1)).png()
    assert png.startswith(b"\x89PNG")


def test_numbers_that_differ_in_their_last_digits_say_what_they_start_from():
    plot = plotted([exprgrad.parse("x + 1/3")], {}, (-1e-9, 1e-9))
    base = re.search(r'class="base">from ([^<]*)<', plot.svg())
    assert base is not None
    assert float(base[1]) == pytest.approx(1 / 3, abs=1e-9)
    assert plot.window.bottom < float(base[1]) < plot.window.top


FINE = {
    "1e15 + x; -5:5": (10**15, lambda x: x),
    "1e20 + x^2; -2:2": (10**20, lambda x: x * x),
    "x^2 + 1e13; -1:1": (10**13, lambda x: x * x),
    "1e17 - 3x; -1:1": (10**17, lambda x: -3 * x),
}


@pytest.mark.slow
@pytest.mark.parametrize("row", FINE)
def test_no_staircase_is_drawn_where_doubles_are_too_coarse(row):
    plot, (base, true) = drawn(row), FINE[row]
    (piece,) = plot.curves[0].pieces
    height = plot.window.top - plot.window.bottom
    assert height < 15
    for x, y in piece:
        assert abs(y + float(plot.base - base) - true(x)) < 1e-4 * height
    told = curves.exact_text(plot.base)
    assert f">from {told}<" in plot.svg()
    fields = plot.fields()
    assert fields["base"] == told
    (own,) = fields["curves"]
    assert own["from_base"] == plot.curves[0].pieces
    assert own["pieces"][0][0] == (
        piece[0][0],
        float(Fraction(piece[0][1]) + plot.base),
    )
    assert (
        fields["window"]["bottom"] <= own["pieces"][0][0][1] <= fields["window"]["top"]
    )
    assert f"heights count from {told}" in plot.told()


@pytest.mark.slow
def test_curve_with_a_jump_is_drawn_above_a_base_too():
    plot = drawn("1e17 + floor(x); -1.5:1.5")
    assert curves.exact_text(plot.base) == "1e17"
    marks = plot.fields()["curves"][0]["marks"]
    assert [mark["value"] for mark in marks] == [1e17 - 1, 1e17, 1e17 + 1]
    assert [(m.x, m.left, m.right) for m in plot.curves[0].marks] == [(-1, -2, -1), (0, -1, 0), (1, 0, 1)]  # fmt: skip


def test_doubles_that_stand_apart_across_the_picture_are_no_jumps():
    plot = drawn("x^2; 100000000:100000000.000001")
    assert len(plot.curves[0].pieces) == 1
    assert not plot.curves[0].marks


@pytest.mark.slow
def test_constant_is_drawn_at_its_own_height():
    for row in ("1e15 + 0*x; -1:1", "x - x + 1e15; -1:1", "1/3 + 0*x; -1:1"):
        plot = drawn(row)
        assert not plot.base
        assert "base" not in plot.fields()


def test_number_that_heights_count_from_is_told_in_full():
    told = [curves.exact_text(Fraction(n)) for n in ("1e15", "1e20", "1234567890123456.75", "0.25", "-1e17", "120")]  # fmt: skip
    assert told == ["1e15", "1e20", "1234567890123456.75", "0.25", "-1e17", "120"]


def on_axes(source: str, **options):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    exprgrad.parse(source).plot(ax=ax, **options)
    return ax


def dots(ax) -> list[tuple[float, float, bool]]:
    """The places that are marked, and whether the dot is filled."""
    marked = [line for line in ax.lines if line.get_marker() == "o"]
    return sorted(
        (x, y, line.get_markerfacecolor() != "white")
        for line in marked
        for x, y in zip(*line.get_data(), strict=True)
    )


@pytest.mark.slow
def test_matplotlib_marks_corners_jumps_and_poles():
    assert dots(on_axes("|x|", across=(-1, 1))) == [(0, 0, False)]
    ends = [(0, -1, False), (0, 0, True), (0, 1, False)]
    assert dots(on_axes("sign(x)", across=(-1, 1))) == ends
    dashed = [line for line in on_axes("1/x", across=(-1, 1)).lines if line.get_linestyle() == "--"]  # fmt: skip
    assert [list(line.get_xdata()) for line in dashed] == [[0, 0]]


@pytest.mark.slow
def test_matplotlib_draws_tangents_contours_and_names():
    ax = on_axes("x^2", across=(-1, 1), tangents=[0.5])
    assert (0.5, 0.25, True) in dots(ax)
    assert [line.get_slope() for line in ax.lines if hasattr(line, "get_slope")] == [1]
    ax = on_axes("x^2 + y^2", across=(-1, 1))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y")
    assert len(ax.collections) == 1  # the arrows


@pytest.mark.slow
def test_matplotlib_draws_a_band_where_a_curve_swings_too_fast_to_be_followed():
    band = [line for line in on_axes("tan(100x)", across=(0, 10)).lines if line.get_alpha()]  # fmt: skip
    assert 100 < len(band) < 800
    assert all(line.get_ydata()[0] < line.get_ydata()[1] for line in band)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "low", "high"),
    [
        (
            "max(x, 1) + max(x, 2) + max(x, 900)",
            0,
            4,
        ),  # a corner far from the others is left out
        ("sqrt(x-3)", 2.5, 100),
        ("sin(x)", -10, 10),
        ("7", -5, 5),
    ],
)
def test_a_range_is_chosen_where_something_happens(source, low, high):
    window = plot_of([exprgrad.parse(source)]).window
    assert low <= window.left < window.right <= high


@pytest.mark.parametrize(
    "across", [("a", None), (1, None), (1, 2, 3), 5, ("0", "1"), (1 + 2j, 3)]
)
@pytest.mark.parametrize("text", ["x^2", "x*y"])
def test_a_range_that_is_not_two_numbers_is_refused(text, across):
    with pytest.raises(UsageError, match="range"):
        exprgrad.parse(text).plot(across=across)


@pytest.mark.slow
def test_gradients_stand_at_right_angles_on_contours_and_heights_are_written():
    plot = exprgrad.parse("x^2 + 3*y^2").plot()
    svg = plot.svg()
    ((width, height),) = re.findall(r'class="paper" width="([\d.]+)" height="([\d.]+)"', svg)  # fmt: skip
    across, up = (plot.window.right - plot.window.left, plot.window.top - plot.window.bottom)  # fmt: skip
    assert (float(width) - 80) / across == pytest.approx((float(height) - 74) / up)
    arrows = re.findall(r'class="arrow" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"', svg)  # fmt: skip
    assert len(arrows) == len(plot.field.arrows)
    for (a, c, b, d), (_, _, dx, dy) in zip(arrows, plot.field.arrows, strict=True):
        x, y = float(b) - float(a), float(c) - float(d)
        assert x * dy - y * dx == pytest.approx(0, abs=0.2 * math.hypot(dx, dy))
    written = {float(text) for text in re.findall(r'class="slope height">([\d.]+)<', svg)}  # fmt: skip
    assert written == set(plot.field.of)


@pytest.mark.slow
def test_a_field_of_unlike_ranges_has_unlike_axes():
    assert not plotted([exprgrad.parse("x^2 + y")], {}, (0, 1), (0, 100)).is_equal


@pytest.mark.slow
@pytest.mark.parametrize("end", ["png", "pdf"])
def test_every_picture_can_be_a_png_and_a_pdf(end, tmp_path):
    pytest.importorskip("cairosvg", reason="nothing draws SVG here")
    graph = exprgrad.parse("x^2*y").graph({"x": 2, "y": 3})
    file = save(graph, tmp_path / f"graph.{end}", on_dark=True)
    assert file.read_bytes()[:4] == {"png": b"\x89PNG", "pdf": b"%PDF"}[end]


def test_a_picture_too_large_for_a_png_is_an_error(tmp_path, monkeypatch):
    wide = document(40_000.0, 10.0, "wide", "", "", [])
    with suppress(ImportError):
        import cairosvg  # noqa: F401

        with pytest.raises(UsageError, match="too large for a PNG"):
            rendered(wide, "png")
    script = tmp_path / "rsvg-convert"
    script.write_text("#!/bin/sh\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="too large for a PNG"):
        rendered(wide, "png")


def test_a_picture_for_dark_paper_has_its_colours_everywhere(tmp_path):
    graph = exprgrad.parse("x^2*y").graph({"x": 2, "y": 3})
    text = save(graph, tmp_path / "graph.svg", on_dark=True).read_text("utf-8")
    assert "@media" not in text
    assert text.index("fill:#ffffff") < text.index("fill:#14171d") < text.index("</style>")  # fmt: skip


def test_without_a_program_that_draws_svg_there_is_a_hint(monkeypatch):
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="a PDF is drawn by CairoSVG") as refused:
        rendered("<svg/>", "pdf")
    assert "[pictures]" in str(refused.value.hint)


@pytest.mark.parametrize("places", [["a"], [None], "1", 1, [1j]])
def test_places_of_tangents_that_are_no_numbers_are_errors(places):
    with pytest.raises(UsageError):
        exprgrad.parse("x^2").plot(tangents=places)
