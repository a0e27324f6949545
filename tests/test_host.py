"""The process that uses the package is left as it was: nothing public changes what all code in it shares."""

from __future__ import annotations

import decimal
import gc
import locale
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import exprgrad
from exprgrad import Session, Value, parse
from exprgrad.errors import ExprgradError
from exprgrad.operations.operation import callable_named, function_names
from tests.cli.test_cli import environment

mpmath = pytest.importorskip("mpmath")
np = pytest.importorskip("numpy", reason="needs the extra arrays")
pytest.importorskip("scipy.optimize")  # adds a filter of warnings when it is imported

POINT = {"x": 0.7, "y": 1.25}
F = "y*sin(x)^2/ln(1 + x) + gamma(y)*digamma(x) + |x - y|"
CANCELLING = "1e16 + 1 - 1e16 + (1 - cos(x/1e8))/x^2"


def state() -> dict[str, Any]:
    """What code in a process shares, or finds set for its thread."""
    return {
        "mpmath": (mpmath.mp.prec, mpmath.mp.dps, mpmath.mp.pretty),
        "rounding": getattr(mpmath.mp, "rounding", None),  # mpmath 1.3 has none
        "numpy": np.geterr(),
        "garbage collector": (
            gc.isenabled(),
            gc.get_threshold(),
            gc.get_freeze_count() > 0,  # what is frozen may still be freed
        ),
        "signals": {s: signal.getsignal(s) for s in signal.valid_signals()},
        "alarm": signal.getitimer(signal.ITIMER_REAL),
        "recursion": sys.getrecursionlimit(),
        "warnings": list(warnings.filters),
        "decimal": repr(decimal.getcontext()),
        "digits of integers": sys.get_int_max_str_digits(),
        "random": random.getstate(),
        "random of numpy": np.random.get_state()[1].tolist(),
        "locale": locale.setlocale(locale.LC_ALL),
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "profiler": (sys.getprofile(), sys.gettrace()),
        "switching": sys.getswitchinterval(),
        "excepthook": (sys.excepthook, threading.excepthook),
    }


def tried(call: Callable[[], Any]) -> None:
    """A call whose error is an answer."""
    with suppress(ExprgradError):
        call()


def backward() -> None:
    x, y = Value(2.0), Value(3.0)
    ((x * y + 1) ** 2 + exprgrad.digamma(x)).backward()


class Unit:
    """A layer of one unit."""

    def __init__(self):
        self.w = Value(0.5)

    def __call__(self, x):
        return self.w * x[0]

    def parameters(self):
        return [self.w]


def functions_of_models():
    assert exprgrad.network([Unit()], [2.0]).units == ((2.0,), (1.0,))
    assert exprgrad.dead_units(Unit()) == [""]


def functions_of_values() -> None:
    cube = exprgrad.operation(lambda x: x**3, lambda x: 3 * x**2, "cube")
    x, y = Value(2.0), Value(3.0)
    exprgrad.named({"x": x, "y": y})
    root = cube(x) * y
    root.backward()
    exprgrad.zero_grad([root])
    str(root.trace()), root.graph().svg(), str(root.expression())


class Half(exprgrad.Function):
    """A class of a user's."""

    def forward(self, x: float) -> float:
        return x / 2

    def backward(self, gradient: float) -> float:
        return gradient / 2


def array_evaluation() -> None:
    f = parse("sum((X @ w - y)^2) + norm(1/w)")
    f.evaluate({"X": np.eye(3), "w": np.array([1.0, 2.0, 0.5]), "y": np.ones(3)})


def methods_of_expressions() -> None:
    f = parse(F)
    f(**POINT)
    tried(lambda: f(x=-1, y=0))
    str(f.derivative("x")), f.reading, f.hessian(POINT)
    f.evaluate(POINT, mode="forward")
    parse(CANCELLING).evaluate({"x": 0.5})
    compiled = f.compile()
    compiled(*POINT.values())
    compiled.arrays(np.array([0.5, -1, 2.0]), 1.5)


def minimized() -> None:
    for method in ("adam", "lbfgs", "trust"):
        f = "(1-x)^2 + 100*(y-x^2)^2 + ln(x + 2)"
        assert (
            exprgrad.minimize(
                f, {"x": -1.2, "y": 1}, method=method, steps=20
            ).result.steps
            > 0
        )


def batched() -> None:
    pandas = pytest.importorskip("pandas")
    exprgrad.batch(pandas.DataFrame({"x": [1.0, -1.0]}), "sqrt(x)")


