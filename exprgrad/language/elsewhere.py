"""Names from other programs, other languages and everyday speech: what they mean here, or what to do instead.

    CONSTANTS_BY_NAME["Pi"]     "pi"
    instead("integrate")        "integrals are not computed"
    refuse_strange("log[2](x)")     raises, with a hint: write log(x, 2)

Functions that have other names elsewhere are in the operation table (`operations.operation.own_name`).
"""

from __future__ import annotations

from collections.abc import Collection

from exprgrad.errors import ExpressionSyntaxError, ExprgradError, Hint
from exprgrad.language.shapes import points_in_numbers
from exprgrad.operations.vocabulary import CONSTANTS, GREEK

MODULES = frozenset(
    "math cmath np numpy scipy sp sympy sym torch tf jnp jax mpmath mp nn special autograd".split()
)
"""Names before a dot that say nothing: `math.sin` is sin."""

DEGREES = frozenset(("deg", "degree", "degrees"))
RADIANS = frozenset(("rad", "radian", "radians"))

CONSTANTS_BY_NAME = {"PI": "pi", "Pi": "pi", "TAU": "tau", "M_PI": "pi", "M_E": "e"}
"""What constants are called elsewhere."""

SPELT = frozenset(filter(str.islower, GREEK)).difference(CONSTANTS)
"""The names of Greek letters that are variables."""

_INTEGRALS = "integrals are not computed; the derivative of a claimed antiderivative can be checked"
_DECLARED = "names need no declaration: type the expression alone"
ALONE = "type the formula alone, such as x^2, d/dx x^2, or x^2 at x=3"
_COUNTED = "write factorials: 5!/(2!*3!)"
_VALUE = Hint("value_beside")
_GRADIENT = "type the expression alone: all of its partial derivatives are shown"

_MEANT: tuple[tuple[str, str | Hint], ...] = (
    ("integrate quad antiderivative integral", _INTEGRALS), ("int", f"{_INTEGRALS}; for the whole part write floor(x)"),
    ("solve fsolve nsolve roots zeros", "equations are not solved here; what is found is derivatives"),
    ("plot draw", "exprgrad plot draws curves, :plot in a session"),
    ("graph", "exprgrad graph draws the graph of an expression, :graph in a session"),
    ("simplify expand factor collect ratsimp trigsimp fullsimplify apart cancel", "simplify is a command, not a function: exprgrad simplify, or :simplify in a session"),
    ("limit lim", "limits are not computed"), ("prod product", "write the product out"),
    ("sqr", "write x^2 for the square, sqrt(x) for the root"), ("square", "write x^2"), ("exp2", "write 2^x"),
    ("exp10", "write 10^x"), ("sind cosd tand", "angles are in radians: write sin(30°), with the sign for degrees"),
    ("deg2rad", "write x° for degrees"), ("trunc fix", "write floor(x), ceil(x) or round(x)"),
    ("import from print def return const range", "give the expression alone: statements of a programming language mean nothing here"),
    ("Value Variable tensor float double float64 float32", "numbers need no type here: a = 2"),
    ("squared cubed times plus minus over divided power", "write it with signs: x^2, 2*x, x + 1, x/2"),
    ("root", "write sqrt(x), cbrt(x) or root(x, n)"), ("else when", "write if(condition, a, b)"),
    ("of", "write the function with brackets: sin(x)"), ("the", "write it as a formula, such as x^2 + 1"),
    ("symbol syms symbols var", _DECLARED), ("subst subs ev eval at evalf replace", _VALUE),
    ("taylor series maclaurin", Hint("own_command", name="taylor")),
    ("tangent tangentline normal", Hint("own_command", name="tangent")),
    ("minimize fmin fminsearch argmin minimum", Hint("own_command", name="minimize")),
    ("fmax maximum maximize extremum extrema critical stationary", Hint("own_command", name="critical")),
    ("implicitdiff impdif", Hint("own_command", name="implicit")), ("grad gradient jacobian", _GRADIENT),
    ("gradef", "define the function: f(x) = x^2"),
    ("divergence curl", "its parts are partial derivatives: type jacobian of (x*y, x + y)"),
    ("laplacian", "write it out: ∂²/∂x² (...) + ∂²/∂y² (...)"),
    ("nderiv", "write diff(x^2, x); its value at a point is asked for beside it"),
    ("unapply lambdify", "type the expression alone"), ("rational", "write the fraction: 1/2"),
    ("frac fractionalpart", "write x - floor(x)"), ("eq", "write an equation with =: x^2 = 4"),
    ("rem remainder fmod", "write mod(x, 2)"), ("divmod", "write floor(x/2) and mod(x, 2)"),
    ("ncr npr comb binomial binom choose perm", _COUNTED), ("rnd rand random", "there are no random numbers here"),
    ("complex", "complex numbers are not computed"), ("average", "write (a + b)/2, or mean([a, b])"),
    ("sumproduct", "write a*b + c*d, or dot([a, c], [b, d])"), ("radians", "write x° for degrees, or x*pi/180"),
    ("degrees", "write x*180/pi"), ("array", "write an array in square brackets: [1, 2, 3]"),
    ("inf infinity oo", "infinity is not a number here"), ("nan", "it is not a number"),
    ("ans", "the last result has a name in a session only"), ("dt", "write d/dx (...), or diff(f, x)"),
    ("calculate compute evaluate find what whats is for where with given let suppose and such that please show respect value derivative second third help", ALONE),
)  # fmt: skip
"""Words that mean something elsewhere, and what to do here."""

