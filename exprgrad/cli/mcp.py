"""`exprgrad mcp`: a server for assistants, whose tools are commands, and `ask`, which takes whatever can be typed.

What a tool takes is what the rows of its command declare, without the options that name files. Its answer is the
command's JSON; an error has the fields of a diagnostic, with the hint and the place in the text.
"""

from __future__ import annotations

from exprgrad.annotations import Any
from exprgrad.commands import declared as row
from exprgrad.commands.declared import command_of
from exprgrad.errors import ExprgradError, InternalError, UsageError, needing
from exprgrad.session.session import ask

TOOLS = {
    "ask": "", "evaluate": "eval", "differentiate": "diff", "check": "check", "compare": "same", "simplify": "simplify",
    "tangent": "tangent", "taylor": "taylor", "critical": "critical", "plot": "plot", "work": "work",
}  # fmt: skip
"""The commands by the names of their tools; `ask` is none."""

ASK = row.Row(str, "An expression, a claim, or a question in words, such as d/dx x^2 = 2x.", needed=True)  # fmt: skip
"""What the tool `ask` takes."""

TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


class Mcp(row.Command):
    """Serve assistants by the Model Context Protocol, on standard input and output."""

    example = "exprgrad mcp"
    pages = "python"
    outside = "an assistant starts it"

    def run(self) -> row.Result:
        """Serve until standard input ends."""
        with needing("a server needs the package mcp", "mcp"):
            import anyio
            from mcp.server.stdio import stdio_server

        async def serve() -> None:
            own = server()
            async with stdio_server() as (reads, writes):
                await own.run(reads, writes, own.create_initialization_options())

        anyio.run(serve)
        return row.Result()


def server() -> Any:
    """The server, with a tool for each of `TOOLS`."""
    from mcp import types
    from mcp.server.lowlevel import Server

    from exprgrad import __version__
    from exprgrad.views.formats import to_json

    async def list_tools(*_: Any) -> Any:
        tools = []
        for name, command in TOOLS.items():
            said = (command_of(command) if command else ask).__doc__ or ""
            own = types.Tool(name=name, description=said, input_schema=schema(command))
            tools.append(own)
        return types.ListToolsResult(tools=tools)

    async def call_tool(_: Any, call: Any) -> Any:
        fields, is_wrong = answered(call.name, call.arguments or {})
        text = types.TextContent(type="text", text=to_json(fields))
        return types.CallToolResult(content=[text], is_error=is_wrong)

    return Server("exprgrad", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)  # fmt: skip


def arguments(command: str) -> dict[str, row.Row]:
    """Return what a tool takes: the rows of a command, but for files and for how the answer is written."""
    if not command:
        return {"text": ASK}
    # an assistant needs one format, and must not start processes or ask for no answer
    unwanted = "format", "quiet", "rows", "jobs", "map"
    every = row.rows(command_of(command)).items()
    return {n: r for n, r in every if n not in unwanted and r.kind != row.PATH}


def schema(command: str) -> dict[str, Any]:
    """The JSON Schema of what a tool takes."""
    properties, taken = dict[str, Any](), arguments(command)
    for name, each in taken.items():
        own: dict[str, Any] = {"type": TYPES.get(each.kind, "string")}
        if each.words:
            own["enum"] = [*each.words]
        own |= {n: x for n, x in (("minimum", each.least), ("maximum", each.most)) if x is not None}  # fmt: skip
        if each.kind is list:
            own = {"type": "array", "items": own}
        example = f" For example {each.metavar}" if each.is_option and each.metavar else ""  # fmt: skip
        properties[name] = own | {"description": each.meaning + example}
    needed = [name for name, each in taken.items() if each.needed]
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}  # fmt: skip


def answered(tool: str, given: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The fields of a tool's answer, and whether it is an error. No file is opened."""
    from exprgrad.data.files import opening
    from exprgrad.views.diagnostic import fields

    try:
        if tool not in TOOLS:
            raise UsageError(f"there is no tool {tool}", hint=f"one of: {', '.join(TOOLS)}")  # fmt: skip
        known = arguments(TOOLS[tool])
        if unknown := [name for name in given if name not in known]:
            raise UsageError(f"{tool} takes no {unknown[0]}", hint=f"one of: {', '.join(known)}")  # fmt: skip
        stated = {name: x for name, x in given.items() if x is not None}
        values = {name: _value(name, known[name], x) for name, x in stated.items()}
        if missing := [n for n, each in known.items() if each.needed and n not in values]:  # fmt: skip
            raise UsageError(f"{tool} needs {missing[0]}", hint=known[missing[0]].meaning)  # fmt: skip
        if tool == "ask":
            return ask(values["text"]).as_dict(), False
        # a formula such as @secrets.csv:x must not read files of the machine that the server runs on
        with opening("none"):
            found = command_of(TOOLS[tool])(**values, format="json").answer()
            answer = found.as_dict()
        problems = [fields(error) for error in found.errors]
        more = {"remarks": found.remarks, "errors": problems}
        return answer | {name: texts for name, texts in more.items() if texts}, False
    except ExprgradError as error:
        return fields(error), True
    except Exception as error:  # whatever it is, the server stays
        return fields(InternalError(error)), True


def _value(name: str, declared: row.Row, given: Any) -> Any:
    """Return what a row makes of a JSON value."""
    if declared.kind is list:
        return [str(x) for x in (given if isinstance(given, list) else [given])]
    if isinstance(given, bool):
        # true for a number is refused; as it stands, int(True) would make 1 of it
        given = given if declared.kind is bool else str(given)
    found = given if declared.kind is bool else row.value_of(declared, str(given))
    if found is None or (declared.kind is bool and not isinstance(found, bool)):
        raise UsageError(f"{name} cannot be {given!r}", hint=declared.meaning)
    if name == "solution" and declared.kind is str:
        found = f"{found}\n"  # the lines themselves, and no file
    return found
