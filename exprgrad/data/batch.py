"""An expression over the rows of a table: values and partial derivatives as further columns.

    with opened("points.csv") as source:
        wanted = plan(parse("a*b + v^2"), source.format.names, {"b": 2.0}, {"v": "speed"})
        for part in run(wanted, source):
            write(part.piece)

Rows come in chunks, so memory does not grow with the file. A row with a cell that is not a number, and one
at which a value or a derivative does not exist, get an entry in the column `error`; the others go on.

Columns `u_a` and `u_b` hold standard uncertainties of a and b; then a column `u` has that of the value,
sqrt((∂f/∂a u_a)² + (∂f/∂b u_b)²), as if the errors were independent.

Every number is good for the digits that are shown, ten if nothing is said. With NumPy rows are swept
together, with bounds (see `sweeps.arrays.rows`); those that this leaves in doubt go to `Expression.evaluate`.
With `native` they are one sweep in double precision by machine code, without bounds, as `Expression.compile`
gives it; rows at which that finds a fault or a corner go to `evaluate` as well.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Context, Decimal
from functools import partial

from exprgrad.annotations import Any, NamedTuple
from exprgrad.data.formats import Chunk, Column, Results, Table, TableFormat
from exprgrad.data.processes import in_order
from exprgrad.errors import BindingError, ExprgradError, Hint, RangeError, UsageError
from exprgrad.expressions.expression import Expression
from exprgrad.language import inputs
from exprgrad.language.points import no_column
from exprgrad.sweeps.bounds import DIGITS, NEAREST
from exprgrad.sweeps.careful import no_slope
from exprgrad.sweeps.coordinates import Coordinate

BLOCK = 32768
"""Rows that are swept together, so that what is computed stays in the cache."""

LEAST = 2.0**-1022
"""The least double that has all digits: an uncertainty below it is computed in decimals."""

FEW = 6
"""The digits of an uncertainty beyond the range of doubles."""


class Fault(NamedTuple):
    """A row that lacks results: its number, from 1, the column if one is to blame, and why."""

    row: int
    column: str | None
    error: ExprgradError

    @property
    def message(self) -> str:
        """The reason, with the column."""
        where = f"column {self.column}: " if self.column else ""
        return f"{where}{self.error.message}"


class Plan(NamedTuple):
    """The plan of a computation, and where its numbers come from: a column, or a constant.

    `names` are those of the new columns. With `trust`, the last of them has the digits that are known. `spread`
    has the columns of standard uncertainties, by variable; their variables are `swept` as well as those in `wrt`.
    `native` asks for machine code.
    """

    expression: Expression
    wrt: tuple[str, ...]
    columns: tuple[str | None, ...]
    constants: dict[str, Any]
    names: tuple[str, ...]
    digits: int | None
    trust: bool = False
    spread: Mapping[str, str] = {}
    native: bool = False
    double: bool = False

    @property
    def swept(self) -> tuple[str, ...]:
        """The variables whose partials are computed: those that are shown come first."""
        return tuple(dict.fromkeys((*self.wrt, *self.spread)))


class Part(NamedTuple):
    """A chunk with its results, as the format writes it; how many rows it has, and which have faults."""

    piece: Any
    rows: int
    faults: list[Fault]


def plan(
    expression: Expression,
    columns: Sequence[str],
    constants: Mapping[str, Any],
    mapping: Mapping[str, str],
    wrt: Iterable[str] | None = None,
    *,
    digits: int | None = None,
    prefix: str = "",
    trust: bool = False,
    native: bool = False,
    double: bool = False,
) -> Plan:
    """Return where each variable's numbers come from, and what the new columns are called.

    `constants` are numbers as `Expression.evaluate` takes them. `mapping` gives the columns of variables whose columns
    have other names. Without `wrt`, derivatives are with respect to all variables that come from columns. With `trust`,
    a column `digits` says how many digits of a row are right. Columns named `u_` and a variable or its column are its
    standard uncertainties. With `native`, rows are computed by machine code in double precision, of whose digits
    nothing is known; with `double`, by NumPy in the same way. Raises `BindingError` and, for arrays, and for `native`
    without Numba or with `trust`, `UsageError`.
    """
    if native and trust:
        raise UsageError("machine code does not tell how many digits are right")
    expression.refuse_arrays(constants)
    sources = _sources(expression, columns, constants, mapping)
    pairs = zip(expression.variables, sources, strict=True)
    varying = [name for name, source in pairs if source is not None]
    chosen = tuple(varying if wrt is None else dict.fromkeys(wrt))
    expression.refuse_unknown(*chosen)
    names = (f"{prefix}value", *(f"{prefix}d_{name}" for name in chosen))
    spread = _spread(expression, columns, sources)
    names += (f"{prefix}u",) if spread else ()
    names += (f"{prefix}digits",) if trust else ()
    taken = next((name for name in (*names, "error") if name in columns), None)
    if taken is not None:
        hint = "rename it" if taken == "error" else Hint("column_taken")
        raise UsageError(f"the data has a column named {taken!r} already", hint=hint)
    given = {n: constants[n] for n in expression.variables if n in constants}
    how = trust, spread, native, double
    found = Plan(expression, chosen, tuple(sources), given, names, digits, *how)
    if native:
        # now, so that processes that are forked have it
        _ = expression.compile(found.swept, native=True).arrays
    return found


def _spread(
    expression: Expression, columns: Sequence[str], sources: Sequence[str | None]
) -> dict[str, str]:
    """The columns of standard uncertainties, by variable: `u_x`, unless that is a variable itself."""
    found: dict[str, str] = {}
    for name, column in zip(expression.variables, sources, strict=True):
        for own in (f"u_{name}", f"u_{column}"):
            if own in columns and own not in expression.variables:
                found.setdefault(name, own)
    for own, count in Counter(found.values()).items():
        if count > 1:
            alike = " and ".join(name for name in found if found[name] == own)
            what = f"{alike} share the uncertainties in the column {own!r}, and are not independent"
            raise UsageError(what, hint="use one variable for what is one quantity")
    return found


def _sources(
    expression: Expression,
    columns: Sequence[str],
    constants: Mapping[str, Any],
    mapping: Mapping[str, str],
) -> list[str | None]:
    """The column of each variable; None for one that is constant."""
    for name, chosen in mapping.items():
        if chosen not in columns:
            raise no_column(chosen, columns)
        expression.refuse_unknown(name)
    sources: list[str | None] = []
    # Of columns that are spelt alike the first one counts.
    alike = {inputs.normal(column): column for column in reversed(columns)}
    for name in expression.variables:
        column = mapping.get(name, name if name in columns else alike.get(name))
        if column is not None and name in constants:
            what = f"{name} has a value of its own and the column {column!r}"
            raise BindingError(what, hint=Hint("one_source", name=name))
        if column is None and name not in constants:
            span = expression.tape.nodes[expression.tape.variables[name]].span
            raise no_column(name, columns, "column_or_value", span, expression.source)
        sources.append(column)
    return sources


def run(plan: Plan, source: Table, jobs: int = 1) -> Iterator[Part]:
    """The chunks of the table with their results, in order, computed by so many processes."""
    return in_order(partial(_work, plan), source.chunks(), jobs)


def _work(plan: Plan, item: tuple[TableFormat, Chunk]) -> Part:
    return computed(plan, *item)


def computed(plan: Plan, form: TableFormat, chunk: Chunk) -> Part:
    """One chunk with its results."""
    answers = _Answers(plan, form, chunk)
    faults, count = answers.faults, len(chunk.rows)
    whole: Sequence[int] = range(count)
    answers.find([row for row in whole if row not in faults] if faults else whole)
    shown, wrong = len(plan.swept) + 1 + plan.trust, answers.wrong
    results, beyond = answers.results[:shown], answers.beyond[:shown]
    if plan.spread:
        first, rest = 1 + len(plan.wrt), 1 + len(plan.swept)
        found, far = answers.spread()
        results = [*results[:first], found, *results[rest:]]
        beyond = [*beyond[:first], far, *beyond[rest:]]
    if not form.has_decimals:
        for name, own in zip(plan.names, beyond, strict=True):
            for row, text in own.items():
                told = f"{name} {text} is beyond the range of double precision"
                wrong.setdefault(row, RangeError(told))
    for row, error in wrong.items():
        faults.setdefault(row, Fault(chunk.first + row, None, error))
    last = len(plan.names) - plan.trust
    texts = [
        form.column(column, plan.digits if i < last else None, faults, beyond[i])
        for i, column in enumerate(results)
    ]
    errors = {row: fault.message for row, fault in faults.items()}
    piece = form.piece(chunk.rows, Results(plan.names, texts, errors, beyond))
    return Part(piece, count, [faults[row] for row in sorted(faults)])


class _Answers:
    """Value, partials and digits of the rows of a chunk, a column each: nan where there is none.

    `columns` are those of the variables, and `faults` the rows that lack a number in one of them. `beyond` has the
    decimals of results beyond doubles, and `wrong` the errors, by row.
    """

    def __init__(self, plan: Plan, form: TableFormat, chunk: Chunk) -> None:
        self.plan, self._form, self._chunk = plan, form, chunk
        self.faults: dict[int, Fault] = {}
        given = zip(plan.expression.variables, plan.columns, strict=True)
        names = {name: column for name, column in given if column is not None}
        read = self._read([*names.values()], self.faults)
        self.columns = {name: read[column] for name, column in names.items()}
        wide, count = len(plan.swept) + 2, len(chunk.rows)
        self.beyond: list[dict[int, str]] = [{} for _ in range(wide)]
        self.wrong: dict[int, ExprgradError] = {}
        try:
            import numpy as np

            self.results: list[Any] = [*np.full((wide, count), math.nan)]
        except ImportError:
            self.results = [[math.nan] * count for _ in range(wide)]

    def _read(
        self, names: Sequence[str], faults: dict[int, Fault]
    ) -> dict[str, Column]:
        """These columns of the chunk, with a fault for each row that lacks a number."""
        form, chunk = self._form, self._chunk
        columns = form.stored(chunk.rows, [form.names.index(name) for name in names])
        for name, column in zip(names, columns, strict=True):
            for row in column.bad:
                error = BindingError(form.wrong(column.cell(row)))
                faults.setdefault(row, Fault(chunk.first + row, name, error))
        return dict(zip(names, columns, strict=True))

    def spread(self) -> tuple[list[float], dict[int, str]]:
        """The standard uncertainties of the value, and those beyond doubles."""
        plan, faults, wrong = self.plan, dict[int, Fault](), self.wrong
        places = [1 + plan.swept.index(name) for name in plan.spread]
        slopes = [self.results[place] for place in places]
        columns = self._read([*plan.spread.values()], faults)
        spreads = [[*map(float, own.numbers)] for own in columns.values()]
        for row, fault in faults.items():
            wrong.setdefault(row, UsageError(fault.message))
        terms: list[list[float]] = []
        for column, slope, spread in zip(columns, slopes, spreads, strict=True):
            for row, u in enumerate(spread):
                if not 0 <= u < math.inf:
                    what = "negative" if u < 0 else "not finite"
                    error = UsageError(f"column {column}: the uncertainty is {what}")
                    wrong.setdefault(row, error)
                    spread[row] = math.nan
            # as floats of Python, of which a product beyond their range is infinite without a warning
            ends = zip(map(float, slope), spread, strict=True)
            terms.append([d * u if u else 0.0 for d, u in ends])
        # nan where a term is that, unlike `math.hypot` beside infinity
        rows = zip(*terms, strict=True)
        found = [
            math.nan if any(map(math.isnan, own)) else math.hypot(*own) for own in rows
        ]
        far: dict[int, str] = {}
        for row, length in enumerate(found):
            # here a product or its length has left the range of doubles, or lost digits at its lower end
            if LEAST < length < math.inf or any(math.isnan(u[row]) for u in spreads):
                continue
            try:
                exact = [
                    Decimal(self.beyond[place].get(row) or self.results[place][row])
                    * Decimal(own.number(row))
                    for place, own in zip(places, columns.values(), strict=True)
                ]
                square = sum((term * term for term in exact), Decimal(0))
            except ArithmeticError:  # of a power of ten that decimals lack
                what = "the uncertainty is beyond the range of decimals"
                wrong.setdefault(row, RangeError(what))
                found[row] = math.nan
                continue
            if square and square.is_finite():
                found[row] = math.nan
                far[row] = f"{square.sqrt(Context(prec=DIGITS)):.{FEW}g}".lower()
        return found, far

    def find(self, rows: Sequence[int]) -> None:
        """Compute these rows."""
        left = rows
        if self.columns and rows:
            is_plain = self.plan.native or self.plan.double
            left = self._in_doubles(rows) if is_plain else self._together(rows)
        for row in left:
            # Without columns every row has the same answer.
            if self.columns or row == rows[0]:
                entries, texts, error = self._alone(row)
            for column, number in zip(self.results, entries, strict=True):
                column[row] = number
            for place, text in texts.items():
                self.beyond[place][row] = text
            if error is not None:
                self.wrong[row] = error

    def _together(self, rows: Sequence[int]) -> Sequence[int]:
        """Sweep these rows by blocks, and keep what is sure; gives the rows that are left."""
        try:
            import numpy as np

            from exprgrad.sweeps.arrays.rows import Rows
        except ImportError:
            return rows
        plan, expression = self.plan, self.plan.expression
        sweep = Rows(expression.tape, plan.swept)
        enough = 0.5 * 10.0 ** -(plan.digits or DIGITS)
        left: list[int] = []
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            # how short a number is, is found out by products that overflow for 1e308
            with np.errstate(over="ignore"):
                balls = {n: self._ball(n, block) for n in expression.variables}
            found = sweep.answer(list(balls.values()), enough)
            none = np.zeros(len(block), bool)
            doubtful = found.doubtful | none
            if expression.slopes:
                from exprgrad.expressions.elements import in_doubt

                # a derivative in the text may not be that of its formula
                doubts = (in_doubt(slope, balls) for slope in expression.slopes)
                doubtful = doubtful | sum(doubts, none)
            numbers = [found.value, *found.partials]
            # -0.0 + 0.0 is 0.0: nobody wants to read -0.
            entries = [ball.mid + 0.0 for ball in numbers]
            entries.append(_digits(numbers) if plan.trust else entries[0])
            for column, own in zip(self.results, entries, strict=True):
                column[_places(block)] = own
            for i in np.flatnonzero(sum(found.missing, none)).tolist():
                partials = [None if mask[i] else 0.0 for mask in found.missing]
                self.wrong[block[i]] = no_slope(plan.swept, partials)
            if any(found.beyond):
                from flint import arb

                from exprgrad.numbers.real import decimal
            for texts, own in zip(self.beyond, found.beyond, strict=False):
                for i, far in own.items():
                    # as a decimal where both ends round to one
                    low, high, exponent = far
                    ends = {decimal(arb(x) * arb(2) ** exponent, plan.digits or DIGITS) for x in (low, high)}  # fmt: skip
                    if plan.trust or len(ends) > 1:
                        doubtful[i] = True
                    else:
                        texts[block[i]] = ends.pop()
            for i in np.flatnonzero(doubtful).tolist():
                left.append(block[i])
                self.wrong.pop(block[i], None)
                for texts in self.beyond:
                    texts.pop(block[i], None)
        return left

    def _in_doubles(self, rows: Sequence[int]) -> Sequence[int]:
        """Compute these rows in double precision; gives those with faults."""
        import numpy as np

        compiled = self.plan.expression.compile(
            self.plan.swept, native=self.plan.native
        )
        given = []
        for name in compiled.variables:
            if name in self.columns:
                numbers = np.asarray(self.columns[name].numbers, float)
                given.append(numbers[_places(rows)])
            else:
                double = Coordinate.of(self.plan.constants[name]).double
                given.append(np.full(len(rows), math.nan if double is None else double))
        found = compiled.arrays(*given)
        entries = [found.value, *found.gradient]
        for i, own in enumerate(entries):
            if len(rows) == len(self.results[i]):
                self.results[i] = np.add(own, 0.0, out=own)
            else:
                self.results[i][_places(rows)] = own + 0.0
        return [rows[i] for i in found.faults]

    def _ball(self, name: str, rows: Sequence[int]) -> Any:
        """The numbers of a variable in these rows, with the errors of their doubles.

        There is no bound for numbers beyond the range of doubles.
        """
        import numpy as np

        from exprgrad.operations.array_balls import ArrayBall, is_short

        beyond: Any = False
        if name not in self.columns:
            number = Coordinate.of(self.plan.constants[name])
            double = math.nan if number.double is None else number.double
            ball = ArrayBall.of(np.asarray(double), number.error)
        else:
            column, places = self.columns[name], _places(rows)
            ball = ArrayBall.of(np.asarray(column.numbers, float)[places])
            if column.long is not None:
                exact = np.ones(len(column.numbers), bool)
                exact[column.long] = False
                exact = exact[places] & is_short(ball.mid)
                beyond = (np.abs(ball.mid) < LEAST) & ~exact
                ball = ball if exact.all() else ArrayBall(ball.mid, 1.0)
        beyond = beyond | ~np.isfinite(ball.mid)
        return ball.unknown(beyond) if beyond.any() else ball

    def _alone(
        self, row: int
    ) -> tuple[list[float], dict[int, str], ExprgradError | None]:
        """One row by `Expression.evaluate`: its value, partials and digits, decimals beyond doubles, and what is wrong with it."""
        plan, digits = self.plan, self.plan.digits or DIGITS
        point = {name: column.number(row) for name, column in self.columns.items()}
        try:
            found = plan.expression.evaluate(
                point | plan.constants, plan.swept, digits=digits
            )
        except ExprgradError as why:
            why.__context__ = None  # which would keep frames, four times as much memory
            return [math.nan] * (len(plan.swept) + 2), {}, why.with_traceback(None)
        known = [found.known(name) for name in ("", *plan.swept)]
        texts = {
            place: number.decimal(digits) or ""
            for place, number in enumerate(known)
            if number.value is None and number.is_number
        }
        numbers = [math.nan if k.value is None else k.value + 0.0 for k in known]
        partials = [0.0 if k.is_number else None for k in known[1:]]
        error = no_slope(plan.swept, partials) if None in partials else None
        return [*numbers, float(found.digits)], texts, error


def _places(rows: Sequence[int]) -> Any:
    """Rows, as arrays are told them."""
    return slice(rows.start, rows.stop) if isinstance(rows, range) else list(rows)


def _digits(balls: Sequence[Any]) -> Any:
    """Return how many digits of all numbers in a row are known: see `Known.digits`."""
    import numpy as np

    digits = np.full(len(balls[0].mid), float(NEAREST))
    with np.errstate(all="ignore"):
        for ball in balls:
            radius = ball.radius
            own = np.floor(np.log10(np.abs(ball.mid) / (2 * radius)))
            # what is too small for a double is 0 in all of its digits
            none = (radius == 0) | (ball.mid == 0)
            digits = np.fmin(digits, np.where(none, NEAREST, own))
    return digits
