"""What goes wrong when people rearrange: a catalogue of slips in algebra, and where in a line one was made.

    dues(numbers, targets)          what every part of a line would have to be for the line to be what it should

A part with the value z has a due value d, with which the line comes out right if everything else stays. For a sum
a + b that should be s, the due of a is s - b; for a product, s/b; and so on down to the leaves. So each slip is
tried at each part with a few numbers, without a sweep: d = -z is a sign, d/z constant a factor, d = sqrt(u + v)
where sqrt(u) + sqrt(v) stands is a root taken term by term.

`MENDS` are tried on the wrong line itself: what should stand there instead. `SLIPS` are tried on the line before:
what was made of it. To add a slip, add a row. Those that come first are named first.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence

from exprgrad.annotations import Any, NamedTuple
from exprgrad.graph.value import Value
from exprgrad.operations.number_types import Step
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation, named
from exprgrad.operations.table import ADD, CBRT, DIV, EXP, LN, MUL, NEG, POW, SQRT, SUB
from exprgrad.sweeps.tape import Tape

MOST_WORK = 40_000
"""Candidates that are tried in all for one line."""

MOST_USES = 1500
"""Parts of a line that are looked at; one that is used twice counts twice."""

ENOUGH = 3
"""Points at which it must be known what a part should be."""

LARGEST_PART = 200
"""Numerator and denominator of a factor that is told."""

Numbers = Sequence[float]
"""A quantity at each of a few points."""


class Part(NamedTuple):
    """A part of a line where it is used: its values, those it should have, how deep it stands, in what."""

    node: int
    values: Numbers
    due: Numbers
    depth: int
    within: int | None


class Named(NamedTuple):
    """A quantity that may have been lost: what it is called and its values."""

    text: str
    values: Numbers


class Flow:
    """The values of all parts of an expression at a few points, and what they should be."""

    def __init__(self, tape: Tape, values: Sequence[Numbers]) -> None:
        self.tape, self.values = tape, values
        self.made: dict[int, Step] = {step.node: step for step in tape.steps}
        self.points = range(len(values[tape.root]))

    def item(self, index: int) -> Value:
        """The node with that number."""
        return self.tape.nodes[index]

    def constant(self, index: int) -> float | None:
        """The value of a part that is the same at all points."""
        own = self.values[index]
        return (
            own[0]
            if index not in self.tape.variables.values() and steady(own)
            else None
        )

    def terms(self, index: int) -> list[tuple[int, int]]:
        """The summands of a part, each with its sign."""
        return self._operands(index, (ADD, SUB), -1)

    def factors(self, index: int) -> list[tuple[int, int]]:
        """The factors of a part, each with its power, 1 or -1; signs are left out."""
        return self._operands(index, (MUL, DIV), 1)

    def _operands(
        self, index: int, joined: tuple[Operation, Operation], minus: int
    ) -> list[tuple[int, int]]:
        """What an operation and its inverse join, each part with 1 or -1; a minus sign multiplies that by `minus`."""
        found, stack = [], [(1, index)]
        while stack:
            way, i = stack.pop()
            step = self.made.get(i)
            if step is not None and step.operation in joined:
                second = way if step.operation is joined[0] else -way
                stack += [(second, step.operands[1]), (way, step.operands[0])]
            elif step is not None and step.operation is NEG:
                stack.append((minus * way, step.operands[0]))
            else:
                found.append((way, i))
        return found

    def parts(self, due: Numbers) -> Iterator[Part]:
        """Every part of the line with its due, the whole first."""
        waiting = [Part(self.tape.root, self.values[self.tape.root], due, 0, None)]
        for count, part in enumerate(waiting):
            yield part
            step = self.made.get(part.node)
            if step is None or count + len(waiting) > MOST_USES:
                continue
            for k, j in enumerate(step.operands):
                inner = self._due(step, k, part.due)
                if inner is not None:
                    waiting.append(
                        Part(j, self.values[j], inner, part.depth + 1, part.node)
                    )

    def _due(self, step: Step, k: int, due: Numbers) -> Numbers | None:
        """What operand number k should be for a step to be what it should; None where that is not clear."""
        undo = _UNDONE.get(step.operation)
        if undo is None:
            return self._inverted(step, due)
        own = [self.values[j] for j in step.operands]
        return [_undone(undo, k, due[p], [o[p] for o in own]) for p in self.points]

    def _inverted(self, step: Step, due: Numbers) -> Numbers | None:
        operation = named(step.operation.inverse or "").get(1)
        if operation is None:
            return None
        own, z = self.values[step.operands[0]], self.values[step.node]
        undo: Undo = lambda k, d, o: operation.kernel(d)  # noqa: E731 # as in the table of these
        if not same([_undone(undo, 0, v, ()) for v in z], own):
            return None
        return [_undone(undo, 0, d, ()) for d in due]


Undo = Callable[[int, float, Sequence[float]], float]


def _undone(undo: Undo, k: int, due: float, own: Sequence[float]) -> float:
    """What an operand should be at a point; nan where nothing would do."""
    try:
        found = undo(k, due, own)
    except (*ARITHMETIC, TypeError):
        return math.nan
    return math.nan if isinstance(found, complex) else found


def _root(value: float, n: float, near: float) -> float:
    """The number near another whose power n is that value."""
    if value < 0:
        return -((-value) ** (1 / n)) if n % 2 == 1 else math.nan
    found: float = value ** (1 / n)
    return -found if near < 0 and n % 2 == 0 else found


def _undo_power(k: int, due: float, own: Sequence[float]) -> float:
    if k == 0:
        return _root(due, own[1], own[0])
    return math.log(due) / math.log(own[0])


_UNDONE: dict[Operation, Undo] = {
    ADD: lambda k, d, o: d - o[1 - k],
    SUB: lambda k, d, o: o[0] - d if k else d + o[1],
    MUL: lambda k, d, o: d / o[1 - k],
    DIV: lambda k, d, o: o[0] / d if k else d * o[1],
    NEG: lambda k, d, o: -d,
    POW: _undo_power,
    SQRT: lambda k, d, o: d * d if d >= 0 else math.nan,
    CBRT: lambda k, d, o: d**3,
}
"""What an operand should be, by its number, what the whole should be, and the operands as they are."""


def close(a: float, b: float) -> bool:
    """Whether two doubles are the same, as far as what was computed from cancelling numbers tells."""
    return abs(a - b) <= 1e-8 * (abs(a) + abs(b)) + 1e-13


def same(a: Numbers, b: Numbers) -> bool:
    """Whether two quantities are the same at all points."""
    return all(close(x, y) for x, y in zip(a, b, strict=True))


def steady(values: Numbers) -> bool:
    """Whether a quantity is one number."""
    return all(close(v, values[0]) for v in values)


def ratio(part: Part) -> float | None:
    """The constant factor from what stands there to what should; None if there is none."""
    if not all(part.values) or not all(part.due):
        return None
    found = [
        d / v for d, v in zip(part.due, part.values, strict=True) if math.isfinite(d)
    ]
    return found[0] if steady(found) else None


def told(number: float) -> str | None:
    """A number as a short fraction, or with e or pi; None where it is none."""
    from fractions import Fraction

    for unit, name in (
        (1.0, ""),
        (math.pi, "pi"),
        (math.e, "e"),
        (math.log(10), "ln(10)"),
        (math.log(2), "ln(2)"),
    ):
        found = Fraction(number / unit).limit_denominator(LARGEST_PART)
        if (
            abs(found.numerator) <= LARGEST_PART * 5
            and found
            and close(float(found) * unit, number)
        ):
            if not name:
                return str(found)
            head = (
                ""
                if found.numerator == 1
                else "-"
                if found.numerator == -1
                else f"{found.numerator}*"
            )
            return (
                head
                + name
                + ("" if found.denominator == 1 else f"/{found.denominator}")
            )
    return None


Give = Callable[
    [Flow, Part, Sequence[Named], Callable[[int], str]],
    Iterator[tuple[Callable[[int], float], dict[str, str]]],
]
"""Candidates at a part: a value at each point, and words for the sentence.

