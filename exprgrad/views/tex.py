r"""Texts, numbers and tables as TeX: words with what TeX would act on escaped, numbers as formulas, tables as `tabular`.

words("50 % of x_1")             50 \% of x\_1
in_digits("1.5e-7 ± 2e-9")       1.5 \cdot 10^{-7} \pm 2 \cdot 10^{-9}
cell("none")                     none, and cell("2.5") is $2.5$
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.notation.latex import latex_name
from exprgrad.patterns import pattern
from exprgrad.views.blocks import Table

if TYPE_CHECKING:
    import re

_SPECIAL = {c: f"\\{c}" for c in "#$%&_{}"} | {
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": "$<$", ">": "$>$", "|": "$|$", '"': "''", "…": r"\ldots{}",
}  # fmt: skip
_MATHEMATICS = {
    "∂": r"\partial", "√": r"\surd", "±": r"\pm", "×": r"\times", "·": r"\cdot", "÷": r"\div", "−": "-", "→": r"\to",
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≈": r"\approx", "∞": r"\infty", "π": r"\pi", "ν": r"\nu", "°": r"^{\circ}",
    "²": "^{2}", "³": "^{3}", "½": r"\frac{1}{2}",
}  # fmt: skip
_WORDS = str.maketrans(
    _SPECIAL | {sign: f"${written}$" for sign, written in _MATHEMATICS.items()}
)
_DECIMAL = pattern(r"(-?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+))?")
_NUMERIC = pattern(r"(?:-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[][, ±∞])+")
_PARTIAL = pattern(r"∂(\w*)/∂(\w+)")


def words(text: str) -> str:
    """A text in TeX, with everything escaped that TeX would act on."""
    return text.translate(_WORDS)


def in_digits(text: str) -> str:
    """Numbers as a formula: 1.5e-7 with a power of ten, others as they are."""
    written = _DECIMAL.sub(_power_of_ten, text)
    return written.replace(" ± ", r" \pm ").replace("∞", r"\infty")


def _power_of_ten(found: re.Match[str]) -> str:
    mantissa, exponent = found.groups()
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def is_number(text: str) -> bool:
    """Whether a text is a number, perhaps with its uncertainty, or an array of them."""
    return _NUMERIC.fullmatch(text) is not None and any(c in "0123456789∞" for c in text)  # fmt: skip


def value(text: str) -> str:
    """What a formula is equal to: a number, or words."""
    return in_digits(text) if is_number(text) else rf"\text{{{words(text)}}}"


def cell(text: str) -> str:
    """A cell of a table: a number as a formula, ∂/∂x as an operator, anything else as words."""
    partial = operator(text)
    if partial:
        return f"${partial}$"
    if text.endswith(" %"):
        return rf"{cell(text.removesuffix(' %'))}\,\%"
    return f"${in_digits(text)}$" if is_number(text) else words(text)


def operator(text: str) -> str:
    """∂/∂x, or ∂f/∂x, as a formula; nothing for another text."""
    found = _PARTIAL.fullmatch(text)
    if found is None:
        return ""
    above = rf"\partial {latex_name(found[1])}" if found[1] else r"\partial"
    return rf"\frac{{{above}}}{{\partial {latex_name(found[2])}}}"


def tabular(table: Table, names: Collection[str] = ()) -> Iterator[str]:
    """A table; a title, or a cell of its first column, that is one of the `names` is a formula."""

    def first(text: str) -> str:
        return f"${latex_name(text)}$" if text in names else cell(text)

    layout = "".join("r" if column.number else "l" for column in table.columns)
    yield rf"\begin{{tabular}}{{{layout}}}"
    titles = [first(column.title) for column in table.columns]
    yield rf"{' & '.join(titles)} \\ \hline"
    for row in table.rows:
        yield rf"{' & '.join((first(row[0]), *map(cell, row[1:])))} \\"
    yield r"\end{tabular}"
    if table.footer:
        yield words(table.footer)


def point(at: Mapping[str, str]) -> str:
    """The values of variables in a sentence: $x = 2$, $y = 0.5$."""
    return ", ".join(f"${latex_name(name)} = {in_digits(x)}$" for name, x in at.items())


def notes(texts: Iterable[str]) -> Iterator[str]:
    """Notes, each in a paragraph of its own."""
    for text in texts:
        yield ""
        yield rf"\emph{{Note}}: {words(text)}."


def sentence(text: str) -> str:
    """A text that begins with a capital letter, if it begins with a word, and ends with a full stop."""
    first = text.partition(" ")[0].rstrip(":,")
    begun = text[:1].upper() + text[1:] if first.isalpha() and len(first) > 1 else text
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def assumed(conditions: Sequence[str], declared: Collection[str]) -> str:
    """Return what stands behind a formula that holds under conditions, the names in them being declared."""
    from exprgrad.language.parser import read
    from exprgrad.notation.latex import latex

    if not conditions:
        return ""
    asked = (read(text, declared).root for text in conditions)
    return rf" \quad \text{{for }} {', '.join(map(latex, asked))}"
