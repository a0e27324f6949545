"""An operation: one row of the table.

A local partial is one piece of code, written with the table's own operations, that runs on numbers of
any kind (see `number_types`):

    tanh:  lambda y, x: 1 / cosh(x)**2
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ArgumentError, DomainError, RangeError
from exprgrad.lazy import computed_once
from exprgrad.operations.conditions import Condition
from exprgrad.operations.declaration import check, formula_of

ARITHMETIC = (ValueError, OverflowError, ZeroDivisionError)
"""What a kernel or a rule raises on floats where it has no result."""

ODD, EVEN = -1, 1
"""The `parity` of a function: f(-x) is -f(x), or f(x)."""

STEEPLY, SLOWLY, SWINGING = "steeply", "slowly", "swinging"
"""What `far` says of a function that grows faster or more slowly than any power, or swings without a limit."""


class Notation(NamedTuple):
    """The notation of an operation: literal pieces, and (operand, precedence that it needs).

    An operand is given by its number, or is a node itself.
    """

    pieces: tuple[str | tuple[Any, int], ...]
    precedence: int


Rule = Callable[..., Any]
"""Code in the table's operations, which runs on numbers of any kind."""


class Kernel(NamedTuple):
    """A kernel that is no row of the table: one of a row's `slopes`; see `Operation` for its fields."""

    name: str
    kernel: Callable[..., float]
    code: str = ""
    numpy: str | Callable[..., Any] | None = ""


class Methods:
    """Operations as methods, `x.sin()` for `sin(x)`: every row of the table adds its own."""

    __slots__ = ()


