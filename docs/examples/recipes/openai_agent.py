import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from agents import Agent, Model, RunContextWrapper, RunHooks, function_tool

from memlsp import Author, AuthorKind, Caller, HandoffNotes, Memory, Place, RecallOptions, Standing

NAME = "openai-agent"


@dataclass
class Work:
    """One run: its memory, the name of its session, its task, and what was done."""

    memory: Memory
    session: str
    task: str
    done: list[str] = field(default_factory=list[str])

    @property
    def caller(self) -> Caller:
        return Caller(
            author=Author(NAME, AuthorKind.AGENT),
            source=NAME,
            session=f"{NAME}:{self.session}",
            folder=self.memory.workspace.root,
        )


@function_tool
async def recall(run: RunContextWrapper[Work], question: str) -> str:
    """Ask what was decided about this repository, and whether the code still agrees."""
    options = RecallOptions(budget=400, session=run.context.caller.session)
    found = await asyncio.to_thread(run.context.memory.recall, question, options, asker=NAME)
    return found.text or "Nothing relevant is remembered."


@function_tool
async def remember(run: RunContextWrapper[Work], text: str, place: str = "") -> str:
    """Record a decision, rule or surprise for later sessions, tied to PATH or PATH#Name."""
    at = [Place.parse(place)] if place else []
    told = await asyncio.to_thread(run.context.memory.remember, text, at=at, by=run.context.caller)
    return json.dumps({"id": told.belief.id, "standing": told.standing})


@function_tool
async def edit(run: RunContextWrapper[Work], path: str, old: str, new: str) -> str:
    """Replace a text in a file. The answer names the statements that the code contradicts from now on."""
    return await asyncio.to_thread(_edit, run.context, path, old, new)


def _edit(work: Work, path: str, old: str, new: str) -> str:
    memory = work.memory
    file = memory.workspace.root / memory.relative(path, memory.workspace.root)
    file.write_text(file.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    memory.files_changed([path])
    broken = [each for each in memory.attention(path) if each.standing is Standing.CONTRADICTED]
    return json.dumps([{"said": each.belief.text, "now": each.reasons[0].message} for each in broken])


async def instructions(run: RunContextWrapper[Work], agent: Agent[Work]) -> str:
    """What the agent begins with: handoffs of earlier sessions, and what is remembered about the task."""
    work = run.context
    briefing = await asyncio.to_thread(work.memory.handoffs.briefing)
    options = RecallOptions(budget=400, session=work.caller.session)
    known = await asyncio.to_thread(work.memory.recall, work.task, options, asker=NAME)
    return "\n\n".join(filter(None, ["You work on this repository.", briefing, known.text]))


class Handover(RunHooks[Work]):
    """Leaves a handoff for the next session when the agent is done."""

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: object) -> None:
        context.context.done.append(f"called {tool.name}")

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        work: Work = context.context
        notes = HandoffNotes(done=work.done, next_steps=[str(output)])
        await asyncio.to_thread(work.memory.handoffs.write, work.task, notes, by=NAME, session=work.session)


def make_agent(model: str | Model) -> Agent[Work]:
    return Agent[Work](name=NAME, model=model, instructions=instructions, tools=[recall, remember, edit])
