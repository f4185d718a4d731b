// Written by `python -m docs.generate.wire_types` from wire_answers.toml and wire_params.toml in
// memlsp/faces/lsp/requests/. Do not edit.

export type Standing = "current" | "carried" | "ahead" | "changed" | "contradicted" | "orphaned" | "expired" | "unbound" | "superseded" | "retired";

export type Kind = "decision" | "rule" | "gotcha" | "fact" | "preference" | "procedure";

export type Action = "confirm" | "supersede" | "retire" | "lock" | "unlock" | "reanchor" | "scope" | "worked" | "failed" | "rollback";

export type Status = "proposed" | "active" | "superseded" | "retired";

export type ScopeName = "user" | "workspace" | "glob" | "file" | "symbol";

/** The `data` of a JSON-RPC error. `missing`: the object of the request does not exist, or no longer. */
export interface Problem {
  hint: string;
  missing?: boolean;
}

/** An author. */
export interface Who {
  name: string;
  kind: "person" | "agent" | "tool";
}

/** A reason for the standing of a belief. */
export interface Reason {
  code: string;
  message: string;
  path: string | null;
  symbol: string | null;
  commit: string | null;
  at: string | null;
}

/** A place in the current code. `symbol` is "" for a whole file. */
export interface Spot {
  path: string;
  symbol: string | null;
  line: number;
}

/** A candidate for the code of an orphaned belief; `similarity` is between 0 and 1. */
export interface CandidateSpot {
  path: string;
  symbol: string | null;
  line: number;
  similarity: number;
}

/** One belief with its current standing: the keys of the JSON of beliefs, and some for editors. */
export interface Belief {
  id: string;
  text: string;
  kind: Kind;
  scope: string;
  authority: string;
  confidence: number;
  standing: Standing;
  reasons: Reason[];
  checked?: string[];
  anchors: Spot[];
  candidates: CandidateSpot[];
  author: Who;
  source: string;
  created_at: string;
  updated_at: string;
  expires_at: string | null;
  superseded_by: string | null;
  conditions: string[];
  because_of: string[];
  stale_after_days: number | null;
  confirmed_at: string | null;
  session: string | null;
  guards: string[];
  locked: boolean;
  holds: boolean;
  root: string;
  status?: Status;
  conflicts?: string[];
}

/** The beliefs of one symbol; or of a file or pattern (`symbol` is "", `label` is `this file` or `src/**`). */
export interface Group {
  symbol: string;
  label: string;
  path: string;
  line: number | null;
  beliefs: Belief[];
}

/** `total` counts all matching beliefs; `groups` hold the first `limit` of them. */
export interface Beliefs {
  groups: Group[];
  total: number;
}

/** The code of an anchor when it was verified, and now; `lines` start with "-", "+" or a space, or are "…". */
export interface CodeChange {
  was: string;
  now: string | null;
  verified_at: string;
  commit: string | null;
  lines: string[];
}

/** One entry of a belief's history, with its effect on the confidence. */
export interface Revision {
  number: number;
  action: string;
  author: Who;
  source: string;
  at: string;
  note: string;
  undoes: number | null;
  session: string | null;
  confidence_before: number | null;
  confidence: number;
  how: string;
}

/** One answer that carried the belief. */
export interface Served {
  at: string;
  asker: string;
  query: string;
}

/** An edge of the graph around a belief. `from_id` rests on, was superseded by, or contradicts `to_id`. */
export interface Link {
  from_id: string;
  to_id: string;
  kind: "because_of" | "superseded_by" | "contradicts";
}

/** A belief in the graph, shortened. */
export interface Node {
  id: string;
  text: string;
  standing: Standing;
  here: boolean;
}

/** Everything about one belief. It allows these `actions` now: for `memlsp/revise`, except `forget` (`memlsp/forget`), `admit` and `reject` (`memlsp/decide`). */
export interface BeliefPage {
  belief: Belief;
  changes: CodeChange[];
  revisions: Revision[];
  served: Served[];
  served_total: number;
  nodes: Node[];
  links: Link[];
  actions: string[];
}

/** One open decision. `memlsp/decide` takes its `choices`; only `memlsp/reviewItem` gives `changes`. */
export interface ReviewItem {
  id: string;
  kind: "conflict" | "stale" | "proposal";
  question: string;
  impact: number;
  choices: string[];
  beliefs: Belief[];
  evidence: string[];
  replaces: string | null;
  changes?: CodeChange[];
}

/** The open decisions by impact. The counts are of all, `items` the first of them. */
export interface ReviewQueue {
  items: ReviewItem[];
  conflicts: number;
  stale: number;
  proposals: number;
}

/** The decision in a sentence, and the belief to show for it. */
export interface Decided {
  item: string;
  choice: string;
  said: string;
  belief: Belief | null;
}

