"""One payload of an agent, kept and answered."""

from __future__ import annotations

import os

from memlsp.faces.hooks import answers, reading
from memlsp.memory.doorstep import visit
from memlsp.memory.troubles import note

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    Payload = dict[str, object]


def answered(agent: str, payload: Payload) -> str:
    """Keep what a payload tells, and return what is printed for it: "" or one JSON object in the agent's dialect."""
    records = reading.read(agent, payload)
    moment = answers.moment(agent, payload)
    if not records and moment is None:
        return ""
    done = visit(records, _folder(records, payload), moment)
    if done.trouble:
        note(f"{agent}: {done.trouble}")
    return answers.answer(agent, payload, done.said) if done.said else ""


def _folder(records: list[Payload], payload: Payload) -> str:
    """Where the agent works: what its payload says, else what its environment does, else the working folder."""
    for record in records:
        folder = record.get("folder")
        if isinstance(folder, str) and os.path.isabs(folder):
            return folder
    roots = payload.get("workspace_roots")
    for told in (roots[0] if isinstance(roots, list) and roots else None, payload.get("cwd")):
        if isinstance(told, str) and os.path.isabs(told):
            return told
    told = os.environ.get("CLAUDE_PROJECT_DIR", "")
    if os.path.isabs(told):
        return told
    try:
        return os.getcwd()
    except OSError:
        return os.sep  # deleted under us
