"""A derivative calculator that shows its work.

    import exprgrad
    f = exprgrad.parse("(a*b+c)^2")
    f.evaluate({"a": 2, "b": 3, "c": 1}).gradient      # {"a": 42.0, "b": 28.0, "c": 14.0}

Every operation of the table is a function here too (`exprgrad.sin`): of numbers it gives a number, of
`Value`s a `Value`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes long to import, and this is imported first
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.3.0"

_HOMES = {
    "Tensor": "graph.value",
    "Value": "graph.value",
    "Expression": "expressions.expression",
    "Evaluation": "expressions.expression",
    "parse": "expressions.expression",
    "parse_latex": "expressions.expression",
    "Function": "graph.functions",
    "operation": "graph.functions",
    "named": "expressions.values",
    "zero_grad": "expressions.values",
    "dead_units": "expressions.values",
    "network": "pictures.network",
    "compare": "expressions.comparison",
    "gradcheck": "expressions.comparison",
    "simplify": "expressions.expression",
    "check": "checking.check",
    "check_work": "checking.work.work",
    "equivalent": "checking.check",
    "directional": "expressions.higher_orders",
    "hessian_product": "expressions.higher_orders",
    "derivatives": "expressions.higher_orders",
    "ArrayEvaluation": "expressions.expression",
    "minimize": "optimize.minimize",
    "fit": "fitting.fit",
    "batch": "data.frames",
    "uncertainty": "expressions.uncertainty",
    "Session": "session.session",
    "ask": "session.session",
    "grade": "grading.completions",
    "grade_many": "grading.completions",
    "limits": "budget",
    "ExprgradError": "errors",
    "ExpressionSyntaxError": "errors",
    "BindingError": "errors",
    "DomainError": "errors",
    "RangeError": "errors",
    "NotDifferentiableError": "errors",
    "ChangedDataError": "errors",
    "UndecidedError": "errors",
}

__all__ = [*_HOMES, "__version__"]  # the names stand in one place, with their modules


def __dir__() -> list[str]:
    """Return the names that are here, and those that are imported when they are used: completion asks for them."""
    return [*globals(), *_HOMES]


def __getattr__(name: str) -> Any:
    """Names are imported when they are used: a command pays only for what it needs."""
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f"exprgrad.{_HOMES[name]}"), name)
    # IPython calls this for %load_ext exprgrad
    if name == "load_ipython_extension":
        return import_module("exprgrad.session.screen").load_ipython_extension
    import exprgrad.operations.table  # noqa: F401 # fills the table
    from exprgrad.operations.operation import callable_named

    function = callable_named(name)
    if function is None:
        raise AttributeError(f"exprgrad has no {name!r}")
    return function
