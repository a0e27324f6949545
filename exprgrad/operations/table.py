"""The table: every operation, declared once.

    NAME = Operation("name", kernel on floats, local partial by each argument, formula, domain, corner ...
                     how it is written, as text and in LaTeX, and its other names
                     parity and other facts, what Arb, NumPy and Python call it, bounds on rounding errors)

A local partial is a function of the result and the arguments, written in the table's own operations: a number
where it is constant, None for an argument such as the order of a derivative, which takes whole numbers only.
The rules are those of any calculus book; where one is written otherwise, the form keeps its digits at the ends
of the range (sigmoid: y*(1 - y) is 0 from x = 37 on, sigmoid(x)*sigmoid(-x) is not). `Operation` says what
each field means.

To add an operation, add a row; at the end of the file will do.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

from exprgrad.annotations import Any
from exprgrad.operations import array_kernels as a
from exprgrad.operations import condition_numbers as c
from exprgrad.operations import kernels as k
from exprgrad.operations.array_operation import ArrayOperation
from exprgrad.operations.conditions import Condition
from exprgrad.operations.operation import (
    EVEN,
    ODD,
    SLOWLY,
    STEEPLY,
    SWINGING,
    Kernel,
    Notation,
    Operation,
    complete,
)

pi = math.pi


# How operations are written. Precedences, loosest first: or 1, and 2, not 3, comparisons 4, sums 5,
# products 6, signs 7, powers 8, factorials 9, anything in brackets 10.


def _infix(symbol: str, precedence: int, left: int, right: int) -> Notation:
    return Notation(((0, left), symbol, (1, right)), precedence)


def _around(left: str, right: str, precedence: int = 10) -> Notation:
    return Notation((left, (0, 0), right), precedence)


def _relation(name: str, symbol: str, latex: str, kernel: Any, numpy: str) -> Operation:
    return Operation(
        name, lambda x, y: 1.0 if kernel(x, y) else 0.0, 0, 0, signature=f"x {symbol} y",
        text=_infix(f" {symbol} ", 4, 5, 5), latex=_infix(f" {latex} ", 4, 5, 5),
        corner=lambda x, y: eq(x, y), rule="comparison",
        numpy=numpy, code=f"(1.0 if {{}}{symbol}{{}} else 0.0)",
        javascript=f"x {symbol} y ? 1 : 0",
    )  # fmt: skip


def _with_axis(
    name: str, value: Any, pull: Any, aliases: Sequence[str] = (), **fields: Any
) -> tuple[ArrayOperation, ArrayOperation]:
    """An operation on all elements of an array, and on those along an axis."""
    row = ArrayOperation(name, value, pull, aliases=aliases, **fields)
    along = f"{name}(x, axis)"
    return row, ArrayOperation(f"{name}_along", value, pull, None, signature=along, **fields)  # fmt: skip


# Real domains. A message says "an argument > 0" of x, and "a base > 0" of an argument of that name.

# fmt: off
_NOT_ZERO = Condition(lambda x: ne(x, 0))
_POSITIVE = Condition(lambda x: x > 0)
_FROM_ZERO = Condition(lambda x: x >= 0)
_UNIT = Condition(lambda x: and_(x >= -1, x <= 1))
_OPEN_UNIT = Condition(lambda x: and_(x > -1, x < 1))
_OUTSIDE_UNIT = Condition(lambda x: abs(x) >= 1)
_BEYOND_UNIT = Condition(lambda x: abs(x) > 1)
_NO_POLE = Condition("an argument that is not 0, -1, -2, ...", lambda x, *order: or_(x > 0, ne(x, floor(x))))
_OFF_COSINE = Condition("an argument that is no odd multiple of pi/2", lambda x: ne(cos(x), 0))
_OFF_SINE = Condition("an argument that is no multiple of pi", lambda x: ne(sin(x), 0))
_DIVISOR = Condition(lambda dividend, divisor: ne(divisor, 0))
_WHOLE = Condition(lambda number: and_(number >= 0, eq(number, floor(number))))
_BASE_NOT_ZERO = Condition("a base other than 0 where the exponent is negative", lambda x, y: or_(y >= 0, ne(x, 0)))
_POWER = (_BASE_NOT_ZERO, Condition("a base >= 0, or a whole exponent, or a fraction with odd denominator such as 1/3",
                                    lambda x, y: or_(eq(y, floor(y)), x >= 0)))
_ROOT = (lambda x, degree: ne(degree, 0),
         Condition("an argument other than 0 where the degree is negative", lambda x, n: or_(n > 0, ne(x, 0))),
         Condition("an argument >= 0, or an odd whole degree",
                   lambda x, n: or_(and_(eq(n, floor(n)), ne(n / 2, floor(n / 2))), x >= 0)))
_LOGARITHM = (lambda x, base: x > 0, lambda x, base: and_(base > 0, ne(base, 1)))
_PROBABILITY = (lambda probability, y: and_(probability >= 0, probability <= 1),
                lambda p, target: and_(target >= 0, target <= 1),
                Condition("a probability > 0 where the target is > 0", lambda p, y: or_(y <= 0, p > 0)),
                Condition("a probability < 1 where the target is < 1", lambda p, y: or_(y >= 1, p < 1)))
_ORDER = Condition(lambda x, order: and_(and_(order >= 0, order <= 100), eq(order, floor(order))))

# Arithmetic

NEG = Operation("neg", operator.neg, -1,
                signature="-x", text=Notation(("-", (0, 8)), 7), latex=Notation(("-", (0, 6)), 5), rule="sign",
                elsewhere=("negative", "neg"), parity=ODD, numpy="negative", code="(-{})", javascript="-x")
ADD = Operation("add", operator.add, 1, 1,
                signature="x + y", text=_infix(" + ", 5, 5, 6), latex=_infix(" + ", 5, 5, 5), rule="sum",
                elsewhere=("add", "plus"), numpy="add", code="({}+{})", javascript="x + y")
SUB = Operation("sub", operator.sub, 1, -1,
                signature="x - y", text=_infix(" - ", 5, 5, 6), latex=_infix(" - ", 5, 5, 6), rule="difference",
                elsewhere=("subtract", "minus"), numpy="subtract", code="({}-{})", javascript="x - y")
MUL = Operation("mul", operator.mul, lambda z, x, y: y, lambda z, x, y: x,
                signature="x*y", text=_infix("*", 6, 6, 8), latex=_infix(r" \cdot ", 6, 6, 7), rule="product",
                elsewhere=("multiply", "times"), numpy="multiply", code="({}*{})", javascript="x * y")
DIV = Operation("div", operator.truediv, lambda z, x, y: 1 / y, lambda z, x, y: -z / y, domain=_DIVISOR,
                signature="x/y", text=_infix("/", 6, 6, 8), latex=Notation((r"\frac{", (0, 0), "}{", (1, 0), "}"), 7), rule="quotient", elsewhere=("divide",),
                numpy="divide", code="({}/{})", javascript="x / y")

# Powers and roots. A fraction p/q with odd q as exponent means the real root: x^(p/q) is then
# pow_even (p even, |x|^(p/q)) or pow_odd (p odd, with the sign of x).

_POWER_SLOPE = "({2}*{1}**({2}-1.0) if {2}>=0.5 or {2}<=-1.0 else {2}*{0}/{1})"  # of z, x, y
_PLAIN_POWER = lambda np, x, y: np.power(x, y)  # noqa: E731
_EVEN_POWER = lambda np, x, y: np.power(np.abs(x), y)  # noqa: E731
_ODD_POWER = lambda np, x, y: np.sign(x) * np.power(np.abs(x), y)  # noqa: E731

pow = POW = Operation("pow", math.pow, lambda z, x, y: y * x**(y - 1), lambda z, x, y: z * ln(x), domain=_POWER,
                      corner=lambda x, y: and_(ne(y, floor(y)), eq(x, 0)),
                      slopes={0: Kernel("pow_slope", k.power_slope, _POWER_SLOPE, a.power_slope(_PLAIN_POWER))},
                      signature="x^y", text=_infix("^", 8, 9, 9), latex=Notation(((0, 9), "^{", (1, 0), "}"), 8),
                      rule="power", elsewhere=("pow", "power"), steep=True,
                      arb="__pow__", numpy="power", python="math.pow")
pow_even = POW_EVEN = Operation("pow_even", k.power_even, lambda z, x, y: y * pow_odd(x, y - 1),
                                lambda z, x, y: z * ln(abs(x)), formula=lambda x, y: abs(x)**y, domain=_BASE_NOT_ZERO,
                                corner=lambda x, y: and_(y < 1, eq(x, 0)),
                                slopes={0: Kernel("pow_even_slope", k.power_even_slope, numpy=a.power_slope(_ODD_POWER))},
                                signature="x^(p/q)", text=POW.text, latex=POW.latex, rule="power", steep=True,
                                python=Notation(("math.fabs(", (0, 0), ")**", (1, 8)), 8),
                                javascript="Math.pow(Math.abs(x), y)")
pow_odd = POW_ODD = Operation("pow_odd", k.power_odd, lambda z, x, y: y * pow_even(x, y - 1),
                              lambda z, x, y: z * ln(abs(x)), formula=lambda x, y: sign(x) * abs(x)**y,
                              domain=_BASE_NOT_ZERO, corner=lambda x, y: and_(y < 1, eq(x, 0)),
                              slopes={0: Kernel("pow_odd_slope", k.power_odd_slope, numpy=a.power_slope(_EVEN_POWER))},
                              signature="x^(p/q)", text=POW.text, latex=POW.latex, rule="power", steep=True,
                              python=Notation(("math.copysign(math.fabs(", (0, 0), ")**", (1, 8), ", ", (0, 0), ")"), 10),
                              javascript="Math.sign(x) * Math.pow(Math.abs(x), y)")
sqrt = SQRT = Operation("sqrt", math.sqrt, lambda y, x: 1 / (2 * y), domain=_FROM_ZERO, corner=lambda x: eq(x, 0),
                        near=lambda x: pow(x, 0.5),
                        latex=_around(r"\sqrt{", "}"), bare=True,
                        elsewhere=("sqroot", "squareroot", "raiz", "racine"), values="[0, inf)", arb="sqrt",
                        kernel_error=(1, 0), condition_number=c.steady)
CBRT = Operation("cbrt", math.cbrt, lambda y, x: 1 / (3 * y**2), formula=lambda x: pow_odd(x, 1 / 3),
                 corner=lambda x: eq(x, 0),
                 latex=_around(r"\sqrt[3]{", "}"), bare=True, elsewhere=("cuberoot", "cbroot"), parity=ODD,
                 arb="cbrt", numpy=None,  # which is off by 5 units there
                 condition_number=c.steady)
ROOT = Operation("root", k.root, lambda y, x, n: y / n / x, lambda y, x, n: -y * ln(x) / n**2,
                 formula=lambda x, n: pow_odd(x, 1 / n), domain=_ROOT, corner=lambda x, n: eq(x, 0),
                 signature="root(x, n)", latex=Notation((r"\sqrt[", (1, 0), "]{", (0, 0), "}"), 10),
                 elsewhere=("nthroot", "nroot", "surd", "real_root"),
                 kernel_error=(752, 0),  # of rounding 1/n, ln(root) of which come out
                 javascript="y === 2 ? Math.sqrt(x) : y === 3 ? Math.cbrt(x) : Math.sign(x) * Math.pow(Math.abs(x), 1 / y)")
hypot = HYPOT = Operation("hypot", math.hypot, lambda z, x, y: x / z, lambda z, x, y: y / z,
                          formula=lambda x, y: sqrt(x**2 + y**2), corner=lambda x, y: and_(eq(x, 0), eq(y, 0)),
                          bent=True)

# Exponentials and logarithms

exp = EXP = Operation("exp", math.exp, lambda y, x: y, far=(0, STEEPLY),
                      latex=Notation(("e^{", (0, 0), "}"), 8), bare=True, inverse="ln", steep=True, values="(0, inf)",
                      arb="exp", condition_number=c.growing)
EXPM1 = Operation("expm1", math.expm1, lambda y, x: exp(x), formula=lambda x: exp(x) - 1, far=(-1, STEEPLY),
                  steep=True, arb="expm1", condition_number=c.growing)
ln = LN = Operation("ln", math.log, lambda y, x: 1 / x, domain=_POSITIVE, far=(None, SLOWLY),
                    latex=r"\ln", bare=True, aliases=("log",), arb="log", condition_number=c.logarithmic)
LOG1P = Operation("log1p", math.log1p, lambda y, x: 1 / (1 + x), formula=lambda x: ln(1 + x), domain=lambda x: x > -1,
                  arb="log1p", condition_number=c.logarithmic_from_one)
LOG2 = Operation("log2", math.log2, lambda y, x: 1 / (x * ln(2)), formula=lambda x: ln(x) / ln(2), domain=_POSITIVE,
                 latex=_around(r"\log_{2}\left(", r"\right)"), bare=True, elsewhere=("ld", "lb"), exact=True,
                 condition_number=c.logarithmic)
LOG10 = Operation("log10", math.log10, lambda y, x: 1 / (x * ln(10)), formula=lambda x: ln(x) / ln(10),
                  domain=_POSITIVE,
                  latex=_around(r"\log_{10}\left(", r"\right)"), bare=True, aliases=("lg",), exact=True,
                  condition_number=c.logarithmic)
LOG = Operation("log", k.logarithm, lambda y, x, b: 1 / (x * ln(b)), lambda y, x, b: -y / (b * ln(b)),
                formula=lambda x, b: ln(x) / ln(b), domain=_LOGARITHM,
                signature="log(x, b)", latex=Notation((r"\log_{", (1, 0), r"}\left(", (0, 0), r"\right)"), 10),
                exact=True,
                numpy=a.logarithm, python="math.log",
                javascript="y === 2 ? Math.log2(x) : y === 10 ? Math.log10(x) : Math.log(x) / Math.log(y)")

# Trigonometric functions and their inverses

sin = SIN = Operation("sin", math.sin, lambda y, x: cos(x), far=(SWINGING, SWINGING),
                      latex=r"\sin", bare=True, inverse="asin", elsewhere=("sen",),
                      angle=True, parity=ODD, values="[-1, 1]", arb="sin", bend=1, condition_number=c.turning)
cos = COS = Operation("cos", math.cos, lambda y, x: -sin(x), far=(SWINGING, SWINGING),
                      latex=r"\cos", bare=True, inverse="acos", angle=True, parity=EVEN, values="[-1, 1]", arb="cos",
                      bend=1, condition_number=c.turning)
tan = TAN = Operation("tan", k.tan, lambda y, x: sec(x)**2, formula=lambda x: sin(x) / cos(x), domain=_OFF_COSINE,
                      latex=r"\tan", bare=True, inverse="atan", elsewhere=("tg",), angle=True, parity=ODD,
                      arb="tan", numpy=lambda np, x: np.sin(x) / a.off_zeros(np, np.cos(x), x), python="math.tan", javascript="Math.tan", condition_number=c.tangential)
sec = SEC = Operation("sec", k.sec, lambda y, x: y * tan(x), formula=lambda x: 1 / cos(x), domain=_OFF_COSINE,
                      latex=r"\sec", bare=True, inverse="asec", angle=True, parity=EVEN,
                      arb="sec", numpy=lambda np, x: 1 / a.off_zeros(np, np.cos(x), x), javascript="1 / Math.cos(x)", condition_number=c.secant)
csc = CSC = Operation("csc", k.csc, lambda y, x: -y * cot(x), formula=lambda x: 1 / sin(x), domain=_OFF_SINE,
                      latex=r"\csc", bare=True, inverse="acsc", aliases=("cosec",), angle=True, parity=ODD,
                      arb="csc", numpy=lambda np, x: 1 / a.off_zeros(np, np.sin(x), x), javascript="1 / Math.sin(x)", condition_number=c.secant)
cot = COT = Operation("cot", k.cot, lambda y, x: -csc(x)**2, formula=lambda x: cos(x) / sin(x), domain=_OFF_SINE,
                      latex=r"\cot", bare=True, inverse="acot", aliases=("cotan",), elsewhere=("ctg", "cotg"),
                      angle=True, parity=ODD, arb="cot", numpy=lambda np, x: np.cos(x) / a.off_zeros(np, np.sin(x), x), javascript="Math.cos(x) / Math.sin(x)",
                      condition_number=c.tangential)
asin = ASIN = Operation("asin", math.asin, lambda y, x: 1 / sqrt((1 - x) * (1 + x)), domain=_UNIT,
                        corner=lambda x: eq(abs(x), 1),
                        latex=r"\arcsin", bare=True, inverse="sin", aliases=("arcsin",), elsewhere=("arcsen", "asen"),
                        parity=ODD, arb="asin", condition_number=c.within_one)
acos = ACOS = Operation("acos", math.acos, lambda y, x: -1 / sqrt((1 - x) * (1 + x)),
                        formula=lambda x: pi / 2 - asin(x), domain=_UNIT, corner=lambda x: eq(abs(x), 1),
                        latex=r"\arccos", bare=True, inverse="cos", aliases=("arccos",), arb="acos",
                        condition_number=c.within_one)
ATAN = Operation("atan", math.atan, lambda y, x: 1 / (1 + x**2),
                 far=(lambda x: -pi / 2 - atan(1 / x), lambda x: pi / 2 - atan(1 / x)),
                 latex=r"\arctan", bare=True, inverse="tan", aliases=("arctan",),
                 elsewhere=("arctg", "arctang", "atg"),
                 parity=ODD, values="(-1.5707963267948968, 1.5707963267948968)", arb="atan",
                 bend=0.65, condition_number=c.steady)
ASEC = Operation("asec", k.asec, lambda y, x: 1 / (abs(x) * sqrt(abs(x) - 1) * sqrt(abs(x) + 1)),
                 formula=lambda x: acos(1 / x), domain=_OUTSIDE_UNIT, corner=lambda x: eq(abs(x), 1),
                 bare=True, inverse="sec", aliases=("arcsec",),
                 javascript="2 * Math.atan2(Math.sqrt(Math.abs(x) - Math.sign(x)), Math.sqrt(Math.abs(x) + Math.sign(x)))",
                 condition_number=c.beyond_one)
ACSC = Operation("acsc", k.acsc, lambda y, x: -1 / (abs(x) * sqrt(abs(x) - 1) * sqrt(abs(x) + 1)),
                 formula=lambda x: asin(1 / x), domain=_OUTSIDE_UNIT, corner=lambda x: eq(abs(x), 1),
                 bare=True, inverse="csc", aliases=("arccsc", "arccosec"), parity=ODD,
                 javascript="Math.sign(x) * Math.atan2(1, Math.sqrt(Math.abs(x) - 1) * Math.sqrt(Math.abs(x) + 1))",
                 condition_number=c.beyond_one)
ACOT = Operation("acot", k.acot, lambda y, x: -1 / (1 + x**2), formula=lambda x: atan(1 / x), domain=_NOT_ZERO,
                 bare=True, inverse="cot", aliases=("arccot",), elsewhere=("arcctg", "arccotg", "arccotan", "acotan"),
                 parity=ODD, javascript="Math.atan(1 / x)", bend=0.65, condition_number=c.steady)
ATAN2 = Operation("atan2", k.arctangent, lambda a, y, x: x / hypot(x, y) / hypot(x, y),
                  lambda a, y, x: -y / hypot(x, y) / hypot(x, y),
                  domain=Condition("a point other than the origin", lambda y, x: or_(ne(x, 0), ne(y, 0))),
                  corner=lambda y, x: and_(x < 0, eq(y, 0)), near=lambda y, x: atan(y / x) + pi * (2 * step(y) - 1),
                  signature="atan2(y, x)", aliases=("arctan2",),
                  arb="atan2", numpy=lambda np, y, x: np.arctan2(y + 0.0, x) + 0 / np.maximum(np.abs(x), np.abs(y)),
                  python="math.atan2", javascript="Math.atan2(x + 0, y)")
atan = ATAN

# Hyperbolic functions and their inverses

sinh = SINH = Operation("sinh", math.sinh, lambda y, x: cosh(x), formula=lambda x: (exp(x) - exp(-x)) / 2,
                        far=(STEEPLY, STEEPLY),
                        latex=r"\sinh", bare=True, inverse="asinh", elsewhere=("sh", "senh"),
                        parity=ODD, steep=True, family="hyperbolic", arb="sinh", condition_number=c.growing)
cosh = COSH = Operation("cosh", math.cosh, lambda y, x: sinh(x), formula=lambda x: (exp(x) + exp(-x)) / 2,
                        far=(STEEPLY, STEEPLY),
                        latex=r"\cosh", bare=True, inverse="acosh", elsewhere=("ch",),
                        parity=EVEN, steep=True, family="hyperbolic", values="[1, inf)", arb="cosh",
                        condition_number=c.growing)
tanh = TANH = Operation("tanh", math.tanh, lambda y, x: 1 / cosh(x)**2,
                        formula=lambda x: (exp(x) - exp(-x)) / (exp(x) + exp(-x)), far=(-1, 1),
                        latex=r"\tanh", bare=True, inverse="atanh", elsewhere=("th", "tgh"),
                        parity=ODD, family="hyperbolic", values="(-1, 1)", arb="tanh",
                        bend=0.77, condition_number=c.growing)
SECH = Operation("sech", k.sech, lambda y, x: -y * tanh(x), formula=lambda x: 1 / cosh(x), far=(0, 0),
                 bare=True, inverse="asech", parity=EVEN,
                 arb="sech", javascript="2 * Math.exp(-Math.abs(x)) / (1 + Math.exp(-2 * Math.abs(x)))",
                 bend=1, condition_number=c.growing)
CSCH = Operation("csch", k.csch, lambda y, x: -y * coth(x), formula=lambda x: 1 / sinh(x), domain=_NOT_ZERO,
                 far=(0, 0),
                 bare=True, inverse="acsch", aliases=("cosech",), parity=ODD,
                 arb="csch", javascript="Math.sign(x) * -2 * Math.exp(-Math.abs(x)) / Math.expm1(-2 * Math.abs(x))",
                 condition_number=c.growing)
coth = COTH = Operation("coth", k.coth, lambda y, x: -csch(x)**2, formula=lambda x: cosh(x) / sinh(x),
                        domain=_NOT_ZERO, far=(-1, 1),
                        latex=r"\coth", bare=True, inverse="acoth", elsewhere=("cth", "ctgh"), parity=ODD,
                        arb="coth", javascript="1 / Math.tanh(x)", condition_number=c.growing)
ASINH = Operation("asinh", math.asinh, lambda y, x: 1 / hypot(1, x), formula=lambda x: ln(x + sqrt(x**2 + 1)),
                  far=(SLOWLY, SLOWLY),
                  bare=True, inverse="sinh", aliases=("arcsinh", "arsinh", "argsinh"), elsewhere=("arsh",),
                  parity=ODD, arb="asinh", bend=0.39, condition_number=c.steady)
acosh = ACOSH = Operation("acosh", math.acosh, lambda y, x: 1 / (sqrt(x - 1) * sqrt(x + 1)),
                          formula=lambda x: ln(x + sqrt(x - 1) * sqrt(x + 1)), domain=lambda x: x >= 1,
                          corner=lambda x: eq(x, 1), far=(None, SLOWLY),
                          bare=True, inverse="cosh", aliases=("arccosh", "arcosh", "argcosh"), elsewhere=("arch",),
                          arb="acosh", condition_number=c.beyond_one)
ATANH = Operation("atanh", math.atanh, lambda y, x: 1 / ((1 - x) * (1 + x)),
                  formula=lambda x: (ln(1 + x) - ln(1 - x)) / 2, domain=_OPEN_UNIT,
                  bare=True, inverse="tanh", aliases=("arctanh", "artanh", "argtanh"), elsewhere=("arth",),
                  parity=ODD, arb="atanh", condition_number=c.within_one)
ASECH = Operation("asech", k.asech, lambda y, x: -1 / (x * sqrt((1 - x) * (1 + x))), formula=lambda x: acosh(1 / x),
                  domain=lambda x: and_(x > 0, x <= 1), corner=lambda x: eq(x, 1),
                  bare=True, inverse="sech", aliases=("arcsech", "arsech"),
                  javascript="Math.log1p((1 - x) / x + Math.sqrt((1 - x) * (1 + x)) / x)",
                  condition_number=c.within_one)
ACSCH = Operation("acsch", k.acsch, lambda y, x: -1 / (abs(x) * hypot(1, x)), formula=lambda x: asinh(1 / x),
                  domain=_NOT_ZERO,
                  bare=True, inverse="csch", aliases=("arccsch", "arcsch"), parity=ODD,
                  javascript="Math.asinh(1 / x)", condition_number=c.steady)
ACOTH = Operation("acoth", k.acoth, lambda y, x: 1 / ((1 - x) * (1 + x)), formula=lambda x: atanh(1 / x),
                  domain=_BEYOND_UNIT,
                  bare=True, inverse="coth", aliases=("arccoth", "arcoth"), parity=ODD,
                  javascript="Math.sign(x) * Math.log1p(2 / (Math.abs(x) - 1)) / 2", condition_number=c.beyond_one)
csch, asinh, atanh = CSCH, ASINH, ATANH

# Pieces, corners and steps

abs = ABS = Operation("abs", math.fabs, lambda y, x: sign(x), corner=lambda x: eq(x, 0), bent=True,
                      latex=_around(r"\left|", r"\right|"), bare=True, elsewhere=("fabs", "modulus"),
                      parity=EVEN, exact=True, values="[0, inf)",
                      arb="__abs__", numpy="absolute", javascript="Math.abs", condition_number=c.steady)
sign = SIGN = Operation("sign", k.sign, 0, corner=lambda x: eq(x, 0), far=(-1, 1),
                        aliases=("sgn",), elsewhere=("signum",), parity=ODD, exact=True, values="[-1, 1]",
                        numpy="sign", python=Notation(("((", (0, 10), " > 0) - (", (0, 10), " < 0))"), 10),
                        javascript="Math.sign")
step = STEP = Operation("step", k.step, 0, corner=lambda x: eq(x, 0), far=(0, 1),
                        aliases=("heaviside",), elsewhere=("unitstep", "heavisidetheta"), exact=True, values="[0, 1]",
                        numpy=lambda np, x: np.heaviside(x, 1.0), python=Notation(("float(", (0, 5), " >= 0)"), 10), javascript="x >= 0 ? 1 : 0")
floor = FLOOR = Operation("floor", k.floor, 0, corner=lambda x: eq(x, floor(x)),
                          latex=_around(r"\left\lfloor ", r"\right\rfloor "), exact=True,
                          numpy="floor", python="math.floor", javascript="Math.floor")
CEIL = Operation("ceil", k.ceil, 0, corner=lambda x: eq(x, floor(x)),
                 latex=_around(r"\left\lceil ", r"\right\rceil "), elsewhere=("ceiling",), exact=True,
                 numpy="ceil", python="math.ceil", javascript="Math.ceil")
round = ROUND = Operation("round", k.whole, 0, corner=lambda x: eq(abs(x - round(x)), 0.5),
                          parity=ODD, exact=True,
                          numpy="rint", python="round",
                          javascript="Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x)")
mod = MOD = Operation("mod", lambda x, y: x % y, 1, lambda z, x, y: -round((x - z) / y),
                      formula=lambda x, y: x - y * floor(x / y), domain=_DIVISOR,
                      corner=lambda x, y: eq(mod(x, y), 0),
                      elsewhere=("modulo",), exact=True,
                      numpy="remainder", python=Notation(((0, 6), " % ", (1, 8)), 6),
                      javascript="x % y === 0 || x % y < 0 === y < 0 ? x % y : x % y + y")
min = MIN = Operation("min", lambda x, y: x if x <= y else y, lambda z, x, y: (1 - sign(x - y)) / 2,
                      lambda z, x, y: (1 + sign(x - y)) / 2, formula=lambda x, y: where(lt(x, y), x, y),
                      corner=lambda x, y: eq(x, y), bent=True, fold="left",
                      latex=r"\min", elsewhere=("minimum",), exact=True,
                      numpy="minimum", python="min", javascript="Math.min")
max = MAX = Operation("max", lambda x, y: x if x >= y else y, lambda z, x, y: (1 + sign(x - y)) / 2,
                      lambda z, x, y: (1 - sign(x - y)) / 2, formula=lambda x, y: where(gt(x, y), x, y),
                      corner=lambda x, y: eq(x, y), bent=True, fold="left",
                      latex=r"\max", elsewhere=("maximum",), exact=True,
                      numpy="maximum", python="max", javascript="Math.max")

# Neurons and statistics

RELU = Operation("relu", k.relu, lambda y, x: where(x > 0, 1, 0), formula=lambda x: where(x > 0, x, 0),
                 corner=lambda x: eq(x, 0), bent=True,
                 exact=True, numpy=lambda np, x: np.maximum(x, 0.0), code="({0} if {0}>0.0 else 0.0)", javascript="Math.max(x, 0)", condition_number=c.steady)
SOFTPLUS = Operation("softplus", k.softplus, lambda y, x: sigmoid(x), formula=lambda x: ln(1 + exp(x)),
                     far=(0, lambda x: x),
                     arb="softplus", numpy=lambda np, x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
                     python=Notation(("math.log1p(math.exp(", (0, 0), "))"), 10),
                     javascript="Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))",
                     bend=0.25, condition_number=c.growing)
sigmoid = SIGMOID = Operation("sigmoid", k.sigmoid, lambda y, x: y * sigmoid(-x), formula=lambda x: 1 / (1 + exp(-x)),
                              far=(0, 1),
                              aliases=("logistic",), elsewhere=("expit",),
                              arb="sigmoid", numpy=lambda np, x: np.exp(np.minimum(x, 0)) / (1 + np.exp(-np.abs(x))),
                              javascript="x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x))",
                              bend=0.1, condition_number=c.growing)
erf = ERF = Operation("erf", math.erf, lambda y, x: 2 / sqrt(pi) * exp(-x**2), far=(-1, 1),
                      parity=ODD, cost=20, values="(-1, 1)", arb="erf", numpy="scipy.special.erf",
                      bend=0.97, condition_number=c.bell)
ERFC = Operation("erfc", math.erfc, lambda y, x: -2 / sqrt(pi) * exp(-x**2), formula=lambda x: 1 - erf(x), far=(2, 0),
                 arb="erfc", bend=0.97, kernel_error=(16, 0), condition_number=c.bell)
gamma = GAMMA = Operation("gamma", math.gamma, lambda y, x: y * digamma(x), domain=_NO_POLE, far=(None, STEEPLY),
                          latex=r"\Gamma", steep=True, cost=40, arb="gamma",
                          kernel_error=(64, 0))
LGAMMA = Operation("lgamma", k.lgamma, lambda y, x: digamma(x), formula=lambda x: ln(abs(gamma(x))), domain=_NO_POLE,
                   aliases=("gammaln",), elsewhere=("loggamma",), cost=40, arb="lgamma", python="math.lgamma",
                   kernel_error=(32, 32))
digamma = DIGAMMA = Operation("digamma", k.digamma, lambda y, x: polygamma(x, 1), domain=_NO_POLE, far=(None, SLOWLY),
                              latex=r"\psi", elsewhere=("psi",), cost=100, arb="digamma", numpy=a.digamma, python=None,
                              kernel_error=(8, 2))
polygamma = POLYGAMMA = Operation("polygamma", lambda x, n: k.polygamma(n, x), lambda y, x, n: polygamma(x, n + 1),
                                  None, domain=(_NO_POLE, _ORDER),
                                  signature="digamma(x, n)",
                                  latex=Notation((r"\psi^{(", (1, 0), r")}\left(", (0, 0), r"\right)"), 10), cost=300,
                                  arb="polygamma", python=None, kernel_error=(8, 2))
SINC = Operation("sinc", k.sinc, lambda y, x: sinc_n(x, 1), far=(lambda x: sin(x) / x, lambda x: sin(x) / x),
                 parity=EVEN, cost=30,
                 arb="sinc", numpy=a.sinc, python=Notation(("(math.sin(", (0, 0), ")/", (0, 8), " if ", (0, 1), " else 1.0)"), 10),
                 bend=1 / 3, kernel_error=(8, 4))
sinc_n = SINC_N = Operation("sinc_n", k.sinc_derivative, lambda y, x, n: sinc_n(x, n + 1), None, domain=_ORDER,
                            signature="sinc(x, n)",
                            latex=Notation((r"\operatorname{sinc}^{(", (1, 0), r")}\left(", (0, 0), r"\right)"), 10),
                            cost=39, arb="sinc_derivative", python=None,
                            kernel_error=(32, 32))
FACTORIAL = Operation("factorial", k.factorial, None, domain=_WHOLE,
                      signature="x!", text=Notation(((0, 10), "!"), 9), latex=Notation(((0, 10), "!"), 9),
                      aliases=("factorial",), steep=True, exact=True,
                      python=Notation(("math.factorial(int(", (0, 0), "))"), 10),
                      javascript="Number(Array.from({length: x}, (_, i) => BigInt(i + 1)).reduce((a, b) => a * b, 1n))")

# Losses, of a prediction and a target; of arrays, the mean over all their elements

MSE = Operation("mse", lambda x, y: (x - y) * (x - y), lambda z, x, y: 2 * (x - y), lambda z, x, y: 2 * (y - x),
                formula=lambda x, y: (x - y)**2, mean=True, javascript="(x - y) * (x - y)")
MAE = Operation("mae", lambda x, y: math.fabs(x - y), lambda z, x, y: sign(x - y), lambda z, x, y: sign(y - x),
                formula=lambda x, y: abs(x - y), corner=lambda x, y: eq(x, y), bent=True, mean=True,
                javascript="Math.abs(x - y)")
HUBER = Operation("huber", lambda x, y: k.huber(x, y, 1.0), lambda z, x, y: max(min(x - y, 1), -1),
                  lambda z, x, y: max(min(y - x, 1), -1),
                  formula=lambda x, y: where(le(abs(x - y), 1), (x - y)**2 / 2, abs(x - y) - 1 / 2), mean=True,
                  javascript="Math.abs(x - y) <= 1 ? (x - y) * (x - y) / 2 : Math.abs(x - y) - 0.5")
HUBER_AT = Operation("huber_at", k.huber, lambda z, x, y, d: max(min(x - y, d), -d),
                     lambda z, x, y, d: max(min(y - x, d), -d), lambda z, x, y, d: max(abs(x - y) - d, 0),
                     formula=lambda x, y, d: where(le(abs(x - y), d), (x - y)**2 / 2, d * (abs(x - y) - d / 2)),
                     domain=lambda x, y, width: width > 0, mean=True,
                     signature="huber(x, y, d)",
                     javascript="Math.abs(x - y) <= z ? (x - y) * (x - y) / 2 : z * (Math.abs(x - y) - z / 2)")
BCE = Operation("bce", k.cross_entropy_of_probability,
                lambda z, p, y: where(le(y, 0), 1 / (1 - p), where(ge(y, 1), -1 / p, (p - y) / p / (1 - p))),
                lambda z, p, y: ln(1 - p) - ln(p),
                formula=lambda p, y: where(lt(y, 1), (y - 1) * ln(1 - p), 0) - where(gt(y, 0), y * ln(p), 0),
                domain=_PROBABILITY,
                edges=(lambda p, y: or_(eq(p, 0), eq(p, 1)), lambda p, y: or_(eq(y, 0), eq(y, 1))), mean=True,
                signature="bce(p, y)",
                javascript="(y ? -y * Math.log(x) : 0) - (y === 1 ? 0 : (1 - y) * Math.log1p(-x))")
BCE_LOGITS = Operation("bce_logits", k.cross_entropy_of_logit, lambda h, z, y: (1 - y) * sigmoid(z) - y * sigmoid(-z),
                       lambda h, z, y: -z, formula=lambda z, y: y * ln(1 + exp(-z)) + (1 - y) * ln(1 + exp(z)),
                       domain=lambda z, target: and_(target >= 0, target <= 1),
                       edges=(None, lambda z, y: or_(eq(y, 0), eq(y, 1))), mean=True,
                       signature="bce_logits(z, y)",
                       javascript="y * (Math.max(-x, 0) + Math.log1p(Math.exp(-Math.abs(x)))) + (1 - y) * (Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))))")
NLL_GAUSSIAN = Operation("nll_gaussian", k.gaussian, lambda z, m, y, s: (m - y) / s / s,
                         lambda z, m, y, s: (y - m) / s / s,
                         lambda z, m, y, s: (1 - (y - m) / s) * (1 + (y - m) / s) / s,
                         formula=lambda m, y, s: ((y - m) / s)**2 / 2 + ln(s) + ln(2 * pi) / 2,
                         domain=lambda m, y, standard_deviation: standard_deviation > 0, mean=True,
                         signature="nll_gaussian(m, y, s)", arb="nll_gaussian",
                         kernel_error=(8, 7500),  # of ln(s), up to 745, against which t^2/2 may cancel
                         javascript="(y - x) / z * ((y - x) / z) / 2 + Math.log(z) + 0.5 * Math.log(2 * Math.PI)")

# Truth and choice: 1 is true, 0 is false. Of `if`, only the taken branch is evaluated.

lt = LT = _relation("lt", "<", "<", operator.lt, "less")
le = LE = _relation("le", "<=", r"\le", operator.le, "less_equal")
gt = GT = _relation("gt", ">", ">", operator.gt, "greater")
ge = GE = _relation("ge", ">=", r"\ge", operator.ge, "greater_equal")
eq = EQ = _relation("eq", "==", "=", operator.eq, "equal")
ne = NE = _relation("ne", "!=", r"\ne", operator.ne, "not_equal")
not_ = NOT = Operation("not", lambda x: 0.0 if x else 1.0, 0,
                       signature="not x", text=Notation(("not ", (0, 3)), 3), latex=Notation((r"\neg ", (0, 5)), 3),
                       rule="logic", numpy="logical_not", javascript="x ? 0 : 1")
and_ = AND = Operation("and", lambda x, y: 1.0 if x and y else 0.0, 0, 0, choose=lambda x: 1 if x else None,
                       signature="x and y", text=_infix(" and ", 2, 2, 3), latex=_infix(r" \land ", 2, 2, 3),
                       rule="logic", numpy="logical_and", javascript="x && y ? 1 : 0")
or_ = OR = Operation("or", lambda x, y: 1.0 if x or y else 0.0, 0, 0, choose=lambda x: None if x else 1,
                     signature="x or y", text=_infix(" or ", 1, 1, 2), latex=_infix(r" \lor ", 1, 1, 2), rule="logic",
                     numpy="logical_or", javascript="x || y ? 1 : 0")
where = IF = Operation("if", k.where, 0, lambda z, c, x, y: where(c, 1, 0), lambda z, c, x, y: where(c, 0, 1),
                       choose=lambda c: 1 if c else 2, fold="pairs",
                       signature="if(c, x, y)",
                       latex=Notation((r"\begin{cases} ", (1, 0), r" & \text{if } ", (0, 0), r" \\ ", (2, 0), r" & \text{otherwise} \end{cases}"), 10),
                       aliases=("piecewise", "where"), numpy=lambda np, c, x, y: np.where(c, x, y),
                       python=Notation(("(", (1, 1), " if ", (0, 1), " else ", (2, 1), ")"), 10),
                       code="({1} if {0} else {2})", javascript="x ? y : z")

_EXTREME = ("g where x is extreme; ties share it",)

# Arrays. `back` tells the adjoint of an argument, from that of the result, g. An axis counts from 0, or from
# the end by negative numbers; without one, all elements are meant.

STACK = ArrayOperation("stack", a.stacked, None,
                       signature="[x, y, ...]", text=Notation(("[", "]"), 10),
                       latex=Notation((r"\left[", r"\right]"), 10), rule="stack", back=("its part of g",),
                       variadic=True, pull_at=lambda i: lambda np, g, y, *parts: g[i])
SUM, SUM_ALONG = _with_axis("sum", a.total, a.total_pull, back=("g, repeated",))
MEAN, MEAN_ALONG = _with_axis("mean", a.mean, a.mean_pull, back=("g/n, repeated",))
AMAX, AMAX_ALONG = _with_axis("amax", a.largest, a.extreme_pull, ("max",), back=_EXTREME, jacobian="rows")
AMIN, AMIN_ALONG = _with_axis("amin", a.least, a.extreme_pull, ("min",), back=_EXTREME, jacobian="rows")
MATMUL = ArrayOperation("matmul", lambda np, x, y: np.matmul(x, y), a.product_pull_left, a.product_pull_right,
                        signature="x @ y", text=_infix(" @ ", 6, 6, 8), latex=_infix(r" \mathbin{@} ", 6, 6, 7),
                        rule="matrix product", aliases=("matmul",), back=("g @ y^T", "x^T @ g"), jacobian="bilinear")
DOT = ArrayOperation("dot", lambda np, x, y: np.dot(x, y), a.dot_pull_left, a.dot_pull_right,
                     back=("g @ y^T", "x^T @ g"), jacobian="bilinear")
NORM = ArrayOperation("norm", a.norm, a.norm_pull,
                      back=("g*x/norm(x)",), jacobian="rows")
TRANSPOSE = ArrayOperation("transpose", lambda np, x: np.transpose(x), lambda np, g, y, x: np.transpose(g),
                           back=("g transposed",))
RESHAPE = ArrayOperation("reshape", a.reshaped, lambda np, g, y, x, *shape: np.reshape(g, x.shape), None,
                         signature="reshape(x, n)", back=("g in the shape of x",), variadic=True)
ITEM = ArrayOperation("item", a.item, a.item_pull, None,
                      signature="x[i]", text=Notation(((0, 10), "[", (1, 0), "]"), 10),
                      latex=Notation(((0, 10), "_{", (1, 0), "}"), 10), rule="element", aliases=("item",),
                      back=("g in that place, 0 elsewhere",), variadic=True)
TAKE = ArrayOperation("take", a.taken, a.taken_pull, None,
                      signature="x[key]", text=Notation(((0, 10), "[", (1, 0), "]"), 10), rule="part",
                      back=("g in those places, 0 elsewhere",))
SOFTMAX, SOFTMAX_ALONG = _with_axis("softmax", a.softmax, a.softmax_pull, back=("y*(g - sum(g*y))",),
                                    jacobian="symmetric")
LOGSUMEXP, LOGSUMEXP_ALONG = _with_axis("logsumexp", a.logsumexp, a.logsumexp_pull, back=("g*softmax(x)",),
                                        jacobian="rows")
CROSS_ENTROPY = ArrayOperation("cross_entropy", a.cross_entropy, a.cross_entropy_pull, a.cross_entropy_pull_target,
                               signature="cross_entropy(z, t)",
                               back=("g*(softmax(z)*sum(t) - t)/n", "-g*ln(softmax(z))/n"),
                               jacobian="rows")
# fmt: on

# A row of one's own may follow: it is checked at once, those above by the tests and when a text names them first.
complete()
