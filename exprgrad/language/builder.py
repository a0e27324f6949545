"""The actions of the grammar's productions: they build the graph.

Nothing is computed or simplified, and every node keeps the span that it was read from. A variable is
one node however often it occurs, so its contributions add up there. A derivative in a text is replaced
by its formula.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from exprgrad.annotations import Any
from exprgrad.budget import LIMITS
from exprgrad.errors import ExpressionSyntaxError, RangeError, Span
from exprgrad.graph.order import topological
from exprgrad.graph.rational import rational
from exprgrad.graph.value import (
    LARGEST_WHOLE,
    Constant,
    Value,
    is_variable,
    node,
    power_operation,
    written_number,
)
from exprgrad.language import characters, lalr, leibniz
from exprgrad.language.calls import folded, no_otherwise, truth, wrong_number
from exprgrad.language.lalr import Args
from exprgrad.language.notes import Binding, Slope
from exprgrad.language.scanning.defined import NOTHING, Defined
from exprgrad.language.scanning.token_lists import TokenLists
from exprgrad.lazy import pattern
from exprgrad.operations import table
from exprgrad.operations.operation import TABLE, Operation, named
from exprgrad.operations.vocabulary import CONSTANTS, DIFF, function_base, is_function

DECIMAL_DIGITS = 15
"""Up to so many digits, a decimal can be recovered from its double."""

MOST_SLOPES = 400
"""Derivatives that one text may ask for: each is worked out from those within it."""

MOST_DIGITS = LIMITS["number"].most
"""The most digits of a number, on either side of its point."""

LEAST_NORMAL = 2.0**-1022
"""Smaller doubles have fewer digits."""

_PLAIN_EXPONENT = pattern(r"(?:\^|\*\*)\s*[-+−]?\w+$")
_DECIMAL_COMMA = pattern(r"[0-9],[0-9]")
_DEGREES = (30, 45, 60, 90, 180, 270, 360)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_NUMBERS = {"e": math.e, "pi": math.pi, "π": math.pi, "tau": math.tau}


def _by_rules(root: Value, name: str, most: int | None, span: Span) -> Value:
    from exprgrad.symbolic.derivative import derivative

    return derivative(root, name, most=most, span=span)


differentiate = _by_rules
"""The function that takes a derivative in a text; `expressions` puts the confirmed one here, which reads texts and so lies above."""


class Builder:
    """Builds the graph: one method per action of the grammar."""

    def __init__(self, tokens: TokenLists, defined: Defined = NOTHING) -> None:
        self._references, self._defined = tokens.references, defined
        self.source = tokens.source
        self.notes = tokens.notes
        self.variables: dict[str, Value] = {}
        self.slopes: list[Slope] = []
        self._bare_ends: set[int] = set()
        # graphs that have been searched for variables, with one of theirs
        self._searched: dict[Value, Value | None] = {}
        self.actions: dict[str, lalr.Action] = _Actions(self)

    def number(self, args: Args, start: int, end: int) -> Value:
        (text,) = args
        data = float(text)
        if LEAST_NORMAL <= data < math.inf and len(text) <= DECIMAL_DIGITS:
            return written_number(data, (start, end))
        if math.isinf(data):
            largest = "the largest in double precision is 1.8e308"
            raise RangeError(f"this number is too large: {largest}", (start, end))
        # as a double 9007199254740993 is 9007199254740992
        if data >= LARGEST_WHOLE and text.isdigit():
            return Constant(int(text), None, (start, end))
        return written_number(data, (start, end), self._exactly(text, (start, end)))

    def _exactly(self, decimal: str, span: Span) -> str:
        """A decimal that its double does not determine. Raises `RangeError` if it is out of reach."""
        if len(decimal) > MOST_DIGITS:
            raise RangeError(f"a number may have up to {MOST_DIGITS:,} digits", span)
        if int(decimal.lower().partition("e")[2] or 0) < -MOST_DIGITS:
            message = f"this number is too small: the smallest is 1e-{MOST_DIGITS}"
            raise RangeError(message, span)
        return decimal.replace("_", "").lower()

    def name(self, args: Args, start: int, end: int) -> Value:
        name = args[0]
        if name in self._references:
            found = self._defined.value(self._references[name], None, (start, end))
            if found is not None:
                return self._adopted(found)
        known = self.variables.get(name)
        if known is None:
            if name in CONSTANTS:
                own = "pi" if name == "π" else name
                return Constant(_NUMBERS[name], own, (start, end))
            known = self.variables[name] = Value(None, name)
            known.span = (start, end)
        return known

    def _adopted(self, root: Value) -> Value:
        """A graph from elsewhere, in the variables of this one."""
        from exprgrad.graph.rewriting import rebuilt

        def own(item: Value, _: tuple[Value, ...]) -> Value | None:
            name = item.name or ""
            return self.variables.setdefault(name, item) if is_variable(item) else None

        return rebuilt(root, own)

    def array(self, args: Args, start: int, end: int) -> Value:
        return node(table.STACK, tuple(args[0]), (start, end))

    def index(self, args: Args, start: int, end: int) -> Value:
        return node(table.ITEM, (args[0], *args[1]), (start, end))

    def bars(self, args: Args, start: int, end: int) -> Value:
        return node(table.ABS, (args[1],), (start, end))

    def pow(self, args: Args, start: int, end: int) -> Value:
        base, exponent = args
        # one operation for e^x and exp(x), so that one rule serves both
        if isinstance(base, Constant) and base.name == "e":
            return node(table.EXP, (exponent,), (start, end))
        return node(power_operation(exponent), (base, exponent), (start, end))

    def raised(self, args: Args, start: int, end: int) -> Value:
        """The exponent that a superscript is."""
        number = args[0].translate(_SUPERSCRIPTS)
        digits = self.number((number.lstrip("+-"),), start, end)
        return node(table.NEG, (digits,), (start, end)) if number[0] == "-" else digits

    def _note_reading(self, kind: str, whole: Span, first: Span, between: str) -> None:
        """Note that a text is read as if its first part were in brackets."""
        said, rest = "{} is read as ({}){}{}", (first[1], whole[1])
        self.notes.add(kind, said, whole, first, between, rest)

    def differentiated(self, args: Args, start: int, end: int) -> Value:
        wrt = args[0].split(",")
        by = [(name, wrt.count(name)) for name in dict.fromkeys(wrt)]
        return self._differentiated(args[1], by, (start, end))

    def primed(self, args: Args, start: int, end: int) -> Value:
        function, primes = args
        own = self._defined.variables
        name = own[0] if own else self._only_variable(function, (start, end)).name
        return self._differentiated(function, [(name or "", len(primes))], (start, end))

    def _differentiated(
        self, derived: Value, by: Sequence[tuple[str, int]], span: Span
    ) -> Value:
        """The derivative by these names, each so many times, with a note on the last one."""
        for name, order in by:
            derived = self._derivative(derived, name, order, span)

        def write() -> str:
            from exprgrad.notation.text import text_length, to_text

            short = text_length(derived, 100) <= 100
            formula = to_text(derived) if short else "a long formula"
            return f"{self.notes.at(self._as_typed(span))} is {formula}"

        if self.slopes and self.slopes[-1].derived is derived:
            self.notes.add(f"value {min(len(self.slopes), 4)}", write)
        return derived

    def _derivative(self, operand: Value, name: str, order: int, span: Span) -> Value:
        kept = self._defined.derivative(operand, name, order, span)
        if kept is not None:
            return self._adopted(kept)
        leibniz.check_order(order, span)
        if name in CONSTANTS or is_function(name, called=False):
            raise ExpressionSyntaxError(f"{name} is not a variable", span, "write d/dx")
        from exprgrad.symbolic.derivative import MOST_OPERATIONS

        if len(self.slopes) >= MOST_SLOPES:
            message = f"there are more than {MOST_SLOPES} derivatives here"
            raise ExpressionSyntaxError(message, span, "split the expression")
        # each derivative of x^x^x^x has three times as many operations as the one before it
        most = MOST_OPERATIONS if self.slopes or order > 1 else None
        derived, needed = operand, list[Value]()
        for _ in range(order):
            needed.append(derived)
            derived = differentiate(derived, name, most, span)
        self.slopes += [Slope(derived, root, name, span) for root in needed]
        # what the rules wrote stands nowhere in the text: an error in it points at the whole derivative
        for item in topological(derived):
            item.span = item.span or span
        return derived

    def _as_typed(self, span: Span) -> Span:
        """The span of d(...)/dx, or of (d/dx)(...), with what the scanner was not shown."""
        start, end = span
        typed = self.notes.source
        while start and self.source[start - 1] == " " != typed[start - 1]:
            start -= 1
        while self.source[end : end + 1] == " " != typed[end]:
            end += 1
        return start, end

    def _diff(self, arguments: list[Value], span: Span) -> Value:
        """diff(f), diff(f, x), diff(f, x, 2, y): by the only variable, or by those that are named, each so many times."""
        if not arguments:
            hint = "write diff(f, x) or diff(f, x, 2)"
            raise ExpressionSyntaxError("diff needs an argument", span, hint)
        function, *wrt = arguments
        if not wrt or (len(wrt) == 1 and rational(wrt[0]) is not None):
            wrt = [self._only_variable(function, span), *wrt]
        by: list[tuple[str, int]] = []
        for i, item in enumerate(wrt):
            if i and item.name is None and wrt[i - 1].name is not None:
                number = rational(item)
                is_order = number is not None and number.denominator == 1
                by[-1] = by[-1][0], int(number or 0) if is_order else 0
            else:
                if item.name is None or isinstance(item, Constant):
                    message = "the second argument of diff must be a variable"
                    form = "write diff(f, x)"
                    hint = f"{form}, or diff(f, x, 2) for the second derivative"
                    raise ExpressionSyntaxError(message, span, hint)
                by.append((item.name, 1))
        return self._differentiated(function, by, span)

    def _only_variable(self, function: Value, span: Span) -> Value:
        variables = [leaf for leaf in topological(function) if is_variable(leaf)]
        if len(variables) != 1:
            names = ", ".join(str(leaf.name) for leaf in variables)
            none = "there is no variable to differentiate with respect to"
            message = f"with respect to which variable: {names}?" if names else none
            raise ExpressionSyntaxError(message, span, "write diff(f, x)")
        return variables[0]

    def div(self, args: Args, start: int, end: int) -> Value:
        left: Value = args[0]
        ends = self._bare_ends
        if ends and left.span and left.span[1] in ends and left.span[0] == start:
            self._note_reading("bare", (start, end), left.span, "")
        return node(table.DIV, (left, args[1]), (start, end))

    def juxtaposed(self, args: Args, start: int, end: int) -> Value:
        left, right = args
        # the quotient of (1/2)x begins behind its bracket, and can be read in one way only
        if left.operation is table.DIV and left.span and left.span[0] == start:
            self._note_reading("quotient", (start, end), left.span, "*")
        # [1, 2, 3][0] might be an element
        is_array = left.operation is table.STACK
        if is_array or (left.span and left.span[1] in self._bare_ends):
            self.notes.implicit = True
        self._note_power(left, start, end)
        if right.operation is None and self.source[end - 1] in ")]}":
            self._note_call(left, right, end)
        return node(table.MUL, (left, right), (start, end))

    def _note_call(self, left: Value, right: Value, end: int) -> None:
        """Note a product that looks like the call of a function: f(x)."""
        if not (left.span and right.span):
            return
        cut = left.span[1]
        name = self.source[cut - 1]
        alone = cut < 2 or not self.source[cut - 2].isalpha()
        called = ("(", "[") if is_variable(right) else ("(",)
        between = self.source[cut : right.span[0]].strip()
        if name.isalpha() and alone and between in called:
            whole = cut - 1, end
            self.notes.add("call", "{} is read as {}*{}", whole, name, right.span)

    def _note_power(self, left: Value, start: int, end: int) -> None:
        """Note a name directly after an exponent: 2^2x, x^2y."""
        factor = left.operands[1] if left.operation is table.MUL else left
        own = factor.operation
        is_power = own is table.EXP or (own and own.rule == "power")
        if not (is_power and factor.span and factor.span[0] >= start):
            return
        first, cut = factor.span
        # the pattern is anchored at its end, so a search would begin at every sign of a long power
        before = self.source[max(first, cut - 40) : cut]
        if self.source[cut].isalpha() and _PLAIN_EXPONENT.search(before):
            self._note_reading("power", (first, end), factor.span, "*")

    def factorial(self, args: Args, start: int, end: int) -> Value:
        operand: Value = args[0]
        self._refuse_double(operand, (start, end))
        variable = self._variable_in(operand)
        if variable is not None:
            inside = self.notes.at((start, end - 1))
            message = f"the factorial of a variable has no derivative ({variable.name} is a variable)"
            hint = f"write gamma({inside}+1), which continues it between whole numbers"
            raise ExpressionSyntaxError(message, (start, end), hint)
        return node(table.FACTORIAL, (operand,), (start, end))

    def _refuse_double(self, operand: Value, span: Span) -> None:
        """Raise `ExpressionSyntaxError` for n!!."""
        is_factorial = operand.operation in (table.FACTORIAL, table.GAMMA)
        behind = operand.span == (span[0], span[1] - 1)
        # the bracket of factorial(3)! ends a call, which has one sign behind it
        if is_factorial and behind and self.source[span[1] - 2] not in ")]}":
            message = "double factorials are not supported"
            hint = "write (n!)! for the factorial of n!"
            raise ExpressionSyntaxError(message, span, hint)

    def _variable_in(self, root: Value) -> Value | None:
        """A variable in a graph; None if there is none."""
        # without a memory of what was searched, the 3 of ((3!)!)! would be looked at once for every factorial
        stack, found = [root], None
        while stack and found is None:
            item = stack.pop()
            if item.operation is None:
                found = None if isinstance(item, Constant) else item
            elif item in self._searched:
                found = self._searched[item]
            else:
                stack.extend(item.operands)
        self._searched[root] = found
        return found

    def root(self, args: Args, start: int, end: int) -> Value:
        return node(table.SQRT, (args[0],), (start, end))

    def nth_root(self, args: Args, start: int, end: int) -> Value:
        sign, operand = args
        index = characters.ROOTS[sign] if len(sign) == 1 else sign[:-1]
        number = self.number((str(index).translate(_SUPERSCRIPTS),), start, start)
        if number.data == 3:
            return node(table.CBRT, (operand,), (start, end))
        return node(table.ROOT, (operand, number), (start, end))

    def degrees(self, args: Args, start: int, end: int) -> Value:
        """An angle in degrees: times π/180."""
        # π stays a name: d/dx sin(x°) has pi/180 in it, and not 0.0174533
        pi = Constant(math.pi, "pi", (end, end))
        turned = node(table.MUL, (args[0], pi), (start, end))
        return node(table.DIV, (turned, self.number(("180",), end, end)), (start, end))

    def behind(self, args: Args, start: int, end: int) -> Value:
        """A bracket behind a bare argument, which it does not belong to."""
        left, right = args
        self._note_reading("behind", (start, end), left.span, "*")
        return node(table.MUL, (left, right), (start, end))

    def behind_power(self, args: Args, start: int, end: int) -> Value:
        left, base, exponent = args
        power = self.pow((base, exponent), base.span[0], end)
        return self.behind((left, power), start, end)

    def first(self, args: Args, start: int, end: int) -> list[Any]:
        return list(args)

    def more(self, args: Args, start: int, end: int) -> list[Any]:
        args[0].append(args[1])
        listed: list[Any] = args[0]
        return listed

    def binding(self, args: Args, start: int, end: int) -> Binding:
        return Binding(args[0], args[1], (start, start + len(args[0])))

    def call(self, args: Args, start: int, end: int) -> Value:
        name, arguments = args
        return self._called(name, arguments, (start, end))

    def call_without_arguments(self, args: Args, start: int, end: int) -> Value:
        return self._called(args[0], [], (start, end))

    def bare_call(self, args: Args, start: int, end: int) -> Value:
        self._bare_ends.add(end)
        operation = args[1].operation
        if operation is not None and operation.rule == "power":
            self.notes.implicit = True  # sin x^2 might be (sin x)^2
        self._note_bare(args[1], start, end)
        return self._called(args[0], [args[1]], (start, end))

    def _note_bare(self, argument: Value, start: int, end: int) -> None:
        """Note a bare argument that goes on behind a bracket, or over a division."""
        is_product = argument.operation is table.MUL and self.source[end - 1] in ")]}|"
        if not argument.span or not (is_product or argument.operation is table.DIV):
            return
        first = argument.span[0]
        name, said = self.source[start:first].strip(), "{} is read as {}({})"
        self.notes.add("bare argument", said, (start, end), name, (first, end))

    def call_to_power(self, args: Args, start: int, end: int) -> Value:
        name, exponent, arguments = args
        arguments = arguments if isinstance(arguments, list) else [arguments]
        if rational(exponent) == -1:
            return self._inverse(name, arguments, (start, end))
        called = self._called(name, arguments, (start, end))
        return node(power_operation(exponent), (called, exponent), (start, end))

    def bare_call_to_power(self, args: Args, start: int, end: int) -> Value:
        self._bare_ends.add(end)
        return self.call_to_power(args, start, end)

    def _inverse(self, name: str, arguments: list[Value], span: Span) -> Value:
        operation = named(name).get(1)
        hint = f"write 1/{name}(...) for the reciprocal"
        if operation is None or operation.inverse is None:
            message = f"{name} has no inverse function here"
            raise ExpressionSyntaxError(message, span, hint)
        inverse, said = operation.inverse, "{} is read as the inverse function {}; {}"
        self.notes.add("inverse", said, span, inverse, hint)
        return self._called(inverse, arguments, span)

    def _called(self, name: str, arguments: list[Value], span: Span) -> Value:
        if name in self._references:
            found = self._defined.value(self._references[name], tuple(arguments), span)
            if found is not None:
                return self._adopted(found)
        if name == DIFF:
            return self._diff(arguments, span)
        # by the action of the sign: pow(e, x) is exp(x), just as e^x is
        if name in _OPERATORS and len(arguments) == TABLE[name].arity:
            called: Value = self.actions[name](tuple(arguments), *span)
            return called
        base, subscript = function_base(name)
        if subscript:
            read = self.number if subscript.isdigit() else self.name
            arguments = [*arguments, read((subscript,), span[0], span[0])]
        by_arity = named(base)
        if not by_arity:
            from exprgrad.language import undefined

            return undefined.called(name, arguments, span)
        operation = by_arity.get(len(arguments))
        if not subscript:
            self._note_constants(name, operation, arguments, span)
        if operation is table.FACTORIAL:
            return self.factorial(tuple(arguments), *span)
        if operation is not None and operation.fold != "pairs":
            return node(operation, tuple(arguments), span)
        for one in by_arity.values():
            if one.whole and one.whole.variadic and len(arguments) > one.arity:
                return node(one, tuple(arguments), span)
        folding = next((o for o in by_arity.values() if o.fold), None)
        if folding is not None and len(arguments) > folding.arity - 1:
            return folded(folding, name, arguments, span)
        # if(x > 0, 1) lacks an argument like any function of three; piecewise(x > 0, 1) lacks its last value
        if any(o.fold == "pairs" for o in by_arity.values()) and name != "if":
            raise no_otherwise(name, span)
        error = wrong_number(name, len(arguments), by_arity, span)
        if _DECIMAL_COMMA.search(self.source[span[0] : span[1]][:200]):
            error.hint = f"{error.hint}; the decimal point is a dot"
        raise error

    def _note_constants(
        self, name: str, operation: Operation | None, arguments: list[Value], span: Span
    ) -> None:
        """Note log(100), which may be meant to base 10, sin(30), in degrees, and log(2, x), which other programs turn round."""
        is_angle = operation is not None and operation.angle
        match arguments:
            case [Constant()] if name == "log":
                said = "log is the natural logarithm; log10 has base 10"
                self.notes.add("log", said)
            case [Constant() as number] if is_angle and number.data in _DEGREES:
                said = "{}: angles are in radians; write {:g}° for degrees"
                self.notes.add("degrees", said, span, number.data)
            case [Constant() as first, second] if operation in (table.LOG, table.ROOT):
                low = first.data or 0
                high = second.data or 0 if isinstance(second, Constant) else low
                if is_variable(second) or low < high:
                    what = "degree" if operation is table.ROOT else "base"
                    said = "the second argument of {} is its {}"
                    self.notes.add("order", said, name, what)


class _Actions(dict[str, "lalr.Action"]):
    """The actions by name, looked up when the grammar asks for them: most texts need few."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

    def __missing__(self, alias: str) -> lalr.Action:
        is_plain = alias in _INFIX
        action = _plain(TABLE[alias]) if is_plain else getattr(self._builder, alias)
        self[alias] = action
        return action


@functools.cache
def _plain(operation: Operation) -> lalr.Action:
    is_logic = operation.rule == "logic"

    def build(args: Args, start: int, end: int) -> Value:
        return node(operation, tuple(map(truth, args)) if is_logic else args, (start, end))  # fmt: skip

    return build


_OPERATORS = frozenset(("add", "sub", "mul", "div", "neg", "pow"))
"""Operators that are functions elsewhere: pow(x, 2), np.multiply(x, y)."""

_INFIX = frozenset("or and not lt le gt ge eq ne add sub mul matmul neg".split())