class Operation:
    """One row of the table.

    The mathematics. `partials` holds a local partial per argument: a number, or a rule for the result and the
    arguments. `formula` defines the operation by others. `domain` holds the conditions of the real domain; `corner`
    holds where the partials do not give the derivative, and `edges`, for each argument, where the domain ends in it
    though the partial is finite. All of these are rules, which run on numbers of any kind. `near` is an expression that
    is equal to it around those corners where a partial is infinite. What is `bent` has corners and no infinite slope.
    `far` holds what a function of one argument does where that goes to minus infinity and to infinity: the number that
    it tends to, or the rule that it follows, faster than any power; `STEEPLY`, `SLOWLY` or `SWINGING`; or None.
    `slopes` are kernels of partials for floats alone, by argument, where the rule as people write it would lose digits.
    `choose` says which operand alone decides the result (of `if`: the taken branch). With `mean`, the result on arrays
    is the mean over all elements, as of a loss. `whole` says how an operation on whole arrays works; it is None for the
    others, which take arrays element by element.

    Facts. A function of one argument may have a `parity`. One that is `steep` grows faster than any power. Its `values`
    lie between two numbers, "(0, inf)", where its formula does not say so; square brackets take in an end. What takes
    an `angle` is given radians; people take such functions for one another, and those of a `family`, too. Where the
    value of what is `exact` is a whole number, nothing is rounded: floor, log2. `cost` is how many times longer than a
    sum its value, or a partial, takes to many digits. The kernel of a `native` operation is one of Python's operators,
    which every number type has.

    What others call it. `elsewhere` holds names that other programs, languages and countries have for it, which are
    read with a note. `arb` is a method of FLINT's balls or a name in `arb_kernels`, or a function of such balls;
    without it, the formula serves. `numpy` is a universal function, or "scipy.special.erf", or a function of NumPy and
    the arguments; without it, that is the namesake of a kernel of `math`; or the kernel serves: see `on_arrays`. With
    None it is called element by element. `python` is the function, or how it is written, or None for what Python lacks;
    without it, the kernel's name in `math`, an operator as in our text, or the formula. `code` is the kernel as an
    expression for generated code, where that is shorter than a call. `javascript` is the kernel in JavaScript: a
    function, "Math.tan", or an expression in x, y and z, the arguments, that is not finite where the kernel raises;
    without it, that is the namesake of a kernel of `math`, or the formula serves. What is `opaque` is none of the
    table's: it has values and slopes, and nothing else that is said here.

    Bounds on rounding errors, of functions of one argument (besides orders). `bend` bounds |f''| everywhere, where that
    has a bound. `kernel_error` bounds the error of the kernel, relative and absolute, in units of 2^-53.
    `condition_number`, a function of the result and the argument, bounds how many times a relative error of the
    argument comes out, in f and in f'; a row without it, such as one of several arguments, is bounded by a ball.

    Raises `TypeError` for a row that lacks what some command needs: see `declaration`.
    """

    name: str
    kernel: Callable[..., float]
    partials: Sequence[float | Rule | None]

    signature: str = ""
    domain: Sequence[Condition] = ()
    corner: Rule | None = None
    edges: Sequence[Rule | None] = ()
    near: Rule | None = None
    far: tuple[float | str | Rule | None, float | str | Rule | None] = (None, None)
    formula: Rule | None = None
    slopes: Mapping[int, Kernel] = {}
    choose: Callable[..., int | None] | None = None
    fold: str | None = None
    mean: bool = False
    whole: Any = None
    variadic: bool = False

    rule: str = ""
    inverse: str | None = None
    bare: bool = False
    parity: int = 0
    steep: bool = False
    exact: bool = False
    bent: bool = False
    angle: bool = False
    family: str = ""
    values: str = ""
    cost: int = 0

    aliases: Sequence[str] = ()
    elsewhere: Sequence[str] = ()
    arb: str | Callable[..., Any] | None = None
    numpy: str | Callable[..., Any] | None = ""
    javascript: str = ""
    opaque: bool = False
    code: str = ""

    bend: float | None = None
    kernel_error: tuple[float, float] = (8, 0)
    condition_number: Callable[[float, float], float] | None = None

    def __init__(
        self,
        name: str,
        kernel: Callable[..., float],
        *partials: float | Rule | None,
        **fields: Any,
    ) -> None:
        kind: Any = type(self)
        for unknown in fields.keys() - _fields(kind):
            raise TypeError(f"the row {name!r}: there is no field {unknown!r}")
        self.name, self.kernel, self.partials = name, kernel, partials
        self.arity = arity = len(partials)
        self.native = getattr(kernel, "__module__", "") == "_operator"
        self.float_partials: tuple[Callable[..., float], ...] = ()
        self.lacks_python = fields.get("python", "") is None
        vars(self).update(fields)
        self.signature = self.signature or f"{name}({', '.join('xyz'[:arity])})"
        self.called = "" if "text" in fields else self.signature.partition("(")[0]
        namesake = _namesake(kernel)
        if not self.javascript and namesake in _IN_JAVASCRIPT:
            self.javascript = f"Math.{namesake}"
        if isinstance(fields.get("latex"), str):
            self.latex = _latex_call(fields["latex"], arity)
        if isinstance(fields.get("python"), str):
            self.python = call_notation(fields["python"], arity, "(", ")")
        one = callable(self.domain) or isinstance(self.domain, Condition)
        conditions: Any = (self.domain,) if one else self.domain
        self.domain = tuple(
            c if isinstance(c, Condition) else Condition(c) for c in conditions
        )
        self.edges = self.edges or (None,) * arity
        self.slopes = {
            i: f if isinstance(f, Kernel) else Kernel(f"{name}_slope{i}", f)
            for i, f in self.slopes.items()
        }
        self.rule = self.rule or name
        self.family = self.family or ("circular" if self.angle else "")
        self.cost = self.cost or (FUNCTION_COST if self.called else 1)
        if self.whole is None and not self.opaque:
            self._complete()
        if not self.opaque:
            self._enter()

    def _complete(self) -> None:
        """Look for a formula in the kernel, and check the row: at once if it is a user's own."""
        # what only compares and chooses is asked of balls themselves
        asked = self.native or (_own and (self.steps or self.choose is not None))
        if self.arb is None and self.formula is None and not asked:
            self.formula = formula_of(self.kernel, TABLE)
        if _own:
            _unchecked[self.name] = self
        else:
            check(self)

    def _enter(self) -> None:
        """Put the operation into the table, under its names."""
        TABLE[self.name] = self
        for alias in (self.called, *self.aliases):
            if alias:
                _CALLED.setdefault(alias, {})[self.arity] = self
                setattr(Methods, alias, _method(_CALLED[alias]))
        _ELSEWHERE.update(dict.fromkeys(self.elsewhere, self.called or self.name))

    @computed_once
    def text(self) -> Notation:
        """Return how it is written."""
        return call_notation(self.called, self.arity, "(", ")")

    @computed_once
    def latex(self) -> Notation:
        """Return how it is written in LaTeX; the row may give the name of its function there."""
        called = (self.called or self.name).replace("_", r"\_")
        return _latex_call(rf"\operatorname{{{called}}}", self.arity)

    @computed_once
    def python(self) -> Notation | None:
        """Return how it is written in Python; None where that takes the formula, or where Python lacks it."""
        if namesake := _namesake(self.kernel):
            return call_notation(f"math.{namesake}", self.arity, "(", ")")
        return None if self.called else self.text

    @property
    def steps(self) -> bool:
        """Return whether it is constant but for its jumps."""
        return not any(callable(p) or p for p in self.partials)

    @property
    def sign(self) -> str:
        """Return what it alone is written as: its name, or its sign."""
        pieces = [piece for piece in self.text.pieces if isinstance(piece, str)]
        return self.called or "".join(pieces).replace(" ", "") or self.name

    def __repr__(self) -> str:
        return f"<operation {self.signature}>"

    @property
    def title(self) -> str:
        """Return what a message calls it: a function by its name, an operator by its rule."""
        article = "an" if self.rule[0] in "aeiou" else "a"
        return self.called or f"{article} {self.rule}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles of an operation are the operation of that name."""
        return _named_row, (self.name,)

    def __call__(self, *arguments: Any) -> Any:
        """Compute a float from numbers; build a node from `Value`s.

        An operation that folds, such as max, takes any number of arguments from two on.
        """
        if len(arguments) != self.arity and not self.variadic:
            if self.fold == "left" and len(arguments) > self.arity:
                return self(self(*arguments[:-1]), arguments[-1])
            raise ArgumentError(
                f"{self.signature} takes {self.arity} argument{'s' * (self.arity > 1)}, not {len(arguments)}"
            )
        for argument in arguments:
            if hasattr(argument, "__apply__"):
                return argument.__apply__(self, arguments)
        return self._computed(arguments)

    def _computed(self, arguments: Sequence[Any]) -> Any:
        try:
            numbers = tuple(float(a) for a in arguments)
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentError(f"{self.title} is for numbers: {error}") from None
        return compute(self, numbers)

    def failing(self, arguments: tuple[float, ...]) -> Condition | None:
        """The first condition of the domain that the arguments do not meet.

        A double nearest to a pole fails the last one: the kernel refuses it, though cos(x) is not 0.
        """
        try:
            for condition in self.domain:
                if not condition.holds(*arguments):
                    return condition
        except RangeError:  # of cos(inf), in the condition of tan
            return None
        if self.domain:
            try:
                self.kernel(*arguments)
            except ARITHMETIC as error:
                return self.domain[-1] if isinstance(error, ValueError) else None
        return None

    def fault(
        self, arguments: tuple[float, ...], written: Sequence[str] = ()
    ) -> DomainError:
        """Why there is no result at these arguments; `written` is how they stand in the source."""
        condition = self.failing(arguments)
        if condition is None:
            told = "overflows here: the largest number in double precision is 1.8e308"
            # sin(nan), in Python
            is_number = all(map(math.isfinite, arguments))
            return RangeError(f"{self.title} {told if is_number else 'needs a finite number'}")  # fmt: skip
        names, blamed = written or "xyz", condition.arguments
        facts = [
            f"{name} is {show(value)}"
            # only what the condition is about: of log(-1, 2) the base is not to blame
            for i, (name, value) in enumerate(zip(names, arguments, strict=False))
            if name and name != show(value) and i in blamed
        ]
        here = f"; here {' and '.join(facts)}" if facts else ""
        return DomainError(f"{self.title} needs {condition.needs}{here}")


