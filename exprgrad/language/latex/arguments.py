r"""The ends of arguments of functions that stand without brackets in LaTeX, and what a derivative takes.

    \sin x\cos y            \sin(x)\cos(y)             \cos\pi/4         \cos(\pi/4)
    \sin x(x+1)             \sin(x) (x+1)             \sin 2(x+1)       \sin(2(x+1))
    \ln t e^t               \ln(t) e^t                \log(x+1)^2       \log((x+1)^2)

What could be meant otherwise is noted. f(x), T(0) and x(t) are refused, since nobody has said what they are, and so is
3\frac14, which may be a mixed number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from exprgrad.errors import ExpressionSyntaxError
from exprgrad.language.brackets import outer
from exprgrad.language.latex import commands
from exprgrad.language.latex.stream import undefined
from exprgrad.language.notes import Notes
from exprgrad.language.scanning.bare import divides_pi, takes_angle
from exprgrad.language.scanning.reach import SIGNS, Reach
from exprgrad.language.scanning.token_lists import Lists
from exprgrad.language.undefined import FUNCTION_LETTERS
from exprgrad.lazy import computed_once
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import CONSTANTS

PRINTED = ("(", "[", "\\{")
"""Brackets that are seen, unlike braces."""

_GROUPS = {"NUMBER": 0, "NAME": 0, "_SQRT": 1, "_FRAC": 2, "_ROOT": 2, "_CHOOSE": 2}
"""The groups that belong to a factor behind the token that begins it."""


class Arguments(Reach):
    """Finds where bare arguments end, and what derivatives take, from the last to the first."""

    def __init__(
        self,
        notes: Notes,
        declared: Collection[str],
        tokens: Lists,
        pairs: dict[int, int],
        closed: set[int],
    ) -> None:
        super().__init__(tokens, notes, pairs, PRINTED)
        self.declared, self.closed = frozenset(declared), closed
        self.behind: set[int] = set()

    def put_brackets(self) -> None:
        """Put brackets around every argument."""
        # from right to left: the argument of the first function in \sin\cos x ends where that of the second does
        for place in range(len(self.kinds) - 1, -1, -1):
            if self.kinds[place] == "FUNCTION":
                self._ends[place] = self._function(place)
            elif self.kinds[place] == "D_BY":
                self._derivative(place)
        self._check_products()
        super().put_brackets()

    def _atom(self, place: int) -> int | None:
        """Return what follows the factor that begins at a token; None if none does."""
        kind = self.kinds[place]
        if kind in ("FUNCTION", "D_BY"):
            place = self._ends[place]
        elif kind in ("_LPAR", "OPEN", "_CASES", "_LARRAY"):
            place = self.pairs[place] + 1
        elif kind in _GROUPS:
            place += 1
            for _ in range(_GROUPS[kind]):
                place = self.pairs[place] + 1
        else:
            return None
        return self._postfix(place)

    def _function(self, place: int) -> int:
        """Put brackets around the argument of a function that has none, and return what follows it."""
        kinds, texts = self.kinds, self.texts
        name = texts[place]
        start = place + 1
        while kinds[start] in ("_BASE", "_POWER"):
            start = self.pairs[start + 1] + 1
        kind = kinds[start]
        if kind == "_LPAR":
            call = self._braced if texts[start] == "{" else self._behind_call
            return call(place, start, self.pairs[start] + 1)
        if kind == "OPEN":
            end = self.pairs[start] + 1
            # the only function whose argument takes the power along: \ln|x|^2 is ln(x^2), while \sin|x|^2 is a square
            if kinds[end] == "_POWER" and is_logarithm(name):
                end = self._postfix(end)
                self._note_argument(place, start, end, end)
        elif kind == "FUNCTION":
            end = self._postfix(self._ends[start])
        elif kind == "D_BY" or self._atom(start) is None:
            raise self._no_argument(place, start)
        else:
            end = self._bare_end(place, start)
        self.found.append((start, end))
        return end

    def _no_argument(self, place: int, start: int) -> ExpressionSyntaxError:
        word = self.notes.at(self.spans[place])
        if self.kinds[start] == "_MINUS":
            message = f"a sign cannot follow {word} without brackets"
            hint = f"write {word}(-x)"
            return ExpressionSyntaxError(message, self.spans[start], hint)
        message = f"{word} needs an argument"
        return ExpressionSyntaxError(message, self.spans[place], f"write {word}(x)")

    def _behind_call(self, place: int, start: int, end: int) -> int:
        """Return what follows a function with brackets, behind which `end` is."""
        kinds = self.kinds
        if kinds[end] == "_POWER":
            exponent = self.pairs[end + 1] + 1
            inside = kinds[start + 1 : end - 1]
            power_before = any(k == "_POWER" for k in kinds[place + 1 : start])
            compound = len(inside) > 1 and self._holds(SIGNS, start + 1, end - 1)
            # \log(x+1)^2 is log((x+1)^2) in books, but \log(2)^2 and \log^2(x+1)^2 are powers of the logarithm
            if is_logarithm(self.texts[place]) and compound and not power_before:
                self._note_argument(place, start, exponent, exponent)
                self.found.append((start, exponent))
                return exponent
            self._note_product(place, end, exponent)
        elif kinds[end] == "_LPAR" and self.texts[end] != "{":
            self._note_product(place, end, self.pairs[end] + 1)
        return end

    def _note(self, kind: str, start: int, end: int, read: Callable[[], str]) -> None:
        """Note how the tokens between two places are read, unless they come from a macro."""
        # the tokens of a macro may all stand where it is used
        if self.spans[start][0] < self.spans[end - 1][1]:
            said = self._text(start, end)
            self.notes.add(kind, lambda: f"{said} is read as {read()}")

    def _note_argument(self, place: int, start: int, stop: int, end: int) -> None:
        """Note what the argument of a function is read as; `end` is behind what might belong to it."""

        def read() -> str:
            head = self.notes.at((self.spans[place][0], self.spans[start][0])).strip()
            rest = self._text(stop, end) if end > stop else ""
            blank = " " if rest and self.kinds[stop] != "_OVER" else ""
            return f"{head}({self._text(start, stop)}){blank}{rest}"

        self._note("bare argument", place, end, read)

    def _note_product(self, place: int, end: int, stop: int) -> None:
        if self.texts[place + 1] in commands.AROUND:
            return
        dot = "" if self.kinds[end] == "_POWER" else r" \cdot "
        self._note("call and factor", place, stop, lambda: f"({self._text(place, end)}){dot}{self._text(end, stop)}")  # fmt: skip

    def _braced(self, place: int, start: int, end: int) -> int:
        """Return what follows a function of something in braces, behind which `end` is."""
        kinds = self.kinds
        inside = start + 1
        is_printed = kinds[inside] in ("_LPAR", "OPEN") and self.texts[inside] != "{"
        # \sin{(x)} has its brackets already
        if is_printed and self.pairs[inside] == end - 2:
            return end
        stop = end
        if kinds[end] in ("_POWER", "_BANG"):
            stop = self._postfix(end)
            self._note_argument(place, start, stop, stop)
        elif (after := self._atom(end)) is not None and kinds[end] != "FUNCTION":
            self._note_product(place, end, after)
        self.found.append((start, stop))
        return stop

    def _bare_end(self, place: int, start: int) -> int:
        """Return what follows the argument that begins at a token."""
        kinds, texts = self.kinds, self.texts
        # numbers and constants do not end an argument: \sin 2\pi x is one, but in \sin x 2 the 2 is a factor
        at, holds_name, factors, power = start, False, 0, False
        while True:
            kind = kinds[at]
            if kind in ("FUNCTION", "D_BY"):
                break
            if holds_name and self._ends_before(at):
                break
            end = self._atom(at)
            if end is None:
                break
            if kinds[end - 1] == "_RPAR" and not power:
                first = at + 1 if kind in ("NUMBER", "NAME") else self.pairs.get(at, end) + 1  # fmt: skip
                while first < end and kinds[first] in ("_BANG", "DEGREE"):
                    first += 1
                power = first < end and kinds[first] == "_POWER"
            if kind == "NAME":
                holds_name = holds_name or texts[at] not in CONSTANTS
            elif kind != "NUMBER":
                holds_name = True
            factors += 1
            at = end
        # \cos\pi/4 is the cosine of 45 degrees, though \cos x/4 is a quarter of a cosine
        may_divide = kinds[at] == "_OVER" and takes_angle(texts[place])
        over = may_divide and divides_pi(kinds, texts, start, at)
        at += 2 * over
        self._note_bare(place, start, at, factors, power or over)
        return at

    def _ends_before(self, at: int) -> bool:
        """Return whether an argument that holds a name ends there: before brackets, fractions, derivatives, and powers of e."""
        kinds = self.kinds
        kind = kinds[at]
        if kind == "_LPAR" and self.texts[at] != "{":
            # but not x(t)
            return kinds[at - 1 : at + 3] != ["NAME", "_LPAR", "NAME", "_RPAR"] or self.texts[at] != "("  # fmt: skip
        if kind == "NAME":
            return not {*self.texts[at]}.isdisjoint("'/") or (self.texts[at] == "e" and kinds[at + 1] == "_POWER")  # fmt: skip
        return kind in ("OPEN", "_FRAC", "_SQRT", "_ROOT", "_CASES", "_LARRAY", "_CHOOSE", "NUMBER")  # fmt: skip

    def _note_bare(
        self, place: int, start: int, at: int, factors: int, power: bool
    ) -> None:
        kind = self.kinds[at]
        several = factors - (self.kinds[start] == "NUMBER") > 1
        goes_on = kind in ("_LPAR", "OPEN", "_FRAC", "_SQRT", "_ROOT", "_OVER", "NAME", "NUMBER")  # fmt: skip
        before = kind == "FUNCTION" and factors > 1
        dot = kind == "_TIMES" and all(k == "NUMBER" for k in self.kinds[start:at])
        if kind == "_LPAR":
            self.behind.add(at)
        if several or power or goes_on or before or dot:
            end = self._atom(at + (kind in ("_OVER", "_TIMES")))
            self._note_argument(place, start, at, end or at)

    def _derivative(self, place: int) -> None:
        """Find where what a derivative takes ends."""
        if self.end(place, self.texts[place].split(",")) == place + 1:
            message = "there is nothing to differentiate"
            hint = r"write \frac{d}{dx}(x^2)"
            raise ExpressionSyntaxError(message, self.spans[place], hint)

    def _check_products(self) -> None:
        kinds, texts = self.kinds, self.texts
        for place in range(len(kinds) - 1):
            kind, following = kinds[place], kinds[place + 1]
            if kind == "NAME" and following == "_LPAR" and texts[place + 1] in "([":
                self._check_call(place, place + 1)
            elif kind == "NUMBER" and following == "_FRAC":
                self._check_mixed(place)
            elif (kind, following, texts[place]) == ("_RPAR", "_FRAC", ")"):
                fraction = self._numeric_fraction(place + 1)
                if kinds[place - 1] == "NUMBER" and fraction is not None:
                    self._note_mixed(place - 1)

    def _check_call(self, place: int, opened: int) -> None:
        """Refuse f(x), T(0), x(t), of which nobody has said what they are; note x(x+1)."""
        kinds, texts = self.kinds, self.texts
        name = texts[place]
        closed = self.pairs[opened]
        if name in CONSTANTS or opened in self.behind:
            return
        inside = kinds[opened + 1 : closed]
        names = [texts[i] for i in range(opened + 1, closed) if kinds[i] == "NAME"]
        listed = self._holds(("_COMMA",), opened + 1, closed)
        declared = name in self.declared and self.declared >= ({*names} - {*CONSTANTS})
        function = name.partition("_")[0] in FUNCTION_LETTERS
        alone = name in self._alone
        # machine learning writes the sigmoid so; where sigma also stands alone it is a standard deviation
        if name in ("σ", "sigma") and not (alone or name in self.declared):
            self.kinds[place], self.texts[place] = "FUNCTION", "sigmoid"
            return
        number, variable = inside == ["NUMBER"], inside == ["NAME"]
        unclear = variable or ((number or function) and not alone)
        if listed or (unclear and not declared):
            span = self.spans[place][0], self.spans[closed][1]
            hint = f"give the function itself; for a product write {name} \\cdot"
            raise undefined(name, span, hint)
        if variable or number or not alone:
            self._note("call", place, closed + 1, lambda: "a product")

    def _holds(self, kinds: Collection[str], start: int, end: int) -> bool:
        """Return whether a token of some kinds stands between two places, outside inner brackets."""
        places = outer(self.pairs, start, end)
        return any(self.kinds[place] in kinds for place in places)

    @computed_once
    def _alone(self) -> set[str]:
        """The names that occur without a bracket behind them."""
        followed = zip(self.kinds, self.texts, self.kinds[1:], strict=False)
        return {text for kind, text, then in followed if kind == "NAME" and then != "_LPAR"}  # fmt: skip

    def _numeric_fraction(self, place: int) -> tuple[str, str] | None:
        """The numbers of a fraction of two numbers."""
        if self.kinds[place + 1 : place + 7] != ["_LPAR", "NUMBER", "_RPAR"] * 2:
            return None
        return self.texts[place + 2], self.texts[place + 5]

    def _check_mixed(self, place: int) -> None:
        r"""Refuse 3\\frac14, which may be a mixed number or a product."""
        found = self._numeric_fraction(place + 1)
        if found is None:
            # only the beginning is searched for names: fractions nested to any depth would take quadratic time
            end = min(self._atom(place + 1) or place + 1, place + 31)
            if "NAME" not in self.kinds[place + 1 : end]:
                self._note_mixed(place)
            return
        whole, above, below = numbers = (self.texts[place], *found)
        # nobody writes a mixed number with more digits, and int() refuses 4,301 of them
        short = all(map(str.isdigit, numbers)) and len(above + below) <= 18
        if not short or int(above) >= int(below):
            self._note_mixed(place)
            return
        end = self._atom(place + 1) or place + 1
        message = "this may be a mixed number or a product"
        hint = f"write {whole}+\\frac{{{above}}}{{{below}}} for the number, {whole}\\cdot\\frac{{{above}}}{{{below}}} for the product"
        span = self.spans[place][0], self.spans[end - 1][1]
        raise ExpressionSyntaxError(message, span, hint)

    def _note_mixed(self, place: int) -> None:
        bracket = self.kinds[place + 1] != "_FRAC"  # (3)\frac14
        end = self._atom(place + 1 + bracket)
        if end is not None:
            self._note("mixed number", place - bracket, end, lambda: "a product")


def is_logarithm(name: str) -> bool:
    """Return whether a function is the logarithm to a base, or to that of its name."""
    return any(operation.name == "ln" for operation in named(name).values())
