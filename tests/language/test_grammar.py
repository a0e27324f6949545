"""The grammar and its tables: fresh, free of conflicts, and read as Lark itself reads them."""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput
from lark.lexer import Lexer

from exprgrad import Expression, ExprgradError, parse
from exprgrad.graph.order import topological
from exprgrad.language import grammar, lalr
from exprgrad.language.scanning.scanner import Tokens
from exprgrad.notation.text import bracketed
from exprgrad.operations.operation import function_names
from tests import strategies

# Tables


def canonical(made: lalr.Tables) -> object:
    """The tables without the numbers of states and rules, which Lark gives in any order."""
    number = {made.start: 0}
    order = [made.start]
    for state in order:
        shifts = {s: to for s, to in made.action[state].items() if to >= 0}
        for _, following in sorted((shifts | made.goto[state]).items()):
            if following not in number:
                number[following] = len(order)
                order.append(following)
    rows = []
    for state in order:
        row: dict[str, object] = {s: number[to] for s, to in made.goto[state].items()}
        for symbol, to in made.action[state].items():
            row[symbol] = number[to] if to >= 0 else made.rules[-1 - to]
        rows.append(row)
    rest = (made.checksum, made.terminals, made.ignored, made.keywords)
    return rest, rows, number[made.end]


@pytest.mark.slow
@pytest.mark.parametrize("name", grammar.NAMES)
def test_shipped_tables_are_those_of_the_grammar(name):
    same = canonical(grammar.shipped(name)) == canonical(grammar.build(name))
    assert same, "run python -m exprgrad.language.grammar"


@pytest.mark.slow
def test_canonical_tables_differ_where_the_grammar_does():
    text = grammar.text()
    other = text.replace('_OR: "or"', '_OR: "xor"')
    assert canonical(lalr.build(text)) == canonical(lalr.build(text))
    assert canonical(lalr.build(text)) != canonical(lalr.build(other))


@pytest.mark.parametrize("name", grammar.NAMES)
def test_shipped_tables_are_used_and_lark_is_not(name, monkeypatch):
    monkeypatch.setattr(lalr, "build", lambda *_: pytest.fail("built anew"))
    grammar.tables.cache_clear()
    try:
        assert grammar.tables(name).fields == grammar.shipped(name).fields
    finally:
        grammar.tables.cache_clear()


@pytest.fixture
def edited(monkeypatch) -> Iterator[None]:
    """The grammar with another sign for products."""
    text = grammar.text()
    changed = text.replace("_TIMES: /[*", "_TIMES: /[*⊙")
    assert changed != text
    monkeypatch.setattr(grammar, "text", lambda name: changed)
    grammar.tables.cache_clear()
    grammar.scanner.cache_clear()
    yield
    monkeypatch.undo()
    grammar.tables.cache_clear()
    grammar.scanner.cache_clear()


@pytest.mark.slow
@pytest.mark.usefixtures("edited")
def test_edited_grammar_is_built_in_memory():
    assert parse("x⊙y").reading == "x*y"
    assert parse("2x^2 + sin y").reading == "(2*(x^2)) + sin(y)"


def test_edit_is_forgotten_with_the_edited_grammar():
    with pytest.raises(ExprgradError, match="not part of the language"):
        parse("x⊙y")


@pytest.mark.slow
@pytest.mark.parametrize("name", grammar.NAMES)
def test_grammar_has_no_conflicts(name, caplog):
    with caplog.at_level(logging.DEBUG, logger="lark"):
        start = "statement" if name == "session" else "start"
        Lark(grammar.text(name), parser="lalr", lexer="basic", start=start, debug=True)
    conflicts = [r.getMessage() for r in caplog.records if "conflict" in r.getMessage()]
    assert conflicts == []


def test_grammar_names_no_function():
    words = set(re.findall(r'"([a-z_0-9]+)"', grammar.text()))
    assert words & set(function_names()) == set()


def test_grammar_file_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(grammar.FILES, "expression", ("names", "nothing"))
    with pytest.raises(FileNotFoundError, match=r"nothing\.lark is neither"):
        grammar.text()


# Cutting a source


def tokens_of(pieces: grammar.Pieces) -> list[tuple[str, str, tuple[int, int]]]:
    return [
        (kind, text, (start, end))
        for kind, text, start, end in zip(*pieces, strict=True)
    ]


def tokens_in(
    matches: Iterable[re.Match[str]],
) -> list[tuple[str, str, tuple[int, int]]]:
    return [(m.lastgroup, m.group(), m.span()) for m in matches if m.lastgroup]


@given(strategies.texts() | st.text() | st.text(alphabet="d/xy^2_.e1 ∂²|<=#\n*"))
def test_a_simple_source_is_cut_as_the_patterns_say(text):
    matches = list(grammar.scanner().finditer(text))
    assert "".join(match.group() for match in matches) == text
    assert tokens_of(grammar.pieces(text)) == tokens_in(matches)


def test_text_whose_kind_depends_on_its_place_has_the_right_one_in_each():
    found = tokens_of(grammar.pieces("D_x y + D_xπ"))
    kinds = [(kind, text) for kind, text, _ in found if text == "D_x"]
    assert kinds == [("D_BY", "D_x"), ("NAME", "D_x")]