def fitted() -> None:
    data = {"x": [0, 1, 2, 3, 4], "y": [1, 2.5, 6.8, 19.9, 55]}
    tried(lambda: exprgrad.fit("y ~ a*exp(b*x)", data, {"a": 1, "b": 1}))
    tried(
        lambda: exprgrad.fit(
            "y ~ a + b^x", data, {"a": 1, "b": 2}, bounds={"b": (0, 3)}
        )
    )


def session() -> None:
    own = Session()
    for line in (
        "x = 2; f(t) = t^2 sin(t)",
        "f'(x)",
        ":trace x^2",
        ":steps f(t)",
        "1/0",
    ):
        tried(lambda line=line: own.run(line))


def checked() -> None:
    exprgrad.check("x^2*sin(x)", "2x sin x + x^2 cos x", wrt="x")
    exprgrad.check("x^2*sin(x)", "2x cos x", wrt="x")
    exprgrad.check("sqrt(x^2)", "x/|x|")


def within_limits() -> None:
    with exprgrad.limits(seconds=60, memory=1000, budget=10**6):
        exprgrad.check("x^2", "2x")


CALLS: dict[str, Callable[[], Any]] = {
    "Tensor": lambda: exprgrad.Tensor(3.0).sum().backward(),
    "Value": backward,
    "Expression": methods_of_expressions,
    "Evaluation": lambda: repr(parse(F).evaluate(POINT)),
    "ArrayEvaluation": array_evaluation,
    "parse": lambda: (
        parse("(" * 3000 + "x" + ")" * 3000),
        tried(lambda: parse("2 +")),
    ),
    "parse_latex": lambda: (
        exprgrad.parse_latex(r"\frac{x^2}{\sin y}"),
        tried(lambda: exprgrad.parse_latex(r"\frac{x}")),
    ),
    "uncertainty": lambda: (
        exprgrad.uncertainty("x*y", {"x": "2±0.1", "y": "3(1)"}),
        tried(lambda: exprgrad.uncertainty("x*y", {"x": "2±0.1", "y": "3"})),
    ),
    "simplify": lambda: exprgrad.simplify("(x^2 - 1)/(x - 1)"),
    "compare": lambda: exprgrad.compare(parse(F), POINT),
    "gradcheck": lambda: exprgrad.gradcheck(parse(F), POINT),
    "check": checked,
    "check_work": lambda: exprgrad.check_work(
        "x^2 sin x", ["f'(x) = 2x sin x + x^2 cos x", "= 2x cos x"]
    ),
    "equivalent": lambda: exprgrad.equivalent("sin(2x)", "2 sin(x) cos(x)"),
    "directional": lambda: exprgrad.directional(parse(F), POINT, {"x": 1, "y": 2}),
    "hessian_product": lambda: exprgrad.hessian_product(
        parse(F), POINT, {"x": 1, "y": 2}
    ),
    "derivatives": lambda: exprgrad.derivatives(parse("sin(x)/x"), {"x": 1e-3}, "x", 6),
    "minimize": minimized,
    "fit": fitted,
    "batch": batched,
    "Session": session,
    "grade": lambda: exprgrad.grade("d/dx x^2", "So it is 2x."),
    "grade_many": lambda: [*exprgrad.grade_many([("2", "2"), ("x", "1/(")])],
    "ask": lambda: exprgrad.ask("d/dx x^2 = 2x"),
    "limits": within_limits,
    "operation": functions_of_values,
    "named": functions_of_values,
    "zero_grad": functions_of_values,
    "dead_units": functions_of_models,
    "network": functions_of_models,
    "Function": lambda: Half.apply(Value(2.0)).backward(),
}


def test_completion_knows_every_public_name():
    assert set(exprgrad.__all__) <= {*dir(exprgrad)}


def test_every_public_function_is_called_here():
    errors = {
        name
        for name in exprgrad.__all__
        if isinstance(own := getattr(exprgrad, name), type)
        and issubclass(own, Exception)
    }
    assert set(CALLS) == set(exprgrad.__all__) - errors - {"__version__"}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_a_call_leaves_the_process_as_it_was(name):
    CALLS[name]()  # what is imported for it may count its own seeds
    before = state()
    CALLS[name]()
    assert state() == before


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_a_call_leaves_settings_of_the_user_alone(name):
    """Neither the defaults nor anything else that a user may have set is put in place of what is there."""
    limit = sys.getrecursionlimit()
    with (
        mpmath.workprec(77),
        np.errstate(all="ignore", under="warn"),
        warnings.catch_warnings(),
        decimal.localcontext(prec=5, rounding=decimal.ROUND_UP),
    ):
        warnings.simplefilter("ignore", ImportWarning)
        sys.setrecursionlimit(limit + 77)
        gc.disable()
        try:
            before = state()
            CALLS[name]()
            assert state() == before
        finally:
            gc.enable()
            sys.setrecursionlimit(limit)