/** One line of the timeline; `id` is an episode, a commit, a belief or a handoff, as `what` says. */
export interface TimelineEntry {
  at: string;
  until: string | null;
  what: "episode" | "commit" | "belief" | "handoff";
  id: string;
  title: string;
  detail: string;
  source: string;
  paths: string[];
}

/** An open or closed thread of work. */
export interface Thread {
  id: string;
  kind: string;
  text: string;
  open: boolean;
  path: string | null;
  symbol: string | null;
  line: number | null;
  source: string;
  session: string;
  episode: string;
  opened_at: string;
  closed_at: string | null;
  closed_by: string;
  note: string;
}

/** Newest first; `more` means that older entries exist. `threads` are the open ones, only without `before`. */
export interface Timeline {
  entries: TimelineEntry[];
  threads: Thread[];
  more: boolean;
  root: string;
}

/** A command of an episode. */
export interface Ran {
  command: string;
  worked: boolean | null;
  at: string;
  exit: number | null;
}

/** A symbol of a file. */
export interface SymbolName {
  path: string;
  symbol: string;
}

/** One task episode. */
export interface Episode {
  id: string;
  title: string;
  intent: string;
  outcome: string;
  open: boolean;
  began_at: string;
  last_at: string;
  closed_at: string | null;
  closed_by: string;
  branch: string | null;
  sources: string[];
  sessions: string[];
  events: number;
  paths: string[];
  symbols: SymbolName[];
  changes: string[];
  commands: Ran[];
  commits: string[];
}

/** The belief as it is now; after `supersede` the one that took its place. */
export interface Revised {
  id: string;
  belief: Belief;
}

/** The numbers of erased records by kind. `searched` counts the files that were searched afterwards; `left` names those that may still hold the text. */
export interface Forgotten {
  id: string;
  removed: Record<string, number>;
  searched: number;
  left: string[];
}

/** The thread as it is now. */
export interface ClosedThread {
  id: string;
  thread: Thread;
}

/** One handoff: where it comes from and who took it, and its parts, most useful first. */
export interface Handoff {
  id: string;
  head: string;
  lines: string[];
}

/** A commit that changed what a symbol means. */
export interface PastChange {
  commit: string;
  author: string;
  date: string;
  subject: string;
  change: string;
  clauses: string[];
  parts: string[];
}

/** The beliefs of a place, its open threads, and the history of its symbol; `text` holds all of it. `older`: what is said of the commits that `history` leaves out, "" for none. */
export interface Why {
  place: string;
  beliefs: Belief[];
  history: PastChange[];
  older: string;
  threads: Thread[];
  text: string;
}

/** A belief that answers a question, and why. */
export interface Hit {
  id: string;
  text: string;
  kind: Kind;
  scope: string;
  authority: string;
  confidence: number;
  standing: Standing;
  reasons: Reason[];
  checked?: string[];
  anchors: Spot[];
  candidates: CandidateSpot[];
  author: Who;
  source: string;
  created_at: string;
  updated_at: string;
  expires_at: string | null;
  superseded_by: string | null;
  conditions: string[];
  because_of: string[];
  stale_after_days: number | null;
  confirmed_at: string | null;
  session: string | null;
  guards: string[];
  locked: boolean;
  holds: boolean;
  root: string;
  status?: Status;
  conflicts?: string[];
  why: string[];
}

/** The answer to a question, best first. */
export interface Recalled {
  hits: Hit[];
}

/** The anchor of a belief at a cursor: the innermost symbol, "" for the file. `beliefs` counts those there. */
export interface PlaceAnswer {
  path: string;
  symbol: string;
  line: number;
  beliefs: number;
  workspace: string;
}

/** A symbol that a commit changed, with a sentence about it. */
export interface CommitSymbol {
  path: string;
  symbol: string;
  line: number | null;
  sentence: string;
}

/** A commit and its symbols, the most changed first. */
export interface CommitAnswer {
  commit: string;
  subject: string;
  symbols: CommitSymbol[];
}

/** The stored belief. `conflicts` are sentences about contradicting beliefs, `notices` about redactions. */
export interface Remembered {
  belief: Belief;
  conflicts: string[];
  notices: string[];
}

/** One check of doctor; `ok` is null for a remark. */
export interface Check {
  name: string;
  ok: boolean | null;
  message: string;
  advice: string;
}

/** The checks of doctor. */
export interface Checks {
  checks: Check[];
}

/** The notification `memlsp/changed`: these workspaces (root folder uris) changed, so ask again. */
export interface Changed {
  roots: string[];
}

/** The exchange with a team's machines; no `address` says that it is off. `machines` counts the others, `waiting` what a person has to settle; `problem` says why the last exchange failed, "" if it did not. */
export interface Team {
  address: string;
  synced: string | null;
  machines: number;
  waiting: number;
  problem: string;
}

