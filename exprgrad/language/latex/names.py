r"""The parts of LaTeX that have a value: letters and words, numbers, names with their subscripts, and what is differentiated."""

from __future__ import annotations

import re
from collections.abc import Sequence

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language.latex import commands, tex
from exprgrad.language.latex.operators import Operator, letter_of, operator
from exprgrad.language.latex.stream import PRIMES, Frame, Stream, undefined
from exprgrad.language.notes import shorten
from exprgrad.language.scanning.defined import Reference
from exprgrad.operations.operation import function_names, named
from exprgrad.operations.vocabulary import CONSTANTS, did_you_mean

_HIDDEN = re.compile(
    r"(?:arc)?(?:sin|cos|tan|sec|csc|cot)h?|exp|log|sqrt|max|min|abs|lim|^ln|ln$|^pi$"
)
_DECIMALS = re.compile(r"(?<!\d)0\{,\}|\{,\}(?:\d{1,2}|\d{4,})(?!\d)")
"""A comma in braces that is no mark of thousands."""
_LETTERS_OF_FUNCTIONS = {"\\Gamma": "gamma", "\\psi": "digamma"}
_NO_NAMES = commands.OTHERWISE | commands.CONDITIONS | {"and", "or", "not", "the"}
_KNOWN = (
    "\\frac", "\\sqrt", "\\cdot", "\\times", "\\left", "\\right", "\\pi", "\\theta", "\\alpha", "\\beta", "\\gamma",
    "\\text", "\\mathrm", "\\operatorname", "\\begin", "\\end", "\\displaystyle", "\\binom",
)  # fmt: skip


