"""A hook's process from its first line to its last: read, keep, answer, leave. It never fails its agent.

Whatever happens it ends with status 0 and prints nothing or one JSON object; what went wrong is a line in `hook.log` in
the data folder. It ends by `os._exit`: everything is durable by then, and tidying up costs 5 ms.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

HELP = """\
Usage: memlsp hook AGENT

Reads one event of an agent as JSON on stdin, keeps what it tells, and answers in the agent's own
dialect: nothing, or one JSON object with what is known about the files at hand.

Agents run this, people do not: `memlsp init` writes it into their settings, `memlsp doctor` tells
what came in. It always ends with status 0, for an agent must not be held up by its memory; what
went wrong is in hook.log in the data folder.

AGENT is one of: {agents}
"""


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
        from memlsp.faces.hooks.dialects import AGENTS

        _print(HELP.format(agents=", ".join(AGENTS)))
        return
    payload = _payload(agent)
    if payload:
        from memlsp.faces.hooks.conversation import answered

        _print(answered(agent, payload))


def _payload(agent: str) -> dict[str, object]:
    if agent == "terminal":  # it hands over what it has to say in the environment
        from memlsp.faces.hooks.dialects.terminal import payload

        told = payload(os.environ)
        if told:
            return told
    from memlsp.faces.hooks.payload import Unreadable, parsed, received

    try:
        data = received()
        return parsed(data) if data.strip() else {}
    except Unreadable as problem:
        from memlsp.memory.ingest.hook_log import note

        note(f"{agent or 'an agent'} sent {problem}")
        return {}


def _hold_standard_handles() -> None:
    """See to it that 0, 1 and 2 are open: a file that is opened in the place of a closed one would be written to by
    whoever prints."""
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
        from memlsp.memory.ingest.hook_log import note, told_of

        note(" ".join(["hook", *sys.argv[-1:], told_of(error)]))
    except BaseException:
        return
