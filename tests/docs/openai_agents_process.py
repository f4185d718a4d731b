"""Runs docs/examples/recipes/openai_agent.py with the real Agents SDK and a scripted model, and prints what happened as
JSON. Its folder is a project with client.py, and its argument the program that stands first on the recipe's page."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from agents import Model, ModelResponse, Runner, Usage
from agents.mcp import MCPServerStdio
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from openai_agent import Handover, Work, make_agent

from memlsp import Memory


def call(name: str, **arguments: str) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        arguments=json.dumps(arguments), call_id=f"call-{name}", name=name, type="function_call"
    )


def say(text: str) -> ResponseOutputMessage:
    said = ResponseOutputText(annotations=[], text=text, type="output_text")
    return ResponseOutputMessage(id="m", content=[said], role="assistant", status="completed", type="message")


class Scripted(Model):
    def __init__(self, *outputs: Any) -> None:
        self.outputs: Iterator[Any] = iter(outputs)
        self.instructions: list[str] = []
        self.results: list[str] = []

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002  the SDK's name
        self.instructions.append(system_instructions)
        if isinstance(input, list):
            self.results = [each["output"] for each in input if each.get("type") == "function_call_output"]
        return ModelResponse(output=[next(self.outputs)], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


async def run(memory: Memory, session: str, task: str, model: Scripted) -> str:
    work = Work(memory, session, task)
    done = await Runner.run(make_agent(model), task, context=work, hooks=Handover())
    return str(done.final_output)


async def main(page: str) -> None:
    happened: dict[str, Any] = {}
    with Memory.open(".") as memory:
        model = Scripted(
            call("remember", text="fetch tries three times: the API drops one call in ten", place="client.py#fetch"),
            say("raise the limit of fetch"),
        )
        happened["first"] = await run(memory, "1", "Make fetch more patient", model)
        happened["told"] = model.results
    with Memory.open(".") as memory:
        model = Scripted(
            call("recall", question="how often does fetch try?"),
            call("edit", path="client.py", old="retries=3", new="retries=5"),
            say("done"),
        )
        happened["second"] = await run(memory, "2", "Raise the limit of fetch", model)
        happened["began"] = model.instructions[0]
        happened["results"] = model.results
        happened["authors"] = sorted({(each.belief.author.name, each.belief.author.kind) for each in memory.beliefs()})
    shown: dict[str, Any] = {"model": Scripted(say("as on the page"))}
    exec(compile(page, "page", "exec"), shown)
    await shown["main"]()
    with Memory.open(".") as memory:
        happened["page"] = [each.title for each in memory.handoffs.list()]
    async with MCPServerStdio({"command": sys.executable, "args": ["-m", "memlsp", "mcp"]}) as server:
        happened["tools"] = len(await server.list_tools())
    sys.stdout.write(json.dumps(happened))


asyncio.run(main(Path(sys.argv[1]).read_text(encoding="utf-8")))
