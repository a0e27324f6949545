"""What `exprgrad diff` does, apart from how its options are declared."""

from __future__ import annotations

from exprgrad.cli.typed import point_in, question, variable_of
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
    parsed, asked = question(source, declared, strict)
    if value_of_constants and not parsed.variables and variable_of(asked) is None:
        from exprgrad.cli.commands.evaluating import evaluate

        return evaluate(source)
    point = point_in(asked, parsed)
    is_asked = asked is not None and asked.order
    if parsed.asks_for_derivative and not (is_asked or point or at or wrt):
        from exprgrad.views.answers.formulas import SimplifiedView

        write(SimplifiedView(parsed, parsed.simplify(form), form, notation), format_)
        return 0
    if point:
        at = [*(at or []), point]
        bindings = Bindings(at, "--at")
    is_mixed = asked is not None and len(set(asked.wrt)) > 1
    if asked is not None and is_mixed and not chosen:
        chosen = [list(asked.wrt)]
    elif (variable := variable_of(asked)) and not chosen:
        chosen = [[variable]]
    if asked is not None and not is_mixed and asked.order > 1 and order == 1:
        order = asked.order
    bindings.check(parsed)
    found = derive(parsed, chosen, order, bindings.exact if at else None, digits, form)
    write(FormulasView(found, steps, digits, notation), format_)
    missing = [f for f in found.formulas if f.problem is not None]
    for formula in missing[:5]:
        assert formula.problem is not None
        report(formula.problem)
    return UNDEFINED if missing else 0
