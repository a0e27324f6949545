r"""Texts, numbers and tables as TeX: words with what TeX would act on escaped, numbers as formulas, tables as `tabular`.

words("50 % of x_1")             50 \% of x\_1
in_digits("1.5e-7 ± 2e-9")       1.5 \cdot 10^{-7} \pm 2 \cdot 10^{-9}
cell("none")                     none, and cell("2.5") is $2.5$
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from exprgrad.annotations import Any, cast
from exprgrad.graph.value import Value
from exprgrad.lazy import pattern
from exprgrad.notation.latex import latex_name
from exprgrad.views import blocks

_SPECIAL = {c: f"\\{c}" for c in "#$%&_{}"} | {
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": "$<$", ">": "$>$", "|": "$|$", '"': "''", "…": r"\ldots{}",
}  # fmt: skip
_MATHEMATICS = {
    "∂": r"\partial", "√": r"\surd", "±": r"\pm", "×": r"\times", "·": r"\cdot", "÷": r"\div", "−": "-", "→": r"\to",
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≈": r"\approx", "∞": r"\infty", "π": r"\pi", "ν": r"\nu", "°": r"^{\circ}", "µ": r"\mu",
    "²": "^{2}", "³": "^{3}", "½": r"\frac{1}{2}",
}  # fmt: skip
_WORDS = str.maketrans(
    _SPECIAL | {sign: f"${written}$" for sign, written in _MATHEMATICS.items()}
)
MARKED = {mark: status for status, mark in reversed(blocks.MARKS.items())}
"""The first status of each mark."""

_POWER = pattern(r"(?<=[\d.])[eE]([+-]?\d+)")
_NUMERIC = pattern(r"(?:-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[][, ±∞])+")
_PARTIAL = pattern(r"∂(\w*)/∂(\w+)")


def words(text: str) -> str:
    """A text in TeX, with everything escaped that TeX would act on."""
    # in one pass: a second would escape the backslashes that the first has written
    return text.translate(_WORDS)


def in_digits(text: str) -> str:
    """Numbers as a formula: 1.5e-7 with a power of ten, others as they are."""
    written = _POWER.sub(lambda m: rf" \cdot 10^{{{int(m[1])}}}", text)
    return written.replace(" ± ", r" \pm ").replace("∞", r"\infty")


def is_number(text: str) -> bool:
    """Return whether a text is a number, perhaps with its uncertainty, or an array of them."""
    return _NUMERIC.fullmatch(text) is not None and any(c in "0123456789∞" for c in text)  # fmt: skip


def value(text: str) -> str:
    """Return what a formula is equal to: a number, or words."""
    return in_digits(text) if is_number(text) else rf"\text{{{words(text)}}}"


def cell(text: str) -> str:
    """A cell of a table: a number as a formula, ∂/∂x as an operator, the mark of a status and anything else as words."""
    if text in MARKED:
        return MARKED[text]
    if partial := operator(text):
        return f"${partial}$"
    if text.endswith(" %"):
        # of 50 %, the number is a formula and the sign is not
        return rf"{cell(text.removesuffix(' %'))}\,\%"
    return f"${in_digits(text)}$" if is_number(text) else words(text)


def operator(text: str) -> str:
    """∂/∂x, or ∂f/∂x, as a formula; nothing for another text."""
    found = _PARTIAL.fullmatch(text)
    if found is None:
        return ""
    above = rf"\partial {latex_name(found[1])}" if found[1] else r"\partial"
    return rf"\frac{{{above}}}{{\partial {latex_name(found[2])}}}"


def tabular(table: blocks.Table) -> Iterator[str]:
    """A table."""
    table = table.written

    def first(text: str) -> str:
        return f"${latex_name(text)}$" if text in table.names else cell(text)

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


def sentence(text: str) -> str:
    """A text that begins with a capital letter, if it begins with a word, and ends with a full stop."""
    begun = capital(text)
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def capital(text: str) -> str:
    """A sentence that begins with a word, with a capital; one that begins with a formula stays."""
    first = text.partition(" ")[0].rstrip(":,")
    return text[:1].upper() + text[1:] if first.isalpha() and len(first) > 1 else text


def document(parts: Iterable[blocks.Block]) -> Iterator[str]:
    """The body of a document that uses amsmath: see `blocks`."""
    above: blocks.Block | None = None
    every = [*_with_tables(parts)]
    for block in every:
        lines = list(_lines(block))
        # formulas alone are put into others, and so is the last line below the text of `tangent`
        alone = len(every) == 1 or isinstance(above, blocks.Wrapped)
        if isinstance(block, blocks.Lines) and block.formulas and not alone:
            lines = [rf"\[ {line} \]" for line in lines]
        tabled = isinstance(above, blocks.Table) or (isinstance(above, blocks.Said) and above.table)  # fmt: skip
        close = isinstance(block, blocks.Answer | blocks.Said | blocks.Sentence | blocks.Lines) and not tabled  # fmt: skip
        # an empty line ends a paragraph in TeX, and what belongs to a sentence should stay in its paragraph
        close = close and not (isinstance(block, blocks.Sentence) and block.apart)
        if lines and above is not None and not close:
            yield ""
        yield from lines
        above = block if lines else above


def _with_tables(parts: Iterable[blocks.Block]) -> Iterator[blocks.Block]:
    """The same with the lines of a solution in a table."""
    for marked, own in groupby(parts, lambda block: isinstance(block, blocks.Marked)):
        if not marked:
            yield from own
            continue
        rows = []
        for line in cast(Iterable[blocks.Marked], own):
            told = "; ".join([line.status, *(said.text for said in line.said)])
            rows.append((str(line.number), line.text.strip(), told))
        yield blocks.Table(
            "", blocks.columns("line: number | solution | verdict"), rows
        )


def _lines(block: blocks.Block) -> Iterator[str]:
    match block:
        case blocks.Heading() | blocks.Answer() if block.formula:
            own = block.formula
            yield rf"\[ {formula(own)} \]"
            if own.spread:
                yield f"with a standard uncertainty of {cell(own.spread)}."
            if own.at:
                yield f"at {point(own.at)}."
        case blocks.Heading(text) | blocks.Answer(text):
            yield rf"\textbf{{{words(text)}}}"
        case blocks.Note(text, read):
            yield from () if read else (rf"\emph{{Note}}: {words(text)}.",)
        case blocks.Sentence():
            yield _sentence(block)
        case blocks.Said(text, kind, _, table):
            if kind == "note":
                yield from ("", rf"\emph{{Note}}: {words(text)}.")
            else:
                yield words(sentence(text))
            yield from ("", *tabular(table)) if table else ()
        case blocks.Derivation(_, steps):
            for found in steps:
                yield from derivation(found)
        case blocks.Table(title):
            yield from (rf"\emph{{{words(title)}}}", "") if title and block.rows else ()
            yield from tabular(block) if block.rows else ()
        case blocks.Lines(_, formulas) if formulas:
            yield from map(formula, formulas)
        case blocks.Wrapped(texts) | blocks.Lines(texts):
            yield from (rf"{words(text)} \\" for text in texts[:-1])
            yield from map(words, texts[-1:])
        case blocks.Styled(lines):
            drawn = ("".join(text for text, _ in line).rstrip() for line in lines)
            yield from (r"\begin{verbatim}", *drawn, r"\end{verbatim}")


def _sentence(block: blocks.Sentence) -> str:
    said = rf"\textbf{{{block.named}}}" if block.named else rf"\textbf{{{block.status}}}: "  # fmt: skip
    for piece in block.pieces:
        if isinstance(piece, str):
            said += words(piece)
            continue
        own = piece[1]
        said += f"${formula(own)}$" + (f" at {point(own.at)}" if own.at else "")
    return f"{said}."


def formula(own: blocks.Formula) -> str:
    """A formula without marks of mathematics."""
    from exprgrad.language.parser import read

    relation = rf" {own.relation} "
    text = relation.join(map(_side, own.sides))
    if own.end:
        text += rf"\text{{ {words(own.end)}}}"
    if own.conditions:
        asked = (_side(read(text, own.declared).root) for text in own.conditions)
        text += rf" \quad \text{{for }} {', '.join(asked)}"
    return text


def _side(side: Value | blocks.Derivative | str) -> str:
    from exprgrad.expressions.confirm import latex

    if isinstance(side, str):
        # a part of a gradient is named ∂f/∂x, a number 2.5, and anything else is words
        return operator(side) or value(side)
    if isinstance(side, blocks.Derivative):
        return rf"{differential(side.wrt, side.several)} \left({latex(side.root)}\right)"  # fmt: skip
    return latex(side)


def differential(wrt: tuple[str, ...], several: bool) -> str:
    """The operator of a derivative."""
    d = r"\partial " if several else "d"
    total = f"^{{{len(wrt)}}}" if len(wrt) > 1 else ""
    # Counter keeps the order of the names: ∂x ∂y² stays as it was asked for
    orders = ((x, f"^{{{n}}}" if n > 1 else "") for x, n in Counter(wrt).items())
    below = " ".join(f"{d}{latex_name(x)}{order}" for x, order in orders)
    return rf"\frac{{{d.strip()}{total}}}{{{below}}}"


def derivation(steps: Iterable[Any]) -> Iterator[str]:
    """The derivation as an `align*`, with the rules in words."""
    from exprgrad.expressions.confirm import latex
    from exprgrad.graph.order import topological

    yield r"\begin{align*}"
    for step in steps:
        part, result = latex(step.part), latex(step.result)
        operator = rf"\frac{{d}}{{d{latex_name(step.variable)}}}"
        assembled = latex(step.assembled)
        middle = f" = {assembled}" if step.rule.parts and assembled != result else ""
        indent = r"\quad " * step.depth
        shown = (step.assembled, step.result) if middle else (step.result,)
        # conditions are texts and are read again here: a name such as xy must not be taken for x*y
        names = {item.name or "" for item in topological(step.part)}
        conditions = step.assumptions(*shown)
        holds = formula(blocks.Formula((), conditions=conditions, declared=names))
        rule = step.rule.statement if step.rule.name == "table" else step.rule.name
        yield rf"{indent}{operator} \left({part}\right) &{middle} = {result}{holds} && \text{{{words(rule)}}} \\"
    yield r"\end{align*}"