_INSTEAD = {word: hint for words, hint in _MEANT for word in words.split()}


SPOKEN = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "half": "1/2", "minus": "-", "negative": "-", "plus": "+", "times": "*", "squared": "^2",
    "cubed": "^3",
}  # fmt: skip
"""Words for numbers and signs, which an answer is not written in."""

DIGITS = {word: sign for word, sign in SPOKEN.items() if sign.isdigit()}
"""Words for whole numbers up to ten."""


def instead(name: str) -> str | None:
    """A hint for a word that means something elsewhere, but nothing here."""
    return _INSTEAD.get(name) or _INSTEAD.get(name.lower().rstrip("_"))


def is_word(name: str) -> bool:
    """Return whether a name looks like a word of a sentence: at least three letters, and not the name of a Greek one."""
    is_long = len(name) > 2 and name.isascii() and name.isalpha()
    is_own = name in CONSTANTS or name.lower() in SPELT
    return name in _SHORT or (is_long and not is_own)


_SHORT = frozenset("at of to is by in on od ot fo pf fi ov".split())


NOT_NUMBERS = frozenset(("inf", "infinity", "nan", "oo"))
"""Words that other programs read as numbers."""

LONGEST = 10_000
"""Characters of a text in which strange notations are looked for."""

_LIMIT = r"(?:\w+|\{[^{}]*\}|\([^()]*\))\s*"
_LIMITS = rf"{_LIMIT}\^\s*{_LIMIT}[\w(\[√]"
"""The limits behind the sign of an integral or a sum, and the beginning of what it is of."""

