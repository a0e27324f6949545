"""Quantities that are known to within an uncertainty, as people write them.

    quantity("4.999±0.0032")                 # ± is a standard uncertainty
    quantity("4.999±0.0064(k=2)(df=4)")      # an expanded one over its coverage factor; degrees of freedom
    quantity("1.23(4)"), quantity("10±2%")   # in units of the last digit; relative to the value
    quantity("10~uniform(0.5)")              # within 0.5 of 10: u = 0.5/sqrt(3)
    quantity(("4.999", "0.0032", 4))         # value, standard uncertainty, degrees of freedom

Numbers are those that are written: a typed 0.1 is 1/10, and a float the number that it stores. The
variances of the distributions are those of JCGM 101:2008, table 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from exprgrad.annotations import TYPE_CHECKING, Any, NamedTuple, cast
from exprgrad.errors import BindingError, ExprgradError, Span, UsageError
from exprgrad.expressions.expression import parse
from exprgrad.graph.value import Value
from exprgrad.language import inputs
from exprgrad.language.brackets import outside, parted
from exprgrad.lazy import pattern
from exprgrad.numbers.real import is_definite
from exprgrad.operations.vocabulary import did_you_mean
from exprgrad.sweeps.coordinates import Coordinate

if TYPE_CHECKING:
    from decimal import Decimal

NORMAL, STUDENT, UNIFORM, TRIANGULAR, ARCSINE = (
    "normal", "t", "uniform", "triangular", "arcsine",
)  # fmt: skip

SQUARES = {UNIFORM: 3, TRIANGULAR: 6, ARCSINE: 2}
"""What the square of a half-width is divided by for the variance."""

KURTOSIS = {UNIFORM: Fraction(9, 5), TRIANGULAR: Fraction(12, 5), ARCSINE: Fraction(3, 2)}  # fmt: skip
"""The fourth central moment over the squared variance; 3 for a normal distribution."""

_OTHER_NAMES = {
    "rectangular": UNIFORM, "rect": UNIFORM, "triangle": TRIANGULAR, "ushaped": ARCSINE, "u": ARCSINE,
    "gaussian": NORMAL, "gauss": NORMAL, "student": STUDENT, "studentt": STUDENT,
}  # fmt: skip

_OPTION = r"(?:k|df|dof|ν|nu)\s*=[^(),]*"
_OPTIONS = pattern(rf"\(\s*({_OPTION}(?:,\s*{_OPTION})*)\)")
_SHAPE = pattern(r"\s*([^\W\d]+(?:[-_ ][^\W\d]+)*)\s*(?:\(([^()]*)\))?\s*")
_NO_JOINTS = str.maketrans("", "", "-_ ")
_SIGN = pattern(r"±|\+\s?/?\s?[-−]")
_EXPONENT = r"([eE][-+]?\d{1,4})"
_DEGREES = r"\s*(?:°|deg(?:rees?)?)\s*$"
_TEN = r"\s*[*×·⋅]\s*10(?:(?:\^|\*\*)\(?[-+−]?\d{1,3}\)?|[⁺⁻]?[⁰¹²³⁴-⁹]{1,3})"
_UNIT = rf"({_EXPONENT}|{_TEN}|{_DEGREES})"
_CONCISE = pattern(rf"\s*([-+−]?(?:\d+\.?\d*|\.\d+))\((\d+\.?\d*|\.\d+)\){_UNIT}?\s*")
_LATE = pattern(rf"\s*([-+−]?[\d.]+){_EXPONENT}\(([\d.]+)\)\s*")
_SCALED = pattern(rf"\s*\(([^()]*)\){_UNIT}?\s*")
_IN_DEGREES = pattern(_DEGREES)

Correlations = Mapping[tuple[str, str], Fraction]
"""Correlations by pairs of names; those that are 0 may be left out."""

HIGHEST = 400
"""The largest power of ten in a number, either way."""


class Quantity(NamedTuple):
    """A quantity: its value as the number that is meant, and what is known of its error.

    `variance` is that of the error, u². `ensemble` names the readings that it was estimated from together
    with others; then `degrees_of_freedom` are those of all of them.
    """

    value: Coordinate
    variance: Fraction
    degrees_of_freedom: float = math.inf
    distribution: str = NORMAL
    ensemble: str = ""

    @property
    def standard_uncertainty(self) -> float:
        """u, the standard deviation; infinite beyond the range of doubles, and 0 below it."""
        return float(root(self.variance))

    @property
    def half_width(self) -> float:
        """Half the width of a distribution that has bounds."""
        return float(root(self.variance * SQUARES[self.distribution]))


def root(square: Fraction) -> Decimal:
    """A square root to 40 digits; it, and the square, may be beyond the range of doubles."""
    from decimal import Context, Decimal

    wide = Context(prec=40, Emax=9999, Emin=-9999)
    quotient = wide.divide(Decimal(square.numerator), Decimal(square.denominator))
    return wide.sqrt(quotient)


def quantity(thing: Any, name: str = "the quantity") -> Quantity:
    """Return what a text, or a tuple of value, standard uncertainty and degrees of freedom, says.

    Raises `BindingError`, of a text with its place.
    """
    if isinstance(thing, Quantity):
        return thing
    if isinstance(thing, str):
        return _Text(thing, name).read()
    if isinstance(thing, tuple | list) and len(thing) in (2, 3):
        value, spread, *df = thing
        number = _uncertainty(spread, value, name)
        degrees = _degrees(df[0], name) if df and df[0] is not None else math.inf
        shape = NORMAL if degrees == math.inf else STUDENT
        return Quantity(_value(value, name), _square(number, name), degrees, shape)
    if isinstance(thing, tuple | list | dict | set | bytes) or thing is None:
        raise BindingError(
            f"{name} is a value with its uncertainty, not {type(thing).__name__}",
            hint='such as ("10", "0.2"), ("10", "0.2", 4) or "10±0.2"',
        )
    raise no_uncertainty(name, str(thing)[:30])


def no_uncertainty(name: str, value: str) -> BindingError:
    """The error for a value without an uncertainty."""
    value = " ".join(value.split())
    hint = f"{name}={value}±0.1, or {name}={value}±0 for an exact number"
    return BindingError(f"{name} has no uncertainty", hint=hint)


def exactly(thing: Any, what: str) -> Fraction:
    """A number, or the text of one, as a fraction; of a text such as pi/3 the nearest double."""
    if isinstance(thing, str):
        if (found := _decimal(thing)) is not None:
            return found
        thing = constant(thing, what)
    elif isinstance(thing, bytes) or hasattr(thing, "__len__"):
        raise BindingError(f"{what} is not a number")
    try:
        number = Coordinate.of(thing)
        near = cast("float", number.double)
        return Fraction(*number.ratio) if number.ratio else Fraction(near)
    except (OverflowError, TypeError, ValueError):
        what = f"{what} is not a finite number"
        raise BindingError(what, hint="give a number") from None


def constant(text: str, what: str) -> Coordinate:
    """A number that is typed as an expression, such as pi/4."""
    try:
        read = parse(text)
    except ExprgradError as error:
        raise BindingError(
            f"{what} is not a number: {error.message}", error.span, error.hint
        ) from None
    if read.variables:
        what = f"{what} is not a number: {' '.join(text.split())[:30]}"
        raise BindingError(what, hint=f"replace {read.variables[0]} by its value")
    read.refuse_arrays({})
    read.evaluate({}, ())  # raises where it has no value
    return Coordinate.of(read.root)


def _decimal(text: str) -> Fraction | None:
    """A decimal as the fraction that it is; None for another text."""
    from decimal import Decimal, InvalidOperation

    plain = text.strip().replace("−", "-")
    if "_" in plain:
        return None
    try:
        number = Decimal(plain)
    except InvalidOperation:
        return None
    if not number.is_finite():
        raise BindingError(f"{plain} is not a finite number", hint="give a number")
    # As a fraction, 1e999999 is an integer of a million digits.
    if number and abs(number.adjusted()) > HIGHEST:
        raise BindingError(f"{plain[:30]} is beyond the range of double precision")
    return Fraction(number)


def _value(thing: Any, name: str) -> Coordinate:
    """A best estimate as the number that is meant."""
    if isinstance(thing, Coordinate | Value):
        return Coordinate.of(thing)
    if isinstance(thing, str) and _decimal(thing) is None:
        return constant(thing, f"the value of {name}")
    number = exactly(thing, f"the value of {name}")
    return Coordinate.of(number.as_integer_ratio())


def _square(spread: Fraction, name: str) -> Fraction:
    if spread < 0:
        what = f"the uncertainty of {name} is negative"
        raise BindingError(what, hint="it is 0 or more")
    return spread * spread


def _degrees(thing: Any, name: str) -> float:
    """Degrees of freedom, more than 0; infinity for an uncertainty that is known."""
    if isinstance(thing, str) and thing.strip().lower() in ("inf", "infinity", "∞"):
        return math.inf
    if isinstance(thing, float) and thing == math.inf:
        return thing
    number = exactly(thing, f"the degrees of freedom of {name}")
    if number <= 0:
        hint = "n - 1 for the mean of n readings"
        raise BindingError(f"{name} needs more than 0 degrees of freedom", hint=hint)
    # `coverage_factor` takes the normal distribution from 1e12 on.
    return float(number) if number < 10**15 else math.inf


def _uncertainty(given: Any, value: Any, name: str) -> Fraction:
    """An uncertainty: a number, or a percentage of the value."""
    what = f"the uncertainty of {name}"
    if not (isinstance(given, str) and given.strip().endswith("%")):
        return exactly(given, what)
    share = exactly(given.strip()[:-1], what) / 100
    size = abs(exactly(value, f"the value of {name}"))
    if not size:
        what = f"{name} is 0, and a percentage of 0 is no uncertainty"
        raise BindingError(what, hint=f"give a number: {name}=0±0.1")
    return share * size


class _Text:
    """The scanner of one quantity. Its errors have places in the text."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.factor: Fraction | None = None
        self.degrees = math.inf

    def read(self) -> Quantity:
        """The quantity; errors without a place of their own get that of all of it."""
        try:
            return self._quantity()
        except ExprgradError as error:
            lead = len(self.text) - len(self.text.lstrip())
            error.span = (lead, max(lead + 1, len(self.text.rstrip())))
            error.source = self.text
            raise

    def _quantity(self) -> Quantity:
        body = _OPTIONS.sub(self._take, self.text)
        tilde = next(outside(body, "~"), None)
        shape, width = (None, None) if tilde is None else self._shape(body[tilde + 1 :])
        left = body if tilde is None else body[:tilde]
        value, spread = self._parts(left)
        if not value.strip():
            raise self._error("has no value", "10±0.2")
        if width is not None and (spread is not None or self.factor is not None):
            what = f"{self.name} has two uncertainties"
            raise BindingError(what, hint="leave out one of them")
        if width is None and spread is None:
            if shape is None:
                raise no_uncertainty(self.name, value)
            example = f"{value.strip()}±0.2~{shape}"
            raise self._error("has a distribution without a width", example)
        size = spread if width is None else width
        square = _square(size or Fraction(0), self.name) / (self.factor or 1) ** 2
        if width is not None and shape in SQUARES:
            square /= SQUARES[shape]
        if shape in (None, STUDENT):
            shape = NORMAL if self.degrees == math.inf else STUDENT
        return Quantity(_value(value, self.name), square, self.degrees, shape)

    def _error(self, what: str, example: str) -> BindingError:
        return BindingError(f"{self.name} {what}", hint=f"{self.name}={example}")

    def _take(self, found: Any) -> str:
        """Take (k=2) or (df=4) out of the text, leaving blanks."""
        for option in found[1].split(","):
            name, _, text = (part.strip() for part in option.partition("="))
            if name == "k":
                what = f"the coverage factor of {self.name}"
                self.factor = exactly(text, what)
                if self.factor <= 0:
                    hint = "±0.4(k=2) is a standard uncertainty of 0.2"
                    raise BindingError(f"{what} is more than 0", hint=hint)
            else:
                self.degrees = _degrees(text, self.name)
        # Blanks keep the places of the rest.
        return " " * len(found[0])

    def _shape(self, text: str) -> tuple[str, Fraction | None]:
        """A distribution, and its half-width if it has one in brackets."""
        found = _SHAPE.fullmatch(text)
        if found is None:
            what = f"expected a distribution behind ~, not {text.strip()[:30]!r}"
            raise BindingError(what, hint=f"{self.name}=10~uniform(0.5)")
        name = found[1].lower().translate(_NO_JOINTS)
        known = {n: n for n in (NORMAL, STUDENT, *SQUARES)} | _OTHER_NAMES
        if name not in known:
            every = "one of: normal, t, uniform, triangular, arcsine"
            hint = did_you_mean(name, known, every)
            raise BindingError(f"there is no distribution {found[1]}", hint=hint)
        shape, argument = known[name], found[2]
        if argument is None:
            return shape, None
        if shape == STUDENT:
            self.degrees = _degrees(argument, self.name)
            return shape, None
        return shape, exactly(argument, f"the half-width of {self.name}")

    def _parts(self, text: str) -> tuple[str, Fraction | None]:
        """The value and its uncertainty: a±u, a±p%, (a±u)e-5, or a(u) in units of its last digit; each may be in degrees."""
        scaled = _SCALED.fullmatch(text)
        if scaled is not None:
            value, spread = self._parts(scaled[1])
            if spread is not None:
                # As a product, for the value may be an expression: (pi/3±0.1)e-2.
                unit = f"1{scaled[2] or ''}"
                return f"({value.strip()})*{unit}", spread * exactly(unit, self.name)
        sign = _SIGN.search(text)
        if sign is not None:
            value, given = text[: sign.start()], text[sign.end() :]
            if not given.strip():
                raise self._error(f"has no number behind {sign[0]}", "10±0.2")
            sign, own = _IN_DEGREES.search(given), _IN_DEGREES.search(value)
            if own and not sign and "%" not in given:
                what = "is in degrees, and its uncertainty is not"
                raise self._error(what, f"{text.strip()}°")
            if sign and not own and value.strip():
                value = f"({value.strip()})*1{sign[0]}"  # 30±0.5° is (30±0.5)°
            return value, _uncertainty(given, value, self.name)
        short = _CONCISE.fullmatch(text)
        if short is None:
            late = _LATE.fullmatch(text)
            if late is not None:
                number, exponent, digits = late.groups()
                example = f"{number}({digits}){exponent}"
                raise self._error("has its exponent before the uncertainty", example)
            return text, None
        number, digits, exponent = short[1], short[2], short[3] or ""
        # 1.23(4) means 0.04, in units of the last digit, and 1.23(0.04) says it in full.
        places = len(number.partition(".")[2]) if "." not in digits else 0
        return f"{number}{exponent}", exactly(digits + exponent, self.name) / 10**places


