/** Answers of a server, with as much in them as a test of a view wants. */
import type {
  Belief,
  Beliefs,
  Episode,
  Group,
  ReviewItem,
  ReviewQueue,
  Thread,
  Timeline,
  TimelineEntry,
} from "../../src/wire";
import { TreeItemCollapsibleState } from "vscode";
import type { Node, Outline } from "../../src/views/outline";
import { belief, ROOT } from "../sample";
import { expect, vi } from "vitest";
import type { FakeMemory } from "../fake/memory";
import { fake, Uri, workspace } from "../fake/vscode";

export { belief, ROOT };

/** A belief that the code speaks against. */
export function broken(change: Partial<Belief> = {}): Belief {
  const message = "`3` is `5` now";
  const reasons = [{ code: "literal-changed", message, path: "src/net.py", symbol: "fetch", commit: null, at: null }];
  return belief({ id: "b_2", standing: "contradicted", holds: false, reasons, ...change });
}

export function group(beliefs: Belief[], change: Partial<Group> = {}): Group {
  return { symbol: "fetch", label: "fetch", path: "src/net.py", line: 12, beliefs, ...change };
}

export function beliefs(...groups: Group[]): Beliefs {
  return { groups, total: groups.reduce((sum, each) => sum + each.beliefs.length, 0) };
}

export const NOTHING: Beliefs = { groups: [], total: 0 };

export function item(change: Partial<ReviewItem> = {}): ReviewItem {
  return {
    id: "b_2",
    kind: "stale",
    question: "Is this still true? It is contradicted.",
    impact: 7.5,
    choices: ["confirm", "supersede", "retire", "reanchor", "scope"],
    beliefs: [broken()],
    evidence: ["`3` is `5` now"],
    replaces: null,
    ...change,
  };
}

export function proposal(change: Partial<ReviewItem> = {}): ReviewItem {
  return item({
    id: "b_3",
    kind: "proposal",
    question: "Is this true, and worth knowing?",
    impact: 1,
    choices: ["admit", "reject"],
    beliefs: [belief({ id: "b_3", text: "Prices are in cents", authority: "proposed" })],
    evidence: ["readme: README.md:4"],
    ...change,
  });
}

export function conflict(change: Partial<ReviewItem> = {}): ReviewItem {
  return item({
    id: "b_4+b_5",
    kind: "conflict",
    question: "port is 8080 or 9090",
    impact: 9,
    choices: ["first", "second", "both", "apart"],
    beliefs: [belief({ id: "b_4", text: "The port is 8080" }), belief({ id: "b_5", text: "The port is 9090" })],
    evidence: [],
    ...change,
  });
}

export function queue(...items: ReviewItem[]): ReviewQueue {
  const count = (kind: ReviewItem["kind"]): number => items.filter((each) => each.kind === kind).length;
  return { items, conflicts: count("conflict"), stale: count("stale"), proposals: count("proposal") };
}

export function entry(change: Partial<TimelineEntry> = {}): TimelineEntry {
  return {
    at: "2026-11-21T10:00:00Z",
    until: null,
    what: "commit",
    id: "0123456789abcdef",
    title: "Retry more often",
    detail: "",
    source: "Ada",
    paths: ["src/net.py"],
    ...change,
  };
}

export function thread(change: Partial<Thread> = {}): Thread {
  return {
    id: "t_1",
    kind: "todo",
    text: "measure how often it fails",
    open: true,
    path: "src/net.py",
    symbol: "fetch",
    line: 14,
    source: "editor",
    session: "",
    episode: "",
    opened_at: "2026-11-20T10:00:00Z",
    closed_at: null,
    closed_by: "",
    note: "",
    ...change,
  };
}

export function timeline(entries: TimelineEntry[], threads: Thread[] = [], more = false): Timeline {
  return { entries, threads, more, root: ROOT };
}

export function episode(change: Partial<Episode> = {}): Episode {
  return {
    id: "e_1",
    title: "Retry more often",
    intent: "make fetch survive a bad minute",
    outcome: "committed",
    open: false,
    began_at: "2026-11-21T09:00:00Z",
    last_at: "2026-11-21T10:00:00Z",
    closed_at: "2026-11-21T10:00:00Z",
    closed_by: "commit",
    branch: "main",
    sources: ["claude-code"],
    sessions: ["s"],
    events: 12,
    paths: ["src/net.py"],
    symbols: [{ path: "src/net.py", symbol: "fetch" }],
    changes: ["`fetch` now tries 5 times"],
    commands: [{ command: "pytest -q", worked: false, at: "2026-11-21T09:30:00Z", exit: 1 }],
    commits: ["0123456789abcdef"],
    ...change,
  };
}

/** Opens folders in the editor, by their names under the root of the disk. */
export function openFolders(...names: string[]): void {
  workspace.workspaceFolders = names.map((name, index) => ({ uri: Uri.file(`/${name}`), name, index }));
}

/** A view as it is drawn: each line indented, with its description. */
export async function drawn(outline: Outline, node?: Node, depth = 0): Promise<string[]> {
  const lines: string[] = [];
  for (const child of await outline.getChildren(node)) {
    const { description, collapsibleState } = outline.getTreeItem(child);
    const beside = typeof description === "string" ? ` | ${description}` : "";
    lines.push("  ".repeat(depth) + child.row.label + beside);
    if (collapsibleState === TreeItemCollapsibleState.Expanded) lines.push(...(await drawn(outline, child, depth + 1)));
  }
  return lines;
}

/** What the page that is shown asks for. */
export async function shownPage(memory: FakeMemory): Promise<unknown> {
  fake.panels.at(-1)?.say({ type: "ready" });
  await vi.waitFor(() => expect(memory.asked.at(-1)?.method).toBe("memlsp/belief"));
  return memory.asked.at(-1)?.params;
}

/** The tree of a view that is registered, with the view. */
export function tree(id: string): { view: NonNullable<ReturnType<typeof fake.trees.get>>; outline: Outline } {
  const view = fake.trees.get(id);
  if (!view) throw new Error(`no view ${id}`);
  return { view, outline: view.options.treeDataProvider as Outline };
}

/** The node whose label begins so, with or without a standing before it, wherever it is drawn. */
export async function node(outline: Outline, label: string, under?: Node): Promise<Node> {
  const found = await search(outline, label, under);
  if (!found) throw new Error(`nothing is called ${label}`);
  return found;
}

async function search(outline: Outline, label: string, under?: Node): Promise<Node | undefined> {
  for (const child of await outline.getChildren(under)) {
    if (child.row.label.replace(/^[\w, ]+: /, "").startsWith(label)) return child;
    const below = child.row.rows || child.row.load ? await search(outline, label, child) : undefined;
    if (below) return below;
  }
  return undefined;
}
