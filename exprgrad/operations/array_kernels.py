"""The array operations, and the way their adjoints go back.

NumPy is handed in as `np`, so that the table can name these rules without importing it. A value takes
the arguments as arrays; a pull takes the adjoint `g` of the result, the result `y` and the arguments,
and gives the adjoint of one argument, in its shape: the vector-Jacobian product (Giles, *Collected
Matrix Derivative Results for Forward and Reverse Mode Algorithmic Differentiation*, 2008).
"""

from __future__ import annotations

from importlib import import_module

from exprgrad.annotations import Any

_LARGEST = 2**62  # what NumPy takes for a length


def whole(number: Any) -> int:
    """An axis, an index or a length as a Python integer. Raises `ValueError` for another number."""
    value = float(number)
    if not value.is_integer():
        raise ValueError(f"{value:g} is not a whole number")
    if abs(value) > _LARGEST:
        raise ValueError(f"{value:g} is too large")
    return int(value)


def _axis(x: Any, axis: Any) -> int | None:
    """The axis of an array. Raises `ValueError` for a number, which has none."""
    if axis is not None and not x.ndim:
        raise ValueError("a number has no axes")
    return None if axis is None else whole(axis)


def _back(np: Any, y: Any, x: Any, axis: Any) -> Any:
    """Something of the shape of a reduction, in the shape of what was reduced."""
    if axis is not None:
        y = np.expand_dims(y, whole(axis))
    return np.broadcast_to(y, x.shape)


def unbroadcast(np: Any, g: Any, shape: tuple[int, ...]) -> Any:
    """Sum an adjoint over the axes along which an operand of that shape was repeated."""
    if g.shape == shape:
        return g
    if g.ndim > len(shape):
        g = np.sum(g, axis=tuple(range(g.ndim - len(shape))))
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1)
    return np.sum(g, axis=axes, keepdims=True) if axes else g


def _reduction(name: str) -> Any:
    """Return what NumPy calls so: of all elements, or along an axis."""
    return lambda np, x, axis=None: getattr(np, name)(x, axis=_axis(x, axis))


total, largest, least = map(_reduction, ("sum", "max", "min"))


def total_pull(np: Any, g: Any, y: Any, x: Any, axis: Any = None) -> Any:
    """Every element has the partial 1."""
    return _back(np, g, x, axis)