class Entry(NamedTuple):
    """`name=text` in a list, with the places of both in it."""

    name: str
    text: str
    span: Span
    start: int


def entries(text: str) -> Iterator[Entry]:
    """The parts of a list such as `V=4.999±0.0032, I=0.0197±5%`. Raises `BindingError`."""
    for start, end in parted(text):
        part = text[start:end]
        if not part.strip():
            if end == len(text) and start:
                return  # a comma at the end
            what = "expected a quantity, such as x=10±0.2"
            raise BindingError(what, (start, end or 1), source=text)
        name, equals, own = part.partition("=")
        lead = start + len(name) - len(name.lstrip())
        span = (lead, start + max(len(name.rstrip()), lead - start + 1))
        known = inputs.normal(name.strip())
        if not equals or not known.isidentifier():
            what = "expected a name and a quantity, such as x=10±0.2"
            raise BindingError(what, (lead, start + len(part.rstrip())), source=text)
        yield Entry(known, own, span, start + len(name) + 1)


def placed(entry: Entry, source: str) -> Quantity:
    """The quantity of an entry, whose errors have their places in the whole list."""
    try:
        return quantity(entry.text, entry.name)
    except ExprgradError as error:
        start, end = error.span or (0, len(entry.text))
        error.span = (start + entry.start, end + entry.start)
        error.source = source
        raise


