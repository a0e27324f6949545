"""An LALR(1) parser over tables that Lark computes from a grammar file.

Lark turns the grammar into tables once (`build`); the tables are plain literals in `tables.py`, so
that a start needs neither Lark nor the grammar text. `run` is the textbook driver (Aho, Lam, Sethi,
Ullman, *Compilers*, 4.5) with three liberties that long and deep inputs ask for: it keeps no tree
but calls an action per production, it knows the span of every symbol, and it remembers where a chain
of productions with a single symbol ends instead of walking it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from exprgrad.errors import Span

END = "$END"

Action = Callable[[list[Any], int, int], Any]
"""Called for a production with the kept symbols' values and the span; returns its value."""


class Tables(NamedTuple):
    """All that the driver and the scanner need, derived from one grammar text.

    `action[state][terminal]` is a state to shift to, or -1-r to reduce by rule r.
    """

    checksum: int
    action: Sequence[dict[str, int]]
    goto: Sequence[dict[str, int]]
    rules: Sequence[tuple[str, int, str | None, tuple[int, ...]]]
    terminals: Sequence[tuple[str, str]]
    ignored: str
    keywords: dict[str, str]
    start: int
    end: int


class Unexpected(Exception):
    """The token at `index` (or the end of input) cannot follow; `expected` could."""

    def __init__(self, index: int, expected: frozenset[str]) -> None:
        super().__init__(index)
        self.index = index
        self.expected = expected


def build(grammar: str, start: str = "start") -> Tables:
    """The tables of a Lark grammar. Imports Lark; needed when the grammar has been edited."""
    import re
    import zlib

    from lark import Lark
    from lark.grammar import Rule as LarkRule
    from lark.lexer import TerminalDef

    data, memo = Lark(
        grammar, parser="lalr", lexer="basic", start=start
    ).memo_serialize([TerminalDef, LarkRule])
    lexer, parser = data["parser"]["lexer_conf"], data["parser"]["parser"]
    terminals = [memo[t["@"]] for t in lexer["terminals"]]
    terminals.sort(key=lambda t: -t["priority"])
    name_pattern = next(t["pattern"]["value"] for t in terminals if t["name"] == "NAME")
    keywords, patterns = {}, []
    for t in terminals:
        literal = t["pattern"]["__type__"] == "PatternStr"
        text = t["pattern"]["value"]
        if literal and re.fullmatch(name_pattern, text):
            keywords[text] = t["name"]
        elif t["name"] not in lexer["ignore"]:
            # a literal is as long as its text; a pattern's length is unknown, so it keeps its place
            patterns.append((t["name"], re.escape(text) if literal else text))
    ignored = "|".join(
        t["pattern"]["value"] for t in terminals if t["name"] in lexer["ignore"]
    )
    rules, action, goto = _tables(parser, memo)
    return Tables(
        zlib.crc32(grammar.encode()),
        action,
        goto,
        rules,
        patterns,
        ignored,
        keywords,
        parser["start_states"][start],
        parser["end_states"][start],
    )


def _tables(
    parser: dict[str, Any], memo: dict[int, Any]
) -> tuple[list[Any], list[Any], list[Any]]:
    numbers: dict[int, int] = {}
    rules: list[tuple[str, int, str | None, tuple[int, ...]]] = []
    size = len(parser["states"])
    action: list[dict[str, int]] = [{} for _ in range(size)]
    goto: list[dict[str, int]] = [{} for _ in range(size)]
    for state, row in parser["states"].items():
        for token, (is_reduce, argument) in row.items():
            symbol = parser["tokens"][token]
            if is_reduce:
                key = argument["@"]
                if key not in numbers:
                    numbers[key] = len(rules)
                    rules.append(_rule(memo[key]))
                action[state][symbol] = -1 - numbers[key]
            elif symbol == END or symbol.lstrip("_").isupper():
                action[state][symbol] = argument
            else:
                goto[state][symbol] = argument
    return rules, action, goto


def _rule(data: dict[str, Any]) -> tuple[str, int, str | None, tuple[int, ...]]:
    symbols = data["expansion"]
    keep = tuple(i for i, s in enumerate(symbols) if not s.get("filter_out"))
    origin = data["origin"]["name"]
    alias = data["alias"]
    if alias is None and not (data["options"]["expand1"] and len(keep) == 1):
        alias = origin
    return origin, len(symbols), alias, keep


def run(
    tables: Tables,
    kinds: Sequence[str],
    texts: Sequence[str],
    spans: Sequence[Span],
    actions: dict[str, Action],
) -> Any:
    """Parse the tokens and return the value of the start symbol.

    `kinds` must end with `END`; `texts` and `spans` are parallel to it. Raises `Unexpected`.
    """
    action, goto = tables.action, tables.goto
    rules = [(o, n, k, actions[a] if a else None) for o, n, a, k in tables.rules]
    states, starts = [tables.start], [0]
    values: list[Any] = [None]
    chains: dict[tuple[int, int, str], int] = {}
    position = end = 0
    kind = kinds[0]
    while True:
        state = states[-1]
        if len(states) > 1:
            key = (states[-2], state, kind)
            known = chains.get(key)
            if known is None:
                known = chains[key] = _end_of_chain(tables, key)
            if known != state:
                states[-1] = state = known
        target = action[state].get(kind)
        if target is None:
            if state == tables.end and kind == END:
                return values[-1]
            raise Unexpected(position, frozenset(action[state]))
        if target >= 0:
            states.append(target)
            values.append(texts[position])
            starts.append(spans[position][0])
            end = spans[position][1]
            position += 1
            kind = kinds[position]
            continue
        origin, length, keep, act = rules[-1 - target]
        start = starts[-length]
        if act is None:
            value = values[keep[0] - length]
        else:
            value = act([values[k - length] for k in keep], start, end)
        del states[-length:], values[-length:], starts[-length:]
        states.append(goto[states[-1]][origin])
        values.append(value)
        starts.append(start)


def _end_of_chain(tables: Tables, key: tuple[int, int, str]) -> int:
    """The state reached from `state` on top of `below` by productions that pass one symbol on."""
    below, state, kind = key
    while True:
        target = tables.action[state].get(kind)
        if target is None or target >= 0:
            return state
        origin, length, alias, _ = tables.rules[-1 - target]
        if length != 1 or alias is not None:
            return state
        state = tables.goto[below][origin]
