r"""Letters and words in LaTeX: variables, functions, constants; words of cases; letters in other alphabets."""

from __future__ import annotations

import re

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language.latex import commands, tex
from exprgrad.language.latex.derivatives import Derivatives
from exprgrad.language.notes import shorten
from exprgrad.operations.operation import named
from exprgrad.operations.vocabulary import did_you_mean

_HIDDEN = re.compile(
    r"(?:arc)?(?:sin|cos|tan|sec|csc|cot)h?|exp|log|sqrt|max|min|abs|lim|^ln|ln$|^pi$"
)
_LETTERS_OF_FUNCTIONS = {"\\Gamma": "gamma", "\\psi": "digamma"}
_NO_NAMES = commands.OTHERWISE | commands.CONDITIONS | {"and", "or", "not", "the"}
_KNOWN = (
    "\\frac", "\\sqrt", "\\cdot", "\\times", "\\left", "\\right", "\\pi", "\\theta", "\\alpha", "\\beta", "\\gamma",
    "\\text", "\\mathrm", "\\operatorname", "\\begin", "\\end", "\\displaystyle", "\\binom",
)  # fmt: skip


class Names(Derivatives):
    """Reads letters, words and commands that are names."""

    def _name(self, i: int) -> int:
        """A letter, or several of them that are a word."""
        _, text, start, end = self._raw[i]
        if i >= self._runs:
            found = self._run(i)
            if found is not None:
                return found
        if text == "d" and "d" not in self._declared:
            found = self._derivative(i)
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
        if word in self._declared or word in self._functions:
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
            found = self._derivative(i)
            if found is not None:
                return found
            self._refuse_differential(i, i + 1, span)
        if word in ("i", "j") and word not in self._declared:
            raise ExpressionSyntaxError("complex numbers are not computed", span)
        called = self._is_called(i + 1)
        own = commands.function(word, called)
        if word in self._functions and not alone:
            return self._named((word,), span, i + 1)
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

    def _function(self, name: str, i: int) -> int:
        _, _, start, end = self._raw[i]
        self._add("FUNCTION", name, (start, end))
        return i + 1

    def _unknown(self, text: str, span: Span) -> ExpressionSyntaxError:
        known = [*_KNOWN, *("\\" + name for name in _bare_names())]
        hint = did_you_mean(
            text[:20], known, f"define it: \\newcommand{{{text}}}{{...}}"
        )
        return ExpressionSyntaxError(f"{shorten(text)} is not known here", span, hint)


def _bare_names() -> list[str]:
    from exprgrad.operations.operation import function_names

    return sorted(
        name for name in function_names() if any(o.bare for o in named(name).values())
    )
