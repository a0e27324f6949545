"""What a row must have, so that every command can use it: checked when it is declared.

A row that lacks something raises `TypeError`, which says what. Rules are run for that: code
that takes its arguments for floats, with `if` or `math.sin`, cannot be differentiated as a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, ModuleType

from exprgrad.annotations import Any
from exprgrad.operations.conditions import Phrase

_VARIADIC = 4  # the flag of code with *arguments


def check(row: Any) -> None:
    """Raise `TypeError` if a command could not use the row, an `Operation` that is being declared."""
    problem = _structural(row) or _of_rules(row)
    if problem:
        raise TypeError(f"the row {row.name!r}: {problem}")


def _structural(row: Any) -> str:
    if not callable(row.kernel):
        return f"the kernel is not a function of floats: {row.kernel!r}"
    if not row.partials:
        return "there is no local partial: give one per argument, a number or a function of the result and the arguments"
    if row.parity and row.arity != 1:
        return "only a function of one argument has a parity"
    if not row.slopes.keys() <= set(range(row.arity)):
        return "`slopes` has a kernel for an argument that there is not"
    compares = row.steps or row.choose is not None
    if row.arb is None and row.formula is None and not (row.native or compares):
        return (
            "without a function of FLINT's balls nothing can be computed to many digits: give a `formula` in "
            'other operations, or arb="its name there"'
        )
    if row.python is None and row.formula is None and not row.lacks_python:
        return 'it cannot be written in Python: give a `formula`, or python="its name", or None if it has none'
    kernels = [("kernel", row.kernel, row.arity)]
    kernels += [("slope", slope.kernel, row.arity + 1) for slope in row.slopes.values()]
    for what, kernel, count in kernels:
        if not _takes(kernel, count):
            return f"the {what} should take {count} arguments, as there are partials"
    return ""


def _takes(function: Any, count: int) -> bool:
    if not isinstance(function, FunctionType):
        return True  # what built-in functions take, they say when they are called
    code, optional = function.__code__, len(function.__defaults__ or ())
    most = code.co_argcount
    return most - optional <= count and (count <= most or bool(code.co_flags & _VARIADIC))  # fmt: skip


_ARGUMENTS = tuple(map(Phrase, range(9)))


def _of_rules(row: Any) -> str:
    """What is wrong with the code that has to run on numbers of every kind."""
    arity = row.arity
    own, with_result = _ARGUMENTS[:arity], _ARGUMENTS[: arity + 1]
    for i, partial in enumerate(row.partials):
        if callable(partial):
            problem = _on_phrases(f"local partial {i + 1}", partial, with_result)
        elif partial is not None and not isinstance(partial, int | float):
            return (
                f"local partial {i + 1} is neither a number nor a function: {partial!r}"
            )
        else:
            continue
        if problem:
            return problem
    rules = [("a condition of the domain", c.holds) for c in row.domain]
    rules += [("the corner", row.corner), ("near", row.near), ("the formula", row.formula)]  # fmt: skip
    rules += [("an edge", edge) for edge in row.edges]
    problems = (_on_phrases(what, rule, own) for what, rule in rules if rule is not None)  # fmt: skip
    return next(filter(None, problems), "")


def _on_phrases(what: str, rule: Any, arguments: Sequence[Phrase]) -> str:
    if not callable(rule):
        return f"{what} is not a function: {rule!r}"
    try:
        rule(*arguments)
    except NameError:
        pass  # of an operation that is declared further down: the tests run it
    except Exception as error:
        return f"{what} does not run on numbers of every kind: {error}"
    return ""


def formula_of(kernel: Any, rows: Mapping[str, Any]) -> Callable[..., Any] | None:
    """A formula for a kernel that is made of those of other rows, `lambda x: x * k.sigmoid(x)`.

    None for other kernels, such as one with a loop or a function that is not in the table.
    """
    known = {row.kernel: row for row in rows.values()}
    if not isinstance(kernel, FunctionType):
        return known.get(kernel)
    code, used = kernel.__code__, kernel.__code__.co_names
    meant = {n: _row(t, known) for n, t in kernel.__globals__.items() if n in used}
    formula = FunctionType(code, meant, None, kernel.__defaults__, kernel.__closure__)
    try:
        found = formula(*_ARGUMENTS[: code.co_argcount])
    except Exception:
        return None
    return formula if isinstance(found, Phrase) else None


def _row(thing: Any, known: Mapping[Any, Any]) -> Any:
    """The row of a kernel, the rows of a module of kernels; anything else as it is."""
    if isinstance(thing, ModuleType):
        return Rows(lambda name: _row(getattr(thing, name), known))
    return known.get(thing, thing) if callable(thing) else thing


class Rows:
    """What stands for a module of kernels in a formula: their rows, or what these mean for a number type."""

    def __init__(self, find: Callable[[str], Any]) -> None:
        self._find = find

    def __getattr__(self, name: str) -> Any:
        return self._find(name)

    def meaning(self, of: Callable[[Any], Any]) -> Rows:
        """The same with what `of` makes of each row."""
        return Rows(lambda name: of(self._find(name)))
