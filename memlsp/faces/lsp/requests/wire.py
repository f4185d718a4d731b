"""What the editor extension asks for beyond the protocol, and the shape of every answer.

Each request is named `memlsp/...`, takes one object and answers with one; what cannot be done is a JSON-RPC error
whose message is a sentence and whose `data.hint` says what to do. `vscode-extension/src/wire.ts` is written from this
module by `python -m docs.generate.wire_types`, so the two cannot drift apart. Moments are UTC, ISO 8601; lines count
from 1; paths are relative to the workspace's root, with forward slashes; uris are the editor's own.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

Standing = Literal[
    "current", "carried", "changed", "contradicted", "orphaned", "expired", "unbound", "superseded", "retired"
]
Kind = Literal["decision", "rule", "gotcha", "fact", "preference", "procedure"]
Status = Literal["proposed", "active", "superseded", "retired"]
ScopeName = Literal["user", "workspace", "glob", "file", "symbol"]


class Problem(TypedDict):
    """The `data` of a JSON-RPC error. `missing` where what was asked for is not there, or not there any more."""

    hint: str
    missing: NotRequired[bool]


class Who(TypedDict):
    """An author."""

    name: str
    kind: Literal["person", "agent", "tool"]


class Reason(TypedDict):
    """Why a belief stands as it does."""

    code: str
    message: str
    path: str | None
    symbol: str | None
    commit: str | None
    at: str | None


class Spot(TypedDict):
    """A place in the code as it is now. `symbol` is "" for a whole file."""

    path: str
    symbol: str | None
    line: int


class CandidateSpot(TypedDict):
    """Where the code of an orphaned belief may be now; `similarity` is between 0 and 1."""

    path: str
    symbol: str | None
    line: int
    similarity: float


class Belief(TypedDict):
    """One belief with its standing now. The keys of `faces.shapes.belief_shape`, and what an editor needs beside."""

    id: str
    text: str
    kind: Kind
    scope: str
    authority: str
    confidence: float
    standing: Standing
    reasons: list[Reason]
    anchors: list[Spot]
    candidates: list[CandidateSpot]
    author: Who
    source: str
    created_at: str
    updated_at: str
    expires_at: str | None
    superseded_by: str | None
    conditions: list[str]
    because_of: list[str]
    stale_after_days: int | None
    confirmed_at: str | None
    session: str | None
    guards: list[str]
    locked: bool
    holds: bool
    root: str
    """The workspace's root as a folder uri: anchors are relative to it."""
    status: NotRequired[Status]
    """Whether it is held true at all: a proposal waits for somebody to admit it."""


class Group(TypedDict):
    """The beliefs of one symbol, or of what is wider ("" with a label such as `this file` or `src/**`)."""

    symbol: str
    label: str
    path: str
    line: int | None
    beliefs: list[Belief]


class BeliefsParams(TypedDict):
    """`uri` is a document (scope file) or a folder of the workspace; nothing: the only one."""

    scope: Literal["file", "workspace", "user"]
    uri: NotRequired[str]
    standings: NotRequired[list[Standing]]
    kinds: NotRequired[list[Kind]]
    query: NotRequired[str]
    limit: NotRequired[int]


class Beliefs(TypedDict):
    """`total` counts all that fit; `groups` hold the first `limit` of them."""

    groups: list[Group]
    total: int


class BeliefParams(TypedDict):
    """A belief by id; `uri` is a folder or document of its workspace when more than one is open."""

    id: str
    uri: NotRequired[str]


class CodeChange(TypedDict):
    """The code of an anchor as it was verified and as it is; `lines` start with "-", "+", a space or are "…"."""

    was: str
    now: str | None
    verified_at: str
    commit: str | None
    lines: list[str]


class Revision(TypedDict):
    """One entry of a belief's history, with what it did to the confidence."""

    number: int
    action: str
    author: Who
    source: str
    at: str
    note: str
    undoes: int | None
    session: str | None
    confidence_before: float | None
    confidence: float
    how: str


class Served(TypedDict):
    """One answer that carried the belief."""

    at: str
    asker: str
    query: str
    tokens: int


class Link(TypedDict):
    """An edge of the small graph around a belief. `from_id` rests on, superseded, or contradicts `to_id`."""

    from_id: str
    to_id: str
    kind: Literal["because_of", "superseded_by", "contradicts"]


class Node(TypedDict):
    """A belief in the graph, in a few words."""

    id: str
    text: str
    standing: Standing
    here: bool


class BeliefPage(TypedDict):
    """All that is known of one belief. `actions` are what may be done with it now, as in `memlsp.server.ACTION`;
    `admit` and `reject` are choices for `memlsp/decide`."""

    belief: Belief
    changes: list[CodeChange]
    revisions: list[Revision]
    served: list[Served]
    served_total: int
    nodes: list[Node]
    links: list[Link]
    actions: list[str]


class ReviewParams(TypedDict):
    """`uri` is a folder or document of the workspace."""

    uri: NotRequired[str]
    limit: NotRequired[int]


class ReviewItem(TypedDict):
    """One decision that waits; `choices` are what `memlsp/decide` takes for it, `changes` are there for one item."""

    id: str
    kind: Literal["conflict", "stale", "proposal"]
    question: str
    impact: float
    choices: list[str]
    beliefs: list[Belief]
    evidence: list[str]
    replaces: str | None
    changes: NotRequired[list[CodeChange]]


class ReviewQueue(TypedDict):
    """What waits, by impact. The counts are of all, `items` the first of them."""

    items: list[ReviewItem]
    conflicts: int
    stale: int
    proposals: int


