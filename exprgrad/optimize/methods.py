"""Descents that take a step along the gradient, or along a mean of gradients.

With g the gradient, r the learning rate and m the momentum, a step is

    gd         x -= r*g
    momentum   v = m*v + g,  x -= r*v                       (Polyak)
    nesterov   v = m*v + g,  x -= r*(g + m*v)               (Sutskever and others 2013)
    adam       x -= r * mean(g) / (sqrt(mean(g^2)) + 1e-8)  (Kingma and Ba 2015; fading means)
    random     x += r*n if that is lower, with n normal; r grows and shrinks

A rule is made with the momentum of a descent, which not every method has, and has a memory of its own. It uses only
+ - * / and powers on entries, so that they may be numbers or arrays.

Descents that know something of the curvature, and look for a point that is lower than the last.

    steps = descend(objective, options, LimitedMemory(objective, options))

A method such as `LimitedMemory` or `TrustRegion` finds the next point. Here it is decided when there is no use going on.

L-BFGS: the curvature is learned from how the gradient changed in the last steps.

    direction = -H g,   with H from the last pairs  s = x' - x,  y = g' - g   (Nocedal 1980)

A search along the direction bisects until a point is lower by enough and the slope there has flattened (the weak Wolfe
conditions). That also works where the function has corners (Lewis and Overton 2013). With bounds, the search bends
where it meets one, and variables that the gradient presses against theirs stay (Bertsekas 1982).

A trust region: steps to the least value of a parabola, within a radius in which it has proved right.

    m(p) = f + g p + p H p / 2,   |p| <= radius

The minimum is looked for by conjugate gradients, which need products of the Hessian with a vector only; they leave the
region where they meet its boundary or negative curvature (Steihaug 1983; Nocedal and Wright, *Numerical Optimization*,
algorithms 4.1 and 7.2).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from functools import partial
from random import Random

from exprgrad.annotations import Any
from exprgrad.errors import DomainError, NotDifferentiableError, RangeError
from exprgrad.optimize.descent import Point, Stop, away, evaluated, gone, where
from exprgrad.optimize.objective import Entries, Objective
from exprgrad.optimize.options import Options

Rule = Callable[[Entries, float], Entries]
"""From a gradient and a learning rate to what a step subtracts from each entry."""


def _momentum(momentum: float, ahead: bool = False) -> Rule:
    """The rule of Polyak, or with `ahead` that of Nesterov."""
    velocity: Entries = []

    def change(gradient: Entries, rate: float) -> Entries:
        before = velocity or [0.0] * len(gradient)
        velocity[:] = [momentum * v + g for v, g in zip(before, gradient, strict=True)]
        if not ahead:
            return [rate * v for v in velocity]
        ends = zip(velocity, gradient, strict=True)
        return [rate * (g + momentum * v) for v, g in ends]

    return change


FIRST_FADING, SECOND_FADING = 0.9, 0.999
"""The share of Adam's means that a step keeps."""


def _adam(momentum: float) -> Rule:
    means: Entries = []
    squares: Entries = []
    done = 0
    a, b = FIRST_FADING, SECOND_FADING

    def change(gradient: Entries, rate: float) -> Entries:
        nonlocal done
        done += 1
        if not means:
            means[:], squares[:] = [0.0] * len(gradient), [0.0] * len(gradient)
        means[:] = [a * m + (1 - a) * g for m, g in zip(means, gradient, strict=True)]
        squares[:] = [
            b * s + (1 - b) * (g * g) for s, g in zip(squares, gradient, strict=True)
        ]
        length = rate / (1 - a**done)  # corrects the bias of means that start at 0
        unbiased = 1 / (1 - b**done)
        return [
            length * m / ((s * unbiased) ** 0.5 + 1e-8)
            for m, s in zip(means, squares, strict=True)
        ]

    return change


RULES: dict[str, Callable[[float], Rule]] = {
    "gd": lambda momentum: lambda gradient, rate: [rate * g for g in gradient],
    "momentum": _momentum,
    "nesterov": partial(_momentum, ahead=True),
    "adam": _adam,
}