_SIDE = "give the formula of that side: of |x| on the right of 0, d/dx x = 1 at x=0"
_STRANGE = (
    ("^n", r"(?<!\w)d\^n\s*[a-z]?\s*/\s*d\s*[a-z]\^n", "derivatives of order n are not computed", "give the order as a number: d^2/dx^2 (...)"),
    ("^(n)", r"(?<!\w)[fghy]\^\(n\)\s*\(", "derivatives of order n are not computed", "give the order as a number: f^(2)(x)"),
    (".", r"(?<=[\d)\]])\s*\.\s*(?:diff|derivative|derive|subs|doit|evalf|integrate|simplify|expand|series|n)\s*\(",
     "methods are not part of the language", "write diff(x^2, x); values are given beside the expression"),
    ("D", r"(?<!\w)D\s*(?:\^\s*\d+|@@\s*\d+)?\s*\([^()]*\)\s*\(|\(D\s*@@\s*\d+\)|(?<!\w)Derivative\s*\[\s*\d+\s*\]",
     "operators without their variable are not part of the language", "write d/dx (x^2), or f(x) = x^2; f'(x)"),
    ("D", r"^\s*D\s*\^\s*\d+\s*[\w(\[]", "this may be an operator or a product", "write d^2/dx^2 (...), or D^2*(...)"),
    ("D", r"^\s*D[a-z]\s*(?:[(\[{]|\s[\w√])", "this may be an operator or a name", "write d/dx (...) for the derivative, * for a product"),
    ("d", r"^\s*d\s+[^/]*/\s*d\s*[a-z]\s*$", "this may be a derivative or a quotient", "write d/dx (x^2) for the derivative"),
    ("D[", r"(?<!\w)D\s*\[", "D[...] is not read within a formula", "write diff(x^2, x)"),
    ("D", r"^\s*D\s+[\w√]", "this may be an operator or a product", "write d/dx x^2 for the derivative, D*x^2 for the product"),
    ("og[", r"(?i:(?<!\w)log\s*\[[^\[\]]*\]\s*\()", "a base in square brackets is not part of the language", "write log(x, 2), or log_2(x)"),
    ("sqrt[", r"(?<!\w)sqrt\[[^\[\],]*\]\s*[(\[{]", "the degree of this root is not read", "write root(x, n), or cbrt(x)"),
    ("C", r"(?<![\w.])\d+\s*(?:C|nCr)\s*\d+(?!\w)", "combinations are not computed", _COUNTED),
    ("P", r"(?<![\w.])\d+\s*(?:P|nPr)\s*\d+(?!\w)", "permutations are not computed", _COUNTED),
    ("10", r"(?<![\w.])\d[\d.]*\s*[xX]\s*10(?=\s*(?:\^|\*\*|[⁻⁰¹²³⁴-⁹]))",
     "this x may be a variable or a sign", "write 1.5*10^3 or 1.5e3 for the number, x*10^3 for the variable"),
    ("int_", rf"(?<!\w)int_{_LIMITS}", "integrals are not computed", "give the integrand, or claim an antiderivative"),
    ("sum_", rf"(?<!\w)sum_{_LIMITS}", "sums with limits are not read", "write the sum out"),
    ("prod_", rf"(?<!\w)prod_{_LIMITS}", "products with limits are not read", "write the product out"),
    ("creas", r"(?<!\w)(?:in|de)creas(?:ing|es)(?!\w)|(?<=\bof\s)(?:in|de)crease(?!\w)", "where a function increases is not judged", "type critical points of x^3 - 3x"),
    ("vertical", r"(?<!\w)vertical\s+tangents?(?!\w)", "where a tangent is vertical is not judged", "type critical points of cbrt(x)"),
    ("onoton", r"(?<!\w)monoton\w+", "where a function is monotonic is not judged", "type critical points of x^3 - 3x"),
    ("conca", r"(?<!\w)conca(?:ve|vity)(?!\w)", "where a function is concave is not judged", "type inflection points of x^3 - 3x"),
    *((prime, r"['’′]\s*(?:_\s*\{?[-+−]\}?|\(\s*[^()=]*[-+−⁺⁻]\s*\))", "one-sided derivatives are not judged", _SIDE) for prime in "'’′"),
    *((x, x, f"{x} may be the derivative by time, or a name", f"write d{power}{y}/dt{power} for the derivative") for x, y, power in (("ẋ", "x", ""), ("ẏ", "y", ""), ("ẍ", "x", "²"))),
    ("derivative", r"(?<!\w)(?:right|left)(?:[- ]hand(?:ed)?)?\s+derivative", "one-sided derivatives are not judged", _SIDE),
    ("mod", r"(?<=[\w)\]])\s+mod\s+(?=[\w(\[])", "words are not operators here", "write mod(a, b)"),
    ("A", r"(?<![\w.])A(?:sin|cos|tan)h?\s*[(\[]", "this may be an inverse function or a product", "write asin(x), or A*sin(x)"),
    ("N[", r"(?<!\w)N\s*\[", "N[...] is not part of the language", "type the expression alone: values are decimals"),
    ("@", r"(?<!\w)[A-Z][a-z]{2,}\s*@\s*\w", "'@' does not call functions here", "write sin(x)"),
)  # fmt: skip
"""Notations that would be misread: what they contain, a pattern, what is wrong, and what to write."""