@cache
def _fields(kind: Any) -> set[str]:
    """The fields of a class of rows that a row may leave out."""
    own = [vars(base) for base in kind.__mro__]
    names = (n for base in own for n in base.get("__annotations__", ()) if n in base)
    return {*names, "text", "latex", "python"}


FUNCTION_COST = 5
"""The cost of a function, where its row says nothing else."""

TABLE: dict[str, Operation] = {}
"""Every operation by its name, in the order of declaration."""

_own = True
_unchecked: dict[str, Operation] = {}
"""Rows of the package's table: each is checked when a text names it first, and the tests check all."""

_CALLED: dict[str, dict[int, Operation]] = {}

_ELSEWHERE: dict[str, str] = {}


_IN_JAVASCRIPT = frozenset(
    "acos acosh asin asinh atan atanh cbrt cos cosh exp expm1 hypot log log10 log1p log2 pow sin sinh sqrt tan "
    "tanh".split()
)
"""What JavaScript's `Math` has in common with Python's `math`."""


def _namesake(kernel: Any) -> str:
    """The name of a function of `math`; "" for other kernels."""
    return kernel.__name__ if getattr(kernel, "__module__", "") == "math" else ""


def _method(by_arity: Mapping[int, Operation]) -> Callable[..., Any]:
    alone = by_arity.get(1)

    def method(self: Any, *more: Any) -> Any:
        try:
            if not more and alone is not None:
                return self.__apply_alone__(alone)
            operation = by_arity.get(len(more) + 1)
            if operation is None:  # one that takes any number of arguments, or an error
                return next(iter(by_arity.values()))(self, *more)
            return self.__apply__(operation, (self, *more))
        except AttributeError:
            # one from within `__apply__` is an error of its own, and is not about the method
            if hasattr(self, "__apply__"):
                raise
            name = next(iter(by_arity.values())).name
            kind = type(self).__name__
            raise ArgumentError(f"{name} is a method of Value, not of {kind}") from None

    return method


