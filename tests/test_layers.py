"""The import contract: a module may import from those before it, and a start loads what it needs."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import exprgrad
from exprgrad.commands.hints import ON_COMMAND_LINE
from exprgrad.errors import IN_PYTHON
from exprgrad.session.results import IN_SESSION

PACKAGE = Path(exprgrad.__file__).resolve().parent

FOLDERS = """
    annotations
    lazy
    witness
    errors
    budget
    operations: precision operators conditions declaration operation vocabulary number_types arb_kernels array_kernels kernels condition_numbers on_arrays array_operation table array_balls
    numbers: expansions exact real enclosures arb
    graph: displayed order copying sweep arithmetic backward rational value rewriting numbering functions unknown
    notation: numbers markup text pretty latex mathml python
    algebra: work polynomials field roots systems
    proof: reals angles elementary relations
    sweeps: tape generic corners rounding coordinates balls.series germs.germ germs.sides careful balls.tangents balls.sweep bounds answer precise ranges arrays.bounds arrays.rows arrays.elements
    symbolic: forms factoring writing simplify conditions derivative
    compiled: program scalar_code native_code columns compiled array_program javascript
    language: inputs notes spans scanning.defined scanning.token_lists lalr brackets leibniz undefined shapes characters products tables.expression tables.session tables.latex grammar scanning.reach elsewhere scanning.bare scanning.scanner scanning.step_tokens complaints calls builder parser latex.tex latex.commands latex.operators latex.formulas latex.stream latex.arguments latex.names latex.groups latex.tokens latex.complaints latex.cases latex.reader latex.points latex.plain points phrases questions words.conditionals words.formulas words.tasks words.corrections
    expressions: missing confirm stated taylor steps implicit within elements fields expression directions higher_orders trust comparison derivatives trace quantities uncertainty values
    data: unfinished files dialect formats byte_ranges arrow_text tables bindings grid processes batch frames partitions budgets monte_carlo
    checking: places zeros levels domain sharp points kinds.curves constants agreement fields question certificates rounding names right_pieces equations kinds.request mistakes.mistake mistakes.places mistakes.catalogue mistakes.misapplied readings mistakes.parts mistakes.whole_answer mistakes.algebra mistakes.diagnosis judging at_point derivatives kinds.real_roots kinds.critical kinds.kinds kinds.inflection kinds.rows check problems kinds.worked work.lines work.tex work.mistakes work.work work.sheet
    optimize: objective stationary array_objective options descent methods minimize
    grading: sheet class_set grade gradebook practice progress documents plain definitions claims chains doubts audit answers completions
    fitting: model least_squares fit predictions
    pictures: layers svg graph curves plot characters network walk
    views: visible lexer blocks layout output diagnostic markdown tex html formats trace evaluation arrays formulas verdicts grading reports tables pictures pages progress descent uncertainty notebook
    commands: hints declared lines complaints reading signals pages typed help eval pictures diff grading check batch minimize uncertainty manual
    session: statements formulas scope results entries workspace claims commands session screen
    terminal: editing app
    cli: mcp words repl app start
"""
"""The folders, and in each the files: one that is new goes behind all that it imports."""

BESIDE = (
    {"notation", "proof"},
    {"symbolic", "compiled"},
    {"data", "checking", "optimize"},
    {"grading", "fitting"},
)
"""Folders that do not import one another."""

LINES = [line.replace(":", "").split() for line in FOLDERS.strip().splitlines()]
ORDER = [
    f"{folder}.{file}" if file else folder
    for folder, *files in LINES
    for file in files or [""]
] + ["__main__"]
"""Every module; it may import from those before it."""


def modules() -> dict[str, Path]:
    """Every module of the package by its name, the empty heads of packages left out."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        if path.name != "__init__.py":
            found[name] = path
    return found


MODULES = modules()


@cache
def tree(name: str) -> ast.Module:
    """A module, parsed."""
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


@cache
def nodes(name: str) -> list[ast.AST]:
    """Every node of a module's tree."""
    return list(ast.walk(tree(name)))


@cache
def imports(name: str) -> frozenset[str]:
    """What a module imports, at its head or in a function; our own modules without `exprgrad.`."""
    found = set()
    for node in nodes(name):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively"
            whole = node.module or ""
            for alias in node.names:
                inside = f"{whole}.{alias.name}".removeprefix("exprgrad.")
                found.add(f"exprgrad.{inside}" if inside in MODULES else whole)
    return frozenset(module.removeprefix("exprgrad.") for module in found)


def calls(name: str) -> set[str]:
    """The plain names that a module calls."""
    found = [node.func for node in nodes(name) if isinstance(node, ast.Call)]
    return {function.id for function in found if isinstance(function, ast.Name)}


