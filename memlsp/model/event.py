"""Events: single observations, never changed afterwards, and the names of their sources."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from attrs import frozen

from memlsp.agents import AGENTS
from memlsp.model.episode import KeptChange
from memlsp.model.one_line import plain


class EventKind(StrEnum):
    """The kind of an observation."""

    SESSION_START = "session-start"
    SESSION_END = "session-end"
    PROMPT = "prompt"  # what a person asked an agent
    SAY = "say"  # what an agent said at the end of its turn
    READ = "read"  # an agent read a file
    TOOL = "tool"  # any other tool call
    COMMAND = "command"  # a command line, an agent's or a terminal's
    EDIT = "edit"  # files that an agent, or a person in the editor, wrote
    FILES = "files"  # files that changed on disk, nobody knows by whom
    PLAN = "plan"  # an agent's list of things to do, as it stands
    COMPACT = "compact"  # an agent's context was cut down
    COMMIT = "commit"
    CHECKOUT = "checkout"
    MERGE = "merge"
    REBASE = "rebase"
    RESET = "reset"
    STASH = "stash"
    NOTE = "note"


PAST_EDIT = ("past", '"edit"')
"""What an imported edit has among its `extra`."""


@frozen
class Event:
    """One observation as stored: redacted, then cut to its caps.

    `key` is the same for the same observation, however often it is delivered. `source` is where it comes from
    (`claude-code`, `editor`, `files`, `git`, `terminal`), `session` the agent's name for its session, "" for none.
    `text` is the prompt, command line, message or subject, `output` the result. `paths` are relative to the root with
    posix separators. `changes` are known once the event is processed. `extra` holds the keys that no reader knew, with
    their values as JSON. `found` are the kinds of secrets taken out, `cut` counts the characters cut off. `plan` are
    the items of an agent's list with its own words for their status. `root` is the checkout, since the worktrees and
    clones of a repository share one memory.
    """

    id: int  # in order of arrival; 0 while it is not stored
    key: str
    at: datetime
    kind: EventKind
    source: str
    session: str = ""
    text: str = ""
    output: str = ""
    paths: tuple[str, ...] = ()
    ok: bool | None = None
    exit_code: int | None = None
    tool: str = ""
    milliseconds: int | None = None
    folder: str = ""  # the working folder, relative to the root
    branch: str = ""
    commit: str = ""  # what was checked out, or what a commit made
    changes: tuple[KeptChange, ...] = ()
    extra: tuple[tuple[str, str], ...] = ()
    found: tuple[str, ...] = ()
    cut: int = 0
    episode: str = ""  # the id of the episode that it was given to
    plan: tuple[tuple[str, str], ...] = ()
    root: str = ""  # an absolute path, "" where nobody said

    @property
    def wrote_once(self) -> bool:
        """True for the edit of an imported session: a tool's call, since nothing of it is in the files as they are."""
        return self.kind is EventKind.TOOL and PAST_EDIT in self.extra


@frozen
class Session:
    """A session of a source, as its events show it. `name` is the program's own, "" for sources that have none;
    `ended_at` is None until an event ends it."""

    source: str
    name: str
    began_at: datetime
    last_at: datetime
    ended_at: datetime | None
    events: int


@frozen
class EventCount:
    """A number of events: `what` is received, stored, repeated, drained, dropped, redacted or aged (removed by age).
    `reason` says why they were dropped (`off`, `ignored`, `unreadable`, `cap-session`, `cap-day`, `own-tool`) or what
    was taken out."""

    source: str
    what: str
    reason: str
    number: int


_TITLES = {agent.name: agent.title for agent in AGENTS}


def source_of(client: str) -> str:
    """The source under which a program's hooks are stored, from the name that it gives itself over MCP. `Claude Code`
    is claude-code, and `codex-mcp-client` codex."""
    slug = "-".join(plain(client, 60).lower().split())
    named = (agent.name for agent in AGENTS for alias in agent.aliases if f"{slug}-".startswith(f"{alias}-"))
    return next(named, slug)


def source_name(source: str) -> str:
    """The name of an agent or of another source, as its makers write it; "" for none."""
    return _TITLES.get(source) or plain(source, 30)


def source_names(sources: str) -> str:
    """The names of several sources, which are separated by commas."""
    return ", ".join(source_name(source) for source in sources.split(", "))


def in_time(events: Iterable[Event]) -> list[Event]:
    """The events with those of sessions in order of their time, since some waited in the spool; those of git, whose
    time is a whole second, stay in their places."""
    listed = list(events)
    of_sessions = iter(sorted((each for each in listed if each.session), key=lambda each: (each.at, each.id)))
    return [next(of_sessions) if each.session else each for each in listed]
