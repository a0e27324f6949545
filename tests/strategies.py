"""What the tests draw from: points inside the domain of an operation, expressions, exact references.

Everything follows from the operation table, so that a new row is covered without an edit here.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mpmath
from hypothesis import settings
from hypothesis import strategies as st

from exprgrad.errors import ExprgradError
from exprgrad.expressions.expression import Expression
from exprgrad.graph.value import Constant, Value, node
from exprgrad.language.parser import Reading
from exprgrad.operations import operation
from exprgrad.operations import table as operations
from exprgrad.operations.operation import TABLE, Operation
from exprgrad.sweeps.careful import live, needed
from exprgrad.sweeps.tape import Tape
from tests.oracle.many_digits import HighPrecision

assert operations.ADD  # the table is filled

MP = HighPrecision(mpmath.mp)
"""The table on mpmath's own numbers, with the precision that a test has set there."""


@contextlib.contextmanager
def declared(name: str, *rest: Any, **fields: Any) -> Iterator[Operation]:
    """An operation that is declared for a while, as a user's row would be."""
    with restored(name):
        yield Operation(name, *rest, **fields)


@contextlib.contextmanager
def restored(name: str) -> Iterator[None]:
    """The table as it was before an operation of that name was declared."""
    called = {name: dict(rows) for name, rows in operation._CALLED.items()}
    try:
        yield
    finally:
        TABLE.pop(name, None)
        for alias in operation._CALLED.keys() - called.keys():
            delattr(operation.Methods, alias)
        operation._CALLED.clear()
        operation._CALLED.update(called)


ROWS = tuple(row for row in TABLE.values() if type(row) is Operation)

# Points in the domain of an operation: the candidates that its row lets through.

_ENDS = (
    *(1e-310, 1e-200, 1e-20, 1e-8, 1 - 1e-9, 1 + 1e-9, 1 + 2**-52, 1 - 2**-53),
    *(1e3, 1e8, 2.0**53, 1e155, 1e200, 1e308),
)
_EVERYDAY = (
    *(0.001, 0.1, 0.3, 0.49, 0.5, 0.51, 0.7, 0.99, 1.0, 1.01, 1.25, 1.5, 2.0, 2.4, 3.0),
    *(math.pi / 2, math.pi, 4.0, 5.0, 7.3, 10.0, 17.0, 40.0),
)
_SPECIAL = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0)
_ORDERS = (0.0, 1.0, 2.0, 3.0, 5.0, 12.0)
_NO_ORDERS = (-1.0, 0.5, 2.5)


def candidates(operation: Operation, index: int, everyday: bool = False) -> list[float]:
    """Floats to try as that argument: small, large, of both signs, around 0 and 1.

    An argument whose partial is None is an order: whole numbers, and some that are none.
    """
    if operation.partials[index] is None:
        return [*_ORDERS, *_NO_ORDERS]
    rng = random.Random(f"{operation.name} {index}")
    near = [round(rng.uniform(-6, 6), 3) for _ in range(20)]
    near += [round(rng.uniform(-1, 1), 3) for _ in range(20)]
    if everyday:
        return [0.0, *_EVERYDAY, *(-x for x in _EVERYDAY), *near]
    positive = (*_EVERYDAY, *_ENDS)
    far = [rng.choice((-1, 1)) * 10 ** rng.uniform(-6, 6) for _ in range(20)]
    return [0.0, *positive, *(-x for x in positive), *near, *far]


@functools.cache
def tried(
    operation: Operation, everyday: bool = False
) -> tuple[tuple[float, ...], ...]:
    """Arguments to try, in the domain or not; where there are many, a selection of them."""
    most = 2000 if None not in operation.partials else 200
    choices = [candidates(operation, i, everyday) for i in range(operation.arity)]
    rng = random.Random(operation.name)
    if math.prod(map(len, choices)) <= most:
        every = list(itertools.product(*choices))
        rng.shuffle(every)
        return tuple(every)
    special = itertools.product(
        *[[x for x in choice if x in _SPECIAL] for choice in choices]
    )
    chosen = (tuple(rng.choice(choice) for choice in choices) for _ in range(most))
    return tuple(dict.fromkeys([*chosen, *special]))