# Agreement with Lark


class Feed(Lexer):
    """Hands the tokens of our scanner to Lark's parser."""

    def __init__(self, lexer_conf: Any) -> None:
        pass

    def lex(self, data: Tokens) -> Iterator[Token]:
        for kind, text in zip(data.kinds[:-1], data.texts, strict=False):
            yield Token(kind, text)


LARK = Lark(grammar.text(), parser="lalr", lexer=Feed)


def of_lark(tokens: Tokens) -> Any:
    def plain(tree: Any) -> Any:
        if isinstance(tree, Tree):
            return (str(tree.data), *[plain(child) for child in tree.children])
        return str(tree)

    try:
        return plain(LARK.parse(tokens))
    except UnexpectedInput:
        return None


def of_ours(tokens: Tokens) -> Any:
    def action(alias: str) -> lalr.Action:
        return lambda values, start, end: (alias, *values)

    aliases = {rule[2] for rule in grammar.tables().rules if rule[2]}
    actions = {alias: action(alias) for alias in aliases}
    try:
        return lalr.run(
            grammar.tables(), tokens.kinds, tokens.texts, tokens.spans, actions
        )
    except lalr.Unexpected:
        return None


PIECES = st.sampled_from([
    *("x", "y", "2", ".5", "pi", "xy", "(", ")", "(x)", "|", "|y|", "sin", "ln ", "max("),
    *("+", "-", "*", "/", "^", "**", "²", "⁻¹", "!", "√", ",", " ", "<", "==", "≠"),
    *(" and ", " or ", " not ", "sin^2 ", "cos^-1 ", "if(", "=", "gamma(", "gamma"),
    *("[", "]", "[1]", "[-2, 0]"),
])  # fmt: skip


@given(st.lists(PIECES, min_size=1, max_size=12).map("".join))
def test_random_tokens_are_accepted_by_both_or_by_neither_and_read_alike(text):
    try:
        tokens = Tokens(text, ("x", "y"))
    except ExprgradError:
        return
    assert of_ours(tokens) == of_lark(tokens)


# Expressions