class DecideParams(TypedDict):
    """A decision about an item. `conditions` are KEY=VALUE, of the first side of a conflict."""

    id: str
    choice: str
    uri: NotRequired[str]
    text: NotRequired[str]
    note: NotRequired[str]
    conditions: NotRequired[list[str]]


class Decided(TypedDict):
    """What was decided, in a sentence, and the belief to show for it."""

    item: str
    choice: str
    said: str
    belief: Belief | None


class UndoParams(TypedDict):
    """`item` is what the last decision must have been about; if it was about another, nothing is taken back."""

    uri: NotRequired[str]
    item: NotRequired[str]


class WorkspaceParams(TypedDict):
    """`uri` is a folder or document of the workspace; nothing: the only one, or the one that was touched last."""

    uri: NotRequired[str]


class TimelineParams(TypedDict):
    """`before` is a moment: what is older comes next."""

    uri: NotRequired[str]
    before: NotRequired[str]
    limit: NotRequired[int]


class TimelineEntry(TypedDict):
    """One line of the timeline; `id` is an episode, a commit, a belief or a handoff, as `what` says."""

    at: str
    until: str | None
    what: Literal["episode", "commit", "belief", "handoff"]
    id: str
    title: str
    detail: str
    source: str
    paths: list[str]


class Thread(TypedDict):
    """Work left open."""

    id: str
    kind: str
    text: str
    open: bool
    path: str | None
    symbol: str | None
    line: int | None
    source: str
    session: str
    episode: str
    opened_at: str
    closed_at: str | None
    closed_by: str
    note: str


class Timeline(TypedDict):
    """Newest first; `more` when there is something older. `threads` are the open ones, only without `before`."""

    entries: list[TimelineEntry]
    threads: list[Thread]
    more: bool
    root: str


class Ran(TypedDict):
    """A command of an episode."""

    command: str
    worked: bool | None
    at: str
    exit: int | None


class SymbolName(TypedDict):
    """A symbol of a file."""

    path: str
    symbol: str


class Episode(TypedDict):
    """One task episode."""

    id: str
    title: str
    intent: str
    outcome: str
    open: bool
    began_at: str
    last_at: str
    closed_at: str | None
    closed_by: str
    branch: str | None
    sources: list[str]
    sessions: list[str]
    events: int
    paths: list[str]
    symbols: list[SymbolName]
    changes: list[str]
    commands: list[Ran]
    commits: list[str]


class EpisodeParams(TypedDict):
    """An episode by id."""

    id: str
    uri: NotRequired[str]


class PlaceParams(TypedDict):
    """A cursor, line from 1."""

    uri: str
    line: int


class PlaceAnswer(TypedDict):
    """What a belief would be tied to there: the innermost symbol, "" for the file. `beliefs` counts what is there."""

    path: str
    symbol: str
    line: int
    beliefs: int
    workspace: str


class CommitParams(TypedDict):
    """The commit to ask about; nothing: the newest."""

    uri: str
    commit: NotRequired[str]


class CommitSymbol(TypedDict):
    """A symbol that a commit changed, with a sentence about it."""

    path: str
    symbol: str
    line: int | None
    sentence: str


class CommitAnswer(TypedDict):
    """A commit and what it did, the symbols by how much it changed them."""

    commit: str
    subject: str
    symbols: list[CommitSymbol]


class RememberParams(TypedDict):
    """A statement to keep. `uri` with `line` or `symbol` is its place; a folder, or a wide scope, has none. `also`
    are further places, as `PATH` or `PATH#Qualified.name`."""

    text: str
    uri: str
    line: NotRequired[int]
    symbol: NotRequired[str]
    also: NotRequired[list[str]]
    kind: NotRequired[Kind]
    scope: NotRequired[ScopeName]
    glob: NotRequired[str]
    conditions: NotRequired[list[str]]
    because_of: NotRequired[list[str]]
    until: NotRequired[str]


class Remembered(TypedDict):
    """The belief as it is kept; `conflicts` are sentences about what contradicts it, `notices` what was taken out."""

    belief: Belief
    conflicts: list[str]
    notices: list[str]


class Check(TypedDict):
    """One thing that doctor looked at; `ok` is null for a remark."""

    name: str
    ok: bool | None
    message: str
    advice: str


class Checks(TypedDict):
    """What doctor found."""

    checks: list[Check]


class Changed(TypedDict):
    """The notification `memlsp/changed`: something in these workspaces moved (root folder uris), look again."""

    roots: list[str]


REQUESTS: dict[str, tuple[type, type]] = {
    "memlsp/beliefs": (BeliefsParams, Beliefs),
    "memlsp/belief": (BeliefParams, BeliefPage),
    "memlsp/review": (ReviewParams, ReviewQueue),
    "memlsp/reviewItem": (BeliefParams, ReviewItem),
    "memlsp/decide": (DecideParams, Decided),
    "memlsp/undo": (UndoParams, Decided),
    "memlsp/timeline": (TimelineParams, Timeline),
    "memlsp/episode": (EpisodeParams, Episode),
    "memlsp/place": (PlaceParams, PlaceAnswer),
    "memlsp/commit": (CommitParams, CommitAnswer),
    "memlsp/remember": (RememberParams, Remembered),
    "memlsp/doctor": (WorkspaceParams, Checks),
}
"""Every request with what it takes and answers."""

NOTIFICATIONS: dict[str, type] = {"memlsp/changed": Changed}
"""What the server tells by itself."""
