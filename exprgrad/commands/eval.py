"""`exprgrad eval`: the value of an expression and its partial derivatives at a point."""

from __future__ import annotations

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.commands import declared as row
from exprgrad.commands.declared import names, sources
from exprgrad.commands.hints import ALL_ROWS, WHOLE_READING
from exprgrad.commands.typed import (
    OnStatements,
    differentiated,
    expression_at,
    question,
)
from exprgrad.data.bindings import Bindings
from exprgrad.errors import (
    UNDEFINED,
    BindingError,
    ExprgradError,
    Hint,
    RangeError,
    UsageError,
)
from exprgrad.views import evaluation as views

if TYPE_CHECKING:
    from pathlib import Path

    from exprgrad.expressions.expression import Expression


class Eval(OnStatements):
    """The value of an expression and every partial derivative at a point."""

    example = 'exprgrad eval "(a*b+c)^2" --at a=2,b=3,c=1 --trace'
    pages = "values, traces"
    values = row.AS_POINT
    outside = "type the expression, and `at a=2` behind it"

    at: list[str] = row.AT
    wrt: list[str] = row.WRT
    mode: str = row.choice("Sweep adjoints back, or tangents forward.", "reverse forward", "reverse")  # fmt: skip
    seed: str | None = row.text(
        "The derivative along this direction instead.", "a=1,b=-2"
    )
    hessian: bool = row.flag("Also the matrix of second partial derivatives.")
    order: int | None = row.whole("Derivatives up to this order, with respect to one variable.", least=1)  # fmt: skip
    trust: bool = row.flag("How many digits are known, what changes of the variables do, and where digits are lost.")  # fmt: skip
    trace: str | None = row.choice(
        "Show the sweeps step by step; both if it stands alone.",
        "both forward reverse",
        metavar="[forward|reverse]",
        alone="both",
    )
    why: str | None = row.text("The paths that carry this variable's derivative, and what blocks it.", "w")  # fmt: skip
    html: Path | None = row.path("Write a page that walks through both sweeps.")
    format: str = row.formats("How to write the results.", "table json csv")  # fmt: skip
    digits: int | None = row.whole("Significant digits in tables. [default: 10, traces 6]", least=1, most=1000)  # fmt: skip
    rows: int = row.whole("Rows of a table at most; 0 for all.", 60, least=0)
    subgradient: bool = row.SUBGRADIENT
    strict: bool = row.STRICT

    def run(self) -> row.Result:
        """Evaluate it at a point, or a range of them."""
        source, wanted = self.source(), names(self.wrt)
        if any(":" in value for value in self.at):
            return self._on_grid(source, wanted)
        parsed, bindings = expression_at(source, self.at, wanted or (), self.strict)
        arrays = parsed.takes_arrays(bindings.values)
        # trace, hessian and why show what there is of numbers alone
        if type(self) is not Eval:
            parsed.refuse_arrays(bindings.exact)
        self._refuse(parsed, arrays)
        try:
            if self.seed is not None:
                result = self._directional(parsed, bindings, self.seed)
            else:
                result = self._at_point(parsed, bindings, wanted, arrays)
        except ExprgradError as error:
            undefined = error.exit_code == UNDEFINED
            # programs find the fields that they expect, with nulls, and the reason on standard error
            if undefined and self.format == "json" and not arrays:
                seeded = self.seed is not None
                nulls = views.UndefinedView(parsed, bindings.values, wanted, seeded)
                return row.Result(nulls, errors=[error])
            raise
        if self.html is not None:
            from exprgrad.pictures.svg import save
            from exprgrad.pictures.walk import walk_page

            # a page walks through both sweeps, whatever --mode and --digits ask for
            found = parsed.evaluate(bindings.exact, wanted, subgradient=self.subgradient)  # fmt: skip
            inputs = sources(None, self.file, bindings)
            save(found, self.html, *inputs, more={".html": lambda: walk_page(found)})
        return result

    def _refuse(self, parsed: Expression, arrays: bool) -> None:
        """Raise an error for options that do not go together."""
        unwritten = f"not written as {self.format}"
        if self.why and self.format == "csv":
            raise UsageError(f"paths are {unwritten}", hint="--format table or json")
        if self.why is not None and self.why not in parsed.variables:
            raise parsed.no_variable(self.why)
        wanted = names(self.wrt) or parsed.variables
        if self.why is not None and self.why not in wanted:
            what = f"--why {self.why} needs a derivative that --wrt leaves out"
            raise UsageError(what, hint=f"--wrt {self.why}, or no --wrt")
        if self.trust and self.format == "csv":
            what = f"what --trust shows is {unwritten}"
            raise UsageError(what, hint="--format table or json")
        beside = self.trace, self.hessian, self.order is not None, self.trust, self.why, self.html, self.subgradient  # fmt: skip
        if any(beside) if self.seed is not None else self.trust and self.subgradient:
            what = "--trust cannot be combined with --subgradient"
            if self.seed is not None:
                what = "--seed cannot be combined with --trace, --hessian, --order, --trust, --why, --html or --subgradient"
            raise UsageError(what, hint="leave one of them out")
        if self.html is not None and arrays:
            raise UsageError("there is no walk through arrays", hint="leave --html out")

    def _at_point(
        self, parsed: Expression, at: Bindings, wanted: list[str] | None, arrays: bool
    ) -> row.Result:
        """The value and the gradient at a point, and what was asked for beside them."""
        digits, exact = self.digits or 10, at.exact
        found: Any = parsed.evaluate(
            exact, wanted, mode=self.mode, subgradient=self.subgradient, digits=digits
        )
        if arrays:
            from exprgrad.views.arrays import ArraysView

            if self.trace or self.hessian or self.trust or self.why or self.order is not None:  # fmt: skip
                what = "arrays cannot be combined with --trace, --hessian, --order, --trust or --why"
                raise UsageError(what, hint="leave those options out")
            return row.Result(ArraysView(found, digits), **views.beside(found))
        matrix = parsed.second_partials(exact, digits) if self.hessian else None
        orders, problems, more = None, list[ExprgradError](), dict[str, Any]()
        if self.order is not None:
            from exprgrad.expressions.higher_orders import orders as orders_of

            chosen = wanted if wanted is not None else list(parsed.variables)
            if not chosen:
                raise UsageError("the expression has no variable to differentiate with respect to")  # fmt: skip
            if len(chosen) != 1:
                what = "derivatives of higher order are with respect to one variable"
                raise UsageError(what, hint="choose it: --wrt x")
            orders = orders_of(parsed, exact, chosen[0], self.order, digits)
            problems += [] if orders.problem is None else [orders.problem]
        if self.trust:
            from exprgrad.expressions.trust import trusted

            more["trusted"] = trusted(found)
        if self.why is not None:
            from exprgrad.expressions.trace import why

            few = self.digits or 6
            try:
                more["why"] = why(found, self.why, lambda x: f"{x:.{few}g}")
            except RangeError as error:  # numbers beyond the range of doubles
                more["no_paths"] = error.message
        view = views.EvaluationView(
            found, self.digits, sweeps=self.trace, rows=self.rows, hessian=matrix,
            derivatives=None if orders is None else orders.numbers,
            more_rows=ALL_ROWS, more_reading=WHOLE_READING, **more,
        )  # fmt: skip
        # with `f'(0) does not exist` above it, an error need not say so once more
        in_words = self.format == "table" and (orders is None or not orders.numbers)
        told = in_words and views.has_slope_line(found)
        result = row.Result(view, **views.beside(found, told))
        entries = [k for own in (matrix or {}).values() for k in own.values()]
        # one beyond doubles has a `middle`, and is not missing
        missing = [k for k in entries if k.value is None and k.middle is None]
        if missing:
            problems.append(parsed.no_second_partial(found.exact, missing[0]))
        return result.with_(row.Result(errors=problems))

    def _directional(self, parsed: Expression, at: Bindings, seed: str) -> row.Result:
        """The derivative along a direction."""
        from exprgrad.expressions.fields import missing_along
        from exprgrad.expressions.higher_orders import directional
        from exprgrad.views.arrays import DirectionalView

        direction, digits = Bindings([seed], "--seed"), self.digits or 10
        direction.check(parsed)
        arrays = any(map(parsed.takes_arrays, (at.values, direction.values)))
        try:
            found: Any = directional(parsed, at.exact, direction.exact, digits)
        except BindingError as error:
            # an array of another length than the variable: the error gets a caret in the option that it is about
            name = getattr(error, "variable", "") if arrays else ""
            raise direction.placed(error, name) if name else error from None
        missing, errors = missing_along(found), []
        for corner in missing[: views.MOST_REPORTED]:
            of = f" of element {corner.variable}" if arrays and corner.variable else ""
            errors.append(views.corner_error(corner, parsed.source, None, of=of))
        view, remarks = DirectionalView(found, digits), views.more(len(missing), "elements")  # fmt: skip
        return row.Result(view, errors=errors, remarks=remarks)

    def _on_grid(self, source: str, wanted: list[str] | None) -> row.Result:
        """The values at many points."""
        from exprgrad.data.grid import Grid, rows
        from exprgrad.views.tables import GridView

        beside = (self.trace, self.hessian, self.trust, self.order is not None, self.seed is not None, self.why, self.html)  # fmt: skip
        if any(beside) or self.mode == "forward":
            what = "a range of values cannot be combined with --trace, --hessian, --order, --trust, --why, --html, --seed or --mode"
            raise UsageError(what, hint="give one point, or leave those options out")
        grid = Grid(self.at, "--at")
        declared = {*grid.names, *(wanted or ())}
        parsed = differentiated(*question(source, declared, self.strict))
        grid.check(parsed)
        digits = self.digits or 10
        found = rows(parsed, grid, wanted, subgradient=self.subgradient, digits=digits)
        partials = list(parsed.variables) if wanted is None else wanted
        view = GridView(parsed, list(grid.ranges), partials, found, digits, self.rows, ALL_ROWS)  # fmt: skip
        count = len(view.problems)
        # the first error says all there is to say of one row
        remarks = [f"({count} of {len(found)} rows have an error)"] * (count > 1)
        return row.Result(view, errors=view.problems[:1], remarks=remarks)


