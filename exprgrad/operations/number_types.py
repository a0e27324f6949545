"""Number types that the rules of the table can run on.

A rule such as `1 / cosh(x)**2` is code, and what `cosh` means in it is a matter of the number type.
`Numbers.bind` takes the code and gives it other globals, so that the same rule runs on floats at full
speed, on IEEE numbers that never raise, on high-precision numbers, on power series and on the nodes of
a graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import attrgetter
from types import CellType, CodeType, FunctionType

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import NotDifferentiableError
from exprgrad.operations.declaration import Rows
from exprgrad.operations.operation import ARITHMETIC, TABLE, Operation, show
from exprgrad.operations.operators import give_operators


class Undecided(ArithmeticError):
    """A ball is too wide to say; more precision may."""


class Undefined(ArithmeticError):
    """No number of a ball has a result: more precision changes nothing."""


def fault_of(thing: Any) -> Exception | None:
    """Why there is no number, of what stands for one that there is not; else None."""
    return getattr(thing, "fault", None)


def existing(number: Any) -> Any:
    """Return a number that there is. Raises the fault of what stands for one that there is not."""
    if (fault := fault_of(number)) is not None:
        raise fault
    return number


FAULTS = (*ARITHMETIC, ArithmeticError, TypeError)
"""What computing with balls may raise. A kernel for floats alone raises TypeError."""


class Numbers:
    """A number type that rules can run on.

    `meaning` gives what an operation is for it (its kernel), `constants` what the named constants are. Where
    there is no result it may raise: in a sweep an exception of `faults` stands in the place of the
    number from then on, and comes through only where the end result depends on it. Subclasses say
    what a step of a sweep does if it is more than the operation and its partials.
    """

    faults: tuple[type[Exception], ...] = ()
    """What may stand for a number that is not there."""

    zero: Any = 0.0
    """What stands for an argument that does not matter."""

    chooses = True
    """True where a condition decides, so that the branch that `if` does not take is not needed."""

    def __init__(
        self,
        meaning: Callable[[Operation], Callable[..., Any]] = attrgetter("kernel"),
        constants: dict[str, Any] | None = None,
    ) -> None:
        self._meaning = meaning
        self.constants = constants or {}
        self._rules: dict[Callable[..., Any], Callable[..., Any]] = {}
        self._functions: dict[Operation, Callable[..., Any]] = {}
        self._partials: dict[Operation, tuple[Callable[..., Any], ...]] = {}

    def bind(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """The rule with every operation that it names replaced by its meaning here."""
        bound = self._rules.get(rule)
        if bound is not None:
            return bound
        if not isinstance(rule, FunctionType):
            bound = self._meant(rule)  # code as it is, or an operation
        else:
            known = rule.__globals__
            names = {n: self._meant(known[n]) for n in _names(rule.__code__) if n in known}  # fmt: skip
            defaults = rule.__defaults__ and tuple(map(self._meant, rule.__defaults__))
            closure = rule.__closure__ and tuple(
                CellType(self._meant(cell.cell_contents)) for cell in rule.__closure__
            )
            own = names | self.constants
            bound = FunctionType(rule.__code__, own, rule.__name__, defaults, closure)
            if rule.__kwdefaults__:
                bound.__kwdefaults__ = {
                    n: self._meant(thing) for n, thing in rule.__kwdefaults__.items()
                }
        self._rules[rule] = bound
        return bound

    def _meant(self, thing: Any) -> Any:
        if isinstance(thing, Rows):
            return thing.meaning(self._meant)
        return self.function(thing) if isinstance(thing, Operation) else thing

    def function(self, operation: Operation) -> Callable[..., Any]:
        """The operation on these numbers."""
        function = self._functions.get(operation)
        if function is None:
            function = self._functions[operation] = self._meaning(operation)
        return function

    def partials(self, operation: Operation) -> tuple[Callable[..., Any], ...]:
        """The local partials, one per argument, as functions of the result and the arguments."""
        bound = self._partials.get(operation)
        if bound is None:
            bound = self._partials[operation] = tuple(
                self.bind(p) if callable(p) else _constant(p)
                for p in operation.partials
            )
        return bound

    def at_corner(self, operation: Operation, arguments: Sequence[Any]) -> bool:
        """Return whether the rules do not give the derivative here. Raises what the number type does where that is open."""
        corner = operation.corner
        return corner is not None and bool(self.bind(corner)(*arguments))

    # What the sweeps ask for: see `graph.sweep`

    def number(self, number: Any) -> Any:
        """The value of a variable as one of these numbers."""
        return number

    def constant(self, leaf: Any) -> Any:
        """A constant of the graph; it may know more than the float that it has for `data`."""
        return self.number(leaf.data or 0.0)

    def needed(self, step: Step, own: Sequence[Any]) -> Sequence[int]:
        """The positions that the result depends on: of `if`, the condition and one branch."""
        choose = step.operation.choose
        if choose is None or not self.chooses:
            return range(len(own))
        if own[0] is None or isinstance(own[0], Exception):
            return (0,)
        chosen = choose(self.truth(own[0]))
        return (0,) if chosen is None else (0, chosen)

    def truth(self, condition: Any) -> Any:
        """Return what of a condition decides a choice."""
        return condition

    def value(self, step: Step, arguments: Sequence[Any]) -> Any:
        """Return what a step gives."""
        return self.function(step.operation)(*arguments)

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        """Return what a step's adjoint contributes to that of its operand; None for nothing."""
        if not adjoint:
            return None
        return adjoint * self.partials(step.operation)[position](result, *own)


