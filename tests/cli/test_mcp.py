"""The server for assistants: its tools are commands, and give what these write as JSON."""

from __future__ import annotations

import json
import sys

import pytest

from exprgrad.cli.mcp import TOOLS, answered, schema
from exprgrad.cli.start import run
from exprgrad.commands.declared import command_of

GIVEN = {
    "evaluate": ({"expression": "(a*b+c)^2", "at": ["a=2,b=3,c=1"]}, ["eval", "(a*b+c)^2", "--at", "a=2,b=3,c=1"]),
    "differentiate": ({"expression": "x^2 sin x"}, ["diff", "x^2 sin x"]),
    "check": ({"expression": "sin(3x)", "claim": "cos(3x)"}, ["check", "sin(3x)", "cos(3x)"]),
    "compare": ({"a": "sin(2x)", "b": "2 sin x cos x"}, ["same", "sin(2x)", "2 sin x cos x"]),
    "simplify": ({"expression": "(x^2-1)/(x-1)"}, ["simplify", "(x^2-1)/(x-1)"]),
    "tangent": ({"expression": "x^2", "at": ["x=3"]}, ["tangent", "x^2", "--at", "x=3"]),
    "taylor": ({"expression": "sin(x)", "order": 3}, ["taylor", "sin(x)", "--order", "3"]),
    "critical": ({"expression": "x^3-3x"}, ["critical", "x^3-3x"]),
    "plot": ({"expressions": ["x^2"], "x": "-1:1"}, ["plot", "x^2", "--x=-1:1"]),
}  # fmt: skip


@pytest.mark.parametrize("tool", GIVEN)
def test_a_tool_gives_what_its_command_writes_as_json(tool, capsys):
    arguments, argv = GIVEN[tool]
    run([*argv, "--format", "json"])
    printed = json.loads(capsys.readouterr().out)
    fields, is_wrong = answered(tool, arguments)
    assert not is_wrong
    assert json.loads(json.dumps(fields)) == printed


def test_a_worked_solution_is_passed_as_text():
    fields, is_wrong = answered(
        "work", {"expression": "x^3", "solution": "f'(x) = 3x^2\n= 3x"}
    )
    assert not is_wrong
    assert fields["first_wrong"] == 2


@pytest.mark.parametrize(
    ("tool", "given", "message"),
    [
        ("evaluate", {"expression": "sqrt(x", "at": ["x=1"]}, "never closed"),
        ("evaluate", {"expression": "x", "html": "a.html"}, "takes no html"),
        ("evaluate", {"expression": "-"}, "no files are opened here"),
        ("work", {"solution": "/etc/hostname"}, "no problem in this text"),
        ("differentiate", {"expression": "x", "order": "many"}, "order cannot be"),
        ("differentiate", {"expression": "x", "order": 0}, "order cannot be"),
        ("nothing", {}, "there is no tool nothing"),
        ("check", {"expression": None, "claim": None}, "expression"),
        ("compare", {"b": "x"}, "compare needs a"),
        ("ask", {}, "ask needs text"),
    ],
)
def test_an_error_is_an_answer(tool, given, message):
    fields, is_wrong = answered(tool, given)
    assert is_wrong
    assert message in fields["error"] or message in str(fields)


@pytest.mark.parametrize("tool", TOOLS)
def test_the_schema_is_made_of_the_rows(tool):
    jsonschema = pytest.importorskip("jsonschema")
    own = schema(TOOLS[tool])
    jsonschema.Draft202012Validator.check_schema(own)
    assert own["properties"]
    assert tool == "ask" or command_of(TOOLS[tool]).__doc__
    if tool in GIVEN:
        jsonschema.validate(GIVEN[tool][0], own)


def test_a_client_calls_the_server():
    pytest.importorskip("mcp", reason="needs the extra mcp")
    import anyio
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def asked():
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", "exprgrad", "mcp"]
        )
        async with (
            stdio_client(parameters) as streams,
            ClientSession(*streams) as session,
        ):
            await session.initialize()
            tools = await session.list_tools()
            found = await session.call_tool(
                "check", {"expression": "x^2", "claim": "3x"}
            )
            return [tool.name for tool in tools.tools], found

    names, found = anyio.run(asked)
    assert names == [*TOOLS]
    assert json.loads(found.content[0].text)["status"] == "incorrect"
