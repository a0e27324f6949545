"""Hostile input for every public entry point: an answer, or an error of the library with an exit code that it has.

    python -m tests.fuzzing 100000 7         # so many inputs from this seed, with those that fail or take over 2 s

The functions of the package and the methods of what they return, the commands with their options as Typer knows them,
and sessions with the commands of their table and all that a terminal draws of them. What is drawn from is a language of
expressions, the same with characters changed, and objects that no one should pass.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import exprgrad
from exprgrad.errors import ExprgradError, InternalError
from exprgrad.operations.operation import function_names

np = __import__("numpy")

SECONDS = 2.0
"""What no input may take longer than."""

LEAVES = (
    "x", "y", "z", "a", "x0", "θ", "self", "ans", "_", "v", "w", "0", "1", "2", "-1", "0.5", "1e-9", "1e300", "9" * 30,
    "pi", "e", "∞", "[1,2,3]", "[[1,2],[3,4]]", "v[0]", "1/0", "nan", "|x|", "x!", "f(x)", "f'(x)", "d/dx x^2", "true",
)  # fmt: skip
GLUE = (
    "+", "-", "*", "/", "^", "**", " ", "", ",", "=", "==", "<", ">=", "!=", " and ", " or ", "@", ";", "\n", "(", ")",
    " at ", " wrt ", " mod ", "%", "·", "²", "'", "|", ":", "->", "\\", "#", "$", "~", "±", "}{", "\t", "]", "[", "!",
)  # fmt: skip
FORMS = (
    "d/dx ({})", "∂/∂y ({})", "grad ({}) at x=1", "if({}>0, x, 2)", "sum({})", "|{}|", "√({})", "\\frac{{{}}}{{x}}",
    "f(x) = {}", "x = {}", "{} = 2x", "y' = {}", "lim {}", "∫{} dx", "{}^({})", "{} for x > 0", "[{}, {}]",
    "\\frac{{d}}{{dx}} {}", "\\sin^{{{}}} {}", "\\left({}\\right)^{}", "{{{} \\over {}}}", "\\sqrt[{}]{{{}}}", "${}$",
    "\\def\\a#1{{{}}}\\a{{{}}}", "\\begin{{cases}} {} & {} \\\\ {} & \\text{{if }} {} \\end{{cases}}", "{}_{{{}}}", "\\text{{{}}}",
    "diff({}, x, 2)", "({})'", "max({}, {})", "{}; {}", "log_2({})", "piecewise(x<0, {}, {})", "{} @ {}", "norm({})",
)  # fmt: skip
ODD_CHARACTERS = "\0\x1b\u202e\ud83d�\u00a0²½Ⅷ٣𝑥'\"`;#\\{}[]()|<>=!?:,._^*/+-0123456789eExyd∂∇ \n\r\t"


class Fuzz:
    """One stream of inputs, all of which follow from the seed."""

    weights = (2, 1, 1)
    """How often a function is called, a command run, a session played."""

    def __init__(self, seed: object, folder: Path) -> None:
        self.random = random.Random(f"{seed}")
        self.folder = folder
        self.functions = sorted(function_names())

    # Texts

    def text(self, depth: int = 3) -> str:
        """An expression, or what was one before some characters changed."""
        choose, chance = self.random.choice, self.random.random()
        if chance < 0.04:
            return "".join(choose(ODD_CHARACTERS) for _ in range(choose((0, 1, 5, 40))))
        if chance < 0.06:
            return choose(LEAVES + GLUE) * choose((20, 300, 6000))
        text = self._expression(depth)
        while chance > 0.7:
            at = self.random.randrange(len(text) + 1)
            text = text[:at] + choose(ODD_CHARACTERS) + text[at + choose((0, 1)) :]
            chance = self.random.random()
        return text

    def _expression(self, depth: int) -> str:
        choose, chance = self.random.choice, self.random.random()
        if depth <= 0 or chance < 0.2:
            return choose(LEAVES)
        if chance < 0.45:
            inner = [
                self._expression(depth - 1) for _ in range(choose((1, 1, 1, 2, 3)))
            ]
            return f"{choose(self.functions)}({', '.join(inner)})"
        if chance < 0.6:
            form = choose(FORMS)
            return form.format(
                *(self._expression(depth - 1) for _ in range(form.count("{}")))
            )
        left, right = self._expression(depth - 1), self._expression(depth - 1)
        return f"{left}{choose(GLUE[:8] if chance < 0.9 else GLUE)}{right}"

    def point(self) -> str:
        """Values as they are typed behind `--at`."""
        names = self.random.choices(LEAVES[:11], k=self.random.randint(0, 3))
        pairs = [
            f"{n}={self.random.choice((*LEAVES, '0:1:5', '@x.csv', self.text(1)))}"
            for n in names
        ]
        return self.random.choice((",", ", ", ";", " ")).join(pairs)

    # Objects

    def object(self, depth: int = 1) -> Any:
        """What nobody should pass, and what one may."""
        choose = self.random.choice
        inner = (lambda: self.object(depth - 1)) if depth else (lambda: 1.0)
        return choose((
            None, True, 0, 1, -1, 3, 10**400, 0.5, float("nan"), float("inf"), -0.0, 1e-320, 1j, b"x^2", "x", "x^2", "",
            "9" * 400, "x^2 = 3", object(), [], {}, (), {"x": 1}, {"x": 2.0, "y": -1}, ["x"], ["x", "y"], "reverse",
            lambda: np.array([1.0, 2.0]), lambda: np.array([1j, 2]), lambda: np.eye(2), lambda: np.array(["a", None]),
            lambda: np.float32(0.5), lambda: np.zeros((0, 3)), lambda: exprgrad.Value(2.0), lambda: exprgrad.parse("x*y"),
            lambda: {choose(("x", "y", "self", 3, None, "")): inner()}, lambda: [inner(), inner()], lambda: (inner(), "x"),
            lambda: iter([inner()]), lambda: self.text, lambda: self.text(2), lambda: self.text(2), range(3), {"x"},
            sys.maxsize, -(10**20), "lbfgs", "adam", "derivative", "tangent", "implicit", np.nan, np.int64(2),
        ))  # fmt: skip

    def _made(self, depth: int = 1) -> Any:
        found = self.object(depth)
        return (
            found()
            if inspect.isfunction(found) and found.__name__ == "<lambda>"
            else found
        )

    def arguments(
        self, function: Callable[..., Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Arguments of which at least one is odd."""
        fitting = {
            "text": "x^2 + sin(y)", "expression": exprgrad.parse("x*y + ln(x)"), "at": {"x": 2.0, "y": 3.0},
            "given": "x^2", "claim": "2x", "function": "x^2", "lines": ["2x"], "a": "x*2", "b": "x + x",
            "f": "(x-1)^2 + y^2", "start": {"x": 0.5, "y": 1.0}, "seed": {"x": 1.0}, "vector": {"x": 1.0, "y": 0.0},
            "name": "x", "order": 2, "model": "y ~ a*x + b", "data": {"x": [1, 2, 3], "y": [2, 4, 7]}, "wrt": "x",
            "point": {"x": 1.0, "y": 2.0}, "steps": 5,
        }  # fmt: skip
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except ValueError:
            parameters = []
        odd = self.random.randrange(len(parameters) + 1)
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for i, parameter in enumerate(parameters):
            needed = parameter.default is parameter.empty
            if i != odd and not needed and self.random.random() < 0.8:
                continue
            strange = (
                i == odd or parameter.name not in fitting or self.random.random() < 0.1
            )
            value = self._made() if strange else fitting[parameter.name]
            if isinstance(parameter.default, bool):  # anything is true or false
                value = self.random.choice((True, False, None, "no"))
            if parameter.kind is parameter.KEYWORD_ONLY or (not needed and named):
                named[parameter.name] = value
            elif parameter.kind is parameter.VAR_KEYWORD:
                named |= (
                    {"x": value, "self": 1.0}
                    if self.random.random() < 0.5
                    else {"x": value, "y": 2.0}
                )
            elif needed or len(positional) == i:
                positional.append(value)
            else:
                named[parameter.name] = value
        return positional, named

    # Entry points

    def call(self) -> Callable[[], Any]:
        """A function of the package, or a method of an object that it gives."""
        names = [
            n
            for n in exprgrad.__all__
            if n not in ("__version__", "Expression", "Evaluation", "ArrayEvaluation")
        ]
        name = self.random.choice(
            (*names, *self.functions, "Expression", "Expression", "Value", "Evaluation")
        )
        owner: Any = exprgrad
        if name in ("Expression", "Value", "Evaluation"):
            owner = {
                "Expression": lambda: exprgrad.parse(self.random.choice(("x^2 + y", "sum(x*y)", "|x|/y", "2"))),
                "Value": lambda: exprgrad.Value(2.0) * exprgrad.Value(3.0),
                "Evaluation": lambda: exprgrad.parse("x*y").evaluate({"x": 1.0, "y": 2.0}),
            }[name]()  # fmt: skip
            name = self.random.choice(PUBLIC[name])
        function = getattr(owner, name, None)
        if not callable(function):
            return lambda: function
        if isinstance(function, type) and issubclass(function, Exception):
            return lambda: function("x")
        positional, named = self.arguments(function)
        self.said = (
            f"{type(owner).__name__}.{name}(*{positional!r:.300}, **{named!r:.300})"
        )
        return lambda: _used(function(*positional, **named))

    def command(self) -> Callable[[], Any]:
        """A command with some of its options."""
        from exprgrad.cli.start import run

        name = self.random.choice(list(commands()))
        argv = [name]
        for options, kind in commands()[name]:
            if options[0].startswith("--"):
                if self.random.random() < 0.12:
                    value = self._value(options[0], kind)
                    argv += [options[0]] if value is None else [options[0], value]
            elif self.random.random() < 0.97:
                argv.append(self._positional(options[0]))
        if (
            name in ("eval", "minimize", "tangent", "taylor", "compare")
            and self.random.random() < 0.7
        ):
            argv += ["--start" if name == "minimize" else "--at", self.point()]
        self.said = f"{argv!r}"
        return lambda: _code(run(argv), argv)

    def _positional(self, name: str) -> str:
        if name == "file":
            return self._file()
        return "y ~ " + self.text(2) if name == "model" else self.text(2)

    def _file(self) -> str:
        return self.random.choice(
            (
                "x.csv",
                "bad.csv",
                "t.eg",
                "sheet.txt",
                "bytes",
                "empty",
                "no",
                ".",
                "/dev/null",
                "out",
            )
        )

    def _value(self, option: str, kind: str) -> str | None:
        choose = self.random.choice
        if kind == "BOOL":
            return None
        if self.random.random() < 0.1:
            return choose((self.text(2), "", "9" * 5000, "nan", "1e999", "-"))
        if kind.startswith("Choice"):
            return choose(kind.split("'")[1::2])
        if kind.startswith(("INT", "<Int")):
            return choose(("0", "1", "2", "3", "7", "20", "300", "-1", "1e3"))
        if kind.startswith(("FLOAT", "<Float")):
            return choose(("0", "0.1", "1e-300", "1e300", "-1", "inf", "nan"))
        if "Path" in kind or option in ("--data", "--output"):
            return self._file()
        if option in ("--at", "--start", "--seed"):
            return self.point()
        return choose(
            (
                "x",
                "y",
                "x,y",
                "x y",
                "q",
                "gd",
                "lm",
                "adam",
                "cosine",
                "0:1",
                "x=0:1",
                "x=y",
                self.text(1),
            )
        )

    def session(self) -> Callable[[], Any]:
        """Some lines of a session, with all that a terminal draws while they are typed."""
        lines = [self.line() for _ in range(self.random.randint(1, 4))]
        width = self.random.choice((20, 40, 80, 200))
        self.said = f"session of {width} columns: {lines!r}"
        return lambda: play(lines, width)

    def line(self) -> str:
        """A line of a session: a definition, a command or an expression."""
        from exprgrad.session.commands import every

        choose, chance = self.random.choice, self.random.random()
        if chance < 0.25:
            return f"{choose(LEAVES[:10])} = {self.text(2)}{choose(('', '', ';'))}"
        if chance < 0.35:
            return f"{choose('fgh')}({choose(('x', 'x, y', 't', 'x,x', ''))}) = {self.text(2)}"
        if chance < 0.65:
            name = choose(
                [c.name for c in every() if c.name not in ("save", "load", "quit")]
            )
            return f":{name} {choose((self.text(2), self.text(1), self.point(), '', 'x', 'digits 3', 'x wrt x', 'v'))}"
        if chance < 0.7:
            return choose(
                (
                    "",
                    "?",
                    "?sin",
                    "help",
                    "vars",
                    "f'",
                    ":",
                    ":undo",
                    "_",
                    "ans",
                    f":load {self._file()}",
                )
            )
        return self.text(3)

    def step(self) -> Callable[[], Any]:
        """The next input."""
        kinds = (self.call, self.command, self.session)
        return self.random.choices(kinds, self.weights)[0]()


