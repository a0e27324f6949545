r"""The meanings of the commands of TeX in a formula: signs, names, functions, and what is not read.

SIGNS["\\cdot"]          "_TIMES"
letter("\\theta")        "theta"
function("\\arcsin")     "asin" under its own name here
REFUSED["\\int"]         why, and what to write
"""

from __future__ import annotations

from exprgrad.language.latex import tex
from exprgrad.operations.operation import named, own_name
from exprgrad.operations.vocabulary import GREEK, is_function

SIGNS = {
    "\\cdot": "_TIMES", "\\times": "_TIMES", "\\ast": "_TIMES", "\\cdotp": "_TIMES", "\\centerdot": "_TIMES",
    "\\div": "_OVER", "\\slash": "_OVER",
    "\\lt": "_LT", "\\gt": "_GT", "\\le": "_LE", "\\leq": "_LE", "\\leqslant": "_LE", "\\ge": "_GE", "\\geq": "_GE",
    "\\geqslant": "_GE", "\\ne": "_NE", "\\neq": "_NE", "\\land": "_AND", "\\lor": "_OR", "\\neg": "_NOT",
    "\\lnot": "_NOT", "\\degree": "DEGREE",
}  # fmt: skip
"""The terminals of the grammar that commands stand for."""

OPENING = {
    "\\{": "\\{", "\\lbrace": "\\{", "\\lbrack": "[", "\\lparen": "(", "\\lfloor": "\\lfloor", "\\lceil": "\\lceil",
    "(": "(", "[": "[", "{": "{",
}  # fmt: skip
CLOSING = {
    "\\}": "\\{", "\\rbrace": "\\{", "\\rbrack": "[", "\\rparen": "(", "\\rfloor": "\\lfloor", "\\rceil": "\\lceil",
    ")": "(", "]": "[", "}": "{",
}  # fmt: skip
"""Brackets; a closing one by the opening one that it belongs to."""

SIZES = frozenset(
    f"\\{size}{way}"
    for size in ("big", "Big", "bigg", "Bigg", "biggm", "Biggm")
    for way in ("l", "r", "m", "")
)
"""Commands for the size of the bracket behind them."""

CLOSES = {
    "(": ")", "[": "]", "{": "}", "\\{": "\\}", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil",
}  # fmt: skip

AROUND = {"\\lfloor": "floor", "\\lceil": "ceil"}
"""The functions that are written as brackets."""

BARS = {
    "|": "", "\\vert": "", "\\mid": "", "\\lvert": "open", "\\rvert": "close", "\\bigl|": "open",
}  # fmt: skip

FRACTIONS = tex.commands("frac dfrac tfrac cfrac nicefrac sfrac flatfrac")
CHOOSING = frozenset(("\\binom", "\\dbinom", "\\tbinom"))

_VARIANTS = {
    "varepsilon": "epsilon", "vartheta": "theta", "varpi": "varpi", "varrho": "rho", "varsigma": "sigma",
    "varphi": "phi", "varkappa": "kappa", "imath": "i", "jmath": "j",
    "exponentialE": "e", "eulernumber": "e",
}  # fmt: skip

FONTS = tex.commands(
    "mathbf boldsymbol bm mathcal mathscr mathfrak mathbb mathnormal mathtt textbf pmb vec"
)
"""Other alphabets: a letter in one of them is another name than the plain letter."""

ACCENTS = {
    "\\bar": "bar", "\\overline": "bar", "\\hat": "hat", "\\widehat": "hat", "\\tilde": "tilde", "\\widetilde": "tilde",
}  # fmt: skip
"""Accents, which become part of a name: \\bar{x} is x_bar."""

