"""An LALR(1) parser over tables that Lark computes from a grammar file.

Lark turns the grammar into tables once (`build`); the tables are plain literals in modules of their own, so
starting needs neither Lark nor the grammar text. `run` is the textbook driver (Aho, Lam, Sethi,
Ullman, *Compilers*, 4.5), which builds no tree but calls an action for each production, with its span. It does
as little as it can for a token: what the tables say is put together as the driver needs it (`Moves`, `Jumps`)
and kept; of a chain of productions with a single symbol only the end is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import length_hint

from exprgrad.annotations import Any
from exprgrad.errors import Span
from exprgrad.language.spans import Spans

END = "$END"

Args = tuple[Any, ...]
"""The values of the symbols of a production that are kept."""

Action = Callable[[Args, int, int], Any]
"""Called for a production with the values in it and its span; returns its own value."""

Rule = tuple[str, int, str | None, tuple[int, ...]]
"""A production: its symbol, its length, its alias, and which of its symbols are kept.

A terminal is kept in every production, or its name begins with `_` and it is kept in none.
"""


class Tables:
    """The tables that the driver and the scanner need of one grammar.

    `action[state][terminal]` is the state to shift to, or -1-r to reduce by production r. `fields` are the tables as
    they are written to a file.
    """

    checksum: int
    rules: Sequence[Rule]
    terminals: Sequence[tuple[str, str]]
    ignored: str
    keywords: dict[str, str]
    start: int
    end: int

    def __init__(self, *fields: Any) -> None:
        self.fields = fields
        self.checksum, action, goto, self.rules, self.terminals, *others = fields
        self.ignored, self.keywords, self.start, self.end = others
        self.action, self.goto = Rows(action), Rows(goto)
        self._moves: dict[int, Moves] = {}
        self._jumps: dict[int, Jumps] = {}

    def moves_from(self, state: int) -> Moves:
        """The moves from a state."""
        if state not in self._moves:
            self._moves[state] = Moves(self, state)
        return self._moves[state]

    def reduction(self, production: int) -> Reduction:
        """Return what it means to reduce by a production."""
        _, length, alias, keep = self.rules[production]
        jumps = self._jumps.setdefault(production, {})
        return length - 1, alias, len(keep), jumps, production

    def jump(self, production: int, below: int, kind: str) -> Jump:
        """Return where a production leads: past those that only pass its symbol on."""
        # A variable before a plus is a plain, a factor, a product and so on up to a sum, seven productions that
        # build nothing: only the state behind the last of them is kept.
        state = self.goto[below][self.rules[production][0]]
        while (target := self.action[state].get(kind, 0)) < 0:
            origin, length, alias, _ = self.rules[-1 - target]
            if length != 1 or alias is not None:
                break
            state = self.goto[below][origin]
        found = state, *self.moves_from(state)[kind]
        self._jumps[production].setdefault(below, {})[kind] = found
        return found


Shift = tuple[int, bool, "Moves"]
"""The state after a terminal, whether that is kept, and the moves from there."""

Reduction = tuple[int, "str | None", int, "Jumps", int]
"""The number of symbols to take off the stack, the alias, the number of its values, its jumps, and the production."""

Move = tuple["Reduction | None", "Shift | None"]
"""One of both; neither where the text may end."""

Jump = tuple[int, "Reduction | None", "Shift | None"]
"""The state after a production, and after those that only pass its symbol on; and the move from there."""

Jumps = dict[int, dict[str, Jump]]
"""The jumps after a production, by the state below it and the next terminal."""


Ahead = Iterable[tuple[str, int, int, str]]
"""Tokens: the text, where it begins and ends, and the kind of the next one."""


class Moves(dict[str, Move]):
    """The moves from a state, by the next terminal, which are put together when they are needed."""

    def __init__(self, tables: Tables, state: int) -> None:
        self._tables, self._state = tables, state

    def __missing__(self, kind: str) -> Move:
        tables, state = self._tables, self._state
        target = tables.action[state].get(kind)
        move: Move
        if target is not None and target >= 0:
            move = None, (target, not kind.startswith("_"), tables.moves_from(target))
        elif target is not None:
            move = tables.reduction(-1 - target), None
        elif state == tables.end and kind == END:
            move = None, None
        else:
            raise Unexpected(frozenset(tables.action[state]))
        self[kind] = move
        return move


class Rows(dict[int, dict[str, int]]):
    """For each state what its symbols lead to, as `NAME 5 sum 12`: read when it is needed, for few states are."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    def __missing__(self, state: int) -> dict[str, int]:
        words = iter(self._texts[state].split())
        row = self[state] = {s: int(to) for s, to in zip(words, words, strict=True)}
        return row


def _written(rows: Sequence[dict[str, int]]) -> tuple[str, ...]:
    """Rows as the texts that `Rows` reads."""
    return tuple(" ".join(f"{s} {to}" for s, to in row.items()) for row in rows)


class Unexpected(Exception):
    """The token at `index` (or the end of the input) cannot come next; those in `expected` could."""

    index = 0

    def __init__(self, expected: frozenset[str]) -> None:
        super().__init__(expected)
        self.expected = expected