_HINTS = (
    (r"(?:symbols?|Symbol|var)\s*\(|^\s*syms\b", _DECLARED),
    (r"\.\s*(?:subs|evalf|n)\s*\(|/\.|//\s*N\b", _VALUE),
    (r"\.\s*(?:diff|derivative|derive|doit)\s*\(", "write diff(x^2, x)"),
    (r"(?<!\w)([^\W\d]\w*)\s*\.\s*backward\b", r"type \1 alone: all of its partial derivatives are shown"),
    (r"(?<!\w)([^\W\d]\w*)\s*\.\s*grad\b(?!\s*\()", r"write dL/d\1 for the derivative of L with respect to \1"),
    (r"\.\.\.|…", "write the fraction, such as 1/3, or the digits that are known"),
    (r"[A-Z]+\$?\d+\s*:\s*\$?[A-Z]+\$?\d", "ranges of cells are not read: write A1 + A2, or evaluate the rows of a table"),
    (r"^\s*\{[^{}]*[<>=][^{}]*:", "write if(x > 0, x, 0)"),
    (r"\{[^{}]*[<>][^{}]*[<>][^{}]*\}", "write if(x > 0 and x < 1, ..., 0)"),
    (r"Piecewise\s*\(\s*\(", "write piecewise(x > 0, x, 0): condition, value, ..., otherwise"),
    (r"[,(]\s*['\"]\w+['\"]\s*\)", "leave out the quotes: diff(x^2, x)"),
    (r"%[ij]\b", "complex numbers are not computed"),
    (r"\blim\b.*?(?:->|→)", "limits are not computed"),
    (r"(?<!lim_[({]\w)(?:->|=>|→|⇒|⟹)", "write = for a claim: d/dx x^2 = 2x"),
    (r"\w\s*'", "put the function in brackets, (x^2)', or write d/dx (...)"),
    (r"∂|δ/", "write ∂/∂x (x^2*y), or diff(x^2*y, x, y)"),
    (r"∇\s*(?:\^\s*2|²)|Δ\s*\(", "write it out: ∂²/∂x² (...) + ∂²/∂y² (...)"),
    (r"∇", _GRADIENT),
    (r"[‖∥]", "write norm(x), or abs(x)"),
    (r"[∧∨¬&]", "write and, or, not"),
    (r"[∈∉ℝ⊂∪∩]", "sets are not part of the language: give the expression alone"),
    (r"±|∓", "write one expression with + and one with -"),
    (r"[\u0300-\u036f]", "write the name without the mark above it"),
    (r"[⟨⟩«»“”„]", "write round brackets"),
    (rf"(?<!\w)(?!(?:{'|'.join(MODULES)})\s*\.)[a-zA-Z]\w*\s*\.\s*[a-zA-Z]\w*\s*\(", "write the function alone, without what stands before the dot"),
    (r"\d\s+\d+\s*/\s*\d", "write a sum for a mixed number: 3 + 1/2"),
    (r"(?:sin|cos|tan|cot|sec|csc)h?\s*-\s*1\s*\(", "write asin(x), or sin^-1(x), for the inverse function"),
)  # fmt: skip
"""Hints for texts that cannot be read and have such a notation in them."""


def refuse_strange(source: str, declared: Collection[str]) -> None:
    """Raise `ExpressionSyntaxError` for a notation that would be misread."""
    if len(source) > LONGEST:
        return
    for sign, strange, message, hint in _STRANGE:
        if sign not in source or sign in declared:
            continue
        if sign == "." and ("(" not in source or points_in_numbers(source)):
            continue  # decimal points, which are not worth a pattern
        import re  # most texts have no such sign

        found = re.search(strange, source)
        if found is not None:
            whole = found.end() - len(found[0].lstrip()), found.end()
            from exprgrad.language.scanning.reach import Unclear

            kind = Unclear if sign in ("vertical", *"ẋẏẍ") else ExpressionSyntaxError
            raise kind(message, whole, hint, source=source)


def with_better_hint(error: ExprgradError, source: str) -> None:
    """Give an error a hint at what is written here instead of a notation of another program, if it is at one."""
    import re

    if len(source) > LONGEST or not isinstance(error, ExpressionSyntaxError):
        return
    start, end = error.span or (0, len(source))
    for strange, hint in _HINTS:
        for found in re.finditer(strange, source):
            # an error may stand beside the notation: at the comma behind Piecewise((x, at the f[x] before /. x -> 3
            if found.start() - 2 <= end and start <= found.end() + 2:
                error.hint = found.expand(hint) if isinstance(hint, str) else hint
                return