def correlations_of(
    given: Any, names: Sequence[str]
) -> dict[tuple[str, str], Fraction]:
    """Correlation coefficients by pairs of names, in their order; those that are 0 left out.

    They are given by pairs, {("V", "I"): -0.36}, by rows, {"V": {"I": -0.36}}, or as a matrix in the order of
    the names. Raises `UsageError` for what no quantities can have.
    """
    found: dict[tuple[str, str], Fraction] = {}
    for a, b, thing in _coefficients(given, names):
        what = f"the correlation of {a} and {b}"
        for name in (a, b):
            if name not in names:
                raise UsageError(
                    f"{what} is given, but there is no quantity {name}",
                    hint=did_you_mean(name, names, f"one of: {', '.join(names)}"),
                )
        r = exactly(thing, what)
        if abs(r) > 1 + ROUNDED:
            raise UsageError(f"{what} is {_short(r)}", hint="from -1 to 1")
        if a == b:
            if abs(r - 1) > ROUNDED:
                raise UsageError(f"the correlation of {a} with itself is 1")
            continue
        key = (a, b) if names.index(a) < names.index(b) else (b, a)
        # A matrix that was computed in doubles may have 1 + 2e-16.
        r = max(Fraction(-1), min(Fraction(1), r))
        if abs(found.get(key, r) - r) > ROUNDED:
            raise UsageError(f"{what} is given twice", hint="give one number")
        found[key] = r
    own = [name for name in names if any(name in pair for pair in found)]
    # With 0.9, 0.9 and -0.9, each of which is possible, x - y - z would have the variance 3u² - 5.4u².
    if not is_definite(correlation_matrix(found, own), -SLACK):
        raise UsageError(
            f"the correlations of {', '.join(own)} contradict one another",
            hint="no quantities have them: their matrix is not positive semidefinite",
        )
    return {pair: r for pair, r in found.items() if r}


