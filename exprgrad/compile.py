"""Generated code: an expression's value and gradient as straight-line Python.

    c = parse("exp(-(x-m)^2)").compile()
    value, gradient = c(0.7, 1.3)             # in the order of c.variables

The source is made of operators, numbers and generated names; nothing that a user typed reaches it. A
call computes the value and all partial derivatives in one pass. Where that meets a fault, a corner or
an overflow, the interpreter takes over, so errors and derivatives at kinks are those of `evaluate`.
Partials have the digits of one sweep in double precision: `evaluate` computes those again whose
contributions cancel, generated code does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from exprgrad.branches import Parts, parts
from exprgrad.conditions import Call, Choice, Comparison, CornerTest
from exprgrad.errors import NotDifferentiableError, UsageError
from exprgrad.expression import Expression
from exprgrad.operation import ARITHMETIC, TABLE, Operation
from exprgrad.packing import pack, unpack
from exprgrad.program import Program
from exprgrad.terms import ADD, DIV, MUL, NEG, SUB, Arg, Kernel

if TYPE_CHECKING:
    from exprgrad.arrays import Rows
    from exprgrad.graph import Value

MOST_OPERATIONS = 20_000
"""Operations of an expression that is worth compiling: a larger one takes seconds and stays interpreted."""

LONGEST = 120
"""Characters of an operand that is written where it is used instead of into a variable of its own."""

LN = TABLE["ln"]

_TERMS = 12
"""Guards that are added up in one statement."""

Gradient = tuple[float | None, ...]

TEMPLATES = {
    "add": "({}+{})", "sub": "({}-{})", "mul": "({}*{})", "div": "({}/{})", "neg": "(-{})",
    "lt": "(1.0 if {}<{} else 0.0)", "le": "(1.0 if {}<={} else 0.0)", "eq": "(1.0 if {}=={} else 0.0)",
    "gt": "(1.0 if {}>{} else 0.0)", "ge": "(1.0 if {}>={} else 0.0)", "ne": "(1.0 if {}!={} else 0.0)",
    "if": "({1} if {0} else {2})", "relu": "({0} if {0}>0.0 else 0.0)",
    "pow_slope0": "({2}*{1}**({2}-1.0) if {2}>=0.5 or {2}<=-1.0 else {2}*{0}/{1})",
}  # fmt: skip
"""How kernels that are short in Python are written; all others are called. A test compares them."""

REPEATING = ("relu", "pow_slope0")
"""Those that name an operand more than once."""


class Compiled:
    """An expression as a function of its variables, by position.

    Calling it gives the value and the gradient, one partial derivative for each name in `wrt`: None
    where it does not exist, as from `Expression.evaluate`, whose errors are raised here too. With
    `subgradient`, a corner takes the convention of the table's rule.
    """

    __slots__ = ("_expression", "_rows", "subgradient", "variables", "wrt")

    def __init__(
        self, expression: Expression, wrt: Sequence[str], subgradient: bool = False
    ) -> None:
        self._expression = expression
        self.subgradient = subgradient
        self._rows: Callable[..., Rows] | None = None
        self.variables = expression.variables
        self.wrt = tuple(wrt)

    def __call__(self, *values: float) -> tuple[float, Gradient]:
        """The value and the gradient at a point."""
        return self.interpreted(*values)

    def interpreted(self, *values: float) -> tuple[float, Gradient]:
        """The same by the interpreter, which knows about corners and says what is wrong."""
        if len(values) != len(self.variables):
            raise TypeError(
                f"{len(values)} values were given for {len(self.variables)} variables"
            )
        at = dict(zip(self.variables, values, strict=True))
        found = self._expression.evaluate(
            at, self.wrt, subgradient=self.subgradient, refine=False
        )
        return found.value, tuple(found.gradient.values())

    @property
    def arrays(self) -> Callable[..., Rows]:
        """A function of columns of numbers: values and gradients, one row a point (needs NumPy).

        Columns are broadcast against one another. Rows outside the domain are nan and have an error.
        """
        if self._rows is None:
            self._rows = self._array_code()
        return self._rows

    def _array_code(self) -> Callable[..., Rows]:
        try:
            from exprgrad.arrays import rows
        except ImportError:
            raise UsageError(
                "arrays need NumPy and SciPy", hint='pip install "exprgrad[arrays]"'
            ) from None
        return rows(self)

    @property
    def root(self) -> Value:
        """The graph that is computed."""
        return self._expression.root

    def program(self, root: Value | None = None) -> Program:
        """The instructions, with the conditions of derivatives inside the expression.

        With `root`, those of another expression in the same variables that has no derivatives inside.
        """
        expression = self._expression
        whole = root is None
        program = Program(self.root if root is None else root, self.variables, self.wrt)
        for slope in expression.slopes if whole else ():
            if slope.variable in program.variables:
                program.need_slope(slope.root, slope.variable)
        if self.subgradient:
            program.tests.clear()
        return program

    def parts(self, root: Value) -> Parts | None:
        """The expression, or what branches have made of it, by one of its `if`s."""
        return None if self._expression.slopes else parts(root)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its graph: code is generated anew where it is loaded."""
        return _unpickled, (pack(self._expression), self.wrt, self.subgradient)

    def __repr__(self) -> str:
        return f"{self._expression!r}.compile()"


