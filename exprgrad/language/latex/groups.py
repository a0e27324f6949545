r"""Groups in LaTeX: brackets and bars, with \left and \right or without; what \over splits; cases and matrices, & and \\ in them."""

from __future__ import annotations

import re

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language.latex import commands, tex
from exprgrad.language.latex.names import Names
from exprgrad.language.latex.stream import Frame
from exprgrad.language.notes import shorten


class Groups(Names):
    """Opens and closes groups, each kind with its own end."""

    def _open(self, i: int, kind: str, role: str = "") -> int:
        span = self._span(i)
        if kind == "{" and not role and self._next(i + 1) == "}":
            return i + 2  # which prints nothing
        frame = Frame(kind, span, role)
        if kind in commands.AROUND:
            self._add("FUNCTION", commands.AROUND[kind], span)
        is_split = kind == "{" and i in self._over
        if is_split and not role and (found := self._derivative(i)):
            return found
        frame.opened = self._add("_LPAR", kind, span)
        self._frames.append(frame)
        # TeX has \over between two parts, the grammar its sign before both: `_survey` has found where it comes
        if is_split:
            self._open_fraction(frame, i, span)
        return i + 1

    def _close(self, i: int, kind: str) -> int:
        text, span = self._next(i), self._span(i)
        frame = self._frames[-1]
        if frame.kind in ("", "\\begin", "\\root", "wrap"):
            hint = "remove it, or open a bracket before it"
            raise ExpressionSyntaxError(f"this {text} closes nothing", span, hint)
        self._check_bars(frame)
        if frame.kind != kind:
            hint = f"close it with {commands.CLOSES[frame.kind]}"
            raise ExpressionSyntaxError(f"{frame.kind} is closed by {text}", span, hint)
        self._frames.pop()
        if frame.over:
            self._close_fraction(frame, span)
        span = self._span(i, frame.jump) if frame.jump else span
        closed = self._close_group(frame.opened, "_RPAR", text, span)
        if kind == "{" and frame.role == "" and not frame.over and frame.sums:
            self._loose.append((frame.opened, closed))
        if frame.role == "argument":
            self._argument_done()
        return frame.jump or i + 1

    def _open_fraction(self, frame: Frame, i: int, span: Span) -> None:
        r"""The beginning of a group that is split by \\over."""
        command = self._raw[self._over[i]]
        if command[1] in ("\\atop", "\\above"):
            raise ExpressionSyntaxError(f"{command[1]} is not read", command[2:])
        frame.over = True
        self._add("_FRAC" if command[1] == "\\over" else "_CHOOSE", command[1], span)
        frame.part = self._add("_LPAR", "{", (span[1], span[1]))

    def _over_sign(self, i: int, text: str, span: Span) -> int:
        frame = self._frames[-1]
        if not frame.over or frame.below:
            message = f"{text} stands inside brackets that are not closed before it"
            raise ExpressionSyntaxError(message, span, "put braces around the fraction")
        self._check_bars(frame)
        self._close_fraction(frame, span)
        frame.below = True
        frame.part = self._add("_LPAR", "{", span[1:] * 2)
        return i + 1

    def _close_fraction(self, frame: Frame, span: Span) -> None:
        self._close_group(frame.part, "_RPAR", "}", (span[0], span[0]))

    def _bar(self, i: int, way: str) -> None:
        span = self._span(i)
        frame = self._frames[-1]
        after = self._after_operand()
        if self._next(i + 1) in ("_", "^") and not frame.bars:
            message = "values put in behind a bar are not read"
            hint = "put the value into the formula; a bar behind a whole derivative is read"
            raise ExpressionSyntaxError(message, span, hint)
        if way == "close" or (way == "" and after and frame.bars):
            if not frame.bars:
                message = "this bar closes nothing"
                raise ExpressionSyntaxError(message, span, "open one before it")
            self._close_group(frame.bars.pop(), "CLOSE", "|", span)
            frame.closed = True
            return
        # |x|y|z| is |x| y |z| or |x |y| z|; |x||y| can only be a product
        if way == "" and after and frame.closed and self.kinds[-1] != "CLOSE":
            message = "these bars can be paired in two ways"
            hint = r"write \lvert and \rvert, or \left| and \right|"
            raise ExpressionSyntaxError(message, span, hint)
        frame.bars.append(self._add("OPEN", "|", span))

    def _delimiter(self, i: int, text: str, span: Span) -> int:
        r"""\\left or \\right, and the bracket behind it."""
        opens = text in ("\\left", "\\mleft")
        sign = self._next(i + 1)
        if sign:  # the bracket begins where its size does
            kind, _, _, last = self._raw[i + 1]
            self._raw[i + 1] = kind, sign, span[0], last
        # the scanner takes the point of \left.5x for that of a number
        if sign == "." or (sign.startswith(".") and self._raw[i + 1][0] == "NUMBER"):
            message = "a bracket without its other half is not read"
            hint = "values put in behind a bar are not read" if opens else None
            raise ExpressionSyntaxError(message, self._span(i + 1), hint)
        if text == "\\middle" or not sign:
            message = f"{text} is not read here"
            raise ExpressionSyntaxError(message, span, "give one expression")
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
            raise self._refused(sign, self._span(i + 1))
        message = f"{sign} cannot stand behind {text}"
        raise ExpressionSyntaxError(message, self._span(i + 1))

    def _sized(self, i: int, text: str, span: Span) -> int:
        r"""\\bigl or \\Biggr, which say whether a bar opens or closes."""
        way = {"l": "open", "r": "close"}.get(text[-1], "")
        if self._next(i + 1) in ("|", "\\vert", "\\lvert", "\\rvert"):
            self._bar(i + 1, way)
            return i + 2
        return i + 1

    def _survey(self) -> None:
        r"""Find where the fractions of \\over are, and what shape the tables have."""
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
                    message, hint = f"two {text} in one group", "put braces around one"
                    raise ExpressionSyntaxError(message, token[2:], hint)
                self._over[opened[-1]] = i
            elif text in ("&", "\\\\") and opened[-1] in self._shape:
                columns, rows = self._shape[opened[-1]]
                rows = rows or (text != "&" and self._next(i + 1) != "\\end")
                self._shape[opened[-1]] = columns or text == "&", rows

    def _environment(self, i: int, text: str, span: Span) -> int:
        name, after = tex.environment(self._raw, i)
        span = self._span(i, after)
        if name in commands.ENVIRONMENTS:
            return after
        if text == "\\end":
            return self._end(name, span, after)
        frame = Frame("\\begin", span, name)
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
            message = f"the environment {shorten(name)} is not read"
            raise ExpressionSyntaxError(message, span)
        self._frames.append(frame)
        return after

    def _end(self, name: str, span: Span, after: int) -> int:
        frame = self._frames[-1]
        if frame.kind != "\\begin" or frame.role != name:
            message = f"\\end{{{shorten(name)}}} closes nothing"
            raise ExpressionSyntaxError(message, span, "remove it")
        self._check_bars(frame)
        self._frames.pop()
        # a \\ behind the last row begins no other
        if self.kinds[-1] == "_ROW":
            del self.kinds[-1], self.texts[-1], self.spans[-1]
        if name in commands.CASES:
            self._close_group(frame.opened, "_RPAR", "}", span)
        else:
            if frame.sums:
                self._close_group(frame.part, "_RARRAY", "row", span)
            self._close_group(frame.opened, "_RARRAY", "]", span)
        return after

    def _row(self, i: int, text: str, span: Span) -> int:
        r"""\\, between the rows of a table or of an alignment."""
        frame = self._frames[-1]
        if self._next(i + 1) == "[" and re.fullmatch(r"[0-9.]+", self._next(i + 2)):
            _, after = tex.group(self._raw, i + 1, "]")
            # the height in \\[2pt] goes; the bracket that ends it becomes the end of the row, which is read next
            self._raw[after - 1] = self._raw[i]
            return after - 1
        if frame.kind == "\\begin":
            self._check_bars(frame)
            if frame.role in commands.CASES:
                self._add("_ROW", "\\\\", span)
            elif self._next(i + 1) != "\\end":
                if frame.sums:
                    self._close_group(frame.part, "_RARRAY", "row", span)
                self._add("_COMMA", "\\\\", span)
                if frame.sums:
                    frame.part = self._add("_LARRAY", "row", span)
            return i + 1
        j = i + 1
        while self._next(j) == "&":
            j += 1
        # a formula may be broken before or behind a sign; a line that begins with an operand is another formula
        goes_on = self._next(j) in ("", "=", "+", "-", "\\cdot", "\\times", "\\end", "\\]")  # fmt: skip
        if len(self._frames) > 1 or not (goes_on or not self._after_operand()):
            raise self._refused("\\\\", span)
        return i + 1

    def _ampersand(self, i: int, text: str, span: Span) -> int:
        frame = self._frames[-1]
        if frame.kind == "\\begin":
            is_case = frame.role in commands.CASES
            if not is_case:
                self._check_bars(frame)
            # of x \text{ if } & x > 0 the word has put the comma
            if not (is_case and self.kinds[-1] == "_COMMA"):
                self._add("_COMMA", text, span)
            return i + 1
        if len(self._frames) > 1:
            hint = "close the brackets before it"
            raise ExpressionSyntaxError("'&' does not belong here", span, hint)
        if self._next(i + 1) == "&" and self._raw[i + 2 : i + 3] and self._raw[i + 2][0] == "WORD":  # fmt: skip
            return i + 3  # a remark
        return i + 1  # the mark of an alignment

    def _comma(self, i: int, text: str, span: Span) -> int:
        frame = self._frames[-1]
        if frame.kind == "\\begin" and self._next(i + 1) in ("\\\\", "\\end", "&"):
            return i + 1
        return self._sign(i, "_COMMA")
