"""The JSON Schema of what commands print with `--format json`, drawn from what they print.

    python -m tests.schema        writes exprgrad/manual/schema.json

A key that some outputs of a command lack is optional there. New keys may be added by any version.
"""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import exprgrad
from exprgrad.cli.start import run

PATH = Path(exprgrad.__file__).parent / "manual" / "schema.json"

PRINTED = """
eval "x*y" --at x=1,y=2
eval "1/2x + xy" --at x=3,y=0.1 --digits 30
eval "1e-400*x*y" --at x=2,y=3
eval "x*y" --at x=1e-400,y=2
eval "|x| + y" --at x=0,y=1
eval "floor(x)" --at x=2
eval "ln(x)" --at x=-1
eval "sqrt(x)" --at x=0
eval "x^2*y" --at x=1,y=2 --hessian --trace --trust
eval "x^2*y" --at x=1,y=2 --mode forward --trace
eval "relu(w*x - 5)*w + exp(w*x)*x" --at w=1,x=0.5 --why w
eval "exp(x)*1e-400" --at x=1 --why x
eval "x^5" --at x=2 --order 3
eval "1e-200*x^9*1e-200" --at x=2 --order 3 --hessian
eval "exp(x)-1-x" --at x=1e-9 --trust
eval "x*y" --at x=1,y=2 --seed x=1
eval "1e-400*x" --at x=2 --seed x=1e-400
eval "|x|" --at x=0 --seed x=1
eval "x*y" --at x=0:1:3,y=2
eval "1e-400/x" --at x=0:1:3
eval "sum(x^2)" --at x=[1,2]
eval "x^2" --at x=[1,2]
eval "sum(abs(x))" --at x=[0,2]
eval "x^2" --at x=[1,2] --seed x=[1,0]
eval "abs(x)" --at x=[0,2] --seed x=[1,0]
eval "2"
check "x^2" "3x"
check "x^2" "2x"
check "x|x|" "2x"
check "x^2" "x^3" --hint
check "x^2" "2x" --form simplified
check "x^2" "4" --at x=2
check "x^2" "2t"
check "x^2*y" --claim x=2xy --claim y=x
check "x^2*y" --kind gradient --claim x=2x*y --claim y=y
check "x^3-3x" "x = -1, 1" --kind critical
check "2x" "x^2" --kind antiderivative
check --file samples/worksheet.txt
check --file samples/class.csv
check --work samples/solution.txt
same "x^2" "x*x"
same "x^2" "x^3/y"
compare "x*y" --at x=1,y=2
compare "exp(x)" --at x=1e-400
diff "x*y" --at x=1,y=2
diff "x^2*y" --wrt x,y
diff "x^2" --steps
diff "1e-400*x^3" --at x=2
diff "|x|" --at x=3
diff "floor(x)"
diff "sqrt(2x)" --at x=1
diff --implicit "x^2 + y^2 = 1"
diff "[x^2*y, x + y]"
simplify "x+x"
tangent "x^2" --at x=3
tangent "(t^2, t^3)" --at t=1
tangent "x^2*y" --at x=1,y=2
taylor "exp(x)" --order 3
taylor "x*abs(x)" --at x=1
critical "x^3-3x"
critical "x^2"
minimize "(x-1)^2" --start x=0
minimize "|x-1|+y^2" --start x=0,y=1
minimize "x" --start x=0 --method gd --rate 1 --steps 5
fit "T ~ a*t + b" --data samples/cooling.csv --start a=1,b=0
fit "T ~ a*t + b" --data samples/cooling.csv --start a=1,b=0 --then a/b
uncertainty "x*y" --at "x=3±0.1,y=4±1"
uncertainty "x^2" --at "x=3±0.1(df=4)" --target 1% --monte-carlo 1000
uncertainty "p=x*y" "s=x+y" --at "x=3±0.1,y=4±1"
uncertainty "x*y" --at "x=1e200±1e198,y=1e200±1"
uncertainty "ln(x)" --at "x=-1±1"
ops
ops tanh
graph "x*y" --at x=1,y=2
graph "x^2*y"
graph "if(x>0,x^2,y)" --at x=1,y=2
plot "x^2" --x=-1:1 --tangent 1
plot "1/x" --x=-1:1
plot "1e17 + floor(x)" --x=-1.5:1.5
audit samples/notes.tex
"""
"""Commands that print every kind of field."""

BY_NAME = frozenset(
    "at seed at_texts seed_texts gradient gradient_texts errors not_differentiable tangents digits condition formulas "
    "formula_operations reference derivatives latex assumes values value_texts exact steps where variables parameters "
    "correlations quantities required students questions mistakes cells derivative_texts hessian hessian_errors hessian_texts".split()
)  # fmt: skip
"""The keys of objects whose own keys are names, of variables or of what a user called so."""


def schema() -> dict[str, Any]:
    """The schema: an object for each command, under its name in `$defs`."""
    printed: dict[str, list[Any]] = {}
    for line in PRINTED.strip().splitlines():
        argv = shlex.split(line)
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            run([*argv, "--format", "json"])
        printed.setdefault(argv[0], []).append(json.loads(out.getvalue()))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What exprgrad prints with --format json",
        "$defs": {name: drawn(found) for name, found in sorted(printed.items())},
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in sorted(printed)],
    }


def drawn(values: Iterable[Any], key: str = "") -> dict[str, Any]:
    """The schema that all of these values have."""
    every = list(values)
    objects = [value for value in every if isinstance(value, dict)]
    lists = [value for value in every if isinstance(value, list)]
    kinds = {kind_of(value) for value in every} - {""}
    kinds |= {"number"} if kinds & {"integer"} else set()
    kinds -= {"integer"}
    found: dict[str, Any] = {"type": sorted(kinds) if len(kinds) != 1 else kinds.pop()}
    if key in BY_NAME and objects:
        inner = [own for value in objects for own in value.values()]
        found["additionalProperties"] = drawn(inner, "") if inner else {}
    elif objects:
        names = dict.fromkeys(name for value in objects for name in value)
        found["properties"] = {
            name: drawn((value[name] for value in objects if name in value), name)
            for name in names
        }
        required = [n for n in names if all(n in value for value in objects)]
        found |= {"required": required} if required else {}
    items = [item for value in lists for item in value]
    if items:
        found["items"] = drawn(items)
    return found if kinds or len(found) > 1 or found["type"] else {}


def kind_of(value: Any) -> str:
    """What JSON Schema calls the type of a value."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    names = {int: "integer", float: "number", str: "string", list: "array", dict: "object"}  # fmt: skip
    return names[type(value)]


if __name__ == "__main__":
    PATH.write_text(json.dumps(schema(), indent=1) + "\n", encoding="utf-8")
