"""Mistakes of people who differentiate: a catalogue of misapplied rules.

A row says where a rule may be misapplied, what comes out then, and what to say. The result is written
with the table's operations, in the letters of calculus books: u and v are the parts, du and dv their
derivatives, z the whole; so a row runs on numbers, to see whether it gives what was claimed, and on
graphs, to prove it.

To add a mistake, add a row. Those that come first are named first.
"""

from __future__ import annotations

from collections.abc import Callable

from exprgrad.annotations import Any
from exprgrad.checking.mistakes import places as at
from exprgrad.checking.mistakes.places import Row
from exprgrad.operations import table as o
from exprgrad.operations.operation import Operation
from exprgrad.operations.table import abs

# by their bare names, so that a rule runs on any number type
ln, sqrt, cosh, tanh = o.ln, o.sqrt, o.cosh, o.tanh
sin, cos, tan, sec, csc, cot = o.sin, o.cos, o.tan, o.sec, o.csc, o.cot

CHAIN, PRODUCT, QUOTIENT = "the chain rule", "the product rule", "the quotient rule"
POWER, EXPONENTIAL, TABLE = "the power rule", "the exponential rule", "the table"
LOGARITHM = "the logarithm rule"
SUM, CONSTANT, ALGEBRA = "the sum rule", "the rules for constants", "the algebra"

WRONG_SIGN = "wrong sign in the table"
INNER_LEFT_OUT = "inner derivative left out"

_UV, _U_OVER_V = "(u*v)' = u'*v + u*v'", "(u/v)' = (u'*v - u*v')/v^2"
_U_N, _A_U = "(u^n)' = n*u^(n - 1){du}", "(a^u)' = a^u*ln(a){du}"
_C_OVER_V = "(c/v)' = -c*v'/v^2"
_C_OVER_U_N = "(c/u^n)' = -c*n/u^(n + 1)*u'"
_ROOT, _F_G = "sqrt(u)' = 1/(2*sqrt(u)){du}", "(f(g))' = f'(g)*g'"


def _entry(operation: Operation, wrong: Callable[[Any], Any], why: str) -> Row:
    """A wrong entry of the table of derivatives."""
    tell = f"{why}: {{entry}}"
    return Row(
        "wrong entry of the table", TABLE, at.of(operation), wrong, tell, entry=True
    )


