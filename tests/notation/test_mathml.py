"""MathML that is well formed for every row, says what LaTeX says, and is linear in the formula."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given

from exprgrad import Value
from exprgrad.errors import UsageError
from exprgrad.expressions.expression import parse
from exprgrad.graph.value import node
from exprgrad.notation.mathml import derivative_of, mathml
from exprgrad.operations.operation import TABLE
from tests.notation.test_latex import WRITTEN
from tests.strategies import texts

HEAD, FOOT = '<math xmlns="http://www.w3.org/1998/Math/MathML">', "</math>"
OPEN, SHUT = "<mrow><mo>(</mo>", "<mo>)</mo></mrow>"
SIN = f"<mi>sin</mi><mo>&#x2061;</mo>{OPEN}<mi>x</mi>{SHUT}"

GOLDEN = {
    "x/2": "<mfrac><mi>x</mi><mn>2</mn></mfrac>",
    "2x sin(x)": f'<mn>2</mn><mo>&#x2062;</mo><mi>x</mi><mo lspace="0" rspace="0.17em">&#x2062;</mo>{SIN}',
    "-x^(a+1)": "<mo>−</mo><msup><mi>x</mi><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow></msup>",
    "sin(x)^2": SIN.replace("<mi>sin</mi>", "<msup><mi>sin</mi><mn>2</mn></msup>"),
    "1/sin(x)": f"<mfrac><mn>1</mn><mrow>{SIN}</mrow></mfrac>",
    "sqrt(x)": "<msqrt><mi>x</mi></msqrt>",
    "root(x + 1, n)": "<mroot><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow><mi>n</mi></mroot>",
    "|x|": "<mrow><mo>|</mo><mi>x</mi><mo>|</mo></mrow>",
    "floor(x)": "<mrow><mo>⌊</mo><mi>x</mi><mo>⌋</mo></mrow>",
    "log2(x)": f"<msub><mi>log</mi><mn>2</mn></msub><mo>&#x2061;</mo>{OPEN}<mi>x</mi>{SHUT}",
    "gamma(x)": f"<mi>Γ</mi><mo>&#x2061;</mo>{OPEN}<mi>x</mi>{SHUT}",
    "x_1*theta": "<msub><mi>x</mi><mn>1</mn></msub><mo>&#x2062;</mo><mi>θ</mi>",
    "2.5e-9*x": "<mrow><mn>2.5</mn><mo>⋅</mo><msup><mn>10</mn><mrow><mo>−</mo><mn>9</mn></mrow></msup></mrow><mo>&#x2062;</mo><mi>x</mi>",
    "if(x < 0, 1, x)": "<mrow><mo form=\"prefix\">{</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mrow><mtext>if&#xa0;</mtext><mi>x</mi>"
    "<mo>&lt;</mo><mn>0</mn></mrow></mtd></mtr><mtr><mtd><mi>x</mi></mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>",
    "sum(v)": f"<mi>sum</mi><mo>&#x2061;</mo>{OPEN}<mi>v</mi>{SHUT}",
    "v[0]": "<msub><mi>v</mi><mn>0</mn></msub>",
}  # fmt: skip

LEAVES = ("mi", "mn", "mo", "mtext")
ARITY = {"mfrac": 2, "msup": 2, "msub": 2, "mroot": 2}


def well_formed(markup: str) -> ElementTree.Element:
    """The elements, each with as many parts as it takes, and none empty."""
    root = ElementTree.fromstring(markup)
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        assert tag in LEAVES or len(element) >= 1, markup
        assert len(element) == ARITY.get(tag, len(element)), markup
        assert tag not in LEAVES or element.text, markup
    return root


@pytest.mark.parametrize("source", GOLDEN)
def test_formula_is_typeset(source):
    assert mathml(parse(source).root) == f"{HEAD}{GOLDEN[source]}{FOOT}"


def test_every_row_is_well_formed_and_leaves_no_latex():
    for operation in TABLE.values():
        names = [Value(None, name) for name in ("x", "y", "z")]
        count = 2 if operation.whole and operation.whole.variadic else operation.arity
        markup = mathml(node(operation, tuple(names[:count])))
        well_formed(markup)
        assert not set(markup) & set("\\&{") - set(r"&{"), operation.name
        for name in names[:count]:
            assert f"<mi>{name.name}</mi>" in markup, operation.name


@pytest.mark.slow
def test_what_is_told_in_latex_is_told_in_mathml():
    for source in WRITTEN:
        well_formed(mathml(parse(source).root))


@given(texts())
def test_any_formula_is_well_formed(source):
    well_formed(mathml(parse(source).root))


def test_operator_stands_before_what_it_differentiates():
    root = parse("x*y").root
    inside = f"{OPEN}<mi>x</mi><mo>&#x2062;</mo><mi>y</mi>{SHUT}"
    d = '<mi mathvariant="normal">∂</mi>'
    below = f"{d}<msup><mi>x</mi><mn>2</mn></msup>{d}<mi>y</mi>"
    above = f"<msup>{d}<mn>3</mn></msup>"
    operator = f"<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>"
    found = derivative_of(root, ("x", "x", "y"), True)
    assert found == f"{HEAD}{operator}{inside}{FOOT}"
    well_formed(found)
    assert ">d</mi>" in derivative_of(parse("x^2").root, ("x",), False)


def test_names_hold_no_markup():
    hostile = Value(None, "<script>&\x00\x1b") + Value(None, 'a"_<b>')
    markup = mathml(hostile)
    assert "<script" not in markup
    assert "<b>" not in markup
    assert [e.text for e in well_formed(markup)[:1]] == ["<script>&\ufffd\ufffd"]


@pytest.mark.slow
def test_deep_formula_is_written_without_recursion():
    x = Value(None, "x")
    power, root, left = x, x, x
    for _ in range(3_000):
        power = x**power
        root = (root + 1).sqrt()
        left = (left + 1) ** 2
    for formula in (power, root, left):
        assert len(mathml(formula)) < 150 * 3_000


@pytest.mark.slow
def test_doublings_without_end_are_refused():
    x = Value(None, "x")
    for _ in range(60):
        x = x + x
    with pytest.raises(UsageError, match="more than 200,000 symbols to typeset"):
        mathml(x)