def mean(np: Any, x: Any, axis: Any = None) -> Any:
    """The mean of all elements, or along an axis."""
    if not np.size(x):
        raise ValueError("an array without elements has no mean")
    sums = total(np, x, axis)
    return np.divide(sums, np.size(x) // np.size(sums))


def mean_pull(np: Any, g: Any, y: Any, x: Any, axis: Any = None) -> Any:
    """Every one of n elements has the partial 1/n."""
    return _back(np, g, x, axis) * (y.size / x.size)


def extreme_pull(np: Any, g: Any, y: Any, x: Any, axis: Any = None) -> Any:
    """The adjoint goes to the extreme element; those that tie share it (PyTorch's `amax`)."""
    chosen = x == _back(np, y, x, axis)
    ties = chosen.sum(axis=_axis(x, axis))
    return chosen * _back(np, g / ties, x, axis)


def dot_pull_left(np: Any, g: Any, z: Any, x: Any, y: Any) -> Any:
    """The adjoint of NumPy's `dot` times y, summed over the axes of y that are left in the result."""
    if x.ndim == 0 or y.ndim == 0:
        return unbroadcast(np, g * y, x.shape)
    if y.ndim == 1:
        return g[..., None] * y
    # NumPy's `dot` sums over the last axis of x and the last but one of y
    kept = [i for i in range(y.ndim) if i != y.ndim - 2]
    return np.tensordot(g, y, (list(range(x.ndim - 1, g.ndim)), kept))


def dot_pull_right(np: Any, g: Any, z: Any, x: Any, y: Any) -> Any:
    """The transpose of x times g, summed over the axes of x that are left in the result."""
    if x.ndim == 0 or y.ndim == 0:
        return unbroadcast(np, g * x, y.shape)
    kept = list(range(x.ndim - 1))
    found = np.tensordot(x, g, (kept, kept))
    return found if y.ndim == 1 else np.moveaxis(found, 0, -2)


def _as_matrices(np: Any, g: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """A vector on the left is a row, one on the right a column."""
    if x.ndim == 1:
        x, g = x[None, :], np.expand_dims(g, -2 if y.ndim > 1 else -1)
    if y.ndim == 1:
        y, g = y[:, None], np.expand_dims(g, -1)
    return g, x, y


def product_pull_left(np: Any, g: Any, z: Any, x: Any, y: Any) -> Any:
    """The adjoint is g @ y^T."""
    g, rows, columns = _as_matrices(np, g, x, y)
    found = np.matmul(g, np.swapaxes(columns, -1, -2))
    return np.reshape(unbroadcast(np, found, rows.shape), x.shape)


def product_pull_right(np: Any, g: Any, z: Any, x: Any, y: Any) -> Any:
    """x^T @ g."""
    g, rows, columns = _as_matrices(np, g, x, y)
    found = np.matmul(np.swapaxes(rows, -1, -2), g)
    return np.reshape(unbroadcast(np, found, columns.shape), y.shape)


def _is_boundless(np: Any) -> bool:
    """Return whether `np` builds graphs, whose numbers may have any size: what keeps others in range would be corners there."""
    return getattr(np, "boundless", False)


def _lowered(np: Any, x: Any, axis: Any) -> tuple[Any, Any]:
    """Exponents without the largest of them, so that no power overflows; and that."""
    if _is_boundless(np):
        return x, None
    top = np.max(x, axis=_axis(x, axis), keepdims=True)
    return x - top, top


def norm(np: Any, x: Any) -> Any:
    """The root of the sum of squares, which neither overflow nor vanish on the way."""
    if _is_boundless(np):
        return np.sqrt(np.sum(np.multiply(x, x)))
    size = np.max(np.abs(x)) if x.size else np.float64(0)
    return size * np.sqrt(np.sum((x / size) ** 2)) if size > 0 else size


def norm_pull(np: Any, g: Any, y: Any, x: Any) -> Any:
    """The direction of x; 0 where x is 0, which is a corner."""
    return g * (x / y) if y > 0 else np.zeros_like(x)


def reshaped(np: Any, x: Any, *shape: Any) -> Any:
    """The elements in another shape; -1 stands for the length that is left."""
    lengths = tuple(map(whole, shape))
    if min(lengths) < -1:
        raise ValueError(f"a length is not {min(lengths)}")
    return np.reshape(x, lengths)


def stacked(np: Any, *parts: Any) -> Any:
    """Arrays of one shape as the rows of an array."""
    if len({np.shape(part) for part in parts}) > 1:
        raise ValueError("the parts of an array have one shape")
    return np.stack(parts)


def item(np: Any, x: Any, *indexes: Any) -> Any:
    """An element, or a part, by whole numbers from 0; negative ones count from the end."""
    places = tuple(map(whole, indexes))
    if len(places) > x.ndim:
        raise ValueError(f"{len(places)} indexes are too many")
    for place, length in zip(places, x.shape, strict=False):
        if not -length <= place < length:
            raise ValueError(f"an index is from {-length} to {length - 1}, not {place}")
    return x[places]


def item_pull(np: Any, g: Any, y: Any, x: Any, *indexes: Any) -> Any:
    """The adjoint in that place, zeros elsewhere."""
    found = np.zeros_like(x)
    found[tuple(map(whole, indexes))] = g
    return found


def taken(np: Any, x: Any, key: Any) -> Any:
    """Any of NumPy's ways to index; the key is the data of a constant."""
    return x[key]


def taken_pull(np: Any, g: Any, y: Any, x: Any, key: Any) -> Any:
    """The adjoint in those places; an element that was taken twice gets both."""
    found = np.zeros_like(x)
    np.add.at(found, key, g)
    return found


def softmax(np: Any, x: Any, axis: Any = -1) -> Any:
    """exp(x) over its sum along an axis, with the largest exponent taken out."""
    powers = np.exp(_lowered(np, x, axis)[0])
    return np.divide(powers, np.sum(powers, axis=_axis(x, axis), keepdims=True))


def softmax_pull(np: Any, g: Any, y: Any, x: Any, axis: Any = -1) -> Any:
    """y*(g - sum(g*y))."""
    return y * (g - np.sum(g * y, axis=whole(axis), keepdims=True))


def logsumexp(np: Any, x: Any, axis: Any = None) -> Any:
    """ln(sum(exp(x))), with the largest exponent taken out."""
    less, top = _lowered(np, x, axis)
    sums = np.log(np.sum(np.exp(less), axis=_axis(x, axis)))
    return sums if top is None else sums + np.squeeze(top, _axis(x, axis))


def logsumexp_pull(np: Any, g: Any, y: Any, x: Any, axis: Any = None) -> Any:
    """The softmax."""
    return _back(np, g, x, axis) * np.exp(x - _back(np, y, x, axis))


def cross_entropy(np: Any, z: Any, t: Any) -> Any:
    """The mean of -ln softmax(z) at the target, along the last axis.

    Targets are probabilities in the shape of z, or classes as whole numbers, with one axis less.
    """
    if not z.ndim:
        raise ValueError("logits have an axis, with an entry for every class")
    # ln(softmax(z)) would be infinite where a probability underflows, as for z = (0, 1000)
    logs = _log_softmax(np, z)
    if t.shape == z.shape:
        picked = np.multiply(t, logs)
    else:
        picked = np.take_along_axis(logs, _classes(np, z, t), -1)
    return np.divide(np.negative(np.sum(picked)), z.size // z.shape[-1])


def cross_entropy_pull(np: Any, g: Any, y: Any, z: Any, t: Any) -> Any:
    """(softmax(z)*sum(t) - t)/n."""
    count = z.size // z.shape[-1]
    chances = np.exp(_log_softmax(np, z))
    if t.shape == z.shape:
        return g / count * (chances * np.sum(t, axis=-1, keepdims=True) - t)
    hits = np.arange(z.shape[-1]) == _classes(np, z, t)
    return g / count * (chances - hits)


def cross_entropy_pull_target(np: Any, g: Any, y: Any, z: Any, t: Any) -> Any:
    """-ln softmax(z)/n; classes have no slope."""
    if t.shape != z.shape:
        return np.zeros_like(t)
    return -g / (z.size // z.shape[-1]) * _log_softmax(np, z)


def _log_softmax(np: Any, z: Any) -> Any:
    off, _ = _lowered(np, z, -1)
    return np.subtract(off, np.log(np.sum(np.exp(off), axis=-1, keepdims=True)))


def _classes(np: Any, z: Any, t: Any) -> Any:
    if t.shape != z.shape[:-1]:
        raise ValueError("targets have the shape of the logits, or one axis less")
    if not np.all((t == np.floor(t)) & (t >= 0) & (t < z.shape[-1])):
        raise ValueError(f"classes are whole numbers from 0 to {z.shape[-1] - 1}")
    return t.astype(int)[..., None]


# Functions of every element, of rows whose kernels on floats have branches: where a kernel has no value,
# these are not finite, or raise a floating-point flag, and are computed element by element.


def off_zeros(np: Any, c: Any, x: Any) -> Any:
    """The cosine or sine of x; 0 at the double nearest to a zero, where kernels see a pole."""
    if (np.abs(c) > 1e-8).all():
        return c
    return np.where(np.abs(c) <= np.minimum(np.spacing(np.abs(x)) / 2, 1e-8), 0.0, c)


def sinc(np: Any, x: Any) -> Any:
    """sin(x)/x, 1 at 0."""
    # both branches are computed, and 0/0 would raise a flag though it is not taken
    safe = np.where(x == 0, 1.0, x)
    return np.where(x == 0, 1.0, np.sin(safe) / safe)


def logarithm(np: Any, x: Any, base: Any) -> Any:
    """ln(x)/ln(base); bases 2 and 10 by the library, as in the kernel."""
    found = np.where(base == 10, np.log10(x), np.log(x) / np.log(base))
    return np.where(base == 2, np.log2(x), found)


def digamma(np: Any, x: Any) -> Any:
    """Left of 0 SciPy's loses digits near the zeros, of which there is one between any two poles."""
    found = import_module("scipy.special").psi(np.asarray(x, np.float64))
    if not ((x > 0) & np.isfinite(found)).all():
        raise FloatingPointError
    return found


def power_slope(power: Any) -> Any:
    """The kernels of the partial of a power by its base, from that of x^(y-1)."""

    def slope(np: Any, z: Any, x: Any, y: Any) -> Any:
        ruled = (y >= 0.5) | (y <= -1)
        if ruled.all():
            return y * power(np, x, y - 1)
        # both branches are computed: the ones keep powers of 0 from raising flags in the branch not taken
        one = np.ones_like(x)
        return np.where(ruled, y * power(np, np.where(ruled, x, one), y - 1), y * z / np.where(ruled, one, x))  # fmt: skip

    return slope
