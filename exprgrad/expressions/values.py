"""Graphs that were built of `Value`s, as expressions: to be written, traced and drawn.

    a, b = Value(2.0, name="a"), Value(3.0, name="b")
    L = (a * b + 1) ** 2
    expression(L)               # Expression("(a*b + 1)^2")
    evaluation(L).gradient      # {"a": 42.0, "b": 28.0}

`Value` has these as methods. A leaf without a name is called x, or x1, x2 ... where there are several.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial

from exprgrad.annotations import Any
from exprgrad.errors import DomainError, ExprgradError, UsageError
from exprgrad.expressions.expression import Evaluation, Expression, parse
from exprgrad.expressions.trace import Trace
from exprgrad.expressions.trace import trace as traced
from exprgrad.graph.functions import operation
from exprgrad.graph.order import topological
from exprgrad.graph.rewriting import replaced
from exprgrad.graph.value import Constant, Value, is_variable
from exprgrad.language import inputs
from exprgrad.notation.numbers import number
from exprgrad.operations import operation as operations
from exprgrad.operations.declaration import Rows
from exprgrad.operations.operation import TABLE, Operation


def expression(root: Value) -> Expression:
    """Return the graph as an expression, whose text can be read again; its leaves are variables."""
    return Expression.of(_with_names(root)[0])


def evaluation(root: Value, wrt: Any = None) -> Evaluation:
    """Return the value and all partials where the graph was built: at the data of its leaves.

    Raises `UsageError` where a leaf has no data, or an array.
    """
    renamed, leaves = _with_names(root)
    at = {name: leaf.data for name, leaf in leaves.items()}
    if any(not isinstance(data, float) for data in at.values()):
        raise UsageError("a trace needs a number in every leaf, and no arrays")
    found = Expression.of(renamed, leaves)
    # operations of one's own have values and slopes in doubles, and no bounds
    bounded = not any(step.operation.opaque for step in found.tape.steps)
    return found.evaluate(at, wrt, refine=bounded)


def trace(root: Value, depth: int | None = None) -> Trace:
    """Return both sweeps, step by step."""
    found = traced(evaluation(root), lambda x: number(x, 6), own_names=True)
    return found._replace(depth=depth)


def _with_names(root: Value) -> tuple[Value, dict[str, Value]]:
    """The graph with a name of its own for every leaf, and the leaves by these names."""
    leaves = [item for item in topological(root) if is_variable(item)]
    unnamed = len([leaf for leaf in leaves if not leaf.name])
    taken = {leaf.name for leaf in leaves}
    numbered = (f"x{i}" for i in itertools.count(1))
    free = itertools.chain(["x"] if unnamed == 1 else [], numbered)
    named: dict[str, Value] = {}
    for leaf in leaves:
        name = leaf.name or ""
        # Leaves may share a name, or be called as no variable can be: "learning rate", or "sin".
        if name in named or not _is_name(name):
            name = next(n for n in free if n not in taken)
        named[name] = leaf
    leaves_so_called = {leaf: Value(None, name) for name, leaf in named.items()}
    return replaced(root, leaves_so_called), named


def _is_name(text: str) -> bool:
    """Return whether a variable can be called so in expressions."""
    try:
        return bool(text) and parse(text, (text,)).variables == (text,)
    except ExprgradError:
        return False


def zero_grad(values: Iterable[Value]) -> None:
    """Set `grad` to 0 on all of these, such as the parameters of a model, and on what they were computed from."""
    found = [values] if isinstance(values, Value) else values
    if isinstance(found, str) or not isinstance(found, Iterable):
        raise UsageError("zero_grad takes a list of values")
    for value in found:
        if not isinstance(value, Value):
            raise UsageError(f"zero_grad takes values, not {type(value).__name__}")
        value.zero_grad()


def units(model: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The innermost parts of a model that have `parameters()`, such as neurons, as layers[0].neurons[2]."""
    parts = [
        (f"{name}.{field}[{i}]", part)
        for field, held in getattr(model, "__dict__", {}).items()
        if isinstance(held, list | tuple)
        for i, part in enumerate(held)
        if hasattr(part, "parameters")
    ]
    for own, part in parts:
        yield from units(part, own)
    if not parts and hasattr(model, "parameters"):
        yield name.removeprefix("."), model


