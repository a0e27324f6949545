r"""Environments of LaTeX: cases and matrices; alignments, which only lay out; & and \\ in them."""

from __future__ import annotations

import re

from exprgrad.errors import ExpressionSyntaxError, Span
from exprgrad.language.latex import commands, tex
from exprgrad.language.latex.stream import Frame, Stream
from exprgrad.language.notes import shorten


class Environments(Stream):
    """Reads what environments and their marks stand for."""

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
            self._close_group(frame.opened, "_RPAR", "}", span)
        else:
            if frame.sums:
                self._close_group(frame.part, "_RARRAY", "row", span)
            self._close_group(frame.opened, "_RARRAY", "]", span)
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
                    self._close_group(frame.part, "_RARRAY", "row", span)
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