class FirstOrder:
    """The method of `descend` that follows one of the rules."""

    def __init__(self, objective: Objective, options: Options) -> None:
        self._objective, self._options = objective, options
        self._change = RULES[options.method](options.momentum)
        self._first: float | None = None

    def rate(self, step: int) -> float:
        """The learning rate of a step."""
        return self._options.rate_at(step)

    def advance(self, here: Point, step: int) -> Point | Stop:
        """The point at the end of a step, or what stops the descent there."""
        objective, rate = self._objective, self.rate(step)
        self._first = here.value if self._first is None else self._first
        moves = self._change(here.gradient, rate)
        new = [x - move for x, move in zip(here.entries, moves, strict=True)]
        entries, step = objective.clipped(new), step + 1
        # a schedule may have a rate of 0 for a while
        if rate and objective.same(here.entries, entries):
            return Stop("stalled", "a step no longer changes any variable")
        if not objective.finite(entries):
            name, _ = objective.furthest(entries)
            return Stop("diverged", f"diverged at step {step}: {name} is too large")
        try:
            there = evaluated(objective, entries)
        except RangeError as error:
            why = f"{where(objective, entries)}: {error.message}"
            return Stop("diverged", f"diverged at step {step}, {why}", error)
        except DomainError as error:
            why = f"step {step} has no value, {where(objective, entries)}: {error.message}"
            return Stop("undefined", why, error)
        if away(there.value, self._first):
            return gone(objective, entries, step, there.value)
        return there


class RandomSearch:
    """The method of `descend` that asks no gradient: it tries a point nearby, and keeps it if it is lower.

    The numbers are the same in every run. Steps grow when one is kept and shrink when one is not, so that one in
    five is kept (Rechenberg 1973).
    """

    def __init__(self, objective: Objective, options: Options) -> None:
        self._objective, self._scale = objective, options.rate
        self._chance = Random(0)

    def rate(self, step: int) -> float:
        """The size of a step."""
        return self._scale

    def advance(self, here: Point, step: int) -> Point | Stop:
        """A point nearby if that is lower, else the point itself."""
        objective = self._objective
        entries = objective.clipped([self._near(x) for x in here.entries])
        if objective.same(here.entries, entries):
            return Stop("stalled", "a step no longer changes any variable")
        try:
            there = evaluated(objective, entries)
        except (DomainError, NotDifferentiableError):
            there = here
        is_lower = there.value < here.value
        # four failures undo one success: where one step in five is kept, they stay as long
        self._scale *= GROWTH if is_lower else GROWTH**-0.25
        return there if is_lower else here

    def _near(self, x: Any) -> Any:
        if isinstance(x, float):
            return x + self._scale * self._chance.gauss(0, 1)
        return x + [self._scale * self._chance.gauss(0, 1) for _ in x]


GROWTH = 1.5
"""The factor by which steps of a random search become longer when one is kept."""

ROUNDING = 1e-15
"""Values that differ by this much, relative to their size, may differ by rounding alone."""

PROGRESS = 0.95
"""The share of the last gradient norm below which it has to fall where values differ by rounding alone."""


PATIENCE = 10
"""So many steps in a row that win nothing but rounding end a descent."""


class SecondOrder:
    """A method of `descend`; `problem` is the error at a point that was tried and has no value, if there was one."""

    def __init__(self, objective: Objective, options: Options) -> None:
        self.objective, self._tolerance = objective, options.tolerance
        self.problem: DomainError | None = None
        self._first: Point | None = None
        self._least, self._idle = 0.0, 0

    def rate(self, step: int) -> None:
        """There is no learning rate."""

    def lower(self, here: Point) -> Point | None:
        """The next point, which is lower; None where none is found."""
        raise NotImplementedError

    def advance(self, here: Point, step: int) -> Point | Stop:
        """The next point, as long as it wins more than rounding."""
        if self._first is None:
            self._first, self._least = here, here.norm
        there = self.lower(here)
        if there is not None:
            # nothing won but rounding: methods may go to and fro between such points, or creep along a kink
            size = max(abs(here.value), abs(self._first.value - here.value))
            flat = here.value - there.value <= ROUNDING * size
            creeps = flat and there.norm >= PROGRESS * self._least
            self._idle = self._idle + 1 if creeps else 0
            self._least = min(self._least, there.norm)
            if self._idle < PATIENCE:
                return there
        why = "the search finds no lower point from here"
        if here.norm <= self._tolerance * self._first.norm:
            why += f"; the gradient norm fell to {here.norm:.2g}"
            return Stop("converged", why)
        if self.problem is not None:
            known = isinstance(self.problem, NotDifferentiableError)
            lack = "gradient" if known else "value"
            why += f"; some points near it have no {lack}: {self.problem.message}"
        return Stop("stalled", why)

    def tried(self, entries: Entries) -> Point | None:
        """A point with all that is known of it; None where it has no value."""
        if self.objective.finite(entries):
            try:
                return evaluated(self.objective, entries)
            except DomainError as error:
                self.problem = error
        return None


