"""The caller of the command line: a person, or an agent that runs commands in a shell of its own.

Agents mark their shells with a variable. A command from such a shell is the agent's, even without --agent: otherwise
`memlsp revise ID unlock` would open a person's lock. A program that hides the mark counts as the person; the audit log
shows what it did, and locks are kept from whoever types no code at a terminal (`keep_locks`).
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from memlsp.faces.render.wording import plain
from memlsp.model.belief import Author, AuthorKind, Belief
from memlsp.model.caller import Caller
from memlsp.model.errors import Refused
from memlsp.model.event import source_name, source_of

_SESSION = "MEMLSP_SESSION"
_OWN = "MEMLSP_AGENT"
_MARKS: dict[str, str] = tomllib.loads(Path(__file__).with_name("agent_marks.toml").read_text("utf-8"))
_NAMED = ("AI_AGENT", "AGENT")  # conventions: the value is the agent's name
_AGENT_VALUES = frozenset({"1", "true", "amp", "claude", "codex", "crush", "gemini", "goose", "opencode", "cursor"})
_THREADS = ("CODEX_THREAD_ID", "AMP_CURRENT_THREAD_ID", "CLAUDE_CODE_SESSION_ID")

VARIABLES = (*_MARKS, *_NAMED, *_THREADS, _OWN, _SESSION)
"""All variables that are read, so that tests can unset them: an agent may run the tests."""

TERMINAL = "terminal"
"""The source of what a person did who typed a code at a terminal."""

_LONGEST = 60


def caller_of(agent: str | None, note: str = "", folder: Path | None = None) -> Caller:
    """Who gave a command, in which session. `agent` is the one that was named; `folder` is that of relative paths."""
    author = author_of(agent)
    return Caller(author=author, source="cli", session=session_of(author), note=note, folder=folder)


def author_of(agent: str | None) -> Author | None:
    """The agent named, or in whose shell this runs; None for the person at this machine."""
    if agent:
        return Author(agent, AuthorKind.AGENT)
    source = _source()
    return Author(source_name(source) or source, AuthorKind.AGENT) if source else None


def session_of(agent: Author | None) -> str:
    """The session's name: from `MEMLSP_SESSION` or the agent's own variable, else the agent's name and the day. "" for
    a person, unless `MEMLSP_SESSION` names one."""
    given = plain(os.environ.get(_SESSION, ""), _LONGEST)
    if given or agent is None:
        return given
    slug = source_of(agent.name)
    thread = next((plain(os.environ[name], _LONGEST) for name in _THREADS if os.environ.get(name)), "")
    return f"{slug}-{thread or f'{datetime.now(UTC):%Y%m%d}'}"


def attended() -> bool:
    """Whether there is a person who can be asked."""
    return sys.stdin.isatty()


def keep_locks(
    author: Author | None, beliefs: Iterable[Belief], *, locking: bool = False, source: str = "cli", asking: bool = True
) -> str:
    """Raise Refused where nobody is at a terminal and a lock would be set or evaded, or where no code is typed there to
    evade one: an agent that hides the marks of its shell could have given the command. Where nobody can be asked for a
    code (not `asking`), no lock is evaded. Returns the source to record, TERMINAL for a person who typed the code. An
    agent that is known is refused with a better reason further down."""
    locked = next((belief.id for belief in beliefs if belief.locked), "")
    if author is not None or not (locked or locking):
        return source
    if not attended():
        what = f"{locked} is locked by a person" if locked else "a lock is set by a person"
        raise Refused(f"{what}, and there is none at a terminal", "run it in a terminal")
    if not locked:
        return source
    if not asking:
        raise Refused(f"{locked} is locked by a person", "unlock it at a terminal or in the editor, which can ask you")
    if not is_code_typed(f"{locked} is locked."):
        raise Refused(f"{locked} is locked by a person, and the code was not typed", "type it at the terminal")
    return TERMINAL


def is_code_typed(what: str) -> bool:
    """Ask for a random code at the terminal of this process itself, where no pipe can answer; whether it is typed."""
    from secrets import randbelow  # late: it loads OpenSSL

    code = f"{randbelow(10_000):04}"
    question = f"{what} To go on, type {code}: "
    try:
        if sys.platform == "win32":
            return input(question).strip() == code
        with Path("/dev/tty").open("r+b", buffering=0) as terminal:
            import termios

            termios.tcflush(terminal, termios.TCIFLUSH)  # what was typed before the question is no answer
            terminal.write(question.encode())
            return terminal.readline(16).decode("ascii", "replace").strip() == code
    except (OSError, EOFError):
        return False


def _source() -> str:
    own = plain(os.environ.get(_OWN, ""), _LONGEST)
    if own:
        return own
    for variable, source in _MARKS.items():
        if os.environ.get(variable, "").strip().lower() not in {"", "0", "false"}:
            return source
    for variable in _NAMED:
        value = plain(os.environ.get(variable, ""), _LONGEST).partition("@")[0].strip()
        if value and (variable == "AI_AGENT" or value.lower() in _AGENT_VALUES):
            return "agent" if value.lower() in {"1", "true"} else source_of(value)
    return ""