def is_regular(operation: Operation, arguments: Sequence[float]) -> bool:
    """Whether the arguments are in the domain and away from the operation's corner."""
    if operation.failing(tuple(arguments)) is not None:
        return False
    return operation.corner is None or not operation.corner(*arguments)


@functools.cache
def regular_points(
    operation: Operation, everyday: bool = False
) -> tuple[tuple[float, ...], ...]:
    """Points of the domain away from the corner; `everyday` ones are neither huge nor tiny."""
    found = tuple(a for a in tried(operation, everyday) if is_regular(operation, a))
    assert found, f"no candidate lies in the domain of {operation.name}"
    return found


def points(
    operation: Operation, everyday: bool = False
) -> st.SearchStrategy[tuple[float, ...]]:
    """A point of the operation's domain, away from its corner."""
    return st.sampled_from(regular_points(operation, everyday))


# Source texts over the whole grammar. A *tight* text may stand beside any operator.

_LETTERS = st.sampled_from(["x", "y", "z", "t", "w_1", "α", "θ"])
_NUMBERS = st.sampled_from(
    ["2", "3", "0.5", ".25", "7.", "1e3", "2.5e-3", "1_000", "1e300"]
)
_NAMES = st.sampled_from(["pi", "π", "e", "tau", "beta", "x_max", "λ2"])
_LEAVES = st.one_of(_LETTERS, _NUMBERS, _NAMES)
_CONSTANTS = st.sampled_from(
    ["3!", "(2 + 1)!", "(3!)!", "factorial(4)", "(-(-5))!", "2^3!"]
)
_SUM = st.sampled_from([" + ", "-", " − "])
_PRODUCT = st.sampled_from(["*", " / ", "×", "·", "÷"])
_COMPARISON = st.sampled_from([" < ", " <= ", ">", "≥", " == ", " != ", "≠", "<>"])
_SUPERSCRIPT = st.sampled_from(["²", "³", "⁻¹", "¹⁰", "⁺²"])
_BRACKETS = st.sampled_from(["()", "[]", "{}"])
_BARE = st.sampled_from(sorted(o.called for o in ROWS if o.bare and o.called))
_INVERTIBLE = st.sampled_from(sorted(o.called for o in ROWS if o.inverse))


def _joined(*parts: st.SearchStrategy[str] | str) -> st.SearchStrategy[str]:
    return st.tuples(*(st.just(p) if isinstance(p, str) else p for p in parts)).map(
        "".join
    )


def _calls(inside: st.SearchStrategy[str], rows: Sequence[Operation]) -> list[Any]:
    calls = []
    for row in rows:
        names = st.sampled_from([row.called, *row.aliases])
        arguments = [part for _ in range(row.arity) for part in (", ", inside)][1:]
        calls.append(_joined(names, "(", *arguments, ")"))
        if row.fold:
            more = [", ", inside, ", ", inside]
            calls.append(_joined(names, "(", *arguments, *more, ")"))
    return calls


