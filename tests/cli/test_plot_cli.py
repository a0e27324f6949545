"""`exprgrad plot`: drawn in the terminal, and written as pictures."""

from __future__ import annotations

import json

import pytest


def test_a_curve_is_drawn_with_what_is_special_about_it(run):
    result = run("plot", "1/(x-1) + abs(x)", "--x=-1:3", "--tangent", "2")
    assert result.code == 0
    assert "┊" in result.out
    assert "tangent at x = 2: slope 0\n" in result.out
    assert "corner at x = 0, slopes -2 and 0\npole at x = 1\n" in result.out
    assert max(map(len, result.out.splitlines())) <= 80


def test_a_flat_line_lies_at_its_height(run):
    lines = run("plot", "2", "--x=0:1").out.splitlines()
    assert next(line for line in lines if "⠉" in line or "⠤" in line or "⣀" in line or "⠒" in line).startswith("  2 ┼")  # fmt: skip


@pytest.mark.slow
def test_several_curves_and_derivatives_have_names(run):
    out = run("plot", "x^2", "2x", "--x=-1:1").out
    assert out.startswith("── x^2\n── 2x\n")
    out = run("plot", "a*x^2", "--at", "a=3", "--with", "f,f'").out
    assert out.startswith("── f\n── f'\n")


@pytest.mark.parametrize(
    ("across", "numbers"),
    [
        ("--x=0:1000", "0 200 400 600 800 1000"),
        ("--x=0:1e6", "0 2e5 4e5 6e5 8e5 1e6"),
        ("--x=0:0.8", "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8"),
    ],
)
def test_numbers_at_an_edge_are_written_alike(run, across, numbers):
    assert run("plot", "2x", across).out.splitlines()[-1].split() == numbers.split()


def test_curves_are_told_apart_without_colours(run):
    out = run("plot", "x", "x + 2", "x + 4", "--x=-1:1").out
    assert "dashed: x + 2\ndotted: x + 4\n" in out
    _, flat = run("plot", "2", "1", "--x=0:1", "--y=0:3").out.split("\n  2 ┼")
    assert flat[:60] == "⠉" * 60
    assert flat.count("⣀⣀") == flat.count("⢀⣀⣀⡀") > 10
    assert "dashed" not in run("plot", "x", "--x=-1:1").out


@pytest.mark.parametrize(("end", "begins"), [("svg", b"<svg "), ("json", b"{"), ("png", b"\x89PNG")])  # fmt: skip
def test_the_name_of_the_file_says_its_format(run, tmp_path, end, begins):
    if end == "png":
        pytest.importorskip("matplotlib")
    path = tmp_path / f"curve.{end}"
    result = run("plot", "x^2", "-o", str(path))
    assert (result.code, result.out, result.err) == (0, "", "")
    assert path.read_bytes().startswith(begins)


def test_json_has_the_pieces_and_the_marks(run):
    plot = json.loads(run("plot", "1/x", "--x=-1:1", "--format", "json").out)
    assert plot["window"]["left"] == -1
    (curve,) = plot["curves"]
    assert len(curve["pieces"]) == 2
    (mark,) = curve["marks"]
    assert (mark["kind"], mark["left"], mark["right"]) == ("pole", "-infinity", "infinity")  # fmt: skip


@pytest.mark.slow
def test_of_two_variables_contours_are_drawn(run):
    out = run("plot", "x^2 + y^2").out
    assert out.startswith("x^2 + y^2, across x, up y\n")
    assert out.endswith("\ncontours at 2, 4, 6, 8, 10, 12, 14\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x*y*z",), "a curve has one variable"),
        (("x^2", "--x=3:1"), "goes from a number to a greater one"),
        (("x^2", "--x=3"), "--x is a range"),
        (("x", "--x=-1e308:1e308"), "lies within ±1e+305"),
        (("x", "--x=0:1e-310", "--y=0:1"), "at least 1e-290 wide"),
        (("x", "--y=-1e308:1e308"), "lies within ±5e+307"),
        (("x+y", "--x=0:1e-320"), "at least 1e-290 wide"),
        (("x", "--tangent", "1e308"), "a tangent lies within ±1e+305"),
        (("x", "--tangent", "1e308", "--x=0:1"), "a tangent lies within ±1e+305"),
        (("x^2", "--with", "g2"), "expected f, f' or f''"),
        (("ln(x)", "--tangent", "-1"), "ln needs an argument > 0"),
        (("x^2", "-o", "f.dot"), "cannot tell the format"),
        ((), "give one expression"),
    ],
)
def test_what_cannot_be_plotted_is_one_diagnostic(run, arguments, message):
    result = run("plot", *arguments)
    assert result.code in (2, 3)
    assert message in result.err
    assert result.out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("x", "--x=0:1e-289", "--tangent", "1e304"),
        ("x", "--tangent=5e-324"),
        ("x", "--x=0:1e100", "--y=1e-290:1e-289", "--tangent=-1"),
        ("x^2", "--x=-1e305:0", "--tangent=1e-289"),
        ("1e308*sign(x)", "--with=f,f'"),
        ("x*y", "--y=1e-100:5e307"),
    ],
)
def test_numbers_at_the_ends_of_doubles_are_drawn(run, arguments):
    for form in ("text", "svg"):
        result = run("plot", *arguments, "--format", form)
        assert result.code == 0
        assert "nan" not in result.out


