r"""LaTeX to the tokens of `grammars/latex.lark`, with everything settled that takes more than the letters of a token.

Arguments of commands and exponents get brackets, and so do arguments of functions without them, and what a derivative
takes; a name gets its subscript; bars are paired; layout and macros are gone. A bare argument ends as in text: at the
next function or sign, and before a bracket once it holds a name. What could be meant otherwise is noted, what could
be anything is refused, with its place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language.lalr import END
from exprgrad.language.latex import commands, tex
from exprgrad.language.latex.arguments import ENDS_FACTOR, Arguments
from exprgrad.language.latex.formulas import LONGEST_HEAD, head_of
from exprgrad.language.notes import Notes, shorten
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import CONSTANTS, did_you_mean

_ENDS_OPERAND = frozenset("NUMBER NAME _RPAR CLOSE _BANG DEGREE PRIMES _RARRAY".split())
_LOOSE_BEFORE = frozenset(
    ("", "_LPAR", "OPEN", "_PLUS", "_COMMA", "_ROW", "_EQ", "_LT", "_LE", "_GT", "_GE", "_NE", "_CASES", "_LARRAY")
)  # fmt: skip
_DIFFERENTIALS = frozenset(("d", "\\partial", "\\differentialD"))
_HIDDEN = re.compile(
    r"(?:arc)?(?:sin|cos|tan|sec|csc|cot)h?|exp|log|sqrt|max|min|abs|lim|^ln|ln$|^pi$"
)


class TextPerhaps(ExpressionSyntaxError):
    """Something that TeX prints otherwise than it was meant, in what may be text with braces: rate*x^{2}."""


class _Frame:
    """A group that is open, or a command that waits for arguments."""

    __slots__ = (
        "bars",
        "below",
        "closed",
        "jump",
        "kind",
        "listed",
        "opened",
        "over",
        "part",
        "role",
        "span",
        "sums",
        "wanted",
    )

    def __init__(self, kind: str, span: Span, role: str = "", wanted: int = 0) -> None:
        self.kind, self.span, self.role, self.wanted = kind, span, role, wanted
        self.bars: list[int] = []
        self.closed = False
        self.listed = False
        self.over = False
        self.below = False
        self.sums = False
        self.jump = 0
        self.opened = 0
        self.part = 0


class LatexTokens:
    """Parallel lists of the terminals' names, texts and spans; `sides` are those between the `=` of a chain.

    `declared` are names of variables; with them x(t) can only be a product.
    """

    __slots__ = (
        "_bracketed",
        "_closed_by",
        "_declared",
        "_differential",
        "_ends",
        "_exponents",
        "_fonts",
        "_frames",
        "_loose",
        "_over",
        "_pairs",
        "_plain",
        "_raw",
        "_runs",
        "_shape",
        "head",
        "kinds",
        "notes",
        "source",
        "spans",
        "texts",
    )

    def __init__(
        self,
        source: str,
        declared: Collection[str] = (),
        macros: tex.Macros | None = None,
    ) -> None:
        self.source = source
        self.notes = Notes(source)
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.spans: list[Span] = []
        self._declared = frozenset(declared)
        self._frames: list[_Frame] = [_Frame("", (0, 0))]
        self._pairs: dict[int, int] = {}
        self._over: dict[int, int] = {}
        self._shape: dict[int, tuple[bool, bool]] = {}
        self._loose: list[tuple[int, int]] = []
        self._exponents: dict[int, int] = {}
        self._closed_by: set[int] = set()
        self._bracketed: dict[int, int] = {}
        self._fonts: dict[str, str] = {}
        self._ends: dict[int, int] = {}
        self._runs = 0
        self._plain = "\\" not in source and "$" not in source
        self._raw = _unwrapped(tex.expanded(source, macros))
        self.head = self._without_head()
        self._survey()
        self._scan()

    def sides(self) -> list[tuple[list[str], list[str], list[Span]]]:
        """The tokens of each side of a chain, with brackets around bare arguments."""
        return [self._side(start, end) for start, end in self._places()]

    def _places(self) -> list[Span]:
        places, start, depth = [], 0, 0
        for i, kind in enumerate(self.kinds):
            if kind in ("_LPAR", "OPEN", "_CASES", "_LARRAY"):
                depth += 1
            elif kind in ("_RPAR", "CLOSE", "_RARRAY"):
                depth -= 1
            elif kind == "_EQ" and depth == 0:
                places.append((start, i))
                start = i + 1
        return [*places, (start, len(self.kinds))]

    # What is around the tokens

    def _without_head(self) -> Span | None:
        r"""Take out what names the first side of a chain: y', f(x), \\frac{dy}{dx}; its span."""
        depth = 0
        for i, (_, text, _, end) in enumerate(self._raw[:LONGEST_HEAD]):
            if text == "=" and depth == 0:
                if head_of(self._raw[:i]) is None:
                    return None
                span = self._raw[0][2], end
                del self._raw[: i + 1]
                return span
            depth += (text in commands.OPENING) - (text in commands.CLOSING)
        return None

    def _survey(self) -> None:
        r"""Where the fractions of \\over are, and what shape the tables have."""
        opened: list[int] = [-1]
        for i, token in enumerate(self._raw):
            text = token[1]
            if text == "{" or text in ("\\left", "\\begin"):
                opened.append(i)
                if text == "\\begin":
                    self._shape[i] = False, False
            elif text == "}" or text in ("\\right", "\\end"):
                if len(opened) > 1:
                    opened.pop()
            elif text in ("\\over", "\\choose", "\\atop", "\\above"):
                if opened[-1] in self._over:
                    raise ExpressionSyntaxError(
                        f"two {text} in one group", token[2:], "put braces around one"
                    )
                self._over[opened[-1]] = i
            elif text in ("&", "\\\\") and opened[-1] in self._shape:
                columns, rows = self._shape[opened[-1]]
                rows = rows or (text != "&" and not self._is_last_row(i))
                self._shape[opened[-1]] = columns or text == "&", rows

    def _is_last_row(self, i: int) -> bool:
        return i + 1 < len(self._raw) and self._raw[i + 1][1] == "\\end"

    def _next(self, i: int) -> str:
        """The text of a token that was not read yet."""
        return self._raw[i][1] if i < len(self._raw) else ""

    def _add(self, kind: str, text: str, span: Span) -> int:
        self.kinds.append(kind)
        self.texts.append(text)
        self.spans.append(span)
        return len(self.kinds) - 1

    def _after_operand(self) -> bool:
        return bool(self.kinds) and self.kinds[-1] in _ENDS_OPERAND

    # The tokens one after the other

    def _scan(self) -> None:
        top = self._frames[0]
        if -1 in self._over:
            self._open_fraction(top, -1, (0, 0))
        i = 0
        while i < len(self._raw):
            if self._frames[-1].kind == "arguments":
                i = self._argument(i)
            else:
                i = self._one(i)
        frame = self._frames[-1]
        if frame.kind == "arguments":
            raise ExpressionSyntaxError(
                f"{frame.role} needs an argument", frame.span, "put it in braces"
            )
        self._check_bars(frame)
        if frame is not top:
            closes = {**commands.CLOSES, "\\root": "\\of"}
            close = closes.get(frame.kind, f"\\end{{{frame.role}}}")
            shown = f"\\begin{{{frame.role}}}" if frame.kind == "\\begin" else repr(frame.kind).replace("\\\\", "\\")  # fmt: skip
            raise ExpressionSyntaxError(
                f"this {shown} is never closed", frame.span, f"add {close}"
            )
        if top.over:
            self._close_fraction(top, (len(self.source), len(self.source)))

    def _one(self, i: int) -> int:
        """Take in the token at that place; where the next one is."""
        kind, text, start, end = self._raw[i]
        span = start, end
        if kind == "NAME":
            return self._name(i)
        if kind == "NUMBER":
            return self._number(i)
        if kind == "WORD":
            return self._word(i)
        if text == "{" and self._next(i + 1) == "@" and self._next(i + 2) == "}":
            self._add("_MATMUL", "@", (start, self._raw[i + 2][3]))
            return i + 3
        if text in commands.OPENING:
            return self._open(i, commands.OPENING[text])
        if text in commands.CLOSING:
            return self._close(i, commands.CLOSING[text])
        if text in commands.BARS:
            self._bar(i, commands.BARS[text])
            return i + 1
        if kind == "COMMAND":
            return self._command(i)
        if kind == "_POWER":
            return self._power(i)
        if kind == "_BASE":
            return self._subscripted(i)
        if kind == "_ROW":
            return self._ampersand(i)
        if kind in ("_PLUS", "_MINUS"):
            self._frames[-1].sums = True
        elif kind == "_OVER" and self._after_operand():
            pass
        elif kind == "PRIMES":
            return self._primes(i)
        elif kind == "_COMMA":
            return self._comma(i)
        elif kind == "UNKNOWN":
            return self._strange(i)
        self._operator()
        self._add(kind, text, span)
        return i + 1

    def _operator(self) -> None:
        self._frames[-1].closed = False

    def _comma(self, i: int) -> int:
        _, text, start, end = self._raw[i]
        frame = self._frames[-1]
        if frame.kind == "\\begin" and self._next(i + 1) in ("\\\\", "\\end", "&"):
            return i + 1
        if frame.kind == "[":
            frame.listed = True
        self._operator()
        self._add("_COMMA", text, (start, end))
        return i + 1

    def _strange(self, i: int) -> int:
        _, text, start, end = self._raw[i]
        if text == ":" and self._next(i + 1) == "=":
            return i + 1
        if text in ".;:" and i + 1 == len(self._raw):
            return i + 1
        if text == "." and self.kinds[-1:] == ["NUMBER"] == [self._raw[i - 1][0]]:
            return i + 1  # 5.
        if text == "." and self._next(i + 1) in ("\\end", "\\\\", "\\right"):
            return i + 1
        hint = {"$": "give one formula", "#": None, '"': None}.get(text)
        raise ExpressionSyntaxError(
            f"{text!r} is not part of a formula", (start, end), hint
        )

    def _ampersand(self, i: int) -> int:
        _, _, start, end = self._raw[i]
        frame = self._frames[-1]
        if frame.kind == "\\begin" and frame.role in commands.CASES:
            if self.kinds[-1] != "_COMMA":
                self._add("_COMMA", "&", (start, end))
            return i + 1
        if frame.kind == "\\begin":
            self._check_bars(frame)
            self._add("_COMMA", "&", (start, end))
            return i + 1
        if len(self._frames) > 1:
            raise ExpressionSyntaxError(
                "'&' does not belong here", (start, end), "close the brackets before it"
            )
        if self._next(i + 1) == "&" and self._raw[i + 2 : i + 3] and self._raw[i + 2][0] == "WORD":  # fmt: skip
            return i + 3  # a remark
        return i + 1  # the mark of an alignment

    # Arguments

    def _expect(self, count: int, role: str, span: Span) -> None:
        self._frames.append(_Frame("arguments", span, role, count))

    def _argument(self, i: int) -> int:
        """Take in one argument of a command: a group or a single token."""
        frame = self._frames[-1]
        kind, text, start, end = self._raw[i]
        span = start, end
        power = frame.role in ("^", "_")
        if text == "{":
            return self._open(i, "{", "argument")
        if kind == "NUMBER":
            if len(text) > 1:
                if (power and frame.span[1] == start) or "." in text[:2]:
                    raise self._unclear_digits(frame, text, span)
                middle = start + 1 if end - start == len(text) else end
                self._raw[i] = kind, text[1:], min(middle, end - 1), end
                i -= 1
                end = middle
            self._add("_LPAR", "{", (start, start))
            self._add("NUMBER", text[0], (start, end))
            self._group_closed(len(self.kinds) - 2, self._add("_RPAR", "}", (end, end)))
            self._argument_done()
            return i + 1
        if kind == "COMMAND" and self._takes_arguments(text):
            self._frames.append(_Frame("wrap", span))
            self._frames[-1].opened = self._add("_LPAR", "{", span)
            i = self._one(i)
            if self._frames[-1].kind == "wrap":  # it had no arguments to wait for
                self._argument_done()
            return i
        letter = kind in ("NAME", "WORD") or (
            kind == "COMMAND"
            and (commands.letters(text) or text in commands.EULER)
            and text not in commands.REFUSED
        )
        if not letter:
            raise self._no_argument(frame, text, span)
        opened = self._add("_LPAR", "{", (start, start))
        if kind == "NAME":
            self._plain_name(text, (text,), span)
            i += 1
        elif kind == "WORD":
            i = self._word(i, alone=True)
        else:
            i = self._letter(i, alone=True)
        self._group_closed(opened, self._add("_RPAR", "}", (end, end)))
        self._argument_done()
        return i

    def _unclear_digits(
        self, frame: _Frame, text: str, span: Span
    ) -> ExpressionSyntaxError:
        sign = frame.role if frame.role in ("^", "_") else ""
        return ExpressionSyntaxError(
            f"TeX takes only the first digit, so this prints as {text[0]} and then {text[1:]}",
            (span[0] - len(sign), span[1]),
            f"write {sign}{{{text}}} for all of it, {sign}{{{text[0]}}}\\cdot {text[1:]} for a product",
        )

    def _no_argument(
        self, frame: _Frame, text: str, span: Span
    ) -> ExpressionSyntaxError:
        if text in commands.REFUSED:
            return self._refused(text, span)
        if frame.role == "^":
            return self._doubtful(
                "TeX takes only one sign as the exponent",
                span,
                "put the exponent in braces: x^{...}",
            )
        return ExpressionSyntaxError(
            f"{text!r} cannot be the argument of {frame.role}".replace("\\\\", "\\"),
            span,
            "put the argument in braces",
        )

    def _takes_arguments(self, text: str) -> bool:
        return (
            text in commands.FRACTIONS
            or text in commands.CHOOSING
            or text in ("\\sqrt", "\\root")
            or text in commands.FONTS
            or text in commands.ACCENTS
        )

    def _argument_done(self) -> None:
        """One argument is complete; with the last one, so is what it belongs to."""
        while True:
            frame = self._frames[-1]
            if frame.kind == "wrap":
                self._frames.pop()
                end = self.spans[-1][1]
                self._group_closed(frame.opened, self._add("_RPAR", "}", (end, end)))
                continue
            if frame.kind != "arguments":
                return
            frame.wanted -= 1
            if frame.wanted:
                return
            self._frames.pop()
            if self._frames[-1].kind != "wrap":
                return

    def _group_closed(self, opened: int, closed: int) -> None:
        self._pairs[opened] = closed

    # Brackets

    def _open(self, i: int, kind: str, role: str = "") -> int:
        _, _text, start, end = self._raw[i]
        span = start, end
        frame = _Frame(kind, span, role)
        if kind in commands.AROUND:
            self._add("FUNCTION", commands.AROUND[kind], span)
        if kind == "{" and i in self._over and not role:
            operator = self._over_derivative(i)
            if operator is not None:
                return operator
        frame.opened = self._add("_LPAR", kind, span)
        self._frames.append(frame)
        if kind == "{" and i in self._over:
            self._open_fraction(frame, i, span)
        return i + 1

    def _close(self, i: int, kind: str) -> int:
        _, text, start, end = self._raw[i]
        span = start, end
        frame = self._frames[-1]
        if frame.kind == "arguments":
            raise ExpressionSyntaxError(
                f"{frame.role} needs an argument", frame.span, "put it in braces"
            )
        if frame.kind in ("", "\\begin", "\\root", "wrap"):
            raise ExpressionSyntaxError(
                f"this {text} closes nothing",
                span,
                "remove it, or open a bracket before it",
            )
        self._check_bars(frame)
        if frame.kind != kind:
            raise ExpressionSyntaxError(
                f"{frame.kind} is closed by {text}",
                span,
                f"close it with {commands.CLOSES[frame.kind]}",
            )
        self._frames.pop()
        if frame.over:
            self._close_fraction(frame, span)
        if frame.jump:
            span = start, self._raw[frame.jump - 1][3]
        closed = self._add("_RPAR", text, span)
        self._group_closed(frame.opened, closed)
        if frame.listed and self.kinds[: frame.opened][-1:] != ["FUNCTION"]:
            self.kinds[frame.opened], self.kinds[closed] = "_LARRAY", "_RARRAY"
        if kind == "{" and frame.role == "" and not frame.over and frame.sums:
            self._loose.append((frame.opened, closed))
        if frame.role == "argument":
            self._argument_done()
        return frame.jump or i + 1

    def _open_fraction(self, frame: _Frame, i: int, span: Span) -> None:
        r"""The beginning of a group that is split by \\over."""
        command = self._raw[self._over[i]]
        if command[1] in ("\\atop", "\\above"):
            raise ExpressionSyntaxError(f"{command[1]} is not read", command[2:])
        frame.over = True
        self._add("_FRAC" if command[1] == "\\over" else "_CHOOSE", command[1], span)
        frame.part = self._add("_LPAR", "{", (span[1], span[1]))

    def _over_sign(self, i: int) -> int:
        _, text, start, end = self._raw[i]
        frame = self._frames[-1]
        if not frame.over or frame.below:
            raise ExpressionSyntaxError(
                f"{text} stands inside brackets that are not closed before it",
                (start, end),
                "put braces around the fraction",
            )
        self._check_bars(frame)
        self._group_closed(frame.part, self._add("_RPAR", "}", (start, start)))
        frame.below = True
        frame.part = self._add("_LPAR", "{", (end, end))
        return i + 1

    def _close_fraction(self, frame: _Frame, span: Span) -> None:
        self._group_closed(frame.part, self._add("_RPAR", "}", (span[0], span[0])))

    def _bar(self, i: int, way: str) -> None:
        _, _, start, end = self._raw[i]
        span = start, end
        frame = self._frames[-1]
        after = self._after_operand()
        if self._next(i + 1) in ("_", "^") and not frame.bars:
            raise ExpressionSyntaxError(
                "values put in behind a bar are not read",
                span,
                "put the value into the formula",
            )
        if way == "close" or (way == "" and after and frame.bars):
            if not frame.bars:
                raise ExpressionSyntaxError(
                    "this bar closes nothing", span, "open one before it"
                )
            self._group_closed(frame.bars.pop(), self._add("CLOSE", "|", span))
            frame.closed = True
            return
        if way == "" and after and frame.closed and self.kinds[-1] != "CLOSE":
            raise ExpressionSyntaxError(
                "these bars can be paired in two ways",
                span,
                r"write \lvert and \rvert, or \left| and \right|",
            )
        frame.bars.append(self._add("OPEN", "|", span))

    def _check_bars(self, frame: _Frame) -> None:
        if frame.bars:
            raise ExpressionSyntaxError(
                "this bar is never closed", self.spans[frame.bars[-1]], "add |"
            )

    # Commands

    def _command(self, i: int) -> int:
        _, text, start, end = self._raw[i]
        span = start, end
        if text in commands.SIGNS:
            self._operator()
            self._add(commands.SIGNS[text], text, span)
            return i + 1
        if text in commands.FRACTIONS:
            found = self._derivative(i)
            if found is not None:
                return found
            self._add("_FRAC", text, span)
            self._expect(2, text, span)
            return i + 1
        if text in commands.CHOOSING:
            self._add("_CHOOSE", text, span)
            self._expect(2, text, span)
            return i + 1
        if text == "\\sqrt":
            return self._root(i)
        if text == "\\root":
            self._add("_ROOT", text, span)
            self._expect(1, text, span)
            frame = _Frame("\\root", span)
            frame.opened = self._add("_LPAR", "{", (end, end))
            self._frames.append(frame)
            return i + 1
        if text == "\\of" and self._frames[-1].kind == "\\root":
            frame = self._frames.pop()
            self._group_closed(frame.opened, self._add("_RPAR", "}", span))
            return i + 1
        if text in ("\\left", "\\right", "\\mleft", "\\mright", "\\middle"):
            return self._delimiter(i)
        if text[1:] in _BIG:
            return self._sized(i)
        if text in ("\\over", "\\choose"):
            return self._over_sign(i)
        if text in ("\\begin", "\\end"):
            return self._environment(i)
        if text == "\\\\":
            return self._row(i)
        if text in commands.FONTS or text in commands.ACCENTS:
            return self._dressed(i)
        if text == "\\abs":
            self._add("FUNCTION", "abs", span)
            self._expect(1, text, span)
            return i + 1
        if text in ("\\partial", "\\differentialD"):
            found = self._inline_derivative(i)
            if found is not None:
                return found
        if text == "\\Delta":
            return self._change(i)
        if commands.letters(text) or text in commands.EULER:
            return self._letter(i)
        if text in commands.REFUSED:
            raise self._refused(text, span)
        called = self._is_called(i + 1)
        own = commands.function(text[1:], called) if text[1:].isalpha() else None
        if own is not None and text[1:] != "gamma":
            return self._function(own, i)
        raise self._unknown(text, span)

    def _refused(self, text: str, span: Span) -> ExpressionSyntaxError:
        message, hint = commands.REFUSED[text]
        return ExpressionSyntaxError(message, span, hint)

    def _unknown(self, text: str, span: Span) -> ExpressionSyntaxError:
        known = [*_KNOWN, *("\\" + name for name in _bare_names())]
        hint = did_you_mean(
            text[:20], known, f"define it: \\newcommand{{{text}}}{{...}}"
        )
        return ExpressionSyntaxError(f"{shorten(text)} is not known here", span, hint)

    def _is_called(self, i: int) -> bool:
        """Whether a bracket comes next, with its size or without."""
        while self._next(i) in ("\\left", "\\mleft") or self._next(i)[1:] in _BIG:
            i += 1
        if self._next(i) == "{" and self._next(i + 1) in ("\\left", "("):
            return True
        if self._next(i) in ("^", "_"):
            return True
        return self._next(i) in ("(", "[", "\\{", "\\lbrack", "\\lbrace", "\\lparen")

    def _function(self, name: str, i: int) -> int:
        _, _, start, end = self._raw[i]
        self._add("FUNCTION", name, (start, end))
        return i + 1

    def _root(self, i: int) -> int:
        _, text, start, end = self._raw[i]
        span = start, end
        if self._next(i + 1) != "[":
            self._add("_SQRT", text, span)
            self._expect(1, text, span)
            return i + 1
        self._add("_ROOT", text, span)
        self._expect(1, text, span)
        return self._open(i + 1, "[")

    def _delimiter(self, i: int) -> int:
        r"""\\left or \\right, and the bracket behind it."""
        _, text, start, end = self._raw[i]
        opens = text in ("\\left", "\\mleft")
        sign = self._next(i + 1)
        if sign:  # the bracket begins where its size does
            kind, _, _, last = self._raw[i + 1]
            self._raw[i + 1] = kind, sign, start, last
        if sign == "." or (sign.startswith(".") and self._raw[i + 1][0] == "NUMBER"):
            raise ExpressionSyntaxError(
                "a bracket without its other half is not read",
                (start, self._raw[i + 1][3]),
                "values put in behind a bar are not read" if opens else None,
            )
        if text == "\\middle" or not sign:
            raise ExpressionSyntaxError(
                f"{text} is not read here", (start, end), "give one expression"
            )
        if sign in ("|", "\\vert", "\\lvert", "\\rvert", "\\mid"):
            self._bar(i + 1, "open" if opens else "close")
            return i + 2
        if sign in commands.OPENING and opens:
            after = self._open(i + 1, commands.OPENING[sign])
            if i in self._over:
                self._open_fraction(self._frames[-1], i, self.spans[-1])
            return after
        if sign in commands.CLOSING and not opens:
            return self._close(i + 1, commands.CLOSING[sign])
        if sign in commands.REFUSED:
            raise self._refused(sign, self._raw[i + 1][2:])
        raise ExpressionSyntaxError(
            f"{sign} cannot stand behind {text}", (start, self._raw[i + 1][3])
        )

    def _sized(self, i: int) -> int:
        r"""\\bigl or \\Biggr, which say whether a bar opens or closes."""
        way = {"l": "open", "r": "close"}.get(self._raw[i][1][-1], "")
        if self._next(i + 1) in ("|", "\\vert", "\\lvert", "\\rvert"):
            self._bar(i + 1, way)
            return i + 2
        return i + 1

    def _environment(self, i: int) -> int:
        _, text, start, _ = self._raw[i]
        inside, after = tex.argument(self._raw, i + 1)
        name = "".join(token[1] for token in inside).rstrip("*")
        span = start, self._raw[min(after, len(self._raw)) - 1][3]
        if name in commands.ENVIRONMENTS:
            if name.startswith("alignat") or name == "alignedat":
                _, after = tex.argument(self._raw, after)
            return after
        if text == "\\end":
            return self._end(name, span, after)
        frame = _Frame("\\begin", span, name)
        if name in commands.CASES:
            frame.opened = self._add("_CASES", text, span)
        elif name in commands.MATRICES:
            if name == "array":
                _, after = tex.argument(self._raw, after)
            frame.opened = self._add("_LARRAY", text, span)
            frame.sums = all(self._shape.get(i, (False, False)))
            if frame.sums:
                frame.part = self._add("_LARRAY", "row", span)
        else:
            raise ExpressionSyntaxError(
                f"the environment {shorten(name)} is not read", span
            )
        self._frames.append(frame)
        return after

    def _end(self, name: str, span: Span, after: int) -> int:
        frame = self._frames[-1]
        if frame.kind != "\\begin" or frame.role != name:
            raise ExpressionSyntaxError(
                f"\\end{{{shorten(name)}}} closes nothing", span, "remove it"
            )
        self._check_bars(frame)
        self._frames.pop()
        if self.kinds[-1] == "_ROW":
            del self.kinds[-1], self.texts[-1], self.spans[-1]
        if name in commands.CASES:
            self._group_closed(frame.opened, self._add("_RPAR", "}", span))
        else:
            if frame.sums:
                self._group_closed(frame.part, self._add("_RARRAY", "row", span))
            self._group_closed(frame.opened, self._add("_RARRAY", "]", span))
        return after

    def _row(self, i: int) -> int:
        r"""\\, between the rows of a table or of an alignment."""
        _, _, start, end = self._raw[i]
        frame = self._frames[-1]
        span = start, end
        if self._next(i + 1) == "[" and re.fullmatch(r"[0-9.]+", self._next(i + 2)):
            return self._row_with_gap(i)
        if frame.kind == "\\begin":
            self._check_bars(frame)
            if frame.role in commands.CASES:
                self._add("_ROW", "\\\\", span)
            elif self._next(i + 1) != "\\end":
                if frame.sums:
                    self._group_closed(frame.part, self._add("_RARRAY", "row", span))
                self._add("_COMMA", "\\\\", span)
                if frame.sums:
                    frame.part = self._add("_LARRAY", "row", span)
            return i + 1
        j = i + 1
        while self._next(j) == "&":
            j += 1
        goes_on = self._next(j) in ("", "=", "+", "-", "\\cdot", "\\times", "\\end", "\\]")  # fmt: skip
        if len(self._frames) > 1 or not (goes_on or not self._after_operand()):
            raise self._refused("\\\\", span)
        return i + 1

    def _row_with_gap(self, i: int) -> int:
        j = i + 1
        while j < len(self._raw) and self._next(j) != "]":
            j += 1
        self._raw[j] = self._raw[i]
        return j

    def _dressed(self, i: int) -> int:
        """A letter in another alphabet, or with an accent."""
        _, command, start, _ = self._raw[i]
        inside, after = tex.argument(self._raw, i + 1)
        if len(inside) == 3 and inside[0][1] == "{":
            inside = inside[1:2]
        end = self._raw[min(after, len(self._raw)) - 1][3]
        span = start, end
        names: tuple[str, ...] = ()
        if len(inside) == 1:
            kind, text = inside[0][:2]
            names = (text,) if kind in ("NAME", "WORD") else commands.letters(text)
        if not names:
            raise ExpressionSyntaxError(
                f"{command} is read with one letter only", span, "leave it out"
            )
        if command in commands.ACCENTS:
            accent = commands.ACCENTS[command]
            names = tuple(f"{name}_{accent}" for name in names)
        elif self._fonts.setdefault(names[0], command) != command:
            raise ExpressionSyntaxError(
                f"{names[0]} stands in two alphabets here", span, "use one of them"
            )
        return self._named(names, span, after)

    # Names

    def _name(self, i: int) -> int:
        """A letter, or several of them that are a word."""
        _, text, start, end = self._raw[i]
        if i >= self._runs:
            found = self._run(i)
            if found is not None:
                return found
        if text == "d" and "d" not in self._declared:
            found = self._inline_derivative(i)
            if found is not None:
                return found
            self._refuse_differential(i, i + 1, (start, end))
        if self._fonts.setdefault(text, "") != "":
            raise ExpressionSyntaxError(
                f"{text} stands in two alphabets here", (start, end), "use one of them"
            )
        return self._named((text,), (start, end), i + 1)

    def _run(self, i: int) -> int | None:
        """Letters side by side that are one word: a declared name or a function. Others stand alone, with a note."""
        j = i + 1
        raw = self._raw
        while j < len(raw) and raw[j][0] == "NAME" and raw[j][2] == raw[j - 1][3]:
            j += 1
        self._runs = j
        if j == i + 1:
            return None
        if j - i > 40:
            j = i + 40
        word = "".join(token[1] for token in raw[i:j])
        span = raw[i][2], raw[j - 1][3]
        if word in self._declared:
            return self._named((word,), span, j)
        if self._declared.issuperset(word):
            return None
        called = self._is_called(j)
        own = commands.function(word, called) if len(word) > 1 else None
        if own is not None and (called or self._next(j)):
            if not self._plain:
                self.notes.add("word", lambda: f"{word} is read as \\{word}")
            self._runs = j
            self._add("FUNCTION", own, span)
            return j
        hidden = _HIDDEN.search(word)
        if hidden is not None:
            raise self._doubtful(
                f"{shorten(word)} prints as a product of letters",
                span,
                f"write \\{hidden[0]} for that",
            )
        if self._plain and len(word) > 2:
            raise self._doubtful(
                f"{shorten(word)} may be one name or a product here",
                span,
                f"write \\mathrm{{{shorten(word)}}} for one name, {' '.join(word[:9])} for a product",
            )
        if len(word) > 2 and "d" not in word[:-1]:
            self.notes.add(
                "letters",
                lambda: f"{shorten(word)} is read as {shorten('*'.join(word))}",
            )
        return None

    def _doubtful(self, message: str, span: Span, hint: str) -> ExpressionSyntaxError:
        """An error at what is no TeX, and may be text where there is no backslash."""
        kind = TextPerhaps if self._plain else ExpressionSyntaxError
        return kind(message, span, hint)

    def _refuse_differential(self, i: int, j: int, span: Span) -> None:
        """Raise `ExpressionSyntaxError` for dx and du as factors."""
        if j < len(self._raw):
            kind, text, _, end = self._raw[j]
            if kind == "NAME" or commands.letters(text):
                raise ExpressionSyntaxError(
                    f"d{text} is a differential, which is not read as a factor",
                    (span[0], end),
                    f"write \\frac{{d}}{{d{text}}} for a derivative, d \\cdot {text} for a product",
                )

    def _letter(self, i: int, alone: bool = False) -> int:
        _, text, start, end = self._raw[i]
        span = start, end
        if text in commands.EULER:
            self._add("NAME", "e", span)
            return i + 1
        names = commands.letters(text)
        if text.startswith("\\var") and f"\\{names[0]}" in self.source:
            names = names[1], names[0]
        if alone:
            self._plain_name(names[0], names, span)
            return i + 1
        own = _LETTERS_OF_FUNCTIONS.get(text)
        if own and self._is_called(i + 1) and not self._declared.intersection(names):
            self.notes.add("name", lambda: f"{text} is read as the function {own}")
            return self._function(own, i)
        return self._named(names, span, i + 1)

    def _change(self, i: int) -> int:
        r"""\\Delta x, which is one name."""
        _, _, start, end = self._raw[i]
        if i + 1 < len(self._raw):
            kind, text, _, after = self._raw[i + 1]
            if kind == "NAME" or commands.letters(text):
                of = text if kind == "NAME" else commands.letters(text)[0]
                return self._named((f"Δ{of}", f"Delta{of}"), (start, after), i + 2)
        return self._named(("Delta", "Δ"), (start, end), i + 1)

    def _word(self, i: int, alone: bool = False) -> int:
        _, word, start, end = self._raw[i]
        span = start, end
        frame = self._frames[-1]
        if frame.kind == "\\begin" and frame.role in commands.CASES:
            if word in commands.OTHERWISE:
                if self.kinds[-1] != "_COMMA":
                    self._add("_COMMA", ",", span)
                self._add("OTHERWISE", word, span)
                return i + 1
            if word in commands.CONDITIONS:
                if self.kinds[-1] != "_COMMA":
                    self._add("_COMMA", ",", span)
                return i + 1
            if word in ("and", "or"):
                self._add(f"_{word.upper()}", word, span)
                return i + 1
        if word == "d":
            found = self._inline_derivative(i)
            if found is not None:
                return found
            self._refuse_differential(i, i + 1, span)
        if word in ("i", "j") and word not in self._declared:
            raise ExpressionSyntaxError("complex numbers are not computed", span)
        called = self._is_called(i + 1)
        own = commands.function(word, called)
        if own is not None and word not in self._declared and not alone:
            self._add("FUNCTION", own, span)
            return i + 1
        behind_number = self.kinds[-1:] == ["NUMBER"]
        if behind_number and word in commands.UNITS and word not in self._declared:
            raise ExpressionSyntaxError(
                f"{word} looks like a unit, and units are not read",
                span,
                "give numbers without units",
            )
        if not word.isidentifier() or word in _NO_NAMES:
            raise ExpressionSyntaxError(
                f"{shorten(word)!r} is not part of a formula",
                span,
                "leave the words out",
            )
        operator = self.source.startswith("\\operatorname", span[0])
        known = word in self._declared or (
            self._next(i + 1) == "_"
            and any(name.startswith(f"{word}_") for name in self._declared)
        )
        if (called or operator) and len(word) > 1 and not known:
            raise ExpressionSyntaxError(
                f"there is no function {shorten(word)}",
                span,
                did_you_mean(word[:20], _bare_names(), "give its formula", "\\"),
            )
        if alone:
            self._plain_name(word, (word,), span)
            return i + 1
        return self._named((word,), span, i + 1)

    def _named(self, names: Sequence[str], span: Span, i: int) -> int:
        """A name with the subscript that follows it."""
        start = span[0]
        end = span[1]
        subscript = ""
        if self._next(i) == "_":
            subscript, i = self._subscript(i)
            end = self._raw[i - 1][3]
        if self._next(i).startswith(("'", "’", "′")) or self._has_prime(i):
            raise ExpressionSyntaxError(
                f"{names[0]} is not defined as a function here",
                (start, self._raw[min(i, len(self._raw) - 1)][3]),
                f"give the function: {names[0]} = ...",
            )
        if subscript:
            names = [
                *(f"{name}_{subscript}" for name in names),
                *(f"{name}{subscript}" for name in names),
            ]
        place = self._plain_name(names[0], names, (start, end))
        if self._next(i) == "^" and self._next(i + 1) == "{":
            self._check_order(place, i)
        return i

    def _has_prime(self, i: int) -> bool:
        if self._next(i) != "^":
            return False
        return self._next(i + 1) == "\\prime" or (
            self._next(i + 1) == "{"
            and self._next(i + 2) in ("\\prime", "'", "''", "'''")
        )

    def _check_order(self, place: int, i: int) -> None:
        """Refuse f^{(3)}, the third derivative of what is not defined."""
        if self._next(i + 2) != "(":
            return
        name = self.texts[place]
        number = self._raw[i + 3][0] == "NUMBER" if i + 3 < len(self._raw) else False
        close = i + 4
        while close < min(len(self._raw), i + 40) and self._next(close) != ")":
            close += 1
        whole = self._next(close + 1) == "}"
        called = self._next(close + 2) in ("(", "\\left", "\\big")
        if name in CONSTANTS or not whole:
            return
        if name in self._declared:
            self.notes.add(
                "power of a name",
                lambda: f"{name} is a variable, so its superscript is an exponent",
            )
        elif (number and self._next(i + 4) == ")") or called:
            raise ExpressionSyntaxError(
                f"{name} is not defined as a function here",
                (self.spans[place][0], self._raw[close][3]),
                f"give the function: {name}(x) = ...",
            )

    def _plain_name(self, name: str, names: Sequence[str], span: Span) -> int:
        """A name, spelt as it was declared."""
        if self._declared:
            name = next((n for n in names if n in self._declared), name)
        if name == "tau":
            self.notes.add("tau", lambda: r"\tau is 2\pi")
        return self._add("NAME", name, span)

    def _subscript(self, i: int) -> tuple[str, int]:
        """The text of a subscript, and what follows it."""
        _, _, start, end = self._raw[i]
        if i + 1 >= len(self._raw):
            raise ExpressionSyntaxError("a subscript is missing", (start, end))
        if self._next(i + 1) != "{":
            kind, text, first, last = self._raw[i + 1]
            if kind == "NUMBER" and len(text) > 1:
                if end == first:
                    raise self._unclear_digits(_Frame("arguments", (start, end), "_"), text, (first, last))  # fmt: skip
                self._raw[i + 1] = kind, text[1:], first + 1, last
                return text[0], i + 1
            inside, after = [self._raw[i + 1]], i + 2
        else:
            inside, after = tex.argument(self._raw, i + 1)
        pieces = [self._subscript_piece(t) for t in inside if t[1] not in ("{", "}")]
        subscript = "".join(pieces)
        if not all(pieces) or not f"x{subscript}".isidentifier() or subscript[0] == "_":
            raise ExpressionSyntaxError(
                "a subscript is a name or a number here",
                (start, self._raw[min(after, len(self._raw)) - 1][3]),
                r"write x_{1}, or x_{\text{max}}",
            )
        return subscript, after

    def _subscript_piece(self, token: tex.Token) -> str:
        kind, text = token[:2]
        if kind in ("NAME", "NUMBER", "WORD", "_BASE"):
            return text
        return (commands.letters(text) or ("",))[0]

    def _subscripted(self, i: int) -> int:
        """A subscript that stands behind something else than a name."""
        _, _, start, end = self._raw[i]
        if self.kinds and self.kinds[-1] == "FUNCTION":
            if not any(o.name == "ln" for o in named(self.texts[-1]).values()):
                raise ExpressionSyntaxError(
                    f"a subscript of {self.texts[-1]} is not read", (start, end)
                )
            self._add("_BASE", "_", (start, end))
            self._expect(1, "_", (start, end))
            return i + 1
        if self._is_element(i):
            self._add("_INDEX", "_", (start, end))
            return i + 1
        place = self._exponents.get(len(self.kinds) - 1)
        if place is not None and self.kinds[place] == "NAME":  # x^2_1
            subscript, after = self._subscript(i)
            base = self.texts[place]
            self.texts[place] = next(
                (n for n in (f"{base}_{subscript}", f"{base}{subscript}") if n in self._declared),
                f"{base}_{subscript}",
            )  # fmt: skip
            return after
        what = "values put in behind a bar are not read" if self.kinds[-1:] == ["CLOSE"] else "a subscript belongs to a name"  # fmt: skip
        raise ExpressionSyntaxError(what, (start, end))

    def _is_element(self, i: int) -> bool:
        """Whether a subscript behind braces is the index of an element: {x}_{0}."""
        behind = self.kinds[-1:] == ["_RPAR"] and self.texts[-1] == "}"
        numbers = self._raw[i + 2 : i + 3]
        return behind and self._next(i + 1) == "{" and bool(numbers) and numbers[0][0] in ("NUMBER", "_MINUS")  # fmt: skip

    def _power(self, i: int) -> int:
        _, _, start, end = self._raw[i]
        span = start, end
        following = self._next(i + 1)
        if following in ("\\circ", "\\degree") or (
            following == "{" and self._next(i + 2) in ("\\circ", "\\degree") and self._next(i + 3) == "}"
        ):  # fmt: skip
            after = i + (4 if following == "{" else 2)
            self._add("DEGREE", "°", (start, self._raw[after - 1][3]))
            return after
        if self._has_prime(i) and self.kinds[-1:] == ["_RPAR"]:
            self._add("PRIMES", "'", span)
            return i + (4 if following == "{" else 2)
        if not self.kinds or self.kinds[-1] not in (
            *_ENDS_OPERAND,
            "FUNCTION",
            "_RPAR",
        ):
            raise ExpressionSyntaxError(
                "there is nothing before this exponent", span, "write x^2"
            )
        place = len(self.kinds) - 1
        power = self._add("_POWER", "^", span)
        self._expect(1, "^", span)
        if self.kinds[place] == "NAME":
            self._bracketed[power] = place
        after = i + 1
        if self._next(after) == "{":
            return after
        if after >= len(self._raw):
            return after
        depth = len(self._frames)
        after = self._argument(after)
        if len(self._frames) < depth and self.kinds[place] == "NAME":
            self._exponents[len(self.kinds) - 1] = place
        return after

    def _primes(self, i: int) -> int:
        _, text, start, end = self._raw[i]
        if self.kinds[-1:] == ["_RPAR"]:
            self._add("PRIMES", text, (start, end))
            return i + 1
        raise ExpressionSyntaxError(
            "a prime cannot stand here",
            (start, end),
            r"put the function in brackets, (x^2)', or write \frac{d}{dx}",
        )

    def _number(self, i: int) -> int:
        """A number, with commas or thin spaces between thousands."""
        _, text, start, end = self._raw[i]
        if self.kinds[-2:] == ["NUMBER", "NAME"] and self.texts[-1] in ("e", "E"):
            first = self.spans[-2]
            if first[1] == self.spans[-1][0] and self.spans[-1][1] == start:
                raise ExpressionSyntaxError(
                    "this prints as a product with e",
                    (first[0], end),
                    f"write {shorten(self.texts[-2])} \\cdot 10^{{{text[:9]}}}",
                )
        if self.kinds and self.kinds[-1] == "NUMBER":
            raise ExpressionSyntaxError(
                "there is no operator between these two numbers",
                (self.spans[-1][0], end),
                f"write {shorten(self.texts[-1])} \\cdot {shorten(text)} for a product",
            )
        if len(text) <= 3 and text.isdigit() and text[0] != "0":
            whole, after = self._thousands(i)
            if after > i + 1:
                span = start, self._raw[after - 1][3]
                self.notes.add(
                    "thousands", lambda: f"{self.notes.at(span)} is read as {whole}"
                )
                self._add("NUMBER", whole, span)
                return after
        self._add("NUMBER", text, (start, end))
        return i + 1

    def _thousands(self, i: int) -> tuple[str, int]:
        whole, j = self._raw[i][1], i + 1
        braced = self._next(j) == "{" and self._next(j + 1) == "," and self._next(j + 2) == "}"  # fmt: skip
        while True:
            k = j
            if braced and self._next(k) == "{" and self._next(k + 1) == ",":
                k += 3
            elif (
                not braced
                and self._next(k) == ","
                and self._raw[k][2] == self._raw[k - 1][3]
                and self._raw[k + 1 : k + 2]
                and self._raw[k + 1][2] == self._raw[k][3]
                and self._commas_are_thousands(i)
            ):
                k += 1
            elif (
                not braced
                and k < len(self._raw)
                and self.source[self._raw[k - 1][3] : self._raw[k][2]] in ("\\,", "~", "\\ ", "\\;")
            ):  # fmt: skip
                pass
            else:
                break
            if k >= len(self._raw):
                break
            digits = self._raw[k][1]
            head = digits.partition(".")[0]
            if self._raw[k][0] != "NUMBER" or len(head) != 3 or not head.isdigit():
                break
            whole, j = whole + digits, k + 1
            if "." in digits:
                break
        if braced and j == i + 1:
            raise ExpressionSyntaxError(
                "a comma in braces is read between thousands only",
                self._raw[i + 2][2:],
                "the decimal point is a dot",
            )
        return whole, j

    def _commas_are_thousands(self, i: int) -> bool:
        """Whether a comma between digits can only group them: not between arguments, or in a list."""
        frame = self._frames[-1]
        if frame.kind not in ("(", "["):
            return frame.kind in ("", "{", "\\{")
        before = self.kinds[frame.opened - 1] if frame.opened else ""
        if before == "FUNCTION":
            own = named(self.texts[frame.opened - 1]).get(1)
            return own is not None and own.whole is None
        return frame.opened < len(self.kinds) - 1

    # Derivatives

    def _derivative(self, i: int) -> int | None:
        r"""\\frac{d}{dx}, \\frac{d f}{dx}; None if the fraction is none of them."""
        j = i + 1
        if self._next(j) != "{" or self._next(j + 1) not in _DIFFERENTIALS:
            return None
        if self._next(j + 1) == "d" and "d" in self._declared:
            return None
        above = self._order(j + 2)
        if above is None:
            return None
        order, k = above
        close = k
        depth = 1
        while close < len(self._raw):
            text = self._next(close)
            depth += (text == "{") - (text == "}")
            if depth == 0:
                break
            close += 1
        if self._next(close + 1) != "{":
            return None
        wrt, after = self._below(close + 2)
        if not wrt or self._next(after) != "}":
            return None
        span = self._raw[i][2], self._raw[after][3]
        if len(wrt) != order:
            raise ExpressionSyntaxError(
                "this derivative has two different orders",
                span,
                f"write \\frac{{d^{len(wrt)}}}{{...}}" if len(wrt) > 1 else None,
            )
        place = self._add("D_BY", ",".join(wrt), span)
        if close == k:
            return after + 1
        if (close == k + 1 and self._raw[k][0] in ("NAME", "WORD")) or self._is_name(k, close):  # fmt: skip
            name = self._next(k).lstrip("\\")
            raise ExpressionSyntaxError(
                f"{name} is not defined as a function here",
                span,
                f"give the function: {name} = ...",
            )
        self._closed_by.add(place)
        frame = _Frame("{", self._raw[j][2:], "numerator")
        frame.opened = self._add("_LPAR", "(", self._raw[j][2:])
        frame.jump = after + 1
        self._frames.append(frame)
        return k

    def _is_name(self, start: int, end: int) -> bool:
        return end == start + 1 and bool(commands.letters(self._next(start)))

    def _order(self, i: int) -> tuple[int, int] | None:
        """The order behind the d, and what follows it."""
        if self._next(i) != "^":
            return 1, i
        inside, after = tex.argument(self._raw, i + 1)
        digits = "".join(token[1] for token in inside)
        if self._next(i + 1) != "{" and len(digits) > 1:
            return None
        return (int(digits), after) if digits.isdecimal() and len(digits) < 3 else None

    def _below(self, i: int) -> tuple[list[str], int]:
        r"""The variables below the line: dx, dx^2, \\partial x\\partial y."""
        wrt: list[str] = []
        while self._next(i) in _DIFFERENTIALS and len(wrt) < 40:
            i += 1
            braced = self._next(i) == "{"
            i += braced
            if i >= len(self._raw):
                return [], i
            kind, text = self._raw[i][:2]
            names = (text,) if kind == "NAME" else commands.letters(text)
            if kind == "WORD":
                names = (text,)
            if not names:
                return [], i
            i += 1
            if self._next(i) == "_":
                subscript, i = self._subscript(i)
                names = (f"{names[0]}_{subscript}", f"{names[0]}{subscript}")
            if braced:
                if self._next(i) != "}":
                    return [], i
                i += 1
            order = self._order(i)
            if order is None:
                return [], i
            i = order[1]
            name = next((n for n in names if n in self._declared), names[0])
            wrt += [name] * order[0]
        return wrt, i

    def _over_derivative(self, i: int) -> int | None:
        r"""{d\\over dx}, and what follows it; None if the group is something else."""
        over = self._over[i]
        if self._next(i + 1) not in _DIFFERENTIALS or "d" in self._declared:
            return None
        above = self._order(i + 2)
        if above is None or above[1] != over:
            return None
        wrt, after = self._below(over + 1)
        if len(wrt) != above[0] or self._next(after) != "}":
            return None
        self._add("D_BY", ",".join(wrt), (self._raw[i][2], self._raw[after][3]))
        return after + 1

    def _inline_derivative(self, i: int) -> int | None:
        """d/dx in one line."""
        above = self._order(i + 1)
        if above is None or self._next(above[1]) != "/":
            return None
        wrt, after = self._below(above[1] + 1)
        if len(wrt) != above[0] or not wrt:
            return None
        self._add("D_BY", ",".join(wrt), (self._raw[i][2], self._raw[after - 1][3]))
        return after

    # Brackets around bare arguments

    def _side(self, start: int, end: int) -> tuple[list[str], list[str], list[Span]]:
        """The tokens between two places, with the brackets that are not printed."""
        kinds = [*self.kinds[start:end], END]
        texts = [*self.texts[start:end], ""]
        stop = self.spans[end][0] if end < len(self.spans) else len(self.source)
        if end > start:
            stop = max(stop if end < len(self.spans) else self.spans[end - 1][1], 0)
        spans = [*self.spans[start:end], (stop, stop)]
        pairs = {
            a - start: b - start for a, b in self._pairs.items() if start <= a < end
        }
        closed = {place - start for place in self._closed_by}
        self._check_loose(kinds, start, end)
        return Arguments(
            self.notes, self._declared, kinds, texts, spans, pairs, closed
        ).bracketed()

    def _check_loose(self, kinds: Sequence[str], start: int, end: int) -> None:
        """Refuse {a+b}c, which prints as a+bc."""
        for first, last in self._loose:
            if not start <= first < end:
                continue
            before = kinds[first - start - 1] if first > start else ""
            after = kinds[last - start + 1]
            signed = self.kinds[first + 1] in ("_MINUS", "_PLUS") and not any(
                kind in ("_PLUS", "_MINUS") for kind in self._top_level(first + 2, last)
            )
            fine = before in _LOOSE_BEFORE and after in ENDS_FACTOR
            if signed and before in (*_LOOSE_BEFORE, "_MINUS", "_TIMES", "_OVER", "FUNCTION", "D_BY"):  # fmt: skip
                fine = after != "_POWER"
            if not fine:
                raise ExpressionSyntaxError(
                    "braces do not print, so this sum has no brackets",
                    (self.spans[first][0], self.spans[last][1]),
                    "write round brackets",
                )

    def _top_level(self, start: int, end: int) -> list[str]:
        found, place = [], start
        while place < end:
            found.append(self.kinds[place])
            place = self._pairs.get(place, place) + 1
        return found


