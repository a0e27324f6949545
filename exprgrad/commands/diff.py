"""`exprgrad diff`, `steps` and `simplify`: formulas; `tangent`, `taylor`, `critical`: what touches a function, and where it is flat; `compare`: the ways to a derivative."""

from __future__ import annotations

from contextlib import nullcontext
from types import MappingProxyType

from exprgrad.annotations import TYPE_CHECKING, Any
from exprgrad.commands import declared as row
from exprgrad.commands.typed import (
    OnStatements,
    differentiated,
    expression_at,
    point_in,
    question,
    text_in,
    variable_of,
)
from exprgrad.data.bindings import Bindings
from exprgrad.errors import UsageError
from exprgrad.language.leibniz import MOST_ORDERS

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = row.formats("How to write the answer.", "text json")
WRT = row.text("The variables.", "x", completes="variables")


class Tangent(row.OnExpression):
    """The tangent to a graph or a curve, or the tangent plane, step by step; also the normal."""

    example = 'exprgrad tangent "x^2" --at x=3'
    pages = "derivatives"

    at: list[str] = row.AT
    of: str | None = row.OF
    parameter: str | None = row.text("The parameter of a curve (x, y).", "t")
    normal: bool = row.flag("The line at right angles instead.")
    format: str = FORMAT

    def run(self) -> row.Result:
        """Find the line."""
        task, source = "normal" if self.normal else "tangent", self.source()
        return solved(task, source, None, at=self.at, of=self.of, parameter=self.parameter)  # fmt: skip


class Taylor(row.OnExpression):
    """The Taylor polynomial of an expression, at 0 or another point, step by step."""

    example = 'exprgrad taylor "sin(x)" --order 5'
    pages = "derivatives"

    order: int = row.whole("The order of the polynomial.", 3, least=0, most=MOST_ORDERS)
    terms: int | None = row.whole("Stop after N terms that are not 0, instead of at an order.", least=1, most=MOST_ORDERS)  # fmt: skip
    at: list[str] = row.AT
    wrt: str | None = WRT
    format: str = FORMAT

    def run(self) -> row.Result:
        """Find the polynomial."""
        order = MOST_ORDERS if self.terms else self.order
        return solved("taylor", self.source(), self.wrt, self.terms, at=self.at, order=order)  # fmt: skip


class Critical(row.OnExpression):
    """Find where all slopes of an expression are 0, with the kind of each point."""

    example = 'exprgrad critical "x^3 - 3x"'
    pages = "derivatives"

    wrt: str | None = WRT
    inflection: bool = row.flag("Find the points of inflection instead.")
    format: str = FORMAT

    def run(self) -> row.Result:
        """Find the points."""
        task = "inflections" if self.inflection else "critical"
        return solved(task, self.source(), self.wrt)


def solved(
    task: str, source: str, wrt: str | None, *more: Any, steps: bool = True, **options: Any
) -> row.Result:  # fmt: skip
    """The answer to a task, a function of `worked`, which the options ask about a text, perhaps with its steps."""
    from exprgrad.checking.kinds import worked
    from exprgrad.checking.problems import place_of
    from exprgrad.views.verdicts import WorkedView

    source, point = text_in(source)
    values = [*options.pop("at", ()), *([point] if point else [])]
    # x^2 at 3, or (3, 4): the place without names, which its kind of question gives them
    if values == [point] and "=" not in values[0]:
        options["at"] = place_of(values[0])
    elif values:
        options["at"] = Bindings(values, "--at").exact
    names = tuple(name for name in (wrt or "").replace(" ", "").split(",") if name)
    request = worked.asked(source, wrt=names, **options)
    return row.Result(WorkedView(getattr(worked, task)(request, *more), steps))


