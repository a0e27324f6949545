"""What goes wrong when people differentiate: a catalogue of misapplied rules.

A row says where a rule may be misapplied, what comes out then, and what to tell. The result is written
with the table's operations, in the letters of calculus books: u and v are the parts, du and dv their
derivatives, z the whole; so a row runs on numbers, to see
whether it gives what was claimed, and on graphs, to prove it.

To add a mistake, add a row. Those that come first are named first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from exprgrad.graph import Value

# fmt: off
from exprgrad.operations import abs, cos, csc, exp, ln, pow, sec, sign, sin, sqrt, tan  # noqa: A004 # the table's names

# fmt: on


class Place(NamedTuple):
    """A part of an expression, and which of its operands vary; `bare` where they are the variable."""

    item: Value
    name: str
    rule: str
    varies: tuple[bool, ...]
    bare: tuple[bool, ...]

    @property
    def inner(self) -> Value:
        """The first operand that varies."""
        return self.item.operands[self.varies.index(True)]


class Parts(NamedTuple):
    """The letters of a rule at a place, in some number type.

    Where one operand varies, it is g, its derivative d, the local partial by it p, and c is the other
    operand. x is the variable itself; `outer(t)` is p with t in place of g, `whole(t)` the operation likewise.
    """

    z: Any
    u: Any
    v: Any
    du: Any
    dv: Any
    g: Any
    d: Any
    c: Any
    p: Any
    x: Any
    outer: Callable[[Any], Any]
    whole: Callable[[Any], Any]


class Row(NamedTuple):
    """One mistake: its name, the rule to look up, where it may happen, what it gives, what to say.

    In `tell`, {part} is the place as typed and {own} its derivative, {u} and {v} its operands, {inner}
    the one that varies, {slope} its derivative, {constant} the other and {name} the operation.
    """

    name: str
    rule: str
    where: Callable[[Place], bool]
    wrong: Callable[[Parts], Any]
    tell: str


_ARITHMETIC = ("add", "sub", "neg", "mul", "div")
_TABLE = (
    "sin cos tan sec csc cot asin acos atan asec acsc acot "
    "sinh cosh tanh sech csch coth asinh acosh atanh asech acsch acoth"
).split()


def _both(name: str) -> Callable[[Place], bool]:
    return lambda at: at.name == name and at.varies == (True, True)


def _is(*names: str) -> Callable[[Place], bool]:
    return lambda at: at.name in names


def _chain(at: Place) -> bool:
    """A function of something else than the variable itself."""
    return at.name not in _ARITHMETIC and sum(at.varies) == 1 and at.varies != at.bare


def _outer(at: Place) -> bool:
    return at.name not in _ARITHMETIC and sum(at.varies) == 1


def _power(at: Place) -> bool:
    return at.rule == "power" and at.varies == (True, False)


def _other_base(at: Place) -> bool:
    return at.rule == "power" and at.varies == (False, True)


def _reciprocal(at: Place) -> bool:
    return at.name == "div" and at.varies == (False, True)


def _scaled(at: Place) -> bool:
    return at.name == "mul" and sum(at.varies) == 1


def _divided(at: Place) -> bool:
    return at.name == "div" and at.varies == (True, False)


def _sum(at: Place) -> bool:
    return at.name in ("add", "sub")


def _with_constant(at: Place) -> bool:
    return _sum(at) and sum(at.varies) == 1


def _tower(at: Place) -> bool:
    return at.rule == "power" and at.varies == (True, True)


CHAIN, PRODUCT, QUOTIENT = "the chain rule", "the product rule", "the quotient rule"
POWER, EXPONENTIAL, TABLE = "the power rule", "the exponential rule", "the table"
SUM, CONSTANT = "the sum rule", "the rules for constants"

# fmt: off
ROWS = (
    Row("inner derivative left out", CHAIN, _chain, lambda c: c.p,
        "the inner derivative was left out: multiply by the derivative of {inner}, which is {slope}"),
    Row("product of the derivatives", PRODUCT, _both("mul"), lambda c: c.du * c.dv,
        "the derivatives of the factors were multiplied: (u*v)' is u'*v + u*v', not u'*v'"),
    Row("quotient of the derivatives", QUOTIENT, _both("div"), lambda c: c.du / c.dv,
        "the derivatives were divided: (u/v)' is (u'*v - u*v')/v^2, not u'/v'"),
    Row("quotient with swapped order", QUOTIENT, _both("div"), lambda c: (c.u * c.dv - c.du * c.v) / c.v**2,
        "the terms above are in the wrong order: (u/v)' is (u'*v - u*v')/v^2"),
    Row("quotient with a plus sign", QUOTIENT, _both("div"), lambda c: (c.du * c.v + c.u * c.dv) / c.v**2,
        "there is a plus where the quotient rule has a minus: (u/v)' is (u'*v - u*v')/v^2"),
    Row("denominator not squared", QUOTIENT, _both("div"), lambda c: (c.du * c.v - c.u * c.dv) / c.v,
        "the denominator was not squared: (u/v)' is (u'*v - u*v')/v^2"),
    Row("denominator left out", QUOTIENT, _both("div"), lambda c: c.du * c.v - c.u * c.dv,
        "the denominator v^2 was left out: (u/v)' is (u'*v - u*v')/v^2"),
    Row("quotient taken for a product", QUOTIENT, _both("div"), lambda c: c.du * c.v + c.u * c.dv,
        "the product rule was used for a quotient: (u/v)' is (u'*v - u*v')/v^2"),
    Row("second term left out", PRODUCT, _both("mul"), lambda c: c.du * c.v,
        "only the first factor was differentiated: (u*v)' is u'*v + u*v'"),
    Row("first term left out", PRODUCT, _both("mul"), lambda c: c.u * c.dv,
        "only the second factor was differentiated: (u*v)' is u'*v + u*v'"),
    Row("product with a minus sign", PRODUCT, _both("mul"), lambda c: c.du * c.v - c.u * c.dv,
        "there is a minus where the product rule has a plus: (u*v)' is u'*v + u*v'"),
    Row("product with a minus sign", PRODUCT, _both("mul"), lambda c: c.u * c.dv - c.du * c.v,
        "there is a minus where the product rule has a plus: (u*v)' is u'*v + u*v'"),
    Row("only the numerator differentiated", QUOTIENT, _both("div"), lambda c: c.du / c.v,
        "only the part above was differentiated: (u/v)' is (u'*v - u*v')/v^2"),

    Row("power not lowered", POWER, _power, lambda c: c.v * c.z * c.du,
        "the exponent was not lowered by 1: (u^n)' is n*u^(n - 1)*u'"),
    Row("exponent not multiplied down", POWER, _power, lambda c: pow(c.u, c.v - 1) * c.du,
        "the exponent was lowered but not multiplied down: (u^n)' is n*u^(n - 1)*u'"),
    Row("multiplied by the lowered exponent", POWER, _power, lambda c: (c.v - 1) * pow(c.u, c.v - 1) * c.du,
        "the lowered exponent was multiplied down: (u^n)' is n*u^(n - 1)*u', with n itself in front"),
    Row("exponent raised", POWER, _power, lambda c: c.v * pow(c.u, c.v + 1) * c.du,
        "the exponent was raised by 1 where it is lowered: (u^n)' is n*u^(n - 1)*u'"),
    Row("power integrated", POWER, _power, lambda c: pow(c.u, c.v + 1) / (c.v + 1) * c.du,
        "the power was integrated: (u^n)' is n*u^(n - 1)*u'"),
    Row("power taken for an exponential", POWER, _power, lambda c: c.z * ln(c.u) * c.du,
        "the exponential rule was used for a power: here the base varies, so (u^n)' is n*u^(n - 1)*u'"),
    Row("root without its half", POWER, _is("sqrt"), lambda c: c.du / sqrt(c.u),
        "the factor 1/2 was left out: sqrt(u)' is u'/(2*sqrt(u))"),
    Row("root not turned over", POWER, _is("sqrt"), lambda c: c.du * sqrt(c.u) / 2,
        "the root belongs below the bar: sqrt(u)' is u'/(2*sqrt(u))"),
    Row("root turned over only", POWER, _is("sqrt"), lambda c: 1 / (2 * sqrt(c.du)),
        "the root was taken of the derivative: sqrt(u)' is u'/(2*sqrt(u))"),

    Row("missing ln of the base", EXPONENTIAL, _other_base, lambda c: c.z * c.dv,
        "the factor ln(a) is missing: (a^u)' is a^u*ln(a)*u'"),
    Row("exponential taken for a power", EXPONENTIAL, _other_base, lambda c: c.g * c.z / c.c * c.d,
        "the power rule was used for an exponential: here the exponent varies, so (a^u)' is a^u*ln(a)*u'"),
    Row("exponential taken for a power", EXPONENTIAL, _is("exp"), lambda c: c.g * c.z / exp(1) * c.d,
        "the power rule was used for an exponential: here the exponent varies, so (e^u)' is e^u*u'"),
    Row("divided by ln of the base", EXPONENTIAL, _other_base, lambda c: c.z / ln(c.u) * c.dv,
        "a^u was divided by ln(a), as when integrating: (a^u)' is a^u*ln(a)*u'"),
    Row("power rule for f^g", EXPONENTIAL, _tower, lambda c: c.v * c.z / c.u * c.du,
        "the power rule needs a constant exponent: write f^g as exp(g*ln(f)) first"),
    Row("exponential rule for f^g", EXPONENTIAL, _tower, lambda c: c.z * ln(c.u) * c.dv,
        "the exponential rule needs a constant base: write f^g as exp(g*ln(f)) first"),

    Row("missing ln of the base", EXPONENTIAL, _is("log10", "log2"), lambda c: c.du / c.u,
        "the factor 1/ln(b) is missing: (log_b(u))' is u'/(u*ln(b))"),
    Row("missing ln of the base", EXPONENTIAL, lambda at: at.name == "log" and at.varies == (True, False),
        lambda c: c.du / c.u, "the factor 1/ln(b) is missing: (log_b(u))' is u'/(u*ln(b))"),
    Row("one over the inner derivative", CHAIN, _is("ln"), lambda c: 1 / c.du,
        "1 was divided by the derivative of {inner}: (ln(u))' is u'/u"),
    Row("division by the inside left out", CHAIN, _is("ln"), lambda c: c.du,
        "the division by {inner} was left out: (ln(u))' is u'/u"),

    Row("wrong sign in the table", TABLE, _is(*_TABLE), lambda c: -c.p * c.d,
        "the derivative of {name} has the other sign"),
    Row("wrong entry of the table", TABLE, _is("tan"), lambda c: sec(c.u) * c.du,
        "the square is missing: tan(u)' is sec(u)^2*u'"),
    Row("wrong entry of the table", TABLE, _is("tan"), lambda c: sec(c.u) * tan(c.u) * c.du,
        "sec(u)*tan(u) is the derivative of sec(u): tan(u)' is sec(u)^2*u'"),
    Row("wrong entry of the table", TABLE, _is("sec"), lambda c: sec(c.u) ** 2 * c.du,
        "sec(u)^2 is the derivative of tan(u): sec(u)' is sec(u)*tan(u)*u'"),
    Row("wrong entry of the table", TABLE, _is("sec"), lambda c: tan(c.u) ** 2 * c.du,
        "sec(u)' is sec(u)*tan(u)*u'"),
    Row("wrong entry of the table", TABLE, _is("cot"), lambda c: -csc(c.u) * c.du,
        "the square is missing: cot(u)' is -csc(u)^2*u'"),
    Row("wrong entry of the table", TABLE, _is("atan"), lambda c: c.du / sqrt(1 - c.u**2),
        "1/sqrt(1 - u^2) is the derivative of asin(u): atan(u)' is u'/(1 + u^2)"),
    Row("wrong entry of the table", TABLE, _is("atan"), lambda c: c.du / (1 - c.u**2),
        "the sign below is wrong: atan(u)' is u'/(1 + u^2)"),
    Row("wrong entry of the table", TABLE, _is("atan"), lambda c: sec(c.u) ** 2 * c.du,
        "sec(u)^2 is the derivative of tan(u): atan(u)' is u'/(1 + u^2)"),
    Row("wrong entry of the table", TABLE, _is("asin"), lambda c: c.du / (1 + c.u**2),
        "1/(1 + u^2) is the derivative of atan(u): asin(u)' is u'/sqrt(1 - u^2)"),
    Row("wrong entry of the table", TABLE, _is("asin", "acos"), lambda c: sign(c.p) * c.du / sqrt(1 + c.u**2),
        "the sign under the root is wrong: it is 1 - u^2"),
    Row("wrong entry of the table", TABLE, _is("asin"), lambda c: c.du / (1 - c.u**2),
        "the root is missing: asin(u)' is u'/sqrt(1 - u^2)"),
    Row("wrong entry of the table", TABLE, _is("asin"), lambda c: cos(c.u) * c.du,
        "cos(u) is the derivative of sin(u): asin(u)' is u'/sqrt(1 - u^2)"),
    Row("wrong entry of the table", TABLE, _is("acos"), lambda c: -sin(c.u) * c.du,
        "-sin(u) is the derivative of cos(u): acos(u)' is -u'/sqrt(1 - u^2)"),
    Row("sign of the inside left out", TABLE, _is("abs"), lambda c: c.du,
        "the sign of {inner} was left out: |u|' is u' where u > 0 and -u' where u < 0"),

    Row("derivative of the inside put inside", CHAIN, _chain, lambda c: c.outer(c.d),
        "the outer derivative was taken at the derivative of {inner}: (f(g))' is f'(g)*g'"),
    Row("function of the derivative", CHAIN, _chain, lambda c: c.whole(c.d),
        "only the inside was differentiated: (f(g))' is f'(g)*g'"),
    Row("outer derivative at the variable", CHAIN, _chain, lambda c: c.outer(c.x) * c.d,
        "the outer derivative was not taken at {inner}: (f(g))' is f'(g)*g'"),
    Row("outer function not differentiated", CHAIN, _outer, lambda c: c.z * c.d,
        "the outer function was not differentiated: (f(g))' is f'(g)*g'"),
    Row("inner derivative added", CHAIN, _chain, lambda c: c.p + c.d,
        "the inner derivative was added where it is multiplied: (f(g))' is f'(g)*g'"),
    Row("inner derivative divided by", CHAIN, _chain, lambda c: c.p / c.d,
        "f'(g) was divided by the inner derivative where it is multiplied, as when integrating"),
    Row("inner derivative left out", CHAIN, lambda at: _reciprocal(at) and at.varies != at.bare,
        lambda c: -c.u / c.v**2,
        "the inner derivative was left out: multiply by the derivative of {inner}, which is {slope}"),
    Row("sign of the reciprocal lost", QUOTIENT, _reciprocal, lambda c: c.u * c.dv / c.v**2,
        "the minus sign was lost: (c/v)' is -c*v'/v^2"),
    Row("denominator not squared", QUOTIENT, _reciprocal, lambda c: -c.u * c.dv / c.v,
        "the denominator was not squared: (c/v)' is -c*v'/v^2"),
    Row("reciprocal of the derivative", QUOTIENT, _reciprocal, lambda c: c.u / c.dv,
        "only the denominator was differentiated: (c/v)' is -c*v'/v^2"),
    Row("reciprocal integrated", QUOTIENT, _reciprocal, lambda c: c.u * ln(abs(c.v)),
        "ln is what 1/v integrates to: (c/v)' is -c*v'/v^2"),

    Row("constant not dropped", CONSTANT, _with_constant, lambda c: c.p * c.d + (c.z - c.p * c.g),
        "the derivative of a constant is 0, so {constant} drops out"),
    Row("constant factor dropped", CONSTANT, lambda at: _scaled(at) or _divided(at), lambda c: c.d,
        "the constant factor {constant} was dropped: (c*u)' is c*u'"),
    Row("constant factor differentiated", CONSTANT, _scaled, lambda c: c.g + c.c * c.d,
        "the constant factor {constant} was treated like a variable: (c*u)' is c*u'"),
    Row("constant factor differentiated", CONSTANT, _scaled, lambda c: c.d * 0,
        "the derivative of the constant factor {constant} made the term 0: (c*u)' is c*u'"),
    Row("factor not differentiated", CONSTANT, _scaled, lambda c: c.z,
        "{part} was left as it is: its derivative is {own}"),
    Row("minus sign lost", SUM, lambda at: at.name == "neg", lambda c: c.du,
        "the minus sign in front was lost"),
    Row("minus sign lost", SUM, _both("sub"), lambda c: c.du + c.dv,
        "the minus between the terms became a plus"),
    Row("plus sign turned", SUM, _both("add"), lambda c: c.du - c.dv,
        "the plus between the terms became a minus"),
    Row("minus sign lost", SUM, lambda at: at.name == "sub" and at.varies == (False, True), lambda c: c.dv,
        "the minus sign in front of {v} was lost"),
    Row("term left out", SUM, _both("add"), lambda c: c.du, "the derivative of the term {v} is missing"),
    Row("term left out", SUM, _both("sub"), lambda c: c.du, "the derivative of the term {v} is missing"),
    Row("term left out", SUM, _both("add"), lambda c: c.dv, "the derivative of the term {u} is missing"),
    Row("term left out", SUM, _both("sub"), lambda c: -c.dv, "the derivative of the term {u} is missing"),
    Row("term not differentiated", SUM, _both("add"), lambda c: c.u + c.dv, "the term {u} was left as it is"),
    Row("term not differentiated", SUM, _both("add"), lambda c: c.du + c.v, "the term {v} was left as it is"),
    Row("term not differentiated", SUM, _both("sub"), lambda c: c.u - c.dv, "the term {u} was left as it is"),
    Row("term not differentiated", SUM, _both("sub"), lambda c: c.du - c.v, "the term {v} was left as it is"),
    Row("term not differentiated", SUM, _with_constant, lambda c: c.p * c.g,
        "the term {inner} was left as it is"),
)
# fmt: on