@pytest.mark.slow
def test_functions_of_numbers_and_of_values_leave_the_process_as_it_was():
    functions = [callable_named(name) for name in function_names()]
    before = state()
    for function in functions:
        for x in (0.3, -2.0, 4.0, Value(0.3)):
            for arguments in ([x], [x, 2.0], [x, 2.0, 1.0]):
                try:
                    function(*arguments)
                except (ExprgradError, TypeError, ArithmeticError, ValueError):
                    continue
    assert state() == before


@pytest.mark.slow
def test_threads_at_work_change_nothing_that_other_threads_see():
    for call in CALLS.values():
        call()  # what is imported for it may change what is seen
    before = state()
    threads = [threading.Thread(target=call) for call in CALLS.values()]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        now = state()
        assert {k: v for k, v in now.items() if v != before[k]} == {}
        time.sleep(0.001)  # looking all the time would leave no time for the work
    assert state() == before


FORKS = """
import os, signal, sys, threading
from exprgrad import Value, parse
import exprgrad

def work():
    x = Value(0.3)
    (exprgrad.digamma(x*x) + exprgrad.sinc(x)/x).backward()
    parse("(1 - cos(x))/x^2").evaluate({"x": 1e-9})
    exprgrad.check("x^2", "2x", wrt="x")
    exprgrad.check("x^2", "3x", wrt="x")
    parse("x*abs(x)").evaluate({"x": 0})

def always():
    while not ended:
        work()

work()
ended = False
threads = [threading.Thread(target=always, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(25):
    child = os.fork()
    if not child:
        signal.alarm(30)  # what hangs is ended by this
        work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        ended = True
        sys.exit(f"the child ended with {status}")
ended = True
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork")
def test_a_fork_while_threads_work_can_work_too():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKS],
        capture_output=True,
        env=environment(),
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


HOSTILE = """
import random, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 * 1024**3,) * 2)
import exprgrad
from exprgrad.errors import ExprgradError, InternalError

TEXTS = ["(x+y+z+1)^600", "10^(10^9)", "1000000!/999999!", "((9!)!)!*x", "gamma(gamma(gamma(gamma(x))))", "9^9^9^9",
    "x^(10^100)", "(1+1/10^9)^(10^9)", "e^(e^(e^10))", "sin(10^(10^6))", "(x^2-1)^500/(x-1)^500", "(2x+0.1)^(10^12)*y^9",
    "mod(x, 10^1000)", "digamma(x, 100)", "0.1^(10^9)", "x^600 - max(x, 10^400)"]

def drawn(draw, depth):
    one = lambda: drawn(draw, depth - 1)
    if not depth:
        number = f"{draw.randrange(2, 99)}^{draw.choice((9, 600, 10**6, 10**11))}"
        return draw.choice(("x", "y", "x", number, f"{draw.randrange(9, 10**6)}!", "1e-400", "(x+y+z+1)"))
    form = draw.choice(("({})^({})", "({})*({})", "({})-({})", "({})/({})", "gamma({})+{}", "exp({})*({})", "root({}, 99)*({})"))
    return form.format(one(), one())

def survives(call):
    try:
        call()
    except InternalError:
        raise
    except ExprgradError:
        pass

for text in [*TEXTS, *(drawn(random.Random(seed), 2) for seed in range(12))]:
    print(text, flush=True)
    f = exprgrad.parse(text)
    point = dict.fromkeys(f.variables, 2.5)
    survives(lambda: str(f.derivative("x")) if point else "")
    survives(lambda: str(f.simplify()))
    for digits in (10, 60):
        survives(lambda: f.evaluate(point, digits=digits))
    survives(lambda: exprgrad.equivalent(text, f"({text}) + x/10^99"))
    survives(lambda: exprgrad.check(text, f"({text})*2", wrt="x"))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits memory")
def test_hostile_powers_and_factorials_neither_abort_nor_take_memory():
    ran = subprocess.run(
        [sys.executable, "-c", HOSTILE],
        capture_output=True, text=True, env=environment(),
    )  # fmt: skip
    assert not ran.returncode, (ran.stdout.splitlines()[-1:], ran.stderr[-2000:])
