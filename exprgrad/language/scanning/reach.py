"""The reach of a derivative that is written as an operator, the same in text and in LaTeX.

Brackets right behind the operator hold all that it applies to, with their power:

    d/dx(x^2) + x       2x + x              d/dx(x^2)^2         4x^3
    d/dx(u) sin x       u' sin x            d/dx (u)(v)         of the product, if both hold the variable
    d/dx(u)(3)          is asked about: the value at 3, or a factor

Without brackets it takes all that follows at the head of a text or of a side, and elsewhere the product:

    d/dx x^2 + x        2x + 1              1 + d/dx x^2 + x    1 + 2x + x

A sum in which another derivative follows is one of derivatives: `d/dx x^2 + d/dx x^3`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from exprgrad.errors import ExpressionSyntaxError, ExprgradError, Hint, Span
from exprgrad.language.brackets import CALLING, outer, pairs, parted
from exprgrad.language.grammar import Pieces
from exprgrad.language.lalr import END
from exprgrad.language.notes import Notes
from exprgrad.language.scanning.token_lists import Lists
from exprgrad.lazy import computed_once
from exprgrad.operations.vocabulary import DIFF

ENDS = frozenset(
    (END, "_RPAR", "CLOSE", "_RARRAY", "_RINDEX", "_COMMA", "_ROW", "_ASSIGN", "_AT", "_AND", "_OR",
     "_EQ", "_LT", "_LE", "_GT", "_GE", "_NE")
)  # fmt: skip
"""The kinds of tokens that end a sum."""

SIGNS = frozenset(("_PLUS", "_MINUS"))
_TIGHT = frozenset(("_POWER", "_ROOT", "ROOT"))
_INFIX = frozenset(("_TIMES", "_OVER", "_MATMUL", "_POWER"))
_POSTFIX = frozenset(("_BANG", "DEGREE", "PRIMES", "SUPERSCRIPT"))
_PREFIX = SIGNS | {"FUNCTION", "_ROOT", "ROOT"}


class Unclear(ExpressionSyntaxError):
    """Something that can be read in two ways, between which only its author can decide."""


def is_offer(error: ExprgradError) -> bool:
    """Return whether an error says already what to type instead."""
    hint = error.hint if isinstance(error.hint, Hint) else None
    is_one = hint is not None and hint.kind == "instead" and not hint.details.get("others")  # fmt: skip
    return is_one or isinstance(error, Unclear)


def unclear(derivative: str, rest: str, span: Span, wrt: Iterable[str] = ()) -> Unclear:
    """The question about brackets behind a derivative by these names, of which the text says what is meant."""
    inside = rest[1:-1].strip()
    at = ", ".join(f"{name}={inside}" for name in dict.fromkeys(wrt)) or inside
    message = f"{rest} may be a factor, or the place of the derivative"
    value = f"{derivative} at {at} for a value"
    hint = f"write ({derivative})*{rest} for a product, {value}"
    return Unclear(message, span, hint)


def of_value(typed: str, call: str, parameters: Iterable[str], span: Span) -> Unclear:
    """The question about a derivative as it is typed, d/dx f(2), of a function's value, which is a number."""
    name, _, inside = call.partition("(")
    values = [inside[slice(*each)].strip() for each in parted(inside.rstrip(") "))]
    at = ", ".join(f"{x}={value}" for x, value in zip(parameters, values, strict=False))
    called = f"{name.strip()}({', '.join(parameters)})"
    message = f"{call} is a number, whose derivative is 0"
    hint = f"write {typed.replace(call, called)} at {at} for the slope there"
    return Unclear(message, span, hint)