def no_slope(wrt: Sequence[str], gradient: Gradient) -> NotDifferentiableError:
    """What to say of a row that lacks partial derivatives."""
    missing = [name for name, p in zip(wrt, gradient, strict=True) if p is None]
    return NotDifferentiableError(
        f"the partial derivative by {', '.join(missing)} does not exist here"
    )


def _unpickled(
    packed: tuple[Any, ...], wrt: Sequence[str], subgradient: bool
) -> Compiled:
    return compile_expression(unpack(packed), wrt, subgradient)


def compile_expression(
    expression: Expression, wrt: Iterable[str], subgradient: bool = False
) -> Compiled:
    """The expression as a function of its variables."""
    expression.refuse_arrays({})
    plain = Compiled(expression, tuple(wrt), subgradient)
    if len(expression.tape.steps) > MOST_OPERATIONS:
        return plain
    program = plain.program()
    call = _function(Scalar(program).source(), program)
    # a class of its own, so that a call runs the generated code and nothing before it
    kind = type("Compiled", (Compiled,), {"__slots__": (), "__call__": call})
    compiled: Compiled = kind(expression, plain.wrt, subgradient)
    return compiled


def _function(source: str, program: Program) -> Callable[..., Any]:
    names: dict[str, Any] = {
        f"k_{o.name}": math.pow if o.name == "pow" else o.kernel
        for o, _ in program.code
    }
    names |= {f"c_{i}": call.corner for i, call in enumerate(calls_in(program.tests))}
    names |= {"nan": math.nan, "inf": math.inf, "ARITHMETIC": ARITHMETIC}
    exec(compile(source, "<compiled expression>", "exec"), names)
    function: Any = names["compiled"]
    # what Python says of arguments that are missing names the variables
    own = function.__code__.co_varnames
    given = ("self", *program.variables)
    function.__code__ = function.__code__.replace(
        co_varnames=(*given, *own[len(given) :])
    )
    function.__qualname__ = "Compiled.__call__"
    return function  # type: ignore[no-any-return] # the function of a source


class Writer:
    """The text of a program: which results are variables, and how operands are written."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names: dict[int, str] = {i: f"x{i}" for i in range(len(program.variables))}
        self.calls = {id(call): i for i, call in enumerate(calls_in(program.tests))}

    def ref(self, arg: Arg) -> str:
        """An operand: a number, or the name or formula of a result."""
        if isinstance(arg, float):
            return f"({arg!r})" if arg < 0 else repr(arg)
        return self.names[arg]

    def formula(self, operation: Operation | Kernel, args: Sequence[Arg]) -> str:
        """An instruction as an expression."""
        own = [self.ref(arg) for arg in args]
        template = TEMPLATES.get(operation.name)
        if template is not None:
            return template.format(*own)
        return f"k_{operation.name}({', '.join(own)})"

    def test(self, test: CornerTest) -> str:
        """A condition as an expression."""
        match test:
            case Comparison(operator, left, right):
                return f"{self.ref(left)}{operator}{self.ref(right)}"
            case Choice(condition, then, otherwise):
                return f"({self.test(then)} if {self.test(condition)} else {self.test(otherwise)})"
            case Call(_, arguments):
                own = ", ".join(map(self.ref, arguments))
                return f"c_{self.calls[id(test)]}({own})"
        return repr(test)


def calls_in(tests: Iterable[CornerTest]) -> list[Call]:
    """The tests that call the code of a row."""
    return [test for test in tests if isinstance(test, Call)]


def arguments_of(test: CornerTest) -> list[Arg]:
    """The results that a test looks at."""
    match test:
        case Comparison(_, left, right):
            return [left, right]
        case Choice(condition, then, otherwise):
            return [
                *arguments_of(condition),
                *arguments_of(then),
                *arguments_of(otherwise),
            ]
        case Call(_, arguments):
            return list(arguments)
    return []


def zero_of(test: CornerTest) -> Arg | None:
    """The result that has to be 0 for the test to hold, if there is one."""
    if isinstance(test, Choice) and test.otherwise is False:
        test = test.condition
    if isinstance(test, Comparison) and test.operator == "==" and test.right == 0.0:
        return test.left
    return None


def uses(program: Program, extra: Iterable[Arg]) -> dict[int, int]:
    """How often each result is used; those that no one uses are missing, but for the forward sweep's."""
    count = len(program.variables)
    used: dict[int, int] = {}
    for arg in extra:
        if isinstance(arg, int):
            used[arg] = used.get(arg, 0) + 1
    for i in range(len(program.code) - 1, -1, -1):
        if count + i in used or i < program.forward:
            for arg in program.code[i][1]:
                if isinstance(arg, int):
                    used[arg] = used.get(arg, 0) + 1
    return used