def test_every_module_has_its_place_in_the_order():
    assert set(MODULES) - set(ORDER) == set(), "add it behind all that it imports"
    assert len(ORDER) == len(set(ORDER))


def roots(name: str) -> set[str]:
    """The packages from which a module imports."""
    return {module.partition(".")[0] for module in imports(name)}


@pytest.mark.slow
def test_modules_import_only_from_those_before_them():
    wrong = {}
    for name in MODULES:
        before = ORDER[: ORDER.index(name)] if name in ORDER else ORDER
        folder = name.partition(".")[0]
        beside = set().union(*(row for row in BESIDE if folder in row)) - {folder}
        after = {m for m in imports(name) if m in ORDER and m not in before}
        wrong[name] = after | {
            m for m in imports(name) if m.partition(".")[0] in beside
        }
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.slow
def test_only_views_import_rich_only_commands_typer_and_only_the_terminal_its_editor():
    for name in MODULES:
        assert "rich" not in roots(name) or name.startswith("views."), name
        assert not roots(name) & {"typer", "click"} or name.startswith("cli."), name
        assert "prompt_toolkit" not in roots(name) or name.startswith("terminal."), name


@pytest.mark.slow
def test_only_views_and_commands_write_to_a_stream():
    for name in MODULES:
        if not name.startswith(
            (
                "views.",
                "commands.",
                "session.screen",
                "terminal.",
                "cli.",
                "__main__",
                "witness",
            )
        ):
            assert "print" not in calls(name), name
            assert not imports(name) & {"sys", "shutil", "views"}, name
        assert "input" not in calls(name), name


ALLOWED = {
    "data.formats": {"json"},  # lines of JSON
    "compiled.javascript": {"json"},  # the data in a page
    "witness": {"json"},  # a program of its own
    "cli.app": {"inspect"},  # Typer, which the application is for, imports it anyway
}


@pytest.mark.slow
def test_modules_above_the_views_do_without_slow_imports():
    slow = {"dataclasses", "inspect", "argparse", "json", "logging"}
    for name in MODULES:
        if not name.startswith("views."):
            assert imports(name) & slow <= ALLOWED.get(name, set()), name


def strings(name: str) -> list[str]:
    """The texts in a module, docstrings and the pieces of f-strings included."""
    every = [node.value for node in nodes(name) if isinstance(node, ast.Constant)]
    return [value for value in every if isinstance(value, str)]


@pytest.mark.slow
def test_only_commands_mention_options_of_the_command_line():
    option = r"(?<![-\w])--[a-z]"
    command = r"\bexprgrad (eval|diff|check|same|compare|batch|fit|minimize|ops|run)\b"
    mention = re.compile(f"{option}|{command}")
    for name in MODULES:
        if not name.startswith(("cli.", "commands.")):
            assert [s for s in strings(name) if mention.search(s)] == [], name


def hints() -> set[str]:
    """Every kind of hint that a module gives."""
    found = set()
    for name in MODULES:
        for node in nodes(name):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                texts = [a.value for a in node.args if isinstance(a, ast.Constant)]
                found |= set(texts[:1]) if node.func.id == "Hint" else set()
    return found


@pytest.mark.slow
def test_every_kind_of_hint_has_words_in_python_and_on_the_command_line():
    assert hints() <= set(IN_PYTHON) == set(ON_COMMAND_LINE)
    assert set(IN_SESSION) < set(IN_PYTHON)
    for words in (IN_SESSION, ON_COMMAND_LINE):
        for kind, say in words.items():
            assert details(say) == details(IN_PYTHON[kind]), kind


def details(say: Callable[..., str]) -> list[str]:
    """The details that the words for a hint take."""
    return list(inspect.signature(say).parameters)


ARRAYS = (
    "data.arrow_text",
    "data.byte_ranges",
    "compiled.columns",
    "compiled.native_code",
    "operations.on_arrays",
    "operations.array_balls",
    "sweeps.arrays.rows",
    "sweeps.arrays.elements",
    "sweeps.arrays.bounds",
    "expressions.elements",
    "expressions.directions",
    "compiled.array_program",
    "optimize.array_objective",
    "data.monte_carlo",
    "fitting.least_squares",
)
"""The modules for which the extra `arrays` is needed; nothing imports them at its head."""


@pytest.mark.slow
def test_arrays_are_optional():
    for name in set(MODULES) - set(ARRAYS):
        heads = [node for node in tree(name).body if isinstance(node, ast.Import)]
        first = {a.name.partition(".")[0] for node in heads for a in node.names}
        assert "scipy" not in roots(name), name
        assert "numpy" not in first, name