def as_low(here: Point, there: Point) -> bool:
    """Return whether a point has the value of another but for rounding, and a gradient that is clearly smaller.

    Near a minimum the value is flat: its rounding hides what the gradient still shows (Hager and Zhang 2005).
    """
    flat = there.value - here.value <= ROUNDING * abs(here.value)
    return flat and there.norm < PROGRESS * here.norm


MEMORY = 20
"""Steps that the curvature is learned from."""

LOWER, FLATTER = 1e-4, 0.9
"""Shares of the slope at the start: how much lower a point has to be, and how steep it may still be."""

TRIALS = 60
"""Points of a search, at most."""

Pair = tuple[Entries, Entries, float]
"""A step, the change of the gradient, and their product, which is positive."""


class LimitedMemory(SecondOrder):
    """The method; see above."""

    def __init__(self, objective: Objective, options: Options) -> None:
        super().__init__(objective, options)
        self._pairs: deque[Pair] = deque(maxlen=MEMORY)

    def lower(self, here: Point) -> Point | None:
        """The next point; along the gradient alone where what was learned leads nowhere."""
        there = None
        if self._pairs:
            there = self._searched(here, self._direction(here), 1.0)
        if there is None:
            self._pairs.clear()
            free = self.objective.free(here.entries, here.gradient, here.gradient)
            # a unit, whose squares do not overflow
            down = [-g / here.norm for g in free]
            there = self._searched(here, down, min(1.0, here.norm))
        if there is not None:
            # a step is remembered if the slope along it has increased
            moved = self.objective.moved
            pair = self._pair(
                moved(there.entries, -1.0, here.entries),
                moved(there.gradient, -1.0, here.gradient),
            )
            self._pairs += [] if pair is None else [pair]
        return there

    def _pair(self, step: Entries, change: Entries) -> Pair | None:
        dot = self.objective.dot
        product = dot(step, change)
        # along a step where the slope has not increased, H would not be positive, and -H g might lead uphill
        known = 1e-16 * dot(change, change) < product < math.inf
        return (step, change, product) if known else None

    def _direction(self, here: Point) -> Entries:
        """-H g, by a loop back over the steps and one forward; what is pressed against a bound stays."""
        dot, moved, free = self.objective.dot, self.objective.moved, self.objective.free
        at, slope, pairs = here.entries, here.gradient, list(self._pairs)
        if self.objective.bounded:  # without the variables that are pressed
            own = (self._pair(free(at, slope, s), free(at, slope, c)) for s, c, _ in pairs)  # fmt: skip
            pairs = [pair for pair in own if pair is not None]
        vector = free(at, slope, slope)
        weights = []
        for step, change, product in reversed(pairs):
            weights.append(dot(step, vector) / product)
            vector = moved(vector, -weights[-1], change)
        if pairs:
            # where nothing was learned, the curvature is taken to be that along the last step
            _, change, product = pairs[-1]
            scale = product / dot(change, change)
            vector = [scale * v for v in vector]
        forth = zip(pairs, reversed(weights), strict=True)
        for (step, change, product), weight in forth:
            vector = moved(vector, weight - dot(change, vector) / product, step)
        return [-v for v in vector]

    def _searched(self, here: Point, direction: Entries, length: float) -> Point | None:
        """A point along a direction that is lower by enough, and where the slope is flatter if there is one."""
        dot, moved = self.objective.dot, self.objective.moved
        slope = dot(here.gradient, direction)
        if not -math.inf < slope < 0:
            return None
        low, high, best = 0.0, math.inf, None
        for _ in range(TRIALS):
            ahead = moved(here.entries, length, direction)
            entries = self.objective.clipped(ahead)
            # the direction less what a bound holds there
            rest = [d * (a == e) for d, a, e in zip(direction, ahead, entries, strict=True)]  # fmt: skip
            there = self.tried(entries)
            if there is not None and as_low(here, there):
                return there
            way = None if there is None else moved(there.entries, -1.0, here.entries)
            enough = LOWER * dot(here.gradient, way) if way else 0.0
            if there is None or there.value > here.value + enough:
                high = length
            elif dot(there.gradient, rest) < FLATTER * slope:
                # so short a step that the value stays the same is too short
                low, best = length, there if there.value < here.value else best
            elif there.value == here.value:
                high = length
            else:
                return there
            length = 2 * length if high == math.inf else (low + high) / 2
        return best


