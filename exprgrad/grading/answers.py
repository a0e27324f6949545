r"""Answers as people write them, in text or TeX, and whether two of them mean the same.

    same(r"\{1, 2\}", "x = 2 or x = 1")          # ("correct", ())
    same("x >= 5", "[5, oo)")                    # ("correct", ())
    same("28%", "28 percent")                    # ("correct", ())

An answer is an expression, a word, several entries, something that is named, or a relation. What stands between
brackets is in order, and what stands between braces is a set. Expressions are read and compared as everywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from exprgrad.annotations import Any, NamedTuple
from exprgrad.checking.judging import CORRECT, INCORRECT, PARTLY, UNDECIDED, UNREADABLE
from exprgrad.checking.kinds import kinds
from exprgrad.checking.problems import equation
from exprgrad.checking.rounding import decimals
from exprgrad.errors import ExprgradError
from exprgrad.expressions.confirm import simplify
from exprgrad.expressions.expression import Expression, parse
from exprgrad.expressions.taylor import at_place
from exprgrad.grading.plain import is_mathematics
from exprgrad.graph.rational import rational
from exprgrad.graph.value import Constant, Value
from exprgrad.language.brackets import outside, parted
from exprgrad.lazy import pattern
from exprgrad.operations.table import STACK

MOST_PARTS = 24
"""Entries of a list or a set."""

CLEARLY = 0.1
"""Of two numbers that differ by such a part of their size none was rounded to the other."""

_SIGNS = {
    r"<=|\\(?:leq?|leqslant)(?![a-z])": "≤", r">=|\\(?:geq?|geqslant)(?![a-z])": "≥", r"!=|\\neq?(?![a-z])": "≠",
    r"\\lt(?![a-z])": "<", r"\\gt(?![a-z])": ">", r"\\(?:approx|simeq)(?![a-z])": "≈", r"\\in(?![a-z])": "∈", r"\\cup(?![a-z])": "∪",
    r"\\pm(?![a-z])": "±", r"(?:\+\s*)?(?:\\infty|∞)|\boo\b": "∞", r"\\%": "%", r"\\?\$": "",
    r"(?<!\\)\\(?:(?:left|right|[bB]igg?[lr]?|displaystyle)(?![a-z])|q?quad|[,;! ])|~": " ",
    r"\\(?:text(?:bf|rm|it|normal)?|mbox|mathbf|boldsymbol|bm)\s*\{([^{}]*)\}": r" \1 ", r"\\[dct]frac": r"\\frac",
}  # fmt: skip
"""Signs in several notations, as one; and what only lays out."""

_MANY = r"\d{1,3}(?:[ ,]\d{3})+(?:\.\d+)?"
_NUMBER = pattern(
    rf"(?P<sign>[-+−]?)\s*(?:(?P<many>{_MANY})|(?P<comma>\d+,\d\d+|0,\d+))"
)
_QUANTITY = pattern(
    r"(?P<of>.*[\d})])\s*(?P<unit>%|[€£]|°C|(?<=[\d ])(?:m[²³]|[cmk]m[²³]?|kg|ft)|[a-zA-Z]{3,}(?: [a-z]+)*)(?P<power>\s*\^\s*\{?\d\}?)?"
)
_PRICE = pattern(r"^([-+−]?)\s*([€£])\s*(\d.*)$")
_PERCENT = frozenset(("%", "percent", "pct", "percentage"))
_NAME = r"(?:\\[a-zA-Z]+|[A-Z]+|[^\W\d_]{4,}|[^\W\d_])(?:_(?:\w|\{[^{}]*\}))?['′]*"
_LABEL = pattern(
    rf"\(?{_NAME}(?:\s*,\s*{_NAME})*\)?(?:\s*\([\w, ]*\))?|\|[A-Z]+\||{_NAME}\s*:\s*{_NAME}|\\(?:frac|overline)\s*(?:\{{[A-Z]+\}})+"
)
"""The name of an answer in front of it: x, f(x), (p, q), |AB|, S:T, AO/BO."""

_TURNED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤", "=": "=", "≠": "≠"}
_WITH = pattern(r"(?<![a-zA-Z\\])(?:or|and)(?![a-z])")


class Entries(NamedTuple):
    """Several entries; their order matters between `brackets`, but not in a "set", a "list" or a "union"."""

    brackets: str
    entries: tuple[Any, ...]


UNORDERED = ("set", "list", "union")


class Named(NamedTuple):
    """An answer with its name before it; `text` is all of it."""

    name: str
    value: Any
    text: str


class Relation(NamedTuple):
    """An equation or inequality that says how one side minus the other compares with 0."""

    sign: str
    apart: Expression


def same(right: str, answer: str) -> tuple[str, tuple[str, ...]]:
    """Return whether an answer means the right one, in any way in which its numbers may be meant, and how it was read."""
    # 1,234 may be a number or two, and is right if one of these is what was meant
    pairs = [(a, b) for a in _readings(right) for b in _readings(answer)]
    found = [_compared_in_units(*a, *b) for a, b in pairs]
    return min(found, key=lambda one: one[0] != CORRECT)


def _compared_in_units(right: str, unit: str, answer: str, other: str) -> tuple[str, tuple[str, ...]]:  # fmt: skip
    """Compare two texts, each of which has a unit."""
    status = compared(read(right), read(answer))
    if "%" not in (unit, other) or unit == other:
        is_open = unit and other and unit != other and status == CORRECT
        notes = () if unit == other else (f"not compared: {unit} {other}".rstrip(),)
        return UNDECIDED if is_open else status, notes
    if status == CORRECT:  # 28 is meant for 28%, and 28% hardly for 28
        return CORRECT if unit else UNDECIDED, (f"{answer} is taken for percent",)
    both = (f"({x})/100" if u else x for x, u in ((right, unit), (answer, other)))
    return compared(*map(read, both)), ("% is read as 1/100",)


def _readings(text: str) -> Iterator[tuple[str, str]]:
    """A text without its unit, and that unit; and with its commas between digits as those of 1,000 and of 0,5."""
    text, unit = _PRICE.sub(r"\1\3 \2", tidy(text)), ""
    quantity = _QUANTITY.fullmatch(text)
    if quantity and not (len(quantity["unit"]) > 2 and is_mathematics(quantity["unit"])):  # fmt: skip
        unit = "%" if quantity["unit"] in _PERCENT else quantity["unit"] + (quantity["power"] or "")  # fmt: skip
        text = quantity["of"].strip()
    yield text, unit
    number = _NUMBER.fullmatch(text)
    if number and number["many"] and not number["many"].startswith("0"):
        yield number["sign"] + re.sub("[ ,]", "", number["many"]), unit
    elif number:
        yield number["sign"] + number["comma"].replace(",", "."), unit


def tidy(text: str) -> str:
    """A text in one notation, without what only lays it out and delimits it."""
    text = text.strip().rstrip(".,;: ").strip("*`_").strip()
    # TeX in strings of other languages: \\frac{1}{2}
    text = re.sub(r"(?<!\\)\\\\(?=[a-z]{2,})", r"\\", text)
    text = re.sub(r"(\d)\s*(?:\{\s*,\s*\}|,\s*\\!)\s*(?=\d{3})", r"\1", text)
    for sign, own in _SIGNS.items():
        text = re.sub(sign, own, text)
    text = re.sub(r"(?s)\A\s*(?:\\\((.*)\\\)|\\\[(.*)\\\])\s*\Z", r"\1\2", text)
    return re.sub(r"\s+", " ", text).strip().rstrip(".,;: ").removeprefix("=").strip()


def read(text: str) -> Any:
    """Return what an answer is: an expression, entries, what is named, a relation, or its words."""
    if len(parts := _cut(text, "∪")) > 1:
        return Entries("union", tuple(map(read, parts)))
    inside = re.fullmatch(r"(\\?)\{(.*?)\\?\}", text)
    if inside and (inside[1] or "," in inside[2]):  # TeX does not show {1, 2} as a set
        return Entries("set" if inside[1] else "list", _entries(inside[2]))
    if text[:1] in ("(", "[") and next(outside(text[1:], text[-1:]), len(text)) == len(text) - 2:  # fmt: skip
        pieces = _cut(text[1:-1].replace(";", ","))
        if len(pieces) > 1:
            return Entries(text[0] + text[-1], tuple(map(read, pieces)))
    rows = _cut(text, ";")
    if any(len(_cut(row)) > 1 for row in rows) and len(rows) > 1:
        lists = (_entries(row) for row in rows)
        return Entries("list", tuple(Entries("()", tuple(map(_value, own))) for own in lists))  # fmt: skip
    if len(_cut(_WITH.sub(",", text).replace(";", ","))) > 1:
        return Entries("list", _entries(text))
    if "±" in text:
        return Entries("set", tuple(read(text.replace("±", sign)) for sign in "+-"))
    signs = [place for sign in "=<>≤≥≠≈∈" for place in outside(text, sign)]
    if signs and (found := _related(text, sorted(signs))) is not None:
        return found
    return _expression(text)


def _cut(text: str, mark: str = ",") -> list[str]:
    """A text at the marks that no bracket holds."""
    pieces = (text[slice(*span)].strip() for span in parted(text, mark))
    return [piece for piece in pieces if piece][: MOST_PARTS + 1]


def _entries(text: str) -> tuple[Any, ...]:
    """The entries of a list, of which n = 1, 2, 3 and ±1 give several."""
    found: list[Any] = []
    for piece in _cut(_WITH.sub(",", text).replace(";", ",")):
        one = read(next(iter(_readings(piece)))[0] if "=" not in piece else piece)
        several = _value(one)
        is_set = isinstance(several, Entries) and several.brackets == "set"
        found += several.entries if is_set else [one]
    return tuple(found)


def _related(text: str, signs: list[int]) -> Any:
    """Return what a text with relations says; None where that is neither a name nor a relation."""
    starts = [0, *(place + 1 for place in signs)]
    sides = [text[a:b].strip() for a, b in zip(starts, [*signs, len(text)], strict=True)]  # fmt: skip
    kinds_of = [text[place] for place in signs]
    if "≈" in kinds_of[1:]:  # 1/3 ≈ 0.3: what is exact
        first = kinds_of.index("≈", 1)
        sides, kinds_of = sides[: first + 1], kinds_of[:first]
    is_named = _LABEL.fullmatch(sides[0]) is not None
    if {*kinds_of} <= {"=", "≈", "∈"} and (is_named or len(sides) > 2):
        return Named(re.sub(r"[\s{}]", "", sides[0]), read(sides[-1]), text)
    if len(sides) == 3 and _LABEL.fullmatch(sides[1]) and "=" not in kinds_of:
        low, high = kinds_of if kinds_of[0] in "<≤" else [_TURNED.get(k, k) for k in kinds_of[::-1]]  # fmt: skip
        ends = sides[::2] if kinds_of[0] in "<≤" else sides[::-2]
        if low + high in ("<<", "<≤", "≤<", "≤≤"):
            brackets = "([ "[low == "≤"] + ")]"[high == "≤"]
            return Entries(brackets, tuple(map(_expression, ends)))
    if len(sides) != 2 or kinds_of[0] in "∈≈":
        return None
    apart = _expression(f"({sides[0]}) - ({sides[1]})")
    if isinstance(apart, str):
        return None
    if not apart.variables:  # 5 + 6 = 11
        return _expression(sides[1]) if kinds_of[0] == "=" else None
    x = apart.variables[0]
    is_product = len(x) > 1 and x.islower() and x.isalpha()  # xy = 1
    slope = rational(simplify(apart.derivative(x).root))
    if len(apart.variables) > 1 or is_product or not slope:
        return Relation(kinds_of[0], apart)
    sign = kinds_of[0] if slope > 0 else _TURNED[kinds_of[0]]
    bound = Expression.of(simplify(at_place(apart.root, {x: Constant(0)}) / Constant(-slope)))  # fmt: skip
    if sign in "<≤":
        return Entries("()" if sign == "<" else "(]", ("-∞", bound))
    if sign in ">≥":
        return Entries("()" if sign == ">" else "[)", (bound, "∞"))
    return bound if sign == "=" else Relation(sign, apart)


def _expression(text: str) -> Any:
    """An expression, its entries where it is a matrix, or the words that a text is."""
    if text.lstrip("+- ") in ("∞", "infinity"):
        return "-∞" if text.startswith("-") else "∞"
    try:
        found = parse(text, lenient=True)
    except ExprgradError:
        return re.sub(r"[\s{}\\]+", " ", text).casefold().strip()
    return _elements(found.root, found)


def _elements(root: Value, whole: Expression) -> Any:
    """The entries of an array."""
    if root.operation is STACK:
        return Entries("[]", tuple(_elements(item, whole) for item in root.operands))
    return whole if root is whole.root else kinds.instead_of(whole, root)


# Whether they mean the same


def _value(answer: Any) -> Any:
    """An answer without its name, and a single entry without its braces."""
    if isinstance(answer, Named):
        return _value(answer.value)
    is_one = isinstance(answer, Entries) and len(answer.entries) == 1
    return answer.entries[0] if is_one and answer.brackets in UNORDERED else answer


def compared(right: Any, answer: Any) -> str:
    """Return whether two answers mean the same, as a status of verdicts."""
    if isinstance(right, Relation) or isinstance(answer, Relation):
        both = [_as_relation(one) for one in (right, answer)]
        return _of_relations(*both) if None not in both else INCORRECT
    right, answer = _value(right), _value(answer)
    if isinstance(right, Entries) and isinstance(answer, Entries):
        return _of_entries(right, answer)
    if isinstance(right, str) or right == answer:
        return CORRECT if right == answer else INCORRECT
    if isinstance(answer, str) and "∞" not in answer:
        return UNREADABLE
    if not isinstance(right, Expression) or not isinstance(answer, Expression):
        return INCORRECT
    return _of_expressions(right, answer)


def _as_relation(answer: Any) -> Any:
    """A relation, also as which y = 2x + 1 may be taken; None for anything else."""
    if isinstance(answer, Named):
        left, _, right = answer.text.partition("=")
        return Relation("=", parse(f"({left}) - ({right})", lenient=True))
    return answer if isinstance(answer, Relation) else None


def _of_expressions(right: Expression, answer: Expression) -> str:
    """Return whether expressions are equal, or one is a rounded decimal of the other."""
    found = equation(right, answer, "the answer").status
    if found != CORRECT and decimals(right, 3) and not decimals(answer, 1):
        found = equation(answer, right, "the answer").status
    return found


def _of_relations(right: Relation, answer: Relation) -> str:
    """Return whether one is a multiple of the other, by a positive number where it is no equation."""
    names = dict.fromkeys((*right.apart.variables, *answer.apart.variables))
    # 3/7, 5/7, ...: places at which a formula is hardly 0 by chance
    place = {x: Constant(3 + 2 * i) / Constant(7) for i, x in enumerate(names)}
    a, b = (simplify(at_place(one.apart.root, place)) for one in (right, answer))
    first, second = rational(a), rational(b)
    if not first or not second:
        return INCORRECT if first or second else UNDECIDED
    if right.sign != (answer.sign if first * second > 0 else _TURNED[answer.sign]):
        return INCORRECT
    sides = right.apart.root * b, answer.apart.root * a
    return _of_expressions(*(Expression.of(side, (*names,)) for side in sides))


def _of_entries(right: Entries, answer: Entries) -> str:
    """Return whether the entries are the same, in their order where both are between brackets."""
    one, other = right.entries, answer.entries
    if max(len(one), len(other)) > MOST_PARTS:
        return UNDECIDED
    if not {right.brackets, answer.brackets} <= {*UNORDERED}:
        alike = right.brackets == answer.brackets or "list" in (right.brackets, answer.brackets)  # fmt: skip
        if not alike or len(one) != len(other):  # (1, 2] ∪ [2, 3) is (1, 3)
            return UNDECIDED if "union" in (right.brackets, answer.brackets) else INCORRECT  # fmt: skip
        return _worst(map(compared, one, other))
    own, others = ({item.name: item for item in entries if isinstance(item, Named)} for entries in (one, other))  # fmt: skip
    numbers = sorted(re.sub(r"\D", "", name) for name in own)  # x_1, x_2 in any order
    is_counted = numbers == [str(i + 1) for i in range(len(own))]
    if own.keys() == others.keys() and 1 < len(own) == len(one) == len(other) and not is_counted:  # fmt: skip
        return _worst(compared(own[name], others[name]) for name in own)
    sizes = {id(item): _size(item) for item in (*one, *other)}

    def entry(a: Any, b: Any) -> str:
        x, y = sizes[id(a)], sizes[id(b)]
        # of 24 entries a side, each would be compared with each: doubles rule most pairs out
        is_apart = None not in (x, y) and abs(x - y) > CLEARLY * max(abs(x), abs(y))
        return INCORRECT if is_apart else compared(a, b)

    found = [[entry(a, b) for b in other] for a in one]
    repeated = any(entry(a, b) == CORRECT for i, a in enumerate(one) for b in one[:i])
    if repeated and len(one) != len(other):
        return INCORRECT
    # equal as sets: each entry has an equal one on the other side
    lines = [*found, *zip(*found, strict=True)]
    worst = _worst(min(line, key=_RANK.index, default=INCORRECT) for line in lines)
    is_open = "union" in (right.brackets, answer.brackets) and len(one) != len(other)
    return UNDECIDED if worst == INCORRECT and is_open else worst


def _size(answer: Any) -> Any:
    """The value of an expression at some point, with which others are told apart fast."""
    with suppress(ExprgradError):
        if isinstance(one := _value(answer), Expression):
            return one(**{x: (3 + 2 * i) / 7 for i, x in enumerate(sorted(one.variables))})  # fmt: skip
    return None


_RANK = (CORRECT, UNDECIDED, UNREADABLE, PARTLY, INCORRECT)


def _worst(statuses: Any) -> str:
    """The status of all together."""
    found = max(statuses, key=_RANK.index, default=CORRECT)
    return INCORRECT if found == PARTLY else found
