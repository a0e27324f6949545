"""Every reader and writer does work in proportion to its input: exponent 1.2 at most, on inputs four times as long.

Counted are the calls of functions, those of methods in C with the length of what they look through, such as `list.count`.
"""

from __future__ import annotations

import contextlib
import gc
import io
import sys
from collections.abc import Callable
from typing import Any

import pytest

from exprgrad import ExprgradError, Session, ask, check, check_work, grade, parse
from exprgrad.cli.start import run
from exprgrad.grading.audit import audit
from exprgrad.proof.elementary import vanishes

EXPONENT = 1.2
LINEAR = {"count", "replace", "split", "splitlines", "translate", "copy", "remove", "insert", "partition", "rpartition"}  # fmt: skip
"""Methods of C whose work is as much as the object is long."""


def work(task: Callable[[], Any]) -> float:
    """How many operations a task takes."""
    count = 0.0

    def counts(frame: object, event: str, argument: Any) -> None:
        nonlocal count
        if event == "call":
            count += 1
        elif event == "c_call":
            own = getattr(argument, "__self__", None)
            looks = isinstance(own, str | bytes | list | tuple) and argument.__name__ in LINEAR  # fmt: skip
            count += 1 + (len(own) / 16 if looks else 0)

    before = sys.getprofile()
    gc.collect(1)  # what the task before has left; all that there is takes a second
    gc.disable()  # what else is cleared away would count too
    sys.setprofile(counts)
    try:
        with contextlib.suppress(ExprgradError):
            task()
    finally:
        sys.setprofile(before)
        gc.enable()
    return count


def program(*argv: str) -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        run(list(argv))


def written(name: str, text: str) -> str:
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def names(n: int) -> str:
    return "+".join(f"x{i}" for i in range(n))


def at(n: int) -> str:
    return ",".join(f"x{i}={i}" for i in range(n))


def lines(n: int, text: str) -> str:
    return "\n".join(text.format(i, i + 1) for i in range(n)) + "\n"


def sweep(text: str) -> None:
    f = parse(text)
    f.evaluate(dict.fromkeys(f.variables, 0.5), refine=False)