/** `uri` is a folder or document of the workspace; default: the only one, or that of the last change. */
export interface WorkspaceParams {
  uri?: string;
}

/** `uri` is a document (scope file) or a folder of the workspace; default: the only one. */
export interface BeliefsParams {
  scope: "file" | "workspace" | "user";
  uri?: string;
  standings?: Standing[];
  kinds?: Kind[];
  query?: string;
  limit?: number;
}

/** A belief by id; `uri` is a folder or document of its workspace when more than one is open. */
export interface BeliefParams {
  uri?: string;
  id: string;
}

/** A workspace, and how many items to answer with. */
export interface ReviewParams {
  uri?: string;
  limit?: number;
}

/** A decision about an item. `conditions` (KEY=VALUE) limit the first side of a conflict. */
export interface DecideParams {
  uri?: string;
  id: string;
  choice: string;
  text?: string;
  note?: string;
  conditions?: string[];
}

/** With `item` the last decision is taken back only if it was about that item. */
export interface UndoParams {
  uri?: string;
  item?: string;
}

/** `before` is a moment; the answer holds older entries. */
export interface TimelineParams {
  uri?: string;
  before?: string;
  limit?: number;
}

/** An episode by id. */
export interface EpisodeParams {
  uri?: string;
  id: string;
}

/** A change to a belief: `supersede` takes `text`, `reanchor` a `place` (PATH, PATH:LINE or PATH#NAME; nothing: the only candidate), `scope` takes `conditions` (KEY=VALUE, empty for everywhere). The `note` of `rollback` may be the number of a revision; the others take a few words. */
export interface ReviseParams {
  uri?: string;
  id: string;
  action: Action;
  text?: string;
  place?: string;
  conditions?: string[];
  note?: string;
}

/** A thread to close by hand, and why. */
export interface CloseThreadParams {
  uri?: string;
  id: string;
  note?: string;
}

/** A handoff to show; with `claim` it is taken first, by the person whose editor this is. */
export interface HandoffParams {
  uri?: string;
  id: string;
  claim?: boolean;
}

/** The exchange of a workspace; with `sync` it exchanges first, which may take as long as the network does. */
export interface TeamParams {
  uri?: string;
  sync?: boolean;
}

/** A place: a document with a line from 1, or a symbol's dotted name; with neither the whole file. */
export interface WhyParams {
  uri: string;
  line?: number;
  symbol?: string;
}

/** A question, and a place that it is about (the uri of a folder only names the workspace). `typing`: the user is still typing it, so no receipt is kept. */
export interface RecallParams {
  uri?: string;
  query: string;
  line?: number;
  symbol?: string;
  typing?: boolean;
}

/** A cursor, line from 1. */
export interface PlaceParams {
  uri: string;
  line: number;
}

/** A commit; default: the newest. */
export interface CommitParams {
  uri: string;
  commit?: string;
}

/** A statement to keep. `uri` with `line` or `symbol` is its place; a folder, or a wide scope, has none. `also` are further places, as `PATH` or `PATH#Qualified.name`. */
export interface RememberParams {
  text: string;
  uri: string;
  line?: number;
  symbol?: string;
  also?: string[];
  kind?: Kind;
  scope?: ScopeName;
  glob?: string;
  conditions?: string[];
  because_of?: string[];
  until?: string;
}

/** Every request with its parameters and its answer. */
export interface Requests {
  "memlsp/beliefs": { params: BeliefsParams; answer: Beliefs };
  "memlsp/belief": { params: BeliefParams; answer: BeliefPage };
  "memlsp/review": { params: ReviewParams; answer: ReviewQueue };
  "memlsp/reviewItem": { params: BeliefParams; answer: ReviewItem };
  "memlsp/decide": { params: DecideParams; answer: Decided };
  "memlsp/undo": { params: UndoParams; answer: Decided };
  "memlsp/revise": { params: ReviseParams; answer: Revised };
  "memlsp/forget": { params: BeliefParams; answer: Forgotten };
  "memlsp/timeline": { params: TimelineParams; answer: Timeline };
  "memlsp/episode": { params: EpisodeParams; answer: Episode };
  "memlsp/closeThread": { params: CloseThreadParams; answer: ClosedThread };
  "memlsp/handoff": { params: HandoffParams; answer: Handoff };
  "memlsp/why": { params: WhyParams; answer: Why };
  "memlsp/recall": { params: RecallParams; answer: Recalled };
  "memlsp/place": { params: PlaceParams; answer: PlaceAnswer };
  "memlsp/commit": { params: CommitParams; answer: CommitAnswer };
  "memlsp/remember": { params: RememberParams; answer: Remembered };
  "memlsp/team": { params: TeamParams; answer: Team };
  "memlsp/doctor": { params: WorkspaceParams; answer: Checks };
}

/** Every notification of the server. */
export interface Notifications {
  "memlsp/changed": Changed;
}
