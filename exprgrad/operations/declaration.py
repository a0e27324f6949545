"""The fields that a row must have, so that every command can use it: checked when it is declared.

A row that lacks something raises `TypeError`, which says what. Rules are run for that: code
that takes its arguments for floats, with `if` or `math.sin`, cannot be differentiated as a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, ModuleType

from exprgrad.annotations import Any
from exprgrad.operations.conditions import Phrase

_VARIADIC = 4  # the flag of code with *arguments


def check(row: Any) -> None:
    """Raise `TypeError` if a command could not use the row, an `Operation` that is being declared."""
    for problem in _problems(row):
        raise TypeError(f"the row {row.name!r}: {problem}")


def _problems(row: Any) -> Iterator[str]:
    """Yield what is wrong with a row: what it lacks, and code that does not run on numbers of every kind."""
    if not callable(row.kernel):
        yield f"the kernel is not a function of floats: {row.kernel!r}"
    if not row.partials:
        yield "there is no local partial: give one per argument, a number or a function of the result and the arguments"
    if row.parity and row.arity != 1:
        yield "only a function of one argument has a parity"
    if not row.slopes.keys() <= set(range(row.arity)):
        yield "`slopes` has a kernel for an argument that there is not"
    compares = row.steps or row.choose is not None
    if row.arb is None and row.formula is None and not (row.native or compares):
        yield (
            "without a function of FLINT's balls nothing can be computed to many digits: give a `formula` in "
            'other operations, or arb="its name there"'
        )
    if row.python is None and row.formula is None and not row.lacks_python:
        yield 'it cannot be written in Python: give a `formula`, or python="its name", or None if it has none'
    slopes = [("slope", slope.kernel, row.arity + 1) for slope in row.slopes.values()]
    for what, kernel, count in [("kernel", row.kernel, row.arity), *slopes]:
        if isinstance(kernel, FunctionType):  # built-in functions say it when called
            code, optional = kernel.__code__, len(kernel.__defaults__ or ())
            most = code.co_argcount
            if count < most - optional or (count > most and not code.co_flags & _VARIADIC):  # fmt: skip
                yield f"the {what} should take {count} arguments, as there are partials"
    rules = []
    for i, partial in enumerate(row.partials, 1):
        if callable(partial):
            rules.append((f"local partial {i}", partial, row.arity + 1))
        elif partial is not None and not isinstance(partial, int | float):
            yield f"local partial {i} is neither a number nor a function: {partial!r}"
    named = [("the corner", row.corner), ("near", row.near), ("the formula", row.formula)]  # fmt: skip
    named += [("a condition of the domain", c.holds) for c in row.domain]
    named += [("an edge", edge) for edge in row.edges]
    rules += [(what, rule, row.arity) for what, rule in named if rule is not None]
    for what, rule, count in rules:
        if not callable(rule):
            yield f"{what} is not a function: {rule!r}"
        try:
            rule(*_ARGUMENTS[:count])
        except NameError:
            pass  # of an operation that is declared further down: the tests run it
        except Exception as error:
            yield f"{what} does not run on numbers of every kind: {error}"


_ARGUMENTS = tuple(map(Phrase, range(9)))


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
    """A stand-in for a module of kernels in a formula: their rows, or what these mean for a number type."""

    def __init__(self, find: Callable[[str], Any]) -> None:
        self._find = find

    def __getattr__(self, name: str) -> Any:
        return self._find(name)

    def meaning(self, of: Callable[[Any], Any]) -> Rows:
        """The same with what `of` makes of each row."""
        return Rows(lambda name: of(self._find(name)))
