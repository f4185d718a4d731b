"""A belief: one statement held true, with its guards, evidence, anchors, author and history."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from attrs import frozen

from memlsp.model.errors import BadValue
from memlsp.model.place import Place, Span
from memlsp.model.symbol import Dependency, Symbol, SymbolKind

FOLDER = ".memlsp/beliefs"
"""Where a repository has its shared beliefs as files, below the root."""


class GuardEngine(StrEnum):
    """The language of a guard's pattern."""

    PATTERN = "pattern"  # ast-grep: code with $NAME and $$$ for what may vary
    QUERY = "query"  # a tree-sitter query


@frozen
class Guard:
    """A check that a belief carries: `pattern` must, or must not, match code of `language` in the belief's scope."""

    pattern: str
    must: bool
    language: str
    engine: GuardEngine = GuardEngine.PATTERN

    def __str__(self) -> str:
        """As people write it: `must not python: requests.get($$$)`."""
        engine = " query" if self.engine is GuardEngine.QUERY else ""
        return f"{'must' if self.must else 'must not'} {self.language}{engine}: {self.pattern}"


@frozen
class Breach:
    """A place that breaks a guard. `span` is the forbidden match; for a missing match it is the symbol's name or the
    beginning of the file. `excerpt` is the first line of the match, "" where nothing matched."""

    guard: Guard
    path: str
    symbol: str
    span: Span
    excerpt: str = ""


class EvidenceKind(StrEnum):
    """The sort of source that a statement was found in."""

    DOCUMENT = "document"  # an ADR, a README, instructions for agents
    COMMENT = "comment"  # in code
    COMMIT = "commit"  # a commit's message
    PROMPT = "prompt"  # what a person told an agent
    COMMAND = "command"  # a command that failed, and the one that worked
    IMPORT = "import"  # another program's memory or transcript
    SUGGESTION = "suggestion"  # an agent said so, and may not decide it


@frozen
class Evidence:
    """A source and its words, so that anybody can look.

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
    about: str = ""  # of a suggestion: the id of the belief or contradiction that it would replace


class BeliefKind(StrEnum):
    """The sort of a statement."""

    DECISION = "decision"
    RULE = "rule"
    GOTCHA = "gotcha"
    FACT = "fact"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"


class Authority(StrEnum):
    """Who stands behind a belief. Declared from most to least trusted; `rank` 0 is the most trusted."""

    LOCKED = "locked"
    REVIEWED = "reviewed"
    PERSON = "person"
    COLLEAGUE = "colleague"  # came over the team's exchange, and nobody here confirmed it
    AGENT = "agent"
    MINED = "mined"
    PROPOSED = "proposed"

    @property
    def rank(self) -> int:
        """0 for the most trusted."""
        return list(Authority).index(self)


class AuthorKind(StrEnum):
    """Whether a person or a program is the author."""

    PERSON = "person"
    AGENT = "agent"


@frozen
class Author:
    """The author of a statement or action, with the name that git or the MCP client gives."""

    name: str
    kind: AuthorKind = AuthorKind.PERSON


class ScopeKind(StrEnum):
    """How far a belief applies, widest first."""

    USER = "user"
    WORKSPACE = "workspace"
    GLOB = "glob"
    FILE = "file"
    SYMBOL = "symbol"

    @property
    def is_wide(self) -> bool:
        """True for a scope of its own, without the place of an anchor."""
        return self not in {ScopeKind.FILE, ScopeKind.SYMBOL}


@frozen
class Scope:
    """Where a belief applies. `pattern` is a path glob for `glob`; files and symbols are named by the anchors."""

    kind: ScopeKind
    pattern: str = ""

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Read `user`, `workspace`, `file`, `symbol`, `glob:PATTERN`, or a bare pattern that holds `*`, `?` or `[`.
        Raises BadValue for anything else."""
        word, _, pattern = text.strip().partition(":")
        if word == ScopeKind.GLOB and pattern.strip():
            return cls(ScopeKind.GLOB, pattern.strip())
        if not pattern and word in set(ScopeKind) - {ScopeKind.GLOB}:
            return cls(ScopeKind(word))
        if any(sign in text for sign in "*?["):
            return cls(ScopeKind.GLOB, text.strip())
        raise BadValue(
            f"not a scope: {text!r}", "one of user, workspace, file, symbol, or a path glob such as 'src/**/*.py'"
        )

    def __str__(self) -> str:
        return f"glob:{self.pattern}" if self.kind is ScopeKind.GLOB else self.kind.value


class BeliefStatus(StrEnum):
    """What people and agents decided about a belief. What the code says of it is its standing."""

    ACTIVE = "active"
    PROPOSED = "proposed"  # waits until a person, or a rule that a person wrote, admits it
    SUPERSEDED = "superseded"
    RETIRED = "retired"


