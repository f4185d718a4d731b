"""The requests and notifications beyond LSP, and the shape of every answer.

Each request is named `memlsp/...`, takes one object and answers with one. A request that cannot be served is a JSON-RPC
error with a sentence and, in `data.hint`, advice. `python -m docs.generate.wire_types` writes
`vscode-extension/src/wire.ts` from this module, without the prefix `Wire` of the names, and from wire_params.toml.
Moments are UTC, ISO 8601; lines count from 1; paths are relative to the workspace's root, with forward slashes; uris
are the editor's own.
"""

# annotations are evaluated here, so that `NotRequired` is known at run time
from typing import Literal, NotRequired, TypedDict

WireStanding = Literal[
    "current", "carried", "ahead", "changed", "contradicted", "orphaned", "expired", "unbound", "superseded", "retired"
]
WireKind = Literal["decision", "rule", "gotcha", "fact", "preference", "procedure"]
WireAction = Literal[
    "confirm", "supersede", "retire", "lock", "unlock", "reanchor", "scope", "worked", "failed", "rollback"
]
WireStatus = Literal["proposed", "active", "superseded", "retired"]
WireScopeName = Literal["user", "workspace", "glob", "file", "symbol"]


class WireProblem(TypedDict):
    """The `data` of a JSON-RPC error. `missing`: the object of the request does not exist, or no longer."""

    hint: str
    missing: NotRequired[bool]


class WireWho(TypedDict):
    """An author."""

    name: str
    kind: Literal["person", "agent", "tool"]


class WireReason(TypedDict):
    """A reason for the standing of a belief."""

    code: str
    message: str
    path: str | None
    symbol: str | None
    commit: str | None
    at: str | None


class WireSpot(TypedDict):
    """A place in the current code. `symbol` is "" for a whole file."""

    path: str
    symbol: str | None
    line: int


class WireCandidateSpot(WireSpot):
    """A candidate for the code of an orphaned belief; `similarity` is between 0 and 1."""

    similarity: float


class WireBelief(TypedDict):
    """One belief with its current standing: the keys of the JSON of beliefs, and some for editors."""

    id: str
    text: str
    kind: WireKind
    scope: str
    authority: str
    confidence: float
    standing: WireStanding
    reasons: list[WireReason]
    checked: NotRequired[list[str]]
    """The words of the statement that the code was seen to bear out; none where nothing in it could be checked."""
    anchors: list[WireSpot]
    candidates: list[WireCandidateSpot]
    author: WireWho
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
    """The uri of the workspace's root folder; anchors are relative to it."""
    status: NotRequired[WireStatus]
    """A `proposed` belief counts only after somebody admits it."""
    conflicts: NotRequired[list[str]]
    """The ids of the review items in which it and another belief cannot both be true."""


class WireGroup(TypedDict):
    """The beliefs of one symbol; or of a file or pattern (`symbol` is "", `label` is `this file` or `src/**`)."""

    symbol: str
    label: str
    path: str
    line: int | None
    beliefs: list[WireBelief]


class WireBeliefs(TypedDict):
    """`total` counts all matching beliefs; `groups` hold the first `limit` of them."""

    groups: list[WireGroup]
    total: int


class WireCodeChange(TypedDict):
    """The code of an anchor when it was verified, and now; `lines` start with "-", "+" or a space, or are "…"."""

    was: str
    now: str | None
    verified_at: str
    commit: str | None
    lines: list[str]


class WireRevision(TypedDict):
    """One entry of a belief's history, with its effect on the confidence."""

    number: int
    action: str
    author: WireWho
    source: str
    at: str
    note: str
    undoes: int | None
    session: str | None
    confidence_before: float | None
    confidence: float
    how: str


class WireServed(TypedDict):
    """One answer that carried the belief."""

    at: str
    asker: str
    query: str


class WireLink(TypedDict):
    """An edge of the graph around a belief. `from_id` rests on, was superseded by, or contradicts `to_id`."""

    from_id: str
    to_id: str
    kind: Literal["because_of", "superseded_by", "contradicts"]


class WireNode(TypedDict):
    """A belief in the graph, shortened."""

    id: str
    text: str
    standing: WireStanding
    here: bool


class WireBeliefPage(TypedDict):
    """Everything about one belief. It allows these `actions` now: for `memlsp/revise`, except `forget`
    (`memlsp/forget`), `admit` and `reject` (`memlsp/decide`)."""

    belief: WireBelief
    changes: list[WireCodeChange]
    revisions: list[WireRevision]
    served: list[WireServed]
    served_total: int
    nodes: list[WireNode]
    links: list[WireLink]
    actions: list[str]


class WireReviewItem(TypedDict):
    """One open decision. `memlsp/decide` takes its `choices`; only `memlsp/reviewItem` gives `changes`."""

    id: str
    kind: Literal["conflict", "stale", "proposal"]
    question: str
    impact: float
    choices: list[str]
    beliefs: list[WireBelief]
    evidence: list[str]
    replaces: str | None
    changes: NotRequired[list[WireCodeChange]]


class WireReviewQueue(TypedDict):
    """The open decisions by impact. The counts are of all, `items` the first of them."""

    items: list[WireReviewItem]
    conflicts: int
    stale: int
    proposals: int


class WireDecided(TypedDict):
    """The decision in a sentence, and the belief to show for it."""

    item: str
    choice: str
    said: str
    belief: WireBelief | None


