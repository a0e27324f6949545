"""Derivatives of what holds functions of x by their letters: dy/dx, y' and y(x) in an answer."""

from __future__ import annotations

import pytest

import exprgrad


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("d/dx (x^2 y) = 2xy + x^2 dy/dx", "correct"),
        ("d/dx (x^2 y) = 2xy + x y'", "incorrect"),
        ("d/dx (x^2*y(x)) = 2x*y(x) + x^2*y'(x)", "correct"),
        ("d/dx (x^2*y(x)) = 2x*y(x) + x*y'(x)", "incorrect"),
        ("d/dx (u(x)*v(x)) = u'(x)*v(x) + u(x)*v'(x)", "correct"),
        (r"$\frac{d}{dx} (x^2 y) = 2xy + x^2 \frac{dy}{dx}$", "correct"),
        ("d/dx (sin y) = cos y dy/dx", "correct"),
        (r"$\frac{d}{dx} \sin y = \cos y \, y'$", "correct"),
        ("d/dx (sin(xy)) = cos(xy)(y + xy')", "correct"),
        ("(uv)' = u'v + uv'", "correct"),
        ("(uv)' = u'v'", "incorrect"),
        ("(u v w)' = u'vw + uv'w + uvw'", "correct"),
        ("(u/v)' = (u'v - uv')/v^2", "correct"),
        ("(fg)' = f'g'", "incorrect"),
        ("$(f+g)' = f' + g'$", "correct"),
        ("(ku)' = k u'", "correct"),
        ("d/dx (x*y) = y", "correct"),
    ],
)
def test_letters_with_rates_are_functions_of_the_variable(text, status):
    assert exprgrad.ask(text).as_dict()["status"] == status


@pytest.mark.parametrize(
    ("function", "answer", "status"),
    [
        ("x^2*y", "2x*y + x^2*y'", "correct"),
        ("x^2 f(x)", "2x f(x) + x^2 f'(x)", "correct"),
    ],
)
def test_functions_that_an_answer_differentiates_are_no_factors(function, answer, status):  # fmt: skip
    assert exprgrad.check(function, answer, wrt="x").status == status


@pytest.mark.parametrize("text", ["d/dx(x^2 y) = 2xy + x^2 dy/dx = 0", "d/dx(u v) = u' v + u v' = 3x^2"])  # fmt: skip
def test_a_letter_that_changes_in_one_part_of_a_chain_alone_is_asked_about(text):
    with pytest.raises(exprgrad.ExprgradError, match="a constant in the last"):
        exprgrad.ask(text)
