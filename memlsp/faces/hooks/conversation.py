"""One payload of an agent, kept and answered."""

from __future__ import annotations

import os

from memlsp.faces.hooks import answers, fields, payload_records
from memlsp.memory.ingest.hook_ingest import visit

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from memlsp.faces.hooks.fields import Payload


def answered(agent: str, payload: Payload) -> str:
    """Keep what a payload tells, and return what is printed for it: "" or one JSON object in the agent's dialect."""
    found = payload_records.read(agent, payload)
    records: list[dict[str, object]] = list(found)
    if found.reason in payload_records.COUNTED:
        records.append({"source": agent, "dropped": found.reason})
    done = visit(records, _folder(payload), answers.moment(agent, payload))
    if done.trouble:
        from memlsp.memory.ingest.hook_log import note  # late: mostly there is none

        note(f"{agent}: {done.trouble}")
    return answers.answer(agent, payload, done.said) if done.said else ""


def _folder(payload: Payload) -> str:
    """Where the agent works: what its payload says, else its environment, else the working folder."""
    for told in (fields.folder(payload), os.environ.get("CLAUDE_PROJECT_DIR", "")):
        if os.path.isabs(told):
            return told
    try:
        return os.getcwd()
    except OSError:
        return os.sep  # deleted under us
