"""A graph as text that parses back to it, with as few brackets as possible or with all of them.

Everything comes from the `text` notation of the operation table: an operand is put in brackets if it binds
less tightly than its place requires.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count, islice

from exprgrad.budget import LIMITS
from exprgrad.errors import UsageError
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.rewriting import rebuilt, with_operands
from exprgrad.graph.value import Constant, Value, is_array, is_variable
from exprgrad.notation.numbers import number as number
from exprgrad.operations.operation import Notation, show
from exprgrad.operations.table import ITEM, NEG
from exprgrad.operations.vocabulary import is_function

MOST_PIECES = LIMITS["symbols"].most
"""The longest text that is written out, in names, numbers, operators and brackets."""

LONGEST_REPR = 1000
"""Characters of a formula that `repr` writes out."""

_ATOM, _SIGN, _FRACTION = 10, 7, 6
_MOST_AXES = 64  # NumPy's limit


def to_text(root: Value) -> str:
    """The graph as source text, without any brackets that the grammar does not need."""
    return written(root, _text, leaf, "()")


def to_text_as(root: Value, notation: Callable[[Value, Notation], Notation]) -> str:
    """The same in another notation, which is given every operation with the one of the table."""
    return written(root, lambda node: notation(node, _text(node)), leaf, "()")


def bracketed(root: Value) -> str:
    """The graph as source text, with every operation inside another one in brackets."""
    return written(root, _text, leaf, "()", full=True)


def text_length(root: Value, most: int) -> int:
    """The length of the text of a graph, counted only until it exceeds `most`.

    The text of a graph with many shared parts may be exponentially longer than the graph.
    """
    return sum(map(len, _up_to(root, most)))


def text_up_to(root: Value, most: int) -> str | None:
    """The text of a graph if it has at most so many characters."""
    found = "".join(_up_to(root, most))
    return found if len(found) <= most else None


def _up_to(root: Value, most: int) -> Iterator[str]:
    """The text of a graph in pieces, to the first beyond so many characters."""
    total = 0
    for piece in pieces(root, _text, leaf, "()", full=False):
        yield piece
        total += len(piece)
        if total > most:
            return


def parsed_from(root: Value) -> str:
    """Return how the graph is made in Python, `parse('x^2')`, or its size where the text would fill pages."""
    if text_length(root, LONGEST_REPR) <= LONGEST_REPR:
        return f"parse({to_text(root)!r})"
    return f"<expression of {len(topological(root)):,} nodes>"


def shared_parts(root: Value) -> list[str]:
    """Definitions of the shared parts of a graph, `t1 = ...`, and last the graph in terms of these."""
    order = topological(root)
    uses = Counter(operand for item in order for operand in item.operands)
    taken = {item.name for item in order}
    names = (name for i in count(1) if (name := f"t{i}") not in taken)
    lines: list[str] = []

    def named(item: Value, operands: tuple[Value, ...]) -> Value | None:
        if item.operation is None or uses[item] < 2 or item is root:
            return None
        name = next(names)
        lines.append(f"{name} = {to_text(with_operands(item, operands))}")
        return Value(None, name)

    last = rebuilt(root, named)
    return [*lines, to_text(last)]


def _text(node: Value) -> Notation:
    operation = node.operation
    assert operation is not None
    if operation.whole and operation.whole.variadic:
        own = index_notation if is_index(node) else operation.whole.written
        return own(len(node.operands))
    return operation.text


def index_notation(count: int) -> Notation:
    """Return how an element `x[i]` with that many operands is written."""
    places = [piece for i in range(1, count) for piece in (", ", (i, 0))][1:]
    return Notation(((0, _ATOM), "[", *places, "]"), _ATOM)


def is_index(node: Value) -> bool:
    """Return whether this is an element of something that has a name, by whole numbers: the text can be `x[0]`."""
    for _ in range(_MOST_AXES):
        if node.operation is not ITEM or not all(map(is_whole, node.operands[1:])):
            break
        node = node.operands[0]
        if is_variable(node):
            return node.name is not None and not is_function(node.name, called=True)
    return False


def is_whole(node: Value) -> bool:
    """Return whether this is a whole number, with a sign or without, all of whose digits a double has."""
    if node.operation is NEG:
        node = node.operands[0]
    number = rational(node) if node.operation is None else None
    return number is not None and number.denominator == 1 and abs(number) < 10**15


def written(
    root: Value,
    notation: Callable[[Value], Notation],
    leaf: Callable[[Value], str],
    brackets: str | tuple[str, str],
    full: bool = False,
) -> str:
    """The whole text of a graph, see `pieces`.

    The text of a graph with many shared parts may be exponentially longer than the graph. Raises
    `UsageError` if it has more than `MOST_PIECES`.
    """
    every = pieces(root, notation, leaf, brackets, full)
    # no more than tells that there are too many: x squared 60 times as v*v has 2**60 symbols
    found = list(islice(every, MOST_PIECES + 1))
    if len(found) > MOST_PIECES:
        raise UsageError(LIMITS["symbols"].told.format(most=f"{MOST_PIECES:,}"))
    return "".join(found)


def pieces(
    root: Value,
    notation: Callable[[Value], Notation],
    leaf: Callable[[Value], str],
    brackets: str | tuple[str, str],
    full: bool = False,
) -> Iterator[str]:
    """The text in pieces, by a stack of what is still to be written.

    `notation` says how an operation is written, `leaf` writes names and numbers; `full` puts every operand
    that is an operation in brackets.
    """
    stack: list[str | tuple[Value, int, bool]] = [(root, 0, True)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        node, needed, leads = item
        own = None if node.operation is None else notation(node)
        precedence = own.precedence if own else _precedence(node)
        # a sign that does not lead needs brackets however tightly it binds: x + (-3*y)
        if precedence < needed or (not leads and _begins_with_sign(node, notation)):
            yield brackets[0]
            stack.append(brackets[1])
        if own is None:
            yield leaf(node)
            continue
        row = node.operation
        beside_relation = row is not None and row.rule == "comparison"
        for i in range(len(own.pieces) - 1, -1, -1):
            piece = own.pieces[i]
            if isinstance(piece, str):
                stack.append(piece)
            else:
                which, place = piece
                operand = which if isinstance(which, Value) else node.operands[which]
                # the notation has brackets of its own there, as f(x, y) has
                inside = place == 0 and i > 0
                place = _ATOM if full and not inside else place
                stack.append((operand, place, i == 0 or inside or beside_relation))


def _precedence(node: Value) -> int:
    """Return how tightly a name or a number binds."""
    if isinstance(node, Constant) and node.name is None and node.data is not None:
        # 1/3 is a leaf and looks like a quotient: (1/3)^x
        if node.exact is not None and node.exact.denominator != 1:
            return _FRACTION
        return _SIGN if isinstance(node.data, float) and node.data < 0 else _ATOM
    return _ATOM


def _begins_with_sign(node: Value, notation: Callable[[Value], Notation]) -> bool:
    while node.operation is not None:
        first = notation(node).pieces[0]
        if isinstance(first, str):
            return first.startswith("-")
        node = node.operands[first[0]]
    is_number = isinstance(node, Constant) and node.name is None
    return is_number and isinstance(node.data, float) and node.data < 0


def leaf(node: Value) -> str:
    """A name or a number."""
    if node.name is not None:
        return node.name
    if isinstance(node, Constant) and (node.exact is not None or node.written):
        return node.written or str(node.exact)
    if is_array(node.data):
        return str(getattr(node.data, "tolist", lambda: node.data)())
    return show(node.data) if isinstance(node.data, float) else str(node.data or "?")