INTERNAL = {
    "array_point",
    "error",
    "part",
    "require",
    "leaves",
    "known",
    "coordinates",
    "second_partials",
    "point",
    "primals",
    "continued",
    "fault",
    "given",
    "no_second_partial",
    "no_variable",
    "of",
    "written",
}
"""Methods for the package's own modules."""

PUBLIC = {
    name: [n for n in dir(getattr(exprgrad, name)) if n[0] != "_" and not hasattr(tuple, n) and n not in INTERNAL]
    + more
    for name, more in (
        ("Expression", ["__call__"]),
        ("Value", ["__add__", "__rpow__", "__pow__", "__truediv__", "__matmul__", "__getitem__"]),
        ("Evaluation", ["__repr__"]),
    )
}  # fmt: skip
_COMMANDS: dict[str, list[tuple[list[str], str]]] = {}


def commands() -> dict[str, list[tuple[list[str], str]]]:
    """The options and arguments of every command but `repl`, with their types."""
    if not _COMMANDS:
        import typer

        from exprgrad.cli.app import application

        for name, command in typer.main.get_command(application()).commands.items():  # type: ignore[attr-defined]
            if name not in ("repl", "mcp"):
                _COMMANDS[name] = [(list(p.opts), _kind(p)) for p in command.params]
    return _COMMANDS


