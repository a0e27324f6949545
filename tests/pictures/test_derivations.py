"""Derivations as HTML: every step is there, folded into the one that needs it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import exprgrad
from exprgrad.expressions import steps as symbolic
from exprgrad.pictures.walk import derivative, folded, formula


def parsed(source: str, name: str = "x") -> ElementTree.Element:
    """The steps as elements."""
    steps = symbolic.steps(exprgrad.parse(source).root, name)
    return ElementTree.fromstring(f"<div>{folded(steps, several=False)}</div>")


@pytest.mark.parametrize(
    "source",
    ["x", "x^2*sin(2x)", "exp(x)/(1+x^2)", "if(x > 1, x^2, sin(x))", "x^x + ln(x)^2", "-(x + 3)"],
)  # fmt: skip
def test_every_step_is_a_line_of_its_own(source):
    steps = symbolic.steps(exprgrad.parse(source).root, "x")
    found = parsed(source)
    rules = [span.text for span in found.iter("span") if span.get("class") == "rule"]
    assert rules == [step.rule.name for step in steps]
    assert len(list(found.iter("details"))) == sum(bool(s.rule.parts) for s in steps)


def test_a_step_stands_within_the_one_that_needs_it():
    (product,) = parsed("x^2*sin(2x)").findall("details")
    (chain,) = product.findall("details")
    words = "".join(chain.find("p").itertext())
    assert words.startswith("(sin(u))′ = cos(u)·u′, with u = ")
    assert len(product.findall("p")) == 2  # the rule, and the power of x


@pytest.mark.slow
def test_a_derivation_that_is_cut_says_so():
    source = "+".join(f"sin({i}*x)^2" for i in range(1, 160))
    steps = symbolic.steps(exprgrad.parse(source).root, "x")
    assert steps.is_cut
    assert f"more than these {len(steps)} steps" in folded(steps, several=False)


def test_what_is_too_long_for_a_line_is_left_out():
    long = exprgrad.parse("+".join(f"sin({i}*x)" for i in range(1, 120)))
    assert formula(long.root) == ""
    assert derivative(long, "x") == ""
    assert re.fullmatch(r"<math.*>cos<.*</math>", derivative(exprgrad.parse("sin(x)"), "x"))  # fmt: skip