_REFUSED: tuple[tuple[str, str, str | None], ...] = (
    ("int", "integrals are not computed", "give the integrand, or claim an antiderivative"),
    ("iint oint", "integrals are not computed", None), ("sum", "sums with limits are not read", "write the sum out"),
    ("prod", "products with limits are not read", "write the product out"),
    ("lim limsup liminf to rightarrow longrightarrow", "limits are not computed", "give the expression alone"),
    ("infty", "infinity is not a number here", None),
    ("pm mp", "this stands for two expressions", "write one with + and one with -"),
    ("imaginaryI imaginaryJ Re Im", "complex numbers are not computed", None),
    ("nabla", "the gradient is not read as part of a formula", "give the function alone"),
    ("approx", "'≈' is not '='", "give one side"), ("simeq", "'≃' is not '='", "give one side"),
    ("sim", "'∼' is not '='", "give one side"), ("cong", "'≅' is not '='", "give one side"),
    ("propto", "a proportion has no value", None), ("ldots dots cdots", "dots stand for what is left out", "write it out"),
    ("%", "'%' is not part of the language", "write x/100 for a percentage"),
    ("$", "'$' is not part of the language", "give numbers without currencies"),
    ("| Vert lVert", "norms are not read in LaTeX", "write |x|, or \\operatorname{norm}(x)"),
    ("dot", "a dot stands for a derivative with respect to time", "write \\frac{d}{dt}"),
    ("ddot", "dots stand for derivatives with respect to time", "write \\frac{d^2}{dt^2}"),
    ("circ", "the composition of functions is not read", "write f(g(x)), or ^\\circ for degrees"),
    ("bmod mod", "words are not operators here", "write \\operatorname{mod}(a, b)"), ("pmod", "congruences are not read", None),
    ("in cup cap", "sets are not part of the language", "give the expression alone"),
    ("angle", "angles are numbers here, in radians", None),
    ("langle rangle", "angle brackets are not read", "write round brackets"),
    ("partial", "∂ stands only in derivatives", "write \\frac{\\partial}{\\partial x}"),
    ("det", "determinants are not computed", None), ("gcd", "greatest common divisors are not computed", None),
    ("prime", "a prime cannot stand here", "write f'(x)"),
    ("\\ implies Rightarrow Longrightarrow iff Leftrightarrow", "here are several formulas", "give one of them"),
)  # fmt: skip
"""Commands that are refused with their name: why, and what helps."""

REFUSED = {
    name: (why, instead)
    for names, why, instead in _REFUSED
    for name in tex.commands(names)
}

UNITS = frozenset(
    "m s kg g mg cm mm km nm ft in inch inches lb lbs oz mi mph N J W kW V A C K Pa kPa Hz mol L l ml mL min h hr hrs "
    "hour hours sec second seconds minute minutes day days year years rad deg degrees radians meter meters metre metres "
    "feet foot mile miles gram grams unit units eV MeV dollars cents percent rpm sq cubic per".split()
)
"""Words behind a number that are units."""

OTHERWISE = frozenset(("otherwise", "else", "elsewhere", "otherwise."))
CONDITIONS = frozenset(("if", "for", "when", "where", "provided", "whenever", "on"))

CONNECTIVES = CONDITIONS | frozenset(
    "and or so then hence thus therefore where with since because but also as at gives is i.e. ie now".split()
)
"""Words between formulas."""

ENVIRONMENTS = frozenset(
    "align aligned alignat alignedat equation gather gathered split multline eqnarray displaymath math flalign".split()
)
"""Environments that only lay out what is in them."""

MATRICES = frozenset(("matrix", "pmatrix", "bmatrix", "Bmatrix", "array", "smallmatrix"))  # fmt: skip
CASES = frozenset(("cases", "dcases", "rcases", "drcases"))


def nesting(text: str) -> int:
    """Return how a token changes the depth of nesting: 1, -1, or 0."""
    return (text in OPENING or text == "\\begin") - (text in CLOSING or text == "\\end")


def letters(command: str) -> tuple[str, ...]:
    """The names that a command for a letter may have, the usual one first; none for other commands."""
    name = command[1:]
    if name in _VARIANTS:
        usual = _VARIANTS[name]
        return usual, name, GREEK.get(usual, usual)
    if name in GREEK or name in ("ell", "hbar", "digamma"):
        return name, GREEK.get(name, name)
    return ()


def function(name: str, called: bool, short: tuple[str, ...] = ("tg",)) -> str | None:
    """The function of the table that a word names; None if it is none. Of two letters it is one of those `short` ones."""
    if is_function(name, called):
        return name
    own = own_name(name)
    # two letters side by side are a product: th is t*h, though \th is tanh
    if own is None or (len(name) < 3 and name not in short):
        return None
    bare = any(operation.bare for operation in named(own).values())
    return own if called or bare else None