def _short(number: Fraction) -> str:
    """A number in a message."""
    return f"{float(number):g}" if abs(number) < 10**15 else "far too large"


def _coefficients(given: Any, names: Sequence[str]) -> Iterator[tuple[str, str, Any]]:
    """Every coefficient with its names."""
    if isinstance(given, Mapping):
        for key, thing in given.items():
            if isinstance(thing, Mapping):
                yield from ((key, other, r) for other, r in thing.items())
                continue
            pair = key.split(",") if isinstance(key, str) else key
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise _no_matrix(names)
            a, b = (str(name).strip() for name in pair)
            yield a, b, thing
        return
    if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
        raise _no_matrix(names)
    rows = [list(row) if hasattr(row, "__len__") else [] for row in given]
    if any(len(row) != len(names) for row in rows) or len(rows) != len(names):
        raise _no_matrix(names)
    for a, row in zip(names, rows, strict=True):
        for b, thing in zip(names, row, strict=True):
            if hasattr(thing, "__len__") and not isinstance(thing, str):
                raise _no_matrix(names)
            yield a, b, thing


def _no_matrix(names: Sequence[str]) -> UsageError:
    n = len(names)
    what = f"correlations are pairs of names, or a matrix of {n} rows and columns"
    return UsageError(what, hint=f"the order is {', '.join(names)}" if n else None)


ROUNDED = Fraction(1, 10**12)
"""The most by which a matrix that was computed in doubles may be asymmetric, and its coefficients beyond 1."""

SLACK = 1e-9
"""The most by which the least eigenvalue of a correlation matrix may be below 0: coefficients are rounded."""


def coefficient(correlations: Correlations, a: str, b: str) -> Fraction:
    """The correlation of two inputs, in either order; 0 where none is given."""
    # A coefficient that is given as 0 is passed over, and comes out as 0.
    return correlations.get((a, b)) or correlations.get((b, a)) or Fraction(a == b)


def correlation_matrix(
    correlations: Correlations, names: Sequence[str]
) -> list[list[float]]:
    """The correlations of these in doubles."""
    return [[float(coefficient(correlations, a, b)) for b in names] for a in names]
