r"""A graph as MathML, which browsers typeset without any script.

    mathml(parse("x/2").root)      # <math …><mfrac><mi>x</mi><mn>2</mn></mfrac></math>

An operation is written as its row writes it in LaTeX: the pieces of that notation, `\frac{`, `}{`, `^{`, `\left(`, are
read here as they come, and open and close elements. So a formula looks the same in both, and no operation is named here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from exprgrad.annotations import TypeAlias
from exprgrad.budget import at_most
from exprgrad.graph.value import Constant, Value
from exprgrad.lazy import pattern
from exprgrad.notation.latex import GREEK_LETTERS, latex_notation, name_parts
from exprgrad.notation.markup import escaped
from exprgrad.notation.text import leaf, pieces

_SYMBOLS = {
    "-": "−", "cdot": "⋅", "le": "≤", "ge": "≥", "ne": "≠", "neg": "¬", "land": "∧", "lor": "∨",
    "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
}  # fmt: skip
"""Signs and their names in LaTeX; any other command is the name of a function or a Greek letter."""

_TOKEN = pattern(
    r"\\(left|right)\\?([a-z]+|.)|\\(operatorname|text|mathbin)\{((?:[^}\\]|\\.)*)\}"
    r"|\\(?:begin|end)\{cases\}|\\frac\{|\\sqrt[{\[]|\}\{|\]\{|[\^_]\{|\\\\|\\[A-Za-z]+|[0-9]+|\S"
)

_OPENED = {
    r"\frac{": "mfrac", r"\sqrt{": "msqrt", r"\sqrt[": "mroot", "{": "mrow",
    "^{": "msup", "_{": "msub", r"\begin{cases}": "mtable",
}  # fmt: skip
"""What opens an element, and which."""

_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_LETTERS = {command: letter for letter, command in GREEK_LETTERS.items()}
_TIMES = "<mo>&#x2062;</mo>"
# browsers give an invisible product no width, and "rate" and "time" would run together
_WIDE_TIMES = '<mo lspace="0" rspace="0.17em">&#x2062;</mo>'
_APPLIED = "<mo>&#x2061;</mo>"

Tree: TypeAlias = "str | list[Tree]"
"""Text in parts, each of them made once and copied once, however deep the formula is."""


def mathml(root: Value) -> str:
    """The graph as one `math` element. Raises `UsageError` as `elements` does."""
    return math(elements(root))


def math(*parts: str) -> str:
    """A `math` element of elements, one after the other."""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{"".join(parts)}</math>'


def derivative_of(root: Value, wrt: Sequence[str], several: bool) -> str:
    """Return what is to be differentiated, behind d/dx, or ∂/∂x where there are several variables, as one `math` element."""
    d = f'<mi mathvariant="normal">{"∂" if several else "d"}</mi>'
    total = _raised(d, len(wrt))
    below = "".join(
        f"{d}{_raised(_name(name), count)}" for name, count in Counter(wrt).items()
    )
    operator = f"<mfrac><mrow>{total}</mrow><mrow>{below}</mrow></mfrac>"
    return math(operator, f"<mrow><mo>(</mo>{elements(root)}<mo>)</mo></mrow>")


def _raised(element: str, count: int) -> str:
    return f"<msup>{element}<mn>{count}</mn></msup>" if count > 1 else element


def elements(root: Value) -> str:
    """The graph as elements in a row, for the inside of another one.

    Raises `UsageError` for a formula that takes too many symbols to write out: that of a graph with many shared parts
    may be exponentially longer than the graph.
    """
    page = _Page()
    parts = pieces(root, latex_notation, _leaf, (r"\left(", r"\right)"), full=False)
    for count, piece in enumerate(parts):
        # piece by piece: a graph of 60 nodes that are all shared has more symbols than fit into memory
        at_most("typeset", count + 1)
        if isinstance(piece, _Leaf):
            page.put(piece, "word" if piece.word else "")
        elif piece == " ":
            page.multiply()
        else:
            page.read(piece)
    return "".join(_flat(page.elements()))


class _Leaf(str):
    """A name or a number as one element; a word stands apart from its neighbours."""

    __slots__ = ("word",)
    word: bool


class _Frame:
    """An element that is open: its parts so far, and what the last of them ends with."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parts: list[list[Tree]] = [[]]
        self.last = ""
        self.times = False