def test_a_steep_tangent_crosses_the_picture_where_it_touches(run):
    window = ("--x=-1:3", "--y=-1e-200:1e-200")
    svg = run("plot", "1e300*x", "--tangent=0", *window, "--format", "svg").out
    line = svg.partition('<path class="tangent" d="')[2].partition('"')[0]
    assert line == "M214 420L214 40"


@pytest.mark.slow
def test_a_picture_without_a_curve_says_why(run):
    assert "no value was found in this window" in run("plot", "ln(-1-x^2)").out
    assert "no value was found" not in run("plot", "ln(x)").out


@pytest.mark.slow
def test_a_session_plots_beside_its_values(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "work.eg"
    script.write_text("a = 2\nx = 3\n:plot a*abs(x) from -1 to 1 tangent at 1/2\n:plot x^2 f.svg\n", encoding="utf-8")  # fmt: skip
    out = run("run", str(script)).out
    assert "tangent at x = 0.5: slope 2\ncorner at x = 0, slopes -2 and 2" in out
    assert "wrote f.svg" in out
    assert (tmp_path / "f.svg").exists()


@pytest.mark.slow
def test_results_of_other_commands_are_drawn_below_them(run, tmp_path):
    data = tmp_path / "d.csv"
    data.write_text("x,y\n0,1\n1,3\n2,5.5\n", encoding="utf-8")
    fitted = run("fit", "y ~ a*x+b", "--data", str(data), "--start", "a=1,b=0", "--plot").out  # fmt: skip
    assert fitted.count("○") == 3
    assert "\ny ~ a*x+b\n" in fitted
    least = run("minimize", "(x-1)^2 + y^2", "--start", "x=0,y=1", "--plot").out
    assert "(x-1)^2 + y^2, across x, up y" in least
    assert "start: x = 0\n" in least
    assert "start: x = 0\nstart: y = 1\n" in least
    checked = run("check", "x^2*sin(x)", "2x*cos(x)", "--plot")
    assert checked.code == 1
    assert "── derivative\n── claim\n" in checked.out
    assert "claimed 1.0806: x = 1\n" in checked.out
    assert run("check", "x^2", "2x", "--plot", "--format", "json").out.endswith("}\n")
    assert run("check", "x^2*y", "2x*y", "--wrt", "x", "--plot").code == 2


@pytest.mark.slow
def test_a_picture_says_what_its_axes_are_where_its_curves_do_not(run, tmp_path):
    of_depth = ("compare", "exp(x)*sin(x)", "--at", "x=1", "--plot")
    assert "\noperations by depth\n── ∂/∂x\n── the expression\n" in run(*of_depth).out
    assert run(*of_depth, str(tmp_path / "swell.svg")).code == 0
    assert ">operations by depth</text>" in (tmp_path / "swell.svg").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("check", "x^2", "2x+1"),
        ("compare", "x^2", "--at", "x=1"),
        ("fit", "y ~ a*x+b", "--data", "d.csv", "--start", "a=1,b=0"),
        ("minimize", "(x-1)^2 + y^2", "--start", "x=0,y=1"),
    ],
)
@pytest.mark.parametrize("option", ["-o", "--output", "--plot"])
def test_every_picture_is_written_by_the_same_options(run, tmp_path, monkeypatch, command, option):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text("x,y\n0,1\n1,3\n2,5.5\n", encoding="utf-8")
    assert run(*command, option, "light.svg").err == ""
    assert run(*command, "--dark", option, "dark.svg").code in (0, 1)
    light, dark = ((tmp_path / f"{n}.svg").read_text("utf-8") for n in ("light", "dark"))  # fmt: skip
    assert light.startswith("<svg ")
    assert "prefers-color-scheme" in light
    assert "prefers-color-scheme" not in dark


def test_a_minus_o_is_an_expression_where_no_file_follows(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("check", "-o^2/2", "-o").code == 0
    assert "at o = 0" in run("check", "-o", "1").out
    assert "there is no option -o" in run("diff", "x^2", "-o", "f.png").err
    refused = run("check", "x^2*y", "2x*y", "--wrt", "x", "-o", "f.svg")
    assert "leave --output out" in refused.err
    assert not (tmp_path / "f.svg").exists()


@pytest.mark.slow
def test_a_session_writes_pictures_of_other_commands(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "work.eg"
    script.write_text(":minimize x^2 start x=1 m.svg\n:check x^2, 2x c.svg\n:compare x^2 at x=1 g.svg\n:check d/dx x^2 = 2x n.svg\n", encoding="utf-8")  # fmt: skip
    result = run("run", str(script))
    assert "this has no curve" in result.err
    assert sorted(p.name for p in tmp_path.glob("*.svg")) == ["c.svg", "g.svg", "m.svg"]