def named(name: str) -> dict[int, Operation]:
    """The operations that are called by this name, by their number of arguments."""
    found = _CALLED.get(name, {})
    for row in found.values():
        if row.name in _unchecked:
            check(_unchecked.pop(row.name))
    return found


def of_one_number(name: str) -> Operation | None:
    """The operation of that name on one number, such as sin; None if there is none."""
    found = named(name).get(1)
    return found if found is not None and found.whole is None else None


def complete() -> None:
    """Say that the table of the package ends here: what is declared from now on is checked at once."""
    global _own
    _own = False


def own_name(name: str) -> str | None:
    """Return what a function that is called so elsewhere is called here: `tg` is tan, `ArcSin` asin; None if it is unknown."""
    for known in (name, name.lower()):
        if known in _ELSEWHERE or known in _CALLED:
            return _ELSEWHERE.get(known, known)
    return None


def callable_named(name: str) -> Callable[..., Any] | None:
    """Return what a name calls: an operation, or of several that share it the one with so many arguments."""
    by_arity = named(name)
    if len(by_arity) < 2:
        return next(iter(by_arity.values()), None)

    def call(*arguments: Any) -> Any:
        operation = by_arity.get(len(arguments))
        if operation is None:
            wanted = " or ".join(map(str, sorted(by_arity)))
            raise ArgumentError(
                f"{name} takes {wanted} arguments, not {len(arguments)}"
            )
        return operation(*arguments)

    call.__name__ = name
    return call


def _named_row(name: str) -> Operation:
    return TABLE[name]


def function_names() -> Iterable[str]:
    """Every name that can be called, aliases included."""
    return _CALLED.keys()


def elsewhere_names() -> Iterable[str]:
    """The names that functions have elsewhere."""
    return _ELSEWHERE.keys()


def compute(operation: Operation, arguments: tuple[float, ...]) -> float:
    """The kernel's result, or a `DomainError` that says why there is none."""
    try:
        result = operation.kernel(*arguments)
    except ARITHMETIC:
        raise operation.fault(arguments) from None
    # a product of doubles overflows to infinity without an exception
    if not math.isfinite(result):
        raise operation.fault(arguments)
    return result


def show(number: float) -> str:
    """A number in full: whole numbers without a point, others with all their digits."""
    # from 1e16 on repr has an exponent, where int would show digits that nobody gave
    if math.isfinite(number) and number == math.floor(number) and abs(number) < 1e16:
        return str(int(number))
    return repr(float(number))


def call_notation(name: str, arity: int, left: str, right: str) -> Notation:
    """Return how a call is written, `name` and its arguments in brackets."""
    pieces: list[str | tuple[int, int]] = [name + left]
    for i in range(arity):
        pieces += [", ", (i, 0)] if i else [(i, 0)]
    return Notation((*pieces, right), 10)


def _latex_call(name: str, arity: int) -> Notation:
    return call_notation(name, arity, r"\left(", r"\right)")
