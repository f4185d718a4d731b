import json
from collections.abc import Callable, Mapping
from pathlib import Path

from memlsp import Author, AuthorKind, Caller, HandoffNotes, MemlspError, Memory, Place, RecallOptions, Standing

NAME = "shop-agent"
LONGEST = 20  # turns

Message = dict[str, str]
Reply = Mapping[str, str]
"""What a model answers: {"say": TEXT}, or {"tool": NAME} with the tool's arguments."""


class Tools:
    """What the model may call. Each answer is JSON, so that no statement can pass for an instruction."""

    def __init__(self, memory: Memory, session: str) -> None:
        self.memory = memory
        self.session = f"{NAME}:{session}"
        self.caller = Caller(
            author=Author(NAME, AuthorKind.AGENT), source=NAME, session=self.session, folder=memory.workspace.root
        )
        self.done: list[str] = []

    def call(self, name: str, arguments: Mapping[str, str]) -> str:
        """Call a tool by name; a fault of the arguments is an answer too."""
        tools = {"recall": self.recall, "remember": self.remember, "edit": self.edit}
        try:
            return tools[name](**arguments)
        except (MemlspError, KeyError, TypeError) as error:
            return json.dumps({"error": str(error), "hint": getattr(error, "hint", "")})

    def recall(self, question: str) -> str:
        options = RecallOptions(budget=400, session=self.session)
        found = self.memory.recall(question, options, asker=NAME)
        return json.dumps([{"id": hit.judgement.belief.id, "served": hit.served} for hit in found.hits])

    def remember(self, text: str, place: str = "") -> str:
        at = [Place.parse(place)] if place else []
        told = self.memory.remember(text, at=at, by=self.caller)
        self.done.append(f"noted: {text}")
        return json.dumps({"id": told.belief.id, "standing": told.standing})

    def edit(self, path: str, old: str, new: str) -> str:
        """Replace a text in a file, and say which statements about the file the code no longer bears out."""
        file = self.memory.workspace.root / self.memory.relative(path, self.memory.workspace.root)
        text = file.read_text(encoding="utf-8")
        if old not in text:
            return json.dumps({"error": f"{path} does not have that text"})
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        self.memory.files_changed([path])
        self.done.append(f"edited {path}")
        broken = [each for each in self.memory.attention(path) if each.standing is Standing.CONTRADICTED]
        return json.dumps([{"said": each.belief.text, "now": each.reasons[0].message} for each in broken])


def run(task: str, model: Callable[[list[Message]], Reply], *, folder: str | Path = ".", session: str = "1") -> str:
    """Work on a task until the model says something; what was done is left for the next session."""
    with Memory.open(folder) as memory:
        tools = Tools(memory, session)
        known = memory.recall(task, RecallOptions(budget=400, session=tools.session), asker=NAME)
        system = "\n\n".join(filter(None, ["You work on this repository.", memory.handoffs.briefing(), known.text]))
        messages = [{"role": "system", "content": system}, {"role": "user", "content": task}]
        for _ in range(LONGEST):
            reply = dict(model(messages))
            if "say" in reply:
                break
            messages.append({"role": "assistant", "content": json.dumps(reply)})
            answer = tools.call(reply.pop("tool"), reply)
            messages.append({"role": "tool", "content": answer})
        else:
            reply = {"say": "I did not come to an end.", "next": task}
        notes = HandoffNotes(done=tools.done, next_steps=[reply["next"]] if "next" in reply else [])
        if notes.done or notes.next_steps:
            memory.handoffs.write(task, notes, by=NAME, session=session)
        return reply["say"]