class Reach:
    """Finds the operands among tokens, from the last operator to the first.

    `pairs` are the closing brackets by the opening ones; `brackets` are the signs of those that are printed. `found` are
    the operands around which brackets are missing: where each begins, and what follows it.
    """

    def __init__(
        self,
        tokens: Lists,
        notes: Notes,
        pairs: Mapping[int, int],
        brackets: Collection[str],
    ) -> None:
        self.kinds, self.texts, self.spans = tokens
        self.notes, self.pairs, self.brackets = notes, pairs, brackets
        # whether brackets behind those of an operator are asked about; None where these are all that it takes
        self.asks: bool | None = True
        # the operators of d(x^3)/dx, which take the brackets behind them and no more
        self.closed: Collection[int] = ()
        self.found: list[Span] = []
        self._ends: dict[int, int] = {}
        self._wholes: set[int] = set()

    def end(self, place: int, wrt: Collection[str]) -> int:
        """Return what follows the operand of the operator at a place, which differentiates by these names.

        Raises `Unclear` where that could be one of two things.
        """
        start = place + 1
        bracket = self.kinds[start] in ("_LPAR", "_LARRAY")
        if place in self.closed:
            end = self.pairs[start] + 1
        elif bracket and self.texts[start] in self.brackets:
            end = self._of_brackets(place, start, wrt)
        else:
            end = self._without_brackets(place, start)
        self._ends[place] = end
        in_brackets = self.kinds[start] == "_LPAR" and self.pairs[start] == end - 1
        if start < end and not in_brackets:
            self.found.append((start, end))
        return end

    def _of_brackets(self, place: int, start: int, wrt: Collection[str]) -> int:
        end = stop = self._postfix(self.pairs[start] + 1)
        varies = [self._varies(start, end, wrt)]
        while self.kinds[stop] == "_LPAR" and self.texts[stop] == "(":
            after = self._postfix(self.pairs[stop] + 1)
            varies.append(self._varies(stop, after, wrt))
            stop = after
        # d/dx (u)(v) of two brackets with x in them is the derivative of a product, d/dx (u)(3) may be a value at 3
        if self.asks is None or not (self.asks or all(varies)):
            return end
        if not all(varies):
            if stop > end:
                span = self.spans[place][0], self.spans[stop - 1][1]
                raise unclear(self._text(place, end), self._text(end, stop), span, wrt)
        elif stop > end and self.texts[start] == "(":
            self._note_reach(place, start, stop, stop)
            return stop
        return end

    def _varies(self, start: int, end: int, names: Collection[str]) -> bool:
        own = zip(self.kinds[start:end], self.texts[start:end], strict=True)
        return any(kind == "NAME" and text in names for kind, text in own)

    def _postfix(self, at: int) -> int:
        """Return what follows the powers and signs behind a factor."""
        while True:
            kind = self.kinds[at]
            if kind in _POSTFIX:
                at += 1
            elif kind in ("_POWER", "_INDEX"):
                at += 1
                while self.kinds[at] in _PREFIX:
                    at += 1
                # an exponent that is missing is for the parser to complain about
                at = min(self.pairs.get(at, at) + 1, len(self.kinds) - 1)
            else:
                return at

    def _without_brackets(self, place: int, start: int) -> int:
        if place and self.kinds[place - 1] in _TIGHT:
            message = f"{self._text(place, start)} cannot follow {self._text(place - 1, place)!r}"
            hint = "put brackets around the derivative"
            raise ExpressionSyntaxError(message, self.spans[place], hint)
        at, begun, is_sum, nested = start, False, False, False
        whole = start in self._wholes
        if self.kinds[start] == "D_BY":
            at, begun = self._ends[start], True
        else:
            following = outer(self.pairs, start, self._sum_end(start))
            is_of_several = any(self.kinds[at] in ("D_BY", "PRIMES") or self.texts[at] == DIFF for at in following)  # fmt: skip
            head = place
            while head and self.kinds[head - 1] == "D_BY":
                head -= 1
            # nothing stands before the operator, on its side of an equation, but others like it
            is_head = head in self._outside and (not head or self.kinds[head - 1] in ("_EQ", "_ASSIGN"))  # fmt: skip
            whole = is_head and not is_of_several
        while self.kinds[at] not in ENDS:
            kind = self.kinds[at]
            if kind in SIGNS and begun:
                if not whole:
                    break
                is_sum, begun = True, False
            elif kind == "D_BY":
                # d/dx x^2 * d/dx x^3 is a product of derivatives, d/dx x d/dx x^2 the derivative of a product
                if self.kinds[at - 1] in _INFIX:
                    at -= 1
                    break
                at, begun, nested = self._ends.get(at, at + 1), True, True
                continue
            elif kind in _INFIX and not begun:
                break
            elif kind not in SIGNS:
                begun = kind not in _INFIX
            at = self.pairs.get(at, at) + 1
        if whole:
            self._wholes.add(place)
        if at > start and self.kinds[at] in SIGNS:
            self._note_reach(place, place, at, None)
        elif is_sum or nested:
            self._note_reach(place, start, at, at)
        return at

    @computed_once
    def _outside(self) -> set[int]:
        """The places that are not between brackets."""
        return set(outer(self.pairs, 0, len(self.kinds)))

    def _sum_end(self, start: int) -> int:
        places = outer(self.pairs, start, len(self.kinds))
        return next(at for at in places if self.kinds[at] in ENDS)

    def _text(self, start: int, end: int) -> str:
        return self.notes.at((self.spans[start][0], self.spans[end - 1][1]))

    def _note_reach(self, place: int, start: int, end: int, stop: int | None) -> None:
        """Note that a text up to `stop`, or the end of the sum, is read with brackets from `start` to `end`."""
        if self.spans[place][0] >= self.spans[end - 1][1]:
            return  # it comes from a macro

        def write() -> str:
            last = self._sum_end(end) if stop is None else stop
            head = self._text(place, start) + " " if start > place else ""
            rest = " " + self._text(end, last) if last > end else ""
            inside = self._text(start, end)
            return f"{self._text(place, last)} is read as {head}({inside}){rest}"

        self.notes.add("derivative", write)

    def put_brackets(self) -> None:
        """Put brackets around the operands that were found."""
        opened = Counter(start for start, _ in self.found)
        closed = Counter(end for _, end in self.found)
        kinds, texts, spans = self.kinds, self.texts, self.spans
        for place in sorted({*opened, *closed}, reverse=True):
            after, before = spans[place - 1][1:] * 2, spans[place][:1] * 2
            signs = ["_RPAR"] * closed[place] + ["_LPAR"] * opened[place]
            here = [after] * closed[place] + [before] * opened[place]
            kinds[place:place], spans[place:place] = signs, here
            texts[place:place] = [""] * len(signs)


def takes_all(pieces: Pieces, wrt: Collection[str], source: str) -> bool:
    """Return whether an operator right before some pieces of a text applies to all of them. Raises `Unclear`."""
    # which bars open is not known yet, so that they pair with none
    kinds = ["D_BY", *("" if kind == "OPEN" else kind for kind in pieces.kinds), END]
    closed = pairs(kinds)
    if len(closed) < kinds.count("_LPAR"):
        return True  # that it is not closed is said elsewhere
    last = pieces.ends[-1]
    spans = [*zip([0, *pieces.starts, last], [0, *pieces.ends, last], strict=True)]
    tokens = kinds, ["", *pieces.texts, ""], spans
    reach = Reach(tokens, Notes(source), closed, CALLING)
    operators = [i for i, kind in enumerate(kinds) if kind == "D_BY"]
    *_, end = (reach.end(place, wrt) for place in reversed(operators))
    return end == len(kinds) - 1
