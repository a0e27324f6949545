"""Record PyTorch's values and gradients of the table's operations in `torch.json`.

To renew the record, in an environment with NumPy and PyTorch (the CPU build of 2.13.0 made the present one):

    python -m tests.recorded.torch_values

The gradient is that of the result's elements times the fixed weights of `tests.recorded`, summed, so that
the adjoints that go back are not all 1. Computed in double precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from tests.recorded import weights, write
from tests.recorded.cases import CASES, Case


def _mod(x: Any, y: Any) -> Any:
    return torch.remainder(x, y)


def _cross_entropy(z: Any, t: Any) -> Any:
    if not isinstance(t, torch.Tensor):
        return functional.cross_entropy(z.reshape(-1, z.shape[-1]), torch.tensor(t).ravel())  # fmt: skip
    return functional.cross_entropy(z, t)


def _dot(x: Any, y: Any) -> Any:
    """NumPy's dot, in the library's own products."""
    if x.ndim == 0 or y.ndim == 0:
        return x * y
    return torch.tensordot(x, y, ([x.ndim - 1], [max(y.ndim - 2, 0)]))


def _mean_of(loss: Callable[..., Any]) -> Callable[..., Any]:
    """A loss of arrays that broadcast; without a warning about that."""
    return lambda x, y, **more: loss(*torch.broadcast_tensors(x, y), **more)


def _bce_logits(z: Any, y: Any) -> Any:
    return functional.binary_cross_entropy_with_logits(*torch.broadcast_tensors(z, y))


def _gaussian(m: Any, y: Any, s: Any) -> Any:
    own = torch.broadcast_tensors(m, y, s**2)
    return functional.gaussian_nll_loss(*own, full=True, eps=0)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "neg": torch.neg, "sqrt": torch.sqrt, "cbrt": lambda x: x ** (1 / 3), "exp": torch.exp,
    "expm1": torch.expm1, "ln": torch.log, "log1p": torch.log1p, "log2": torch.log2, "log10": torch.log10,
    "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "asin": torch.asin, "acos": torch.acos,
    "atan": torch.atan, "sec": lambda x: 1 / torch.cos(x), "csc": lambda x: 1 / torch.sin(x),
    "cot": lambda x: 1 / torch.tan(x), "asec": lambda x: torch.acos(1 / x), "acsc": lambda x: torch.asin(1 / x),
    "acot": lambda x: torch.atan(1 / x), "sinh": torch.sinh, "cosh": torch.cosh, "tanh": torch.tanh,
    "sech": lambda x: 1 / torch.cosh(x), "csch": lambda x: 1 / torch.sinh(x), "coth": lambda x: 1 / torch.tanh(x),
    "asinh": torch.asinh, "acosh": torch.acosh, "atanh": torch.atanh, "asech": lambda x: torch.acosh(1 / x),
    "acsch": lambda x: torch.asinh(1 / x), "acoth": lambda x: torch.atanh(1 / x),
    "abs": torch.abs, "sign": torch.sign,
    "floor": torch.floor, "ceil": torch.ceil, "round": torch.round, "relu": torch.relu,
    "softplus": functional.softplus, "sigmoid": torch.sigmoid, "erf": torch.erf, "erfc": torch.erfc,
    "gamma": lambda x: torch.exp(torch.lgamma(x)), "lgamma": torch.lgamma, "digamma": torch.digamma,
    "sinc": lambda x: torch.sinc(x / math.pi),
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "pow": torch.pow,
    "hypot": torch.hypot, "atan2": torch.atan2, "min": torch.minimum, "max": torch.maximum, "mod": _mod,
    "log": lambda x, b: torch.log(x) / torch.log(b), "root": lambda x, n: x ** (1 / n),
    "mse": _mean_of(functional.mse_loss), "mae": _mean_of(functional.l1_loss),
    "huber": _mean_of(functional.huber_loss), "bce": _mean_of(functional.binary_cross_entropy),
    "huber_at": lambda x, y, d: _mean_of(functional.huber_loss)(x, y, delta=d),
    "bce_logits": _bce_logits, "nll_gaussian": _gaussian,
    "if": lambda x, y, c: torch.where(torch.tensor(c) > 0, x, y),
    "sum": torch.sum, "sum_along": torch.sum, "mean": torch.mean, "mean_along": torch.mean,
    "amax": torch.amax, "amax_along": torch.amax, "amin": torch.amin, "amin_along": torch.amin,
    "logsumexp": lambda x: torch.logsumexp(x.ravel(), 0), "logsumexp_along": torch.logsumexp,
    "softmax": lambda x: torch.softmax(x, -1), "softmax_along": torch.softmax,
    "norm": torch.linalg.vector_norm, "transpose": lambda x: x.permute(*reversed(range(x.ndim))),
    "matmul": torch.matmul, "dot": _dot, "reshape": lambda x, *shape: x.reshape(shape),
    "stack": lambda *parts: torch.stack(parts), "item": lambda x, *i: x[i],
    "take": lambda x, key: eval(f"x{key if ':' in key else f'[{key}]'}"),  # of this module's cases
    "cross_entropy": _cross_entropy,
}  # fmt: skip


def record(case: Case) -> list[Any]:
    """The value, and the gradient by every argument, flat."""
    leaves = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in case.arguments()]  # fmt: skip
    result = FUNCTIONS[case.operation](*leaves, *case.rest)
    seed = torch.tensor(weights(tuple(result.shape)))
    (result * seed).sum().backward()
    gradients = [(torch.zeros_like(x) if x.grad is None else x.grad) for x in leaves]
    return [x.ravel().tolist() for x in (result.detach(), *gradients)]


def main() -> None:
    """Write the record."""
    version = torch.__version__.partition("+")[0]
    write("torch.json", {"torch": version}, ((c.name, record(c)) for c in CASES))


if __name__ == "__main__":
    main()