@pytest.mark.slow
def test_modules_begin_with_a_docstring():
    assert [name for name in MODULES if not ast.get_docstring(tree(name))] == []


EVAL = ["eval", "(a*b+c)^2", "--at", "a=2,b=3,c=1"]
HEAVY = {
    *(
        "numpy",
        "scipy",
        "flint",
        "mpmath",
        "prompt_toolkit",
        "pydantic",
        "rich",
        "lark",
        "sympy",
    ),
    *("dataclasses", "argparse", "asyncio", "logging", "http", "json", "unittest"),
}


def loaded(*argv: str) -> set[str]:
    """The modules that a fresh process loads, by `-X importtime`."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *argv],
        capture_output=True,
        env={"PATH": os.environ["PATH"], "PYTHONUTF8": "1", "COLUMNS": "80"},
        text=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )
    lines = [
        line for line in done.stderr.splitlines() if line.startswith("import time")
    ]
    return {line.rpartition("|")[2].strip() for line in lines}


def started_with() -> set[str]:
    """What Python itself loads here before any of ours (an editable install may add to it)."""
    return loaded("-c", "pass")


@pytest.mark.slow
def test_evaluating_loads_nothing_heavy():
    extra = loaded("-m", "exprgrad", *EVAL) - started_with()
    assert "exprgrad.sweeps.tape" in extra
    assert {module for module in extra if module.partition(".")[0] in HEAVY} == set()


@pytest.mark.slow
def test_json_and_traces_load_nothing_heavy_either():
    extra = loaded("-m", "exprgrad", *EVAL, "--trace", "--format", "json")
    heavy = HEAVY - {"json"}
    loaded_first = {module.partition(".")[0] for module in extra - started_with()}
    assert loaded_first & heavy == set()


REWRITING = "exprgrad.symbolic.factoring exprgrad.expressions.confirm exprgrad.expressions.taylor"
SPARED = [
    (EVAL, "copy exprgrad.numbers.real exprgrad.sweeps.careful"),
    (("diff", "x^2*sin(x)"), "exprgrad.sweeps.precise exprgrad.sweeps.careful"),
    (("check", "x^2", "2x"), f"copy zlib {REWRITING}"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("argv", "spared"), SPARED)
def test_a_command_loads_nothing_that_it_does_without(argv, spared):
    extra = loaded("-m", "exprgrad", *argv)
    assert "exprgrad.sweeps.tape" in extra
    assert extra & {*spared.split()} == set()


@pytest.mark.slow
def test_ordinary_homework_is_judged_without_balls():
    pairs = (
        ("x^2*sin(x)", "x^2*cos(x) + 2x*sin(x)"), ("x^3", "3x"), ("sin(5x)/x", "5*cos(5x)"), ("cos(x)/sqrt(x)", "-sin(x)"),
        ("x/(9 - x^2)", "-1/(2x)"), ("tan(x)", "sec(x)^2 + 1"), ("ln(2x)", "1/(2x)"), ("cbrt(x)/x", "1/cbrt(x)"),
    )  # fmt: skip
    calls = "; ".join(f"exprgrad.check{pair}" for pair in pairs)
    assert "flint" not in loaded("-c", f"import exprgrad; {calls}")


@pytest.mark.parametrize("asked", ["--version", "--help"])
def test_what_needs_no_operation_does_not_load_their_table(asked):
    extra = loaded("-m", "exprgrad", asked)
    assert "exprgrad.cli.start" in extra
    parts = ("exprgrad.operations", "exprgrad.graph", "exprgrad.sweeps")
    assert [module for module in extra if module.startswith(parts)] == []


def test_importing_the_package_loads_none_of_its_modules():
    extra = loaded("-c", "import exprgrad") - started_with()
    assert {module for module in extra if module.startswith("exprgrad.")} == set()


@pytest.mark.slow
def test_reading_and_evaluating_from_python_loads_neither_views_nor_commands():
    code = "import exprgrad; exprgrad.parse('x^2').evaluate({'x': 3}).gradient"
    extra = loaded("-c", code) - started_with()
    ours = {module for module in extra if module.startswith("exprgrad.")}
    assert "exprgrad.sweeps.tape" in ours
    assert [m for m in ours if m.startswith(("exprgrad.views", "exprgrad.cli"))] == []
    assert {module for module in extra if module.partition(".")[0] in HEAVY} == set()


def test_every_public_name_can_be_imported():
    for name in exprgrad.__all__:
        assert getattr(exprgrad, name) is not None
    assert exprgrad.sin(0.0) == 0.0
    with pytest.raises(AttributeError, match="exprgrad has no 'nothing'"):
        exprgrad.nothing  # noqa: B018 # for its error
