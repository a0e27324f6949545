r"""Names that are defined elsewhere, in a session or further up in a document: f(3), f'(x), y', \frac{dy}{du}.

A `Reference` is what a text or a formula says of one; `Defined` puts a graph in its place.
"""

from __future__ import annotations

from exprgrad.annotations import NamedTuple
from exprgrad.errors import Span
from exprgrad.graph.value import Value


class Reference(NamedTuple):
    r"""A name with its primes, or with the variables of \frac{dy}{du}."""

    name: str
    order: int = 0
    wrt: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """A name of its own: f'', ∂f/∂x, or ∂^2f/∂x∂y."""
        if not self.wrt:
            return self.name + "'" * self.order
        power = f"^{len(self.wrt)}" * (len(self.wrt) > 1)
        return f"∂{power}{self.name}/{''.join(f'∂{name}' for name in self.wrt)}"


class Defined:
    r"""The meanings of names: `functions` where they are called or differentiated, `formulas` wherever they occur.

    Those of `products` are not called: brackets behind them are a factor, as in x(\cos t).
    """

    in_latex = False
    """True where a text is LaTeX for certain, also without a backslash."""

    calls_partials = False
    r"""True where the brackets behind \frac{\partial f}{\partial x} hold its arguments, and are no factor."""

    is_step = False
    """True for a step of a solution: names are written side by side, f_x is a partial, d/dx (u)(3) has a factor 3."""

    asks: bool | None = True
    """True where it is asked whether d/dx (u)(3) has a factor; None where d/dx (u)(v) is the derivative of u, times v."""

    variables: tuple[str, ...] = ()
    """The variables of the functions, if they are known: a prime is about the first."""

    def __init__(
        self,
        functions: frozenset[str] = frozenset(),
        formulas: frozenset[str] = frozenset(),
        products: frozenset[str] = frozenset(),
    ) -> None:
        self.products = products
        self.functions, self.formulas = functions, formulas

    def value(
        self, reference: Reference, arguments: tuple[Value, ...] | None, span: Span
    ) -> Value | None:
        """The graph in the place of a reference; None for a name that is a variable here. Raises `ExprgradError`."""
        return None

    def derivative(
        self, operand: Value, name: str, order: int, span: Span
    ) -> Value | None:
        """Return what stands for the derivative of something; None where it is worked out as usual."""
        return None


NOTHING = Defined()