It is given the flow, the part, quantities that may have been lost, and how a part is written.
"""


class Slip(NamedTuple):
    """One slip: its name, the rule to look up, what it gives at a part, what to say.

    In `tell`, {part} is the part as typed; the other words come from `gives`.
    """

    name: str
    rule: str
    gives: Give
    tell: str


def _kernel(
    step: Step, values: Callable[[int], Numbers], j: int
) -> Callable[[float, int], float]:
    """A function of one argument, or a power with a constant exponent, as a function of that argument."""
    kernel = step.operation.kernel
    if step.operation is POW:
        exponent = values(step.operands[1])
        return lambda t, p: kernel(t, exponent[p])
    return lambda t, p: kernel(t)


def _function(
    flow: Flow, index: int
) -> tuple[Callable[[float, int], float], int, Any] | None:
    """A part that is a function of one thing: the function, its argument, and what distinguishes it from others."""
    step = flow.made.get(index)
    if step is None:
        return None
    values = flow.values.__getitem__
    if step.operation is POW and flow.constant(step.operands[1]) is not None:
        return (
            _kernel(step, values, 0),
            step.operands[0],
            (POW, round(flow.values[step.operands[1]][0], 12)),
        )
    if len(step.operands) == 1 and not step.operation.native:
        key = (POW, 0.5) if step.operation is SQRT else step.operation
        return _kernel(step, values, 0), step.operands[0], key
    return None


def _sign(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    yield lambda p: -part.values[p], {}


def _exponent(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """Another constant exponent than the one that stands there."""
    step = flow.made.get(part.node)
    base, n = part.node, 1.0
    if step is not None and step.operation is POW:
        constant = flow.constant(step.operands[1])
        if constant is None:
            return
        base, n = step.operands[0], constant
    elif step is not None and step.operation is SQRT:
        base, n = step.operands[0], 0.5
    elif (
        step is not None
        and (step.operation in (ADD, SUB, NEG, MUL, DIV))
        and part.depth == 0
    ):
        return
    if flow.constant(base) is not None:
        return
    own = flow.values[base]
    for m in (
        n - 1,
        n + 1,
        2 * n,
        n / 2,
        -n,
        2.0,
        3.0,
        1.0,
        0.5,
        -1.0,
        -2.0,
        n - 2,
        n + 2,
        n - 0.5,
        n + 0.5,
    ):
        if m not in (n, 0):
            told_m = told(m) or f"{m:g}"
            yield (
                (lambda p, m=m: own[p] ** m),
                {"base": write(base), "right": told_m, "own": told(n) or f"{n:g}"},
            )


@functools.cache
def _mistakable() -> tuple[Operation, ...]:
    """The functions that people take for one another."""
    return tuple(row for row in TABLE.values() if row.family and row.arity == 1)


def _other_function(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """The derivative of a function that was left as it is, or the other way round, or its partner."""
    step = flow.made.get(part.node)
    if (
        step is None
        or len(step.operands) != 1
        or step.operation.inverse is None
        or step.operation is EXP
    ):
        return
    own = flow.values[step.operands[0]]
    argument = write(step.operands[0])
    for other in _mistakable():
        if other is step.operation:
            continue
        for sign in (1, -1):
            right = f"{'-' * (sign < 0)}{other.name}({argument})"
            yield (lambda p, k=other.kernel, s=sign: s * k(own[p])), {"right": right}
    z = part.values
    for power in (2, -1):
        right = f"{step.operation.name}({argument})^{power}"
        yield (lambda p, n=power: z[p] ** n), {"right": right}


def _term_by_term(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """Where f(a) + f(b) stands: f(a + b)."""
    terms = flow.terms(part.node)
    if not 1 < len(terms) < 6:
        return
    functions = [_function(flow, i) for _, i in terms]
    for (_, first), found in zip(terms, functions, strict=True):
        if found is None:
            continue
        apply, _, key = found
        inside = []
        for (sign, i), other in zip(terms, functions, strict=True):
            if other is not None and other[2] == key:
                inside.append((sign, flow.values[other[1]], write(other[1])))
            else:
                undone = _undone_constant(flow, i, key)
                if undone is None:
                    break
                inside.append((sign, undone, write(i)))
        else:

            def whole(p: int, apply: Any = apply, inside: Any = inside) -> float:
                return float(apply(sum(s * v[p] for s, v, _ in inside), p))

            yield (
                whole,
                {"right": write(first), "sum": _sum([(s, t) for s, _, t in inside])},
            )
            if isinstance(key, tuple) and key[1] == 0.5:

                def plain(p: int, inside: Any = inside) -> float:
                    return math.sqrt(sum(v[p] for _, v, _ in inside))

                yield plain, {"right": write(first), "sum": ""}


def _undone_constant(flow: Flow, index: int, key: Any) -> Numbers | None:
    """For a number beside sqrt(a), its square: sqrt(16) stands there as 4."""
    value = flow.constant(index)
    if value is None or not isinstance(key, tuple):
        return None
    try:
        return [float(value ** (1 / key[1]))] * len(flow.points)
    except (*ARITHMETIC, TypeError):
        return None


def _sum(terms: Sequence[tuple[int, str]]) -> str:
    text = ""
    for sign, term in terms:
        text += (
            (" - " if sign < 0 else " + ") + term if text else ("-" * (sign < 0)) + term
        )
    return text


def _squares(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """Where a^2 + b^2 stands, worked out or not: (a + b)^2; and for a root taken away, sqrt(a^2 + b^2)."""
    terms = flow.terms(part.node)
    if len(terms) != 2:
        return
    (s, a), (t, b) = terms
    if not (_is_square(flow, a) and _is_square(flow, b)):
        return
    u, v = flow.values[a], flow.values[b]
    yield (lambda p: (math.sqrt(s * u[p]) + t * math.sqrt(v[p])) ** 2), {}
    yield (lambda p: (s * math.sqrt(u[p]) + math.sqrt(t * v[p])) ** 2), {}


def _is_square(flow: Flow, index: int) -> bool:
    """Whether a part is an even power, or the square of a whole number."""
    constant = flow.constant(index)
    if constant is not None:
        return constant > 0 and math.isqrt(int(constant)) ** 2 == constant
    found = _function(flow, index)
    return found is not None and isinstance(found[2], tuple) and found[2][1] % 2 == 0


def _rootless(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """Where a + b stands: sqrt(a^2 + b^2) or sqrt(a^2 - b^2)."""
    terms = flow.terms(part.node)
    if len(terms) != 2:
        return
    (_, a), (t, b) = terms
    u, v = flow.values[a], flow.values[b]
    yield (lambda p: math.sqrt(u[p] ** 2 + t * v[p] ** 2)), {}


def _bracketed(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """Where a*b + c stands: a*(b + c); where a + b*c stands: (a + b)*c, for neighbouring terms."""
    terms = flow.terms(part.node)
    n = len(terms)
    if not 1 < n < 10:
        return
    worth = [[s * v for v in flow.values[i]] for s, i in terms]
    for i in range(n):
        for j in range(i + 2, n + 1):
            opening, closing = terms[i], terms[j - 1]
            between = range(i + 1, j - 1)
            for names, inner in _ends(flow, opening[1], first=False):
                text = [
                    (1, _product(names, write)),
                    *((terms[k][0], write(terms[k][1])) for k in (*between, j - 1)),
                ]

                def after(
                    p: int, i: int = i, j: int = j, inner: Numbers = inner
                ) -> float:
                    tail = sum(worth[k][p] for k in range(i + 1, j))
                    return part.values[p] - tail + worth[i][p] / inner[p] * tail

                yield after, {"inside": _sum(text)}
            raised = _function(flow, flow.factors(opening[1])[-1][1])
            if raised is not None and isinstance(raised[2], tuple):
                base, power = flow.values[raised[1]], raised[2][1]

                def above(
                    p: int, i: int = i, j: int = j, base: Numbers = base
                ) -> float:
                    tail = sum(worth[k][p] for k in range(i + 1, j))
                    return part.values[p] - tail + worth[i][p] * (base[p] ** tail - 1)

                text = [(1, told(power) or f"{power:g}")]
                text += [(terms[k][0], write(terms[k][1])) for k in range(i + 1, j)]
                yield above, {"inside": _sum(text)}
            for names, inner in _ends(flow, closing[1], first=True):
                text = [
                    (1, write(opening[1])),
                    *((terms[k][0], write(terms[k][1])) for k in between),
                ]
                text.append((closing[0], _product(names, write)))

                def before(
                    p: int, i: int = i, j: int = j, inner: Numbers = inner
                ) -> float:
                    # a minus sign in front is that of the bracket: -(a + b)*c was written -a + b*c
                    lead, own = terms[i][0], sum(worth[k][p] for k in range(i, j))
                    inside = (
                        lead * worth[i][p]
                        + sum(worth[k][p] for k in range(i + 1, j - 1))
                        + terms[j - 1][0] * inner[p]
                    )
                    return (
                        part.values[p]
                        - own
                        + lead * inside * flow.values[terms[j - 1][1]][p] / inner[p]
                    )

                yield before, {"inside": _sum(text)}


def _ends(flow: Flow, index: int, first: bool) -> Iterator[tuple[list[int], Numbers]]:
    """The products of the first factors of a part, or of its last ones, of all but the whole."""
    factors = flow.factors(index)
    if any(power < 0 for power, _ in factors[1:] if not first):
        factors = [f for f in factors if f[0] > 0]
    for count in range(1, len(factors)):
        some = factors[:count] if first else factors[-count:]
        if all(power > 0 for power, _ in some):
            names = [i for _, i in some]
            yield (
                names,
                [math.prod(flow.values[i][p] for i in names) for p in flow.points],
            )


def _product(names: Sequence[int], write: Any) -> str:
    return "*".join(write(i) for i in names)


def _power_of_product(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """Where a*b^n stands: (a*b)^n."""
    factors = flow.factors(part.node)
    if not 1 < len(factors) < 8:
        return
    for k, (power, i) in enumerate(factors):
        found = _function(flow, i)
        if found is None or not isinstance(found[2], tuple) or power < 0:
            continue
        exponent = found[2][1]
        for m, (other, j) in enumerate(factors):
            if m == k:
                continue
            base = flow.values[j]
            yield (
                (
                    lambda p, b=base, e=exponent, o=other: (
                        part.values[p] * (b[p] ** (e - 1)) ** o
                    )
                ),
                {"factor": write(j), "exponent": told(exponent) or f"{exponent:g}"},
            )


def _cancelled(flow: Flow, part: Part, pool: Sequence[Named], write: Any) -> Any:
    """Where (a + c)/d stands: (a*b + c)/(b*d), with b cancelled from one term only; or b from the whole."""
    step = flow.made.get(part.node)
    if step is None:
        return
    if step.operation is DIV:
        above, below = step.operands
        terms, d = flow.terms(above), flow.values[below]
    elif step.operation in (ADD, SUB):
        terms, d = flow.terms(part.node), [1.0] * len(flow.points)
    else:
        return
    if not 1 < len(terms) < 8:
        return
    total = [d[p] * part.values[p] for p in flow.points]
    for lost in pool:
        for sign, i in terms:
            own, b = flow.values[i], lost.values
            words = {"factor": lost.text, "term": write(i)}
            yield (
                (
                    lambda p, s=sign, u=own, b=b: (
                        (total[p] + s * u[p] * (b[p] - 1)) / (d[p] * b[p])
                    )
                ),
                words,
            )
            yield (
                (
                    lambda p, s=sign, u=own, b=b: (
                        (total[p] * b[p] + s * u[p] * (1 - b[p])) / (d[p] * b[p])
                    )
                ),
                words,
            )


def _log_rules(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """Where ln(a)*ln(b) stands: ln(a*b), or ln(a + b); where ln(a)/ln(b) stands, ln(a/b); where ln(u)^n, n*ln(u)."""
    step = flow.made.get(part.node)
    if step is None:
        return
    inner = [flow.made.get(j) for j in step.operands]
    if step.operation in (ADD, SUB, MUL, DIV) and all(
        s is not None and s.operation is LN for s in inner
    ):
        u, v = (flow.values[s.operands[0]] for s in inner if s is not None)
        yield (lambda p: math.log(u[p] * v[p])), {}
        yield (lambda p: math.log(u[p] / v[p])), {}
        yield (lambda p: math.log(u[p]) - math.log(v[p])), {}
        yield (lambda p: math.log(u[p]) + math.log(v[p])), {}
        yield (lambda p: math.log(u[p]) / math.log(v[p])), {}
        yield (lambda p: math.log(u[p] + v[p])), {}
        yield (lambda p: math.log(u[p] - v[p])), {}
    if step.operation is POW and inner[0] is not None and inner[0].operation is LN:
        n, z = flow.values[step.operands[1]], flow.values[step.operands[0]]
        yield (lambda p: n[p] * z[p]), {}


def _other_argument(flow: Flow, part: Part, pool: Sequence[Named], write: Any) -> Any:
    """A function of something else than what stands in it."""
    found = _function(flow, part.node)
    if found is not None:
        apply = found[0]
        for other in pool:
            yield (
                (lambda p, b=other.values: apply(b[p], p)),
                {"inner": write(found[1]), "right": other.text},
            )


def _lost_factor(flow: Flow, part: Part, pool: Sequence[Named], write: Any) -> Any:
    for lost in pool:
        yield (lambda p, b=lost.values: part.values[p] * b[p]), {"factor": lost.text}
        yield (
            (lambda p, b=lost.values: -part.values[p] * b[p]),
            {"factor": f"-{lost.text}"},
        )


def _missing_inside(flow: Flow, part: Part, pool: Sequence[Named], write: Any) -> Any:
    if part.node in flow.made and flow.constant(part.node) is None:
        yield from _lost_factor(flow, part, pool, write)


def _extra_factor(flow: Flow, part: Part, pool: Sequence[Named], write: Any) -> Any:
    for lost in pool:
        yield (lambda p, b=lost.values: part.values[p] / b[p]), {"factor": lost.text}


def _lost_term(flow: Flow, part: Part, pool: Sequence[Named], write: Any) -> Any:
    for lost in pool:
        yield (lambda p, b=lost.values: part.values[p] + b[p]), {"term": lost.text}
        yield (
            (lambda p, b=lost.values: part.values[p] - b[p]),
            {"term": f"-{lost.text}"},
        )


def _replaced(flow: Flow, part: Part, pool: Sequence[Named], write: Any) -> Any:
    if part.depth == 0:
        return  # that the line should be the one before explains nothing
    for other in pool:
        yield (lambda p, b=other.values: b[p]), {"right": other.text}
        yield (lambda p, b=other.values: -b[p]), {"right": f"-{other.text}"}


ALGEBRA, SIGNS, BRACKETS = "algebra", "signs", "brackets"
POWERS, ROOTS, FRACTIONS, LOGARITHMS = "powers", "roots", "fractions", "logarithms"

# fmt: off
MENDS = (
    Slip("lost sign", SIGNS, _sign, "the sign of {part} is wrong"),
    Slip("function of a sum taken term by term", ALGEBRA, _term_by_term,
         "{part} was taken term by term, but a function of a sum is not the sum of the functions"),
    Slip("square of a sum", POWERS, _squares, "a square of a sum was taken term by term in {part}: (a + b)^2 is a^2 + 2*a*b + b^2"),
    Slip("wrong function", "the table", _other_function, "{part} should be {right}"),
    Slip("lost bracket", BRACKETS, _bracketed, "the bracket around {inside} was lost in {part}"),
    Slip("power of a product", POWERS, _power_of_product,
         "{factor} was not raised to {exponent} in {part}: (a*b)^n is a^n*b^n"),
    Slip("logarithm rule", LOGARITHMS, _log_rules,
         "a rule of logarithms was mixed up in {part}: ln(a*b) is ln(a) + ln(b), ln(a/b) is ln(a) - ln(b), and ln(a + b) has no such rule"),
)
"""What should stand in a line in place of a part of it."""

WORN = (
    Slip("wrong exponent", POWERS, _exponent, "the exponent of {base} should be {right}, not {own}"),
    Slip("root of a sum", ROOTS, _rootless, "a root was taken term by term in {part}: sqrt(a^2 + b^2) is not a + b"),
)
"""The same, where a constant factor is the likelier reason."""

CHAIN_RULE = (
    Slip("inner derivative left out", "the chain rule", _missing_inside,
         "the inner derivative was left out: {part} has to be multiplied by the derivative of {factor}"),
)
"""What was lost, where the pool holds the derivatives of insides."""

LOSSES = (
    Slip("wrong argument", ALGEBRA, _other_argument, "the {inner} in {part} should be {right}"),
    Slip("wrong cancelling", FRACTIONS, _cancelled,
         "{factor} was cancelled from one term only, look at {term}: what is cancelled must be a factor of every term"),
    Slip("lost factor", ALGEBRA, _lost_factor, "{part} lacks the factor {factor}"),
)
"""What was lost of a pool of parts of the line before."""

LEAVINGS = (
    Slip("factor too many", ALGEBRA, _extra_factor, "{part} has a factor {factor} too many"),
    Slip("lost term", ALGEBRA, _lost_term, "the term {term} is missing beside {part}"),
    Slip("wrong part", ALGEBRA, _replaced, "{part} should be {right}"),
)
"""The same, tried last."""

CONSTANTS = (
    Slip("constant factor", "constants", _sign, "{part} lacks the factor {factor}"),
    Slip("constant factor", "constants", _sign, "{part} has a factor {factor} too many"),
    Slip("wrong number", "arithmetic", _sign, "{part} should be {right}"),
)
"""What is said of a constant factor that is missing, of one too many, and of a number; see `factors_found`."""
# fmt: on


def _by_terms(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """f(a + b) as f(a) + f(b)."""
    found = _function(flow, part.node)
    if found is None:
        return
    apply, argument, _ = found
    terms = flow.terms(argument)
    if 1 < len(terms) < 6:
        yield (lambda p: sum(s * apply(flow.values[i][p], p) for s, i in terms)), {}
        yield (lambda p: sum(apply(s * flow.values[i][p], p) for s, i in terms)), {}


def _one_factor_raised(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """(a*b)^n as a*b^n."""
    found = _function(flow, part.node)
    if found is None or not isinstance(found[2], tuple):
        return
    n, factors = found[2][1], flow.factors(found[1])
    if 1 < len(factors) < 6:
        for power, i in factors:
            base = flow.values[i]
            yield (
                (lambda p, b=base, q=power: part.values[p] * (b[p] ** (1 - n)) ** q),
                {"factor": write(i)},
            )


def _power_of_power(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """(u^m)^n as u^(m + n) or u^(m^n); u^m*u^n as u^(m*n)."""
    found = _function(flow, part.node)
    inner = _function(flow, found[1]) if found is not None else None
    if (
        found is not None
        and inner is not None
        and isinstance(found[2], tuple)
        and isinstance(inner[2], tuple)
    ):
        n, m, base = found[2][1], inner[2][1], flow.values[inner[1]]
        yield (lambda p: base[p] ** (m + n)), {}
        yield (lambda p: base[p] ** (m**n)), {}
    step = flow.made.get(part.node)
    if step is not None and step.operation is MUL:
        pair = [_function(flow, j) for j in step.operands]
        if all(f is not None and isinstance(f[2], tuple) for f in pair):
            (_, a, (_, m)), (_, b, (_, n)) = pair  # type: ignore[misc] # both are there
            if same(flow.values[a], flow.values[b]):
                yield (lambda p: flow.values[a][p] ** (m * n)), {}


def _logs_taken_apart(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """ln(a + b) as ln(a) + ln(b) is taken term by term; ln(a*b) as ln(a)*ln(b), ln(a/b) as ln(a)/ln(b), ln(u^n) as ln(u)^n."""
    step = flow.made.get(part.node)
    if step is None or step.operation is not LN:
        return
    inner = flow.made.get(step.operands[0])
    if inner is None or len(inner.operands) != 2:
        return
    u, v = (flow.values[j] for j in inner.operands)
    if inner.operation in (MUL, ADD, SUB):
        yield (lambda p: math.log(u[p]) * math.log(v[p])), {}
    if inner.operation in (DIV, SUB):
        yield (lambda p: math.log(u[p]) / math.log(v[p])), {}
    if inner.operation is POW:
        yield (lambda p: math.log(u[p]) ** v[p]), {}


def _bracket_lost(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """a*(b + c) as a*b + c, or a - (b + c) as a - b + c."""
    factors = flow.factors(part.node)
    for power, i in factors:
        terms = flow.terms(i)
        if power > 0 and 1 < len(terms) < 8:
            for k, (sign, t) in enumerate(terms):

                def opened(p: int, i: int = i, t: int = t, sign: int = sign) -> float:
                    outer = part.values[p] / flow.values[i][p]
                    own = sign * flow.values[t][p]
                    return outer * own + (flow.values[i][p] - own)

                if k in (0, len(terms) - 1):
                    yield opened, {}
    step = flow.made.get(part.node)
    if step is not None and step.operation in (SUB, NEG):
        taken = step.operands[-1]
        terms = flow.terms(taken)
        if 1 < len(terms) < 8:
            sign, t = terms[0]
            yield (
                (
                    lambda p: (
                        part.values[p]
                        + 2 * (flow.values[taken][p] - sign * flow.values[t][p])
                    )
                ),
                {},
            )


def _fractions(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """(a + b)/c with c below one term only, or gone with one; a/(b + c) taken apart; a/b + c/d added straight."""
    step = flow.made.get(part.node)
    if step is None:
        return
    if step.operation is DIV:
        yield from _below_one_term(flow, *step.operands)
        yield from _divisor_taken_apart(flow, *step.operands)
    if step.operation in (ADD, SUB):
        yield from _added_straight(flow, step)


def _below_one_term(flow: Flow, above: int, below: int) -> Any:
    """From (a + b)/c: a + b/c, a/c + b, a; and with a factor f of c that is cancelled once, or but once."""
    terms, whole, c = flow.terms(above), flow.values[above], flow.values[below]
    if not 1 < len(terms) < 8:
        return
    owned = [(sign, flow.values[i]) for sign, i in terms]
    for s, u in owned:
        yield (lambda p, s=s, u=u: (whole[p] - s * u[p]) / c[p] + s * u[p]), {}
        yield (lambda p, s=s, u=u: whole[p] - s * u[p] + s * u[p] / c[p]), {}
        yield (lambda p, s=s, u=u: whole[p] - s * u[p]), {}
    for _, j in flow.factors(below):
        f = flow.values[j]
        for s, u in owned:

            def once(p: int, s: int = s, u: Numbers = u, f: Numbers = f) -> float:
                return (whole[p] - s * u[p] + s * u[p] / f[p]) * f[p] / c[p]

            def rest(p: int, s: int = s, u: Numbers = u, f: Numbers = f) -> float:
                return ((whole[p] - s * u[p]) / f[p] + s * u[p]) * f[p] / c[p]

            yield once, {}
            yield rest, {}


def _divisor_taken_apart(flow: Flow, above: int, below: int) -> Any:
    """From a/(b + c): a/b + a/c, and a/b + c."""
    terms, whole, c = flow.terms(below), flow.values[above], flow.values[below]
    if not 1 < len(terms) < 6:
        return
    owned = [(sign, flow.values[i]) for sign, i in terms]
    yield (lambda p: sum(s * whole[p] / u[p] for s, u in owned)), {}
    s, u = owned[0]
    yield (lambda p: whole[p] / (s * u[p]) + c[p] - s * u[p]), {}


def _added_straight(flow: Flow, step: Step) -> Any:
    """From a/b + c/d: (a + c)/(b + d), and (a + c)/(b*d)."""
    pair = [flow.made.get(j) for j in step.operands]
    if all(s is not None and s.operation is DIV for s in pair):
        (a, b), (c, d) = (
            tuple(flow.values[k] for k in s.operands) for s in pair if s is not None
        )
        sign = 1 if step.operation is ADD else -1
        yield (lambda p: (a[p] + sign * c[p]) / (b[p] + d[p])), {}
        yield (lambda p: (a[p] + sign * c[p]) / (b[p] * d[p])), {}


def _left_out(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """A product without one of its factors."""
    factors = flow.factors(part.node)
    if 1 < len(factors) < 12:
        for power, i in factors:
            own = flow.values[i]
            yield (
                (lambda p, b=own, q=power: part.values[p] / b[p] ** q),
                {"factor": write(i)},
            )


def _term_left_out(flow: Flow, part: Part, pool: Any, write: Any) -> Any:
    """A sum without one of its terms."""
    terms = flow.terms(part.node)
    if 1 < len(terms) < 12:
        for sign, i in terms:
            own = flow.values[i]
            yield (
                (lambda p, u=own, s=sign: part.values[p] - s * u[p]),
                {"term": write(i)},
            )


# fmt: off
SLIPS = (
    Slip("function of a sum taken term by term", ALGEBRA, _by_terms,
         "{part} was taken term by term, but a function of a sum is not the sum of the functions"),
    Slip("power of a product", POWERS, _one_factor_raised,
         "{factor} was not raised in {part}: (a*b)^n is a^n*b^n"),
    Slip("power of a power", POWERS, _power_of_power, "the exponents in {part} were joined wrongly: (u^m)^n is u^(m*n), and u^m*u^n is u^(m + n)"),
    Slip("logarithm rule", LOGARITHMS, _logs_taken_apart,
         "a rule of logarithms was mixed up in {part}: ln(a*b) is ln(a) + ln(b), ln(a/b) is ln(a) - ln(b), ln(u^n) is n*ln(u)"),
    Slip("lost sign", SIGNS, _sign, "the sign of {part} was changed"),
    Slip("lost bracket", BRACKETS, _bracket_lost, "a bracket was lost when {part} was rewritten"),
)
"""What was made of a part of the line before."""

LOSING = (
    Slip("wrong cancelling", FRACTIONS, _fractions,
         "{part} was cancelled or split wrongly: only a factor of the whole numerator and denominator cancels"),
    Slip("wrong function", "the table", _other_function, "{part} became {right}"),
    Slip("wrong exponent", POWERS, _exponent, "the exponent {own} of {base} became {right}"),
    Slip("lost factor", ALGEBRA, _left_out, "the factor {factor} of {part} was lost"),
    Slip("lost term", ALGEBRA, _term_left_out, "the term {term} of {part} was lost"),
)
"""The same, tried later."""
# fmt: on


class Match(NamedTuple):
    """A slip that explains a line: the part where it was made, and the words of its sentence."""

    slip: Slip
    part: Part
    words: dict[str, str]


def search(
    flow: Flow,
    due: Numbers,
    slips: Sequence[Slip],
    pool: Sequence[Named],
    write: Callable[[int], str],
) -> Iterator[Match]:
    """The slips that give what is due, row by row, the largest part first."""
    parts = [part for part in flow.parts(due) if _worth_trying(part)]
    spent = 0
    for slip in slips:
        for part in parts:
            for gives, words in slip.gives(flow, part, pool, write):
                spent += 1
                if spent > MOST_WORK:
                    return
                if _fits(gives, part):
                    yield Match(slip, part, words)


def _worth_trying(part: Part) -> bool:
    """Whether it is known at enough points what a part should be, and it is something else."""
    pairs = [
        (v, d) for v, d in zip(part.values, part.due, strict=True) if math.isfinite(d)
    ]
    enough = len(pairs) >= min(ENOUGH, len(part.due))
    return enough and not all(close(v, d) for v, d in pairs)


def _fits(gives: Callable[[int], float], part: Part) -> bool:
    """Whether a candidate gives the due value at all points where there is one; most fail at the first."""
    for p, due in enumerate(part.due):
        try:
            if math.isfinite(due) and not close(gives(p), due):
                return False
        except (*ARITHMETIC, TypeError):
            return False
    return True


def factors_found(flow: Flow, due: Numbers) -> Iterator[tuple[Part, str]]:
    """Parts that are right but for a constant factor, and that factor."""
    for part in flow.parts(due):
        if _worth_trying(part):
            factor = ratio(part)
            text = None if factor is None else told(factor)
            if text is not None and factor not in (1, -1):
                yield part, text