SHAPES: dict[str, Callable[[int], Callable[[], Any]]] = {
    # texts
    "names with numbers": lambda n: lambda: parse(names(n)),
    "names in a product": lambda n: lambda: parse(names(n).replace("+", " ")),
    "names of which some are declared": lambda n: lambda: parse(names(n), [f"x{i}" for i in range(0, n, 2)]),
    "names to be split": lambda n: lambda: parse(" + ".join(["xyz"] * n), "xyz"),
    "names in Greek": lambda n: lambda: parse("+".join(f"α{i}" for i in range(n))),
    "numbers": lambda n: lambda: sweep("+".join(f"{i}.5" for i in range(n)) + "+x"),
    "calls beside each other": lambda n: lambda: sweep("+".join(f"sin({i}x)" for i in range(n))),
    "calls of several arguments": lambda n: lambda: parse("+".join(f"max(x,{i},y)" for i in range(n))),
    "arguments": lambda n: lambda: parse(f"max({','.join(f'x{i}' for i in range(n))})"),
    "entries of an array": lambda n: lambda: parse(f"sum([{','.join(f'x{i}' for i in range(n))}])"),
    "rows of an array": lambda n: lambda: parse(f"sum([{','.join(f'[x,{i}]' for i in range(n))}])"),
    "nested brackets": lambda n: lambda: parse("([{" * n + "x" + "}])" * n),
    "nested calls": lambda n: lambda: sweep("sin(" * n + "x" + ")" * n),
    "nested powers": lambda n: lambda: parse("(" * n + "x" + ")^2" * n),
    "primes": lambda n: lambda: parse("+".join(["(x^2)'"] * n)),
    "derivatives in the notation of Leibniz": lambda n: lambda: parse("+".join(["d/dx(x^2)"] * n)),
    "absolute values": lambda n: lambda: parse("+".join(["|x|"] * n)),
    "conditions": lambda n: lambda: parse("piecewise(" + "".join(f"x<{i},{i}," for i in range(n)) + "x)"),
    "undefined functions": lambda n: lambda: parse("+".join(f"g{i}(x)" for i in range(n))),
    "unknown names before brackets": lambda n: lambda: parse("+".join(f"a{i}(x+1)" for i in range(n))),
    "superscripts": lambda n: lambda: parse("+".join(["x²"] * n)),
    "comments": lambda n: lambda: parse("x" + " # a\n+x" * n),
    "what is no expression": lambda n: lambda: parse("x ~ " * n),
    "an error at the end": lambda n: lambda: parse(names(n) + "+"),
    # LaTeX
    "fractions in LaTeX": lambda n: lambda: parse("+".join([r"\frac{x}{2}"] * n)),
    "names in LaTeX": lambda n: lambda: parse("+".join(f"x_{{{i}}}" for i in range(n)) + r"+\frac12"),
    "nested fractions in LaTeX": lambda n: lambda: parse(r"\frac{1}{1+" * n + "x" + "}" * n),
    "cases in LaTeX": lambda n: lambda: parse(r"\begin{cases} " + "".join(rf"{i} & x<{i} \\ " for i in range(n)) + r"x & \text{otherwise} \end{cases}"),
    # values
    "values": lambda n: lambda: program("eval", names(n), "--at", at(n)),
    "values that are not needed": lambda n: lambda: program("eval", "x1", "--at", at(n)),
    "values in words": lambda n: lambda: program("eval", f"{names(n)} at {at(n)}"),
    "points of a range": lambda n: lambda: program("eval", "x^2", "--at", f"x=0:1:{n}", "--format", "json"),
    # tables
    "columns": lambda n: lambda: program("batch", "x1", "--data", written("c.csv", at(n).replace("=", "_") + "\n" + ",".join("1" * n) + "\n")),
    "columns that are all needed": lambda n: lambda: program("batch", names(n), "--data", written("d.csv", ",".join(f"x{i}" for i in range(n)) + "\n" + ",".join("1" * n) + "\n")),
    "rows": lambda n: lambda: program("batch", "x+y", "--data", written("r.csv", "x,y\n" + lines(n, "{0},{1}"))),
    "rows of JSON": lambda n: lambda: program("batch", "x", "--data", written("r.jsonl", lines(n, '{{"x": {0}}}'))),
    # sessions, sheets, solutions, documents
    "definitions of a script": lambda n: lambda: program("run", written("s.eg", lines(n, "f{0} = x + {1};"))),
    "definitions that need each other": lambda n: lambda: program("run", written("t.eg", "f0 = x;\n" + lines(n, "f{1} = f{0} + 1;"))),
    "functions of a session": lambda n: lambda: Session().run(lines(n, "f{0}(t) = t^2 + {1}")),
    "statements": lambda n: lambda: Session().run(lines(n, "x + {0};")),
    "definitions before a question": lambda n: lambda: ask(lines(n, "a{0} = {1}") + "a1 + x"),
    "rows of a sheet": lambda n: lambda: program("check", "--file", written("w.txt", lines(n, "d/dx x = 1 + 0*{0}"))),
    "definitions of a sheet": lambda n: lambda: program("check", "--file", written("v.txt", lines(n, "f{0}(x) = x + {0}") + "d/dx x^2 = 2x\n")),
    "rows of a class set": lambda n: lambda: program("check", "--file", written("k.csv", "student,problem,answer\n" + lines(n, "s{0},x^2,2x"))),
    "columns of a class set": lambda n: lambda: program("check", "--file", written("l.csv", "problem,answer," + ",".join(f"c{i}" for i in range(n)) + "\nx^2,2x\n")),
    "lines of a solution": lambda n: lambda: check_work("x^2", ["2x"] * n),
    "prose": lambda n: lambda: audit("We know this well. " * n + "$\\frac{d}{dx} x^2 = 2x$"),
    "lines of a document": lambda n: lambda: audit("Some words here.\n" * n),
    "an answer behind prose": lambda n: lambda: grade("x^2", "We know that. " * n + "The answer is $x^2$."),
    "a claim that is long": lambda n: lambda: check("x", "1" + "+0" * n),
    # writers
    "text": lambda n: parse(names(n)).__str__,
    "text of shared parts": lambda n: parse("(x+1)*" * n + "x").__str__,
}  # fmt: skip

SMALL = {
    "definitions of a sheet": 40, "rows of a sheet": 40, "rows of a class set": 100, "lines of a solution": 20, "rows": 400, "points of a range": 50,
    "cases in LaTeX": 25, "a claim that is long": 200,
}  # fmt: skip
"""Of shapes with much work to a part, as many parts as are enough."""


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_the_length_of_the_input(shape, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make, n = SHAPES[shape], SMALL.get(shape, 150)
    with contextlib.suppress(ExprgradError):
        make(10)()  # whatever is done once is done now
    small, large = work(make(n)), work(make(4 * n))
    assert large < 4**EXPONENT * small, f"{small:.0f} and {large:.0f}"


@pytest.mark.slow
def test_work_of_a_proof_does_not_grow_with_the_exponent_of_a_number():
    def prove(exponent: int) -> Any:
        root = parse(f"2^({exponent}/7) + x - x").root
        return lambda: vanishes(root)

    prove(10)()  # from 4096 bits on a power is not written out
    assert work(prove(120_000)) < 2 * work(prove(30_000))


def test_derivatives_of_derivatives_in_definitions_are_written_out_once_each():
    below = "a = x^2; b = a' + x*a; c = b' + x*b; g = c' + x*c; h = g' + x*g; k = h' + x*h; "
    above = "l = k' + x*k; m = l' + x*l; n = m' + x*m; p = n' + x*n; q = p' + x*p; r = q' + x*q; s = r' + x*r; "
    assert work(lambda: ask(below + above + "s'")) < 20 * work(lambda: ask(below + "k'"))  # fmt: skip