# modulo 2^64 itself the last eight bytes alone would count
_PRIME = 2**64 - 59


def checksum(grammar: str) -> int:
    """Return what tells the text of a grammar from another: its bytes as a number, modulo a prime."""
    return int.from_bytes(grammar.encode(), "big") % _PRIME


def build(grammar: str, start: str = "start") -> Tables:
    """The tables of a Lark grammar. Imports Lark, which only an edited grammar needs."""
    import re

    from lark import Lark
    from lark.grammar import Rule as LarkRule
    from lark.lexer import TerminalDef

    lark = Lark(grammar, parser="lalr", lexer="basic", start=start)
    data, memo = lark.memo_serialize([TerminalDef, LarkRule])
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
            # Lark sorts longer literals first; that order is kept
            patterns.append((t["name"], re.escape(text) if literal else text))
    blanks = [t["pattern"] for t in terminals if t["name"] in lexer["ignore"]]
    ignored = "|".join(blank["value"] for blank in blanks)
    rules, action, goto = _tables(parser, memo)
    tables = _written(action), _written(goto), tuple(rules), tuple(patterns)
    states = parser["start_states"][start], parser["end_states"][start]
    return Tables(checksum(grammar), *tables, ignored, keywords, *states)


def _tables(
    parser: dict[str, Any], memo: dict[int, Any]
) -> tuple[list[Rule], list[dict[str, int]], list[dict[str, int]]]:
    numbers: dict[int, int] = {}
    size = len(parser["states"])
    action: list[dict[str, int]] = [{} for _ in range(size)]
    goto: list[dict[str, int]] = [{} for _ in range(size)]
    for state, row in parser["states"].items():
        for token, (is_reduce, argument) in row.items():
            symbol = parser["tokens"][token]
            if is_reduce:
                key = argument["@"]
                action[state][symbol] = -1 - numbers.setdefault(key, len(numbers))
            elif symbol == END or symbol.lstrip("_").isupper():
                action[state][symbol] = argument
            else:
                goto[state][symbol] = argument
    return [_rule(memo[key]) for key in numbers], action, goto


def _rule(data: dict[str, Any]) -> Rule:
    symbols = data["expansion"]
    keep = tuple(i for i, s in enumerate(symbols) if not s.get("filter_out"))
    nameless = {i for i, s in enumerate(symbols) if s["name"].startswith("_")}
    if nameless ^ {*keep} != {*range(len(symbols))}:
        told = "a terminal without a name of its own, or a rule that begins with _"
        raise ValueError(told)
    origin = data["origin"]["name"]
    alias = data["alias"]
    if alias is None and not (data["options"]["expand1"] and len(keep) == 1):
        alias = origin
    return origin, len(symbols), alias, keep


def run(
    tables: Tables,
    kinds: Sequence[str],
    texts: Iterable[str],
    spans: Spans | Sequence[Span],
    actions: Mapping[str, Action],
) -> Any:
    """Parse the tokens and return the value of the start symbol.

    `kinds` must end with `END`; `texts` and `spans` are parallel to it. Raises `Unexpected`.
    """
    if kinds[-1] != END:
        raise ValueError("the tokens do not end with END")
    places = spans if isinstance(spans, Spans) else Spans.of(spans)
    # the first kind is taken before the loop begins, so the kinds end one token before the texts do
    ahead = iter(kinds)
    tokens = zip(texts, places.starts, places.ends, ahead, strict=False)
    try:
        return _driven(tables, tables.moves_from(tables.start)[next(ahead)], tokens, actions)  # fmt: skip
    except Unexpected as unexpected:
        # what is left of the iterator tells where the parser stood, without a counter in its loop
        unexpected.index = len(kinds) - 1 - length_hint(ahead)
        raise


def _driven(
    tables: Tables, move: Move, tokens: Ahead, actions: Mapping[str, Action]
) -> Any:
    """The value of the start symbol, from the first move on: each token comes with the kind of the one after it."""
    # One function, because a call for each token would take half as long again. The last symbol has its state and its
    # start here, those before it on stacks; values are those of kept symbols.
    state, begin = tables.start, 0
    states, begins, values = list[int](), list[int](), list[Any]()
    reduction, shift = move
    for text, start, end, following in tokens:
        states.append(state)
        begins.append(begin)
        state, kept, moves = shift  # type: ignore[misc] # END alone has none
        begin = start
        if kept:
            values.append(text)
        reduction, shift = moves[following]
        while reduction is not None:
            over, alias, count, jumps, production = reduction
            if over:
                begin = begins[-over]
                del states[-over:], begins[-over:]
            if alias is not None and count == 1:  # a number or a name, most often
                values[-1] = actions[alias]((values[-1],), begin, end)
            elif alias is not None:
                first = len(values) - count
                args: Args = tuple(values[first:])
                values[first:] = (actions[alias](args, begin, end),)
            below = states[-1]
            try:
                state, reduction, shift = jumps[below][following]
            except KeyError:
                state, reduction, shift = tables.jump(production, below, following)
    return values[-1]