def joined(*pieces: Any) -> st.SearchStrategy[str]:
    parts = [st.just(p) if isinstance(p, str) else p for p in pieces]
    return st.tuples(*parts).map("".join)


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Larger texts from smaller ones, in the ways in which people write."""
    signs = st.sampled_from([*"+-*/", " + ", " − ", "·", " ", "^", "**"])
    functions = st.sampled_from(["sin", "ln", "sqrt", "tanh", "abs", "arctan", "cosh"])
    powers = st.sampled_from(["^2", "²", "^-1", "⁻¹", "^n"])
    atoms = st.sampled_from(["x", "2x", "x y", "x^2", "θ"])
    return st.one_of(
        joined("(", inner, ")", signs, "(", inner, ")"),
        joined(inner, signs, "(", inner, ")"),
        joined("(", inner, ")", st.sampled_from(["^2", "²", "^(1/3)", "^-1", "⁻¹"])),
        joined("-(", inner, ")"),
        joined("|", inner, "|"),
        joined("[", inner, "]", "{", inner, "}"),
        joined(functions, "(", inner, ")"),
        joined(st.sampled_from(["sin", "tanh"]), powers, "(", inner, ")"),
        joined(functions, " ", atoms),
        joined("max(", inner, ", ", inner, ", ", inner, ")"),
        joined("if(", inner, " < ", inner, ", ", inner, ", ", inner, ")"),
        joined("1/2(", inner, ")"),
        joined("2", st.sampled_from(["x", "y", "xy", "(x+1)", "sin x", "|y|"])),
        joined("√(", inner, ")"),
        joined("(3+", st.sampled_from("12"), ")!(", inner, ")"),
    )


WRITTEN = st.recursive(
    st.sampled_from(
        [
            *("x", "y", "xy", "xln(y)", "2", "0.5", "pi", "θ", "x_1", "3!"),
            *("x[0]", "xy[-1]", "y[ 1, -2 ]", "x_1[0][1]", "2x[3]"),
        ]
    ),
    grown,
    max_leaves=10,
)
DECLARED = ("x", "y", "θ", "x_1", "n")


@given(WRITTEN)
def test_every_written_form_is_read_alike_by_lark(text):
    tokens = Tokens(text, DECLARED)
    ours = of_ours(tokens)
    assert ours is not None
    assert ours == of_lark(tokens)


@given(WRITTEN)
def test_reading_and_text_read_back_to_themselves(text):
    expression = parse(text, DECLARED)
    assert parse(expression.reading, strict=True).reading == expression.reading
    assert parse(str(expression), strict=True).reading == expression.reading
    assert str(parse(str(expression), strict=True)) == str(expression)


def spans_of(expression: Expression) -> dict[tuple[int, int], str]:
    """For every span the outermost operation that was read from it, fully bracketed."""
    found = {}
    for node in topological(expression.root):
        if node.span is not None:
            found[node.span] = bracketed(node)
    return found


SUPERSCRIPT = re.compile("[⁺⁻⁰¹²³⁴-⁹]+")


@given(WRITTEN)
def test_text_under_the_span_of_a_node_reads_as_that_node(text):
    expression = parse(text, DECLARED)
    for (start, end), reading in spans_of(expression).items():
        under = text[start:end]
        if not SUPERSCRIPT.fullmatch(under):
            assert parse(under, DECLARED).reading == reading


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("a + b*c", ["a", "b", "c", "b*c", "a + b*c"]),
        ("(a + b)*c", ["a", "b", "a + b", "c", "(a + b)*c"]),
        ("-(a)^2", ["a", "2", "(a)^2", "-(a)^2"]),
        ("sin 2x / y", ["2", "x", "2x", "sin 2x", "y", "sin 2x / y"]),
        ("sin^2 x", ["x", "2", "sin^2 x"]),
        ("tan⁻¹(x)", ["x", "tan⁻¹(x)"]),
        ("x²⁰", ["x", "²⁰", "x²⁰"]),
        ("2|x - 1|", ["2", "x", "1", "x - 1", "|x - 1|", "2|x - 1|"]),
        ("√(x+1)", ["x", "1", "x+1", "√(x+1)"]),
        ("xe^y", ["x", "y", "e^y", "xe^y"]),
        ("xsiny", ["x", "y", "siny", "xsiny"]),
        ("max(x, y, 2)", ["x", "y", "2", "max(x, y, 2)"]),
        ("  x  +\n  y  ", ["x", "y", "x  +\n  y"]),
    ],
)
def test_spans_are_those_of_the_text(text, spans):
    expression = parse(text, ("x", "y"))
    found = [text[slice(*span)] for span in spans_of(expression)]
    assert sorted(found) == sorted(spans)


@pytest.mark.parametrize("name", ["expression", "session"])
@given(text=st.text(alphabet="abdexE019.+-*/^(),= "))
def test_simple_text_is_cut_as_the_patterns_cut_it(name, text):
    simple = grammar._simple_pieces(text)
    if simple is not None:
        assert grammar.pieces(text, name) == simple
        matches = grammar.scanner(name).finditer(text)
        assert tokens_of(simple) == tokens_in(matches)


def test_texts_with_other_signs_are_left_to_the_patterns():
    for text in ("x**2", "x==1", "dy/dx", "1e-5", "x.y", ".", "1.2.3", "x" + 9 * " "):
        assert grammar._simple_pieces(text) is None
    for text in ("x²", "x_1", "x<1", "x\n", "|x|"):
        assert text.translate(grammar._NOT_SIMPLE)


@given(
    text=st.lists(PIECES, max_size=12).map("".join) | WRITTEN,
    declared=st.sampled_from([(), ("x", "y"), ("d", "alpha")]),
    mode=st.sampled_from([{}, {"strict": True}, {"lenient": True}]),
)
@example("d + d(x^2, x)", (), {})
@example("alpha (x1)", (), {})
@example("0x1 + x1", (), {})
@example("x and y or rad", ("and",), {})
@example("2 3", (), {})
@example("(x]", (), {})
def test_tokens_that_are_taken_in_at_once_are_those_taken_in_one_by_one(
    text, declared, mode
):
    def tokens() -> object:
        try:
            found = Tokens(text, declared, **mode)
        except ExprgradError as error:
            return error.message, error.span, error.hint
        return found.kinds, found.texts, [*found.spans], found.notes.texts()

    at_once = tokens()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tokens, "_takes_all", lambda *_: False)
        assert at_once == tokens()


# The driver


def test_tokens_without_an_end_are_refused():
    with pytest.raises(ValueError, match="do not end"):
        lalr.run(grammar.tables(), ["NUMBER", "_PLUS"], "1+", [(0, 1), (1, 2)], {"number": lambda *_: 1})  # fmt: skip


def test_grammar_with_a_terminal_that_is_kept_in_some_productions_alone_is_refused():
    with pytest.raises(ValueError, match="without a name"):
        lalr.build('start: NAME "+" NAME\nNAME: /[a-z]+/')


def test_productions_of_any_length_have_their_values_and_spans():
    tables = lalr.build(
        "start: item _B item _B item _B item -> four\n"
        "item: _A -> none\n    | NAME NAME -> two\n    | _A _C _A -> three\n"
        "NAME: /[a-z]/\n_A: /1/\n_B: /2/\n_C: /3/"
    )
    text = "ab2121312cd"
    kinds = [{"1": "_A", "2": "_B", "3": "_C"}.get(c, "NAME") for c in text]
    spans = [(i, i + 1) for i in range(len(text) + 1)]
    actions: dict[str, lalr.Action] = {
        alias: functools.partial(lambda alias, *found: (alias, *found), alias)
        for alias in ("four", "none", "two", "three")
    }
    items = (
        ("two", ("a", "b"), 0, 2),
        ("none", (), 3, 4),
        ("three", (), 5, 8),
        ("two", ("c", "d"), 9, 11),
    )
    found = lalr.run(tables, [*kinds, lalr.END], [*text, ""], spans, actions)
    assert found == ("four", items, 0, 11)
