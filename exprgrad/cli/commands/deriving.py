"""What `exprgrad diff` does, apart from how its options are declared."""

from __future__ import annotations

from exprgrad.cli.typed import question
from exprgrad.errors import UNDEFINED


def differentiate(
    source: str,
    wrt: list[str] | None = None,
    order: int = 1,
    at: list[str] | None = None,
    *,
    steps: str | None = None,
    form: str = "short",
    format_: str = "text",
    digits: int = 10,
    strict: bool = False,
    value_of_constants: bool = False,
    notation: str = "plain",
) -> int:
    """Differentiate as the options say, and print; the exit code.

    With `value_of_constants`, what has no variables is evaluated instead.
    """
    from exprgrad.cli.hints import report
    from exprgrad.data.bindings import Bindings
    from exprgrad.expressions.derivatives import derive
    from exprgrad.language.products import factors
    from exprgrad.views.answers.formulas import FormulasView
    from exprgrad.views.formats import write

    bindings = Bindings(at or [], "--at")
    chosen = [text.replace(" ", "").split(",") for text in wrt or []]
    by = [name for names in chosen for name in names]
    declared = {*bindings.values, *by, *factors(source, by)}
    asked = question(source, declared, strict)
    parsed = asked.expression
    if value_of_constants and not parsed.variables and not asked.variable:
        from exprgrad.cli.commands.evaluating import evaluate

        return evaluate(source)
    if parsed.asks_for_derivative and not (asked.order or asked.point or at or wrt):
        from exprgrad.views.answers.formulas import SimplifiedView

        write(SimplifiedView(parsed, parsed.simplify(form), form, notation), format_)
        return 0
    if asked.point:
        at = [*(at or []), asked.point]
        bindings = Bindings(at, "--at")
    if asked.mixed and not chosen:
        chosen = [list(asked.mixed)]
    elif asked.variable and not chosen:
        chosen = [[asked.variable]]
    if not asked.mixed and asked.order > 1 and order == 1:
        order = asked.order
    bindings.check(parsed)
    found = derive(parsed, chosen, order, bindings.exact if at else None, digits, form)
    write(FormulasView(found, steps, digits, notation), format_)
    missing = [f for f in found.formulas if f.problem is not None]
    for formula in missing[:5]:
        assert formula.problem is not None
        report(formula.problem)
    return UNDEFINED if missing else 0