class Scalar(Writer):
    """A program as a Python function of floats."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.tests = program.tests

    def source(self) -> str:
        """The text of `compiled(self, x0, x1, ...)`."""
        program = self.program
        count = len(program.variables)
        results = [program.value, *program.partials]
        self._drop_needless_tests([*results, *program.guards])
        tested = [arg for test in self.tests for arg in arguments_of(test)]
        again = [
            arg
            for operation, args in program.code
            if operation.name in REPEATING
            for arg in args
        ]
        used = uses(program, [*results, *results, *tested, *program.guards])
        for arg in again:
            if isinstance(arg, int) and arg in used:
                used[arg] += 1
        heads = ", ".join(["self", *(f"x{i}" for i in range(count))])
        lines = [f"def compiled({heads}):", " try:"]
        lines += [
            f"  if type(x{i}) is not float: x{i}=float(x{i})" for i in range(count)
        ]
        for i, (operation, args) in enumerate(program.code):
            number = count + i
            if number not in used:
                continue
            text = self.formula(operation, args)
            if used[number] == 1 and len(text) <= LONGEST:
                self.names[number] = text
            else:
                self.names[number] = f"v{number}"
                lines.append(f"  v{number}={text}")
        return "\n".join([*lines, *self._end()]) + "\n"

    def _end(self) -> list[str]:
        program = self.program
        given = ", ".join(f"x{i}" for i in range(len(program.variables)))
        lines = []
        if tests := [self.test(test) for test in self.tests]:
            lines.append(f"  if {' or '.join(tests)}: return self.interpreted({given})")
        results = [program.value, *program.partials]
        names = list(dict.fromkeys(map(self.ref, self._checked(results))))
        for start in range(0, len(names), _TERMS):
            own = "+".join(names[start : start + _TERMS])
            lines.append(f"  t={'t+' if start else ''}{own}")
        value, *partials = map(self.ref, results)
        gradient = "".join(f"{partial}, " for partial in partials)
        answer = f"return {value}, ({gradient})"
        safe = not any(math.isnan(a) for a in results if isinstance(a, float))
        if safe:
            lines.append(f"  if t-t==0.0: {answer}" if names else f"  {answer}")
        return [
            *lines,
            " except ARITHMETIC: pass",
            f" return self.interpreted({given})",
        ]

    def _checked(self, results: Sequence[Arg]) -> list[int]:
        """The results that have to be finite, but those that make others of them infinite or nan."""
        asked = [
            arg for arg in [*results, *self.program.guards] if isinstance(arg, int)
        ]
        carried: set[int] = set()
        waiting = list(asked)
        while waiting:
            operation, args = self.program.instruction(waiting.pop()) or (None, ())
            if operation in (ADD, SUB, MUL, NEG, DIV):
                through = args[:1] if operation is DIV else args
                new = {arg for arg in through if isinstance(arg, int)} - carried
                carried |= new
                waiting += new
        return [arg for arg in asked if arg not in carried]

    def _drop_needless_tests(self, results: Sequence[Arg]) -> None:
        """A corner at 0 needs no test where every call divides by that, or takes its logarithm."""
        program = self.program
        if any(operation.name == "if" for operation, _ in program.code):
            return  # what stands in a branch may not run
        count = len(program.variables)
        used = uses(program, results)
        failing = {
            args[1] if operation is DIV else args[0]
            for number, (operation, args) in enumerate(program.code, count)
            if number in used and operation in (DIV, LN)
        }
        self.tests = [
            test
            for test in program.tests
            if zero_of(test) is None or zero_of(test) not in failing
        ]