def _kind(parameter: Any) -> str:
    """The type of a parameter by its name, in Typer before 0.29 and since."""
    if hasattr(parameter, "type"):
        kind = str(parameter.type)
    else:
        own = parameter.type_descriptor.annotation
        kind = {int: "INT", bool: "BOOL"}.get(own) or str(own)
    return "Path" if "Path" in kind else kind


def _used(found: Any) -> None:
    """Take a result as users would: its text, and the first steps of what can be iterated."""
    repr(found)
    if hasattr(found, "__next__"):
        for _ in range(3):
            next(found, None)


def _code(code: Any, argv: list[str]) -> None:
    if code not in (0, 1, 2, 3):
        raise AssertionError(f"exit code {code}")


def play(lines: list[str], width: int) -> None:
    """Type lines in a session: completed, coloured, previewed, executed and drawn. No definition may be lost."""
    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    from exprgrad.session.screen import blocks
    from exprgrad.session.session import Session
    from exprgrad.terminal.editing import Completions, Highlighter, Preview
    from exprgrad.views.layout import lines as drawn

    session = Session()
    preview, colours = Preview(lambda: session), Highlighter(lambda: session)
    for text in ("v = [1,2,3]", "a = 2", "f(x) = x^2 sin x", *lines):
        for typed in (text[: len(text) // 2], text):
            preview.of(typed)
            colours.pieces(typed)
            list(
                Completions(lambda: session).get_completions(
                    Document(typed), CompleteEvent()
                )
            )
        before = dict(session.scope.definitions)
        try:
            for result in session.run(text):
                list(drawn(blocks(result, session.settings), width))
        except InternalError:
            raise
        except ExprgradError:
            pass
        kept = session.scope.definitions
        words = text.replace(";", " ").replace("\n", " ").split()
        meant = any(w.lstrip(":") in ("del", "clear", "undo", "load") for w in words)
        if not (meant or before.keys() <= kept.keys()):
            raise AssertionError(f"{before.keys() - kept.keys()} lost")


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """A folder with some files, in which what is written does no harm."""
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "x.csv").write_text("x,y\n1,2\n2,3\n3,5\n")
        (folder / "bad.csv").write_text('x,y\n1,\n"2,3\nnan,x\n\x1b[31m,9e999\n')
        (folder / "t.eg").write_text("a = 2;\nb = a^2\n:trace b*x at x=1\n")
        (folder / "sheet.txt").write_text("d/dx x^2 = 2x\nd/dx sin x = -cos x\nx = \n")
        (folder / "bytes").write_bytes(bytes(range(256)) * 4)
        (folder / "empty").touch()
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(home)


def failure(fuzz: Fuzz) -> str | None:
    """Try the next input; what is wrong with what came of it, or None."""
    call = fuzz.step()
    out, err, stdin = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"x,y\n1,2\n"))
    start = time.process_time()
    wrong = None
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("error")
            call()
    except InternalError as error:
        wrong = _place(error.__cause__)
    except (ExprgradError, StopIteration):
        pass
    except TypeError as error:
        if (
            _depth(error) > 3
        ):  # Python itself refuses a call that does not fit, further out
            wrong = _place(error)
    except Exception as error:
        wrong = _place(error)
    finally:
        sys.stdin = stdin
    if wrong is None and (
        "Traceback" in err.getvalue() or "should not happen" in err.getvalue()
    ):
        wrong = err.getvalue()[-300:]
    seconds = time.process_time() - start
    if wrong is None and seconds > SECONDS:
        wrong = f"{seconds:.1f} s"
    return None if wrong is None else f"{wrong}\n    {fuzz.said[:900]}"


