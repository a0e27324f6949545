"""Errors, each as one diagnostic: a message, the place in the source text, and a fix.

Every problem that a user can cause is an `ExprgradError`. It knows what the views need to draw it
(`message`, `source`, `span`, `hint`) and the exit code that the command line gives it.

A hint that reads the same everywhere is a sentence. One that names an option, an argument or a statement
is a `Hint`: data, put into words where the user is. These are the words for Python; the command line
and sessions have their own (`commands.hints`, `session.results`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from exprgrad.annotations import Any

Span = tuple[int, int]
"""A half-open range of character offsets into a source text."""

WRONG, USAGE, UNDEFINED, FAILED, INTERRUPTED = 1, 2, 3, 70, 130
"""Exit codes: the answer is wrong; usage or syntax; undecided or not defined here; a defect; Ctrl-C."""


class Hint(str):
    """A hint: its `kind` in the tables of words, and the `details` that they take.

    As a string, it says that in the terms of Python.
    """

    __slots__ = ("details", "kind")

    kind: str
    details: Mapping[str, Any]

    def __new__(cls, kind: str, **details: Any) -> Hint:
        """A hint of a kind that `IN_PYTHON` has, with its details."""
        self = super().__new__(cls, IN_PYTHON[kind](**details))
        self.kind = kind
        self.details = details
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str], Mapping[str, Any]]:
        """Return what makes it again, in another process."""
        return (self.kind,), self.details


Words = Mapping[str, Callable[..., str]]
"""What to say for each kind of hint, from its details: a sentence without a full stop."""


def worded(hint: str | None, words: Words) -> str | None:
    """A hint in words; None where they have none for it."""
    if not isinstance(hint, Hint):
        return hint
    return words[hint.kind](**hint.details) if hint.kind in words else None


def installing(extra: str) -> str:
    """Return how to install an extra: from the clone or the wheel that exprgrad itself was installed from.

    pip notes that in `direct_url.json` (PEP 610); from an index there is no such file.
    """
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        noted = distribution("exprgrad").read_text("direct_url.json") or ""
    except PackageNotFoundError:  # run from a clone without being installed
        noted = '"dir_info"'
    if '"dir_info"' in noted:
        return f'pip install ".[{extra}]"'
    url = noted.partition('"url": "')[2].partition('"')[0]
    return f'pip install "exprgrad[{extra}]{f" @ {url}" if url else ""}"'


_INSTEAD_OF_A_FORMULA = "evaluate() gives the gradient at a point"

IN_PYTHON: Words = {
    "argument": lambda name, value, does="": f"{name}={value!r}{does}",
    "bounds": lambda name: f'least and greatest, such as bounds={{"{name}": (0, 1)}}',
    "choose_variable": lambda name: f'name one: wrt="{name}"',
    "column_or_start": lambda columns, name: (
        f"its columns are: {columns}; if {name} is a parameter, give it a start"
    ),
    "column_or_value": lambda columns, name: (
        f"its columns are: {columns}; map {name} to one of them, or give it a value"
    ),
    "column_taken": lambda: (
        "prefix= puts something before the names of the new columns"
    ),
    "compare_or_give": lambda: (
        "write == to compare; values are given beside the expression"
    ),
    "fewer_points": lambda: "take fewer steps",
    "fix": lambda name, value: f'fixed={{"{name}": {value:g}}}',
    "give_start": lambda name: f'give it a start: {{"{name}": 1}}',
    "give_value": lambda names, product=None: (
        f"add {', '.join(f'{n}=...' for n in names)} to the point"
        + (f"; or did you mean {product}?" if product else "")
    ),
    "gradient_at_point": lambda: _INSTEAD_OF_A_FORMULA,
    "instead": lambda text, command=None, others=(): (
        f"did you mean {', or '.join((text or command, *others))}?"
    ),
    "one_process": lambda: "try again with jobs=1",
    "one_source": lambda name: (
        f"leave out one of them; the mapping of {name} may differ"
    ),
    "order_at_point": lambda: "derivatives() gives its value at a point",
    "product_or_gradient": lambda: (
        f"write * for a product; of arrays, {_INSTEAD_OF_A_FORMULA}"
    ),
    "product_then_variable": lambda product: (
        f'did you mean {product}? Then name the variable: wrt="x"'
    ),
    "other_start": lambda: "another start, or bounds",
    "own_command": lambda name: f"{name} has a function of its own",
    "reverse_mode": lambda: "evaluate(), or minimize()",
    "smaller_steps": lambda: "a smaller rate, another start, or bounds",
    "subgradient": lambda: "subgradient=True takes PyTorch's convention",
    "text_instead": lambda: "str() gives it as text",
    "uncertain": lambda: "uncertainty() takes uncertain quantities",
    "value_beside": lambda: "values are given beside the expression",
}


BIDIRECTIONAL = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
CONTROLS = (*range(0x20), *range(0x7F, 0xA0), *BIDIRECTIONAL, 0x2028, 0x2029)
"""What a terminal acts on, or what reorders the text around it (Unicode Annex 9)."""

SHOWN_AS = "\ufffd"


class ExprgradError(Exception):
    """A problem with the input, reported once.

    `source` is the text that `span` points into, when there is one; `origin` names that text
    (an option, a file) when it is not the expression itself. `hint` is what would help.
    """

    exit_code = USAGE

    def __init__(
        self,
        message: str,
        span: Span | None = None,
        hint: str | None = None,
        *,
        source: str | None = None,
        origin: str | None = None,
    ) -> None:
        if not message.isprintable():
            # it quotes what was typed, and a terminal would act on an escape sequence in it
            shown = dict.fromkeys(CONTROLS, SHOWN_AS) | {0x0A: "\n"}
            message = message.translate(shown)
        super().__init__(message)
        self.message = message
        self.span, self.hint = span, hint
        self.source, self.origin = source, origin


class InternalError(ExprgradError):
    """A defect of the program itself, in the words of a diagnostic; the exception is its cause."""

    exit_code = FAILED

    def __init__(self, cause: Exception) -> None:
        kind, what = type(cause).__name__, str(cause).partition("\n")[0]
        super().__init__(
            f"this should not happen: {kind}{': ' if what else ''}{what}",
            None,
            "nothing else is lost; please report it, with what you typed",
        )
        self.__cause__ = cause


class about:  # noqa: N801 # reads as a word of a `with` statement
    """The source text that errors raised inside of a `with` block are about."""

    __slots__ = ("source",)

    def __init__(self, source: str | None) -> None:
        self.source = source

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, ExprgradError):
            error.source = self.source


class ExpressionSyntaxError(ExprgradError):
    """The text is not an expression of the language."""


class BindingError(ExprgradError):
    """A variable lacks a value, or a value is given that cannot be used."""


class UsageError(ExprgradError):
    """An option or an argument of a call does not fit the expression."""


class needing:  # noqa: N801 # the same
    """In a `with` block of imports: one that fails is a `UsageError` that says how to install the extra."""

    __slots__ = ("extra", "message", "otherwise")

    def __init__(self, message: str, extra: str, otherwise: str = "") -> None:
        self.message, self.extra, self.otherwise = message, extra, otherwise

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, ImportError):
            # only now: to find out how it was installed takes a look at the file system
            hint = f"{installing(self.extra)}{self.otherwise}"
            raise UsageError(self.message, hint=hint) from None

    def __enter__(self) -> None:
        pass


class ArgumentError(UsageError, TypeError):
    """A call has other arguments than it takes: too many, or of a type that it cannot compute with."""


class NumberError(UsageError, ValueError):
    """Data is not a number that a double can hold: infinite, or not a number at all."""


class DomainError(ExprgradError, ArithmeticError):
    """An operation is not defined over the reals at the value of its argument."""

    exit_code = UNDEFINED


class RangeError(DomainError):
    """A result is too large for double precision."""


class NotDifferentiableError(DomainError):
    """A partial derivative does not exist at the point."""


class UndecidedError(ExprgradError, ArithmeticError):
    """The answer hangs on something that is closer to a tie than any precision that was tried can see."""

    exit_code = UNDEFINED


class ChangedDataError(ExprgradError):
    """A leaf has other data than when the graph above it was computed."""
