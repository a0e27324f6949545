"""Inputs of an uncertainty budget from text and files.

    Given(["V=4.999±0.0032, I=@readings.csv:I"])        # texts, as they are typed
    Given([], "budget.toml")                            # a whole budget from CSV or TOML
    related(["V,I=-0.36", "@correlations.csv"], names)  # correlations, one by one or as a matrix

The n readings in a column stand for their mean, with s/sqrt(n) and n - 1 degrees of freedom (JCGM
100:2008, 4.2); columns of one file are correlated as their readings are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import chain, product
from pathlib import Path

from exprgrad.annotations import Any
from exprgrad.data import files
from exprgrad.data.bindings import refuse_name
from exprgrad.data.formats import finite
from exprgrad.data.tables import columns_of, matrix, opened, rows_of
from exprgrad.errors import BindingError, ExprgradError, UsageError
from exprgrad.expressions.quantities import (
    STUDENT,
    Entry,
    Quantity,
    entries,
    exactly,
    placed,
    quantity,
    root,
)
from exprgrad.language.brackets import parted
from exprgrad.language.points import no_column
from exprgrad.sweeps.coordinates import Coordinate

HEADERS = {
    "name": ("name", "quantity", "input", "symbol", "variable"),
    "value": ("value", "estimate", "mean", "best estimate"),
    "u": ("u", "uncertainty", "standard uncertainty", "std", "u(x)", "±"),
    "df": ("df", "dof", "ν", "nu", "degrees of freedom"),
    "k": ("k", "coverage factor"),
    "distribution": ("distribution", "dist", "shape"),
    "half_width": ("half width", "a", "limit", "bound"),
}
"""What the columns of a budget in a file may be called."""

EXAMPLE = "name,value,u,df"


class Given:
    """Quantities by name, in the order in which they were given, and what goes with them.

    `correlations` are those of readings in one file, and `remarks` say how the texts were understood. A budget in TOML may
    bring the `results`, by name, and correlations of its own, `stated`.
    """

    def __init__(self, texts: Iterable[str], budget: str | None = None, origin: str | None = None) -> None:  # fmt: skip
        self.quantities: dict[str, Quantity] = {}
        self.correlations: dict[tuple[str, str], Fraction] = {}
        self.stated: dict[Any, Any] = {}
        self.results: dict[str, str] = {}
        self._columns: dict[str, dict[str, str]] = {}
        self._readings: dict[str, Mapping[str, list[float]]] = {}
        self._seen: list[str] = []
        if budget is not None:
            self._load(budget)
        for text in texts:
            try:
                self._read(text)
            except ExprgradError as error:
                error.source = error.source or text
                error.origin = error.origin or origin
                raise
        for path, own in self._columns.items():
            self.correlations |= _among(self._readings[path], own)

    @property
    def remarks(self) -> list[str]:
        """Return how the quantities were read."""
        text = " ".join(self._seen)
        found = []
        if re.search(r"±|\+\s?/?\s?[-−]", text):
            expanded = re.search(r"\(\s*k\s*=", text)
            more = "; ±U(k=2) is divided by k" if expanded else ""
            found.append(f"± is a standard uncertainty{more}")
        if re.search(r"\d\(\d+\.?\d*\)", text):
            found.append("1.23(4) is 1.23 ± 0.04")
        # a standard deviation, or degrees of freedom, stand behind the others
        if re.search(r"(?i)~\s*(?!normal|gauss|t\b|student)[^,]*\(", text):
            found.append("~uniform(a) and the like lie within ±a")
        for path, own in self._columns.items():
            n = len(next(iter(self._readings[path].values())))
            found.append(
                f"{', '.join(own)} from {path}: the mean of {n} readings, u = s/sqrt(n), {n - 1} degrees of freedom"
            )
        return found

    def _read(self, text: str) -> None:
        for entry in entries(text):
            refuse_name(entry.name, entry.span, self.quantities)
            if entry.text.strip().startswith("@"):
                self.quantities[entry.name] = self._measured(entry)
            else:
                self._seen.append(entry.text)
                self.quantities[entry.name] = placed(entry, text)

    def _measured(self, entry: Entry) -> Quantity:
        """The mean of the readings in a column, `@file:column`."""
        place = entry.text.strip()[1:]
        # The last colon: a path may have one of its own, as in C:\data.csv:V.
        path, colon, column = place.rpartition(":")
        path, column = (path.strip(), column.strip()) if colon else (place, "")
        if path not in self._readings:
            with opened(path) as source:
                self._readings[path] = columns_of(source)
        readings = self._readings[path]
        if not colon and len(readings) == 1:
            column = next(iter(readings))
        if column not in readings:
            raise no_column(column or entry.name, list(readings))
        self._columns.setdefault(path, {})[entry.name] = column
        return _mean(readings[column], column, path)

    def _load(self, path: str) -> None:
        """A whole budget."""
        rows = _from_toml(path, self) if path.lower().endswith(".toml") else _rows(path)
        for where, name, fields in rows:
            if name in self.quantities:
                raise BindingError(f"{where}: {name} is given twice")
            text = fields if isinstance(fields, str) else _written(fields, where, name)
            self._seen.append(text)
            try:
                self.quantities[name] = quantity(text, name)
            except ExprgradError as error:
                error.message = f"{where}: {error.message}"
                error.span = error.source = None
                raise


def _written(fields: Mapping[str, str], where: str, name: str) -> str:
    """The fields of a row of a budget as the text of a quantity."""
    value, u, half = (
        fields.get(key, "").strip() for key in ("value", "u", "half_width")
    )
    shape = fields.get("distribution", "").strip()
    if not value:
        raise BindingError(f"{where}: {name} has no value", hint=EXAMPLE)
    if u and half:
        raise BindingError(f"{where}: {name} has two uncertainties")
    text = value + (f"±{u.removeprefix('±')}" if u else "")
    if half:
        text += f"~{shape or 'uniform'}({half})"
    elif shape:
        text += f"~{shape}"
    for key in ("k", "df"):
        own = fields.get(key, "").strip()
        text += f"({key}={own})" if own else ""
    return text


def _rows(path: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """The rows of a budget in a table."""
    with opened(path) as source:
        columns = source.format.names
        plain = [" ".join(c.replace("_", " ").lower().split()) for c in columns]
        places = {
            key: next((plain.index(own) for own in known if own in plain), None)
            for key, known in HEADERS.items()
        }
        if places["name"] is None or places["value"] is None:
            what = f"{path} has no columns for the names and values of a budget"
            raise UsageError(what, hint=f"its first line is such as {EXAMPLE}")
        wanted = {key: place for key, place in places.items() if place is not None}
        for row, own in rows_of(source, [*wanted.values()]):
            fields = dict(zip(wanted, _texts(own), strict=True))
            name = fields.pop("name").strip()
            if name or any(fields.values()):
                if not name.isidentifier():
                    raise BindingError(
                        f"{path}, row {row}: {name[:30]!r} is not a name"
                    )
                yield f"{path}, row {row}", name, fields


def _texts(cells: Iterable[Any]) -> list[str]:
    """Cells as text; those that lack are empty."""
    return ["" if cell is None else str(cell) for cell in cells]


def _from_toml(path: str, given: Given) -> Iterator[tuple[str, str, Any]]:
    """The quantities of a budget in TOML; its results and correlations go into `given`."""
    import tomllib

    try:
        # Numbers stay texts: 0.1 is the decimal that was typed, not the double next to it.
        found = tomllib.loads(files.read(Path(path)), parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}") from None
    except ValueError:  # Python reads no whole number of more than 4300 digits
        raise UsageError(f"{path} has a number of too many digits") from None
    except RecursionError:
        raise UsageError(f"{path} is nested too deeply") from None
    for key in found:
        if key not in ("quantities", "correlations", "results"):
            what = f"{path} has a part {key!r}, which budgets lack"
            raise UsageError(what, hint="[results], [quantities] and [correlations]")
    tables = [found.get(key, {}) for key in ("quantities", "correlations", "results")]
    if not all(isinstance(table, dict) for table in tables) or not tables[0]:
        raise UsageError(f"{path} has no [quantities]", hint='V = "4.999±0.0032"')
    rows, given.stated, results = tables
    given.stated = given.stated.get("matrix", given.stated)
    given.results = {name: str(text) for name, text in results.items()}
    for name, row in rows.items():
        if isinstance(row, dict):
            unknown = next((k for k in row if k not in HEADERS or k == "name"), None)
            if unknown is not None:
                hint = "value, u, df, k, distribution or half_width"
                raise UsageError(f"{path}: {name} has a field {unknown!r}", hint=hint)
            row = {key: str(own) for key, own in row.items()}
        elif not isinstance(row, str):
            row = str(row)
        yield path, name, row


def _mean(readings: Sequence[float], column: str, path: str) -> Quantity:
    """The mean of readings, with the standard uncertainty of a mean."""
    n = len(readings)
    if n < 2:
        what = f"column {column!r} of {path} has {n} reading{'s' * (n != 1)}"
        raise BindingError(what, hint="a standard deviation needs at least two")
    # In integers: in doubles, n Σx² - (Σx)² is 0 for the readings 1e9 + 1, 1e9 + 2 and 1e9 + 4, and even negative for
    # others.
    scaled, unit = _scaled(readings)
    total, squares = sum(scaled), sum(x * x for x in scaled)
    variance = Fraction(n * squares - total * total, n * n * (n - 1)) * unit * unit
    mean = Fraction(total, n) * unit
    return Quantity(
        Coordinate.of(mean.as_integer_ratio()), variance, float(n - 1), STUDENT, path
    )


def _scaled(readings: Sequence[float]) -> tuple[list[int], Fraction]:
    """Readings as integers, and the power of ten that they are multiples of: sums of these are exact."""
    own = [Decimal(repr(x)) for x in readings]
    least = min((int(x.as_tuple().exponent) for x in own), default=0)
    # Doubles reach from 5e-324 to 1.8e308: an integer has 633 digits at most.
    exact = Context(prec=800)
    return [int(x.scaleb(-least, exact)) for x in own], Fraction(10) ** least


def _among(
    readings: Mapping[str, list[float]], columns: Mapping[str, str]
) -> dict[tuple[str, str], Fraction]:
    """The correlations of quantities whose readings stand in the rows of one file."""
    found = {}
    names = list(columns)
    scaled = {name: _scaled(readings[columns[name]])[0] for name in names}
    for j, b in enumerate(names):
        for a in names[:j]:
            x, y = scaled[a], scaled[b]
            n = len(x)
            both = n * sum(p * q for p, q in zip(x, y, strict=True)) - sum(x) * sum(y)
            sizes = math.prod(n * sum(p * p for p in z) - sum(z) ** 2 for z in (x, y))
            # By the inequality of Cauchy and Schwarz both² <= sizes, so that sizes are not 0 here.
            if both:
                r = Fraction(root(Fraction(both * both, sizes)))
                # Rounding may have left r above 1.
                found[a, b] = min(r, Fraction(1)) * (1 if both > 0 else -1)
    return found


def related(texts: Iterable[str], names: Sequence[str]) -> dict[Any, Any]:
    """Correlations from texts.

    A text is `V,I=-0.36`, several of these separated by semicolons, `[[1, -0.36], [-0.36, 1]]` in the order of
    the names, or `@file` with such a matrix, below its names or without them. Raises `UsageError`.
    """
    given: list[tuple[Any, Any]] = []
    for text in texts:
        plain = text.strip()
        if plain.startswith("["):
            given += _by_pairs(names, _literal(plain)).items()
        elif plain.startswith("@"):
            given += _by_pairs(*_matrix_in(plain[1:].strip(), names)).items()
        else:
            parts = (plain[start:end] for start, end in parted(plain, ";"))
            given += map(_pair, filter(str.strip, parts))
    found = dict(given)
    for pair, r in given:
        what = "the correlation of {} and {}".format(*pair)
        if r != found[pair] and exactly(r, what) != exactly(found[pair], what):
            raise UsageError(f"{what} is given twice", hint="give one number")
    return found


def _pair(text: str) -> tuple[tuple[str, str], str]:
    left, equals, r = text.partition("=")
    pair = [name.strip() for name in left.split(",")]
    # Commas alone, V,I=0.5,V,φ=0.8, do not tell where a name ends: the hint puts semicolons where they belong.
    apart = re.sub(r",(?=[^,=]+,[^,=]+=)", "; ", text)
    if not equals or len(pair) != 2 or not all(pair) or not r.strip() or "=" in r:
        example = apart if "=" in r else "V,I=-0.36; V,φ=0.86"
        what = f"a correlation is written a,b=0.5, not {text.strip()[:40]!r}"
        raise UsageError(what, hint=f"several are separated by semicolons: {example}")
    return (pair[0], pair[1]), r.strip()


def _literal(text: str) -> list[list[str]]:
    """The rows of [[1, 0.5], [0.5, 1]]."""
    rows = re.findall(r"\[([^\[\]]*)\]", text)
    rest = re.sub(r"\[[^\[\]]*\]", "", text.removeprefix("[").removesuffix("]"))
    if not rows or rest.replace(",", "").strip():
        raise UsageError("correlations are not a matrix", hint="[[1, 0.5], [0.5, 1]]")
    return [[cell.strip() for cell in row.split(",")] for row in rows]


def _by_pairs(
    names: Sequence[str], rows: Sequence[Sequence[Any]]
) -> dict[tuple[str, str], Any]:
    """A matrix by pairs; refused where it is none."""
    n = len(names)
    if len(rows) != n or any(len(row) != n for row in rows):
        what = f"correlations of {n} quantities are a matrix of {n} rows and columns"
        raise UsageError(what, hint=f"the order is {', '.join(names)}")
    return dict(zip(product(names, names), chain(*rows), strict=True))


def _matrix_in(
    path: str, names: Sequence[str]
) -> tuple[Sequence[str], list[list[str]]]:
    """The matrix in a file: below the names of its columns, or in the order of the quantities."""
    with opened(path) as source:
        heads = [name.strip() for name in source.format.names]
        named = any(finite(head) is None for head in heads)
        if named:
            # The first column may hold the names of the rows, below any heading.
            own = [i for i, head in enumerate(heads) if head in names]
            strange = [h for i, h in enumerate(heads) if i not in own and i]
            if strange:
                what = f"{path} has a column {strange[0]!r}, which is not a quantity"
                raise UsageError(what, hint=f"one of: {', '.join(names)}")
            texts = [_texts(row) for _, row in rows_of(source, own)]
            return [heads[i] for i in own], texts
    found = matrix(path)
    rows: list[Any] = found if found and isinstance(found[0], list) else [found]
    return names, [[repr(x) for x in row] for row in rows]