class Trace(Eval):
    """Both sweeps at a point, step by step."""

    example = 'exprgrad trace "(a*b+c)^2" --at a=2,b=3,c=1'
    outside = ""

    def run(self) -> row.Result:
        """Show the sweeps that are asked for."""
        self.trace = self.trace or "both"
        return super().run()


class Hessian(Eval):
    """The matrix of second partial derivatives at a point."""

    example = 'exprgrad hessian "x^2*y" --at x=1,y=2'
    outside = ""

    def run(self) -> row.Result:
        """Show the matrix below the gradient."""
        self.hessian = True
        return super().run()


class Why(Eval):
    """The paths that carry a derivative to a variable, and what blocks it."""

    example = 'exprgrad why "relu(w*x)" --at w=2,x=-1 --wrt w'
    outside = ""

    def _refuse(self, parsed: Expression, arrays: bool) -> None:
        only = self.wrt or ([self.why] if self.why else None)
        chosen = names(only) or list(parsed.variables)
        if not chosen:
            raise UsageError("the expression has no variable", source=parsed.source)
        if len(chosen) != 1:
            hint = Hint("choose_variable", name=chosen[0])
            raise UsageError(f"choose a variable: {', '.join(chosen)}", hint=hint)
        # here, as only the expression that was read has the names of its variables
        self.why = self.why or chosen[0]
        super()._refuse(parsed, arrays)
