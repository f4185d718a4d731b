"""Evidence: where a statement was found, so that anybody can look."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from attrs import frozen


class EvidenceKind(StrEnum):
    """What sort of source it is."""

    DOCUMENT = "document"  # an ADR, a README, instructions for agents
    COMMENT = "comment"  # in code
    COMMIT = "commit"  # a commit's message
    PROMPT = "prompt"  # what a person told an agent
    COMMAND = "command"  # a command that failed, and the one that worked
    IMPORT = "import"  # another program's memory or transcript
    SUGGESTION = "suggestion"  # an agent said so, and may not decide it


@frozen
class Evidence:
    """A source with the words that stand in it.

    `quote` is the whole passage after redaction. `path` is relative to the root for a document or comment, else the
    file or record that was read; lines are from 1 and inclusive, None where there are none. `commit` is a full hash,
    `event` the key of an event, `session` the agent's name for its session.
    """

    kind: EvidenceKind
    quote: str
    path: str = ""
    first_line: int | None = None
    last_line: int | None = None
    commit: str = ""
    session: str = ""
    event: str = ""
    source: str = ""  # who: claude-code, cursor, git...
    at: datetime | None = None
    about: str = ""  # of a suggestion: in whose place it wants to stand, a belief's id or that of a contradiction