class WireTimelineEntry(TypedDict):
    """One line of the timeline; `id` is an episode, a commit, a belief or a handoff, as `what` says."""

    at: str
    until: str | None
    what: Literal["episode", "commit", "belief", "handoff"]
    id: str
    title: str
    detail: str
    source: str
    paths: list[str]


class WireThread(TypedDict):
    """An open or closed thread of work."""

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


class WireTimeline(TypedDict):
    """Newest first; `more` means that older entries exist. `threads` are the open ones, only without `before`."""

    entries: list[WireTimelineEntry]
    threads: list[WireThread]
    more: bool
    root: str


class WireRan(TypedDict):
    """A command of an episode."""

    command: str
    worked: bool | None
    at: str
    exit: int | None


class WireSymbolName(TypedDict):
    """A symbol of a file."""

    path: str
    symbol: str


class WireEpisode(TypedDict):
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
    symbols: list[WireSymbolName]
    changes: list[str]
    commands: list[WireRan]
    commits: list[str]


class WireRevised(TypedDict):
    """The belief as it is now; after `supersede` the one that took its place."""

    id: str
    belief: WireBelief


class WireForgotten(TypedDict):
    """The numbers of erased records by kind. `searched` counts the files that were searched afterwards; `left` names
    those that may still hold the text."""

    id: str
    removed: dict[str, int]
    searched: int
    left: list[str]


class WireClosedThread(TypedDict):
    """The thread as it is now."""

    id: str
    thread: WireThread


class WireHandoff(TypedDict):
    """One handoff: where it comes from and who took it, and its parts, most useful first."""

    id: str
    head: str
    lines: list[str]


class WirePastChange(TypedDict):
    """A commit that changed what a symbol means."""

    commit: str
    author: str
    date: str
    subject: str
    change: str
    clauses: list[str]
    parts: list[str]


class WireWhy(TypedDict):
    """The beliefs of a place, its open threads, and the history of its symbol; `text` holds all of it. `older`: what is
    said of the commits that `history` leaves out, "" for none."""

    place: str
    beliefs: list[WireBelief]
    history: list[WirePastChange]
    older: str
    threads: list[WireThread]
    text: str


class WireHit(WireBelief):
    """A belief that answers a question, and why."""

    why: list[str]


class WireRecalled(TypedDict):
    """The answer to a question, best first."""

    hits: list[WireHit]


class WirePlaceAnswer(TypedDict):
    """The anchor of a belief at a cursor: the innermost symbol, "" for the file. `beliefs` counts those there."""

    path: str
    symbol: str
    line: int
    beliefs: int
    workspace: str


class WireCommitSymbol(TypedDict):
    """A symbol that a commit changed, with a sentence about it."""

    path: str
    symbol: str
    line: int | None
    sentence: str


class WireCommitAnswer(TypedDict):
    """A commit and its symbols, the most changed first."""

    commit: str
    subject: str
    symbols: list[WireCommitSymbol]


class WireRemembered(TypedDict):
    """The stored belief. `conflicts` are sentences about contradicting beliefs, `notices` about redactions."""

    belief: WireBelief
    conflicts: list[str]
    notices: list[str]


class WireCheck(TypedDict):
    """One check of doctor; `ok` is null for a remark."""

    name: str
    ok: bool | None
    message: str
    advice: str


class WireChecks(TypedDict):
    """The checks of doctor."""

    checks: list[WireCheck]


class WireChanged(TypedDict):
    """The notification `memlsp/changed`: these workspaces (root folder uris) changed, so ask again."""

    roots: list[str]


REQUESTS: dict[str, tuple[str, type, str]] = {
    "memlsp/beliefs": ("BeliefsParams", WireBeliefs, "beliefs.list_beliefs"),
    "memlsp/belief": ("BeliefParams", WireBeliefPage, "beliefs.show_belief"),
    "memlsp/review": ("ReviewParams", WireReviewQueue, "review.list_review"),
    "memlsp/reviewItem": ("BeliefParams", WireReviewItem, "review.show_item"),
    "memlsp/decide": ("DecideParams", WireDecided, "review.decide"),
    "memlsp/undo": ("UndoParams", WireDecided, "review.undo"),
    "memlsp/revise": ("ReviseParams", WireRevised, "revise.revise"),
    "memlsp/forget": ("BeliefParams", WireForgotten, "revise.forget"),
    "memlsp/timeline": ("TimelineParams", WireTimeline, "timeline.list_timeline"),
    "memlsp/episode": ("EpisodeParams", WireEpisode, "timeline.show_episode"),
    "memlsp/closeThread": ("CloseThreadParams", WireClosedThread, "timeline.close_thread"),
    "memlsp/handoff": ("HandoffParams", WireHandoff, "timeline.show_handoff"),
    "memlsp/why": ("WhyParams", WireWhy, "recall.explain"),
    "memlsp/recall": ("RecallParams", WireRecalled, "recall.recall"),
    "memlsp/place": ("PlaceParams", WirePlaceAnswer, "remember.show_place"),
    "memlsp/commit": ("CommitParams", WireCommitAnswer, "remember.show_commit"),
    "memlsp/remember": ("RememberParams", WireRemembered, "remember.remember"),
    "memlsp/doctor": ("WorkspaceParams", WireChecks, "recall.diagnose"),
}
"""Every request with its parameters (see wire_params.toml), its answer, and the function of this room that gives it."""

NOTIFICATIONS: dict[str, type] = {"memlsp/changed": WireChanged}
"""Every notification of the server."""

TERMINAL_COMMAND = "memlsp/terminalCommand"
"""A notification of the client: {command, cwd?, exitCode?, output?, durationMs?, id?}."""