# fmt: off
ROWS = (
    Row(INNER_LEFT_OUT, CHAIN, at.chain, lambda c: c.p,
        "the inner derivative was left out: multiply by the derivative of {inner}, which is {slope}"),
    Row(INNER_LEFT_OUT, CHAIN, at.reciprocal_chain, lambda c: -c.u / c.v**2,
        "the inner derivative was left out: multiply by the derivative of {inner}, which is {slope}"),
    Row("product of the derivatives", PRODUCT, at.both(o.MUL), lambda c: c.du * c.dv,
        f"the derivatives of the factors were multiplied: {_UV}"),
    Row("sum rule for a product", PRODUCT, at.both(o.MUL), lambda c: c.du + c.dv,
        f"the derivatives of the factors were added, as for a sum: {_UV}"),
    Row("factors paired wrongly", PRODUCT, at.both(o.MUL), lambda c: c.u * c.du + c.v * c.dv,
        f"each factor was multiplied by its own derivative: {_UV}"),
    Row("quotient of the derivatives", QUOTIENT, at.both(o.DIV), lambda c: c.du / c.dv,
        f"the derivatives were divided: {_U_OVER_V}"),
    Row("quotient with swapped order", QUOTIENT, at.both(o.DIV), lambda c: (c.u * c.dv - c.du * c.v) / c.v**2,
        f"the terms of the numerator are in the wrong order, which turns its sign: {_U_OVER_V}"),
    Row("quotient with a plus sign", QUOTIENT, at.both(o.DIV), lambda c: (c.du * c.v + c.u * c.dv) / c.v**2,
        f"there is a plus where the quotient rule has a minus: {_U_OVER_V}"),
    Row("divided by the numerator squared", QUOTIENT, at.both(o.DIV), lambda c: (c.du * c.v - c.u * c.dv) / c.u**2,
        f"it was divided by u^2, the square of the numerator: {_U_OVER_V}"),
    Row("reciprocal differentiated", QUOTIENT, at.both(o.DIV), lambda c: (c.u * c.dv - c.du * c.v) / c.u**2,
        f"the quotient was turned over: this is the derivative of v/u, and {_U_OVER_V}"),
    Row("denominator not squared", QUOTIENT, at.both(o.DIV), lambda c: (c.du * c.v - c.u * c.dv) / c.v,
        f"the denominator was not squared: {_U_OVER_V}"),
    Row("denominator left out", QUOTIENT, at.both(o.DIV), lambda c: c.du * c.v - c.u * c.dv,
        f"the denominator v^2 was left out: {_U_OVER_V}"),
    Row("quotient taken for a product", QUOTIENT, at.both(o.DIV), lambda c: c.du * c.v + c.u * c.dv,
        f"the product rule was used for a quotient: {_U_OVER_V}"),
    Row("quotient of the derivatives", QUOTIENT, at.both(o.DIV), lambda c: c.du * c.dv / c.v**2,
        f"the derivatives were multiplied: {_U_OVER_V}", rare=True),
    Row("second term left out", PRODUCT, at.both(o.MUL), lambda c: c.du * c.v,
        f"only the first factor, {{u}}, was differentiated: {_UV}"),
    Row("first term left out", PRODUCT, at.both(o.MUL), lambda c: c.u * c.dv,
        f"only the second factor, {{v}}, was differentiated: {_UV}"),
    Row("product with a minus sign", PRODUCT, at.both(o.MUL), lambda c: c.du * c.v - c.u * c.dv,
        f"there is a minus where the product rule has a plus: {_UV}"),
    Row("product with a minus sign", PRODUCT, at.both(o.MUL), lambda c: c.u * c.dv - c.du * c.v,
        f"there is a minus where the product rule has a plus: {_UV}"),
    Row("only the numerator differentiated", QUOTIENT, at.both(o.DIV), lambda c: c.du / c.v,
        f"only the numerator was differentiated: {_U_OVER_V}"),
    Row("only the denominator differentiated", QUOTIENT, at.both(o.DIV), lambda c: c.u / c.dv,
        f"only the denominator was differentiated: {_U_OVER_V}", rare=True),

    Row("power not lowered", POWER, at.is_power, lambda c: c.v * c.z * c.du,
        f"the exponent was not lowered by 1: {_U_N}"),
    Row("exponent not multiplied down", POWER, at.is_power, lambda c: c.z / c.u * c.du,
        f"the exponent was lowered but not multiplied down: {_U_N}"),
    Row("multiplied by the lowered exponent", POWER, at.is_power, lambda c: (c.v - 1) * (c.z / c.u) * c.du,
        f"the lowered exponent was multiplied down: {_U_N}", rare=True),
    Row("exponent raised", POWER, at.is_power, lambda c: c.v * c.z * c.u * c.du,
        f"the exponent was raised by 1, not lowered: {_U_N}", rare=True),
    Row("sign of the exponent lost", POWER, at.is_power, lambda c: c.v * (c.u / c.z) * c.du,
        f"the new exponent was given the other sign; it is n - 1: {_U_N}", rare=True),
    Row("power left out", POWER, at.is_power, lambda c: c.v * c.u * c.du,
        f"the exponent was multiplied down, but the new exponent n - 1 is missing: {_U_N}"),
    Row("power integrated", POWER, at.is_power, lambda c: c.z * c.u / (c.v + 1) * c.du,
        f"the power was integrated: {_U_N}"),
    Row("power taken for an exponential", POWER, at.is_power, lambda c: c.z * ln(c.u) * c.du,
        f"the exponential rule was used for a power: here the base varies, so {_U_N}"),
    Row("root without its half", POWER, at.of(o.SQRT), lambda c: c.du / sqrt(c.u),
        f"the factor 1/2 was left out: {_ROOT}"),
    Row("root not turned over", POWER, at.of(o.SQRT), lambda c: c.du * sqrt(c.u) / 2,
        f"the root was left above the bar: {_ROOT}"),
    Row("root of the derivative", POWER, at.chain_of(o.SQRT), lambda c: 1 / (2 * sqrt(c.du)),
        f"the root was taken of {{slope}}, the derivative of {{inner}}: {_ROOT}"),

    Row("missing ln of the base", EXPONENTIAL, at.other_base, lambda c: c.z * c.dv,
        f"the factor ln({{constant}}) is missing: {_A_U}"),
    Row("exponential taken for a power", EXPONENTIAL, at.other_base, lambda c: c.g * c.z / c.c * c.d,
        f"the power rule was used for an exponential: here the exponent varies, so {_A_U}"),
    Row("exponential taken for a power", EXPONENTIAL, lambda p: at.other_base(p) and at.chain(p), lambda c: c.g * c.z / c.c,
        f"the power rule was used for an exponential: here the exponent varies, so {_A_U}"),
    Row("exponential taken for a power", EXPONENTIAL, at.of(o.EXP), lambda c: c.g * c.whole(c.g - 1) * c.d,
        "the power rule was used for an exponential: here the exponent varies, so (e^u)' = e^u{du}"),
    Row("exponential taken for a power", EXPONENTIAL, at.chain_of(o.EXP), lambda c: c.g * c.whole(c.g - 1),
        "the power rule was used for an exponential: here the exponent varies, so (e^u)' = e^u{du}"),
    Row("exponent of an exponential lowered", EXPONENTIAL, at.other_base, lambda c: c.whole(c.g - 1) * c.d,
        f"the exponent was lowered by 1, as in the power rule: {_A_U}", rare=True),
    Row("exponent of an exponential lowered", EXPONENTIAL, at.of(o.EXP), lambda c: c.whole(c.g - 1) * c.d,
        "the exponent was lowered by 1, as in the power rule: (e^u)' = e^u{du}", rare=True),
    Row("divided by ln of the base", EXPONENTIAL, at.other_base, lambda c: c.z / ln(c.u) * c.dv,
        f"it was divided by ln({{constant}}), as when integrating: {_A_U}"),
    Row("ln of the exponent", EXPONENTIAL, at.other_base, lambda c: c.z * ln(c.v) * c.dv,
        f"the logarithm was taken of the exponent, not of the base, {{constant}}: {_A_U}"),
    Row("power rule for f^g", EXPONENTIAL, at.tower, lambda c: c.v * c.z / c.u * c.du,
        "the power rule was used, but it needs a constant exponent: write f^g as exp(g*ln(f)) first"),
    Row("exponential rule for f^g", EXPONENTIAL, at.tower, lambda c: c.z * ln(c.u) * c.dv,
        "the exponential rule was used, but it needs a constant base: write f^g as exp(g*ln(f)) first"),

    Row("missing ln of the base", LOGARITHM, at.logarithm, lambda c: c.du / c.u,
        "the factor 1/ln(b) of a logarithm to base b is missing: {entry}"),
    Row("multiplied by ln of the base", LOGARITHM, at.logarithm, lambda c: c.p * c.d * (c.p * c.u) ** -2,
        "the logarithm of the base was put above the bar: {entry}"),
    Row("division by the inside left out", LOGARITHM, at.of(o.LN), lambda c: c.du,
        "the division by {inner} was left out: (ln(u))' = u'/u"),
    Row("division by the inside left out", LOGARITHM, at.logarithm, lambda c: c.p * c.u * c.d,
        "the division by {inner} was left out: {entry}"),
    Row("one over the inner derivative", LOGARITHM, at.chain_of(o.LN), lambda c: 1 / c.du,
        "1 was divided by the derivative of {inner}: (ln(u))' = u'/u"),
    Row("logarithm below the bar", LOGARITHM, at.of(o.LN), lambda c: c.du / c.z,
        "it was divided by the logarithm, not by {inner}: (ln(u))' = u'/u"),

    Row(WRONG_SIGN, TABLE, at.tabled, lambda c: -c.p * c.d, "the sign is wrong: {entry}"),
    _entry(o.TAN, lambda u: sec(u), "the square is missing"),
    _entry(o.TAN, lambda u: sec(u) * tan(u), "sec(u)*tan(u) was taken, the derivative of sec(u)"),
    _entry(o.TAN, lambda u: cot(u), "cot(u) was taken for the derivative"),
    _entry(o.SEC, lambda u: sec(u) ** 2, "sec(u)^2 was taken, the derivative of tan(u)"),
    _entry(o.SEC, lambda u: tan(u) ** 2, "tan(u)^2 was taken for sec(u)*tan(u)"),
    _entry(o.COT, lambda u: -csc(u), "the square is missing"),
    _entry(o.COT, lambda u: sec(u) ** 2, "sec(u)^2 was taken, the derivative of tan(u)"),
    _entry(o.COT, lambda u: -csc(u) * cot(u), "-csc(u)*cot(u) was taken, the derivative of csc(u)"),
    _entry(o.CSC, lambda u: -csc(u) ** 2, "-csc(u)^2 was taken, the derivative of cot(u)"),
    _entry(o.CSC, lambda u: sec(u) * tan(u), "sec(u)*tan(u) was taken, the derivative of sec(u)"),
    _entry(o.TANH, lambda u: 1 / cosh(u), "the square is missing"),
    _entry(o.TANH, lambda u: 1 + tanh(u) ** 2, "the sign of the square is wrong, it is 1 - tanh(u)^2"),
    _entry(o.TANH, lambda u: sec(u) ** 2, "sec(u)^2 was taken, the derivative of tan(u)"),
    _entry(o.ATAN, lambda u: 1 / sqrt(1 - u**2), "1/sqrt(1 - u^2) was taken, the derivative of asin(u)"),
    _entry(o.ATAN, lambda u: 1 / sqrt(1 + u**2), "a root was taken that is not in the rule"),
    _entry(o.ATAN, lambda u: 1 / (1 - u**2), "the sign in the denominator is wrong"),
    _entry(o.ATAN, lambda u: sec(u) ** 2, "sec(u)^2 was taken, the derivative of tan(u)"),
    _entry(o.ATAN, lambda u: 1 / tan(u), "atan was taken for 1/tan, but it is the inverse function"),
    _entry(o.ATAN, lambda u: -csc(u) ** 2, "atan was taken for 1/tan, but it is the inverse function"),
    _entry(o.ASIN, lambda u: 1 / (1 + u**2), "1/(1 + u^2) was taken, the derivative of atan(u)"),
    _entry(o.ASIN, lambda u: 1 / sqrt(1 + u**2), "the sign under the root is wrong"),
    _entry(o.ASIN, lambda u: 1 / (1 - u**2), "the root is missing"),
    _entry(o.ASIN, lambda u: cos(u), "cos(u) was taken, the derivative of sin(u)"),
    _entry(o.ASIN, lambda u: 1 / sin(u), "asin was taken for 1/sin, but it is the inverse function"),
    _entry(o.ASIN, lambda u: -cos(u) / sin(u) ** 2, "asin was taken for 1/sin, but it is the inverse function"),
    _entry(o.ACOS, lambda u: -1 / sqrt(1 + u**2), "the sign under the root is wrong"),
    _entry(o.ACOS, lambda u: -1 / (1 - u**2), "the root is missing"),
    _entry(o.ACOS, lambda u: -sin(u), "-sin(u) was taken, the derivative of cos(u)"),
    _entry(o.ACOS, lambda u: 1 / cos(u), "acos was taken for 1/cos, but it is the inverse function"),
    _entry(o.ACOS, lambda u: sin(u) / cos(u) ** 2, "acos was taken for 1/cos, but it is the inverse function"),
    Row("inside not squared as a whole", ALGEBRA, at.of_multiple(o.ATAN), lambda c: c.d / (1 + c.g * c.x),
        "{inner} was not squared as a whole, with its factor: mind the brackets"),
    Row("inside not squared as a whole", ALGEBRA, at.of_multiple(o.ASIN), lambda c: c.d / sqrt(1 - c.g * c.x),
        "{inner} was not squared as a whole, with its factor: mind the brackets"),
    Row("inside not squared as a whole", ALGEBRA, at.of_multiple(o.ACOS), lambda c: -c.d / sqrt(1 - c.g * c.x),
        "{inner} was not squared as a whole, with its factor: mind the brackets"),
    Row("sign of the inside left out", TABLE, at.of(o.ABS), lambda c: c.du,
        "the sign of {inner} was left out: |u|' = u' where u > 0 and -u' where u < 0"),

    Row("derivative of the inside put inside", CHAIN, at.chain, lambda c: c.outer(c.d),
        "the outer derivative was taken at {slope}, the derivative of the inside: keep the inside, {inner}, and multiply by {slope}"),
    Row("derivative of the inside put inside", CHAIN, at.chain, lambda c: c.outer(c.d) * c.d,
        "the outer derivative was taken at {slope}, the derivative of the inside: keep the inside, {inner}"),
    Row("function of the derivative", CHAIN, at.chain, lambda c: c.whole(c.d),
        f"the inside was replaced by its derivative: {_F_G}"),
    Row("outer derivative left out", CHAIN, at.chain, lambda c: c.d,
        f"only the derivative of the inside, {{inner}}, was taken: {_F_G}"),
    Row("outer derivative at the variable", CHAIN, at.chain, lambda c: c.outer(c.x) * c.d,
        f"the inside, {{inner}}, was lost: {_F_G}", rare=True),
    Row("outer derivative at the variable", CHAIN, at.chain, lambda c: c.outer(c.x),
        f"the inside, {{inner}}, was lost, and its derivative: {_F_G}", rare=True),
    Row("outer function not differentiated", CHAIN, at.chain, lambda c: c.z * c.d,
        f"the outer function was not differentiated: {_F_G}"),
    Row("inner derivative added", CHAIN, at.chain, lambda c: c.p + c.d,
        f"the inner derivative was added, not multiplied: {_F_G}"),
    Row("inner derivative divided by", CHAIN, at.chain, lambda c: c.p / c.d,
        f"there is a division by the inner derivative, {{slope}}, as when integrating: {_F_G}", rare=True),
    Row("function of a sum taken term by term", ALGEBRA, at.of_sum, lambda c: c.outer(c.h) * c.d,
        "{part} was taken term by term, but a function of a sum is not the sum of the functions", rare=True),

    Row("sign of the reciprocal lost", QUOTIENT, at.reciprocal, lambda c: c.u * c.dv / c.v**2,
        f"the minus sign was lost: {_C_OVER_V}"),
    Row("denominator not squared", QUOTIENT, at.reciprocal, lambda c: -c.u * c.dv / c.v,
        f"the denominator was not squared: {_C_OVER_V}"),
    Row("reciprocal of the derivative", QUOTIENT, at.reciprocal, lambda c: c.u / c.dv,
        f"only the denominator was differentiated: {_C_OVER_V}"),
    Row("reciprocal integrated", QUOTIENT, at.reciprocal, lambda c: c.u * ln(abs(c.v)),
        f"the reciprocal was integrated, to ln: {_C_OVER_V}"),

    Row("power not lowered", POWER, at.reciprocal_of(o.SQRT), lambda c: -c.u * c.dv,
        f"the exponent -1/2 was not lowered by 1: {_U_N}"),
    Row("exponent not multiplied down", POWER, at.reciprocal_power, lambda c: c.z * c.dv / (c.n * c.v),
        f"the exponent was lowered but not multiplied down: {_C_OVER_U_N}"),
    Row("exponent raised", POWER, at.reciprocal_power, lambda c: -c.z * c.b**2 * c.dv / c.v,
        f"the exponent below the bar was lowered by 1, not raised: {_C_OVER_U_N}"),
    Row("multiplied by the lowered exponent", POWER, at.reciprocal_power, lambda c: -(c.n + 1) * c.z * c.dv / (c.n * c.v),
        f"the new exponent was multiplied down: {_C_OVER_U_N}", rare=True),

    Row("constant not dropped", CONSTANT, at.with_constant, lambda c: c.p * c.d + (c.z - c.p * c.g),
        "the constant {constant} was kept, but its derivative is 0: it drops out"),
    Row("constant differentiated to 1", CONSTANT, at.with_constant, lambda c: c.p * c.d + (c.z - c.p * c.g) / c.c,
        "the constant {constant} was differentiated to 1, but its derivative is 0", rare=True),
    Row("constant factor dropped", CONSTANT, at.scaled, lambda c: c.d,
        "the constant factor {constant} was dropped: (c*u)' = c*u'"),
    Row("constant factor dropped", CONSTANT, at.divided, lambda c: c.d,
        "the constant divisor {constant} was dropped: (u/c)' = u'/c"),
    Row("constant factor dropped", CONSTANT, at.reciprocal, lambda c: -c.dv / c.v**2,
        f"the constant {{constant}} was dropped: {_C_OVER_V}"),
    Row("constant divisor multiplied", CONSTANT, at.divided, lambda c: c.d * c.c,
        "{constant} was moved above the bar: (u/c)' = u'/c", rare=True),
    Row("constant factor differentiated", CONSTANT, at.scaled, lambda c: c.g + c.c * c.d,
        "the constant factor {constant} was treated like a variable: (c*u)' = c*u'", rare=True),
    Row("minus sign lost", SUM, at.of(o.NEG), lambda c: c.du, "the minus sign in front of {u} was lost"),
    Row("minus sign lost", SUM, at.both(o.SUB), lambda c: c.du + c.dv,
        "the minus sign in front of {v} became a plus"),
    Row("minus sign lost", SUM, lambda p: p.varies == (False, True) and p.operation is o.SUB, lambda c: c.dv, "the minus sign in front of {v} was lost"),
    Row("plus sign turned", SUM, at.both(o.ADD), lambda c: c.du - c.dv,
        "the plus sign in front of {v} became a minus", rare=True),
    Row("term left out", SUM, at.both(o.ADD), lambda c: c.du, "the derivative of the term {v} is missing"),
    Row("term left out", SUM, at.both(o.SUB), lambda c: c.du, "the derivative of the term {v} is missing"),
    Row("term left out", SUM, at.both(o.ADD), lambda c: c.dv, "the derivative of the term {u} is missing"),
    Row("term left out", SUM, at.both(o.SUB), lambda c: -c.dv, "the derivative of the term {u} is missing"),
    Row("part not differentiated", CONSTANT, at.has_factor, lambda c: c.z,
        "{part} was left as it is: its derivative is {own}"),
    Row("part not differentiated", TABLE, at.alone, lambda c: c.z,
        "{part} was left as it is: its derivative is {own}"),
    Row("part not differentiated", SUM, at.both(o.ADD), lambda c: c.u + c.dv, "the term {u} was left as it is", rare=True),
    Row("part not differentiated", SUM, at.both(o.ADD), lambda c: c.du + c.v, "the term {v} was left as it is", rare=True),
    Row("part not differentiated", SUM, at.both(o.SUB), lambda c: c.u - c.dv, "the term {u} was left as it is", rare=True),
    Row("part not differentiated", SUM, at.both(o.SUB), lambda c: c.du - c.v, "the term {v} was left as it is", rare=True),
    Row("part not differentiated", SUM, at.with_constant, lambda c: c.p * c.g,
        "the term {inner} was left as it is", rare=True),
    Row("constant factor differentiated", CONSTANT, at.has_factor, lambda c: c.d * 0,
        "the derivative of the constant {constant} made it 0: (c*u)' = c*u'", rare=True),
    Row("constant factor differentiated", CONSTANT, at.reciprocal, lambda c: c.d * 0,
        f"the numerator is constant, but not the denominator: {_C_OVER_V}", rare=True),
)
# fmt: on