class Names(Stream):
    """Reads letters, words, numbers, and commands that are names or derivatives."""

    def _name(self, i: int, text: str, span: Span) -> int:
        """A letter, or several of them that are a word."""
        if i >= self._runs and (found := self._run(i)) is not None:
            return found
        is_d = text == "d" and "d" not in self._declared
        if is_d and (found := self._differential(i)) is not None:
            return found
        if self._fonts.setdefault(text, "") != "":
            message = f"{text} stands in two alphabets here"
            raise ExpressionSyntaxError(message, span, "use one of them")
        return self._named((text,), span, i + 1)

    def _run(self, i: int) -> int | None:
        """Letters side by side that are one word: a declared name or a function. Others stand alone, with a note."""
        j = i + 1
        raw = self._raw
        while j < len(raw) and raw[j][0] == "NAME" and raw[j][2] == raw[j - 1][3]:
            j += 1
        self._runs = j
        if j == i + 1:
            return None
        j = min(j, i + 40)
        word = "".join(token[1] for token in raw[i:j])
        span = self._span(i, j)
        if word in self._declared or word in self._functions:
            return self._named((word,), span, j)
        # of declared names this is a product, which needs no note
        if self._declared.issuperset(word):
            return None
        called = self._is_called(j)
        own = commands.function(word, called) if len(word) > 1 else None
        with_number = word + self._next(j)
        if own and self._is_called(j + 1) and raw[j][0] == "NUMBER" and commands.function(with_number, True):  # fmt: skip
            word, own, j = with_number, with_number, j + 1  # log10(x)
        if own is not None and (called or self._next(j)):
            if not self._plain:
                self.notes.add("word", "{0} is read as \\{0}", word)
            self._runs = j
            self._add("FUNCTION", own, span)
            return j
        hidden = _HIDDEN.search(word)
        if hidden is not None:
            message = f"{shorten(word)} prints as a product of letters"
            raise self._doubtful(message, span, f"write \\{hidden[0]} for that")
        if self._plain and len(word) > 2:
            message = f"{shorten(word)} may be one name or a product here"
            hint = f"write \\mathrm{{{shorten(word)}}} for one name, {' '.join(word[:9])} for a product"
            raise self._doubtful(message, span, hint)
        # a d before a letter is refused below as a differential, in its own words
        if len(word) > 2 and "d" not in word[:-1]:
            letters = shorten("*".join(word))
            self.notes.add("letters", "{} is read as {}", shorten(word), letters)
        return None

    def _letter(self, i: int, text: str, span: Span, alone: bool = False) -> int:
        names = commands.letters(text)
        # \varepsilon is epsilon, unless \epsilon occurs, too: then they are two names
        if text.startswith("\\var") and f"\\{names[0]}" in self.source:
            names = names[1], names[0]
        own = None if alone else _LETTERS_OF_FUNCTIONS.get(text)
        if own and self._is_called(i + 1) and not self._declared.intersection(names):
            self.notes.add("name", "{} is read as the function {}", text, own)
            return self._function(own, i, span)
        return self._named(names, span, i + 1, alone)

    def _change(self, i: int, text: str, span: Span) -> int:
        r"""\\Delta x, which is one name."""
        of = "".join(letter_of(t) for t in self._raw[i + 1 : i + 2] if t[0] != "WORD")
        if of:
            return self._named((f"Δ{of}", f"Delta{of}"), self._span(i, i + 2), i + 2)
        return self._named(("Delta", "Δ"), span, i + 1)

    def _word(self, i: int, word: str, span: Span, alone: bool = False) -> int:
        frame = self._frames[-1]
        if frame.kind == "\\begin" and frame.role in commands.CASES:
            if word in ("and", "or"):
                self._add(f"_{word.upper()}", word, span)
                return i + 1
            if word in commands.OTHERWISE | commands.CONDITIONS:
                if self.kinds[-1] != "_COMMA":
                    self._add("_COMMA", ",", span)
                if word in commands.OTHERWISE:
                    self._add("OTHERWISE", word, span)
                return i + 1
        if word == "d" and (found := self._differential(i)) is not None:
            return found
        # upright, as in \mathrm{i}, they are imaginary units in print; in italics they are names
        if word in ("i", "j") and word not in self._declared:
            raise ExpressionSyntaxError("complex numbers are not computed", span)
        called = self._is_called(i + 1)
        operator = self.source.startswith("\\operatorname", span[0])
        # \mathrm{erf} x is no product, as in text
        behind = {token[0] for token in self._raw[i + 1 : i + 2]}
        takes = word not in _NO_NAMES and not behind.isdisjoint(("NAME", "NUMBER"))
        own = commands.function(word, called or operator or takes)
        if word in self._functions and not alone:
            return self._named((word,), span, i + 1)
        if own is not None and word not in self._declared and not alone:
            return self._function(own, i, span)
        behind_number = self.kinds[-1:] == ["NUMBER"]
        if behind_number and word in commands.UNITS and word not in self._declared:
            message = f"{word} looks like a unit, and units are not read"
            raise ExpressionSyntaxError(message, span, "give numbers without units")
        if not word.isidentifier() or word in _NO_NAMES:
            message = f"{shorten(word)!r} is not part of a formula"
            raise ExpressionSyntaxError(message, span, "leave the words out")
        begins = any(name.startswith(f"{word}_") for name in self._declared)
        known = word in self._declared or (begins and self._next(i + 1) == "_")
        if (called or operator) and len(word) > 1 and not known:
            hint = did_you_mean(word[:20], _bare_names(), "give its formula", "\\")
            message = f"there is no function {shorten(word)}"
            raise ExpressionSyntaxError(message, span, hint)
        return self._named((word,), span, i + 1, alone)

    def _dressed(self, i: int, command: str, span: Span) -> int:
        """A letter in another alphabet, or with an accent."""
        inside, after = tex.argument(self._raw, i + 1)
        if len(inside) == 3 and inside[0][1] == "{":
            inside = inside[1:2]
        span = self._span(i, after)
        names: tuple[str, ...] = ()
        if len(inside) == 1:
            kind, text = inside[0][:2]
            names = (text,) if kind in ("NAME", "WORD") else commands.letters(text)
        if not names:
            message = f"{command} is read with one letter only"
            raise ExpressionSyntaxError(message, span, "leave it out")
        if command in commands.ACCENTS:
            accent = commands.ACCENTS[command]
            names = tuple(f"{name}_{accent}" for name in names)
        elif self._fonts.setdefault(names[0], command) != command:
            message = f"{names[0]} stands in two alphabets here"
            raise ExpressionSyntaxError(message, span, "use one of them")
        return self._named(names, span, after)

    def _function(self, name: str, i: int, span: Span) -> int:
        self._add("FUNCTION", name, span)
        return i + 1

    def _unknown(self, text: str, span: Span) -> ExpressionSyntaxError:
        for operation in named(commands.function(text[1:], called=True) or "").values():
            message = f"{text} takes its arguments in brackets"
            hint = f"write \\{operation.signature}"
            return ExpressionSyntaxError(message, span, hint)
        known = [*(name.lstrip("\\") for name in _KNOWN), *_bare_names()]
        otherwise = f"define it: \\newcommand{{{text}}}{{...}}"
        hint = did_you_mean(text[1:20], known, otherwise, "\\")
        return ExpressionSyntaxError(f"{shorten(text)} is not known here", span, hint)

    def _number(self, i: int, text: str, span: Span) -> int:
        """A number, with commas or thin spaces between thousands."""
        # 2e3 without blanks is meant as 2000, but TeX prints 2·e·3
        if self.kinds[-2:] == ["NUMBER", "NAME"] and self.texts[-1] in ("e", "E"):
            first = self.spans[-2]
            if first[1] == self.spans[-1][0] and self.spans[-1][1] == span[0]:
                message = "this prints as a product with e"
                hint = f"write {shorten(self.texts[-2])} \\cdot 10^{{{text[:9]}}}"
                raise ExpressionSyntaxError(message, (first[0], span[1]), hint)
        # 2.5e-3 prints as a difference, which it may be
        if self.kinds[-3:] in (["NUMBER", "NAME", sign] for sign in ("_MINUS", "_PLUS")) and self.texts[-2] in ("e", "E"):  # fmt: skip
            start = self.spans[-3][0]
            if len("".join(self.texts[-3:])) == span[0] - start:
                self.notes.add("e", "{} is read as {}*{} {} {}", (start, span[1]), *self.texts[-3:], text)  # fmt: skip
        if self.kinds and self.kinds[-1] == "NUMBER":
            message = "there is no operator between these two numbers"
            product = f"{shorten(self.texts[-1])} \\cdot {shorten(text)}"
            hint = f"write {product} for a product"
            raise ExpressionSyntaxError(message, (self.spans[-1][0], span[1]), hint)
        whole, after = self._whole(i, text)
        if after > i + 1:
            span = self._span(i, after)
            self.notes.add("thousands", "{} is read as {}", span, whole)
        self._add("NUMBER", whole, span)
        return after

    def _whole(self, i: int, text: str) -> tuple[str, int]:
        """A number with all the groups of three digits, or the decimals, behind its comma, and what follows them."""
        whole, j = text, i + 1
        braced = text.isdigit() and self._follow(j, "{", ",", "}")
        decimals = self._next(j + 3) if braced else ""
        # what may be the first group of thousands: 0,123 and 1234,567 are not
        grouped = len(text) <= 3 and text.isdigit() and text[0] != "0"
        if decimals.isdigit() and (not grouped or _DECIMALS.search(self.source)):
            return f"{text}.{decimals}", j + 4
        # 1,000.5 has no further group behind its point
        while grouped and "." not in whole:
            k = self._group_of_digits(j, braced)
            digits = self._next(k) if k and self._raw[k][0] == "NUMBER" else ""
            head = digits.partition(".")[0]
            if len(head) != 3 or not head.isdigit():
                break
            whole, j = whole + digits, k + 1
        may_be_decimals = braced and j == i + 5 and whole.isdigit() and whole[-1] != "0"
        if may_be_decimals and "." not in self.source:
            either = f"{whole} or {text}.{decimals}"
            message, hint = f"this may be {either}", f"write {either}"
            raise ExpressionSyntaxError(message, self._span(i, j), hint)
        return whole, j

    def _group_of_digits(self, j: int, braced: bool) -> int:
        """The next token behind what separates thousands from what comes before; 0 if nothing does."""
        raw = self._raw
        if j >= len(raw):
            return 0
        between = self.source[raw[j - 1][3] : raw[j][2]]
        k = j
        if braced:
            k += 3 * self._follow(j, "{", ",")
        elif self._follow(j, ",") and not between and j + 1 < len(raw):
            k += (raw[j + 1][2] == raw[j][3]) and self._commas_are_thousands()
        elif between in ("\\,", "~", "\\ ", "\\;"):
            return j
        return k if j < k < len(raw) else 0

    def _commas_are_thousands(self) -> bool:
        """Return whether a comma between digits can only group them: not between arguments, or in a list."""
        frame = self._frames[-1]
        if frame.kind not in ("(", "["):
            return frame.kind in ("", "{", "\\{")
        if frame.opened and self.kinds[frame.opened - 1] == "FUNCTION":
            own = named(self.texts[frame.opened - 1]).get(1)
            # \sin(1,000) takes one argument, but in \max(1,000, 2) the comma may part two
            return own is not None and own.whole is None
        # (1,000) may be a point and [1,000] an array; in (x + 1,000) something else stands before it
        return frame.opened < len(self.kinds) - 1

    def _named(
        self, names: Sequence[str], span: Span, i: int, alone: bool = False
    ) -> int:
        """A name with the subscript that follows it, unless it is `alone`."""
        if alone:
            self._plain_name(names, span)
            return i
        start, end = span
        subscript = ""
        if self._functions and (after := self._reference(names, span, i)) is not None:
            return after
        if self._next(i) == "_":
            subscript, i = self._subscript(i)
            end = self._raw[i - 1][3]
        if self._next(i).startswith(("'", "’", "′")) or self._has_prime(i):
            raise undefined(names[0], (start, self._raw[min(i, len(self._raw) - 1)][3]))
        if subscript:
            names = [f"{name}{mark}{subscript}" for mark in ("_", "") for name in names]
        place = self._plain_name(names, (start, end))
        if self._next(i) == "^" and self._next(i + 1) == "{":
            self._check_order(place, i)
        return i

    def _reference(self, names: Sequence[str], span: Span, i: int) -> int | None:
        """Take in the call or the derivative of a defined name, and return what follows it; None for the bare name."""
        order, after = self._order_of_primes(i)
        wrt: tuple[str, ...] = ()
        below, token = after + 1, self._raw[after + 1 : after + 2]
        if self._next(after) == "_":  # P_2'(x), P'_2(x), or the partial f_x(x, y)
            letters = map(letter_of, tex.argument(self._raw, below)[0])
            subscript, after = self._subscript(after)
            whole = [f"{name}_{subscript}" for name in names]
            if not order:
                order, after = self._order_of_primes(after)
            own = self._defined.is_step and self._declared.issuperset(subscript)
            is_partial = subscript.isalpha() and not order and (own or self._opens(after))  # fmt: skip
            if is_partial and self._functions.isdisjoint(whole):
                wrt = tuple(filter(None, letters))
            else:
                names = whole
        name = next((n for n in names if n in self._functions), "")
        behind = after
        if self._next(after) == "^":  # f^{2}(x), the square of f(x)
            behind = tex.argument(self._raw, after + 1)[1]
        called = self._opens(behind)
        if name in self._products and not order and not wrt:  # x(t), but not x(\cos t)
            called = called and self._next(behind + 2) == ")" and self._raw[behind + 1][0] == "NAME"  # fmt: skip
        if not name or not (called or order or wrt):
            self._raw[below : below + 1] = token  # its first digit may have been read
            return None
        end = self._raw[after - 1][3] if after > i else span[1]
        self._refer(Reference(name, order, wrt), (span[0], end), called)
        return after

    def _opens(self, i: int) -> bool:
        """Return whether the bracket of a call comes next."""
        i += self._next(i) == "\\left"
        return self._next(i) in ("(", "[")

    def _order_of_primes(self, i: int) -> tuple[int, int]:
        r"""Return how many primes follow a name, as f'', f^{\\prime} or f^{(3)}, and what follows them."""
        order = 0
        while i < len(self._raw) and self._raw[i][0] == "PRIMES":
            order += len(self._raw[i][1])
            i += 1
        if order or self._next(i) != "^":
            return order, i
        inside, after = tex.argument(self._raw, i + 1)
        texts = [t[1] for t in inside]
        if texts and PRIMES.issuperset(texts):
            return len("".join(texts).replace("\\prime", "'")), after
        digits = texts[1] if len(texts) == 3 and texts[::2] == ["(", ")"] else ""
        return (int(digits), after) if digits.isdecimal() and len(digits) == 1 else (0, i)  # fmt: skip

    def _check_order(self, place: int, i: int) -> None:
        """Refuse f^{(3)}, the third derivative of what is not defined."""
        # no further: a bracket that is never closed would be searched to the end for every x^{(
        inside = [token[1] for token in self._raw[i + 2 : i + 43]]
        close = inside.index(")") if ")" in inside[2:] else 0
        name, behind = self.texts[place], inside[close + 1 : close + 3]
        if name in CONSTANTS or inside[:1] != ["("] or behind[:1] != ["}"] or not close:
            return
        is_number = close == 2 and self._raw[i + 3][0] == "NUMBER"
        if name in self._declared:
            said = "{} is a variable, so its superscript is an exponent"
            self.notes.add("power of a name", said, name)
        elif is_number or behind[1:] in (["("], ["\\left"], ["\\big"]):
            span = self.spans[place][0], self._raw[i + 2 + close][3]
            raise undefined(name, span, f"give the function: {name}(x) = ...")

    def _as_declared(self, names: Sequence[str]) -> str:
        """The one of these names that is declared, or else the first."""
        return next((name for name in names if name in self._declared), names[0])

    def _plain_name(self, names: Sequence[str], span: Span) -> int:
        """A name, spelt as it was declared."""
        name = self._as_declared(names)
        if name == "tau":
            self.notes.add("tau", r"\tau is 2\pi")
        return self._add("NAME", name, span)

    def _subscript(self, i: int) -> tuple[str, int]:
        """The text of a subscript, and what follows it."""
        span = self._span(i)
        if i + 1 >= len(self._raw):
            raise ExpressionSyntaxError("a subscript is missing", span)
        if self._next(i + 1) != "{":
            kind, text, first, last = self._raw[i + 1]
            if kind == "NUMBER" and len(text) > 1:
                if span[1] == first:
                    raise self._unclear_digits("_", text, (first, last))
                self._raw[i + 1] = kind, text[1:], first + 1, last
                return text[0], i + 1
        inside, after = tex.argument(self._raw, i + 1)
        own = [token for token in inside if token[1] not in ("{", "}")]
        pieces = [t[1] if t[0] in ("NUMBER", "_BASE") else letter_of(t) for t in own]
        subscript = "".join(pieces)
        is_name = all(pieces) and f"x{subscript}".isidentifier()
        if not subscript or not is_name or subscript[0] == "_":
            message = "a subscript is a name or a number here"
            whole = self._span(i, after)
            hint = r"write x_{1}, or x_{\text{max}}"
            raise ExpressionSyntaxError(message, whole, hint)
        return subscript, after

    def _unclear_digits(
        self, sign: str, text: str, span: Span
    ) -> ExpressionSyntaxError:
        message = f"TeX takes only the first digit, so this prints as {text[0]} and then {text[1:]}"
        hint = f"write {sign}{{{text}}} for all of it, {sign}{{{text[0]}}}\\cdot {text[1:]} for a product"
        return ExpressionSyntaxError(message, (span[0] - len(sign), span[1]), hint)

    def _derivative(self, i: int) -> int | None:
        r"""\\frac{d}{dx}, \\frac{d f}{dx}, d/dx; None if it is none of them."""
        found = operator(self._raw, i, self._declared)
        if found is None or (self._next(i) == "{" and found.is_of_numerator):
            return None
        span = self._span(i, found.end)
        found.check(span)
        if found.is_of_numerator:
            return self._of_numerator(found, i, span)
        self._add("D_BY", ",".join(found.wrt), span)
        return found.end

    def _of_numerator(self, found: Operator, i: int, span: Span) -> int:
        """The derivative of what stands above the line."""
        start, end = found.above
        kind, text = self._raw[start][:2]
        if end == start + 1 and (kind in ("NAME", "WORD") or commands.letters(text)):
            name = text.lstrip("\\")
            if name in self._functions:
                called = self._defined.calls_partials and self._opens(found.end)
                self._refer(Reference(name, 0, found.wrt), span, called)
                return found.end
            raise undefined(name, span)
        # of \frac{d(x^2)}{dx} the numerator is read as a group, and at its brace goes on behind the whole fraction
        self._closed_by.add(self._add("D_BY", ",".join(found.wrt), span))
        brace = self._span(i + 1)
        frame = Frame("{", brace, "numerator")
        frame.opened = self._add("_LPAR", "(", brace)
        frame.jump = found.end
        self._frames.append(frame)
        return start

    def _differential(self, i: int) -> int | None:
        """d/dx; None for a d alone. Raises `ExpressionSyntaxError` for dx and du as factors."""
        found = self._derivative(i)
        if found is None and i + 1 < len(self._raw):
            kind, text, *_ = self._raw[i + 1]
            if kind == "NAME" or commands.letters(text):
                message = f"d{text} is a differential, which is not read as a factor"
                hint = f"write \\frac{{d}}{{d{text}}} for a derivative, d \\cdot {text} for a product"
                raise ExpressionSyntaxError(message, self._span(i, i + 2), hint)
        return found


def _bare_names() -> list[str]:
    rows = {name: named(name).values() for name in function_names()}
    return sorted(name for name, own in rows.items() if any(o.bare for o in own))