class Diff(OnStatements):
    """The derivative of an expression as a formula, with respect to every variable or to some."""

    example = 'exprgrad diff "x^2 sin(3x)" --steps'
    pages = "derivatives"
    values = row.FREE

    wrt: list[str] = row.texts(
        "The variable; x,y for the mixed derivative; may be repeated.",
        "x",
        completes="variables",
    )
    order: int = row.whole("The order of the derivative.", 1, least=1, most=MOST_ORDERS)
    at: list[str] = row.texts("Also give its value at this point.", "x=2", completes="values")  # fmt: skip
    steps: str | None = row.choice(
        "Show the derivation; brief if it stands alone.",
        "full brief",
        metavar="[full|brief]",
        alone="brief",
    )
    form: str = row.choice("Write formulas in the shortest form, as products, or multiplied out.", row.FORM, "short")  # fmt: skip
    format: str = row.formats("How to write formulas.", "text json python")
    digits: int = row.whole("Significant digits.", 10, least=1, most=1000)
    strict: bool = row.STRICT
    implicit: bool = row.flag("The slope of the curve of an equation.")
    of: str | None = row.OF._replace(meaning="With --implicit: the variable that is a function.")  # fmt: skip
    notation: str = row.NOTATION

    def run(self) -> row.Result:
        """Differentiate it."""
        source = self.source()
        if self.implicit or _is_list(source):
            # the slope of a curve, or the Jacobian of several expressions
            if self.format not in ("text", "json"):
                raise UsageError("this is written as text or JSON only")
            names = ",".join(self.wrt)
            if self.implicit:
                return solved(
                    "implicit", source, names, steps=bool(self.steps), at=self.at, of=self.of, order=self.order
                )  # fmt: skip
            if self.order > 1 or self.at or self.steps or self.of:
                told = "of several expressions there is the Jacobian, and no more"
                raise UsageError(told)
            return solved("jacobian", source, names)
        if self.of is not None:
            raise UsageError("--of needs --implicit")
        return self.differentiate(source)

    def differentiate(self, source: str) -> row.Result:
        """Differentiate one statement; what has no variables, where no command is named, is evaluated instead."""
        from exprgrad.expressions.derivatives import derive
        from exprgrad.language.products import factors
        from exprgrad.language.undefined import asks, keeping
        from exprgrad.views.formulas import FormulasView, SimplifiedView

        at, order = self.at, self.order
        bindings = Bindings(at, "--at")
        chosen = [text.replace(" ", "").split(",") for text in self.wrt]
        by = [name for names in chosen for name in names]
        splits = by and isinstance(source, str)
        declared = {*bindings.values, *by, *(factors(source, by) if splits else ())}
        # a bare f(x+1) may be a product
        wanted = self.wrt or not self.was_put or asks(source)
        with keeping() if wanted else nullcontext():
            parsed, asked = question(source, declared, self.strict)
        is_asked = asked is not None and asked.order
        # the derivative of 5 is 0 whatever the variable; x is as good as any
        if is_asked and not parsed.variables and not by and variable_of(asked) is None:
            parsed, chosen = question(source, {*declared, "x"}, self.strict)[0], [["x"]]
        # exprgrad 2+3 asks for the number; exprgrad diff 2+3 has no variable, and says so
        elif self.was_put and not parsed.variables and variable_of(asked) is None:
            from exprgrad.commands.eval import Eval

            given = {} if self.digits == 10 else {"digits": self.digits}
            return Eval(expression=source, **given).run()
        point = point_in(asked, parsed)
        is_one = parsed.asks_for_derivative or any(getattr(parsed.root.operation, "orders", ()))  # fmt: skip
        # d/dx x^2 is a derivative as it stands: it is worked out, and not differentiated once more
        if is_one and not (is_asked or point or at or chosen):
            found = parsed.simplify(self.form)
            return row.Result(SimplifiedView(parsed, found, self.form, self.notation))
        if point:
            at = [*at, point]
            bindings = Bindings(at, "--at")
        # ∂²f/∂x∂y has its order in its variables; d²/dx² has one variable, and its order in a number
        is_mixed = asked is not None and len(set(asked.wrt)) > 1
        if asked is not None and is_mixed and not chosen:
            chosen = [list(asked.wrt)]
        elif (variable := variable_of(asked)) and not chosen:
            chosen = [[variable]]
        if asked is not None and not is_mixed and asked.order > 1 and order == 1:
            order = asked.order
        bindings.check(parsed)
        exact = bindings.exact if at else None
        derived = derive(parsed, chosen, order, exact, self.digits, self.form)
        view = FormulasView(derived, self.steps, self.digits, self.notation)
        problems = [f.problem for f in derived.formulas if f.problem is not None]
        return row.Result(view, errors=problems[:5])


class Steps(Diff):
    """The derivation of a derivative, step by step."""

    example = 'exprgrad steps "x^2 sin(3x)"'
    in_sessions = MappingProxyType({"steps": "brief"})

    def run(self) -> row.Result:
        """Show every step, or the brief derivation."""
        self.steps = self.steps or "full"
        return super().run()


def _is_list(source: Any) -> bool:
    """Return whether several expressions stand in square brackets."""
    if not isinstance(source, str):
        return False
    text = source.strip()
    if not (text.startswith("[") and text.endswith("]")) or "," not in text:
        return False
    from exprgrad.checking.equations import entries

    # [[1, 2], [3, 4]] is a matrix, and [x] may be an array of one
    return len(entries(text)) > 1 and not text.startswith("[[")


class Simplify(OnStatements):
    """The same expression in fewer symbols, with what the rewriting assumes."""

    example = 'exprgrad simplify "(x^2 - 1)/(x - 1)"'
    pages = "derivatives"

    form: str = row.choice("The shortest form, a product, or multiplied out.", row.FORM, "short")  # fmt: skip
    format: str = row.formats("How to write formulas.", "text json")
    strict: bool = row.STRICT
    notation: str = row.NOTATION

    def run(self) -> row.Result:
        """Rewrite it."""
        from exprgrad.views.formulas import SimplifiedView

        parsed = differentiated(*question(self.source(), set(), self.strict))
        found = parsed.simplify(self.form)
        return row.Result(SimplifiedView(parsed, found, self.form, self.notation))


class Compare(row.OnExpression):
    """Numeric, symbolic, forward and reverse derivatives against a 50-digit reference."""

    example = 'exprgrad compare "exp(x)/x" --at x=2'
    pages = "comparing"
    values = row.AS_POINT
    in_sessions = MappingProxyType({"times": False})

    at: list[str] = row.AT
    format: str = row.formats("How to write the table.", "table json")
    times: bool = row.flag("Show how long each method took; --no-times leaves it out.", "--times/--no-times", default=True)  # fmt: skip
    plot: bool = row.DRAWN
    output: Path | None = row.PICTURE
    dark: bool = row.DARK
    strict: bool = row.STRICT

    def run(self) -> row.Result:
        """Compare them."""
        from exprgrad.expressions.comparison import compare
        from exprgrad.views.tables import ComparisonView

        parsed, bindings = expression_at(self.source(), self.at, strict=self.strict)
        result = row.Result(ComparisonView(compare(parsed, bindings.exact), self.times))
        if self.output is not None or (self.plot and self.format == "table"):
            from exprgrad.pictures.plot import of_growth

            inputs = row.sources(None, self.file, bindings)
            plot = of_growth(parsed)
            result.views += row.drawn(plot, self.output, *inputs, on_dark=self.dark)
        return result