class ReferenceKind(StrEnum):
    """The sort of thing that a statement names."""

    PATH = "path"
    IDENTIFIER = "identifier"
    LITERAL = "literal"
    COMMAND = "command"


@frozen
class Reference:
    """A file, name or command that the statement names and that was there when it was verified.

    `target` says where it was found: a path, `path#symbol`, or the file that defines the command. `digest` is that of
    a named file's content (hex, BLAKE2b of 16 bytes) and finds it again after a rename; "" for the other kinds.
    """

    kind: ReferenceKind
    text: str
    target: str
    digest: str = ""

    @property
    def simple_name(self) -> str:
        """The last part of the name, as a symbol has it."""
        return self.text.rpartition(".")[2].strip("()`")


@frozen
class Neighbour:
    """A symbol of the workspace when an anchor was verified. It is never taken for the anchor's own symbol under
    another name or in another place."""

    path: str
    name: str
    meaning: str


@frozen
class Limits:
    """Where and until when a belief applies; None leaves a value as it is.

    `conditions` replace the present ones, () removes them; `stale_after` in days, 0 removes it; `forever` removes the
    date.
    """

    conditions: tuple[tuple[str, str], ...] | None = None
    expires_at: datetime | None = None
    forever: bool = False
    stale_after: int | None = None
    scope: Scope | None = None


@frozen
class Anchor:
    """The tie from a belief to code, as last verified.

    `verified` is the symbol with the fingerprints and facts it had; `snapshot` its source text after redaction, at most
    64 KiB; `provenance` tells how the anchor followed the code since (`renamed from fetch`). `unmet` are the words of
    the statement that the code contradicted when it was verified, `met` those that it bore out.
    """

    path: str
    symbol: str
    kind: SymbolKind
    line: int  # from 1, of the defining name
    verified: Symbol
    verified_at: datetime
    depends: tuple[Dependency, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    snapshot: str = ""
    commit: str | None = None
    provenance: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    met: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        """The place as people write it."""
        return Place(self.path, symbol=self.symbol) if self.symbol else Place(self.path)


@frozen
class Belief:
    """A statement held true. Times are aware and UTC. `id` is short, stable and never used again."""

    id: str
    text: str
    kind: BeliefKind
    scope: Scope
    authority: Authority
    confidence: float  # 0..1
    author: Author
    source: str  # where it was said: cli, lsp, mcp, mcp:Claude Code...
    created_at: datetime
    updated_at: datetime
    status: BeliefStatus = BeliefStatus.ACTIVE
    superseded_by: str | None = None
    expires_at: datetime | None = None
    conditions: tuple[tuple[str, str], ...] = ()  # env=staging, branch=...
    anchors: tuple[Anchor, ...] = ()
    references: tuple[Reference, ...] = ()
    guards: tuple[Guard, ...] = ()
    evidence: tuple[Evidence, ...] = ()  # where it was found, when nobody told it to memlsp
    because_of: tuple[str, ...] = ()  # ids of the beliefs that it depends on
    stale_after: int | None = None  # days after which it has to be confirmed again, None for never
    confirmed_at: datetime | None = None  # when somebody last said that it is still true
    branch: str = ""  # checked out when it was said, "" for none or unknown
    commit: str = ""  # checked out when it was said, in full
    session: str = ""  # the session or import that taught it, "" for a person at the command line

    @property
    def locked(self) -> bool:
        """True when only a person may change it."""
        return self.authority is Authority.LOCKED

    @property
    def unconfirmed_at(self) -> datetime | None:
        """When it has to be confirmed again, None for never."""
        if self.stale_after is None:
            return None
        return (self.confirmed_at or self.created_at) + timedelta(days=self.stale_after)


class RevisionAction(StrEnum):
    """An action on a belief."""

    REMEMBER = "remember"
    PROPOSE = "propose"
    ADMIT = "admit"  # a proposal becomes active
    CONFIRM = "confirm"
    SUPERSEDE = "supersede"
    RETIRE = "retire"
    LOCK = "lock"
    UNLOCK = "unlock"
    REANCHOR = "reanchor"
    SCOPE = "scope"  # it applies elsewhere, under other conditions or until another date
    WORKED = "worked"  # somebody followed it, and it held
    FAILED = "failed"  # somebody followed it, and it did not hold
    EDIT = "edit"  # its file in the repository was edited
    ROLLBACK = "rollback"


@frozen
class Revision:
    """One entry of a belief's history; never changed or removed, except by forgetting the belief."""

    belief_id: str
    number: int  # from 1, per belief
    action: RevisionAction
    author: Author
    source: str
    at: datetime
    note: str = ""
    undoes: int | None = None  # for a rollback: the revision whose effect was taken back
    session: str = ""  # the session or import that it was done in


@frozen
class ConfidenceStep:
    """What one revision did to the confidence, and why in a few words. `before` is None for the first."""

    revision: Revision
    before: float | None
    after: float
    how: str
