"""An LALR(1) parser over tables that Lark computes from a grammar file.

Lark turns the grammar into tables once (`build`); the tables are plain literals in modules of their own, so
starting needs neither Lark nor the grammar text. `run` is the textbook driver (Aho, Lam, Sethi,
Ullman, *Compilers*, 4.5) with four changes, for short texts and for long and deep ones: it builds no tree but calls an
action for each production, it knows the span of every symbol, the productions are laid out for its stack once, and it remembers where a chain of
productions with a single symbol ends instead of walking it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exprgrad.annotations import Any
from exprgrad.errors import Span

END = "$END"

Action = Callable[[list[Any], int, int], Any]
"""Called for a production with the values of its kept symbols and the span; returns its value."""

Rule = tuple[str, int, str | None, tuple[int, ...]]
"""A production: its symbol, its length, its alias, and which of its symbols are kept."""

_FIELDS = (
    "checksum", "action", "goto", "rules", "terminals", "ignored", "keywords", "start", "end",
)  # fmt: skip


class Tables:
    """What the driver and the scanner need of one grammar.

    `action[state][terminal]` is the state to shift to, or -1-r to reduce by production r.
    """

    __slots__ = (*_FIELDS, "on_stack", "single_reductions")

    checksum: int
    action: Rows
    goto: Rows
    rules: Sequence[Rule]
    terminals: Sequence[tuple[str, str]]
    ignored: str
    keywords: dict[str, str]
    start: int
    end: int

    def __init__(self, *fields: Any) -> None:
        for name, field in zip(_FIELDS, fields, strict=True):
            rows = name in ("action", "goto")
            setattr(self, name, Rows(field) if rows else field)
        self.single_reductions = SingleReductions(self.action, self.rules)
        self.on_stack = OnStack(self.rules)

    @property
    def fields(self) -> tuple[Any, ...]:
        """The tables as they are written to a file."""
        fields = {name: getattr(self, name) for name in _FIELDS}
        fields |= {"action": self.action.texts, "goto": self.goto.texts}
        return tuple(fields.values())


class SingleReductions(dict[int, int | None]):
    """For each state its only reduction, if that is of the token just shifted; else None."""

    def __init__(self, action: Rows, rules: Sequence[Rule]) -> None:
        self._action, self._rules = action, rules

    def __missing__(self, state: int) -> int | None:
        reductions = {target for target in self._action[state].values() if target < 0}
        target = min(reductions, default=0)
        _, length, _, keep = self._rules[-1 - target]
        alone = len(reductions) == length == 1 and keep == (0,)
        found = self[state] = target if alone else None
        return found


class Rows(dict[int, dict[str, int]]):
    """For each state what its symbols lead to, as `NAME 5 sum 12`: read when it is needed, for few states are."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = tuple(texts)

    def __missing__(self, state: int) -> dict[str, int]:
        words = iter(self.texts[state].split())
        row = self[state] = {s: int(to) for s, to in zip(words, words, strict=True)}
        return row


def _written(rows: Sequence[dict[str, int]]) -> tuple[str, ...]:
    """Rows as the texts that `Rows` reads."""
    return tuple(" ".join(f"{s} {to}" for s, to in row.items()) for row in rows)


class Unexpected(Exception):
    """The token at `index` (or the end of the input) cannot come next; those in `expected` could."""

    def __init__(self, index: int, expected: frozenset[str]) -> None:
        super().__init__(index)
        self.index = index
        self.expected = expected


_PRIME = 2**64 - 59


def checksum(grammar: str) -> int:
    """What tells the text of a grammar from another: its bytes as a number, modulo a prime."""
    return int.from_bytes(grammar.encode(), "big") % _PRIME


def build(grammar: str, start: str = "start") -> Tables:
    """The tables of a Lark grammar. Imports Lark, which only an edited grammar needs."""
    import re

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
            # Lark sorts longer literals first; that order is kept
            patterns.append((t["name"], re.escape(text) if literal else text))
    ignored = "|".join(
        t["pattern"]["value"] for t in terminals if t["name"] in lexer["ignore"]
    )
    rules, action, goto = _tables(parser, memo)
    return Tables(
        checksum(grammar),
        _written(action),
        _written(goto),
        tuple(rules),
        tuple(patterns),
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
    action = tables.action
    rules = tables.on_stack
    singles = tables.single_reductions
    # three entries per symbol: its state, its value, where it starts
    stack: list[Any] = [tables.start, None, 0]
    state = tables.start
    end = 0
    for position, kind in enumerate(kinds):
        while True:
            try:
                target = action[state][kind]
            except KeyError:
                if state == tables.end and kind == END:
                    return stack[-2]
                raise Unexpected(position, frozenset(action[state])) from None
            if target >= 0:
                break
            base, picked, alias, jumps, keep = rules[target]
            start, values = stack[base + 2], stack[picked]
            if keep is not None:
                values = [values[k] for k in keep]
            value = values[0] if alias is None else actions[alias](values, start, end)
            below = stack[base - 3]
            try:
                state = jumps[below][kind]
            except KeyError:
                state = _jump(tables, -1 - target, below, kind)
                jumps.setdefault(below, {})[kind] = state
            stack[base:] = (state, value, start)
        start, end = spans[position]
        single = singles[target]
        if single is not None:  # a number or a name: reduce it at once
            _, _, alias, jumps, _ = rules[single]
            try:
                state = jumps[state][kinds[position + 1]]
            except KeyError:
                pass
            else:
                text = texts[position]
                value = text if alias is None else actions[alias]([text], start, end)
                stack += (state, value, start)
                continue
        stack += (target, texts[position], start)
        state = target
    raise ValueError("the tokens do not end with END")


Ready = tuple[int, slice, str | None, dict[int, dict[str, int]], tuple[int, ...] | None]
"""A production made ready for the stack; see `_rule_on_stack`."""


class OnStack(dict[int, Ready]):
    """The productions made ready for the stack when they are needed; -1-r is production r."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules

    def __missing__(self, target: int) -> Ready:
        ready = self[target] = _rule_on_stack(self._rules[-1 - target])
        return ready


def _rule_on_stack(rule: Rule) -> Ready:
    """Where its entries begin, the slice of its kept values, its alias, and a table of jumps, which fills.

    Jumps give the state to go to, by the state below and the next terminal; they depend on the grammar alone.
    Kept values that are not evenly spaced are picked out of the slice of all values.
    """
    _, length, alias, keep = rule
    step = keep[1] - keep[0] if len(keep) > 1 else 1
    even = keep == tuple(range(keep[0], keep[-1] + 1, step))
    first, last = (keep[0], keep[-1]) if even else (0, length - 1)
    stop = 3 * (last - length) + 2
    return (
        -3 * length,
        slice(3 * (first - length) + 1, stop, 3 * step if even else 3),
        alias,
        {},
        None if even else keep,
    )


def _jump(tables: Tables, rule: int, below: int, kind: str) -> int:
    """The state after a production, and after those that only pass its symbol on."""
    state = tables.goto[below][tables.rules[rule][0]]
    while True:
        target = tables.action[state].get(kind)
        if target is None or target >= 0:
            return state
        origin, length, alias, _ = tables.rules[-1 - target]
        if length != 1 or alias is not None:
            return state
        state = tables.goto[below][origin]
