"""What the commands share: how arguments are prepared and read."""

from __future__ import annotations

import sys

from exprgrad.annotations import TYPE_CHECKING, BinaryIO
from exprgrad.errors import UsageError
from exprgrad.language import inputs
from exprgrad.language.shapes import NOTATIONS

if TYPE_CHECKING:
    from pathlib import Path

    from exprgrad.data.bindings import Bindings

ALONE = {"--trace": ("both", "forward", "reverse"), "--steps": ("brief", "full")}
"""Options that may stand alone, with their values; alone, they mean the first.

Programs and papers, which ask for another format than text, get all steps.
"""

COUNTED = ("minimize", "fit")
"""Commands whose `--steps` is a number."""

PICTURED = ("graph", "plot")
"""Commands that write pictures, with `-o FILE`."""

FLAGS = (
    "--strict", "--subgradient", "--hessian", "--keep-going", "--version", "--help",
    "--hint", "--solution", "--quiet", "--plot", "--forget", *ALONE,
)  # fmt: skip
"""Options that may be without a value."""


def normalise(argv: list[str]) -> list[str]:
    """Let an expression begin with a minus sign, and `--trace` and `--steps` stand alone.

    An argument such as `-x^2` would be taken for options; behind a blank, which the language ignores, it
    is taken for an expression.
    """
    out: list[str] = []
    alone = dict(ALONE)
    if argv[:1] and argv[0] in COUNTED:
        del alone["--steps"]
    for i, argument in enumerate(argv):
        if argument == "--":
            return [*out, *argv[i:]]
        before = argv[i - 1] if i else ""
        is_value = before.startswith("--") and "=" not in before and before not in FLAGS
        short = ("-", "-h", "-q", *(["-o"] if argv[0] in PICTURED else []))
        dashed = argument.startswith("-") and argument[1:2] != "-"
        negative = dashed and argument not in short
        if before == "--wrt" or argument.startswith("--wrt="):
            argument = inputs.normal(argument)
        out.append(f" {argument}" if negative and not is_value else argument)
        following = argv[i + 1] if i + 1 < len(argv) else ""
        if argument in alone and following not in alone[argument]:
            pairs = zip(argv, [*argv[1:], ""], strict=True)
            asked = [after for option, after in pairs if option == "--format"]
            asked += [a.partition("=")[2] for a in argv if a.startswith("--format=")]
            whole = argument == "--steps" and asked[-1:] not in ([], ["text"])
            out.append(alone[argument][-1 if whole else 0])
    return out


def without_notation(argv: list[str]) -> tuple[list[str], str | None]:
    """The arguments without `--input latex`, which every command has, and the notation. Raises `UsageError`."""
    for i, argument in enumerate(argv):
        if argument == "--":
            break
        option, equals, value = argument.partition("=")
        if option == "--input":
            value = value if equals else "".join(argv[i + 1 : i + 2])
            if value not in NOTATIONS:
                raise UsageError(f"--input is {' or '.join(NOTATIONS)}, not {value!r}")
            return [*argv[:i], *argv[i + (1 if equals else 2) :]], value
    return argv, None


def source_of(expression: str | None, file: Path | str | None) -> str:
    """The text of the expression: an argument, `-` for standard input, or a file."""
    if (expression is None) == (file is None):
        hint = 'in quotes, such as "x^2 sin x"; or --file FILE, or - for standard input'
        raise UsageError("give one expression", hint=hint)
    if expression is not None and expression != "-":
        return expression[1:] if expression.startswith(" -") else expression
    from exprgrad.data import files

    if file is not None:
        return files.read(file)
    return files.decoded(standard_input().read(files.LARGEST), "standard input")


def text_of(file: Path | str) -> str:
    """The text of a file, or of standard input for `-`."""
    return source_of("-", None) if str(file) == "-" else source_of(None, file)


_EACH = ("eval", "diff", "simplify")
"""Commands that answer every statement of a text."""


def for_each_statement(argv: list[str]) -> list[list[str]]:
    """The arguments of a command for each of the statements that standard input or a file holds.

    None where there are no several ones: that standard input has been read then, its text takes its place.
    """
    place = next((i for i in range(1, len(argv)) if argv[i] in ("-", "--file")), 0)
    if argv[:1] and argv[0] in _EACH and place:
        if argv[place] == "-":
            text, rest = source_of("-", None), argv[place + 1 :]
        elif place + 1 < len(argv):
            text, rest = source_of(None, argv[place + 1]), argv[place + 2 :]
        else:
            return []
        texts = [text]
        if "\n" in text.strip():
            from exprgrad.language.questions import lines_of

            texts = lines_of(text)
        if len(texts) > 1 or argv[place] == "-":
            # behind a blank, no reader of arguments takes a text for an option
            texts = [f" {text}" if text.startswith("-") else text for text in texts]
            return [[*argv[:place], text, *rest] for text in texts]
    return []


def standard_input() -> BinaryIO:
    """The bytes of standard input."""
    if sys.stdin is None:
        raise UsageError("there is no standard input to read from")
    return sys.stdin.buffer


def table_stream(data: str) -> BinaryIO | None:
    """Standard input, if that is where the table of `--data` comes from; None for a file."""
    if data != "-":
        return None
    if sys.stdin is not None and sys.stdin.isatty():
        hint = "--data FILE, or pipe a table into it"
        raise UsageError("there is no data", hint=hint)
    return standard_input()


def sources(data: str | None, file: Path | None, *points: Bindings) -> list[Path | int]:
    """What a command reads, for what it writes must not replace that; 0 is standard input."""
    from pathlib import Path

    found: list[Path | int] = [Path(path) for given in points for path in given.files]
    found += [] if file is None else [file]
    return found + ([] if data is None else [0 if data == "-" else Path(data)])


def names(lists: list[str] | None) -> list[str] | None:
    """The names in repeated, comma-separated options; None if there are none."""
    if not lists:
        return None
    return [name for text in lists for name in text.replace(",", " ").split()]


def mapping(texts: list[str]) -> dict[str, str]:
    """`v=column`, several in one text if the names of the columns have no commas."""
    found: dict[str, str] = {}
    for text in texts:
        pairs = text.split(",") if text.count("=") > 1 else [text]
        for pair in pairs:
            name, equals, column = (part.strip() for part in pair.partition("="))
            if not (name and equals and column):
                what = f"--map {text!r} does not name a column"
                raise UsageError(what, hint="write --map v=column")
            if name in found:
                what = f"--map gives {name} two columns"
                raise UsageError(what, hint="remove one of them")
            found[name] = column
    return found