def dead_units(model: Any) -> list[str]:
    """Return the units of a model that the last sweep gave no gradient: relu is 0 there, or behind them, for all inputs.

    A descent never changes them. Use it after `backward()`. Raises `UsageError` for what has no `parameters()`.
    """
    found = list(units(model))
    if not found:
        raise UsageError("dead_units takes a model whose units have parameters()")
    return [name for name, unit in found if not any(_largest(p.grad) for p in unit.parameters())]  # fmt: skip


def _largest(gradient: Any) -> float:
    return float(getattr(abs(gradient), "max", lambda: abs(gradient))())


def named(names: Mapping[str, Any]) -> None:
    """Name every `Value` that has no name by the variable that holds it: `named(locals())`.

    A list `w` of them gives w1, w2 ...; names that begin with an underscore are passed over.
    """
    for name, thing in inputs.values(names, "what is named").items():
        if name.startswith("_"):
            continue
        several = isinstance(thing, list | tuple)
        for place, item in enumerate(thing if several else (thing,), 1):
            if isinstance(item, Value) and item.name is None and not item.is_constant:
                item.name = f"{name}{place}" if several else name


_declared: dict[str, Operation] = {}
"""The operations that were declared by texts: these may be declared anew."""


def row(text: str, partials: str | Iterable[str]) -> Operation:
    """Declare an operation, swish(x) = x*sigmoid(x), with its local partials as texts, in which its name is the result.

    It is a row of the table from then on. Raises `UsageError` for a name that is taken, and `NotDifferentiableError`
    where a partial is not the derivative, with the point and both slopes.
    """
    head, _, body = text.partition("=")
    name, _, listed = head.strip().removesuffix(")").partition("(")
    names = [part.strip() for part in listed.split(",")]
    texts = [*inputs.names(partials, "the partials")]
    if not (body.strip() and all(map(str.isidentifier, (name, *names)))):
        raise UsageError("an operation is declared as swish(x) = x*sigmoid(x), with its partial")  # fmt: skip
    if len(texts) != len(names):
        raise UsageError(f"{name} needs {len(names)} local partials, one for each argument, not {len(texts)}")  # fmt: skip
    if operations.named(name) and name not in _declared:
        raise UsageError(f"{name} is an operation of the table already")
    read = [parse(body, names), *(parse(own, (name, *names)) for own in texts)]
    kernels = Rows(lambda own: TABLE[own].kernel)
    kernel, *slopes = (_rule(own, [name, *names], kernels) for own in read)
    pair = operation(partial(kernel, None), lambda *at: tuple(s(kernel(None, *at), *at) for s in slopes), name)  # fmt: skip
    for at in (0.7, 2.3, -0.6):  # where it has a value, it is compared with differences
        with suppress(DomainError):
            # Operands that differ: where they are equal, any multiple of x - y passes for the slope of (x - y)^2.
            found = pair(*(Value(at + i / 7) for i in range(len(names))))
            break
    else:
        raise UsageError(f"{name} has no value at 0.7, 2.3 and -0.6, where its partials would be compared")  # fmt: skip
    found.backward()
    rows = Rows(TABLE.__getitem__)
    rules = [_rule(own, [name, *names], rows) for own in read[1:]]
    kernel, formula = (_rule(read[0], names, own) for own in (kernels, rows))
    _declared[name] = Operation(name, kernel, *rules, formula=formula)
    return _declared[name]


def _rule(expression: Expression, names: list[str], rows: Rows) -> Callable[..., Any]:
    """The code of an expression, in what operations mean for a number type: see `Numbers.bind`."""
    order = topological(expression.root)
    # a rule computes with numbers of any type, but its own are doubles
    for item in order:
        alone = item.operands and not any(o.operation or is_variable(o) for o in item.operands)  # fmt: skip
        if alone or (isinstance(item, Constant) and not item.is_whole):
            hint = "write x/10 for 0.1*x, and a constant such as pi as an argument"
            raise UsageError("the numbers of an operation are whole, and stand beside variables", item.span, hint, source=expression.source)  # fmt: skip
    places = {item: names.index(item.name) for item in order if item.name}

    def rule(*own: Any) -> Any:
        found: dict[Value, Any] = {}
        for item in order:
            if item.operation is None:
                found[item] = own[places[item]] if item in places else item.data
            else:
                operands = [found[operand] for operand in item.operands]
                found[item] = getattr(rows, item.operation.name)(*operands)
        return found[order[-1]]

    return rule
