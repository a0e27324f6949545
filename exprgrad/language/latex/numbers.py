r"""Numbers in LaTeX: with commas, braced commas or thin spaces between thousands."""

from __future__ import annotations

from exprgrad.errors import ExpressionSyntaxError
from exprgrad.language.latex.stream import Stream
from exprgrad.language.notes import shorten
from exprgrad.operations.operation import named


class Numbers(Stream):
    """Reads numbers."""

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