def _levels(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Texts one level deeper: the grammar's rules, from the tightest to the loosest."""
    grouped = st.tuples(_BRACKETS, inside).map(lambda t: f"{t[0][0]}{t[1]}{t[0][1]}")
    bars = _joined("(", st.sampled_from(["", "sin", "2"]), "|", grouped, "|)")
    called = st.one_of(_calls(inside, [o for o in ROWS if o.called]))
    logarithm = _joined("log_", st.sampled_from(["2", "10", "b"]), "(", inside, ")")
    call_to_power = _joined(_BARE, st.sampled_from(["^2", "²", "^(-3)", "^n"]), grouped)
    tight = st.one_of(
        _LEAVES, grouped, called, bars, logarithm, _CONSTANTS, call_to_power,
        _joined(_INVERTIBLE, st.sampled_from(["^-1", "⁻¹"]), "(", inside, ")"),
    )  # fmt: skip
    signs = st.sampled_from(["", "", "-", "--", "+", "−"])
    power = st.one_of(
        tight,
        _joined(tight, st.sampled_from(["^", "**"]), signs, tight),
        _joined(tight, "^", tight, "^", tight),
        _joined(st.one_of(_LETTERS, grouped), _SUPERSCRIPT),
        _joined("√", tight),
    )
    implicit = st.one_of(
        _joined(st.sampled_from(["2", "0.5"]), st.one_of(_LETTERS, grouped, called)),
        _joined(_LETTERS, " ", _LETTERS, st.sampled_from(["", "²"])),
        _joined(grouped, grouped),
        _joined(
            _BARE, st.sampled_from([" 2x", " x y", " x^2", "² t", "^2 x", " α cos y"])
        ),
    )
    term = _joined(signs, st.one_of(power, power, implicit))
    product = st.one_of(term, _joined(term, _PRODUCT, term))
    product = st.one_of(product, _joined(product, _PRODUCT, term))
    total = st.one_of(product, _joined(product, _SUM, product))
    total = st.one_of(total, _joined(total, _SUM, product))
    relation = st.one_of(total, total, _joined(total, _COMPARISON, total))
    relation = st.one_of(relation, relation, _joined("not ", relation))
    return st.one_of(
        relation,
        relation,
        _joined(relation, st.sampled_from([" and ", " or "]), relation),
    )


@functools.cache
def texts(max_leaves: int = 8) -> st.SearchStrategy[str]:
    """Expressions as people may type them, over the whole grammar and every function of the table."""
    return st.recursive(_LEAVES, _levels, max_leaves=max_leaves)


# Expressions to differentiate, and points for them that corners do not sit on.


_DIFFERENTIABLE = [
    o for o in ROWS if o.called and None not in o.partials and o.choose is None
]
_EXPONENTS = ["2", "3", "(-1)", "(1/3)", "(2/3)", "1.5", "y"]


def _formula(rng: random.Random, depth: int) -> str:
    """A random expression; `depth` is how many operations may stand within one another."""
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(["x", "y", "z", "x*y", "-x", "x + y", "2", "0.3"])

    def inside() -> str:
        return _formula(rng, depth - 1)

    kind = rng.random()
    if kind < 0.5:
        row = rng.choice(_DIFFERENTIABLE)
        return f"{row.called}({', '.join(inside() for _ in range(row.arity))})"
    if kind < 0.8:
        return f"({inside()}) {rng.choice('+-*/')} ({inside()})"
    if kind < 0.9:
        return f"({inside()})^{rng.choice(_EXPONENTS)}"
    if kind < 0.95:
        return f"if({inside()} < {inside()}, {inside()}, {inside()})"
    return f"-({inside()})"


_CORNERED = (
    "|{}|;relu({});sqrt({});cbrt({});sign({});step({});floor({});round({})".split(";")
)
_SMOOTH = "exp({});sin({});cos({});tanh({});({})^2;({})^3;ln(1 + ({})^2);-({})".split(
    ";"
)
_PAIRED = (
    "({}) + ({});({}) - ({});({})*({});({})/({});max({}, {});min({}, {});hypot({}, {})"
)
_POWERS = "({})^(1/3);({})^(2/3);({})^(4/3);({})^1.5;root({}, 3);asin({});acosh(1 + {})"


def _cornered(rng: random.Random, depth: int) -> str:
    """A random expression in x with corners, most of them at whole numbers."""
    if depth == 0:
        return rng.choice(["x", "x", "x", "-x", "2*x", "x^2", "x - 1", "1", "3"])
    shapes = [
        _CORNERED,
        _CORNERED,
        _SMOOTH,
        *[_PAIRED.split(";")] * 3,
        _POWERS.split(";"),
    ]
    shape = rng.choice([*rng.choice(shapes), "if({0} < {1}, {0}, {1})"])
    parts = [_cornered(rng, rng.randrange(depth)) for _ in range(2)]
    return shape.format(*parts)


CORNERED = st.integers(0, 9999).map(
    lambda n: (
        _cornered(random.Random(n), 2 + n % 3),
        random.Random(-n).choice([0, 0, 1, -1]),
    )
)
"""Expressions in x with corners, and a whole number where many of them are."""


def _case(number: int) -> tuple[str, dict[str, float]]:
    rng = random.Random(number)
    formula = _formula(rng, 2 + number % 3)
    return formula, {name: (rng.randint(-3000, 3000) + 0.37) / 1000 for name in "xyz"}


CASES = st.integers(0, 9999).map(_case)
"""Expressions in x, y and z made of operations that have derivatives, with values for x, y and z.

One number stands for both, so that no example comes twice.
"""

PLACES = st.fixed_dictionaries(
    {name: st.integers(-3000, 3000).map(lambda n: (n + 0.37) / 1000) for name in "xyz"}
)
"""Values for x, y and z."""


# Expressions as textbooks have them: powers and roots of everything, functions of one angle, logarithms of products

_SINGLE = [o for o in _DIFFERENTIABLE if o.arity == 1]
_SEVERAL = [o for o in ROWS if o.called and o.arity > 1 and o.choose is None]
_FAMILIES = [
    *([o for o in _SINGLE if o.family == f] for f in dict.fromkeys(o.family for o in _SINGLE if o.family)),
    [o for o in _SINGLE if o.inverse],
    _SINGLE,
]  # fmt: skip
"""Functions that stand together in one expression: circular, hyperbolic, those with an inverse, any."""

_INNER = (
    "x;x;x;x;2*x;3*x - 1;x/2;x^2;x + y;x*y;a*x;x^2 + 1;1 - x;sqrt(x);1/x;ln(x);exp(x);x/y;y/x;x - y;-x;x^3;4 - x^2;x*x"
    ";|x|;(x - 1)^2;0.5*x;2*x + 1/4;x^2 + y^2;n*x;x - x;x/x;1e-3*x;3.14159265358979*x;floor(x)"
).split(";")
_FRACTIONS = (
    "2;3;4;(-1);(-2);(1/2);(3/2);(-1/2);(1/3);(2/3);(4/3);(-1/3);(-2/3);(5/2);(5/3);0.5;1.5;(2/5);(3/4);(-3/2);(1/4)"
    ";(7/2);(-5/2);(7/3)"
).split(";")
_SYMBOLS = "n;(n - 1);(-n);(n/2);a;x;(-x);(1/x);sin(x);(2*x);y".split(";")
_NUMERALS = (
    "2;3;(-1);(5/2);a;pi;e;0.1;2.5;sqrt(2);1/3;7/9;1.25e-4;12345.678901;1.96845632955977931;3^20;(2^53 + 1);asin(1/2)"
).split(";")

_SHAPES = [
    group.split(";")
    for group in (
        "{U};{U};{U}*{V};{U}/{V};{U}*{f}({v});{c}*{U} + {V};{U} - {c}*{V};{c}*{U};{f}({u})*{g}({v})",
        "{F}*{G};{F}/{G};{F}*{G};{F}/{G};{F}*{G}*{H};{F} + {G};{F} - {G}*{H};{F}/({G} + {c});{F}*{f}({u})^{p}",
        "{F}*{G};{F}/{G};{F}*{G}/{H};({F})^{q};({F}*{G})^{q};{f}({g}({u}))^{p};{f}({u})*{g}(2*({u}));{f}({u})^2 + {g}({u})^2",
        "sqrt(({u})^2);sqrt(({u})*({v}));sqrt({u})*sqrt({v});sqrt({u})/sqrt({v});(({u})^{p})^{q};sqrt({u})^{q}"
        ";cbrt({u})^{q};sqrt(({u})^2*({v}));sqrt(sqrt({u}));root({u}, {k});(({u})*({v}))^{q};(({u})/({v}))^{q}"
        ";({u})^{p}*({u})^{q};({u})^{p}/({u})^{q};sqrt(({u})^{p}/({v}));cbrt(({u})^{p});sqrt(({u})^2 + ({v})^2)"
        ";sqrt(1 - {f}({u})^2);(({u})*({v}))^{p}*({u})^{q};root(({u})^{p}, {k});({u})^{p}*({v})^{p};({u})^{p} + ({u})^{q}",
        "ln(({u})*({v}));ln(({u})/({v}));ln(({u})^{p});ln(|{u}|);ln({u})^{q};log({u}, {v});log(2, {u});exp({U}*ln({u}))"
        ";({u})^ln({v});ln(sqrt(({u})*({v})));ln({u}) - ln({v});{c}*ln({u});ln({f}({u}));exp(ln({u}) - ({v}))"
        ";2^log2({u});ln({f}({u})^{p});({u})^(1/ln({u}));ln(exp({u}));exp({u})*exp({v});exp({u})^({v});a^({u})"
        ";2^({u});log10(({u})^{p});({u})^({v});ln({F}*{G});log2({u})^{p}",
        "|{u}|;({u})*|{u}|;|{u}|/({u});|{u}|^{q};min({u}, {v});max({u}, {v});if({u} < {v}, {U}, {V});if({u} >= 0, {U}, {V})"
        ";sign({u})*({v});|({u})*({v})|;|{f}({u})|;sqrt(|{u}|);max({u}, 0);|{u}|*|{v}|;sign(({u})*({v}));|({u})^3|"
        ";hypot({u}, {v});atan2({u}, {v});min(max({u}, 0), 1);floor({u});floor({u})*({v});max(|{u}|, |{v}|)"
        ";relu({u})*({v});exp(-|{u}|);({u})/|{v}|;relu({u})^{q};max({u}, 0)^{q};sign({f}({u}))*{G};mod({u}, {c});{b}",
        "{f}({i}({u}));{i}({f}({u}));{f}({j}({u}));{j}({f}({u}));{f}({i}({u}))^{q};{i}({f}({u}))*{F};{b};{b}",
    )
]  # fmt: skip


def textbook(rng: random.Random) -> str:
    """A random expression as textbooks have them, in x and perhaps y, a and n."""
    text = _shaped(rng)
    if rng.random() < 0.3:
        text = f"({text}) {rng.choice('+-**//')} ({_shaped(rng)})"
    return f"({text})^{_exponent(rng)}" if rng.random() < 0.1 else text


def _shaped(rng: random.Random) -> str:
    family = rng.choice(_FAMILIES)
    f, g, h = (rng.choice(family).called for _ in range(3))
    invertible = rng.choice([o for o in _SINGLE if o.inverse])
    u, v = rng.choice(_INNER), rng.choice(_INNER)
    if rng.random() < 0.1:
        u = f"{rng.choice(_SINGLE).called}({u})"
    p, q = rng.choice(_FRACTIONS), _exponent(rng)
    many = rng.choice(_SEVERAL)
    arguments = [
        rng.choice("0123") if slope is None else rng.choice(_INNER)
        for slope in many.partials
    ]
    return rng.choice(rng.choice(_SHAPES)).format(
        u=u, v=v, f=f, g=g, p=p, q=q, k=rng.choice("3456"), c=rng.choice(_NUMERALS),
        i=invertible.inverse, j=rng.choice(_SINGLE).called,
        F=f"{f}({u})^{p}", G=f"{g}({u})^{q}" if rng.random() < 0.7 else f"{g}({u})", H=f"{h}({u})",
        U=f"({u})^{q}", V=f"{rng.choice(_SINGLE).called}({v})",
        b=f"{many.called}({', '.join(arguments)})",
    )  # fmt: skip


def _exponent(rng: random.Random) -> str:
    return rng.choice(_FRACTIONS if rng.random() < 0.8 else _SYMBOLS)


# Rewritings

_PARTS = ["x", "y", "n", "x*y", "x - 1", "1 - x", "x + y", "-x", "x^2 - 1", "2"]
_WRAPS = "({});sqrt({});|{}|;({})^n;({})^(1/3);1/({});ln({});exp({});sin({});sign({});atan({})"
_OUTER = "{};{};atan({});sqrt({});({})^2;({})*x;({}) + y;sin({});|{}|;({})^(1/3);({})^n"
_FACTS = "sqrt({});ln({});1/({});acosh({});({})^(-1/2)"
_CLAIMS = [
    pair.split(" = ")
    for pair in """
    sqrt({0}^2) = {0}; sqrt({0})^2 = {0}; |{0}| = {0}; sign({0})^2 = 1; |{0}| = sqrt({0}^2)
    sqrt({0}*{1}) = sqrt{0}*sqrt{1}; ln({0}*{1}) = ln{0} + ln{1}; ln({0}^2) = 2*ln{0}
    ({0}^n)^2 = {0}^(2*n); ({0}^2)^n = {0}^(2*n); ({0}*{1})^n = {0}^n*{1}^n
    {0}^n*{0} = {0}^(n + 1); {0}^(n/2) = sqrt({0}^n); {0}^n*{0}^(-n) = 1
    ({0}^(1/3))^2 = {0}^(2/3); {0}^(1/3)*{0}^(2/3) = {0}; cbrt|{0}|*sign{0} = cbrt{0}
    |{0}|*{1} = {0}*|{1}|; sign{0}*{0} = |{0}|; |{0}*{1}| = {0}*{1}; {0}/|{0}| = sign{0}
    asin(sin{0}) = {0}; exp(n*ln{0}) = {0}^n; {0}^1.5 = |{0}|*sqrt{0}; |{0}|^n = |{0}^n|
    sqrt({0}/{1}) = sqrt{0}/sqrt{1}; sqrt({0}/{1}) = sqrt({0}*{1})/|{1}|; sign{0}^3 = sign{0}
    sqrt(1 - sin{0}^2) = cos{0}; {0}^{1} = exp({1}*ln{0}); 2^{0}*3^{0} = 6^{0}
    """.replace("\n", ";").split(";")
    if pair.strip()
]


def _claim(number: int) -> str:
    """A difference that vanishes everywhere, or where some sign is right, or nowhere."""
    rng = random.Random(number)
    one, other = (
        rng.choice(_WRAPS.split(";")).format(rng.choice(_PARTS)) for _ in range(2)
    )
    outer = rng.choice(_OUTER.split(";"))
    sides = [
        outer.format(side.strip().format(f"({one})", f"({other})"))
        for side in rng.choice(_CLAIMS)
    ]
    facts = [
        f" + 0*{rng.choice(_FACTS.split(';')).format(rng.choice([*_PARTS, one]))}"
        for _ in range(rng.randrange(3))
    ]
    return f"({sides[0]}) - ({sides[1]})" + "".join(facts)


CLAIMS = st.integers(0, 99999).map(_claim)
"""Differences in x, y and n that careless algebra takes for 0, on domains that make some of them so."""


# References


def applied(operation: Operation) -> Expression:
    """The operation on the variables x, y and z, as many as it takes."""
    leaves = tuple(Value(None, name) for name in "xyz"[: operation.arity])
    source = operation.signature
    return Expression(Reading(source, node(operation, leaves), leaves, (), False))


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns, or the message of the error that it raises."""
    try:
        return call()
    except ExprgradError as error:
        return error.message


def ulps(one: float | None, other: float | None) -> float:
    """How many units in the last place lie between two numbers; None is equal to None and nan only.

    Differences among the smallest numbers of double precision do not count.
    """
    one, other = (math.nan if x is None else float(x) for x in (one, other))
    if math.isnan(one) or math.isnan(other):
        return 0 if math.isnan(one) and math.isnan(other) else math.inf
    if abs(one - other) <= 1e-300 or one == other:
        return 0
    return abs(one - other) / math.ulp(max(abs(one), abs(other)))


def same_graph(one: Value, other: Value) -> bool:
    """Whether two graphs are the same expression: operations, operands, constants, variables.

    By a stack, so that depth does not matter; a pair of shared nodes is compared once.
    """
    stack, seen = [(one, other)], set()
    while stack:
        pair = stack.pop()
        if pair in seen:
            continue
        seen.add(pair)
        a, b = pair
        alike = (
            a.operation is b.operation
            and isinstance(a, Constant) == isinstance(b, Constant)
            and (a.name, a.data, len(a.operands)) == (b.name, b.data, len(b.operands))
        )
        if not alike:
            return False
        stack += zip(a.operands, b.operands, strict=True)
    return True


def fewer(share: int) -> settings:
    """So many times fewer examples, for a test to which each is dear."""
    return settings(max_examples=max(1, settings.default.max_examples // share))


def exact_values(tape: Tape, at: dict[str, Any]) -> list[Any]:
    """The value of every node in mpmath's numbers; None where it has none."""
    values: list[Any] = [None] * len(tape.nodes)
    for name, i in tape.variables.items():
        values[i] = mpmath.mpf(at[name])
    for i, data in tape.constants:
        values[i] = mpmath.mpf(data)
    for step in tape.steps:
        arguments = [values[j] for j in step.operands]
        lazy = step.operation.choose is not None
        if None in (arguments[:1] if lazy else arguments):
            continue
        try:
            values[step.node] = MP.function(step.operation)(*arguments)
        except (ValueError, ZeroDivisionError):
            continue
    return values


def exact_sweeps(tape: Tape, at: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Value and gradient in mpmath's numbers, by the table's rules in the working precision."""
    values = exact_values(tape, at)
    return values[tape.root], _exact_gradient(tape, values)


def _exact_gradient(tape: Tape, values: list[Any]) -> dict[str, Any]:
    adjoints: list[Any] = [mpmath.mpf(0)] * len(tape.nodes)
    adjoints[tape.root] = mpmath.mpf(1)
    alive, active = live(tape, values), tape.active(tape.variables)
    for step in reversed(tape.steps):
        if not (alive[step.node] and adjoints[step.node]):
            continue
        arguments = [values[j] for j in step.operands]
        partials = MP.partials(step.operation)
        for j, partial in zip(step.operands, partials, strict=True):
            if j in needed(step, values) and active[j]:
                slope = partial(values[step.node], *arguments)
                adjoints[j] += adjoints[step.node] * slope
    return {name: adjoints[i] for name, i in tape.variables.items()}


def exact_slope(f: Callable[..., Any], at: Sequence[Any], index: int) -> Any:
    """The derivative of a function of mpmath's numbers, by a difference over a 1e-30th.

    Its relative error is some 1e-60, given twice as many digits and a smooth function.
    """
    step = (abs(at[index]) or mpmath.mpf(1)) * mpmath.mpf(10) ** -30
    above, below = list(at), list(at)
    above[index] += step
    below[index] -= step
    return (f(*above) - f(*below)) / (2 * step)


def digits(arguments: Sequence[float]) -> int:
    """How many digits hold 1 + x and exp(x) apart from 1 and 0, and a difference of them."""
    spread = max((abs(math.log10(abs(a))) for a in arguments if a), default=0.0)
    return int(120 + 2 * spread + min(max(map(abs, arguments)), 1000))