ENOUGH, GOOD, POOR = 0.15, 0.75, 0.25
"""Shares of the promised decrease: that which a step needs; from where the radius grows; below which it shrinks."""

LEAST_RADIUS = 1e-18
"""Relative to the size of the point, or to 1: a smaller step changes nothing."""


class TrustRegion(SecondOrder):
    """The method; see above."""

    def __init__(self, objective: Objective, options: Options) -> None:
        super().__init__(objective, options)
        self._radius = 1.0

    def lower(self, here: Point) -> Point | None:
        """The next point, by a step that does what the parabola promised."""
        size = max(1.0, math.hypot(*here.entries))
        while LEAST_RADIUS * size < self._radius < math.inf:
            step, promised = self._step(here)
            there = self.tried(self.objective.moved(here.entries, 1.0, step))
            won = -math.inf if there is None else here.value - there.value
            if there is not None and as_low(here, there):
                return there
            if won < POOR * promised:
                self._radius = math.hypot(*step) / 4
            elif won > GOOD * promised and math.hypot(*step) > 0.99 * self._radius:
                self._radius *= 2
            if there is not None and won > 0 and won >= ENOUGH * promised:
                return there
            if promised <= ROUNDING * abs(here.value):
                break  # smaller steps promise less still
        self._radius = 1.0
        return None

    def _step(self, here: Point) -> tuple[Entries, float]:
        """The step to the least value of the parabola within the radius, and the decrease that it promises.

        All of it is computed with the gradient scaled to 1, so that squares neither overflow nor vanish.
        """
        dot, moved = self.objective.dot, self.objective.moved
        # the nearer, the more exactly: so the steps converge superlinearly (Dembo, Eisenstat and Steihaug 1982)
        enough = min(0.5, math.sqrt(here.norm))
        step = [0.0] * len(here.entries)
        rest = [g / here.norm for g in here.gradient]
        direction = [-r for r in rest]
        promised = 0.0
        # without rounding, as many products as there are variables would do
        for _ in range(2 * len(step) + 2):
            turned = self._product(here, direction)
            bend = 0.0 if turned is None else dot(direction, turned)
            if not math.isfinite(bend):
                turned, bend = None, 0.0
            if turned is None and any(step):
                break  # as far as the curvature is known
            square = dot(rest, rest)
            length = square / bend if bend > 0 else math.inf
            inside = moved(step, length, direction) if length < math.inf else []
            if turned is None or not inside or math.hypot(*inside) >= self._radius:
                far, along = dot(direction, direction), dot(step, direction)
                left = max(self._radius**2 - dot(step, step), 0.0)
                length = (math.sqrt(along * along + far * left) - along) / far
                promised += length * (square - length * bend / 2)
                step = moved(step, length, direction)
                break
            promised += length * square / 2
            step, rest = inside, moved(rest, length, turned)
            if math.hypot(*rest) <= enough:
                break
            direction = moved([-r for r in rest], dot(rest, rest) / square, direction)
        return step, promised * here.norm

    def _product(self, here: Point, direction: Entries) -> Entries | None:
        """The Hessian times a direction, scaled like the gradient; None where there is none."""
        try:
            found = self.objective.hessian_product(here.entries, direction)
        except DomainError as error:
            self.problem = error
            return None
        scaled = [x / here.norm for x in found]
        return scaled if math.isfinite(sum(map(abs, scaled))) else None