def _depth(error: BaseException) -> int:
    return len(traceback.extract_tb(error.__traceback__))


def _place(error: BaseException | None) -> str:
    if error is None:
        return "?"
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
    return f"{type(error).__name__}: {str(error)[:200]} ({where})"


class _Hangs(BaseException):
    """Raised in what takes much too long."""


def _hangs(*_: object) -> None:
    stack = traceback.extract_stack(limit=14)
    raise _Hangs(
        " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(stack))
    )


def main(count: int, seed: str) -> int:
    """Try so many inputs, and print each new failure; how many there were."""
    found = 0
    seen: set[str] = set()
    signal.signal(signal.SIGVTALRM, _hangs)
    with workplace() as folder:
        for i in range(count):
            fuzz = Fuzz(f"{seed}/{i}", folder)
            signal.setitimer(signal.ITIMER_VIRTUAL, 20)
            try:
                wrong = failure(fuzz)
            except _Hangs as error:
                wrong = f"over 20 s: {error}\n    {fuzz.said[:900]}"
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            if wrong is not None:
                found += 1
                kind = wrong.splitlines()[0]
                if kind not in seen:
                    seen.add(kind)
                    print(f"{i}: {wrong}", flush=True)
    print(f"{count} inputs, {found} failures")
    return found


if __name__ == "__main__":
    sys.exit(min(main(int(sys.argv[1]), sys.argv[2]), 1))