class Step(NamedTuple):
    """One operation of a graph: its node, and those of its operands, by number or themselves."""

    node: Any
    operation: Operation
    operands: tuple[Any, ...]


def _names(code: CodeType) -> set[str]:
    """The names that a piece of code and the functions inside it refer to."""
    inner = (_names(c) for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*inner)


def _constant(number: float | None) -> Callable[..., float]:
    value = math.nan if number is None else float(number)
    return lambda *_: value


class IEEE(float):
    """A float whose arithmetic never raises: 1/0 is inf, a negative number to a fraction is nan."""

    __slots__ = ()


def _quietly(kernel: Callable[..., Any]) -> Callable[..., IEEE]:
    def quiet(*arguments: float) -> IEEE:
        try:
            return IEEE(kernel(*arguments))
        except ZeroDivisionError:
            # IEEE 754 says so of 1/0 and 0/0, where Python raises
            return IEEE(arguments[0] * math.inf)
        except OverflowError:
            return IEEE(math.inf)
        except ValueError:
            return IEEE(math.nan)

    return quiet


class Fault(Exception):
    """A step that has no value at these arguments, though the result needs it."""

    def __init__(self, step: Step, arguments: Sequence[Any]) -> None:
        super().__init__(step)
        self.step = step
        self.arguments = tuple(arguments)


class _Careful(Numbers):
    """Floats that are finite: a `Fault` stands for others, and no partial is infinite."""

    faults = (Fault,)

    def value(self, step: Step, arguments: Sequence[Any]) -> Any:
        try:
            result = step.operation.kernel(*arguments)
        except ARITHMETIC:
            raise Fault(step, arguments) from None
        # a constant beyond the range of doubles is to blame on the step that takes it
        if not (math.isfinite(result) and all(map(math.isfinite, arguments))):
            raise Fault(step, arguments)
        return result

    def pull(
        self, step: Step, position: int, adjoint: Any, result: Any, own: Sequence[Any]
    ) -> Any:
        # an infinite partial counts though the adjoint is 0: sqrt(x)*sqrt(x) at 0
        partial = local_partial(step.operation, position, result, own)
        if not math.isfinite(partial):
            at = ", ".join(map(show, own))
            raise NotDifferentiableError(
                f"{step.operation.title} has no finite slope at {at}"
            )
        return adjoint * partial


FLOATS = Numbers()
QUIET = Numbers(lambda operation: _quietly(operation.kernel))
CAREFUL = _Careful()

give_operators(IEEE, "add sub mul div neg pow", lambda name, *own: QUIET.function(TABLE[name])(*map(float, own)))  # fmt: skip


def float_partials(operation: Operation) -> tuple[Callable[..., float], ...]:
    """The local partials on floats, which may raise; kept at the operation."""
    if not operation.float_partials:
        rules = FLOATS.partials(operation)
        own = {i: slope.kernel for i, slope in operation.slopes.items()}
        operation.float_partials = tuple(own.get(i, p) for i, p in enumerate(rules))
    return operation.float_partials


def local_partial(
    operation: Operation, index: int, result: float, arguments: Sequence[float]
) -> float:
    """The local partial for that argument; infinite or nan where there is none."""
    try:
        partial = float_partials(operation)[index](result, *arguments)
    except ARITHMETIC:
        # On the way to a finite partial an intermediate may overflow: atan'(1e200) = 1/(1 + inf).
        quiet = QUIET.partials(operation)[index]
        partial = quiet(IEEE(result), *map(IEEE, arguments))
        # x^0 is 1 for every x, and x^y*ln(x) tends to 0 with x for y > 0
        nothing = result if index else arguments[-1]
        if operation.rule == "power" and math.isnan(partial) and not nothing:
            return 0.0
    return float(partial)


def at_corner(operation: Operation, arguments: Sequence[float]) -> bool:
    """Return whether the rule does not give the derivative at these arguments."""
    try:
        return FLOATS.at_corner(operation, arguments)
    except ARITHMETIC:
        return False