class _Page:
    """A formula that grows token by token."""

    def __init__(self) -> None:
        self.frames = [_Frame("math")]

    def elements(self) -> Tree:
        """All of it, which is complete."""
        (frame,) = self.frames
        return list(frame.parts[0])

    def put(self, element: Tree, kind: str = "") -> None:
        """Add one element, which may be a "word" or a "function"."""
        frame = self.frames[-1]
        if frame.times:
            frame.times = False
            wide = kind or frame.last == "word"
            frame.parts[-1].append(_WIDE_TIMES if wide else _TIMES)
        frame.parts[-1].append(element)
        frame.last = kind

    def multiply(self) -> None:
        """A product without a sign; its second factor decides how wide that is."""
        self.frames[-1].times = True

    def read(self, piece: str) -> None:
        """A piece of notation in LaTeX."""
        for match in _TOKEN.finditer(piece):
            side, sign, command, inside = match.groups()
            if side:
                own = f"<mo>{_SYMBOLS.get(sign, escaped(sign))}</mo>"
                if side == "left":
                    if self.frames[-1].last == "function":
                        self.put(_APPLIED)
                    self.frames.append(_Frame("mrow"))
                    self.put(own)
                else:
                    self.put(own)
                    self._close()
            elif command:
                self._named(command, inside)
            else:
                self._token(match[0])

    def _named(self, command: str, inside: str) -> None:
        words = escaped(inside.replace("\\", ""))
        if command == "operatorname":
            self.put(f"<mi>{words}</mi>", "function")
        elif command == "text":
            self.put(f"<mtext>{words.replace(' ', '&#xa0;')}</mtext>")
        else:
            self.put(f"<mo>{words}</mo>")

    def _token(self, token: str) -> None:
        if token in _OPENED:
            self.frames.append(_Frame(_OPENED[token]))
        elif token in ("}{", "]{", "&", r"\\"):
            frame = self.frames[-1]
            frame.parts.append([])
            frame.last, frame.times = "", False
        elif token in ("}", r"\end{cases}"):
            self._close()
        elif token.isdigit():
            self.put(f"<mn>{token}</mn>")
        elif token.isalpha():
            self.put(f"<mi>{token}</mi>")
        else:
            self._sign(token.removeprefix("\\"))

    def _sign(self, name: str) -> None:
        """A sign, or a command that is the name of a function or the letter for one."""
        sign = _SYMBOLS.get(name)
        if sign is None and name.isalpha():
            self.put(f"<mi>{_LETTERS.get(name, name)}</mi>", "function")
        else:
            self.put(f"<mo>{sign or escaped(name)}</mo>")

    def _close(self) -> None:
        """The end of an element; an exponent or an index takes what stands before it."""
        frame = self.frames.pop()
        parts = [_row(part) for part in frame.parts]
        if frame.name in ("msup", "msub"):
            own = self.frames[-1].parts[-1]
            # LaTeX has the base before the sign of its exponent, MathML within the element
            own.append([f"<{frame.name}>", own.pop(), *parts, f"</{frame.name}>"])
        elif frame.name == "mtable":
            self.put(_cases(parts))
        elif frame.name == "mrow":
            self.put(parts[0])
        else:
            if frame.name == "mroot":
                parts.reverse()  # MathML has the degree last
            self.put([f"<{frame.name}>", *parts, f"</{frame.name}>"])


def _row(elements: list[Tree]) -> Tree:
    """Elements as one."""
    return elements[0] if len(elements) == 1 else ["<mrow>", *elements, "</mrow>"]


def _cases(cells: list[Tree]) -> Tree:
    """Rows of two cells behind a brace."""
    rows: list[Tree] = [
        ["<mtr><mtd>", value, "</mtd><mtd>", condition, "</mtd></mtr>"]
        for value, condition in zip(cells[::2], cells[1::2], strict=True)
    ]
    return ['<mrow><mo form="prefix">{</mo><mtable>', *rows, "</mtable></mrow>"]


def _flat(tree: Tree) -> Iterator[str]:
    stack = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        else:
            stack.extend(reversed(item))


def _leaf(node: Value) -> str:
    """A name or a number, as one element."""
    own = _Leaf(_number(node) if node.name is None else _name(node.name))
    base, _ = name_parts(node.name or "")
    own.word = len(_LETTERS.get(base, base)) > 1
    return own


def _number(node: Value) -> str:
    exact = node.exact if isinstance(node, Constant) else None
    if exact is not None and exact.denominator != 1:
        top = _digits(str(exact.numerator))
        return f"<mfrac>{top}<mn>{exact.denominator}</mn></mfrac>"
    mantissa, _, exponent = leaf(node).partition("e")
    if not exponent:
        return _digits(mantissa)
    power = f"<msup><mn>10</mn>{_digits(str(int(exponent)))}</msup>"
    return f"<mrow>{_digits(mantissa)}<mo>⋅</mo>{power}</mrow>"


def _digits(text: str) -> str:
    digits = f"<mn>{escaped(text.removeprefix('-'))}</mn>"
    return f"<mrow><mo>−</mo>{digits}</mrow>" if text.startswith("-") else digits


def _name(name: str) -> str:
    """A variable's name: one letter in italics, words upright, with their subscripts."""
    base, subscript = name_parts(name)
    own = f"<mi>{escaped(_LETTERS.get(base, base))}</mi>"
    if not subscript:
        return own
    subscript = subscript.translate(_LOWERED)
    kind = "mn" if subscript.isdigit() else "mi"
    return f"<msub>{own}<{kind}>{escaped(subscript)}</{kind}></msub>"