_LETTERS_OF_FUNCTIONS = {"\\Gamma": "gamma", "\\psi": "digamma"}
_NO_NAMES = commands.OTHERWISE | commands.CONDITIONS | {"and", "or", "not", "the"}
_BIG = frozenset(
    f"{size}{way}"
    for size in ("big", "Big", "bigg", "Bigg")
    for way in ("l", "r", "m", "")
)
_KNOWN = (
    "\\frac", "\\sqrt", "\\cdot", "\\times", "\\left", "\\right", "\\pi", "\\theta", "\\alpha", "\\beta", "\\gamma",
    "\\text", "\\mathrm", "\\operatorname", "\\begin", "\\end", "\\displaystyle", "\\binom",
)  # fmt: skip


def _bare_names() -> list[str]:
    from exprgrad.operations.operation import function_names

    return sorted(
        name for name in function_names() if any(o.bare for o in named(name).values())
    )


def _unwrapped(raw: list[tex.Token]) -> list[tex.Token]:
    """The tokens without the dollar signs around a formula, and the point or comma behind it."""
    start, end = 0, len(raw)
    while True:
        while start < end and raw[end - 1][1] in (".", ",", ";", "\\\\"):
            end -= 1
        first = raw[start][1] if start < end else ""
        last = raw[end - 1][1] if start < end else ""
        pair = {"$": "$", "\\[": "\\]", "\\(": "\\)"}.get(first)
        if pair is None or last != pair or end - start < 2:
            return raw[start:end]
        start, end = start + 1, end - 1
