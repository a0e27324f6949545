"""Source text to tokens, with everything settled that takes more than the letters of a token.

A name that the operation table knows becomes a FUNCTION, a `|` becomes an opening or a closing bar by the
token before it, brackets are matched, and a name such as `xyz` is split into declared variables if that can
be done in exactly one way. Square brackets are an index, an array or nothing but brackets.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set

from exprgrad.annotations import TYPE_CHECKING
from exprgrad.errors import ExpressionSyntaxError, Hint, Span
from exprgrad.language import brackets, characters, elsewhere, grammar, inputs, leibniz
from exprgrad.language.grammar import Pieces
from exprgrad.language.lalr import END
from exprgrad.language.notes import shorten
from exprgrad.language.scanning import bare
from exprgrad.language.scanning.reach import Reach, unclear
from exprgrad.language.scanning.token_lists import TokenLists
from exprgrad.language.spans import Spans
from exprgrad.language.undefined import FUNCTION_LETTERS, calls
from exprgrad.lazy import computed_once, pattern
from exprgrad.operations.operation import function_names, named, own_name
from exprgrad.operations.vocabulary import CONSTANTS, DIFF, is_function, similar

if TYPE_CHECKING:
    from exprgrad.language.products import Piece, Splitter

_BEGINS_OPERAND = frozenset("NAME FUNCTION NUMBER _ROOT ROOT OPEN D_BY".split())
_SETTLES = {
    "NAME": "_operator_or_name", "NUMBER": "_number", "OPEN": "_bar", "D_BY": "_d_by", "_LPAR": "_open",
    "_RPAR": "_close", "NAMED": "_undefined_call", "SUPERSCRIPT": "_superscript", "ROOT": "_root", "PRIMES": "_primes", "UNKNOWN": "_other",
}  # fmt: skip
"""The kinds of pieces that take more than their letters, and the methods that take them in."""

_PLAIN = frozenset(("NAME", "_LPAR", "_RPAR", "NUMBER"))
"""Those that take more than their letters in some places alone."""

_DIFF_NAMES = frozenset(("diff", "derivative", "derive", "deriv", "differentiate"))
_CALLS = _DIFF_NAMES | {"Diff", "Derivative", "D", "d"}
_BY = pattern(r",\s*([^\W\d_])\s*(?:,\s*[0-9]+\s*)?[)\]]")
_POWER_AND_MORE = pattern(r"\s*(?:\^\s*[-−]?\d|[²³])\s*(?:\(|\d*[^\W\d])")
"""A power before what a function is of: sh^2 x."""

_FOLLOWED = pattern(r"\s*(?:(?:\^|\*\*)\s*-?[0-9]+|[⁻²³⁴-⁹⁰¹]+)?\s*[\w(\[{√∛|⌊⌈½]")
"""The beginning of an argument without brackets, behind an exponent perhaps."""

_OPERAND = pattern(r"\s*[\w(\[{√|]")
_CALL = pattern(r"\s*[^\W\d_]['′’]*\s*[(\[]")
_FACTOR_SIGMA = pattern(r"σ(?!\s*\()")
_FIRST_ARGUMENT = pattern(r"\s*[(\[](?:[^()\[\]]|\([^()\[\]]*\))*?,")
_BASE_FIRST = pattern(r"\s*\[[^\[\],]*,")
_CONSTANT = pattern(r"(?:pi|e)\b")
_WORD = pattern(r"\w+")
_DOT = pattern(r"\.[^\W\d_]")
_SUBSCRIPT = pattern(r"(?s)(.*?[₀-₉]+)(?![₀-₉])([^\W\d_].*)")

_VERBS = ("differentiate", "derivative", "simplify")
_SHORT_HYPERBOLIC = 3
_HINTS = {
    "\\": "write sqrt(x), (a)/(b), x^2 instead of LaTeX",
    "%": "write x/100 for a percentage, mod(a, b) for a remainder",
    "°": "a sign for degrees stands behind a number or a bracket: 30°",
    "∞": "infinity is not a number here",
    "±": Hint("uncertain"),
    "'": "write d/dx (...) or diff(f, x) for a derivative",
    "&": "write `and`",
    ";": "use commas between values; a semicolon means nothing here",
    ":": "give one expression",
    "$": "leave out the dollar signs",
    "∑": "write the sum out",
    "∫": "integrals are not computed",
}


_DERIVATIVES = frozenset(("D_BY", "D_NAMED", "PRIMED"))


class Tokens(TokenLists):
    """Parallel lists: the terminals' names, texts and spans; the last kind is `END`.

    `grammar` names their grammar, `settles` the kinds that need more than their letters, `operands` the kinds
    after which a bar closes. A `lenient` reading is that of a place where
    nothing has to be declared, such as the command line: `sinx` is sin(x), and words side by side are refused.
    Names that are differentiated `by` are factors of others: with x, ax is a*x.
    """

    grammar = "expression"
    settles = _SETTLES
    operands = frozenset("NUMBER NAME SUPERSCRIPT _RPAR CLOSE _BANG DEGREE".split())
    _functions: Set[str] = frozenset()
    """The functions that a session, or a step, has defined."""

    asks: bool | None = True
    """True where brackets behind a derivative are asked about that may be a factor or a place; None where they are a factor."""

    def __init__(
        self,
        source: str,
        declared: Collection[str] = (),
        strict: bool = False,
        lenient: bool = False,
        by: Collection[str] = (),
    ) -> None:
        super().__init__(source, declared)
        plain = characters.plain(source)
        # of the same length, so that every place in it is one in the text as it was typed
        self.source, self._operators = leibniz.prepared(plain, declared)
        self.undefined_calls: dict[Span, str] = {}
        if "(" in source or "[" in source:
            self.undefined_calls = calls(self.source, self._is_free)
        self._strict = strict
        self._lenient = lenient
        self._words: list[int] = []
        self._alone: dict[str, bool] = {}
        self._behind_dot = self._module = -1
        self._closed: set[int] = set()
        self._groups: list[_Group] = [_Group("", (0, 0))]
        self._has_hexadecimals = "0x" in source or "0X" in source
        elsewhere.refuse_strange(self.source, declared)
        self._scan(by)

    def _scan(self, by: Collection[str]) -> None:
        source = self.source
        characters.refuse_long(source)
        cuts = bool(self.undefined_calls)
        found = self._cut(source) if cuts else grammar.pieces(source, self.grammar)
        kind_of = dict(zip(found.texts, found.kinds, strict=True))
        self._declare_factors(kind_of, by)
        if not self._takes_all(found, kind_of):
            self._take_in_turn(found)
        self._check_ends()
        kinds, texts, spans = self.kinds, self.texts, self.spans
        if "[" in source:
            brackets.mark(source, kinds, texts, spans)
        self._add(END, "", (len(source), len(source)))
        if self._words:
            self._check_words()
        if "PRIMES" in kinds or DIFF in texts:
            self._drop_arguments_of_primes()
        if self.asks and not _DERIVATIVES.isdisjoint(kinds):
            self._ask_about_places()
        if "D_BY" in kinds:
            self._put_operands_in_brackets()
        if "FUNCTION" in kinds:
            # from the last one, since each that is put in moves what is behind it
            for place in reversed(bare.ends(kinds, texts)):
                self.insert(place, "_BEHIND", "", spans[place][:1] * 2)

    def _cut(self, source: str) -> Pieces:
        """The pieces of a text, in which undefined functions with their primes are one each."""
        found, end = Pieces([], [], [], []), 0
        calls = [*sorted(self.undefined_calls.items()), ((len(source),) * 2, "")]
        for span, name in calls:
            own = grammar.pieces(source[end : span[0]], self.grammar)
            found.kinds.extend([*own.kinds, "NAMED"])
            found.texts.extend([*own.texts, name])
            found.starts.extend([*(end + at for at in own.starts), span[0]])
            found.ends.extend([*(end + at for at in own.ends), span[1]])
            end = span[1]
        # the end of the text stood in for one more call, so that what follows the last one is cut as well
        for side in found:
            side.pop()
        return found

    def _is_free(self, name: str) -> bool:
        """Return whether a name means nothing here."""
        return not (name in self._declared or name in CONSTANTS or named(name))

    def _undefined_call(self, name: str, span: Span) -> None:
        self._add("FUNCTION", name, span)

    def _declare_factors(self, kinds: Mapping[str, str], by: Collection[str]) -> None:
        """Declare the letters of names such as the ax of d/dx ax^2, which can only be products there."""
        declared = self._declared
        operators = [t for t, k in kinds.items() if k == "D_BY"]
        operators += self._operators.values()
        names = {name for text in operators for name in leibniz.names(text)[1]}
        # where dx is a name of its own, d/dx is a quotient and no operator
        names = {name for name in names if f"d{name}" not in declared}.union(by)
        if not _CALLS.isdisjoint(kinds):
            names.update(_BY.findall(self.source))
        if names and not self._strict:
            from exprgrad.language.products import factors

            found = factors(self.source, names, self._functions)
            self._declared = {*declared, *found, *(names if found else ())}

    def _drop_arguments_of_primes(self) -> None:
        """Read (x^2)'(x) as (x^2)'; of (x^2)'(3) and diff(x^2, x)(3), the 3 may be a factor or a place."""
        kinds, texts, spans = self.kinds, self.texts, self.spans
        pairs = brackets.pairs(kinds)
        opening = {end: start for start, end in pairs.items()}
        for place in range(len(kinds) - 3, 0, -1):
            before = opening.get(place, 0) - 1
            is_call = (kinds[before], texts[before]) == ("FUNCTION", DIFF)
            if kinds[place + 1] != "_LPAR" or not (is_call or kinds[place] == "PRIMES"):
                continue
            start, end = place + 1, pairs[place + 1] + 1
            inside = set(kinds[start + 1 : end - 1])
            first = before if is_call else opening[place - 1]
            if not is_call and inside == {"NAME"} and texts[start + 1] in texts[first:place]:  # fmt: skip
                del kinds[start:end], texts[start:end], spans[start:end]
            elif inside <= {"NUMBER", "_MINUS"} and self.asks:
                derivative = self.source[spans[first][0] : spans[place][1]]
                rest = self.source[spans[start][0] : spans[end - 1][1]]
                raise unclear(derivative, rest, (spans[first][0], spans[end - 1][1]))

    def _ask_about_places(self) -> None:
        """Raise `Unclear` for (d/dx x^2)(3) and (df/dx)(3), whose 3 may be a factor or a place."""
        kinds, spans, pairs = self.kinds, self.spans, brackets.pairs(self.kinds)
        for place in [i for i, kind in enumerate(kinds) if kind in _DERIVATIVES]:
            start, end = place - 1, (inner := pairs.get(place - 1, 0))
            while start > 0 and pairs.get(start - 1) == end + 1:
                start, end = start - 1, end + 1
            inside = kinds[end + 2 : pairs.get(end + 1, 0)]
            if pairs.get(place + 1, inner - 1) == inner - 1 and inside and {*inside} <= {"NUMBER", "_MINUS"}:  # fmt: skip
                derivative = self.source[spans[place][0] : spans[inner][0]].strip()
                rest = self.source[spans[end + 1][0] : spans[pairs[end + 1]][1]]
                raise unclear(derivative, rest, (spans[start][0], spans[pairs[end + 1]][1]))  # fmt: skip

    def _put_operands_in_brackets(self) -> None:
        """Put brackets around what derivatives take, unless it is in brackets alone."""
        kinds, texts, spans = self.kinds, self.texts, self.spans
        pairs = brackets.pairs(kinds)
        reach = Reach((kinds, texts, spans), self.notes, pairs, brackets.CALLING)
        reach.asks, reach.closed = self.asks, self._closed
        # from the last one, so that in d/dx d/dy x it is known how far d/dy reaches when d/dx is asked
        for place in range(len(kinds) - 1, -1, -1):
            if kinds[place] != "D_BY":
                continue
            wrt = leibniz.read(texts[place], spans[place]).wrt
            # an operator of nothing keeps its text, which the error about it quotes
            if reach.end(place, wrt) > place + 1:
                texts[place] = ",".join(wrt)
        reach.put_brackets()

    def _takes_all(self, found: Pieces, kind_of: Mapping[str, str]) -> bool:
        """Take in all pieces at once, if none of them depends on those around it: so it is in most long texts."""
        if "|" in self.source or self._operators or type(self) is not Tokens:
            return False  # statements have names of their own
        if leibniz.OPERATOR in self.source:
            return False  # D_x, which is a name in D_xπ
        texts, kinds = found.texts, {**kind_of}
        words: set[str] = set()
        for text, kind in kind_of.items():
            if kind == "NAME":
                own = self._everywhere(text)
                if own is None:
                    return False
                kinds[text] = own
                if own == "NAME" and len(text) > 1:
                    words.add(text)
            elif kind in _SETTLES and kind not in _PLAIN:
                return False
        # ab is a variable, but ab(x) may be a call of something unknown, or a*b*x
        if words and not words.isdisjoint(brackets.called(texts)):
            return False
        # what is wrong is left to the slow way, which knows the place: two numbers side by side, a bracket too many
        inside = [*map(kinds.__getitem__, texts)]
        if "NUMBER NUMBER" in " ".join(inside) or not brackets.match(texts):
            return False
        self.kinds, self.texts = inside, texts
        self.spans = Spans(found.starts, found.ends)  # type: ignore[assignment] # read like a list
        return True

    def _everywhere(self, name: str) -> str | None:
        """The kind of a name that is the same wherever it stands, except before a bracket; None for others."""
        keyword = grammar.tables().keywords.get(name)
        if keyword is not None or not name.isascii():
            return keyword
        if is_function(name, called=False):
            return "FUNCTION"
        if is_function(name, called=True):
            return None
        if name in self._declared or name in CONSTANTS:
            return "NAME"
        if self._lenient or name in ("d", "D"):
            return None
        return None if len(name) > 1 and self._is_more(name) else "NAME"

    def _is_more(self, name: str) -> bool:
        """Return whether a name of several letters may stand for something else in some places."""
        return (
            bool(self._declared and not self._strict)  # it may be split
            or (name[0] in "xX" and self._has_hexadecimals)
            or name in elsewhere.DEGREES
            or name in elsewhere.RADIANS
            or name in elsewhere.CONSTANTS_BY_NAME
            or own_name(name) is not None
        )

    def _take_in_turn(self, found: Pieces) -> None:
        """Take in the pieces one by one."""
        for kind, text, start, end in zip(*found, strict=True):
            if kind in self.settles:
                getattr(self, self.settles[kind])(text, (start, end))
            else:
                self._groups[-1].is_bar_last = False
                self._add(kind, text, (start, end))

    def _operator_or_name(self, text: str, span: Span) -> None:
        """A name, or the d of d(x^2)/dx."""
        if span[0] in self._operators:
            self._over(span)
        else:
            self._name(text, span)

    def _number(self, text: str, span: Span) -> None:
        # in sin^2 3 the 2 is an exponent and the 3 an argument
        after_number = self.kinds[-1:] == ["NUMBER"]
        if after_number and self.kinds[-3:-1] != ["FUNCTION", "_POWER"]:
            last = self.spans[-1]
            hint = f"write {self.texts[-1]}*{self.source[slice(*span)]} for a product"
            if last[1] == span[0]:
                hint = "a number has one decimal point"
            message = "there is no operator between these two numbers"
            raise ExpressionSyntaxError(message, (last[0], span[1]), hint)
        self._add("NUMBER", text, span)

    def _open(self, text: str, span: Span) -> None:
        self._groups.append(_Group(text, span))
        self._add("_LPAR", text, span)

    def _primes(self, text: str, span: Span) -> None:
        if self.kinds[-1:] != ["_RPAR"]:
            self._refuse(text, span)
        self._add("PRIMES", text, span)

    def _other(self, text: str, span: Span) -> None:
        """A character that no grammar has: it stands for something, or is refused."""
        source, end = self.source, span[1]
        if text in characters.FRACTIONS:
            self._fraction(text, span)
        elif text in characters.LOGARITHMS:
            self._add("FUNCTION", characters.LOGARITHMS[text], span)
        elif text in characters.AROUND:
            self._add("FUNCTION", characters.AROUND[text][0], span)
            self._open(text, span)
        elif text in ("⌋", "⌉"):
            self._close(text, span)
        elif text == "∂" and span[0] in self._operators:
            self._over(span)
        elif text == "." and (
            end == self._behind_dot or source[end : end + 1] in "*/^"
        ):
            if end == len(source):
                self._refuse(text, span)
        elif text == "%" and _CONSTANT.match(source, end) and not self._after_operand():
            pass  # %pi and %e, as in Maxima
        else:
            self._refuse(text, span)

    def _refuse(self, text: str, span: Span) -> None:
        hint = _HINTS.get(text)
        if text == "." and self.source[span[1] : span[1] + 1].isalpha():
            hint = "write a function before its argument: sin(x), diff(x^2, x)"
        shown = f"'{text}'" if text == "\\" else repr(text)
        raise ExpressionSyntaxError(f"{shown} is not part of the language", span, hint)

    def _fraction(self, text: str, span: Span) -> None:
        """½, as a fraction in brackets; 1½ as a sum."""
        above, below = characters.FRACTIONS[text]
        inner = span[1], span[1]
        if self.kinds and self.kinds[-1] == "NUMBER" and self.spans[-1][1] == span[0]:
            self._whole(above, below, span)
        else:
            self._add("_LPAR", "", span)  # not typed: an operator takes more than these
        self._add("NUMBER", above, inner)
        self._add("_OVER", "/", inner)
        self._add("NUMBER", below, inner)
        self._add("_RPAR", ")", span)

    def _whole(self, above: str, below: str, span: Span) -> None:
        """The whole number before a fraction, with a bracket before it and a plus behind."""
        whole, own = self.texts[-1], self.spans[-1]
        if not whole.isdigit() or self.kinds[-3:-1] == ["FUNCTION", "_POWER"]:
            message = "this can be read in two ways"
            hint = f"write {whole}+{above}/{below} for the sum, {whole}*{above}/{below} for the product"
            raise ExpressionSyntaxError(message, (own[0], span[1]), hint)
        self.insert(-1, "_LPAR", "", (own[0], own[0]))
        self._add("_PLUS", "+", (own[1], own[1]))
        typed, said = (own[0], span[1]), "{} is read as {} + {}/{}"
        self.notes.add("mixed number", said, typed, whole, above, below)

    def _superscript(self, text: str, span: Span) -> None:
        """x² as it is; e⁻ˣ as e^(−x); the ⁻ before a value, as calculators have it, is a sign."""
        after_operand = self._after_operand() or self.kinds[-1:] == ["FUNCTION"]
        if characters.is_number(text) and after_operand:
            self._add("SUPERSCRIPT", text, span)
            return
        if text in ("⁻", "⁺"):
            self._add("_MINUS" if text == "⁻" else "_PLUS", "-", span)
            return
        if not after_operand:
            message = f"there is nothing before the exponent {text!r}"
            raise ExpressionSyntaxError(message, span, "write x^2")
        self._add("_POWER", "^", span)
        self._open("(", span)
        inside = grammar.pieces(characters.raised(text), self.grammar)
        count = len(inside.kinds)
        starts, ends = [span[0]] * count, [span[1]] * count
        self._take_in_turn(inside._replace(starts=starts, ends=ends))
        self._close(")", span)

    def _root(self, text: str, span: Span) -> None:
        """∛x and ³√x; in x²√y the superscript is an exponent."""
        if len(text) > 1 and self._after_operand() and self.spans[-1][1] == span[0]:
            self._add("SUPERSCRIPT", text[:-1], (span[0], span[1] - 1))
            self._add("_ROOT", "√", (span[1] - 1, span[1]))
        else:
            self._add("ROOT", text, span)

    def _d_by(self, text: str, span: Span) -> None:
        """`d/dx`; if `d` or `dx` is declared, a quotient of names."""
        tokens = [] if "∂" in text else list(leibniz.as_quotient(text, span[0]))
        follows = _OPERAND.match(self.source, span[1])
        alone = text.startswith(leibniz.OPERATOR) and not follows
        own = [word for _, word, _ in tokens if word in self._declared]
        # whatever d is, d/dt f(x(t)) is a derivative
        if own == ["d"] and _CALL.match(self.source, span[1]):
            own = []
        if alone or own:
            for token in tokens:
                self._add(*token)
            return
        self._groups[-1].is_bar_last = False
        self._add("D_BY", text, span)

    def _quotient(self, text: str, span: Span) -> None:
        """`dy/dx` as a mere quotient of names."""
        for kind, word, place in leibniz.as_quotient(text, span[0]):
            if kind == "NAME":
                self._name(word, place)
            else:
                self._add(kind, word, place)

    def _over(self, span: Span) -> None:
        """The d of d(x^2)/dx, which takes the brackets behind it and nothing else."""
        self._closed.add(self._add("D_BY", self._operators[span[0]], span))

    def _close(self, text: str, span: Span) -> None:
        if len(self._groups) == 1:
            hint = "remove it, or open a bracket before it"
            raise ExpressionSyntaxError(f"this {text!r} closes nothing", span, hint)
        group = self._groups.pop()
        if brackets.CLOSED_BY[group.text] != text:
            hint = f"close it with {brackets.CLOSED_BY[group.text]!r}"
            message = f"{group.text!r} is closed by {text!r}"
            raise ExpressionSyntaxError(message, span, hint)
        group.check_bars()
        self._add("_RPAR", text, span)

    def _check_ends(self) -> None:
        group, count = self._groups[-1], len(self._groups) - 1
        group.check_bars()
        if count:
            message = f"this {group.text!r} is never closed"
            if count > 1:
                message = f"{count} brackets are never closed; this is the last of them"
            hint = f"add {brackets.CLOSED_BY[group.text]!r}"
            raise ExpressionSyntaxError(message, group.span, hint)

    def _bar(self, text: str, span: Span) -> None:
        group = self._groups[-1]
        after_operand = self._after_operand()
        if after_operand and group.bars:
            group.bars.pop()
            group.is_bar_last = True
            self._add("CLOSE", text, span)
            return
        # in |x|y|z| the third bar may open |z|, or close a |y| within one pair around all
        if after_operand and self.kinds[-1] != "CLOSE" and group.is_bar_last:
            message = "these bars can be paired in two ways"
            raise ExpressionSyntaxError(message, span, "write abs(...) for one of them")
        group.bars.append(span)
        self._add("OPEN", text, span)

    def _name(self, text: str, span: Span) -> None:
        keyword = grammar.tables().keywords.get(text)
        if keyword is not None:
            self._add(keyword, text, span)
            return
        if not text.isascii():
            found = _SUBSCRIPT.fullmatch(text)
            if found is not None:  # a₁x
                middle = span[0] + found.start(2)
                self._name(found[1], (span[0], middle))
                self._name(found[2], (middle, span[1]))
                return
        name = self._normal(text, span)
        if name == "E" and span[0] == self._behind_dot:
            name = "e"  # Math.E
        called = self._is_called(span[1])
        if is_function(name, called):
            self._add("FUNCTION", name, span)
        elif name in self._declared or name in CONSTANTS:
            self._add("NAME", name, span)
        else:
            self._unknown(name, span, called)

    def _normal(self, text: str, span: Span) -> str:
        """A name in normal form NFKC, as in Python."""
        name = inputs.normal(text)
        if not name.isidentifier():
            message = f"{shorten(text)!r} is not part of the language"
            raise ExpressionSyntaxError(message, span, "write fractions as 1/2")
        return name

    def _ways(self, name: str) -> list[list[Piece]]:
        """The ways to split a name into what is declared, or stands alone where nothing has to be."""
        if self._strict or not (self._declared or self._lenient):
            return []
        is_greek = self._lenient and not name.isascii() and len(name) < 12
        return (self._greek_ways(name) if is_greek else []) or self._splitter.ways(name)

    @computed_once
    def _splitter(self) -> Splitter:
        from exprgrad.language.products import Splitter, letters

        if not self._lenient:
            return Splitter(self._declared)
        names = {*self._declared, *letters(self.source, None)}
        return Splitter(names, several=True, argument="x")

    def _greek_ways(self, name: str) -> list[list[Piece]]:
        """The ways to split cosθ, whose letter no word has."""
        from exprgrad.language.products import Splitter

        letters = {c for c in name if c > "\x7f" and c.isalpha()}
        own = self._declared
        splitters = (Splitter(own, several=True, argument=c) for c in letters)
        return next(filter(None, (splitter.ways(name) for splitter in splitters)), [])

    def _is_called(self, end: int) -> bool:
        """Return whether a bracket comes next, perhaps after blanks."""
        # by hand, since a plain text is read without importing `re`
        source = self.source
        while end < len(source) and source[end].isspace():
            end += 1
        return end < len(source) and source[end] in brackets.CALLING

    def _unknown(self, name: str, span: Span, called: bool) -> None:
        """A name that is neither declared nor known here."""
        if len(name) > 1:
            # 0x10 would be 0 times a variable x10
            behind_zero = self.texts[-1:] == ["0"] == [self.source[span[0] - 1]]
            if name[0] in "xX" and behind_zero:
                both = (span[0] - 1, span[1])
                message = "numbers are decimal here"
                raise ExpressionSyntaxError(message, both, "write 0*x for a product")
            ways = self._ways(name)
            if len(ways) == 1:
                self._split(name, ways[0], span, called)
                return
            if self._known_elsewhere(name, span, called):
                return
        elif called and (
            (name == "D" and not self.kinds)
            or (name in ("D", "d") and _FIRST_ARGUMENT.match(self.source, span[1]))
        ):
            self._add("FUNCTION", DIFF, span)
            return
        elif name == "σ" and called and not _FACTOR_SIGMA.search(self.source):  # fmt: skip
            self.notes.add("call", "σ(...) is read as sigmoid(...)")
            self._add("FUNCTION", "sigmoid", span)
            return
        elif self._lenient:
            self._refuse_call(name, span, called)
            if name == "E" and self.source.startswith(("^", "**"), span[1]):
                self.notes.add("E", "E is a variable; Euler's number is e")
        letters = sum(c.isalpha() for c in name.partition("_")[0])
        if called and letters > 1 and not brackets.INDEX.match(self.source, span[1]):
            from exprgrad.language.products import meant

            if name == "of" and self._words:  # curl of (y, -x)
                name, span = self.texts[self._words[-1]], self.spans[self._words[-1]]
                hint = elsewhere.instead(name) or self._meant(name)
                message = f"the word {shorten(name)} means nothing here"
                raise ExpressionSyntaxError(message, span, hint)
            hint = elsewhere.instead(name) or meant(name, self._declared)
            message = f"there is no function {shorten(name)}"
            raise ExpressionSyntaxError(message, span, hint)
        if self._lenient and len(name) > 1:
            if name.lower() in elsewhere.NOT_NUMBERS:
                message = f"{name} is not a number"
                raise ExpressionSyntaxError(message, span, elsewhere.instead(name))
            self._note_one_name(name, span)
            if elsewhere.is_word(name) or own_name(name):
                self._words.append(len(self.kinds))
        self._add("NAME", name, span)

    def _refuse_call(self, name: str, span: Span, called: bool) -> None:
        """Raise `ExpressionSyntaxError` for f(x), where f is not defined and does not stand alone elsewhere."""
        if not called or len(name) > 1 or name in self._declared:
            return
        if name not in self._alone:
            alone = pattern(rf"(?<!\w){name}(?!\w|\s*[(\[{{])")
            self._alone[name] = alone.search(self.source) is not None
        end = None if self._alone[name] else brackets.closing(self.source, span[1])
        if end is None:
            self._alone[name] = True  # no bracket is looked through twice
            return
        if name not in FUNCTION_LETTERS:
            self._alone[name] = True  # once is enough
            if not brackets.INDEX.match(self.source, span[1]):
                self.notes.add("call", "{} is read as a product", (span[0], end))
            return
        inside = shorten(self.source[span[1] : end])
        product = f"for a product {name}*{inside}"
        hint = f"write the function itself, {name}(x) = x^2; {product}"
        if name == "d":
            hint = f"write d/dx {inside} for the derivative, d*{inside} for a product"
        raise ExpressionSyntaxError(f"{name} is not defined", (span[0], end), hint)

    def _split(self, name: str, way: list[Piece], span: Span, called: bool) -> None:
        """A name as the product, or the call, that it can only be."""
        hint = elsewhere.instead(name)
        if called and hint:
            message = f"there is no function {shorten(name)}"
            raise ExpressionSyntaxError(message, span, hint)
        if called and way[-1][0] == "NUMBER":
            function, number = way[-2][1], way[-1][1]
            message = f"{shorten(name)}(...) can be read in two ways"
            hint = f"write {function}({number}*x) or {function}(x)^{number}"
            raise ExpressionSyntaxError(message, span, hint)
        if way[0][1] in ("log", "lg") and way[1][0] == "NUMBER":
            message = f"{shorten(name)} can be read in two ways"
            hint = f"write log({name[3:]}) for the logarithm of it, log_{name[3:]}(x) for that base"
            raise ExpressionSyntaxError(message, span, hint)
        from exprgrad.language.products import written

        self.notes.add("split", lambda: f"{name} is read as {written(way)}")
        start = span[0]
        for kind, piece in way:
            own = own_name(piece) if kind == "FUNCTION" else None
            self._add(kind, own or piece, (start, start + len(piece)))
            start += len(piece)

    def _known_elsewhere(self, name: str, span: Span, called: bool) -> bool:
        """Take in a name that other programs, or other countries, have for something here; False if it is none."""
        start, end = span
        if _DOT.match(self.source, end):
            # the linalg of np.linalg.norm is not in that list, but stands behind a dot
            if name.lower() in elsewhere.MODULES or start == self._behind_dot:
                if start != self._behind_dot:
                    self._module = start
                self._behind_dot = end + 1
                word = _WORD.match(self.source, end + 1)
                inner = word[0] if word else ""
                # of scipy.special.erf all that stands before erf is told at once
                if not _DOT.match(self.source, last := end + 1 + len(inner)):
                    whole = self.source[self._module : last]
                    self.notes.add("name", "{} is read as {}", whole, inner)
                return True
        elif name in elsewhere.DEGREES and self._ends_value():
            self._add("DEGREE", name, span)
            return True
        elif name in elsewhere.RADIANS and self._ends_value():
            return True
        if constant := elsewhere.CONSTANTS_BY_NAME.get(name):
            self._add("NAME", constant, span)
            self.notes.add("name", "{} is read as {}", name, constant)
            return True
        if called and name.lower() in _DIFF_NAMES:
            self._add("FUNCTION", DIFF, span)
            return True
        own = own_name(name)
        if own is None or not (called or self._is_bare(name, own, end)):
            return False
        if name == "Log" and _BASE_FIRST.match(self.source, end):
            message = "Log[b, x] has its base first, log(x, b) last"
            raise ExpressionSyntaxError(message, span, "write log(x, b)")
        self._add("FUNCTION", own, span)
        if name != own:
            self.notes.add("name", "{} is read as {}", name, own)
        return True

    def _ends_value(self) -> bool:
        """Return whether a number or a bracket stands before."""
        return bool(self.kinds) and self.kinds[-1] in ("NUMBER", "_RPAR")

    def _is_bare(self, name: str, own: str, end: int) -> bool:
        """Return whether the function has an argument without brackets here."""
        if len(name) <= _SHORT_HYPERBOLIC and own.endswith("h"):
            # sh, ch and th are names, too
            return _POWER_AND_MORE.match(self.source, end) is not None
        is_bare = any(operation.bare for operation in named(own).values())
        return is_bare and _FOLLOWED.match(self.source, end) is not None

    def _note_one_name(self, name: str, span: Span) -> None:
        """Note a name that a reader may take for a function and its argument, a product, or a power."""
        if name.lower() == "ans":
            said = "{} is a name here: only a session has a last result"
            self.notes.add("ans", said, name)
            return
        from exprgrad.language.products import might_be

        other = might_be(name)
        if len(name) == 2 and name[1] in "23456789":
            number = self.kinds[-1:] == ["NUMBER"] and self.spans[-1][1] == span[0]
            if number or pattern(rf"(?<![^\W\d_]){name[0]}(?!\w)").search(self.source):
                other = f"{name[0]}^{name[1]} write the sign"
        if other is not None:
            self.notes.add("one name", "{} is one name; for {}", name, other)

    def _check_words(self) -> None:
        """Ask about words that are merely put beside something, which nobody means as a product."""
        for place in self._words:
            word, span = self.texts[place], self.spans[place]
            before = self.kinds[place - 1] if place else ""
            follows = self.kinds[place + 1] in _BEGINS_OPERAND
            hint = elsewhere.instead(word)
            rows = [*named(own_name(word) or "").values()]  # none of a sign: "negative"
            if rows and follows and not hint:
                hint = f"write {rows[0].signature}"
                raise ExpressionSyntaxError(f"{word} needs brackets", span, hint)
            if not elsewhere.is_word(word):
                continue
            raised = "_POWER" in self.kinds[place - 2 : place]
            behind = before in self.operands and before != "NUMBER"
            # what is near a name of the problem is a slip, which its comparison names
            counted = before == "NUMBER" and word != "at" and not similar(word, self._declared)  # fmt: skip
            if follows or raised or counted or behind:
                message = f"the word {shorten(word)} stands beside something else"
                raise ExpressionSyntaxError(message, span, hint or self._meant(word))

    def _meant(self, word: str) -> str:
        """Return what may have been meant by a word that nobody knows."""
        if word.lower() in elsewhere.SPOKEN:
            return f"write {elsewhere.SPOKEN[word.lower()]} for {word}"
        words = [w for w in self.source.split() if elsewhere.is_word(w) and not is_function(w, called=True)]  # fmt: skip
        if len(words) > 1:
            return elsewhere.ALONE
        close = similar(word, (*function_names(), *_VERBS))
        product = f"or write * before or behind {shorten(word)} for a product"
        return f"did you mean {close}? {product}" if close else product[3:]


class _Group:
    """An open bracket, and the bars in it: the open ones, and whether nothing but values follows the last closed one."""

    def __init__(self, text: str, span: Span) -> None:
        self.text, self.span = text, span
        self.bars: list[Span] = []
        self.is_bar_last = False

    def check_bars(self) -> None:
        if self.bars:
            hint = "add |, or write abs(...)"
            raise ExpressionSyntaxError("this bar is never closed", self.bars[-1], hint)
