"""The JSON Schema of what commands print with `--format json` and results in Python have as fields, drawn from both.

    python -m tests.schema        writes exprgrad/manual/schema.json

A key that some outputs of a command lack is optional there. New keys may be added by any version.
"""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import exprgrad
from exprgrad.cli.start import run
from exprgrad.views.formats import to_json

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
eval "floor(x)" --at x=2 --why x
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
eval "1/x" --at x=[[1,2],[3,4]]
eval "sum(x)" --at x=[[1,2],[3,4]]
eval "norm(x)" --at x=0 --seed x=1
eval "exp(x)" --at x=-1000 --hessian --trust --trace
eval "abs(x)" --at x=0 --hessian --trust --trace
eval "max(x,0)" --at x=-1 --hessian --trust
eval "hypot(x,y)" --at x=0,y=0 --hessian
eval "sign(x)" --at x=0 --mode forward
eval "x^(1/3)" --at x=0 --order 3
eval "y^x" --at x=0,y=0
hessian "x^2*y" --at x=1,y=2
hessian "abs(x)*y" --at x=0,y=2
hessian "exp(x*y)" --at x=1000,y=2
trace "x*y" --at x=1,y=2
trace "1/x" --at x=0
trace "max(x,0)" --at x=1e-400
trace "exp(-1000x)" --at x=1
steps "x^2 sin x"
why "relu(w*x - 5)*w + exp(w*x)*x" --wrt w --at w=1,x=0.5
work samples/solution.txt
check "x^2" "3x"
check "x^2" "2x"
check "x|x|" "2x"
check "1/x" "ln(x)" --kind antiderivative
check "x^2 = 2^x"
check "x^2*cos(5x)" "-10x*sin(5x)"
check "2^x (x+1)" "2^x ln 2 (x+1) + 2^x"
check "x" "ln(x)"
check "x^3" "x^4" --kind antiderivative
check "x^3" "y = 3x - 1" --kind tangent --at x=1
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
same "ln(x)" "ln(-x)"
same "x^2" "x^3/y"
compare "x*y" --at x=1,y=2
compare "exp(x)" --at x=1e-400
compare "exp(x)" --at x=900
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
minimize "exp(-1000x)" --start x=1
minimize "x" --start x=0 --method gd --rate 1 --steps 5
fit "T ~ a*t + b" --data samples/cooling.csv --start a=1,b=0
fit "T ~ a*t + b" --data samples/cooling.csv --start a=1,b=0 --then a/b
uncertainty "x*y" --at "x=3±0.1,y=4±1"
uncertainty "x^2" --at "x=3±0.1(df=4)" --target 1% --monte-carlo 1000
uncertainty "p=x*y" "s=x+y" --at "x=3±0.1,y=4±1"
uncertainty "x*y" --at "x=1e200±1e198,y=1e200±1"
uncertainty "exp(1000x)" --at "x=1±0.1"
uncertainty "ln(x)" --at "x=-1±1"
ops
ops tanh
graph "x*y" --at x=1,y=2
graph "x^2*y"
graph "if(x>0,x^2,y)" --at x=1,y=2
plot "x^2" --x=-1:1 --tangent 1
plot "1/x" --x=-1:1
plot "abs(x)"
plot "floor(x)"
plot "sqrt(x)"
plot "x^(1/3)"
plot "1e17 + floor(x)" --x=-1.5:1.5
audit samples/notes.tex
audit samples/notes.tex samples/notes.tex
"""
"""Commands that print every kind of field."""

OF = {"x": 2, "y": 3}

RETURNED: dict[str, list[Callable[[], Any]]] = {
    "check": [
        lambda: exprgrad.ask("d/dx x^2 = 2x"),
        lambda: exprgrad.check("x^2", "2x"),
        lambda: exprgrad.check("x^2", "3x", wrt="x"),
        lambda: exprgrad.check_work("x^2", ["y' = 2x"]),
        lambda: exprgrad.check_work("x^2 sin(x)", ["y' = 2x sin(x)", "y' = 2x cos(x)"]),
    ],
    "compare": [lambda: exprgrad.compare("x^2*y", OF)],
    "eval": [
        lambda: exprgrad.parse("x^2*y").evaluate(OF),
        lambda: exprgrad.parse("x^2").evaluate({"x": [1, 2]}),
        lambda: exprgrad.directional("x^2*y", OF, {"x": 1}),
        lambda: exprgrad.directional("x^2", {"x": [1, 2]}, {"x": [1, 0]}),
    ],
    "expression": [
        lambda: exprgrad.parse("x^2*y"),
        lambda: exprgrad.parse_latex(r"\frac{x}{2}"),
        lambda: exprgrad.simplify("x*x/x"),
        lambda: exprgrad.parse("sqrt(x^2)").derivative("x"),
    ],
    "diff": [lambda: exprgrad.ask("x^2*y")],
    "fit": [
        lambda: exprgrad.fit("y ~ a*x", {"x": [1, 2], "y": [2, 4]}, {"a": 1}),
        lambda: exprgrad.fit("y ~ a*x", {"x": [1, 2, 3], "y": [2, 4, 7]}, {"a": 1}),
    ],
    "gradcheck": [lambda: exprgrad.gradcheck("x^2*y", OF)],
    "grade": [
        lambda: exprgrad.grade("d/dx x^2", "So the answer is \\boxed{2x}."),
        lambda: exprgrad.grade("d/dx x^2", "3x"),
        lambda: exprgrad.grade("2x", "3x"),
        lambda: exprgrad.grade("x^2", "I cannot tell."),
        lambda: next(iter(exprgrad.grade_many([("d/dx x^2", "2x")]))),
    ],
    "graph": [
        lambda: exprgrad.parse("x^2*y").graph(OF),
        lambda: (exprgrad.Value(2.0, name="a") ** 2).graph(),
    ],
    "minimize": [
        lambda: exprgrad.minimize("(x-1)^2", {"x": 0}),
        lambda: exprgrad.minimize("x", {"x": 0}, method="gd", rate=1, steps=5),
    ],
    "same": [
        lambda: exprgrad.equivalent("x+x", "2x"),
        lambda: exprgrad.equivalent("x", "y"),
    ],
    "session": [
        lambda: exprgrad.Session().run("a = 3")[0],
        lambda: exprgrad.Session().run("a = 1e-400")[0],
        lambda: exprgrad.Session().run("w = [1, 2]")[0],
        lambda: exprgrad.Session().run("f(x) = 2x^2")[0],
        lambda: exprgrad.Session().run(":vars")[0],
        lambda: exprgrad.Session().run(":set digits 5")[0],
        lambda: exprgrad.Session().run(":quit")[0],
    ],
    "trace": [
        lambda: exprgrad.Session().run(":walk x^2*y at x=2, y=3")[0],
        lambda: (exprgrad.Value(2.0, name="a") ** 2).trace(),
    ],
    "uncertainty": [
        lambda: exprgrad.uncertainty("x*y", {"x": "3±0.1", "y": "2±1"}),
        lambda: exprgrad.uncertainty({"p": "x*y", "s": "x+y"}, {"x": "3±0.1", "y": "2±1"}),
    ],
}  # fmt: skip
"""What functions of the package return, by the command that prints the same, or by what it is."""

BY_NAME = frozenset(
    "at seed at_texts seed_texts gradient gradient_texts errors not_differentiable tangents digits condition formulas "
    "formula_operations reference derivatives latex assumes values value_texts exact steps where variables parameters "
    "correlations quantities required students questions mistakes cells derivative_texts numeric hessian hessian_errors hessian_texts".split()
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
    for name, results in RETURNED.items():
        printed.setdefault(name, []).extend(fields_of(make()) for make in results)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What exprgrad prints with --format json, and the fields of results in Python",
        "$defs": {name: drawn(found) for name, found in sorted(printed.items())},
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in sorted(printed)],
    }


def fields_of(result: Any) -> Any:
    """The fields of a result as programs read them from JSON."""
    return json.loads(to_json(result.as_dict()))


def drawn(values: Iterable[Any], key: str = "") -> dict[str, Any]:
    """The schema that all of these values have."""
    every = list(values)
    objects = [value for value in every if isinstance(value, dict)]
    lists = [value for value in every if isinstance(value, list)]
    kinds = {kind_of(value) for value in every} - {""}
    kinds |= {"number"} if kinds & {"integer"} else set()
    kinds -= {"integer"}
    found: dict[str, Any] = {"type": sorted(kinds) if len(kinds) != 1 else kinds.pop()}
    if key == "verdict" and objects:  # which `grade` gives beside its own
        return {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/check"}]}
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
