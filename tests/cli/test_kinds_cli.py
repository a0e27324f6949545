"""`exprgrad check --kind` on the command line."""

from __future__ import annotations

import json

import pytest

CIRCLE = "x^2 + y^2 = 25"

ASKED = [
    (("2x", "x^2 + C", "--kind", "antiderivative"), 0, "✓ correct: x^2 + C is an antiderivative of 2x"),
    (("2x", "x^2", "--kind", "antiderivative", "--constant", "required"), 1, "missing: add + C"),
    (("1/x", "ln x", "--kind", "antiderivative"), 1, "~ partly right: ln x as an antiderivative of 1/x"),
    ((CIRCLE, "-x/y", "--kind", "implicit", "--of", "y"), 0, "-x/y is dy/dx on x^2 + y^2 = 25"),
    ((CIRCLE, "x/y", "--kind", "implicit"), 1, "overall sign"),
    ((CIRCLE, "-3/4", "--kind", "implicit", "--at", "x=3,y=4"), 0, "at x = 3, y = 4"),
    (("x^2 + y^2 = -1", "-x/y", "--kind", "implicit"), 3, "has no real points"),
    (("(cos t, sin t)", "-cot t", "--kind", "parametric"), 0, "dy/dx of (cos t, sin t)"),
    (("x^2", "y = 6x - 9", "--kind", "tangent", "--at", "x=3"), 0, "tangent to x^2 at x = 3"),
    (("e^x", "1 + x", "--kind", "taylor", "--order", "1"), 0, "polynomial of order 1"),
    (("x^2 y", "16/5", "--kind", "directional", "--direction", "3,4", "--at", "x=1,y=2"), 0, "along (3, 4)"),
    (("x^2 y", "(2x, x^2)", "--kind", "gradient"), 1, "✗ ∂/∂x = 2x"),
    (("x^3 + x y^2", "(3x^2 + 2y, 2x y)", "--kind", "gradient"), 1, "the term 2y is wrong"),
    (("x^2 y", "6x", "--wrt", "x,y"), 1, "∂^2/∂x∂y"),
    (("x^2 y", "(2x y, x^2)", "--wrt", "x,y"), 0, "gradient of x^2 y"),
    (("x^2 y", "--kind", "hessian", "--claim", "x,y=2x"), 1, "missing: x,x, y,y"),
    ((CIRCLE, "-x/y"), 0, "✓ correct: -x/y is dy/dx on x^2 + y^2 = 25"),
    ((CIRCLE, "dy/dx = x/y"), 1, "overall sign"),
    (("xy = 4", "-y/x"), 0, "✓ correct: -y/x is dy/dx on xy = 4"),
    (("x^2 + xy = 4", "-(2x+y)/x"), 0, "xy is read as x*y"),
    ((CIRCLE, "-3/4", "--at", "x=3,y=4"), 0, "at x = 3, y = 4"),
    (("tangent to x^2 at x=3", "y = 6x - 9"), 0, "tangent to x^2 at x = 3"),
    (("gradient of x^2 y", "(2x y, x^2)"), 0, "gradient of x^2 y"),
    (("critical points of x^3 - 3x", "x = 1"), 1, "missing: x = -1"),
    (("integral of 2x", "x^2 + C"), 0, "an antiderivative of 2x"),
    (("f(x) = x^2; f'(3)", "6"), 0, "at x = 3"),
    (("x^3 - 3x", "-1, 1", "--kind", "critical"), 0, "critical points of x^3 - 3x"),
    (("x^3 - 3x", "1", "--kind", "critical", "--solution"), 1, "x = -1; x = 1"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "told"), ASKED)
def test_an_answer_of_any_kind_gets_a_verdict_and_an_exit_code(
    run, arguments, code, told
):
    result = run("check", *arguments)
    assert result.code == code, result.err
    assert told in " ".join(result.out.split())


def test_json_has_the_keys_of_a_verdict_and_more(run):
    plain = json.loads(run("check", "x^2", "2x", "--format", "json").out)
    asked = ("check", "x^2 y", "(2x, x^2)", "--kind", "gradient", "--format", "json")
    found = json.loads(run(*asked).out)
    assert set(plain) <= set(found)
    assert found["status"] == "partly"
    assert [part["status"] for part in found["parts"]] == ["incorrect", "correct"]


def test_an_option_that_a_kind_does_not_take_is_refused(run):
    result = run("check", "x", "x^2/2", "--kind", "antiderivative", "--at", "x=1")
    assert result.code == 2
    assert "takes no at" in result.err
