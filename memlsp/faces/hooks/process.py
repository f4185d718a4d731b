"""A hook's process: read the payload, store its records, print the answer, exit. It never fails its agent. It always
ends with status 0 and prints nothing or one JSON object; an error is a line in `hook.log` in the data folder. It ends
by `os._exit`: everything is durable by then, and an orderly exit costs 5 ms."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from memlsp.faces.hooks.fields import Payload


def main(words: Sequence[str]) -> NoReturn:
    """Run the hook with the command line `words` (the agent's name), and end the process."""
    gc.disable()  # it ends before there is anything worth collecting
    run(words)
    os._exit(0)


def run(words: Sequence[str]) -> None:
    """Run the hook with the command line `words`. Never raises, whatever happens."""
    try:
        _hold_standard_handles()
        _run(words)
    except BaseException as error:
        _note(error)


def _run(words: Sequence[str]) -> None:
    agent = words[0] if words else ""
    if {"-h", "--help"} & set(words) or (not agent and os.isatty(0)):
        from memlsp.agents import NAMES

        with open(os.path.join(os.path.dirname(__file__), "help.txt"), encoding="utf-8") as file:
            _print(file.read().format(agents=", ".join(NAMES)))
        return
    payload = _payload(agent)
    if payload:
        _print(respond(agent, payload))


def respond(agent: str, payload: Payload) -> str:
    """Store the records of a payload, and return the answer to print: "" or one JSON object in the agent's dialect."""
    from memlsp.faces.hooks import answers, fields, payload_records
    from memlsp.faces.hooks.hook_event import read_event
    from memlsp.memory.ingest.hook_ingest import ingest_payload

    event = read_event(agent, payload)
    found = payload_records.records_of(event)
    records: list[dict[str, object]] = list(found)
    if found.reason in payload_records.COUNTED:
        records.append({"source": agent, "dropped": found.reason})
    done = ingest_payload(records, _folder(fields.folder(payload)), answers.context_request(event, found))
    if done.trouble:
        from memlsp.memory.ingest.hook_log import note  # late: mostly there is none

        note(f"{agent}: {done.trouble}")
    return answers.answer(event, done.said, done.message, done.decision)


def _folder(named: str) -> str:
    """The folder in which the agent works: named by its payload, else by its environment, else the working folder."""
    for folder in (named, os.environ.get("CLAUDE_PROJECT_DIR", "")):
        if os.path.isabs(folder):
            return folder
    try:
        return os.getcwd()
    except OSError:
        return os.sep  # deleted under us


def _payload(agent: str) -> Payload:
    if agent == "terminal":  # its snippets leave the command in the environment
        from memlsp.faces.hooks.dialects.terminal import payload

        found = payload(os.environ)
        if found:
            return found
    from memlsp.faces.hooks.payload import Unreadable, parsed, received

    try:
        data = received()
        return parsed(data) if data.strip() else {}
    except Unreadable as problem:
        from memlsp.memory.ingest.hook_log import note

        note(f"{agent or 'an agent'} sent {problem}")
        return {}


def _hold_standard_handles() -> None:
    """Open 0, 1 and 2 where they are closed: a file that took the number of one would receive what is printed."""
    for handle in range(3):
        try:
            os.fstat(handle)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _print(text: str) -> None:
    data = memoryview(text.encode("utf-8", "replace"))
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        return  # nobody listens


def _note(error: BaseException) -> None:
    try:
        from memlsp.memory.ingest.hook_log import note, render_error

        note(" ".join(["hook", *sys.argv[-1:], render_error(error)]))
    except BaseException:
        return
